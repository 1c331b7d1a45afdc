//! The coefficients of collocation methods.

/// A collocation method: c, b and A of its Runge–Kutta form, with aᵢⱼ = (mean + shareᵢⱼ)·bⱼ.
///
/// A Runge–Kutta method is symplectic if bᵢaᵢⱼ + bⱼaⱼᵢ = bᵢbⱼ. For Gauss' methods the mean is ½ and the shares
/// are antisymmetric, to the last bit, so that this holds for the rounded coefficients, too; a defect of 10⁻¹⁶
/// would be felt as a drift after 10⁶ steps.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    /// The order of a step.
    pub(crate) order: usize,
    /// c
    pub(crate) nodes: Vec<f64>,
    /// b
    pub(crate) weights: Vec<f64>,
    /// The common part of all shares.
    pub(crate) mean: f64,
    shares: Vec<f64>,
}

impl Tableau {
    /// Gauss' method with one, two or three stages, of twice that order.
    ///
    /// # Panics
    /// Gauss' method with one, two or three stages.
    pub(crate) fn gauss(stages: usize) -> Self {
        let (nodes, weights, above) = match stages {
            1 => (vec![0.5], vec![1.0], vec![]),
            2 => {
                let r = 3f64.sqrt();
                let nodes = vec![0.5 - r / 6.0, 0.5 + r / 6.0];
                (nodes, vec![0.5; 2], vec![-r / 3.0])
            }
            3 => {
                let r = 15f64.sqrt();
                let nodes = vec![0.5 - r / 10.0, 0.5, 0.5 + r / 10.0];
                let weights = vec![5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0];
                let near = -3.0 * r / 20.0;
                (nodes, weights, vec![near, -3.0 * r / 25.0, near])
            }
            _ => panic!("no Gauss method with {stages} stages is here"),
        };
        let mut shares = vec![0.0; stages * stages];
        let pairs = (0..stages).flat_map(|i| (i + 1..stages).map(move |j| (i, j)));
        for ((i, j), share) in pairs.zip(above) {
            shares[i * stages + j] = share;
            shares[j * stages + i] = -share;
        }
        Self {
            order: 2 * stages,
            nodes,
            weights,
            mean: 0.5,
            shares,
        }
    }

    /// Radau's method IIA with three stages, of order five; the last stage is the end of the step.
    pub(crate) fn radau() -> Self {
        let r = 6f64.sqrt();
        let weights = vec![(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0];
        let matrix = [
            [
                (88.0 - 7.0 * r) / 360.0,
                (296.0 - 169.0 * r) / 1800.0,
                (-2.0 + 3.0 * r) / 225.0,
            ],
            [
                (296.0 + 169.0 * r) / 1800.0,
                (88.0 + 7.0 * r) / 360.0,
                (-2.0 - 3.0 * r) / 225.0,
            ],
        ];
        let mut shares: Vec<f64> = matrix
            .iter()
            .flat_map(|row| row.iter().zip(&weights).map(|(a, b)| a / b))
            .collect();
        shares.extend([1.0; 3]);
        Self {
            order: 5,
            nodes: vec![(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0],
            weights,
            mean: 0.0,
            shares,
        }
    }

    /// The number of stages.
    pub(crate) fn stages(&self) -> usize {
        self.nodes.len()
    }

    /// The shares of stage i.
    pub(crate) fn shares(&self, i: usize) -> &[f64] {
        let s = self.stages();
        &self.shares[i * s..(i + 1) * s]
    }

    /// A, row by row.
    pub(crate) fn matrix(&self) -> Vec<f64> {
        let s = self.stages();
        let entry = |k: usize| (self.mean + self.shares[k]) * self.weights[k % s];
        (0..s * s).map(entry).collect()
    }

    /// A², row by row.
    pub(crate) fn square(&self) -> Vec<f64> {
        let (s, a) = (self.stages(), self.matrix());
        let entry = |k: usize| (0..s).map(|j| a[k / s * s + j] * a[j * s + k % s]).sum();
        (0..s * s).map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Tableau> {
        let mut list: Vec<Tableau> = (1..=3).map(Tableau::gauss).collect();
        list.push(Tableau::radau());
        list
    }

    /// Σ bᵢcᵢᵏ⁻¹ = 1/k up to the order and no further, Σ aᵢⱼcⱼᵏ⁻¹ = cᵢᵏ/k up to the number of stages.
    #[test]
    fn the_simplifying_conditions_hold() {
        for t in all() {
            let (s, a) = (t.stages(), t.matrix());
            let quadrature = |k: usize| -> f64 {
                let terms = t.weights.iter().zip(&t.nodes);
                terms.map(|(b, c)| b * c.powi(k as i32 - 1)).sum()
            };
            for k in 1..=t.order {
                assert!((quadrature(k) - 1.0 / k as f64).abs() < 1e-15, "{t:?}");
            }
            let next = t.order + 1;
            assert!((quadrature(next) - 1.0 / next as f64).abs() > 1e-4);
            for (i, k) in (0..s).flat_map(|i| (1..=s).map(move |k| (i, k))) {
                let sum: f64 = (0..s)
                    .map(|j| a[i * s + j] * t.nodes[j].powi(k as i32 - 1))
                    .sum();
                let wanted = t.nodes[i].powi(k as i32) / k as f64;
                assert!((sum - wanted).abs() < 2e-15, "{t:?}");
            }
        }
    }

    /// bᵢaᵢⱼ + bⱼaⱼᵢ = bᵢbⱼ for Gauss' methods, of the shares exactly; not for Radau's.
    #[test]
    fn gauss_is_symplectic_to_the_last_bit() {
        for t in all() {
            let s = t.stages();
            let exact = (0..s * s).all(|k| {
                let (i, j) = (k / s, k % s);
                2.0 * t.mean + t.shares(i)[j] + t.shares(j)[i] == 1.0
            });
            assert_eq!(exact, t.order % 2 == 0);
        }
    }
}
