//! `galilei stationary`.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{ActionKind, Error, Model, StationaryMotions, StationarySearch};
use galilei_export::data::Table;

use crate::files;
use crate::run::Span;
use crate::{Common, EXIT_FAILED, answer, cannot_write, counted};

#[derive(Args)]
pub(crate) struct StationaryArguments {
    /// Positions at the start; missing ones come from `initial`
    #[arg(long, default_value = "", value_name = "\"theta=0.1\"")]
    start: String,
    /// Positions at the end
    #[arg(long, default_value = "", value_name = "\"theta=2\"")]
    end: String,
    /// Coordinates that are free at the start: their momenta vanish there
    #[arg(long, value_delimiter = ',', value_name = "x,y")]
    free_start: Vec<String>,
    /// Coordinates that are free at the end
    #[arg(long, value_delimiter = ',', value_name = "x,y")]
    free_end: Vec<String>,
    /// The functional: a, b (principle I), c, d (II), e, f (III)
    #[arg(long, default_value = "e")]
    functional: String,
    /// The number of initial curves
    #[arg(long, default_value_t = 8, allow_hyphen_values = true, value_parser = counted::<usize>)]
    starts: usize,
    /// The seed of the initial curves
    #[arg(long, default_value_t = 1, allow_hyphen_values = true, value_parser = counted::<u64>)]
    seed: u64,
    /// The degree of the polynomials
    #[arg(long, default_value_t = 6, allow_hyphen_values = true, value_parser = counted::<usize>)]
    degree: usize,
    /// The initial number of pieces of the curve
    #[arg(long, default_value_t = 8, allow_hyphen_values = true, value_parser = counted::<usize>)]
    elements: usize,
    /// Path of the data file; its ending chooses the format: .csv, .npz, .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    span: Span,
}

impl StationaryArguments {
    fn search<'m>(&self, model: &'m Model) -> Result<StationarySearch<'m>, Error> {
        let functional = self.functional.parse::<ActionKind>();
        Ok(model
            .stationary()
            .settings(self.span.settings(model)?)
            .start(&self.start)
            .end(&self.end)
            .free_start(&self.free_start)
            .free_end(&self.free_end)
            .functional(functional.map_err(|e| model.error(e))?)
            .starts(self.starts)
            .seed(self.seed)
            .degree(self.degree)
            .elements(self.elements))
    }
}

pub(crate) fn stationary(
    common: &Common,
    arguments: &StationaryArguments,
) -> Result<ExitCode, Error> {
    let model = &arguments.span.load(common)?;
    let (_, mut diagnostics) = arguments.span.allowed(model)?;
    let search = arguments.search(model)?;
    if let Some(path) = &arguments.output {
        files::writable(path).map_err(|d| model.error(d))?;
    }
    let found = search.run()?;
    diagnostics.extend(found.warning());
    if let Some(path) = &arguments.output {
        let table = table(&found, model.source());
        if let Err(e) = files::write(path, &table) {
            let e = std::io::Error::from(e);
            return Err(model.error(cannot_write(path, &e)));
        }
    }
    answer(
        common,
        model,
        &diagnostics,
        || document::Stationary::new(model.title(), &arguments.functional, &found),
        || summary(model.title(), &found),
    );
    Ok(match found.motions.is_empty() {
        true => ExitCode::from(EXIT_FAILED),
        false => ExitCode::SUCCESS,
    })
}

/// The motions as rows: the number of the motion, then the columns of a run.
fn table(found: &StationaryMotions, source: &str) -> Table {
    let mut columns = vec!["motion".to_owned(), "t".to_owned()];
    columns.extend(found.coordinates.iter().cloned());
    columns.extend(found.coordinates.iter().map(|c| format!("{c}'")));
    columns.extend(found.output_names.iter().cloned());
    let rows = found.motions.iter().enumerate().flat_map(|(k, m)| {
        let rows = m.motion.run.rows.iter();
        rows.map(move |row| [&[(k + 1) as f64], &row[..]].concat())
    });
    Table {
        columns,
        rows: rows.collect(),
        notes: vec![
            ("galilei_version".into(), env!("CARGO_PKG_VERSION").into()),
            ("model".into(), source.trim_end().to_owned()),
        ],
    }
}

fn summary(title: &str, found: &StationaryMotions) -> String {
    let mut out = format!("{title}\n\n");
    let n = found.coordinates.len();
    let counted = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let what = match found.forced {
        true => "(virtual work vanishes; forces have no part in the action)",
        false => "with stationary action",
    };
    let _ = writeln!(
        out,
        "  {} {what}, from {}",
        counted(found.motions.len(), "motion"),
        counted(found.starts, "curve")
    );
    for (k, m) in found.motions.iter().enumerate() {
        let s = &m.solution;
        let kind = match s.index {
            _ if found.forced => "not stationary under these forces".to_owned(),
            Some(0) => "a minimum".to_owned(),
            Some(i) => format!("no minimum: index {i}"),
            None => "index not determined".to_owned(),
        };
        let _ = writeln!(out, "\n  {}. action {:.12e}, {kind}", k + 1, s.action);
        for (i, name) in found.coordinates.iter().enumerate().take(16) {
            let (a, b) = (&s.states[0], &s.states[s.elements()]);
            let _ = writeln!(
                out,
                "     {name:<10} {:>19} → {:>19}   rate {:>19} → {:>19}",
                format!("{:.10e}", a[i]),
                format!("{:.10e}", b[i]),
                format!("{:.10e}", a[n + i]),
                format!("{:.10e}", b[n + i])
            );
        }
        for c in m.conjugate.iter().flatten() {
            let times = match c.multiplicity {
                1 => String::new(),
                k => format!(", {k}-fold"),
            };
            let _ = writeln!(out, "     conjugate to the start: t = {:.9}{times}", c.time);
        }
        let _ = writeln!(
            out,
            "     {} pieces, within {:.1e} of a motion; energy balance {:.1e}",
            s.elements(),
            s.residual,
            m.motion.run.energy_balance
        );
    }
    out
}
