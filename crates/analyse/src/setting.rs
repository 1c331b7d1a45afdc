//! A model with numbers for its parameters: equations of motion as residuals, constraints, symmetries.

use galilei_expr::{Expr, Pool, Program, Rational};
use galilei_mechanics::System;
use galilei_model::{ConstraintRow, Diagnostic, Enforcement, ManifoldKind, Model};

pub(crate) use galilei_model::refused;

use crate::eigen::Random;

/// The largest number of degrees of freedom for which symmetries that only the equations show are looked for.
const MAX_DEGREES_FOR_EQUATIONS: usize = 6;
/// Singular values of the scaled mass matrix below this part of the largest are zero.
const SINGULAR_MASS: f64 = 1e-12;
/// Places this part of the coordinates away show the usual size of the mass matrix.
const NEARBY: f64 = 1e-3;
/// The largest denominator of constants by which constraints are combined under a symmetry.
const MAX_DENOMINATOR: i64 = 1000;

/// A field v(x) whose flow maps motions to motions.
#[derive(Clone, Debug)]
pub(crate) struct Generator<'p> {
    /// `x` for an ignorable coordinate, or the name of the declared symmetry.
    pub(crate) name: String,
    /// vⁱ
    pub(crate) components: Vec<Expr<'p>>,
    /// The ignorable coordinate.
    pub(crate) ignorable: Option<usize>,
    /// Whether L itself is invariant, so that the energy is.
    pub(crate) invariant: bool,
    /// Whether L itself is invariant and no force acts along the field, so that its momentum is conserved.
    pub(crate) conserved: bool,
}

/// A model with numbers for its parameters but those that stay free.
pub(crate) struct Setting<'p> {
    pub(crate) model: &'p Model,
    pub(crate) time: Expr<'p>,
    pub(crate) x: Vec<Expr<'p>>,
    pub(crate) u: Vec<Expr<'p>>,
    /// Symbols of accelerations.
    pub(crate) a: Vec<Expr<'p>>,
    pub(crate) lagrangian: Expr<'p>,
    /// Fᵢ, the sum of all forces.
    pub(crate) force: Vec<Expr<'p>>,
    pub(crate) rows: Vec<ConstraintRow<'p>>,
    /// The values of the parameters.
    pub(crate) values: Vec<(Expr<'p>, Expr<'p>)>,
    /// The parameters that stay free.
    pub(crate) open: Vec<Expr<'p>>,
}

/// A row of the constraints with other expressions in place of its own.
fn fixed_row<'p>(
    row: ConstraintRow<'p>,
    fix: &impl Fn(&[Expr<'p>]) -> Vec<Expr<'p>>,
) -> ConstraintRow<'p> {
    let one = |e: Expr<'p>| fix(&[e])[0];
    ConstraintRow {
        row: fix(&row.row),
        covector: fix(&row.covector),
        equation: one(row.equation),
        drift: one(row.drift),
        residual: row.residual.map(one),
        rate: row.rate.map(one),
        ..row
    }
}

impl<'p> Setting<'p> {
    /// The model with numbers for all parameters but some.
    pub(crate) fn new(model: &'p Model, free: &[Expr<'p>]) -> Result<Self, Vec<Diagnostic>> {
        let values = model.values_but(free)?;
        let pool = model.pool();
        let system: System<'p> = model.system();
        let fix = |list: &[Expr<'p>]| pool.substitute_all(list, &values);
        let rows = model.constraint_rows().into_iter();
        let rows = rows.map(|r| fixed_row(r, &fix));
        let names = model.contents().coordinates.iter();
        let setting = Self {
            model,
            time: model.time(),
            x: model.positions(),
            u: model.velocities(),
            a: names
                .map(|c| pool.symbol(&format!("{}''", c.name)))
                .collect(),
            lagrangian: fix(&[system.lagrangian().function()])[0],
            force: fix(system.total_force().components()),
            rows: rows.collect(),
            values,
            open: free.to_vec(),
        };
        Ok(setting.without_apparent_time(free))
    }

    /// The setting in which functions that contain the time without depending on it no longer contain it. Proofs are tried
    /// with numbers for the parameters, then with symbols: long fractions as rates of angles admit no proof.
    fn without_apparent_time(mut self, free: &[Expr<'p>]) -> Self {
        let t = self.time;
        let mut all = vec![self.lagrangian];
        all.extend(&self.force);
        for r in &self.rows {
            all.extend(&r.row);
            all.extend(&r.covector);
            all.extend([r.equation, r.drift]);
            all.extend(r.residual);
            all.extend(r.rate);
        }
        if !all.iter().any(|e| e.contains(t)) {
            return self;
        }
        let parameters = &self.model.contents().parameters;
        let symbols: Vec<Expr<'p>> = (parameters.iter())
            .map(|p| self.model.expr(p.symbol))
            .collect();
        let still = [(t, self.pool().zero())];
        let open = match free.len() == symbols.len() {
            true => None,
            false => Self::new(self.model, &symbols).ok(),
        };
        let idle = |own: Expr<'p>, open: Option<Expr<'p>>| {
            own.contains(t) && (vanishes(own.diff(t)) || open.is_some_and(|e| vanishes(e.diff(t))))
        };
        let fix = |own: Expr<'p>, open: Option<Expr<'p>>| match idle(own, open) {
            true => own.substitute(&still),
            false => own,
        };
        let of = |pick: &dyn Fn(&Self) -> Option<Expr<'p>>| open.as_ref().and_then(pick);
        self.lagrangian = fix(self.lagrangian, of(&|o| Some(o.lagrangian)));
        for i in 0..self.force.len() {
            self.force[i] = fix(self.force[i], of(&|o| o.force.get(i).copied()));
        }
        for a in 0..self.rows.len() {
            let other = |pick: &dyn Fn(&ConstraintRow<'p>) -> Option<Expr<'p>>| {
                open.as_ref().and_then(|o| o.rows.get(a)).and_then(pick)
            };
            let own = &mut self.rows[a];
            for i in 0..own.row.len() {
                own.row[i] = fix(own.row[i], other(&|r| Some(r.row[i])));
                own.covector[i] = fix(own.covector[i], other(&|r| Some(r.covector[i])));
            }
            own.equation = fix(own.equation, other(&|r| Some(r.equation)));
            own.drift = fix(own.drift, other(&|r| Some(r.drift)));
            own.residual = own.residual.map(|e| fix(e, other(&|r| r.residual)));
            own.rate = own.rate.map(|e| fix(e, other(&|r| r.rate)));
        }
        self
    }

    /// An autonomous setting whose Lagrangian depends on time only by a gauge, as that of a pendulum in an accelerating car:
    /// the rate of the vector potential and the gradient of the potential become a force that does not.
    pub(crate) fn without_gauge(mut self) -> Self {
        let (pool, t, n) = (self.pool(), self.time, self.n());
        if !self.lagrangian.contains(t) {
            return self;
        }
        let still: Vec<(Expr<'p>, Expr<'p>)> = self.u.iter().map(|u| (*u, pool.zero())).collect();
        let rest = self.lagrangian.substitute(&still);
        let vector = pool.substitute_all(&self.lagrangian.gradient(&self.u), &still);
        let steady = |e: Expr<'p>| !e.contains(t) || vanishes(e.diff(t));
        let force: Vec<Expr<'p>> = (0..n)
            .map(|i| rest.diff(self.x[i]) - vector[i].diff(t))
            .collect();
        let curl = |i: usize, j: usize| vector[i].diff(self.x[j]) - vector[j].diff(self.x[i]);
        let quadratic = (self.lagrangian.hessian(&self.u).concat().into_iter())
            .all(|e| !e.contains_any(&self.u) && steady(e));
        let apparent = quadratic
            && force.iter().copied().all(steady)
            && (0..n).all(|i| (0..i).all(|j| steady(curl(i, j))));
        if !apparent {
            return self;
        }
        let now = [(t, pool.zero())];
        let force = pool.substitute_all(&force, &now);
        self.lagrangian = (self.lagrangian - rest).substitute(&now);
        for (own, more) in self.force.iter_mut().zip(force) {
            *own += more;
        }
        self
    }

    /// The setting with numbers for parameters that were free.
    pub(crate) fn with_values(&self, values: &[(Expr<'p>, Expr<'p>)]) -> Self {
        let pool = self.pool();
        let fix = |list: &[Expr<'p>]| pool.substitute_all(list, values);
        let rows = self.rows.iter().map(|r| fixed_row(r.clone(), &fix));
        Self {
            model: self.model,
            time: self.time,
            x: self.x.clone(),
            u: self.u.clone(),
            a: self.a.clone(),
            lagrangian: fix(&[self.lagrangian])[0],
            force: fix(&self.force),
            rows: rows.collect(),
            values: self
                .values
                .iter()
                .map(|(s, v)| (*s, v.substitute(values)))
                .chain(values.iter().copied())
                .collect(),
            open: (self.open.iter().copied())
                .filter(|s| values.iter().all(|v| v.0 != *s))
                .collect(),
        }
    }

    pub(crate) fn pool(&self) -> &'p Pool {
        self.model.pool()
    }

    pub(crate) fn n(&self) -> usize {
        self.x.len()
    }

    /// (t, x, u)
    pub(crate) fn state_symbols(&self) -> Vec<Expr<'p>> {
        [&[self.time][..], &self.x, &self.u].concat()
    }

    /// The name of a coordinate.
    pub(crate) fn coordinate(&self, i: usize) -> &'p str {
        &self.model.contents().coordinates[i].name
    }

    /// The gaps of contacts, and the velocities along which friction acts.
    pub(crate) fn contact_formulas(&self) -> impl Iterator<Item = Expr<'p>> + '_ {
        let c = self.model.contents();
        let contacts = c.contacts.iter();
        let contacts = contacts.flat_map(|c| [c.gap].into_iter().chain(c.along.iter().copied()));
        let elements = c.frictions.iter().flat_map(|f| f.along.iter().copied());
        let all = contacts.chain(elements);
        all.map(|id| self.model.expr(id).substitute(&self.values))
    }

    /// The left sides of Lagrange's equations without reactions, as functions of (t, x, u, a): d/dt ∂L/∂u − ∂L/∂x − F.
    pub(crate) fn equations(&self) -> Vec<Expr<'p>> {
        let pool = self.pool();
        let n = self.n();
        let momenta = self.lagrangian.gradient(&self.u);
        let slopes = self.lagrangian.gradient(&self.x);
        let mut rates = vec![(self.time, pool.one())];
        rates.extend(self.x.iter().copied().zip(self.u.iter().copied()));
        rates.extend(self.u.iter().copied().zip(self.a.iter().copied()));
        (0..n)
            .map(|i| momenta[i].derivative_along(&rates) - slopes[i] - self.force[i])
            .collect()
    }

    /// The derivative of an expression of (t, x, u, a) along the prolongation of a field v(x).
    pub(crate) fn prolonged(&self, v: &[Expr<'p>], e: Expr<'p>) -> Expr<'p> {
        let pool = self.pool();
        let mut along: Vec<(Expr<'p>, Expr<'p>)> =
            self.x.iter().copied().zip(self.u.iter().copied()).collect();
        let first: Vec<Expr<'p>> = v.iter().map(|v| v.derivative_along(&along)).collect();
        along.extend(self.u.iter().copied().zip(self.a.iter().copied()));
        let second: Vec<Expr<'p>> = first.iter().map(|v| v.derivative_along(&along)).collect();
        let parts = [(&self.x, v), (&self.u, &first[..]), (&self.a, &second[..])];
        let terms = parts.into_iter().flat_map(|(symbols, rates)| {
            symbols
                .iter()
                .zip(rates)
                .map(move |(&s, &r)| (s, r))
                .collect::<Vec<_>>()
        });
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = terms.filter(|(_, r)| !r.is_zero()).collect();
        match pairs.is_empty() {
            true => pool.zero(),
            false => e.derivative_along(&pairs),
        }
    }

    /// Whether the equations and constraints do not depend on time.
    pub(crate) fn is_autonomous(&self) -> bool {
        let t = self.time;
        let parts = [&self.force[..], &[self.lagrangian]].concat();
        if self.contact_formulas().any(|e| e.contains(t)) {
            return false;
        }
        let mut constraints = self
            .rows
            .iter()
            .flat_map(|r| [r.equation].into_iter().chain(r.rate).chain(driven(r)));
        let zero = |e: Expr<'p>| vanishes(e.diff(t));
        if !constraints.all(zero) {
            return false;
        }
        if parts.into_iter().all(zero) || self.equations().into_iter().all(zero) {
            return true;
        }
        // Long fractions as rates of angles admit no proof: with symbols for the parameters there may be one.
        let parameters = &self.model.contents().parameters;
        let symbols: Vec<Expr<'p>> = (parameters.iter())
            .map(|p| self.model.expr(p.symbol))
            .collect();
        let open = Self::new(self.model, &symbols);
        !symbols.is_empty() && open.is_ok_and(|open| open.equations().into_iter().all(zero))
    }

    /// Ignorable coordinates and those declared symmetries that map motions to motions.
    pub(crate) fn generators(&self) -> Vec<Generator<'p>> {
        let pool = self.pool();
        let n = self.n();
        // Contacts may break the symmetries of free motion.
        if self.model.has_contacts() {
            return vec![];
        }
        let equations = std::cell::OnceCell::new();
        let mut list = Vec::new();
        for direction in
            self.constant_directions(equations.get_or_init(|| self.equations_for_symmetries()))
        {
            let v: Vec<Expr<'p>> = direction.iter().map(|q| pool.number(q.clone())).collect();
            let along = |e: &Expr<'p>| vanishes(self.prolonged(&v, *e));
            let invariant = along(&self.lagrangian);
            let by_equations = || {
                equations
                    .get()
                    .is_some_and(|e: &Vec<Expr<'p>>| !e.is_empty() && e.iter().all(along))
            };
            let kept = |r: &ConstraintRow<'p>| along(&r.equation) && driven(r).all(|e| along(&e));
            let constrained = self.rows.iter().all(kept);
            if !constrained || !self.force.iter().all(along) || !(invariant || by_equations()) {
                continue;
            }
            let moved: Vec<usize> = (0..n).filter(|&i| !v[i].is_zero()).collect();
            let names: Vec<&str> = moved.iter().map(|&i| self.coordinate(i)).collect();
            list.push(Generator {
                name: names.join(", "),
                invariant,
                conserved: invariant && self.idle_along(&v),
                components: v,
                ignorable: (moved.len() == 1).then(|| moved[0]),
            });
        }
        for s in self.model.contents().symmetries.iter().filter(|s| !s.time) {
            let v = pool.substitute_all(&self.model.exprs(&s.components), &self.values);
            if v.iter().any(|e| e.contains(self.time))
                || list.iter().any(|g: &Generator<'p>| g.components == v)
            {
                continue;
            }
            let invariant = vanishes(self.prolonged(&v, self.lagrangian)) && self.keeps_forces(&v);
            let of_equations = || {
                let equations = equations.get_or_init(|| self.equations_for_symmetries());
                !equations.is_empty() && self.keeps_covector(&v, equations)
            };
            if (invariant || of_equations()) && self.keeps_constraints(&v) {
                list.push(Generator {
                    name: s.name.clone(),
                    invariant,
                    conserved: invariant && self.idle_along(&v),
                    components: v,
                    ignorable: None,
                });
            }
        }
        // Nobody declares the rotations of a ready-made manifold, whose chart is not seen.
        if (self.model.manifolds().iter()).any(|m| m.kind != ManifoldKind::Circle) {
            let more = self.affine_generators(&list);
            list.extend(more);
        }
        list
    }

    /// Lagrange's equations, unless they are too many to look for symmetries in them.
    fn equations_for_symmetries(&self) -> Vec<Expr<'p>> {
        match self.n() <= MAX_DEGREES_FOR_EQUATIONS {
            true => self.equations(),
            false => vec![],
        }
    }

    /// Candidates for constant fields along which nothing changes: the directions that gradients at random places do not
    /// see, in row echelon form, so that ignorable coordinates are among them.
    fn constant_directions(&self, equations: &[Expr<'p>]) -> Vec<Vec<Rational>> {
        let n = self.n();
        let mut functions: Vec<Expr<'p>> = match equations.is_empty() {
            true => [&[self.lagrangian][..], &self.force].concat(),
            false => [equations, &self.force].concat(),
        };
        functions.extend(self.rows.iter().map(|r| r.equation));
        functions.extend(self.rows.iter().flat_map(driven));
        let slopes: Vec<Expr<'p>> = functions.iter().flat_map(|f| f.gradient(&self.x)).collect();
        let symbols = [&self.state_symbols()[..], &self.a, &self.open].concat();
        let Ok(program) = Program::new(&slopes, &symbols) else {
            return vec![];
        };
        let mut random = Random::new(11);
        let mut rows: Vec<f64> = Vec::new();
        for _ in 0..n + 4 {
            let point: Vec<f64> = symbols.iter().map(|_| 0.2 + random.unit()).collect();
            for row in program.f64(&point).chunks(n) {
                let size = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if row.iter().all(|x| x.is_finite()) && size > 0.0 {
                    rows.extend(row.iter().map(|x| x / size));
                }
            }
        }
        let unseen = null_space(
            &nalgebra::DMatrix::from_row_slice(rows.len() / n, n, &rows),
            1e-9,
        );
        echelon(unseen.transpose())
            .row_iter()
            .map(|row| row.iter().map(|x| nearby(*x)).collect())
            .collect()
    }

    /// Whether neither forces nor reactions act along a field.
    pub(crate) fn idle_along(&self, v: &[Expr<'p>]) -> bool {
        let pool = self.pool();
        let along = |row: &[Expr<'p>]| pool.sum(row.iter().zip(v).map(|(&f, &v)| f * v));
        vanishes(along(&self.force)) && self.rows.iter().all(|r| vanishes(along(&r.covector)))
    }

    pub(crate) fn keeps_forces(&self, v: &[Expr<'p>]) -> bool {
        self.force.iter().all(|f| f.is_zero()) || self.keeps_covector(v, &self.force)
    }

    /// Whether a covector is invariant under the flow of a field.
    fn keeps_covector(&self, v: &[Expr<'p>], covector: &[Expr<'p>]) -> bool {
        let pool = self.pool();
        (0..self.n()).all(|i| {
            let turned = v.iter().zip(covector).map(|(&v, &f)| f * v.diff(self.x[i]));
            vanishes(pool.sum([self.prolonged(v, covector[i])].into_iter().chain(turned)))
        })
    }

    /// Whether the flow of a field maps constraints to combinations of them with constant coefficients, and keeps the
    /// covectors of reactions that are not ideal.
    pub(crate) fn keeps_constraints(&self, v: &[Expr<'p>]) -> bool {
        let pool = self.pool();
        let moved = |r: &&ConstraintRow<'p>| {
            r.enforcement != Enforcement::Ideal && !self.keeps_covector(v, &r.covector)
        };
        if self.rows.iter().any(|r| moved(&r)) {
            return false;
        }
        let functions: Vec<Expr<'p>> = self.rows.iter().map(|r| r.equation).collect();
        let images: Vec<Expr<'p>> = functions.iter().map(|&f| self.prolonged(v, f)).collect();
        if images.iter().all(|&e| vanishes(e)) {
            return true;
        }
        let m = functions.len();
        let symbols = [&self.state_symbols()[..], &self.a].concat();
        let all = [&functions[..], &images].concat();
        let Ok(program) = Program::new(&all, &symbols) else {
            return false;
        };
        let mut random = Random::new(7);
        let samples: Vec<Vec<f64>> = (0..2 * m + 4)
            .map(|_| {
                program.f64(
                    &symbols
                        .iter()
                        .map(|_| random.unit() + 0.25)
                        .collect::<Vec<_>>(),
                )
            })
            .collect();
        let left = nalgebra::DMatrix::from_fn(samples.len(), m, |i, j| samples[i][j]);
        let right = nalgebra::DMatrix::from_fn(samples.len(), m, |i, j| samples[i][m + j]);
        if left.iter().chain(right.iter()).any(|x| !x.is_finite()) {
            return false;
        }
        let Ok(found) = left.svd(true, true).solve(&right, 1e-12) else {
            return false;
        };
        (0..m).all(|b| {
            let terms = (0..m).map(|a| functions[a] * pool.number(nearby(found[(a, b)])));
            vanishes(images[b] - pool.sum(terms))
        })
    }

    /// The values of expressions at (t, x, u).
    pub(crate) fn at(&self, list: &[Expr<'p>], state: &[f64]) -> Option<Vec<f64>> {
        let program = Program::new(list, &self.state_symbols()).ok()?;
        let values = program.f64(state);
        values.iter().all(|v| v.is_finite()).then_some(values)
    }
}

impl Setting<'_> {
    /// Whether the mass matrix is singular at (t, x, u), or not defined. Entries are compared to those nearby: of an angle
    /// near π not even zeros of sines are zero.
    pub(crate) fn has_singular_mass(&self, state: &[f64]) -> bool {
        let n = self.n();
        let mass = self.lagrangian.hessian(&self.u).concat();
        let symbols = self.state_symbols();
        let Ok(program) = Program::new(&mass, &symbols) else {
            return true;
        };
        let values = program.f64(state);
        if values.iter().any(|v| !v.is_finite()) {
            return true;
        }
        let matrix = nalgebra::DMatrix::from_row_slice(n, n, &values);
        // Units of coordinates do not count.
        let mut scale: Vec<f64> = (0..n).map(|i| matrix.row(i).amax()).collect();
        for step in [-NEARBY, NEARBY] {
            let mut near = state.to_vec();
            for x in &mut near[1..=n] {
                *x *= 1.0 + step;
            }
            let values = program.f64(&near);
            let here = |i: usize| values[i * n + i].abs();
            for (i, s) in scale.iter_mut().enumerate() {
                *s = s.max(if here(i).is_finite() { here(i) } else { 0.0 });
            }
        }
        if scale.contains(&0.0) {
            return true;
        }
        let scaled = nalgebra::DMatrix::from_fn(n, n, |i, j| {
            matrix[(i, j)] / (scale[i].sqrt() * scale[j].sqrt())
        });
        let values = scaled.svd(false, false).singular_values;
        values.min() <= SINGULAR_MASS * values.max()
    }

    /// Whether the equations of motion are linear in (x, u), without constraints and contacts.
    pub(crate) fn is_linear(&self) -> bool {
        let symbols = [&self.x[..], &self.u].concat();
        let free = |e: &Expr<'_>| !e.contains_any(&symbols);
        self.rows.is_empty()
            && !self.model.has_contacts()
            && (self.equations().iter())
                .flat_map(|e| e.gradient(&symbols))
                .all(|e| free(&e))
            && (self.lagrangian.hessian(&self.u).concat().iter()).all(free)
    }
}

/// The covector of a reaction that is not ideal.
fn driven<'p>(r: &ConstraintRow<'p>) -> impl Iterator<Item = Expr<'p>> + use<'p> {
    let own = match r.enforcement {
        Enforcement::Ideal => vec![],
        _ => r.covector.clone(),
    };
    own.into_iter()
}

/// An orthonormal basis, in columns, of the vectors that a matrix maps to zero; singular values below `least` of the largest
/// count as zero.
pub(crate) fn null_space(matrix: &nalgebra::DMatrix<f64>, least: f64) -> nalgebra::DMatrix<f64> {
    kernel(matrix, |largest| least * largest)
}

/// An orthonormal basis, in columns, of the vectors that a matrix with entries of the order of one maps to zero.
pub(crate) fn unit_null_space(
    matrix: &nalgebra::DMatrix<f64>,
    least: f64,
) -> nalgebra::DMatrix<f64> {
    kernel(matrix, |largest| least * largest.max(1.0))
}

fn kernel(matrix: &nalgebra::DMatrix<f64>, limit: impl Fn(f64) -> f64) -> nalgebra::DMatrix<f64> {
    let n = matrix.ncols();
    if n == 0 {
        return nalgebra::DMatrix::zeros(0, 0);
    }
    // Singular values of what is not a number are not, either.
    if matrix.iter().any(|x| !x.is_finite()) {
        return nalgebra::DMatrix::zeros(n, 0);
    }
    // Squares have n columns whatever the number of rows; rows of zeros change nothing.
    let rows = matrix.nrows().max(n);
    let padded = nalgebra::DMatrix::from_fn(rows, n, |i, j| match i < matrix.nrows() {
        true => matrix[(i, j)],
        false => 0.0,
    });
    let svd = padded.svd(false, true);
    let Some(v) = svd.v_t else {
        return nalgebra::DMatrix::zeros(n, 0);
    };
    let limit = limit(svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s)));
    let kept: Vec<usize> = (0..n)
        .filter(|&k| svd.singular_values[k] <= limit)
        .collect();
    v.select_rows(&kept).transpose()
}

/// The reduced row echelon form of a matrix of full rank.
pub(crate) fn echelon(mut a: nalgebra::DMatrix<f64>) -> nalgebra::DMatrix<f64> {
    let (m, n) = a.shape();
    let mut row = 0;
    for column in 0..n {
        let Some(best) =
            (row..m).max_by(|&i, &j| a[(i, column)].abs().total_cmp(&a[(j, column)].abs()))
        else {
            break;
        };
        if a[(best, column)].abs() <= 1e-8 {
            continue;
        }
        a.swap_rows(best, row);
        let pivot = a[(row, column)];
        for j in 0..n {
            a[(row, j)] /= pivot;
        }
        for i in (0..m).filter(|&i| i != row) {
            let factor = a[(i, column)];
            for j in 0..n {
                let t = a[(row, j)];
                a[(i, j)] -= factor * t;
            }
        }
        row += 1;
    }
    a
}

/// Whether an expression is zero, by its structure or by proof.
pub(crate) fn vanishes(e: Expr<'_>) -> bool {
    e.is_zero() || e.decide_zero().is_proved()
}

/// The simplest fraction near a number, by its continued fraction.
pub(crate) fn nearby(x: f64) -> Rational {
    let (mut a, mut b) = ([1i64, 0], [0i64, 1]);
    let mut rest = x;
    for _ in 0..20 {
        let whole = rest.floor();
        if !whole.is_finite() || whole.abs() > 1e9 {
            break;
        }
        let next = |p: [i64; 2]| p[0].checked_mul(whole as i64)?.checked_add(p[1]);
        let (Some(p), Some(q)) = (next(a), next(b)) else {
            break;
        };
        if q > MAX_DENOMINATOR {
            break;
        }
        a = [p, a[0]];
        b = [q, b[0]];
        if (p as f64 / q as f64 - x).abs() <= 1e-9 * x.abs().max(1e-3) {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    match b[0] {
        0 => Rational::from(0),
        q => Rational::new(a[0], q),
    }
}
