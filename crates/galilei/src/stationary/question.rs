//! What a search asks for: its ends and settings in numbers, or the reason why it is refused.

use galilei_integrate::{Ends, Options, Record};
use galilei_model::{Code, Constraint, Diagnostic, Enforcement, Level, Model, refused};

use super::StationarySearch;
use crate::motion::Plan;

/// The default tolerance of a curve.
const DEFAULT_TOLERANCE: f64 = 1e-10;

/// A search with its numbers: the ends, and how motions between them are followed.
pub(super) struct Question {
    /// Both ends in the chart of the start; the end is no number where that chart does not have it.
    pub(super) ends: Ends,
    /// The end in its own chart.
    pub(super) aim: Vec<Option<f64>>,
    /// The allowed residual of a curve.
    pub(super) tolerance: f64,
    /// The options of the runs along curves.
    pub(super) options: Options,
}

impl Question {
    /// Whether the chart of the start has coordinates for the end.
    pub(super) fn in_one_chart(&self) -> bool {
        self.ends.end.iter().flatten().all(|x| x.is_finite())
    }

    /// Start and end, each in its chart, where both are held whole.
    pub(super) fn held(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        Some((whole(&self.ends.start)?, whole(&self.aim)?))
    }
}

/// The values of coordinates all of which are held.
pub(super) fn whole(list: &[Option<f64>]) -> Option<Vec<f64>> {
    list.iter().copied().collect()
}

impl StationarySearch<'_> {
    /// The ends and settings in numbers; refuses what has no meaning or no effect.
    pub(super) fn question(&self, target: &Model) -> Result<Question, Vec<Diagnostic>> {
        let model: &Model = self.model;
        possible(self)?;
        let plan = Plan::new(model, &self.run)?;
        let file = model.contents().run.tolerance.is_some();
        let tolerance = match self.run.tolerance.is_some() || file {
            true => plan.options.tolerance,
            false => DEFAULT_TOLERANCE,
        };
        let (from, to) = (plan.options.from, plan.options.to);
        if from == to {
            return Err(refused(
                Code::WrongSetting,
                "the span has no length",
                "give --to",
            ));
        }
        if !(1..=12).contains(&self.degree) || !(1..=1000).contains(&self.elements) {
            return Err(refused(
                Code::WrongSetting,
                "there are 1 to 1000 pieces of degree 1 to 12",
                "leave --degree and --elements out",
            ));
        }
        let aim = held(target, &self.end, &self.free_end, false)?;
        let ends = Ends {
            from,
            to,
            start: held(model, &self.start, &self.free_start, true)?,
            end: match model.manifold_chart_from(target) {
                0 => aim.clone(),
                // The chart of the start may have no coordinates for the end.
                _ => held(model, &self.end, &self.free_end, false)
                    .unwrap_or_else(|_| vec![Some(f64::NAN); aim.len()]),
            },
        };
        let options = Options {
            record: match plan.options.record {
                Record::Every(every) => Record::Every(every),
                _ => Record::Every((to - from).abs() / 200.0),
            },
            dense_output: true,
            tolerance: f64::EPSILON,
            ..plan.options
        };
        Ok(Question {
            ends,
            aim,
            tolerance,
            options,
        })
    }
}

/// The coordinates that are held at one end.
fn held(
    model: &Model,
    text: &str,
    free: &[String],
    default: bool,
) -> Result<Vec<Option<f64>>, Vec<Diagnostic>> {
    let given = model.positions_at(text)?;
    let state = model.initial_state()?;
    let contents = model.contents();
    let names: Vec<&str> = contents
        .coordinates
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    if let Some(unknown) = free.iter().find(|f| !names.contains(&f.as_str())) {
        return Err(refused(
            Code::UnknownCoordinate,
            format!("`{unknown}` is not a coordinate"),
            format!("the coordinates are {}", names.join(", ")),
        ));
    }
    let mut list = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let is_free = free.iter().any(|f| f == name);
        list.push(match (given[i], is_free) {
            (Some(_), true) => {
                return Err(refused(
                    Code::InvalidState,
                    format!("`{name}` is both given and free"),
                    "keep one of the two",
                ));
            }
            (_, true) => None,
            (Some(x), false) => Some(x),
            (None, false) if default => Some(state.position[i].evaluate_f64(&[])),
            (None, false) => {
                return Err(refused(
                    Code::MissingEnd,
                    format!("nothing is said of `{name}` at the end"),
                    format!(
                        "give its position, --end \"{name}=1\", or let it go: --free-end {name}"
                    ),
                ));
            }
        });
    }
    Ok(list)
}

/// Refuses settings that would have no effect.
fn possible(settings: &StationarySearch<'_>) -> Result<(), Vec<Diagnostic>> {
    if settings.starts == 0 {
        return Err(refused(
            Code::WrongSetting,
            "it would be tried from no curve",
            "give --starts 1 or more, or leave it out",
        ));
    }
    if settings.run.method.is_some() || settings.run.step.is_some() {
        return Err(refused(
            Code::WrongSetting,
            "a stationary curve is found as a whole, not by a method of integration and its steps",
            "leave --method and --step out; --degree and --elements say what the curve is made of",
        ));
    }
    Ok(())
}

/// The diagnostic that refuses a model with constraints on velocities.
pub(super) fn nonholonomic(model: &Model) -> Option<Vec<Diagnostic>> {
    let contents = model.contents();
    let mut constraints = contents.constraints.iter();
    let driven = |c: &&Constraint<_>| c.enforcement != Enforcement::Ideal;
    if let Some(c) = contents.constraints.iter().find(driven) {
        return Some(refused(
            Code::NotVariational,
            format!(
                "the reaction of `{}` is not ideal: motions are not stationary curves of the action",
                c.name
            ),
            "use `simulate`, which has every reaction",
        ));
    }
    let first = constraints.find(|c| c.level != Level::Position)?;
    Some(refused(
        Code::NotVariational,
        format!(
            "`{}` is nonholonomic: its motions are not the stationary curves of the action among curves that satisfy it",
            first.name
        ),
        "such curves solve other equations (vakonomic ones); use `simulate`, which has the ideal reaction",
    ))
}

/// Checks that the ends satisfy the constraints. Under constraints a place must be given completely or not at all.
pub(super) fn fits(model: &Model, ends: &Ends) -> Result<(), Vec<Diagnostic>> {
    let rows = model.constraint_rows();
    if rows.is_empty() {
        return Ok(());
    }
    let values = model.parameter_values()?;
    let system = model.system();
    let state = system.state();
    for (word, time, given) in [
        ("start", ends.from, &ends.start),
        ("end", ends.to, &ends.end),
    ] {
        let known: Vec<f64> = given.iter().flatten().copied().collect();
        if known.is_empty() {
            continue;
        }
        if known.len() < given.len() {
            return Err(refused(
                Code::NotAvailable,
                format!("under constraints the {word} is given whole or not at all"),
                "give all coordinates, or let all of them free",
            ));
        }
        let mut at = vec![(state.time(), time)];
        at.extend(
            state
                .base()
                .positions()
                .iter()
                .copied()
                .zip(known.iter().copied()),
        );
        let size = known.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for c in &rows {
            let Some(held) = c.residual else { continue };
            let residual = held.substitute(&values).evaluate_f64(&at);
            if residual.is_nan() || residual.abs() > 1e-9 * size {
                return Err(refused(
                    Code::StateViolatesConstraint,
                    format!(
                        "the {word} is not on `{}`: its residual is {residual:e}",
                        c.name
                    ),
                    "give a place that satisfies it",
                ));
            }
        }
    }
    Ok(())
}
