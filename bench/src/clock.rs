//! Processor time: what other programs on the machine take is not counted.

use std::time::Instant;

/// Measurements are repeated until so many seconds are spent.
pub(crate) const ENOUGH_SECONDS: f64 = 0.5;
/// But at least so often.
pub(crate) const LEAST_REPEATS: usize = 5;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[allow(unsafe_code)]
fn processor_seconds() -> Option<f64> {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    const PROCESS: i32 = 2;
    let mut time = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the function of the C library that `std` links writes two numbers of this layout.
    let answer = unsafe { clock_gettime(PROCESS, &mut time) };
    (answer == 0).then_some(time.seconds as f64 + 1e-9 * time.nanoseconds as f64)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn processor_seconds() -> Option<f64> {
    None
}

/// A clock that was started.
pub(crate) struct Clock {
    processor: Option<f64>,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor_seconds(),
        }
    }

    /// Seconds since the start, of the processor where it can say, else on the wall.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.processor, processor_seconds()) {
            (Some(then), Some(now)) => now - then,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The least seconds of some work over repeats.
pub(crate) fn least(mut work: impl FnMut()) -> f64 {
    let (mut best, mut spent, mut repeats) = (f64::INFINITY, 0.0, 0);
    while repeats < LEAST_REPEATS || spent < ENOUGH_SECONDS {
        let clock = Clock::start();
        work();
        let now = clock.seconds();
        best = best.min(now);
        spent += now;
        repeats += 1;
    }
    best
}
