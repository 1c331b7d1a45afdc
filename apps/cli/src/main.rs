//! The `galilei` command.

mod bench;
mod certify;
mod equilibrium;
mod export;
mod failures;
mod files;
mod fit;
mod help;
mod import;
mod interrupt;
mod lsp;
mod lyapunov;
mod man;
mod merge;
mod modes;
mod periodic;
mod picture;
mod precise;
mod progress;
mod report;
mod run;
mod sensitivities;
mod stationary;
mod studio;
mod sweep;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use galilei::document::{self, Answer};
use galilei::{Code, Diagnostic, Error, Model};
use galilei_report::{Derivation, Request, Section, Topic, text, typeset};
use serde::Serialize;

use terminal::{print, print_result, say};

/// The exit status for a wrong model or request.
const EXIT_WRONG: u8 = 1;
/// The exit status for a failed computation; partial results are kept.
const EXIT_FAILED: u8 = 3;

/// Degrees of freedom up to which `derive` proves the equations it shows.
const MAX_PROVED_DEGREES: usize = 8;

/// The example of `derive`, and its topics.
fn derive_help() -> String {
    let default = Topic::DEFAULT.map(Topic::name).join(" ");
    let all = Topic::names(" ");
    format!(
        "Example: galilei derive models/kapitza-pendulum.gal hamilton action-form\n\nWHAT: {all}, all; default: {default}"
    )
}

/// The kind of code that runs on this processor.
fn backend() -> &'static str {
    galilei_integrate::Accelerations::backend().unwrap_or("interpreter")
}

/// The version with the kind of code, for `--version`; `-V` prints the number alone.
fn long_version() -> &'static str {
    static TEXT: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{}\ncode: {}", env!("CARGO_PKG_VERSION"), backend()));
    &TEXT
}

/// Mechanical systems written as geometry: equations of motion, and the proof that they are right.
#[derive(Parser)]
#[command(
    name = "galilei",
    version,
    long_version = long_version(),
    about,
    max_term_width = 100,
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Properties of the model: geometry, forces, constraints, units
    #[command(after_help = "Example: galilei check models/kapitza-pendulum.gal --all")]
    Check {
        #[command(flatten)]
        common: Common,
        /// Every property with its verdict, not only those that fail, are undecided or say something about this model
        #[arg(long)]
        all: bool,
    },
    /// Equations and forms
    #[command(
        after_help = derive_help()
    )]
    Derive {
        #[command(flatten)]
        common: Common,
        /// Topics to derive
        what: Vec<String>,
        /// Format of the output
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
        /// In another declared chart
        #[arg(long, value_name = "NAME")]
        chart: Option<String>,
    },
    /// Every quantity at one state
    #[command(
        after_help = "Example: galilei eval models/kapitza-pendulum.gal --at \"t=0.5, theta=0.1, theta'=-2\""
    )]
    Eval {
        #[command(flatten)]
        common: Common,
        /// The state; missing entries come from `initial`, then 0
        #[arg(long, default_value = "", value_name = "STATE")]
        at: String,
        /// Values in another declared chart
        #[arg(long, value_name = "NAME")]
        chart: Option<String>,
    },
    /// A run: the motion from the initial state
    #[command(
        after_help = "Example: galilei simulate models/kapitza-pendulum.gal --to 2 --every 0.001 -o run.csv"
    )]
    Simulate {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        run: run::RunArguments,
    },
    /// Sensitivities of a run to its start and to parameters
    #[command(
        visible_alias = "jacobi",
        after_help = "Example: galilei sensitivities models/double-pendulum.gal --by m2,l2 --gradient th2"
    )]
    Sensitivities {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        sensitivities: sensitivities::SensitivityArguments,
    },
    /// Motions between given ends, by stationary action
    #[command(
        after_help = "Example: galilei stationary models/kapitza-pendulum.gal --start theta=3 --end theta=3.2 --to 1"
    )]
    Stationary {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        stationary: stationary::StationaryArguments,
    },
    /// Rest positions and steady motions, with stability
    #[command(
        after_help = "Example: galilei equilibrium models/double-pendulum.gal --at \"th1=3, th2=0\""
    )]
    Equilibrium {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        equilibrium: equilibrium::EquilibriumArguments,
    },
    /// The linearised motion at a state: matrices, eigenvalues, modes
    #[command(
        after_help = "Example: galilei modes models/double-pendulum.gal --at \"th1=0, th2=0\""
    )]
    Modes {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        modes: modes::ModesArguments,
    },
    /// Periodic motions, their Floquet multipliers, and families of them along a parameter
    #[command(
        after_help = "Example: galilei periodic models/double-pendulum.gal --period 2 --at \"th1=0.1, th2=0.14\""
    )]
    Periodic {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        periodic: periodic::PeriodicArguments,
    },
    /// Lyapunov exponents with their convergence
    #[command(
        after_help = "Example: galilei lyapunov models/double-pendulum.gal --to 1000 --count 1"
    )]
    Lyapunov {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        lyapunov: lyapunov::LyapunovArguments,
    },
    /// Parameters and initial values from measurements
    #[command(after_help = "Example: galilei fit pendulum.gal --data measured.csv --free c,theta")]
    Fit {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        fit: fit::FitArguments,
    },
    /// Timings of this model: parse, derive, compile, evaluate
    #[command(after_help = "Example: galilei bench models/double-pendulum.gal")]
    Bench(Common),
    /// Many runs: SIMD lanes and all cores
    #[command(
        after_help = "Example: galilei sweep models/double-pendulum.gal --sample 10000 --seed 1 --vary \"th1 in -1..1, m2 in 0.9..1.1\" -o runs.csv"
    )]
    Sweep {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        sweep: sweep::SweepArguments,
    },
    /// The parts of a sweep as one
    #[command(after_help = "Example: galilei merge part1.csv part2.csv -o all.csv")]
    Merge(merge::MergeArguments),
    /// One self-contained HTML page: derivation, checks, plots, animation
    #[command(after_help = "Example: galilei report models/kapitza-pendulum.gal -o kapitza.html")]
    Report {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        report: report::ReportArguments,
    },
    /// The equations of motion as a source file of another language, without dependencies
    #[command(
        after_help = "Example: galilei export models/double-pendulum.gal --to c -o pendulum.c"
    )]
    Export {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        export: export::ExportArguments,
    },
    /// A model from a robot description (URDF)
    #[command(after_help = "Example: galilei import robot.urdf -o robot.gal")]
    Import(import::ImportArguments),
    /// The verdict on an identity
    #[command(after_help = "Example: galilei decide \"sqrt(x^2) = x\" --assume \"x > 0\"")]
    Decide {
        /// EXPR = EXPR
        #[arg(allow_hyphen_values = true)]
        claim: String,
        /// An assumed inequality; may be given several times, or as a list
        #[arg(long, value_name = "INEQUALITY", allow_hyphen_values = true)]
        assume: Vec<String>,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
        /// Nothing but the answer
        #[arg(long)]
        quiet: bool,
    },
    /// An entry of the language reference: a statement, a function, units, …
    #[command(after_help = "Example: galilei help coord")]
    Help {
        /// The topic; without one, an overview
        topic: Vec<String>,
    },
    /// Model files with their white space in order; the meaning stays as it is
    #[command(after_help = "Example: galilei fmt --check models/kapitza-pendulum.gal")]
    Fmt(lsp::FormatArguments),
    /// The language server, on standard input and output: help in editors
    #[command(after_help = "Example: galilei lsp")]
    Lsp(lsp::LspArguments),
    /// The page to work in, on this machine alone
    #[command(after_help = "Example: galilei studio models/kapitza-pendulum.gal")]
    Studio(studio::StudioArguments),
    /// Completions for a shell, on standard output
    #[command(
        after_help = "Example: galilei completions bash > ~/.local/share/bash-completion/completions/galilei"
    )]
    Completions {
        /// bash, zsh, fish, elvish, powershell
        shell: clap_complete::Shell,
    },
    /// Pages for `man`, in a folder
    #[command(after_help = "Example: galilei man ~/.local/share/man/man1")]
    Man(man::ManArguments),
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Latex,
    Html,
    Json,
}

#[derive(Args)]
struct Common {
    /// The model file, or - for standard input
    model: String,
    /// Values for parameters and constants
    #[arg(long, value_name = "m=2,l=0.3")]
    set: Vec<String>,
    /// Lets tables be read from files outside of the folder of the model: from this folder, or from anywhere
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "/")]
    allow_path: Vec<String>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Nothing but the answer
    #[arg(long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse_from(with_folders(std::env::args_os()));
    match arguments.command {
        Command::Check { common, all } => ended(&common, check(&common, all)),
        Command::Derive {
            mut common,
            what,
            format,
            chart,
        } => {
            common.json |= format == Format::Json;
            ended(&common, derive(&common, &what, format, chart.as_deref()))
        }
        Command::Eval { common, at, chart } => ended(&common, eval(&common, &at, chart.as_deref())),
        Command::Simulate { common, run } => ended(&common, run::simulate(&common, &run)),
        Command::Sensitivities {
            common,
            sensitivities: arguments,
        } => {
            let outcome = sensitivities::sensitivities(&common, &arguments);
            ended(&common, outcome)
        }
        Command::Stationary { common, stationary } => {
            ended(&common, stationary::stationary(&common, &stationary))
        }
        Command::Equilibrium {
            common,
            equilibrium: arguments,
        } => {
            let outcome = equilibrium::equilibrium(&common, &arguments);
            ended(&common, outcome)
        }
        Command::Periodic { common, periodic } => {
            ended(&common, periodic::periodic(&common, &periodic))
        }
        Command::Lyapunov { common, lyapunov } => {
            ended(&common, lyapunov::lyapunov(&common, &lyapunov))
        }
        Command::Fit { common, fit } => ended(&common, fit::fit(&common, &fit)),
        Command::Modes { common, modes } => ended(&common, modes::modes(&common, &modes)),
        Command::Bench(common) => ended(&common, bench::bench(&common)),
        Command::Sweep { common, sweep } => ended(&common, sweep::sweep(&common, &sweep)),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Report { common, report } => ended(&common, report::report(&common, &report)),
        Command::Export { common, export } => ended(&common, export::export(&common, &export)),
        Command::Decide {
            claim,
            assume,
            json,
            ..
        } => decide(&claim, &assume, json),
        Command::Import(arguments) => import::import(&arguments),
        Command::Fmt(arguments) => lsp::format(&arguments),
        Command::Lsp(arguments) => lsp::lsp(&arguments),
        Command::Studio(arguments) => studio::studio(&arguments),
        Command::Help { topic } => help::help(&topic),
        Command::Man(arguments) => man::man(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "galilei", &mut script);
            print(String::from_utf8_lossy(&script).trim_end());
            ExitCode::SUCCESS
        }
    }
}

/// The words of the command, with the folder behind `--allow-path` joined to it: the option may stand alone, too.
fn with_folders(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut list: Vec<OsString> = Vec::new();
    for word in words {
        match list.last_mut() {
            Some(last) if last == "--allow-path" && std::path::Path::new(&word).is_dir() => {
                last.push("=");
                last.push(word);
            }
            _ => list.push(word),
        }
    }
    list
}

/// Parses a whole number that is not negative.
fn counted<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let none = |_| "write a whole number that is not negative".to_owned();
    text.parse().map_err(none)
}

/// Prints diagnostics on standard error, in colours if it is a terminal; without warnings if `quiet`.
fn show_diagnostics(diagnostics: &[Diagnostic], file: &str, source: &str, quiet: bool) {
    for d in diagnostics.iter().filter(|d| d.is_error() || !quiet) {
        say(&d.render_coloured(file, source));
    }
}

/// Prints a document.
fn print_document(document: &impl Serialize) {
    print(&document::to_text(document));
}

/// Prints the answer to a command: its document with warnings, or the warnings and its text, which may be empty.
fn answer<T: Serialize>(
    common: &Common,
    model: &Model,
    diagnostics: &[Diagnostic],
    document: impl FnOnce() -> T,
    text: impl FnOnce() -> String,
) {
    if common.json {
        print_document(&Answer::new(document(), diagnostics, model.source()));
    } else {
        show_diagnostics(diagnostics, model.name(), model.source(), common.quiet);
        let text = text();
        if !text.is_empty() {
            print_result(text.trim_end());
        }
    }
}

/// Writes a temporary file and renames it, so that a reader finds a complete file or none. A device or a pipe is
/// written to directly.
fn write_whole(path: &str, bytes: &[u8]) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return std::fs::write(path, bytes);
    }
    let partial = format!("{path}.{}.partial", std::process::id());
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

fn cannot_write(path: &str, why: &std::io::Error) -> Diagnostic {
    Diagnostic::error(
        Code::CannotWrite,
        format!("`{path}` cannot be written: {why}"),
        "check the path",
        None,
    )
}

/// Ends a command: reports the diagnostics of a wrong model or request.
fn ended(common: &Common, outcome: Result<ExitCode, Error>) -> ExitCode {
    let error = match outcome {
        Ok(code) => return code,
        Err(error) => error,
    };
    let diagnostics = error.diagnostics();
    if common.json {
        print_document(&document::Refusal::new(diagnostics, error.text()));
    } else {
        show_diagnostics(diagnostics, error.name(), error.text(), common.quiet);
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        say(&format!(
            "{errors} error{} in {}",
            if errors == 1 { "" } else { "s" },
            error.name()
        ));
    }
    ExitCode::from(EXIT_WRONG)
}

fn load(common: &Common) -> Result<Model, Error> {
    let mut reader = Model::reader().set_all(&common.set);
    for folder in &common.allow_path {
        reader = match folder.as_str() {
            "/" => reader.allow_path(None),
            folder => reader.allow_path(Some(std::path::Path::new(folder))),
        };
    }
    match common.model.as_str() {
        "-" => reader.name("standard input").read(std::io::stdin().lock()),
        path => reader.open(path),
    }
}

/// The diagnostics without errors, or the error if there is one.
fn allowed(model: &Model, diagnostics: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Error> {
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(model.error(diagnostics)),
        false => Ok(diagnostics),
    }
}

fn check(common: &Common, all: bool) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let waiting = progress::Waiting::new(common.quiet || common.json, "deciding properties");
    let mut result = model.check();
    drop(waiting);
    let mut diagnostics = model.warnings().to_vec();
    diagnostics.append(&mut result.diagnostics);
    let diagnostics = allowed(model, diagnostics)?;
    answer(
        common,
        model,
        &diagnostics,
        || document::Check::new(model.title(), &result),
        || match all {
            true => text::check(model.title(), &result, columns()),
            false => text::check_summary(model.title(), &result, columns()),
        },
    );
    Ok(match result.ok {
        Some(false) => ExitCode::from(EXIT_WRONG),
        Some(true) | None => ExitCode::SUCCESS,
    })
}

/// The width of the terminal.
fn columns() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    given
        .or_else(|| terminal_size::terminal_size().map(|s| usize::from(s.0.0)))
        .unwrap_or(100)
        .clamp(40, 400)
}

fn derive(
    common: &Common,
    what: &[String],
    format: Format,
    chart: Option<&str>,
) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let mut request = Request::of(what).in_order_of(model);
    let mut diagnostics = model.diagnostics();
    diagnostics.append(&mut request.diagnostics);
    let diagnostics = allowed(model, diagnostics)?;
    let waiting = progress::Waiting::new(common.quiet || common.json, "deriving");
    let reading = match chart {
        None => Some(model.for_reading()),
        Some(name) => model.in_ready_chart(name),
    };
    let derivation = match (chart, &reading) {
        (_, Some(reading)) => Derivation::new(reading),
        (None, None) => Derivation::new(model),
        (Some(name), None) => Derivation::in_chart(model, name).map_err(|e| model.error(e))?,
    };
    let derivation = derivation
        .between(request.between.take())
        .map_err(|e| model.error(e))?;
    let sections = || -> Vec<Section> {
        let topics = request.topics.iter();
        topics.map(|t| derivation.section(*t)).collect()
    };
    answer(
        common,
        model,
        &diagnostics,
        || document::Derivation::from_iter(&sections()),
        || {
            let text = match format {
                Format::Text if what.is_empty() => {
                    let prove = model.degrees_of_freedom() <= MAX_PROVED_DEGREES;
                    let model = reading.as_ref().unwrap_or(model);
                    text::overview(model, &derivation, model.name(), columns(), prove)
                }
                Format::Latex => typeset::latex(model.title(), &sections()),
                Format::Html => typeset::html(model.title(), &sections()),
                Format::Text | Format::Json => text::sections(&sections(), columns()),
            };
            drop(waiting);
            text
        },
    );
    Ok(ExitCode::SUCCESS)
}

fn eval(common: &Common, at: &str, chart: Option<&str>) -> Result<ExitCode, Error> {
    let loaded = load(common)?;
    // Points of ready-made manifolds are in the charts of these.
    let ready = chart.and_then(|name| loaded.in_ready_chart(name));
    let (model, chart) = match &ready {
        Some(model) => (model, None),
        None => (
            &loaded.facing_state(if chart.is_none() { at } else { "" }),
            chart,
        ),
    };
    // The given state is judged, not the initial one.
    let state = model.state_at(if chart.is_none() { at } else { "" });
    let here = state.as_ref().ok().filter(|_| chart.is_none());
    let diagnostics = allowed(model, model.diagnostics_at(here))?;
    let values = match chart {
        None => model.evaluate(&state?)?,
        Some(name) => (model.evaluate_in_chart(name, at)).map_err(|e| model.error(e))?,
    };
    let moving = [&values.position[..], &values.velocity[..]].concat();
    let contacts = match chart {
        None => model.contacts_at(values.time, &moving)?,
        Some(_) => None,
    };
    let mut diagnostics = diagnostics;
    if let Some(Err(warning)) = &contacts {
        diagnostics.push(warning.clone());
    }
    let found = contacts.as_ref().map(|c| c.as_ref().ok());
    answer(
        common,
        model,
        &diagnostics,
        || {
            let all = document::Evaluation::new(model.title(), &values);
            match found {
                Some(found) => all.with_contacts(found),
                None => all,
            }
        },
        || {
            let mut all = text::evaluation(model, &values);
            if let Some(Some(found)) = found {
                all += &text::contacts(found, &values.coordinates);
            }
            all
        },
    );
    Ok(ExitCode::SUCCESS)
}

fn decide(claim: &str, assume: &[String], json: bool) -> ExitCode {
    let list: Vec<&str> = assume.iter().map(String::as_str).collect();
    match galilei::decide(claim, &list) {
        Ok(decision) => {
            if json {
                print_document(&document::Decision::new(&decision));
            } else {
                print(&decision.verdict.to_string());
                if !decision.assumptions.is_empty() {
                    print(&format!("assuming {}", decision.assumptions.join(", ")));
                }
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            if json {
                print_document(&document::Refusal::new(error.diagnostics(), claim));
            } else {
                show_diagnostics(error.diagnostics(), "claim", claim, false);
            }
            ExitCode::from(EXIT_WRONG)
        }
    }
}
