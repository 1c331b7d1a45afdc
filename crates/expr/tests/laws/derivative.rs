//! The rules of differentiation, and the derivative against a difference quotient.

use galilei_expr::{Expr, Pool, Program, Rational};
use proptest::prelude::*;

use crate::big::{self, Big};
use crate::draw::Menu;
use crate::law::{Law, Spoken, cases, hold, not_refuted, proved, spoken, trees};

type E<'p> = Expr<'p>;
type Equal = for<'p> fn(&str, E<'p>, E<'p>) -> Law;
/// ∂/∂x
type Diff = for<'p> fn(E<'p>, E<'p>) -> E<'p>;

const OURS: Diff = |e, x| e.diff(x);

fn linear<'p>(d: Diff, equal: Equal, [a, b]: [E<'p>; 2], x: E<'p>) -> Law {
    let c = Rational::new(-3, 7);
    equal(
        "(a − 3b/7)′ = a′ − 3b′/7",
        d(a + c.clone() * b, x),
        d(a, x) + c * d(b, x),
    )
}

fn product<'p>(d: Diff, equal: Equal, [a, b]: [E<'p>; 2], x: E<'p>) -> Law {
    equal(
        "(a·b)′ = a′·b + a·b′",
        d(a * b, x),
        d(a, x) * b + a * d(b, x),
    )
}

fn quotient<'p>(d: Diff, equal: Equal, [a, b]: [E<'p>; 2], x: E<'p>) -> Law {
    let rule = (d(a, x) * b - a * d(b, x)) / b.pow(2);
    equal("(a/b)′ = (a′·b − a·b′)/b²", d(a / b, x), rule)
}

/// ∂/∂t of a at x = b(t, …) is ∂a/∂x·∂b/∂t + ∂a/∂t there.
fn chain<'p>(d: Diff, equal: Equal, [a, b]: [E<'p>; 2], x: E<'p>, t: E<'p>) -> Law {
    let at = |e: E<'p>| e.substitute(&[(x, b)]);
    equal(
        "chain rule",
        d(at(a), t),
        at(d(a, x)) * d(b, t) + at(d(a, t)),
    )
}

fn schwarz<'p>(dx: Diff, dy: Diff, equal: Equal, a: E<'p>, [x, y]: [E<'p>; 2]) -> Law {
    equal("∂²a/∂x∂y = ∂²a/∂y∂x", dy(dx(a, x), y), dx(dy(a, y), x))
}

/// The entries of `row` are the derivatives in the symbols, one by one.
fn is_gradient<'p>(equal: Equal, row: &[E<'p>], a: E<'p>, symbols: &[E<'p>]) -> Law {
    row.iter()
        .zip(symbols)
        .try_for_each(|(&entry, &s)| equal("entry of a gradient", entry, a.diff(s)))
}

/// gradient, hessian, jacobian and derivative_along agree with diff.
fn together<'p>(equal: Equal, a: E<'p>, symbols: &[E<'p>]) -> Law {
    let pool = a.pool();
    let gradient = a.gradient(symbols);
    is_gradient(equal, &gradient, a, symbols)?;
    for (row, &s) in a.hessian(symbols).iter().zip(symbols) {
        is_gradient(equal, row, a.diff(s), symbols)?;
    }
    for (row, &g) in pool.jacobian(&gradient, symbols).iter().zip(&gradient) {
        is_gradient(equal, row, g, symbols)?;
    }
    let rates: Vec<(E<'p>, E<'p>)> = symbols.iter().map(|&s| (s, s.sin() + 2)).collect();
    let along = pool.sum(rates.iter().map(|&(s, rate)| rate * a.diff(s)));
    equal("derivative along", a.derivative_along(&rates), along)
}

/// |(a(x+h) − a(x−h))/2h − a′(x)| ≤ C·h², with C seen from a second quotient at 2h.
fn difference_quotient<'p>(d: Diff, a: E<'p>, symbols: &[E<'p>], point: &[Rational]) -> Spoken {
    let function = Program::new(&[a], symbols).map_err(|s| format!("{s} has no value"))?;
    let derivative =
        Program::new(&[d(a, symbols[0])], symbols).map_err(|s| format!("{s} has no value"))?;
    // Everything with 512 bits; h = 2⁻¹²⁰ leaves 2⁻²⁴⁰ of error and 2⁻³⁹⁰ of cancellation.
    let middle = |program: &Program, at: &[Rational]| -> Option<(Big, Big)> {
        let [low, high] = big::ends(&program.balls::<8>(at)[0]?)?;
        let radius: Big = &high - &low;
        Some(((low + high) >> 1, radius))
    };
    let quotient = |k: i64| -> Option<(Big, Big)> {
        let h = Rational::from(2).powi(k, 1 << 10)?;
        let mut at = point.to_vec();
        at[0] = &point[0] + &h;
        let (above, e) = middle(&function, &at)?;
        at[0] = &point[0] - &h;
        let (below, f) = middle(&function, &at)?;
        Some((
            (above - below) >> (k as isize + 1),
            (e + f) >> (k as isize + 1),
        ))
    };
    let (Some((rough, e)), Some((fine, f)), Some((value, g))) =
        (quotient(-119), quotient(-120), middle(&derivative, point))
    else {
        return Ok(false);
    };
    // The error of the second is a third of the difference; eight times that is generous.
    let step = big::abs(&rough - &fine) << 3;
    let tolerance = step + e + f + g + (big::abs(value.clone()) >> 200);
    if big::log2(&tolerance) > big::log2(&value).max(0) - 100 {
        // A kink or a pole is near: the quotient shows nothing.
        return Ok(false);
    }
    let off = big::abs(&fine - &value);
    if off > tolerance {
        return Err(format!(
            "derivative of {a} at {point:?} is {}, the quotient {}",
            value.to_f64().value(),
            fine.to_f64().value()
        ));
    }
    Ok(true)
}

fn points() -> impl Strategy<Value = [Rational; 3]> {
    [-3000i64..3000, -3000i64..3000, -3000i64..3000].prop_map(|n| n.map(|n| Rational::new(n, 1024)))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn derivatives_of_rational_functions_are_proved(t in [trees(Menu::RATIONAL, 3), trees(Menu::RATIONAL, 3)]) {
        let pool = Pool::new();
        let [x, y, z] = pool.symbols(["x", "y", "z"]);
        let list = [t[0].build(&pool), t[1].build(&pool)];
        hold(linear(OURS, proved, list, x))?;
        hold(product(OURS, proved, list, x))?;
        hold(quotient(OURS, proved, list, x))?;
        hold(chain(OURS, proved, list, x, y))?;
        hold(schwarz(OURS, OURS, proved, list[0], [x, y]))?;
        hold(together(proved, list[0], &[x, y, z]))?;
    }
}

#[test]
fn a_derivative_is_the_limit_of_quotients() {
    let part = spoken(1500, &(trees(Menu::ELEMENTARY, 4), points()), |(t, p)| {
        let pool = Pool::new();
        let symbols = pool.symbols(["x", "y", "z"]);
        difference_quotient(OURS, t.build(&pool), &symbols, &p)
    });
    assert!(part > 0.6, "spoke of {part}");
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn no_rule_of_differentiation_is_refuted(t in [trees(Menu::ALL, 3), trees(Menu::ALL, 3)]) {
        let pool = Pool::new();
        let [x, y, z] = pool.symbols(["x", "y", "z"]);
        let list = [t[0].build(&pool), t[1].build(&pool)];
        hold(linear(OURS, not_refuted, list, x))?;
        hold(product(OURS, not_refuted, list, x))?;
        hold(quotient(OURS, not_refuted, list, x))?;
        hold(chain(OURS, not_refuted, list, x, y))?;
        hold(schwarz(OURS, OURS, not_refuted, list[0], [x, y]))?;
        hold(together(not_refuted, list[0], &[x, y, z]))?;
    }
}

/// Each elementary function and each kind of power, at a few points of its domain.
#[test]
fn every_function_has_its_derivative() {
    let pool = Pool::new();
    let [x, y, z] = pool.symbols(["x", "y", "z"]);
    let mut list = vec![
        x.pow(5),
        x.pow(-3),
        x.sqrt(),
        x.pow(Rational::new(-7, 3)),
        x.pow(Rational::new(2, 3)),
        x.pow(y),
        y.pow(x),
        x.if_less(y, x.sin(), x.exp()),
        x.atan2(y),
        y.atan2(x),
        x.min(y),
        y.max(x),
    ];
    list.extend(
        galilei_expr::Function::ALL
            .into_iter()
            .filter(|f| f.arity() == 1)
            .map(|f| (x * y + z).apply(f, None)),
    );
    let point = |x, y, z| [(x, 16), (y, 16), (z, 16)].map(|(n, d)| Rational::new(n, d));
    for e in list {
        for p in [
            point(7, 11, 3),
            point(13, 5, -2),
            point(-7, 11, 3),
            point(9, -4, 5),
        ] {
            difference_quotient(OURS, e, &[x, y, z], &p).unwrap();
        }
    }
}

/// Several rates of one symbol add up, as the formula Σ rateₖ·∂/∂symbolₖ says.
#[test]
fn rates_of_one_symbol_add_up() {
    let pool = Pool::new();
    let [x, u, v] = pool.symbols(["x", "u", "v"]);
    let e = x.sin();
    let along = e.derivative_along(&[(x, u), (x, v)]);
    proved("Σ rateₖ·∂/∂symbolₖ", along, (u + v) * x.cos()).unwrap();
}

/// Where an expression is defined nowhere, so is its derivative.
#[test]
fn what_is_undefined_has_no_derivative() {
    let pool = Pool::new();
    let x = pool.symbol("x");
    let nothing = pool.zero().recip();
    assert!(nothing.diff(x).is_undefined() && nothing.gradient(&[x])[0].is_undefined());
    let half = x.if_less(0, x.pow(2), nothing);
    for derivative in [half.diff(x), half.gradient(&[x])[0]] {
        assert_eq!(derivative.evaluate_f64(&[(x, -1.0)]), -2.0);
        assert!(derivative.evaluate_f64(&[(x, 1.0)]).is_nan());
    }
}

/// A branch that is not taken need not be defined, not for a gradient either.
#[test]
fn a_gradient_looks_only_at_the_branch_that_is_taken() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    for e in [
        x.if_less(0, pool.zero(), x.sqrt()),
        x.if_less(0, -x, (x + 1).log() * y),
        y * x.if_less_equal(1, x.asin(), x).sin(),
    ] {
        for at in [-3.0, 0.5, 2.0] {
            let values = [(x, at), (y, 0.25)];
            let one = e.diff(x).evaluate_f64(&values);
            let all = e.gradient(&[x, y])[0].evaluate_f64(&values);
            assert!(one.is_nan() == all.is_nan(), "{e} at {at}: {one}, {all}");
        }
    }
}

#[test]
fn broken_derivatives_are_noticed() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let list = [x.pow(2) * y, x + y.pow(3)];
    let shifted: Diff = |e, x| e.diff(x) + 1;
    let twisted: Diff = |e, x| e.diff(x) + e;
    let doubled: Diff = |e, x| 2 * e.diff(x);
    let weighted: Diff = |e, x| e.pool().symbol("x") * e.diff(x);
    // The rule of a wrong table: cos′ = sin.
    let table: Diff = |e, x| e.substitute(&[(x.cos(), -x.cos())]).diff(x);
    for equal in [proved as Equal, not_refuted] {
        assert!(linear(shifted, equal, list, x).is_err());
        assert!(product(twisted, equal, list, x).is_err());
        assert!(quotient(twisted, equal, list, x).is_err());
        assert!(chain(doubled, equal, list, x, y).is_err());
        assert!(schwarz(OURS, weighted, equal, list[0], [x, y]).is_err());
        let swapped = [list[0].diff(y), list[0].diff(x)];
        assert!(is_gradient(equal, &swapped, list[0], &[x, y]).is_err());
    }
    let point = [Rational::new(1, 3), Rational::new(2, 3)];
    let e = x.sin() * y + x.cos();
    assert_eq!(difference_quotient(OURS, e, &[x, y], &point), Ok(true));
    assert!(difference_quotient(table, e, &[x, y], &point).is_err());
    let nearly: Diff = |e, x| e.diff(x) * Rational::new((1 << 60) + 1, 1 << 60);
    assert!(difference_quotient(nearly, e, &[x, y], &point).is_err());
}
