//! The `galilei` command.

mod bench;
mod export;
mod files;
mod jacobi;
mod report;
mod run;
mod sweep;

use std::io::{Read, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use galilei::expr::{Decision, Pool, Reason, Verdict};
use galilei::report::{Derivation, Section, WHAT, contract, text, typeset};
use galilei::{Diagnostic, Model, Settings};

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
    Merge(sweep::MergeArguments),
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

/// A model with its text.
struct Loaded {
    name: String,
    source: String,
    diagnostics: Vec<Diagnostic>,
    model: Option<Model>,
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
        Command::Bench(common) => bench::bench(&common),
        Command::Sweep { common, sweep } => sweep::sweep(&common, &sweep),
        Command::Merge(arguments) => sweep::merge(&arguments),
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

/// Writes beside the file and moves it there: a reader sees all of it or nothing.
fn write_whole(path: &str, bytes: &[u8]) -> std::io::Result<()> {
    let partial = format!("{path}.{}.partial", std::process::id());
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

fn cannot_write(path: &str, why: &std::io::Error) -> Diagnostic {
    Diagnostic::error(
        "cannot_write",
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
    let (name, bytes) = if common.model == "-" {
        let mut bytes = Vec::new();
        let limit = 1 + galilei::syntax::MAX_FILE_BYTES as u64;
        let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
        ("standard input".to_owned(), read.map(|_| bytes))
    } else {
        let limit = 1 + galilei::syntax::MAX_FILE_BYTES as u64;
        let read = std::fs::File::open(&common.model).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(limit).read_to_end(&mut bytes).map(|_| bytes)
        });
        (common.model.clone(), read)
    };
    let unreadable = |message: String, hint: &str| Loaded {
        name: name.clone(),
        source: String::new(),
        diagnostics: vec![Diagnostic::error("cannot_read", message, hint, None)],
        model: None,
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(e) => return unreadable(format!("{name} cannot be read: {e}"), "check the path"),
    };
    let source = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
            return unreadable(
                format!("{name} is not UTF-8 text (line {line}, byte {at})"),
                "save the file as UTF-8",
            );
        }
    };
    let title = std::path::Path::new(&name)
        .file_stem()
        .map_or_else(|| name.clone(), |s| s.to_string_lossy().into_owned());
    let settings = Settings {
        set: common.set.clone(),
        title,
    };
    let source = source
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(source);
    let outcome = galilei::read(&source, &settings);
    Loaded {
        name,
        source,
        diagnostics: outcome.diagnostics,
        model: outcome.model,
    }
}

fn check(common: &Common) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let mut result = model.check();
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
    if result.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(WRONG)
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
    let mut diagnostics = loaded.diagnostics.clone();
    diagnostics.extend(
        model
            .validate()
            .into_iter()
            .filter(|d| !d.code.ends_with("_at_state") && d.code != "state_violates_constraint"),
    );
    let all = what.iter().any(|w| w == "all");
    let known: Vec<&str> = WHAT.iter().map(|w| w.0).collect();
    let mut wanted: Vec<&str> = Vec::new();
    for w in what.iter().filter(|w| *w != "all") {
        match WHAT.iter().find(|k| k.0 == w) {
            None => {
                let hint = match galilei::syntax::nearest(w, known.iter().copied()) {
                    Some(n) => format!("did you mean `{n}`?"),
                    None => format!("what can be derived: {}, all", known.join(", ")),
                };
                diagnostics.push(Diagnostic::error(
                    "unknown_request",
                    format!("`{w}` cannot be derived"),
                    hint,
                    None,
                ));
            }
            Some((_, false)) => diagnostics.push(Diagnostic::error(
                "not_available",
                format!("`{w}` is not available in this version"),
                "`derive all` gives what is",
                None,
            )),
            Some((name, true)) if !wanted.contains(name) => wanted.push(name),
            Some(_) => {}
        }
    }
    if all {
        wanted = WHAT.iter().filter(|w| w.1).map(|w| w.0).collect();
        let skipped: Vec<&str> = WHAT.iter().filter(|w| !w.1).map(|w| w.0).collect();
        if !skipped.is_empty() {
            diagnostics.push(Diagnostic::warning(
                "not_available",
                format!(
                    "skipped, because this version does not have it: {}",
                    skipped.join(", ")
                ),
                "",
                None,
            ));
        }
    }
    let overview = wanted.is_empty() && what.is_empty();
    if overview {
        wanted = vec!["lagrange", "energy"];
    }
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
    if overview && format == Format::Text && !common.json {
        tell(&diagnostics, &loaded, common.quiet);
        let prove = model.degrees_of_freedom() <= 8;
        print(text::overview(model, &derivation, &loaded.name, columns(), prove).trim_end());
        return ExitCode::SUCCESS;
    }
    let sections: Vec<Section> = wanted
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
    let mut diagnostics = loaded.diagnostics.clone();
    // The state asked for is judged, not the initial one.
    let state = model.state_at(if chart.is_none() { at } else { "" });
    let here = state.as_ref().ok().filter(|_| chart.is_none());
    diagnostics.extend(
        model
            .validate_at(here)
            .into_iter()
            .filter(|d| !d.code.ends_with("_at_state") && d.code != "state_violates_constraint"),
    );
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

/// The entries of a list: commas inside parentheses belong to the entries.
fn entries(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

fn decide(claim: &str, assume: &[String], json: bool) -> ExitCode {
    let pool = Pool::new();
    let list: Vec<&str> = assume.iter().flat_map(|a| entries(a)).collect();
    match galilei::read_claim(&pool, claim, &list) {
        Ok(query) => {
            let decision = query.decide();
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
        Err(errors) if errors.iter().all(|d| d.code == "model_too_large") => {
            let reason = Reason::OutOfReach("its derivatives grow too large");
            let decision = Decision {
                verdict: Verdict::Undecided(reason),
                assumptions: vec![],
            };
            if json {
                print(&contract::decision(&decision).to_string());
            } else {
                print(&decision.verdict.to_string());
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
