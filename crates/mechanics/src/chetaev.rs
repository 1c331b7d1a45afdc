//! Virtual displacements under constraints: Chetaev's rule and the principle of Lagrange and d'Alembert.

use galilei_expr::{Expr, Verdict};

use crate::constrained::{ConstrainedSystem, NotDetermined, Reaction};
use crate::force::Force;
use crate::second_order::SecondOrderField;
use crate::virtual_displacement::VirtualDisplacement;

impl<'p> ConstrainedSystem<'p> {
    /// ṡᵃᵢδxⁱ, one for each constraint. A displacement is admissible if they vanish, ṡ = ∂f/∂u: Chetaev's
    /// rule, which for constraints between positions is dh(δx) = 0. (T-81, T-82)
    pub fn chetaev_conditions(&self, displacement: &VirtualDisplacement<'p>) -> Vec<Expr<'p>> {
        let rows = self.codistribution().vertical();
        let rows = rows.rows().iter();
        rows.map(|row| displacement.pair(row)).collect()
    }

    /// The general admissible displacement: δx with symbols `delta(x)`, projected by the ideal splitting,
    /// δx − σ_a ṡᵃ(δx). (T-82, T-84)
    pub fn admissible_displacement(&self) -> Result<VirtualDisplacement<'p>, NotDetermined> {
        let free = VirtualDisplacement::symbols(self.state());
        let off = self.chetaev_conditions(&free);
        let taken = self.ideal_splitting()?.times_vector(&off);
        let pairs = free.positions().iter().zip(taken);
        let admissible = pairs.map(|(&d, s)| d - s).collect();
        let rates = free.velocities().to_vec();
        Ok(VirtualDisplacement::new(self.state(), admissible, rates))
    }

    /// The principle of Lagrange and d'Alembert for a motion under a reaction: Ω(ξ̃, Y) = 0 for every
    /// admissible Y, where Ω does not contain the reaction. (T-58, T-85)
    pub fn decide_lagrange_dalembert(
        &self,
        reaction: &Reaction<'p>,
    ) -> Result<Verdict, NotDetermined> {
        let admissible = self.admissible_displacement()?;
        let work = self.system().virtual_work(&reaction.field, &admissible);
        Ok(work.decide_zero())
    }

    /// The principle of Lagrange and d'Alembert without solving: for free accelerations, multipliers and displacements,
    /// adding the reaction λ_aṡᵃ to the system changes Ω(Z, Y) by −λ_a ṡᵃ(δx), which is zero if Y is admissible.
    /// Since rank ṡ = c, Ω(Z, Y) = 0 for all admissible Y means E = λ_aṡᵃ for some λ. (T-58, T-82, T-85)
    pub fn decide_lagrange_dalembert_unsolved(&self) -> Verdict {
        let (state, system) = (self.state(), self.system());
        let pool = state.pool();
        let z = SecondOrderField::new(state, system.acceleration_symbols());
        let y = VirtualDisplacement::symbols(state);
        let rows = self.codistribution().vertical();
        let count = self.codistribution().count();
        let lambda: Vec<Expr<'p>> = (0..count).map(|a| pool.symbol(&format!("l#{a}"))).collect();
        let reaction = rows.transposed().times_vector(&lambda);
        let held = system
            .clone()
            .with_force("reaction", Force::new(state, reaction));
        let pairs = lambda.iter().zip(self.chetaev_conditions(&y));
        let taken = pool.sum(pairs.map(|(&l, c)| l * c));
        let claim = held.virtual_work(&z, &y) - system.virtual_work(&z, &y) + taken;
        claim.decide_zero()
    }
}
