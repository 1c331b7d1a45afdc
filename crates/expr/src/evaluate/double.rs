//! Doubles: fast, and no promise about the last digits.

use super::arithmetic::{Arithmetic, Fail, Truth};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;

/// The arithmetic of `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Doubles;

/// a^q with real odd roots; NaN where undefined.
pub(crate) fn power(a: f64, q: &Rational) -> f64 {
    if let Some(n) = q.to_i64() {
        return i32::try_from(n).map_or_else(|_| a.powf(n as f64), |n| a.powi(n));
    }
    if *q == Rational::new(1, 2) {
        return a.sqrt();
    }
    if a < 0.0 && !q.has_even_denominator() {
        let magnitude = (-a).powf(q.to_f64());
        return if q.has_even_numerator() {
            magnitude
        } else {
            -magnitude
        };
    }
    a.powf(q.to_f64())
}

fn defined(x: f64) -> Result<f64, Fail> {
    if x.is_nan() {
        Err(Fail::Undefined)
    } else {
        Ok(x)
    }
}

impl Arithmetic for Doubles {
    type Value = f64;

    fn number(&mut self, q: &Rational) -> Result<f64, Fail> {
        Ok(q.to_f64())
    }
    fn pi(&mut self) -> Result<f64, Fail> {
        Ok(std::f64::consts::PI)
    }
    fn add(&mut self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    fn mul(&mut self, a: &f64, b: &f64) -> f64 {
        a * b
    }
    fn pow(&mut self, _: usize, a: &f64, q: &Rational) -> Result<f64, Fail> {
        defined(power(*a, q))
    }
    fn call(&mut self, _: usize, f: Function, a: &f64, b: Option<&f64>) -> Result<f64, Fail> {
        let second = b.copied().unwrap_or(f64::NAN);
        defined(match f {
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Asin => a.asin(),
            Function::Acos => a.acos(),
            Function::Atan => a.atan(),
            Function::Sinh => a.sinh(),
            Function::Cosh => a.cosh(),
            Function::Tanh => a.tanh(),
            Function::Exp => a.exp(),
            Function::Log => a.ln(),
            Function::Abs => a.abs(),
            Function::Sign if *a == 0.0 => 0.0,
            Function::Sign => a.signum(),
            Function::Atan2 => a.atan2(second),
            Function::Min => a.min(second),
            Function::Max => a.max(second),
        })
    }
    fn compare(
        &mut self,
        _: usize,
        comparison: Comparison,
        a: &f64,
        b: &f64,
    ) -> Result<Truth, Fail> {
        let holds = match comparison {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
        };
        Ok(if holds { Truth::Yes } else { Truth::No })
    }
    fn hull(&mut self, a: &f64, _: &f64) -> Result<f64, Fail> {
        Ok(*a)
    }
    fn undetermined(&mut self, _: usize, _: &[u32], _: &[f64]) -> Result<f64, Fail> {
        Err(Fail::Unknown)
    }
}
