//! Models with reactions that are not ideal and constraints on accelerations: their equations of motion are those of the same
//! systems written by hand.

use galilei_expr::Expr;
use galilei_mechanics::{AdmissibleCodistribution, ConstrainedSystem, Constraint, Reaction};
use galilei_model::{Model, Settings, read, read_expression};

fn model(name: &str) -> Model {
    let path = format!("{}/../../models/{name}.gal", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a model");
    let outcome = read(&text, &Settings::default());
    outcome.model.expect("no errors")
}

/// An expression over the symbols of a model.
fn written<'p>(model: &'p Model, text: &str) -> Expr<'p> {
    read_expression(model.pool(), text).expect("an expression")
}

fn reaction(model: &Model) -> Reaction<'_> {
    let system = model.system();
    let found = model.constructions(&system).expect("constraints");
    found
        .expect("admissible")
        .constrained
        .reaction()
        .expect("determined")
}

/// Accelerations and multipliers as they are written by hand; `where` gives names to parts of them.
fn moves(model: &Model, parts: &[(&str, &str)], accelerations: &[&str], multipliers: &[&str]) {
    let pool = model.pool();
    let mut named: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
    for (name, text) in parts {
        let value = written(model, text).substitute(&named);
        named.push((pool.symbol(name), value));
    }
    let found = reaction(model);
    let equal = |found: &[Expr<'_>], wanted: &[&str]| {
        assert_eq!(found.len(), wanted.len());
        for (e, text) in found.iter().zip(wanted) {
            let wanted = written(model, text).substitute(&named);
            assert!((*e - wanted).decide_zero().is_proved(), "{text}: {e}");
        }
    };
    equal(found.field.accelerations(), accelerations);
    if !multipliers.is_empty() {
        equal(&found.multipliers.expect("multipliers"), multipliers);
    }
}

#[test]
fn the_crane_is_driven_by_its_trolley() {
    let model = model("crane-servo");
    // The pendulum equation lθ¨ + s¨ cos θ + g sin θ = 0 with s from the path.
    let parts = [
        ("wanted", "h*w^2*cos(w*t)"),
        (
            "turn",
            "-(g*sin(theta) + cos(theta)*wanted + l/2*sin(theta)*cos(theta)*theta'^2)/(l - l/2*cos(theta)^2)",
        ),
        (
            "push",
            "wanted - l/2*(cos(theta)*turn - sin(theta)*theta'^2)",
        ),
    ];
    let drive = "(M + m)*push + m*l*(cos(theta)*turn - sin(theta)*theta'^2)";
    moves(&model, &parts, &["push", "turn"], &[drive]);
}

#[test]
fn the_wagon_follows() {
    let model = model("following-wagon");
    let parts = [("law", "k*(a - b - d) + c*(a' - b')")];
    let first = "(f*sin(w*t) - r*a')/m";
    moves(&model, &parts, &[first, "law"], &["n*law + r*b'"]);
}

#[test]
fn motors_have_the_torques_of_newton_and_euler() {
    let model = model("robot-arm");
    let parts = [
        ("p", "A*w^2*cos(w*t)"),
        ("q", "B*w^2*cos(w*t)"),
        (
            "elbow",
            "n*b^2/3*q + n*l*b/2*(p*cos(alpha - beta) - alpha'^2*sin(alpha - beta)) + n*g*b/2*sin(beta)",
        ),
    ];
    let shoulder = "(m/3 + n)*l^2*p + n*l*b/2*(q*cos(alpha - beta) + beta'^2*sin(alpha - beta)) \
                    + (m/2 + n)*g*l*sin(alpha) + elbow";
    moves(&model, &parts, &["p", "q"], &[shoulder, "elbow"]);
}

#[test]
fn the_connection_leaves_independent_accelerations() {
    let model = model("blade-by-connection");
    let along = "g*sin(slope)";
    let across = "g*sin(slope)*tan(phi) + x'*phi'*(1 + tan(phi)^2)";
    moves(&model, &[], &[along, across, "0"], &[]);
}

/// The motion under constraints on accelerations that are derivatives of constraints on velocities.
#[test]
fn differentiated_constraints_give_the_same_equations() {
    for (name, usual) in [
        ("constant-speed", "(x'^2 + y'^2 - 25)/2"),
        ("appell-hamel-codistribution", "z'^2 - a^2*(x'^2 + y'^2)"),
    ] {
        let model = model(name);
        let system = model.system();
        let constraint = vec![Constraint::Velocity(written(&model, usual))];
        let d = AdmissibleCodistribution::new(system.state(), constraint, &model.assumptions());
        let usual = ConstrainedSystem::new(system.clone(), d.expect("admissible"));
        let usual = usual.ideal().expect("determined");
        let own = reaction(&model);
        assert!(own.decide_equal(&usual).is_proved(), "{name}");
        let multipliers = own.multipliers.expect("ideal");
        let same = (multipliers[0] - usual.multipliers.expect("ideal")[0]).decide_zero();
        assert!(same.is_proved(), "{name}");
    }
}
