//! `galilei simulate`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Code, Diagnostic, Error, Method, Model, Motion, Ranges, RunSettings};
use galilei::{RunError, Status};
use galilei_export::data::{CHART, Events, Table};
use galilei_report::plot::sheet;
use galilei_report::{Histories, Record};

use crate::certify;
use crate::files;
use crate::interrupt::EXIT_INTERRUPTED;
use crate::precise;
use crate::progress::RunProgress;
use crate::terminal::{print_result, say};
use crate::{
    Common, EXIT_FAILED, allowed, cannot_write, load, print_document, show_diagnostics, write_whole,
};

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Path of the data file; its ending chooses the format: .csv, .npz, .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// The chart in whose coordinates the run starts, and in which --at is given
    #[arg(long, value_name = "NAME")]
    chart: Option<String>,
    /// Path of a plot of the run, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<String>,
    /// Prove intervals that contain the motion; --at and --set may then give intervals, "theta in 0.99..1.01"
    #[arg(long)]
    certify: bool,
    /// Compute in 106 bits (32 digits) or 212 (64 digits), with a tolerance down to 1e-32 or 1e-64
    #[arg(long, value_name = "BITS", conflicts_with_all = ["certify", "plot"])]
    precision: Option<usize>,
    #[command(flatten)]
    span: Span,
}

/// The start, the time span and the method of a run.
#[derive(Args)]
pub(crate) struct Span {
    /// The state at the start, as "t=1, theta=0.1, theta'=-2"; missing entries come from `initial`, then 0
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    at: Option<String>,
    /// The start
    #[arg(long, allow_hyphen_values = true)]
    from: Option<f64>,
    /// The end
    #[arg(long, allow_hyphen_values = true)]
    to: Option<f64>,
    /// The distance of recorded states; the end is recorded, too
    #[arg(long, allow_hyphen_values = true)]
    every: Option<f64>,
    /// The method: taylor, dop853, radau (stiff); of constant steps: gauss2, gauss4, gauss6 (symplectic), midpoint,
    /// trapezoid, galerkin2, galerkin4, galerkin6 (variational: symplectic under constraints between positions, too), moreau (first order, for many
    /// contacts)
    #[arg(long)]
    method: Option<String>,
    /// The relative tolerance of a step
    #[arg(long, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// The length of all steps, for methods of constant steps; without it the tolerance decides
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    step: Option<f64>,
    /// Start from the nearest state on the constraints
    #[arg(long)]
    project: bool,
    /// Accept a run whose energy is not balanced by the work done, instead of failing it
    #[arg(long)]
    accept_balance: bool,
}

/// Whether a state gives the time.
fn gives_time(state: &str) -> bool {
    let keys = state.split(',').filter_map(|entry| entry.split_once('='));
    keys.into_iter().any(|(key, _)| key.trim() == "t")
}

impl Span {
    /// The model, which starts where `--at` says.
    pub(crate) fn load(&self, common: &Common) -> Result<Model, Error> {
        self.started(&load(common)?)
    }

    /// A model that starts where `--at` says.
    fn started(&self, model: &Model) -> Result<Model, Error> {
        let Some(state) = &self.at else {
            return Ok(model.clone());
        };
        if self.from.is_some() && gives_time(state) {
            return Err(model.error(Diagnostic::error(
                Code::WrongSetting,
                "the start time is given twice, by --from and by --at",
                "leave out --from, or `t` in --at",
                None,
            )));
        }
        model.starting_at(state)
    }

    /// The settings of the run.
    pub(crate) fn settings(&self, model: &Model) -> Result<RunSettings, Error> {
        let method = self.method.as_ref().map(|name| name.parse::<Method>());
        let method = method.transpose().map_err(|e| model.error(e))?;
        Ok(RunSettings::new()
            .from(self.from)
            .to(self.to)
            .every(self.every)
            .method(method)
            .tolerance(self.tolerance)
            .step(self.step)
            .project(self.project)
            .accept_balance(self.accept_balance))
    }

    /// The settings of the run, and all diagnostics before it.
    pub(crate) fn allowed(&self, model: &Model) -> Result<(RunSettings, Vec<Diagnostic>), Error> {
        let settings = self.settings(model)?;
        let diagnostics = allowed(model, model.diagnostics_before(&settings))?;
        Ok((settings, diagnostics))
    }

    /// The settings as words of a command.
    pub(crate) fn words(&self) -> Vec<String> {
        let numbers = [
            ("--from", self.from),
            ("--to", self.to),
            ("--every", self.every),
            ("--tolerance", self.tolerance),
            ("--step", self.step),
        ];
        let given = numbers.into_iter();
        let mut words: Vec<String> = self
            .at
            .iter()
            .map(|s| format!("--at {}", quoted(s)))
            .collect();
        words.extend(given.filter_map(|(name, x)| x.map(|x| format!("{name} {x:?}"))));
        words.extend(self.method.as_ref().map(|m| format!("--method {m}")));
        words.extend(self.project.then(|| "--project".to_owned()));
        words.extend(self.accept_balance.then(|| "--accept-balance".to_owned()));
        words
    }
}

pub(crate) fn simulate(common: &Common, arguments: &RunArguments) -> Result<ExitCode, Error> {
    if arguments.certify {
        return simulate_certified(common, arguments);
    }
    if let Some(bits) = arguments.precision {
        return simulate_precisely(common, arguments, bits);
    }
    run_model(common, arguments, &load(common)?, None)
}

/// A run in more digits than doubles have.
fn simulate_precisely(
    common: &Common,
    arguments: &RunArguments,
    bits: usize,
) -> Result<ExitCode, Error> {
    let model = arguments.span.load(common)?;
    let precision = precise::precision(bits).map_err(|d| model.error(d))?;
    let mut settings = arguments.span.settings(&model)?;
    if let Some(chart) = &arguments.chart {
        settings = settings.in_chart(chart.clone(), "");
    }
    let output = (arguments.output.as_deref(), arguments.span.at.as_deref());
    precise::simulate(common, &model, (precision, settings), output)
}

/// A run from the middle of all intervals, and an enclosure of all motions.
fn simulate_certified(common: &Common, arguments: &RunArguments) -> Result<ExitCode, Error> {
    let (set, parameters) = certify::ranges(&common.set);
    let common = Common {
        set,
        model: common.model.clone(),
        allow_path: common.allow_path.clone(),
        ..*common
    };
    let text = load(&common)?;
    if let Some(chart) = &arguments.chart {
        return Err(text.error(Diagnostic::error(
            Code::NotAvailable,
            format!("a run that starts in the chart `{chart}` cannot be certified yet"),
            "leave out --chart",
            None,
        )));
    }
    let at = arguments.span.at.as_deref();
    let request = certify::Request {
        model: &text,
        at,
        parameters,
        numbers: [
            arguments.span.from,
            arguments.span.to,
            arguments.span.tolerance,
        ],
    };
    let arguments = RunArguments {
        span: Span {
            at: at.map(|s| Ranges::of(s).middle),
            method: arguments.span.method.clone(),
            ..arguments.span
        },
        output: arguments.output.clone(),
        chart: None,
        plot: arguments.plot.clone(),
        certify: true,
        precision: None,
    };
    run_model(&common, &arguments, &text, Some(&request))
}

fn run_model(
    common: &Common,
    arguments: &RunArguments,
    text: &Model,
    request: Option<&certify::Request<'_>>,
) -> Result<ExitCode, Error> {
    let ready = match &arguments.chart {
        Some(name) => text.clone().in_ready_chart(name),
        None => None,
    };
    let chart = arguments.chart.as_ref().filter(|_| ready.is_none());
    let model = &match (ready, chart) {
        (Some(model), _) => match &arguments.span.at {
            Some(at) => model.starting_in_chart(at)?,
            None => model,
        },
        (None, Some(_)) => text.clone(),
        (None, None) => arguments.span.started(text)?,
    };
    let mut settings = arguments.span.settings(model)?;
    if let Some(chart) = chart {
        let at = arguments.span.at.clone().unwrap_or_default();
        settings = settings.in_chart(chart.clone(), at);
    }
    let mut diagnostics = model.diagnostics_before(&settings);
    if let Some(path) = &arguments.plot
        && !Path::new(path)
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("svg"))
    {
        diagnostics.push(Diagnostic::error(
            Code::UnknownFormat,
            format!("`{path}` has an ending that cannot be drawn"),
            "write to a file that ends in .svg",
            None,
        ));
    }
    if let Some(path) = &arguments.output {
        diagnostics.extend(files::writable(path).err());
    }
    let mut diagnostics = allowed(model, diagnostics)?;
    let Runs { motion, drawn } = runs(common, arguments, model, &settings)?;
    diagnostics.extend(motion.warnings.iter().cloned());
    if let Some(path) = &arguments.output {
        write(path, &motion, model, arguments.span.at.as_deref()).map_err(|d| model.error(d))?;
    }
    if let Some(path) = &arguments.plot
        && let Err(e) = plot(path, model, drawn.as_ref().unwrap_or(&motion))
    {
        return Err(model.error(cannot_write(path, &e)));
    }
    if let Some(request) = request {
        let (certificate, seconds) = request.answer(common)?;
        let summary = summary(model, &motion);
        let notes = (diagnostics.as_slice(), summary.as_str());
        return Ok(certify::print(
            common,
            model,
            &motion,
            (&certificate, seconds),
            notes,
        ));
    }
    if common.json {
        let run = document::Run::new(model.title(), &motion);
        print_document(&document::Simulation::new(
            run,
            &diagnostics,
            model.source(),
        ));
    } else {
        show_diagnostics(&diagnostics, model.name(), model.source(), common.quiet);
        print_result(summary(model, &motion).trim_end());
    }
    if was_interrupted(&motion) && !common.quiet {
        say(&how_to_continue(common, arguments, &motion));
    }
    Ok(ended(common, &motion))
}

fn was_interrupted(motion: &Motion) -> bool {
    matches!(motion.run.status, Status::Failed(RunError::Interrupted))
}

/// The largest number of coordinates of a state that is written as a word of a command.
const MAX_WRITTEN_STATE: usize = 16;

/// The message about an interrupted run: which results were kept, and the command that continues it.
fn how_to_continue(common: &Common, arguments: &RunArguments, motion: &Motion) -> String {
    let (run, names) = (&motion.run, &motion.coordinates);
    let kept = match &arguments.output {
        Some(path) => format!("the states up to there are in {path}"),
        None => "with -o FILE the states up to there are kept".to_owned(),
    };
    let mut text = format!("interrupted at t = {}; {kept}", run.time);
    if names.len() <= MAX_WRITTEN_STATE {
        let velocities = names.iter().map(|c| format!("{c}'"));
        let names = names.iter().cloned().chain(velocities);
        let state = names.zip(&run.state).map(|(c, x)| format!(", {c}={x:?}"));
        let state = format!("t={:?}{}", run.time, state.collect::<String>());
        let span = Span {
            at: Some(state),
            from: None,
            method: arguments.span.method.clone(),
            ..arguments.span
        };
        let mut words = vec!["galilei simulate".to_owned(), quoted(&common.model)];
        words.extend(common.set.iter().map(|s| format!("--set {}", quoted(s))));
        words.extend(span.words());
        text += &format!("\ncontinue with: {}", words.join(" "));
    }
    text
}

/// A word, quoted for the shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A run, and a second one with states for a plot where the rows of the first are written to a file.
struct Runs {
    motion: Motion,
    drawn: Option<Motion>,
}

/// The runs of a model that is compiled once.
fn runs(
    common: &Common,
    arguments: &RunArguments,
    model: &Model,
    settings: &RunSettings,
) -> Result<Runs, Error> {
    let settings = settings.clone().unrecorded(arguments.output.is_none());
    let compiled = model.compile_for_runs()?;
    let bar = RunProgress::new(common.quiet || common.json);
    let run = || {
        let run = model.simulate().settings(settings.clone());
        run.compiled(&compiled).progress(|p| bar.show(p))
    };
    let (file, plot) = (&arguments.output, &arguments.plot);
    let mut drawn = match plot {
        Some(_) => Some(run().run_for_plots()?),
        None => None,
    };
    let motion = match drawn.take_if(|_| file.is_none()) {
        Some(motion) => motion,
        None => run().run()?,
    };
    Ok(Runs { motion, drawn })
}

/// The exit status of a command that made a run.
pub(crate) fn ended(common: &Common, motion: &Motion) -> ExitCode {
    match &motion.run.status {
        Status::Failed(RunError::Interrupted) => ExitCode::from(EXIT_INTERRUPTED),
        Status::Failed(why) => {
            if !common.json {
                say(&format!("the run failed at t = {}: {why}", motion.run.time));
            }
            ExitCode::from(EXIT_FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The method and settings of a run, in a few words.
fn made(motion: &Motion) -> String {
    match motion.step {
        Some(step) => format!("{}, step {step:?}", motion.method),
        None => format!("{}, tolerance {:?}", motion.method, motion.tolerance),
    }
}

/// Writes the run as a data file, and its events next to it or, in an archive, into it.
fn write(
    path: &str,
    motion: &Motion,
    model: &Model,
    start: Option<&str>,
) -> Result<(), Diagnostic> {
    let state = || {
        let velocities = motion.coordinates.iter().map(|c| format!("{c}'"));
        motion.coordinates.iter().cloned().chain(velocities)
    };
    let mut columns = vec!["t".to_owned()];
    columns.extend(state());
    columns.extend(motion.output_names.iter().cloned());
    let values = model.parameter_values().unwrap_or_default();
    let values = values
        .iter()
        .map(|(s, v)| format!("{s} = {:?}", v.evaluate_f64(&[])));
    let parameters = values.collect::<Vec<_>>().join(", ");
    let mut notes = vec![
        ("galilei_version".into(), env!("CARGO_PKG_VERSION").into()),
        ("parameters".into(), parameters),
        ("method".into(), made(motion)),
    ];
    notes.extend(start.map(|state| ("start".into(), state.to_owned())));
    notes.push(("model".into(), model.source().to_owned()));
    let mut rows = motion.run.rows.clone();
    if !motion.run.pieces.is_empty() {
        columns.push(CHART.to_owned());
        let pairs = rows.iter_mut().zip(&motion.run.row_charts);
        pairs.for_each(|(row, chart)| row.push(*chart as f64));
        notes.push(("charts".into(), motion.charts.join(", ")));
    }
    let table = Table {
        columns,
        rows,
        notes: notes.clone(),
    };
    let mut event_columns = vec!["t".to_owned()];
    event_columns.extend(state());
    let crossings = &motion.run.crossings;
    let rows = crossings.iter().map(|c| {
        let time = std::iter::once(c.time);
        time.chain(c.state.iter().copied()).collect()
    });
    let names = crossings.iter().map(|c| &motion.event_names[c.event]);
    let events = Events {
        names: names.cloned().collect(),
        table: Table {
            columns: event_columns,
            rows: rows.collect(),
            notes,
        },
    };
    let declared = !motion.event_names.is_empty();
    files::write_with_events(path, &table, declared.then_some(&events))
}

/// The histories of the run as one sheet.
fn plot(path: &str, model: &Model, motion: &Motion) -> std::io::Result<()> {
    let record = Record {
        run: motion.run.clone(),
        method: motion.method.to_owned(),
        tolerance: motion.tolerance,
        step: motion.step,
    };
    let plots = Histories::new(model, &record).all();
    let sheet = sheet(model.title(), &made(motion), &plots);
    write_whole(path, sheet.as_bytes())
}

/// The impacts of a run and its modes of contact and friction, as lines.
fn contacts(record: &galilei::ContactRecord) -> String {
    use std::fmt::Write;
    const MAX_LINES: usize = 12;
    let mut out = String::new();
    for c in record.collisions.iter().take(MAX_LINES) {
        let _ = writeln!(out, "  impact {} at t = {}", c.name, c.time);
    }
    let more = record.collisions.len().saturating_sub(MAX_LINES);
    if more > 0 {
        let _ = writeln!(out, "  … {more} more impacts");
    }
    for (name, loss) in record.losses() {
        let _ = writeln!(out, "  energy lost in impacts of {name}: {loss:.6e}");
    }
    // The first mode is said where something is closed or sticks in it.
    let idle = |m: &galilei::ModeEntry| m.closed.is_empty() && m.sticking.is_empty();
    let first = usize::from(record.modes.first().is_some_and(idle));
    for mode in record.modes.iter().skip(first).take(MAX_LINES) {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        let _ = writeln!(
            out,
            "  from t = {}: closed {}, sticking {}",
            mode.time,
            list(&mode.closed),
            list(&mode.sticking)
        );
    }
    let more = record.modes.len().saturating_sub(MAX_LINES + first);
    if more > 0 {
        let _ = writeln!(out, "  … {more} more modes");
    }
    out
}

fn summary(model: &Model, m: &Motion) -> String {
    use std::fmt::Write;
    let n = m.coordinates.len();
    let mut out = format!("{}\n\n", model.title());
    let status = match &m.run.status {
        Status::Finished => "finished".to_owned(),
        Status::Event(k) => {
            let name = &m.event_names[*k];
            // Names of the user have no spaces.
            let why = match name.contains(" of ") {
                true => {
                    ": a branch point of the constraint, beyond which the motion is not determined"
                }
                false => "",
            };
            format!("ended by the event {name}{why}")
        }
        Status::Failed(RunError::SingularMassMatrix) => "failed: singular mass matrix".into(),
        Status::Failed(why) => format!("failed: {why}"),
    };
    let _ = writeln!(out, "  t = {}, {status}", m.run.time);
    for i in 0..n.min(16) {
        let _ = write!(out, "  {:<12}", m.coordinates[i]);
        let momentum = m.run.momenta.get(i);
        for value in [&m.run.state[i], &m.run.state[n + i]]
            .into_iter()
            .chain(momentum)
        {
            let _ = write!(out, " {:>22}", format!("{value:.12e}"));
        }
        out.push('\n');
    }
    if n > 16 {
        let _ = writeln!(out, "  … {} more", n - 16);
    }
    if let Some(note) = galilei_report::text::in_si_units(model) {
        let _ = writeln!(out, "  {note}");
    }
    for (name, v) in m.output_names.iter().zip(&m.run.outputs) {
        let _ = writeln!(out, "  {name:<12} {v:>22.12e}");
    }
    for c in m.run.crossings.iter().take(12) {
        let _ = writeln!(out, "  event {} at t = {}", m.event_names[c.event], c.time);
    }
    if m.run.crossings.len() > 12 {
        let _ = writeln!(out, "  … {} more events", m.run.crossings.len() - 12);
    }
    out.push_str(&contacts(&m.run.contacts));
    let _ = writeln!(
        out,
        "\n  {}: {} of order {}{}, energy balance {:.1e}, {:.1} ms",
        m.method,
        match m.run.steps {
            1 => "1 step".to_owned(),
            k => format!("{k} steps"),
        },
        m.run.order,
        match m.run.rejected {
            0 => String::new(),
            k => format!(" and {k} rejected"),
        },
        m.run.energy_balance,
        1e3 * m.integrate_seconds
    );
    if m.run.pieces.len() > 1 {
        let names: Vec<&str> = m
            .run
            .pieces
            .iter()
            .map(|p| m.charts[p.chart].as_str())
            .collect();
        let shown = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 8 { ", …" } else { "" };
        let _ = writeln!(
            out,
            "  {} of chart{}",
            match names.len() - 1 {
                1 => "1 change".to_owned(),
                k => format!("{k} changes"),
            },
            // Opposite quaternions have the same equations.
            match names.iter().all(|n| *n == names[0]) {
                true => String::new(),
                false => format!(": {shown}{more}"),
            }
        );
    }
    if let Some(t) = m.run.settled {
        let _ = writeln!(
            out,
            "  settled at t = {t:.6}: the rest by its linearised equations, in one step"
        );
    }
    out
}
