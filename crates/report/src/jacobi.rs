//! The derivation of the Jacobi equations and of the second variation of the action.

use galilei_expr::{Expr, Layout};
use galilei_mechanics::{JacobiEquations, SecondVariation};
use galilei_model::term_count;

use crate::constrained::{MAX_SHORTENED_TERMS, is_short, too_long};
use crate::derivation::{Derivation, Draft, MAX_READABLE_DEGREES, Shape, Tree};
use crate::topic::Topic;

/// Number of terms up to which equations that are too long to be read are given as components.
const MAX_COMPONENT_TERMS: usize = 20_000;

const FORCED: &str = "no second variation: under forces that are not part of L motions are not stationary points of ∫ L dt";
const NONHOLONOMIC: &str = "no second variation: under constraints on velocities motions are not stationary points of ∫ L dt, unless these can be integrated";
const HOLONOMIC: &str = "no second variation in these coordinates: motions are stationary points of ∫ L dt among the curves on the constraints, not among all";

impl<'m> Draft<'m> {
    /// Adds a reason why a part is missing.
    pub(crate) fn also(&mut self, reason: &str) {
        self.reason = Some(match self.reason.take() {
            Some(before) => format!("{before}; {reason}"),
            None => reason.into(),
        });
    }
}

impl<'m> Derivation<'m> {
    /// The Jacobi equations on the Lagrangian side, and the second variation. They need no Legendre
    /// transform. (T-101)
    pub(crate) fn jacobi(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Jacobi);
        let found = match self.constructions() {
            None => self.readable.jacobi(),
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
        let terms = term_count(found.equations.clone());
        if terms > MAX_COMPONENT_TERMS {
            d.reason = Some(format!(
                "the Jacobi equations have {terms} terms, more than are written out"
            ));
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        self.add_vertical_lagrangian(&mut d, &found);
        self.add_jacobi_equations(&mut d, &found);
        self.add_second_variation(&mut d, &found);
        d
    }

    fn add_vertical_lagrangian(&self, d: &mut Draft<'m>, found: &JacobiEquations<'m>) {
        let l = found.configuration.lagrangian(self.readable.lagrangian());
        let l = self.present_linear(l.function(), found.configuration.jets().fibre());
        d.components.push(("lagrangian".into(), Tree::One(l)));
        if let Some(terms) = too_long(&[l]) {
            d.also(&format!("L_V has {terms} terms and is left out"));
            return;
        }
        let note =
            "L_V = ξⁱ∂L/∂xⁱ + ξ̇ⁱ∂L/∂uⁱ; its Hessian is regular with that of L, and indefinite";
        let shape = Shape::Equal(Layout::name("L_V"), l);
        Self::line(d, "Lagrangian", shape, "T-101", note);
    }

    fn add_jacobi_equations(&self, d: &mut Draft<'m>, found: &JacobiEquations<'m>) {
        let mut linear = found.accelerations.clone();
        linear.extend(found.configuration.jets().fibre().iter().rev());
        linear.extend(&found.multipliers);
        let readable = is_short(&found.equations);
        let present = |e: Expr<'m>| match readable || self.n() <= MAX_READABLE_DEGREES {
            true => self.present_linear(e, &linear),
            false => e,
        };
        let mut entries = Vec::new();
        for (i, &e) in found.equations.iter().enumerate() {
            let e = present(e);
            entries.push((self.names[i].clone(), Tree::One(e)));
            if readable {
                let last = i + 1 == found.equations.len();
                let note = if last { "along a motion x(t)" } else { "" };
                Self::line(d, "Jacobi", Shape::Zero(e), "T-101", note);
            }
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
        if let Some(terms) = too_long(&found.equations) {
            d.also(&format!(
                "the Jacobi equations have {terms} terms and are left out: the components have them"
            ));
        }
        let rows = self.constraints.iter().zip(&found.constraints);
        let mut entries = Vec::new();
        for (row, &e) in rows {
            let e = present(e);
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
        if let Some(reason) = self.not_stationary() {
            d.components.push(("second_variation".into(), Tree::Null));
            d.also(reason);
            return;
        }
        let second = SecondVariation::new(self.readable.lagrangian());
        let fibre = found.configuration.jets().fibre();
        let q = self.present_linear(second.integrand(), fibre);
        d.components.push(("second_variation".into(), Tree::One(q)));
        if let Some(terms) = too_long(&[q]) {
            d.also(&format!("Q has {terms} terms and is left out"));
            return;
        }
        let note = "δ²A = ∫ Q dt for ξ that vanishes at both ends; its Lagrange equations are twice the Jacobi equations";
        let shape = Shape::Equal(Layout::name("Q"), q);
        Self::line(d, "Variation", shape, "T-101", note);
    }

    /// The reason why motions are not stationary points of ∫ L dt among all curves, if they are not.
    fn not_stationary(&self) -> Option<&'static str> {
        if !self.readable.forces().is_empty() {
            return Some(FORCED);
        }
        let holonomic = self.constraints.iter().all(|row| row.rate.is_some());
        self.is_constrained().then_some(match holonomic {
            true => HOLONOMIC,
            false => NONHOLONOMIC,
        })
    }

    /// The short form of an expression, collected by variations, unless it is too long to be read at all.
    pub(crate) fn present_linear(&self, e: Expr<'m>, linear: &[Expr<'m>]) -> Expr<'m> {
        match term_count(vec![e]) > MAX_SHORTENED_TERMS {
            true => e,
            false => self.presented.form(e, linear),
        }
    }
}
