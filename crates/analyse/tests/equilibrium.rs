//! Equilibria, steady motions and their stability against closed forms. (T-202)

use galilei_analyse::{Certainty, Equilibria, EquilibriumSearch, equilibria};
use galilei_model::{Model, Settings, read};

fn model(text: &str, set: &[&str]) -> Model {
    let settings = Settings {
        set: set.iter().map(|s| (*s).to_owned()).collect(),
        ..Settings::default()
    };
    let outcome = read(text, &settings);
    outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

fn found(text: &str, set: &[&str], at: &str) -> Equilibria {
    let mut search = EquilibriumSearch::default();
    search.at = at.to_owned();
    equilibria(&model(text, set), &search).unwrap()
}

/// Position, stable, and (index, nullity).
type Judged = (f64, Option<bool>, Option<(usize, usize)>);

/// The verdicts sorted by position.
fn verdicts(list: &Equilibria) -> Vec<Judged> {
    let one = |e: &galilei_analyse::Equilibrium| {
        let hessian = e.energy_hessian.map(|h| (h.index, h.nullity));
        (e.position[0], e.stable, hessian)
    };
    let mut all: Vec<_> = list.list.iter().map(one).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

const HOOP: &str = "param g = 9.81, r = 0.5, m = 2, w = 6\ncoord q\n\
                    particle p: mass m at (r*sin(q)*cos(w*t), r*sin(q)*sin(w*t), -r*cos(q))\ngravity: (0, 0, -g)\n";

#[test]
fn t_202_the_bead_on_a_hoop_has_a_pitchfork() {
    let fast = found(HOOP, &[], "");
    let side = (9.81_f64 / (0.5 * 36.0)).acos();
    let list = verdicts(&fast);
    assert_eq!(list.len(), 4, "{list:?}");
    assert!(
        (list[0].0 + side).abs() < 1e-13 && (list[2].0 - side).abs() < 1e-13,
        "{list:?} {side}"
    );
    let stable: Vec<_> = list.iter().map(|v| v.1).collect();
    assert_eq!(stable, [Some(true), Some(false), Some(true), Some(false)]);
    let index: Vec<_> = list.iter().map(|v| v.2).collect();
    assert_eq!(
        index,
        [Some((0, 0)), Some((1, 0)), Some((0, 0)), Some((1, 0))]
    );
    for e in &fast.list {
        assert_eq!(e.verdict, Certainty::Proved, "{e:?}");
    }
    let formulas: Vec<&str> = fast
        .list
        .iter()
        .map(|e| e.formulas.as_ref().unwrap()[0].1.as_str())
        .collect();
    assert!(
        formulas.iter().any(|f| f.contains("acos(g/(r*w^2))")),
        "{formulas:?}"
    );
    let slow = verdicts(&found(HOOP, &["w=4"], ""));
    assert_eq!(slow.len(), 2);
    assert_eq!((slow[0].1, slow[1].1), (Some(true), Some(false)));
    // At the pitchfork the second variation is degenerate.
    let critical = verdicts(&found(HOOP, &["w=3", "g=4.5"], ""));
    assert_eq!(critical.len(), 2, "{critical:?}");
    assert_eq!((critical[0].1, critical[0].2), (Some(true), Some((0, 1))));
    let cubic = verdicts(&found(
        "coord x\nkinetic: x'^2/2\npotential: x^3\n",
        &[],
        "",
    ));
    assert_eq!((cubic[0].1, cubic[0].2), (Some(false), Some((0, 1))));
}

const LAGRANGE: &str = "param mu = 0.01\ncoord x, y\nlet a = sqrt((x + mu)^2 + y^2)\nlet b = sqrt((x - 1 + mu)^2 + y^2)\n\
                        lagrangian: (x' - y)^2/2 + (y' + x)^2/2 + (1 - mu)/a + mu/b\ninitial x = 0.5, y = 0.8\n";

#[test]
fn t_202_triangular_points_and_the_ratio_of_routh() {
    for (mu, stable) in [("mu=0.0385", None), ("mu=0.0386", Some(false))] {
        let list = found(LAGRANGE, &[mu], "").list;
        let mass: f64 = mu[3..].parse().unwrap();
        let first = &list[0];
        assert!(
            (first.position[0] - 0.5 + mass).abs() < 1e-13
                && (first.position[1] - 0.75_f64.sqrt()).abs() < 1e-13
        );
        assert_eq!(first.stable, stable, "{mu} {}", first.reason);
        assert_eq!(
            first.energy_hessian.map(|h| (h.index, h.nullity)),
            Some((2, 0))
        );
        assert_ne!(first.verdict, Certainty::Sampled);
        let collinear = list.iter().filter(|e| e.position[1].abs() < 1e-9);
        assert_eq!(collinear.clone().count(), 3);
        assert!(collinear.clone().all(|e| e.stable == Some(false)));
    }
}

#[test]
fn t_202_steady_motions_keep_the_velocities_of_ignorable_coordinates() {
    let kepler = "param k = 3, m = 2\ncoord r, phi\nkinetic: m*(r'^2 + r^2*phi'^2)/2\npotential: -k*m/r\ninitial r = 1\n";
    let orbit = &found(kepler, &[], "phi'=1.5").list[0];
    assert!((orbit.position[0] - (3.0_f64 / 2.25).cbrt()).abs() < 1e-13);
    assert_eq!(orbit.velocity, [0.0, 1.5]);
    assert_eq!(orbit.stable, Some(true));
    assert!(orbit.eigenvalues.iter().any(|s| (s[1] - 1.5).abs() < 1e-9));
    // A force −k/r⁴: circles are unstable.
    let steep = "coord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\npotential: -1/(3*r^3)\ninitial r = 1, phi' = 1\n";
    let orbit = &found(steep, &[], "").list[0];
    assert_eq!((orbit.position[0], orbit.stable), (1.0, Some(false)));
    assert_eq!(orbit.energy_hessian.map(|h| h.index), Some(1));
    // In Cartesian coordinates the rotation is declared.
    let flat = "param k = 3\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: -k/sqrt(x^2 + y^2)\n\
                symmetry turn: x = -y, y = x\ninitial x = 1, y' = 1.5\n";
    let orbit = &found(flat, &[], "").list[0];
    let radius = orbit.position[0].hypot(orbit.position[1]);
    assert!(
        (radius - (3.0_f64 / 2.25).cbrt()).abs() < 1e-12,
        "{orbit:?}"
    );
    assert_eq!(
        (orbit.stable, orbit.verdict),
        (Some(true), Certainty::Certified)
    );
}

#[test]
fn t_202_multipliers_under_constraints() {
    let rods = "param m = 2, l = 0.7, g = 9.81\ncoord x, y, z, w\nparticle p: mass m at (x, y)\nparticle q: mass m at (z, w)\n\
                gravity: (0, -g)\nconstraint first: x^2 + y^2 = l^2\nconstraint second: (z - x)^2 + (w - y)^2 = l^2\n";
    let list = found(rods, &[], "x=0.2, y=-0.3, z=0.1, w=-2").list;
    assert_eq!(list.len(), 4);
    let first = &list[0];
    assert_eq!(first.stable, Some(true));
    // 2 l λ is the tension, downwards.
    assert!((first.multipliers[0].unwrap() + 2.0 * 2.0 * 9.81 / 1.4).abs() < 1e-12);
    assert!((first.multipliers[1].unwrap() + 2.0 * 9.81 / 1.4).abs() < 1e-12);
    let mut indices: Vec<_> = list
        .iter()
        .map(|e| e.energy_hessian.unwrap().index)
        .collect();
    indices.sort_unstable();
    assert_eq!(indices, [0, 1, 1, 2]);
    assert!(
        list.iter()
            .all(|e| e.residual < 1e-12 && e.verdict == Certainty::Proved)
    );
}

#[test]
fn dissipation_and_circulation() {
    // Gyroscopic stabilisation of a hill, destroyed by damping (Kelvin, Tait, Chetaev).
    let hill = "param b = 3, c = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: -(x^2 + y^2)/2\n\
                force: x = b*y' - c*x', y = -b*x' - c*y'\n";
    let free = &found(hill, &[], "").list[0];
    assert_eq!((free.stable, free.energy_hessian.unwrap().index), (None, 2));
    assert!(free.eigenvalues.iter().all(|s| s[0].abs() < 1e-12));
    let damped = &found(hill, &["c=0.1"], "").list[0];
    assert_eq!(damped.stable, Some(false));
    assert!(damped.reason.contains("Kelvin"));
    // A follower force has no energy; eigenvalues decide if they can.
    let circle = "param k = 0.1, c = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + 2*y^2)/2\n\
                  force: x = k*y - c*x', y = -k*x - c*y'\n";
    let open = &found(circle, &[], "").list[0];
    assert_eq!((open.stable, open.energy_hessian), (None, None));
    assert_eq!(found(circle, &["c=0.5"], "").list[0].stable, Some(true));
    assert_eq!(found(circle, &["k=2"], "").list[0].stable, Some(false));
    // A damped minimum, with damping in one coordinate only.
    let minimum =
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2\nforce: x = -x'\n";
    let e = &found(minimum, &[], "").list[0];
    assert_eq!(
        (e.stable, e.reason.contains("Dirichlet")),
        (Some(true), true)
    );
}

#[test]
fn free_parameters_hold_the_given_positions() {
    let text = "param g = 9.81, m = 2, l = 0.5, T = 1\ncoord q\nparticle p: mass m at (l*sin(q), -l*cos(q))\n\
                gravity: (0, -g)\nforce: q = T\n";
    let mut search = EquilibriumSearch::default();
    search.at = "q=0.5".into();
    search.free = vec!["T".into()];
    let list = equilibria(&model(text, &[]), &search).unwrap().list;
    assert_eq!(list[0].position, [0.5]);
    assert!((list[0].parameters[0].1 - 2.0 * 9.81 * 0.5 * 0.5_f64.sin()).abs() < 1e-12);
    assert_eq!(list[0].verdict, Certainty::Certified);
    search.free = vec!["nothing".into()];
    assert!(equilibria(&model(text, &[]), &search).is_err());
}

#[test]
fn a_system_without_equilibria_has_none() {
    let fall = found("coord x\nkinetic: x'^2/2\npotential: x\n", &[], "");
    assert!(fall.list.is_empty());
    assert_eq!(fall.warnings[0].code.as_str(), "no_equilibrium_found");
}

#[test]
fn positions_of_rest_that_hold_at_all_times() {
    let kapitza = "param a = 0.02, w = 250, g = 9.81, l = 0.5\ncoord q\n\
                   particle p: mass 1 at (l*sin(q), a*cos(w*t) - l*cos(q))\ngravity: (0, -g)\n";
    let list = found(kapitza, &[], "q=3");
    assert_eq!(list.list.len(), 2);
    assert!((list.list[0].position[0] - std::f64::consts::PI).abs() < 1e-12);
    assert!(list.list.iter().all(|e| e.stable.is_none()));
}

#[test]
fn t_202_formulas_under_constraints_and_of_triangular_points() {
    let first = |text: &str, at: &str| {
        let list = found(text, &[], at).list;
        let e = list[0].clone();
        assert_eq!(e.verdict, Certainty::Proved, "{e:?}");
        e.formulas.unwrap()
    };
    let l4 = first(LAGRANGE, "");
    assert_eq!(l4[0], ("x".to_owned(), "1/2 - mu".to_owned()));
    assert_eq!(l4[1], ("y".to_owned(), "sqrt(3)/2".to_owned()));
    let rods = "param m = 1, l = 2, k = 3, g = 9.81\ncoord x, y, v, w\nparticle a: mass m at (x, y)\n\
                particle b: mass m at (v, w)\ngravity: (0, -g)\nconstraint p: x^2 + y^2 = l^2\n\
                constraint q: (v - x)^2 + (w - y)^2 = k^2\n";
    let hanging = first(rods, "x=0.1, y=-2, v=0.1, w=-5");
    assert_eq!(hanging[1].1, "-l");
    assert_eq!(hanging[3].1, "-k - l");
    let spring = "param m = 2, k = 7, g = 9.81\ncoord x\nparticle a: mass m at (0, x)\ngravity: (0, -g)\npotential: k*x^2/2\n";
    assert_eq!(first(spring, "")[0].1, "-g*m/k");
}

#[test]
fn zeros_at_singular_points_of_coordinates() {
    // A top in Cardan angles: lying on its side it is no equilibrium, although the equations say so there.
    let top = "param w = 6\ncoord a, b, c\nbody top: mass 1 inertia (1, 1, 0.5) at (sin(b), -sin(a)*cos(b), cos(a)*cos(b)) rotation xyz(a, b, c)\n\
               gravity: (0, 0, -1)\n";
    let list = found(top, &[], "c'=6");
    for e in &list.list {
        let horizontal = e.position[0].cos() * e.position[1].cos();
        assert!((horizontal.abs() - 1.0).abs() < 1e-9, "{e:?}");
    }
    assert!(
        list.warnings
            .iter()
            .any(|w| w.code == galilei_model::Code::SingularCoordinates)
    );
    // The sleeping top: unstable below (Cω)² = 4Amgl, where A = 2, C = 1/2.
    let limit = (4.0_f64 * 2.0).sqrt() / 0.5;
    for (speed, stable) in [(limit - 0.05, Some(false)), (limit + 0.05, None)] {
        let first = &found(top, &[], &format!("c'={speed:?}")).list[0];
        assert_eq!((first.position[0], first.stable), (0.0, stable), "{speed}");
    }
}

/// Long fractions as rates of angles do not make a system depend on time.
#[test]
fn rates_with_many_digits() {
    let hoop = "param w = 4.429446918\ncoord q\nparticle bead: mass 1 at (0.5*sin(q)*cos(w*t), 0.5*sin(q)*sin(w*t), -0.5*cos(q))\n\
                gravity: (0, 0, -9.81)\n";
    let list = found(hoop, &[], "");
    assert!(list.warnings.is_empty(), "{:?}", list.warnings);
    assert_eq!(list.list[0].stable, Some(true));
}

/// A stone that prefers one sense of spin: mirrored spins exchange growth and decay, with a symmetry of the plane that was
/// not declared.
#[test]
fn t_202_a_rattleback_prefers_one_sense() {
    let stone = "param a = 0.2, b = 0.03, c = 0.02\ncoord x, y, z, yaw, pitch, roll\n\
                 body stone: mass 1 inertia (0.0002, 0.0016, 0.0017, 0.0002, 0, 0) at (x, y, z) rotation zxy(yaw, roll, pitch)\n\
                 gravity: (0, 0, -9.81)\nlet n = (-cos(roll)*sin(pitch), sin(roll), cos(roll)*cos(pitch))\n\
                 let s = sqrt((a*n.x)^2 + (b*n.y)^2 + (c*n.z)^2)\nlet r = (-a^2*n.x/s, -b^2*n.y/s, -c^2*n.z/s)\n\
                 constraint ground: z = s\nconstraint across: velocity(stone, r).x = 0\nconstraint along: velocity(stone, r).y = 0\n\
                 initial z = c\n";
    let largest = |spin: &str| {
        let list = found(stone, &[], spin);
        let e = &list.list[0];
        assert!(e.velocity[3] != 0.0, "{e:?}");
        e.eigenvalues
            .iter()
            .map(|s| s[0])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let smallest = |spin: &str| {
        let list = found(stone, &[], spin);
        list.list[0]
            .eigenvalues
            .iter()
            .map(|s| s[0])
            .fold(f64::INFINITY, f64::min)
    };
    let (left, right) = (largest("yaw'=5"), largest("yaw'=-5"));
    assert!((left - right).abs() > 1.0, "{left} {right}");
    assert!((left + smallest("yaw'=-5")).abs() < 1e-6);
}

/// A spherical pendulum with a mass that turns with it hangs at rest; a push about the vertical makes it drift for ever.
/// The minimum of the energy is one modulo that rotation, and the answer says so. (T-202)
#[test]
fn t_202_a_minimum_modulo_an_ignorable_joint_is_called_one() {
    let text = "param m = 1, l = 1, g = 9.81\ncoord a, b\n\
        particle p: mass m at (l*sin(b)*cos(a), l*sin(b)*sin(a), -l*cos(b))\n\
        particle q: mass m at (l*cos(a), l*sin(a), 0)\ngravity: (0, 0, -g)\n";
    let list = found(text, &[], "b = 0.1");
    let hanging = &list.list[0];
    assert!(hanging.position[1].abs() < 1e-9);
    assert_eq!(hanging.stable, Some(true));
    assert!(hanging.reason.contains("modulo a:"), "{}", hanging.reason);
    let zeros = hanging.eigenvalues.iter();
    let zeros = zeros.filter(|v| v[0].hypot(v[1]) < 1e-9);
    assert_eq!(zeros.count(), 2, "the drift is among the eigenvalues");
    // Without an ignorable coordinate nothing is added.
    let plain = found(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\n",
        &[],
        "x = 0.1",
    );
    assert!(
        !plain.list[0].reason.contains("modulo"),
        "{}",
        plain.list[0].reason
    );
}
