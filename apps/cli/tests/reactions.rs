//! Constraints on accelerations, and reactions that are not ideal, against numbers found in other ways.

mod common;

use common::{Answer, Json, galilei};

fn eval(text: &str, at: &str) -> Answer {
    let answer = galilei(&["eval", "-", "--json", "--at", at], text);
    assert_eq!(answer.code, 0, "{text}{}{}", answer.out, answer.err);
    answer
}

fn near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!(
            (a - b).abs() <= 1e-11 * (1.0 + b.abs()),
            "{found:?} {wanted:?}"
        );
    }
}

fn codes(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let list = json.get("errors").list().iter();
    list.map(|d| d.get("code").text().to_owned()).collect()
}

/// The status of the finding whose name begins so.
fn status(check: &Json, name: &str) -> String {
    let list = check.get("findings").list().iter();
    let mut found = list.filter(|f| f.get("name").text().starts_with(name));
    let found = found.next().unwrap_or_else(|| panic!("no finding {name}"));
    found.get("status").text().to_owned()
}

const PLANE: &str = "param m = 2, n = 3\ncoord x, y\nkinetic: m*x'^2/2 + n*y'^2/2 + x'*y'/2\npotential: 4*x + y^2\n";

/// g = [2 ½; ½ 3], f = (−4, −2y), a constraint x'' + 2y'' = t − x'. By Cramer's rule.
#[test]
fn a_constraint_of_second_order_has_an_ideal_reaction() {
    let text = format!("{PLANE}constraint c: x'' + 2*y'' = t - x'\n");
    let (t, y, u) = (0.5, 0.7, 0.3);
    let answer = eval(&text, "t=0.5, x=9, y=0.7, x'=0.3, y'=-1");
    let (g, f) = ([[2.0, 0.5], [0.5, 3.0]], [-4.0, -2.0 * y]);
    let det = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    let raise = |v: [f64; 2]| {
        [
            (g[1][1] * v[0] - g[0][1] * v[1]) / det,
            (g[0][0] * v[1] - g[1][0] * v[0]) / det,
        ]
    };
    let (free, row) = (raise(f), raise([1.0, 2.0]));
    let lambda = (t - u - free[0] - 2.0 * free[1]) / (row[0] + 2.0 * row[1]);
    let a = [free[0] + lambda * row[0], free[1] + lambda * row[1]];
    let json = answer.json();
    near(&json.get("acceleration").numbers(), &a);
    let c = json.get("constraints");
    near(&c.get("multipliers").numbers(), &[lambda]);
    near(&c.get("reaction").numbers(), &[lambda, 2.0 * lambda]);
    near(&c.get("residual").numbers(), &[0.0]);
    // The power of the reaction is part of the rate of the energy.
    let rate = json.get("energy_rate").number();
    assert!((rate - lambda * (0.3 - 2.0)).abs() < 1e-11);
}

/// An actuator on y alone keeps x + 2y = sin t: x moves as if it were free of it.
#[test]
fn a_servo_acts_along_its_covector() {
    let text = format!("{PLANE}constraint c: x + 2*y = sin(t)\nreaction c: y = -3\n");
    let answer = eval(&text, "t=0, x=0, y=0, x'=0, y'=0.5");
    // 2a + ½b = −4 and a + 2b = 0.
    let b = -4.0 / (0.5 - 4.0);
    let a = -2.0 * b;
    let json = answer.json();
    near(&json.get("acceleration").numbers(), &[a, b]);
    let force = 0.5 * a + 3.0 * b;
    let c = json.get("constraints");
    near(&c.get("multipliers").numbers(), &[-force / 3.0]);
    near(&c.get("reaction").numbers(), &[0.0, force]);
}

/// ξ̃^α = ξ^α, and the dependent acceleration is what the constraint says. (T-113)
#[test]
fn the_connection_corrects_dependent_accelerations() {
    let text = format!(
        "{PLANE}constraint c: y' = x*x'\ndependent y'\nreaction c: connection\ninitial x = 1\n"
    );
    let answer = eval(&text, "x=2, y=1, x'=1, y'=2");
    let free = [(-4.0 * 3.0 + 0.5 * 2.0) / 5.75, 0.0];
    let a = [free[0], 2.0 * free[0] + 1.0];
    let json = answer.json();
    near(&json.get("acceleration").numbers(), &a);
    let c = json.get("constraints");
    assert_eq!(*c.get("multipliers"), Json::List(vec![Json::Null]));
    let force = [2.0 * a[0] + 0.5 * a[1] + 4.0, 0.5 * a[0] + 3.0 * a[1] + 2.0];
    near(&c.get("reaction").numbers(), &force);
    // Solved for x' instead, another reaction is meant.
    let other = text.replace("dependent y'", "dependent x'");
    let answer = eval(&other, "x=2, y=1, x'=1, y'=2");
    let free = (-2.0 * 2.0 + 0.5 * 4.0) / 5.75;
    let a = [(free - 1.0) / 2.0, free];
    near(&answer.json().get("acceleration").numbers(), &a);
}

/// Reactions of several kinds are solved for together: along each other's constraints, too.
/// y' = x x' corrects x'' where x' is declared, not y'': with V = 9y and m = (2, 3), y'' stays −3, and x'' = (y'' − x'²)/x.
#[test]
fn declared_velocities_are_those_that_the_connection_corrects() {
    let text = "coord x, y\nkinetic: x'^2 + 3*y'^2/2\npotential: 9*y\nconstraint c: y' = x*x'\n\
                reaction c: connection\ndependent x'\n";
    let at = "x=1, x'=1, y'=1";
    let json = eval(&format!("{text}initial x = 2\n"), at).json();
    near(&json.get("acceleration").numbers(), &[-4.0, -3.0]);
    // Also from an initial state at which the constraint does not determine x'.
    near(
        &eval(text, at).json().get("acceleration").numbers(),
        &[-4.0, -3.0],
    );
    let answer = galilei(&["simulate", "-", "--json", "--to", "1"], text);
    assert_eq!(codes(&answer), ["reaction_cannot_enforce"]);
}

#[test]
fn several_reactions_act_together() {
    let text = "coord x, y, z\nkinetic: (x'^2 + 2*y'^2 + 3*z'^2)/2\npotential: x + y + z\n\
                constraint a: x = t\nconstraint b: y'' = z\nconstraint c: z' = x'\n\
                reaction a: y = 1\nreaction b: x = 1, y = 1\nreaction c: connection\ndependent z'\n";
    let answer = eval(text, "t=0, x'=1, z'=1, z=0.5");
    // x'' = 0, y'' = ½, z'' = 0; x: 0 = −1 + q, y: 1 = −1 + p + q, z: 0 = −1 + r.
    let json = answer.json();
    near(&json.get("acceleration").numbers(), &[0.0, 0.5, 0.0]);
    let c = json.get("constraints");
    near(&c.get("reaction").numbers(), &[1.0, 2.0, 1.0]);
    let multipliers = c.get("multipliers").list();
    near(
        &[multipliers[0].number(), multipliers[1].number()],
        &[1.0, 1.0],
    );
    assert_eq!(multipliers[2], Json::Null);
}

#[test]
fn reactions_that_are_not_felt_are_refused() {
    let refused = |text: &str, code: &str| {
        let answer = galilei(&["check", "-", "--json"], text);
        assert_eq!(codes(&answer), [code], "{text}");
        assert_eq!(answer.code, 1);
    };
    let free = "coord x, y\nkinetic: (x'^2 + y'^2)/2\n";
    refused(
        &format!("{free}constraint c: x = 0\nreaction c: y = 1\n"),
        "reaction_cannot_enforce",
    );
    // Two constraints, one actuator.
    refused(
        &format!(
            "{free}constraint c: x = 0\nconstraint d: y'' = 0\nreaction c: x = 1, y = 1\nreaction d: x = 2, y = 2\n"
        ),
        "reaction_cannot_enforce",
    );
    refused(
        &format!("{free}constraint c: x = 0\nreaction c: x = 0\n"),
        "reaction_cannot_enforce",
    );
    // At single states only.
    let text = format!("{free}constraint c: x = 0\nreaction c: x = y, y = 1\ninitial y = 1\n");
    assert_eq!(galilei(&["check", "-", "--json"], &text).code, 0);
    let answer = galilei(&["eval", "-", "--json", "--at", "y=0"], &text);
    assert_eq!(codes(&answer), ["reaction_cannot_enforce"]);
    let start = text.replace("initial y = 1", "initial y = 0");
    refused(&start, "reaction_cannot_enforce");
    // The state asked for counts, not the initial one.
    let answer = galilei(&["eval", "-", "--json", "--at", "y=1"], &start);
    assert_eq!(answer.code, 0, "{}", answer.out);
    refused(
        &format!("{free}constraint c: x'*x'' + sin(y'') = 0\n"),
        "not_affine_in_accelerations",
    );
    refused(
        &format!("{free}constraint c: x'' - x'' + x' = 0\nconstraint d: 2*x' = 0\n"),
        "inadmissible_constraint",
    );
    refused(
        &format!("{free}constraint c: x'' = 0\nreaction c: ideal\nreaction c: x = 1\n"),
        "duplicate_statement",
    );
    refused(
        &format!("{free}let a = x''\noutput b: a\n"),
        "second_derivative",
    );
    refused(
        &format!("{free}constraint c: (x, y) = (0, t)\nreaction c: x = 1\n"),
        "shape_mismatch",
    );
}

/// Dimensions: the multiplier makes a force of the covector, whatever the dimension of that.
#[test]
fn covectors_have_dimensions() {
    let text = "param m = 2 [kg], l = 3 [m]\ncoord x [m], phi [rad]\nbody b: mass m inertia m*l^2 at (x, 0) angle phi\n\
                constraint c: x'' = 1*l/T^2\nparam T = 1 [s]\n";
    let good = format!("{text}reaction c: x = 1, phi = l\noutput q: multiplier(c) + m*l/T^2\n");
    let answer = galilei(&["eval", "-", "--json"], &good);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let wrong = format!("{text}reaction c: x = 1, phi = T\n");
    let answer = galilei(&["eval", "-", "--json"], &wrong);
    assert_eq!(codes(&answer), ["dimension_mismatch"]);
}

/// A covector for each component of a constraint between tuples.
#[test]
fn tuples_have_covectors_for_each_component() {
    let text = "coord x, y\nkinetic: (x'^2 + 4*y'^2)/2\npotential: x + y\n\
                constraint path: (x, y) = (t, 2*t)\nreaction path: x = (0, 1), y = (2, 0)\n\
                initial x' = 1, y' = 2\noutput p: multiplier(path.x)\noutput q: multiplier(path.y)\nsimulate to 1\n";
    let json = eval(text, "").json();
    near(
        &json.get("constraints").get("multipliers").numbers(),
        &[0.5, 1.0],
    );
    let run = galilei(&["simulate", "-", "--json"], text).json();
    near(
        &[
            run.get("outputs").get("p").number(),
            run.get("outputs").get("q").number(),
        ],
        &[0.5, 1.0],
    );
    assert!(run.get("energy_balance").number() < 1e-12);
}

/// Motions that are prescribed altogether: the work of the drives balances the energy, in every method that takes them.
#[test]
fn work_of_drives_is_balanced() {
    let text = "param g = 9.81\ncoord a, b\n\
        particle: mass 2 at (sin(a), -cos(a))\nparticle: mass 1 at (sin(a) + sin(b), -cos(a) - cos(b))\n\
        gravity: (0, -g)\nconstraint p: a = 0.8*(1 - cos(2*t))\nconstraint q: b = 1.2*(1 - cos(2*t))\nsimulate to 3\n";
    let driven = format!("{text}reaction p: a = 1\nreaction q: a = -1, b = 1\n");
    for text in [text, &driven] {
        for method in ["taylor", "dop853", "radau"] {
            let run = galilei(&["simulate", "-", "--json", "--method", method], text).json();
            assert_eq!(run.get("status").text(), "finished", "{method}");
            let balance = run.get("energy_balance").number();
            assert!(balance < 1e-9, "{method} {balance}");
        }
        let answer = galilei(&["simulate", "-", "--json", "--method", "galerkin4"], text);
        if text == driven {
            assert_eq!(codes(&answer), ["not_variational"]);
        }
    }
    // The same torques by ideal reactions, with the elbow prescribed relative to the upper link.
    let q = "constraint q: b = 1.2*(1 - cos(2*t))";
    let relative = text.replace(q, "constraint q: b - a = 0.4*(1 - cos(2*t))");
    let torques = |text: &str| {
        let json = eval(text, "t=0").json();
        let constraints = json.get("constraints");
        constraints.get("multipliers").numbers()
    };
    near(&torques(&driven), &torques(&relative));
    // Newton's law for both links at the start, where only accelerations count: a'' = 3.2, b'' = 4.8.
    near(&torques(&driven), &[3.0 * 3.2 + 4.8 + 3.2 + 4.8, 3.2 + 4.8]);
    let end = |text: &str| {
        let run = galilei(&["simulate", "-", "--json"], text).json();
        [run.get("position").numbers(), run.get("velocity").numbers()].concat()
    };
    near(&end(&driven), &end(&relative));
}

/// A motion under a second-order constraint that is the derivative of one between velocities is the same motion.
#[test]
fn second_order_constraints_are_derivatives_of_others() {
    let head = "coord x, y\nkinetic: (x'^2 + y'^2)\npotential: 2*9.81*y\ninitial x' = 3, y' = 4\nsimulate to 2\n";
    let run = |constraint: &str| {
        let text = format!("{head}constraint c: {constraint}\noutput p: multiplier(c)\n");
        let answer = galilei(&["simulate", "-", "--json"], &text);
        assert_eq!(answer.code, 0, "{}", answer.out);
        let json = answer.json();
        assert!(json.get("energy_balance").number() < 1e-11);
        [
            json.get("position").numbers(),
            json.get("velocity").numbers(),
            vec![json.get("outputs").get("p").number()],
        ]
        .concat()
    };
    let (second, first) = (run("x'*x'' + y'*y'' = 0"), run("(x'^2 + y'^2)/2 = 25/2"));
    near(&second, &first);
}

#[test]
fn check_says_what_holds_of_reactions() {
    let check = |text: &str| galilei(&["check", "-", "--json"], text).json();
    let servo = check(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x + y = sin(t)\nreaction c: y = 1\ninitial y' = 1\n",
    );
    assert_eq!(*servo.get("ok"), Json::Bool(true));
    assert_eq!(status(&servo, "reactions: keep"), "proved");
    assert_eq!(status(&servo, "reactions: ideal"), "fails");
    assert_eq!(status(&servo, "Gauss"), "fails");
    assert_eq!(status(&servo, "power of reactions:"), "fails");
    assert_eq!(
        status(&servo, "constraints: Hamilton with reactions"),
        "proved"
    );
    assert_eq!(
        *servo.get("constraints").get("integrable"),
        Json::Bool(true)
    );
    // A covector that is a multiple of the row of the constraint is ideal.
    let ideal = check(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x + y = 0\nreaction c: x = 3, y = 3\n",
    );
    assert_eq!(status(&ideal, "reactions: ideal"), "proved");
    assert_eq!(status(&ideal, "Gauss"), "proved");
    assert_eq!(status(&ideal, "power of reactions:"), "proved");
    assert_eq!(status(&ideal, "conserved: E"), "proved");
    let second = check("coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x'' = t*y\n");
    assert_eq!(*second.get("ok"), Json::Bool(true));
    assert_eq!(*second.get("time_dependent"), Json::Bool(true));
    let c = second.get("constraints");
    assert_eq!(*c.get("linear"), Json::Bool(true));
    assert_eq!(*c.get("integrable"), Json::Bool(false));
    assert_eq!(*c.get("admissible"), Json::Bool(true));
    assert_eq!(status(&second, "Gauss"), "proved");
}

#[test]
fn variations_are_checked() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint circle: x^2 + y^2 = 1\n\
                variation turn: x = -y, y = x\nvariation away: x = x, y = y\ninitial x = 1, y' = 1\n";
    let check = galilei(&["check", "-", "--json"], text).json();
    assert_eq!(*check.get("ok"), Json::Bool(true));
    assert_eq!(status(&check, "variation turn: admissible"), "proved");
    assert_eq!(status(&check, "variation turn: no virtual work"), "proved");
    assert_eq!(status(&check, "variation away: admissible"), "fails");
    assert_eq!(status(&check, "variation away: no virtual work"), "fails");
    assert_eq!(
        status(&check, "variation away: Lagrange's central"),
        "proved"
    );
    let work = galilei(&["derive", "-", "virtual-work"], text);
    assert!(
        work.out.contains("Variation turn") && work.out.contains("not admissible"),
        "{}",
        work.out
    );
    let free = "coord x\nkinetic: x'^2/2\npotential: x^2\nvariation shift: x = t*x\n";
    let check = galilei(&["check", "-", "--json"], free).json();
    assert_eq!(status(&check, "variation shift: no virtual work"), "proved");
}

/// In another chart the reaction is the same force.
#[test]
fn reactions_are_carried_into_charts() {
    let text = "coord x, y\nkinetic: (x'^2 + 3*y'^2)/2\npotential: y\n\
                constraint c: x'' = y\nconstraint d: y' = x\nreaction c: x = 1, y = x\nreaction d: connection\n\
                chart turned(r, s): x = r*cos(s), y = r*sin(s)\n";
    let own = eval(text, "x=0.6, y=0.8, x'=-0.3, y'=0.6").json();
    let (r, s) = (1.0_f64, 0.8_f64.atan2(0.6));
    let (dr, ds) = (-0.3 * 0.6 + 0.6 * 0.8, 0.6 * 0.6 + 0.3 * 0.8);
    let at = format!("r={r:?}, s={s:?}, r'={dr:?}, s'={ds:?}");
    let there = galilei(
        &["eval", "-", "--json", "--chart", "turned", "--at", &at],
        text,
    );
    assert_eq!(there.code, 0, "{}", there.out);
    let there = there.json();
    let force = own.get("constraints").get("reaction").numbers();
    let turned = [
        0.6 * force[0] + 0.8 * force[1],
        -0.8 * force[0] + 0.6 * force[1],
    ];
    near(&there.get("constraints").get("reaction").numbers(), &turned);
    let a = own.get("acceleration").numbers();
    let b = there.get("acceleration").numbers();
    // ẍ = r̈ cos s − 2ṙṡ sin s − r(s̈ sin s + ṡ² cos s)
    let x = b[0] * 0.6 - 2.0 * dr * ds * 0.8 - (b[1] * 0.8 + ds * ds * 0.6);
    assert!((x - a[0]).abs() < 1e-11, "{x} {}", a[0]);
}

/// Sensitivities and sweeps go through reactions that are not ideal.
#[test]
fn derivatives_and_sweeps_know_reactions() {
    let text = "param k = 2\ncoord x, y\nkinetic: (x'^2 + 2*y'^2 + x'*y')/2\npotential: k*x^2/2 + sin(y)\n\
                constraint c: y'' + x*x'' = -y' - k*x\nreaction c: x = y, y = 1 + x^2\n\
                initial x = 0.5, y = 0.3, x' = 0.1\nsimulate to 1\n";
    let end = |k: f64| {
        let set = format!("k={k:?}");
        let run = galilei(&["simulate", "-", "--json", "--set", &set], text).json();
        assert_eq!(run.get("status").text(), "finished");
        [run.get("position").numbers(), run.get("velocity").numbers()].concat()
    };
    let h = 1e-4;
    let (more, less) = (end(2.0 + h), end(2.0 - h));
    let found = galilei(&["sensitivities", "-", "--json", "--by", "k"], text);
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);
    let difference: Vec<f64> = more
        .iter()
        .zip(&less)
        .map(|(a, b)| (a - b) / (2.0 * h))
        .collect();
    let column = found.json().get("sensitivities").get("k").numbers();
    for (a, b) in column.iter().zip(&difference) {
        assert!(
            (a - b).abs() < 1e-6 * (1.0 + b.abs()),
            "{column:?} {difference:?}"
        );
    }
    let swept = galilei(
        &["sweep", "-", "--json", "--grid", "k in [1.5, 2, 2.5]"],
        text,
    );
    assert_eq!(swept.code, 0, "{}{}", swept.out, swept.err);
    let swept = swept.json();
    assert_eq!(swept.get("failed").number(), 0.0);
    let stationary =
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x + y = 0\nreaction c: x = 1\n";
    let refused = galilei(
        &[
            "stationary",
            "-",
            "--json",
            "--start",
            "x=0, y=0",
            "--end",
            "x=1, y=-1",
            "--to",
            "1",
        ],
        stationary,
    );
    assert_eq!(codes(&refused), ["not_variational"]);
}

/// A one-form on the state space, against the same constraint as an equation.
#[test]
fn forms_are_constraints_of_second_order() {
    let head = "param m = 2\ncoord x, y, z\nkinetic: m*(x'^2 + y'^2 + z'^2)/2\npotential: 9.81*z\n";
    let at = "t=0.3, x=0.2, y=-0.4, z=1, x'=1.6, y'=-1.2, z'=1.2";
    let found = |constraint: &str| {
        let json = eval(&format!("{head}constraint c: {constraint}\n"), at).json();
        let c = json.get("constraints");
        [
            json.get("acceleration").numbers(),
            c.get("multipliers").numbers(),
            c.get("reaction").numbers(),
            c.get("residual").numbers(),
        ]
        .concat()
    };
    let f = "z'^2 - 0.36*(x'^2 + y'^2)";
    let form = found(&format!("form d({f})"));
    near(&form, &found(&format!("{f} = 0")));
    near(&form, &found("2*z'*z'' = 0.72*(x'*x'' + y'*y'')"));
    let other = found("form x*d(t) + t*d(x) + d(x') - sin(y)*d(y') + y'*d(z)");
    near(&other, &found("x + t*x' + x'' - sin(y)*y'' + y'*z' = 0"));
    let refused = |constraint: &str, code: &str| {
        let text = format!("{head}constraint c: {constraint}\n");
        let answer = galilei(&["check", "-", "--json"], &text);
        assert_eq!(codes(&answer), [code], "{constraint}");
    };
    refused("form d(x)", "inadmissible_constraint");
    refused("form d(t)", "inadmissible_constraint");
    refused("form d(x'^2) - 2*x'*d(x')", "inadmissible_constraint");
    refused(r"form d(x') /\ d(t)", "degree_mismatch");
    refused("form abs(x)*d(x')", "not_smooth");
    let two = format!(
        "{head}constraint c: form d(x' + y')\nconstraint d: form 2*d(x') + 2*d(y') + d(t)\n"
    );
    assert_eq!(
        codes(&galilei(&["check", "-", "--json"], &two)),
        ["inadmissible_constraint"]
    );
    // The rank is lost at single states.
    let text = format!("{head}constraint c: form d(x'^2)\n");
    let lost = galilei(&["eval", "-", "--json", "--at", "x'=0"], &text);
    assert_eq!(codes(&lost), ["inadmissible_constraint_at_state"]);
    // With a reaction that is not ideal.
    let servo = format!("{head}constraint c: form d({f})\nreaction c: z = 1\n");
    let json = eval(&servo, at).json();
    let a = json.get("acceleration").numbers();
    near(&a, &[0.0, 0.0, 0.0]);
    near(
        &json.get("constraints").get("multipliers").numbers(),
        &[9.81],
    );
}

/// The codistribution of Appell and Hamel moves as the constraint between velocities, which is one of its integrals.
#[test]
fn appell_and_hamel_as_a_codistribution() {
    let run = |name: &str| {
        let json = galilei(&["simulate", &common::model(name), "--json"], "").json();
        assert_eq!(json.get("status").text(), "finished");
        assert!(json.get("energy_balance").number() < 1e-11);
        let lift = json.get("outputs").get("lift").number();
        [
            json.get("position").numbers(),
            json.get("velocity").numbers(),
            vec![lift],
        ]
        .concat()
    };
    near(&run("appell-hamel-codistribution"), &run("appell-hamel"));
    let path = common::model("appell-hamel-codistribution");
    let json = galilei(&["check", &path, "--json"], "").json();
    assert_eq!(*json.get("ok"), Json::Bool(true));
    assert_eq!(status(&json, "Gauss"), "proved");
    assert_eq!(
        status(&json, "constraints: Hamilton with reactions"),
        "proved"
    );
    let c = json.get("constraints");
    assert_eq!(*c.get("linear"), Json::Bool(false));
    assert_eq!(*c.get("integrable"), Json::Bool(false));
}

/// A particle on y = x² that a force along y keeps there: ẍ = 0, ÿ = 2ẋ². The ideal reaction would give another field.
#[test]
fn the_structure_of_a_driven_motion_is_that_of_its_field() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: y\nconstraint c: y = x^2\nreaction c: y = 1\ninitial x = 1, y = 1\n";
    let answer = galilei(
        &[
            "derive",
            "-",
            "structure",
            "connection",
            "newtonian",
            "--json",
        ],
        text,
    );
    assert_eq!(answer.code, 0, "{}", answer.err);
    let json = answer.json();
    let z = json.get("structure").get("horizontal").get("Z");
    assert_eq!(z.get("y'").text(), "2*x'^2");
    assert!(z.entries().iter().all(|(name, _)| name != "x'"));
    let field = json.get("connection").get("field");
    assert_eq!(field.get("y'").text(), "2*x'^2");
    // Γ^y_x = −½ ∂f^y/∂ẋ
    let coefficients = json.get("connection").get("coefficients");
    assert_eq!(coefficients.get("y").get("x").text(), "-2*x'");
    let force = json.get("newtonian").get("force");
    assert_eq!(force.get("y").text(), "2*x'^2");
}
