//! Where a smooth function of a step crosses zero, by its values alone.

/// The function is looked at here first: no multiples of one number, at which something fast could look slow.
pub(crate) const NODES: [f64; 11] = [
    0.0, 0.0245, 0.0952, 0.207, 0.3435, 0.5036, 0.6517, 0.7958, 0.9036, 0.9758, 1.0,
];
/// The distance from an end of the step, relative to the outermost interval, at which the slope is computed.
const END_FRACTION: f64 = 1e-3;
/// The number of halvings that locate the end of a domain between two points.
const DOMAIN_HALVINGS: usize = 50;
/// The distance of two zeros, with values below [`TOUCHING_VALUE`] between them, that count as one touching zero.
const TOUCHING_DISTANCE: f64 = 1e-7;
/// A golden section.
const GOLDEN: f64 = 0.381_966_011_250_105_1;
/// The largest deviation of points from the prediction by the others, relative to the largest value, at which
/// sampling stops.
const PREDICTED_PART: f64 = 0.05;
/// The part of the largest value that counts as touching zero.
pub(crate) const TOUCHING_VALUE: f64 = 4.0 * f64::EPSILON;
/// The distance of the points that locate an extremum, as a part of the interval around it.
const PARABOLA_PART: f64 = 1e-3;
/// A function that touches zero rises beside it to this many times what it is uncertain by.
const RISE: f64 = 4.0;

/// The largest deviation of a function from the prediction by the points around, if it is large relative to its
/// largest value: then there may be zeros that the points do not show.
fn unshown(points: &[(f64, f64)]) -> Option<f64> {
    let size = points.iter().fold(0.0_f64, |m, p| m.max(p.1.abs()));
    let worst = points.windows(5).fold(0.0_f64, |worst, five| {
        let (place, value) = five[2];
        let around = [five[0], five[1], five[3], five[4]];
        let said: f64 = around
            .iter()
            .map(|a| {
                let others = around.iter().filter(|b| b.0 != a.0);
                others.fold(a.1, |v, b| v * (place - b.0) / (a.0 - b.0))
            })
            .sum();
        worst.max((said - value).abs())
    });
    (worst > PREDICTED_PART * size && size.is_finite()).then_some(worst)
}

/// Half the largest number of points that are sampled within a step.
const MAX_SAMPLES: usize = 2000;

/// Samples between points until they show the function, up to the rounding given by `noise`.
pub(crate) fn resolve(
    points: &mut Vec<(f64, f64)>,
    mut noise: impl FnMut() -> f64,
    mut g: impl FnMut(f64) -> f64,
) {
    let mut known = None;
    while let Some(defect) = unshown(points) {
        if points.len() > MAX_SAMPLES || defect <= *known.get_or_insert_with(&mut noise) {
            break;
        }
        let between: Vec<f64> = points.windows(2).map(|p| 0.5 * (p[0].0 + p[1].0)).collect();
        points.extend(between.into_iter().map(|s| (s, g(s))));
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
}

/// The zeros behind the first point, in order: where, and 1 rising, −1 falling, 0 touching. The points
/// are places with values, in order; what is below the part `touch` of the largest value, or below `doubt`, touches zero.
/// Found are all sign changes between points, and pairs of them around an extremum that the points show. Changes of sign
/// at poles and jumps count if `poles` says so.
pub(crate) fn zeros(
    points: &[(f64, f64)],
    [touch, doubt]: [f64; 2],
    poles: bool,
    mut g: impl FnMut(f64) -> f64,
) -> Vec<(f64, i8)> {
    let mut out = Vec::new();
    // Points at zero say nothing about signs, nor do those where there is no value.
    let told = |p: &(f64, f64)| p.1 != 0.0 && p.1.is_finite();
    let mut list = with_ends_of_domain(points, &mut g);
    list.retain(told);
    let size = list.iter().fold(0.0_f64, |m, p| m.max(p.1.abs()));
    if list.len() < 2 {
        return out;
    }
    // A point close to each end shows an extremum there.
    let at = list[0].0 + END_FRACTION * (list[1].0 - list[0].0);
    list.insert(1, (at, g(at)));
    let m = list.len();
    let at = list[m - 1].0 - END_FRACTION * (list[m - 1].0 - list[m - 2].0);
    list.insert(m - 1, (at, g(at)));
    list.retain(told);
    for pair in list.windows(2) {
        if pair[0].1 * pair[1].1.signum() < 0.0 {
            out.extend(refine(pair[0], pair[1], poles, &mut g));
        }
    }
    for three in list.windows(3) {
        let [a, b, c] = [three[0], three[1], three[2]];
        if is_dip(&[a, b, c]) {
            dip([a, b, c], [size, touch, doubt], &mut g, &mut out);
        }
    }
    if let Some(direction) = zero_at_end(points, &mut g) {
        out.push((points[points.len() - 1].0, direction));
    }
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out.dedup_by(|a, b| a.0 == b.0);
    out
}

/// Whether the middle of three values of one sign is the smallest.
fn is_dip(three: &[(f64, f64)]) -> bool {
    let [a, b, c] = [three[0].1, three[1].1, three[2].1];
    let alike = a.signum() == b.signum() && b.signum() == c.signum();
    alike && b.abs() <= a.abs() && b.abs() <= c.abs()
}

/// Where points show the smallest value next to which a function could touch zero.
pub(crate) fn dipping(points: &[(f64, f64)]) -> Option<f64> {
    // The end of an interval may hide an extremum next to it.
    let mut low = points.windows(3).filter(|three| is_dip(three));
    let inner = low.next().map(|_| ());
    let least = |p: &&(f64, f64)| p.1.is_finite();
    let all = points.iter().filter(least);
    let smallest = all.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let at_end = smallest.0 == points[0].0 || smallest.0 == points[points.len() - 1].0;
    (inner.is_some() || at_end).then_some(smallest.0)
}

/// The points, with the last places next to those without a value at which the function has one.
fn with_ends_of_domain(points: &[(f64, f64)], g: &mut impl FnMut(f64) -> f64) -> Vec<(f64, f64)> {
    let mut out = Vec::with_capacity(points.len());
    for (k, &point) in points.iter().enumerate() {
        if let Some(&before) = k.checked_sub(1).map(|k| &points[k])
            && before.1.is_finite() != point.1.is_finite()
        {
            let (mut inside, mut outside) = match before.1.is_finite() {
                true => (before, point),
                false => (point, before),
            };
            for _ in 0..DOMAIN_HALVINGS {
                let s = 0.5 * (inside.0 + outside.0);
                let p = (s, g(s));
                match p.1.is_finite() {
                    true => inside = p,
                    false => outside = p,
                }
            }
            if inside.0 != before.0 && inside.0 != point.0 {
                out.push(inside);
            }
        }
        out.push(point);
    }
    out
}

/// Whether the function comes to zero at the last point, and from which side. One that is too small for a number before it
/// gets there underflows instead.
fn zero_at_end(points: &[(f64, f64)], g: &mut impl FnMut(f64) -> f64) -> Option<i8> {
    let [.., before, last] = points else {
        return None;
    };
    let close = g(last.0 - END_FRACTION * (last.0 - before.0));
    let comes = last.1 == 0.0 && close.is_normal();
    comes.then_some(if close < 0.0 { 1 } else { -1 })
}

/// The largest value next to a zero, relative to the smaller and to the larger of the values at the two points of different
/// sign around it. Next to a pole or a jump the value is larger.
const VALUE_AT_ZERO: [f64; 2] = [1e-3, 1e-9];

/// The zero between two points of different sign. Where the sign changes at a pole or a jump, values do not fall, and
/// there is none, unless poles count.
fn refine(
    mut a: (f64, f64),
    mut b: (f64, f64),
    poles: bool,
    g: &mut impl FnMut(f64) -> f64,
) -> Option<(f64, i8)> {
    let (smaller, larger) = (a.1.abs().min(b.1.abs()), a.1.abs().max(b.1.abs()));
    let direction = if a.1 < 0.0 { 1 } else { -1 };
    // The false position, with the weight of an end halved that stays; halving where that is slow.
    let mut weights = [1.0, 1.0];
    let mut width = b.0 - a.0;
    for round in 0..200 {
        if b.0 - a.0 <= 2.0 * f64::EPSILON * b.0.abs() {
            break;
        }
        let (va, vb) = (a.1 * weights[0], b.1 * weights[1]);
        let mut s = b.0 - vb * (b.0 - a.0) / (vb - va);
        if round % 4 == 3 {
            if b.0 - a.0 > 0.1 * width {
                s = 0.5 * (a.0 + b.0);
            }
            width = b.0 - a.0;
        }
        // Not onto the ends, and to the other side of the zero if one is as near as that.
        let least = f64::EPSILON * b.0.abs();
        s = s.clamp(a.0 + least, b.0 - least);
        if !(s > a.0 && s < b.0) {
            s = 0.5 * (a.0 + b.0);
            if s <= a.0 || s >= b.0 {
                break;
            }
        }
        let v = g(s);
        if v == 0.0 {
            return Some((s, direction));
        }
        if v.signum() == a.1.signum() {
            a = (s, v);
            weights = [1.0, weights[1] * 0.5];
        } else {
            b = (s, v);
            weights = [weights[0] * 0.5, 1.0];
        }
    }
    let nearer = if a.1.abs() < b.1.abs() { a } else { b };
    let zero =
        nearer.1.abs() <= VALUE_AT_ZERO[0] * smaller || nearer.1.abs() <= VALUE_AT_ZERO[1] * larger;
    (zero || poles).then_some((nearer.0, direction))
}

/// Two zeros around an extremum, or one where it touches.
fn dip(
    [mut a, mut b, mut c]: [(f64, f64); 3],
    [size, touch, doubt]: [f64; 3],
    g: &mut impl FnMut(f64) -> f64,
    out: &mut Vec<(f64, i8)>,
) {
    let ends = (a, c);
    let rises = a.1.abs().min(c.1.abs()) > RISE * doubt;
    let shallow = |first: f64, second: f64, g: &mut dyn FnMut(f64) -> f64| {
        rises && doubt > 0.0 && g(0.5 * (first + second)).abs() <= doubt
    };
    // A branch point is touched by the measure of the whole step, an event by that of the values around.
    let size = match touch > TOUCHING_VALUE {
        true => size,
        false => a.1.abs().max(c.1.abs()),
    };
    for _ in 0..60 {
        if c.0 - a.0 <= 1e-9 * c.0.abs() {
            break;
        }
        let right = c.0 - b.0 > b.0 - a.0;
        let s = if right {
            b.0 + GOLDEN * (c.0 - b.0)
        } else {
            b.0 - GOLDEN * (b.0 - a.0)
        };
        let p = (s, g(s));
        if p.1 * b.1.signum() < 0.0 {
            let first = refine(ends.0, p, false, g);
            let second = refine(p, ends.1, false, g);
            match (first, second) {
                (Some(f), Some(s))
                    if p.1.abs() <= TOUCHING_VALUE * size && s.0 - f.0 <= TOUCHING_DISTANCE =>
                {
                    out.push((p.0, 0));
                }
                (Some(f), Some(s)) if shallow(f.0, s.0, g) => {
                    out.push((0.5 * (f.0 + s.0), 0));
                }
                _ => out.extend(first.into_iter().chain(second)),
            }
            return;
        }
        let better = p.1.abs() < b.1.abs();
        match (right, better) {
            (true, true) => (a, b) = (b, p),
            (true, false) => c = p,
            (false, true) => (b, c) = (p, b),
            (false, false) => a = p,
        }
    }
    if b.1.abs() <= touch * size || rises && b.1.abs() <= doubt {
        out.push((bottom(b, ends.1.0 - ends.0.0, g), 0));
    }
}

/// The place of an extremum next to a point, in an interval of a width, by the parabola through values around it: closer
/// ones do not differ.
fn bottom(b: (f64, f64), width: f64, g: &mut impl FnMut(f64) -> f64) -> f64 {
    let delta = PARABOLA_PART * width;
    let (before, after) = (g(b.0 - delta), g(b.0 + delta));
    let shift = 0.5 * (before - after) / (before - 2.0 * b.1 + after);
    match shift.abs() <= 1.0 {
        true => b.0 + shift * delta,
        false => b.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(g: impl Fn(f64) -> f64) -> Vec<(f64, i8)> {
        let points: Vec<(f64, f64)> = NODES.iter().map(|&s| (s, g(s))).collect();
        zeros(&points, [TOUCHING_VALUE, 0.0], false, g)
    }

    #[test]
    fn sign_changes_are_found_to_the_last_digit() {
        let found = of(|s| (7.0 * s).sin() - 0.2);
        let first = 0.2f64.asin() / 7.0;
        let wanted = [
            (first, 1),
            (std::f64::consts::PI / 7.0 - first, -1),
            (2.0 * std::f64::consts::PI / 7.0 + first, 1),
        ];
        assert_eq!(found.len(), 3, "{found:?}");
        for (f, w) in found.iter().zip(wanted) {
            assert!((f.0 - w.0).abs() < 1e-15 && f.1 == w.1, "{found:?}");
        }
    }

    #[test]
    fn two_zeros_between_points_are_found_and_one_that_touches() {
        for (low, high) in [
            (0.42, 0.43),
            (0.001, 0.002),
            (0.99, 0.995),
            (0.3, 0.300_001),
        ] {
            let found = of(|s| (s - low) * (s - high));
            assert_eq!(found.len(), 2, "{low} {high}: {found:?}");
            assert!((found[0].0 - low).abs() < 1e-14 && found[0].1 == -1);
            assert!((found[1].0 - high).abs() < 1e-14 && found[1].1 == 1);
        }
        let found = of(|s| (s - 0.7) * (s - 0.7));
        assert_eq!(found.len(), 1);
        assert!((found[0].0 - 0.7).abs() < 1e-7 && found[0].1 == 0);
        assert!(of(|s| 1.0 + s * s).is_empty());
    }

    #[test]
    fn poles_and_jumps_are_no_zeros() {
        assert!(of(|s| 1.0 / (s - 0.3)).is_empty());
        assert!(of(|s| if s < 0.3 { -1.0 } else { 1.0 }).is_empty());
        assert_eq!(of(|s| (1000.0 * (s - 0.3)).tanh()).len(), 1);
        assert_eq!(of(|s| (s - 0.3).powi(5)).len(), 1);
    }

    /// A narrow interval of the other sign, far below the values at the points; an end of the domain between the last
    /// points; and what underflows before it comes to an end.
    #[test]
    fn small_values_and_ends_of_domains() {
        let found = of(|s| (10.0 * s - 4.0).powi(20) - 1e-30);
        let half = 10f64.powf(-1.5) / 10.0;
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].0 - (0.4 - half)).abs() < 1e-12 && found[0].1 == -1);
        assert!((found[1].0 - (0.4 + half)).abs() < 1e-12 && found[1].1 == 1);
        let found = of(|s| (0.99 - s).sqrt() - 0.01);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].0 - 0.9899).abs() < 1e-12);
        assert!(of(|s| (s + 0.1) * (-5000.0 * s * s).exp()).is_empty());
        assert!(of(|s| 1.0 / (3.15 * s).sin()).is_empty());
    }

    #[test]
    fn ends() {
        assert_eq!(of(|s| s).len(), 0);
        assert_eq!(of(|s| s - 1.0), [(1.0, 1)]);
    }
}
