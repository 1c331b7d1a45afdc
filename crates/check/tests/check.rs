//! `check`: what holds is proved, and what is made wrong on purpose is seen.

use galilei_check::{Checker, Status};
use galilei_expr::Verdict;
use galilei_model::{Code, Model, Settings, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    match outcome.model {
        Some(model) => model,
        None => panic!("{:#?}", outcome.diagnostics),
    }
}

const PENDULUM: &str = "param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2], c = 0.1 [N*m*s], a = 0.1 [m], w = 3 [rad/s]\n\
    coord s [m], theta [rad]\n\
    particle cart: mass 3*m at (s, a*cos(w*t))\n\
    particle bob: mass m at (s + l*sin(theta), a*cos(w*t) - l*cos(theta))\n\
    gravity: (0, -g)\nforce friction: theta = -c*theta'\n\
    vector potential twist: s = m*w*l*theta\ninitial theta = 0.3\n";

#[test]
fn t_47_t_49_t_54_the_three_routes_agree() {
    let model = model(PENDULUM);
    let check = galilei_check::check(&model);
    assert!(check.ok == Some(true) && check.time_dependent && !check.closed && check.quadratic);
    for name in ["postulate", "Hamilton", "energy:", "action form"] {
        let found = check
            .findings
            .iter()
            .find(|f| f.name.starts_with(name))
            .unwrap();
        assert!(
            matches!(found.status, Status::Verdict(Verdict::Proved(_))),
            "{found:?}"
        );
    }
}

/// A sign planted in any one of the three routes makes `check` fail.
#[test]
fn a_planted_sign_is_seen_in_every_route() {
    let model = model(PENDULUM);
    let system = model.system();
    for component in 0..2 {
        let mut routes = system.routes();
        routes.postulate[component] = -routes.postulate[component];
        assert_eq!(
            Checker::new(&model).check_with(&system, &routes).ok,
            Some(false)
        );

        let mut routes = system.routes();
        routes.lagrange[component] = -routes.lagrange[component];
        assert_eq!(
            Checker::new(&model).check_with(&system, &routes).ok,
            Some(false)
        );

        let mut routes = system.routes();
        let hamilton = routes.hamilton.as_mut().unwrap();
        hamilton[component] = -hamilton[component];
        assert_eq!(
            Checker::new(&model).check_with(&system, &routes).ok,
            Some(false)
        );
    }
    assert_eq!(
        Checker::new(&model)
            .check_with(&system, &system.routes())
            .ok,
        Some(true)
    );
}

/// Above three degrees of freedom H is known through a solve; the route must still see a sign.
#[test]
fn the_implicit_hamiltonian_route_agrees_and_sees_a_sign() {
    let text = "const n = 5\nparam m = 1, l = 1, g = 9.81\ncoord q[1..n]\n\
        let p[k in 0..n] = (sum(j in 1..k: l*sin(q[j])), t*sum(j in 1..k: l*cos(q[j])))\n\
        for k in 1..n { particle bob[k]: mass m*k at p[k] }\ngravity: (0, -g)\n\
        initial q[1] = 0.3\nsimulate from 1 to 2";
    let model = model(text);
    let system = model.system();
    let mut routes = system.routes();
    assert_eq!(
        Checker::new(&model).check_with(&system, &routes).ok,
        Some(true)
    );
    let hamilton = routes.hamilton.as_mut().unwrap();
    hamilton[3] += system.state().position(2);
    assert_eq!(
        Checker::new(&model).check_with(&system, &routes).ok,
        Some(false)
    );
}

#[test]
fn a_time_dependent_gauge_does_not_make_the_system_depend_on_time() {
    let model = model("param m = 1\ncoord x\nlagrangian: m*x'^2/2 + t*x + t^2*x'/2\ninitial x = 1");
    let check = galilei_check::check(&model);
    assert!(!check.time_dependent);
    assert_eq!(check.ok, Some(true));
}

#[test]
fn conserved_quantities_are_named() {
    let model = model(
        "param m = 1, k = 2\ncoord r, phi\nkinetic: m*(r'^2 + r^2*phi'^2)/2\npotential: -k/r\ninitial r = 1\n",
    );
    let check = galilei_check::check(&model);
    assert_eq!(check.cyclic, ["phi"]);
    assert!(check.conservative);
}

#[test]
fn t_32_potential_forces_come_with_potentials_and_others_with_the_reason() {
    let model = model(
        "param b = 2, c = 1\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\n\
         force magnetic: x = b*y', y = -b*x'\nforce drag: x = -c*x'*sqrt(x'^2 + y'^2), y = -c*y'*sqrt(x'^2 + y'^2)\n\
         force swirl: x = -y, y = x\ninitial x' = 1\n",
    );
    let check = galilei_check::check(&model);
    let [magnetic, drag, swirl] = check.forces.as_slice() else {
        panic!()
    };
    let (v, a) = magnetic.potentials.as_ref().unwrap();
    assert!(v.is_zero());
    assert_eq!(a.len(), 2);
    assert!(drag.reason.starts_with("P1"), "{}", drag.reason);
    assert!(swirl.reason.starts_with("P4"), "{}", swirl.reason);
    assert!(!check.closed);
}

/// A common factor of a potential and its divisor is cancelled: −sin θ has the potential 1 − cos θ, up to a constant.
#[test]
fn potentials_are_written_in_a_short_form() {
    let model = model(
        "coord theta, x\nkinetic: (theta'^2 + x'^2)/2\nforce f: theta = -sin(theta)\n\
         force g: theta = -x*sin(theta), x = cos(theta)\n",
    );
    let check = galilei_check::check(&model);
    let potential = |k: usize| check.forces[k].potentials.as_ref().unwrap().0.to_string();
    assert_eq!(potential(0), "1 - cos(theta)");
    assert_eq!(potential(1), "-x*cos(theta)");
}

/// The solved form is the one asked for, or the one that is regular.
#[test]
fn dependent_velocities_are_used() {
    let text = |more: &str| {
        format!(
            "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\nconstraint skate: y' = x*x'\ninitial x = 2, x' = 1, y' = 2\n{more}"
        )
    };
    let solved = |more: &str| {
        let model = model(&text(more));
        let found = model.constructions(&model.system()).unwrap().unwrap();
        let dependent = found.reduced.unwrap().solved().dependent().to_vec();
        (dependent, model.validate())
    };
    // y' = x x' is regular everywhere, x' = y'/x is not.
    assert_eq!(solved("").0, [1]);
    let (dependent, said) = solved("dependent x'\n");
    assert_eq!(dependent, [0]);
    assert!(said.is_empty());
    let (dependent, said) = solved("dependent z'\n");
    assert_eq!(dependent, [0]);
    assert_eq!(said[0].code, Code::DependentNotDetermined);
    let said = model(&text("dependent x', y'\n")).validate();
    assert_eq!(said[0].code, Code::TooManyDependent);
}

/// The two constructions, Gauss' principle, the canonical side and the power of the reactions.
#[test]
fn t_94_constrained_motion_is_judged() {
    let status = |check: &galilei_check::Check<'_>, name: &str| {
        let found = check.findings.iter().find(|f| f.name.starts_with(name));
        found.map(|f| f.status.word())
    };
    // A prescribed speed: nonlinear, and the reaction drives it.
    let fast = model(
        "param k = 1\ncoord x, y\nparticle: mass 1 at (x, y)\npotential: k*x*y\n\
         constraint speed: x'^2 + y'^2 = (1 + t)^2\ninitial x' = 0.6, y' = 0.8\n",
    );
    let check = galilei_check::check(&fast);
    assert!(check.ok == Some(true) && !check.conservative);
    for name in [
        "constraints: admissible",
        "constraints: regular",
        "constraints: i_Γ",
        "constraints: Hamilton",
        "Gauss",
    ] {
        assert_eq!(status(&check, name), Some("proved"), "{name}");
    }
    assert_eq!(status(&check, "constraints: affine"), Some("fails"));
    assert_eq!(status(&check, "power of reactions"), Some("fails"));
    // Without constraints nothing of this is asked.
    let free = model("coord x\nkinetic: x'^2/2\n");
    assert_eq!(
        status(&galilei_check::check(&free), "constraints: admissible"),
        None
    );
}

/// The new names of a chart are local: they may be those of parameters, coordinates and definitions.
#[test]
fn t_10_equations_transform_to_declared_charts() {
    let model = model(
        "param m = 1, r = 2\nlet φ = 3\ncoord x, y\nparticle: mass m at (x, y)\n\
         chart polar(r, φ): x = r*cos(φ), y = r*sin(φ)\nchart swap(y, x): x = y, y = x\n\
         chart shaken(a, b): x = a + sin(t)*m, y = b\n",
    );
    let check = galilei_check::check(&model);
    assert_eq!(check.ok, Some(true));
    for name in ["polar", "swap", "shaken"] {
        let mut findings = check.findings.iter();
        let f = findings.find(|f| f.name.contains(name)).unwrap();
        assert_eq!(f.status.word(), "proved", "{name}");
    }
}

#[test]
fn undetermined_functions_are_judged() {
    let model = model(
        "param m, k\nfunction V(r), F(t, x)\nassume m > 0, k < 2*m, r > 0\ncoord r\n\
         kinetic: m*r'^2/2\npotential: V(r)\nforce: r = F(t, r)\n",
    );
    assert_eq!(galilei_check::check(&model).ok, Some(true));
}
