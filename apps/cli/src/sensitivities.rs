//! `galilei sensitivities`, also called `jacobi`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use galilei::Status;
use galilei::document;
use galilei::{Error, Sensitivities};

use crate::progress::RunProgress;
use crate::run::{Span, ended};
use crate::{Common, answer};

/// The largest number of rows and columns that are shown.
const MAX_SHOWN: usize = 12;

#[derive(Args)]
pub(crate) struct SensitivityArguments {
    /// Parameters with respect to which the motion is differentiated, in addition to its start
    #[arg(long, value_name = "m,l", value_delimiter = ',')]
    by: Vec<String>,
    /// A coordinate, a velocity or an output, the final value of which is differentiated with respect to the state at
    /// every recorded time
    #[arg(long, value_name = "NAME")]
    gradient: Option<String>,
    #[command(flatten)]
    span: Span,
}

pub(crate) fn sensitivities(
    common: &Common,
    arguments: &SensitivityArguments,
) -> Result<ExitCode, Error> {
    let model = &arguments.span.load(common)?;
    let (settings, mut diagnostics) = arguments.span.allowed(model)?;
    let bar = RunProgress::new(common.quiet || common.json);
    let mut analysis = model
        .sensitivities()
        .settings(settings)
        .by_all(&arguments.by)
        .progress(|p| bar.show(p));
    if let Some(of) = &arguments.gradient {
        analysis = analysis.gradient(of);
    }
    let found = analysis.run()?;
    drop(bar);
    diagnostics.extend(found.motion.warnings.iter().cloned());
    answer(
        common,
        model,
        &diagnostics,
        || document::Sensitivities::new(model.title(), &found),
        || summary(model.title(), &found),
    );
    Ok(ended(common, &found.motion))
}

/// A table with names at its head and side.
fn table(head: &[String], side: &[String], rows: &[Vec<f64>]) -> String {
    let mut out = format!("  {:<12}", "");
    for name in head.iter().take(MAX_SHOWN) {
        let _ = write!(out, " {name:>16}");
    }
    out.push('\n');
    for (name, row) in side.iter().zip(rows).take(MAX_SHOWN) {
        let _ = write!(out, "  {name:<12}");
        for x in row.iter().take(MAX_SHOWN) {
            let _ = write!(out, " {x:>16.8e}");
        }
        out.push('\n');
    }
    if head.len().max(side.len()) > MAX_SHOWN {
        let _ = writeln!(
            out,
            "  … {} × {} in all: --json has them",
            side.len(),
            head.len()
        );
    }
    out
}

fn summary(title: &str, found: &Sensitivities) -> String {
    let m = &found.motion;
    let velocities = m.coordinates.iter().map(|c| format!("{c}'"));
    let names: Vec<String> = m.coordinates.iter().cloned().chain(velocities).collect();
    let mut out = format!(
        "{title}\n\n  Derivatives of the state at t = {} by the state at the start\n\n",
        m.run.time
    );
    out += &table(&names, &names, &found.transition);
    if !found.parameters.is_empty() {
        let columns: Vec<Vec<f64>> = (0..names.len())
            .map(|i| found.by_parameters.iter().map(|s| s[i]).collect())
            .collect();
        out += "\n  by parameters; a start that depends on them moves along\n\n";
        out += &table(&found.parameters, &names, &columns);
    }
    if let Some(g) = &found.gradient {
        let _ = write!(
            out,
            "\n  Derivatives of {} = {:.12e} by earlier states (the adjoint, T-102)\n\n",
            g.of, g.value
        );
        let thin = g.rows.len().div_ceil(MAX_SHOWN).max(1);
        let rows: Vec<_> = g.rows.iter().step_by(thin).collect();
        let times: Vec<String> = rows.iter().map(|r| format!("t = {}", r.0)).collect();
        let values: Vec<Vec<f64>> = rows.iter().map(|r| r.1.clone()).collect();
        out += &table(&names, &times, &values);
        for (name, p) in found.parameters.iter().zip(&g.parameters) {
            let _ = writeln!(out, "  by {name}: {p:.12e}");
        }
    }
    let _ = write!(
        out,
        "\n  {} steps of order {}, energy balance {:.1e}",
        m.run.steps, m.run.order, m.run.energy_balance
    );
    match found.symplectic_defect() {
        Some(defect) => {
            let along = match m.run.constraint_residual {
                Some(_) => " along the constraints",
                None => "",
            };
            let _ = write!(out, ", symplectic to {defect:.1e} in (x, p){along}");
        }
        None => out += "; the Legendre map is singular here",
    }
    let _ = writeln!(out, ", {:.1} ms", 1e3 * m.integrate_seconds);
    match &m.run.status {
        Status::Finished => {}
        Status::Event(k) => {
            let _ = writeln!(out, "  ended by the event {}", m.event_names[*k]);
        }
        Status::Failed(why) => {
            let _ = writeln!(out, "  failed: {why}; these are the sensitivities so far");
        }
    }
    out
}
