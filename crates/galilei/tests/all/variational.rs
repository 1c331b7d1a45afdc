//! Variational integrators: schemes that are known to coincide, what they keep, their orders, and their runs against
//! Taylor series.

use crate::common;

use common::{DOUBLE, FAST, KEPLER, by, compiled, distance, largest, near, no_drift, steps_of};
use galilei::{Code, Compiled, Model, RunSettings};
use galilei_integrate::Method::{Galerkin2, Galerkin4, Galerkin6, Midpoint, Trapezoid};
use galilei_integrate::{Error, Method, Options, Record, Status};

const GAUSS: [Method; 3] = [Method::Gauss2, Method::Gauss4, Method::Gauss6];
const ACTIONS: [Method; 4] = [Midpoint, Trapezoid, Galerkin4, Galerkin6];

/// Masses, a potential and a field that depend on time, with friction and a force that follows the position.
const DRIVEN: &str = "coord x, y\nkinetic: (1 + t^2/4)*x'^2/2 + (1 + x^2)*y'^2/2 + 0.3*sin(t)*x*y'\n\
                      potential: x^2/2*(1 + cos(2*t)/3) + y^4/4\nforce: x = -0.3*x' + 0.1*y, y = -0.2*x*y'\n\
                      initial x = 0.4, y = 0.7, x' = 0.2, y' = -0.5\n";
/// A spherical pendulum by a constraint.
const SPHERE: &str = "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: z\n\
                      constraint: x^2 + y^2 + z^2 = 1\ninitial x = 0.6, z = -0.8, y' = 1\n";
/// A double pendulum whose hinge moves, with friction: constraints that depend on time, not quadratic, with a mass
/// matrix that is not constant.
const SHAKEN: &str = "coord x, y, a, r\nkinetic: (x'^2 + y'^2)/2 + (1 + x^2/4)*a'^2/2 + r'^2\npotential: y + r^2/2 - cos(a)\n\
                      constraint rod: (x - 0.1*sin(3*t))^2 + y^2 = 1\nconstraint cam: r = sin(a)*x + t/10\n\
                      force: x = -0.1*x', a = -0.05*a'\n\
                      initial x = 0.6, y = -0.8, a = 0.5, r = 0.6*sin(0.5), x' = 0.3, y' = 0, a' = 0.2\n";

/// The initial state of a model, brought to its constraints.
fn start_of(text: &str) -> Vec<f64> {
    let model = Model::parse(text).unwrap();
    let state = model.initial_state().unwrap();
    let state = model.projected(&state).unwrap_or(state);
    let all = state.position.iter().chain(&state.velocity);
    all.map(|e| e.evaluate_f64(&[])).collect()
}

/// So many steps of a length from a state (t, x, u).
fn steps(c: &Compiled, action: Method, from: &[f64], h: f64, count: usize) -> Vec<f64> {
    let mut step = c.single_step(action).unwrap();
    (0..count).fold(from.to_vec(), |state, _| step.step(&state, h).unwrap())
}

fn with_time(t: f64, state: &[f64]) -> Vec<f64> {
    std::iter::once(t).chain(state.iter().copied()).collect()
}

/// Polynomials of degree s with s of Gauss' points are Gauss' collocation on Hamilton's equations, to rounding, for
/// every regular Lagrangian, forced or not. (Marsden and West, 2.6.6)
#[test]
fn galerkin_is_gauss_on_the_hamiltonian_side() {
    for text in [DOUBLE, KEPLER, FAST, DRIVEN] {
        let c = compiled(text);
        let start = with_time(0.3, &start_of(text));
        for (action, stages) in [
            (Midpoint, 1),
            (Galerkin2, 1),
            (Galerkin4, 2),
            (Galerkin6, 3),
        ] {
            let mut gauss = c.single_step(GAUSS[stages - 1]).unwrap();
            let one = gauss.step(&start, 0.2).unwrap();
            let other = steps(&c, action, &start, 0.2, 1);
            let off = distance(&one, &other);
            assert!(off <= 8.0 * f64::EPSILON, "{text}{action:?}: {off:e}");
            // The trapezoidal rule is another one.
            let third = steps(&c, Trapezoid, &start, 0.2, 1);
            assert!(distance(&one, &third) > 1e-7, "{text}");
        }
    }
}

/// The implicit midpoint rule in (x, p), iterated with Hamilton's right-hand side.
#[test]
fn the_midpoint_action_gives_the_implicit_midpoint_rule() {
    for text in [DOUBLE, KEPLER, DRIVEN] {
        let c = compiled(text);
        let (t, h) = (0.3, 0.05);
        let start = with_time(t, &start_of(text));
        let n = start.len() / 2;
        let mut step = c.single_step(Midpoint).unwrap();
        let end = step.step(&start, h).unwrap();
        let [p, q] = step.momenta();
        let first: Vec<f64> = start[1..=n].iter().chain(&p).copied().collect();
        let mut hamilton = c.hamilton(1).unwrap();
        let (mut rates, mut found) = (vec![0.0; 2 * n], first.clone());
        for _ in 0..100 {
            let middle = first.iter().zip(&found).map(|(a, b)| 0.5 * (a + b));
            let inputs: Vec<f64> = std::iter::once(t + 0.5 * h).chain(middle).collect();
            hamilton.compute(&inputs, &mut rates);
            let pairs = first.iter().zip(&rates);
            found = pairs.map(|(a, r)| a + h * r).collect();
        }
        let wanted: Vec<f64> = end[1..=n].iter().chain(&q).copied().collect();
        assert!(distance(&found, &wanted) <= 4.0 * f64::EPSILON, "{text}");
    }
}

/// Half a kick, a drift, half a kick, written down by hand; also where the potential depends on time.
#[test]
fn the_trapezoidal_action_gives_stoermer_and_verlet() {
    let text = "coord x, y\nkinetic: x'^2 + y'^2/2\npotential: x^4/4 + x*y^2*(1 + t^2) + cos(y)\n\
                initial x = 0.7, y = 0.4, x' = 0.1, y' = -0.3\n";
    let force = |t: f64, x: f64, y: f64| {
        let s = 1.0 + t * t;
        [-(x.powi(3) + y * y * s), y.sin() - 2.0 * x * y * s]
    };
    let c = compiled(text);
    let (h, masses) = (0.1, [2.0, 1.0]);
    let mut state = with_time(0.2, &start_of(text));
    let (mut x, mut p) = ([state[1], state[2]], [2.0 * state[3], state[4]]);
    for _ in 0..20 {
        let t = state[0];
        state = steps(&c, Trapezoid, &state, h, 1);
        let kick = force(t, x[0], x[1]);
        (0..2).for_each(|i| p[i] += 0.5 * h * kick[i]);
        (0..2).for_each(|i| x[i] += h * p[i] / masses[i]);
        let kick = force(t + h, x[0], x[1]);
        (0..2).for_each(|i| p[i] += 0.5 * h * kick[i]);
        let wanted = [x[0], x[1], p[0] / masses[0], p[1] / masses[1]];
        assert!(
            distance(&state[1..], &wanted) < 2e-14,
            "{state:?} {wanted:?}"
        );
    }
}

/// On the sphere the equations of RATTLE are quadratic, and solved by hand.
#[test]
fn the_trapezoidal_action_under_constraints_gives_rattle() {
    let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let along = |a: &[f64; 3], s: f64, b: &[f64; 3]| [0, 1, 2].map(|i| a[i] + s * b[i]);
    let c = compiled(SPHERE);
    let (h, gravity) = (0.1, [0.0, 0.0, -1.0]);
    let mut state = with_time(0.0, &start_of(SPHERE));
    let (mut x, mut v) = ([0.6, 0.0, -0.8], [0.0, 1.0, 0.0]);
    for _ in 0..50 {
        state = steps(&c, Trapezoid, &state, h, 1);
        // |x + h(w − λx)| = 1
        let w = along(&v, 0.5 * h, &gravity);
        let free = along(&x, h, &w);
        let (a, b, d) = (
            h * h * dot(&x, &x),
            -2.0 * h * dot(&x, &free),
            dot(&free, &free) - 1.0,
        );
        let lambda = 2.0 * d / (-b + (b * b - 4.0 * a * d).sqrt());
        let w = along(&w, -lambda, &x);
        x = along(&x, h, &w);
        let w = along(&w, 0.5 * h, &gravity);
        v = along(&w, -dot(&w, &x) / dot(&x, &x), &x);
        assert!(distance(&state[1..4], &x) < 1e-13, "{state:?} {x:?}");
        assert!(distance(&state[4..], &v) < 1e-13, "{state:?} {v:?}");
    }
}

/// How far a step is from keeping Σdpᵢ∧dxᵢ on states that depend on parameters, by differences of order eight.
fn symplectic_defect(
    c: &Compiled,
    action: Method,
    parameters: &[f64],
    state: impl Fn(&[f64]) -> Vec<f64>,
) -> f64 {
    let mut step = c.single_step(action).unwrap();
    // x and p at both ends.
    let mut ends = |parameters: &[f64]| -> [Vec<f64>; 2] {
        let start = state(parameters);
        let n = start.len() / 2;
        let end = step.step(&start, 0.3).unwrap();
        let [p, q] = step.momenta();
        [(&start, p), (&end, q)].map(|(s, p)| s[1..=n].iter().copied().chain(p).collect())
    };
    let h = 0.01;
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut difference = |k: usize| -> [Vec<f64>; 2] {
        let mut sums = ends(parameters).map(|v| vec![0.0; v.len()]);
        for (j, sign) in (0..8).map(|i| (i / 2, if i % 2 == 0 { 1.0 } else { -1.0 })) {
            let mut moved = parameters.to_vec();
            moved[k] += sign * h * (j + 1) as f64;
            for (sum, end) in sums.iter_mut().zip(ends(&moved)) {
                let pairs = sum.iter_mut().zip(end);
                pairs.for_each(|(s, v)| *s += sign * weights[j] * v / h);
            }
        }
        sums
    };
    let columns: Vec<[Vec<f64>; 2]> = (0..parameters.len()).map(&mut difference).collect();
    let form = |a: &[f64], b: &[f64]| -> f64 {
        let n = a.len() / 2;
        (0..n).map(|i| a[n + i] * b[i] - b[n + i] * a[i]).sum()
    };
    let pairs = (0..columns.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let defect = |(i, j): (usize, usize)| {
        let [before, after] = [0, 1].map(|e| form(&columns[i][e], &columns[j][e]));
        (after - before).abs()
    };
    largest(pairs.map(defect))
}

/// On the sphere by angles and their rates: states that satisfy the constraint and its rate.
fn on_sphere(q: &[f64]) -> Vec<f64> {
    let ((s, c), (sp, cp)) = (q[0].sin_cos(), q[1].sin_cos());
    let (a, b) = (q[2], q[3]);
    let velocity = [a * c * cp - b * s * sp, a * c * sp + b * s * cp, a * s];
    [&[0.0, s * cp, s * sp, -c][..], &velocity].concat()
}

/// Every step is symplectic in (x, p), with constraints on the states that satisfy them; with friction it is not.
#[test]
fn steps_are_symplectic() {
    for action in ACTIONS {
        for (text, start) in [
            (DOUBLE, [0.5, 1.0, 0.3, -0.2]),
            (FAST, [0.5, 0.2, 0.1, 0.4]),
        ] {
            let c = compiled(text);
            let own = symplectic_defect(&c, action, &start, |q| with_time(0.0, q));
            assert!(own < 1e-11, "{text}{action:?}: {own:e}");
        }
        let c = compiled(SPHERE);
        let own = symplectic_defect(&c, action, &[0.8, 0.3, 0.4, 1.1], on_sphere);
        assert!(own < 1e-11, "{action:?}: {own:e}");
        let c = compiled(DRIVEN);
        let start = start_of(DRIVEN);
        let other = symplectic_defect(&c, action, &start, |q| with_time(0.0, q));
        assert!(other > 1e-2, "{action:?}: {other:e}");
    }
}

/// Noether: what a symmetry of L, of F = 0 and of the constraints keeps, a discrete action keeps, to rounding; Taylor
/// series keep it to their tolerance.
#[test]
fn momentum_maps_are_kept_to_rounding() {
    let kepler = format!("{KEPLER}output l: x*y' - y*x'\nsimulate to 1000\n");
    let top = "coord a, b\nkinetic: a'^2/2 + sin(a)^2*b'^2/2\npotential: cos(a)\n\
               initial a = 2, a' = 0.2, b' = 1\noutput l: sin(a)^2*b'\nsimulate to 1000\n";
    let sphere = format!("{SPHERE}output l: x*y' - y*x'\nsimulate to 1000\n");
    for text in [&kepler, top, &sphere] {
        for method in ["midpoint", "trapezoid", "galerkin4", "galerkin6"] {
            let m = steps_of(method, text, 0.1);
            assert_eq!((m.run.status, m.run.steps), (Status::Finished, 10_000));
            let values = m.run.rows.iter().map(|r| *r.last().unwrap());
            let (least, most) = values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            assert!(
                most - least < 2e-13 * most.abs(),
                "{method}: {:e}\n{text}",
                most - least
            );
        }
    }
}

/// The slope of errors against halved steps, from x and u at an instant; also under constraints, where reactions at
/// Lobatto's nodes keep the order.
#[test]
fn orders_are_two_two_four_and_six() {
    for text in [DOUBLE, FAST, DRIVEN, SPHERE, SHAKEN] {
        let c = compiled(text);
        let start = start_of(text);
        let exact = taylor(&c, &start, 1.0);
        for (action, order) in [
            (Midpoint, 2.0),
            (Trapezoid, 2.0),
            (Galerkin4, 4.0),
            (Galerkin6, 6.0),
        ] {
            let first = if order == 6.0 { 8 } else { 32 };
            let errors = [first, 2 * first].map(|count| {
                let end = steps(
                    &c,
                    action,
                    &with_time(0.0, &start),
                    1.0 / count as f64,
                    count,
                );
                distance(&end[1..], &exact)
            });
            let slope = (errors[0] / errors[1]).log2();
            println!("{action:?}: slope {slope:.2}, {:.1e}", errors[1]);
            assert!(
                (slope - order).abs() < 0.35,
                "{action:?}: {slope} of {errors:?}\n{text}"
            );
        }
    }
}

/// A rod from rest: where it turns velocities vanish, and what positions miss divided by a short step is more than
/// rounding of theirs. Newton's method knows, and leaves nothing but rounding at the constraint.
#[test]
fn short_steps_on_a_rod_are_solved_to_rounding() {
    let rod = "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\n\
               constraint rod: x^2 + y^2 = 1\ninitial x = 1\n";
    for (step, to) in [
        (0.05_f64, 3.0),
        (0.01, 3.0),
        (0.003, 3.0),
        (0.001, 1.5),
        (3e-4, 1.3),
        (1e-4, 0.2),
        (3e-5, 0.05),
        (1e-6, 0.002),
    ] {
        let text = format!("{rod}simulate to {to}\n");
        let exact = by("taylor", &text, 1e-16).run.state;
        for (method, off) in [
            ("midpoint", 200.0 * step * step),
            ("trapezoid", 200.0 * step * step),
            ("galerkin4", 1e4 * step.powi(4)),
            ("galerkin6", 1e6 * step.powi(6)),
        ] {
            let run = steps_of(method, &text, step).run;
            assert_eq!(
                run.status,
                Status::Finished,
                "{method} {step}: {}",
                run.time
            );
            let residual = run.constraint_residual.unwrap();
            assert!(residual < 2e-15, "{method} {step}: {residual:e}");
            let error = distance(&run.state, &exact);
            assert!(error < off + 1e-12, "{method} {step}: {error:e}");
        }
    }
}

/// A tolerance finds its steps there, too, with friction and a sphere that breathes.
#[test]
fn a_tolerance_holds_under_constraints_that_depend_on_time() {
    let text = "coord x, y, z\nparticle p: mass 1.3 at (x, y, z)\ngravity: (0, 0, -9.81)\n\
                constraint c: x^2 + y^2 + z^2 = 1.21*(1 + 0.1*sin(t))\nforce: -0.05*(x', y', z') at (x, y, z)\n\
                initial x = 1.1, x' = 0.055, y' = 0.6, z' = 0.1\nsimulate to 1\n";
    let exact = by("taylor", text, 1e-16).run.state;
    for method in ["midpoint", "trapezoid", "galerkin4", "galerkin6"] {
        let run = by(method, text, 1e-7).run;
        assert_eq!(run.status, Status::Finished, "{method}: {}", run.time);
        assert!(run.constraint_residual.unwrap() < 4e-15, "{method}");
        assert!(distance(&run.state, &exact) < 1e-4, "{method}");
    }
}

fn taylor(c: &Compiled, start: &[f64], to: f64) -> Vec<f64> {
    let options = Options {
        to,
        record: Record::Steps,
        tolerance: 1e-16,
        max_steps: 10_000,
        ..Options::default()
    };
    c.integrate(start, &options, |_| true).state
}

/// Positions and velocities are on the constraints to rounding at every step, nothing is brought back to them, and the
/// run is that of Taylor series; the reaction of a hinge that moves works, and the balance of energy knows it.
#[test]
fn constraints_hold_at_every_step() {
    for (text, residuals) in [
        (
            SPHERE,
            "output g: x^2 + y^2 + z^2 - 1\noutput f: x*x' + y*y' + z*z'\n",
        ),
        (
            SHAKEN,
            "output g: (x - 0.1*sin(3*t))^2 + y^2 - 1\noutput k: r - sin(a)*x - t/10\n\
             output f: (x - 0.1*sin(3*t))*(x' - 0.3*cos(3*t)) + y*y'\n",
        ),
    ] {
        let text = &format!("{text}{residuals}simulate to 10\n");
        let model = Model::parse(text).unwrap();
        let settings = |method: &str, step: Option<f64>| {
            RunSettings::new()
                .method(method.parse::<Method>().unwrap())
                .project(true)
                .step(step)
                .tolerance(1e-10)
        };
        let run = |settings: &RunSettings| {
            model
                .simulate()
                .settings(settings.clone())
                .run()
                .unwrap()
                .run
        };
        let exact = run(&settings("taylor", None).tolerance(1e-15));
        let n = exact.state.len() / 2;
        for (method, step, off) in [
            ("midpoint", 0.01, 3e-3),
            ("trapezoid", 0.01, 3e-3),
            ("galerkin4", 0.02, 1e-6),
            ("galerkin6", 0.05, 1e-7),
        ] {
            let run = run(&settings(method, Some(step)));
            assert_eq!(run.status, Status::Finished);
            let all = run.rows.iter().flat_map(|r| &r[2 * n + 1..]);
            let worst = largest(all.copied());
            println!("{method}: {worst:.1e}, {:.1e}", run.energy_balance);
            assert!(worst < 1e-14, "{method}: {worst:e}");
            assert!(run.projections <= 1 && run.constraint_residual.unwrap() < 2e-14);
            let error = distance(&run.state, &exact.state);
            assert!(error < off, "{method}: {error:e}");
            assert!(
                run.energy_balance < off,
                "{method}: {:e}",
                run.energy_balance
            );
        }
        // Steps by the tolerance.
        let run = run(&settings("galerkin6", None));
        assert!(distance(&run.state, &exact.state) < 1e-7);
        assert!(run.energy_balance < 1e-8);
    }
}

/// Where positions are large, so is the rounding of constraints: not even then is anything projected.
#[test]
fn nothing_is_projected() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint: x^2 + y^2 = 1e6\n\
                initial x = 1000, y' = 1000\nsimulate to 10\n";
    for method in ["midpoint", "trapezoid", "galerkin4", "galerkin6"] {
        let run = steps_of(method, text, 0.1).run;
        assert_eq!((run.status, run.projections), (Status::Finished, 0));
        assert!(run.constraint_residual.unwrap() < 1e-15 * 1e6);
    }
    assert!(steps_of("gauss4", text, 0.1).run.projections > 0);
}

/// Forced motions and such that depend on time are those of Taylor series, with their momenta, rows in between and the
/// balance of energy.
#[test]
fn forced_motions_are_those_of_taylor_series() {
    let text = &format!("{DRIVEN}simulate to 5 every 0.37\n");
    let exact = by("taylor", text, 1e-15);
    for (method, tolerance) in [
        ("midpoint", 1e-6),
        ("trapezoid", 1e-6),
        ("galerkin4", 1e-9),
        ("galerkin6", 1e-12),
    ] {
        let m = by(method, text, tolerance);
        assert_eq!(m.run.status, Status::Finished);
        assert!(
            m.run.energy_balance < 1e3 * tolerance,
            "{:e}",
            m.run.energy_balance
        );
        assert_eq!(m.run.rows.len(), exact.run.rows.len());
        for (a, b) in m.run.rows.iter().zip(&exact.run.rows) {
            assert!(
                distance(a, b) < 1e3 * tolerance,
                "{method}: {a:?}, not {b:?}"
            );
        }
        let [t, x, _, u, v] = with_time(5.0, &m.run.state)[..] else {
            panic!()
        };
        let p = [
            (1.0 + t * t / 4.0) * u,
            (1.0 + x * x) * v + 0.3 * t.sin() * x,
        ];
        assert!(distance(&m.run.momenta, &p) < 1e-14);
    }
    assert!(exact.run.momenta.is_empty());
}

/// Effort, as evaluations at each point: where the equations are linear, one Newton step with exact derivatives and few
/// that see rounding; elsewhere more, and more yet without the derivatives of reactions along the step.
#[test]
fn newton_steps_are_few() {
    let linear = "coord x, y\nkinetic: x'^2 + y'^2/2 + 0.3*x'*y' + 2*x*y'\npotential: 5*x^2 + 3*y^2 + x*y\n\
                  force: x = -x' + y', y = -2*y' - x\ninitial x = 1, y' = 1\n";
    for (text, most) in [(linear, 6.0), (DOUBLE, 8.5), (SPHERE, 9.5), (SHAKEN, 9.8)] {
        let text = &format!("{text}simulate to 10\n");
        for (method, points) in [
            ("midpoint", 1.0),
            ("trapezoid", 2.0),
            ("galerkin4", 2.0),
            ("galerkin6", 3.0),
        ] {
            let run = steps_of(method, text, 0.25).run;
            let each = run.evaluations as f64 / run.steps as f64 / points;
            println!("{method}: {each:.2}");
            assert!(each <= most, "{method}: {each}\n{text}");
        }
    }
}

/// Methods with steps so large that their error is seen.
const LARGE_STEPS: [(&str, f64); 4] = [
    ("midpoint", 0.02),
    ("trapezoid", 0.02),
    ("galerkin4", 0.05),
    ("galerkin6", 0.1),
];

#[test]
fn energy_does_not_drift() {
    no_drift(&LARGE_STEPS, 10_000);
}

#[test]
#[ignore = "takes some seconds in a build for release, longer in others"]
fn energy_does_not_drift_over_a_million_steps() {
    no_drift(&LARGE_STEPS, 1_000_000);
}

/// An event that ends a run between two steps has momenta, too; runs go back; steps that are too long are refused.
#[test]
fn runs_end_as_others_do() {
    let base = "coord x\nkinetic: x'^2\npotential: x^2\ninitial x = 1\n";
    let m = by(
        "galerkin6",
        &format!("{base}simulate to 20\nevent crossing: x rising terminal\n"),
        1e-11,
    );
    assert_eq!(m.run.status, Status::Event(0));
    near(m.run.time, 1.5 * std::f64::consts::PI, 1e-9);
    near(m.run.momenta[0], 2.0 * m.run.state[1], 1e-15);
    let text = format!("{DOUBLE}simulate to 1\n");
    for method in ["midpoint", "trapezoid", "galerkin4", "galerkin6"] {
        let there = steps_of(method, &text, 0.1).run.state;
        let back = format!(
            "{}initial a = {:?}, b = {:?}, a' = {:?}, b' = {:?}\nsimulate from 1 to 0\n",
            DOUBLE.split("initial").next().unwrap(),
            there[0],
            there[1],
            there[2],
            there[3]
        );
        let back = steps_of(method, &back, 0.1).run.state;
        assert!(distance(&back, &[0.5, 1.0, 0.0, 0.0]) < 1e-14, "{back:?}");
    }
    let text = &format!("{KEPLER}simulate to 30\n").replace("1.2", "0.2");
    let m = steps_of("galerkin4", text, 5.0);
    assert_eq!(m.run.status, Status::Failed(Error::StepTooLong));
}

/// A nonholonomic motion is not the stationary path of a constrained action: such a run is refused with the reason, also
/// below the settings of models.
#[test]
fn nonholonomic_motions_are_refused() {
    let text = "coord x, y, p\nkinetic: (x'^2 + y'^2 + p'^2)/2\nconstraint edge: x'*sin(p) = y'*cos(p)\n\
                initial x' = 1, p' = 1\nsimulate to 3\n";
    let model = Model::parse(text).unwrap();
    let c = compiled(text);
    assert!(c.single_step(Midpoint).is_none());
    for method in Method::ALL.into_iter().filter(|m| m.is_variational()) {
        let errors = model.simulate().method(method).run().unwrap_err();
        assert_eq!(errors.diagnostics()[0].code, Code::NotVariational);
        assert!(
            errors.diagnostics()[0]
                .message
                .contains("`edge` restricts velocities")
        );
        assert!(
            errors.diagnostics()[0].hint.contains("`taylor`"),
            "{}",
            errors.diagnostics()[0].hint
        );
        let options = Options {
            from: 0.0,
            to: 1.0,
            record: Record::Steps,
            tolerance: 1e-9,
            max_steps: 10,
            step: Some(0.1),
            ..Options::default()
        };
        let run = c.integrate_by(method, &start_of(text), &options, |_| true);
        assert_eq!(run.status, Status::Failed(Error::Nonholonomic));
    }
}
