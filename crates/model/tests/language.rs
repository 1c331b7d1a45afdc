//! The model language, sentence by sentence: what each says, tried in a model, and what it forbids.

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
fn encodings_and_line_ends() {
    let plain = "system \"S\"\nparam k = 2\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2";
    let wanted = model(plain).lagrangian().to_string();
    for text in [
        format!("{plain}\n"),
        format!("\u{feff}{plain}"),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{}\r\n", plain.replace('\n', "\r\n")),
        plain.replace('\n', ";"),
        plain.replace('\n', " ; ; "),
        plain.replace('\n', " # a comment; not a statement \"\n\n\t # another\n"),
        plain.replace('\n', "\n\n   "),
    ] {
        let m = model(&text);
        assert_eq!(m.lagrangian().to_string(), wanted);
        assert_eq!(m.title(), "S");
    }
}

#[test]
fn titles() {
    assert_eq!(model(FREE).title(), "file");
    assert_eq!(model(&format!("system \"\"\n{FREE}")).title(), "");
    assert_eq!(
        model(&format!("system \"a # b; c\"\n{FREE}")).title(),
        "a # b; c"
    );
    wrong(
        &format!("system \"a\"\nsystem \"b\"\n{FREE}"),
        "duplicate_statement",
        "\"b\"",
    );
}

#[test]
fn statements_go_on() {
    let wanted = value("x + 2*y");
    for e in [
        "x +\n 2*y",
        "x + # why\n\n # not\n 2*y",
        "x + 2*\n y",
        "(x\n + 2*y)",
        "(x # here\n + 2\n*\ny\n)",
        "\n x + 2*y",
        " # a comment after the colon\n x + 2*y",
        "x - -2 *\ny",
    ] {
        assert_eq!(value(e), wanted, "{e}");
    }
    // After a comma, an equals sign, inside an index and a unit.
    let m = model(
        "param a = 1, # one\n b =\n 2 [kg*\nm]\ncoord q[1..\n2],\n r\nkinetic: q[\n1]'^2 + q[2]'^2 + r'^2",
    );
    assert_eq!(m.degrees_of_freedom(), 3);
    assert_eq!(parameter(&m, "b"), 2.0);
    // An operator at the start of a line does not continue the line before.
    wrong(
        "coord x\nkinetic: x'^2\npotential: x\n + x",
        "expected_statement",
        "+",
    );
    // Braces hold statements and do not continue lines.
    assert_eq!(
        said("coord x\nkinetic: x'^2\nfor k in 1..2\n{ potential: x }\n")[0].0,
        "expected_token"
    );
    model("coord x\nkinetic: x'^2\nfor k in 1..2 {\n potential: k*x; potential: x^k\n\n}");
    model("coord x\nkinetic: x'^2\nfor k in 1..2 { potential: k*x }");
}

#[test]
fn an_open_bracket_does_not_swallow_the_file() {
    let list = said("param a = (1 + 2\ncoord x\nkinetic: (x'^2\npotential: y\n");
    let codes: Vec<&str> = list.iter().map(|l| l.0).collect();
    assert_eq!(codes, ["expected_token", "expected_token", "unknown_name"]);
}

#[test]
fn names() {
    // Any script; names that differ in script or case are different.
    let m = model(
        "coord θ, φ, Θ, a_1, _b, ж, 角, θ₁\nkinetic: θ'^2 + φ'^2 + Θ'^2 + a_1'^2 + _b'^2 + ж'^2 + 角'^2 + θ₁'^2",
    );
    assert_eq!(m.degrees_of_freedom(), 8);
    model("coord a, а\nkinetic: a'^2 + 2*а'^2"); // Latin and Cyrillic
    assert_eq!(said("coord 2x")[0].0, "expected_name");
    // A superscript is no part of a name.
    assert_eq!(
        said(&format!("{FREE}potential: x²"))[0].0,
        "unexpected_character"
    );
}

#[test]
fn reserved_names_of_values() {
    for name in ["t", "pi", "π"] {
        wrong(&format!("param {name} = 1\n{FREE}"), "reserved_name", name);
    }
    for word in [
        "system",
        "const",
        "param",
        "coord",
        "let",
        "function",
        "assume",
        "particle",
        "body",
        "gravity",
        "spring",
        "damper",
        "kinetic",
        "potential",
        "lagrangian",
        "metric",
        "reference",
        "force",
        "dissipation",
        "constraint",
        "dependent",
        "chart",
        "symmetry",
        "initial",
        "output",
        "event",
        "simulate",
        "for",
    ] {
        for text in [
            format!("param {word} = 1\n{FREE}"),
            format!("let {word} = 1\n{FREE}"),
            format!("const {word} = 1\n{FREE}"),
        ] {
            wrong(&text, "reserved_name", word);
        }
        let text = format!("coord y, {word}\nkinetic: y'^2\n");
        assert!(said(&text).contains(&("reserved_name", word)), "{word}");
    }
}

#[test]
fn words_of_statements_are_free_elsewhere() {
    let words = [
        "mass",
        "at",
        "angle",
        "from",
        "to",
        "rising",
        "falling",
        "both",
        "terminal",
        "inertia",
        "rotation",
        "stiffness",
        "length",
        "coefficient",
        "torque",
        "on",
        "every",
        "method",
        "tolerance",
        "in",
        "zxz",
        "quaternion",
        "D",
        "dot",
        "position",
        "velocity",
        "omega",
        "sum",
        "product",
        "sin",
        "norm",
        "x",
        "delta",
    ];
    for w in words {
        if w != "x" {
            model(&format!("param {w} = 1\n{FREE}potential: {w}*x"));
        }
        model(&format!(
            "coord {w}\nkinetic: {w}'^2\nforce: {w} = -{w}'\nevent: {w} rising\noutput: {w}'\ninitial {w} = 1, {w}' = 2"
        ));
        if w != "x" {
            model(&format!("let {w} = 2\n{FREE}potential: {w}*x"));
        }
    }
    let m = model(
        "param mass = 1, at = 2, inertia = 3, angle = 4, from = 1, to = 2, stiffness = 7, length = 8\n\
         param coefficient = 9, torque = 10, on = 11, every = 0.1, tolerance = 1e-9\ncoord rising, falling, phi\n\
         particle mass: mass mass at (rising, at)\n\
         body at: mass mass inertia inertia at (falling, rising) angle phi*angle\n\
         spring to: stiffness stiffness length length from (from, to) to (rising, 0)\n\
         damper from: coefficient coefficient from (from, to) to (rising, falling)\n\
         force torque: torque torque on at\n\
         force on: (torque, on) at (rising, at)\n\
         event rising: rising rising terminal\nevent falling: falling falling\n\
         simulate from from to to every every tolerance tolerance\n",
    );
    assert_eq!(m.contents().forces.len(), 3);
    assert_eq!(m.contents().events.len(), 2);
    // `torque` as the name of a value at the start of a force.
    let m = model(
        "param F = 2\ncoord torque\nkinetic: torque'^2\nforce: torque = F\nlet torques = 1\n",
    );
    assert_eq!(
        m.expr(m.contents().forces[0].components[0]).to_string(),
        "F"
    );
    let m =
        model("coord torque[1..2]\nkinetic: torque[1]'^2 + torque[2]'^2\nforce: torque[2] = 3\n");
    assert_eq!(
        m.expr(m.contents().forces[0].components[1]).to_string(),
        "3"
    );
    let m = model(
        "param torque = 2\ncoord x\nkinetic: x'^2\nforce: torque at (x)\nforce: torque*2 at (x^2)\n",
    );
    assert_eq!(
        m.expr(m.contents().forces[0].components[0]).to_string(),
        "torque"
    );
}

#[test]
fn spaces_of_names() {
    // Functions and values, statements and values.
    model(
        "param omega = 2, V = 1, f = 3\nfunction V(r)\nlet f(s) = s^2, bob = (x, y)\ncoord x, y, phi\n\
         particle bob: mass 1 at bob\npotential bob: V*f(x)*f + V(x)\n\
         body wheel: mass 1 inertia 1 at (x, y) angle phi\nforce wheel: phi = -omega*omega(wheel)\n\
         potential gravity: x\nforce gravity: x = 1\noutput bob: position(wheel, (1, 0)).x\nevent bob: x\n",
    );
    wrong(
        &format!("{FREE}force a: x = 1\nforce a: x = 2\n"),
        "duplicate_statement",
        "a",
    );
    wrong(
        "const a = 1\nparam a = 2\ncoord x\nkinetic: x'^2",
        "duplicate_name",
        "a",
    );
    wrong(
        "let f(s) = s\nfunction f(s)\ncoord x\nkinetic: x'^2",
        "duplicate_name",
        "f",
    );
    wrong(
        "let a = 1, a = 2\ncoord x\nkinetic: x'^2",
        "duplicate_name",
        "a",
    );
    // Unnamed statements are numbered by kind.
    let m = model(&format!(
        "{FREE}force: x = 1\nforce named: x = 2\nforce: x = 3\npotential: x\n"
    ));
    let c = m.contents();
    let names: Vec<&str> = c.forces.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["force 1", "named", "force 2"]);
    assert!(c.contributions.iter().any(|k| k.name == "potential 1"));
}

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

#[test]
fn numbers_are_exact() {
    assert_eq!(value("0.1*x + 0.2*x"), "3*x/10");
    assert_eq!(value("1.2e-3*x"), "0.0012*x");
    assert_eq!(value("12*x/18"), "2*x/3");
    assert_eq!(value("1e3*x"), "1000*x");
    assert_eq!(value("2E2*x"), "200*x");
    assert_eq!(value("(1e400/1e399)*x"), "10*x");
    wrong(&format!("{FREE}potential: .5*x"), "malformed_number", ".5");
    wrong(&format!("{FREE}potential: 5.*x"), "malformed_number", "5.");
    wrong(
        &format!("{FREE}potential: 1e99999*x"),
        "number_too_large",
        "1e99999",
    );
}

#[test]
fn ranges() {
    assert_eq!(value("sum(k in 1..3: k*x)"), "6*x");
    assert_eq!(value("sum(k in 3..3: k*x)"), "3*x");
    assert_eq!(value("x + sum(k in 1..0: k*x)"), "x");
    assert_eq!(value("x*product(k in 4..n: k)"), "x");
    assert_eq!(value("sum(k in -1..1: k^2*x)"), "2*x");
    assert_eq!(value("sum(k in 1..n: sum(j in k..n: x))"), "6*x");
    assert_eq!(value("sum(k in n-2..2*n-3: x)"), "3*x");
    model(
        "const n = 0\nparam a[i in 1..n] = i\ncoord x, q[1..n]\nlet r[k in 1..n] = q[k]\nkinetic: x'^2\nfor k in 1..n { potential: q[k] }",
    );
    wrong(
        &format!("{FREE}potential: sum(k in 1..x: k)"),
        "not_an_integer",
        "x",
    );
    wrong(
        &format!("{FREE}potential: x*sum(k in 1..1/2: k)"),
        "not_an_integer",
        "1/2",
    );
}

#[test]
fn brackets() {
    // Touching a name: an index. After white space: a unit.
    let m = model("param q[i in 1..2] = i [m], l = q[1] [m]\ncoord x [m]\nkinetic: x'^2\n");
    assert_eq!(
        m.expr(m.contents().parameters[2].value.unwrap())
            .to_string(),
        "q[1]"
    );
    wrong("coord x[m]\nkinetic: x'^2\n", "expected_range", "[m]");
    wrong(
        "param m[kg] = 1\ncoord x\nkinetic: x'^2\n",
        "expected_range",
        "[kg]",
    );
    wrong(
        "coord q[1..2]\nkinetic: q[1]'^2 + q[2]'^2\npotential: q [1]\n",
        "unexpected_token",
        "[",
    );
}

// ---- expressions ----

#[test]
fn precedence() {
    same("2^3^2*x", "512*x");
    same("-x^2", "-(x^2)");
    same("2^-1*x", "x/2");
    same("2*-x", "-2*x");
    same("x - -y", "x + y");
    same("x--y", "x + y");
    same("x^-y^2", "x^(-(y^2))");
    same("-x*y", "-(x*y)");
    same("x/y*z", "(x/y)*z");
    same("x/y/z", "x/(y*z)");
    same("x - y - z", "(x - y) - z");
    same("--x", "x");
    same("(x + y)^2", "(y + x)^2");
    let force = |e: &str| {
        let m = model(&format!("coord x, y\nkinetic: x'^2 + y'^2\nforce: x = {e}"));
        m.expr(m.contents().forces[0].components[0]).to_string()
    };
    assert_eq!(force("x'^2"), force("(x')^2"));
    assert_eq!(force("2^x'"), force("2^(x')"));
    assert_eq!(force("-x'"), force("-1*x'"));
}

#[test]
fn functions() {
    for f in [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    ] {
        value(&format!("{f}(x)"));
        assert_eq!(
            said(&format!("{FREE}potential: {f}(x, x)"))[0].0,
            "wrong_argument_count"
        );
        assert_eq!(
            said(&format!("{FREE}potential: {f}*x"))[0].0,
            "missing_arguments"
        );
    }
    value("atan2(y, x)");
    for e in [
        "abs(x)",
        "sign(x)",
        "min(x, 2)",
        "max(x, y)",
        "if(x < y, x, y)",
        "if(x >= y, 1, 0)",
        "if(x <= 1, x, 1)",
        "if(x > 1, 1, x)",
    ] {
        let text =
            format!("coord x, y\nkinetic: x'^2 + y'^2\nforce: x = {e}\noutput: {e}\nevent: {e}\n");
        assert!(model(&text).contents().forces[0].kinked, "{e}");
        // Of parameters and numbers they have no kink.
        model(&format!(
            "param x = 1, y = 2\ncoord q\nkinetic: q'^2\npotential: q*{e}\n"
        ));
    }
    wrong(
        &format!("{FREE}force: x = if(x, 1, 2)"),
        "expected_comparison",
        "x",
    );
    wrong(
        &format!("{FREE}force: x = 2*(x < 1)"),
        "expected_token",
        "<",
    );
    wrong(
        &format!("{FREE}force: x = sin(x < 1)"),
        "unexpected_comparison",
        "x < 1",
    );
}

#[test]
fn tuples() {
    same("(x, y, z).y", "y");
    same("dot((x, y), (1, 2))", "x + 2*y");
    same("cross((x, y), (1, 2))", "2*x - y");
    same("cross((x, y, z), (1, 2, 3)).z", "2*x - y");
    same("cross((x, y, z), (1, 2, 3)).x", "3*y - 2*z");
    same("norm((x, y))", "sqrt(x^2 + y^2)");
    same("((x, y) + (y, z)).x", "x + y");
    same("((x, y) - (y, z)).y", "y - z");
    same("(-(x, y)).x", "-x");
    same("(2*(x, y)*3).y", "6*y");
    same("((x, y)/2).x", "x/2");
    same("(x,) + 1", "x + 1");
    same("(x,).x", "x");
    same("(1, 2).x*x", "x");
    same("if(1 < 2, (x, y), (y, x)).x", "x");
    let pair = |e: &str| said(&format!("coord x, y\nkinetic: x'^2 + y'^2\npotential: {e}"))[0].0;
    assert_eq!(pair("(x, y)"), "shape_mismatch");
    assert_eq!(pair("(x, y)*(x, y)"), "shape_mismatch");
    assert_eq!(pair("1/(x, y)"), "shape_mismatch");
    assert_eq!(pair("((x, y) + 1).x"), "shape_mismatch");
    assert_eq!(pair("(x, y)^2"), "shape_mismatch");
    assert_eq!(pair("sin((x, y))"), "shape_mismatch");
    assert_eq!(pair("((x, y), x).x"), "shape_mismatch");
    assert_eq!(pair("dot((x, y), (x, y, x))"), "shape_mismatch");
    assert_eq!(pair("(x, y).z"), "no_such_component");
    assert_eq!(pair("(x, y).w"), "no_such_component");
    assert_eq!(pair("cross((x,), (y,))"), "shape_mismatch");
}

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

#[test]
fn units() {
    let m = model("param a = 50 [cm], b = 30 [deg], c = 1 [rpm], d = 2 [kg*m/s^2], e = 3 [km/h], f = 1 [m^-2*(kg/s)^2], g = 5 [1/s], h = 4 [1], i = 2 [mN], j = 3 [µm], k = 1 [min], l = 10 [%]\ncoord x\nkinetic: x'^2\n"
        .replace(", l = 10 [%]", "").as_str());
    for (name, wanted) in [
        ("a", 0.5),
        ("b", std::f64::consts::FRAC_PI_6),
        ("c", std::f64::consts::PI / 30.0),
        ("d", 2.0),
        ("e", 3.0 / 3.6),
        ("f", 1.0),
        ("g", 5.0),
        ("h", 4.0),
        ("i", 0.002),
        ("j", 3e-6),
        ("k", 60.0),
    ] {
        assert!(
            (parameter(&m, name) - wanted).abs() <= 1e-15 * wanted,
            "{name}"
        );
    }
    // A number alone takes the unit; what has symbols must agree and is not scaled.
    let m = model(
        "const n = 2\nparam a = 3*n/4 + 1 [cm], b = 2*a [cm], c = pi [deg]\ncoord x\nkinetic: x'^2\n",
    );
    assert_eq!(parameter(&m, "a"), 0.025);
    assert_eq!(parameter(&m, "b"), 0.05);
    wrong(
        "param a = 1 [m], b = a [s]\ncoord x\nkinetic: x'^2\n",
        "dimension_mismatch",
        "a",
    );
    wrong(
        "param a = 1 [m], b = a + 1 [m]\ncoord x\nkinetic: x'^2\n",
        "dimension_mismatch",
        "a + 1",
    );
}

#[test]
fn dimensions_are_found_by_unification() {
    let base = "param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2], k, T\ncoord x [m], θ [rad], y\nkinetic: m*x'^2/2 + m*l^2*θ'^2/2 + m*y'^2/2\n";
    model(&format!(
        "{base}potential: k*x^2/2 + m*g*y + m*g*l*cos(θ)\n"
    ));
    // y is a length, because of its kinetic energy.
    wrong(
        &format!("{base}potential: m*g*y*l\n"),
        "dimension_mismatch",
        "m*g*y*l",
    );
    // k is N/m, and then not N.
    wrong(
        &format!("{base}potential: k*x^2/2\npotential: k*x\n"),
        "dimension_mismatch",
        "k*x",
    );
    // Angles are dimensionless; functions take pure numbers.
    wrong(
        &format!("{base}potential: m*g*l*cos(x)\n"),
        "dimension_mismatch",
        "x",
    );
    model(&format!("{base}potential: m*g*l*cos(x/l)*cos(2*pi*t/T)\n"));
    // Zero fits anything, a number does not; also through a name.
    model(&format!(
        "{base}let O = 0, Z = (0, 0)\npotential: m*g*(x + 0) + O\nforce: x = O, θ = O\noutput: norm((x, y) - Z) + 0*T\noutput: dot(Z, (T, T))\n"
    ));
    wrong(
        &format!("{base}potential: m*g*(x + 1)\n"),
        "dimension_mismatch",
        "x + 1",
    );
    wrong(
        &format!("{base}force: θ = -m*g\n"),
        "dimension_mismatch",
        "-m*g",
    );
    wrong(
        &format!("{base}initial x = T/T\n"),
        "dimension_mismatch",
        "T/T",
    );
    wrong(&format!("{base}simulate to l\n"), "dimension_mismatch", "l");
    model(&format!(
        "{base}simulate to 10*T every T/10 tolerance 1e-9\n"
    ));
    model(&format!("{base}initial x = 2, θ' = 3, x' = l*sqrt(g/l)\n"));
    wrong(
        &format!("{base}output: if(x < t, 1, 2)\n"),
        "dimension_mismatch",
        "x < t",
    );
    wrong(&format!("{base}output: x^θ\n"), "dimension_mismatch", "x^θ");
    wrong(
        &format!("{base}output: min(x, θ)\n"),
        "dimension_mismatch",
        "min(x, θ)",
    );
    wrong(
        &format!("{base}output: norm((x, θ))\n"),
        "dimension_mismatch",
        "(x, θ)",
    );
    wrong(
        &format!("{base}constraint: x = θ\n"),
        "dimension_mismatch",
        "constraint: x = θ",
    );
    wrong(
        &format!("{base}assume x > θ\n"),
        "dimension_mismatch",
        "x > θ",
    );
    model(&format!(
        "{base}assume x > 0\noutput: atan2(x, y) + sqrt(x/l) + sign(x) + abs(θ)\n"
    ));
    // The message says both dimensions and where they come from.
    let text = format!("{base}force: θ = -m*g\n");
    let d = &read(&text, &settings(&[])).diagnostics[0];
    assert!(
        d.message.contains("[kg*m/s^2]") && d.message.contains("[kg*m^2/s^2]"),
        "{d:?}"
    );
    assert!(
        d.hint.contains("m [kg] in line 1") && d.hint.contains("g [m/s^2] in line 1"),
        "{d:?}"
    );
}

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

/// Multipliers and reactions have dimensions: λ∂f/∂x and λ∂f/∂x' are forces.
#[test]
fn multipliers_and_reactions_have_dimensions() {
    let text = |output: &str| {
        format!(
            "param m = 1 [kg], R = 1 [m], F = 3 [N]\ncoord x [m], y [m]\nparticle p: mass m at (x, y)\n\
             output o: {output}\nconstraint c: x^2 + y^2 = R^2\nconstraint d: x' = 2*y'\n"
        )
    };
    for fine in [
        "multiplier(c)*R - F",
        "multiplier(d) - F",
        "reaction(c) - F/sqrt(m)",
        "multiplier(c)*x^2 + m*x'^2",
    ] {
        assert_eq!(said(&text(fine)), [], "{fine}");
    }
    for output in [
        "multiplier(c) + x'",
        "multiplier(c) - F",
        "multiplier(d)*R - F",
        "reaction(c) - F",
        "multiplier(c) + 1",
    ] {
        wrong(&text(output), "dimension_mismatch", output);
    }
    // Without units everything is a number.
    let free =
        "coord x\nkinetic: x'^2\nconstraint c: x = sin(t)\noutput o: multiplier(c) + x' + 1\n";
    assert_eq!(said(free), []);
}

#[test]
fn a_constraint_between_tuples_has_no_one_multiplier() {
    let text = "output l: 2*multiplier(a)\ncoord x, y, z\nkinetic: x'^2 + y'^2 + z'^2\n\
                constraint a: (x', y') = (z', z*z')\noutput r: reaction(a)\n";
    wrong(text, "several_multipliers", "multiplier(a)");
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
