//! `galilei periodic`: periodic motions and families of them.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use galilei::{
    Code, Diagnostic, Error, Model, PeriodicMotions, PeriodicProof, PeriodicSearch, document,
};

use crate::modes::{complex, short};
use crate::{Common, EXIT_FAILED, allowed, answer, load};

/// The quantity that a search keeps.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Fixed {
    /// The period, instead of the energy
    Period,
}

#[derive(Args)]
pub(crate) struct PeriodicArguments {
    /// The period: a guess for autonomous systems, a multiple of the drive's period for driven ones
    #[arg(long, value_name = "T", required_unless_present = "mode")]
    period: Option<f64>,
    /// Start in this mode about the equilibrium nearest to --at, the slowest mode being 1; the period is that of the mode
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = crate::counted::<usize>)]
    mode: Option<usize>,
    /// The amplitude of the largest coordinate at a start in a mode
    #[arg(long, value_name = "A", default_value_t = 0.01)]
    amplitude: f64,
    /// The start near which a motion is sought; missing entries come from `initial`, then 0
    #[arg(long, default_value = "", value_name = "STATE")]
    at: String,
    /// Follow the family of motions along a parameter, or along `energy` or `period`
    #[arg(long, value_name = "NAME=A..B", allow_hyphen_values = true)]
    vary: Option<String>,
    /// Keep the period instead of the energy
    #[arg(long, value_enum)]
    fix: Option<Fixed>,
    /// Prove with intervals that the motion exists
    #[arg(long, conflicts_with = "vary")]
    certify: bool,
    /// The relative tolerance of a step
    #[arg(long, default_value_t = 1e-14)]
    tolerance: f64,
}

/// The parameter, the ends of its range in SI units, and its unit.
fn varied(model: &Model, text: &str) -> Result<(String, f64, f64, f64), Error> {
    let wrong = || {
        let message = format!("`{text}` is no range of a parameter");
        model.error(Diagnostic::error(
            Code::InvalidAxis,
            message,
            "write --vary \"w=0.5..2\"",
            None,
        ))
    };
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let (a, b) = range.split_once("..").ok_or_else(wrong)?;
    let [Ok(a), Ok(b)] = [a.trim().parse::<f64>(), b.trim().parse::<f64>()] else {
        return Err(wrong());
    };
    if !(a.is_finite() && b.is_finite()) {
        return Err(wrong());
    }
    let name = name.trim();
    let parameters = &model.contents().parameters;
    let unit = parameters
        .iter()
        .find(|p| p.name == name)
        .map(|p| model.expr(p.scale).evaluate_f64(&[]));
    let unit = unit.unwrap_or(1.0);
    Ok((name.to_owned(), a * unit, b * unit, unit))
}

pub(crate) fn periodic(common: &Common, arguments: &PeriodicArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?.facing_state(&arguments.at);
    let mut diagnostics = allowed(model, model.diagnostics())?;
    let mut search = PeriodicSearch::new(arguments.period.unwrap_or(1.0));
    search.mode = arguments.mode;
    search.amplitude = arguments.amplitude;
    if !(arguments.amplitude.is_finite() && arguments.amplitude > 0.0) {
        let message = format!("the amplitude is {:?}", arguments.amplitude);
        let hint = "give a small positive number";
        return Err(model.error(Diagnostic::error(Code::WrongSetting, message, hint, None)));
    }
    search.at.clone_from(&arguments.at);
    search.fix_period = arguments.fix == Some(Fixed::Period);
    if !(1e-18..1.0).contains(&arguments.tolerance) {
        let message = format!("`tolerance` is {:?}", arguments.tolerance);
        let hint = "it is a relative error: below 1, and not below 1e-18";
        return Err(model.error(Diagnostic::error(Code::WrongSetting, message, hint, None)));
    }
    search.tolerance = arguments.tolerance;
    let mut unit = 1.0;
    if let Some(text) = &arguments.vary {
        let (name, a, b, scale) = varied(model, text)?;
        search.vary = Some((name, a, b));
        unit = scale;
    }
    let mut found = match model.periodic(&search) {
        Ok(found) => found,
        // A search that does not converge is a failed computation, not a wrong request.
        Err(error)
            if error
                .diagnostics()
                .iter()
                .any(|d| d.code == Code::NoPeriodicMotion) =>
        {
            diagnostics.extend(
                error
                    .diagnostics()
                    .iter()
                    .map(|d| Diagnostic::warning(d.code, d.message.clone(), d.hint.clone(), None)),
            );
            PeriodicMotions::default()
        }
        Err(error) => return Err(error),
    };
    diagnostics.append(&mut found.warnings);
    let proof = match found.motions.first() {
        Some(motion) if arguments.certify => Some(model.prove_periodic(motion)?),
        _ => None,
    };
    let names: Vec<String> = (model.contents().coordinates.iter())
        .map(|c| c.name.clone())
        .collect();
    let document = || {
        let proof = proof
            .as_ref()
            .map(|p| document::ProofDocument::new(p, &names));
        document::Periodic::new(&found, unit).with_proof(proof)
    };
    answer(common, model, &diagnostics, document, || {
        let mut text = summary(model, &found, unit);
        if let Some(proof) = &proof {
            proved(proof, &names, &mut text);
        }
        text
    });
    let refuted = proof.as_ref().is_some_and(|p| !p.certified);
    Ok(match found.motions.is_empty() || refuted {
        true => ExitCode::from(EXIT_FAILED),
        false => ExitCode::SUCCESS,
    })
}

/// Adds the lines of a proof.
fn proved(proof: &PeriodicProof, names: &[String], out: &mut String) {
    if let Some(why) = &proof.reason {
        let _ = writeln!(out, "  not proved: {why}");
        return;
    }
    let interval =
        |[low, high]: [f64; 2]| format!("[{low:.17e}, {high:.17e}]  width {:.1e}", high - low);
    let _ = writeln!(
        out,
        "  proved: exactly one periodic motion starts in this box"
    );
    let _ = writeln!(out, "     {:<12} {}", "period", interval(proof.period));
    let primes = names.iter().map(|c| format!("{c}'"));
    let all = names.iter().cloned().chain(primes);
    for (k, (name, x)) in all
        .zip(proof.position.iter().chain(&proof.velocity))
        .enumerate()
    {
        let held = if proof.held.contains(&k) {
            "  held"
        } else {
            ""
        };
        let _ = writeln!(out, "     {name:<12} {}{held}", interval(*x));
    }
}

fn summary(model: &Model, found: &PeriodicMotions, unit: f64) -> String {
    let mut out = format!("{}\n", model.title());
    let single = found.motions.len() == 1;
    for m in &found.motions {
        let stable = m.stability();
        let parameter = m.parameter.map_or(String::new(), |p| {
            format!("parameter {:<14} ", short(p / unit))
        });
        let kind = m
            .bifurcation
            .map_or(String::new(), |b| format!("  {}", b.as_str()));
        let _ = writeln!(
            out,
            "  {parameter}period {:<16} {stable}{kind}",
            format!("{:.10}", m.period)
        );
        if single {
            for (k, c) in model.contents().coordinates.iter().enumerate() {
                let rate = short(m.velocity[k]);
                let _ = writeln!(
                    out,
                    "     {:<12} {:>16}   rate {rate}",
                    c.name,
                    short(m.position[k])
                );
            }
            let list: Vec<String> = m.multipliers.iter().map(complex).collect();
            let _ = writeln!(out, "     multipliers {}", list.join(", "));
            let _ = writeln!(
                out,
                "     {} of them must be 1; closed to {:.1e}",
                m.trivial, m.residual
            );
        }
    }
    out
}
