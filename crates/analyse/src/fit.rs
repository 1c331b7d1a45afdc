//! Parameters and initial values from measurements, by least squares with exact sensitivities.

mod comparison;
mod profile;
mod search;
mod segments;
mod statistics;

use galilei_model::{Code, Diagnostic, Model};
use nalgebra::DVector;

use crate::eigen::Random;
use crate::setting::refused;
use comparison::{Comparison, unknown_name};
pub use profile::Profile;
use search::{Found, MAX_ITERATIONS, search};
use segments::Segments;
use statistics::judged;

/// A request for a fit.
#[derive(Clone, Debug)]
pub struct FitSettings {
    /// The unknowns: parameters, coordinates `x` and velocities `x'` for their initial values.
    pub free: Vec<String>,
    /// Least and largest values of unknowns.
    pub bounds: Vec<(String, f64, f64)>,
    /// Standard deviations of the measurements of outputs, by name; 1 for others.
    pub deviations: Vec<(String, f64)>,
    /// The number of searches from different starts; all but the first are spread evenly over the bounds.
    pub starts: usize,
    /// The seed of the point from which they are spread.
    pub seed: u64,
    /// The tolerance of runs.
    pub tolerance: f64,
    /// The number of segments of each run, for multiple shooting; 1 for one run from start to end.
    pub segments: usize,
    /// Whether profiles of the unknowns are wanted.
    pub profile: bool,
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
            segments: 1,
            profile: false,
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
#[non_exhaustive]
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
    /// The names of the measured outputs.
    pub output_names: Vec<String>,
    /// For each measurement its time, the number of its output, the measured and the computed value.
    pub residuals: Vec<(f64, usize, f64, f64)>,
    /// Profiles of the unknowns, if they were asked for.
    pub profiles: Vec<Profile>,
    /// Warnings: values at their bounds.
    pub warnings: Vec<Diagnostic>,
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
    fit_runs(model, std::slice::from_ref(data), settings)
}

/// The bounds of the unknowns.
fn bounds_of(
    comparison: &Comparison<'_>,
    settings: &FitSettings,
) -> Result<Vec<(f64, f64)>, Vec<Diagnostic>> {
    let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); comparison.names.len()];
    for (name, low, high) in &settings.bounds {
        let of = |full: &String| full == name || full.split('@').next() == Some(name.as_str());
        let places: Vec<usize> = (0..bounds.len())
            .filter(|&k| of(&comparison.names[k]))
            .collect();
        if places.is_empty() {
            return Err(unknown_name(name, "free name", &settings.free));
        }
        if low.partial_cmp(high) != Some(std::cmp::Ordering::Less) {
            return Err(refused(
                Code::WrongSetting,
                format!("the bounds of `{name}` are {low} and {high}"),
                "write --bounds \"m in 0.1..10\"",
            ));
        }
        places.iter().for_each(|&k| bounds[k] = (*low, *high));
    }
    Ok(bounds)
}

/// Points that fill a cube evenly, from a random one on: multiples of a vector of irrational numbers modulo 1. (Roberts 2018)
struct Spread {
    offsets: Vec<f64>,
    steps: Vec<f64>,
}

impl Spread {
    fn new(seed: u64, dimension: usize) -> Self {
        // The positive root φ of φ^(d+1) = φ + 1, by Newton's method from above; the steps are its negative powers.
        let mut root = 2.0_f64;
        for _ in 0..60 {
            let power = (0..dimension).fold(1.0, |p, _| p * root);
            root -= (power * root - root - 1.0) / ((dimension + 1) as f64 * power - 1.0);
        }
        let mut random = Random::new(seed);
        let mut step = 1.0;
        Self {
            offsets: (0..dimension).map(|_| random.unit()).collect(),
            steps: (0..dimension)
                .map(|_| {
                    step /= root;
                    step
                })
                .collect(),
        }
    }

    /// A coordinate in [0, 1) of a point.
    fn part(&self, point: usize, k: usize) -> f64 {
        (self.offsets[k] + point as f64 * self.steps[k]).fract()
    }
}

/// Finds parameters that several runs have in common, and initial values of each of them: `x@1`, `x@2`, … for the coordinate
/// x of the first, the second run.
///
/// # Errors
/// Where names or data do not fit the model, or no run reaches the end of the data.
pub fn fit_runs(
    model: &Model,
    runs: &[Measurements],
    settings: &FitSettings,
) -> Result<Fit, Vec<Diagnostic>> {
    let comparison = Comparison::new(model, runs, settings)?;
    let first = comparison.first_values()?;
    let bounds = bounds_of(&comparison, settings)?;
    if settings.segments > 1 && comparison.is_constrained() {
        return Err(refused(
            Code::NotAvailable,
            "multiple shooting under constraints is not available",
            "fit in one segment, or use coordinates without constraints",
        ));
    }
    let at = |x: &DVector<f64>| comparison.at(x);
    let spread = Spread::new(settings.seed, first.len());
    let mut best: Option<Found> = None;
    let mut failure = String::new();
    for start in 0..settings.starts.max(1) {
        let mut x = first.clone();
        if start > 0 {
            for (k, (x, (low, high))) in x.iter_mut().zip(&bounds).enumerate() {
                let part = spread.part(start, k);
                *x = match (low.is_finite(), high.is_finite()) {
                    (true, true) => low + part * (high - low),
                    // Without bounds: up to a factor of e, or by one.
                    _ if *x != 0.0 => *x * (2.0 * part - 1.0).exp(),
                    _ => 2.0 * part - 1.0,
                };
            }
        }
        for (x, (low, high)) in x.iter_mut().zip(&bounds) {
            *x = x.clamp(*low, *high);
        }
        let joined = match settings.segments {
            0 | 1 => Ok(x),
            count => Segments::new(&comparison, count).solve(&x, &bounds),
        };
        match joined.and_then(|x| search(&at, x, &bounds, MAX_ITERATIONS)) {
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
    let mut fit = judged(&comparison, &found, &bounds);
    if settings.profile {
        for c in 0..fit.parameters.len() {
            if let Some(error) = fit.parameters[c].standard_error.filter(|s| *s > 0.0) {
                let profile = profile::profile(&comparison, &found, &bounds, c, error);
                fit.profiles.push(profile);
            }
        }
    }
    fit.output_names.clone_from(&comparison.output_names);
    Ok(fit)
}
