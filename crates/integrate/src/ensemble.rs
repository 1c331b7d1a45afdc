//! Many motions of one system: several in lanes in one thread, each with steps of its own.
//!
//! The numbers of all lanes stand in rows; what all lanes need is computed by code for all of them, what
//! only some need (events, kinks, constraints) lane by lane. What a motion becomes does not depend on
//! how many lanes there are, nor on which motions share them: the same code computes the same bits in
//! every lane.

mod bundle;
mod runge_kutta;
mod single;
mod taylor;

use crate::branch_points::Branch;
use crate::problem::{Method, Problem, Run, Status};
use bundle::Bundle;
use runge_kutta::RungeKutta;
use single::Single;
use taylor::Taylor;

/// The start of one motion.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its number.
    pub number: u64,
    /// From when to when it goes.
    pub from: f64,
    /// The end.
    pub to: f64,
    /// x, then u.
    pub state: Vec<f64>,
    /// The inputs of the tape that do not change along a motion.
    pub fixed: Vec<f64>,
    /// Whether it begins at the nearest state on the constraints.
    pub project: bool,
}

/// A system with code for many of its motions, for one method and tolerance.
pub struct Ensemble(Code);

enum Code {
    Taylor(Box<Taylor>),
    Single(Box<Single>),
    RungeKutta(Box<RungeKutta>),
}

impl Ensemble {
    /// Taylor series, compiled for a tolerance and a number of lanes: 1, 4 or 8; what the processor does not have is
    /// interpreted.
    /// Systems with flat functions, with edges, or with constraints that may become dependent, go one by one in a
    /// single lane.
    pub fn new(problem: Problem, tolerance: f64, max_steps: usize, lanes: usize) -> Self {
        let watched = problem
            .events
            .iter()
            .any(|e| e.branch == Some(Branch::Rank));
        if watched || !problem.surfaces().is_empty() {
            let code = Single::new(problem, tolerance, max_steps);
            return Self(Code::Single(Box::new(code)));
        }
        let code = Taylor::new(problem, tolerance, max_steps, lanes);
        Self(Code::Taylor(Box::new(code)))
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
                let code = RungeKutta::new(problem, tolerance, max_steps, lanes);
                Some(Self(Code::RungeKutta(Box::new(code))))
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
        match &self.0 {
            Code::Taylor(code) => code.lanes(),
            Code::Single(_) => 1,
            Code::RungeKutta(code) => code.lanes(),
        }
    }

    /// The order of the series, or of the method.
    pub fn order(&self) -> usize {
        match &self.0 {
            Code::Taylor(code) => code.order(),
            Code::Single(code) => code.order(),
            Code::RungeKutta(code) => code.order(),
        }
    }

    /// A worker, which computes motions in one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            bundle: match &self.0 {
                Code::Taylor(code) => code.bundle(),
                Code::Single(code) => code.bundle(),
                Code::RungeKutta(code) => code.bundle(),
            },
            numbers: vec![None; self.lanes()],
        }
    }
}

/// The motions that one thread computes.
pub struct Worker<'e> {
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
            match self.bundle.begin(l, &start) {
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
