//! Quantities that are computed along a motion: energies, powers, outputs, events, constraints.

/// Quantities that are followed along a motion: first as expressions, then as the registers that hold them.
pub(crate) struct Followed<T> {
    /// uⁱ∂L/∂uⁱ − L
    pub(crate) energy: T,
    /// −∂L/∂t + uⁱFᵢ
    pub(crate) power: T,
    /// L
    pub(crate) lagrangian: T,
    /// The energy and L together, twice the kinetic energy of natural systems: a scale of energies.
    pub(crate) action_rate: T,
    /// Jᵃᵢuⁱ of the constraints whose reactions do work.
    pub(crate) reaction_rates: Vec<T>,
    /// Residuals of the constraints, at position and velocity level.
    pub(crate) residuals: Vec<T>,
    /// The quantities whose zeros are events.
    pub(crate) events: Vec<T>,
    /// Outputs that do not use multipliers.
    pub(crate) outputs: Vec<T>,
}

impl<T: Copy> Followed<T> {
    /// All quantities in one list, in the order of the fields.
    pub(crate) fn list(&self) -> Vec<T> {
        let single = [self.energy, self.power, self.lagrangian, self.action_rate];
        let several = [
            &self.reaction_rates,
            &self.residuals,
            &self.events,
            &self.outputs,
        ];
        single
            .into_iter()
            .chain(several.into_iter().flatten().copied())
            .collect()
    }

    /// The quantities with other values, given in the order of [`Self::list`].
    ///
    /// # Panics
    /// If there are more or fewer values than quantities.
    pub(crate) fn with<U>(&self, list: Vec<U>) -> Followed<U> {
        assert_eq!(list.len(), self.list().len(), "one value for each quantity");
        let mut rest = list.into_iter();
        let mut next = || rest.next().expect("the lengths agree");
        let [energy, power, lagrangian, action_rate] = [next(), next(), next(), next()];
        let mut several = |of: &[T]| rest.by_ref().take(of.len()).collect();
        Followed {
            energy,
            power,
            lagrangian,
            action_rate,
            reaction_rates: several(&self.reaction_rates),
            residuals: several(&self.residuals),
            events: several(&self.events),
            outputs: several(&self.outputs),
        }
    }
}
