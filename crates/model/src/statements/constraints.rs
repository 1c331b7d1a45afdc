//! Constraints and the velocities that depend on the others.

use galilei_expr::Expr;
use galilei_geometry::decide_all_zero;
use galilei_syntax::{Expression, Kind, Label, Span};

use super::draft::Draft;
use super::placements::{Placement, with_indices};
use crate::code::Code;
use crate::contents::{Constraint, Enforcement, Level};
use crate::reader::Reader;
use crate::rotation::has_quaternion;
use crate::value::Value;

pub(super) fn register_constraints<'s>(r: &mut Reader<'_, 's>, list: &[Placement<'s>]) {
    let mut names = Vec::new();
    let mut unnamed = 0;
    let mut unnamed_contacts = [0; 2];
    for p in list {
        match &p.statement.kind {
            Kind::Constraint { label, .. } | Kind::ConstraintForm { label, .. } => match label {
                Some(l) => names.extend(with_indices(r, &p.indices, |r| r.label(l))),
                None => {
                    unnamed += 1;
                    names.push(format!("constraint {unnamed}"));
                }
            },
            Kind::Contact { label, .. } | Kind::Friction { label, .. } => {
                let rubs = matches!(p.statement.kind, Kind::Friction { .. });
                let name = match label {
                    Some(l) => with_indices(r, &p.indices, |r| r.label(l)),
                    None => {
                        let count = &mut unnamed_contacts[usize::from(rubs)];
                        *count += 1;
                        let word = if rubs { "friction" } else { "contact" };
                        Some(format!("{word} {count}"))
                    }
                };
                let Some(name) = name else { continue };
                if rubs {
                    r.friction_names.push(name.clone());
                }
                r.unilateral.push(name.clone());
                names.push(name);
            }
            Kind::Body {
                label: Some(l),
                pose,
                ..
            }
            | Kind::Frame {
                label: Some(l),
                pose,
            } if has_quaternion(pose.orientation.as_ref()) => {
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
        r.allows_accelerations = true;
        let (a, b) = (r.read(left), r.read(right));
        r.allows_accelerations = false;
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
            // Velocities that follow lines are continuous; positions that do would have velocities that jump.
            match uses.velocity.is_some() || uses.acceleration.is_some() {
                true => r.continuous(v, "a constraint")?,
                false => r.smooth(v, "a constraint between positions")?,
            }
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
            let mut f = a.parts[k] - b.parts[k];
            let suffix = if a.len() == 1 {
                ""
            } else {
                [".x", ".y", ".z"].get(k).copied().unwrap_or(".w")
            };
            let full = format!("{name}{suffix}");
            let momenta = r.momenta.as_deref().unwrap_or_default();
            let of_momenta = f.contains_any(momenta);
            let accelerations = r.accelerations();
            let ahead = uses.acceleration.is_some() && f.contains_any(&accelerations);
            let moves = of_momenta
                || ahead
                || r.coordinates
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
            let velocity = of_momenta
                || uses.velocity.is_some() && r.coordinates.iter().any(|c| f.contains(c.velocity));
            // λ∂f/∂x is a force: λf is an energy, a power where f restricts velocities, the rate of one where it
            // restricts accelerations.
            let energy = r.energy.clone();
            let work = match (ahead, velocity) {
                (true, _) => r.rate(&r.rate(&energy)),
                (false, true) => r.rate(&energy),
                (false, false) => energy,
            };
            let form = match ahead {
                true => {
                    f = r.without_momenta(f, "a constraint on accelerations", span)?;
                    second_order_form(r, f, &accelerations, &full, span)?
                }
                false => vec![],
            };
            let multipliers = r.multipliers.entry(name.clone()).or_default();
            multipliers.push(work.div(&a.dimensions[k]));
            self.constraints.push(Constraint {
                name: full,
                function: f,
                form,
                level: match (ahead, velocity) {
                    (true, _) => Level::Acceleration,
                    (false, true) => Level::Velocity,
                    (false, false) => Level::Position,
                },
                enforcement: Enforcement::Ideal,
                enforced_at: None,
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

impl<'p> Reader<'p, '_> {
    /// The symbols `x''` of all coordinates.
    pub(super) fn accelerations(&self) -> Vec<Expr<'p>> {
        let symbol = |x: Expr<'p>| self.pool.symbol(&format!("{x}''"));
        self.coordinates
            .iter()
            .map(|c| symbol(c.position))
            .collect()
    }
}

/// The one-form s₀dt + ṡᵢdx'ⁱ of a constraint s₀ + ṡᵢx''ⁱ = 0, by components; an error where accelerations do not stand
/// in it linearly. (T-82)
fn second_order_form<'p>(
    r: &mut Reader<'p, '_>,
    f: Expr<'p>,
    accelerations: &[Expr<'p>],
    name: &str,
    span: Span,
) -> Option<Vec<Expr<'p>>> {
    let slopes = f.gradient(accelerations);
    let bends = slopes.iter().flat_map(|s| s.gradient(accelerations));
    let affine = decide_all_zero(bends.filter(|e| !e.is_zero()).collect::<Vec<_>>());
    if !affine.is_proved() {
        r.error(
            Code::NotAffineInAccelerations,
            format!("the constraint `{name}` is not linear in the accelerations"),
            "solve it for an acceleration: x'' = …, with t, positions and velocities on the right",
            span,
        );
        return None;
    }
    let zero = r.pool.zero();
    let none: Vec<_> = accelerations.iter().map(|&a| (a, zero)).collect();
    let mut form = vec![f.substitute(&none)];
    form.extend(accelerations.iter().map(|_| zero));
    form.extend(slopes.iter().map(|s| s.substitute(&none)));
    Some(form)
}
