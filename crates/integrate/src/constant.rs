//! Runs by implicit steps of one constant length: Gauss' methods and the variational integrators.
//!
//! These methods are symplectic only as long as all steps have the same length. So the length is either given, or chosen
//! once for the whole run ([`length`]).

use std::sync::Arc;

mod length;

use galilei_tape::{Rates, Tape};

use crate::derived::Jacobian;
use crate::drive::drive;
use crate::implicit::{End, Field, Place, Polynomial, Stages};
use crate::problem::{Error, Options, Problem, Run};
use crate::steps::{Pace, SingleSteps, Steps};
use crate::sum::Compensated;
use length::Check;

/// An implicit method: the equations of one step, and the end of the step from their solution.
pub(crate) trait Scheme {
    /// The order of a step.
    fn order(&self) -> usize;

    /// Room for the stages of a step.
    fn stages(&self) -> Stages;

    /// The field that is collocated, as a function of states.
    fn field(&mut self) -> &mut Field;

    /// The number of evaluations of the field so far.
    fn evaluations(&self) -> usize;

    /// Solves for the stages of a step from a place, to rounding. Newton's method begins with the stages of an earlier
    /// step, if there is one: `before` has them, and the part of that step after which this one starts.
    fn solve(
        &mut self,
        start: &Place,
        before: Option<(&Stages, f64)>,
        stages: &mut Stages,
    ) -> Result<(), Error>;

    /// The points within a step at which the power is known, as parts of the step.
    fn nodes(&self) -> Vec<f64>;

    /// The end of a step from its stages, and the work done on it.
    fn finish(&mut self, start: &Place, stages: &Stages, end: &mut Place) -> Result<f64, Error>;

    /// Whether steps end on the constraints, so that states must not be brought back to them.
    fn keeps_constraints(&self) -> bool;

    /// Whether z are the momenta, and to be reported.
    fn has_momenta(&self) -> bool;
}

/// The accelerations at a state and their time derivatives (jerks), for the polynomial over a step.
#[derive(Clone, Default)]
struct Changes {
    a: Vec<f64>,
    j: Vec<f64>,
}

/// A method with steps of constant length, as the run loop sees it: the last step, and the polynomial over it.
pub(crate) struct Constant<S> {
    scheme: S,
    /// The equations, from which the derivatives of accelerations are compiled.
    tape: Arc<Tape>,
    rates: Arc<Rates>,
    start: Place,
    end: Place,
    stages: Stages,
    /// The stages of the step before, which count if `continued` says that this step begins at its end.
    before: Stages,
    continued: bool,
    /// Whether a run has begun, so that there is a start, and the branches of kinks that it is on.
    begun: bool,
    branches: Vec<f64>,
    /// The work done on the last step.
    work: f64,
    /// The comparison with longer steps, where the length is chosen by a tolerance.
    check: Option<Check>,
    /// The derivatives of accelerations, compiled when the first polynomial is asked for.
    jacobian: Option<Jacobian>,
    /// Accelerations at the start and at the end, where they are known.
    changes: [Option<Changes>; 2],
    dense: Option<Polynomial>,
}

/// Integrates by steps of a scheme. They are as long as the options say, or all of one length for which the error of
/// every second step, estimated by a step of twice the length, is within the tolerance: where it is not, the run
/// begins anew with shorter steps, which is counted as rejected.
pub(crate) fn integrate(
    problem: &Problem,
    scheme: impl Scheme,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut steps = Constant::new(problem, scheme);
    let order = steps.scheme.order();
    if let Some(step) = options.step {
        let pace = (order, Pace::Constant(step));
        return drive(problem, state, options, &mut steps, pace, &mut progress);
    }
    steps.by_tolerance(problem, state, options, &mut progress)
}

impl<S: Scheme> Constant<S> {
    pub(crate) fn new(problem: &Problem, scheme: S) -> Self {
        let n = problem.rates.dimension;
        let stages = scheme.stages();
        Self {
            scheme,
            tape: Arc::clone(&problem.tape),
            rates: Arc::clone(&problem.rates),
            start: Place::new(n),
            end: Place::new(n),
            before: stages.clone(),
            stages,
            continued: false,
            begun: false,
            branches: vec![],
            work: 0.0,
            check: None,
            jacobian: None,
            changes: [None, None],
            dense: None,
        }
    }

    /// The momenta at both ends of the last step.
    pub(crate) fn end_momenta(&self) -> [Vec<f64>; 2] {
        [&self.start, &self.end].map(|place| place.z.iter().map(|c| c.high).collect())
    }

    /// Makes the end of the last step the start of the next one.
    fn continue_from_end(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        std::mem::swap(&mut self.before, &mut self.stages);
        self.continued = true;
        self.changes.swap(0, 1);
        self.changes[1] = None;
        self.dense = None;
    }

    /// Accelerations and their rates at an end of the step.
    fn changes_at(&mut self, end: bool) -> Result<Changes, Error> {
        let place = if end { &self.end } else { &self.start };
        let (n, unknowns) = (self.rates.dimension, self.rates.unknowns);
        let x = place.x.iter().map(|c| c.high);
        let field = self.scheme.field();
        field.place(place.time.high, x, &place.u);
        let (tape, rates) = (&self.tape, &self.rates);
        let jacobian = self
            .jacobian
            .get_or_insert_with(|| Jacobian::on_branches(tape, rates));
        let mut found = vec![0.0; unknowns * (2 * n + 2)];
        jacobian.compute(field.inputs(), &mut found);
        field.evaluations += 1;
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
            Err(Error::NotFinite)
        }
    }
}

impl<S: Scheme> Steps for Constant<S> {
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error> {
        // A projection onto the constraints moves the end of a step by no more than its error: the next step is compared
        // together with the one before it. Without that no step of a run that is always projected would be.
        let projected =
            self.begun && self.start.time.high == time.high && self.branches == branches;
        self.start = self.scheme.field().start(time, state, branches)?;
        (self.begun, self.continued) = (true, false);
        self.changes = [None, None];
        self.dense = None;
        if !projected {
            self.branches = branches.to_vec();
            if let Some(check) = &mut self.check {
                check.forget();
            }
        }
        Ok(())
    }

    fn follow(&mut self, time: &Compensated, _: &[Compensated]) -> Result<(), Error> {
        self.continue_from_end();
        self.start.time = *time;
        Ok(())
    }

    fn densify(&mut self) -> Result<(), Error> {
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
            let pairs = self.start.x.iter().zip(&self.end.x);
            let change: Vec<f64> = pairs.map(|(a, b)| b.minus(a)).collect();
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

    fn between(&mut self, part: f64, state: &mut [f64]) {
        self.start.between(self.dense.as_ref(), part, state);
    }

    fn cut(&mut self, part: f64) {
        self.start.part(self.dense.as_ref(), part, &mut self.end);
        self.end.time = self.start.time;
        self.end.time.add(part * self.stages.h);
        if self.scheme.field().measure(&mut self.end).is_err() {
            self.end.z.fill(Compensated::new(f64::NAN));
        }
        // The work of the powers is integrated up to the cut; that of reactions counts in proportion to the time.
        let nodes = self.scheme.nodes();
        let [whole, work] = [1.0, part].map(|part| self.stages.work(&nodes, part));
        self.work = (self.work - whole) * part + work;
    }

    fn arrive(&self, state: &mut [Compensated]) {
        self.end.write(state);
    }

    fn work(&self) -> f64 {
        self.work
    }

    fn evaluations(&self) -> usize {
        self.scheme.evaluations()
    }

    fn keeps_constraints(&self) -> bool {
        self.scheme.keeps_constraints()
    }

    fn momenta(&self) -> Vec<f64> {
        match self.begun && self.scheme.has_momenta() {
            true => self.start.z.iter().map(|c| c.high).collect(),
            false => vec![],
        }
    }
}

impl<S: Scheme> SingleSteps for Constant<S> {
    fn step(&mut self, h: f64) -> Result<(), Error> {
        self.dense = None;
        self.changes[1] = None;
        self.stages.h = h;
        let before = self.continued.then_some((&self.before, 1.0));
        self.scheme.solve(&self.start, before, &mut self.stages)?;
        self.end.time = self.start.time;
        self.end.time.add(h);
        self.work = self
            .scheme
            .finish(&self.start, &self.stages, &mut self.end)?;
        Ok(())
    }

    fn error(&mut self, tolerance: f64, _: f64) -> Result<f64, Error> {
        self.checked(tolerance)
    }
}
