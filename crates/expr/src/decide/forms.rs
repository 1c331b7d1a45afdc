//! Arguments of sin, cos, exp, … as linear combinations of monomials.
//!
//! sin(2x + y) and sin(x)·cos(y) are related because their arguments are combinations of x and y
//! with rational coefficients. So every argument of a query is expanded into monomials, and each
//! monomial m, divided by the common denominator D of its coefficients, becomes an *atom*: a
//! random point of the circle for the trigonometric functions, a random unit for the exponential
//! ones. Monomials are linearly independent over ℚ as polynomials; where the functions behind
//! them happen to be dependent, a relation is missed, never invented.

use std::collections::{BTreeMap, HashMap};

use crate::evaluate::{Program, Step};
use crate::function::Function;
use crate::number::Rational;

/// A factor of a monomial.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Generator {
    /// The value of a step.
    Step(u32),
    /// log p for a prime p (or a factor without small primes): log 6 is log 2 + log 3.
    LogInteger(String),
}

/// A product of powers of generators; empty for the constant 1.
pub(crate) type Monomial = Vec<(Generator, Rational)>;
type Expansion = BTreeMap<Monomial, Rational>;

/// The argument of one call: Σ coefficient·monomial.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    pub(crate) terms: Vec<(u32, Rational)>,
    /// Multiple of π with a denominator that divides 12, kept apart.
    pub(crate) pi: Option<Rational>,
}

/// The known meaning of a monomial as an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    /// Nothing special: a free atom.
    Free,
    /// log of a step: its exponential is that step.
    LogOf(u32),
    /// An inverse trigonometric function at this step: sine and cosine are algebraic.
    Angle(Function, u32, Option<u32>),
}

/// All forms of a program, and the atoms they share.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// Form of the call at a step.
    pub(crate) at: HashMap<usize, Form>,
    pub(crate) monomials: Vec<Monomial>,
    pub(crate) kinds: Vec<Kind>,
    /// Common denominators: of circular coefficients, and of exponential ones.
    pub(crate) circular: Vec<i64>,
    pub(crate) exponential: Vec<i64>,
}

/// Terms up to which an argument is expanded; a longer one is an atom of its own.
const MAX_TERMS: usize = 256;

pub(crate) fn is_circular(f: Function) -> bool {
    matches!(f, Function::Sin | Function::Cos | Function::Tan)
}

pub(crate) fn is_exponential(f: Function) -> bool {
    matches!(
        f,
        Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh
    )
}

impl Forms {
    /// Expands every argument of a program. The error says why a query is out of reach.
    pub(crate) fn new(program: &Program) -> Result<Self, &'static str> {
        let mut forms = Self::default();
        let calls: Vec<(usize, Function, u32)> = program
            .steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match *step {
                Step::Call(f, a, _) if is_circular(f) || is_exponential(f) => Some((at, f, a)),
                _ => None,
            })
            .collect();
        if calls.is_empty() {
            return Ok(forms);
        }
        let expansions = expand(program, calls.iter().map(|c| c.2));
        let mut numbers: HashMap<Monomial, u32> = HashMap::new();
        for (at, f, argument) in calls {
            let mut form = Form::default();
            for (monomial, c) in &expansions[&argument] {
                let is_pi = matches!(monomial.as_slice(),
                    [(Generator::Step(s), q)] if q.is_one() && matches!(program.steps[*s as usize], Step::Pi));
                if is_pi && is_circular(f) && (c * &Rational::from(12)).is_integer() {
                    form.pi = Some(c.clone());
                    continue;
                }
                let k = *numbers.entry(monomial.clone()).or_insert_with(|| {
                    forms.monomials.push(monomial.clone());
                    forms.kinds.push(kind(program, monomial));
                    forms.circular.push(1);
                    forms.exponential.push(1);
                    forms.monomials.len() as u32 - 1
                });
                let denominators = if is_circular(f) {
                    &mut forms.circular
                } else {
                    &mut forms.exponential
                };
                let (_, d) = c
                    .small()
                    .ok_or("an argument has a coefficient beyond 64 bits")?;
                let old = denominators[k as usize];
                let g = crate::number::gcd_u64(old as u64, d as u64) as i64;
                denominators[k as usize] =
                    (old / g).checked_mul(d).filter(|&m| m < 1 << 32).ok_or(
                        "the denominators in the arguments have a common multiple beyond 2^32",
                    )?;
                form.terms.push((k, c.clone()));
            }
            forms.at.insert(at, form);
        }
        Ok(forms)
    }

    /// The multiple of the atom that belongs to a coefficient.
    pub(crate) fn multiple(denominator: i64, c: &Rational) -> Option<i64> {
        (c * &Rational::from(denominator))
            .to_i64()
            .filter(|n| n.unsigned_abs() < 1 << 32)
    }
}

fn kind(program: &Program, monomial: &Monomial) -> Kind {
    let [(Generator::Step(s), q)] = monomial.as_slice() else {
        return Kind::Free;
    };
    if !q.is_one() {
        return Kind::Free;
    }
    match program.steps[*s as usize] {
        Step::Call(Function::Log, b, _) => Kind::LogOf(b),
        Step::Call(
            f @ (Function::Asin | Function::Acos | Function::Atan | Function::Atan2),
            a,
            b,
        ) => Kind::Angle(f, a, b),
        _ => Kind::Free,
    }
}

/// The expansions of some steps into monomials, bottom up.
fn expand(program: &Program, roots: impl Iterator<Item = u32>) -> HashMap<u32, Expansion> {
    // Only sums and products on the way down from the roots are opened.
    let mut needed = vec![false; program.steps.len()];
    for r in roots {
        needed[r as usize] = true;
    }
    for at in (0..needed.len()).rev() {
        if let (true, Step::Sum(start, end) | Step::Product(start, end)) =
            (needed[at], &program.steps[at])
        {
            for &(_, child) in &program.operands[*start as usize..*end as usize] {
                needed[child as usize] = true;
            }
        }
    }
    let mut done: HashMap<u32, Expansion> = HashMap::new();
    for (at, step) in program
        .steps
        .iter()
        .enumerate()
        .filter(|(at, _)| needed[*at])
    {
        let whole = || {
            single(
                vec![(Generator::Step(at as u32), Rational::ONE)],
                Rational::ONE,
            )
        };
        let expansion = match *step {
            Step::Number(k) => single(vec![], program.numbers[k as usize].clone()),
            Step::Sum(start, end) => {
                let mut sum = Expansion::new();
                for &(c, child) in &program.operands[start as usize..end as usize] {
                    for (m, d) in &done[&child] {
                        insert(&mut sum, m.clone(), &program.numbers[c as usize] * d);
                    }
                }
                sum
            }
            Step::Product(start, end) => product(program, start, end, &done).unwrap_or_else(whole),
            Step::Call(Function::Log, b, _) => match program.steps[b as usize] {
                Step::Number(k) => logarithm(&program.numbers[k as usize]).unwrap_or_else(whole),
                _ => whole(),
            },
            _ => whole(),
        };
        let small = expansion.len() <= MAX_TERMS && expansion.values().all(|c| c.bits() < 256);
        done.insert(at as u32, if small { expansion } else { whole() });
    }
    done
}

fn single(monomial: Monomial, c: Rational) -> Expansion {
    if c.is_zero() {
        Expansion::new()
    } else {
        Expansion::from([(monomial, c)])
    }
}

fn insert(sum: &mut Expansion, monomial: Monomial, c: Rational) {
    let entry = sum.entry(monomial).or_insert(Rational::ZERO);
    *entry = &*entry + &c;
    if entry.is_zero() {
        sum.retain(|_, c| !c.is_zero());
    }
}

fn product(
    program: &Program,
    start: u32,
    end: u32,
    done: &HashMap<u32, Expansion>,
) -> Option<Expansion> {
    let mut result = single(vec![], Rational::ONE);
    for &(e, child) in &program.operands[start as usize..end as usize] {
        let q = &program.numbers[e as usize];
        let is_sum = matches!(program.steps[child as usize], Step::Sum(..));
        let base = match q.to_i64() {
            // Integer powers of single monomials and small powers of sums are multiplied out.
            Some(n) if done[&child].len() == 1 && !is_sum => {
                let (m, c) = done[&child].iter().next()?;
                let c = c.powi(n, 1 << 10)?;
                single(m.iter().map(|(g, k)| (g.clone(), k * q)).collect(), c)
            }
            Some(n @ 1..=8) => {
                let mut power = done[&child].clone();
                for _ in 1..n {
                    power = times(&power, &done[&child])?;
                }
                power
            }
            _ => single(vec![(Generator::Step(child), q.clone())], Rational::ONE),
        };
        result = times(&result, &base)?;
    }
    Some(result)
}

fn times(a: &Expansion, b: &Expansion) -> Option<Expansion> {
    if a.len() * b.len() > MAX_TERMS * 4 {
        return None;
    }
    let mut result = Expansion::new();
    for (m, c) in a {
        for (n, d) in b {
            let mut powers: BTreeMap<Generator, Rational> = m.iter().cloned().collect();
            for (g, k) in n {
                let entry = powers.entry(g.clone()).or_insert(Rational::ZERO);
                *entry = &*entry + k;
            }
            powers.retain(|_, k| !k.is_zero());
            insert(&mut result, powers.into_iter().collect(), c * d);
        }
    }
    Some(result)
}

/// log of a positive fraction, as a combination of logarithms of integers.
fn logarithm(q: &Rational) -> Option<Expansion> {
    if q.signum() <= 0 || q.bits() > 512 {
        return None;
    }
    let mut sum = Expansion::new();
    let above = crate::build::factor(q.numerator().into_parts().1);
    let below = crate::build::factor(q.denominator());
    for (factors, sign) in [(above, 1), (below, -1)] {
        for (base, k) in factors {
            let generator = Generator::LogInteger(base.to_string());
            insert(
                &mut sum,
                vec![(generator, Rational::ONE)],
                Rational::from(sign * k),
            );
        }
    }
    Some(sum)
}
