//! Rational powers of numbers: √12 is 2√3.

use dashu_base::{BitTest, Sign};
use dashu_int::{IBig, UBig};

use super::{Builder, MAX_NUMBER_BITS};
use crate::node::{Ix, ONE, Tag, UNDEFINED, Word, ZERO};
use crate::number::Rational;

/// Prime factors below this are found by trial division; the remaining cofactor is a single base.
const MAX_TRIAL_PRIME: u32 = 1000;

impl Builder<'_> {
    /// value^q, real: undefined for even roots of negative numbers and for 0 to a negative power.
    ///
    /// A root is brought to the form c·Π pᵢ^fᵢ with a rational c, small primes pᵢ (and perhaps
    /// cofactors without small factors) and 0 < fᵢ < 1.
    pub(crate) fn pow_number(&mut self, value: Ix, q: &Rational) -> Ix {
        let x = self.pool.rational(value);
        if x.is_zero() {
            return match q.signum() {
                1 => ZERO,
                0 => ONE,
                _ => UNDEFINED,
            };
        }
        if x.is_one() || q.is_zero() {
            return ONE;
        }
        if q.is_integer() {
            let folded = q.to_i64().and_then(|k| x.powi(k, MAX_NUMBER_BITS));
            return match folded {
                Some(power) => self.number(&power),
                None => self.raw_power(value, q),
            };
        }
        if x.is_negative() {
            if q.has_even_denominator() {
                return UNDEFINED;
            }
            // An odd root: (−x)^(m/n) = (−1)^m·x^(m/n).
            let positive = self.number(&-&x);
            let root = self.pow_number(positive, q);
            return if q.has_even_numerator() {
                root
            } else {
                self.neg(root)
            };
        }
        if x.bits() > 4096 || q.bits() > 64 {
            return self.raw_power(value, q);
        }
        let mut coefficient = Rational::ONE;
        let mut bases: Vec<(Rational, Rational)> = Vec::new();
        let numerator = factor(x.numerator().into_parts().1)
            .into_iter()
            .map(|(b, k)| (b, k, 1));
        let denominator = factor(x.denominator()).into_iter().map(|(b, k)| (b, k, -1));
        for (base, k, side) in numerator.chain(denominator) {
            let exponent = q * &Rational::from(k * side);
            let whole = exponent.floor();
            let part = &exponent - &Rational::from(whole.clone());
            let base = Rational::from(IBig::from_parts(Sign::Positive, base));
            let folded = i64::try_from(&whole)
                .ok()
                .and_then(|k| base.powi(k, MAX_NUMBER_BITS / 64));
            let Some(folded) = folded else {
                return self.raw_power(value, q);
            };
            coefficient = &coefficient * &folded;
            if !part.is_zero() {
                bases.push((base, part));
            }
        }
        let mut words: Vec<Word> = Vec::new();
        for (base, part) in bases {
            words.push(Word::new(self.number(&part), self.number(&base)));
        }
        let pool = self.pool;
        words.sort_unstable_by(|a, b| super::compare(pool, a.child, b.child));
        let coefficient = self.number(&coefficient);
        if words.is_empty() {
            return coefficient;
        }
        let radicals = self.intern(Tag::Product, &words);
        self.scale(coefficient, radicals)
    }

    /// A power of a number that is left as it is, because writing it out would be too large.
    fn raw_power(&mut self, value: Ix, q: &Rational) -> Ix {
        let q = self.number(q);
        self.intern(Tag::Product, &[Word::new(q, value)])
    }
}

/// n = Π baseᵢ^kᵢ: small primes, and a cofactor reduced to the root of a perfect power.
pub(crate) fn factor(mut n: UBig) -> Vec<(UBig, i64)> {
    let mut factors = Vec::new();
    for p in
        (2..MAX_TRIAL_PRIME).filter(|p| (2..*p).take_while(|d| d * d <= *p).all(|d| p % d != 0))
    {
        let mut k = 0;
        loop {
            if n.is_one() || !(&n % UBig::from(p)).is_zero() {
                break;
            }
            n /= UBig::from(p);
            k += 1;
        }
        if k > 0 {
            factors.push((UBig::from(p), k));
        }
    }
    if n.is_one() {
        return factors;
    }
    for k in (2..=n.bit_len().min(64)).rev() {
        let root = n.nth_root(k);
        if root.pow(k) == n {
            factors.push((root, k as i64));
            return factors;
        }
    }
    factors.push((n, 1));
    factors
}
