//! Gravity: a field that acts on all masses.

use galilei_expr::Expr;
use galilei_syntax::{Expression, Label, Span};

use super::draft::Draft;
use super::forces::components;
use crate::code::Code;
use crate::contents::Part;
use crate::diagnostic::Diagnostic;
use crate::reader::Reader;
use crate::value::Value;

impl<'p> Draft<'p> {
    /// `gravity`: a uniform field, kept until all masses are known.
    pub(super) fn gravity_field<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        field: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "gravity", label, span);
        let v = r.read(field);
        let (name, v) = (name?, v?);
        r.only_position(&v, "a gravity field")?;
        r.smooth(&v, "a gravity field")?;
        if let Some(place) = v
            .uses
            .state
            .filter(|place| r.text(*place) != "t" && !self.only_time(r, &v))
        {
            r.error(
                Code::NotConstant,
                "a gravity field is the same everywhere",
                "write a `potential` for a field that depends on position",
                place,
            );
            return None;
        }
        self.gravity.push((name, v, span, field.span));
        Some(())
    }

    fn only_time(&self, r: &Reader<'p, '_>, v: &Value<'p>) -> bool {
        let moving = |x: &Expr<'p>| r.coordinates.iter().any(|c| x.contains(c.position));
        !v.parts.iter().any(moving)
    }

    pub(super) fn finish_gravity(&mut self, r: &mut Reader<'p, '_>) {
        for (name, field, span, place) in std::mem::take(&mut self.gravity) {
            if self.masses.is_empty() {
                if !r.diagnostics.iter().any(Diagnostic::is_error) {
                    r.error(
                        Code::GravityWithoutMass,
                        "gravity acts on particles and bodies, and there are none",
                        "add a `particle` or a `body`, or write a `potential`",
                        span,
                    );
                }
                continue;
            }
            let mut terms = Vec::new();
            let mut good = true;
            for (m, md, x, _, who) in &self.masses {
                if x.len() != field.len() {
                    r.error(
                        Code::ShapeMismatch,
                        format!(
                            "gravity has {}, the position of `{who}` {}",
                            components(field.len()),
                            x.len()
                        ),
                        match (field.len(), x.len()) {
                            (1, 2) => format!("write `gravity: (0, {})`", r.text(place)),
                            (1, 3) => format!("write `gravity: (0, 0, {})`", r.text(place)),
                            _ => "write gravity with as many components as positions have".into(),
                        },
                        span,
                    );
                    good = false;
                    break;
                }
                for k in 0..x.len() {
                    let d = md.mul(&field.dimensions[k]).mul(&x.dimensions[k]);
                    let energy = r.energy.clone();
                    let text = format!("the energy of `{who}` in the gravity field");
                    if !r.agree((&d, &text), (&energy, "the other energies"), place) {
                        good = false;
                        break;
                    }
                    terms.push(-*m * field.parts[k] * x.parts[k]);
                }
                if !good {
                    break;
                }
            }
            if good {
                let v = r.pool.sum(terms);
                self.contribute(name, "gravity", Part::Potential, v, span);
            }
        }
    }
}
