//! Ready-made manifolds: `coord n on sphere`, `coord c on circle`, `coord R on rotations`. (T-125)
//!
//! A point of one is a function of the coordinates of a chart. For runs these are the stereographic coordinates of the
//! sphere from either pole, and modified Rodrigues parameters, which are stereographic coordinates of unit quaternions:
//! charts that end nowhere within the unit ball, and of which another takes over outside of it. For reading they are
//! angles.

use galilei_expr::{Expr, Pool};
use galilei_syntax::Span;

use crate::rotation::{Matrix, Vector, cross};

/// A ready-made manifold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ManifoldKind {
    /// Unit vectors of space.
    Sphere,
    /// Unit vectors of the plane.
    Circle,
    /// Rotations of space.
    Rotations,
}

impl ManifoldKind {
    /// The manifold by the word that names it.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "sphere" => Some(Self::Sphere),
            "circle" => Some(Self::Circle),
            "rotations" => Some(Self::Rotations),
            _ => None,
        }
    }

    /// The word that names the manifold.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Circle => "circle",
            Self::Rotations => "rotations",
        }
    }

    /// The number of coordinates.
    pub fn dimension(self) -> usize {
        match self {
            Self::Sphere => 2,
            Self::Circle => 1,
            Self::Rotations => 3,
        }
    }

    /// The names of the components of a point, behind a dot: those of a vector, or the entries of a matrix by rows.
    pub fn components(self) -> &'static [&'static str] {
        match self {
            Self::Sphere => &["x", "y", "z"],
            Self::Circle => &["x", "y"],
            Self::Rotations => &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"],
        }
    }
}

/// The charts in which the points of all manifolds of a model are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charts {
    /// Those of runs. A bit of the number tells for each sphere whether its coordinates are zero at (0, 0, −1) instead
    /// of (0, 0, 1).
    Runs(usize),
    /// Angles.
    Angles,
}

impl Default for Charts {
    fn default() -> Self {
        Self::Runs(0)
    }
}

/// A coordinate on a manifold, as the file declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifold {
    /// The name, `n[2]` for a member of a family.
    pub name: String,
    /// The manifold.
    pub kind: ManifoldKind,
    /// The place of the first of its coordinates among all.
    pub first: usize,
    /// The place among the spheres of the model; its bit in the number of a chart.
    pub bit: usize,
    /// The charts in which its points are read.
    pub charts: Charts,
    /// Its place.
    pub span: Span,
}

impl Manifold {
    /// The names of the coordinates of a declared name and index, in some charts.
    pub(crate) fn names(
        kind: ManifoldKind,
        charts: Charts,
        name: &str,
        index: Option<i64>,
    ) -> Vec<String> {
        let stems: Vec<String> = match (charts, kind) {
            (Charts::Runs(_), _) => (1..=kind.dimension())
                .map(|k| format!("{name}_{k}"))
                .collect(),
            (Charts::Angles, ManifoldKind::Sphere) => {
                ["theta", "phi"].map(|w| format!("{w}_{name}")).to_vec()
            }
            (Charts::Angles, ManifoldKind::Circle) => vec![format!("phi_{name}")],
            (Charts::Angles, ManifoldKind::Rotations) => ["phi", "theta", "psi"]
                .map(|w| format!("{w}_{name}"))
                .to_vec(),
        };
        let member = |stem: String| match index {
            None => stem,
            Some(k) => format!("{stem}[{k}]"),
        };
        stems.into_iter().map(member).collect()
    }

    /// Whether the coordinates of a sphere are zero at (0, 0, −1).
    pub fn is_turned(&self) -> bool {
        match self.charts {
            Charts::Runs(bits) => self.kind == ManifoldKind::Sphere && bits >> self.bit & 1 == 1,
            Charts::Angles => false,
        }
    }

    /// The chart in words, for a reader of formulas.
    pub fn words(&self, names: &[String]) -> String {
        let (n, list) = (&self.name, names.join(", "));
        let sign = if self.is_turned() { "-" } else { "+" };
        match (self.charts, self.kind) {
            (Charts::Runs(_), ManifoldKind::Sphere) => {
                format!("({list}) = ({n}.x, {n}.y)/(1 {sign} {n}.z)")
            }
            (_, ManifoldKind::Circle) => format!("{n} = (cos({list}), sin({list}))"),
            (Charts::Runs(_), ManifoldKind::Rotations) => {
                format!("({list}) is the axis of {n} times the tangent of a quarter of its angle")
            }
            (Charts::Angles, ManifoldKind::Sphere) => {
                let [a, b] = [&names[0], &names[1]];
                format!("{n} = (sin({a})*cos({b}), sin({a})*sin({b}), cos({a}))")
            }
            (Charts::Angles, ManifoldKind::Rotations) => format!("{n} = zxz({list})"),
        }
    }

    /// A unit vector as a function of the coordinates.
    pub(crate) fn vector<'p>(&self, pool: &'p Pool, y: &[Expr<'p>]) -> Vec<Expr<'p>> {
        match (self.kind, self.charts) {
            (ManifoldKind::Circle, _) => vec![y[0].cos(), y[0].sin()],
            (_, Charts::Angles) => {
                let [a, b] = [y[0], y[1]];
                vec![a.sin() * b.cos(), a.sin() * b.sin(), a.cos()]
            }
            (_, Charts::Runs(_)) => {
                let square = pool.sum(y.iter().map(|y| y.pow(2)));
                let scale = (1 + square).recip();
                let along = match self.is_turned() {
                    true => square - 1,
                    false => 1 - square,
                };
                vec![2 * y[0] * scale, 2 * y[1] * scale, along * scale]
            }
        }
    }

    /// The coordinates of a point: of a unit vector, or of a rotation by its unit quaternion. `None` where the chart has
    /// none.
    pub(crate) fn coordinates_of<'p>(&self, point: &[Expr<'p>]) -> Option<Vec<Expr<'p>>> {
        match (self.kind, self.charts) {
            (ManifoldKind::Circle, _) => Some(vec![point[1].atan2(point[0])]),
            (ManifoldKind::Sphere, Charts::Runs(_)) => {
                let below = match self.is_turned() {
                    true => 1 - point[2],
                    false => 1 + point[2],
                };
                (!below.is_zero()).then(|| vec![point[0] / below, point[1] / below])
            }
            (ManifoldKind::Sphere, Charts::Angles) => {
                Some(vec![point[2].acos(), point[1].atan2(point[0])])
            }
            (ManifoldKind::Rotations, Charts::Runs(_)) => {
                let below = 1 + point[0];
                (!below.is_zero()).then(|| (1..4).map(|k| point[k] / below).collect())
            }
            (ManifoldKind::Rotations, Charts::Angles) => None,
        }
    }

    /// The velocities of the coordinates at some coordinates, for the velocity of a unit vector or the angular velocity
    /// of a rotation in outer axes.
    pub(crate) fn velocities_of<'p>(
        &self,
        pool: &'p Pool,
        y: &[Expr<'p>],
        rate: &[Expr<'p>],
    ) -> Option<Vec<Expr<'p>>> {
        let square = pool.sum(y.iter().map(|y| y.pow(2)));
        match (self.kind, self.charts) {
            (ManifoldKind::Circle, _) => Some(vec![y[0].cos() * rate[1] - y[0].sin() * rate[0]]),
            (ManifoldKind::Sphere, Charts::Runs(_)) => {
                let sign = if self.is_turned() { -1 } else { 1 };
                let scale = (1 + square) / 2;
                let one = |k: usize| (rate[k] - sign * y[k] * rate[2]) * scale;
                Some(vec![one(0), one(1)])
            }
            (ManifoldKind::Rotations, Charts::Runs(_)) => {
                let (y, rate) = ([y[0], y[1], y[2]], [rate[0], rate[1], rate[2]]);
                let side = cross(&y, &rate);
                let along = pool.sum((0..3).map(|k| y[k] * rate[k]));
                let one = |k: usize| {
                    pool.sum([(1 - square) * rate[k], -2 * side[k], 2 * along * y[k]]) / 4
                };
                Some((0..3).map(one).collect())
            }
            (_, Charts::Angles) => None,
        }
    }

    /// A rotation by modified Rodrigues parameters: the matrix from inner to outer axes, the angular velocity in inner
    /// axes, and in outer axes.
    pub fn rotation<'p>(
        pool: &'p Pool,
        y: &[Expr<'p>; 3],
        w: &[Expr<'p>; 3],
    ) -> ([[Expr<'p>; 3]; 3], [Expr<'p>; 3], [Expr<'p>; 3]) {
        let square = pool.sum(y.iter().map(|y| y.pow(2)));
        let scale = (1 + square).pow(-2);
        let turn = 4 * (1 - square);
        // 1 + (8·[y]² + 4(1 − y²)[y])/(1 + y²)², where [y]² = yyᵀ − y².
        let rows: Matrix<'p> = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                if i == j {
                    let others = pool.sum((0..3).filter(|&m| m != i).map(|m| y[m].pow(2)));
                    1 - 8 * others * scale
                } else {
                    // [y]ᵢⱼ = −εᵢⱼₖyₖ
                    let (k, sign) = (3 - i - j, if (i + 1) % 3 == j { -1 } else { 1 });
                    (8 * y[i] * y[j] + sign * turn * y[k]) * scale
                }
            })
        });
        let along = 2 * pool.sum((0..3).map(|k| y[k] * w[k]));
        let side = cross(y, w);
        let rate = |sign: i32| -> Vector<'p> {
            std::array::from_fn(|k| {
                4 * pool.sum([(1 - square) * w[k], along * y[k], 2 * sign * side[k]]) * scale
            })
        };
        (rows, rate(-1), rate(1))
    }
}
