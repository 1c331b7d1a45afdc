//! Virtual work, central equations, action and first variation, through the command: textbook results,
//! relations between the sections, and that everything printed reads back.

mod common;

use common::{Json, galilei, model, verdict};

const WHAT: [&str; 4] = ["virtual-work", "central", "action", "first-variation"];

fn derived(name: &str) -> Json {
    let file = model(name);
    let mut arguments = vec!["derive", &file];
    arguments.extend(WHAT);
    arguments.extend(["lagrange", "--json", "--quiet"]);
    let answer = galilei(&arguments, "");
    assert_eq!(answer.code, 0, "{name}: {}{}", answer.out, answer.err);
    answer.json()
}

#[track_caller]
fn proved(left: &str, right: &str) {
    assert_eq!(verdict(left, right), "proved", "{left} = {right}");
}

/// All strings of the components of a section, by the way to them; words for people left out.
fn strings(json: &Json, way: &str, out: &mut Vec<(String, String)>) {
    const WORDS: [&str; 6] = ["latex", "text", "reason", "curves", "theorems", "where"];
    match json {
        Json::Text(e) => out.push((way.to_owned(), e.clone())),
        Json::Object(entries) => {
            for (key, value) in entries {
                if !WORDS.contains(&key.as_str()) {
                    strings(value, &format!("{way}.{key}"), out);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn everything_reads_back() {
    for name in [
        "kapitza-pendulum",
        "charged-particle",
        "chaplygin-sleigh",
        "oscillator-chain",
    ] {
        let json = derived(name);
        let mut all = Vec::new();
        for what in WHAT {
            strings(json.get(what), what, &mut all);
        }
        assert!(all.len() >= 12, "{name}");
        // One claim for all: Σ e·k is itself when it has been read.
        for (way, e) in all {
            let answer = galilei(
                &["decide", "--json", &format!("2*({e}) = ({e}) + ({e})")],
                "",
            );
            assert_eq!(answer.code, 0, "{name} {way}: {e}: {}", answer.out);
            let found = answer.json().get("verdict").text().to_owned();
            assert_eq!(found, "proved", "{name} {way}: {e}");
        }
    }
}

#[test]
fn t_58_kapitza() {
    let json = derived("kapitza-pendulum");
    let work = json.get("virtual-work");
    let motion = "m*l^2*theta'' + c*theta' + m*l*(g - a*w^2*cos(w*t))*sin(theta)";
    proved(work.get("components").get("theta").text(), motion);
    let times = format!("({motion})*delta(theta)");
    proved(work.get("value").text(), &times);
    assert_eq!(
        verdict(work.get("value").text(), &format!("-{times}")),
        "refuted"
    );
    let friction = work.get("forces").get("friction").text();
    proved(friction, "-c*theta'*delta(theta)");
    // δp by hand.
    let momentum = work.get("momenta").get("theta").text();
    let expected = "m*l^2*delta(theta') - m*l*a*w*sin(w*t)*cos(theta)*delta(theta)";
    proved(momentum, expected);
    // The action over curves (θ, u): stationary in u where θ̇ = u.
    let a = json.get("action").get("components").get("a").get("euler");
    proved(a.get("u(theta)").text(), "m*l^2*(theta' - u(theta))");
    let ends = json.get("first-variation").get("boundary").text();
    proved(
        ends,
        "m*l*(l*theta' - a*w*sin(w*t)*sin(theta))*delta(theta)",
    );
    let transposition = json.get("central").get("transposition").text();
    let expected = "m*l*(l*theta' - a*w*sin(w*t)*sin(theta))*(delta(theta') - delta(theta)')";
    proved(transposition, expected);
}

#[test]
fn t_58_t_63_a_charge() {
    let json = derived("charged-particle");
    let work = json.get("virtual-work");
    // Lorentz: mẍ = q(E + ẋ × B)
    let forces = ["qe*(E0*cos(w*t) + B0*y')", "-qe*B0*x'", "qe*E1"];
    for (x, force) in ["x", "y", "z"].into_iter().zip(forces) {
        let found = work.get("components").get(x).text();
        proved(found, &format!("m*{x}'' - ({force})"));
        let action = json.get("action").get("components");
        for kind in ["e", "f"] {
            let found = action.get(kind).get("euler").get(x).text();
            proved(found, &format!("{force} - m*{x}''"));
        }
        // (b): ẋ = (p − qA)/m
        let b = action.get("b").get("euler").get(&format!("p({x})")).text();
        let a = match x {
            "x" => "-qe*B0*y/2",
            "y" => "qe*B0*x/2",
            _ => "0",
        };
        proved(b, &format!("{x}' - (p({x}) - ({a}))/m"));
        // (d) keeps that as a condition.
        let d = action.get("d").get("conditions").get(x).text();
        proved(d, &format!("{x}' - (p({x}) - ({a}))/m"));
    }
}

#[test]
fn t_60_t_62_the_sections_agree() {
    for name in ["kapitza-pendulum", "double-pendulum", "chaplygin-sleigh"] {
        let json = derived(name);
        let (work, first) = (json.get("virtual-work"), json.get("first-variation"));
        let value = work.get("value").text();
        proved(json.get("central").get("hamel").text(), value);
        // Under the integral of δA + ∫δW dt stands −Ω(Z, Y).
        let (inner, forces) = (first.get("integrand").text(), first.get("work").text());
        proved(&format!("{inner} + {forces}"), &format!("-({value})"));
        // Hamel's equation without its last term is Lagrange's.
        let central = json.get("central");
        let [hamel, lagrange, off] =
            ["hamel", "lagrange", "transposition"].map(|k| central.get(k).text());
        proved(&format!("({hamel}) - ({off})"), lagrange);
        assert_eq!(verdict(hamel, lagrange), "refuted", "{name}");
    }
}

#[test]
fn t_81_a_sleigh() {
    let json = derived("chaplygin-sleigh");
    let admissible = json.get("virtual-work").get("admissible");
    let Json::Object(entries) = admissible else {
        panic!("{admissible:?}");
    };
    let [(_, Json::Text(condition))] = entries.as_slice() else {
        panic!("{entries:?}");
    };
    // The edge cannot be displaced sideways: ẋ and ẏ in the constraint become δx and δy.
    assert!(
        condition.contains("delta(") && !condition.contains('\''),
        "{condition}"
    );
    let answer = galilei(&["check", &model("chaplygin-sleigh"), "--json"], "");
    let all = answer.json().get("findings").list().to_vec();
    let found = all
        .iter()
        .find(|f| f.get("name").text().starts_with("Lagrange and d'Alembert"));
    assert_eq!(found.expect("a finding").get("status").text(), "proved");
}
