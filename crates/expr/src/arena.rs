//! Append-only storage: a cell, once written, is never moved.
//!
//! An [`Arena`] is a row of segments that double in size. Growing allocates a new segment and
//! leaves the old ones in place, so references into it stay valid while other threads append, and
//! reading takes no lock.

use std::sync::OnceLock;

const FIRST_BITS: u32 = 10;
/// 2¹⁰·(2²³−1) places: more than a `u32` can number.
const SEGMENTS: usize = 23;

/// Segments of cells of type `T`, which must itself allow writing through `&T`.
pub(crate) struct Arena<T> {
    segments: [OnceLock<Box<[T]>>; SEGMENTS],
}

/// Segment and offset of a place.
fn locate(place: u32) -> (usize, usize) {
    let shifted = u64::from(place) + (1 << FIRST_BITS);
    let segment = shifted.ilog2() - FIRST_BITS;
    (
        segment as usize,
        (shifted - (1 << (FIRST_BITS + segment))) as usize,
    )
}

impl<T: Default> Arena<T> {
    pub(crate) fn new() -> Self {
        Self {
            segments: [const { OnceLock::new() }; SEGMENTS],
        }
    }

    /// The cell at `place`, if its segment exists.
    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        let (segment, offset) = locate(place);
        self.segments[segment].get()?.get(offset)
    }

    /// `len` cells from `start`; they lie in one segment if [`Arena::reserve`] gave them.
    pub(crate) fn slice(&self, start: u32, len: u32) -> &[T] {
        if len == 0 {
            return &[];
        }
        let (segment, offset) = locate(start);
        match self.segments[segment].get() {
            Some(cells) => &cells[offset..offset + len as usize],
            None => &[],
        }
    }

    /// The first place at or after `next` from which `len` cells lie in one segment, with the
    /// segment allocated; `None` when the arena is full. The caller is the only one appending.
    pub(crate) fn reserve(&self, next: u32, len: u32) -> Option<u32> {
        let (mut segment, mut offset) = locate(next);
        let mut start = next;
        while offset as u64 + u64::from(len) > 1 << (FIRST_BITS as usize + segment) {
            segment += 1;
            offset = 0;
            start = u32::try_from((1u64 << (FIRST_BITS as usize + segment)) - (1 << FIRST_BITS))
                .ok()?;
        }
        start.checked_add(len)?;
        self.segments.get(segment)?.get_or_init(|| {
            (0..1usize << (FIRST_BITS as usize + segment))
                .map(|_| T::default())
                .collect()
        });
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn places_are_contiguous_and_stable() {
        let arena = Arena::<AtomicU64>::new();
        let mut next = 0;
        let mut starts = vec![];
        for len in [3u32, 1000, 5000, 2, 100_000] {
            let start = arena.reserve(next, len).unwrap();
            let cells = arena.slice(start, len);
            assert_eq!(cells.len(), len as usize);
            for c in cells {
                assert_eq!(c.swap(u64::from(len), Relaxed), 0, "a cell given out twice");
            }
            starts.push((start, len, cells.as_ptr()));
            next = start + len;
        }
        for (start, len, ptr) in starts {
            assert_eq!(arena.slice(start, len).as_ptr(), ptr);
        }
        assert!(arena.get(u32::MAX).is_none());
    }

    #[test]
    fn a_full_arena_reserves_nothing() {
        let arena = Arena::<AtomicU64>::new();
        assert_eq!(arena.reserve(u32::MAX - 2, 100), None);
    }
}
