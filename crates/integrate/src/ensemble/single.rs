//! Motions one after the other by Taylor series, for systems whose steps are decided by more than their series.

use super::bundle::{Bundle, Code};
use crate::problem::{Error, Options, Problem, Run, Status};
use crate::taylor::Prepared;

/// A system, and how its motions are integrated.
pub(super) struct Single {
    problem: Problem,
    options: Options,
    order: usize,
}

impl Single {
    pub(super) fn new(problem: Problem, options: Options) -> Self {
        Self {
            order: Prepared::new(problem.clone(), options.tolerance).order(),
            problem,
            options,
        }
    }
}

impl Code for Single {
    fn task(&self) -> (&Problem, &Options) {
        (&self.problem, &self.options)
    }

    fn lanes(&self) -> usize {
        1
    }

    fn order(&self) -> usize {
        self.order
    }

    fn bundle(&self) -> Box<dyn Bundle + '_> {
        Box::new(Motion {
            options: self.options.clone(),
            prepared: Prepared::new(self.problem.clone(), self.options.tolerance),
            moving: 2 * self.problem.rates.dimension,
            state: vec![],
            run: None,
        })
    }
}

/// The motion that is computed.
struct Motion {
    /// The options with the times of the motion.
    options: Options,
    prepared: Prepared,
    /// The number of positions and velocities.
    moving: usize,
    /// The start: x, u and the fixed inputs.
    state: Vec<f64>,
    run: Option<Run>,
}

impl Bundle for Motion {
    fn begin(&mut self, _: usize, (from, to): (f64, f64), state: &[f64]) -> Result<(), Error> {
        (self.options.from, self.options.to) = (from, to);
        self.state = state.to_vec();
        self.run = None;
        Ok(())
    }

    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>) {
        if numbers[0].is_none() || self.run.is_some() {
            return;
        }
        let run = (self.prepared).integrate(&self.state, &self.options, |_| true);
        ended.push((0, run.status.clone()));
        self.run = Some(run);
    }

    fn close(&mut self, _: usize, status: Status) -> Run {
        let run = self.run.take().unwrap_or_else(|| {
            // It was not admitted, and stays where it was.
            let still = Options {
                to: self.options.from,
                ..self.options.clone()
            };
            let run = (self.prepared).integrate(&self.state, &still, |_| true);
            Run {
                state: self.state[..self.moving].to_vec(),
                ..run
            }
        });
        Run { status, ..run }
    }
}
