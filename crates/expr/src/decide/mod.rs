//! The decision of identities, by evaluation and never by expansion.
//!
//! *Equal* means equal wherever both sides are defined. In order:
//!
//! 1. The same handle: proved.
//! 2. The real guard: enclosures at random rational points. An enclosure without zero refutes,
//!    with the point. Nothing else refutes.
//! 3. Random primes, random points of their fields. Zero at all: proved, with its error bound.
//! 4. Otherwise more points and more bits; if those see nothing either: sampled.
//!
//! All random choices are drawn from a generator seeded with the structure of the claim: the
//! same question gets the same answer on every machine.

mod assumptions;
mod constants;
mod definite;
mod degree;
mod field;
mod forms;
mod guard;
mod prime;
mod rank;
mod residues;
mod verdict;

pub use assumptions::{Assumption, Assumptions};
pub use definite::SymmetricMatrix;
pub use rank::{Rank, decide_singular, generic_rank};
pub use verdict::{Bound, Reason, Verdict, Witness};

use crate::evaluate::{Ball, Balls, Outcome, Program, Step};
use crate::expr::Expr;
use crate::function::Function;
use crate::node::{Ix, Tag, UNDEFINED, ZERO};
use crate::number::Rational;
use crate::pool::Pool;
use field::FieldAnswer;
use guard::{Guard, Series, Sight, draw_integers, draw_point};
use prime::Random;

/// A claim that an expression vanishes, with what is assumed.
#[derive(Clone, Debug)]
pub struct Query<'p> {
    claim: Expr<'p>,
    defined: Vec<Expr<'p>>,
    assumptions: Assumptions<'p>,
}

/// A verdict, and the assumptions it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What is known.
    pub verdict: Verdict,
    /// The assumptions that concern symbols of the claim, as text.
    pub assumptions: Vec<String>,
}

impl std::ops::Deref for Decision {
    type Target = Verdict;
    fn deref(&self) -> &Verdict {
        &self.verdict
    }
}

/// Redraws without a single admissible point before a claim counts as defined nowhere.
const REDRAWS: usize = 200;
/// Points at which the reals are asked.
const GUARD_POINTS: usize = 3;
/// How deep kinks inside kinks are followed.
const KINK_DEPTH: u32 = 4;

impl<'p> Expr<'p> {
    /// Whether the two are equal wherever both are defined.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let sum = x.sin() * y.cos() + x.cos() * y.sin();
    /// assert!((x + y).sin().decide_equal(sum).is_proved());
    /// assert!((x - y).sin().decide_equal(sum).is_refuted());
    /// ```
    pub fn decide_equal(self, other: Expr<'p>) -> Verdict {
        Query::equal(self, other).decide().verdict
    }

    /// Whether the expression vanishes wherever it is defined.
    pub fn decide_zero(self) -> Verdict {
        Query::zero(self).decide().verdict
    }
}

impl<'p> Query<'p> {
    /// The claim e = 0.
    pub fn zero(e: Expr<'p>) -> Self {
        Self {
            claim: e,
            defined: Vec::new(),
            assumptions: Assumptions::new(),
        }
    }

    /// The claim a = b. Points where a or b is not defined do not count, even where the
    /// undefined parts cancel in a − b.
    pub fn equal(a: Expr<'p>, b: Expr<'p>) -> Self {
        Self::zero(a - b).defined([a, b])
    }

    /// Points count only where these are defined too: a text such as `sqrt(x)*sqrt(x)` has
    /// parts that its canonical form may no longer show.
    #[must_use]
    pub fn defined(mut self, parts: impl IntoIterator<Item = Expr<'p>>) -> Self {
        let constant =
            |e: &Expr<'p>| e.as_rational().is_some() || e.pool().node(e.ix()).tag == Tag::Symbol;
        self.defined
            .extend(parts.into_iter().filter(|e| !constant(e)));
        self
    }

    /// Points count only where the assumptions hold.
    #[must_use]
    pub fn assuming(mut self, assumptions: &Assumptions<'p>) -> Self {
        self.assumptions = assumptions.clone();
        self
    }

    /// The verdict.
    pub fn decide(&self) -> Decision {
        Decision {
            verdict: self.verdict(0),
            assumptions: self.recorded(),
        }
    }

    /// The assumptions about symbols that occur in the claim.
    fn recorded(&self) -> Vec<String> {
        if self.assumptions.iter().next().is_none() {
            return Vec::new();
        }
        let pool = self.claim.pool();
        let roots: Vec<Ix> = std::iter::once(self.claim.ix())
            .chain(self.defined.iter().map(|e| e.ix()))
            .collect();
        let program = Program::of(pool, &roots);
        self.assumptions
            .iter()
            .filter(|a| {
                let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
                Program::of(pool, &[e.ix()])
                    .inputs
                    .iter()
                    .any(|s| program.inputs.contains(s))
            })
            .map(|a| a.to_string())
            .collect()
    }

    fn verdict(&self, depth: u32) -> Verdict {
        match self.claim.ix() {
            ZERO => return Verdict::Proved(Bound::CERTAIN),
            UNDEFINED => return Verdict::Undecided(Reason::DefinedNowhere),
            _ => {}
        }
        let setup = Setup::new(self);
        let mut search = Search::new(&setup);
        if let Some(found) = search.guard() {
            return found;
        }
        let proof = setup.field_test(search.random.next());
        match proof {
            Ok(FieldAnswer::Zero(bound)) => {
                if let Some(found) = search.look_at_signs() {
                    return found;
                }
                let constants = constants::Constants::new(&setup.program);
                if constants.nested_root {
                    return search.sampled(Reason::OutOfReach("a root of an irrational constant"));
                }
                self.follow_kinks(&setup, bound, depth).unwrap_or_else(|| {
                    search.sampled(Reason::OutOfReach("proved only away from the kinks"))
                })
            }
            Ok(FieldAnswer::NonZero) => search
                .hunt()
                .unwrap_or_else(|| search.sampled(Reason::Unseen)),
            Err(reason) => search.hunt().unwrap_or_else(|| search.sampled(reason)),
        }
    }

    /// sign and if are not continuous: what holds on both sides of a jump is checked *on* it.
    /// `None` if some jump could not be reached.
    fn follow_kinks(&self, setup: &Setup<'p>, bound: Bound, depth: u32) -> Option<Verdict> {
        let mut total = bound;
        for kink in setup.kinks() {
            if depth >= KINK_DEPTH {
                return None;
            }
            let (symbol, value) = solve_linear(setup.pool, kink)?;
            let pairs = [(symbol, value)];
            let on = |e: Expr<'p>| e.substitute(&pairs);
            let mut assumptions = Assumptions::new();
            for a in self.assumptions.iter() {
                assumptions = match a {
                    Assumption::Positive(e) => assumptions.positive(on(e)),
                    Assumption::NonZero(e) => assumptions.nonzero(on(e)),
                };
            }
            let restricted = Query {
                claim: on(self.claim),
                defined: self.defined.iter().map(|&e| on(e)).collect(),
                assumptions,
            };
            match restricted.verdict(depth + 1) {
                Verdict::Proved(b) => total = total.or(b),
                Verdict::Refuted(witness) => {
                    return Some(Verdict::Refuted(complete(setup, witness, symbol, value)));
                }
                // Nowhere on the jump is the claim even defined: nothing to check.
                Verdict::Undecided(Reason::DefinedNowhere) => {}
                _ => return None,
            }
        }
        Some(Verdict::Proved(total))
    }
}

/// A witness on a kink, with the value of the symbol that was eliminated.
fn complete(setup: &Setup<'_>, mut witness: Witness, symbol: Expr<'_>, value: Expr<'_>) -> Witness {
    let pool = setup.pool;
    for &s in &setup.program.inputs {
        let name = pool.name(&pool.node(s)).to_owned();
        if s != symbol.ix() && !witness.values.iter().any(|(n, _)| *n == name) {
            witness.values.push((name, Rational::ZERO));
        }
    }
    let at: Vec<(Expr<'_>, Expr<'_>)> = witness
        .values
        .iter()
        .map(|(n, q)| (pool.symbol(n), pool.number(q.clone())))
        .collect();
    let value = Expr::new(pool, value.ix()).substitute(&at);
    if let Some(q) = value.as_rational() {
        witness.values.push((symbol.to_string(), q));
    }
    witness.values.sort_by(|a, b| a.0.cmp(&b.0));
    witness
}

/// A symbol in which the expression is linear, and where it vanishes: a·x + b = 0 at x = −b/a.
/// Unless a is a number, b must be one and not zero: then a = 0 is no further solution.
fn solve_linear<'p>(pool: &'p Pool, kink: Ix) -> Option<(Expr<'p>, Expr<'p>)> {
    let e = Expr::new(pool, kink);
    Program::of(pool, &[kink]).inputs.iter().find_map(|&s| {
        let symbol = Expr::new(pool, s);
        let p = e.polynomial(&[symbol], 1).ok()?;
        let (a, b) = (p.coefficient(&[1]), p.coefficient(&[0]));
        let number = |e: Expr<'p>| e.as_rational().is_some_and(|q| !q.is_zero());
        (number(a) || (number(b) && !a.is_zero())).then(|| (symbol, -b / a))
    })
}

/// What a query compiles to.
struct Setup<'p> {
    pool: &'p Pool,
    program: Program,
    /// Which inputs are assumed positive.
    positive_inputs: Vec<bool>,
    /// Outputs that must be positive, or not zero.
    positive: Vec<usize>,
    nonzero: Vec<usize>,
    seed: u64,
}

impl<'p> Setup<'p> {
    fn new(query: &Query<'p>) -> Self {
        let mut roots = vec![query.claim.ix()];
        roots.extend(query.defined.iter().map(|e| query.claim.same_pool(*e)));
        Self::build(query.claim.pool(), roots, &query.assumptions)
    }

    /// A program for some roots, and after them the expressions that are assumed something of.
    fn build(pool: &'p Pool, mut roots: Vec<Ix>, assumptions: &Assumptions<'p>) -> Self {
        let (mut positive, mut nonzero) = (Vec::new(), Vec::new());
        let mut symbols = Vec::new();
        for a in assumptions.iter() {
            match a {
                Assumption::Positive(e) if pool.node(e.ix()).tag == Tag::Symbol => {
                    symbols.push(e.ix())
                }
                Assumption::Positive(e) => {
                    positive.push(roots.len());
                    roots.push(e.ix());
                }
                Assumption::NonZero(e) => {
                    nonzero.push(roots.len());
                    roots.push(e.ix());
                }
            }
        }
        let program = Program::of(pool, &roots);
        Self {
            positive_inputs: program.inputs.iter().map(|s| symbols.contains(s)).collect(),
            seed: roots
                .iter()
                .fold(0, |h: u64, &r| h.rotate_left(7) ^ pool.node(r).hash),
            pool,
            program,
            positive,
            nonzero,
        }
    }

    /// A point with the names of the symbols.
    fn witness(&self, point: &[Rational]) -> Witness {
        let name = |&s: &Ix| self.pool.name(&self.pool.node(s)).to_owned();
        Witness {
            values: self
                .program
                .inputs
                .iter()
                .map(name)
                .zip(point.iter().cloned())
                .collect(),
        }
    }

    /// How many steps depend on a sign: each doubles the cases.
    fn signs(&self) -> u32 {
        let sign = |s: &&Step| {
            matches!(
                s,
                Step::If(..)
                    | Step::Call(
                        Function::Abs | Function::Sign | Function::Min | Function::Max,
                        ..
                    )
            )
        };
        self.program.steps.iter().filter(sign).count() as u32
    }

    /// Expressions at whose zeros the claim may jump.
    fn kinks(&self) -> Vec<Ix> {
        let node = |k: u32| self.program.nodes[k as usize];
        let mut kinks: Vec<Ix> = Vec::new();
        for step in &self.program.steps {
            let kink = match *step {
                Step::Call(Function::Sign, a, _) => node(a),
                Step::If(_, [a, b, ..]) => {
                    let (a, b) = (Expr::new(self.pool, node(a)), Expr::new(self.pool, node(b)));
                    (b - a).ix()
                }
                _ => continue,
            };
            // A product vanishes where a factor does.
            let node = self.pool.node(kink);
            let factors: Vec<Ix> = match node.tag {
                Tag::Product => self.pool.words(&node).map(|w| w.child).collect(),
                Tag::Sum if node.len == 1 => {
                    let inner = self.pool.word(&node, 0).child;
                    let product = self.pool.node(inner);
                    match product.tag {
                        Tag::Product => self.pool.words(&product).map(|w| w.child).collect(),
                        _ => vec![inner],
                    }
                }
                _ => vec![kink],
            };
            for factor in factors {
                let constant = Program::of(self.pool, &[factor]).inputs.is_empty();
                if !constant && !kinks.contains(&factor) {
                    kinks.push(factor);
                }
            }
        }
        kinks
    }
}

/// The search for a point that refutes.
struct Search<'a, 'p> {
    setup: &'a Setup<'p>,
    series: Vec<Series>,
    random: Random,
    balls: Balls<4>,
    constants: Vec<Outcome<Ball<4>>>,
    /// Points at which nothing spoke against the claim, and how large it may be there.
    seen: Vec<(Vec<Rational>, f64)>,
    blind: Vec<Vec<Rational>>,
}

impl<'a, 'p> Search<'a, 'p> {
    fn new(setup: &'a Setup<'p>) -> Self {
        let mut random = Random::new(setup.seed);
        let series = setup
            .program
            .functions
            .iter()
            .map(|_| Series::draw(&mut random))
            .collect();
        let mut balls = Balls::new();
        Self {
            setup,
            series,
            random,
            constants: setup.program.constants(&mut balls),
            balls,
            seen: Vec::new(),
            blind: Vec::new(),
        }
    }

    fn look(&mut self, point: &[Rational]) -> Sight {
        let guard = self.guard_parts();
        guard.balls(&mut self.balls, &self.constants, point)
    }

    fn guard_parts(&self) -> Guard<'a> {
        Guard {
            program: &self.setup.program,
            positive: &self.setup.positive,
            nonzero: &self.setup.nonzero,
            series: self.series.clone(),
        }
    }

    /// Step 2. `None` if the reals do not object.
    fn guard(&mut self) -> Option<Verdict> {
        let guard = self.guard_parts();
        for round in 0..REDRAWS {
            let point = draw_point(&mut self.random, &self.setup.positive_inputs, round);
            if guard.doubles(&point) == Sight::Outside {
                continue;
            }
            match self.look(&point) {
                Sight::NotZero => return Some(self.refuted(&point)),
                Sight::AtMost(size) => self.seen.push((point, size)),
                Sight::Blind if self.blind.len() < GUARD_POINTS => self.blind.push(point),
                _ => {}
            }
            if self.seen.len() == GUARD_POINTS
                || (self.seen.is_empty() && round > 20 && self.blind.len() == GUARD_POINTS)
            {
                break;
            }
        }
        if self.seen.is_empty() && self.blind.is_empty() {
            return Some(Verdict::Undecided(Reason::DefinedNowhere));
        }
        if self.seen.is_empty() {
            if let Some(found) = self.sharper() {
                return Some(found);
            }
            if self.seen.is_empty() {
                return Some(Verdict::Undecided(Reason::Unseen));
            }
        }
        None
    }

    fn refuted(&self, point: &[Rational]) -> Verdict {
        Verdict::Refuted(self.setup.witness(point))
    }

    fn sampled(&self, reason: Reason) -> Verdict {
        match self.seen.iter().map(|s| s.1).reduce(f64::max) {
            Some(largest) => Verdict::Sampled(largest),
            None => Verdict::Undecided(reason),
        }
    }

    /// Many quick looks, each confirmed before it counts.
    fn scan(&mut self, points: usize, integers: bool) -> Option<Verdict> {
        let guard = self.guard_parts();
        for round in 0..points {
            let point = if integers {
                draw_integers(&mut self.random, &self.setup.positive_inputs)
            } else {
                draw_point(&mut self.random, &self.setup.positive_inputs, round)
            };
            if guard.doubles(&point) == Sight::NotZero && self.look(&point) == Sight::NotZero {
                return Some(self.refuted(&point));
            }
        }
        None
    }

    /// Points that a budget of about a tenth of a second allows.
    fn budget(&self) -> usize {
        (2_000_000 / self.setup.program.len().max(1)).clamp(8, 2000)
    }

    /// For claims that depend on signs: enough points to meet every combination.
    fn look_at_signs(&mut self) -> Option<Verdict> {
        let signs = self.setup.signs();
        if signs == 0 {
            return None;
        }
        let points = self.budget().min(16 << signs.min(10));
        self.scan(points, false)
            .or_else(|| self.scan(points.min(64), true))
    }

    /// Step 4: the field says no, so a point should exist.
    fn hunt(&mut self) -> Option<Verdict> {
        let points = self.budget();
        self.scan(points, false)
            .or_else(|| self.scan(points.min(200), true))
            .or_else(|| self.sharper())
    }

    /// The same points with more bits.
    fn sharper(&mut self) -> Option<Verdict> {
        let guard = self.guard_parts();
        let points: Vec<Vec<Rational>> = self
            .seen
            .iter()
            .map(|s| s.0.clone())
            .chain(self.blind.iter().cloned())
            .collect();
        let length = self.setup.program.len();
        let mut found: Vec<(Vec<Rational>, f64)> = Vec::new();
        let mut balls = Balls::<16>::new();
        let constants = self.setup.program.constants(&mut balls);
        for (k, point) in points.into_iter().enumerate() {
            let mut sight = guard.balls(&mut balls, &constants, &point);
            if sight != Sight::NotZero && k == 0 && length < 2000 {
                let mut balls = Balls::<32>::new();
                let constants = self.setup.program.constants(&mut balls);
                sight = guard.balls(&mut balls, &constants, &point);
            }
            match sight {
                Sight::NotZero => return Some(self.refuted(&point)),
                Sight::AtMost(size) => found.push((point, size)),
                _ => {}
            }
        }
        if !found.is_empty() {
            self.seen = found;
        }
        None
    }
}
