//! Diagnostics drawn with the lines they are about.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use galilei_syntax::Span;

use crate::diagnostic::{Diagnostic, Severity};

/// A diagnostic about a file as text that ends with the end of a line.
pub(crate) fn draw(d: &Diagnostic, file: &str, source: &str, renderer: &Renderer) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let place = d.span.map(|span| Place::new(span, source));
    // The library counts columns in what is shown, which does not begin with the line if that is long.
    let origin = (place.as_ref().filter(|p| p.is_cut))
        .map(|p| Origin::path(file).line(p.line).char_column(p.column));
    let snippet = place.map(|p| {
        let mark = AnnotationKind::Primary.span(p.marked);
        Snippet::source(p.shown)
            .line_start(p.line)
            .path((!p.is_cut).then_some(file))
            .annotation(mark)
    });
    let hint = (!d.hint.is_empty()).then(|| Level::HELP.with_name("hint").message(&d.hint));
    let title = level.primary_title(&d.message).id(d.code.as_str());
    let group = title.elements(origin).elements(snippet).elements(hint);
    renderer.render(&[group]) + "\n"
}

/// The longest text before, in and behind a span that is shown, in bytes. Drawing takes time for all of it, and a line
/// may be as long as a file.
const MAX_SHOWN: usize = 4096;

/// The place of a span in a text.
struct Place<'s> {
    /// Its lines, or the part of them that surrounds it.
    shown: &'s str,
    /// The bytes of the span in what is shown.
    marked: Range<usize>,
    /// Whether what is shown begins inside of a line.
    is_cut: bool,
    /// The number of its first line, from 1.
    line: usize,
    /// The number of its first character in that line, from 1.
    column: usize,
}

impl<'s> Place<'s> {
    /// The place of a span, which may lie outside of the text or inside of its characters.
    fn new(span: Span, source: &'s str) -> Self {
        let start = source.floor_char_boundary(span.start as usize);
        let end = source.ceil_char_boundary(span.end as usize).max(start);
        // The end of a line is marked behind its last character.
        let marked = source[start..end].trim_end_matches(['\r', '\n']);
        let end = source.floor_char_boundary(start + marked.len().min(MAX_SHOWN));
        let line = source[..start].rfind('\n').map_or(0, |k| k + 1);
        let from = source.ceil_char_boundary(line.max(start.saturating_sub(MAX_SHOWN)));
        let behind = &source[end..source.floor_char_boundary(end.saturating_add(MAX_SHOWN))];
        let to = end + behind.find('\n').unwrap_or(behind.len());
        let shown = source[from..to].trim_end_matches('\r');
        let inside = |at: usize| (at - from).min(shown.len());
        Self {
            shown,
            marked: inside(start)..inside(end),
            is_cut: from > line,
            line: 1 + source[..line].matches('\n').count(),
            column: 1 + source[line..start].chars().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    fn shown(source: &str, marked: &str) -> String {
        let start = source.find(marked).expect("a part");
        let span = Span::new(start, start + marked.len());
        let d = Diagnostic::error(Code::UnknownName, "`x` is not known here", "", span);
        d.render("m.gal", source)
    }

    /// The columns of a terminal that a text takes, for the characters of this test.
    fn columns(text: &str) -> usize {
        text.chars()
            .map(|c| if c > '\u{2fff}' { 2 } else { 1 })
            .sum()
    }

    #[test]
    fn marks_are_below_their_place_after_wide_and_combining_characters() {
        for before in ["abc", "角度", "🪀🪀", "ｘ", "", "θ"] {
            let text = shown(&format!("coord a\n# {before} let b = x\n"), "x");
            let lines: Vec<&str> = text.lines().collect();
            let at = |line: &str, c: char| columns(&line[..line.rfind(c).expect("a mark")]);
            assert_eq!(at(lines[3], 'x'), at(lines[4], '^'), "{text}");
        }
        let text = shown("coord a\n# e\u{301} let b = x\n", "x");
        assert!(
            text.contains("\n2 | # e\u{301} let b = x\n  |             ^\n"),
            "{text}"
        );
    }

    #[test]
    fn the_end_of_a_line_is_marked_on_it() {
        for end in ["\n", "\r\n"] {
            let text = shown(&format!("let a = (1{end}coord x{end}"), end);
            assert!(
                text.ends_with("1 | let a = (1\n  |           ^\n"),
                "{text}"
            );
        }
    }

    #[test]
    fn spans_outside_of_the_text_and_inside_of_characters_are_drawn() {
        let source = "θθ\n\nx";
        for start in 0..9 {
            for end in 0..9 {
                let span = Span::new(start, end);
                let d = Diagnostic::warning(Code::UnknownName, "message", "a hint", span);
                let text = d.render("m.gal", source);
                assert!(
                    text.starts_with("warning[unknown_name]: message\n"),
                    "{text}"
                );
                assert!(text.ends_with("  = hint: a hint\n"), "{text}");
            }
        }
    }

    #[test]
    fn of_a_long_line_the_surroundings_are_shown() {
        let source = format!("coord a\n{}x{}", "θ ".repeat(300_000), " θ".repeat(300_000));
        let text = shown(&source, "x");
        assert!(text.contains(" --> m.gal:2:600001\n"), "{text}");
        assert!(text.lines().all(|l| columns(l) < 200), "{text}");
        let mut lines = text.lines().skip_while(|l| !l.starts_with("2 |"));
        let mut at = |c: char| {
            let line = lines.next().expect("a line");
            columns(&line[..line.find(c).expect("a mark")])
        };
        assert_eq!(at('x'), at('^'), "{text}");
    }

    #[test]
    fn colours_are_only_in_coloured_text() {
        let d = Diagnostic::error(Code::UnknownName, "message", "hint", Span::new(0, 1));
        assert!(!d.render("m.gal", "x").contains('\u{1b}'));
        assert!(d.render_coloured("m.gal", "x").contains('\u{1b}'));
    }
}
