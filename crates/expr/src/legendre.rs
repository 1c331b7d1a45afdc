//! Legendre transforms without a closed form: functions known by their derivatives.
//!
//! L(a, u) = p·u − h(a, p) at the p with ∂h/∂p = u is a node like an undetermined function. Its derivatives are formulas of
//! (a, p): ∂L/∂u = p, ∂L/∂a = −∂h/∂a, and so on by the chain rule with ∂p/∂u = (∂²h/∂p∂p)⁻¹. So claims about it are
//! decided in (a, p), where everything is a formula, and its values in doubles come from Newton's method.

use std::collections::HashMap;

use crate::evaluate::Program;
use crate::expr::{Expr, UndeterminedFunction};
use crate::node::{Ix, Tag, Word};
use crate::plan::Plan;
use crate::pool::Pool;
use crate::substitute::rebuild;

/// The largest number of coupled variables that ∂²h/∂p∂p is inverted for in formulas.
const MAX_COUPLED_VARIABLES: usize = 5;
/// Steps of Newton's method before a start is given up.
const MAX_NEWTON_STEPS: usize = 200;
/// Part of a step at which the search along it ends.
const SMALLEST_PART: f64 = 1e-10;
/// The relative distance of two momenta that count as one.
const SAME_ROOT: f64 = 1e-6;
/// The largest number of momenta for which starts with all combinations of signs are tried.
const MAX_SIGNED_STARTS: usize = 3;
/// The residual of ∂h/∂p = u that counts as zero, relative to the larger of u and its summands.
const RESIDUAL: f64 = 1e-14;

/// The data of a transform, as nodes of its pool.
#[derive(Debug)]
pub(crate) struct LegendreNodes {
    /// The name of the function.
    name: Ix,
    /// h
    function: Ix,
    /// p
    momenta: Vec<Ix>,
    /// a: the arguments before u.
    others: Vec<Ix>,
}

/// A transform in the symbols it was declared with.
struct Legendre<'p> {
    pool: &'p Pool,
    function: Expr<'p>,
    momenta: Vec<Expr<'p>>,
    others: Vec<Expr<'p>>,
    /// ∂h/∂p
    slopes: Vec<Expr<'p>>,
    /// (∂²h/∂p∂p)⁻¹, once it was needed.
    inverse: Option<Vec<Vec<Expr<'p>>>>,
    known: HashMap<Vec<u32>, Expr<'p>>,
}

impl<'p> Legendre<'p> {
    fn of(pool: &'p Pool) -> Option<Self> {
        let nodes = pool.legendre.get()?;
        let all = |list: &[Ix]| list.iter().map(|&ix| Expr::new(pool, ix)).collect();
        let function = Expr::new(pool, nodes.function);
        let momenta: Vec<Expr<'p>> = all(&nodes.momenta);
        Some(Self {
            pool,
            slopes: function.gradient(&momenta),
            function,
            momenta,
            others: all(&nodes.others),
            inverse: None,
            known: HashMap::new(),
        })
    }

    fn inverse(&mut self) -> Vec<Vec<Expr<'p>>> {
        if let Some(found) = &self.inverse {
            return found.clone();
        }
        let rows = self.pool.jacobian(&self.slopes, &self.momenta);
        let n = rows.len();
        let mut found = vec![vec![self.pool.zero(); n]; n];
        for block in blocks(&rows) {
            let part = |without: [Option<usize>; 2]| -> Vec<Vec<Expr<'p>>> {
                let kept = |k: usize, without: Option<usize>| Some(k) != without;
                let row = |r: usize| {
                    let columns = block.iter().filter(|&&c| kept(c, without[1]));
                    columns.map(|&c| rows[r][c]).collect()
                };
                let chosen = block.iter().filter(|&&r| kept(r, without[0]));
                chosen.map(|&r| row(r)).collect()
            };
            let whole = determinant(&part([None, None]), self.pool);
            for (k, &i) in block.iter().enumerate() {
                for (l, &j) in block.iter().enumerate() {
                    let value = determinant(&part([Some(j), Some(i)]), self.pool) / whole;
                    found[i][j] = match (k + l) % 2 {
                        0 => value,
                        _ => -value,
                    };
                }
            }
        }
        self.inverse = Some(found.clone());
        found
    }

    /// (a, p)
    fn inputs(&self) -> Vec<Expr<'p>> {
        self.others.iter().chain(&self.momenta).copied().collect()
    }

    /// The program of (∂h/∂p, ∂²h/∂p∂p) from (a, p).
    fn map(&self) -> Option<Program> {
        let mut outputs = self.slopes.clone();
        let rows = self.pool.jacobian(&self.slopes, &self.momenta);
        outputs.extend(rows.into_iter().flatten());
        Program::new(&outputs, &self.inputs()).ok()
    }

    /// The derivative of some orders in (a, u), as a function of (a, p).
    fn derivative(&mut self, orders: &[u32]) -> Expr<'p> {
        if let Some(&found) = self.known.get(orders) {
            return found;
        }
        let (m, n) = (self.others.len(), self.momenta.len());
        let total: u32 = orders.iter().sum();
        let first = orders.iter().rposition(|&o| o > 0);
        let found = match (total, first) {
            (_, None) => {
                let paired = self.momenta.iter().zip(&self.slopes);
                self.pool.sum(paired.map(|(&p, &u)| p * u)) - self.function
            }
            (1, Some(k)) if k >= m => self.momenta[k - m],
            (1, Some(k)) => -self.function.diff(self.others[k]),
            (_, Some(k)) => {
                let mut lower = orders.to_vec();
                lower[k] -= 1;
                let f = self.derivative(&lower);
                let by_p = f.gradient(&self.momenta);
                let inverse = self.inverse();
                // ∂p/∂uᵏ, or ∂p/∂a = −(∂²h/∂p∂p)⁻¹∂²h/∂p∂a.
                let moved: Vec<Expr<'p>> = match k.checked_sub(m) {
                    Some(k) => (0..n).map(|j| inverse[j][k]).collect(),
                    None => {
                        let a = self.others[k];
                        let right: Vec<Expr<'p>> = self.slopes.iter().map(|s| s.diff(a)).collect();
                        let sum =
                            |j: usize| self.pool.sum((0..n).map(|i| -inverse[j][i] * right[i]));
                        (0..n).map(sum).collect()
                    }
                };
                let direct = match k < m {
                    true => f.diff(self.others[k]),
                    false => self.pool.zero(),
                };
                let products = by_p.iter().zip(&moved).map(|(&d, &p)| d * p);
                direct + self.pool.sum(products)
            }
        };
        self.known.insert(orders.to_vec(), found);
        found
    }
}

/// The variables of a symmetric matrix in groups that do not meet.
fn blocks(rows: &[Vec<Expr<'_>>]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut out = Vec::new();
    while let Some(&first) = left.first() {
        let mut block = vec![first];
        left.remove(0);
        let mut k = 0;
        while k < block.len() {
            let row = &rows[block[k]];
            block.extend(left.iter().copied().filter(|&j| !row[j].is_zero()));
            left.retain(|j| row[*j].is_zero());
            k += 1;
        }
        block.sort_unstable();
        out.push(block);
    }
    out
}

fn determinant<'p>(rows: &[Vec<Expr<'p>>], pool: &'p Pool) -> Expr<'p> {
    let n = rows.len();
    if n == 0 {
        return pool.one();
    }
    let term = |c: usize| {
        if rows[0][c].is_zero() {
            return pool.zero();
        }
        let minor: Vec<Vec<Expr<'p>>> = rows[1..]
            .iter()
            .map(|row| (0..n).filter(|&k| k != c).map(|k| row[k]).collect())
            .collect();
        let value = rows[0][c] * determinant(&minor, pool);
        match c % 2 {
            0 => value,
            _ => -value,
        }
    };
    pool.sum((0..n).map(term))
}

impl Pool {
    /// The Legendre transform L(a, u) = p·u − h(a, p) with ∂h/∂p = u, as a function without a closed form: it is
    /// differentiated exactly, claims about it are decided as claims about (a, p), and it has values in doubles. A pool
    /// has one such function; `None` for a second one, for one that couples more than five variables, and where ∂²h/∂p∂p is
    /// singular.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, p, u] = pool.symbols(["x", "p", "u"]);
    /// let h = p.pow(2) / 2 + p.pow(4) / 4 + x.pow(2) * p.cosh();
    /// let l = pool.legendre("L", h, &[p], &[u]).unwrap();
    /// let [mass, force] = [l.diff(u).diff(u), l.diff(x)];
    /// // In (x, p): ∂²L/∂u² = 1/(∂²h/∂p²), ∂L/∂x = −∂h/∂x.
    /// let there = pool.legendre_unfolded(&[mass * h.diff(p).diff(p), force]).unwrap();
    /// assert!(there[0].decide_equal(pool.one()).is_proved());
    /// assert_eq!(there[1], -h.diff(x));
    /// // Newton's method: u = p + p³ at p = 1/2, x = 0.
    /// let momentum = l.diff(u).evaluate_f64(&[(x, 0.0), (u, 0.625)]);
    /// assert!((momentum - 0.5).abs() < 1e-15);
    /// ```
    pub fn legendre<'p>(
        &'p self,
        name: &str,
        function: Expr<'p>,
        momenta: &[Expr<'p>],
        velocities: &[Expr<'p>],
    ) -> Option<Expr<'p>> {
        if momenta.len() != velocities.len() {
            return None;
        }
        let mut others = function.symbols();
        others.retain(|s| !momenta.contains(s));
        let called = self.function(name);
        let nodes = LegendreNodes {
            name: called.name_index(),
            function: function.ix(),
            momenta: self.indices(momenta.iter().copied()),
            others: self.indices(others.iter().copied()),
        };
        let rows = self.jacobian(&function.gradient(momenta), momenta);
        let possible = |block: &Vec<usize>| {
            let row = |&r: &usize| block.iter().map(|&c| rows[r][c]).collect();
            let part: Vec<Vec<Expr<'p>>> = block.iter().map(row).collect();
            block.len() <= MAX_COUPLED_VARIABLES && !determinant(&part, self).is_zero()
        };
        if !blocks(&rows).iter().all(possible) {
            return None;
        }
        self.legendre.set(nodes).ok()?;
        Some(called.at(others.into_iter().chain(velocities.iter().copied())))
    }

    /// Expressions with the Legendre transform of the pool written in (a, p): its derivatives become formulas of them,
    /// and u becomes ∂h/∂p everywhere. Expressions without it are returned as they are, all of them. `None` where it occurs at
    /// different arguments, or at velocities that are no symbols.
    pub fn legendre_unfolded<'p>(&'p self, exprs: &[Expr<'p>]) -> Option<Vec<Expr<'p>>> {
        let Some(nodes) = self.legendre.get() else {
            return Some(exprs.to_vec());
        };
        let roots = self.indices(exprs.iter().copied());
        let plan = Plan::new(self, &roots);
        let is_ours = |ix: Ix| {
            let node = self.node(ix);
            node.tag == Tag::Undetermined && self.word(&node, 0).child == nodes.name
        };
        let mut arguments: Option<Vec<Ix>> = None;
        for &ix in plan.nodes().iter().filter(|&&ix| is_ours(ix)) {
            let own: Vec<Ix> = (self.words(&self.node(ix)).skip(1))
                .map(|w| w.child)
                .collect();
            match &arguments {
                Some(known) if *known != own => return None,
                Some(_) => {}
                None => arguments = Some(own),
            }
        }
        let Some(arguments) = arguments else {
            return Some(exprs.to_vec());
        };
        let mut legendre = Legendre::of(self)?;
        let (a, u) = arguments.split_at(nodes.others.len());
        let distinct = (0..u.len()).all(|i| !u[..i].contains(&u[i]));
        if !distinct || u.iter().any(|&ix| self.node(ix).tag != Tag::Symbol) {
            return None;
        }
        let velocities: Vec<Expr<'p>> = u.iter().map(|&ix| Expr::new(self, ix)).collect();
        let others = (nodes.others.iter().zip(a)).map(|(&s, &a)| (Expr::new(self, s), a));
        let others: Vec<(Expr<'p>, Expr<'p>)> =
            others.map(|(s, a)| (s, Expr::new(self, a))).collect();
        if others.iter().any(|(_, a)| a.contains_any(&velocities)) {
            return None;
        }
        let slopes = self.substitute_all(&legendre.slopes, &others);
        let mut values: Vec<Ix> = Vec::with_capacity(plan.len());
        for &ix in plan.nodes() {
            let node = self.node(ix);
            let value = if let Some(k) = u.iter().position(|&s| s == ix) {
                slopes[k].ix()
            } else if is_ours(ix) {
                let words: Vec<Word> = self.words(&node).skip(1).collect();
                let orders: Vec<u32> = words.iter().map(|w| w.attr).collect();
                legendre.derivative(&orders).substitute(&others).ix()
            } else {
                let image = |old: Ix| values[plan.position(old)];
                rebuild(&mut self.builder(), ix, &node, image)
            };
            values.push(value);
        }
        let image = |root: &Ix| Expr::new(self, values[plan.position(*root)]);
        Some(roots.iter().map(image).collect())
    }
}

impl Pool {
    /// The momenta p with ∂h/∂p = u that Newton's method finds from many starts, each once, for the Legendre transform of the pool at values
    /// of the symbols a: more than one where the Legendre map is seen not to be one to one. Empty without a transform.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [p, u] = pool.symbols(["p", "u"]);
    /// pool.legendre("L", p.pow(4) / 4 - p.pow(2) / 2, &[p], &[u]).unwrap();
    /// assert_eq!(pool.legendre_roots(&[], &[0.1]).len(), 3);
    /// assert_eq!(pool.legendre_roots(&[], &[5.0]).len(), 1);
    /// ```
    pub fn legendre_roots(&self, values: &[(Expr<'_>, f64)], velocities: &[f64]) -> Vec<Vec<f64>> {
        let Some(legendre) = Legendre::of(self) else {
            return vec![];
        };
        let Some(map) = legendre.map() else {
            return vec![];
        };
        let value = |s: &Expr<'_>| values.iter().find(|v| v.0 == *s).map(|v| v.1);
        let Some(a) = legendre
            .others
            .iter()
            .map(value)
            .collect::<Option<Vec<f64>>>()
        else {
            return vec![];
        };
        let mut found: Vec<Vec<f64>> = Vec::new();
        for start in starts(velocities)
            .into_iter()
            .chain(corners(velocities.len()))
        {
            let Some(p) = newton(&map, &a, velocities, start) else {
                continue;
            };
            let size = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let near = |q: &Vec<f64>| {
                let apart = p
                    .iter()
                    .zip(q)
                    .fold(0.0_f64, |m, (p, q)| m.max((p - q).abs()));
                apart <= SAME_ROOT * size.max(f64::MIN_POSITIVE) || apart <= SAME_ROOT * SAME_ROOT
            };
            if !found.iter().any(near) {
                found.push(p);
            }
        }
        found
    }

    /// An expression as it is written down: in (a, p), if it contains the Legendre transform and can be.
    pub(crate) fn legendre_written<'p>(&'p self, e: Expr<'p>) -> Expr<'p> {
        match self.legendre_unfolded(&[e]).as_deref() {
            Some([moved]) => *moved,
            _ => e,
        }
    }
}

impl<'p> UndeterminedFunction<'p> {
    /// h, if the function is the Legendre transform of its pool: it has values where h has.
    pub fn legendre_of(self) -> Option<Expr<'p>> {
        let nodes = self.pool().legendre.get()?;
        (nodes.name == self.name_index()).then(|| Expr::new(self.pool(), nodes.function))
    }
}

/// The name of a function as it is written: without what tells a Legendre transform from functions of the same name.
pub(crate) fn shown(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}

/// A derivative of the transform in doubles.
pub(crate) struct LegendreProgram {
    /// (∂h/∂p, ∂²h/∂p∂p) from (a, p).
    map: Program,
    /// The derivative from (a, p).
    value: Program,
    others: usize,
    momenta: usize,
}

impl LegendreProgram {
    /// The derivative of some orders of a function; `None` if the function is no Legendre transform.
    pub(crate) fn new(pool: &Pool, name: Ix, orders: &[u32]) -> Option<Self> {
        if pool.legendre.get()?.name != name {
            return None;
        }
        let mut legendre = Legendre::of(pool)?;
        let value = legendre.derivative(orders);
        Some(Self {
            map: legendre.map()?,
            value: Program::new(&[value], &legendre.inputs()).ok()?,
            others: legendre.others.len(),
            momenta: legendre.momenta.len(),
        })
    }

    /// The value at (a, u); `None` where no p was found.
    pub(crate) fn at(&self, arguments: &[f64]) -> Option<f64> {
        let (a, u) = arguments.split_at(self.others);
        let p = starts(u)
            .into_iter()
            .find_map(|start| newton(&self.map, a, u, start))?;
        let inputs = [a, &p].concat();
        let value = *self.value.f64(&inputs).first()?;
        value.is_finite().then_some(value)
    }

    /// The number of arguments (a, u).
    pub(crate) fn arguments(&self) -> usize {
        self.others + self.momenta
    }
}

/// Starts of Newton's method for velocities, in the order in which they are tried.
fn starts(u: &[f64]) -> Vec<Vec<f64>> {
    let scaled = |s: f64| -> Vec<f64> { u.iter().map(|u| s * u).collect() };
    let flat = |s: f64| vec![s; u.len()];
    vec![
        flat(0.0),
        scaled(1.0),
        flat(1.0),
        flat(-1.0),
        scaled(0.01),
        scaled(100.0),
        flat(0.01),
        flat(-0.01),
    ]
}

/// Starts of several sizes in all combinations of signs.
fn corners(n: usize) -> Vec<Vec<f64>> {
    let signed = n.min(MAX_SIGNED_STARTS);
    let corner = |size: f64, bits: usize| -> Vec<f64> {
        let sign = |i: usize| if (bits >> i) & 1 == 1 { -size } else { size };
        (0..n).map(sign).collect()
    };
    let sizes = [0.3, 1.0, 3.0, 10.0];
    let all = |size: f64| (0..1 << signed).map(move |bits| (size, bits));
    let pairs = sizes.into_iter().flat_map(all);
    pairs.map(|(size, bits)| corner(size, bits)).collect()
}

/// p with ∂h/∂p = u by Newton's method with halved steps from a start; only converged values are returned.
fn newton(map: &Program, a: &[f64], u: &[f64], mut p: Vec<f64>) -> Option<Vec<f64>> {
    let n = u.len();
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let at = |p: &[f64]| {
        let values = map.f64(&[a, p].concat());
        let sound = values.iter().all(|v| v.is_finite());
        sound.then(|| {
            let r: Vec<f64> = (0..n).map(|i| u[i] - values[i]).collect();
            (r, values)
        })
    };
    let (mut r, mut values) = at(&p)?;
    for _ in 0..MAX_NEWTON_STEPS {
        // Rounding of the Jacobian times p bounds what can be reached.
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| values[n + i * n..n + (i + 1) * n].to_vec())
            .collect();
        let scale = size(u).max(size(&values[..n]));
        let Some(step) = linear_solve(rows, r.clone()) else {
            return (size(&r) <= RESIDUAL * scale).then_some(p);
        };
        let small = size(&step) <= 4.0 * f64::EPSILON * size(&p);
        if size(&r) == 0.0 || small && size(&r) <= 1e-9 * scale.max(f64::MIN_POSITIVE) {
            return Some(p);
        }
        let mut part = 1.0;
        loop {
            let next: Vec<f64> = p.iter().zip(&step).map(|(p, s)| p + part * s).collect();
            if let Some((there, new)) = at(&next)
                && size(&there) < size(&r)
            {
                (p, r, values) = (next, there, new);
                break;
            }
            part /= 2.0;
            if part < SMALLEST_PART {
                return (size(&r) <= RESIDUAL * scale).then_some(p);
            }
        }
    }
    None
}

/// A small linear system by elimination with pivots.
fn linear_solve(mut m: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))?;
        if m[pivot][k] == 0.0 {
            return None;
        }
        m.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = m[i][k] / m[k][k];
            for j in k..n {
                let own = m[k][j];
                m[i][j] -= f * own;
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| m[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / m[k][k];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}
