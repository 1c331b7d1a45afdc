//! The distance of constraints between positions from dependence.
//!
//! Where two branches of a constraint meet, its gradient vanishes, and where a mechanism is flat the gradients of several
//! constraints become dependent: nothing determines the reactions there. A run steps over such a point where the motion
//! is analytic through it, and ends there where it is not.

use galilei_jit::Kernel;
use galilei_linear::Factors;
use galilei_tape::Reg;

use crate::branch_points::Branch;
use crate::problem::Problem;

/// The part of the largest distance at which a run ends: accelerations have lost half of their digits there, and at a
/// coarse tolerance errors of the state are as large as the distance between branches.
pub(crate) fn reached(tolerance: f64) -> f64 {
    match tolerance <= 1e-11 {
        true => 1e-6,
        false => (100.0 * tolerance.sqrt()).min(2e-2),
    }
}

/// Steps do not end below this part of the largest distance if they can end elsewhere.
pub(crate) const AVOIDED_DISTANCE: f64 = 0.05;
/// Steps are not shortened for that below this part of what the motion allows.
pub(crate) const SHORTEST_PART: f64 = 0.2;

/// The smallest pivot of the Gram matrix J·M⁻¹·Jᵀ of all constraints, each measured by the largest length of its
/// gradient until now.
pub(crate) struct Rank {
    /// The event that ends a run.
    pub(crate) event: usize,
    kernel: Kernel,
    inputs: Vec<f64>,
    matrix: Vec<f64>,
    /// The numbers of coordinates and constraints.
    sizes: (usize, usize),
    /// The largest length of each gradient.
    lengths: Vec<f64>,
    mass: Factors,
    /// The distance at the start of the step, and the one before.
    pub(crate) here: f64,
    before: f64,
}

impl Rank {
    /// `None` where no event asks for it.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let rank = |b: Option<Branch>| b == Some(Branch::Rank);
        let event = problem.events.iter().position(|e| rank(e.branch))?;
        let (tape, rates) = (&problem.tape, &problem.rates);
        let (n, m) = (rates.dimension, rates.unknowns - rates.dimension);
        let registers: Vec<Reg> = rates.matrix.clone();
        Some(Self {
            event,
            kernel: Kernel::new(tape.code_on_branches(&registers), 1),
            inputs: vec![0.0; tape.inputs() + tape.branch_len()],
            matrix: vec![0.0; registers.len()],
            sizes: (n, m),
            lengths: vec![0.0; m],
            mass: Factors::new(n),
            here: 1.0,
            before: 1.0,
        })
    }

    /// Prepares for another run.
    pub(crate) fn restart(&mut self) {
        self.lengths.fill(0.0);
        (self.here, self.before) = (1.0, 1.0);
    }

    /// The distance at a state: t, x, u and the fixed inputs.
    pub(crate) fn distance(&mut self, state: &[f64], branches: &[f64]) -> f64 {
        let (known, signs) = self.inputs.split_at_mut(state.len());
        known.copy_from_slice(state);
        for (input, side) in signs.iter_mut().zip(branches) {
            *input = *side;
        }
        self.kernel.call(&self.inputs, &mut self.matrix);
        let (n, m) = self.sizes;
        let size = n + m;
        let entry = |i: usize, j: usize| self.matrix[i * size + j];
        if self.mass.factor(entry).is_err() {
            return 1.0;
        }
        let mut gram = vec![0.0; m * m];
        for a in 0..m {
            let mut y: Vec<f64> = (0..n).map(|j| entry(n + a, j)).collect();
            self.mass.solve(&mut y);
            for b in 0..m {
                gram[a * m + b] = (0..n).map(|j| entry(n + b, j) * y[j]).sum();
            }
            self.lengths[a] = self.lengths[a].max(gram[a * m + a].max(0.0).sqrt());
        }
        for a in 0..m {
            for b in 0..m {
                gram[a * m + b] /= self.lengths[a] * self.lengths[b];
            }
        }
        smallest_pivot(&mut gram, m).max(0.0).sqrt()
    }

    /// Notes the distance at the start of a step; whether the run has come to a point where nothing is determined.
    pub(crate) fn arrive(&mut self, state: &[f64], branches: &[f64], reached: f64) -> bool {
        self.before = self.here;
        self.here = self.distance(state, branches);
        self.here < reached && self.here <= self.before
    }

    /// Whether a step should rather end elsewhere than at a distance: it is short of a point that it could pass.
    pub(crate) fn is_avoided(&self, end: f64) -> bool {
        end < AVOIDED_DISTANCE && end < self.here && self.here >= AVOIDED_DISTANCE
    }
}

/// The smallest pivot of a symmetric matrix, the largest ones taken first.
fn smallest_pivot(g: &mut [f64], m: usize) -> f64 {
    let mut left: Vec<usize> = (0..m).collect();
    let mut smallest = f64::INFINITY;
    while let Some((place, &p)) = left
        .iter()
        .enumerate()
        .max_by(|a, b| g[a.1 * m + a.1].total_cmp(&g[b.1 * m + b.1]))
    {
        let pivot = g[p * m + p];
        smallest = smallest.min(pivot);
        left.swap_remove(place);
        if pivot <= 0.0 || pivot.is_nan() {
            return 0.0;
        }
        for &i in &left {
            let factor = g[i * m + p] / pivot;
            for &j in &left {
                g[i * m + j] -= factor * g[p * m + j];
            }
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::smallest_pivot;

    #[test]
    fn dependent_rows_have_a_pivot_of_zero() {
        assert_eq!(smallest_pivot(&mut [1.0, 0.0, 0.0, 0.25], 2), 0.25);
        assert_eq!(smallest_pivot(&mut [1.0, 1.0, 1.0, 1.0], 2), 0.0);
        let third = smallest_pivot(&mut [1.0, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0], 3);
        assert!((third - 2.0 / 3.0).abs() < 1e-15);
    }
}
