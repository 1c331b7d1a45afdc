//! The run: the motion, its histories, its events.

use std::fmt::Write;

use galilei_integrate::{Run, Status};

use super::Page;
use crate::figure::Mechanism;
use crate::history::{Histories, Record};
use crate::markup::{escaped, readable};
use crate::plot::Plot;
use crate::units::Units;

/// Number of plots of one kind that are not folded.
const MAX_UNFOLDED_PLOTS: usize = 6;
/// Number of events that are not folded.
const MAX_UNFOLDED_EVENTS: usize = 10;

impl Page<'_, '_> {
    pub(super) fn run(&self, out: &mut String, histories: Option<&Histories>) {
        let record = match &self.record {
            Ok(record) => record,
            Err(why) => {
                let _ = writeln!(out, "<p>There is no run: {}</p>", escaped(why));
                return;
            }
        };
        let _ = writeln!(out, "<p>{}</p>", self.summary(record));
        if Mechanism::new(self.model).is_none() {
            out.push_str("<p>The model places nothing in space, so there is no mechanism to be seen moving.</p>\n");
        }
        if let Some(h) = histories {
            self.plots(out, h);
        }
        self.events(out, &record.run);
    }

    fn summary(&self, record: &Record) -> String {
        let run = &record.run;
        let units = Units::of(self.model.contents());
        let names = &self.model.contents().events;
        let end = match &run.status {
            Status::Finished => format!("It reached t = {}", readable(run.time)),
            Status::Event(k) => format!(
                "It was ended at t = {} by the event {}",
                readable(run.time),
                names.get(*k).map_or("", |e| e.name.as_str())
            ),
            Status::Failed(why) => format!("It failed at t = {}: {why}", readable(run.time)),
        };
        let mut text = format!(
            "{end} {} after {} steps of order {} ({}). The energy balance is kept to {} of the largest energy",
            units.time,
            run.steps,
            run.order,
            record.made(),
            readable(run.energy_balance)
        );
        if let Some(residual) = run.constraint_residual {
            text += &format!(", the constraints to {}", readable(residual));
        }
        escaped(&format!("{text}."))
    }

    /// All plots but the one on the first screen.
    fn plots(&self, out: &mut String, h: &Histories) {
        let key = h.key();
        let others = |plots: &[Plot]| -> Vec<Plot> {
            let rest = plots.iter().filter(|p| key != Some(*p));
            rest.cloned().collect()
        };
        let mut count = usize::from(key.is_some());
        for (heading, plots) in [
            ("Over time", others(&h.over_time)),
            (
                "State and configuration",
                [others(&h.phase), others(&h.paths)].concat(),
            ),
            (
                "Energy and accuracy",
                [h.energies.clone(), h.accuracy.clone()].concat(),
            ),
        ] {
            group(out, heading, &plots, &mut count);
        }
    }

    fn events(&self, out: &mut String, run: &Run) {
        if run.crossings.is_empty() {
            return;
        }
        let contents = self.model.contents();
        let n = contents.coordinates.len();
        let name = |k: usize| contents.events.get(k).map_or("", |e| e.name.as_str());
        out.push_str("<h3>Events</h3>\n");
        let rows = |out: &mut String, list: &[galilei_integrate::Crossing]| {
            out.push_str("<table class=\"facts-table\"><thead><tr><th scope=\"col\">event</th><th scope=\"col\">time</th><th scope=\"col\">state</th></tr></thead>\n<tbody>\n");
            for c in list {
                let state = contents.coordinates.iter().zip(&c.state);
                let state = state.take(n.min(4)).map(|(x, v)| {
                    let name = galilei_expr::Layout::name(&x.name).to_text();
                    let scale = self.model.expr(x.scale).evaluate_f64(&[]);
                    format!("{name} = {}", readable(v / scale))
                });
                let more = if n > 4 { ", …" } else { "" };
                let state: Vec<String> = state.collect();
                let _ = writeln!(
                    out,
                    "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}{more}</td></tr>",
                    escaped(name(c.event)),
                    readable(c.time),
                    escaped(&state.join(", "))
                );
            }
            out.push_str("</tbody></table>\n");
        };
        let open = run.crossings.len().min(MAX_UNFOLDED_EVENTS);
        rows(out, &run.crossings[..open]);
        let rest = &run.crossings[open..];
        if !rest.is_empty() {
            let kept = &rest[..rest.len().min(300)];
            let _ = writeln!(
                out,
                "<details><summary>{} more events</summary>",
                rest.len()
            );
            rows(out, kept);
            if kept.len() < rest.len() {
                let _ = writeln!(
                    out,
                    "<p>… and {} that are not listed.</p>",
                    rest.len() - kept.len()
                );
            }
            out.push_str("</details>\n");
        }
    }
}

/// Writes plots under a heading; all but the first of many are folded.
pub(super) fn group(out: &mut String, heading: &str, plots: &[Plot], count: &mut usize) {
    if plots.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h3>{heading}</h3>");
    let mut grid = |out: &mut String, plots: &[Plot]| {
        out.push_str("<div class=\"plots\">\n");
        for plot in plots {
            *count += 1;
            let _ = writeln!(out, "{}", plot.to_svg(&format!("plot-{count}")));
        }
        out.push_str("</div>\n");
    };
    let (open, folded) = plots.split_at(plots.len().min(MAX_UNFOLDED_PLOTS));
    grid(out, open);
    if !folded.is_empty() {
        let _ = writeln!(
            out,
            "<details><summary>{} more plots</summary>",
            folded.len()
        );
        grid(out, folded);
        out.push_str("</details>\n");
    }
}
