//! Derivatives of straight-line code, as straight-line code.

use crate::code::{Assembler, Code, Instr, Value};
use crate::function::Function;

impl Assembler {
    /// Appends narrow code with the given values as its inputs; returns the values of its outputs.
    ///
    /// # Panics
    /// If the code has wide values.
    pub fn append(&mut self, code: &Code, inputs: &[Value]) -> Vec<Value> {
        assert!(!code.has_wide(), "wide code is not appended");
        let mut values: Vec<Value> = Vec::with_capacity(code.instrs.len());
        for i in &code.instrs {
            let v = |a: Value| values[a as usize];
            let value = match *i {
                Instr::Const(c) => self.number(c),
                Instr::Input(k) => inputs[k as usize],
                Instr::Add(a, b) => self.add(v(a), v(b)),
                Instr::Sub(a, b) => self.sub(v(a), v(b)),
                Instr::Mul(a, b) => self.mul(v(a), v(b)),
                Instr::Div(a, b) => self.div(v(a), v(b)),
                Instr::Neg(a) => self.neg(v(a)),
                Instr::Abs(a) => self.abs(v(a)),
                Instr::Sqrt(a) => self.sqrt(v(a)),
                Instr::Positive(a, b, c) => self.choose(v(a), false, v(b), v(c)),
                Instr::NotNegative(a, b, c) => self.choose(v(a), true, v(b), v(c)),
                Instr::Call(f, a, b) => self.call(f, v(a), f.binary().then(|| v(b))),
                Instr::Lookup(t, field, a) => {
                    self.lookup(&code.lookup_tables[t as usize], field, v(a))
                }
                _ => self.push(i.map(v)),
            };
            values.push(value);
        }
        code.outputs.iter().map(|&o| values[o as usize]).collect()
    }

    /// Marks the values from which the given ones are computed, including themselves.
    fn ancestors(&self, of: &[Value]) -> Vec<bool> {
        let last = of.iter().max().map_or(0, |v| *v as usize + 1);
        let mut needed = vec![false; last];
        for &v in of {
            needed[v as usize] = true;
        }
        for at in (0..last).rev() {
            if needed[at] {
                for &v in self.instr(at as Value).operands().iter() {
                    needed[v as usize] = true;
                }
            }
        }
        needed
    }

    /// The derivatives of an instruction with respect to its operands; none for a choice.
    fn partials(&mut self, at: Value) -> Vec<(Value, Value)> {
        let one = self.number(1.0);
        let minus = self.number(-1.0);
        match self.instr(at) {
            Instr::Add(a, b) => vec![(a, one), (b, one)],
            Instr::Sub(a, b) => vec![(a, one), (b, minus)],
            Instr::Mul(a, b) => vec![(a, b), (b, a)],
            Instr::Div(a, b) => {
                let inverse = self.div(one, b);
                let slope = self.mul(at, inverse);
                let slope = self.neg(slope);
                vec![(a, inverse), (b, slope)]
            }
            Instr::Neg(a) => vec![(a, minus)],
            Instr::Abs(a) => {
                let sign = self.choose(a, true, one, minus);
                vec![(a, sign)]
            }
            Instr::Sqrt(a) => {
                let half = self.number(0.5);
                vec![(a, self.div(half, at))]
            }
            Instr::Fma(a, b, c) => vec![(a, b), (b, a), (c, one)],
            Instr::Fms(a, b, c) => vec![(a, b), (b, a), (c, minus)],
            Instr::Fnma(a, b, c) => {
                let (x, y) = (self.neg(a), self.neg(b));
                vec![(a, y), (b, x), (c, one)]
            }
            Instr::Call(f, a, b) => self.slopes(f, at, a, b),
            Instr::Least(a, b) | Instr::Greatest(a, b) => {
                let zero = self.number(0.0);
                let taken = match self.instr(at) {
                    Instr::Least(..) => self.sub(b, a),
                    _ => self.sub(a, b),
                };
                let first = self.choose(taken, false, one, zero);
                let second = self.choose(taken, false, zero, one);
                vec![(a, first), (b, second)]
            }
            // Choices are handled by the caller; wide values do not occur where derivatives are taken.
            Instr::Const(_)
            | Instr::Table(_)
            | Instr::Input(_)
            | Instr::Row(_)
            | Instr::Lookup(..)
            | Instr::Positive(..)
            | Instr::NotNegative(..)
            | Instr::Pack(_)
            | Instr::Lane(..)
            | Instr::Permute(..) => vec![],
        }
    }

    /// The derivatives of v = f(a) or f(a, b).
    fn slopes(&mut self, f: Function, v: Value, a: Value, b: Value) -> Vec<(Value, Value)> {
        let one = self.number(1.0);
        let square = self.mul(v, v);
        let slope = match f {
            Function::Sin => self.call(Function::Cos, a, None),
            Function::Cos => {
                let s = self.call(Function::Sin, a, None);
                self.neg(s)
            }
            Function::Tan => self.add(one, square),
            Function::Tanh => self.sub(one, square),
            Function::Exp => v,
            Function::Log => self.div(one, a),
            Function::RoughLog2 => {
                let scaled = self.scale(a, std::f64::consts::LN_2);
                self.div(one, scaled)
            }
            Function::RoughExp2 => self.scale(v, std::f64::consts::LN_2),
            Function::Sinh => self.call(Function::Cosh, a, None),
            Function::Cosh => self.call(Function::Sinh, a, None),
            Function::Asin | Function::Acos | Function::Atan => {
                let square = self.mul(a, a);
                let below = if f == Function::Atan {
                    self.add(one, square)
                } else {
                    let inside = self.sub(one, square);
                    self.sqrt(inside)
                };
                let slope = self.div(one, below);
                if f == Function::Acos {
                    self.neg(slope)
                } else {
                    slope
                }
            }
            Function::Pow => {
                let less = self.sub(b, one);
                let power = self.call(Function::Pow, a, Some(less));
                let base = self.mul(b, power);
                let log = self.call(Function::Log, a, None);
                let exponent = self.mul(v, log);
                return match self.constant_of(b) {
                    Some(_) => vec![(a, base)],
                    None => vec![(a, base), (b, exponent)],
                };
            }
            Function::Atan2 => {
                let (p, q) = (self.mul(a, a), self.mul(b, b));
                let r = self.add(p, q);
                let (y, x) = (self.div(a, r), self.div(b, r));
                let y = self.neg(y);
                return vec![(a, x), (b, y)];
            }
        };
        vec![(a, slope)]
    }

    /// The derivatives of values in one direction, given as rates of other values.
    pub fn tangents(&mut self, of: &[Value], along: &[(Value, Value)]) -> Vec<Value> {
        let needed = self.ancestors(of);
        let mut tangent: Vec<Option<Value>> = vec![None; needed.len()];
        for &(v, rate) in along {
            if (v as usize) < needed.len() {
                tangent[v as usize] = Some(rate);
            }
        }
        let zero = self.number(0.0);
        for at in 0..needed.len() {
            if !needed[at] || tangent[at].is_some() {
                continue;
            }
            let i = self.instr(at as Value);
            if i.operands().iter().all(|&v| tangent[v as usize].is_none()) {
                continue;
            }
            let rate = |v: Value| tangent[v as usize];
            let value = match i {
                Instr::Positive(a, b, c) | Instr::NotNegative(a, b, c) => {
                    let closed = matches!(i, Instr::NotNegative(..));
                    let (b, c) = (rate(b).unwrap_or(zero), rate(c).unwrap_or(zero));
                    self.choose(a, closed, b, c)
                }
                _ => {
                    let mut sum = zero;
                    for (v, slope) in self.partials(at as Value) {
                        if let Some(rate) = tangent[v as usize] {
                            let t = self.mul(slope, rate);
                            sum = self.add(sum, t);
                        }
                    }
                    sum
                }
            };
            tangent[at] = (!self.is_zero(value)).then_some(value);
        }
        of.iter()
            .map(|&v| tangent[v as usize].unwrap_or(zero))
            .collect()
    }

    /// The derivatives of one value with respect to others, by the reverse mode.
    pub fn gradient(&mut self, of: Value, by: &[Value]) -> Vec<Value> {
        let needed = self.ancestors(&[of]);
        let mut adjoint: Vec<Option<Value>> = vec![None; needed.len()];
        adjoint[of as usize] = Some(self.number(1.0));
        let zero = self.number(0.0);
        for at in (0..needed.len()).rev() {
            let Some(own) = adjoint[at] else { continue };
            if by.contains(&(at as Value)) {
                continue;
            }
            let parts = match self.instr(at as Value) {
                Instr::Positive(a, b, c) => vec![
                    (b, self.choose(a, false, own, zero)),
                    (c, self.choose(a, false, zero, own)),
                ],
                Instr::NotNegative(a, b, c) => vec![
                    (b, self.choose(a, true, own, zero)),
                    (c, self.choose(a, true, zero, own)),
                ],
                _ => {
                    let partials = self.partials(at as Value);
                    let times = |(v, slope)| (v, self.mul(own, slope));
                    partials.into_iter().map(times).collect()
                }
            };
            for (v, part) in parts {
                let sum = match adjoint[v as usize] {
                    None => part,
                    Some(s) => self.add(s, part),
                };
                adjoint[v as usize] = Some(sum);
            }
        }
        by.iter()
            .map(|&v| adjoint.get(v as usize).copied().flatten().unwrap_or(zero))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions after these are approximate, and so are their differences.
    const EXACT_FUNCTIONS: usize = Function::Atan2 as usize + 1;

    /// Compares every function and operation with differences, in forward and reverse mode.
    #[test]
    fn derivatives_are_those_of_differences() {
        let build = |which: usize, asm: &mut Assembler| -> Value {
            let (x, y) = (asm.input(0), asm.input(1));
            match which {
                k if k < EXACT_FUNCTIONS => {
                    let f = Function::ALL[k];
                    asm.call(f, x, f.binary().then_some(y))
                }
                13 => asm.div(x, y),
                14 => {
                    let p = asm.mul(x, y);
                    asm.sqrt(p)
                }
                15 => {
                    let d = asm.sub(x, y);
                    let a = asm.abs(d);
                    let p = asm.mul(a, x);
                    asm.choose(d, true, p, a)
                }
                16 => {
                    let p = asm.mul(x, x);
                    asm.push(Instr::Fma(p, y, x))
                }
                17 => {
                    let n = asm.neg(y);
                    let p = asm.push(Instr::Fnma(x, n, y));
                    asm.push(Instr::Fms(p, y, x))
                }
                _ => {
                    let three = asm.number(3.5);
                    asm.call(Function::Pow, x, Some(three))
                }
            }
        };
        for which in 0..19 {
            for point in [[0.3, 0.7], [0.8, 0.45]] {
                let mut asm = Assembler::new(2);
                let v = build(which, &mut asm);
                let by = [asm.input(0), asm.input(1)];
                let one = asm.number(1.0);
                let mut outputs = vec![v];
                outputs.extend(asm.gradient(v, &by));
                for b in by {
                    outputs.extend(asm.tangents(&[v], &[(b, one)]));
                }
                let code = asm.finish(outputs);
                let at = |x: f64, y: f64| -> Vec<f64> {
                    let list = code.run(&[[x], [y]], &mut vec![]);
                    list.iter().map(|v| v[0]).collect()
                };
                let [x, y] = point;
                let found = at(x, y);
                let h = 1e-5;
                let wanted = [
                    (at(x + h, y)[0] - at(x - h, y)[0]) / (2.0 * h),
                    (at(x, y + h)[0] - at(x, y - h)[0]) / (2.0 * h),
                ];
                for k in 0..4 {
                    let off = (found[1 + k] - wanted[k % 2]).abs();
                    assert!(
                        off < 1e-8,
                        "{which} at {point:?}: {found:?}, not {wanted:?}"
                    );
                }
            }
        }
    }
}
