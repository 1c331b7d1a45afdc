//! The models of the benchmarks as a user would write them.

use galilei::Model;

use crate::chain::{CART, GRAVITY, length, mass};

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    /// Short, as a person would write them.
    Short,
    /// All digits of the double, so that everybody integrates exactly the same motion.
    Exact,
}

impl Digits {
    fn write(self, x: f64) -> String {
        match self {
            Self::Short => format!("{x}"),
            Self::Exact => {
                let all = format!("{x:.1074}");
                all.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        }
    }
}

/// A model text and parameter values that are set in addition.
pub(crate) struct Source {
    pub(crate) text: String,
    pub(crate) set: Vec<String>,
}

impl Source {
    pub(crate) fn read(&self) -> Model {
        let reader = Model::reader().set_all(&self.set);
        reader.parse(&self.text).unwrap_or_else(|e| panic!("{e}"))
    }
}

/// The chain of n pendulums under a cart, in absolute angles.
pub(crate) fn cart(n: usize, digits: Digits) -> Source {
    let text = "\
const n = 2
param M = 1, g = 1, m[k in 1..n] = 1, l[k in 1..n] = 1
coord s, theta[1..n]
let joint[k in 1..n] = (s, 0) + sum(j in 1..k: l[j]*(sin(theta[j]), -cos(theta[j])))
particle cart: mass M at (s, 0)
for k in 1..n {
  particle bob[k]: mass m[k] at joint[k]
}
gravity: (0, -g)
";
    let mut set = vec![
        format!("n={n}"),
        format!("M={}", digits.write(CART)),
        format!("g={}", digits.write(GRAVITY)),
    ];
    for k in 1..=n {
        set.push(format!("m[{k}]={}", digits.write(mass(k))));
        set.push(format!("l[{k}]={}", digits.write(length(k))));
    }
    Source {
        text: text.to_owned(),
        set,
    }
}

/// The chain of n pendulums from a fixed point, hanging, in Cartesian coordinates.
pub(crate) fn rods(n: usize, digits: Digits) -> Source {
    use std::fmt::Write;
    let mut text = format!("param g = {}\n", digits.write(GRAVITY));
    let mut depth = String::from("0");
    for k in 1..=n {
        let (m, l) = (digits.write(mass(k)), digits.write(length(k)));
        let _ = write!(depth, " - {l}");
        let _ = writeln!(
            text,
            "param m{k} = {m}, l{k} = {l}\ncoord x{k}, y{k}\nparticle bob{k}: mass m{k} at (x{k}, y{k})\ninitial y{k} = {depth}"
        );
        let (x, y) = match k {
            1 => ("x1".to_owned(), "y1".to_owned()),
            _ => (format!("x{k} - x{}", k - 1), format!("y{k} - y{}", k - 1)),
        };
        let _ = writeln!(text, "constraint rod{k}: ({x})^2 + ({y})^2 = l{k}^2");
    }
    text.push_str("gravity: (0, -g)\n");
    Source { text, set: vec![] }
}

/// A spatial arm: n links along x, alternately with joints about z and about y.
pub(crate) fn arm(n: usize, digits: Digits) -> Source {
    use std::fmt::Write;
    let mut text = format!("param g = {}\n", digits.write(GRAVITY));
    for k in 1..=n {
        let (m, l) = (digits.write(mass(k)), digits.write(length(k)));
        let axis = if k % 2 == 1 { 'z' } else { 'y' };
        let place = match k {
            1 => "at (0, 0, 0)".to_owned(),
            _ => format!("in k{} at ({}, 0, 0)", k - 1, digits.write(length(k - 1))),
        };
        let _ = writeln!(
            text,
            "coord q{k}\nframe k{k}: {place} rotation {axis}(q{k})"
        );
        let moments = format!("{m}*{l}^2*(1/80, 1/8, 1/8)");
        let _ = writeln!(
            text,
            "body b{k}: mass {m} inertia {moments} in k{k} at ({l}/2, 0, 0)"
        );
    }
    text.push_str("gravity: (0, 0, -g)\n");
    Source { text, set: vec![] }
}

/// Two unit masses on unit rods.
pub(crate) fn pendulum(digits: Digits) -> Source {
    let gravity = digits.write(GRAVITY);
    let text = format!(
        "\
param g = {gravity}
coord a, b
let first = (sin(a), -cos(a))
let second = first + (sin(b), -cos(b))
particle upper: mass 1 at first
particle lower: mass 1 at second
gravity: (0, -g)
initial a = 0.5, b = 0.3, a' = 0, b' = 0
"
    );
    Source { text, set: vec![] }
}

/// The double pendulum on an oscillating pivot, with damping.
pub(crate) fn driven(digits: Digits) -> Source {
    let gravity = digits.write(GRAVITY);
    let text = format!(
        "\
param g = {gravity}
coord a, b
let first = (0.3*cos(2*t) + sin(a), -cos(a))
let second = first + (sin(b), -cos(b))
particle upper: mass 1 at first
particle lower: mass 1 at second
gravity: (0, -g)
dissipation: 0.05*(a'^2 + b'^2)
"
    );
    Source { text, set: vec![] }
}

/// Bodies that attract each other: their masses times the constant of gravity `constant`.
pub(crate) fn bodies(masses: &[f64], constant: f64, digits: Digits) -> Source {
    let text = "\
const n = 2
param G = 1, m[k in 1..n] = 1
coord x[1..n], y[1..n], z[1..n]
let place[k in 1..n] = (x[k], y[k], z[k])
for k in 1..n {
  particle body[k]: mass m[k] at place[k]
}
potential: -G*sum(k in 2..n: m[k]*sum(j in 1..k-1: m[j]/norm(place[k] - place[j])))
";
    let mut set = vec![
        format!("n={}", masses.len()),
        format!("G={}", digits.write(constant)),
    ];
    for (k, m) in masses.iter().enumerate() {
        set.push(format!("m[{}]={}", k + 1, digits.write(*m)));
    }
    Source {
        text: text.to_owned(),
        set,
    }
}

/// Mass, moment about the vertical, distance from the blade to the mass centre; radius of the disk.
pub(crate) const ROLLING: [(&str, f64); 4] = [("m", 1.3), ("J", 0.4), ("a", 0.25), ("R", 0.5)];

/// Values of the parameters in [`ROLLING`] that a text has.
fn rolling(text: &str, digits: Digits) -> Source {
    let has = |name: &str| text.contains(&format!("{name} = 1"));
    let values = ROLLING.iter().filter(|(name, _)| has(name));
    Source {
        text: text.to_owned(),
        set: values
            .map(|(name, x)| format!("{name}={}", digits.write(*x)))
            .collect(),
    }
}

/// Chaplygin's sleigh: a body on the ice with one blade.
pub(crate) fn sleigh(digits: Digits) -> Source {
    let text = "\
param m = 1, J = 1, a = 1
coord x, y, theta
let ahead = (cos(theta), sin(theta))
body sleigh: mass m inertia J at (x, y) + a*ahead angle theta
constraint blade: cross(ahead, velocity(sleigh, (-a, 0))) = 0
";
    rolling(text, digits)
}

/// An upright disk that rolls without slipping; its moments do not matter as long as nothing drives it.
pub(crate) fn disk(digits: Digits) -> Source {
    let text = "\
param m = 1, J = 1, R = 1
coord x, y, phi, psi
particle centre: mass m at (x, y)
kinetic heading: J*phi'^2/2
kinetic rolling: J*psi'^2/2
constraint rolling: (x', y') = R*psi'*(cos(phi), sin(phi))
";
    rolling(text, digits)
}
