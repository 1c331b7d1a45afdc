//! Instants conjugate to the start of a motion: nearby motions from the same place meet again there.

use galilei_integrate::{Directions, Options, Record};

use crate::compiled::Compiled;

/// The number of instants at which the determinant is evaluated.
const SAMPLES: usize = 400;
/// The largest singular value, relative to the largest of the matrix, that counts as zero.
const ZERO_SINGULAR_VALUE: f64 = 1e-6;

/// An instant that is conjugate to the start.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conjugate {
    /// The time of the instant.
    pub time: f64,
    /// The number of independent directions in which nearby motions meet.
    pub multiplicity: usize,
}

/// ∂x/∂u₀ and its rate at an instant, row by row.
struct PositionDerivatives {
    time: f64,
    matrix: Vec<f64>,
    rate: Vec<f64>,
}

fn determinant(n: usize, matrix: &[f64]) -> f64 {
    galilei_linear::determinant(matrix.chunks(n).map(<[f64]>::to_vec).collect())
}

impl PositionDerivatives {
    fn determinant(&self, n: usize) -> f64 {
        determinant(n, &self.matrix)
    }

    /// The matrix between two instants, by cubics through both with their rates.
    fn between(&self, next: &Self, z: f64) -> Vec<f64> {
        let h = next.time - self.time;
        let (a, b) = (
            2.0 * z * z * z - 3.0 * z * z + 1.0,
            z * (1.0 - z) * (1.0 - z),
        );
        let (c, d) = (3.0 * z * z - 2.0 * z * z * z, z * z * (z - 1.0));
        (0..self.matrix.len())
            .map(|k| {
                a * self.matrix[k]
                    + b * h * self.rate[k]
                    + c * next.matrix[k]
                    + d * h * next.rate[k]
            })
            .collect()
    }
}

/// The number of singular values of a matrix that are zero.
fn nullity(n: usize, m: &[f64]) -> usize {
    // Eigenvalues of MᵀM by elimination of the characteristic polynomial would lose half the digits; rank by full
    // pivoting does not.
    let mut m = m.to_vec();
    let largest = m.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for k in 0..n {
        let places = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (p, q) = places
            .max_by(|&(i, j), &(r, s)| m[i * n + j].abs().total_cmp(&m[r * n + s].abs()))
            .unwrap_or((k, k));
        if m[p * n + q].abs() <= ZERO_SINGULAR_VALUE * largest {
            return n - k;
        }
        (0..n).for_each(|j| m.swap(k * n + j, p * n + j));
        (0..n).for_each(|i| m.swap(i * n + k, i * n + q));
        for i in k + 1..n {
            let factor = m[i * n + k] / m[k * n + k];
            for j in k..n {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    0
}

/// The instants conjugate to the start of a motion from a state, before its end. `compiled` has sensitivities.
pub(super) fn conjugate(
    compiled: &Compiled,
    state: &[f64],
    options: &Options,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> Vec<Conjugate> {
    let n = state.len() / 2;
    let directions = Directions::all(compiled.tape(), n);
    let span = options.to - options.from;
    let options = Options {
        record: Record::Every(span.abs() / SAMPLES as f64),
        ..options.clone()
    };
    let (run, followed) =
        compiled.integrate_with_sensitivities(state, &options, &directions, go_on);
    let width = directions.columns.len();
    let derivatives: Vec<PositionDerivatives> = run
        .rows
        .iter()
        .zip(&followed.rows)
        .map(|(row, rows)| {
            let part = |first: usize| -> Vec<f64> {
                let entries = (0..n * n).map(|k| rows[(first + k / n) * width + n + k % n]);
                entries.collect()
            };
            PositionDerivatives {
                time: row[0],
                matrix: part(0),
                rate: part(n),
            }
        })
        .collect();
    let mut found = Vec::new();
    // At the start all nearby motions are together.
    for pair in derivatives.get(1..).unwrap_or_default().windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let at = |z: f64| determinant(n, &a.between(b, z));
        let place = if a.determinant(n) * b.determinant(n) < 0.0 {
            Some(bisected(at))
        } else {
            touching(n, a, b)
        };
        let Some(z) = place else { continue };
        let time = a.time + z * (b.time - a.time);
        let near_end = (options.to - time).abs() <= 1e-9 * span.abs();
        let multiplicity = nullity(n, &a.between(b, z)).max(1);
        if !near_end {
            found.push(Conjugate { time, multiplicity });
        }
    }
    found
}

fn bisected(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let sign = f(0.0).signum();
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The instant at which the determinant touches zero, because an even number of directions meet.
fn touching(n: usize, a: &PositionDerivatives, b: &PositionDerivatives) -> Option<f64> {
    let size = |z: f64| determinant(n, &a.between(b, z)).abs();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if size(low + third) < size(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    let z = 0.5 * (low + high);
    let inside = z > 1e-6 && z < 1.0 - 1e-6;
    (inside && nullity(n, &a.between(b, z)) >= 2).then_some(z)
}
