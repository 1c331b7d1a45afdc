//! The coefficients of discrete actions.

use galilei_tape::math::scalar::powi;

use super::DiscreteAction;
use crate::collocation::Tableau;
use crate::implicit::coefficients;

/// A point of the quadrature, for each basis function k of the velocities.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// cᵢ
    pub(super) node: f64,
    /// bᵢ
    pub(super) weight: f64,
    /// The values of the basis functions at the point.
    pub(super) basis: Vec<f64>,
    /// sᵢₖ: at this point the part ½ + sᵢₖ of the integral βₖ is spent.
    pub(super) shares: Vec<f64>,
    /// eᵢₖ = bᵢ·basisᵢₖ/βₖ
    pub(super) tests: Vec<f64>,
}

/// A node where positions are held to constraints.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) node: f64,
    /// s̃ⱼₖ
    pub(super) shares: Vec<f64>,
}

/// Polynomials through a step, with a quadrature of the action.
#[derive(Clone, Debug)]
pub(super) struct Galerkin {
    /// The order of a step.
    pub(super) order: usize,
    /// The points at which velocities are the unknowns: Gauss' nodes, as many as the degree.
    pub(super) nodes: Vec<f64>,
    /// β, the integrals of the basis functions.
    pub(super) betas: Vec<f64>,
    pub(super) points: Vec<Point>,
    /// Lobatto's nodes, one more than the degree: both ends are among them.
    pub(super) held: Vec<Node>,
}

impl Galerkin {
    pub(super) fn new(action: DiscreteAction) -> Self {
        match action {
            DiscreteAction::Trapezoid => Self::trapezoid(),
            DiscreteAction::Galerkin(degree) => Self::gauss(degree),
        }
    }

    /// The degree of the positions.
    pub(super) fn degree(&self) -> usize {
        self.nodes.len()
    }

    /// As many points as the degree, which are the nodes: eᵢₖ is one or zero.
    fn gauss(degree: usize) -> Self {
        let tableau = Tableau::gauss(degree);
        let point = |i: usize| Point {
            node: tableau.nodes[i],
            weight: tableau.weights[i],
            basis: unit(degree, i),
            shares: tableau.shares(i).to_vec(),
            tests: unit(degree, i),
        };
        let held = lobatto(degree);
        Self {
            order: tableau.order,
            points: (0..degree).map(point).collect(),
            held: held.into_iter().map(|c| node(&tableau, c)).collect(),
            betas: tableau.weights,
            nodes: tableau.nodes,
        }
    }

    /// The trapezoidal rule: one velocity, and both ends as points.
    fn trapezoid() -> Self {
        let own = Self::gauss(1);
        let point = |node: f64| Point {
            node,
            weight: 0.5,
            basis: vec![1.0],
            shares: vec![node - 0.5],
            tests: vec![0.5],
        };
        Self {
            points: vec![point(0.0), point(1.0)],
            ..own
        }
    }
}

fn unit(size: usize, i: usize) -> Vec<f64> {
    (0..size).map(|k| f64::from(u8::from(i == k))).collect()
}

/// Lobatto's nodes for a degree.
fn lobatto(degree: usize) -> Vec<f64> {
    match degree {
        1 => vec![0.0, 1.0],
        2 => vec![0.0, 0.5, 1.0],
        _ => {
            let r = 5f64.sqrt() / 10.0;
            vec![0.0, 0.5 - r, 0.5 + r, 1.0]
        }
    }
}

/// The part of its integral that each basis function has accumulated at a node.
fn node(tableau: &Tableau, at: f64) -> Node {
    let share = |k: usize| {
        let list = coefficients(&tableau.nodes, k);
        let terms = list.iter().enumerate();
        let spent: f64 = terms
            .map(|(i, c)| c * powi(at, i as i32 + 1) / (i + 1) as f64)
            .sum();
        spent / tableau.weights[k] - 0.5
    };
    let shares = match at {
        0.0 => vec![-0.5; tableau.stages()],
        1.0 => vec![0.5; tableau.stages()],
        _ => (0..tableau.stages()).map(share).collect(),
    };
    Node { node: at, shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path with velocities τᵏ below the degree is followed exactly, at points and nodes, and quadratures are exact to
    /// one less than the order.
    #[test]
    fn polynomials_are_followed() {
        for action in [
            DiscreteAction::Trapezoid,
            DiscreteAction::Galerkin(1),
            DiscreteAction::Galerkin(2),
            DiscreteAction::Galerkin(3),
        ] {
            let g = Galerkin::new(action);
            let near = |a: f64, b: f64| assert!((a - b).abs() < 2e-15, "{action:?}: {a}, not {b}");
            for q in 0..g.degree() as i32 {
                let w: Vec<f64> = g.nodes.iter().map(|c| c.powi(q)).collect();
                let path = |shares: &[f64]| -> f64 {
                    let terms = shares.iter().zip(&g.betas).zip(&w);
                    terms.map(|((s, b), w)| (0.5 + s) * b * w).sum()
                };
                let at = |c: f64| c.powi(q + 1) / f64::from(q + 1);
                for c in &g.points {
                    near(path(&c.shares), at(c.node));
                    let terms = c.basis.iter().zip(&w);
                    near(terms.map(|(b, w)| b * w).sum(), c.node.powi(q));
                }
                g.held
                    .iter()
                    .for_each(|c| near(path(&c.shares), at(c.node)));
            }
            for k in 0..g.degree() {
                near(g.points.iter().map(|c| c.tests[k]).sum(), 1.0);
                for c in &g.points {
                    near(c.tests[k] * g.betas[k], c.weight * c.basis[k]);
                }
            }
            for q in 0..g.order as i32 {
                let terms = g.points.iter().map(|c| c.weight * c.node.powi(q));
                near(terms.sum(), 1.0 / f64::from(q + 1));
            }
        }
    }
}
