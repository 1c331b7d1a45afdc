//! The decision of identities, by evaluation and never by expansion.
//!
//! *Equal* means equal wherever both sides are defined. In order:
//!
//! 1. The same handle: proved.
//! 2. The real guard: enclosures at random rational points. An enclosure without zero refutes,
//!    with the point. Nothing else refutes.
//! 3. Random primes, random points of their fields. Zero at all: proved, with its error bound.
//! 4. Otherwise more points and more bits; if those find nothing either: sampled.
//!
//! All random choices are drawn from a generator seeded with the structure of the claim: the
//! same question gets the same answer on every machine.

mod assumptions;
mod certify;
mod constants;
mod definite;
mod degree;
mod domain;
mod field;
mod forms;
mod guard;
mod kinks;
mod prime;
mod rank;
mod residues;
mod search;
mod setup;
mod vanish;
mod verdict;

pub use assumptions::{Assumption, Assumptions};
pub use definite::SymmetricMatrix;
pub use rank::{Rank, decide_singular, generic_rank};
pub use verdict::{Bound, Reason, Verdict, Witness};

use crate::evaluate::Program;
use crate::expr::Expr;
use crate::node::{Ix, UNDEFINED, ZERO};
use field::FieldAnswer;
use kinks::{Budget, Found};
use search::Search;
use setup::Setup;

/// A claim that an expression vanishes, with its assumptions.
#[derive(Clone, Debug)]
pub struct Query<'p> {
    claim: Expr<'p>,
    defined: Vec<Expr<'p>>,
    assumptions: Assumptions<'p>,
    /// Whether derivatives were taken of something with kinks: on a kink nothing is claimed.
    formal: bool,
}

/// A verdict, and the assumptions it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The verdict on the claim.
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
            formal: false,
        }
    }

    /// The claim a = b. Points where a or b is not defined do not count, even where the
    /// undefined parts cancel in a − b.
    pub fn equal(a: Expr<'p>, b: Expr<'p>) -> Self {
        Self::zero(a - b).defined([a, b])
    }

    /// Points count only where these are defined too: a text such as `sqrt(x)*sqrt(x)` has
    /// parts that its canonical form may no longer show.
    ///
    /// A part of a branch of `if` is given with its condition, `if(a < b, part, 0)`; the base of a
    /// power whose exponent is written with symbols, as its logarithm.
    #[must_use]
    pub fn defined(mut self, parts: impl IntoIterator<Item = Expr<'p>>) -> Self {
        let claim = self.claim;
        let parts = parts.into_iter().inspect(move |e| {
            claim.same_pool(*e);
        });
        let trivial = |e: &Expr<'p>| e.as_rational().is_some() || e.is_symbol();
        self.defined.extend(parts.filter(|e| !trivial(e)));
        self
    }

    /// The claim contains derivatives of these expressions. Where one of them has a kink, its
    /// derivative may not exist, or exist although the formula for it is undefined: no point there
    /// refutes, and nothing is proved about points there.
    #[must_use]
    pub fn with_derivatives_of(mut self, exprs: impl IntoIterator<Item = Expr<'p>>) -> Self {
        for e in exprs {
            for kink in kinks::kinks_of(e) {
                self.assumptions = self.assumptions.nonzero(kink);
                self.formal = true;
            }
            self.formal |= kinks::has_root(e);
        }
        self
    }

    /// Points count only where the assumptions hold.
    #[must_use]
    pub fn assuming(mut self, assumptions: &Assumptions<'p>) -> Self {
        for a in assumptions.iter() {
            let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
            self.claim.same_pool(e);
            self.assumptions.push(a);
        }
        self
    }

    /// The verdict.
    pub fn decide(&self) -> Decision {
        let unfolded = match self.unfolded() {
            Ok(unfolded) => unfolded,
            Err(reason) => {
                return Decision {
                    verdict: Verdict::Undecided(reason),
                    assumptions: self.recorded(),
                };
            }
        };
        let verdict = match unfolded.as_ref().unwrap_or(self).verdict(0, &Budget::new()) {
            Found::Verdict(verdict) => verdict,
            Found::Refuted(at) => Verdict::Refuted(Witness::new(&at)),
        };
        Decision {
            verdict,
            assumptions: self.recorded(),
        }
    }

    /// The claim in other variables, if it contains the Legendre transform of its pool: in those its derivatives are formulas.
    fn unfolded(&self) -> Result<Option<Self>, Reason> {
        let pool = self.claim.pool();
        if pool.legendre.get().is_none() {
            return Ok(None);
        }
        let mut all = vec![self.claim];
        all.extend(&self.defined);
        for a in self.assumptions.iter() {
            let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
            all.push(e);
        }
        let moved = pool.legendre_unfolded(&all).ok_or(Reason::OutOfReach(
            "a Legendre transform without a closed form occurs at different arguments",
        ))?;
        if moved == all {
            return Ok(None);
        }
        let defined = 1 + self.defined.len();
        let mut assumptions = Assumptions::new();
        for (a, &e) in self.assumptions.iter().zip(&moved[defined..]) {
            assumptions = match a {
                Assumption::Positive(_) => assumptions.positive(e),
                Assumption::NonZero(_) => assumptions.nonzero(e),
            };
        }
        Ok(Some(Self {
            claim: moved[0],
            defined: moved[1..defined].to_vec(),
            assumptions,
            formal: self.formal,
        }))
    }

    /// The assumptions that concern symbols of the claim.
    fn recorded(&self) -> Vec<String> {
        if self.assumptions.iter().next().is_none() {
            return Vec::new();
        }
        let pool = self.claim.pool();
        let roots: Vec<Ix> = std::iter::once(self.claim.ix())
            .chain(self.defined.iter().map(|e| e.ix()))
            .collect();
        // Directly, or through a symbol that another assumption links to them.
        let mut symbols = Program::of(pool, &roots).inputs;
        let all: Vec<(Assumption<'p>, Vec<Ix>)> = self
            .assumptions
            .iter()
            .map(|a| {
                let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
                (a, Program::of(pool, &[e.ix()]).inputs)
            })
            .collect();
        let mut used = vec![false; all.len()];
        while let Some(k) =
            (0..all.len()).find(|&k| !used[k] && all[k].1.iter().any(|s| symbols.contains(s)))
        {
            used[k] = true;
            symbols.extend(&all[k].1);
        }
        let recorded = all.iter().zip(used).filter(|(_, used)| *used);
        recorded.map(|((a, _), _)| a.to_string()).collect()
    }

    fn verdict(&self, depth: u32, budget: &Budget) -> Found<'p> {
        match self.claim.ix() {
            ZERO => return Found::Verdict(Verdict::Proved(Bound::CERTAIN)),
            UNDEFINED => return Found::Verdict(Verdict::Undecided(Reason::DefinedNowhere)),
            _ => {}
        }
        if self.defined.iter().any(|e| e.is_undefined()) {
            return Found::Verdict(Verdict::Undecided(Reason::DefinedNowhere));
        }
        let setup = Setup::new(self);
        let mut search = Search::new(&setup);
        if let Some(found) = search.guard() {
            return found;
        }
        match setup.field_test(search.seed()) {
            Ok(FieldAnswer::Zero { bound, sides }) => {
                if let Some(found) = search.search_all_signs() {
                    return found;
                }
                let constants = constants::Constants::new(&setup.program, &setup.settled);
                if let Some(why) = constants.distrust {
                    return search.sampled(Reason::OutOfReach(why));
                }
                // Where the two sides of a sign differ, a set of admissible points without interior is a
                // case of its own that no random point meets.
                if !sides.is_empty() && !setup.domain_is_thick(&sides) {
                    return search.sampled(Reason::OutOfReach("the domain may have thin parts"));
                }
                self.follow_kinks(&setup, bound, depth, budget)
                    .unwrap_or_else(|| {
                        search.sampled(Reason::OutOfReach("proved only away from the kinks"))
                    })
            }
            Ok(FieldAnswer::NonZero) => search
                .search_for_refutation()
                .unwrap_or_else(|| search.sampled(Reason::Unseen)),
            Err(reason) => search
                .search_for_refutation()
                .unwrap_or_else(|| search.sampled(reason)),
        }
    }
}
