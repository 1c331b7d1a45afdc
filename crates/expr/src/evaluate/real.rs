//! The arithmetic of balls, for programs that are evaluated with proved enclosures.
//!
//! A ball is a midpoint with a radius; it contains the exact value. A result of [`Fail::Undefined`] is proved: the
//! expression has no value anywhere in the ball. [`Fail::Unknown`] says that the ball is too wide to tell, or that the
//! operation has no enclosure.

use std::cell::OnceCell;

use super::arithmetic::{Arithmetic, Fail, Truth, enclosed};
use super::ball::{Ball, ProvenSign};
use super::elementary::Constants;
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// The arithmetic of [`Ball`]s of N·64 bits: rigorous, at any precision.
pub struct Balls<const N: usize> {
    constants: OnceCell<Constants<N>>,
    /// A cache of angles with their sine and cosine: nearly always both are needed.
    angles: Vec<Option<[Ball<N>; 3]>>,
}

/// The number of angles in the cache.
const CACHED_ANGLES: usize = 64;

impl<const N: usize> Default for Balls<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Balls<N> {
    /// The arithmetic of balls; π and log 2 are computed to N·64 bits when they are first needed.
    pub fn new() -> Self {
        Self {
            constants: OnceCell::new(),
            angles: Vec::new(),
        }
    }

    /// Sine and cosine of an angle, from the cache if they were computed just before.
    fn sin_cos(&mut self, a: &Ball<N>) -> Option<(Ball<N>, Ball<N>)> {
        if self.angles.is_empty() {
            self.angles.resize(CACHED_ANGLES, None);
        }
        let hash = a.mid.limbs[N - 1] ^ a.mid.exponent as u64;
        let slot = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize;
        if let Some([angle, sin, cos]) = &self.angles[slot]
            && angle == a
        {
            return Some((*sin, *cos));
        }
        let (sin, cos) = a.sin_cos(self.constants())?;
        self.angles[slot] = Some([*a, sin, cos]);
        Some((sin, cos))
    }

    fn constants(&self) -> &Constants<N> {
        self.constants.get_or_init(Constants::new)
    }
}

/// A result that exists, or [`Fail::Unknown`].
fn known<T>(value: Option<T>) -> Result<T, Fail> {
    value.ok_or(Fail::Unknown)
}

/// Sign of a − b.
fn difference<const N: usize>(a: &Ball<N>, b: &Ball<N>) -> ProvenSign {
    a.sub(b).sign()
}

impl<const N: usize> Arithmetic for Balls<N> {
    type Value = Ball<N>;

    fn number(&mut self, q: &Rational) -> Result<Ball<N>, Fail> {
        Ok(Ball::rational(q))
    }
    fn pi(&mut self) -> Result<Ball<N>, Fail> {
        Ok(self.constants().pi)
    }
    fn add(&mut self, a: &Ball<N>, b: &Ball<N>) -> Ball<N> {
        a.add(b)
    }
    fn mul(&mut self, a: &Ball<N>, b: &Ball<N>) -> Ball<N> {
        a.mul(b)
    }

    fn negated(&mut self, a: &Ball<N>) -> Option<Ball<N>> {
        Some(a.neg())
    }

    fn pow(&mut self, _: usize, a: &Ball<N>, q: &Rational) -> Result<Ball<N>, Fail> {
        if q.is_negative() && a.sign() == ProvenSign::Zero {
            return Err(Fail::Undefined);
        }
        if q.is_integer() {
            return known(q.to_i64().and_then(|n| a.powi(n)));
        }
        if q.has_even_denominator() && a.sign() == ProvenSign::Negative {
            return Err(Fail::Undefined);
        }
        if a.sign() == ProvenSign::Zero {
            return Ok(Ball::ZERO);
        }
        let (n, d) = known(q.small())?;
        if d == 2 {
            return known(known(a.sqrt())?.powi(n));
        }
        // |a|^q = exp(q·log|a|); for an odd denominator and a negative base with the sign (−1)ⁿ.
        let negative = match a.sign() {
            ProvenSign::Positive => false,
            ProvenSign::Negative => true,
            _ => return Err(Fail::Unknown),
        };
        let magnitude = if negative { a.neg() } else { *a };
        let log = known(magnitude.log(self.constants()))?;
        let root = known(log.mul(&Ball::rational(q)).exp(self.constants()))?;
        Ok(if negative && n % 2 != 0 {
            root.neg()
        } else {
            root
        })
    }

    fn call(
        &mut self,
        _: usize,
        f: Function,
        a: &Ball<N>,
        b: Option<&Ball<N>>,
    ) -> Result<Ball<N>, Fail> {
        if matches!(f, Function::Sin | Function::Cos | Function::Tan) {
            let (sin, cos) = known(self.sin_cos(a))?;
            return match f {
                Function::Sin => Ok(sin),
                Function::Cos => Ok(cos),
                _ => known(sin.div(&cos)),
            };
        }
        let c = self.constants();
        Ok(match f {
            Function::Sin | Function::Cos | Function::Tan => return Err(Fail::Unknown),
            Function::Asin | Function::Acos => {
                if Ball::int(1).sub(&a.square()).sign() == ProvenSign::Negative {
                    return Err(Fail::Undefined);
                }
                let asin = known(a.asin(c))?;
                if f == Function::Asin {
                    asin
                } else {
                    c.pi.shifted(-1).sub(&asin)
                }
            }
            Function::Atan => known(a.atan(c))?,
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let e = known(a.exp(c))?;
                let inverse = known(Ball::int(1).div(&e))?;
                let sum = e.add(&inverse);
                // e − 1/e would cancel.
                let difference = if a.is_tiny() {
                    a.sinh_tiny().shifted(1)
                } else {
                    e.sub(&inverse)
                };
                match f {
                    Function::Sinh => difference.shifted(-1),
                    Function::Cosh => sum.shifted(-1),
                    _ => known(difference.div(&sum))?,
                }
            }
            Function::Exp => known(a.exp(c))?,
            Function::Log => match a.sign() {
                ProvenSign::Negative | ProvenSign::Zero => return Err(Fail::Undefined),
                _ => known(a.log(c))?,
            },
            Function::Abs => match a.sign() {
                ProvenSign::Negative => a.neg(),
                ProvenSign::Unknown => a.hull(&a.neg()),
                _ => *a,
            },
            Function::Sign => match a.sign() {
                ProvenSign::Negative => Ball::int(-1),
                ProvenSign::Zero => Ball::ZERO,
                ProvenSign::Positive => Ball::int(1),
                ProvenSign::Unknown => Ball::int(-1).hull(&Ball::int(1)),
            },
            Function::Atan2 => {
                let x = known(b)?;
                if a.sign() == ProvenSign::Zero && x.sign() == ProvenSign::Zero {
                    return Err(Fail::Undefined);
                }
                known(a.atan2(x, c))?
            }
            Function::Min | Function::Max => {
                let b = known(b)?;
                let first = match difference(a, b) {
                    ProvenSign::Negative => f == Function::Min,
                    ProvenSign::Positive => f == Function::Max,
                    ProvenSign::Zero => true,
                    ProvenSign::Unknown => return Ok(a.hull(b)),
                };
                if first { *a } else { *b }
            }
        })
    }

    fn compare(
        &mut self,
        _: usize,
        comparison: Comparison,
        a: &Ball<N>,
        b: &Ball<N>,
    ) -> Result<Truth, Fail> {
        Ok(match (difference(a, b), comparison) {
            (ProvenSign::Negative, _) | (ProvenSign::Zero, Comparison::LessEqual) => Truth::Yes,
            (ProvenSign::Positive, _) | (ProvenSign::Zero, Comparison::Less) => Truth::No,
            (ProvenSign::Unknown, _) => Truth::Unknown,
        })
    }

    fn hull(&mut self, a: &Ball<N>, b: &Ball<N>) -> Result<Ball<N>, Fail> {
        Ok(a.hull(b))
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        s: &Ball<N>,
    ) -> Option<Result<Ball<N>, Fail>> {
        // Between the doubles around the ball; its midpoint may be a knot.
        let (middle, around) = (s.to_f64(), s.to_interval());
        let ends = match s.sub(&Ball::rational(&Rational::from_f64(middle)?)).sign() {
            ProvenSign::Zero => (middle, middle),
            _ => (around.low(), around.high()),
        };
        Some(enclosed(self, table, order, s, ends))
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Ball<N>]) -> Result<Ball<N>, Fail> {
        Err(Fail::Unknown)
    }
}
