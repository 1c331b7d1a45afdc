//! Inertia forces with respect to reference fields.

use galilei_expr::{Expr, Verdict};
use galilei_mechanics::{Inertia, InertiaParts, KineticEnergy, ReferenceField};

use super::FORM;
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

    /// Whether some forces are the inertia forces of this system with respect to an observer: `own` is T
    /// up to a function of (t, x), and the parts add up to Ω_R̃ − Ω_R. (T-40, T-41, T-108)
    pub fn decide_inertia<'p>(
        &'p self,
        own: &KineticEnergy<'p>,
        observer: &[Expr<'p>],
        parts: &InertiaParts<'p>,
    ) -> Option<Verdict> {
        let (t, _) = self.split()?;
        let inertia = self.inertia(own, observer);
        let n = observer.len();
        let force = parts.sum();
        let defined = match n <= FORM {
            true => inertia.decide(&force),
            false => inertia.decide_contracted(&force),
        };
        Some(own.decide_recovers(t).and(defined))
    }

    /// The inertia force that an observer feels. (T-40)
    pub fn inertia<'p>(&'p self, own: &KineticEnergy<'p>, observer: &[Expr<'p>]) -> Inertia<'p> {
        let state = self.state_space();
        let observer = ReferenceField::new(state.base(), observer.to_vec());
        Inertia::new(&state, own.metric(), &observer, own.reference())
    }

    pub(super) fn judge_reference<'p>(
        &'p self,
        observer: &[Expr<'p>],
    ) -> Option<(Verdict, String)> {
        let own = self.own_kinetic_energy()?;
        let parts = self.inertia(&own, observer).parts();
        let verdict = self.decide_inertia(&own, observer, &parts)?;
        let detail = "centrifugal, Euler and Coriolis parts are Ω_R̃ − Ω_R, R̃ that of T";
        Some((verdict, detail.into()))
    }
}
