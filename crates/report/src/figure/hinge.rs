//! Centres about which points turn.
//!
//! If a point P moves on circles when one angle q changes, P + ∂²P/∂q² is the centre O. Where the distance
//! of P and O depends on no coordinate, a rod could join them. Both are recognised by numbers at a few states: a
//! picture claims nothing.

use galilei_expr::{Expr, Pool, Program};

/// States at which positions are compared.
const STATES: usize = 4;
/// The relative size up to which differences count as rounding.
const ROUNDING: f64 = 1e-9;

/// A position at the states of the comparison.
pub(crate) type Seen = Vec<[f64; 3]>;

/// Compares positions at a few states.
pub(crate) struct Observer<'m> {
    pool: &'m Pool,
    parameters: Vec<(Expr<'m>, Expr<'m>)>,
    coordinates: Vec<Expr<'m>>,
    inputs: Vec<Expr<'m>>,
    states: Vec<Vec<f64>>,
}

/// A centre about which a point turns.
pub(crate) struct Hinge<'m> {
    pub(crate) centre: Vec<Expr<'m>>,
    pub(crate) seen: Seen,
}

impl<'m> Observer<'m> {
    /// An observer of functions of (t, x).
    pub(crate) fn new(
        pool: &'m Pool,
        parameters: Vec<(Expr<'m>, Expr<'m>)>,
        time: Expr<'m>,
        coordinates: Vec<Expr<'m>>,
    ) -> Self {
        // Numbers without relations between them, at one time.
        let spread = |k: usize| 0.2 + 1.7 * (0.618_033_988_75 * k as f64).fract();
        let n = coordinates.len();
        let state = |s: usize| {
            let x = (0..n).map(|i| spread(1 + s * (n + 3) + i));
            std::iter::once(0.3).chain(x).collect()
        };
        let mut inputs = vec![time];
        inputs.extend(&coordinates);
        Self {
            pool,
            parameters,
            coordinates,
            inputs,
            states: (0..STATES).map(state).collect(),
        }
    }

    /// A position at the states; `None` if it is not finite there.
    pub(crate) fn see(&self, point: &[Expr<'m>]) -> Option<Seen> {
        let values = self.pool.substitute_all(point, &self.parameters);
        let program = Program::new(&values, &self.inputs).ok()?;
        let place = |state: &Vec<f64>| {
            let mut place = [0.0; 3];
            place
                .iter_mut()
                .zip(program.f64(state))
                .for_each(|(p, v)| *p = v);
            place
        };
        let seen: Seen = self.states.iter().map(place).collect();
        let finite = seen.iter().flatten().all(|x| x.is_finite());
        finite.then_some(seen)
    }

    /// The centres about which a point turns, the last coordinate first.
    pub(crate) fn hinges(&self, point: &[Expr<'m>], seen: &Seen) -> Vec<Hinge<'m>> {
        let turning = self.coordinates.iter().rev();
        let turning = turning.filter(|q| point.iter().any(|p| p.contains(**q)));
        let hinges = turning.filter_map(|q| {
            let centre: Vec<Expr<'m>> = point.iter().map(|p| *p + p.diff(*q).diff(*q)).collect();
            let at = self.see(&centre)?;
            let radii: Vec<f64> = seen.iter().zip(&at).map(|(p, o)| distance(p, o)).collect();
            let turns = radii[0] > ROUNDING && same(&radii, ROUNDING);
            turns.then_some(Hinge { centre, seen: at })
        });
        hinges.collect()
    }
}

/// Whether two points were seen at the same places.
pub(crate) fn coincide(a: &Seen, b: &Seen) -> bool {
    let size = a.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    a.iter()
        .zip(b)
        .all(|(p, q)| distance(p, q) <= ROUNDING * (size + 1e-3))
}

/// Whether a point was seen at one place only.
pub(crate) fn rests(seen: &Seen) -> bool {
    let size = seen[0].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    seen.iter()
        .all(|p| distance(p, &seen[0]) <= ROUNDING * (size + 1e-3))
}

fn same(list: &[f64], rounding: f64) -> bool {
    list.iter()
        .all(|x| (x - list[0]).abs() <= rounding * list[0])
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}
