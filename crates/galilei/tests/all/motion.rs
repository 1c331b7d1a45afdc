//! Runs against published and exact results.

use galilei::{Method, Model, Motion, RunSettings};
use galilei_integrate::{Error, Options, Record, Status};

use crate::common::{by, distance, near, with as run_with};

fn run(text: &str) -> Motion {
    run_with(text, &RunSettings::new())
}

/// The restricted three-body problem: Arenstorf's orbit closes after its period.
#[test]
fn arenstorfs_orbit_returns() {
    let motion = run("param mu = 0.012277471\ncoord x, y\n\
         let r1 = sqrt((x + mu)^2 + y^2)\nlet r2 = sqrt((x - 1 + mu)^2 + y^2)\n\
         kinetic: ((x' - y)^2 + (y' + x)^2)/2\npotential: -(1 - mu)/r1 - mu/r2\n\
         initial x = 0.994, y' = -2.00158510637908252240537862224\n\
         simulate to 17.0652165601579625588917206249 tolerance 1e-16\n");
    let s = &motion.run.state;
    near(s[0], 0.994, 1e-9);
    near(s[1], 0.0, 1e-9);
    near(s[3], -2.001_585_106_379_082_5, 1e-6);
}

/// Seven bodies in the plane, against the published end state.
#[test]
fn pleiades() {
    let motion = run("const n = 7\ncoord x[1..n], y[1..n]\n\
         for i in 1..n { particle star[i]: mass i at (x[i], y[i]) }\n\
         potential: -sum(i in 1..n: sum(j in 1..i-1: i*j/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))\n\
         initial x[1] = 3, x[2] = 3, x[3] = -1, x[4] = -3, x[5] = 2, x[6] = -2, x[7] = 2\n\
         initial y[1] = 3, y[2] = -3, y[3] = 2, y[6] = -4, y[7] = 4\n\
         initial x[6]' = 1.75, x[7]' = -1.5, y[4]' = -1.25, y[5]' = 1\n\
         simulate to 3 tolerance 1e-15\n");
    near(motion.run.state[0], 0.370_613_914_397_050_2, 1e-11);
    near(motion.run.state[1], 3.237_284_092_057_233, 1e-11);
    assert!(motion.run.energy_balance < 1e-12);
}

/// x″ = −x − f·sign(x′): the amplitude falls by 2f each half period, exactly.
#[test]
fn a_friction_oscillator_restarts_at_its_kinks() {
    let text = "param f = 0.1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce friction: x = -f*sign(x')\n\
                event turn: x'\ninitial x = 2\nsimulate to 9.4\n";
    let pi = std::f64::consts::PI;
    for (method, tolerance, balance) in [("taylor", 1e-13, 1e-12), ("dop853", 1e-11, 1e-11)] {
        let motion = by(method, text, None);
        assert_eq!(motion.run.crossings.len(), 2, "{:?}", motion.run.crossings);
        near(motion.run.crossings[0].time, pi, tolerance);
        near(motion.run.crossings[0].state[0], -1.8, tolerance);
        near(motion.run.crossings[1].time, 2.0 * pi, tolerance);
        near(motion.run.crossings[1].state[0], 1.6, tolerance);
        // −1.5 + … : the third half swing about +0.1.
        let t = motion.run.time - 2.0 * pi;
        near(motion.run.state[0], 0.1 + 1.5 * t.cos(), balance);
        assert!(motion.run.energy_balance < balance);
    }
}

/// Where friction holds the body, the run says so instead of stepping forever.
#[test]
fn sticking_is_said() {
    for method in ["taylor", "dop853"] {
        let motion = by(
            method,
            "param f = 1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce friction: x = -f*sign(x')\n\
             initial x = 2.5\nsimulate to 100\n",
            None,
        );
        assert_eq!(motion.run.status, Status::Failed(Error::Sticking));
        near(motion.run.time, std::f64::consts::PI, 1e-9);
        near(motion.run.state[0], -0.5, 1e-9);
    }
}

#[test]
fn abs_and_if_and_max_are_followed_over_their_kinks() {
    // x″ = −sign(x): parabolas; from x = 1/2 at rest, quarter period 1.
    for force in [
        "-sign(x)",
        "if(x > 0, -1, 1)",
        "max(-1, min(1, -1000000000*x))",
    ] {
        let text = format!(
            "coord x\nkinetic: x'^2/2\nforce: x = {force}\ninitial x = 0.5\nsimulate to 4\n"
        );
        let motion = run(&text);
        assert_eq!(motion.run.status, Status::Finished, "{force}");
        let tolerance = if force.starts_with("max") {
            1e-7
        } else {
            1e-12
        };
        near(motion.run.state[0], 0.5, tolerance);
        near(motion.run.state[1], 0.0, tolerance);
    }
    let motion = run(
        "coord x\nkinetic: x'^2/2\nforce: x = -x*abs(x)\ninitial x = 1\nsimulate to 6.869261369017644\n",
    );
    near(motion.run.state[0], 1.0, 1e-10);
}

/// What is written with several functions has one kink several times; all of them are crossed, whatever rounding says.
#[test]
fn kinks_at_the_same_instant_are_crossed_together() {
    for tolerance in [1e-6, 1e-9, 1e-12, 1e-15] {
        let settings = RunSettings::new().tolerance(tolerance);
        let end = |force: &str, start: &str| {
            let text = format!(
                "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = {force}\ninitial {start}\nsimulate to 7\n"
            );
            run_with(&text, &settings).run.state
        };
        // Pieces of circles: against one function alone.
        for (several, one, start) in [
            (
                "0.3*sign(x) - 0.3*max(x, 0)",
                "if(x > 0, 0.3 - 0.3*x, -0.3)",
                "x = 0.5, x' = 0.4",
            ),
            ("-max(0, x')", "if(x' > 0, -x', 0)", "x = 1, x' = 0.1"),
            (
                "-max(0, x') - min(x', 0)/2",
                "if(x' > 0, -x', -x'/2)",
                "x = 1",
            ),
            (
                "-abs(x)*max(x, 0) + min(0, -x)",
                "if(x > 0, -x^2 - x, 0)",
                "x = 0.2, x' = 1",
            ),
        ] {
            let (several, one) = (end(several, start), end(one, start));
            near(several[0], one[0], 1e2 * tolerance);
            near(several[1], one[1], 1e2 * tolerance);
        }
    }
}

#[test]
fn a_singular_mass_matrix_on_the_way_stops_the_run() {
    // The inertia 1 − t of the second coordinate vanishes at t = 1.
    let motion = run(
        "coord x, y\nkinetic: x'^2/2 + (1 - t)*y'^2/2\nforce: y = 1\ninitial x = 1, x' = -1\nsimulate to 3\n",
    );
    assert!(
        matches!(motion.run.status, Status::Failed(_)),
        "{:?}",
        motion.run.status
    );
    assert!(motion.run.time <= 1.0 + 1e-6 && !motion.run.rows.is_empty());
}

#[test]
fn events_know_their_direction_and_end_a_run() {
    let base = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
    let pi = std::f64::consts::PI;
    let times = |event: &str| -> Vec<f64> {
        let m = run(&format!("{base}event crossing: {event}\n"));
        m.run.crossings.iter().map(|c| c.time).collect()
    };
    let both = times("x");
    assert_eq!(both.len(), 6);
    for (k, t) in both.iter().enumerate() {
        near(*t, pi * (k as f64 + 0.5), 1e-13);
    }
    assert_eq!(times("x rising").len(), 3);
    assert_eq!(times("x falling").len(), 3);
    // None is reported at the start.
    assert_eq!(
        times("x' rising").len() + times("x' falling").len(),
        times("x'").len()
    );
    assert_eq!(times("x'").len(), 6);
    let m = run(&format!("{base}event crossing: x rising terminal\n"));
    assert_eq!(m.run.status, Status::Event(0));
    near(m.run.time, 1.5 * pi, 1e-13);
    near(m.run.state[0], 0.0, 1e-13);
}

/// Poincaré section of two uncoupled oscillators: crossings of the first at multiples of 2π, the
/// phase of the second known.
#[test]
fn a_poincare_section_has_the_known_crossings() {
    let m = run(
        "param w = 1.4142135623730951\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + w^2*y^2/2\n\
         event section: x rising\ninitial x = 1, y = 1\nsimulate to 1000\n",
    );
    assert_eq!(m.run.crossings.len(), 159);
    for (k, c) in m.run.crossings.iter().enumerate() {
        let t = 2.0 * std::f64::consts::PI * (k as f64 + 0.75);
        near(c.time, t, 1e-12);
        near(c.state[1], (std::f64::consts::SQRT_2 * t).cos(), 1e-10);
    }
}

#[test]
fn runs_go_backwards_and_record_what_was_asked() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\noutput double: 2*x\ninitial x = 1\nsimulate from 2 to -1 every 0.5\n";
    let m = run(text);
    assert_eq!(m.run.rows.len(), 7);
    for (k, row) in m.run.rows.iter().enumerate() {
        let t = 2.0 - 0.5 * k as f64;
        assert_eq!(row[0], t);
        near(row[1], (t - 2.0).cos(), 1e-13);
        near(row[3], 2.0 * row[1], 1e-13);
    }
    near(m.run.outputs[0], 2.0 * (-3.0f64).cos(), 1e-13);
}

/// The end is recorded where the rows asked for do not meet it, and once where they do.
#[test]
fn the_end_of_a_run_is_recorded() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n";
    for method in ["taylor", "dop853", "radau", "gauss4", "galerkin4"] {
        let times = |from: f64, to: f64, every: f64| -> Vec<f64> {
            let settings = RunSettings::new()
                .from(from)
                .to(to)
                .every(every)
                .method(method.parse::<Method>().unwrap())
                .tolerance(1e-9);
            let rows = run_with(text, &settings).run.rows;
            rows.iter().map(|row| row[0]).collect()
        };
        assert_eq!(times(0.0, 5.0, 100.0), [0.0, 5.0], "{method}");
        assert_eq!(times(0.0, 5.0, 1e300), [0.0, 5.0], "{method}");
        assert_eq!(times(0.0, 1.1, 0.5), [0.0, 0.5, 1.0, 1.1], "{method}");
        assert_eq!(times(1.0, -0.1, 0.5), [1.0, 0.5, 0.0, -0.1], "{method}");
        assert_eq!(times(0.0, 1.0, 0.5), [0.0, 0.5, 1.0], "{method}");
        assert_eq!(times(0.0, 0.3, 0.1).len(), 4, "{method}");
        assert_eq!(times(2.0, 2.0, 0.1), [2.0], "{method}");
    }
}

/// The error falls with the tolerance, on a nonlinear problem.
#[test]
fn the_error_follows_the_tolerance() {
    let text = "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*cos(a) - cos(b)\n\
                initial a = 0.5, b = 1\nsimulate to 20\n";
    let end = |tolerance: f64| {
        let settings = RunSettings::new().tolerance(tolerance);
        run_with(text, &settings).run.state
    };
    let exact = end(1e-17);
    let error = |t: f64| distance(&end(t), &exact);
    for tolerance in [1e-6, 1e-8, 1e-10, 1e-12] {
        let e = error(tolerance);
        assert!(e < 100.0 * tolerance, "{tolerance}: {e}");
    }
    assert!(error(1e-6) > error(1e-10));
}

/// Every function of the language along a known motion x = t: the jets against f(t) itself.
#[test]
fn jets_of_every_function() {
    for (f, exact) in [
        ("sin(x)", 0.3f64.sin()),
        ("cos(x)", 0.3f64.cos()),
        ("tan(x)", 0.3f64.tan()),
        ("asin(x)", 0.3f64.asin()),
        ("acos(x)", 0.3f64.acos()),
        ("atan(x)", 0.3f64.atan()),
        ("atan2(x, 1 + x)", 0.3f64.atan2(1.3)),
        ("sinh(x)", 0.3f64.sinh()),
        ("cosh(x)", 0.3f64.cosh()),
        ("tanh(x)", 0.3f64.tanh()),
        ("exp(x)", 0.3f64.exp()),
        ("log(1 + x)", 1.3f64.ln()),
        ("sqrt(1 + x)", 1.3f64.sqrt()),
        ("(1 + x)^(5/3)", 1.3f64.powf(5.0 / 3.0)),
        ("(1 + x)^pi", 1.3f64.powf(std::f64::consts::PI)),
        ("1/(1 + x)^3", 1.3f64.powi(-3)),
        ("abs(x - 1)", 0.7),
        ("min(x, x^2)", 0.09),
        ("max(x, x^2)", 0.3),
        ("if(x < 1, x^3, 0)", 0.027),
        ("sign(x - 1)", -1.0),
    ] {
        // Recorded in the middle of the one step the run takes: the series is what is evaluated.
        let text = format!(
            "coord x\nkinetic: x'^2/2\noutput f: {f}\ninitial x' = 1\nsimulate to 0.35 every 0.3\n"
        );
        let m = run(&text);
        near(m.run.rows[1][3], exact, 2e-8);
        near(
            m.run.outputs[0],
            {
                let text = format!(
                    "coord x\nkinetic: x'^2/2\noutput f: {f}\ninitial x = 0.35, x' = 1\nsimulate to 0\n"
                );
                run(&text).run.outputs[0]
            },
            1e-14,
        );
    }
}

/// Fused products round once instead of twice: other bits, the same motion.
#[test]
fn fusion_can_be_turned_off() {
    let text = include_str!("../../../../models/double-pendulum.gal");
    let model = Model::parse(text).unwrap();
    let fused = model.compile().unwrap();
    let apart = model.compile().unwrap().without_fusion();
    let state = [0.0, 1.1, -0.6, 0.2, 0.5];
    let (mut one, mut other) = ([0.0; 2], [0.0; 2]);
    fused.accelerations(1).compute(&state, &mut one);
    apart.accelerations(1).compute(&state, &mut other);
    near(one[0], other[0], 1e-14);
    near(one[1], other[1], 1e-14);
    let (short, long) = (
        fused.accelerations(1).operations(),
        apart.accelerations(1).operations(),
    );
    assert!(short < long, "{short} and {long}");
    let options = Options {
        to: 3.0,
        record: Record::Every(10.0),
        tolerance: 1e-14,
        max_steps: 1000,
        ..Options::default()
    };
    let a = fused.integrate(&state[1..], &options, |_| true);
    let b = apart.integrate(&state[1..], &options, |_| true);
    assert_ne!(a.state, b.state);
    near(a.state[0], b.state[0], 1e-11);
}

/// A square wave as a force: x' is a triangle wave, of which the integral is known.
fn pushed_by_a_square_wave(frequency: f64, end: f64) -> [f64; 2] {
    let half = std::f64::consts::PI / frequency;
    let (mut x, mut u, mut t, mut push) = (0.0, 0.0, 0.0, 1.0);
    while t < end {
        let h = half.min(end - t);
        x += u * h + push * h * h / 2.0;
        u += push * h;
        push = -push;
        t += h;
    }
    [x, u]
}

/// A kink that comes many times in what would be one step of the state.
#[test]
fn kinks_that_come_often_are_all_met() {
    for frequency in [5.0, 20.0, 100.0] {
        let text = format!(
            "coord x\nkinetic: x'^2/2\nforce f: x = sign(sin({frequency}*t))\nsimulate to 10\n"
        );
        let exact = pushed_by_a_square_wave(frequency, 10.0);
        for method in ["taylor", "dop853", "radau"] {
            let settings = RunSettings::new()
                .method(method.parse::<Method>().unwrap())
                .tolerance(1e-9);
            let run = run_with(&text, &settings).run;
            near(run.state[0], exact[0], 1e-7);
            near(run.state[1], exact[1], 1e-7);
        }
    }
}

/// Events that change faster than the state, found in order and no others.
#[test]
fn events_that_come_often_are_all_met() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent fast: sin(50*t) falling\nevent place: sin(2*x)\nsimulate to 20\n";
    for method in ["taylor", "dop853"] {
        let settings = RunSettings::new().method(method.parse::<Method>().unwrap());
        let run = run_with(text, &settings).run;
        let times = |k: usize| -> Vec<f64> {
            let own = run.crossings.iter().filter(|c| c.event == k);
            own.map(|c| c.time).collect()
        };
        let (fast, place) = (times(0), times(1));
        assert_eq!(fast.len(), 159);
        for (k, t) in fast.iter().enumerate() {
            near(*t, (2 * k + 1) as f64 * std::f64::consts::PI / 50.0, 1e-9);
        }
        // x = cos t is zero at odd multiples of π/2, and never ±π/2.
        assert_eq!(place.len(), 6);
        for (k, t) in place.iter().enumerate() {
            near(*t, (2 * k + 1) as f64 * std::f64::consts::FRAC_PI_2, 1e-9);
        }
        assert!(run.crossings.windows(2).all(|c| c[0].time <= c[1].time));
    }
}

/// An event may jump over zero where one of its own kinks is; it may also end the run there.
#[test]
fn events_that_jump_are_met() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent high: if(x > 0.2, 1, -1)\nevent down: sign(x') + 0.5 falling\nsimulate to 20\n";
    for method in ["taylor", "dop853", "radau", "gauss4"] {
        let settings = RunSettings::new()
            .method(method.parse::<Method>().unwrap())
            .tolerance(1e-9);
        let run = run_with(text, &settings).run;
        let times = |k: usize| -> Vec<f64> {
            let own = run.crossings.iter().filter(|c| c.event == k);
            own.map(|c| c.time).collect()
        };
        // x = cos t.
        let (first, turn) = (0.2_f64.acos(), std::f64::consts::TAU);
        let high: Vec<f64> = (0..4)
            .flat_map(|k| [first + k as f64 * turn, turn - first + k as f64 * turn])
            .filter(|t| *t < 20.0)
            .collect();
        assert_eq!(times(0).len(), high.len(), "{method}");
        for (t, exact) in times(0).iter().zip(&high) {
            near(*t, *exact, 1e-6);
        }
        // x' = −sin t begins to fall below zero at every whole turn.
        assert_eq!(times(1).len(), 3, "{method}");
        for (k, t) in times(1).iter().enumerate() {
            near(*t, (k + 1) as f64 * turn, 1e-6);
        }
        let ended = run_with(&text.replace("-1)", "-1) terminal"), &settings).run;
        assert_eq!(ended.status, Status::Event(0), "{method}");
        near(ended.time, first, 1e-6);
    }
}
