//! Systems given by an action form Ω or by their accelerations.
//!
//! Theorem 1 of the theory (T-24) says which two-forms on the state space are the action form of a second-order motion:
//! (i) Ω(∂_u, ∂_u) = 0 and Ω(∂_t + u∂_x, ∂_u) = 0, (ii) g = Ω(∂_u, ∂_x) is a symmetric regular matrix, the metric, and
//! (iii) ∂Ω = 0. In the strict sense g depends on (t, x) only; in the extended sense (T-26) also on the velocities.

use galilei_expr::Verdict;
use galilei_geometry::Form;
use galilei_mechanics::{ActionForm, Definiteness, Force, System};

use crate::Checker;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// Two findings: the given form is an action form by Theorem 1, and the energies and forces that were recovered from
    /// it have that form. None if the model is not given by a form. (T-24, T-26, T-117)
    pub(super) fn judge_given(self, system: &System<'p>) -> Vec<Finding> {
        let Some(given) = &self.model.contents().given else {
            return vec![];
        };
        let state = system.state();
        let terms = given.terms.iter();
        let terms = terms.map(|(k, e)| (k.clone(), self.model.expr(*e)));
        let omega = Form::from_terms(state.chart(), 2, terms.collect::<Vec<_>>());
        let recognised = ActionForm::recognise(state, &omega, Definiteness::Unasked);
        let (theorem, sense) = match given.strict {
            true => ("T-24", "(i), (ii) and (iii) hold"),
            false => (
                "T-26",
                "(i), (ii) and (iii) hold in the extended sense: g depends on the velocities",
            ),
        };
        let (verdict, detail) = match recognised {
            Ok(found) => (found.verdict, sense.to_owned()),
            Err(why) => {
                let reason = galilei_expr::Reason::OutOfReach("a condition could not be decided");
                (Verdict::Undecided(reason), why.to_string())
            }
        };
        let name = format!("{}: Theorem 1", given.statement);
        let mut findings = vec![Finding::new(name, theorem, Some(verdict), detail, true)];
        // Ω was given without the forces that the file declares next to it; they are added for the comparison.
        let declared = self.model.contents().forces.iter().zip(system.forces());
        let others = declared.filter(|(f, _)| f.statement != given.statement);
        let whole = others.fold(omega, |sum, (_, (_, f)): (_, &(String, Force<'p>))| {
            sum.plus(f.two_form().as_two_form())
        });
        let verdict = system.action_two_form().decide_equal(&whole);
        findings.push(Finding::new(
            "recovery: Ω = Ω_R + Φ_R",
            "T-117",
            Some(verdict),
            "the energies and forces found have the given Ω",
            true,
        ));
        findings
    }
}
