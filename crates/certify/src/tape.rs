//! Straight-line code of expressions with exact constants.
//!
//! The tapes of runs in doubles round their constants. This one keeps them as fractions, so that an arithmetic can
//! enclose them, and has the few operations that recurrences of Taylor series need: most functions are integrals, f(a)′ =
//! a′·w with a register w of the slope.

use std::collections::HashMap;

use galilei_expr::{Comparison, Expr, ExprId, Function, Rational, View};

/// A register: the index of an operation on its tape.
pub(crate) type Reg = u32;

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// A number of [`Tape::numbers`].
    Number(u32),
    Pi,
    /// An input: the time, then the state, then parameters, which do not change along a motion.
    Input(u32),
    /// Σ coefficient·register over a range of [`Tape::terms`].
    Sum(u32, u32),
    Mul(Reg, Reg),
    Square(Reg),
    Div(Reg, Reg),
    /// a^q, with an exponent of [`Tape::exponents`] that is no positive whole number.
    Power(Reg, u32),
    /// f(a) with f(a)′ = ±a′·w.
    Integral {
        function: Function,
        argument: Reg,
        slope: Reg,
        negative: bool,
    },
    /// The angle of the point (x, y): θ′ = y′·(x/r²) − x′·(y/r²).
    Angle {
        y: Reg,
        x: Reg,
        along_y: Reg,
        along_x: Reg,
    },
    /// One of two registers, by the sign of a switching function.
    Select {
        switch: u32,
        positive: Reg,
        negative: Reg,
        /// Whether both have the same value where the switching function vanishes.
        continuous: bool,
    },
}

/// A term of a sum: the number of its coefficient (`None` for 1), and its register.
pub(crate) type Term = (Option<u32>, Reg);

/// A list of operations, each written once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(crate) ops: Vec<Op>,
    pub(crate) numbers: Vec<Rational>,
    pub(crate) exponents: Vec<Rational>,
    pub(crate) terms: Vec<Term>,
    /// The registers of the switching functions.
    pub(crate) switches: Vec<Reg>,
    /// Whether a register does not change along a motion.
    pub(crate) constant: Vec<bool>,
}

/// The reason why an expression has no tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsupported {
    Symbol(String),
    Undetermined(String),
    Table(String),
    Legendre,
    Integral,
    Undefined,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Symbol(s) => write!(f, "`{s}` has no value"),
            Self::Undetermined(s) => write!(f, "the function `{s}` is undetermined"),
            Self::Table(s) => write!(f, "the table `{s}` is interpolated in doubles"),
            Self::Legendre => f.write_str("a Legendre transform has no closed form"),
            Self::Integral => f.write_str("an integral has no closed form"),
            Self::Undefined => f.write_str("an expression is defined nowhere"),
        }
    }
}

/// Builds a tape.
pub(crate) struct Builder {
    tape: Tape,
    registers: HashMap<ExprId, Reg>,
    numbers: HashMap<Rational, u32>,
    switches: HashMap<Reg, u32>,
    /// The number of inputs that change along a motion.
    moving: usize,
}

impl Builder {
    /// A builder for a tape with inputs, of which the first `moving` change along a motion.
    pub(crate) fn new(inputs: &[Expr<'_>], moving: usize) -> Self {
        let mut b = Self {
            tape: Tape::default(),
            registers: HashMap::new(),
            numbers: HashMap::new(),
            switches: HashMap::new(),
            moving,
        };
        for (k, e) in inputs.iter().enumerate() {
            let r = b.push(Op::Input(k as u32));
            b.registers.insert(e.id(), r);
        }
        b
    }

    pub(crate) fn finish(self) -> Tape {
        self.tape
    }

    fn push(&mut self, op: Op) -> Reg {
        let still = |r: Reg| self.tape.constant[r as usize];
        let constant = match op {
            Op::Number(_) | Op::Pi => true,
            Op::Input(k) => k as usize >= self.moving,
            Op::Sum(a, b) => self.tape.terms[a as usize..b as usize]
                .iter()
                .all(|t| still(t.1)),
            Op::Mul(a, b) | Op::Div(a, b) => still(a) && still(b),
            Op::Square(a) | Op::Power(a, _) | Op::Integral { argument: a, .. } => still(a),
            Op::Angle { y, x, .. } => still(y) && still(x),
            Op::Select {
                switch,
                positive,
                negative,
                ..
            } => {
                let g = self.tape.switches[switch as usize];
                still(g) && still(positive) && still(negative)
            }
        };
        self.tape.ops.push(op);
        self.tape.constant.push(constant);
        (self.tape.ops.len() - 1) as Reg
    }

    fn rational(&mut self, q: &Rational) -> u32 {
        if let Some(&k) = self.numbers.get(q) {
            return k;
        }
        let k = self.tape.numbers.len() as u32;
        self.tape.numbers.push(q.clone());
        self.numbers.insert(q.clone(), k);
        k
    }

    fn number(&mut self, q: &Rational) -> Reg {
        let k = self.rational(q);
        self.push(Op::Number(k))
    }

    fn sum(&mut self, terms: &[(Rational, Reg)]) -> Reg {
        let start = self.tape.terms.len() as u32;
        for (q, r) in terms {
            let coefficient = (!q.is_one()).then(|| self.rational(q));
            self.tape.terms.push((coefficient, *r));
        }
        self.push(Op::Sum(start, self.tape.terms.len() as u32))
    }

    fn mul(&mut self, a: Reg, b: Reg) -> Reg {
        match a == b {
            true => self.push(Op::Square(a)),
            false => self.push(Op::Mul(a, b)),
        }
    }

    /// a^n for n ≥ 1.
    fn whole_power(&mut self, a: Reg, mut n: u64) -> Reg {
        let (mut result, mut base) = (None, a);
        loop {
            if n & 1 == 1 {
                result = Some(match result {
                    None => base,
                    Some(r) => self.mul(r, base),
                });
            }
            n >>= 1;
            if n == 0 {
                return result.unwrap_or(a);
            }
            base = self.mul(base, base);
        }
    }

    fn power(&mut self, a: Reg, q: &Rational) -> Reg {
        if let Some(n) = q.to_i64().filter(|n| *n > 0) {
            return self.whole_power(a, n as u64);
        }
        self.tape.exponents.push(q.clone());
        let k = self.tape.exponents.len() as u32 - 1;
        self.push(Op::Power(a, k))
    }

    fn switch(&mut self, g: Reg) -> u32 {
        if let Some(&k) = self.switches.get(&g) {
            return k;
        }
        let k = self.tape.switches.len() as u32;
        self.tape.switches.push(g);
        self.switches.insert(g, k);
        k
    }

    fn select(&mut self, g: Reg, positive: Reg, negative: Reg, continuous: bool) -> Reg {
        let switch = self.switch(g);
        self.push(Op::Select {
            switch,
            positive,
            negative,
            continuous,
        })
    }

    /// The register of an expression.
    pub(crate) fn expr(&mut self, root: Expr<'_>) -> Result<Reg, Unsupported> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.registers.contains_key(&e.id()) {
                continue;
            }
            if !ready {
                stack.push((e, true));
                let open = e.view().operands();
                stack.extend(open.into_iter().map(|o| (o, false)));
                // Roots of squares are signs: their base is needed.
                if let View::Product(factors) = e.view() {
                    let bases = factors.iter().filter_map(root_of_square);
                    stack.extend(bases.map(|c| (c, false)));
                }
                continue;
            }
            let r = self.operation(e)?;
            self.registers.insert(e.id(), r);
        }
        Ok(self.registers[&root.id()])
    }

    fn operation(&mut self, e: Expr<'_>) -> Result<Reg, Unsupported> {
        let of = |b: &Self, e: Expr<'_>| b.registers[&e.id()];
        Ok(match e.view() {
            View::Number(q) => self.number(&q),
            View::Pi => self.push(Op::Pi),
            View::Undefined => return Err(Unsupported::Undefined),
            View::Symbol(s) => return Err(Unsupported::Symbol(s.to_owned())),
            View::Sum(terms) => {
                let list: Vec<(Rational, Reg)> =
                    terms.into_iter().map(|(q, t)| (q, of(self, t))).collect();
                self.sum(&list)
            }
            View::Product(factors) => self.product(&factors),
            View::Call(f, list) => {
                let a = of(self, list[0]);
                let b = list.get(1).map(|e| of(self, *e));
                self.call(f, a, b)
            }
            View::If {
                comparison,
                sides,
                branches,
            } => {
                // Where both sides are equal, the branch does not matter: such a start is crossed, or refused.
                let (Comparison::Less | Comparison::LessEqual) = comparison;
                let [a, b, p, n] =
                    [sides[0], sides[1], branches[0], branches[1]].map(|e| of(self, e));
                let g = self.sum(&[(Rational::from(1), b), (Rational::from(-1), a)]);
                self.select(g, p, n, false)
            }
            View::Undetermined { function, .. } => {
                return Err(match (function.legendre_of(), function.table()) {
                    (Some(_), _) => Unsupported::Legendre,
                    (None, Some(_)) => Unsupported::Table(function.name().to_owned()),
                    (None, None) => Unsupported::Undetermined(function.name().to_owned()),
                });
            }
            View::Integral { .. } => return Err(Unsupported::Integral),
        })
    }

    /// A product of powers. Roots of squares, (c²)^(n/2) with odd n, are sign(c)·cⁿ.
    fn product(&mut self, factors: &[(Expr<'_>, Rational)]) -> Reg {
        let mut list: Vec<(Reg, Rational)> = Vec::new();
        let mut signs: Vec<Reg> = Vec::new();
        for factor in factors {
            let (base, q) = match root_of_square(factor) {
                Some(c) => {
                    let c = self.registers[&c.id()];
                    signs.push(c);
                    (c, &factor.1 * &Rational::from(2))
                }
                None => (self.registers[&factor.0.id()], factor.1.clone()),
            };
            match list
                .iter_mut()
                .find(|f| f.0 == base && f.1.is_integer() && q.is_integer())
            {
                Some(held) => held.1 = &held.1 + &q,
                None => list.push((base, q)),
            }
        }
        let one = Rational::from(1);
        let mut parts: Vec<Reg> = Vec::new();
        for c in signs {
            let (positive, negative, continuous);
            let held = list.iter_mut().find(|f| f.0 == c && f.1.is_integer());
            match held.filter(|f| !f.1.is_negative() && !f.1.is_zero()) {
                // |c| and its odd powers are continuous.
                Some(held) => {
                    held.1 = &held.1 - &one;
                    positive = c;
                    negative = self.sum(&[(Rational::from(-1), c)]);
                    continuous = true;
                }
                None => {
                    positive = self.number(&one);
                    negative = self.number(&Rational::from(-1));
                    continuous = false;
                }
            }
            parts.push(self.select(c, positive, negative, continuous));
        }
        let mut divisor = None;
        for (base, q) in list.into_iter().filter(|f| !f.1.is_zero()) {
            if q == Rational::from(-1) && divisor.is_none() {
                divisor = Some(base);
                continue;
            }
            parts.push(self.power(base, &q));
        }
        let numerator = parts.into_iter().reduce(|a, b| self.mul(a, b));
        let numerator = match numerator {
            Some(r) => r,
            None => self.number(&one),
        };
        match divisor {
            Some(d) => self.push(Op::Div(numerator, d)),
            None => numerator,
        }
    }

    fn integral(&mut self, function: Function, argument: Reg, slope: Reg, negative: bool) -> Reg {
        self.push(Op::Integral {
            function,
            argument,
            slope,
            negative,
        })
    }

    fn call(&mut self, f: Function, a: Reg, b: Option<Reg>) -> Reg {
        let one = Rational::from(1);
        let minus = Rational::from(-1);
        let next = self.tape.ops.len() as Reg;
        let b = b.unwrap_or(a);
        match f {
            Function::Sin | Function::Cos | Function::Sinh | Function::Cosh => {
                let circular = matches!(f, Function::Sin | Function::Cos);
                let (first, second) = match circular {
                    true => (Function::Sin, Function::Cos),
                    false => (Function::Sinh, Function::Cosh),
                };
                let s = self.integral(first, a, next + 1, false);
                let c = self.integral(second, a, next, circular);
                if f == first { s } else { c }
            }
            Function::Tan | Function::Tanh => {
                // w = 1 ± f², behind f.
                let r = self.integral(f, a, next + 3, false);
                let square = self.push(Op::Square(r));
                let unit = self.number(&one);
                let factor = if f == Function::Tan {
                    one.clone()
                } else {
                    minus
                };
                self.sum(&[(one, unit), (factor, square)]);
                r
            }
            Function::Exp => self.integral(f, a, next, false),
            Function::Log => {
                let slope = self.power(a, &minus);
                self.integral(f, a, slope, false)
            }
            Function::Atan | Function::Asin | Function::Acos => {
                let square = self.push(Op::Square(a));
                let unit = self.number(&one);
                let (sign, power) = match f {
                    Function::Atan => (one.clone(), minus),
                    _ => (minus, Rational::new(-1, 2)),
                };
                let inner = self.sum(&[(one, unit), (sign, square)]);
                let slope = self.power(inner, &power);
                self.integral(f, a, slope, f == Function::Acos)
            }
            Function::Atan2 => {
                let (y, x) = (a, b);
                let (xx, yy) = (self.push(Op::Square(x)), self.push(Op::Square(y)));
                let size = self.sum(&[(one.clone(), xx), (one, yy)]);
                let along_y = self.push(Op::Div(x, size));
                let along_x = self.push(Op::Div(y, size));
                self.push(Op::Angle {
                    y,
                    x,
                    along_y,
                    along_x,
                })
            }
            Function::Abs => {
                let negative = self.sum(&[(minus, a)]);
                self.select(a, a, negative, true)
            }
            Function::Sign => {
                let (positive, negative) = (self.number(&one), self.number(&minus));
                self.select(a, positive, negative, false)
            }
            Function::Min | Function::Max => {
                let g = self.sum(&[(one, a), (minus, b)]);
                match f {
                    Function::Min => self.select(g, b, a, true),
                    _ => self.select(g, a, b, true),
                }
            }
        }
    }
}

/// c of a factor (c²)^(n/2) with odd n.
fn root_of_square<'p>((base, q): &(Expr<'p>, Rational)) -> Option<Expr<'p>> {
    let (View::Product(inner), Some((_, 2))) = (base.view(), q.small()) else {
        return None;
    };
    match &inner[..] {
        [(c, two)] if two.to_i64() == Some(2) => Some(*c),
        _ => None,
    }
}

impl Tape {
    /// Marks the registers from which some are computed, with themselves.
    pub(crate) fn reached(&self, from: &[Reg]) -> Vec<bool> {
        let mut seen = vec![false; self.ops.len()];
        let mut stack = from.to_vec();
        while let Some(r) = stack.pop() {
            if std::mem::replace(&mut seen[r as usize], true) {
                continue;
            }
            match self.ops[r as usize] {
                Op::Number(_) | Op::Pi | Op::Input(_) => {}
                Op::Sum(a, b) => {
                    stack.extend(self.terms[a as usize..b as usize].iter().map(|t| t.1));
                }
                Op::Mul(a, b) | Op::Div(a, b) => stack.extend([a, b]),
                Op::Square(a) | Op::Power(a, _) => stack.push(a),
                Op::Integral {
                    argument, slope, ..
                } => stack.extend([argument, slope]),
                Op::Angle {
                    y,
                    x,
                    along_y,
                    along_x,
                } => stack.extend([y, x, along_y, along_x]),
                Op::Select {
                    switch,
                    positive,
                    negative,
                    ..
                } => stack.extend([self.switches[switch as usize], positive, negative]),
            }
        }
        seen
    }
}
