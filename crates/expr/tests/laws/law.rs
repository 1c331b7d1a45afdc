//! The result of a law, random trees for it, and the comparisons that laws consist of.

use std::cell::Cell;

use galilei_expr::{Expr, Query, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use crate::draw::{Bytes, Menu};
use crate::tree::Tree;

/// The result of a law: nothing, or what is wrong.
pub(crate) type Law = Result<(), String>;

/// A configuration with this many cases, the same ones every time. For a long run, `GALILEI_CASES` multiplies them and
/// `GALILEI_SEED` draws others.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    ProptestConfig {
        cases: cases * number("GALILEI_CASES").unwrap_or(1) as u32,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(number("GALILEI_SEED").unwrap_or(1687)),
        max_shrink_iters: 4096,
        ..ProptestConfig::default()
    }
}

/// Random trees of at most this depth.
pub(crate) fn trees(menu: Menu, depth: usize) -> impl Strategy<Value = Tree> {
    proptest::collection::vec(any::<u8>(), 64)
        .prop_map(move |bytes| Tree::draw(&mut Bytes::new(&bytes), &menu, depth))
}

/// The result of a law that also says whether it applied to the case.
pub(crate) type Spoken = Result<bool, String>;

/// Checks a law on many cases; returns the share of them to which it applied, so that a test can check
/// that it is not empty.
pub(crate) fn spoken<S: Strategy>(n: u32, strategy: &S, law: impl Fn(S::Value) -> Spoken) -> f64 {
    let (all, said) = (Cell::new(0u32), Cell::new(0u32));
    let outcome = TestRunner::new(cases(n)).run(strategy, |case| {
        let spoke = law(case).map_err(TestCaseError::fail)?;
        all.set(all.get() + 1);
        said.set(said.get() + u32::from(spoke));
        Ok(())
    });
    if let Err(e) = outcome {
        panic!("{e}");
    }
    f64::from(said.get()) / f64::from(all.get())
}

/// The law holds, or the case fails with what it says.
pub(crate) fn hold(law: Law) -> Result<(), TestCaseError> {
    law.map_err(TestCaseError::fail)
}

/// Two handles are the same.
pub(crate) fn same<'p>(what: &str, a: Expr<'p>, b: Expr<'p>) -> Law {
    if a == b {
        Ok(())
    } else {
        Err(format!("{what}: {a} and {b} are different handles"))
    }
}

/// The verdict of `decide` on a = b.
pub(crate) fn verdict<'p>(a: Expr<'p>, b: Expr<'p>) -> Verdict {
    Query::equal(a, b).decide().verdict
}

/// a = b is not refuted.
pub(crate) fn not_refuted<'p>(what: &str, a: Expr<'p>, b: Expr<'p>) -> Law {
    match verdict(a, b) {
        v @ Verdict::Refuted(_) => Err(format!("{what}: {a} = {b} is {v}")),
        _ => Ok(()),
    }
}

/// a = b is proved, unless it is defined nowhere.
pub(crate) fn proved<'p>(what: &str, a: Expr<'p>, b: Expr<'p>) -> Law {
    match verdict(a, b) {
        Verdict::Proved(_) | Verdict::Undecided(galilei_expr::Reason::DefinedNowhere) => Ok(()),
        v => Err(format!("{what}: {a} = {b} is {v}")),
    }
}
