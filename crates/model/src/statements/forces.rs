//! Forces: by components, at points, as torques, from dissipation functions.

use galilei_expr::Expr;
use galilei_syntax::{Expression, ForceBody, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::NamedForce;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    pub(super) fn force<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        body: &'s ForceBody,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "force", label, span);
        let positions: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.position).collect();
        let velocities: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
        let mut kinked = false;
        let components = match body {
            ForceBody::Form(form) => {
                let v = r.read_form(form)?;
                kinked = v.uses.not_smooth().is_some();
                r.force_of_form(&v, form)?
            }
            ForceBody::Components(list) => r.components(list, |r, k, e| {
                let v = r.read(e)?;
                let (x, d) = r.scalar(&v, e)?;
                kinked |= v.uses.not_smooth().is_some();
                let wanted = r.energy.div(&r.coordinates[k].dimension);
                let target = format!(
                    "the force on {}, energy per coordinate,",
                    r.coordinates[k].name
                );
                r.fits(&d, e, &wanted, &target)?;
                Some(x)
            })?,
            ForceBody::At { force, point } => {
                let (f, x) = (r.read(force), r.position(point));
                let (f, x) = (f?, x?);
                if f.len() != x.len() {
                    r.error(
                        Code::ShapeMismatch,
                        format!("the force has {}, its point {}", components(f.len()), x.len()),
                        "a force in space and the point it acts on have the same number of components",
                        force.span.to(point.span),
                    );
                    return None;
                }
                kinked = f.uses.not_smooth().is_some();
                for k in 0..f.len() {
                    let work = f.dimensions[k].mul(&x.dimensions[k]);
                    let energy = r.energy.clone();
                    let text = format!("the work of `{}`", r.text(force.span));
                    if !r.agree((&work, &text), (&energy, "the energies"), force.span) {
                        return None;
                    }
                }
                let slopes: Vec<Vec<Expr<'p>>> = match x.uses.sliding {
                    None => x.parts.iter().map(|c| c.gradient(&positions)).collect(),
                    // The force acts on the material point that is there now.
                    Some(place) => {
                        let velocity = r.material_velocity(point, place)?;
                        let parts = velocity.parts.iter();
                        parts.map(|c| c.gradient(&velocities)).collect()
                    }
                };
                (0..positions.len())
                    .map(|i| {
                        r.pool
                            .sum(f.parts.iter().zip(&slopes).map(|(&c, s)| c * s[i]))
                    })
                    .collect()
            }
            ForceBody::Torque { torque, body } => {
                let m = r.read(torque);
                let label = r.label(body)?;
                let b = r.frame(&label, body.name.span);
                let (m, b) = (m?, b?);
                let omega = b.space_rates(r);
                if m.len() != omega.len() {
                    r.error(
                        Code::ShapeMismatch,
                        format!(
                            "the torque has {}; on this body it needs {}",
                            components(m.len()),
                            omega.len()
                        ),
                        "a torque on a planar body is a scalar, on a spatial one a tuple of three",
                        torque.span,
                    );
                    return None;
                }
                kinked = m.uses.not_smooth().is_some();
                for d in &m.dimensions {
                    let energy = r.energy.clone();
                    let text = format!("the torque `{}`", r.text(torque.span));
                    if !r.agree((d, &text), (&energy, "the energies"), torque.span) {
                        return None;
                    }
                }
                let slopes: Vec<Vec<Expr<'p>>> =
                    omega.iter().map(|w| w.gradient(&velocities)).collect();
                (0..positions.len())
                    .map(|i| {
                        r.pool
                            .sum(m.parts.iter().zip(&slopes).map(|(&c, s)| c * s[i]))
                    })
                    .collect()
            }
        };
        self.forces.push(NamedForce {
            name: name?,
            statement: "force",
            components,
            kinked,
            span,
        });
        Some(())
    }

    /// `dissipation`: the force −∂D/∂u.
    pub(super) fn dissipation<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        value: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "dissipation", label, span);
        let v = r.read(value);
        let (name, v) = (name?, v?);
        let (d, dim) = r.scalar(&v, value)?;
        let power = r.rate(&r.energy.clone());
        let what = format!("the dissipation function `{}`", r.text(value.span));
        r.agree(
            (&dim, &what),
            (&power, "a power, energy per time, is needed:"),
            value.span,
        );
        let velocities: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
        let components = d.gradient(&velocities).into_iter().map(|c| -c).collect();
        self.dissipations.push((self.forces.len(), d));
        self.forces.push(NamedForce {
            name,
            statement: "dissipation",
            components,
            kinked: v.uses.not_smooth().is_some(),
            span,
        });
        Some(())
    }
}

pub(super) fn components(n: usize) -> String {
    match n {
        1 => "one component".into(),
        n => format!("{n} components"),
    }
}
