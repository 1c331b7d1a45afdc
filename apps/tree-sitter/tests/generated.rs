//! The generated files are those that tree-sitter makes of `grammar.js`; `GALILEI_BLESS=1` writes them anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// The version of the interface between parsers and editors that editors in use know.
const ABI: usize = 14;
const FILES: [&str; 4] = [
    "parser.c",
    "grammar.json",
    "node-types.json",
    "tree_sitter/parser.h",
];

#[test]
fn the_generated_files_are_up_to_date() {
    let has_node = Command::new("node").arg("--version").output().is_ok();
    if !has_node {
        println!("skipped: no Node, which evaluates grammar.js");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("GALILEI_BLESS").is_some();
    let kept = folder.join("src");
    let made = match bless {
        true => kept.clone(),
        false => Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree-sitter"),
    };
    fs::create_dir_all(&made).unwrap();
    let mut remarks = Vec::new();
    generate_parser_in_directory(
        folder,
        Some(&made),
        Some(&folder.join("grammar.js")),
        ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut remarks,
    )
    .unwrap();
    assert!(remarks.is_empty(), "{remarks:?}");
    for name in FILES {
        let text = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(
            text(&made) == text(&kept),
            "src/{name} is out of date: GALILEI_BLESS=1 cargo test -p galilei-tree-sitter"
        );
    }
}
