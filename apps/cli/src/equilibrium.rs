//! `galilei equilibrium`: rest positions and steady motions.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use galilei::{Code, Equilibria, EquilibriumSearch, Error, Model, document};

use crate::modes::{complex, short};
use crate::{Common, EXIT_FAILED, allowed, answer, load};

/// The largest number of eigenvalues that are shown as text.
const MAX_SHOWN_EIGENVALUES: usize = 12;

#[derive(Args)]
pub(crate) struct EquilibriumArguments {
    /// The guess: a state; missing entries come from `initial`, then 0. It may lie off the constraints; velocities of
    /// ignorable coordinates are held
    #[arg(long, default_value = "", value_name = "GUESS")]
    at: String,
    /// Parameters that are free; positions given by --at are then held
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    free: Vec<String>,
    /// The seed of the random starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the equilibrium that the guess leads to
    #[arg(long)]
    nearest: bool,
}

pub(crate) fn equilibrium(
    common: &Common,
    arguments: &EquilibriumArguments,
) -> Result<ExitCode, Error> {
    let model = &load(common)?.facing_state(&arguments.at);
    let mut diagnostics = allowed(model, model.diagnostics())?;
    // Contacts and friction are in the answer.
    diagnostics.retain(|d| d.code != Code::FreeMotion);
    let mut search = EquilibriumSearch::default();
    search.at.clone_from(&arguments.at);
    search.free = arguments
        .free
        .iter()
        .map(|n| n.trim().to_owned())
        .filter(|n| !n.is_empty())
        .collect();
    search.seed = arguments.seed;
    search.nearest_only = arguments.nearest;
    let mut found = model.equilibria(&search)?;
    diagnostics.append(&mut found.warnings);
    answer(
        common,
        model,
        &diagnostics,
        || document::Equilibria::new(&found),
        || summary(model, &found),
    );
    Ok(match found.list.is_empty() {
        true => ExitCode::from(EXIT_FAILED),
        false => ExitCode::SUCCESS,
    })
}

fn summary(model: &Model, found: &Equilibria) -> String {
    let mut out = format!("{}\n", model.title());
    for (k, e) in found.list.iter().enumerate() {
        let stable = e.stability();
        let moving = e.velocity.iter().any(|v| *v != 0.0);
        let what = if moving { "steady motion" } else { "rest" };
        let _ = writeln!(
            out,
            "\n  {}. {what}, {stable}, {}",
            k + 1,
            e.verdict.as_str()
        );
        for (i, c) in model.contents().coordinates.iter().enumerate() {
            let formula = e.formulas.iter().flatten().find(|f| f.0 == c.name);
            let formula = formula.map_or(String::new(), |f| format!("   = {}", f.1));
            let rate = match e.velocity[i] {
                0.0 => String::new(),
                v => format!("   rate {}", short(v)),
            };
            let _ = writeln!(
                out,
                "     {:<12} {:>16}{rate}{formula}",
                c.name,
                short(e.position[i])
            );
        }
        for (name, value) in &e.parameters {
            let _ = writeln!(
                out,
                "     {name:<12} {:>16}   free parameter",
                short(*value)
            );
        }
        let names = model.contents().constraints.iter();
        for (c, l) in names.zip(&e.multipliers) {
            let Some(l) = l else { continue };
            let _ = writeln!(out, "     multiplier({}) = {}", c.name, short(*l));
        }
        let _ = writeln!(out, "     {stable}: {}", e.reason);
        if let Some(h) = e.energy_hessian {
            let _ = writeln!(out, "     energy: index {}, nullity {}", h.index, h.nullity);
        }
        if e.family {
            let _ = writeln!(out, "     others are arbitrarily near: one of a family");
        }
        let list: Vec<String> = e
            .eigenvalues
            .iter()
            .take(MAX_SHOWN_EIGENVALUES)
            .map(complex)
            .collect();
        let more = if e.eigenvalues.len() > list.len() {
            ", …"
        } else {
            ""
        };
        let _ = writeln!(out, "     eigenvalues {}{more}", list.join(", "));
    }
    out
}
