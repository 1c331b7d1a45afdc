//! Sensitivities at kinks.

use crate::expansion::Expansion;
use crate::problem::Error;
use crate::roots::{located_to, trusted};
use crate::sensitivity::Propagation;

/// A kink whose rate is smaller than this part of its higher terms is touched rather than crossed.
const TOUCHING_RATE: f64 = 1e-6;

/// A kink that a motion has reached.
pub(super) struct ReachedKink {
    /// The derivatives of its register in the directions of nearby motions.
    differences: Vec<f64>,
    rate: f64,
    /// Whether it changes so slowly that it is touched rather than crossed.
    touched: bool,
    /// The accelerations on this side.
    accelerations: Vec<f64>,
}

impl ReachedKink {
    /// A kink with the coefficients of its register, where steps are about `scale` long.
    pub(super) fn new(
        differences: Vec<f64>,
        coefficients: &[f64],
        scale: f64,
        tolerance: f64,
        series: &Expansion,
    ) -> Self {
        // Series that end have no radius of convergence; and a kink may change faster than the motion.
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let scale = trusted(coefficients, scale, located_to(tolerance));
        let (mut time, mut rest) = (1.0, 0.0_f64);
        for c in &coefficients[2..] {
            time *= scale;
            rest = rest.max(c.abs() * time);
        }
        let rate = coefficients[1];
        Self {
            differences,
            rate,
            touched: rate.abs() <= TOUCHING_RATE * rest,
            accelerations: series.accelerations().to_vec(),
        }
    }

    /// Takes sensitivities over the kink, to where there are these accelerations.
    pub(super) fn cross(
        self,
        accelerations: &[f64],
        propagation: &mut Propagation,
    ) -> Result<(), Error> {
        let pairs = accelerations.iter().zip(&self.accelerations);
        let jumps: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        if self.touched && jumps.iter().any(|a| *a != 0.0) {
            return Err(Error::Grazing);
        }
        propagation.settle();
        propagation.jump(&self.differences, self.rate, &jumps);
        Ok(())
    }
}
