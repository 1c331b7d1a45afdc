//! Motion under constraints and of rotations with as many unknowns as degrees of freedom.

use galilei_expr::{Expr, Rational, Reading, View};
use galilei_geometry::Matrix;
use galilei_mechanics::{AffineRow, Choice, Force, Lagrangian, Minor, QuasiVelocities, StateSpace};
use galilei_model::{ConstraintRow, Model, inertia_scales, prefer_constant};
use galilei_tape::{Builder, Rates, Reduced, Reg, Unsupported};

use crate::turning::{Frame, Hamel};

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
    /// Symbols of the quasi-velocities, and these as functions of (t, x, u).
    symbols: Vec<Expr<'p>>,
    functions: Vec<Expr<'p>>,
    /// u as functions of (t, x, v).
    velocities: Vec<Expr<'p>>,
    measures: Vec<Expr<'p>>,
    /// Symbols for functions of (t, x, v) in the equations.
    definitions: Vec<(Expr<'p>, Expr<'p>)>,
    matrix: Vec<Expr<'p>>,
    right: Vec<Expr<'p>>,
}

impl<'p> ReducedEquations<'p> {
    /// The reduced equations, if there are constraints or rotations, and the constraints are affine and solvable without
    /// poles.
    pub(crate) fn new(
        model: &'p Model,
        constraints: &[ConstraintRow<'p>],
        values: &[(Expr<'p>, Expr<'p>)],
        lagrangian: &Lagrangian<'p>,
        force: &Force<'p>,
    ) -> Option<Self> {
        let state = lagrangian.state();
        let pool = state.pool();
        if state.degrees_of_freedom() > MAX_COORDINATES {
            return None;
        }
        let frame = Frame::of(model, lagrangian);
        let hamel = match &frame {
            Some(frame) => Some(frame.equations(lagrangian, force)?),
            None => None,
        };
        if constraints.is_empty() {
            return Some(Self::unconstrained(frame?, hamel?).shortened().divided());
        }
        let affine = constraints.iter().map(|c| {
            let s = offset(state, c)?.substitute(values);
            Some((pool.substitute_all(&c.row, values), s))
        });
        let mut affine: Vec<AffineRow<'p>> = affine.collect::<Option<_>>()?;
        let start = model.initial_state().ok()?;
        let mut there = vec![(state.time(), start.time)];
        there.extend((state.base().positions().iter().copied()).zip(start.position));
        there.extend(state.velocities().iter().copied().zip(start.velocity));
        let definitions = frame.as_ref().map_or(vec![], Frame::definitions);
        let value = |e: Expr<'p>| {
            let e = e.substitute(&definitions);
            let number = e.substitute(&there).evaluate_f64(&[]);
            number.is_finite().then_some(number)
        };
        let mass = match &hamel {
            Some(hamel) => Matrix::new(pool, hamel.matrix.clone()),
            None => lagrangian.mass_matrix(),
        };
        if let Some(frame) = &frame {
            for (row, _) in &mut affine {
                *row = frame.row(row);
            }
        }
        let scale = inertia_scales(&mass, &value);
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
        let own = match (frame, hamel) {
            (Some(frame), Some(hamel)) => Self::constrained(&frame, &hamel, &quasi),
            _ => {
                let found = quasi.equations(lagrangian, force);
                Self {
                    symbols: quasi.symbols().to_vec(),
                    functions: quasi.functions().to_vec(),
                    velocities: quasi.velocities(),
                    measures: quasi.measures().to_vec(),
                    definitions,
                    matrix: found.matrix.rows().concat(),
                    right: found.right,
                }
            }
        };
        Some(own.shortened().divided())
    }

    /// The equations of free rotations.
    fn unconstrained(frame: Frame<'p>, hamel: Hamel<'p>) -> Self {
        Self {
            velocities: frame.velocities(&frame.symbols),
            definitions: frame.definitions(),
            measures: vec![],
            matrix: hamel.matrix.concat(),
            right: hamel.right,
            functions: frame.functions,
            symbols: frame.symbols,
        }
    }

    /// The equations of rotations under constraints: with ν for the velocities along the frame, ν = W·v + w and the rows of
    /// N·ν̇ = r along W.
    fn constrained(frame: &Frame<'p>, hamel: &Hamel<'p>, quasi: &QuasiVelocities<'p>) -> Self {
        let along = quasi.velocities();
        let pool = frame.pool;
        let pairs = |to: &[Expr<'p>]| -> Vec<(Expr<'p>, Expr<'p>)> {
            frame
                .symbols
                .iter()
                .copied()
                .zip(to.iter().copied())
                .collect()
        };
        // W stands still in the frame of the symbols v.
        let bend: Vec<Expr<'p>> = along.iter().map(|e| frame.rate(*e)).collect();
        let mass = Matrix::new(pool, hamel.matrix.clone());
        let lost = mass.times_vector(&bend);
        let rest: Vec<Expr<'p>> = hamel.right.iter().zip(lost).map(|(&r, l)| r - l).collect();
        let rest = pool.substitute_all(&rest, &pairs(&along));
        let transposed = quasi.directions().transposed();
        let state = quasi.state().velocities();
        let measured: Vec<_> = state.iter().copied().zip(frame.functions.clone()).collect();
        Self {
            symbols: quasi.symbols().to_vec(),
            functions: pool.substitute_all(quasi.functions(), &measured),
            velocities: frame.velocities(&along),
            measures: quasi.measures().to_vec(),
            definitions: frame.definitions(),
            matrix: (transposed.times(&mass).times(quasi.directions()).rows()).concat(),
            right: transposed.times_vector(&rest),
        }
    }

    /// Writes the equations in a shorter form.
    fn shortened(mut self) -> Self {
        let reading = Reading::new()
            .collecting(self.symbols.iter().copied())
            .within(MAX_SHORTENED_PRODUCTS);
        for e in self.matrix.iter_mut().chain(&mut self.right) {
            *e = e.without_circles(&reading);
        }
        self
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
        let defined: Vec<Expr<'p>> = self.definitions.iter().map(|d| d.1).collect();
        let defined = all(&defined, builder)?;
        for (pair, r) in self.definitions.iter().zip(defined) {
            builder.define(pair.0, r);
        }
        let quasi = all(&self.functions, builder)?;
        for (&symbol, &r) in self.symbols.iter().zip(&quasi) {
            builder.keep(r);
            builder.define(symbol, r);
        }
        let k = quasi.len();
        Ok(Reduced {
            velocities: all(&self.velocities, builder)?,
            equations: Box::new(Rates {
                dimension: k,
                unknowns: k,
                matrix: all(&self.matrix, builder)?,
                right: all(&self.right, builder)?,
                ..Rates::default()
            }),
            measures: all(&self.measures, builder)?,
            quasi,
        })
    }
}
