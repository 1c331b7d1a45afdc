//! Records of a run: rows with outputs, events, the energy balance.

use galilei_linear::Factors;
use galilei_tape::code::Code;
use galilei_tape::{Jets, Reg};

use crate::contact::ContactRecord;
use crate::handover::Handover;
use crate::ledger::{Entry, Ledger};
use crate::problem::{Crossing, Error, Options, Output, Problem, Record, Run, Status};
use crate::sum::{Compensated, larger};
use crate::trail::Trail;

/// The outputs that are recorded with the state.
pub(crate) struct Outputs<'a> {
    problem: &'a Problem,
    /// The code of outputs that need no multipliers.
    code: Code,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let registers: Vec<Reg> = problem
            .outputs
            .iter()
            .filter_map(|o| match *o {
                Output::Register(r) => Some(r),
                Output::OfMultipliers(_) => None,
            })
            .collect();
        Self {
            problem,
            code: problem.tape.code(&registers),
        }
    }

    /// The outputs that need multipliers, at a state (t, x, u); NaN where they are not determined.
    fn late(&self, state: &[f64], branches: &[f64]) -> Vec<f64> {
        let Some(late) = &self.problem.multiplier_outputs else {
            return vec![];
        };
        let (tape, rates) = (&self.problem.tape, &self.problem.rates);
        let (n, size) = (rates.dimension, rates.unknowns);
        let mut jets = Jets::new(tape, rates, &[], 1);
        let mut mass = Factors::new(n);
        let known = jets.compute(tape, rates, state, branches).is_ok();
        let entry = |i: usize, j: usize| jets.series(rates.matrix[i * size + j])[0];
        if !known || mass.factor(entry).is_err() {
            return vec![f64::NAN; late.tape.outputs().len()];
        }
        let solution: Vec<f64> = (0..size).map(|i| jets.unknown(i)[0]).collect();
        // Inputs that do not change along a motion come last.
        let (state, fixed) = state.split_at(2 * n + 1);
        let mut inputs = state.to_vec();
        inputs.extend(&solution[n..]);
        for group in &late.reactions {
            let force = |i: usize| {
                group
                    .iter()
                    .map(|&a| -solution[n + a] * entry(i, n + a))
                    .sum::<f64>()
            };
            let covector: Vec<f64> = (0..n).map(force).collect();
            let mut vector = covector.clone();
            mass.solve(&mut vector);
            let square: f64 = covector.iter().zip(&vector).map(|(a, b)| a * b).sum();
            inputs.push(square.max(0.0).sqrt());
        }
        inputs.extend(fixed);
        late.tape.run(&inputs, &[])
    }

    /// The outputs at a state (t, x, u).
    pub(crate) fn at(&self, state: &[f64], branches: &[f64]) -> Vec<f64> {
        if self.problem.outputs.is_empty() {
            return vec![];
        }
        let late = self.late(state, branches);
        let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let mut early = self.code.run(&inputs, &mut vec![]).into_iter();
        let outputs = self.problem.outputs.iter();
        outputs
            .map(|o| match *o {
                Output::Register(_) => early.next().unwrap_or([f64::NAN])[0],
                Output::OfMultipliers(k) => late[k],
            })
            .collect()
    }
}

/// Rows of a run.
pub(crate) struct Recorder<'a> {
    problem: &'a Problem,
    options: Options,
    outputs: Outputs<'a>,
    /// The number of the next row.
    next: u64,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(problem: &'a Problem, options: &Options) -> Self {
        Self {
            problem,
            options: options.clone(),
            outputs: Outputs::new(problem),
            next: 0,
        }
    }

    /// The number of rows at constant distances until now.
    pub(crate) fn written(&self) -> u64 {
        self.next
    }

    /// Makes it ready for another run.
    pub(crate) fn restart(&mut self, options: &Options) {
        self.options.clone_from(options);
        self.next = options.handover.as_ref().map_or(0, |h| h.rows);
    }

    /// Whether nothing is recorded.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.options.record == Record::Nothing
    }

    /// Whether the end of the run is to be recorded, at a time: always, unless the last row is it.
    pub(crate) fn at_end(&mut self, time: &Compensated) -> bool {
        if let Record::At(_) = self.options.record {
            return self.due(time, 0.0).is_some();
        }
        let Some(every) = self.options.record.distance() else {
            return self.options.record != Record::Nothing;
        };
        if self.due(time, 0.0).is_some() {
            return true;
        }
        let o = &self.options;
        let last = o.origin() + o.sign() * every * self.next.saturating_sub(1) as f64;
        time.from(last).abs() > 1e-9 * every.min((o.to - o.from).abs())
    }

    /// The outputs at a state (t, x, u).
    pub(crate) fn outputs(&self, state: &[f64], branches: &[f64]) -> Vec<f64> {
        self.outputs.at(state, branches)
    }

    /// A row: t, x, u, outputs.
    pub(crate) fn row(
        &self,
        time: f64,
        state: impl Iterator<Item = f64>,
        branches: &[f64],
    ) -> Vec<f64> {
        let n = self.problem.rates.dimension;
        let mut row = Vec::with_capacity(1 + 2 * n + self.problem.outputs.len());
        row.push(time);
        row.extend(state);
        let outputs = self.outputs(&row, branches);
        row.extend(outputs);
        row
    }

    /// The time to the next requested row that is not at hand.
    pub(crate) fn ahead(&self, time: &Compensated) -> Option<f64> {
        let o = &self.options;
        if let Record::At(times) = &o.record {
            let rest = times.get(self.next as usize..)?.iter();
            let mut rest = rest.map(|t| time.from(*t));
            return rest.find(|ahead| ahead * o.sign() > 1e-12 * time.high.abs());
        }
        let every = o.record.distance()?;
        let row = |k: u64| time.from(o.origin() + o.sign() * every * k as f64);
        let next = row(self.next);
        let at_hand = next.abs() <= 1e-12 * every;
        Some(if at_hand { row(self.next + 1) } else { next })
    }

    /// The time to the next requested row and its requested time, if it lies within a step; it counts as written
    /// then.
    #[inline]
    pub(crate) fn due(&mut self, time: &Compensated, h: f64) -> Option<(f64, f64)> {
        let o = &self.options;
        if let Record::At(times) = &o.record {
            let t = *times.get(self.next as usize)?;
            let ahead = time.from(t);
            let reach = h.abs() * (1.0 + 1e-12) + 1e-14 * time.high.abs();
            if ahead * o.sign() > reach {
                return None;
            }
            self.next += 1;
            return Some((ahead, t));
        }
        let every = o.record.distance()?;
        let sign = o.sign();
        let t = o.origin() + sign * every * self.next as f64;
        let beyond = (t - o.to) * sign > 1e-9 * every;
        let ahead = time.from(t);
        if beyond || ahead * sign > h.abs() * (1.0 + 1e-12) + 1e-12 * every {
            return None;
        }
        self.next += 1;
        Some((ahead, t))
    }
}

/// Events that were seen.
#[derive(Clone)]
pub(crate) struct Watch<'a> {
    problem: &'a Problem,
    from: f64,
    /// Whether the run goes forward in time.
    forward: bool,
    /// When each was seen last.
    last: Vec<f64>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(problem: &'a Problem, options: &Options) -> Self {
        let mut watch = Self::over(problem, options.origin(), options.to);
        if let Some(h) = &options.handover {
            let pairs = watch.last.iter_mut().zip(&h.events);
            pairs.for_each(|(last, seen)| *last = *seen);
        }
        watch
    }

    /// The times at which each was seen last.
    pub(crate) fn last(&self) -> &[f64] {
        &self.last
    }

    /// The watch over the events of a run from one time to another.
    pub(crate) fn over(problem: &'a Problem, from: f64, to: f64) -> Self {
        Self {
            problem,
            from,
            forward: to >= from,
            last: vec![f64::NAN; problem.events.len()],
        }
    }

    /// Whether a crossing a time tau ahead, in a step of length h, is one to report. The direction is
    /// that along the step: 1 rising, −1 falling, 0 touching.
    pub(crate) fn admits(
        &self,
        k: usize,
        time: &Compensated,
        tau: f64,
        direction: i8,
        h: f64,
    ) -> bool {
        let direction = if self.forward { direction } else { -direction };
        let wanted = self.problem.events[k].direction;
        if wanted != 0 && wanted != direction {
            return false;
        }
        let t = time.plus(tau);
        let near = 1e-9 * h.abs() + 8.0 * f64::EPSILON * t.abs();
        let start = 8.0 * f64::EPSILON * t.abs().max(h.abs());
        let again = (t - self.last[k]).abs() <= near;
        !again && (t - self.from).abs() > start
    }

    /// Events that jump over zero at a kink, by their values on both sides of it: how far ahead (nothing), and which.
    pub(crate) fn jumps(
        &self,
        before: &[f64],
        after: &[f64],
        time: &Compensated,
        h: f64,
    ) -> Vec<(f64, usize)> {
        let pairs = before.iter().zip(after).enumerate();
        let over = pairs.filter(|(k, (b, a))| {
            let direction = if a > b { 1 } else { -1 };
            b.signum() * **a < 0.0 && self.admits(*k, time, 0.0, direction, h)
        });
        over.map(|(k, _)| (0.0, k)).collect()
    }

    /// Reports crossings (how far ahead, which) in order of time, up to the first that ends the run.
    pub(crate) fn report(
        &mut self,
        mut found: Vec<(f64, usize)>,
        time: &Compensated,
        crossings: &mut Vec<Crossing>,
        mut state: impl FnMut(f64) -> Vec<f64>,
    ) -> Option<(f64, usize)> {
        found.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        for (tau, k) in found {
            let t = time.plus(tau);
            self.last[k] = t;
            crossings.push(Crossing {
                event: k,
                time: t,
                state: state(tau),
            });
            if self.problem.events[k].terminal {
                return Some((tau, k));
            }
        }
        None
    }
}

/// Events that become too small for a number along a run, so that their zeros are not seen any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Underflows {
    /// Whether each has had a value.
    present: Vec<bool>,
    lost: Vec<usize>,
}

impl Underflows {
    pub(crate) fn new(events: usize) -> Self {
        Self {
            present: vec![false; events],
            lost: vec![],
        }
    }

    /// Notes the values of an event along a step, or the coefficients of its series.
    pub(crate) fn note(&mut self, k: usize, values: impl Iterator<Item = f64> + Clone) {
        let mut pairs = values.clone().zip(values.clone().skip(1));
        let gone = |v: f64| v == 0.0 || v.is_subnormal();
        if self.present[k] && !self.lost.contains(&k) && pairs.all(|(a, b)| gone(a) && gone(b)) {
            self.lost.push(k);
        }
        self.present[k] |= values.into_iter().any(f64::is_normal);
    }

    /// The events that became too small to be seen.
    pub(crate) fn close(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.lost)
    }
}

/// The energy balance: H(t) − H(0) is the work done.
pub(crate) struct Balance {
    pub(crate) start: f64,
    pub(crate) work: Compensated,
    /// The largest energy, defect and residual of a constraint seen.
    pub(crate) largest: f64,
    pub(crate) defect: f64,
    pub(crate) residual: f64,
    /// The defect with its sign, where it was seen last.
    pub(crate) last: f64,
    ledger: Ledger,
}

impl Balance {
    pub(crate) fn new(start: f64) -> Self {
        Self {
            start,
            work: Compensated::default(),
            largest: 0.0,
            defect: 0.0,
            residual: 0.0,
            last: 0.0,
            ledger: Ledger::default(),
        }
    }

    /// Goes on with the defect and the largest energy of a run that ended here.
    pub(crate) fn continued(&mut self, handover: Option<&Handover>) {
        if let Some(h) = handover {
            self.start -= h.defect;
            self.largest = h.largest;
        }
    }

    /// The largest energy seen: what is measured by the present one would have no measure where it vanishes.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The energy alone; its defect.
    #[inline]
    pub(crate) fn energy(&mut self, e: f64) -> f64 {
        self.last = e - self.start - self.work.high;
        let defect = self.last.abs();
        self.defect = larger(defect, self.defect);
        defect
    }

    /// The energy, energies that give the scale, and residuals of constraints.
    #[inline]
    pub(crate) fn see(&mut self, time: f64, values: &[f64], scales: usize) {
        let (scale, residuals) = values[1..].split_at(scales);
        self.largest = scale.iter().fold(self.largest, |m, s| larger(s.abs(), m));
        let defect = self.energy(values[0]);
        let residual = residuals.iter().fold(0.0, |m, r| larger(r.abs(), m));
        self.residual = larger(residual, self.residual);
        self.ledger.write(Entry {
            time,
            defect,
            residual,
        });
    }

    /// Writes it down.
    pub(crate) fn close(self, run: &mut Run) {
        let scale = if self.largest > 0.0 {
            self.largest
        } else {
            1.0
        };
        run.handover.defect = self.last;
        run.handover.largest = self.largest;
        run.energy_balance = self.defect / scale;
        // What was reached with energies that are no numbers is none.
        if run.status == Status::Finished && !run.energy_balance.is_finite() {
            run.status = Status::Failed(Error::NotFinite);
        }
        run.constraint_residual = run.constraint_residual.map(|_| self.residual);
        run.ledger = self.ledger.relative_to(scale);
    }
}

/// A run with nothing in it yet.
pub(crate) fn started(problem: &Problem, state: &[f64], options: &Options, order: usize) -> Run {
    Run {
        status: Status::Finished,
        time: options.from,
        state: state.to_vec(),
        momenta: vec![],
        outputs: vec![],
        rows: vec![],
        crossings: vec![],
        underflows: vec![],
        extrapolated: vec![],
        steps: 0,
        settled: None,
        rejected: 0,
        evaluations: 0,
        energy_balance: 0.0,
        accumulated_error: None,
        // Constraints on accelerations are solved at every state, and admit all of them.
        constraint_residual: (problem.rates.unknowns > problem.rates.dimension
            || !problem.residuals.is_empty())
        .then_some(0.0),
        ledger: Ledger::default(),
        projections: 0,
        order,
        trail: Trail::default(),
        handover: Handover::default(),
        row_charts: vec![],
        pieces: vec![],
        chart_state: vec![],
        contacts: ContactRecord::default(),
    }
}
