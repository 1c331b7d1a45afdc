//! Random primes and the arithmetic of their fields.
//!
//! The primes satisfy 2⁶⁰ < p < 2⁶¹ and p ≡ −1 modulo 8·3·5·7·11·13·17·19·23. Then −1 is not a
//! square, 2 and the primes up to 23 are squares, odd roots of those orders are unique, and
//! 1 + s² never vanishes. Being a square plays the part of being positive: it is multiplicative.

/// 8·3·5·7·11·13·17·19·23
const MODULUS: u64 = 892_371_480;

/// log₂ of the number of such primes, from below: (2⁶¹/log 2⁶¹ − 2⁶⁰/log 2⁶⁰)/φ(MODULUS).
pub(crate) const LOG2_PRIMES: f64 = 27.0;

/// The generator behind every random choice: SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below n, n > 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

/// A prime field in Montgomery form: a residue a is stored as a·2⁶⁴ mod p.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    p: u64,
    /// −1/p mod 2⁶⁴
    negative_inverse: u64,
    one: u64,
    /// 2¹²⁸ mod p
    r2: u64,
}

/// A residue in Montgomery form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Residue(u64);

impl Residue {
    pub(crate) const ZERO: Self = Self(0);

    pub(crate) fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// A number that distinguishes residues.
    pub(crate) fn key(self) -> u64 {
        self.0
    }
}

impl Field {
    fn new(p: u64) -> Self {
        let mut inverse = 1u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        }
        let r = ((1u128 << 64) % u128::from(p)) as u64;
        let r2 = (u128::from(r) * u128::from(r) % u128::from(p)) as u64;
        Self {
            p,
            negative_inverse: inverse.wrapping_neg(),
            one: r,
            r2,
        }
    }

    /// A random prime of the family.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let first = (1u64 << 60) / MODULUS + 1;
        let count = (1u64 << 60) / MODULUS - 1;
        loop {
            let p = (first + random.below(count)) * MODULUS - 1;
            let field = Self::new(p);
            if field.modulus_is_prime() {
                return field;
            }
        }
    }

    pub(crate) fn p(&self) -> u64 {
        self.p
    }

    /// The strong probable-prime test to twelve bases, which has no false answer below 2⁶⁴.
    fn modulus_is_prime(&self) -> bool {
        let minus_one = self.neg(self.one());
        let s = (self.p - 1).trailing_zeros();
        let odd = (self.p - 1) >> s;
        [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
            .into_iter()
            .all(|a| {
                let mut x = self.pow(self.residue(a), odd);
                if x == self.one() || x == minus_one {
                    return true;
                }
                (1..s).any(|_| {
                    x = self.mul(x, x);
                    x == minus_one
                })
            })
    }

    pub(crate) fn one(&self) -> Residue {
        Residue(self.one)
    }

    pub(crate) fn residue(&self, a: u64) -> Residue {
        let a = if a < self.p { a } else { a % self.p };
        self.mul(Residue(a), Residue(self.r2))
    }

    pub(crate) fn random(&self, random: &mut Random) -> Residue {
        Residue(random.below(self.p))
    }

    pub(crate) fn add(&self, a: Residue, b: Residue) -> Residue {
        let s = a.0 + b.0;
        Residue(if s >= self.p { s - self.p } else { s })
    }

    pub(crate) fn neg(&self, a: Residue) -> Residue {
        Residue(if a.0 == 0 { 0 } else { self.p - a.0 })
    }

    pub(crate) fn sub(&self, a: Residue, b: Residue) -> Residue {
        self.add(a, self.neg(b))
    }

    pub(crate) fn mul(&self, a: Residue, b: Residue) -> Residue {
        let t = u128::from(a.0) * u128::from(b.0);
        let m = (t as u64).wrapping_mul(self.negative_inverse);
        let s = ((t + u128::from(m) * u128::from(self.p)) >> 64) as u64;
        Residue(if s >= self.p { s - self.p } else { s })
    }

    pub(crate) fn pow(&self, a: Residue, mut n: u64) -> Residue {
        let mut result = self.one();
        let mut square = a;
        while n > 0 {
            if n & 1 == 1 {
                result = self.mul(result, square);
            }
            n >>= 1;
            if n > 0 {
                square = self.mul(square, square);
            }
        }
        result
    }

    /// 1/a for a ≠ 0.
    pub(crate) fn inverse(&self, a: Residue) -> Residue {
        self.pow(a, self.p - 2)
    }

    /// 1 for a square, −1 for a non-square, 0 for zero.
    pub(crate) fn character(&self, a: Residue) -> i32 {
        if a.is_zero() {
            return 0;
        }
        if self.pow(a, (self.p - 1) / 2) == self.one() {
            1
        } else {
            -1
        }
    }

    /// The square root that is itself a square; `None` for non-squares.
    pub(crate) fn sqrt(&self, a: Residue) -> Option<Residue> {
        let root = self.pow(a, self.p.div_ceil(4));
        (self.mul(root, root) == a).then_some(root)
    }

    /// The unique root of odd order n; `None` if this field has several.
    pub(crate) fn odd_root(&self, a: Residue, n: u64) -> Option<Residue> {
        let inverse = inverse_modulo(n, self.p - 1)?;
        Some(if a.is_zero() { a } else { self.pow(a, inverse) })
    }
}

/// Whether a number is prime.
pub(crate) fn is_prime(n: u64) -> bool {
    if n < 4 {
        return n > 1;
    }
    n % 2 == 1 && n < 1 << 63 && !n.is_multiple_of(3) && {
        let small = [5u64, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        small.contains(&n)
            || (small.iter().all(|&p| !n.is_multiple_of(p)) && Field::new(n).modulus_is_prime())
    }
}

/// 1/a modulo m, if a and m have no common factor.
fn inverse_modulo(a: u64, m: u64) -> Option<u64> {
    let (mut r0, mut r1) = (i128::from(m), i128::from(a % m));
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    (r0 == 1).then(|| t0.rem_euclid(i128::from(m)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_has_the_properties_the_decision_rests_on() {
        let mut random = Random::new(7);
        for _ in 0..20 {
            let f = Field::draw(&mut random);
            assert!(f.p() > 1 << 60 && f.p() < 1 << 61);
            assert_eq!(f.p() % 8, 7);
            let minus_one = f.neg(f.one());
            assert_eq!(f.character(minus_one), -1);
            for n in [2, 3, 5, 7, 11, 13, 17, 19, 23, 6, 210] {
                let root = f.sqrt(f.residue(n)).expect("a small integer is a square");
                assert_eq!(f.character(root), 1, "the root is a square");
            }
            let (two, three, six) = (f.residue(2), f.residue(3), f.residue(6));
            let product = f.mul(f.sqrt(two).unwrap(), f.sqrt(three).unwrap());
            assert_eq!(f.sqrt(six), Some(product), "roots are multiplicative");
            let a = f.random(&mut random);
            for n in [3, 5, 7, 9, 15, 23] {
                let root = f.odd_root(a, n).unwrap();
                assert_eq!(f.pow(root, n), a);
                assert_eq!(f.character(root), f.character(a), "odd roots keep the sign");
            }
            assert_eq!(f.mul(a, f.inverse(a)), f.one());
        }
    }

    #[test]
    fn a_composite_is_not_taken_for_a_prime() {
        // A strong pseudoprime to bases 2 and 3, a Carmichael number, and a square of a prime.
        for n in [1_373_653u64, 561, 1_000_003 * 1_000_003] {
            assert!(!Field::new(n).modulus_is_prime(), "{n}");
        }
        assert!(Field::new((1 << 61) - 1).modulus_is_prime());
    }
}
