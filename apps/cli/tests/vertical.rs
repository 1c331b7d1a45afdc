//! T-99 … T-104: `derive vertical jacobi` against the classical route, and read back.

mod common;

use common::{Json, galilei, model, models, replace_word};
use galilei_expr::{Pool, Program};
use galilei_mechanics::{
    AdaptedChart, HamiltonianForm, Lagrangian, StateSpace, System, VerticalConfiguration,
    VerticalHamiltonian,
};
use galilei_model::read_claim;

/// Relative to the largest entry.
const TOLERANCE: f64 = 1e-12;

fn oracle() -> Json {
    let path = models().join("oracles/pendulum-variation.json");
    Json::parse(&std::fs::read_to_string(path).expect("a file"))
}

/// The pendulum below the oracle.
const PENDULUM: &str = "param m = 1, l = 0.8, g = 9.81\ncoord th\n\
    lagrangian: g*l*m*cos(th) + l^2*m*th'^2/2\n";

/// A formula of the oracle in the names of the derivation: eta is the Jacobi field of th, its
/// momentum that of th, and the momentum of th is varied.
fn translated(text: &str) -> String {
    let names = [
        ("**", "^"),
        ("p_eta", "P"),
        ("p_th", "jacobi(p(th))"),
        ("P", "p(th)"),
        ("u_eta", "jacobi(th)'"),
        ("u_th", "th'"),
        ("eta", "jacobi(th)"),
    ];
    // Names that contain each other are set apart first.
    let names = names.iter();
    names.fold(text.replace("u_eta", "U"), |text, (from, to)| match *from {
        "u_eta" => text.replace('U', to),
        "eta" => replace_word(&text, from, to),
        _ => text.replace(from, to),
    })
}

#[track_caller]
fn equal(found: &str, wanted: &str) {
    let answer = galilei(&["decide", &format!("{found} = {wanted}"), "--json"], "");
    let verdict = answer.json();
    assert_eq!(
        verdict.get("verdict").text(),
        "proved",
        "{found} = {wanted}"
    );
}

fn derive(text: &str, what: &[&str]) -> Json {
    let arguments = [&["derive", "-"], what, &["--json", "--quiet"]].concat();
    let answer = galilei(&arguments, text);
    assert_eq!(answer.code, 0, "{}", answer.out);
    answer.json()
}

#[test]
fn t_100_t_101_formulas_of_the_oracle() {
    let (oracle, found) = (oracle(), derive(PENDULUM, &["vertical", "jacobi"]));
    let vertical = found.get("vertical");
    assert_eq!(vertical.get("kind").text(), "jacobi");
    let hamiltonian = translated(oracle.get("expected_hamiltonian").text());
    equal(vertical.get("hamiltonian").text(), &hamiltonian);
    // Hamilton's equations of that function, by hand.
    for (own, rate) in [
        ("th", "p(th)/(m*l^2)"),
        ("p(th)", "-m*g*l*sin(th)"),
        ("jacobi(th)", "jacobi(p(th))/(m*l^2)"),
        ("jacobi(p(th))", "-m*g*l*cos(th)*jacobi(th)"),
    ] {
        equal(vertical.get("components").get(own).text(), rate);
    }
    let jacobi = found.get("jacobi");
    let lagrangian = translated(oracle.get("lagrangian").text());
    equal(jacobi.get("lagrangian").text(), &lagrangian);
    // m l² ξ̈ = −m g l cos θ ξ
    let a = translated(oracle.get("expected_accelerations").get("eta").text());
    let equation = jacobi.get("components").get("th").text();
    equal(equation, &format!("m*l^2*(jacobi(th)'' - ({a}))"));
    let q = jacobi.get("second_variation").text();
    equal(q, "m*l^2*jacobi(th)'^2 - m*g*l*cos(th)*jacobi(th)^2");
}

/// The symbolic extension at the states of the oracle.
#[test]
fn t_100_t_101_numbers_of_the_oracle() {
    let oracle = oracle();
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["th"]));
    let (th, u) = (s.position(0), s.velocity(0));
    let [m, l, g] = pool.symbols(["m", "l", "g"]);
    let below = Lagrangian::new(&s, m * l.pow(2) * u.pow(2) / 2 + m * g * l * th.cos());
    let configuration = VerticalConfiguration::over(&s);
    let above = System::new(configuration.lagrangian(&below));
    let field = above.lagrange().expect("regular");
    let canonical = System::new(below).canonical().expect("quadratic");
    let form = HamiltonianForm::new(canonical.chart(), canonical.hamiltonian());
    let vertical = VerticalHamiltonian::complete(&form);
    let rates = vertical.field();
    let mut formulas = field.accelerations().to_vec();
    formulas.extend(above.lagrangian().momenta());
    formulas.push(vertical.function());
    // (θ, p, ξ, π) in the oracle's order θ, η, p_θ = π, p_η = p.
    formulas.extend([1, 3, 4, 2].map(|k| rates.component(k)));
    let space = vertical.space();
    let symbols = [
        m,
        l,
        g,
        th,
        configuration.variations()[0],
        u,
        configuration.rates()[0],
        space.varied_momenta()[0],
        space.momenta()[0],
    ];
    let program = Program::new(&formulas, &symbols).expect("functions of these");
    let states = oracle.get("states").list();
    assert!(states.len() >= 3);
    for state in states {
        let number = |part: &str, key: &str| state.get(part).get(key).number();
        let parameter = |key: &str| oracle.get("parameters").get(key).number();
        let point = [
            parameter("m"),
            parameter("l"),
            parameter("g"),
            number("q", "th"),
            number("q", "eta"),
            number("u", "u_th"),
            number("u", "u_eta"),
            number("p", "p_th"),
            number("p", "p_eta"),
        ];
        let wanted = [
            number("accelerations", "th"),
            number("accelerations", "eta"),
            number("p", "p_th"),
            number("p", "p_eta"),
            state.get("H").number(),
            number("hamilton_rhs", "th"),
            number("hamilton_rhs", "eta"),
            number("hamilton_rhs", "p_th"),
            number("hamilton_rhs", "p_eta"),
        ];
        let found = program.f64(&point);
        let scale = wanted.iter().fold(1.0_f64, |m, w| m.max(w.abs()));
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() <= TOLERANCE * scale, "{a} {b}");
        }
    }
}

#[test]
fn t_102_damped_oscillator() {
    // x″ + 2b x′ + k x = 0 forwards; the adjoint grows as the motion decays.
    let text =
        "param b = 0.1, k = 2\ncoord x\nlagrangian: x'^2/2 - k*x^2/2\nforce drag: x = -2*b*x'\n";
    let found = derive(text, &["vertical", "jacobi"]);
    let vertical = found.get("vertical");
    assert_eq!(vertical.get("kind").text(), "adjoint");
    let rate = |name: &str| vertical.get("components").get(name).text().to_owned();
    equal(&rate("x"), "p(x)");
    equal(&rate("p(x)"), "-k*x - 2*b*p(x)");
    equal(&rate("jacobi(x)"), "jacobi(p(x)) + 2*b*jacobi(x)");
    equal(&rate("jacobi(p(x))"), "-k*jacobi(x)");
    let jacobi = found.get("jacobi");
    equal(
        jacobi.get("components").get("x").text(),
        "jacobi(x)'' + 2*b*jacobi(x)' + k*jacobi(x)",
    );
    assert!(jacobi.get("second_variation").is_null());
    // A force with a potential leaves the system Hamiltonian, and the extension is Jacobi's.
    let spring = text.replace("-2*b*x'", "-b*x");
    let found = derive(&spring, &["vertical"]);
    assert_eq!(found.get("vertical").get("kind").text(), "jacobi");
}

/// A particle on a spring whose Lagrangian is not quadratic, with its momentum and its mass dp/du by hand.
const NOT_QUADRATIC: [[&str; 3]; 2] = [
    [
        "-m*c^2*sqrt(1 - x'^2/c^2) - k*x^2/2",
        "m*x'/sqrt(1 - x'^2/c^2)",
        "m/sqrt(1 - x'^2/c^2)^3",
    ],
    [
        "c*x'^4/4 + m*x'^2/2 - k*x^2/2",
        "c*x'^3 + m*x'",
        "3*c*x'^2 + m",
    ],
];

#[test]
fn t_101_t_102_where_the_lagrangian_is_not_quadratic() {
    for [lagrangian, p, mass] in NOT_QUADRATIC {
        let text =
            format!("param m = 1, c = 3, k = 2, b = 0.1\ncoord x\nlagrangian: {lagrangian}\n");
        let found = derive(&text, &["vertical", "jacobi"]);
        let vertical = found.get("vertical");
        assert_eq!(vertical.get("kind").text(), "jacobi");
        equal(vertical.get("momenta").get("x").text(), p);
        // H_V = ∂_VH = ξ ∂H/∂x + π ∂H/∂p with ∂H/∂x = kx, ∂H/∂p = u.
        let h = vertical.get("hamiltonian").text();
        equal(h, "k*x*jacobi(x) + x'*jacobi(p(x))");
        let rates = [
            ("x", "x'".to_owned()),
            ("p(x)", "-k*x".into()),
            ("jacobi(x)", format!("jacobi(p(x))/({mass})")),
            ("jacobi(p(x))", "-k*jacobi(x)".into()),
        ];
        for (name, rate) in rates {
            equal(vertical.get("components").get(name).text(), &rate);
        }
        // d(m ξ̇)/dt + kξ = 0, with the mass m(u) and its rate along the motion.
        let jacobi = found
            .get("jacobi")
            .get("components")
            .get("x")
            .text()
            .to_owned();
        let rate = format!("diff({mass}, x')*x''*jacobi(x)'");
        equal(
            &jacobi,
            &format!("({mass})*jacobi(x)'' + {rate} + k*jacobi(x)"),
        );
        // Friction: the adjoint grows. −ξF joins H_V, and with it bξ dx'/dp the rate of ξ.
        let found = derive(&format!("{text}force drag: x = -b*x'\n"), &["vertical"]);
        let vertical = found.get("vertical");
        assert_eq!(vertical.get("kind").text(), "adjoint");
        let rate = |name: &str| vertical.get("components").get(name).text().to_owned();
        equal(&rate("p(x)"), "-k*x - b*x'");
        equal(
            &rate("jacobi(x)"),
            &format!("(jacobi(p(x)) + b*jacobi(x))/({mass})"),
        );
        equal(&rate("jacobi(p(x))"), "-k*jacobi(x)");
    }
}

#[test]
fn t_103_where_the_lagrangian_is_not_quadratic() {
    // λ(y′ − x′) with masses 3u² + 1: m_xẍ = −1 − λ, m_yÿ = λ, ẍ = ÿ, so λ = −m_y/(m_x + m_y).
    let text = "coord x, y\nlagrangian: (x'^4 + y'^4)/4 + (x'^2 + y'^2)/2 - x\n\
        constraint together: y' = x'\n";
    let found = derive(text, &["vertical"]);
    let vertical = found.get("vertical");
    assert_eq!(vertical.get("kind").text(), "adjoint");
    let rate = |name: &str| vertical.get("components").get(name).text().to_owned();
    let both = "(3*x'^2 + 3*y'^2 + 2)";
    equal(&rate("p(x)"), &format!("-(3*x'^2 + 1)/{both}"));
    equal(&rate("p(y)"), &format!("-(3*y'^2 + 1)/{both}"));
    let momentum = vertical.get("momenta").get("y").text();
    equal(momentum, "y'^3 + y'");
    equal(&rate("jacobi(p(x))"), "0");
    // H_V = π·u − ξ·p′, and ∂/∂p is (1/m)∂/∂u.
    let h = format!(
        "jacobi(p(x))*x' + jacobi(p(y))*y' \
        + jacobi(x)*(3*x'^2 + 1)/{both} + jacobi(y)*(3*y'^2 + 1)/{both}"
    );
    equal(vertical.get("hamiltonian").text(), &h);
    equal(&rate("jacobi(x)"), &format!("diff({h}, x')/(3*x'^2 + 1)"));
}

#[test]
fn t_101_size_decides_and_not_the_number_of_coordinates() {
    let chain = |n: usize, what: &[&str]| {
        let (file, set) = (model("oscillator-chain"), format!("n={n}"));
        let arguments = [
            &["derive", &file],
            what,
            &["--set", &set, "--json", "--quiet"],
        ]
        .concat();
        galilei(&arguments, "").json()
    };
    // Eight masses between springs, by hand.
    let found = chain(8, &["vertical", "jacobi"]);
    let (vertical, jacobi) = (found.get("vertical"), found.get("jacobi"));
    let pull = "k*(jacobi(q[4]) - 2*jacobi(q[5]) + jacobi(q[6]))";
    let rate = |name: &str| vertical.get("components").get(name).text();
    equal(rate("jacobi(q[5])"), "jacobi(p(q[5]))/m");
    equal(rate("jacobi(p(q[5]))"), pull);
    let equation = jacobi.get("components").get("q[5]").text();
    equal(equation, &format!("m*jacobi(q[5])'' - {pull}"));
    let text = jacobi.get("text").text();
    assert_eq!(text.matches("= 0").count(), 8, "{text}");
    // Larger ones say how large, and give the equations to programs.
    let found = chain(200, &["vertical", "jacobi"]);
    assert!(found.get("vertical").get("components").is_null());
    let why = found.get("vertical").get("reason").text();
    assert!(why.contains("200 entries"), "{why}");
    let jacobi = found.get("jacobi");
    let why = jacobi.get("reason").text();
    assert!(why.contains("the Jacobi equations have"), "{why}");
    let pull = pull
        .replace('4', "104")
        .replace('5', "105")
        .replace('6', "106");
    let equation = written_out(jacobi, jacobi.get("components").get("q[105]").text());
    equal(&equation, &format!("m*jacobi(q[105])'' - {pull}"));
}

/// A component without abbreviations.
fn written_out(section: &Json, text: &str) -> String {
    let Json::Object(shared) = section.get("where") else {
        return text.to_owned();
    };
    // Each stands for earlier ones.
    let shared = shared.iter().rev();
    shared.fold(text.to_owned(), |text, (name, value)| {
        replace_word(&text, name, &format!("({})", value.text()))
    })
}

#[test]
fn t_103_a_constrained_particle() {
    // ẍ = λ f_u with f = y′ − x x′ …: adjoint equations by hand for the skate y′ = c x′, m = 1:
    // ẋ = p_x, ẏ = p_y, and ṗ = 0 on both, since the constraint is already flat.
    let text = "param c = 2\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x\n\
        constraint ramp: y' = c*x'\n";
    let found = derive(text, &["vertical", "jacobi"]);
    let vertical = found.get("vertical");
    let rate = |name: &str| vertical.get("components").get(name).text().to_owned();
    // λ(y′ − c x′): ÿ = λ, ẍ = −1 − cλ, ÿ = cẍ, so λ = −c/(1 + c²).
    equal(&rate("p(x)"), "-1/(1 + c^2)");
    equal(&rate("p(y)"), "-c/(1 + c^2)");
    equal(&rate("jacobi(p(x))"), "0");
    equal(&rate("jacobi(x)"), "jacobi(p(x))");
    let jacobi = found.get("jacobi");
    equal(
        jacobi.get("components").get("x").text(),
        "jacobi(x)'' + c*jacobi(multiplier(ramp))",
    );
    equal(
        jacobi.get("constraints").get("ramp").text(),
        "jacobi(y)' - c*jacobi(x)'",
    );
}

/// Every component reads back as a claim about itself, in every model that is small enough.
#[test]
fn components_read_back() {
    for name in [
        "kapitza-pendulum",
        "charged-particle",
        "chaplygin-sleigh",
        "ball-on-turntable",
        "relativistic-particle",
        "oscillator-chain",
    ] {
        let arguments = ["derive", &model(name), "vertical", "jacobi", "--json"];
        let answer = galilei(&arguments, "").json();
        let mut texts = Vec::new();
        for what in ["vertical", "jacobi"] {
            for key in [
                "hamiltonian",
                "lagrangian",
                "components",
                "constraints",
                "where",
            ] {
                strings(answer.get(what).get(key), &mut texts);
            }
        }
        assert!(texts.len() >= 6, "{name}");
        for text in texts {
            let pool = Pool::new();
            let claim = read_claim(&pool, &format!("{text} = {text}"), &[]);
            let claim = claim.unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert!(claim.decide().is_proved(), "{text}");
        }
    }
}

fn strings(json: &Json, out: &mut Vec<String>) {
    match json {
        Json::Text(text) => out.push(text.clone()),
        Json::Object(entries) => entries.iter().for_each(|(_, v)| strings(v, out)),
        _ => {}
    }
}

#[test]
fn every_format_has_the_sections() {
    for format in ["text", "latex", "html"] {
        let arguments = ["derive", "-", "vertical", "jacobi", "--format", format];
        let answer = galilei(&arguments, PENDULUM);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{format}");
        let marks: [&str; 2] = match format {
            "latex" => ["\\xi_{\\theta}", "\\Omega_{V}"],
            "html" => ["<mi>ξ</mi>", "<mi>π</mi>"],
            _ => ["ξ̈_θ", "Ω_V"],
        };
        for mark in marks {
            assert!(answer.out.contains(mark), "{format}: {}", answer.out);
        }
    }
}

/// A sleigh whose parameters are called like abbreviations.
const SLEIGH: &str = "param c2 = 1.3, J = 0.4, c_1 = 0.3\ncoord x, y, th\n\
    body s: mass c2 inertia J at (x + c_1*cos(th), y + c_1*sin(th)) angle th\n\
    constraint knife: x'*sin(th) - y'*cos(th) = 0\ninitial x' = 0.8, th' = 0.9\n";

/// No abbreviation bears the name of a parameter, or one that is drawn like it.
#[test]
fn abbreviations_are_not_parameters() {
    let told = |format: &str| {
        let answer = galilei(&["derive", "-", "vertical", "--format", format], SLEIGH);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.out
    };
    let subscript = |k: &str| format!("<math><msub><mi>c</mi><mn>{k}</mn></msub><mo>=</mo>");
    for (format, taken, free) in [
        ("text", ["c₁ = ", "c₂ = "], "c₃ = "),
        ("latex", ["c_{1} = ", "c_{2} = "], "c_{3} = "),
        ("html", [&*subscript("1"), &subscript("2")], &subscript("3")),
    ] {
        let text = told(format);
        assert!(text.contains(free), "{format}: {text}");
        for name in taken {
            assert!(!text.contains(name), "{format}: {name} in {text}");
        }
    }
    // Programs get names of the same kind.
    let section = derive(SLEIGH, &["vertical"]);
    let text = section.get("vertical").get("text").text().to_owned();
    assert!(text.contains("c₃") && !text.contains("c₁ = "), "{text}");
}

/// Motions under constraints between positions are stationary among the curves that satisfy them.
#[test]
fn t_101_why_there_is_no_second_variation() {
    let head = "coord x, y\nparticle p: mass 1 at (x, y)\ninitial x = 1, y' = 1\n";
    let rod = "constraint rod: x^2 + y^2 = 1\n";
    let skate = "constraint skate: y' = x*x'\ninitial x' = 1\n";
    let drag = "force drag: x = -x'\n";
    for (rest, stationary, of_forces) in [
        (rod.to_owned(), true, false),
        (skate.replace("initial x' = 1", ""), false, false),
        (drag.to_owned(), false, true),
        (format!("{rod}{drag}"), false, true),
    ] {
        let text = galilei(&["derive", "-", "jacobi"], &format!("{head}{rest}")).out;
        let reason = text.lines().find(|l| l.contains("no second variation"));
        let reason = reason.unwrap_or_else(|| panic!("{text}"));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words.contains("motions are stationary points"),
            stationary,
            "{reason}"
        );
        assert_eq!(words.contains("not part of L"), of_forces, "{reason}");
    }
}
