//! What `derive` says about every model, kept beside it as text and as LaTeX.
//!
//! After a deliberate change: `GALILEI_BLESS=1 cargo test -p galilei-cli --test snapshots`.

mod common;

use common::{galilei, model, models, names};

/// Longer derivations are made, but not kept: nobody would read them.
const KEPT: usize = 200_000;

/// Everything that can be derived today, for one model and one format.
fn derive(name: &str, format: &str) -> Option<String> {
    let file = model(name);
    let answer = galilei(&["derive", &file, "all", "--format", format, "--quiet"], "");
    if answer.code == 1 && answer.err.contains("not_available") {
        return None;
    }
    assert_eq!(answer.code, 0, "{name}: {}", answer.err);
    assert_eq!(answer.err, "", "{name}");
    // LaTeX has a command for every character that derivations use.
    assert!(!answer.out.contains("[U+"), "{name} in {format}");
    Some(answer.out)
}

fn first_difference(found: &str, kept: &str) -> String {
    let mut pairs = found.lines().zip(kept.lines()).enumerate();
    match pairs.find(|(_, (a, b))| a != b) {
        Some((k, (a, b))) => format!("line {}:\n  now  {a}\n  kept {b}", k + 1),
        None => "one ends before the other".to_owned(),
    }
}

#[test]
fn equations() {
    let bless = std::env::var_os("GALILEI_BLESS").is_some();
    let mut wrong = Vec::new();
    let (mut derived, list) = (0, names(models(), ".gal"));
    assert!(list.len() >= 24);
    for name in &list {
        for (format, ending) in [("text", "txt"), ("latex", "tex")] {
            let path = models().join(format!("{name}.{ending}"));
            let kept = std::fs::read_to_string(&path).ok();
            let found = derive(name, format);
            derived += usize::from(found.is_some());
            if found.as_ref().is_some_and(|text| text.len() > KEPT) {
                assert!(kept.is_none(), "{name}.{ending} is too long to be kept");
                continue;
            }
            if found == kept {
                continue;
            }
            if bless {
                match &found {
                    Some(text) => std::fs::write(&path, text).expect("a writable file"),
                    None => std::fs::remove_file(&path).expect("a file"),
                }
                continue;
            }
            let why = match (&found, &kept) {
                (Some(a), Some(b)) => first_difference(a, b),
                (Some(_), None) => "nothing is kept".to_owned(),
                _ => "nothing is derived any more".to_owned(),
            };
            wrong.push(format!("{name}.{ending}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(derived >= 2 * 24);
}

/// Nothing is kept for a model that no longer exists.
#[test]
fn no_orphans() {
    let list = names(models(), ".gal");
    for ending in [".txt", ".tex"] {
        for name in names(models(), ending) {
            assert!(list.contains(&name), "{name}{ending} has no model");
        }
    }
}

/// Every model is in order.
#[test]
fn every_model_checks() {
    for name in names(models(), ".gal") {
        let answer = galilei(&["check", &model(&name), "--json"], "");
        assert_eq!(answer.code, 0, "{name}: {}", answer.out);
        let holds = common::Json::Bool(true);
        assert_eq!(*answer.json().get("ok"), holds, "{name}");
    }
}
