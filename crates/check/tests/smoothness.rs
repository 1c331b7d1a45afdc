//! `check` names, by their form, where the equations of motion are not smooth and which functions a run watches.

use galilei_check::{Finding, Status, check};
use galilei_model::{Settings, read};

/// Names and details of the notes on a model with a mass 1 at (x, y) and some more statements.
fn notes(more: &str) -> Vec<(String, String)> {
    let text =
        format!("coord x, y\nkinetic: (x'^2 + y'^2)/2\ninitial x = 2, y = 3, x' = 1\n{more}\n");
    let outcome = read(&text, &Settings::default());
    let model = outcome
        .model
        .unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let check = check(&model);
    assert_eq!(check.ok, Some(true), "{more}");
    let noted = |f: &Finding| f.status == Status::Noted;
    let list = check.findings.into_iter().filter(noted);
    list.map(|f| {
        assert!(!f.required && f.theorem.is_empty() && f.status.word() == "not applicable");
        (f.name, f.detail)
    })
    .collect()
}

#[track_caller]
fn named(more: &str, wanted: &[&str]) {
    let names: Vec<String> = notes(more).into_iter().map(|n| n.0).collect();
    assert_eq!(names, wanted, "{more}");
}

#[test]
fn smooth_models_say_nothing() {
    for more in [
        "",
        "potential: sin(x)*y^2/(1 + x^2)",
        // A central force has a pole, which no motion of finite energy passes.
        "potential: -1/sqrt(x^2 + y^2)",
        // Nothing vanishes, or nothing moves.
        "potential: sqrt(1 + x^2)",
        "param k = 2\nforce: x = abs(k - 3), y = exp(k)",
    ] {
        named(more, &[]);
    }
}

#[test]
fn kinks() {
    named(
        "force: x = -sign(x')",
        &["dry friction: force 1", "not smooth: x' = 0"],
    );
    named("force: x = abs(x - 1)", &["not smooth: x - 1 = 0"]);
    named("force: x = max(x, y)", &["not smooth: x - y = 0"]);
    named("force: y = if(t < 1, x, 0)", &["not smooth: t - 1 = 0"]);
    // A spring that passes its anchor on a line: the root of a square.
    named(
        "spring: stiffness 4 length 1 from 0 to x",
        &["not smooth: x = 0"],
    );
    let all = notes("force: x = -sign(x')");
    assert!(all[1].1.starts_with("kink of sign(x')"), "{all:?}");
}

#[test]
fn edges_of_domains() {
    named(
        "spring: stiffness 4 length 1 from (0, 0) to (x, y)",
        &["not smooth: x^2 + y^2 = 0"],
    );
    named(
        "force: x = -x'/norm((x', y')), y = -y'/norm((x', y'))",
        &["dry friction: force 1", "not smooth: x'^2 + y'^2 = 0"],
    );
    named(
        "force: x = asin(x/9)",
        &["not smooth: x - 9 = 0 or x + 9 = 0"],
    );
    named("force: x = max(0, -x)^(3/2)", &["not smooth: x = 0"]);
    named("force: x = -x^(7/3)", &["not smooth: x = 0"]);
    let cut = notes("force: x = atan2(y, x)");
    assert_eq!(cut[0].0, "not smooth: y = 0");
    assert!(cut[0].1.starts_with("cut of atan2(y, x)"), "{cut:?}");
}

#[test]
fn flat_functions_are_watched() {
    named(
        "force: x = -tanh(10*x')",
        &["dry friction: force 1", "watched: tanh(10*x')"],
    );
    named("force: x = -tanh(10*x)", &["watched: tanh(10*x)"]);
    named("potential: exp(-x^2)", &["watched: exp(-x^2)"]);
    named("force: x = x^20", &["watched: x^20"]);
}

/// Many surfaces are counted, not listed.
#[test]
fn many_surfaces_are_counted() {
    let terms: Vec<String> = (1..=20).map(|k| format!("tanh(x - {k})")).collect();
    let all = notes(&format!("force: x = {}", terms.join(" + ")));
    assert_eq!(all.len(), 13);
    assert_eq!(all[12].0, "not smooth or watched: 8 more");
}
