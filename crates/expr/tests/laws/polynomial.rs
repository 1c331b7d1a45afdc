//! The coefficients of a polynomial, put together again, are the expression.

use galilei_expr::{Expr, NotPolynomial, Pool, Rational};
use proptest::prelude::*;

use crate::draw::Menu;
use crate::law::{Law, cases, hold, not_refuted, proved, trees};

type E<'p> = Expr<'p>;
type Equal = for<'p> fn(&str, E<'p>, E<'p>) -> Law;
/// Exponents and coefficients.
type Terms<'p> = Vec<(Vec<u32>, E<'p>)>;

/// Σ coefficient·Π symbolᵏ = e, the coefficients free of the symbols and not zero, the exponents
/// in order.
fn reassembles<'p>(equal: Equal, e: E<'p>, symbols: &[E<'p>], terms: &Terms<'p>) -> Law {
    let pool = e.pool();
    for (k, (exponents, c)) in terms.iter().enumerate() {
        if exponents.len() != symbols.len() {
            return Err(format!("{exponents:?} for {} symbols", symbols.len()));
        }
        if c.is_zero() || symbols.iter().any(|&s| c.contains(s)) {
            return Err(format!("coefficient {c} of {exponents:?} in {e}"));
        }
        if k > 0 && terms[k - 1].0 >= *exponents {
            return Err(format!("{:?} before {exponents:?}", terms[k - 1].0));
        }
    }
    let sum = pool.sum(terms.iter().map(|(exponents, c)| {
        let powers = symbols
            .iter()
            .zip(exponents)
            .map(|(s, &k)| s.pow(i64::from(k)));
        *c * pool.product(powers)
    }));
    equal("Σ c·Π sᵏ", sum, e)
}

/// The law for what `polynomial` answers; a refusal must name a part with one of the symbols, or
/// a degree that is really exceeded.
fn law<'p>(equal: Equal, e: E<'p>, symbols: &[E<'p>], degree: u32) -> Law {
    match e.polynomial(symbols, degree) {
        Ok(p) => {
            let terms: Terms<'p> = p.terms().map(|(k, c)| (k.to_vec(), c)).collect();
            let largest = terms.iter().map(|t| t.0.iter().sum::<u32>()).max();
            if p.degree() != largest.unwrap_or(0) || p.degree() > degree {
                return Err(format!("degree {} of {e}", p.degree()));
            }
            reassembles(equal, e, symbols, &terms)
        }
        Err(NotPolynomial::Part(part)) => match symbols.iter().any(|&s| part.contains(s)) {
            true => Ok(()),
            false => Err(format!("{part} is free of the symbols")),
        },
        Err(_) => Ok(()),
    }
}

/// Polynomials in everything.
const POLYNOMIAL: Menu = Menu {
    exponents: &[(2, 1), (3, 1), (1, 1), (4, 1)],
    division: false,
    ..Menu::RATIONAL
};

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn polynomials_reassemble(t in trees(POLYNOMIAL, 4)) {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        let e = t.build(&pool);
        hold(law(proved, e, &[x, y], 400))?;
        prop_assert!(!matches!(e.polynomial(&[x, y], 400), Err(NotPolynomial::Part(_))), "{e}");
    }

    #[test]
    fn what_is_read_as_a_polynomial_is_one(t in trees(Menu::ALL, 3)) {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        let e = t.build(&pool);
        hold(law(not_refuted, e, &[x, y], 12))?;
        hold(law(not_refuted, e * x.pow(2) + y * e.substitute(&[(x, pool.one()), (y, pool.one())]), &[x, y], 12))?;
    }
}

#[test]
fn coefficients_may_be_anything() {
    let pool = Pool::new();
    let [x, u, v] = pool.symbols(["x", "u", "v"]);
    let f = pool.function("f");
    let e = (u * x.sin() + v * f.at([x]) + x.sqrt()).pow(3) / x - u * (v + 1).pow(2);
    law(proved, e, &[u, v], 3).unwrap();
    assert_eq!(
        e.polynomial(&[u, v], 2).unwrap_err(),
        NotPolynomial::Degree(2)
    );
    assert!(matches!(
        u.sin().polynomial(&[u], 9),
        Err(NotPolynomial::Part(_))
    ));
    assert!(matches!(
        (1 / u).polynomial(&[u], 9),
        Err(NotPolynomial::Part(_))
    ));
}

/// A base that vanishes only when multiplied out.
#[test]
fn a_hidden_zero_is_zero() {
    let pool = Pool::new();
    let [x, u, v] = pool.symbols(["x", "u", "v"]);
    let zero = (u + v).pow(2) - u.pow(2) - 2 * u * v - v.pow(2);
    for e in [
        zero,
        zero.pow(2),
        zero.pow(3) * u,
        zero.pow(2) + u * x,
        x.sin() * zero,
    ] {
        law(proved, e, &[u, v], 9).unwrap();
    }
    // 1/0 is defined nowhere, and not a polynomial with the coefficient 1.
    for e in [1 / zero, zero.pow(Rational::new(-1, 2)) + u] {
        match e.polynomial(&[u, v], 9) {
            Err(NotPolynomial::Part(_)) => {}
            Ok(p) => assert!(p.coefficient(&[0, 0]).is_undefined(), "{p:?}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn broken_coefficients_are_noticed() {
    let pool = Pool::new();
    let [x, u, v] = pool.symbols(["x", "u", "v"]);
    let e = (u + x * v).pow(2) + u;
    let p = e.polynomial(&[u, v], 2).unwrap();
    let terms: Terms<'_> = p.terms().map(|(k, c)| (k.to_vec(), c)).collect();
    for equal in [proved as Equal, not_refuted] {
        assert!(reassembles(equal, e, &[u, v], &terms).is_ok());
        for k in 0..terms.len() {
            let mut lost = terms.clone();
            lost.remove(k);
            assert!(reassembles(equal, e, &[u, v], &lost).is_err());
            let mut changed = terms.clone();
            changed[k].1 *= 2;
            assert!(reassembles(equal, e, &[u, v], &changed).is_err());
            let mut dependent = terms.clone();
            dependent[k].1 *= u;
            assert!(reassembles(equal, e, &[u, v], &dependent).is_err());
        }
    }
}
