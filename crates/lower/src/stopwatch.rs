//! Durations of computations, where the platform has a clock.

/// A stopwatch that runs from its creation. On WebAssembly, where the standard library has no clock, it stays at zero.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(not(target_family = "wasm"))]
    started: std::time::Instant,
}

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Self {
        Self {
            #[cfg(not(target_family = "wasm"))]
            started: std::time::Instant::now(),
        }
    }

    /// The seconds since the start; zero where there is no clock.
    pub fn seconds(&self) -> f64 {
        #[cfg(not(target_family = "wasm"))]
        return self.started.elapsed().as_secs_f64();
        #[cfg(target_family = "wasm")]
        0.0
    }
}
