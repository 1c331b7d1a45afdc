//! Numbers: the model at given values of its parameters and one state.

use galilei_expr::{Expr, ExprId, Pool, Program, Rational, View};
use galilei_linear::solve;
use galilei_syntax::{ExpressionKind, Kind};

use crate::axes::Target;
use crate::code::Code;
use crate::constrained::ConstraintRow;
use crate::contents::{Enforcement, Part};
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Model;
use crate::momenta::Start;
use crate::reader::{MOMENTUM, Reader};

/// A state: time, positions, velocities, as exact expressions without symbols.
#[derive(Clone, Debug)]
pub struct State<'p> {
    /// t
    pub time: Expr<'p>,
    /// xⁱ
    pub position: Vec<Expr<'p>>,
    /// uⁱ
    pub velocity: Vec<Expr<'p>>,
}

/// The entries of a state, of which velocities or momenta may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Entries<'p> {
    /// t
    pub(crate) time: Expr<'p>,
    /// xⁱ
    pub(crate) position: Vec<Expr<'p>>,
    /// uⁱ, where given.
    pub(crate) velocity: Vec<Option<Expr<'p>>>,
    /// pᵢ, where given.
    pub(crate) momentum: Vec<Option<Expr<'p>>>,
}

/// The kind of an entry of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Position,
    Velocity,
    Momentum,
}

/// Every quantity at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// t
    pub time: f64,
    /// xⁱ
    pub position: Vec<f64>,
    /// uⁱ
    pub velocity: Vec<f64>,
    /// ∂²L/∂u∂u
    pub mass_matrix: Vec<Vec<f64>>,
    /// −g⁻¹∂T/∂u at u = 0; `None` where L has no split.
    pub reference_field: Option<Vec<f64>>,
    /// T; `None` where L has no split.
    pub kinetic_energy: Option<f64>,
    /// V; `None` where L has no split.
    pub potential_energy: Option<f64>,
    /// L
    pub lagrangian: f64,
    /// uⁱ∂L/∂uⁱ − L
    pub hamiltonian: f64,
    /// ∂L/∂uⁱ
    pub momentum: Vec<f64>,
    /// Σ Fᵢ
    pub force: Vec<f64>,
    /// u̇ⁱ
    pub acceleration: Vec<f64>,
    /// ṗᵢ
    pub momentum_rate: Vec<f64>,
    /// −∂L/∂t + uⁱFᵢ, and the power of the reactions
    pub energy_rate: f64,
    /// The constraints, if there are any.
    pub constraints: Option<EvaluatedConstraints>,
}

/// The constraints at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedConstraints {
    /// Their names.
    pub names: Vec<String>,
    /// fᵃ; of constraints that restrict accelerations sᵃ(ξ̃).
    pub residual: Vec<f64>,
    /// λ_a, which multiply ∂fᵃ/∂uⁱ, ∂fᵃ/∂xⁱ between positions, ṡᵃᵢ of constraints that restrict accelerations, or the
    /// covector of the reaction; `None` where the connection enforces the constraint.
    pub multipliers: Vec<Option<f64>>,
    /// The covector of all reactions, for ideal ones λ_a∂fᵃ/∂uⁱ.
    pub reaction: Vec<f64>,
}

/// Whether an undetermined function occurs in some expressions.
pub(crate) fn undetermined<'p>(exprs: &[Expr<'p>]) -> Option<String> {
    let mut stack = exprs.to_vec();
    let mut seen = std::collections::HashSet::new();
    while let Some(e) = stack.pop() {
        if !seen.insert(e.id()) {
            continue;
        }
        match e.view() {
            View::Undetermined {
                function,
                arguments,
                ..
            } => match (function.legendre_of(), function.table()) {
                (Some(h), _) => stack.push(h),
                (None, Some(_)) => stack.extend(arguments),
                (None, None) => return Some(function.name().to_owned()),
            },
            View::Sum(terms) => stack.extend(terms.into_iter().map(|t| t.1)),
            View::Product(factors) => stack.extend(factors.into_iter().map(|f| f.0)),
            View::Call(_, arguments) => stack.extend(arguments),
            View::If {
                sides, branches, ..
            } => stack.extend(sides.into_iter().chain(branches)),
            View::Integral { integrand, .. } => stack.push(integrand),
            _ => {}
        }
    }
    None
}

/// The nearest doubles of expressions at given values of symbols; `None` where undefined.
///
/// Enclosures of 256 bits decide; plain doubles only where those cannot.
pub(crate) fn doubles<'p>(
    pool: &'p Pool,
    exprs: &[Expr<'p>],
    values: &[(Expr<'p>, Expr<'p>)],
) -> Vec<Option<f64>> {
    let mut inputs = Vec::new();
    let mut point: Vec<Rational> = Vec::new();
    let mut irrational = Vec::new();
    let exponents = pool.exponents(exprs);
    for (s, v) in values {
        match v.as_rational() {
            // A power whose exponent is known may be defined where others are not.
            Some(_) if exponents.contains(s) => irrational.push((*s, *v)),
            Some(q) => {
                inputs.push(*s);
                point.push(q);
            }
            None => irrational.push((*s, *v)),
        }
    }
    let exprs = if irrational.is_empty() {
        exprs.to_vec()
    } else {
        pool.substitute_all(exprs, &irrational)
    };
    let Ok(program) = Program::new(&exprs, &inputs) else {
        return vec![None; exprs.len()];
    };
    let balls = program.balls::<4>(&point);
    let near: Vec<f64> = point.iter().map(Rational::to_f64).collect();
    let mut plain: Option<Vec<f64>> = None;
    balls
        .into_iter()
        .enumerate()
        .map(|(k, ball)| {
            let x = match ball {
                Some(b) if !b.excludes_zero() && b.radius_log2() < -150.0 => 0.0,
                Some(b) => b.to_f64(),
                None => plain.get_or_insert_with(|| program.f64(&near))[k],
            };
            x.is_finite().then_some(x)
        })
        .collect()
}

impl Model {
    /// The value of every parameter as an expression without symbols.
    pub fn parameter_values(&self) -> Result<Vec<(Expr<'_>, Expr<'_>)>, Vec<Diagnostic>> {
        self.values_but(&[])
    }

    /// Parameter values with some parameters kept as symbols, also in the values of later ones.
    pub fn values_but(
        &self,
        kept: &[Expr<'_>],
    ) -> Result<Vec<(Expr<'_>, Expr<'_>)>, Vec<Diagnostic>> {
        let c = self.contents();
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        let mut missing = Vec::new();
        for p in &c.parameters {
            match p.value {
                _ if kept.contains(&self.expr(p.symbol)) => {}
                Some(v) => known.push((self.expr(p.symbol), self.expr(v).substitute(&known))),
                None => missing.push(Diagnostic::error(
                    Code::MissingValue,
                    format!("the parameter `{}` has no value", p.name),
                    format!("give one in the file, or with --set {}=…", p.name),
                    p.span,
                )),
            }
        }
        if missing.is_empty() {
            Ok(known)
        } else {
            Err(missing)
        }
    }

    /// The state a run starts from: `initial`, then 0; time from `simulate from`, then 0. Where momenta are given,
    /// the velocities that belong to them.
    pub fn initial_state<'p>(&'p self) -> Result<State<'p>, Vec<Diagnostic>> {
        self.state_of(self.initial_entries()?)
    }

    /// The initial state of a run that starts at another time. Momenta that the file gives are kept, so the
    /// velocities may differ.
    pub fn initial_state_from<'p>(&'p self, time: Expr<'p>) -> Result<State<'p>, Vec<Diagnostic>> {
        let mut entries = self.initial_entries()?;
        entries.time = time;
        let given = vec![false; entries.velocity.len()];
        self.solve_rates(&mut entries, &given)?;
        self.state_of(entries)
    }

    /// The entries of `initial`, with values.
    pub(crate) fn initial_entries<'p>(&'p self) -> Result<Entries<'p>, Vec<Diagnostic>> {
        let values = self.parameter_values()?;
        let c = self.contents();
        let zero = self.pool().zero();
        let given = |id: Option<ExprId>| id.map(|id| self.expr(id).substitute(&values));
        let value = |id: Option<ExprId>| given(id).unwrap_or(zero);
        let momentum: Vec<Option<Expr<'p>>> = match &c.hamiltonian {
            Some(h) => h.initial.iter().map(|id| given(*id)).collect(),
            None => vec![None; c.coordinates.len()],
        };
        // Velocities that follow from momenta are found again, at whatever time and place.
        let by_momenta = momentum.iter().any(Option::is_some);
        let velocity = |c: &crate::contents::Coordinate<ExprId>| match by_momenta {
            true => given(c.given_velocity),
            false => given(c.initial_velocity),
        };
        Ok(Entries {
            time: value(c.run.from),
            position: (c.coordinates.iter())
                .map(|c| value(c.initial_position))
                .collect(),
            velocity: c.coordinates.iter().map(velocity).collect(),
            momentum,
        })
    }

    /// The state with some entries.
    pub(crate) fn state_of<'p>(
        &'p self,
        entries: Entries<'p>,
    ) -> Result<State<'p>, Vec<Diagnostic>> {
        let velocity = self.velocities_of_start(&Start {
            time: entries.time,
            position: &entries.position,
            velocity: &entries.velocity,
            momentum: &entries.momentum,
        })?;
        Ok(State {
            time: entries.time,
            position: entries.position,
            velocity,
        })
    }

    /// The initial state with numbers in SI units in place of some positions and velocities, as a single run from there has
    /// it; `from` is another start time.
    ///
    /// # Errors
    /// Where the initial velocities cannot be solved for.
    pub fn state_from(
        &self,
        given: &[(Target, f64)],
        from: Option<f64>,
    ) -> Result<State<'_>, Vec<Diagnostic>> {
        let mut entries = self.initial_entries()?;
        let before = (entries.time, entries.position.clone());
        let mut velocities = vec![false; before.1.len()];
        if let Some(from) = from.and_then(Rational::from_f64) {
            entries.time = self.pool().number(from);
        }
        for (target, value) in given {
            let Some(number) = written(*value) else {
                continue;
            };
            let number = self.pool().number(number);
            match *target {
                Target::Position(k) => entries.position[k] = number,
                Target::Velocity(k) => entries.velocity[k] = Some(number),
                Target::Momentum(k) => entries.momentum[k] = Some(number),
                Target::Parameter(_) => {}
            }
            if let Target::Velocity(k) | Target::Momentum(k) = *target {
                velocities[k] = true;
            }
        }
        if before != (entries.time, entries.position.clone()) {
            self.solve_rates(&mut entries, &velocities)?;
        }
        self.state_of(entries)
    }

    /// The initial state with the entries of `"t=0.5, theta=0.1, theta'=-2"` put in. Bare numbers
    /// take the unit of their coordinate.
    pub fn state_at(&self, text: &str) -> Result<State<'_>, Vec<Diagnostic>> {
        let mut entries = self.initial_entries()?;
        self.fill_own(&mut entries, text)?;
        self.state_of(entries)
    }

    /// A state as [`Self::state_at`] reads it, and which positions, then velocities or momenta, the text gives.
    ///
    /// # Errors
    /// Where the text is not a state of the model.
    pub fn state_and_entries(&self, text: &str) -> Result<(State<'_>, Vec<bool>), Vec<Diagnostic>> {
        let mut entries = self.initial_entries()?;
        let given = self.fill_own(&mut entries, text)?;
        Ok((self.state_of(entries)?, given))
    }

    /// Puts entries into a state of the model's own chart; which positions, then velocities or momenta, were given.
    pub(crate) fn fill_own<'p>(
        &'p self,
        entries: &mut Entries<'p>,
        text: &str,
    ) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let before = (entries.time, entries.position.clone());
        let given = self.fill_entries(entries, text)?;
        if before != (entries.time, entries.position.clone()) {
            self.solve_rates(entries, &given[given.len() / 2..])?;
        }
        Ok(given)
    }

    /// Puts the entries of a text into a state of the model's own chart and leaves all others as they are.
    fn fill_entries<'p>(
        &'p self,
        entries: &mut Entries<'p>,
        text: &str,
    ) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let c = self.contents();
        let names: Vec<String> = c.coordinates.iter().map(|c| c.name.clone()).collect();
        let scales: Vec<Expr<'_>> = c.coordinates.iter().map(|c| self.expr(c.scale)).collect();
        let (points, text) = self.point_entries(text)?;
        let mut given = self.fill(entries, &text, &names, &scales, c.hamiltonian.is_some())?;
        self.fill_points(entries, &points, &mut given)?;
        Ok(given)
    }

    /// Finds the velocities that follow from the motion of bodies at other positions, except for the given ones.
    fn solve_rates<'p>(
        &'p self,
        entries: &mut Entries<'p>,
        given: &[bool],
    ) -> Result<(), Vec<Diagnostic>> {
        let start = Start {
            time: entries.time,
            position: &entries.position,
            velocity: &entries.velocity,
            momentum: &entries.momentum,
        };
        let found = self.rates_at(&start, &|k| given[k])?;
        let values = self.parameter_values()?;
        for (k, v) in found.into_iter().filter(|f| !given[f.0]) {
            entries.velocity[k] = Some(v.substitute(&values));
        }
        Ok(())
    }

    /// The positions that `"theta=0.1, q[1]=3"` gives, in SI units; velocities and times are refused.
    ///
    /// # Errors
    /// Where the text cannot be read or names something else.
    pub fn positions_at(&self, text: &str) -> Result<Vec<Option<f64>>, Vec<Diagnostic>> {
        let mut state = self.initial_entries()?;
        let names = &self.contents().coordinates;
        let time = state.time;
        // The velocities of the initial state need not be possible at other positions.
        let given = self.fill_entries(&mut state, text)?;
        if state.time != time || given[names.len()..].iter().any(|g| *g) {
            return Err(vec![Diagnostic::error(
                Code::InvalidState,
                "only positions can be given here",
                "times are given with --from and --to; velocities follow",
                None,
            )]);
        }
        let position = |i: usize| given[i].then(|| state.position[i].evaluate_f64(&[]));
        Ok((0..names.len()).map(position).collect())
    }

    fn fill<'p>(
        &'p self,
        state: &mut Entries<'p>,
        text: &str,
        names: &[String],
        scales: &[Expr<'p>],
        momenta: bool,
    ) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let mut given = vec![false; 2 * names.len()];
        if text.trim().is_empty() {
            return Ok(given);
        }
        let wrong = |message: String, hint: String| {
            Diagnostic::error(Code::InvalidState, message, hint, None)
        };
        let form = || "write --at \"t=0.5, theta=0.1, theta'=-2, q[1]=3\"".to_owned();
        let line = format!("initial {text}");
        let file = galilei_syntax::parse(&line);
        if let Some(e) = file.errors.first() {
            return Err(vec![wrong(
                format!("the state `{text}` cannot be read: {}", e.message),
                form(),
            )]);
        }
        let Some(Kind::Initial(list)) = file.statements.first().map(|s| &s.kind) else {
            return Err(vec![wrong(
                format!("the state `{text}` cannot be read"),
                form(),
            )]);
        };
        let mut errors = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for a in list {
            let mut reader = Reader::new(self.pool(), &line);
            let (target, level) = match &a.target.kind {
                ExpressionKind::Prime(inner, 1) => (&**inner, Entry::Velocity),
                ExpressionKind::Call(name, index, arguments)
                    if name.text == MOMENTUM && index.is_empty() && arguments.len() == 1 =>
                {
                    (&arguments[0], Entry::Momentum)
                }
                _ => (&a.target, Entry::Position),
            };
            let label = reader.label_of(target);
            let value = reader
                .read(&a.value)
                .filter(|v| !v.uses.symbols)
                .and_then(|v| v.only().map(|(x, _)| x));
            let entry = a.target.span.text(&line).to_owned();
            let (Some(name), Some(value)) = (label, value) else {
                errors.push(wrong(format!("`{entry}` does not get a number"), form()));
                continue;
            };
            if seen.contains(&entry) {
                errors.push(wrong(
                    format!("`{entry}` is given twice"),
                    "keep one".into(),
                ));
                continue;
            }
            seen.push(entry.clone());
            if name == "t" && level == Entry::Position {
                state.time = value;
                continue;
            }
            if level == Entry::Momentum && !momenta {
                errors.push(wrong(
                    format!("`{entry}`: momenta are entries of a state in models given by `hamiltonian:`, in their own chart"),
                    format!("give the velocity {name}' instead"),
                ));
                continue;
            }
            match names.iter().position(|n| *n == name) {
                Some(k) if level != Entry::Position && given[names.len() + k] => {
                    errors.push(Diagnostic::error(
                        Code::MomentumBesideVelocity,
                        format!(
                            "both p({name}) and {name}' are given, and one determines the other"
                        ),
                        "keep one of them",
                        None,
                    ));
                }
                Some(k) if level == Entry::Velocity => {
                    given[names.len() + k] = true;
                    state.velocity[k] = Some(value * scales[k]);
                    state.momentum[k] = None;
                }
                Some(k) if level == Entry::Momentum => {
                    given[names.len() + k] = true;
                    state.momentum[k] = Some(value);
                    state.velocity[k] = None;
                }
                Some(k) => {
                    given[k] = true;
                    state.position[k] = value * scales[k];
                }
                None => {
                    let hint = match nearest(&name, names.iter().map(String::as_str)) {
                        Some(w) => format!("did you mean `{w}`?"),
                        None => format!("the coordinates are {}", names.join(", ")),
                    };
                    errors.push(wrong(format!("`{name}` is not a coordinate"), hint));
                }
            }
        }
        if errors.is_empty() {
            Ok(given)
        } else {
            Err(errors)
        }
    }

    /// T and V: the sums of the declared contributions, with a quadratic `lagrangian` split at
    /// R = 0. `None` where no split exists.
    pub fn split(&self) -> Option<(Expr<'_>, Expr<'_>)> {
        let (mut t, mut v) = (self.part(Part::Kinetic), self.part(Part::Potential));
        let l = self.part(Part::Lagrangian);
        if !l.is_zero() {
            let state = self.state_space();
            let l = galilei_mechanics::Lagrangian::new(&state, l);
            let rest = galilei_mechanics::ReferenceField::resting(state.base());
            let parts = l.recover(&rest)?;
            let u = state.velocities();
            t += Rational::new(1, 2) * parts.metric.pair(u, u);
            v += parts.potentials.scalar;
        }
        Some((t, v))
    }

    /// Every quantity at a state.
    pub fn evaluate<'p>(&'p self, state: &State<'p>) -> Result<Evaluation, Vec<Diagnostic>> {
        let names = self.contents().coordinates.iter().map(|c| c.name.clone());
        let rows = self.constraint_rows();
        let hint = || match self.offer(state) {
            Some(near) => {
                let moved = self
                    .initial_state()
                    .is_ok_and(|start| start.time != state.time);
                let time = match moved {
                    true => format!("t = {}, ", state.time.evaluate_f64(&[])),
                    false => String::new(),
                };
                format!(
                    "the nearest state on the constraints: --at \"{time}{near}\"; runs start there with --project"
                )
            }
            None => "choose a state on which the constraints hold".into(),
        };
        self.evaluate_system(
            &self.system(),
            self.split(),
            &rows,
            names.collect(),
            state,
            hint,
        )
    }

    /// Every quantity in another chart, at a state given in that chart. Entries that the text does
    /// not give come from the initial state, carried over; from 0 if there is none.
    pub fn evaluate_in_chart(&self, name: &str, text: &str) -> Result<Evaluation, Vec<Diagnostic>> {
        let chart = self.chart(name).map_err(|d| vec![d])?;
        let system = self.system();
        let (change, moved) = self.in_chart(&system, chart);
        let state = self.state_in_chart(name, text)?;
        let map = change.prolonged();
        let split = self
            .split()
            .map(|(t, v)| (map.pullback(&t), map.pullback(&v)));
        let rows = self.constraint_rows_in_chart(chart);
        let hint = || "choose a state on which the constraints hold".into();
        self.evaluate_system(
            &moved,
            split,
            &rows,
            chart.coordinates.clone(),
            &state,
            hint,
        )
    }

    /// A state of another chart, given in it. Entries that the text does not give come from the initial state, carried
    /// over; from 0 if there is none. Its time is that of the chart.
    ///
    /// # Errors
    /// Where there is no such chart, an entry is not one of a state, or the initial state is not in the chart.
    pub fn state_in_chart<'p>(
        &'p self,
        name: &str,
        text: &str,
    ) -> Result<State<'p>, Vec<Diagnostic>> {
        let chart = self.chart(name).map_err(|d| vec![d])?;
        let (change, _) = self.in_chart(&self.system(), chart);
        let pool = self.pool();
        let n = chart.symbols.len();
        let mut entries = Entries {
            time: self.initial_state()?.time - self.expr(chart.shift),
            position: vec![pool.zero(); n],
            velocity: vec![None; n],
            momentum: vec![None; n],
        };
        let ones = vec![pool.one(); n];
        let given = self.fill(&mut entries, text, &chart.coordinates, &ones, false)?;
        let zero = pool.zero();
        let mut state = State {
            time: entries.time,
            position: entries.position,
            velocity: (entries.velocity.iter())
                .map(|v| v.unwrap_or(zero))
                .collect(),
        };
        if given.iter().any(|g| !g) {
            self.carry_over(&change, chart, &given, &mut state)?;
        }
        Ok(state)
    }

    /// Puts the initial state into another chart, by Newton's method, where nothing was given.
    fn carry_over<'p>(
        &'p self,
        change: &galilei_mechanics::AdaptedChange<'p>,
        chart: &crate::contents::Chart<ExprId>,
        given: &[bool],
        state: &mut State<'p>,
    ) -> Result<(), Vec<Diagnostic>> {
        let c = self.contents();
        let declared = c
            .coordinates
            .iter()
            .any(|c| c.initial_position.is_some() || c.initial_velocity.is_some());
        if !declared {
            return Ok(());
        }
        let pool = self.pool();
        let (old, new) = (self.exprs(&chart.old), self.exprs(&chart.symbols));
        let n = new.len();
        let start = self.initial_state()?;
        let mut fixed = self.parameter_values()?;
        fixed.push((change.new_state().time(), state.time));
        let jacobian: Vec<Expr<'p>> = change.jacobian().rows().iter().flatten().copied().collect();
        let mut asked = old.clone();
        asked.extend(jacobian);
        let target = doubles(pool, &start.position, &[]);
        let target: Vec<f64> = target.into_iter().map(|x| x.unwrap_or(0.0)).collect();
        let failed = || {
            vec![Diagnostic::error(
                Code::ChartAtState,
                format!(
                    "the initial state could not be expressed in the chart `{}`",
                    chart.name
                ),
                "give every coordinate and velocity with --at",
                chart.span,
            )]
        };
        let at = |y: &[f64]| -> Option<Vec<f64>> {
            let mut values = fixed.clone();
            for (s, y) in new.iter().zip(y) {
                values.push((*s, pool.number(Rational::from_f64(*y)?)));
            }
            doubles(pool, &asked, &values).into_iter().collect()
        };
        let mut found = None;
        // Several initial guesses: charts such as polar coordinates are singular at some of them.
        for k in 0..12 {
            let mut y: Vec<f64> = (0..n)
                .map(|i| 1.0 + 0.37 * f64::from(k) - 0.61 * (i as f64) * f64::from(k % 5))
                .collect();
            for _ in 0..60 {
                let Some(values) = at(&y) else { break };
                let residual: Vec<f64> = (0..n).map(|i| target[i] - values[i]).collect();
                let rows: Vec<Vec<f64>> = (0..n)
                    .map(|i| values[n + i * n..n + (i + 1) * n].to_vec())
                    .collect();
                let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if size(&residual) <= 1e-14 * size(&target).max(1.0) {
                    found = Some(y.clone());
                    break;
                }
                let Ok(step) = solve(&rows, &residual) else {
                    break;
                };
                let scale = (1.0 / size(&step)).min(1.0);
                for i in 0..n {
                    y[i] += step[i] * if scale < 1.0 { scale } else { 1.0 };
                }
            }
            if found.is_some() {
                break;
            }
        }
        let y = found.ok_or_else(failed)?;
        for i in 0..n {
            if !given[i] {
                state.position[i] = pool.number(Rational::from_f64(y[i]).ok_or_else(failed)?);
            }
        }
        // The velocities: K·w = u − ∂X/∂t at the positions just found.
        let here: Vec<f64> = doubles(pool, &state.position, &[])
            .into_iter()
            .map(|x| x.unwrap_or(0.0))
            .collect();
        let values = at(&here).ok_or_else(failed)?;
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| values[n + i * n..n + (i + 1) * n].to_vec())
            .collect();
        let mut symbols = fixed.clone();
        symbols.extend(new.iter().copied().zip(state.position.iter().copied()));
        let drift: Vec<Expr<'p>> = old
            .iter()
            .map(|x| x.diff(change.new_state().time()))
            .collect();
        let drift = doubles(pool, &drift, &symbols);
        let u = doubles(pool, &start.velocity, &[]);
        let right: Vec<f64> = (0..n)
            .map(|i| u[i].unwrap_or(0.0) - drift[i].unwrap_or(0.0))
            .collect();
        let w = solve(&rows, &right).map_err(|_| failed())?;
        for i in 0..n {
            if !given[n + i] {
                state.velocity[i] = pool.number(Rational::from_f64(w[i]).ok_or_else(failed)?);
            }
        }
        Ok(())
    }

    fn evaluate_system<'p>(
        &'p self,
        system: &galilei_mechanics::System<'p>,
        split: Option<(Expr<'p>, Expr<'p>)>,
        rows: &[ConstraintRow<'p>],
        names: Vec<String>,
        state: &State<'p>,
        hint: impl Fn() -> String,
    ) -> Result<Evaluation, Vec<Diagnostic>> {
        let pool = self.pool();
        let space = system.state();
        let n = space.degrees_of_freedom();
        let (x, u) = (space.base().positions(), space.velocities());
        let l = system.lagrangian().function();
        let mut outputs: Vec<Expr<'_>> = Vec::new();
        outputs.extend(system.lagrangian().mass_matrix().rows().iter().flatten());
        outputs.extend(system.lagrangian().momenta());
        let force = system.total_force();
        outputs.extend(force.components());
        outputs.extend(system.lagrangian().right_hand_side(&force));
        outputs.extend(l.gradient(x));
        outputs.extend([l, system.lagrangian().energy(), system.energy_rate()]);
        let at_rest: Vec<(Expr<'_>, Expr<'_>)> = u.iter().map(|&u| (u, pool.zero())).collect();
        let resting = split.map(|(t, _)| pool.substitute_all(&t.gradient(u), &at_rest));
        if let (Some((t, v)), Some(resting)) = (split, &resting) {
            outputs.extend([t, v]);
            outputs.extend(resting);
        }
        for r in rows {
            outputs.extend(&r.row);
            outputs.extend(&r.covector);
            outputs.extend([r.drift, r.residual.unwrap_or(pool.zero())]);
        }
        if let Some(f) = undetermined(&outputs) {
            let d = Diagnostic::error(
                Code::UndeterminedFunction,
                format!("the function `{f}` is undetermined: there are no numbers"),
                format!("write `let {f}(…) = …` instead of `function {f}(…)`"),
                None,
            );
            return Err(vec![d]);
        }
        let mut values = self.parameter_values()?;
        values.push((space.time(), state.time));
        values.extend(x.iter().copied().zip(state.position.iter().copied()));
        values.extend(u.iter().copied().zip(state.velocity.iter().copied()));
        let problems = self.judge_state(rows, &values, "this state", hint);
        // In another chart symbols mean something else.
        let own = space == &self.state_space();
        let point = |d: Diagnostic| if own { self.at_culprit(d, &values) } else { d };
        if !problems.is_empty() {
            return Err(problems.into_iter().map(point).collect());
        }
        let numbers = doubles(pool, &outputs, &values);
        let here: Vec<Expr<'_>> = std::iter::once(space.time())
            .chain(x.iter().copied())
            .chain(u.iter().copied())
            .collect();
        let place = doubles(pool, &here, &values);
        if let Some(k) = numbers.iter().position(Option::is_none) {
            let d = Diagnostic::error(
                Code::NotDefinedAtState,
                format!("{} is not defined at this state", name_of(k, n)),
                "the state lies on a singularity of the chart or of a force",
                None,
            );
            return Err(vec![point(d)]);
        }
        let mut rest = numbers.into_iter().flatten();
        let mut take = |k: usize| rest.by_ref().take(k).collect::<Vec<f64>>();
        let mass_matrix: Vec<Vec<f64>> = (0..n).map(|_| take(n)).collect();
        let (momentum, force) = (take(n), take(n));
        let right = take(n);
        let slopes = take(n);
        let tail = take(3);
        let energies = split.map(|_| (take(2), take(n)));
        let numeric: Vec<Row> = (rows.iter())
            .map(|_| Row {
                row: take(n),
                covector: take(n),
                rest: take(2),
            })
            .collect();
        // [g −Cᵀ; J 0]·[a; λ] = [f; −d]
        let m = rows.len();
        let mut full: Vec<Vec<f64>> = mass_matrix.clone();
        let mut side = right.clone();
        for (i, line) in full.iter_mut().enumerate() {
            line.extend(numeric.iter().map(|r| 0.0 - r.covector[i]));
        }
        for r in &numeric {
            let none = std::iter::repeat_n(0.0, m);
            full.push(r.row.iter().copied().chain(none).collect());
            side.push(0.0 - r.rest[0]);
        }
        if m > 0 && solve(&full, &side).is_err() && solve(&mass_matrix, &right).is_ok() {
            if let Some(d) = self.cannot_enforce(" at this state") {
                return Err(vec![d]);
            }
            let d = Diagnostic::error(
                Code::ConstrainedDynamicsNotUnique,
                "the constraints do not determine the motion at this state",
                "this happens for indefinite kinetic energies only",
                None,
            );
            return Err(vec![d]);
        }
        let Ok(solution) = solve(&full, &side) else {
            let d = Diagnostic::error(
                Code::DegenerateLagrangianAtState,
                "the mass matrix ∂²L/∂u∂u is singular at this state: the accelerations are not determined",
                "choose another state or another chart",
                None,
            );
            return Err(vec![d]);
        };
        let (acceleration, multipliers) = (solution[..n].to_vec(), solution[n..].to_vec());
        let reaction: Vec<f64> = (0..n)
            .map(|i| {
                numeric
                    .iter()
                    .zip(&multipliers)
                    .map(|(r, l)| l * r.covector[i])
                    .sum::<f64>()
            })
            .collect();
        let residual = (rows.iter().zip(&numeric))
            .map(|(r, found)| match r.residual {
                Some(_) => found.rest[1],
                None => {
                    let products = found.row.iter().zip(&acceleration);
                    products.fold(found.rest[0], |sum, (j, a)| j.mul_add(*a, sum))
                }
            })
            .collect();
        let reference_field = match &energies {
            None => None,
            Some((_, slope)) => {
                let opposite: Vec<f64> = slope.iter().map(|s| 0.0 - s).collect();
                solve(&mass_matrix, &opposite).ok()
            }
        };
        let place: Vec<f64> = place.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        Ok(Evaluation {
            coordinates: names,
            time: place[0],
            position: place[1..=n].to_vec(),
            velocity: place[1 + n..].to_vec(),
            mass_matrix,
            reference_field,
            kinetic_energy: energies.as_ref().map(|e| e.0[0]),
            potential_energy: energies.as_ref().map(|e| e.0[1]),
            lagrangian: tail[0],
            hamiltonian: tail[1],
            momentum,
            momentum_rate: (0..n).map(|i| slopes[i] + force[i] + reaction[i]).collect(),
            force,
            acceleration,
            energy_rate: tail[2] + (0..n).map(|i| reaction[i] * place[1 + n + i]).sum::<f64>(),
            constraints: (m > 0).then(|| EvaluatedConstraints {
                names: rows.iter().map(|r| r.name.clone()).collect(),
                residual,
                multipliers: (rows.iter().zip(multipliers))
                    .map(|(r, l)| (r.enforcement != Enforcement::Connection).then_some(l))
                    .collect(),
                reaction,
            }),
        })
    }
}

/// A constraint in numbers.
struct Row {
    row: Vec<f64>,
    covector: Vec<f64>,
    /// The part without accelerations, and the residual.
    rest: Vec<f64>,
}

/// The name of a quantity, by its index.
fn name_of(k: usize, n: usize) -> &'static str {
    match k {
        _ if k < n * n => "the mass matrix",
        _ if k < n * n + n => "the momentum",
        _ if k < n * n + 2 * n => "the force",
        _ if k < n * n + 4 * n => "the equation of motion",
        _ => "the energy",
    }
}

/// The shortest decimal fraction that reads as a double, as a person would write it; `None` if it is not finite.
pub(crate) fn written(value: f64) -> Option<Rational> {
    format!("{value:e}").parse().ok()
}
