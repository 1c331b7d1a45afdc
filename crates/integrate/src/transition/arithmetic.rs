//! The arithmetic over which equations are written: instructions of code, or numbers.

use galilei_tape::code::{Assembler, Value};

/// The number of lanes of the arithmetic on numbers.
pub(super) const SIDE_BY_SIDE: usize = 4;

/// Sums and products.
pub(super) trait Arithmetic {
    /// A number, or the instruction that computes it.
    type Value: Copy;
    fn number(&mut self, c: f64) -> Self::Value;
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn div(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn sqrt(&mut self, a: Self::Value) -> Self::Value;
    fn abs(&mut self, a: Self::Value) -> Self::Value;
    fn greatest(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The second where the first is positive or zero, else −1, also where the first is no number.
    fn unless_negative(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// Whether a value is known to be zero, whatever the inputs are.
    fn is_zero(&self, a: Self::Value) -> bool;

    /// a·c for a number
    fn scale(&mut self, a: Self::Value, c: f64) -> Self::Value {
        let c = self.number(c);
        self.mul(a, c)
    }

    /// Σ cᵢvᵢ
    fn combination(&mut self, terms: impl Iterator<Item = (f64, Self::Value)>) -> Self::Value {
        let mut sum = self.number(0.0);
        for (c, v) in terms {
            let t = self.scale(v, c);
            sum = self.add(sum, t);
        }
        sum
    }
}

impl Arithmetic for Assembler {
    type Value = Value;

    fn number(&mut self, c: f64) -> Value {
        Assembler::number(self, c)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        Assembler::add(self, a, b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        Assembler::sub(self, a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        Assembler::mul(self, a, b)
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        Assembler::div(self, a, b)
    }

    fn sqrt(&mut self, a: Value) -> Value {
        Assembler::sqrt(self, a)
    }

    fn abs(&mut self, a: Value) -> Value {
        Assembler::abs(self, a)
    }

    fn greatest(&mut self, a: Value, b: Value) -> Value {
        Assembler::greatest(self, a, b)
    }

    fn unless_negative(&mut self, a: Value, b: Value) -> Value {
        let negative = self.number(-1.0);
        self.choose(a, true, b, negative)
    }

    fn is_zero(&self, a: Value) -> bool {
        Assembler::is_zero(self, a)
    }
}

/// Numbers in lanes.
pub(super) struct Numbers;

type Lot = [f64; SIDE_BY_SIDE];

impl Numbers {
    fn each(a: Lot, b: Lot, f: impl Fn(f64, f64) -> f64) -> Lot {
        std::array::from_fn(|l| f(a[l], b[l]))
    }
}

impl Arithmetic for Numbers {
    type Value = Lot;

    fn number(&mut self, c: f64) -> Lot {
        [c; SIDE_BY_SIDE]
    }

    fn add(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| a + b)
    }

    fn sub(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| a - b)
    }

    fn mul(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| a * b)
    }

    fn div(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| a / b)
    }

    fn sqrt(&mut self, a: Lot) -> Lot {
        a.map(f64::sqrt)
    }

    fn abs(&mut self, a: Lot) -> Lot {
        a.map(f64::abs)
    }

    fn greatest(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| if a > b { a } else { b })
    }

    fn unless_negative(&mut self, a: Lot, b: Lot) -> Lot {
        Self::each(a, b, |a, b| if a >= 0.0 { b } else { -1.0 })
    }

    fn is_zero(&self, a: Lot) -> bool {
        a == [0.0; SIDE_BY_SIDE]
    }
}
