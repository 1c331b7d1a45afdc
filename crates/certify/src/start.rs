//! Starts on constraints: the states that satisfy them exactly.

use galilei_expr::Expr;
use galilei_model::{Code, Diagnostic, refused};

use crate::certificate::{Settings, ball, is_zero};
use crate::problem::Problem;

/// Refuses a start that is not proved to satisfy the constraints.
pub(crate) fn on_constraints<'p>(
    problem: &Problem<'p>,
    settings: &Settings<'p>,
) -> Result<(), Vec<Diagnostic>> {
    let values: Vec<(Expr<'p>, Expr<'p>)> = problem
        .inputs
        .iter()
        .copied()
        .zip(std::iter::once(settings.from).chain(settings.start.iter().map(|r| r.low)))
        .collect();
    for level in &problem.constraints {
        let residual = level.function.substitute(&values);
        if !is_zero(residual) {
            let size = ball::<2>(residual).map_or(f64::NAN, |b| b.to_f64());
            return Err(refused(
                Code::StateViolatesConstraint,
                format!(
                    "the start violates the constraint `{}` by {size:e}",
                    level.name
                ),
                "give values that satisfy it exactly",
            ));
        }
    }
    Ok(())
}
