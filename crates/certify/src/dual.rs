//! Intervals with derivatives in a few directions.

use galilei_expr::{Arithmetic, Comparison, Enclosures, Fail, Function, Interval, Rational, Truth};

use crate::field::Field;

/// An enclosure of a value, and of its derivatives in B directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual<const B: usize> {
    pub(crate) value: Interval,
    pub(crate) slopes: [Interval; B],
}

impl<const B: usize> Dual<B> {
    pub(crate) fn constant(value: Interval) -> Self {
        Self {
            value,
            slopes: [Interval::ZERO; B],
        }
    }

    /// The dual with another value and with all slopes times a factor.
    fn chain(&self, value: Interval, factor: Interval) -> Self {
        Self {
            value,
            slopes: self.slopes.map(|s| s * factor),
        }
    }

    fn zip(
        &self,
        other: &Self,
        value: Interval,
        f: impl Fn(Interval, Interval) -> Interval,
    ) -> Self {
        let mut slopes = [Interval::ZERO; B];
        for k in 0..B {
            slopes[k] = f(self.slopes[k], other.slopes[k]);
        }
        Self { value, slopes }
    }
}

/// The arithmetic of [`Dual`]s.
#[derive(Default)]
pub(crate) struct Duals<const B: usize> {
    plain: Enclosures,
}

impl<const B: usize> Arithmetic for Duals<B> {
    type Value = Dual<B>;

    fn number(&mut self, q: &Rational) -> Result<Dual<B>, Fail> {
        Ok(Dual::constant(self.plain.number(q)?))
    }

    fn pi(&mut self) -> Result<Dual<B>, Fail> {
        Ok(Dual::constant(self.plain.pi()?))
    }

    #[inline]
    fn add(&mut self, a: &Dual<B>, b: &Dual<B>) -> Dual<B> {
        a.zip(b, a.value + b.value, |x, y| x + y)
    }

    #[inline]
    fn mul(&mut self, a: &Dual<B>, b: &Dual<B>) -> Dual<B> {
        let (v, w) = (a.value, b.value);
        a.zip(b, v * w, |x, y| x * w + y * v)
    }

    fn pow(&mut self, at: usize, a: &Dual<B>, q: &Rational) -> Result<Dual<B>, Fail> {
        let value = self.plain.pow(at, &a.value, q)?;
        let lower = q - &Rational::from(1);
        let slope = self.plain.pow(at, &a.value, &lower)? * Interval::around(q);
        Ok(a.chain(value, slope))
    }

    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Dual<B>,
        b: Option<&Dual<B>>,
    ) -> Result<Dual<B>, Fail> {
        let x = a.value;
        let value = self.plain.call(at, f, &x, b.map(|b| &b.value))?;
        let one = Interval::ONE;
        let over = |d: Interval| one.divided_by(d).ok_or(Fail::Unknown);
        let slope = match f {
            Function::Sin => self.plain.call(at, Function::Cos, &x, None)?,
            Function::Cos => -self.plain.call(at, Function::Sin, &x, None)?,
            Function::Tan => one + value.squared(),
            Function::Tanh => one - value.squared(),
            Function::Sinh => self.plain.call(at, Function::Cosh, &x, None)?,
            Function::Cosh => self.plain.call(at, Function::Sinh, &x, None)?,
            Function::Exp => value,
            Function::Log => over(x)?,
            Function::Atan => over(one + x.squared())?,
            Function::Asin | Function::Acos => {
                let root = self
                    .plain
                    .pow(at, &(one - x.squared()), &Rational::new(1, 2))?;
                let slope = over(root)?;
                if f == Function::Asin { slope } else { -slope }
            }
            Function::Atan2 => {
                let b = b.ok_or(Fail::Unknown)?;
                let size = over(x.squared() + b.value.squared())?;
                let (along_y, along_x) = (b.value * size, -(x * size));
                return Ok(a.zip(b, value, |dy, dx| dy * along_y + dx * along_x));
            }
            // Kinks are selections of the tape.
            Function::Abs | Function::Sign | Function::Min | Function::Max => {
                return Err(Fail::Unknown);
            }
        };
        Ok(a.chain(value, slope))
    }

    fn compare(
        &mut self,
        at: usize,
        comparison: Comparison,
        a: &Dual<B>,
        b: &Dual<B>,
    ) -> Result<Truth, Fail> {
        self.plain.compare(at, comparison, &a.value, &b.value)
    }

    fn hull(&mut self, a: &Dual<B>, b: &Dual<B>) -> Result<Dual<B>, Fail> {
        Ok(a.zip(b, a.value.hull(b.value), Interval::hull))
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Dual<B>]) -> Result<Dual<B>, Fail> {
        Err(Fail::Unknown)
    }
}

impl<const B: usize> Field for Duals<B> {
    fn zero(&self) -> Dual<B> {
        Dual::constant(Interval::ZERO)
    }
    fn double(&self, x: f64) -> Dual<B> {
        Dual::constant(Interval::point(x))
    }
    #[inline]
    fn sub(&mut self, a: &Dual<B>, b: &Dual<B>) -> Dual<B> {
        a.zip(b, a.value - b.value, |x, y| x - y)
    }
    fn div(&mut self, a: &Dual<B>, b: &Dual<B>) -> Result<Dual<B>, Fail> {
        let known = |q: Option<Interval>| q.ok_or(Fail::Unknown);
        let inverse = known(Interval::ONE.divided_by(b.value))?;
        let q = known(a.value.divided_by(b.value))?;
        Ok(a.zip(b, q, |x, y| (x - q * y) * inverse))
    }
    fn neg(&mut self, a: &Dual<B>) -> Dual<B> {
        Dual {
            value: -a.value,
            slopes: a.slopes.map(|s| -s),
        }
    }
    fn times(&mut self, a: &Dual<B>, n: f64) -> Dual<B> {
        let n = Interval::point(n);
        a.chain(a.value * n, n)
    }
    fn sign(&self, a: &Dual<B>) -> Option<i32> {
        self.plain.sign(&a.value)
    }
    #[inline]
    fn is_bounded(&self, a: &Dual<B>) -> bool {
        a.value.is_finite() && a.slopes.iter().all(|s| s.is_finite())
    }
    fn middle(&self, a: &Dual<B>) -> f64 {
        a.value.middle()
    }
}
