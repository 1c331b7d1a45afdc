//! Motions side by side by Taylor series.

mod control;
mod lane;
mod layout;

use galilei_jit::Kernel;
use galilei_tape::code::Code;
use galilei_tape::{Jets, Op, Reg, Surfaces, Wanted};

use super::Start;
use super::bundle::Bundle;
use crate::accelerations::reason;
use crate::expansion::{operations, order_for};
use crate::lines::Lines;
use crate::problem::{Problem, Run, Status, Stop, wanted};
use crate::project::admitted;
use crate::radius::Coefficients;
use crate::record::Outputs;
use crate::taylor::part_of_radius;
use crate::work::TwoPoint;
use control::{CALM, MOVED, Terms};
use lane::{Lane, Next};
use layout::{END, LIMIT, LONGEST, LOST, Layout, SCALE, SIGN, STEP};

/// What a step costs beside its series, in operations: measured on a driven double pendulum, where it is about a quarter
/// of all.
const STEP_COST: f64 = 650.0;

/// The code, and what is the same for all motions.
pub(super) struct Taylor {
    problem: Problem,
    tolerance: f64,
    wanted: Wanted,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    lanes: usize,
    layout: Layout,
    terms: Terms,
    kernels: Kernels,
    /// 1/k
    inverse: Vec<f64>,
}

/// How far the scheduler looks ahead: several lanes have work enough that does not wait, and instructions that are
/// close share their loads.
const SCHEDULER_WINDOW: usize = 32;

/// The code of a step.
#[derive(Clone)]
struct Kernels {
    series: Kernel,
    control: Kernel,
    advance: Kernel,
}

impl Taylor {
    pub(super) fn new(problem: Problem, tolerance: f64, max_steps: usize, lanes: usize) -> Self {
        let (mut wanted, [events, kinks]) = wanted(&problem, tolerance, &Surfaces::default());
        let (tape, rates) = (&problem.tape, &problem.rates);
        let order = order_for(operations(tape, rates, &wanted), STEP_COST, tolerance);
        let part = part_of_radius(tolerance, order);
        let work = wanted.places.map(|_| TwoPoint::new(order, part));
        wanted.places = work.as_ref().map(TwoPoint::places);
        let shape = tape.series(rates, &wanted, order);
        let layout = Layout::new(&shape, tape.inputs(), tape.kinks().len());
        let terms = Terms {
            scales: problem.scale.len(),
            residuals: problem.residuals.len(),
            working: tape.ops()[problem.power as usize] != Op::Const(0.0),
            work,
            tolerance,
            reactions: problem.reaction_rates.len(),
            shrink: part,
            most: max_steps as f64,
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
            problem,
            tolerance,
            wanted,
            events,
            kinks,
            lanes,
            layout,
            terms,
        }
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn order(&self) -> usize {
        self.layout.order
    }

    /// x and u of a lane at a time after the start of the step.
    fn state_after(&self, rows: &[f64], l: usize, tau: f64) -> Vec<f64> {
        let layout = &self.layout;
        let n = layout.n;
        let row = |row: usize| rows[row * self.lanes + l];
        let coefficient = |i: usize, k: usize| match i < n {
            true => row(layout.velocity(k - 1, i)) * self.inverse[k],
            false => row(layout.velocity(k, i - n)),
        };
        (0..2 * n)
            .map(|i| {
                let orders = (1..=layout.order).rev();
                let sum = orders.fold(0.0, |v, k| v * tau + coefficient(i, k));
                row(layout.component(i)) + (row(LOST + i) + sum * tau)
            })
            .collect()
    }

    pub(super) fn bundle(&self) -> Box<dyn Bundle + '_> {
        let kernels = self.kernels.clone();
        Box::new(Motions {
            code: self,
            rows: Lines::zeros(self.layout.rows * self.lanes, 0),
            found: Lines::zeros(kernels.control.output_len(), 0),
            moved: Lines::zeros(kernels.advance.output_len(), 0),
            lanes: (0..self.lanes).map(|_| Lane::new(self)).collect(),
            kernels,
            before: vec![0.0; self.layout.moving().len() * self.lanes],
            outputs: Outputs::new(&self.problem),
            jets: None,
        })
    }
}

/// The motions of all lanes.
struct Motions<'e> {
    code: &'e Taylor,
    rows: Lines,
    /// What the control gave.
    found: Lines,
    /// What the step gave.
    moved: Lines,
    lanes: Vec<Lane<'e>>,
    kernels: Kernels,
    /// The rows that the last step changed, with their values before it.
    before: Vec<f64>,
    outputs: Outputs<'e>,
    jets: Option<Jets>,
}

impl Bundle for Motions<'_> {
    fn begin(&mut self, l: usize, start: &Start) -> Result<(), Stop> {
        let e = self.code;
        let n = e.layout.n;
        let mut values = start.state[..2 * n].to_vec();
        values.extend(&start.fixed);
        let project = start.project;
        let allowed = admitted(&e.problem, e.tolerance, start.from, &mut values, project);
        for row in 0..e.layout.inputs {
            self.set(row, l, 0.0);
        }
        self.set(LONGEST, l, f64::INFINITY);
        self.set(LIMIT, l, f64::INFINITY);
        self.set(END, l, start.to);
        self.set(SIGN, l, if start.to >= start.from { 1.0 } else { -1.0 });
        self.set(e.layout.inputs, l, start.from);
        for (i, value) in values.iter().enumerate() {
            self.set(e.layout.component(i), l, *value);
        }
        let state = self.state(l);
        let outcome = self.lanes[l].begin(e, start, &state);
        self.show_sides(l);
        allowed.and(outcome)
    }

    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>) {
        self.expand();
        let e = self.code;
        if (0..e.lanes).all(|l| self.is_calm(l)) {
            let rows = e.layout.moving();
            let rows = &mut self.rows[rows.start * e.lanes..rows.end * e.lanes];
            self.before.copy_from_slice(rows);
            rows.copy_from_slice(&self.found[MOVED * e.lanes..]);
            return;
        }
        for (l, number) in numbers.iter().enumerate() {
            let next = match number {
                Some(_) => self.decide(l),
                None => Next::Again,
            };
            let h = match next {
                Next::Step(h) => h,
                Next::Again => 0.0,
                Next::End(status) => {
                    ended.push((l, status));
                    0.0
                }
            };
            self.set(STEP, l, h);
        }
        self.move_some(ended);
    }

    fn close(&mut self, l: usize, status: Status) -> Run {
        self.run(l, status)
    }
}

impl Motions<'_> {
    #[inline]
    fn row(&self, row: usize, l: usize) -> f64 {
        self.rows[row * self.code.lanes + l]
    }

    #[inline]
    fn set(&mut self, row: usize, l: usize, value: f64) {
        self.rows[row * self.code.lanes + l] = value;
    }

    /// What is not computed yet of the state in a lane: t, x, u and what is fixed.
    fn state(&self, l: usize) -> Vec<f64> {
        let layout = &self.code.layout;
        (0..layout.state)
            .map(|i| self.row(layout.inputs + i, l))
            .collect()
    }

    /// The series of all lanes and what follows for the next step.
    fn expand(&mut self) {
        let e = self.code;
        let (inputs, outputs) = self.rows.split_at_mut(e.layout.outputs * e.lanes);
        let inputs = &inputs[e.layout.inputs * e.lanes..];
        self.kernels.series.call(inputs, outputs);
        self.kernels.control.call(&self.rows, &mut self.found);
    }

    /// Writes the sides of kinks where the series read them.
    fn show_sides(&mut self, l: usize) {
        for k in 0..self.lanes[l].sides.list.len() {
            let side = if self.lanes[l].sides.list[k] {
                1.0
            } else {
                -1.0
            };
            self.set(self.code.layout.side(k), l, side);
        }
    }

    /// The series of a lane by jets, with pivoting.
    #[cold]
    fn pivot(&mut self, l: usize) -> Result<(), Stop> {
        let e = self.code;
        let (tape, rates) = (&e.problem.tape, &e.problem.rates);
        let Layout { n, order, .. } = e.layout;
        let state = self.state(l);
        let mut jets = self
            .jets
            .take()
            .unwrap_or_else(|| Jets::new(tape, rates, &e.wanted.series, order));
        let outcome = jets.compute(tape, rates, &state, &self.lanes[l].sides.list);
        let stop = outcome.is_err().then(|| reason(&jets, rates, &state));
        for k in 0..=order {
            for i in 0..n {
                self.set(
                    e.layout.velocity(k, i),
                    l,
                    jets.series((1 + n + i) as Reg)[k],
                );
            }
            for (w, &r) in e.wanted.series.iter().enumerate() {
                self.set(e.layout.wanted(w, k), l, jets.series(r)[k]);
            }
        }
        for a in 0..e.terms.reactions {
            for k in 0..order {
                self.set(e.layout.multiplier(a, k), l, jets.unknown(n + a)[k]);
            }
        }
        for (v, &r) in e.wanted.values.iter().enumerate() {
            self.set(e.layout.value(v), l, jets.series(r)[0]);
        }
        let ends = (0..n).flat_map(|i| [(1, i), (order, i)]);
        let sum: f64 = ends
            .map(|(k, i)| self.row(e.layout.velocity(k, i), l).abs())
            .sum();
        self.jets = Some(jets);
        match stop {
            Some(stop) => Err(stop),
            None if !sum.is_finite() => Err(Stop::NotFinite),
            None => {
                // Other lanes have been dealt with: only this one is taken over.
                let found = self.kernels.control.evaluate(&self.rows);
                let lane = self.found.iter_mut().zip(found).skip(l);
                lane.step_by(e.lanes).for_each(|(to, value)| *to = *value);
                Ok(())
            }
        }
    }

    /// The radius of convergence in a lane where the control found none.
    #[cold]
    fn radius(&self, l: usize) -> f64 {
        let layout = &self.code.layout;
        let x: Vec<f64> = (0..layout.n)
            .map(|i| self.row(layout.component(i), l))
            .collect();
        let u: Vec<f64> = (0..(layout.order + 1) * layout.n)
            .map(|i| self.row(layout.outputs + i, l))
            .collect();
        let series = Coefficients {
            x: &x,
            u: &u,
            order: layout.order,
            inverse: &self.code.inverse,
        };
        series.radius(self.row(SCALE, l))
    }

    /// A wanted series over a step, scaled to [0, 1].
    fn scaled(&self, w: usize, l: usize, h: f64) -> Vec<f64> {
        let mut power = 1.0;
        (0..=self.code.layout.order)
            .map(|k| {
                let v = self.row(self.code.layout.wanted(w, k), l) * power;
                power *= h;
                v
            })
            .collect()
    }

    /// Whether the next step of a lane can be taken without a closer look.
    #[inline]
    fn is_calm(&self, l: usize) -> bool {
        self.found[CALM * self.code.lanes + l] > 0.0
    }

    /// Takes the step in all lanes that have one.
    fn move_some(&mut self, ended: &mut Vec<(usize, Status)>) {
        let e = self.code;
        let lanes = e.lanes;
        self.kernels.advance.call(&self.rows, &mut self.moved);
        for l in 0..lanes {
            if self.row(STEP, l) == 0.0 {
                continue;
            }
            for (i, row) in e.layout.moving().enumerate() {
                self.before[i * lanes + l] = self.row(row, l);
                self.set(row, l, self.moved[i * lanes + l]);
            }
            self.lanes[l].moved();
            if self.lanes[l].flipped.is_some() {
                let state = self.state(l);
                let time = self.time(l);
                match self.lanes[l].cross(&state, &time) {
                    Ok(()) => self.show_sides(l),
                    Err(stop) => ended.push((l, Status::Failed(stop))),
                }
            }
        }
    }
}
