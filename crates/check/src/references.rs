//! Inertia forces with respect to reference fields.

use galilei_expr::{Expr, Verdict};
use galilei_mechanics::{InertiaParts, KineticEnergy};

use crate::Checker;
use crate::check::MAX_FORM_DEGREES;

impl<'p> Checker<'p> {
    /// Whether some forces are the inertia forces of this system with respect to an observer: `own` is T
    /// up to a function of (t, x), and the parts add up to Ω_R̃ − Ω_R. (T-40, T-41, T-108)
    pub fn decide_inertia(
        self,
        own: &KineticEnergy<'p>,
        observer: &[Expr<'p>],
        parts: &InertiaParts<'p>,
    ) -> Option<Verdict> {
        let (t, _) = self.model.split()?;
        let inertia = self.model.inertia(own, observer);
        let n = observer.len();
        let force = parts.sum();
        let defined = match n <= MAX_FORM_DEGREES {
            true => inertia.decide(&force),
            false => inertia.decide_contracted(&force),
        };
        Some(own.decide_recovers(t).and(defined))
    }

    pub(super) fn judge_reference(self, observer: &[Expr<'p>]) -> Option<(Verdict, String)> {
        let own = self.model.own_kinetic_energy()?;
        let parts = self.model.inertia(&own, observer).parts();
        let verdict = self.decide_inertia(&own, observer, &parts)?;
        let detail = "centrifugal, Euler and Coriolis parts are Ω_R̃ − Ω_R, R̃ that of T";
        Some((verdict, detail.into()))
    }
}
