//! Accelerations within a step, compared with the polynomial over it.

use super::Driver;
use crate::accelerations::{Accelerations, rounding_of};
use crate::legendre::rounded_gauss;
use crate::problem::Problem;
use crate::steps::Steps;
use crate::taylor::{NOISY, NUDGE, PROBES, defect, defect_limits};

/// What computes accelerations within steps, and where.
pub(super) struct Probe {
    field: Accelerations,
    /// Parts of a step, and the weights by which accelerations there add up to the change of velocity.
    nodes: Vec<(f64, f64)>,
    /// What [`defect`] is measured by.
    limits: [f64; 2],
}

impl Probe {
    /// For a problem with functions that stages of a step may miss; none for others.
    pub(super) fn new(problem: &Problem, tolerance: f64) -> Option<Self> {
        (!problem.surfaces().is_empty()).then(|| Self {
            field: Accelerations::on_sides(&problem.tape, &problem.rates, vec![], 1),
            nodes: rounded_gauss(PROBES),
            limits: defect_limits(tolerance),
        })
    }

    /// The accelerations, then the multipliers, at inputs: t, x, u, what is fixed, and sides.
    fn at(&mut self, inputs: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; self.field.unknowns()];
        self.field.compute(inputs, &mut result);
        result
    }
}

impl Driver<'_> {
    /// By how much velocities change over a step otherwise than the accelerations along its polynomial say; 1 is the most
    /// that is accepted.
    pub(super) fn defect_within(&mut self, h: f64, stages: &mut impl Steps) -> f64 {
        let Some(mut probe) = self.probe.take() else {
            return 0.0;
        };
        let n = self.problem.rates.dimension;
        self.place(1.0, h, stages);
        let velocities = self.view.inputs[1 + n..=2 * n].to_vec();
        let changes: Vec<f64> = velocities
            .iter()
            .zip(&self.state[n..])
            .map(|(end, start)| end - start.high)
            .collect();
        let mut impulses = vec![0.0; n];
        let mut noise = vec![0.0; n];
        for &(node, weight) in &probe.nodes.clone() {
            self.place(node, h, stages);
            let found = probe.at(&self.view.inputs);
            for (impulse, a) in impulses.iter_mut().zip(&found) {
                *impulse += h * weight * a;
            }
        }
        // What is stiff feels errors of the polynomial that the step does not have.
        let mut missing: Vec<f64> = impulses.iter().zip(&changes).map(|(i, c)| i - c).collect();
        stages.damp(&mut missing);
        let found = defect(probe.limits, n, |i| {
            (velocities[i], changes[i], changes[i] + missing[i])
        });
        let found = match found > 1.0 && found.is_finite() {
            true => {
                self.noise_within(h, &mut probe, &mut noise, stages);
                let explained = |i: usize| missing[i].abs() <= NOISY * h.abs() * noise[i];
                if (0..n).all(explained) { 0.0 } else { found }
            }
            false => found,
        };
        self.probe = Some(probe);
        found
    }

    /// What rounding of the state and of the computation does to the accelerations within a step.
    fn noise_within(&mut self, h: f64, probe: &mut Probe, noise: &mut [f64], stages: &impl Steps) {
        for part in [0.0, 0.5, 1.0] {
            self.place(part, h, stages);
            let mut inputs = self.view.inputs.clone();
            let there = probe.at(&inputs);
            let known = inputs.len() - self.sides.list.len();
            let mut here = rounding_of(self.problem, &inputs[..known], &self.sides.list, &there);
            for j in 0..=2 * self.problem.rates.dimension {
                let kept = inputs[j];
                inputs[j] = kept * (1.0 + NUDGE);
                let nudged = probe.at(&inputs);
                inputs[j] = kept;
                for (i, noise) in here.iter_mut().enumerate() {
                    *noise += (nudged[i] - there[i]).abs() * f64::EPSILON / NUDGE;
                }
            }
            noise.iter_mut().zip(here).for_each(|(n, h)| *n = n.max(h));
        }
    }
}
