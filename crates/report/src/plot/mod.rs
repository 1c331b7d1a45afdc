//! Plots: curves over axes, as SVG.
//!
//! Colours are classes, so that one drawing serves light and dark paper; curves carry their names, no legend is
//! needed. A plot knows numbers and names, nothing of mechanics.

mod axis;
mod curve;
mod draw;
mod label;
mod sheet;

pub(crate) use curve::path;
pub(crate) use label::width as text_width;
pub(crate) use sheet::DRAWING;
pub use sheet::sheet;

/// What an axis shows.
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
    /// Its points in order; what is not finite interrupts it.
    pub points: Vec<[f64; 2]>,
}

/// Swings of a curve that can still be told apart.
const DENSE: usize = 130;
/// Swings that are shown from close by.
const SHOWN: usize = 16;

impl Curve {
    /// Where it turns from rising to falling or back.
    fn swings(&self) -> Vec<f64> {
        let turns = |w: &&[[f64; 2]]| (w[1][1] - w[0][1]) * (w[2][1] - w[1][1]) < 0.0;
        let triples = self.points.windows(3);
        triples.filter(turns).map(|w| w[1][0]).collect()
    }
}

/// How numbers become heights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    #[default]
    Linear,
    /// By powers of ten; what is not positive stands at the lower edge.
    Logarithmic,
    /// In proportion, and as long as on the other axis: a map.
    Equal,
}

/// A plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// What is shown.
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
    /// Whether the first curve's start and end are marked.
    pub ends: bool,
}

/// Colours there are for curves.
pub const COLOURS: usize = 7;

impl Plot {
    /// The smallest and the largest finite value of a component.
    fn range(&self, k: usize) -> Option<[f64; 2]> {
        let points = self.curves.iter().flat_map(|c| &c.points);
        let finite = points.filter(|p| p.iter().all(|x| x.is_finite()));
        finite.fold(None, |range: Option<[f64; 2]>, p| {
            let [low, high] = range.unwrap_or([p[k], p[k]]);
            Some([low.min(p[k]), high.max(p[k])])
        })
    }

    /// Whether some curve swings so often that its lines run into each other.
    fn is_dense(&self) -> bool {
        self.curves.iter().any(|c| c.swings().len() > DENSE)
    }

    /// The last few swings of a plot whose curves run into each other.
    pub fn closer(&self) -> Option<Self> {
        let swings = self.curves.iter().map(Curve::swings);
        let fastest = swings.max_by_key(Vec::len)?;
        let start = *fastest.get(fastest.len().checked_sub(SHOWN)?)?;
        if fastest.len() <= DENSE {
            return None;
        }
        let mut closer = self.clone();
        closer.title += ", the last moments";
        for c in &mut closer.curves {
            c.points.retain(|p| p[0] >= start);
        }
        closer.marks.retain(|x| *x >= start);
        Some(closer)
    }

    /// The plot in words, for those who do not see it.
    pub fn description(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|c| c.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().filter(|n| !n.is_empty()).collect();
        let what = match names.as_slice() {
            [] => self.y.with_unit(),
            names => names.join(", "),
        };
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
