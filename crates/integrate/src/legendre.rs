//! Legendre's polynomials, and the points that Gauss integrates with.

/// P₀ … P_n at a point of [−1, 1].
pub(crate) fn polynomials(n: usize, z: f64) -> Vec<f64> {
    let mut list = vec![1.0, z];
    for k in 2..=n {
        let j = k as f64;
        let next = ((2.0 * j - 1.0) * z * list[k - 1] - (j - 1.0) * list[k - 2]) / j;
        list.push(next);
    }
    list.truncate(n + 1);
    list
}

/// P_n and its derivative at a point of (−1, 1).
pub(crate) fn legendre(n: usize, z: f64) -> (f64, f64) {
    if n == 0 {
        return (1.0, 0.0);
    }
    let list = polynomials(n, z);
    let slope = n as f64 * (list[n - 1] - z * list[n]) / (1.0 - z * z);
    (list[n], slope)
}

/// Gauss' points and weights on [0, 1], exact for polynomials up to degree 2n − 1.
pub(crate) fn gauss(n: usize) -> Vec<(f64, f64)> {
    let mut list: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            let angle = std::f64::consts::PI * (k as f64 + 0.75) / (n as f64 + 0.5);
            let mut z = angle.cos();
            for _ in 0..8 {
                let (p, slope) = legendre(n, z);
                z -= p / slope;
            }
            let (_, slope) = legendre(n, z);
            let weight = 1.0 / ((1.0 - z * z) * slope * slope);
            (0.5 * (1.0 + z), weight)
        })
        .collect();
    list.reverse();
    list
}
