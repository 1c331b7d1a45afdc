//! `galilei simulate`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Code, Diagnostic, Error, Method, Model, Motion, RunSettings};
use galilei::{Status, Stop};
use galilei_export::data::Table;
use galilei_report::plot::sheet;
use galilei_report::{Histories, Record};

use crate::files;
use crate::progress::RunProgress;
use crate::{
    Common, EXIT_FAILED, allowed, cannot_write, load, print, print_document, show_diagnostics,
    write_whole,
};

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Path of the data file; its ending chooses the format: .csv, .npz, .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Path of a plot of the run, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<String>,
    #[command(flatten)]
    span: Span,
}

/// The time span and the method of a run.
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
        let mut words: Vec<String> = given
            .filter_map(|(name, x)| x.map(|x| format!("{name} {x:?}")))
            .collect();
        words.extend(self.method.as_ref().map(|m| format!("--method {m}")));
        words.extend(self.project.then(|| "--project".to_owned()));
        words.extend(self.accept_balance.then(|| "--accept-balance".to_owned()));
        words
    }
}

pub(crate) fn simulate(common: &Common, arguments: &RunArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let settings = arguments.span.settings(model)?;
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
    if let Some(path) = &arguments.output
        && let Err(e) = write(path, &motion, model)
    {
        return Err(model.error(cannot_write(path, &e)));
    }
    if let Some(path) = &arguments.plot
        && let Err(e) = plot(path, model, drawn.as_ref().unwrap_or(&motion))
    {
        return Err(model.error(cannot_write(path, &e)));
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
        print(summary(model.title(), &motion).trim_end());
    }
    Ok(ended(common, &motion))
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
    let compiled = model.compile()?;
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
        Status::Failed(why) => {
            if !common.json {
                eprintln!("the run failed at t = {}: {why}", motion.run.time);
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

/// The run as a data file.
fn write(path: &str, motion: &Motion, model: &Model) -> std::io::Result<()> {
    let mut columns = vec!["t".to_owned()];
    columns.extend(motion.coordinates.iter().cloned());
    columns.extend(motion.coordinates.iter().map(|c| format!("{c}'")));
    columns.extend(motion.output_names.iter().cloned());
    let values = model.parameter_values().unwrap_or_default();
    let values = values
        .iter()
        .map(|(s, v)| format!("{s} = {:?}", v.evaluate_f64(&[])));
    let parameters = values.collect::<Vec<_>>().join(", ");
    let table = Table {
        columns,
        rows: motion.run.rows.clone(),
        notes: vec![
            ("galilei_version".into(), env!("CARGO_PKG_VERSION").into()),
            ("parameters".into(), parameters),
            ("method".into(), made(motion)),
            ("model".into(), model.source().to_owned()),
        ],
    };
    files::write(path, &table).map_err(std::io::Error::from)
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

fn summary(title: &str, m: &Motion) -> String {
    use std::fmt::Write;
    let n = m.coordinates.len();
    let mut out = format!("{title}\n\n");
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
