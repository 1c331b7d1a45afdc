//! Modes against published values, closed forms and second formulations. (T-201)

mod common;

use galilei_analyse::{Modes, modes};
use galilei_model::Code;

use common::model;

fn modes_of(text: &str, set: &[&str], at: &str) -> Modes {
    let model = model(text, set);
    let state = model.state_at(at).unwrap();
    modes(&model, &state).unwrap()
}

fn file(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    std::fs::read_to_string(format!("{folder}/{name}.gal")).expect("the model")
}

/// The distance of two sets of eigenvalues.
fn distance(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut rest = b.to_vec();
    let mut worst = 0.0_f64;
    for s in a {
        let far = |r: &[f64; 2]| (s[0] - r[0]).hypot(s[1] - r[1]);
        let k = (0..rest.len())
            .min_by(|&i, &j| far(&rest[i]).total_cmp(&far(&rest[j])))
            .unwrap();
        worst = worst.max(far(&rest[k]));
        rest.remove(k);
    }
    worst
}

const PENDULUM: &str = "param m = 2, l = 0.7, g = 9.81, c = 0.3\n";

#[test]
fn t_201_constrained_and_free_forms_of_a_double_pendulum() {
    let angles = format!(
        "{PENDULUM}coord a, b\nlet p = (l*sin(a), -l*cos(a))\nlet q = p + (l*sin(b), -l*cos(b))\n\
         particle p: mass m at p\nparticle q: mass m at q\ngravity: (0, -g)\nforce: (-c*D(q).x, -c*D(q).y) at q\n"
    );
    let rods = format!(
        "{PENDULUM}coord x, y, z, w\nparticle p: mass m at (x, y)\nparticle q: mass m at (z, w)\n\
         gravity: (0, -g)\nforce: (-c*z', -c*w') at (z, w)\n\
         constraint first: x^2 + y^2 = l^2\nconstraint second: (z - x)^2 + (w - y)^2 = l^2\ninitial y = -l, w = -2*l\n"
    );
    let free = modes_of(&angles, &["c=0"], "");
    let first = 9.81 / 0.7 * (2.0 - 2f64.sqrt());
    let second = 9.81 / 0.7 * (2.0 + 2f64.sqrt());
    let exact = [first.sqrt(), -first.sqrt(), second.sqrt(), -second.sqrt()].map(|w| [0.0, w]);
    assert!(distance(&free.eigen.values, &exact) < 1e-13);
    let free = modes_of(&angles, &[], "");
    let bound = modes_of(&rods, &[], "");
    assert_eq!(bound.independent, ["x", "z", "x'", "z'"]);
    assert!(distance(&free.eigen.values, &bound.eigen.values) < 1e-10);
    assert!(free.steady && bound.steady && bound.warnings.is_empty());
    // Off the lowest point other coordinates are left, and the state is no equilibrium.
    let swung = modes_of(&rods, &[], "x=0.7,y=0,z=1.4,w=0");
    assert_eq!(swung.independent, ["y", "w", "y'", "w'"]);
    assert!(!swung.steady && swung.warnings[0].code == Code::NotSteady);
}

/// det(M s² + v C s + g K₀ + v² K₂) of the benchmark bicycle, relative to its terms. Matrices of J. P. Meijaard and others, Proc. R.
/// Soc. A 463 (2007), table 2.
fn bicycle(v: f64, s: [f64; 2]) -> f64 {
    let mass = [
        [80.81722, 2.31941332208709],
        [2.31941332208709, 0.29784188199686],
    ];
    let gravity = [
        [-80.95, -2.59951685249872],
        [-2.59951685249872, -0.80329488458618],
    ];
    let speed = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]];
    let damping = [
        [0.0, 33.86641391492494],
        [-0.85035641456978, 1.68540397397560],
    ];
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    let square = times(s, s);
    let entry = |i: usize, j: usize| {
        let k = 9.81 * gravity[i][j] + v * v * speed[i][j];
        let (m, c) = (mass[i][j], v * damping[i][j]);
        [m * square[0] + c * s[0] + k, m * square[1] + c * s[1]]
    };
    let (p, q) = (
        times(entry(0, 0), entry(1, 1)),
        times(entry(0, 1), entry(1, 0)),
    );
    (p[0] - q[0]).hypot(p[1] - q[1]) / (p[0].hypot(p[1]) + q[0].hypot(q[1])).max(1.0)
}

fn upright(v: f64) -> Vec<[f64; 2]> {
    let found = modes_of(
        &file("whipple-bicycle"),
        &["push=0", &format!("v={v:?}")],
        "",
    );
    assert!(found.steady || v == 0.0, "{:?}", found.warnings);
    assert_eq!(found.independent.len(), 10);
    let moving = found
        .eigen
        .values
        .into_iter()
        .filter(|s| s[0].hypot(s[1]) > 1e-11);
    moving.collect()
}

#[test]
fn t_201_the_benchmark_bicycle_at_all_speeds() {
    for v in [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0] {
        let found = upright(v);
        assert_eq!(found.len(), 4, "{v} {found:?}");
        for s in found {
            assert!(bicycle(v, s) < 1e-11, "{v} {s:?} {}", bicycle(v, s));
        }
    }
}

#[test]
fn t_201_weave_and_capsize_speeds() {
    let root = |f: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64| {
        let sign = f(low) < 0.0;
        for _ in 0..36 {
            let middle = 0.5 * (low + high);
            match (f(middle) < 0.0) == sign {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    };
    let oscillating = |v: f64| upright(v).into_iter().find(|s| s[1] > 0.0).unwrap()[0];
    let weave = root(&oscillating, 4.0, 5.0);
    assert!((weave - 4.292_382_536_341_11).abs() < 1e-9, "{weave}");
    // The capsize mode passes through the zeros of the coordinates that do not matter: it is interpolated.
    let nodes: Vec<f64> = (0..10).map(|k| 5.54 + 0.1 * f64::from(k)).collect();
    let slowest = |v: f64| {
        upright(v)
            .into_iter()
            .filter(|s| s[1] == 0.0)
            .fold(-9.0_f64, |m, s| m.max(s[0]))
    };
    let values: Vec<f64> = nodes.iter().map(|v| slowest(*v)).collect();
    let polynomial = |v: f64| {
        let term = |k: usize| {
            let others = (0..nodes.len()).filter(|&j| j != k);
            values[k]
                * others
                    .map(|j| (v - nodes[j]) / (nodes[k] - nodes[j]))
                    .product::<f64>()
        };
        (0..nodes.len()).map(term).sum()
    };
    let capsize = root(&polynomial, 5.6, 6.4);
    assert!((capsize - 6.024_262_015_388_37).abs() < 1e-8, "{capsize}");
}

/// Two masses on springs with an input of forces: outputs, damping ratios, vectors.
#[test]
fn outputs_and_vectors() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + (y - x)^2/2 + y^2/2\n\
                output sum: x + 2*y\noutput rate: x'*y' + y'\n";
    let found = modes_of(text, &[], "");
    assert_eq!(
        found.c,
        Some(vec![vec![1.0, 2.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 1.0]])
    );
    assert_eq!((found.b, found.d), (None, None));
    assert!((found.eigen.values[0][1] - 1.0).abs() < 1e-14);
    let v = &found.eigen.vectors[0];
    assert!((v[0][0] - v[1][0]).abs() < 1e-14 && (v[0][1] - v[1][1]).abs() < 1e-14);
    assert!((found.frequencies_hz[0] - 1.0 / std::f64::consts::TAU).abs() < 1e-14);
}

/// A multiplier and the norm of a reaction in outputs: the tension of a pendulum's rod, against its closed form.
#[test]
fn outputs_of_reactions() {
    let text = "param g = 9\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\n\
                constraint rod: (x^2 + y^2)/2 = 1/2\ninitial x = 0.6, y = -0.8\n\
                output multiplier: multiplier(rod)\noutput tension: reaction(rod)\n";
    let found = modes_of(text, &[], "x'=0.8,y'=0.6");
    // Tension g·cos θ + v², with sin θ = x and v = x'/cos θ; λ = −tension.
    let c = found.c.unwrap();
    let slope = |x: f64, rate: f64| {
        let (cos, v) = ((1.0 - x * x).sqrt(), rate / (1.0 - x * x).sqrt());
        let of_x = -9.0 * x / cos + 2.0 * v * v * x / (cos * cos);
        [of_x, 2.0 * v / cos]
    };
    assert_eq!(found.independent, ["x", "x'"]);
    let expected = slope(0.6, 0.8);
    for k in 0..2 {
        assert!((c[1][k] - expected[k]).abs() < 1e-12, "{c:?} {expected:?}");
        assert!((c[0][k] + expected[k]).abs() < 1e-12, "{c:?}");
    }
}

/// A heavy particle on the circle of a bowl, in Cartesian coordinates with the rotation declared: in axes that turn with it the
/// frequencies are those of the spherical pendulum.
#[test]
fn t_202_axes_that_move_along_a_symmetry() {
    let text = "param g = 9.81\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*(x^2 + y^2)^2/4\n\
                symmetry turn: x = -y, y = x\ninitial x = 1, y' = sqrt(g)\n";
    let found = modes_of(text, &[], "");
    assert!(found.steady);
    assert_eq!(found.warnings[0].code, Code::MovingAxes);
    // A central force r³ on a circle: δr oscillates with (3 + 3)^{1/2} of the rate.
    let w = (6.0 * 9.81_f64).sqrt();
    assert!(
        found
            .eigen
            .values
            .iter()
            .any(|s| s[0].abs() < 1e-7 && (s[1] - w).abs() < 1e-10),
        "{:?}",
        found.eigen.values
    );
}

#[test]
fn states_without_derivatives_are_refused() {
    let text = "coord x\nkinetic: x'^2/2\nforce: x = -sign(x')\n";
    let model = model(text, &[]);
    let state = model.state_at("").unwrap();
    assert_eq!(
        modes(&model, &state).unwrap_err()[0].code,
        Code::NotDifferentiable
    );
    // x·|x| has a derivative.
    let smooth = modes_of(
        "coord x\nkinetic: x'^2/2\nforce: x = -x*abs(x) - x\n",
        &[],
        "",
    );
    assert_eq!(smooth.a, [[0.0, 1.0], [-1.0, 0.0]]);
}

#[test]
fn time_is_said_to_matter() {
    let found = modes_of(&file("kapitza-pendulum"), &[], "theta=0, theta'=0");
    assert_eq!(found.warnings[0].code, Code::DependsOnTime);
    assert!(!found.steady);
    // A hoop that turns uniformly does not make the motion depend on time.
    let hoop = "param w = 3\ncoord q\nparticle p: mass 1 at (sin(q)*cos(w*t), sin(q)*sin(w*t), -cos(q))\ngravity: (0, 0, -9.81)\n";
    assert!(modes_of(hoop, &[], "").steady);
}
