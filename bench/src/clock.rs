//! Processor time, which does not count the time of other programs on the machine. Short works are timed by the
//! wall clock: virtual machines correct processor time for other guests, occasionally by more
//! than the duration of a short work, which would make the minimum of many repeats wrong; and of many short works
//! some are not interrupted.

use std::time::Instant;

/// Seconds for which measurements are repeated.
pub(crate) const MEASURED_SECONDS: f64 = 0.5;
/// The smallest number of repeats.
pub(crate) const MIN_REPEATS: usize = 5;
/// Seconds below which a work is timed by the wall clock.
const WALL_CLOCK_SECONDS: f64 = 1e-3;

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

/// A running clock.
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

    /// Seconds since the start: of processor time for long works where it is available, otherwise by the wall clock.
    pub(crate) fn seconds(&self) -> f64 {
        let now = processor_seconds();
        let wall = self.wall.elapsed().as_secs_f64();
        match (self.processor, now) {
            (Some(then), Some(now)) if wall >= WALL_CLOCK_SECONDS => now - then,
            _ => wall,
        }
    }
}

/// The time of an undisturbed work: the minimum of few repeats. Of many repeats the shortest twentieth is left out,
/// because clocks of virtual machines occasionally jump, and a repeat then seems to take no time.
pub(crate) fn undisturbed(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 20]
}

/// The shortest time of a work over several repeats, in seconds.
pub(crate) fn least(mut work: impl FnMut()) -> f64 {
    let (mut best, mut spent, mut repeats) = (f64::INFINITY, 0.0, 0);
    while repeats < MIN_REPEATS || spent < MEASURED_SECONDS {
        let clock = Clock::start();
        work();
        let now = clock.seconds();
        best = best.min(now);
        spent += now;
        repeats += 1;
    }
    best
}
