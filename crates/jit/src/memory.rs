//! Executable memory: written first, then made executable, never both at once for a thread.
//!
//! Processors of ARM read instructions through a cache of their own, which must be told of new code. macOS on them gives
//! executable memory only by `MAP_JIT`, with write protection that each thread switches for itself.
//! The parts for macOS and Windows on ARM follow the documentation of these systems; they were never run.

pub(crate) use system::Executable;

#[cfg(not(all(target_os = "macos", target_arch = "aarch64")))]
mod system {
    use memmap2::{Mmap, MmapMut};

    /// Memory that holds code and its constants.
    #[derive(Debug)]
    pub(crate) struct Executable(Mmap);

    impl Executable {
        /// Memory with these contents. None if the system gives no such memory.
        pub(crate) fn new(image: &[u8]) -> Option<Self> {
            let mut memory = MmapMut::map_anon(image.len()).ok()?;
            memory.copy_from_slice(image);
            let memory = memory.make_exec().ok()?;
            #[cfg(target_arch = "aarch64")]
            super::announce(&memory);
            Some(Self(memory))
        }

        /// The address of the first instruction.
        pub(crate) fn start(&self) -> *const u8 {
            self.0.as_ptr()
        }
    }
}

/// Makes new instructions visible to this processor and all others.
#[cfg(all(target_arch = "aarch64", not(any(target_os = "macos", windows))))]
fn announce(code: &[u8]) {
    use std::arch::asm;
    let type_register: u64;
    // SAFETY: reads the sizes of cache lines, which every program may.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) type_register, options(nomem, nostack)) };
    let data_line = 4usize << (type_register >> 16 & 15);
    let instruction_line = 4usize << (type_register & 15);
    let (start, end) = (code.as_ptr() as usize, code.as_ptr() as usize + code.len());
    let lines = |size: usize| (start & !(size - 1)..end).step_by(size);
    // SAFETY: cleans and invalidates cache lines of memory that belongs to the caller.
    unsafe {
        for at in lines(data_line) {
            asm!("dc cvau, {}", in(reg) at, options(nostack));
        }
        asm!("dsb ish", options(nostack));
        for at in lines(instruction_line) {
            asm!("ic ivau, {}", in(reg) at, options(nostack));
        }
        asm!("dsb ish", "isb", options(nostack));
    }
}

/// Makes new instructions visible to this processor and all others.
#[cfg(all(target_arch = "aarch64", windows))]
fn announce(code: &[u8]) {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut std::ffi::c_void;
        fn FlushInstructionCache(
            process: *mut std::ffi::c_void,
            start: *const u8,
            size: usize,
        ) -> i32;
    }
    // SAFETY: the memory belongs to the caller, and the pseudo handle to this process.
    unsafe {
        FlushInstructionCache(GetCurrentProcess(), code.as_ptr(), code.len());
    }
}

#[cfg(all(target_os = "macos", target_arch = "aarch64"))]
mod system {
    use std::ffi::{c_int, c_void};

    const PROT_READ_WRITE_EXEC: c_int = 1 | 2 | 4;
    const MAP_PRIVATE_ANON_JIT: c_int = 0x2 | 0x1000 | 0x800;

    unsafe extern "C" {
        fn mmap(
            address: *mut c_void,
            len: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            offset: i64,
        ) -> *mut c_void;
        fn munmap(address: *mut c_void, len: usize) -> c_int;
        fn pthread_jit_write_protect_np(enabled: c_int);
        fn sys_icache_invalidate(start: *mut c_void, len: usize);
    }

    /// Memory that holds code and its constants.
    #[derive(Debug)]
    pub(crate) struct Executable {
        start: *mut c_void,
        len: usize,
    }

    // SAFETY: the memory is written once, before anything refers to it, and only read and executed afterwards.
    unsafe impl Send for Executable {}
    // SAFETY: as above.
    unsafe impl Sync for Executable {}

    impl Executable {
        /// Memory with these contents. None if the system gives no such memory.
        pub(crate) fn new(image: &[u8]) -> Option<Self> {
            let len = image.len();
            // SAFETY: new memory of the size of the image, which is written while this thread may write to it.
            unsafe {
                let null = std::ptr::null_mut();
                let start = mmap(null, len, PROT_READ_WRITE_EXEC, MAP_PRIVATE_ANON_JIT, -1, 0);
                if start as isize == -1 {
                    return None;
                }
                pthread_jit_write_protect_np(0);
                std::ptr::copy_nonoverlapping(image.as_ptr(), start.cast::<u8>(), len);
                pthread_jit_write_protect_np(1);
                sys_icache_invalidate(start, len);
                Some(Self { start, len })
            }
        }

        /// The address of the first instruction.
        pub(crate) fn start(&self) -> *const u8 {
            self.start.cast_const().cast()
        }
    }

    impl Drop for Executable {
        fn drop(&mut self) {
            // SAFETY: the memory was mapped with this size, and nothing refers to it any more.
            unsafe {
                munmap(self.start, self.len);
            }
        }
    }
}
