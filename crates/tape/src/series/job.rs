//! Sums of products, one by one or four at a time.

use crate::code::{Assembler, Value, WIDTH};

/// The smallest number of jobs of equal form that are computed by instructions on four numbers.
pub(super) const MIN_LIKE_JOBS: usize = 3;
/// The value of [`MIN_LIKE_JOBS`] for reduced equations, where few products wait for few others: two pendulums on a
/// blade took a tenth less time with it.
pub(super) const MIN_LIKE_JOBS_REDUCED: usize = 2;
/// The smallest number of terms of such jobs.
pub(super) const MIN_TERMS: usize = 3;

/// A series as a factor.
pub(super) struct Factor {
    pub(super) list: Vec<Value>,
    pub(super) id: u64,
    pub(super) moving: bool,
}

/// A sum of products to be computed.
pub(super) struct Job {
    pub(super) key: u64,
    /// Whether the newest coefficient of the first factor is known before that of the second.
    pub(super) first: bool,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    /// Σ aⱼ·b_{m−j}
    Product(Vec<Value>, Vec<Value>),
    /// The square of a series, over the terms with an index from the given one on in both factors.
    Square(Vec<Value>, usize),
}

impl Job {
    pub(super) fn square(a: Factor, lowest: usize) -> Self {
        Self {
            key: a.id,
            first: false,
            kind: Kind::Square(a.list, lowest),
        }
    }

    /// The number of terms that are not zero.
    pub(super) fn terms(&self, asm: &Assembler) -> usize {
        match &self.kind {
            Kind::Product(a, b) => a
                .iter()
                .zip(b.iter().rev())
                .filter(|(a, b)| !asm.is_zero(**a) && !asm.is_zero(**b))
                .count(),
            Kind::Square(a, _) => a.iter().filter(|a| !asm.is_zero(**a)).count(),
        }
    }

    /// The shape of a job; jobs of one shape are equal instructions on other operands.
    pub(super) fn shape(&self) -> (u8, usize, bool) {
        match &self.kind {
            Kind::Product(a, _) => (0, a.len(), self.first),
            Kind::Square(a, lowest) => (1 + *lowest as u8, a.len(), false),
        }
    }

    /// Four jobs of one shape as one job.
    pub(super) fn pack(asm: &mut Assembler, group: [&Self; WIDTH]) -> Self {
        let side = |asm: &mut Assembler, lists: [&[Value]; WIDTH]| -> Vec<Value> {
            (0..lists[0].len())
                .map(|j| asm.pack(lists.map(|l| l[j])))
                .collect()
        };
        let a = side(
            asm,
            group.map(|job| match &job.kind {
                Kind::Product(a, _) | Kind::Square(a, _) => &a[..],
            }),
        );
        let kind = match &group[0].kind {
            Kind::Square(_, lowest) => Kind::Square(a, *lowest),
            Kind::Product(..) => {
                let b = side(
                    asm,
                    group.map(|job| match &job.kind {
                        Kind::Product(_, b) | Kind::Square(b, _) => &b[..],
                    }),
                );
                Kind::Product(a, b)
            }
        };
        Self {
            key: group[0].key,
            first: group[0].first,
            kind,
        }
    }
}

/// Coefficient k = a.len() − 1 of the square of a series, over the terms with an index from `lowest` on in both
/// factors; `None` if every term is zero.
pub(super) fn square(asm: &mut Assembler, a: &[Value], lowest: usize) -> Option<Value> {
    let k = a.len() - 1;
    let mut sum = None;
    for j in (lowest..k.div_ceil(2)).rev() {
        add_product(asm, &mut sum, a[j], a[k - j]);
    }
    let mut twice = sum.map(|s| asm.scale(s, 2.0));
    if k.is_multiple_of(2) && k / 2 >= lowest {
        add_product(asm, &mut twice, a[k / 2], a[k / 2]);
    }
    twice
}

/// Adds a product to a sum, unless it is zero.
pub(super) fn add_product(asm: &mut Assembler, sum: &mut Option<Value>, a: Value, b: Value) {
    *sum = asm.plus_product(*sum, a, b);
}
