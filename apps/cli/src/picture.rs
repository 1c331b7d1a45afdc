//! The picture of a sweep: states at events or at the ends of runs, as dots.

use std::collections::BTreeMap;

use galilei::{Code, Diagnostic, Sweep};
use galilei_report::plot::{COLOURS, Curve, Plot, Quantity, sheet};

/// The most dots of a picture.
const MAX_DOTS: usize = 2_000_000;

/// Dots of a picture on their way.
pub(crate) struct Picture {
    names: Vec<String>,
    /// Where each axis is found: in the rows of runs, or in those of events.
    axes: Vec<Place>,
    event: Option<(usize, String)>,
    dots: Vec<Vec<f64>>,
    /// Dots beyond the most that a picture has.
    left_out: usize,
}

enum Place {
    Run(usize),
    Event(usize),
}

impl Picture {
    /// A picture with columns of runs, or with columns of events and of the runs that they belong to.
    pub(crate) fn new(
        sweep: &Sweep,
        axes: Option<&str>,
        event: Option<&str>,
    ) -> Result<Self, Diagnostic> {
        let wrong = |message: String, hint: String| {
            Diagnostic::error(Code::InvalidAxis, message, hint, None)
        };
        let names: Vec<String> = axes
            .unwrap_or_default()
            .split(',')
            .map(|n| n.trim().to_owned())
            .collect();
        if !(2..=3).contains(&names.len()) {
            return Err(wrong(
                "a picture has two axes, and a colour at most".into(),
                "write --axes \"x, y\" or --axes \"x, y, colour\"".into(),
            ));
        }
        let event = match event {
            None => None,
            Some(name) => {
                let list = sweep.event_names();
                let Some(number) = list.iter().position(|e| e == name) else {
                    return Err(wrong(
                        format!("there is no event `{name}`"),
                        match list.is_empty() {
                            true => {
                                "write one in the model, such as `event section: x rising`".into()
                            }
                            false => format!("there are {}", list.join(", ")),
                        },
                    ));
                };
                Some((number, name.to_owned()))
            }
        };
        let (runs, events) = (sweep.columns(), sweep.event_columns());
        let find = |name: &String| {
            let at_event = event.as_ref().and(events.iter().position(|c| c == name));
            let place = at_event.map(Place::Event);
            place
                .or_else(|| runs.iter().position(|c| c == name).map(Place::Run))
                .ok_or_else(|| {
                    wrong(
                        format!("there is no column `{name}`"),
                        format!("there are {}", runs.join(", ")),
                    )
                })
        };
        Ok(Self {
            axes: names.iter().map(find).collect::<Result<_, _>>()?,
            names,
            event,
            dots: vec![],
            left_out: 0,
        })
    }

    /// Adds the runs and events of a block.
    pub(crate) fn add(&mut self, rows: &[Vec<f64>], events: &[Vec<f64>]) {
        let Some((number, _)) = &self.event else {
            for row in rows {
                self.push(row, &[]);
            }
            return;
        };
        let number = *number as f64;
        let runs: BTreeMap<u64, &Vec<f64>> = rows.iter().map(|r| (r[0] as u64, r)).collect();
        for event in events.iter().filter(|e| e[1] == number) {
            if let Some(run) = runs.get(&(event[0] as u64)) {
                self.push(run, event);
            }
        }
    }

    fn push(&mut self, run: &[f64], event: &[f64]) {
        if self.dots.len() < MAX_DOTS {
            let value = |place: &Place| match place {
                Place::Run(k) => run[*k],
                Place::Event(k) => event[*k],
            };
            self.dots.push(self.axes.iter().map(value).collect());
        } else {
            self.left_out += 1;
        }
    }

    /// The picture as an SVG file.
    pub(crate) fn to_svg(&self, title: &str) -> String {
        let curves = match self.axes.len() {
            2 => vec![Curve {
                name: String::new(),
                points: self.dots.iter().map(|d| [d[0], d[1]]).collect(),
            }],
            _ => self.coloured(),
        };
        let what = match &self.event {
            Some((_, name)) => format!("at the event {name}"),
            None => "at the ends of runs".into(),
        };
        let plot = Plot {
            title: format!("{}, {} {what}", self.names[1], self.names[0]),
            x: Quantity::new(self.names[0].clone(), ""),
            y: Quantity::new(self.names[1].clone(), ""),
            curves,
            dots: true,
            ..Plot::default()
        };
        let note = match self.left_out {
            0 => format!("{} dots", self.dots.len()),
            k => format!(
                "the first {} dots of {}",
                self.dots.len(),
                self.dots.len() + k
            ),
        };
        sheet(title, &note, &[plot])
    }

    /// Dots by the third column, in as many classes as there are colours.
    fn coloured(&self) -> Vec<Curve> {
        let finite = || self.dots.iter().filter(|d| d[2].is_finite());
        let mut values: Vec<f64> = finite().map(|d| d[2]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let classes = values.len().clamp(1, COLOURS);
        // Few values have a colour each; many are divided into classes with equally many of them.
        let bound = |k: usize| values.get(k * values.len() / classes).copied();
        (0..classes)
            .map(|k| {
                let (low, high) = (bound(k), bound(k + 1));
                let inside =
                    |d: &&Vec<f64>| low.is_some_and(|l| d[2] >= l) && high.is_none_or(|h| d[2] < h);
                Curve {
                    name: format!("{} {:.4}", self.names[2], low.unwrap_or(f64::NAN)),
                    points: finite().filter(inside).map(|d| [d[0], d[1]]).collect(),
                }
            })
            .collect()
    }
}
