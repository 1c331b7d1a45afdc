//! Real roots of a polynomial in (0, 1], all of them, in order.

use galilei_tape::math::scalar::powi;

use crate::expansion::root;

/// Halvings after which what is left counts as one root.
const MAX_HALVINGS: usize = 46;

/// A series Σ cₖτᵏ over a time h, scaled to [0, 1].
pub(crate) fn scaled(c: &[f64], h: f64) -> Vec<f64> {
    let mut power = 1.0;
    let terms = c.iter().map(|c| {
        let term = c * power;
        power *= h;
        term
    });
    terms.collect()
}

pub(crate) fn value(q: &[f64], s: f64) -> f64 {
    q.iter().rev().fold(0.0, |v, c| v * s + c)
}

fn slope(q: &[f64], s: f64) -> f64 {
    let mut v = 0.0;
    for k in (1..q.len()).rev() {
        v = v * s + q[k] * k as f64;
    }
    v
}

/// Coefficients in the Bernstein basis of [0, 1].
fn bernstein(q: &[f64]) -> Vec<f64> {
    let n = q.len() - 1;
    // Differences scaled by binomials: b_j = Σ C(j, i)/C(n, i) q_i.
    let mut d: Vec<f64> = Vec::with_capacity(n + 1);
    let mut binomial = 1.0;
    for (i, c) in q.iter().enumerate() {
        d.push(c / binomial);
        binomial = binomial * (n - i) as f64 / (i + 1) as f64;
    }
    for level in 1..=n {
        for j in (level..=n).rev() {
            d[j] += d[j - 1];
        }
    }
    d
}

fn sign_changes(b: &[f64]) -> usize {
    let mut count = 0;
    let mut last = 0.0;
    for &x in b {
        if x != 0.0 {
            if last * x < 0.0 {
                count += 1;
            }
            last = x.signum();
        }
    }
    count
}

/// The two halves of a polynomial in the Bernstein basis.
fn halves(b: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = b.len();
    let mut work = b.to_vec();
    let mut left = vec![0.0; n];
    let mut right = vec![0.0; n];
    for level in 0..n {
        left[level] = work[0];
        right[n - 1 - level] = work[n - 1 - level];
        for j in 0..n - 1 - level {
            work[j] = 0.5 * (work[j] + work[j + 1]);
        }
    }
    (left, right)
}

/// The largest relative size of the last terms of series at which roots are as accurate as a tolerance requires.
pub(crate) fn located_to(tolerance: f64) -> f64 {
    (10.0 * tolerance).clamp(1e-14, 1e-3)
}

/// Where the last terms of a series begin: the last two, or where those vanish as others between them do, like in the
/// series of sin τ³, the last that does not. A series that ends early has none but zeros there.
fn last_known(c: &[f64]) -> usize {
    let usual = c.len().saturating_sub(2);
    let known: Vec<usize> = (1..c.len()).filter(|k| c[*k] != 0.0).collect();
    let gap = known.windows(2).map(|pair| pair[1] - pair[0]).max();
    match (known.last(), gap) {
        (Some(&last), Some(gap)) if last < usual && last + gap >= c.len() => last,
        _ => usual,
    }
}

/// The part of a length on which a series Σ cₖτᵏ can be trusted, so that its roots are those of the function: its
/// last two terms stay below a part of its largest.
pub(crate) fn trusted(c: &[f64], length: f64, part: f64) -> f64 {
    let last = c.len() - 1;
    let (low, high) = c.split_at(last_known(c));
    // If only the last terms are known, nothing can be concluded.
    if low.iter().all(|c| *c == 0.0) || high.iter().all(|c| *c == 0.0) {
        return length;
    }
    let largest = |list: &[f64], first: usize, tau: f64| {
        let terms = list.iter().zip(first as i32..);
        terms.fold(0.0_f64, |m, (c, k)| m.max(c.abs() * powi(tau, k)))
    };
    let mut tau = length;
    for _ in 0..400 {
        let (lows, highs) = (largest(low, 0, tau), largest(high, low.len(), tau));
        if !highs.is_finite() {
            tau *= 1e-3;
        } else if highs > part * lows {
            tau *= root(part * lows / highs, last).clamp(0.01, 0.9);
        } else {
            break;
        }
    }
    tau
}

/// The roots in (0, 1] of Σ qₖsᵏ, in order; each with the sign of the change: 1 rising, −1 falling,
/// 0 where it only touches.
pub(crate) fn roots_in(q: &[f64]) -> Vec<(f64, i8)> {
    let mut out = Vec::new();
    let size = q.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if size == 0.0 || !size.is_finite() {
        return out;
    }
    // Most series are far from zero: the others cannot make up for the first coefficient.
    if q[1..].iter().map(|c| c.abs()).sum::<f64>() < q[0].abs() {
        return out;
    }
    let mut stack = vec![(0.0, 1.0, bernstein(q), 0usize)];
    while let Some((low, high, b, depth)) = stack.pop() {
        let count = sign_changes(&b);
        let last = b[b.len() - 1];
        if count == 0 {
            // A root exactly at the end of the interval.
            if last == 0.0 && high > 0.0 {
                push(&mut out, q, high);
            }
            continue;
        }
        if count == 1 && b[0] != 0.0 && last != 0.0 {
            push(&mut out, q, refine(q, low, high, b[0]));
            continue;
        }
        if depth >= MAX_HALVINGS {
            let s = 0.5 * (low + high);
            // Two sign changes that never part: the series touches zero, or nearly so.
            if value(q, s).abs() <= 1e-14 * size {
                push(&mut out, q, s);
            }
            continue;
        }
        let (left, right) = halves(&b);
        let middle = 0.5 * (low + high);
        stack.push((middle, high, right, depth + 1));
        stack.push((low, middle, left, depth + 1));
    }
    for root in &mut out {
        if let Some(better) = multiple(q, root.0) {
            *root = better;
        }
    }
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out.dedup_by(|a, b| (a.0 - b.0).abs() <= 4.0 * f64::EPSILON);
    out.retain(|r| r.0 > 0.0);
    out
}

/// Roots of a higher multiplicity than this are left as they are found.
const MAX_MULTIPLICITY: usize = 8;
/// Slopes below this part of what they could be are those of a multiple root, possibly.
const FLAT_SLOPE: f64 = 1e-3;
/// A multiple root is not farther than this from where it was found.
const MAX_ROOT_SHIFT: f64 = 0.05;
/// The error of coefficients of series that is expected, in units of the last place.
const COEFFICIENT_ULPS: f64 = 1e3;

/// Whether a polynomial is flat at a place, as at a multiple root.
pub(crate) fn is_flat(q: &[f64], s: f64) -> bool {
    let terms = q.iter().enumerate().skip(1);
    let size: f64 = terms
        .map(|(k, c)| (k as f64 * c * powi(s, k as i32 - 1)).abs())
        .sum();
    slope(q, s).abs() <= FLAT_SLOPE * size
}

/// A multiple root next to a place where rounding left one, as accurate as the coefficients are: where a derivative has
/// a simple root and all lower ones vanish to rounding.
fn multiple(q: &[f64], s: f64) -> Option<(f64, i8)> {
    // Derivative j over j! at a place, and the sum of the sizes of its terms.
    let derivative = |j: usize, s: f64| {
        let (mut sum, mut size) = (0.0, 0.0);
        let mut factor = 1.0;
        for k in j..q.len() {
            if k > j {
                factor *= k as f64 / (k - j) as f64 * s;
            }
            sum += q[k] * factor;
            size += (q[k] * factor).abs();
        }
        (sum, size)
    };
    if !is_flat(q, s) {
        return None;
    }
    let most = MAX_MULTIPLICITY.min(q.len().saturating_sub(2));
    (2..=most).rev().find_map(|m| {
        let mut root = s;
        for _ in 0..20 {
            let (value, next) = (derivative(m - 1, root).0, derivative(m, root).0);
            let step = value / (m as f64 * next);
            root -= step;
            if step.is_nan() || (root - s).abs() > MAX_ROOT_SHIFT {
                return None;
            }
            if step.abs() <= f64::EPSILON * root.abs() {
                break;
            }
        }
        let vanishes = |j: usize| {
            let (value, size) = derivative(j, root);
            value.abs() <= COEFFICIENT_ULPS * f64::EPSILON * size
        };
        let direction = match (m % 2, derivative(m, root).0 > 0.0) {
            (0, _) => 0,
            (_, true) => 1,
            (_, false) => -1,
        };
        let found = (0..m - 1).all(vanishes) && root <= 1.0;
        found.then_some((root, direction))
    })
}

/// The roots in (0, 1] of Σ qₖsᵏ, and where it has a minimum that is at most a part of its values at the ends.
pub(crate) fn touches_in(q: &[f64], part: f64) -> Vec<(f64, i8)> {
    let mut out = roots_in(q);
    let rates: Vec<f64> = (1..q.len()).map(|k| k as f64 * q[k]).collect();
    let most = part * q[0].abs().max(value(q, 1.0).abs());
    let low = roots_in(&rates).into_iter().map(|r| r.0);
    out.extend(low.filter(|s| value(q, *s) <= most).map(|s| (s, 0)));
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

fn push(out: &mut Vec<(f64, i8)>, q: &[f64], s: f64) {
    let v = slope(q, s);
    let scale: f64 = q.iter().enumerate().map(|(k, c)| k as f64 * c.abs()).sum();
    let direction = if v.abs() <= 1e-12 * scale {
        0
    } else if v > 0.0 {
        1
    } else {
        -1
    };
    out.push((s, direction));
}

/// A root between two ends of different sign: bisection, with Newton's step where it stays inside.
fn refine(q: &[f64], mut low: f64, mut high: f64, at_low: f64) -> f64 {
    let negative = at_low < 0.0;
    let mut s = 0.5 * (low + high);
    for _ in 0..200 {
        let v = value(q, s);
        if v == 0.0 {
            return s;
        }
        if (v < 0.0) == negative {
            low = s;
        } else {
            high = s;
        }
        let next = s - v / slope(q, s);
        let inside = next > low && next < high;
        let guess = if inside { next } else { 0.5 * (low + high) };
        if guess == s || high - low <= 4.0 * f64::EPSILON * high {
            return guess;
        }
        if inside && (next - s).abs() <= f64::EPSILON * s.abs() {
            return next;
        }
        s = guess;
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(roots: &[f64]) -> Vec<f64> {
        let mut q = vec![1.0];
        for r in roots {
            let mut next = vec![0.0; q.len() + 1];
            for (k, c) in q.iter().enumerate() {
                next[k + 1] += c;
                next[k] -= c * r;
            }
            q = next;
        }
        q
    }

    #[test]
    fn finds_all_simple_roots_and_their_directions() {
        let wanted = [0.03, 0.2, 0.21, 0.7, 0.999];
        let found = roots_in(&expanded(&[0.03, -0.5, 0.2, 1.3, 0.21, 0.7, 0.999, 2.0]));
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (f, w) in found.iter().zip(wanted) {
            assert!((f.0 - w).abs() < 1e-12, "{found:?}");
        }
        for pair in found.windows(2) {
            assert_eq!(pair[0].1, -pair[1].1);
        }
    }

    #[test]
    fn multiple_roots_are_found_to_rounding() {
        for m in 2..=7 {
            let mut roots = vec![0.37; m];
            roots.push(1.7);
            let found = roots_in(&expanded(&roots));
            assert_eq!(found.len(), 1, "{m}: {found:?}");
            assert!((found[0].0 - 0.37).abs() < 1e-14, "{m}: {found:?}");
            assert_eq!(found[0].1, if m % 2 == 0 { 0 } else { -1 }, "{m}");
        }
        // Two roots that are merely close stay two.
        let found = roots_in(&expanded(&[0.37, 0.3701, 1.7]));
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_root_at_the_start_does_not_count_and_one_at_the_end_does() {
        assert_eq!(roots_in(&[0.0, 1.0]).len(), 0);
        assert_eq!(roots_in(&[-1.0, 1.0]), [(1.0, 1)]);
        assert_eq!(roots_in(&[1.0, 1.0]).len(), 0);
    }

    #[test]
    fn a_square_that_nearly_vanishes_touches() {
        let mut q = expanded(&[0.3, 0.3]);
        q[0] += 1e-13;
        assert!(roots_in(&q).is_empty());
        let found = touches_in(&q, 1e-12);
        assert!(
            found.len() == 1 && (found[0].0 - 0.3).abs() < 1e-14,
            "{found:?}"
        );
        q[0] += 1e-9;
        assert!(touches_in(&q, 1e-12).is_empty());
    }

    #[test]
    fn a_double_root_touches() {
        let found = roots_in(&expanded(&[0.5, 0.5]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, 0);
        assert!((found[0].0 - 0.5).abs() < 1e-7);
    }
}
