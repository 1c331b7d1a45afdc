//! Code that is ready to be called.

use std::sync::Arc;

use galilei_tape::code::Code;

use crate::machine::Machine;
use crate::mode::{Encoding, Mode};
use crate::workspace::Workspace;

/// A [`Code`] ready to be called for a number of lanes (states computed side by side): machine code where the processor
/// has it, the interpreter [`Code::run`] elsewhere. Both give the same bits (but one value that is no number may differ
/// from another in its bits).
///
/// A kernel has the memory that a call needs for intermediate values. Clones have memory of their own and share the
/// code, so each thread calls its own clone.
#[derive(Clone, Debug)]
pub struct Kernel {
    program: Arc<Program>,
    shape: Shape,
    workspace: Workspace,
    /// Intermediate values of the interpreter.
    scratch: Vec<[f64; 1]>,
    /// The result of [`Kernel::evaluate`].
    results: Vec<f64>,
}

#[derive(Debug)]
enum Program {
    Native(Machine),
    Interpreted(Code),
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    lanes: usize,
    inputs: usize,
    outputs: usize,
    operations: usize,
}

impl Kernel {
    /// The code for a number of lanes: machine code in the best encoding that this processor has for them, or else the
    /// interpreter. Machine code exists for one and four lanes, with AVX-512 also for eight, with SSE2 alone also for two, on ARM also
    /// for two and eight.
    ///
    /// # Panics
    /// If the code is malformed: an operand after its use, an input it does not have, mixed widths.
    pub fn new(code: Code, lanes: usize) -> Self {
        let encoding = Mode::with_lanes(lanes).and_then(Mode::encoding);
        encoding
            .and_then(|encoding| Self::native(&code, lanes, encoding))
            .unwrap_or_else(|| Self::interpreted(code, lanes))
    }

    /// Machine code in one encoding. None where this processor or system does not have it for this number of lanes, or
    /// where the code has wide values and there are several lanes.
    ///
    /// # Panics
    /// As [`Kernel::new`].
    pub fn native(code: &Code, lanes: usize, encoding: Encoding) -> Option<Self> {
        let machine = Machine::compile(code, Mode::with_lanes(lanes)?, encoding)?;
        let shape = Shape::of(code, lanes);
        Some(Self::of(Program::Native(machine), shape))
    }

    /// The code run by the interpreter, for any number of lanes.
    pub fn interpreted(code: Code, lanes: usize) -> Self {
        let shape = Shape::of(&code, lanes);
        Self::of(Program::Interpreted(code), shape)
    }

    fn of(program: Program, shape: Shape) -> Self {
        Self {
            workspace: match &program {
                Program::Native(machine) => machine.workspace(),
                Program::Interpreted(_) => Workspace::default(),
            },
            program: Arc::new(program),
            shape,
            scratch: Vec::new(),
            results: Vec::new(),
        }
    }

    /// The largest number of lanes that this processor has machine code for; 1 where it has none.
    pub fn widest() -> usize {
        Mode::best_lanes().lanes()
    }

    /// The machine code that this processor runs, in words: [`Encoding::name`]. None where the interpreter runs all
    /// kernels.
    pub fn backend() -> Option<&'static str> {
        Mode::Scalar.encoding().map(Encoding::name)
    }

    /// The number of states that a call computes.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.shape.lanes
    }

    /// The number of doubles that a call reads: the inputs of the code, times the lanes.
    pub fn input_len(&self) -> usize {
        self.shape.inputs
    }

    /// The number of doubles that a call writes: the outputs of the code, times the lanes.
    pub fn output_len(&self) -> usize {
        self.shape.outputs
    }

    /// The number of operations of the code; see [`Code::operations`].
    pub fn operations(&self) -> usize {
        self.shape.operations
    }

    /// The encoding of the machine code; none where the interpreter runs the code.
    pub fn encoding(&self) -> Option<Encoding> {
        match &*self.program {
            Program::Native(machine) => Some(machine.encoding()),
            Program::Interpreted(_) => None,
        }
    }

    /// Whether the code is machine code.
    pub fn is_native(&self) -> bool {
        self.encoding().is_some()
    }

    /// The number of bytes of machine code.
    pub fn size(&self) -> usize {
        match &*self.program {
            Program::Native(machine) => machine.size(),
            Program::Interpreted(_) => 0,
        }
    }

    /// Computes the outputs: variable i of lane l is `inputs[i·lanes + l]`, and likewise among the outputs.
    ///
    /// # Panics
    /// If the lengths are not [`Kernel::input_len`] and [`Kernel::output_len`].
    #[inline]
    pub fn call(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        match &*self.program {
            Program::Native(machine) => machine.call(&mut self.workspace, inputs, outputs),
            Program::Interpreted(code) => {
                interpret(code, self.shape, &mut self.scratch, inputs, outputs);
            }
        }
    }

    /// Computes the outputs as [`Kernel::call`] does, and keeps them until the next call.
    ///
    /// # Panics
    /// If the length of the inputs is not [`Kernel::input_len`].
    #[inline]
    pub fn evaluate(&mut self, inputs: &[f64]) -> &[f64] {
        let mut results = std::mem::take(&mut self.results);
        if results.len() != self.shape.outputs {
            results.resize(self.shape.outputs, 0.0);
        }
        self.call(inputs, &mut results);
        self.results = results;
        &self.results
    }

    /// The outputs that [`Kernel::evaluate`] computed last; empty before.
    pub fn results(&self) -> &[f64] {
        &self.results
    }
}

impl Shape {
    fn of(code: &Code, lanes: usize) -> Self {
        Self {
            lanes,
            inputs: code.inputs() * lanes,
            outputs: code.output_len() * lanes,
            operations: code.operations(),
        }
    }
}

/// Runs code by the interpreter, lane after lane: code with wide values requires it.
#[cold]
fn interpret(
    code: &Code,
    shape: Shape,
    scratch: &mut Vec<[f64; 1]>,
    inputs: &[f64],
    outputs: &mut [f64],
) {
    assert_eq!(inputs.len(), shape.inputs, "number of inputs");
    assert_eq!(outputs.len(), shape.outputs, "number of outputs");
    for l in 0..shape.lanes {
        let lane = inputs.iter().skip(l).step_by(shape.lanes);
        let state: Vec<[f64; 1]> = lane.map(|x| [*x]).collect();
        let places = outputs.iter_mut().skip(l).step_by(shape.lanes);
        for (place, [value]) in places.zip(code.run(&state, scratch)) {
            *place = value;
        }
    }
}
