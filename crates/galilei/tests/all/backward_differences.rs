//! Runs against backward differences, methods that are not among ours, by another implementation and on equations
//! written by hand.
//!
//! How far that implementation is to be trusted it shows itself: by what a tolerance a hundred times finer changes.
//! Ours must not be farther off than this, and it must be little.

use crate::common;

use common::{ROBERTSON, finished, van_der_pol};
use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason};

/// Equations of first order, ẏ = f(t, y), and where they begin.
struct System<const N: usize> {
    rates: fn(f64, [f64; N]) -> [f64; N],
    start: [f64; N],
    /// The size below which a component need not be known.
    smallest: f64,
    /// The finest tolerance that rounding leaves the other.
    finest: f64,
}

/// The errors of all components, each beside its own.
fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a / b - 1.0).abs()).sum()
}

impl<const N: usize> System<N> {
    fn rates(&self, time: f64, at: &[f64]) -> [f64; N] {
        (self.rates)(time, std::array::from_fn(|k| at[k]))
    }

    /// The derivative of f by y along v. Newton's method only goes by it: where it ends depends on f alone.
    fn slope(&self, time: f64, at: &[f64], along: &[f64]) -> [f64; N] {
        let h = 1e-6;
        let [above, below] = [h, -h].map(|h| {
            let moved: [f64; N] = std::array::from_fn(|k| at[k] + h * along[k]);
            self.rates(time, &moved)
        });
        std::array::from_fn(|k| (above[k] - below[k]) / (2.0 * h))
    }

    /// The end of the other's run.
    fn end(&self, to: f64, tolerance: f64) -> [f64; N] {
        let problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rtol(tolerance)
            .atol([self.smallest * tolerance])
            .h0(1e-6)
            .rhs_implicit(
                |y, _, t, rates| rates.copy_from_slice(&self.rates(t, y)),
                |y, _, t, v, slope| slope.copy_from_slice(&self.slope(t, y, v)),
            )
            .init(|_, _, y| y.copy_from_slice(&self.start), N)
            .build()
            .unwrap();
        let mut solver = problem.bdf::<NalgebraLU<f64>>().unwrap();
        solver.set_stop_time(to).unwrap();
        while solver.step().unwrap() != OdeSolverStopReason::TstopReached {}
        let state = solver.state();
        std::array::from_fn(|k| state.y[k])
    }

    /// Compares runs of a model with the other's, which must be settled to a part of `bound`.
    fn agrees(&self, text: &str, methods: &[&str], to: f64, bound: f64) {
        let [coarse, fine] = [100.0, 1.0].map(|times| self.end(to, times * self.finest));
        let settled = off(&coarse, &fine);
        assert!(settled < bound, "{settled:e}: {coarse:?} {fine:?}");
        for method in methods {
            let state = finished(method, &format!("{text}simulate to {to}\n"), 1e-12).state;
            // Of equations of first order, the velocities.
            let own = &state[state.len() - N..];
            let error = off(own, &fine);
            assert!(error < settled, "{method}, {error:e}: {own:?} {fine:?}");
        }
    }
}

/// A damped double pendulum with a torque on its first rod that swings with time: the mass matrix depends on the
/// position, the energy on time.
#[test]
fn a_driven_double_pendulum() {
    let pendulum = System {
        rates: |t, [a, b, v, w]| {
            let (sin, cos) = (a - b).sin_cos();
            // M·(v̇, ẇ) = (first, second) with M = (2, cos; cos, 1).
            let first = 3.0 * (1.3 * t).cos() - 0.2 * v - sin * w * w - 19.62 * a.sin();
            let second = -0.1 * w + sin * v * v - 9.81 * b.sin();
            let determinant = 2.0 - cos * cos;
            let turns = [first - cos * second, 2.0 * second - cos * first];
            [v, w, turns[0] / determinant, turns[1] / determinant]
        },
        start: [1.0, -0.5, 0.0, 0.3],
        smallest: 1.0,
        finest: 1e-13,
    };
    let text = "coord a, b\nlet elbow = (sin(a), -cos(a))\nparticle one: mass 1 at elbow\n\
                particle two: mass 1 at elbow + (sin(b), -cos(b))\ngravity: (0, -9.81)\n\
                force: a = 3*cos(1.3*t) - 0.2*a', b = -0.1*b'\n\
                initial a = 1, b = -0.5, b' = 0.3\n";
    pendulum.agrees(text, &["taylor", "dop853", "radau"], 10.0, 1e-7);
}

/// On the slow branch, and behind two jumps.
#[test]
fn van_der_pols_relaxations() {
    let start = [2.0, -0.66];
    let oscillator = System {
        rates: |_, [x, u]| [u, ((1.0 - x * x) * u - x) / 1e-4],
        start,
        smallest: 1.0,
        finest: 1e-13,
    };
    let text = van_der_pol(1e-4, start);
    for to in [0.5, 2.0] {
        oscillator.agrees(&text, &["taylor", "dop853", "radau"], to, 1e-9);
    }
}

/// Over eleven decades of time, the first of them also by methods that are not for stiff motions.
#[test]
fn robertsons_reaction() {
    let reaction = System {
        rates: |_, [a, b, c]| {
            let (slow, back, fast) = (0.04 * a, 1e4 * b * c, 3e7 * b * b);
            [back - slow, slow - back - fast, fast]
        },
        start: [1.0, 0.0, 0.0],
        smallest: 1e-14,
        finest: 1e-12,
    };
    reaction.agrees(ROBERTSON, &["taylor", "dop853", "radau"], 40.0, 1e-8);
    for to in [1e5, 1e11] {
        reaction.agrees(ROBERTSON, &["radau"], to, 1e-8);
    }
}
