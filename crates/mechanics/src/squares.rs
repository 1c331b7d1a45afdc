//! Kinetic energies as sums of squares.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use galilei_expr::{Expr, ExprId, Rational, Variables, View};

use crate::lagrangian::Lagrangian;

/// L = Σ ½m·v² + rest, each v affine in the velocities and each m a constant.
#[derive(Clone, Debug)]
pub struct SumOfSquares<'p> {
    /// The squares.
    pub squares: Vec<SquaredVelocity<'p>>,
    /// L without the squares.
    pub rest: Lagrangian<'p>,
}

/// ½m·v² with v = bᵢuⁱ + b₀.
#[derive(Clone, Debug)]
pub struct SquaredVelocity<'p> {
    /// m
    pub mass: Expr<'p>,
    /// v
    pub velocity: Expr<'p>,
    /// (i, bᵢ) with bᵢ = ∂v/∂uⁱ where that is not zero, in the order of the coordinates.
    pub row: Vec<(usize, Expr<'p>)>,
    /// b₀
    pub drift: Expr<'p>,
    /// (i, ḃᵢ − ∂v/∂xⁱ) where that is not zero; it is zero everywhere if v is the rate of a position.
    pub twist: Vec<(usize, Expr<'p>)>,
}

impl<'p> SquaredVelocity<'p> {
    /// bᵢ = ∂v/∂uⁱ
    pub fn slope(&self, i: usize) -> Option<Expr<'p>> {
        let at = self.row.binary_search_by_key(&i, |e| e.0).ok()?;
        Some(self.row[at].1)
    }
}

/// The largest number of terms of a sum that is differentiated as a whole, not term by term.
const MAX_TERMS_AT_ONCE: usize = 12;

/// Functions of the state and what is known about those met so far: velocities of a mechanism are sums of each other,
/// with few different coefficients.
struct Known<'p> {
    x: Variables<'p>,
    u: Variables<'p>,
    time: Expr<'p>,
    rows: HashMap<ExprId, Rc<Vec<(usize, Expr<'p>)>>>,
    drifts: HashMap<ExprId, Expr<'p>>,
    slopes: HashMap<ExprId, Slopes<'p>>,
}

/// The derivatives of a coefficient bᵢ.
#[derive(Clone)]
struct Slopes<'p> {
    /// Whether it depends on velocities.
    moves: bool,
    by_time: Expr<'p>,
    by_position: Rc<Vec<(usize, Expr<'p>)>>,
}

impl<'p> Known<'p> {
    fn new(lagrangian: &Lagrangian<'p>) -> Self {
        let state = lagrangian.state();
        Self {
            x: Variables::new(state.base().positions()),
            u: Variables::new(state.velocities()),
            time: state.time(),
            rows: HashMap::new(),
            drifts: HashMap::new(),
            slopes: HashMap::new(),
        }
    }

    /// Finds ∂v/∂u and the value of v for u = 0, term by term: sums of sums share their parts.
    fn velocity(&mut self, v: Expr<'p>) -> (Rc<Vec<(usize, Expr<'p>)>>, Expr<'p>) {
        let mut open = vec![v];
        while let Some(&e) = open.last() {
            if self.rows.contains_key(&e.id()) {
                open.pop();
                continue;
            }
            let long = |terms: &[(Rational, Expr<'p>)]| {
                let nested = terms.iter().any(|t| matches!(t.1.view(), View::Sum(_)));
                nested || terms.len() > MAX_TERMS_AT_ONCE
            };
            let terms = match e.view() {
                View::Sum(terms) if long(&terms) => Some(terms),
                _ => None,
            };
            let Some(terms) = terms else {
                self.rows.insert(e.id(), Rc::new(self.u.slopes(e)));
                let nothing = self.u.occurring(e).into_iter();
                let nothing: Vec<_> = nothing.map(|u| (u, e.pool().zero())).collect();
                self.drifts.insert(e.id(), e.substitute(&nothing));
                open.pop();
                continue;
            };
            let before = open.len();
            let unknown = terms.iter().filter(|t| !self.rows.contains_key(&t.1.id()));
            open.extend(unknown.map(|t| t.1));
            if open.len() > before {
                continue;
            }
            let mut parts: Vec<(usize, Expr<'p>)> = Vec::new();
            let mut drift = Vec::new();
            for (c, t) in &terms {
                let row = self.rows[&t.id()].iter();
                parts.extend(row.map(|&(i, b)| (i, if c.is_one() { b } else { b * c.clone() })));
                let rest = self.drifts[&t.id()];
                if !rest.is_zero() {
                    drift.push(rest * c.clone());
                }
            }
            parts.sort_by_key(|p| p.0);
            let mut row: Vec<(usize, Expr<'p>)> = Vec::with_capacity(parts.len());
            for equal in parts.chunk_by(|a, b| a.0 == b.0) {
                let sum = match equal {
                    [one] => one.1,
                    many => e.pool().sum(many.iter().map(|p| p.1)),
                };
                if !sum.is_zero() {
                    row.push((equal[0].0, sum));
                }
            }
            self.rows.insert(e.id(), Rc::new(row));
            self.drifts.insert(e.id(), e.pool().sum(drift));
            open.pop();
        }
        (Rc::clone(&self.rows[&v.id()]), self.drifts[&v.id()])
    }

    fn slopes(&mut self, b: Expr<'p>) -> Slopes<'p> {
        let (x, u, time) = (&self.x, &self.u, self.time);
        let found = self.slopes.entry(b.id()).or_insert_with(|| Slopes {
            moves: u.occur_in(b),
            by_time: b.diff(time),
            by_position: Rc::new(x.slopes(b)),
        });
        found.clone()
    }
}

impl<'p> Lagrangian<'p> {
    /// Finds the squares in L as it is written: nothing is expanded or completed.
    pub fn sum_of_squares(&self) -> SumOfSquares<'p> {
        let state = self.state();
        let pool = state.pool();
        let (x, u) = (state.base().positions(), state.velocities());
        let variables: Vec<Expr<'p>> = std::iter::once(state.time())
            .chain(x.iter().copied())
            .chain(u.iter().copied())
            .collect();
        let variables = Variables::new(&variables);
        let constant = |e: Expr<'p>| !variables.occur_in(e);
        let mut rest = Vec::new();
        let mut found: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        let mut work = vec![(pool.one(), self.function())];
        while let Some((factor, e)) = work.pop() {
            match e.view() {
                View::Sum(terms) => {
                    work.extend(terms.into_iter().rev().map(|(q, t)| (factor * q, t)));
                }
                View::Product(factors) => {
                    let (scalars, others): (Vec<_>, Vec<_>) =
                        factors.into_iter().partition(|f| constant(f.0));
                    let scalar = scalars
                        .iter()
                        .fold(factor, |a, (b, q)| a * b.pow(q.clone()));
                    match &others[..] {
                        [(base, q)] if q.is_one() => work.push((scalar, *base)),
                        _ => {
                            let root = others
                                .iter()
                                .map(|(b, q)| {
                                    let half = q.to_i64().filter(|q| q % 2 == 0)?;
                                    Some(b.pow(half / 2))
                                })
                                .collect::<Option<Vec<_>>>()
                                .map(|f| pool.product(f));
                            match root {
                                Some(v) => found.push((scalar * Rational::from(2), v)),
                                None => rest.push(factor * e),
                            }
                        }
                    }
                }
                _ => rest.push(factor * e),
            }
        }
        let mut squares: Vec<SquaredVelocity<'p>> = Vec::new();
        let mut places: HashMap<ExprId, usize> = HashMap::new();
        let mut known = Known::new(self);
        for (mass, velocity) in found {
            if let Some(&same) = places.get(&velocity.id()) {
                squares[same].mass += mass;
                continue;
            }
            let (row, drift) = known.velocity(velocity);
            let affine = row.iter().all(|b| !known.slopes(b.1).moves);
            if !affine || row.is_empty() {
                rest.push(mass * velocity * velocity * Rational::new(1, 2));
                continue;
            }
            // ∂bᵢ/∂t − ∂b₀/∂xⁱ + (∂bᵢ/∂xʲ − ∂bⱼ/∂xⁱ)uʲ; where the slopes are symmetric, equal
            // products cancel.
            let mut terms: BTreeMap<usize, Vec<Expr<'p>>> = BTreeMap::new();
            for &(i, slope) in known.slopes(drift).by_position.iter() {
                terms.entry(i).or_default().push(-slope);
            }
            for &(i, b) in row.iter() {
                let slopes = known.slopes(b);
                if !slopes.by_time.is_zero() {
                    terms.entry(i).or_default().push(slopes.by_time);
                }
                for &(j, slope) in slopes.by_position.iter().filter(|s| s.0 != i) {
                    terms.entry(i).or_default().push(slope * u[j]);
                    terms.entry(j).or_default().push(-(slope * u[i]));
                }
            }
            let twist = terms.into_iter().map(|(i, t)| (i, pool.sum(t)));
            places.insert(velocity.id(), squares.len());
            squares.push(SquaredVelocity {
                mass,
                velocity,
                row: row.to_vec(),
                drift,
                twist: twist.filter(|t| !t.1.is_zero()).collect(),
            });
        }
        SumOfSquares {
            squares,
            rest: Lagrangian::new(state, pool.sum(rest)),
        }
    }
}
