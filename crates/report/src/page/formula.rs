//! Formulas of a page: lines that break where the screen ends.

use std::fmt::Write;

use galilei_expr::{Layout, Sign};

use crate::markup::escaped;

/// Characters of a piece that is not broken: what a telephone has room for.
const ROOM: usize = 26;
/// Characters after which a formula is folded: about a screen.
const SCREEN: usize = 1600;
/// Characters of a matrix that stands as one.
const MATRIX: usize = 34;

/// A formula as a paragraph of its own. Long ones are folded behind a summary, never cut.
pub(crate) fn display(layout: &Layout) -> String {
    if let Some(entries) = entries(layout) {
        return entries.iter().map(display).collect();
    }
    let text = layout.to_text();
    let pieces = layout.to_mathml_flow(ROOM).join("<wbr>");
    let size = text.chars().count();
    let label = match size > 400 {
        true => "a long formula".to_owned(),
        false => escaped(&text),
    };
    let formula =
        format!("<div class=\"formula\" role=\"math\" aria-label=\"{label}\">{pieces}</div>\n");
    if size <= SCREEN {
        return formula;
    }
    let left = match layout {
        Layout::Relation(left, _) if left.text_width() <= ROOM => left.to_mathml(false),
        _ => "The formula".into(),
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "<details><summary>{left} is long: {size} characters</summary>\n{formula}</details>\n"
    );
    out
}

/// The entries of a matrix that is too wide, one by one; zeros are left out, and said to be.
fn entries(layout: &Layout) -> Option<Vec<Layout>> {
    let Layout::Relation(left, chain) = layout else {
        return None;
    };
    let [(Sign::Equal, Layout::Matrix(rows))] = chain.as_slice() else {
        return None;
    };
    let widths = |row: &Vec<Layout>| row.iter().map(|e| e.text_width() + 2).sum::<usize>();
    if rows.iter().map(widths).max().unwrap_or(0) <= MATRIX && rows.len() <= 6 {
        return None;
    }
    let symmetric = (0..rows.len())
        .all(|i| rows[i].len() == rows.len() && (0..i).all(|j| rows[i][j] == rows[j][i]));
    let zero = Layout::Number("0".into());
    let index = |i: usize| Layout::Number((i + 1).to_string());
    let mut list = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            if *entry == zero || (symmetric && j < i) {
                continue;
            }
            let both = Layout::List(vec![index(i), index(j)]);
            let mut name = (**left).clone().indexed(both.clone());
            if symmetric && i != j {
                let turned = Layout::List(vec![index(j), index(i)]);
                name = name.equals((**left).clone().indexed(turned));
            }
            list.push(name.equals(entry.clone()));
        }
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: usize) -> Layout {
        Layout::Number(n.to_string())
    }

    #[test]
    fn a_wide_matrix_is_written_by_entries() {
        let wide = Layout::Name("a".repeat(40));
        let rows = vec![vec![wide, number(2)], vec![number(2), number(0)]];
        let list = entries(&Layout::name("g").equals(Layout::Matrix(rows))).unwrap();
        let texts: Vec<String> = list.iter().map(Layout::to_text).collect();
        assert_eq!(texts.len(), 2);
        assert_eq!(texts[1], "g₁,₂ = g₂,₁ = 2");
    }

    #[test]
    fn a_long_formula_is_folded_and_whole() {
        let terms = (0..900).map(|k| (false, number(k))).collect();
        let html = display(&Layout::name("s").equals(Layout::Sum(terms)));
        assert!(html.starts_with("<details>") && html.contains("<mn>899</mn>"));
    }
}
