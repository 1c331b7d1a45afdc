//! `galilei simulate`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use galilei::integrate::{Status, Stop};
use galilei::report::data::Table;
use galilei::report::plot::sheet;
use galilei::report::{Histories, Json, Record, contract};
use galilei::{Code, Diagnostic, Loaded, Model, Motion, RunSettings};

use crate::files::{self, ending};
use crate::{Common, FAILED, cannot_write, load, print, refuse, tell, write_whole};

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Where the run is written; the ending says how: .csv, .npz, .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Where a picture of the run is written, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<String>,
    #[command(flatten)]
    span: Span,
}

/// From where to where a run goes, and how.
#[derive(Args)]
pub(crate) struct Span {
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
    /// trapezoid, galerkin2, galerkin4, galerkin6 (variational: symplectic under constraints between positions, too)
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

impl Span {
    pub(crate) fn settings(&self) -> RunSettings {
        RunSettings {
            from: self.from,
            to: self.to,
            every: self.every,
            method: self.method.clone(),
            tolerance: self.tolerance,
            step: self.step,
            project: self.project,
            accept_balance: self.accept_balance,
            unrecorded: false,
        }
    }

    /// All that is to be said of a model before a run; errors if one of them forbids it.
    pub(crate) fn allowed(
        &self,
        model: &Model,
        loaded: &Loaded,
    ) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let all = loaded.before_run(model, &self.settings());
        match all.iter().any(Diagnostic::is_error) {
            true => Err(all),
            false => Ok(all),
        }
    }

    /// The same as words of a command.
    pub(crate) fn words(&self) -> Vec<String> {
        let numbers = [
            ("--from", self.from),
            ("--to", self.to),
            ("--every", self.every),
            ("--tolerance", self.tolerance),
            ("--step", self.step),
        ];
        let given = numbers.into_iter();
        let mut words: Vec<String> = given
            .filter_map(|(name, x)| x.map(|x| format!("{name} {x:?}")))
            .collect();
        words.extend(self.method.as_ref().map(|m| format!("--method {m}")));
        words.extend(self.project.then(|| "--project".to_owned()));
        words.extend(self.accept_balance.then(|| "--accept-balance".to_owned()));
        words
    }
}

/// A progress bar on standard error, if that is a terminal.
pub(crate) struct Bar {
    shown: bool,
    last: Instant,
    drawn: bool,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            shown: !quiet && std::io::stderr().is_terminal(),
            last: Instant::now(),
            drawn: false,
        }
    }

    pub(crate) fn show(&mut self, t: f64, from: f64, to: f64) {
        if !self.shown || self.last.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.last = Instant::now();
        self.drawn = true;
        let part = ((t - from) / (to - from)).clamp(0.0, 1.0);
        let filled = (part * 40.0) as usize;
        eprint!(
            "\r  [{}{}] {:3.0} %  t = {t:.6}",
            "█".repeat(filled),
            "·".repeat(40 - filled),
            part * 100.0
        );
        let _ = std::io::stderr().flush();
    }

    pub(crate) fn done(&self) {
        if self.drawn {
            eprint!("\r\x1b[2K");
        }
    }
}

pub(crate) fn simulate(common: &Common, arguments: &RunArguments) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let mut diagnostics = loaded.before_run(model, &arguments.span.settings());
    if let Some(path) = &arguments.plot
        && ending(path) != "svg"
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
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refuse(common, &loaded, &diagnostics);
    }
    let settings = RunSettings {
        unrecorded: arguments.output.is_none(),
        ..arguments.span.settings()
    };
    let mut bar = Bar::new(common.quiet || common.json);
    let motion = galilei::simulate(model, &settings, |t, from, to| {
        bar.show(t, from, to);
        true
    });
    bar.done();
    let motion = match motion {
        Ok(motion) => motion,
        Err(errors) => return refuse(common, &loaded, &errors),
    };
    diagnostics.extend(motion.warnings.iter().cloned());
    if let Some(path) = &arguments.output
        && let Err(e) = write(path, &motion, &loaded)
    {
        return refuse(common, &loaded, &[cannot_write(path, &e)]);
    }
    if let Some(path) = &arguments.plot
        && let Err(errors) = plot(path, model, &arguments.span.settings())
    {
        return refuse(common, &loaded, &errors);
    }
    if common.json {
        let answer = document(model.title(), &motion);
        print(&contract::with_all_warnings(answer, &diagnostics, &loaded.source).to_string());
    } else {
        tell(&diagnostics, &loaded, common.quiet);
        print(summary(model.title(), &motion).trim_end());
    }
    ended(common, &motion)
}

/// How a command ends that made a run.
pub(crate) fn ended(common: &Common, motion: &Motion) -> ExitCode {
    match &motion.run.status {
        Status::Failed(why) => {
            if !common.json {
                eprintln!("the run failed at t = {}: {why}", motion.run.time);
            }
            ExitCode::from(FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// How a run was made, in a few words.
fn made(motion: &Motion) -> String {
    match motion.step {
        Some(step) => format!("{}, step {step:?}", motion.method),
        None => format!("{}, tolerance {:?}", motion.method, motion.tolerance),
    }
}

/// The run as a data file.
fn write(path: &str, motion: &Motion, loaded: &Loaded) -> std::io::Result<()> {
    let mut columns = vec!["t".to_owned()];
    columns.extend(motion.coordinates.iter().cloned());
    columns.extend(motion.coordinates.iter().map(|c| format!("{c}'")));
    columns.extend(motion.output_names.iter().cloned());
    let parameters = match &loaded.model {
        None => String::new(),
        Some(model) => {
            let values = model.parameter_values().unwrap_or_default();
            let list = values
                .iter()
                .map(|(s, v)| format!("{s} = {:?}", v.evaluate_f64(&[])));
            list.collect::<Vec<_>>().join(", ")
        }
    };
    let table = Table {
        columns,
        rows: motion.run.rows.clone(),
        notes: vec![
            ("galilei_version".into(), env!("CARGO_PKG_VERSION").into()),
            ("parameters".into(), parameters),
            ("method".into(), made(motion)),
            ("model".into(), loaded.source.clone()),
        ],
    };
    files::write(path, &table).map_err(std::io::Error::from)
}

/// The histories of the run as one sheet.
fn plot(path: &str, model: &Model, settings: &RunSettings) -> Result<(), Vec<Diagnostic>> {
    let motion = galilei::observed(model, settings, |_, _, _| true)?;
    let note = made(&motion);
    let record = Record {
        run: motion.run,
        method: motion.method.to_owned(),
        tolerance: motion.tolerance,
        step: motion.step,
    };
    let plots = Histories::new(model, &record).all();
    let sheet = sheet(model.title(), &note, &plots);
    write_whole(path, sheet.as_bytes()).map_err(|e| vec![cannot_write(path, &e)])
}

fn document(title: &str, m: &Motion) -> Json {
    Json::Object(motion_entries(title, m))
}

/// What a script reads of a run.
pub(crate) fn motion_entries(title: &str, m: &Motion) -> Vec<(String, Json)> {
    let n = m.coordinates.len();
    let status = match &m.run.status {
        Status::Finished => "finished",
        Status::Event(_) => "event",
        Status::Failed(_) => "failed",
    };
    let events = m.run.crossings.iter().map(|c| {
        Json::object([
            ("name", Json::text(&m.event_names[c.event])),
            ("time", Json::Number(c.time)),
            ("position", Json::numbers(&c.state[..n])),
            ("velocity", Json::numbers(&c.state[n..])),
        ])
    });
    let outputs = m
        .output_names
        .iter()
        .zip(&m.run.outputs)
        .map(|(k, v)| (k.clone(), Json::Number(*v)));
    let mut entries = vec![
        ("system".to_owned(), Json::text(title)),
        ("method".into(), Json::text(m.method)),
        ("tolerance".into(), Json::Number(m.tolerance)),
        ("status".into(), Json::text(status)),
        ("time".into(), Json::Number(m.run.time)),
        ("position".into(), Json::numbers(&m.run.state[..n])),
        ("velocity".into(), Json::numbers(&m.run.state[n..])),
        ("outputs".into(), Json::object(outputs)),
        ("steps".into(), Json::Integer(m.run.steps as i64)),
        ("rejected".into(), Json::Integer(m.run.rejected as i64)),
        (
            "evaluations".into(),
            Json::Integer(m.run.evaluations as i64),
        ),
        ("energy_balance".into(), Json::Number(m.run.energy_balance)),
        (
            "constraint_residual".into(),
            Json::maybe(m.run.constraint_residual, Json::Number),
        ),
        ("events".into(), Json::List(events.collect())),
        ("derive_seconds".into(), Json::Number(m.derive_seconds)),
        ("compile_seconds".into(), Json::Number(m.compile_seconds)),
        (
            "integrate_seconds".into(),
            Json::Number(m.integrate_seconds),
        ),
    ];
    if !m.run.momenta.is_empty() {
        let velocity = entries.iter().position(|e| e.0 == "velocity");
        let momentum = ("momentum".into(), Json::numbers(&m.run.momenta));
        entries.insert(velocity.map_or(0, |at| at + 1), momentum);
    }
    if let Status::Failed(why) = &m.run.status {
        entries.push(("reason".into(), Json::text(why.to_string())));
    }
    entries
}

fn summary(title: &str, m: &Motion) -> String {
    use std::fmt::Write;
    let n = m.coordinates.len();
    let mut out = format!("{title}\n\n");
    let status = match &m.run.status {
        Status::Finished => "finished".to_owned(),
        Status::Event(k) => {
            let name = &m.event_names[*k];
            // Names of one's own have no spaces.
            let why = match name.contains(" of ") {
                true => {
                    ": a branch point of the constraint, beyond which the motion is not determined"
                }
                false => "",
            };
            format!("ended by the event {name}{why}")
        }
        Status::Failed(Stop::SingularMassMatrix) => "failed: singular mass matrix".into(),
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
    for (name, v) in m.output_names.iter().zip(&m.run.outputs) {
        let _ = writeln!(out, "  {name:<12} {v:>22.12e}");
    }
    for c in m.run.crossings.iter().take(12) {
        let _ = writeln!(out, "  event {} at t = {}", m.event_names[c.event], c.time);
    }
    if m.run.crossings.len() > 12 {
        let _ = writeln!(out, "  … {} more events", m.run.crossings.len() - 12);
    }
    let _ = writeln!(
        out,
        "\n  {}: {} steps of order {}{}, energy balance {:.1e}, {:.1} ms",
        m.method,
        m.run.steps,
        m.run.order,
        match m.run.rejected {
            0 => String::new(),
            k => format!(" and {k} rejected"),
        },
        m.run.energy_balance,
        1e3 * m.integrate_seconds
    );
    if let Some(t) = m.run.settled {
        let _ = writeln!(
            out,
            "  settled at t = {t:.6}: the rest by its linearised equations, in one step"
        );
    }
    out
}
