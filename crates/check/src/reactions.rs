//! Findings about reactions: whether they keep the constraints, are ideal, and what they do to energies.

use galilei_expr::{Reason, Verdict};
use galilei_mechanics::{ConstrainedSystem, ConstraintSet, OnSheets, Reaction, ReferenceField};

use crate::Checker;
use crate::constraints::{LARGE, MAX_SOLVED_COORDINATES, SheetMotion, powerless};
use crate::finding::Finding;

const GAUSS: &str = "Gauss: G(ζ) = G(ξ̃) + m(ξ̃ − ζ, ξ̃ − ζ) if sᵃ(ζ) = 0";

impl<'p> Checker<'p> {
    /// Gauss' principle, which holds for ideal reactions. (T-86)
    pub(crate) fn ask_gauss(
        self,
        constrained: &ConstrainedSystem<'p>,
        reaction: Option<&Reaction<'p>>,
        n: usize,
    ) -> Finding {
        let solved = reaction
            .filter(|_| n <= MAX_SOLVED_COORDINATES)
            .and_then(|r| constrained.decide_gauss(r).ok())
            .filter(|v| v.is_proved() || v.is_refuted());
        if !constrained.is_ideal() {
            let open = Verdict::Undecided(Reason::OutOfReach(LARGE));
            let detail = match &solved {
                Some(v) if v.is_proved() => "the declared reactions are ideal",
                _ => "a reaction is not ideal: the motion need not minimise G",
            };
            return Finding::new(GAUSS, "T-86", Some(solved.unwrap_or(open)), detail, false);
        }
        // Solved where that is short; the identity behind it for any size.
        let unsolved = constrained.decide_gauss_unsolved();
        let verdict = match solved {
            Some(v) => unsolved.and(v),
            None => unsolved,
        };
        let state = self.model.initial_state().ok();
        let definite = (self.model).definite(constrained.system(), state.as_ref());
        let detail = match definite {
            Some(Verdict::Certified) => "a minimum: m is positive definite at the initial state",
            _ => "stationary: m is not known to be positive definite",
        };
        Finding::new(GAUSS, "T-86", Some(verdict), detail, true)
    }
}

/// The law of T_Γ = πᵢ(uⁱ − Γⁱ) − L, the energy with respect to the frame of the constraints, and whether it is conserved.
/// (T-92)
pub(crate) fn ask_frame<'p>(
    constrained: &ConstrainedSystem<'p>,
    (set, motions): (&ConstraintSet<'p>, &[SheetMotion<'p>]),
    frame: &ReferenceField<'p>,
) -> Vec<Finding> {
    let n = constrained.state().degrees_of_freedom();
    let open = || Verdict::Undecided(Reason::OutOfReach(LARGE));
    let balance = constrained.system().energy_balance(frame);
    let small = n <= MAX_SOLVED_COORDINATES;
    let law = constrained.reaction().ok().filter(|_| small).map(|r| {
        let claim = r.field.rate(balance.energy) - constrained.energy_rate(&r, frame);
        claim.decide_zero()
    });
    let rate = |(k, m): (usize, &SheetMotion<'p>)| match (&m.constrained, &m.reaction) {
        (Some(_), _) if powerless(set, k, m, frame).is_proved() => {
            set.decide_zero_on(k, balance.rate())
        }
        (Some(c), Some(r)) if small => set.decide_zero_on(k, balance.rate() + c.power(r, frame)),
        _ => open(),
    };
    let kept = motions.iter().enumerate().map(rate).collect();
    let kept = OnSheets::of(kept, set.complete);
    vec![
        Finding::new(
            "energy: dT_Γ/dt = −Γ̄(L) + (uⁱ − Γⁱ)(Fᵢ + Fᶜᵢ), fᵃ₀ + fᵃᵢΓⁱ = 0",
            "T-92",
            Some(law.unwrap_or_else(open)),
            "T_Γ = πᵢ(uⁱ − Γⁱ) − L along the constrained motion",
            false,
        ),
        Checker::on_sheets(
            set,
            kept,
            "conserved: T_Γ, fᵃ₀ + fᵃᵢΓⁱ = 0",
            "T-92",
            "the energy with respect to the frame of the constraints",
            false,
        ),
    ]
}

/// Whether reactions that are not declared to be ideal keep the constraints, and whether they are ideal all the same.
/// (T-83, T-85)
pub(crate) fn ask_enforced<'p>(
    constrained: &ConstrainedSystem<'p>,
    reaction: Option<&Reaction<'p>>,
    n: usize,
) -> [Finding; 2] {
    let found = reaction.filter(|_| n <= MAX_SOLVED_COORDINATES);
    let open = || Verdict::Undecided(Reason::OutOfReach(LARGE));
    let kept = found.map_or_else(open, |r| constrained.decide_compatible(r));
    let ideal = found.and_then(|r| constrained.decide_ideal(r).ok());
    let ideal = ideal.unwrap_or_else(open);
    let detail = match (&ideal, ideal.is_proved()) {
        (_, true) => "the covectors are combinations of the rows of the constraints",
        (v, _) if v.is_refuted() => "the reactions do virtual work, as an actuator does",
        _ => "not decided",
    };
    [
        Finding::new(
            "reactions: keep the constraints, sᵃ(ξ̃) = 0",
            "T-83",
            Some(kept),
            "along the given covectors, ṡm⁻¹Cᵀ being regular",
            n <= MAX_SOLVED_COORDINATES,
        ),
        Finding::new(
            "reactions: ideal, Fᶜᵢwⁱ = 0 if ṡᵃᵢwⁱ = 0",
            "T-85",
            Some(ideal),
            detail,
            false,
        ),
    ]
}
