//! Functions that are given by tables, on a tape: the polynomial of the piece that the argument is in.
//!
//! Along a step the piece does not change, like the branch of a piecewise function. A *lookup* is a table at an argument;
//! its [`Op::Piece`](crate::Op::Piece) registers are the numbers of the current piece, and the polynomial is arithmetic with
//! them. Two kinks watch the ends of the piece. The numbers follow the sides of the kinks in lists of branches.

use std::sync::Arc;

use galilei_expr::{Piece, Table};

use crate::tape::{Reg, Tape};

/// The number of numbers of a piece: its origin, four coefficients, its two ends.
pub const PIECE_LEN: usize = 7;
/// The place of the lower end among the numbers of a piece.
pub(crate) const LOW: u8 = 5;
/// The place of the upper end among the numbers of a piece.
pub(crate) const HIGH: u8 = 6;
/// The end of a piece that goes on for ever: far, and still a number that can be computed with.
const FAR: f64 = 1e150;

/// A table at an argument.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The table.
    pub table: Arc<Table>,
    /// The name of the function.
    pub name: String,
    /// The register of the argument.
    pub argument: Reg,
    /// The kinks at the lower and the upper end of the current piece; both are positive within it.
    pub kinks: [u32; 2],
}

/// The numbers of a piece in the order of lists of branches.
pub(crate) fn piece_numbers(piece: &Piece) -> [f64; PIECE_LEN] {
    let [c0, c1, c2, c3] = piece.coefficients;
    let ends = [piece.low.max(-FAR), piece.high.min(FAR)];
    [piece.origin, c0, c1, c2, c3, ends[0], ends[1]]
}

/// One of the numbers of the piece that an argument is in; not a number where the argument is none.
pub(crate) fn looked_up(table: &Table, field: u8, argument: f64) -> f64 {
    match argument.is_nan() {
        true => f64::NAN,
        false => piece_numbers(&table.piece(table.piece_at(argument)))[field as usize],
    }
}

impl Tape {
    /// The functions that are given by tables, each at an argument.
    pub fn lookups(&self) -> &[Lookup] {
        &self.lookups
    }

    /// The number of numbers that fix all branches: the side of each kink, and the numbers of the piece of each lookup.
    pub fn branch_len(&self) -> usize {
        self.kinks.len() + PIECE_LEN * self.lookups.len()
    }

    /// The place of a lookup's numbers in a list of branches.
    pub fn piece_place(&self, lookup: usize) -> usize {
        self.kinks.len() + PIECE_LEN * lookup
    }

    /// The branches at given values of all registers: 1 or −1 for each kink, where zero counts as positive, then the pieces
    /// of the lookups.
    pub fn branches(&self, values: &[f64]) -> Vec<f64> {
        let mut list = Vec::with_capacity(self.branch_len());
        for k in &self.kinks {
            let positive = values[k.register as usize] >= 0.0;
            list.push(if positive { 1.0 } else { -1.0 });
        }
        for l in &self.lookups {
            list.extend(
                (0..PIECE_LEN as u8).map(|f| looked_up(&l.table, f, values[l.argument as usize])),
            );
            for k in l.kinks {
                list[k as usize] = 1.0;
            }
        }
        list
    }

    /// The lookup that a kink belongs to, and whether the kink is at the upper end of its piece.
    pub fn lookup_of(&self, kink: usize) -> Option<(usize, bool)> {
        self.lookups.iter().enumerate().find_map(|(l, lookup)| {
            let end = lookup.kinks.iter().position(|k| *k as usize == kink)?;
            Some((l, end == 1))
        })
    }

    /// The number of the piece of a lookup in a list of branches.
    pub fn piece_in(&self, branches: &[f64], lookup: usize) -> usize {
        let table = &self.lookups[lookup].table;
        let low = branches[self.piece_place(lookup) + LOW as usize];
        table.piece_beginning_at(low)
    }

    /// Writes a piece of a lookup into a list of branches.
    pub fn set_piece(&self, branches: &mut [f64], lookup: usize, piece: usize) {
        let numbers = piece_numbers(&self.lookups[lookup].table.piece(piece));
        let place = self.piece_place(lookup);
        branches[place..place + PIECE_LEN].copy_from_slice(&numbers);
    }

    /// The branches on the other side of a kink: the opposite side, or the next piece of a table.
    #[must_use]
    pub fn across(&self, branches: &[f64], kink: usize) -> Vec<f64> {
        let mut list = branches.to_vec();
        match self.lookup_of(kink) {
            None => list[kink] = -list[kink],
            Some((lookup, upper)) => {
                let piece = self.piece_in(branches, lookup);
                let last = self.lookups[lookup].table.pieces() - 1;
                let next = if upper {
                    (piece + 1).min(last)
                } else {
                    piece.saturating_sub(1)
                };
                self.set_piece(&mut list, lookup, next);
            }
        }
        list
    }
}
