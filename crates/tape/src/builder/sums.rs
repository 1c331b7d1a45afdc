//! Sums made of other sums, so that terms they share are added once.

use galilei_expr::{Expr, Rational};

use super::Builder;
use crate::hash::Table;
use crate::tape::Reg;

/// The largest number of terms of a sum that is made of known sums.
const MAX_COMPOSED_TERMS: usize = 40;
/// The largest number of known sums with one register that are searched.
const MAX_SEARCHED_SUMS: usize = 60;

/// A sum with its terms, in the order of their registers.
#[derive(Clone, Debug)]
struct KnownSum {
    terms: Vec<(Reg, Rational)>,
    sum: Reg,
}

/// Sums that others can be made of, by the last of their registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    known: Table<Reg, Vec<KnownSum>>,
}

impl Sums {
    fn remember(&mut self, mut terms: Vec<(Reg, Rational)>, sum: Reg) {
        terms.sort_by_key(|t| t.0);
        let last = match terms.last() {
            Some(last) if terms.len() > 1 => last.0,
            _ => return,
        };
        let list = self.known.entry(last).or_default();
        if list.len() < MAX_SEARCHED_SUMS && list.iter().all(|s| s.terms != terms) {
            list.push(KnownSum { terms, sum });
        }
    }

    /// The known sum with most terms of which a multiple is a part of a sum, with its factor.
    fn largest_within(&self, rest: &[(Reg, Rational)]) -> Option<(Rational, KnownSum)> {
        let factor_of = |r: Reg| rest.iter().find(|t| t.0 == r).map(|t| &t.1);
        let mut best: Option<(Rational, &KnownSum)> = None;
        for (last, c) in rest {
            for known in self.known.get(last).into_iter().flatten() {
                let size = |k: &KnownSum| (k.terms.len(), k.sum);
                let smaller = best.as_ref().is_some_and(|b| size(known) <= size(b.1));
                let (Some(own), false) = (known.terms.last(), smaller) else {
                    continue;
                };
                let factor = c / &own.1;
                let fits =
                    |(r, own): &(Reg, Rational)| factor_of(*r).is_some_and(|c| *c == &factor * own);
                if known.terms.len() <= rest.len() && known.terms.iter().all(fits) {
                    best = Some((factor, known));
                }
            }
        }
        best.map(|(factor, known)| (factor, known.clone()))
    }
}

impl Builder {
    /// Σ c·r, made of multiples of known sums.
    fn composed(&mut self, terms: Vec<(Reg, Rational)>, mut sums: Sums) -> (Option<Reg>, Sums) {
        let mut rest = terms.clone();
        let mut parts: Vec<(Reg, Rational)> = Vec::new();
        while let Some((factor, found)) = sums.largest_within(&rest) {
            rest.retain(|t| found.terms.iter().all(|own| own.0 != t.0));
            parts.push((found.sum, factor));
        }
        // What is left, by the size of its factors. Velocities, the first registers, come last.
        let inputs = self.inputs as Reg;
        rest.sort_by_key(|t| (t.0 < inputs, t.0));
        let mut done: Vec<Rational> = Vec::new();
        for (k, (first, factor)) in rest.iter().enumerate() {
            let size = factor.abs();
            if done.contains(&size) {
                continue;
            }
            let mut sum = *first;
            let mut made = vec![(*first, Rational::ONE)];
            for (r, c) in rest[k + 1..].iter().filter(|t| t.1.abs() == size) {
                let same = c == factor;
                sum = match same {
                    true => self.add(sum, *r),
                    false => self.sub(sum, *r),
                };
                made.push((*r, if same { Rational::ONE } else { -&Rational::ONE }));
                sums.remember(made.clone(), sum);
            }
            parts.push((sum, factor.clone()));
            done.push(size);
        }
        parts.sort_by_key(|(r, c)| (!c.abs().is_one(), *r));
        let mut total: Option<Reg> = None;
        for (r, c) in parts {
            let c = c.to_f64();
            total = Some(match total {
                None => self.scale(r, c),
                Some(t) if c == -1.0 => self.sub(t, r),
                Some(t) => {
                    let s = self.scale(r, c);
                    self.add(t, s)
                }
            });
        }
        if let Some(total) = total {
            sums.remember(terms, total);
        }
        (total, sums)
    }

    pub(super) fn sum(&mut self, terms: &[(Rational, Expr<'_>)]) -> Reg {
        if terms.len() <= MAX_COMPOSED_TERMS
            && let Some(sums) = self.sums.take()
        {
            let mut constant = 0.0;
            let mut list: Vec<(Reg, Rational)> = Vec::with_capacity(terms.len());
            for (c, e) in terms {
                let r = self.registers[&e.id()];
                match (self.constant(r), list.iter_mut().find(|t| t.0 == r)) {
                    (Some(x), _) => constant += c.to_f64() * x,
                    (None, Some(t)) => t.1 = &t.1 + c,
                    (None, None) => list.push((r, c.clone())),
                }
            }
            list.retain(|t| !t.1.is_zero());
            let (total, sums) = self.composed(list, sums);
            self.sums = Some(sums);
            return match total {
                None => self.number(constant),
                Some(t) => self.shift(t, constant),
            };
        }
        let mut total: Option<Reg> = None;
        let mut constant = 0.0;
        for (c, e) in terms {
            let r = self.registers[&e.id()];
            let c = c.to_f64();
            if let Some(x) = self.constant(r) {
                constant += c * x;
                continue;
            }
            total = Some(match total {
                None => self.scale(r, c),
                Some(t) if c == 1.0 => self.add(t, r),
                Some(t) if c == -1.0 => self.sub(t, r),
                Some(t) => {
                    let s = self.scale(r, c);
                    self.add(t, s)
                }
            });
        }
        match total {
            None => self.number(constant),
            Some(t) => self.shift(t, constant),
        }
    }
}
