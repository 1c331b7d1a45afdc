//! Expressions as polynomials in chosen symbols, with all else in the coefficients.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use crate::build::Builder;
use crate::expr::Expr;
use crate::node::{Ix, ONE, Tag, ZERO};
use crate::plan::Plan;

/// The coefficients of a polynomial in some symbols.
///
/// The keys are exponents, one for each symbol in the order they were asked for; coefficients
/// do not contain the symbols and are never the number zero (they may vanish identically all
/// the same, which `decide` can find out).
///
/// ```
/// use galilei_expr::{Pool, Rational};
/// let pool = Pool::new();
/// let [m, u, v, x] = pool.symbols(["m", "u", "v", "x"]);
/// let lagrangian = Rational::new(1, 2) * m * (u + x.sin() * v).pow(2) - x.pow(2);
/// let p = lagrangian.polynomial(&[u, v], 2).unwrap();
/// assert_eq!(p.degree(), 2);
/// assert_eq!(p.coefficient(&[1, 1]), m * x.sin());
/// assert_eq!(p.coefficient(&[0, 0]), -x.pow(2));
/// ```
#[derive(Clone, Debug)]
pub struct Polynomial<'p> {
    zero: Expr<'p>,
    terms: BTreeMap<Vec<u32>, Expr<'p>>,
}

/// The reason why an expression is not a polynomial of the requested degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotPolynomial<'p> {
    /// This part depends on the symbols in another way than polynomially.
    Part(Expr<'p>),
    /// The degree is larger than requested.
    Degree(u32),
    /// There are more than a million coefficients.
    TooManyTerms,
}

impl fmt::Display for NotPolynomial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(e) => write!(f, "{e} is not a polynomial in these symbols"),
            Self::Degree(d) => write!(f, "the degree is larger than {d}"),
            Self::TooManyTerms => write!(f, "more than a million coefficients"),
        }
    }
}
impl std::error::Error for NotPolynomial<'_> {}

impl<'p> Polynomial<'p> {
    /// The exponents and coefficients, in lexicographic order.
    pub fn terms(&self) -> impl Iterator<Item = (&[u32], Expr<'p>)> {
        self.terms.iter().map(|(k, &v)| (k.as_slice(), v))
    }

    /// The coefficient of a monomial; zero if it does not occur.
    pub fn coefficient(&self, exponents: &[u32]) -> Expr<'p> {
        self.terms.get(exponents).copied().unwrap_or(self.zero)
    }

    /// The largest sum of exponents of a term; 0 for the zero polynomial.
    pub fn degree(&self) -> u32 {
        self.terms.keys().map(|k| k.iter().sum()).max().unwrap_or(0)
    }
}

const MAX_TERMS: usize = 1_000_000;
type Terms = BTreeMap<Vec<u32>, Ix>;

impl<'p> Expr<'p> {
    /// An upper bound of the degree in `symbols` together, read off the form of the expression; `None` if it is not
    /// written as a polynomial in them. Nothing is multiplied out, so that the work is linear in the size of the graph.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [u, v, x] = pool.symbols(["u", "v", "x"]);
    /// assert_eq!((x.sin() * (u + v).pow(2) - x.exp()).degree_bound(&[u, v]), Some(2));
    /// assert_eq!((u * v * v + x).degree_bound(&[u, v]), Some(3));
    /// assert_eq!((u + v.sin()).degree_bound(&[u, v]), None);
    /// ```
    pub fn degree_bound(self, symbols: &[Expr<'p>]) -> Option<u32> {
        let pool = self.pool();
        let symbols: HashSet<Ix> = symbols.iter().map(|&s| self.same_pool(s)).collect();
        let mask = symbols.iter().fold(0, |m, &s| m | pool.node(s).mask());
        let plan = Plan::filtered(pool, &[self.ix()], mask);
        let mut bounds: Vec<Option<u32>> = Vec::with_capacity(plan.len());
        for &ix in plan.nodes() {
            let node = pool.node(ix);
            let inner = |child: Ix| plan.find(child).map_or(Some(0), |p| bounds[p]);
            let bound = match node.tag {
                Tag::Symbol => Some(u32::from(symbols.contains(&ix))),
                Tag::Sum => pool
                    .words(&node)
                    .try_fold(0, |most: u32, w| Some(most.max(inner(w.child)?))),
                Tag::Product => pool.words(&node).try_fold(0u32, |sum, w| {
                    let factor = match inner(w.child)? {
                        0 => 0,
                        d => {
                            let exponent = pool.rational(w.attr).to_i64()?;
                            d.checked_mul(u32::try_from(exponent).ok()?)?
                        }
                    };
                    sum.checked_add(factor)
                }),
                // A function of something without the symbols: masks may coincide.
                _ => (pool.words(&node).all(|w| inner(w.child) == Some(0))).then_some(0),
            };
            bounds.push(bound);
        }
        plan.find(self.ix()).map_or(Some(0), |p| bounds[p])
    }

    /// The coefficients of the expression as a polynomial in `symbols` of at most the given
    /// degree. Only parts that contain the symbols are multiplied out.
    pub fn polynomial(
        self,
        symbols: &[Expr<'p>],
        max_degree: u32,
    ) -> Result<Polynomial<'p>, NotPolynomial<'p>> {
        let pool = self.pool();
        let symbols: Vec<Ix> = symbols.iter().map(|&s| self.same_pool(s)).collect();
        let mask = symbols.iter().fold(0, |m, &s| m | pool.node(s).mask());
        let plan = Plan::filtered(pool, &[self.ix()], mask);
        // Polynomials of the nodes that may contain the symbols, dropped after their last use.
        let mut uses = vec![0u32; plan.len()];
        for &ix in plan.nodes() {
            for w in pool.words(&pool.node(ix)) {
                if let Some(p) = plan.find(w.child) {
                    uses[p] += 1;
                }
            }
        }
        let mut values: Vec<Option<Terms>> = vec![None; plan.len()];
        let mut b = pool.builder();
        let constant = |ix: Ix| Terms::from([(vec![0; symbols.len()], ix)]);
        for (k, &ix) in plan.nodes().iter().enumerate() {
            let node = pool.node(ix);
            let inner = |child: Ix, values: &[Option<Terms>]| match plan.find(child) {
                Some(p) => values[p].clone().unwrap_or_default(),
                None if child == ZERO => Terms::new(),
                None => constant(child),
            };
            let value = match node.tag {
                Tag::Symbol => match symbols.iter().position(|&s| s == ix) {
                    Some(s) => {
                        let mut exponents = vec![0; symbols.len()];
                        exponents[s] = 1;
                        Terms::from([(exponents, ONE)])
                    }
                    None => constant(ix),
                },
                Tag::Sum => {
                    let mut parts: BTreeMap<Vec<u32>, Vec<(Ix, Ix)>> = BTreeMap::new();
                    for w in pool.words(&node) {
                        for (e, c) in inner(w.child, &values) {
                            parts.entry(e).or_default().push((w.attr, c));
                        }
                    }
                    let mut terms = Terms::new();
                    for (e, p) in parts {
                        let c = b.sum(p);
                        if c != ZERO {
                            terms.insert(e, c);
                        }
                    }
                    terms
                }
                Tag::Product => {
                    let mut product = constant(ONE);
                    for w in pool.words(&node) {
                        let base = inner(w.child, &values);
                        let q = pool.rational(w.attr);
                        let factor = match q.to_i64().map(u32::try_from) {
                            Some(Ok(n)) => power(&mut b, &base, n, max_degree)?,
                            _ => match is_constant(&base) {
                                Some(c) => constant(b.pow(c, w.attr)),
                                None => return Err(NotPolynomial::Part(Expr::new(pool, ix))),
                            },
                        };
                        product = multiply(&mut b, &product, &factor, max_degree)?;
                    }
                    product
                }
                _ => {
                    // Constant after all, if every operand is: masks may have been too wide.
                    let mut images = Vec::new();
                    for w in pool.words(&node) {
                        match plan.find(w.child).map(|p| values[p].as_ref()) {
                            Some(Some(t)) => match is_constant(t) {
                                Some(c) => images.push((w.child, c)),
                                None => return Err(NotPolynomial::Part(Expr::new(pool, ix))),
                            },
                            _ => images.push((w.child, w.child)),
                        }
                    }
                    constant(crate::substitute::rebuild(&mut b, ix, &node, |old| {
                        images.iter().find(|p| p.0 == old).map_or(old, |p| p.1)
                    }))
                }
            };
            values[k] = Some(value);
            for w in pool.words(&node) {
                if let Some(p) = plan.find(w.child) {
                    uses[p] -= 1;
                    if uses[p] == 0 {
                        values[p] = None;
                    }
                }
            }
        }
        drop(b);
        let terms = match plan.find(self.ix()) {
            Some(p) => values[p].take().unwrap_or_default(),
            None if self.is_zero() => Terms::new(),
            None => constant(self.ix()),
        };
        Ok(Polynomial {
            zero: pool.zero(),
            terms: terms
                .into_iter()
                .map(|(e, c)| (e, Expr::new(pool, c)))
                .collect(),
        })
    }
}

/// The coefficient of the only term, if that is a constant.
fn is_constant(terms: &Terms) -> Option<Ix> {
    match terms.len() {
        0 => Some(ZERO),
        1 => terms
            .iter()
            .next()
            .filter(|(e, _)| e.iter().all(|&k| k == 0))
            .map(|(_, &c)| c),
        _ => None,
    }
}

fn multiply<'p>(
    b: &mut Builder<'p>,
    left: &Terms,
    right: &Terms,
    max_degree: u32,
) -> Result<Terms, NotPolynomial<'p>> {
    if left.len().saturating_mul(right.len()) > MAX_TERMS {
        return Err(NotPolynomial::TooManyTerms);
    }
    let mut parts: BTreeMap<Vec<u32>, Vec<(Ix, Ix)>> = BTreeMap::new();
    for (e, &c) in left {
        for (f, &d) in right {
            let exponents: Vec<u32> = e.iter().zip(f).map(|(a, b)| a.saturating_add(*b)).collect();
            if exponents.iter().fold(0u32, |s, &k| s.saturating_add(k)) > max_degree {
                return Err(NotPolynomial::Degree(max_degree));
            }
            let product = b.mul(c, d);
            parts.entry(exponents).or_default().push((ONE, product));
        }
    }
    let mut terms = Terms::new();
    for (e, p) in parts {
        let c = b.sum(p);
        if c != ZERO {
            terms.insert(e, c);
        }
    }
    Ok(terms)
}

fn power<'p>(
    b: &mut Builder<'p>,
    base: &Terms,
    n: u32,
    max_degree: u32,
) -> Result<Terms, NotPolynomial<'p>> {
    if let Some(c) = is_constant(base) {
        let q = b.int(n.into());
        let constant = b.pow(c, q);
        let exponents = base.keys().next().cloned().unwrap_or_default();
        return Ok(Terms::from([(exponents, constant)]));
    }
    if n > max_degree {
        return Err(NotPolynomial::Degree(max_degree));
    }
    let mut result = base.clone();
    for _ in 1..n {
        result = multiply(b, &result, base, max_degree)?;
    }
    Ok(result)
}
