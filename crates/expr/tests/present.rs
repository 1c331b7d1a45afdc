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

#[test]
fn the_ten_are_at_most_as_long_as_elsewhere() {
    let mut longer = Vec::new();
    for (name, raw, theirs) in TEN {
        let pool = Pool::new();
        let e = read(&pool, raw);
        let start = std::time::Instant::now();
        let ours = e.present(&Reading::new());
        let time = start.elapsed();
        let theirs = read(&pool, theirs);
        assert!(theirs.decide_equal(e).is_proved(), "{name}");
        assert!(ours.decide_equal(e).is_proved(), "{name}");
        println!(
            "{name}: {} {} {} {time:?}\n  {}\n  {}",
            length(e),
            length(ours),
            length(theirs),
            ours.layout(&Plain),
            theirs.layout(&Plain)
        );
        if length(ours) > length(theirs) {
            longer.push(name);
        }
    }
    assert_eq!(longer, Vec::<&str>::new());
}
