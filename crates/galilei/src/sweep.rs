//! Many runs of one model: samples and grids over initial values and parameters.

mod growth;
mod sample;
mod team;

use galilei_expr::{Expr, ExprId, Rational};
use galilei_integrate::{Ensemble, Error as RunError, Method, Options, Run, Start, Status};
use galilei_lower::{Form, Stopwatch};
use galilei_model::{Axis, Code, Diagnostic, Model, Target, refused};
use galilei_tape::{Builder, Tape};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::motion::Plan;
use crate::settings::{RunSettings, setters, shared_setters};
use growth::Growth;
use sample::Points;

/// Settings of a sweep, then [`build`](Self::build) and [`Sweep::run`]. Made by
/// [`Model::sweep`](crate::Model::sweep).
///
/// ```
/// use galilei::Model;
/// let text = "param k = 1\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n\
///             initial x = 1\nsimulate to pi\n";
/// let sweep = Model::parse(text)?.sweep().grid("k in [1, 4, 9]").build()?;
/// let x = sweep.columns().iter().position(|c| c == "x").unwrap();
/// let mut last = vec![];
/// sweep.run(|_| false, |block| { last.extend(block.rows.iter().map(|row| row[x])); true });
/// // x = cos(√k·π)
/// assert!(last.iter().zip([-1.0, 1.0, -1.0]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-12));
/// # Ok::<(), galilei::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SweepBuilder<'a> {
    model: &'a crate::Model,
    run: RunSettings,
    sample: Option<u64>,
    seed: u64,
    vary: Vec<String>,
    grid: Vec<String>,
    shard: Option<(u64, u64)>,
    threads: Option<usize>,
    lanes: Option<usize>,
    exponents: Option<usize>,
}

impl<'a> SweepBuilder<'a> {
    shared_setters!(run);

    pub(crate) fn new(model: &'a crate::Model) -> Self {
        Self {
            model,
            run: RunSettings::new(),
            sample: None,
            seed: 0,
            vary: vec![],
            grid: vec![],
            shard: None,
            threads: None,
            lanes: None,
            exponents: None,
        }
    }

    setters! {
        /// The number of Lyapunov exponents that are found along each run, the largest ones, for maps of chaos. `None` finds
        /// none. Events do not end such runs. Models without constraints, contacts and piecewise functions go in lanes, others
        /// one by one.
        ///
        /// ```
        /// use galilei::Model;
        /// let text = "param k = 1\ncoord x\nkinetic: x'^2/2\npotential: -k*x^2/2\nsimulate to 40\n";
        /// let sweep = Model::parse(text)?.sweep().grid("k in [1, 4]").lyapunov(1).build()?;
        /// let column = sweep.columns().iter().position(|c| c == "lyapunov[1]").unwrap();
        /// let mut found = vec![];
        /// sweep.run(|_| false, |block| { found.extend(block.rows.iter().map(|r| r[column])); true });
        /// assert!((found[0] - 1.0).abs() < 1e-3 && (found[1] - 2.0).abs() < 1e-3);
        /// # Ok::<(), galilei::Error>(())
        /// ```
        lyapunov(count: impl Into<Option<usize>>) => exponents = count.into();

        /// The number of samples that are drawn at each point of the grid.
        sample(count: impl Into<Option<u64>>) => sample = count.into();

        /// The seed of the samples; equal seeds give equal samples.
        seed(seed: u64) => seed = seed;
    }

    /// Initial values and parameters that are drawn between two numbers: `"theta in -1..1, m in 0.9..1.1"`.
    #[must_use]
    pub fn vary(mut self, ranges: impl Into<String>) -> Self {
        self.vary.push(ranges.into());
        self
    }

    /// Initial values and parameters that are taken in all combinations: `"a in 0..1 by 0.1, b in [1, 2, 5]"`.
    #[must_use]
    pub fn grid(mut self, axes: impl Into<String>) -> Self {
        self.grid.push(axes.into());
        self
    }

    /// Several texts of ranges, as [`vary`](Self::vary) takes one.
    #[must_use]
    pub fn vary_all(mut self, ranges: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.vary.extend(ranges.into_iter().map(Into::into));
        self
    }

    /// Several texts of axes, as [`grid`](Self::grid) takes one.
    #[must_use]
    pub fn grid_all(mut self, axes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.grid.extend(axes.into_iter().map(Into::into));
        self
    }

    setters! {
        /// The part of the sweep that is computed and the number of parts, from 1: `(1, 4)` to `(4, 4)`. `None` computes
        /// all.
        shard(shard: impl Into<Option<(u64, u64)>>) => shard = shard.into();

        /// The number of threads; `None` takes all cores.
        threads(threads: impl Into<Option<usize>>) => threads = threads.into();

        /// The number of lanes in a thread, 1, 4 or 8; `None` uses what the processor offers. Methods other than `taylor`
        /// and `dop853` make one run after the other, and so does `dop853` on manifolds with several charts.
        lanes(lanes: impl Into<Option<usize>>) => lanes = lanes.into();
    }

    /// Compiles the model for the sweep.
    ///
    /// # Errors
    /// Where something that is varied is unknown, nothing is, or a run is not possible.
    pub fn build(self) -> Result<Sweep, Error> {
        let mut sweep = Sweep::new(self.model, &self).map_err(|e| self.model.error(e))?;
        let alone = sweep.growth.as_ref().is_some_and(|g| !g.in_lanes);
        if !sweep.compiled.charts().is_empty() || alone {
            sweep.anew = Some(self.model.clone());
        }
        Ok(sweep)
    }
}

/// The number of motions in a [`Block`], except for the first and the last.
pub const BLOCK: u64 = 256;
/// The largest number of runs of a sweep.
const MAX_RUNS: u64 = 1 << 40;

/// A sweep that is ready to be computed. Made by [`SweepBuilder::build`].
pub struct Sweep {
    points: Points,
    compiled: Compiled,
    starts: Starts,
    method: Method,
    options: Options,
    accept_balance: bool,
    lanes: usize,
    threads: usize,
    range: std::ops::Range<u64>,
    total: u64,
    constrained: bool,
    /// A model whose runs go through several charts: its equations are derived for each set of parameters, so that its
    /// runs are those of single runs bit for bit.
    anew: Option<crate::Model>,
    /// Lyapunov exponents along the runs.
    growth: Option<Growth>,
    /// The coordinates of the model itself.
    coordinates: usize,
}

/// The starts of runs as functions of the varied parameters.
struct Starts {
    /// Outputs x, u, from, to.
    tape: Tape,
    from: Option<f64>,
    to: Option<f64>,
    project: bool,
    dimension: usize,
}

/// A block of motions of a sweep with consecutive numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The number of the block.
    pub number: u64,
    /// One row for each motion; see [`Sweep::columns`].
    pub rows: Vec<Vec<f64>>,
    /// One row for each event; see [`Sweep::event_columns`].
    pub events: Vec<Vec<f64>>,
    /// The numbers of the motions that failed, with the reasons.
    pub failures: Vec<(u64, RunError)>,
}

/// Refuses settings that would have no effect.
fn possible(settings: &SweepBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    if settings.run.every.is_some() {
        return Err(refused(
            Code::WrongSetting,
            "a sweep keeps the ends of its runs, not states on the way: `every` has no effect",
            "leave --every out; `simulate` records a run, events record moments",
        ));
    }
    if settings.threads == Some(0) {
        return Err(refused(
            Code::WrongSetting,
            "no thread would compute the runs",
            "give --threads 1 or more, or leave it out: all cores",
        ));
    }
    Ok(())
}

impl Points {
    fn new(model: &Model, settings: &SweepBuilder<'_>) -> Result<Self, Vec<Diagnostic>> {
        let (mut points, mut errors) = (Self::default(), Vec::new());
        let kinds: [(&[String], bool); 2] = [(&settings.grid, true), (&settings.vary, false)];
        for (texts, grid) in kinds {
            for text in texts {
                let axes = if grid {
                    model.grid(text)
                } else {
                    model.ranges(text)
                };
                match (axes, grid) {
                    (Ok(axes), true) => points.grid.extend(axes),
                    (Ok(axes), false) => points.ranges.extend(axes),
                    (Err(found), _) => errors.extend(found),
                }
            }
        }
        let axes: Vec<&Axis> = points.axes().collect();
        for (k, axis) in axes.iter().enumerate() {
            if axes[..k].iter().any(|a| a.name == axis.name) {
                let message = format!("`{}` is varied twice", axis.name);
                errors.extend(refused(Code::InvalidAxis, message, "keep one"));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        if points.ranges.is_empty() && points.grid.is_empty() {
            return Err(refused(
                Code::NothingVaried,
                "nothing is varied: all runs would be the same",
                "give --vary \"theta in -1..1\" with --sample 1000, or --grid \"m in [1, 2, 5]\"",
            ));
        }
        points.samples = match (settings.sample, points.ranges.is_empty()) {
            (Some(0), _) => {
                return Err(refused(
                    Code::WrongSetting,
                    "no sample is drawn",
                    "give --sample 1000",
                ));
            }
            (None, false) => {
                return Err(refused(
                    Code::MissingSample,
                    "it is not said how many samples are drawn",
                    "give --sample 1000, or take the product of some values with --grid",
                ));
            }
            (Some(_), true) => {
                return Err(refused(
                    Code::NothingVaried,
                    "samples are asked for, but nothing is varied at random",
                    "give --vary \"theta in -1..1\", or leave --sample out",
                ));
            }
            (sample, _) => sample.unwrap_or(1),
        };
        points.seed = settings.seed;
        Ok(points)
    }
}

impl Starts {
    fn new<'p>(
        model: &'p Model,
        kept: &[Expr<'p>],
        points: &Points,
        settings: &RunSettings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let values = model.values_but(kept)?;
        let zero = model.pool().zero();
        let value = |id: Option<ExprId>| id.map_or(zero, |id| model.expr(id));
        let places = contents.coordinates.iter().map(|c| c.initial_position);
        let ends = [contents.run.from, contents.run.to];
        // Initial values that vary are inputs: velocities may follow from momenta, at that place.
        let free: Vec<Target> = points.axes().map(|a| a.target).collect();
        let from = settings.from.and_then(Rational::from_f64);
        let speeds = model.start_velocities(&free, from.map(|t| model.pool().number(t)))?;
        let symbol = |target: &Target| match *target {
            Target::Position(k) => Some(model.positions()[k]),
            Target::Velocity(k) => Some(model.velocities()[k]),
            Target::Momentum(k) => Some(model.given_hamiltonian()?.momenta[k]),
            Target::Parameter(_) => None,
        };
        let inputs: Vec<Expr<'p>> =
            (kept.iter().copied().chain(free.iter().filter_map(symbol))).collect();
        let mut builder = Builder::new(&inputs);
        let registers: Result<Vec<_>, _> = (places.map(value))
            .chain(speeds)
            .chain(ends.map(value))
            .map(|e| builder.expr(e.substitute(&values)))
            .collect();
        let registers = registers.map_err(|why| {
            refused(
                Code::NotFinite,
                format!("the start has no numbers: {why}"),
                "check the `initial` statements",
            )
        })?;
        Ok(Self {
            tape: builder.finish(registers),
            from: settings.from,
            to: settings.to,
            project: settings.project,
            dimension: contents.coordinates.len(),
        })
    }

    /// The start of a motion from the values on all axes.
    fn at(&self, number: u64, points: &Points, values: &[f64]) -> Start {
        let n = self.dimension;
        let axes = || points.axes().zip(values);
        let fixed: Vec<f64> = axes()
            .filter(|(a, _)| matches!(a.target, Target::Parameter(_)))
            .map(|(_, v)| *v)
            .collect();
        let free = axes().filter(|(a, _)| !matches!(a.target, Target::Parameter(_)));
        let inputs: Vec<f64> = (fixed.iter().copied())
            .chain(free.map(|(_, v)| *v))
            .collect();
        let mut state = self.tape.run(&inputs, &[]);
        let to = self.to.unwrap_or(state[2 * n + 1]);
        let from = self.from.unwrap_or(state[2 * n]);
        state.truncate(2 * n);
        for (axis, v) in axes() {
            match axis.target {
                Target::Position(k) => state[k] = *v,
                Target::Velocity(_) | Target::Momentum(_) | Target::Parameter(_) => {}
            }
        }
        Start {
            number,
            from,
            to,
            state,
            fixed,
            project: self.project,
        }
    }
}

impl Sweep {
    fn new(model: &Model, settings: &SweepBuilder<'_>) -> Result<Self, Vec<Diagnostic>> {
        possible(settings)?;
        let mut points = Points::new(model, settings)?;
        let plan = Plan::new(model, &settings.run.clone().project(false))?;
        let growth = match settings.exponents {
            None => None,
            Some(count) => Some(Growth::new(model, count, &plan)?),
        };
        let lanes = growth.as_ref().filter(|g| g.in_lanes);
        if let Some(above) = lanes.and_then(|g| model.with_nearby_motions(g.count)) {
            return Self::with((&above, model), points, plan, settings, growth);
        }
        if !model.is_implicit() {
            return Self::with((model, model), points, plan, settings, growth);
        }
        // Motions of a Hamiltonian without a closed Legendre transform are followed in (x, p).
        let above = model.on_phase_space().map_err(|why| vec![why])?;
        points.move_to_phase_space(model.contents().coordinates.len())?;
        Self::with((&above, &above), points, plan, settings, growth)
    }

    /// A sweep of a model, which may hold more coordinates than the model itself.
    fn with(
        (model, own): (&Model, &Model),
        points: Points,
        plan: Plan,
        settings: &SweepBuilder<'_>,
        growth: Option<Growth>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let total = points
            .count()
            .filter(|count| *count <= MAX_RUNS)
            .ok_or_else(|| {
                refused(
                    Code::WrongSetting,
                    "these are more than 10¹² runs",
                    "take fewer values on some axis",
                )
            })?;
        let range = match settings.shard {
            None => 0..total,
            Some((i, n)) if 1 <= i && i <= n => {
                let end = |i: u64| (u128::from(total) * u128::from(i) / u128::from(n)) as u64;
                end(i - 1)..end(i)
            }
            Some((i, n)) => {
                return Err(refused(
                    Code::WrongSetting,
                    format!("there is no part {i} of {n}"),
                    "parts are counted from 1: --shard 1/4 to --shard 4/4",
                ));
            }
        };
        let parameters = &model.contents().parameters;
        let kept: Vec<Expr<'_>> = points
            .parameters()
            .into_iter()
            .map(|k| model.expr(parameters[k].symbol))
            .collect();
        let lanes = settings.lanes.unwrap_or_else(Ensemble::widest);
        if ![1, 4, 8].contains(&lanes) {
            return Err(refused(
                Code::WrongSetting,
                format!("{lanes} runs side by side are not possible"),
                "give --lanes 1, 4 or 8, or leave it out",
            ));
        }
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let compiled = Compiled::with_inputs(model, &kept)?;
        Ok(Self {
            starts: Starts::new(model, &kept, &points, &settings.run)?,
            points,
            method: plan.method,
            lanes: match plan.method {
                // The lanes of charts are for series.
                Method::Dop853 if !compiled.charts().is_empty() => 1,
                _ if growth.as_ref().is_some_and(|g| !g.in_lanes) => 1,
                method if method.has_lanes() && !model.has_contacts() => lanes,
                _ => 1,
            },
            compiled,
            accept_balance: plan.accept_balance,
            options: plan.options,
            threads: settings.threads.unwrap_or(cores),
            range,
            total,
            constrained: !model.constraint_rows().is_empty(),
            anew: None,
            growth,
            coordinates: own.contents().coordinates.len(),
        })
    }

    /// The number of runs of the whole sweep.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The numbers of the runs that are computed: all, or those of a shard.
    pub fn range(&self) -> std::ops::Range<u64> {
        self.range.clone()
    }

    /// The blocks that contain the runs of [`Self::range`].
    pub fn blocks(&self) -> std::ops::Range<u64> {
        match self.range.is_empty() {
            true => 0..0,
            false => self.range.start / BLOCK..self.range.end.div_ceil(BLOCK),
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The number of lanes in a thread.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The method.
    pub fn method(&self) -> &'static str {
        self.method.name()
    }

    /// The tolerance.
    pub fn tolerance(&self) -> f64 {
        self.options.tolerance
    }

    /// The names of the columns: the number of the run, the varied quantities (in SI units; `x(0)` for initial
    /// values), the status (0 finished, 1 ended by an event, 2 failed), the time, positions, velocities and outputs
    /// at the end, steps, the energy balance, with constraints their residual, and Lyapunov exponents with their standard
    /// errors.
    pub fn columns(&self) -> Vec<String> {
        let c = self.compiled.lowered();
        let coordinates = &c.coordinates[..self.coordinates];
        let mut columns = vec!["run".to_owned()];
        columns.extend(self.points.axes().map(|a| match a.target {
            Target::Parameter(_) => a.name.clone(),
            _ => format!("{}(0)", a.name),
        }));
        columns.extend(["status".to_owned(), "t".to_owned()]);
        columns.extend(coordinates.iter().cloned());
        columns.extend(coordinates.iter().map(|c| format!("{c}'")));
        columns.extend(c.output_names.iter().cloned());
        columns.extend(["steps".to_owned(), "energy_balance".to_owned()]);
        if self.constrained {
            columns.push("constraint_residual".to_owned());
        }
        for k in self.growth.iter().flat_map(|g| 1..=g.count) {
            columns.push(format!("lyapunov[{k}]"));
            columns.push(format!("lyapunov_error[{k}]"));
        }
        columns
    }

    /// The columns of events: the number of the run, the number of the event, the time, positions and velocities.
    pub fn event_columns(&self) -> Vec<String> {
        let c = self.compiled.lowered();
        let coordinates = &c.coordinates[..self.coordinates];
        let mut columns = vec!["run".to_owned(), "event".to_owned(), "t".to_owned()];
        columns.extend(coordinates.iter().cloned());
        columns.extend(coordinates.iter().map(|c| format!("{c}'")));
        columns
    }

    /// The names of the events.
    pub fn event_names(&self) -> &[String] {
        &self.compiled.lowered().event_names
    }

    /// The index of the status among the columns.
    pub fn status_column(&self) -> usize {
        1 + self.points.axes().count()
    }

    fn row(&self, number: u64, values: &[f64], run: &Run) -> Vec<f64> {
        let status = match run.status {
            Status::Finished => 0.0,
            Status::Event(_) => 1.0,
            Status::Failed(_) => 2.0,
        };
        let mut row = vec![number as f64];
        row.extend(values);
        row.extend([status, run.time]);
        let (x, u) = run.state.split_at(run.state.len() / 2);
        row.extend(x.iter().take(self.coordinates));
        row.extend(u.iter().take(self.coordinates));
        row.extend(&run.outputs);
        row.extend([run.steps as f64, run.energy_balance]);
        let residual = match run.status {
            Status::Failed(RunError::OffConstraints) => Some(self.residual(values, number)),
            _ => run.constraint_residual,
        };
        row.extend(residual);
        row
    }

    /// The model with values of the varied parameters and its equations. It is read anew, so that the memory of its
    /// expressions is freed with it. `None` where the equations of the sweep are used, which have the parameters as inputs.
    fn model_for(&self, fixed: &[f64]) -> Option<(Model, Compiled)> {
        let mut model = self.anew.as_ref()?.anew().ok()?;
        let varied = (self.points.axes()).filter(|a| matches!(a.target, Target::Parameter(_)));
        for (axis, value) in varied.zip(fixed) {
            model = model.with_parameter_here(&axis.name, *value)?;
        }
        let compiled = Compiled::new(&model, Form::Shortest).ok()?;
        Some((model, compiled))
    }

    /// The state at the start of a run as a single run has it.
    fn start_in(&self, model: &Model, number: u64) -> Option<Vec<f64>> {
        let values = self.points.at(number);
        let given: Vec<(Target, f64)> =
            (self.points.axes().map(|a| a.target).zip(values)).collect();
        let state = model.state_from(&given, self.starts.from).ok()?;
        let numbers = state.position.iter().chain(&state.velocity);
        let numbers: Vec<f64> = numbers.map(|e| e.evaluate_f64(&[])).collect();
        numbers.iter().all(|x| x.is_finite()).then_some(numbers)
    }

    /// The constraint violation at the start of a run.
    fn residual(&self, values: &[f64], number: u64) -> f64 {
        let start = self.starts.at(number, &self.points, values);
        let problem = &self.compiled.lowered().problem;
        problem.residual(start.from, &start.state, &start.fixed)
    }

    /// Computes all missing blocks and passes each to `take` when it is finished, in any order, until `take` returns
    /// `false`. The contents of a block do not depend on the numbers of threads and lanes. Returns the times of
    /// compiling and computing.
    pub fn run(
        &self,
        there: impl Fn(u64) -> bool + Sync,
        take: impl FnMut(Block) -> bool,
    ) -> SweepSeconds {
        let started = Stopwatch::start();
        let tolerance = self.options.tolerance;
        let ensemble = self
            .compiled
            .ensemble_by(self.method, tolerance, self.lanes);
        let compile = started.seconds();
        let started = Stopwatch::start();
        team::compute(self, ensemble.as_ref(), &there, take);
        let lowered = self.compiled.lowered();
        SweepSeconds {
            compile: lowered.derive_seconds + lowered.compile_seconds + compile,
            integrate: started.seconds(),
        }
    }
}

/// The durations of a sweep.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SweepSeconds {
    /// From the model to machine code.
    pub compile: f64,
    /// All runs.
    pub integrate: f64,
}
