//! T-91, T-111: declared symmetries through `check` and `derive energy`, for systems whose first
//! integrals stand in every textbook.

mod common;

use common::{Json, galilei, model};

/// Status, detail and witness of a symmetry of a model given as text.
fn judged(text: &str, name: &str) -> (String, String, Json) {
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(answer.code, 0, "{}", answer.out);
    assert_eq!(answer.err, "");
    let answer = answer.json();
    assert_eq!(*answer.get("ok"), Json::Bool(true));
    let head = format!("symmetry {name}:");
    let found = answer.get("findings").list().iter();
    let mut found = found.filter(|f| f.get("name").text().starts_with(&head));
    let finding = found.next().expect("a finding");
    assert!(found.next().is_none());
    assert_eq!(finding.get("theorem").text(), "T-111");
    let text = |key: &str| finding.get(key).text().to_owned();
    (
        text("status"),
        text("detail"),
        finding.get("witness").clone(),
    )
}

/// What stands between a prefix and the end or the next remark.
fn after<'t>(detail: &'t str, prefix: &str) -> &'t str {
    let rest = detail
        .strip_prefix(prefix)
        .unwrap_or_else(|| panic!("{detail}"));
    rest.split(';').next().expect("a part")
}

#[track_caller]
fn equal(found: &str, wanted: &str) {
    let answer = galilei(&["decide", &format!("{found} = {wanted}"), "--json"], "");
    assert_eq!(answer.json().get("verdict").text(), "proved", "{found}");
}

#[track_caller]
fn conserved(text: &str, name: &str, wanted: &str) {
    let (status, detail, witness) = judged(text, name);
    assert_eq!(status, "proved", "{detail}");
    assert!(witness.is_null());
    equal(after(&detail, "first integral: "), wanted);
}

#[track_caller]
fn broken(text: &str, name: &str, quantity: &str, term: &str) {
    let (status, detail, witness) = judged(text, name);
    assert_eq!(status, "fails", "{detail}");
    assert!(!witness.is_null());
    let (left, right) = detail.split_once(") = ").expect("an equation");
    equal(left.strip_prefix("d/dt(").expect("a rate"), quantity);
    equal(after(right, ""), term);
}

const KEPLER: &str = "param m = 1.5 [kg], k = 2.4 [N*m^2], c = 0.1 [kg/s]\ncoord x [m], y [m]\n\
    particle planet: mass m at (x, y)\npotential: -k/sqrt(x^2 + y^2)\ninitial x = 1, y' = 1.2\n\
    symmetry turn: x = -y, y = x\nsymmetry time: t = 1\nsymmetry shift: x = 1\n";

const KEPLER_ENERGY: &str = "(m*(x'^2 + y'^2)/2 - k/sqrt(x^2 + y^2))";

#[test]
fn t_111_kepler() {
    conserved(KEPLER, "turn", "m*(x*y' - y*x')");
    conserved(KEPLER, "time", &format!("-{KEPLER_ENERGY}"));
    broken(KEPLER, "shift", "m*x'", "-k*x/(x^2 + y^2)^(3/2)");
}

#[test]
fn t_111_a_force_breaks_symmetries() {
    let damped = format!("{KEPLER}force drag: x = -c*x', y = -c*y'\n");
    broken(&damped, "turn", "m*(x*y' - y*x')", "-c*(x*y' - y*x')");
    let energy = format!("-{KEPLER_ENERGY}");
    broken(&damped, "time", &energy, "c*(x'^2 + y'^2)");
    // A force along the radius does not break the turn.
    let braked = format!("{KEPLER}force brake: x = -c*x'*x^2/(x^2+y^2), y = -c*x'*x*y/(x^2+y^2)\n");
    conserved(&braked, "turn", "m*(x*y' - y*x')");
}

#[test]
fn t_111_uniform_field_up_to_gauge() {
    // m y' + m g t, the boost m y' t − m y + ½ m g t², and a spiral symmetry of a turning drive.
    let text = "param m = 2 [kg], g = 9.81 [m/s^2]\ncoord x [m], y [m]\n\
        particle ball: mass m at (x, y)\ngravity: (0, -g)\n\
        symmetry up: y = 1\nsymmetry boost: y = t\nsymmetry along: x = t\nsymmetry turn: x = -y, y = x\n";
    conserved(text, "up", "m*y' + m*g*t");
    conserved(text, "boost", "m*y'*t - m*y + m*g*t^2/2");
    conserved(text, "along", "m*x'*t - m*x");
    broken(text, "turn", "m*(x*y' - y*x')", "-m*g*x");
    // The same weight as a force.
    let forced = text.replace("gravity: (0, -g)", "force weight: y = -m*g");
    conserved(&forced, "up", "m*y' + m*g*t");
    // With a drag the momentum is corrected by another gauge: m y' + c y + m g t.
    let drag = forced.replace("coord", "param c = 0.3 [kg/s]\ncoord") + "force drag: y = -c*y'\n";
    conserved(&drag, "up", "m*y' + c*y + m*g*t");
}

#[test]
fn t_111_a_gauge_without_a_formula() {
    // h = −∫F dt of an undetermined F.
    let text = "function F(t)\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: F(t)*x\n\
        symmetry shift: x = 1\n";
    let (status, detail, _) = judged(text, "shift");
    assert_eq!(status, "proved");
    assert!(detail.contains("is conserved; h with"), "{detail}");
    // A skate that turns with x breaks it.
    let skate = format!("{text}constraint skate: y' = x*x'\n");
    let (status, detail, _) = judged(&skate, "shift");
    assert_eq!(status, "fails", "{detail}");
    equal(
        after(&detail, "d/dt(πᵢvⁱ − v⁰E − h) = "),
        "-multiplier(skate)*x",
    );
}

#[test]
fn t_111_turning_drive() {
    let text = "param m = 1, k = 3, w = 2, b = 1\ncoord x, y\nparticle p: mass m at (x, y)\n\
        potential: k*(x^2 + y^2)/2 - b*(x*cos(w*t) + y*sin(w*t))\n\
        symmetry screw: x = -w*y, y = w*x, t = 1\nsymmetry time: t = 1\n";
    let energy = "(m*(x'^2 + y'^2)/2 + k*(x^2 + y^2)/2 - b*(x*cos(w*t) + y*sin(w*t)))";
    conserved(text, "screw", &format!("m*w*(x*y' - y*x') - {energy}"));
    let (status, detail, _) = judged(text, "time");
    assert_eq!(status, "fails");
    assert!(detail.starts_with("d/dt("), "{detail}");
}

#[test]
fn t_111_chaplygin_sleigh() {
    let sleigh = std::fs::read_to_string(model("chaplygin-sleigh")).expect("a model");
    let text = sleigh + "symmetry time: t = 1\nsymmetry shift: x = 1\nsymmetry turn: theta = 1\n";
    let energy =
        "(m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2)/2 + Ic*theta'^2/2)";
    let (status, detail, _) = judged(&text, "time");
    assert_eq!(status, "proved");
    assert!(detail.contains("where the constraints hold"), "{detail}");
    equal(after(&detail, "first integral: "), &format!("-{energy}"));
    // The blade breaks what L has.
    broken(
        &text,
        "shift",
        "m*(x' - a*theta'*sin(theta))",
        "-multiplier(blade)*sin(theta)",
    );
    let (status, _, _) = judged(&text, "turn");
    assert_eq!(status, "fails");
    // A spin about the blade is conserved if the mass centre stands over it, and so is the speed.
    let round = text.replace("a = 0.4 [m]", "a = 0 [m]")
        + "symmetry ahead: x = cos(theta), y = sin(theta)\n";
    let round = round.replace("+ a*ahead", "").replace("(-a, 0)", "(0, 0)");
    conserved(&round, "turn", "Ic*theta'");
    conserved(&round, "ahead", "m*(x'*cos(theta) + y'*sin(theta))");
}

#[test]
fn t_111_constraints_between_positions() {
    // A pendulum as a particle on a circle: the initial state shows what is not conserved.
    let text = "param m = 1, l = 5, g = 9.81\ncoord x, y\nparticle bob: mass m at (x, y)\n\
        constraint rod: x^2 + y^2 = l^2\ninitial x = 3, y = 4, x' = 4, y' = -3\n\
        symmetry turn: x = -y, y = x\nsymmetry shift: x = 1\nsymmetry time: t = 1\n";
    conserved(text, "turn", "m*(x*y' - y*x')");
    conserved(text, "time", "-m*(x'^2 + y'^2)/2");
    broken(text, "shift", "m*x'", "2*multiplier(rod)*x");
    // At rest the rate vanishes there; elsewhere on the circle it does not.
    let lost = text.replace(
        "x = 3, y = 4, x' = 4, y' = -3",
        "x = l*cos(1), y = l*sin(1)",
    );
    let (status, detail, _) = judged(&lost, "shift");
    assert_eq!(status, "fails", "{detail}");
    let heavy = format!("{text}gravity: (0, -g)\n");
    broken(&heavy, "turn", "m*(x*y' - y*x')", "-m*g*x");
}

#[test]
fn t_111_dry_friction_keeps_nothing() {
    let head = "param m = 1, mu = 0.3\ncoord x, y\nparticle p: mass m at (x, y)\n\
        symmetry tx: x = 1\nsymmetry time: t = 1\ninitial x' = 1\n";
    for f in ["-mu*sign(x')", "if(x' > 0, -mu, mu)", "-mu*sign(x' + y')"] {
        let text = format!("{head}force fr: x = {f}\n");
        broken(&text, "tx", "m*x'", f);
        broken(&text, "time", "-m*(x'^2 + y'^2)/2", &format!("-x'*({f})"));
    }
    // A kink in positions leaves an integral for each side of it.
    let text = format!("{head}force fr: x = -mu*sign(x)\n");
    let (status, detail, _) = judged(&text, "time");
    assert_eq!(status, "proved");
    assert!(detail.ends_with("; between the kinks of fr"), "{detail}");
}

/// A force that jumps with the velocity has no potentials, whatever it is at rest.
#[test]
fn t_32_dry_friction_is_not_potential() {
    let text = "param m = 1, mu = 0.3\ncoord x, y\nparticle p: mass m at (x, y)\n\
        force fr: x = -mu*sign(x')*y\n";
    let answer = galilei(&["check", "-", "--json"], text).json();
    let force = &answer.get("forces").list()[0];
    assert_eq!(*force.get("potential"), Json::Bool(false));
    let reason = force.get("reason").text();
    assert!(
        reason.starts_with("P1: affine in the velocities only between kinks"),
        "{reason}"
    );
    let found = answer.get("findings").list().iter();
    let mut closed = found.filter(|f| f.get("name").text().starts_with("closed:"));
    assert_eq!(
        closed.next().expect("a finding").get("status").text(),
        "fails"
    );
}

#[test]
fn t_111_in_derivations() {
    let answer = galilei(&["derive", "-", "energy", "--json"], KEPLER);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let answer = answer.json();
    let found = answer.get("energy").get("symmetries").clone();
    equal(found.get("turn").get("value").text(), "m*(x*y' - y*x')");
    equal(found.get("turn").get("rate").text(), "0");
    equal(
        found.get("shift").get("rate").text(),
        "-k*x/(x^2 + y^2)^(3/2)",
    );
    let text = galilei(&["derive", "-", "energy"], KEPLER).out;
    assert!(text.contains("I_turn"), "{text}");
}
