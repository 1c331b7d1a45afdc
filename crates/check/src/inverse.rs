//! The inverse problem: whether the equations of motion come from a Lagrangian with the given mass matrix.

use galilei_expr::{Expr, Reason, Verdict};
use galilei_mechanics::{SolvedForm, System, decide_newtonian, decide_together};

use crate::Checker;

/// Degrees of freedom up to which accelerations are written out for it.
const MAX_FREEDOM: usize = 3;

impl<'p> Checker<'p> {
    /// Whether m(ẍ − ξ) = 0 comes from a Lagrangian, locally: (m, ξ) is Newtonian and mᵢₖΦᵏⱼ is symmetric with
    /// the Jacobi endomorphism Φ. (T-120)
    pub(super) fn judge_inverse(
        self,
        system: &System<'p>,
        regular: bool,
    ) -> (Option<Verdict>, String) {
        if !regular {
            return (None, "L is degenerate".into());
        }
        let n = system.state().degrees_of_freedom();
        let large = || {
            let why = "the accelerations are too long to be written out for this proof";
            let verdict = Verdict::Undecided(Reason::OutOfReach(why));
            (Some(verdict), why.to_owned())
        };
        if n > MAX_FREEDOM {
            return large();
        }
        let Ok(field) = system.lagrange() else {
            return large();
        };
        let m = system.lagrangian().mass_matrix();
        let newtonian = decide_newtonian(&m, &field);
        let form = SolvedForm::new(system.state(), vec![], vec![]);
        let phi = form.jacobi_endomorphism(field.accelerations());
        let lowered = m.times(&phi);
        let rows = lowered.rows();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let claims: Vec<Expr<'p>> = pairs.map(|(i, j)| rows[i][j] - rows[j][i]).collect();
        let symmetric = decide_together(&claims);
        let detail = match (newtonian.is_proved(), symmetric.is_proved()) {
            (true, true) => "(m, ξ) is Newtonian and mΦ symmetric, Φ the Jacobi endomorphism",
            (false, _) => "(m, ξ) is not Newtonian (T-89)",
            (true, false) => "(m, ξ) is Newtonian, but mΦ is not symmetric",
        };
        (Some(newtonian.and(symmetric)), detail.into())
    }
}
