//! Comparison of documented lines with printed lines.

/// The wildcard: it matches any text within a line, and alone on a line any number of lines.
const ANYTHING: char = '…';

/// The difference of the documented and the printed text, lines of only one of them marked `-` and `+`; `None` if they agree.
///
/// Blanks at the end of a line and blank lines at the end of the text do not count.
pub(crate) fn difference(expected: &[String], printed: &str) -> Option<String> {
    let expected = trimmed(expected.iter().map(String::as_str));
    let printed = trimmed(printed.lines());
    let cost = costs(&expected, &printed);
    if cost[0][0] == 0 {
        return None;
    }
    let mut text = String::new();
    let mut put = |mark: char, line: &str| {
        text += format!("  {mark} {line}").trim_end();
        text.push('\n');
    };
    let (mut i, mut j) = (0, 0);
    while i < expected.len() || j < printed.len() {
        let here = cost[i][j];
        let (e, p) = (expected.get(i), printed.get(j));
        if let Some(e) = e.filter(|e| any_lines(e) && cost[i + 1][j] == here) {
            put(' ', e);
            i += 1;
        } else if let Some(p) =
            p.filter(|_| e.is_some_and(|e| any_lines(e)) && cost[i][j + 1] == here)
        {
            put(' ', p);
            j += 1;
        } else if let Some((_, p)) = e
            .zip(p)
            .filter(|(e, p)| same(e, p) && cost[i + 1][j + 1] == here)
        {
            put(' ', p);
            i += 1;
            j += 1;
        } else if let Some(e) = e.filter(|_| cost[i + 1][j] + 1 == here) {
            put('-', e);
            i += 1;
        } else {
            put('+', p.unwrap_or(&""));
            j += 1;
        }
    }
    Some(text)
}

/// `cost[i][j]`: the number of lines to add or leave out so that `expected[i..]` and `printed[j..]` agree.
fn costs(expected: &[&str], printed: &[&str]) -> Vec<Vec<usize>> {
    let (n, m) = (expected.len(), printed.len());
    let mut cost = vec![vec![0; m + 1]; n + 1];
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            let (e, p) = (expected.get(i), printed.get(j));
            let any = e.is_some_and(|e| any_lines(e));
            let mut choices = Vec::with_capacity(3);
            if e.is_some() {
                choices.push(cost[i + 1][j] + usize::from(!any));
            }
            if p.is_some() {
                choices.push(cost[i][j + 1] + usize::from(!any));
            }
            if e.zip(p).is_some_and(|(e, p)| same(e, p)) {
                choices.push(cost[i + 1][j + 1]);
            }
            cost[i][j] = choices.into_iter().min().unwrap_or(0);
        }
    }
    cost
}

fn trimmed<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut lines: Vec<&str> = lines.map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether a line matches any number of lines.
fn any_lines(expected: &str) -> bool {
    let line = expected.trim();
    line == "[..]" || line.chars().eq([ANYTHING])
}

/// Whether a documented line matches a printed line.
fn same(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split(ANYTHING);
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(expected: &str, printed: &str) -> bool {
        let lines: Vec<String> = expected.lines().map(str::to_string).collect();
        difference(&lines, printed).is_none()
    }

    #[test]
    fn plain_lines_must_be_equal() {
        assert!(agree("a\nb", "a\nb\n"));
        assert!(!agree("a\nb", "a\nc\n"));
        assert!(!agree("a", "a\nb\n"));
        assert!(!agree("a\nb", "a\n"));
        assert!(!agree("", "a\n"));
        assert!(!agree("a", " a\n"));
    }

    #[test]
    fn blanks_at_the_ends_do_not_count() {
        assert!(agree("a\n\n", "a  \n"));
        assert!(agree("", "\n\n"));
    }

    #[test]
    fn an_ellipsis_matches_any_text_of_its_line() {
        assert!(agree("took … ms", "took 12.5 ms"));
        assert!(agree("took…", "took"));
        assert!(agree("…: … of …", "a: 1 of 2"));
        assert!(!agree("took … ms", "took 12.5 s"));
        assert!(!agree("a…a", "a"));
        assert!(!agree("x …b… y", "x a y"));
    }

    #[test]
    fn an_ellipsis_alone_matches_any_number_of_lines() {
        for any in ["…", "[..]", "  …"] {
            assert!(agree(&format!("a\n{any}\nz"), "a\nz"));
            assert!(agree(&format!("a\n{any}\nz"), "a\nb\nz\nc\nz"));
            assert!(agree(any, ""));
            assert!(!agree(&format!("a\n{any}\nz"), "a\nb\n"));
        }
        assert!(agree("…\nm\n…", "a\nm\nb\n"));
    }

    #[test]
    fn the_difference_shows_both_sides_in_place() {
        let expected = ["a", "b", "…", "t … s"].map(str::to_string);
        let shown = difference(&expected, "a\nc\nd\nt 1 ms\n").expect("they differ");
        assert_eq!(
            shown,
            "    a\n  - b\n    c\n    d\n    t 1 ms\n    …\n  - t … s\n"
        );
    }
}
