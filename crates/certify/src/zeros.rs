//! Zeros of functions that are enclosed by series: each proved to be there once, or not decided.

use galilei_expr::{Enclosures, Interval};

use crate::jets::horner;

/// Bisections of a step before a zero is left undecided.
const MAX_DEPTH: usize = 26;
/// Steps of Newton's method that narrow a zero.
const MAX_NEWTON_STEPS: usize = 60;

/// A function of the time since the start of a step: Σ cᵢsⁱ, with the last coefficient over all of the step.
pub(crate) struct Curve<'c> {
    pub(crate) coefficients: &'c [Interval],
}

/// A place where a function may vanish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Zero {
    /// The time since the start of the step.
    pub(crate) at: Interval,
    /// The sign of the slope of a zero that is proved to be there, once; `None` where that is not decided.
    pub(crate) slope: Option<i32>,
}

fn sign(x: Interval) -> Option<i32> {
    match x {
        _ if x.low() > 0.0 => Some(1),
        _ if x.high() < 0.0 => Some(-1),
        _ => None,
    }
}

impl Curve<'_> {
    /// The values over a span.
    pub(crate) fn value(&self, s: Interval) -> Interval {
        horner(&mut Enclosures::new(), self.coefficients, &s).unwrap_or(Interval::ZERO)
    }

    fn slope(&self, s: Interval) -> Interval {
        let mut sum = Interval::ZERO;
        for (k, c) in self.coefficients.iter().enumerate().skip(1).rev() {
            sum = sum * s + *c * Interval::point(k as f64);
        }
        sum
    }

    /// The largest part of a span, from zero on, on which the function has no zero.
    pub(crate) fn clear_until(&self, end: f64) -> f64 {
        let (mut at, mut length) = (0.0, end);
        while at != end {
            let next = if (end - at).abs() <= length.abs() {
                end
            } else {
                at + length
            };
            if sign(self.value(Interval::point(at).hull(Interval::point(next)))).is_some() {
                at = next;
                length *= 2.0;
            } else {
                length *= 0.5;
                if length.abs() < 1e-17 * end.abs() || at + length == at {
                    break;
                }
            }
        }
        at
    }

    /// All zeros between 0 and `end`. With `leaves`, the function vanishes at 0 itself, and that zero is not listed.
    pub(crate) fn zeros(&self, end: f64, leaves: bool) -> Vec<Zero> {
        let whole = Interval::ZERO.hull(Interval::point(end));
        // Pieces on which the function may vanish, in order, with the sign of the slope there.
        let mut pieces: Vec<(Interval, Option<i32>)> = vec![];
        let mut stack = vec![(whole, 0)];
        while let Some((s, depth)) = stack.pop() {
            if sign(self.value(s)).is_some() {
                continue;
            }
            let slope = sign(self.slope(s));
            let middle = s.middle();
            let short = middle <= s.low() || middle >= s.high();
            if slope.is_some() || depth == MAX_DEPTH || short {
                pieces.push((s, slope));
                continue;
            }
            stack.push((Interval::new(middle, s.high()), depth + 1));
            stack.push((Interval::new(s.low(), middle), depth + 1));
        }
        let mut clusters: Vec<(Interval, Option<i32>)> = vec![];
        for (s, slope) in pieces {
            match clusters.last_mut() {
                Some((last, own)) if last.high() == s.low() => {
                    *last = last.hull(s);
                    *own = own.filter(|o| slope == Some(*o));
                }
                _ => clusters.push((s, slope)),
            }
        }
        let judged = clusters
            .into_iter()
            .filter_map(|(s, slope)| self.judged(s, slope, leaves));
        let mut list: Vec<Zero> = judged.collect();
        if end < 0.0 {
            list.reverse();
        }
        list
    }

    /// The zero in a piece at whose ends the function is not zero, unless they are those of the step.
    fn judged(&self, s: Interval, slope: Option<i32>, leaves: bool) -> Option<Zero> {
        let undecided = Some(Zero { at: s, slope: None });
        let Some(rising) = slope else {
            return undecided;
        };
        // A monotone function that starts from zero has no other.
        if leaves && s.contains(0.0) {
            return None;
        }
        let ends = [s.low(), s.high()].map(|x| sign(self.value(Interval::point(x))));
        match ends {
            [Some(a), Some(b)] if a == b => None,
            [Some(_), Some(_)] => Some(Zero {
                at: self.narrowed(s),
                slope: Some(rising),
            }),
            _ => undecided,
        }
    }

    /// A shorter enclosure of the one zero in an interval. (Interval Newton method)
    fn narrowed(&self, mut s: Interval) -> Interval {
        for _ in 0..MAX_NEWTON_STEPS {
            let middle = s.middle();
            let Some(step) = self
                .value(Interval::point(middle))
                .divided_by(self.slope(s))
            else {
                break;
            };
            let Some(next) = s.intersection(Interval::point(middle) - step) else {
                break;
            };
            let progress = next.width() < 0.9 * s.width();
            s = next;
            if !progress {
                break;
            }
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(coefficients: &[f64], end: f64, leaves: bool) -> Vec<Zero> {
        let coefficients: Vec<Interval> =
            coefficients.iter().map(|c| Interval::point(*c)).collect();
        let curve = Curve {
            coefficients: &coefficients,
        };
        curve.zeros(end, leaves)
    }

    #[test]
    fn simple_zeros_are_found_once_and_double_ones_are_not_decided() {
        // (s − 1)(s − 2)
        let list = zeros(&[2.0, -3.0, 1.0], 3.0, false);
        assert_eq!(list.len(), 2);
        for (zero, at, slope) in [(list[0], 1.0, -1), (list[1], 2.0, 1)] {
            assert!(zero.at.contains(at) && zero.at.width() < 1e-14);
            assert_eq!(zero.slope, Some(slope));
        }
        // (s − 1)²
        let list = zeros(&[1.0, -2.0, 1.0], 3.0, false);
        assert!(list.iter().all(|z| z.slope.is_none()) && list.iter().any(|z| z.at.contains(1.0)));
        // s(s − 1) from its zero on, and from a number that only may be one.
        assert_eq!(zeros(&[0.0, -1.0, 1.0], 0.9, true).len(), 0);
        assert_eq!(zeros(&[0.0, -1.0, 1.0], 0.9, false)[0].slope, None);
        assert_eq!(zeros(&[0.0, -1.0, 1.0], -0.9, true).len(), 0);
        // 1 + s backwards
        let list = zeros(&[1.0, 1.0], -3.0, false);
        assert!(list[0].at.contains(-1.0) && list[0].slope == Some(1));
        assert!(zeros(&[1.0, 0.0, 1.0], 5.0, false).is_empty());
    }
}
