//! Parameters and initial values from measurements, by least squares with exact sensitivities.

use std::sync::Arc;

use galilei_expr::{Expr, Program};
use galilei_integrate::{Directions, Options, Record, Status, integrate_with};
use galilei_lower::{Form, Lowered, Parameters, lower};
use galilei_model::{Code, Diagnostic, Model};
use nalgebra::{DMatrix, DVector};

use crate::eigen::Random;
use crate::setting::refused;

/// Steps of one run.
const MAX_STEPS: usize = 2_000_000;
/// Iterations of one search.
const MAX_ITERATIONS: usize = 200;
/// The relative change of the sum of squares below which a search has converged.
const CONVERGED_CHANGE: f64 = 1e-13;
/// The relative change of the unknowns below which a search has converged.
const CONVERGED_STEP: f64 = 1e-11;
/// The largest damping: beyond it no step leads downhill.
const MAX_DAMPING: f64 = 1e16;
/// Singular values below this part of the largest, of derivatives by relative changes, count as zero. Derivatives are as good
/// as the tolerance of runs, 10⁻¹⁰ and better.
const UNDETERMINED_PART: f64 = 1e-7;
/// Components of a direction that are named, relative to the largest.
const NAMED_PART: f64 = 1e-3;

/// A request for a fit.
#[derive(Clone, Debug)]
pub struct FitSettings {
    /// The unknowns: parameters, coordinates `x` and velocities `x'` for their initial values.
    pub free: Vec<String>,
    /// Least and largest values of unknowns.
    pub bounds: Vec<(String, f64, f64)>,
    /// Standard deviations of the measurements of outputs, by name; 1 for others.
    pub deviations: Vec<(String, f64)>,
    /// The number of searches from different starts; all but the first start within the bounds.
    pub starts: usize,
    /// The seed of those starts.
    pub seed: u64,
    /// The tolerance of runs.
    pub tolerance: f64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            free: vec![],
            bounds: vec![],
            deviations: vec![],
            starts: 1,
            seed: 1,
            tolerance: 1e-12,
        }
    }
}

/// Measurements: times, and for some outputs a value or nothing at each of them.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// The times.
    pub times: Vec<f64>,
    /// Outputs with their values in SI units.
    pub outputs: Vec<(String, Vec<Option<f64>>)>,
}

/// A value that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The name.
    pub name: String,
    /// The value in SI units.
    pub value: f64,
    /// The standard error; `None` where the data do not determine it.
    pub standard_error: Option<f64>,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// The unknowns, in the order of the request.
    pub parameters: Vec<Fitted>,
    /// √(SSR/N)
    pub residual_rms: f64,
    /// Iterations of the search that was best.
    pub iterations: usize,
    /// Whether the search converged.
    pub converged: bool,
    /// The covariance of the unknowns; `None` where the data do not determine them.
    pub covariance: Vec<Vec<Option<f64>>>,
    /// Whether the data determine all unknowns.
    pub identifiable: bool,
    /// The combinations that the data do not determine, in words.
    pub undetermined: Vec<String>,
    /// The number of values that were compared.
    pub count: usize,
    /// For each measurement its time, the number of its output, the measured and the computed value.
    pub residuals: Vec<(f64, usize, f64, f64)>,
    /// Warnings: values at their bounds.
    pub warnings: Vec<Diagnostic>,
}

/// The kinds of unknowns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Unknown {
    /// A parameter, by its place among the kept ones.
    Parameter(usize),
    /// A component of the initial state: x, then u.
    Start(usize),
}

/// A model with its data, ready to be compared.
struct Comparison<'p> {
    model: &'p Model,
    unknowns: Vec<Unknown>,
    names: Vec<String>,
    kept: Vec<Expr<'p>>,
    lowered: Lowered,
    /// The initial state and its derivatives by the kept parameters.
    start: Program,
    /// Hamilton's equations and their derivatives by (x, p) and the kept parameters, for models on phase space.
    field: Option<Program>,
    /// The outputs and their derivatives by x, u and the kept parameters.
    outputs: Program,
    from: f64,
    times: Arc<[f64]>,
    /// Place of the time, output, value, weight.
    data: Vec<(usize, usize, f64, f64)>,
    output_count: usize,
    tolerance: f64,
}

fn unknown_name(name: &str, what: &str, known: &[String]) -> Vec<Diagnostic> {
    refused(
        Code::UnknownName,
        format!("there is no {what} `{name}`"),
        format!("there are {}", known.join(", ")),
    )
}

impl<'p> Comparison<'p> {
    fn new(
        model: &'p Model,
        data: &Measurements,
        settings: &FitSettings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let n = contents.coordinates.len();
        let mut kept: Vec<Expr<'p>> = Vec::new();
        let mut unknowns = Vec::new();
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
            unknowns.push(match (parameter, position, velocity) {
                (Some(p), ..) => {
                    kept.push(model.expr(p.symbol));
                    Unknown::Parameter(kept.len() - 1)
                }
                (_, Some(i), _) => Unknown::Start(i),
                (_, _, Some(i)) => Unknown::Start(n + i),
                _ => return Err(unknown_name(name, "parameter or coordinate", &known)),
            });
        }
        if unknowns.is_empty() {
            return Err(refused(
                Code::WrongSetting,
                "nothing is free",
                "name parameters or initial values with --free m,c,theta,theta'",
            ));
        }
        let lowered = lower(model, Form::Shortest, Parameters::Differentiated(&kept))?;
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
        let mut list = Vec::new();
        for (name, _) in &data.outputs {
            let Some(k) = names.iter().position(|o| o == name) else {
                let mut refusal = unknown_name(name, "output", &names);
                refusal[0].code = Code::DataColumnUnknown;
                return Err(refusal);
            };
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
        let output_count = list.len();
        let list: Vec<Expr<'p>> = list.into_iter().chain(slopes).collect();
        let outputs = Program::new(&list, &symbols).map_err(|e| {
            refused(
                Code::NotAvailable,
                format!("an output uses `{e}`, whose sensitivities are not available"),
                "fit outputs of positions, velocities and parameters",
            )
        })?;
        let mut times = data.times.clone();
        times.sort_by(f64::total_cmp);
        times.dedup();
        if let Some(early) = times.first().filter(|t| **t < from) {
            return Err(refused(
                Code::WrongSetting,
                format!("there is a measurement at t = {early}, before the start at t = {from}"),
                "start earlier: simulate from …",
            ));
        }
        let mut compared = Vec::new();
        for (k, (name, list)) in data.outputs.iter().enumerate() {
            let deviation = settings.deviations.iter().find(|d| d.0 == *name);
            let weight = deviation.map_or(1.0, |d| 1.0 / d.1);
            for (t, value) in data.times.iter().zip(list) {
                if let Some(value) = value {
                    let place = times.partition_point(|x| x < t);
                    compared.push((place, k, *value, weight));
                }
            }
        }
        if compared.len() < unknowns.len() {
            return Err(refused(
                Code::TableTooShort,
                format!(
                    "{} measurements do not determine {} unknowns",
                    compared.len(),
                    unknowns.len()
                ),
                "give more data, or free fewer parameters",
            ));
        }
        Ok(Self {
            model,
            unknowns,
            names: settings.free.clone(),
            kept,
            lowered,
            start,
            field,
            outputs,
            from,
            times: times.into(),
            data: compared,
            output_count,
            tolerance: settings.tolerance,
        })
    }

    /// The values of the unknowns in the model.
    fn first_values(&self) -> Result<DVector<f64>, Vec<Diagnostic>> {
        let numbers = self.model.parameter_values()?;
        let kept: Vec<f64> = (self.kept.iter())
            .map(|p| p.substitute(&numbers).evaluate_f64(&[]))
            .collect();
        let start = self.start.f64(&kept);
        let value = |u: &Unknown| match *u {
            Unknown::Parameter(k) => kept[k],
            Unknown::Start(i) => start[i],
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

    /// The residuals, weighted, and their derivatives by the unknowns; or why the run fails.
    fn at(&self, unknowns: &DVector<f64>) -> Result<(DVector<f64>, DMatrix<f64>), String> {
        let n = self.lowered.coordinates.len();
        let (q, p) = (self.unknowns.len(), self.kept.len());
        let mut kept = vec![0.0; p];
        for (u, value) in self.unknowns.iter().zip(unknowns.iter()) {
            if let Unknown::Parameter(k) = *u {
                kept[k] = *value;
            }
        }
        let all = self.start.f64(&kept);
        let (start, slopes) = all.split_at(2 * n);
        let mut start = start.to_vec();
        let mut columns = vec![vec![0.0; 2 * n + p]; q];
        for (c, u) in self.unknowns.iter().enumerate() {
            match *u {
                Unknown::Parameter(k) => {
                    for i in 0..2 * n {
                        columns[c][i] = slopes[i * p + k];
                    }
                    columns[c][2 * n + k] = 1.0;
                }
                Unknown::Start(i) => {
                    start[i] = unknowns[c];
                    columns[c][i] = 1.0;
                }
            }
        }
        // What is free does not follow parameters any more.
        for u in &self.unknowns {
            if let Unknown::Start(i) = *u {
                for (c, other) in self.unknowns.iter().enumerate() {
                    if let Unknown::Parameter(_) = other {
                        columns[c][i] = 0.0;
                    }
                }
            }
        }
        if let Some(field) = &self.field {
            // Velocities follow from the point of phase space.
            let inputs: Vec<f64> = [&[self.from], &start[..n], &kept].concat();
            let all = field.f64(&inputs);
            let (rates, slopes) = all.split_at(n);
            start[n..].copy_from_slice(rates);
            for column in &mut columns {
                let moved: Vec<f64> = column[..n]
                    .iter()
                    .chain(&column[2 * n..])
                    .copied()
                    .collect();
                for i in 0..n {
                    let row = &slopes[i * (n + p)..(i + 1) * (n + p)];
                    column[n + i] = row.iter().zip(&moved).map(|(s, d)| s * d).sum();
                }
            }
        }
        if start
            .iter()
            .chain(columns.iter().flatten())
            .any(|x| !x.is_finite())
        {
            return Err("the initial state is not defined".into());
        }
        let problem = self.lowered.problem.with_parameters(&kept);
        let residual = problem.residual(self.from, &start, &[]);
        let size = start.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        if residual > 1e-8 * size {
            return Err(format!(
                "the initial state leaves the constraints, by {residual:.1e}; write it so that it satisfies them for every value of the unknowns"
            ));
        }
        let directions = Directions {
            columns,
            transitions: false,
            method: None,
        };
        let options = Options {
            from: self.from,
            to: self.times.last().copied().unwrap_or(self.from),
            record: Record::At(Arc::clone(&self.times)),
            tolerance: self.tolerance,
            max_steps: MAX_STEPS,
            ..Options::default()
        };
        let (run, variation) = integrate_with(problem, &start, &options, &directions, |_| true);
        if run.status != Status::Finished || run.rows.len() != self.times.len() {
            return Err(format!(
                "the run could not be followed beyond t = {}, where the data end at t = {}",
                run.time, options.to
            ));
        }
        let mut residuals = DVector::zeros(self.data.len());
        let mut jacobian = DMatrix::zeros(self.data.len(), q);
        let width = 2 * n + p;
        let mut known: Vec<Option<Vec<f64>>> = vec![None; self.times.len()];
        for (row, &(at, output, value, weight)) in self.data.iter().enumerate() {
            let outputs = known[at].get_or_insert_with(|| {
                let mut point = run.rows[at][..=2 * n].to_vec();
                point.extend(&kept);
                self.outputs.f64(&point)
            });
            let slopes = &outputs[self.output_count + output * width..][..width];
            residuals[row] = weight * (outputs[output] - value);
            for (c, u) in self.unknowns.iter().enumerate() {
                let moved = (0..2 * n).map(|i| slopes[i] * variation.rows[at][i * q + c]);
                let own = match *u {
                    Unknown::Parameter(k) => slopes[2 * n + k],
                    Unknown::Start(_) => 0.0,
                };
                jacobian[(row, c)] = weight * (moved.sum::<f64>() + own);
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
}

/// A search that has ended.
struct Found {
    unknowns: DVector<f64>,
    residuals: DVector<f64>,
    jacobian: DMatrix<f64>,
    iterations: usize,
    converged: bool,
}

/// Levenberg and Marquardt's method within bounds, with the damping of Nielsen.
fn search(
    comparison: &Comparison<'_>,
    mut x: DVector<f64>,
    bounds: &[(f64, f64)],
) -> Result<Found, String> {
    let q = x.len();
    let clamp = |x: &mut DVector<f64>| {
        for (x, (low, high)) in x.iter_mut().zip(bounds) {
            *x = x.clamp(*low, *high);
        }
    };
    clamp(&mut x);
    let (mut r, mut j) = comparison.at(&x)?;
    let mut scale = vec![0.0_f64; q];
    let (mut damping, mut growth) = (1e-3, 2.0);
    let (mut iterations, mut converged) = (0, false);
    while iterations < MAX_ITERATIONS && !converged {
        iterations += 1;
        let gradient = j.transpose() * &r;
        // Unknowns at a bound that the descent would leave stay there.
        let held: Vec<bool> = (0..q)
            .map(|c| {
                let (low, high) = bounds[c];
                x[c] <= low && gradient[c] > 0.0 || x[c] >= high && gradient[c] < 0.0
            })
            .collect();
        for c in 0..q {
            scale[c] = scale[c].max(j.column(c).norm());
        }
        let mut accepted = false;
        while !accepted && damping < MAX_DAMPING {
            // [J; √λ D] δ = −[r; 0]
            let mut matrix = DMatrix::zeros(r.len() + q, q);
            let mut right = DVector::zeros(r.len() + q);
            matrix.rows_mut(0, r.len()).copy_from(&j);
            right.rows_mut(0, r.len()).copy_from(&-&r);
            for c in 0..q {
                let own = if scale[c] > 0.0 { scale[c] } else { 1.0 };
                matrix[(r.len() + c, c)] = f64::sqrt(damping) * own;
                if held[c] {
                    matrix.column_mut(c).fill(0.0);
                    matrix[(r.len() + c, c)] = 1.0;
                }
            }
            let qr = matrix.qr();
            let mut right = qr.q().transpose() * right;
            let step = match qr.r().solve_upper_triangular_mut(&mut right) {
                true => right,
                false => {
                    damping *= growth;
                    growth *= 2.0;
                    continue;
                }
            };
            let mut next = &x + &step;
            clamp(&mut next);
            let step = &next - &x;
            let relative = (0..q)
                .map(|c| step[c].abs() / x[c].abs().max(1e-8))
                .fold(0.0_f64, f64::max);
            let squares = r.norm_squared();
            let foreseen = squares - (&r + &j * &step).norm_squared();
            let tried = comparison.at(&next);
            let (better, gain) = match &tried {
                Ok((s, _)) => {
                    let gain = squares - s.norm_squared();
                    (gain > 0.0 || squares == 0.0, gain)
                }
                Err(_) => (false, 0.0),
            };
            let small = relative <= CONVERGED_STEP
                || foreseen.abs() <= CONVERGED_CHANGE * squares && gain.abs() <= 1e-9 * squares;
            if let (true, Ok((s, k))) = (better, tried) {
                let ratio = if foreseen > 0.0 { gain / foreseen } else { 1.0 };
                let factor = 1.0 - (2.0 * ratio.min(1.0) - 1.0).powi(3);
                damping = (damping * factor.max(1.0 / 3.0)).max(1e-16);
                growth = 2.0;
                (x, r, j) = (next, s, k);
                accepted = true;
                converged = small;
            } else {
                if small {
                    converged = true;
                    break;
                }
                damping *= growth;
                growth *= 2.0;
            }
        }
        if !accepted && !converged {
            // No step leads downhill: this is a minimum as far as numbers tell.
            converged = true;
        }
    }
    Ok(Found {
        unknowns: x,
        residuals: r,
        jacobian: j,
        iterations,
        converged,
    })
}

/// A number of percent for a sentence.
fn percent(x: f64) -> String {
    let text = format!("{:.3}", x.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// A direction in which the data do not change, in words: relative changes of the unknowns.
fn in_words(names: &[String], values: &DVector<f64>, direction: &[f64]) -> String {
    let largest = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut parts: Vec<(usize, f64)> = (direction.iter().enumerate())
        .map(|(k, x)| (k, x / largest))
        .filter(|(_, x)| x.abs() > NAMED_PART)
        .collect();
    let sign = parts.first().map_or(1.0, |p| p.1.signum());
    parts.iter_mut().for_each(|p| p.1 *= sign);
    let list: Vec<String> = parts
        .iter()
        .map(|(k, _)| format!("`{}`", names[*k]))
        .collect();
    if let [only] = &list[..] {
        return format!("{only} has no influence on the measured outputs");
    }
    let changes: Vec<String> = (parts.iter())
        .map(|(k, x)| {
            let name = &names[*k];
            let verb = if *x > 0.0 { "raising" } else { "lowering" };
            match values[*k] == 0.0 {
                true => format!("{verb} `{name}` by {:.3}", 0.01 * x.abs()),
                false => format!("{verb} `{name}` by {}", percent(*x)),
            }
        })
        .collect();
    format!(
        "{} only in combination: {} changes nothing that was measured",
        list.join(" and "),
        changes.join(" and ")
    )
}

/// Finds parameters and initial values for which outputs come nearest to measurements.
///
/// ```
/// use galilei_analyse::{FitSettings, Measurements, fit};
/// use galilei_model::{Settings, read};
/// let text = "param k = 3\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\ninitial x = 1\noutput place: x\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let times: Vec<f64> = (0..20).map(|k| 0.1 * f64::from(k)).collect();
/// let values = times.iter().map(|t| Some((2.0 * t).cos())).collect();
/// let data = Measurements { times, outputs: vec![("place".into(), values)] };
/// let settings = FitSettings { free: vec!["k".into()], ..FitSettings::default() };
/// let found = fit(&model, &data, &settings).unwrap();
/// assert!((found.parameters[0].value - 4.0).abs() < 1e-9);
/// assert!(found.identifiable && found.residual_rms < 1e-10);
/// ```
///
/// # Errors
/// Where names or data do not fit the model, or no run reaches the end of the data.
pub fn fit(
    model: &Model,
    data: &Measurements,
    settings: &FitSettings,
) -> Result<Fit, Vec<Diagnostic>> {
    let comparison = Comparison::new(model, data, settings)?;
    let first = comparison.first_values()?;
    let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); first.len()];
    for (name, low, high) in &settings.bounds {
        let Some(k) = settings.free.iter().position(|f| f == name) else {
            return Err(unknown_name(name, "free name", &settings.free));
        };
        if low.partial_cmp(high) != Some(std::cmp::Ordering::Less) {
            return Err(refused(
                Code::WrongSetting,
                format!("the bounds of `{name}` are {low} and {high}"),
                "write --bounds \"m in 0.1..10\"",
            ));
        }
        bounds[k] = (*low, *high);
    }
    let mut random = Random::new(settings.seed);
    let mut best: Option<Found> = None;
    let mut failure = String::new();
    for start in 0..settings.starts.max(1) {
        let mut x = first.clone();
        if start > 0 {
            for (x, (low, high)) in x.iter_mut().zip(&bounds) {
                let part = random.unit();
                *x = match (low.is_finite(), high.is_finite()) {
                    (true, true) => low + part * (high - low),
                    // Without bounds: up to a factor of e, or by one.
                    _ if *x != 0.0 => *x * (2.0 * part - 1.0).exp(),
                    _ => 2.0 * part - 1.0,
                };
            }
        }
        match search(&comparison, x, &bounds) {
            Ok(found) => {
                let squares = found.residuals.norm_squared();
                if best
                    .as_ref()
                    .is_none_or(|b| squares < b.residuals.norm_squared())
                {
                    best = Some(found);
                }
            }
            Err(why) => failure = why,
        }
    }
    let Some(found) = best else {
        return Err(refused(
            Code::FitFailed,
            format!("the model cannot be compared with the data: {failure}"),
            "choose other values to start from, in the model or with --set",
        ));
    };
    Ok(judged(&comparison, found, &bounds))
}

/// The statistics of a search.
fn judged(comparison: &Comparison<'_>, found: Found, bounds: &[(f64, f64)]) -> Fit {
    let Found {
        unknowns: x,
        residuals,
        jacobian,
        iterations,
        converged,
    } = found;
    let (count, q) = jacobian.shape();
    let squares = residuals.norm_squared();
    // Derivatives by relative changes.
    let size = |c: usize| if x[c] == 0.0 { 1.0 } else { x[c].abs() };
    let relative = DMatrix::from_fn(count, q, |i, c| jacobian[(i, c)] * size(c));
    let norms: Vec<f64> = (0..q).map(|c| relative.column(c).norm()).collect();
    let strongest = norms.iter().fold(0.0_f64, |m, x| m.max(*x));
    let svd = relative.svd(false, true);
    let rows = svd.v_t.unwrap_or_else(|| DMatrix::identity(q, q));
    let largest = svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s));
    let weak: Vec<usize> = (0..q)
        .filter(|&k| {
            svd.singular_values.get(k).copied().unwrap_or(0.0) <= UNDETERMINED_PART * largest
        })
        .collect();
    let mut lost = vec![false; q];
    let mut undetermined: Vec<String> = Vec::new();
    let simple: Vec<usize> = (0..q).filter(|&c| norms[c] <= 1e-9 * strongest).collect();
    for &c in &simple {
        lost[c] = true;
        undetermined.push(format!(
            "`{}` has no influence on the measured outputs",
            comparison.names[c]
        ));
    }
    for &k in &weak {
        let direction: Vec<f64> = rows.row(k).iter().copied().collect();
        let top = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let named: Vec<usize> = (0..q)
            .filter(|&c| direction[c].abs() > NAMED_PART * top)
            .collect();
        named.iter().for_each(|&c| lost[c] = true);
        if !named.iter().all(|c| simple.contains(c)) {
            undetermined.push(in_words(&comparison.names, &x, &direction));
        }
    }
    // σ²(JᵀJ)⁻¹ through the singular values that count.
    let free = count.saturating_sub(q);
    let variance = (free > 0).then(|| squares / free as f64);
    let entry = |a: usize, b: usize| -> Option<f64> {
        if lost[a] || lost[b] {
            return None;
        }
        let sum: f64 = (0..q)
            .filter(|k| !weak.contains(k))
            .map(|k| rows[(k, a)] * rows[(k, b)] / svd.singular_values[k].powi(2))
            .sum();
        Some(variance? * sum * size(a) * size(b))
    };
    let covariance: Vec<Vec<Option<f64>>> = (0..q)
        .map(|a| (0..q).map(|b| entry(a, b)).collect())
        .collect();
    let mut warnings = Vec::new();
    for (c, (low, high)) in bounds.iter().enumerate() {
        if x[c] <= *low || x[c] >= *high {
            warnings.push(Diagnostic::warning(
                Code::ParameterAtBound,
                format!("`{}` = {:?} is at its bound", comparison.names[c], x[c]),
                "the data would have it beyond; its standard error does not count",
                None,
            ));
        }
    }
    if !converged {
        warnings.push(Diagnostic::warning(
            Code::FitNotConverged,
            format!("the search did not converge in {iterations} iterations"),
            "choose values nearer to the data to start from, or several starts",
            None,
        ));
    }
    let residuals_list = (comparison.data.iter().zip(residuals.iter()))
        .map(|(&(at, output, value, weight), r)| {
            (comparison.times[at], output, value, value + r / weight)
        })
        .collect();
    Fit {
        parameters: (0..q)
            .map(|c| Fitted {
                name: comparison.names[c].clone(),
                value: x[c],
                standard_error: covariance[c][c].map(|v| v.max(0.0).sqrt()),
            })
            .collect(),
        residual_rms: (squares / count as f64).sqrt(),
        iterations,
        converged,
        covariance,
        identifiable: undetermined.is_empty(),
        undetermined,
        count,
        residuals: residuals_list,
        warnings,
    }
}
