//! Doubles: fast, with the same bits on every machine, and no bound of the error.

use galilei_linear::math::scalar;

use super::arithmetic::{Arithmetic, Fail, Truth};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// The arithmetic of `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Doubles;

/// a^q with real odd roots; NaN where undefined.
pub(crate) fn power(a: f64, q: &Rational) -> f64 {
    if let Some(n) = q.to_i64() {
        return i32::try_from(n).map_or_else(|_| scalar::pow(a, n as f64), |n| scalar::powi(a, n));
    }
    if *q == Rational::new(1, 2) {
        return a.sqrt();
    }
    if a < 0.0 && !q.has_even_denominator() {
        let magnitude = scalar::pow(-a, q.to_f64());
        return if q.has_even_numerator() {
            magnitude
        } else {
            -magnitude
        };
    }
    scalar::pow(a, q.to_f64())
}

fn defined(x: f64) -> Result<f64, Fail> {
    if x.is_nan() {
        Err(Fail::Undefined)
    } else {
        Ok(x)
    }
}

/// Nodes and weights of the rule with seven points on [−1, 1], from the middle outward.
const NODES: [(f64, f64); 4] = [
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_64),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];

fn panel(
    arithmetic: &mut Doubles,
    f: &mut dyn FnMut(&mut Doubles, f64) -> Result<f64, Fail>,
    a: f64,
    b: f64,
) -> Result<f64, Fail> {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let mut sum = 0.0;
    for (x, w) in NODES {
        sum += w * f(arithmetic, middle + half * x)?;
        if x > 0.0 {
            sum += w * f(arithmetic, middle - half * x)?;
        }
    }
    Ok(sum * half)
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
        if *a == 0.0 && q.is_negative() {
            return Err(Fail::Undefined);
        }
        defined(power(*a, q))
    }
    fn call(&mut self, _: usize, f: Function, a: &f64, b: Option<&f64>) -> Result<f64, Fail> {
        let second = b.copied().unwrap_or(f64::NAN);
        defined(match f {
            Function::Sin => scalar::sin(*a),
            Function::Cos => scalar::cos(*a),
            Function::Tan => scalar::tan(*a),
            Function::Asin => scalar::asin(*a),
            Function::Acos => scalar::acos(*a),
            Function::Atan => scalar::atan(*a),
            Function::Sinh => scalar::sinh(*a),
            Function::Cosh => scalar::cosh(*a),
            Function::Tanh => scalar::tanh(*a),
            Function::Exp => scalar::exp(*a),
            Function::Log if *a == 0.0 => f64::NAN,
            Function::Log => scalar::log(*a),
            Function::Abs => a.abs(),
            Function::Sign if *a == 0.0 => 0.0,
            Function::Sign => a.signum(),
            Function::Atan2 if *a == 0.0 && second == 0.0 => f64::NAN,
            // There is one zero only: the cut belongs to the upper side.
            Function::Atan2 => scalar::atan2(a + 0.0, second + 0.0),
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
    /// Gauss and Legendre with seven points on panels that are halved until two levels agree.
    fn quadrature(
        &mut self,
        f: &mut dyn FnMut(&mut Self, f64) -> Result<f64, Fail>,
    ) -> Result<f64, Fail> {
        let mut total = 0.0;
        let mut pending = vec![(0.0, 1.0, panel(self, f, 0.0, 1.0)?, 0)];
        while let Some((a, b, whole, depth)) = pending.pop() {
            let m = 0.5 * (a + b);
            let (left, right) = (panel(self, f, a, m)?, panel(self, f, m, b)?);
            let error = (left + right - whole).abs();
            if error <= 1e-15 * (left.abs() + right.abs()) || depth >= 40 {
                total += left + right;
            } else {
                pending.push((m, b, right, depth + 1));
                pending.push((a, m, left, depth + 1));
            }
        }
        defined(total)
    }
    fn implicit(
        &mut self,
        arguments: &[f64],
        function: &dyn Fn(&[f64]) -> Option<f64>,
    ) -> Result<f64, Fail> {
        function(arguments).ok_or(Fail::Undefined)
    }
    fn tabulated(&mut self, table: &Table, order: u32, s: &f64) -> Option<Result<f64, Fail>> {
        Some(defined(table.at(*s, order)))
    }
    fn undetermined(&mut self, _: usize, _: &[u32], _: &[f64]) -> Result<f64, Fail> {
        Err(Fail::Unknown)
    }
}
