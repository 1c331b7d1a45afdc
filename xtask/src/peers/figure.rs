//! One figure: the answer of one side for one size.

use serde_json::Value;

use super::curve::Curve;

/// The answer of one side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    /// The work was done.
    Measured {
        /// Seconds for all of it.
        seconds: f64,
        /// The value of its result at the agreed point.
        check: f64,
        /// The line it printed.
        line: String,
        /// Times and errors at several tolerances, where the work has them.
        curve: Curve,
    },
    /// The side is not available on this machine, for the given reason.
    Missing(String),
    /// The run failed, with the given message.
    Failed(String),
    /// The side is not run for this size.
    NotRun,
}

impl Figure {
    /// Reads the output of a side: a JSON line with its name and the size, and `total_s` and `check`, or `missing`.
    pub(crate) fn read(printed: &str, side: &str, n: usize) -> Figure {
        let own = |value: &Value| value["peer"] == side && value["n"] == n;
        let found = printed.lines().find_map(|line| {
            let value: Value = serde_json::from_str(line).ok()?;
            own(&value).then(|| (line.to_string(), value))
        });
        let Some((line, value)) = found else {
            return Figure::Failed(format!("printed no line for n = {n}"));
        };
        if let Some(reason) = value["missing"].as_str() {
            return Figure::Missing(reason.to_string());
        }
        match (value["total_s"].as_f64(), value["check"].as_f64()) {
            (Some(seconds), Some(check)) if seconds > 0.0 => Figure::Measured {
                seconds,
                check,
                line,
                curve: Curve::read(&value),
            },
            _ => Figure::Failed(format!("no total_s and check in {line}")),
        }
    }

    /// The faster of two measurements, also at each tolerance; a failure takes precedence.
    pub(crate) fn faster(mut self, mut other: Figure) -> Figure {
        if let (Figure::Measured { curve: a, .. }, Figure::Measured { curve: b, .. }) =
            (&mut self, &mut other)
        {
            let both = a.faster(b);
            (*a, *b) = (both.clone(), both);
        }
        match (self.seconds(), other.seconds()) {
            (Some(a), Some(b)) if b < a => other,
            (Some(_), None) => other,
            _ => self,
        }
    }

    /// The time, if it was measured.
    pub(crate) fn seconds(&self) -> Option<f64> {
        match self {
            Figure::Measured { seconds, .. } => Some(*seconds),
            _ => None,
        }
    }

    /// The check value, if it was measured.
    pub(crate) fn check(&self) -> Option<f64> {
        match self {
            Figure::Measured { check, .. } => Some(*check),
            _ => None,
        }
    }

    /// Times and errors at several tolerances, if it was measured and has them.
    pub(crate) fn curve(&self) -> Option<&Curve> {
        match self {
            Figure::Measured { curve, .. } if !curve.is_empty() => Some(curve),
            _ => None,
        }
    }

    /// The raw line, if it was measured.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Figure::Measured { line, .. } => Some(line.clone()),
            _ => None,
        }
    }

    /// Another number of its line, if it has it.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        let line: Value = serde_json::from_str(&self.line()?).ok()?;
        line[key].as_f64()
    }

    /// The time in a suitable unit, or the reason why there is none.
    pub(crate) fn shown(&self) -> String {
        match self {
            Figure::Measured { seconds, .. } => duration(*seconds),
            Figure::Missing(_) => "missing".to_string(),
            Figure::Failed(_) => "failed".to_string(),
            Figure::NotRun => "–".to_string(),
        }
    }
}

/// Three digits and a unit.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// A positive number with three significant digits.
pub(crate) fn three_digits(value: f64) -> String {
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(seconds: f64) -> Figure {
        Figure::Measured {
            seconds,
            check: 1.0,
            line: String::new(),
            curve: Curve::default(),
        }
    }

    #[test]
    fn the_line_of_the_side_and_size_is_found() {
        let printed = "warning\n{\"peer\":\"a\",\"n\":2,\"total_s\":1,\"check\":3}\n{\"peer\":\"a\",\"n\":4,\"total_s\":0.5,\"check\":-7.5}\n";
        let figure = Figure::read(printed, "a", 4);
        assert_eq!((figure.seconds(), figure.check()), (Some(0.5), Some(-7.5)));
        assert!(matches!(Figure::read(printed, "b", 4), Figure::Failed(_)));
        assert!(matches!(Figure::read(printed, "a", 8), Figure::Failed(_)));
    }

    #[test]
    fn missing_and_incomplete_answers_are_distinguished() {
        let missing = Figure::read(
            "{\"peer\":\"a\",\"n\":2,\"missing\":\"no compiler\"}",
            "a",
            2,
        );
        assert_eq!(missing, Figure::Missing("no compiler".to_string()));
        let incomplete = Figure::read("{\"peer\":\"a\",\"n\":2,\"total_s\":1}", "a", 2);
        assert!(matches!(incomplete, Figure::Failed(_)));
    }

    #[test]
    fn the_faster_of_two_counts_and_a_failure_is_not_hidden() {
        assert_eq!(measured(2.0).faster(measured(1.0)), measured(1.0));
        assert_eq!(measured(1.0).faster(measured(2.0)), measured(1.0));
        let failed = Figure::Failed("x".to_string());
        assert_eq!(measured(1.0).faster(failed.clone()), failed);
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        assert_eq!(measured(1.2345e-5).shown(), "12.3 µs");
        assert_eq!(measured(0.25).shown(), "250 ms");
        assert_eq!(measured(3.101).shown(), "3.10 s");
    }
}
