//! The engine as a WebAssembly module: texts go in and out through its memory.

use std::alloc::{Layout, alloc, dealloc};

/// The layout of a text of some bytes.
fn layout(length: usize) -> Layout {
    Layout::from_size_align(length.max(1), 1).unwrap_or_else(|_| std::process::abort())
}

/// Memory for a text of some bytes, which the page fills.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn galilei_allocate(length: usize) -> *mut u8 {
    // SAFETY: the size is at least one.
    unsafe { alloc(layout(length)) }
}

/// Returns memory of [`galilei_allocate`] or [`galilei_answer`].
///
/// # Safety
/// The pointer and the length are those of one text, which is not used any more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn galilei_release(start: *mut u8, length: usize) {
    // SAFETY: the caller passes memory of one text, allocated with this layout.
    unsafe { dealloc(start, layout(length)) }
}

/// Answers the request in memory. The answer is in new memory: its address in the lower 32 bits, its length in the upper ones.
///
/// # Safety
/// The pointer and the length are those of a request in memory of [`galilei_allocate`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn galilei_answer(start: *const u8, length: usize) -> u64 {
    // SAFETY: the caller filled the memory.
    let request = unsafe { std::slice::from_raw_parts(start, length) };
    let answer = crate::answer(&String::from_utf8_lossy(request));
    let bytes = answer.as_bytes();
    let place = galilei_allocate(bytes.len());
    // SAFETY: the new memory has the length of the answer.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    (bytes.len() as u64) << 32 | place as u64
}
