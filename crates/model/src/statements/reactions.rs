//! Reactions: how constraints are enforced.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Label, ReactionBody, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::Enforcement;
use crate::diagnostic::nearest;
use crate::dimension::Dimension;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `reaction CONSTRAINT: …`, once all constraints are known.
    pub(super) fn reaction<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        body: &'s ReactionBody,
        span: Span,
    ) -> Option<()> {
        let Some(l) = label else {
            r.error(
                Code::UnknownConstraint,
                "a reaction names the constraint that it enforces",
                "write `reaction CONSTRAINT: …` with the name before the colon of a constraint",
                span,
            );
            return None;
        };
        let name = self.label(r, "reaction", label, span)?;
        let members = self.members_of(&name);
        if members.is_empty() {
            self.no_such_constraint(r, &name, l.name.span);
            return None;
        }
        match body {
            ReactionBody::Ideal => {}
            ReactionBody::Connection => {
                r.without_multipliers.push(name);
                for &k in &members {
                    self.constraints[k].enforcement = Enforcement::Connection;
                }
            }
            ReactionBody::Along(list) => {
                let (covectors, dimensions) = covectors(r, &name, members.len(), list)?;
                r.multipliers.insert(name, dimensions);
                for (&k, covector) in members.iter().zip(covectors) {
                    self.constraints[k].enforcement = Enforcement::Along(covector);
                }
            }
        }
        for k in members {
            self.constraints[k].enforced_at = Some(span);
        }
        Some(())
    }

    /// The constraints of one statement: one, or one for each component.
    fn members_of(&self, name: &str) -> Vec<usize> {
        let stem = |full: &str| full.split('.').next() == Some(name);
        let all = self.constraints.iter().enumerate();
        all.filter(|(_, c)| stem(&c.name)).map(|(k, _)| k).collect()
    }

    fn no_such_constraint(&self, r: &mut Reader<'p, '_>, name: &str, span: Span) {
        // A constraint that could not be read is reported where it is.
        if r.all_constraints.iter().any(|c| c == name) {
            return;
        }
        let known = r.all_constraints.iter().map(String::as_str);
        let hint = match nearest(name, known) {
            Some(w) => format!("did you mean `{w}`?"),
            None if r.all_constraints.is_empty() => "the model has no constraints".into(),
            None => format!("the constraints are {}", r.all_constraints.join(", ")),
        };
        r.error(
            Code::UnknownConstraint,
            format!("there is no constraint `{name}`"),
            hint,
            span,
        );
    }
}

impl<'p> Reader<'p, '_> {
    /// An expression with velocities for momenta, where these have a closed form; an error where they have none.
    pub(super) fn without_momenta(
        &mut self,
        e: Expr<'p>,
        what: &str,
        span: Span,
    ) -> Option<Expr<'p>> {
        let e = e.substitute(&self.closed_momenta);
        if self.momenta.as_ref().is_some_and(|p| e.contains_any(p)) {
            self.error(
                Code::NotAvailable,
                format!(
                    "{what} cannot contain momenta here: they have no closed form in velocities"
                ),
                "write it with velocities",
                span,
            );
            return None;
        }
        Some(e)
    }
}

/// The covectors along which the components of a constraint are enforced, and the dimensions of their multipliers.
fn covectors<'p, 's>(
    r: &mut Reader<'p, 's>,
    name: &str,
    count: usize,
    list: &'s [Assignment],
) -> Option<(Vec<Vec<Expr<'p>>>, Vec<Dimension>)> {
    let (n, zero) = (r.coordinates.len(), r.pool.zero());
    let dimensions: Vec<Dimension> = (0..count).map(|_| r.unifier.unknown()).collect();
    let mut covectors = vec![vec![zero; n]; count];
    let whole = r.components(list, |r, k, e| {
        let v = r.read(e)?;
        if v.len() != count {
            r.error(
                Code::ShapeMismatch,
                format!(
                    "the constraint `{name}` has {count} component{}; `{}` is {}",
                    if count == 1 { "" } else { "s" },
                    r.text(e.span),
                    v.shape()
                ),
                "each component of a constraint has a covector of its own: x = (1, 0), y = (0, 1)",
                e.span,
            );
            return None;
        }
        r.smooth(&v, "the covector of a reaction")?;
        let force = r.energy.div(&r.coordinates[k].dimension);
        let what = format!("`{}` times the multiplier", r.text(e.span));
        let target = format!("the force on {}", r.coordinates[k].name);
        let parts: Option<Vec<Expr<'p>>> = (v.parts.iter())
            .map(|&x| r.without_momenta(x, "the covector of a reaction", e.span))
            .collect();
        let parts = parts?;
        for (a, dimension) in dimensions.iter().enumerate() {
            let own = v.dimensions[a].mul(dimension);
            if !parts[a].is_zero() && !r.agree((&own, &what), (&force, &target), e.span) {
                return None;
            }
            covectors[a][k] = parts[a];
        }
        Some(parts[0])
    });
    whole?;
    Some((covectors, dimensions))
}
