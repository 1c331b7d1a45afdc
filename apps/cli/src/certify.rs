//! `galilei simulate --certify`.

use std::process::ExitCode;
use std::time::Instant;

use galilei::{Certificate, Error, Model, Motion, NamedRange, Ranges, document};

use crate::progress::RunProgress;
use crate::run::ended;
use crate::terminal::print_result;
use crate::{Common, EXIT_FAILED, print_document, show_diagnostics};

/// The values of `--set` with intervals replaced by their middles, and the intervals.
pub(crate) fn ranges(set: &[String]) -> (Vec<String>, Vec<NamedRange>) {
    let lists: Vec<Ranges> = set.iter().map(|s| Ranges::of(s)).collect();
    let middles = lists.iter().map(|r| r.middle.clone()).collect();
    (middles, lists.into_iter().flat_map(|r| r.ranges).collect())
}

/// The parts of a request for a certificate.
pub(crate) struct Request<'a> {
    /// The model as the file gives it.
    pub(crate) model: &'a Model,
    /// The start, with intervals.
    pub(crate) at: Option<&'a str>,
    /// The parameters that are intervals.
    pub(crate) parameters: Vec<NamedRange>,
    /// The start and the end of the run, and the tolerance.
    pub(crate) numbers: [Option<f64>; 3],
}

impl Request<'_> {
    /// The certificate, and the seconds that it took.
    pub(crate) fn answer(&self, common: &Common) -> Result<(Certificate, f64), Error> {
        let started = Instant::now();
        let bar = RunProgress::new(common.quiet || common.json);
        let [from, to, tolerance] = self.numbers;
        let found = self
            .model
            .certify()
            .from(from)
            .to(to)
            .tolerance(tolerance)
            .at(self.at.unwrap_or_default())
            .parameters(self.parameters.clone())
            .progress(|p| bar.show(p))
            .run()?;
        Ok((found, started.elapsed().as_secs_f64()))
    }
}

/// Prints a run with its certificate.
pub(crate) fn print(
    common: &Common,
    model: &Model,
    motion: &Motion,
    (certificate, seconds): (&Certificate, f64),
    (diagnostics, summary): (&[galilei::Diagnostic], &str),
) -> ExitCode {
    let names = [&motion.output_names[..], &motion.event_names[..]];
    if common.json {
        let run = document::Run::new(model.title(), motion);
        let notes = (diagnostics, model.source());
        let document = document::Certified::new(run, certificate, names, seconds, notes);
        print_document(&document);
    } else {
        show_diagnostics(diagnostics, model.name(), model.source(), common.quiet);
        print_result(summary.trim_end());
        print_result(text(motion, certificate, seconds).trim_end());
    }
    match certificate.certified {
        true => ended(common, motion),
        false => ExitCode::from(EXIT_FAILED),
    }
}

fn text(motion: &Motion, c: &Certificate, seconds: f64) -> String {
    use std::fmt::Write;
    let mut out = String::from("\n");
    let [low, high] = c.time;
    let time = match low == high {
        true => format!("t = {low}"),
        false => format!("t in [{low:?}, {high:?}]"),
    };
    let _ = match &c.reason {
        None => writeln!(out, "  certified to {time}: the motion lies in"),
        Some(why) => writeln!(
            out,
            "  certified until {time} only: {why}; there it lies in"
        ),
    };
    let interval =
        |[low, high]: [f64; 2]| format!("[{low:.17e}, {high:.17e}]  width {:.1e}", high - low);
    let primes = motion.coordinates.iter().map(|c| format!("{c}'"));
    let names = motion.coordinates.iter().cloned().chain(primes);
    let entries = c.position.iter().chain(&c.velocity);
    for (name, x) in names.zip(entries).take(32) {
        let _ = writeln!(out, "  {name:<12} {}", interval(*x));
    }
    for (name, x) in motion.output_names.iter().zip(&c.outputs) {
        let _ = match x {
            Some(x) => writeln!(out, "  {name:<12} {}", interval(*x)),
            None => writeln!(out, "  {name:<12} not enclosed"),
        };
    }
    for e in c.events.iter().take(12) {
        let name = motion.event_names.get(e.event).map_or("", String::as_str);
        let [low, high] = e.time;
        let how = match e.certified {
            true => "happens once at t in",
            false => "may or may not happen at t in",
        };
        let _ = writeln!(out, "  event {name} {how} [{low:?}, {high:?}]");
    }
    if c.events.len() > 12 {
        let _ = writeln!(out, "  … {} more events", c.events.len() - 12);
    }
    let _ = writeln!(
        out,
        "  {} certified steps of order {}, {:.1} ms",
        c.steps,
        c.order,
        1e3 * seconds
    );
    out
}
