//! Many motions of one system: several in lanes in one thread, each with steps of its own.
//!
//! The numbers of all lanes are stored in rows. Quantities that all lanes need are computed by code for all of them, those
//! that only some need (events, kinks, constraints) lane by lane. The result of a motion does not depend on
//! how many lanes there are, nor on which motions share them: the same code computes the same bits in
//! every lane.

mod bundle;
mod runge_kutta;
mod single;
mod taylor;

use crate::branch_points::Branch;
use crate::problem::{Method, Options, Problem, Record, Run, Status};
use crate::project::admitted;
use bundle::{Bundle, Code};
use runge_kutta::RungeKutta;
use single::Single;
use taylor::Taylor;

/// The start of one motion.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its number.
    pub number: u64,
    /// The time at the start.
    pub from: f64,
    /// The time at the end.
    pub to: f64,
    /// x, then u.
    pub state: Vec<f64>,
    /// The inputs of the tape that do not change along a motion.
    pub fixed: Vec<f64>,
    /// Whether it begins at the nearest state on the constraints.
    pub project: bool,
}

/// A system with code for many of its motions, for one method and tolerance.
pub struct Ensemble(Box<dyn Code>);

impl Ensemble {
    /// Taylor series, compiled for a tolerance and a number of lanes: 1, 4 or 8; what the processor does not have is
    /// interpreted.
    /// Systems with flat functions, with edges, or with constraints that may become dependent, go one by one in a
    /// single lane.
    pub fn new(problem: Problem, tolerance: f64, max_steps: usize, lanes: usize) -> Self {
        let options = ends_alone(tolerance, max_steps);
        let watched = problem
            .events
            .iter()
            .any(|e| e.branch == Some(Branch::Rank));
        Self(match watched || !problem.surfaces().is_empty() {
            true => Box::new(Single::new(problem, options)),
            false => Box::new(Taylor::new(problem, options, lanes)),
        })
    }

    /// An ensemble for another method; `None` for methods that have no code for several motions.
    pub fn by(
        method: Method,
        problem: Problem,
        tolerance: f64,
        max_steps: usize,
        lanes: usize,
    ) -> Option<Self> {
        match method {
            Method::Taylor => Some(Self::new(problem, tolerance, max_steps, lanes)),
            Method::Dop853 => {
                let code = RungeKutta::new(problem, ends_alone(tolerance, max_steps), lanes);
                Some(Self(Box::new(code)))
            }
            _ => None,
        }
    }

    /// The largest number of lanes of the processor.
    pub fn widest() -> usize {
        galilei_jit::Kernel::widest()
    }

    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        self.0.lanes()
    }

    /// The order of the series, or of the method.
    pub fn order(&self) -> usize {
        self.0.order()
    }

    /// A worker, which computes motions in one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            code: &*self.0,
            bundle: self.0.bundle(),
            numbers: vec![None; self.lanes()],
        }
    }
}

/// The options of runs of which only the ends are wanted; each start has its own times.
fn ends_alone(tolerance: f64, max_steps: usize) -> Options {
    Options {
        record: Record::Nothing,
        tolerance,
        max_steps,
        ..Options::default()
    }
}

/// The motions that one thread computes.
pub struct Worker<'e> {
    code: &'e dyn Code,
    bundle: Box<dyn Bundle + 'e>,
    /// The number of the motion in each lane that has one.
    numbers: Vec<Option<u64>>,
}

impl Worker<'_> {
    /// Computes motions as long as there are starts; a lane that is done takes the next at once. Each
    /// motion is handed over with its number when it ends, in whatever order that happens. `go_on` is
    /// asked now and then; motions that are under way when it says no are not handed over.
    pub fn run(
        &mut self,
        mut starts: impl Iterator<Item = Start>,
        mut done: impl FnMut(u64, Run),
        mut go_on: impl FnMut() -> bool,
    ) {
        for l in 0..self.numbers.len() {
            self.take(l, &mut starts, &mut done);
        }
        let mut ended = Vec::new();
        let mut rounds = 0_u64;
        while self.numbers.iter().any(Option::is_some) {
            if rounds.is_multiple_of(256) && !go_on() {
                self.numbers.fill(None);
                return;
            }
            rounds += 1;
            self.bundle.advance(&self.numbers, &mut ended);
            for (l, status) in ended.drain(..) {
                let run = self.bundle.close(l, status);
                if let Some(number) = self.numbers[l] {
                    done(number, run);
                }
                self.take(l, &mut starts, &mut done);
            }
        }
    }

    /// Gives a lane the next start that can be begun.
    fn take(
        &mut self,
        l: usize,
        starts: &mut impl Iterator<Item = Start>,
        done: &mut impl FnMut(u64, Run),
    ) {
        self.numbers[l] = None;
        for start in starts {
            let (problem, options) = self.code.task();
            let moving = 2 * problem.rates.dimension;
            let mut state = [&start.state[..moving], &start.fixed].concat();
            let (tolerance, from) = (options.tolerance, start.from);
            let allowed = admitted(problem, tolerance, from, &mut state, start.project);
            let begun = self.bundle.begin(l, (from, start.to), &state);
            match allowed.and(begun) {
                Ok(()) => {
                    self.numbers[l] = Some(start.number);
                    return;
                }
                Err(stop) => {
                    let run = self.bundle.close(l, Status::Failed(stop));
                    done(start.number, run);
                }
            }
        }
    }
}
