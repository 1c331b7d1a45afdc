//! Polynomials through a step.

/// Lagrange's polynomials of some nodes at a place.
pub(crate) fn lagrange(nodes: &[f64], at: f64) -> Vec<f64> {
    let factor = |i: usize, j: usize| match i == j {
        true => 1.0,
        false => (at - nodes[j]) / (nodes[i] - nodes[j]),
    };
    (0..nodes.len())
        .map(|i| (0..nodes.len()).map(|j| factor(i, j)).product())
        .collect()
}

/// The coefficients of Lagrange's polynomial of node i, from the constant one on.
pub(crate) fn coefficients(nodes: &[f64], i: usize) -> Vec<f64> {
    let mut list = vec![1.0];
    for (j, &node) in nodes.iter().enumerate() {
        if j == i {
            continue;
        }
        let scale = 1.0 / (nodes[i] - node);
        list.push(0.0);
        for k in (0..list.len()).rev() {
            let below = if k > 0 { list[k - 1] } else { 0.0 };
            list[k] = (below - node * list[k]) * scale;
        }
    }
    list
}

/// Positions over a step of length h as x₀ + Σ cₖθᵏ from k = 1 on, velocities as Σ cₖθᵏ from k = 0 on.
#[derive(Clone, Debug)]
pub(crate) struct Polynomial {
    /// The coefficients cₖ of each coordinate.
    positions: Vec<Vec<f64>>,
    velocities: Vec<Vec<f64>>,
}

/// One end of a step: velocities, accelerations and their rates.
pub(crate) struct End<'a> {
    pub(crate) u: &'a [f64],
    pub(crate) a: &'a [f64],
    pub(crate) j: &'a [f64],
}

impl Polynomial {
    /// The polynomial through velocities at some nodes, given by node and coordinate; positions are its integral.
    pub(crate) fn through(
        h: f64,
        n: usize,
        nodes: &[f64],
        velocity: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let bases: Vec<Vec<f64>> = (0..nodes.len()).map(|i| coefficients(nodes, i)).collect();
        let rate = |p: usize, k: usize| -> f64 {
            let terms = bases.iter().enumerate();
            terms.map(|(i, base)| base[k] * velocity(i, p)).sum()
        };
        let series = |p: usize| (0..nodes.len()).map(|k| rate(p, k)).collect();
        let velocities: Vec<Vec<f64>> = (0..n).map(series).collect();
        let integral = |list: &Vec<f64>| {
            let terms = list.iter().enumerate();
            terms.map(|(k, c)| h * c / (k + 1) as f64).collect()
        };
        Self {
            positions: velocities.iter().map(integral).collect(),
            velocities,
        }
    }

    /// Hermite's, with given changes of the positions, velocities, accelerations and their rates at both ends: of
    /// degree seven for positions, five for velocities. Velocities are not the rate of the positions: an error of
    /// the step in those would be divided by its length.
    pub(crate) fn hermite(h: f64, change: &[f64], ends: [End<'_>; 2]) -> Self {
        let n = change.len();
        let position = |i: usize| {
            let [d0, d1] = [0, 1].map(|e| h * ends[e].u[i]);
            let [a0, a1] = [0, 1].map(|e| h * h * ends[e].a[i]);
            let [j0, j1] = [0, 1].map(|e| h * h * h * ends[e].j[i]);
            let (c1, c2, c3) = (d0, a0 / 2.0, j0 / 6.0);
            // What is left at the end of value and rates.
            let r0 = change[i] - c1 - c2 - c3;
            let r1 = d1 - c1 - 2.0 * c2 - 3.0 * c3;
            let r2 = a1 - 2.0 * c2 - 6.0 * c3;
            let r3 = j1 - 6.0 * c3;
            vec![
                c1,
                c2,
                c3,
                35.0 * r0 - 15.0 * r1 + 2.5 * r2 - r3 / 6.0,
                -84.0 * r0 + 39.0 * r1 - 7.0 * r2 + 0.5 * r3,
                70.0 * r0 - 34.0 * r1 + 6.5 * r2 - 0.5 * r3,
                -20.0 * r0 + 10.0 * r1 - 2.0 * r2 + r3 / 6.0,
            ]
        };
        let velocity = |i: usize| {
            let [a0, a1] = [0, 1].map(|e| h * ends[e].a[i]);
            let [j0, j1] = [0, 1].map(|e| h * h * ends[e].j[i]);
            let (c0, c1, c2) = (ends[0].u[i], a0, j0 / 2.0);
            let r0 = (ends[1].u[i] - c0) - c1 - c2;
            let r1 = a1 - c1 - 2.0 * c2;
            let r2 = j1 - 2.0 * c2;
            vec![
                c0,
                c1,
                c2,
                10.0 * r0 - 4.0 * r1 + 0.5 * r2,
                -15.0 * r0 + 7.0 * r1 - r2,
                6.0 * r0 - 3.0 * r1 + 0.5 * r2,
            ]
        };
        Self {
            positions: (0..n).map(position).collect(),
            velocities: (0..n).map(velocity).collect(),
        }
    }

    /// The change of coordinate i over a part of the step.
    pub(crate) fn change(&self, part: f64, i: usize) -> f64 {
        let terms = self.positions[i].iter().rev();
        terms.fold(0.0, |v, c| (v + c) * part)
    }

    /// The velocity of coordinate i after a part of the step.
    pub(crate) fn velocity(&self, part: f64, i: usize) -> f64 {
        let terms = self.velocities[i].iter().rev();
        terms.fold(0.0, |v, c| v * part + c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hermite's polynomial is exact for positions of degree six, whose velocities are of degree five, that of
    /// velocities at nodes for their degree.
    #[test]
    fn polynomials_are_their_own() {
        let h = 0.7;
        let x = |t: f64| t.powi(6) - 2.0 * t.powi(4) + 3.0 * t;
        let u = |t: f64| 6.0 * t.powi(5) - 8.0 * t.powi(3) + 3.0;
        let a = |t: f64| 30.0 * t.powi(4) - 24.0 * t.powi(2);
        let j = |t: f64| 120.0 * t.powi(3) - 48.0 * t;
        let [start, end] = [0.0, h].map(|t| ([u(t)], [a(t)], [j(t)]));
        let ends = [&start, &end].map(|(u, a, j)| End { u, a, j });
        let p = Polynomial::hermite(h, &[x(h) - x(0.0)], ends);
        for part in [0.0, 0.1, 0.5, 0.93, 1.0] {
            let t = part * h;
            assert!((p.change(part, 0) - x(t)).abs() < 1e-13);
            assert!((p.velocity(part, 0) - u(t)).abs() < 1e-12);
        }
        let u = |t: f64| t.powi(3) - t + 2.0;
        let x = |t: f64| t.powi(4) / 4.0 - t * t / 2.0 + 2.0 * t;
        let nodes = [0.0, 0.2, 0.6, 1.0];
        let p = Polynomial::through(h, 1, &nodes, |i, _| u(nodes[i] * h));
        for part in [0.0, 0.1, 0.5, 0.93, 1.0, 1.4] {
            let t = part * h;
            assert!((p.change(part, 0) - x(t)).abs() < 1e-14);
            assert!((p.velocity(part, 0) - u(t)).abs() < 1e-14);
            let values = lagrange(&nodes, part);
            let sum: f64 = values.iter().zip(nodes).map(|(l, c)| l * u(c * h)).sum();
            assert!((sum - u(t)).abs() < 1e-14);
        }
    }
}
