//! Rigid bodies: found by name, then their energies.

use galilei_expr::Rational;
use galilei_syntax::{Kind, Label, Span};

use super::draft::Draft;
use super::placements::{Placement, with_indices};
use crate::contents::{Constraint, Level, Part};
use crate::reader::{BodyStatement, Reader};

pub(super) fn register_bodies<'p, 's>(r: &mut Reader<'p, 's>, list: &[Placement<'s>]) {
    let mut unnamed = 0;
    for p in list {
        let Kind::Body {
            label,
            mass,
            inertia,
            at,
            orientation,
        } = &p.statement.kind
        else {
            continue;
        };
        let name = match label {
            Some(l) => match with_indices(r, &p.indices, |r| r.label(l)) {
                Some(name) => name,
                None => continue,
            },
            None => {
                unnamed += 1;
                format!("body {unnamed}")
            }
        };
        let statement = BodyStatement {
            mass,
            inertia,
            at,
            orientation,
            locals: p.indices.clone(),
        };
        r.body_statements.entry(name).or_insert(statement);
    }
}

impl<'p> Draft<'p> {
    /// `body`: its kinetic energy, and the unit length of its quaternion.
    pub(super) fn body<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "body", label, span)?;
        let body = r.body(&name, span)?;
        let t = body.kinetic(r);
        self.contribute(name.clone(), "body", Part::Kinetic, t, span);
        let at = vec![body.position.parts.clone()];
        self.place(&name, "body", at, Some(body.attitude()));
        if let Some(q) = body.quaternion {
            let f = r.pool.sum(q.iter().map(|x| x.pow(2))) - 1;
            // Unit quaternions made of angles restrict nothing.
            if !f.decide_zero().is_proved() {
                self.implied(r, &name, label, span)?;
                r.multipliers.insert(name.clone(), vec![r.energy.clone()]);
                self.constraints.push(Constraint {
                    name: name.clone(),
                    function: f,
                    level: Level::Position,
                    span,
                });
            }
        }
        let d = r.unifier.unknown();
        let energy = r.energy.clone();
        let v = r.rate(&body.position.dimensions[0]);
        r.unifier.equate(&d.times(&v, &Rational::from(2)), &energy);
        self.masses.push((body.mass, d, body.position, span, name));
        Some(())
    }
}
