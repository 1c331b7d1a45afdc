//! Numbers and formulas derived by the classical route, held against the command: the Lagrangian
//! as it stands there, and the same system written with particles and bodies.

mod common;
#[path = "oracles/constructions.rs"]
mod constructions;

use common::{Answer, Json, galilei, model, models, names, replace_word};
use galilei::Model;

/// Relative to the largest entry.
const TOLERANCE: f64 = 1e-12;

struct Oracle {
    /// The name of the model file.
    name: String,
    data: Json,
    coordinates: Vec<String>,
}

/// Everything in `models/oracles`.
fn oracles() -> Vec<Oracle> {
    let list = in_directory("oracles");
    assert_eq!(list.len(), 22);
    for o in &list {
        assert_eq!(o.data.get("model").text(), o.name);
    }
    list
}

/// Those with constraints; some have no model of their own.
fn constrained() -> Vec<Oracle> {
    let list = in_directory("oracles/constrained");
    assert_eq!(list.len(), 9);
    list
}

fn in_directory(directory: &str) -> Vec<Oracle> {
    let directory = models().join(directory);
    names(directory.clone(), ".json")
        .into_iter()
        .map(|name| {
            let path = directory.join(format!("{name}.json"));
            let data = Json::parse(&std::fs::read_to_string(path).expect("a file"));
            let coordinates = data.get("coordinates").list();
            let coordinates = coordinates.iter().map(|c| c.text().to_owned()).collect();
            Oracle {
                name,
                data,
                coordinates,
            }
        })
        .collect()
}

fn oracle(name: &str) -> Oracle {
    let found = oracles().into_iter().find(|o| o.name == name);
    found.expect("an oracle")
}

impl Oracle {
    /// An expression of the oracle in the model language, velocities `x'` and momenta `p(x)`.
    fn translate(&self, text: &str) -> String {
        let mut text = text.replace("**", "^");
        for c in &self.coordinates {
            text = replace_word(&text, &format!("u_{c}"), &format!("{c}'"));
            text = replace_word(&text, &format!("p_{c}"), &format!("p({c})"));
        }
        text
    }

    fn declarations(&self) -> String {
        let parameters = self.data.get("parameters").entries();
        let list: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{name} = {}", value.text()))
            .collect();
        let mut out = String::new();
        if !list.is_empty() {
            out.push_str(&format!("param {}\n", list.join(", ")));
        }
        out + &format!("coord {}\n", self.coordinates.join(", "))
    }

    fn force(&self, name: &str, components: &Json) -> String {
        let list: Vec<String> = self
            .coordinates
            .iter()
            .map(|c| format!("{c} = {}", self.translate(components.get(c).text())))
            .collect();
        format!("force {name}: {}\n", list.join(", "))
    }

    /// The oracle's Lagrangian and forces, word by word.
    fn literal(&self) -> String {
        let lagrangian = self.translate(self.data.get("lagrangian").text());
        let forces = self.force("total", self.data.get("generalized_forces"));
        let mut out = format!("{}lagrangian: {lagrangian}\n{forces}", self.declarations());
        if let Json::List(functions) = self.data.get("constraints").get("functions") {
            for f in functions {
                out.push_str(&format!("constraint: {} = 0\n", self.translate(f.text())));
            }
        }
        out
    }

    /// The literal text with the initial state of the oracle's run.
    fn literal_run(&self) -> String {
        let run = self.data.get("trajectory");
        let mut out = self.literal();
        for c in &self.coordinates {
            let (x, u) = (
                run.get("initial_q").get(c),
                run.get("initial_u").get(&format!("u_{c}")),
            );
            out.push_str(&format!(
                "initial {c} = {}, {c}' = {}\n",
                x.text(),
                u.text()
            ));
        }
        out + &format!("simulate to {}\n", run.get("T").text())
    }

    /// Compares where a run ends.
    fn compare_run(&self, answer: &Answer) {
        self.compare_run_to(answer, 1e-12);
    }

    fn compare_run_to(&self, answer: &Answer, tolerance: f64) {
        assert_eq!(answer.code, 0, "{}: {}", self.name, answer.out);
        let wanted = self.data.get("trajectory");
        let json = answer.json();
        assert_eq!(json.get("time").number(), wanted.get("T").number());
        for (key, from, prefix) in [("position", "final_q", ""), ("velocity", "final_u", "u_")] {
            let end = self.row(wanted.get(from), prefix);
            let scale = end.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for (a, b) in json.get(key).numbers().iter().zip(&end) {
                let off = (a - b).abs();
                assert!(
                    off <= tolerance * scale,
                    "{}: {key} is off by {off:e}",
                    self.name
                );
            }
        }
    }

    fn states(&self) -> &[Json] {
        let states = self.data.get("states").list();
        assert!(states.len() >= 3);
        states
    }

    fn at(&self, state: &Json) -> String {
        let mut at = format!("t={}", state.get("t").text());
        for c in &self.coordinates {
            let (x, u) = (state.get("q").get(c), state.get("u").get(&format!("u_{c}")));
            at.push_str(&format!(", {c}={}, {c}'={}", x.text(), u.text()));
        }
        at
    }

    fn row(&self, from: &Json, prefix: &str) -> Vec<f64> {
        let entry = |c| from.get(&format!("{prefix}{c}")).number();
        self.coordinates.iter().map(entry).collect()
    }

    /// Compares an evaluation with a state, and says what differs.
    fn compare(&self, how: &str, answer: &Answer, state: &Json, motion_only: bool) {
        let what = format!("{} {how} at {}", self.name, self.at(state));
        assert_eq!(answer.code, 0, "{what}: {}{}", answer.out, answer.err);
        let json = answer.json();
        let here = state.get("hamilton_rhs");
        close(
            &format!("{what}: mass matrix"),
            &json.get("mass_matrix").flat(),
            &state.get("mass_matrix").flat(),
        );
        close(
            &format!("{what}: acceleration"),
            &json.get("acceleration").numbers(),
            &self.row(state.get("accelerations"), ""),
        );
        if motion_only {
            return;
        }
        close(
            &format!("{what}: momentum"),
            &json.get("momentum").numbers(),
            &self.row(state.get("p"), "p_"),
        );
        close(
            &format!("{what}: momentum rate"),
            &json.get("momentum_rate").numbers(),
            &self.row(here, "p_"),
        );
        close(
            &format!("{what}: Hamiltonian"),
            &[json.get("hamiltonian").number()],
            &[state.get("H").number()],
        );
    }
}

fn close(what: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let scale = wanted.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in found.iter().zip(wanted) {
        assert!(
            (a - b).abs() <= TOLERANCE * scale,
            "{what}: {found:?} instead of {wanted:?}"
        );
    }
}

fn eval(file: &str, at: &str, more: &[&str], input: &str) -> Answer {
    let mut arguments = vec!["eval", file, "--json", "--at", at];
    arguments.extend(more);
    galilei(&arguments, input)
}

/// Fails unless an identity is proved.
fn proved(what: &str, left: &str, right: &str) {
    let claim = format!("{left} = {right}");
    let answer = galilei(&["decide", "--json", claim.as_str()], "");
    assert_eq!(answer.code, 0, "{what}: {claim}: {}", answer.out);
    let verdict = answer.json();
    assert_eq!(verdict.get("verdict").text(), "proved", "{what}: {claim}");
}

#[test]
fn the_lagrangian_gives_the_numbers() {
    for o in oracles() {
        let text = o.literal();
        for state in o.states() {
            let answer = eval("-", &o.at(state), &[], &text);
            o.compare("as a Lagrangian", &answer, state, false);
        }
    }
}

#[test]
fn the_physical_model_gives_the_numbers() {
    for o in oracles() {
        let source = std::fs::read_to_string(model(&o.name)).expect("a file");
        for state in o.states() {
            let answer = eval(&model(&o.name), &o.at(state), &[], "");
            o.compare("as a model", &answer, state, false);
        }
        // The parameters are the oracle's: a value that nobody overrides is not an accident.
        for (name, value) in o.data.get("parameters").entries() {
            let written = format!("{name} = {}", value.text());
            assert!(source.contains(&written), "{}: {written}", o.name);
        }
    }
}

/// (ẋ, ṗ) from (t, x, p) by compiled code.
#[test]
fn hamiltons_right_hand_side_has_the_numbers() {
    let mut seen = 0;
    for o in oracles() {
        let source = std::fs::read_to_string(model(&o.name)).expect("a file");
        for text in [o.literal(), source] {
            let read = Model::parse(&text);
            let compiled = read.expect("a model").compile().expect("numbers");
            let Some(mut hamilton) = compiled.hamilton(1) else {
                assert_eq!(o.name, "relativistic-particle");
                continue;
            };
            for state in o.states() {
                let wanted = state.get("hamilton_rhs");
                if wanted.is_null() {
                    continue;
                }
                let numbers = |json: &Json| -> Vec<f64> {
                    let list = json.entries().iter();
                    list.map(|(_, v)| v.text().parse().expect("a number"))
                        .collect()
                };
                let mut input = vec![state.get("t").text().parse().expect("a number")];
                input.extend(numbers(state.get("q")));
                input.extend(numbers(state.get("p")));
                let wanted = numbers(wanted);
                let mut found = vec![0.0; wanted.len()];
                hamilton.compute(&input, &mut found);
                let scale = wanted.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for (f, w) in found.iter().zip(&wanted) {
                    let off = (f - w).abs() / scale;
                    assert!(off < 1e-12, "{}: {found:?}, not {wanted:?}", o.name);
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn formulas_agree() {
    for o in oracles() {
        let text = o.literal();
        let answer = galilei(
            &[
                "derive",
                "-",
                "metric",
                "energy",
                "lagrange",
                "hamiltonian",
                "--json",
            ],
            &text,
        );
        assert_eq!(answer.code, 0, "{}: {}", o.name, answer.out);
        let json = answer.json();
        let read = |section: &Json, value: &Json| {
            let mut text = value.text().to_owned();
            if let Json::Object(shared) = section.get("where") {
                for (name, value) in shared.iter().rev() {
                    text = replace_word(&text, name, &format!("({})", value.text()));
                }
            }
            text
        };
        let metric = json.get("metric");
        for (i, a) in o.coordinates.iter().enumerate() {
            for (j, b) in o.coordinates.iter().enumerate() {
                let found = read(metric, metric.get("components").get(a).get(b));
                let wanted = &o.data.get("expected_mass_matrix").list()[i].list()[j];
                let what = format!("{}: g {a} {b}", o.name);
                proved(&what, &found, &o.translate(wanted.text()));
            }
        }
        let energy = json.get("energy");
        proved(
            &format!("{}: energy", o.name),
            &read(energy, energy.get("value")),
            &o.translate(o.data.get("expected_energy_function").text()),
        );
        let lagrange = json.get("lagrange");
        for c in &o.coordinates {
            let found = lagrange.get("accelerations").get(c);
            if !found.is_null() {
                let wanted = o.data.get("expected_accelerations").get(c).text();
                let what = format!("{}: acceleration of {c}", o.name);
                // Equal radicands written in two ways are only sampled.
                let wanted = o.translate(wanted).replace(
                    "sqrt((cl^2 - x'^2 - y'^2)/cl^2)",
                    "sqrt(1 - (x'^2 + y'^2)/cl^2)",
                );
                proved(&what, &read(lagrange, found), &wanted);
            }
        }
        let hamiltonian = json.get("hamiltonian");
        let strict = *o.data.get("strict_action_form") != Json::Bool(false);
        assert_eq!(!hamiltonian.get("value").is_null(), strict, "{}", o.name);
        if strict {
            proved(
                &format!("{}: Hamiltonian", o.name),
                &read(hamiltonian, hamiltonian.get("value")),
                &o.translate(o.data.get("expected_hamiltonian").text()),
            );
        }
    }
}

/// F = −∂V/∂x − ∂A/∂t + (∂Aⱼ/∂xᵢ − ∂Aᵢ/∂xⱼ)uʲ, proved for the V and A that `check` reports.
#[test]
fn potential_forces() {
    let mut seen = [0, 0];
    for o in oracles() {
        let test = o.data.get("potential_test");
        if test.is_null() {
            continue;
        }
        let squares: Vec<String> = o.coordinates.iter().map(|c| format!("{c}'^2/2")).collect();
        let text = format!(
            "{}kinetic: {}\n{}",
            o.declarations(),
            squares.join(" + "),
            o.force("tested", test.get("force"))
        );
        let answer = galilei(&["check", "-", "--json"], &text);
        assert_eq!(answer.code, 0, "{}: {}", o.name, answer.out);
        let json = answer.json();
        let force = &json.get("forces").list()[0];
        assert_eq!(force.get("name").text(), "tested");
        assert_eq!(
            force.get("potential"),
            test.get("is_potential"),
            "{}: {force:?}",
            o.name
        );
        assert_eq!(json.get("closed"), test.get("is_potential"), "{}", o.name);
        if *test.get("is_potential") == Json::Bool(false) {
            seen[0] += 1;
            let conditions = test.get("conditions");
            let first = if *test.get("affine_in_velocity") == Json::Bool(false) {
                "P1"
            } else if *conditions.get("antisymmetric_B") == Json::Bool(false) {
                "P2"
            } else if *conditions.get("cyclic_dB") == Json::Bool(false) {
                "P3"
            } else {
                "P4"
            };
            let reason = force.get("reason").text();
            assert!(reason.starts_with(first), "{}: {reason}", o.name);
            assert!(force.get("V").is_null() && force.get("A").is_null());
            continue;
        }
        seen[1] += 1;
        let v = force.get("V").text();
        let a: Vec<&str> = force.get("A").list().iter().map(Json::text).collect();
        for (i, x) in o.coordinates.iter().enumerate() {
            let mut back = format!("-diff({v}, {x}) - diff({}, t)", a[i]);
            for (j, y) in o.coordinates.iter().enumerate() {
                back.push_str(&format!(
                    " + (diff({}, {x}) - diff({}, {y}))*u_{y}",
                    a[j], a[i]
                ));
            }
            let wanted = test.get("force").get(x).text().replace("**", "^");
            proved(&format!("{}: F_{x}", o.name), &back, &wanted);
        }
    }
    assert_eq!(seen, [4, 6]);
}

/// The forces of the physical models, judged one by one.
#[test]
fn forces_of_the_models() {
    let verdict = |name: &str, force: &str| {
        let answer = galilei(&["check", &model(name), "--json"], "");
        let json = answer.json();
        let found = json
            .get("forces")
            .list()
            .iter()
            .find(|f| f.get("name").text() == force);
        let found = found.unwrap_or_else(|| panic!("{name} has no force {force}"));
        *found.get("potential") == Json::Bool(true)
    };
    assert!(verdict("charged-particle-lorentz", "lorentz"));
    assert!(verdict("gyroscopic-oscillator", "gyroscopic"));
    assert!(verdict("hidden-potential-force", "disguised"));
    assert!(verdict("cart-with-pendulums", "motor"));
    assert!(!verdict("ziegler-column", "follower"));
    assert!(!verdict("missing-induction", "field"));
    assert!(!verdict("projectile-with-drag", "drag"));
    assert!(!verdict("damped-chain", "dissipation 1"));
    assert!(!verdict("dumbbell", "rod"));
}

/// The Lorentz force as a force gives the motion of the vector potential.
#[test]
fn lorentz_force_and_vector_potential() {
    let o = oracle("charged-particle");
    for state in o.states() {
        let answer = eval(&model("charged-particle-lorentz"), &o.at(state), &[], "");
        o.compare("with a force", &answer, state, true);
    }
}

/// The same system written in another chart, evaluated in the oracle's.
#[test]
fn charts() {
    let o = oracle("kepler");
    for state in o.states() {
        let file = model("kepler-cartesian");
        let answer = eval(&file, &o.at(state), &["--chart", "polar"], "");
        o.compare("in polar coordinates", &answer, state, false);
    }
    let o = oracle("rotating-polar-chart");
    for state in o.states() {
        let file = model("uniform-field-turning-chart");
        let answer = eval(&file, &o.at(state), &["--chart", "turning"], "");
        o.compare("in the turning chart", &answer, state, false);
        // The same state in the inertial chart.
        let there = state.get("inertial_chart");
        let entry = |name: &str| there.get(name).text();
        let at = format!(
            "t={}, X={}, Y={}, X'={}, Y'={}",
            state.get("t").text(),
            entry("X"),
            entry("Y"),
            entry("u_X"),
            entry("u_Y")
        );
        let json = eval(&file, &at, &[], "").json();
        let momentum = [entry("p_X"), entry("p_Y")].map(|p| p.parse::<f64>().expect("a number"));
        close(
            "inertial momentum",
            &json.get("momentum").numbers(),
            &momentum,
        );
        let energy = there.get("H").number();
        close(
            "inertial energy",
            &[json.get("hamiltonian").number()],
            &[energy],
        );
    }
}

/// A total derivative added to L leaves the motion, and changes the momenta as it should.
#[test]
fn gauges() {
    let o = oracle("gauge");
    let other = format!(
        "{}lagrangian: {}\n",
        o.declarations(),
        o.translate(o.data.get("lagrangian_alternative").text())
    );
    let source = std::fs::read_to_string(model("gauge")).expect("a file");
    let source = format!("{source}\nlagrangian gauge: D(b*t*x*y + x^2*y*sin(t))\n");
    for state in o.states() {
        let at = o.at(state);
        let changed = eval("-", &at, &[], &source);
        o.compare("in another gauge", &changed, state, true);
        let literal = eval("-", &at, &[], &other);
        o.compare("in another gauge, literally", &literal, state, true);
        let (a, b) = (changed.json(), literal.json());
        for key in ["momentum", "momentum_rate"] {
            close(key, &a.get(key).numbers(), &b.get(key).numbers());
        }
        let before = eval(&model("gauge"), &at, &[], "").json();
        assert_ne!(before.get("momentum"), a.get("momentum"));
    }
    for c in &o.coordinates {
        let lagrangian = o
            .data
            .get("lagrangian_alternative")
            .text()
            .replace("**", "^");
        let momentum = o.data.get("alternative_momenta").get(&format!("p_{c}"));
        proved(
            "momenta",
            &format!("diff({lagrangian}, u_{c})"),
            &momentum.text().replace("**", "^"),
        );
    }
}

/// Inertia forces with respect to the turning table, and none with respect to the floor.
#[test]
fn inertia_forces() {
    let o = oracle("rotating-frame-particle");
    let answer = galilei(
        &["derive", &model(&o.name), "inertia", "--json", "--quiet"],
        "",
    );
    let json = answer.json();
    let fields = json.get("inertia").get("components");
    let wanted = o
        .data
        .get("reference_fields")
        .get("inertia_force_between_rotating_and_inertial");
    for c in &o.coordinates {
        for (field, wanted) in [
            ("table", o.translate(wanted.get(c).text())),
            ("floor", "0".into()),
        ] {
            let part = |name: &str| fields.get(field).get(name).get(c).text().to_owned();
            let sum = ["centrifugal", "Euler", "Coriolis"].map(part).join(" + ");
            proved(&format!("{field}, {c}"), &sum, &wanted);
        }
    }
}

#[test]
fn christoffel_symbols() {
    for name in ["geodesic-sphere", "geodesic-half-plane"] {
        let o = oracle(name);
        let symbols = o.data.get("christoffel_nonzero").entries();
        let answer = galilei(
            &["derive", &model(name), "lagrange", "--json", "--quiet"],
            "",
        );
        let json = answer.json();
        for c in &o.coordinates {
            // ẍᵏ = −Γᵏᵢⱼ uⁱuʲ, mixed ones twice.
            let mut sum = String::from("0");
            for (index, value) in symbols {
                let (upper, lower) = index.split_once(';').expect("an upper index");
                let (i, j) = lower.split_once(',').expect("two lower indices");
                if upper == c {
                    let factor = if i == j { 1 } else { 2 };
                    let value = value.text();
                    sum.push_str(&format!(" - {factor}*({value})*{i}'*{j}'"));
                }
            }
            let found = json.get("lagrange").get("accelerations").get(c).text();
            proved(&format!("{name}: {c}"), found, &sum);
        }
    }
}

/// Runs end where the classical route ends, computed there with 30 digits.
#[test]
fn runs() {
    let mut seen = 0;
    for o in oracles() {
        if o.data.get("trajectory").is_null() {
            continue;
        }
        seen += 1;
        let answer = galilei(&["simulate", &model(&o.name), "--json", "--quiet"], "");
        o.compare_run(&answer);
        // The second opinion, and its name in the answer.
        let mut arguments = vec!["simulate", "-", "--json", "--quiet"];
        arguments.extend(["--method", "dop853", "--tolerance", "1e-14"]);
        let source = std::fs::read_to_string(model(&o.name)).expect("a file");
        let answer = galilei(&arguments, &source);
        o.compare_run_to(&answer, 1e-11);
        let json = answer.json();
        assert_eq!(json.get("method").text(), "dop853");
        assert!(json.get("evaluations").number() > 12.0 * json.get("steps").number());
        // Collocation.
        for (method, tolerance, off) in [("gauss6", "1e-13", 1e-9), ("radau", "1e-10", 1e-9)] {
            let words = ["--method", method, "--tolerance", tolerance];
            let words = [&["simulate", "-", "--json", "--quiet"][..], &words].concat();
            let answer = galilei(&words, &source);
            o.compare_run_to(&answer, off);
            assert_eq!(answer.json().get("method").text(), method);
        }
    }
    assert_eq!(seen, 21);
}

/// Accelerations, multipliers and reactions under constraints: linear, affine, nonlinear.
#[test]
fn constraints_give_the_numbers() {
    let mut models = 0;
    for o in constrained() {
        let mut files = vec![("-".to_owned(), o.literal())];
        if let Json::Text(name) = o.data.get("model") {
            files.push((model(name), String::new()));
            models += 1;
        }
        for (file, text) in &files {
            for state in o.states() {
                let answer = eval(file, &o.at(state), &[], text);
                o.compare(file, &answer, state, false);
                let json = answer.json();
                let found = json.get("constraints");
                close(
                    &format!("{}: multipliers", o.name),
                    &found.get("multipliers").numbers(),
                    &state.get("multipliers").numbers(),
                );
                close(
                    &format!("{}: reaction", o.name),
                    &found.get("reaction").numbers(),
                    &o.row(state.get("reaction_forces"), ""),
                );
                assert!(
                    found
                        .get("residual")
                        .numbers()
                        .iter()
                        .all(|r| r.abs() < 1e-15)
                );
            }
        }
    }
    assert_eq!(models, 3);
}

#[test]
fn runs_under_constraints() {
    for o in constrained() {
        let answer = galilei(&["simulate", "-", "--json", "--quiet"], &o.literal_run());
        o.compare_run(&answer);
        if let Json::Text(name) = o.data.get("model") {
            let to = o.data.get("trajectory").get("T").text();
            let arguments = ["simulate", &model(name), "--to", to, "--json", "--quiet"];
            o.compare_run(&galilei(&arguments, ""));
        }
    }
}

/// What `check` says about the constraints.
#[test]
fn kinds_of_constraints() {
    for o in constrained() {
        // Anywhere but at rest, where the cone has its vertex.
        let text = format!("{}\n", o.literal_run());
        let answer = galilei(&["check", "-", "--json"], &text);
        assert_eq!(answer.code, 0, "{}: {}", o.name, answer.out);
        let json = answer.json();
        let found = json.get("constraints");
        let kind = o.data.get("constraints").get("type").text();
        let is = |key: &str| *found.get(key) == Json::Bool(true);
        assert!(is("admissible") && is("regular"), "{}", o.name);
        assert_eq!(is("linear"), kind != "nonlinear", "{}", o.name);
        assert_eq!(
            is("integrable"),
            kind.starts_with("holonomic"),
            "{}",
            o.name
        );
    }
}
