//! Lyapunov exponents along the runs of a sweep: maps of chaos. (T-206)

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use galilei_analyse::{LyapunovRequest, Spreading, lyapunov};
use galilei_integrate::{Method, Run, Start, Status};
use galilei_model::{Code, Diagnostic, Model, refused};

use crate::compiled::Compiled;
use crate::motion::{MAX_STEPS, Plan};

/// The exponents that are wanted, and how they are found.
pub(super) struct Growth {
    /// Their number.
    pub(super) count: usize,
    /// Whether motions go in lanes together with nearby ones; otherwise each motion is followed by itself.
    pub(super) in_lanes: bool,
}

impl Growth {
    pub(super) fn new(model: &Model, count: usize, plan: &Plan) -> Result<Self, Vec<Diagnostic>> {
        let most = 2 * model.contents().coordinates.len();
        if count == 0 || count > most {
            return Err(refused(
                Code::WrongSetting,
                format!("{count} exponents are asked for, and there are at most {most}"),
                "give --lyapunov between 1 and that number",
            ));
        }
        if model.is_implicit() {
            return Err(refused(
                Code::NotAvailable,
                "sweeps find no Lyapunov exponents where the Legendre transform of the Hamiltonian has no closed form",
                "`galilei lyapunov` finds those of one motion",
            ));
        }
        if !plan.method.has_lanes() {
            return Err(refused(
                Code::NotAvailable,
                format!(
                    "Lyapunov exponents are not available by the method `{}`",
                    plan.method.name()
                ),
                "leave the method out: Taylor series compute them",
            ));
        }
        if plan.options.to <= plan.options.from {
            return Err(refused(
                Code::WrongSetting,
                "Lyapunov exponents are limits for growing time, and the runs do not go forward",
                "let the runs end after their start",
            ));
        }
        // Derivatives jump where a piecewise function has its kink.
        let above = model.with_nearby_motions(1);
        let smooth = match &above {
            Some(above) => Compiled::with_inputs(above, &[])
                .is_ok_and(|c| c.lowered().problem.tape.kinks().is_empty()),
            None => false,
        };
        if !smooth && plan.method != Method::Taylor {
            return Err(refused(
                Code::NotAvailable,
                format!(
                    "Lyapunov exponents of this model are not available by the method `{}`",
                    plan.method.name()
                ),
                "leave the method out: Taylor series compute them",
            ));
        }
        Ok(Self {
            count,
            in_lanes: smooth,
        })
    }

    /// The exponents of one motion, each with its standard error; numbers that are not finite where it cannot be followed.
    pub(super) fn alone(&self, model: Option<&Model>, start: &Start, tolerance: f64) -> Vec<f64> {
        let nothing = || vec![f64::NAN; 2 * self.count];
        let Some(model) = model else {
            return nothing();
        };
        let mut request =
            LyapunovRequest::new(start.state.clone(), start.from, start.to, tolerance);
        request.count = Some(self.count);
        request.max_steps = MAX_STEPS;
        match lyapunov(model, &request, |_| true) {
            Ok(found) if found.failure.is_none() => mixed(&found.exponents, &found.standard_error),
            _ => nothing(),
        }
    }
}

/// Exponents and errors in turn.
fn mixed(exponents: &[f64], errors: &[f64]) -> Vec<f64> {
    (exponents.iter().zip(errors))
        .flat_map(|(e, s)| [*e, *s])
        .collect()
}

/// A motion that is under way with nearby ones.
struct Motion {
    spreading: Spreading,
    fixed: Vec<f64>,
    steps: usize,
    balance: f64,
}

/// The motions of one thread that go part by part.
pub(super) struct Parts<'a> {
    growth: &'a Growth,
    /// The coordinates of the model itself.
    own: usize,
    under_way: RefCell<HashMap<u64, Motion>>,
    waiting: RefCell<VecDeque<Start>>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(growth: &'a Growth, own: usize) -> Self {
        Self {
            growth,
            own,
            under_way: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// The part of a motion that is to be computed next, before any new motion.
    pub(super) fn next(&self) -> Option<Start> {
        self.waiting.borrow_mut().pop_front()
    }

    /// The first part of a motion.
    pub(super) fn begin(&self, mut start: Start) -> Start {
        let spreading = Spreading::new(self.own, self.growth.count, (start.from, start.to));
        start.to = spreading.next();
        self.turn(&spreading, &mut start.state);
        let motion = Motion {
            spreading,
            fixed: start.fixed.clone(),
            steps: 0,
            balance: 0.0,
        };
        self.under_way.borrow_mut().insert(start.number, motion);
        start
    }

    /// Takes the end of a part. The whole run with its exponents, if it was the last one.
    pub(super) fn end(&self, number: u64, mut run: Run) -> Option<(Run, Vec<f64>)> {
        let mut under_way = self.under_way.borrow_mut();
        let motion = under_way.get_mut(&number)?;
        motion.steps += run.steps;
        motion.balance = motion.balance.max(run.energy_balance);
        let failed = matches!(run.status, Status::Failed(_));
        let (n, all) = (self.own, run.state.len() / 2);
        let column = |k: usize| -> Vec<f64> {
            let first = n * (1 + k);
            let x = &run.state[first..first + n];
            let u = &run.state[all + first..all + first + n];
            [x, u].concat()
        };
        let columns: Vec<Vec<f64>> = (0..self.growth.count).map(column).collect();
        if !failed && motion.spreading.advance(run.time, &columns) {
            let mut state = run.state.clone();
            self.turn(&motion.spreading, &mut state);
            self.waiting.borrow_mut().push_back(Start {
                number,
                from: run.time,
                to: motion.spreading.next(),
                state,
                fixed: motion.fixed.clone(),
                project: false,
            });
            return None;
        }
        run.steps = motion.steps;
        run.energy_balance = motion.balance;
        let exponents = match failed {
            true => vec![f64::NAN; 2 * self.growth.count],
            false => {
                let (exponents, errors) = motion.spreading.exponents();
                mixed(&exponents, &errors)
            }
        };
        under_way.remove(&number);
        Some((run, exponents))
    }

    /// Puts the directions of nearby motions into a state.
    fn turn(&self, spreading: &Spreading, state: &mut [f64]) {
        let (n, all) = (self.own, state.len() / 2);
        for (k, direction) in spreading.directions().enumerate() {
            let first = n * (1 + k);
            state[first..first + n].copy_from_slice(&direction[..n]);
            state[all + first..all + first + n].copy_from_slice(&direction[n..]);
        }
    }
}
