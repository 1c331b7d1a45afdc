//! Branch points of nonlinear constraints, where their sheets meet.
//!
//! A constraint f = ½Hᵢⱼuⁱuʲ with one sign of H against the others is a cone: it has two sheets, and at
//! the vertex ∂f/∂u = 0, so that it restricts nothing there. A run on one sheet ends at the vertex.

use galilei_expr::{Expr, Rational, SymmetricMatrix};
use galilei_syntax::Direction;

use crate::contents::{Event, Level};
use crate::model::Model;
use crate::numbers::doubles;

impl Model {
    /// An event at the vertex of every constraint that is a cone around the axis of a velocity, with
    /// coefficients that are numbers: that velocity vanishes there and nowhere else on the cone.
    pub(crate) fn vertices(&self) -> Vec<Event<Expr<'_>>> {
        let c = self.contents();
        let nonlinear = |f: &&crate::contents::Constraint<Expr<'_>>| f.level == Level::Velocity;
        let mut events = Vec::new();
        for f in c.constraints.iter().filter(nonlinear) {
            if let Some(axis) = self.axis(f.function) {
                events.push(Event {
                    name: format!("vertex of {}", f.name),
                    value: axis,
                    direction: Direction::Both,
                    terminal: true,
                    span: f.span,
                });
            }
        }
        events
    }

    /// The velocity along the axis of the cone f = 0.
    fn axis<'p>(&'p self, f: Expr<'p>) -> Option<Expr<'p>> {
        let c = self.contents();
        let pool = self.pool();
        let u: Vec<Expr<'p>> = c.coordinates.iter().map(|c| c.velocity).collect();
        let h = f.hessian(&u);
        if h.iter().flatten().all(|e| e.is_zero()) {
            return None;
        }
        let states = c.coordinates.iter().flat_map(|c| [c.position, c.velocity]);
        let states: Vec<Expr<'p>> = states.chain([c.time]).collect();
        if (h.iter().flatten()).any(|e| states.iter().any(|&s| e.contains(s))) {
            return None;
        }
        let n = u.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let square = pool.sum(pairs.map(|(i, j)| h[i][j] * u[i] * u[j])) / 2;
        if !(f - square).decide_zero().is_proved() {
            return None;
        }
        let values = self.parameter_values().ok()?;
        let exact: Option<Vec<(Expr<'p>, Rational)>> = values
            .iter()
            .map(|(s, v)| {
                let near = || doubles(pool, &[*v], &[])[0].and_then(Rational::from_f64);
                Some((*s, v.as_rational().or_else(near)?))
            })
            .collect();
        let exact = exact?;
        let support: Vec<usize> = (0..n)
            .filter(|&i| h[i].iter().any(|e| !e.is_zero()))
            .collect();
        let alone = |d: &&usize| support.iter().all(|&j| j == **d || h[**d][j].is_zero());
        support
            .iter()
            .filter(alone)
            .find(|&&d| {
                let Some(own) = doubles(pool, &[h[d][d]], &values)[0] else {
                    return false;
                };
                let others: Vec<usize> = support.iter().copied().filter(|&j| j != d).collect();
                let entry = |e: Expr<'p>| if own > 0.0 { -e } else { e };
                let row = |i: &usize| others.iter().map(|&j| entry(h[*i][j])).collect();
                let rest = SymmetricMatrix::new(others.iter().map(row).collect());
                rest.is_some_and(|m| m.positive_definite_at(&exact).is_certified())
            })
            .map(|&d| u[d])
    }
}
