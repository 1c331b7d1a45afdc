//! Levenberg and Marquardt's search for the least sum of squares within bounds.

use nalgebra::{DMatrix, DVector};

/// Iterations of one search.
pub(super) const MAX_ITERATIONS: usize = 200;
/// The relative change of the sum of squares below which a search has converged.
const CONVERGED_CHANGE: f64 = 1e-13;
/// The relative change of the unknowns below which a search has converged.
const CONVERGED_STEP: f64 = 1e-11;
/// The largest damping: beyond it no step leads downhill.
const MAX_DAMPING: f64 = 1e16;
/// Singular values below this part of the largest are errors of runs: steps have no part in their directions, along which
/// the data change nothing.
const NOISE_PART: f64 = 1e-9;

/// Residuals and their derivatives by the unknowns, or the reason why there are none.
pub(super) type Residuals = Result<(DVector<f64>, DMatrix<f64>), String>;

/// A search that has ended.
pub(super) struct Found {
    pub(super) unknowns: DVector<f64>,
    pub(super) residuals: DVector<f64>,
    pub(super) jacobian: DMatrix<f64>,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// The step −(JᵀJ + λD²)⁻¹Jᵀr, without the directions that are noise. Columns that are held have no part.
struct Steps {
    /// Singular values of J·D⁻¹, their right vectors in rows, and the left ones applied to r.
    values: DVector<f64>,
    rows: DMatrix<f64>,
    right: DVector<f64>,
    scale: Vec<f64>,
}

impl Steps {
    fn new(j: &DMatrix<f64>, r: &DVector<f64>, scale: &[f64], held: &[bool]) -> Option<Self> {
        let q = j.ncols();
        let scale: Vec<f64> = scale
            .iter()
            .map(|s| if *s > 0.0 { *s } else { 1.0 })
            .collect();
        let scaled = DMatrix::from_fn(j.nrows(), q, |i, c| match held[c] {
            true => 0.0,
            false => j[(i, c)] / scale[c],
        });
        let qr = scaled.qr();
        let right = qr.q().transpose() * r;
        let svd = qr.r().try_svd(true, true, f64::EPSILON, 100 + 40 * q)?;
        Some(Self {
            right: svd.u?.transpose() * right,
            rows: svd.v_t?,
            values: svd.singular_values,
            scale,
        })
    }

    fn at(&self, damping: f64) -> DVector<f64> {
        let largest = self.values.iter().fold(0.0_f64, |m, s| m.max(*s));
        let mut step = DVector::zeros(self.scale.len());
        for (k, &s) in self.values.iter().enumerate() {
            if s > NOISE_PART * largest {
                let length = -s * self.right[k] / (s * s + damping);
                for c in 0..self.scale.len() {
                    step[c] += length * self.rows[(k, c)] / self.scale[c];
                }
            }
        }
        step
    }
}

/// Levenberg and Marquardt's method within bounds, with the damping of Nielsen.
pub(super) fn search(
    at: &dyn Fn(&DVector<f64>) -> Residuals,
    mut x: DVector<f64>,
    bounds: &[(f64, f64)],
    max_iterations: usize,
) -> Result<Found, String> {
    let q = x.len();
    let clamp = |x: &mut DVector<f64>| {
        for (x, (low, high)) in x.iter_mut().zip(bounds) {
            *x = x.clamp(*low, *high);
        }
    };
    clamp(&mut x);
    let (mut r, mut j) = at(&x)?;
    let mut scale = vec![0.0_f64; q];
    let (mut damping, mut growth) = (1e-3, 2.0);
    let (mut iterations, mut converged) = (0, false);
    while iterations < max_iterations && !converged {
        iterations += 1;
        let gradient = j.transpose() * &r;
        // Unknowns at a bound that the descent would leave stay there.
        let held: Vec<bool> = (0..q)
            .map(|c| {
                let (low, high) = bounds[c];
                low >= high || x[c] <= low && gradient[c] > 0.0 || x[c] >= high && gradient[c] < 0.0
            })
            .collect();
        for c in 0..q {
            scale[c] = scale[c].max(j.column(c).norm());
        }
        let Some(steps) = Steps::new(&j, &r, &scale, &held) else {
            return Err("the derivatives of the residuals are not finite".into());
        };
        let mut accepted = false;
        while !accepted && damping < MAX_DAMPING {
            let mut next = &x + steps.at(damping);
            clamp(&mut next);
            let step = &next - &x;
            let relative = (0..q)
                .map(|c| step[c].abs() / x[c].abs().max(1e-8))
                .fold(0.0_f64, f64::max);
            let squares = r.norm_squared();
            let foreseen = squares - (&r + &j * &step).norm_squared();
            let tried = at(&next);
            let (better, gain) = match &tried {
                Ok((s, _)) => {
                    let gain = squares - s.norm_squared();
                    (gain > 0.0 || squares == 0.0, gain)
                }
                Err(_) => (false, 0.0),
            };
            let small = relative <= CONVERGED_STEP
                || foreseen.abs() <= CONVERGED_CHANGE * squares && gain.abs() <= 1e-9 * squares;
            if let (true, Ok((s, k))) = (better, tried) {
                let ratio = if foreseen > 0.0 { gain / foreseen } else { 1.0 };
                let factor = 1.0 - (2.0 * ratio.min(1.0) - 1.0).powi(3);
                damping = (damping * factor.max(1.0 / 3.0)).max(1e-16);
                growth = 2.0;
                (x, r, j) = (next, s, k);
                accepted = true;
                converged = small;
            } else {
                if small {
                    converged = true;
                    break;
                }
                damping *= growth;
                growth *= 2.0;
            }
        }
        if !accepted && !converged {
            // No step leads downhill: this is a minimum as far as numbers tell.
            converged = true;
        }
    }
    Ok(Found {
        unknowns: x,
        residuals: r,
        jacobian: j,
        iterations,
        converged,
    })
}
