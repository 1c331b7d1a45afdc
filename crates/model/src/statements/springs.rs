//! Springs and dampers: what acts between two points.

use galilei_expr::{Expr, Rational};
use galilei_syntax::{Expression, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{NamedForce, Part};
use crate::reader::Reader;
use crate::value::Value;

impl<'p> Draft<'p> {
    /// `spring`: the energy ½·k·(distance − length)².
    pub(super) fn spring<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        (stiffness, length): (&'s Expression, Option<&'s Expression>),
        (from, to): (&'s Expression, &'s Expression),
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "spring", label, span);
        let k = r.read(stiffness);
        let l = length.map(|l| (r.read(l), l));
        let (a, b) = (r.position(from), r.position(to));
        let (name, k, a, b) = (name?, k?, a?, b?);
        let (k_value, k_dim) = r.scalar(&k, stiffness)?;
        r.only_position(&k, "a stiffness")?;
        r.smooth(&k, "a stiffness")?;
        let d = difference(r, &a, &b, span)?;
        let two = Rational::from(2);
        let energy = r.energy.clone();
        let text = format!("the energy ½·{}·length²", r.text(stiffness.span));
        r.agree(
            (&k_dim.times(&d.dimensions[0], &two), &text),
            (&energy, "the other energies"),
            stiffness.span,
        );
        let square = r.pool.sum(d.parts.iter().map(|c| c.pow(2)));
        let mut energy_value = square;
        if let Some((l, e)) = l {
            let l = l?;
            let (l_value, l_dim) = r.scalar(&l, e)?;
            r.only_position(&l, "a natural length")?;
            r.smooth(&l, "a natural length")?;
            let what = format!("the length `{}`", r.text(e.span));
            r.agree(
                (&l_dim, &what),
                (&d.dimensions[0], "the distance of the ends"),
                e.span,
            );
            if !l_value.is_zero() {
                energy_value = (square.sqrt() - l_value).pow(2);
            }
        }
        let v = Rational::new(1, 2) * k_value * energy_value;
        self.contribute(name.clone(), "spring", Part::Potential, v, span);
        self.place(&name, "spring", vec![a.parts, b.parts], None);
        Some(())
    }

    /// `damper`: the force −c·rate along the distance of its ends.
    pub(super) fn damper<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        coefficient: &'s Expression,
        (from, to): (&'s Expression, &'s Expression),
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "damper", label, span);
        let c = r.read(coefficient);
        let (a, b) = (r.position(from), r.position(to));
        let (name, c, a, b) = (name?, c?, a?, b?);
        let (c_value, c_dim) = r.scalar(&c, coefficient)?;
        let d = difference(r, &a, &b, span)?;
        // c·v·length is an energy.
        let power = c_dim.mul(&d.dimensions[0]).mul(&r.rate(&d.dimensions[0]));
        let energy = r.energy.clone();
        let text = format!("the work of the damper with `{}`", r.text(coefficient.span));
        r.agree((&power, &text), (&energy, "the energies"), coefficient.span);
        let across: Vec<Expr<'p>> = d.parts.iter().copied().filter(|c| !c.is_zero()).collect();
        let distance = match across[..] {
            // On a line the sign of the distance cancels, and the force has a value where the ends meet.
            [along] => along,
            _ => r.pool.sum(across.iter().map(|c| c.pow(2))).sqrt(),
        };
        let rate = distance.derivative_along(&r.rates());
        let positions: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.position).collect();
        let slopes = distance.gradient(&positions);
        let components = slopes.into_iter().map(|s| -c_value * rate * s).collect();
        self.forces.push(NamedForce {
            name: name.clone(),
            statement: "damper",
            components,
            kinked: c.uses.not_smooth().is_some(),
            span,
        });
        self.place(&name, "damper", vec![a.parts, b.parts], None);
        Some(())
    }
}

/// Q − P of two positions.
fn difference<'p>(
    r: &mut Reader<'p, '_>,
    a: &Value<'p>,
    b: &Value<'p>,
    span: Span,
) -> Option<Value<'p>> {
    if a.len() != b.len() {
        r.error(
            Code::ShapeMismatch,
            format!("the ends have {} and {} components", a.len(), b.len()),
            "both ends are points of the same space",
            span,
        );
        return None;
    }
    if !r.agree(
        (&a.dimensions[0], "one end"),
        (&b.dimensions[0], "the other"),
        span,
    ) {
        return None;
    }
    let parts: Vec<Expr<'p>> = a.parts.iter().zip(&b.parts).map(|(&p, &q)| q - p).collect();
    if parts.iter().all(|c| c.is_zero()) {
        r.error(
            Code::ShapeMismatch,
            "both ends are the same point",
            "a spring or damper connects two different points",
            span,
        );
        return None;
    }
    Some(Value {
        parts,
        dimensions: a.dimensions.clone(),
        tuple: a.tuple,
        uses: a.uses.with(b.uses),
    })
}
