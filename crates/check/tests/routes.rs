//! Verdicts against definitions: inertia forces against Ω_R̃ − Ω_R, and routes to the equations of motion
//! against each other. Errors planted in either are seen.

use galilei_check::Checker;
use galilei_expr::Verdict;
use galilei_mechanics::{Force, HamiltonRoute, ImplicitHamiltonian, KineticEnergy, System};
use galilei_model::{Model, Settings, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    match outcome.model {
        Some(model) => model,
        None => panic!("{:#?}", outcome.diagnostics),
    }
}

/// A charge on a turning table: T has a reference field of its own, and L a vector potential beside it.
const TURNING_CHARGE: &str = "param m = 2, w = 0.3, b = 1.5\ncoord x, y\n\
    particle charge: mass m at (x*cos(w*t^2) - y*sin(w*t^2), x*sin(w*t^2) + y*cos(w*t^2))\n\
    vector potential field: x = -b*y, y = b*x*t\npotential: x^4\n\
    reference table: x = 0, y = 0\nreference wind: x = t*y, y = x^2\n\
    initial x = 1\n";

#[test]
fn t_40_inertia_forces_are_those_of_the_kinetic_energy() {
    let model = model(TURNING_CHARGE);
    let found = galilei_check::check(&model).findings;
    let named = |n: &str| found.iter().find(|f| f.name.ends_with(n)).unwrap().clone();
    for name in ["to table", "to wind"] {
        let f = named(name);
        assert!(f.required && f.detail.contains("Ω_R̃ − Ω_R"), "{f:?}");
        assert!(format!("{:?}", f.status).contains("Proved"), "{f:?}");
    }
    // R̃ is the field of the floor, without the vector potential.
    let own = model.own_kinetic_energy().unwrap();
    let (w, t) = (model.pool().symbol("w"), model.pool().symbol("t"));
    let (x, y) = (model.pool().symbol("x"), model.pool().symbol("y"));
    let [rx, ry] = own.reference().components() else {
        panic!()
    };
    assert!(rx.decide_equal(2 * w * t * y).is_proved());
    assert!(ry.decide_equal(-2 * w * t * x).is_proved());
}

/// Another gauge of L, or another field, changes no inertia force.
#[test]
fn t_41_inertia_forces_do_not_know_the_gauge() {
    let forces = |text: &str| -> Vec<String> {
        let model = model(text);
        let own = model.own_kinetic_energy().unwrap();
        let c = model.contents();
        let observer = model.exprs(&c.references[0].components);
        let parts = model.inertia(&own, &observer).parts();
        let named = parts.named();
        let all = named.iter().flat_map(|(_, f)| f.components());
        all.map(ToString::to_string).collect()
    };
    let text = |a: &str| {
        format!(
            "param m = 2, b = 1.5\ncoord x, y\nparticle q: mass m at (x, y)\nvector potential: {a}\n\
             reference lab: x = 0, y = 0\n"
        )
    };
    for gauge in ["x = -b*y/2, y = b*x/2", "y = b*x", "x = -b*y"] {
        assert_eq!(forces(&text(gauge)), ["0"; 6], "{gauge}");
    }
    // A Lagrangian says nothing about R̃: it rests in the chart.
    let given = "param m = 2, b = 1.5\ncoord x, y\nlagrangian: m*(x'^2 + y'^2)/2 + b*x*y'\n\
                 reference lab: x = 0, y = 0\n";
    assert_eq!(forces(given), ["0"; 6]);
}

/// Errors planted in the parts, in their names' signs, or in R̃ are refuted by the definition.
#[test]
fn t_40_planted_errors_in_inertia_forces_are_seen() {
    let model = model(TURNING_CHARGE);
    let own = model.own_kinetic_energy().unwrap();
    let c = model.contents();
    let observer = &model.exprs(&c.references[1].components);
    let right = model.inertia(&own, observer).parts();
    let verdict = Checker::new(&model)
        .decide_inertia(&own, observer, &right)
        .unwrap();
    assert!(verdict.is_proved());
    let refuted = |v: Verdict| assert!(matches!(v, Verdict::Refuted(_)), "{v:?}");
    for k in 0..3 {
        let mut wrong = right.clone();
        let part = [
            &mut wrong.centrifugal,
            &mut wrong.euler,
            &mut wrong.coriolis,
        ];
        let part = part.into_iter().nth(k).unwrap();
        let list = part.components().iter().map(|&e| -e).collect();
        *part = Force::new(&model.state_space(), list);
        refuted(
            Checker::new(&model)
                .decide_inertia(&own, observer, &wrong)
                .unwrap(),
        );
        // The contraction sees it too.
        refuted(
            model
                .inertia(&own, observer)
                .decide_contracted(&wrong.sum()),
        );
    }
    assert!(
        model
            .inertia(&own, observer)
            .decide_contracted(&right.sum())
            .is_proved()
    );
    // R̃ of L instead of T: the parts add up to Ω_R̃ − Ω_R of that field, which is not the system's.
    let system = model.system();
    let of_l = KineticEnergy::new(
        &model.state_space(),
        own.metric(),
        &system.lagrangian().natural_reference().unwrap(),
    );
    let parts = model.inertia(&of_l, observer).parts();
    assert!(
        model
            .inertia(&of_l, observer)
            .decide(&parts.sum())
            .is_proved()
    );
    refuted(
        Checker::new(&model)
            .decide_inertia(&of_l, observer, &parts)
            .unwrap(),
    );
}

/// Five coupled pendulums whose heights grow with time, with a vector potential and a force.
const CHAIN: &str = "const n = 5\nparam m = 1, l = 1, g = 9.81\ncoord q[1..n]\n\
    let p[k in 0..n] = (sum(j in 1..k: l*sin(q[j])), t*sum(j in 1..k: l*cos(q[j])))\n\
    for k in 1..n { particle bob[k]: mass m*k at p[k] }\ngravity: (0, -g)\n\
    vector potential: q[2] = q[1]*q[3], q[5] = t*q[1]^2\nforce: q[4] = -q[4]'*q[2]'^2\n\
    initial q[1] = 0.3\nsimulate from 1 to 2";

fn hamilton_verdict(system: &System<'_>, implicit: &ImplicitHamiltonian<'_>) -> Verdict {
    // Both have handles of one pool.
    let pool = system.state().pool();
    let all = |list: &[galilei_expr::Expr<'_>]| list.iter().map(|e| pool.expr(e.id())).collect();
    let implicit = ImplicitHamiltonian {
        velocities: all(&implicit.velocities),
        momenta: all(&implicit.momenta),
        function: pool.expr(implicit.function.id()),
        defining: all(&implicit.defining),
    };
    let routes = system.routes_through(&implicit);
    assert!(routes.decide_postulate().is_proved());
    routes.decide_hamilton().unwrap()
}

/// Above three degrees of freedom H is differentiated implicitly. What is wrong in H, in the equation that
/// defines the velocities, or in the derivatives, is seen by comparison with Lagrange's equations.
#[test]
fn t_54_implicit_differentiation_is_a_route_of_its_own() {
    let model = model(CHAIN);
    let system = model.system();
    let routes = system.routes();
    assert_eq!(routes.hamilton_route, Some(HamiltonRoute::Implicit));
    assert!(routes.decide_hamilton().unwrap().is_proved());
    let right = ImplicitHamiltonian::new(system.lagrangian());
    assert!(hamilton_verdict(&system, &right).is_proved());
    let refuted = |what: &str, wrong: &ImplicitHamiltonian<'_>| {
        let verdict = hamilton_verdict(&system, wrong);
        assert!(
            matches!(verdict, Verdict::Refuted(_)),
            "{what}: {verdict:?}"
        );
    };
    let x = system.state().base().positions();
    let mut wrong = right.clone();
    wrong.function = 2 * wrong.function;
    refuted("H twice", &wrong);
    let mut wrong = right.clone();
    wrong.function += x[2];
    refuted("another potential", &wrong);
    let mut wrong = right.clone();
    wrong.defining[1] += x[0] * x[3];
    refuted("another vector potential", &wrong);
    let mut wrong = right.clone();
    wrong.defining[3] += x[4] * wrong.velocities[0];
    refuted("a metric that is not symmetric", &wrong);
    let mut wrong = right.clone();
    wrong.defining[2] = -wrong.defining[2];
    refuted("a sign in the defining equation", &wrong);
    // And through `check`, where the finding is required.
    let found = |implicit: &ImplicitHamiltonian<'_>| {
        let all = |list: &[galilei_expr::Expr<'_>]| {
            let here = list.iter().map(|e| model.pool().expr(e.id()));
            here.collect()
        };
        let routes = system.routes_through(&ImplicitHamiltonian {
            velocities: all(&implicit.velocities),
            momenta: all(&implicit.momenta),
            function: model.pool().expr(implicit.function.id()),
            defining: all(&implicit.defining),
        });
        let check = Checker::new(&model).check_with(&system, &routes);
        let hamilton = check.findings.iter().find(|f| f.theorem == "T-54").unwrap();
        assert!(hamilton.required);
        format!("{:?}", hamilton.status)
    };
    let mut wrong = right.clone();
    wrong.function += x[0] * x[1];
    assert!(found(&wrong).contains("Refuted"));
    assert!(found(&right).contains("Proved"));
}

/// The implicit route says the same as H written out, where both are possible.
#[test]
fn t_52_t_54_implicit_and_explicit_derivatives_agree() {
    for n in [2, 3, 4] {
        let model = model(&CHAIN.replace("const n = 5", &format!("const n = {n}")).replace(
            "vector potential: q[2] = q[1]*q[3], q[5] = t*q[1]^2\nforce: q[4] = -q[4]'*q[2]'^2",
            "vector potential: q[2] = t*q[1]^2",
        ));
        let system = model.system();
        let state = system.state();
        let canonical = system.canonical().unwrap();
        let implicit = ImplicitHamiltonian::new(system.lagrangian());
        let coordinates = canonical.chart().coordinates();
        let mut found = implicit.by(&coordinates[..=n]);
        found.extend(implicit.by(&implicit.momenta));
        let mut pairs: Vec<_> = (0..n)
            .map(|i| (implicit.momenta[i], canonical.momentum(i)))
            .collect();
        let velocities = &canonical.to_natural().components()[1 + n..].to_vec();
        pairs.extend(
            implicit
                .velocities
                .iter()
                .copied()
                .zip(velocities.iter().copied()),
        );
        let found = state.pool().substitute_all(&found, &pairs);
        let wanted = canonical.hamiltonian().gradient(coordinates);
        for (k, (&a, &b)) in found.iter().zip(&wanted).enumerate() {
            assert!(a.decide_equal(b).is_proved(), "{n}: {k}");
        }
    }
}

/// Where no third route exists, the finding says that two were compared.
#[test]
fn t_54_two_routes_are_said_to_be_two() {
    let detail = |n: usize| {
        let text = format!(
            "const n = {n}\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^4 + q[k]'^2*(2 + sin(q[1])))\ninitial q[1]' = 1\n"
        );
        let model = model(&text);
        let check = galilei_check::check(&model);
        let found = check.findings.iter().find(|f| f.theorem == "T-54").unwrap();
        found.detail.clone()
    };
    assert!(detail(4).starts_with("two routes compared, not three"));
    assert!(!detail(3).contains("two routes"));
}
