//! Sets of states that are carried along a motion without wrapping.
//!
//! A set is x̂ + C·r₀ + Q·r: a point of many digits, a matrix times the box of what is uncertain at the start, and an
//! orthogonal frame times a box of all errors since. Both boxes turn with the flow, so that a box is not replaced by a
//! box around it at every step. (Lohner, Enclosing the solutions of ordinary initial and boundary value problems, 1987;
//! Mrozek and Zgliczyński, Set arithmetic and the enclosing problem in dynamics, 2000)

use galilei_expr::{Ball, Interval};

use crate::matrix::{Inverse, orthogonal, product, times};

/// A set of states, and of parameters behind them, at a time.
#[derive(Clone, Debug)]
pub(crate) struct Set<const N: usize> {
    /// The time.
    pub(crate) time: Ball<N>,
    /// x̂, exact.
    pub(crate) centre: Vec<Ball<N>>,
    /// r₀
    start: Vec<Interval>,
    /// C by rows, one column for each entry of r₀.
    columns: Vec<f64>,
    /// Q by rows.
    frame: Vec<f64>,
    /// r
    errors: Vec<Interval>,
    /// A box around the set.
    pub(crate) bounds: Vec<Interval>,
}

/// A number from the middle of an interval, and the interval minus it.
fn split(x: Interval) -> (f64, Interval) {
    let m = x.middle();
    (m, x - Interval::point(m))
}

impl<const N: usize> Set<N> {
    /// The box of states whose entries lie between two balls.
    pub(crate) fn new(time: Ball<N>, ends: &[(Ball<N>, Ball<N>)]) -> Self {
        let n = ends.len();
        let half = Ball::exact(0.5).unwrap_or(Ball::ZERO);
        let mut set = Self {
            time,
            centre: vec![],
            start: vec![],
            columns: vec![],
            frame: identity(n),
            errors: vec![],
            bounds: vec![],
        };
        let mut wide = vec![];
        for (k, (low, high)) in ends.iter().enumerate() {
            let centre = low.add(high).mul(&half).midpoint();
            let (below, above) = (
                low.sub(&centre).to_interval(),
                high.sub(&centre).to_interval(),
            );
            let deviation = below.hull(above);
            set.centre.push(centre);
            match low == high {
                true => set.errors.push(deviation),
                false => {
                    set.errors.push(Interval::ZERO);
                    set.start.push(deviation);
                    wide.push(k);
                }
            }
        }
        set.columns = vec![0.0; n * wide.len()];
        for (j, k) in wide.iter().enumerate() {
            set.columns[k * wide.len() + j] = 1.0;
        }
        set.bounds = set.hull();
        set
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.centre.len()
    }

    /// The smallest box that the representation shows to contain the set.
    fn hull(&self) -> Vec<Interval> {
        let point = |x: &f64| Interval::point(*x);
        let frame: Vec<Interval> = self.frame.iter().map(point).collect();
        let turned = times(&frame, &self.errors);
        let columns: Vec<Interval> = self.columns.iter().map(point).collect();
        let started = match self.start.is_empty() {
            true => vec![Interval::ZERO; self.len()],
            false => times(&columns, &self.start),
        };
        let centre = self.centre.iter().map(Ball::to_interval);
        let sums = centre.zip(turned.into_iter().zip(started));
        sums.map(|(c, (a, b))| c + (a + b)).collect()
    }

    /// The set that contains the image of this one under a map whose value at the centre lies in `image` and whose
    /// Jacobian over the set lies in `slopes`; `known` is a box that contains it, too.
    pub(crate) fn mapped(
        &self,
        time: Ball<N>,
        image: &[Ball<N>],
        slopes: &[Interval],
        known: &[Interval],
    ) -> Option<Self> {
        let (n, q) = (self.len(), self.start.len());
        let centre: Vec<Ball<N>> = image.iter().map(Ball::midpoint).collect();
        let mut errors: Vec<Interval> = image
            .iter()
            .map(|x| Interval::symmetric(x.radius()))
            .collect();
        let mut columns = vec![];
        if q > 0 {
            let moved = product(slopes, &self.columns, n, q);
            let (middles, rests): (Vec<f64>, Vec<Interval>) = moved.into_iter().map(split).unzip();
            columns = middles;
            let lost = times(&rests, &self.start);
            errors.iter_mut().zip(lost).for_each(|(e, l)| *e = *e + l);
        }
        let moved = product(slopes, &self.frame, n, n);
        let middles: Vec<f64> = moved.iter().map(|x| x.middle()).collect();
        // Long edges first: the frame follows them exactly.
        let edge = |j: &usize| {
            let column = (0..n)
                .map(|i| middles[i * n + j] * middles[i * n + j])
                .sum::<f64>()
                .sqrt();
            column * self.errors[*j].magnitude()
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|i, j| edge(j).total_cmp(&edge(i)));
        let frame = orthogonal(&middles, n, &order);
        let inverse = Inverse::new(&frame, n)?;
        let mut turned = vec![Interval::ZERO; n * n];
        for j in 0..n {
            let column: Vec<Interval> = (0..n).map(|i| moved[i * n + j]).collect();
            for (i, x) in inverse.apply(&column).into_iter().enumerate() {
                turned[i * n + j] = x;
            }
        }
        let own = times(&turned, &self.errors);
        let new = inverse.apply(&errors);
        let mut set = Self {
            time,
            centre,
            start: self.start.clone(),
            columns,
            frame,
            errors: own.into_iter().zip(new).map(|(a, b)| a + b).collect(),
            bounds: vec![],
        };
        set.bounds = set.hull();
        for ((own, known), centre) in set.bounds.iter_mut().zip(known).zip(&set.centre) {
            // The true set lies in both, so they meet. The box contains the centre, too: segments from there to all states,
            // along which the mean value theorem is applied, lie in it.
            *own = own.intersection(*known)?.hull(centre.to_interval());
        }
        set.bounds.iter().all(|x| x.is_finite()).then_some(set)
    }
}

/// The unit matrix by rows.
pub(crate) fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|k| f64::from(u8::from(k / n == k % n)))
        .collect()
}
