//! `galilei lyapunov`: rates at which nearby motions part.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use galilei::{Error, Lyapunov, RunError, document};

use crate::interrupt::EXIT_INTERRUPTED;
use crate::modes::short;
use crate::progress::RunProgress;
use crate::run::Span;
use crate::{Common, EXIT_FAILED, answer};

#[derive(Args)]
pub(crate) struct LyapunovArguments {
    /// The number of exponents, the largest ones; all of them if absent
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = crate::counted::<usize>)]
    count: Option<usize>,
    #[command(flatten)]
    span: Span,
}

pub(crate) fn lyapunov(common: &Common, arguments: &LyapunovArguments) -> Result<ExitCode, Error> {
    let model = &arguments.span.load(common)?;
    let (settings, mut diagnostics) = arguments.span.allowed(model)?;
    let bar = RunProgress::new(common.quiet || common.json);
    let mut found = model
        .lyapunov()
        .settings(settings)
        .count(arguments.count)
        .progress(|p| bar.show(p))
        .run()?;
    drop(bar);
    diagnostics.append(&mut found.warnings);
    answer(
        common,
        model,
        &diagnostics,
        || document::Lyapunov::new(&found),
        || summary(model.title(), &found),
    );
    Ok(match found.failure {
        None => ExitCode::SUCCESS,
        Some(RunError::Interrupted) => ExitCode::from(EXIT_INTERRUPTED),
        Some(_) => ExitCode::from(EXIT_FAILED),
    })
}

fn summary(title: &str, found: &Lyapunov) -> String {
    let mut out = format!("{title}, {} time units\n\n", short(found.time));
    let mut heads = format!("  {:>16} {:>14}", "exponent", "error");
    for (time, _) in &found.convergence {
        let _ = write!(heads, " {:>14}", format!("until {}", short(*time)));
    }
    let _ = writeln!(out, "{heads}");
    for (k, value) in found.exponents.iter().enumerate() {
        let error = found.standard_error[k];
        let error = if error.is_finite() {
            format!("{error:.1e}")
        } else {
            "–".into()
        };
        let _ = write!(out, "  {:>16} {error:>14}", format!("{value:.8}"));
        for (_, list) in &found.convergence {
            let _ = write!(out, " {:>14}", format!("{:.6}", list[k]));
        }
        out.push('\n');
    }
    let expected = found.expected_sum.map_or(String::new(), |e| {
        format!("; the mean divergence of the motion is {e:.3e}")
    });
    let _ = writeln!(out, "\n  sum {:.3e}{expected}", found.sum);
    if let Some(why) = found.failure {
        let _ = writeln!(out, "  the motion was followed only this far: {why}");
    }
    out
}
