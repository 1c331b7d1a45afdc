//! From expressions to a tape.

use galilei_expr::{Comparison, Expr, ExprId, Function, Rational, View};

use crate::hash::Table;
use crate::saturation::{Plain, saturated};
use crate::tape::{Kink, Op, Reg, Tape};

/// The reason why an expression cannot be evaluated numerically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// A symbol that is no input.
    Symbol(String),
    /// An undetermined function.
    Undetermined(String),
    /// An integral without closed form.
    Integral,
    /// An expression that is defined nowhere.
    Undefined,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Symbol(s) => write!(f, "`{s}` has no value"),
            Self::Undetermined(s) => write!(f, "the function `{s}` is undetermined"),
            Self::Integral => f.write_str("an integral has no closed form"),
            Self::Undefined => f.write_str("an expression is defined nowhere"),
        }
    }
}
impl std::error::Error for Unsupported {}

/// Builds a tape; equal operations get one register.
#[derive(Clone, Debug)]
pub struct Builder {
    ops: Vec<Op>,
    known: Table<Key, Reg>,
    registers: Table<ExprId, Reg>,
    plain: Plain,
    inputs: usize,
    kinks: Vec<Kink>,
    parameters: Vec<Reg>,
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
            inputs: inputs.len(),
            kinks: Vec::new(),
            parameters: Vec::new(),
        };
        for (k, e) in inputs.iter().enumerate() {
            let r = b.push(Op::Input(k as u32));
            b.registers.insert(e.id(), r);
        }
        b
    }

    /// The finished tape.
    pub fn finish(self, outputs: Vec<Reg>) -> Tape {
        Tape {
            ops: self.ops,
            inputs: self.inputs,
            outputs,
            kinks: self.kinks,
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
            (None, Op::Scale(a, own)) => self.push(Op::Scale(a, own * c)),
            _ => self.push(Op::Scale(a, c)),
        }
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
                let branches = [p, r].map(|branch| match self.constant(branch) {
                    Some(c) => self.number(c.powf(q.to_f64())),
                    None => self.rational_power(branch, q),
                });
                return self.append(Op::Choose(branches[0], branches[1], kink));
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

    /// Factors in which x·(x²)^(q) with a half-integer q is sign(x)·x^(1 + 2q): the quotient x/|x| then has a value
    /// on either side of x = 0, and at x = 0 itself.
    fn without_roots_of_squares(
        &mut self,
        factors: &[(Expr<'_>, Rational)],
    ) -> Vec<(Reg, Rational)> {
        let mut list: Vec<(Reg, Rational)> = factors
            .iter()
            .map(|(base, q)| (self.registers[&base.id()], q.clone()))
            .collect();
        let mut at = 0;
        while at < list.len() {
            let (register, q) = list[at].clone();
            at += 1;
            let Op::Square(c) = self.ops[register as usize] else {
                continue;
            };
            let Some((n, 2)) = q.small() else { continue };
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
        let whole = saturated(e, &mut self.plain);
        let mut stack = vec![(whole, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.registers.contains_key(&e.id()) {
                continue;
            }
            let view = e.view();
            if !ready {
                let children: Vec<Expr<'_>> = match &view {
                    View::Sum(terms) => terms.iter().map(|t| t.1).collect(),
                    View::Product(factors) => factors.iter().map(|f| f.0).collect(),
                    View::Call(_, arguments) => arguments.clone(),
                    View::If {
                        sides, branches, ..
                    } => sides.iter().chain(branches).copied().collect(),
                    _ => vec![],
                };
                if !children.is_empty() {
                    stack.push((e, true));
                    stack.extend(children.into_iter().map(|c| (c, false)));
                    continue;
                }
            }
            let r = self.node(&view)?;
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
            View::Undetermined { function, .. } => {
                return Err(Unsupported::Undetermined(function.name().to_owned()));
            }
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
                                c.powi(q.to_i64().unwrap_or(0) as i32)
                            } else {
                                c.powf(q.to_f64())
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

    fn sum(&mut self, terms: &[(Rational, Expr<'_>)]) -> Reg {
        let mut total: Option<Reg> = None;
        let mut constant = 0.0;
        for (c, e) in terms {
            let r = self.registers[&e.id()];
            let c = c.to_f64();
            if let Some(x) = self.constant(r) {
                constant += c * x;
                continue;
            }
            total = Some(match total {
                None => self.scale(r, c),
                Some(t) if c == 1.0 => self.add(t, r),
                Some(t) if c == -1.0 => self.sub(t, r),
                Some(t) => {
                    let s = self.scale(r, c);
                    self.add(t, s)
                }
            });
        }
        match total {
            None => self.number(constant),
            Some(t) => self.shift(t, constant),
        }
    }
}
