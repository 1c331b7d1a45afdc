//! The canonical constructors: the only code that creates nodes.
//!
//! They flatten, collect like terms and powers, fold numbers, and order operands by structure.
//! They never expand a product and never guess a sign: a rule is applied only where both sides
//! are equal at every real point at which the left side is defined, and does not enlarge the
//! domain by more than a set of measure zero. So √x·√x stays (√x)², which is x only for x ≥ 0,
//! while √(x²+1)·√(x²+1) becomes x²+1.
//!
//! Two exceptions are inherent in collecting terms: x − x is 0 and x/x is 1, whatever the
//! domain of x. [`crate::Query::defined`] lets `decide` remember it.

mod call;
mod order;
mod product;
mod radical;
mod sign;
mod sum;
mod trig;

use std::sync::MutexGuard;

use crate::limbs::limbs_of;
use crate::node::{Ix, MINUS_ONE, Node, ONE, Tag, UNDEFINED, Word, ZERO};
use crate::number::Rational;
use crate::pool::{Pool, Writer};
pub(crate) use order::compare;
pub(crate) use radical::factor;
pub(crate) use sign::Sign;

/// Numbers beyond this many bits are not multiplied out: they stay products and powers.
pub(crate) const MAX_NUMBER_BITS: usize = 1 << 16;

/// A sum inside a sum is opened only up to this many terms.
///
/// Without a limit the partial sums s₁, s₁+x₂, s₁+x₂+x₃, … of n terms would take n²/2 operands,
/// and a derivative of each as much again. Measured on gradient, Hessian and mixed derivatives
/// of the 32-link chain, absolute / relative angles, in ms: limit 3: 3.5 / 4.7, 4: 3.6 / 5.4,
/// 6: 3.8 / 6.6, 8: 4.0 / 7.8, 12: 4.6 / 10.7, none: 13 / 22. With five, a node of the chain in
/// relative angles costs less than 64 bytes, and sums of a formula stay flat up to six terms.
pub(crate) const ABSORB_TERMS: u32 = 5;

/// A product inside a product is opened only up to this many factors.
pub(crate) const ABSORB_FACTORS: u32 = 16;

/// An operand of a sum or product under construction, with its sort key.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) word: Word,
}

/// Holds the lock for writing: while a builder lives, nothing else appends to the pool.
pub(crate) struct Builder<'p> {
    pub(crate) pool: &'p Pool,
    w: MutexGuard<'p, Writer>,
}

/// One round of a 64-bit multiplicative hash, fixed for all machines.
fn mix(h: u64, x: u64) -> u64 {
    let y = (h ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    y ^ (y >> 29)
}

fn finish(h: u64) -> u64 {
    let h = (h ^ (h >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h ^ (h >> 32)
}

impl<'p> Builder<'p> {
    pub(crate) fn new(pool: &'p Pool, w: MutexGuard<'p, Writer>) -> Self {
        Self { pool, w }
    }

    /// Fills a new pool with the constants that have fixed indices.
    pub(crate) fn seed(&mut self) {
        for (n, d) in [(0, 1), (1, 1), (-1, 1), (2, 1), (1, 2)] {
            self.number(&Rational::new(n, d));
        }
        for tag in [Tag::Pi, Tag::Undefined] {
            self.leaf(tag, finish(mix(tag.code().into(), 1)), 0, 0);
        }
    }

    pub(crate) fn node(&self, ix: Ix) -> Node {
        self.pool.node(ix)
    }

    fn spare(&mut self) -> Vec<Entry> {
        self.w.spare.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut list: Vec<Entry>) {
        list.clear();
        self.w.spare.push(list);
    }

    /// A node without operands that is not in the table yet.
    fn leaf(&mut self, tag: Tag, hash: u64, start: u32, data: u64) -> Ix {
        let node = Node {
            tag,
            len: 0,
            start,
            hash,
            data,
        };
        let ix = self.w.push(self.pool, node, &[]);
        self.enter(ix, hash);
        ix
    }

    fn enter(&mut self, ix: Ix, hash: u64) {
        let pool = self.pool;
        self.w.table.insert_unique(hash, ix, |&k| pool.node(k).hash);
    }

    /// The node of a number.
    pub(crate) fn number(&mut self, value: &Rational) -> Ix {
        let pool = self.pool;
        if let Some((n, d)) = value.small()
            && let Ok(d) = u32::try_from(d)
        {
            let hash = finish(mix(mix(1, n as u64), d.into()));
            let same = |&ix: &u32| {
                let k = pool.node(ix);
                k.tag == Tag::Small && k.data == n as u64 && k.start == d
            };
            return match self.w.table.find(hash, same) {
                Some(&ix) => ix,
                None => self.leaf(Tag::Small, hash, d, n as u64),
            };
        }
        let mut h = 2 + u64::from(value.is_negative());
        for part in [value.numerator(), value.denominator().into()] {
            for &limb in limbs_of(part.as_sign_words().1).iter() {
                h = mix(h, limb);
            }
            h = mix(h, 0);
        }
        let hash = finish(h);
        let same = |&ix: &u32| {
            let k = pool.node(ix);
            k.tag == Tag::Big && k.hash == hash && pool.rational(ix) == *value
        };
        match self.w.table.find(hash, same) {
            Some(&ix) => ix,
            None => {
                let place = self.w.push_number(pool, value.clone());
                self.leaf(Tag::Big, hash, place, 0)
            }
        }
    }

    pub(crate) fn int(&mut self, n: i64) -> Ix {
        self.number(&Rational::from(n))
    }

    /// The symbol of that name.
    pub(crate) fn symbol(&mut self, name: &str) -> Ix {
        self.named(Tag::Symbol, name)
    }

    /// The name of an undetermined function; these names are a namespace separate from that of the symbols.
    pub(crate) fn function_name(&mut self, name: &str) -> Ix {
        self.named(Tag::FunctionName, name)
    }

    fn find_named(&self, tag: Tag, name: &str) -> (u64, Option<Ix>) {
        let pool = self.pool;
        let mut h = u64::from(tag.code());
        for byte in name.bytes() {
            h = mix(h, byte.into());
        }
        let hash = finish(h);
        let same = |&ix: &u32| {
            let k = pool.node(ix);
            k.tag == tag && k.hash == hash && pool.name(&k) == name
        };
        (hash, self.w.table.find(hash, same).copied())
    }

    fn named(&mut self, tag: Tag, name: &str) -> Ix {
        let pool = self.pool;
        let (hash, found) = self.find_named(tag, name);
        if let Some(ix) = found {
            return ix;
        }
        let (start, ordinal) = self.w.push_name(pool, name);
        let mut first = [0u8; 8];
        for (to, from) in first.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        let node = Node {
            tag,
            len: ordinal & crate::node::MAX_LEN as u32,
            start,
            hash,
            data: 1 << 62 | u64::from_be_bytes(first) >> 2,
        };
        let ix = self.w.push(pool, node, &[]);
        self.enter(ix, hash);
        ix
    }

    /// The node with this tag and these operands, which must be in canonical form already.
    fn intern(&mut self, tag: Tag, words: &[Word]) -> Ix {
        let pool = self.pool;
        let numbered = matches!(tag, Tag::Sum | Tag::Product);
        let mut h = mix(tag.code().into(), words.len() as u64);
        let mut mask = 0;
        for w in words {
            if w.child == UNDEFINED && tag != Tag::If {
                return UNDEFINED;
            }
            let child = pool.node(w.child);
            mask |= child.mask();
            h = mix(h, child.hash);
            h = mix(
                h,
                match (numbered, w.attr) {
                    (true, ONE) => 1,
                    (true, attr) => pool.node(attr).hash,
                    (false, attr) => attr.into(),
                },
            );
        }
        let hash = finish(h);
        let same = |&ix: &u32| {
            let k = pool.node(ix);
            k.hash == hash
                && k.tag == tag
                && k.len as usize == words.len()
                && pool.words(&k).eq(words.iter().copied())
        };
        if let Some(&ix) = self.w.table.find(hash, same) {
            return ix;
        }
        let node = Node {
            tag,
            len: words.len() as u32,
            start: 0,
            hash,
            data: mask,
        };
        let ix = self.w.push(pool, node, words);
        self.enter(ix, hash);
        ix
    }

    fn intern_entries(&mut self, tag: Tag, entries: &[Entry]) -> Ix {
        // Nearly all nodes have few operands.
        const INLINE_OPERANDS: usize = 24;
        if entries.len() <= INLINE_OPERANDS {
            let mut words = [Word::new(0, 0); INLINE_OPERANDS];
            for (w, e) in words.iter_mut().zip(entries) {
                *w = e.word;
            }
            self.intern(tag, &words[..entries.len()])
        } else {
            let words: Vec<Word> = entries.iter().map(|e| e.word).collect();
            self.intern(tag, &words)
        }
    }

    /// The sum of two numbers.
    fn add_numbers(&mut self, a: Ix, b: Ix) -> Ix {
        match (a, b) {
            (ZERO, x) | (x, ZERO) => x,
            (ONE, MINUS_ONE) | (MINUS_ONE, ONE) => ZERO,
            _ => {
                let sum = &self.pool.rational(a) + &self.pool.rational(b);
                self.number(&sum)
            }
        }
    }

    /// The product of two numbers.
    fn mul_numbers(&mut self, a: Ix, b: Ix) -> Ix {
        match (a, b) {
            (ONE, x) | (x, ONE) => x,
            (ZERO, _) | (_, ZERO) => ZERO,
            _ => {
                let product = &self.pool.rational(a) * &self.pool.rational(b);
                self.number(&product)
            }
        }
    }

    fn is_negative_number(&self, ix: Ix) -> bool {
        let node = self.node(ix);
        match node.tag {
            Tag::Small => (node.data as i64) < 0,
            Tag::Big => self.pool.rational(ix).is_negative(),
            _ => false,
        }
    }
}
