//! Hamilton's right-hand side and the derivatives of accelerations, as code.

use crate::code::{Assembler, Code, Value};
use crate::jets::{Rates, moving};
use crate::lower::Sources;
use crate::series::Wanted;
use crate::solve::{Factored, Kind, Symmetric, bordered_inverse, dot, factor, order};
use crate::tape::{Op, Reg, Tape};

/// The derivatives of accelerations and multipliers with respect to (t, x, u) and the parameters of the tape.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// From (t, x, u), the fixed inputs, the given branches of kinks, and the parameters: the unknowns, their
    /// derivatives row by row, the guard.
    pub code: Code,
    /// From the inputs of `code` and the unknowns: the matrix M, then the derivatives of M·a − f at fixed unknowns,
    /// each row by row. The derivatives of the unknowns are −M⁻¹ times them.
    pub parts: Code,
}

/// Hamilton's right-hand side, where L is quadratic in the velocities.
#[derive(Clone, Debug)]
pub struct Hamilton {
    /// From (t, x, p) and the fixed inputs: u, then ṗ, the guard.
    pub code: Code,
    /// From (t, x) and the fixed inputs: g row by row, then the momenta of u = 0.
    pub momenta: Code,
    /// From (t, x, u), the fixed inputs, and the multipliers: ṗ.
    pub rates: Code,
}

/// A value that is positive only if both are.
fn both(asm: &mut Assembler, a: Value, b: Value) -> Value {
    asm.choose(a, false, b, a)
}

/// A linear system that is solved several times.
enum Solver {
    Factored(Factored),
    /// The rows of the inverse, where the border is not symmetric.
    Inverse(Vec<Vec<Value>>, Value),
}

impl Solver {
    /// The system of a matrix given row by row.
    fn new(asm: &mut Assembler, rates: &Rates, matrix: &[Value]) -> Self {
        let (n, size) = (rates.dimension, rates.unknowns);
        if !rates.asymmetric {
            return Self::Factored(factored(asm, n, size, matrix));
        }
        let (rows, guard) = bordered_inverse(asm, n, size, &|i, j| matrix[i * size + j]);
        Self::Inverse(rows, guard)
    }

    fn guard(&self) -> Value {
        match self {
            Self::Factored(f) => f.guard,
            Self::Inverse(_, guard) => *guard,
        }
    }

    /// The solution for a right-hand side, in which the rows of constraints have the other sign.
    fn solve(&self, asm: &mut Assembler, right: &[Value]) -> Vec<Value> {
        match self {
            Self::Factored(f) => f.solve(asm, right),
            Self::Inverse(rows, _) => rows.iter().map(|row| dot(asm, row, right)).collect(),
        }
    }
}

/// Factors a matrix given row by row, symmetric up to the sign of the rows of constraints.
fn factored(asm: &mut Assembler, n: usize, size: usize, matrix: &[Value]) -> Factored {
    let kind = |i| if i < n { Kind::Mass } else { Kind::Multiplier };
    let mut m = Symmetric::new((0..size).map(kind).collect());
    for i in 0..n {
        for j in i..size {
            m.set(asm, i, j, matrix[i * size + j]);
        }
    }
    match order(&m) {
        Some(o) if o.too_long => {
            // No order of elimination exists; the guard reports it.
            let mut nothing = factor(asm, &m, &[]);
            nothing.guard = asm.number(-1.0);
            nothing
        }
        Some(o) => factor(asm, &m, &o.order),
        None => factor(asm, &m, &(0..size).collect::<Vec<_>>()),
    }
}

pub(crate) fn inputs(asm: &mut Assembler, count: usize) -> Vec<Value> {
    (0..count).map(|k| asm.input(k)).collect()
}

impl Tape {
    /// The derivatives of the accelerations, each kink on the branch of its register.
    pub fn jacobian(&self, rates: &Rates) -> Jacobian {
        self.jacobian_as(rates, true)
    }

    /// The derivatives of the accelerations on given branches: behind (t, x, u), each kink has an input that is
    /// positive on its positive branch.
    pub fn jacobian_on_branches(&self, rates: &Rates) -> Jacobian {
        self.jacobian_as(rates, false)
    }

    fn jacobian_as(&self, rates: &Rates, own_branches: bool) -> Jacobian {
        let (n, size) = (rates.dimension, rates.unknowns);
        let parameters = self.parameters.len();
        let known = 2 * n + 1 + parameters;
        let kinks = if own_branches { 0 } else { self.branch_len() };
        let parts = self.linear_parts(rates, own_branches);
        let mut asm = Assembler::new(self.inputs + kinks + parameters);
        let mut all = inputs(&mut asm, self.inputs + kinks + parameters);
        let state = &all[..self.inputs + kinks];
        let (unknowns, guard) = self.unknowns(&mut asm, rates, state, own_branches);
        all.extend(&unknowns);
        let values = asm.append(&parts, &all);
        let (matrix, slopes) = values.split_at(size * size);
        let f = Solver::new(&mut asm, rates, matrix);
        let mut columns = Vec::with_capacity(known);
        for k in 0..known {
            let mut right = Vec::with_capacity(size);
            for i in 0..size {
                let e = slopes[i * known + k];
                right.push(if i < n { asm.neg(e) } else { e });
            }
            columns.push(f.solve(&mut asm, &right));
        }
        let mut outputs = unknowns;
        for i in 0..size {
            outputs.extend(columns.iter().map(|c| c[i]));
        }
        outputs.push(both(&mut asm, guard, f.guard()));
        Jacobian {
            code: asm.finish(outputs),
            parts,
        }
    }

    /// Accelerations and multipliers at (t, x, u), with the given branches of kinks or their own, and their guard.
    fn unknowns(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        state: &[Value],
        own_branches: bool,
    ) -> (Vec<Value>, Value) {
        let wanted = Wanted {
            multipliers: true,
            own_branches,
            ..Wanted::default()
        };
        let (n, size) = (rates.dimension, rates.unknowns);
        let series = self.series(rates, &wanted, 1);
        let values = asm.append(&series.code, state);
        // Behind the velocities themselves.
        (values[n..n + size].to_vec(), values[series.guard_at()])
    }

    fn linear_parts(&self, rates: &Rates, own_branches: bool) -> Code {
        let (n, size) = (rates.dimension, rates.unknowns);
        let kinks = if own_branches { 0 } else { self.branch_len() };
        let count = self.inputs + kinks + self.parameters.len() + size;
        let mut asm = Assembler::new(count);
        let all = inputs(&mut asm, count);
        let (state, rest) = all.split_at(self.inputs);
        let (branches, rest) = rest.split_at(kinks);
        let (parameters, unknowns) = rest.split_at(self.parameters.len());
        let sources = Sources {
            inputs: state,
            branches: (!own_branches).then_some(branches),
            parameters,
        };
        let (mut outputs, defects) = self.defects(&mut asm, rates, &sources, unknowns);
        let one = asm.number(1.0);
        let slopes: Vec<Vec<Value>> = state[..=2 * n]
            .iter()
            .chain(parameters)
            .map(|&z| asm.tangents(&defects, &[(z, one)]))
            .collect();
        for i in 0..size {
            outputs.extend(slopes.iter().map(|list| list[i]));
        }
        asm.finish(outputs)
    }

    /// M row by row, and M·a − f for given unknowns a.
    pub(crate) fn defects(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        sources: &Sources<'_>,
        unknowns: &[Value],
    ) -> (Vec<Value>, Vec<Value>) {
        let (n, size) = (rates.dimension, rates.unknowns);
        let state = sources.inputs;
        let (rest, right) = match &rates.squares {
            Some(s) => (&s.rest, &s.right),
            None => (&rates.matrix, &rates.right),
        };
        let terms: Vec<(usize, Reg, Reg)> = match &rates.squares {
            Some(s) => s.terms(false).collect(),
            None => vec![],
        };
        let mut wanted: Vec<Reg> = rates
            .matrix
            .iter()
            .chain(rest)
            .chain(right)
            .copied()
            .collect();
        wanted.extend(terms.iter().flat_map(|t| [t.1, t.2]));
        let values = self.lower(asm, sources, &self.reached(wanted.into_iter(), 0));
        let value = |r: Reg| values[r as usize];
        // With ẇ for the momenta w of the squares.
        let one = asm.number(1.0);
        let mut along = vec![(state[0], one)];
        for i in 0..n {
            along.push((state[1 + i], state[1 + n + i]));
            along.push((state[1 + n + i], unknowns[i]));
        }
        let momenta: Vec<Value> = terms.iter().map(|t| value(t.2)).collect();
        let changes = asm.tangents(&momenta, &along);
        let mut defects = Vec::with_capacity(size);
        for i in 0..size {
            let mut sum = asm.neg(value(right[i]));
            for j in 0..size {
                let t = asm.mul(value(rest[i * size + j]), unknowns[j]);
                sum = asm.add(sum, t);
            }
            defects.push(sum);
        }
        for (&(i, b, _), &change) in terms.iter().zip(&changes) {
            let t = asm.mul(value(b), change);
            defects[i] = asm.add(defects[i], t);
        }
        let matrix = rates.matrix.iter().map(|&r| value(r)).collect();
        (matrix, defects)
    }

    /// The derivatives of a register with respect to (t, x, u) and the parameters. The inputs are (t, x, u), for each
    /// kink a number that is positive on its positive branch, and the parameters.
    pub fn gradient_on_branches(&self, register: Reg) -> Code {
        let (kinks, parameters) = (self.branch_len(), self.parameters.len());
        let mut asm = Assembler::new(self.inputs + kinks + parameters);
        let all = inputs(&mut asm, self.inputs + kinks + parameters);
        let (state, rest) = all.split_at(self.inputs);
        let (branches, parameters) = rest.split_at(kinks);
        let sources = Sources {
            inputs: state,
            branches: Some(branches),
            parameters,
        };
        let wanted = self.reached(std::iter::once(register), 0);
        let value = self.lower(&mut asm, &sources, &wanted)[register as usize];
        let by: Vec<Value> = state.iter().chain(parameters).copied().collect();
        let slopes = asm.gradient(value, &by);
        asm.finish(slopes)
    }

    /// The outputs, then for each input and each parameter the derivatives of all outputs with respect to it. The inputs
    /// are those of the tape; each kink is on the branch of its register.
    pub fn slopes(&self) -> Code {
        let mut asm = Assembler::new(self.inputs + self.parameters.len());
        let all = inputs(&mut asm, self.inputs + self.parameters.len());
        let (state, parameters) = all.split_at(self.inputs);
        let sources = Sources {
            inputs: state,
            branches: None,
            parameters,
        };
        let wanted = self.reached(self.outputs.iter().copied(), 0);
        let values = self.lower(&mut asm, &sources, &wanted);
        let own: Vec<Value> = self.outputs.iter().map(|&r| values[r as usize]).collect();
        let one = asm.number(1.0);
        let mut outputs = own.clone();
        for &z in &all {
            outputs.extend(asm.tangents(&own, &[(z, one)]));
        }
        asm.finish(outputs)
    }

    /// The values of the parameters with respect to which the tape can be differentiated.
    pub fn parameter_values(&self) -> Vec<f64> {
        let value = |&r: &Reg| match self.ops()[r as usize] {
            Op::Parameter(value, _) => value,
            _ => 0.0,
        };
        self.parameters.iter().map(value).collect()
    }

    /// ∂pᵢ/∂x and ∂pᵢ/∂u with p = ∂L/∂u, row by row.
    pub fn legendre(&self, dimension: usize, lagrangian: Reg) -> Code {
        let n = dimension;
        let mut asm = Assembler::new(2 * n + 1);
        let state = inputs(&mut asm, 2 * n + 1);
        let value = asm.append(&self.code(&[lagrangian]), &state)[0];
        let momenta = asm.gradient(value, &state[n + 1..]);
        let one = asm.number(1.0);
        let columns: Vec<Vec<Value>> = state[1..]
            .iter()
            .map(|&z| asm.tangents(&momenta, &[(z, one)]))
            .collect();
        let mut outputs = Vec::with_capacity(2 * n * n);
        for i in 0..n {
            outputs.extend(columns.iter().map(|c| c[i]));
        }
        asm.finish(outputs)
    }

    /// Hamilton's right-hand side ẋ = u, ṗ = ∂L/∂x + F + reactions, with u = g⁻¹(p − p₀); `None` unless
    /// L is quadratic in the velocities. The outputs of `force`, a tape with the same inputs, are F.
    pub fn hamilton(&self, rates: &Rates, lagrangian: Reg, force: &Self) -> Option<Hamilton> {
        let (n, size) = (rates.dimension, rates.unknowns);
        let moves = moving(self, n);
        let block: Vec<Reg> = (0..n)
            .flat_map(|i| (0..n).map(move |j| i * size + j))
            .map(|k| rates.matrix[k])
            .collect();
        if block.iter().any(|&r| moves[r as usize]) {
            return None;
        }
        // Inputs behind the state do not change along a motion.
        let (known, fixed) = (self.inputs, self.inputs - 2 * n - 1);
        // ∂L/∂x and ∂L/∂u.
        let slopes = {
            let mut asm = Assembler::new(known);
            let state = inputs(&mut asm, known);
            let value = asm.append(&self.code(&[lagrangian]), &state)[0];
            let outputs = asm.gradient(value, &state[1..=2 * n]);
            asm.finish(outputs)
        };
        let momenta = {
            let mut asm = Assembler::new(n + 1 + fixed);
            let mut state = inputs(&mut asm, n + 1 + fixed);
            let zero = asm.number(0.0);
            state.splice(n + 1..n + 1, vec![zero; n]);
            let mut outputs = asm.append(&self.code(&block), &state);
            outputs.extend(asm.append(&slopes, &state).split_off(n));
            asm.finish(outputs)
        };
        // The covectors of the reactions, with the other sign.
        let covectors: Vec<Reg> = (n..size)
            .flat_map(|a| (0..n).map(move |i| i * size + a))
            .map(|k| rates.matrix[k])
            .collect();
        let changes = {
            let mut asm = Assembler::new(known + size - n);
            let all = inputs(&mut asm, known + size - n);
            let (state, multipliers) = all.split_at(known);
            let mut outputs = asm.append(&slopes, state);
            outputs.truncate(n);
            let force = asm.append(&force.code(force.outputs()), state);
            let covectors = asm.append(&self.code(&covectors), state);
            for i in 0..n {
                outputs[i] = asm.add(outputs[i], force[i]);
                for (a, &multiplier) in multipliers.iter().enumerate() {
                    let t = asm.mul(multiplier, covectors[a * n + i]);
                    outputs[i] = asm.sub(outputs[i], t);
                }
            }
            asm.finish(outputs)
        };
        let mut asm = Assembler::new(known);
        let all = inputs(&mut asm, known);
        let (place, momentum) = (&all[..=n], &all[n + 1..=2 * n]);
        let unmoved: Vec<Value> = place.iter().chain(&all[2 * n + 1..]).copied().collect();
        let values = asm.append(&momenta, &unmoved);
        let (matrix, free) = values.split_at(n * n);
        let f = factored(&mut asm, n, n, matrix);
        let right: Vec<Value> = (0..n).map(|i| asm.sub(momentum[i], free[i])).collect();
        let velocity = f.solve(&mut asm, &right);
        let mut state = place.to_vec();
        state.extend(velocity.iter().chain(&all[2 * n + 1..]));
        let mut guard = f.guard;
        if size > n {
            let (unknowns, own) = self.unknowns(&mut asm, rates, &state, true);
            state.extend(&unknowns[n..]);
            guard = both(&mut asm, guard, own);
        }
        let mut outputs = velocity;
        outputs.extend(asm.append(&changes, &state));
        outputs.push(guard);
        Some(Hamilton {
            code: asm.finish(outputs),
            momenta,
            rates: changes,
        })
    }
}
