//! Branch points of nonlinear constraints, where their sheets meet.
//!
//! A constraint f = ½Hᵢⱼuⁱuʲ with one sign of H against the others is a cone: it has two sheets, and at
//! the vertex ∂f/∂u = 0, so that it restricts nothing there. Others lose their rank where the rows ∂f/∂u of
//! all constraints become dependent, or are not smooth where what stands under a root vanishes. A run on one
//! sheet ends there.

use galilei_expr::{Expr, ExprId, Rational, SymmetricMatrix, View, subexpressions};
use galilei_syntax::{Direction, Span};

use crate::contents::{Branch, Constraint, Event, Level};
use crate::model::Model;
use crate::numbers::doubles;

/// The largest number of constraints whose rows are tested for dependence; with more, each is tested for zeros only.
const MAX_CONSTRAINTS_FOR_RANK: usize = 3;

/// The event that ends a run at a branch point.
fn event<'p>(what: &str, of: &str, value: Expr<'p>, branch: Branch, span: Span) -> Event<Expr<'p>> {
    Event {
        name: format!("{what} of {of}"),
        value,
        direction: Direction::Both,
        terminal: true,
        branch: Some(branch),
        span,
    }
}

/// The determinant, expanded along the first row.
fn determinant<'p>(rows: &[Vec<Expr<'p>>]) -> Expr<'p> {
    if let [row] = rows {
        return row[0];
    }
    let minor = |j: usize| {
        let rows = rows[1..].iter().map(|row| {
            let others = row.iter().enumerate().filter(|(k, _)| *k != j);
            others.map(|(_, e)| *e).collect()
        });
        determinant(&rows.collect::<Vec<Vec<_>>>())
    };
    let terms = rows[0].iter().enumerate().map(|(j, &e)| match j % 2 {
        0 => e * minor(j),
        _ => -e * minor(j),
    });
    rows[0][0].pool().sum(terms)
}

impl Model {
    /// An event at the branch points of every constraint that is not affine in the velocities.
    pub(crate) fn vertices(&self) -> Vec<Event<Expr<'_>>> {
        let list = &self.contents().constraints;
        let curved: Vec<_> = list.iter().filter(|f| self.is_curved(f)).collect();
        let mut events = Vec::new();
        for f in &curved {
            if let Some(axis) = self.axis_of(f) {
                events.push(event("vertex", &f.name, axis, Branch::Crossed, f.span));
                continue;
            }
            for under in self.under_roots(self.expr(f.function)) {
                let what = "branch point";
                events.push(event(what, &f.name, under, Branch::Touched, f.span));
            }
        }
        for (names, rank) in self.ranks(list, &curved) {
            let span = curved[0].span;
            events.push(event("branch point", &names, rank, Branch::Touched, span));
        }
        events
    }

    /// Whether a constraint restricts velocities nonlinearly.
    fn is_curved(&self, f: &Constraint<ExprId>) -> bool {
        let u = self.velocities();
        let rows = || self.expr(f.function).gradient(&u);
        match f.level {
            Level::Position => false,
            Level::Velocity => rows().iter().any(|e| e.contains_any(&u)),
            Level::Acceleration => {
                let moving = self.moving();
                let slopes = self.exprs(&f.form);
                slopes[1 + u.len()..]
                    .iter()
                    .any(|e| e.contains_any(&moving))
            }
        }
    }

    /// The velocity along the axis of the cone that a constraint between velocities is.
    fn axis_of(&self, f: &Constraint<ExprId>) -> Option<Expr<'_>> {
        match f.level {
            Level::Velocity => self.axis(self.expr(f.function)),
            _ => None,
        }
    }

    /// The symbols that change along a motion.
    fn moving(&self) -> Vec<Expr<'_>> {
        let mut all = self.positions();
        all.extend(self.velocities());
        all.push(self.time());
        all
    }

    /// The arguments of roots that depend on the state.
    fn under_roots<'p>(&'p self, f: Expr<'p>) -> Vec<Expr<'p>> {
        let states = self.moving();
        let mut found = Vec::new();
        for e in subexpressions([f]) {
            let View::Product(factors) = e.view() else {
                continue;
            };
            let roots = factors.iter().filter(|f| !f.1.is_integer());
            for base in roots.map(|f| f.0).filter(|b| b.contains_any(&states)) {
                if !found.contains(&base) {
                    found.push(base);
                }
            }
        }
        found
    }

    /// Expressions that vanish where curved constraints become dependent on the others, with the names of the
    /// constraints.
    fn ranks<'p>(
        &'p self,
        all: &[Constraint<ExprId>],
        curved: &[&Constraint<ExprId>],
    ) -> Vec<(String, Expr<'p>)> {
        let pool = self.pool();
        let (x, u) = (self.positions(), self.velocities());
        let row = |f: &Constraint<ExprId>| match f.level {
            Level::Velocity => self.expr(f.function).gradient(&u),
            Level::Position => self.expr(f.function).gradient(&x),
            Level::Acceleration => self.exprs(&f.form)[1 + x.len()..].to_vec(),
        };
        let dot = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
        let number = |e: &Expr<'p>| matches!(e.view(), View::Number(q) if !q.is_zero());
        let alone = |f: &&Constraint<ExprId>| {
            let row = row(f);
            let held = row.iter().any(number) || self.axis_of(f).is_some();
            (!held).then(|| (f.name.clone(), dot(&row, &row)))
        };
        if curved.is_empty() || all.len() == 1 || all.len() > MAX_CONSTRAINTS_FOR_RANK {
            return curved.iter().filter_map(alone).collect();
        }
        let rows: Vec<Vec<Expr<'p>>> = all.iter().map(row).collect();
        let gram = rows
            .iter()
            .map(|a| rows.iter().map(|b| dot(a, b)).collect());
        let rank = determinant(&gram.collect::<Vec<Vec<_>>>());
        let names: Vec<&str> = curved.iter().map(|f| f.name.as_str()).collect();
        match rank.view() {
            View::Number(_) => vec![],
            _ => vec![(names.join(", "), rank)],
        }
    }

    /// The velocity along the axis of the cone f = 0.
    fn axis<'p>(&'p self, f: Expr<'p>) -> Option<Expr<'p>> {
        let pool = self.pool();
        let u = self.velocities();
        let h = f.hessian(&u);
        if h.iter().flatten().all(|e| e.is_zero()) {
            return None;
        }
        let states = self.moving();
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
