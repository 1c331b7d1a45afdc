//! A model next to measurements of one or several runs: residuals and their exact derivatives.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use galilei_expr::{Expr, Program};
use galilei_integrate::{Directions, Options, Record, Status};
use galilei_model::{Code, Diagnostic, Model};
use nalgebra::{DMatrix, DVector};

use super::search::Residuals;
use super::{FitSettings, Measurements};
use crate::contact::Motions;
use crate::setting::refused;

/// Steps of the first run.
const MAX_STEPS: usize = 2_000_000;
/// Steps of later runs in units of those of the cheapest run so far: values that make a run much dearer are not tried.
const STEP_FACTOR: usize = 50;
/// Steps that every run may take.
const FREE_STEPS: usize = 5_000;

/// The kinds of unknowns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Unknown {
    /// A parameter, by its place among the kept ones.
    Parameter(usize),
    /// A component of the initial state of a run: x, then u.
    Start { run: usize, component: usize },
}

/// A measured value of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datum {
    /// The place of its time among those of the run.
    pub(super) at: usize,
    pub(super) output: usize,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// The measurements of a run.
pub(super) struct Measured {
    pub(super) times: Arc<[f64]>,
    pub(super) data: Vec<Datum>,
}

/// States and their derivatives along a run.
pub(super) struct Followed {
    /// t, x, u at the recorded times.
    pub(super) rows: Vec<Vec<f64>>,
    /// For every recorded time the derivatives of x and u by the directions, row by row.
    pub(super) slopes: Vec<Vec<f64>>,
}

/// A model with its data, ready to be compared.
pub(super) struct Comparison<'p> {
    model: &'p Model,
    pub(super) unknowns: Vec<Unknown>,
    pub(super) names: Vec<String>,
    kept: Vec<Expr<'p>>,
    pub(super) motions: Motions,
    /// The initial state and its derivatives by the kept parameters.
    start: Program,
    /// Hamilton's equations and their derivatives by (x, p) and the kept parameters, for models on phase space.
    field: Option<Program>,
    /// The outputs and their derivatives by x, u and the kept parameters.
    outputs: Program,
    pub(super) output_names: Vec<String>,
    pub(super) from: f64,
    pub(super) runs: Vec<Measured>,
    tolerance: f64,
    /// The largest magnitudes of x and u along runs.
    amplitudes: RefCell<Vec<f64>>,
    /// The steps of the cheapest run.
    fewest_steps: Cell<Option<usize>>,
}

pub(super) fn unknown_name(name: &str, what: &str, known: &[String]) -> Vec<Diagnostic> {
    refused(
        Code::UnknownName,
        format!("there is no {what} `{name}`"),
        format!("there are {}", known.join(", ")),
    )
}

/// Refuses times that are no numbers, and columns of other lengths.
fn well_formed(data: &Measurements) -> Result<(), Vec<Diagnostic>> {
    if let Some(k) = data.times.iter().position(|t| !t.is_finite()) {
        return Err(refused(
            Code::WrongSetting,
            format!("the time of measurement {} is no number", k + 1),
            "give each measurement its time",
        ));
    }
    for (name, list) in &data.outputs {
        if list.len() != data.times.len() {
            return Err(refused(
                Code::WrongSetting,
                format!(
                    "there are {} times and {} values of `{name}`",
                    data.times.len(),
                    list.len()
                ),
                "give a value for each time; empty cells or NaN are missing values",
            ));
        }
        if let Some(k) = list.iter().position(|v| v.is_some_and(|v| !v.is_finite())) {
            return Err(refused(
                Code::WrongSetting,
                format!("measurement {} of `{name}` is no number", k + 1),
                "leave missing values out",
            ));
        }
    }
    Ok(())
}

impl<'p> Comparison<'p> {
    pub(super) fn new(
        model: &'p Model,
        runs: &[Measurements],
        settings: &FitSettings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let n = contents.coordinates.len();
        let mut kept: Vec<Expr<'p>> = Vec::new();
        let mut unknowns = Vec::new();
        let mut unknown_names = Vec::new();
        let mut known: Vec<String> = contents.parameters.iter().map(|p| p.name.clone()).collect();
        known.extend(contents.coordinates.iter().map(|c| c.name.clone()));
        known.extend(contents.coordinates.iter().map(|c| format!("{}'", c.name)));
        for (k, name) in settings.free.iter().enumerate() {
            if settings.free[..k].contains(name) {
                return Err(refused(
                    Code::WrongSetting,
                    format!("`{name}` is given twice in --free"),
                    "give each name once",
                ));
            }
            let parameter = contents.parameters.iter().find(|p| p.name == *name);
            let position = contents.coordinates.iter().position(|c| c.name == *name);
            let velocity = name
                .strip_suffix('\'')
                .and_then(|stem| contents.coordinates.iter().position(|c| c.name == stem));
            let component = match (parameter, position, velocity) {
                (Some(p), ..) => {
                    kept.push(model.expr(p.symbol));
                    unknowns.push(Unknown::Parameter(kept.len() - 1));
                    unknown_names.push(name.clone());
                    continue;
                }
                (_, Some(i), _) => i,
                (_, _, Some(i)) => n + i,
                _ => return Err(unknown_name(name, "parameter or coordinate", &known)),
            };
            for run in 0..runs.len() {
                unknowns.push(Unknown::Start { run, component });
                unknown_names.push(match runs.len() {
                    1 => name.clone(),
                    _ => format!("{name}@{}", run + 1),
                });
            }
        }
        if unknowns.is_empty() {
            return Err(refused(
                Code::WrongSetting,
                "nothing is free",
                "name parameters or initial values with --free m,c,theta,theta'",
            ));
        }
        let motions = Motions::new(model, &kept)?;
        let values = model.values_but(&kept)?;
        let pool = model.pool();
        let from = match contents.run.from {
            None => 0.0,
            Some(t) => {
                let numbers = model.parameter_values()?;
                model.expr(t).substitute(&numbers).evaluate_f64(&[])
            }
        };
        // The start as a function of the kept parameters.
        let zero = pool.zero();
        let positions = contents.coordinates.iter().map(|c| c.initial_position);
        let mut start: Vec<Expr<'p>> = positions
            .map(|id| id.map_or(zero, |id| model.expr(id)))
            .collect();
        start.extend(model.start_velocities(&[], None)?);
        let start = pool.substitute_all(&start, &values);
        let slopes: Vec<Expr<'p>> = start.iter().flat_map(|e| e.gradient(&kept)).collect();
        let start: Vec<Expr<'p>> = start.into_iter().chain(slopes).collect();
        let undefined = |e: Expr<'_>| {
            refused(
                Code::MissingValue,
                format!("`{e}` has no value"),
                "give it with --set, or in the model",
            )
        };
        let start = Program::new(&start, &kept).map_err(undefined)?;
        let field = match &contents.phase {
            None => None,
            Some(_) => {
                let still: Vec<_> = (model.velocities().into_iter())
                    .map(|v| (v, zero))
                    .collect();
                let field = model.exprs(&contents.initial_rates.equations);
                let field = pool.substitute_all(&field, &still);
                let field = pool.substitute_all(&field, &values);
                let field: Vec<Expr<'p>> = field.into_iter().map(|e| -e).collect();
                let by: Vec<Expr<'p>> = [&model.positions()[..], &kept].concat();
                let slopes: Vec<Expr<'p>> = field.iter().flat_map(|e| e.gradient(&by)).collect();
                let inputs: Vec<Expr<'p>> = [model.time()].into_iter().chain(by).collect();
                let all: Vec<Expr<'p>> = field.into_iter().chain(slopes).collect();
                Some(Program::new(&all, &inputs).map_err(undefined)?)
            }
        };
        let names: Vec<String> = contents.outputs.iter().map(|o| o.name.clone()).collect();
        let mut measured: Vec<String> = Vec::new();
        let mut list = Vec::new();
        for (name, _) in runs.iter().flat_map(|r| &r.outputs) {
            if measured.contains(name) {
                continue;
            }
            let Some(k) = names.iter().position(|o| o == name) else {
                let mut refusal = unknown_name(name, "output", &names);
                refusal[0].code = Code::DataColumnUnknown;
                return Err(refusal);
            };
            measured.push(name.clone());
            list.push(model.expr(contents.outputs[k].value));
        }
        let list = pool.substitute_all(&list, &values);
        let symbols: Vec<Expr<'p>> = [model.time()]
            .into_iter()
            .chain(model.positions())
            .chain(model.velocities())
            .chain(kept.iter().copied())
            .collect();
        let slopes: Vec<Expr<'p>> = list
            .iter()
            .flat_map(|e| e.gradient(&symbols[1..]))
            .collect();
        let list: Vec<Expr<'p>> = list.into_iter().chain(slopes).collect();
        let outputs = Program::new(&list, &symbols).map_err(|e| {
            refused(
                Code::NotAvailable,
                format!("an output uses `{e}`, whose sensitivities are not available"),
                "fit outputs of positions, velocities and parameters",
            )
        })?;
        let runs: Vec<Measured> = runs
            .iter()
            .map(|data| {
                well_formed(data)?;
                let mut times = data.times.clone();
                times.sort_by(f64::total_cmp);
                times.dedup();
                if let Some(early) = times.first().filter(|t| **t < from) {
                    return Err(refused(
                        Code::WrongSetting,
                        format!(
                            "there is a measurement at t = {early}, before the start at t = {from}"
                        ),
                        "start earlier: simulate from …",
                    ));
                }
                let mut compared = Vec::new();
                for (name, list) in &data.outputs {
                    let output = measured.iter().position(|m| m == name).unwrap_or(0);
                    let deviation = settings.deviations.iter().find(|d| d.0 == *name);
                    let weight = deviation.map_or(1.0, |d| 1.0 / d.1);
                    for (t, value) in data.times.iter().zip(list) {
                        if let Some(value) = *value {
                            let at = times.partition_point(|x| x < t);
                            compared.push(Datum {
                                at,
                                output,
                                value,
                                weight,
                            });
                        }
                    }
                }
                Ok(Measured {
                    times: times.into(),
                    data: compared,
                })
            })
            .collect::<Result<_, _>>()?;
        for (name, deviation) in &settings.deviations {
            if !measured.contains(name) {
                return Err(unknown_name(name, "measured output", &measured));
            }
            if !deviation.is_finite() || *deviation <= 0.0 {
                return Err(refused(
                    Code::WrongSetting,
                    format!("the standard deviation of `{name}` is {deviation}"),
                    "standard deviations are positive numbers",
                ));
            }
        }
        let count: usize = runs.iter().map(|r| r.data.len()).sum();
        if count < unknowns.len() {
            return Err(refused(
                Code::TableTooShort,
                format!(
                    "{count} measurements do not determine {} unknowns",
                    unknowns.len()
                ),
                "give more data, or free fewer parameters",
            ));
        }
        Ok(Self {
            model,
            unknowns,
            names: unknown_names,
            kept,
            motions,
            start,
            field,
            outputs,
            output_names: measured,
            from,
            runs,
            tolerance: settings.tolerance,
            amplitudes: RefCell::new(vec![0.0; 2 * n]),
            fewest_steps: Cell::new(None),
        })
    }

    /// The values of the unknowns in the model.
    pub(super) fn first_values(&self) -> Result<DVector<f64>, Vec<Diagnostic>> {
        let numbers = self.model.parameter_values()?;
        let kept: Vec<f64> = (self.kept.iter())
            .map(|p| p.substitute(&numbers).evaluate_f64(&[]))
            .collect();
        let start = self.start.f64(&kept);
        let value = |u: &Unknown| match *u {
            Unknown::Parameter(k) => kept[k],
            Unknown::Start { component, .. } => start[component],
        };
        let list: Vec<f64> = self.unknowns.iter().map(value).collect();
        match list.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(refused(
                Code::MissingValue,
                format!("`{}` has no value to start from", self.names[k]),
                "give a first guess in the model, or with --set",
            )),
            None => Ok(DVector::from_vec(list)),
        }
    }

    /// The number of measured values.
    pub(super) fn count(&self) -> usize {
        self.runs.iter().map(|r| r.data.len()).sum()
    }

    /// The number of kept parameters.
    pub(super) fn parameters(&self) -> usize {
        self.kept.len()
    }

    /// The values of the kept parameters.
    pub(super) fn kept_values(&self, unknowns: &DVector<f64>) -> Vec<f64> {
        let mut kept = vec![0.0; self.kept.len()];
        for (u, value) in self.unknowns.iter().zip(unknowns.iter()) {
            if let Unknown::Parameter(k) = *u {
                kept[k] = *value;
            }
        }
        kept
    }

    /// The initial state of a run, and in columns its derivatives by the unknowns; those by kept parameters behind them.
    pub(super) fn start_of(
        &self,
        run: usize,
        kept: &[f64],
        unknowns: &DVector<f64>,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), String> {
        let n = self.motions.lowered.coordinates.len();
        let (q, p) = (self.unknowns.len(), self.kept.len());
        let all = self.start.f64(kept);
        let (start, slopes) = all.split_at(2 * n);
        let mut start = start.to_vec();
        let mut columns = vec![vec![0.0; 2 * n + p]; q];
        for (c, u) in self.unknowns.iter().enumerate() {
            if let Unknown::Parameter(k) = *u {
                for i in 0..2 * n {
                    columns[c][i] = slopes[i * p + k];
                }
                columns[c][2 * n + k] = 1.0;
            }
        }
        // Components that are free do not follow parameters any more.
        for (c, u) in self.unknowns.iter().enumerate() {
            let Unknown::Start {
                run: own,
                component,
            } = *u
            else {
                continue;
            };
            if own == run {
                start[component] = unknowns[c];
                columns
                    .iter_mut()
                    .for_each(|column| column[component] = 0.0);
                columns[c][component] = 1.0;
            }
        }
        self.complete(kept, self.from, &mut start, &mut columns);
        let finite = start.iter().chain(columns.iter().flatten());
        if finite.into_iter().any(|x| !x.is_finite()) {
            return Err("the initial state is not defined".into());
        }
        let problem = self.motions.lowered.problem.with_parameters(kept);
        let residual = problem.residual(self.from, &start, &[]);
        let size = start.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        if residual > 1e-8 * size {
            return Err(format!(
                "the initial state leaves the constraints, by {residual:.1e}; write it so that it satisfies them for every value of the unknowns"
            ));
        }
        Ok((start, columns))
    }

    /// Whether constraints restrict states. Hamilton's equations, as constraints on phase space, do not count: velocities
    /// follow from them.
    pub(super) fn is_constrained(&self) -> bool {
        let own = self
            .field
            .as_ref()
            .map_or(0, |_| self.motions.lowered.coordinates.len());
        self.model.constraint_rows().len() > own
    }

    /// The number of components that determine a state: x and u, or (x, p) alone on phase space.
    pub(super) fn state_width(&self) -> usize {
        let n = self.motions.lowered.coordinates.len();
        if self.field.is_some() { n } else { 2 * n }
    }

    /// On phase space, sets the velocities of a state and of directions: they follow from (x, p) by Hamilton's equations.
    pub(super) fn complete(
        &self,
        kept: &[f64],
        time: f64,
        start: &mut [f64],
        columns: &mut [Vec<f64>],
    ) {
        let Some(field) = &self.field else {
            return;
        };
        let (n, p) = (self.motions.lowered.coordinates.len(), kept.len());
        let inputs: Vec<f64> = [&[time], &start[..n], kept].concat();
        let all = field.f64(&inputs);
        let (rates, slopes) = all.split_at(n);
        start[n..].copy_from_slice(rates);
        for column in columns {
            let moved: Vec<f64> = (column[..n].iter().chain(&column[2 * n..]))
                .copied()
                .collect();
            for i in 0..n {
                let row = &slopes[i * (n + p)..(i + 1) * (n + p)];
                column[n + i] = row.iter().zip(&moved).map(|(s, d)| s * d).sum();
            }
        }
    }

    /// States at some times, with their derivatives along directions (δx, δu, δparameters).
    pub(super) fn follow(
        &self,
        kept: &[f64],
        from: f64,
        start: &[f64],
        columns: Vec<Vec<f64>>,
        times: &Arc<[f64]>,
    ) -> Result<Followed, String> {
        let directions = Directions {
            columns,
            transitions: false,
            method: None,
        };
        let fewest = self.fewest_steps.get();
        let options = Options {
            from,
            to: times.last().copied().unwrap_or(from),
            record: Record::At(Arc::clone(times)),
            tolerance: self.tolerance,
            max_steps: fewest.map_or(MAX_STEPS, |s| STEP_FACTOR * s + FREE_STEPS),
            ..Options::default()
        };
        let with = (start, Some(kept));
        let (run, followed) = self.motions.follow(with, &options, &directions, |_| true);
        if let Status::Failed(why) = run.status
            && self.motions.contacts.is_some()
        {
            return Err(format!("the run ends at t = {}: {why}", run.time));
        }
        if run.status != Status::Finished || run.rows.len() != times.len() {
            return Err(format!(
                "the run could not be followed beyond t = {}, where the data end at t = {}",
                run.time, options.to
            ));
        }
        let steps = run.steps;
        self.fewest_steps
            .set(Some(fewest.map_or(steps, |s| s.min(steps))));
        let mut amplitudes = self.amplitudes.borrow_mut();
        for row in &run.rows {
            for (a, x) in amplitudes.iter_mut().zip(&row[1..]) {
                if x.is_finite() {
                    *a = a.max(x.abs());
                }
            }
        }
        Ok(Followed {
            rows: run.rows,
            slopes: followed.rows,
        })
    }

    /// The measured outputs at (t, x, u), then their derivatives by x, u and the kept parameters, output by output.
    pub(super) fn outputs_at(&self, row: &[f64], kept: &[f64]) -> Vec<f64> {
        let n = self.motions.lowered.coordinates.len();
        let mut point = row[..=2 * n].to_vec();
        point.extend(kept);
        self.outputs.f64(&point)
    }

    /// The residuals, weighted, and their derivatives by the unknowns; or why a run fails.
    pub(super) fn at(&self, unknowns: &DVector<f64>) -> Residuals {
        let n = self.motions.lowered.coordinates.len();
        let (q, p) = (self.unknowns.len(), self.kept.len());
        let width = 2 * n + p;
        let kept = self.kept_values(unknowns);
        let mut residuals = DVector::zeros(self.count());
        let mut jacobian = DMatrix::zeros(self.count(), q);
        let mut row = 0;
        for (number, run) in self.runs.iter().enumerate() {
            let (start, columns) = self.start_of(number, &kept, unknowns)?;
            let followed = self.follow(&kept, self.from, &start, columns, &run.times)?;
            let mut known: Vec<Option<Vec<f64>>> = vec![None; run.times.len()];
            for d in &run.data {
                let outputs =
                    known[d.at].get_or_insert_with(|| self.outputs_at(&followed.rows[d.at], &kept));
                let slopes = &outputs[self.output_names.len() + d.output * width..][..width];
                residuals[row] = d.weight * (outputs[d.output] - d.value);
                for (c, u) in self.unknowns.iter().enumerate() {
                    let moved = (0..2 * n).map(|i| slopes[i] * followed.slopes[d.at][i * q + c]);
                    let own = match *u {
                        Unknown::Parameter(k) => slopes[2 * n + k],
                        Unknown::Start { .. } => 0.0,
                    };
                    jacobian[(row, c)] = d.weight * (moved.sum::<f64>() + own);
                }
                row += 1;
            }
        }
        match residuals
            .iter()
            .chain(jacobian.iter())
            .all(|x| x.is_finite())
        {
            true => Ok((residuals, jacobian)),
            false => Err("an output is not a number along the run".into()),
        }
    }

    /// The sizes of the unknowns, of which changes are parts: of parameters their values, of initial values the amplitude of
    /// the motion.
    pub(super) fn sizes(&self, unknowns: &DVector<f64>) -> Vec<f64> {
        let amplitudes = self.amplitudes.borrow();
        let size = |(u, x): (&Unknown, &f64)| {
            let size = match *u {
                Unknown::Parameter(_) => x.abs(),
                Unknown::Start { component, .. } => x.abs().max(amplitudes[component]),
            };
            if size == 0.0 { 1.0 } else { size }
        };
        self.unknowns
            .iter()
            .zip(unknowns.iter())
            .map(size)
            .collect()
    }

    /// For each measurement its time, the number of its output, the measured and the computed value.
    pub(super) fn compared(&self, residuals: &DVector<f64>) -> Vec<(f64, usize, f64, f64)> {
        let data = self
            .runs
            .iter()
            .flat_map(|r| r.data.iter().map(move |d| (r, d)));
        data.zip(residuals.iter())
            .map(|((r, d), off)| (r.times[d.at], d.output, d.value, d.value + off / d.weight))
            .collect()
    }
}
