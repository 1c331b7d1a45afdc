//! Forms for people: short, equal, and found within a budget.

mod common;
#[path = "common/draw.rs"]
mod draw;
#[path = "common/tree.rs"]
mod tree;

use common::read;
use draw::{Bytes, Dice, Menu};
use galilei_expr::{Expr, Plain, Pool, Reading, Verdict};
use tree::Tree;

/// Ten expressions of mechanics as they come out of a derivation, and what SymPy 1.14's `simplify`
/// makes of them, both in the model language.
const TEN: [(&str, &str, &str); 10] = [
    (
        "kapitza",
        "-a*l*m*w^2*sin(theta)*cos(t*w) + g*l*m*sin(theta) + m*theta'*(-2*l^2*theta'*sin(theta)*cos(theta) + 2*l*(-a*w*sin(t*w) + l*theta'*sin(theta))*cos(theta))/2 + m*theta''*(2*l^2*sin(theta)^2 + 2*l^2*cos(theta)^2)/2 - m*(-2*l^2*theta'^2*sin(theta)*cos(theta) + 2*l*theta'*(-a*w*sin(t*w) + l*theta'*sin(theta))*cos(theta))/2",
        "l*m*(-a*w^2*sin(theta)*cos(t*w) + g*sin(theta) + l*theta'')",
    ),
    (
        "double pendulum",
        "m_1*(l_1^2*theta_1'^2*sin(theta_1)^2 + l_1^2*theta_1'^2*cos(theta_1)^2)/2 + m_2*((l_1*theta_1'*sin(theta_1) + l_2*theta_2'*sin(theta_2))^2 + (l_1*theta_1'*cos(theta_1) + l_2*theta_2'*cos(theta_2))^2)/2",
        "l_1^2*m_1*theta_1'^2/2 + m_2*(l_1^2*theta_1'^2 + 2*l_1*l_2*theta_1'*theta_2'*cos(theta_1 - theta_2) + l_2^2*theta_2'^2)/2",
    ),
    (
        "spherical pendulum",
        "m*(l^2*theta'^2*sin(theta)^2 + (-l*phi'*sin(phi)*sin(theta) + l*theta'*cos(phi)*cos(theta))^2 + (l*phi'*sin(theta)*cos(phi) + l*theta'*sin(phi)*cos(theta))^2)/2",
        "l^2*m*(phi'^2*sin(theta)^2 + theta'^2)/2",
    ),
    (
        "rotating hoop",
        "g*l*m*cos(theta) + m*(l^2*theta'^2*sin(theta)^2 + (l*theta'*sin(t*w)*cos(theta) + l*w*sin(theta)*cos(t*w))^2 + (l*theta'*cos(theta)*cos(t*w) - l*w*sin(theta)*sin(t*w))^2)/2",
        "l*m*(2*g*cos(theta) + l*(theta'^2 + w^2*sin(theta)^2))/2",
    ),
    (
        "polar acceleration",
        "(phi'*r'*sin(phi) - phi'*(-phi'*r*cos(phi) - r'*sin(phi)) + phi''*r*sin(phi) - r''*cos(phi))*sin(phi) + (phi'*r'*cos(phi) + phi'*(-phi'*r*sin(phi) + r'*cos(phi)) + phi''*r*cos(phi) + r''*sin(phi))*cos(phi)",
        "2*phi'*r' + phi''*r",
    ),
    (
        "heavy top",
        "A*(((-psi'*sin(psi)*sin(theta) + theta'*cos(psi)*cos(theta))*cos(theta) + (phi'*(sin(phi)*sin(psi) - cos(phi)*cos(psi)*cos(theta)) + psi'*(sin(phi)*sin(psi)*cos(theta) - cos(phi)*cos(psi)) + theta'*sin(phi)*sin(theta)*cos(psi))*sin(phi)*sin(theta) - (phi'*(-sin(phi)*cos(psi)*cos(theta) - sin(psi)*cos(phi)) + psi'*(-sin(phi)*cos(psi) - sin(psi)*cos(phi)*cos(theta)) - theta'*sin(theta)*cos(phi)*cos(psi))*sin(theta)*cos(phi))^2 + (-theta'*sin(psi)*sin(theta)^2 + (sin(phi)*cos(psi) + sin(psi)*cos(phi)*cos(theta))*(phi'*sin(phi)*sin(theta) - theta'*cos(phi)*cos(theta)) + (phi'*sin(theta)*cos(phi) + theta'*sin(phi)*cos(theta))*(-sin(phi)*sin(psi)*cos(theta) + cos(phi)*cos(psi)))^2)/2 + C*((-sin(phi)*sin(psi) + cos(phi)*cos(psi)*cos(theta))*(phi'*(-sin(phi)*sin(psi)*cos(theta) + cos(phi)*cos(psi)) + psi'*(-sin(phi)*sin(psi) + cos(phi)*cos(psi)*cos(theta)) - theta'*sin(psi)*sin(theta)*cos(phi)) + (psi'*sin(theta)*cos(psi) + theta'*sin(psi)*cos(theta))*sin(theta)*cos(psi) + (-sin(phi)*cos(psi)*cos(theta) - sin(psi)*cos(phi))*(phi'*(-sin(phi)*cos(psi) - sin(psi)*cos(phi)*cos(theta)) + psi'*(-sin(phi)*cos(psi)*cos(theta) - sin(psi)*cos(phi)) + theta'*sin(phi)*sin(psi)*sin(theta)))^2/2",
        "A*(phi'^2*sin(theta)^2 + theta'^2)/2 + C*(phi'*cos(theta) + psi')^2/2",
    ),
    (
        "trig",
        "2*(sin(y)^2 + cos(y)^2)*cos(x)^2 + sin(x)^4 + sin(x)*cos(y) - sin(y)*cos(x) - cos(x)^4",
        "sin(x - y) + 1",
    ),
    (
        "cart acceleration",
        "(g*l^2*m^2*sin(theta)*cos(theta) + l^2*m*(F + l*m*theta'^2*sin(theta)))/(-l^2*m^2*cos(theta)^2 + l^2*m*(M + m))",
        "(F + g*m*sin(2*theta)/2 + l*m*theta'^2*sin(theta))/(M + m*sin(theta)^2)",
    ),
    (
        "kepler laplacian",
        "-k*(3*x^2/(x^2 + y^2 + z^2) - 1)/(x^2 + y^2 + z^2)^(3/2) - k*(3*y^2/(x^2 + y^2 + z^2) - 1)/(x^2 + y^2 + z^2)^(3/2)",
        "k*(-x^2 - y^2 + 2*z^2)/(x^2 + y^2 + z^2)^(5/2)",
    ),
    (
        "inverse mass",
        "-1/(-l_1^2*m_1 + l_1^2*m_2*cos(theta_1 - theta_2)^2 - l_1^2*m_2)",
        "1/(l_1^2*(m_1 - m_2*cos(theta_1 - theta_2)^2 + m_2))",
    ),
];

fn length(e: Expr<'_>) -> usize {
    e.layout(&Plain).text_width()
}

/// (√a)² is a wherever it is defined, and cancels with a.
#[test]
fn squares_of_roots_cancel() {
    let pool = Pool::new();
    let [x, y, c, m] = pool.symbols(["x", "y", "c", "m"]);
    let a = 1 - (x.pow(2) + y.pow(2)) / c.pow(2);
    let square = a.sqrt().pow(2);
    assert_ne!(square, a);
    let read = |e: Expr<'_>| pool.expr(e.id()).present(&Reading::new()).to_string();
    assert_eq!(read(y.sqrt().pow(2)), "y");
    assert_eq!(read(square), a.to_string());
    assert_eq!(read(c.pow(2) * square + x.pow(2) + y.pow(2)), "c^2");
    assert_eq!(
        read(m / (10 * m * (c.pow(2) * square + x.pow(2) + y.pow(2)))),
        "1/(10*c^2)"
    );
    // Squares of roots that appear when a denominator is multiplied out.
    let below = (a.sqrt() + x) * (a.sqrt() - x) + x.pow(2) + (x.pow(2) + y.pow(2)) / c.pow(2);
    assert_eq!(read(m / below), "m");
}

#[test]
fn the_ten_are_at_most_as_long_as_elsewhere() {
    let mut longer = Vec::new();
    for (name, raw, theirs) in TEN {
        let pool = Pool::new();
        let e = read(&pool, raw);
        let ours = e.present(&Reading::new());
        let theirs = read(&pool, theirs);
        assert!(theirs.decide_equal(e).is_proved(), "{name}");
        assert!(ours.decide_equal(e).is_proved(), "{name}");
        if length(ours) > length(theirs) {
            longer.push(name);
        }
    }
    assert_eq!(longer, Vec::<&str>::new());
}

/// Identities a reader expects, with the form that is wanted.
#[test]
fn short_forms() {
    for (raw, wanted) in [
        ("sin(x)^2 + cos(x)^2", "1"),
        ("1 - sin(x)^2", "cos² x"),
        ("a - a*cos(x)^2", "a sin² x"),
        ("cosh(x)^2 - sinh(x)^2", "1"),
        ("cosh(x)^2 - 1", "sinh² x"),
        ("sin(x)*cos(y) - cos(x)*sin(y)", "sin(x − y)"),
        ("cos(x)*cos(y) - sin(x)*sin(y)", "cos(x + y)"),
        ("2*a*sin(x)*cos(x)", "a sin(2 x)"),
        ("cos(x)^2 - sin(x)^2", "cos(2 x)"),
        ("a*x + a*y", "a (x + y)"),
        ("a*x + a*y + b*x + b*y", "(a + b) (x + y)"),
        ("x^2 + 2*x*y + y^2", "(x + y)²"),
        ("1/x + 1/y", "1/x + 1/y"),
        ("a/x + b/x^2", "a/x + b/x²"),
        ("(x^2 - y^2)/(x - y)", "x + y"),
        ("1/(x + y) + 1/(x - y)", "2 x/(x² − y²)"),
        (
            "1/sqrt(x^2 + y^2) - x^2/(x^2 + y^2)^(3/2)",
            "y²/(x² + y²)^(3/2)",
        ),
        ("sin(x^2 - 2*x*y + y^2)", "sin((x − y)²)"),
        ("y*sqrt(sin(x)^2 + cos(x)^2)", "y"),
        ("log(x*sin(y)^2 + x*cos(y)^2)", "ln x"),
        ("exp(x)*exp(y)*a + exp(x + y)*b", "(a + b) exp(x + y)"),
        ("V(x)*sin(y)^2 + V(x)*cos(y)^2", "V(x)"),
        ("x + y", "x + y"),
    ] {
        let pool = Pool::new();
        let e = read(&pool, raw).present(&Reading::new());
        assert_eq!(e.layout(&Plain).to_text(), wanted, "{raw}");
    }
}

/// An equation of motion, collected by accelerations and velocities.
#[test]
fn collected_equations() {
    let pool = Pool::new();
    let e = read(
        &pool,
        "m*(l*x''*cos(theta) + l^2*theta'') + J*theta'' + c*theta' + k*theta' + m*g*l*sin(theta)",
    );
    let symbols = pool.symbols(["theta''", "x''", "theta'"]);
    let e = e.present(&Reading::new().collecting(symbols));
    assert_eq!(
        e.layout(&Plain).to_text(),
        "(l² m + J) θ̈ + l m x\u{308} cos θ + (c + k) θ̇ + g l m sin θ"
    );
}

/// A presented form is never refuted to be equal.
#[test]
fn presenting_keeps_the_value() {
    let (mut changed, mut shorter) = (0, 0);
    for seed in 0..600 {
        let menu = [Menu::CIRCULAR, Menu::SMOOTH, Menu::ALL][seed as usize % 3];
        let bytes = Dice::new(seed).bytes(96);
        let pool = Pool::new();
        let e = Tree::draw(&mut Bytes::new(&bytes), &menu, 3).build(&pool);
        let x = pool.symbol("x");
        // Something to shorten, in most cases.
        let e = e * x.sin().pow(2) + e * x.cos().pow(2) + e.diff(x);
        let short = e.present(&Reading::new());
        let verdict = e.decide_equal(short);
        assert!(
            !matches!(verdict, Verdict::Refuted(_)),
            "{e} is not {short}"
        );
        assert!(
            e == short || verdict.is_proved(),
            "{e} and {short}: {verdict}"
        );
        changed += usize::from(e != short);
        shorter += usize::from(length(short) < length(e));
    }
    assert!(changed > 200 && shorter > 200, "{changed} {shorter}");
}

/// Large graphs and small budgets give the expression back, soon.
#[test]
fn the_budget_is_kept() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let mut bush = x;
    for k in 0..25_000 {
        bush = (bush * bush + y).sin() + k * bush;
    }
    assert!(bush.node_count() >= 100_000);
    assert_eq!(bush.present(&Reading::new()), bush);
    // A power whose expansion would have millions of terms.
    let sum = pool.sum((0..12).map(|k| pool.symbol(&format!("x{k}")).sin()));
    let wide = (sum + 1).pow(20) - sum.pow(20);
    assert_eq!(wide.present(&Reading::new()), wide);
    let square = x.sin().pow(2) + x.cos().pow(2);
    assert!(square.present(&Reading::new()).is_one());
    assert_eq!(square.present(&Reading::new().within(3)), square);
}
