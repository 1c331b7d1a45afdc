//! `galilei sweep`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Block, Code, Diagnostic, Error, Model, Sweep, SweepBuilder, SweepSeconds};
use galilei_export::data::Table;
use galilei_export::journal::{Journal, JournalError, Record};

use crate::failures::Failures;
use crate::files::{self, not_written};
use crate::interrupt::{self, EXIT_INTERRUPTED, Stoppable};
use crate::picture::Picture;
use crate::progress::SweepProgress;
use crate::run::Span;
use crate::terminal::say;
use crate::{Common, EXIT_FAILED, answer, cannot_write, counted, print_document, write_whole};

#[derive(Args)]
pub(crate) struct SweepArguments {
    /// The number of samples (at each point of the grid)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = counted::<u64>)]
    sample: Option<u64>,
    /// The seed of the samples; equal seeds give equal samples
    #[arg(long, default_value_t = 1, allow_hyphen_values = true, value_parser = counted::<u64>)]
    seed: u64,
    /// Initial values and parameters to draw, each between two numbers
    #[arg(long, value_name = "\"theta in -1..1, m in 0.9..1.1\"")]
    vary: Vec<String>,
    /// Initial values and parameters to take in all combinations
    #[arg(long, value_name = "\"a in 0..1 by 0.1, b in [1, 2, 5]\"")]
    grid: Vec<String>,
    /// Path of a picture of the runs, as SVG: Poincaré sections, bifurcation diagrams, maps
    #[arg(long, value_name = "FILE.svg", requires = "axes")]
    plot: Option<String>,
    /// The columns of the picture: horizontal, vertical, and colour if there is a third
    #[arg(long, value_name = "X,Y[,COLOUR]", requires = "plot")]
    axes: Option<String>,
    /// Draw the states at this event, instead of those at the ends of the runs
    #[arg(long, value_name = "NAME", requires = "plot")]
    event: Option<String>,
    /// Also the largest K Lyapunov exponents along each run, with standard errors: maps of chaos
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "1", value_parser = counted::<usize>)]
    lyapunov: Option<usize>,
    /// Only one part of several: 1/4 to 4/4
    #[arg(long, value_name = "i/n", value_parser = shard)]
    shard: Option<(u64, u64)>,
    /// The number of threads; all cores if absent
    #[arg(long, allow_hyphen_values = true, value_parser = counted::<usize>)]
    threads: Option<usize>,
    /// The number of runs in the lanes of a thread: 1, 4 or 8
    #[arg(long, allow_hyphen_values = true, value_parser = counted::<usize>)]
    lanes: Option<usize>,
    /// Path of final states, outputs and events; its ending chooses the format: .csv, .npz, .parquet. While the sweep
    /// runs, its results are in FILE.journal; an interrupted sweep continues from there
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    span: Span,
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.ok_or_else(|| "write 1/4 for the first of four parts".to_owned())
}

impl SweepArguments {
    /// The requested sweep.
    fn builder<'m>(&self, model: &'m Model) -> Result<SweepBuilder<'m>, Error> {
        Ok(model
            .sweep()
            .settings(self.span.settings(model)?)
            .sample(self.sample)
            .seed(self.seed)
            .vary_all(&self.vary)
            .grid_all(&self.grid)
            .lyapunov(self.lyapunov)
            .shard(self.shard)
            .threads(self.threads)
            .lanes(self.lanes))
    }

    /// The settings that determine the results of the sweep, as a text; threads and lanes are no part of it.
    fn request(&self) -> String {
        let mut words = self.span.words();
        words.extend(
            self.sample
                .map(|n| format!("--sample {n} --seed {}", self.seed)),
        );
        words.extend(self.vary.iter().map(|v| format!("--vary \"{v}\"")));
        words.extend(self.grid.iter().map(|v| format!("--grid \"{v}\"")));
        words.extend(self.lyapunov.map(|k| format!("--lyapunov {k}")));
        words.join(" ")
    }
}

/// The state of a sweep that is running.
struct Progress<'a> {
    sweep: &'a Sweep,
    /// All blocks, if they are kept.
    blocks: BTreeMap<u64, Record>,
    done: u64,
    failures: Failures,
}

impl Progress<'_> {
    fn count(&mut self, record: &Record) {
        self.done += record.rows.len() as u64;
        self.failures
            .count(&record.rows, self.sweep.status_column());
        self.failures.explain(&record.failures);
    }
}

/// The most numbers that are kept in memory.
const MAX_NUMBERS: u64 = 400_000_000;

pub(crate) fn sweep(common: &Common, arguments: &SweepArguments) -> Result<ExitCode, Error> {
    let model = &arguments.span.load(common)?;
    let (_, diagnostics) = arguments.span.allowed(model)?;
    let outcome = computed(common, arguments, model)?;
    if let Some(interrupted) = &outcome.interrupted {
        if common.json {
            print_document(&outcome.document());
        }
        say(interrupted);
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
    answer(
        common,
        model,
        &diagnostics,
        || outcome.document(),
        || outcome.summary(model.title()),
    );
    outcome.failures.report(outcome.trajectories, common.quiet);
    let all = outcome.trajectories > 0 && outcome.failures.failed() == outcome.trajectories;
    Ok(match all {
        true => ExitCode::from(EXIT_FAILED),
        false => ExitCode::SUCCESS,
    })
}

/// The result of a sweep.
struct Outcome {
    trajectories: u64,
    resumed: u64,
    failures: Failures,
    method: &'static str,
    lanes: usize,
    threads: usize,
    seconds: SweepSeconds,
    /// The message about an interrupted sweep: which results were kept, and how to continue it.
    interrupted: Option<String>,
}

impl Outcome {
    fn rate(&self) -> f64 {
        (self.trajectories - self.resumed) as f64 / self.seconds.integrate.max(1e-9)
    }

    fn document(&self) -> document::Sweep {
        document::Sweep {
            trajectories: self.trajectories,
            failed: self.failures.failed(),
            trajectories_per_second: self.rate(),
            lanes: self.lanes,
            threads: self.threads,
            compile_seconds: self.seconds.compile,
            integrate_seconds: self.seconds.integrate,
            resumed: self.resumed,
        }
    }

    fn summary(&self, title: &str) -> String {
        let resumed = match self.resumed {
            0 => String::new(),
            k => format!(", {k} of them from an earlier run"),
        };
        format!(
            "{title}\n\n  {} runs{resumed}; {} failed\n\n  {}: {:.0} runs per second, {} lanes in {} threads; compiled in {:.1} ms\n",
            self.trajectories,
            self.failures.failed(),
            self.method,
            self.rate(),
            self.lanes,
            self.threads,
            1e3 * self.seconds.compile,
        )
    }
}

fn journal_of(path: &str) -> PathBuf {
    PathBuf::from(format!("{path}.journal"))
}

fn cannot_resume(path: &Path, why: &JournalError) -> Diagnostic {
    let message = format!("`{}` cannot be used: {why}", path.display());
    match why {
        JournalError::Other => Diagnostic::error(
            Code::OtherJournal,
            message,
            "finish that sweep with its own command, or remove the file to begin anew",
            None,
        ),
        JournalError::Busy => Diagnostic::error(
            Code::JournalInUse,
            message,
            "wait for it, or write to another file",
            None,
        ),
        JournalError::Io(_) => {
            Diagnostic::error(Code::CannotWrite, message, "check the path", None)
        }
    }
}

fn computed(common: &Common, arguments: &SweepArguments, model: &Model) -> Result<Outcome, Error> {
    let refused = |d: Diagnostic| model.error(d);
    if let Some(path) = &arguments.output {
        files::writable(path).map_err(refused)?;
        if arguments.shard.is_some() {
            files::part(path).map_err(refused)?;
        }
    }
    let sweep = arguments.builder(model)?.build()?;
    let range = sweep.range();
    let runs = range.end - range.start;
    if arguments.output.is_some() && runs.saturating_mul(sweep.columns().len() as u64) > MAX_NUMBERS
    {
        return Err(refused(Diagnostic::error(
            Code::WrongSetting,
            format!("{runs} runs are too many for one file"),
            "compute parts of them with --shard 1/100 and so on",
            None,
        )));
    }
    let notes = notes(common, arguments, &sweep, model);
    let mut picture = match &arguments.plot {
        None => None,
        Some(_) => Some(
            Picture::new(
                &sweep,
                arguments.axes.as_deref(),
                arguments.event.as_deref(),
            )
            .map_err(refused)?,
        ),
    };
    let mut progress = Progress {
        sweep: &sweep,
        blocks: BTreeMap::new(),
        done: 0,
        failures: Failures::default(),
    };
    let mut journal = match &arguments.output {
        None => None,
        Some(path) => {
            let journal = journal_of(path);
            let request = format!("{notes:?} {:?} {range:?}", arguments.shard);
            let opened = Journal::open(&journal, &request);
            let (opened, found) = opened.map_err(|e| refused(cannot_resume(&journal, &e)))?;
            let known = sweep.blocks();
            for record in found {
                if known.contains(&record.number) && !progress.blocks.contains_key(&record.number) {
                    progress.count(&record);
                    if let Some(picture) = &mut picture {
                        picture.add(&record.rows, &record.events);
                    }
                    progress.blocks.insert(record.number, record);
                }
            }
            Some(opened)
        }
    };
    let resumed = progress.done;
    let there: Vec<u64> = progress.blocks.keys().copied().collect();
    let meter = SweepProgress::new(common.quiet || common.json, runs, resumed);
    let stoppable = Stoppable::new();
    let mut trouble = None;
    let seconds = sweep.run(
        |block| there.binary_search(&block).is_ok(),
        |block| {
            let record = recorded(block);
            progress.count(&record);
            if let Some(picture) = &mut picture {
                picture.add(&record.rows, &record.events);
            }
            meter.show(progress.done);
            if let Some(journal) = &mut journal {
                if let Err(e) = journal.write(&record) {
                    trouble = Some(e);
                    return false;
                }
                progress.blocks.insert(record.number, record);
            }
            !interrupt::asked()
        },
    );
    drop(meter);
    drop(stoppable);
    if let (Some(path), Some(e)) = (&arguments.output, trouble) {
        return Err(refused(cannot_write(path, &e)));
    }
    let interrupted = (interrupt::asked() && progress.done < runs).then(|| {
        let done = format!("interrupted after {} of {runs} runs", progress.done);
        match &arguments.output {
            Some(path) => format!(
                "{done}, which are in {}; the same command continues from there",
                journal_of(path).display()
            ),
            None => format!("{done}; with -o FILE the same command would continue from there"),
        }
    });
    if let (Some(path), Some(picture), None) = (&arguments.plot, &picture, &interrupted) {
        let text = picture.to_svg(model.title());
        write_whole(path, text.as_bytes()).map_err(|e| refused(cannot_write(path, &e)))?;
    }
    if let Some(path) = &arguments.output
        && interrupted.is_none()
    {
        let tables = tables(&sweep, notes, progress.blocks.into_values());
        files::write(path, &tables[0]).map_err(|e| refused(not_written(path, e)))?;
        if !sweep.event_names().is_empty() {
            let events = files::companion(path, "events");
            files::write(&events, &tables[1]).map_err(|e| refused(not_written(&events, e)))?;
        }
        // All results are in the files.
        let _ = std::fs::remove_file(journal_of(path));
    }
    Ok(Outcome {
        trajectories: progress.done,
        resumed,
        failures: progress.failures,
        method: sweep.method(),
        lanes: sweep.lanes(),
        threads: sweep.threads(),
        seconds,
        interrupted,
    })
}

/// The record of a block in the journal.
fn recorded(block: Block) -> Record {
    let failures = block.failures.into_iter();
    Record {
        number: block.number,
        rows: block.rows,
        events: block.events,
        failures: failures
            .map(|(run, stop)| vec![run as f64, stop as usize as f64])
            .collect(),
    }
}

/// Notes that are stored with the numbers; they are equal for all parts of a sweep.
fn notes(
    common: &Common,
    arguments: &SweepArguments,
    sweep: &Sweep,
    model: &Model,
) -> Vec<(String, String)> {
    let mut notes = vec![
        (
            "galilei_version".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ),
        ("runs".into(), sweep.total().to_string()),
        ("request".into(), arguments.request()),
        ("set".into(), common.set.join(",")),
        (
            "method".into(),
            format!("{}, tolerance {:?}", sweep.method(), sweep.tolerance()),
        ),
    ];
    if !sweep.event_names().is_empty() {
        notes.push(("events".into(), sweep.event_names().join(", ")));
    }
    notes.push(("model".into(), model.source().trim_end().to_owned()));
    notes
}

/// Runs and events as tables.
fn tables(
    sweep: &Sweep,
    notes: Vec<(String, String)>,
    blocks: impl Iterator<Item = Record>,
) -> [Table; 2] {
    let mut runs = Table {
        columns: sweep.columns(),
        rows: vec![],
        notes,
    };
    let mut events = Table {
        columns: sweep.event_columns(),
        rows: vec![],
        notes: runs.notes.clone(),
    };
    for block in blocks {
        runs.rows.extend(block.rows);
        events.rows.extend(block.events);
    }
    [runs, events]
}
