//! Proofs of periodic motions against closed forms and published digits.

use galilei_certify::{OrbitGuess, PeriodicProof, prove_periodic};
use galilei_model::read;

fn proof(text: &str, time: f64, state: &[f64], period: f64) -> PeriodicProof {
    let found = read(text, &Default::default());
    let model = found.model.unwrap_or_else(|| panic!("{text}"));
    let guess = OrbitGuess {
        time,
        state: state.to_vec(),
        period,
    };
    prove_periodic(&model, &guess).unwrap()
}

fn contains([low, high]: [f64; 2], x: f64, width: f64) -> bool {
    low <= x && x <= high && high - low < width
}

#[test]
fn a_quartic_oscillator_has_its_period() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4\n";
    // 4K(1/√2) by mpmath, rounded to a double
    let period = 7.416_298_709_205_488;
    let found = proof(text, 0.0, &[1.0, 0.0], 7.4163);
    assert!(found.certified, "{found:?}");
    assert!(contains(found.period, period, 1e-11), "{found:?}");
    assert_eq!(found.held.len(), 2);
    // Near a motion that is none nothing is proved.
    let wrong = proof(text, 0.0, &[1.0, 0.0], 5.0);
    assert!(!wrong.certified && wrong.reason.is_some(), "{wrong:?}");
}

#[test]
fn the_limit_cycle_of_van_der_pol_exists() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = (1 - x^2)*x'\n";
    let found = proof(text, 0.0, &[2.0086, 0.0], 6.6633);
    assert!(found.certified, "{found:?}");
    // Period and amplitude to 17 digits are those of the literature on its series.
    assert!(
        contains(found.period, 6.663_286_859_323_13, 1e-10),
        "{found:?}"
    );
    assert!(
        contains(found.position[0], 2.008_619_860_874_843, 1e-10),
        "{found:?}"
    );
    assert_eq!(found.held.len(), 1);
}

#[test]
fn a_driven_motion_repeats_with_its_drive() {
    // x = A cos 2t + B sin 2t with −3A + B/5 = 1, −3B − A/5 = 0
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = -0.1*x' + cos(2*t)\n";
    let (a, b) = (-3.0 / 9.04, 0.2 / 9.04);
    let found = proof(text, 0.0, &[-0.332, 0.044], std::f64::consts::PI);
    assert!(found.certified, "{found:?}");
    assert!(contains(found.period, std::f64::consts::PI, 1e-15));
    assert!(contains(found.position[0], a, 1e-12), "{found:?}");
    assert!(contains(found.velocity[0], 2.0 * b, 1e-12), "{found:?}");
    assert!(found.held.is_empty());
    // A period that is none of the drive.
    let other = proof(text, 0.0, &[-0.332, 0.044], 3.0);
    assert!(!other.certified);
}

#[test]
fn full_turns_of_an_angle_are_left_out() {
    // ∫₀^2π dx/√(9 − 2 + 2 cos x) = (4/3)K(2/3), by mpmath
    let text = "coord x\nkinetic: x'^2/2\npotential: -cos(x)\n";
    let found = proof(text, 0.0, &[0.0, 3.0], 2.4129);
    let period = 2.412889993982118;
    assert!(found.certified, "{found:?}");
    assert!(contains(found.period, period, 1e-11), "{found:?}");
}

#[test]
fn families_of_more_than_one_parameter_are_not_called_isolated() {
    // All orbits of one energy have the same period, in every direction.
    let text = "coord x, y\nkinetic: (x'^2+y'^2)/2\npotential: -1/sqrt(x^2+y^2)\n";
    let found = proof(text, 0.0, &[0.4, 0.0, 0.0, 2.0], std::f64::consts::TAU);
    assert!(!found.certified, "{found:?}");
}

#[test]
fn a_pendulum_on_a_constraint_has_its_period() {
    // 4K(k = sin ½) by mpmath, for the amplitude 1 of (x, y) = (sin q, −cos q)
    let period = 6.699975664370453;
    let text = "coord x, y\nkinetic: (x'^2+y'^2)/2\npotential: y\nconstraint rod: x^2+y^2 = 1\n";
    let (x, y) = (1f64.sin(), -1f64.cos());
    let found = proof(text, 0.0, &[x, y, 0.0, 0.0], 6.7);
    assert!(found.certified, "{found:?}");
    assert!(contains(found.period, period, 1e-10), "{found:?}");
    assert_eq!(found.held.len(), 2);
    // The box satisfies the constraint, although no entry but those held is given.
    let [low, high] = found.position[0];
    let [lower, higher] = found.position[1];
    assert!(low * low + lower * lower < 1.0 + 1e-12 && high * high + higher * higher > 1.0 - 1e-12);
    // Beside a motion that is none nothing is proved.
    assert!(!proof(text, 0.0, &[x, y, 0.0, 0.0], 5.0).certified);
}

#[test]
fn a_driven_motion_under_a_constraint_of_time_repeats() {
    let text = "coord x, q\nkinetic: (x'^2+q'^2)/2\npotential: x^2/2\nforce: x = -x'/2 + cos(t)\n\
                constraint turn: q = sin(t)\n";
    // x = A cos t + B sin t with B/2 = 1
    let found = proof(text, 0.0, &[0.0, 0.0, 2.0, 1.0], std::f64::consts::TAU);
    assert!(found.certified, "{found:?}");
    assert!(contains(found.velocity[0], 2.0, 1e-12), "{found:?}");
    assert!(contains(found.position[1], 0.0, 1e-12), "{found:?}");
    assert!(contains(found.velocity[1], 1.0, 1e-12), "{found:?}");
}
