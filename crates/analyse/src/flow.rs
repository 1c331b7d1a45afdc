//! The motion over a time, with its state-transition matrix, for one value of a parameter.

use galilei_expr::Expr;
use galilei_integrate::{Directions, Options, Record, Status, admitted};
use galilei_model::{Code, Diagnostic, Model};
use galilei_tape::Problem;
use nalgebra::{DMatrix, DVector};

use crate::contact::Motions;
use crate::linearisation::Tangent;
use crate::setting::{Setting, refused, vanishes};

/// Steps of one run.
const MAX_STEPS: usize = 2_000_000;

/// A model that is followed with its derivatives.
pub(crate) struct Flow<'p> {
    pub(crate) setting: Setting<'p>,
    motions: Motions,
    /// The parameter by which motions are differentiated.
    parameter: Option<Expr<'p>>,
    tolerance: f64,
}

/// A motion over a time.
pub(crate) struct Passage {
    /// x, then u, at the end.
    pub(crate) end: Vec<f64>,
    /// Derivatives of the end by the start.
    pub(crate) transition: DMatrix<f64>,
    /// Derivatives of the end by the parameter.
    pub(crate) by_parameter: Option<DVector<f64>>,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(
        model: &'p Model,
        parameter: Option<&str>,
        tolerance: f64,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let symbol = |name: &str| {
            contents
                .parameters
                .iter()
                .find(|p| p.name == name)
                .map(|p| model.expr(p.symbol))
        };
        let parameter = parameter.and_then(symbol);
        let list: Vec<Expr<'p>> = parameter.into_iter().collect();
        Ok(Self {
            setting: Setting::new(model, &[])?,
            motions: Motions::new(model, &list)?.without_events(),
            parameter,
            tolerance,
        })
    }

    pub(crate) fn n(&self) -> usize {
        self.setting.n()
    }

    /// The motion from a state over a time.
    pub(crate) fn pass(
        &self,
        from: f64,
        start: &[f64],
        time: f64,
    ) -> Result<Passage, Vec<Diagnostic>> {
        let n = self.n();
        let directions = Directions::all(&self.motions.lowered.problem.tape, n);
        let options = self.options(from, time);
        let (run, followed) = (self.motions).follow((start, None), &options, &directions, |_| true);
        if let Status::Failed(why) = run.status
            && self.motions.contacts.is_some()
        {
            return Err(refused(
                Code::NoPeriodicMotion,
                format!("a motion on the way ends at t = {}: {why}", run.time),
                "choose another start: modes of contact and friction must follow each other in the same way nearby",
            ));
        }
        if run.status != Status::Finished
            || run
                .state
                .iter()
                .chain(&followed.last)
                .any(|x| !x.is_finite())
        {
            return Err(refused(
                Code::NoPeriodicMotion,
                format!(
                    "a motion on the way could not be followed beyond t = {}",
                    run.time
                ),
                "choose another start or a shorter time",
            ));
        }
        let columns = directions.columns.len();
        let entry = |i: usize, j: usize| followed.last[i * columns + j];
        Ok(Passage {
            transition: DMatrix::from_fn(2 * n, 2 * n, entry),
            by_parameter: self
                .parameter
                .map(|_| DVector::from_fn(2 * n, |i, _| entry(i, 2 * n))),
            end: run.state,
        })
    }

    /// The options of a run of this length, which records nothing.
    fn options(&self, from: f64, time: f64) -> Options {
        Options {
            from,
            to: from + time,
            record: Record::Nothing,
            tolerance: self.tolerance,
            max_steps: MAX_STEPS,
            ..Options::default()
        }
    }

    /// The state after a time.
    pub(crate) fn end(
        &self,
        from: f64,
        start: &[f64],
        time: f64,
    ) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let options = self.options(from, time);
        let run = self.motions.run(start, &options);
        match run.status == Status::Finished && run.state.iter().all(|x| x.is_finite()) {
            true => Ok(run.state),
            false => Err(refused(
                Code::NoPeriodicMotion,
                format!("a motion could not be followed beyond t = {}", run.time),
                "choose another start",
            )),
        }
    }

    /// (ẋ, u̇) at a state.
    pub(crate) fn rate(&self, time: f64, state: &[f64]) -> Option<DVector<f64>> {
        let n = self.n();
        if let Some(contacts) = &self.motions.contacts {
            let found = contacts.situation(time, state).ok()?;
            if !found.hitting.is_empty() {
                return None;
            }
            let a = found.acceleration;
            let rate = DVector::from_fn(2 * n, |i, _| if i < n { state[n + i] } else { a[i - n] });
            return rate.iter().all(|x| x.is_finite()).then_some(rate);
        }
        free_rate(&self.motions.lowered.problem, time, state)
    }

    pub(crate) fn tangent(&self, time: f64, state: &[f64]) -> Result<Tangent, Vec<Diagnostic>> {
        let inputs: Vec<f64> = [time].into_iter().chain(state.iter().copied()).collect();
        Tangent::new(&self.setting, &inputs)
    }

    /// Brings a state back onto the constraints.
    pub(crate) fn project(&self, time: f64, state: &mut [f64]) -> bool {
        admitted(
            &self.motions.lowered.problem,
            self.tolerance,
            time,
            state,
            true,
        )
        .is_ok()
    }

    /// The energy uⁱ∂L/∂uⁱ − L as a formula, on phase space H.
    fn energy_formula(s: &Setting<'p>) -> Expr<'p> {
        if let Some(phase) = &s.model.contents().phase {
            return s.model.expr(phase.energy).substitute(&s.values);
        }
        let momenta = s.lagrangian.gradient(&s.u);
        s.pool().sum(momenta.iter().zip(&s.u).map(|(&p, &u)| p * u)) - s.lagrangian
    }

    /// Whether the energy is proved to be conserved.
    pub(crate) fn conserves_energy(&self) -> bool {
        let s = &self.setting;
        if self.motions.contacts.is_some() {
            return false;
        }
        let pool = s.pool();
        if let Some(phase) = &s.model.contents().phase {
            return vanishes(s.model.expr(phase.power).substitute(&s.values));
        }
        let power = pool.sum(s.force.iter().zip(&s.u).map(|(&f, &u)| f * u));
        // A reaction that is not ideal, or that keeps a constraint of second order, may do work.
        let idle = s.rows.iter().all(|r| match (r.rate, r.residual) {
            _ if r.covector != r.row => false,
            (_, None) => false,
            (Some(_), Some(residual)) => vanishes(residual.diff(s.time)),
            (None, Some(residual)) => {
                let whole = pool.sum(r.row.iter().zip(&s.u).map(|(&j, &u)| j * u));
                vanishes(whole - residual)
            }
        });
        idle && vanishes(s.lagrangian.diff(s.time)) && vanishes(power)
    }

    /// The energy at a state, its derivatives by (x, u), and by the parameter.
    pub(crate) fn energy(&self, time: f64, state: &[f64]) -> Option<(f64, DVector<f64>, f64)> {
        let s = &self.setting;
        let inputs: Vec<f64> = [time].into_iter().chain(state.iter().copied()).collect();
        let h = Self::energy_formula(s);
        let mut list = vec![h];
        list.extend(h.gradient(&s.x));
        list.extend(h.gradient(&s.u));
        let values = s.at(&list, &inputs)?;
        let by_parameter = match self.parameter {
            None => 0.0,
            Some(p) => {
                let open = Setting::new(s.model, &[p]).ok()?;
                let h = Self::energy_formula(&open);
                let slope = h.diff(p).substitute(&s.values);
                s.at(&[slope], &inputs)?[0]
            }
        };
        Some((
            values[0],
            DVector::from_column_slice(&values[1..]),
            by_parameter,
        ))
    }

    /// Which coordinates are angles: accelerations and constraints do not change by a full turn.
    pub(crate) fn angles(&self) -> Vec<bool> {
        let n = self.n();
        let s = &self.setting;
        let residuals = s.rows.iter().filter_map(|r| r.residual);
        let residuals: Vec<Expr<'p>> = residuals.chain(s.contact_formulas()).collect();
        let free = &self.motions.lowered.problem;
        let mut random = crate::eigen::Random::new(3);
        let points: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..2 * n).map(|_| 0.2 + random.unit()).collect())
            .collect();
        (0..n)
            .map(|i| {
                points.iter().all(|p| {
                    let mut turned = p.clone();
                    turned[i] += std::f64::consts::TAU;
                    let values = |z: &[f64]| {
                        let inputs: Vec<f64> = [0.3].into_iter().chain(z.iter().copied()).collect();
                        Some((free_rate(free, 0.3, z)?, s.at(&residuals, &inputs)?))
                    };
                    match (values(p), values(&turned)) {
                        (Some(a), Some(b)) => {
                            let close = a.1.iter().zip(&b.1).all(|(a, b)| (a - b).abs() <= 1e-9);
                            close && (&a.0 - &b.0).amax() <= 1e-9 * a.0.amax().max(1.0)
                        }
                        _ => false,
                    }
                })
            })
            .collect()
    }
}

/// (ẋ, u̇) at a state, without contacts.
fn free_rate(problem: &Problem, time: f64, state: &[f64]) -> Option<DVector<f64>> {
    let n = problem.rates.dimension;
    let mut jets = galilei_tape::Jets::new(&problem.tape, &problem.rates, &[], 1);
    let inputs: Vec<f64> = [time].into_iter().chain(state.iter().copied()).collect();
    jets.compute(&problem.tape, &problem.rates, &inputs, &[])
        .ok()?;
    let acceleration = |i: usize| jets.unknown(i)[0];
    let rate = DVector::from_fn(2 * n, |i, _| {
        if i < n {
            state[n + i]
        } else {
            acceleration(i - n)
        }
    });
    rate.iter().all(|x| x.is_finite()).then_some(rate)
}
