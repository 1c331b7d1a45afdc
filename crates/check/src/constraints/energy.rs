//! The energy under constraints: the power of reactions, what is conserved, whether reactions have potentials.

use galilei_expr::{Expr, Reason, Verdict};
use galilei_mechanics::{
    ConstrainedSystem, Constraint, ConstraintSet, Dependence, OnSheets, PotentialTest, Reaction,
    ReferenceField, System,
};
use galilei_model::Constructions;

use super::{
    LARGE, MAX_HAMILTONIAN_COORDINATES, MAX_SOLVED_COORDINATES, NOT_ADMISSIBLE, SheetMotion,
};
use crate::Checker;
use crate::finding::Finding;
use crate::reactions::ask_frame;

/// Coordinates up to which dΩ_c is decided.
const MAX_CLOSED_COORDINATES: usize = 6;

pub(crate) const ENERGY_LAW: &str = "energy: dE/dt = −∂L/∂t + uⁱ(Fᵢ + Fᶜᵢ)";
pub(crate) const CLOSED: &str = "closed: dΩ_c = 0 with the reactions in Ω_c";
pub(super) const CONSERVED: &str = "conserved: E";

/// The energy law under constraints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConstrainedEnergy {
    /// For each constraint whether its reaction does no work wherever the constraints hold.
    pub idle: Vec<bool>,
    /// Whether the energy is conserved along the constrained motion.
    pub conserved: Verdict,
    /// The sheets of the constraint set on which it is; `None` for all.
    pub sheets: Option<Vec<String>>,
}

impl<'p> Checker<'p> {
    /// The energy law under some constraints of a system of this model, which may be written in another
    /// chart: which reactions do no work, and whether the energy is conserved. `along` are the covectors of reactions
    /// that are not ideal. (T-92, T-93)
    pub fn constrained_energy(
        self,
        system: &System<'p>,
        constraints: &[Constraint<'p>],
        along: &[Option<Vec<Expr<'p>>>],
    ) -> ConstrainedEnergy {
        let set = self.model.constraint_set_of(system, constraints);
        let motions = self.motions(system, &set, along);
        let rest = ReferenceField::resting(system.state().base());
        let factor = |a: usize| {
            let each = motions
                .iter()
                .enumerate()
                .map(|(k, m)| match &m.constrained {
                    Some(c) => set.decide_zero_on(k, c.power_factors(&rest)[a]),
                    None => Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE)),
                });
            OnSheets::of(each.collect(), set.complete).is_proved()
        };
        let idle = (0..constraints.len()).map(factor).collect();
        let conserved = energy_on_sheets(system, &set, &motions, &rest);
        let labels = |list: Vec<usize>| list.into_iter().map(|k| set.label(k)).collect();
        ConstrainedEnergy {
            idle,
            sheets: conserved.sheets.map(labels),
            conserved: conserved.verdict,
        }
    }

    /// The power of the reactions with respect to the chart, and to the frame of the constraints where
    /// that is another one; and whether the energy is conserved with them.
    pub(super) fn ask_power(
        self,
        found: &Constructions<'p>,
        set: &ConstraintSet<'p>,
        motions: &[SheetMotion<'p>],
        out: &mut Vec<Finding>,
    ) -> Finding {
        let constrained = &found.constrained;
        let system = constrained.system();
        let rest = ReferenceField::resting(constrained.state().base());
        let each = motions.iter().enumerate();
        let idle: Vec<Verdict> = each.map(|(k, m)| powerless(set, k, m, &rest)).collect();
        let whole = OnSheets::of(idle.clone(), set.complete);
        let detail = match &whole.verdict {
            Verdict::Proved(_) => "the reactions do no work".to_owned(),
            Verdict::Refuted(_) => match constrained.is_ideal() {
                true => "the reactions do work, λₐuⁱ∂fᵃ/∂uⁱ".into(),
                false => "the reactions do work, uⁱFᶜᵢ".into(),
            },
            Verdict::Undecided(why) => why.to_string(),
            _ => "the reactions were not seen to do work".into(),
        };
        let name = "power of reactions: uⁱFᶜᵢ = 0";
        out.push(Self::on_sheets(set, whole, name, "T-93", detail, false));
        let affine = constrained.codistribution().dependence() == Some(Dependence::Affine);
        if affine && constrained.state().degrees_of_freedom() <= MAX_HAMILTONIAN_COORDINATES {
            let frame = constrained.constraint_frame();
            let verdict = frame.as_ref().map(|f| {
                let each = motions.iter().enumerate();
                let each = each.map(|(k, m)| powerless(set, k, m, f));
                OnSheets::of(each.collect(), set.complete).verdict
            });
            out.push(Finding::new(
                "power of reactions: (uⁱ − Γⁱ)Fᶜᵢ = 0, fᵃ₀ + fᵃᵢΓⁱ = 0",
                "T-93",
                verdict,
                "with respect to the frame of the constraints",
                false,
            ));
            if let Some(frame) = &frame {
                out.extend(ask_frame(constrained, (set, motions), frame));
            }
        }
        let whole = energy_on_sheets(system, set, motions, &rest);
        let detail = match &whole.verdict {
            v if v.is_proved() => "−∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ = 0 where the constraints hold".to_owned(),
            v if v.is_refuted() => "the energy changes at the rate −∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ".into(),
            Verdict::Undecided(why) => {
                format!("not decided along the constrained motion: {why}")
            }
            _ => "not decided along the constrained motion".into(),
        };
        Self::on_sheets(set, whole, CONSERVED, "T-92", detail, false)
    }

    /// dE/dt = −∂L/∂t + uⁱ(Fᵢ + Fᶜᵢ): the identity for free accelerations and multipliers, and, where the
    /// motion is written out, along it. (T-92)
    pub(super) fn ask_energy_law(
        self,
        constrained: &ConstrainedSystem<'p>,
        reaction: Option<&Reaction<'p>>,
    ) -> Finding {
        let n = constrained.state().degrees_of_freedom();
        let mut verdict = constrained.energy_residual().decide_zero();
        if let Some(r) = reaction.filter(|_| n <= MAX_SOLVED_COORDINATES) {
            let rest = ReferenceField::resting(constrained.state().base());
            let energy = constrained.system().lagrangian().energy();
            let claim = r.field.rate(energy) - constrained.energy_rate(r, &rest);
            let solved = claim.decide_zero();
            if solved.is_proved() || solved.is_refuted() {
                verdict = verdict.and(solved);
            }
        }
        let detail = match constrained.is_ideal() {
            true => "E = uⁱ∂L/∂uⁱ − L along the constrained motion, Fᶜᵢ = λₐ∂fᵃ/∂uⁱ",
            false => "E = uⁱ∂L/∂uⁱ − L along the constrained motion, Fᶜᵢ along given covectors",
        };
        Finding::new(ENERGY_LAW, "T-92", Some(verdict), detail, true)
    }

    /// The momenta that are conserved along the constrained motion: ∂L/∂xⁱ + Fᵢ + Fᶜᵢ = 0 where the
    /// constraints hold.
    pub(super) fn ask_momenta(
        self,
        system: &System<'p>,
        set: &ConstraintSet<'p>,
        motions: &[SheetMotion<'p>],
    ) -> Vec<(String, Finding)> {
        let c = self.model.contents();
        let x = system.state().base().positions();
        let slopes = system.lagrangian().function().gradient(x);
        let force = system.total_force();
        let mut out = Vec::new();
        for (i, coordinate) in c.coordinates.iter().enumerate() {
            let free = slopes[i] + force.components()[i];
            let each = motions.iter().enumerate().map(|(k, m)| {
                let Some(constrained) = &m.constrained else {
                    return Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE));
                };
                let rows = constrained.covectors();
                let column: Vec<Expr<'p>> = rows.rows().iter().map(|r| r[i]).collect();
                let untouched = set.decide_all_zero_on(k, &column);
                if untouched.is_proved() {
                    return untouched.and(set.decide_zero_on(k, free));
                }
                match &m.reaction {
                    Some(r) if x.len() <= MAX_SOLVED_COORDINATES => {
                        set.decide_zero_on(k, free + r.force.components()[i])
                    }
                    _ => Verdict::Undecided(Reason::OutOfReach(LARGE)),
                }
            });
            let found = OnSheets::of(each.collect(), set.complete);
            if found.verdict.is_proved() {
                let name = format!("conserved: p({})", coordinate.name);
                let detail = "∂L/∂x + F + Fᶜ = 0 for this coordinate where the constraints hold";
                let finding = Self::on_sheets(set, found, &name, "T-111", detail, false);
                out.push((coordinate.name.clone(), finding));
            }
        }
        out
    }
}

/// dE/dt = −∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ, where the constraints hold: whether that is zero.
fn energy_on_sheets<'p>(
    system: &System<'p>,
    set: &ConstraintSet<'p>,
    motions: &[SheetMotion<'p>],
    rest: &ReferenceField<'p>,
) -> OnSheets {
    let applied = system.energy_rate();
    let rate = |(k, m): (usize, &SheetMotion<'p>)| match (&m.constrained, &m.reaction) {
        (None, _) => Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE)),
        _ if powerless(set, k, m, rest).is_proved() => set.decide_zero_on(k, applied),
        (Some(c), Some(r)) => set.decide_zero_on(k, applied + c.power(r, rest)),
        _ => Verdict::Undecided(Reason::OutOfReach(LARGE)),
    };
    let verdicts: Vec<Verdict> = motions.iter().enumerate().map(rate).collect();
    OnSheets::of(verdicts, set.complete)
}

/// Whether the reactions do no work with respect to a frame on a sheet of the constraint set: λ_a is
/// multiplied by ṡᵃᵢ(u − Γ)ⁱ, which vanishes there; or the power does.
pub(crate) fn powerless<'p>(
    set: &ConstraintSet<'p>,
    sheet: usize,
    motion: &SheetMotion<'p>,
    frame: &ReferenceField<'p>,
) -> Verdict {
    let Some(constrained) = &motion.constrained else {
        return Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE));
    };
    let factors = constrained.power_factors(frame);
    let each = set.decide_all_zero_on(sheet, &factors);
    if each.is_proved() {
        return each;
    }
    match &motion.reaction {
        Some(r) => set.decide_zero_on(sheet, constrained.power(r, frame)),
        None => Verdict::Undecided(Reason::OutOfReach(LARGE)),
    }
}

/// dΩ_c = 0 for Ω_c = dω + Φ(F) + Φ(Fᶜ): whether forces and reactions together have potentials. (T-105)
pub(super) fn ask_closed<'p>(
    constrained: &ConstrainedSystem<'p>,
    reaction: Option<&Reaction<'p>>,
    n: usize,
) -> Finding {
    let Some(reaction) = reaction.filter(|_| n <= MAX_CLOSED_COORDINATES) else {
        let why = Verdict::Undecided(Reason::OutOfReach(LARGE));
        return Finding::new(CLOSED, "T-105", Some(why), LARGE, false);
    };
    let all = constrained.system().total_force().plus(&reaction.force);
    let (verdict, detail) = match all.potential_test() {
        PotentialTest::Potential { verdict, .. } => (
            verdict,
            "forces and reactions together have local potentials",
        ),
        PotentialTest::NotPotential(f) => (
            f.verdict,
            "forces and reactions together have no potentials",
        ),
    };
    Finding::new(CLOSED, "T-105", Some(verdict), detail, false)
}
