//! The corpus of claims: those that must be proved, those that must be refuted, and those that must never be proved.

mod common;

use galilei_expr::{Decision, Pool, Verdict};

fn claims(file: &str) -> Vec<String> {
    let path = format!("{}/tests/identities/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{path}: {e}"))
        .lines()
        .map(|l| l.split('#').next().unwrap_or("").trim().to_owned())
        .filter(|l| !l.is_empty())
        .collect()
}

fn check(file: &str, least: usize, good: impl Fn(&Verdict) -> bool) {
    let claims = claims(file);
    assert!(
        claims.len() >= least,
        "{file} has only {} claims",
        claims.len()
    );
    let mut wrong = vec![];
    for claim in &claims {
        let pool = Pool::new();
        let Decision { verdict, .. } = common::read_claim(&pool, claim).decide();
        if !good(&verdict) {
            wrong.push(format!("{verdict}: {}", &claim[..claim.len().min(160)]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        claims.len(),
        wrong.join("\n")
    );
}

#[test]
fn identities_that_must_be_proved() {
    check("proved.txt", 150, Verdict::is_proved);
}

#[test]
fn true_claims_are_never_refuted() {
    check("true.txt", 50, |v| !v.is_refuted());
}

#[test]
fn near_identities_that_must_be_refuted() {
    check("refuted.txt", 120, Verdict::is_refuted);
}

#[test]
fn false_claims_are_never_proved() {
    check("false.txt", 50, |v| !v.is_proved());
}
