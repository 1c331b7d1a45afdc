//! Checks of steps and runs beside those of single motions: lanes, sensitivities, constraints that become dependent,
//! constant steps under a constraint. References are closed forms and, for the last, steps of order four without any code
//! of Galilei.

use galilei_integrate::{Method, Run, Start, Status};

use crate::common::{by, model};

/// The force a·t²⁵(1 + t²)⁵. At t = 0 all coefficients of its series vanish below order 25, and no function in it is flat
/// by its form.
const LATE: &str = "param a = 1\ncoord x\nkinetic: x'^2/2\nforce: x = a*(t^5 + t^7)^5\n";

/// x and x' at a time, from rest: the integrals of the force.
fn late(time: f64) -> [f64; 2] {
    let terms = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0].into_iter().enumerate();
    terms.fold([0.0; 2], |[x, v], (k, c)| {
        let p = 25 + 2 * k as i32;
        let (first, second) = (f64::from(p + 1), f64::from(p + 2));
        [
            x + c * time.powi(p + 2) / (first * second),
            v + c * time.powi(p + 1) / first,
        ]
    })
}

/// Steps that coefficients at their start would make as long as the run are rejected by the accelerations at their end.
#[test]
fn forces_that_begin_in_high_order_are_met() {
    let text = format!("{LATE}simulate to 1.5");
    let wanted = late(1.5);
    for method in ["taylor", "dop853", "radau"] {
        let run = by(method, &text, 1e-10).run;
        assert_eq!(run.status, Status::Finished, "{method}");
        for (found, wanted) in run.state.iter().zip(wanted) {
            assert!(
                (found / wanted - 1.0).abs() < 1e-6,
                "{method}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn lanes_meet_forces_that_begin_in_high_order() {
    let compiled = model(&format!("{LATE}simulate to 1.5")).compile().unwrap();
    for lanes in [1, 4, 8] {
        let ensemble = compiled.ensemble_by(Method::Taylor, 1e-10, lanes).unwrap();
        assert_eq!(ensemble.lanes(), lanes);
        let ends = |j: u64| 1.0 + 0.05 * j as f64;
        let starts = (0..11).map(|j| Start {
            number: j,
            from: 0.0,
            to: ends(j),
            state: vec![0.0; 2],
            fixed: vec![],
            project: false,
        });
        let mut seen = 0;
        let compare = |number: u64, run: Run| {
            assert_eq!(run.status, Status::Finished);
            for (found, wanted) in run.state.iter().zip(late(ends(number))) {
                assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
            }
            seen += 1;
        };
        ensemble.worker().run(starts, compare, || true);
        assert_eq!(seen, 11);
    }
}

/// Derivatives by the factor of the force are the motion itself.
#[test]
fn sensitivities_meet_forces_that_begin_in_high_order() {
    let model = model(&format!("{LATE}simulate to 1.5"));
    let found = model.sensitivities().by_all(["a"]).tolerance(1e-10).run();
    let found = found.unwrap().by_parameters.remove(0);
    for (found, wanted) in found.iter().zip(late(1.5)) {
        assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
    }
}

/// The integral of a smooth function over an interval, by Simpson's rule.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let n = 2000;
    let h = (to - from) / f64::from(n);
    let weight = |k: i32| match k {
        0 => 1.0,
        k if k == n => 1.0,
        k => f64::from(2 + 2 * (k % 2)),
    };
    (0..=n)
        .map(|k| weight(k) * f(from + h * f64::from(k)))
        .sum::<f64>()
        * h
        / 3.0
}

/// A run ends at a branch point at this time, or passes it on a branch.
fn stops_or_stays(text: &str, time: f64, on_branch: impl Fn(&[f64]) -> f64) {
    let motion = by("taylor", text, None);
    match motion.run.status {
        Status::Event(k) => {
            assert_eq!(motion.event_names[k], "branch point of c");
            assert!((motion.run.time - time).abs() < 1e-4, "{}", motion.run.time);
        }
        Status::Finished => assert!(on_branch(&motion.run.state).abs() < 1e-8),
        status => panic!("{text}: {status:?}"),
    }
}

/// Crank and rod of length 1: the slider is at s = 2cos a, or stays at the crank's axis from the dead centre a = π/2 on.
#[test]
fn a_slider_crank_with_equal_arms_reaches_its_dead_centre() {
    let text = "coord a, s\nkinetic: (a'^2 + s'^2)/2\nconstraint c: (s - cos(a))^2 + sin(a)^2 = 1\ninitial a = 0.3, s = 2*cos(0.3), a' = 1, s' = -2*sin(0.3)\nsimulate to 3";
    // (1 + 4sin²a)a'² is constant.
    let speed = |a: f64| (1.0 + 4.0 * a.sin().powi(2)).sqrt();
    let time = integral(speed, 0.3, std::f64::consts::FRAC_PI_2) / speed(0.3);
    stops_or_stays(text, time, |state| state[1] - 2.0 * state[0].cos());
}

/// Four bars as a parallelogram turn by the same angle, until they lie on a line.
#[test]
fn a_parallelogram_of_four_bars_reaches_its_flat_position() {
    let text = "coord a, b\nkinetic: (a'^2 + b'^2)/2\nconstraint c: (2 + cos(b) - cos(a))^2 + (sin(b) - sin(a))^2 = 4\ninitial a = pi/2, b = pi/2, a' = 1, b' = 1\nsimulate to 3";
    let time = std::f64::consts::FRAC_PI_2;
    stops_or_stays(text, time, |state| state[1] - state[0]);
}

/// q₁ = c·sin q₂ under gravity along q₁ and a spring in q₂: with one unknown, (m + M c²cos²q)q'' = Q.
struct Slide {
    numbers: [f64; 5],
    state: [f64; 2],
    to: f64,
}

impl Slide {
    fn of(seed: usize) -> Self {
        let steps = [2.0f64, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0].map(f64::sqrt);
        let number = |k: usize| ((seed + 1) as f64 * steps[k]).fract();
        Self {
            // c, M, m, the weight, the stiffness.
            numbers: [
                if seed.is_multiple_of(2) {
                    0.31
                } else {
                    0.1 + 1.4 * number(0)
                },
                0.5 + 2.0 * number(1),
                0.5 + 2.0 * number(2),
                if seed.is_multiple_of(3) {
                    0.0
                } else {
                    9.81 * number(3)
                },
                if seed.is_multiple_of(5) {
                    0.0
                } else {
                    3.0 * number(4)
                },
            ],
            state: [4.0 * number(5) - 2.0, 6.0 * number(6) - 3.0],
            to: 5.0 + 35.0 * number(7),
        }
    }

    fn text(&self) -> String {
        let [c, heavy, light, weight, stiffness] = self.numbers;
        let [q, u] = self.state;
        format!(
            "coord p, q\nkinetic: {heavy:?}*p'^2/2 + {light:?}*q'^2/2\npotential: {weight:?}*p + {stiffness:?}*q^2/2\nconstraint c: p = {c:?}*sin(q)\ninitial p = {:?}, q = {q:?}, p' = {:?}, q' = {u:?}\nsimulate to {:?}",
            c * q.sin(),
            c * q.cos() * u,
            self.to
        )
    }

    fn acceleration(&self, [q, u]: [f64; 2]) -> f64 {
        let [c, heavy, light, weight, stiffness] = self.numbers;
        let (sin, cos) = q.sin_cos();
        let force = heavy * c * c * sin * cos * u * u - weight * c * cos - stiffness * q;
        force / (light + heavy * c * c * cos * cos)
    }

    /// q and q' at the end, by the classical Runge–Kutta method.
    fn end(&self) -> [f64; 2] {
        let steps = 200_000;
        let h = self.to / f64::from(steps);
        let rate = |s: [f64; 2]| [s[1], self.acceleration(s)];
        let along = |s: [f64; 2], k: [f64; 2], h: f64| [s[0] + h * k[0], s[1] + h * k[1]];
        let mut s = self.state;
        for _ in 0..steps {
            let a = rate(s);
            let b = rate(along(s, a, 0.5 * h));
            let c = rate(along(s, b, 0.5 * h));
            let d = rate(along(s, c, h));
            for i in 0..2 {
                s[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
            }
        }
        s
    }
}

/// The largest error of a run by Gauss' method without a warning, in tolerances, where lengths of steps are chosen.
const ACCUMULATED: f64 = 1e2;

/// Automatic steps of Gauss' methods under a constraint between positions: an error that adds up to much more than the
/// tolerance has a warning.
#[test]
fn automatic_constant_steps_on_a_constraint() {
    let tolerance = 1e-6;
    let mut silent = 0.0_f64;
    for seed in 0..30 {
        let slide = Slide::of(seed);
        let motion = by("gauss6", &slide.text(), tolerance);
        assert_eq!(motion.run.status, Status::Finished, "{}", slide.text());
        let [q, u] = slide.end();
        let error = (motion.run.state[1] - q)
            .abs()
            .max((motion.run.state[3] - u).abs());
        let size = 1.0 + q.abs() + u.abs();
        if motion.warnings.is_empty() {
            silent = silent.max(error / size / tolerance);
            assert!(
                error < ACCUMULATED * tolerance * size,
                "{error:e}\n{}",
                slide.text()
            );
        }
    }
    assert!(silent > 0.0);
    println!("largest error without a warning: {silent:.1} tolerances");
}
