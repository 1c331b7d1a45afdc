//! Formulas of a page, which the browser breaks into lines.

use std::fmt::Write;

use galilei_expr::Layout;

use crate::markup::escaped;
use crate::matrix::written;

/// Characters of a piece that is not broken: the width of a telephone.
const MAX_PIECE_CHARACTERS: usize = 26;
/// Characters after which a formula is folded: about a screen.
const MAX_UNFOLDED_CHARACTERS: usize = 1600;
/// Characters up to which screen readers read a formula as a whole; longer ones are read piece by piece.
const MAX_SPOKEN_CHARACTERS: usize = 120;
/// Characters up to which a matrix is written as a whole.
const MAX_MATRIX_CHARACTERS: usize = 34;

/// Characters of LaTeX up to which formulas can be copied: longer ones would make the page twice as large.
const MAX_COPIED_CHARACTERS: usize = 6000;

/// The attribute with the LaTeX of some formulas, for the button that copies it.
pub(crate) fn latex_attribute(formulas: &[&Layout]) -> String {
    let lines: Vec<String> = formulas.iter().map(|f| f.to_latex()).collect();
    let text = match lines.as_slice() {
        [line] => line.clone(),
        lines => format!(
            "\\begin{{align*}}\n  & {}\n\\end{{align*}}",
            lines.join(" \\\\\n  & ")
        ),
    };
    match lines.is_empty() || text.len() > MAX_COPIED_CHARACTERS {
        true => String::new(),
        false => format!(" data-latex=\"{}\"", escaped(&text)),
    }
}

/// A formula as a paragraph of its own. Long ones are folded behind a summary, never cut.
pub(crate) fn display(layout: &Layout) -> String {
    let formulas = written(layout, MAX_MATRIX_CHARACTERS);
    formulas.iter().map(one).collect()
}

/// The definition of an abbreviation, which screen readers read piece by piece.
pub(crate) fn definition(name: &Layout, value: &Layout) -> String {
    let pieces = name
        .clone()
        .equals(value.clone())
        .to_mathml_flow(MAX_PIECE_CHARACTERS);
    format!("<div class=\"formula\">{pieces}</div>\n")
}

fn one(layout: &Layout) -> String {
    let text = layout.to_text();
    let pieces = layout.to_mathml_flow(MAX_PIECE_CHARACTERS);
    let size = text.chars().count();
    // A single piece needs no label.
    let broken = pieces.matches("<math>").count() > 1;
    let label = match broken && size <= MAX_SPOKEN_CHARACTERS {
        true => format!(" role=\"math\" aria-label=\"{}\"", escaped(&text)),
        false => String::new(),
    };
    let formula = format!("<div class=\"formula\"{label}>{pieces}</div>\n");
    if size <= MAX_UNFOLDED_CHARACTERS {
        return formula;
    }
    let left = match layout {
        Layout::Relation(left, _) if left.text_width() <= MAX_PIECE_CHARACTERS => {
            left.to_mathml(false)
        }
        _ => "The formula".into(),
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "<details><summary>{left} is long: {size} characters</summary>\n{formula}</details>\n"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: usize) -> Layout {
        Layout::Number(n.to_string())
    }

    #[test]
    fn a_long_formula_is_folded_and_whole() {
        let terms = (0..900).map(|k| (false, number(k))).collect();
        let html = display(&Layout::name("s").equals(Layout::Sum(terms)));
        assert!(html.starts_with("<details>") && html.contains("<mn>899</mn>"));
    }
}
