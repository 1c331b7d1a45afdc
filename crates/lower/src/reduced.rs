//! Motion under constraints with as many unknowns as degrees of freedom.

use galilei_expr::{Expr, Rational, Reading, View};
use galilei_mechanics::{AffineRow, Choice, Force, Lagrangian, Minor, QuasiVelocities, StateSpace};
use galilei_model::{ConstraintRow, Model, inertia_scales, prefer_constant};
use galilei_tape::{Builder, Rates, Reduced, Reg, Unsupported};

/// Coordinates up to which the reduction is tried.
const MAX_COORDINATES: usize = 12;
/// Products of terms that are worth shortening an entry of its equations.
const MAX_SHORTENED_PRODUCTS: usize = 4_000;

/// The largest minor, velocities measured by their scale, or a constant one, which never vanishes; the last among equals.
fn best<'p>(minors: &[Minor<'p>], value: &dyn Fn(Expr<'p>) -> Option<f64>, scale: &[f64]) -> usize {
    let size = |(set, m): &Minor<'p>| {
        let unit: f64 = set.iter().map(|&i| scale[i]).product();
        value(*m).map_or(0.0, |m| m.abs() / unit)
    };
    let mut choices: Vec<(usize, f64)> = minors.iter().map(size).enumerate().collect();
    choices.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let is_constant = |c: &(usize, f64)| matches!(minors[c.0].1.view(), View::Number(_));
    prefer_constant(&mut choices, |c| c.1, is_constant);
    choices.first().map_or(0, |c| c.0)
}

/// The value of a constraint at zero velocities: s of ṡᵢuⁱ + s = 0, if it is affine.
pub(crate) fn offset<'p>(state: &StateSpace<'p>, row: &ConstraintRow<'p>) -> Option<Expr<'p>> {
    let u = state.velocities();
    if row.row.iter().any(|e| e.contains_any(u)) {
        return None;
    }
    let still: Vec<_> = u.iter().map(|&u| (u, state.pool().zero())).collect();
    Some(row.rate.or(row.residual)?.substitute(&still))
}

/// The equations of motion by quasi-velocities, with numbers for all parameters.
pub(crate) struct ReducedEquations<'p> {
    quasi: QuasiVelocities<'p>,
    matrix: Vec<Expr<'p>>,
    right: Vec<Expr<'p>>,
}

impl<'p> ReducedEquations<'p> {
    /// The reduced equations, if the constraints are affine and solvable without poles.
    pub(crate) fn new(
        model: &'p Model,
        constraints: &[ConstraintRow<'p>],
        values: &[(Expr<'p>, Expr<'p>)],
        lagrangian: &Lagrangian<'p>,
        force: &Force<'p>,
    ) -> Option<Self> {
        let state = lagrangian.state();
        let pool = state.pool();
        if constraints.is_empty() || state.degrees_of_freedom() > MAX_COORDINATES {
            return None;
        }
        let affine = constraints.iter().map(|c| {
            let s = offset(state, c)?.substitute(values);
            Some((pool.substitute_all(&c.row, values), s))
        });
        let affine: Vec<AffineRow<'p>> = affine.collect::<Option<_>>()?;
        let start = model.initial_state().ok()?;
        let mut there = vec![(state.time(), start.time)];
        there.extend((state.base().positions().iter().copied()).zip(start.position));
        there.extend(state.velocities().iter().copied().zip(start.velocity));
        let value = |e: Expr<'p>| {
            let number = e.substitute(&there).evaluate_f64(&[]);
            number.is_finite().then_some(number)
        };
        let scale = inertia_scales(&lagrangian.mass_matrix(), &value);
        let exact = |x: &f64| Rational::from_f64(*x).unwrap_or(Rational::ONE);
        let choice = Choice {
            best: &|minors| best(minors, &value, &scale),
            scale: &scale.iter().map(exact).collect::<Vec<_>>(),
        };
        let quasi = QuasiVelocities::of(state, &affine, &choice)?;
        // Constraints that leave nothing free have reactions, and no reduced equations.
        if quasi.symbols().is_empty() {
            return None;
        }
        let found = quasi.equations(lagrangian, force);
        let reading = Reading::new()
            .collecting(quasi.symbols().iter().copied())
            .within(MAX_SHORTENED_PRODUCTS);
        let short = |e: &Expr<'p>| e.without_circles(&reading);
        let own = Self {
            matrix: found.matrix.rows().iter().flatten().map(short).collect(),
            right: found.right.iter().map(short).collect(),
            quasi,
        };
        Some(own.divided())
    }

    /// Each equation divided by its diagonal entry, if WᵀmW is a diagonal matrix of numbers.
    fn divided(mut self) -> Self {
        let k = self.right.len();
        let diagonal = |i: usize, e: &Expr<'p>| match i.is_multiple_of(k + 1) {
            true => matches!(e.view(), View::Number(q) if !q.is_zero()),
            false => e.is_zero(),
        };
        if self.matrix.iter().enumerate().all(|(i, e)| diagonal(i, e)) {
            for (i, right) in self.right.iter_mut().enumerate() {
                let own = &mut self.matrix[i * (k + 1)];
                *right /= *own;
                *own = own.pool().one();
            }
        }
        self
    }

    /// Their registers.
    pub(crate) fn registers(&self, builder: &mut Builder) -> Result<Reduced, Unsupported> {
        let all = |list: &[Expr<'p>], builder: &mut Builder| -> Result<Vec<Reg>, Unsupported> {
            list.iter().map(|&e| builder.expr(e)).collect()
        };
        let quasi = all(self.quasi.functions(), builder)?;
        for (&symbol, &r) in self.quasi.symbols().iter().zip(&quasi) {
            builder.define(symbol, r);
        }
        let k = quasi.len();
        Ok(Reduced {
            velocities: all(&self.quasi.velocities(), builder)?,
            equations: Box::new(Rates {
                dimension: k,
                unknowns: k,
                matrix: all(&self.matrix, builder)?,
                right: all(&self.right, builder)?,
                ..Rates::default()
            }),
            measures: all(self.quasi.measures(), builder)?,
            quasi,
        })
    }
}
