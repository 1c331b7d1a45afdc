//! A run as a function of time.

use galilei_integrate::{Continuation, Run, Stop, Trail};

use crate::compiled::Compiled;
use crate::motion::Motion;

/// The motion at any time that a run reached, to the tolerance of the run. It is self-contained.
///
/// ```
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
/// let (_, mut trajectory) = galilei::Model::parse(text)?.simulate().run_dense()?;
/// let state = trajectory.at(12.3).unwrap().unwrap();
/// assert!((state[0] - 12.3_f64.cos()).abs() < 1e-12);
/// assert!(trajectory.at(20.1).is_none());
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct Trajectory {
    trail: Trail,
    continuation: Continuation,
}

impl Trajectory {
    /// Takes the dense output of a run of the same equations; see [`Compiled::with_trail`].
    pub fn of(compiled: &Compiled, motion: &mut Motion) -> Self {
        let (tape, rates) = (compiled.tape(), compiled.rates());
        let Run { trail, .. } = &mut motion.run;
        Self {
            trail: std::mem::take(trail),
            continuation: Continuation::new(tape, rates, motion.tolerance),
        }
    }

    /// The interval of time on which the motion is known.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.trail.ends()
    }

    /// x, then u, at a time; `None` where the run did not reach it.
    pub fn at(&mut self, t: f64) -> Option<Result<&[f64], Stop>> {
        self.continuation.state(&self.trail, t)
    }
}
