//! `cargo xtask book`: the documents as a book. Their links are checked and the summary is compared with the files; then
//! mdBook makes pages of them, where it is installed.
//!
//! The book is made from a copy of the documents that has the folders of the repository, so that links between documents
//! work in the repository and in the book alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::tally::Tally;
use crate::test::succeeds;
use crate::{blocks, no_arguments, repository};

/// The summary of the book; its links are relative to it.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Where the theorems are listed, and the folder whose headings must have all of them.
const THEOREMS: (&str, &str) = ("crates/report/src/theorem.rs", "docs/theory");
/// Files that the documents show or link to are copied with these endings.
const COPIED: [&str; 6] = ["md", "gal", "svg", "png", "ipynb", "txt"];
/// Files of the book that are in no chapter of its own: they are read elsewhere.
const NO_CHAPTERS: [&str; 2] = ["docs/SUMMARY.md", "README.md"];

/// The settings of mdBook.
const SETTINGS: &str = r#"[book]
title = "Galilei"
language = "en"
src = "src"

[build]
build-dir = "html"

[output.html]
additional-css = ["book.css"]

# Examples in Rust need the library: the playground cannot run them, and the book fetches nothing.
[output.html.playground]
runnable = false
"#;

/// Room for output of a hundred columns. DejaVu Sans Mono sets accents beside Greek letters, so these are of DejaVu Sans, where
/// it is installed.
const STYLE: &str = r#"@font-face {
    font-family: "Greek with accents";
    src: local("DejaVu Sans");
    unicode-range: U+300-36F, U+370-3FF;
}

:root {
    --content-max-width: 1000px;
    --mono-font: "Greek with accents", "DejaVu Sans Mono", "Menlo", "Consolas", monospace;
}
"#;

/// Checks the documents and makes the book; true if nothing is wrong.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    no_arguments(rest)?;
    let root = repository::root()?;
    let (tally, note) = run(&root)?;
    if !note.is_empty() {
        println!("{note}");
    }
    Ok(tally.failed == 0)
}

/// Checks the documents and makes the book where mdBook is installed; the counts and a note.
pub(crate) fn run(root: &Path) -> Result<(Tally, String), String> {
    let files = documents(root)?;
    let mut problems = Vec::new();
    for file in &files {
        problems.extend(broken_links(root, file)?);
    }
    problems.extend(missing_chapters(root, &files)?);
    problems.extend(missing_theorems(root)?);
    for problem in &problems {
        eprintln!("{problem}");
    }
    let mut tally = Tally::one(problems.is_empty());
    let folder = repository::target(&repository::metadata(root)?)?.join("book");
    assemble(root, &files, &folder)?;
    if !succeeds(Command::new("mdbook").arg("--version")) {
        return Ok((tally, "no mdbook: links checked, no pages made".to_owned()));
    }
    let built = Command::new("mdbook").arg("build").arg(&folder).status();
    tally += Tally::one(built.is_ok_and(|status| status.success()));
    let page = folder.join("html/index.html");
    Ok((tally, format!("{}", page.display())))
}

/// All documents: those whose blocks are run, the language reference and the list of models.
fn documents(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = blocks::documents(root)?;
    files.push(root.join("crates/model/reference/language.md"));
    files.push(root.join("models/README.md"));
    Ok(files)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A path relative to the repository, without `.` and `..`.
fn normal(root: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.strip_prefix(root).unwrap_or(path).components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The lines of a document without blocks of code, and without code in lines.
fn prose(text: &str) -> Vec<String> {
    let mut fence: Option<String> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let marks: String = start
            .chars()
            .take_while(|c| *c == '`' || *c == '~')
            .collect();
        match &fence {
            Some(open) if marks.starts_with(open.as_str()) && start.len() == marks.len() => {
                fence = None;
            }
            Some(_) => {}
            None if marks.len() >= 3 => fence = Some(marks),
            None => {
                let parts = line.split('`').step_by(2);
                lines.push(parts.collect::<Vec<_>>().join("`"));
                continue;
            }
        }
        lines.push(String::new());
    }
    lines
}

/// The targets of links in a line.
fn links(line: &str) -> Vec<&str> {
    let ends = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
    ends.filter_map(|rest| Some(&rest[..rest.find(')')?]))
        .collect()
}

/// The anchors of the headings of a document, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut in_code = false;
    let mut list = BTreeSet::new();
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if in_code || !line.starts_with('#') {
            continue;
        }
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let letters = title.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        let anchor: String = letters.collect();
        let count = found.entry(anchor.clone()).or_default();
        list.insert(match *count {
            0 => anchor,
            k => format!("{anchor}-{k}"),
        });
        *count += 1;
    }
    list
}

/// Links of a document that lead nowhere in the repository.
fn broken_links(root: &Path, file: &Path) -> Result<Vec<String>, String> {
    let text = read(file)?;
    let folder = file.parent().unwrap_or(root);
    let name = normal(root, file);
    let mut problems = Vec::new();
    for (k, line) in prose(&text).iter().enumerate() {
        for link in links(line) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => file.to_path_buf(),
                path => folder.join(path),
            };
            let place = format!("{}:{}", name.display(), k + 1);
            if !target.exists() {
                problems.push(format!("{place}: there is no `{link}`"));
            } else if !anchor.is_empty()
                && target.extension().is_some_and(|e| e == "md")
                && !anchors(&read(&target)?).contains(anchor)
            {
                problems.push(format!("{place}: `{link}` has no such heading"));
            }
        }
    }
    Ok(problems)
}

/// The chapters of the book: paths relative to the repository, in order.
fn chapters(root: &Path) -> Result<Vec<PathBuf>, String> {
    let summary = read(&root.join(SUMMARY))?;
    let lines = prose(&summary);
    let targets = lines.iter().flat_map(|line| links(line));
    Ok(targets
        .map(|link| normal(root, &root.join("docs").join(link)))
        .collect())
}

/// Documents that are in no chapter, and chapters that occur twice.
fn missing_chapters(root: &Path, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for chapter in chapters(root)? {
        if !seen.insert(chapter.clone()) {
            problems.push(format!("{SUMMARY}: `{}` occurs twice", chapter.display()));
        }
    }
    for file in files {
        let name = normal(root, file);
        let inside = name.starts_with("docs") || name.parent() == Some(Path::new(""));
        let expected = inside && !NO_CHAPTERS.iter().any(|n| name == Path::new(n));
        if expected && !seen.contains(&name) {
            problems.push(format!("{SUMMARY}: no chapter for `{}`", name.display()));
        }
    }
    Ok(problems)
}

/// Theorems without an entry in the theory companion.
fn missing_theorems(root: &Path) -> Result<Vec<String>, String> {
    let (list, folder) = THEOREMS;
    let mut headings = BTreeSet::new();
    let folder_path = root.join(folder);
    let entries = fs::read_dir(&folder_path).map_err(|e| format!("{folder}: {e}"))?;
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|e| e == "md") {
            headings.extend(anchors(&read(&entry.path())?));
        }
    }
    let source = read(&root.join(list))?;
    let numbers = source.split("t(\"T-").skip(1);
    let numbers = numbers.filter_map(|rest| rest.split('"').next());
    let missing = numbers.filter(|n| !headings.contains(&format!("t-{n}")));
    Ok(missing
        .map(|n| format!("{folder}: T-{n} of {list} has no entry"))
        .collect())
}

/// Copies the documents and what they show into a folder with the summary and the settings of mdBook.
fn assemble(root: &Path, files: &[PathBuf], folder: &Path) -> Result<(), String> {
    let source = folder.join("src");
    let _ = fs::remove_dir_all(&source);
    let problem = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let copy = |from: &Path| -> Result<(), String> {
        let to = source.join(normal(root, from));
        let parent = to.parent().unwrap_or(&source);
        fs::create_dir_all(parent).map_err(|e| problem(parent, e))?;
        fs::copy(from, &to).map_err(|e| problem(from, e))?;
        Ok(())
    };
    for file in files {
        copy(file)?;
        let here = file.parent().unwrap_or(root);
        for line in prose(&read(file)?) {
            for link in links(&line) {
                let path = here.join(link.split('#').next().unwrap_or_default());
                let ending = path.extension().map(|e| e.to_string_lossy().into_owned());
                let wanted = ending.is_some_and(|e| COPIED.contains(&e.as_str()));
                if wanted && path.is_file() {
                    copy(&path)?;
                }
            }
        }
    }
    let summary = read(&root.join(SUMMARY))?;
    let mut text = String::new();
    for line in summary.lines() {
        match line.split_once("](") {
            Some((title, rest)) => {
                let (link, rest) = rest.split_once(')').unwrap_or((rest, ""));
                let link = normal(root, &root.join("docs").join(link));
                text += &format!("{title}]({}){rest}\n", link.display());
            }
            None => text += &format!("{line}\n"),
        }
    }
    for (path, text) in [
        (source.join("SUMMARY.md"), text.as_str()),
        (folder.join("book.toml"), SETTINGS),
        (folder.join("book.css"), STYLE),
    ] {
        fs::write(&path, text).map_err(|e| problem(&path, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_do_not_count() {
        let text = "a [b](c.md) `[d](e)`\n```text\n[f](g)\n```\n[h](i#j) and [k](l)";
        let lines = prose(text);
        let found: Vec<&str> = lines.iter().flat_map(|line| links(line)).collect();
        assert_eq!(found, ["c.md", "i#j", "l"]);
        assert_eq!(lines.len(), text.lines().count());
    }

    #[test]
    fn anchors_are_those_of_headings() {
        let text = "# How do I …?\n## T-12\n## T-12\n```\n# no\n```\n### `simulate`, and more\n";
        let found: Vec<String> = anchors(text).into_iter().collect();
        assert_eq!(found, ["how-do-i-", "simulate-and-more", "t-12", "t-12-1"]);
    }

    #[test]
    fn paths_are_relative_to_the_repository() {
        let root = Path::new("/r");
        let found = normal(root, &root.join("docs").join("../crates/./a.md"));
        assert_eq!(found, Path::new("crates/a.md"));
    }
}
