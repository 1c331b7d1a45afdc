//! Forces asin(sin(kx)), acos(cos(kx)) and the like against their motions in closed form: they are linear in x between
//! their kinks, so that each motion consists of arcs of cosines, hyperbolic cosines and parabolas.

use std::f64::consts::PI;

use galilei_integrate::Status;

use crate::common::by;

/// A force that is linear between its kinks.
#[derive(Clone, Copy)]
enum Wave {
    /// asin(sin u)
    Triangle,
    /// acos(cos u)
    Roof,
    /// The angle of (cos u, sin u), and atan(tan u).
    Saw(f64),
}

impl Wave {
    /// The piece that contains an angle, or begins there in a direction: its ends, its slope and its zero.
    fn piece(self, angle: f64, direction: f64) -> [f64; 4] {
        let (period, offset) = match self {
            Self::Triangle => (PI, 0.5 * PI),
            Self::Roof => (PI, 0.0),
            Self::Saw(period) => (period, 0.5 * period),
        };
        let n = ((angle + 1e-9 * direction + offset) / period).floor();
        let low = n * period - offset;
        let even = n.rem_euclid(2.0) == 0.0;
        let sign = if even { 1.0 } else { -1.0 };
        let (slope, zero) = match self {
            Self::Triangle => (sign, n * PI),
            Self::Roof => (sign, if even { low } else { low + PI }),
            Self::Saw(_) => (1.0, low + 0.5 * period),
        };
        [low, low + period, slope, zero]
    }
}

/// x and x' a time after a state on a piece: x'' = α(x − c).
fn arc([x, v]: [f64; 2], alpha: f64, c: f64, t: f64) -> [f64; 2] {
    let (y, w) = (x - c, alpha.abs().sqrt());
    let (even, odd, sign) = match alpha < 0.0 {
        true => ((w * t).cos(), (w * t).sin(), -1.0),
        false => ((w * t).cosh(), (w * t).sinh(), 1.0),
    };
    [c + y * even + v / w * odd, sign * y * w * odd + v * even]
}

/// The motion of x'' = −s·wave(kx) from a state.
fn motion(wave: Wave, [s, k]: [f64; 2], mut state: [f64; 2], to: f64) -> [f64; 2] {
    let mut left = to;
    'pieces: loop {
        let [low, high, slope, zero] = wave.piece(k * state[0], state[1]).map(|p| p / k);
        let slope = slope * k;
        let at = |t: f64| arc(state, -s * k * slope, zero, t);
        let inside = |t: f64| (low..=high).contains(&at(t)[0]);
        let samples = (left * 2000.0).ceil();
        // A kink lies on the way from its start on.
        let first = 1e-7;
        let mut before = first;
        for j in 1..=samples as usize {
            let t = (left * j as f64 / samples).max(first);
            if !inside(t) {
                let (mut a, mut b) = (before, t);
                for _ in 0..80 {
                    let m = 0.5 * (a + b);
                    if inside(m) { a = m } else { b = m }
                }
                state = at(b);
                left -= b;
                continue 'pieces;
            }
            before = t;
        }
        return at(left);
    }
}

/// A sequence of numbers in (0, 1).
fn numbers(seed: usize) -> impl Fn(usize) -> f64 {
    let steps = [2.0f64, 3.0, 5.0, 7.0, 11.0].map(f64::sqrt);
    move |k| ((seed + 1) as f64 * steps[k]).fract()
}

fn compare(kind: usize, seed: usize, methods: &[(&str, f64)]) {
    let number = numbers(seed);
    let (s, k) = (0.5 + 1.5 * number(0), 1.0 + 3.0 * number(1));
    let state = [2.0 * number(2) - 1.0, 1.0 + 2.0 * number(3)];
    let u = format!("{k:?}*x");
    let (force, wave) = match kind {
        0 => (format!("asin(sin({u}))"), Wave::Triangle),
        1 => (format!("acos(cos({u}))"), Wave::Roof),
        2 => (format!("atan2(sin({u}), cos({u}))"), Wave::Saw(2.0 * PI)),
        _ => (format!("atan(tan({u}))"), Wave::Saw(PI)),
    };
    let text = format!(
        "coord x\nkinetic: x'^2/2\nforce: x = -{s:?}*{force}\ninitial x = {:?}, x' = {:?}\nsimulate to 4",
        state[0], state[1]
    );
    let wanted = motion(wave, [s, k], state, 4.0);
    for (method, limit) in methods {
        let run = by(method, &text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}\n{text}");
        for (found, wanted) in run.state.iter().zip(wanted) {
            let error = (found - wanted).abs();
            assert!(
                error < limit * wanted.abs().max(1.0),
                "{method}: {found} is not {wanted}\n{text}"
            );
        }
    }
}

#[test]
fn inverse_functions_of_their_functions() {
    for seed in 0..40 {
        compare(seed % 4, seed, &[("taylor", 1e-8)]);
    }
}

#[test]
fn inverse_functions_of_their_functions_by_other_methods() {
    for seed in 40..52 {
        compare(seed % 4, seed, &[("dop853", 1e-6), ("radau", 1e-6)]);
    }
}

/// Kinks of several functions at one place.
#[test]
fn kinks_that_coincide() {
    // On either side of x = 0 the force is linear: −(|4x| + |x| + x) near 0, as far as |4x| < π.
    let text = "coord x\nkinetic: x'^2/2\nforce: x = -acos(cos(4*x)) - abs(x) - asin(sin(x))\ninitial x = -0.4, x' = 1.5\nsimulate to 0.9";
    // Left of 0: −(−4x − x + x) = 4x.
    let left = |t: f64| arc([-0.4, 1.5], 4.0, 0.0, t);
    let (mut a, mut b) = (0.0, 0.9);
    for _ in 0..80 {
        let m = 0.5 * (a + b);
        if left(m)[0] < 0.0 { a = m } else { b = m }
    }
    let right = arc([0.0, left(a)[1]], -6.0, 0.0, 0.9 - a);
    for method in ["taylor", "dop853", "radau"] {
        let run = by(method, text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}");
        for (found, wanted) in run.state.iter().zip(right) {
            assert!((found - wanted).abs() < 1e-7, "{method}: {found} {wanted}");
        }
    }
}
