//! `check`: the findings about virtual work and Hamilton's principle.

use galilei_check::{Check, Finding, Status};
use galilei_expr::Verdict;
use galilei_model::{Model, Settings, read};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    match outcome.model {
        Some(model) => model,
        None => panic!("{:#?}", outcome.diagnostics),
    }
}

#[track_caller]
fn found<'c>(check: &'c Check<'_>, name: &str) -> &'c Finding {
    let mut all = check.findings.iter();
    all.find(|f| f.name.starts_with(name))
        .unwrap_or_else(|| panic!("no finding {name}"))
}

#[track_caller]
fn proved(check: &Check<'_>, name: &str) {
    let status = &found(check, name).status;
    assert!(
        matches!(status, Status::Verdict(Verdict::Proved(_))),
        "{name}: {status:?}"
    );
}

const ALL: [&str; 5] = [
    "virtual work",
    "central equations",
    "Hamilton's principle I:",
    "Hamilton's principle II:",
    "Hamilton's principle III:",
];

#[test]
fn t_59_t_60_t_63_t_64_t_65_a_driven_pendulum() {
    let text = "param m = 1, l = 2, g = 9.81, c = 0.1, w = 3\ncoord s, theta\n\
        particle cart: mass 3*m at (s, 0)\n\
        particle bob: mass m at (s + l*sin(theta), cos(w*t) - l*cos(theta))\n\
        gravity: (0, -g)\nforce friction: theta = -c*theta'\n\
        vector potential twist: s = m*w*l*theta\n";
    let model = model(text);
    let check = galilei_check::check(&model);
    assert_eq!(check.ok, Some(true));
    for name in ALL {
        proved(&check, name);
    }
    let detail = &found(&check, ALL[2]).detail;
    assert!(detail.contains("(a) and (b)"), "{detail}");
    assert!(detail.contains("virtual work of the forces"), "{detail}");
    // Under friction nothing is stationary, and nothing of that kind is said to be proved.
    for name in &ALL[2..] {
        let name = &found(&check, name).name;
        assert!(name.contains("δA + ∫δW dt = 0 among"), "{name}");
        assert!(!name.contains("stationary"), "{name}");
    }
    let theorems = ALL.map(|name| found(&check, name).theorem);
    assert_eq!(theorems, ["T-59", "T-60", "T-63", "T-64", "T-65"]);
    // Nothing is said about constraints where there are none.
    let names = check.findings.iter().map(|f| f.name.as_str());
    assert!(!names.clone().any(|n| n.contains("d'Alembert")));
}

#[test]
fn t_65_a_lagrangian_without_a_hamiltonian_in_formulas() {
    let model = model("param m = 1\ncoord x\nassume m > 0\nlagrangian: m*cosh(x') - x^2\n");
    let check = galilei_check::check(&model);
    for name in ALL {
        proved(&check, name);
    }
    for name in &ALL[2..] {
        let name = &found(&check, name).name;
        assert!(name.contains(": stationary among"), "{name}");
    }
    let detail = &found(&check, ALL[4]).detail;
    assert!(
        detail.contains("(e)") && !detail.contains("(f)"),
        "{detail}"
    );
    assert!(detail.contains("without those of H"), "{detail}");
}

#[test]
fn t_58_t_85_constraints() {
    // A skate, and a particle on a turning ring.
    for (text, dimension) in [
        (
            "param m = 1, J = 2\ncoord x, y, phi\nkinetic: m*(x'^2 + y'^2)/2 + J*phi'^2/2\n\
             constraint edge: x'*sin(phi) = y'*cos(phi)\ninitial x' = 1\n",
            3,
        ),
        (
            "param m = 1, R = 2\ncoord x, y\nparticle p: mass m at (x, y)\n\
             constraint ring: x^2 + y^2 = R^2\ninitial x = 2, y' = 1\n",
            2,
        ),
    ] {
        let model = model(text);
        let check = galilei_check::check(&model);
        assert_eq!(check.dimension, dimension);
        proved(&check, "Lagrange and d'Alembert");
        for name in ALL {
            proved(&check, name);
        }
        // What is proved counts the reactions: only admissible displacements are without their work.
        for name in &ALL[2..] {
            let finding = found(&check, name);
            assert!(!finding.name.contains("stationary"), "{}", finding.name);
            let detail = &finding.detail;
            assert!(
                detail.ends_with("virtual work of the reactions"),
                "{detail}"
            );
        }
    }
}

#[test]
fn large_models_say_what_was_not_asked() {
    let text = "const n = 129\nparam m = 1, k = 2\ncoord q[1..n]\n\
        for i in 1..n { particle p[i]: mass m at q[i] }\n\
        potential: sum(i in 1..n: k*q[i]^2/2)\n";
    let model = model(text);
    let check = galilei_check::check(&model);
    assert_eq!(check.ok, None);
    for name in &ALL[..4] {
        let finding = found(&check, name);
        assert_eq!(finding.status.word(), "undecided", "{name}");
        assert!(finding.detail.contains("too large"), "{name}");
    }
    proved(&check, ALL[4]);
}

/// A cart with n pendulums has the same findings, with the same answers, for few and for many of them.
#[test]
fn long_chains_have_the_findings_of_short_ones() {
    let text = |n: usize| {
        format!(
            "const n = {n}\nparam M = 2, m = 1, l = 1/3, g = 9.81, c = 0.1\ncoord s, q[1..n]\n\
             let joint[k in 1..n] = (s, 0) + sum(j in 1..k: l*(sin(q[j]), -cos(q[j])))\n\
             particle cart: mass M at (s, 0)\n\
             for k in 1..n {{ particle bob[k]: mass m at joint[k] }}\n\
             gravity: (0, -g)\nforce rail: s = -c*s'\n"
        )
    };
    let answers = |n: usize| {
        let model = model(&text(n));
        let check = galilei_check::check(&model);
        assert_eq!(check.ok, Some(true), "{n}");
        let required = check.findings.iter().filter(|f| f.required);
        required
            .map(|f| (f.name.clone(), f.status.word()))
            .collect::<Vec<_>>()
    };
    assert_eq!(answers(4), answers(20));
}
