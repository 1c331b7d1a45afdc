//! The energy and its rate, also with respect to reference fields.

use galilei_check::{Checker, ConstrainedEnergy};
use galilei_expr::{Expr, Layout};
use galilei_mechanics::{Dependence, ReferenceField};

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::constrained::{MAX_EXPLICIT_COORDINATES, is_short};
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(super) fn energy(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Energy);
        let e = self.present(self.readable.lagrangian().energy());
        let u = self.readable.state().velocities().to_vec();
        let law = self.energy_law();
        let rate =
            self.present(self.readable.energy_rate() + self.reaction_power(&u, law.as_ref()));
        let (rate, note) = match &law {
            None if rate.is_zero() => (rate, "conserved".to_owned()),
            None => (rate, String::new()),
            Some(law) => match (law.conserved.is_proved(), &law.sheets) {
                (true, None) => {
                    let zero = self.model.pool().zero();
                    (zero, format!("conserved {ON_SET}"))
                }
                (true, Some(sheets)) => {
                    let sheets = sheets.join(" and ");
                    (rate, format!("{ON_SET}; conserved on {sheets}"))
                }
                _ => (rate, ON_SET.to_owned()),
            },
        };
        let theorem = match law {
            None => "T-50",
            Some(_) => "T-92",
        };
        let dot = |l: Layout| Layout::Dots(Box::new(l), 1);
        d.components = vec![
            ("value".into(), Tree::One(e)),
            ("rate".into(), Tree::One(rate)),
        ];
        d.lines.push(Line {
            label: "Energy".into(),
            shape: Shape::Equal(Layout::name("E"), e),
            theorem: "T-50",
            note: String::new(),
        });
        d.lines.push(Line {
            label: String::new(),
            shape: Shape::Equal(dot(Layout::name("E")), rate),
            theorem,
            note,
        });
        let mut frames = Vec::new();
        if self.chart.is_none() {
            for r in &self.contents.references {
                let field = ReferenceField::new(
                    self.readable.state().base(),
                    self.model.exprs(&r.components),
                );
                let balance = self.readable.energy_balance(&field);
                let relative = field.relative_velocities(self.readable.state());
                let power = self.reaction_power(&relative, None);
                let value = self.present(balance.energy);
                let rate = self.present(balance.rate() + power);
                let letter = Layout::name("E").indexed(Layout::Name(r.name.clone()));
                frames.push((
                    r.name.clone(),
                    Tree::Many(vec![
                        ("value".into(), Tree::One(value)),
                        ("rate".into(), Tree::One(rate)),
                    ]),
                ));
                d.lines.push(Line {
                    label: format!("Energy in {}", r.name),
                    shape: Shape::Equal(letter.clone(), value),
                    theorem: "T-92",
                    note: String::new(),
                });
                d.lines.push(Line {
                    label: String::new(),
                    shape: Shape::Equal(
                        Layout::name("E'").indexed(Layout::Name(r.name.clone())),
                        rate,
                    ),
                    theorem: "T-92",
                    note: String::new(),
                });
            }
        }
        if !frames.is_empty() {
            d.components.push(("references".into(), Tree::Many(frames)));
        }
        self.add_constraint_frame(&mut d);
        self.add_symmetries(&mut d);
        d
    }

    /// T_Γ = πᵢ(uⁱ − Γⁱ) − L for the frame Γ of affine constraints: ideal reactions do no work in it. (T-90, T-92)
    fn add_constraint_frame(&self, d: &mut Draft<'m>) {
        let Some(Ok(found)) = self.constructions() else {
            return;
        };
        let constrained = &found.constrained;
        if self.n() > MAX_EXPLICIT_COORDINATES
            || constrained.codistribution().dependence() != Some(Dependence::Affine)
        {
            return;
        }
        let Some(frame) = constrained.constraint_frame() else {
            return;
        };
        let state = constrained.state();
        let balance = constrained.system().energy_balance(&frame);
        let power = match self.is_ideal() {
            true => self.model.pool().zero(),
            false => self.reaction_power(&frame.relative_velocities(state), None),
        };
        let gamma = self.all_present(frame.components());
        let value = self.present_short(balance.energy);
        let rate = self.present_short(balance.rate() + power);
        if !is_short(&[value, rate]) {
            return;
        }
        let parts = vec![
            ("frame".into(), self.named(&gamma)),
            ("value".into(), Tree::One(value)),
            ("rate".into(), Tree::One(rate)),
        ];
        d.components
            .push(("constraint_frame".into(), Tree::Many(parts)));
        let letter = |name: &str| Layout::name(name).indexed(Layout::Name("Γ".into()));
        let note = "with respect to the frame of the constraints, fᵃ₀ + fᵃᵢΓⁱ = 0";
        Self::line(
            d,
            "Energy in Γ",
            Shape::Equal(letter("T"), value),
            "T-92",
            note,
        );
        Self::line(
            d,
            "Energy in Γ",
            Shape::Equal(letter("T'"), rate),
            "T-92",
            ON_SET,
        );
    }

    /// The energy law under the constraints; `None` if there are none or they are not admissible.
    fn energy_law(&self) -> Option<ConstrainedEnergy> {
        let Some(Ok(found)) = self.constructions() else {
            return None;
        };
        let constraints = found.constrained.codistribution().constraints();
        let along = found.constrained.reactions();
        Some(Checker::new(self.model).constrained_energy(&self.readable, constraints, along))
    }

    /// λ_a∂fᵃ/∂uⁱ·vⁱ with symbols for the multipliers, without those that do no work where the constraints hold. The
    /// factor is written as short as fᵃ = 0 makes it.
    fn reaction_power(&self, v: &[Expr<'m>], law: Option<&ConstrainedEnergy>) -> Expr<'m> {
        let pool = self.model.pool();
        let terms = self.constraints.iter().enumerate().map(|(a, c)| {
            if law.is_some_and(|law| law.idle.get(a) == Some(&true)) {
                return pool.zero();
            }
            let factor = pool.sum(c.covector.iter().zip(v).map(|(&r, &v)| r * v));
            let f = c.rate.or(c.residual).unwrap_or(pool.zero());
            let forms = [0, 1, 2].map(|k| self.present(factor - k * f));
            let shortest = forms
                .into_iter()
                .min_by_key(|e| e.to_string().chars().count());
            let multiplier = pool.symbol(&format!("multiplier({})", c.name));
            multiplier * shortest.unwrap_or(factor)
        });
        pool.sum(terms)
    }
}

/// Where the energy law of a constrained system is written.
const ON_SET: &str = "where the constraints hold";
