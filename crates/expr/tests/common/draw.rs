//! Trees drawn from bytes: the same bytes give the same formula, and smaller bytes simpler ones.
#![allow(dead_code)]

use galilei_expr::{Comparison, Function};

use super::tree::{SYMBOLS, Tree};

/// A stream of bytes; zeros after its end.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.rest {
            [first, rest @ ..] => {
                self.rest = rest;
                *first
            }
            [] => 0,
        }
    }

    /// A number below `n` ≤ 256.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) * n / 256
    }

    pub(crate) fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A reproducible source of bytes: SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut list = Vec::with_capacity(n + 8);
        while list.len() < n {
            list.extend(self.word().to_le_bytes());
        }
        list.truncate(n);
        list
    }
}

/// The operations and functions that a tree may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Menu {
    pub(crate) symbols: usize,
    pub(crate) functions: &'static [Function],
    pub(crate) exponents: &'static [(i64, i64)],
    /// Fractions, quotients and π.
    pub(crate) division: bool,
    pub(crate) conditions: bool,
    pub(crate) undetermined: bool,
}

const SMOOTH_FUNCTIONS: [Function; 12] = [
    Function::Sin,
    Function::Cos,
    Function::Tan,
    Function::Exp,
    Function::Sinh,
    Function::Cosh,
    Function::Tanh,
    Function::Log,
    Function::Atan,
    Function::Asin,
    Function::Acos,
    Function::Atan2,
];

const INTEGERS: [(i64, i64); 5] = [(2, 1), (-1, 1), (3, 1), (-2, 1), (4, 1)];

const ROOTS: [(i64, i64); 12] = [
    (2, 1),
    (-1, 1),
    (1, 2),
    (3, 1),
    (1, 3),
    (-2, 1),
    (-1, 2),
    (2, 3),
    (3, 2),
    (-1, 3),
    (1, 4),
    (-5, 3),
];

impl Menu {
    /// Sums, products and integer powers: rational functions.
    pub(crate) const RATIONAL: Self = Self {
        symbols: 3,
        functions: &[],
        exponents: &INTEGERS,
        division: true,
        conditions: false,
        undetermined: false,
    };

    /// Sines, cosines and integer powers: the language of linkages.
    pub(crate) const CIRCULAR: Self = Self {
        functions: &[Function::Sin, Function::Cos],
        ..Self::RATIONAL
    };

    /// Functions that have a derivative inside their domain.
    pub(crate) const SMOOTH: Self = Self {
        functions: &SMOOTH_FUNCTIONS,
        exponents: &ROOTS,
        ..Self::RATIONAL
    };

    /// The elementary functions, conditions among them.
    pub(crate) const ELEMENTARY: Self = Self {
        functions: &Function::ALL,
        conditions: true,
        ..Self::SMOOTH
    };

    /// All operations, functions and conditions.
    pub(crate) const ALL: Self = Self {
        undetermined: true,
        ..Self::ELEMENTARY
    };
}

impl Tree {
    /// A tree of at most this depth. Bytes of zero give the symbol x.
    pub(crate) fn draw(bytes: &mut Bytes<'_>, menu: &Menu, depth: usize) -> Self {
        if depth == 0 {
            return Self::leaf(bytes, menu);
        }
        let inner = |bytes: &mut Bytes<'_>| Self::draw(bytes, menu, depth - 1);
        match bytes.below(16) {
            0..=1 => Self::leaf(bytes, menu),
            2..=5 => {
                let n = 2 + bytes.below(3) / 2;
                Self::Sum((0..n).map(|_| inner(bytes)).collect())
            }
            6..=8 => {
                let n = 2 + bytes.below(3) / 2;
                Self::Product((0..n).map(|_| inner(bytes)).collect())
            }
            9 if menu.division => inner(bytes).over(inner(bytes)),
            10..=11 => {
                let (n, d) = bytes.choose(menu.exponents);
                inner(bytes).pow(n, d)
            }
            15 if menu.conditions && bytes.below(2) == 1 => {
                let comparison = bytes.choose(&[Comparison::Less, Comparison::LessEqual]);
                let [a, b, c, d] = [(); 4].map(|()| inner(bytes));
                Self::condition(comparison, a, b, c, d)
            }
            15 if menu.undetermined => {
                let name = bytes.below(2);
                let orders = (0..=name).map(|_| bytes.choose(&[0, 0, 0, 1, 2])).collect();
                let arguments = (0..=name).map(|_| inner(bytes)).collect();
                Self::Undetermined(name, orders, arguments)
            }
            _ if menu.functions.is_empty() => inner(bytes).minus(inner(bytes)),
            _ => {
                let f = bytes.choose(menu.functions);
                Self::Call(f, (0..f.arity()).map(|_| inner(bytes)).collect())
            }
        }
    }

    fn leaf(bytes: &mut Bytes<'_>, menu: &Menu) -> Self {
        match bytes.below(8) {
            0..=4 => Self::Symbol(bytes.below(menu.symbols.min(SYMBOLS.len()))),
            7 if menu.division && bytes.below(4) == 3 && !menu.functions.is_empty() => Self::Pi,
            7 if menu.division => {
                let (n, d) = bytes.choose(&[(1, 2), (1, 3), (-3, 4), (5, 2), (-1, 7)]);
                Self::Number(n, d)
            }
            _ => Self::int(bytes.choose(&[1, 2, 3, -1, 5, 0, -2, 7])),
        }
    }
}
