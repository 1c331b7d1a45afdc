//! Curves on which an action is stationary, between given ends: boundary-value problems by Hamilton's
//! principle.
//!
//! A curve is made of polynomials of one degree s between nodes; adjacent pieces share a node. The integral of the
//! functional over each piece is taken at s points of Gauss; Newton's method makes the sum stationary (with
//! forces: lets the virtual work vanish) with the exact second variation, a banded matrix. Each piece is then
//! compared with a motion from its first end, by Taylor series; where they differ too much, it is halved.

mod banded;
mod basis;
mod functional;
mod inertia;
mod mesh;

use galilei_linear::Factors;

use basis::Basis;
use inertia::Block;
use mesh::{Curve, Element, Parts, assembled};

use crate::problem::{Options, Record, Status};
use crate::taylor::Prepared;

pub use functional::Functional;

/// Newton steps of one solution.
const MAX_NEWTON_STEPS: usize = 60;
/// Halvings of a Newton step.
const MAX_HALVINGS: usize = 16;
/// The largest number of pieces of a curve.
const MAX_PIECES: usize = 4096;
/// Rounds of halving pieces.
const MAX_REFINEMENTS: usize = 12;

/// The ends of a curve: their times, and the positions that are held there.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The time of the start.
    pub from: f64,
    /// The time of the end.
    pub to: f64,
    /// Positions at the start; what is not given is free, and its momentum vanishes there.
    pub start: Vec<Option<f64>>,
    /// Positions at the end.
    pub end: Vec<Option<f64>>,
}

/// Settings of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// The degree of the polynomials.
    pub degree: usize,
    /// The initial number of pieces.
    pub elements: usize,
    /// The largest residual of a piece.
    pub tolerance: f64,
    /// Whether pieces that are too far are halved.
    pub refine: bool,
}

/// The reason why no stationary curve was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// Newton's method did not converge from this curve.
    NotConverged,
    /// The second variation is singular: the ends are conjugate.
    Singular,
    /// Halving pieces did not help.
    NotResolved,
}

impl std::fmt::Display for Unsolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotConverged => "Newton's method did not converge from this curve",
            Self::Singular => {
                "the second variation is singular: the ends are conjugate to each other"
            }
            Self::NotResolved => "halving the pieces of the curve did not help",
        })
    }
}

/// A curve on which the functional is stationary.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solution {
    /// The value of the functional, from the earlier end to the later one.
    pub action: f64,
    /// The number of independent variations that decrease the functional in second order; `None` where it could not
    /// be determined. Forces are not counted.
    pub index: Option<usize>,
    /// The largest distance of a piece from the motion from its first end.
    pub residual: f64,
    /// The ends of the pieces.
    pub times: Vec<f64>,
    /// x, then u, at these times.
    pub states: Vec<Vec<f64>>,
    /// The momenta there.
    pub momenta: Vec<Vec<f64>>,
    /// Newton steps of the last mesh.
    pub iterations: usize,
    degree: usize,
    curve: Curve,
}

impl Ends {
    /// 1 forward in time, −1 backward.
    fn sign(&self) -> f64 {
        if self.to >= self.from { 1.0 } else { -1.0 }
    }
}

impl Solution {
    /// The curve of a motion between two times, in equal pieces, with its action; `at` is the state at a time. `None`
    /// where the motion is not known everywhere.
    pub fn of_motion(
        (from, to, elements, degree): (f64, f64, usize, usize),
        at: &mut dyn FnMut(f64) -> Option<Vec<f64>>,
        momenta: impl Fn(f64, &[f64]) -> Vec<f64>,
        action: f64,
    ) -> Option<Self> {
        let time = |k: usize, z: f64| match k == elements {
            true => to,
            false => from + (to - from) * (k as f64 + z) / elements as f64,
        };
        let times: Vec<f64> = (0..=elements).map(|k| time(k, 0.0)).collect();
        let states: Option<Vec<Vec<f64>>> = times.iter().map(|&t| at(t)).collect();
        let states = states?;
        let n = states[0].len() / 2;
        let basis = Basis::new(degree);
        let mut nodes = states[0][..n].to_vec();
        for (k, state) in states.iter().enumerate().skip(1) {
            for &z in &basis.nodes()[1..degree] {
                nodes.extend(&at(time(k - 1, z))?[..n]);
            }
            nodes.extend(&state[..n]);
        }
        let pairs = times.iter().zip(&states);
        Some(Self {
            action,
            index: None,
            residual: 0.0,
            momenta: pairs.map(|(&t, s)| momenta(t, s)).collect(),
            iterations: 0,
            degree,
            curve: Curve {
                times: times.clone(),
                nodes,
                w: vec![],
            },
            times,
            states,
        })
    }

    /// The number of pieces.
    pub fn elements(&self) -> usize {
        self.curve.elements()
    }

    /// The position at a time.
    pub fn position(&self, t: f64) -> Vec<f64> {
        let n = self.momenta[0].len();
        self.curve.at(&Basis::new(self.degree), n, t).0
    }
}

/// Constraints h(t, x) = 0 that curves satisfy at every node.
pub struct Constraints {
    /// λ·h, as a functional whose positions are (x, λ).
    pub held: Functional,
    /// λ·(∂h/∂t + ẋ·∂h/∂x), likewise.
    pub rates: Functional,
}

/// Values w of an instant, from (t, x, ẋ).
type Local<'t> = dyn FnMut(f64, &[f64], &[f64]) -> Vec<f64> + 't;

/// Makes functionals stationary.
pub struct Stationary<'t> {
    /// Motions, to compare with.
    motion: Prepared,
    /// L, for velocities from momenta.
    lagrangian: Functional,
    functional: Functional,
    constraints: Option<Constraints>,
    /// Where values w that belong to an instant begin, as a function of (t, x, ẋ).
    local: Box<Local<'t>>,
}

impl<'t> Stationary<'t> {
    /// The solver for a functional of a motion. `lagrangian` is the action ∫L dt of the motion, and `local` gives first values
    /// of w at an instant.
    pub fn new(
        motion: Prepared,
        lagrangian: Functional,
        functional: Functional,
        local: impl FnMut(f64, &[f64], &[f64]) -> Vec<f64> + 't,
    ) -> Self {
        Self {
            motion,
            lagrangian,
            functional,
            constraints: None,
            local: Box::new(local),
        }
    }

    /// A solver among curves that satisfy constraints between positions.
    #[must_use]
    pub fn under(mut self, constraints: Constraints) -> Self {
        self.constraints = Some(constraints);
        self
    }

    /// The number of constraints.
    fn count(&self) -> usize {
        let all = self.constraints.as_ref().map(|c| c.held.dimension);
        all.map_or(0, |all| all - self.functional.dimension)
    }

    /// A stationary curve from one that is guessed; its ends need not fit.
    ///
    /// # Errors
    /// Where no stationary curve is found.
    pub fn solve(
        &mut self,
        ends: &Ends,
        guess: impl Fn(f64) -> Vec<f64>,
        search: &Search,
    ) -> Result<Solution, Unsolved> {
        let basis = Basis::new(search.degree);
        let span = ends.to - ends.from;
        let time = |k: usize| ends.from + span * k as f64 / search.elements as f64;
        let mut times: Vec<f64> = (0..search.elements).map(time).collect();
        times.push(ends.to);
        let mut curve = self.sampled(&basis, times, guess);
        for _ in 0..MAX_REFINEMENTS {
            let (solved, elements, iterations) = self.newton(&basis, ends, curve)?;
            let (solution, distances) = self.judged(&basis, ends, solved, &elements, iterations)?;
            if !search.refine || solution.residual <= search.tolerance {
                return Ok(solution);
            }
            let mut times = Vec::new();
            for (e, d) in distances.iter().enumerate() {
                let (a, b) = (solution.times[e], solution.times[e + 1]);
                times.push(a);
                if *d > 0.3 * search.tolerance {
                    times.push(0.5 * (a + b));
                }
            }
            times.push(ends.to);
            if times.len() == solution.times.len() || times.len() > MAX_PIECES {
                return Err(Unsolved::NotResolved);
            }
            let n = self.functional.dimension;
            let last = solution.curve;
            curve = self.sampled(&basis, times, |t| last.at(&basis, n, t).0);
        }
        Err(Unsolved::NotResolved)
    }

    /// A curve through given positions.
    fn sampled(
        &mut self,
        basis: &Basis,
        times: Vec<f64>,
        position: impl Fn(f64) -> Vec<f64>,
    ) -> Curve {
        let n = self.functional.dimension;
        let count = times.len() - 1;
        let multipliers = vec![0.0; self.count()];
        let mut curve = Curve {
            times,
            nodes: vec![],
            w: vec![],
        };
        for e in 0..count {
            let (a, b) = (curve.times[e], curve.times[e + 1]);
            for z in &basis.nodes()[..basis.degree] {
                curve.nodes.extend(position(a + z * (b - a)));
                curve.nodes.extend(&multipliers);
            }
        }
        curve.nodes.extend(position(curve.times[count]));
        curve.nodes.extend(&multipliers);
        if self.functional.local > 0 {
            for e in 0..count {
                let (a, b) = (curve.times[e], curve.times[e + 1]);
                for &(z, _) in &basis.points {
                    let t = a + z * (b - a);
                    let (x, v) = curve.at(basis, n, t);
                    curve.w.extend((self.local)(t, &x, &v));
                }
            }
        }
        curve
    }

    fn elements(&mut self, basis: &Basis, curve: &Curve) -> Option<Vec<Element>> {
        let mut parts = Parts {
            functional: &mut self.functional,
            constraints: self.constraints.as_mut().map(|c| &mut c.held),
        };
        let list = (0..curve.elements()).map(|e| curve.element(&mut parts, basis, e));
        list.collect::<Result<_, _>>().ok()
    }

    /// Newton's method, each step halved until what is left to correct becomes less.
    fn newton(
        &mut self,
        basis: &Basis,
        ends: &Ends,
        mut curve: Curve,
    ) -> Result<(Curve, Vec<Element>, usize), Unsolved> {
        let degree = basis.degree;
        let per_node = self.functional.dimension + self.count();
        let count = curve.nodes.len();
        let mut held = vec![false; count];
        for (first, given) in [(0, &ends.start), (count - per_node, &ends.end)] {
            for (i, value) in given.iter().enumerate() {
                if let Some(value) = value {
                    held[first + i] = true;
                    curve.nodes[first + i] = *value;
                }
            }
            // Where a place is given, nothing is left for constraints to hold.
            if given.iter().all(Option::is_some) {
                held[first + given.len()..first + per_node].fill(true);
            }
        }
        let norm = |list: &[f64]| list.iter().map(|d| d * d).sum::<f64>().sqrt();
        let mut elements = self.elements(basis, &curve).ok_or(Unsolved::NotConverged)?;
        let (mut last, mut settled) = (f64::INFINITY, 0);
        for iteration in 0..MAX_NEWTON_STEPS {
            let (mut step, matrix) = assembled(&elements, per_node, degree, &held);
            step.iter_mut().for_each(|r| *r = -*r);
            matrix
                .clone()
                .solve(&mut step)
                .map_err(|_| Unsolved::Singular)?;
            // Held positions do not change in a single bit.
            for (d, held) in step.iter_mut().zip(&held) {
                if *held {
                    *d = 0.0;
                }
            }
            let length = step.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
            let scale = curve.nodes.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            if !step.iter().all(|d| d.is_finite()) {
                return Err(Unsolved::Singular);
            }
            // Rounding is reached where steps are tiny and do not become smaller.
            settled += usize::from(length <= 1e-9 * scale && length >= 0.1 * last);
            let done = length <= 4.0 * f64::EPSILON * scale || settled > 1;
            last = length;
            let mut part = 1.0;
            let mut accepted = false;
            for _ in 0..MAX_HALVINGS {
                let next = curve.moved(&mut elements, &self.functional, basis, &step, part);
                if let Some(found) = self.elements(basis, &next) {
                    // What the same matrix would correct next must be less: a measure that no choice
                    // of units or coordinates changes.
                    let (mut rest, _) = assembled(&found, per_node, degree, &held);
                    let solved = matrix.clone().solve(&mut rest).is_ok();
                    let less = solved && norm(&rest) < (1.0 - 0.25 * part) * norm(&step);
                    if less || length <= 1e-9 * scale {
                        (curve, elements, accepted) = (next, found, true);
                        break;
                    }
                }
                part *= 0.5;
            }
            if done {
                return Ok((curve, elements, iteration + 1));
            }
            if !accepted {
                return Err(Unsolved::NotConverged);
            }
        }
        Err(Unsolved::NotConverged)
    }

    /// u with ∂L/∂u = p; under constraints ∂L/∂u + μ·∂h/∂x = p for some μ, and u satisfies their rates.
    fn velocity(&mut self, t: f64, x: &[f64], p: &[f64], guess: &[f64]) -> Option<Vec<f64>> {
        let (n, c) = (self.lagrangian.dimension, self.count());
        let mut u = guess.to_vec();
        let mut forces = vec![0.0; c];
        let mut last = f64::INFINITY;
        for _ in 0..MAX_NEWTON_STEPS {
            let at = self.lagrangian.at(t, x, &u, &[]);
            let mut step: Vec<f64> = (0..n).map(|i| p[i] - at.slope(n + i)).collect();
            let mut matrix = vec![0.0; (n + c) * (n + c)];
            for i in 0..n {
                for j in 0..n {
                    matrix[i * (n + c) + j] = at.curve(n + i, n + j);
                }
            }
            if let Some(constraints) = &mut self.constraints {
                let all = |list: &[f64], rest: f64| -> Vec<f64> {
                    list.iter().copied().chain(vec![rest; c]).collect()
                };
                let at = constraints.rates.at(t, &all(x, 0.0), &all(&u, 0.0), &[]);
                for a in 0..c {
                    for i in 0..n {
                        let entry = at.curve(n + a, n + c + i);
                        matrix[i * (n + c) + n + a] = entry;
                        matrix[(n + a) * (n + c) + i] = entry;
                        step[i] -= forces[a] * entry;
                    }
                    step.push(-at.slope(n + a));
                }
            }
            let mut factors = Factors::new(n + c);
            factors.factor(|i, j| matrix[i * (n + c) + j]).ok()?;
            factors.solve(&mut step);
            let gained = step.split_off(n);
            forces.iter_mut().zip(&gained).for_each(|(f, d)| *f += d);
            let length = step.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
            if !step.iter().all(|d| d.is_finite()) {
                return None;
            }
            u.iter_mut().zip(&step).for_each(|(u, d)| *u += d);
            let scale = u.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
            if length <= 4.0 * f64::EPSILON * scale || length < 1e-9 * scale && length >= 0.5 * last
            {
                return Some(u);
            }
            last = length;
        }
        None
    }

    /// The solution with its properties, and the residual of each piece.
    fn judged(
        &mut self,
        basis: &Basis,
        ends: &Ends,
        curve: Curve,
        elements: &[Element],
        iterations: usize,
    ) -> Result<(Solution, Vec<f64>), Unsolved> {
        let (n, degree) = (self.functional.dimension, basis.degree);
        let per_node = n + self.count();
        let count = curve.elements();
        let (mut states, mut momenta) = (Vec::new(), Vec::new());
        for k in 0..=count {
            let (e, a) = if k < count {
                (k, 0)
            } else {
                (count - 1, degree)
            };
            let slopes = &elements[e].slopes[a * per_node..a * per_node + n];
            let sign = if k < count { -1.0 } else { 1.0 };
            let p: Vec<f64> = slopes.iter().map(|s| sign * s).collect();
            let x = curve.node(degree, e, a)[..n].to_vec();
            let (_, rough) = curve.at(basis, n, curve.times[k]);
            let u = self
                .velocity(curve.times[k], &x, &p, &rough)
                .ok_or(Unsolved::NotResolved)?;
            states.push([x, u].concat());
            momenta.push(p);
        }
        let all = states.iter().flat_map(|s: &Vec<f64>| &s[..n]);
        let scale = all.fold(1.0_f64, |m, x| m.max(x.abs()));
        let mut distances = Vec::with_capacity(count);
        for e in 0..count {
            let (from, to) = (curve.times[e], curve.times[e + 1]);
            let options = Options {
                from,
                to,
                record: Record::Nothing,
                tolerance: f64::EPSILON,
                max_steps: 100_000,
                ..Options::default()
            };
            let run = self.motion.integrate(&states[e], &options, |_| true);
            let pairs = run.state.iter().zip(&states[e + 1]);
            // Velocities count by how far they lead within the piece.
            let distance = pairs.enumerate().fold(0.0_f64, |m, (i, (a, b))| {
                let factor = if i < n { 1.0 } else { (to - from).abs() };
                m.max(factor * (a - b).abs())
            });
            distances.push(match run.status {
                Status::Finished => distance / scale,
                _ => f64::INFINITY,
            });
        }
        let solution = Solution {
            action: ends.sign() * elements.iter().map(|e| e.action).sum::<f64>(),
            index: self.index(elements, degree, ends),
            residual: distances.iter().fold(0.0_f64, |m, d| m.max(*d)),
            times: curve.times.clone(),
            states,
            momenta,
            iterations,
            degree,
            curve,
        };
        Ok((solution, distances))
    }

    /// The negative eigenvalues of the second variation, forward in time, among variations that vanish where
    /// positions are held.
    fn index(&self, elements: &[Element], degree: usize, ends: &Ends) -> Option<usize> {
        let n = self.functional.dimension + self.count();
        let (size, sign) = ((degree + 1) * n, ends.sign());
        // Blocks: the first end, the inside of the first piece, its other end, …
        let free = |given: &[Option<f64>]| -> Vec<usize> {
            let whole = given.iter().all(Option::is_some);
            let is_free = |i: &usize| given.get(*i).map_or(!whole, Option::is_none);
            (0..n).filter(is_free).collect()
        };
        let last = elements.len();
        let ends_of = |k: usize| match k {
            0 => free(&ends.start),
            k if k == last => free(&ends.end),
            _ => (0..n).collect(),
        };
        let block = |e: usize, rows: &[usize], columns: &[usize]| -> Vec<f64> {
            let entries = rows.iter().flat_map(|&i| {
                let second = &elements[e].second;
                columns.iter().map(move |&j| sign * second[i * size + j])
            });
            entries.collect()
        };
        let shift =
            |list: Vec<usize>| -> Vec<usize> { list.into_iter().map(|i| degree * n + i).collect() };
        let (mut diagonal, mut coupling) = (Vec::new(), Vec::new());
        // An end has parts of two pieces; insides are eliminated first.
        let mut pending: Vec<f64> = vec![0.0; ends_of(0).len().pow(2)];
        for e in 0..last {
            let inner: Vec<usize> = (n..degree * n).collect();
            let (left, right) = (ends_of(e), shift(ends_of(e + 1)));
            let (reduced, count) = eliminated(
                &block(e, &inner, &inner),
                [&left, &right].map(|list| block(e, &inner, list)),
                [
                    block(e, &left, &left),
                    block(e, &left, &right),
                    block(e, &right, &right),
                ],
                inner.len(),
            )?;
            let [first, across, second] = reduced;
            pending.iter_mut().zip(&first).for_each(|(a, b)| *a += b);
            diagonal.push((std::mem::replace(&mut pending, second), count));
            coupling.push(across);
        }
        diagonal.push((pending, 0));
        let inner: usize = diagonal.iter().map(|d| d.1).sum();
        let blocks: Vec<Vec<f64>> = diagonal.into_iter().map(|d| d.0).collect();
        // Every constraint brings one negative eigenvalue and one positive.
        let held = |given: &[Option<f64>]| given.iter().all(Option::is_some);
        let ends_held = [&ends.start, &ends.end].into_iter().filter(|g| held(g));
        let nodes = last * degree + 1 - ends_held.count();
        let negative = inner + inertia::negative(&blocks, &coupling)?;
        negative.checked_sub(nodes * self.count())
    }
}

/// The blocks at the ends of a piece when its inside is eliminated, and how many negative eigenvalues that
/// took away.
fn eliminated(
    inside: &[f64],
    [left, right]: [Vec<f64>; 2],
    [mut first, mut across, mut second]: [Vec<f64>; 3],
    n: usize,
) -> Option<([Vec<f64>; 3], usize)> {
    let mut block = Block::new(n, inside)?;
    block.take_from(&mut first, &left, &left);
    block.take_from(&mut across, &left, &right);
    block.take_from(&mut second, &right, &right);
    Some(([first, across, second], block.negative))
}
