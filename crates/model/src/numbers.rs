//! Numbers: the model at given values of its parameters and one state.

use galilei_expr::{Expr, ExprId, Pool, Program, Rational, View};
use galilei_syntax::Kind;

use crate::code::Code;
use crate::constrained::ConstraintRow;
use crate::contents::Part;
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Model;
use crate::reader::Reader;

/// Pivots smaller than this, relative to the largest entry of their column, are zero.
const SMALLEST_PIVOT: f64 = 1e-13;

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
    /// fᵃ
    pub residual: Vec<f64>,
    /// λ_a, which multiply ∂fᵃ/∂uⁱ, or ∂fᵃ/∂xⁱ between positions.
    pub multipliers: Vec<f64>,
    /// λ_a∂fᵃ/∂uⁱ
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
            View::Undetermined { function, .. } => return Some(function.name().to_owned()),
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

    /// The state a run starts from: `initial`, then 0; time from `simulate from`, then 0.
    pub fn initial_state<'p>(&'p self) -> Result<State<'p>, Vec<Diagnostic>> {
        let values = self.parameter_values()?;
        let c = self.contents();
        let zero = self.pool().zero();
        let value = |id: Option<ExprId>| id.map_or(zero, |id| self.expr(id).substitute(&values));
        Ok(State {
            time: value(c.run.from),
            position: c
                .coordinates
                .iter()
                .map(|c| value(c.initial_position))
                .collect(),
            velocity: c
                .coordinates
                .iter()
                .map(|c| value(c.initial_velocity))
                .collect(),
        })
    }

    /// The initial state with the entries of `"t=0.5, theta=0.1, theta'=-2"` put in. Bare numbers
    /// take the unit of their coordinate.
    pub fn state_at(&self, text: &str) -> Result<State<'_>, Vec<Diagnostic>> {
        let mut state = self.initial_state()?;
        self.fill_own(&mut state, text)?;
        Ok(state)
    }

    /// Puts entries into a state of the model's own chart; which positions, then velocities, were given.
    pub(crate) fn fill_own<'p>(
        &'p self,
        state: &mut State<'p>,
        text: &str,
    ) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let c = self.contents();
        let names: Vec<String> = c.coordinates.iter().map(|c| c.name.clone()).collect();
        let scales: Vec<Expr<'_>> = c.coordinates.iter().map(|c| self.expr(c.scale)).collect();
        self.fill(state, text, &names, &scales)
    }

    /// The positions that `"theta=0.1, q[1]=3"` gives, in SI units; velocities and times are refused.
    ///
    /// # Errors
    /// Where the text cannot be read or names something else.
    pub fn positions_at(&self, text: &str) -> Result<Vec<Option<f64>>, Vec<Diagnostic>> {
        let mut state = self.initial_state()?;
        let c = self.contents();
        let names: Vec<String> = c.coordinates.iter().map(|c| c.name.clone()).collect();
        let scales: Vec<Expr<'_>> = c.coordinates.iter().map(|c| self.expr(c.scale)).collect();
        let time = state.time;
        let given = self.fill(&mut state, text, &names, &scales)?;
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
        state: &mut State<'p>,
        text: &str,
        names: &[String],
        scales: &[Expr<'p>],
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
            let (target, velocity) = match &a.target.kind {
                galilei_syntax::ExpressionKind::Prime(inner, 1) => (&**inner, true),
                _ => (&a.target, false),
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
            if name == "t" && !velocity {
                state.time = value;
                continue;
            }
            match names.iter().position(|n| *n == name) {
                Some(k) if velocity => {
                    given[names.len() + k] = true;
                    state.velocity[k] = value * scales[k];
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
        let pool = self.pool();
        let n = chart.symbols.len();
        let mut state = State {
            time: self.initial_state()?.time,
            position: vec![pool.zero(); n],
            velocity: vec![pool.zero(); n],
        };
        let ones = vec![pool.one(); n];
        let given = self.fill(&mut state, text, &chart.coordinates, &ones)?;
        if given.iter().any(|g| !g) {
            self.carry_over(&change, chart, &given, &mut state)?;
        }
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
                let Some(step) = solve(&rows, &residual) else {
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
        let w = solve(&rows, &right).ok_or_else(failed)?;
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
            outputs.extend([r.drift, r.residual]);
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
        let numeric: Vec<(Vec<f64>, Vec<f64>)> = rows.iter().map(|_| (take(n), take(2))).collect();
        // [g −Jᵀ; J 0]·[a; λ] = [f; −d]
        let m = rows.len();
        let mut full: Vec<Vec<f64>> = mass_matrix.clone();
        let mut side = right.clone();
        for (i, line) in full.iter_mut().enumerate() {
            line.extend(numeric.iter().map(|(row, _)| 0.0 - row[i]));
        }
        for (row, rest) in &numeric {
            full.push(
                row.iter()
                    .copied()
                    .chain(std::iter::repeat_n(0.0, m))
                    .collect(),
            );
            side.push(0.0 - rest[0]);
        }
        if m > 0 && solve(&full, &side).is_none() && solve(&mass_matrix, &right).is_some() {
            let d = Diagnostic::error(
                Code::ConstrainedDynamicsNotUnique,
                "the constraints do not determine the motion at this state",
                "this happens for indefinite kinetic energies only",
                None,
            );
            return Err(vec![d]);
        }
        let Some(solution) = solve(&full, &side) else {
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
                    .map(|((row, _), l)| l * row[i])
                    .sum::<f64>()
            })
            .collect();
        let reference_field = match &energies {
            None => None,
            Some((_, slope)) => solve(
                &mass_matrix,
                &slope.iter().map(|s| 0.0 - s).collect::<Vec<_>>(),
            ),
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
                residual: numeric.iter().map(|(_, rest)| rest[1]).collect(),
                multipliers,
                reaction,
            }),
        })
    }
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

/// The solution of a linear system by elimination with partial pivoting and one refinement;
/// `None` if the matrix is singular.
pub fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let mut a = matrix.to_vec();
    let scale: Vec<f64> = (0..n)
        .map(|j| a.iter().map(|row| row[j].abs()).fold(0.0, f64::max))
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[p][k].abs().partial_cmp(&(SMALLEST_PIVOT * scale[k]))
            != Some(std::cmp::Ordering::Greater)
        {
            return None;
        }
        a.swap(p, k);
        order.swap(p, k);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            a[i][k] = factor;
            if factor != 0.0 {
                for j in k + 1..n {
                    let t = a[k][j];
                    a[i][j] = (-factor).mul_add(t, a[i][j]);
                }
            }
        }
    }
    let sweep = |b: &[f64]| {
        let mut y: Vec<f64> = order.iter().map(|&i| b[i]).collect();
        for i in 0..n {
            for j in 0..i {
                y[i] = (-a[i][j]).mul_add(y[j], y[i]);
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                y[i] = (-a[i][j]).mul_add(y[j], y[i]);
            }
            y[i] /= a[i][i];
        }
        y
    };
    let mut x = sweep(right);
    let residual: Vec<f64> = (0..n)
        .map(|i| (0..n).fold(right[i], |r, j| (-matrix[i][j]).mul_add(x[j], r)))
        .collect();
    for (x, d) in x.iter_mut().zip(sweep(&residual)) {
        *x += d;
    }
    // No negative zeros.
    x.iter_mut().for_each(|v| *v += 0.0);
    Some(x)
}
