//! Units and dimensions.

use super::*;

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
