//! Straight-line code on numbers: the last form before machine code.
//!
//! A [`Tape`](crate::Tape) knows how each of its operations develops in time; a [`Code`] only computes.
//! Its instructions are those of a processor: sums, products, fused products, square roots, choices,
//! and calls of elementary functions. [`Code::run`] is its meaning, at every number of lanes; machine
//! code gives the same bits.
//!
//! A value is *narrow* (one number per lane of the evaluation) or *wide*: four numbers of one
//! evaluation side by side, made by [`Instr::Pack`] or [`Instr::Table`], rearranged by
//! [`Instr::Permute`], taken apart by [`Instr::Lane`]. Wide values occur only in code for a single lane, where they let four like
//! computations share an instruction.

mod assemble;
mod fuse;
mod narrow;
mod schedule;

pub use assemble::Assembler;
pub use schedule::WINDOW;

use std::sync::Arc;

use galilei_expr::Table;

use crate::function::Function;
use crate::lookup::looked_up;

/// A value: the index of its instruction.
pub type Value = u32;

/// The number of numbers in a wide value.
pub const WIDTH: usize = 4;

/// One instruction. Operands of arithmetic are all narrow or all wide, and so is the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instr {
    /// A number.
    Const(f64),
    /// Four numbers: a row of [`Code::tables`].
    Table(u32),
    /// An input.
    Input(u32),
    /// Four consecutive inputs, starting at the given one. Reading them at once is slow just after they were written
    /// one by one.
    Row(u32),
    /// a + b
    Add(Value, Value),
    /// a − b
    Sub(Value, Value),
    /// a·b
    Mul(Value, Value),
    /// a/b
    Div(Value, Value),
    /// The lesser of two: a where a < b, else b (also where either is no number).
    Least(Value, Value),
    /// The greater of two: a where a > b, else b (also where either is no number).
    Greatest(Value, Value),
    /// −a
    Neg(Value),
    /// |a|
    Abs(Value),
    /// √a
    Sqrt(Value),
    /// a·b + c, rounded once
    Fma(Value, Value, Value),
    /// c − a·b, rounded once
    Fnma(Value, Value, Value),
    /// a·b − c, rounded once
    Fms(Value, Value, Value),
    /// The second where the first is positive, else the third (also where the first is no number).
    Positive(Value, Value, Value),
    /// The second where the first is positive or zero, else the third (also where the first is no number).
    NotNegative(Value, Value, Value),
    /// A function of one argument (given twice) or of two; narrow only.
    Call(Function, Value, Value),
    /// A number of the piece of a table ([`Code::lookup_tables`]) that an argument is in; narrow only.
    Lookup(u32, u8, Value),
    /// Four narrow values as one wide value.
    Pack([Value; WIDTH]),
    /// One of the numbers of a wide value.
    Lane(Value, u8),
    /// The numbers of a wide value in another order.
    Permute(Value, [u8; WIDTH]),
}

impl Instr {
    /// The operands.
    #[inline]
    pub fn operands(&self) -> Operands {
        let mut list = Operands::default();
        match *self {
            Self::Const(_) | Self::Table(_) | Self::Input(_) | Self::Row(_) => {}
            Self::Neg(a)
            | Self::Abs(a)
            | Self::Sqrt(a)
            | Self::Lookup(_, _, a)
            | Self::Lane(a, _)
            | Self::Permute(a, _) => list.set(&[a]),
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Div(a, b)
            | Self::Least(a, b)
            | Self::Greatest(a, b) => {
                list.set(&[a, b]);
            }
            Self::Call(f, a, b) => {
                if f.binary() {
                    list.set(&[a, b]);
                } else {
                    list.set(&[a]);
                }
            }
            Self::Fma(a, b, c)
            | Self::Fnma(a, b, c)
            | Self::Fms(a, b, c)
            | Self::Positive(a, b, c)
            | Self::NotNegative(a, b, c) => list.set(&[a, b, c]),
            Self::Pack(v) => list.set(&v),
        }
        list
    }

    /// The instruction with other operands.
    #[inline]
    #[must_use]
    pub fn map(&self, f: impl Fn(Value) -> Value) -> Self {
        match *self {
            Self::Const(_) | Self::Table(_) | Self::Input(_) | Self::Row(_) => *self,
            Self::Neg(a) => Self::Neg(f(a)),
            Self::Abs(a) => Self::Abs(f(a)),
            Self::Sqrt(a) => Self::Sqrt(f(a)),
            Self::Lookup(t, field, a) => Self::Lookup(t, field, f(a)),
            Self::Lane(a, l) => Self::Lane(f(a), l),
            Self::Permute(a, order) => Self::Permute(f(a), order),
            Self::Add(a, b) => Self::Add(f(a), f(b)),
            Self::Sub(a, b) => Self::Sub(f(a), f(b)),
            Self::Mul(a, b) => Self::Mul(f(a), f(b)),
            Self::Div(a, b) => Self::Div(f(a), f(b)),
            Self::Least(a, b) => Self::Least(f(a), f(b)),
            Self::Greatest(a, b) => Self::Greatest(f(a), f(b)),
            Self::Call(g, a, b) => Self::Call(g, f(a), f(b)),
            Self::Fma(a, b, c) => Self::Fma(f(a), f(b), f(c)),
            Self::Fnma(a, b, c) => Self::Fnma(f(a), f(b), f(c)),
            Self::Fms(a, b, c) => Self::Fms(f(a), f(b), f(c)),
            Self::Positive(a, b, c) => Self::Positive(f(a), f(b), f(c)),
            Self::NotNegative(a, b, c) => Self::NotNegative(f(a), f(b), f(c)),
            Self::Pack(v) => Self::Pack(v.map(f)),
        }
    }

    /// Whether the value is in memory already: a constant or an input.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        matches!(
            self,
            Self::Const(_) | Self::Table(_) | Self::Input(_) | Self::Row(_)
        )
    }
}

/// Up to four operands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    list: [Value; WIDTH],
    len: u8,
}

impl Operands {
    fn set(&mut self, values: &[Value]) {
        self.list[..values.len()].copy_from_slice(values);
        self.len = values.len() as u8;
    }
}

impl std::ops::Deref for Operands {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.list[..self.len as usize]
    }
}

/// Straight-line code; operands come before their use.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The instructions.
    pub(crate) instrs: Vec<Instr>,
    /// Rows of four constants.
    pub(crate) tables: Vec<[f64; WIDTH]>,
    /// The tables of [`Instr::Lookup`].
    pub(crate) lookup_tables: Vec<Arc<Table>>,
    /// The number of inputs.
    pub(crate) inputs: usize,
    /// The outputs in order; a wide value takes four places.
    pub(crate) outputs: Vec<Value>,
    /// Whether each value is wide.
    pub(crate) wide: Vec<bool>,
}

impl Code {
    /// The instructions.
    pub fn instrs(&self) -> &[Instr] {
        &self.instrs
    }

    /// Rows of four constants.
    pub fn tables(&self) -> &[[f64; WIDTH]] {
        &self.tables
    }

    /// The tables that [`Instr::Lookup`] reads.
    pub fn lookup_tables(&self) -> &[Arc<Table>] {
        &self.lookup_tables
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The outputs in order; a wide value takes four places of the result.
    pub fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    /// Whether a value is wide.
    pub fn is_wide(&self, v: Value) -> bool {
        self.wide[v as usize]
    }

    /// Whether any value is wide: then the code is for a single lane.
    pub fn has_wide(&self) -> bool {
        self.wide.contains(&true)
    }

    /// The number of numbers in the result, per lane.
    pub fn output_len(&self) -> usize {
        let width = |v: &Value| if self.is_wide(*v) { WIDTH } else { 1 };
        self.outputs.iter().map(width).sum()
    }

    /// The number of instructions other than constants and inputs.
    pub fn operations(&self) -> usize {
        self.instrs.iter().filter(|i| !i.is_leaf()).count()
    }

    /// The number of uses of each value, outputs included.
    pub(crate) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.instrs.len()];
        for i in &self.instrs {
            for &v in i.operands().iter() {
                uses[v as usize] += 1;
            }
        }
        for &v in &self.outputs {
            uses[v as usize] += 1;
        }
        uses
    }

    /// Computes the outputs at N states at once: variable i of lane l is `inputs[i][l]`.
    ///
    /// # Panics
    /// If the code has wide values and N is not 1, or if there are too few inputs.
    pub fn run<const N: usize>(
        &self,
        inputs: &[[f64; N]],
        scratch: &mut Vec<[f64; N]>,
    ) -> Vec<[f64; N]> {
        assert!(inputs.len() >= self.inputs, "too few inputs");
        if self.has_wide() {
            assert_eq!(N, 1, "wide values are for a single lane");
            let narrow: Vec<f64> = inputs.iter().map(|x| x[0]).collect();
            return self.run_wide(&narrow).into_iter().map(|x| [x; N]).collect();
        }
        scratch.clear();
        scratch.reserve(self.instrs.len());
        for i in &self.instrs {
            let value = {
                let v = |v: Value| &scratch[v as usize];
                match *i {
                    Instr::Input(k) => inputs[k as usize],
                    Instr::Pack(_)
                    | Instr::Lane(..)
                    | Instr::Permute(..)
                    | Instr::Row(_)
                    | Instr::Table(_) => [f64::NAN; N],
                    Instr::Call(f, a, b) => f.apply(v(a), v(b)),
                    Instr::Lookup(t, field, a) => {
                        v(a).map(|s| looked_up(&self.lookup_tables[t as usize], field, s))
                    }
                    _ => compute(i, |a| *v(a)),
                }
            };
            scratch.push(value);
        }
        self.outputs.iter().map(|&v| scratch[v as usize]).collect()
    }

    fn run_wide(&self, inputs: &[f64]) -> Vec<f64> {
        let mut values: Vec<[f64; WIDTH]> = Vec::with_capacity(self.instrs.len());
        for i in &self.instrs {
            let v = |v: Value| values[v as usize];
            let value = match *i {
                Instr::Input(k) => [inputs[k as usize]; WIDTH],
                Instr::Row(k) => std::array::from_fn(|l| inputs[k as usize + l]),
                Instr::Table(k) => self.tables[k as usize],
                Instr::Pack(list) => list.map(|a| v(a)[0]),
                Instr::Lane(a, l) => [v(a)[l as usize]; WIDTH],
                Instr::Permute(a, order) => order.map(|l| v(a)[l as usize]),
                Instr::Call(f, a, b) => [f.apply(&[v(a)[0]], &[v(b)[0]])[0]; WIDTH],
                Instr::Lookup(t, field, a) => {
                    [looked_up(&self.lookup_tables[t as usize], field, v(a)[0]); WIDTH]
                }
                _ => compute(i, v),
            };
            values.push(value);
        }
        let mut result = Vec::with_capacity(self.output_len());
        for &o in &self.outputs {
            let all = &values[o as usize];
            result.extend(if self.is_wide(o) { &all[..] } else { &all[..1] });
        }
        result
    }
}

/// Arithmetic, lane by lane.
#[inline(always)]
fn compute<const N: usize>(i: &Instr, v: impl Fn(Value) -> [f64; N]) -> [f64; N] {
    let one = |a: Value, f: fn(f64) -> f64| v(a).map(f);
    let two = |a: Value, b: Value, f: fn(f64, f64) -> f64| {
        let (a, b) = (v(a), v(b));
        std::array::from_fn(|l| f(a[l], b[l]))
    };
    let three = |a: Value, b: Value, c: Value, f: fn(f64, f64, f64) -> f64| {
        let (a, b, c) = (v(a), v(b), v(c));
        std::array::from_fn(|l| f(a[l], b[l], c[l]))
    };
    match *i {
        Instr::Const(c) => [c; N],
        Instr::Add(a, b) => two(a, b, |a, b| a + b),
        Instr::Sub(a, b) => two(a, b, |a, b| a - b),
        Instr::Mul(a, b) => two(a, b, |a, b| a * b),
        Instr::Div(a, b) => two(a, b, |a, b| a / b),
        Instr::Least(a, b) => two(a, b, |a, b| if a < b { a } else { b }),
        Instr::Greatest(a, b) => two(a, b, |a, b| if a > b { a } else { b }),
        Instr::Neg(a) => one(a, |a| -a),
        Instr::Abs(a) => one(a, f64::abs),
        Instr::Sqrt(a) => one(a, f64::sqrt),
        Instr::Fma(a, b, c) => three(a, b, c, f64::mul_add),
        Instr::Fnma(a, b, c) => three(a, b, c, |a, b, c| (-a).mul_add(b, c)),
        Instr::Fms(a, b, c) => three(a, b, c, |a, b, c| a.mul_add(b, -c)),
        Instr::Positive(a, b, c) => three(a, b, c, |a, b, c| if a > 0.0 { b } else { c }),
        Instr::NotNegative(a, b, c) => three(a, b, c, |a, b, c| if a >= 0.0 { b } else { c }),
        // Handled by the caller.
        Instr::Input(_)
        | Instr::Row(_)
        | Instr::Table(_)
        | Instr::Call(..)
        | Instr::Lookup(..)
        | Instr::Pack(_)
        | Instr::Lane(..)
        | Instr::Permute(..) => [f64::NAN; N],
    }
}
