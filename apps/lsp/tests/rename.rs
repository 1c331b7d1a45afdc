//! Renaming every name of every model changes nothing but the name.

use std::fs;
use std::path::Path;

use galilei_lsp::{Analysis, Service, Words};
use serde_json::{Value, json};

const FRESH: &str = "fresh_name_7";

/// The text after the edits of a `textDocument/rename`, whose ranges are in order.
fn applied(text: &str, edits: &[Value]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let byte = |p: &Value| {
        let line = p["line"].as_u64().unwrap() as usize;
        let start: usize = lines[..line].iter().map(|l| l.len()).sum();
        let units = p["character"].as_u64().unwrap() as usize;
        let mut seen = 0;
        let inside = lines[line].chars().take_while(|c| {
            seen += c.len_utf16();
            seen <= units
        });
        start + inside.map(char::len_utf8).sum::<usize>()
    };
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let (start, end) = (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]));
        text.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    text
}

/// The codes of the problems of a model, and the kinds and dimensions of its names.
fn essence(analysis: &Analysis, from: &str, to: &str) -> (Vec<String>, Vec<String>) {
    let codes = analysis.problems.iter().map(|p| p.code.clone()).collect();
    let mut names: Vec<String> = (analysis.names.iter())
        .map(|n| {
            let name = if n.name == from { to } else { &n.name };
            format!("{name} {} {:?} {:?}", n.kind, n.dimension, n.range)
        })
        .collect();
    names.sort();
    (codes, names)
}

#[test]
fn every_name_of_every_model_can_be_renamed() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut renamed = 0;
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "gal") {
            continue;
        }
        let file = path.display().to_string();
        // Bicycles and squeezers take long to read, and have no statement that others have not.
        if file.contains("whipple") || file.contains("andrews") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut service = Service::default();
        service.open("m", text.clone(), 1);
        let words = Words::new(&text);
        let own = Analysis::of(&text);
        for symbol in &words.symbols {
            let before = &text[..symbol.span.start as usize];
            let line = before.matches('\n').count();
            let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
            let params = json!({
                "textDocument": { "uri": "m" },
                "position": { "line": line, "character": column },
                "newName": FRESH,
            });
            let answer = service.answer("textDocument/rename", &params);
            let answer = answer.unwrap_or_else(|e| panic!("{file}: {}: {e:?}", symbol.name));
            let edits = answer["changes"]["m"].as_array().unwrap();
            let after = applied(&text, edits);
            let (old, new) = match symbol.scope {
                None => (symbol.name.as_str(), FRESH),
                Some(_) => ("", ""),
            };
            let value = symbol.space == galilei_lsp::Space::Value;
            let (old, new) = if value { (old, new) } else { ("", "") };
            assert_eq!(
                essence(&Analysis::of(&after), "", ""),
                essence(&own, old, new),
                "{file}: {}\n{after}",
                symbol.name
            );
            renamed += 1;
        }
    }
    assert!(renamed > 400, "{renamed} names");
}
