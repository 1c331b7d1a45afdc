//! `cargo xtask gallery [FOLDER]`: a page for every model, and an index by topic with moving pictures, stories and a
//! search.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{USAGE, repository};

/// The style and the script of the index.
const STYLE: &str = include_str!("gallery/style.css");
const SEARCH: &str = include_str!("gallery/search.js");
/// The number of states in a moving thumbnail.
const THUMBNAIL_FRAMES: usize = 90;
/// The topic of models that the table of `models/README.md` does not name.
const UNNAMED_TOPIC: &str = "further models";

/// A model with its page.
struct Entry {
    name: String,
    title: String,
    story: String,
    facts: String,
    picture: String,
    /// The data of its animation, with few states; empty if it has none.
    motion: String,
}

/// The models of one topic.
struct Topic {
    title: String,
    entries: Vec<Entry>,
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
    let (mut style, mut script) = (String::new(), String::new());
    let mut entries = Vec::new();
    let mut failed = Vec::new();
    for name in models(&root)? {
        let page = folder.join(format!("{name}.html"));
        match render(&root, &galilei, &name, &page) {
            Ok(html) => {
                style = between(&html, "<style>", "</style>").to_owned();
                let found = between(&html, "<script id=\"animation-script\">", "</script>");
                if !found.is_empty() {
                    script = found.to_owned();
                }
                entries.push(entry(name, &html));
            }
            Err(problem) => failed.push(format!("{name}: {problem}")),
        }
    }
    let index = folder.join("index.html");
    let count = entries.len();
    let table = root.join("models/README.md");
    let table =
        fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
    let topics = by_topic(&topics(&table), entries);
    fs::write(&index, self::index(&style, &script, &topics))
        .map_err(|error| format!("{}: {error}", index.display()))?;
    println!("{count} pages, {}", index.display());
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
    let data = between(html, "<script type=\"application/json\">", "</script>");
    Entry {
        title: between(html, "<h1>", "</h1>").to_owned(),
        story: between(html, "<p class=\"story\">", "</p>").to_owned(),
        facts: between(html, "<p class=\"facts\">", "</p>").to_owned(),
        motion: serde_json::from_str(data).map_or(String::new(), thinned),
        picture: match inside.as_str() {
            "" => String::new(),
            inside => format!("<svg{inside}</svg>"),
        },
        name,
    }
}

/// The data of an animation with fewer states: frames are differences, of which those between kept ones are added up.
fn thinned(mut data: Value) -> String {
    for key in ["frames", "camera"] {
        let Some(frames) = data.get(key).and_then(Value::as_array) else {
            continue;
        };
        let last = frames.len().saturating_sub(1);
        let kept = |k: usize| k * last / (THUMBNAIL_FRAMES - 1).max(1);
        let wanted: Vec<usize> = match frames.len() > THUMBNAIL_FRAMES {
            true => (0..THUMBNAIL_FRAMES).map(kept).collect(),
            false => (0..frames.len()).collect(),
        };
        let mut sum: Vec<i64> = Vec::new();
        let mut list = Vec::new();
        let mut next = wanted.into_iter().peekable();
        for (k, frame) in frames.iter().enumerate() {
            let step = frame.as_array().into_iter().flatten();
            let step: Vec<i64> = step.filter_map(Value::as_i64).collect();
            sum.resize(step.len(), 0);
            sum.iter_mut().zip(&step).for_each(|(s, d)| *s += d);
            if next.next_if_eq(&k).is_some() {
                list.push(json!(sum));
                sum = vec![0; step.len()];
            }
        }
        data[key] = Value::Array(list);
    }
    data.to_string().replace('<', "\\u003c")
}

/// Topics with the names of their models, from the table of `models/README.md`.
fn topics(readme: &str) -> Vec<(String, Vec<String>)> {
    let rows = readme.lines().filter_map(|line| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let (topic, models) = (cells.next()?, cells.next()?);
        let names = models.split('`').skip(1).step_by(2).map(str::to_owned);
        let names: Vec<String> = names.collect();
        (!topic.is_empty() && !names.is_empty()).then(|| (topic.to_owned(), names))
    });
    rows.collect()
}

/// The entries by topic, in the order of the table; a model is listed once, under its first topic.
fn by_topic(topics: &[(String, Vec<String>)], mut entries: Vec<Entry>) -> Vec<Topic> {
    let mut list = Vec::new();
    for (title, names) in topics {
        let mut here = Vec::new();
        for name in names {
            if let Some(k) = entries.iter().position(|e| e.name == *name) {
                here.push(entries.remove(k));
            }
        }
        list.push(Topic {
            title: title.clone(),
            entries: here,
        });
    }
    list.push(Topic {
        title: UNNAMED_TOPIC.to_owned(),
        entries,
    });
    list.retain(|t| !t.entries.is_empty());
    list
}

/// The index: a card for each page, by topic, in the style of the pages.
fn index(style: &str, script: &str, topics: &[Topic]) -> String {
    let count: usize = topics.iter().map(|t| t.entries.len()).sum();
    let anchor = |title: &str| title.replace(' ', "-");
    let capital = |title: &str| {
        let mut letters = title.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Galilei: a gallery</title>\n<style>{style}{STYLE}</style>\n\
         </head>\n<body>\n<header><h1>Mechanical systems, written as geometry</h1>\n\
         <p class=\"story\">{count} models with their equations, what is proved about them, and a run of each.</p>\n\
         <div class=\"line\" id=\"find\"><nav aria-label=\"Topics\">"
    );
    for t in topics {
        out += &format!(
            "<a href=\"#{}\">{}</a> ",
            anchor(&t.title),
            capital(&t.title)
        );
    }
    out += "</nav></div></header>\n<main>\n";
    for t in topics {
        let (id, title) = (anchor(&t.title), capital(&t.title));
        out += &format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{title}</h2>\n<ul class=\"cards\">\n"
        );
        for e in &t.entries {
            let motion = match e.motion.as_str() {
                "" => String::new(),
                data => format!(
                    "<div class=\"animation small\"></div><script type=\"application/json\">{data}</script>"
                ),
            };
            out += &format!(
                "<li><a href=\"{}.html\"><div>{}</div>{motion}<h3>{}</h3></a><p>{}</p><p class=\"facts\">{}</p></li>\n",
                e.name, e.picture, e.title, e.story, e.facts
            );
        }
        out += "</ul>\n</section>\n";
    }
    out + &format!(
        "<p id=\"none\" hidden>No model has all of these words.</p>\n</main>\n<script>{script}</script>\n<script>{SEARCH}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.into(),
            title: format!("The {name}"),
            story: String::new(),
            facts: String::new(),
            picture: String::new(),
            motion: String::new(),
        }
    }

    #[test]
    fn parts_of_a_page_are_found() {
        assert_eq!(between("a<h1>x</h1>b", "<h1>", "</h1>"), "x");
        assert_eq!(between("nothing", "<h1>", "</h1>"), "");
    }

    #[test]
    fn an_index_has_a_card_for_each_page() {
        let table =
            "| | |\n| --- | --- |\n| rigid bodies | `top`, `pendulum` |\n| tops | `top` |\n";
        let topics = topics(table);
        assert_eq!(topics[0].1, ["top", "pendulum"]);
        let list = by_topic(&topics, vec![entry("pendulum"), entry("top"), entry("new")]);
        let titles: Vec<&str> = list.iter().map(|t| t.title.as_str()).collect();
        assert_eq!(titles, ["rigid bodies", UNNAMED_TOPIC]);
        let html = index("", "", &list);
        assert_eq!(html.matches("<li>").count(), 3);
        assert!(html.contains("href=\"top.html\"") && html.contains("3 models"));
        assert!(
            html.contains("<section id=\"rigid-bodies\"") && html.contains(">Rigid bodies</h2>")
        );
    }

    #[test]
    fn every_model_has_a_topic() {
        let root = repository::root().expect("the repository");
        let table = fs::read_to_string(root.join("models/README.md")).expect("the table");
        let named: Vec<String> = topics(&table).into_iter().flat_map(|t| t.1).collect();
        let mut unnamed = models(&root).expect("the models");
        unnamed.retain(|name| !named.contains(name));
        assert_eq!(unnamed, [""; 0]);
    }

    /// Kept frames add up to the places of the original ones.
    #[test]
    fn thumbnails_show_the_same_motion() {
        let step = |k: i64| json!([if k == 0 { 100 } else { 3 }, -k]);
        let frames: Vec<Value> = (0..500).map(step).collect();
        let data = json!({"frames": frames, "unit": "<s>"});
        let text = thinned(data);
        assert!(!text.contains('<'));
        let thin: Value = serde_json::from_str(&text).expect("JSON");
        let kept = thin["frames"].as_array().expect("frames");
        assert_eq!(kept.len(), THUMBNAIL_FRAMES);
        let total: i64 = kept.iter().filter_map(|f| f[0].as_i64()).sum();
        assert_eq!(total, 100 + 3 * 499);
    }

    #[test]
    fn the_script_does_not_end_early() {
        assert!(!SEARCH.contains("</script") && !SEARCH.contains("<!--"));
    }
}
