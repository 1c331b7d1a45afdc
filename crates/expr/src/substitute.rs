//! Substitution: simultaneous, visiting each node once.

use crate::build::Builder;
use crate::expr::{Expr, UndeterminedFunction};
use crate::function::Function;
use crate::node::{Comparison, Ix, Node, ONE, Tag, Word};
use crate::plan::Plan;
use crate::pool::Pool;

impl<'p> Expr<'p> {
    /// Replaces parts of the expression, all at the same time.
    ///
    /// The replaced part is usually a symbol, but may be any expression: it is replaced where it
    /// occurs as a node, f(x, y) or x′ for instance. Replacements are not searched again, so
    /// exchanging x and y works.
    pub fn substitute(self, pairs: &[(Expr<'p>, Expr<'p>)]) -> Self {
        self.pool().substitute_all(&[self], pairs)[0]
    }

    /// Replaces an undetermined function by a given one: f(a, b) becomes `body` with the
    /// parameters at a, b, and derivatives of f the derivatives of `body`.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, r] = pool.symbols(["x", "r"]);
    /// let v = pool.function("V");
    /// let force = -v.at([x.sin()]).diff(x);
    /// assert_eq!(force.substitute_function(v, &[r], r.pow(2)), -2 * x.sin() * x.cos());
    /// ```
    ///
    /// # Panics
    /// If the function occurs with another number of arguments than there are parameters.
    pub fn substitute_function(
        self,
        function: UndeterminedFunction<'p>,
        parameters: &[Expr<'p>],
        body: Expr<'p>,
    ) -> Self {
        let pool = self.pool();
        pool.indices(parameters.iter().copied().chain([body]));
        self.same_pool(function.at([]));
        let plan = Plan::new(pool, &[self.ix()]);
        let mut values: Vec<Ix> = Vec::with_capacity(plan.len());
        for &ix in plan.nodes() {
            let node = pool.node(ix);
            let image = |old: Ix| values[plan.position(old)];
            let ours =
                node.tag == Tag::Undetermined && pool.word(&node, 0).child == function.name_index();
            let value = if ours {
                let words: Vec<Word> = pool.words(&node).skip(1).collect();
                assert_eq!(
                    words.len(),
                    parameters.len(),
                    "arguments of {}",
                    function.name()
                );
                let mut derivative = body;
                for (w, &p) in words.iter().zip(parameters) {
                    for _ in 0..w.attr {
                        derivative = derivative.diff(p);
                    }
                }
                let pairs: Vec<_> = words
                    .iter()
                    .zip(parameters)
                    .map(|(w, &p)| (p, Expr::new(pool, image(w.child))))
                    .collect();
                derivative.substitute(&pairs).ix()
            } else {
                rebuild(&mut pool.builder(), ix, &node, image)
            };
            values.push(value);
        }
        Expr::new(pool, values[plan.position(self.ix())])
    }
}

impl Pool {
    /// The symbols that occur in exponents: those of n in exp(n·log a), which is how aⁿ is stored. If their values are
    /// substituted first, powers may be defined for negative a.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, n] = pool.symbols(["x", "n"]);
    /// let power = x.pow(n);
    /// assert_eq!(pool.exponents(&[power]), [n]);
    /// assert_eq!(power.substitute(&[(n, pool.number(2))]), x.pow(2));
    /// ```
    pub fn exponents<'p>(&'p self, exprs: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let plan = Plan::new(self, &self.indices(exprs.iter().copied()));
        let mut found: Vec<Ix> = Vec::new();
        for &ix in plan.nodes() {
            let node = self.node(ix);
            if node.tag != Tag::Call(Function::Exp) {
                continue;
            }
            let argument = self.word(&node, 0).child;
            let inner = self.node(argument);
            let terms: Vec<Ix> = match inner.tag {
                Tag::Sum => self.words(&inner).map(|w| w.child).collect(),
                _ => vec![argument],
            };
            for term in terms {
                let term = self.node(term);
                if term.tag != Tag::Product {
                    continue;
                }
                let factors: Vec<Ix> = self.words(&term).map(|w| w.child).collect();
                let is_log = |&&f: &&Ix| self.node(f).tag == Tag::Call(Function::Log);
                if factors.iter().any(|f| is_log(&f)) {
                    found.extend(factors.iter().filter(|f| !is_log(f)));
                }
            }
        }
        let below = Plan::new(self, &found);
        let symbols = below.nodes().iter();
        let symbols = symbols.filter(|&&ix| self.node(ix).tag == Tag::Symbol);
        symbols.map(|&ix| Expr::new(self, ix)).collect()
    }

    /// Substitutes in several expressions at once, sharing the work.
    pub fn substitute_all<'p>(
        &'p self,
        exprs: &[Expr<'p>],
        pairs: &[(Expr<'p>, Expr<'p>)],
    ) -> Vec<Expr<'p>> {
        let roots = self.indices(exprs.iter().copied());
        let from = self.indices(pairs.iter().map(|p| p.0));
        let to = self.indices(pairs.iter().map(|p| p.1));
        let plan = Plan::new(self, &roots);
        let mut fixed: Vec<Option<Ix>> = vec![None; plan.len()];
        for (f, t) in from.iter().zip(&to) {
            if let Some(p) = plan.find(*f) {
                // The first pair wins, as in a table one reads from the top.
                fixed[p].get_or_insert(*t);
            }
        }
        let mut b = self.builder();
        let mut values: Vec<Ix> = Vec::with_capacity(plan.len());
        for (k, &ix) in plan.nodes().iter().enumerate() {
            let value = match fixed[k] {
                Some(to) => to,
                None => {
                    let node = self.node(ix);
                    let image = |old: Ix| values[plan.position(old)];
                    match known_exponent(&mut b, &node, image) {
                        Some(power) => power,
                        None => rebuild(&mut b, ix, &node, image),
                    }
                }
            };
            values.push(value);
        }
        drop(b);
        roots
            .iter()
            .map(|&r| Expr::new(self, values[plan.position(r)]))
            .collect()
    }
}

/// aᵠ for exp(n·log a) where n becomes the number q: xⁿ with n = 2 is x², also for negative x.
fn known_exponent(b: &mut Builder<'_>, node: &Node, image: impl Fn(Ix) -> Ix) -> Option<Ix> {
    if node.tag != Tag::Call(Function::Exp) {
        return None;
    }
    let old = b.pool.word(node, 0).child;
    let new = image(old);
    if new == old || !logarithms(b, old).is_empty() {
        return None;
    }
    let found = logarithms(b, new);
    if found.is_empty() {
        return None;
    }
    let mut rest = new;
    let mut factors = Vec::new();
    for (base, log, q) in found {
        let term = b.scale(q, log);
        rest = b.sub(rest, term);
        factors.push(b.pow(base, q));
    }
    factors.push(b.call(Function::Exp, &[rest]));
    Some(b.product(factors))
}

/// a, log a and q for each term q·log a of a sum.
fn logarithms(b: &Builder<'_>, e: Ix) -> Vec<(Ix, Ix, Ix)> {
    let pool = b.pool;
    let inside = |log: Ix| {
        let node = pool.node(log);
        (node.tag == Tag::Call(Function::Log)).then(|| pool.word(&node, 0).child)
    };
    let node = pool.node(e);
    if node.tag == Tag::Sum {
        let terms = pool.words(&node);
        let found = terms.filter_map(|w| Some((inside(w.child)?, w.child, w.attr)));
        return found.collect();
    }
    inside(e).map(|base| (base, e, ONE)).into_iter().collect()
}

/// The node with its operands replaced by their images.
pub(crate) fn rebuild(b: &mut Builder<'_>, ix: Ix, node: &Node, image: impl Fn(Ix) -> Ix) -> Ix {
    let pool = b.pool;
    // The 1 of a constant term is not an occurrence of 1.
    let constant = |child: Ix| node.tag == Tag::Sum && child == ONE;
    if pool
        .words(node)
        .all(|w| constant(w.child) || image(w.child) == w.child)
    {
        return ix;
    }
    match node.tag {
        Tag::Sum => {
            let term = |child: Ix| if child == ONE { ONE } else { image(child) };
            let terms: Vec<(Ix, Ix)> = pool.words(node).map(|w| (w.attr, term(w.child))).collect();
            b.sum(terms)
        }
        Tag::Product => {
            let words: Vec<Word> = pool.words(node).collect();
            let mut factors = Vec::with_capacity(words.len());
            for w in words {
                factors.push(if w.attr == ONE {
                    image(w.child)
                } else {
                    b.pow(image(w.child), w.attr)
                });
            }
            b.product(factors)
        }
        Tag::If => {
            let w: Vec<Word> = pool.words(node).collect();
            let comparison = Comparison::from_attr(w[0].attr);
            b.conditional(
                comparison,
                image(w[0].child),
                image(w[1].child),
                image(w[2].child),
                image(w[3].child),
            )
        }
        Tag::Undetermined => {
            let words: Vec<Word> = pool.words(node).collect();
            let orders: Vec<u32> = words[1..].iter().map(|w| w.attr).collect();
            let arguments: Vec<Ix> = words[1..].iter().map(|w| image(w.child)).collect();
            b.undetermined(words[0].child, &orders, &arguments)
        }
        Tag::Integral => {
            let (v, e) = (pool.word(node, 0).child, pool.word(node, 1).child);
            b.integral(v, image(e))
        }
        Tag::Call(f) => {
            let arguments: Vec<Ix> = pool.words(node).map(|w| image(w.child)).collect();
            b.call(f, &arguments)
        }
        _ => ix,
    }
}
