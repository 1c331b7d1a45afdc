//! Functions of one variable given by a table of values: piecewise polynomials.

/// The way a table is interpolated between its knots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// The value of the last knot at or before the argument.
    Steps,
    /// Straight lines between the knots.
    Linear,
    /// The natural cubic spline: two continuous derivatives, curvature zero at both ends.
    Cubic,
}

impl Interpolation {
    /// All interpolations with their words in the model language.
    pub const ALL: [(&'static str, Self); 3] = [
        ("linear", Self::Linear),
        ("cubic", Self::Cubic),
        ("steps", Self::Steps),
    ];

    /// The degree of the polynomials.
    pub fn degree(self) -> u32 {
        match self {
            Self::Steps => 0,
            Self::Linear => 1,
            Self::Cubic => 3,
        }
    }
}

/// One polynomial of a table: c₀ + c₁d + c₂d² + c₃d³ with d = s − origin, for low ≤ s ≤ high.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Piece {
    /// The point about which the polynomial is written.
    pub origin: f64,
    /// c₀, c₁, c₂, c₃
    pub coefficients: [f64; 4],
    /// The lower end; −∞ before the first knot.
    pub low: f64,
    /// The upper end; ∞ after the last knot.
    pub high: f64,
}

impl Piece {
    /// The derivative of an order at s.
    pub fn at(&self, s: f64, order: u32) -> f64 {
        let d = s - self.origin;
        let [c0, c1, c2, c3] = self.coefficients;
        match order {
            0 => c0 + d * (c1 + d * (c2 + d * c3)),
            1 => c1 + d * (2.0 * c2 + d * 3.0 * c3),
            2 => 2.0 * c2 + d * 6.0 * c3,
            3 => 6.0 * c3,
            _ => 0.0,
        }
    }
}

/// A function of one variable: knots with values, and the polynomials between them. Beyond the knots it is constant.
///
/// ```
/// use galilei_expr::{Interpolation, Pool, Table};
/// let pool = Pool::new();
/// let table = Table::new(vec![0.0, 1.0, 3.0], vec![1.0, 2.0, 6.0], Interpolation::Linear).unwrap();
/// let f = pool.table("f", table);
/// let x = pool.symbol("x");
/// assert_eq!(f.at([x]).evaluate_f64(&[(x, 2.0)]), 4.0);
/// assert_eq!(f.at([2 * x]).diff(x).evaluate_f64(&[(x, 0.25)]), 2.0);
/// assert_eq!(f.at([x]).evaluate_f64(&[(x, 9.0)]), 6.0);
/// assert!(f.at([x]).diff(x).diff(x).is_zero());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    interpolation: Interpolation,
    knots: Vec<f64>,
    values: Vec<f64>,
    /// c₀ … c₃ of the polynomial that begins at each knot; the last one is constant.
    coefficients: Vec<[f64; 4]>,
}

impl Table {
    /// A table of finite values at finite, strictly increasing knots; `None` for others, or for none.
    pub fn new(knots: Vec<f64>, values: Vec<f64>, interpolation: Interpolation) -> Option<Self> {
        let finite = knots.iter().chain(&values).all(|x| x.is_finite());
        let increasing = knots.windows(2).all(|w| w[0] < w[1]);
        if knots.is_empty() || knots.len() != values.len() || !finite || !increasing {
            return None;
        }
        let coefficients = match interpolation {
            Interpolation::Steps => values.iter().map(|y| [*y, 0.0, 0.0, 0.0]).collect(),
            Interpolation::Linear => lines(&knots, &values),
            Interpolation::Cubic => natural_spline(&knots, &values),
        };
        Some(Self {
            interpolation,
            knots,
            values,
            coefficients,
        })
    }

    /// The knots.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The values at the knots.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The coefficients c₀ … c₃ of the polynomial that begins at each knot, in powers of the distance from it; behind the
    /// last knot it is constant.
    pub fn coefficients(&self) -> &[[f64; 4]] {
        &self.coefficients
    }

    /// The interpolation.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The number of pieces: one before the first knot, one behind each knot.
    pub fn pieces(&self) -> usize {
        self.knots.len() + 1
    }

    /// Whether a piece lies beyond the knots.
    pub fn is_outside(&self, piece: usize) -> bool {
        piece == 0 || piece >= self.knots.len()
    }

    /// The piece that an argument is in. A knot belongs to the piece behind it; the last one to the piece before it
    /// unless the table has steps.
    pub fn piece_at(&self, s: f64) -> usize {
        let after = self.knots.partition_point(|k| *k <= s);
        let last = self.knots.len();
        let at_end = after == last && last > 1 && s == self.knots[last - 1];
        match at_end && self.interpolation != Interpolation::Steps {
            true => last - 1,
            false => after,
        }
    }

    /// A piece by its number.
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn piece(&self, k: usize) -> Piece {
        let high = self.knots.get(k).copied().unwrap_or(f64::INFINITY);
        match k.checked_sub(1) {
            None => Piece {
                origin: self.knots[0],
                coefficients: [self.values[0], 0.0, 0.0, 0.0],
                low: f64::NEG_INFINITY,
                high,
            },
            Some(at) => Piece {
                origin: self.knots[at],
                coefficients: self.coefficients[at],
                low: self.knots[at],
                high,
            },
        }
    }

    /// The derivative of an order at s; not a number where s is none.
    pub fn at(&self, s: f64, order: u32) -> f64 {
        match s.is_nan() {
            true => f64::NAN,
            false => self.piece(self.piece_at(s)).at(s, order),
        }
    }
}

fn lines(x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    let n = x.len();
    let slope = |k: usize| match k + 1 < n {
        true => (y[k + 1] - y[k]) / (x[k + 1] - x[k]),
        false => 0.0,
    };
    (0..n).map(|k| [y[k], slope(k), 0.0, 0.0]).collect()
}

/// The natural cubic spline: with second derivatives m at the knots,
/// h₋m₋/6 + (h₋ + h₊)m/3 + h₊m₊/6 = (y₊ − y)/h₊ − (y − y₋)/h₋, and m = 0 at both ends.
fn natural_spline(x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    let n = x.len();
    let mut m = vec![0.0; n];
    if n > 2 {
        let h = |k: usize| x[k + 1] - x[k];
        let slope = |k: usize| (y[k + 1] - y[k]) / h(k);
        // Elimination downwards: the matrix is diagonally dominant.
        let (mut diagonal, mut right) = (vec![0.0; n], vec![0.0; n]);
        for k in 1..n - 1 {
            diagonal[k] = (h(k - 1) + h(k)) / 3.0;
            right[k] = slope(k) - slope(k - 1);
            if k > 1 {
                let beside = h(k - 1) / 6.0;
                let factor = beside / diagonal[k - 1];
                diagonal[k] -= factor * beside;
                right[k] -= factor * right[k - 1];
            }
        }
        for k in (1..n - 1).rev() {
            m[k] = (right[k] - h(k) / 6.0 * m[k + 1]) / diagonal[k];
        }
    }
    (0..n)
        .map(|k| {
            if k + 1 == n {
                return [y[k], 0.0, 0.0, 0.0];
            }
            let h = x[k + 1] - x[k];
            let slope = (y[k + 1] - y[k]) / h;
            [
                y[k],
                slope - h * (2.0 * m[k] + m[k + 1]) / 6.0,
                0.5 * m[k],
                (m[k + 1] - m[k]) / (6.0 * h),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_are_smooth_and_natural() {
        let x = vec![0.0, 0.5, 1.75, 2.0, 4.0];
        let y = vec![1.0, -2.0, 0.5, 3.0, 3.5];
        let t = Table::new(x.clone(), y.clone(), Interpolation::Cubic).unwrap();
        for (k, (x, y)) in x.iter().zip(&y).enumerate() {
            assert!((t.at(*x, 0) - y).abs() < 1e-14);
            if k > 0 && k < 4 {
                for order in 0..3 {
                    let (left, right) = (t.piece(k).at(*x, order), t.piece(k + 1).at(*x, order));
                    assert!((left - right).abs() < 1e-12, "knot {k}, derivative {order}");
                }
            }
        }
        assert!(t.piece(1).at(0.0, 2).abs() < 1e-13 && t.piece(4).at(4.0, 2).abs() < 1e-12);
        // A parabola's chord slopes: the spline of two knots is their line.
        let line = Table::new(vec![1.0, 3.0], vec![2.0, 8.0], Interpolation::Cubic).unwrap();
        assert_eq!((line.at(2.0, 0), line.at(2.0, 1)), (5.0, 3.0));
    }

    #[test]
    fn ends_are_constant_and_steps_hold() {
        let t = Table::new(vec![0.0, 1.0], vec![3.0, 5.0], Interpolation::Steps).unwrap();
        let at = [-1.0, 0.0, 0.999, 1.0, 7.0].map(|s| t.at(s, 0));
        assert_eq!(at, [3.0, 3.0, 3.0, 5.0, 5.0]);
        let l = Table::new(vec![0.0, 1.0], vec![3.0, 5.0], Interpolation::Linear).unwrap();
        assert_eq!(
            [-1.0, 0.5, 1.0, 2.0].map(|s| l.at(s, 0)),
            [3.0, 4.0, 5.0, 5.0]
        );
        assert_eq!(
            [-1.0, 0.5, 1.0, 2.0].map(|s| l.at(s, 1)),
            [0.0, 2.0, 2.0, 0.0]
        );
        assert!(Table::new(vec![1.0, 1.0], vec![0.0, 0.0], Interpolation::Linear).is_none());
        assert!(Table::new(vec![], vec![], Interpolation::Linear).is_none());
    }
}
