//! Systems given by an action form: Theorem 1, and that the energies and forces give Ω back.

use galilei_expr::Verdict;
use galilei_geometry::Form;
use galilei_mechanics::{ActionForm, Definiteness, Force, System};

use crate::Checker;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// The findings about a given action form: it is recognised, and it is that of the system. (T-24, T-26, T-117)
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
        // Forces that stand beside Ω in the file are not part of it.
        let declared = self.model.contents().forces.iter().zip(system.forces());
        let beside = declared.filter(|(f, _)| f.statement != given.statement);
        let whole = beside.fold(omega, |sum, (_, (_, f)): (_, &(String, Force<'p>))| {
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
