//! States: time, positions and velocities of a model, as a text gives them.

use galilei_expr::{Expr, ExprId, Rational};
use galilei_linear::solve;
use galilei_mechanics::AdaptedChange;
use galilei_syntax::{ExpressionKind, Kind};

use crate::axes::Target;
use crate::code::Code;
use crate::contents::{Chart, Coordinate};
use crate::diagnostic::{Diagnostic, nearest, refused};
use crate::model::Model;
use crate::momenta::Start;
use crate::numbers::{doubles, written};
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

impl Model {
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
        let velocity = |c: &Coordinate<ExprId>| match by_momenta {
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
            return Err(refused(
                Code::InvalidState,
                "only positions can be given here",
                "times are given with --from and --to; velocities follow",
            ));
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
        change: &AdaptedChange<'p>,
        chart: &Chart<ExprId>,
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
}
