//! The defect of the energy balance and the residual of the constraints along a run.

use crate::sum::larger;

/// The largest number of entries.
const MAX_ENTRIES: usize = 2048;

/// The largest defects over some consecutive steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The start of the first of them.
    pub time: f64,
    /// The largest defect of the energy balance, divided by the largest energy of the run.
    pub defect: f64,
    /// The largest residual of a constraint.
    pub residual: f64,
}

/// Entries in the order of the run. A long run is kept coarsely: when there are too many entries, two consecutive ones
/// become one with the larger numbers, so that nothing large is lost.
///
/// ```
/// use galilei_integrate::{Entry, Ledger};
/// let mut ledger = Ledger::default();
/// for k in 0..100_000 {
///     let defect = if k == 777 { 1.0 } else { 0.0 };
///     ledger.write(Entry { time: f64::from(k), defect, residual: 0.0 });
/// }
/// assert!(ledger.entries().len() <= 2048);
/// let large: Vec<_> = ledger.entries().iter().filter(|e| e.defect == 1.0).collect();
/// assert!(large.len() == 1 && (large[0].time - 777.0).abs() < 100.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<Entry>,
    /// Steps per entry, as a power of two.
    doublings: u32,
    /// Steps in the last entry.
    filled: u64,
}

impl Ledger {
    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Writes one step down.
    #[inline]
    pub fn write(&mut self, entry: Entry) {
        match self.entries.last_mut() {
            Some(last) if self.filled < 1 << self.doublings => {
                last.join(&entry);
                self.filled += 1;
            }
            _ => {
                if self.entries.len() == MAX_ENTRIES {
                    self.halve();
                }
                self.entries.push(entry);
                self.filled = 1;
            }
        }
    }

    /// Adds the entries of a run that went on.
    pub(crate) fn join(&mut self, next: &Self) {
        next.entries.iter().for_each(|e| self.write(*e));
    }

    /// The ledger with defects in units of an energy.
    pub(crate) fn relative_to(mut self, energy: f64) -> Self {
        self.entries.iter_mut().for_each(|e| e.defect /= energy);
        self
    }

    #[cold]
    fn halve(&mut self) {
        let pairs = self.entries.chunks(2);
        self.entries = pairs
            .map(|pair| {
                let mut first = pair[0];
                pair[1..].iter().for_each(|e| first.join(e));
                first
            })
            .collect();
        self.doublings += 1;
    }
}

impl Entry {
    #[inline]
    fn join(&mut self, other: &Self) {
        self.defect = larger(other.defect, self.defect);
        self.residual = larger(other.residual, self.residual);
    }
}
