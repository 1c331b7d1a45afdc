//! The model language, sentence by sentence: what each says, tried in a model, and what it forbids.

#[path = "language/dimensions.rs"]
mod dimensions;
#[path = "language/expressions.rs"]
mod expressions;
#[path = "language/mechanics.rs"]
mod mechanics;

use galilei_expr::{Expr, Program, Rational};
use galilei_model::{Code, Model, Part, Settings, read};

fn settings(set: &[&str]) -> Settings {
    Settings {
        set: set.iter().map(|s| (*s).to_owned()).collect(),
        title: "file".into(),
    }
}

#[track_caller]
fn model_with(text: &str, set: &[&str]) -> Model {
    let outcome = read(text, &settings(set));
    assert!(
        outcome.model.is_some(),
        "{text}\n{:#?}",
        outcome.diagnostics
    );
    outcome.model.unwrap()
}

#[track_caller]
fn model(text: &str) -> Model {
    model_with(text, &[])
}

/// The codes of what is said, at the texts they point to.
fn said(text: &str) -> Vec<(&'static str, &str)> {
    read(text, &settings(&[]))
        .diagnostics
        .iter()
        .map(|d| (d.code.as_str(), d.span.map_or("", |s| s.text(text))))
        .collect()
}

#[track_caller]
fn wrong(text: &str, code: &str, place: &str) {
    assert_eq!(said(text), [(code, place)], "{text}");
}

/// V of a model of which only the potential matters.
fn potential_of(text: &str) -> String {
    model(text).part(Part::Potential).to_string()
}

/// What an expression in x, y, z and p stands for.
#[track_caller]
fn value(e: &str) -> String {
    potential_of(&format!(
        "const n = 3, zero = 0\nparam p\ncoord x, y, z\nkinetic: x'^2 + y'^2 + z'^2\npotential: {e}\n"
    ))
}

#[track_caller]
fn same(a: &str, b: &str) {
    assert_eq!(value(a), value(b), "{a} and {b}");
}

/// The value of a parameter in SI units.
#[track_caller]
fn parameter(m: &Model, name: &str) -> f64 {
    let values = m.parameter_values().unwrap();
    let contents = m.contents();
    let k = contents.parameters.iter().position(|p| p.name == name);
    number(values[k.unwrap_or_else(|| panic!("no {name}"))].1)
}

fn number(e: Expr<'_>) -> f64 {
    Program::new(&[e], &[]).unwrap().f64(&[])[0]
}

const FREE: &str = "coord x\nkinetic: x'^2/2\n";

// ---- lexical rules ----

#[test]
fn velocities() {
    model("coord x, q[1..2]\nkinetic: x'^2 + q[1]'^2 + q[2]'^2\ninitial q[2]' = 3");
    wrong(&format!("{FREE}force: x = x''"), "second_derivative", "x''");
    wrong(
        &format!("{FREE}let a = 2\nforce: x = a'"),
        "not_a_coordinate",
        "a'",
    );
    wrong(&format!("{FREE}force: x = t'"), "not_a_coordinate", "t'");
    wrong(
        &format!("{FREE}force: x = (x)*(x*1)'"),
        "not_a_coordinate",
        "(x*1)'",
    );
    // A prime touches.
    assert_eq!(
        said(&format!("{FREE}force: x = x '"))[0].0,
        "unexpected_token"
    );
}

// ---- expressions ----

#[test]
fn positions_with_one_component() {
    let l = |at: &str| {
        model(&format!("param m\ncoord x\nparticle: mass m at {at}\n"))
            .lagrangian()
            .to_string()
    };
    assert_eq!(l("x"), l("(x)"));
    assert_eq!(l("x"), l("(x,)"));
    let g = |at: &str, g: &str| {
        model(&format!(
            "param m\ncoord x\nparticle: mass m at {at}\ngravity: {g}\n"
        ))
        .lagrangian()
        .to_string()
    };
    assert_eq!(g("x", "(-2)"), g("(x,)", "-2"));
    assert_eq!(g("(x)", "(-2,)"), g("(x,)", "-2"));
}

#[test]
fn total_derivatives() {
    let kinetic = |e: &str| {
        model(&format!(
            "param w\ncoord x, y\nlet r = (x*y, cos(w*t))\nkinetic: {e} + x'^2 + y'^2\n"
        ))
        .part(Part::Kinetic)
        .to_string()
    };
    assert_eq!(kinetic("D(x)"), kinetic("x'"));
    assert_eq!(kinetic("D(x*y)"), kinetic("x'*y + x*y'"));
    assert_eq!(kinetic("D(t^2)"), kinetic("2*t"));
    assert_eq!(kinetic("D(r).y"), kinetic("-w*sin(w*t)"));
    assert_eq!(kinetic("dot(D(r), (1, 0))"), kinetic("x'*y + x*y'"));
    wrong(
        &format!("{FREE}kinetic: D(x')"),
        "velocity_not_allowed",
        "x'",
    );
    wrong(
        &format!("{FREE}kinetic: D(D(x))"),
        "velocity_not_allowed",
        "x",
    );
    wrong(
        &format!("let v = x'\n{FREE}kinetic: D(v*x)"),
        "velocity_not_allowed",
        "v",
    );
}

#[test]
fn families_and_functions() {
    let m = model(
        "const n = 3\nparam l[i in 1..n] = i/2, m\ncoord q[1..n]\nlet r[k in 1..n] = sum(j in 1..k: l[j]*q[j])\n\
         let f(s, k) = s^k + l[k], g(s) = f(s, 2)*2\nkinetic: sum(k in 1..n: q[k]'^2)\n\
         potential: r[2] + f(q[3], 2) + g(q[1]) + product(k in 1..n: q[k])\n",
    );
    assert_eq!(
        m.part(Part::Potential).to_string(),
        model("param l[i in 1..3] = i/2, m\ncoord q[1..3]\nkinetic: q[1]'^2 + q[2]'^2 + q[3]'^2\n\
               potential: l[1]*q[1] + l[2]*q[2] + q[3]^2 + l[2] + 2*(q[1]^2 + l[2]) + q[1]*q[2]*q[3]\n")
            .part(Part::Potential)
            .to_string()
    );
    // Constants and indices are integers and may stand in expressions.
    same("sum(k in 1..n: k/n*x)", "2*x");
    same("n*x^n", "3*x^3");
    // The arguments of functions hide other names; tuples may be arguments.
    let t = "coord x, y\nlet f(x) = 2*x, h(r) = r.x - r.y, s(t) = t^2\nkinetic: x'^2 + y'^2\n";
    assert_eq!(
        potential_of(&format!("{t}potential: f(y) + h((x, 3)) + s(x)")),
        potential_of(&format!("{t}potential: 2*y + x - 3 + x^2"))
    );
    wrong(&format!("let f(s, s) = s\n{FREE}"), "duplicate_name", "s");
    wrong(&format!("let f(s) = s + w\n{FREE}"), "unknown_name", "w");
    wrong(
        &format!("let f(s) = s + h(s)\n{FREE}"),
        "unknown_function",
        "h",
    );
    wrong(
        &format!("let f(s) = f(s)\n{FREE}potential: f(x)"),
        "self_reference",
        "f(s)",
    );
    wrong(
        &format!("let a[k in 1..2] = a[3-k]\n{FREE}"),
        "self_reference",
        "a[3-k]",
    );
    // A chain that goes down a family is no circle.
    model("coord x\nlet a[k in 0..9] = sum(j in 0..k-1: a[j]) + x\nkinetic: x'^2\npotential: a[9]");
}

#[test]
fn empty_sums_have_a_shape() {
    let text = |n: usize| {
        format!(
            "const n = {n}\nparam g = 1, l = 1\ncoord x, q[1..n]\nlet e[k in 1..n] = (l*sin(q[k]), l*cos(q[k]))\n\
                 let f(k) = 2*e[k]\nlet tip = sum(k in 1..n: e[k]), tap = (x, 0) + sum(k in 1..n: -f(k)) + sum(k in 1..n: (k, k))\n\
                 kinetic: x'^2 + sum(k in 1..n: q[k]'^2) + (sum(k in 1..n: D(e[k])) + (x', 0)).x^2\npotential: dot(tip, tap) + norm((x, 1) + tip) + sum(k in 1..n: q[k])\n"
        )
    };
    for n in 0..3 {
        model(&text(n));
    }
}

#[test]
fn bodies() {
    let plane = "param m, J, a\ncoord x, y, phi\nbody b: mass m inertia J at (x, y) angle phi\n";
    let output = |e: &str| {
        let m = model(&format!("{plane}output: {e}"));
        m.expr(m.contents().outputs[0].value).to_string()
    };
    assert_eq!(output("position(b, (a, 0)).x"), output("x + a*cos(phi)"));
    assert_eq!(output("position(b, (0, a)).x"), output("x - a*sin(phi)"));
    assert_eq!(
        output("velocity(b, (a, 0)).y"),
        output("y' + a*phi'*cos(phi)")
    );
    assert_eq!(output("omega(b)"), "phi'");
    // The material point stays in the body, also where the arm moves.
    assert_eq!(
        output("velocity(b, (a*t, 0)).y"),
        output("y' + a*t*phi'*cos(phi)")
    );
    let space = "param m, A, B, C\ncoord x, y, z, p, q, r\nbody b: mass m inertia (A, B, C) at (x, y, z) rotation zyx(p, q, r)\n";
    model(&format!(
        "{space}output: omega(b).z + position(b, (1, 2, 3)).x + velocity(b, (0, 0, 1)).y\nforce: torque (1, 2, 3) on b\n"
    ));
    wrong(
        &format!("{plane}output: position(b, (a, 0, 0)).x"),
        "shape_mismatch",
        "(a, 0, 0)",
    );
    wrong(
        &format!("{plane}output: omega(b, 1)"),
        "wrong_argument_count",
        "omega",
    );
    wrong(&format!("{plane}output: omega(c)"), "unknown_body", "c");
    wrong(
        &format!("{plane}potential: omega(b)"),
        "velocity_not_allowed",
        "omega(b)",
    );
    // With an index.
    model(
        "const n = 3\ncoord q[1..n]\nfor k in 1..n {\n body rod[k]: mass 1 inertia 1 at (0, 0) angle q[k]\n force motor[k]: torque k*sin(t) on rod[k]\n}\noutput: omega(rod[n]) - omega(rod[n-1])\n",
    );
    // A quaternion brings its norm as a constraint named after the body.
    let m = model(
        "coord x, y, z, a, b, c, d\nbody top: mass 1 inertia (1, 2, 3) at (x, y, z) rotation quaternion(a, b, c, d)\ninitial a = 1\noutput: multiplier(top)\n",
    );
    assert_eq!(m.contents().constraints[0].name, "top");
    assert!(m.validate().is_empty(), "{:?}", m.validate());
}

#[test]
fn where_velocities_may_stand() {
    let base = "coord x, y\nlet v = x'\nkinetic: x'^2 + y'^2\n";
    for fine in [
        "kinetic: v*y'",
        "lagrangian: v*x",
        "force: x = v, y = -y'",
        "force: (v, 0) at (x, y)",
        "dissipation: v^2",
        "constraint: v = y'",
        "output: v",
        "event: v",
        "let w = v",
        "damper: coefficient 1 + v^2 from (0) to (x)",
    ] {
        model(&format!("{base}{fine}\n"));
    }
    for (refused, place) in [
        ("particle: mass 1 at (v, y)", "v"),
        ("particle: mass x' at (x, y)", "x'"),
        ("body: mass 1 inertia 1 at (x, y) angle y'", "y'"),
        ("body: mass 1 inertia v at (x, y) angle y", "v"),
        ("potential: v", "v"),
        ("potential: D(x)", "x"),
        ("vector potential: x = v", "v"),
        ("metric: x x = v^2", "v"),
        ("reference r: x = y'", "y'"),
        ("chart c(a, b): x = a, y = b + v", "v"),
        ("symmetry: x = v", "v"),
        ("gravity: (v, 0)", "v"),
        ("spring: stiffness 1 from (0) to (v)", "v"),
        ("spring: stiffness v from (0) to (x)", "v"),
        ("spring: stiffness 1 length v from (0) to (x)", "v"),
        ("force: (1, 0) at (v, x)", "v"),
    ] {
        wrong(&format!("{base}{refused}\n"), "velocity_not_allowed", place);
    }
}

#[test]
fn where_kinks_may_stand() {
    let base = "coord x, y\nlet k = abs(x)\nkinetic: x'^2 + y'^2\n";
    for fine in [
        "force: x = k",
        "dissipation: k*x'^2",
        "output: k",
        "event: k - 1",
        "force: (k, 0) at (x, y)",
        "damper: coefficient k from (0) to (x)",
    ] {
        model(&format!("{base}{fine}\n"));
    }
    for refused in [
        "kinetic: k",
        "potential: k",
        "lagrangian: k",
        "particle: mass 1 at (k, y)",
        "particle: mass k at (x, y)",
        "constraint: k = y",
        "metric: x x = k",
        "vector potential: x = k",
        "reference r: x = k",
        "symmetry: x = k",
        "chart c(a, b): x = abs(a), y = b",
        "spring: stiffness 1 from (0) to (k)",
        "spring: stiffness k from (0) to (x)",
    ] {
        assert_eq!(
            said(&format!("{base}{refused}\n"))[0].0,
            "not_smooth",
            "{refused}"
        );
    }
}

// ---- statements ----

#[test]
fn order_is_free_except_for_parameters() {
    model("potential: h*c\nlet h = 2*x\nparam c = n\nkinetic: x'^2\nconst n = m, m = 2\ncoord x\n");
    wrong(
        "param a = b, b = 1\ncoord x\nkinetic: x'^2",
        "declared_later",
        "b",
    );
    wrong(
        "param a = h\nlet h = 1\ncoord x\nkinetic: x'^2",
        "declared_later",
        "h",
    );
    let codes: Vec<&str> = said("const a = b, b = a\ncoord x\nkinetic: x'^2")
        .iter()
        .map(|s| s.0)
        .collect();
    assert!(!codes.is_empty());
}

#[test]
fn constants_and_settings() {
    let text = "const n = 2\nparam m = 50 [cm], free [kg], k[i in 1..n] = i [g], d = 2*m, a = 30 [deg], w = 60 [rpm]\ncoord q[1..n]\nkinetic: sum(i in 1..n: q[i]'^2)\n";
    let m = model_with(text, &["free=1"]);
    assert_eq!(parameter(&m, "m"), 0.5);
    assert_eq!(parameter(&m, "d"), 1.0);
    assert_eq!(parameter(&m, "k[2]"), 0.002);
    assert!((parameter(&m, "a") - std::f64::consts::FRAC_PI_6).abs() < 1e-15);
    assert!((parameter(&m, "w") - std::f64::consts::TAU).abs() < 1e-15);
    // A set number takes the unit of its parameter; several lists; members of families; constants.
    let m = model_with(text, &["m=3,free=1/4", "k[3]=7, n=3", "a=pi/pi"]);
    assert_eq!(parameter(&m, "m"), 0.03);
    assert_eq!(parameter(&m, "d"), 0.06);
    assert_eq!(parameter(&m, "free"), 0.25);
    assert_eq!(parameter(&m, "k[1]"), 0.001);
    assert_eq!(parameter(&m, "k[3]"), 0.007);
    assert_eq!(m.degrees_of_freedom(), 3);
    assert!((parameter(&m, "a") - std::f64::consts::PI / 180.0).abs() < 1e-15);
    for (set, code) in [
        ("n=2.5", "not_an_integer"),
        ("z=1", "unknown_parameter"),
        ("k[3]=1", "unknown_parameter"),
        ("k=1", "unknown_parameter"),
        ("m=free", "invalid_setting"),
        ("m", "invalid_setting"),
        ("m=1;n=2", "invalid_setting"),
        ("m=1,m=2", "invalid_setting"),
        ("n=5000", "too_many_coordinates"),
    ] {
        let outcome = read(text, &settings(&[set]));
        assert!(outcome.model.is_none(), "{set}");
        assert!(
            outcome.diagnostics.iter().any(|d| d.code.as_str() == code),
            "{set}: {:?}",
            outcome.diagnostics
        );
    }
    // Without a value numbers are refused, symbols are not.
    let m = model(text);
    assert_eq!(
        m.parameter_values().unwrap_err()[0].code,
        Code::MissingValue
    );
    m.lagrangian();
}

#[test]
fn states() {
    let m = model(
        "param a = 2 [m], v = 3 [m/s]\ncoord x [cm], θ [deg], q[1..2]\nparam A = 1, B = 1, C = 1\nkinetic: A*x'^2 + B*θ'^2 + q[1]'^2 + C*q[2]'^2\n\
                   initial x = 7, θ' = 90\ninitial q[2] = a/v, x' = v\nsimulate from 4 to 5\n",
    );
    let numbers = |at: &str| {
        let s = m.state_at(at).unwrap();
        let all = std::iter::once(s.time).chain(s.position).chain(s.velocity);
        all.map(number).collect::<Vec<f64>>()
    };
    let half = std::f64::consts::FRAC_PI_2;
    assert_eq!(
        numbers(""),
        [4.0, 0.07, 0.0, 0.0, 2.0 / 3.0, 3.0, half, 0.0, 0.0]
    );
    assert_eq!(
        numbers("t=0.5, θ=180, x'=-2, q[1]=3, q[2]'=1/4"),
        [
            0.5,
            0.07,
            std::f64::consts::PI,
            3.0,
            2.0 / 3.0,
            -0.02,
            half,
            0.0,
            0.25
        ]
    );
    for at in [
        "y=1",
        "x",
        "x=",
        "x=1,,",
        "x=1, x=2",
        "x''=1",
        "t'=1",
        "q=1",
        "q[3]=1",
        "x=a",
        "(x)=1;y=2",
    ] {
        let e = m.state_at(at).unwrap_err();
        assert!(
            e.iter()
                .all(|d| d.code == Code::InvalidState && d.span.is_none()),
            "{at}: {e:?}"
        );
    }
    wrong(
        &format!("{FREE}initial x = 1\ninitial x = 2"),
        "duplicate_entry",
        "x",
    );
    wrong(&format!("{FREE}initial x = t"), "not_constant", "t");
    wrong(&format!("{FREE}initial y = 1"), "not_a_coordinate", "y");
}

#[test]
fn repetitions() {
    let m = model("const n = 3\ncoord q[1..n]\nfor i in 1..n { for j in i..n {\n force f[i]: q[i] = j\n kinetic: q[i]'*q[j]'\n} }\n"
        .replace("force f[i]: q[i] = j", "potential: q[i]*q[j]").as_str());
    assert_eq!(m.contents().contributions.len(), 12);
    assert_eq!(
        said("const n = 2\ncoord x\nkinetic: x'^2\nfor k in 1..n { force f: x = k }")[0],
        ("duplicate_statement", "f")
    );
    for declaration in [
        "param a = 1",
        "coord y",
        "let a = 1",
        "const a = 1",
        "function f(x)",
    ] {
        wrong(
            &format!("{FREE}for k in 1..2 {{ {declaration} }}"),
            "declaration_in_repetition",
            declaration,
        );
    }
    model(&format!("{FREE}for k in 1..0 {{ potential: x*k }}"));
    // The inner index hides the outer one.
    assert_eq!(
        potential_of(&format!(
            "{FREE}for k in 5..5 {{ for k in 1..2 {{ potential: k*x }} }}"
        )),
        "3*x"
    );
    assert_eq!(
        said(&format!("{FREE}for t in 1..2 {{ potential: x }}"))[0],
        ("reserved_name", "t")
    );
}

#[test]
fn undetermined_functions_and_assumptions() {
    let m = model(
        "param m, k\nfunction V(r), F(t, x)\nassume m > 0, k < 2*m, r > 0\ncoord r\nkinetic: m*r'^2/2\npotential: V(r)\nforce: r = F(t, r)\n",
    );
    assert_eq!(m.contents().assumptions.len(), 3);
    wrong(
        &format!("function V(r)\n{FREE}potential: V(x, x)"),
        "wrong_argument_count",
        "V(x, x)",
    );
    wrong(
        &format!("function V(r)\n{FREE}potential: V"),
        "missing_arguments",
        "V",
    );
    wrong(&format!("function sin(r)\n{FREE}"), "reserved_name", "sin");
    let m = model_with(
        "function V(r)\ncoord r\nkinetic: r'^2\npotential: V(r)\n",
        &[],
    );
    let e = m.evaluate(&m.initial_state().unwrap()).unwrap_err();
    assert_eq!(e[0].code, Code::UndeterminedFunction);
}

// ---- units ----

// ---- what a wrong model gets ----

#[test]
fn all_errors_together() {
    let text = "param m = 1 [kgg]\ncoord x\nkinetic: x'^2*a\npotential: b\nforce: y = 1\nforce: x = c, x = d\nlet h = h\nevent: 3\nsimulate from 2\n";
    let codes: Vec<&str> = said(text).iter().map(|s| s.0).collect();
    assert_eq!(
        codes,
        [
            "unknown_unit",
            "unknown_name",
            "unknown_name",
            "not_a_coordinate",
            "unknown_name",
            "duplicate_entry",
            "unknown_name",
            "self_reference",
            "constant_event",
            "missing_end_time"
        ]
    );
}

#[test]
fn nothing_follows_from_a_broken_declaration() {
    wrong(
        "const n = 1/2\ncoord q[1..n]\nkinetic: q[1]'^2 + sum(k in 1..n: q[k]'^2)\nlet r[k in 1..n] = q[k]\npotential: r[2]\ninitial q[1] = 2\nfor k in 1..n { force: q[k] = 1 }\n",
        "not_an_integer",
        "1/2",
    );
    wrong(
        "const n = 5000\ncoord q[1..n]\nkinetic: q[1]'^2\ninitial q[1] = 2\n",
        "too_many_coordinates",
        "q[1..n]",
    );
}

#[test]
fn a_quaternion_takes_the_name_of_its_body_among_the_constraints() {
    let body = "body k: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation quaternion(a, b, c, d)\n";
    let coordinates = "coord a, b, c, d\ninitial a = 1\n";
    let constraint = "constraint k: b = 0\n";
    for text in [
        format!("{coordinates}{body}{constraint}"),
        format!("{coordinates}{constraint}{body}"),
    ] {
        wrong(&text, "duplicate_statement", "k");
        let outcome = read(&text, &settings(&[]));
        assert!(outcome.diagnostics[0].hint.contains("quaternion"));
    }
    model(&format!(
        "{coordinates}{body}constraint j: b = 0\noutput l: multiplier(k)\n"
    ));
}

#[test]
fn members_of_families_are_named_with_their_index() {
    let hint = |constraint: &str, output: &str| {
        let text = format!(
            "coord x[1..2], z\nkinetic: z'^2 + sum(k in 1..2: x[k]'^2)\n\
             for k in 1..2 {{ constraint {constraint}: x[k]' = z' }}\n{output}\n"
        );
        let outcome = read(&text, &settings(&[]));
        outcome.diagnostics[0].hint.clone()
    };
    assert!(hint("c[k]", "output o: reaction(c)").contains("`c[1]`"));
    assert!(hint("c", "").contains("constraint c[k]:"));
}

#[test]
fn tolerances_are_relative_errors() {
    for tolerance in ["2", "1e-30"] {
        let text = format!("{FREE}simulate to 1 tolerance {tolerance}\n");
        wrong(&text, "wrong_setting", tolerance);
    }
}

/// Names are resolved in what was understood of a file with errors of syntax.
#[test]
fn syntax_errors_do_not_hide_unknown_names() {
    const START: &str = "coord x, y\nparam m = 1\n";
    for (text, wanted) in [
        // A misspelt, replaced or forgotten word inside of a statement, and the next line.
        (
            "particle bob: mas m at (x, y)\npotential: k*x\n",
            &[("expected_keyword", "mas"), ("unknown_name", "k")][..],
        ),
        (
            "particle bob: weight m at (x, y)\npotential: k*x\n",
            &[("expected_keyword", "weight"), ("unknown_name", "k")],
        ),
        (
            "particle bob: m at (x, z)\n",
            &[("expected_keyword", "m"), ("unknown_name", "z")],
        ),
        (
            "particle bob: mass m att (x, z)\n",
            &[("expected_keyword", "att"), ("unknown_name", "z")],
        ),
        (
            "particle bob mass m at (x, z)\n",
            &[("expected_token", "mass"), ("unknown_name", "z")],
        ),
        (
            "spring s: stiffness k lenght 2 from (0, 0) to (x, y)\n",
            &[("unknown_name", "k"), ("expected_keyword", "lenght")],
        ),
        (
            "body b: mass m inertia j at (x, y) agnle f\n",
            &[
                ("unknown_name", "j"),
                ("expected_keyword", "agnle"),
                ("unknown_name", "f"),
            ],
        ),
        // A word that starts no statement.
        (
            "partcle bob: mass k at (x, y)\n",
            &[("unknown_statement", "partcle"), ("unknown_name", "k")],
        ),
        (
            "mas m at (x, y)\npotential: k*x\n",
            &[("unknown_statement", "mas"), ("unknown_name", "k")],
        ),
        // What may be declared there is not unknown.
        (
            "foo k = 3, l = 4\npotential: k*x + l*q\n",
            &[("unknown_statement", "foo"), ("unknown_name", "q")],
        ),
        (
            "coord a b c\npotential: a + b + c + d\n",
            &[("unexpected_token", "b"), ("unknown_name", "d")],
        ),
        (
            "param k = 2 kg, l = 3\npotential: k*x + l + h\n",
            &[("unexpected_token", "kg"), ("unknown_name", "h")],
        ),
        // Entries, equations, forces.
        (
            "initial x 1, y = k\n",
            &[("expected_token", "1"), ("unknown_name", "k")],
        ),
        (
            "constraint c: x + k\noutput l: multiplier(c)\n",
            &[("unknown_name", "k"), ("expected_token", "\n")],
        ),
        (
            "force f: x = 3 +, y = k\n",
            &[("expected_expression", ","), ("unknown_name", "k")],
        ),
        (
            "force f: torque k on\n",
            &[("unknown_name", "k"), ("expected_name", "\n")],
        ),
        (
            "simulate too 3 to k\n",
            &[("expected_keyword", "too"), ("unknown_name", "k")],
        ),
        // A value that was not read to its end says nothing about dimensions elsewhere.
        (
            "param g = 1 [m/s^2], w = 1 [kg]\ncoord h [m]\npotential: 3 w*g*h\npotential: w*g*h\n",
            &[("unexpected_token", "w")],
        ),
    ] {
        assert_eq!(said(&format!("{START}{text}")), wanted, "{text}");
    }
}
