//! Mechanisms with hundreds of coordinates, whose mass matrix is not written out.

use galilei_lower::{Form, Lowered, Parameters, lower};
use galilei_model::{Settings, read};
use galilei_tape::{Jets, Wanted};

const CHAIN: &str = "const n = 150
param g = 9.81 [m/s^2]
param m[k in 1..n] = 1/(1 + k/n) [kg], l[k in 1..n] = (0.2 + 0.1*sin(k)) [m]
coord theta[1..n] [rad]
let joint[0] = (0, 0)
let joint[k in 1..n] = joint[k-1] + l[k]*(sin(theta[k]), -cos(theta[k]))
for k in 1..n { particle bob[k]: mass m[k] at joint[k] }
gravity: (0, -g)
";

/// The chain with n links, ready for runs.
fn chain(n: usize) -> Lowered {
    let settings = Settings {
        set: vec![format!("n={n}")],
        title: String::new(),
    };
    let model = read(CHAIN, &settings).model.unwrap();
    assert!(model.validate().is_empty());
    lower(&model, Form::ForRuns, Parameters::Constant).unwrap()
}

/// The state (t, θ, θ') of the tests.
fn state(n: usize) -> Vec<f64> {
    let mut state = vec![0.0];
    state.extend((1..=n).map(|k| 0.7 * (0.3 * k as f64).sin()));
    state.extend((1..=n).map(|k| (0.9 * k as f64).cos()));
    state
}

/// The accelerations of the chain by Newton: the tensions of the rods keep their lengths.
fn by_tensions(state: &[f64]) -> Vec<f64> {
    let n = (state.len() - 1) / 2;
    let (theta, rate) = state[1..].split_at(n);
    let mass = |k: usize| 1.0 / (1.0 + (k + 1) as f64 / n as f64);
    let length = |k: usize| 0.2 + 0.1 * ((k + 1) as f64).sin();
    let along = |k: usize| [theta[k].sin(), -theta[k].cos()];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    // Row k: the rods k − 1, k and k + 1 pull at both ends of rod k.
    let (mut own, mut right) = (vec![0.0; n], vec![0.0; n]);
    let mut beside = vec![0.0; n];
    for k in 0..n {
        let inner = if k == 0 { 0.0 } else { 1.0 / mass(k - 1) };
        own[k] = 1.0 / mass(k) + inner;
        right[k] = length(k) * rate[k] * rate[k];
        if k == 0 {
            right[k] += -9.81 * along(k)[1];
        }
        if k + 1 < n {
            beside[k] = -dot(along(k), along(k + 1)) / mass(k);
        }
    }
    for k in 1..n {
        let factor = beside[k - 1] / own[k - 1];
        own[k] -= factor * beside[k - 1];
        right[k] -= factor * right[k - 1];
    }
    let mut tension = vec![0.0; n + 1];
    for k in (0..n).rev() {
        let next = if k + 1 < n {
            beside[k] * tension[k + 1]
        } else {
            0.0
        };
        tension[k] = (right[k] - next) / own[k];
    }
    let acceleration = |k: usize| {
        let (a, b) = (along(k), if k + 1 < n { along(k + 1) } else { [0.0; 2] });
        let pull = |i: usize| (-tension[k] * a[i] + tension[k + 1] * b[i]) / mass(k);
        [pull(0), pull(1) - 9.81]
    };
    (0..n)
        .map(|k| {
            let before = if k == 0 {
                [0.0; 2]
            } else {
                acceleration(k - 1)
            };
            let here = acceleration(k);
            let across = [theta[k].cos(), theta[k].sin()];
            dot([here[0] - before[0], here[1] - before[1]], across) / length(k)
        })
        .collect()
}

fn close(found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() < 1e-11 * scale, "{k}: {a} instead of {b}");
    }
}

/// Straight-line code and loops eliminate along the chain; the matrix that is written out afterwards is the same.
#[test]
fn accelerations_of_a_long_chain_are_those_of_newton() {
    let problem = &chain(150).problem;
    assert!(problem.rates.is_unwritten());
    let state = state(150);
    let expected = by_tensions(&state);
    let wanted = Wanted {
        own_branches: true,
        ..Wanted::default()
    };
    let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    for problem in [problem, &problem.written_out()] {
        let code = problem.tape.series(&problem.rates, &wanted, 1).code;
        let found = code.run(&inputs, &mut vec![]);
        let found: Vec<f64> = found[150..300].iter().map(|a| a[0]).collect();
        close(&found, &expected);
    }
    let written = problem.written_out();
    for problem in [problem, &written] {
        let (tape, rates) = (&problem.tape, &problem.rates);
        let mut jets = Jets::new(tape, rates, &[], 1);
        jets.compute(tape, rates, &state, &[]).unwrap();
        let found: Vec<f64> = (0..150).map(|i| jets.acceleration(i)).collect();
        close(&found, &expected);
    }
}

/// Sums that share their parts are as large as they were written.
#[test]
fn equations_of_a_long_chain_are_as_long_as_the_chain() {
    let operations = |n: usize| chain(n).problem.tape.len();
    let (short, long) = (operations(150), operations(300));
    assert!(long < 5 * short / 2, "{short} and {long} operations");
}
