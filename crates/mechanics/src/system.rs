//! Systems: a Lagrangian and forces, and the postulate X ⌟ Ω = 0.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Form, Matrix, Singular, VectorField, decide_equal};

use crate::canonical::Canonical;
use crate::force::Force;
use crate::kinetic::KineticEnergy;
use crate::lagrangian::Lagrangian;
use crate::metric::GalileanMetric;
use crate::reference::ReferenceField;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;

/// A mechanical system: a Lagrangian and named forces.
#[derive(Clone, Debug, PartialEq)]
pub struct System<'p> {
    lagrangian: Lagrangian<'p>,
    forces: Vec<(String, Force<'p>)>,
    /// The canonical chart, if the system was given by its Hamiltonian.
    canonical: Option<Canonical<'p>>,
}

impl<'p> System<'p> {
    /// The system of a Lagrangian without forces.
    pub fn new(lagrangian: Lagrangian<'p>) -> Self {
        Self {
            lagrangian,
            forces: Vec::new(),
            canonical: None,
        }
    }

    /// The system of a metric m(t, x) and a second-order field ξ: L = ½m(u − Γ, u − Γ) for any frame Γ, and the force
    /// mᵢⱼξʲ − hᵢ with the right-hand side h of T_Γ, found without an inverse. (T-119)
    pub fn of_field(
        metric: &GalileanMetric<'p>,
        field: &SecondOrderField<'p>,
        frame: &ReferenceField<'p>,
    ) -> Self {
        let kinetic = KineticEnergy::new(field.state(), metric, frame);
        let force = Force::new(field.state(), kinetic.lagrange(field.accelerations()));
        Self::new(Lagrangian::new(field.state(), kinetic.energy())).with_force("ξ", force)
    }

    /// The system with one more force.
    #[must_use]
    pub fn with_force(mut self, name: &str, force: Force<'p>) -> Self {
        self.forces.push((name.to_owned(), force));
        self
    }

    /// The system with the Hamiltonian it was given by; L must be its Legendre transform. (T-114)
    #[must_use]
    pub fn with_canonical(mut self, canonical: Canonical<'p>) -> Self {
        self.canonical = Some(canonical);
        self
    }

    /// The canonical chart of the Hamiltonian that the system was given by.
    pub fn given_canonical(&self) -> Option<&Canonical<'p>> {
        self.canonical.as_ref()
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        self.lagrangian.state()
    }

    /// The Lagrangian.
    pub fn lagrangian(&self) -> &Lagrangian<'p> {
        &self.lagrangian
    }

    /// The forces by name.
    pub fn forces(&self) -> &[(String, Force<'p>)] {
        &self.forces
    }

    /// The sum of all forces.
    pub fn total_force(&self) -> Force<'p> {
        let zero = self.state().pool().zero();
        let none = Force::new(self.state(), vec![zero; self.state().degrees_of_freedom()]);
        self.forces.iter().fold(none, |sum, (_, f)| sum.plus(f))
    }

    /// Ω = dω + Φ. (T-47)
    pub fn action_two_form(&self) -> Form<'p> {
        let start = self.lagrangian.cartan_form().d();
        self.forces
            .iter()
            .fold(start, |sum, (_, f)| sum.plus(f.two_form().as_two_form()))
    }

    /// The field X with ϑ̂(X) = 1 and X ⌟ Ω = 0, solved from the form itself: nothing is assumed
    /// about X beyond its time component. (T-47, T-48)
    ///
    /// X = ∂ₜ + Aⁱ∂ₓᵢ + Bⁱ∂ᵤᵢ is a solution of 2n linear equations, of which the matrix is the
    /// spatial part of Ω. Its du-components give A, its dx-components then B.
    pub fn postulate(&self) -> Result<VectorField<'p>, Singular> {
        let (state, omega) = (self.state(), self.action_two_form());
        let n = state.degrees_of_freedom();
        let (x, u) = (|i: usize| state.x(i), |i: usize| state.u(i));
        let pool = state.pool();
        // Rows: components of X ⌟ Ω along duʲ. Ω(∂uⁱ, ∂uʲ) = 0 for every Cartan form.
        let rows = (0..n)
            .map(|j| (0..n).map(|i| omega.component(&[x(i), u(j)])).collect())
            .collect();
        let right: Vec<Expr<'p>> = (0..n).map(|j| -omega.component(&[0, u(j)])).collect();
        let a = Matrix::new(pool, rows).solve(&right)?;
        let rows = (0..n)
            .map(|j| (0..n).map(|i| omega.component(&[u(i), x(j)])).collect())
            .collect();
        let right: Vec<Expr<'p>> = (0..n)
            .map(|j| {
                let known = (0..n).map(|i| a[i] * omega.component(&[x(i), x(j)]));
                -(omega.component(&[0, x(j)]) + pool.sum(known))
            })
            .collect();
        let b = Matrix::new(pool, rows).solve(&right)?;
        Ok(state.vector(pool.one(), &a, &b))
    }

    /// The accelerations by Lagrange's equations. (T-49)
    pub fn lagrange(&self) -> Result<SecondOrderField<'p>, Singular> {
        self.lagrangian.field(&self.total_force())
    }

    /// Whether the postulate and Lagrange's equations agree: the same velocities and accelerations.
    pub fn decide_postulate_is_lagrange(&self) -> Result<Verdict, Singular> {
        let x = self.postulate()?;
        let z = self.lagrange()?.as_vector();
        Ok(decide_equal(x.components(), z.components()))
    }

    /// −∂L/∂t + uⁱFᵢ, the rate of the energy along motions. (T-50)
    pub fn energy_rate(&self) -> Expr<'p> {
        let force = self.total_force();
        let pairs = force.components().iter().zip(self.state().velocities());
        let power = self.state().pool().sum(pairs.map(|(&f, &u)| f * u));
        power - self.lagrangian.function().diff(self.state().time())
    }
}
