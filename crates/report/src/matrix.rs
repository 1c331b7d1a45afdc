//! Matrices that are too wide for a line, written by their entries.

use galilei_expr::{Layout, Sign};

/// The formulas that replace one: a matrix wider than `room` characters is written by its entries, each as an
/// equation, without zeros and without the entries of a symmetric matrix below the diagonal.
pub(crate) fn written(layout: &Layout, room: usize) -> Vec<Layout> {
    entries(layout, room).unwrap_or_else(|| vec![layout.clone()])
}

fn entries(layout: &Layout, room: usize) -> Option<Vec<Layout>> {
    let Layout::Relation(left, chain) = layout else {
        return None;
    };
    let [(Sign::Equal, Layout::Matrix(rows))] = chain.as_slice() else {
        return None;
    };
    if let [row] = rows.as_slice()
        && let [entry] = row.as_slice()
    {
        return Some(vec![(**left).clone().equals(entry.clone())]);
    }
    let column = |j: usize| {
        let entries = rows.iter().filter_map(|row| row.get(j));
        2 + entries.map(Layout::text_width).max().unwrap_or(0)
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if (0..columns).map(column).sum::<usize>() <= room && rows.len() <= 6 {
        return None;
    }
    let symmetric = (0..rows.len())
        .all(|i| rows[i].len() == rows.len() && (0..i).all(|j| rows[i][j] == rows[j][i]));
    let zero = Layout::Number("0".into());
    let index = |i: usize, j: usize| match rows.len() < 10 {
        true => Layout::Number(format!("{}{}", i + 1, j + 1)),
        false => Layout::List([i, j].map(|k| Layout::Number((k + 1).to_string())).to_vec()),
    };
    let mut list = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            if *entry == zero || (symmetric && j < i) {
                continue;
            }
            let mut name = (**left).clone().indexed(index(i, j));
            if symmetric && i != j {
                name = name.equals((**left).clone().indexed(index(j, i)));
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
        let matrix = Layout::name("g").equals(Layout::Matrix(rows));
        let texts: Vec<String> = written(&matrix, 34).iter().map(Layout::to_text).collect();
        assert_eq!(texts.len(), 2);
        assert_eq!(texts[1], "g₁₂ = g₂₁ = 2");
        assert_eq!(written(&matrix, 60), [matrix]);
    }
}
