//! `galilei fit`: parameters and initial values from measurements.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::{Code, Diagnostic, Error, Fit, FitSettings, Model, document};

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
    /// Least and largest values of unknowns, as "m in 0.1..10, c in 0..1"
    #[arg(long, value_name = "NAME in A..B,…", default_value = "")]
    bounds: String,
    /// Standard deviations of the measurements of outputs, as "angle=0.01,speed=0.1"; 1 for others
    #[arg(long, value_name = "NAME=S,…", default_value = "")]
    deviations: String,
    /// The number of searches; all but the first start at random within the bounds
    #[arg(long, default_value_t = 1)]
    starts: usize,
    /// The seed of the random starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
        bounds: bounds(&arguments.bounds).map_err(|e| model.error(e))?,
        deviations: deviations(&arguments.deviations).map_err(|e| model.error(e))?,
        starts: arguments.starts,
        seed: arguments.seed,
        tolerance: arguments.tolerance,
    };
    let files: Vec<&Path> = arguments.data.iter().map(Path::new).collect();
    let data = galilei::read_measurements(&files).map_err(|e| model.error(e))?;
    let waiting = Waiting::new(common.quiet || common.json, "fitting");
    let found = model.fit(&data, &settings);
    drop(waiting);
    let mut found = found?;
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
    if !found.identifiable {
        let _ = writeln!(out, "\n  the data do not determine");
        for line in &found.undetermined {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}
