//! Gauss' methods: symplectic, with constant steps.
//!
//! Applied to Hamilton's equations they are symplectic in (x, p) for every Lagrangian. Applied to ẋ = u,
//! u̇ = a they are so only where ∂²L/∂u² is constant, which is why momenta are what is balanced here. With
//! constraints that does not help: the reactions are those of the accelerations, states are brought back to
//! the constraints, and nothing is symplectic.

mod length;
mod single;

pub use single::GaussStep;

use galilei_tape::{Rates, Tape};

use super::convergence::Goal;
use super::field::Field;
use super::polynomial::{End, Polynomial};
use super::tableau::Tableau;
use super::{Collocation, Place, Stages};
use crate::derived::Jacobian;
use crate::drive::drive;
use crate::problem::{Options, Problem, Run, Stop};
use crate::steps::{Pace, Steps};
use crate::sum::Compensated;
use length::Check;

/// Accelerations and their rates.
#[derive(Clone, Default)]
struct Changes {
    a: Vec<f64>,
    j: Vec<f64>,
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
    let mut gauss = Gauss::new(problem, stages, true);
    let order = gauss.core.tableau.order;
    if let Some(step) = options.step {
        let pace = (order, Pace::Constant(step));
        return drive(problem, state, options, &mut gauss, pace, &mut progress);
    }
    gauss.by_tolerance(problem, state, options, &mut progress)
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
        let before = self.continued.then_some(&self.before);
        self.core.guess(before, &self.start, &mut self.stages);
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
        self.work = core.work(&self.stages);
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
            check.forget();
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
        self.checked(tolerance)
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
