//! The real guard: enclosures at random rational points of the domain.

use crate::evaluate::{
    Arithmetic, Ball, Balls, Fail, Interval, Intervals, Outcome, Program, Truth,
};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

use super::prime::Random;

/// Σ cⱼ·cos(aⱼ·x + bⱼ), the function that replaces an undetermined one at the guard's points. An
/// identity that is claimed for every function must hold for this one.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    terms: Vec<(Rational, Rational)>,
    seed: u64,
}

impl Series {
    pub(crate) fn draw(random: &mut Random) -> Self {
        let fraction = |random: &mut Random| Rational::new(random.below(4001) as i64 - 2000, 512);
        Self {
            terms: (0..3)
                .map(|_| (fraction(random), fraction(random)))
                .collect(),
            seed: random.next(),
        }
    }

    /// The frequency of term j in argument i.
    fn frequency(&self, j: usize, i: usize) -> Rational {
        let mut random = Random::new(self.seed ^ ((j as u64) << 32 | i as u64));
        Rational::new(random.below(1000) as i64 + 100, 512)
    }
}

/// An arithmetic in which undetermined functions are [`Series`].
pub(crate) struct WithSeries<'a, A> {
    pub(crate) inner: &'a mut A,
    pub(crate) series: &'a [Series],
}

impl<A: Arithmetic> Arithmetic for WithSeries<'_, A> {
    type Value = A::Value;

    fn number(&mut self, q: &Rational) -> Result<A::Value, Fail> {
        self.inner.number(q)
    }
    fn numbers(&mut self, all: &[Rational]) -> Vec<Result<A::Value, Fail>> {
        self.inner.numbers(all)
    }
    fn pi(&mut self) -> Result<A::Value, Fail> {
        self.inner.pi()
    }
    fn negated(&mut self, a: &A::Value) -> Option<A::Value> {
        self.inner.negated(a)
    }
    fn add(&mut self, a: &A::Value, b: &A::Value) -> A::Value {
        self.inner.add(a, b)
    }
    fn mul(&mut self, a: &A::Value, b: &A::Value) -> A::Value {
        self.inner.mul(a, b)
    }
    fn pow(&mut self, at: usize, a: &A::Value, q: &Rational) -> Result<A::Value, Fail> {
        self.inner.pow(at, a, q)
    }
    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &A::Value,
        b: Option<&A::Value>,
    ) -> Result<A::Value, Fail> {
        self.inner.call(at, f, a, b)
    }
    fn compare(
        &mut self,
        at: usize,
        c: Comparison,
        a: &A::Value,
        b: &A::Value,
    ) -> Result<Truth, Fail> {
        self.inner.compare(at, c, a, b)
    }
    fn hull(&mut self, a: &A::Value, b: &A::Value) -> Result<A::Value, Fail> {
        self.inner.hull(a, b)
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        argument: &A::Value,
    ) -> Option<Result<A::Value, Fail>> {
        self.inner.tabulated(table, order, argument)
    }

    fn undetermined(
        &mut self,
        function: usize,
        orders: &[u32],
        arguments: &[A::Value],
    ) -> Result<A::Value, Fail> {
        let series = self.series.get(function).ok_or(Fail::Unknown)?.clone();
        // The k-th derivative of cos is cos, −sin, −cos, sin in turn.
        let turns = orders.iter().map(|&k| u64::from(k)).sum::<u64>() % 4;
        let (f, sign) = [
            (Function::Cos, 1),
            (Function::Sin, -1),
            (Function::Cos, -1),
            (Function::Sin, 1),
        ][turns as usize];
        let mut sum = self.number(&Rational::ZERO)?;
        for (j, (c, phase)) in series.terms.iter().enumerate() {
            let mut angle = self.number(phase)?;
            let mut factor = c * &Rational::from(sign);
            for (i, (x, &k)) in arguments.iter().zip(orders).enumerate() {
                let a = series.frequency(j, i);
                factor = &factor * &a.powi(k.into(), 1 << 14).ok_or(Fail::Unknown)?;
                let a = self.number(&a)?;
                let term = self.mul(&a, x);
                angle = self.add(&angle, &term);
            }
            let wave = self.call(0, f, &angle, None)?;
            let factor = self.number(&factor)?;
            let term = self.mul(&factor, &wave);
            sum = self.add(&sum, &term);
        }
        Ok(sum)
    }
}

/// The result of evaluating a claim over the reals at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PointResult {
    /// Not zero, proven.
    NotZero,
    /// Zero within the enclosure: |f| is at most this.
    AtMost(f64),
    /// Not defined at the point, or assumptions violated.
    Outside,
    /// Nothing could be concluded.
    Inconclusive,
}

/// A program whose first output is claimed to vanish, whose `positive` outputs must be positive
/// and `nonzero` ones not zero at admissible points, and whose other outputs must be defined.
pub(crate) struct Guard<'a> {
    pub(crate) program: &'a Program,
    pub(crate) positive: &'a [usize],
    pub(crate) nonzero: &'a [usize],
    pub(crate) series: Vec<Series>,
}

impl Guard<'_> {
    /// A fast evaluation in doubles: enclosures with outward rounding.
    pub(crate) fn doubles(
        &self,
        constants: &[Outcome<Interval>],
        point: &[Rational],
    ) -> PointResult {
        let inputs: Vec<Interval> = point.iter().map(Interval::around).collect();
        let mut arithmetic = WithSeries {
            inner: &mut Intervals,
            series: &self.series,
        };
        let values = self
            .program
            .values_with(&mut arithmetic, constants, &inputs, |_, _| true);
        let outputs: Vec<Outcome<Interval>> = self
            .program
            .outputs
            .iter()
            .map(|&k| values[k as usize])
            .collect();
        self.judge(
            &outputs,
            |v| v.low() > 0.0,
            |v| v.excludes_zero(),
            |v| (v.magnitude(), v.width() < 1e-6 * v.magnitude().max(1.0)),
        )
    }

    /// The rigorous evaluation: balls of N·64 bits.
    pub(crate) fn balls<const N: usize>(
        &self,
        arithmetic: &mut Balls<N>,
        constants: &[Outcome<Ball<N>>],
        values: &mut Vec<Outcome<Ball<N>>>,
        point: &[Rational],
    ) -> PointResult {
        let inputs: Vec<Ball<N>> = point.iter().map(Ball::rational).collect();
        let mut with = WithSeries {
            inner: arithmetic,
            series: &self.series,
        };
        self.program
            .values_into(values, &mut with, constants, &inputs, |_, _| true);
        let outputs: Vec<Outcome<Ball<N>>> = self
            .program
            .outputs
            .iter()
            .map(|&k| values[k as usize])
            .collect();
        // An enclosure is meaningful if it is small, also relative to small terms; where terms are
        // huge, it must be small relative to them.
        let scale = self
            .program
            .terms(self.program.outputs[0])
            .filter_map(|(c, k)| {
                let size = values[k].ok()?.mul(&Ball::rational(c)).magnitude_log2();
                Some(size)
            })
            .fold(0.0, f64::max);
        let tight = (scale - 180.0).max(-64.0);
        self.judge(
            &outputs,
            |v| v.excludes_zero() && v.to_f64() > 0.0,
            Ball::excludes_zero,
            |v| (v.magnitude(), v.radius_log2() < tight),
        )
    }

    fn judge<V>(
        &self,
        outputs: &[Outcome<V>],
        positive: impl Fn(&V) -> bool,
        nonzero: impl Fn(&V) -> bool,
        size: impl Fn(&V) -> (f64, bool),
    ) -> PointResult {
        for (k, output) in outputs.iter().enumerate() {
            match output {
                Err(Fail::Undefined) => return PointResult::Outside,
                Err(Fail::Unknown) => return PointResult::Inconclusive,
                Ok(v) => {
                    if self.positive.contains(&k) && !positive(v) {
                        return PointResult::Outside;
                    }
                    if self.nonzero.contains(&k) && !nonzero(v) {
                        return PointResult::Outside;
                    }
                }
            }
        }
        match &outputs[0] {
            Ok(v) if nonzero(v) => PointResult::NotZero,
            Ok(v) => {
                let (magnitude, tight) = size(v);
                if tight {
                    PointResult::AtMost(magnitude)
                } else {
                    PointResult::Inconclusive
                }
            }
            Err(_) => PointResult::Inconclusive,
        }
    }
}

/// A random dyadic point; `round` varies scale and signs, so that some points lie in every usual domain.
pub(crate) fn draw_point(random: &mut Random, positive: &[bool], round: usize) -> Vec<Rational> {
    let (lowest, highest, signs) = match round % 5 {
        0 => (-2, 2, true),
        1 => (-2, 3, false),
        2 => (-6, -1, true),
        3 => (-1, 1, true),
        _ => (-8, 13, true),
    };
    positive
        .iter()
        .map(|&positive| {
            let k = lowest + random.below((highest - lowest + 1) as u64) as i64;
            let mantissa = (1 << 16) + random.below(1 << 16) as i64;
            let negative = signs && !positive && random.below(2) == 1;
            let mantissa = if negative { -mantissa } else { mantissa };
            let shift = k - 16;
            if shift >= 0 {
                Rational::from(mantissa << shift)
            } else {
                Rational::new(mantissa, 1 << -shift)
            }
        })
        .collect()
}

/// A point with small integer coordinates, where kinks and coincidences are likely.
pub(crate) fn draw_integers(random: &mut Random, positive: &[bool]) -> Vec<Rational> {
    positive
        .iter()
        .map(|&positive| {
            let n = random.below(5) as i64;
            Rational::from(if positive { n + 1 } else { n - 2 })
        })
        .collect()
}

/// The point with all coordinates n, or the nearest that is allowed.
pub(crate) fn equal_integers(n: i64, positive: &[bool]) -> Vec<Rational> {
    let allowed = |&positive: &bool| Rational::from(if positive { n.max(1) } else { n });
    positive.iter().map(allowed).collect()
}
