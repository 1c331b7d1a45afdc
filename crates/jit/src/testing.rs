//! Parts of simulated processors that do not depend on the processor: memory, routines, code to be run.

#[allow(dead_code)]
#[path = "../tests/support/random.rs"]
pub(crate) mod random;

use galilei_tape::Function;
use galilei_tape::code::{Assembler, Code, Instr, Value};

use crate::emitted::Emitted;
use crate::mode::{Encoding, Mode};
use crate::routine::{Task, routine};
use random::{Dice, Source};

/// The address of the inputs: a multiple of the size of a number, and of nothing else.
pub(crate) const INPUTS: u64 = 0x1000_0008;
/// The address of the outputs.
pub(crate) const OUTPUTS: u64 = 0x2000_0018;
/// The address of the workspace.
pub(crate) const WORKSPACE: u64 = 0x3000_0000;
/// The address of the code.
pub(crate) const CODE: u64 = 0x4000_0000;
/// The address of the end of the stack.
pub(crate) const STACK: u64 = 0x7000_0000;
/// The size of the stack.
pub(crate) const STACK_BYTES: usize = 64 << 10;
/// The contents of registers after a call.
pub(crate) const POISON: u64 = 0x7ff0_dead_dead_dead;

/// Memory at some address, with a record of what was written.
struct Region {
    start: u64,
    bytes: Vec<u8>,
    written: Vec<bool>,
    writable: bool,
}

/// The memory of a simulated processor. It refuses reads of what was never written, and all that is out of bounds.
pub(crate) struct Memory {
    regions: Vec<Region>,
}

fn bytes_of(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

impl Memory {
    /// Memory with code, its inputs, and room for its outputs.
    pub(crate) fn new(emitted: &Emitted, inputs: &[f64], outputs: usize) -> Self {
        let region = |start, bytes: Vec<u8>, written, writable| Region {
            start,
            written: vec![written; bytes.len()],
            bytes,
            writable,
        };
        let fresh = |start, len| region(start, vec![0xee; len], false, true);
        Self {
            regions: vec![
                region(INPUTS, bytes_of(inputs), true, false),
                fresh(OUTPUTS, outputs * 8),
                fresh(WORKSPACE, emitted.workspace),
                region(CODE, emitted.image(), true, false),
                fresh(STACK, STACK_BYTES),
            ],
        }
    }

    fn region(&mut self, at: u64, len: usize) -> (&mut Region, usize) {
        let inside =
            |r: &Region| at >= r.start && at + len as u64 <= r.start + r.bytes.len() as u64;
        let k = self.regions.iter().position(inside);
        let k = k.unwrap_or_else(|| panic!("{len} bytes at {at:x} are not ours"));
        let r = &mut self.regions[k];
        let from = (at - r.start) as usize;
        (r, from)
    }

    /// Checks that an address belongs to the code.
    pub(crate) fn touch(&mut self, at: u64) {
        self.region(at, 8);
    }

    /// Bytes from an address on.
    pub(crate) fn read(&mut self, at: u64, len: usize) -> Vec<u8> {
        let (r, from) = self.region(at, len);
        let written = r.written[from..from + len].iter().all(|w| *w);
        assert!(written, "{len} bytes at {at:x} were never written");
        r.bytes[from..from + len].to_vec()
    }

    /// The number of 64 bits at an address.
    pub(crate) fn word(&mut self, at: u64) -> u64 {
        u64::from_le_bytes(self.read(at, 8).try_into().unwrap())
    }

    /// Writes bytes to an address.
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) {
        let (r, from) = self.region(at, bytes.len());
        assert!(r.writable, "{at:x} is not to be written");
        r.bytes[from..from + bytes.len()].copy_from_slice(bytes);
        r.written[from..from + bytes.len()].fill(true);
    }

    fn numbers(&mut self, at: u64, count: usize) -> Vec<f64> {
        (0..count)
            .map(|k| f64::from_bits(self.word(at + 8 * k as u64)))
            .collect()
    }

    /// The outputs, all of which must have been written.
    pub(crate) fn outputs(&self) -> Vec<f64> {
        let outputs = &self.regions[1];
        assert!(outputs.written.iter().all(|w| *w), "an output is missing");
        let (words, _) = outputs.bytes.as_chunks::<8>();
        words.iter().map(|b| f64::from_le_bytes(*b)).collect()
    }

    /// Does what a routine does, and forgets the stack below the stack pointer.
    pub(crate) fn call(
        &mut self,
        function: u64,
        encoding: Encoding,
        [a, b, one, two]: [u64; 4],
        chunks: u64,
        stack_pointer: u64,
    ) {
        assert_eq!(stack_pointer % 16, 0, "the stack is aligned");
        let singles = Function::ALL.map(Task::One);
        let pairs = [Function::Sin, Function::Sinh].map(Task::Pair);
        let all = singles.into_iter().chain(pairs);
        let mut all = all.flat_map(|task| [1, 2, 4, 8].map(|width| (task, width)));
        let address = |(task, width)| routine(task, width, encoding) as *const () as u64;
        let (task, width) = all
            .find(|&which| address(which) == function)
            .expect("a routine");
        let count = chunks as usize * width;
        let x = self.numbers(a, count);
        let y = if task.binary() {
            self.numbers(b, count)
        } else {
            x.clone()
        };
        let results = match task {
            Task::One(f) => vec![(f, one)],
            Task::Pair(Function::Sin) => vec![(Function::Sin, one), (Function::Cos, two)],
            Task::Pair(_) => vec![(Function::Sinh, one), (Function::Cosh, two)],
        };
        for (f, at) in results {
            let values: Vec<f64> = x
                .iter()
                .zip(&y)
                .map(|(x, y)| f.apply(&[*x], &[*y])[0])
                .collect();
            self.write(at, &bytes_of(&values));
        }
        let stack = self.regions.last_mut().expect("the stack");
        stack.written[..(stack_pointer - STACK) as usize].fill(false);
    }
}

/// Compares what `run(inputs, number of outputs)` makes of code for several states with the interpreter.
pub(crate) fn compare(
    code: &Code,
    mode: Mode,
    dice: &mut Dice,
    run: impl FnOnce(&[f64], usize) -> Vec<f64>,
) {
    let lanes = mode.lanes();
    let inputs: Vec<f64> = (0..code.inputs() * lanes)
        .map(|_| random::number(dice))
        .collect();
    let outputs = run(&inputs, code.output_len() * lanes);
    for l in 0..lanes {
        let lane = inputs.iter().skip(l).step_by(lanes);
        let state: Vec<[f64; 1]> = lane.map(|x| [*x]).collect();
        let expected = code.run::<1>(&state, &mut Vec::new());
        for (k, [e]) in expected.into_iter().enumerate() {
            let got = outputs[k * lanes + l];
            let same = got.to_bits() == e.to_bits() || (got.is_nan() && e.is_nan());
            assert!(
                same,
                "{mode:?} output {k} of lane {l}: {got:e} for {e:e}\n{code:?}"
            );
        }
    }
}

/// Random code, with a source of numbers for its inputs.
pub(crate) fn random_codes(salt: u64, count: u64) -> impl Iterator<Item = (Code, Dice)> {
    (0..count).map(move |seed| {
        let mut dice = Dice(salt + seed);
        let size = 1 + dice.below(if seed % 4 == 0 { 400 } else { 60 });
        let code = random::code(&mut dice, size, seed % 3 == 0);
        (code, dice)
    })
}

/// Whether a mode can run code: wide values are for one state.
pub(crate) fn lanes_fit(code: &Code, mode: Mode) -> bool {
    mode == Mode::Scalar || !code.has_wide()
}

/// Code with frames small and large, on the stack and in a workspace, with and without calls.
pub(crate) fn framed_codes() -> impl Iterator<Item = Code> {
    let sizes = [3, 20, 40, 60, 120, 400, 500, 600, 1000, 4000, 4200];
    let cases = sizes
        .into_iter()
        .flat_map(|live| [false, true].map(|call| (live, call)));
    cases.map(|(live, call)| {
        let mut a = Assembler::new(1);
        let mut v = a.input(0);
        let list: Vec<Value> = (0..live)
            .map(|_| {
                v = a.push(Instr::Sqrt(v));
                v
            })
            .collect();
        if call {
            v = a.push(Instr::Call(Function::Cos, v, v));
        }
        let mut sum = v;
        for &v in list.iter().rev() {
            sum = a.push(Instr::Add(sum, v));
        }
        a.finish(vec![sum])
    })
}
