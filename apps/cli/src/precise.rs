//! `galilei simulate --precision`.

use std::process::ExitCode;

use galilei::{
    Code, Decimal, Diagnostic, Error, Model, PreciseFailure, PreciseMotion, Precision, RunSettings,
    document,
};
use galilei_export::data::{DecimalTable, Format};

use crate::files::{companion, writable};
use crate::interrupt::EXIT_INTERRUPTED;
use crate::progress::RunProgress;
use crate::terminal::{print_result, say};
use crate::{
    Common, EXIT_FAILED, allowed, cannot_write, print_document, show_diagnostics, write_whole,
};

/// The precision of a number of bits.
pub(crate) fn precision(bits: usize) -> Result<Precision, Diagnostic> {
    Precision::of_bits(bits).ok_or_else(|| {
        Diagnostic::error(
            Code::WrongSetting,
            format!("`precision` is {bits}"),
            "it is 106 (about 32 digits) or 212 (about 64 digits)",
            None,
        )
    })
}

/// Makes a run in many digits and prints it.
pub(crate) fn simulate(
    common: &Common,
    model: &Model,
    (precision, settings): (Precision, RunSettings),
    (output, start): (Option<&str>, Option<&str>),
) -> Result<ExitCode, Error> {
    let mut diagnostics = model.diagnostics_before(&settings);
    if let Some(path) = output {
        diagnostics.extend(decimals_writable(path).err());
    }
    let mut diagnostics = allowed(model, diagnostics)?;
    let bar = RunProgress::new(common.quiet || common.json);
    let motion = model
        .simulate_precisely(precision)
        .settings(settings.unrecorded(output.is_none()))
        .progress(|p| bar.show(p))
        .run()?;
    drop(bar);
    diagnostics.extend(motion.warnings.iter().cloned());
    if let Some(path) = output {
        write(path, &motion, model, start).map_err(|d| model.error(d))?;
    }
    if common.json {
        let notes = (diagnostics.as_slice(), model.source());
        print_document(&document::PreciseSimulation::new(
            model.title(),
            &motion,
            notes,
        ));
    } else {
        show_diagnostics(&diagnostics, model.name(), model.source(), common.quiet);
        print_result(summary(model.title(), &motion).trim_end());
    }
    Ok(match motion.run.failure {
        None => ExitCode::SUCCESS,
        Some(PreciseFailure::Interrupted) => ExitCode::from(EXIT_INTERRUPTED),
        Some(why) => {
            if !common.json {
                say(&format!("the run failed at t = {}: {why}", motion.run.time));
            }
            ExitCode::from(EXIT_FAILED)
        }
    })
}

/// Refuses formats whose numbers are doubles.
fn decimals_writable(path: &str) -> Result<(), Diagnostic> {
    match writable(path)? {
        Format::Csv => Ok(()),
        format => Err(Diagnostic::error(
            Code::NotAvailable,
            format!("the numbers in .{} files are doubles", format.ending()),
            "write to a file that ends in .csv, which has all digits",
            None,
        )),
    }
}

fn write(
    path: &str,
    motion: &PreciseMotion,
    model: &Model,
    start: Option<&str>,
) -> Result<(), Diagnostic> {
    let run = &motion.run;
    let values = model.parameter_values().unwrap_or_default();
    let parameters: Vec<String> = values.iter().map(|(s, v)| format!("{s} = {v}")).collect();
    let mut notes = vec![
        ("galilei_version".into(), env!("CARGO_PKG_VERSION").into()),
        ("parameters".into(), parameters.join(", ")),
        ("method".into(), made(motion)),
    ];
    notes.extend(start.map(|state| ("start".into(), state.to_owned())));
    notes.push(("model".into(), model.source().to_owned()));
    let text = |x: &Decimal| x.as_str().to_owned();
    let row = |r: &Vec<Option<Decimal>>| {
        let texts = r.iter().map(|x| x.as_ref().map_or(String::new(), text));
        texts.collect()
    };
    let mut columns = motion.columns();
    let table = DecimalTable {
        columns: columns.clone(),
        rows: run.rows.iter().map(row).collect(),
        notes: notes.clone(),
    };
    let failed = |path: &str, e: std::io::Error| cannot_write(path, &e);
    write_whole(path, &table.csv(None)).map_err(|e| failed(path, e))?;
    if motion.event_names.is_empty() {
        return Ok(());
    }
    columns.truncate(1 + 2 * motion.coordinates.len());
    let names = run
        .events
        .iter()
        .map(|e| motion.event_names[e.event].clone());
    let names: Vec<String> = names.collect();
    let rows = run.events.iter().map(|e| {
        let all = std::iter::once(&e.time).chain(&e.state);
        all.map(text).collect()
    });
    let table = DecimalTable {
        columns,
        rows: rows.collect(),
        notes,
    };
    let path = companion(path, "events");
    write_whole(&path, &table.csv(Some(&names))).map_err(|e| failed(&path, e))
}

/// The method and settings of a run, in a few words.
fn made(motion: &PreciseMotion) -> String {
    let run = &motion.run;
    format!(
        "taylor, {} bits, tolerance {:?}",
        run.precision.bits(),
        run.tolerance
    )
}

fn summary(title: &str, m: &PreciseMotion) -> String {
    use std::fmt::Write;
    const MAX_LINES: usize = 12;
    let (run, n) = (&m.run, m.coordinates.len());
    let mut out = format!("{title}\n\n");
    let status = match (run.failure, run.ended_by) {
        (Some(why), _) => format!("failed: {why}"),
        (None, Some(k)) => format!("ended by the event {}", m.event_names[k]),
        (None, None) => "finished".to_owned(),
    };
    let _ = writeln!(out, "  t = {}, {status}", run.time);
    let names = m.columns();
    for (name, x) in names[1..].iter().zip(&run.state).take(32) {
        let _ = writeln!(out, "  {name:<12} {x:>}");
    }
    if n > 16 {
        let _ = writeln!(out, "  … {} more", n - 16);
    }
    for (name, x) in m.output_names.iter().zip(&run.outputs) {
        let x = x.as_ref().map_or("no value", Decimal::as_str);
        let _ = writeln!(out, "  {name:<12} {x}");
    }
    for e in run.events.iter().take(MAX_LINES) {
        let _ = writeln!(out, "  event {} at t = {}", m.event_names[e.event], e.time);
    }
    if run.events.len() > MAX_LINES {
        let _ = writeln!(out, "  … {} more events", run.events.len() - MAX_LINES);
    }
    for (k, time) in run.touched.iter().take(MAX_LINES) {
        let _ = writeln!(
            out,
            "  event {} may be touched at t = {time}, without a change of sign",
            m.event_names[*k]
        );
    }
    let _ = writeln!(
        out,
        "\n  {} steps of order {} in {} bits{}, energy balance {:.1e}, {:.1} ms",
        run.steps,
        run.order,
        run.precision.bits(),
        match run.rejected {
            0 => String::new(),
            k => format!(" and {k} rejected"),
        },
        run.energy_balance,
        1e3 * m.seconds
    );
    out
}
