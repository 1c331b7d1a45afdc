//! Angular velocities as quasi-velocities: the equations of motion of models with ready-made rotations.
//!
//! In modified Rodrigues parameters y the kinetic energy of a body is a long fraction. In its angular velocity ω in
//! inner axes it has constant coefficients, and ẏ = W(y)·ω is a polynomial. With v = (ω, the other velocities),
//! L = ½vᵀNv + a·v + L₀ and the fields X_k along which v_k moves, the equations are Hamel's,
//!
//! ```text
//! N·v̇ = X_k L + (π × ω)_k + Q_k − Ṅ·v − ȧ,  π = N·v + a.
//! ```
//!
//! N, a, L₀ and Q, or parts of them, are written with the entries of the rotation matrices as symbols wherever they are affine
//! in them, which is proved for each; their rates are algebraic then, Ṙ = R·[ω].

use galilei_expr::{Expr, Pool, Rational, View};
use galilei_mechanics::{Force, Lagrangian};
use galilei_model::{Charts, Manifold, ManifoldKind, Model};

/// The size beyond which an expression is not tried to be written with entries of rotations.
const MAX_NODES: usize = 20_000;
/// The depth down to which parts of an expression are tried.
const MAX_DEPTH: usize = 4;
/// The cosine and sine of the turn whose parameter is 1/2, in units of 1/25.
const TURN: [i64; 2] = [-7, 24];

/// A ready-made rotation of a model.
struct Turning<'p> {
    /// The place of the first of its coordinates.
    first: usize,
    /// Its modified Rodrigues parameters.
    y: [Expr<'p>; 3],
    /// The entries of its matrix, functions of them.
    entries: [[Expr<'p>; 3]; 3],
    /// Symbols for the entries.
    symbols: [[Expr<'p>; 3]; 3],
}

/// Quasi-velocities of a model with rotations: angular velocities in inner axes, and the velocities of all other
/// coordinates.
pub(crate) struct Frame<'p> {
    pub(crate) pool: &'p Pool,
    time: Expr<'p>,
    x: Vec<Expr<'p>>,
    turnings: Vec<Turning<'p>>,
    /// Symbols of the quasi-velocities.
    pub(crate) symbols: Vec<Expr<'p>>,
    /// They themselves, as functions of (x, u).
    pub(crate) functions: Vec<Expr<'p>>,
    /// W, a row for each coordinate.
    directions: Vec<Vec<Expr<'p>>>,
}

/// N·v̇ = r
pub(crate) struct Hamel<'p> {
    /// N
    pub(crate) matrix: Vec<Vec<Expr<'p>>>,
    /// r
    pub(crate) right: Vec<Expr<'p>>,
}

impl<'p> Turning<'p> {
    fn new(
        model: &'p Model,
        manifold: &Manifold,
        lagrangian: &Lagrangian<'p>,
    ) -> (Self, [Expr<'p>; 3]) {
        let state = lagrangian.state();
        let pool = model.pool();
        let first = manifold.first;
        let y = std::array::from_fn(|k| state.position(first + k));
        let w = std::array::from_fn(|k| state.velocity(first + k));
        let (entries, rates, _) = Manifold::rotation(pool, &y, &w);
        let symbol = |i: usize, j: usize| {
            pool.symbol(&format!("entry {i} {j} of rotation {}", manifold.name))
        };
        let symbols = std::array::from_fn(|i| std::array::from_fn(|j| symbol(i, j)));
        (
            Self {
                first,
                y,
                entries,
                symbols,
            },
            rates,
        )
    }

    /// c and cᵢⱼ of c + Σ cᵢⱼ·Rᵢⱼ, from the values of a function at turns by half a revolution and by one angle. Nothing
    /// is said about functions that are not affine in the entries.
    fn affine(&self, pool: &'p Pool, e: Expr<'p>) -> Option<(Expr<'p>, [[Expr<'p>; 3]; 3])> {
        let at = |y: [Rational; 3]| {
            let pairs: Vec<_> = (self.y.iter().copied().zip(y.map(|q| pool.number(q)))).collect();
            let value = e.substitute(&pairs);
            (!value.is_undefined()).then_some(value)
        };
        let [zero, one] = [Rational::ZERO, Rational::ONE];
        let along = |k: usize, by: Rational| {
            std::array::from_fn(|i| if i == k { by.clone() } else { zero.clone() })
        };
        let still = at(along(0, zero.clone()))?;
        let half = [0, 1, 2].map(|k| at(along(k, one.clone())));
        let [Some(a), Some(b), Some(c)] = half else {
            return None;
        };
        let half = [a, b, c];
        let constant = pool.sum([still, a, b, c]) / 4;
        let mut list = [[pool.zero(); 3]; 3];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            list[k][k] = pool.sum([still, half[k], -half[i], -half[j]]) / 4;
        }
        let [cosine, sine] = TURN.map(|k| Rational::new(k, 25));
        let (sine, cosine) = (pool.number(sine), pool.number(cosine));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let turned = at(along(k, Rational::new(1, 2)))?;
            let turned = turned - constant - cosine * (list[i][i] + list[j][j]) - list[k][k];
            let mut between = [zero.clone(), zero.clone(), zero.clone()];
            between[i] = Rational::new(3, 5);
            between[j] = Rational::new(4, 5);
            let between = at(between)?;
            let between = between - constant - cosine * (list[i][i] - list[j][j]) + list[k][k];
            let (difference, sum) = (turned / sine, between / sine);
            list[j][i] = (sum + difference) / 2;
            list[i][j] = (sum - difference) / 2;
        }
        Some((constant, list))
    }
}

impl<'p> Frame<'p> {
    /// The quasi-velocities of a model with rotations in the charts of runs; `None` without any.
    pub(crate) fn of(model: &'p Model, lagrangian: &Lagrangian<'p>) -> Option<Self> {
        let state = lagrangian.state();
        let (pool, n) = (model.pool(), state.degrees_of_freedom());
        let runs = |m: &&Manifold| {
            m.kind == ManifoldKind::Rotations && matches!(m.charts, Charts::Runs(_))
        };
        let manifolds: Vec<&Manifold> = model.manifolds().iter().filter(runs).collect();
        if manifolds.is_empty() {
            return None;
        }
        let symbols: Vec<Expr<'p>> = (1..=n)
            .map(|k| pool.symbol(&format!("velocity {k} along the frame")))
            .collect();
        let unit = |i: usize, k: usize| if i == k { pool.one() } else { pool.zero() };
        let mut frame = Self {
            pool,
            time: state.time(),
            x: state.base().positions().to_vec(),
            turnings: vec![],
            symbols,
            functions: state.velocities().to_vec(),
            directions: (0..n)
                .map(|i| (0..n).map(|k| unit(i, k)).collect())
                .collect(),
        };
        for m in manifolds {
            let (turning, rates) = Turning::new(model, m, lagrangian);
            let (first, y) = (turning.first, turning.y);
            frame.functions[first..first + 3].copy_from_slice(&rates);
            let square = pool.sum(y.iter().map(|y| y.pow(2)));
            for k in 0..3 {
                for i in 0..3 {
                    // 4W = 1 − y² + 2[y] + 2yyᵀ
                    let turned = match (3 + i - k) % 3 {
                        0 => 1 - square,
                        // [y]ᵢₖ = −εᵢₖₗyₗ
                        1 => 2 * y[3 - i - k],
                        _ => -2 * y[3 - i - k],
                    };
                    frame.directions[first + i][first + k] = (turned + 2 * y[i] * y[k]) / 4;
                }
            }
            frame.turnings.push(turning);
        }
        Some(frame)
    }

    /// u = W·v, for given v.
    pub(crate) fn velocities(&self, v: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let mut list = v.to_vec();
        for t in &self.turnings {
            let own = &v[t.first..t.first + 3];
            let y = &t.y;
            let square = self.pool.sum(y.iter().map(|y| y.pow(2)));
            let along = self.pool.sum((0..3).map(|k| y[k] * own[k]));
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let side = y[i] * own[j] - y[j] * own[i];
                let parts = [(1 - square) * own[k], 2 * side, 2 * along * y[k]];
                list[t.first + k] = self.pool.sum(parts) / 4;
            }
        }
        list
    }

    /// Symbols and what they stand for.
    pub(crate) fn definitions(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let pairs = |t: &Turning<'p>| {
            let symbols = t.symbols.iter().flatten().copied();
            symbols
                .zip(t.entries.iter().flatten().copied())
                .collect::<Vec<_>>()
        };
        self.turnings.iter().flat_map(pairs).collect()
    }

    /// Writes a function with the entries of rotation matrices instead of their parameters, as a whole or in parts, where
    /// both forms are proved to be equal.
    fn simple(&self, e: Expr<'p>) -> Expr<'p> {
        self.simple_within(e, MAX_DEPTH)
    }

    fn simple_within(&self, e: Expr<'p>, depth: usize) -> Expr<'p> {
        let moves = |e: Expr<'p>| self.turnings.iter().any(|t| e.contains_any(&t.y));
        let whole = self.simple_from(0, e);
        if depth == 0 || !moves(whole) {
            return whole;
        }
        let part = |e: Expr<'p>| self.simple_within(e, depth - 1);
        let parts = match whole.view() {
            View::Sum(terms) => {
                let terms = terms.into_iter().map(|(q, e)| part(e) * q);
                return self.pool.sum(terms);
            }
            View::Product(factors) => {
                let factors = factors.into_iter().map(|(e, q)| part(e).pow(q));
                self.pool.product(factors)
            }
            View::Call(f, arguments) if arguments.len() <= 2 => {
                part(arguments[0]).apply(f, arguments.get(1).map(|e| part(*e)))
            }
            _ => whole,
        };
        match moves(parts) {
            true => whole,
            false => parts,
        }
    }

    fn simple_from(&self, from: usize, e: Expr<'p>) -> Expr<'p> {
        let Some(at) = (from..self.turnings.len()).find(|&k| e.contains_any(&self.turnings[k].y))
        else {
            return e;
        };
        let t = &self.turnings[at];
        if e.node_count() > MAX_NODES {
            return e;
        }
        let Some((constant, list)) = t.affine(self.pool, e) else {
            return e;
        };
        let places = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let sum = |of: &dyn Fn(usize, usize) -> Expr<'p>| {
            let terms = places().filter(|&(i, j)| !list[i][j].is_zero());
            self.pool.sum(terms.map(|(i, j)| of(i, j)))
        };
        let claimed = constant + sum(&|i, j| list[i][j] * t.entries[i][j]);
        if !(e - claimed).decide_zero().is_proved() {
            return e;
        }
        let inner = |e: Expr<'p>| self.simple_from(at + 1, e);
        inner(constant) + sum(&|i, j| inner(list[i][j]) * t.symbols[i][j])
    }

    /// The derivative of a function of (t, x) along the motion.
    pub(crate) fn rate(&self, e: Expr<'p>) -> Expr<'p> {
        let along = (0..self.x.len()).map(|k| self.along(k, e) * self.symbols[k]);
        e.diff(self.time) + self.pool.sum(along)
    }

    /// X_k of a function of (t, x).
    fn along(&self, k: usize, e: Expr<'p>) -> Expr<'p> {
        let Some(t) = self
            .turnings
            .iter()
            .find(|t| (t.first..t.first + 3).contains(&k))
        else {
            return e.diff(self.x[k]);
        };
        let place = k - t.first;
        let (i, j) = ((place + 1) % 3, (place + 2) % 3);
        let mut terms: Vec<Expr<'p>> = (0..3)
            .map(|m| self.directions[t.first + m][k] * e.diff(t.y[m]))
            .collect();
        // Column i of R·[eₖ] is column j of R, column j is −column i.
        for row in &t.symbols {
            terms.push(row[j] * e.diff(row[i]));
            terms.push(-row[i] * e.diff(row[j]));
        }
        self.pool.sum(terms)
    }

    /// Wᵀ times a covector.
    fn projected(&self, covector: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let n = covector.len();
        let one = |k: usize| {
            let products = (0..n).map(|i| self.directions[i][k] * covector[i]);
            self.pool.sum(products)
        };
        (0..n).map(one).collect()
    }

    /// A constraint's row by the quasi-velocities.
    pub(crate) fn row(&self, row: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let projected = self.projected(row);
        projected.into_iter().map(|e| self.simple(e)).collect()
    }

    /// Hamel's equations; `None` for Lagrangians that are not quadratic in the velocities.
    pub(crate) fn equations(
        &self,
        lagrangian: &Lagrangian<'p>,
        force: &Force<'p>,
    ) -> Option<Hamel<'p>> {
        let (pool, n, v) = (self.pool, self.x.len(), &self.symbols);
        let u = lagrangian.state().velocities();
        let mass = lagrangian.mass_matrix();
        if mass.rows().iter().flatten().any(|e| e.contains_any(u)) {
            return None;
        }
        let still: Vec<_> = u.iter().map(|&u| (u, pool.zero())).collect();
        let linear = pool.substitute_all(&lagrangian.momenta(), &still);
        let rest = self.simple(lagrangian.function().substitute(&still));
        let columns: Vec<Vec<Expr<'p>>> = (0..n)
            .map(|k| {
                let column: Vec<Expr<'p>> = self.directions.iter().map(|row| row[k]).collect();
                self.projected(&mass.times_vector(&column))
            })
            .collect();
        let below = |i: usize| (0..=i).map(|j| self.simple(columns[j][i])).collect();
        let triangle: Vec<Vec<Expr<'p>>> = (0..n).map(below).collect();
        let row = |i: usize| (0..n).map(|j| triangle[i.max(j)][i.min(j)]).collect();
        let matrix: Vec<Vec<Expr<'p>>> = (0..n).map(row).collect();
        let linear: Vec<Expr<'p>> = self.projected(&linear);
        let linear: Vec<Expr<'p>> = linear.into_iter().map(|e| self.simple(e)).collect();
        let momentum = |i: usize| {
            let products = matrix[i].iter().zip(v).map(|(&m, &v)| m * v);
            pool.sum(products) + linear[i]
        };
        let momenta: Vec<Expr<'p>> = (0..n).map(momentum).collect();
        let kinetic = pool.sum((0..n).map(|i| (momenta[i] + linear[i]) * v[i])) / 2;
        let along: Vec<_> = u.iter().copied().zip(self.velocities(v)).collect();
        let forces = pool.substitute_all(force.components(), &along);
        let forces = self.projected(&forces);
        let component = |k: usize| {
            let mut terms = vec![self.along(k, kinetic + rest), self.simple(forces[k])];
            for (&m, &v) in matrix[k].iter().zip(v) {
                terms.push(-self.rate(m) * v);
            }
            terms.push(-self.rate(linear[k]));
            if let Some(t) = self
                .turnings
                .iter()
                .find(|t| (t.first..t.first + 3).contains(&k))
            {
                let place = k - t.first;
                let (i, j) = (t.first + (place + 1) % 3, t.first + (place + 2) % 3);
                terms.push(momenta[i] * v[j]);
                terms.push(-momenta[j] * v[i]);
            }
            pool.sum(terms)
        };
        let right = (0..n).map(component).collect();
        Some(Hamel { matrix, right })
    }
}
