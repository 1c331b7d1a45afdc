//! The plots of a run.

use galilei_expr::{Expr, Layout, Program};
use galilei_integrate::{ModeEntry, Run};
use galilei_model::{Model, Part};

use crate::markup;
use crate::plot::{Band, Curve, Plot, Quantity, Scale};
use crate::units::{Units, rate, readable};

/// A run with its method and tolerance.
#[derive(Clone, Debug)]
pub struct Record {
    /// The run.
    pub run: Run,
    /// The method.
    pub method: String,
    /// The tolerance.
    pub tolerance: f64,
    /// The length of all steps, where it was given; the tolerance does not matter then.
    pub step: Option<f64>,
}

impl Record {
    /// The method and its tolerance or step, in a few words.
    pub(crate) fn made(&self) -> String {
        match self.step {
            Some(step) => format!("{}, step {}", self.method, markup::readable(step)),
            None => {
                let tolerance = markup::readable(self.tolerance);
                format!("{}, tolerance {tolerance}", self.method)
            }
        }
    }
}

/// The largest number of curves in one plot.
const MAX_CURVES: usize = 5;
/// The number of named energies up to which they are shown one by one.
const MAX_NAMED_ENERGIES: usize = 6;
/// The largest number of phase portraits, and of paths.
const MAX_PORTRAITS: usize = 6;
/// The number of events up to which they are marked: more would hide the curves.
const MAX_MARKED_EVENTS: usize = 30;

/// The title of plots of coordinates over time.
const COORDINATES: &str = "Coordinates";
/// The title of plots of velocities over time.
const VELOCITIES: &str = "Velocities";

/// The plots of a run, by what they show.
#[derive(Clone, Debug, Default)]
pub struct Histories {
    /// Coordinates, velocities and outputs over time.
    pub over_time: Vec<Plot>,
    /// Velocities over positions.
    pub phase: Vec<Plot>,
    /// One coordinate over another.
    pub paths: Vec<Plot>,
    /// Energies by name.
    pub energies: Vec<Plot>,
    /// Energy balance and residual of the constraints.
    pub accuracy: Vec<Plot>,
}

/// A column of the rows of a run.
struct Column {
    quantity: Quantity,
    values: Vec<f64>,
}

impl Histories {
    /// The plots of a run of a model.
    pub fn new(model: &Model, record: &Record) -> Self {
        let source = Source::new(model, record);
        Self {
            over_time: source.over_time(),
            phase: source.phase(),
            paths: source.paths(),
            energies: source.energies(),
            accuracy: source.accuracy(),
        }
    }

    /// The plot that matters most: of the coordinates over time those that swing, otherwise the first.
    pub(crate) fn key(&self) -> Option<&Plot> {
        let coordinates = |p: &&Plot| p.title == COORDINATES;
        let swinging = |p: &&Plot| {
            let curves = p.curves.iter();
            let swing = curves.filter(|c| c.turns() > 0).count();
            // In thousandths, so that it can be compared.
            1000 * swing / p.curves.len().max(1)
        };
        let plots = self.over_time.iter().filter(coordinates);
        // The first of the best.
        let best = plots.clone().map(|p| swinging(&p)).max()?;
        plots.into_iter().find(|p| swinging(p) == best)
    }

    /// All plots in order.
    pub fn all(self) -> Vec<Plot> {
        let groups = [
            self.over_time,
            self.phase,
            self.paths,
            self.energies,
            self.accuracy,
        ];
        groups.concat()
    }
}

/// The plots whose curves are coordinates and velocities, as they are on a page, without enlarged ends. They are
/// linear in the rows of the run.
pub(crate) fn of_states(model: &Model, record: &Record) -> Vec<Plot> {
    let source = Source::new(model, record);
    [
        source.together(COORDINATES, &source.positions),
        source.together(VELOCITIES, &source.velocities),
        source.phase(),
        source.paths(),
    ]
    .concat()
}

/// Each plot, followed by an enlarged end of it if its curves are too dense to be seen.
fn with_closer(plots: Vec<Plot>) -> Vec<Plot> {
    let both = |p: Plot| {
        let closer = p.closer();
        std::iter::once(p).chain(closer)
    };
    plots.into_iter().flat_map(both).collect()
}

/// The numbers behind the plots.
struct Source<'a> {
    model: &'a Model,
    record: &'a Record,
    units: Units,
    times: Vec<f64>,
    positions: Vec<Column>,
    velocities: Vec<Column>,
    outputs: Vec<Column>,
}

impl<'a> Source<'a> {
    fn new(model: &'a Model, record: &'a Record) -> Self {
        let contents = model.contents();
        let units = Units::of(contents);
        let rows = &record.run.rows;
        let n = contents.coordinates.len();
        let column = |k: usize, scale: f64| rows.iter().map(|r| r[k] / scale).collect();
        let scales = contents
            .coordinates
            .iter()
            .map(|c| model.expr(c.scale).evaluate_f64(&[]));
        let scales: Vec<f64> = scales.collect();
        let part = |velocity: bool| {
            let coordinates = contents.coordinates.iter().enumerate();
            coordinates
                .map(|(i, c)| {
                    let unit = readable(c.unit.as_deref().unwrap_or_default());
                    let (name, unit, k) = match velocity {
                        false => (c.name.clone(), unit, 1 + i),
                        true => (format!("{}'", c.name), rate(&unit, units.time), 1 + n + i),
                    };
                    Column {
                        quantity: Quantity::new(Layout::name(&name).to_text(), unit),
                        values: column(k, scales[i]),
                    }
                })
                .collect::<Vec<Column>>()
        };
        let outputs = contents.outputs.iter().enumerate().map(|(k, o)| Column {
            quantity: Quantity::new(o.name.clone(), ""),
            values: column(1 + 2 * n + k, 1.0),
        });
        Self {
            model,
            record,
            units,
            times: rows.iter().map(|r| r[0]).collect(),
            positions: part(false),
            velocities: part(true),
            outputs: outputs.collect(),
        }
    }

    fn time(&self) -> Quantity {
        Quantity::new("t", self.units.time)
    }

    fn curve(&self, name: &str, values: &[f64]) -> Curve {
        let pairs = self.times.iter().zip(values);
        Curve {
            name: name.to_owned(),
            points: pairs.map(|(t, x)| [*t, *x]).collect(),
        }
    }

    /// Times of events and of impacts, each unless they are too many.
    fn marks(&self) -> Vec<f64> {
        let crossings = self.record.run.crossings.iter().map(|c| c.time);
        let collisions = self.record.run.contacts.collisions.iter().map(|c| c.time);
        let mut lists: [Vec<f64>; 2] = [crossings.collect(), collisions.collect()];
        for list in &mut lists {
            list.dedup();
            list.truncate(if list.len() > MAX_MARKED_EVENTS {
                0
            } else {
                list.len()
            });
        }
        lists.concat()
    }

    /// When each contact is closed and each friction element sticks, in the order of the model.
    fn modes(&self) -> Vec<Band> {
        let run = &self.record.run;
        let c = self.model.contents();
        let contacts = c.contacts.iter().map(|c| (&c.name, true));
        let frictions = c.frictions.iter().map(|f| (&f.name, false));
        let modes = &run.contacts.modes;
        let intervals = |holds: &dyn Fn(&ModeEntry) -> bool| {
            let mut list: Vec<[f64; 2]> = Vec::new();
            for (k, mode) in modes.iter().enumerate() {
                let end = modes.get(k + 1).map_or(run.time, |next| next.time);
                match list.last_mut().filter(|last| last[1] == mode.time) {
                    Some(last) if holds(mode) => last[1] = end,
                    _ if holds(mode) => list.push([mode.time, end]),
                    _ => {}
                }
            }
            list
        };
        let band = |(name, is_contact): (&String, bool)| Band {
            name: name.clone(),
            holds: match is_contact {
                true => intervals(&|m| m.closed.contains(name)),
                false => vec![],
            },
            strongly: intervals(&|m| m.sticking.contains(name)),
        };
        match modes.is_empty() {
            true => vec![],
            false => contacts.chain(frictions).map(band).collect(),
        }
    }

    /// The modes of contact and friction over time.
    fn plot_of_modes(&self) -> Option<Plot> {
        let bands = self.modes();
        let (first, last) = (self.times.first()?, self.times.last()?);
        (!bands.is_empty()).then(|| Plot {
            title: "Contact and friction: closed (light), sticking (dark)".into(),
            x: self.time(),
            y: Quantity::new("modes", ""),
            marks: vec![*first, *last],
            bands,
            ..Plot::default()
        })
    }

    /// Plots of quantities over time, those of one unit in one plot.
    fn together(&self, title: &str, columns: &[Column]) -> Vec<Plot> {
        let same = |a: &Column, b: &Column| a.quantity.unit == b.quantity.unit;
        let groups = columns.chunk_by(same).flat_map(|g| g.chunks(MAX_CURVES));
        let plot = |group: &[Column]| {
            let unit = group[0].quantity.unit.clone();
            let names: Vec<&str> = group.iter().map(|c| c.quantity.name.as_str()).collect();
            let alone = group.len() == 1;
            let curves = group.iter().map(|c| {
                let name = if alone { "" } else { c.quantity.name.as_str() };
                self.curve(name, &c.values)
            });
            Plot {
                title: title.to_owned(),
                x: self.time(),
                y: Quantity::new(names.join(", "), unit),
                curves: curves.collect(),
                marks: self.marks(),
                bands: self.modes(),
                ..Plot::default()
            }
        };
        groups.map(plot).collect()
    }

    fn over_time(&self) -> Vec<Plot> {
        let mut plots = self.together(COORDINATES, &self.positions);
        plots.extend(self.plot_of_modes());
        plots.extend(self.together(VELOCITIES, &self.velocities));
        // Outputs have no common unit.
        for output in self.outputs.chunks(1) {
            let title = format!("Output {}", output[0].quantity.name);
            plots.extend(self.together(&title, output));
        }
        with_closer(plots)
    }

    fn over(title: &str, x: &Column, y: &Column, scale: Scale) -> Plot {
        let pairs = x.values.iter().zip(&y.values);
        Plot {
            title: title.to_owned(),
            x: x.quantity.clone(),
            y: y.quantity.clone(),
            scale,
            curves: vec![Curve {
                name: String::new(),
                points: pairs.map(|(x, y)| [*x, *y]).collect(),
            }],
            ends: true,
            ..Plot::default()
        }
    }

    fn phase(&self) -> Vec<Plot> {
        let pairs = self.positions.iter().zip(&self.velocities);
        let pairs = pairs.take(MAX_PORTRAITS);
        pairs
            .map(|(x, u)| {
                let title = format!("Phase portrait of {}", x.quantity.name);
                Self::over(&title, x, u, Scale::Linear)
            })
            .collect()
    }

    fn paths(&self) -> Vec<Plot> {
        let pairs = self.positions.windows(2).step_by(2).take(MAX_PORTRAITS / 2);
        let plot = |p: &[Column]| {
            let unit = &p[0].quantity.unit;
            let map = *unit == p[1].quantity.unit && !unit.is_empty();
            let scale = if map { Scale::Equal } else { Scale::Linear };
            let names = [&p[0], &p[1]].map(|c| c.quantity.name.as_str());
            Self::over(
                &format!("Path in {}", names.join(", ")),
                &p[0],
                &p[1],
                scale,
            )
        };
        pairs.map(plot).collect()
    }

    /// T and V by the names of the statements, and E = uⁱ∂L/∂uⁱ − L.
    fn energies(&self) -> Vec<Plot> {
        let mut list = self.named_energies();
        let energy = self.model.system().lagrangian().energy();
        list.push(("E".into(), energy));
        let mut inputs = vec![self.model.time()];
        inputs.extend(self.model.positions());
        inputs.extend(self.model.velocities());
        let exprs: Vec<Expr<'_>> = list.iter().map(|e| e.1).collect();
        let parameters = self.model.parameter_values().unwrap_or_default();
        let exprs = self.model.pool().substitute_all(&exprs, &parameters);
        let Ok(program) = Program::new(&exprs, &inputs) else {
            return vec![];
        };
        let values: Vec<Vec<f64>> = self
            .record
            .run
            .rows
            .iter()
            .map(|row| program.f64(&row[..inputs.len()]))
            .collect();
        let curves = list.iter().enumerate().map(|(k, (name, _))| {
            let column: Vec<f64> = values.iter().map(|v| v[k]).collect();
            self.curve(name, &column)
        });
        let plot = Plot {
            title: "Energies".into(),
            x: self.time(),
            y: Quantity::new("T, V, E", self.units.energy),
            curves: curves.collect(),
            marks: self.marks(),
            ..Plot::default()
        };
        with_closer(vec![plot])
    }

    fn named_energies(&self) -> Vec<(String, Expr<'a>)> {
        let contents = self.model.contents();
        let of = |part: Part| {
            let list = contents
                .contributions
                .iter()
                .filter(move |c| c.part == part);
            list.map(|c| (c.name.clone(), self.model.expr(c.value)))
                .collect::<Vec<_>>()
        };
        let mut list = Vec::new();
        for (part, letter) in [(Part::Kinetic, "T"), (Part::Potential, "V")] {
            let named = of(part);
            let several = contents.contributions.len() > 1 && named.len() > 1;
            if several && contents.contributions.len() <= MAX_NAMED_ENERGIES {
                list.extend(named.into_iter().map(|(n, e)| (format!("{letter} {n}"), e)));
            } else if !named.is_empty() {
                list.push((letter.to_owned(), self.model.part(part)));
            }
        }
        list
    }

    fn accuracy(&self) -> Vec<Plot> {
        let entries = self.record.run.ledger.entries();
        let curve = |name: &str, value: &dyn Fn(usize) -> f64| Curve {
            name: name.to_owned(),
            points: (0..entries.len())
                .map(|k| [entries[k].time, value(k)])
                .collect(),
        };
        let plot = |title: &str, y: &str, c: Curve| Plot {
            title: title.to_owned(),
            x: self.time(),
            y: Quantity::new(y, ""),
            scale: Scale::Logarithmic,
            curves: vec![c],
            ..Plot::default()
        };
        let balance = curve("", &|k| entries[k].defect);
        let mut plots = vec![plot(
            "Energy balance",
            "|E − E₀ − work| / largest energy",
            balance,
        )];
        if self.record.run.constraint_residual.is_some() {
            let residual = curve("", &|k| entries[k].residual);
            plots.push(plot("Constraint residual", "largest |f|", residual));
        }
        plots
    }
}
