//! Motion by quasi-velocities against the same motion with multipliers, which shares no equation with it,
//! and against solutions in closed form.

use galilei::{Compiled, Form, Model};
use galilei_integrate::{Options, Record, Run, Status};
use galilei_tape::{Jets, Rates, Wanted};

use crate::common::{gallery, has_implicit_lagrangian, largest, model, open};

const ORDER: usize = 12;

/// (t, x, u) on the constraints, near the state of the file.
fn start(model: &Model) -> Vec<f64> {
    let state = model.projected(&model.initial_state().unwrap()).unwrap();
    let values = std::iter::once(state.time).chain(state.position);
    let values = values.chain(state.velocity);
    values.map(|e| e.evaluate_f64(&[])).collect()
}

/// Of all velocities the coefficients 0 … order, with the guard, by one of the two ways.
fn series(compiled: &Compiled, rates: &Rates, state: &[f64], packed: bool) -> (Vec<f64>, f64) {
    let wanted = Wanted {
        packed,
        own_branches: true,
        ..Wanted::default()
    };
    let series = compiled.tape().series(rates, &wanted, ORDER);
    let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    let out = series.code.fused().run(&inputs, &mut vec![]);
    let guard = out[series.guard_at()][0];
    let count = rates.dimension * (ORDER + 1);
    (out[..count].iter().map(|x| x[0]).collect(), guard)
}

/// How many operations the series take reduced, if they can be, and not reduced.
fn operations(compiled: &Compiled) -> (Option<usize>, usize) {
    let count = |rates: &Rates| {
        let series = compiled.tape().series(rates, &Wanted::default(), ORDER);
        series.code.fused().operations()
    };
    let rates = compiled.rates();
    let whole = Rates {
        reduced: None,
        ..Rates::clone(rates)
    };
    (rates.reduced.as_ref().map(|_| count(rates)), count(&whole))
}

fn integrate(compiled: &Compiled, state: &[f64], to: f64, tolerance: f64) -> Run {
    let options = Options {
        to,
        record: Record::Every(1e9),
        tolerance,
        max_steps: 1_000_000,
        ..Options::default()
    };
    compiled.integrate(state, &options, |_| true)
}

fn near(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (f, w) in found.iter().zip(wanted) {
        assert!(
            (f - w).abs() <= tolerance * w.abs().max(1.0),
            "{what}: {found:?} is not {wanted:?}"
        );
    }
}

/// Constraints of every shape: one or several, of velocities and positions, with a constant minor, with
/// none, in groups, depending on time.
const SHAPES: [(&str, &str); 6] = [
    (
        "two blades on one body",
        "coord x, y, a, b\nkinetic: (x'^2 + y'^2)/2 + 0.3*a'^2 + 0.2*b'^2 + 0.1*a'*b' + 0.2*x'*b'*cos(a)\n\
         constraint first: x'*sin(a) = y'*cos(a)\nconstraint second: x'*sin(b) - y'*cos(b) = 0.4*b'*cos(a - b)\n\
         initial a = 0.3, b = 0.1, x' = 1\n",
    ),
    (
        "a moving wheel beside a pendulum",
        "coord x, p, a\nkinetic: x'^2 + 0.4*p'^2 + 0.5*a'^2 + x'*a'*cos(a)\npotential: -cos(a) + x^2\n\
         force push: x = sin(t), a = -0.1*a'\nconstraint rolling: x' = 0.7*(1 + t^2)*p'\ninitial a = 0.5, p' = 1\n",
    ),
    (
        "three velocities, no constant minor",
        "coord x, y, z\nkinetic: (x'^2 + 2*y'^2 + 3*z'^2)/2\npotential: x*y + z^2\n\
         constraint plane: (2 + sin(z))*x' + (1 + y^2)*y' + exp(x)*z' = 0\ninitial x = 0.2, y = 0.1, x' = 1\n",
    ),
    (
        "two constraints on four velocities",
        "coord x, y, z, w\nkinetic: (x'^2 + y'^2 + z'^2 + w'^2)/2\npotential: x^2 + y*z + w^4\n\
         constraint one: (2 + x)*x' + y'*cos(w) + w' = 0\nconstraint two: (3 + y)*z' - sin(x)*x' + y*w' = 0\n\
         initial x = 0.2, y = 0.4, w = -0.3, x' = 1, w' = 0.5\n",
    ),
    (
        "a circle",
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y = -0.6\n",
    ),
    (
        "a rod between two particles",
        "coord x, y, z, w\nkinetic: x'^2 + y'^2 + 0.5*(z'^2 + w'^2)\npotential: y + w\n\
         constraint rod: (x - z)^2 + (y - w)^2 = 1\ninitial x = 0.8, y = -0.6, z = 0, w = 0, w' = 0.3\n",
    ),
];

/// The models of the gallery with constraints, and those above.
fn models() -> Vec<(String, Model)> {
    let mut list = Vec::new();
    for (name, _) in gallery() {
        let own = open(&name);
        if !own.constraint_rows().is_empty() && !has_implicit_lagrangian(&own) {
            list.push((name, own));
        }
    }
    list.extend(SHAPES.map(|(name, text)| (name.to_owned(), model(text))));
    list
}

/// T-79, T-87, T-94: the coefficients of all orders, against elimination with multipliers and against
/// jets with pivoting.
#[test]
fn t_79_t_87_t_94_both_ways_have_the_same_series() {
    let mut reduced = 0;
    for (name, model) in models() {
        let compiled = model.compile_as(Form::Reduced).unwrap();
        let rates = compiled.rates();
        if rates.reduced.is_none() {
            continue;
        }
        reduced += 1;
        let state = start(&model);
        let whole = Rates {
            reduced: None,
            ..Rates::clone(rates)
        };
        let n = rates.dimension;
        let mut jets = Jets::new(compiled.tape(), &whole, &[], ORDER);
        jets.compute(compiled.tape(), &whole, &state, &[]).unwrap();
        let (other, _) = series(&compiled, &whole, &state, false);
        for packed in [false, true] {
            let (found, guard) = series(&compiled, rates, &state, packed);
            assert!(guard > 0.0, "{name}: {guard}");
            for k in 0..=ORDER {
                let own = &found[k * n..(k + 1) * n];
                let other = &other[k * n..(k + 1) * n];
                let jets: Vec<f64> = (0..n).map(|i| jets.series((1 + n + i) as u32)[k]).collect();
                let size = jets.iter().fold(0.0_f64, |m, x| m.max(x.abs())).max(1.0);
                for i in 0..n {
                    let far = largest([own[i] - jets[i], other[i] - jets[i]]);
                    assert!(
                        far <= 2e-11 * size,
                        "{name}, order {k}: {own:?}, {other:?}, {jets:?}"
                    );
                }
            }
        }
    }
    assert!(reduced >= 14, "{reduced}");
}

/// The way of fewer operations is taken.
#[test]
fn the_shorter_way_is_taken() {
    for (name, model) in models() {
        let (reduced, whole) = operations(&model.compile_as(Form::Reduced).unwrap());
        let taken = model.compile().unwrap().rates().reduced.is_some();
        assert_eq!(taken, reduced.is_some_and(|r| r < whole), "{name}");
    }
}

/// Chaplygin's sleigh turns through every heading, where y' = x' tan θ has poles, and ends on a straight
/// line: with q = √(J/m + a²), v = qΩ tanh(aΩt/q), ω = Ω/cosh(aΩt/q).
#[test]
fn a_sleigh_turns_through_the_poles_of_its_solved_form() {
    let text = "param m = 1.3, J = 0.4, a = 0.05\ncoord x, y, theta\nlet ahead = (cos(theta), sin(theta))\n\
                body sleigh: mass m inertia J at (x, y) + a*ahead angle theta\n\
                constraint blade: cross(ahead, velocity(sleigh, (-a, 0))) = 0\ndependent y'\n";
    let (m, j, a, fast) = (1.3, 0.4, 0.05, 3.0_f64);
    let q: f64 = j / m + a * a;
    let q = q.sqrt();
    let compiled = model(text).compile().unwrap();
    assert!(compiled.rates().reduced.is_some());
    let run = integrate(&compiled, &[0.0, 0.0, 0.2, 0.0, 0.0, fast], 30.0, 1e-14);
    assert_eq!(run.status, Status::Finished);
    let s = a * fast * 30.0 / q;
    let heading = 0.2 + q / a * (s.sinh()).atan();
    let speed = q * fast * s.tanh();
    assert!(heading > 4.0 * std::f64::consts::PI, "{heading}");
    let wanted = [
        heading,
        speed * heading.cos(),
        speed * heading.sin(),
        fast / s.cosh(),
    ];
    near("sleigh", &run.state[2..], &wanted, 1e-11);
}

/// A particle that crosses the equator of a sphere, where the quasi-velocities of the start degenerate:
/// the run goes on with multipliers, and agrees with the run that always has them.
#[test]
fn a_run_goes_on_where_quasi_velocities_degenerate() {
    let text = "coord x, y, z\nparticle point: mass 1 at (x, y, z)\nconstraint sphere: x^2 + y^2 + z^2 = 1\n\
                initial z = 1, x' = 0.6, y' = 0.8\n";
    let model = model(text);
    let state = start(&model);
    let reduced = model.compile_as(Form::Reduced).unwrap();
    let rates = reduced.rates();
    let measured = |z: f64| {
        let x = (1.0 - z * z).sqrt();
        let at = [0.0, 0.6 * x, 0.8 * x, z, 0.6 * z, 0.8 * z, -x];
        series(&reduced, rates, &at, true).1
    };
    assert!(measured(0.9) > 0.0 && measured(0.26) > 0.0);
    assert!(measured(0.24) < 0.0 && measured(0.0) < 0.0 && measured(-0.24) < 0.0);
    // A great circle at unit speed, many times round.
    let end = 100.0_f64;
    let (s, c) = end.sin_cos();
    let wanted = [0.6 * s, 0.8 * s, c, 0.6 * c, 0.8 * c, -s];
    for form in [Form::Reduced, Form::Closed] {
        let compiled = model.compile_as(form).unwrap();
        assert_eq!(compiled.rates().reduced.is_some(), form == Form::Reduced);
        let run = integrate(&compiled, &state[1..], end, 1e-14);
        near(&format!("{form:?}"), &run.state, &wanted, 1e-11);
    }
}

/// Runs to the ends of the files, reduced and not.
#[test]
fn runs_agree_both_ways() {
    for (name, model) in models() {
        let [one, other] = [Form::Reduced, Form::Closed].map(|form| {
            let compiled = model.compile_as(form).unwrap();
            integrate(&compiled, &start(&model)[1..], 1.0, 1e-13)
        });
        assert_eq!(one.status, other.status, "{name}");
        near(&name, &one.state, &other.state, 1e-9);
        assert!(one.constraint_residual.unwrap() < 1e-12, "{name}");
        assert!(one.energy_balance < 1e-11, "{name}: {}", one.energy_balance);
    }
}
