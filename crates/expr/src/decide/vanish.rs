//! Ranges of expressions over all real values of their symbols: they show where an expression cannot vanish.

use std::f64::consts::PI;

use super::Assumptions;
use super::assumptions::Assumption;
use super::verdict::{Bound, Reason, Verdict};
use crate::evaluate::Interval;
use crate::expr::Expr;
use crate::function::Function;
use crate::number::Rational;
use crate::present::Reading;
use crate::view::View;

/// Written size (symbols and numbers) up to which ranges are computed.
const MAX_WRITTEN_SIZE: u64 = 4_000;
/// The next double above π; the nearest is below it.
const ABOVE_PI: f64 = PI.next_up();
/// Number of angles up to which a box of angles is bisected.
const MAX_ANGLES: usize = 3;

/// Real numbers between two ends, which may belong to it or not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
    /// Whether `low` is not reached.
    above: bool,
    /// Whether `high` is not reached.
    below: bool,
}

impl Range {
    const ALL: Self = Self::open(f64::NEG_INFINITY, f64::INFINITY);

    const fn open(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            above: true,
            below: true,
        }
    }

    const fn closed(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            above: false,
            below: false,
        }
    }

    fn of(v: Interval) -> Self {
        Self::closed(v.low(), v.high())
    }

    fn excludes_zero(self) -> bool {
        self.is_positive() || self.negative().is_positive()
    }

    fn is_positive(self) -> bool {
        self.low > 0.0 || (self.low == 0.0 && self.above)
    }

    fn is_nonnegative(self) -> bool {
        self.low >= 0.0
    }

    fn negative(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
            above: self.below,
            below: self.above,
        }
    }

    fn plus(self, other: Self) -> Self {
        let end = |a: f64, b: f64, down: bool| {
            let sum = a + b;
            // Exact, or moved outward.
            match (a == 0.0 || b == 0.0 || sum.is_infinite(), down) {
                (true, _) => sum,
                (false, true) => sum.next_down(),
                (false, false) => sum.next_up(),
            }
        };
        Self {
            low: end(self.low, other.low, true),
            high: end(self.high, other.high, false),
            above: self.above || other.above,
            below: self.below || other.below,
        }
    }

    fn times(self, other: Self) -> Self {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends = [self.low, self.high]
            .into_iter()
            .flat_map(|a| [other.low, other.high].map(|b| product(a, b)));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for e in ends {
            low = low.min(e);
            high = high.max(e);
        }
        let (mut above, mut below) = (false, false);
        if self.excludes_zero() && other.excludes_zero() {
            // Zero is not reached, though it may be an end.
            above = low == 0.0;
            below = high == 0.0;
        }
        Self {
            low: if low == 0.0 || low.is_infinite() {
                low
            } else {
                low.next_down()
            },
            high: if high == 0.0 || high.is_infinite() {
                high
            } else {
                high.next_up()
            },
            above: above || low.is_infinite(),
            below: below || high.is_infinite(),
        }
    }

    /// Positive powers of something nonnegative, whose ends are powers of its ends.
    fn raised(self, q: f64) -> Self {
        let power = |x: f64| match x {
            x if x == 0.0 || x == 1.0 || x.is_infinite() => x,
            x => x.powf(q),
        };
        let outward = |x: f64, up: bool| match (x == 0.0 || x == 1.0 || x.is_infinite(), up) {
            (true, _) => x,
            (false, true) => x * (1.0 + 1e-12),
            (false, false) => x * (1.0 - 1e-12),
        };
        Self {
            low: outward(power(self.low), false),
            high: outward(power(self.high), true),
            ..self
        }
    }

    fn magnitude(self) -> Self {
        if self.is_nonnegative() {
            return self;
        }
        if self.high <= 0.0 {
            return self.negative();
        }
        Self {
            low: 0.0,
            above: false,
            high: self.high.max(-self.low),
            below: if self.high > -self.low {
                self.below
            } else if self.high < -self.low {
                self.above
            } else {
                self.below && self.above
            },
        }
    }
}

/// The values an expression can have where it is defined.
fn range<'p>(e: Expr<'p>, assumptions: &Assumptions<'p>) -> Range {
    for a in assumptions.iter() {
        match a {
            Assumption::Positive(p) if p == e => return Range::open(0.0, f64::INFINITY),
            Assumption::Positive(p) if -p == e => return Range::open(f64::NEG_INFINITY, 0.0),
            _ => {}
        }
    }
    match e.view() {
        View::Number(q) => Range::of(Interval::around(&q)),
        View::Pi => Range::closed(PI, ABOVE_PI),
        View::Sum(terms) => {
            let mut sum = Range::closed(0.0, 0.0);
            for (c, t) in terms {
                let c = Range::of(Interval::around(&c));
                sum = sum.plus(c.times(range(t, assumptions)));
            }
            sum
        }
        View::Product(parts) => {
            let mut product = Range::closed(1.0, 1.0);
            for (b, q) in parts {
                product = match product == Range::closed(1.0, 1.0) {
                    true => power(range(b, assumptions), &q),
                    false => product.times(power(range(b, assumptions), &q)),
                };
            }
            product
        }
        View::Call(f, arguments) => {
            let inner = range(arguments[0], assumptions);
            match f {
                Function::Sin | Function::Cos => Range::closed(-1.0, 1.0),
                Function::Tanh => Range::open(-1.0, 1.0),
                Function::Atan => Range::open(-ABOVE_PI / 2.0, ABOVE_PI / 2.0),
                Function::Asin => Range::closed(-ABOVE_PI / 2.0, ABOVE_PI / 2.0),
                Function::Acos => Range::closed(0.0, ABOVE_PI),
                Function::Atan2 => Range::closed(-ABOVE_PI, ABOVE_PI),
                Function::Exp => Range::open(0.0, f64::INFINITY),
                Function::Cosh => Range {
                    above: false,
                    ..Range::open(1.0, f64::INFINITY)
                },
                Function::Sign => Range::closed(-1.0, 1.0),
                Function::Abs => inner.magnitude(),
                Function::Sinh if inner.is_positive() => Range::open(0.0, f64::INFINITY),
                Function::Min | Function::Max => {
                    let other = range(arguments[1], assumptions);
                    Range {
                        low: inner.low.min(other.low),
                        high: inner.high.max(other.high),
                        above: inner.above && other.above && inner.low == other.low,
                        below: inner.below && other.below && inner.high == other.high,
                    }
                }
                _ => Range::ALL,
            }
        }
        _ => Range::ALL,
    }
}

/// The values of bᵠ.
fn power(base: Range, q: &Rational) -> Range {
    if q.is_one() {
        return base;
    }
    let Some((n, d)) = q.small() else {
        return Range::ALL;
    };
    if n < 0 {
        let below = power(base, &-q);
        // 1/x keeps its sign and is never zero.
        return match (below.is_nonnegative(), below.high <= 0.0) {
            (true, _) if below.high.is_finite() => Range {
                low: (1.0 / below.high).next_down().max(0.0),
                high: f64::INFINITY,
                above: true,
                below: true,
            },
            (true, _) => Range::open(0.0, f64::INFINITY),
            (_, true) => Range::open(f64::NEG_INFINITY, 0.0),
            _ => Range::ALL,
        };
    }
    let value = q.to_f64();
    if n % 2 == 0 {
        return base.magnitude().raised(value);
    }
    if d % 2 == 0 {
        // Defined where the base is not negative.
        let inside = Range {
            low: base.low.max(0.0),
            above: base.low >= 0.0 && base.above,
            ..base
        };
        return match inside.high < 0.0 {
            true => Range::ALL,
            false => inside.raised(value),
        };
    }
    match (base.is_nonnegative(), base.high <= 0.0) {
        (true, _) => base.raised(value),
        (_, true) => base.negative().raised(value).negative(),
        _ => Range {
            low: -base.negative().magnitude().raised(value).high,
            high: base.magnitude().raised(value).high,
            above: true,
            below: true,
        },
    }
}

impl<'p> Expr<'p> {
    /// Whether the expression is different from zero wherever it is defined and the assumptions hold:
    /// proved or certified, or undecided. All real values of all symbols count.
    ///
    /// ```
    /// use galilei_expr::{Assumptions, Pool};
    /// let pool = Pool::new();
    /// let [x, y, m] = pool.symbols(["x", "y", "m"]);
    /// let none = Assumptions::new();
    /// assert!((1 + x.pow(2)).decide_never_zero(&none).is_proved());
    /// assert!((2 - (x - y).cos().pow(2)).decide_never_zero(&none).is_proved());
    /// assert!(!x.decide_never_zero(&none).is_proved());
    /// let massive = Assumptions::new().positive(m);
    /// assert!((m * (1 + y.exp())).decide_never_zero(&massive).is_proved());
    /// ```
    pub fn decide_never_zero(self, assumptions: &Assumptions<'p>) -> Verdict {
        if self.written_size() > MAX_WRITTEN_SIZE {
            return Verdict::Undecided(Reason::OutOfReach("the expression is too long"));
        }
        let proved = || Verdict::Proved(Bound::CERTAIN);
        let known = |e: Self| {
            let assumed = assumptions.iter().any(|a| match a {
                Assumption::NonZero(n) | Assumption::Positive(n) => n == e || n == -e,
            });
            assumed || range(e, assumptions).excludes_zero()
        };
        if known(self) {
            return proved();
        }
        let reading = Reading::new().assuming(assumptions);
        let factors = self.factors(&reading);
        let mut left: Vec<Self> = Vec::new();
        for (f, q) in factors.list {
            let short = f.present(&reading);
            if !q.is_negative() && !known(f) && !known(short) {
                left.push(short);
            }
        }
        for f in left {
            if !f.on_circles() {
                return Verdict::Undecided(Reason::OutOfReach("it may vanish somewhere"));
            }
        }
        proved()
    }

    /// Whether an expression in sines and cosines is certified not to vanish for any values of its angles.
    fn on_circles(self) -> bool {
        let mut angles = Vec::new();
        if !self.collect_angles(false, &mut angles)
            || angles.is_empty()
            || angles.len() > MAX_ANGLES
        {
            return false;
        }
        // A full turn of every multiple that occurs.
        let whole = 2.0 * ABOVE_PI;
        let turn = |period: i64| Interval::new(0.0, whole * period as f64);
        let domain: Vec<_> = angles
            .iter()
            .map(|&(s, period)| (s, turn(period)))
            .collect();
        self.certify_nonzero_on(&domain).is_certified()
    }

    /// The symbols of an expression that is made of numbers, sines and cosines of rational combinations of
    /// symbols, each with the common denominator of its coefficients; false if anything else occurs.
    fn collect_angles(self, inside: bool, out: &mut Vec<(Self, i64)>) -> bool {
        match self.view() {
            View::Number(_) | View::Pi => true,
            View::Symbol(_) if inside => {
                if !out.iter().any(|a| a.0 == self) {
                    out.push((self, 1));
                }
                true
            }
            View::Sum(terms) if inside => terms.into_iter().all(|(c, t)| {
                if t.as_rational().is_some() {
                    return true;
                }
                let Some((_, d)) = c.small() else {
                    return false;
                };
                if !t.is_symbol() || d > 12 {
                    return false;
                }
                match out.iter_mut().find(|a| a.0 == t) {
                    Some(a) => a.1 = (a.1 * d).min(144 * d),
                    None => out.push((t, d)),
                }
                true
            }),
            View::Sum(terms) => terms.into_iter().all(|t| t.1.collect_angles(false, out)),
            View::Product(parts) if !inside => {
                parts.into_iter().all(|p| p.0.collect_angles(false, out))
            }
            View::Call(Function::Sin | Function::Cos, arguments) if !inside => {
                arguments[0].collect_angles(true, out)
            }
            _ => false,
        }
    }

    /// The sign of the expression, 1 or −1, if its structure shows it to be the same wherever the expression is
    /// defined; `None` otherwise.
    pub fn sign_everywhere(self, assumptions: &Assumptions<'p>) -> Option<i32> {
        if self.written_size() > MAX_WRITTEN_SIZE {
            return None;
        }
        let whole = range(self, assumptions);
        let found = match (whole.is_positive(), whole.negative().is_positive()) {
            (true, _) => Some(1),
            (_, true) => Some(-1),
            _ => None,
        };
        found.or_else(|| {
            let short = self.present(&Reading::new().assuming(assumptions));
            let whole = range(short, assumptions);
            match (whole.is_positive(), whole.negative().is_positive()) {
                (true, _) => Some(1),
                (_, true) => Some(-1),
                _ => None,
            }
        })
    }

    /// Whether the expression is nowhere negative where it is defined, as far as its form shows.
    pub fn is_nonnegative_everywhere(self, assumptions: &Assumptions<'p>) -> bool {
        self.written_size() <= MAX_WRITTEN_SIZE && range(self, assumptions).is_nonnegative()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    #[test]
    fn zeros_are_not_overlooked() {
        let pool = Pool::new();
        let [x, y, m] = pool.symbols(["x", "y", "m"]);
        let none = Assumptions::new();
        let positive = Assumptions::new().positive(m);
        let never = |e: Expr<'_>, a: &Assumptions<'_>| {
            let e = pool.expr(e.id());
            let a = a.iter().fold(Assumptions::new(), |s, a| match a {
                Assumption::Positive(p) => s.positive(pool.expr(p.id())),
                Assumption::NonZero(p) => s.nonzero(pool.expr(p.id())),
            });
            e.decide_never_zero(&a).is_proved()
        };
        for e in [
            x,
            x * y + 1,
            x.pow(2) - 1,
            x.sin(),
            1 - x.cos(),
            1 + x.cos(),
            x.pow(3) + 5,
            1 - x.pow(2),
            (x - 1).pow(2),
            x.pow(2) + y.pow(2),
            x.sqrt(),
            x.tanh(),
            2 - x.cos() - y.cos(),
            3 * x.cos().pow(2) - x.sin(),
            m,
            1 - x.exp(),
            x.cosh() - 1,
        ] {
            assert!(!never(e, &none), "{e}");
        }
        for e in [
            1 + x.pow(2),
            x.exp(),
            x.cosh(),
            2 + x.sin(),
            3 - x.cos() - y.cos(),
            x.pow(2) * y.pow(2) + 1,
            x.pow(2) + x + 1 - x,
            x.recip(),
            2 - (x - y).cos().pow(2),
            x.sin().pow(2) + x.cos().pow(2),
            2 - x.tanh(),
            1 + x.sqrt(),
        ] {
            assert!(never(e, &none), "{e}");
        }
        assert!(never(m * (1 + x.pow(2)), &positive));
        assert!(!never(m - 1, &positive));
        assert!(never(m + x.pow(2), &positive));
    }
}
