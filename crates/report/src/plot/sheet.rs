//! Several plots on one sheet, as an SVG file.

use std::fmt::Write;

use super::Plot;
use super::draw::{HEIGHT, WIDTH};
use crate::markup::escaped;

/// The gap between the plots.
const GAP: f64 = 28.0;
/// The space above the plots.
const HEAD: f64 = 54.0;

/// The colours of drawings, for light and dark backgrounds.
pub(crate) const DRAWING: &str = include_str!("drawing.css");

/// An SVG file with plots in two columns under a title. Colours follow the reader's preference.
pub fn sheet(title: &str, note: &str, plots: &[Plot]) -> String {
    let columns = plots.len().clamp(1, 2);
    let rows = plots.len().div_ceil(columns);
    let width = GAP + columns as f64 * (WIDTH + GAP);
    let height = HEAD + rows as f64 * (HEIGHT + GAP);
    let words: Vec<String> = plots.iter().map(Plot::description).collect();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{}</title>\n\
         <desc id=\"d\">{}</desc>\n<style>{DRAWING}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{GAP}\" y=\"30\">{}</text>\n<text class=\"tick\" x=\"{}\" y=\"30\" text-anchor=\"end\">{}</text>\n",
        escaped(title),
        escaped(&words.join(". ")),
        escaped(title),
        width - GAP,
        escaped(note)
    );
    for (k, plot) in plots.iter().enumerate() {
        let x = GAP + (k % columns) as f64 * (WIDTH + GAP);
        let y = HEAD + (k / columns) as f64 * (HEIGHT + GAP);
        let _ = write!(out, "<g class=\"plot\" transform=\"translate({x} {y})\">");
        plot.draw(&mut out);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}
