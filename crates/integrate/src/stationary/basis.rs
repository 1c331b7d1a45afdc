//! Polynomials of one degree on [0, 1]: nodes that include both ends, and points to integrate with.

use galilei_tape::math::scalar::cos;

use crate::implicit::lagrange;
use crate::legendre::{legendre, rounded_gauss};

/// The ends and between them the zeros of P'_s: s + 1 nodes on [0, 1].
pub(super) fn lobatto(s: usize) -> Vec<f64> {
    let n = s as f64;
    let mut nodes = vec![0.0];
    let mut inner: Vec<f64> = (1..s)
        .map(|k| {
            let mut z = cos(std::f64::consts::PI * k as f64 / n);
            for _ in 0..12 {
                // (1 − z²)P'' = 2zP' − s(s + 1)P
                let (p, slope) = legendre(s, z.into());
                let (p, slope) = (p.rounded(), slope.rounded());
                let curve = (2.0 * z * slope - n * (n + 1.0) * p) / (1.0 - z * z);
                z -= slope / curve;
            }
            0.5 * (1.0 + z)
        })
        .collect();
    inner.reverse();
    nodes.extend(inner);
    nodes.push(1.0);
    nodes
}

/// Polynomials that are one at one node and zero at the others, with what is needed of them.
pub(super) struct Basis {
    pub(super) degree: usize,
    nodes: Vec<f64>,
    /// The weights that integrate with the nodes.
    pub(super) weights: Vec<f64>,
    /// Points and weights.
    pub(super) points: Vec<(f64, f64)>,
    /// At each point the values of all polynomials, and their derivatives.
    pub(super) values: Vec<Vec<f64>>,
    pub(super) slopes: Vec<Vec<f64>>,
}

impl Basis {
    pub(super) fn new(degree: usize) -> Self {
        let mut basis = Self {
            degree,
            nodes: lobatto(degree),
            weights: vec![],
            points: rounded_gauss(degree),
            values: vec![],
            slopes: vec![],
        };
        for &(z, _) in &basis.points {
            let (values, slopes) = basis.at(z);
            basis.values.push(values);
            basis.slopes.push(slopes);
        }
        // The integrals of the polynomials, which the points give exactly.
        basis.weights = (0..=degree)
            .map(|a| {
                let points = basis.points.iter().zip(&basis.values);
                points.map(|((_, w), values)| w * values[a]).sum()
            })
            .collect();
        basis
    }

    pub(super) fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The values and derivatives of all polynomials at a point of [0, 1].
    pub(super) fn at(&self, z: f64) -> (Vec<f64>, Vec<f64>) {
        let count = self.nodes.len();
        let others = |a: usize| (0..count).filter(move |&b| b != a);
        let slope = |a: usize| {
            others(a)
                .map(|c| {
                    let rest = others(a).filter(|&b| b != c);
                    let factor = |b: usize| (z - self.nodes[b]) / (self.nodes[a] - self.nodes[b]);
                    rest.map(factor).product::<f64>() / (self.nodes[a] - self.nodes[c])
                })
                .sum::<f64>()
        };
        (lagrange(&self.nodes, z), (0..count).map(slope).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_integrates_powers_and_lobatto_nodes_are_symmetric() {
        for n in 1..9 {
            let points = rounded_gauss(n);
            for power in 0..2 * n {
                let sum: f64 = points.iter().map(|(z, w)| w * z.powi(power as i32)).sum();
                let exact = 1.0 / (power as f64 + 1.0);
                assert!((sum - exact).abs() < 1e-15, "{n} {power}");
            }
            let nodes = lobatto(n);
            assert_eq!(nodes.len(), n + 1);
            for k in 0..=n {
                assert!((nodes[k] + nodes[n - k] - 1.0).abs() < 1e-15);
            }
            assert!(nodes.windows(2).all(|w| w[0] < w[1]));
        }
        // ½(1 − 1/√5)
        assert!((lobatto(3)[1] - 0.276_393_202_250_021).abs() < 1e-15);
    }

    #[test]
    fn polynomials_are_reproduced_with_their_derivatives() {
        let basis = Basis::new(5);
        let f = |z: f64| 1.0 - 2.0 * z + z.powi(5);
        for z in [0.0, 0.3, 1.0] {
            let (values, slopes) = basis.at(z);
            let sum = |list: &[f64]| -> f64 {
                let pairs = list.iter().zip(basis.nodes());
                pairs.map(|(c, node)| c * f(*node)).sum()
            };
            assert!((sum(&values) - f(z)).abs() < 1e-14);
            assert!((sum(&slopes) - (5.0 * z.powi(4) - 2.0)).abs() < 1e-13);
        }
    }
}
