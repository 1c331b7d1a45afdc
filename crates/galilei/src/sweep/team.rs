//! The threads that compute a sweep.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use galilei_integrate::{
    Ensemble, Error as RunError, Options, PreparedModes, Record, Run, Start, Status,
};

use super::growth::Parts;
use super::{BLOCK, Block, Sweep};

/// The largest number of finished blocks that wait to be taken, per thread.
const MAX_WAITING_PER_THREAD: usize = 4;

/// The number of runs after which a model is read again, so that the numbers of its starts do not fill the memory.
const RUNS_OF_A_READING: usize = 4096;

/// The number of runs that are looked at for others with the same parameters.
const RUNS_AHEAD: usize = 256;

/// The state shared by the threads.
struct Shared<'a, F> {
    sweep: &'a Sweep,
    there: &'a F,
    /// The next block that no thread has begun.
    next: AtomicU64,
    stopped: AtomicBool,
}

/// A block that is being computed.
struct Open {
    rows: Vec<Vec<f64>>,
    events: Vec<Vec<Vec<f64>>>,
    stops: Vec<Option<RunError>>,
    missing: usize,
}

impl Open {
    fn new(count: usize) -> Self {
        Self {
            rows: vec![vec![]; count],
            events: vec![vec![]; count],
            stops: vec![None; count],
            missing: count,
        }
    }

    /// The finished block.
    fn closed(self, number: u64, first: u64) -> Block {
        let stops = (first..).zip(self.stops);
        Block {
            number,
            rows: self.rows,
            events: self.events.into_iter().flatten().collect(),
            failures: stops.filter_map(|(run, stop)| Some((run, stop?))).collect(),
        }
    }
}

/// Computes the missing blocks of a sweep.
pub(super) fn compute<F: Fn(u64) -> bool + Sync>(
    sweep: &Sweep,
    ensemble: Option<&Ensemble>,
    there: &F,
    mut take: impl FnMut(Block) -> bool,
) {
    let shared = Shared {
        sweep,
        there,
        next: AtomicU64::new(sweep.blocks().start),
        stopped: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(MAX_WAITING_PER_THREAD * sweep.threads);
        for _ in 0..sweep.threads {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || shared.work(ensemble, &sender));
        }
        drop(sender);
        for block in receiver {
            if !take(block) {
                shared.stopped.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
}

/// Starts with given parameters; those with others wait.
struct Alike<'s, I> {
    fixed: Vec<f64>,
    starts: &'s mut I,
    others: &'s mut VecDeque<Start>,
}

impl<I: Iterator<Item = Start>> Iterator for Alike<'_, I> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        if let Some(k) = self.others.iter().position(|s| s.fixed == self.fixed) {
            return self.others.remove(k);
        }
        while self.others.len() < RUNS_AHEAD {
            let start = self.starts.next()?;
            if start.fixed == self.fixed {
                return Some(start);
            }
            self.others.push_back(start);
        }
        None
    }
}

impl<F: Fn(u64) -> bool + Sync> Shared<'_, F> {
    fn work(&self, ensemble: Option<&Ensemble>, sender: &SyncSender<Block>) {
        let sweep = self.sweep;
        let open: std::cell::RefCell<HashMap<u64, Open>> = std::cell::RefCell::default();
        let mut current = 0..0;
        let starts = std::iter::from_fn(|| {
            while current.is_empty() {
                let block = self.claim()?;
                current = sweep.numbers(block);
                let count = (current.end - current.start) as usize;
                open.borrow_mut().insert(block, Open::new(count));
            }
            let number = current.next()?;
            Some(sweep.start(number))
        });
        let done = |number: u64, mut run: Run, exponents: Vec<f64>| {
            if !sweep.accept_balance {
                run.distrust(sweep.method, sweep.options.tolerance);
            }
            let block = number / BLOCK;
            let mut open = open.borrow_mut();
            let Some(entry) = open.get_mut(&block) else {
                return;
            };
            let first = sweep.numbers(block).start;
            let at = (number - first) as usize;
            entry.rows[at] = sweep.row(number, &sweep.points.at(number), &run);
            entry.rows[at].extend(exponents);
            let crossings = run.crossings.iter();
            entry.events[at] = crossings
                .map(|c| {
                    let mut row = vec![number as f64, c.event as f64, c.time];
                    row.extend(&c.state);
                    row
                })
                .collect();
            if let Status::Failed(stop) = run.status {
                entry.stops[at] = Some(stop);
            }
            entry.missing -= 1;
            if entry.missing == 0
                && let Some(whole) = open.remove(&block)
                && sender.send(whole.closed(block, first)).is_err()
            {
                self.stopped.store(true, Ordering::Relaxed);
            }
        };
        let go_on = || !self.stopped.load(Ordering::Relaxed);
        let growth = sweep.growth.as_ref();
        match (ensemble, growth.filter(|g| g.in_lanes)) {
            (Some(ensemble), Some(growth)) => {
                let parts = Parts::new(growth, sweep.coordinates);
                let mut starts = starts;
                let mut next = || starts.next().map(|s| parts.begin(s));
                let queue = std::iter::from_fn(|| parts.next().or_else(&mut next));
                let ended = |number, run| {
                    if let Some((run, exponents)) = parts.end(number, run) {
                        done(number, run, exponents);
                    }
                };
                ensemble.worker().run(queue, ended, go_on);
            }
            (Some(ensemble), None) if growth.is_none() => {
                (ensemble.worker()).run(starts, |number, run| done(number, run, vec![]), go_on);
            }
            // Those with the same parameters after one another: they have the same equations.
            _ => {
                let mut starts = starts.take_while(|_| go_on());
                let mut others = VecDeque::new();
                let mut modes = PreparedModes::default();
                while let Some(first) = others.pop_front().or_else(|| starts.next()) {
                    let alike = Alike {
                        fixed: first.fixed.clone(),
                        starts: &mut starts,
                        others: &mut others,
                    };
                    let group = std::iter::once(first).chain(alike);
                    self.follow(group.take(RUNS_OF_A_READING), &mut modes, &done);
                }
            }
        }
    }

    /// Runs with the same parameters: in lanes where they go through charts by Taylor series, else one by one.
    fn follow(
        &self,
        starts: impl Iterator<Item = Start>,
        modes: &mut PreparedModes,
        done: &impl Fn(u64, Run, Vec<f64>),
    ) {
        let (sweep, mut starts) = (self.sweep, starts.peekable());
        let Some(first) = starts.peek() else {
            return;
        };
        let own = sweep.model_for(&first.fixed);
        let compiled = own.as_ref().map_or(&sweep.compiled, |own| &own.1);
        let atlas = compiled.atlas();
        let mut runner = atlas.as_ref().map(|a| a.runner(sweep.method));
        let starts = starts.map(|mut start| {
            if let Some((model, _)) = &own {
                start.fixed.clear();
                if let Some(state) = sweep.start_in(model, start.number) {
                    start.state = state;
                }
            }
            start
        });
        let (method, options) = (sweep.method, &sweep.options);
        match (&mut runner, &own) {
            (Some(runner), Some(_)) if sweep.lanes > 1 => {
                let admitted = starts.filter_map(|mut start| {
                    let outcome = compiled.admitted(&mut start, options.tolerance);
                    let refused = |stop| {
                        done(
                            start.number,
                            compiled.refused(&start, options, stop),
                            vec![],
                        )
                    };
                    outcome.map_err(refused).ok().map(|()| start)
                });
                let go_on = || !self.stopped.load(Ordering::Relaxed);
                let options = &Options {
                    record: Record::Nothing,
                    ..options.clone()
                };
                let done = |number, run| done(number, run, vec![]);
                runner.run_in_lanes(sweep.lanes, admitted, options, &done, go_on);
            }
            _ => starts.for_each(|start| {
                let code = (&mut runner, &mut *modes);
                let run = compiled.alone(&start, method, options, code);
                let exponents = sweep.growth.as_ref().map_or_else(Vec::new, |g| {
                    g.alone(own.as_ref().map(|o| &o.0), &start, options.tolerance)
                });
                done(start.number, run, exponents);
            }),
        }
    }

    /// The next block that is to be computed.
    fn claim(&self) -> Option<u64> {
        loop {
            let block = self.next.fetch_add(1, Ordering::Relaxed);
            if block >= self.sweep.blocks().end || self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if !(self.there)(block) {
                return Some(block);
            }
        }
    }
}

impl Sweep {
    /// The runs of a block.
    fn numbers(&self, block: u64) -> std::ops::Range<u64> {
        let first = (block * BLOCK).max(self.range.start);
        first..((block + 1) * BLOCK).min(self.range.end)
    }

    fn start(&self, number: u64) -> Start {
        self.starts
            .at(number, &self.points, &self.points.at(number))
    }
}
