//! Hamilton's right-hand side, and the derivatives of accelerations.

use std::sync::Arc;

use galilei_jit::Kernel;
use galilei_linear::Factors;
use galilei_tape::code::{Assembler, Code, Instr, Value, WINDOW};
use galilei_tape::{Jets, Rates, Tape};

/// The values of code at one state.
fn run(code: &Code, state: &[f64]) -> Vec<f64> {
    let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    let values = code.run(&inputs, &mut vec![]);
    values.into_iter().map(|v| v[0]).collect()
}

/// The unknowns of the linear system at a state, with pivoting; without branches each kink is on that of the state.
fn unknowns(tape: &Tape, rates: &Rates, state: &[f64], branches: &[f64]) -> Option<Vec<f64>> {
    let mut jets = Jets::new(tape, rates, &[], 1);
    jets.compute(tape, rates, state, branches).ok()?;
    Some((0..rates.unknowns).map(|i| jets.unknown(i)[0]).collect())
}

/// Computes for all lanes, and once more with pivoting where the guard says so; where that fails, too,
/// the result is not a number.
fn compute(
    kernel: &mut Kernel,
    states: &[f64],
    result: &mut [f64],
    pivoted: impl Fn(&[f64]) -> Option<Vec<f64>>,
) {
    let count = kernel.lanes();
    let outputs = kernel.evaluate(states);
    let values = outputs.len() - count;
    result[..values].copy_from_slice(&outputs[..values]);
    let guards = outputs[values..].to_vec();
    again(&guards, states, &mut result[..values], pivoted);
}

/// Computes once more with pivoting where the guard says so.
#[inline]
fn again(
    guards: &[f64],
    states: &[f64],
    result: &mut [f64],
    pivoted: impl Fn(&[f64]) -> Option<Vec<f64>>,
) {
    if guards.iter().all(|g| *g > 0.0) {
        return;
    }
    let count = guards.len();
    let places = result.len() / count;
    for l in (0..count).filter(|&l| guards[l].is_nan() || guards[l] <= 0.0) {
        let state: Vec<f64> = states.iter().skip(l).step_by(count).copied().collect();
        let list = pivoted(&state).unwrap_or_else(|| vec![f64::NAN; places]);
        for (i, v) in list.into_iter().enumerate() {
            result[i * count + l] = v;
        }
    }
}

/// (ẋ, ṗ) as a function of (t, x, p).
pub struct Hamilton {
    tape: Arc<Tape>,
    rates: Arc<Rates>,
    parts: galilei_tape::Hamilton,
    kernel: Kernel,
}

impl Hamilton {
    /// Compiles the right-hand side for `lanes` states at once.
    pub fn new(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        parts: galilei_tape::Hamilton,
        lanes: usize,
    ) -> Self {
        Self {
            tape: Arc::clone(tape),
            rates: Arc::clone(rates),
            kernel: Kernel::new(parts.code.optimised(rates.separate, WINDOW), lanes),
            parts,
        }
    }

    /// Computes the right-hand side: variable i of state l is at `i·lanes + l`, also in the result. Where the mass
    /// matrix is singular the result is not a number.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn compute(&mut self, states: &[f64], result: &mut [f64]) {
        let (tape, rates, parts) = (&self.tape, &self.rates, &self.parts);
        let n = rates.dimension;
        compute(&mut self.kernel, states, result, |state| {
            let (place, momentum) = state.split_at(n + 1);
            let known = run(&parts.momenta, place);
            let (mass, free) = known.split_at(n * n);
            let mut factors = Factors::new(n);
            factors.factor(|i, j| mass[i * n + j]).ok()?;
            let mut velocity: Vec<f64> = momentum.iter().zip(free).map(|(p, q)| p - q).collect();
            factors.solve(&mut velocity);
            let mut all = place.to_vec();
            all.extend(&velocity);
            if rates.unknowns > n {
                let list = unknowns(tape, rates, &all, &[])?;
                all.extend(&list[n..]);
            }
            velocity.extend(run(&parts.rates, &all));
            Some(velocity)
        });
    }
}

/// The accelerations and multipliers, and behind them their derivatives by (t, x, u) and the parameters of the
/// tape, row by row.
pub struct Jacobian {
    tape: Arc<Tape>,
    rates: Arc<Rates>,
    parts: galilei_tape::Jacobian,
    kernel: Kernel,
}

impl Jacobian {
    /// Compiles the derivatives for `lanes` states at once.
    pub fn new(tape: &Arc<Tape>, rates: &Arc<Rates>, lanes: usize) -> Self {
        Self::build(tape, rates, lanes, tape.jacobian(rates))
    }

    /// Compiles the derivatives for one state on given branches of the kinks: behind (t, x, u), each kink has an
    /// input that is positive on its positive branch.
    pub fn on_branches(tape: &Arc<Tape>, rates: &Arc<Rates>) -> Self {
        Self::build(tape, rates, 1, tape.jacobian_on_branches(rates))
    }

    fn build(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        lanes: usize,
        parts: galilei_tape::Jacobian,
    ) -> Self {
        Self {
            tape: Arc::clone(tape),
            rates: Arc::clone(rates),
            kernel: Kernel::new(parts.code.optimised(rates.separate, WINDOW), lanes),
            parts,
        }
    }

    /// Computes the unknowns, then for each its derivatives by t, x, u and the parameters. Variable i of state l is at
    /// `i·lanes + l`, also in the result; the values of parameters follow the branches of the kinks in `states`. Where the
    /// matrix is singular the result is not a number.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn compute(&mut self, states: &[f64], result: &mut [f64]) {
        let (tape, rates, parts) = (&self.tape, &self.rates, &self.parts);
        compute(&mut self.kernel, states, result, |state| {
            let Pivoted { unknowns, rows, .. } = pivoted(tape, rates, parts, state)?;
            Some(unknowns.into_iter().chain(rows).collect())
        });
    }
}

/// Results with pivoting: the unknowns at a state, their derivatives and the matrix, row by row.
struct Pivoted {
    unknowns: Vec<f64>,
    rows: Vec<f64>,
    matrix: Vec<f64>,
}

fn pivoted(
    tape: &Tape,
    rates: &Rates,
    parts: &galilei_tape::Jacobian,
    state: &[f64],
) -> Option<Pivoted> {
    let size = rates.unknowns;
    let parameters = tape.parameters().len();
    let (place, rest) = state.split_at(2 * rates.dimension + 1);
    let known = place.len() + parameters;
    let branches = &rest[..rest.len() - parameters];
    let list = unknowns(tape, rates, place, branches)?;
    let all: Vec<f64> = state.iter().chain(&list).copied().collect();
    let values = run(&parts.parts, &all);
    let (matrix, slopes) = values.split_at(size * size);
    let mut factors = Factors::new(size);
    factors.factor(|i, j| matrix[i * size + j]).ok()?;
    let mut rows = vec![0.0; size * known];
    for k in 0..known {
        let mut column: Vec<f64> = (0..size).map(|i| -slopes[i * known + k]).collect();
        factors.solve(&mut column);
        for (i, v) in column.into_iter().enumerate() {
            rows[i * known + k] = v;
        }
    }
    Some(Pivoted {
        unknowns: list,
        rows,
        matrix: matrix.to_vec(),
    })
}

/// The derivatives of the accelerations by x, u and the parameters of the tape, on given branches of the kinks, and how
/// heavy the coordinates are.
pub(crate) struct Slopes {
    pub(crate) tape: Arc<Tape>,
    pub(crate) rates: Arc<Rates>,
    parts: galilei_tape::Jacobian,
    pub(crate) code: Code,
    kernel: Kernel,
}

impl Slopes {
    /// Compiles the derivatives for `lanes` states at once.
    pub(crate) fn new(tape: &Arc<Tape>, rates: &Arc<Rates>, lanes: usize) -> Self {
        let parts = tape.jacobian_on_branches(rates);
        let n = rates.dimension;
        let known = 2 * n + 1 + tape.parameters().len();
        let mut asm = Assembler::new(parts.code.inputs());
        let mut inputs: Vec<Value> = (0..asm.inputs()).map(|k| asm.input(k)).collect();
        let all = asm.append(&parts.code, &inputs);
        let rows = all[rates.unknowns..].chunks(known).take(n);
        let mut outputs: Vec<Value> = rows.flat_map(|row| row[1..].to_vec()).collect();
        let size = rates.unknowns;
        inputs.extend(&all[..size]);
        let matrix = asm.append(&parts.parts, &inputs);
        for a in 0..n {
            // Where a square is missing, what stands beside it serves.
            let row = &matrix[a * size..a * size + n];
            let mut own = asm.abs(row[a]);
            if asm.is_zero(own) {
                for &g in row {
                    let g = asm.abs(g);
                    own = asm.add(own, g);
                }
            }
            outputs.push(own);
        }
        outputs.extend(&all[..n]);
        outputs.extend(all.last());
        let code = asm.finish(outputs);
        Self {
            tape: Arc::clone(tape),
            rates: Arc::clone(rates),
            kernel: Kernel::new(code.optimised(rates.separate, WINDOW), lanes),
            code,
            parts,
        }
    }

    /// The derivatives that are zero everywhere.
    pub(crate) fn zeros(&self) -> Vec<bool> {
        let outputs = self.code.outputs();
        let instr = |v: &Value| self.code.instrs()[*v as usize];
        // Where nothing can be eliminated in a fixed order, nothing is known of the result.
        let known = outputs
            .last()
            .is_some_and(|v| !matches!(instr(v), Instr::Const(_)));
        let zero = |v| known && instr(v) == Instr::Const(0.0);
        outputs.iter().map(zero).collect()
    }

    /// Computes them at states (t, x, u, branches, parameters), row by row for each acceleration; behind them are the
    /// masses of the coordinates, by size, the accelerations, and a guard.
    #[inline]
    pub(crate) fn compute(&mut self, states: &[f64], result: &mut [f64]) {
        let (tape, rates, parts) = (&self.tape, &self.rates, &self.parts);
        let n = rates.dimension;
        self.kernel.call(states, result);
        let (values, guards) = result.split_at_mut(result.len() - self.kernel.lanes());
        again(guards, states, values, |state| {
            let found = pivoted(tape, rates, parts, state)?;
            let size = rates.unknowns;
            let rows = found.rows.chunks(found.rows.len() / size).take(n);
            let mut list: Vec<f64> = rows.flat_map(|row| row[1..].to_vec()).collect();
            list.extend((0..n).map(|a| {
                let row = &found.matrix[a * size..a * size + n];
                match row[a] == 0.0 {
                    true => row.iter().map(|g| g.abs()).sum(),
                    false => row[a].abs(),
                }
            }));
            list.extend(&found.unknowns[..n]);
            Some(list)
        });
    }
}
