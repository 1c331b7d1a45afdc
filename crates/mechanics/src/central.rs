//! The central equations of Lagrange and Hamel.

use galilei_expr::Expr;

use crate::system::System;
use crate::virtual_displacement::VirtualDisplacement;

/// The parts of the central equations for a displacement Y along a second-order field Z. (T-60, T-61)
#[derive(Clone, Debug, PartialEq)]
pub struct CentralEquation<'p> {
    /// pᵢδxⁱ
    pub momentum: Expr<'p>,
    /// Z\[pᵢδxⁱ\]
    pub momentum_rate: Expr<'p>,
    /// Y\[L\] = δL
    pub variation: Expr<'p>,
    /// Fᵢδxⁱ = δW
    pub work: Expr<'p>,
    /// pᵢ(δuⁱ − Z\[δxⁱ\]), which vanishes for Y in Virt_Z.
    pub transposition: Expr<'p>,
}

impl<'p> CentralEquation<'p> {
    /// Lagrange's central equation, Z\[pᵢδxⁱ\] − δL − δW = 0: the left side. (T-61)
    pub fn lagrange(&self) -> Expr<'p> {
        self.momentum_rate - self.variation - self.work
    }

    /// Hamel's generalised central equation, with pᵢ(δuⁱ − Z\[δxⁱ\]) added: the left side, which is
    /// Ω(Z, Y) for every Y. (T-60)
    pub fn hamel(&self) -> Expr<'p> {
        self.lagrange() + self.transposition
    }
}

impl<'p> System<'p> {
    /// The central equations for a displacement; `rate` is Z\[·\], for functions on the state space or
    /// for symbols that represent their values along a motion. (T-60, T-61)
    pub fn central_equation(
        &self,
        displacement: &VirtualDisplacement<'p>,
        rate: impl Fn(Expr<'p>) -> Expr<'p>,
    ) -> CentralEquation<'p> {
        let lagrangian = self.lagrangian();
        let p = lagrangian.momenta();
        let momentum = displacement.pair(&p);
        let pairs = displacement.positions().iter();
        let defects = pairs.zip(displacement.velocities());
        let defects = p.iter().zip(defects.map(|(&dx, &du)| du - rate(dx)));
        CentralEquation {
            momentum_rate: rate(momentum),
            momentum,
            variation: displacement.as_vector().apply(lagrangian.function()),
            work: displacement.pair(self.total_force().components()),
            transposition: self.state().pool().sum(defects.map(|(&p, d)| p * d)),
        }
    }

    /// The central equations for δx, δu and (δx)˙ as symbols, `delta(x)`, `delta(x')`, `delta(x)'`, and
    /// free accelerations `x''`: what holds for them holds for every displacement and every motion.
    pub fn central_equation_in_symbols(&self) -> CentralEquation<'p> {
        let displacement = VirtualDisplacement::symbols(self.state());
        let mut rates = self.rates(&self.acceleration_symbols());
        let pool = self.state().pool();
        let moved = displacement.positions().iter();
        rates.extend(moved.map(|&d| (d, pool.symbol(&format!("{d}'")))));
        self.central_equation(&displacement, |e| e.derivative_along(&rates))
    }
}
