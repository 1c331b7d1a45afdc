//! Times and errors at several tolerances, and the time two sides need for the same error.

use serde_json::Value;

/// The measurement at one tolerance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// The tolerance.
    pub(crate) tolerance: f64,
    /// Whether a special mode was used, for instance more accurate sums.
    special: bool,
    /// Seconds of the motion.
    pub(crate) seconds: f64,
    /// The measured error.
    pub(crate) error: f64,
    /// Seconds before the motion.
    pub(crate) compile: f64,
}

/// The points of a side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curve(Vec<Point>);

/// Both sides at the same error.
#[derive(Debug)]
pub(crate) struct Equal {
    /// The error.
    pub(crate) error: f64,
    /// Our seconds.
    pub(crate) ours: f64,
    /// The peer's seconds.
    pub(crate) theirs: f64,
}

impl Curve {
    /// The field `curve` of a line; empty if there is none.
    pub(crate) fn read(line: &Value) -> Curve {
        let points = line["curve"].as_array().into_iter().flatten();
        let read = |point: &Value| {
            Some(Point {
                tolerance: point["tolerance"].as_f64()?,
                special: point["high_accuracy"].as_bool().unwrap_or(false),
                seconds: point["seconds"].as_f64()?,
                error: point["error"].as_f64()?,
                compile: point["compile_s"].as_f64()?,
            })
        };
        Curve(points.filter_map(read).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faster point at each tolerance.
    pub(crate) fn faster(&self, other: &Curve) -> Curve {
        let mut points = self.0.clone();
        for point in &mut points {
            let same = |p: &&Point| p.tolerance == point.tolerance && p.special == point.special;
            if let Some(again) = other.0.iter().find(same) {
                point.seconds = point.seconds.min(again.seconds);
                point.compile = point.compile.min(again.compile);
            }
        }
        Curve(points)
    }

    /// The plain point of a tolerance.
    pub(crate) fn nominal(&self, tolerance: f64) -> Option<&Point> {
        let near = |p: &&Point| (p.tolerance / tolerance - 1.0).abs() < 1e-6 && !p.special;
        self.0.iter().find(near)
    }

    /// Seconds for an error, interpolated on logarithmic scales. Points that others beat in both time and error do not
    /// count; an error larger than all takes the time of the largest; one below all is not reached.
    fn seconds_at(&self, error: f64) -> Option<f64> {
        let mut points: Vec<&Point> = self.0.iter().collect();
        points.sort_by(|a, b| {
            let times = a.seconds.total_cmp(&b.seconds);
            times.then(a.error.total_cmp(&b.error))
        });
        let mut front: Vec<&Point> = Vec::new();
        for point in points {
            if front.last().is_none_or(|last| point.error < last.error) {
                front.push(point);
            }
        }
        let at = front.iter().position(|point| point.error <= error)?;
        let reached = front[at];
        if at == 0 || reached.error == error {
            return Some(reached.seconds);
        }
        let before = front[at - 1];
        let part = (error / before.error).ln() / (reached.error / before.error).ln();
        Some(before.seconds * (reached.seconds / before.seconds).powf(part))
    }
}

/// The larger of the two errors at a tolerance, which both sides reach, and the times that they need for it.
pub(crate) fn at_equal_error(ours: &Curve, theirs: &Curve, tolerance: f64) -> Option<Equal> {
    let (a, b) = (ours.nominal(tolerance)?, theirs.nominal(tolerance)?);
    let error = a.error.max(b.error);
    Some(Equal {
        error,
        ours: ours.seconds_at(error)?,
        theirs: theirs.seconds_at(error)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64, f64)]) -> Curve {
        let point = |&(tolerance, seconds, error): &(f64, f64, f64)| Point {
            tolerance,
            special: false,
            seconds,
            error,
            compile: 1.0,
        };
        Curve(points.iter().map(point).collect())
    }

    #[test]
    fn a_curve_is_read_from_json() {
        let line = r#"{"curve":[{"tolerance":1e-9,"seconds":2,"error":1e-7,"compile_s":3,"high_accuracy":true}]}"#;
        let read = Curve::read(&serde_json::from_str(line).expect("JSON"));
        assert_eq!(read.0[0].compile, 3.0);
        assert!(read.0[0].special && read.nominal(1e-9).is_none());
        assert!(Curve::read(&Value::Null).is_empty());
    }

    #[test]
    fn times_are_interpolated_on_logarithmic_scales() {
        let line = curve(&[(1e-6, 1.0, 1e-4), (1e-12, 4.0, 1e-8), (1e-13, 9.0, 1e-7)]);
        let middle = line.seconds_at(1e-6).expect("reached");
        assert!((middle - 2.0).abs() < 1e-12);
        assert_eq!(line.seconds_at(1.0), Some(1.0));
        assert_eq!(line.seconds_at(1e-9), None);
    }

    #[test]
    fn the_more_accurate_side_is_given_credit() {
        let ours = curve(&[(1e-6, 1.0, 1e-6), (1e-9, 4.0, 1e-10)]);
        let theirs = curve(&[(1e-6, 8.0, 1e-4), (1e-9, 10.0, 1e-8)]);
        let equal = at_equal_error(&ours, &theirs, 1e-9).expect("both");
        assert_eq!((equal.error, equal.theirs), (1e-8, 10.0));
        assert!((equal.ours - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_faster_of_two_runs_counts_at_each_tolerance() {
        let first = curve(&[(1e-6, 1.0, 1e-4), (1e-9, 4.0, 1e-8)]);
        let second = curve(&[(1e-6, 2.0, 1e-4), (1e-9, 3.0, 1e-8)]);
        assert_eq!(
            first.faster(&second).nominal(1e-6).map(|p| p.seconds),
            Some(1.0)
        );
        assert_eq!(
            first.faster(&second).nominal(1e-9).map(|p| p.seconds),
            Some(3.0)
        );
    }
}
