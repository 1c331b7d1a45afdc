//! The true motion of a generated model, by two integrators that share nothing with Galilei.
//!
//! The equations come from hyper-dual numbers through the generator's own formulas. One integrator is Dormand and
//! Prince's pair of order 5 in steps that are short everywhere, so that nothing is stepped over. The other is
//! `diffsol`'s backward differences, stopped at many instants for the same reason. A motion counts as known where both
//! agree.

use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason};

use super::formula::{NAMES, Place};
use super::generator::Case;

/// How many steps the explicit integrator takes at least.
const LEAST_STEPS: f64 = 3000.0;
/// How many steps the explicit integrator takes at most, refused ones included.
const MOST_STEPS: usize = 400_000;
/// The relative size of the disturbances by which the conditioning is estimated.
const DISTURBANCE: f64 = 1e-6;

/// The end of a motion.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    /// Positions, then velocities.
    pub(crate) state: Vec<f64>,
    /// The sizes of positions and of velocities on the way, one for each component.
    pub(crate) sizes: Vec<f64>,
    /// How much a relative error of the initial state grows.
    pub(crate) growth: f64,
}

impl Truth {
    /// The largest error of a state, relative to the sizes on the way.
    pub(crate) fn error_of(&self, state: &[f64]) -> f64 {
        let parts = state.iter().zip(&self.state).zip(&self.sizes);
        let errors = parts.map(|((own, other), size)| (own - other).abs() / size);
        // Not a number is the largest.
        errors.fold(0.0, |most, e| if e <= most { most } else { e })
    }
}

/// A state of at most two coordinates, or its derivative.
type State = [f64; 2 * NAMES.len()];

/// The state's derivative by Lagrange's equations; not finite where they cannot be solved.
pub(crate) fn rates(case: &Case, time: f64, state: &[f64]) -> State {
    let n = case.forces.len();
    let place = Place::new(time, state);
    let mut matrix = [[0.0; 2]; 2];
    let mut side = [0.0; 2];
    for i in 0..n {
        // The momentum's derivative along the motion at constant velocities, and the force of the Lagrangian.
        let mut along = place;
        along.velocities[i].first = 1.0;
        along.time.second = 1.0;
        for j in 0..n {
            along.positions[j].second = state[n + j];
        }
        let mut across = place;
        across.positions[i].first = 1.0;
        let drift = case.kinetic_energy(&along).mixed;
        let slope = case.lagrangian(&across).first;
        let pushes = case.forces[i].iter().map(|term| term.at(&place).value);
        side[i] = pushes.sum::<f64>() + slope - drift;
        for j in i..n {
            let mut both = place;
            both.velocities[i].first = 1.0;
            both.velocities[j].second = 1.0;
            matrix[i][j] = case.kinetic_energy(&both).mixed;
        }
    }
    if n == 1 {
        return [state[1], side[0] / matrix[0][0], 0.0, 0.0];
    }
    let [[a, b], [_, d]] = matrix;
    let determinant = a * d - b * b;
    [
        state[2],
        state[3],
        (d * side[0] - b * side[1]) / determinant,
        (a * side[1] - b * side[0]) / determinant,
    ]
}

/// Dormand and Prince's nodes and weights; the last row is the step, and the difference to order 4 follows.
const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const STAGES: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];
const DIFFERENCE: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// The end of a run in short explicit steps with the largest |component| seen; `None` if it cannot be reached.
fn explicit(
    case: &Case,
    start: &[f64],
    tolerance: f64,
    least_steps: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let dimension = start.len();
    let longest = case.to / least_steps;
    let (mut time, mut step) = (0.0, longest * 1e-2);
    let mut state = start.to_vec();
    let mut sizes: Vec<f64> = state.iter().map(|v| v.abs()).collect();
    let mut slopes = [[0.0; 2 * NAMES.len()]; 7];
    slopes[0] = rates(case, 0.0, &state);
    let mut moved = state.clone();
    for _ in 0..MOST_STEPS {
        if time >= case.to {
            return Some((state, sizes));
        }
        step = step.min(longest);
        let last = step >= (case.to - time) * (1.0 - 1e-12);
        if last {
            step = case.to - time;
        }
        for s in 1..7 {
            for k in 0..dimension {
                let sum: f64 = (0..s).map(|j| STAGES[s][j] * slopes[j][k]).sum();
                moved[k] = state[k] + step * sum;
            }
            slopes[s] = rates(case, time + step * NODES[s], &moved);
        }
        let mut error = 0.0_f64;
        for k in 0..dimension {
            let sum: f64 = (0..7).map(|j| DIFFERENCE[j] * slopes[j][k]).sum();
            let scale = tolerance * (1.0 + state[k].abs().max(moved[k].abs()));
            let part = (step * sum / scale).abs();
            error = if part <= error { error } else { part };
        }
        if error <= 1.0 {
            time = if last { case.to } else { time + step };
            state.copy_from_slice(&moved);
            slopes[0] = slopes[6];
            for (size, value) in sizes.iter_mut().zip(&state) {
                *size = size.max(value.abs());
            }
        }
        let factor = 0.9 * error.powf(-0.2);
        step *= if factor.is_nan() {
            0.1
        } else {
            factor.clamp(0.1, 5.0)
        };
        if step < 1e-14 {
            return None;
        }
    }
    None
}

/// The end of a run by backward differences, stopped `stops` times on the way.
fn implicit(case: &Case, start: &[f64], tolerance: f64, stops: usize) -> Option<Vec<f64>> {
    let slope = |time: f64, at: &[f64], along: &[f64]| -> Vec<f64> {
        let h = 1e-7;
        let [above, below] = [h, -h].map(|h| {
            let moved: Vec<f64> = at.iter().zip(along).map(|(a, b)| a + h * b).collect();
            rates(case, time, &moved)
        });
        let pairs = above.iter().zip(&below).take(at.len());
        pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
    };
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .h0(1e-6)
        .rhs_implicit(
            |y: &[f64], _: &[f64], t, out: &mut [f64]| {
                out.copy_from_slice(&rates(case, t, y)[..y.len()])
            },
            |y: &[f64], _: &[f64], t, v: &[f64], out: &mut [f64]| {
                out.copy_from_slice(&slope(t, y, v))
            },
        )
        .init(|_, _, y: &mut [f64]| y.copy_from_slice(start), start.len())
        .build()
        .ok()?;
    let mut solver = problem.bdf::<NalgebraLU<f64>>().ok()?;
    let mut taken = 0;
    for stop in 1..=stops {
        let until = case.to * stop as f64 / stops as f64;
        solver.set_stop_time(until).ok()?;
        while solver.step().ok()? != OdeSolverStopReason::TstopReached {
            taken += 1;
            if taken > MOST_STEPS {
                return None;
            }
        }
    }
    let state = solver.state();
    Some((0..start.len()).map(|k| state.y[k]).collect())
}

/// The end of a motion, or why it is not known.
pub(crate) fn truth(case: &Case) -> Result<Truth, String> {
    let start = &case.start;
    let n = case.forces.len();
    let (state, seen) =
        explicit(case, start, 1e-12, LEAST_STEPS).ok_or("the explicit integrator stopped")?;
    let size = |list: &[f64]| list.iter().fold(1e-3_f64, |m, v| m.max(*v));
    let (positions, velocities) = seen.split_at(n);
    let mut sizes = vec![size(positions); n];
    sizes.extend(vec![size(velocities); n]);
    let mut truth = Truth {
        state,
        sizes,
        growth: 1.0,
    };
    for k in 0..2 * n {
        let mut moved = start.clone();
        moved[k] += DISTURBANCE * truth.sizes[k];
        let (end, _) = explicit(case, &moved, 1e-10, LEAST_STEPS / 4.0)
            .ok_or("the explicit integrator stopped nearby")?;
        truth.growth = truth.growth.max(truth.error_of(&end) / DISTURBANCE);
    }
    if truth.growth.is_nan() || truth.growth > 1e4 {
        return Err(format!("errors grow {:.0e} times", truth.growth));
    }
    let (coarse, _) = explicit(case, start, 1e-10, LEAST_STEPS / 4.0)
        .ok_or("the explicit integrator stopped when coarser")?;
    let unsettled = truth.error_of(&coarse);
    if unsettled.is_nan() || unsettled > 0.3 * bound(&truth) {
        return Err(format!(
            "the explicit integrator is settled to {unsettled:.0e} only"
        ));
    }
    let other = implicit(case, start, 1e-9, 400).ok_or("backward differences stopped")?;
    let apart = truth.error_of(&other);
    if apart.is_nan() || apart > 30.0 * bound(&truth) {
        return Err(format!("the oracles differ by {apart:.0e}"));
    }
    Ok(truth)
}

/// The error that is allowed: one part in a million of the motion's size, more where errors grow by themselves.
pub(crate) fn bound(truth: &Truth) -> f64 {
    1e-6 * truth.growth.max(1.0).sqrt().max(truth.growth * 1e-2)
}
