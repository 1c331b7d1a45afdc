//! Proofs of periodic motions: Krawczyk's operator on the flow over a period. (T-205)
//!
//! A motion is periodic if F = φ_T(x) − x vanishes, full turns of angles left out. With an approximate inverse A of the
//! derivatives of F and a box Z around a point ẑ, K = ẑ − A·F(ẑ) + (1 − A·F′(Z))(Z − ẑ) contains all zeros in Z, and if K
//! lies inside of Z, there is exactly one. (Krawczyk 1969; Neumaier, Interval Methods for Systems of Equations, 1990, ch. 5)
//! F and F′ come from the certified flow and its derivatives.
//!
//! * In driven systems the unknowns are the state, and T is a multiple of the period of the drive, which is proved.
//! * In autonomous systems every shift along the orbit is a solution: one entry of the state keeps its value, and T is
//!   unknown.
//! * Where the energy H is conserved, orbits come in families: a second entry keeps its value, and one condition is left
//!   out. It follows from the others, since H has the same value at both ends and ∂H/∂xᵢ ≠ 0 over the box.
//! * Under constraints the reduced equations have motions off the constraint manifold, too. The constraints gᵃ = 0, and
//!   their rates, are conditions on the start; as many conditions of F are left out. They follow from the others in the same
//!   way: g is 0 at both ends, and the derivatives ∂(g, H)/∂x by the entries left out are regular over the box.

use galilei_expr::{
    Ball, Balls, Enclosures, Expr, Function, Interval, Program, View, subexpressions,
};
use galilei_model::{Diagnostic, Model};

use crate::certificate::{ball, is_zero};
use crate::flow::{Flow, Obstacle};
use crate::matrix::{inverse, is_regular};
use crate::problem::{Problem, not_available};
use crate::set::Set;
use crate::tangent::Tangent;

/// The limbs of the centre of a set: 128 bits.
const LIMBS: usize = 2;
/// The rest of the series of a step relative to the state.
const TOLERANCE: f64 = 1e-17;
/// The order of the series.
const ORDER: usize = 24;
/// Steps of a period.
const MAX_STEPS: usize = 20_000;
/// Newton's steps before the proof.
const NEWTON_STEPS: usize = 2;
/// Newton's corrections relative to the state and the period beyond which a guess is none.
const MAX_CORRECTION: f64 = 0.02;
/// Boxes that are tried, each larger than the one before.
const MAX_BOXES: usize = 6;
/// The radius of the first box in Newton's corrections.
const FIRST_RADIUS: f64 = 4.0;
/// The part of the largest derivative of the energy, or of a constraint, that the one of the condition left out must have.
const MIN_SLOPE: f64 = 1e-3;

/// A motion that is nearly periodic.
#[derive(Clone, Debug, PartialEq)]
pub struct OrbitGuess {
    /// The time at the start.
    pub time: f64,
    /// The positions, then the velocities.
    pub state: Vec<f64>,
    /// The period.
    pub period: f64,
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PeriodicProof {
    /// Whether a periodic motion is proved to exist in the box, and to be the only one there.
    pub certified: bool,
    /// An interval that contains its period.
    pub period: [f64; 2],
    /// Intervals that contain the positions at the start.
    pub position: Vec<[f64; 2]>,
    /// Intervals that contain the velocities at the start.
    pub velocity: Vec<[f64; 2]>,
    /// The places of the entries of the state, positions first, that are held: they choose the start on the orbit, and the
    /// orbit in its family.
    pub held: Vec<usize>,
    /// Why nothing is proved.
    pub reason: Option<String>,
}

/// An unknown of the conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    State(usize),
    Period,
}

/// The unknowns, and the conditions: entries of φ_T(x) − x, then the constraints.
struct Conditions {
    unknowns: Vec<Unknown>,
    rows: Vec<usize>,
    /// The entries that are no conditions: they follow from constraints and energy.
    left_out: Vec<usize>,
}

/// The end of a motion over a period, with its derivatives.
struct Shot {
    /// φ_T over the box.
    end: Vec<Interval>,
    /// Its derivatives by the start, by rows.
    slopes: Vec<Interval>,
    /// Its rates.
    rates: Vec<Interval>,
}

struct Prover<'e, 'p> {
    problem: &'e Problem<'p>,
    flow: Flow<'e, LIMBS>,
    start: f64,
    /// The constraints, as functions that vanish.
    levels: Vec<Expr<'p>>,
    /// The energy, where it is conserved.
    energy: Option<Expr<'p>>,
    /// The period of a driven system.
    driven: Option<Ball<LIMBS>>,
    /// Full turns of the positions over a period.
    turns: Vec<i64>,
}

fn pair(x: Interval) -> [f64; 2] {
    [x.low(), x.high()]
}

fn exact(x: f64) -> Option<Ball<LIMBS>> {
    Ball::exact(x)
}

/// Proves that there is a periodic motion near a guess.
///
/// # Errors
/// Where the model has something that cannot be enclosed.
///
/// ```
/// use galilei_certify::{OrbitGuess, prove_periodic};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4\n";
/// let model = galilei_model::read(text, &Default::default()).model.unwrap();
/// let guess = OrbitGuess { time: 0.0, state: vec![1.0, 0.0], period: 7.416298709205487 };
/// let proof = prove_periodic(&model, &guess).unwrap();
/// let [low, high] = proof.period;
/// assert!(proof.certified && low <= 7.416298709205487 && 7.416298709205487 <= high && high - low < 1e-11);
/// ```
pub fn prove_periodic(model: &Model, guess: &OrbitGuess) -> Result<PeriodicProof, Vec<Diagnostic>> {
    let contents = model.contents();
    if model.has_contacts() {
        return Err(model.contacts_not_available("a proof of a periodic motion"));
    }
    if contents.phase.is_some() {
        return Err(not_available(
            "a periodic motion is not proved in (x, p)",
            "leave out --certify",
        ));
    }
    let problem = Problem::new(model, &[], false)?;
    if !problem.equations.tape.switches.is_empty() {
        return Err(not_available(
            "a periodic motion is not proved where the equations have kinks",
            "leave out --certify",
        ));
    }
    let n = guess.state.len();
    let none = |reason: &str| PeriodicProof {
        certified: false,
        period: [guess.period; 2],
        position: guess.state[..n / 2].iter().map(|x| [*x; 2]).collect(),
        velocity: guess.state[n / 2..].iter().map(|x| [*x; 2]).collect(),
        held: vec![],
        reason: Some(reason.to_owned()),
    };
    let time = problem.inputs[0];
    let autonomous = !repeating(&problem).any(|e| e.contains(time));
    let driven = match autonomous {
        true => None,
        false => match drive(&problem, guess.period) {
            Some(period) => Some(period),
            None => {
                return Ok(none(
                    "the equations are not proved to repeat after the period",
                ));
            }
        },
    };
    let system = model.system();
    let values = model.parameter_values()?;
    let works = |rate: &Expr<'_>| {
        let mut levels = problem.constraints.iter().map(|l| l.function);
        !is_zero(*rate) && !levels.any(|f| is_zero(*rate - f) || is_zero(*rate + f))
    };
    let conserved = autonomous
        && is_zero(system.energy_rate().substitute(&values))
        && !problem.reaction_rates.iter().any(works);
    let energy = conserved.then(|| system.lagrangian().energy().substitute(&values));
    let groups = (0..n).map(|k| usize::from(k >= n / 2)).collect();
    let flow = Flow::new(&problem.equations, vec![], groups, ORDER);
    let Ok(flow) = flow else {
        return Ok(none("a constant of the equations cannot be enclosed"));
    };
    let levels = problem.constraints.iter().map(|l| l.function).collect();
    let mut prover = Prover {
        problem: &problem,
        flow,
        levels,
        energy,
        start: guess.time,
        driven,
        turns: vec![0; n],
    };
    Ok(match prover.prove(guess) {
        Ok(proof) => proof,
        Err(why) => none(why),
    })
}

/// Everything that must be the same after a period: the equations, and the constraints.
fn repeating<'a, 'p>(problem: &'a Problem<'p>) -> impl Iterator<Item = Expr<'p>> + 'a {
    let levels = problem.constraints.iter().map(|l| l.function);
    problem.formulas.iter().copied().chain(levels)
}

/// The period of a drive that is meant by a rounded period, if the equations are proved to repeat after it.
fn drive(problem: &Problem<'_>, period: f64) -> Option<Ball<LIMBS>> {
    let time = problem.inputs[0];
    let pool = time.pool();
    let phases = subexpressions(repeating(problem));
    for e in phases {
        let View::Call(Function::Sin | Function::Cos, arguments) = e.view() else {
            continue;
        };
        let rate = arguments[0].diff(time);
        if rate.is_zero() || rate.contains_any(&problem.inputs) {
            continue;
        }
        let turns = period * rate.evaluate_f64(&[]).abs() / std::f64::consts::TAU;
        let count = turns.round();
        if !(turns - count).is_finite() || count < 1.0 || (turns - count).abs() > 1e-6 * count {
            continue;
        }
        let exact = pool.number(2 * count as i64) * pool.pi() / rate;
        let later = [(time, time + exact)];
        if repeating(problem).all(|e| is_zero(e.substitute(&later) - e)) {
            let length = ball::<LIMBS>(exact)?;
            return Some(match length.proven_sign()? {
                -1 => length.neg(),
                _ => length,
            });
        }
    }
    None
}

impl Prover<'_, '_> {
    /// The motion from a box over the times of an interval.
    fn shoot(
        &mut self,
        entries: &[(Ball<LIMBS>, Ball<LIMBS>)],
        (period, radius): (Ball<LIMBS>, f64),
    ) -> Option<Shot> {
        let start = exact(self.start)?;
        let mut set = Set::new(start, entries);
        let mut tangent = Tangent::new(entries.len());
        let before = period.sub(&exact(radius)?);
        let to = start.add(&before);
        for _ in 0..MAX_STEPS {
            let left = to.sub(&set.time);
            let (step, branches, is_last) = self.step(&set, &left).ok()?;
            let slopes = self.flow.transition(&step, &branches)?;
            let next = self.flow.at(&set, &step, &step.length)?;
            tangent.advance(&slopes.at(step.length.to_interval())?)?;
            set = next;
            if is_last {
                set.time = to;
                return self.shot(set, tangent, radius);
            }
        }
        None
    }

    /// A step of at most a length, and whether it has this length.
    #[allow(clippy::type_complexity)]
    fn step(
        &mut self,
        set: &Set<LIMBS>,
        left: &Ball<LIMBS>,
    ) -> Result<(crate::flow::Step<LIMBS>, Vec<crate::jets::Branch>, bool), Obstacle> {
        let series = self
            .flow
            .series(set, &[])
            .map_err(|_| Obstacle::Undefined)?;
        let size = 0.9 * self.flow.estimate(&series, TOLERANCE);
        let wanted = match size >= left.magnitude() {
            true => *left,
            false => Ball::exact(size).ok_or(Obstacle::NoEnclosure)?,
        };
        let mut rejected = 0;
        let step = self
            .flow
            .step(set, series, &[], wanted, TOLERANCE, &mut rejected)?;
        let is_last = step.length == *left;
        Ok((step, vec![], is_last))
    }

    /// The states over the rest of the interval of times.
    fn shot(&mut self, set: Set<LIMBS>, tangent: Tangent, radius: f64) -> Option<Shot> {
        let d = self.problem.equations.dimension();
        let (set, slopes) = match radius > 0.0 {
            false => (set, tangent.bounds()),
            true => {
                let span = exact(2.0 * radius)?;
                let (step, branches, is_last) = self.step(&set, &span).ok()?;
                if !is_last {
                    return None;
                }
                let slopes = self.flow.transition(&step, &branches)?;
                let all = Interval::ZERO.hull(span.to_interval());
                let after = Ball::of_interval(all)?;
                let over = self.flow.at(&set, &step, &after)?;
                (over, tangent.after(&slopes.at(after.to_interval())?))
            }
        };
        let time = set.time.to_interval();
        self.flow.values(time, &set.bounds, &[], true).ok()?;
        let rates = (0..d).map(|i| self.flow.register(i as u32 + 1).1).collect();
        Some(Shot {
            end: set.bounds,
            slopes,
            rates,
        })
    }

    /// φ_T(x) − x without full turns, in the entries that are conditions, then the constraints.
    fn gap(&self, shot: &Shot, start: &[f64], conditions: &Conditions) -> Option<Vec<Interval>> {
        let turn = Ball::<LIMBS>::int(2).mul(&pi());
        let mut out: Vec<Interval> = (conditions.rows.iter())
            .map(|&i| {
                let turns = turn.mul(&Ball::int(self.turns[i])).to_interval();
                shot.end[i] - Interval::point(start[i]) - turns
            })
            .collect();
        let mut inputs = vec![exact(self.start)?];
        for x in start {
            inputs.push(exact(*x)?);
        }
        let program = Program::new(&self.levels, &self.problem.inputs).ok()?;
        for value in program.run(&mut Balls::<LIMBS>::new(), &inputs) {
            out.push(value.ok()?.to_interval());
        }
        Some(out)
    }

    /// The derivatives of some functions by entries of the state, by rows.
    fn gradients(
        &self,
        functions: &[Expr<'_>],
        entries: &[usize],
        inputs: &[Interval],
    ) -> Option<Vec<Interval>> {
        let pool = self.problem.inputs[0].pool();
        let symbols = &self.problem.inputs;
        let own = functions.iter().map(|f| pool.expr(f.id()));
        let list: Vec<Expr<'_>> = own
            .flat_map(|f| entries.iter().map(move |&i| f.diff(symbols[1 + i])))
            .collect();
        let program = Program::new(&list, symbols).ok()?;
        let values = program.run(&mut Enclosures::new(), inputs).into_iter();
        values
            .map(|x| x.ok().filter(|x| x.is_finite()))
            .collect::<Option<Vec<Interval>>>()
    }

    /// The derivatives of the conditions by the unknowns, by rows; `levels` are those of the constraints by the start.
    fn derivatives(
        &self,
        shot: &Shot,
        levels: &[Interval],
        conditions: &Conditions,
    ) -> Vec<Interval> {
        let n = shot.end.len();
        let mut out = vec![];
        for &i in &conditions.rows {
            for u in &conditions.unknowns {
                out.push(match u {
                    Unknown::Period => shot.rates[i],
                    Unknown::State(j) if *j == i => shot.slopes[i * n + j] - Interval::ONE,
                    Unknown::State(j) => shot.slopes[i * n + j],
                });
            }
        }
        for row in levels.chunks(n) {
            for u in &conditions.unknowns {
                out.push(match u {
                    Unknown::Period => Interval::ZERO,
                    Unknown::State(j) => row[*j],
                });
            }
        }
        out
    }

    /// The derivatives of the constraints by the state over a box.
    fn level_slopes(&self, entries: &[(Ball<LIMBS>, Ball<LIMBS>)]) -> Option<Vec<Interval>> {
        let all: Vec<usize> = (0..entries.len()).collect();
        let ends = entries.iter();
        let ends = ends.map(|(low, high)| low.to_interval().hull(high.to_interval()));
        let inputs: Vec<Interval> = std::iter::once(Interval::point(self.start))
            .chain(ends)
            .collect();
        self.gradients(&self.levels, &all, &inputs)
    }

    /// The unknowns and the conditions for which the derivatives are best conditioned.
    fn choice(&self, shot: &Shot, state: &[f64], levels: &[Interval]) -> Option<Conditions> {
        let n = state.len();
        let all: Vec<usize> = (0..n).collect();
        let mut rows: Vec<Vec<f64>> = levels
            .chunks(n)
            .map(|row| row.iter().map(|x| x.middle()).collect())
            .collect();
        let count = rows.len();
        let energy = self.energy.filter(|_| self.driven.is_none());
        if let Some(h) = energy {
            let point = state.iter().map(|x| Interval::point(*x));
            let inputs: Vec<Interval> = std::iter::once(Interval::point(self.start))
                .chain(point)
                .collect();
            let slopes = self.gradients(&[h], &all, &inputs)?;
            rows.push(slopes.iter().map(|x| x.middle()).collect());
        }
        let left_out = pivots(&mut rows, count)?;
        let open = |i: &usize| !left_out.contains(i);
        let conditions = |held: &[usize], other: Option<usize>| {
            let states = all.iter().filter(|l| !held.contains(l));
            let mut unknowns: Vec<Unknown> = states.map(|l| Unknown::State(*l)).collect();
            if self.driven.is_none() {
                unknowns.push(Unknown::Period);
            }
            let left_out: Vec<usize> = left_out.iter().copied().chain(other).collect();
            Conditions {
                unknowns,
                rows: (all.iter().copied())
                    .filter(|l| !left_out.contains(l))
                    .collect(),
                left_out,
            }
        };
        if self.driven.is_some() {
            return Some(conditions(&[], None));
        }
        let slopes = energy.map(|_| &rows[count]);
        let largest = slopes.map_or(0.0, |s| s.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        let mut best: Option<(f64, Conditions)> = None;
        for j in 0..n {
            // Without energy nothing else is held, and no other condition is left out.
            let choices: Vec<Conditions> = match slopes {
                None => vec![conditions(&[j], None)],
                Some(s) => (j + 1..n)
                    .flat_map(|k| all.iter().map(move |i| (k, *i)))
                    .filter(|(_, i)| open(i) && s[*i].abs() > MIN_SLOPE * largest)
                    .map(|(k, i)| conditions(&[j, k], Some(i)))
                    .collect(),
            };
            for own in choices {
                let matrix = self.derivatives(shot, levels, &own);
                let middle: Vec<f64> = matrix.iter().map(|x| x.middle()).collect();
                let Some(a) = inverse(&middle, own.unknowns.len()) else {
                    continue;
                };
                let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                if best.as_ref().is_none_or(|b| size < b.0) {
                    best = Some((size, own));
                }
            }
        }
        best.map(|b| b.1)
    }

    fn prove(&mut self, guess: &OrbitGuess) -> Result<PeriodicProof, &'static str> {
        const WIDE: &str = "the enclosure of the motion over a period is too wide";
        const SINGULAR: &str =
            "the derivatives over a period are singular: the motion is not isolated";
        let mut state = guess.state.clone();
        let mut period = guess.period;
        let points = |state: &[f64]| -> Option<Vec<(Ball<LIMBS>, Ball<LIMBS>)>> {
            state.iter().map(|x| exact(*x).map(|b| (b, b))).collect()
        };
        let length = |own: &Self, period: f64| own.driven.or_else(|| exact(period));
        let point = points(&state).ok_or(WIDE)?;
        let mut shot = length(self, period)
            .and_then(|t| self.shoot(&point, (t, 0.0)))
            .ok_or(WIDE)?;
        self.count_turns(&shot, &state)?;
        let mut levels = self.level_slopes(&point).ok_or(WIDE)?;
        let conditions = self.choice(&shot, &state, &levels).ok_or(SINGULAR)?;
        let unknowns = &conditions.unknowns;
        let size = unknowns.len();
        let mut approximate = vec![];
        let mut correction = vec![0.0; size];
        for round in 0..=NEWTON_STEPS {
            let matrix = self.derivatives(&shot, &levels, &conditions);
            let middle: Vec<f64> = matrix.iter().map(|x| x.middle()).collect();
            approximate = inverse(&middle, size).ok_or(SINGULAR)?;
            let gap = self.gap(&shot, &state, &conditions).ok_or(WIDE)?;
            for (k, c) in correction.iter_mut().enumerate() {
                let row = (0..size).map(|l| approximate[k * size + l] * gap[l].middle());
                *c = -row.sum::<f64>();
            }
            if round == NEWTON_STEPS {
                break;
            }
            let size = state.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            for (u, c) in conditions.unknowns.iter().zip(&correction) {
                let scale = match u {
                    Unknown::State(_) => size,
                    Unknown::Period => period,
                };
                let is_small = c.abs() <= MAX_CORRECTION * scale;
                if !is_small {
                    return Err("the motion is not nearly periodic");
                }
                match u {
                    Unknown::State(i) => state[*i] += c,
                    Unknown::Period => period += c,
                }
            }
            let point = points(&state).ok_or(WIDE)?;
            levels = self.level_slopes(&point).ok_or(WIDE)?;
            shot = length(self, period)
                .and_then(|t| self.shoot(&point, (t, 0.0)))
                .ok_or(WIDE)?;
        }
        let value = |u: &Unknown| match u {
            Unknown::State(i) => state[*i],
            Unknown::Period => period,
        };
        let gap = self.gap(&shot, &state, &conditions).ok_or(WIDE)?;
        // A·F(ẑ)
        let offset: Vec<Interval> = (0..size)
            .map(|k| {
                let row = (0..size).map(|l| Interval::point(approximate[k * size + l]) * gap[l]);
                row.fold(Interval::ZERO, |s, x| s + x)
            })
            .collect();
        let mut radii: Vec<f64> = (unknowns.iter().zip(&offset))
            .map(|(u, o)| FIRST_RADIUS * o.magnitude() + 1e-15 * value(u).abs() + 1e-18)
            .collect();
        for _ in 0..MAX_BOXES {
            let mut entries = points(&state).ok_or(WIDE)?;
            let mut over = 0.0;
            for (u, r) in unknowns.iter().zip(&radii) {
                match u {
                    Unknown::State(i) => {
                        let r = exact(*r).ok_or(WIDE)?;
                        entries[*i] = (entries[*i].0.sub(&r), entries[*i].1.add(&r));
                    }
                    Unknown::Period => over = *r,
                }
            }
            let shot = length(self, period)
                .and_then(|t| self.shoot(&entries, (t, over)))
                .ok_or(WIDE)?;
            let slopes = self.level_slopes(&entries).ok_or(WIDE)?;
            let matrix = self.derivatives(&shot, &slopes, &conditions);
            let image: Vec<Interval> = (0..size)
                .map(|k| {
                    let mut sum = -offset[k];
                    for c in 0..size {
                        let mut entry = match k == c {
                            true => Interval::ONE,
                            false => Interval::ZERO,
                        };
                        for l in 0..size {
                            let a = Interval::point(approximate[k * size + l]);
                            entry = entry - a * matrix[l * size + c];
                        }
                        sum = sum + entry * Interval::symmetric(radii[c]);
                    }
                    sum
                })
                .collect();
            let inside = |(x, r): (&Interval, &f64)| x.low() > -r && x.high() < *r;
            if image.iter().zip(&radii).all(inside) {
                if !self.others_follow(&entries, &shot, &conditions.left_out) {
                    return Err(
                        "derivatives of the energy or of constraints may vanish in the box",
                    );
                }
                return Ok(self.proved((&state, period), unknowns, &image));
            }
            for (r, x) in radii.iter_mut().zip(&image) {
                *r = (3.0 * x.magnitude()).max(*r);
            }
            if radii.iter().any(|r| !r.is_finite()) {
                break;
            }
        }
        Err("Krawczyk's operator does not map a box around the motion into itself")
    }

    /// The proof with its box.
    fn proved(
        &self,
        (state, period): (&[f64], f64),
        unknowns: &[Unknown],
        image: &[Interval],
    ) -> PeriodicProof {
        let n = state.len();
        let mut entries: Vec<Interval> = state.iter().map(|x| Interval::point(*x)).collect();
        let mut length = match self.driven {
            Some(t) => t.to_interval(),
            None => Interval::point(period),
        };
        for (u, x) in unknowns.iter().zip(image) {
            match u {
                Unknown::State(i) => entries[*i] = entries[*i] + *x,
                Unknown::Period => length = length + *x,
            }
        }
        let held = (0..n).filter(|i| !unknowns.contains(&Unknown::State(*i)));
        PeriodicProof {
            certified: true,
            period: pair(length),
            position: entries[..n / 2].iter().map(|x| pair(*x)).collect(),
            velocity: entries[n / 2..].iter().map(|x| pair(*x)).collect(),
            held: held.collect(),
            reason: None,
        }
    }

    /// Whether the conditions that were left out follow from equal energies and constraints at both ends: the derivatives
    /// of these by the entries left out are regular over a box around both ends.
    fn others_follow(
        &self,
        entries: &[(Ball<LIMBS>, Ball<LIMBS>)],
        shot: &Shot,
        left_out: &[usize],
    ) -> bool {
        if left_out.is_empty() {
            return true;
        }
        let turn = Ball::<LIMBS>::int(2).mul(&pi());
        let mut inputs = vec![Interval::point(self.start)];
        for (k, (low, high)) in entries.iter().enumerate() {
            let turns = turn.mul(&Ball::int(self.turns[k])).to_interval();
            let own = low.to_interval().hull(high.to_interval());
            inputs.push(own.hull(shot.end[k] - turns));
        }
        let energy = self.energy.filter(|_| self.driven.is_none());
        let functions: Vec<Expr<'_>> = self.levels.iter().copied().chain(energy).collect();
        functions.len() == left_out.len()
            && (self.gradients(&functions, left_out, &inputs))
                .is_some_and(|slopes| is_regular(&slopes, left_out.len()))
    }

    /// Counts full turns of positions in which the equations, and the energy, are proved to repeat.
    fn count_turns(&mut self, shot: &Shot, state: &[f64]) -> Result<(), &'static str> {
        for i in 0..state.len() / 2 {
            let turns = (shot.end[i].middle() - state[i]) / std::f64::consts::TAU;
            if !turns.is_finite() || turns.round() == 0.0 {
                continue;
            }
            let symbol = self.problem.inputs[1 + i];
            let pool = symbol.pool();
            let later = [(symbol, symbol + pool.number(2) * pool.pi())];
            let mut all = repeating(self.problem).chain(self.energy);
            if !all.all(|e| is_zero(e.substitute(&later) - e)) {
                return Err("the motion does not come back to its start");
            }
            self.turns[i] = turns.round() as i64;
        }
        Ok(())
    }
}

/// The columns of the pivots of the first rows, after elimination with complete pivoting of them and of the rows behind them;
/// `None` where they are dependent.
fn pivots(rows: &mut [Vec<f64>], count: usize) -> Option<Vec<usize>> {
    let mut columns: Vec<usize> = vec![];
    let largest = |row: &[f64]| row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let scale = rows[..count].iter().map(|r| largest(r)).fold(0.0, f64::max);
    for k in 0..count {
        let places = (k..count).flat_map(|r| (0..rows[k].len()).map(move |c| (r, c)));
        let (r, c) = places.max_by(|a, b| {
            let size = |p: &(usize, usize)| rows[p.0][p.1].abs();
            size(a).total_cmp(&size(b))
        })?;
        if rows[r][c].abs() <= MIN_SLOPE * MIN_SLOPE * scale {
            return None;
        }
        rows.swap(k, r);
        let pivot = rows[k].clone();
        for row in rows[k + 1..].iter_mut() {
            let factor = row[c] / pivot[c];
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(x, p)| *x -= factor * p);
            row[c] = 0.0;
        }
        columns.push(c);
    }
    Some(columns)
}

fn pi() -> Ball<LIMBS> {
    use galilei_expr::Arithmetic;
    Balls::new().pi().unwrap_or(Ball::ZERO)
}
