//! Texts, names, numbers and expressions.

use super::*;

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
fn velocities_under_other_names() {
    for name in ["x_dot", "xdot", "dx"] {
        let text = format!("coord x\nkinetic: x'^2/2\nforce drag: x = -{name}\n");
        let outcome = galilei_model::read(&text, &galilei_model::Settings::default());
        assert_eq!(
            outcome.diagnostics[0].hint, "the velocity of x is `x'`",
            "{name}"
        );
    }
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
