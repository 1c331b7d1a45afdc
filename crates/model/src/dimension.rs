//! Physical dimensions, units, and the unification that finds unknown dimensions.

use std::collections::HashMap;
use std::fmt;

use galilei_expr::Rational;
use galilei_syntax::{Span, UnitExpression};

/// The names of the base units, in the order of their keys.
const BASE: [&str; 7] = ["kg", "m", "s", "A", "K", "mol", "cd"];
/// The key of the second.
const SECOND: u32 = 2;
/// Keys from here on are unknown dimensions.
const UNKNOWN: u32 = BASE.len() as u32;

/// A product of rational powers of base units and of unknown dimensions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Dimension(Vec<(u32, Rational)>);

impl Dimension {
    /// The dimension of a pure number.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    fn base(k: u32) -> Self {
        Self(vec![(k, Rational::from(1))])
    }

    /// The dimension of time in SI.
    pub(crate) fn second() -> Self {
        Self::base(SECOND)
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// self · other^power
    pub(crate) fn times(&self, other: &Self, power: &Rational) -> Self {
        if other.0.is_empty() || power.is_zero() {
            return self.clone();
        }
        let (mut i, mut j) = (0, 0);
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        while i < self.0.len() || j < other.0.len() {
            let left = self.0.get(i).map(|e| e.0);
            let right = other.0.get(j).map(|e| e.0);
            if right.is_none() || left.is_some_and(|l| Some(l) < right) {
                out.push(self.0[i].clone());
                i += 1;
            } else {
                let mut e = &other.0[j].1 * power;
                if left == right {
                    e = &e + &self.0[i].1;
                    i += 1;
                }
                if !e.is_zero() {
                    out.push((other.0[j].0, e));
                }
                j += 1;
            }
        }
        Self(out)
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        self.times(other, &Rational::from(1))
    }

    pub(crate) fn div(&self, other: &Self) -> Self {
        self.times(other, &Rational::from(-1))
    }

    pub(crate) fn pow(&self, power: &Rational) -> Self {
        Self::none().times(self, power)
    }

    /// Whether the dimension is a single unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.0.as_slice(), [(k, e)] if *k >= UNKNOWN && e.is_one())
    }

    /// Whether the dimension contains time.
    pub(crate) fn mentions_time(&self) -> bool {
        self.0.iter().any(|(k, _)| *k == SECOND)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("1");
        }
        let known = self.0.iter().filter(|(k, _)| *k < UNKNOWN);
        let mut parts: Vec<String> = Vec::new();
        let (above, below): (Vec<_>, Vec<_>) = known.partition(|(_, e)| !e.is_negative());
        let power = |k: u32, e: &Rational| {
            let name = BASE[k as usize];
            match e {
                e if e.is_one() => name.to_owned(),
                e if e.to_i64().is_some() => format!("{name}^{e}"),
                e => format!("{name}^({e})"),
            }
        };
        for (k, e) in above {
            parts.push(power(*k, e));
        }
        let mut text = if parts.is_empty() && !below.is_empty() {
            "1".to_owned()
        } else {
            parts.join("*")
        };
        for (k, e) in below {
            text.push('/');
            text.push_str(&power(*k, &e.abs()));
        }
        if self.0.iter().any(|(k, _)| *k >= UNKNOWN) {
            text = if text.is_empty() {
                "unknown".into()
            } else {
                format!("{text}*unknown")
            };
        }
        f.write_str(&text)
    }
}

/// Solves for unknown dimensions as equations come in. The first unknown is that of time.
#[derive(Default)]
pub(crate) struct Unifier {
    next: u32,
    solved: HashMap<u32, Dimension>,
}

impl Unifier {
    /// The equations so far.
    pub(crate) fn equations(&self) -> HashMap<u32, Dimension> {
        self.solved.clone()
    }

    /// Forgets all equations except the given ones. Unknown dimensions are kept.
    pub(crate) fn forget_to(&mut self, equations: HashMap<u32, Dimension>) {
        self.solved = equations;
    }

    /// A dimension that is not known yet.
    pub(crate) fn unknown(&mut self) -> Dimension {
        self.next += 1;
        Dimension::base(UNKNOWN + self.next)
    }

    /// The dimension with all known equations substituted.
    pub(crate) fn resolve(&self, d: &Dimension) -> Dimension {
        let mut d = d.clone();
        while let Some((k, e)) = d.0.iter().find(|(k, _)| self.solved.contains_key(k)) {
            let (k, e) = (*k, e.clone());
            let value = &self.solved[&k];
            d = d.times(&Dimension::base(k), &-&e).times(value, &e);
        }
        d
    }

    /// Demands that two dimensions agree; false if they cannot.
    pub(crate) fn equate(&mut self, a: &Dimension, b: &Dimension) -> bool {
        if a == b {
            return true;
        }
        let ratio = self.resolve(&a.div(b));
        if ratio.is_none() {
            return true;
        }
        let Some((k, e)) = ratio.0.iter().rev().find(|(k, _)| *k >= UNKNOWN).cloned() else {
            return false;
        };
        // k^e · rest = 1.
        let rest = ratio.times(&Dimension::base(k), &-&e);
        let power = e.recip().unwrap_or_else(|| Rational::from(1));
        let value = rest.pow(&-&power);
        // Time is measured in seconds, as a number, or in natural units, like a length, but not in √kg.
        if k == UNKNOWN + 1
            && !matches!(value.0.as_slice(), [] | [(_, _)] if value.0.iter().all(|(_, e)| e.is_one()))
        {
            return false;
        }
        self.solved.insert(k, value);
        true
    }
}

/// A unit: its dimension, and how many SI units it is, times a power of π.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) dimension: Dimension,
    pub(crate) factor: Rational,
    pub(crate) pi: i32,
}

/// Why a unit was not understood.
pub(crate) struct UnknownUnit {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Name, base exponents (kg, m, s, A, K, mol, cd), the factor to SI, the power of π of that factor, and whether
/// prefixes are allowed.
type Entry = (&'static str, [i8; 7], &'static str, i32, bool);

#[rustfmt::skip]
const UNITS: [Entry; 49] = [
    ("kg", [1, 0, 0, 0, 0, 0, 0], "1", 0, false),
    ("g", [1, 0, 0, 0, 0, 0, 0], "1/1000", 0, true),
    ("t", [1, 0, 0, 0, 0, 0, 0], "1000", 0, false),
    ("m", [0, 1, 0, 0, 0, 0, 0], "1", 0, true),
    ("s", [0, 0, 1, 0, 0, 0, 0], "1", 0, true),
    ("A", [0, 0, 0, 1, 0, 0, 0], "1", 0, true),
    ("K", [0, 0, 0, 0, 1, 0, 0], "1", 0, true),
    ("mol", [0, 0, 0, 0, 0, 1, 0], "1", 0, true),
    ("cd", [0, 0, 0, 0, 0, 0, 1], "1", 0, true),
    ("rad", [0, 0, 0, 0, 0, 0, 0], "1", 0, true),
    ("sr", [0, 0, 0, 0, 0, 0, 0], "1", 0, false),
    ("deg", [0, 0, 0, 0, 0, 0, 0], "1/180", 1, false),
    ("degree", [0, 0, 0, 0, 0, 0, 0], "1/180", 1, false),
    ("arcmin", [0, 0, 0, 0, 0, 0, 0], "1/10800", 1, false),
    ("arcsec", [0, 0, 0, 0, 0, 0, 0], "1/648000", 1, false),
    ("rev", [0, 0, 0, 0, 0, 0, 0], "2", 1, false),
    ("turn", [0, 0, 0, 0, 0, 0, 0], "2", 1, false),
    ("percent", [0, 0, 0, 0, 0, 0, 0], "1/100", 0, false),
    ("rpm", [0, 0, -1, 0, 0, 0, 0], "1/30", 1, false),
    ("Hz", [0, 0, -1, 0, 0, 0, 0], "1", 0, true),
    ("N", [1, 1, -2, 0, 0, 0, 0], "1", 0, true),
    ("J", [1, 2, -2, 0, 0, 0, 0], "1", 0, true),
    ("W", [1, 2, -3, 0, 0, 0, 0], "1", 0, true),
    ("Pa", [1, -1, -2, 0, 0, 0, 0], "1", 0, true),
    ("bar", [1, -1, -2, 0, 0, 0, 0], "100000", 0, true),
    ("atm", [1, -1, -2, 0, 0, 0, 0], "101325", 0, false),
    ("C", [0, 0, 1, 1, 0, 0, 0], "1", 0, true),
    ("V", [1, 2, -3, -1, 0, 0, 0], "1", 0, true),
    ("F", [-1, -2, 4, 2, 0, 0, 0], "1", 0, true),
    ("ohm", [1, 2, -3, -2, 0, 0, 0], "1", 0, true),
    ("Ω", [1, 2, -3, -2, 0, 0, 0], "1", 0, true),
    ("S", [-1, -2, 3, 2, 0, 0, 0], "1", 0, true),
    ("H", [1, 2, -2, -2, 0, 0, 0], "1", 0, true),
    ("T", [1, 0, -2, -1, 0, 0, 0], "1", 0, true),
    ("Wb", [1, 2, -2, -1, 0, 0, 0], "1", 0, true),
    ("min", [0, 0, 1, 0, 0, 0, 0], "60", 0, false),
    ("h", [0, 0, 1, 0, 0, 0, 0], "3600", 0, false),
    ("d", [0, 0, 1, 0, 0, 0, 0], "86400", 0, false),
    ("day", [0, 0, 1, 0, 0, 0, 0], "86400", 0, false),
    ("yr", [0, 0, 1, 0, 0, 0, 0], "31557600", 0, false),
    ("l", [0, 3, 0, 0, 0, 0, 0], "1/1000", 0, true),
    ("L", [0, 3, 0, 0, 0, 0, 0], "1/1000", 0, true),
    ("eV", [1, 2, -2, 0, 0, 0, 0], "1.602176634e-19", 0, true),
    ("au", [0, 1, 0, 0, 0, 0, 0], "149597870700", 0, false),
    ("in", [0, 1, 0, 0, 0, 0, 0], "127/5000", 0, false),
    ("ft", [0, 1, 0, 0, 0, 0, 0], "381/1250", 0, false),
    ("mi", [0, 1, 0, 0, 0, 0, 0], "201168/125", 0, false),
    ("lb", [1, 0, 0, 0, 0, 0, 0], "45359237/100000000", 0, false),
    ("lbf", [1, 1, -2, 0, 0, 0, 0], "8896443230521/2000000000000", 0, false),
];

const PREFIXES: [(&str, i32); 22] = [
    ("Q", 30),
    ("R", 27),
    ("Y", 24),
    ("Z", 21),
    ("E", 18),
    ("P", 15),
    ("T", 12),
    ("G", 9),
    ("M", 6),
    ("k", 3),
    ("h", 2),
    ("da", 1),
    ("d", -1),
    ("c", -2),
    ("m", -3),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("n", -9),
    ("p", -12),
    ("f", -15),
    ("a", -18),
];

fn ten(power: i32) -> Rational {
    Rational::from(10)
        .powi(i64::from(power), 1 << 16)
        .unwrap_or_else(|| Rational::from(1))
}

/// The unit of a name, perhaps with a prefix.
pub(crate) fn named(name: &str) -> Option<Unit> {
    let unit = |entry: &Entry| {
        let mut d = Dimension::none();
        for (k, e) in entry.1.iter().enumerate() {
            d = d.times(&Dimension::base(k as u32), &Rational::from(i64::from(*e)));
        }
        Unit {
            dimension: d,
            factor: entry.2.parse().unwrap_or(Rational::ONE),
            pi: entry.3,
        }
    };
    if let Some(entry) = UNITS.iter().find(|e| e.0 == name) {
        return Some(unit(entry));
    }
    PREFIXES.iter().find_map(|(prefix, power)| {
        let rest = name.strip_prefix(prefix)?;
        let entry = UNITS.iter().find(|e| e.0 == rest && e.4)?;
        let mut u = unit(entry);
        u.factor = &u.factor * &ten(*power);
        Some(u)
    })
}

/// The meaning of a unit as written.
pub(crate) fn unit(written: &UnitExpression) -> Result<Unit, UnknownUnit> {
    let mut out = Unit {
        dimension: Dimension::none(),
        factor: Rational::from(1),
        pi: 0,
    };
    for f in &written.factors {
        let unknown = || UnknownUnit {
            name: f.name.clone(),
            span: f.span,
        };
        let u = named(&f.name).ok_or_else(unknown)?;
        let e = i64::from(f.exponent);
        out.dimension = out.dimension.times(&u.dimension, &Rational::from(e));
        let power = u.factor.powi(e, 1 << 16).ok_or_else(unknown)?;
        out.factor = &out.factor * &power;
        out.pi = out.pi.saturating_add(u.pi.saturating_mul(f.exponent));
    }
    Ok(out)
}

/// The symbol of a unit that was spelt out.
pub(crate) fn spelt_out(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let name = name.strip_suffix('s').unwrap_or(&name);
    Some(match name {
        "meter" | "metre" => "m",
        "centimeter" | "centimetre" => "cm",
        "millimeter" | "millimetre" => "mm",
        "kilometer" | "kilometre" => "km",
        "gram" | "gramme" => "g",
        "kilogram" | "kilogramme" | "kilo" => "kg",
        "second" | "sec" => "s",
        "minute" => "min",
        "hour" | "hr" => "h",
        "newton" => "N",
        "joule" => "J",
        "watt" => "W",
        "hertz" => "Hz",
        "radian" => "rad",
        "degree" | "°" => "deg",
        "kelvin" => "K",
        "ampere" | "amp" => "A",
        "volt" => "V",
        "coulomb" => "C",
        "tesla" => "T",
        "pascal" => "Pa",
        "inch" => "in",
        "foot" | "feet" => "ft",
        "mile" => "mi",
        "pound" => "lb",
        _ => return None,
    })
}

/// The names of all units, for hints.
pub(crate) fn unit_names() -> impl Iterator<Item = &'static str> {
    UNITS
        .iter()
        .map(|e| e.0)
        .chain(["cm", "mm", "km", "ms", "kN", "kJ", "kW", "mN", "um"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_dimensions_are_found_and_mismatches_seen() {
        let mut u = Unifier::default();
        let _time = u.unknown();
        let (a, b) = (u.unknown(), u.unknown());
        let newton = named("N").unwrap().dimension;
        let metre = named("m").unwrap().dimension;
        // a·m² = N, b = a·s
        assert!(u.equate(&a.mul(&metre).mul(&metre), &newton));
        assert!(u.equate(&b, &a.mul(&Dimension::second())));
        assert_eq!(u.resolve(&b).to_string(), "kg/m/s");
        assert!(!u.equate(&b, &newton));
        // √ of an unknown square
        let c = u.unknown();
        assert!(u.equate(&c.pow(&Rational::from(2)), &metre));
        assert_eq!(u.resolve(&c).to_string(), "m^(1/2)");
    }

    #[test]
    fn prefixes_do_not_hide_units() {
        assert_eq!(named("min").unwrap().factor, Rational::from(60));
        assert_eq!(named("cm").unwrap().factor, Rational::new(1, 100));
        assert_eq!(named("mN").unwrap().factor, Rational::new(1, 1000));
        assert_eq!(named("rpm").unwrap().pi, 1);
        assert!(named("kkg").is_none());
        assert!(UNITS.iter().all(|u| u.2.parse::<Rational>().is_ok()));
        assert_eq!(named("MeV").unwrap().factor.to_f64(), 1.602176634e-13);
    }
}
