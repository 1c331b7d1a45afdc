//! Sine, cosine and tangent of rational multiples of π.

use super::Builder;
use crate::function::Function;
use crate::node::{Ix, ONE, PI, Tag, UNDEFINED};
use crate::number::Rational;

impl Builder<'_> {
    /// q, if the node is q·π.
    pub(super) fn multiple_of_pi(&self, ix: Ix) -> Option<Rational> {
        if ix == PI {
            return Some(Rational::ONE);
        }
        let node = self.node(ix);
        if node.tag != Tag::Sum || node.len != 1 {
            return None;
        }
        let w = self.pool.word(&node, 0);
        (w.child == PI).then(|| self.pool.rational(w.attr))
    }

    /// f(q·π) as a radical, where the denominator of q divides 12.
    pub(super) fn trig_of_pi(&mut self, f: Function, q: &Rational) -> Option<Ix> {
        let twelfths = (q * &Rational::from(12)).to_i64()?.rem_euclid(24);
        Some(match f {
            Function::Sin => self.sine_of_twelfths(twelfths),
            Function::Cos => self.sine_of_twelfths(twelfths + 6),
            Function::Tan => {
                if twelfths % 12 == 6 {
                    return Some(UNDEFINED);
                }
                // tan π/12 = 2 − √3, tan π/6 = √3/3, tan π/4 = 1, tan π/3 = √3, tan 5π/12 = 2 + √3
                let k = twelfths % 12;
                let (k, negative) = if k > 6 { (12 - k, true) } else { (k, false) };
                let (a, b) = [
                    ((0, 1), (0, 1)),
                    ((2, 1), (-1, 1)),
                    ((0, 1), (1, 3)),
                    ((1, 1), (0, 1)),
                    ((0, 1), (1, 1)),
                    ((2, 1), (1, 1)),
                ][k as usize];
                let three = self.root(3);
                let (a, b) = (self.number(&a.into()), self.number(&b.into()));
                let value = self.sum([(a, ONE), (b, three)]);
                if negative { self.neg(value) } else { value }
            }
            _ => return None,
        })
    }

    fn root(&mut self, n: i64) -> Ix {
        let n = self.int(n);
        self.pow_number(n, &Rational::new(1, 2))
    }

    /// sin(k·π/12)
    fn sine_of_twelfths(&mut self, k: i64) -> Ix {
        let k = k.rem_euclid(24);
        let (k, negative) = if k >= 12 { (k - 12, true) } else { (k, false) };
        let k = if k > 6 { 12 - k } else { k };
        // Coefficients of 1, √2, √3, √6 in sin(k·π/12), times 4.
        let coefficients: [i64; 4] = [
            [0, 0, 0, 0],
            [0, -1, 0, 1],
            [2, 0, 0, 0],
            [0, 2, 0, 0],
            [0, 0, 2, 0],
            [0, 1, 0, 1],
            [4, 0, 0, 0],
        ][k as usize];
        let sign = if negative { -1 } else { 1 };
        let mut terms = Vec::new();
        for (c, n) in coefficients.into_iter().zip([1, 2, 3, 6]) {
            if c != 0 {
                let root = self.root(n);
                terms.push((self.number(&Rational::new(sign * c, 4)), root));
            }
        }
        self.sum(terms)
    }
}
