//! Sums: Σ cᵢ·tᵢ with numeric coefficients, like terms collected.

use std::cmp::Ordering;

use super::order::{compare, key};
use super::{ABSORB_TERMS, Builder, Entry};
use crate::node::{Ix, MAX_LEN, MINUS_ONE, ONE, Tag, UNDEFINED, Word, ZERO};
use crate::number::Rational;

impl Builder<'_> {
    /// a + b
    pub(crate) fn add(&mut self, a: Ix, b: Ix) -> Ix {
        match (a, b) {
            (ZERO, x) | (x, ZERO) => x,
            _ => self.linear(ONE, a, ONE, b),
        }
    }

    /// a − b
    pub(crate) fn sub(&mut self, a: Ix, b: Ix) -> Ix {
        match b {
            ZERO => a,
            _ => self.linear(ONE, a, MINUS_ONE, b),
        }
    }

    /// −a
    pub(crate) fn neg(&mut self, a: Ix) -> Ix {
        self.scale(MINUS_ONE, a)
    }

    /// c·a with a number c.
    pub(crate) fn scale(&mut self, c: Ix, a: Ix) -> Ix {
        if a == UNDEFINED || c == ONE {
            return a;
        }
        if c == ZERO {
            return ZERO;
        }
        let node = self.node(a);
        if node.is_number() {
            return self.mul_numbers(c, a);
        }
        if node.tag == Tag::Sum && node.len <= ABSORB_TERMS {
            let mut list = self.spare();
            self.open(c, a, &mut list);
            return self.close_sum(list);
        }
        self.intern(Tag::Sum, &[Word::new(c, a)])
    }

    /// c·a + d·b with numbers c, d: two sorted lists merged.
    pub(crate) fn linear(&mut self, c: Ix, a: Ix, d: Ix, b: Ix) -> Ix {
        if a == UNDEFINED || b == UNDEFINED {
            return UNDEFINED;
        }
        let (mut left, mut right, mut merged) = (self.spare(), self.spare(), self.spare());
        self.open(c, a, &mut left);
        self.open(d, b, &mut right);
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            let (l, r) = (left[i], right[j]);
            match self.place(&l, &r) {
                Ordering::Less => {
                    merged.push(l);
                    i += 1;
                }
                Ordering::Greater => {
                    merged.push(r);
                    j += 1;
                }
                Ordering::Equal => {
                    let attr = self.add_numbers(l.word.attr, r.word.attr);
                    if attr != ZERO {
                        merged.push(Entry {
                            key: l.key,
                            word: Word::new(attr, l.word.child),
                        });
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        merged.extend_from_slice(&left[i..]);
        merged.extend_from_slice(&right[j..]);
        self.give_back(left);
        self.give_back(right);
        self.close_sum(merged)
    }

    /// Σ cᵢ·tᵢ for any number of terms.
    pub(crate) fn sum(&mut self, terms: impl IntoIterator<Item = (Ix, Ix)>) -> Ix {
        let mut list = self.spare();
        let mut undefined = false;
        for (c, t) in terms {
            undefined |= t == UNDEFINED;
            self.open(c, t, &mut list);
        }
        if undefined {
            self.give_back(list);
            return UNDEFINED;
        }
        self.collect(&mut list);
        self.close_sum(list)
    }

    pub(super) fn place(&self, l: &Entry, r: &Entry) -> Ordering {
        match l.key.cmp(&r.key) {
            Ordering::Equal => compare(self.pool, l.word.child, r.word.child),
            other => other,
        }
    }

    /// Sorts a list of terms and adds the coefficients of equal ones.
    fn collect(&mut self, list: &mut Vec<Entry>) {
        let pool = self.pool;
        list.sort_unstable_by(|l, r| {
            l.key
                .cmp(&r.key)
                .then_with(|| compare(pool, l.word.child, r.word.child))
        });
        let mut kept = 0;
        let mut i = 0;
        while i < list.len() {
            let mut entry = list[i];
            i += 1;
            while i < list.len() && list[i].word.child == entry.word.child {
                entry.word.attr = self.add_numbers(entry.word.attr, list[i].word.attr);
                i += 1;
            }
            if entry.word.attr != ZERO {
                list[kept] = entry;
                kept += 1;
            }
        }
        list.truncate(kept);
    }

    /// Appends the terms of c·a: those of a small sum one by one, in order.
    fn open(&mut self, c: Ix, a: Ix, list: &mut Vec<Entry>) {
        if c == ZERO {
            return;
        }
        let pool = self.pool;
        let node = pool.node(a);
        match node.tag {
            Tag::Small | Tag::Big => {
                let attr = self.mul_numbers(c, a);
                if attr != ZERO {
                    list.push(Entry {
                        key: 0,
                        word: Word::new(attr, ONE),
                    });
                }
            }
            Tag::Sum if node.len <= ABSORB_TERMS => {
                for w in pool.words(&node) {
                    let attr = self.mul_numbers(c, w.attr);
                    list.push(Entry {
                        key: key(pool, w.child),
                        word: Word::new(attr, w.child),
                    });
                }
            }
            _ => list.push(Entry {
                key: key(pool, a),
                word: Word::new(c, a),
            }),
        }
    }

    /// The node of a collected list.
    fn close_sum(&mut self, mut list: Vec<Entry>) -> Ix {
        let ix = match list.as_mut_slice() {
            [] => ZERO,
            [e] if e.word.child == ONE => e.word.attr,
            [e] if e.word.attr == ONE => e.word.child,
            many if many.len() > MAX_LEN => {
                let parts: Vec<Ix> = many
                    .chunks(MAX_LEN / 2)
                    .map(|part| self.close_sum(part.to_vec()))
                    .collect();
                self.sum(parts.into_iter().map(|p| (ONE, p)))
            }
            many if many.len() > ABSORB_TERMS as usize => {
                // A sum too long to be opened is kept without its numeric factor and with a
                // positive first coefficient, so that it has the same handle wherever it becomes a term.
                let c = self.factor_of(|| many.iter().map(|e| e.word));
                let Some(inverse) = c.recip().filter(|_| !c.is_one()) else {
                    let whole = self.intern_entries(Tag::Sum, many);
                    self.give_back(list);
                    return whole;
                };
                let (c, inverse) = (self.number(&c), self.number(&inverse));
                for e in many.iter_mut() {
                    e.word.attr = self.mul_numbers(inverse, e.word.attr);
                }
                let rest = self.intern_entries(Tag::Sum, many);
                self.intern(Tag::Sum, &[Word::new(c, rest)])
            }
            many => self.intern_entries(Tag::Sum, many),
        };
        self.give_back(list);
        ix
    }

    /// Splits `a` into a number and the rest: a = c·rest, rest without an evident factor and,
    /// if a sum, with a positive first coefficient.
    ///
    /// The factor of a sum is the common absolute value of its coefficients, or their greatest
    /// common divisor if they are integers; decimals are left as they were written.
    pub(super) fn split(&mut self, a: Ix) -> (Ix, Ix) {
        let pool = self.pool;
        let node = pool.node(a);
        match node.tag {
            Tag::Small | Tag::Big => return (a, ONE),
            Tag::Sum => {}
            _ => return (ONE, a),
        }
        if node.len == 1 {
            let w = pool.word(&node, 0);
            return (w.attr, w.child);
        }
        // A long sum has no factor left.
        if node.len > ABSORB_TERMS {
            return (ONE, a);
        }
        let c = self.factor_of(|| pool.words(&node));
        if c.is_one() {
            return (ONE, a);
        }
        let inverse = c.recip().map_or(ONE, |r| self.number(&r));
        let rest = self.scale(inverse, a);
        (self.number(&c), rest)
    }

    /// The factor of a sum of several terms: its content, with the sign of the first coefficient
    /// that does not belong to a number.
    fn factor_of<W: Iterator<Item = Word>>(&self, words: impl Fn() -> W) -> Rational {
        let lead = words().find(|w| w.child != ONE).map_or(ONE, |w| w.attr);
        let unit = words().any(|w| w.attr == ONE || w.attr == MINUS_ONE);
        let content = if unit {
            Rational::ONE
        } else {
            self.content(words())
        };
        if self.is_negative_number(lead) {
            -&content
        } else {
            content
        }
    }

    /// The positive common factor of some coefficients.
    fn content(&self, words: impl Iterator<Item = Word>) -> Rational {
        let mut coefficients = words.map(|w| self.pool.rational(w.attr).abs());
        let first = coefficients.next().unwrap_or(Rational::ONE);
        let mut equal = true;
        let mut divisor = first.is_integer().then(|| first.clone());
        for c in coefficients {
            equal &= c == first;
            divisor = divisor.filter(|_| c.is_integer()).map(|d| d.gcd(&c));
            if !equal && divisor.as_ref().is_none_or(Rational::is_one) {
                return Rational::ONE;
            }
        }
        if equal {
            first
        } else {
            divisor.unwrap_or(Rational::ONE)
        }
    }

    /// Whether the first coefficient is negative, so that −a is the simpler form.
    pub(super) fn leads_negative(&self, a: Ix) -> bool {
        let node = self.node(a);
        if node.is_number() {
            return self.is_negative_number(a);
        }
        // A long sum is stored with a positive first coefficient.
        if node.tag != Tag::Sum || node.len > ABSORB_TERMS {
            return false;
        }
        let first = self.pool.word(&node, 0);
        let lead = if first.child == ONE && node.len > 1 {
            self.pool.word(&node, 1).attr
        } else {
            first.attr
        };
        self.is_negative_number(lead)
    }
}
