//! Motions between given ends, as curves on which an action is stationary.

mod across;
mod conjugate;
mod found;
mod question;

use galilei_expr::Expr;
use galilei_integrate::{
    Constraints, Ends, Functional, Method, Options, Record, Search, Solution, Stationary, Status,
    Unsolved,
};
use galilei_lower::Form;
use galilei_mechanics::{ActionFunctional, ActionKind, Lagrangian};
use galilei_model::{Code, Diagnostic, Model, refused};
use galilei_tape::{Builder, Tape, Unsupported};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::motion::{Motion, Plan};
use crate::settings::{Observer, Progress, RunSettings, report, setters, shared_setters};
use across::Shooting;
pub use conjugate::Conjugate;
pub use found::{StationaryMotion, StationaryMotions};
use question::{Question, fits, nonholonomic, whole};

/// A search for motions between given ends, as curves on which an action is stationary: its settings, then
/// [`run`](Self::run). Made by [`Model::stationary`](crate::Model::stationary).
///
/// ```
/// use galilei::Model;
/// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\n")?;
/// let found = model.stationary().start("x=0").end("x=1").to(4.0).starts(1).run()?;
/// let found = &found.motions[0];
/// // Beyond half a period the action is stationary, but not the least.
/// assert_eq!(found.solution.index, Some(1));
/// assert!((found.conjugate.as_ref().unwrap()[0].time - std::f64::consts::PI).abs() < 1e-8);
/// assert!((found.solution.states[0][1] - 1.0 / 4f64.sin()).abs() < 1e-9);
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct StationarySearch<'a> {
    model: &'a crate::Model,
    /// The time span, the recorded states, and the tolerance: the allowed residual of the curve.
    run: RunSettings,
    start: String,
    end: String,
    free_start: Vec<String>,
    free_end: Vec<String>,
    kind: ActionKind,
    starts: usize,
    seed: u64,
    degree: usize,
    elements: usize,
    observer: Option<Observer<'a>>,
}

impl<'a> StationarySearch<'a> {
    shared_setters!(run);

    pub(crate) fn new(model: &'a crate::Model) -> Self {
        Self {
            model,
            run: RunSettings::new(),
            start: String::new(),
            end: String::new(),
            free_start: vec![],
            free_end: vec![],
            kind: ActionKind::E,
            starts: 8,
            seed: 1,
            degree: 6,
            elements: 8,
            observer: None,
        }
    }

    setters! {
        /// Positions at the start, `"theta=0.1"`; missing ones come from `initial`.
        start(positions: impl Into<String>) => start = positions.into();

        /// Positions at the end, `"theta=2"`.
        end(positions: impl Into<String>) => end = positions.into();

        /// Coordinates that are free at the start; their momenta vanish there.
        free_start(coordinates: impl IntoIterator<Item = impl Into<String>>)
            => free_start = coordinates.into_iter().map(Into::into).collect();

        /// Coordinates that are free at the end; their momenta vanish there.
        free_end(coordinates: impl IntoIterator<Item = impl Into<String>>)
            => free_end = coordinates.into_iter().map(Into::into).collect();

        /// The functional that is stationary, one of six; (e), the action ∫L(t, x, ẋ)dt, unless set.
        functional(kind: ActionKind) => kind = kind;

        /// The number of curves from which the search starts; 8 unless set.
        starts(count: usize) => starts = count;

        /// The seed with which these curves are drawn; 1 unless set.
        seed(seed: u64) => seed = seed;

        /// The degree of the polynomials of which curves are made, from 1 to 12; 6 unless set.
        degree(degree: usize) => degree = degree;

        /// The initial number of pieces of a curve, from 1 to 1000; 8 unless set.
        elements(count: usize) => elements = count;

        /// A function that is called between two searches and along the motions with their progress; it returns whether
        /// to go on. If not, the motions found so far are returned.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Searches for the motions.
    ///
    /// # Errors
    /// Where something is missing or wrong in the request, or the model has constraints on velocities.
    pub fn run(self) -> Result<StationaryMotions, Error> {
        // Curves are those of the chart of the start; runs also come to the end in another.
        let model = self.model.facing_state(&self.start);
        let target = self.model.facing_state(&self.end);
        let faced = StationarySearch {
            model: &model,
            ..self
        };
        faced.search(&target).map_err(|e| model.error(e))
    }
}

fn no_numbers(why: &Unsupported) -> Vec<Diagnostic> {
    refused(
        Code::NotFinite,
        format!("there are no numbers: {why}"),
        "check the model",
    )
}

/// Constraints between positions as code, with a multiplier for each; `None` where there are none.
fn constraints(model: &Model) -> Result<Option<Constraints>, Vec<Diagnostic>> {
    let rows = model.constraint_rows();
    if rows.is_empty() {
        return Ok(None);
    }
    let values = model.parameter_values()?;
    let system = model.system();
    let (state, pool) = (system.state(), model.pool());
    let named = |word: &str| -> Vec<Expr<'_>> {
        let names = (0..rows.len()).map(|a| pool.symbol(&format!("{word}({a})")));
        names.collect()
    };
    let multipliers = named("multiplier");
    let mut inputs = vec![state.time()];
    inputs.extend(state.base().positions());
    inputs.extend(&multipliers);
    inputs.extend(state.velocities());
    inputs.extend(named("rate"));
    let size = state.degrees_of_freedom() + rows.len();
    let functional = |list: Vec<Expr<'_>>| -> Result<Functional, Vec<Diagnostic>> {
        let pairs = multipliers.iter().zip(&list);
        let sum = pool.sum(pairs.map(|(&l, &h)| l * h)).substitute(&values);
        let mut builder = Builder::new(&inputs);
        let register = builder.expr(sum).map_err(|why| no_numbers(&why))?;
        let tape = builder.finish(vec![register]);
        Ok(Functional::new(&tape, register, size, None))
    };
    Ok(Some(Constraints {
        held: functional(rows.iter().filter_map(|c| c.residual).collect())?,
        rates: functional(rows.iter().filter_map(|c| c.rate.or(c.residual)).collect())?,
    }))
}

/// The functional as code, with names for the quantities that belong to one instant.
fn functional<'p>(
    action: &ActionFunctional<'p>,
    values: &[(Expr<'p>, Expr<'p>)],
    n: usize,
    force: &Tape,
) -> Result<Functional, Vec<Diagnostic>> {
    let curve = action.curve();
    let stationarity = action.stationarity();
    let multipliers = stationarity.multipliers.components();
    let pool = curve.pool();
    let pairs = multipliers.iter().zip(action.conditions());
    let whole = action.integrand() + pool.sum(pairs.map(|(&l, &c)| l * c));
    let mut inputs = vec![curve.time()];
    inputs.extend(&curve.components()[..n]);
    inputs.extend(&curve.derivatives(1)[..n]);
    inputs.extend(&curve.components()[n..]);
    inputs.extend(multipliers);
    let mut builder = Builder::new(&inputs);
    let register = builder
        .expr(whole.substitute(values))
        .map_err(|why| no_numbers(&why))?;
    let tape = builder.finish(vec![register]);
    Ok(Functional::new(&tape, register, n, Some(force)))
}

/// A number in [0, 1) that depends on a seed and a place.
fn unit(seed: u64, place: usize) -> f64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(place as u64));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Initial curves from one end to the other: the first one is straight, the others are increasingly bent.
fn guess(ends: &Ends, k: usize, seed: u64, t: f64) -> Vec<f64> {
    let z = (t - ends.from) / (ends.to - ends.from);
    let bend = |i: usize, mode: usize| {
        let size = if k == 0 { 0.0 } else { (k as f64).sqrt() };
        size * (2.0 * unit(seed, k * 64 + i * 8 + mode + 1) - 1.0) / mode as f64
    };
    let pairs = ends.start.iter().zip(&ends.end);
    pairs
        .enumerate()
        .map(|(i, (a, b))| {
            let a = a.or(*b).unwrap_or(0.0);
            let b = b.unwrap_or(a);
            let waves =
                (1..=3).map(|mode| bend(i, mode) * (mode as f64 * std::f64::consts::PI * z).sin());
            a + (b - a) * z + waves.sum::<f64>()
        })
        .collect()
}

/// Runs from the start of a curve, with their conjugate instants.
struct Follower<'a> {
    compiled: &'a Compiled,
    /// The equations with their derivatives; `None` where conjugate instants are not looked for.
    varied: Option<&'a Compiled>,
    options: &'a Options,
}

impl Follower<'_> {
    fn follow(
        &self,
        start: Vec<f64>,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> (Motion, Option<Vec<Conjugate>>) {
        let plan = Plan {
            accept_balance: false,
            method: Method::Taylor,
            options: self.options.clone(),
            start,
            chart: 0,
        };
        let motion = self.compiled.follow(&plan, &mut *go_on);
        let conjugate =
            (self.varied).map(|c| conjugate::conjugate(c, &plan.start, self.options, &mut *go_on));
        (motion, conjugate)
    }
}

/// What a search has found so far.
#[derive(Default)]
struct Findings {
    motions: Vec<StationaryMotion>,
    unsolved: Vec<Unsolved>,
    /// The number of initial curves and velocities that were tried.
    tried: usize,
}

impl StationarySearch<'_> {
    /// Searches for curves in the chart of the model, and for motions through other charts to the end, which is in that of
    /// another reading.
    fn search(mut self, target: &Model) -> Result<StationaryMotions, Vec<Diagnostic>> {
        let model: &Model = self.model;
        if let Some(refusal) = nonholonomic(model) {
            return Err(refusal);
        }
        let question = self.question(target)?;
        if question.in_one_chart() {
            fits(model, &question.ends)?;
        }
        let compiled = Compiled::new(model, Form::Shortest)?;
        let constrained = !model.constraint_rows().is_empty();
        let varied = match !constrained && question.ends.start.iter().all(Option::is_some) {
            true => Some(Compiled::differentiated(model, &[])?),
            false => None,
        };
        let force = model.system().total_force();
        let forced = force.components().iter().any(|f| !f.is_zero());
        let follower = Follower {
            compiled: &compiled,
            varied: varied.as_ref(),
            options: &question.options,
        };
        let (from, to) = (question.ends.from, question.ends.to);
        let mut observer = self.observer.take();
        let mut go_on = |time: f64| report(&mut observer, time, [from, to]);
        let mut findings = Findings::default();
        self.along_curves(&question, &follower, forced, &mut findings, &mut go_on)?;
        if (!compiled.charts().is_empty() && !constrained)
            && let Some(held) = question.held()
        {
            self.through_charts(
                target,
                (&question, held),
                (&follower, forced),
                &mut findings,
                &mut go_on,
            )?;
        }
        let Findings {
            mut motions,
            unsolved,
            tried,
        } = findings;
        motions.sort_by(|a, b| a.solution.action.total_cmp(&b.solution.action));
        let lowered = compiled.lowered();
        Ok(StationaryMotions {
            motions,
            unsolved,
            starts: tried,
            forced,
            coordinates: lowered.coordinates.clone(),
            output_names: lowered.output_names.clone(),
            event_names: lowered.event_names.clone(),
            tolerance: question.tolerance,
        })
    }

    /// Finds curves on which the functional is stationary, in one chart, and follows the motions along them.
    fn along_curves(
        &self,
        question: &Question,
        follower: &Follower<'_>,
        forced: bool,
        findings: &mut Findings,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut solver = solver(self.model, follower.compiled, self.kind)?;
        let ends = &question.ends;
        let search = Search {
            degree: self.degree,
            elements: self.elements,
            tolerance: question.tolerance,
            refine: true,
        };
        let mut found: Vec<Solution> = Vec::new();
        for k in 0..self.starts {
            if !go_on(ends.from) || !question.in_one_chart() {
                break;
            }
            findings.tried += 1;
            match solver.solve(ends, |t| guess(ends, k, self.seed, t), &search) {
                Ok(solution) if found.iter().all(|other| differ(other, &solution)) => {
                    found.push(solution);
                }
                Ok(_) => {}
                Err(why) => findings.unsolved.push(why),
            }
        }
        for mut solution in found {
            // Under forces the curve is not a stationary point of the action, and its second variation is
            // meaningless.
            solution.index = solution.index.filter(|_| !forced);
            let (motion, conjugate) = follower.follow(solution.states[0].clone(), go_on);
            findings.motions.push(StationaryMotion {
                closure: closure(&motion, &solution),
                conjugate,
                motion,
                solution,
            });
        }
        Ok(())
    }

    /// Finds motions from the start to the end by shooting with runs that change charts.
    fn through_charts(
        &self,
        target: &Model,
        (question, (start, end)): (&Question, (Vec<f64>, Vec<f64>)),
        (follower, forced): (&Follower<'_>, bool),
        findings: &mut Findings,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let model: &Model = self.model;
        let ends = &question.ends;
        let aimed = Compiled::new(target, Form::Shortest)?;
        let Some(atlas) = aimed.atlas() else {
            return Err(refused(Code::NotAvailable, "there are no charts", ""));
        };
        let mut shooting = Shooting {
            runner: atlas.runner(Method::Taylor),
            foldings: aimed.foldings(),
            chart: model.manifold_chart_from(target),
            start,
            end,
            options: Options {
                record: Record::Nothing,
                dense_output: false,
                ..question.options.clone()
            },
        };
        let momenta = momenta(model.system().lagrangian(), &model.parameter_values()?)?;
        let own = whole(&ends.end).filter(|_| question.in_one_chart());
        for k in 0..self.starts {
            if !go_on(ends.from) {
                break;
            }
            findings.tried = findings.tried.max(k + 1);
            let time = ends.to - ends.from;
            let guess = across::guess(&shooting.start, own.as_deref(), time, (k, self.seed));
            let Some((velocity, closure)) = shooting.velocity(&guess, go_on) else {
                findings.unsolved.push(Unsolved::NotConverged);
                continue;
            };
            let start = [&shooting.start[..], &velocity].concat();
            if (findings.motions.iter()).any(|m| same_start(&m.solution.states[0], &start)) {
                continue;
            }
            let (mut motion, conjugate) = follower.follow(start.clone(), go_on);
            let mesh = (ends, self.elements, self.degree);
            let Some(mut solution) = across::curve(follower.compiled, &mut motion, &momenta, mesh)
            else {
                findings.unsolved.push(Unsolved::NotResolved);
                continue;
            };
            solution.residual = closure;
            // The index of a motion is the number of conjugate instants (Morse).
            let count = |list: &Vec<Conjugate>| list.iter().map(|c| c.multiplicity).sum();
            solution.index = (conjugate.as_ref())
                .filter(|_| !forced && is_definite(model, &start, ends.from))
                .map(count);
            findings.motions.push(StationaryMotion {
                closure,
                conjugate,
                motion,
                solution,
            });
        }
        Ok(())
    }
}

/// The distance between the end of a motion and the end of a curve.
fn closure(motion: &Motion, curve: &Solution) -> f64 {
    let last = &curve.states[curve.elements()];
    let pairs = motion.run.state[..last.len() / 2].iter().zip(last);
    match motion.run.status {
        Status::Finished => pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())),
        _ => f64::INFINITY,
    }
}

/// Whether the mass matrix is positive definite at a state (x, u).
fn is_definite(model: &Model, state: &[f64], time: f64) -> bool {
    let n = state.len() / 2;
    let pool = model.pool();
    let system = model.system();
    let Ok(values) = model.parameter_values() else {
        return false;
    };
    let mut at: Vec<(Expr<'_>, f64)> = vec![(model.time(), time)];
    at.extend(model.positions().into_iter().zip(state.iter().copied()));
    at.extend(
        model
            .velocities()
            .into_iter()
            .zip(state[n..].iter().copied()),
    );
    let mass = system.lagrangian().function().hessian(&model.velocities());
    let mass = pool.substitute_all(&mass.concat(), &values);
    let mut m: Vec<f64> = mass.iter().map(|e| e.evaluate_f64(&at)).collect();
    for k in 0..n {
        if m[k * n + k].is_nan() || m[k * n + k] <= 0.0 {
            return false;
        }
        for i in k + 1..n {
            let factor = m[i * n + k] / m[k * n + k];
            for j in k..n {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    true
}

/// Whether two curves are different.
fn differ(a: &Solution, b: &Solution) -> bool {
    let size = (a.states.iter().flatten()).fold(1.0_f64, |m, x| m.max(x.abs()));
    apart(&a.states[0], &b.states[0], size)
}

/// Whether two motions have the same start.
fn same_start(other: &[f64], start: &[f64]) -> bool {
    let size = start.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    !apart(other, start, size)
}

/// Whether two states differ by more than the errors of a search, relative to a size.
fn apart(a: &[f64], b: &[f64], size: f64) -> bool {
    a.iter().zip(b).any(|(x, y)| (x - y).abs() > 1e-6 * size)
}

impl Compiled {
    /// A solver for curves on which a functional of the model is stationary, with guesses and meshes of the caller.
    /// The model must be that from which this was compiled.
    ///
    /// # Errors
    /// Where the model has no Hamiltonian in closed form and the functional needs one.
    pub fn stationary_solver(
        &self,
        model: &crate::Model,
        kind: ActionKind,
    ) -> Result<Stationary<'_>, Error> {
        solver(model, self, kind).map_err(|e| model.error(e))
    }
}

/// A solver for curves on which a functional of a model is stationary.
fn solver<'c>(
    model: &Model,
    compiled: &'c Compiled,
    kind: ActionKind,
) -> Result<Stationary<'c>, Vec<Diagnostic>> {
    let values = model.parameter_values()?;
    let system = model.system();
    let lagrangian = system.lagrangian();
    let n = lagrangian.state().degrees_of_freedom();
    let action = match kind {
        ActionKind::A | ActionKind::C | ActionKind::E => lagrangian.action(kind),
        ActionKind::B | ActionKind::D | ActionKind::F => {
            let canonical = system.canonical();
            let form = canonical.map(|c| c.hamiltonian_form());
            form.and_then(|form| match kind {
                ActionKind::F => Some(lagrangian.action_by_momenta(&form)),
                _ => form.action(kind),
            })
        }
    };
    let action = action.ok_or_else(|| {
        refused(
            Code::NotAvailable,
            "there is no Hamiltonian in closed form for this functional",
            "use (a), (c) or (e), which are written with L",
        )
    })?;
    let own = lagrangian.action(ActionKind::E);
    let own = own.ok_or_else(|| refused(Code::NotAvailable, "there is no Lagrangian", ""))?;
    let force = compiled.force_tape();
    let momenta = momenta(lagrangian, &values)?;
    let local = move |t: f64, x: &[f64], v: &[f64]| -> Vec<f64> {
        let state: Vec<f64> = std::iter::once(t)
            .chain(x.iter().chain(v).copied())
            .collect();
        let p = || momenta.run(&state, &[]);
        match kind {
            ActionKind::A => v.to_vec(),
            ActionKind::B => p(),
            ActionKind::C => v.iter().copied().chain(p()).collect(),
            ActionKind::D => p().into_iter().chain(p()).collect(),
            ActionKind::E | ActionKind::F => vec![],
        }
    };
    let solver = Stationary::new(
        compiled.prepared(f64::EPSILON),
        functional(&own, &values, n, force)?,
        functional(&action, &values, n, force)?,
        local,
    );
    Ok(match constraints(model)? {
        Some(constraints) => solver.under(constraints),
        None => solver,
    })
}

/// p(t, x, u) as code.
fn momenta<'p>(
    lagrangian: &Lagrangian<'p>,
    values: &[(Expr<'p>, Expr<'p>)],
) -> Result<Tape, Vec<Diagnostic>> {
    let state = lagrangian.state();
    let mut inputs = vec![state.time()];
    inputs.extend(state.base().positions());
    inputs.extend(state.velocities());
    let mut builder = Builder::new(&inputs);
    let list = lagrangian.momenta();
    let list = state.pool().substitute_all(&list, values);
    let registers: Result<Vec<_>, _> = list.into_iter().map(|p| builder.expr(p)).collect();
    Ok(builder.finish(registers.map_err(|why| no_numbers(&why))?))
}
