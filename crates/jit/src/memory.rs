//! Memory that holds machine code: written first, then made executable, never both.

use std::ffi::{c_int, c_long, c_void};
use std::ptr::NonNull;

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
    fn munmap(at: *mut c_void, len: usize) -> c_int;
    fn sysconf(name: c_int) -> c_long;
}

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;
const PRIVATE: c_int = 0x02;
#[cfg(any(target_os = "linux", target_os = "android"))]
const ANONYMOUS: c_int = 0x20;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ANONYMOUS: c_int = 0x1000;
#[cfg(any(target_os = "linux", target_os = "android"))]
const PAGE_SIZE: c_int = 30;
#[cfg(target_vendor = "apple")]
const PAGE_SIZE: c_int = 29;
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
const PAGE_SIZE: c_int = 47;

/// The size of a page.
pub(crate) fn page() -> usize {
    // SAFETY: `sysconf` only returns a number.
    let size = unsafe { sysconf(PAGE_SIZE) };
    match usize::try_from(size) {
        Ok(size) if size.is_power_of_two() && size >= 4096 => size,
        // Every system in question has pages that divide this.
        _ => 65536,
    }
}

/// Code and, on pages of their own behind it, its constants.
#[derive(Debug)]
pub(crate) struct Executable {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: after `new` the memory is only read and executed, until it is dropped.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Memory that holds the code at its start and the constants at `data_at`, a multiple of the page
    /// size not before the end of the code. None if the system gives no such memory.
    pub(crate) fn new(code: &[u8], data_at: usize, data: &[f64]) -> Option<Self> {
        let page = page();
        assert!(data_at >= code.len() && data_at.is_multiple_of(page) && data_at > 0);
        let len = (data_at + size_of_val(data)).next_multiple_of(page);
        // SAFETY: a new private mapping touches nothing that exists.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                len,
                READ | WRITE,
                PRIVATE | ANONYMOUS,
                -1,
                0,
            )
        };
        if start as isize == -1 {
            return None;
        }
        let this = Self {
            start: NonNull::new(start.cast())?,
            len,
        };
        // SAFETY: the mapping has `len` writable bytes, both parts fit, and nothing else points to it.
        let protected = unsafe {
            std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len());
            let constants = start.cast::<u8>().add(data_at);
            std::ptr::copy_nonoverlapping(data.as_ptr(), constants.cast::<f64>(), data.len());
            mprotect(start, data_at, READ | EXECUTE) == 0
                && (len == data_at || mprotect(constants.cast(), len - data_at, READ) == 0)
        };
        protected.then_some(this)
    }

    /// Where the code begins.
    pub(crate) fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: this mapping is ours alone, and who could call into it has been dropped.
        unsafe { munmap(self.start.as_ptr().cast(), self.len) };
    }
}
