//! `cargo xtask browser`: measures pages in a real browser, at the widths of a telephone, a laptop and a wide
//! screen, with light and dark colours.
//!
//! A script on the page opens everything that is folded and measures: nothing wider than the window, no formula
//! clipped, contrast of text, whether the animation moves; the browser reports errors. It runs without a window.
//! A validator reads the same pages.

use std::fs;
use std::path::Path;

use serde_json::Value;

use self::chromium::{Chromium, Paper};
use self::validator::Validator;
use crate::tally::Tally;
use crate::{gallery, no_arguments, repository};

pub(crate) mod chromium;
mod validator;

const MEASURE: &str = include_str!("browser/measure.js");

/// Systems of different kinds: oscillating, chaotic, constrained, without a mechanism, in space, large.
const SYSTEMS: [&str; 11] = [
    "kapitza-pendulum",
    "double-pendulum",
    "kepler",
    "whipple-bicycle",
    "chaplygin-sleigh",
    "central-force",
    "heavy-symmetric-top",
    "charged-particle",
    "cart-with-pendulums",
    "andrews-squeezer",
    "oscillator-chain",
];
/// The widths, each with a colour scheme: colours do not depend on the width.
const VIEWS: [(u32, Paper); 4] = [
    (390, Paper::Light),
    (1280, Paper::Light),
    (1280, Paper::Dark),
    (1920, Paper::Light),
];
/// The largest size of a page, in bytes.
const MAX_PAGE_BYTES: u64 = 1_500_000;

/// Measures the pages; true if all are in order. Without a browser nothing is measured, which is reported.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    no_arguments(rest)?;
    let (tally, note) = run(&repository::root()?)?;
    println!(
        "{} views in order, {} not {note}",
        tally.passed, tally.failed
    );
    Ok(tally.failed == 0)
}

/// The numbers of measurements that passed and failed, and a note for the table.
pub(crate) fn run(root: &Path) -> Result<(Tally, String), String> {
    let Some(mut chromium) = Chromium::start()? else {
        let note = "skipped: no Chromium, and none could be installed; pages were not looked at";
        println!("{note}");
        return Ok((Tally::default(), note.to_string()));
    };
    let galilei = repository::program(root, false)?;
    let folder = repository::target(&repository::metadata(root)?)?.join("browser");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let validator = Validator::start(&folder.join("validator"))?;
    let mut note = String::new();
    if validator.is_none() {
        note =
            "no html-validate, and none could be installed; pages were not validated".to_string();
        println!("{note}");
    }
    let mut tally = Tally::default();
    for name in SYSTEMS {
        let page = folder.join(format!("{name}.html"));
        let html = gallery::render(root, &galilei, name, &page)?;
        let size = html.len() as u64;
        if size > MAX_PAGE_BYTES {
            println!("{name}: {size} bytes are too many");
            tally += Tally::one(false);
        }
        if let Some(validator) = &validator {
            let problems = validator.problems(&page)?;
            println!("{name}, HTML: {}", summary(&problems));
            tally += Tally::one(problems.is_empty());
        }
        for (width, paper) in VIEWS {
            let problems = measure(&mut chromium, &page, width, paper)?;
            println!("{name} at {width}, {paper:?}: {}", summary(&problems));
            tally += Tally::one(problems.is_empty());
        }
    }
    Ok((tally, note))
}

/// A word, followed by the problems if there are any.
fn summary(problems: &[String]) -> String {
    match problems {
        [] => "ok".to_string(),
        problems => format!("FAILED\n  {}", problems.join("\n  ")),
    }
}

/// The problems of a page at a width.
fn measure(
    chromium: &mut Chromium,
    page: &Path,
    width: u32,
    paper: Paper,
) -> Result<Vec<String>, String> {
    let (found, mut problems) = chromium.evaluate(page, width, paper, MEASURE)?;
    problems.extend(problems_in(&found, width));
    Ok(problems)
}

/// The problems in a measurement.
fn problems_in(found: &Value, width: u32) -> Vec<String> {
    let list = |key: &str| -> Vec<String> {
        let items = found[key].as_array().cloned().unwrap_or_default();
        let words = items.iter().map(|v| v.as_str().unwrap_or_default());
        words.map(|w| format!("{key}: {w}")).collect()
    };
    let mut problems = Vec::new();
    for key in ["wide", "clipped", "faint"] {
        problems.extend(list(key));
    }
    if found["width"].as_u64() != Some(u64::from(width)) {
        problems.push(format!("the window is {} wide", found["width"]));
    }
    if found["canvas"] == Value::Bool(true) && found["moves"] != Value::Bool(true) {
        problems.push("the animation does not move".to_string());
    }
    if found["texts"].as_u64().unwrap_or(0) < 50 {
        problems.push("there is hardly any text".to_string());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measurements_are_judged() {
        let good = json!({"wide": [], "width": 390, "texts": 80, "canvas": true, "moves": true});
        assert_eq!(problems_in(&good, 390), [""; 0]);
        for (key, value) in [
            ("wide", json!(["a table"])),
            ("clipped", json!(["a formula"])),
            ("faint", json!(["a label"])),
            ("width", json!(500)),
            ("moves", json!(false)),
            ("texts", json!(3)),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            assert_eq!(problems_in(&bad, 390).len(), 1, "{key}");
        }
    }
}
