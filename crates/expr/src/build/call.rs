//! Calls of functions, conditions, and undetermined functions.

use super::{Builder, Sign};
use crate::function::Function;
use crate::node::{Comparison, Ix, MINUS_ONE, ONE, PI, TWO, Tag, UNDEFINED, Word, ZERO};
use crate::number::Rational;

impl Builder<'_> {
    /// f(arguments), folded where the value is exact, odd and even functions freed of signs.
    pub(crate) fn call(&mut self, f: Function, arguments: &[Ix]) -> Ix {
        if arguments.contains(&UNDEFINED) {
            return UNDEFINED;
        }
        match *arguments {
            [x] => self.unary(f, x),
            [a, b] => self.binary(f, a, b),
            _ => unreachable!("functions have one or two arguments"),
        }
    }

    fn unary(&mut self, f: Function, x: Ix) -> Ix {
        if let Some(folded) = self.fold(f, x) {
            return folded;
        }
        if (f.is_odd() || f.is_even()) && self.leads_negative(x) {
            let opposite = self.neg(x);
            let value = self.unary(f, opposite);
            return if f.is_odd() { self.neg(value) } else { value };
        }
        self.intern(Tag::Call(f), &[Word::new(0, x)])
    }

    /// The exact value of f(x), where it has one.
    fn fold(&mut self, f: Function, x: Ix) -> Option<Ix> {
        use Function as F;
        let node = self.node(x);
        let inner = |tag: F| match node.tag {
            Tag::Call(g) if g == tag => Some(self.pool.word(&node, 0).child),
            _ => None,
        };
        match f {
            F::Sin | F::Cos | F::Tan => {
                if x == ZERO {
                    return Some(if f == F::Cos { ONE } else { ZERO });
                }
                let q = self.multiple_of_pi(x)?;
                self.trig_of_pi(f, &q)
            }
            F::Asin | F::Atan | F::Sinh | F::Tanh if x == ZERO => Some(ZERO),
            F::Cosh | F::Exp if x == ZERO => Some(ONE),
            F::Asin if x == ONE => Some(self.pi_over(2)),
            F::Atan if x == ONE => Some(self.pi_over(4)),
            F::Acos => match x {
                ONE => Some(ZERO),
                ZERO => Some(self.pi_over(2)),
                MINUS_ONE => Some(PI),
                _ => None,
            },
            // log(e^x) = x: e^x is defined and positive for every x.
            F::Log if x == ONE => Some(ZERO),
            F::Log => {
                if node.is_number()
                    && !self.pool.rational(x).is_zero()
                    && self.is_negative_number(x)
                    || x == ZERO
                {
                    return Some(UNDEFINED);
                }
                inner(F::Exp)
            }
            F::Exp => self.fold_exp(x),
            F::Abs => match self.sign(x) {
                Sign::Positive | Sign::NonNegative => Some(x),
                Sign::Negative | Sign::NonPositive => Some(self.neg(x)),
                Sign::Unknown => {
                    let (c, rest) = self.split(x);
                    if c == ONE || c == MINUS_ONE {
                        return None;
                    }
                    let c = if self.is_negative_number(c) {
                        self.neg(c)
                    } else {
                        c
                    };
                    let rest = self.unary(F::Abs, rest);
                    Some(self.scale(c, rest))
                }
            },
            F::Sign if inner(F::Sign).is_some() => Some(x),
            F::Sign if inner(F::Abs).is_some() => {
                let argument = self.pool.word(&node, 0).child;
                let sign = self.unary(F::Sign, argument);
                Some(self.square(sign))
            }
            F::Sign => match self.sign(x) {
                Sign::Positive if self.is_total(x) => Some(ONE),
                Sign::Negative if self.is_total(x) => Some(MINUS_ONE),
                _ if x == ZERO => Some(ZERO),
                _ => {
                    let (c, rest) = self.split(x);
                    if c == ONE || c == MINUS_ONE {
                        return None;
                    }
                    let value = self.unary(F::Sign, rest);
                    Some(if self.is_negative_number(c) {
                        self.neg(value)
                    } else {
                        value
                    })
                }
            },
            _ => None,
        }
    }

    /// exp(q·log b) = b^q for b > 0. At b = 0 the power may be defined although the logarithm is not,
    /// so zeros of b must be a set of measure zero.
    fn fold_exp(&mut self, x: Ix) -> Option<Ix> {
        let node = self.node(x);
        let (q, log) = match node.tag {
            Tag::Call(Function::Log) => (ONE, x),
            Tag::Sum if node.len == 1 => {
                let w = self.pool.word(&node, 0);
                (w.attr, w.child)
            }
            _ => return None,
        };
        let log = self.node(log);
        if log.tag != Tag::Call(Function::Log) {
            return None;
        }
        let base = self.pool.word(&log, 0).child;
        let exponent = self.pool.rational(q);
        let sign = self.sign(base);
        let nonnegative = exponent.has_even_denominator() || sign.is_nonnegative();
        let thin = exponent.is_negative() || sign == Sign::Positive || self.is_analytic(base);
        (nonnegative && thin).then(|| self.pow(base, q))
    }

    fn pi_over(&mut self, n: i64) -> Ix {
        let q = self.number(&Rational::new(1, n));
        self.scale(q, PI)
    }

    fn binary(&mut self, f: Function, a: Ix, b: Ix) -> Ix {
        let (x, y) = (self.pool.as_rational(a), self.pool.as_rational(b));
        match f {
            Function::Min | Function::Max => {
                if a == b {
                    return a;
                }
                if let (Some(x), Some(y)) = (x, y) {
                    return if (x < y) == (f == Function::Min) {
                        a
                    } else {
                        b
                    };
                }
                // min and max are symmetric: order their arguments canonically.
                let (a, b) = match super::compare(self.pool, a, b) {
                    std::cmp::Ordering::Greater => (b, a),
                    _ => (a, b),
                };
                self.intern(Tag::Call(f), &[Word::new(0, a), Word::new(0, b)])
            }
            Function::Atan2 => {
                if let (Some(y), Some(x)) = (x, y) {
                    match (y.signum(), x.signum()) {
                        (0, 0) => return UNDEFINED,
                        (0, 1) => return ZERO,
                        (0, _) => return PI,
                        (s, 0) => {
                            let half = self.pi_over(2);
                            return if s > 0 { half } else { self.neg(half) };
                        }
                        _ => {}
                    }
                }
                self.intern(Tag::Call(f), &[Word::new(0, a), Word::new(0, b)])
            }
            _ => unreachable!("{f:?} has one argument"),
        }
    }

    /// if(a ? b, then, otherwise)
    pub(crate) fn conditional(
        &mut self,
        comparison: Comparison,
        a: Ix,
        b: Ix,
        then: Ix,
        otherwise: Ix,
    ) -> Ix {
        if a == UNDEFINED || b == UNDEFINED {
            return UNDEFINED;
        }
        // An undefined condition makes the whole expression undefined.
        let total = self.is_total(a) && self.is_total(b);
        if total && then == otherwise {
            return then;
        }
        match self.comparison(comparison, a, b).filter(|_| total) {
            Some(true) => then,
            Some(false) => otherwise,
            None => self.intern(
                Tag::If,
                &[
                    Word::new(u32::from(comparison == Comparison::LessEqual), a),
                    Word::new(0, b),
                    Word::new(0, then),
                    Word::new(0, otherwise),
                ],
            ),
        }
    }

    /// The derivative of order `orders` of an undetermined function, at `arguments`.
    pub(crate) fn undetermined(&mut self, name: Ix, orders: &[u32], arguments: &[Ix]) -> Ix {
        if let [order] = *orders
            && order > 0
            && (self.pool.table_of(name))
                .is_some_and(|table| order > table.interpolation().degree())
        {
            return ZERO;
        }
        let mut words = Vec::with_capacity(1 + arguments.len());
        words.push(Word::new(0, name));
        words.extend(orders.iter().zip(arguments).map(|(&k, &x)| Word::new(k, x)));
        self.intern(Tag::Undetermined, &words)
    }

    /// ∫₀¹ integrand d(variable)
    pub(crate) fn integral(&mut self, variable: Ix, integrand: Ix) -> Ix {
        if integrand == UNDEFINED || self.node(integrand).mask() & self.node(variable).mask() == 0 {
            return integrand;
        }
        // A number in front stays in front: integrals collect like other terms.
        let (c, rest) = self.split(integrand);
        let words = [Word::new(0, variable), Word::new(0, rest)];
        let integral = self.intern(Tag::Integral, &words);
        self.scale(c, integral)
    }

    /// a^b for any two expressions: a rational power, or exp(b·log a).
    pub(crate) fn power(&mut self, a: Ix, b: Ix) -> Ix {
        if b == UNDEFINED {
            return UNDEFINED;
        }
        if self.node(b).is_number() {
            return self.pow(a, b);
        }
        let log = self.call(Function::Log, &[a]);
        let argument = self.mul(b, log);
        self.call(Function::Exp, &[argument])
    }

    /// a², a shorthand for the derivative rules.
    pub(crate) fn square(&mut self, a: Ix) -> Ix {
        self.pow(a, TWO)
    }
}
