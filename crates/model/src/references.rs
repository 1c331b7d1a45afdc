//! The kinetic energy of a model as a metric with a reference field, and the inertia forces of observers.

use galilei_expr::Expr;
use galilei_mechanics::{Inertia, KineticEnergy, ReferenceField};

use crate::model::Model;

impl Model {
    /// The kinetic energy T_R̃ of the system with its own reference field R̃, both taken from T alone: a
    /// vector potential belongs to L and is no motion of a frame. `None` where T is not quadratic in the
    /// velocities or its metric is singular. (T-38, T-45)
    ///
    /// A model that gives a `lagrangian` leaves R̃ open; it is split at rest in the chart, as
    /// [`Model::split`] does.
    pub fn own_kinetic_energy(&self) -> Option<KineticEnergy<'_>> {
        let (t, _) = self.split()?;
        KineticEnergy::recover(&self.state_space(), t)?.ok()
    }

    /// The inertia force that an observer feels. (T-40)
    pub fn inertia<'p>(&'p self, own: &KineticEnergy<'p>, observer: &[Expr<'p>]) -> Inertia<'p> {
        let state = self.state_space();
        let observer = ReferenceField::new(state.base(), observer.to_vec());
        Inertia::new(&state, own.metric(), &observer, own.reference())
    }
}
