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
    /// The periodic cubic spline: two continuous derivatives, repeated beyond its ends, which have the same value.
    Periodic,
}

impl Interpolation {
    /// All interpolations with their words in the model language.
    pub const ALL: [(&'static str, Self); 4] = [
        ("linear", Self::Linear),
        ("cubic", Self::Cubic),
        ("periodic", Self::Periodic),
        ("steps", Self::Steps),
    ];

    /// The degree of the polynomials.
    pub fn degree(self) -> u32 {
        match self {
            Self::Steps => 0,
            Self::Linear => 1,
            Self::Cubic | Self::Periodic => 3,
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

/// The number of the first piece of the repetition 0 of a periodic table; repetitions before it have smaller numbers.
const FIRST_CYCLE: usize = 1 << if usize::BITS > 32 { 50 } else { 28 };

/// A function of one variable: knots with values, and the polynomials between them. Beyond the knots it is constant, or
/// repeated where it is [periodic](Interpolation::Periodic).
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
    /// A table of finite values at finite, strictly increasing knots; `None` for others, or for none, and for a periodic one
    /// whose ends differ.
    pub fn new(knots: Vec<f64>, values: Vec<f64>, interpolation: Interpolation) -> Option<Self> {
        let finite = knots.iter().chain(&values).all(|x| x.is_finite());
        let increasing = knots.windows(2).all(|w| w[0] < w[1]);
        if knots.is_empty() || knots.len() != values.len() || !finite || !increasing {
            return None;
        }
        if interpolation == Interpolation::Periodic
            && (knots.len() < 2 || values.first() != values.last())
        {
            return None;
        }
        let coefficients = match interpolation {
            Interpolation::Steps => values.iter().map(|y| [*y, 0.0, 0.0, 0.0]).collect(),
            Interpolation::Linear => lines(&knots, &values),
            Interpolation::Cubic => spline(&knots, &values, &natural_curvatures(&knots, &values)),
            Interpolation::Periodic => {
                spline(&knots, &values, &periodic_curvatures(&knots, &values))
            }
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

    /// The number of pieces: one before the first knot, one behind each knot. A periodic table has no last one.
    pub fn pieces(&self) -> usize {
        match self.period() {
            Some(_) => 2 * FIRST_CYCLE,
            None => self.knots.len() + 1,
        }
    }

    /// The distance after which a periodic table repeats itself.
    pub fn period(&self) -> Option<f64> {
        let is_periodic = self.interpolation == Interpolation::Periodic;
        is_periodic.then(|| self.knots[self.knots.len() - 1] - self.knots[0])
    }

    /// The start of the repetition of a number, which may be negative.
    fn cycle_start(&self, cycle: f64, period: f64) -> f64 {
        self.knots[0] + cycle * period
    }

    /// The place of a knot in a repetition; the last knot is the first one of the next.
    fn repeated_knot(&self, k: usize, cycle: f64, period: f64) -> f64 {
        match k + 1 < self.knots.len() {
            true => self.cycle_start(cycle, period) + (self.knots[k] - self.knots[0]),
            false => self.cycle_start(cycle + 1.0, period),
        }
    }

    /// Whether a piece lies beyond the knots.
    pub fn is_outside(&self, piece: usize) -> bool {
        self.period().is_none() && (piece == 0 || piece >= self.knots.len())
    }

    /// The piece that begins at a number.
    pub fn piece_beginning_at(&self, low: f64) -> usize {
        match self.period() {
            Some(_) => self.piece_at(low),
            None => self.knots.partition_point(|k| *k <= low),
        }
    }

    /// The piece that an argument is in. A knot belongs to the piece behind it; the last one to the piece before it
    /// unless the table has steps.
    pub fn piece_at(&self, s: f64) -> usize {
        if let Some(period) = self.period() {
            let limit = (FIRST_CYCLE / self.knots.len() / 2) as f64;
            let mut cycle = ((s - self.knots[0]) / period).floor().clamp(-limit, limit);
            // The division may be wrong by rounding at the ends.
            if s < self.cycle_start(cycle, period) {
                cycle -= 1.0;
            } else if s >= self.cycle_start(cycle + 1.0, period) {
                cycle += 1.0;
            }
            let pieces = self.knots.len() - 1;
            // The knots between the ends, as distances from the first, are increasing.
            let start = self.cycle_start(cycle, period);
            let within =
                self.knots[1..pieces].partition_point(|k| start + (k - self.knots[0]) <= s);
            let first = FIRST_CYCLE as f64 + cycle * pieces as f64;
            return first as usize + within;
        }
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
        if let Some(period) = self.period() {
            let pieces = self.knots.len() - 1;
            let number = k as i64 - FIRST_CYCLE as i64;
            let cycle = number.div_euclid(pieces as i64) as f64;
            let at = number.rem_euclid(pieces as i64) as usize;
            let low = self.repeated_knot(at, cycle, period);
            return Piece {
                origin: low,
                coefficients: self.coefficients[at],
                low,
                high: self.repeated_knot(at + 1, cycle, period),
            };
        }
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

/// The second derivatives m of the natural cubic spline at the knots:
/// h₋m₋/6 + (h₋ + h₊)m/3 + h₊m₊/6 = (y₊ − y)/h₊ − (y − y₋)/h₋, and m = 0 at both ends.
fn natural_curvatures(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n < 3 {
        return vec![0.0; n];
    }
    let h = |k: usize| x[k + 1] - x[k];
    let slope = |k: usize| (y[k + 1] - y[k]) / h(k);
    let inner = 1..n - 1;
    let diagonal = inner.clone().map(|k| (h(k - 1) + h(k)) / 3.0).collect();
    let beside: Vec<f64> = (1..n - 2).map(|k| h(k) / 6.0).collect();
    let right = inner.map(|k| slope(k) - slope(k - 1)).collect();
    let mut m = vec![0.0];
    m.extend(tridiagonal(diagonal, &beside, right));
    m.push(0.0);
    m
}

/// The second derivatives of the periodic cubic spline at the knots: the equations of the natural one at all knots, where
/// the knot before the first is the last but one.
fn periodic_curvatures(x: &[f64], y: &[f64]) -> Vec<f64> {
    let count = x.len() - 1;
    let h = |k: usize| x[k % count + 1] - x[k % count];
    let slope = |k: usize| (y[k % count + 1] - y[k % count]) / h(k);
    let before = |k: usize| k + count - 1;
    let right: Vec<f64> = (0..count).map(|k| slope(k) - slope(before(k))).collect();
    let mut m = match count {
        1 => vec![0.0],
        2 => {
            // Both neighbours of a knot are the other one.
            let (a, b) = ((h(0) + h(1)) / 3.0, (h(0) + h(1)) / 6.0);
            let d = a * a - b * b;
            vec![
                (a * right[0] - b * right[1]) / d,
                (a * right[1] - b * right[0]) / d,
            ]
        }
        _ => {
            // The corners c of the cyclic matrix are a correction of rank one, with u = (−a, 0, …, c), v = (1, 0, …, −c/a).
            let mut diagonal: Vec<f64> = (0..count).map(|k| (h(before(k)) + h(k)) / 3.0).collect();
            let beside: Vec<f64> = (0..count - 1).map(|k| h(k) / 6.0).collect();
            let (a, c) = (diagonal[0], h(count - 1) / 6.0);
            diagonal[0] += a;
            diagonal[count - 1] += c * c / a;
            let mut u = vec![0.0; count];
            (u[0], u[count - 1]) = (-a, c);
            let z = tridiagonal(diagonal.clone(), &beside, u);
            let w = tridiagonal(diagonal, &beside, right);
            let along = |p: &[f64]| p[0] - c / a * p[count - 1];
            let factor = along(&w) / (1.0 + along(&z));
            w.iter().zip(&z).map(|(w, z)| w - factor * z).collect()
        }
    };
    m.push(m[0]);
    m
}

/// The solution of a symmetric, diagonally dominant system with three diagonals.
fn tridiagonal(mut diagonal: Vec<f64>, beside: &[f64], mut right: Vec<f64>) -> Vec<f64> {
    for k in 1..diagonal.len() {
        let factor = beside[k - 1] / diagonal[k - 1];
        diagonal[k] -= factor * beside[k - 1];
        right[k] -= factor * right[k - 1];
    }
    for k in (0..diagonal.len()).rev() {
        let after = beside.get(k).map_or(0.0, |b| b * right[k + 1]);
        right[k] = (right[k] - after) / diagonal[k];
    }
    right
}

/// The polynomials of a cubic spline with second derivatives m at the knots.
fn spline(x: &[f64], y: &[f64], m: &[f64]) -> Vec<[f64; 4]> {
    let n = x.len();
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

    /// Values by SciPy 1.17, `CubicSpline(…, bc_type="periodic")`.
    #[test]
    fn periodic_splines_go_on() {
        let x = vec![0.5, 1.0, 2.25, 2.5, 4.5];
        let y = vec![1.0, -2.0, 0.5, 3.0, 1.0];
        let t = Table::new(x.clone(), y, Interpolation::Periodic).unwrap();
        for (s, value) in [
            (0.7, -0.31201169932728845),
            (1.5, -3.082889733840304),
            (2.3, 0.989561860193037),
            (3.9, 4.5463632641123155),
        ] {
            assert!((t.at(s, 0) - value).abs() < 1e-13, "{s}: {}", t.at(s, 0));
            for cycle in [-1000.0, -1.0, 3.0] {
                let far = t.at(s + 4.0 * cycle, 0);
                assert!((far - value).abs() < 1e-9, "{s} {cycle}: {far}");
            }
        }
        for s in [-7.5, 0.5, 1.0, 4.5, 2.5 + 4.0 * 12.0] {
            let k = t.piece_at(s);
            assert_eq!(
                (t.piece(k).low, t.piece_beginning_at(t.piece(k).low)),
                (s, k)
            );
            assert_eq!(t.piece(k - 1).high, s);
            assert!(!t.is_outside(k) && k + 1 < t.pieces());
            for order in 0..3 {
                let (left, right) = (t.piece(k - 1).at(s, order), t.piece(k).at(s, order));
                assert!((left - right).abs() < 1e-11, "{s} {order}: {left} {right}");
            }
        }
        // Three knots, and two.
        let t = Table::new(
            vec![0.0, 1.0, 3.0],
            vec![0.0, 2.0, 0.0],
            Interpolation::Periodic,
        )
        .unwrap();
        assert!((t.at(3.5, 0) - 1.0).abs() < 1e-14, "{}", t.at(3.5, 0));
        let t = Table::new(vec![0.0, 1.0], vec![2.0, 2.0], Interpolation::Periodic).unwrap();
        assert_eq!(t.at(-7.3, 0), 2.0);
        assert!(
            Table::new(
                vec![0.0, 1.0, 2.0],
                vec![2.0, 3.0, 2.5],
                Interpolation::Periodic
            )
            .is_none()
        );
    }
}
