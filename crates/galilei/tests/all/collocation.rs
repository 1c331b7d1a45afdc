//! Gauss' methods and Radau's: their orders, what Gauss' keep, stiff problems with published values, and their
//! runs against exact results and against Taylor series.

use crate::common;

use common::{
    DOUBLE, FAST, KEPLER, ROBERTSON, by, compiled, distance, largest, near, no_drift, steps_of,
    van_der_pol,
};
use galilei::{Compiled, Method, Model, RunSettings};
use galilei_integrate::{Error, Run, SingleStep, Status};

/// A Gauss step in momenta, as runs take it, or in velocities.
fn gauss_step(c: &Compiled, stages: usize, momenta: bool) -> SingleStep {
    let methods = [Method::Gauss2, Method::Gauss4, Method::Gauss6];
    match momenta {
        true => c.single_step(methods[stages - 1]).unwrap(),
        false => SingleStep::of_velocities(c.problem(), stages),
    }
}

#[test]
fn the_orders_of_gauss_are_two_four_and_six() {
    let starts = [
        (DOUBLE, [0.0, 0.5, 1.0, 0.3, -0.2]),
        (KEPLER, [0.0, 1.0, 0.0, 0.0, 1.2]),
        (FAST, [0.0, 0.5, 0.0, 0.1, 0.4]),
    ];
    for ((text, start), stages) in starts.iter().flat_map(|s| [1, 2, 3].map(|k| (s, k))) {
        let c = compiled(text);
        let order = 2.0 * stages as f64;
        let mut fine = c.single_step(Method::Dop853).unwrap();
        let mut exact = start.to_vec();
        for _ in 0..400 {
            exact = fine.step(&exact, 2.0 / 400.0).unwrap();
        }
        for momenta in [true, false] {
            let mut step = gauss_step(&c, stages, momenta);
            let end = |step: &mut SingleStep, count: usize| {
                let mut state = start.to_vec();
                for _ in 0..count {
                    state = step.step(&state, 2.0 / count as f64).unwrap();
                }
                distance(&state[1..], &exact[1..])
            };
            let errors = [40, 80].map(|count| end(&mut step, count));
            let slope = (errors[0] / errors[1]).log2();
            assert!(
                (slope - order).abs() < 0.3,
                "{stages} {momenta}: slope {slope} of {errors:?}"
            );
        }
        // Within one step: the error is that of the step, or of the polynomial's, which is of order six.
        let mut step = gauss_step(&c, stages, true);
        let mut middle = |h: f64| {
            step.step(start, h).unwrap();
            let between = step.between(0.3).unwrap();
            let mut exact = start.to_vec();
            for _ in 0..16 {
                exact = fine.step(&exact, 0.3 * h / 16.0).unwrap();
            }
            distance(&between, &exact[1..])
        };
        let errors = [0.1, 0.05].map(&mut middle);
        let slope = (errors[0] / errors[1]).log2();
        let wanted = (order + 1.0).min(6.0);
        assert!(
            slope > wanted - 0.4,
            "{stages}: slope {slope} of {errors:?}"
        );
    }
}

/// Velocity and acceleration vanish together at t = 2π/3: the error relative to the velocity there would ask for ever
/// shorter steps.
#[test]
fn radau_passes_instants_of_rest() {
    let text = "coord x\nkinetic: x'^2/2\nforce: x = sin(3*t)\nsimulate to 4\n";
    let m = by("radau", text, 1e-12);
    assert_eq!(m.run.status, Status::Finished);
    let (x, v) = (4.0 / 3.0 - 12f64.sin() / 9.0, (1.0 - 12f64.cos()) / 3.0);
    assert!((m.run.state[0] - x).abs() < 1e-10 && (m.run.state[1] - v).abs() < 1e-10);
}

/// The error of a run falls with the fifth power of the length of its steps; the estimate of a step is of order
/// four.
#[test]
fn the_order_of_radau_is_five() {
    for text in [DOUBLE, KEPLER] {
        let text = &format!("{text}simulate to 10\n");
        let exact = by("taylor", text, 1e-16).run.state;
        let results = [1e-5, 1e-7, 1e-9].map(|tolerance| {
            let m = by("radau", text, tolerance);
            assert_eq!((m.method, m.run.order), ("radau", 5));
            let error = distance(&m.run.state, &exact);
            assert!(error < 100.0 * tolerance, "{tolerance}: {error}");
            assert!(m.run.energy_balance < 10.0 * tolerance);
            (error.ln(), (m.run.steps as f64).ln(), tolerance.ln())
        });
        let [first, _, last] = results;
        let slope = (first.0 - last.0) / (last.1 - first.1);
        assert!((4.6..5.6).contains(&slope), "slope {slope}: {results:?}");
        let estimate = (first.2 - last.2) / (last.1 - first.1);
        assert!((3.7..4.4).contains(&estimate), "{estimate}: {results:?}");
    }
}

/// On x″ = −x the method with s stages is Padé's approximant of eⁱʰ of degrees (s, s): a rotation by an angle that is
/// known.
#[test]
fn gauss_steps_of_an_oscillator_are_those_of_pade() {
    let c = compiled("coord x\nkinetic: x'^2/2\npotential: x^2/2\n");
    for h in [0.1, 1.0_f64, 2.5] {
        // Real and imaginary part of the numerator at ih; the denominator is its conjugate.
        let numerators = [
            (1.0, h / 2.0),
            (1.0 - h * h / 12.0, h / 2.0),
            (1.0 - h * h / 10.0, h / 2.0 - h.powi(3) / 120.0),
        ];
        for (k, (re, im)) in numerators.into_iter().enumerate() {
            let (s, c0) = (2.0 * f64::atan2(im, re)).sin_cos();
            let end = gauss_step(&c, k + 1, true)
                .step(&[0.0, 0.3, -0.8], h)
                .unwrap();
            near(end[1], 0.3 * c0 - 0.8 * s, 4.0 * f64::EPSILON);
            near(end[2], -0.3 * s - 0.8 * c0, 4.0 * f64::EPSILON);
        }
    }
}

/// Where the equations are linear, Newton's method with exact derivatives needs one step, and a few that see rounding: with
/// stiffness, friction and a gyroscopic term every block of its matrix counts.
#[test]
fn linear_motions_take_one_newton_step() {
    let text = "coord x, y\nkinetic: x'^2 + y'^2/2 + 0.3*x'*y' + 2*x*y'\npotential: 5*x^2 + 3*y^2 + x*y\n\
                force: x = -x' + y', y = -2*y' - x\ninitial x = 1, y' = 1\nsimulate to 10\n";
    for (method, stages) in [("gauss2", 1), ("gauss4", 2), ("gauss6", 3)] {
        let run = steps_of(method, text, 0.25).run;
        let each = run.evaluations as f64 / run.steps as f64;
        assert!(each <= 4.0 * stages as f64 + 1.1, "{method}: {each}");
    }
    // One for each stage, twice, and at the start the accelerations and their derivatives.
    let run = by("radau", text, 1e-6).run;
    let each = run.evaluations as f64 / (run.steps + run.rejected) as f64;
    assert!(each <= 2.0 * 3.0 + 2.5, "{each}");
}

/// JᵀΩJ − Ω of a map in (x, p), by differences of order eight.
fn symplectic_defect(c: &Compiled, start: &[f64], mut map: impl FnMut(&[f64]) -> Vec<f64>) -> f64 {
    let n = (start.len() - 1) / 2;
    // From differences in (x, u) at both ends to those in (x, p): p = ∂L/∂u.
    let lift = |state: &[f64]| -> Vec<Vec<f64>> {
        let rows = c.legendre(state);
        let unit = |i: usize| (0..2 * n).map(|k| f64::from(i == k)).collect::<Vec<f64>>();
        let mut list: Vec<Vec<f64>> = (0..n).map(unit).collect();
        list.extend(rows.chunks(2 * n).map(<[f64]>::to_vec));
        list
    };
    let h = 0.01;
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let columns: Vec<Vec<f64>> = (0..2 * n)
        .map(|k| {
            let mut column = vec![0.0; 2 * n];
            for (j, w) in weights.iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut moved = start.to_vec();
                    moved[1 + k] += sign * h * (j + 1) as f64;
                    let end = map(&moved);
                    for (c, x) in column.iter_mut().zip(&end[1..]) {
                        *c += sign * w * x / h;
                    }
                }
            }
            column
        })
        .collect();
    let form = |lift: &[Vec<f64>], a: &[f64], b: &[f64]| -> f64 {
        let at = |row: &[f64], v: &[f64]| -> f64 { row.iter().zip(v).map(|(r, v)| r * v).sum() };
        (0..n)
            .map(|i| {
                let [xa, xb] = [a, b].map(|v| at(&lift[i], v));
                let [pa, pb] = [a, b].map(|v| at(&lift[n + i], v));
                pa * xb - pb * xa
            })
            .sum()
    };
    let (before, after) = (lift(start), lift(&map(start)));
    let unit = |i: usize| (0..2 * n).map(|k| f64::from(i == k)).collect::<Vec<f64>>();
    let pairs = (0..2 * n).flat_map(|i| (0..i).map(move |j| (i, j)));
    largest(pairs.map(|(i, j)| {
        let first = form(&before, &unit(i), &unit(j));
        form(&after, &columns[i], &columns[j]) - first
    }))
}

/// In (x, p) to rounding, with a mass matrix that depends on x or on u; on (x, u), and by Runge–Kutta steps, not.
#[test]
fn gauss_steps_are_symplectic_in_momenta() {
    let starts = [
        (DOUBLE, [0.0, 0.5, 1.0, 0.3, -0.2]),
        (FAST, [0.0, 0.5, 0.2, 0.1, 0.4]),
    ];
    for ((text, start), stages) in starts.iter().flat_map(|s| [1, 2, 3].map(|k| (s, k))) {
        let c = compiled(text);
        let h = 0.4;
        let defect = |momenta: bool| {
            let mut step = gauss_step(&c, stages, momenta);
            symplectic_defect(&c, start, |state| step.step(state, h).unwrap())
        };
        let own = defect(true);
        assert!(own < 1e-12, "{stages}: {own:e}");
        let other = defect(false);
        assert!(other > 1e-7, "{stages}: {other:e}");
    }
    let c = compiled(DOUBLE);
    let mut step = c.single_step(Method::Dop853).unwrap();
    let other = symplectic_defect(&c, &starts[0].1, |state| step.step(state, 0.4).unwrap());
    assert!(other > 1e-9, "{other:e}");
}

/// Methods with steps so large that their error is seen.
const LARGE_STEPS: [(&str, f64); 3] = [("gauss2", 0.02), ("gauss4", 0.05), ("gauss6", 0.1)];

/// A motion that is regular, with so large steps that their error is seen: the energy error stays.
#[test]
fn energy_does_not_drift() {
    no_drift(&LARGE_STEPS, 20_000);
}

#[test]
#[ignore = "takes some seconds in a build for release, longer in others"]
fn energy_does_not_drift_over_a_million_steps() {
    no_drift(&LARGE_STEPS, 1_000_000);
}

/// ε·x″ = (1 − x²)x′ − x with ε = 10⁻⁶ from (2, 0) to t = 2: the problem `vdpol` of the test set for initial value
/// problems (Mazzia, Magherini), with its reference solution.
#[test]
fn van_der_pol_stiff() {
    let [text, short] =
        [2.0, 0.1].map(|to| van_der_pol(1e-6, [2.0, 0.0]) + &format!("simulate to {to}\n"));
    for tolerance in [1e-5, 1e-7, 1e-10] {
        let m = by("radau", &text, tolerance);
        assert_eq!(m.run.status, Status::Finished);
        near(m.run.state[0], 1.706_167_732_170_483, 10.0 * tolerance);
        near(m.run.state[1], -0.892_809_701_024_797_5, 10.0 * tolerance);
        assert!(m.run.energy_balance < tolerance);
        assert!(m.run.steps < 12_000, "{}", m.run.steps);
    }
    // What it is for: a method that is not for stiff motions takes a hundred times as many steps.
    let stiff = by("radau", &short, 1e-6).run.steps;
    let other = by("dop853", &short, 1e-6).run.steps;
    assert!(other > 100 * stiff, "{other} and {stiff}");
}

/// Robertson's reaction, with the reference of the same test set, over eleven decades of time.
#[test]
fn robertson() {
    let text = &format!("{ROBERTSON}simulate to 1e11\n");
    let wanted = [
        0.208_334_014_970_125_5e-7,
        0.833_336_077_033_471_3e-13,
        0.999_999_979_166_505,
    ];
    for tolerance in [1e-6, 1e-9] {
        let m = by("radau", text, tolerance);
        assert_eq!(m.run.status, Status::Finished);
        for (found, wanted) in m.run.state[3..].iter().zip(wanted) {
            let off = (found / wanted - 1.0).abs();
            assert!(off < 100.0 * tolerance, "{found} is not {wanted}: {off:e}");
        }
        // What is there stays.
        near(m.run.state[3..].iter().sum(), 1.0, 1e-12);
    }
}

/// All models that have runs of their own, at a modest tolerance.
#[test]
fn models_move_alike() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let (mut seen, mut refused) = (0, vec![]);
    let tolerance = 1e-8;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "gal") {
            continue;
        }
        let model = Model::open(&path).unwrap();
        let settings = |method: &str, tolerance: f64| {
            RunSettings::new()
                .to(2.0)
                .tolerance(tolerance)
                .method(method.parse::<Method>().unwrap())
        };
        let Ok(one) = model.simulate().settings(settings("taylor", 1e-13)).run() else {
            continue;
        };
        for method in ["gauss6", "radau", "galerkin6"] {
            // It comes so near to the pole of its angles that steps of one length are 45 000.
            if name == "free-rigid-body" && method != "radau" {
                continue;
            }
            let other = match model.simulate().settings(settings(method, tolerance)).run() {
                Ok(other) => other,
                Err(why) => {
                    // Constraints between velocities, and Hamiltonians without a Lagrangian in closed form.
                    let code = why.diagnostics()[0].code.as_str();
                    match model.compile() {
                        Ok(_) => assert_eq!((method, code), ("galerkin6", "not_variational")),
                        Err(_) => assert_eq!((method, code), (method, "not_available")),
                    }
                    refused.push(name.clone());
                    continue;
                }
            };
            // The coordinates of a point of a manifold depend on the chart in which a run ends; outputs do not.
            let place = |run: &Run| match model.manifolds().is_empty() {
                true => run.state.clone(),
                false => run.outputs.clone(),
            };
            let (here, there) = (place(&one.run), place(&other.run));
            let size = here.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let off = distance(&here, &there) / size;
            assert!(!here.is_empty(), "{name}");
            println!(
                "{name} {method}: {off:.1e}, {} + {} steps, balance {:.1e}",
                other.run.steps, other.run.rejected, other.run.energy_balance,
            );
            assert_eq!(one.run.status, other.run.status, "{name} {method}");
            // Errors of modified Rodrigues parameters are four times as large in the entries of a matrix.
            let limit = if model.manifolds().is_empty() {
                100.0
            } else {
                400.0
            };
            assert!(off < limit * tolerance, "{name} {method}: {off}");
            assert!(
                other.run.energy_balance < 100.0 * tolerance,
                "{name} {method}"
            );
            assert_eq!(one.run.crossings.len(), other.run.crossings.len(), "{name}");
            for (a, b) in one.run.crossings.iter().zip(&other.run.crossings) {
                assert_eq!(a.event, b.event);
                near(a.time, b.time, 100.0 * tolerance);
            }
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
    for holonomic in ["andrews-squeezer", "particle-on-sphere", "quaternion-top"] {
        assert!(!refused.contains(&holonomic.to_owned()));
    }
    assert!(refused.contains(&"knife-edge".to_owned()));
}

/// What runs do beside moving, by a stiff method and by two of constant steps.
const METHODS: [&str; 3] = ["radau", "gauss4", "galerkin4"];

/// A force that changes its sign more than once in a step: the velocity goes up and down between 0 and π/w, and the
/// work is that of the force on either side.
#[test]
fn the_work_over_many_kinks_is_that_of_the_force() {
    let end = 10.0;
    for w in [7.5_f64, 8.0, 12.0, 15.0, 20.0] {
        let text =
            format!("coord x\nkinetic: x'^2/2\nforce f: x = sign(sin({w}*t))\nsimulate to {end}\n");
        let half = std::f64::consts::PI / w;
        let count = (end / half).floor();
        let rest = end - count * half;
        let (u, x) = match count % 2.0 == 0.0 {
            true => (rest, rest * rest / 2.0),
            false => (half - rest, half * rest - rest * rest / 2.0),
        };
        let x = x + count * half * half / 2.0;
        for method in [
            "dop853",
            "radau",
            "gauss2",
            "gauss4",
            "gauss6",
            "midpoint",
            "trapezoid",
            "galerkin4",
        ] {
            let run = by(method, &text, 1e-9).run;
            assert_eq!(run.status, Status::Finished, "{method} {w}");
            assert!(distance(&run.state, &[x, u]) < 1e-10, "{method} {w}");
            let balance = run.energy_balance;
            assert!(balance < 1e-11, "{method} {w}: {balance:e}");
        }
    }
}

#[test]
fn a_friction_oscillator_restarts_at_its_kinks_and_sticks() {
    let pi = std::f64::consts::PI;
    for method in METHODS {
        let m = by(
            method,
            "param f = 0.1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce friction: x = -f*sign(x')\n\
             event turn: x'\ninitial x = 2\nsimulate to 9.4\n",
            1e-11,
        );
        assert_eq!(m.run.crossings.len(), 2, "{:?}", m.run.crossings);
        for (c, (time, x)) in m.run.crossings.iter().zip([(pi, -1.8), (2.0 * pi, 1.6)]) {
            near(c.time, time, 1e-8);
            near(c.state[0], x, 1e-8);
        }
        near(
            m.run.state[0],
            0.1 + 1.5 * (m.run.time - 2.0 * pi).cos(),
            1e-8,
        );
        assert!(m.run.energy_balance < 1e-8, "{}", m.run.energy_balance);
        let m = by(
            method,
            "param f = 1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce friction: x = -f*sign(x')\n\
             initial x = 2.5\nsimulate to 100\n",
            1e-10,
        );
        assert_eq!(m.run.status, Status::Failed(Error::Sticking), "{method}");
        near(m.run.time, pi, 1e-7);
        near(m.run.state[0], -0.5, 1e-7);
    }
}

#[test]
fn events_end_runs_and_rows_are_those_asked_for() {
    let pi = std::f64::consts::PI;
    let base = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n";
    for method in METHODS {
        let m = by(
            method,
            &format!("{base}simulate to 20\nevent crossing: x rising terminal\n"),
            1e-11,
        );
        assert_eq!(m.run.status, Status::Event(0));
        near(m.run.time, 1.5 * pi, 1e-9);
        near(m.run.state[0], 0.0, 1e-12);
        assert_eq!(m.run.rows.last().unwrap()[0], m.run.time);
        // Twice around each maximum.
        let m = by(
            method,
            &format!("{base}simulate to 20\nevent high: x - 0.9999\n"),
            1e-11,
        );
        assert_eq!(m.run.crossings.len(), 7);
        for c in &m.run.crossings {
            near(c.time.cos(), 0.9999, 1e-9);
            near(c.state[1], -c.time.sin(), 1e-8);
        }
        let m = by(
            method,
            &format!("{base}output double: 2*x\nsimulate from 2 to -1 every 0.5\n"),
            1e-11,
        );
        assert_eq!(m.run.rows.len(), 7);
        for (k, row) in m.run.rows.iter().enumerate() {
            let t = 2.0 - 0.5 * k as f64;
            near(row[0], t, 1e-15);
            near(row[1], (t - 2.0).cos(), 1e-9);
            near(row[2], -(t - 2.0).sin(), 1e-9);
            near(row[3], 2.0 * row[1], 1e-13);
        }
    }
}

/// A particle on a turning wire and a skate: both kinds of constraints, a reaction that works.
#[test]
fn constraints_are_kept_and_reactions_work() {
    let wire = "param w = 2\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint wire: x*sin(w*t) = y*cos(w*t)\n\
                initial x = 1, y' = 2\nsimulate to 1\n";
    let skate = "param g = 1\ncoord x, y, p\nkinetic: (x'^2 + y'^2 + p'^2)/2\npotential: -g*x\n\
                 constraint edge: x'*sin(p) = y'*cos(p)\ninitial x' = 1, p' = 1\nsimulate to 3\n";
    for method in METHODS {
        let m = by(method, wire, 1e-9);
        let r = m.run.state[0].hypot(m.run.state[1]);
        near(r, 2f64.cosh(), 1e-7);
        assert!(m.run.energy_balance < 1e-7, "{}", m.run.energy_balance);
        assert!(m.run.constraint_residual.unwrap() < 1e-8);
        if method == "galerkin4" {
            continue;
        }
        let m = by(method, skate, 1e-9);
        let exact = by("taylor", skate, 1e-14);
        assert!(distance(&m.run.state, &exact.run.state) < 1e-7);
        assert!(m.run.constraint_residual.unwrap() < 1e-8);
    }
}

/// As many steps as the length says, all alike but a shorter last one; the same forward and backward.
#[test]
fn steps_are_as_long_as_asked() {
    let text = format!("{DOUBLE}simulate to 1\n");
    for (step, steps) in [(0.1, 10), (0.25, 4), (0.3, 4), (2.0, 1)] {
        let m = steps_of("gauss4", &text, step);
        assert_eq!((m.run.steps, m.run.rejected), (steps, 0));
        let times: Vec<f64> = m.run.rows.iter().map(|r| r[0]).collect();
        for (k, t) in times[..steps].iter().enumerate() {
            near(*t, k as f64 * step, 1e-14);
        }
        assert_eq!(times[steps], 1.0);
    }
    // Gauss' methods are symmetric: a run back ends where the run began, to rounding.
    let there = steps_of("gauss6", &text, 0.1).run.state;
    let back = format!(
        "{}initial a = {:?}, b = {:?}, a' = {:?}, b' = {:?}\nsimulate from 1 to 0\n",
        DOUBLE.split("initial").next().unwrap(),
        there[0],
        there[1],
        there[2],
        there[3]
    );
    let back = steps_of("gauss6", &back, 0.1).run.state;
    assert!(distance(&back, &[0.5, 1.0, 0.0, 0.0]) < 1e-14, "{back:?}");
}

/// Steps that are too long are refused, not taken; without a length, ones that meet the tolerance are found.
#[test]
fn steps_that_are_too_long_are_refused() {
    let text = &format!("{KEPLER}simulate to 30\n").replace("1.2", "0.2");
    let m = steps_of("gauss4", text, 5.0);
    assert_eq!(m.run.status, Status::Failed(Error::StepTooLong));
    let exact = by("taylor", text, 1e-15).run.state;
    for method in ["gauss4", "gauss6"] {
        let m = by(method, text, 1e-9);
        assert_eq!(m.run.status, Status::Finished);
        assert!(m.run.rejected > 0);
        let error = distance(&m.run.state, &exact);
        assert!(error < 1e-3, "{method}: {error:e} in {} steps", m.run.steps);
    }
    // A fall into the centre ends in neither.
    let fall = "coord x\nkinetic: x'^2/2\npotential: -1/x\ninitial x = 1\nsimulate to 3\n";
    for method in ["radau", "gauss6"] {
        let m = by(method, fall, 1e-6);
        assert!(matches!(m.run.status, Status::Failed(_)), "{method}");
        assert!(m.run.time < std::f64::consts::PI / 8f64.sqrt() + 1e-9);
    }
}
