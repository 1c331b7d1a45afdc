//! Sensitivities of runs, against nearby runs and closed forms.

use galilei::{Compiled, Method, Model, Sensitivities, SensitivityAnalysis};
use galilei_integrate::{Directions, Options, Record, SensitivityMethod, StateSensitivities};

use crate::common::{file, largest, model};

fn start(model: &Model) -> Vec<f64> {
    let s = model.initial_state().expect("a state");
    let all = s.position.iter().chain(&s.velocity);
    all.map(|e| e.evaluate_f64(&[])).collect()
}

fn to(time: f64) -> Options {
    Options {
        to: time,
        record: Record::Every(time),
        tolerance: 1e-15,
        max_steps: 1_000_000,
        ..Options::default()
    }
}

/// Variations in all directions.
fn variation(
    compiled: &Compiled,
    state: &[f64],
    options: &Options,
    method: SensitivityMethod,
    steps: bool,
) -> StateSensitivities {
    let mut directions = Directions::all(compiled.tape(), state.len() / 2);
    directions.transitions = steps;
    directions.method = Some(method);
    let (run, variation) =
        compiled.integrate_with_sensitivities(state, options, &directions, |_| true);
    assert_eq!(run.status, galilei_integrate::Status::Finished);
    assert_eq!(run.rows.len(), variation.rows.len());
    variation
}

/// The state-transition matrix, row by row.
fn transition(
    compiled: &Compiled,
    state: &[f64],
    options: &Options,
    method: SensitivityMethod,
) -> Vec<f64> {
    variation(compiled, state, options, method, false).last
}

const METHODS: [SensitivityMethod; 2] = [SensitivityMethod::Series, SensitivityMethod::Collocation];

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
        let compiled = model.compile().expect("code");
        let state = start(&model);
        let options = to(1.5);
        let differences = differences(&compiled, &state, &options);
        for method in METHODS {
            let ours = transition(&compiled, &state, &options, method);
            close(&ours, &differences, 5e-9);
            let steps = variation(&compiled, &state, &options, method, true).last;
            close(&ours, &steps, 1e-13);
            // Through the derivatives of the equations, where that is shorter.
            let varied = model.compile_with_sensitivities(&[]).expect("code");
            close(&ours, &transition(&varied, &state, &options, method), 1e-12);
        }
    }
}

#[test]
fn a_jump_of_the_force_is_a_jump_of_the_variations() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = if(x > 1/2, -3, 1 + t)\n\
                initial x = 0, x' = 3\n";
    let model = model(text);
    let compiled = model.compile().expect("code");
    let state = start(&model);
    let options = to(2.0);
    let differences = differences(&compiled, &state, &options);
    for method in METHODS {
        let ours = transition(&compiled, &state, &options, method);
        close(&ours, &differences, 1e-9);
        let steps = variation(&compiled, &state, &options, method, true).last;
        close(&ours, &steps, 1e-13);
    }
}

#[test]
fn many_directions() {
    let model = model(&format!(
        "const n = 9\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^2)/2\n\
         potential: sum(k in 1..n-1: cos(q[k+1] - q[k])) + q[1]^4\n\
         initial {}\n",
        (1..=9)
            .map(|k| format!("q[{k}] = {}/7", k * k))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    let compiled = model.compile().expect("code");
    let state = start(&model);
    let options = to(1.0);
    let differences = differences(&compiled, &state, &options);
    for method in METHODS {
        close(
            &transition(&compiled, &state, &options, method),
            &differences,
            1e-9,
        );
    }
}

/// Both ways over more steps than are done without code of their own, with rows on the method and adjoints.
#[test]
fn long_runs_agree_in_both_ways() {
    let model = model(SYSTEMS[0]);
    let compiled = model.compile().expect("code");
    let state = start(&model);
    let options = Options {
        record: Record::Every(7.0),
        ..to(100.0)
    };
    let [series, collocation] =
        METHODS.map(|method| variation(&compiled, &state, &options, method, true));
    assert_eq!(series.rows.len(), 16);
    for (a, b) in series.rows.iter().zip(&collocation.rows) {
        close(a, b, 1e-10);
    }
    close(&series.last, &collocation.last, 1e-10);
    assert!(collocation.transitions.len() > 1000);
    // The transitions of the steps, one after the other, are that of the run.
    let mut product: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
    for step in &collocation.transitions {
        let entry = |k: usize| -> f64 {
            let row = step.matrix[k / 4 * 4..].iter();
            row.take(4)
                .zip(product.iter().skip(k % 4).step_by(4))
                .map(|(a, b)| a * b)
                .sum()
        };
        product = (0..16).map(entry).collect();
    }
    close(&product, &collocation.last, 1e-11);
}

/// What one coordinate does to another need not be seen in a motion: both rest, and a step may be of any length.
#[test]
fn neighbours_feel_what_the_motion_does_not() {
    let model = model("coord a, c\nkinetic: (a'^2 + c'^2)/2\nforce: a = c*sin(40*t)\n");
    let compiled = model.compile().expect("code");
    let (w, end) = (40.0_f64, 50.0_f64);
    // ∫(T − t)·sin(wt)dt and ∫(T − t)·t·sin(wt)dt
    let first = end / w - (w * end).sin() / w.powi(2);
    let second =
        2.0 / w.powi(3) - 2.0 * (w * end).cos() / w.powi(3) - end * (w * end).sin() / w.powi(2);
    for method in METHODS {
        let ours = transition(&compiled, &[0.0; 4], &to(end), method);
        close(&[ours[1], ours[3]], &[first, second], 1e-10);
    }
}

/// Fast motions are near slow ones: the last mass of a chain hangs on a spring that is a thousand times as stiff.
#[test]
fn neighbours_may_be_faster_than_the_motion() {
    let model =
        model("coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + 500*y^2\ninitial x = 1\n");
    let compiled = model.compile().expect("code");
    let w = 1000f64.sqrt();
    for method in METHODS {
        let ours = transition(&compiled, &[1.0, 0.0, 0.0, 0.0], &to(10.0), method);
        let [s, c] = [(w * 10.0).sin(), (w * 10.0).cos()];
        close(
            &[ours[5], ours[7], ours[13], ours[15]],
            &[c, s / w, -w * s, c],
            1e-12,
        );
        close(&[ours[0], ours[2]], &[10f64.cos(), 10f64.sin()], 1e-13);
        close(&[ours[1], ours[4]], &[0.0; 2], 0.0);
    }
}

fn asked<'m>(
    model: &'m Model,
    parameters: &[&str],
    gradient: Option<&str>,
) -> SensitivityAnalysis<'m> {
    let analysis = model.sensitivities().by_all(parameters.iter().copied());
    match gradient {
        Some(of) => analysis.gradient(of),
        None => analysis,
    }
}

fn found(text: &str, parameters: &[&str], gradient: Option<&str>) -> Sensitivities {
    let model = model(text);
    let analysis = asked(&model, parameters, gradient);
    analysis.tolerance(1e-16).run().expect("a run")
}

#[test]
fn transitions_of_hamiltonian_systems_are_symplectic() {
    for name in [
        "double-pendulum",
        "charged-particle",
        "spherical-pendulum",
        "heavy-symmetric-top",
        "foucault-pendulum",
        "geodesic-sphere",
        "another-gauge",
        "relativistic-particle",
    ] {
        let found = found(&file(name), &[], None);
        let defect = found.symplectic_defect().expect("a Legendre map");
        assert!(defect < 1e-12, "{name}: {defect}");
    }
    // Under constraints between positions directions tangent to them count, others lead nowhere.
    for text in [
        "coord x, y\nparticle p: mass 2 at (x, y)\ngravity: (0, -9.81)\nconstraint rod: x^2 + y^2 = 1\n\
         initial x = sin(1), y = -cos(1)\nsimulate to 3\n",
        "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2 + x*y'\npotential: z\n\
         constraint: x^2 + y^2 + z^2 = (1 + sin(t)/10)^2\n\
         initial x = 0.6, z = -0.8, x' = 0.1*0.6, y' = 1, z' = -0.1*0.8\nsimulate to 3\n",
    ] {
        let found = found(text, &[], None);
        let defect = found.symplectic_defect().expect("a Legendre map");
        assert!(defect < 1e-11, "{defect}");
    }
    // Friction takes volume away: det Φ = exp(−c·t).
    let found = found(
        "coord x\nkinetic: x'^2/2\npotential: cos(x)\nforce: x = -x'/4\ninitial x = 1\nsimulate to 2\n",
        &[],
        None,
    );
    let m = found.canonical.as_ref().expect("a Legendre map");
    let determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    assert!((determinant - (-0.5f64).exp()).abs() < 1e-14);
    assert!(found.symplectic_defect().expect("a Legendre map") > 0.1);
}

#[test]
fn sensitivities_are_derivatives_of_runs() {
    let text = |m: f64| {
        format!(
            "param m = {m:?}, l = 2*m\ncoord a, b\nlet first = (l*sin(a), -l*cos(a))\n\
             particle p: mass m at first\nparticle q: mass 1/3 at first + (sin(b), -cos(b))\n\
             gravity: (0, -9.81)\nforce: a = -m^2*a'\ninitial a = m/2, b' = m^2\nsimulate to 1.3\n\
             output height: m*cos(a) + b\n"
        )
    };
    let found = found(&text(0.6), &["m"], Some("height"));
    let at = |m: f64| {
        let model = model(&text(m));
        model.simulate().tolerance(1e-16).run().expect("a run").run
    };
    let h = 1e-4;
    let runs = [
        at(0.6 + h),
        at(0.6 - h),
        at(0.6 + 2.0 * h),
        at(0.6 - 2.0 * h),
    ];
    let slope = |f: &dyn Fn(usize) -> f64| (8.0 * (f(0) - f(1)) - (f(2) - f(3))) / (12.0 * h);
    let expected: Vec<f64> = (0..4).map(|i| slope(&|r| runs[r].state[i])).collect();
    close(&found.by_parameters[0], &expected, 1e-10);
    let gradient = found.gradient.expect("a gradient");
    let expected = slope(&|r| runs[r].outputs[0]);
    close(&gradient.parameters, &[expected], 1e-10);
    // λ·Φ is the same along the run.
    let (_, first) = &gradient.rows[0];
    assert_eq!(gradient.rows.len(), found.rows.len());
    for ((_, lambda), row) in gradient.rows.iter().zip(&found.rows) {
        let through: Vec<f64> = (0..4)
            .map(|c| (0..4).map(|i| lambda[i] * row[i * 5 + c]).sum())
            .collect();
        close(&through, first, 1e-12);
    }
}

/// λ̇ = −(Dγ)ᵀλ by a Runge–Kutta method of order 4 that knows the Jacobian alone.
#[test]
fn gradients_solve_the_adjoint_equation() {
    let text = "coord x, y\nkinetic: (x'^2 + (2 + cos(x))*y'^2)/2\npotential: x*y + sin(t)*x^2\n\
                force: x = -x'*y'/5, y = -y'/3\ninitial x = 0.4, y = 0.7, y' = 0.2\nsimulate to 1\n";
    let found = found(text, &[], Some("y"));
    let model = model(text);
    let compiled = model.compile().expect("code");
    let mut jacobian = compiled.jacobian(1);
    // (t, x, u, λ)
    let mut rate = |z: &[f64]| -> Vec<f64> {
        let mut values = vec![0.0; 2 + 2 * 5];
        jacobian.compute(&z[..5], &mut values);
        let (a, slopes) = values.split_at(2);
        let lambda = &z[5..];
        let mut list = vec![1.0, z[3], z[4], a[0], a[1]];
        for k in 0..4 {
            let through = (0..2)
                .map(|i| lambda[2 + i] * slopes[i * 5 + 1 + k])
                .sum::<f64>();
            let position = if k >= 2 { lambda[k - 2] } else { 0.0 };
            list.push(-(position + through));
        }
        list
    };
    let gradient = found.gradient.expect("a gradient");
    let mut z = vec![0.0];
    z.extend(start(&model));
    z.extend(&gradient.rows[0].1);
    let steps = 2000;
    let h = 1.0 / f64::from(steps);
    let plus = |z: &[f64], k: &[f64], h: f64| -> Vec<f64> {
        z.iter().zip(k).map(|(z, k)| z + h * k).collect()
    };
    for _ in 0..steps {
        let k1 = rate(&z);
        let k2 = rate(&plus(&z, &k1, h / 2.0));
        let k3 = rate(&plus(&z, &k2, h / 2.0));
        let k4 = rate(&plus(&z, &k3, h));
        for i in 0..z.len() {
            z[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    close(&z[5..], &[0.0, 1.0, 0.0, 0.0], 1e-11);
}

/// A skate: δf is kept by the linearised motion (T-88), and along the constraint Φ is the derivative of
/// runs.
#[test]
fn variations_of_constrained_systems_keep_the_linearised_constraint() {
    let text = |angle: f64, speed: f64| {
        format!(
            "param v = {speed:?}\ncoord x, y, f\nkinetic: (x'^2 + y'^2 + f'^2/2)/2\n\
             potential: -x\nconstraint skate: sin(f)*x' - cos(f)*y' = 0\n\
             initial f = {angle:?}, x' = v*cos({angle:?}), y' = v*sin({angle:?}), f' = 0.8\n\
             simulate to 2\n"
        )
    };
    let found = found(&text(0.3, 1.2), &["v"], None);
    let run = |angle: f64, speed: f64| {
        let model = model(&text(angle, speed));
        let motion = model.simulate().tolerance(1e-16).run().expect("a run");
        motion.run.state
    };
    let h = 1e-4;
    let slope = |at: &dyn Fn(f64) -> Vec<f64>| -> Vec<f64> {
        let [a, b, c, d] = [at(h), at(-h), at(2.0 * h), at(-2.0 * h)];
        (0..6)
            .map(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h))
            .collect()
    };
    close(
        &found.by_parameters[0],
        &slope(&|d| run(0.3, 1.2 + d)),
        1e-9,
    );
    // Turning the skate at the start turns its velocity, too.
    let turned = slope(&|d| run(0.3 + d, 1.2));
    let seed = [0.0, 0.0, 1.0, -1.2 * 0.3f64.sin(), 1.2 * 0.3f64.cos(), 0.0];
    let through: Vec<f64> = found
        .transition
        .iter()
        .map(|row| row.iter().zip(seed).map(|(a, b)| a * b).sum())
        .collect();
    close(&through, &turned, 1e-9);
    let residual = |state: &[f64]| -> Vec<f64> {
        let (s, c) = state[2].sin_cos();
        vec![0.0, 0.0, c * state[3] + s * state[4], s, -c, 0.0]
    };
    let model = model(&text(0.3, 1.2));
    let before = residual(&start(&model));
    let after = residual(&found.motion.run.state);
    let kept: Vec<f64> = (0..6)
        .map(|c| (0..6).map(|i| after[i] * found.transition[i][c]).sum())
        .collect();
    close(&kept, &before, 1e-12);
}

/// δθ of a pendulum solves Jacobi's equation, which is the second half of the vertical extension.
#[test]
fn jacobi_fields_are_motions_of_the_vertical_extension() {
    let found = found(
        "coord s\nkinetic: s'^2/2\npotential: -9*cos(s)\ninitial s = 0.4\nsimulate to 3\n",
        &[],
        None,
    );
    let extension = model(
        "coord s, e\nlagrangian: s'*e' - 9*e*sin(s)\ninitial s = 0.4, e = 1\nsimulate to 3\n",
    );
    let motion = extension.simulate().run().expect("a run");
    let column: Vec<f64> = found.transition.iter().map(|row| row[0]).collect();
    close(&column, &[motion.run.state[1], motion.run.state[3]], 1e-11);
}

#[test]
fn what_cannot_be_differentiated_is_refused() {
    let model = model(
        "param m = 1\ncoord x\nkinetic: m*x'^2/2\npotential: x\nconstraint c: x' = 1\n\
         initial x' = 1\nsimulate to 1\noutput force: multiplier(c)\n",
    );
    let refused = |parameters: &[&str], gradient: Option<&str>, method: Option<Method>| {
        let outcome = asked(&model, parameters, gradient).method(method).run();
        let error = outcome.expect_err("a refusal");
        error.diagnostics()[0].code.as_str()
    };
    assert_eq!(refused(&["k"], None, None), "unknown_parameter");
    assert_eq!(refused(&[], Some("y"), None), "unknown_name");
    assert_eq!(refused(&[], Some("force"), None), "not_differentiable");
    assert_eq!(refused(&[], None, Some(Method::Dop853)), "not_available");
}

/// A pendulum that hangs: its own series vanish, those of its sensitivities do not.
#[test]
fn neighbours_of_an_equilibrium_swing() {
    for (parameters, expected) in [
        (vec![], vec![30f64.cos(), 30f64.sin() / 10.0]),
        (vec!["f"], vec![(1.0 - 30f64.cos()) / 100.0]),
    ] {
        let found = found(
            "param f = 0\ncoord x\nkinetic: x'^2/2\npotential: -100*cos(x) - f*x\nsimulate to 3\n",
            &parameters,
            None,
        );
        match parameters.is_empty() {
            true => close(&found.transition[0], &expected, 1e-12),
            false => close(&found.by_parameters[0][..1], &expected, 1e-12),
        }
    }
}

/// Through the operations of the tape, through the derivatives of the equations, and by collocation, for every model.
#[test]
fn all_ways_agree_for_every_model() {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "gal") {
            continue;
        }
        let model = Model::open(&path).expect("a model");
        let (Ok(plain), Ok(varied)) = (model.compile(), model.compile_with_sensitivities(&[]))
        else {
            continue;
        };
        let state = start(&model);
        let mut options = to(0.02);
        options.tolerance = 1e-13;
        let ours = transition(&varied, &state, &options, SensitivityMethod::Series);
        for method in METHODS {
            close(&ours, &transition(&plain, &state, &options, method), 1e-10);
        }
        count += 1;
    }
    assert!(count > 40, "{count} models");
}

/// x = (t − 1)³ comes to the jump with no velocity: nearby motions cross it much earlier, or never.
#[test]
fn a_jump_that_is_touched_ends_the_run() {
    let model = model(
        "coord x\nkinetic: x'^2/2\nforce: x = 6*(t - 1) + if(x > 0, 1, 0)\n\
         initial x = -1, x' = 3\nsimulate to 2\n",
    );
    let found = model.sensitivities().run().expect("a run");
    assert_eq!(
        found.motion.run.status,
        galilei_integrate::Status::Failed(galilei_integrate::Error::Grazing)
    );
}

/// The adjoint stands at every recorded time, from the first on: of a conserved energy it is the energy's own
/// differential.
#[test]
fn adjoints_stand_at_every_recorded_time() {
    let text = "coord x\nkinetic: x'^2/2\npotential: 2*x^2\ninitial x = 1\n\
                output energy: x'^2/2 + 2*x^2\nsimulate to 1 every 0.25\n";
    let found = found(text, &[], Some("energy"));
    let gradient = found.gradient.expect("a gradient");
    assert_eq!(gradient.rows.len(), found.motion.run.rows.len());
    for ((time, by), row) in gradient.rows.iter().zip(&found.motion.run.rows) {
        assert_eq!(*time, row[0]);
        assert!((by[0] - 4.0 * row[1]).abs() < 1e-13 && (by[1] - row[2]).abs() < 1e-13);
    }
    // However short the run is.
    let text = "coord x\nkinetic: x'^2/2\npotential: 1e18*x^2/2\ninitial x = 1e-3\nsimulate to 1e-8 every 2e-9\n";
    let found = self::found(text, &[], Some("x"));
    let gradient = found.gradient.expect("a gradient");
    let times: Vec<f64> = gradient.rows.iter().map(|row| row.0).collect();
    assert_eq!((times.len(), times[0]), (6, 0.0));
    close(&gradient.rows[0].1[..1], &[10f64.cos()], 1e-12);
}

/// A parameter that does nothing but rounding errors: the mass of a pendulum, for every method to write it.
#[test]
fn parameters_without_effect_have_no_effect() {
    for text in [
        "param m = 0.7, l = 0.3\ncoord x\nparticle p: mass m at l*(sin(x), -cos(x))\ngravity: (0, -9.81)\n\
         initial x = 1\nsimulate to 3\n",
        "param m = 1e-6\ncoord x, y\nkinetic: m*(x'^2 + y'^2 + x'*y'*cos(x))/2\npotential: m*(x^2 + y^4)/3\n\
         initial x = 1, y' = 1\nsimulate to 3\n",
        // An indefinite mass matrix, with pivoting.
        "param m = 3\ncoord s, e\nlagrangian: m*(s'*e' - 9*e*sin(s))\ninitial s = 0.4, e = 1\nsimulate to 3\n",
    ] {
        let found = found(text, &["m"], None);
        assert_eq!(found.motion.run.status, galilei_integrate::Status::Finished);
        assert_eq!(found.motion.run.time, 3.0);
        let largest = largest(found.by_parameters[0].iter().copied());
        assert!(largest < 1e-7, "{largest}");
    }
}

/// Small and fast terms that a motion at rest does not show are not stepped over: against runs from another start, since the
/// equations are linear.
#[test]
fn fast_terms_are_seen_by_neighbours_alone() {
    for (law, end) in [
        ("force: x = -0.002*sin(300*t)*x'", 1.0),
        ("force: x = -x*sin(50*t)/2", 2.0),
        ("force: x = 0.3*sin(170*t)*y, y = sin(200*t)*x", 4.0),
    ] {
        let text = |start: &str| {
            format!(
                "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2\n{law}\n{start}\n"
            )
        };
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let options = Options {
                tolerance,
                ..to(end)
            };
            let rest = model(&text("")).compile().expect("code");
            let ours = transition(&rest, &[0.0; 4], &options, SensitivityMethod::Collocation);
            let moving = model(&text("initial x = 1")).compile().expect("code");
            let run = moving.integrate(&[1.0, 0.0, 0.0, 0.0], &to(end), |_| true);
            let column: Vec<f64> = ours.iter().step_by(4).copied().collect();
            close(&column, &run.state, 1e3 * tolerance);
        }
    }
}

/// A coordinate at rest may be a thousand times as fast as the others, in systems of any size and both ways.
#[test]
fn stiff_coordinates_at_rest() {
    let model = model(
        "const n = 8\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^2)/2\n\
         potential: 1e6*q[1]^2/2 + sum(k in 2..n: q[k]^2)/2\ninitial q[2] = 1\n",
    );
    let compiled = model.compile().expect("code");
    let state = start(&model);
    for method in METHODS {
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let options = Options {
                tolerance,
                ..to(3.0)
            };
            let ours = transition(&compiled, &state, &options, method);
            close(&ours[..1], &[3000f64.cos()], 1e4 * tolerance);
        }
    }
}

/// Kinks at fixed times, and such that change faster than the motion, are crossed.
#[test]
fn fast_kinks_are_crossed() {
    for (w, a) in [(2, 0.0), (3, 0.2), (5, -0.4), (7, 0.7)] {
        let text = format!(
            "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = sign(sin({w}*t) + {a})\n\
             initial x = 1\nsimulate to 10\n"
        );
        let found = found(&text, &[], None);
        let all: Vec<f64> = found.transition.concat();
        let (s, c) = 10f64.sin_cos();
        close(&all, &[c, s, -s, c], 1e-12);
    }
}
