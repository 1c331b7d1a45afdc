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

use galilei_expr::{
    Ball, Enclosures, Expr, Function, Interval, Program, Rational, View, subexpressions,
};
use galilei_model::{Diagnostic, Model};

use crate::certificate::{ball, is_zero};
use crate::flow::{Flow, Obstacle};
use crate::matrix::inverse;
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
/// The part of the largest derivative of the energy that the one of the condition left out must have.
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
    if contents.atlas.is_some() || contents.phase.is_some() {
        return Err(not_available(
            "a periodic motion is not proved in several charts or in (x, p)",
            "leave out --certify",
        ));
    }
    if !contents.constraints.is_empty() {
        return Err(not_available(
            "a periodic motion is not proved under constraints: they have families of motions beside them",
            "choose coordinates that satisfy them, or leave out --certify",
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
    let autonomous = !problem.formulas.iter().any(|e| e.contains(time));
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
    let conserved = autonomous && is_zero(system.energy_rate().substitute(&values));
    let energy = conserved.then(|| system.lagrangian().energy().substitute(&values));
    let groups = (0..n).map(|k| usize::from(k >= n / 2)).collect();
    let flow = Flow::new(&problem.equations, vec![], groups, ORDER);
    let Ok(flow) = flow else {
        return Ok(none("a constant of the equations cannot be enclosed"));
    };
    let mut prover = Prover {
        problem: &problem,
        flow,
        start: guess.time,
        driven,
        turns: vec![0; n],
    };
    Ok(match prover.prove(guess, energy) {
        Ok(proof) => proof,
        Err(why) => none(why),
    })
}

/// The period of a drive that is meant by a rounded period, if the equations are proved to repeat after it.
fn drive(problem: &Problem<'_>, period: f64) -> Option<Ball<LIMBS>> {
    let time = problem.inputs[0];
    let pool = time.pool();
    let phases = subexpressions(problem.formulas.iter().copied());
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
        let repeats = |e: &Expr<'_>| {
            let e = pool.expr(e.id());
            is_zero(e.substitute(&later) - e)
        };
        if problem.formulas.iter().all(repeats) {
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

    /// φ_T(x) − x without full turns.
    fn gap(&self, shot: &Shot, start: &[f64]) -> Vec<Interval> {
        let turn = Ball::<LIMBS>::rational(&Rational::from(2)).mul(&pi());
        let ends = shot.end.iter().zip(start).zip(&self.turns);
        ends.map(|((end, x), m)| {
            let turns = turn.mul(&Ball::int(*m)).to_interval();
            *end - Interval::point(*x) - turns
        })
        .collect()
    }

    fn derivatives(&self, shot: &Shot, rows: &[usize], unknowns: &[Unknown]) -> Vec<Interval> {
        let n = shot.end.len();
        let mut out = vec![];
        for &i in rows {
            for u in unknowns {
                out.push(match u {
                    Unknown::Period => shot.rates[i],
                    Unknown::State(j) if *j == i => shot.slopes[i * n + j] - Interval::ONE,
                    Unknown::State(j) => shot.slopes[i * n + j],
                });
            }
        }
        out
    }

    /// The unknowns and the conditions for which the derivatives are best conditioned.
    fn choice(
        &self,
        shot: &Shot,
        state: &[f64],
        energy: Option<Expr<'_>>,
    ) -> Option<(Vec<Unknown>, Vec<usize>)> {
        let n = state.len();
        let all: Vec<usize> = (0..n).collect();
        if self.driven.is_some() {
            return Some((all.iter().map(|i| Unknown::State(*i)).collect(), all));
        }
        let slopes: Option<Vec<f64>> = match energy {
            None => None,
            Some(h) => {
                let values = std::iter::once(self.start).chain(state.iter().copied());
                let values: Vec<(Expr<'_>, f64)> = (self.problem.inputs.iter())
                    .map(|s| h.pool().expr(s.id()))
                    .zip(values)
                    .collect();
                let symbols = values[1..].iter().map(|v| v.0);
                Some(
                    symbols
                        .map(|s| h.diff(s).evaluate_f64(&values).abs())
                        .collect(),
                )
            }
        };
        let largest = slopes
            .as_ref()
            .map_or(0.0, |s| s.iter().fold(0.0, |m: f64, x| m.max(*x)));
        let mut best: Option<(f64, Vec<Unknown>, Vec<usize>)> = None;
        for j in 0..n {
            // Without energy nothing else is held and no condition is left out.
            let pairs: Vec<(usize, usize)> = match &slopes {
                None => vec![(j, n)],
                Some(s) => (j + 1..n)
                    .flat_map(|k| (0..n).map(move |i| (k, i)))
                    .filter(|(_, i)| s[*i] > MIN_SLOPE * largest)
                    .collect(),
            };
            for (k, i) in pairs {
                let mut unknowns: Vec<Unknown> = (all.iter().filter(|l| **l != j && **l != k))
                    .map(|l| Unknown::State(*l))
                    .collect();
                unknowns.push(Unknown::Period);
                let rows: Vec<usize> = all.iter().copied().filter(|l| *l != i).collect();
                let matrix = self.derivatives(shot, &rows, &unknowns);
                let middle: Vec<f64> = matrix.iter().map(|x| x.middle()).collect();
                let Some(a) = inverse(&middle, rows.len()) else {
                    continue;
                };
                let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                if best.as_ref().is_none_or(|b| size < b.0) {
                    best = Some((size, unknowns, rows));
                }
            }
        }
        best.map(|(_, unknowns, rows)| (unknowns, rows))
    }

    fn prove(
        &mut self,
        guess: &OrbitGuess,
        energy: Option<Expr<'_>>,
    ) -> Result<PeriodicProof, &'static str> {
        const WIDE: &str = "the enclosure of the motion over a period is too wide";
        let n = guess.state.len();
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
        self.count_turns(&shot, &state, energy)?;
        let (unknowns, rows) = self
            .choice(&shot, &state, energy)
            .ok_or("the derivatives over a period are singular: the motion is not isolated")?;
        let size = rows.len();
        let mut approximate = vec![];
        let mut correction = vec![0.0; size];
        for round in 0..=NEWTON_STEPS {
            let matrix = self.derivatives(&shot, &rows, &unknowns);
            let middle: Vec<f64> = matrix.iter().map(|x| x.middle()).collect();
            approximate = inverse(&middle, size)
                .ok_or("the derivatives over a period are singular: the motion is not isolated")?;
            let gap = self.gap(&shot, &state);
            for (k, c) in correction.iter_mut().enumerate() {
                let row = (0..size).map(|l| approximate[k * size + l] * gap[rows[l]].middle());
                *c = -row.sum::<f64>();
            }
            if round == NEWTON_STEPS {
                break;
            }
            let size = state.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            for (u, c) in unknowns.iter().zip(&correction) {
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
            shot = length(self, period)
                .and_then(|t| self.shoot(&point, (t, 0.0)))
                .ok_or(WIDE)?;
        }
        let value = |u: &Unknown| match u {
            Unknown::State(i) => state[*i],
            Unknown::Period => period,
        };
        let gap = self.gap(&shot, &state);
        // A·F(ẑ)
        let offset: Vec<Interval> = (0..size)
            .map(|k| {
                let row =
                    (0..size).map(|l| Interval::point(approximate[k * size + l]) * gap[rows[l]]);
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
            let matrix = self.derivatives(&shot, &rows, &unknowns);
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
                if rows.len() < n && !self.energy_decides(&entries, &shot, &rows, energy) {
                    return Err("a derivative of the energy may vanish in the box");
                }
                return Ok(self.proved((&state, period), &unknowns, &image));
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

    /// Whether equal energies at both ends imply the condition that was left out.
    fn energy_decides(
        &self,
        entries: &[(Ball<LIMBS>, Ball<LIMBS>)],
        shot: &Shot,
        rows: &[usize],
        energy: Option<Expr<'_>>,
    ) -> bool {
        let n = entries.len();
        let (Some(h), Some(open)) = (energy, (0..n).find(|i| !rows.contains(i))) else {
            return false;
        };
        let pool = h.pool();
        let symbols: Vec<Expr<'_>> = (self.problem.inputs.iter())
            .map(|s| pool.expr(s.id()))
            .collect();
        let slope = h.diff(symbols[1 + open]);
        let Ok(program) = Program::new(&[slope], &symbols) else {
            return false;
        };
        let turn = Ball::<LIMBS>::int(2).mul(&pi());
        let mut inputs = vec![Interval::point(self.start)];
        for (k, (low, high)) in entries.iter().enumerate() {
            let turns = turn.mul(&Ball::int(self.turns[k])).to_interval();
            let own = low.to_interval().hull(high.to_interval());
            inputs.push(own.hull(shot.end[k] - turns));
        }
        let value = program.run(&mut Enclosures::new(), &inputs);
        let value = value.into_iter().next().and_then(Result::ok);
        value.is_some_and(|x| x.low() > 0.0 || x.high() < 0.0)
    }

    /// Counts full turns of positions in which the equations, and the energy, are proved to repeat.
    fn count_turns(
        &mut self,
        shot: &Shot,
        state: &[f64],
        energy: Option<Expr<'_>>,
    ) -> Result<(), &'static str> {
        for i in 0..state.len() / 2 {
            let turns = (shot.end[i].middle() - state[i]) / std::f64::consts::TAU;
            if !turns.is_finite() || turns.round() == 0.0 {
                continue;
            }
            let symbol = self.problem.inputs[1 + i];
            let pool = symbol.pool();
            let later = [(symbol, symbol + pool.number(2) * pool.pi())];
            let own = energy.map(|h| pool.expr(h.id()));
            let mut all = self.problem.formulas.iter().copied().chain(own);
            if !all.all(|e| is_zero(e.substitute(&later) - e)) {
                return Err("the motion does not come back to its start");
            }
            self.turns[i] = turns.round() as i64;
        }
        Ok(())
    }
}

fn pi() -> Ball<LIMBS> {
    use galilei_expr::{Arithmetic, Balls};
    Balls::new().pi().unwrap_or(Ball::ZERO)
}
