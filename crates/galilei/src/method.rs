//! The method of a run, and warnings about it.

use galilei_integrate::Method;
use galilei_model::{Code, Diagnostic, Enforcement, Level, Model};

use crate::error::unknown_method;
use crate::settings::RunSettings;

/// The method that the settings name, or the file.
pub(crate) fn chosen(model: &Model, settings: &RunSettings) -> Result<Method, Diagnostic> {
    let method = match (settings.method, &model.contents().run.method) {
        (Some(method), _) => method,
        (None, None) => Method::default(),
        (None, Some(name)) => name.parse().map_err(|why| unknown_method(&why))?,
    };
    if settings.step.is_some() && !method.has_constant_steps() {
        return Err(adaptive(method));
    }
    if !matches!(method, Method::Taylor | Method::Moreau) && model.has_contacts() {
        let what = format!("`{}`", method.name());
        let refusal = model.contacts_not_available(&what).into_iter();
        return refusal
            .map(|d| {
                Err(Diagnostic {
                    hint: "use `taylor`, the default: it finds the ends of contact and of sticking from series; for many contacts `moreau` with a step".into(),
                    ..d
                })
            })
            .next()
            .unwrap_or(Ok(method));
    }
    if method == Method::Moreau && model.has_contacts() {
        time_stepping(model, settings)?;
    }
    if method.has_constant_steps() && model.is_implicit() {
        return Err(Diagnostic::error(
            Code::NotAvailable,
            format!(
                "`{}` takes its steps from the Lagrangian, and the Legendre transform of this Hamiltonian has no closed form",
                method.name()
            ),
            "`taylor` (the default), `dop853` and `radau` run in (x, p)",
            None,
        ));
    }
    if method.is_variational()
        && let Some(why) = nonholonomic(model, method)
    {
        return Err(why);
    }
    Ok(method)
}

/// Whether a run of contacts by a time-stepping scheme is possible.
fn time_stepping(model: &Model, settings: &RunSettings) -> Result<(), Diagnostic> {
    if settings.step.is_none() {
        return Err(Diagnostic::error(
            Code::WrongSetting,
            "`moreau` needs the length of its steps for a model with contacts or friction"
                .to_owned(),
            "give --step H: errors are proportional to it",
            None,
        ));
    }
    match model.contents().impacts.first() {
        Some(i) => Err(Diagnostic::error(
            Code::NotAvailable,
            format!(
                "`moreau` does not locate events, so the impact `{}` has no instant",
                i.name
            ),
            "use `taylor`, the default",
            i.span,
        )),
        None => Ok(()),
    }
}

/// The diagnostic that refuses a variational integrator: a constraint between velocities.
fn nonholonomic(model: &Model, method: Method) -> Option<Diagnostic> {
    let constraints = &model.contents().constraints;
    let driven = (constraints.iter()).find(|c| c.enforcement != Enforcement::Ideal);
    if let Some(c) = driven {
        return Some(Diagnostic::error(
            Code::NotVariational,
            format!(
                "the reaction of `{}` is not ideal, so `{}` has no discrete action for it",
                c.name,
                method.name()
            ),
            "use `taylor` (the default), which has every reaction",
            c.enforced_at.unwrap_or(c.span),
        ));
    }
    if let Some(c) = constraints.iter().find(|c| c.level == Level::Acceleration) {
        return Some(Diagnostic::error(
            Code::NotVariational,
            format!(
                "`{}` restricts accelerations: its motion is not a stationary path of the action, so `{}` has no discrete action for it",
                c.name,
                method.name()
            ),
            "use `taylor` (the default), which has the ideal reaction",
            c.span,
        ));
    }
    let first = constraints.iter().find(|c| c.level == Level::Velocity)?;
    Some(Diagnostic::error(
        Code::NotVariational,
        format!(
            "`{}` restricts velocities: its motion is not a stationary path of the action among paths that satisfy it, so `{}` has no discrete action for it",
            first.name,
            method.name()
        ),
        "use `taylor` (the default), which has the ideal reaction; a constraint that can be integrated may be written between positions",
        first.span,
    ))
}

fn adaptive(method: Method) -> Diagnostic {
    let constant = Method::ALL.into_iter().filter(|m| m.has_constant_steps());
    let names: Vec<String> = constant.map(|m| format!("`{}`", m.name())).collect();
    Diagnostic::error(
        Code::WrongSetting,
        format!("`{}` chooses its steps by the tolerance", method.name()),
        format!(
            "leave the step out, or take a method of constant steps: {}",
            names.join(", ")
        ),
        None,
    )
}

/// Warnings about the method of a run, before it is made: a Gauss method is not symplectic under constraints.
pub(crate) fn method_warnings(model: &Model, settings: &RunSettings) -> Vec<Diagnostic> {
    let method = chosen(model, settings).ok();
    if method == Some(Method::Moreau) && model.has_contacts() {
        return vec![Diagnostic::warning(
            Code::FirstOrder,
            "`moreau` is of first order: errors are proportional to the step, gaps may be negative by as much, and impacts within a step are one",
            "compare with half the step; `taylor`, the default, locates every impact",
            None,
        )];
    }
    let stages = method.and_then(Method::gauss_stages);
    if stages.is_none() || model.contents().constraints.is_empty() {
        return vec![];
    }
    vec![Diagnostic::warning(
        Code::NotSymplectic,
        "under constraints a Gauss method is not symplectic: reactions are those of the accelerations, and states are brought back to the constraints",
        "take `galerkin4`, whose reactions are part of a discrete action, where constraints are between positions; or write the model in independent coordinates",
        None,
    )]
}

#[cfg(test)]
mod tests {
    use crate::{Code, Method, Model, RunSettings};

    #[test]
    fn gauss_methods_warn_under_constraints() {
        let text =
            "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint: x^2 + y^2 = 1\ninitial x = 1\n";
        let model = Model::parse(text).unwrap();
        let gauss = RunSettings::new().method(Method::Gauss4);
        let warnings = model.diagnostics_before(&gauss);
        assert_eq!(warnings[0].code, Code::NotSymplectic);
        assert!(model.diagnostics_before(&RunSettings::new()).is_empty());
    }
}
