//! Variations along runs, against neighbouring runs and closed forms.

use galilei::integrate::{Directions, Options};
use galilei::{Compiled, Model, Settings, compile, compile_varied, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

fn start(model: &Model) -> Vec<f64> {
    let s = model.initial_state().expect("a state");
    let all = s.position.iter().chain(&s.velocity);
    all.map(|e| e.evaluate_f64(&[])).collect()
}

fn to(time: f64) -> Options {
    Options {
        from: 0.0,
        to: time,
        every: Some(time),
        tolerance: 1e-15,
        max_steps: 1_000_000,
    }
}

/// The state-transition matrix, row by row.
fn transition(compiled: &Compiled, state: &[f64], options: &Options, steps: bool) -> Vec<f64> {
    let mut directions = Directions::all(compiled.tape(), state.len() / 2);
    directions.transitions = steps;
    let (run, variation) = compiled.integrate_with(state, options, &directions, |_| true);
    assert_eq!(run.status, galilei::integrate::Status::Finished);
    variation.last
}

/// The same by differences of runs.
fn differences(compiled: &Compiled, state: &[f64], options: &Options) -> Vec<f64> {
    let size = state.len();
    let mut matrix = vec![0.0; size * size];
    for j in 0..size {
        let at = |h: f64| {
            let mut s = state.to_vec();
            s[j] += h;
            compiled.integrate(&s, options, |_| true).state
        };
        // Of order four.
        let h = 1e-4;
        let (a, b, c, d) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
        for i in 0..size {
            matrix[i * size + j] = (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h);
        }
    }
    matrix
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * size, "{x} {y}");
    }
}

/// Every elementary function, forces that depend on velocities and time, sums of squares and not.
const SYSTEMS: [&str; 7] = [
    "coord a, b\nparam l = 1, g = 9.81\nlet first = l*(sin(a), -cos(a))\n\
     particle p: mass 1 at first\nparticle q: mass 2 at first + l*(sin(b), -cos(b))\n\
     gravity: (0, -g)\ninitial a = 0.5, b = 0.3, a' = 0.1\n",
    "coord r, f\nkinetic: (r'^2 + r^2*f'^2)/2\npotential: -1/r\ninitial r = 1, f' = 1.1\n",
    "coord x\nkinetic: x'^2/2*(2 + cos(t))\npotential: x^4/4 - x^2*sin(t)\n\
     force: x = -0.1*x'*sqrt(1 + x'^2)\ninitial x = 0.7\n",
    "coord x, y\nkinetic: (x'^2 + y'^2 + x'*y'*tanh(x))/2\n\
     potential: exp(x)*cosh(y) + atan(x*y) + log(3 + sin(x)) + asin(y/9) + tan(x/9)\n\
     force: x = -(2 + x^2)^(1/3)*y', y = x'*(2 + x^2)^(3/4)\ninitial x = 0.3, y' = 0.4\n",
    "coord x, y\nlagrangian: sqrt(1 + x'^2 + y'^2) - x^2*y^2 - atan2(y, 2 + x) - acos(x/5)\n\
     initial x = 0.2, y = 0.3, x' = 0.1\n",
    // An indefinite mass matrix: by jets.
    "coord s, e\nlagrangian: s'*e' - 9*e*sin(s)\ninitial s = 0.4, e = 1\n",
    "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: y^2/2\n\
     force: x = -3*x*abs(x) - max(x, y), y = -max(x, y)\ninitial x = 0.3, y = 0.1, x' = -1\n",
];

#[test]
fn variations_are_limits_of_neighbouring_runs() {
    for text in SYSTEMS {
        let model = model(text);
        let compiled = compile(&model).expect("code");
        let state = start(&model);
        let options = to(1.5);
        let ours = transition(&compiled, &state, &options, false);
        close(&ours, &differences(&compiled, &state, &options), 5e-9);
        close(&ours, &transition(&compiled, &state, &options, true), 1e-13);
        // Through the derivatives of the equations, where that is shorter.
        let varied = compile_varied(&model, &[]).expect("code");
        close(&ours, &transition(&varied, &state, &options, false), 1e-12);
    }
}

#[test]
fn a_jump_of_the_force_is_a_jump_of_the_variations() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = if(x > 1/2, -3, 1 + t)\n\
                initial x = 0, x' = 3\n";
    let model = model(text);
    let compiled = compile(&model).expect("code");
    let state = start(&model);
    let options = to(2.0);
    let ours = transition(&compiled, &state, &options, false);
    close(&ours, &differences(&compiled, &state, &options), 1e-9);
    close(&ours, &transition(&compiled, &state, &options, true), 1e-13);
}

#[test]
fn many_directions_take_several_calls() {
    let model = model(&format!(
        "const n = 9\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^2)/2\n\
         potential: sum(k in 1..n-1: cos(q[k+1] - q[k])) + q[1]^4\n\
         initial {}\n",
        (1..=9)
            .map(|k| format!("q[{k}] = {}/7", k * k))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    let compiled = compile(&model).expect("code");
    let state = start(&model);
    let options = to(1.0);
    let ours = transition(&compiled, &state, &options, false);
    close(&ours, &differences(&compiled, &state, &options), 1e-9);
}
