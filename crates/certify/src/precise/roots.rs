//! Zeros of polynomials in (0, 1], in many digits: isolated by the rule of Descartes in Bernstein's basis.

use galilei_expr::Float;

/// Halvings of an interval before zeros in it count as a touch.
const MAX_HALVINGS: usize = 64;

/// A zero at which the sign changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing<const N: usize> {
    /// Its place.
    pub(crate) at: Float<N>,
    /// The sign behind it: 1 or −1.
    pub(crate) sign: i32,
}

/// The zeros of a polynomial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Zeros<const N: usize> {
    /// Those at which the sign changes, in order.
    pub(crate) crossings: Vec<Crossing<N>>,
    /// Places at which zeros cannot be told from a touch.
    pub(crate) touches: Vec<Float<N>>,
}

/// Σ qₖsᵏ
pub(crate) fn value<const N: usize>(q: &[Float<N>], s: Float<N>) -> Float<N> {
    let sum = |v: Float<N>, c: &Float<N>| v.mul(s).add(*c);
    q.iter().rev().fold(Float::ZERO, sum)
}

fn slope<const N: usize>(q: &[Float<N>], s: Float<N>) -> Float<N> {
    let mut v = Float::ZERO;
    for k in (1..q.len()).rev() {
        v = v.mul(s).add(q[k].mul(Float::int(k as i64)));
    }
    v
}

/// Coefficients in the Bernstein basis of [0, 1].
fn bernstein<const N: usize>(q: &[Float<N>]) -> Vec<Float<N>> {
    let n = q.len() - 1;
    let mut d = Vec::with_capacity(n + 1);
    let mut binomial = Float::int(1);
    for (i, c) in q.iter().enumerate() {
        d.push(c.div(binomial).unwrap_or(Float::ZERO));
        binomial = binomial.mul(Float::int((n - i) as i64)).over(i as u32 + 1);
    }
    for level in 1..=n {
        for j in (level..=n).rev() {
            d[j] = d[j].add(d[j - 1]);
        }
    }
    d
}

fn sign_changes<const N: usize>(b: &[Float<N>]) -> usize {
    let signs = b.iter().map(|x| x.sign()).filter(|s| *s != 0);
    let signs: Vec<i32> = signs.collect();
    signs.windows(2).filter(|w| w[0] != w[1]).count()
}

/// The coefficients on both halves of the interval. (de Casteljau)
fn halves<const N: usize>(b: &[Float<N>]) -> [Vec<Float<N>>; 2] {
    let n = b.len();
    let mut work = b.to_vec();
    let (mut left, mut right) = (Vec::with_capacity(n), vec![Float::ZERO; n]);
    for level in 0..n {
        left.push(work[0]);
        right[n - 1 - level] = work[n - 1 - level];
        for j in 0..n - 1 - level {
            work[j] = work[j].add(work[j + 1]).shifted(-1);
        }
    }
    [left, right]
}

/// The zeros in (0, 1) of a polynomial that is not zero at 0.
pub(crate) fn zeros<const N: usize>(q: &[Float<N>]) -> Zeros<N> {
    let mut found = Zeros {
        crossings: vec![],
        touches: vec![],
    };
    let Some((first, rest)) = q.split_first() else {
        return found;
    };
    let sum = rest.iter().fold(Float::ZERO, |s, c| s.add(c.abs()));
    if first.abs().order(sum).is_gt() {
        return found;
    }
    let mut stack = vec![(bernstein(q), Float::ZERO, Float::int(1), 0)];
    while let Some((b, low, high, depth)) = stack.pop() {
        match sign_changes(&b) {
            0 => {}
            1 => found.crossings.push(narrowed(q, low, high)),
            _ if depth == MAX_HALVINGS => {
                // Several zeros so near to each other are one crossing, or a touch.
                let ends = [low, high].map(|x| value(q, x).sign());
                match ends[0] * ends[1] < 0 {
                    true => found.crossings.push(narrowed(q, low, high)),
                    false => found.touches.push(low),
                }
            }
            _ => {
                let middle = low.add(high).shifted(-1);
                let [left, right] = halves(&b);
                // A zero between both halves is in neither.
                if right[0].is_zero() {
                    let sign = |x: Option<&Float<N>>| x.map_or(0, |x| x.sign());
                    let before = sign(left.iter().rev().find(|x| !x.is_zero()));
                    let after = sign(right.iter().find(|x| !x.is_zero()));
                    if before * after < 0 {
                        let (at, sign) = (middle, after);
                        found.crossings.push(Crossing { at, sign });
                    }
                }
                stack.push((right, middle, high, depth + 1));
                stack.push((left, low, middle, depth + 1));
            }
        }
    }
    found.crossings.sort_by(|a, b| a.at.order(b.at));
    found
}

/// The one zero between two places, by Newton's method that is kept between them.
fn narrowed<const N: usize>(q: &[Float<N>], mut low: Float<N>, mut high: Float<N>) -> Crossing<N> {
    let sign = match value(q, high).sign() {
        0 => -value(q, low).sign(),
        s => s,
    };
    let mut at = low.add(high).shifted(-1);
    for _ in 0..64 * N + 64 {
        let v = value(q, at);
        match v.sign() {
            0 => break,
            s if s == sign => high = at,
            _ => low = at,
        }
        let newton = v.div(slope(q, at)).map(|step| at.sub(step));
        let inside = newton.filter(|x| x.order(low).is_gt() && x.order(high).is_lt());
        let next = inside.unwrap_or(low.add(high).shifted(-1));
        let moved = next.sub(at).abs();
        at = next;
        if moved.is_zero() || moved.log2() < at.log2() - (64 * N) as f64 + 3.0 {
            break;
        }
    }
    Crossing { at, sign }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(roots: &[(i64, i64)]) -> Vec<Float<4>> {
        let mut q = vec![Float::int(1)];
        for &(n, d) in roots {
            let root = Float::int(n).div(Float::int(d)).unwrap();
            let mut next = vec![Float::ZERO; q.len() + 1];
            for (k, c) in q.iter().enumerate() {
                next[k + 1] = next[k + 1].add(*c);
                next[k] = next[k].sub(c.mul(root));
            }
            q = next;
        }
        q
    }

    #[test]
    fn crossings_are_found_to_all_digits_and_touches_are_named() {
        let found = zeros(&polynomial(&[(1, 3), (2, 3), (3, 2), (-1, 2)]));
        assert_eq!(found.crossings.len(), 2);
        for (c, thirds) in found.crossings.iter().zip([1, 2]) {
            let error = c.at.mul(Float::int(3)).sub(Float::int(thirds));
            assert!(error.log2() < -240.0, "{}", error.log2());
        }
        assert_eq!(found.crossings[0].sign, -found.crossings[1].sign);
        // Two zeros 1e-9 apart are two.
        let near = zeros(&polynomial(&[(1, 3), (333_333_334, 1_000_000_000)]));
        assert_eq!((near.crossings.len(), near.touches.len()), (2, 0));
        // A double zero is a touch.
        let double = zeros(&polynomial(&[(1, 3), (1, 3)]));
        assert!(double.crossings.is_empty() && !double.touches.is_empty());
        assert!(zeros(&polynomial(&[(5, 3)])).crossings.is_empty());
        // One in the middle of the interval, between two others.
        let halved = zeros(&polynomial(&[(1, 4), (1, 2), (2, 3)]));
        assert_eq!(halved.crossings.len(), 3);
        let error = halved.crossings[1].at.sub(Float::exact(0.5));
        assert!(error.is_zero() || error.log2() < -240.0, "{error:?}");
    }
}
