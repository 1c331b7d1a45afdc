//! Systems given by an action form, or by their accelerations: the energies and forces that have them.

use galilei_expr::Expr;
use galilei_geometry::Matrix;
use galilei_mechanics::{
    ActionForm, Definiteness, NotAnActionForm, Notion, ReferenceField, SecondOrderField,
    StateSpace, System,
};
use galilei_syntax::{Assignment, Expression, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Given, NamedForce, Part};
use crate::diagnostic::Diagnostic;
use crate::forms::{FormValue, degree};
use crate::reader::Reader;

/// The name of the force that is left of an action form with respect to a reference field.
const FORCE: &str = "Φ_R";

/// Coordinates that are named in a point.
const MAX_NAMED: usize = 6;

/// An action form or a second-order field, as it was read.
pub(super) struct Data<'p> {
    statement: &'static str,
    name: String,
    body: Body<'p>,
    kinked: bool,
    span: Span,
    /// The place of the form itself.
    place: Span,
}

enum Body<'p> {
    Form(FormValue<'p>),
    Field(Vec<Expr<'p>>),
}

impl<'p> Draft<'p> {
    /// `action form`: Ω itself.
    pub(super) fn action_form<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        form: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.given_name(r, "action form", label, span);
        let v = r.read_form(form)?.of_degree(2);
        if v.form.degree() != 2 {
            r.error(
                Code::DegreeMismatch,
                format!("an action form is {}; this is {}", degree(2), v.degree()),
                "write Ω, for example m*d(x') /\\ contact(x) + k*x*d(x) /\\ d(t)",
                form.span,
            );
            return None;
        }
        self.given = Some(Data {
            statement: "action form",
            name: name?,
            kinked: v.uses.not_smooth().is_some(),
            body: Body::Form(v),
            span,
            place: form.span,
        });
        Some(())
    }

    /// `acceleration`: the second-order field Z.
    pub(super) fn acceleration<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        components: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.given_name(r, "acceleration", label, span);
        let mut kinked = false;
        let mut met = vec![false; r.coordinates.len()];
        let list = r.components(components, |r, k, e| {
            met[k] = true;
            let v = r.read(e)?;
            let (x, d) = r.scalar(&v, e)?;
            kinked |= v.uses.not_smooth().is_some();
            let wanted = r.rate(&r.rate(&r.coordinates[k].dimension));
            let target = format!("the acceleration of {}", r.coordinates[k].name);
            r.fits(&d, e, &wanted, &target)?;
            Some(x)
        })?;
        let pairs = r.coordinates.iter().zip(&met);
        let missing: Vec<String> = pairs
            .filter(|(_, met)| !**met)
            .map(|(c, _)| c.name.clone())
            .collect();
        if !missing.is_empty() {
            r.error(
                Code::MissingAcceleration,
                format!("the acceleration of {} is not given", missing.join(", ")),
                "a second-order field has a component for every coordinate; write 0 where it vanishes",
                span,
            );
            return None;
        }
        self.given = Some(Data {
            statement: "acceleration",
            name: name?,
            body: Body::Field(list),
            kinked,
            span,
            place: span,
        });
        Some(())
    }

    /// The name of a statement that occurs once.
    fn given_name<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        statement: &'static str,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<String> {
        if let Some(other) = &self.given {
            let line = r.line(other.span);
            let message = format!(
                "the motion is already given by `{}` in line {line}",
                other.statement
            );
            let hint = "one action form, or one list of accelerations, gives the whole system";
            r.error(Code::DuplicateStatement, message, hint, span);
            return None;
        }
        match label {
            Some(label) => self.label(r, statement, Some(label), span),
            None => Some(statement.to_owned()),
        }
    }

    /// Energies and forces of the action form, or the force of the accelerations.
    pub(super) fn finish_given(&mut self, r: &mut Reader<'p, '_>) {
        let Some(data) = self.given.take() else {
            return;
        };
        if self.is_mixed(r, &data) || r.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let state = r.state_space();
        let given = match &data.body {
            Body::Form(v) => self.finish_action_form(r, &data, v, &state),
            Body::Field(z) => self.finish_acceleration(r, &data, z, &state),
        };
        self.given_form = given;
    }

    /// Reports statements that an action form or accelerations replace.
    fn is_mixed(&self, r: &mut Reader<'p, '_>, data: &Data<'p>) -> bool {
        let by_form = matches!(data.body, Body::Form(_));
        let statement = data.statement;
        let mut found = false;
        for c in &self.contributions {
            if !by_form && c.statement == "metric" {
                continue;
            }
            found = true;
            r.error(
                Code::MixedFormulations,
                format!("`{}` beside `{statement}`: {}", c.statement, match by_form {
                    true => "Ω is the whole system and takes the place of energies",
                    false => "with accelerations the inertia is given by `metric:` alone, and there are no potentials",
                }),
                match by_form {
                    true => "add d(T)-, d(V)- and d(A)-terms to the form, or give all of it by energies",
                    false => "add its effect to the accelerations, or give all of the system by energies and forces",
                },
                c.span,
            );
        }
        for f in self.forces.iter().filter(|_| !by_form) {
            found = true;
            r.error(
                Code::MixedFormulations,
                format!(
                    "`{} {}` beside `acceleration`: the accelerations already contain the effect of all forces",
                    f.statement, f.name
                ),
                "add it to the accelerations, or give the system by energies and forces",
                f.span,
            );
        }
        if !by_form && self.metric.is_none() && !r.diagnostics.iter().any(Diagnostic::is_error) {
            found = true;
            r.error(
                Code::AccelerationWithoutMetric,
                "accelerations determine forces only with a mass matrix, and there is no `metric`",
                "write `metric: x x = m, …`",
                data.span,
            );
        }
        found
    }

    /// Recognises Ω and contributes T, V, A and the force that is left. (T-24, T-26, T-117)
    fn finish_action_form(
        &mut self,
        r: &mut Reader<'p, '_>,
        data: &Data<'p>,
        v: &FormValue<'p>,
        state: &StateSpace<'p>,
    ) -> Option<Given<Expr<'p>>> {
        let recognised = match ActionForm::recognise(state, &v.form, Definiteness::Unasked) {
            Ok(recognised) => recognised,
            Err(wrong) => {
                let (message, hint) = refusal(state, v, &wrong);
                r.error(Code::NotAnActionForm, message, hint, data.place);
                return None;
            }
        };
        let text = format!("`{}`", r.text(data.place));
        let wanted = r.energy.mul(&r.time_dimension);
        let what = "an action form, energy times time,";
        if !r.agree((&v.dimension, &text), (&wanted, what), data.place) {
            return None;
        }
        let zero = vec![r.pool.zero(); r.coordinates.len()];
        let reference = (self.metric_reference.as_ref()).map_or(zero, |(_, list)| list.clone());
        let reference = ReferenceField::new(state.base(), reference);
        let action = recognised.action;
        let Some(split) = action.split(&reference) else {
            r.error(
                Code::NotAvailable,
                "Ω is an action form, but no Lagrangian with its mass matrix was found in closed form",
                "the mass matrix depends on the velocities: give the system by `lagrangian:` and forces",
                data.place,
            );
            return None;
        };
        if data.kinked && galilei_mechanics::has_kinks(split.kinetic) {
            r.error(
                Code::NotSmooth,
                "the mass matrix of this action form has a kink: abs, sign, min, max or if",
                "only forces may have kinks",
                data.place,
            );
            return None;
        }
        let (name, span) = (&data.name, data.span);
        self.contribute(
            name.clone(),
            "action form",
            Part::Kinetic,
            split.kinetic,
            span,
        );
        if let Some(p) = &split.potentials {
            if !p.scalar.is_zero() {
                self.contribute(name.clone(), "action form", Part::Potential, p.scalar, span);
            }
            let pairs = p.vector.iter().zip(state.velocities());
            let linear = r.pool.sum(pairs.map(|(&a, &u)| a * u));
            if !linear.is_zero() {
                let part = Part::VectorPotential;
                self.contribute(name.clone(), "action form", part, linear, span);
            }
        }
        if let Some(force) = &split.force {
            let components = force.components().to_vec();
            self.add_given_force(components, data);
        }
        let strict = action.notion() == Notion::Strict || !depends_on_velocities(state, &v.form);
        Some(given(data, &action, strict))
    }

    /// Contributes the force that accelerations leave. (T-23, T-119)
    fn finish_acceleration(
        &mut self,
        r: &mut Reader<'p, '_>,
        data: &Data<'p>,
        z: &[Expr<'p>],
        state: &StateSpace<'p>,
    ) -> Option<Given<Expr<'p>>> {
        let n = z.len();
        let (_, entries) = self.metric.as_ref()?;
        let zero = r.pool.zero();
        let entry = |i: usize, j: usize| entries.get(&(i, j)).copied().unwrap_or(zero);
        let rows: Vec<Vec<Expr<'p>>> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        let field = SecondOrderField::new(state, z.to_vec());
        let matrix = Matrix::new(r.pool, rows.clone());
        // A degenerate metric is reported with the other energies.
        let action = ActionForm::of(&matrix, &field, Definiteness::Unasked).ok()?;
        let metric = galilei_mechanics::GalileanMetric::new(state.base(), rows).ok()?;
        let reference = (self.metric_reference.as_ref()).map(|(_, list)| list.clone());
        let reference = ReferenceField::new(state.base(), reference.unwrap_or(vec![zero; n]));
        let system = System::of_field(&metric, &field, &reference);
        let reading = galilei_expr::Reading::new();
        let components = system.total_force();
        let components = components.components().iter().map(|&f| {
            let vanishes = f.is_zero() || f.decide_zero().is_proved();
            if vanishes { zero } else { f.present(&reading) }
        });
        let components: Vec<Expr<'p>> = components.collect();
        if components.iter().any(|f| !f.is_zero()) {
            self.add_given_force(components, data);
        }
        Some(given(data, &action.action, true))
    }

    fn add_given_force(&mut self, components: Vec<Expr<'p>>, data: &Data<'p>) {
        let taken = |name: &str| self.forces.iter().any(|f| f.name == name);
        let mut name = FORCE.to_owned();
        while taken(&name) {
            name.push('\'');
        }
        self.forces.push(NamedForce {
            name,
            statement: data.statement,
            components,
            kinked: data.kinked,
            span: data.span,
        });
    }
}

/// Ω and Z for the contents.
fn given<'p>(data: &Data<'p>, action: &ActionForm<'p>, strict: bool) -> Given<Expr<'p>> {
    Given {
        statement: data.statement,
        terms: action.as_two_form().terms().collect(),
        accelerations: action.field().accelerations().to_vec(),
        strict,
        span: data.span,
    }
}

/// Whether the metric of a two-form depends on the velocities.
fn depends_on_velocities<'p>(state: &StateSpace<'p>, omega: &galilei_geometry::Form<'p>) -> bool {
    let g = ActionForm::metric_of(state, omega);
    let u = state.velocities();
    let slopes = g
        .rows()
        .iter()
        .flatten()
        .flat_map(|e| u.iter().map(|&u| e.diff(u)));
    !galilei_geometry::decide_all_zero(slopes.collect::<Vec<_>>()).is_proved()
}

/// The condition of Theorem 1 that fails, its component and a point, and a hint.
fn refusal<'p>(
    state: &StateSpace<'p>,
    v: &FormValue<'p>,
    wrong: &NotAnActionForm,
) -> (String, &'static str) {
    let omega = &v.form;
    let n = state.degrees_of_freedom();
    let (x, u) = (|i: usize| 1 + i, |i: usize| 1 + n + i);
    let name = |k: usize| state.chart().coordinate(k).to_string();
    let origin = || {
        let names = state.chart().coordinates().iter().take(MAX_NAMED);
        let list: Vec<String> = names.map(|x| format!("{x} = 0")).collect();
        list.join(", ")
    };
    let at = |verdict: &galilei_expr::Verdict| match verdict {
        galilei_expr::Verdict::Refuted(w) if w.values.is_empty() => {
            format!("at any point, such as {}", origin())
        }
        galilei_expr::Verdict::Refuted(w) => format!("at {w}"),
        other => format!("as far as could be decided ({other})"),
    };
    let begin = "the two-form is no action form (Theorem 1)";
    match wrong {
        NotAnActionForm::Vertical(i, j, verdict) => (
            format!(
                "{begin}: condition (i) fails, its component Ω(∂/∂{}, ∂/∂{}) = {} is not zero {}",
                name(u(*i)),
                name(u(*j)),
                omega.component(&[u(*i), u(*j)]),
                at(verdict)
            ),
            "an action form has no part along d(x') /\\ d(y')",
        ),
        NotAnActionForm::Contact(i, verdict) => {
            let sum = (0..n).map(|k| state.velocity(k) * omega.component(&[x(k), u(*i)]));
            let value = omega.component(&[0, u(*i)]) + state.pool().sum(sum);
            (
                format!(
                    "{begin}: condition (i) fails, its component Ω(∂/∂t + u·∂/∂x, ∂/∂{}) = {value} is not zero {}",
                    name(u(*i)),
                    at(verdict)
                ),
                "velocities go with contact forms: write d(x') /\\ contact(x) instead of d(x') /\\ d(x)",
            )
        }
        NotAnActionForm::NotSymmetric(i, j, verdict) => (
            format!(
                "{begin}: condition (ii) fails, g is not symmetric: Ω(∂/∂{}, ∂/∂{}) = {} and Ω(∂/∂{}, ∂/∂{}) = {} differ {}",
                name(u(*i)),
                name(x(*j)),
                omega.component(&[u(*i), x(*j)]),
                name(u(*j)),
                name(x(*i)),
                omega.component(&[u(*j), x(*i)]),
                at(verdict)
            ),
            "the coefficients of d(x') /\\ contact(y) and d(y') /\\ contact(x) are equal",
        ),
        NotAnActionForm::Singular => {
            let g = ActionForm::metric_of(state, omega);
            let inert = (0..n).find(|&i| g.rows()[i].iter().all(|e| e.is_zero()));
            let which = match inert {
                Some(i) => format!(
                    "its components Ω(∂/∂{}, ∂/∂x) all vanish: nothing gives inertia to {}",
                    name(u(i)),
                    name(x(i))
                ),
                None => "det Ω(∂/∂x', ∂/∂x) = 0".to_owned(),
            };
            (
                format!(
                    "{begin}: condition (ii) fails, g is singular everywhere, for example at {}: {which}",
                    origin()
                ),
                "every coordinate needs a term like m*d(x') /\\ contact(x)",
            )
        }
        NotAnActionForm::VelocityDependence(i, j, k, verdict) => (
            format!(
                "{begin}: condition (ii) fails, also in the extended sense: the derivative of g_{}{} by {} is not that of g_{}{} by {}: they differ {}",
                name(x(*i)),
                name(x(*j)),
                name(u(*k)),
                name(x(*i)),
                name(x(*k)),
                name(u(*j)),
                at(verdict)
            ),
            "a mass matrix that depends on the velocities is the Hessian of a function of them",
        ),
        NotAnActionForm::NotDelClosed(part) => (
            format!("{begin}: condition (iii) fails, ∂Ω ≠ 0: {part}"),
            "with g and Z the part along contact(x) /\\ contact(y) is determined: Ω = g_ij η_i /\\ θ_j (T-23)",
        ),
        other => (format!("{begin}: {other}"), ""),
    }
}
