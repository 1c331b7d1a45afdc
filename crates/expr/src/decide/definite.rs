//! Positive definiteness, by enclosures.

use super::certify::{Answer, on_boxes};
use super::verdict::{Reason, Verdict, Witness};
use crate::evaluate::{Ball, Balls, Fail, Interval, Intervals, Program};
use crate::expr::Expr;
use crate::number::Rational;

/// A symmetric matrix of expressions, asked for its definiteness.
///
/// ```
/// use galilei_expr::{Interval, Pool, Rational, SymmetricMatrix};
/// let pool = Pool::new();
/// let x = pool.symbol("x");
/// let g = SymmetricMatrix::new(vec![vec![pool.number(2), x.cos()], vec![x.cos(), pool.one()]]).unwrap();
/// assert!(g.positive_definite_at(&[(x, Rational::new(1, 3))]).is_certified());
/// assert!(g.positive_definite_on(&[(x, Interval::new(-10.0, 10.0))]).is_certified());
/// ```
#[derive(Clone, Debug)]
pub struct SymmetricMatrix<'p> {
    rows: Vec<Vec<Expr<'p>>>,
}

impl<'p> SymmetricMatrix<'p> {
    /// The matrix with these rows; `None` unless it is square and its handles symmetric.
    pub fn new(rows: Vec<Vec<Expr<'p>>>) -> Option<Self> {
        let n = rows.len();
        if let Some(first) = rows.first().and_then(|r| r.first()) {
            first.pool().indices(rows.iter().flatten().copied());
        }
        let square = n > 0 && rows.iter().all(|r| r.len() == n);
        let symmetric = square && (0..n).all(|i| (0..i).all(|j| rows[i][j] == rows[j][i]));
        symmetric.then_some(Self { rows })
    }

    fn program(&self, inputs: &[Expr<'p>]) -> Option<Program> {
        let entries: Vec<Expr<'p>> = self.rows.iter().flatten().copied().collect();
        Program::new(&entries, inputs).ok()
    }

    /// Whether the matrix is positive definite at given numbers: certified, refuted, or undecided.
    pub fn positive_definite_at(&self, values: &[(Expr<'p>, Rational)]) -> Verdict {
        let symbols: Vec<Expr<'p>> = values.iter().map(|v| v.0).collect();
        let point: Vec<Rational> = values.iter().map(|v| v.1.clone()).collect();
        let Some(program) = self.program(&symbols) else {
            return Verdict::Undecided(Reason::OutOfReach("a symbol has no value"));
        };
        let inputs: Vec<Ball<4>> = point.iter().map(Ball::rational).collect();
        let mut outputs = program.run(&mut Balls::<4>::new(), &inputs);
        let implicit = program.is_implicit();
        if implicit {
            // Values by iteration are no enclosures: they may refute, and certify nothing.
            let near: Vec<f64> = point.iter().map(Rational::to_f64).collect();
            let exact = |x: f64| Rational::from_f64(x).ok_or(Fail::Undefined);
            outputs = (program.f64(&near).into_iter())
                .map(|x| exact(x).map(|q| Ball::rational(&q)))
                .collect();
        }
        if outputs.contains_fail(Fail::Undefined) {
            return Verdict::Undecided(Reason::DefinedNowhere);
        }
        let Ok(entries) = outputs.into_iter().collect::<Result<Vec<_>, _>>() else {
            return Verdict::Undecided(Reason::Unseen);
        };
        match pivots(
            self.rows.len(),
            entries,
            Ball::mul,
            Ball::sub,
            |a, b| a.div(b),
            ball_sign,
        ) {
            Answer::Yes if implicit => Verdict::Sampled(0.0),
            Answer::Yes => Verdict::Certified,
            Answer::No => {
                let pool = self.rows[0][0].pool();
                let pairs: Vec<(Expr<'p>, Expr<'p>)> = values
                    .iter()
                    .map(|(s, q)| (*s, pool.number(q.clone())))
                    .collect();
                Verdict::Refuted(Witness::new(&pairs))
            }
            Answer::Unknown => Verdict::Undecided(Reason::Unseen),
        }
    }

    /// Whether the matrix is positive definite everywhere on a box. Cuts the box where enclosures
    /// are too wide; undecided if that does not end.
    pub fn positive_definite_on(&self, domain: &[(Expr<'p>, Interval)]) -> Verdict {
        let symbols: Vec<Expr<'p>> = domain.iter().map(|v| v.0).collect();
        let Some(program) = self.program(&symbols) else {
            return Verdict::Undecided(Reason::OutOfReach("a symbol has no range"));
        };
        let whole = domain.iter().map(|v| v.1).collect();
        let part = on_boxes(whole, |part| {
            let entries: Result<Vec<Interval>, Fail> =
                program.run(&mut Intervals, part).into_iter().collect();
            let Ok(entries) = entries else {
                return Answer::Unknown;
            };
            let sign = |v: &Interval| {
                if v.low() > 0.0 {
                    Answer::Yes
                } else if v.high() <= 0.0 {
                    Answer::No
                } else {
                    Answer::Unknown
                }
            };
            let divide = |a: &Interval, b: &Interval| Some(a.product(b.recip()?));
            let (mul, sub) = (
                |a: &Interval, b: &Interval| a.product(*b),
                |a: &Interval, b: &Interval| a.difference(*b),
            );
            pivots(self.rows.len(), entries, mul, sub, divide, sign)
        });
        match part {
            Ok(()) => Verdict::Certified,
            Err(None) => Verdict::Undecided(Reason::Unseen),
            Err(Some(part)) => {
                let middle =
                    |v: &Interval| Rational::from_f64(v.middle()).unwrap_or(Rational::ZERO);
                let at: Vec<(Expr<'p>, Rational)> = symbols
                    .iter()
                    .zip(&part)
                    .map(|(&s, v)| (s, middle(v)))
                    .collect();
                self.positive_definite_at(&at)
            }
        }
    }
}

trait ContainsFail {
    fn contains_fail(&self, fail: Fail) -> bool;
}
impl<V> ContainsFail for Vec<Result<V, Fail>> {
    fn contains_fail(&self, fail: Fail) -> bool {
        self.iter().any(|v| matches!(v, Err(f) if *f == fail))
    }
}

fn ball_sign<const N: usize>(v: &Ball<N>) -> Answer {
    use crate::evaluate::ProvenSign;
    match v.sign() {
        ProvenSign::Positive => Answer::Yes,
        ProvenSign::Negative | ProvenSign::Zero => Answer::No,
        ProvenSign::Unknown => Answer::Unknown,
    }
}

/// The pivots of elimination: all positive exactly if the matrix is positive definite.
fn pivots<V: Clone>(
    n: usize,
    mut a: Vec<V>,
    mul: impl Fn(&V, &V) -> V,
    sub: impl Fn(&V, &V) -> V,
    div: impl Fn(&V, &V) -> Option<V>,
    sign: impl Fn(&V) -> Answer,
) -> Answer {
    for k in 0..n {
        match sign(&a[k * n + k]) {
            Answer::Yes => {}
            other => return other,
        }
        for i in k + 1..n {
            let Some(factor) = div(&a[i * n + k], &a[k * n + k]) else {
                return Answer::Unknown;
            };
            for j in k + 1..=i {
                let entry = sub(&a[i * n + j], &mul(&factor, &a[j * n + k]));
                a[i * n + j] = entry.clone();
                a[j * n + i] = entry;
            }
        }
    }
    Answer::Yes
}
