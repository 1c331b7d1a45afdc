//! Claims between trees, with verdicts checked by the arithmetic of another library.
#![allow(dead_code)]

use galilei_expr::{Pool, Query, Rational, Verdict};

use super::big::{self, Value};
use super::draw::Dice;
use super::tree::{SYMBOLS, Tree};

/// A function that judges a claim a = b.
pub(crate) type Judge = fn(&Tree, &Tree) -> Verdict;

/// `decide`, where the written parts of both sides are defined.
fn decide(a: &Tree, b: &Tree, branches: bool) -> Verdict {
    let pool = Pool::new();
    let mut parts = a.parts(&pool, branches);
    parts.extend(b.parts(&pool, branches));
    Query::equal(a.build(&pool), b.build(&pool))
        .defined(parts)
        .decide()
        .verdict
}

pub(crate) const OURS: Judge = |a, b| decide(a, b, false);

/// `decide`, where also the parts of branches are defined: a sign that is folded inside a branch loses its
/// domain, as sign(exp(log x)) = 1 does.
pub(crate) const CAREFUL: Judge = |a, b| decide(a, b, true);

/// Whether two values are certainly different.
fn differ(a: &Value, b: &Value) -> bool {
    let off = big::abs(&a.value - &b.value);
    let error = &a.error + &b.error;
    off > (error << 8)
}

/// A point at which both sides are defined and differ, by the arithmetic of another library.
pub(crate) fn difference(
    a: &Tree,
    b: &Tree,
    points: usize,
    dice: &mut Dice,
) -> Option<Vec<Rational>> {
    (0..points).find_map(|k| {
        let scale = [300, 1000, 100, 3000][k % 4];
        let point: Vec<Rational> = SYMBOLS
            .iter()
            .map(|_| Rational::new((dice.word() % (2 * scale)) as i64 - scale as i64, 512))
            .collect();
        let (v, w) = (big::value(a, &point)?, big::value(b, &point)?);
        differ(&v, &w).then_some(point)
    })
}

/// Checks that no verdict contradicts what is known: an identity is not refuted, a false claim not proved,
/// and the witness of a refutation is a point at which the sides differ.
pub(crate) fn consistent(
    judge: Judge,
    a: &Tree,
    b: &Tree,
    dice: &mut Dice,
    identity: bool,
) -> Result<Verdict, String> {
    let verdict = judge(a, b);
    let claim = || format!("{verdict}: {a} = {b}");
    let known = difference(a, b, 8, dice);
    match (&verdict, known) {
        (_, Some(point)) if identity => {
            return Err(format!("not an identity, at {point:?}: {a} = {b}"));
        }
        (Verdict::Refuted(_), None) if identity => return Err(claim()),
        (Verdict::Proved(_), Some(point)) => {
            return Err(format!("{}, but not at {point:?}", claim()));
        }
        _ => {}
    }
    if let Verdict::Refuted(witness) = &verdict {
        let undetermined = |t: &Tree| t.any(&|t| matches!(t, Tree::Undetermined(..)));
        if undetermined(a) || undetermined(b) {
            return Ok(verdict);
        }
        // On a jump a value may be no fraction.
        let value = |name: &&str| {
            let known = witness.values.iter().find(|(n, _)| n == name);
            known.map_or(Some(Rational::ZERO), |(_, text)| text.parse().ok())
        };
        let Some(point) = SYMBOLS.iter().map(value).collect::<Option<Vec<Rational>>>() else {
            return Ok(verdict);
        };
        // At a kink the other library may give no answer, and a difference may be too small for its digits.
        match (big::value(a, &point), big::value(b, &point)) {
            (Some(v), Some(w)) if !differ(&v, &w) => {}
            _ => return Ok(verdict),
        }
        let sides = (big::rough(a, &point, 6000), big::rough(b, &point, 6000));
        if let (Some(v), Some(w)) = sides
            && big::log2(&(&v - &w)) < big::log2(&v).max(0) - 5000
        {
            return Err(format!("the witness shows nothing: {}", claim()));
        }
    }
    Ok(verdict)
}
