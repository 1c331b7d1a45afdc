//! Code for all lanes, shared by all threads.

use galilei_jit::{Machine, Mode, Workspace};
use galilei_tape::code::Code;

/// How far the scheduler looks ahead: several lanes have work enough that does not wait, and what stands
/// together shares its loads.
const WINDOW: usize = 32;

/// Code in as many lanes as the ensemble has: machine code, or the interpreter.
pub(super) struct Kernel {
    code: Code,
    machine: Option<Machine>,
    lanes: usize,
}

impl Kernel {
    /// Products and sums are fused unless they are to be rounded apart.
    pub(super) fn new(code: &Code, lanes: usize, separate: bool) -> Self {
        let code = match separate {
            true => code.scheduled(WINDOW),
            false => code.fused().scheduled(WINDOW),
        };
        let mode = match lanes {
            1 => Some(Mode::Scalar),
            4 => Some(Mode::Lanes4),
            8 => Some(Mode::Lanes8),
            _ => None,
        };
        Self {
            machine: mode.and_then(|mode| Machine::compile(&code, mode)),
            code,
            lanes,
        }
    }

    pub(super) fn workspace(&self) -> Workspace {
        let machine = self.machine.as_ref();
        machine.map(Machine::workspace).unwrap_or_default()
    }

    /// How many rows come of it.
    pub(super) fn output_len(&self) -> usize {
        self.code.output_len()
    }

    /// Computes all lanes.
    #[inline]
    pub(super) fn call(&self, workspace: &mut Workspace, inputs: &[f64], outputs: &mut [f64]) {
        match &self.machine {
            Some(machine) => machine.call_with(workspace, inputs, outputs),
            None => (0..self.lanes).for_each(|l| self.call_one(l, inputs, outputs)),
        }
    }

    /// Computes one lane by the interpreter.
    pub(super) fn call_one(&self, l: usize, inputs: &[f64], outputs: &mut [f64]) {
        let column: Vec<[f64; 1]> = inputs
            .iter()
            .skip(l)
            .step_by(self.lanes)
            .map(|x| [*x])
            .collect();
        for (i, v) in self.code.run(&column, &mut vec![]).iter().enumerate() {
            outputs[i * self.lanes + l] = v[0];
        }
    }
}
