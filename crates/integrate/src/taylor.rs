//! The Taylor integrator.

use galilei_tape::{Factors, Jets, Rates, Reg, Tape};

use crate::roots::roots_in;

/// A zero crossing to locate.
#[derive(Clone, Debug)]
pub struct Event {
    /// What crosses zero.
    pub register: Reg,
    /// 1 rising, −1 falling, 0 both.
    pub direction: i8,
    /// Whether the run ends there.
    pub terminal: bool,
}

/// What is integrated: a tape with inputs (t, x, u) and what its registers mean.
#[derive(Clone, Debug)]
pub struct Problem<'t> {
    /// The code.
    pub tape: &'t Tape,
    /// g and f of g·a = f.
    pub rates: &'t Rates,
    /// uⁱ∂L/∂uⁱ − L
    pub energy: Reg,
    /// −∂L/∂t + uⁱFᵢ
    pub power: Reg,
    /// Residuals of the constraints, at position and velocity level.
    pub residuals: Vec<Reg>,
    /// Jᵃᵢuⁱ of each constraint: times the multiplier, the power of its reaction.
    pub reaction_rates: Vec<Reg>,
    /// Energies whose size is the scale of the balance.
    pub scale: Vec<Reg>,
    /// Events.
    pub events: Vec<Event>,
    /// What is recorded beside the state.
    pub outputs: Vec<Output>,
    /// Where outputs use multipliers or reactions: the code for them.
    pub late: Option<Late<'t>>,
}

/// Something recorded beside the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// A register, known as a series.
    Register(Reg),
    /// An output of the late code.
    Late(usize),
}

/// Outputs that need the multipliers: a tape with inputs (t, x, u), the multipliers, and the norms of
/// some reactions in g⁻¹.
#[derive(Clone, Debug)]
pub struct Late<'t> {
    /// The code.
    pub tape: &'t Tape,
    /// For each norm the constraints it is made of.
    pub reactions: Vec<Vec<usize>>,
}

/// How it is integrated.
#[derive(Clone, Debug)]
pub struct Options {
    /// The start.
    pub from: f64,
    /// The end; may lie before the start.
    pub to: f64,
    /// The distance of recorded states; `None` records the steps.
    pub every: Option<f64>,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// Steps before the run is given up.
    pub max_steps: usize,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The end was reached.
    Finished,
    /// A terminal event.
    Event(usize),
    /// The computation failed.
    Failed(Stop),
}

/// What made a run fail.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Stop {
    SingularMassMatrix,
    NotFinite,
    StepUnderflow,
    TooManySteps,
    /// Both sides of a kink push back to it.
    Sticking,
    /// Somebody asked for it.
    Interrupted,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SingularMassMatrix => "the mass matrix became singular",
            Self::NotFinite => "a value is not finite",
            Self::StepUnderflow => "the step became too small",
            Self::TooManySteps => "too many steps",
            Self::Sticking => "the motion sticks at a kink: both sides push back to it",
            Self::Interrupted => "interrupted",
        })
    }
}

/// An event that happened.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// Which event.
    pub event: usize,
    /// When.
    pub time: f64,
    /// x, then u.
    pub state: Vec<f64>,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Why it ended.
    pub status: Status,
    /// The last time.
    pub time: f64,
    /// x, then u, at the last time.
    pub state: Vec<f64>,
    /// The outputs at the last time.
    pub outputs: Vec<f64>,
    /// Recorded rows: t, x, u, outputs.
    pub rows: Vec<Vec<f64>>,
    /// Events, in the order of the run.
    pub crossings: Vec<Crossing>,
    /// Steps taken.
    pub steps: usize,
    /// Steps refused.
    pub rejected: usize,
    /// Evaluations of the jets.
    pub evaluations: usize,
    /// The largest defect of the energy balance, divided by the largest energy.
    pub energy_balance: f64,
    /// The largest residual of a constraint seen; `None` without constraints.
    pub constraint_residual: Option<f64>,
    /// The order of the series.
    pub order: usize,
}

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

fn horner(c: &[f64], h: f64) -> f64 {
    c.iter().rev().fold(0.0, |v, c| v * h + c)
}

/// Σ_{k≥1} cₖhᵏ
fn increment(c: &[f64], h: f64) -> f64 {
    h * horner(&c[1..], h)
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
    jets: Jets,
    time: Compensated,
    state: Vec<Compensated>,
    sides: Vec<bool>,
    /// Kinks that lie at the start of the step.
    fresh: Vec<bool>,
    plain: Vec<f64>,
    classical: f64,
}

/// Integrates. `progress` is told the time now and then, and says whether to go on.
pub fn integrate(
    problem: &Problem<'_>,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let n = problem.rates.dimension;
    let classical = (-options.tolerance.max(1e-18).ln() / 2.0 + 1.0)
        .ceil()
        .max(4.0);
    let order = (1.3 * classical).round() as usize;
    // Series of what is integrated, located or recorded; of energies and residuals the values do.
    let mut wanted: Vec<Reg> = vec![problem.power];
    wanted.extend(&problem.reaction_rates);
    wanted.extend(problem.events.iter().map(|e| e.register));
    wanted.extend(problem.outputs.iter().filter_map(|o| match *o {
        Output::Register(r) => Some(r),
        Output::Late(_) => None,
    }));
    let mut s = Stepper {
        problem,
        options,
        n,
        jets: Jets::new(problem.tape, problem.rates, &wanted, order),
        time: Compensated::new(options.from),
        state: state.iter().map(|x| Compensated::new(*x)).collect(),
        sides: vec![],
        fresh: vec![false; problem.tape.kinks().len()],
        plain: vec![0.0; 2 * n + 1],
        classical,
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
        self.jets
            .compute(
                self.problem.tape,
                self.problem.rates,
                &self.plain,
                &self.sides,
            )
            .map_err(|_| {
                if self.plain.iter().all(|x| x.is_finite()) {
                    let list = &self.problem.rates.matrix;
                    if self.registers(list).iter().all(|x| x.is_finite()) {
                        return Stop::SingularMassMatrix;
                    }
                }
                Stop::NotFinite
            })?;
        let order = self.jets.order();
        let bad = (1..=2 * self.n).any(|r| {
            let c = self.jets.series(r as Reg);
            !(c[order].is_finite() && c[1].is_finite())
        });
        if bad { Err(Stop::NotFinite) } else { Ok(()) }
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
        let register = self.problem.tape.kinks()[k].register;
        for side in [self.sides[k], !self.sides[k]] {
            self.sides[k] = side;
            self.compute(run)?;
            let c = self.jets.series(register);
            let first = c[1..].iter().find(|c| **c != 0.0);
            match first {
                None => return Ok(()),
                Some(c) if (*c > 0.0) == side => return Ok(()),
                Some(_) => {}
            }
        }
        Err(Stop::Sticking)
    }

    /// Jorba and Zou's step, by components.
    fn step_size(&self) -> f64 {
        let p = self.jets.order();
        let norm = |k: usize| {
            (1..=2 * self.n).fold(0.0_f64, |m, r| m.max(self.jets.series(r as Reg)[k].abs()))
        };
        let lowest = (0..p).find(|&k| norm(k) > 0.0);
        let Some(m) = lowest else {
            return f64::INFINITY;
        };
        let radius = |k: usize| {
            let top = norm(k);
            if top == 0.0 {
                f64::INFINITY
            } else {
                (norm(m) / top).powf(1.0 / (k - m).max(1) as f64)
            }
        };
        let global = radius(p).min(if p - 1 > m {
            radius(p - 1)
        } else {
            f64::INFINITY
        });
        if !global.is_finite() {
            return f64::INFINITY;
        }
        let mut rho = global;
        for r in 1..=2 * self.n {
            let c = self.jets.series(r as Reg);
            let scale = c[0]
                .abs()
                .max(c[1].abs() * global)
                .max(c[2].abs() * global * global);
            for k in [p - 1, p] {
                let own = (scale / c[k].abs()).powf(1.0 / k as f64);
                // A component that is small on the way is not worth tiny steps.
                if own.is_finite() && own > 0.0 {
                    rho = rho.min(own.max(global * 0.5));
                }
            }
        }
        // The work is integrated along: its series must converge as well as the state's.
        let energy = self
            .problem
            .scale
            .iter()
            .fold(0.0_f64, |m, &r| m.max(self.jets.series(r)[0].abs()));
        let power = self.jets.series(self.problem.power);
        if energy > 0.0 {
            for k in [p - 1, p] {
                let own = (energy * (k + 1) as f64 / power[k].abs()).powf(1.0 / (k + 1) as f64);
                if own.is_finite() && own > 0.0 {
                    rho = rho.min(own.max(global * 0.25));
                }
            }
        }
        let p = p as f64;
        rho * (-2.0 * (self.classical - 1.0) / (p - 1.0)).exp() * (-0.7 / (p - 1.0)).exp()
    }

    /// The series of a register over a step, scaled to [0, 1].
    fn scaled(&self, r: Reg, h: f64) -> Vec<f64> {
        let mut power = 1.0;
        self.jets
            .series(r)
            .iter()
            .map(|c| {
                let v = c * power;
                power *= h;
                v
            })
            .collect()
    }

    /// The outputs that need multipliers, at a state (t, x, u); NaN where they are not determined.
    fn late(&self, state: &[f64]) -> Vec<f64> {
        let Some(late) = &self.problem.late else {
            return vec![];
        };
        let (tape, rates, n) = (self.problem.tape, self.problem.rates, self.n);
        let size = rates.unknowns;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &self.sides, &mut values);
        let entry = |i: usize, j: usize| values[rates.matrix[i * size + j] as usize];
        let mut solution: Vec<f64> = rates.right.iter().map(|&r| values[r as usize]).collect();
        let mut full = Factors::new(size);
        let mut mass = Factors::new(n);
        if full.factor(entry).is_err() || mass.factor(entry).is_err() {
            return vec![f64::NAN; late.tape.outputs().len()];
        }
        full.solve(&mut solution);
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

    fn record(&self, rows: &mut Vec<Vec<f64>>, h: f64) {
        let mut row = Vec::with_capacity(1 + 2 * self.n + self.problem.outputs.len());
        row.push(self.time.high + (self.time.low + h));
        for i in 0..2 * self.n {
            row.push(
                self.state[i].high
                    + (self.state[i].low + increment(self.jets.series(1 + i as Reg), h)),
            );
        }
        let late = self.late(&row);
        row.extend(self.problem.outputs.iter().map(|o| match *o {
            Output::Register(r) => horner(self.jets.series(r), h),
            Output::Late(k) => late[k],
        }));
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
                for &r in &self.problem.scale {
                    largest = largest.max(self.jets.series(r)[0].abs());
                }
                let e = self.jets.series(self.problem.energy)[0];
                defect = defect.max((e - start_energy - work.high).abs());
                for &r in &self.problem.residuals {
                    let v = self.jets.series(r)[0].abs();
                    run.constraint_residual = run.constraint_residual.map(|m| m.max(v));
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
                    let mut q = self.scaled(self.problem.tape.kinks()[k].register, h);
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
                // Events in order of time.
                let mut found: Vec<(f64, usize)> = Vec::new();
                for (k, event) in self.problem.events.iter().enumerate() {
                    for (s, direction) in roots_in(&self.scaled(event.register, h)) {
                        let direction = if forward { direction } else { -direction };
                        if event.direction != 0 && event.direction != direction {
                            continue;
                        }
                        let t = self.time.high + (self.time.low + s * h);
                        let near = 1e-9 * h.abs() + 8.0 * f64::EPSILON * t.abs();
                        if (t - last_seen[k]).abs() <= near
                            || (t - o.from).abs() <= 8.0 * f64::EPSILON * t.abs().max(h.abs())
                        {
                            continue;
                        }
                        found.push((s, k));
                    }
                }
                found.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut ended = None;
                for (s, k) in found {
                    let tau = s * h;
                    let t = self.time.high + (self.time.low + tau);
                    last_seen[k] = t;
                    let at: Vec<f64> = (0..2 * self.n)
                        .map(|i| {
                            self.state[i].high
                                + (self.state[i].low
                                    + increment(self.jets.series(1 + i as Reg), tau))
                        })
                        .collect();
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
                work.add(integral(self.jets.series(self.problem.power), h));
                for (a, &r) in self.problem.reaction_rates.iter().enumerate() {
                    let lambda = self.jets.unknown(self.n + a);
                    let rate = self.jets.series(r);
                    let power: Vec<f64> = (0..lambda.len())
                        .map(|k| (0..=k).map(|j| lambda[j] * rate[k - j]).sum())
                        .collect();
                    work.add(integral(&power, h));
                }
                for i in 0..2 * self.n {
                    let d = increment(self.jets.series(1 + i as Reg), h);
                    self.state[i].add(d);
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
                    let e = self.jets.series(self.problem.energy)[0];
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
        let late = self.late(&self.plain);
        let outputs = self.problem.outputs.iter();
        run.outputs = outputs
            .map(|o| match *o {
                Output::Register(r) => self.registers(&[r])[0],
                Output::Late(k) => late[k],
            })
            .collect();
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
