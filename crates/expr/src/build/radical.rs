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
    // The remainders by composite numbers are not zero once their factors are gone.
    for p in (2..MAX_TRIAL_PRIME).filter(|p| *p < 4 || p % 2 == 1 && p % 3 > 0) {
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
    // Every prime factor has more bits than the trial primes.
    let most = n.bit_len() / MAX_TRIAL_PRIME.ilog2() as usize;
    for k in (2..=most.min(64)).rev() {
        if !may_be_power(&n, k as u64) {
            continue;
        }
        let root = n.nth_root(k);
        if root.pow(k) == n {
            factors.push((root, k as i64));
            return factors;
        }
    }
    factors.push((n, 1));
    factors
}

/// Whether n can be a power with exponent k: it is one modulo some primes p = 1 + k·j, of whose residues one in k is. Roots of
/// large numbers take a thousand times as long.
fn may_be_power(n: &UBig, k: u64) -> bool {
    let is_prime = |p: &u64| {
        (2..)
            .take_while(|d| d * d <= *p)
            .all(|d| !p.is_multiple_of(d))
    };
    let from = u64::from(MAX_TRIAL_PRIME) / k + 1;
    let primes = (from..).map(|j| 1 + k * j).filter(is_prime);
    primes.take(1 + 10 / k.ilog2() as usize).all(|p| {
        let residue = u64::try_from(n % UBig::from(p)).unwrap_or(0);
        let (mut power, mut base, mut exponent) = (1, residue, (p - 1) / k);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = power * base % p;
            }
            base = base * base % p;
            exponent /= 2;
        }
        residue == 0 || power == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_large_numbers_are_found() {
        let big = UBig::from(1_000_003u64 * 1_000_033);
        for (base, k) in [
            (&big, 1),
            (&big, 2),
            (&big, 3),
            (&big, 6),
            (&big, 7),
            (&big, 12),
        ] {
            let n = base.pow(k as usize) * UBig::from(12u8);
            let expected = [
                (UBig::from(2u8), 2),
                (UBig::from(3u8), 1),
                (base.clone(), k),
            ];
            assert_eq!(factor(n), expected, "{k}");
        }
        let other = UBig::from(1009u32).pow(2) * UBig::from(1013u32).pow(3);
        assert_eq!(factor(other.clone()), [(other, 1)]);
    }
}
