//! Sections of derivations: their components against formulas written by hand, their typesetting by what always holds.

use galilei_expr::Pool;
use galilei_model::{Model, Settings, read, read_expression};
use galilei_report::document::{Component, Entries};
use galilei_report::{Derivation, Section, Topic, typeset};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

/// The component of a section at a path of names.
fn component(section: &Section, path: &[&str]) -> String {
    let mut list: &Entries<Component> = &section.components;
    for (k, name) in path.iter().enumerate() {
        let found = list.0.iter().find(|(n, _)| n == name);
        let found = found.unwrap_or_else(|| panic!("no {name} of {path:?} in {list:?}"));
        match &found.1 {
            Component::Many(more) => list = more,
            Component::Text(text) if k + 1 == path.len() => return text.clone(),
            other => panic!("{path:?} is {other:?}"),
        }
    }
    panic!("{path:?} has parts")
}

/// Whether a component, with its abbreviations put in, is a formula; both are read anew, and their difference is decided.
#[track_caller]
fn is(section: &Section, path: &[&str], wanted: &str) {
    assert!(section.shared.0.is_empty(), "{:?}", section.shared);
    let found = component(section, path);
    let pool = Pool::new();
    let [a, b] = [found.as_str(), wanted].map(|text| read_expression(&pool, text).unwrap());
    assert!((a - b).decide_zero().is_proved(), "{found} is not {wanted}");
    // A planted error is seen.
    assert!(!(a - b * 2 + 1).decide_zero().is_proved());
}

/// A mass on a spring that swings: equations, energy and Hamilton's function as textbooks have them.
const ELASTIC: &str = "param m, k, l, g\ncoord r, phi\nkinetic: m*(r'^2 + r^2*phi'^2)/2\n\
                       potential: k*(r - l)^2/2 - m*g*r*cos(phi)\n";

#[test]
fn an_elastic_pendulum_has_the_equations_of_textbooks() {
    let model = model(ELASTIC);
    let derivation = Derivation::new(&model);
    let section = derivation.section(Topic::Lagrange);
    is(
        &section,
        &["components", "r"],
        "m*r'' - m*r*phi'^2 + k*(r - l) - m*g*cos(phi)",
    );
    is(
        &section,
        &["components", "phi"],
        "m*r^2*phi'' + 2*m*r*r'*phi' + m*g*r*sin(phi)",
    );
    is(
        &section,
        &["accelerations", "phi"],
        "-(2*r'*phi' + g*sin(phi))/r",
    );
    let energy = derivation.section(Topic::Energy);
    is(
        &energy,
        &["value"],
        "m*(r'^2 + r^2*phi'^2)/2 + k*(r - l)^2/2 - m*g*r*cos(phi)",
    );
    let hamiltonian = derivation.section(Topic::Hamiltonian);
    is(&hamiltonian, &["momenta", "phi"], "m*r^2*phi'");
    is(
        &hamiltonian,
        &["value"],
        "p(r)^2/(2*m) + p(phi)^2/(2*m*r^2) + k*(r - l)^2/2 - m*g*r*cos(phi)",
    );
}

/// A particle on a rotating rod: constraints with multipliers give the reaction 2·m·w·r' of the rod.
#[test]
fn a_rotating_rod_pushes_with_twice_the_coriolis_force() {
    let model = model(
        "param m, w\ncoord r, phi\nkinetic: m*(r'^2 + r^2*phi'^2)/2\nconstraint turn: phi' = w\n",
    );
    let reaction = Derivation::new(&model).section(Topic::Reaction);
    is(&reaction, &["components", "phi"], "multiplier(turn)");
    is(&reaction, &["components", "r"], "0*multiplier(turn)");
    is(&reaction, &["multipliers", "turn"], "2*m*r*r'*phi'");
    is(&reaction, &["accelerations", "r"], "r*phi'^2");
}

/// Brackets of LaTeX and tags of HTML are closed, whatever is written; text has no line that the width does not admit but
/// for formulas that cannot be broken.
#[test]
fn typesetting_is_balanced_in_all_sections() {
    let models = [
        ELASTIC,
        "param a\ncoord x, y, q\nkinetic: (x'^2 + y'^2 + q'^2)/2\nconstraint blade: x'*sin(q) = y'*cos(q)\n\
         force drag: x = -a*abs(x')*x'\n",
        "coord n on sphere\nparticle: mass 1 at n\ngravity: (0, 0, -9.81)\n",
        "coord x, y\nlagrangian: -sqrt(1 - x'^2 - y'^2) + x*y' - y*x'\nsymmetry turn: x = -y, y = x\n",
    ];
    let mut formulas = 0;
    for text in models {
        let model = model(text);
        let derivation = Derivation::new(&model);
        for &topic in Topic::ALL {
            let section = derivation.section(topic);
            formulas += section.formulas.len();
            assert_eq!(section.topic, topic);
            assert!(
                !section.formulas.is_empty() || section.reason.is_some(),
                "{topic}"
            );
            let latex = typeset::latex_section(&section);
            let mut open = 0_i64;
            let mut before = ' ';
            for c in latex.chars() {
                match c {
                    '{' if before != '\\' => open += 1,
                    '}' if before != '\\' => open -= 1,
                    _ => {}
                }
                assert!(open >= 0, "{topic}: {latex}");
                before = if before == '\\' && c == '\\' { ' ' } else { c };
            }
            assert_eq!(open, 0, "{topic}: {latex}");
            let count = |word: &str| latex.matches(word).count();
            assert_eq!(count("\\left"), count("\\right"), "{topic}: {latex}");
            assert_eq!(count("\\begin{"), count("\\end{"), "{topic}: {latex}");
            let html = typeset::html_section(&section);
            for tag in [
                "math", "mrow", "mfrac", "msup", "section", "p", "div", "span",
            ] {
                let opened = html.matches(&format!("<{tag} ")).count()
                    + html.matches(&format!("<{tag}>")).count();
                let closed = html.matches(&format!("</{tag}>")).count();
                assert_eq!(opened, closed, "{topic}: <{tag}> in {html}");
            }
            for written in [&latex, &html, &typeset::text_section(&section)] {
                assert!(!written.contains("NaN"), "{topic}: {written}");
            }
        }
    }
    assert!(formulas > 100, "{formulas}");
}

/// Topics are words that are read back; words that are none have a hint.
#[test]
fn topics_are_words() {
    for &topic in Topic::ALL {
        assert_eq!(topic.to_string().parse::<Topic>(), Ok(topic));
    }
    assert!(
        "lagrang"
            .parse::<Topic>()
            .unwrap_err()
            .hint()
            .contains("lagrange")
    );
}
