//! Abbreviations: parts that occur more than once, or are long, get a name.

use std::collections::HashSet;

use crate::build::Builder;
use crate::expr::Expr;
use crate::node::{Ix, Node, ONE, Tag, Word};
use crate::plan::Plan;
use crate::pool::Pool;
use crate::substitute::rebuild;

/// Expressions written with abbreviations.
#[derive(Clone, Debug)]
pub struct Shared<'p> {
    /// The expressions, in the order they were given.
    pub exprs: Vec<Expr<'p>>,
    /// Symbols and their definitions, each using only earlier ones.
    pub definitions: Vec<(Expr<'p>, Expr<'p>)>,
}

impl<'p> Shared<'p> {
    /// The expressions with all abbreviations substituted.
    pub fn expand(&self) -> Vec<Expr<'p>> {
        let Some(first) = self.exprs.first() else {
            return Vec::new();
        };
        let mut pairs: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for &(name, part) in &self.definitions {
            let part = part.substitute(&pairs);
            pairs.push((name, part));
        }
        first.pool().substitute_all(&self.exprs, &pairs)
    }
}

/// The length of the longest text in the model language, whatever the budget. A LaTeX text is
/// up to four times as long, and 64 kB are allowed.
pub(super) const MAX_TEXT_LENGTH: u64 = 14_000;
/// The shortest text, in characters, of a repeated part that gets a name.
const MIN_SHARED_LENGTH: u64 = 24;
/// The depth of the deepest tree; printers are recursive.
const MAX_TREE_DEPTH: u32 = 80;

impl Pool {
    /// Gives names c1, c2, … to the parts that several expressions share, unless the whole text stays below
    /// `budget` characters. In any case no text becomes longer than some 14 000 characters and no
    /// tree deeper than 80, so long sums are named in portions.
    ///
    /// The time is linear in the number of different nodes, however large the trees are.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let r = (x.pow(2) + y.pow(2) + 2 * x * y * (x + y).cos()).sqrt();
    /// let shared = pool.share(&[x / r.pow(3), y / r.pow(3)], 60);
    /// assert_eq!(shared.definitions.len(), 1);
    /// assert_eq!(shared.exprs[0].to_string(), "x/c1^(3/2)");
    /// assert_eq!(shared.expand(), [x / r.pow(3), y / r.pow(3)]);
    /// ```
    pub fn share<'p>(&'p self, exprs: &[Expr<'p>], budget: usize) -> Shared<'p> {
        self.share_avoiding(exprs, budget, [])
    }

    /// [`Pool::share`] with names that are already in use, whether or not the expressions contain them: no
    /// abbreviation is drawn like one of `names`.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let r = (x.pow(2) + y.pow(2) + 2 * x * y * (x + y).cos()).sqrt();
    /// let shared = pool.share_avoiding(&[x / r.pow(3), y / r.pow(3)], 60, ["c1", "c_2"]);
    /// assert_eq!(shared.exprs[0].to_string(), "x/c3^(3/2)");
    /// ```
    pub fn share_avoiding<'p, 'n>(
        &'p self,
        exprs: &[Expr<'p>],
        budget: usize,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Shared<'p> {
        let roots = self.indices(exprs.iter().copied());
        let plan = Plan::new(self, &roots);
        let mut sharing = Sharing::new(self, &plan, &roots, budget as u64);
        sharing
            .taken
            .extend(names.into_iter().filter_map(number_of));
        if !sharing.naming && plan.depth(self) < MAX_TREE_DEPTH as usize {
            return Shared {
                exprs: exprs.to_vec(),
                definitions: Vec::new(),
            };
        }
        for k in self.reading_order(&plan, &roots) {
            sharing.node(k);
        }
        let exprs = roots
            .iter()
            .map(|&r| Expr::new(self, sharing.values[plan.position(r)]))
            .collect();
        Shared {
            exprs,
            definitions: sharing.definitions,
        }
    }
}

struct Sharing<'p, 'a> {
    pool: &'p Pool,
    plan: &'a Plan,
    /// The numbers k of names that are drawn like ck.
    taken: HashSet<u64>,
    /// The number of the last name.
    last: u64,
    /// Nodes with a bound variable: a definition of one would not be closed.
    open: Vec<bool>,
    /// How often a node is an operand, and whether it is one of the expressions.
    uses: Vec<u32>,
    root: Vec<bool>,
    naming: bool,
    longest: u64,
    /// Nodes of expressions that are too long as they are.
    long: Vec<bool>,
    /// The rewritten nodes, the length of their text and the depth of their trees.
    values: Vec<Ix>,
    length: Vec<u64>,
    depth: Vec<u32>,
    definitions: Vec<(Expr<'p>, Expr<'p>)>,
}

impl<'p, 'a> Sharing<'p, 'a> {
    fn new(pool: &'p Pool, plan: &'a Plan, roots: &[Ix], budget: u64) -> Self {
        let n = plan.len();
        let mut uses = vec![0u32; n];
        let mut size = vec![0u64; n];
        let mut bound = HashSet::new();
        let mut taken = HashSet::new();
        for (k, &ix) in plan.nodes().iter().enumerate() {
            let node = pool.node(ix);
            if matches!(node.tag, Tag::Symbol | Tag::FunctionName) {
                taken.extend(number_of(pool.name(&node)));
            }
            if node.tag == Tag::Integral {
                bound.insert(pool.word(&node, 0).child);
            }
            size[k] = own_length(pool, ix, &node);
            for w in pool.words(&node) {
                let p = plan.position(w.child);
                uses[p] += 1;
                size[k] = size[k].saturating_add(size[p]);
            }
        }
        let mut open = vec![false; n];
        for (k, &ix) in plan.nodes().iter().enumerate() {
            let node = pool.node(ix);
            open[k] = bound.contains(&ix)
                || node.tag != Tag::Integral
                    && pool.words(&node).any(|w| open[plan.position(w.child)]);
        }
        let mut total = 0u64;
        let mut root = vec![false; n];
        for &r in roots {
            total = total.saturating_add(size[plan.position(r)]);
            root[plan.position(r)] = true;
        }
        let longest = budget.clamp(200, MAX_TEXT_LENGTH);
        let mut long: Vec<bool> = (0..n).map(|k| root[k] && size[k] > longest).collect();
        for (k, &ix) in plan.nodes().iter().enumerate().rev() {
            if long[k] {
                let node = pool.node(ix);
                for w in pool.words(&node) {
                    long[plan.position(w.child)] = true;
                }
            }
        }
        Self {
            pool,
            plan,
            taken,
            last: 0,
            open,
            uses,
            root,
            naming: total > budget.min(MAX_TEXT_LENGTH),
            longest,
            long,
            values: vec![ONE; n],
            length: vec![0; n],
            depth: vec![0; n],
            definitions: Vec::new(),
        }
    }

    fn node(&mut self, k: usize) {
        let ix = self.plan.nodes()[k];
        let node = self.pool.node(ix);
        let mut length = own_length(self.pool, ix, &node);
        let mut depth = 0;
        for w in self.pool.words(&node) {
            let p = self.plan.position(w.child);
            length += self.length[p];
            depth = depth.max(self.depth[p] + 1);
        }
        let (values, plan) = (&self.values, self.plan);
        self.values[k] = rebuild(&mut self.pool.builder(), ix, &node, |old| {
            values[plan.position(old)]
        });
        if length > self.longest && matches!(node.tag, Tag::Sum | Tag::Product) {
            length = self.portions(k, &node);
        }
        self.length[k] = length;
        self.depth[k] = depth;
        if node.operands() == 0 || self.open[k] && depth < MAX_TREE_DEPTH {
            return;
        }
        let worth = self.uses[k] + u32::from(self.root[k]) > 1 && length >= MIN_SHARED_LENGTH;
        // In a long expression a part of an eighth of the longest text gets a name, so that eight of them fit.
        let long = self.long[k] && length > (self.longest / 8).max(100);
        let inside = self.uses[k] > 0;
        if inside && (self.naming && (worth || long) || depth >= MAX_TREE_DEPTH) {
            let (name, cost) = self.name(self.values[k]);
            self.values[k] = name;
            self.length[k] = cost;
            self.depth[k] = 0;
        }
    }

    fn name(&mut self, value: Ix) -> (Ix, u64) {
        self.last += 1;
        while self.taken.contains(&self.last) {
            self.last += 1;
        }
        let name = format!("c{}", self.last);
        let symbol = self.pool.symbol(&name);
        self.definitions.push((symbol, Expr::new(self.pool, value)));
        (symbol.ix(), name.len() as u64)
    }

    /// A long sum or product, in named portions of bounded length.
    fn portions(&mut self, k: usize, node: &Node) -> u64 {
        let words: Vec<Word> = self.pool.words(node).collect();
        let mut items: Vec<(Word, u64)> = words
            .iter()
            .map(|w| {
                let p = self.plan.position(w.child);
                let own = number_length(self.pool, w.attr) + 3;
                (Word::new(w.attr, self.values[p]), own + self.length[p])
            })
            .collect();
        while items.iter().map(|i| i.1).sum::<u64>() > self.longest && items.len() > 8 {
            let mut next = Vec::new();
            let mut start = 0;
            while start < items.len() {
                let (mut end, mut length) = (start, 0);
                while end < items.len()
                    && (end < start + 2 || length + items[end].1 <= self.longest / 2)
                {
                    length += items[end].1;
                    end += 1;
                }
                let portion = combine(&mut self.pool.builder(), node.tag, &items[start..end]);
                let (name, cost) = self.name(portion);
                next.push((Word::new(ONE, name), cost + 3));
                start = end;
            }
            items = next;
        }
        self.values[k] = combine(&mut self.pool.builder(), node.tag, &items);
        items.iter().map(|i| i.1).sum()
    }
}

/// k for all names that are drawn as c with the index k, dots or not: c1, c_1, c[1], c1'.
fn number_of(name: &str) -> Option<u64> {
    let index = name.strip_prefix('c')?;
    let digit = |c: char| match c {
        '₀'..='₉' => char::from_digit(c as u32 - '₀' as u32, 10),
        c => c.is_alphanumeric().then_some(c),
    };
    let digits: String = index.chars().filter_map(digit).collect();
    digits.parse().ok()
}

fn combine(b: &mut Builder<'_>, tag: Tag, items: &[(Word, u64)]) -> Ix {
    let words = items.iter().map(|i| i.0);
    if tag == Tag::Sum {
        return b.sum(words.map(|w| (w.attr, w.child)));
    }
    let factors: Vec<Ix> = words.map(|w| b.pow(w.child, w.attr)).collect();
    b.product(factors)
}

fn number_length(pool: &Pool, ix: Ix) -> u64 {
    if ix == ONE {
        return 0;
    }
    // A digit holds more than three bits.
    3 + pool.rational(ix).bits() as u64 / 3
}

/// An upper estimate of what a node adds to the text of its parts in the model language.
fn own_length(pool: &Pool, ix: Ix, node: &Node) -> u64 {
    match node.tag {
        Tag::Symbol | Tag::FunctionName => pool.name(node).len() as u64,
        Tag::Small | Tag::Big => number_length(pool, ix),
        Tag::Sum | Tag::Product => {
            2 + pool
                .words(node)
                .map(|w| number_length(pool, w.attr) + 3)
                .sum::<u64>()
        }
        _ => 10 + 4 * u64::from(node.operands()),
    }
}
