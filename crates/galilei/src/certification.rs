//! Certified runs: enclosures of a motion.

use galilei_certify::{CERTIFIED_TOLERANCE, Certificate, ChartChange, Range, Settings, certify};
use galilei_expr::{Enclosures, Expr, Interval, Program, Rational};
use galilei_model::{Code, Diagnostic, NamedRange, Ranges, TOLERANCES, refused};

use crate::error::Error;
use crate::model::Model;
use crate::motion::missing_end;
use crate::settings::{Observer, Progress, report, setters};

/// The tolerance of the run in doubles that says where charts are changed.
const GUIDING_TOLERANCE: f64 = 1e-10;

/// Settings of a certified run of a model, then [`run`](Self::run). Made by [`Model::certify`].
///
/// ```
/// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n")?;
/// let found = model.certify().to(2.0).run()?;
/// let [low, high] = found.position[0];
/// assert!(found.certified && low <= 2f64.cos() && 2f64.cos() <= high && high - low < 1e-15);
/// // All motions from an interval of starts.
/// let found = model.certify().at("x in 0.9..1.1").to(2.0).run()?;
/// let [low, high] = found.position[0];
/// assert!(low <= 1.1 * 2f64.cos() && 0.9 * 2f64.cos() <= high);
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct Certification<'a> {
    model: &'a Model,
    from: Option<f64>,
    to: Option<f64>,
    tolerance: Option<f64>,
    at: String,
    parameters: Vec<NamedRange>,
    observer: Option<Observer<'a>>,
}

impl Model {
    /// An enclosure of the motion: choose settings, then call [`run`](Certification::run).
    pub fn certify(&self) -> Certification<'_> {
        Certification {
            model: self,
            from: None,
            to: None,
            tolerance: None,
            at: String::new(),
            parameters: vec![],
            observer: None,
        }
    }
}

/// The shortest decimal number that reads as a double, exactly: 1/10 for 0.1.
pub(crate) fn decimal(x: f64) -> Option<Rational> {
    format!("{x:e}").parse().ok()
}

impl<'a> Certification<'a> {
    setters! {
        /// The time at which the run starts: the shortest decimal that reads as this double. `None` keeps that of the file,
        /// or 0.
        from(from: impl Into<Option<f64>>) => from = from.into();

        /// The time at which the run ends: the shortest decimal that reads as this double. `None` keeps that of the file.
        to(to: impl Into<Option<f64>>) => to = to.into();

        /// The bound of the rest of the series of a step, relative to the state; `None` is [`CERTIFIED_TOLERANCE`].
        tolerance(tolerance: impl Into<Option<f64>>) => tolerance = tolerance.into();

        /// The start, `"theta in 0.99..1.01, theta'=2"`; entries that are not given are those of the file.
        at(state: impl Into<String>) => at = state.into();

        /// Parameters that lie in intervals, `"m in 1..1.1"`, in their units.
        parameters(ranges: impl IntoIterator<Item = NamedRange>)
            => parameters = ranges.into_iter().collect();

        /// A function that is called from time to time with the progress of the run; it returns whether to go on.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Makes the run. A motion that cannot be enclosed to the end is returned up to where it was: see
    /// [`Certificate::certified`].
    ///
    /// # Errors
    /// Where the model or the settings have something that cannot be enclosed.
    pub fn run(mut self) -> Result<Certificate, Error> {
        let mut observer = self.observer.take();
        // Ready-made manifolds are followed from the chart that has the start, in which its entries are then read.
        let model = self.model.facing(&Ranges::of(&self.at).low);
        let mut settings = self.settings(&model).map_err(|e| self.model.error(e))?;
        settings.charts = self.changes();
        let ends = [settings.from, settings.to].map(|e| e.evaluate_f64(&[]));
        let mut progress = |time: f64| report(&mut observer, time, ends);
        let found = certify(&model, &settings, &mut progress);
        found.map_err(|e| self.model.error(e))
    }

    /// The settings in exact numbers.
    fn settings<'m>(
        &self,
        model: &'m galilei_model::Model,
    ) -> Result<Settings<'m>, Vec<Diagnostic>> {
        let contents = model.contents();
        let tolerance = self.tolerance.unwrap_or(CERTIFIED_TOLERANCE);
        if !TOLERANCES.contains(&tolerance) {
            return Err(refused(
                Code::WrongSetting,
                format!("`tolerance` is {tolerance:?}"),
                "it is a relative error: below 1, and not below 1e-18",
            ));
        }
        let mut parameters = vec![];
        for range in &self.parameters {
            let (symbol, [low, high]) = model.parameter_range(range)?;
            if parameters
                .iter()
                .any(|p: &(Expr<'m>, Range<'m>)| p.0 == symbol)
            {
                return Err(refused(
                    Code::WrongSetting,
                    format!("`{}` is set twice", range.name),
                    "keep one",
                ));
            }
            parameters.push((symbol, Range { low, high }));
        }
        let symbols: Vec<Expr<'m>> = parameters.iter().map(|p| p.0).collect();
        let values = model.values_but(&symbols)?;
        let time = |x: f64| {
            let q = decimal(x).filter(|_| x.is_finite());
            q.map(|q| model.pool().number(q)).ok_or_else(|| {
                refused(
                    Code::WrongSetting,
                    format!("a time is {x}"),
                    "times are finite",
                )
            })
        };
        let to = match (self.to, contents.run.to) {
            (Some(to), _) => time(to)?,
            (None, Some(to)) => model.expr(to).substitute(&values),
            (None, None) => {
                return Err(missing_end());
            }
        };
        let from = self.from.map(time).transpose()?;
        let ranges = Ranges::of(&self.at);
        let state = |text: &str| -> Result<(Expr<'m>, Vec<Expr<'m>>), Vec<Diagnostic>> {
            let moved = model.starting_here(text)?;
            let state = match from {
                Some(from) => moved.initial_state_from(moved.expr(from.id()))?,
                None => moved.initial_state()?,
            };
            let entries = state.position.iter().chain(&state.velocity);
            let entries = entries.map(|e| model.expr(e.id())).collect();
            Ok((model.expr(state.time.id()), entries))
        };
        let (from, lows) = state(&ranges.low)?;
        let highs = state(&ranges.high)?.1;
        let names = contents.coordinates.iter().map(|c| c.name.clone());
        let primes = contents.coordinates.iter().map(|c| format!("{}'", c.name));
        let names: Vec<String> = names.chain(primes).collect();
        let mut start = vec![];
        for ((name, low), high) in names.iter().zip(lows).zip(highs) {
            let given = ranges.ranges.iter().any(|r| r.name == *name);
            if low != high && !given {
                return Err(refused(
                    Code::NotAvailable,
                    format!("`{name}` at the start follows from entries that are intervals"),
                    "give it, too",
                ));
            }
            start.push(Range { low, high });
        }
        if let Some(r) = ranges.ranges.iter().find(|r| !names.contains(&r.name)) {
            return Err(refused(
                Code::NotAvailable,
                format!("`{}` cannot be an interval at the start", r.name),
                "intervals are those of positions and velocities",
            ));
        }
        self.follow_parameters(model, &symbols, &parameters, &values, (&names, &mut start))?;
        for (what, e) in [("start", from), ("end", to)] {
            if e.contains_any(&symbols)
                || contents.run.from.is_some_and(|f| {
                    self.from.is_none() && model.expr(f).substitute(&values).contains_any(&symbols)
                })
            {
                return Err(refused(
                    Code::NotAvailable,
                    format!("the {what} of the run depends on a parameter that is an interval"),
                    "give --from and --to as numbers",
                ));
            }
        }
        Ok(Settings {
            from,
            to,
            start,
            parameters,
            tolerance,
            charts: vec![],
        })
    }

    /// Where the run in doubles from the lower ends of all intervals changes its chart.
    fn changes(&self) -> Vec<ChartChange> {
        let model: &galilei_model::Model = self.model;
        if model.atlas().is_empty() && model.manifolds().is_empty() {
            return vec![];
        }
        let start = Ranges::of(&self.at).low;
        let run = self.model.starting_at(&start).and_then(|moved| {
            let run = moved.simulate().from(self.from).to(self.to);
            run.tolerance(GUIDING_TOLERANCE).run()
        });
        let pieces = run.map_or(vec![], |motion| motion.run.pieces);
        let start = pieces
            .first()
            .filter(|p| p.chart != 0)
            .map(|p| ChartChange {
                time: p.from,
                chart: p.chart,
            });
        let later = pieces.iter().skip(1).map(|p| ChartChange {
            time: p.from,
            chart: p.chart,
        });
        start.into_iter().chain(later).collect()
    }

    /// Entries of the start that depend on parameters which are intervals.
    fn follow_parameters<'m>(
        &self,
        model: &'m galilei_model::Model,
        symbols: &[Expr<'m>],
        parameters: &[(Expr<'m>, Range<'m>)],
        values: &[(Expr<'m>, Expr<'m>)],
        (names, start): (&[String], &mut [Range<'m>]),
    ) -> Result<(), Vec<Diagnostic>> {
        if symbols.is_empty() {
            return Ok(());
        }
        let contents = model.contents();
        let momenta = contents.hamiltonian.as_ref();
        let by_momenta = momenta.is_some_and(|h| h.initial.iter().any(Option::is_some));
        if by_momenta || !contents.initial_rates.solved.is_empty() {
            return Err(refused(
                Code::NotAvailable,
                "velocities at the start that follow from momenta or from the motion of bodies cannot be enclosed for intervals of parameters",
                "give the velocities themselves",
            ));
        }
        let given: Vec<String> = Ranges::of(&self.at)
            .low
            .split(',')
            .filter_map(|e| e.split_once('=').map(|(name, _)| name.trim().to_owned()))
            .collect();
        let n = contents.coordinates.len();
        let mut boxes = vec![];
        for (symbol, range) in parameters {
            let ends = [range.low, range.high].map(|e| enclosed(e, &[], &[]));
            let [Some(low), Some(high)] = ends else {
                return Err(refused(
                    Code::WrongSetting,
                    format!("`{symbol}` is not finite"),
                    "give a number",
                ));
            };
            boxes.push(low.hull(high));
        }
        for (k, entry) in start.iter_mut().enumerate() {
            let c = &contents.coordinates[k % n];
            let id = if k < n {
                c.initial_position
            } else {
                c.initial_velocity
            };
            let Some(id) = id.filter(|_| !given.contains(&names[k])) else {
                continue;
            };
            let value = model.expr(id).substitute(values);
            if !value.contains_any(symbols) {
                continue;
            }
            let Some(x) = enclosed(value, symbols, &boxes) else {
                return Err(refused(
                    Code::WrongSetting,
                    format!(
                        "`{}` at the start is not defined for all values of the parameters",
                        names[k]
                    ),
                    "make the intervals smaller",
                ));
            };
            let number = |x: f64| Rational::from_f64(x).map(|q| model.pool().number(q));
            if let (Some(low), Some(high)) = (number(x.low()), number(x.high())) {
                *entry = Range { low, high };
            }
        }
        Ok(())
    }
}

/// The enclosure of an expression for intervals of its symbols.
fn enclosed(e: Expr<'_>, symbols: &[Expr<'_>], boxes: &[Interval]) -> Option<Interval> {
    let program = Program::new(&[e], symbols).ok()?;
    let value = program.run(&mut Enclosures::new(), boxes);
    let value = value.into_iter().next()?.ok()?;
    value.is_finite().then_some(value)
}
