//! Changes of adapted charts, and the transformation of fields, metrics, forces and systems.

use galilei_expr::{Assumptions, Expr, Verdict};
use galilei_geometry::{Diffeomorphism, Matrix, NotInverse, Singular, SmoothMap, decide_equal};

use crate::force::Force;
use crate::lagrangian::Lagrangian;
use crate::metric::GalileanMetric;
use crate::potential::Potentials;
use crate::reference::ReferenceField;
use crate::second_order::SecondOrderField;
use crate::space_time::AdaptedChart;
use crate::state_space::StateSpace;
use crate::system::System;

/// Old positions as functions of time and new positions, xⁱ = Xⁱ(t, y); time is the same, or shifted by a constant. (T-9)
///
/// K = ∂X/∂y is its Jacobian, J = K⁻¹ that of the inverse y = Y(t, x). Every result is expressed in
/// the new coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptedChange<'p> {
    old: StateSpace<'p>,
    new: StateSpace<'p>,
    x: Vec<Expr<'p>>,
    /// Old time minus new time.
    shift: Expr<'p>,
}

impl<'p> AdaptedChange<'p> {
    /// The change with x = X(t, y). Both charts must call time by the same name.
    ///
    /// # Panics
    /// If the charts have different times or dimensions, or X the wrong length.
    pub fn new(old: &AdaptedChart<'p>, new: &AdaptedChart<'p>, x: Vec<Expr<'p>>) -> Self {
        assert_eq!(
            old.time(),
            new.time(),
            "both charts must have the same time"
        );
        assert_eq!(
            old.degrees_of_freedom(),
            new.degrees_of_freedom(),
            "dimensions"
        );
        assert_eq!(
            x.len(),
            old.degrees_of_freedom(),
            "one function for each old coordinate"
        );
        Self {
            old: StateSpace::new(old.clone()),
            new: StateSpace::new(new.clone()),
            x,
            shift: old.pool().zero(),
        }
    }

    /// The change between charts whose times differ by a constant: old time is new time plus `shift`. (T-9)
    #[must_use]
    pub fn with_shift(mut self, shift: Expr<'p>) -> Self {
        self.shift = shift;
        self
    }

    /// Old time as a function of new time, which has the same symbol.
    pub fn time(&self) -> Expr<'p> {
        self.old.time() + self.shift
    }

    /// The state space over the old chart.
    pub fn old_state(&self) -> &StateSpace<'p> {
        &self.old
    }

    /// The state space over the new chart.
    pub fn new_state(&self) -> &StateSpace<'p> {
        &self.new
    }

    /// The map (t, y) ↦ (t, X(t, y)) of space-time.
    pub fn map(&self) -> SmoothMap<'p> {
        let components = std::iter::once(self.time())
            .chain(self.x.iter().copied())
            .collect();
        SmoothMap::new(self.new.base().chart(), self.old.base().chart(), components)
    }

    /// The map with its inverse y = Y(t, x), both compositions proved. (T-9)
    pub fn with_inverse(&self, y: Vec<Expr<'p>>) -> Result<Diffeomorphism<'p>, NotInverse> {
        Diffeomorphism::new(self.map(), self.back(y))
    }

    /// The map with its inverse on a domain, such as r > 0 and one turn of an angle; see [`Diffeomorphism::on`].
    /// (T-9)
    pub fn with_inverse_on(
        &self,
        y: Vec<Expr<'p>>,
        domain: &Assumptions<'p>,
    ) -> Result<Diffeomorphism<'p>, NotInverse> {
        Diffeomorphism::on(self.map(), self.back(y), domain)
    }

    /// (t, x) ↦ (t, Y(t, x))
    fn back(&self, y: Vec<Expr<'p>>) -> SmoothMap<'p> {
        let components = std::iter::once(self.old.time() - self.shift)
            .chain(y)
            .collect();
        SmoothMap::new(self.old.base().chart(), self.new.base().chart(), components)
    }

    /// Kʲᵢ = ∂Xʲ/∂yⁱ, row j.
    pub fn jacobian(&self) -> Matrix<'p> {
        let pool = self.new.pool();
        Matrix::new(pool, pool.jacobian(&self.x, self.new.base().positions()))
    }

    /// ∂Xʲ/∂t at fixed y.
    fn drift(&self) -> Vec<Expr<'p>> {
        self.x.iter().map(|x| x.diff(self.new.time())).collect()
    }

    /// Old velocities: uʲ = ∂ₜXʲ + Kʲᵢwⁱ. (T-10)
    pub fn velocities(&self) -> Vec<Expr<'p>> {
        let turned = self.jacobian().times_vector(self.new.velocities());
        self.drift()
            .iter()
            .zip(turned)
            .map(|(&a, b)| a + b)
            .collect()
    }

    /// The induced map of state spaces, (t, y, w) ↦ (t, x, u).
    pub fn prolonged(&self) -> SmoothMap<'p> {
        let components = std::iter::once(self.time())
            .chain(self.x.iter().copied())
            .chain(self.velocities())
            .collect();
        SmoothMap::new(self.new.chart(), self.old.chart(), components)
    }

    fn old_at_new(&self, list: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let map = self.prolonged();
        list.iter().map(|e| map.pullback(e)).collect()
    }

    /// The second-order field in the new chart: K·W = Z − (d/dt ∂ₜX + (dK/dt)w). (T-10)
    pub fn field(&self, z: &SecondOrderField<'p>) -> Result<SecondOrderField<'p>, Singular> {
        let zero = vec![self.new.pool().zero(); self.new.degrees_of_freedom()];
        // The rate of u at w fixed; w's own rate enters through K.
        let flow = SecondOrderField::new(&self.new, zero);
        let old = self.old_at_new(z.accelerations());
        let right: Vec<Expr<'p>> = old
            .iter()
            .zip(self.velocities())
            .map(|(&z, u)| z - flow.rate(u))
            .collect();
        Ok(SecondOrderField::new(
            &self.new,
            self.jacobian().solve(&right)?,
        ))
    }

    /// ḡ = KᵀgK. (T-11)
    pub fn metric(&self, g: &GalileanMetric<'p>) -> GalileanMetric<'p> {
        let n = self.new.degrees_of_freedom();
        let map = self.map();
        let rows = (0..n)
            .map(|i| (0..n).map(|j| map.pullback(&g.component(i, j))).collect())
            .collect();
        let k = self.jacobian();
        let moved = k
            .transposed()
            .times(&Matrix::new(self.new.pool(), rows))
            .times(&k);
        GalileanMetric::new(self.new.base(), moved.rows().to_vec())
            .expect("KᵀgK is symmetric with g")
    }

    /// R̄ = J(R − ∂ₜX). (T-11)
    pub fn reference(&self, r: &ReferenceField<'p>) -> Result<ReferenceField<'p>, Singular> {
        let map = self.map();
        let right: Vec<Expr<'p>> = r
            .components()
            .iter()
            .zip(self.drift())
            .map(|(c, d)| map.pullback(c) - d)
            .collect();
        Ok(ReferenceField::new(
            self.new.base(),
            self.jacobian().solve(&right)?,
        ))
    }

    /// F̄ᵢ = FⱼKʲᵢ. (T-11)
    pub fn force(&self, f: &Force<'p>) -> Force<'p> {
        let old = self.old_at_new(f.components());
        Force::new(&self.new, self.jacobian().transposed().times_vector(&old))
    }

    /// L̄ = L at (t, x, u) as functions of (t, y, w): a Lagrangian is a scalar. (T-12)
    pub fn lagrangian(&self, lagrangian: &Lagrangian<'p>) -> Lagrangian<'p> {
        let moved = self.prolonged().pullback(&lagrangian.function());
        Lagrangian::new(&self.new, moved)
    }

    /// The system in the new chart: L̄ and every force under its name. No inverse Y(t, x) is needed.
    /// (T-11, T-12)
    pub fn system(&self, system: &System<'p>) -> System<'p> {
        let moved = System::new(self.lagrangian(system.lagrangian()));
        let forces = system.forces().iter();
        forces.fold(moved, |moved, (name, f)| {
            moved.with_force(name, self.force(f))
        })
    }

    /// Whether a field over the new chart describes the same motions as one over the old: it gives
    /// the old velocities the old accelerations, Z̄\[uʲ(t, y, w)\] = Zʲ. (T-10)
    pub fn decide_same_motions(
        &self,
        old: &SecondOrderField<'p>,
        new: &SecondOrderField<'p>,
    ) -> Verdict {
        let rates: Vec<Expr<'p>> = self.velocities().iter().map(|&u| new.rate(u)).collect();
        decide_equal(&rates, &self.old_at_new(old.accelerations()))
    }

    /// p̄ᵢ = pⱼKʲᵢ, for momenta given as functions of the old (t, x, u). (T-12)
    pub fn momenta(&self, p: &[Expr<'p>]) -> Vec<Expr<'p>> {
        self.jacobian()
            .transposed()
            .times_vector(&self.old_at_new(p))
    }

    /// H̄ = H − pⱼ∂Xʲ/∂t: the Hamiltonian is not a scalar. (T-12)
    pub fn hamiltonian(&self, h: Expr<'p>, p: &[Expr<'p>]) -> Expr<'p> {
        let old = self.old_at_new(p);
        let shift = old.iter().zip(self.drift()).map(|(&p, d)| p * d);
        self.prolonged().pullback(&h) - self.new.pool().sum(shift)
    }

    /// Āᵢ = AⱼKʲᵢ, V̄ = V − Aⱼ∂Xʲ/∂t. (T-13)
    pub fn potentials(&self, potentials: &Potentials<'p>) -> Potentials<'p> {
        let map = self.map();
        let old: Vec<Expr<'p>> = potentials.vector.iter().map(|a| map.pullback(a)).collect();
        let shift = old.iter().zip(self.drift()).map(|(&a, d)| a * d);
        let scalar = map.pullback(&potentials.scalar) - self.new.pool().sum(shift);
        let vector = self.jacobian().transposed().times_vector(&old);
        Potentials::new(self.new.base(), scalar, vector)
    }
}
