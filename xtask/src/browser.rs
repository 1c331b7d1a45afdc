//! `cargo xtask browser`: pages in a real browser, measured at the widths of a telephone, a laptop and a wide
//! screen, on light and on dark paper.
//!
//! A script in a copy of the page opens everything that is folded and measures: nothing wider than the window, no
//! formula clipped, contrast of text, errors, whether the animation moves. Chromium runs without a window.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::chromium::{Chromium, Paper};
use crate::tally::Tally;
use crate::{gallery, no_arguments, repository};

mod chromium;

const MEASURE: &str = include_str!("browser/measure.js");

/// Systems of different kinds: oscillating, chaotic, constrained, without a mechanism, in space, large.
const SYSTEMS: [&str; 9] = [
    "kapitza-pendulum",
    "double-pendulum",
    "chaplygin-sleigh",
    "central-force",
    "heavy-symmetric-top",
    "charged-particle",
    "cart-with-pendulums",
    "andrews-squeezer",
    "oscillator-chain",
];
/// Widths with the papers they are looked at on: a width does not change colours.
const LOOKS: [(u32, Paper); 4] = [
    (390, Paper::Light),
    (1280, Paper::Light),
    (1280, Paper::Dark),
    (1920, Paper::Light),
];
/// The largest size of a page.
const LARGEST: u64 = 1_000_000;

/// Looks at the pages; true if all are in order. Without a browser nothing was looked at, and that is said.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    no_arguments(rest)?;
    let (tally, note) = run(&repository::root()?)?;
    println!(
        "{} looks in order, {} not {note}",
        tally.passed, tally.failed
    );
    Ok(tally.failed == 0)
}

/// The looks that were in order and those that were not, and a note for the table.
pub(crate) fn run(root: &Path) -> Result<(Tally, String), String> {
    let Some(chromium) = Chromium::find() else {
        let note = "skipped: no Chromium, and none could be installed; pages were not looked at";
        println!("{note}");
        return Ok((Tally::default(), note.to_string()));
    };
    let galilei = repository::program(root, false)?;
    let folder = repository::target(&repository::metadata(root)?)?.join("browser");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut tally = Tally::default();
    for name in SYSTEMS {
        let page = folder.join(format!("{name}.html"));
        let html = gallery::render(root, &galilei, name, &page)?;
        let size = html.len() as u64;
        if size > LARGEST {
            println!("{name}: {size} bytes are too many");
            tally += Tally::one(false);
        }
        let copy = folder.join(format!("{name}.measured.html"));
        fs::write(&copy, measured(&html)).map_err(|error| format!("{name}: {error}"))?;
        for (width, paper) in LOOKS {
            let problems = look(&chromium, &copy, width, paper)?;
            let word = if problems.is_empty() { "ok" } else { "FAILED" };
            println!("{name} at {width}, {paper:?}: {word}");
            problems.iter().for_each(|p| println!("  {p}"));
            tally += Tally::one(problems.is_empty());
        }
    }
    Ok((tally, String::new()))
}

/// The page with the script that measures it in front of everything else.
fn measured(html: &str) -> String {
    html.replacen("<head>", &format!("<head><script>{MEASURE}</script>"), 1)
}

/// What is wrong with a page at a width.
fn look(
    chromium: &Chromium,
    page: &PathBuf,
    width: u32,
    paper: Paper,
) -> Result<Vec<String>, String> {
    let document = chromium.document(page, width, paper)?;
    let found = report(&document)?;
    let list = |key: &str| -> Vec<String> {
        let items = found[key].as_array().cloned().unwrap_or_default();
        let words = items.iter().map(|v| v.as_str().unwrap_or_default());
        words.map(|w| format!("{key}: {w}")).collect()
    };
    let mut problems = Vec::new();
    for key in ["errors", "wide", "clipped", "faint"] {
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
    Ok(problems)
}

/// What the script wrote into the document.
fn report(document: &str) -> Result<Value, String> {
    let inside = document
        .split_once("<pre id=\"measured\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"));
    let (text, _) =
        inside.ok_or("the page was not measured: the script did not come to its end")?;
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&text).map_err(|error| format!("what was measured: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_read() {
        let found = report("<p></p><pre id=\"measured\">{\"wide\":[\"a &lt; b\"]}</pre>").unwrap();
        assert_eq!(found["wide"][0], "a < b");
        assert!(report("<p></p>").is_err());
    }
}
