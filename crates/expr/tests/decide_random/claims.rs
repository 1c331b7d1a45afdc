//! Random identities are never refuted, and identities with a planted error never proved.

use std::collections::BTreeMap;

use galilei_expr::{Comparison, Function, Verdict};

use crate::claim::{CAREFUL, Judge, OURS, consistent, difference};
use crate::draw::{Bytes, Dice, Menu};
use crate::rewrite::{RULES, plant, rewrite};
use crate::tree::Tree;

/// The kind of a verdict, for counting.
fn kind(v: &Verdict) -> &'static str {
    match v {
        Verdict::Proved(_) => "proved",
        Verdict::Refuted(_) => "refuted",
        Verdict::Sampled(_) => "sampled",
        Verdict::Certified => "certified",
        Verdict::Undecided(_) => "undecided",
    }
}

/// The number in an environment variable: `GALILEI_CASES` multiplies the number of cases, `GALILEI_SEED` draws others.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(otherwise)
}

/// Judges many random pairs and returns the share of each kind of verdict.
fn run(
    judge: Judge,
    menu: &Menu,
    cases: u64,
    identity: bool,
    other: fn(&Tree, &mut Bytes<'_>) -> Option<Tree>,
) -> Result<BTreeMap<&'static str, u64>, String> {
    let mut dice = Dice::new(number("GALILEI_SEED", 1788));
    let mut count = BTreeMap::new();
    for _ in 0..cases * number("GALILEI_CASES", 1) {
        let bytes = dice.bytes(256);
        let mut bytes = Bytes::new(&bytes);
        let a = Tree::draw(&mut bytes, menu, 3);
        let Some(b) = other(&a, &mut bytes) else {
            continue;
        };
        if b.size() > 150 {
            continue;
        }
        let verdict = consistent(judge, &a, &b, &mut dice, identity)?;
        *count.entry(kind(&verdict)).or_insert(0) += 1;
    }
    Ok(count)
}

/// One to three rules in a row.
fn rewritten(a: &Tree, bytes: &mut Bytes<'_>) -> Option<Tree> {
    let mut b = rewrite(a, bytes)?.1;
    for _ in 0..bytes.below(3) {
        b = rewrite(&b, bytes)?.1;
    }
    Some(b)
}

/// A tree rewritten by a rule, with an error planted.
fn planted(a: &Tree, bytes: &mut Bytes<'_>) -> Option<Tree> {
    let b = plant(a, bytes)?.1;
    match bytes.below(2) {
        0 => Some(b),
        _ => Some(rewrite(&b, bytes)?.1),
    }
}

fn share(count: &BTreeMap<&'static str, u64>, kind: &str) -> f64 {
    let all: u64 = count.values().sum();
    *count.get(kind).unwrap_or(&0) as f64 / all as f64
}

#[test]
fn identities_are_never_refuted() {
    let count = run(CAREFUL, &Menu::ALL, 250, true, rewritten).unwrap();
    assert!(share(&count, "proved") > 0.5, "{count:?}");
}

#[test]
fn circular_identities_are_proved() {
    let count = run(OURS, &Menu::CIRCULAR, 200, true, |a, bytes| {
        // The rules that stay inside the language of linkages.
        (0..8)
            .find_map(|_| {
                rewrite(a, bytes).filter(|(name, _)| {
                    [
                        "sin(a+b)",
                        "cos(a+b)",
                        "sin 2a",
                        "cos 2a by cos",
                        "a(b+c)",
                        "(a+b)²",
                    ]
                    .contains(name)
                })
            })
            .map(|(_, b)| b)
    })
    .unwrap();
    assert!(
        share(&count, "proved") + share(&count, "undecided") > 0.99,
        "{count:?}"
    );
    assert!(share(&count, "proved") > 0.9, "{count:?}");
}

#[test]
fn planted_errors_are_never_proved() {
    let count = run(OURS, &Menu::ALL, 400, false, planted).unwrap();
    assert!(share(&count, "refuted") > 0.5, "{count:?}");
}

/// A tree of a shape to which some rule applies.
fn shape(bytes: &mut Bytes<'_>) -> Tree {
    let draw = |bytes: &mut Bytes<'_>| Tree::draw(bytes, &Menu::ELEMENTARY, 1);
    let f = bytes.choose(&Function::ALL);
    let sum = draw(bytes).plus(draw(bytes));
    let product = draw(bytes).times(sum.clone());
    let inner = bytes.choose(&[0, 1, 2]);
    let inner = [sum, product, draw(bytes)][inner].clone();
    let call = Tree::Call(f, (0..f.arity()).map(|_| inner.clone()).collect());
    match bytes.below(8) {
        0..=2 => call,
        3 => call.pow(2, 1),
        4 => inner.pow(2, 1).pow(1, 2),
        5 => inner,
        6 => inner.pow(2, 1),
        _ => Tree::condition(Comparison::Less, draw(bytes), call, inner, draw(bytes)),
    }
}

/// Every rule is valid: applied to trees that have its shape, it never changes a value.
#[test]
fn the_rules_are_valid() {
    let mut dice = Dice::new(1);
    for (name, rule) in RULES {
        let mut seen = 0;
        for _ in 0..2000 {
            let bytes = dice.bytes(96);
            let mut bytes = Bytes::new(&bytes);
            let a = shape(&mut bytes);
            let Some(b) = rule(&a, &mut bytes) else {
                continue;
            };
            if let Some(point) = difference(&a, &b, 3, &mut dice) {
                panic!("{name}: {a} and {b} differ at {point:?}");
            }
            seen += 1;
            if seen == 4 {
                break;
            }
        }
        assert!(seen > 0, "{name} was never used");
    }
}

/// Wrong judges are detected.
#[test]
fn broken_judges_are_noticed() {
    let credulous: Judge = |_, _| Verdict::Proved(galilei_expr::Bound::CERTAIN);
    let stubborn: Judge = |_, _| Verdict::Refuted(galilei_expr::Witness::default());
    assert!(run(credulous, &Menu::ALL, 40, false, planted).is_err());
    assert!(run(stubborn, &Menu::ALL, 40, true, rewritten).is_err());
    // A refutation whose witness shows nothing.
    assert!(
        run(stubborn, &Menu::RATIONAL, 40, false, |a, _| Some(
            a.clone().plus(Tree::int(0))
        ))
        .is_err()
    );
    // And a false rule.
    assert!(
        run(OURS, &Menu::CIRCULAR, 40, true, |a, _| Some(
            a.clone().scaled(2, 1)
        ))
        .is_err()
    );
}
