//! Energies, forces, constraints, charts, symmetries, outputs, events.

use super::*;

#[test]
fn energies_add_up() {
    let m = model(
        "coord x, y\nparticle: mass 2 at (x, y)\nkinetic: x'^2\nmetric: x x = 3, x y = 1, y y = 5\nreference: y = x\npotential: x\nlagrangian: x'*y\nvector potential: x = 7*y\n",
    );
    let wanted = model(
        "coord x, y\nlagrangian: x'^2 + y'^2 + x'^2 + 3*x'^2/2 + x'*(y' - x) + 5*(y' - x)^2/2 - x + x'*y + 7*y*x'\n",
    );
    let difference = format!("{} = {}", m.lagrangian(), wanted.lagrangian());
    let pool = galilei_expr::Pool::new();
    assert!(
        galilei_model::read_claim(&pool, &difference, &[])
            .unwrap()
            .decide()
            .is_proved()
    );
    // x y sets both entries; both given alike is no contradiction.
    model("coord x, y\nmetric: x x = 2, x y = 1, y x = 1, y y = 2\n");
    wrong(
        "coord x, y\nmetric: x x = 2, x y = 1, y x = 2, y y = 2\n",
        "metric_not_symmetric",
        "y x = 2",
    );
    wrong(
        "coord x, y\nmetric: x x = 2, x z = 1, y y = 2\n",
        "not_a_coordinate",
        "z",
    );
    wrong(
        "coord x, y\nkinetic: x'^2 + y'^2\nreference: x = 1\n",
        "reference_without_metric",
        "reference: x = 1",
    );
}

#[test]
fn forces() {
    let text = "param c\ncoord r, φ\nkinetic: r'^2 + r^2*φ'^2\n";
    let f = |s: &str| {
        let m = model(&format!("{text}{s}"));
        let c = m.contents();
        m.exprs(&c.forces[0].components)
            .iter()
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(f("force: φ = c"), ["0", "c"]);
    assert_eq!(
        f("force: (c, 0) at (r*cos(φ), r*sin(φ))"),
        ["c*cos(φ)", "-c*r*sin(φ)"]
    );
    assert_eq!(
        f("let F = (c, 0), P = (r*cos(φ), r*sin(φ))\nforce: F at P"),
        ["c*cos(φ)", "-c*r*sin(φ)"]
    );
    assert_eq!(f("dissipation: c*φ'^2/2"), ["0", "-c*φ'"]);
    assert_eq!(f("damper: coefficient c from 0 to r^2 + 1").len(), 2);
    wrong(
        &format!("{text}force: r = 1, r = 2"),
        "duplicate_entry",
        "r",
    );
    wrong(&format!("{text}force: c = 1"), "not_a_coordinate", "c");
    wrong(&format!("{text}force: r' = 1"), "not_a_coordinate", "r'");
}

#[test]
fn constraints() {
    let text = "coord x, y, z\nkinetic: x'^2 + y'^2 + z'^2\n";
    let m = model(&format!(
        "{text}constraint c: (x', y) = (y', 0)\ndependent x'\n"
    ));
    let c = m.contents();
    assert_eq!(
        c.constraints
            .iter()
            .map(|c| c.name.as_str())
            .collect::<Vec<_>>(),
        ["c.x", "c.y"]
    );
    assert_ne!(c.constraints[0].level, c.constraints[1].level);
    let f = m.expr(c.constraints[0].function).to_string();
    assert_eq!(
        f,
        model("coord x, y\nkinetic: x' - y'")
            .part(Part::Kinetic)
            .to_string()
    );
    assert_eq!(c.dependent, [0]);
    wrong(
        &format!("{text}constraint: 1 = 2"),
        "inadmissible_constraint",
        "constraint: 1 = 2",
    );
    wrong(
        &format!("{text}constraint: x = x"),
        "inadmissible_constraint",
        "constraint: x = x",
    );
    wrong(&format!("{text}dependent x"), "not_a_velocity", "x");
    wrong(&format!("{text}dependent x', x'"), "duplicate_entry", "x'");
}

#[test]
fn charts() {
    // New names are local: they may be those of parameters, coordinates and lets.
    let text = "param m = 1, r = 2\nlet φ = 3\ncoord x, y\nparticle: mass m at (x, y)\n";
    let m = model(&format!(
        "{text}chart polar(r, φ): x = r*cos(φ), y = r*sin(φ)\nchart swap(y, x): x = y, y = x\nchart shaken(a, b): x = a + sin(t)*m, y = b\n"
    ));
    for name in ["polar", "swap", "shaken"] {
        assert_eq!(m.chart(name).unwrap().coordinates.len(), 2, "{name}");
    }
    assert_eq!(m.chart("Polar").unwrap_err().code, Code::UnknownChart);
    wrong(
        &format!("{text}chart p(r): x = r, y = 1"),
        "wrong_chart",
        "r",
    );
    wrong(
        &format!("{text}chart p(a, b): x = a, y = x"),
        "wrong_chart",
        "x",
    );
    wrong(
        &format!("{text}chart p(a, b): x = a"),
        "wrong_chart",
        "chart p(a, b): x = a",
    );
    wrong(
        &format!("{text}chart p(a, a): x = a, y = a"),
        "duplicate_name",
        "a",
    );
    wrong(
        &format!("{text}chart p(t, b): x = b, y = b"),
        "reserved_name",
        "t",
    );
    wrong(
        &format!("{text}chart p(a, b): x = a, x = b, y = b"),
        "duplicate_entry",
        "x",
    );
    let singular = model(&format!("{text}chart p(a, b): x = a, y = a"));
    assert!(
        singular
            .validate()
            .iter()
            .any(|d| d.code == Code::SingularChart)
    );
}

#[test]
fn symmetries_outputs_events_runs() {
    let m = model(&format!(
        "{FREE}symmetry s: x = 1, t = 0\nsymmetry e: t = 1\nsymmetry: x = x\noutput o: x'\nevent a: x\nevent b: x rising\nevent c: x falling terminal\nevent d: x terminal both\n\
         simulate tolerance 1e-10 to 10 method radau every 0.01 from 1\n"
    ));
    let c = m.contents();
    assert!(c.events[2].terminal && c.events[3].terminal && !c.events[1].terminal);
    assert_eq!(c.run.method.as_deref(), Some("radau"));
    assert_eq!(
        m.expr(c.run.from.unwrap()).as_rational(),
        Some(Rational::from(1))
    );
    wrong(
        &format!("{FREE}symmetry: x = 1, t = 2"),
        "symmetry_time",
        "2",
    );
    // A velocity is no component: such a statement is not left out silently.
    for text in ["symmetry: x' = 1", "chart c(r): x = r, x' = 1"] {
        wrong(&format!("{FREE}{text}"), "not_a_coordinate", "x'");
    }
    wrong(
        &format!("{FREE}simulate from 1"),
        "missing_end_time",
        "simulate from 1",
    );
    wrong(
        &format!("{FREE}simulate to 1 to 2"),
        "duplicate_entry",
        "to",
    );
    wrong(&format!("{FREE}simulate to x"), "not_constant", "x");
    wrong(&format!("{FREE}event: 1"), "constant_event", "1");
    wrong(
        &format!("{FREE}force: x = multiplier(c)"),
        "only_in_outputs",
        "multiplier(c)",
    );
    wrong(
        &format!("{FREE}output: reaction(c)"),
        "unknown_constraint",
        "c",
    );
    // A constraint between tuples is named by components.
    let pair =
        format!("{FREE}coord y, z\nkinetic: y'^2 + z'^2\nconstraint c: (y', z') = (x', 2*x')\n");
    model(&format!(
        "{pair}output: multiplier(c.x) + reaction(c.y) + reaction(c)"
    ));
    wrong(
        &format!("{pair}output: multiplier(c.z)"),
        "unknown_constraint",
        "c.z",
    );
    wrong(
        &format!("{FREE}output: multiplier(c.x)"),
        "unknown_constraint",
        "c",
    );
    // Backwards in time is fine.
    model(&format!("{FREE}simulate from 10 to 0 every 0.1"));
}

#[test]
fn a_constraint_between_tuples_has_no_one_multiplier() {
    let text = "output l: 2*multiplier(a)\ncoord x, y, z\nkinetic: x'^2 + y'^2 + z'^2\n\
                constraint a: (x', y') = (z', z*z')\noutput r: reaction(a)\n";
    wrong(text, "several_multipliers", "multiplier(a)");
}
