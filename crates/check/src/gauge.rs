//! The gauge class of the Lagrangian.

use galilei_mechanics::System;

use crate::Checker;
use crate::check::MAX_FORM_DEGREES;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// Whether L is T − V up to a total derivative: terms linear in the velocities that are no force. Nothing is said of
    /// Lagrangians without such terms. (T-36, T-44)
    pub(super) fn judge_gauge(self, system: &System<'p>) -> Option<Finding> {
        if system.state().degrees_of_freedom() > MAX_FORM_DEGREES {
            return None;
        }
        let lagrangian = system.lagrangian();
        let (h, plain) = lagrangian.without_gauge()?;
        let (verdict, _) = plain.decide_gauge(lagrangian);
        let detail = format!("L = T − V + dh/dt with h = {h}: the momenta are shifted by ∂h/∂x");
        let name = "gauge: L is T − V up to a total derivative";
        Some(Finding::new(name, "T-44", Some(verdict), detail, false))
    }
}
