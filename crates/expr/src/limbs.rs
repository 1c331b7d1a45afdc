//! Big integers as limbs of 64 bits, on every processor: the words of the big numbers are as wide as those of the processor.

use std::borrow::Cow;

use dashu_int::{UBig, Word};

/// The words of a big integer as limbs of 64 bits, the lowest first; the top limb is not zero.
#[cfg(target_pointer_width = "64")]
pub(crate) fn limbs_of(words: &[Word]) -> Cow<'_, [u64]> {
    Cow::Borrowed(words)
}

/// The words of a big integer as limbs of 64 bits, the lowest first; the top limb is not zero.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn limbs_of(words: &[Word]) -> Cow<'_, [u64]> {
    let pairs = words.chunks(2);
    let limb = |pair: &[Word]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
    Cow::Owned(pairs.map(limb).collect())
}

/// The big integer with these limbs of 64 bits, the lowest first.
#[cfg(target_pointer_width = "64")]
pub(crate) fn from_limbs(limbs: &[u64]) -> UBig {
    UBig::from_words(limbs)
}

/// The big integer with these limbs of 64 bits, the lowest first.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn from_limbs(limbs: &[u64]) -> UBig {
    let halves = limbs.iter().flat_map(|l| [*l as Word, (*l >> 32) as Word]);
    UBig::from_words(&halves.collect::<Vec<Word>>())
}
