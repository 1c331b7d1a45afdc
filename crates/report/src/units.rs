//! Units of quantities that a model does not declare: time, lengths, energies.

use galilei_model::Contents;

/// The units of undeclared quantities, if the model has units at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    pub(crate) time: &'static str,
    pub(crate) length: &'static str,
    pub(crate) energy: &'static str,
}

impl Units {
    /// SI, if some quantity has a unit that is not one of angles; else none.
    pub(crate) fn of<E>(contents: &Contents<E>) -> Self {
        let coordinates = contents.coordinates.iter().map(|c| &c.unit);
        let parameters = contents.parameters.iter().map(|p| &p.unit);
        let written = coordinates.chain(parameters).flatten();
        let mut real = written.filter(|u| !matches!(u.as_str(), "rad" | "deg" | "1" | ""));
        match real.next() {
            Some(_) => Self {
                time: "s",
                length: "m",
                energy: "J",
            },
            None => Self {
                time: "",
                length: "",
                energy: "",
            },
        }
    }
}

/// The unit of a rate: `m` gives `m/s`, nothing gives nothing.
pub(crate) fn rate(unit: &str, time: &str) -> String {
    match (unit, time) {
        ("", _) => String::new(),
        (unit, "") => unit.to_owned(),
        (unit, time) => format!("{unit}/{time}"),
    }
}

/// A unit as it is read: `kg*m^2` becomes `kg m²`.
pub(crate) fn readable(unit: &str) -> String {
    let mut out = String::new();
    let mut raised = false;
    for c in unit.chars() {
        match c {
            '*' => {
                raised = false;
                out.push('\u{a0}');
            }
            '^' => raised = true,
            '-' if raised => out.push('⁻'),
            c if raised && c.is_ascii_digit() => {
                let k = c as i32 - '0' as i32;
                out += &crate::markup::superscript(k);
            }
            c => {
                raised = false;
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_read_well() {
        assert_eq!(readable("kg*m^2"), "kg\u{a0}m²");
        assert_eq!(readable("m/s^2"), "m/s²");
        assert_eq!(readable("s^-12*m"), "s⁻¹²\u{a0}m");
        assert_eq!(rate("rad", "s"), "rad/s");
    }
}
