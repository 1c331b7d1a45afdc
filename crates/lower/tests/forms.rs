//! Accelerations of lowered models, in every form of the equations of motion, against closed forms.

// Closed forms are compared with to less than all digits.
#![allow(clippy::disallowed_methods)]

use galilei_lower::{Form, Lowered, Parameters, lower};
use galilei_model::{Model, Settings, read};
use galilei_tape::Jets;

/// A pendulum of mass m on a cart of mass k.
const CART: &str = "param k = 2, m = 0.5, l = 0.7, g = 9.81\ncoord x, a\nparticle cart: mass k at (x, 0)\n\
     particle bob: mass m at (x + l*sin(a), -l*cos(a))\ngravity: (0, -g)\n";

/// A particle on a circle of radius one, its constraint between positions.
const CIRCLE: &str = "param g = 9.81\ncoord x, y\nparticle bob: mass 2 at (x, y)\ngravity: (0, -g)\n\
     constraint rod: x^2 + y^2 = 1\ninitial x = 1\n";

const FORMS: [Form; 5] = [
    Form::Closed,
    Form::Squares,
    Form::Reduced,
    Form::Momenta,
    Form::Shortest,
];

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    let diagnostics = outcome.diagnostics;
    outcome.model.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The accelerations at a state (t, x, u).
fn accelerations(lowered: &Lowered, state: &[f64]) -> Vec<f64> {
    let (tape, rates) = (&lowered.problem.tape, &lowered.problem.rates);
    let mut jets = Jets::new(tape, rates, &[], 1);
    jets.compute(tape, rates, state, &[]).expect("regular");
    (0..rates.dimension).map(|i| jets.unknown(i)[0]).collect()
}

fn near(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (f, w) in found.iter().zip(wanted) {
        let close = (f - w).abs() <= 1e-13 * w.abs().max(1.0);
        assert!(close, "{what}: {found:?} is not {wanted:?}");
    }
}

/// x″ = m·sin a·(l·a′² + g·cos a)/(k + m·sin² a), a″ = −(g·sin a + x″·cos a)/l
fn cart(state: &[f64], k: f64, m: f64) -> [f64; 2] {
    let (l, g) = (0.7, 9.81);
    let ((s, c), rate) = (state[2].sin_cos(), state[4]);
    let x = m * s * (l * rate * rate + g * c) / (k + m * s * s);
    [x, -(g * s + x * c) / l]
}

#[test]
fn every_form_has_the_accelerations_of_a_pendulum_on_a_cart() {
    let model = model(CART);
    let state = [0.0, 0.3, 0.8, -1.2, 2.5];
    for form in FORMS {
        let lowered = lower(&model, form, Parameters::Constant).expect("numbers");
        assert_eq!(lowered.coordinates, ["x", "a"]);
        let found = accelerations(&lowered, &state);
        near(&found, &cart(&state, 2.0, 0.5), &format!("{form:?}"));
    }
}

/// Parameters that are inputs of the tape get their values after lowering.
#[test]
fn parameters_as_inputs_take_other_values() {
    let model = model(CART);
    let symbol = |name: &str| model.pool().symbol(name);
    let inputs = [symbol("k"), symbol("m")];
    let state = [0.0, 0.3, 0.8, -1.2, 2.5];
    for form in FORMS {
        let lowered = lower(&model, form, Parameters::Inputs(&inputs)).expect("numbers");
        for [k, m] in [[2.0, 0.5], [0.1, 3.0]] {
            let found = accelerations(&lowered.with_fixed(&[k, m]), &state);
            near(&found, &cart(&state, k, m), &format!("{form:?}"));
        }
    }
}

/// A rod pulls towards the centre with u² − g·y for each unit of mass.
#[test]
fn every_form_has_the_accelerations_under_a_constraint() {
    let model = model(CIRCLE);
    let (s, c) = 0.4_f64.sin_cos();
    let speed = 1.7;
    let state = [0.0, s, -c, speed * c, speed * s];
    let pull = speed * speed + 9.81 * c;
    for form in FORMS {
        let lowered = lower(&model, form, Parameters::Constant).expect("numbers");
        let found = accelerations(&lowered, &state);
        near(&found, &[-pull * s, pull * c - 9.81], &format!("{form:?}"));
    }
}

/// A model whose parameter has no value is refused with the name of the parameter.
#[test]
fn a_parameter_without_a_value_is_named() {
    let model = model("param m\ncoord x\nkinetic: m*x'^2/2\n");
    let why = lower(&model, Form::Shortest, Parameters::Constant).unwrap_err();
    assert_eq!(why[0].code.as_str(), "missing_value");
    assert!(why[0].message.contains("`m`"), "{}", why[0].message);
}
