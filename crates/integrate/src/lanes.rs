//! Code for several states at once: machine code, or the interpreter.

use std::sync::Arc;

use galilei_jit::{Machine, Mode, Workspace};
use galilei_tape::code::{Code, WINDOW};

/// Compiled code and what it computed last; its last output is a guard that is positive as long as the
/// others can be trusted. Clones share the code.
#[derive(Clone)]
pub(crate) struct Lanes {
    code: Arc<Code>,
    machine: Option<(Arc<Machine>, Workspace)>,
    pub(crate) count: usize,
    outputs: Vec<f64>,
}

impl Lanes {
    /// Compiled for so many states: 1, or what [`Lanes::widest`] says. Products and sums are fused unless
    /// they are to be rounded apart.
    pub(crate) fn new(code: &Code, count: usize, separate: bool) -> Self {
        // The window is for long series; here the longest chain decides.
        Self::within(3 * WINDOW, code, count, separate)
    }

    /// The same for code whose instructions are about in their order already: the scheduler looks no further ahead than
    /// this.
    pub(crate) fn within(window: usize, code: &Code, count: usize, separate: bool) -> Self {
        let code = if separate {
            code.scheduled(window)
        } else {
            code.fused().scheduled(window)
        };
        let mode = match count {
            1 => Some(Mode::Scalar),
            4 => Some(Mode::Lanes4),
            8 => Some(Mode::Lanes8),
            _ => None,
        };
        let machine = mode.and_then(|mode| Machine::compile(&code, mode));
        let outputs = vec![0.0; code.output_len() * count];
        Self {
            machine: machine.map(|m| {
                let workspace = m.workspace();
                (Arc::new(m), workspace)
            }),
            code: Arc::new(code),
            count,
            outputs,
        }
    }

    /// As many states at once as the processor can take.
    pub(crate) fn widest() -> usize {
        Mode::best_lanes().lanes()
    }

    pub(crate) fn is_native(&self) -> bool {
        self.machine.is_some()
    }

    pub(crate) fn operations(&self) -> usize {
        self.code.operations()
    }

    /// Computes all outputs: variable i of state l stands at `i·count + l`, of the result, too.
    #[inline]
    pub(crate) fn call(&mut self, states: &[f64]) -> &[f64] {
        let mut outputs = std::mem::take(&mut self.outputs);
        self.call_into(states, &mut outputs);
        self.outputs = outputs;
        &self.outputs
    }

    /// The same into a place of the caller's.
    #[inline]
    pub(crate) fn call_into(&mut self, states: &[f64], outputs: &mut [f64]) {
        match &mut self.machine {
            Some((machine, workspace)) => machine.call_with(workspace, states, outputs),
            None => {
                for l in 0..self.count {
                    let state: Vec<[f64; 1]> = (0..self.code.inputs())
                        .map(|i| [states[i * self.count + l]])
                        .collect();
                    for (i, v) in self.code.run(&state, &mut vec![]).iter().enumerate() {
                        outputs[i * self.count + l] = v[0];
                    }
                }
            }
        }
    }

    /// The guard of a state.
    pub(crate) fn guard(&self, l: usize) -> f64 {
        self.outputs[self.outputs.len() - self.count + l]
    }
}
