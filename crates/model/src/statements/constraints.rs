//! Constraints and the velocities that depend on the others.

use galilei_syntax::{Expression, Kind, Label, Span};

use super::draft::Draft;
use super::placements::{Placement, with_indices};
use crate::code::Code;
use crate::contents::{Constraint, Level};
use crate::reader::Reader;
use crate::value::Value;

pub(super) fn register_constraints<'s>(r: &mut Reader<'_, 's>, list: &[Placement<'s>]) {
    let mut names = Vec::new();
    let mut unnamed = 0;
    for p in list {
        match &p.statement.kind {
            Kind::Constraint { label, .. } => match label {
                Some(l) => names.extend(with_indices(r, &p.indices, |r| r.label(l))),
                None => {
                    unnamed += 1;
                    names.push(format!("constraint {unnamed}"));
                }
            },
            Kind::Body {
                label: Some(l),
                orientation: galilei_syntax::Orientation::Rotation(kind, _),
                ..
            } if kind.text == "quaternion" => {
                names.extend(with_indices(r, &p.indices, |r| r.label(l)))
            }
            _ => {}
        }
    }
    r.all_constraints = names;
}

impl<'p> Draft<'p> {
    /// `constraint`: an equation, by components.
    pub(super) fn equation<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        left: &'s Expression,
        right: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "constraint", label, span);
        let (a, b) = (r.read(left), r.read(right));
        let (name, a, b) = (name?, a?, b?);
        if a.tuple && b.tuple && a.uses.velocity.or(b.uses.velocity).is_none() {
            let points = vec![a.parts.clone(), b.parts.clone()];
            self.place(&name, "constraint", points, None);
        }
        self.constraint(r, name, (&a, left), (&b, right), span)
    }

    fn constraint<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        name: String,
        (a, left): (&Value<'p>, &'s Expression),
        (b, right): (&Value<'p>, &'s Expression),
        span: Span,
    ) -> Option<()> {
        // A number on one side of a tuple equation is an error, zero included.
        if a.len() != b.len() {
            r.error(
                Code::ShapeMismatch,
                format!(
                    "the left side is {}, the right side {}",
                    a.shape(),
                    b.shape()
                ),
                "both sides of a constraint have the same number of components: (x, y) = (0, 0)",
                span,
            );
            return None;
        }
        let uses = a.uses.with(b.uses);
        for v in [a, b] {
            r.smooth(v, "a constraint")?;
        }
        let (l, m) = (
            format!("`{}`", r.text(left.span)),
            format!("`{}`", r.text(right.span)),
        );
        for k in 0..a.len() {
            if !r.agree((&a.dimensions[k], &l), (&b.dimensions[k], &m), span) {
                return None;
            }
        }
        for k in 0..a.len() {
            let f = a.parts[k] - b.parts[k];
            let suffix = if a.len() == 1 {
                ""
            } else {
                [".x", ".y", ".z"].get(k).copied().unwrap_or(".w")
            };
            let full = format!("{name}{suffix}");
            let moves = r
                .coordinates
                .iter()
                .any(|c| f.contains(c.position) || f.contains(c.velocity));
            if !moves {
                r.error(
                    Code::InadmissibleConstraint,
                    format!("the constraint `{full}` restricts no coordinate and no velocity"),
                    "a constraint is an equation between coordinates or velocities",
                    span,
                );
                return None;
            }
            let velocity =
                uses.velocity.is_some() && r.coordinates.iter().any(|c| f.contains(c.velocity));
            // λ∂f/∂x is a force: λf is an energy, or a power where f restricts velocities.
            let energy = r.energy.clone();
            let work = if velocity { r.rate(&energy) } else { energy };
            let multipliers = r.multipliers.entry(name.clone()).or_default();
            multipliers.push(work.div(&a.dimensions[k]));
            self.constraints.push(Constraint {
                name: full,
                function: f,
                level: if velocity {
                    Level::Velocity
                } else {
                    Level::Position
                },
                span,
            });
        }
        Some(())
    }

    /// `dependent`: which velocities are solved for.
    pub(super) fn dependents<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        list: &'s [Expression],
        span: Span,
    ) {
        self.dependent_span.get_or_insert(span);
        for e in list {
            if let Some((k, velocity)) = r.target(e) {
                if !velocity {
                    r.error(
                        Code::NotAVelocity,
                        format!(
                            "`{}` is a position; dependent are velocities",
                            r.text(e.span)
                        ),
                        format!("write {}'", r.text(e.span)),
                        e.span,
                    );
                } else if self.dependent.contains(&k) {
                    r.duplicate(e);
                } else {
                    self.dependent.push(k);
                }
            }
        }
    }
}
