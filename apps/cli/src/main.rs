//! The `galilei` command.

mod bench;
mod export;
mod failures;
mod files;
mod jacobi;
mod merge;
mod report;
mod run;
mod stationary;
mod sweep;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use galilei::report::{Derivation, Request, Section, contract, text, typeset};
use galilei::{Code, Diagnostic, Loaded};

/// The model or the request is wrong.
const WRONG: u8 = 1;
/// The computation failed; partial results are kept.
const FAILED: u8 = 3;

/// Mechanical systems written as geometry: equations of motion, and the proof that they are right.
#[derive(Parser)]
#[command(name = "galilei", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What holds: geometry, forces, constraints, units
    #[command(after_help = "Example: galilei check models/kapitza-pendulum.gal")]
    Check(Common),
    /// Equations and forms
    #[command(
        after_help = "Example: galilei derive models/kapitza-pendulum.gal hamilton action-form\n\nWHAT: metric kinetic lagrangian cartan action-form lagrange hamiltonian hamilton energy forces inertia time-independent virtual-work central action first-variation nonholonomic reaction constrained-hamilton vertical jacobi, all; default: lagrange energy"
    )]
    Derive {
        #[command(flatten)]
        common: Common,
        /// What to derive
        what: Vec<String>,
        /// How to print it
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
    /// How a run changes with its start and with parameters
    #[command(
        after_help = "Example: galilei jacobi models/double-pendulum.gal --by m2,l2 --gradient th2"
    )]
    Jacobi {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        jacobi: jacobi::JacobiArguments,
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
    /// How fast this model is here: parse, derive, compile, evaluate
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
    /// The verdict on an identity
    #[command(after_help = "Example: galilei decide \"sqrt(x^2) = x\" --assume \"x > 0\"")]
    Decide {
        /// EXPR = EXPR
        #[arg(allow_hyphen_values = true)]
        claim: String,
        /// An inequality to take for granted; may be given several times, or as a list
        #[arg(long, value_name = "INEQUALITY", allow_hyphen_values = true)]
        assume: Vec<String>,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
        /// Nothing but the answer
        #[arg(long)]
        quiet: bool,
    },
    /// Completions for a shell, on standard output
    #[command(
        after_help = "Example: galilei completions bash > ~/.local/share/bash-completion/completions/galilei"
    )]
    Completions {
        /// bash, zsh, fish, elvish, powershell
        shell: clap_complete::Shell,
    },
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
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Nothing but the answer
    #[arg(long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Check(common) => check(&common),
        Command::Derive {
            mut common,
            what,
            format,
            chart,
        } => {
            common.json |= format == Format::Json;
            derive(&common, &what, format, chart.as_deref())
        }
        Command::Eval { common, at, chart } => eval(&common, &at, chart.as_deref()),
        Command::Simulate { common, run } => run::simulate(&common, &run),
        Command::Jacobi { common, jacobi } => jacobi::jacobi(&common, &jacobi),
        Command::Stationary { common, stationary } => stationary::stationary(&common, &stationary),
        Command::Bench(common) => bench::bench(&common),
        Command::Sweep { common, sweep } => sweep::sweep(&common, &sweep),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Report { common, report } => report::report(&common, &report),
        Command::Export { common, export } => export::export(&common, &export),
        Command::Decide {
            claim,
            assume,
            json,
            ..
        } => decide(&claim, &assume, json),
        Command::Completions { shell } => {
            clap_complete::generate(
                shell,
                &mut Arguments::command(),
                "galilei",
                &mut std::io::stdout(),
            );
            ExitCode::SUCCESS
        }
    }
}

/// Reads how many there shall be of something.
fn counted<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let none = |_| "write a whole number that is not negative".to_owned();
    text.parse().map_err(none)
}

/// Prints to standard output; a closed pipe is not an error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
}

fn tell(diagnostics: &[Diagnostic], loaded: &Loaded, quiet: bool) {
    for d in diagnostics.iter().filter(|d| d.is_error() || !quiet) {
        eprintln!("{}", d.render(&loaded.name, &loaded.source));
    }
}

/// Writes beside the file and moves it there: a reader sees all of it or nothing. What is there and no file, a device or
/// a pipe, is written to and stays what it is.
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

fn refuse(common: &Common, loaded: &Loaded, diagnostics: &[Diagnostic]) -> ExitCode {
    if common.json {
        print(&contract::refusal(diagnostics, &loaded.source).to_string());
    } else {
        tell(diagnostics, loaded, common.quiet);
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        eprintln!(
            "{errors} error{} in {}",
            if errors == 1 { "" } else { "s" },
            loaded.name
        );
    }
    ExitCode::from(WRONG)
}

fn load(common: &Common) -> Loaded {
    match common.model.as_str() {
        "-" => Loaded::from_reader("standard input", std::io::stdin().lock(), &common.set),
        path => Loaded::open(path, &common.set),
    }
}

fn check(common: &Common) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let mut result = galilei::check(&model);
    let mut diagnostics = loaded.diagnostics.clone();
    diagnostics.append(&mut result.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refuse(common, &loaded, &diagnostics);
    }
    if common.json {
        let answer = contract::check(model.title(), &result);
        print(&contract::with_warnings(answer, &diagnostics, &loaded.source).to_string());
    } else {
        tell(&diagnostics, &loaded, common.quiet);
        print(text::check(model.title(), &result, columns()).trim_end());
    }
    match result.ok {
        Some(false) => ExitCode::from(WRONG),
        Some(true) | None => ExitCode::SUCCESS,
    }
}

/// The width of the terminal.
fn columns() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    given
        .or_else(|| terminal_size::terminal_size().map(|s| usize::from(s.0.0)))
        .unwrap_or(100)
        .clamp(40, 400)
}

fn derive(common: &Common, what: &[String], format: Format, chart: Option<&str>) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let mut request = Request::of(what);
    let mut diagnostics = loaded.before_formulas(model);
    diagnostics.append(&mut request.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refuse(common, &loaded, &diagnostics);
    }
    let derivation = match chart {
        None => Derivation::new(model),
        Some(name) => match Derivation::in_chart(model, name) {
            Ok(d) => d,
            Err(e) => return refuse(common, &loaded, &[e]),
        },
    };
    if what.is_empty() && format == Format::Text && !common.json {
        tell(&diagnostics, &loaded, common.quiet);
        let prove = model.degrees_of_freedom() <= 8;
        print(text::overview(model, &derivation, &loaded.name, columns(), prove).trim_end());
        return ExitCode::SUCCESS;
    }
    let sections: Vec<Section> = request
        .sections
        .iter()
        .filter_map(|w| derivation.section(w))
        .collect();
    if common.json {
        let answer = typeset::json(&sections);
        print(&contract::with_warnings(answer, &diagnostics, &loaded.source).to_string());
        return ExitCode::SUCCESS;
    }
    tell(&diagnostics, &loaded, common.quiet);
    match format {
        Format::Latex => print(&typeset::latex(model.title(), &sections)),
        Format::Html => print(&typeset::html(model.title(), &sections)),
        _ => print(text::sections(&sections, columns()).trim_end()),
    }
    ExitCode::SUCCESS
}

fn eval(common: &Common, at: &str, chart: Option<&str>) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    // The state asked for is judged, not the initial one.
    let state = model.state_at(if chart.is_none() { at } else { "" });
    let here = state.as_ref().ok().filter(|_| chart.is_none());
    let diagnostics = loaded.before_values(model, here);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refuse(common, &loaded, &diagnostics);
    }
    let result = match chart {
        None => state.and_then(|state| model.evaluate(&state)),
        Some(name) => model.evaluate_in_chart(name, at),
    };
    match result {
        Ok(e) => {
            if common.json {
                let answer = contract::evaluation(model.title(), &e);
                print(&contract::with_warnings(answer, &diagnostics, &loaded.source).to_string());
            } else {
                tell(&diagnostics, &loaded, common.quiet);
                print(text::evaluation(model.title(), &e).trim_end());
            }
            ExitCode::SUCCESS
        }
        Err(errors) => refuse(common, &loaded, &errors),
    }
}

fn decide(claim: &str, assume: &[String], json: bool) -> ExitCode {
    let list: Vec<&str> = assume.iter().map(String::as_str).collect();
    match galilei::decide(claim, &list) {
        Ok(decision) => {
            if json {
                print(&contract::decision(&decision).to_string());
            } else {
                print(&decision.verdict.to_string());
                if !decision.assumptions.is_empty() {
                    print(&format!("assuming {}", decision.assumptions.join(", ")));
                }
            }
            ExitCode::SUCCESS
        }
        Err(errors) => {
            if json {
                print(&contract::refusal(&errors, claim).to_string());
            } else {
                for d in &errors {
                    eprintln!("{}", d.render("claim", claim));
                }
            }
            ExitCode::from(WRONG)
        }
    }
}
