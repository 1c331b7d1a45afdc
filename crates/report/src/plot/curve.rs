//! Curves as short paths without details that are too small to be seen.

use std::fmt::Write;

/// The largest distance of a point from the line that replaces it, in units of the picture.
const TOLERANCE: f64 = 0.12;

/// The points of a polygon that differs from the given one by less than can be seen (Douglas and
/// Peucker).
pub(crate) fn simplified(points: &[[f64; 2]], tolerance: f64) -> Vec<[f64; 2]> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut kept = vec![false; points.len()];
    kept[0] = true;
    kept[points.len() - 1] = true;
    let mut open = vec![(0, points.len() - 1)];
    while let Some((a, b)) = open.pop() {
        let far = (a + 1..b)
            .map(|k| (distance(points[k], points[a], points[b]), k))
            .max_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((d, k)) = far
            && d > tolerance
        {
            kept[k] = true;
            open.push((a, k));
            open.push((k, b));
        }
    }
    let pairs = points.iter().zip(kept);
    pairs.filter(|p| p.1).map(|p| *p.0).collect()
}

/// The distance of a point from a segment.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    let s = match square > 0.0 {
        true => (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square).clamp(0.0, 1.0),
        false => 0.0,
    };
    (p[0] - a[0] - s * dx).hypot(p[1] - a[1] - s * dy)
}

/// The points with only the first, the lowest, the highest and the last of each column of the picture.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    let column = |p: &[f64; 2]| (2.0 * p[0]).floor();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        if group.len() <= 4 {
            out.extend(group);
            continue;
        }
        let by = |a: &usize, b: &usize| group[*a][1].total_cmp(&group[*b][1]);
        let low = (0..group.len()).min_by(by).unwrap_or(0);
        let high = (0..group.len()).max_by(by).unwrap_or(0);
        let mut some = [0, low, high, group.len() - 1];
        some.sort_unstable();
        out.extend(some.map(|k| group[k]));
    }
    out
}

/// The data of a `<path>` through points in units of the picture, written in tenths of them. Points that
/// are not finite interrupt it.
pub(crate) fn path(points: &[[f64; 2]]) -> String {
    let finite = |p: &[f64; 2]| p.iter().all(|x| x.is_finite());
    let mut out = String::new();
    for part in points.chunk_by(|a, b| finite(a) && finite(b)) {
        if !finite(&part[0]) {
            continue;
        }
        let part = simplified(&thinned(part), TOLERANCE);
        let tenths = |p: &[f64; 2]| p.map(|x| (10.0 * x).round() as i64);
        let mut last = tenths(&part[0]);
        let _ = write!(out, "M{} {}", last[0], last[1]);
        let mut letter = "l";
        for p in &part[1..] {
            let next = tenths(p);
            if next == last {
                continue;
            }
            let _ = write!(out, "{letter}{} {}", next[0] - last[0], next[1] - last[1]);
            letter = " ";
            last = next;
        }
        if letter == "l" {
            out.push_str("l0 0");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_two_points() {
        let points: Vec<[f64; 2]> = (0..1000).map(|k| [0.3 * f64::from(k), 7.0]).collect();
        assert_eq!(path(&points), "M0 70l2997 0");
    }

    #[test]
    fn what_is_left_out_cannot_be_seen() {
        let f = |x: f64| 100.0 + 80.0 * (x / 9.0).sin();
        let points: Vec<[f64; 2]> = (0..4000)
            .map(|k| [0.1 * f64::from(k), f(0.1 * f64::from(k))])
            .collect();
        let short = simplified(&points, TOLERANCE);
        assert!(short.len() < 250, "{}", short.len());
        for p in &points {
            let nearest = short.windows(2).map(|w| distance(*p, w[0], w[1]));
            assert!(nearest.fold(f64::MAX, f64::min) <= TOLERANCE);
        }
    }

    #[test]
    fn extremes_survive_thinning() {
        let mut points: Vec<[f64; 2]> = (0..100_000).map(|k| [1e-3 * f64::from(k), 0.0]).collect();
        points[44_444][1] = 50.0;
        assert!(thinned(&points).iter().any(|p| p[1] == 50.0));
        assert!(thinned(&points).len() < 1000);
    }

    #[test]
    fn points_that_are_not_finite_interrupt_a_path() {
        let points = [[0.0, 0.0], [1.0, 0.0], [f64::NAN, 0.0], [3.0, 0.0]];
        assert_eq!(path(&points), "M0 0l10 0M30 0l0 0");
    }
}
