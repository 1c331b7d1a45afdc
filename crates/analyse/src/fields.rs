//! Fields whose flows map motions to motions, found among combinations of simple ones and proved.

use galilei_expr::{Expr, Program, Rational};
use galilei_model::{Charts, Manifold, ManifoldKind};

use crate::eigen::Random;
use crate::setting::{Generator, Setting, echelon, nearby, null_space, vanishes};

/// The largest number of degrees of freedom for which affine symmetries are looked for.
const MAX_DEGREES_FOR_FIELDS: usize = 8;
/// The largest number of candidates for affine symmetries that are tried.
const MAX_CANDIDATE_FIELDS: usize = 24;

impl<'p> Setting<'p> {
    /// Fields v(x) other than combinations of known ones whose flows map motions to motions: translations, rotations and
    /// both together, as Ax + b with numbers A, b; on ready-made manifolds the rotations of space and of bodies.
    pub(crate) fn affine_generators(&self, known: &[Generator<'p>]) -> Vec<Generator<'p>> {
        let n = self.n();
        if self.model.has_contacts()
            || n > MAX_DEGREES_FOR_FIELDS
            || self.rows.iter().any(|r| r.residual.is_none())
        {
            return vec![];
        }
        let mut list: Vec<Generator<'p>> = Vec::new();
        for (name, v) in self.candidate_fields().unwrap_or_default() {
            let all: Vec<&Generator<'p>> = known.iter().chain(&list).collect();
            if v.iter().all(|e| e.is_zero()) || self.is_combination(&v, &all) {
                continue;
            }
            let invariant = vanishes(self.prolonged(&v, self.lagrangian)) && self.keeps_forces(&v);
            if invariant && self.keeps_constraints(&v) {
                list.push(Generator {
                    name,
                    invariant: true,
                    conserved: self.idle_along(&v),
                    components: v,
                    ignorable: None,
                });
            }
        }
        list
    }

    /// Whether a field is a combination of others with constant coefficients, as far as some random places show.
    fn is_combination(&self, v: &[Expr<'p>], others: &[&Generator<'p>]) -> bool {
        let n = self.n();
        let mut fields = v.to_vec();
        fields.extend(others.iter().flat_map(|g| g.components.clone()));
        let Ok(program) = Program::new(&fields, &self.x) else {
            return false;
        };
        let mut random = Random::new(29);
        let points: Vec<Vec<f64>> = (0..n + 3)
            .map(|_| {
                program.f64(
                    &self
                        .x
                        .iter()
                        .map(|_| 0.2 + random.unit())
                        .collect::<Vec<_>>(),
                )
            })
            .collect();
        let entry = |r: usize, k: usize| points[r / n][k * n + r % n];
        let rows = points.len() * n;
        let left = nalgebra::DMatrix::from_fn(rows, others.len(), |r, k| entry(r, 1 + k));
        let right = nalgebra::DVector::from_fn(rows, |r, _| entry(r, 0));
        if others.is_empty() || left.iter().chain(right.iter()).any(|x| !x.is_finite()) {
            return false;
        }
        let fitted = left.clone().svd(true, true).solve(&right, 1e-11);
        fitted.is_ok_and(|c| (&right - left * c).norm() <= 1e-8 * right.norm())
    }

    /// Candidates for symmetries, combinations of basic fields, with a name for each: those that L, forces and constraints
    /// at random places do not see.
    fn candidate_fields(&self) -> Option<Vec<(String, Vec<Expr<'p>>)>> {
        let n = self.n();
        let m = self.rows.len();
        let pool = self.pool();
        let fields = basic_fields(self);
        let components: Vec<Expr<'p>> = fields.iter().flat_map(|f| f.components.clone()).collect();
        let turning: Vec<Expr<'p>> = components
            .iter()
            .flat_map(|v| v.gradient(&self.x))
            .collect();
        let symbols = [&self.x[..], &self.u].concat();
        let mut functions = vec![self.lagrangian];
        functions.extend(&self.force);
        functions.extend(self.rows.iter().filter_map(|r| r.residual));
        let count = functions.len();
        let mut all = functions.clone();
        all.extend(functions.iter().flat_map(|f| f.gradient(&symbols)));
        all.extend(components);
        all.extend(turning);
        let known = [&self.state_symbols()[..], &self.open].concat();
        let program = Program::new(&all, &known).ok()?;
        let width = fields.len() + m * m;
        let mut random = Random::new(31);
        let mut rows: Vec<f64> = Vec::new();
        for _ in 0..width + 6 {
            let point: Vec<f64> = known.iter().map(|_| 0.2 + random.unit()).collect();
            let u = &point[1 + n..=2 * n];
            let values = program.f64(&point);
            let (own, rest) = values.split_at(count);
            let (slopes, rest) = rest.split_at(count * 2 * n);
            let (field, turning) = rest.split_at(fields.len() * n);
            for f in 0..count {
                let slope = &slopes[f * 2 * n..(f + 1) * 2 * n];
                let mut row = vec![0.0; width];
                for (k, entry) in row[..fields.len()].iter_mut().enumerate() {
                    let turn = |i: usize, j: usize| turning[(k * n + i) * n + j];
                    for i in 0..n {
                        let rate: f64 = (0..n).map(|j| turn(i, j) * u[j]).sum();
                        *entry += field[k * n + i] * slope[i] + rate * slope[n + i];
                        if (1..=n).contains(&f) {
                            // A force is a covector: its Lie derivative has the transposed field, too.
                            *entry += own[1 + i] * turn(i, f - 1);
                        }
                    }
                }
                if f > n {
                    // A constraint may become a combination of constraints.
                    let a = f - 1 - n;
                    for b in 0..m {
                        row[fields.len() + a * m + b] = -own[1 + n + b];
                    }
                }
                let size = row.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
                if row.iter().all(|x| x.is_finite()) && size > 0.0 {
                    rows.extend(row.iter().map(|x| x / size));
                }
            }
        }
        let matrix = nalgebra::DMatrix::from_row_slice(rows.len() / width, width, &rows);
        let unseen = null_space(&matrix, 1e-10);
        if unseen.ncols() == 0 || unseen.ncols() > MAX_CANDIDATE_FIELDS {
            return None;
        }
        let coefficients = echelon(unseen.rows(0, fields.len()).transpose());
        let combined = |row: Vec<Rational>| {
            let terms: Vec<(&Field<'p>, Expr<'p>)> = (fields.iter().zip(row))
                .map(|(f, q)| (f, pool.number(q)))
                .filter(|(_, q)| !q.is_zero())
                .collect();
            let component = |i: usize| pool.sum(terms.iter().map(|(f, q)| f.components[i] * *q));
            let v: Vec<Expr<'p>> = (0..n).map(component).collect();
            let named: Option<Vec<String>> = terms.iter().map(|(f, _)| f.name.clone()).collect();
            let written = || {
                let moved = (0..n).filter(|&i| !v[i].is_zero());
                let text = moved.map(|i| format!("{} = {}", self.coordinate(i), v[i]));
                text.collect::<Vec<_>>().join(", ")
            };
            let name = named.map_or_else(written, |n| n.join(" and "));
            (name, v)
        };
        let list = coefficients
            .row_iter()
            .map(|row| combined(row.iter().map(|x| nearby(*x)).collect()));
        Some(list.collect())
    }
}

/// A field of which symmetries are made.
struct Field<'p> {
    /// Its name, if its components say less.
    name: Option<String>,
    components: Vec<Expr<'p>>,
}

/// The fields of which symmetries are made: translations and linear fields of ordinary coordinates, rotations of
/// ready-made manifolds.
fn basic_fields<'p>(setting: &Setting<'p>) -> Vec<Field<'p>> {
    let (pool, n, x) = (setting.pool(), setting.n(), &setting.x);
    let curved =
        |m: &&Manifold| m.kind != ManifoldKind::Circle && matches!(m.charts, Charts::Runs(_));
    let manifolds: Vec<&Manifold> = setting.model.manifolds().iter().filter(curved).collect();
    let on =
        |i: usize| (manifolds.iter()).any(|m| (m.first..m.first + m.kind.dimension()).contains(&i));
    let flat: Vec<usize> = (0..n).filter(|&i| !on(i)).collect();
    let mut list = Vec::new();
    let mut add = |name: Option<String>, parts: &[(usize, Expr<'p>)]| {
        let mut components = vec![pool.zero(); n];
        parts.iter().for_each(|(i, e)| components[*i] = *e);
        list.push(Field { name, components });
    };
    for &i in &flat {
        for &j in &flat {
            add(None, &[(i, x[j])]);
        }
    }
    for &i in &flat {
        add(None, &[(i, pool.one())]);
    }
    let half = pool.number(Rational::new(1, 2));
    let quarter = pool.number(Rational::new(1, 4));
    let axes = ["x", "y", "z"];
    for m in manifolds {
        let y = &x[m.first..m.first + m.kind.dimension()];
        let place = |k: usize| m.first + k;
        if m.kind == ManifoldKind::Sphere {
            // Of stereographic coordinates from either pole.
            let (a, b) = (y[0], y[1]);
            let difference = a.pow(2) - b.pow(2);
            let turns = [
                [a * b, (pool.one() - difference) * half],
                [(pool.one() + difference) * half, a * b],
                [-b, a],
            ];
            for (axis, [v, w]) in axes.into_iter().zip(turns) {
                let name = format!("rotation of {} about {axis}", m.name);
                add(Some(name), &[(place(0), v), (place(1), w)]);
            }
            continue;
        }
        // σ̇ = ¼((1 − σ²)ω ± 2ω×σ + 2(σ·ω)σ) for modified Rodrigues parameters, with ω in space or in the body.
        let square = pool.sum(y.iter().map(|s| s.pow(2)));
        for (sign, axis_of) in [(1, "the axis"), (-1, "the body's axis")] {
            for (k, axis) in axes.into_iter().enumerate() {
                let component = |i: usize| {
                    let cross = match (3 + i - k) % 3 {
                        1 => -y[(3 - i - k) % 3],
                        2 => y[(3 - i - k) % 3],
                        _ => pool.zero(),
                    };
                    let own = if i == k {
                        pool.one() - square
                    } else {
                        pool.zero()
                    };
                    (own + cross * (2 * sign) + y[k] * y[i] * 2) * quarter
                };
                let parts: Vec<(usize, Expr<'p>)> =
                    (0..3).map(|i| (place(i), component(i))).collect();
                add(
                    Some(format!("rotation of {} about {axis_of} {axis}", m.name)),
                    &parts,
                );
            }
        }
    }
    list
}
