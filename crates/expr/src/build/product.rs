//! Products: Π bᵢ^qᵢ with rational exponents, equal bases collected; and powers.

use std::cmp::Ordering;

use super::order::{compare, key};
use super::{ABSORB_FACTORS, ABSORB_TERMS, Builder, Entry, MAX_NUMBER_BITS};
use crate::function::Function;
use crate::node::{HALF, Ix, MAX_LEN, MINUS_ONE, ONE, TWO, Tag, UNDEFINED, Word, ZERO};

/// The result of raising a base to a collected exponent.
enum Factor {
    /// The number one: the exponent is zero.
    One,
    /// A factor that stays in the list being collected.
    Keep(Word),
    /// An expression to be multiplied in afterwards.
    Later(Ix),
}

impl Builder<'_> {
    /// a·b
    pub(crate) fn mul(&mut self, a: Ix, b: Ix) -> Ix {
        match (a, b) {
            (UNDEFINED, _) | (_, UNDEFINED) => return UNDEFINED,
            (ZERO, _) | (_, ZERO) => return ZERO,
            (ONE, x) | (x, ONE) => return x,
            _ => {}
        }
        if self.node(a).is_number() {
            return self.scale_checked(a, b);
        }
        if self.node(b).is_number() {
            return self.scale_checked(b, a);
        }
        let (ca, ra) = self.split(a);
        let (cb, rb) = self.split(b);
        let (mut left, mut right, mut merged) = (self.spare(), self.spare(), self.spare());
        let exponentials = self.open_product(ra, &mut left) + self.open_product(rb, &mut right);
        let mut later = Vec::new();
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
                    let base = l.word.child;
                    match self.collected(base, l.word.attr, r.word.attr) {
                        Factor::One => {}
                        Factor::Keep(word) => merged.push(Entry { key: l.key, word }),
                        Factor::Later(ix) => later.push(ix),
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
        let rest = self.close_product(merged, exponentials, later);
        let scaled = self.scale_checked(cb, rest);
        self.scale_checked(ca, scaled)
    }

    /// Π of any number of factors.
    pub(crate) fn product(&mut self, factors: impl IntoIterator<Item = Ix>) -> Ix {
        let mut list = self.spare();
        let mut coefficient = ONE;
        let mut large = Vec::new();
        let mut exponentials = 0;
        let (mut undefined, mut zero) = (false, false);
        for f in factors {
            undefined |= f == UNDEFINED;
            zero |= f == ZERO;
            let (c, rest) = self.split(f);
            if self.fits(coefficient, c) {
                coefficient = self.mul_numbers(coefficient, c);
            } else {
                large.push(c);
            }
            if rest != ONE {
                exponentials += self.open_product(rest, &mut list);
            }
        }
        if undefined || zero {
            self.give_back(list);
            return if undefined { UNDEFINED } else { ZERO };
        }
        let pool = self.pool;
        list.sort_unstable_by(|l, r| {
            l.key
                .cmp(&r.key)
                .then_with(|| compare(pool, l.word.child, r.word.child))
        });
        let mut later = Vec::new();
        let mut merged = self.spare();
        for e in list.iter().copied() {
            match merged.last().copied() {
                Some(last) if last.word.child == e.word.child => {
                    merged.pop();
                    match self.collected(e.word.child, last.word.attr, e.word.attr) {
                        Factor::One => {}
                        Factor::Keep(word) => merged.push(Entry { key: e.key, word }),
                        Factor::Later(ix) => later.push(ix),
                    }
                }
                _ => merged.push(e),
            }
        }
        self.give_back(list);
        let mut result = self.close_product(merged, exponentials, later);
        result = self.scale_checked(coefficient, result);
        for c in large {
            result = self.scale_checked(c, result);
        }
        result
    }

    /// a^q with a rational number q.
    pub(crate) fn pow(&mut self, a: Ix, q: Ix) -> Ix {
        if a == UNDEFINED || q == ONE {
            return a;
        }
        if q == ZERO {
            return ONE;
        }
        let exponent = self.pool.rational(q);
        if self.node(a).is_number() {
            return self.pow_number(a, &exponent);
        }
        let (c, mut rest) = self.split(a);
        let mut front = ONE;
        if c != ONE {
            // (c·r)^q = c^q·r^q for c > 0, and for any c under integers and odd roots; else
            // the sign stays inside: (−2r)^½ = √2·(−r)^½.
            if exponent.has_even_denominator() && self.is_negative_number(c) {
                let c = self.mul_numbers(MINUS_ONE, c);
                front = self.pow_number(c, &exponent);
                rest = self.neg(rest);
            } else {
                front = self.pow_number(c, &exponent);
            }
        }
        let power = self.pow_rest(rest, q);
        self.mul(front, power)
    }

    /// r^q for r without a numeric factor (but perhaps −r, under an even root).
    fn pow_rest(&mut self, r: Ix, q: Ix) -> Ix {
        let pool = self.pool;
        let node = pool.node(r);
        let exponent = pool.rational(q);
        match node.tag {
            Tag::Product => {
                let words: Vec<Word> = pool.words(&node).collect();
                if exponent.is_integer() {
                    // (b^e)^q = b^(e·q), each factor on its own.
                    let mut parts = Vec::with_capacity(words.len());
                    for w in words {
                        let e = self.mul_numbers(w.attr, q);
                        parts.push(match self.collected_power(w.child, w.attr, e) {
                            Factor::One => ONE,
                            Factor::Keep(word) => self.intern(Tag::Product, &[word]),
                            Factor::Later(ix) => ix,
                        });
                    }
                    return self.product(parts);
                }
                if words.iter().all(|w| self.sign(w.child).is_nonnegative()) {
                    let parts: Vec<Ix> = words
                        .iter()
                        .map(|w| {
                            let e = self.mul_numbers(w.attr, q);
                            self.pow(w.child, e)
                        })
                        .collect();
                    return self.product(parts);
                }
            }
            Tag::Call(Function::Exp) => {
                let argument = pool.word(&node, 0).child;
                let argument = self.scale(q, argument);
                return self.call(Function::Exp, &[argument]);
            }
            Tag::Call(Function::Abs)
                if exponent.has_even_numerator() && !exponent.has_even_denominator() =>
            {
                let argument = pool.word(&node, 0).child;
                return self.pow(argument, q);
            }
            _ => {}
        }
        self.intern(Tag::Product, &[Word::new(q, r)])
    }

    /// b^e · b^f
    fn collected(&mut self, base: Ix, e: Ix, f: Ix) -> Factor {
        let total = self.add_numbers(e, f);
        let even = self.pool.rational(e).has_even_denominator()
            || self.pool.rational(f).has_even_denominator();
        self.collected_power(base, if even { HALF } else { ONE }, total)
    }

    /// The factor b^total, collected from powers of b of which `sample` is one. If that is an even
    /// root, it restricts b to b ≥ 0, and the result keeps that restriction.
    fn collected_power(&mut self, base: Ix, sample: Ix, total: Ix) -> Factor {
        if total == ZERO {
            return Factor::One;
        }
        let node = self.node(base);
        if node.is_number() || matches!(node.tag, Tag::Call(Function::Abs | Function::Exp)) {
            return Factor::Later(self.pow(base, total));
        }
        let rooted = self.pool.rational(sample).has_even_denominator()
            && !self.pool.rational(total).has_even_denominator();
        if rooted && !self.sign(base).is_nonnegative() {
            let root = self.intern(Tag::Product, &[Word::new(HALF, base)]);
            let doubled = self.mul_numbers(TWO, total);
            return Factor::Later(self.intern(Tag::Product, &[Word::new(doubled, root)]));
        }
        if node.tag == Tag::Product && self.pool.rational(total).is_integer() {
            return Factor::Later(self.pow(base, total));
        }
        Factor::Keep(Word::new(total, base))
    }

    /// Appends the factors of a; returns how many of them are exponentials.
    fn open_product(&mut self, a: Ix, list: &mut Vec<Entry>) -> usize {
        let pool = self.pool;
        let node = pool.node(a);
        if node.tag == Tag::Product && node.len <= ABSORB_FACTORS {
            let mut exponentials = 0;
            for w in pool.words(&node) {
                exponentials += usize::from(
                    w.attr == ONE && pool.node(w.child).tag == Tag::Call(Function::Exp),
                );
                list.push(Entry {
                    key: key(pool, w.child),
                    word: w,
                });
            }
            return exponentials;
        }
        list.push(Entry {
            key: key(pool, a),
            word: Word::new(ONE, a),
        });
        usize::from(node.tag == Tag::Call(Function::Exp))
    }

    /// The node of a collected list of factors, times the expressions in `later`.
    fn close_product(&mut self, mut list: Vec<Entry>, exponentials: usize, later: Vec<Ix>) -> Ix {
        let mut later = later;
        if exponentials > 1 {
            // e^a·e^b = e^(a+b)
            let mut arguments = Vec::new();
            list.retain(|e| {
                let node = self.pool.node(e.word.child);
                let exponential = node.tag == Tag::Call(Function::Exp) && e.word.attr == ONE;
                if exponential {
                    arguments.push((ONE, self.pool.word(&node, 0).child));
                }
                !exponential
            });
            let argument = self.sum(arguments);
            later.push(self.call(Function::Exp, &[argument]));
        }
        let mut ix = match list.as_slice() {
            [] => ONE,
            [e] if e.word.attr == ONE => e.word.child,
            many if many.len() > MAX_LEN => {
                let parts: Vec<Ix> = many
                    .chunks(MAX_LEN / 2)
                    .map(|part| self.intern_entries(Tag::Product, part))
                    .collect();
                self.product(parts)
            }
            many => self.intern_entries(Tag::Product, many),
        };
        self.give_back(list);
        for factor in later {
            ix = self.mul(ix, factor);
        }
        ix
    }

    fn fits(&self, a: Ix, b: Ix) -> bool {
        let small = |ix| self.node(ix).tag == Tag::Small;
        (small(a) && small(b))
            || self.pool.rational(a).bits() + self.pool.rational(b).bits() <= MAX_NUMBER_BITS
    }

    /// c·a, multiplied out unless the numbers become larger than [`MAX_NUMBER_BITS`](super::MAX_NUMBER_BITS).
    fn scale_checked(&mut self, c: Ix, a: Ix) -> Ix {
        if c == ONE {
            return a;
        }
        let node = self.node(a);
        let fits = match node.tag {
            Tag::Small | Tag::Big => self.fits(c, a),
            Tag::Sum if node.len <= ABSORB_TERMS => {
                let pool = self.pool;
                pool.words(&node).all(|w| self.fits(c, w.attr))
            }
            _ => true,
        };
        if fits {
            return self.scale(c, a);
        }
        let mut words = [Word::new(ONE, c), Word::new(ONE, a)];
        if c == a {
            return self.intern(Tag::Product, &[Word::new(TWO, a)]);
        }
        if compare(self.pool, c, a) == Ordering::Greater {
            words.reverse();
        }
        self.intern(Tag::Product, &words)
    }
}
