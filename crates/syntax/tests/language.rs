//! The statements of the language, and the errors reported for wrong ones.

use galilei_syntax::{
    Direction, ExpressionKind as E, ForceBody, Kind, Lines, Orientation, Pose, SyntaxCode, parse,
    parse_expression,
};

const KAPITZA: &str = r#"# A pendulum whose pivot is shaken vertically (Kapitza).
system "Kapitza pendulum"

param m = 0.2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]
param a = 0.02 [m], w = 250 [rad/s], c = 0.003 [N*m*s]

coord theta [rad]

let pivot = a*cos(w*t)
let bob   = (l*sin(theta), pivot - l*cos(theta))

particle bob: mass m at bob
gravity: (0, -g)
force friction: theta = -c*theta'

initial theta = 3.0, theta' = 0
simulate to 10
"#;

#[test]
fn a_first_model() {
    for text in [
        KAPITZA.to_owned(),
        format!("\u{feff}{}", KAPITZA.replace('\n', "\r\n")),
    ] {
        let file = parse(&text);
        assert_eq!(file.errors, []);
        assert_eq!(file.statements.len(), 11);
        let Kind::Param(list) = &file.statements[1].kind else {
            panic!()
        };
        assert_eq!(list.len(), 3);
        let unit = list[2].unit.as_ref().unwrap();
        let factors: Vec<(&str, i32)> = unit
            .factors
            .iter()
            .map(|f| (f.name.as_str(), f.exponent))
            .collect();
        assert_eq!(factors, [("m", 1), ("s", -2)]);
    }
}

#[test]
fn every_statement() {
    let text = r#"
system "All"; const n = 4
param k[i in 1..n] = i*0.5 [N/m], free [kg]
coord x [m], y, q[1..n] [rad]
let h = 2*x, r[k in 1..n] = q[k]^2, f(s, k) = s^k
function V(r), F(t, x)
assume m > 0, r >= 0
particle bob[k]: mass m at (x, y)
body wheel: mass m inertia J at (x, y) angle phi
body top: mass m inertia (A, B, C) at (x, y, z) rotation zxz(phi, theta, psi)
body free: mass m inertia (A, B, C) at (x, y, z) rotation quaternion(a, b, c, d)
gravity: (0, -g)
spring s1: stiffness K length L from (0, 0) to (x, y)
spring: stiffness K from P to Q
damper d1: coefficient C from P to Q
kinetic extra: m*x'^2/2
potential: -m*g*y
lagrangian L1: x'*y - V(x)
vector potential field: x = -B*y/2, y = B*x/2
metric: x x = m, x y = a*cos(x), q[1] q[2] = 3
reference rotating: x = -w*y, y = w*x
reference: x = 1
force drag: x = -c*x', q[1] = sin(t)
force wind: (Fx, Fy) at position(wheel, (1, 0))
force motor: torque 3*cos(t) on wheel
dissipation: c*x'^2/2
constraint roll: x' = R*phi'
dependent x', q[1]'
chart polar(r, phi): x = r*cos(phi), y = r*sin(phi)
symmetry turn: x = -y, y = x, t = 0
initial x = 1, x' = -2
output height: y
event top: y' falling terminal
event: x rising
simulate from 0 to 10 every 0.01 method taylor tolerance 1e-10
for k in 1..n {
  particle p[k]: mass m at (q[k], 0)
  for j in 1..k { output: q[j] }
}
"#;
    let file = parse(text);
    assert_eq!(file.errors, []);
    let kinds: Vec<&Kind> = file.statements.iter().map(|s| &s.kind).collect();
    assert!(kinds.iter().all(|k| !matches!(k, Kind::Broken)));
    assert!(kinds.iter().any(
        |k| matches!(k, Kind::Body { pose: Pose { orientation: Some(Orientation::Rotation(list)), .. }, .. }
        if list[0].kind.text == "quaternion" && list[0].arguments.as_ref().is_some_and(|a| a.len() == 4))
    ));
    assert!(kinds.iter().any(|k| matches!(k, Kind::Force { body: ForceBody::Torque { body, .. }, .. } if body.name.text == "wheel")));
    assert!(kinds.iter().any(|k| matches!(
        k,
        Kind::Event {
            direction: Direction::Falling,
            terminal: true,
            ..
        }
    )));
    let Some(Kind::For { body, .. }) = kinds.last() else {
        panic!()
    };
    assert_eq!(body.len(), 2);
}

/// The expression, with parentheses everywhere.
fn shape(text: &str) -> String {
    fn show(e: &galilei_syntax::Expression) -> String {
        let list = |items: &[galilei_syntax::Expression]| {
            items.iter().map(show).collect::<Vec<_>>().join(", ")
        };
        match &e.kind {
            E::Number(n) => n.clone(),
            E::Name(n) => n.clone(),
            E::Index(n, i) => format!("{}[{}]", n.text, list(i)),
            E::Prime(e, n) => format!("{}{}", show(e), "'".repeat(*n as usize)),
            E::Negate(e) => format!("(-{})", show(e)),
            E::Sum(items) => {
                let parts = items
                    .iter()
                    .map(|(s, e)| format!("{}{}", if *s { "-" } else { "+" }, show(e)));
                format!("({})", parts.collect::<String>())
            }
            E::Product(items) => {
                let parts = items
                    .iter()
                    .map(|(d, e)| format!("{}{}", if *d { "/" } else { "*" }, show(e)));
                format!("({})", parts.collect::<String>())
            }
            E::Wedge(items) => {
                let parts: Vec<String> = items.iter().map(show).collect();
                format!("({})", parts.join("∧"))
            }
            E::Power(a, b) => format!("({}^{})", show(a), show(b)),
            E::Compare(_, a, b) => format!("({} ? {})", show(a), show(b)),
            E::Equals(a, b) => format!("({} = {})", show(a), show(b)),
            E::Call(n, i, a) if i.is_empty() => format!("{}({})", n.text, list(a)),
            E::Call(n, i, a) => format!("{}[{}]({})", n.text, list(i), list(a)),
            E::Fold(n, b, e) => format!("{}({} in …: {})", n.text, b.variable.text, show(e)),
            E::Tuple(items) => format!("<{}>", list(items)),
            E::Component(e, n) => format!("{}.{}", show(e), n.text),
            E::Missing => "?".into(),
        }
    }
    let (e, errors) = parse_expression(text);
    assert_eq!(errors, [], "{text}");
    show(&e)
}

#[test]
fn precedence() {
    for (text, expected) in [
        ("-x^2", "(-(x^2))"),
        ("2^-1", "(2^(-1))"),
        ("a + b*c /\\ d(x)/2 ∧ e - f", "(+a+((*b*c)∧(*d(x)/2)∧e)-f)"),
        ("-a /\\ b", "((-a)∧b)"),
        ("a /\\\\ b", "(a∧b)"),
        ("2*-x", "(*2*(-x))"),
        ("a^b^c", "(a^(b^c))"),
        ("x'^2", "(x'^2)"),
        ("q[k]'", "q[k]'"),
        ("a - b + c*d/e", "(+a-b+(*c*d/e))"),
        ("-a*b", "(*(-a)*b)"),
        ("(a, b).x", "<a, b>.x"),
        ("if(x < 1, a, b)", "if((x ? 1), a, b)"),
        ("sum(k in 1..n: q[k]^2)", "sum(k in …: (q[k]^2))"),
        ("f[1,2](x, y)", "f[1, 2](x, y)"),
        ("1.5e-3*pi", "(*1.5e-3*pi)"),
        ("(a)", "a"),
        ("a +\n b", "(+a+b)"),
        ("sin(x)^2 + cos(x)^2 = 1", "((+(sin(x)^2)+(cos(x)^2)) = 1)"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn lines_go_on_inside_brackets_and_after_operators() {
    let file = parse(
        "let a = (1,\n  2)\nlet b = 1 + # comment\n  2\nparam m = 1, # first\n  l = 2\nforce f:\n  x = 1\n",
    );
    assert_eq!(file.errors, []);
    assert_eq!(file.statements.len(), 4);
}

#[test]
fn a_bracket_that_touches_is_an_index() {
    let file = parse("coord q[1..3] [m]\nparam k [N/m], j[i in 1..2] = 1 [kg]");
    assert_eq!(file.errors, []);
    let Kind::Coord(list) = &file.statements[0].kind else {
        panic!()
    };
    assert!(list[0].range.is_some() && list[0].unit.is_some());
    let Kind::Param(list) = &file.statements[1].kind else {
        panic!()
    };
    assert!(list[0].binder.is_none() && list[0].unit.is_some());
    assert!(list[1].binder.is_some() && list[1].unit.is_some());
}

#[test]
fn all_errors_at_once_with_places() {
    let text = "param m = \ncoord z\npartcile bob: mass m at (0, 1)\nspring s: stifness 3 from a to b\nlet a = (1 + 2\ncoord x\nforce: 3\nsystem Title\nlet b = 2 $ 3\n";
    let file = parse(text);
    let lines = Lines::new(text);
    let got: Vec<(usize, &str)> = file
        .errors
        .iter()
        .map(|e| (lines.place(e.span.start).0, e.code.as_str()))
        .collect();
    assert_eq!(
        got,
        [
            (1, "expected_expression"),
            (3, "unknown_statement"),
            (4, "expected_keyword"),
            (5, "expected_token"),
            (7, "expected_token"),
            (8, "expected_title"),
            (9, "unexpected_character"),
            (9, "unexpected_token"),
        ]
    );
    assert!(file.errors[1].hint.contains("particle"));
    // Statements after a broken one are read.
    assert!(
        file.statements
            .iter()
            .any(|s| matches!(s.kind, Kind::Coord(_)))
    );
}

#[test]
fn exceeded_limits_are_reported() {
    let deep = format!("let a = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(
        parse(&deep)
            .errors
            .iter()
            .any(|e| e.code == SyntaxCode::NestingTooDeep)
    );
    // Nesting up to the documented depth is read; beyond it there is exactly one error.
    for (open, close) in [("(", ")"), ("sin(", ")"), ("(1, ", ")"), ("f(2, ", ", 3)")] {
        let nested = |n| format!("let a = {}1{}\n", open.repeat(n), close.repeat(n));
        assert_eq!(parse(&nested(200)).errors, []);
        for deeper in [201, 300] {
            let errors = parse(&nested(deeper)).errors;
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert_eq!(errors[0].code, SyntaxCode::NestingTooDeep);
        }
    }
    let minus = format!("let a = {}1", "-".repeat(100_000));
    assert!(
        parse(&minus)
            .errors
            .iter()
            .any(|e| e.code == SyntaxCode::NestingTooDeep)
    );
    let long = format!("let a = 1{}", "+1".repeat(200_000));
    assert_eq!(parse(&long).errors, []);
    let large = " ".repeat(galilei_syntax::MAX_FILE_BYTES + 1);
    assert_eq!(parse(&large).errors[0].code, SyntaxCode::FileTooLarge);
}

#[test]
fn random_text_never_panics() {
    // Fragments of the language in random order: a tree and errors, always.
    let pieces = [
        "param ",
        "coord ",
        "m",
        " = ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        "\n",
        "'",
        "1..n",
        "0.5",
        "x",
        "^",
        "-",
        "+",
        "*",
        "/",
        "for k in ",
        "sum(k in 1..n: ",
        "\"",
        "θ",
        "#",
        " ",
        "body b: mass ",
        "rotation ",
        "<=",
        ".",
        "é",
    ];
    let mut seed = 12345u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for _ in 0..20_000 {
        let text: String = (0..next() % 30)
            .map(|_| pieces[next() % pieces.len()])
            .collect();
        let file = parse(&text);
        for e in &file.errors {
            assert!(
                e.span.end as usize <= text.len() && e.span.start <= e.span.end,
                "{text:?} {e:?}"
            );
        }
    }
}

/// Habits from other languages get a hint that names what to write.
#[test]
fn habits_of_other_languages_get_a_hint() {
    for (text, hint) in [
        ("param g = 9.81 [m/s**2]", "write ^ for a power"),
        ("kinetic: x'**2", "write ^ for a power"),
        ("coord x // a comment", "a comment starts with #"),
        ("// a comment", "a comment starts with #"),
        ("simulate 0..2", "write `simulate to 10`"),
    ] {
        let file = parse(text);
        let hints: Vec<&str> = file.errors.iter().map(|e| e.hint.as_str()).collect();
        assert!(hints.iter().any(|h| h.contains(hint)), "{text}: {hints:?}");
    }
}

/// What newcomers write: units without brackets or where no name is declared, and long or short forms of statement words.
#[test]
fn hints_for_first_models() {
    let hint = |text: &str| {
        let errors = parse(text).errors;
        errors.first().map_or(String::new(), |e| e.hint.clone())
    };
    assert!(hint("param m = 2 kg\n").starts_with("units are in brackets: write [kg]"));
    assert!(hint("param l = 0.2 m, k = 1\n").starts_with("units are in brackets: write [m];"));
    assert!(hint("param k = 50 N/m^2\n").starts_with("units are in brackets: write [N/m^2];"));
    assert!(hint("coord theta rad\n").starts_with("units are in brackets: write [rad];"));
    assert!(hint("const n = 2 kg\n").starts_with("a constant has no unit"));
    assert!(hint("initial x = 0.2 m\n").starts_with("units stand where a name is declared"));
    assert!(hint("param m = 2 x\n").starts_with("write * for a product"));
    assert!(hint("kinetic: 1/2 m*x'^2\n").starts_with("write * for a product"));
    assert!(hint("initial theta = 30 [deg]\n").starts_with("units stand where a name is declared"));
    for (word, meant) in [
        ("coordinate x", "coord"),
        ("parameter m", "param"),
        ("sim to 3", "simulate"),
    ] {
        let hint = hint(&format!("{word}\n"));
        assert!(
            hint.starts_with(&format!("did you mean `{meant}`?")),
            "{hint}"
        );
    }
    assert!(hint("wall at 3\n").starts_with("statements are:"));
    assert!(hint("format x\n").starts_with("statements are:"));
}

/// Words of everyday speech, clauses in another order, commas between clauses: the hint shows what to write.
#[test]
fn hints_show_the_form_of_the_statement_that_is_meant() {
    for (text, hint) in [
        ("point A = (x, y)", "`let P = (x, y)`"),
        (
            "mass bead: m at (x, y)",
            "`particle NAME: mass M at (x, y)`",
        ),
        ("torque q1 = 1", "`force NAME: theta = EXPR`"),
        ("friction: r = -c*r'", "`force NAME: x = -c*x'`"),
        ("simulate for 10", "write `simulate to 10`"),
        ("simulate to 10 s", "times are in seconds"),
        ("gravity -9.81", "`gravity: (0, -g)`"),
        (
            "body b: mass m, inertia J at (x, y) angle phi",
            "remove the comma",
        ),
        (
            "body b: mass m inertia J at (x, y) in A",
            "`body NAME: mass M inertia J in FRAME at (x, y) angle φ`",
        ),
        (
            "frame B: angle q at (l, 0)",
            "`frame NAME: in FRAME at (a, b) angle φ`",
        ),
        (
            "frame B: rotation q at (l, 0)",
            "in the plane write `angle q`",
        ),
        (
            "force f: q*(a, b) cross (c, d) at (x, y)",
            "write cross(a, b)",
        ),
        ("omega = 3", "`param omega = 1 [kg]`"),
    ] {
        let errors = parse(text).errors;
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].hint.contains(hint), "{text}: {errors:?}");
    }
    // All statements are listed once, and a name declared by a word that is none is not unknown later.
    let errors = parse("wall at 3\nceiling at 4\n").errors;
    assert!(errors[0].hint.starts_with("statements are:"));
    assert_eq!(
        errors[1].hint,
        "`galilei help statements` lists all statements"
    );
    let file = parse("point A = (x, y)\n");
    assert!(matches!(&file.statements[0].kind, Kind::Let(list) if list[0].name.text == "A"));
}
