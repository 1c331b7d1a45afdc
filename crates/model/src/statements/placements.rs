//! Statements after all repetitions are written out.

use galilei_syntax::{Kind, Statement};

use crate::code::Code;
use crate::reader::Reader;
use crate::value::Value;

/// Statements after all repetitions are written out.
const MAX_STATEMENTS: usize = 100_000;

/// A statement with the indices of the repetitions around it.
#[derive(Clone)]
pub(super) struct Placement<'s> {
    pub(super) statement: &'s Statement,
    pub(super) indices: Vec<(String, i64)>,
}

pub(super) fn flatten<'s>(
    r: &mut Reader<'_, 's>,
    statements: &'s [Statement],
    indices: &mut Vec<(String, i64)>,
    out: &mut Vec<Placement<'s>>,
) {
    for statement in statements {
        match &statement.kind {
            Kind::For { binder, body } => {
                let bound = r.each(binder, |r, k| {
                    indices.push((binder.variable.text.clone(), k));
                    flatten(r, body, indices, out);
                    indices.pop();
                    (out.len() <= MAX_STATEMENTS).then_some(())
                });
                if bound.is_none() && out.len() > MAX_STATEMENTS {
                    r.error(
                        Code::ModelTooLarge,
                        format!("the repetitions write out more than {MAX_STATEMENTS} statements"),
                        "make the ranges smaller",
                        binder.variable.span,
                    );
                    return;
                }
            }
            Kind::Const(_)
            | Kind::Param(_)
            | Kind::Coord(_)
            | Kind::Let(_)
            | Kind::Function(_)
            | Kind::Input(_)
            | Kind::Table { .. } => {
                if !indices.is_empty() {
                    r.error(
                        Code::DeclarationInRepetition,
                        "declarations cannot be repeated with `for`",
                        "declare a family instead: `coord q[1..n]`, `param k[i in 1..n] = …`, `let r[k in 1..n] = …`",
                        statement.span,
                    );
                }
            }
            Kind::Broken => {}
            _ => out.push(Placement {
                statement,
                indices: indices.clone(),
            }),
        }
    }
}

pub(super) fn with_indices<'p, 's, T>(
    r: &mut Reader<'p, 's>,
    indices: &[(String, i64)],
    f: impl FnOnce(&mut Reader<'p, 's>) -> T,
) -> T {
    let outer = std::mem::take(&mut r.locals);
    for (name, k) in indices {
        let value = Value::number(r.pool.number(*k));
        r.locals.push((name.clone(), value));
    }
    let out = f(r);
    r.locals = outer;
    out
}
