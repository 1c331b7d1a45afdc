//! Steps by Taylor series.

use galilei_tape::{Op, Surfaces};

use super::kinks::ReachedKink;
use super::{POWER, part_of_radius};
use crate::drive::{Probe, defect, defect_limits};
use crate::expansion::{Expansion, root};
use crate::leap::{Leap, Settling, Start};
use crate::problem::{Error, Options, Problem};
use crate::sensitivity::{Lost, Propagation};
use crate::steps::{SingleSteps, Steps};
use crate::sum::{Compensated, smaller, with_known_size};
use crate::work::{SHORTEST_PART, TwoPoint, finest};

/// Σ cₖhᵏ⁺¹/(k+1)
fn integral(c: &[f64], h: f64) -> f64 {
    let n = c.len();
    let mut v = 0.0;
    for k in (0..n).rev() {
        v = v * h + c[k] / (k + 1) as f64;
    }
    v * h
}

/// The state at one end of a step.
struct End {
    time: Compensated,
    state: Vec<Compensated>,
    /// t, x, u and the fixed inputs.
    inputs: Vec<f64>,
}

impl End {
    fn new(n: usize) -> Self {
        Self {
            time: Compensated::default(),
            state: vec![Compensated::default(); 2 * n],
            inputs: vec![],
        }
    }
}

/// Steps by the series at their start. The series at the end of a step are computed to check it, and are those of the
/// next start.
pub(super) struct TaylorSteps<'a> {
    problem: &'a Problem,
    tolerance: f64,
    to: f64,
    series: &'a mut Expansion,
    /// Where the series of events, kinks and surfaces start among the wanted ones.
    watched: usize,
    /// The components of (t, x, u) on which the equations depend.
    inputs: &'a [bool],
    start: End,
    end: End,
    branches: Vec<f64>,
    h: f64,
    /// Increments of x and u over a step, and the accelerations at its end by the series at its start, times the step.
    change: Vec<f64>,
    /// Whether the series are those of the end of the step; those of the start are the other ones then.
    at_end: bool,
    /// Whether the series at the start are known.
    known: bool,
    defect_limits: [f64; 2],
    defect: f64,
    /// The step as a part of the radius of convergence.
    part: f64,
    /// The radius of convergence at the last step, and the length that it allows.
    radius: f64,
    length: f64,
    /// Whether anything does work, and whether that is found by quadrature of the power within steps.
    working: bool,
    probed: bool,
    rule: Option<&'a TwoPoint>,
    /// The work of the step by the power at its start, and by how much that differs by the rule with one place less.
    work: f64,
    difference: f64,
    /// Whether the power at the end of the last step is still to be added, and the longest step as far as the work is
    /// concerned.
    open: bool,
    longest: f64,
    evaluations: usize,
    settling: Option<Settling>,
    propagation: Option<Propagation>,
    kink: Option<ReachedKink>,
    /// Accelerations at the end of a step, where series there are not computed.
    probe: Option<Probe>,
}

impl<'a> TaylorSteps<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        (series, watched, inputs): (&'a mut Expansion, usize, &'a [bool]),
        rule: Option<&'a TwoPoint>,
        surfaces: &Surfaces,
        options: &Options,
        propagation: Option<Propagation>,
    ) -> Self {
        let n = problem.rates.dimension;
        let tolerance = options.tolerance;
        let plain = propagation.is_none() && !options.dense_output && problem.is_plain(surfaces);
        Self {
            problem,
            tolerance,
            to: options.to,
            part: part_of_radius(tolerance, series.order()),
            series,
            watched,
            inputs,
            start: End::new(n),
            end: End::new(n),
            branches: vec![],
            h: 0.0,
            change: vec![0.0; 3 * n],
            at_end: false,
            known: false,
            defect_limits: defect_limits(tolerance),
            defect: 0.0,
            radius: 0.0,
            length: 0.0,
            working: problem.tape.ops()[problem.power as usize] != Op::Const(0.0),
            probed: !surfaces.is_empty(),
            rule,
            work: 0.0,
            difference: 0.0,
            open: false,
            longest: f64::INFINITY,
            evaluations: 0,
            settling: plain.then(|| Settling::new(tolerance)),
            propagation,
            kink: None,
            probe: None,
        }
    }

    /// Makes it ready for another run to a time, with the same tolerance.
    pub(super) fn renew(&mut self, to: f64) {
        self.to = to;
        (self.at_end, self.known, self.open) = (false, false, false);
        (self.h, self.defect, self.radius, self.length) = (0.0, 0.0, 0.0, 0.0);
        (self.work, self.difference, self.longest) = (0.0, 0.0, f64::INFINITY);
        self.evaluations = 0;
        self.kink = None;
        let tolerance = self.tolerance;
        self.settling = self.settling.as_ref().map(|_| Settling::new(tolerance));
    }

    /// The sensitivities that were followed.
    pub(super) fn into_sensitivities(self) -> Option<Propagation> {
        self.propagation
    }

    /// Computes the series at one end of the step.
    #[inline]
    fn compute(&mut self, end: bool) -> Result<(), Error> {
        self.evaluations += 1;
        if let Some(propagation) = &self.propagation {
            propagation.seed(self.series);
        }
        let state = if end { &self.end } else { &self.start };
        self.series.compute(&state.inputs, &self.branches)
    }

    /// Brings the series at the start of the step back.
    #[inline]
    fn return_to_start(&mut self) {
        if std::mem::take(&mut self.at_end) {
            self.series.exchange();
        }
    }

    /// Whether the series at the end of a step can be computed before it is accepted: sensitivities there are not known
    /// yet.
    fn looks_beforehand(&self) -> bool {
        self.propagation
            .as_ref()
            .is_none_or(|t| t.directions() == 0)
    }

    /// The length that the series of the state, of the work and of sensitivities allow.
    #[inline]
    fn natural_length(&mut self, energy: f64) -> f64 {
        let p = self.series.order();
        let mut radius = self.series.radius(self.radius);
        if radius.is_finite() {
            self.radius = radius;
        }
        // The work is integrated along: its series must converge as well as the state's.
        let forces = self.working && self.rule.is_none() && !self.probed;
        if forces || !self.problem.reaction_rates.is_empty() {
            let state = radius;
            for k in [p - 2, p - 1] {
                let applied = if forces {
                    self.series.wanted(POWER)[k]
                } else {
                    0.0
                };
                let power = applied + self.power_of_reactions(k);
                let own = root(energy * (k + 1) as f64 / power.abs(), k + 1);
                if own.is_finite() && own > 0.0 {
                    radius = radius.min(own.max(state * SHORTEST_PART));
                }
            }
        }
        let size = smaller(radius, self.series.radius_of_sensitivities()) * self.part;
        let propagation = self.propagation.as_ref();
        smaller(
            size,
            propagation.map_or(f64::INFINITY, Propagation::longest),
        )
    }

    /// The work of a step by the series at its start.
    #[inline]
    fn measure_work(&mut self, h: f64) {
        self.work = 0.0;
        if self.working {
            let power = self.series.wanted(POWER);
            self.work = match self.rule {
                Some(rule) => {
                    self.difference = rule.difference(power, h);
                    rule.part(power, h)
                }
                None => integral(power, h),
            };
        }
        self.work += self.work_of_reactions(h);
    }

    /// The work of the reactions on a step.
    #[inline]
    fn work_of_reactions(&self, h: f64) -> f64 {
        if self.problem.reaction_rates.is_empty() {
            return 0.0;
        }
        let places = self.series.multiplier(0).len();
        let power: Vec<f64> = (0..places).map(|k| self.power_of_reactions(k)).collect();
        integral(&power, h)
    }

    /// A coefficient of the power of the reactions.
    fn power_of_reactions(&self, k: usize) -> f64 {
        let of = |a: usize| -> f64 {
            let (lambda, rate) = (self.series.multiplier(a), self.series.wanted(1 + a));
            (0..=k).map(|j| lambda[j] * rate[k - j]).sum()
        };
        (0..self.problem.reaction_rates.len()).map(of).sum()
    }

    /// The defect at the end of the step, where there are these accelerations.
    #[inline]
    fn defect_at_end(&self, accelerations: &[f64]) -> f64 {
        let n = accelerations.len();
        let velocities = &self.end.state[n..2 * n];
        let foreseen = &self.change[2 * n..3 * n];
        with_known_size!(n, |n: usize| {
            let (u, a, foreseen) = (&velocities[..n], &accelerations[..n], &foreseen[..n]);
            defect(self.defect_limits, n, |i| {
                (u[i].high, foreseen[i], self.h * a[i])
            })
        })
    }
}

impl Steps for TaylorSteps<'_> {
    const FORESEES: bool = true;

    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error> {
        self.at_end = false;
        self.start.time = *time;
        let moving = self.start.state.len();
        self.start.state.copy_from_slice(&state[..moving]);
        self.start.inputs.clear();
        self.start.inputs.push(time.high);
        self.start.inputs.extend(state.iter().map(|c| c.high));
        self.end.inputs.clone_from(&self.start.inputs);
        self.branches.clear();
        self.branches.extend(branches);
        let computed = self.compute(false);
        self.known = computed.is_ok();
        computed
    }

    #[inline]
    fn follow(&mut self, time: &Compensated, _: &[Compensated]) -> Result<(), Error> {
        std::mem::swap(&mut self.start, &mut self.end);
        self.start.time = *time;
        self.start.inputs[0] = time.high;
        self.open = self.rule.is_some();
        if self.looks_beforehand() && self.known {
            if !std::mem::take(&mut self.at_end) {
                self.series.exchange();
            }
            return Ok(());
        }
        let computed = self.compute(false);
        self.known = computed.is_ok();
        computed
    }

    fn reject(&mut self) {
        self.return_to_start();
        self.known = true;
    }

    fn after(&mut self, time: f64, _: f64, state: &mut [f64]) {
        self.return_to_start();
        self.series.increments(time, &mut self.change);
        let pairs = self.start.state.iter().zip(&self.change);
        for (to, (c, d)) in state.iter_mut().zip(pairs) {
            *to = c.plus(*d);
        }
    }

    #[inline]
    fn arrive(&self, state: &mut [Compensated]) {
        // A loop: to copy so little by a call takes longer.
        for (to, c) in state.iter_mut().zip(&self.end.state) {
            *to = *c;
        }
    }

    #[inline]
    fn work(&self) -> f64 {
        self.work
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }

    #[inline]
    fn look(&self, seen: &mut [f64]) -> bool {
        if self.known {
            let (values, watched) = seen.split_at_mut(self.series.values().len());
            values.copy_from_slice(self.series.values());
            for (w, to) in watched.iter_mut().enumerate() {
                *to = self.coefficients(w)[0];
            }
        }
        self.known
    }

    fn solved_velocities(&self) -> Option<&[f64]> {
        self.series.solved_velocities()
    }

    #[inline]
    fn values(&self) -> Option<&[f64]> {
        self.known.then(|| self.series.values())
    }

    #[inline]
    fn closing_work(&mut self, energy: f64, scales: usize) -> Option<f64> {
        let rule = self.rule.filter(|_| std::mem::take(&mut self.open))?;
        let power = self.series.wanted(POWER);
        let scales = &self.series.values()[1..=scales];
        let energy = scales.iter().fold(energy, |m, e| m.max(e.abs()));
        let difference = self.difference - rule.difference(power, -self.h);
        let one = finest(self.tolerance) * energy;
        self.longest = rule.next(self.longest, self.h.abs(), difference, one);
        Some(-rule.part(power, -self.h))
    }

    #[inline]
    fn length(&mut self, steps: usize, energy: f64) -> f64 {
        let size = self.natural_length(energy);
        self.length = match self.rule {
            None => size,
            Some(rule) => {
                if steps == 0 {
                    self.longest = rule.first(self.series.wanted(POWER), energy, self.part);
                }
                size.min(self.longest.max(SHORTEST_PART * size))
            }
        };
        self.length
    }

    fn coefficients(&self, watched: usize) -> &[f64] {
        self.series.wanted(self.watched + watched)
    }

    fn values_at_end(&mut self, first: usize, count: usize) -> Vec<f64> {
        if !(self.looks_beforehand() && self.known) || count == 0 {
            return vec![];
        }
        if !std::mem::replace(&mut self.at_end, true) {
            self.series.exchange();
        }
        let watched = first..first + count;
        let values = watched.map(|w| self.coefficients(w)[0]).collect();
        self.return_to_start();
        values
    }

    fn foresee(&mut self, time: f64, state: &mut [f64], accelerations: &mut [f64]) {
        self.after(time, self.h, state);
        let n = accelerations.len();
        accelerations.copy_from_slice(&self.change[2 * n..]);
    }

    fn replace_work(&mut self, work: f64) {
        self.return_to_start();
        self.work = work + self.work_of_reactions(self.h);
    }

    #[inline]
    fn leap(&mut self, steps: usize, left: f64, energy: f64) -> Result<Option<Leap>, Error> {
        let Some(settling) = &mut self.settling else {
            return Ok(None);
        };
        let (u, a) = (self.series.velocities(), self.series.accelerations());
        if !settling.sees(steps, self.length, left, u, a) {
            return Ok(None);
        }
        let n = self.problem.rates.dimension;
        let rates = |series: &Expansion, rates: &mut [f64]| {
            rates[0] = 1.0;
            rates[1..=n].copy_from_slice(series.velocities());
            rates[1 + n..].copy_from_slice(series.accelerations());
            series.wanted(POWER)[0]
        };
        let mut at_start = vec![0.0; 2 * n + 1];
        let start = Start {
            power: rates(self.series, &mut at_start),
            rates: at_start,
            state: &self.start.inputs,
            inputs: self.inputs,
            length: left,
            step: self.length,
            tolerance: self.tolerance,
            fastest: settling.fastest,
            energy,
        };
        let mut evaluations = 0;
        let leap = Leap::plan(&start, |state, result| {
            evaluations += 1;
            self.series.compute(state, &[]).ok()?;
            Some(rates(self.series, result))
        });
        self.evaluations += evaluations;
        if leap.is_none() {
            settling.failed(steps);
            if evaluations > 0 {
                self.compute(false)?;
            }
        }
        Ok(leap)
    }

    #[inline]
    fn has_sensitivities(&self) -> bool {
        self.propagation.is_some()
    }

    #[inline]
    fn prepare_sensitivities(&mut self, left: f64, energy: f64) {
        if self.propagation.is_none() {
            return;
        }
        let radius = self.radius;
        let size = self.natural_length(energy).min(left.abs());
        self.radius = radius;
        if let Some(propagation) = &mut self.propagation {
            let (length, steps) = (size.copysign(left), left.abs() / size);
            propagation.prepare(self.series, self.start.time.high, length, steps);
        }
    }

    #[inline]
    fn ends_at_rows(&self) -> bool {
        self.propagation.as_ref().is_some_and(Propagation::keeps)
    }

    #[inline]
    fn record_sensitivities(&mut self, time: f64) {
        if self.propagation.is_some() {
            self.return_to_start();
        }
        if let Some(propagation) = &mut self.propagation {
            propagation.record(self.series, self.start.time.high, time);
        }
    }

    #[inline]
    fn step_sensitivities(&mut self, h: f64) -> Result<(), Error> {
        if self.propagation.is_some() {
            self.return_to_start();
        }
        let Some(propagation) = &mut self.propagation else {
            return Ok(());
        };
        propagation.step(self.series, self.start.time.high, h);
        propagation.lost().map_or(Ok(()), |lost| Err(lost.stop))
    }

    fn reach_kink(&mut self, kink: usize) {
        let Some(propagation) = &self.propagation else {
            return;
        };
        let (inputs, branches) = (&self.start.inputs, &self.branches);
        let differences = propagation.kink(kink, self.series, inputs, branches);
        let coefficients = self.coefficients(self.problem.events.len() + kink);
        self.kink = Some(ReachedKink::new(
            differences,
            coefficients,
            self.radius,
            self.tolerance,
            self.series,
        ));
    }

    fn cross_kink(&mut self) -> Result<(), Error> {
        if let (Some(kink), Some(propagation)) = (self.kink.take(), &mut self.propagation) {
            kink.cross(self.series.accelerations(), propagation)?;
        }
        match self.looks_beforehand() {
            true => Ok(()),
            // The series start in other directions now.
            false => self.compute(false),
        }
    }

    fn finish_sensitivities(&mut self) -> Option<&Lost> {
        self.propagation.as_mut()?.settle()
    }
}

impl SingleSteps for TaylorSteps<'_> {
    #[inline]
    fn step(&mut self, h: f64) -> Result<(), Error> {
        self.advance(h);
        if self.looks_beforehand() {
            self.series.exchange();
            self.at_end = true;
            let computed = self.compute(true);
            self.known = computed.is_ok();
            computed?;
            self.defect = self.defect_at_end(self.series.accelerations());
        } else {
            let problem = self.problem;
            let probe = self.probe.get_or_insert_with(|| Probe::new(problem));
            let found = probe.at(&self.end.inputs, &self.branches);
            let found = found[..problem.rates.dimension].to_vec();
            self.defect = self.defect_at_end(&found);
        }
        Ok(())
    }

    #[inline]
    fn error(&mut self, _: f64, _: f64) -> Result<f64, Error> {
        Ok(self.defect)
    }
}

/// Steps of several runs whose series are computed together; they have no sensitivities.
impl TaylorSteps<'_> {
    /// Goes to the end of a step, where the series are computed together with those of other runs.
    pub(super) fn prepare(&mut self, h: f64) {
        self.advance(h);
        self.series.exchange();
        self.at_end = true;
        self.evaluations += 1;
        self.series.load(&self.end.inputs, &self.branches);
    }

    /// The numbers at that end that the code of the series reads, and those that it writes.
    pub(super) fn numbers(&mut self) -> (&[f64], &mut [f64]) {
        self.series.numbers()
    }

    /// Computes the series of these numbers.
    pub(super) fn compute_loaded(&mut self) {
        self.series.compute_loaded();
    }

    /// The defect of the step, by the series at its end.
    pub(super) fn judge(&mut self) -> Result<f64, Error> {
        let computed = self.series.judge(&self.end.inputs, &self.branches);
        self.known = computed.is_ok();
        computed?;
        self.defect = self.defect_at_end(self.series.accelerations());
        Ok(self.defect)
    }

    /// Goes to the end of a step.
    #[inline(always)]
    fn advance(&mut self, h: f64) {
        self.h = h;
        self.measure_work(h);
        self.series.increments(h, &mut self.change);
        let mut time = self.start.time;
        if h == time.from(self.to) {
            time = Compensated::new(self.to);
        } else {
            time.add(h);
        }
        self.end.time = time;
        self.end.inputs[0] = time.high;
        let (start, end) = (&self.start.state, &mut self.end);
        with_known_size!(start.len() / 2, |n: usize| {
            let (start, change) = (&start[..2 * n], &self.change[..2 * n]);
            let (state, inputs) = (&mut end.state[..2 * n], &mut end.inputs[1..][..2 * n]);
            for i in 0..2 * n {
                state[i] = start[i];
                state[i].add(change[i]);
                inputs[i] = state[i].high;
            }
        });
    }
}
