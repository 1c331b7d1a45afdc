//! Motions one after the other by Taylor series, for systems whose steps are decided by more than their series.

use super::Start;
use super::bundle::Bundle;
use crate::problem::{Error, Options, Problem, Record, Run, Status};
use crate::project::admitted;
use crate::taylor::Prepared;

/// A system, and how its motions are integrated.
pub(super) struct Single {
    problem: Problem,
    tolerance: f64,
    max_steps: usize,
    order: usize,
}

impl Single {
    pub(super) fn new(problem: Problem, tolerance: f64, max_steps: usize) -> Self {
        Self {
            order: Prepared::new(problem.clone(), tolerance).order(),
            problem,
            tolerance,
            max_steps,
        }
    }

    pub(super) fn order(&self) -> usize {
        self.order
    }

    pub(super) fn bundle(&self) -> Box<dyn Bundle + '_> {
        Box::new(Motion {
            code: self,
            prepared: Prepared::new(self.problem.clone(), self.tolerance),
            start: None,
            run: None,
        })
    }
}

/// The motion that is computed.
struct Motion<'e> {
    code: &'e Single,
    prepared: Prepared,
    start: Option<Start>,
    run: Option<Run>,
}

impl Motion<'_> {
    fn integrate(&mut self, to_its_end: bool) -> Option<Run> {
        let start = self.start.take()?;
        let options = Options {
            from: start.from,
            to: if to_its_end { start.to } else { start.from },
            record: Record::Nothing,
            tolerance: self.code.tolerance,
            max_steps: self.code.max_steps,
            ..Options::default()
        };
        let state = [&start.state[..], &start.fixed].concat();
        Some(self.prepared.integrate(&state, &options, |_| true))
    }
}

impl Bundle for Motion<'_> {
    fn begin(&mut self, _: usize, start: &Start) -> Result<(), Error> {
        let (problem, tolerance) = (&self.code.problem, self.code.tolerance);
        let moving = 2 * problem.rates.dimension;
        let mut values = start.state[..moving].to_vec();
        values.extend(&start.fixed);
        let allowed = admitted(problem, tolerance, start.from, &mut values, start.project);
        values.truncate(moving);
        self.start = Some(Start {
            state: values,
            ..start.clone()
        });
        self.run = None;
        allowed
    }

    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>) {
        if numbers[0].is_none() {
            return;
        }
        if let Some(run) = self.integrate(true) {
            ended.push((0, run.status.clone()));
            self.run = Some(run);
        }
    }

    fn close(&mut self, _: usize, status: Status) -> Run {
        let start = self.start.clone();
        let run = self.run.take().or_else(|| self.integrate(false));
        let mut run = run.unwrap_or_else(|| {
            let nothing = vec![0.0; 2 * self.code.problem.rates.dimension];
            self.prepared.not_begun(
                &nothing,
                &Options {
                    to: 0.0,
                    record: Record::Steps,
                    tolerance: 1.0,
                    max_steps: 0,
                    ..Options::default()
                },
            )
        });
        if let Some(start) = start {
            // It was not admitted, and stays where it was.
            run.state = start.state;
        }
        run.status = status;
        run
    }
}
