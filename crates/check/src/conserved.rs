//! Momenta that are conserved without constraints.

use galilei_expr::{Assumptions, Query, Verdict};
use galilei_mechanics::System;

use crate::Checker;

impl<'p> Checker<'p> {
    pub(super) fn cyclic(
        self,
        system: &System<'p>,
        assumptions: &Assumptions<'p>,
    ) -> Vec<(String, Verdict)> {
        let c = self.model.contents();
        let slopes = system
            .lagrangian()
            .function()
            .gradient(system.state().base().positions());
        let force = system.total_force();
        c.coordinates
            .iter()
            .enumerate()
            .filter_map(|(i, coordinate)| {
                let claim = slopes[i] + force.components()[i];
                let verdict = Query::zero(claim).assuming(assumptions).decide().verdict;
                verdict
                    .is_proved()
                    .then(|| (coordinate.name.clone(), verdict))
            })
            .collect()
    }
}
