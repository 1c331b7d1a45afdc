//! `cargo xtask gallery [FOLDER]`: a page for every model, and an index with their pictures and stories.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{USAGE, repository};

/// A model with its page.
struct Entry {
    name: String,
    title: String,
    story: String,
    picture: String,
}

/// Writes the pages and the index; true if every model has one.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let root = repository::root()?;
    let folder = match rest {
        [] => repository::target(&repository::metadata(&root)?)?.join("gallery"),
        [folder] if !folder.starts_with('-') => PathBuf::from(folder),
        _ => return Err(USAGE.to_string()),
    };
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let galilei = repository::program(&root, true)?;
    let mut style = String::new();
    let mut entries = Vec::new();
    let mut failed = Vec::new();
    for name in models(&root)? {
        let page = folder.join(format!("{name}.html"));
        match render(&root, &galilei, &name, &page) {
            Ok(html) => {
                style = between(&html, "<style>", "</style>").to_owned();
                entries.push(entry(name, &html));
            }
            Err(problem) => failed.push(format!("{name}: {problem}")),
        }
    }
    let index = folder.join("index.html");
    fs::write(&index, self::index(&style, &entries))
        .map_err(|error| format!("{}: {error}", index.display()))?;
    println!("{} pages, {}", entries.len(), index.display());
    failed.iter().for_each(|problem| eprintln!("{problem}"));
    Ok(failed.is_empty())
}

/// The names of the models, sorted.
pub(crate) fn models(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("models");
    let problem = |error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.extension().is_some_and(|e| e == "gal") {
            names.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Writes the page of a model and reads it.
pub(crate) fn render(
    root: &Path,
    galilei: &Path,
    name: &str,
    page: &Path,
) -> Result<String, String> {
    let output = std::process::Command::new(galilei)
        .current_dir(root)
        .args(["report", "--quiet", &format!("models/{name}.gal"), "-o"])
        .arg(page)
        .output()
        .map_err(|error| format!("{}: {error}", galilei.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::read_to_string(page).map_err(|error| format!("{}: {error}", page.display()))
}

/// The text between two markers, or an empty one.
pub(crate) fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let Some((_, rest)) = text.split_once(from) else {
        return "";
    };
    rest.split_once(to).map_or("", |(inside, _)| inside)
}

fn entry(name: String, html: &str) -> Entry {
    let inside = between(html, "<svg", "</svg>");
    // Names of parts are unique on a page; here there are many pages.
    let inside = ["start", "plot-1", "motion"]
        .iter()
        .fold(inside.to_owned(), |svg, id| {
            svg.replace(&format!("\"{id}-"), &format!("\"{name}-"))
                .replace(&format!(" {id}-"), &format!(" {name}-"))
        });
    Entry {
        title: between(html, "<h1>", "</h1>").to_owned(),
        story: between(html, "<p class=\"story\">", "</p>").to_owned(),
        picture: match inside.as_str() {
            "" => String::new(),
            inside => format!("<svg{inside}</svg>"),
        },
        name,
    }
}

/// The index: a card for each page, in the style of the pages.
fn index(style: &str, entries: &[Entry]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Galilei: a gallery</title>\n<style>{style}\
         .cards{{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:2.4rem 2rem;list-style:none;margin:2rem 0;padding:0}}\n\
         .cards a{{color:inherit;text-decoration:none}}.cards h2{{font-size:1.1rem;margin:.5rem 0 .2rem}}\n\
         .cards p{{font-size:.9rem;line-height:1.5;margin:0;color:var(--soft)}}.cards svg{{height:12rem!important}}\n\
         </style>\n</head>\n<body>\n<header><h1>Mechanical systems, written as geometry</h1>\n\
         <p class=\"story\">{} models with their equations, what is proved about them, and a run of each.</p></header>\n\
         <main><ul class=\"cards\">\n",
        entries.len()
    );
    for e in entries {
        out += &format!(
            "<li><a href=\"{}.html\">{}<h2>{}</h2></a><p>{}</p></li>\n",
            e.name, e.picture, e.title, e.story
        );
    }
    out + "</ul></main>\n</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_page_are_found() {
        assert_eq!(between("a<h1>x</h1>b", "<h1>", "</h1>"), "x");
        assert_eq!(between("nothing", "<h1>", "</h1>"), "");
    }

    #[test]
    fn an_index_has_a_card_for_each_page() {
        let entry = |name: &str| Entry {
            name: name.into(),
            title: format!("The {name}"),
            story: String::new(),
            picture: String::new(),
        };
        let html = index("", &[entry("pendulum"), entry("top")]);
        assert_eq!(html.matches("<li>").count(), 2);
        assert!(html.contains("href=\"top.html\"") && html.contains("2 models"));
    }
}
