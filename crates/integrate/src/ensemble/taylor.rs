//! Motions in lanes by Taylor series: series and steps of all lanes together, and in each lane the driver of a run.
//!
//! As long as nothing happens in any lane, the code of all lanes takes one step after the other by itself. Where
//! something has to be looked at, the drivers go on from there.

mod board;
mod control;
mod lane;
mod layout;

use galilei_jit::Kernel;
use galilei_tape::code::Code;
use galilei_tape::{Op, Surfaces, Wanted};

use super::bundle::{Bundle, Code as MotionCode};
use crate::Ledger;
use crate::drive::{Driver, Next, View};
use crate::expansion::{operations, order_for};
use crate::problem::{Error, Options, Problem, Run, Status, wanted};
use crate::steps::Pace;
use crate::taylor::part_of_radius;
use crate::work::TwoPoint;
use board::Board;
use control::Terms;
use lane::Motion;
use layout::{END, LIMIT, LONGEST, Layout, SIGN, STEP};

/// The cost of a step without its series, in operations: measured on a driven double pendulum, where it is about a
/// quarter of all.
const STEP_COST: f64 = 650.0;

/// The code, and what is the same for all motions.
pub(super) struct Taylor {
    problem: Problem,
    options: Options,
    view: View,
    wanted: Wanted,
    /// Where the series of events and kinks start among the wanted ones.
    events: usize,
    lanes: usize,
    layout: Layout,
    terms: Terms,
    kernels: Kernels,
    /// 1/k
    inverse: Vec<f64>,
}

/// The window of the scheduler: several lanes have enough independent work, and instructions that are close share
/// their loads.
const SCHEDULER_WINDOW: usize = 32;

/// The code of a step.
#[derive(Clone)]
struct Kernels {
    series: Kernel,
    control: Kernel,
    advance: Kernel,
}

impl Taylor {
    pub(super) fn new(problem: Problem, options: Options, lanes: usize) -> Self {
        let tolerance = options.tolerance;
        let (mut wanted, [events, _]) = wanted(&problem, tolerance, &Surfaces::default());
        let (tape, rates) = (&problem.tape, &problem.rates);
        let order = order_for(operations(tape, rates, &wanted), STEP_COST, tolerance);
        let part = part_of_radius(tolerance, order);
        let work = wanted.places.map(|_| TwoPoint::new(order, part));
        wanted.places = work.as_ref().map(TwoPoint::places);
        let shape = tape.series(rates, &wanted, order);
        let layout = Layout::new(&shape, tape.inputs(), tape.branch_len());
        let terms = Terms {
            scales: problem.scale.len(),
            residuals: problem.residuals.len(),
            working: tape.ops()[problem.power as usize] != Op::Const(0.0),
            work,
            tolerance,
            reactions: problem.reaction_rates.len(),
            shrink: part,
            most: options.max_steps as f64,
            free: problem.levels.is_empty() && problem.events.is_empty() && tape.kinks().is_empty(),
        };
        let kernel =
            |code: &Code| Kernel::new(code.optimised(rates.separate, SCHEDULER_WINDOW), lanes);
        Self {
            kernels: Kernels {
                series: kernel(&shape.code),
                control: kernel(&control::control(&layout, &terms)),
                advance: kernel(&control::advance(&layout, &terms)),
            },
            inverse: (0..order + 2)
                .map(|k| if k == 0 { 0.0 } else { 1.0 / k as f64 })
                .collect(),
            options,
            view: match terms.free {
                true => View::new(&problem),
                false => View::new(&problem).compiled(),
            },
            problem,
            wanted,
            events,
            lanes,
            layout,
            terms,
        }
    }
}

impl MotionCode for Taylor {
    fn task(&self) -> (&Problem, &Options) {
        (&self.problem, &self.options)
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn order(&self) -> usize {
        self.layout.order
    }

    fn bundle(&self) -> Box<dyn Bundle + '_> {
        let pace = (self.order(), Pace::Foreseen);
        let run = |_| Driver::new(&self.problem, self.view.clone(), &self.options, pace);
        Box::new(Motions {
            board: Board::new(self),
            runs: (0..self.lanes).map(run).collect(),
            calm: false,
        })
    }
}

/// The motions of all lanes, each with the driver of a run.
struct Motions<'e> {
    board: Board<'e>,
    runs: Vec<Driver<'e>>,
    /// Whether the last step was taken in all lanes without their drivers.
    calm: bool,
}

impl Motions<'_> {
    /// Judges the last step of a lane and asks its run for the next one; how it ended if there is none.
    fn decide(&mut self, l: usize, calm: bool) -> Option<Status> {
        let run = &mut self.runs[l];
        self.board.examine(l);
        let mut lane = self.board.lane(l);
        if calm {
            let (h, steps) = lane.last_step();
            let moving = 2 * lane.board.code.layout.n;
            let state = (0..moving).map(|i| lane.component(i, true));
            run.resume(h, lane.time_before(), state, steps);
        }
        let pending = std::mem::take(&mut lane.board.motions[l].pending);
        let judged = match (calm || pending, lane.outcome()) {
            (true, outcome) => run.took(outcome, &mut lane),
            (false, outcome) => outcome.map(|_| ()),
        };
        lane.show_balance(run.balance());
        match judged.and_then(|()| run.next(&mut lane, &mut |_| true)) {
            Ok(Next::Step(h)) => {
                lane.board.motions[l].pending = true;
                lane.board.set(STEP, l, h);
                None
            }
            other => {
                lane.board.motions[l].repeated += 1;
                match other {
                    Ok(Next::End(status)) => Some(status),
                    Err(stop) => Some(Status::Failed(stop)),
                    Ok(_) => None,
                }
            }
        }
    }
}

impl Bundle for Motions<'_> {
    fn begin(&mut self, l: usize, (from, to): (f64, f64), state: &[f64]) -> Result<(), Error> {
        let e = self.board.code;
        for row in 0..e.layout.inputs {
            self.board.set(row, l, 0.0);
        }
        let sign = if to >= from { 1.0 } else { -1.0 };
        let infinite = [LONGEST, LIMIT].map(|row| (row, f64::INFINITY));
        for (row, value) in infinite.into_iter().chain([(END, to), (SIGN, sign)]) {
            self.board.set(row, l, value);
        }
        self.board.motions[l] = Motion::default();
        self.runs[l].begin((from, to), state, &mut self.board.lane(l))
    }

    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>) {
        self.board.expand();
        let calm = self.calm;
        self.calm = self.board.step_calmly(calm);
        if self.calm {
            return;
        }
        for (l, number) in numbers.iter().enumerate() {
            self.board.set(STEP, l, 0.0);
            if number.is_some() {
                ended.extend(self.decide(l, calm).map(|status| (l, status)));
            }
        }
        self.board.step_some();
    }

    fn close(&mut self, l: usize, status: Status) -> Run {
        let run = self.runs[l].close(status, &mut self.board.lane(l));
        Run {
            // Steps that all lanes take together are not written down.
            ledger: Ledger::default(),
            ..run
        }
    }
}
