//! Energies: kinetic, potential, Lagrangian, and vector potentials.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Expression, Label, Span};

use super::draft::Draft;
use crate::contents::Part;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    pub(super) fn energy<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        e: &'s Expression,
        what: &str,
        velocities: bool,
    ) -> Option<Expr<'p>> {
        let v = r.read(e)?;
        let (x, d) = r.scalar(&v, e)?;
        if !velocities {
            r.only_position(&v, what)?;
        }
        r.smooth(&v, what)?;
        let energy = r.energy.clone();
        let text = format!("{what}, `{}`,", r.text(e.span));
        r.agree((&d, &text), (&energy, "the other energies"), e.span)
            .then_some(x)
    }

    /// `vector potential`: A·u in the Lagrangian.
    pub(super) fn vector_potential<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        components: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "vector potential", label, span);
        let list = r.components(components, |r, k, e| {
            let wanted = r.energy.div(&r.rate(&r.coordinates[k].dimension));
            r.function_of_position(
                e,
                "a vector potential",
                &wanted,
                "this component, energy per velocity,",
            )
        });
        let (name, list) = (name?, list?);
        let pairs = list
            .iter()
            .zip(&r.coordinates)
            .map(|(&a, c)| a * c.velocity);
        let value = r.pool.sum(pairs);
        self.contribute(name, "vector potential", Part::VectorPotential, value, span);
        Some(())
    }
}
