//! Sensitivities of a motion to its start and to parameters: state-transition matrices, derivatives, adjoints.

mod on_phase_space;
mod tangent;

use galilei_expr::{Expr, Rational};
use galilei_integrate::{
    Crossing, Directions, Error as RunError, Method, Options, Record, Run, Status, Transition,
};
use galilei_linear::Factors;
use galilei_lower::Stopwatch;
use galilei_model::{Code, Diagnostic, Model, refused};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::motion::{Motion, Plan};
use crate::settings::{Observer, Progress, RunSettings, report, setters, shared_setters};

/// The symbols of some parameters.
pub(crate) fn parameter_symbols<'p>(
    model: &'p Model,
    names: &[String],
) -> Result<Vec<Expr<'p>>, Vec<Diagnostic>> {
    let parameters = &model.contents().parameters;
    let find = |name: &String| {
        let found = parameters.iter().find(|p| p.name == *name);
        found.map(|p| model.expr(p.symbol)).ok_or_else(|| {
            let inputs = &model.contents().inputs;
            let known = parameters.iter().map(|p| p.name.as_str());
            let known = known.filter(|p| !p.starts_with("increment("));
            let known: Vec<&str> = known
                .chain(inputs.iter().map(|i| i.name.as_str()))
                .collect();
            Diagnostic::error(
                Code::UnknownParameter,
                format!("there is no parameter `{name}` to differentiate by"),
                match known.as_slice() {
                    [] => "the model has no parameters".to_owned(),
                    list => format!("there are {}", list.join(", ")),
                },
                None,
            )
        })
    };
    let (mut symbols, mut errors) = (Vec::new(), Vec::new());
    for name in names {
        match find(name) {
            Ok(symbol) => symbols.push(symbol),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(symbols)
    } else {
        Err(errors)
    }
}

/// Settings of a run with sensitivities, then [`run`](Self::run). Made by
/// [`Model::sensitivities`](crate::Model::sensitivities).
///
/// ```
/// use galilei::Model;
/// let text = "param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\ninitial x = 1\n";
/// let found = Model::parse(text)?.sensitivities().by("k").to(1.0).run()?;
/// // x = cos(√k·t): ∂x/∂x₀ = cos 2, ∂x/∂k = −sin(2)/4
/// assert!((found.transition[0][0] - 2f64.cos()).abs() < 1e-12);
/// assert!((found.by_parameters[0][0] + 2f64.sin() / 4.0).abs() < 1e-12);
/// assert!(found.symplectic_defect().unwrap() < 1e-14);
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct SensitivityAnalysis<'a> {
    model: &'a crate::Model,
    run: RunSettings,
    parameters: Vec<String>,
    gradient: Option<String>,
    observer: Option<Observer<'a>>,
}

impl<'a> SensitivityAnalysis<'a> {
    shared_setters!(run);

    pub(crate) fn new(model: &'a crate::Model) -> Self {
        Self {
            model,
            run: RunSettings::new(),
            parameters: vec![],
            gradient: None,
            observer: None,
        }
    }

    /// A parameter by which the motion is differentiated, after those that were given before; or an input, by a constant
    /// that is added to it.
    #[must_use]
    pub fn by(mut self, parameter: impl Into<String>) -> Self {
        self.parameters.push(parameter.into());
        self
    }

    /// Several parameters by which the motion is differentiated, after those that were given before.
    #[must_use]
    pub fn by_all(mut self, parameters: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.parameters
            .extend(parameters.into_iter().map(Into::into));
        self
    }

    setters! {
        /// A coordinate, a velocity (`x'`) or an output, the final value of which is differentiated with respect to the
        /// state at every recorded time: the adjoint.
        gradient(of: impl Into<String>) => gradient = Some(of.into());

        /// A function that is called from time to time with the progress of the run; it returns whether to go on.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Makes the run with the state-transition matrix, sensitivities to parameters and the adjoint.
    ///
    /// # Errors
    /// Where a name is unknown, a value is missing or the run is not possible.
    pub fn run(self) -> Result<Sensitivities, Error> {
        let model = self.model;
        let is_input = |name: &String| model.contents().inputs.iter().any(|i| i.name == *name);
        if !self.parameters.iter().any(is_input) {
            return self.compute().map_err(|e| model.error(e));
        }
        // By an increment that is added to the input.
        let driven = model.driven()?;
        let asked = self.parameters.clone();
        let name = |name: &String| match is_input(name) {
            true => format!("increment({name})"),
            false => name.clone(),
        };
        let analysis = SensitivityAnalysis {
            model: &driven,
            parameters: asked.iter().map(name).collect(),
            run: self.run,
            gradient: self.gradient,
            observer: self.observer,
        };
        let mut found = analysis.compute().map_err(|e| model.error(e))?;
        found.parameters = asked;
        Ok(found)
    }
}

/// The derivatives of a final value with respect to the state at earlier times: λ of the adjoint equation (T-102).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Gradient {
    /// The name of the differentiated quantity.
    pub of: String,
    /// Its final value.
    pub value: f64,
    /// Recorded times, and for each the derivatives with respect to x and u at that time.
    pub rows: Vec<(f64, Vec<f64>)>,
    /// The derivatives with respect to the parameters.
    pub parameters: Vec<f64>,
}

/// A run with its sensitivities to the start and to parameters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sensitivities {
    /// The run.
    pub motion: Motion,
    /// The parameters with respect to which the motion was differentiated.
    pub parameters: Vec<String>,
    /// The derivatives of x and u at the end with respect to those at the start: one row for each component.
    pub transition: Vec<Vec<f64>>,
    /// The state-transition matrix in canonical coordinates (x, p); `None` where the Legendre map is singular.
    pub canonical: Option<Vec<Vec<f64>>>,
    /// Independent directions at the start in canonical coordinates that are tangent to the constraints; without
    /// constraints those of single components.
    tangent: Vec<Vec<f64>>,
    /// The derivatives of x and u at the end with respect to each parameter: one row for each parameter. They include
    /// the dependence of the start on the parameter.
    pub by_parameters: Vec<Vec<f64>>,
    /// For each recorded state the derivatives of its components, first with respect to the start, then to the
    /// parameters, row by row.
    pub rows: Vec<Vec<f64>>,
    /// The adjoint, if requested.
    pub gradient: Option<Gradient>,
}

impl Sensitivities {
    /// The deviation of ΦᵀJΦ from J, for the transition Φ in canonical coordinates, relative to the products it is
    /// made of: zero for Hamiltonian systems. Under constraints only directions tangent to them count.
    pub fn symplectic_defect(&self) -> Option<f64> {
        let m = self.canonical.as_ref()?;
        let n = m.len() / 2;
        let image = |v: &Vec<f64>| -> Vec<f64> {
            let row = |row: &Vec<f64>| row.iter().zip(v).map(|(m, v)| m * v).sum();
            m.iter().map(row).collect()
        };
        let images: Vec<Vec<f64>> = self.tangent.iter().map(image).collect();
        // The products of ω for two directions: their sum, and their size.
        let products = |a: &[f64], b: &[f64]| {
            let pairs = (0..n).map(|i| (a[i] * b[n + i], a[n + i] * b[i]));
            pairs.fold((0.0, 0.0), |(sum, size), (p, q)| {
                (sum + (p - q), size + (p.abs() + q.abs()))
            })
        };
        let mut worst: f64 = 0.0;
        let mut scale: f64 = 1.0;
        for (v, image) in self.tangent.iter().zip(&images) {
            for (w, other) in self.tangent.iter().zip(&images) {
                let ((sum, size), (exact, _)) = (products(image, other), products(v, w));
                worst = worst.max((sum - exact).abs());
                scale = scale.max(size);
            }
        }
        Some(worst / scale)
    }
}

impl SensitivityAnalysis<'_> {
    fn compute(mut self) -> Result<Sensitivities, Vec<Diagnostic>> {
        let model: &Model = self.model;
        let plan = Plan::new(model, &self.run)?;
        if plan.method != Method::Taylor {
            return Err(refused(
                Code::NotAvailable,
                format!(
                    "sensitivities are not available by the method `{}`",
                    plan.method.name()
                ),
                "leave the method out: Taylor series compute them",
            ));
        }
        if self.run.project && !self.parameters.is_empty() {
            return Err(refused(
                Code::NotAvailable,
                "sensitivities from a projected start are not available",
                "how the projection depends on parameters is not known: write the projected state as `initial`",
            ));
        }
        if model.is_implicit() {
            return self.compute_on_phase_space(plan);
        }
        let kept = parameter_symbols(model, &self.parameters)?;
        let quantity = match &self.gradient {
            Some(name) => Some((name.clone(), quantity(model, name)?)),
            None => None,
        };
        let compiled = Compiled::differentiated(model, &kept)?;
        let n = compiled.lowered().coordinates.len();
        let mut directions = Directions::all(compiled.tape(), n);
        directions.transitions = quantity.is_some();
        for (column, &p) in directions.columns[2 * n..].iter_mut().zip(&kept) {
            column[..2 * n].copy_from_slice(&start_slopes(model, p, self.run.from)?);
        }
        let started = Stopwatch::start();
        let Options { from, to, .. } = plan.options;
        let observer = &mut self.observer;
        let mut shown = |t: f64| report(observer, t, [from, to]);
        let ending = ending(&compiled, &plan, &mut shown);
        let options = Options {
            to: ending.as_ref().map_or(to, |c| c.time),
            ..plan.options.clone()
        };
        let (mut run, followed) =
            compiled.integrate_with_sensitivities(&plan.start, &options, &directions, &mut shown);
        if let Some(ending) = ending {
            end_at(&mut run, ending);
        }
        let seconds = started.seconds();
        let columns = directions.columns.len();
        let rows = followed.last.chunks(columns);
        let transition: Vec<Vec<f64>> = rows.map(|row| row[..2 * n].to_vec()).collect();
        let by_parameters = (2 * n..columns)
            .map(|c| {
                followed
                    .last
                    .iter()
                    .skip(c)
                    .step_by(columns)
                    .copied()
                    .collect()
            })
            .collect();
        let mut ends = vec![from];
        ends.extend(&plan.start);
        let before = compiled.legendre(&ends);
        let tangent = tangent::tangent(model, &ends, &before)?;
        ends[0] = run.time;
        ends[1..].copy_from_slice(&run.state);
        let canonical = canonical(&before, &transition, &compiled.legendre(&ends));
        if quantity.is_some() && run.pieces.len() > 1 {
            return Err(refused(
                Code::NotAvailable,
                "the gradient is not available for a run that changes its chart",
                "leave the gradient out: the transition matrix at the end gives the derivatives by the start",
            ));
        }
        let gradient = match quantity {
            None => None,
            Some((of, e)) => {
                let back = Backwards {
                    model,
                    kept: &kept,
                    run: &run,
                    transitions: &followed.transitions,
                    starts: &directions.columns[2 * n..],
                };
                Some(back.gradient(of, e)?)
            }
        };
        let mut motion = compiled.motion(run, &plan, seconds);
        motion
            .warnings
            .extend(moving_end(model, self.run.to, &self.parameters, &kept)?);
        Ok(Sensitivities {
            motion,
            parameters: self.parameters,
            transition,
            canonical,
            tangent,
            by_parameters,
            rows: followed.rows,
            gradient,
        })
    }
}

/// Warnings about parameters on which the end time of the file depends: derivatives are those at a fixed time.
fn moving_end(
    model: &Model,
    to: Option<f64>,
    names: &[String],
    kept: &[Expr<'_>],
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let run = &model.contents().run;
    let Some(end) = run.to.filter(|_| to.is_none()) else {
        return Ok(vec![]);
    };
    let end = model.expr(end);
    let numbers = model.parameter_values()?;
    let mut list = Vec::new();
    for (&p, name) in kept.iter().zip(names) {
        let slope = end.substitute(&model.values_but(&[p])?).diff(p);
        let slope = slope.substitute(&numbers).evaluate_f64(&[]);
        if slope != 0.0 {
            list.push(Diagnostic::warning(
                Code::EndDependsOnParameter,
                format!(
                    "the end of the run depends on `{name}`, by {slope:?} for each unit of it; derivatives by `{name}` are those at a fixed time"
                ),
                "for the derivative of the last state add its rate (velocities, accelerations) times that number",
                run.span,
            ));
        }
    }
    Ok(list)
}

/// The event at which the motion ends by itself. Nearby motions need not reach it: at the vertex of a nonlinear
/// constraint their series have no radius of convergence, and ever shorter steps approach it without reaching it.
fn ending(
    compiled: &Compiled,
    plan: &Plan,
    progress: &mut impl FnMut(f64) -> bool,
) -> Option<Crossing> {
    // Contacts locate the ends of their modes themselves.
    if !compiled.may_end_early() || compiled.has_contacts() {
        return None;
    }
    let options = Options {
        record: Record::Nothing,
        ..plan.options.clone()
    };
    let mut run = compiled.integrate(&plan.start, &options, progress);
    match run.status {
        Status::Event(_) => run.crossings.pop(),
        _ => None,
    }
}

/// Ends a run at an event that it reached.
fn end_at(run: &mut Run, event: Crossing) {
    let arrived = matches!(
        run.status,
        Status::Finished | Status::Failed(RunError::StepUnderflow)
    );
    let near = 1e-9 * event.time.abs().max(f64::MIN_POSITIVE);
    if arrived && (run.time - event.time).abs() <= near {
        run.status = Status::Event(event.event);
        run.time = event.time;
        run.state.clone_from(&event.state);
        run.crossings.push(event);
    }
}

/// The derivatives of the initial state with respect to a parameter.
fn start_slopes(
    model: &Model,
    parameter: Expr<'_>,
    from: Option<f64>,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let numbers = model.parameter_values()?;
    let values = model.values_but(&[parameter])?;
    let contents = model.contents();
    let positions = contents.coordinates.iter().map(|c| c.initial_position);
    let zero = model.pool().zero();
    let positions = positions.map(|id| id.map_or(zero, |id| model.expr(id)));
    let from = from.and_then(Rational::from_f64);
    let velocities = model.start_velocities(&[], from.map(|t| model.pool().number(t)))?;
    let slope = |e: Expr<'_>| {
        let slope = e.substitute(&values).diff(parameter);
        slope.substitute(&numbers).evaluate_f64(&[])
    };
    Ok(positions.chain(velocities).map(slope).collect())
}

/// The expression of a coordinate, a velocity or an output.
fn quantity<'p>(model: &'p Model, name: &str) -> Result<Expr<'p>, Vec<Diagnostic>> {
    let contents = model.contents();
    let system = model.system();
    let state = system.state();
    let mut known: Vec<(String, Expr<'p>)> = Vec::new();
    for (i, c) in contents.coordinates.iter().enumerate() {
        known.push((c.name.clone(), state.base().positions()[i]));
        known.push((format!("{}'", c.name), state.velocities()[i]));
    }
    known.extend(
        contents
            .outputs
            .iter()
            .map(|o| (o.name.clone(), model.expr(o.value))),
    );
    let Some((_, e)) = known.iter().find(|k| k.0 == name) else {
        let names: Vec<String> = known.into_iter().map(|k| k.0).collect();
        return Err(refused(
            Code::UnknownName,
            format!("there is no coordinate, velocity or output `{name}`"),
            format!("there are {}", names.join(", ")),
        ));
    };
    Ok(*e)
}

/// P₁·Φ·P₀⁻¹ with the Legendre maps P at both ends.
fn canonical(before: &[f64], transition: &[Vec<f64>], after: &[f64]) -> Option<Vec<Vec<f64>>> {
    let size = transition.len();
    let n = size / 2;
    let entry = |p: &[f64], i: usize, j: usize| match i.checked_sub(n) {
        None => f64::from(u8::from(i == j)),
        Some(i) => p[i * size + j],
    };
    let mut factors = Factors::new(size);
    // Rows of X = Φ·P₀⁻¹ solve P₀ᵀ·Xᵀ = Φᵀ.
    factors.factor(|i, j| entry(before, j, i)).ok()?;
    let half: Vec<Vec<f64>> = transition
        .iter()
        .map(|row| {
            let mut x = row.clone();
            factors.solve(&mut x);
            x
        })
        .collect();
    let product = |i: usize, c: usize| (0..size).map(|j| entry(after, i, j) * half[j][c]).sum();
    let rows = (0..size).map(|i| (0..size).map(|c| product(i, c)).collect());
    let matrix: Vec<Vec<f64>> = rows.collect();
    let finite = matrix.iter().flatten().all(|x: &f64| x.is_finite());
    finite.then_some(matrix)
}

/// A run that is followed from its end to its start.
struct Backwards<'a, 'p> {
    model: &'p Model,
    kept: &'a [Expr<'p>],
    run: &'a Run,
    transitions: &'a [Transition],
    /// The derivatives of the start with respect to each parameter.
    starts: &'a [Vec<f64>],
}

impl<'p> Backwards<'_, 'p> {
    /// λ at all recorded times, through the transitions of the steps: λ(t) = Φᵀλ(t + h).
    fn gradient(&self, of: String, e: Expr<'p>) -> Result<Gradient, Vec<Diagnostic>> {
        let Self {
            model, kept, run, ..
        } = *self;
        let system = model.system();
        let state = system.state();
        let numbers = model.parameter_values()?;
        let e = e.substitute(&model.values_but(kept)?);
        let mut at: Vec<(Expr<'_>, f64)> = vec![(state.time(), run.time)];
        let symbols = state.base().positions().iter().chain(state.velocities());
        at.extend(symbols.copied().zip(run.state.iter().copied()));
        let value = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&at);
        let size = run.state.len();
        let mut lambda: Vec<f64> = at[1..].iter().map(|&(z, _)| value(e.diff(z))).collect();
        let mut parameters: Vec<f64> = kept.iter().map(|&p| value(e.diff(p))).collect();
        let last = value(e);
        if lambda.iter().chain(&parameters).any(|x| !x.is_finite()) || !last.is_finite() {
            return Err(refused(
                Code::NotDifferentiable,
                format!("`{of}` has no derivatives by the state at the end of the run"),
                "outputs with multipliers or reactions, and such with kinks there, have none",
            ));
        }
        let mut rows = Vec::new();
        let mut times = run.rows.iter().rev().map(|row| row[0]).peekable();
        // Steps end at the recorded times, up to rounding.
        let span = run
            .rows
            .first()
            .map_or(0.0, |row| (run.time - row[0]).abs());
        let mut note = |t: f64, lambda: &[f64], jumps: bool| {
            while times
                .next_if(|r| (r - t).abs() <= 1e-13 * t.abs().max(span))
                .is_some()
            {
                rows.push((t, lambda.to_vec()));
                // The state before a jump is recorded, too, at the same time.
                if jumps {
                    break;
                }
            }
        };
        note(run.time, &lambda, false);
        for (k, step) in self.transitions.iter().enumerate().rev() {
            let width = size + kept.len();
            let column = |c: usize| {
                (0..size)
                    .map(|i| step.matrix[i * width + c] * lambda[i])
                    .sum()
            };
            let before: Vec<f64> = (0..size).map(column).collect();
            for (k, p) in parameters.iter_mut().enumerate() {
                *p += (0..size)
                    .map(|i| step.matrix[i * width + size + k] * lambda[i])
                    .sum::<f64>();
            }
            lambda = before;
            let earlier = k.checked_sub(1).map(|k| &self.transitions[k]);
            match earlier.is_some_and(|e| e.from == e.to) {
                // Before the first step nothing is recorded but the start.
                true if k == 1 => {}
                jumps => note(step.from, &lambda, jumps),
            }
        }
        // The start may depend on a parameter.
        for (p, column) in parameters.iter_mut().zip(self.starts) {
            *p += lambda.iter().zip(column).map(|(l, s)| l * s).sum::<f64>();
        }
        rows.reverse();
        Ok(Gradient {
            of,
            value: last,
            rows,
            parameters,
        })
    }
}
