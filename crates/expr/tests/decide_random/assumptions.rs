//! Assumptions decide claims, are recorded, and decide nothing about other symbols.

use galilei_expr::{Assumptions, Decision, Expr, Pool, Query, Rational, Reason, Verdict};

fn decide<'p>(a: Expr<'p>, b: Expr<'p>, assumptions: &Assumptions<'p>) -> Decision {
    Query::equal(a, b).assuming(assumptions).decide()
}

/// Claims that hold under an assumption and fail without.
#[test]
fn an_assumption_makes_the_difference() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let none = Assumptions::new();
    let positive = |e| Assumptions::new().positive(e);
    let cases = [
        (x.pow(2).sqrt(), x, positive(x)),
        (x.abs(), x, positive(x)),
        (x.sign(), pool.one(), positive(x)),
        (x.max(0), x, positive(x)),
        (x.abs() * y, x * y, positive(x)),
        ((x.pow(2) * y.pow(2)).sqrt(), x * y, positive(x).positive(y)),
        ((x - y).pow(2).sqrt(), x - y, positive(x - y)),
        ((x - y).abs(), y - x, positive(y - x)),
        (x.max(y), x, positive(x - y)),
        (x.if_less(y, x, y), y, positive(x - y)),
        (x.log().exp().abs(), x, positive(x)),
    ];
    for (a, b, assumed) in cases {
        let without = decide(a, b, &none);
        let with = decide(a, b, &assumed);
        if a == x.log().exp().abs() {
            // The logarithm says it already.
            assert!(without.is_proved(), "{a} = {b}: {}", without.verdict);
        } else {
            assert!(without.is_refuted(), "{a} = {b}: {}", without.verdict);
        }
        assert!(
            with.is_proved(),
            "{a} = {b} under {:?}: {}",
            with.assumptions,
            with.verdict
        );
        assert_eq!(with.assumptions.len(), assumed.iter().count());
    }
}

/// A claim that is true for x > 0 only, and cannot be proved, is not refuted under that assumption.
#[test]
fn an_assumption_keeps_a_true_claim_from_refutation() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let (a, b) = (y.atan2(x), (y / x).atan());
    assert!(decide(a, b, &Assumptions::new()).is_refuted());
    assert!(!decide(a, b, &Assumptions::new().positive(x)).is_refuted());
}

/// Assumptions that concern the claim only through others are recorded as well: y < x and x < 0
/// make |y| = −y, and neither does alone.
#[test]
fn chains_of_assumptions_are_recorded() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let assumed = Assumptions::new().positive(x - y).positive(-x);
    let decision = decide(y.abs(), -y, &assumed);
    assert!(!decision.is_refuted(), "{}", decision.verdict);
    assert_eq!(decision.assumptions, ["x - y > 0", "-x > 0"]);
    for alone in [
        Assumptions::new().positive(x - y),
        Assumptions::new().positive(-x),
    ] {
        assert!(decide(y.abs(), -y, &alone).is_refuted());
    }
}

/// The witness of a refutation satisfies what was assumed.
#[test]
fn witnesses_respect_assumptions() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let assumed = Assumptions::new().positive(x).nonzero(y).positive(x - y);
    let decision = decide(y.abs(), y, &assumed);
    let Verdict::Refuted(witness) = &decision.verdict else {
        panic!("{}", decision.verdict);
    };
    let value = |e: Expr<'_>| {
        let at: Vec<_> = witness
            .values
            .iter()
            .map(|(name, q)| {
                (
                    pool.symbol(name),
                    pool.number(q.parse::<Rational>().unwrap()),
                )
            })
            .collect();
        pool.expr(e.id())
            .substitute(&at)
            .as_rational()
            .expect("a number")
    };
    assert!(value(x).signum() > 0 && value(y).signum() < 0 && value(x - y).signum() > 0);
}

/// Assumptions about other symbols are not recorded, and claims that do not follow are not proved.
#[test]
fn assumptions_prove_only_what_follows() {
    let pool = Pool::new();
    let [x, y, z] = pool.symbols(["x", "y", "z"]);
    let elsewhere = Assumptions::new().positive(z);
    let decision = decide(x.abs(), x, &elsewhere);
    assert!(decision.is_refuted());
    assert_eq!(decision.assumptions, [""; 0]);
    for wrong in [
        Assumptions::new().nonzero(x),
        Assumptions::new().positive(y),
        Assumptions::new().positive(x.pow(2)),
        Assumptions::new().positive(x + 1),
        Assumptions::new().positive(x * y),
        Assumptions::new().nonzero(x - 1).nonzero(x + 1),
    ] {
        let verdict = decide(x.abs(), x, &wrong).verdict;
        assert!(verdict.is_refuted(), "{wrong:?}: {verdict}");
    }
}

/// Assumptions that contradict each other, or the domain, leave nothing to decide.
#[test]
fn contradictions_decide_nothing() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let nowhere = Verdict::Undecided(Reason::DefinedNowhere);
    for empty in [
        Assumptions::new().positive(x).positive(-x),
        Assumptions::new().positive(x - y).positive(y - x),
        Assumptions::new().positive(-x.pow(2)),
        Assumptions::new().nonzero(x - x),
        Assumptions::new().positive(-x.exp()),
    ] {
        let verdict = decide(x + 1, x + 2, &empty).verdict;
        assert_eq!(verdict, nowhere, "{empty:?}");
        let verdict = decide(x.sin() * y, y * x.sin() + y, &empty).verdict;
        assert_eq!(verdict, nowhere, "{empty:?}");
    }
    let verdict = decide(x.log(), x, &Assumptions::new().positive(-x)).verdict;
    assert_eq!(verdict, nowhere);
}
