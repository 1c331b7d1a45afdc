//! Inequalities on boxes, by enclosures and subdivision.

use super::verdict::{Reason, Verdict, Witness};
use crate::evaluate::{Ball, Balls, Fail, Interval, Program, SharpEnclosures};
use crate::expr::Expr;
use crate::number::Rational;

/// The number of parts into which a box is cut before the search is given up.
const MAX_BOXES: usize = 4096;

/// The answer that an enclosure gives to a claim about a box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Answer {
    Yes,
    No,
    Unknown,
}

/// Bisects a box until every part answers yes, one answers no (and is returned), or there are too many parts.
pub(super) fn on_boxes(
    domain: Vec<Interval>,
    mut ask: impl FnMut(&[Interval]) -> Answer,
) -> Result<(), Option<Vec<Interval>>> {
    let mut pending = vec![domain];
    let mut count = 0;
    while let Some(part) = pending.pop() {
        count += 1;
        if count > MAX_BOXES {
            return Err(None);
        }
        match ask(&part) {
            Answer::Yes => {}
            Answer::No => return Err(Some(part)),
            Answer::Unknown => {
                let widest =
                    (0..part.len()).max_by(|&i, &j| part[i].width().total_cmp(&part[j].width()));
                let Some(k) = widest else { return Err(None) };
                let middle = part[k].middle();
                if !(part[k].low() < middle && middle < part[k].high()) {
                    return Err(None);
                }
                let (mut left, mut right) = (part.clone(), part);
                left[k] = Interval::new(left[k].low(), middle);
                right[k] = Interval::new(middle, right[k].high());
                pending.push(left);
                pending.push(right);
            }
        }
    }
    Ok(())
}

impl<'p> Expr<'p> {
    /// Whether the expression is defined and not zero everywhere on a box: certified, or undecided.
    ///
    /// ```
    /// use galilei_expr::{Interval, Pool};
    /// let pool = Pool::new();
    /// let x = pool.symbol("x");
    /// let determinant = 2 - x.cos().pow(2);
    /// assert!(determinant.certify_nonzero_on(&[(x, Interval::new(-9.0, 9.0))]).is_certified());
    /// assert!(!x.sin().certify_nonzero_on(&[(x, Interval::new(-1.0, 1.0))]).is_certified());
    /// ```
    pub fn certify_nonzero_on(self, domain: &[(Expr<'p>, Interval)]) -> Verdict {
        self.certify(
            domain,
            |v| {
                if v.excludes_zero() {
                    Answer::Yes
                } else {
                    Answer::Unknown
                }
            },
            |_| None,
        )
    }

    /// Whether |self| ≤ `bound` everywhere on a box: certified, refuted with a point, or undecided.
    pub fn certify_at_most(self, bound: &Rational, domain: &[(Expr<'p>, Interval)]) -> Verdict {
        let limit = Interval::around(bound);
        self.certify(
            domain,
            |v| {
                if v.magnitude() <= limit.low() {
                    Answer::Yes
                } else if v.excludes_zero() && v.low().abs().min(v.high().abs()) > limit.high() {
                    Answer::No
                } else {
                    Answer::Unknown
                }
            },
            |v| {
                let over = v.to_f64().abs() - limit.high();
                Some(over > 0.0 && v.radius_log2() < over.log2() - 1.0)
            },
        )
    }

    /// Decides a claim on a box; `refutes` examines the exact value in the middle of a part that answered no.
    fn certify(
        self,
        domain: &[(Expr<'p>, Interval)],
        ask: impl Fn(Interval) -> Answer,
        refutes: impl Fn(&Ball<4>) -> Option<bool>,
    ) -> Verdict {
        let symbols: Vec<Expr<'p>> = domain.iter().map(|d| d.0).collect();
        let Ok(program) = Program::new(&[self], &symbols) else {
            return Verdict::Undecided(Reason::OutOfReach("a symbol has no range"));
        };
        let whole = domain.iter().map(|d| d.1).collect();
        let mut enclosures = SharpEnclosures::default();
        let part = on_boxes(whole, |part| match program.run(&mut enclosures, part)[0] {
            Ok(v) => ask(v),
            Err(Fail::Undefined | Fail::Unknown) => Answer::Unknown,
        });
        let part = match part {
            Ok(()) => return Verdict::Certified,
            Err(None) => return Verdict::Undecided(Reason::Unseen),
            Err(Some(part)) => part,
        };
        let point: Vec<Rational> = part
            .iter()
            .map(|v| Rational::from_f64(v.middle()).unwrap_or(Rational::ZERO))
            .collect();
        let inputs: Vec<Ball<4>> = point.iter().map(Ball::rational).collect();
        let value = program.run(&mut Balls::<4>::new(), &inputs).remove(0);
        match value.ok().and_then(|v| refutes(&v)) {
            Some(true) => {
                let pool = self.pool();
                let pairs: Vec<(Expr<'p>, Expr<'p>)> = symbols
                    .iter()
                    .zip(point)
                    .map(|(&s, q)| (s, pool.number(q)))
                    .collect();
                Verdict::Refuted(Witness::new(&pairs))
            }
            _ => Verdict::Undecided(Reason::Unseen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    #[test]
    fn bounds_on_a_box() {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        let domain = [(x, Interval::new(-1.0, 1.0)), (y, Interval::new(0.0, 2.0))];
        let e = x * y.sin();
        assert!(e.certify_at_most(&Rational::ONE, &domain).is_certified());
        let verdict = e.certify_at_most(&Rational::new(1, 2), &domain);
        assert!(verdict.is_refuted(), "{verdict}");
        assert!((x + 2).certify_nonzero_on(&domain).is_certified());
        // A zero on the box, also one at its edge, is never certified away.
        assert!(!(x + 1).certify_nonzero_on(&domain).is_certified());
        assert!(!(x * y - 1).certify_nonzero_on(&domain).is_certified());
        assert!(!x.recip().certify_nonzero_on(&domain).is_certified());
    }
}
