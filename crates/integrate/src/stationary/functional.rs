//! Integrands of action functionals with their derivatives, as code.

use galilei_jit::Kernel;
use galilei_tape::code::{Assembler, Value};
use galilei_tape::{Reg, Tape};

/// ∫F(t, x, ẋ, w)dt, w being values that belong to an instant alone (independent velocities or momenta,
/// multipliers), and forces whose virtual work is added to its variation.
pub struct Functional {
    /// n
    pub(super) dimension: usize,
    /// The number of components of w.
    pub(super) local: usize,
    kernel: Kernel,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

/// An integrand and its derivatives at an instant; z is (x, ẋ, w).
pub(super) struct At<'a> {
    n: usize,
    all: usize,
    values: &'a [f64],
}

impl Functional {
    /// The integrand is a register of a tape with inputs (t, x, ẋ, w); the outputs of the force's tape, with
    /// inputs (t, x, u), are its components.
    pub fn new(tape: &Tape, integrand: Reg, dimension: usize, force: Option<&Tape>) -> Self {
        let n = dimension;
        let count = tape.inputs();
        let mut asm = Assembler::new(count);
        let all: Vec<Value> = (0..count).map(|k| asm.input(k)).collect();
        let z = &all[1..];
        let value = asm.append(&tape.code(&[integrand]), &all)[0];
        let slopes = asm.gradient(value, z);
        let one = asm.number(1.0);
        let columns: Vec<Vec<Value>> = z
            .iter()
            .map(|&z| asm.tangents(&slopes, &[(z, one)]))
            .collect();
        let mut outputs = vec![value];
        outputs.extend(&slopes);
        for i in 0..z.len() {
            outputs.extend(columns.iter().map(|c| c[i]));
        }
        if let Some(force) = force {
            let state = &all[..=2 * n];
            let components = asm.append(&force.code(force.outputs()), state);
            let columns: Vec<Vec<Value>> = state[1..]
                .iter()
                .map(|&z| asm.tangents(&components, &[(z, one)]))
                .collect();
            outputs.extend(&components);
            for i in 0..n {
                outputs.extend(columns.iter().map(|c| c[i]));
            }
        } else {
            let zero = asm.number(0.0);
            outputs.resize(outputs.len() + n + 2 * n * n, zero);
        }
        let length = outputs.len();
        Self {
            dimension,
            local: count - 1 - 2 * n,
            kernel: Kernel::new(asm.finish(outputs), 1),
            inputs: vec![0.0; count],
            outputs: vec![0.0; length],
        }
    }

    /// Computes everything at an instant.
    pub(super) fn at(&mut self, t: f64, x: &[f64], v: &[f64], w: &[f64]) -> At<'_> {
        let n = self.dimension;
        self.inputs[0] = t;
        self.inputs[1..=n].copy_from_slice(x);
        self.inputs[n + 1..=2 * n].copy_from_slice(v);
        self.inputs[2 * n + 1..].copy_from_slice(w);
        self.kernel.call(&self.inputs, &mut self.outputs);
        At {
            n,
            all: 2 * n + self.local,
            values: &self.outputs,
        }
    }
}

impl At<'_> {
    /// F
    pub(super) fn value(&self) -> f64 {
        self.values[0]
    }

    /// ∂F/∂z
    pub(super) fn slope(&self, k: usize) -> f64 {
        self.values[1 + k]
    }

    /// ∂²F/∂z∂z
    pub(super) fn curve(&self, i: usize, j: usize) -> f64 {
        self.values[1 + self.all + i * self.all + j]
    }

    /// A component of the force.
    pub(super) fn force(&self, i: usize) -> f64 {
        self.values[1 + self.all + self.all * self.all + i]
    }

    /// Its derivative by (x, ẋ).
    pub(super) fn force_slope(&self, i: usize, k: usize) -> f64 {
        let start = 1 + self.all + self.all * self.all + self.n;
        self.values[start + i * 2 * self.n + k]
    }

    pub(super) fn is_finite(&self) -> bool {
        self.values.iter().all(|x| x.is_finite())
    }
}
