//! Requirements of statements on values: dependent on position only, smooth, constant.

use galilei_expr::Expr;
use galilei_syntax::Expression;

use crate::code::Code;
use crate::dimension::Dimension;
use crate::reader::Reader;
use crate::value::Value;

impl<'p, 's> Reader<'p, 's> {
    /// A position: a function of (t, x), smooth.
    pub(crate) fn position(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        let v = self.read(e)?;
        self.only_position(&v, "a position")?;
        self.smooth(&v, "a position")?;
        if v.len() > 3 {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a position has one, two or three components, not {}",
                    v.len()
                ),
                "space has three dimensions",
                e.span,
            );
            return None;
        }
        for d in &v.dimensions[1..] {
            if !self.agree(
                (&v.dimensions[0], "the first component of the position"),
                (d, "another component"),
                e.span,
            ) {
                return None;
            }
        }
        Some(v)
    }

    /// A smooth function of (t, x), which `what` names, with the dimension that `of` has.
    pub(crate) fn function_of_position(
        &mut self,
        e: &'s Expression,
        what: &str,
        wanted: &Dimension,
        of: &str,
    ) -> Option<Expr<'p>> {
        let v = self.read(e)?;
        let (x, d) = self.scalar(&v, e)?;
        self.only_position(&v, what)?;
        self.smooth(&v, what)?;
        self.fits(&d, e, wanted, of)?;
        Some(x)
    }

    pub(crate) fn only_position(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.velocity else {
            return Some(());
        };
        self.error(
            Code::VelocityNotAllowed,
            format!("{what} is a function of time and position; `{}` brings in a velocity", self.text(place)),
            "velocities are allowed in let, kinetic, lagrangian, force, dissipation, constraint, output and event",
            place,
        );
        None
    }

    pub(crate) fn smooth(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.not_smooth() else {
            return Some(());
        };
        self.error(
            Code::NotSmooth,
            format!("{what} must be smooth; `{}` has a kink", self.text(place)),
            match v.uses.kink {
                None => "a cubic table is smooth; lines are allowed in forces, outputs, events and constraints on velocities",
                Some(_) => "abs, sign, min, max, if and steps are allowed in forces, outputs and events",
            },
            place,
        );
        None
    }

    /// A value that is continuous in the state, perhaps with corners.
    pub(crate) fn continuous(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        match v.uses.kink {
            None => Some(()),
            Some(_) => self.smooth(v, what),
        }
    }

    /// A value made of numbers and parameters only.
    pub(crate) fn constant(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.state else {
            return Some(());
        };
        self.error(
            Code::NotConstant,
            format!(
                "{what} is a number; `{}` depends on time or the state",
                self.text(place)
            ),
            "use numbers and parameters",
            place,
        );
        None
    }

    /// Mass and moments may depend on time and place, not on velocities.
    pub(crate) fn constant_in_state(&mut self, v: &Value<'p>, what: &str) {
        let _ = self
            .only_position(v, what)
            .and_then(|()| self.smooth(v, what));
    }
}
