//! Domains with thin parts.
//!
//! √((x − 1)²·y) is defined for y ≥ 0, and for x = 1 whatever y: a wall that sticks out of the
//! domain, and that no random point meets. A claim without signs that is proved by algebra holds
//! there too. One that depends on signs may not: |y| = y fails on the wall only.

use super::Query;
use super::setup::Setup;
use crate::build::Sign;
use crate::evaluate::Step;
use crate::expr::Expr;
use crate::node::Ix;
use crate::number::Rational;
use crate::view::View;

/// The condition on an expression under which a claim is defined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    NonNegative,
    Positive,
    NonZero,
}

/// An expression and the condition that it must satisfy.
pub(super) type Condition = (Ix, Kind);

/// Symbols up to which all combinations of signs are enumerated: 3⁷ cells.
const MAX_SYMBOLS: usize = 7;

impl<'p> Setup<'p> {
    /// Whether the set on which the conditions hold is contained in the closure of its interior.
    /// Conditions without common symbols are examined separately. A group passes for one of four reasons:
    /// it has no closed condition; it has only affine closed conditions, so that the set is
    /// convex; its only condition has no zero at which its gradient vanishes; or all conditions are monomials,
    /// and every wall between orthants borders on an orthant in which they hold.
    pub(super) fn domain_is_thick(&self, conditions: &[Condition]) -> bool {
        let void = |c: &&Condition| {
            let sign = self.pool.builder().sign(c.0);
            sign == Sign::Positive || (sign == Sign::NonNegative && c.1 == Kind::NonNegative)
        };
        let mut rest: Vec<(Expr<'p>, Kind)> = conditions
            .iter()
            .filter(|c| !void(c))
            .map(|&(ix, kind)| (Expr::new(self.pool, ix), kind))
            .collect();
        // A positive expression needs no separate condition of being nonnegative or not zero.
        let positive: Vec<Expr<'p>> = rest
            .iter()
            .filter(|c| c.1 == Kind::Positive)
            .map(|c| c.0)
            .collect();
        rest.retain(|c| c.1 == Kind::Positive || !positive.contains(&c.0));
        // A condition in one branch says nothing about the other.
        if !rest.is_empty() && self.program.steps.iter().any(|s| matches!(s, Step::If(..))) {
            return false;
        }
        while let Some(first) = rest.pop() {
            let mut symbols = first.0.symbols();
            let mut group = vec![first];
            while let Some(k) = rest
                .iter()
                .position(|c| c.0.symbols().iter().any(|s| symbols.contains(s)))
            {
                let next = rest.swap_remove(k);
                symbols.extend(next.0.symbols());
                group.push(next);
            }
            symbols.sort_by_key(|s| s.to_string());
            symbols.dedup();
            if !is_thick(&group, &symbols) {
                return false;
            }
        }
        true
    }
}

fn is_thick(group: &[(Expr<'_>, Kind)], symbols: &[Expr<'_>]) -> bool {
    if group.iter().all(|c| c.1 != Kind::NonNegative) {
        return true;
    }
    if group.iter().all(|c| c.1 != Kind::NonZero && is_affine(c.0)) {
        return true;
    }
    if let [(only, _)] = group
        && has_regular_zeros(*only)
    {
        return true;
    }
    let monomials: Option<Vec<(Monomial, Kind)>> = group
        .iter()
        .map(|&(e, kind)| Some((monomial(e, symbols)?, kind)))
        .collect();
    monomials
        .is_some_and(|m| symbols.len() <= MAX_SYMBOLS && walls_border_orthants(&m, symbols.len()))
}

fn is_affine(e: Expr<'_>) -> bool {
    e.polynomial(&e.symbols(), 1)
        .is_ok_and(|p| p.terms().all(|(_, c)| c.as_rational().is_some()))
}

/// Whether A = 0 and ∇A = 0 have no common solution, for an evident reason.
fn has_regular_zeros(e: Expr<'_>) -> bool {
    let symbols = e.symbols();
    // A slope that is a number other than zero.
    let steep = symbols.iter().any(|&s| {
        let slope = e
            .polynomial(&[s], 1)
            .map(|p| p.coefficient(&[1]).as_rational());
        matches!(slope, Ok(Some(q)) if !q.is_zero())
    });
    if steep {
        return true;
    }
    // A = c + Q with c ≠ 0 and Q homogeneous of degree d ≠ 0 (Euler: x·∇Q = d·Q): where ∇A = 0,
    // Q = 0.
    let zero = e.pool().zero();
    let at_zero: Vec<(Expr<'_>, Expr<'_>)> = symbols.iter().map(|&s| (s, zero)).collect();
    let c = e.substitute(&at_zero);
    if c.as_rational().is_none_or(|q| q.is_zero()) {
        return false;
    }
    let euler = e.pool().sum(symbols.iter().map(|&s| s * e.diff(s)));
    (1..=6).any(|d| {
        let claim = euler - Rational::from(d) * (e - c);
        Query::zero(claim).decide().is_proved()
    })
}

/// A sign and the exponent of each symbol.
type Monomial = (i32, Vec<i64>);

fn monomial<'p>(e: Expr<'p>, symbols: &[Expr<'p>]) -> Option<Monomial> {
    let (sign, rest) = match e.view() {
        View::Sum(terms) => match terms.as_slice() {
            [(c, t)] => (c.signum(), *t),
            _ => return None,
        },
        _ => (1, e),
    };
    let factors = match rest.view() {
        View::Product(factors) => factors,
        View::Symbol(_) => vec![(rest, Rational::ONE)],
        _ => return None,
    };
    let mut exponents = vec![0; symbols.len()];
    for (base, q) in factors {
        let k = symbols.iter().position(|s| *s == base)?;
        exponents[k] = q.to_i64()?;
    }
    Some((sign, exponents))
}

/// Signs of the symbols: −1, 0, 1. Every pattern with zeros at which the conditions hold must
/// have an adjacent pattern without zeros at which they hold.
fn walls_border_orthants(conditions: &[(Monomial, Kind)], n: usize) -> bool {
    let holds = |signs: &[i64]| {
        conditions.iter().all(|((sign, exponents), kind)| {
            let mut value = i64::from(*sign);
            for (&s, &k) in signs.iter().zip(exponents) {
                if k < 0 && s == 0 {
                    return false;
                }
                if k != 0 {
                    value *= if k % 2 == 0 { s * s } else { s };
                }
            }
            match kind {
                Kind::NonNegative => value >= 0,
                Kind::Positive => value > 0,
                Kind::NonZero => value != 0,
            }
        })
    };
    let pattern = |code: usize| -> Vec<i64> {
        (0..n)
            .map(|k| (code / 3usize.pow(k as u32) % 3) as i64 - 1)
            .collect()
    };
    (0..3usize.pow(n as u32)).map(pattern).all(|signs| {
        let zeros: Vec<usize> = (0..n).filter(|&k| signs[k] == 0).collect();
        zeros.is_empty()
            || !holds(&signs)
            || (0..1usize << zeros.len()).any(|bits| {
                let mut near = signs.clone();
                for (b, &k) in zeros.iter().enumerate() {
                    near[k] = if bits >> b & 1 == 1 { 1 } else { -1 };
                }
                holds(&near)
            })
    })
}
