//! Equilibria, steady motions and their stability against closed forms. (T-202)

mod common;

use galilei_analyse::{Certainty, Equilibria, EquilibriumSearch, equilibria};

use common::model;

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
    for (mu, stable) in [("mu=0.0385", Some(true)), ("mu=0.0386", Some(false))] {
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
    // The equations are linear: their eigenvalues decide.
    assert_eq!(
        (free.stable, free.energy_hessian.unwrap().index),
        (Some(true), 2)
    );
    assert!(free.reason.contains("Kelvin"), "{}", free.reason);
    assert!(free.eigenvalues.iter().all(|s| s[0].abs() < 1e-12));
    let damped = &found(hill, &["c=0.1"], "").list[0];
    assert_eq!(damped.stable, Some(false));
    assert!(damped.reason.contains("Kelvin"));
    // One direction down is unstable without damping, too.
    let saddle = "coord x\nkinetic: x'^2/2\npotential: -x^2/2\nforce: x = -0.2*x'\n";
    let saddle = &found(saddle, &[], "").list[0];
    assert_eq!(
        (saddle.stable, saddle.energy_hessian.unwrap().index),
        (Some(false), 1)
    );
    assert!(!saddle.reason.contains("Kelvin"), "{}", saddle.reason);
    // A follower force has no energy; eigenvalues decide if they can.
    let circle = "param k = 0.1, c = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + 2*y^2)/2\n\
                  force: x = k*y - c*x', y = -k*x - c*y'\n";
    let open = &found(circle, &[], "").list[0];
    assert_eq!((open.stable, open.energy_hessian), (Some(true), None));
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

/// No load keeps x = 1/2 at rest, since a² + 1 > 1/2: the nearest equilibrium is listed, and not a sample of the curve of all.
#[test]
fn positions_that_no_parameter_holds_are_changed() {
    let text = "param a = 1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = a^2 + 1\n";
    let mut search = EquilibriumSearch::default();
    search.at = "x=0.5".into();
    search.free = vec!["a".into()];
    let found = equilibria(&model(text, &[]), &search).unwrap();
    assert_eq!(found.list.len(), 1);
    let (x, a) = (found.list[0].position[0], found.list[0].parameters[0].1);
    assert!((a * a + 1.0 - x).abs() < 1e-12);
    assert!(
        (found.warnings.iter()).any(|w| w.code == galilei_model::Code::GuessChanged),
        "{:?}",
        found.warnings
    );
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

/// Zeros of sines of angles are not zero in doubles: both poles are singular points of the angles.
#[test]
fn both_poles_of_a_spherical_pendulum_are_singular_points() {
    let text = "param g = 9.81\ncoord th, ph\n\
        particle: mass 1 at (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))\ngravity: (0, 0, -g)\n";
    for at in ["th = 0.01", "th = 3.14", "ph' = 4"] {
        let list = found(text, &[], at);
        let poles = list
            .list
            .iter()
            .filter(|e| e.position[0].sin().abs() < 1e-9);
        let poles: Vec<_> = poles.collect();
        assert!(!poles.is_empty());
        for e in poles {
            // The potential decides: it has its minimum at the lower pole.
            let lower = e.position[0].cos() > 0.0;
            assert_eq!((e.stable, e.energy_hessian), (Some(lower), None), "{e:?}");
            assert!(e.eigenvalues.is_empty());
            assert!(e.reason.contains("singular point"), "{}", e.reason);
        }
    }
    let model = model(text, &[]);
    let state = model.state_at("th = 3.141592653589793").unwrap();
    let refused = galilei_analyse::modes(&model, &state).unwrap_err();
    assert_eq!(refused[0].code, galilei_model::Code::NotDefinedAtState);
    // Short lengths are no singular points.
    let small = "coord r, ph\nkinetic: (r'^2 + r^2*ph'^2)/2\npotential: (r - 1e-9)^2\n";
    let list = found(small, &[], "r = 1e-9");
    let rest = &list.list[0];
    assert!((rest.position[0] - 1e-9).abs() < 1e-20 && !rest.eigenvalues.is_empty());
}

/// Where the potential depends on the angle that moves nothing, or momentum keeps the pole, nothing is said of a pole: a top
/// that sleeps in Euler's angles, two pendulums with a spring between their planes.
#[test]
fn poles_that_the_potential_does_not_decide() {
    let sleeping = "coord ph, th, ps\nkinetic: (th'^2 + ph'^2*sin(th)^2)/2 + (ps' + ph'*cos(th))^2/4\npotential: 3*cos(th)\n";
    let first = &found(sleeping, &[], "ps' = 10").list[0];
    assert_eq!((first.position[1], first.stable), (0.0, None), "{first:?}");
    let tilted = "coord th, ph\nparticle: mass 1 at (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))\n\
        potential: -cos(th) + 2*sin(th)^2*cos(ph)\n";
    for e in found(tilted, &[], "").list {
        assert!(
            e.position[0].sin().abs() > 1e-9 || e.stable.is_none(),
            "{e:?}"
        );
    }
    // Two links in space hang and stand.
    let links = "coord p1, h1, p2, h2\nlet a = (sin(h1)*cos(p1), sin(h1)*sin(p1), -cos(h1))\n\
        particle a: mass 1 at a\n\
        particle b: mass 1 at a + (sin(h2)*cos(p2), sin(h2)*sin(p2), -cos(h2))\ngravity: (0, 0, -1)\n";
    for e in found(links, &[], "").list {
        let hangs = e.position[1].cos() > 0.0 && e.position[3].cos() > 0.0;
        assert_eq!(e.stable, Some(hangs), "{e:?}");
    }
}

/// The sizes of the imaginary parts that are positive, and the largest real part.
fn frequencies(e: &galilei_analyse::Equilibrium) -> (Vec<f64>, f64) {
    let mut list: Vec<f64> = e.eigenvalues.iter().map(|s| s[1]).collect();
    list.retain(|s| *s > 1e-6);
    list.sort_by(f64::total_cmp);
    let fastest = e.eigenvalues.iter().map(|s| s[0]).fold(0.0, f64::max);
    (list, fastest)
}

const TOP: &str = "param A = 0.2, C = 0.1, m = 1, l = 0.3, g = 9.81\ncoord R on rotations\n\
    body top: mass m inertia (A - m*l^2, A - m*l^2, C) at l*R*(0, 0, 1) rotation R\ngravity: (0, 0, -g)\n";

/// Lagrange's top on the rotations, whose symmetries nobody declares: it sleeps above (Cω)² = 4Amgl, and its steady
/// precession nods with the frequency of the effective potential.
#[test]
fn t_202_lagranges_top_on_the_rotations() {
    let (a, c, mgl) = (0.2, 0.1, 9.81 * 0.3_f64);
    let limit = (4.0 * a * mgl).sqrt() / c;
    for (speed, stable) in [(limit * 0.999, false), (limit * 1.001, true)] {
        let first = &found(TOP, &[], &format!("omega(R) = (0, 0, {speed:?})")).list[0];
        assert_eq!(first.position, [0.0; 3]);
        assert_eq!(first.stable, Some(stable), "{speed}: {}", first.reason);
    }
    let (w, th) = (2.0_f64, 0.8_f64);
    let spin = (a * w * w * th.cos() + mgl) / (c * w);
    let own = spin - w * th.cos();
    let omega = format!(
        "R = x(0.8), omega(R) = (0, {:?}, {:?})",
        -own * th.sin(),
        w + own * th.cos()
    );
    let steady = &found(TOP, &[], &omega).list[0];
    assert!((steady.position[0] - (th / 4.0).tan()).abs() < 1e-12);
    assert_eq!(steady.stable, Some(true));
    let (found, fastest) = frequencies(steady);
    assert_eq!(found.len(), 1, "{found:?}");
    // √(V''/A) of (p_φ − p_ψ·cos θ)²/(2A·sin²θ) + mgl·cos θ by mpmath.
    assert!((found[0] - 6.134_225_932_741_058).abs() < 1e-6, "{found:?}");
    assert!(fastest < 1e-5);
    // At rest it stands or hangs, in whatever direction it is turned.
    let rest = found_verdicts(TOP, "R = x(1)");
    assert_eq!(
        rest,
        [(Some(false), Some((2, 0))), (Some(true), Some((0, 0)))]
    );
}

/// Stable, and (index, nullity).
type Verdict = (Option<bool>, Option<(usize, usize)>);

fn found_verdicts(text: &str, at: &str) -> Vec<Verdict> {
    let hessian = |e: &galilei_analyse::Equilibrium| e.energy_hessian.map(|h| (h.index, h.nullity));
    let list = found(text, &[], at).list;
    list.iter().map(|e| (e.stable, hessian(e))).collect()
}

/// Euler: rotations about the axes of the smallest and the largest moment are stable, the former at a maximum of the energy
/// at fixed momentum.
#[test]
fn t_202_a_free_body_turns_about_its_axes() {
    let text = "coord R on rotations\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation R\n";
    for (omega, stable, index, rate) in [
        ("(2, 0, 0)", true, 2, 2.0 * (2.0_f64 / 6.0).sqrt()),
        ("(0, 2, 0)", false, 1, 2.0 * (1.0_f64 / 3.0).sqrt()),
        ("(0, 0, 2)", true, 0, 2.0),
    ] {
        let first = &found(text, &[], &format!("omega(R) = {omega}")).list[0];
        assert_eq!(first.position, [0.0; 3]);
        assert_eq!(first.stable, Some(stable), "{omega}: {}", first.reason);
        let hessian = first.energy_hessian.unwrap();
        assert_eq!((hessian.index, hessian.nullity), (index, 0));
        let part = if stable { 1 } else { 0 };
        let near = |s: &[f64; 2]| (s[part].abs() - rate).abs() < 1e-9 && s[1 - part].abs() < 1e-9;
        assert!(
            first.eigenvalues.iter().any(near),
            "{:?}",
            first.eigenvalues
        );
    }
}

/// n.x·n.y + 2·n.z² has two minima, two saddles and two maxima on the sphere; one pole is where the chart ends.
#[test]
fn equilibria_are_found_on_a_whole_sphere() {
    let text = "coord n on sphere\nparticle: mass 1 at n\npotential: n.x*n.y + 2*n.z^2\ninitial n = (0, 0.6, 0.8)\n";
    let list = found(text, &[], "");
    let stable = |s: bool| list.list.iter().filter(|e| e.stable == Some(s)).count();
    assert_eq!((stable(true), stable(false), list.list.len()), (2, 3, 5));
}

/// Whirling: with two degrees of freedom distinct frequencies without resonance are stable by Arnold and Moser; at the
/// resonance 1 : 3, B² = 16/3, nothing more than linear stability is said; dissipation destroys what gyroscopic forces
/// stabilise.
#[test]
fn t_202_gyroscopic_stabilisation() {
    let text = "param B = 3, c = 0, d = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\n\
        lagrangian: B*(x*y' - y*x')/2\npotential: -(x^2 + y^2)/2 + d*x^4\nforce: x = -c*x', y = -c*y'\n";
    for (set, stable, linearly) in [
        // Linear equations.
        ("B=3", Some(true), Some(true)),
        ("B=3,d=1", Some(true), Some(true)),
        ("B=2.309401076758503,d=1", None, Some(true)),
        ("B=2", None, None),
        ("B=1.9", Some(false), Some(false)),
        ("B=3,c=0.01", Some(false), Some(false)),
    ] {
        let e = &found(text, &[set], "").list[0];
        assert_eq!(
            (e.stable, e.linearly_stable),
            (stable, linearly),
            "{set}: {}",
            e.reason
        );
        assert_eq!(e.energy_hessian.unwrap().index, 2);
    }
    let (whirls, _) = frequencies(&found(text, &["B=3"], "").list[0]);
    let root = 5.0_f64.sqrt();
    assert!((whirls[0] - (3.0 - root) / 2.0).abs() < 1e-13);
    assert!((whirls[1] - (3.0 + root) / 2.0).abs() < 1e-13);
    let open = &found(text, &["B=2.309401076758503,d=1"], "").list[0];
    assert_eq!(open.stability(), "linearly stable, stability open");
}

/// A hill that is round: H − ωJ has a strict minimum for ω = B/2 if B² > 4, whatever the terms of higher order; the rotation
/// need not be declared.
#[test]
fn t_202_a_round_hill_is_stabilised_by_its_momentum() {
    let text = "param B = 3, c = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nlagrangian: B*(x*y' - y*x')/2\n\
        potential: -(x^2 + y^2)/2 + c*(x^2 + y^2)^2\n";
    for (set, stable) in [
        ("B=2.01,c=-1", Some(true)),
        ("B=3,c=2", Some(true)),
        ("B=1.99,c=2", Some(false)),
    ] {
        let e = &found(text, &[set], "").list[0];
        assert_eq!(e.stable, stable, "{set}: {}", e.reason);
        assert_eq!(e.energy_hessian.unwrap().index, 2);
        let said = e.reason.contains("H − ωJ") && e.reason.contains("Kelvin");
        assert_eq!(said, stable == Some(true), "{}", e.reason);
    }
}

/// Ziegler's column flutters above P = 7/2 − √2, and with small dampers in both joints above 41/28.
#[test]
fn t_202_zieglers_column_flutters() {
    let text = "param P = 1, c = 0\ncoord a, b\nlet p = (sin(a), cos(a))\nlet q = p + (sin(b), cos(b))\n\
        particle: mass 2 at p\nparticle: mass 1 at q\npotential: a^2/2 + (b - a)^2/2\n\
        dissipation: c*a'^2/2 + c*(b' - a')^2/2\nforce follow: (-P*sin(b), -P*cos(b)) at q\n";
    let load = 3.5 - 2.0_f64.sqrt();
    for (load, c, stable, linearly) in [
        (load - 1e-4, 0.0, None, Some(true)),
        (load + 1e-4, 0.0, Some(false), Some(false)),
        (41.0 / 28.0 - 1e-3, 1e-2, Some(true), Some(true)),
        (41.0 / 28.0 + 1e-3, 1e-2, Some(false), Some(false)),
    ] {
        let set = format!("P={load:?},c={c:?}");
        let e = &found(text, &[&set], "a=0, b=0").list[0];
        assert_eq!((e.stable, e.linearly_stable), (stable, linearly), "{set}");
        assert_eq!(e.energy_hessian, None);
    }
}

/// Foucault: both circular motions, a little faster and slower than the plane one.
#[test]
fn t_201_foucaults_frequencies() {
    let text = "param g = 9.81, l = 10, W = 7.2921e-5, lat = 0.8\ncoord x, y\n\
        kinetic: (x'^2 + y'^2)/2 + W*sin(lat)*(x*y' - y*x')\npotential: g/l*(x^2 + y^2)/2\n";
    let (found, _) = frequencies(&found(text, &[], "").list[0]);
    let turn = 7.2921e-5 * 0.8_f64.sin();
    let plane = (turn * turn + 0.981).sqrt();
    assert!((found[0] - (plane - turn)).abs() < 1e-13);
    assert!((found[1] - (plane + turn)).abs() < 1e-13);
}

/// A thin disk rolls upright above √(g/3r); leaning it rolls round a circle, also where the guess leaves its way to the
/// constraints.
#[test]
fn t_202_a_disk_rolls_straight_and_in_circles() {
    let text = "param m = 1, r = 0.5, g = 9.81\ncoord x, y, psi, th, phi\n\
        body disk: mass m inertia (m*r^2/4, m*r^2/2, m*r^2/4) at (x + r*sin(th)*sin(psi), y - r*sin(th)*cos(psi), r*cos(th)) \
        rotation z(psi) then x(th) then y(phi)\ngravity: (0, 0, -g)\n\
        constraint a: x' = r*phi'*cos(psi)\nconstraint b: y' = r*phi'*sin(psi)\n";
    let limit = (9.81_f64 / 1.5).sqrt();
    for (speed, stable) in [(limit * 0.99, Some(false)), (limit * 1.01, None)] {
        let first = &found(text, &[], &format!("phi' = {speed:?}")).list[0];
        assert!((first.velocity[0] - 0.5 * speed).abs() < 1e-12);
        assert_eq!(first.stable, stable, "{speed}: {}", first.reason);
        // s² = (mgr − (C + mr²)·C·w²/A)/(A + mr²)
        let square = (9.81 * 0.5 - 0.375 * 2.0 * speed * speed) / 0.3125;
        let part = if square > 0.0 { 0 } else { 1 };
        let near = |s: &[f64; 2]| (s[part].abs() - square.abs().sqrt()).abs() < 1e-8;
        assert!(
            first.eigenvalues.iter().any(near),
            "{:?}",
            first.eigenvalues
        );
    }
    let list = found(text, &[], "th = -0.5, psi' = 3, phi' = 4");
    let turning = &list.list[0];
    assert_eq!(turning.velocity[2], 3.0);
    assert!((turning.velocity[4] - 4.0).abs() < 1e-9);
    // (C + mr²)(φ' + Ω·sin θ)·Ω·cos θ − A·Ω²·sin θ·cos θ + m·g·r·sin θ = 0
    let th = turning.position[3];
    let (s, c) = th.sin_cos();
    let balance = 0.375 * (4.0 + 3.0 * s) * 3.0 * c - 0.0625 * 9.0 * s * c + 9.81 * 0.5 * s;
    assert!(th < 0.0 && balance.abs() < 1e-9, "{th} {balance}");
}
