//! `galilei fit`: parameters and initial values from measurements.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::{Code, Diagnostic, Error, Fit, FitSettings, Model, document};

use galilei_report::plot::{Curve, Plot, Quantity, sheet};

use crate::modes::short;
use crate::progress::Waiting;
use crate::{Common, EXIT_FAILED, allowed, answer, load};

#[derive(Args)]
pub(crate) struct FitArguments {
    /// Measurements: CSV with a column `t` and columns named like outputs; empty cells are missing values. Several files
    /// are measurements of the same motion
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<String>,
    /// The unknowns: parameters, and x and x' for initial values
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', required = true)]
    free: Vec<String>,
    /// Least and largest values of unknowns, as "m in 0.1..10, c in 0..1", parameters in their units
    #[arg(long, value_name = "NAME in A..B,…", default_value = "")]
    bounds: String,
    /// Standard deviations of the measurements of outputs, as "angle=0.01,speed=0.1"; 1 for others
    #[arg(long, value_name = "NAME=S,…", default_value = "")]
    deviations: String,
    /// The number of searches; all but the first start at points spread over the bounds
    #[arg(long, default_value_t = 1)]
    starts: usize,
    /// The seed of the points from which searches start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Each file is a run of its own: parameters are common to all, initial values x and x' belong to each run
    #[arg(long)]
    runs: bool,
    /// Multiple shooting with this many segments of a run, for chaotic motions and long data
    #[arg(long, value_name = "K", default_value_t = 1)]
    segments: usize,
    /// Fit again with each unknown held at values around its own: intervals of confidence without linearisation
    #[arg(long)]
    profile: bool,
    /// Path of a picture of data, fit and residuals, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<std::path::PathBuf>,
    /// The relative tolerance of steps
    #[arg(long, default_value_t = 1e-12)]
    tolerance: f64,
}

fn wrong(message: String, hint: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(Code::WrongSetting, message, hint, None)]
}

/// `m in 0.1..10, c in 0..1`
fn bounds(text: &str) -> Result<Vec<(String, f64, f64)>, Vec<Diagnostic>> {
    let entries = text.split(',').filter(|e| !e.trim().is_empty());
    entries
        .map(|entry| {
            let read = || {
                let (name, range) = entry.split_once(" in ")?;
                let (low, high) = range.split_once("..")?;
                let low = low.trim().parse().ok()?;
                Some((name.trim().to_owned(), low, high.trim().parse().ok()?))
            };
            read().ok_or_else(|| {
                wrong(
                    format!("`{entry}` gives no bounds"),
                    "write --bounds \"m in 0.1..10\"",
                )
            })
        })
        .collect()
}

/// Bounds of parameters in their units, as in `--set`, in SI units.
fn in_units(model: &Model, list: Vec<(String, f64, f64)>) -> Vec<(String, f64, f64)> {
    let parameters = &model.contents().parameters;
    let scaled = list.into_iter().map(|(name, low, high)| {
        let own = parameters.iter().find(|p| p.name == name);
        let unit = own.map_or(1.0, |p| model.expr(p.scale).evaluate_f64(&[]));
        (name, low * unit, high * unit)
    });
    scaled.collect()
}

/// `angle=0.01,speed=0.1`
fn deviations(text: &str) -> Result<Vec<(String, f64)>, Vec<Diagnostic>> {
    let entries = text.split(',').filter(|e| !e.trim().is_empty());
    entries
        .map(|entry| {
            let read = || {
                let (name, value) = entry.split_once('=')?;
                let value: f64 = value.trim().parse().ok()?;
                (value > 0.0).then(|| (name.trim().to_owned(), value))
            };
            read().ok_or_else(|| {
                wrong(
                    format!("`{entry}` gives no standard deviation"),
                    "write --deviations \"angle=0.01\"",
                )
            })
        })
        .collect()
}

pub(crate) fn fit(common: &Common, arguments: &FitArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let mut diagnostics = allowed(model, model.diagnostics())?;
    let names = arguments.free.iter().map(|n| n.trim().to_owned());
    let settings = FitSettings {
        free: names.filter(|n| !n.is_empty()).collect(),
        bounds: in_units(
            model,
            bounds(&arguments.bounds).map_err(|e| model.error(e))?,
        ),
        deviations: deviations(&arguments.deviations).map_err(|e| model.error(e))?,
        starts: arguments.starts,
        seed: arguments.seed,
        tolerance: arguments.tolerance,
        segments: arguments.segments,
        profile: arguments.profile,
    };
    let files: Vec<&Path> = arguments.data.iter().map(Path::new).collect();
    let parts: Vec<&[&Path]> = match arguments.runs {
        true => files.chunks(1).collect(),
        false => vec![&files[..]],
    };
    let runs = parts
        .into_iter()
        .map(galilei::read_measurements)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| model.error(e))?;
    let waiting = Waiting::new(common.quiet || common.json, "fitting");
    let found = model.fit_runs(&runs, &settings);
    drop(waiting);
    let mut found = found?;
    if let Some(path) = &arguments.plot {
        let picture = picture(model, &found);
        std::fs::write(path, picture).map_err(|e| {
            let message = format!("{} cannot be written: {e}", path.display());
            model.error(vec![Diagnostic::error(
                Code::CannotWrite,
                message,
                "choose another path",
                None,
            )])
        })?;
    }
    diagnostics.append(&mut found.warnings);
    answer(
        common,
        model,
        &diagnostics,
        || document::Fit::new(&found),
        || summary(model, &found),
    );
    Ok(match found.converged {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(EXIT_FAILED),
    })
}

/// Data and fit over time, and the residuals, for each output.
fn picture(model: &Model, found: &Fit) -> String {
    let mut plots = Vec::new();
    for (k, name) in found.output_names.iter().enumerate() {
        let of = |value: &dyn Fn(f64, f64) -> f64| -> Vec<[f64; 2]> {
            let own = found.residuals.iter().filter(|r| r.1 == k);
            own.map(|r| [r.0, value(r.2, r.3)]).collect()
        };
        let plot = |title: String, curves: Vec<Curve>| Plot {
            title,
            x: Quantity::new("t", ""),
            y: Quantity::new(name.clone(), ""),
            curves,
            dots: true,
            ..Plot::default()
        };
        let curve = |name: &str, points| Curve {
            name: name.into(),
            points,
        };
        plots.push(plot(
            format!("{name}: data and fit"),
            vec![
                curve("data", of(&|measured, _| measured)),
                curve("fit", of(&|_, computed| computed)),
            ],
        ));
        plots.push(plot(
            format!("{name}: data − fit"),
            vec![curve("", of(&|measured, computed| measured - computed))],
        ));
    }
    let note = format!("{} values, rms {}", found.count, short(found.residual_rms));
    sheet(model.title(), &note, &plots)
}

fn summary(model: &Model, found: &Fit) -> String {
    let mut out = format!("{}, fitted to {} values\n\n", model.title(), found.count);
    for p in &found.parameters {
        let error = p
            .standard_error
            .map_or("not determined".into(), |s| format!("± {}", short(s)));
        let _ = writeln!(
            out,
            "  {:<12} {:>18}   {error}",
            p.name,
            format!("{:?}", p.value)
        );
    }
    let _ = writeln!(
        out,
        "\n  residual (rms) {}, {} iterations",
        short(found.residual_rms),
        found.iterations
    );
    for p in &found.profiles {
        let end = |x: Option<f64>| x.map_or("not reached".into(), short);
        let [low, high] = p.interval;
        let _ = writeln!(
            out,
            "  {:<12} 95 % between {} and {}",
            p.name,
            end(low),
            end(high)
        );
    }
    if !found.identifiable {
        let _ = writeln!(out, "\n  the data do not determine");
        for line in &found.undetermined {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}
