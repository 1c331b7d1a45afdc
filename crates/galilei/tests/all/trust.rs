//! Motions that a Taylor series at the start of a step does not announce. References are SciPy's DOP853 (rtol 10⁻¹³,
//! steps of at most 2·10⁻⁴) on equations derived by hand, confirmed with other steps to 10⁻¹⁰, or closed forms.

mod arcs;
mod witnesses;

use crate::common;

use common::{by, near};
use galilei::{Method, Model};
use galilei_integrate::{Error, Run, Status};

fn run(text: &str) -> Run {
    by("taylor", text, None).run
}

/// A run to its end, compared with a state: positions, then velocities.
fn ends_at(text: &str, reference: &[f64]) -> Run {
    let run = run(text);
    assert_eq!(run.status, Status::Finished, "{text}");
    for (found, wanted) in run.state.iter().zip(reference) {
        assert!(
            (found - wanted).abs() < 2e-9 * wanted.abs().max(1.0),
            "{text}\n{found} is not {wanted}"
        );
    }
    assert!(run.energy_balance < 1e-9, "{text}: {}", run.energy_balance);
    run
}

/// Events of the motion x = cos t, by every adaptive method.
fn events(event: &str, end: f64, times: &[f64]) {
    let text = format!(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent e: {event}\nsimulate to {end}"
    );
    for method in ["taylor", "dop853", "radau"] {
        let run = by(method, &text, None).run;
        assert_eq!(run.status, Status::Finished, "{event} {method}");
        let found: Vec<f64> = run.crossings.iter().map(|c| c.time).collect();
        assert_eq!(found.len(), times.len(), "{event} {method}: {found:?}");
        for (f, t) in found.iter().zip(times) {
            assert!((f - t).abs() < 1e-8, "{event} {method}: {found:?}");
        }
    }
}

#[test]
fn friction_regularised_by_tanh_stops_a_block() {
    ends_at(
        "coord s\nparticle block: mass 1 at s\npotential: 3.355*s\nforce: s = -4.609*tanh(s'/0.1)\ninitial s' = 2\nsimulate to 3",
        &[0.001385114784, -0.0924296472],
    );
}

#[test]
fn a_damper_passes_its_anchor() {
    ends_at(
        "coord x\nparticle p: mass 1 at x\nspring: stiffness 1.82 length 1 from 0.5 to x\nspring b: stiffness 0.91 length 0.5 from -1 to x\ndamper: coefficient 0.287 from 0.5 to x\ninitial x = -0.09, x' = 5.819\nsimulate to 7",
        &[0.7809678625537, -1.545453446218],
    );
}

/// Forces like |x|^0.2, without a derivative at the centre.
#[test]
fn fractional_powers_of_a_distance_are_crossed() {
    ends_at(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 3.386*(x^2 + y^2)^0.6\ninitial x = 0.3, x' = 2.7\nsimulate to 4.1",
        &[1.09106755012, 0.0, -1.16970523862, 0.0],
    );
}

#[test]
fn springs_pass_their_anchors() {
    ends_at(
        "coord x\nparticle p: mass 1 at x\nspring: stiffness 4 length 1 from 0 to x\ninitial x = 1, x' = 3\nsimulate to 7",
        &[-1.293380687, -2.942058988],
    );
    ends_at(
        "coord x, y\nparticle p: mass 1 at x\nparticle q: mass 2 at y\nspring: stiffness 10 length 1 from x to y\ninitial y = 1, x' = 5\nsimulate to 3",
        &[6.349944809, 5.325027596, 4.999379075, 0.0003104626669],
    );
}

/// Through the anchor at x = 1/2 the motion is that of two parabolas of the potential: E = ½v² + 2(|x − ½| − 1)².
#[test]
fn a_spring_passes_an_anchor_that_is_not_at_zero() {
    let text = "coord x\nparticle p: mass 1 at x\nspring: stiffness 4 length 1 from 0.5 to x\ninitial x = 1, x' = -3\nsimulate to 1";
    let run = run(text);
    assert_eq!(run.status, Status::Finished);
    // Until x = ½: x − 3/2 = −½cos 2t − (3/2)sin 2t.
    let v0 = (9.0f64 + 1.0 - 4.0).sqrt();
    let angle = (1.0f64 / (0.25f64 + 2.25).sqrt()).acos();
    let phase = (1.5f64 / 0.5).atan();
    let first = (std::f64::consts::PI - angle - phase) / -2.0;
    let first = if first < 0.0 {
        (phase - angle).abs() / 2.0
    } else {
        first
    };
    // From there x + ½ = cos 2s − (v₀/2) sin 2s.
    let s = 1.0 - first;
    near(
        run.state[0],
        -0.5 + (2.0 * s).cos() - 0.5 * v0 * (2.0 * s).sin(),
        1e-9,
    );
}

#[test]
fn drag_turns_with_the_velocity() {
    let text = "coord x, y\nlet place = (x, y)\nlet speed = norm(D(place))\nparticle ball: mass 0.45 at place\ngravity: (0, -9.81)\nforce drag: -0.07*speed*D(place) at place\ninitial y' = 20\nevent apex: y' falling\nsimulate to 3";
    let run = ends_at(text, &[0.0, -5.333514439, 0.0, -7.837737405]);
    // A smaller tolerance makes it no worse.
    for tolerance in [1e-8, 1e-10, 1e-15] {
        let run = by("taylor", text, tolerance).run;
        near(run.state[1], -5.333514439, 100.0 * tolerance.max(1e-11));
    }
    // The way up in closed form: v = w·tan(arctan(v₀/w) − gt/w), w² = mg/c.
    let w = (0.45 * 9.81 / 0.07f64).sqrt();
    near(run.crossings[0].time, w / 9.81 * (20.0 / w).atan(), 1e-9);
    // A fall from rest in closed form: v = −w·tanh(gt/w).
    let rest = text.replace("y' = 20", "y' = 0");
    let run = common::by("taylor", &rest, None).run;
    assert_eq!(run.status, Status::Finished);
    near(run.state[3], -w * (9.81 * 3.0 / w).tanh(), 1e-9);
}

#[test]
fn friction_along_the_velocity_ends_where_the_motion_does() {
    let text = "coord x, y\nkinetic: (x'^2+y'^2)/2\nforce: x = -0.3*x'/sqrt(x'^2+y'^2), y = -0.3*y'/sqrt(x'^2+y'^2)\ninitial x' = 1\nsimulate to 20";
    let run = run(text);
    assert_eq!(run.status, Status::Failed(Error::Sticking));
    near(run.state[0], 1.0 / 0.6, 1e-6);
}

#[test]
fn forces_that_are_flat_for_long_are_met() {
    let switch = |width: &str| {
        format!(
            "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = 2.5*(1+tanh((t-12.3)/{width}))\nsimulate to 15"
        )
    };
    ends_at(&switch("0.01"), &[9.520174823, 2.136811527]);
    ends_at(&switch("0.5"), &[9.087022527, 1.932075304]);
    // A pulse of the impulse 100·√(0.0002π) at t = 1.
    let v = 100.0 * (0.0002 * std::f64::consts::PI).sqrt();
    ends_at(
        "coord x\nkinetic: x'^2/2\nforce: x = 100*exp(-(t-1)^2/0.0002)\nsimulate to 3",
        &[2.0 * v, v],
    );
    ends_at(
        "coord x\nkinetic: x'^2/2\npotential: -exp(-(x-1)^2/0.0002)\ninitial x' = 1\nsimulate to 3",
        &[3.013266719, 1.0],
    );
    ends_at(
        "coord x\nkinetic: x'^2/2\npotential: exp(-100*x)\ninitial x = 1, x' = -1\nsimulate to 3",
        &[1.986137056, 1.0],
    );
    // A high power, a pole of high order.
    ends_at(
        "coord x\nkinetic: x'^2/2\npotential: -cos(x-1.2)^400\ninitial x' = 1\nsimulate to 6",
        &[6.132556850, 1.0],
    );
    ends_at(
        "coord x\nkinetic: x'^2/2\npotential: (0.1036/x)^24+0.2*x\ninitial x = 1.489, x' = -0.6211\nsimulate to 5.274",
        &[2.278728976, 0.2643361869],
    );
}

/// At rest 1 + tanh is at first zero, then rounding: relative to the state it is all there is.
#[test]
fn forces_that_begin_as_rounding_move_what_rests() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = 2.5*(1+tanh((t-12.3)/0.01))\nsimulate to 15";
    for method in ["dop853", "radau"] {
        let run = by(method, text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}");
        near(run.state[0], 9.520174823, 1e-8);
        near(run.state[1], 2.136811527, 1e-8);
    }
}

/// 1/cosh and 1/(1 + exp) where cosh and exp overflow. References: the impulse ∫F dt = 0.05 of a symmetric pulse, and
/// t = ∫dx/v by quadrature with 25 digits.
#[test]
fn quotients_of_functions_that_overflow_have_values() {
    ends_at(
        "coord x\nkinetic: x'^2/2\nforce: x = 5/cosh((t-4)/0.005)^2\nsimulate to 7",
        &[0.15, 0.05],
    );
    ends_at(
        "coord x\nkinetic: x'^2/2\npotential: 0.3/(1+exp(-(x-1)/0.002))\ninitial x' = 1\nsimulate to 3",
        &[2.265417687848, 0.632455532034],
    );
}

#[test]
fn inverse_functions_have_kinks_where_they_turn_or_jump() {
    let text = |force: &str| {
        format!(
            "coord x\nkinetic: x'^2/2\nforce: x = -{force}\ninitial x = 0.3, x' = 2\nsimulate to 5"
        )
    };
    ends_at(&text("asin(sin(3*x))"), &[9.442811291, 1.620506568]);
    ends_at(&text("acos(cos(x))"), &[-6.694263276, -4.898795148]);
    ends_at(
        &text("atan2(sin(4*x), cos(4*x))"),
        &[9.501296402, 2.082445609],
    );
}

#[test]
fn fractional_powers_pass_zero() {
    ends_at(
        "coord x\nkinetic: x'^2/2\nforce: x = 1000*max(0,-x)^1.5-9.81\ninitial x = 1\nsimulate to 3",
        &[0.8419799845, 1.760781845],
    );
    ends_at(
        "coord x\nkinetic: x'^2/2\nforce: x = -x^(7/3)\ninitial x = 1\nsimulate to 10",
        &[-0.8402380835, -0.5139448906],
    );
}

#[test]
fn constraints_that_branch_end_a_run() {
    let text = |constraint: &str, initial: &str| {
        format!(
            "coord x, y\nkinetic: (x'^2+y'^2)/2\nconstraint c: {constraint}\ninitial {initial}\nsimulate to 10"
        )
    };
    let ends = |text: &str, time: f64, within: f64| {
        let motion = by("taylor", text, None);
        let Status::Event(k) = motion.run.status else {
            panic!("{text}: {:?}", motion.run.status);
        };
        assert_eq!(motion.event_names[k], "branch point of c");
        let late = (motion.run.time - time).abs();
        assert!(late < within, "{text}: {}", motion.run.time);
    };
    // A quarter of the lemniscate of half-width √2 with unit speed takes K(1/√2) = 1.85407467730137.
    ends(
        &text("(x^2+y^2)^2 = 2*(x^2-y^2)", "x = sqrt(2), y' = 1"),
        1.854_074_677_301_372,
        1e-5,
    );
    // The cusp, along an arc of length (13^(3/2) − 8)/27, with the speed √13.
    let arc = (13f64.powf(1.5) - 8.0) / 27.0;
    ends(
        &text("y^2 = x^3", "x = 1, x' = -2, y = 1, y' = -3"),
        arc / 13f64.sqrt(),
        1e-4,
    );
    // A circle has no branch point.
    let run = run(&text("x^2+y^2 = 1", "x = 1, y' = 1"));
    assert_eq!(run.status, Status::Finished);
    near(run.state[0], 10f64.cos(), 1e-10);
}

#[test]
fn steep_and_narrow_events_are_found() {
    use std::f64::consts::PI;
    let steep = (0.5f64.atanh() / 1000.0).asin();
    let times: Vec<f64> = (0..6)
        .map(|k| f64::from(k) * PI + PI / 2.0 + if k % 2 == 0 { steep } else { -steep })
        .collect();
    events("tanh(1000*x)+0.5", 20.0, &times);
    let half = (0.5f64.ln() / -1000.0).sqrt();
    events("exp(-1000*(t-4.4)^2)-0.5", 20.0, &[4.4 - half, 4.4 + half]);
}

#[test]
fn events_at_edges_are_found() {
    use std::f64::consts::PI;
    let around = |a: f64, period: f64, count: i32| -> Vec<f64> {
        let later = (1..=count).map(f64::from);
        let pairs = later.flat_map(|k| [k * period - a, k * period + a]);
        std::iter::once(a).chain(pairs).collect()
    };
    events("sqrt(1-x^2)-1e-3", 20.0, &around(1e-3f64.asin(), PI, 6));
    events("acos(x)-1e-3", 20.0, &around(1e-3, 2.0 * PI, 3));
    // The zero of x = cos t is an edge of the root, and x = ±0.0025 beside it.
    let beside = 0.0025f64.asin();
    let times: Vec<f64> = (0..6)
        .map(|k| f64::from(k) * PI + PI / 2.0)
        .flat_map(|t| [t - beside, t + beside])
        .collect();
    events("sqrt(abs(x))-0.05", 20.0, &times);
}

/// Zeros that series hide: terms that cancel, coefficients that vanish, powers that are felt late.
#[test]
fn events_are_followed_by_their_values() {
    use std::f64::consts::PI;
    let turns = |a: f64| -> Vec<f64> {
        let pairs =
            (1..=3).flat_map(|k| [f64::from(k) * 2.0 * PI - a, f64::from(k) * 2.0 * PI + a]);
        std::iter::once(a).chain(pairs).collect()
    };
    events("(x-0.5)^7", 20.0, &turns(PI / 3.0));
    events(
        "(x-1)^20-1e-30",
        20.0,
        &turns((1.0 - 10f64.powf(-1.5)).acos()),
    );
    events("(t-4)^10-1e-10", 10.0, &[3.9, 4.1]);
    events("(t/5)^100-1e-20", 10.0, &[5.0 * 10f64.powf(-0.2)]);
    let cubes: Vec<f64> = (1..=68).map(|k| (f64::from(k) * PI).cbrt()).collect();
    events("sin(t^3)", 6.0, &cubes);
    events("1/(x-0.5)^3", 20.0, &[]);
    events("1/sin(t)", 10.0, &[]);
}

/// An event whose values underflow has no zeros that a run could see; the run warns of it.
#[test]
fn events_that_underflow_are_named() {
    use std::f64::consts::PI;
    let halves: Vec<f64> = (0..6).map(|k| f64::from(k) * PI + PI / 2.0).collect();
    events("x*exp(-1000*x^2)", 20.0, &halves);
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent e: exp(-800*t)*(t-3)\nsimulate to 10";
    for method in ["taylor", "dop853", "radau"] {
        let motion = by(method, text, None);
        let codes: Vec<&str> = motion.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["event_underflow"], "{method}");
        assert!(motion.run.crossings.is_empty(), "{method}");
    }
}

/// The sign of arctan(tan t) changes at the poles of tan, where it jumps: it must not be taken to stay.
#[test]
fn a_sign_that_jumps_behind_a_pole_is_not_passed() {
    use std::f64::consts::PI;
    let text =
        "coord x\nkinetic: x'^2/2\nforce: x = sign(atan(tan(t)))\ninitial x = 0\nsimulate to 5";
    let run = run(text);
    // Up to π/2 forward, up to π back: x grows by (π/2)² in each half turn.
    let (quarter, rest) = (PI / 2.0, 5.0 - 1.5 * PI);
    let x = 1.5 * quarter * quarter + quarter * rest - rest * rest / 2.0;
    match run.status {
        Status::Finished => near(run.state[0], x, 1e-9),
        status => assert!(matches!(status, Status::Failed(_)), "{status:?}"),
    }
}

#[test]
fn multiple_zeros_are_located_and_poles_are_none() {
    use std::f64::consts::PI;
    let zeros: Vec<f64> = (1..=6).map(|k| f64::from(k) * PI).collect();
    events("sin(t)^5", 20.0, &zeros);
    events("sin(t)^25", 20.0, &zeros);
    events("tan(t)", 20.0, &zeros);
    events("1/x", 20.0, &[]);
    events("atan2(x', x)", 20.0, &[2.0 * PI, 4.0 * PI, 6.0 * PI]);
}

/// A function of the state that no step resolves leaves the balance of energy behind, and the run fails.
#[test]
fn a_run_whose_energy_is_not_balanced_fails() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20";
    let model = Model::parse(text).unwrap();
    let motion = |step: f64, accept: bool| {
        model
            .simulate()
            .method(Method::Gauss2)
            .step(step)
            .accept_balance(accept)
            .run()
            .unwrap()
    };
    // Methods of constant steps only warn; Gauss' methods keep the energy of an oscillator.
    assert!(motion(0.1, false).warnings.is_empty());
    let mut run = motion(0.1, false).run;
    run.energy_balance = 0.02;
    run.distrust(galilei_integrate::Method::Gauss2, 1e-12);
    assert_eq!(run.status, Status::Finished);
    run.distrust(galilei_integrate::Method::Taylor, 1e-12);
    assert_eq!(run.status, Status::Failed(Error::EnergyBalance));
}

/// A state at the end of a run by every adaptive method.
fn ends_by_all_methods_at(text: &str, reference: &[f64]) {
    for (method, limit) in [("taylor", 2e-9), ("dop853", 1e-7), ("radau", 1e-7)] {
        let run = by(method, text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}\n{text}");
        for (found, wanted) in run.state.iter().zip(reference) {
            let error = (found - wanted).abs();
            assert!(
                error < limit * wanted.abs().max(1.0),
                "{method}: {error:e}\n{text}"
            );
        }
    }
}

/// The forces of such springs are sums of terms that have poles at the anchor one by one.
#[test]
fn springs_pass_anchors_anywhere_by_every_method() {
    let spring = "coord x\nparticle p: mass 1 at x\nspring: ";
    for (text, reference) in [
        (
            "stiffness 10 length 0.5 from 2.5 to x\ninitial x = 0, x' = 7\nsimulate to 5",
            [5.194030328, 6.39236335],
        ),
        (
            "stiffness 3 length 2 from -1.3 to x\ninitial x = 1, x' = 6\nsimulate to 6",
            [4.124967758, -1.038646992],
        ),
        (
            "stiffness 5 length 1 from 0.5*sin(t) to x\ninitial x = 2, x' = -4\nsimulate to 6",
            [0.8368356381, 5.907836614],
        ),
    ] {
        ends_by_all_methods_at(&format!("{spring}{text}"), &reference);
    }
    ends_by_all_methods_at(
        "coord x, y\nparticle p: mass 1 at x\nparticle q: mass 2 at y + 0.5\nspring: stiffness 10 length 1 from x to y + 0.5\ninitial y = 1, x' = 6\nsimulate to 4",
        &[7.848599704, 9.075700148, -1.76060717, 3.880303585],
    );
}

/// Fractional powers of a size that vanishes where the branches of a force meet.
#[test]
fn powers_of_sizes_are_met_at_kinks_by_every_method() {
    let base = "coord x\nkinetic: x'^2/2\n";
    for (text, reference) in [
        (
            "force: x = if(x < 0, abs(x)^1.5, 0) - 0.5\ninitial x = 1\nsimulate to 9",
            [0.566138584, -0.6586815741],
        ),
        (
            "force: x = if(x < 0, abs(x)^1.5, -x^2)\ninitial x = 1, x' = 0.3\nsimulate to 9",
            [-0.3132009369, -0.8442441321],
        ),
        (
            "force: x = 10*if(x < 0.2, abs(x - 0.2)^2.5, -(x - 0.2))\ninitial x = 1\nsimulate to 8",
            [0.4749827203, 2.375677805],
        ),
        (
            "potential: 0.5*x\nforce: x = 30*max(0, -x)^1.5\ninitial x = 1\nsimulate to 9",
            [0.8663599656, 0.3655680981],
        ),
    ] {
        ends_by_all_methods_at(&format!("{base}{text}"), &reference);
    }
}

/// asin and acos end where tanh is rounded to ±1.
#[test]
fn inverse_sines_of_saturated_arguments() {
    let base = "coord x\nkinetic: x'^2/2\nforce: x = ";
    ends_by_all_methods_at(
        &format!("{base}-asin(tanh(40*x)) - 0.1*x'\ninitial x = 1\nsimulate to 8"),
        &[0.5846191245, -0.1394731774],
    );
    ends_by_all_methods_at(
        &format!("{base}acos(tanh(3*x)) - pi/2\ninitial x = 1.2, x' = 0.3\nsimulate to 8"),
        &[-1.22701659623, -0.0892215840],
    );
}

/// Pulses of a periodic argument, between which nothing moves: a step over several periods shows the argument at points
/// between them.
#[test]
fn pulses_of_periodic_arguments_are_met() {
    let text = "coord x\nkinetic: x'^2*0.875\nforce: x = -0.169*x' + exp((cos(3.66*t) - 1)*1460)*1.59\nsimulate to 10";
    ends_by_all_methods_at(text, &[0.3529259726, 0.05549337613]);
}

/// Where an event comes to zero without a change of sign, it is found within what the state is uncertain by.
#[test]
fn events_that_touch_zero_are_found() {
    use std::f64::consts::PI;
    let turns = |distance: f64, count: usize| -> Vec<f64> {
        (1..=count).map(|k| distance * k as f64).collect()
    };
    events("x-1", 20.0, &turns(2.0 * PI, 3));
    events("x^2-1", 20.0, &turns(PI, 6));
    events("abs(x)-1", 20.0, &turns(PI, 6));
    events("sin(t)^2", 20.0, &turns(PI, 6));
    events("(t-7)^5*(t-8)^2*(t-9)", 20.0, &[7.0, 8.0, 9.0]);
    // Those that stay away from zero are not.
    events("x-1-1e-7", 20.0, &[]);
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent e: (t-3)^2 terminal\nsimulate to 20";
    near(run(text).time, 3.0, 1e-9);
}

/// Zeros next to each other, and the zero of a quotient whose denominator has a pole there.
#[test]
fn zeros_beside_each_other_and_behind_poles_are_found() {
    use std::f64::consts::PI;
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nevent e: (t-7)*(t-7.001)*(t-7.002)\nsimulate to 20";
    let crossings = run(text).crossings;
    assert_eq!(crossings.len(), 3);
    for (c, t) in crossings.iter().zip([7.0, 7.001, 7.002]) {
        near(c.time, t, 1e-9);
    }
    let zeros: Vec<f64> = (0..6).map(|k| PI * (f64::from(k) + 0.5)).collect();
    events("1/tan(t)", 20.0, &zeros);
}

/// The impulse of 2·exp(−((t − 500)/w)²)/w is 2√π; an oscillator at rest until then moves as 2√π·sin(t − 500) but for
/// the factor exp(−w²/4). Constant steps that the tolerance chooses do not step over it in silence.
#[test]
fn constant_steps_do_not_step_over_a_pulse_after_a_long_rest() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = 2*exp(-((t-500)/0.02)^2)/0.02\nsimulate to 502";
    let exact = 2.0 * std::f64::consts::PI.sqrt() * 2f64.sin() * (-1e-4f64).exp();
    let run = by("gauss6", text, 1e-9).run;
    assert!(
        matches!(run.status, Status::Failed(_)) || (run.state[0] - exact).abs() < 1e-5 * exact,
        "{:?} {:?}",
        run.status,
        run.state
    );
    near(by("taylor", text, None).run.state[0], exact, 1e-9);
}

/// From rest where forces have no derivatives: sqrt(1 − cos wt) = √2·sin(wt/2) in closed form, and ½ − √x, whose motion
/// is √x = t/2 − t²/12.
#[test]
fn motions_that_start_at_rest_on_an_edge() {
    let text = "coord x\nkinetic: x'^2/2\nforce: x = sqrt(1-cos(1.269*t))\nsimulate to 2";
    let (root, w) = (2f64.sqrt(), 1.269);
    let velocity = 2.0 * root / w * (1.0 - w.cos());
    let place = 2.0 * root / w * (2.0 - 2.0 / w * w.sin());
    for method in ["taylor", "dop853", "radau"] {
        let run = by(method, text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}");
        // cos t is 1 to rounding next to the start: that costs half of the digits there.
        near(run.state[0], place, 1e-8);
        near(run.state[1], velocity, 1e-8);
    }
    let text = "coord x\nkinetic: x'^2/2\nforce: x = 0.5-sign(x)*sqrt(abs(x))\nsimulate to 2";
    for method in ["taylor", "dop853"] {
        let run = by(method, text, None).run;
        assert_eq!(run.status, Status::Finished, "{method}");
        near(run.state[0], 4.0 / 9.0, 1e-8);
        near(run.state[1], 2.0 / 9.0, 1e-8);
    }
}
