//! Systems of equations with more or fewer unknowns: Newton's method by the shortest steps, and the proof of a zero in a box.

use galilei_expr::{Expr, Interval, Program};
use nalgebra::{DMatrix, DVector};

/// Newton steps from one start.
const MAX_STEPS: usize = 80;
/// Halvings of one step.
const MAX_HALVINGS: usize = 24;
/// Singular values below this part of the largest are zero in Newton steps.
const RANK: f64 = 1e-11;
/// Residuals below this, relative to the equations' scale, are zero.
const CONVERGED: f64 = 1e-12;

/// The largest half side of a box that certifies a zero, relative to the zero.
const LARGEST_RADIUS: f64 = 1e-7;

/// Equations F(y) = 0 as code, with their derivatives.
pub(crate) struct Equations<'p> {
    pub(crate) functions: Vec<Expr<'p>>,
    pub(crate) unknowns: Vec<Expr<'p>>,
    program: Program,
}

/// F and its derivatives at a point.
pub(crate) struct Values {
    pub(crate) f: DVector<f64>,
    pub(crate) j: DMatrix<f64>,
}

impl Values {
    /// The sizes of the equations: of the sums of magnitudes of their slopes.
    fn scales(&self, y: &[f64]) -> Vec<f64> {
        let row = |i: usize| {
            let terms = (0..y.len()).map(|k| self.j[(i, k)].abs() * y[k].abs().max(1e-3));
            terms.sum::<f64>().max(f64::MIN_POSITIVE.sqrt())
        };
        (0..self.f.len()).map(row).collect()
    }
}

impl<'p> Equations<'p> {
    /// Compiles equations; `None` if something in them has no numbers.
    pub(crate) fn new(functions: Vec<Expr<'p>>, unknowns: Vec<Expr<'p>>) -> Option<Self> {
        let slopes = functions.iter().flat_map(|f| f.gradient(&unknowns));
        let all: Vec<Expr<'p>> = functions.iter().copied().chain(slopes).collect();
        let program = Program::new(&all, &unknowns).ok()?;
        Some(Self {
            functions,
            unknowns,
            program,
        })
    }

    pub(crate) fn at(&self, y: &[f64]) -> Option<Values> {
        let values = self.program.f64(y);
        let (m, k) = (self.functions.len(), self.unknowns.len());
        values.iter().all(|v| v.is_finite()).then(|| Values {
            f: DVector::from_column_slice(&values[..m]),
            j: DMatrix::from_row_slice(m, k, &values[m..]),
        })
    }

    /// A zero near a start, by the shortest steps in units of `scale`; `None` if none is found.
    pub(crate) fn solve(&self, start: &[f64], scale: &[f64]) -> Option<Vec<f64>> {
        let k = start.len();
        let mut y = start.to_vec();
        let mut now = self.at(&y)?;
        if now.f.is_empty() {
            return Some(y);
        }
        let weigh = |v: &Values, s: &[f64]| -> f64 {
            v.f.iter()
                .zip(s)
                .fold(0.0_f64, |m, (f, s)| m.max((f / s).abs()))
        };
        for _ in 0..MAX_STEPS {
            let scales = now.scales(&y);
            let size = weigh(&now, &scales);
            let scaled =
                DMatrix::from_fn(now.f.len(), k, |i, j| now.j[(i, j)] * scale[j] / scales[i]);
            let right = DVector::from_fn(now.f.len(), |i, _| -now.f[i] / scales[i]);
            if k == 0 {
                return (size <= CONVERGED).then_some(y);
            }
            let svd = scaled.try_svd(true, true, f64::EPSILON, 400 + 40 * k)?;
            let largest = svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s));
            let step = svd.solve(&right, RANK * largest).ok()?;
            let length = (0..k).fold(0.0_f64, |m, i| {
                m.max((step[i] * scale[i]).abs() / y[i].abs().max(scale[i]))
            });
            if !length.is_finite() {
                return None;
            }
            if size <= CONVERGED && length <= 1e-13 {
                return Some(y);
            }
            // Steps of more than a few units of scale leave the neighbourhood.
            let mut factor = (2.0 / length).min(1.0);
            let mut better = None;
            for _ in 0..MAX_HALVINGS {
                let next: Vec<f64> = (0..k).map(|i| y[i] + factor * step[i] * scale[i]).collect();
                if let Some(values) = self.at(&next)
                    && weigh(&values, &scales) < size * (1.0 - 1e-4 * factor)
                {
                    better = Some((next, values));
                    break;
                }
                factor *= 0.5;
            }
            match better {
                Some((next, values)) => (y, now) = (next, values),
                // Rounding is reached, where the last small step is still the best one, or there is no way down.
                None if size <= CONVERGED => {
                    if length <= 1e-6 {
                        for i in 0..k {
                            y[i] += step[i] * scale[i];
                        }
                    }
                    return Some(y);
                }
                None => return None,
            }
        }
        let scales = now.scales(&y);
        (weigh(&now, &scales) <= CONVERGED).then_some(y)
    }

    /// Whether a box around a point is proved to hold exactly one zero of as many equations as unknowns, by Krawczyk's
    /// operator with outward rounding.
    pub(crate) fn certify(&self, y: &[f64]) -> bool {
        let k = y.len();
        if self.functions.len() != k {
            return false;
        }
        if k == 0 {
            return true;
        }
        let Some(here) = self.at(y) else {
            return false;
        };
        let Some(inverse) = here.j.clone().try_inverse() else {
            return false;
        };
        let points: Vec<Interval> = y.iter().map(|x| Interval::point(*x)).collect();
        let Some(f) = self.enclosures(&points, k) else {
            return false;
        };
        // Y·F at the middle.
        let moved: Vec<Wide> = (0..k)
            .map(|i| {
                (0..k).fold(Wide::ZERO, |sum, j| {
                    sum.plus(Wide::of(f[j]).times(inverse[(i, j)]))
                })
            })
            .collect();
        let largest = moved.iter().fold(0.0_f64, |m, w| m.max(w.magnitude()));
        for widening in [4.0, 1e2, 1e4, 1e6] {
            let radius: Vec<f64> = (0..k)
                .map(|i| {
                    widening
                        * (moved[i].magnitude().max(0.1 * largest)
                            + 4.0 * f64::EPSILON * y[i].abs().max(1e-8))
                })
                .collect();
            // A large box around a point is no certificate for the point.
            if (0..k).any(|i| radius[i] > LARGEST_RADIUS * y[i].abs().max(1.0)) {
                return false;
            }
            let cube: Vec<Interval> = (0..k)
                .map(|i| {
                    Interval::new((y[i] - radius[i]).next_down(), (y[i] + radius[i]).next_up())
                })
                .collect();
            let Some(slopes) = self.enclosures(&cube, k + k * k) else {
                continue;
            };
            let inside = (0..k).all(|i| {
                let mut reach = moved[i].magnitude();
                for j in 0..k {
                    let mut entry = Wide::ZERO;
                    for l in 0..k {
                        entry = entry.plus(Wide::of(slopes[k + l * k + j]).times(inverse[(i, l)]));
                    }
                    let own = Wide {
                        low: f64::from(u8::from(i == j)),
                        high: f64::from(u8::from(i == j)),
                    };
                    let rest = own.plus(entry.times(-1.0)).magnitude();
                    reach = (reach + (rest * (1.25 * radius[j]).next_up()).next_up()).next_up();
                }
                reach < radius[i]
            });
            if inside {
                return true;
            }
        }
        false
    }

    /// Enclosures of the first so many outputs: the functions, then their derivatives row by row.
    fn enclosures(&self, cube: &[Interval], count: usize) -> Option<Vec<Interval>> {
        self.program
            .intervals(cube)
            .into_iter()
            .take(count)
            .collect()
    }

    /// Some of the equations for some of the unknowns, with numbers for the others.
    pub(crate) fn part(
        &self,
        rows: &[usize],
        columns: &[usize],
        y: &[f64],
    ) -> Option<(Self, Vec<f64>)> {
        let first = self.unknowns.first()?;
        let pool = first.pool();
        let fixed: Vec<(Expr<'p>, Expr<'p>)> = (0..y.len())
            .filter(|k| !columns.contains(k))
            .map(|k| (self.unknowns[k], crate::steady::exact(pool, y[k])))
            .collect();
        let functions: Vec<Expr<'p>> = rows.iter().map(|&i| self.functions[i]).collect();
        let functions = pool.substitute_all(&functions, &fixed);
        let unknowns = columns.iter().map(|&k| self.unknowns[k]).collect();
        let own = Self::new(functions, unknowns)?;
        Some((own, columns.iter().map(|&k| y[k]).collect()))
    }
}

/// An interval whose operations round outwards.
#[derive(Clone, Copy)]
struct Wide {
    low: f64,
    high: f64,
}

impl Wide {
    const ZERO: Self = Self {
        low: 0.0,
        high: 0.0,
    };

    fn of(interval: Interval) -> Self {
        Self {
            low: interval.low(),
            high: interval.high(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            low: (self.low + other.low).next_down(),
            high: (self.high + other.high).next_up(),
        }
    }

    fn times(self, factor: f64) -> Self {
        let (a, b) = (self.low * factor, self.high * factor);
        Self {
            low: a.min(b).next_down(),
            high: a.max(b).next_up(),
        }
    }

    fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use galilei_expr::Pool;

    #[test]
    fn zeros_are_found_and_proved() {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        let system =
            Equations::new(vec![x.pow(2) + y.pow(2) - 1, x - y.pow(3)], vec![x, y]).unwrap();
        let found = system.solve(&[1.0, 1.0], &[1.0, 1.0]).unwrap();
        assert!(system.certify(&found));
        // A point that is no zero, and a double zero, are not proved.
        assert!(!system.certify(&[0.5, 0.8]));
        let double = Equations::new(vec![(x - 1).pow(2)], vec![x]).unwrap();
        assert!(!double.certify(&[1.0]));
        let none = Equations::new(vec![x.pow(2) + 1], vec![x]).unwrap();
        assert!(none.solve(&[0.3], &[1.0]).is_none());
        assert!(!none.certify(&[0.0]) && !none.certify(&[0.1]));
    }

    #[test]
    fn the_nearest_point_of_a_curve() {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        let circle = Equations::new(vec![x.pow(2) + y.pow(2) - 1], vec![x, y]).unwrap();
        let found = circle.solve(&[3.0, 4.0], &[1.0, 1.0]).unwrap();
        assert!(
            (found[0] - 0.6).abs() < 1e-9 && (found[1] - 0.8).abs() < 1e-9,
            "{found:?}"
        );
    }
}
