//! From expressions to a tape.

mod sums;
mod unsupported;

pub use unsupported::Unsupported;

use std::sync::Arc;

use galilei_expr::{Comparison, Expr, ExprId, Function, Rational, View};

use crate::hash::Table;
use crate::lookup::{HIGH, LOW, Lookup};
use crate::math::scalar::{pow, powi};
use crate::regular::{proportion, regular, root_of_square};
use crate::saturation::{Plain, saturated};
use crate::tape::{Kink, Op, Reg, Tape};
use sums::Sums;
/// Builds a tape; equal operations get one register.
#[derive(Clone, Debug)]
pub struct Builder {
    ops: Vec<Op>,
    known: Table<Key, Reg>,
    registers: Table<ExprId, Reg>,
    plain: Plain,
    regular: Plain,
    inputs: usize,
    kinks: Vec<Kink>,
    lookups: Vec<Lookup>,
    parameters: Vec<Reg>,
    /// The sums that others can be made of, if they are: see [`Self::group_sums`].
    sums: Option<Sums>,
    /// Registers that products with numbers are not folded through: see [`Self::keep`].
    kept: Vec<Reg>,
}
/// An operation that can be compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key(u8, u64, u64, u64);

fn key(op: &Op) -> Option<Key> {
    let r = u64::from;
    Some(match *op {
        Op::Const(c) => Key(0, c.to_bits(), 0, 0),
        Op::Input(i) => Key(1, r(i), 0, 0),
        Op::Add(a, b) => Key(2, r(a.min(b)), r(a.max(b)), 0),
        Op::Sub(a, b) => Key(3, r(a), r(b), 0),
        Op::Scale(a, c) => Key(4, r(a), c.to_bits(), 0),
        Op::Shift(a, c) => Key(5, r(a), c.to_bits(), 0),
        Op::Mul(a, b) => Key(6, r(a.min(b)), r(a.max(b)), 0),
        Op::Square(a) => Key(7, r(a), 0, 0),
        Op::Div(a, b) => Key(8, r(a), r(b), 0),
        Op::Recip(a, c) => Key(9, r(a), c.to_bits(), 0),
        Op::Sqrt(a) => Key(10, r(a), 0, 0),
        Op::Power(a, e) => Key(11, r(a), e.to_bits(), 0),
        Op::OddPower(a, n, d) => Key(12, r(a), n as u64, d as u64),
        Op::Exp(a) => Key(13, r(a), 0, 0),
        Op::Log(a) => Key(14, r(a), 0, 0),
        Op::Sin(a) => Key(15, r(a), 0, 0),
        Op::Sinh(a) => Key(17, r(a), 0, 0),
        Op::Piece(l, field) => Key(18, r(l), u64::from(field), 0),
        // Operations that belong to a partner or have one.
        _ => return None,
    })
}

impl Builder {
    /// A builder for a tape with the given inputs.
    pub fn new(inputs: &[Expr<'_>]) -> Self {
        let mut b = Self {
            ops: Vec::new(),
            known: Table::default(),
            registers: Table::default(),
            plain: Plain::default(),
            regular: Plain::default(),
            inputs: inputs.len(),
            kinks: Vec::new(),
            lookups: Vec::new(),
            parameters: Vec::new(),
            sums: None,
            kept: vec![],
        };
        for (k, e) in inputs.iter().enumerate() {
            let r = b.push(Op::Input(k as u32));
            b.registers.insert(e.id(), r);
        }
        b
    }

    /// Makes sums of multiples of sums that are known, from now on. Expressions distribute numbers over sums and join sums
    /// of sums: of the velocity v + l·ω of a point, where v and ω are sums, this finds v and ω again, and a mechanism remains
    /// the chain of frames as which it was written.
    pub fn group_sums(&mut self) {
        self.sums = Some(Sums::default());
    }

    /// The finished tape.
    pub fn finish(self, outputs: Vec<Reg>) -> Tape {
        Tape {
            ops: self.ops,
            inputs: self.inputs,
            outputs,
            kinks: self.kinks,
            lookups: self.lookups,
            parameters: self.parameters,
        }
    }

    /// Makes a symbol an input behind all others that does not change along a motion.
    pub fn fixed(&mut self, symbol: Expr<'_>) {
        let r = self.append(Op::Fixed(self.inputs as u32));
        self.inputs += 1;
        self.registers.insert(symbol.id(), r);
    }

    /// Makes a symbol a parameter with this value. It is a constant of the tape with respect to which the tape can be
    /// differentiated, so it is not folded into other constants.
    pub fn parameter(&mut self, symbol: Expr<'_>, value: f64) {
        let r = self.append(Op::Parameter(value, self.parameters.len() as u32));
        self.parameters.push(r);
        self.registers.insert(symbol.id(), r);
    }

    fn constant(&self, r: Reg) -> Option<f64> {
        match self.ops[r as usize] {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    fn push(&mut self, op: Op) -> Reg {
        if let Some(key) = key(&op) {
            if let Some(&r) = self.known.get(&key) {
                return r;
            }
            let r = self.append(op);
            self.known.insert(key, r);
            return r;
        }
        self.append(op)
    }

    fn append(&mut self, op: Op) -> Reg {
        self.ops.push(op);
        (self.ops.len() - 1) as Reg
    }

    /// A number.
    pub fn number(&mut self, c: f64) -> Reg {
        self.push(Op::Const(c))
    }

    /// Whether a register holds a number that never changes.
    pub fn is_number(&self, r: Reg) -> bool {
        self.constant(r).is_some()
    }

    /// a + b
    pub fn add(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.number(x + y),
            (Some(x), None) => self.shift(b, x),
            (None, Some(y)) => self.shift(a, y),
            _ => self.push(Op::Add(a, b)),
        }
    }

    fn shift(&mut self, a: Reg, c: f64) -> Reg {
        if c == 0.0 {
            a
        } else {
            self.push(Op::Shift(a, c))
        }
    }

    /// a − b
    pub fn sub(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.number(x - y),
            (None, Some(y)) => self.shift(a, -y),
            _ => self.push(Op::Sub(a, b)),
        }
    }

    /// a·number
    pub fn scale(&mut self, a: Reg, c: f64) -> Reg {
        if c == 1.0 {
            return a;
        }
        match (self.constant(a), self.ops[a as usize]) {
            (Some(x), _) => self.number(x * c),
            (None, Op::Scale(inner, own)) if !self.kept.contains(&a) => {
                self.push(Op::Scale(inner, own * c))
            }
            _ => self.push(Op::Scale(a, c)),
        }
    }

    /// Makes a register an unknown of which others are functions: they are computed from it, not from that of which it is a
    /// multiple.
    pub fn keep(&mut self, r: Reg) {
        self.kept.push(r);
    }

    /// a·b
    pub fn mul(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.number(x * y),
            (Some(x), None) => self.scale(b, x),
            (None, Some(y)) => self.scale(a, y),
            _ if a == b => self.push(Op::Square(a)),
            _ => self.push(Op::Mul(a, b)),
        }
    }

    fn div(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.number(x / y),
            (None, Some(y)) => self.scale(a, 1.0 / y),
            (Some(x), None) => self.push(Op::Recip(b, x)),
            _ => self.push(Op::Div(a, b)),
        }
    }

    fn integer_power(&mut self, a: Reg, n: u64) -> Reg {
        let mut result: Option<Reg> = None;
        let mut base = a;
        let mut n = n;
        loop {
            if n & 1 == 1 {
                result = Some(match result {
                    None => base,
                    Some(r) => self.mul(r, base),
                });
            }
            n >>= 1;
            if n == 0 {
                break;
            }
            base = self.mul(base, base);
        }
        result.unwrap_or(a)
    }

    /// a^q for q > 0.
    fn rational_power(&mut self, a: Reg, q: &Rational) -> Reg {
        if q.is_one() {
            return a;
        }
        if let Some(n) = q.to_i64() {
            return self.integer_power(a, n as u64);
        }
        if let Some((n, d)) = q.small() {
            if let Op::Choose(p, r, kink) = self.ops[a as usize]
                && (self.constant(p).is_some() || self.constant(r).is_some())
            {
                // Each branch is raised to the power by itself: a constant branch remains a number, which has a
                // series.
                let size = self.is_nonnegative_maximum(p, r, kink);
                let branches = [p, r].map(|branch| match self.constant(branch) {
                    Some(c) => self.number(pow(c, q.to_f64())),
                    None if size => self.power_of_size(branch, q),
                    None => self.rational_power(branch, q),
                });
                return self.append(Op::Choose(branches[0], branches[1], kink));
            }
            if let Op::Abs(c, _) = self.ops[a as usize] {
                return self.power_of_size(c, q);
            }
            if d == 2 && n <= 64 {
                let root = self.square_root(a);
                // a^(n/2) = a^((n−1)/2)·√a
                if n == 1 {
                    return root;
                }
                let whole = self.integer_power(a, (n as u64 - 1) / 2);
                return self.mul(whole, root);
            }
            if d % 2 == 1 && n < 1 << 20 && d < 1 << 20 {
                return self.push(Op::OddPower(a, n as i32, d as i32));
            }
        }
        self.push(Op::Power(a, q.to_f64()))
    }

    /// |c|^q = (c²)^(q/2). It has values on both sides of c = 0, where steps that end there may have a stage; the
    /// continuation of one branch of |c| is negative on the other side.
    fn power_of_size(&mut self, c: Reg, q: &Rational) -> Reg {
        let square = self.mul(c, c);
        self.push(Op::Power(square, 0.5 * q.to_f64()))
    }

    /// Whether a choice is the maximum of two values, one of them a number that is not negative.
    fn is_nonnegative_maximum(&mut self, a: Reg, b: Reg, kink: u32) -> bool {
        let difference = self.sub(a, b);
        let mut numbers = [a, b].into_iter().filter_map(|r| self.constant(r));
        self.kinks[kink as usize].register == difference && numbers.any(|c| c >= 0.0)
    }

    /// √a. The root of a square is an absolute value, which has a kink where the square vanishes.
    fn square_root(&mut self, a: Reg) -> Reg {
        match self.ops[a as usize] {
            Op::Square(c) => self.absolute(c),
            Op::Scale(square, factor) if factor > 0.0 => match self.ops[square as usize] {
                Op::Square(c) => {
                    let size = self.absolute(c);
                    self.scale(size, factor.sqrt())
                }
                _ => self.push(Op::Sqrt(a)),
            },
            _ => self.push(Op::Sqrt(a)),
        }
    }

    /// |a|
    fn absolute(&mut self, a: Reg) -> Reg {
        if self.is_nonnegative(a) {
            return a;
        }
        let k = self.kink(a, true);
        self.append(Op::Abs(a, k))
    }

    /// Whether the form of an operation implies that it is not negative.
    fn is_nonnegative(&self, a: Reg) -> bool {
        matches!(
            self.ops[a as usize],
            Op::Square(_) | Op::Sqrt(_) | Op::Exp(_) | Op::Cosh(_) | Op::Abs(..)
        )
    }

    /// Factors in which x·(x²)^(q) with a half-integer q, or x·|x|^(2q), is sign(x)·x^(1 + 2q): the quotient x/|x| then
    /// has a value on either side of x = 0, and at x = 0 itself.
    fn without_roots_of_squares(
        &mut self,
        factors: &[(Expr<'_>, Rational)],
    ) -> Vec<(Reg, Rational)> {
        let squared: Vec<Expr<'_>> = factors.iter().filter_map(root_of_square).collect();
        let mut list: Vec<(Reg, Rational)> = vec![];
        for (base, q) in factors {
            // 2x − 5 beside √((x − 5/2)²)
            let multiple = squared.iter().find_map(|c| {
                let number = proportion(*base, *c).filter(|_| q.is_integer())?;
                Some((c, number))
            });
            let Some((c, number)) = multiple else {
                list.push((self.registers[&base.id()], q.clone()));
                continue;
            };
            list.push((self.registers[&c.id()], q.clone()));
            if !number.is_one() {
                list.push((self.number(number.to_f64()), q.clone()));
            }
        }
        let mut at = 0;
        while at < list.len() {
            let (register, q) = list[at].clone();
            at += 1;
            let (c, n) = match (self.ops[register as usize], q.small()) {
                (Op::Square(c), Some((n, 2))) => (c, n),
                (Op::Abs(c, _), Some((n, 1))) if n % 2 != 0 => (c, n),
                _ => continue,
            };
            let Some(other) = list
                .iter()
                .position(|(r, e)| *r == c && e.is_integer() && e.is_negative() != q.is_negative())
            else {
                continue;
            };
            let sum = &list[other].1 + &Rational::from(n);
            let sign = self.function(Function::Sign, c, None);
            list[at - 1] = (sign, Rational::from(1));
            list[other].1 = sum;
        }
        list.retain(|(_, q)| !q.is_zero());
        list
    }

    fn kink(&mut self, register: Reg, closed: bool) -> u32 {
        self.kink_of(Kink {
            register,
            closed,
            cut: false,
        })
    }

    fn kink_of(&mut self, kink: Kink) -> u32 {
        if let Some(k) = self.kinks.iter().position(|k| *k == kink) {
            return k as u32;
        }
        self.kinks.push(kink);
        (self.kinks.len() - 1) as u32
    }

    fn pair(&mut self, first: Op, second: Op) -> Reg {
        let found = key(&first).and_then(|k| self.known.get(&k).copied());
        if let Some(r) = found {
            return r;
        }
        let r = self.push(first);
        self.append(second);
        r
    }

    fn function(&mut self, f: Function, a: Reg, b: Option<Reg>) -> Reg {
        match f {
            Function::Sin => self.pair(Op::Sin(a), Op::Cos(a)),
            Function::Cos => 1 + self.pair(Op::Sin(a), Op::Cos(a)),
            Function::Sinh => self.pair(Op::Sinh(a), Op::Cosh(a)),
            Function::Cosh => 1 + self.pair(Op::Sinh(a), Op::Cosh(a)),
            Function::Exp => self.push(Op::Exp(a)),
            Function::Log => self.push(Op::Log(a)),
            Function::Tan => {
                // The factor refers to the result, and the result to the factor.
                let r = self.append(Op::Const(0.0));
                let square = self.append(Op::Square(r));
                let factor = self.append(Op::Shift(square, 1.0));
                self.ops[r as usize] = Op::Tan(a, factor);
                r
            }
            Function::Tanh => {
                let r = self.append(Op::Const(0.0));
                let square = self.append(Op::Square(r));
                let minus = self.append(Op::Scale(square, -1.0));
                let factor = self.append(Op::Shift(minus, 1.0));
                self.ops[r as usize] = Op::Tanh(a, factor);
                r
            }
            Function::Asin | Function::Acos => {
                let square = self.push(Op::Square(a));
                let minus = self.push(Op::Scale(square, -1.0));
                let inside = self.push(Op::Shift(minus, 1.0));
                let root = self.push(Op::Sqrt(inside));
                if f == Function::Asin {
                    let factor = self.push(Op::Recip(root, 1.0));
                    self.append(Op::Asin(a, factor))
                } else {
                    let factor = self.push(Op::Recip(root, -1.0));
                    self.append(Op::Acos(a, factor))
                }
            }
            Function::Atan => {
                let square = self.push(Op::Square(a));
                let inside = self.push(Op::Shift(square, 1.0));
                let factor = self.push(Op::Recip(inside, 1.0));
                self.append(Op::Atan(a, factor))
            }
            Function::Atan2 => {
                let x = b.unwrap_or(a);
                let (p, q) = (self.mul(a, a), self.mul(x, x));
                let r = self.add(p, q);
                let k = self.kink_of(Kink {
                    register: a,
                    closed: true,
                    cut: true,
                });
                self.append(Op::Atan2(a, x, r, k))
            }
            Function::Abs => self.absolute(a),
            Function::Sign => {
                let k = self.kink(a, true);
                self.append(Op::Sign(a, k))
            }
            Function::Min | Function::Max => {
                let b = b.unwrap_or(a);
                let d = self.sub(a, b);
                let k = self.kink(d, true);
                if f == Function::Max {
                    self.append(Op::Choose(a, b, k))
                } else {
                    self.append(Op::Choose(b, a, k))
                }
            }
        }
    }

    /// The derivative of an order of a table at a register: the polynomial of its current piece.
    fn tabulated(
        &mut self,
        name: &str,
        table: &Arc<galilei_expr::Table>,
        order: u32,
        s: Reg,
    ) -> Reg {
        if let Some(c) = self.constant(s) {
            return self.number(table.at(c, order));
        }
        let known = |l: &Lookup| l.argument == s && Arc::ptr_eq(&l.table, table);
        let lookup = match self.lookups.iter().position(known) {
            Some(lookup) => lookup as u32,
            None => {
                let lookup = self.lookups.len() as u32;
                let [low, high] = [LOW, HIGH].map(|f| self.push(Op::Piece(lookup, f)));
                let (above, below) = (self.sub(s, low), self.sub(high, s));
                let kinks = [above, below].map(|r| self.kink(r, true));
                self.lookups.push(Lookup {
                    table: Arc::clone(table),
                    name: name.to_owned(),
                    argument: s,
                    kinks,
                });
                lookup
            }
        };
        let degree = table.interpolation().degree();
        let origin = self.push(Op::Piece(lookup, 0));
        let d = self.sub(s, origin);
        let mut sum: Option<Reg> = None;
        for j in (order..=degree).rev() {
            let factor: u32 = (0..order).map(|i| j - i).product();
            let c = self.push(Op::Piece(lookup, 1 + j as u8));
            let c = self.scale(c, f64::from(factor));
            sum = Some(match sum {
                None => c,
                Some(s) => {
                    let product = self.mul(s, d);
                    self.add(product, c)
                }
            });
        }
        sum.unwrap_or_else(|| self.number(0.0))
    }

    /// Binds a symbol to a register.
    pub fn define(&mut self, symbol: Expr<'_>, r: Reg) {
        self.registers.insert(symbol.id(), r);
    }

    /// The register of an expression.
    pub fn expr(&mut self, e: Expr<'_>) -> Result<Reg, Unsupported> {
        if let Some(&r) = self.registers.get(&e.id()) {
            return Ok(r);
        }
        // Children first, without recursion.
        let whole = saturated(regular(e, &mut self.regular), &mut self.plain);
        let mut stack = vec![(whole, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.registers.contains_key(&e.id()) {
                continue;
            }
            let operands = match e.view() {
                _ if ready => vec![],
                // An integral without closed form is refused, whatever its integrand is.
                View::Integral { .. } => vec![],
                view => view.operands(),
            };
            if !operands.is_empty() {
                stack.push((e, true));
                stack.extend(operands.into_iter().map(|c| (c, false)));
                continue;
            }
            let r = self.node(&e.view())?;
            self.registers.insert(e.id(), r);
        }
        Ok(self.registers[&whole.id()])
    }

    fn node(&mut self, view: &View<'_>) -> Result<Reg, Unsupported> {
        let get = |b: &Self, e: &Expr<'_>| b.registers[&e.id()];
        Ok(match view {
            View::Number(q) => self.number(q.to_f64()),
            View::Pi => self.number(std::f64::consts::PI),
            View::Undefined => return Err(Unsupported::Undefined),
            View::Symbol(name) => return Err(Unsupported::Symbol((*name).to_owned())),
            View::Undetermined {
                function,
                orders,
                arguments,
            } => match (function.table(), &orders[..], &arguments[..]) {
                (Some(table), [order], [argument]) => {
                    let s = get(self, argument);
                    self.tabulated(function.name(), &table, *order, s)
                }
                _ => return Err(Unsupported::Undetermined(function.name().to_owned())),
            },
            View::Integral { .. } => return Err(Unsupported::Integral),
            View::Sum(terms) => self.sum(terms),
            View::Product(factors) => {
                let mut above: Option<Reg> = None;
                let mut below: Option<Reg> = None;
                for (b, q) in self.without_roots_of_squares(factors) {
                    if let Some(c) = self.constant(b) {
                        // A constant power: c^q.
                        let value = self.number(
                            if q.is_integer() && q.to_i64().is_some_and(|n| n.abs() < 1 << 20) {
                                powi(c, q.to_i64().unwrap_or(0) as i32)
                            } else {
                                pow(c, q.to_f64())
                            },
                        );
                        above = Some(above.map_or(value, |a| self.mul(a, value)));
                        continue;
                    }
                    let p = self.rational_power(b, &q.abs());
                    let side = if q.is_negative() {
                        &mut below
                    } else {
                        &mut above
                    };
                    let product = match *side {
                        None => p,
                        Some(s) => self.mul(s, p),
                    };
                    if q.is_negative() {
                        below = Some(product);
                    } else {
                        above = Some(product);
                    }
                }
                match (above, below) {
                    (Some(a), None) => a,
                    (Some(a), Some(b)) => self.div(a, b),
                    (None, Some(b)) => self.push(Op::Recip(b, 1.0)),
                    (None, None) => self.number(1.0),
                }
            }
            View::Call(f, arguments) => {
                let a = get(self, &arguments[0]);
                let b = arguments.get(1).map(|e| get(self, e));
                self.function(*f, a, b)
            }
            View::If {
                comparison,
                sides,
                branches,
            } => {
                let (x, y) = (get(self, &sides[0]), get(self, &sides[1]));
                let (p, q) = (get(self, &branches[0]), get(self, &branches[1]));
                // x < y: y − x is positive.
                let d = self.sub(y, x);
                let k = self.kink(d, *comparison == Comparison::LessEqual);
                self.append(Op::Choose(p, q, k))
            }
        })
    }
}
