//! Equal expressions that have values and series where the given ones lose them.
//!
//! A spring from an anchor a to x pulls with l·(x − a)/√((x − a)²) among other terms. Written as a sum,
//! l·x/√((x − a)²) − l·a/√((x − a)²), each term has a pole at x = a, while their sum is l times a sign. The argument of
//! asin(tanh u) is rounded to 1 where u is large, and asin has no series there; 2·atan(tanh(u/2)) has one everywhere.
//! asin(sin u) is the angle of the point (|cos u|, sin u), and acos(cos u) differs from that of (|sin u|, cos u) by a
//! sign and π/2: their kinks are those of absolute values, where asin and acos have the ends of their domains. atan(tan u)
//! is half the angle of (cos 2u, sin 2u).

use galilei_expr::{Expr, Function, Rational, View};

use crate::saturation::{Plain, parts};

/// The largest number of replacements within replacements.
const MAX_ROUNDS: usize = 8;

/// An equal expression without the poles and ends of domains that its form alone has. Parts that have none are noted, and
/// not looked at again.
pub(crate) fn regular<'p>(mut e: Expr<'p>, known: &mut Plain) -> Expr<'p> {
    for _ in 0..MAX_ROUNDS {
        let parts = parts(e, known);
        let mut pairs = vec![];
        for &part in &parts {
            match replacement(part) {
                Some(better) => pairs.push((part, better)),
                None => _ = known.insert(part.id(), ()),
            }
        }
        if pairs.is_empty() {
            break;
        }
        e = e.substitute(&pairs);
    }
    e
}

fn replacement(part: Expr<'_>) -> Option<Expr<'_>> {
    match part.view() {
        View::Sum(terms) => with_signs(part, &terms),
        View::Product(factors) => without_roots(part, &factors),
        View::Call(f @ (Function::Asin | Function::Acos), list) => {
            let angle = inverse_sine(list[0])?;
            Some(match f {
                Function::Asin => angle,
                _ => part.pool().pi() / 2 - angle,
            })
        }
        View::Call(Function::Atan, list) => match list[0].view() {
            View::Call(Function::Tan, inner) => {
                // Half of the angle of twice the argument: at a pole it jumps as angles do at their cut.
                let twice = 2 * inner[0];
                Some(twice.sin().atan2(twice.cos()) / 2)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The inverse sine of a hyperbolic tangent, a sine or a cosine, without the ends of its domain.
fn inverse_sine(argument: Expr<'_>) -> Option<Expr<'_>> {
    let (negative, function) = match argument.view() {
        View::Sum(terms) => match &terms[..] {
            [(number, function)] if number.to_i64() == Some(-1) => (true, *function),
            _ => return None,
        },
        _ => (false, argument),
    };
    let View::Call(f, inner) = function.view() else {
        return None;
    };
    let u = inner[0];
    let angle = match f {
        Function::Tanh => 2 * (u / 2).tanh().atan(),
        Function::Sin => u.sin().atan2(u.cos().abs()),
        Function::Cos => u.cos().atan2(u.sin().abs()),
        _ => return None,
    };
    Some(if negative { -angle } else { angle })
}

/// A product with |cos u| for √(1 − sin²u), and |sin u| for √(1 − cos²u), as in derivatives of inverse functions.
fn without_roots<'p>(product: Expr<'p>, factors: &[(Expr<'p>, Rational)]) -> Option<Expr<'p>> {
    let other = |(base, q): &(Expr<'p>, Rational)| {
        let halves = matches!(q.small(), Some((_, 2)));
        if halves { other_of_circle(*base) } else { None }
    };
    if !factors.iter().any(|factor| other(factor).is_some()) {
        return None;
    }
    let pool = product.pool();
    let better = factors.iter().map(|factor| match other(factor) {
        Some(other) => other.abs().pow(pool.number(&factor.1 * &Rational::from(2))),
        None => factor.0.pow(pool.number(factor.1.clone())),
    });
    Some(pool.product(better))
}

/// cos u of 1 − sin²u, and sin u of 1 − cos²u.
fn other_of_circle(sum: Expr<'_>) -> Option<Expr<'_>> {
    let View::Sum(terms) = sum.view() else {
        return None;
    };
    let [a, b] = &terms[..] else { return None };
    let one = |(number, e): &(Rational, Expr<'_>)| matches!(e.view(), View::Number(one) if (&one * number).is_one());
    let (_, square) = match (one(a), one(b)) {
        (true, _) => b,
        (_, true) => a,
        _ => return None,
    };
    let minus = |t: &(Rational, Expr<'_>)| t.0.to_i64() == Some(-1);
    let View::Product(factors) = square.view() else {
        return None;
    };
    let [(base, two)] = &factors[..] else {
        return None;
    };
    let squared = two.to_i64() == Some(2) && (minus(a) || minus(b));
    match base.view() {
        View::Call(Function::Sin, inner) if squared => Some(inner[0].cos()),
        View::Call(Function::Cos, inner) if squared => Some(inner[0].sin()),
        _ => None,
    }
}

/// Terms of a sum with the same divisor √(c²).
struct Quotients<'p> {
    root: Expr<'p>,
    c: Expr<'p>,
    /// Coefficients with the terms times √(c²).
    numerators: Vec<(Rational, Expr<'p>)>,
}

/// A sum in which quotients by √(c²) whose numerators together are a multiple of c are one sign of c.
fn with_signs<'p>(sum: Expr<'p>, terms: &[(Rational, Expr<'p>)]) -> Option<Expr<'p>> {
    let pool = sum.pool();
    let mut groups: Vec<Quotients<'p>> = vec![];
    let mut rest = vec![];
    for (coefficient, term) in terms {
        let Some((root, c, numerator)) = divided_by_root(*term) else {
            rest.push(pool.number(coefficient.clone()) * *term);
            continue;
        };
        let entry = (coefficient.clone(), numerator);
        match groups.iter_mut().find(|g| g.root == root) {
            Some(group) => group.numerators.push(entry),
            None => groups.push(Quotients {
                root,
                c,
                numerators: vec![entry],
            }),
        }
    }
    let mut found = false;
    for group in groups {
        match group.quotient() {
            Some(factor) => {
                found = true;
                rest.push(factor * (group.c / group.root));
            }
            None => rest.extend(group.terms().map(|n| n / group.root)),
        }
    }
    found.then(|| pool.sum(rest))
}

/// c of a factor (c²)^q with a half-integer q.
pub(crate) fn root_of_square<'p>((base, q): &(Expr<'p>, Rational)) -> Option<Expr<'p>> {
    let (View::Product(inner), Some((_, 2))) = (base.view(), q.small()) else {
        return None;
    };
    match &inner[..] {
        [(c, two)] if two.to_i64() == Some(2) => Some(*c),
        _ => None,
    }
}

/// The number by which a sum is a multiple of another one with the same terms.
pub(crate) fn proportion(a: Expr<'_>, b: Expr<'_>) -> Option<Rational> {
    let (View::Sum(a), View::Sum(b)) = (a.view(), b.view()) else {
        return None;
    };
    if a.len() != b.len() {
        return None;
    }
    let number = &a[0].0 / &b[0].0;
    let alike = a
        .iter()
        .zip(&b)
        .all(|(a, b)| a.1 == b.1 && a.0 == &number * &b.0);
    alike.then_some(number)
}

/// The divisor √(c²) of a product, c, and the other factors.
fn divided_by_root(term: Expr<'_>) -> Option<(Expr<'_>, Expr<'_>, Expr<'_>)> {
    let View::Product(factors) = term.view() else {
        return None;
    };
    let mut roots = factors.iter().enumerate().filter_map(|(at, factor)| {
        let divides = factor.1.small() == Some((-1, 2));
        let c = root_of_square(factor).filter(|_| divides)?;
        Some((at, factor.0, c))
    });
    let (at, base, c) = roots.next()?;
    let others = factors.iter().enumerate().filter(|(k, _)| *k != at);
    let pool = term.pool();
    let numerator = pool.product(others.map(|(_, (f, q))| f.pow(pool.number(q.clone()))));
    Some((base.sqrt(), c, numerator))
}

impl<'p> Quotients<'p> {
    /// The numerators with their coefficients.
    fn terms(&self) -> impl Iterator<Item = Expr<'p>> {
        let pool = self.c.pool();
        let list = self.numerators.iter();
        list.map(move |(k, n)| pool.number(k.clone()) * *n)
    }

    /// The factor by which the numerators together are a multiple of c, if they are: found from one term of c, and proved.
    fn quotient(&self) -> Option<Expr<'p>> {
        let View::Sum(terms) = self.c.view() else {
            return None;
        };
        if self.numerators.len() < 2 {
            return None;
        }
        let pool = self.c.pool();
        let all = pool.sum(self.terms());
        let leading = terms
            .iter()
            .filter(|t| !matches!(t.1.view(), View::Number(_)));
        leading.into_iter().find_map(|(a, term)| {
            let parts = self.numerators.iter().filter_map(|(k, n)| {
                let quotient = without(*n, *term)?;
                Some(pool.number(k / a) * quotient)
            });
            let factor = pool.sum(parts);
            let multiple = !factor.is_zero() && all.decide_equal(factor * self.c).is_proved();
            multiple.then_some(factor)
        })
    }
}

/// A product without another one that it contains.
fn without<'p>(product: Expr<'p>, other: Expr<'p>) -> Option<Expr<'p>> {
    let factors = |e: Expr<'p>| match e.view() {
        View::Product(list) => list,
        _ => vec![(e, Rational::from(1))],
    };
    let (mut list, pool) = (factors(product), product.pool());
    for (base, q) in factors(other) {
        let held = list.iter_mut().find(|f| f.0 == base)?;
        held.1 = &held.1 - &q;
        if held.1.is_negative() || !held.1.is_integer() {
            return None;
        }
    }
    let factors = list.into_iter().map(|(f, q)| f.pow(pool.number(q)));
    Some(pool.product(factors))
}

#[cfg(test)]
mod tests {
    use galilei_expr::Pool;

    use super::*;

    #[test]
    fn quotients_by_the_size_of_their_numerator_are_signs() {
        let pool = Pool::new();
        let [x, y, k, a] = pool.symbols(["x", "y", "k", "a"]);
        fn size(c: Expr<'_>) -> Expr<'_> {
            c.pow(2).sqrt()
        }
        let half = pool.number(Rational::from(1)) / 2;
        for (c, factor) in [
            (x - 5 * half, 5 + pool.zero()),
            (x - y, 10 + pool.zero()),
            (x - a, k),
            (x - half * y.sin(), 3 * k * y.cos()),
        ] {
            let View::Sum(terms) = c.view() else {
                panic!("{c} is no sum")
            };
            // Term by term, as forces of springs come.
            let apart = terms
                .iter()
                .map(|(q, t)| pool.number(q.clone()) * *t * factor / size(c));
            let sum = pool.sum(apart) + x;
            let found = regular(sum, &mut Plain::default());
            assert_eq!(found, x + factor * (c / size(c)), "{sum}");
        }
        // Nothing is changed where the numerators are no multiple.
        let c = x - y;
        for e in [x / size(c) + y / size(c), x / size(c) + y, x.sqrt() + y] {
            assert_eq!(regular(e, &mut Plain::default()), e);
        }
    }

    /// The values stay, and no end of a domain is left.
    #[test]
    fn inverse_functions_of_their_functions_are_angles() {
        let pool = Pool::new();
        let x = pool.symbol("x");
        let u = 3 * x + 1;
        for e in [
            u.sin().asin(),
            (-u.sin()).asin(),
            u.cos().asin(),
            u.sin().acos(),
            u.cos().acos(),
            (-u.cos()).acos(),
            u.tan().atan(),
            u.sin().asin().diff(x),
            u.cos().acos().diff(x),
            u.cos().acos().pow(2).diff(x).diff(x),
            x * (1 - x.sin().pow(2)).sqrt(),
            (1 - x.cos().pow(2)).pow(Rational::new(-3, 2)),
        ] {
            let found = regular(e, &mut Plain::default());
            let text = found.to_string();
            let kept = ["asin", "acos", "atan(", "tan(", "sqrt", "^(1/2)"];
            assert!(kept.iter().all(|f| !text.contains(f)), "{e}: {text}");
            for k in -40..40 {
                let at = 0.0371 + 0.19 * f64::from(k);
                let [a, b] = [e, found].map(|e| e.evaluate_f64(&[(x, at)]));
                assert!(
                    (a - b).abs() <= 1e-11 * a.abs().max(1.0),
                    "{e} {at}: {a} {b}"
                );
            }
        }
        for e in [
            (2 * x.sin()).asin(),
            (1 - 2 * x.sin().pow(2)).sqrt(),
            (2 - x.sin().pow(2)).sqrt(),
            (1 + x.sin().pow(2)).sqrt(),
            1 - x.sin().pow(2),
        ] {
            assert_eq!(regular(e, &mut Plain::default()), e);
        }
    }

    #[test]
    fn inverse_sines_of_tanh_are_smooth() {
        let pool = Pool::new();
        let x = pool.symbol("x");
        for f in [Function::Asin, Function::Acos] {
            let e = (3 * x).tanh().apply(f, None) * x;
            let found = regular(e, &mut Plain::default());
            assert_ne!(found, e);
            for at in [-30.0, -2.0, -0.1, 0.0, 0.3, 1.0, 40.0] {
                let [a, b] = [e, found].map(|e| e.evaluate_f64(&[(x, at)]));
                assert!((a - b).abs() <= 1e-13 * a.abs().max(1.0), "{at}: {a} {b}");
            }
        }
    }
}
