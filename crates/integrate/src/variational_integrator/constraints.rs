//! Constraints between positions, in numbers.

use galilei_jit::Kernel;
use galilei_tape::code::WINDOW;
use galilei_tape::{Holonomic, Reg};

use crate::implicit::Rows;
use crate::problem::{Error, Problem};
use crate::sum::Compensated;

/// g, ∂g/∂t and J = ∂g/∂x where they were computed last.
pub(super) struct Constraints {
    /// The number of constraints.
    pub(super) count: usize,
    /// `None` without constraints.
    code: Option<[Kernel; 2]>,
    found: Vec<f64>,
    inputs: Vec<f64>,
}

impl Constraints {
    /// `None` unless all constraints are between positions.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let rates = &problem.rates;
        let count = rates.unknowns - rates.dimension;
        let levels = problem.levels.iter();
        let registers: Vec<Reg> = levels.filter_map(|l| l.position).collect();
        if registers.len() != count {
            return None;
        }
        let code = (count > 0).then(|| {
            let Holonomic { values, curvature } =
                problem.tape.holonomic(rates.dimension, &registers);
            [values, curvature].map(|code| Kernel::new(code.optimised(rates.separate, WINDOW), 1))
        });
        Some(Self {
            count,
            code,
            found: vec![0.0; count * (2 + rates.dimension)],
            inputs: vec![],
        })
    }

    /// Computes them at a state (t, x, u) with sides.
    pub(super) fn values(&mut self, inputs: &[f64]) -> Result<(), Error> {
        if let Some([values, _]) = &mut self.code {
            self.found.copy_from_slice(values.evaluate(inputs));
        }
        let sum = self.found.iter().fold(0.0, |s, x| s + x.abs());
        if sum.is_finite() {
            Ok(())
        } else {
            Err(Error::NotFinite)
        }
    }

    /// g
    pub(super) fn missing(&self) -> &[f64] {
        &self.found[..self.count]
    }

    /// J row by row.
    pub(super) fn matrix(&self) -> &[f64] {
        &self.found[2 * self.count..]
    }

    /// JᵀM
    pub(super) fn reaction(&self, impulses: &[f64], n: usize) -> Vec<f64> {
        let mut force = vec![0.0; n];
        for (row, impulse) in self.matrix().chunks(n).zip(impulses) {
            force
                .iter_mut()
                .zip(row)
                .for_each(|(f, j)| *f += j * impulse);
        }
        force
    }

    /// The conditions of the constraints on velocities.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows {
            matrix: self.matrix(),
            offsets: &self.found[self.count..2 * self.count],
        }
    }

    /// Adds JᵀM to momenta; the work of it, MᵀJu, where Ju + ∂g/∂t = 0.
    pub(super) fn strike(&self, impulses: &[f64], z: &mut [Compensated]) -> f64 {
        let reaction = self.reaction(impulses, z.len());
        z.iter_mut().zip(reaction).for_each(|(z, r)| z.add(r));
        let pairs = self.rows().offsets.iter().zip(impulses);
        -pairs.map(|(s, impulse)| s * impulse).sum::<f64>()
    }

    /// ∂(JᵀM)/∂x at a state, row by row.
    pub(super) fn curvature(&mut self, inputs: &[f64], impulses: &[f64]) -> &[f64] {
        self.inputs.clear();
        self.inputs.extend(inputs.iter().chain(impulses));
        match &mut self.code {
            Some([_, curvature]) => curvature.evaluate(&self.inputs),
            None => &[],
        }
    }
}
