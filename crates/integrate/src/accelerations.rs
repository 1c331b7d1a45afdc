//! Accelerations at a state, or at several states at once.

use std::sync::Arc;

use galilei_jit::Kernel;
use galilei_linear::Factors;
use galilei_tape::code::WINDOW;
use galilei_tape::{Jets, Rates, Reg, Tape, Wanted};

use crate::problem::{Error, Problem};

/// The number of multipliers beyond which their rounding errors are not estimated together.
const MAX_SPOILED_MULTIPLIERS: usize = 24;

/// The reason why jets could not be computed at a state, or are not finite.
pub(crate) fn reason(jets: &Jets, rates: &Rates, state: &[f64]) -> Error {
    let finite = |r: &Reg| jets.series(*r)[0].is_finite();
    if state.iter().all(|x| x.is_finite()) && rates.matrix_registers().iter().all(finite) {
        Error::SingularMassMatrix
    } else {
        Error::NotFinite
    }
}

/// Estimates of the rounding errors of the accelerations at a state (t, x, u): errors of the state and of all
/// operations, to first order, added by magnitude.
pub(crate) fn rounding_of(
    problem: &Problem,
    state: &[f64],
    branches: &[f64],
    unknowns: &[f64],
) -> Vec<f64> {
    let problem = problem.written_out();
    let (tape, rates) = (&problem.tape, &problem.rates);
    let (n, size) = (rates.dimension, rates.unknowns);
    let mut values = vec![0.0; tape.len()];
    tape.evaluate(state, branches, &mut values);
    let errors = tape.rounding(&values, branches);
    let right = match &rates.squares {
        Some(squares) => &squares.right,
        None => &rates.right,
    };
    let error = |r: Reg| errors[r as usize];
    let residual: Vec<f64> = (0..size)
        .map(|i| {
            let own = right.get(i).map_or(0.0, |r| error(*r));
            // The solution has a rounding error of its own, also where the entries are exact: forces and reactions may
            // cancel each other, as they do at rest.
            let row = (0..size).map(|j| {
                let register = rates.matrix[i * size + j];
                let entry = values[register as usize].abs() * f64::EPSILON;
                (error(register) + entry) * unknowns[j].abs()
            });
            own + row.sum::<f64>()
        })
        .collect();
    let entry = |i: usize, j: usize| values[rates.matrix[i * size + j] as usize];
    let mut noise = vec![0.0; n];
    let mut spread = |factors: &mut Factors, size: usize| {
        for (k, error) in residual[..size].iter().enumerate() {
            let mut column = vec![0.0; size];
            column[k] = *error;
            factors.solve(&mut column);
            for (sum, part) in noise.iter_mut().zip(&column) {
                *sum += part.abs();
            }
        }
    };
    let mut factors = Factors::new(size);
    if factors.factor(entry).is_err() {
        return vec![f64::INFINITY; n];
    }
    spread(&mut factors, size);
    // Accelerations are the last to be found, from forces and reactions. What these leave of each other obeys the constraints in
    // exact arithmetic only.
    if size > n {
        let mut mass = Factors::new(n);
        if mass.factor(entry).is_ok() {
            spread(&mut mass, n);
            let own = rounding_of_multipliers(&mut mass, entry, &unknowns[..size], n);
            noise
                .iter_mut()
                .zip(own)
                .for_each(|(sum, part)| *sum += part);
        }
    }
    noise
}

/// The accelerations, then the multipliers, as a function of (t, x, u). Clones share the code.
#[derive(Clone)]
pub struct Accelerations {
    tape: Arc<Tape>,
    rates: Arc<Rates>,
    /// Further registers whose values are computed.
    values: Vec<Reg>,
    /// The number of kinks whose branch is given behind (t, x, u).
    kinks: usize,
    kernel: Kernel,
}

impl Accelerations {
    /// Compiles the accelerations for `lanes` states at once: 1, or [`Accelerations::widest`].
    pub fn new(tape: &Arc<Tape>, rates: &Arc<Rates>, lanes: usize) -> Self {
        Self::build(tape, rates, lanes, vec![], true)
    }

    /// Compiles the accelerations on given branches of the kinks, with the values of some registers behind the
    /// multipliers. Behind (t, x, u), each kink has an input that is positive on its positive branch.
    pub fn on_branches(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        values: Vec<Reg>,
        lanes: usize,
    ) -> Self {
        Self::build(tape, rates, lanes, values, false)
    }

    fn build(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        lanes: usize,
        values: Vec<Reg>,
        own_branches: bool,
    ) -> Self {
        let wanted = Wanted {
            values: values.clone(),
            multipliers: true,
            own_branches,
            ..Wanted::default()
        };
        let code = tape.series(rates, &wanted, 1).code;
        Self {
            tape: Arc::clone(tape),
            rates: Arc::clone(rates),
            values,
            kinks: if own_branches { 0 } else { tape.branch_len() },
            kernel: Kernel::new(code.optimised(rates.separate, WINDOW), lanes),
        }
    }

    /// The largest number of states that the processor computes at once.
    pub fn widest() -> usize {
        Kernel::widest()
    }

    /// The machine code that this processor runs, in words; none where kernels are run by the interpreter.
    pub fn backend() -> Option<&'static str> {
        Kernel::backend()
    }

    /// The number of states that are computed at once.
    pub fn lanes(&self) -> usize {
        self.kernel.lanes()
    }

    /// The number of accelerations.
    pub(crate) fn dimension(&self) -> usize {
        self.rates.dimension
    }

    /// The number of accelerations and multipliers.
    pub(crate) fn unknowns(&self) -> usize {
        self.rates.unknowns
    }

    /// The number of values behind them.
    pub(crate) fn values(&self) -> usize {
        self.values.len()
    }

    /// The number of inputs: t, x, u, the fixed inputs, and the branches.
    pub(crate) fn inputs(&self) -> usize {
        self.tape.inputs() + self.kinks
    }

    /// Whether machine code is used.
    pub fn is_native(&self) -> bool {
        self.kernel.is_native()
    }

    /// The number of operations of the code.
    pub fn operations(&self) -> usize {
        self.kernel.operations()
    }

    /// Computes the accelerations: variable i of state l is at `i·lanes + l`, also in the result. Where the matrix is
    /// singular the result is not a number.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn compute(&mut self, states: &[f64], result: &mut [f64]) {
        let lanes = self.kernel.lanes();
        let outputs = self.kernel.evaluate(states);
        // Behind the velocities themselves.
        let n = self.rates.dimension * lanes;
        let size = (self.rates.unknowns + self.values.len()) * lanes;
        result[..size].copy_from_slice(&outputs[n..n + size]);
        let guards = &outputs[n + size..];
        if !guards.iter().all(|g| *g > 0.0) {
            self.pivoted(states, result);
        }
    }

    /// Recomputes those states at which the order of elimination met a small pivot.
    #[cold]
    fn pivoted(&self, states: &[f64], result: &mut [f64]) {
        let (size, lanes) = (self.rates.unknowns, self.kernel.lanes());
        let outputs = self.kernel.results();
        let guards = &outputs[outputs.len() - lanes..];
        for l in 0..lanes {
            if guards[l] > 0.0 {
                continue;
            }
            let (jets, known) = self.jets(states, l);
            for i in 0..size {
                result[i * lanes + l] = if known { jets.unknown(i)[0] } else { f64::NAN };
            }
            for (i, &r) in self.values.iter().enumerate() {
                result[(size + i) * lanes + l] = jets.series(r)[0];
            }
        }
    }

    /// The jets at the state of a lane, and whether the matrix could be factored.
    fn jets(&self, states: &[f64], l: usize) -> (Jets, bool) {
        let known = self.tape.inputs();
        let all: Vec<f64> = (0..self.inputs())
            .map(|i| states[i * self.kernel.lanes() + l])
            .collect();
        let (state, branches) = all.split_at(known);
        let mut jets = Jets::new(&self.tape, &self.rates, &[], 1);
        let outcome = jets.compute(&self.tape, &self.rates, state, branches);
        (jets, outcome.is_ok())
    }

    /// The reason why one of the states has no accelerations.
    #[cold]
    pub(crate) fn why(&self, states: &[f64], l: usize) -> Error {
        match self.jets(states, l) {
            (jets, false) => {
                let state = states.iter().skip(l).step_by(self.kernel.lanes());
                let state: Vec<f64> = state.copied().take(self.tape.inputs()).collect();
                reason(&jets, &self.rates, &state)
            }
            (_, true) => Error::NotFinite,
        }
    }
}

/// The error of the accelerations that comes from rounding errors of the multipliers. Elimination finds multipliers from S·λ = r, where
/// S = B·g⁻¹·C has rounding errors of its own, and a large multiplier spoils small ones.
fn rounding_of_multipliers(
    mass: &mut Factors,
    entry: impl Fn(usize, usize) -> f64,
    unknowns: &[f64],
    n: usize,
) -> Vec<f64> {
    let m = unknowns.len() - n;
    let mut noise = vec![0.0; n];
    if m > MAX_SPOILED_MULTIPLIERS {
        return noise;
    }
    // g⁻¹·C, one column for each multiplier.
    let raised: Vec<Vec<f64>> = (0..m)
        .map(|k| {
            let mut column: Vec<f64> = (0..n).map(|i| entry(i, n + k)).collect();
            mass.solve(&mut column);
            column
        })
        .collect();
    let product = |j: usize, k: usize, term: fn(f64) -> f64| -> f64 {
        (0..n).map(|i| term(entry(n + j, i) * raised[k][i])).sum()
    };
    let mut between = Factors::new(m);
    let whole = |j: usize, k: usize| product(j, k, |x| x) - entry(n + j, n + k);
    if between.factor(whole).is_err() {
        return noise;
    }
    let wrong: Vec<f64> = (0..m)
        .map(|j| {
            let terms = (0..m).map(|k| product(j, k, f64::abs) * unknowns[n + k].abs());
            terms.sum::<f64>() * f64::EPSILON
        })
        .collect();
    for (j, wrong) in wrong.into_iter().enumerate() {
        let mut column = vec![0.0; m];
        column[j] = wrong;
        between.solve(&mut column);
        for (multiplier, raised) in column.iter().zip(&raised) {
            for (sum, r) in noise.iter_mut().zip(raised) {
                *sum += (multiplier * r).abs();
            }
        }
    }
    noise
}
