//! A small reader of formulas for tests: the expressions of the model language, undetermined
//! functions `f(x)` with derivatives `f[1,2](x, y)`, and `diff(e, x)`.
#![allow(dead_code, missing_docs)]

use galilei_expr::{Expr, Function, Pool, Query, Rational};

pub(crate) struct Reader<'p, 's> {
    pool: &'p Pool,
    rest: &'s str,
    /// Every part as it was written, before anything cancelled.
    pub(crate) parts: Vec<Expr<'p>>,
    /// The expressions of which derivatives were taken.
    pub(crate) differentiated: Vec<Expr<'p>>,
}

/// One expression.
pub(crate) fn read<'p>(pool: &'p Pool, text: &str) -> Expr<'p> {
    let mut reader = Reader {
        pool,
        rest: text,
        parts: vec![],
        differentiated: vec![],
    };
    let e = reader.sum();
    reader.skip();
    assert!(
        reader.rest.is_empty(),
        "left over: {:?} in {text:?}",
        reader.rest
    );
    e
}

/// A claim `lhs = rhs`, to be judged where all its written parts are defined.
pub(crate) fn read_claim<'p>(pool: &'p Pool, text: &str) -> Query<'p> {
    let mut reader = Reader {
        pool,
        rest: text,
        parts: vec![],
        differentiated: vec![],
    };
    let left = reader.sum();
    assert!(reader.take("="), "no = in {text:?}");
    let right = reader.sum();
    reader.skip();
    assert!(
        reader.rest.is_empty(),
        "left over: {:?} in {text:?}",
        reader.rest
    );
    Query::equal(left, right)
        .defined(reader.parts)
        .with_derivatives_of(reader.differentiated)
}

impl<'p> Reader<'p, '_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn keep(&mut self, e: Expr<'p>) -> Expr<'p> {
        self.parts.push(e);
        e
    }

    fn sum(&mut self) -> Expr<'p> {
        let mut terms = vec![self.product()];
        loop {
            if self.take("+") {
                terms.push(self.product());
            } else if self.take("-") {
                terms.push(-self.product());
            } else {
                let sum = self.pool.sum(terms);
                return self.keep(sum);
            }
        }
    }

    fn product(&mut self) -> Expr<'p> {
        let mut factors = vec![self.unary()];
        loop {
            if self.take("*") {
                factors.push(self.unary());
            } else if self.take("/") {
                let below = self.unary().recip();
                factors.push(self.keep(below));
            } else {
                let product = self.pool.product(factors);
                return self.keep(product);
            }
        }
    }

    fn unary(&mut self) -> Expr<'p> {
        if self.take("-") {
            -self.unary()
        } else {
            self.power()
        }
    }

    fn power(&mut self) -> Expr<'p> {
        let base = self.atom();
        if self.take("^") {
            let text = self.rest;
            let exponent = self.unary();
            let text = &text[..text.len() - self.rest.len()];
            if mentions_name(text) {
                // x^y is exp(y·log x), also where y turns out to be a number.
                self.keep(base.log());
            }
            let power = base.pow(exponent);
            return self.keep(power);
        }
        base
    }

    fn arguments(&mut self) -> Vec<Expr<'p>> {
        let mut list = vec![];
        if self.take(")") {
            return list;
        }
        loop {
            list.push(self.sum());
            if !self.take(",") {
                assert!(self.take(")"), "no ) at {:?}", self.rest);
                return list;
            }
        }
    }

    fn atom(&mut self) -> Expr<'p> {
        self.skip();
        if self.take("(") {
            let e = self.sum();
            assert!(self.take(")"), "no ) at {:?}", self.rest);
            return e;
        }
        let c = self.rest.chars().next().expect("an expression");
        if c.is_ascii_digit() || c == '.' {
            let b = self.rest.as_bytes();
            let mut end = 0;
            while end < b.len() && (b[end].is_ascii_digit() || b[end] == b'.') {
                end += 1;
            }
            if end < b.len() && (b[end] == b'e' || b[end] == b'E') {
                let sign = usize::from(end + 1 < b.len() && matches!(b[end + 1], b'-' | b'+'));
                if b.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                    end += 1 + sign;
                    while end < b.len() && b[end].is_ascii_digit() {
                        end += 1;
                    }
                }
            }
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            return self.pool.number(text.parse::<Rational>().expect(text));
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        assert!(!name.is_empty(), "unexpected {:?}", self.rest);
        self.rest = rest;
        let mut orders: Option<Vec<usize>> = None;
        if let Some(rest) = self.rest.strip_prefix('[') {
            let close = rest.find(']').expect("]");
            orders = Some(
                rest[..close]
                    .split(',')
                    .map(|k| k.trim().parse().unwrap())
                    .collect(),
            );
            self.rest = &rest[close + 1..];
        }
        if !self.take("(") {
            if let Some(orders) = orders {
                let index: Vec<String> = orders.iter().map(usize::to_string).collect();
                return self.pool.symbol(&format!("{name}[{}]", index.join(",")));
            }
            return if name == "pi" {
                self.pool.pi()
            } else {
                self.pool.symbol(name)
            };
        }
        if name == "if" {
            return self.condition();
        }
        let list = self.arguments();
        let e = match (name, list.as_slice()) {
            ("sqrt", [x]) => x.sqrt(),
            ("diff", [e, x]) => {
                self.differentiated.push(*e);
                e.diff(*x)
            }
            _ => match Function::from_name(name) {
                Some(f @ (Function::Min | Function::Max)) => (list.iter().copied())
                    .reduce(|a, b| a.apply(f, Some(b)))
                    .expect("arguments"),
                Some(f) => {
                    assert_eq!(list.len(), f.arity(), "arguments of {name}");
                    list[0].apply(f, list.get(1).copied())
                }
                None => {
                    let mut count = vec![0; list.len()];
                    for k in orders.unwrap_or_default() {
                        count[k - 1] += 1;
                    }
                    self.pool.function(name).partial(&count, list)
                }
            },
        };
        self.keep(e)
    }

    fn condition(&mut self) -> Expr<'p> {
        let a = self.sum();
        let sign = ["<=", ">=", "<", ">"]
            .into_iter()
            .find(|s| self.take(s))
            .expect("a comparison");
        let b = self.sum();
        assert!(self.take(","));
        // A part of a branch must be defined where the branch is taken.
        let start = self.parts.len();
        let then = self.sum();
        let middle = self.parts.len();
        assert!(self.take(","));
        let otherwise = self.sum();
        assert!(self.take(")"));
        let choose = |then: Expr<'p>, otherwise: Expr<'p>| match sign {
            "<" => a.if_less(b, then, otherwise),
            "<=" => a.if_less_equal(b, then, otherwise),
            ">" => b.if_less(a, then, otherwise),
            _ => b.if_less_equal(a, then, otherwise),
        };
        let zero = self.pool.zero();
        for k in start..self.parts.len() {
            let part = self.parts[k];
            self.parts[k] = if k < middle {
                choose(part, zero)
            } else {
                choose(zero, part)
            };
        }
        let e = choose(then, otherwise);
        self.keep(e)
    }
}

/// Whether a text contains a name: digits and exponents such as 1e3 are none.
fn mentions_name(text: &str) -> bool {
    let mut previous = ' ';
    text.chars().any(|c| {
        let number = (c == 'e' || c == 'E') && (previous.is_ascii_digit() || previous == '.');
        previous = c;
        c.is_alphabetic() && !number
    })
}
