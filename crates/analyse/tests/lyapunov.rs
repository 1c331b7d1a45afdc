//! Lyapunov exponents against linear systems, published values and conserved volumes.

use galilei_analyse::{Lyapunov, LyapunovRequest, lyapunov};
use galilei_model::{Model, Settings, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    assert!(outcome.model.is_some(), "{:?}", outcome.diagnostics);
    outcome.model.unwrap()
}

fn found(text: &str, to: f64, count: Option<usize>) -> Lyapunov {
    let model = model(text);
    let state = model.initial_state().unwrap();
    let start = state.position.iter().chain(&state.velocity);
    let start = start.map(|e| e.evaluate_f64(&[])).collect();
    let mut request = LyapunovRequest::new(start, 0.0, to, 1e-12);
    request.count = count;
    let found = lyapunov(&model, &request, |_| true).unwrap();
    assert_eq!(found.failure, None);
    found
}

const HENON_HEILES: &str =
    "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2 + x^2*y - y^3/3\n";

#[test]
fn t_206_exponents_of_linear_systems() {
    // ẍ = 4x − 3ẋ has the rates 1 and −4, a damped oscillator −c/2 twice.
    let text = "coord x\nkinetic: x'^2/2\npotential: -2*x^2\nforce: x = -3*x'\n";
    let saddle = found(text, 30.0, None);
    assert!((saddle.exponents[0] - 1.0).abs() < 1e-6);
    assert!((saddle.exponents[1] + 4.0).abs() < 1e-6);
    assert_eq!(saddle.expected_sum, Some(-3.0));
    let text = "coord q\nkinetic: q'^2/2\npotential: -cos(q)\nforce: q = -0.3*q'\ninitial q = 1\n";
    let damped = found(text, 1000.0, None);
    for e in &damped.exponents {
        assert!((e + 0.15).abs() < 1e-3, "{e}");
    }
    assert!((damped.sum + 0.3).abs() < 1e-12);
}

#[test]
fn t_206_the_chaos_of_henon_and_heiles() {
    // Benettin, Galgani and Strelcyn (1976) and many after them have 0.12 to 0.13 near the energy 1/6.
    let start = "initial x = 0.05, x' = 0.57, y' = 0.05\n";
    let chaos = found(&format!("{HENON_HEILES}{start}"), 3000.0, None);
    assert!((0.11..0.14).contains(&chaos.exponents[0]), "{chaos:?}");
    assert!(chaos.standard_error[0] < 0.012, "{chaos:?}");
    // Pairs of opposite sign, and two zeros for the energy and the flow.
    let [a, b, c, d] = chaos.exponents[..] else {
        panic!("four exponents");
    };
    assert!((a + d).abs() < 1e-10 && (b + c).abs() < 1e-10 && b.abs() < 5e-3);
    assert_eq!(chaos.expected_sum, Some(0.0));
    assert!(chaos.sum.abs() < 1e-12);
    let largest = found(&format!("{HENON_HEILES}{start}"), 300.0, Some(1));
    assert_eq!((largest.exponents.len(), largest.expected_sum), (1, None));
    // A regular motion.
    let start = "initial x = 0.05, y = 0.02\n";
    let regular = found(&format!("{HENON_HEILES}{start}"), 3000.0, None);
    assert!(regular.exponents[0] < 3e-3, "{regular:?}");
}

#[test]
fn t_206_constrained_and_free_forms_of_a_double_pendulum() {
    let free = "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*cos(a) - cos(b)\n\
                initial a = 2, b = 2.5\n";
    let rods = "coord x, y, v, w\nkinetic: (x'^2 + y'^2 + v'^2 + w'^2)/2\npotential: y + w\n\
                constraint p: x^2 + y^2 = 1\nconstraint q: (v - x)^2 + (w - y)^2 = 1\n\
                initial x = sin(2), y = -cos(2), v = sin(2) + sin(2.5), w = -cos(2) - cos(2.5)\n";
    // Over a time in which rounding has not yet parted the motions, both have the same exponents up to the bounded ratio of
    // their norms; volumes are those of phase space in both.
    let (a, b) = (found(free, 40.0, None), found(rods, 40.0, None));
    assert_eq!(b.exponents.len(), 4);
    assert!(a.sum.abs() < 1e-9 && b.sum.abs() < 1e-9, "{a:?} {b:?}");
    assert!(
        (a.exponents[0] - b.exponents[0]).abs() < 0.15,
        "{a:?} {b:?}"
    );
    let a = found(free, 1500.0, Some(1));
    let b = found(rods, 1500.0, Some(1));
    let error = a.standard_error[0].hypot(b.standard_error[0]);
    assert!((a.exponents[0] - b.exponents[0]).abs() < 4.0 * error);
    assert!((0.38..0.58).contains(&a.exponents[0]), "{a:?}");
}

#[test]
fn t_206_divergence_that_varies_and_nonholonomic_motion() {
    // Van der Pol's oscillator: 0 along the cycle, and the mean divergence μ(1 − x²) across.
    let text =
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = (1 - x^2)*x'\ninitial x = 2\n";
    let cycle = found(text, 400.0, None);
    assert!(cycle.exponents[0].abs() < 2e-3, "{cycle:?}");
    // The multiplier of the cycle at μ = 1 is 8.59695e-4 after 6.6632868593, which makes −1.05938.
    assert!((cycle.exponents[1] + 1.0594).abs() < 5e-3, "{cycle:?}");
    assert!(
        (cycle.sum - cycle.expected_sum.unwrap()).abs() < 1e-8,
        "{cycle:?}"
    );
    // A sleigh on ice: 6 − 1 exponents, whose sum is the mean trace of the linearised motion.
    let text = "coord x, y, a\nkinetic: (x'^2 + y'^2 + a'^2)/2 + a'*(y'*cos(a) - x'*sin(a))/2 + a'^2/8\n\
                constraint edge: -x'*sin(a) + y'*cos(a) = 0\ninitial x' = 1, a' = 1\n";
    let sleigh = found(text, 30.0, None);
    assert_eq!(sleigh.exponents.len(), 5);
    assert!(
        (sleigh.sum - sleigh.expected_sum.unwrap()).abs() < 1e-6,
        "{sleigh:?}"
    );
}

#[test]
fn requests_that_do_not_fit() {
    let model = model("coord x\nkinetic: x'^2/2\n");
    let backwards = LyapunovRequest::new(vec![0.0, 1.0], 1.0, 0.0, 1e-12);
    assert!(lyapunov(&model, &backwards, |_| true).is_err());
    let mut many = LyapunovRequest::new(vec![0.0, 1.0], 0.0, 1.0, 1e-12);
    many.count = Some(3);
    assert!(lyapunov(&model, &many, |_| true).is_err());
}
