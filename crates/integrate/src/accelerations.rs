//! Accelerations at a state, or at several states at once.

use galilei_jit::{Machine, Mode, Workspace};
use galilei_tape::code::{Code, WINDOW};
use galilei_tape::{Jets, Rates, Tape, Wanted};

/// The accelerations, then the multipliers, as a function of (t, x, u).
pub struct Accelerations<'t> {
    tape: &'t Tape,
    rates: &'t Rates,
    code: Code,
    machine: Option<(Machine, Workspace)>,
    lanes: usize,
    outputs: Vec<f64>,
}

impl<'t> Accelerations<'t> {
    /// Compiles them for so many states at once: 1, or what [`Accelerations::widest`] says.
    pub fn new(tape: &'t Tape, rates: &'t Rates, lanes: usize) -> Self {
        let wanted = Wanted {
            multipliers: true,
            own_sides: true,
            ..Wanted::default()
        };
        // The window is for long series; here the longest chain decides.
        let code = tape.series(rates, &wanted, 1).code.fused();
        let code = code.scheduled(3 * WINDOW);
        let mode = match lanes {
            1 => Some(Mode::Scalar),
            4 => Some(Mode::Lanes4),
            8 => Some(Mode::Lanes8),
            _ => None,
        };
        let machine = mode.and_then(|mode| Machine::compile(&code, mode));
        let outputs = vec![0.0; code.output_len() * lanes];
        Self {
            tape,
            rates,
            machine: machine.map(|m| {
                let workspace = m.workspace();
                (m, workspace)
            }),
            code,
            lanes,
            outputs,
        }
    }

    /// As many states at once as the processor can take.
    pub fn widest() -> usize {
        Mode::best_lanes().lanes()
    }

    /// How many states are computed at once.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether machine code is used.
    pub fn is_native(&self) -> bool {
        self.machine.is_some()
    }

    /// How many operations the code has.
    pub fn operations(&self) -> usize {
        self.code.operations()
    }

    /// Computes them: variable i of state l stands at `i·lanes + l`, in the result, too. Where the
    /// matrix is singular the result is not a number.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn compute(&mut self, states: &[f64], result: &mut [f64]) {
        let lanes = self.lanes;
        match &mut self.machine {
            Some((machine, workspace)) => machine.call_with(workspace, states, &mut self.outputs),
            None => {
                let inputs = self.rates.dimension * 2 + 1;
                for l in 0..lanes {
                    let state: Vec<[f64; 1]> =
                        (0..inputs).map(|i| [states[i * lanes + l]]).collect();
                    for (i, v) in self.code.run(&state, &mut vec![]).iter().enumerate() {
                        self.outputs[i * lanes + l] = v[0];
                    }
                }
            }
        }
        // Behind the velocities themselves.
        let (n, size) = (self.rates.dimension * lanes, self.rates.unknowns * lanes);
        result[..size].copy_from_slice(&self.outputs[n..n + size]);
        let guards = &self.outputs[n + size..];
        if !guards.iter().all(|g| *g > 0.0) {
            self.pivoted(states, result);
        }
    }

    /// Those states where the order of elimination met a small pivot.
    #[cold]
    fn pivoted(&self, states: &[f64], result: &mut [f64]) {
        let (n, size, lanes) = (self.rates.dimension, self.rates.unknowns, self.lanes);
        for l in 0..lanes {
            if self.outputs[(n + size) * lanes + l] > 0.0 {
                continue;
            }
            let state: Vec<f64> = (0..=2 * n).map(|i| states[i * lanes + l]).collect();
            let mut jets = Jets::new(self.tape, self.rates, &[], 1);
            let known = jets.compute(self.tape, self.rates, &state, &[]).is_ok();
            for i in 0..size {
                result[i * lanes + l] = if known { jets.unknown(i)[0] } else { f64::NAN };
            }
        }
    }
}
