//! Numbers at the start of a cache line: where a vector of them lies on two lines, loading it takes two turns.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// A list of numbers whose length does not change.
#[derive(Debug)]
pub(crate) struct Lines {
    memory: Vec<f64>,
    start: usize,
}

impl Lines {
    /// A list of zeros, the first of which is at the start of a cache line.
    pub(crate) fn zeros(count: usize, first: usize) -> Self {
        let line = LINE / size_of::<f64>();
        let mut memory = vec![0.0; count + line];
        // Where nothing is known of the place, any will do.
        let ahead = memory.as_ptr().align_offset(LINE).min(line);
        let start = (ahead + line - first % line) % line;
        memory.truncate(start + count);
        Self { memory, start }
    }
}

impl Deref for Lines {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.memory[self.start..]
    }
}

impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.memory[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_asked_for_begins_a_line() {
        for count in [1, 7, 8, 100] {
            for first in [0, 1, 5, 9] {
                let mut lines = Lines::zeros(count, first);
                assert_eq!(lines.len(), count);
                let start = lines.as_ptr().wrapping_add(first) as usize;
                assert_eq!(start % LINE, 0);
                lines[count - 1] = 1.0;
                assert!(lines[..count - 1].iter().all(|x| *x == 0.0));
            }
        }
    }
}
