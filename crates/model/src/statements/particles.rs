//! Particles: masses at points.

use galilei_expr::Rational;
use galilei_syntax::{Expression, Label, Pose, Span};

use super::draft::Draft;
use crate::body::Frame;
use crate::contents::Part;
use crate::reader::Reader;
use crate::value::Value;

impl<'p> Draft<'p> {
    /// `particle`: the energy ½·m·v².
    pub(super) fn particle<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        mass: &'s Expression,
        pose: &'s Pose,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "particle", label, span);
        let m = r.read(mass);
        let free = pose.at.as_ref().filter(|_| pose.frame.is_none());
        let mut within = None;
        let (x, velocity) = match free {
            Some(at) => (r.position(at), None),
            None => match r.read_point(pose, span) {
                Some(frame) => {
                    let t = frame.translation(r, r.pool.one());
                    self.carry_point(r, &frame, pose, m.as_ref());
                    within = Some(frame.clone());
                    (Some(frame.position), Some(t))
                }
                None => (None, None),
            },
        };
        let (name, m, x) = (name?, m?, x?);
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
        let t = match velocity {
            Some(t) => mass_value * t,
            None => Rational::new(1, 2) * mass_value * r.pool.sum(squares),
        };
        self.contribute(name.clone(), "particle", Part::Kinetic, t, span);
        self.place(&name, "particle", vec![x.parts.clone()], None);
        within.iter().for_each(|f| self.placed_within(f));
        self.masses.push((mass_value, d, x, span, name));
        Some(())
    }

    /// The moment of a particle about the origins of the frames with quaternions that carry it.
    fn carry_point(
        &mut self,
        r: &mut Reader<'p, '_>,
        point: &Frame<'p>,
        pose: &Pose,
        mass: Option<&Value<'p>>,
    ) {
        let (Some(m), Some(label)) = (mass.and_then(Value::only), &pose.frame) else {
            return;
        };
        for carrier in &point.carriers {
            let Some(outer) = r.frame(carrier, label.name.span) else {
                continue;
            };
            let origin = &outer.position.parts;
            let arms = point
                .position
                .parts
                .iter()
                .zip(origin)
                .map(|(a, b)| (*a - *b).pow(2));
            // At the origin it has none; any positive number will do.
            let square = r.pool.sum(arms);
            self.carried
                .entry(carrier.clone())
                .or_default()
                .push(Rational::new(2, 3) * m.0 * square);
        }
    }
}
