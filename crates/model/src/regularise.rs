//! Expressions pulled back to another chart, in a form without the singularities of the chart they come from.
//!
//! Where old coordinates are given by inverse functions, φ = atan2(y, x), sines and cosines of them are algebraic:
//! sin φ = y/√(x² + y²). What then cancels is cancelled, so that the energy of a spherical pendulum is regular at the
//! pole in coordinates that are.

use galilei_expr::{Assumptions, Expr, Function, Query, Rational, Reading, View, subexpressions};
use galilei_mechanics::{Force, Lagrangian, System};

/// The largest multiple of an angle that is expanded.
const MAX_MULTIPLE: i64 = 4;
/// Rounds of replacement: functions may be nested.
const MAX_ROUNDS: usize = 4;
/// Radicands that are compared in pairs.
const MAX_RADICANDS: usize = 12;

/// Whether a function has values on branches.
fn is_inverse(f: Function) -> bool {
    use Function::{Acos, Asin, Atan, Atan2};
    matches!(f, Acos | Asin | Atan | Atan2)
}

/// Whether expressions contain functions whose sines and cosines are algebraic.
pub(crate) fn has_inverses(list: &[Expr<'_>]) -> bool {
    let all = subexpressions(list.iter().copied());
    let inverse = |e: &Expr<'_>| matches!(e.view(), View::Call(f, _) if is_inverse(f));
    all.iter().any(inverse)
}

/// Whether expressions have poles in some symbols, which may cancel where they are put in: s = −1/a.
pub(crate) fn has_poles<'p>(list: &[Expr<'p>], symbols: &[Expr<'p>]) -> bool {
    let all = subexpressions(list.iter().copied());
    all.iter().any(|e| match e.view() {
        View::Product(factors) => {
            let mut factors = factors.iter();
            factors.any(|(base, exponent)| exponent.is_negative() && base.contains_any(symbols))
        }
        _ => false,
    })
}

/// Sine and cosine of a sum of multiples of inverse functions and other terms, the first of which is an inverse function.
fn sine_and_cosine<'p>(angle: Expr<'p>) -> Option<[Expr<'p>; 2]> {
    let pool = angle.pool();
    let one = pool.one();
    match angle.view() {
        View::Call(f, arguments) => {
            let other = |w: Expr<'p>| (one - w.pow(2)).sqrt();
            match (f, arguments[..].first().copied()?) {
                (Function::Acos, w) => Some([other(w), w]),
                (Function::Asin, w) => Some([w, other(w)]),
                (Function::Atan, w) => {
                    let hypotenuse = (one + w.pow(2)).sqrt();
                    Some([w / hypotenuse, one / hypotenuse])
                }
                (Function::Atan2, y) => {
                    let x = arguments[1];
                    let hypotenuse = (x.pow(2) + y.pow(2)).sqrt();
                    Some([y / hypotenuse, x / hypotenuse])
                }
                _ => None,
            }
        }
        View::Sum(terms) => {
            let known = |t: &(Rational, Expr<'p>)| {
                let k = t.0.to_i64().filter(|k| k.abs() <= MAX_MULTIPLE)?;
                Some((k, sine_and_cosine(t.1)?))
            };
            let at = terms.iter().position(|t| known(t).is_some())?;
            let (k, [s, c]) = known(&terms[at])?;
            let mut turned = [pool.zero(), one];
            for _ in 0..k.abs() {
                turned = [turned[0] * c + turned[1] * s, turned[1] * c - turned[0] * s];
            }
            if k < 0 {
                turned[0] = -turned[0];
            }
            let rest = terms.iter().enumerate().filter(|t| t.0 != at);
            let rest = pool.sum(rest.map(|(_, (q, e))| pool.number(q.clone()) * *e));
            let [rs, rc] = match sine_and_cosine(rest) {
                Some(found) => found,
                None => [rest.sin(), rest.cos()],
            };
            Some([
                turned[0] * rc + turned[1] * rs,
                turned[1] * rc - turned[0] * rs,
            ])
        }
        _ => None,
    }
}

/// Expressions with sines and cosines of inverse functions as algebraic functions.
pub(crate) fn algebraic<'p>(list: &[Expr<'p>]) -> Vec<Expr<'p>> {
    let mut list = list.to_vec();
    for _ in 0..MAX_ROUNDS {
        let mut pairs = Vec::new();
        for e in subexpressions(list.iter().copied()) {
            let View::Call(f, arguments) = e.view() else {
                continue;
            };
            let replaced = match f {
                Function::Sin => sine_and_cosine(arguments[0]).map(|[s, _]| s),
                Function::Cos => sine_and_cosine(arguments[0]).map(|[_, c]| c),
                Function::Tan => sine_and_cosine(arguments[0]).map(|[s, c]| s / c),
                _ => None,
            };
            pairs.extend(replaced.map(|r| (e, r)));
        }
        let Some(first) = list.first().filter(|_| !pairs.is_empty()) else {
            break;
        };
        list = first.pool().substitute_all(&list, &pairs);
    }
    same_radicands(list)
}

/// Expressions in which equal radicands have one form, so that their roots cancel.
fn same_radicands(list: Vec<Expr<'_>>) -> Vec<Expr<'_>> {
    let mut radicands: Vec<Expr<'_>> = Vec::new();
    for e in subexpressions(list.iter().copied()) {
        let factors = match e.view() {
            View::Product(factors) => factors,
            _ => continue,
        };
        for (base, exponent) in factors {
            let sum = matches!(base.view(), View::Sum(_));
            if exponent.to_i64().is_none() && sum && !radicands.contains(&base) {
                radicands.push(base);
            }
        }
    }
    if radicands.len() < 2 || radicands.len() > MAX_RADICANDS {
        return list;
    }
    radicands.sort_by_key(|e| e.written_size());
    let mut pairs = Vec::new();
    for (k, &e) in radicands.iter().enumerate() {
        let equal = |other: &&Expr<'_>| Query::equal(e, **other).decide().verdict.is_proved();
        if let Some(&first) = radicands[..k].iter().find(equal) {
            pairs.push((e, first));
        }
    }
    match (pairs.is_empty(), list.first()) {
        (false, Some(first)) => first.pool().substitute_all(&list, &pairs),
        _ => list,
    }
}

/// Expressions pulled back from a chart with inverse functions, shortened.
pub(crate) fn regular<'p>(list: &[Expr<'p>], assumptions: &Assumptions<'p>) -> Vec<Expr<'p>> {
    let reading = Reading::new().assuming(assumptions);
    let list = algebraic(list).into_iter();
    list.map(|e| e.present(&reading)).collect()
}

/// A Lagrangian that is quadratic in the velocities by its metric, its covector and its potential, each shortened.
pub(crate) fn regular_lagrangian<'p>(
    lagrangian: &Lagrangian<'p>,
    assumptions: &Assumptions<'p>,
) -> Lagrangian<'p> {
    let state = lagrangian.state();
    let (pool, u) = (state.pool(), state.velocities());
    let function = algebraic(&[lagrangian.function()])[0];
    let g: Vec<Expr<'p>> = function.hessian(u).into_iter().flatten().collect();
    let still: Vec<_> = u.iter().map(|&u| (u, pool.zero())).collect();
    let g = regular(&g, assumptions);
    if g.iter().any(|e| e.contains_any(u)) {
        return Lagrangian::new(state, regular(&[function], assumptions)[0]);
    }
    let linear = pool.substitute_all(&function.gradient(u), &still);
    let rest = function.substitute(&still);
    let linear = regular(&linear, assumptions);
    let rest = regular(&[rest], assumptions)[0];
    let n = u.len();
    let half = pool.number(Rational::new(1, 2));
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let squares = pool.sum(pairs.map(|(i, j)| half * g[i * n + j] * u[i] * u[j]));
    let products = pool.sum((0..n).map(|i| linear[i] * u[i]));
    Lagrangian::new(state, pool.sum([squares, products, rest]))
}

/// A system pulled back from a chart with inverse functions, in a form that is regular where the new chart is.
pub(crate) fn regular_system<'p>(system: &System<'p>, assumptions: &Assumptions<'p>) -> System<'p> {
    let moved = System::new(regular_lagrangian(system.lagrangian(), assumptions));
    system.forces().iter().fold(moved, |moved, (name, f)| {
        let components = regular(f.components(), assumptions);
        moved.with_force(name, Force::new(system.state(), components))
    })
}
