//! Topics of `derive` about the geometry of a system: forms of forces, structure, connection, Newtonian systems,
//! recovery, frames, inertia between two frames, and the time-independent formulations.

mod common;

use common::{Json, galilei, model};

fn derive(text: &str, arguments: &[&str]) -> Json {
    let answer = galilei(&[&["derive", "-", "--json"], arguments].concat(), text);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer.json()
}

/// Whether two formulas of the model language are proved equal.
#[track_caller]
fn proved(a: &str, b: &str) {
    let claim = format!("{a} = {b}");
    let answer = galilei(&["decide", &claim, "--json"], "");
    assert_eq!(
        answer.json().get("verdict").text(),
        "proved",
        "{claim}: {}",
        answer.out
    );
}

#[track_caller]
fn entry<'a>(json: &'a Json, path: &str) -> &'a Json {
    path.split('/').fold(json, |json, key| json.get(key))
}

#[track_caller]
fn equals(json: &Json, path: &str, formula: &str) {
    match entry(json, path) {
        Json::Null => panic!("nothing at {path}"),
        found => proved(found.text(), formula),
    }
}

const CHARGE: &str = "param m = 2, b = 3, c = 1, w = 4\ncoord x, y\nparticle: mass m at (x, y)\n\
    force lorentz: x = b*y' - c*x', y = -b*x' - c*y'\n\
    reference lab: x = 0\nreference disk: x = -w*y, y = w*x\n\
    chart polar(r, phi): x = r*cos(phi), y = r*sin(phi)\n\
    chart turning(a, e): x = a*cos(w*t) - e*sin(w*t), y = a*sin(w*t) + e*cos(w*t)\n";

/// Φ = E∧dt + B: the friction is in E, the magnetic part in B. (T-29, T-32)
#[test]
fn forces_as_forms() {
    let found = derive(CHARGE, &["force-forms"]);
    let force = entry(&found, "force-forms/components/lorentz");
    equals(force, "E/x", "-c*x'");
    equals(force, "E/y", "-c*y'");
    equals(force, "B/x y", "b");
    equals(force, "phi/components/t", "c*(x'^2 + y'^2)");
    equals(force, "phi/components/x", "b*y' - c*x'");
    equals(force, "Phi/components/y x", "-b");
    // The text reads back as a form, and φ is a combination of contact forms.
    let phi = entry(force, "phi/form").text();
    proved(
        phi,
        "(b*y' - c*x')*(d(x) - x'*d(t)) + (-b*x' - c*y')*(d(y) - y'*d(t))",
    );
    let two = entry(force, "Phi/form").text();
    proved(
        two,
        "b*d(x) /\\ d(y) - c*x'*d(x) /\\ d(t) - c*y'*d(y) /\\ d(t)",
    );
}

/// η, the horizontal fields and the connection of a damped charge have constant coefficients. (T-22, T-74, T-76)
#[test]
fn structure_and_connection() {
    let found = derive(CHARGE, &["structure", "connection"]);
    let structure = found.get("structure");
    equals(structure, "mu/t/x'", "-x'");
    equals(structure, "mu/x/x'", "1");
    equals(structure, "eta/x/components/x", "c/(2*m)");
    equals(structure, "eta/x/components/y", "-b/(2*m)");
    equals(structure, "eta/x/components/t", "(c*x' - b*y')/(2*m)");
    equals(structure, "horizontal/x/x'", "-c/(2*m)");
    equals(structure, "horizontal/x/y'", "-b/(2*m)");
    equals(structure, "horizontal/Z/x'", "(b*y' - c*x')/m");
    equals(structure, "D_mu/x'/components/t", "-x'");
    equals(structure, "del/x'/components/x' t", "1");
    let connection = found.get("connection");
    equals(connection, "coefficients/x/x", "c/(2*m)");
    equals(connection, "coefficients/x/y", "-b/(2*m)");
    // Φ = ∂f/∂x + ΓΓ + Z(Γ) = ΓΓ
    equals(connection, "jacobi/x/x", "(c^2 - b^2)/(4*m^2)");
    equals(connection, "jacobi/x/y", "-b*c/(2*m^2)");
    // i_ΓR = −Φ θ⊗∂_u, and ∂_t is Γ up to other horizontal fields.
    equals(connection, "curvature/t x/x'", "-(c^2 - b^2)/(4*m^2)");
    equals(connection, "horizontal/x/x'", "-c/(2*m)");
    equals(connection, "vertical/x/x'", "c/(2*m)");
}

/// Under constraints the connection lives on J¹_σ; its curvature along the motion is C. (T-74, T-75)
#[test]
fn connection_under_constraints() {
    let file = model("knife-edge");
    let found = galilei(&["derive", &file, "connection", "frames", "--json"], "").json();
    let connection = found.get("connection");
    assert!(entry(connection, "field/y'").is_null(), "y' is dependent");
    equals(connection, "field/y", "x'*sin(theta)/cos(theta)");
    equals(
        connection,
        "constraint_curvature/y x",
        "theta'/cos(theta)^2",
    );
    equals(
        connection,
        "constraint_curvature/y theta",
        "-x'/cos(theta)^2",
    );
    equals(found.get("frames"), "constraint/x", "0");
    // A rheonomic constraint has a frame that moves. (T-90)
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint belt: y' - x*x' = 3*t\n";
    let found = derive(text, &["frames"]);
    equals(&found, "frames/constraint/x", "-3*t*x/(1 + x^2)");
    equals(&found, "frames/constraint/y", "3*t/(1 + x^2)");
}

/// Friction breaks the Newtonian condition, a magnetic force does not. (T-89, T-119)
#[test]
fn newtonian_systems() {
    let found = derive(CHARGE, &["newtonian"]);
    assert_eq!(entry(&found, "newtonian/newtonian").text(), "false");
    equals(&found, "newtonian/condition/x/x", "-2*c");
    equals(&found, "newtonian/condition/x/y", "0");
    equals(&found, "newtonian/force/x", "b*y' - c*x'");
    let found = derive(
        &CHARGE.replace("c*x'", "0").replace("c*y'", "0"),
        &["newtonian"],
    );
    assert_eq!(entry(&found, "newtonian/newtonian").text(), "true");
}

/// L of a rotating frame gives back its metric, frame and potentials, and Ω = Ω_R + Φ_R. (T-40, T-45)
#[test]
fn recovery() {
    let text = "param m = 2, w = 3\ncoord x, y\nreference turning: x = w*y, y = -w*x\n\
        lagrangian: m*((x' - w*y)^2 + (y' + w*x)^2)/2 - m*x^4\n";
    let found = derive(text, &["recovery"]);
    let found = found.get("recovery");
    equals(found, "metric/x/x", "m");
    equals(found, "potentials/rest/A/x", "-m*w*y");
    equals(found, "potentials/rest/V", "m*x^4 - m*w^2*(x^2 + y^2)/2");
    equals(found, "potentials/natural/R/x", "w*y");
    equals(found, "potentials/natural/A/y", "0");
    equals(found, "potentials/natural/V", "m*x^4");
    equals(found, "potentials/turning/A/x", "0");
    equals(found, "splitting/turning/Phi_R/components/x t", "-4*m*x^3");
}

/// Frames are carried into other charts: the turning field rests in the turning chart. (T-11, T-110)
#[test]
fn frames_in_charts() {
    let found = derive(CHARGE, &["frames"]);
    equals(&found, "frames/components/disk/components/x", "-w*y");
    equals(
        &found,
        "frames/components/disk/relative_velocity/x",
        "x' + w*y",
    );
    let text = entry(&found, "frames/text").text();
    assert!(text.contains("R_disk"), "{text}");
    let answer = galilei(&["derive", "-", "frames"], CHARGE);
    assert!(
        answer
            .out
            .contains("the resting field of the chart turning"),
        "{}",
        answer.out
    );
    let found = derive(CHARGE, &["frames", "--chart", "polar"]);
    equals(&found, "frames/components/disk/components/phi", "w");
    equals(&found, "frames/components/disk/components/r", "0");
    let found = derive(CHARGE, &["frames", "--chart", "turning"]);
    equals(&found, "frames/components/disk/components/a", "0");
    equals(&found, "frames/components/lab/components/a", "w*e");
}

/// Ψ and α between two frames, in two charts. (T-40, T-41)
#[test]
fn inertia_between_frames() {
    // Felt on the disk by what is free in the laboratory: centrifugal and Coriolis force.
    let found = derive(CHARGE, &["inertia", "disk", "lab"]);
    let found = found.get("inertia");
    equals(found, "alpha/t", "-m*w^2*(x^2 + y^2)/2");
    equals(found, "alpha/x", "-m*w*y");
    equals(found, "Psi/components/y x", "-2*m*w");
    equals(found, "force/x", "2*m*w*y' - m*w^2*x");
    equals(found, "parts/centrifugal/x", "m*w^2*x");
    let found = derive(CHARGE, &["inertia", "disk", "lab", "--chart", "polar"]);
    let found = found.get("inertia");
    equals(found, "alpha/t", "-m*w^2*r^2/2");
    equals(found, "alpha/phi", "m*w*r^2");
    equals(found, "force/r", "2*m*w*r*phi' - m*w^2*r");
    let answer = galilei(&["derive", "-", "inertia", "disk", "lap", "--json"], CHARGE);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("unknown_reference") && answer.out.contains("`lab`"));
    // Without names every declared frame is shown, in every chart.
    let found = derive(CHARGE, &["inertia", "--chart", "polar"]);
    equals(&found, "inertia/components/disk/centrifugal/r", "m*w^2*r");
}

/// Three formulations of a pendulum: Christoffel symbols, TQ and T*Q. (T-67 … T-69)
#[test]
fn time_independent_formulations() {
    let text = "param m = 1, l = 2, g = 9\ncoord q\nparticle: mass m at (l*sin(q), -l*cos(q))\n\
        gravity: (0, -g)\nforce drag: q = -q'\n";
    let found = derive(text, &["time-independent"]);
    let found = found.get("time-independent");
    let motion = "-g*sin(q)/l - q'/(m*l^2)";
    equals(found, "accelerations/q", motion);
    equals(found, "tangent/two_form/q' q", "-m*l^2");
    equals(found, "tangent/function", "m*l^2*q'^2/2 - m*g*l*cos(q)");
    equals(found, "tangent/field/q'", motion);
    equals(found, "cotangent/two_form/p(q) q", "-1");
    equals(
        found,
        "cotangent/function",
        "p(q)^2/(2*m*l^2) - m*g*l*cos(q)",
    );
    equals(
        found,
        "cotangent/field/p(q)",
        "-m*g*l*sin(q) - p(q)/(m*l^2)",
    );
}

/// ℋ_V, H_V and L_H of an oscillator. (T-99, T-101, T-104)
#[test]
fn vertical_extension() {
    let text = "param m = 2, k = 3\ncoord x\nkinetic: m*x'^2/2\npotential: k*x^2/2\n";
    let found = derive(text, &["vertical"]);
    let found = found.get("vertical");
    let h = "jacobi(x)*k*x + jacobi(p(x))*p(x)/m";
    equals(found, "hamiltonian", h);
    equals(found, "form/x", "jacobi(p(x))");
    equals(found, "form/p(x)", "-jacobi(x)");
    equals(found, "form/t", &format!("-({h})"));
    equals(
        found,
        "lagrangian",
        &format!("jacobi(p(x))*x' - jacobi(x)*p(x)' - ({h})"),
    );
}

#[test]
fn gauges() {
    let text = "param m = 2, k = 3\ncoord x, y\nlagrangian: m*(x'^2 + y'^2)/2 - k*x^2/2 + t*(y*x' + x*y') + x*y\n";
    let recovery = derive(text, &["recovery"]);
    equals(&recovery, "recovery/gauge/h", "t*x*y");
    equals(
        &recovery,
        "recovery/gauge/lagrangian",
        "m*(x'^2 + y'^2)/2 - k*x^2/2",
    );
    let magnetic = text.replace("(y*x' + x*y')", "(y*x' - x*y')");
    let answer = galilei(&["check", "-", "--json"], &magnetic);
    assert!(!answer.out.contains("gauge:"), "{}", answer.out);
    let answer = galilei(&["check", "-", "--json"], text);
    assert!(
        answer
            .out
            .contains("gauge: L is T − V up to a total derivative"),
        "{}",
        answer.out
    );
}

#[test]
fn references_and_constraints_in_charts() {
    let text = "param w = 0.4\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nreference disk: x = -w*y, y = w*x\nconstraint c: y' = x*x' + t\n\
        chart polar(r, f): x = r*cos(f + w*t), y = r*sin(f + w*t)\ninitial x = 1\n";
    let answer = galilei(&["check", "-", "--json"], text);
    let check = answer.json();
    let findings = check.get("findings").clone();
    for name in [
        "chart polar: the reference field disk is carried",
        "chart polar: the constraints are carried",
    ] {
        let found = findings
            .list()
            .iter()
            .find(|f| f.get("name").text() == name);
        assert_eq!(found.expect(name).get("status").text(), "proved", "{name}");
    }
}
