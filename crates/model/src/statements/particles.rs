//! Particles: masses at points.

use galilei_expr::Rational;
use galilei_syntax::{Expression, Label, Span};

use super::draft::Draft;
use crate::contents::Part;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `particle`: the energy ½·m·v².
    pub(super) fn particle<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        mass: &'s Expression,
        at: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "particle", label, span);
        let (m, at_value) = (r.read(mass), r.position(at));
        let (name, m, x) = (name?, m?, at_value?);
        let (mass_value, d) = r.scalar(&m, mass)?;
        r.only_position(&m, "a mass")?;
        r.smooth(&m, "a mass")?;
        let v = r.rate(&x.dimensions[0]);
        let kinetic = d.times(&v, &Rational::from(2));
        let energy = r.energy.clone();
        let text = format!("the energy ½·{}·v²", r.text(mass.span));
        r.agree((&kinetic, &text), (&energy, "the other energies"), span);
        let rates = r.rates();
        let squares = x.parts.iter().map(|c| c.derivative_along(&rates).pow(2));
        let t = Rational::new(1, 2) * mass_value * r.pool.sum(squares);
        self.contribute(name.clone(), "particle", Part::Kinetic, t, span);
        self.place(&name, "particle", vec![x.parts.clone()], None);
        self.masses.push((mass_value, d, x, span, name));
        Some(())
    }
}
