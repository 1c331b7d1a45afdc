//! `derive inertia` and `check`: inertia forces belong to T, not to L.

mod common;

use common::{galilei, model};

/// A charge in a magnetic field, seen from an inertial frame, feels no inertia forces in any gauge.
#[test]
fn t_41_no_inertia_forces_in_an_inertial_frame() {
    let text = std::fs::read_to_string(model("charged-particle")).unwrap();
    let symmetric = "x = -qe*B0*y/2, y = qe*B0*x/2";
    assert!(text.contains(symmetric));
    for gauge in [
        symmetric,
        "y = qe*B0*x",
        "x = qe*B0*(x - y), y = qe*B0*w*t*x",
    ] {
        let text = text.replace(symmetric, gauge) + "\nreference lab: x = 0, y = 0, z = 0\n";
        let answer = galilei(&["derive", "-", "inertia", "--json", "--quiet"], &text);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let json = answer.json();
        let lab = json.get("inertia").get("components").get("lab").clone();
        for part in ["centrifugal", "Euler", "Coriolis"] {
            for c in ["x", "y", "z"] {
                assert_eq!(lab.get(part).get(c).text(), "0", "{gauge}: {part} {c}");
            }
        }
        let answer = galilei(&["check", "-", "--json", "--quiet"], &text);
        let json = answer.json();
        let found = json
            .get("findings")
            .list()
            .iter()
            .find(|f| f.get("name").text() == "inertia forces with respect to lab");
        assert_eq!(found.unwrap().get("status").text(), "proved");
    }
}

/// A turning observer feels the forces of T alone, whatever the field adds to L.
#[test]
fn t_108_a_turning_observer_of_a_charge() {
    let text = std::fs::read_to_string(model("charged-particle")).unwrap()
        + "\nparam s = 0.4 [rad/s]\nreference disc: x = -s*y, y = s*x\n";
    let answer = galilei(&["derive", "-", "inertia", "--json", "--quiet"], &text);
    let json = answer.json();
    let disc = json.get("inertia").get("components").get("disc").clone();
    for (part, c, wanted) in [
        ("centrifugal", "x", "m*s^2*x"),
        ("centrifugal", "y", "m*s^2*y"),
        ("Coriolis", "x", "2*m*s*(y' - s*x)"),
        ("Coriolis", "y", "-2*m*s*(x' + s*y)"),
        ("Euler", "x", "0"),
        ("Euler", "y", "0"),
    ] {
        let claim = format!("{} = {wanted}", disc.get(part).get(c).text());
        let verdict = galilei(&["decide", &claim, "--json"], "");
        assert_eq!(
            verdict.json().get("verdict").text(),
            "proved",
            "{part} {claim}"
        );
    }
}
