//! The command's verdicts and derivations for constrained and forced systems, and where they hold.

mod common;

use common::{Json, galilei};

const PLANE: &str = "param g = 9.8\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\n";

fn derived(input: &str, what: &str) -> (Json, String) {
    let answer = galilei(&["derive", "-", what, "--json", "--quiet"], input);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let json = answer.json().get(what).clone();
    let answer = galilei(&["derive", "-", what, "--quiet"], input);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    (json, answer.out)
}

/// Required and undecided: null, exit status 0, and said in words.
#[test]
fn what_is_not_decided_is_not_fine() {
    let text = "const n = 129\ncoord q[1..n]\nkinetic: sum(i in 1..n: q[i]'^2)/2\n";
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(answer.code, 0);
    assert!(answer.out.contains("\"ok\": null"), "{}", answer.out);
    let answer = galilei(&["check", "-"], text);
    assert_eq!(answer.code, 0);
    let words = "not everything required could be decided";
    assert!(answer.out.contains(words), "{}", answer.out);
}

/// Every finding says whether it is generic, except where, and on which sheets.
#[test]
fn findings_say_where_they_hold() {
    let text =
        format!("{PLANE}constraint c: (y' - 1)*(y' - x*x') = 0\ninitial x = 1, x' = 1/2, y' = 1\n");
    let answer = galilei(&["check", "-", "--json"], &text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let json = answer.json();
    let all = json.get("findings").list().to_vec();
    let find = |name: &str| {
        let found = all.iter().find(|f| f.get("name").text().starts_with(name));
        found.unwrap_or_else(|| panic!("no finding {name}")).clone()
    };
    let energy = find("conserved: E");
    assert_eq!(energy.get("status").text(), "proved");
    assert_eq!(energy.get("sheets").list()[0].text(), "y' - x*x' = 0");
    let text = answer.out.replace(char::is_whitespace, "");
    assert!(text.contains("\"generic\":false,\"except\":null,\"sheets\":null"));
    let polar = "coord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\ninitial r = 1\n";
    let answer = galilei(&["check", "-", "--json"], polar);
    let text = answer.out.replace(char::is_whitespace, "");
    assert!(text.contains("\"generic\":true,\"except\":\"r=0\",\"sheets\":null"));
}

/// The energy of a constrained system changes by what the reactions do where the constraints hold, not by λf.
#[test]
fn t_92_energy_of_constrained_systems() {
    let (json, text) = derived(
        "coord x, y, phi\nkinetic: (x'^2 + y'^2 + phi'^2)/2\n\
         constraint blade: x'*sin(phi) - y'*cos(phi) = 0\ninitial x' = 1\n",
        "energy",
    );
    assert_eq!(json.get("rate").text(), "0");
    assert!(
        text.contains("conserved where the constraints hold"),
        "{text}"
    );
    let (json, text) = derived(&format!("{PLANE}constraint c: y' = t\n"), "energy");
    assert!(json.get("rate").text().contains("multiplier(c)"), "{text}");
    let line = text.lines().find(|l| l.contains("λ_c")).unwrap();
    assert!(line.trim_end().ends_with("T-92"), "{line}");
    let sheets =
        format!("{PLANE}constraint c: (y' - 1)*(y' - x*x') = 0\ninitial x' = 1/2, y' = 1\n");
    let (json, text) = derived(&sheets, "energy");
    assert_ne!(json.get("rate").text(), "0");
    assert!(text.contains("conserved on y' - x*x' = 0"), "{text}");
}

/// δA = 0 is not said of systems with forces or constraints.
#[test]
fn t_63_action_of_forced_and_constrained_systems() {
    let (_, text) = derived(&format!("{PLANE}force drag: x = -x'\n"), "action");
    assert!(text.contains("δA + ∫δW dt = 0"), "{text}");
    let below = text.split("III (e)").nth(1).unwrap().to_owned();
    let line = below.lines().find(|l| l.contains("δx")).unwrap().to_owned();
    assert!(line.contains("= −") && !line.contains("= 0"), "{line}");
    let (json, text) = derived(&format!("{PLANE}constraint c: y' = x*x'\n"), "action");
    let below = text.split("III (e)").nth(1).unwrap().to_owned();
    let line = below.lines().find(|l| l.contains("δy")).unwrap().to_owned();
    assert!(line.contains("= λ_c"), "{line}");
    let work = json.get("components").get("e").get("work");
    assert_eq!(work.get("y").text(), "multiplier(c)");
    let (_, text) = derived(PLANE, "action");
    assert!(!text.contains("δW"), "{text}");
}

/// H_V is the form, ℋ_V the function, Ξ_V the form on VT*Q.
#[test]
fn t_99_t_115_names_of_the_vertical_extension() {
    let (_, text) = derived(PLANE, "vertical");
    for part in ["ℋ_V = ", "H_V = π_x dx", "− ℋ_V dt", "Ξ_V = π", "dH_V"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A power with a whole exponent runs through zero.
#[test]
fn whole_exponents_run_through_zero() {
    let text = "param n = 2, k = 1\ncoord x\nkinetic: x'^2/2\npotential: k*x^n/n\ninitial x = 1\nsimulate to 2\n";
    let answer = galilei(&["simulate", "-", "--json"], text);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let x = answer.json().get("position").numbers()[0];
    assert!((x - 2f64.cos()).abs() < 1e-10, "{x}");
}
