//! The memory layout of a node of the expression graph.
//!
//! A node is three words (24 bytes) in one arena and one word (8 bytes) per operand in another:
//!
//! | tag | own data | operand words `(attribute, child)` |
//! | --- | --- | --- |
//! | `Small` | fraction of an `i64` and a `u32` | – |
//! | `Big` | place in the number arena | – |
//! | `Symbol`, `FunctionName` | place of the name, ordinal | – |
//! | `Sum` | – | (coefficient, term): Σ cᵢ·tᵢ, a constant is the term 1 |
//! | `Product` | – | (exponent, base): Π bᵢ^qᵢ, no numeric coefficient |
//! | `If` | – | (comparison, a), b, then, else |
//! | `Undetermined` | – | function name, then (order, argument) for each argument |
//! | `Integral` | – | bound variable, integrand: ∫₀¹ |
//! | a function | – | its arguments |
//!
//! Coefficients and exponents are nodes themselves, always numbers. Every child has a smaller
//! index than its parent, so index order is an order of evaluation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::function::Function;

/// Index of a node in its pool: dense, in order of creation.
pub(crate) type Ix = u32;

pub(crate) const ZERO: Ix = 0;
pub(crate) const ONE: Ix = 1;
pub(crate) const MINUS_ONE: Ix = 2;
pub(crate) const TWO: Ix = 3;
pub(crate) const HALF: Ix = 4;
pub(crate) const PI: Ix = 5;
pub(crate) const UNDEFINED: Ix = 6;

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub(crate) enum Tag {
    Small,
    Big,
    Pi,
    Undefined,
    Symbol,
    FunctionName,
    Sum,
    Product,
    If,
    Undetermined,
    Integral,
    Call(Function),
}

const CALLS: u8 = 16;

impl Tag {
    pub(crate) fn code(self) -> u8 {
        match self {
            Tag::Small => 1,
            Tag::Big => 2,
            Tag::Pi => 3,
            Tag::Undefined => 4,
            Tag::Symbol => 5,
            Tag::FunctionName => 6,
            Tag::Sum => 7,
            Tag::Product => 8,
            Tag::If => 9,
            Tag::Undetermined => 10,
            Tag::Integral => 11,
            Tag::Call(f) => CALLS + f as u8,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Tag::Small,
            2 => Tag::Big,
            3 => Tag::Pi,
            4 => Tag::Undefined,
            5 => Tag::Symbol,
            6 => Tag::FunctionName,
            7 => Tag::Sum,
            8 => Tag::Product,
            9 => Tag::If,
            10 => Tag::Undetermined,
            11 => Tag::Integral,
            c => Tag::Call(*Function::ALL.get(c.checked_sub(CALLS)? as usize)?),
        })
    }
}

/// The largest number of operands of a node.
pub(crate) const MAX_LEN: usize = (1 << 24) - 1;

/// Three words in the arena. All zero: no node was ever written here.
#[derive(Default)]
pub(crate) struct Cell([AtomicU64; 3]);

/// A node, read out of its cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) tag: Tag,
    /// Number of operand words; for symbols their ordinal.
    pub(crate) len: u32,
    /// Place of the operand words, the name or the big number; denominator of a small number.
    pub(crate) start: u32,
    /// The structural hash: it depends on the structure of the node, not on when it was made.
    pub(crate) hash: u64,
    /// Numerator of a small number, reading order of a symbol, else the mask of symbols.
    pub(crate) data: u64,
}

impl Cell {
    /// Writes a node. The index of the cell reaches other threads only through something that
    /// synchronises, so relaxed stores are enough.
    pub(crate) fn write(&self, n: &Node) {
        let head = u64::from(n.start) << 32 | u64::from(n.len) << 8 | u64::from(n.tag.code());
        self.0[1].store(n.hash, Relaxed);
        self.0[2].store(n.data, Relaxed);
        self.0[0].store(head, Relaxed);
    }

    pub(crate) fn read(&self) -> Option<Node> {
        let head = self.0[0].load(Relaxed);
        Some(Node {
            tag: Tag::from_code(head as u8)?,
            len: (head >> 8) as u32 & MAX_LEN as u32,
            start: (head >> 32) as u32,
            hash: self.0[1].load(Relaxed),
            data: self.0[2].load(Relaxed),
        })
    }
}

impl Node {
    /// Bits of the symbols the node may depend on: symbol number k has bit k mod 64. A bit that
    /// is not set proves independence; a bit that is set suggests dependence.
    pub(crate) fn mask(&self) -> u64 {
        match self.tag {
            Tag::Small | Tag::Big | Tag::Pi | Tag::Undefined | Tag::FunctionName => 0,
            Tag::Symbol => 1 << (self.len & 63),
            _ => self.data,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self.tag, Tag::Small | Tag::Big)
    }

    /// The number of operand words of the node.
    pub(crate) fn operands(&self) -> u32 {
        match self.tag {
            Tag::Symbol | Tag::FunctionName => 0,
            _ => self.len,
        }
    }
}

/// An operand word: an attribute, and the child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// Coefficient (sum) or exponent (product), as a number node; else small data.
    pub(crate) attr: u32,
    pub(crate) child: Ix,
}

impl Word {
    pub(crate) fn new(attr: u32, child: Ix) -> Self {
        Self { attr, child }
    }
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.attr) << 32 | u64::from(self.child)
    }
    pub(crate) fn unpack(bits: u64) -> Self {
        Self::new((bits >> 32) as u32, bits as u32)
    }
}

/// The two comparisons a condition can make; `>` and `>=` are these with the sides exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Comparison {
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
}

impl Comparison {
    pub(crate) fn from_attr(attr: u32) -> Self {
        if attr == 0 {
            Self::Less
        } else {
            Self::LessEqual
        }
    }
}
