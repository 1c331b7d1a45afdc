//! Curves of piecewise polynomials, and what a functional says of them.

use galilei_linear::Factors;

use super::banded::Banded;
use super::basis::Basis;
use super::functional::Functional;

/// A curve: at the nodes of all elements, which share their ends, x and with constraints their multipliers;
/// and w at the points of each element.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// The ends of the elements.
    pub(super) times: Vec<f64>,
    pub(super) nodes: Vec<f64>,
    pub(super) w: Vec<f64>,
}

/// The integrand, and the conditions at every node.
pub(super) struct Parts<'a> {
    pub(super) functional: &'a mut Functional,
    /// λ·h(t, x), as a functional whose positions are (x, λ).
    pub(super) constraints: Option<&'a mut Functional>,
}

impl Parts<'_> {
    /// The number of unknowns of a node.
    fn size(&self) -> usize {
        match &self.constraints {
            Some(constraints) => constraints.dimension,
            None => self.functional.dimension,
        }
    }
}

/// One element: its part of the action, and of the first and second variation.
pub(super) struct Element {
    pub(super) action: f64,
    /// The derivatives of the action by the positions at the nodes, with the work of forces.
    pub(super) slopes: Vec<f64>,
    /// The derivatives of the slopes, row by row.
    pub(super) matrix: Vec<f64>,
    /// The second variation: the matrix without forces.
    pub(super) second: Vec<f64>,
    /// The matrices that give the change of w, for each point.
    locals: Vec<Local>,
}

/// H_ww factored, ∂F/∂w and H_wz at a point.
struct Local {
    factors: Factors,
    slopes: Vec<f64>,
    mixed: Vec<f64>,
}

/// The error of a functional that is not finite on a curve.
pub(super) struct NotFinite;

impl Curve {
    pub(super) fn elements(&self) -> usize {
        self.times.len() - 1
    }

    /// The number of unknowns of a node.
    pub(super) fn size(&self, degree: usize) -> usize {
        self.nodes.len() / (self.elements() * degree + 1)
    }

    /// The unknowns at node a of element e.
    pub(super) fn node(&self, degree: usize, e: usize, a: usize) -> &[f64] {
        let size = self.size(degree);
        let at = (e * degree + a) * size;
        &self.nodes[at..at + size]
    }

    /// x and ẋ where the polynomials have these values and slopes.
    fn point(
        &self,
        n: usize,
        degree: usize,
        e: usize,
        (values, slopes): (&[f64], &[f64]),
    ) -> (Vec<f64>, Vec<f64>) {
        let h = self.times[e + 1] - self.times[e];
        let (mut x, mut v) = (vec![0.0; n], vec![0.0; n]);
        for a in 0..=degree {
            for (i, node) in self.node(degree, e, a)[..n].iter().enumerate() {
                x[i] += values[a] * node;
                v[i] += slopes[a] * node / h;
            }
        }
        (x, v)
    }

    /// x and ẋ at a time.
    pub(super) fn at(&self, basis: &Basis, n: usize, t: f64) -> (Vec<f64>, Vec<f64>) {
        let forward = self.times[self.elements()] >= self.times[0];
        let behind = |end: &f64| if forward { *end <= t } else { *end >= t };
        let e = self.times.iter().filter(|end| behind(end)).count();
        let e = e.clamp(1, self.elements()) - 1;
        let z = (t - self.times[e]) / (self.times[e + 1] - self.times[e]);
        let (values, slopes) = basis.at(z);
        self.point(n, basis.degree, e, (&values, &slopes))
    }

    /// The contributions of one element to a functional.
    pub(super) fn element(
        &self,
        parts: &mut Parts<'_>,
        basis: &Basis,
        e: usize,
    ) -> Result<Element, NotFinite> {
        let per_node = parts.size();
        let functional = &mut *parts.functional;
        let (n, m, degree) = (functional.dimension, functional.local, basis.degree);
        let h = self.times[e + 1] - self.times[e];
        let size = (degree + 1) * per_node;
        let mut element = Element {
            action: 0.0,
            slopes: vec![0.0; size],
            matrix: vec![0.0; size * size],
            second: vec![0.0; size * size],
            locals: vec![],
        };
        for (j, &(z, weight)) in basis.points.iter().enumerate() {
            let (values, slopes) = (&basis.values[j], &basis.slopes[j]);
            let (x, v) = self.point(n, degree, e, (values, slopes));
            let w = (e * basis.points.len() + j) * m;
            let w = &self.w[w..w + m];
            let at = functional.at(self.times[e] + z * h, &x, &v, w);
            if !at.is_finite() {
                return Err(NotFinite);
            }
            let weight = weight * h;
            element.action += weight * at.value();
            let mut local = Local {
                factors: Factors::new(m),
                slopes: (0..m).map(|k| at.slope(2 * n + k)).collect(),
                mixed: (0..m * 2 * n)
                    .map(|k| at.curve(2 * n + k / (2 * n), k % (2 * n)))
                    .collect(),
            };
            let mut reduced: Vec<f64> = (0..2 * n).map(|k| at.slope(k)).collect();
            let mut second: Vec<f64> = (0..4 * n * n)
                .map(|k| at.curve(k / (2 * n), k % (2 * n)))
                .collect();
            if m > 0 {
                let entry = |i: usize, j: usize| at.curve(2 * n + i, 2 * n + j);
                local.factors.factor(entry).map_err(|_| NotFinite)?;
                local.reduce(n, &mut reduced, &mut second);
            }
            let mut matrix = second.clone();
            for i in 0..n {
                reduced[i] += at.force(i);
                for k in 0..2 * n {
                    matrix[i * 2 * n + k] += at.force_slope(i, k);
                }
            }
            // From (x, ẋ) to the nodes.
            for a in 0..=degree {
                let parts = [values[a], slopes[a] / h];
                for i in 0..n {
                    let sum = parts[0] * reduced[i] + parts[1] * reduced[n + i];
                    element.slopes[a * per_node + i] += weight * sum;
                }
                for b in 0..=degree {
                    let others = [values[b], slopes[b] / h];
                    for i in 0..n {
                        for k in 0..n {
                            let at = (a * per_node + i) * size + b * per_node + k;
                            let entry = |m: &[f64]| -> f64 {
                                (0..2)
                                    .flat_map(|r| (0..2).map(move |c| (r, c)))
                                    .map(|(r, c)| {
                                        parts[r] * others[c] * m[(r * n + i) * 2 * n + c * n + k]
                                    })
                                    .sum()
                            };
                            element.matrix[at] += weight * entry(&matrix);
                            element.second[at] += weight * entry(&second);
                        }
                    }
                }
            }
            element.locals.push(local);
        }
        if let Some(constraints) = &mut parts.constraints {
            for (a, (z, weight)) in basis.nodes().iter().zip(&basis.weights).enumerate() {
                let none = vec![0.0; per_node];
                let node = self.node(degree, e, a);
                let at = constraints.at(self.times[e] + z * h, node, &none, &[]);
                if !at.is_finite() {
                    return Err(NotFinite);
                }
                for i in 0..per_node {
                    let row = a * per_node + i;
                    element.slopes[row] += weight * h * at.slope(i);
                    for j in 0..per_node {
                        let entry = weight * h * at.curve(i, j);
                        element.matrix[row * size + a * per_node + j] += entry;
                        element.second[row * size + a * per_node + j] += entry;
                    }
                }
            }
        }
        Ok(element)
    }

    /// The curve moved by a part of a step in x; w follows.
    pub(super) fn moved(
        &self,
        elements: &mut [Element],
        functional: &Functional,
        basis: &Basis,
        step: &[f64],
        part: f64,
    ) -> Self {
        let (n, m, degree) = (functional.dimension, functional.local, basis.degree);
        let mut next = self.clone();
        for (x, d) in next.nodes.iter_mut().zip(step) {
            *x += part * d;
        }
        if m == 0 {
            return next;
        }
        let change = Self {
            nodes: step.to_vec(),
            ..self.clone()
        };
        for (e, element) in elements.iter_mut().enumerate() {
            for (j, local) in element.locals.iter_mut().enumerate() {
                let polynomials = (&basis.values[j][..], &basis.slopes[j][..]);
                let (x, v) = change.point(n, degree, e, polynomials);
                let z: Vec<f64> = x.into_iter().chain(v).collect();
                let mut right: Vec<f64> = (0..m)
                    .map(|k| {
                        let mixed = &local.mixed[k * 2 * n..(k + 1) * 2 * n];
                        let sum: f64 = mixed.iter().zip(&z).map(|(a, b)| a * b).sum();
                        -local.slopes[k] - sum
                    })
                    .collect();
                local.factors.solve(&mut right);
                let at = (e * basis.points.len() + j) * m;
                for (w, d) in next.w[at..at + m].iter_mut().zip(&right) {
                    *w += part * d;
                }
            }
        }
        next
    }
}

impl Local {
    /// Takes w out of slopes and second derivatives: Schur's complement.
    fn reduce(&mut self, n: usize, slopes: &mut [f64], second: &mut [f64]) {
        let m = self.slopes.len();
        let mut own = self.slopes.clone();
        self.factors.solve(&mut own);
        for k in 0..2 * n {
            let sum: f64 = (0..m).map(|l| self.mixed[l * 2 * n + k] * own[l]).sum();
            slopes[k] -= sum;
            let mut column: Vec<f64> = (0..m).map(|l| self.mixed[l * 2 * n + k]).collect();
            self.factors.solve(&mut column);
            for i in 0..2 * n {
                let sum: f64 = (0..m).map(|l| self.mixed[l * 2 * n + i] * column[l]).sum();
                second[i * 2 * n + k] -= sum;
            }
        }
    }
}

/// All elements put together, with some unknowns held.
pub(super) fn assembled(
    elements: &[Element],
    per_node: usize,
    degree: usize,
    held: &[bool],
) -> (Vec<f64>, Banded) {
    let count = (elements.len() * degree + 1) * per_node;
    let size = (degree + 1) * per_node;
    let mut right = vec![0.0; count];
    let mut matrix = Banded::new(count, size - 1);
    for (e, element) in elements.iter().enumerate() {
        let first = e * degree * per_node;
        for i in 0..size {
            right[first + i] += element.slopes[i];
            for j in 0..size {
                matrix.add(first + i, first + j, element.matrix[i * size + j]);
            }
        }
    }
    for (i, held) in held.iter().enumerate() {
        if *held {
            matrix.fix(i);
            right[i] = 0.0;
        }
    }
    (right, matrix)
}
