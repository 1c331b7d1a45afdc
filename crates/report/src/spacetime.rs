//! The first and the decisive step of a derivation: time and the reference field; the field of the motion.

use galilei_expr::Layout;
use galilei_mechanics::Lagrangian;

use crate::derivation::{Derivation, Draft, Line, Shape};
use crate::topic::Topic;

/// Number of degrees of freedom up to which the reference field of T is computed.
const MAX_REFERENCE_DEGREES: usize = 3;

impl<'m> Derivation<'m> {
    /// ϑ, and the reference field R of the kinetic energy.
    pub(crate) fn spacetime(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::SpaceTime);
        let one = self.model.pool().one();
        d.lines.push(Line {
            label: "Time".into(),
            shape: Shape::Combination(
                Layout::Name("ϑ".into()),
                vec![(one, Self::differential("t"))],
            ),
            theorem: "T-5",
            note: String::new(),
        });
        if let (Some(charts), Some(last)) = (self.model.words_on_charts(), d.lines.last_mut()) {
            last.note = charts;
        }
        if let Some(field) = self.resting() {
            let directions = std::iter::once(Layout::name("t"))
                .chain((0..self.n()).map(|i| self.name(i)))
                .map(Layout::coordinate_field);
            let components = std::iter::once(one).chain(field);
            d.lines.push(Line {
                label: "Reference field".into(),
                shape: Shape::Combination(Layout::name("R"), components.zip(directions).collect()),
                theorem: "T-7",
                note: String::new(),
            });
        }
        d
    }

    /// The postulate, and the field X that it determines if that can be written out.
    pub(crate) fn field(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Field);
        let letter = |c: &str| Layout::Name(c.into());
        let contraction = Layout::Row(vec![letter("X"), Layout::Word("⌟".into()), letter("Ω")]);
        d.lines.push(Line {
            label: "Postulate".into(),
            shape: Shape::Combination(contraction, vec![]),
            theorem: "T-47",
            note: String::new(),
        });
        if self.n() > MAX_REFERENCE_DEGREES || self.is_constrained() {
            return d;
        }
        if let Ok(field) = self.readable.lagrange() {
            let u = self.readable.state().velocities().iter().copied();
            let z = field.accelerations().iter().map(|z| self.present(*z));
            let components = std::iter::once(self.model.pool().one()).chain(u).chain(z);
            let names = self.chart_names();
            let directions = names.iter().map(|x| Layout::name(x).coordinate_field());
            d.lines.push(Line {
                label: "Field".into(),
                shape: Shape::Combination(letter("X"), components.zip(directions).collect()),
                theorem: "T-25",
                note: String::new(),
            });
        }
        d
    }

    /// The velocities at which T is least: R of T = ½g(u − R, u − R) + ….
    fn resting(&self) -> Option<Vec<galilei_expr::Expr<'m>>> {
        let (t, _) = self.split()?;
        let kinetic = Lagrangian::new(self.readable.state(), t);
        let zero = self.model.pool().zero();
        let at_rest: Vec<_> = self
            .readable
            .state()
            .velocities()
            .iter()
            .map(|u| (*u, zero))
            .collect();
        let linear = kinetic
            .momenta()
            .into_iter()
            .map(|p| p.substitute(&at_rest));
        if linear.into_iter().all(|p| p.is_zero()) {
            return Some(vec![zero; self.n()]);
        }
        if self.n() > MAX_REFERENCE_DEGREES {
            return None;
        }
        let field = kinetic.natural_reference().ok()?;
        Some(
            field
                .components()
                .iter()
                .map(|r| self.present(*r))
                .collect(),
        )
    }
}
