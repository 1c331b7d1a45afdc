//! Step 3 of a decision: the claim e = 0 is evaluated at random points of random prime fields.
//!
//! A residue that is not zero shows that e is not zero as an algebraic function. If all residues are zero, e is zero with a
//! probability of error that is bounded by three terms: the chance of an unlucky prime or point, which falls with the number of
//! *primes* ([`log2_error`]), and, for claims with even roots or signs, the chance that no point met the combination
//! of *cases* (the sign of each root, the side of each kink) for which the claim fails; it falls with the number of *points*.
//! So claims without roots and signs draw a few primes with a point each; others draw many points, of which several share a prime.

use std::collections::HashSet;

use super::REDRAWS;
use super::constants::{Constants, varying};
use super::degree::log2_error;
use super::domain::{Condition, Kind};
use super::forms::{Forms, Generator, Kind as Monomial, is_circular, is_exponential};
use super::prime::{Field, Random, Residue, is_prime};
use super::residues::{Residues, Root};
use super::setup::Setup;
use super::verdict::{Bound, Reason};
use crate::evaluate::{Fail, Outcome, Program, Step};
use crate::expr::Expr;
use crate::function::Function;
use crate::number::Rational;

/// The answer of the prime fields to a claim.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum FieldAnswer {
    /// Zero at every point.
    Zero {
        /// The probability of an error.
        bound: Bound,
        /// If the claim depends on signs: the conditions under which it is defined.
        sides: Vec<Condition>,
    },
    /// Not zero somewhere: the claim is false, or true for a reason the fields do not know.
    NonZero,
}

/// Primes for claims without signs: at least, and at most for large coefficients.
const MIN_PRIMES: usize = 3;
const MAX_PRIMES: usize = 12;
/// log₂ of the error probability that a proof without signs aims at, and of the largest one that is
/// still called a proof.
const TARGET_LOG2_ERROR: f64 = -80.0;
const MAX_LOG2_ERROR: f64 = -40.0;
/// Points for claims with even roots or signs, and how many of them share a prime.
const ROOT_POINTS: usize = 64;
const POINTS_PER_PRIME: usize = 4;
/// The largest amount of work, in program steps: about a quarter of a second.
const MAX_WORK: usize = 12_000_000;
/// The cost of a root, a sign, a sine or an exponential, in program steps: they are powers modulo p.
const POWER_COST: usize = 60;

const TOO_MANY_CASES: Reason =
    Reason::OutOfReach("too many signs or roots to try all their combinations");

impl Setup<'_> {
    /// The answer of the fields to the claim, or the reason why there is none: too much work, no point at which the
    /// claim is defined, or a bound of the error that is too large for a proof.
    pub(super) fn field_test(&self, seed: u64) -> Result<FieldAnswer, Reason> {
        let program = &self.program;
        let forms = Forms::new(program).map_err(Reason::OutOfReach)?;
        let constants = Constants::new(program, &self.settled);
        let error =
            log2_error(program, &forms, &self.positive_inputs).map_err(Reason::OutOfReach)?;
        let (roots, uncertain) = even_roots(program, &forms);
        let signs = self.signs();
        // Where there are branches, the one that is not taken need not be defined.
        let lazy = program.steps.iter().any(|s| matches!(s, Step::If(..)));
        let calls = program
            .steps
            .iter()
            .filter(|s| matches!(s, Step::Call(..)))
            .count();
        let cost = program.steps.len() + POWER_COST * (roots.len() + signs + calls);
        let mut random = Random::new(seed);

        // A root that failed somewhere is a proper extension of the field of functions: its sign
        // does not matter. One that never failed may be that of a square, |b|. But where the claim
        // has sides at all, a root may be proper on one side and a square on the other: then all
        // of them count.
        let mut failed: HashSet<Root> = HashSet::new();
        // The number of binary choices on which the claim may depend.
        let cases = |failed: &HashSet<Root>| {
            let never = roots.iter().any(|r| !failed.contains(r));
            if signs == 0 && !never {
                0
            } else {
                signs + roots.len()
            }
        };
        // The number of points that meet each of 2^cases combinations about 64 times.
        let points = |cases: usize| {
            let wanted = ROOT_POINTS.checked_shl(cases as u32).filter(|_| cases < 40);
            wanted
                .filter(|w| w.saturating_mul(cost) <= MAX_WORK.max(2 * ROOT_POINTS * cost))
                .ok_or(TOO_MANY_CASES)
        };
        // A claim about rational functions, sines and exponentials: primes alone count.
        let plain = roots.is_empty() && signs == 0;
        let mut wanted = if plain {
            // Large coefficients make a prime less reliable, so more primes are drawn.
            ((TARGET_LOG2_ERROR / error).ceil() as usize).clamp(MIN_PRIMES, MAX_PRIMES)
        } else if signs > 0 {
            points(signs + roots.len())?
        } else {
            ROOT_POINTS
        };
        // Whether an irrational constant is a square is the same at all points of a prime.
        let varies = varying(program);
        let irrational = (program.steps.iter().zip(&varies))
            .any(|(step, varies)| !varies && !matches!(step, Step::Number(_) | Step::Name));
        let per_prime = if plain || uncertain || irrational {
            1
        } else {
            POINTS_PER_PRIME
        };
        let (mut found, mut primes, mut redraws, mut work) = (0, 0, 0, 0);
        let mut values = Vec::new();
        let mut field = Field::draw(&mut random);
        // Whether no point of the present field was counted yet.
        let mut fresh = true;
        while found < wanted {
            if found % per_prime == 0 && !fresh {
                field = Field::draw(&mut random);
                fresh = true;
            }
            let mut point = Residues::new(field.clone(), random.next(), &forms, &constants.signs);
            let value = self.field_point(&mut point, &mut values, lazy, &mut work);
            failed.extend(point.failed_roots.into_iter().map(|root| match root {
                Root::Operand(k) => Root::Base(program.operands[k].1),
                other => other,
            }));
            match value {
                Ok(value) => {
                    if !value.is_zero() {
                        return Ok(FieldAnswer::NonZero);
                    }
                    primes += usize::from(fresh);
                    fresh = false;
                    found += 1;
                    redraws = 0;
                }
                Err(fail) => {
                    redraws += 1;
                    // A field may lack a root that others have.
                    if redraws % 8 == 0 || fail == Fail::Unknown {
                        field = Field::draw(&mut random);
                        fresh = true;
                    }
                    if redraws >= REDRAWS << roots.len().min(6) {
                        return Err(Reason::DefinedNowhere);
                    }
                }
            }
            // After the first points it is known which roots failed; the others may be squares.
            if found == ROOT_POINTS && !plain && signs == 0 {
                wanted = points(cases(&failed))?;
            }
            work += cost - program.steps.len();
            if work > 8 * MAX_WORK {
                return Err(TOO_MANY_CASES);
            }
        }
        let cases = if plain { 0 } else { cases(&failed) };
        // A combination of signs may be as rare as 2^−cases; it was missed found times.
        let missed = match cases {
            0 => f64::NEG_INFINITY,
            _ => found as f64 * (1.0 - (-(cases as f64)).exp2()).log2(),
        };
        let bound = Bound::log2(error * primes as f64).or(Bound::log2(missed));
        if bound > Bound::log2(MAX_LOG2_ERROR) {
            return Err(Reason::OutOfReach(
                "the error bound would be too large to speak of a proof",
            ));
        }
        let sides = if cases == 0 {
            Vec::new()
        } else {
            self.conditions(&forms, &constants, found)
        };
        Ok(FieldAnswer::Zero { bound, sides })
    }

    /// The conditions under which the claim is defined over the reals, as far as they can fail: on radicands of
    /// even roots, 1 − a and 1 + a for asin a and acos a, arguments of logarithms, denominators.
    fn conditions(&self, forms: &Forms, constants: &Constants, points: usize) -> Vec<Condition> {
        let program = &self.program;
        let node = |k: u32| Expr::new(self.pool, program.nodes[k as usize]);
        let (nonsquares, nonsquare_rests) = self.nonsquares(forms, constants, points);
        let mut conditions: Vec<Condition> = Vec::new();
        let mut sines: Vec<Expr<'_>> = Vec::new();
        for step in &program.steps {
            match *step {
                Step::Product(start, end) => {
                    for &(e, base) in &program.operands[start as usize..end as usize] {
                        let q = &program.numbers[e as usize];
                        let even = q.has_even_denominator() && nonsquares.contains(&base);
                        let kind = match (even, q.is_negative()) {
                            (true, true) => Kind::Positive,
                            (true, false) => Kind::NonNegative,
                            (false, true) => Kind::NonZero,
                            (false, false) => continue,
                        };
                        conditions.push((node(base).ix(), kind));
                    }
                }
                Step::Call(Function::Asin | Function::Acos, a, _)
                    if nonsquare_rests.contains(&a) =>
                {
                    sines.push(node(a));
                }
                Step::Call(Function::Log, a, _) => conditions.push((node(a).ix(), Kind::Positive)),
                _ => {}
            }
        }
        // |a| ≤ 1, or |a| < 1 where 1 − a² must not vanish, as two conditions that are affine in a.
        for a in sines {
            let rest = (1 - a.pow(2)).ix();
            let strict = conditions
                .iter()
                .any(|c| c.0 == rest && c.1 != Kind::NonNegative);
            conditions.retain(|c| c.0 != rest);
            let kind = if strict {
                Kind::Positive
            } else {
                Kind::NonNegative
            };
            conditions.extend([((1 - a).ix(), kind), ((1 + a).ix(), kind)]);
        }
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }

    /// Steps whose value was not a square at some point, and those a for which 1 − a² was not. A value that is
    /// a square at every point is a square as a function, or a positive multiple of one: −1 is no square.
    fn nonsquares(
        &self,
        forms: &Forms,
        constants: &Constants,
        points: usize,
    ) -> (HashSet<u32>, HashSet<u32>) {
        let mut random = Random::new(!self.seed);
        let (mut values_found, mut rests_found) = (HashSet::new(), HashSet::new());
        let mut field = Field::draw(&mut random);
        for k in 0..points.max(ROOT_POINTS) {
            if k % 2 == 0 {
                field = Field::draw(&mut random);
            }
            let field = field.clone();
            let mut point = Residues::new(field, random.next(), forms, &constants.signs);
            let inputs: Vec<Residue> = self
                .positive_inputs
                .iter()
                .map(|&p| point.draw(p))
                .collect();
            let values = self.program.values(&mut point, &inputs, |_, _| true);
            let f = &point.field;
            for step in &self.program.steps {
                match *step {
                    Step::Product(start, end) => {
                        for &(e, base) in &self.program.operands[start as usize..end as usize] {
                            let even = self.program.numbers[e as usize].has_even_denominator();
                            if even && values[base as usize].is_ok_and(|v| f.character(v) < 0) {
                                values_found.insert(base);
                            }
                        }
                    }
                    Step::Call(Function::Asin | Function::Acos, a, _) => {
                        let rest = |v| f.sub(f.one(), f.mul(v, v));
                        if values[a as usize].is_ok_and(|v| f.character(rest(v)) < 0) {
                            rests_found.insert(a);
                        }
                    }
                    _ => {}
                }
            }
        }
        (values_found, rests_found)
    }

    /// The claim at one point, if the point is admissible.
    fn field_point(
        &self,
        point: &mut Residues<'_>,
        values: &mut Vec<Outcome<Residue>>,
        lazy: bool,
        work: &mut usize,
    ) -> Result<Residue, Fail> {
        self.field_outputs(point, values, lazy, work)
            .map(|outputs| outputs[0])
    }

    /// All outputs at one random point, if the point is admissible.
    pub(super) fn field_outputs(
        &self,
        point: &mut Residues<'_>,
        values: &mut Vec<Outcome<Residue>>,
        lazy: bool,
        work: &mut usize,
    ) -> Result<Vec<Residue>, Fail> {
        let inputs: Vec<Residue> = self
            .positive_inputs
            .iter()
            .map(|&p| point.draw(p))
            .collect();
        let constants = self.program.constants(point);
        self.program
            .values_into(values, point, &constants, &inputs, |_, v| lazy || v.is_ok());
        *work += values.len();
        let mut outputs = Vec::with_capacity(self.program.outputs.len());
        for (k, &at) in self.program.outputs.iter().enumerate() {
            let value = match values.get(at as usize) {
                Some(value) => (*value)?,
                None => {
                    return Err(values
                        .last()
                        .and_then(|v| v.err())
                        .unwrap_or(Fail::Undefined));
                }
            };
            if (self.nonzero.contains(&k) && value.is_zero())
                || (self.positive.contains(&k) && point.field.character(value) != 1)
            {
                return Err(Fail::Undefined);
            }
            outputs.push(value);
        }
        Ok(outputs)
    }
}

/// Even roots of anything but numbers known to be prime, and whether a number is among them: one
/// that could not be factored may be a square times another.
pub(super) fn even_roots(program: &Program, forms: &Forms) -> (HashSet<Root>, bool) {
    let mut roots = HashSet::new();
    let mut uncertain = false;
    for (at, step) in program.steps.iter().enumerate() {
        match *step {
            Step::Product(start, end) => {
                for &(e, base) in &program.operands[start as usize..end as usize] {
                    if !program.numbers[e as usize].has_even_denominator() {
                        continue;
                    }
                    // b^½ and b^(−3/2) are one root.
                    match program.steps[base as usize] {
                        Step::Number(k) if is_known_prime(&program.numbers[k as usize]) => {}
                        Step::Number(_) => {
                            uncertain = true;
                            roots.insert(Root::Base(base));
                        }
                        _ => {
                            roots.insert(Root::Base(base));
                        }
                    }
                }
            }
            Step::Call(f, ..) if is_circular(f) || is_exponential(f) => {
                for (k, c) in forms.at.get(&at).into_iter().flat_map(|form| &form.terms) {
                    if let [(Generator::LogInteger(n), _)] = forms.monomials[*k as usize].as_slice()
                        && is_exponential(f)
                        && c.has_even_denominator()
                        && !n.parse().is_ok_and(|n: Rational| is_known_prime(&n))
                    {
                        uncertain = true;
                        roots.insert(Root::Monomial(*k));
                    }
                    let rooted = match forms.kinds[*k as usize] {
                        Monomial::Angle(..) => is_circular(f),
                        Monomial::LogOf(_) => is_exponential(f),
                        Monomial::Free => false,
                    };
                    if rooted {
                        roots.insert(Root::Monomial(*k));
                    }
                }
            }
            _ => {}
        }
    }
    (roots, uncertain)
}

fn is_known_prime(q: &Rational) -> bool {
    q.to_i64().is_some_and(|n| n > 1 && is_prime(n as u64))
}
