//! Derivations of the vertical extension: Hamilton's equations on VV*Q, the Jacobi equations, the
//! second variation of the action.

use galilei_expr::{Bound, Expr, Layout, Verdict};
use galilei_geometry::{Form, VectorField};
use galilei_mechanics::{HamiltonianForm, JacobiEquations, SecondVariation, VerticalHamiltonian};
use galilei_model::{Constructions, term_count};

use crate::constrained::{EXPLICIT, SHORT, is_short};
use crate::derivation::{Derivation, Draft, READABLE, Shape, Tree};

/// What a first-order equation on V*Q becomes on VV*Q.
struct Extended<'m> {
    vertical: VerticalHamiltonian<'m>,
    /// Whether the equation is Hamiltonian: then (ξ, π) is a variation of the motion, and not only
    /// adjoint to one.
    hamiltonian: Verdict,
    theorem: &'static str,
}

const TOO_LARGE: &str = "above six degrees of freedom the linearised equations are not written out";
const LONG: &str = "the formulas fill pages and are left out";
const NO_ACTION: &str = "no second variation: under constraints, and under forces that are not part of L, motions are not stationary points of ∫ L dt";
const PAIRS: &str = "ξ varies x and π varies p at fixed time; (x, π) and (ξ, p) are conjugate";
const ADJOINT: &str = "λ = (π, −ξ) is adjoint, λ̇ = −(Dγ)ᵀλ, and λ·δz is constant for every variation δz of the motion";

impl<'m> Derivation<'m> {
    /// ℋ_V, Ω_V and Hamilton's equations on VV*Q. (T-99 … T-103)
    pub(crate) fn vertical(&self) -> Draft<'m> {
        let mut d = self.draft("vertical", "Vertical extension");
        let extended = match self.extended() {
            Ok(extended) => extended,
            Err(why) => {
                d.reason = Some(why);
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let vertical = &extended.vertical;
        let field = vertical.field();
        let mut written = field.components().to_vec();
        written.push(vertical.function());
        if !is_short(&written) {
            d.reason = Some(LONG.into());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let h = self.present_linear(vertical.function(), vertical.space().bundle().fibre());
        let kind = match extended.hamiltonian.is_proved() {
            true => "jacobi",
            false => "adjoint",
        };
        d.components.push(("kind".into(), Tree::Words(kind.into())));
        d.components.push(("hamiltonian".into(), Tree::One(h)));
        let left = Layout::name("H_V");
        Self::line(
            &mut d,
            "Hamiltonian",
            Shape::Equal(left, h),
            extended.theorem,
            PAIRS,
        );
        self.add_vertical_forms(&mut d, vertical);
        self.add_vertical_equations(&mut d, &extended, &field);
        d
    }

    /// The vertical Hamiltonian of what is written down: ∂_Vℋ, and where forces and reactions act,
    /// that of their first-order equations. (T-101 … T-103)
    fn extended(&self) -> Result<Extended<'m>, String> {
        let (motion, theorem) = match self.constructions() {
            None => {
                let canonical = self.canonical().ok_or_else(|| self.no_canonical())?;
                if self.readable.forces().is_empty() {
                    let h = canonical.hamiltonian();
                    let form = HamiltonianForm::new(canonical.chart(), h);
                    return Ok(Extended {
                        vertical: VerticalHamiltonian::complete(&form),
                        hamiltonian: Verdict::Proved(Bound::CERTAIN),
                        theorem: "T-101",
                    });
                }
                let motion = canonical.hamilton(&self.readable.total_force());
                (motion, "T-102")
            }
            Some(Err(why)) => return Err(why.to_string()),
            Some(Ok(found)) => {
                // What is derived from short formulas is short.
                let motion = self.restricted(&found)?;
                if !is_short(motion.components()) {
                    return Err(LONG.into());
                }
                let short = self.all_present(motion.components());
                (VectorField::new(motion.chart(), short), "T-103")
            }
        };
        let vertical = VerticalHamiltonian::adjoint(&motion);
        Ok(Extended {
            hamiltonian: vertical.space().decide_hamiltonian(&motion),
            vertical,
            theorem,
        })
    }

    /// The constrained momentum equations. (T-98)
    fn restricted(&self, found: &Constructions<'m>) -> Result<VectorField<'m>, String> {
        let canonical = match self.n() <= EXPLICIT {
            true => found.constrained.system().canonical(),
            false => None,
        };
        let canonical = canonical.ok_or_else(|| self.no_canonical())?;
        let motion = found.constrained.canonical(&canonical).ideal();
        motion.map(|m| m.field).map_err(|why| why.to_string())
    }

    /// Ω_V and H_V, the latter with ℋ_V as a symbol: it was written out before.
    fn add_vertical_forms(&self, d: &mut Draft<'m>, vertical: &VerticalHamiltonian<'m>) {
        let space = vertical.space();
        let symbol = self.model.pool().symbol("H_V");
        let short = VerticalHamiltonian::new(space.clone(), symbol);
        let left = Layout::name("Ξ").indexed(Layout::name("V"));
        let shape = self.chart_form(left, &short.as_form());
        Self::line(d, "Form", shape, "T-99", "up to d(pᵢξⁱ)");
        let left = Layout::name("Ω").indexed(Layout::name("V"));
        let shape = self.chart_form(left, &space.three_form());
        Self::line(d, "Three-form", shape, "T-99", "X ⌟ Ω_V = dΞ_V");
    }

    /// A form with coefficients that need no rewriting. A pair dz∧dz̄∧dt is written from its momentum
    /// to its position.
    fn chart_form(&self, left: Layout, form: &Form<'m>) -> Shape<'m> {
        let chart = form.chart();
        let name = |k: usize| chart.coordinate(k).to_string();
        let momenta = 1 + self.n()..1 + 2 * self.n();
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        list.sort_by_key(|(k, _)| (k.len() == 1 && k[0] == 0, k.clone()));
        let terms = list.into_iter().map(|(indices, e)| {
            let (order, e) = match *indices.as_slice() {
                [t, p, xi] if momenta.contains(&p) => (vec![p, xi, t], e),
                [t, x, pi] => (vec![pi, x, t], -e),
                _ => (indices, e),
            };
            let basis = order.into_iter().map(|k| Self::differential(&name(k)));
            (e, Layout::wedge(basis))
        });
        Shape::Combination(left, terms.collect())
    }

    fn add_vertical_equations(
        &self,
        d: &mut Draft<'m>,
        extended: &Extended<'m>,
        field: &VectorField<'m>,
    ) {
        let space = extended.vertical.space();
        let fibre = space.bundle().fibre();
        let below = space.bundle().base().dimension();
        let last = space.chart().dimension() - 1;
        let adjoint = match extended.hamiltonian.is_refuted() {
            true => format!("not Hamiltonian: {ADJOINT}"),
            false => ADJOINT.to_owned(),
        };
        let mut entries = Vec::new();
        for (k, &z) in space.chart().coordinates().iter().enumerate().skip(1) {
            let e = self.present_linear(field.component(k), fibre);
            entries.push((z.to_string(), Tree::One(e)));
            let left = Layout::name(&format!("{z}'"));
            let (label, theorem, note) = match (k < below, extended.hamiltonian.is_proved()) {
                (true, _) => ("Hamilton", "T-100", ""),
                (false, true) => ("Jacobi", "T-101", ""),
                (false, false) if k == last => ("Adjoint", "T-102", adjoint.as_str()),
                (false, false) => ("Adjoint", "T-102", ""),
            };
            Self::line(d, label, Shape::Equal(left, e), theorem, note);
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
    }

    /// The Jacobi equations on the Lagrangian side, and the second variation. (T-101)
    pub(crate) fn jacobi(&self) -> Draft<'m> {
        let mut d = self.draft("jacobi", "Jacobi equations");
        if self.n() > READABLE {
            d.reason = Some(TOO_LARGE.into());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let found = match self.constructions() {
            None => Some(self.readable.jacobi()),
            Some(Err(why)) => {
                d.reason = Some(why.to_string());
                return d;
            }
            Some(Ok(found)) => {
                let pool = self.model.pool();
                let names = self.constraints.iter();
                let symbols = names.map(|c| pool.symbol(&format!("multiplier({})", c.name)));
                found.constrained.jacobi(&symbols.collect::<Vec<_>>())
            }
        };
        let Some(found) = found else {
            d.reason = Some("a constraint is only a one-form".into());
            return d;
        };
        self.add_vertical_lagrangian(&mut d, &found);
        self.add_jacobi_equations(&mut d, &found);
        self.add_second_variation(&mut d, &found);
        d
    }

    fn add_vertical_lagrangian(&self, d: &mut Draft<'m>, found: &JacobiEquations<'m>) {
        let l = found.configuration.lagrangian(self.readable.lagrangian());
        let l = self.present_linear(l.function(), found.configuration.jets().fibre());
        d.components.push(("lagrangian".into(), Tree::One(l)));
        let note =
            "L_V = ξⁱ∂L/∂xⁱ + ξ̇ⁱ∂L/∂uⁱ; its Hessian is regular with that of L, and indefinite";
        let shape = Shape::Equal(Layout::name("L_V"), l);
        Self::line(d, "Lagrangian", shape, "T-101", note);
    }

    fn add_jacobi_equations(&self, d: &mut Draft<'m>, found: &JacobiEquations<'m>) {
        let mut linear = found.accelerations.clone();
        linear.extend(found.configuration.jets().fibre().iter().rev());
        linear.extend(&found.multipliers);
        let readable = self.n() <= EXPLICIT && is_short(&found.equations);
        let mut entries = Vec::new();
        for (i, &e) in found.equations.iter().enumerate() {
            let e = self.present_linear(e, &linear);
            entries.push((self.names[i].clone(), Tree::One(e)));
            if readable {
                let last = i + 1 == found.equations.len();
                let note = if last { "along a motion x(t)" } else { "" };
                Self::line(d, "Jacobi", Shape::Zero(e), "T-101", note);
            }
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
        if !readable {
            d.reason = Some(
                "the Jacobi equations fill pages and are left out: the components have them".into(),
            );
        }
        let rows = self.constraints.iter().zip(&found.constraints);
        let mut entries = Vec::new();
        for (row, &e) in rows {
            let e = self.present_linear(e, &linear);
            entries.push((row.name.clone(), Tree::One(e)));
            if readable {
                Self::line(d, "Constraints", Shape::Zero(e), "T-101", "");
            }
        }
        if !entries.is_empty() {
            d.components
                .push(("constraints".into(), Tree::Many(entries)));
        }
    }

    fn add_second_variation(&self, d: &mut Draft<'m>, found: &JacobiEquations<'m>) {
        if !self.readable.forces().is_empty() || self.is_constrained() {
            d.components.push(("second_variation".into(), Tree::Null));
            d.reason = Some(match d.reason.take() {
                Some(reason) => format!("{reason}; {NO_ACTION}"),
                None => NO_ACTION.into(),
            });
            return;
        }
        let second = SecondVariation::new(self.readable.lagrangian());
        let fibre = found.configuration.jets().fibre();
        let q = self.present_linear(second.integrand(), fibre);
        d.components.push(("second_variation".into(), Tree::One(q)));
        let note = "δ²A = ∫ Q dt for ξ that vanishes at both ends; its Lagrange equations are twice the Jacobi equations";
        let shape = Shape::Equal(Layout::name("Q"), q);
        Self::line(d, "Variation", shape, "T-101", note);
    }

    /// The form a person wants to read, collected by variations, if somebody might read it.
    fn present_linear(&self, e: Expr<'m>, linear: &[Expr<'m>]) -> Expr<'m> {
        if self.n() > READABLE || term_count(vec![e]) > SHORT {
            return e;
        }
        self.presented.form(e, linear)
    }
}
