//! Motions in lanes by Dormand and Prince's method: stages and errors of all lanes together, and in each lane a run
//! like that of a single motion.

use galilei_jit::Kernel;
use galilei_tape::code::WINDOW;

use super::bundle::{Bundle, Code};
use crate::accelerations::Accelerations;
use crate::dop853::{PACE, Stages, field};
use crate::drive::{Driver, Next, View, attainable};
use crate::problem::{Error, Options, Problem, Run, Status};

/// The code, and what is the same for all motions.
pub(super) struct RungeKutta {
    problem: Problem,
    options: Options,
    field: Accelerations,
    view: View,
    /// The quantities that are watched along a run, of all lanes.
    sight: Kernel,
}

impl RungeKutta {
    pub(super) fn new(problem: Problem, options: Options, lanes: usize) -> Self {
        let lanes = if matches!(lanes, 4 | 8) { lanes } else { 1 };
        let view = View::new(&problem).compiled();
        Self {
            field: field(&problem, lanes),
            sight: Kernel::new(view.code().optimised(true, WINDOW), lanes),
            view,
            options,
            problem,
        }
    }
}

impl Code for RungeKutta {
    fn task(&self) -> (&Problem, &Options) {
        (&self.problem, &self.options)
    }

    fn lanes(&self) -> usize {
        self.field.lanes()
    }

    fn order(&self) -> usize {
        PACE.0
    }

    fn bundle(&self) -> Box<dyn Bundle + '_> {
        match self.lanes() {
            4 => Box::new(Motions::<4>::new(self)),
            8 => Box::new(Motions::<8>::new(self)),
            _ => Box::new(Motions::<1>::new(self)),
        }
    }
}

/// The motions of all lanes.
struct Motions<'e, const L: usize> {
    code: &'e RungeKutta,
    stages: Stages<L>,
    sight: Kernel,
    runs: Vec<Driver<'e>>,
    /// Motions that wait for a step.
    waiting: [bool; L],
}

impl<'e, const L: usize> Motions<'e, L> {
    fn new(code: &'e RungeKutta) -> Self {
        let run = |_| Driver::new(&code.problem, code.view.clone(), &code.options, PACE);
        Self {
            code,
            stages: Stages::new(code.field.clone()),
            sight: code.sight.clone(),
            runs: (0..L).map(run).collect(),
            waiting: [false; L],
        }
    }

    /// Computes the watched quantities at the states of all runs.
    fn look(&mut self) {
        let seen = self.sight.evaluate(self.stages.at_start());
        for (l, run) in self.runs.iter_mut().enumerate() {
            run.show(seen.iter().skip(l).step_by(L).copied());
        }
    }

    /// Asks a run for its next step; how it ended if there is none.
    fn ask(&mut self, l: usize) -> Option<Status> {
        let mut lane = self.stages.lane(l);
        match self.runs[l].next(&mut lane, &mut |_| true) {
            Ok(Next::Step(h)) => {
                lane.set_length(h);
                self.waiting[l] = true;
                None
            }
            Ok(Next::Wait) => None,
            Ok(Next::End(status)) => Some(status),
            Err(stop) => Some(Status::Failed(stop)),
        }
    }

    /// Takes the steps that are waited for: their errors, or why there are none.
    fn step(&mut self) -> [Result<f64, Error>; L] {
        self.stages.step(&self.waiting);
        let energies = std::array::from_fn(|l| self.runs[l].energy());
        let tolerance = attainable(self.code.options.tolerance);
        let errors = self.stages.errors(tolerance, &energies, &[]);
        let outcomes = std::array::from_fn(|l| self.stages.outcome(l).map(|()| errors[l]));
        let wanted =
            std::array::from_fn(|l| self.waiting[l] && self.runs[l].wants_polynomial(&outcomes[l]));
        if wanted.contains(&true) {
            self.stages.densify(&wanted);
        }
        outcomes
    }
}

impl<const L: usize> Bundle for Motions<'_, L> {
    fn begin(&mut self, l: usize, span: (f64, f64), state: &[f64]) -> Result<(), Error> {
        let mut lane = self.stages.lane(l);
        lane.forget();
        self.waiting[l] = false;
        self.runs[l].begin(span, state, &mut lane)
    }

    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>) {
        // Those that have just begun.
        for l in (0..L).filter(|l| numbers[*l].is_some()) {
            if !self.waiting[l] {
                ended.extend(self.ask(l).map(|status| (l, status)));
            }
        }
        let outcomes = self.step();
        let mut going = std::mem::replace(&mut self.waiting, [false; L]);
        for (l, outcome) in outcomes.into_iter().enumerate() {
            if going[l]
                && let Err(stop) = self.runs[l].took(outcome, &mut self.stages.lane(l))
            {
                going[l] = false;
                ended.push((l, Status::Failed(stop)));
            }
        }
        self.look();
        for l in (0..L).filter(|l| going[*l]) {
            ended.extend(self.ask(l).map(|status| (l, status)));
        }
    }

    fn close(&mut self, l: usize, status: Status) -> Run {
        self.waiting[l] = false;
        self.runs[l].close(status, &mut self.stages.lane(l))
    }
}
