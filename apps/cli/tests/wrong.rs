//! What a wrong model gets: the diagnostics of every file in `wrong/`, reviewed and kept beside it,
//! as text and as JSON. `GALILEI_BLESS=1` writes them anew.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use galilei::Code;
use serde_json::{Value, json};

fn tests() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

fn galilei(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galilei"));
    command.args(arguments).current_dir(tests());
    command.output().expect("the command runs")
}

/// With a model on standard input.
fn piped(model: &[u8], arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // A file that is too large is not read to its end.
    let _ = child.stdin.take().unwrap().write_all(model);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn models() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(tests().join("wrong"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "gal"))
        .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// `error[code]` and `--> file:line:column` as (code, place).
fn listed(stderr: &str) -> Vec<(String, Option<(u64, u64)>)> {
    let mut out: Vec<(String, Option<(u64, u64)>)> = Vec::new();
    for line in stderr.lines() {
        let head = line
            .strip_prefix("error[")
            .or_else(|| line.strip_prefix("warning["));
        if let Some((code, _)) = head.and_then(|l| l.split_once(']')) {
            out.push((code.to_owned(), None));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            let mut parts = place.rsplit(':').map(|n| n.parse::<u64>().unwrap());
            let column = parts.next().unwrap();
            out.last_mut().unwrap().1 = Some((parts.next().unwrap(), column));
        }
    }
    out
}

#[test]
fn diagnostics_are_as_reviewed() {
    let bless = std::env::var_os("GALILEI_BLESS").is_some();
    let names = models();
    let mut codes = BTreeSet::new();
    let mut changed = Vec::new();
    for name in &names {
        let out = galilei(&["check", &format!("wrong/{name}.gal")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{name}");
        assert_eq!(text(&out.stdout), "", "{name}: errors go to standard error");
        codes.extend(listed(&said).into_iter().map(|l| l.0));
        let kept = tests().join(format!("wrong/{name}.txt"));
        if bless {
            std::fs::write(&kept, &said).unwrap();
        } else if std::fs::read_to_string(&kept).unwrap_or_default() != said {
            changed.push(format!("---- {name}\n{said}"));
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
    assert!(names.len() >= 90, "{} models", names.len());
    assert!(codes.len() >= 45, "{} codes", codes.len());
}

#[test]
fn the_same_as_json() {
    for name in models() {
        let file = format!("wrong/{name}.gal");
        let plain = galilei(&["check", &file]);
        let out = galilei(&["check", "--json", &file]);
        assert_eq!(out.status.code(), Some(1), "{name}");
        assert_eq!(text(&out.stderr), "", "{name}");
        let answer =
            serde_json::from_slice::<Value>(&out.stdout).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(answer.get("ok"), Some(&Value::Bool(false)), "{name}");
        let mut found = Vec::new();
        for list in ["errors", "warnings"] {
            let Some(Value::Array(list)) = answer.get(list) else {
                continue;
            };
            for d in list {
                let keys: Vec<&String> = d.as_object().expect("an object").keys().collect();
                assert_eq!(
                    keys,
                    [
                        "code",
                        "message",
                        "hint",
                        "line",
                        "column",
                        "end_line",
                        "end_column"
                    ],
                    "{name}"
                );
                let place = |k: &str| match d.get(k) {
                    Some(Value::Number(n)) => n.as_u64(),
                    Some(Value::Null) => None,
                    other => panic!("{name}: {k} is {other:?}"),
                };
                let start = place("line").zip(place("column"));
                let end = place("end_line").zip(place("end_column"));
                assert!(start <= end, "{name}");
                assert!(start.is_none_or(|s| s.0 >= 1 && s.1 >= 1), "{name}");
                let Some(Value::String(code)) = d.get("code") else {
                    panic!("{name}")
                };
                assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
                found.push((code.clone(), start));
            }
        }
        let mut said = listed(&text(&plain.stderr));
        found.sort();
        said.sort();
        assert_eq!(found, said, "{name}");
    }
}

#[test]
fn places_are_exact() {
    // One based, columns in characters, the end behind the last character.
    let model = "coord θ, φ\nkinetic: θ'^2 + φ'^2\npotential: cos(θ)*ψψ\n";
    let out = piped(model.as_bytes(), &["check", "--json", "-"]);
    let answer = serde_json::from_slice::<Value>(&out.stdout).unwrap();
    let Some(Value::Array(errors)) = answer.get("errors") else {
        panic!()
    };
    assert_eq!(errors.len(), 1);
    for (key, value) in [
        ("line", 3),
        ("column", 19),
        ("end_line", 3),
        ("end_column", 21),
    ] {
        assert_eq!(errors[0].get(key), Some(&json!(value)), "{key}");
    }
    // With a byte order mark and CRLF the places are the same.
    let other = format!("\u{feff}{}", model.replace('\n', "\r\n"));
    let again = piped(other.as_bytes(), &["check", "--json", "-"]);
    assert_eq!(text(&again.stdout), text(&out.stdout));
    // Over several lines.
    let model = "coord x\nkinetic: x'^2 + (1,\n  2)\n";
    let out = piped(model.as_bytes(), &["check", "--json", "-"]);
    let answer = serde_json::from_slice::<Value>(&out.stdout).unwrap();
    let Some(Value::Array(errors)) = answer.get("errors") else {
        panic!()
    };
    let of = |k: &str| errors[0].get(k).cloned();
    assert_eq!(of("line"), Some(json!(2)));
    assert_eq!(of("column"), Some(json!(10)));
    assert_eq!(of("end_line"), Some(json!(3)));
    assert_eq!(of("end_column"), Some(json!(5)));
}

fn codes(out: &Output) -> Vec<String> {
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let answer = serde_json::from_slice::<Value>(&out.stdout).unwrap();
    let Some(Value::Array(errors)) = answer.get("errors") else {
        panic!()
    };
    errors
        .iter()
        .map(|e| match e.get("code") {
            Some(Value::String(code)) => {
                assert_eq!(
                    e.get("line"),
                    Some(&Value::Null),
                    "{code} is not in the file"
                );
                code.clone()
            }
            _ => panic!(),
        })
        .collect()
}

const OSCILLATOR: &str = "param m = 1 [kg], k[i in 1..2] = i [N/m], free [kg]\n\
    const n = 2\ncoord q[1..n] [m], φ [rad]\n\
    for i in 1..n { particle p[i]: mass m at (q[i]) }\nkinetic: m*q[1]^2*φ'^2/2\n\
    initial q[1] = 1\n";

#[test]
fn wrong_requests() {
    let ask = |arguments: &[&str]| codes(&piped(OSCILLATOR.as_bytes(), arguments));
    let set = |s: &str| ask(&["check", "-", "--json", "--set", s]);
    assert_eq!(set("mm=2"), ["unknown_parameter"]);
    assert_eq!(set("m="), ["invalid_setting"]);
    assert_eq!(set("m"), ["invalid_setting"]);
    assert_eq!(set("m=k"), ["invalid_setting"]);
    assert_eq!(set("m=1,m=2"), ["invalid_setting"]);
    assert_eq!(set("n=2.5"), ["not_an_integer"]);
    assert_eq!(set("k[3]=2"), ["unknown_parameter"]);
    assert_eq!(set("q[1]=2"), ["unknown_parameter"]);
    let at = |s: &str| ask(&["eval", "-", "--json", "--set", "free=1", "--at", s]);
    assert_eq!(at("x=2"), ["invalid_state"]);
    assert_eq!(at("q[3]=2"), ["invalid_state"]);
    assert_eq!(at("q[1]"), ["invalid_state"]);
    assert_eq!(at("q[1]=1, q[1]=2"), ["invalid_state"]);
    assert_eq!(at("q[1]=m"), ["invalid_state"]);
    assert_eq!(at("q[1]=0"), ["degenerate_lagrangian_at_state"]);
    assert_eq!(
        ask(&["eval", "-", "--json", "--chart", "polar", "--set", "free=1"]),
        ["unknown_chart"]
    );
    assert_eq!(
        ask(&["derive", "-", "lagrang", "--json"]),
        ["unknown_request"]
    );
    assert_eq!(
        ask(&["derive", "-", "--chart", "polar", "--json"]),
        ["unknown_chart"]
    );
    assert_eq!(
        codes(&galilei(&["check", "none.gal", "--json"])),
        ["cannot_read"]
    );
    assert_eq!(
        codes(&galilei(&["check", "wrong", "--json"])),
        ["cannot_read"]
    );
    let latin = b"coord x\nkinetic: x'^2 # K\xf6nig\n";
    let out = piped(latin, &["check", "-", "--json"]);
    assert!(text(&out.stdout).contains("line 2, byte 25"));
    assert_eq!(codes(&out), ["cannot_read"]);
    // A parameter without a value, in the file, before numbers.
    let out = piped(OSCILLATOR.as_bytes(), &["eval", "-"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("standard input:1:43"));
    assert!(text(&out.stderr).contains("error[missing_value]"));
}

#[test]
fn usage_is_another_matter() {
    for arguments in [
        &[][..],
        &["chekc", "m.gal"],
        &["check"],
        &["check", "a.gal", "--jsn"],
        &["derive", "a.gal", "--format", "word"],
        &["decide"],
    ] {
        let out = galilei(arguments);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&out.stdout), "", "{arguments:?}");
        assert!(!out.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn quiet_keeps_errors_and_drops_warnings() {
    let file = "wrong/assumption-violated.gal";
    let all = text(&galilei(&["check", file]).stderr);
    let some = text(&galilei(&["check", "--quiet", file]).stderr);
    assert!(all.contains("warning[") && !some.contains("warning["));
    assert!(some.contains("error[assumption_violated]"));
}

#[test]
fn a_file_of_garbage() {
    for (what, garbage) in [
        ("marks", "@ ] ) ' ..".repeat(90_000)),
        ("one line", "x ".repeat(500_000)),
        ("one name", "x".repeat(1_000_000)),
        ("lines", "let a\n".repeat(170_000)),
        ("too large", "# \n".repeat(400_000)),
        ("open", "(".repeat(1_000_000)),
        ("quotes", "\"".repeat(1_000_000)),
    ] {
        let start = std::time::Instant::now();
        let out = piped(garbage.as_bytes(), &["check", "-"]);
        assert_eq!(out.status.code(), Some(1), "{what}");
        assert!(
            out.stderr.len() < 2 << 20,
            "{what}: {} bytes",
            out.stderr.len()
        );
        assert!(
            start.elapsed().as_secs() < 120,
            "{what}: {:?}",
            start.elapsed()
        );
    }
}

/// All sources below a folder but tests, in one text.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            text += &sources(&path);
        } else if path.extension().is_some_and(|e| e == "rs") {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}

#[test]
fn the_page_lists_every_code() {
    let root = tests().join("../../..");
    let page = std::fs::read_to_string(root.join("docs/diagnostics.md")).unwrap();
    let mut listed = BTreeSet::new();
    for row in page.lines().filter(|l| l.starts_with("| `")) {
        let code = row.split('`').nth(1).unwrap();
        assert!(listed.insert(code.to_owned()), "{code} is listed twice");
        // An example with a model: its diagnostics contain the code.
        if let Some((_, link)) = row.split_once("](../apps/cli/tests/wrong/") {
            let name = link.split(".gal").next().unwrap();
            let kept = tests().join(format!("wrong/{name}.txt"));
            let said = std::fs::read_to_string(&kept).unwrap();
            assert!(
                said.contains(&format!("[{code}]")),
                "{name} does not show {code}"
            );
        }
    }
    let codes: BTreeSet<String> = Code::all().map(|c| c.to_string()).collect();
    assert_eq!(listed, codes);
    // Each of them is said somewhere.
    let said = sources(&root.join("crates")) + &sources(&root.join("apps"));
    for code in Code::all() {
        let name = match code {
            Code::Syntax(code) => format!("{code:?}"),
            _ => format!("{code:?}"),
        };
        assert!(said.contains(&format!("Code::{name}")), "{code}");
    }
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("(docs/diagnostics.md)"));
}

/// Derivatives of derivatives of long products grow without bound; the limit is said, not met by waiting.
#[test]
fn a_claim_that_grows_too_large_is_undecided() {
    let mut e = (0..20)
        .map(|k| format!("sin(x+{k})"))
        .collect::<Vec<_>>()
        .join("*");
    for _ in 0..8 {
        e = format!("diff({e}, x)");
    }
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args(["decide", &format!("{e} = 0"), "--json"])
        .output()
        .unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.contains("undecided") && text.contains("too large"),
        "{text}"
    );
}
