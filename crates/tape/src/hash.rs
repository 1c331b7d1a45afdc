//! Hash tables with small keys that no attacker chooses.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table with a fast hash.
pub(crate) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Words>>;

/// Multiplies and folds word by word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words(u64);

impl Words {
    fn word(&mut self, w: u64) {
        let product = u128::from(self.0 ^ w) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for Words {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, w: u8) {
        self.word(u64::from(w) + 1);
    }

    fn write_u32(&mut self, w: u32) {
        self.word(u64::from(w) + 1);
    }

    fn write_u64(&mut self, w: u64) {
        self.word(w.wrapping_add(1));
    }

    fn write_usize(&mut self, w: usize) {
        self.word((w as u64).wrapping_add(1));
    }
}
