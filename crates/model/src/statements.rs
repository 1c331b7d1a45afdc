//! Statements: what each adds to the model.

mod assumptions;
mod bodies;
mod charts;
mod constraints;
mod contacts;
mod demands;
mod draft;
mod energies;
mod entries;
mod forces;
mod forms;
mod given;
mod gravity;
mod hamiltonian;
mod manifolds;
mod metric;
mod outputs;
mod particles;
mod placements;
mod rates;
mod reactions;
mod runs;
mod shapes;
mod springs;
mod symmetries;
mod tangents;
mod variations;

use galilei_expr::{Expr, Rational};
use galilei_syntax::{File, Kind};

use crate::code::Code;
use crate::contents::Contents;
use crate::declarations::declare;
use crate::diagnostic::{Diagnostic, nearest};
use crate::reader::{Meaning, Reader};

use bodies::register_bodies;
use constraints::register_constraints;
use draft::Draft;
use placements::{Placement, flatten, with_indices};

/// Reads a whole file. Overrides are values for parameters and constants by name.
pub(crate) fn contents<'p, 's>(
    r: &mut Reader<'p, 's>,
    file: &'s File,
    fallback_title: &str,
    overrides: &[(String, Rational, Option<Expr<'p>>)],
) -> Option<Contents<Expr<'p>>> {
    let mut title = None;
    let mut used: Vec<bool> = vec![false; overrides.len()];
    declare(r, file, overrides, &mut used);
    for (k, (name, _, _)) in overrides.iter().enumerate() {
        if used[k] {
            continue;
        }
        let mut known: Vec<String> = r.parameters.iter().map(|p| p.name.clone()).collect();
        known.extend(
            r.names
                .iter()
                .filter(|(_, m)| matches!(m.0, Meaning::Constant(_)))
                .map(|(n, _)| n.clone()),
        );
        known.sort();
        let is_input = file.statements.iter().any(|s| match &s.kind {
            Kind::Input(list) => list.iter().any(|d| d.name.text == *name),
            _ => false,
        });
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            _ if is_input => format!(
                "`{name}` is an input: give its formula a parameter, `input {name} = {name}0`, which --set can change"
            ),
            Some(w) => format!("did you mean `{w}`?"),
            None if known.is_empty() => {
                "it declares none: `param NAME = …` declares a parameter".to_owned()
            }
            None => format!("the parameters and constants are {}", known.join(", ")),
        };
        r.error(
            Code::UnknownParameter,
            format!("`{name}` is no parameter or constant of this model"),
            hint,
            None,
        );
    }
    let mut list = Vec::new();
    flatten(r, &file.statements, &mut Vec::new(), &mut list);
    if list
        .iter()
        .any(|p| matches!(p.statement.kind, Kind::Hamiltonian { .. }))
    {
        r.declare_momenta();
    }
    let mut draft = Draft::new();
    register_bodies(r, &list);
    register_constraints(r, &list);
    r.read_definitions();
    draft.inputs = r.finished_inputs();
    // H first, and the assumptions under which it is judged: forms may contain differentials of momenta. Reactions,
    // then outputs at last: by then it is known what a constraint is. Contacts know what touches from the bodies.
    let rank = |p: &Placement<'s>| match p.statement.kind {
        Kind::Hamiltonian { .. } | Kind::Assume(_) => 0,
        Kind::Reaction { .. } | Kind::Inverse { .. } | Kind::Atlas { .. } => 2,
        Kind::Contact { .. } => 2,
        Kind::Friction { .. } | Kind::Impact { .. } => 3,
        Kind::Output { .. } => 4,
        _ => 1,
    };
    let mut order: Vec<&Placement<'s>> = list.iter().collect();
    order.sort_by_key(|p| rank(p));
    let mut prepared = false;
    for placement in order {
        if rank(placement) > 0 && !std::mem::replace(&mut prepared, true) {
            draft.prepare_hamiltonian(r);
        }
        // What a statement that was not read to its end seems to say about dimensions binds nothing else.
        let apart = r.is_spoilt(placement.statement.span);
        let dimensions = apart.then(|| r.unifier.equations());
        with_indices(r, &placement.indices, |r| {
            let Kind::System { title: t } = &placement.statement.kind else {
                draft.statement(r, placement);
                return;
            };
            if title.is_some() {
                r.error(
                    Code::DuplicateStatement,
                    "the system has two titles",
                    "keep one",
                    t.span,
                );
            }
            title = Some(t.text.clone());
        });
        if let Some(dimensions) = dimensions {
            r.unifier.forget_to(dimensions);
        }
    }
    draft.finish_frames(r);
    draft.finish_gravity(r);
    draft.finish_metric(r);
    draft.finish_given(r);
    if !prepared {
        draft.prepare_hamiltonian(r);
    }
    draft.finish_hamiltonian(r);
    draft.finish_outputs(r);
    draft.finish_rates(r);
    if r.coordinates.is_empty() && !r.diagnostics.iter().any(Diagnostic::is_error) {
        r.error(
            Code::NoCoordinates,
            "the model has no coordinates, so nothing can move",
            "declare them: `coord x [m]`",
            None,
        );
    }
    let title = title.unwrap_or_else(|| fallback_title.to_owned());
    Some(draft.finished(r, title))
}
