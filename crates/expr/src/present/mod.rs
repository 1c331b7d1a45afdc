//! The form a person wants to read.
//!
//! Nothing here is on the way to numbers: it runs when something is printed. An expression is
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

/// What a reader wants, and how much work it is worth.
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

/// Expressions with more nodes are left as they are.
const MOST_NODES: usize = 3_000;
/// Deeper ones too.
const DEEPEST: usize = 60;
/// Products of terms before an attempt is given up: some tenths of a second.
const STEPS: usize = 200_000;
/// Of longer sums only the variant with fewest terms is written in all ways.
const COMPARED: usize = 24;
/// What is collected as asked may be longer than another form: it counts so many per cent.
const PREFERRED: usize = 80;

impl<'p> Reading<'p> {
    /// Nothing special, and a moderate budget.
    pub fn new() -> Self {
        Self {
            collect: Vec::new(),
            assumptions: Assumptions::new(),
            steps: STEPS,
        }
    }

    /// Terms are collected by powers of these, accelerations or velocities for instance.
    #[must_use]
    pub fn collecting(mut self, symbols: impl IntoIterator<Item = Expr<'p>>) -> Self {
        self.collect.extend(symbols);
        self
    }

    /// Equality counts where these hold.
    #[must_use]
    pub fn assuming(mut self, assumptions: &Assumptions<'p>) -> Self {
        self.assumptions = assumptions.clone();
        self
    }

    /// How many products of terms may be formed.
    #[must_use]
    pub fn within(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }
}

/// Symbols and numbers in the tree: of two texts of one length the one with fewer is read faster.
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
    /// How many symbols and numbers the expression has when it is written out, each as often as it occurs: what
    /// printing it costs.
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
        // What (√a)² = a makes cancel.
        let proved = |e: Self| {
            let query = Query::equal(self, e).assuming(&reading.assumptions);
            query.decide().is_proved()
        };
        let forms = [whole.shortened(reading), whole, found];
        let proved = forms.into_iter().find(|&e| e == found || proved(e));
        proved.unwrap_or(found)
    }

    /// The same without a look at powers of roots.
    fn shortened(self, reading: &Reading<'p>) -> Self {
        if self.is_undefined() || self.node_count() > MOST_NODES || self.depth() > DEEPEST {
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
                true => PREFERRED,
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

    /// The expression multiplied out with sin² + cos² = 1 used wherever that leaves fewer terms, if it
    /// has fewer nodes then; else the expression itself. Nothing but polynomial algebra is done, so it takes
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
        if self.is_undefined() || self.node_count() > MOST_NODES || self.depth() > DEEPEST {
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

    /// The number of nodes on the longest way down.
    fn depth(self) -> usize {
        Plan::new(self.pool(), &[self.ix()]).depth(self.pool())
    }
}

/// Forms of an expression, each with whether it is collected as asked.
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
        if top.len() > COMPARED {
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
