//! Plots: curves over axes, as SVG.
//!
//! Colours are classes, so that one drawing serves light and dark backgrounds; curves carry their names, so no legend is
//! needed. A plot has numbers and names, and does not depend on mechanics.

mod axis;
mod curve;
mod draw;
mod label;
mod sheet;

pub(crate) use curve::path;
pub(crate) use label::width as text_width;
pub(crate) use sheet::DRAWING;
pub use sheet::sheet;

/// The quantity that an axis shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantity {
    /// Its name, as it is read: `θ₁`.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
}

impl Quantity {
    /// A quantity with its unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
        }
    }

    /// The name with the unit behind it: `t in s`.
    pub fn with_unit(&self) -> String {
        match self.unit.as_str() {
            "" => self.name.clone(),
            unit => format!("{} in {unit}", self.name),
        }
    }
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name; empty for the only curve of a plot.
    pub name: String,
    /// Its points in order; points that are not finite interrupt it.
    pub points: Vec<[f64; 2]>,
}

/// The number of swings of a curve that can still be distinguished.
const MAX_SWINGS: usize = 130;
/// The number of swings in an enlarged plot.
const ENLARGED_SWINGS: usize = 16;

/// The smallest height of a visible swing, relative to the plot.
const MIN_VISIBLE_SWING: f64 = 0.02;

impl Curve {
    /// The number of visible turns between rising and falling.
    pub(crate) fn turns(&self) -> usize {
        let values = || self.points.iter().map(|p| p[1]).filter(|y| y.is_finite());
        let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| {
            (l.min(y), h.max(y))
        });
        self.swings(MIN_VISIBLE_SWING * (high - low)).len()
    }

    /// The places where the curve has turned from rising to falling or back by more than `least`.
    fn swings(&self, least: f64) -> Vec<f64> {
        let mut turns = Vec::new();
        let finite = self
            .points
            .iter()
            .filter(|p| p.iter().all(|x| x.is_finite()));
        let mut rising = None;
        let mut extreme = [f64::NAN; 2];
        for p in finite {
            let back = match rising {
                Some(true) => extreme[1] - p[1],
                Some(false) => p[1] - extreme[1],
                None if extreme[1].is_nan() => {
                    extreme = *p;
                    continue;
                }
                None => (p[1] - extreme[1]).abs(),
            };
            if back > least {
                if rising.is_some() {
                    turns.push(extreme[0]);
                }
                rising = Some(p[1] > extreme[1]);
                extreme = *p;
            } else if rising.is_some() && back < 0.0 {
                extreme = *p;
            }
        }
        turns
    }
}

/// Intervals of the horizontal axis in which something holds, drawn as a strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// The name of what holds.
    pub name: String,
    /// The intervals in which it holds.
    pub holds: Vec<[f64; 2]>,
    /// Those in which it holds in a stronger sense, drawn darker.
    pub strongly: Vec<[f64; 2]>,
}

/// The vertical scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; values that are not positive are drawn at the lower edge.
    Logarithmic,
    /// Linear, with the same scale as the other axis, as on a map.
    Equal,
}

/// A plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The title of the plot.
    pub title: String,
    /// The horizontal axis.
    pub x: Quantity,
    /// The vertical axis.
    pub y: Quantity,
    /// The vertical scale.
    pub scale: Scale,
    /// The curves, in the order of their colours.
    pub curves: Vec<Curve>,
    /// Values of x that are marked.
    pub marks: Vec<f64>,
    /// Strips above the horizontal axis; in a plot without curves, rows with their names.
    pub bands: Vec<Band>,
    /// Whether the first curve's start and end are marked.
    pub ends: bool,
    /// Whether points are drawn as dots, without lines between them.
    pub dots: bool,
}

/// The number of colours for curves.
pub const COLOURS: usize = 7;

impl Plot {
    /// The smallest and the largest finite value of a component.
    fn range(&self, k: usize) -> Option<[f64; 2]> {
        let points = self.curves.iter().flat_map(|c| &c.points);
        let finite = points.filter(|p| p.iter().all(|x| x.is_finite()));
        if self.curves.is_empty() && k == 0 {
            let ends = self.marks.iter();
            return ends.fold(None, |range: Option<[f64; 2]>, &x| {
                let [low, high] = range.unwrap_or([x, x]);
                Some([low.min(x), high.max(x)])
            });
        }
        finite.fold(None, |range: Option<[f64; 2]>, p| {
            let [low, high] = range.unwrap_or([p[k], p[k]]);
            Some([low.min(p[k]), high.max(p[k])])
        })
    }

    /// The turning points of the curve that turns most often, as far as they can be seen.
    fn swings(&self) -> Vec<f64> {
        let Some([low, high]) = self.range(1) else {
            return vec![];
        };
        let swings = self
            .curves
            .iter()
            .map(|c| c.swings(MIN_VISIBLE_SWING * (high - low)));
        swings.max_by_key(Vec::len).unwrap_or_default()
    }

    /// Whether some curve swings so often that its lines cannot be distinguished.
    fn is_dense(&self) -> bool {
        self.swings().len() > MAX_SWINGS
    }

    /// An enlarged plot of the last few swings, if the curves are too dense.
    pub fn closer(&self) -> Option<Self> {
        let swings = self.swings();
        if swings.len() <= MAX_SWINGS {
            return None;
        }
        let start = swings[swings.len() - ENLARGED_SWINGS];
        let mut closer = self.clone();
        closer.title += ", the last moments";
        for c in &mut closer.curves {
            c.points.retain(|p| p[0] >= start);
        }
        closer.marks.retain(|x| *x >= start);
        for band in &mut closer.bands {
            for list in [&mut band.holds, &mut band.strongly] {
                list.retain(|i| i[1] > start);
                list.iter_mut().for_each(|i| i[0] = i[0].max(start));
            }
        }
        Some(closer)
    }

    /// The plot in words, for readers who do not see it.
    pub fn description(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|c| c.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().filter(|n| !n.is_empty()).collect();
        let what = match names.as_slice() {
            [] => self.y.with_unit(),
            names => names.join(", "),
        };
        if self.curves.is_empty() && !self.bands.is_empty() {
            let names: Vec<&str> = self.bands.iter().map(|b| b.name.as_str()).collect();
            return format!(
                "{} of {} over {}",
                self.y.name,
                names.join(", "),
                self.x.with_unit()
            );
        }
        let (Some(x), Some(y)) = (self.range(0), self.range(1)) else {
            return format!("{what}: no numbers");
        };
        let show = crate::markup::readable;
        format!(
            "{what} over {} from {} to {}; values between {} and {}",
            self.x.with_unit(),
            show(x[0]),
            show(x[1]),
            show(y[0]),
            show(y[1])
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(f: impl Fn(f64) -> f64) -> Plot {
        let points = (0..20_000).map(|k| {
            let t = 1e-3 * f64::from(k);
            [t, f(t)]
        });
        Plot {
            curves: vec![Curve {
                name: String::new(),
                points: points.collect(),
            }],
            ..Plot::default()
        }
    }

    #[test]
    fn what_runs_together_is_shown_from_close_by() {
        let fast = plot(|t| (100.0 * t).sin());
        // It turns at (k + ½)π/100 s up to 20 s; the last turn is too fresh to be seen.
        assert_eq!(fast.swings().len(), 636);
        let closer = fast.closer().unwrap();
        assert_eq!(closer.swings().len() + 1, ENLARGED_SWINGS);
    }

    #[test]
    fn what_cannot_be_seen_does_not_count() {
        let noise = |t: f64| 1e-3 * (1e3 * t).sin();
        assert!(plot(|t| t.sin() + noise(t)).closer().is_none());
        assert!(plot(|t| (100.0 * t).sin() + noise(t)).closer().is_some());
        assert!(plot(|_| f64::NAN).closer().is_none());
    }
}
