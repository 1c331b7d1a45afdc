//! `galilei modes`: the linearised motion at a state.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use galilei::{Code, Error, Model, Modes, document};

use crate::{Common, allowed, answer, load};

/// The largest matrix that is shown as text.
const MAX_SHOWN_MATRIX: usize = 8;

#[derive(Args)]
pub(crate) struct ModesArguments {
    /// The state; missing entries come from `initial`, then 0
    #[arg(long, default_value = "", value_name = "STATE")]
    at: String,
}

pub(crate) fn modes(common: &Common, arguments: &ModesArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?.facing_state(&arguments.at);
    let state = model.state_at(&arguments.at)?;
    let mut diagnostics = allowed(model, model.diagnostics_at(Some(&state)))?;
    // Contacts and friction are in the answer.
    diagnostics.retain(|d| d.code != Code::FreeMotion);
    // The constraints must hold at the state, as they must for `eval`.
    model.evaluate(&state)?;
    let mut modes = model.modes(&state)?;
    diagnostics.append(&mut modes.warnings);
    answer(
        common,
        model,
        &diagnostics,
        || document::Modes::new(&modes),
        || summary(model, &modes),
    );
    Ok(ExitCode::SUCCESS)
}

/// A number in a column.
pub(crate) fn short(x: f64) -> String {
    match x {
        0.0 => "0".into(),
        _ if x.abs() >= 1e5 || x.abs() < 1e-4 => format!("{x:.5e}"),
        _ => format!("{x:.8}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
    }
}

/// A complex number.
pub(crate) fn complex(s: &[f64; 2]) -> String {
    match s[1] {
        0.0 => short(s[0]),
        _ => format!(
            "{} {} {}i",
            short(s[0]),
            if s[1] < 0.0 { '−' } else { '+' },
            short(s[1].abs())
        ),
    }
}

fn summary(model: &Model, modes: &Modes) -> String {
    let mut out = format!(
        "{}, linearised at t = {}\n\n",
        model.title(),
        short(modes.time)
    );
    for (k, c) in model.contents().coordinates.iter().enumerate() {
        let _ = writeln!(
            out,
            "  {:<12} {:>16}   rate {:>16}",
            c.name,
            short(modes.position[k]),
            short(modes.velocity[k])
        );
    }
    let _ = writeln!(out, "\n  independent  {}", modes.independent.join(", "));
    if modes.a.len() <= MAX_SHOWN_MATRIX {
        for (k, row) in modes.a.iter().enumerate() {
            let head = if k == 0 { "A" } else { "" };
            let row: Vec<String> = row.iter().map(|x| format!("{:>14}", short(*x))).collect();
            let _ = writeln!(out, "  {head:<11}{}", row.concat());
        }
    }
    let _ = writeln!(
        out,
        "\n  {:<38} {:>14} {:>14}   mode",
        "eigenvalue", "frequency/Hz", "damping"
    );
    for (k, s) in modes.eigen.values.iter().enumerate() {
        let parts = modes.independent.iter().zip(&modes.eigen.vectors[k]);
        let mut parts: Vec<(f64, &str)> =
            parts.map(|(n, z)| (z[0].hypot(z[1]), n.as_str())).collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts: Vec<&str> = parts
            .iter()
            .take(3)
            .filter(|p| p.0 > 0.05)
            .map(|p| p.1)
            .collect();
        let _ = writeln!(
            out,
            "  {:<38} {:>14} {:>14}   {}",
            complex(s),
            short(modes.frequencies_hz[k]),
            modes.damping_ratios[k].map_or("–".into(), short),
            parts.join(", ")
        );
    }
    out
}
