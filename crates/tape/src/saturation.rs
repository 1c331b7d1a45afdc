//! Quotients of functions that overflow: 1/cosh a and exp a/(1 + exp a)² have values where cosh a and exp a have none.
//!
//! An expression that is rational in E = exp |a|, through exp a, sinh a and cosh a, and bounded for large E, differs from
//! its limit by a part of 1/E. So their arguments may end where that is far below rounding.

use galilei_expr::{Expr, ExprId, Function, View};

use crate::hash::Table;

/// The largest argument of exp, sinh and cosh in a bounded quotient: exp(−100) is 4·10⁻⁴⁴, and products of several
/// exp(100) with the coefficients of their series are numbers.
const LARGEST_ARGUMENT: i64 = 100;

/// How an expression depends on E where an argument is large on one side.
#[derive(Clone, Copy, Debug)]
struct Growth {
    /// It depends on the argument through exp, sinh or cosh.
    depends: bool,
    /// It depends on another argument in this way.
    depends_otherwise: bool,
    /// It grows at most like this power of E; infinite if that is not known.
    degree: f64,
    /// It grows exactly so, since nothing cancels.
    exact: bool,
}

/// The growth of an expression that does not depend on E.
const CONSTANT: Growth = Growth {
    depends: false,
    depends_otherwise: false,
    degree: 0.0,
    exact: true,
};

/// The power of E with which a function grows where its argument is large and positive, or large and negative.
fn degree(f: Function, positive: bool) -> Option<f64> {
    match f {
        Function::Exp => Some(if positive { 1.0 } else { -1.0 }),
        Function::Sinh | Function::Cosh => Some(1.0),
        _ => None,
    }
}

/// Expressions that are known to need no other form.
pub(crate) type Plain = Table<ExprId, ()>;

/// All parts of an expression that are not known to be plain, each behind those it consists of.
pub(crate) fn parts<'p>(e: Expr<'p>, plain: &Plain) -> Vec<Expr<'p>> {
    let mut parts = vec![];
    let mut seen: Table<ExprId, bool> = Table::default();
    let mut stack = vec![e];
    while let Some(&e) = stack.last() {
        match seen.insert(e.id(), true) {
            None => {
                seen.insert(e.id(), false);
                let operands = e.view().operands().into_iter();
                stack.extend(
                    operands
                        .filter(|o| !seen.contains_key(&o.id()) && !plain.contains_key(&o.id())),
                );
            }
            Some(done) => {
                stack.pop();
                if !done {
                    parts.push(e);
                }
            }
        }
    }
    parts
}

/// The growth of the last of some parts with an argument on one side.
fn growth<'p>(parts: &[Expr<'p>], argument: Expr<'p>, positive: bool) -> Growth {
    let mut known: Table<ExprId, Growth> = Table::default();
    let mut last = CONSTANT;
    for part in parts {
        let of = |e: &Expr<'p>| known.get(&e.id()).copied().unwrap_or(CONSTANT);
        let view = part.view();
        let operands: Vec<Growth> = view.clone().operands().iter().map(of).collect();
        let depends = operands.iter().any(|g| g.depends);
        let depends_otherwise = operands.iter().any(|g| g.depends_otherwise);
        let (degree, exact) = match &view {
            View::Call(f, list)
                if list[0] == argument && !depends && degree(*f, positive).is_some() =>
            {
                last = Growth {
                    depends: true,
                    degree: degree(*f, positive).unwrap_or_default(),
                    ..CONSTANT
                };
                known.insert(part.id(), last);
                continue;
            }
            View::Sum(terms) => {
                let terms: Vec<Growth> = terms.iter().map(|(_, e)| of(e)).collect();
                let most = terms
                    .iter()
                    .map(|g| g.degree)
                    .fold(f64::NEG_INFINITY, f64::max);
                let mut leading = terms.iter().filter(|g| g.degree == most);
                let exact = leading.next().is_some_and(|g| g.exact) && leading.next().is_none();
                (most, exact)
            }
            View::Product(factors) => {
                let factors = factors.iter().map(|(e, q)| (of(e), q.to_f64()));
                factors.fold((0.0, true), |(sum, exact), (g, q)| {
                    let unknown = g.depends && q < 0.0 && !g.exact;
                    let own = if unknown { f64::INFINITY } else { q * g.degree };
                    (sum + own, exact && g.exact)
                })
            }
            _ if depends => (f64::INFINITY, false),
            _ => (0.0, true),
        };
        let elsewhere = matches!(&view, View::Call(f, _) if self::degree(*f, true).is_some());
        let mixed = matches!(view, View::Product(_)) && depends && depends_otherwise;
        last = Growth {
            depends,
            depends_otherwise: depends_otherwise || elsewhere,
            degree: if mixed || degree.is_nan() {
                f64::INFINITY
            } else {
                degree
            },
            exact: !depends || exact && degree.is_finite() && !mixed,
        };
        known.insert(part.id(), last);
    }
    last
}

/// An expression whose bounded quotients of exp, sinh and cosh do not overflow. It has the values of the given one up to
/// exp(−[`LARGEST_ARGUMENT`]). What is found to be plain is noted, and not looked at again.
pub(crate) fn saturated<'p>(e: Expr<'p>, plain: &mut Plain) -> Expr<'p> {
    let parts = parts(e, plain);
    let mut calls = vec![];
    let mut divides = false;
    for part in &parts {
        match part.view() {
            View::Call(f, list) if degree(f, true).is_some() => calls.push((*part, f, list[0])),
            View::Product(factors) => divides |= factors.iter().any(|(_, q)| q.is_negative()),
            _ => {}
        }
    }
    if calls.is_empty() {
        plain.extend(parts.iter().map(|part| (part.id(), ())));
    }
    if calls.is_empty() || !divides {
        return e;
    }
    let replaced = |&(call, f, argument): &(Expr<'p>, Function, Expr<'p>)| {
        let ends = [true, false].map(|positive| {
            let grows = calls
                .iter()
                .any(|(_, f, a)| *a == argument && degree(*f, positive) == Some(1.0));
            grows && growth(&parts, argument, positive).degree <= 0.0
        });
        let mut inside = argument;
        if ends[0] {
            inside = inside.min(LARGEST_ARGUMENT);
        }
        if ends[1] {
            inside = inside.max(-LARGEST_ARGUMENT);
        }
        (call, inside.apply(f, None))
    };
    let pairs: Vec<(Expr<'p>, Expr<'p>)> = calls.iter().map(replaced).collect();
    e.substitute(&pairs)
}

#[cfg(test)]
mod tests {
    use galilei_expr::Pool;

    use super::*;

    /// Values of 1/cosh and 1/(1 + exp) where cosh and exp overflow, and those of expressions that are not bounded.
    #[test]
    fn bounded_quotients_have_values_everywhere() {
        let pool = Pool::new();
        let x = pool.symbol("x");
        let saturated = |e| saturated(e, &mut Plain::default());
        let at = |e, value: f64| saturated(e).evaluate_f64(&[(x, value)]);
        let step = (1 + x.exp()).recip();
        let pulse = x.cosh().recip();
        for (e, value, wanted) in [
            (step, 2000.0, 0.0),
            (step, -2000.0, 1.0),
            (step.diff(x), 2000.0, 0.0),
            (pulse, -2000.0, 0.0),
            (pulse.diff(x), 2000.0, 0.0),
            (x.sinh() / x.cosh() + x, 2000.0, 2001.0),
            (x * pulse.pow(2), 2000.0, 0.0),
        ] {
            assert!((at(e, value) - wanted).abs() < 1e-35, "{e} at {value}");
        }
        for e in [
            (2 * x).exp() * pulse,
            x.exp().pow(2) * step,
            (x.cosh() - x.sinh()).recip(),
            pulse.log(),
            x.cosh() + pulse,
            (pulse - pulse.pow(2)) * (2 * x).exp(),
        ] {
            assert_eq!(saturated(e), e);
        }
        let e = pulse.diff(x) + step;
        for value in [-90.0f64, -3.0, 0.5, 40.0] {
            assert_eq!(at(e, value), e.evaluate_f64(&[(x, value)]));
        }
    }
}
