//! Processor time: what other programs on the machine take is not counted. Short works are timed on the
//! wall: on virtual machines the processor's time is corrected for what others took, now and then by more
//! than a short work takes, and the least of many is then wrong. Nobody interrupts all of many short works.

use std::time::Instant;

/// Measurements are repeated until so many seconds are spent.
pub(crate) const ENOUGH_SECONDS: f64 = 0.5;
/// But at least so often.
pub(crate) const LEAST_REPEATS: usize = 5;
/// Works of fewer seconds are short.
const SHORT: f64 = 1e-3;

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

    /// Seconds since the start: of the processor for long works where it can say, else on the wall.
    pub(crate) fn seconds(&self) -> f64 {
        let now = processor_seconds();
        let wall = self.wall.elapsed().as_secs_f64();
        match (self.processor, now) {
            (Some(then), Some(now)) if wall >= SHORT => now - then,
            _ => wall,
        }
    }
}

/// What a work takes when nobody disturbs it: the least of few repeats. Of many a twentieth is left out, for
/// clocks of virtual machines jump now and then, and such a repeat seems to take no time.
pub(crate) fn undisturbed(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 20]
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
