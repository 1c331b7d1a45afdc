//! Step 3: random points of random prime fields.

use std::collections::HashSet;

use super::constants::Constants;
use super::degree::log2_error;
use super::forms::{Forms, Kind, is_circular, is_exponential};
use super::prime::{Field, Random, Residue};
use super::residues::{Residues, Root};
use super::verdict::{Bound, Reason};
use super::{REDRAWS, Setup};
use crate::evaluate::{Fail, Program, Step};

/// What the fields say.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum FieldAnswer {
    /// Zero at every point.
    Zero(Bound),
    /// Not zero somewhere: the claim is false, or true for a reason the fields do not know.
    NonZero,
}

/// Primes for claims without signs; points for claims with even roots or signs, and how many of
/// them share a prime.
const PRIMES: usize = 3;
const MAX_PRIMES: usize = 12;
/// log₂ of the error with which a proof without signs is content.
const ENOUGH: f64 = -128.0;
const ROOT_POINTS: usize = 64;
const POINTS_PER_PRIME: usize = 4;
/// The most work: steps evaluated.
const MAX_WORK: usize = 40_000_000;

impl Setup<'_> {
    pub(super) fn field_test(&self, seed: u64) -> Result<FieldAnswer, Reason> {
        let program = &self.program;
        let forms = Forms::new(program).map_err(Reason::OutOfReach)?;
        let constants = Constants::new(program);
        let error =
            log2_error(program, &forms, &self.positive_inputs).map_err(Reason::OutOfReach)?;
        let roots = even_roots(program, &forms);
        let signs = self.signs() as usize;
        let lazy = program.steps.iter().any(|s| matches!(s, Step::If(..)));
        let mut random = Random::new(seed);

        let mut failed: HashSet<Root> = HashSet::new();
        let (mut found, mut primes, mut redraws, mut work) = (0, 0, 0, 0);
        let plain = roots.is_empty() && signs == 0;
        // Large coefficients make a prime less trustworthy: then more of them are asked.
        let primes_for = (ENOUGH / error).ceil() as usize;
        let mut wanted = if plain {
            primes_for.clamp(PRIMES, MAX_PRIMES)
        } else {
            ROOT_POINTS << signs.min(20)
        };
        let per_prime = if plain { 1 } else { POINTS_PER_PRIME };
        let mut field = Field::draw(&mut random);
        let mut fresh = true;
        while found < wanted {
            if found % per_prime == 0 && !fresh {
                field = Field::draw(&mut random);
                fresh = true;
            }
            let mut point = Residues::new(field.clone(), random.next(), &forms, &constants.signs);
            let value = self.field_point(&mut point, lazy, &mut work);
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
            if found == ROOT_POINTS && found <= wanted && !roots.is_empty() {
                // A root that failed somewhere is a proper extension of the field of functions:
                // its sign does not matter. One that never failed may be that of a square, |b|.
                let never = roots.iter().filter(|r| !failed.contains(r)).count();
                wanted = ROOT_POINTS << (signs + never).min(20);
            }
            if work > MAX_WORK {
                return Err(Reason::OutOfReach(
                    "too many signs or roots to try all their combinations",
                ));
            }
        }
        let never = roots.iter().filter(|r| !failed.contains(r)).count();
        let algebra = error * primes as f64;
        let cases = if signs + never == 0 {
            f64::NEG_INFINITY
        } else {
            // A combination of signs may be as rare as 2^−cases; it was missed found times.
            let rare = (-((signs + never) as f64)).exp2();
            found as f64 * (1.0 - rare).log2()
        };
        Ok(FieldAnswer::Zero(
            Bound::log2(algebra).or(Bound::log2(cases)),
        ))
    }

    /// The claim at one point, if the point is admissible.
    fn field_point(
        &self,
        point: &mut Residues<'_>,
        lazy: bool,
        work: &mut usize,
    ) -> Result<Residue, Fail> {
        self.field_outputs(point, lazy, work)
            .map(|outputs| outputs[0])
    }

    /// All outputs at one random point, if the point is admissible.
    pub(super) fn field_outputs(
        &self,
        point: &mut Residues<'_>,
        lazy: bool,
        work: &mut usize,
    ) -> Result<Vec<Residue>, Fail> {
        let inputs: Vec<Residue> = self
            .positive_inputs
            .iter()
            .map(|&p| point.draw(p))
            .collect();
        let values = self
            .program
            .values(point, &inputs, |_, v| lazy || v.is_ok());
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

/// Even roots of anything but numbers.
pub(super) fn even_roots(program: &Program, forms: &Forms) -> HashSet<Root> {
    let mut roots = HashSet::new();
    for (at, step) in program.steps.iter().enumerate() {
        match *step {
            Step::Product(start, end) => {
                for k in start as usize..end as usize {
                    let (e, base) = program.operands[k];
                    let number = matches!(program.steps[base as usize], Step::Number(_));
                    if program.numbers[e as usize].has_even_denominator() && !number {
                        // b^½ and b^(−3/2) are one root.
                        roots.insert(Root::Base(base));
                    }
                }
            }
            Step::Call(f, ..) if is_circular(f) || is_exponential(f) => {
                for (k, _) in forms.at.get(&at).into_iter().flat_map(|form| &form.terms) {
                    let rooted = match forms.kinds[*k as usize] {
                        Kind::Angle(..) => is_circular(f),
                        Kind::LogOf(_) => is_exponential(f),
                        Kind::Free => false,
                    };
                    if rooted {
                        roots.insert(Root::Monomial(*k));
                    }
                }
            }
            _ => {}
        }
    }
    roots
}
