//! What is said holds where it is said: on the constraint set, sheet by sheet, except where, and only if proved.

use galilei_check::{Check, Finding};
use galilei_model::{Code, Model, Settings, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    match outcome.model {
        Some(model) => model,
        None => panic!("{:#?}", outcome.diagnostics),
    }
}

const PLANE: &str = "param g = 9.8\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\n";

fn plane(more: &str) -> Model {
    model(&format!("{PLANE}{more}"))
}

fn found<'c>(check: &'c Check<'_>, name: &str) -> &'c Finding {
    let all = check.findings.iter();
    let mut some = all.filter(|f| f.name.starts_with(name));
    some.next().unwrap_or_else(|| panic!("no finding {name}"))
}

fn codes(model: &Model) -> Vec<&'static str> {
    model.validate().iter().map(|d| d.code.as_str()).collect()
}

fn sheets(f: &Finding) -> Option<Vec<&str>> {
    let list = f.sheets.as_ref()?;
    Some(list.iter().map(String::as_str).collect())
}

/// A constraint whose rank is lost on all of its set is inadmissible, whatever the initial state is.
#[test]
fn t_82_rank_is_decided_on_the_constraint_set() {
    for text in [
        "constraint c: (y' - x*x')^2 = 0\n",
        "constraint c: (y' - x*x')^2 = 0\ninitial x = 1, x' = 1, y' = 1\n",
        "constraint c: y'^2 - 2*x*x'*y' + x^2*x'^2 = 0\n",
        "constraint c: (x' - y')^3 = 0\n",
        "constraint c: x'^2 + y'^2 = 0\n",
        "constraint c: x'^2 + x'*y' + y'^2 = 0\n",
        "constraint c: (x' - 1)^2 + (y' - x)^2 = 0\ninitial x' = 1\n",
        "constraint c: x^2 + y^2 = 0\n",
        "constraint c: (x - y)^2 = 0\n",
        // The circle touches the line.
        "constraint a: x'^2 + y'^2 = 1\nconstraint b: x' = 1\ninitial x' = 1\n",
        "constraint a: x^2 + y^2 = 1\nconstraint b: x = 1\ninitial x = 1\n",
        // No state at all.
        "constraint c: x'^2 + y'^2 + 1 = 0\n",
    ] {
        assert_eq!(codes(&plane(text)), ["inadmissible_constraint"], "{text}");
    }
    // A parameter may be exceptional: for c = 0 this is a cube.
    let text = "param c = 0\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint s: (x' - y')^3 = c\n";
    let cube = model(text);
    assert!(!found(&galilei_check::check(&cube), "constraints: admissible").holds());
    assert_eq!(codes(&cube), ["inadmissible_constraint"]);
    // The rank is lost at this state alone.
    let single = plane("constraint c: (y' - 1)*(y' - x*x') = 0\ninitial x = 1, x' = 1, y' = 1\n");
    assert_eq!(codes(&single), ["inadmissible_constraint_at_state"]);
    let hint = &plane("constraint c: (y' - x*x')^2 = 0\n").validate()[0].hint;
    assert!(hint.contains("y' - x*x' = 0"), "{hint}");
}

/// On y' = 1 the weight does work, at 9.8 per second; on y' = x x' the energy is conserved.
#[test]
fn t_92_conservation_is_decided_on_each_sheet() {
    let model = plane(
        "constraint c: (y' - 1)*(y' - x*x') = 0\nsymmetry shift: x = 1\nsymmetry time: t = 1\n\
         initial x = 1, x' = 1/2, y' = 1\n",
    );
    let check = galilei_check::check(&model);
    assert_eq!(check.ok, Some(true));
    assert!(!check.conservative && check.cyclic.is_empty());
    let energy = found(&check, "conserved: E");
    assert_eq!(energy.status.word(), "proved");
    assert_eq!(sheets(energy), Some(vec!["y' - x*x' = 0"]));
    let power = found(&check, "power of reactions");
    assert_eq!(sheets(power), Some(vec!["y' - x*x' = 0"]));
    assert_eq!(
        sheets(found(&check, "symmetry time:")),
        Some(vec!["y' - x*x' = 0"])
    );
    assert_eq!(
        sheets(found(&check, "symmetry shift:")),
        Some(vec!["y' - 1 = 0"])
    );
    assert_eq!(
        sheets(found(&check, "conserved: p(x)")),
        Some(vec!["y' - 1 = 0"])
    );
    let admissible = found(&check, "constraints: admissible");
    assert!(admissible.sheets.is_none() && admissible.generic);
    assert_eq!(
        admissible.except.as_deref(),
        Some("y' - 1 = 0 and y' - x*x' = 0")
    );
}

/// A factor that vanishes to second order, or without velocities, leaves the other sheets.
#[test]
fn t_82_sheets_without_rank_are_left_out() {
    for text in [
        "constraint c: (x' - 1)^2*(y' - x*x') = 0\ninitial x = 2, x' = 2, y' = 4\n",
        "constraint c: x*(y' - x*x') = 0\ninitial x = 2, x' = 2, y' = 4\n",
    ] {
        let check = plane(text);
        let check = galilei_check::check(&check);
        let admissible = found(&check, "constraints: admissible");
        assert_eq!(admissible.status.word(), "proved", "{text}");
        assert_eq!(sheets(admissible), Some(vec!["y' - x*x' = 0"]), "{text}");
        let energy = found(&check, "conserved: E");
        assert_eq!(sheets(energy), Some(vec!["y' - x*x' = 0"]), "{text}");
    }
}

/// Both roots of a nonlinear constraint count.
#[test]
fn t_93_all_branches_of_a_sheet_count() {
    let check = |text: &str| {
        let m = plane(text);
        let c = galilei_check::check(&m);
        let energy = found(&c, "conserved: E").clone();
        (c.conservative, energy.status.word(), energy.sheets)
    };
    let (all, word, named) = check("constraint c: x'^2 = y'^2\ninitial x' = 1, y' = 1\n");
    assert!(all && word == "proved" && named.is_none());
    let (all, word, _) = check("constraint c: x'^2 + y'^2 = 1\ninitial x' = 1\n");
    assert!(!all && word == "fails");
    let (all, word, _) = check("constraint c: y' = x + x'\n");
    assert!(!all && word == "fails");
    // The force vanishes on the upper root of x'² = 1 + y'² and pushes on the lower.
    let pushed = model(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x'^2 = 1 + y'^2\n\
         force f: y = (x' - sqrt(1 + y'^2))*y'\ninitial x' = 1, y' = 0\n",
    );
    let asked = galilei_check::check(&pushed);
    assert_ne!(found(&asked, "conserved: E").status.word(), "proved");
    // Holonomic ones: the force vanishes on the circle alone.
    let (all, ..) = check(
        "constraint c: x^2 + y^2 = 1\nforce f: x = (x^2 + y^2 - 1)*x'\ninitial x = 1, y' = 1\n",
    );
    assert!(all);
    let (all, word, _) = check("constraint c: y = t\ninitial y' = 1\n");
    assert!(!all && word == "fails");
}

/// "except where" with the locus; nothing where the determinant vanishes nowhere.
#[test]
fn t_48_regular_almost_everywhere_or_everywhere() {
    let regular = |text: &str| {
        let m = model(text);
        let c = galilei_check::check(&m);
        let f = found(&c, "regular:").clone();
        assert_eq!(f.status.word(), "proved", "{text}");
        (f.generic, f.except)
    };
    for (text, except) in [
        ("coord x\nkinetic: x*x'^2/2\ninitial x = 1\n", "x = 0"),
        (
            "param m = 2\ncoord r, phi\nkinetic: m*(r'^2 + r^2*phi'^2)/2\ninitial r = 1\n",
            "r = 0",
        ),
        (
            "param A = 1, C = 2\ncoord phi, theta, psi\n\
             kinetic: A*(theta'^2 + phi'^2*sin(theta)^2)/2 + C*(psi' + phi'*cos(theta))^2/2\ninitial theta = 1\n",
            "sin(theta) = 0",
        ),
        ("coord x\nlagrangian: x'^4/4\ninitial x' = 1\n", "x' = 0"),
    ] {
        assert_eq!(regular(text), (true, Some(except.to_owned())), "{text}");
    }
    for text in [
        "param m = 2\ncoord x\nkinetic: m*x'^2/2\n",
        "coord x\nkinetic: (1 + x^2)*x'^2/2\n",
        "assume r > 0\ncoord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\ninitial r = 1\n",
        "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\n",
        "const n = 5\ncoord q[1..n]\nlet p[k in 0..n] = (sum(j in 1..k: sin(q[j])), sum(j in 1..k: cos(q[j])))\n\
         for k in 1..n { particle bob[k]: mass k at p[k] }\n",
    ] {
        assert_eq!(regular(text), (false, None), "{text}");
    }
}

/// What is required and not decided makes the answer open; what is undefined at the start is an error.
#[test]
fn ok_needs_proof() {
    for (text, line) in [
        ("param k = 1\ncoord x\nlagrangian: sqrt(-1 - x'^2)*k\n", 3),
        (
            "coord x\nkinetic: x'^2/2\npotential: 1/x\ninitial x = 0\n",
            3,
        ),
        ("coord x\nkinetic: x'^2/2\npotential: 1/x\n", 3),
        ("coord x\nkinetic: x'^2/2\npotential: sqrt(x)\n", 3),
        ("coord x\nkinetic: x'^2/2\nforce f: x = log(x)\n", 3),
    ] {
        let model = model(text);
        assert_eq!(galilei_check::check(&model).ok, Some(false), "{text}");
        let said = model.validate();
        let culprit = said.iter().find(|d| d.code == Code::NotDefinedAtState);
        let span = culprit.and_then(|d| d.span).unwrap();
        assert_eq!(
            galilei_model::Lines::new(text).place(span.start).0,
            line,
            "{text}"
        );
    }
    // A function of no known value leaves the decision open, and so the answer.
    let open = model("coord x\nkinetic: x'^2/2\n");
    let mut check = galilei_check::check(&open);
    assert_eq!(check.ok, Some(true));
    let undecided = galilei_expr::Verdict::Undecided(galilei_expr::Reason::Unseen);
    check.findings[0].status = galilei_check::Status::Verdict(undecided);
    assert_eq!(
        Check::all_required(&check.findings, &check.diagnostics),
        None
    );
}

/// Under constraints the energy law is that of the constrained system, and Ω_c what is closed or not.
#[test]
fn t_92_t_105_constrained_answers_concern_the_constrained_system() {
    let sleigh = model(
        "coord x, y, phi\nkinetic: (x'^2 + y'^2 + phi'^2)/2\n\
         constraint blade: x'*sin(phi) - y'*cos(phi) = 0\ninitial x' = 1\n",
    );
    let check = galilei_check::check(&sleigh);
    let law = found(&check, "energy:");
    assert!(law.name.contains("Fᶜ") && law.theorem == "T-92", "{law:?}");
    assert_eq!(law.status.word(), "proved");
    let closed = found(&check, "closed:");
    assert_eq!((closed.theorem, closed.status.word()), ("T-105", "fails"));
    assert!(!check.closed && check.conservative);
    for f in &check.findings {
        let of_free = ["action form:", "postulate:", "Hamilton: "];
        if of_free.iter().any(|n| f.name.starts_with(n)) {
            assert!(f.name.contains("free system"), "{}", f.name);
        }
        assert!(!f.name.contains("+ uⁱFᵢ"), "{}", f.name);
    }
    // A reaction that is constant has a potential.
    let table = plane("constraint c: y = 0\n");
    assert!(galilei_check::check(&table).closed);
}

/// The constraint set may depend on time where Ω does not, and need not where its equations do.
#[test]
fn time_dependence_counts_the_constraint_set() {
    for (text, moving) in [
        ("constraint c: x' = cos(t)\ninitial x' = 1\n", true),
        ("constraint c: x = t\ninitial x' = 1\n", true),
        ("constraint c: (1 + t^2)*y' = (1 + t^2)*x*x'\n", false),
        ("constraint c: exp(t)*(y' - x*x') = 0\n", false),
        ("constraint c: y' = x*x'\n", false),
    ] {
        assert_eq!(
            galilei_check::check(&plane(text)).time_dependent,
            moving,
            "{text}"
        );
    }
}

/// Closed is not exact: the period around the hole is said.
#[test]
fn t_124_closed_forces_have_local_potentials() {
    let vortex = model(
        "param k = 1\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\n\
         force v: x = -k*y/(x^2 + y^2), y = k*x/(x^2 + y^2)\ninitial x = 1\n",
    );
    let check = galilei_check::check(&vortex);
    let reason = &check.forces[0].reason;
    for part in ["locally", "x^2 + y^2 = 0", "not star-shaped", "2*pi*k"] {
        assert!(reason.contains(part), "{reason}");
    }
    let monopole = model(
        "param k = 1\ncoord x, y, z\nlet r = sqrt(x^2 + y^2 + z^2)\nkinetic: (x'^2 + y'^2 + z'^2)/2\n\
         force b: x = k*(y'*z - z'*y)/r^3, y = k*(z'*x - x'*z)/r^3, z = k*(x'*y - y'*x)/r^3\ninitial x = 1\n",
    );
    let check = galilei_check::check(&monopole);
    let reason = &check.forces[0].reason;
    for part in ["locally", "not star-shaped", "4*pi*k"] {
        assert!(reason.contains(part), "{reason}");
    }
    let uniform = model("coord x\nkinetic: x'^2/2\nforce f: x = -x\n");
    assert!(
        !galilei_check::check(&uniform).forces[0]
            .reason
            .contains("locally")
    );
}

/// xⁿ with n = 2 is x², on both sides of zero.
#[test]
fn whole_exponents_are_defined_for_negative_bases() {
    let text = |n: &str| {
        format!(
            "param n = {n}, k = 3\ncoord x\nkinetic: x'^2/2\npotential: k*x^n/n\ninitial x = -2\n"
        )
    };
    for (n, force) in [("2", 6.0), ("3", -12.0), ("4", 24.0), ("1", -3.0)] {
        let model = model(&text(n));
        assert!(model.validate().is_empty(), "{n}");
        let state = model.initial_state().unwrap();
        let found = model.evaluate(&state).unwrap();
        assert_eq!(found.acceleration, [force], "{n}");
    }
    assert_eq!(codes(&model(&text("2.5"))), ["not_defined_at_state"]);
}

/// T-120 is asked and never required.
#[test]
fn t_120_inverse_problem() {
    let status = |text: &str| {
        let m = model(text);
        let c = galilei_check::check(&m);
        let all: Vec<&Finding> = c.findings.iter().filter(|f| f.theorem == "T-120").collect();
        assert!(all.len() == 1 && !all[0].required);
        all[0].status.word()
    };
    let free = "coord x, y\nkinetic: (x'^2 + y'^2)/2\n";
    assert_eq!(status(free), "proved");
    assert_eq!(
        status(&format!("{free}force m: x = y', y = -x'\n")),
        "proved"
    );
    assert_eq!(status(&format!("{free}force d: x = -x'\n")), "fails");
    assert_eq!(status(&format!("{free}force s: x = -y, y = x\n")), "fails");
    assert_eq!(
        status(&format!("{free}constraint c: x' = y'\n")),
        "not applicable"
    );
}

/// Another chart's constraints are solved for a velocity that is determined everywhere, if there is one.
#[test]
fn dependent_velocities_in_another_chart() {
    let text = "param R = 1\ncoord x, phi, psi\nkinetic: (x'^2 + phi'^2 + psi'^2)/2\n\
        constraint roll: x' = R*psi'*cos(phi)\nchart c(s, a, b): x = s, phi = a, psi = b\n\
        chart d(a, b, s): x = s, phi = a, psi = b\n";
    let model = model(text);
    for (name, obvious) in [("c", 0), ("d", 2)] {
        let chart = model.chart(name).unwrap();
        let system = model.in_chart(&model.system(), chart).1;
        let found = model
            .constructions_in_chart(chart, &system)
            .unwrap()
            .unwrap();
        assert_eq!(
            found.reduced.unwrap().solved().dependent(),
            [obvious],
            "{name}"
        );
    }
}

/// With symbols for all coefficients: all that is required is proved, and the reduced construction is compared, for eleven
/// constraints as for four.
#[test]
fn dense_constraints_are_judged_like_few() {
    let statuses = |c: usize| {
        let mut text = String::new();
        let names: Vec<String> = (0..=c).map(|j| format!("x{j}")).collect();
        text += &format!("coord {}\n", names.join(", "));
        let squares: Vec<String> = names.iter().map(|x| format!("{x}'^2/2")).collect();
        for i in 0..c {
            let values =
                (0..=c).map(|j| format!("a{i}_{j} = {}", (7 * i + 3 * j) % 11 + 1 + i * j));
            let list: Vec<String> = values.collect();
            text += &format!("param {}\n", list.join(", "));
        }
        text += &format!("kinetic: {}\n", squares.join(" + "));
        for i in 0..c {
            let terms: Vec<String> = (0..=c).map(|j| format!("a{i}_{j}*x{j}'")).collect();
            text += &format!("constraint c{i}: {} = 0\n", terms.join(" + "));
        }
        let model = model(&text);
        let check = galilei_check::Checker::new(&model).check();
        assert_eq!(check.ok, Some(true), "{c}");
        let required = check.findings.into_iter().filter(|f| f.required);
        required
            .map(|f| (f.name.clone(), f.holds()))
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses(4), statuses(11));
}
