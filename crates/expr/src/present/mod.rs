//! Short forms of expressions for people to read.
//!
//! This code is not used for numbers: it runs when something is printed. An expression is
//! read as a polynomial over ℚ in its symbols, functions, roots and denominators; circular
//! identities, common denominators and common factors give a handful of candidates; the shortest
//! that `decide` proves equal to the expression is the answer, which may be the expression itself.

mod atoms;
mod factor;
mod group;
mod poly;
mod roots;
mod trig;

use crate::decide::{Assumptions, Query};
use crate::expr::Expr;
use crate::plan::Plan;
use atoms::Atoms;
use poly::{Monomial, Poly};

pub use factor::Factors;

/// The form that is wanted, and the budget of work for finding it.
///
/// ```
/// use galilei_expr::{Pool, Reading};
/// let pool = Pool::new();
/// let [x, y, a] = pool.symbols(["x", "y", "a"]);
/// let e = a * x.sin().pow(2) + a * x.cos().pow(2) + x.sin() * y.cos() - x.cos() * y.sin();
/// assert_eq!(e.present(&Reading::new()), a + (x - y).sin());
/// ```
#[derive(Clone, Debug)]
pub struct Reading<'p> {
    collect: Vec<Expr<'p>>,
    assumptions: Assumptions<'p>,
    steps: usize,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// Number of nodes up to which expressions are shortened.
const MAX_NODES: usize = 3_000;
/// Depth up to which expressions are shortened.
const MAX_DEPTH: usize = 60;
/// Default budget, in products of terms: some tenths of a second.
const DEFAULT_STEPS: usize = 200_000;
/// Number of terms up to which all variants of a sum are written; of a longer sum only the variant with the
/// fewest terms is.
const MAX_TERMS_COMPARED: usize = 24;
/// Percentage of its length that a form counts if it is collected as requested: it may be longer than others.
const COLLECTED_LENGTH_PERCENT: usize = 80;

impl<'p> Reading<'p> {
    /// No preferences, no assumptions, and a moderate budget.
    pub fn new() -> Self {
        Self {
            collect: Vec::new(),
            assumptions: Assumptions::new(),
            steps: DEFAULT_STEPS,
        }
    }

    /// Collects terms by powers of these symbols, for instance accelerations or velocities.
    #[must_use]
    pub fn collecting(mut self, symbols: impl IntoIterator<Item = Expr<'p>>) -> Self {
        self.collect.extend(symbols);
        self
    }

    /// Requires equality only where these assumptions hold.
    #[must_use]
    pub fn assuming(mut self, assumptions: &Assumptions<'p>) -> Self {
        self.assumptions = assumptions.clone();
        self
    }

    /// Sets the budget: the number of products of terms that may be formed.
    #[must_use]
    pub fn within(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }
}

/// The number of symbols and numbers in the tree: of two texts of equal length the one with fewer is easier to read.
fn leaves(e: Expr<'_>) -> u64 {
    let pool = e.pool();
    let plan = Plan::new(pool, &[e.ix()]);
    let mut count = vec![0u64; plan.len()];
    for (k, &ix) in plan.nodes().iter().enumerate() {
        let node = pool.node(ix);
        let below = pool.words(&node).map(|w| count[plan.position(w.child)]);
        count[k] = below.fold(0, u64::saturating_add).max(1);
    }
    count[plan.position(e.ix())]
}

impl<'p> Expr<'p> {
    /// The number of symbols and numbers in the expression when it is written out, each as often as it occurs:
    /// the cost of printing it.
    pub fn written_size(self) -> u64 {
        leaves(self)
    }

    /// An equal expression that is shorter to read, if one is found within the budget; else the
    /// expression itself. The answer is proved equal wherever both are defined.
    ///
    /// It depends on the expression and the budget alone, not on the clock.
    pub fn present(self, reading: &Reading<'p>) -> Self {
        let found = self.shortened(reading);
        let whole = found.without_powers_of_roots();
        if whole == found {
            return found;
        }
        // Cancel with (√a)² = a.
        let proved = |e: Self| {
            let query = Query::equal(self, e).assuming(&reading.assumptions);
            query.decide().is_proved()
        };
        let forms = [whole.shortened(reading), whole, found];
        let proved = forms.into_iter().find(|&e| e == found || proved(e));
        proved.unwrap_or(found)
    }

    /// [`Expr::present`] without the rules for powers of roots.
    fn shortened(self, reading: &Reading<'p>) -> Self {
        if self.is_undefined() || self.node_count() > MAX_NODES || self.depth() > MAX_DEPTH {
            return self;
        }
        let mut atoms = Atoms::new(self.pool(), &reading.assumptions, reading.steps);
        if atoms.read(self).is_none() {
            return self;
        }
        // Arguments first, each proved by itself: one that cannot be does not spoil the rest.
        let inner = self.substitute(&atoms.presented);
        let Some(candidates) = candidates(&mut atoms, inner, &reading.collect) else {
            return self;
        };
        let mut list = vec![(atoms.length(self) * 100, leaves(self), self)];
        for (collected, e) in candidates {
            let scale = match collected && !reading.collect.is_empty() {
                true => COLLECTED_LENGTH_PERCENT,
                false => 100,
            };
            if !list.iter().any(|c| c.2 == e) {
                list.push((atoms.length(e) * scale, leaves(e), e));
            }
        }
        list.sort_by_key(|c| (c.0, c.1));
        // Nearly always the first is proved; a few failures mean that none will be.
        for (_, _, e) in list.into_iter().take(4) {
            let query = Query::equal(self, e).assuming(&reading.assumptions);
            if e == self || query.decide().is_proved() {
                return e;
            }
        }
        self
    }

    /// The expression multiplied out, with sin² + cos² = 1 used wherever that leaves fewer terms, if the result
    /// has fewer nodes; otherwise the expression itself. Only polynomial algebra is used, so it takes
    /// a small part of the time of [`Expr::present`].
    ///
    /// ```
    /// use galilei_expr::{Pool, Reading};
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let e = y * x.sin().pow(2) + y * x.cos().pow(2);
    /// assert_eq!(e.without_circles(&Reading::new()), y);
    /// ```
    pub fn without_circles(self, reading: &Reading<'p>) -> Self {
        if self.is_undefined() || self.node_count() > MAX_NODES || self.depth() > MAX_DEPTH {
            return self;
        }
        let mut atoms = Atoms::new(self.pool(), &reading.assumptions, reading.steps);
        let Some(q) = atoms.read(self).and_then(|p| atoms.reduced(&p)) else {
            return self;
        };
        let collect = reading.collect.iter();
        let wanted: Vec<u32> = collect
            .map(|&s| atoms.atom(s, atoms::Kind::Plain))
            .collect();
        let forms = [atoms.group(&q, &wanted, false), atoms.flat(&q), self];
        let shortest = forms.into_iter().min_by_key(|e| e.node_count());
        shortest.unwrap_or(self)
    }

    /// The number of nodes on the longest path down.
    fn depth(self) -> usize {
        Plan::new(self.pool(), &[self.ix()]).depth(self.pool())
    }
}

/// Candidate forms of an expression, each with whether it is collected as requested.
fn candidates<'p>(
    atoms: &mut Atoms<'p>,
    e: Expr<'p>,
    collect: &[Expr<'p>],
) -> Option<Vec<(bool, Expr<'p>)>> {
    let p = atoms.read(e)?;
    let wanted: Vec<u32> = collect
        .iter()
        .map(|&s| atoms.atom(s, atoms::Kind::Plain))
        .collect();
    let mut out = vec![(false, e)];
    let mut parts: Vec<(Poly, Monomial)> = vec![(p.clone(), Monomial::new())];
    if let Some((top, below)) = atoms.together(&p)
        && !below.is_empty()
    {
        // Cancelled in the normal form of the denominators.
        if let Some(normal) = atoms.circular(&top) {
            parts.push(atoms.cancelled(&normal, &below));
        }
        parts.push(atoms.cancelled(&top, &below));
    }
    for (top, below) in parts {
        let mut below_forms = vec![atoms.flat(&Poly::monomial(below.clone()))];
        below_forms.extend(atoms.multiplied(&below));
        let mut variants = atoms.variants(&top);
        if top.len() > MAX_TERMS_COMPARED {
            variants.sort_by_key(Poly::len);
            variants.truncate(1);
        }
        let splits = match variants.iter().min_by_key(|q| q.len()).cloned() {
            Some(least) => atoms.splits(&least),
            None => Vec::new(),
        };
        let mut above = Vec::new();
        for q in &variants {
            if !wanted.is_empty() {
                above.push((true, atoms.group(q, &wanted, false)));
            }
            above.push((wanted.is_empty(), atoms.group(q, &[], false)));
            above.push((false, atoms.flat(q)));
        }
        above.extend(splits.into_iter().map(|e| (wanted.is_empty(), e)));
        for below in below_forms {
            out.extend(above.iter().map(|&(asked, e)| (asked, e * below)));
        }
    }
    Some(out)
}
