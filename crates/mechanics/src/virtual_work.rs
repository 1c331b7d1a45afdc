//! Virtual work, and the principle that it vanishes.

use galilei_expr::{Expr, Verdict};

use crate::routes::decide_together;
use crate::second_order::SecondOrderField;
use crate::system::System;
use crate::virtual_displacement::{DisplacementKind, VirtualDisplacement};

impl<'p> System<'p> {
    /// Ω(Z, Y), the virtual work, from the two-form itself. (T-58)
    pub fn virtual_work(
        &self,
        field: &SecondOrderField<'p>,
        displacement: &VirtualDisplacement<'p>,
    ) -> Expr<'p> {
        let (z, y) = (field.as_vector(), displacement.as_vector());
        self.action_two_form().evaluate(&[&z, &y])
    }

    /// \[Z(∂L/∂uⁱ) − ∂L/∂xⁱ − Fᵢ\]δxⁱ: virtual work in the natural chart. (T-58)
    pub fn virtual_work_by_lagrange(
        &self,
        field: &SecondOrderField<'p>,
        displacement: &VirtualDisplacement<'p>,
    ) -> Expr<'p> {
        displacement.pair(&self.by_lagrange(field.accelerations()))
    }

    /// (Zᵢ + ∂H/∂xⁱ − Fᵢ)δxⁱ with Zᵢ = Z\[pᵢ\]: virtual work in the canonical chart, at p = ∂L/∂u.
    /// `None` if L is degenerate. (T-58, T-55)
    pub fn virtual_work_by_hamilton(
        &self,
        field: &SecondOrderField<'p>,
        displacement: &VirtualDisplacement<'p>,
    ) -> Option<Expr<'p>> {
        let (residual, ..) = self.by_hamilton(field.accelerations())?;
        Some(displacement.pair(&residual))
    }

    /// Fᵢδxⁱ of each force, by name: its contribution to the virtual work.
    pub fn work_of_forces(
        &self,
        displacement: &VirtualDisplacement<'p>,
    ) -> Vec<(String, Expr<'p>)> {
        let forces = self.forces().iter();
        forces
            .map(|(name, f)| (name.clone(), displacement.pair(f.components())))
            .collect()
    }

    /// The principle of virtual work in its three forms. (T-59)
    pub fn principle_of_virtual_work(&self) -> PrincipleOfVirtualWork<'p> {
        let z = SecondOrderField::new(self.state(), self.acceleration_symbols());
        let omega = z.as_vector().interior(&self.action_two_form());
        let forms = DisplacementKind::ALL.map(|kind| {
            let displacement = self.general_displacement(kind);
            VirtualWork {
                work: omega.evaluate(&[&displacement.as_vector()]),
                kind,
                displacement,
            }
        });
        PrincipleOfVirtualWork {
            residual: self.by_lagrange(z.accelerations()),
            forms,
        }
    }

    /// The general displacement of a kind at a state. In Virt_Z the rates Z\[δx\] may have any value,
    /// so they are symbols; a complete lift has undetermined δxⁱ(t, x).
    fn general_displacement(&self, kind: DisplacementKind) -> VirtualDisplacement<'p> {
        let state = self.state();
        let free = VirtualDisplacement::symbols(state);
        let pool = state.pool();
        match kind {
            DisplacementKind::StateSpace => free,
            DisplacementKind::SecondOrder => {
                let rates = free.positions().iter();
                let rates = rates.map(|d| pool.symbol(&format!("{d}'"))).collect();
                VirtualDisplacement::new(state, free.positions().to_vec(), rates)
            }
            DisplacementKind::CompleteLift => {
                let base = state.base().chart().coordinates();
                let field = |d: &Expr<'p>| pool.function(&d.to_string()).at(base.iter().copied());
                let moved: Vec<Expr<'p>> = free.positions().iter().map(field).collect();
                let rates = moved.iter().map(|&d| state.drift(d)).collect();
                VirtualDisplacement::new(state, moved, rates)
            }
        }
    }
}

/// Ω(Z, Y) for the general displacement of a kind and free accelerations.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualWork<'p> {
    /// The kind.
    pub kind: DisplacementKind,
    /// Its general element.
    pub displacement: VirtualDisplacement<'p>,
    /// Ω(Z, Y)
    pub work: Expr<'p>,
}

/// "Ω(Z, Y) = 0 for all Y" for each of the three kinds of displacements. (T-59)
///
/// Every kind has displacements with any given δx at any given state, constant fields for instance.
/// Where Ω(Z, Y) = Eᵢδxⁱ with one and the same E for all kinds, each of the three demands E = 0, and
/// they are equivalent.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipleOfVirtualWork<'p> {
    /// Eᵢ = Z(∂L/∂uⁱ) − ∂L/∂xⁱ − Fᵢ with free accelerations.
    pub residual: Vec<Expr<'p>>,
    /// The three forms, by kind.
    pub forms: [VirtualWork<'p>; 3],
}

impl PrincipleOfVirtualWork<'_> {
    /// Whether all three demand the same: Ω(Z, Y) = Eᵢδxⁱ for each kind. (T-59)
    pub fn decide_equivalent(&self) -> Verdict {
        let claims = self.forms.iter();
        let claims = claims.map(|f| f.work - f.displacement.pair(&self.residual));
        decide_together(&claims.collect::<Vec<_>>())
    }
}
