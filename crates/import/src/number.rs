//! Numbers of an XML file as numbers of the model language: exact, with the digits they were written with.

/// Lengths in metres, angles and components of unit vectors below this are rounding of the program that wrote the file.
const ROUNDING: f64 = 1e-15;

/// A decimal number as written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Number {
    /// The text in the form of the model language, without a sign.
    digits: String,
    negative: bool,
    value: f64,
}

impl Number {
    pub(crate) const fn zero() -> Self {
        Self {
            digits: String::new(),
            negative: false,
            value: 0.0,
        }
    }

    /// Reads `1.5`, `-.5`, `2.`, `1E-05`; nothing else is a number.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|x: &f64| x.is_finite())?;
        let (negative, rest) = match text.strip_prefix(['-', '+']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let lower = rest.to_ascii_lowercase();
        let (mantissa, exponent) = match lower.split_once('e') {
            Some((m, e)) => (m, e.parse::<i32>().ok()?),
            None => (lower.as_str(), 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let whole = whole.trim_start_matches('0');
        let mut digits = if whole.is_empty() { "0" } else { whole }.to_owned();
        if !fraction.is_empty() {
            digits.push('.');
            digits.push_str(fraction);
        }
        if exponent != 0 && value != 0.0 {
            digits.push_str(&format!("e{exponent}"));
        }
        Some(Self {
            digits,
            negative: negative && value != 0.0,
            value,
        })
    }

    /// The number, or zero if it is smaller than the rounding of numbers of the given size.
    pub(crate) fn rounded(self, size: f64) -> Self {
        match self.value.abs() <= ROUNDING * size {
            true => Self::zero(),
            false => self,
        }
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.value == 0.0
    }

    /// The number in the model language.
    pub(crate) fn text(&self) -> String {
        match (self.is_zero(), self.negative) {
            (true, _) => "0".to_owned(),
            (_, true) => format!("-{}", self.digits),
            _ => self.digits.clone(),
        }
    }

    /// The number without its sign.
    pub(crate) fn magnitude(&self) -> String {
        self.text().trim_start_matches('-').to_owned()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// An angle: a multiple of π where it was written with all its digits.
    pub(crate) fn angle(&self) -> String {
        for (k, n) in [
            (1, 1),
            (1, 2),
            (1, 3),
            (2, 3),
            (1, 4),
            (3, 4),
            (1, 6),
            (5, 6),
        ] {
            let near = f64::from(k) * std::f64::consts::PI / f64::from(n);
            if (self.value.abs() - near).abs() <= 4.0 * f64::EPSILON {
                let sign = if self.negative { "-" } else { "" };
                let factor = if k == 1 {
                    String::new()
                } else {
                    format!("{k}*")
                };
                let divisor = if n == 1 {
                    String::new()
                } else {
                    format!("/{n}")
                };
                return format!("{sign}{factor}pi{divisor}");
            }
        }
        self.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        let cases = [
            ("1.5", "1.5"),
            ("-.5", "-0.5"),
            ("2.", "2"),
            ("+007.250", "7.25"),
            ("1E-05", "1e-5"),
            ("-0", "0"),
            ("0e3", "0"),
        ];
        for (text, expected) in cases {
            assert_eq!(Number::read(text).unwrap().text(), expected, "{text}");
        }
        for text in ["", "nan", "inf", "x", "1e", "--1", "1 2"] {
            assert!(Number::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn angles_are_multiples_of_pi_only_with_all_digits() {
        let angle = |text: &str| Number::read(text).unwrap().angle();
        assert_eq!(angle("1.5707963267948966"), "pi/2");
        assert_eq!(angle("-3.141592653589793"), "-pi");
        assert_eq!(angle("1.57079632679"), "1.57079632679");
        assert_eq!(angle("1.5708"), "1.5708");
    }
}
