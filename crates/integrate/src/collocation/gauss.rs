//! Gauss' methods: symplectic, with constant steps.
//!
//! Applied to Hamilton's equations they are symplectic in (x, p) for every Lagrangian. Applied to ẋ = u,
//! u̇ = a they are so only where ∂²L/∂u² is constant, which is why momenta are what is balanced here. With
//! constraints that does not help: the reactions are those of the accelerations, states are brought back to
//! the constraints, and nothing is symplectic.

use galilei_tape::{Rates, Tape};

use super::convergence::Goal;
use super::field::Field;
use super::polynomial::{End, Polynomial};
use super::tableau::Tableau;
use super::{Collocation, Place, Stages};
use crate::derived::Jacobian;
use crate::drive::{attainable, drive};
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::sides::{Sides, sides_at};
use crate::steps::{ErrorSquares, Pace, Steps, time_scale};
use crate::sum::Compensated;

/// Steps are not made shorter than this part of what the start of a run admits: the motion comes too near to where
/// it has no solution, and needs a method whose steps adapt. A rigid body that all but meets the pole of its
/// angles took a part of 1/1600.
const SHORTEST: f64 = 1.0 / 4096.0;
/// Trials for the length of the steps, at the start of a run.
const TRIALS: usize = 10;
/// What the error of a step should be where its length is chosen; 1 is what the tolerance admits.
const AIM: f64 = 0.3;
/// How many times smaller a step a small component can ask for.
const PATIENCE: f64 = 4.0;

/// Accelerations and their rates.
#[derive(Clone, Default)]
struct Changes {
    a: Vec<f64>,
    j: Vec<f64>,
}

/// Every second step is compared with one of twice the length.
struct Check {
    /// The step before, if it was not compared.
    before: Option<(Place, Stages)>,
    long: Stages,
    /// The last error, as a part of what is admitted.
    error: f64,
    /// How large x and z have been; steps of one length are not shortened where something passes zero.
    sizes: [Vec<f64>; 2],
}

impl Check {
    fn new(stages: &Stages) -> Self {
        Self {
            before: None,
            long: stages.clone(),
            error: 0.0,
            sizes: [stages.u.clone(), stages.u.clone()],
        }
    }
}

struct Gauss<'t> {
    core: Collocation<'t>,
    tape: &'t Tape,
    rates: &'t Rates,
    start: Place,
    end: Place,
    stages: Stages,
    /// The step before, if the last one began at its end.
    before: Stages,
    continued: bool,
    work: f64,
    check: Option<Check>,
    /// What the polynomial is made with, when first needed.
    jacobian: Option<Jacobian<'t>>,
    /// Accelerations at the start and at the end, where they are known.
    changes: [Option<Changes>; 2],
    dense: Option<Polynomial>,
}

/// Integrates by Gauss' method with one, two or three stages. Steps are as long as the options say, or all of
/// one length for which the error of every second step, estimated by a step of twice the length, is within the
/// tolerance: where it is not, the run begins anew with shorter steps, which is counted as rejected.
/// `progress` is told the time now and then, and says whether to go on.
pub fn integrate_gauss(
    problem: &Problem<'_>,
    stages: usize,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut gauss = Gauss::new(problem, stages, problem.levels.is_empty());
    let order = gauss.core.tableau.order;
    if let Some(step) = options.step {
        let pace = (order, Pace::Constant(step));
        return drive(problem, state, options, &mut gauss, pace, &mut progress);
    }
    gauss.check = Some(Check::new(&gauss.stages));
    let span = (options.to - options.from).abs();
    let first = gauss.length(problem, state, options).unwrap_or(span / 64.0);
    let mut length = first;
    let mut rejected = 0;
    loop {
        let count = (span / length).ceil().max(1.0);
        let pace = (order, Pace::Constant(span / count));
        let mut run = drive(problem, state, options, &mut gauss, pace, &mut progress);
        run.rejected += rejected;
        length *= gauss.shortening();
        if length < SHORTEST * first || !could_be_shorter(&run.status) {
            return run;
        }
        rejected += 1;
    }
}

/// Whether a run may have failed because its steps were too long.
fn could_be_shorter(status: &Status) -> bool {
    use Stop::{NotFinite, SingularMassMatrix, StepTooLong};
    matches!(
        status,
        Status::Failed(StepTooLong | NotFinite | SingularMassMatrix)
    )
}

impl<'t> Gauss<'t> {
    /// In momenta, or in velocities.
    fn new(problem: &Problem<'t>, stages: usize, momenta: bool) -> Self {
        let n = problem.rates.dimension;
        let field = match momenta && problem.rates.unknowns == n {
            true => Field::of_momenta(problem),
            false => Field::of_velocities(problem),
        };
        Self {
            core: Collocation::new(Tableau::gauss(stages), field, n, 0.5),
            tape: problem.tape,
            rates: problem.rates,
            start: Place::new(n),
            end: Place::new(n),
            stages: Stages::new(n, stages),
            before: Stages::new(n, stages),
            continued: false,
            work: 0.0,
            check: None,
            jacobian: None,
            changes: [None, None],
            dense: None,
        }
    }

    /// Guesses the stages and solves for them.
    fn solve(&mut self, h: f64) -> Result<(), Stop> {
        self.stages.h = h;
        if self.continued {
            self.core.extrapolate(&self.before, 1.0, &mut self.stages);
        } else {
            let n = self.core.n;
            for v in self.stages.velocities.chunks_mut(n) {
                v.copy_from_slice(&self.start.u);
            }
        }
        self.core.differentiate(&self.start, &self.stages)?;
        self.core
            .solve(&self.start, &mut self.stages, Goal::Rounding)
    }

    /// The end of the step from its stages.
    fn finish(&mut self) -> Result<(), Stop> {
        let core = &mut self.core;
        let h = self.stages.h;
        self.end.time = self.start.time;
        self.end.time.add(h);
        core.weigh(h, &self.stages.velocities);
        for (p, (end, start)) in self.end.x.iter_mut().zip(&self.start.x).enumerate() {
            *end = *start;
            end.add(core.total(p));
        }
        core.weigh(h, &self.stages.rates);
        for (p, (end, start)) in self.end.z.iter_mut().zip(&self.start.z).enumerate() {
            *end = *start;
            end.add(core.total(p));
        }
        let n = core.n;
        let last = &self.stages.velocities[(core.tableau.stages() - 1) * n..];
        let x = self.end.x.iter().map(|c| c.high);
        core.field.place(self.end.time.high, x, last);
        core.field.invert(|i| self.end.z[i].high)?;
        self.end.u.copy_from_slice(core.field.velocities());
        let powers = core.tableau.weights.iter().zip(&self.stages.powers);
        self.work = h * powers.map(|(b, p)| b * p).sum::<f64>();
        Ok(())
    }

    /// The error of the step before and of this one, as a part of what a tolerance admits: the difference to a
    /// step of twice the length is that of two steps times 2^order − 1.
    fn compare(&mut self, start: &Place, first: &Stages, tolerance: f64) -> Result<f64, Stop> {
        let Some(check) = &mut self.check else {
            return Ok(0.0);
        };
        let core = &mut self.core;
        check.long.h = 2.0 * first.h;
        core.extrapolate(first, 0.0, &mut check.long);
        core.differentiate(start, &check.long)?;
        core.solve(start, &mut check.long, Goal::Rounding)?;
        let order = core.tableau.order as i32;
        let scale = 2.0 * (2f64.powi(order) - 1.0);
        let mut squares = ErrorSquares::default();
        for (list, sizes, starts, ends) in [
            (&check.long.velocities, 0, &start.x, &self.end.x),
            (&check.long.rates, 1, &start.z, &self.end.z),
        ] {
            core.weigh(check.long.h, list);
            let sizes = &mut check.sizes[sizes];
            for (p, size) in sizes.iter_mut().enumerate() {
                *size = size.max(starts[p].high.abs()).max(core.total(p).abs());
            }
            let largest = sizes.iter().copied().fold(0.0, f64::max);
            for p in 0..core.n {
                let mut long = starts[p];
                long.add(core.total(p));
                let off = (long.high - ends[p].high) + (long.low - ends[p].low);
                squares.add(off / scale, sizes[p], largest);
            }
        }
        Ok(squares.norm(2 * core.n, PATIENCE.powi(order)) / tolerance)
    }

    /// By how much steps are shortened after a run that failed.
    fn shortening(&mut self) -> f64 {
        let factor = self.factor();
        if let Some(check) = &mut self.check {
            check.error = 0.0;
        }
        factor.clamp(0.1, 0.5)
    }

    /// By how much the length of steps should change after the last error.
    fn factor(&self) -> f64 {
        let error = self.check.as_ref().map_or(1.0, |c| c.error);
        let order = self.core.tableau.order as f64;
        (AIM / error).powf(1.0 / (order + 1.0))
    }

    /// A length whose error is within the tolerance at the start of a run.
    fn length(
        &mut self,
        problem: &Problem<'_>,
        state: &[f64],
        options: &Options,
    ) -> Result<f64, Stop> {
        let tolerance = attainable(options);
        let span = (options.to - options.from).abs();
        let mut sides = Sides::new(problem, options.sign());
        let mut plain = vec![options.from];
        plain.extend(state);
        sides.choose(&plain)?;
        let time = Compensated::new(options.from);
        let parts: Vec<Compensated> = state.iter().map(|x| Compensated::new(*x)).collect();
        self.start(&time, &parts, &sides.list)?;
        let changes = self.changes_at(false)?;
        let x = state[..self.core.n].iter().copied();
        let u = self.start.u.iter().copied();
        let order = self.core.tableau.order as f64;
        let mut length = span / 64.0;
        if let Some(scale) = time_scale(x, u, changes.a.iter().copied()) {
            length = scale * tolerance.powf(1.0 / (order + 1.0));
            self.expect(scale)?;
        }
        length = length.min(span / 2.0);
        for _ in 0..TRIALS {
            self.start(&time, &parts, &sides.list)?;
            let h = options.sign() * length;
            let outcome = self.step(h).and_then(|()| {
                let (start, first) = (self.start.clone(), self.stages.clone());
                self.continue_from_end();
                self.step(h)?;
                self.compare(&start, &first, tolerance)
            });
            let error = outcome.unwrap_or(f64::INFINITY);
            if let Some(check) = &mut self.check {
                check.error = error;
            }
            let factor = self.factor().clamp(0.1, 4.0);
            if (0.8..1.25).contains(&factor) || (factor > 1.0 && length >= span / 2.0) {
                break;
            }
            length = (length * factor).min(span / 2.0);
        }
        Ok(length)
    }

    /// Counts on x and z to become as large as they do in some time at the rates of the start.
    fn expect(&mut self, time: f64) -> Result<(), Stop> {
        let Some(check) = &mut self.check else {
            return Ok(());
        };
        let x = self.start.x.iter().map(|c| c.high);
        let field = &mut self.core.field;
        field.place(self.start.time.high, x, &self.start.u);
        let mut phi = vec![0.0; self.core.n];
        field.values(&mut self.core.z, &mut phi)?;
        for (sizes, rates) in check.sizes.iter_mut().zip([&self.start.u, &phi]) {
            for (size, rate) in sizes.iter_mut().zip(rates) {
                *size = (time * rate).abs();
            }
        }
        Ok(())
    }

    /// The end becomes the start.
    fn continue_from_end(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        std::mem::swap(&mut self.before, &mut self.stages);
        self.continued = true;
        self.changes.swap(0, 1);
        self.changes[1] = None;
        self.dense = None;
    }

    /// Accelerations and their rates at an end of the step.
    fn changes_at(&mut self, end: bool) -> Result<Changes, Stop> {
        let place = if end { &self.end } else { &self.start };
        let (n, unknowns) = (self.core.n, self.rates.unknowns);
        let x = place.x.iter().map(|c| c.high);
        self.core.field.place(place.time.high, x, &place.u);
        let (tape, rates) = (self.tape, self.rates);
        let jacobian = self
            .jacobian
            .get_or_insert_with(|| Jacobian::on_sides(tape, rates));
        let mut found = vec![0.0; unknowns * (2 * n + 2)];
        jacobian.compute(self.core.field.inputs(), &mut found);
        self.core.field.evaluations += 1;
        let (values, rows) = found.split_at(unknowns);
        let a = values[..n].to_vec();
        let motion = place.u.iter().chain(&a);
        let rate = |row: &[f64]| {
            let terms = row[1..].iter().zip(motion.clone());
            row[0] + terms.map(|(s, v)| s * v).sum::<f64>()
        };
        let j: Vec<f64> = rows.chunks(2 * n + 1).take(n).map(rate).collect();
        if j.iter().fold(0.0, |s: f64, x| s + x.abs()).is_finite() {
            Ok(Changes { a, j })
        } else {
            Err(Stop::NotFinite)
        }
    }
}

impl Steps for Gauss<'_> {
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        sides: &[bool],
    ) -> Result<(), Stop> {
        self.start = self.core.start(time, state, sides)?;
        self.continued = false;
        self.changes = [None, None];
        self.dense = None;
        if let Some(check) = &mut self.check {
            check.before = None;
        }
        Ok(())
    }

    fn follow(&mut self, time: &Compensated, _: &[Compensated]) {
        self.continue_from_end();
        self.start.time = *time;
    }

    fn step(&mut self, h: f64) -> Result<(), Stop> {
        self.dense = None;
        self.changes[1] = None;
        self.solve(h)?;
        self.finish()
    }

    fn error(&mut self, tolerance: f64, _: f64) -> Result<f64, Stop> {
        let Some(check) = &mut self.check else {
            return Ok(0.0);
        };
        let error = match check.before.take() {
            Some((start, first)) if first.h == self.stages.h => {
                self.compare(&start, &first, tolerance)?
            }
            _ => {
                check.before = Some((self.start.clone(), self.stages.clone()));
                return Ok(0.0);
            }
        };
        if let Some(check) = &mut self.check {
            check.error = error;
        }
        Ok(error)
    }

    fn first_length(&self, _: f64) -> Option<f64> {
        None
    }

    fn densify(&mut self) -> Result<(), Stop> {
        if self.dense.is_some() {
            return Ok(());
        }
        let mut ends = std::mem::take(&mut self.changes);
        for (known, end) in ends.iter_mut().zip([false, true]) {
            if known.is_none() {
                *known = Some(self.changes_at(end)?);
            }
        }
        if let [Some(first), Some(last)] = &ends {
            let core = &mut self.core;
            core.weigh(self.stages.h, &self.stages.velocities);
            let change: Vec<f64> = (0..core.n).map(|p| core.total(p)).collect();
            let ends = [(&self.start, first), (&self.end, last)].map(|(place, c)| End {
                u: &place.u,
                a: &c.a,
                j: &c.j,
            });
            self.dense = Some(Polynomial::hermite(self.stages.h, &change, ends));
        }
        self.changes = ends;
        Ok(())
    }

    fn between(&self, part: f64, state: &mut [f64]) {
        self.start.between(self.dense.as_ref(), part, state);
    }

    fn cut(&mut self, part: f64) {
        self.start.part(self.dense.as_ref(), part, &mut self.end);
        self.work *= part;
    }

    fn arrive(&self, state: &mut [Compensated]) {
        self.end.write(state);
    }

    fn work(&self) -> f64 {
        self.work
    }

    fn evaluations(&self) -> usize {
        self.core.field.evaluations
    }
}

/// One step of a Gauss method of any length, for measurements.
pub struct GaussStep<'t> {
    gauss: Gauss<'t>,
}

impl<'t> GaussStep<'t> {
    /// Compiled for a motion, with one, two or three stages.
    pub fn new(problem: &Problem<'t>, stages: usize) -> Self {
        Self {
            gauss: Gauss::new(problem, stages, true),
        }
    }

    /// The same on ẋ = u, u̇ = a: of the same order, but symplectic in (x, p) only where ∂²L/∂u² is constant.
    pub fn of_velocities(problem: &Problem<'t>, stages: usize) -> Self {
        Self {
            gauss: Gauss::new(problem, stages, false),
        }
    }

    /// The state a time h after a state (t, x, u), kinks on the sides where they are.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Stop> {
        let sides = sides_at(self.gauss.tape, state);
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        self.gauss
            .start(&Compensated::new(state[0]), &parts, &sides)?;
        self.gauss.step(h)?;
        let end = &self.gauss.end;
        let x = end.x.iter().map(|c| c.high);
        Ok(std::iter::once(state[0] + h)
            .chain(x)
            .chain(end.u.iter().copied())
            .collect())
    }

    /// x and u after a part of the last step.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Stop> {
        self.gauss.densify()?;
        let mut state = vec![0.0; 2 * self.gauss.core.n];
        self.gauss.between(part, &mut state);
        Ok(state)
    }
}
