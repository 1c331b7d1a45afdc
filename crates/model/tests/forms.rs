//! FORMs in models and claims: degrees, bundles, printing, forces given as forms.

use galilei_expr::Pool;
use galilei_geometry::Chart;
use galilei_model::{Settings, read, read_claims, read_form};

fn codes(text: &str) -> Vec<String> {
    let outcome = read(text, &Settings::default());
    let list = outcome.diagnostics.iter();
    list.map(|d| d.code.as_str().to_owned()).collect()
}

fn first_message(text: &str) -> String {
    let outcome = read(text, &Settings::default());
    outcome.diagnostics[0].message.clone()
}

fn holds(claim: &str) -> bool {
    let pool = Pool::new();
    let claims = read_claims(&pool, claim, &[]).unwrap_or_else(|e| panic!("{claim}: {e:?}"));
    claims.into_iter().all(|c| c.decide().is_proved())
}

fn claim_error(claim: &str) -> (String, String) {
    let pool = Pool::new();
    let errors = read_claims(&pool, claim, &[]).unwrap_err();
    (
        errors[0].code.as_str().to_owned(),
        errors[0].message.clone(),
    )
}

const PLANE: &str = "coord x, y\nkinetic: (x'^2 + y'^2)/2\n";

#[test]
fn identities_between_forms_are_decided() {
    for claim in [
        r"d(x*d(t)) = d(x) /\ d(t)",
        r"d(x) /\ d(y) = -d(y) ∧ d(x)",
        r"d(x) /\ d(x) = 0",
        r"d(d(f(x, y)*d(z))) = 0",
        r"d(f(x)*g(y)) = g(y)*f[1](x)*d(x) + f(x)*g[1](y)*d(y)",
        r"contact(x) = d(x) - x'*d(t)",
        r"d(contact(x)) = d(t) /\ d(x')",
        r"d(x^2/2) = x*d(x)",
        r"d(r*cos(phi)) /\ d(r*sin(phi)) = r*d(r) /\ d(phi)",
        r"d(x) /\ (d(y) + d(z)) = d(x) /\ d(y) + d(x) /\ d(z)",
        r"2*d(x) /\ 3*d(y) = 6*d(x) /\ d(y)",
        r"d(x) /\ d(y) /\ d(z) = d(y) /\ d(z) /\ d(x)",
        r"d(q[1]*q[2]) = q[1]*d(q[2]) + q[2]*d(q[1])",
    ] {
        assert!(holds(claim), "{claim}");
    }
    for claim in [
        r"d(x) /\ d(y) = d(y) /\ d(x)",
        r"d(x*d(t)) = d(t) /\ d(x)",
        r"contact(x) = d(x)",
        r"d(m*x) = m*d(x)",
    ] {
        assert!(!holds(claim), "{claim}");
    }
}

#[test]
fn degrees_that_do_not_fit_are_named() {
    for (claim, degrees) in [
        ("d(x) = x", ["degree 1", "degree 0"]),
        (r"d(x) + d(x) /\ d(y) = 0", ["degree 1", "degree 2"]),
        ("d(x)*d(y) = 0", ["degree 1", "degree 1"]),
        ("1/d(x) = 0", ["degree 1", ""]),
        ("sin(d(x)) = 0", ["degree 0", "degree 1"]),
        ("d(x)^2 = 0", ["degree 1", "degree 0"]),
        ("d(x) + 1 = 0", ["degree 1", "degree 0"]),
    ] {
        let (code, message) = claim_error(claim);
        assert_eq!(code, "degree_mismatch", "{claim}: {message}");
        for degree in degrees {
            assert!(message.contains(degree), "{claim}: {message}");
        }
    }
    assert_eq!(claim_error("d(x, y) = 0").0, "wrong_argument_count");
    assert_eq!(claim_error("contact(x + y) = 0").0, "not_a_coordinate");
    let with = |s: &str| format!("{PLANE}{s}\n");
    assert_eq!(codes(&with("force f: form d(x) + x")), ["degree_mismatch"]);
    assert_eq!(codes(&with("force f: form x")), ["degree_mismatch"]);
    assert_eq!(
        codes(&with(r"force f: form d(x) /\ d(y) /\ d(t)")),
        ["degree_mismatch"]
    );
    assert_eq!(
        codes(&with(r"constraint c: form d(x) /\ d(y)")),
        ["degree_mismatch"]
    );
    assert_eq!(codes(&with("potential: d(x)")), ["degree_mismatch"]);
    // A value that is called like a function: a product without its sign.
    assert_eq!(
        codes(&with("param d = 2\npotential: d(x)")),
        ["unknown_function"]
    );
    assert_eq!(codes(&with(r"output o: x /\ y")), ["degree_mismatch"]);
}

#[test]
fn forms_are_printed_as_they_are_read() {
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["t", "x", "y", "x'", "y'"]);
    for text in [
        r"m*d(x') /\ contact(x) + (k*x - c*x'/2)*d(x) /\ d(t)",
        r"-(a + b)*d(x) /\ d(y) - x*y^2/3*d(t) /\ d(y')",
        r"-d(x)",
        "0*d(t)",
        r"sin(x)*exp(-y)*d(x') /\ d(y') /\ d(t)",
        "contact(x) - 2*contact(y)",
    ] {
        let form = read_form(&chart, text).unwrap();
        let again = read_form(&chart, &form.written()).unwrap();
        let zero = form.terms().next().is_none();
        assert!(
            zero || form.decide_equal(&again).is_proved(),
            "{text}: {}",
            form.written()
        );
    }
}

#[test]
fn forces_are_read_as_forms() {
    let f = |s: &str| {
        let text = format!("{PLANE}{s}\n");
        let model = read(&text, &Settings::default()).model;
        let model = model.unwrap_or_else(|| panic!("{s}: {:?}", codes(&text)));
        let force = &model.contents().forces[0];
        let list = force.components.iter();
        list.map(|&c| model.expr(c).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        f("force f: form -x*contact(x) - y'*contact(y)"),
        ["-x", "-y'"]
    );
    assert_eq!(f(r"force f: form -x*d(x) /\ d(t)"), ["-x", "0"]);
    // A Lorentz force: F = B(y', −x').
    let magnetic = r"force f: form y'*d(x) /\ d(t) - x'*d(y) /\ d(t) + contact(x) /\ contact(y)";
    assert_eq!(f(magnetic), ["y'", "-x'"]);
    assert_eq!(f(r"force f: form d(x) /\ d(y)"), ["y'", "-x'"]);
    assert_eq!(f("force f: form -d(x^2/2) + x*x'*d(t)"), ["-x", "0"]);
    assert_eq!(f("force f: form -sign(x')*contact(x)"), ["-sign(x')", "0"]);
    assert_eq!(f("let th = contact(x)\nforce f: form 2*th"), ["2", "0"]);
}

#[test]
fn forms_that_are_no_forces_are_refused_with_the_part_that_fails() {
    let said = |s: &str| {
        let text = format!("{PLANE}force f: form {s}\n");
        (codes(&text).remove(0), first_message(&text))
    };
    let (code, message) = said("x*d(x)");
    assert_eq!(code, "not_a_force_one_form");
    assert!(
        message.contains("d(t)") && message.contains("x'"),
        "{message}"
    );
    let (code, message) = said("contact(x) + y*d(x')");
    assert_eq!(code, "not_a_force_one_form");
    assert!(message.contains("d(x')"), "{message}");
    let (code, message) = said(r"x*d(x') /\ d(t)");
    assert_eq!(code, "not_a_force_two_form");
    assert!(
        message.contains("semi-basic") && message.contains("d(x')"),
        "{message}"
    );
    let (code, message) = said(r"y'*d(x) /\ d(t)");
    assert_eq!(code, "not_a_force_two_form");
    assert!(message.contains("∂-closed"), "{message}");
    assert_eq!(said("d(abs(x))").0, "not_smooth");
}

#[test]
fn the_names_of_forms_are_not_reserved() {
    let text = "param form = 2, action = 1, acceleration = 3\nfunction d(s)\ncoord x\n\
                kinetic: x'^2/2\npotential: d(x)\nforce: x = -form*x + action*acceleration\n\
                constraint c: form + x - 2 = 0\n";
    assert_eq!(codes(text), Vec::<String>::new());
    let text = "function d(s)\ncoord x\nkinetic: x'^2/2\nforce f: form contact(x)\n";
    assert_eq!(codes(text), ["reserved_name"]);
    let text = "let a = b\nlet b = d(x) + a\ncoord x\nkinetic: x'^2/2\nforce f: form b\n";
    assert!(
        codes(text).contains(&"self_reference".to_owned()),
        "{:?}",
        codes(text)
    );
}
