//! Derivatives of a flow by its start, carried along without wrapping.
//!
//! They are M + Q·E, with a matrix M of doubles, an orthogonal frame Q that turns with the flow, and small intervals E.

use galilei_expr::Interval;

use crate::matrix::{Inverse, orthogonal, product};
use crate::set::identity;

/// An enclosure of the derivatives of the states by the states at the start.
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    n: usize,
    /// M by rows.
    middle: Vec<f64>,
    /// Q by rows.
    frame: Vec<f64>,
    /// E by rows.
    errors: Vec<Interval>,
}

/// A matrix product by rows.
fn matrix_product(a: &[Interval], b: &[Interval], n: usize) -> Vec<Interval> {
    let entry = |k: usize| {
        let (i, j) = (k / n, k % n);
        let products = (0..n).map(|l| a[i * n + l] * b[l * n + j]);
        products.fold(Interval::ZERO, |sum, p| sum + p)
    };
    (0..n * n).map(entry).collect()
}

fn points(a: &[f64]) -> Vec<Interval> {
    a.iter().map(|x| Interval::point(*x)).collect()
}

impl Tangent {
    /// The derivatives at the start: the unit matrix.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            middle: identity(n),
            frame: identity(n),
            errors: vec![Interval::ZERO; n * n],
        }
    }

    /// The derivatives as intervals.
    pub(crate) fn bounds(&self) -> Vec<Interval> {
        let turned = matrix_product(&points(&self.frame), &self.errors, self.n);
        let sums = points(&self.middle).into_iter().zip(turned);
        sums.map(|(m, e)| m + e).collect()
    }

    /// The derivatives after a step with the given ones.
    pub(crate) fn after(&self, step: &[Interval]) -> Vec<Interval> {
        matrix_product(step, &self.bounds(), self.n)
    }

    /// Goes on by a step with the given derivatives.
    pub(crate) fn advance(&mut self, step: &[Interval]) -> Option<()> {
        let n = self.n;
        let moved = product(step, &self.middle, n, n);
        let middle: Vec<f64> = moved.iter().map(|x| x.middle()).collect();
        let lost: Vec<Interval> = moved
            .iter()
            .zip(&middle)
            .map(|(x, m)| *x - Interval::point(*m))
            .collect();
        let turned = product(step, &self.frame, n, n);
        let centres: Vec<f64> = turned.iter().map(|x| x.middle()).collect();
        // Long edges first, as for sets.
        let edge = |j: &usize| {
            let column = (0..n)
                .map(|i| centres[i * n + j] * centres[i * n + j])
                .sum::<f64>()
                .sqrt();
            let errors = (0..n).map(|l| self.errors[j * n + l].magnitude());
            column * errors.fold(0.0, f64::max)
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|i, j| edge(j).total_cmp(&edge(i)));
        let frame = orthogonal(&centres, n, &order);
        let inverse = Inverse::new(&frame, n)?;
        let applied = |a: &[Interval]| {
            let mut out = vec![Interval::ZERO; n * n];
            for j in 0..n {
                let column: Vec<Interval> = (0..n).map(|i| a[i * n + j]).collect();
                for (i, x) in inverse.apply(&column).into_iter().enumerate() {
                    out[i * n + j] = x;
                }
            }
            out
        };
        let own = matrix_product(&applied(&turned), &self.errors, n);
        let new = applied(&lost);
        let errors: Vec<Interval> = own.into_iter().zip(new).map(|(a, b)| a + b).collect();
        let bounded = errors.iter().all(|x| x.is_finite());
        (self.middle, self.frame, self.errors) = (middle, frame, errors);
        bounded.then_some(())
    }
}
