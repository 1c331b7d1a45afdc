//! Limbs, the digits of big integers in base 2⁶⁴.
//!
//! The big integers of `dashu_int` are made of words, which are as wide as those of the processor: 32 bits in a browser, 64
//! bits elsewhere. The evaluators of this crate compute with limbs of 64 bits on every machine. These functions convert
//! between the two; where words have 64 bits nothing is copied on the way to limbs.

use std::borrow::Cow;

use dashu_int::{UBig, Word};

/// The limbs of a big integer that is given by its words, both from the lowest on. The top limb is not zero.
#[cfg(target_pointer_width = "64")]
pub(crate) fn limbs_of(words: &[Word]) -> Cow<'_, [u64]> {
    Cow::Borrowed(words)
}

/// The limbs of a big integer that is given by its words, both from the lowest on. The top limb is not zero.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn limbs_of(words: &[Word]) -> Cow<'_, [u64]> {
    let pairs = words.chunks(2);
    let limb = |pair: &[Word]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
    Cow::Owned(pairs.map(limb).collect())
}

/// The big integer with these limbs, from the lowest on.
#[cfg(target_pointer_width = "64")]
pub(crate) fn from_limbs(limbs: &[u64]) -> UBig {
    UBig::from_words(limbs)
}

/// The big integer with these limbs, from the lowest on.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn from_limbs(limbs: &[u64]) -> UBig {
    let halves = limbs.iter().flat_map(|l| [*l as Word, (*l >> 32) as Word]);
    UBig::from_words(&halves.collect::<Vec<Word>>())
}
