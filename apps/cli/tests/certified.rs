//! `simulate --certify` for every model of the gallery: its enclosure contains the run in 106 bits, whose equations it shares, and the
//! run of compiled code in doubles, which has other equations and another integrator; and it shrinks with the tolerance.

mod common;

use common::{galilei, model, models, names};
use serde_json::Value;

/// The end of the runs, which all models reach in a short time, and a model with long equations whose run ends earlier.
const END: &str = "0.1";
const LONG: (&str, &str) = ("whipple-bicycle", "0.02");
/// The error of runs in doubles relative to the size of their numbers.
const DOUBLE_ERROR: f64 = 1e-9;

/// Statements that have no certificate, each with the word of its refusal.
const REFUSED: [&str; 7] = [
    "statements",
    "has no value",
    "is interpolated in doubles",
    "cannot be enclosed or computed in more digits",
    "no free motion",
    "violates the constraint",
    "is undetermined",
];

fn document(words: &[&str]) -> Value {
    let out = galilei(words, "");
    serde_json::from_str(&out.out)
        .unwrap_or_else(|e| panic!("{words:?} {e}: {}{}", out.out, out.err))
}

/// Positions, then velocities, of a document.
fn state(document: &Value) -> Vec<f64> {
    let list = |key: &str| document[key].as_array().expect("a list").clone();
    let all = list("position").into_iter().chain(list("velocity"));
    all.map(|x| x.as_f64().expect("a number")).collect()
}

fn enclosure(document: &Value) -> Vec<[f64; 2]> {
    let list = |key: &str| {
        document["enclosure"][key]
            .as_array()
            .expect("a list")
            .clone()
    };
    let ends = |x: Value| [0, 1].map(|k| x[k].as_f64().expect("a number"));
    let all = list("position").into_iter().chain(list("velocity"));
    all.map(ends).collect()
}

fn width(list: &[[f64; 2]]) -> f64 {
    list.iter().map(|[a, b]| b - a).fold(0.0, f64::max)
}

/// Whether the model has an enclosure; what is wrong with it, if anything is.
fn examined(name: &str) -> Result<bool, String> {
    let path = model(name);
    let end = if name == LONG.0 { LONG.1 } else { END };
    let run = |more: &[&str]| {
        let words = ["simulate", &path, "--to", end, "--json", "--quiet"];
        document(&[&words[..], more].concat())
    };
    let found = run(&["--certify"]);
    if let Some(errors) = found["errors"].as_array() {
        let said = errors[0]["message"].as_str().unwrap_or_default();
        return match REFUSED.iter().any(|words| said.contains(words)) {
            true => Ok(false),
            false => Err(format!("refused: {said}")),
        };
    }
    if found["certified"] != true {
        // A start on a switching surface is said to be undecided.
        let why = found["not_certified_because"].as_str().unwrap_or_default();
        return match why.contains("switching surface") {
            true => Ok(false),
            false => Err(format!("not certified: {why}")),
        };
    }
    let intervals = enclosure(&found);
    let precise = run(&["--precision", "106", "--tolerance", "1e-28"]);
    let has_atlas = precise.to_string().contains("several charts");
    if !has_atlas && (precise.get("errors").is_some() || precise["status"] != "finished") {
        return Err(format!("no run in 106 bits: {precise}"));
    }
    let digits = if has_atlas { vec![] } else { state(&precise) };
    for (k, (x, [low, high])) in digits.into_iter().zip(&intervals).enumerate() {
        // The double nearest to a number in an interval of doubles is in it.
        if !(*low <= x && x <= *high) {
            return Err(format!("entry {k}: {x:?} is not in [{low:?}, {high:?}]"));
        }
    }
    for (k, (x, [low, high])) in state(&found).into_iter().zip(&intervals).enumerate() {
        let slack = DOUBLE_ERROR * (1.0 + x.abs());
        if !(low - slack <= x && x <= high + slack) {
            return Err(format!("entry {k} in doubles: {x:?}, [{low:?}, {high:?}]"));
        }
    }
    let wide = enclosure(&run(&["--certify", "--tolerance", "1e-7"]));
    let meet = (wide.iter().zip(&intervals)).all(|(a, b)| a[0] <= b[1] && b[0] <= a[1]);
    if !meet || width(&wide) < width(&intervals) {
        return Err(format!("by tolerance: {wide:?} {intervals:?}"));
    }
    Ok(true)
}

#[test]
fn enclosures_of_all_models_contain_their_references() {
    let all = names(models(), ".gal");
    let results = std::thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(2)).map(|part| {
            scope.spawn(move || {
                let results = part.iter().map(|name| (name, examined(name)));
                results.collect::<Vec<_>>()
            })
        });
        let parts: Vec<_> = parts.collect();
        let joined = parts.into_iter().flat_map(|p| p.join().expect("no panic"));
        joined.collect::<Vec<_>>()
    });
    let wrong = results.iter().filter_map(|(name, r)| {
        let why = r.as_ref().err()?;
        Some(format!("{name}: {why}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let enclosed = results.iter().filter(|(_, r)| *r == Ok(true)).count();
    println!("{enclosed} of {} models", results.len());
    assert!(enclosed >= 70, "{enclosed}");
}

/// Numbers of a document by the names of its outputs, or intervals.
fn outputs(document: &Value) -> Vec<(String, Value)> {
    let all = document["outputs"].as_object().expect("outputs").clone();
    all.into_iter().collect()
}

/// Whether the enclosure of each output, and of each coordinate if they are compared, contains what the other run says.
fn contains(certified: &Value, other: &Value, coordinates: bool, slack: f64) {
    let inside = |name: &str, x: &Value, interval: &Value| {
        let [low, high] = [0, 1].map(|k| interval[k].as_f64().expect("a number"));
        let x = x.as_f64().expect("a number");
        let slack = slack * (1.0 + x.abs());
        assert!(
            low - slack <= x && x <= high + slack,
            "{name}: {x:?} {low:?} {high:?}"
        );
    };
    for (name, x) in outputs(other) {
        inside(&name, &x, &certified["enclosure"]["outputs"][&name]);
    }
    if coordinates {
        for (x, interval) in state(other).into_iter().zip(enclosure(certified)) {
            inside("state", &x.into(), &interval.to_vec().into());
        }
    }
}

/// A start on the lower half of a sphere is read in another chart than one on the upper half.
#[test]
fn enclosures_start_where_the_run_starts() {
    let text = "coord n on sphere\nkinetic: dot(n', n')/2\npotential: 0.3*n.z\noutput z: n.z\ninitial n = (0.6, 0, 0.8), n' = (0, 1, 0)\n";
    let run = |more: &[&str]| {
        let start = "n=(0.6,0,-0.8), n'=(0,1,0)";
        let words = [
            "simulate", "-", "--to", "0.5", "--json", "--quiet", "--at", start,
        ];
        let out = galilei(&[&words[..], more].concat(), text);
        serde_json::from_str::<Value>(&out.out).expect("JSON")
    };
    let (found, digits) = (run(&["--certify"]), run(&["--precision", "106"]));
    assert_eq!(found["certified"], true);
    assert!(width(&enclosure(&found)) < 1e-14);
    contains(&found, &digits, true, 0.0);
}

/// Motions that change their chart: beside runs in 106 bits in one chart of the sphere, which never meet its pole exactly,
/// and beside the same motion in Cartesian coordinates.
#[test]
fn enclosures_across_changes_of_chart() {
    let run = |name: &str, more: &[&str]| {
        let path = model(name);
        document(&[&["simulate", &path, "--json", "--quiet"][..], more].concat())
    };
    let changed = |d: &Value| d["changes"].as_array().map_or(0, Vec::len);
    let swings = ["--to", "2"];
    let found = run(
        "pendulum-on-sphere",
        &[&swings[..], &["--certify"]].concat(),
    );
    let digits = run(
        "pendulum-on-sphere",
        &[&swings[..], &["--precision", "106"]].concat(),
    );
    assert!(changed(&found) > 0 && found["certified"] == true, "{found}");
    contains(&found, &digits, true, 0.0);
    assert!(width(&enclosure(&found)) < 1e-9);
    // The event on the other chart has its state in the first.
    let event = &found["certified_events"][0];
    assert_eq!(event["certified"], true, "{found}");
    // A free particle: X = r cos φ is 1 − t, Y is t/1000.
    let free = run("past-the-origin", &["--to", "3", "--certify"]);
    assert!(changed(&free) > 0 && free["certified"] == true, "{free}");
    contains(&free, &free, true, 1e-9);
    for (name, x) in [("x", -2.0), ("y", 0.003)] {
        let interval = &free["enclosure"]["outputs"][name];
        let [low, high] = [0, 1].map(|k| interval[k].as_f64().expect("a number"));
        assert!(
            low <= x && x <= high && high - low < 1e-13,
            "{name} {interval}"
        );
    }
}
