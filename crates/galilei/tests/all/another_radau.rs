//! Radau's method against another implementation of it, on stiff motions written by hand.

use crate::common;

use common::{alike, by, finished, van_der_pol};
use differential_equations::prelude::*;

/// The end of a run by the other, from (x, u), given u̇.
fn theirs<const N: usize>(
    start: [f64; N],
    to: f64,
    tolerance: f64,
    rates: impl Fn(&[f64; N], &mut [f64; N]),
) -> ([f64; N], usize) {
    // There a tolerance r admits errors of 0.1·r^(2/3) for each step.
    let asked = (10.0 * tolerance).powf(1.5);
    let method = ImplicitRungeKutta::radau5()
        .rtol(asked)
        .atol(asked)
        .max_steps(1_000_000);
    let solution = IVP::ode_from_fn(
        move |_, y: &[f64; N], dydt: &mut [f64; N]| rates(y, dydt),
        0.0,
        to,
        start,
    )
    .method(method)
    .solve()
    .unwrap();
    (*solution.last().unwrap().1, solution.steps.accepted)
}

/// Over several relaxations, with jumps in between.
#[test]
fn relaxations() {
    let text = van_der_pol(1e-4, [2.0, -0.66]) + "simulate to 5\n";
    let own = finished("radau", &text, 1e-8);
    let (other, count) = theirs([2.0, -0.66], 5.0, 1e-8, |y, rate| {
        *rate = [y[1], ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-4];
    });
    alike(&own.state, &other, 1e-5);
    // The same method with the same estimate, which is measured here by each component: of about the same effort.
    let ratio = own.steps as f64 / count as f64;
    assert!((0.3..4.0).contains(&ratio), "{} and {count}", own.steps);
}

/// A pendulum on a stiff spring with friction along it: fast and damped beside slow and free, in polar coordinates,
/// where the mass matrix depends on the position.
#[test]
fn a_stiff_spring_pendulum() {
    let text = "param k = 1e6, c = 1e4\ncoord r, a\nkinetic: (r'^2 + r^2*a'^2)/2\n\
                potential: k*(r - 1)^2/2 - r*cos(a)\nforce: r = -c*r'\n\
                initial r = 1, a = 1, a' = 0.2\nsimulate to 5\n";
    let own = finished("radau", text, 1e-9);
    let (other, _) = theirs([1.0, 1.0, 0.0, 0.2], 5.0, 1e-9, |&[r, a, v, w], rate| {
        let pull = r * w * w - 1e6 * (r - 1.0) + a.cos() - 1e4 * v;
        *rate = [v, w, pull, -(2.0 * v * w + a.sin()) / r];
    });
    // The other is off by 10⁻⁶ here; Taylor series decide.
    alike(&own.state, &other, 1e-5);
    let exact = by("taylor", text, 1e-12).run.state;
    alike(&own.state, &exact, 1e-10);
    // Rounding of the length, felt through the spring, must not be taken for an error.
    let own = finished("radau", text, 1e-11);
    alike(&own.state, &exact, 1e-11);
    assert!(own.steps < 5000, "{}", own.steps);
}
