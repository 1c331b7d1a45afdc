//! Inertia forces with respect to reference fields.

use galilei_expr::{Expr, Verdict};
use galilei_mechanics::{Inertia, ReferenceField, System, decide_together};

use crate::model::Model;

impl Model {
    pub(super) fn judge_reference<'p>(
        &'p self,
        system: &System<'p>,
        components: &[Expr<'p>],
    ) -> Option<(Verdict, String)> {
        let lagrangian = system.lagrangian();
        let base = system.state().base();
        let rest = ReferenceField::resting(base);
        let metric = lagrangian.recover(&rest)?.metric;
        let own = lagrangian.natural_reference().ok()?;
        let observer = ReferenceField::new(base, components.to_vec());
        let inertia = Inertia::new(system.state(), &metric, &observer, &own);
        let parts = inertia.parts();
        let whole = inertia.force();
        let claims: Vec<Expr<'p>> = (0..components.len())
            .map(|i| {
                let sum =
                    [&parts.centrifugal, &parts.euler, &parts.coriolis].map(|f| f.components()[i]);
                self.pool().sum(sum) - whole.components()[i]
            })
            .collect();
        Some((
            decide_together(&claims),
            "centrifugal, Euler and Coriolis parts add up to dα".into(),
        ))
    }
}
