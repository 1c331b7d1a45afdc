//! Legendre's polynomials, and the points that Gauss integrates with.

use galilei_tape::math::scalar::cos;

use crate::double::Double;

/// P₀ … P_n at a point of [−1, 1].
pub(crate) fn polynomials(n: usize, z: Double) -> Vec<Double> {
    let mut list = vec![Double::from(1.0), z];
    for k in 2..=n {
        let [twice, less, all] = [2 * k - 1, k - 1, k].map(|j| Double::from(j as f64));
        list.push((twice * z * list[k - 1] - less * list[k - 2]) / all);
    }
    list.truncate(n + 1);
    list
}

/// P_n and its derivative at a point of (−1, 1).
pub(crate) fn legendre(n: usize, z: Double) -> (Double, Double) {
    if n == 0 {
        return (1.0.into(), 0.0.into());
    }
    let list = polynomials(n, z);
    let below = Double::from(1.0) - z * z;
    let slope = Double::from(n as f64) * (list[n - 1] - z * list[n]) / below;
    (list[n], slope)
}

/// Gauss' points and weights on [0, 1], exact for polynomials up to degree 2n − 1.
pub(crate) fn gauss(n: usize) -> Vec<(Double, Double)> {
    let one = Double::from(1.0);
    let mut list: Vec<(Double, Double)> = (0..n)
        .map(|k| {
            let angle = std::f64::consts::PI * (k as f64 + 0.75) / (n as f64 + 0.5);
            let mut z = Double::from(cos(angle));
            for _ in 0..6 {
                let (p, slope) = legendre(n, z);
                z = z - p / slope;
            }
            let (_, slope) = legendre(n, z);
            let weight = one / ((one - z * z) * slope * slope);
            ((one + z) * Double::from(0.5), weight)
        })
        .collect();
    list.reverse();
    list
}

/// Gauss' points and weights, rounded to doubles.
pub(crate) fn rounded_gauss(n: usize) -> Vec<(f64, f64)> {
    let list = gauss(n).into_iter();
    list.map(|(c, b)| (c.rounded(), b.rounded())).collect()
}
