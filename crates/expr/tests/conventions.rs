//! The conventions of CONVENTIONS.md, one test each.

mod common;

use common::{read, read_claim};
use galilei_expr::{Expr, Notation, Pool, Rational};

fn proved(claim: &str) {
    let pool = Pool::new();
    let verdict = read_claim(&pool, claim).decide().verdict;
    assert!(verdict.is_proved(), "{claim}: {verdict}");
}

fn refuted(claim: &str) {
    let pool = Pool::new();
    let verdict = read_claim(&pool, claim).decide().verdict;
    assert!(verdict.is_refuted(), "{claim}: {verdict}");
}

#[test]
fn roots() {
    proved("(-8)^(1/3) = -2");
    proved("x^(2/3) = (x^(1/3))^2");
    proved("(-x)^(1/3) = -x^(1/3)");
    proved("sqrt(x^2) = abs(x)");
    refuted("sqrt(x^2) = x");
    refuted("sqrt(x^2) = -abs(x)");
}

#[test]
fn powers() {
    let pool = Pool::new();
    assert_eq!(read(&pool, "x^y"), read(&pool, "exp(y*log(x))"));
    assert_eq!(read(&pool, "0^0"), pool.one());
    // Defined for positive x only, so the sign of x does not matter.
    proved("x^y*abs(x) = x^y*x");
}

#[test]
fn ranges() {
    let pool = Pool::new();
    assert_eq!(read(&pool, "sign(0)"), pool.zero());
    assert_eq!(read(&pool, "atan2(0, -1)"), pool.pi());
    assert!(read(&pool, "atan2(0, 0)").is_undefined());
    for (text, value) in [
        ("asin(-1)", -std::f64::consts::FRAC_PI_2),
        ("acos(-1)", std::f64::consts::PI),
        ("atan2(-1, -1)", -3.0 * std::f64::consts::FRAC_PI_4),
    ] {
        let got = read(&pool, text).evaluate_f64(&[]);
        assert!((got - value).abs() <= 4.0 * f64::EPSILON, "{text} = {got}");
    }
}

#[test]
fn undefined_swallows() {
    let pool = Pool::new();
    for text in [
        "1/0",
        "0*(1/0)",
        "1/0 - 1/0",
        "sin(1/0)",
        "(-1)^(1/2)",
        "x + 0^(-1/2)",
        "log(-2)",
    ] {
        assert!(read(&pool, text).is_undefined(), "{text}");
    }
}

#[test]
fn equality() {
    proved("sqrt(x)*sqrt(x) = abs(x)");
    proved("sqrt(x) - sqrt(x) + abs(x) = x");
    proved("(x^2 - 1)/(x - 1) = x + 1");
    refuted("sqrt(x^2) + x = 2*x");
}

#[test]
fn kinks() {
    let pool = Pool::new();
    let x = pool.symbol("x");
    assert_eq!(x.abs().diff(x), x.sign());
    assert_eq!(x.sign().diff(x), pool.zero());
    proved("diff(max(x, y), x) = (1 + sign(x - y))/2");
    refuted("sign(x)^2 = 1");
}

#[test]
fn partial_derivatives() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let f = pool.function("f").at([x, y]);
    assert_eq!(f.diff(x).diff(y).diff(x).to_string(), "f[1,1,2](x, y)");
    assert_eq!(f.diff(x).diff(y), f.diff(y).diff(x));
    assert_eq!(f.diff(y).to_unicode(), "∂₂f(x, y)");
}

#[test]
fn reading_order() {
    let pool = Pool::new();
    for (text, model, unicode) in [
        ("1 - 2*x + x^2", "x^2 - 2*x + 1", "x² − 2 x + 1"),
        ("-x + y", "y - x", "y − x"),
        ("m*l^2*theta'^2/2", "l^2*m*theta'^2/2", "½ l² m θ̇²"),
        (
            "x*sin(theta_1 - theta_2)/sqrt(r)",
            "x*sin(theta_1 - theta_2)/sqrt(r)",
            "x sin(θ₁ − θ₂)/√r",
        ),
        ("9.81*m", "9.81*m", "9.81 m"),
        ("-(a + b)^2/3", "-(a + b)^2/3", "−⅓ (a + b)²"),
        ("2^(1/2)*x^(-3/2)", "sqrt(2)/x^(3/2)", "√2/x^(3/2)"),
    ] {
        let e = read(&pool, text);
        assert_eq!(e.to_string(), model);
        assert_eq!(pool.print(&[e], Notation::Unicode).texts[0], unicode);
        assert_eq!(read(&pool, model), e, "reads back");
    }
    assert_eq!(pool.number(Rational::new(1, 3)).to_string(), "1/3");
}

#[test]
fn long_sums_keep_their_sign_inside_odd_functions() {
    let pool = Pool::new();
    // Sums longer than the limit of flattening, in every order of signs.
    for negative in 0..8 {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
            .into_iter()
            .enumerate();
        let terms = names.map(|(k, n)| {
            let x = pool.symbol(n);
            if k >= negative { x } else { -x }
        });
        let sum = pool.sum(terms);
        for e in [sum.sin(), sum.sign(), sum.abs(), sum.cosh(), (-sum).atan()] {
            assert!(!e.is_undefined());
        }
        assert!((-sum).sin().decide_equal(-sum.sin()).is_proved());
        assert!((-sum).cos().decide_equal(sum.cos()).is_proved());
    }
}

/// A rule that makes an expression simpler does not define it where it was not: a sign, a
/// condition, a root of an exponential.
#[test]
fn folding_keeps_the_domain() {
    let pool = Pool::new();
    let [x, y, z] = pool.symbols(["x", "y", "z"]);
    let zero = pool.zero();
    let part = x.max(zero);
    let at = |e: Expr<'_>| e.evaluate_f64(&[(x, -1.5), (y, 2.0), (z, 3.0)]);
    let kept = [
        x.log().exp().sign(),
        x.sqrt().exp().sign(),
        (x.sqrt() + 1).sign(),
        (x * 3).asin().exp().sign(),
        (x - 2).asin().cosh().sign(),
        (-1 + zero).if_less(x.sqrt(), y, z),
        zero.if_less_equal(x.sqrt(), y, z),
        x.sqrt().if_less(x.sqrt(), y, z),
        x.log().if_less(zero, y, y),
        // Zero on a whole half line, where its logarithm does not exist.
        part.log().exp(),
        (part.log() / 2).exp(),
        (part.log() * 3).exp(),
        // Roots of products, as roots of anything else.
        (x * y).sqrt().pow(2),
        (x * y).sqrt() * (x * y).sqrt(),
        x.pow(Rational::new(1, 3)).sqrt().pow(2),
        (x * (x + 1) * (x - y)).pow(Rational::new(3, 2)).pow(2),
    ];
    for e in kept {
        assert!(at(e).is_nan(), "{e} is defined at x = -3/2");
    }
    // Where there is nothing to forget, the rules apply.
    let one = pool.one();
    assert_eq!(x.exp().sign(), one);
    assert_eq!((x.pow(2) + 1).sqrt().sign(), one);
    assert_eq!((x.sin().abs() + 1).recip().sign(), one);
    assert_eq!(zero.if_less(x.cosh() + y.pow(2), y, z), y);
    assert_eq!(x.if_less(y, z, z), z);
    assert_eq!((x.log() / 2).exp(), x.sqrt());
    assert_eq!((x.exp() + 1).log().exp(), x.exp() + 1);
}
