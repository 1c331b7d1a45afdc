//! Forces and constraints given as differential forms on the state space.

use galilei_expr::Expr;
use galilei_mechanics::{Force, ForceTwoForm, NotAForceTwoForm};
use galilei_syntax::{Expression, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Constraint, Enforcement, Level};
use crate::forms::{FormValue, degree};
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `constraint NAME: form FORM`: a one-form of the codistribution.
    pub(super) fn constraint_form<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        form: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "constraint", label, span);
        let v = r.read_form(form)?.of_degree(1);
        if v.form.degree() != 1 {
            r.error(
                Code::DegreeMismatch,
                format!("a constraint is {}; this is {}", degree(1), v.degree()),
                "write d(f) for a constraint f = 0, or a combination of d(t), d(x) and d(x')",
                form.span,
            );
            return None;
        }
        let name = name?;
        if let Some(place) = v.uses.not_smooth() {
            r.error(
                Code::NotSmooth,
                format!(
                    "a constraint must be smooth; `{}` has a kink",
                    r.text(place)
                ),
                "abs, sign, min, max and if are allowed in forces, outputs and events",
                place,
            );
            return None;
        }
        let n = r.coordinates.len();
        let components: Vec<Expr<'p>> = (0..=2 * n).map(|k| v.form.component(&[k])).collect();
        let vertical = components[1 + n..].to_vec();
        if vertical
            .iter()
            .all(|e| e.is_zero() || e.decide_zero().is_proved())
        {
            r.error(
                Code::InadmissibleConstraint,
                format!("the form of the constraint `{name}` has no d(x') components: it restricts no acceleration"),
                "write d(f) for a constraint f(t, x, x') = 0, or an equation between positions",
                span,
            );
            return None;
        }
        // s(ξ) = s₀ + sᵢuⁱ + ṡᵢaⁱ has the dimension of s per time; times λ it is the rate of a power.
        let energy = r.energy.clone();
        let work = r.rate(&energy);
        r.multipliers
            .insert(name.clone(), vec![work.div(&v.dimension)]);
        let one = r.pool.one();
        let accelerations = r.accelerations();
        let rates = std::iter::once(one)
            .chain(r.coordinates.iter().map(|c| c.velocity))
            .chain(accelerations);
        let terms = components.iter().zip(rates).map(|(&s, rate)| s * rate);
        self.constraints.push(Constraint {
            name,
            function: r.pool.sum(terms),
            form: components,
            level: Level::Acceleration,
            enforcement: Enforcement::Ideal,
            enforced_at: None,
            span,
        });
        Some(())
    }
}

impl<'p, 's> Reader<'p, 's> {
    /// The components of the force that a one-form or a two-form gives. (T-29, T-30)
    pub(super) fn force_of_form(
        &mut self,
        v: &FormValue<'p>,
        e: &'s Expression,
    ) -> Option<Vec<Expr<'p>>> {
        let state = self.state_space();
        let zero = v.form.degree() == 0 && v.form.component(&[]).is_zero();
        let v = if zero {
            v.clone().of_degree(1)
        } else {
            v.clone()
        };
        let force = match v.form.degree() {
            1 => Force::from_one_form(&state, &v.form).map_err(|wrong| {
                let hint = "write F*contact(x) + …: contact(x) is d(x) - x'*d(t)";
                (Code::NotAForceOneForm, wrong.to_string(), hint)
            }),
            2 => {
                let read = ForceTwoForm::new(&state, v.form.clone());
                read.map(|phi| phi.force()).map_err(|wrong| {
                    let hint = match &wrong {
                        NotAForceTwoForm::NotSemiBasic(_) => {
                            "a force two-form has no part along d(x'): F*d(x) /\\ d(t) + …"
                        }
                        _ => {
                            "the part of F*d(x) /\\ d(t) + G*d(y) /\\ d(t) along contact(x) /\\ contact(y) is (dF/dy' - dG/dx')/2 (T-29)"
                        }
                    };
                    (Code::NotAForceTwoForm, wrong.to_string(), hint)
                })
            }
            k => Err((
                Code::DegreeMismatch,
                format!(
                    "a force is {} or {}; this is {}",
                    degree(1),
                    degree(2),
                    degree(k)
                ),
                "write φ = F*contact(x) + …, or Φ = F*d(x) /\\ d(t) + …",
            )),
        };
        let (energy, text) = (self.energy.clone(), format!("`{}`", self.text(e.span)));
        let (wanted, what) = match v.form.degree() {
            1 => (energy, "a force as a one-form, an energy,"),
            _ => (
                energy.mul(&self.time_dimension),
                "a force as a two-form, energy times time,",
            ),
        };
        match force {
            Ok(force) => self
                .agree((&v.dimension, &text), (&wanted, what), e.span)
                .then(|| force.components().to_vec()),
            Err((code, message, hint)) => {
                self.error(code, message, hint, e.span);
                None
            }
        }
    }
}
