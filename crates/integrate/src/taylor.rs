//! The Taylor integrator.

use galilei_tape::code::Code;
use galilei_tape::{Factors, Jets, Op, Reg, Wanted};

use crate::expansion::{Expansion, classical, root};
use crate::problem::{Crossing, Options, Output, Problem, Run, Status, Stop};
use crate::roots::roots_in;

/// A sum with its rounding error kept.
#[derive(Clone, Copy, Debug, Default)]
struct Compensated {
    high: f64,
    low: f64,
}

impl Compensated {
    fn new(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    fn add(&mut self, x: f64) {
        let y = x + self.low;
        let s = self.high + y;
        let back = s - self.high;
        self.low = (self.high - (s - back)) + (y - back);
        self.high = s;
    }
}

/// Σ cₖhᵏ⁺¹/(k+1)
fn integral(c: &[f64], h: f64) -> f64 {
    let n = c.len();
    let mut v = 0.0;
    for k in (0..n).rev() {
        v = v * h + c[k] / (k + 1) as f64;
    }
    v * h
}

struct Stepper<'a, 't> {
    problem: &'a Problem<'t>,
    options: &'a Options,
    n: usize,
    series: Expansion<'t>,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    /// What outputs that need no multipliers are computed with.
    outputs: Code,
    time: Compensated,
    state: Vec<Compensated>,
    sides: Vec<bool>,
    /// Kinks that lie at the start of the step.
    fresh: Vec<bool>,
    plain: Vec<f64>,
    /// Increments of x and u.
    change: Vec<f64>,
    /// The step as a part of the radius of convergence.
    shrink: f64,
    /// The radius of convergence at the last step.
    scale: f64,
    /// Whether anything does work.
    working: bool,
}

/// The place of the work's rate among the wanted series.
const POWER: usize = 0;

/// Integrates. `progress` is told the time now and then, and says whether to go on.
pub fn integrate(
    problem: &Problem<'_>,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let n = problem.rates.dimension;
    // Series of what is integrated or located; of energies and residuals the values do.
    let mut series: Vec<Reg> = vec![problem.power];
    series.extend(&problem.reaction_rates);
    let events = series.len();
    series.extend(problem.events.iter().map(|e| e.register));
    let kinks = series.len();
    series.extend(problem.tape.kinks().iter().map(|k| k.register));
    let mut values: Vec<Reg> = vec![problem.energy];
    values.extend(problem.scale.iter().chain(&problem.residuals));
    let wanted = Wanted {
        series,
        values,
        multipliers: !problem.reaction_rates.is_empty(),
        packed: true,
        ..Wanted::default()
    };
    let series = Expansion::new(problem.tape, problem.rates, wanted, options.tolerance);
    let order = series.order();
    let shrink = (-2.0 * (classical(options.tolerance) - 1.0) - 0.7) / (order as f64 - 1.0);
    let registers: Vec<Reg> = problem
        .outputs
        .iter()
        .filter_map(|o| match *o {
            Output::Register(r) => Some(r),
            Output::Late(_) => None,
        })
        .collect();
    let mut s = Stepper {
        problem,
        options,
        n,
        series,
        events,
        kinks,
        outputs: problem.tape.code(&registers),
        time: Compensated::new(options.from),
        state: state.iter().map(|x| Compensated::new(*x)).collect(),
        sides: vec![],
        fresh: vec![false; problem.tape.kinks().len()],
        plain: vec![0.0; 2 * n + 1],
        change: vec![0.0; 2 * n],
        shrink: shrink.exp(),
        scale: 0.0,
        working: problem.tape.ops()[problem.power as usize] != Op::Const(0.0),
    };
    let mut run = Run {
        status: Status::Finished,
        time: options.from,
        state: state.to_vec(),
        outputs: vec![],
        rows: vec![],
        crossings: vec![],
        steps: 0,
        rejected: 0,
        evaluations: 0,
        energy_balance: 0.0,
        constraint_residual: (!problem.residuals.is_empty()).then_some(0.0),
        order,
    };
    s.go(&mut run, &mut progress);
    run
}

impl Stepper<'_, '_> {
    fn fill(&mut self) {
        self.plain[0] = self.time.high;
        for (p, c) in self.plain[1..].iter_mut().zip(&self.state) {
            *p = c.high;
        }
    }

    /// The values of some registers at the present state.
    fn registers(&self, list: &[Reg]) -> Vec<f64> {
        let tape = self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(&self.plain, &self.sides, &mut values);
        list.iter().map(|&r| values[r as usize]).collect()
    }

    fn compute(&mut self, run: &mut Run) -> Result<(), Stop> {
        run.evaluations += 1;
        self.series.compute(&self.plain, &self.sides)
    }

    /// Which side of each kink the motion is on, at the start or where several meet.
    fn choose_sides(&mut self, run: &mut Run) -> Result<(), Stop> {
        let kinks = self.problem.tape.kinks();
        if kinks.is_empty() {
            return Ok(());
        }
        self.sides.clear();
        let registers: Vec<Reg> = kinks.iter().map(|k| k.register).collect();
        let values = self.registers(&registers);
        self.sides = values.iter().map(|v| *v >= 0.0).collect();
        for k in 0..kinks.len() {
            self.fresh[k] = values[k] == 0.0;
            if self.fresh[k] {
                self.settle(k, run)?;
            }
        }
        Ok(())
    }

    /// Finds a side of a kink that the motion then stays on.
    fn settle(&mut self, k: usize, run: &mut Run) -> Result<(), Stop> {
        for side in [self.sides[k], !self.sides[k]] {
            self.sides[k] = side;
            self.compute(run)?;
            let c = self.series.wanted(self.kinks + k);
            let first = c[1..].iter().find(|c| **c != 0.0);
            match first {
                None => return Ok(()),
                Some(c) if (*c > 0.0) == side => return Ok(()),
                Some(_) => {}
            }
        }
        Err(Stop::Sticking)
    }

    /// The length of the next step, whatever its direction.
    fn step_size(&mut self) -> f64 {
        let p = self.series.order();
        let mut rho = self.series.radius(self.scale);
        if rho.is_finite() {
            self.scale = rho;
        }
        // The work is integrated along: its series must converge as well as the state's.
        if self.working {
            let power = self.series.wanted(POWER);
            let scale = &self.series.values()[1..=self.problem.scale.len()];
            let energy = scale.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
            let state = rho;
            for k in [p - 1, p] {
                let own = root(energy * (k + 1) as f64 / power[k].abs(), k + 1);
                if own.is_finite() && own > 0.0 {
                    rho = rho.min(own.max(state * 0.25));
                }
            }
        }
        rho * self.shrink
    }

    /// A wanted series over a step, scaled to [0, 1].
    fn scaled(&self, w: usize, h: f64) -> Vec<f64> {
        let mut power = 1.0;
        self.series
            .wanted(w)
            .iter()
            .map(|c| {
                let v = c * power;
                power *= h;
                v
            })
            .collect()
    }

    /// x and u at a time after the start of the step.
    fn state_after(&mut self, tau: f64) -> impl Iterator<Item = f64> {
        self.series.increments(tau, &mut self.change);
        let pairs = self.state.iter().zip(&self.change);
        pairs.map(|(c, d)| c.high + (c.low + d))
    }

    /// The outputs that need multipliers, at a state (t, x, u); NaN where they are not determined.
    fn late(&self, state: &[f64]) -> Vec<f64> {
        let Some(late) = &self.problem.late else {
            return vec![];
        };
        let (tape, rates, n) = (self.problem.tape, self.problem.rates, self.n);
        let size = rates.unknowns;
        let mut jets = Jets::new(tape, rates, &[], 1);
        let mut mass = Factors::new(n);
        let known = jets.compute(tape, rates, state, &self.sides).is_ok();
        let entry = |i: usize, j: usize| jets.series(rates.matrix[i * size + j])[0];
        if !known || mass.factor(entry).is_err() {
            return vec![f64::NAN; late.tape.outputs().len()];
        }
        let solution: Vec<f64> = (0..size).map(|i| jets.unknown(i)[0]).collect();
        let mut inputs = state.to_vec();
        inputs.extend(&solution[n..]);
        for group in &late.reactions {
            let force = |i: usize| {
                group
                    .iter()
                    .map(|&a| solution[n + a] * entry(n + a, i))
                    .sum::<f64>()
            };
            let covector: Vec<f64> = (0..n).map(force).collect();
            let mut vector = covector.clone();
            mass.solve(&mut vector);
            let square: f64 = covector.iter().zip(&vector).map(|(a, b)| a * b).sum();
            inputs.push(square.max(0.0).sqrt());
        }
        late.tape.run(&inputs, &[])
    }

    /// The outputs at a state.
    fn outputs(&self, state: &[f64]) -> Vec<f64> {
        let late = self.late(state);
        let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let mut early = self.outputs.run(&inputs, &mut vec![]).into_iter();
        let outputs = self.problem.outputs.iter();
        outputs
            .map(|o| match *o {
                Output::Register(_) => early.next().unwrap_or([f64::NAN])[0],
                Output::Late(k) => late[k],
            })
            .collect()
    }

    fn record(&mut self, rows: &mut Vec<Vec<f64>>, h: f64) {
        let mut row = Vec::with_capacity(1 + 2 * self.n + self.problem.outputs.len());
        row.push(self.time.high + (self.time.low + h));
        row.extend(self.state_after(h));
        if !self.problem.outputs.is_empty() {
            row.extend(self.outputs(&row));
        }
        rows.push(row);
    }

    fn go(&mut self, run: &mut Run, progress: &mut impl FnMut(f64) -> bool) {
        let o = self.options;
        let forward = o.to >= o.from;
        let sign = if forward { 1.0 } else { -1.0 };
        self.fill();
        let start_energy = self.registers(&[self.problem.energy])[0];
        let mut work = Compensated::new(0.0);
        let (mut largest, mut defect) = (0.0_f64, 0.0_f64);
        let mut next_row = 0u64;
        let mut last_seen: Vec<f64> = vec![f64::NAN; self.problem.events.len()];
        let mut restarts = 0usize;
        let outcome = self.choose_sides(run).and_then(|()| {
            loop {
                self.fill();
                let left = (o.to - self.time.high) - self.time.low;
                self.compute(run)?;
                // The balance at the start of the step.
                let (e, rest) = self.series.values().split_at(1);
                let (scale, residuals) = rest.split_at(self.problem.scale.len());
                for s in scale {
                    largest = largest.max(s.abs());
                }
                defect = defect.max((e[0] - start_energy - work.high).abs());
                for r in residuals {
                    run.constraint_residual = run.constraint_residual.map(|m| m.max(r.abs()));
                }
                if left * sign <= 0.0 {
                    if o.every.is_none() || self.due(next_row, 0.0, sign) {
                        self.record(&mut run.rows, 0.0);
                    }
                    return Ok(Status::Finished);
                }
                if run.steps >= o.max_steps {
                    return Err(Stop::TooManySteps);
                }
                if run.steps.is_multiple_of(64) && !progress(self.time.high) {
                    return Err(Stop::Interrupted);
                }
                let size = self.step_size();
                if size < 1e-14 * self.time.high.abs().max(1e-300) || size == 0.0 {
                    return Err(Stop::StepUnderflow);
                }
                let mut h = sign * size.min(left.abs());
                // The first kink on the way ends the step.
                let mut flipped = None;
                for k in 0..self.sides.len() {
                    let mut q = self.scaled(self.kinks + k, h);
                    if self.fresh[k] {
                        // What lies at the start is divided out.
                        q.remove(0);
                    }
                    if let Some((s, _)) = roots_in(&q).into_iter().find(|r| r.1 != 0) {
                        let earlier = flipped.is_none_or(|(_, t): (usize, f64)| s * h.abs() < t);
                        if earlier && s < 1.0 {
                            flipped = Some((k, s * h.abs()));
                        }
                    }
                }
                if let Some((_, t)) = flipped {
                    h = sign * t;
                }
                // Events in order of time. What lies at the end of the step could be missed by both
                // steps, so the search goes a little beyond it; nothing is reported twice.
                let reach = if h == left { h } else { h * (1.0 + 1e-9) };
                let mut found: Vec<(f64, usize)> = Vec::new();
                for (k, event) in self.problem.events.iter().enumerate() {
                    for (s, direction) in roots_in(&self.scaled(self.events + k, reach)) {
                        let direction = if forward { direction } else { -direction };
                        if event.direction != 0 && event.direction != direction {
                            continue;
                        }
                        let t = self.time.high + (self.time.low + s * reach);
                        let near = 1e-9 * h.abs() + 8.0 * f64::EPSILON * t.abs();
                        if (t - last_seen[k]).abs() <= near
                            || (t - o.from).abs() <= 8.0 * f64::EPSILON * t.abs().max(h.abs())
                        {
                            continue;
                        }
                        found.push((s * reach, k));
                    }
                }
                found.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut ended = None;
                for (tau, k) in found {
                    let t = self.time.high + (self.time.low + tau);
                    last_seen[k] = t;
                    let at: Vec<f64> = self.state_after(tau).collect();
                    run.crossings.push(Crossing {
                        event: k,
                        time: t,
                        state: at,
                    });
                    if self.problem.events[k].terminal {
                        h = tau;
                        ended = Some(k);
                        break;
                    }
                }
                // What is recorded within the step.
                match o.every {
                    None => self.record(&mut run.rows, 0.0),
                    Some(every) => {
                        while self.due(next_row, h, sign) {
                            let t = o.from + sign * every * next_row as f64;
                            let tau = (t - self.time.high) - self.time.low;
                            self.record(&mut run.rows, tau);
                            next_row += 1;
                        }
                    }
                }
                if self.working {
                    work.add(integral(self.series.wanted(POWER), h));
                }
                for a in 0..self.problem.reaction_rates.len() {
                    let lambda = self.series.multiplier(a);
                    let rate = self.series.wanted(1 + a);
                    let power: Vec<f64> = (0..lambda.len())
                        .map(|k| (0..=k).map(|j| lambda[j] * rate[k - j]).sum())
                        .collect();
                    work.add(integral(&power, h));
                }
                self.series.increments(h, &mut self.change);
                for (s, d) in self.state.iter_mut().zip(&self.change) {
                    s.add(*d);
                }
                if h == left {
                    self.time = Compensated::new(o.to);
                } else {
                    self.time.add(h);
                }
                run.steps += 1;
                self.fresh.fill(false);
                self.fill();
                if let Some(k) = ended {
                    self.compute(run)?;
                    self.record(&mut run.rows, 0.0);
                    let e = self.series.values()[0];
                    defect = defect.max((e - start_energy - work.high).abs());
                    return Ok(Status::Event(k));
                }
                if let Some((k, t)) = flipped {
                    restarts = if t <= 1e-12 * self.time.high.abs().max(1e-12) {
                        restarts + 1
                    } else {
                        0
                    };
                    if restarts > 50 {
                        return Err(Stop::Sticking);
                    }
                    self.sides[k] = !self.sides[k];
                    self.fresh[k] = true;
                    self.settle(k, run)?;
                }
            }
        });
        run.status = match outcome {
            Ok(status) => status,
            Err(stop) => Status::Failed(stop),
        };
        self.fill();
        run.time = self.time.high;
        run.state = self.plain[1..].to_vec();
        run.outputs = self.outputs(&self.plain);
        run.energy_balance = if largest > 0.0 {
            defect / largest
        } else {
            defect
        };
    }

    /// Whether the row of that number lies within the step.
    fn due(&self, row: u64, h: f64, sign: f64) -> bool {
        let Some(every) = self.options.every else {
            return false;
        };
        let t = self.options.from + sign * every * row as f64;
        let beyond = (t - self.options.to) * sign > 1e-9 * every;
        let ahead = ((t - self.time.high) - self.time.low) * sign;
        !beyond && ahead <= h.abs() * (1.0 + 1e-12) + 1e-12 * every
    }
}
