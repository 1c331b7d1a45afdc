//! Products of series, with several orders computed together.
//!
//! Coefficient m of a product is Σ aⱼ·b_{m−j}. Most of its terms are known some orders before the last one, and
//! consecutive orders share their factors: a factor that is loaded for one of them serves all.

use super::job::add_product;
use crate::code::{Assembler, Value};
use crate::hash::Table;

/// The number of orders that are begun together. Four accumulators and as many factors do not yet fill the 16
/// registers. Measured with AVX2 at orders 16 to 24: four lanes of a double pendulum take 10 to 15 % less time than
/// without, its sensitivities 12 %, single motions as long as before.
const ORDERS_PER_TILE: usize = 4;
/// The smallest number of known coefficients with which a tile is begun.
const MIN_KNOWN: usize = 4;

/// Sums that have been begun.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    /// Tiles by the first two coefficients of both factors, the latest last: a prediction begins the next tile before
    /// the last order of the previous one is done.
    begun: Table<[Value; 4], Vec<Tile>>,
}

/// The coefficients of a product, from an order on, over the terms that were known.
#[derive(Debug)]
struct Tile {
    /// The known part of the factors: coefficients that do not change any more.
    a: Vec<Value>,
    b: Vec<Value>,
    /// The first order.
    from: usize,
    sums: Vec<Option<Value>>,
}

impl Tiles {
    /// Σⱼ aⱼ·b_{m−j} over two lists of m + 1 coefficients, of which the first `known` do not change any
    /// more; `None` if every term is zero. The newest terms come last; `first` puts the one with the
    /// newest of a before that with the newest of b.
    pub(super) fn convolve(
        &mut self,
        asm: &mut Assembler,
        (a, b): (&[Value], &[Value]),
        known: usize,
        first: bool,
    ) -> Option<Value> {
        if known < MIN_KNOWN {
            return from_the_middle(asm, a, b, first);
        }
        let m = a.len() - 1;
        let count = self.begun.len();
        let key = [a[0], a[1], b[0], b[1]];
        let begun = self.begun.entry(key).or_default();
        let at = begun.iter().rposition(|tile| tile.serves(a, b));
        let at = at.unwrap_or_else(|| {
            // Not all products begin at one order: the other orders would have too little work.
            let width = match begun.len() {
                0 => 1 + count % ORDERS_PER_TILE,
                _ => ORDERS_PER_TILE,
            };
            let factors = (&a[..known], &b[..known]);
            begun.push(Tile::new(asm, factors, m, width, first));
            begun.len() - 1
        });
        let tile = &begun[at];
        let mut sum = tile.sums[m - tile.from];
        for low in (0..=m - tile.a.len()).rev() {
            add_pair(asm, &mut sum, (a, b), low, first);
        }
        sum
    }
}

impl Tile {
    /// A tile of some orders, over the terms of which both factors are known. The newest coefficient is added last,
    /// so that the others need not wait for it.
    fn new(
        asm: &mut Assembler,
        (a, b): (&[Value], &[Value]),
        from: usize,
        width: usize,
        first: bool,
    ) -> Self {
        // Higher orders have no terms of known factors.
        let width = width.min(2 * a.len() - 1 - from);
        let mut sums = vec![None; width];
        let sides = if first {
            [(a, b), (b, a)]
        } else {
            [(b, a), (a, b)]
        };
        for newer in 0..a.len() {
            for (side, (own, other)) in sides.into_iter().enumerate() {
                for (order, sum) in (from..).zip(&mut sums) {
                    // The term with equal indices occurs once.
                    let older = order.checked_sub(newer);
                    if let Some(i) = older.filter(|&i| i < newer + 1 - side) {
                        add_product(asm, sum, own[newer], other[i]);
                    }
                }
            }
        }
        Self {
            a: a.to_vec(),
            b: b.to_vec(),
            from,
            sums,
        }
    }

    /// Whether the tile has begun the next coefficient of this product.
    fn serves(&self, a: &[Value], b: &[Value]) -> bool {
        (self.from..self.from + self.sums.len()).contains(&(a.len() - 1))
            && a.starts_with(&self.a)
            && b.starts_with(&self.b)
    }
}

/// Σⱼ aⱼ·b_{m−j} over two lists of one length, from the middle outwards.
fn from_the_middle(asm: &mut Assembler, a: &[Value], b: &[Value], first: bool) -> Option<Value> {
    let middle = a.len() / 2;
    let mut sum = None;
    if a.len() % 2 == 1 {
        add_product(asm, &mut sum, a[middle], b[middle]);
    }
    for low in (0..middle).rev() {
        add_pair(asm, &mut sum, (a, b), low, first);
    }
    sum
}

/// The terms aⱼ·b_{m−j} and a_{m−j}·bⱼ; `first` puts the second before the first.
fn add_pair(
    asm: &mut Assembler,
    sum: &mut Option<Value>,
    (a, b): (&[Value], &[Value]),
    j: usize,
    first: bool,
) {
    let other = a.len() - 1 - j;
    let [one, two] = if first { [other, j] } else { [j, other] };
    for k in [one, two] {
        add_product(asm, sum, a[k], b[a.len() - 1 - k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: usize = 13;

    /// Coefficient m of (Σ 2ʲxʲ)·(Σ (j + 1)xʲ).
    fn expected(m: usize) -> f64 {
        let terms = (0..=m).map(|j| f64::from(1 << j) * (m - j + 1) as f64);
        terms.sum()
    }

    #[test]
    fn every_order_has_all_its_terms_once() {
        for open in [1, 2] {
            let mut asm = Assembler::new(2 * (ORDER + 1) + 1);
            let mut tiles = Tiles::default();
            let a: Vec<Value> = (0..=ORDER).map(|j| asm.input(j)).collect();
            let b: Vec<Value> = (0..=ORDER).map(|j| asm.input(ORDER + 1 + j)).collect();
            // Coefficients that are not known yet have other values until then.
            let other = asm.input(2 * (ORDER + 1));
            let mut sums = Vec::new();
            for m in 0..=ORDER {
                let (mut early, whole) = (a[..=m].to_vec(), &a[..=m]);
                let changing = open.min(early.len());
                let from = early.len() - changing;
                early[from..].fill(other);
                let known = (m + 1).saturating_sub(open);
                for list in [&early[..], whole] {
                    let sum = tiles.convolve(&mut asm, (list, &b[..=m]), known, m % 2 == 0);
                    sums.push(sum.unwrap());
                }
            }
            let code = asm.finish(sums);
            let mut inputs: Vec<[f64; 1]> = (0..=ORDER).map(|j| [f64::from(1 << j)]).collect();
            inputs.extend((0..=ORDER).map(|j| [(j + 1) as f64]));
            inputs.push([1e6]);
            let values = code.run(&inputs, &mut vec![]);
            for m in 0..=ORDER {
                assert_eq!(values[2 * m + 1][0], expected(m), "order {m}, {open} open");
                assert_ne!(values[2 * m][0], expected(m));
            }
        }
    }

    #[test]
    fn what_has_changed_is_not_taken_for_known() {
        let mut asm = Assembler::new(2 * (ORDER + 1));
        let mut tiles = Tiles::default();
        let a: Vec<Value> = (0..=ORDER).map(|j| asm.input(j)).collect();
        let b: Vec<Value> = (0..=ORDER).map(|j| asm.input(ORDER + 1 + j)).collect();
        let mut wrong = a.clone();
        wrong[4] = b[9];
        let sums = (8..=ORDER).flat_map(|m| {
            [&wrong, &a].map(|list| {
                let factors = (&list[..=m], &b[..=m]);
                tiles.convolve(&mut asm, factors, m, false).unwrap()
            })
        });
        let sums: Vec<Value> = sums.collect();
        let code = asm.finish(sums);
        let mut inputs: Vec<[f64; 1]> = (0..=ORDER).map(|j| [f64::from(1 << j)]).collect();
        inputs.extend((0..=ORDER).map(|j| [(j + 1) as f64]));
        let values = code.run(&inputs, &mut vec![]);
        for (m, pair) in (8..).zip(values.chunks(2)) {
            assert_eq!(pair[1][0], expected(m));
        }
    }
}
