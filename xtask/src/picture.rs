//! `cargo xtask picture [--check]`: the picture of the README, from the page of its model.

use std::fs;
use std::path::Path;

use crate::gallery::{between, render};
use crate::{USAGE, repository};

/// The model of the picture, and the file in which the picture is stored.
const PICTURE_MODEL: &str = "kapitza-pendulum";
const PICTURE_FILE: &str = "docs/kapitza-pendulum.svg";
/// The gap between the parts of the picture.
const GAP: f64 = 24.0;

/// Draws the picture, or reports whether the stored one is up to date.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let root = repository::root()?;
    match rest {
        [] => {
            let drawn = draw(&root)?;
            fs::write(root.join(PICTURE_FILE), drawn)
                .map_err(|error| format!("{PICTURE_FILE}: {error}"))?;
            println!("{PICTURE_FILE}");
            Ok(true)
        }
        [word] if word == "--check" => {
            let fresh = is_fresh(&root)?;
            println!(
                "{PICTURE_FILE} is {}",
                if fresh { "up to date" } else { "out of date" }
            );
            Ok(fresh)
        }
        _ => Err(USAGE.to_string()),
    }
}

/// Whether the stored picture is the one that would be drawn.
pub(crate) fn is_fresh(root: &Path) -> Result<bool, String> {
    let kept = fs::read_to_string(root.join(PICTURE_FILE))
        .map_err(|error| format!("{PICTURE_FILE}: {error}"))?;
    Ok(kept == draw(root)?)
}

fn draw(root: &Path) -> Result<String, String> {
    let galilei = repository::program(root, false)?;
    let folder = repository::target(&repository::metadata(root)?)?;
    let page = folder.join(format!("{PICTURE_MODEL}.page.html"));
    let html = render(root, &galilei, PICTURE_MODEL, &page)?;
    let parts = ["motion", "plot-1"].map(|id| part(&html, id));
    let [Some(motion), Some(plot)] = parts else {
        return Err("the page does not have the pictures that are wanted".to_string());
    };
    let title = between(&html, "<h1>", "</h1>");
    Ok(in_a_row(
        title,
        between(&html, "<style>", "</style>"),
        &[motion, plot],
    ))
}

/// A picture of a page: its size and its contents.
struct Part {
    width: f64,
    height: f64,
    inside: String,
}

/// The picture with an id: the element whose title has it.
fn part(html: &str, id: &str) -> Option<Part> {
    let mark = format!("aria-labelledby=\"{id}-t ");
    let tag = html.split("<svg ").find(|svg| svg.contains(&mark))?;
    let (head, rest) = tag.split_once('>')?;
    let mut size = between(head, "viewBox=\"0 0 ", "\"")
        .split(' ')
        .map(str::parse);
    Some(Part {
        width: size.next()?.ok()?,
        height: size.next()?.ok()?,
        inside: rest
            .split_once("</svg>")?
            .0
            .replace(&format!("\"{id}-"), &format!("\"picture-{id}-")),
    })
}

/// Pictures in a row, centred vertically.
fn in_a_row(title: &str, style: &str, parts: &[Part]) -> String {
    let height = parts.iter().map(|p| p.height).fold(0.0, f64::max) + 2.0 * GAP;
    let width = parts.iter().map(|p| p.width + GAP).sum::<f64>() + GAP;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}: the mechanism by flashes of light, and its angle over time\">\n\
         <style>{style}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
    );
    let mut x = GAP;
    for p in parts {
        let y = 0.5 * (height - p.height);
        out += &format!("<g transform=\"translate({x} {y})\">{}</g>\n", p.inside);
        x += p.width + GAP;
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_found_by_its_id() {
        let html = "<svg viewBox=\"0 0 3 4\" aria-labelledby=\"a-t a-d\"><title id=\"a-t\">x</title></svg>";
        let p = part(html, "a").unwrap();
        assert_eq!((p.width, p.height), (3.0, 4.0));
        assert_eq!(p.inside, "<title id=\"picture-a-t\">x</title>");
        assert!(part(html, "b").is_none());
    }
}
