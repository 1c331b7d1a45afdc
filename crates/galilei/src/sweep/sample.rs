//! The points of a sweep: initial values and parameters of each motion.

use galilei_model::{Axis, Code, Diagnostic, Target, Values, refused};

/// The points of a sweep. Each depends on its number alone, not on the thread or the order of computation.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// Axes with values; the last axis changes first.
    pub(super) grid: Vec<Axis>,
    /// Axes between two numbers.
    pub(super) ranges: Vec<Axis>,
    /// The number of samples at each point of the grid.
    pub(super) samples: u64,
    /// The seed of the samples.
    pub(super) seed: u64,
}

/// A hash of a number. (The finishing steps of SplitMix64.)
fn hashed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The golden ratio as a fraction of 2⁶⁴.
const GOLDEN_RATIO_BITS: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number in [0, 1) that depends on the seed, the number of the motion and that of the axis.
fn uniform(seed: u64, number: u64, axis: usize) -> f64 {
    let stream = hashed(seed.wrapping_add(GOLDEN_RATIO_BITS))
        .wrapping_add((axis as u64 + 1).wrapping_mul(GOLDEN_RATIO_BITS));
    let bits = hashed(
        hashed(stream)
            ^ hashed(
                number
                    .wrapping_mul(GOLDEN_RATIO_BITS)
                    .wrapping_add(GOLDEN_RATIO_BITS),
            ),
    );
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

impl Points {
    /// The number of points; `None` if it overflows.
    pub(super) fn count(&self) -> Option<u64> {
        self.grid
            .iter()
            .try_fold(self.samples, |count, axis| count.checked_mul(length(axis)))
    }

    /// The axes in the order of [`Points::at`].
    pub(super) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.grid.iter().chain(&self.ranges)
    }

    /// The values of one point.
    pub(super) fn at(&self, number: u64) -> Vec<f64> {
        let mut rest = number / self.samples.max(1);
        let mut values: Vec<f64> = Vec::with_capacity(self.grid.len() + self.ranges.len());
        for axis in self.grid.iter().rev() {
            let k = rest % length(axis);
            rest /= length(axis);
            if let Values::List(list) = &axis.values {
                values.push(list[k as usize]);
            }
        }
        values.reverse();
        for (k, axis) in self.ranges.iter().enumerate() {
            if let Values::Between(low, high) = axis.values {
                values.push(low + (high - low) * uniform(self.seed, number, k));
            }
        }
        values
    }

    /// The points for a model on phase space, in which momenta are positions.
    pub(super) fn move_to_phase_space(&mut self, degrees: usize) -> Result<(), Vec<Diagnostic>> {
        for axis in self.grid.iter_mut().chain(&mut self.ranges) {
            axis.target = match axis.target {
                Target::Momentum(k) => Target::Position(degrees + k),
                Target::Velocity(_) => {
                    return Err(refused(
                        Code::NotAvailable,
                        format!(
                            "the velocity `{}` is not varied: motions of this Hamiltonian are followed in (x, p)",
                            axis.name
                        ),
                        "vary the momentum instead, `p(x) in 0..1`",
                    ));
                }
                other => other,
            };
        }
        Ok(())
    }

    /// The varied parameters, by their indices among those of the model.
    pub(super) fn parameters(&self) -> Vec<usize> {
        let parameters = self.axes().filter_map(|a| match a.target {
            Target::Parameter(k) => Some(k),
            _ => None,
        });
        parameters.collect()
    }
}

fn length(axis: &Axis) -> u64 {
    match &axis.values {
        Values::List(list) => list.len() as u64,
        Values::Between(..) => 1,
    }
}
