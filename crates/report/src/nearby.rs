//! Nearby motions, to first order: what a page draws while a slider moves, before the run with the new value is there.

use galilei_expr::{Expr, Program};
use galilei_model::Model;
use serde::Serialize;

use crate::figure::{Mechanism, seen};
use crate::history::{Histories, Record, of_states};

/// Slopes of all that moves on a page of a run, by one quantity.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Nearby {
    /// The times at which the slopes of the mechanism are known.
    pub times: Vec<f64>,
    /// For each time the slopes of the points of the mechanism, right and upward in turn, in units of length as the observer
    /// sees them; empty without a mechanism.
    pub points: Vec<Vec<f64>>,
    /// The plots whose curves have slopes.
    pub plots: Vec<NearbyPlot>,
}

/// Curves of a plot with their slopes, in units of the picture.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NearbyPlot {
    /// The number of the plot on the page, from 1.
    pub number: usize,
    /// The left, upper, right and lower edge of the area of the curves.
    pub area: [f64; 4],
    /// The curves, in the order of their colours.
    pub curves: Vec<NearbyCurve>,
}

/// A curve with its slopes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NearbyCurve {
    /// The number of its colour.
    pub colour: usize,
    /// Its points: x and y.
    pub points: Vec<[f64; 2]>,
    /// The slopes of its points.
    pub slopes: Vec<[f64; 2]>,
}

/// Numbers of four digits are exact enough for pictures, and short.
fn short(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(0.0)
}

impl Nearby {
    /// The slopes for the page of a run. `rows` are states (t, x, u) along the run, `slopes` those of x and u at the same
    /// times by the quantity; `parameter` is the symbol of the quantity if it is a parameter, with its unit.
    pub fn new(
        model: &Model,
        record: &Record,
        rows: &[Vec<f64>],
        slopes: &[Vec<f64>],
        parameter: Option<(Expr<'_>, f64)>,
    ) -> Self {
        let points = points(model, rows, slopes, parameter).unwrap_or_default();
        Self {
            times: rows.iter().map(|r| r[0]).collect(),
            points,
            plots: plots(model, record, rows, slopes),
        }
    }
}

/// The slopes of the points of the mechanism, as the observer sees them.
fn points(
    model: &Model,
    rows: &[Vec<f64>],
    slopes: &[Vec<f64>],
    parameter: Option<(Expr<'_>, f64)>,
) -> Option<Vec<Vec<f64>>> {
    let mechanism = Mechanism::new(model)?;
    let positions = model.positions();
    let n = positions.len();
    let parts: Vec<Expr<'_>> = mechanism.points.iter().flat_map(|p| p.at.clone()).collect();
    let numbers = model.parameter_values().ok()?;
    // Parameters that depend on the quantity move the points, too.
    let kept: Vec<Expr<'_>> = parameter.iter().map(|p| p.0).collect();
    let unit = parameter.map_or(1.0, |p| p.1);
    let own = model
        .pool()
        .substitute_all(&parts, &model.values_but(&kept).ok()?);
    let mut outputs = Vec::new();
    for (part, own) in parts.iter().zip(own) {
        outputs.extend(positions.iter().map(|x| part.diff(*x)));
        outputs.push(kept.first().map_or(model.pool().zero(), |p| own.diff(*p)));
    }
    let outputs = model.pool().substitute_all(&outputs, &numbers);
    let inputs: Vec<Expr<'_>> = std::iter::once(model.time()).chain(positions).collect();
    let program = Program::new(&outputs, &inputs).ok()?;
    let at = |(row, slope): (&Vec<f64>, &Vec<f64>)| {
        let values = program.f64(&row[..=n]);
        let mut parts = values.chunks(n + 1).map(|part| {
            let sum: f64 = part.iter().zip(slope).take(n).map(|(d, s)| d * s).sum();
            sum + unit * part[n]
        });
        let place = |count: usize| {
            let mut place = [0.0; 3];
            place
                .iter_mut()
                .zip(parts.by_ref().take(count))
                .for_each(|(p, v)| *p = v);
            seen(place, mechanism.dimension).map(short)
        };
        let sizes = mechanism.points.iter().map(|p| p.at.len());
        sizes.flat_map(place).collect()
    };
    Some(rows.iter().zip(slopes).map(at).collect())
}

/// The plots of the page whose curves are coordinates and velocities.
fn plots(
    model: &Model,
    record: &Record,
    rows: &[Vec<f64>],
    slopes: &[Vec<f64>],
) -> Vec<NearbyPlot> {
    let size = 1 + 2 * model.degrees_of_freedom() + model.contents().outputs.len();
    let with_rows = |rows: Vec<Vec<f64>>| {
        let mut record = record.clone();
        record.run.rows = rows;
        record
    };
    let padded = |mut row: Vec<f64>| {
        row.resize(size, 0.0);
        row
    };
    let states = rows.iter().map(|r| padded(r.clone())).collect();
    // Plots of states are linear in the rows: those of the slopes, at the time zero, are slopes of the plots.
    let moving = slopes
        .iter()
        .map(|s| padded([&[0.0], s.as_slice()].concat()));
    let states = of_states(model, &with_rows(states));
    let moving = of_states(model, &with_rows(moving.collect()));
    let page = Histories::new(model, record).all();
    let mut list = Vec::new();
    for (k, plot) in page.iter().enumerate() {
        let same = |p: &&(crate::plot::Plot, crate::plot::Plot)| {
            (&p.0.title, &p.0.x, &p.0.y) == (&plot.title, &plot.x, &plot.y)
        };
        let pairs: Vec<_> = states.iter().cloned().zip(moving.iter().cloned()).collect();
        let Some((states, moving)) = pairs.iter().find(same) else {
            continue;
        };
        let Some(view) = plot.view() else { continue };
        let zero = view.place([0.0; 2]);
        let slope = |s: &[f64; 2]| {
            let p = view.place(*s);
            [short(p[0] - zero[0]), short(p[1] - zero[1])]
        };
        let tenth = |x: f64| (10.0 * x).round() / 10.0;
        let curves = states.curves.iter().zip(&moving.curves).enumerate();
        let curves = curves.map(|(colour, (curve, moving))| NearbyCurve {
            colour,
            points: curve
                .points
                .iter()
                .map(|p| view.place(*p).map(tenth))
                .collect(),
            slopes: moving.points.iter().map(slope).collect(),
        });
        list.push(NearbyPlot {
            number: k + 1,
            area: view.area(),
            curves: curves.collect(),
        });
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.123_456), 0.1235);
        assert_eq!(short(-98_766.0), -98_770.0);
        assert_eq!([short(f64::NAN).is_nan(), short(0.0) == 0.0], [true, true]);
    }
}
