//! Code as a WebAssembly module, for one state.
//!
//! WebAssembly has no registers: every number is a constant, an input or a local, and locals are given again after their last use. Wide
//! values are four numbers; packing and rearranging them costs nothing. There is no fused multiply-add either: a function of the
//! module computes it from sums and products with their errors, with the bits of the instruction. Functions are imports.

mod encode;
mod fused;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use galilei_tape::Function;
use galilei_tape::code::{Code, Instr, WIDTH};

use encode::{Body, F64, I32, module};

/// Imported: a·b + c for all arguments.
pub(crate) const EXACT: u32 = 0;
/// Imported: a function, by its index in [`Function::ALL`], of one argument or two.
pub(crate) const CALL: u32 = 1;
/// Imported: two functions that share their work, named by the first; both results are written to memory.
pub(crate) const PAIR: u32 = 2;
/// Defined: a·b + c.
pub(crate) const FUSED: u32 = 3;

/// The parameters of the function.
const INPUTS: u32 = 0;
const OUTPUTS: u32 = 1;
const WORKSPACE: u32 = 2;
/// The number of bytes of workspace: both results of a pair.
pub(crate) const WORKSPACE_BYTES: usize = 16;
/// The largest number of locals; engines take at most 50 000.
const MAX_LOCALS: u32 = 40_000;
/// The largest size of a function; engines take at most 7 654 321 bytes.
const MAX_BYTES: usize = 7_000_000;

type Cell = u32;

/// A number.
#[derive(Clone, Copy, Debug)]
enum Number {
    Const(f64),
    Input(u32),
    /// An instruction with narrow operands, which are cells.
    Op(Instr),
    /// The results of both functions of a pair; the second is in another cell.
    Pair(Function, Cell, Cell),
    /// The second result of a pair before.
    Second,
}

/// The module for code, or nothing if the code is too large, or reads tables.
pub(crate) fn emit(code: &Code) -> Option<Vec<u8>> {
    if !code.lookup_tables().is_empty() {
        return None;
    }
    let (mut numbers, outputs) = cells(code);
    join_pairs(&mut numbers);
    let mut emitter = Emitter::new(&numbers, &outputs);
    for (cell, number) in numbers.iter().enumerate() {
        emitter.define(cell as Cell, number);
    }
    if emitter.locals > MAX_LOCALS || emitter.body.len() > MAX_BYTES {
        return None;
    }
    let run = emitter.body.function(&[(emitter.locals, F64)]);
    let fused = fused::body();
    let types: [(&[u8], &[u8]); 4] = [
        (&[I32, I32, I32], &[]),
        (&[F64, F64, F64], &[F64]),
        (&[I32, F64, F64], &[F64]),
        (&[I32, F64, I32], &[]),
    ];
    let imports = [("fma", 1), ("call", 2), ("pair", 3)];
    Some(module(
        &types,
        &imports,
        &[(1, fused), (0, run)],
        ("run", FUSED + 1),
    ))
}

/// The numbers that code computes, one by one, and those that are its results.
fn cells(code: &Code) -> (Vec<Number>, Vec<Cell>) {
    let mut numbers = Vec::with_capacity(code.instrs().len());
    let mut values: Vec<[Cell; WIDTH]> = Vec::with_capacity(code.instrs().len());
    for (at, instr) in code.instrs().iter().enumerate() {
        let mut push = |number: Number| {
            numbers.push(number);
            numbers.len() as Cell - 1
        };
        let at_lane = |v: u32, l: usize| values[v as usize][l];
        let value = match *instr {
            Instr::Const(c) => [push(Number::Const(c)); WIDTH],
            Instr::Input(k) => [push(Number::Input(k)); WIDTH],
            Instr::Row(k) => std::array::from_fn(|l| push(Number::Input(k + l as u32))),
            Instr::Table(k) => code.tables()[k as usize].map(|c| push(Number::Const(c))),
            Instr::Pack(list) => list.map(|v| at_lane(v, 0)),
            Instr::Lane(v, l) => [at_lane(v, l as usize); WIDTH],
            Instr::Permute(v, order) => order.map(|l| at_lane(v, l as usize)),
            _ if code.is_wide(at as u32) => {
                std::array::from_fn(|l| push(Number::Op(instr.map(|v| at_lane(v, l)))))
            }
            _ => [push(Number::Op(instr.map(|v| at_lane(v, 0)))); WIDTH],
        };
        values.push(value);
    }
    let mut outputs = Vec::with_capacity(code.output_len());
    for &v in code.outputs() {
        let all = &values[v as usize];
        outputs.extend(if code.is_wide(v) { &all[..] } else { &all[..1] });
    }
    (numbers, outputs)
}

/// Computes sine and cosine of one argument, or their hyperbolic cousins, by one call.
fn join_pairs(numbers: &mut [Number]) {
    let mut known: HashMap<(Function, Cell), (Function, Cell)> = HashMap::new();
    for cell in 0..numbers.len() {
        let Number::Op(Instr::Call(f, a, _)) = numbers[cell] else {
            continue;
        };
        if !matches!(f.family(), Function::Sin | Function::Sinh) {
            continue;
        }
        match known.get(&(f.family(), a)) {
            Some(&(first, at)) if first != f => {
                if let Number::Op(_) = numbers[at as usize] {
                    numbers[at as usize] = Number::Pair(first, a, cell as Cell);
                    numbers[cell] = Number::Second;
                }
            }
            Some(_) => {}
            None => {
                known.insert((f.family(), a), (f, cell as Cell));
            }
        }
    }
}

fn operands(number: &Number) -> ([Cell; 4], usize) {
    let mut list = ([0; 4], 0);
    match number {
        Number::Op(instr) => {
            for &v in instr.operands().iter() {
                list.0[list.1] = v;
                list.1 += 1;
            }
        }
        Number::Pair(_, a, _) => list = ([*a, 0, 0, 0], 1),
        _ => {}
    }
    list
}

struct Emitter<'a> {
    body: Body,
    numbers: &'a [Number],
    /// The number that uses each number last.
    last_use: Vec<Cell>,
    /// The places of each number among the outputs: the first, and the next place with the same number.
    first_output: Vec<Option<u32>>,
    next_output: Vec<Option<u32>>,
    /// The local of each number.
    local: Vec<u32>,
    free: Vec<u32>,
    locals: u32,
}

impl<'a> Emitter<'a> {
    fn new(numbers: &'a [Number], outputs: &[Cell]) -> Self {
        let mut last_use = vec![0; numbers.len()];
        for (at, number) in numbers.iter().enumerate() {
            let (list, count) = operands(number);
            for &v in &list[..count] {
                last_use[v as usize] = at as Cell;
            }
        }
        let mut first_output = vec![None; numbers.len()];
        let mut next_output = vec![None; outputs.len()];
        for (place, &v) in outputs.iter().enumerate().rev() {
            next_output[place] = first_output[v as usize];
            first_output[v as usize] = Some(place as u32);
        }
        Self {
            body: Body::default(),
            numbers,
            last_use,
            first_output,
            next_output,
            local: vec![0; numbers.len()],
            free: Vec::new(),
            locals: 0,
        }
    }

    /// Pushes a number.
    fn get(&mut self, cell: Cell) {
        match self.numbers[cell as usize] {
            Number::Const(c) => self.body.number(c),
            Number::Input(k) => {
                self.body.get(INPUTS);
                self.body.load(8 * k);
            }
            _ => self.body.get(WORKSPACE + 1 + self.local[cell as usize]),
        }
    }

    /// Gives a number a local.
    fn take(&mut self, cell: Cell) -> u32 {
        let local = self.free.pop().unwrap_or_else(|| {
            self.locals += 1;
            self.locals - 1
        });
        self.local[cell as usize] = local;
        WORKSPACE + 1 + local
    }

    fn is_used(&self, cell: Cell) -> bool {
        self.last_use[cell as usize] > cell
    }

    /// Gives the locals of operands again that are not used any more.
    fn release(&mut self, at: Cell, number: &Number) {
        let (list, count) = operands(number);
        for (k, &v) in list[..count].iter().enumerate() {
            let computed = !matches!(
                self.numbers[v as usize],
                Number::Const(_) | Number::Input(_)
            );
            let repeated = list[..k].contains(&v);
            if computed && !repeated && self.last_use[v as usize] == at {
                self.free.push(self.local[v as usize]);
            }
        }
    }

    fn define(&mut self, cell: Cell, number: &Number) {
        let output = self.first_output[cell as usize];
        match *number {
            Number::Const(_) | Number::Input(_) => self.store(cell, output),
            Number::Second => {}
            Number::Pair(f, a, second) => {
                self.body.index(f as u32);
                self.get(a);
                self.body.get(WORKSPACE);
                self.body.call(PAIR);
                self.release(cell, number);
                for (k, part) in [cell, second].into_iter().enumerate() {
                    let place = self.take(part);
                    self.body.get(WORKSPACE);
                    self.body.load(8 * k as u32);
                    self.body.set(place);
                    self.store(part, self.first_output[part as usize]);
                }
                for part in [cell, second] {
                    if self.last_use[part as usize] <= part {
                        self.free.push(self.local[part as usize]);
                    }
                }
            }
            Number::Op(instr) => {
                let used = self.is_used(cell);
                if !used && output.is_none() {
                    // Dead, but its operands may end here.
                    self.release(cell, number);
                    return;
                }
                if output.is_some() {
                    self.body.get(OUTPUTS);
                }
                self.compute(&instr);
                self.release(cell, number);
                let several = output.is_some_and(|o| self.next_output[o as usize].is_some());
                if let Some(place) = output {
                    if used || several {
                        let local = self.take(cell);
                        self.body.tee(local);
                    }
                    self.body.store(8 * place);
                    self.store(cell, self.next_output[place as usize]);
                    if !used && several {
                        self.free.push(self.local[cell as usize]);
                    }
                } else {
                    let local = self.take(cell);
                    self.body.set(local);
                }
            }
        }
    }

    /// Writes a number to its places among the outputs, from one of them on.
    fn store(&mut self, cell: Cell, mut place: Option<u32>) {
        while let Some(at) = place {
            self.body.get(OUTPUTS);
            self.get(cell);
            self.body.store(8 * at);
            place = self.next_output[at as usize];
        }
    }

    /// Pushes the result of an instruction.
    fn compute(&mut self, instr: &Instr) {
        use encode::op;
        let mut choose = |cells: [Cell; 2], compared: [Option<Cell>; 2], by: u8| {
            for cell in cells {
                self.get(cell);
            }
            for cell in compared {
                match cell {
                    Some(cell) => self.get(cell),
                    None => self.body.number(0.0),
                }
            }
            self.body.op(by);
            self.body.op(op::SELECT);
        };
        match *instr {
            Instr::Least(a, b) => return choose([a, b], [Some(a), Some(b)], op::LT),
            Instr::Greatest(a, b) => return choose([a, b], [Some(a), Some(b)], op::GT),
            Instr::Positive(c, a, b) => return choose([a, b], [Some(c), None], op::GT),
            Instr::NotNegative(c, a, b) => return choose([a, b], [Some(c), None], op::GE),
            Instr::Call(f, a, b) => {
                self.body.index(f as u32);
                self.get(a);
                self.get(if f.binary() { b } else { a });
                return self.body.call(CALL);
            }
            _ => {}
        }
        for (k, &v) in instr.operands().iter().enumerate() {
            self.get(v);
            let negated = matches!((instr, k), (Instr::Fnma(..), 0) | (Instr::Fms(..), 2));
            if negated {
                self.body.op(op::NEG);
            }
        }
        match instr {
            Instr::Add(..) => self.body.op(op::ADD),
            Instr::Sub(..) => self.body.op(op::SUB),
            Instr::Mul(..) => self.body.op(op::MUL),
            Instr::Div(..) => self.body.op(op::DIV),
            Instr::Neg(_) => self.body.op(op::NEG),
            Instr::Abs(_) => self.body.op(op::ABS),
            Instr::Sqrt(_) => self.body.op(op::SQRT),
            _ => self.body.call(FUSED),
        }
    }
}
