//! Diagnostics drawn with the lines they are about.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use galilei_syntax::Span;

use crate::diagnostic::{Diagnostic, Severity};

/// A diagnostic about a file as text that ends with the end of a line.
pub(crate) fn draw(d: &Diagnostic, file: &str, source: &str, renderer: &Renderer) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let snippet = d.span.map(|span| {
        let place = Place::new(span, source);
        Snippet::source(place.lines)
            .line_start(place.first)
            .path(file)
            .annotation(AnnotationKind::Primary.span(place.marked))
    });
    let hint = (!d.hint.is_empty()).then(|| Level::HELP.with_name("hint").message(&d.hint));
    let title = level.primary_title(&d.message).id(d.code.as_str());
    let group = title.elements(snippet).elements(hint);
    renderer.render(&[group]) + "\n"
}

/// The lines of a span.
struct Place<'s> {
    /// Their text.
    lines: &'s str,
    /// The number of the first, from 1.
    first: usize,
    /// The bytes of the span in their text.
    marked: Range<usize>,
}

impl<'s> Place<'s> {
    /// The lines of a span, which may lie outside of the text or inside of its characters.
    fn new(span: Span, source: &'s str) -> Self {
        let start = source.floor_char_boundary(span.start as usize);
        let end = source.ceil_char_boundary(span.end as usize).max(start);
        // The end of a line is marked behind its last character.
        let end = start + source[start..end].trim_end_matches(['\r', '\n']).len();
        let from = source[..start].rfind('\n').map_or(0, |k| k + 1);
        let to = source[end..].find('\n').map_or(source.len(), |k| end + k);
        let lines = source[from..to].trim_end_matches('\r');
        let inside = |at: usize| (at - from).min(lines.len());
        Self {
            lines,
            first: 1 + source[..from].matches('\n').count(),
            marked: inside(start)..inside(end),
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
    fn colours_are_only_in_coloured_text() {
        let d = Diagnostic::error(Code::UnknownName, "message", "hint", Span::new(0, 1));
        assert!(!d.render("m.gal", "x").contains('\u{1b}'));
        assert!(d.render_coloured("m.gal", "x").contains('\u{1b}'));
    }
}
