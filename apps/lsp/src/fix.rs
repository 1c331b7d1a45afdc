//! Corrections of problems, made from their hints.

use galilei_syntax::{Span, nearest, parse};

use crate::analysis::Problem;
use crate::document::Document;

/// A correction: a title, and replacements of spans of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// The replacements, which do not overlap.
    pub edits: Vec<(Span, String)>,
}

impl Fix {
    fn replace(span: Span, text: &str) -> Self {
        Self {
            title: match text {
                "" => "Remove it".to_owned(),
                text => format!("Change to `{}`", text.trim()),
            },
            edits: vec![(span, text.to_owned())],
        }
    }

    fn insert(at: u32, text: &str) -> Self {
        Self {
            title: format!("Insert `{}`", text.trim()),
            edits: vec![(Span { start: at, end: at }, text.to_owned())],
        }
    }

    /// The text after the correction.
    pub fn applied(&self, text: &str) -> String {
        let mut edits = self.edits.clone();
        edits.sort_by_key(|e| std::cmp::Reverse(e.0.start));
        let mut text = text.to_owned();
        for (span, new) in edits {
            text.replace_range(span.start as usize..span.end as usize, &new);
        }
        text
    }
}

/// The word between the first pair of backquotes.
fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The place of a word in a span, if it is there once.
fn place_of(document: &Document, span: Span, word: &str) -> Option<Span> {
    let words = document.words.words.iter();
    let mut same = words.filter(|w| {
        span.start <= w.span.start && w.span.end <= span.end && document.slice(w.span) == word
    });
    let found = same.next()?;
    same.next().is_none().then_some(found.span)
}

/// The correction that a hint suggests.
fn suggested(document: &Document, problem: &Problem) -> Option<Fix> {
    let span = problem.span()?;
    let (text, hint) = (document.slice(span), problem.hint.as_str());
    let source = document.text.as_str();
    let before = |mark: &str| {
        let head = &source[..span.start as usize];
        head.ends_with(mark)
            .then(|| Span::new(head.len() - mark.len(), span.end as usize))
    };
    if hint.starts_with("did you mean") {
        let word = quoted(hint)?;
        let place = match is_word(text) {
            true => span,
            false => place_of(document, span, quoted(&problem.message)?)?,
        };
        return Some(Fix::replace(place, word));
    }
    if hint.starts_with("declare it: `param") {
        let name = quoted(&problem.message).filter(|n| is_word(n))?;
        let piece = document.words.piece(span.start)?;
        let line = source[..piece.span.start as usize]
            .rfind('\n')
            .map_or(0, |k| k + 1);
        let edit = (Span::new(line, line), format!("param {name} = 1\n"));
        return Some(Fix {
            title: format!("Declare the parameter `{name}`"),
            edits: vec![edit],
        });
    }
    match problem.code.as_str() {
        "unexpected_character" if hint == "remove it" => Some(Fix::replace(span, "")),
        "unexpected_character" => {
            let mark = match text {
                "≤" => "<=",
                "≥" => ">=",
                "½" => "1/2",
                "¼" => "1/4",
                "¾" => "3/4",
                "²" => "^2",
                "³" => "^3",
                _ => hint.strip_prefix("write ")?.split_whitespace().next()?,
            };
            let symbol = !mark.chars().any(char::is_alphanumeric);
            (symbol || mark.contains(['/', '^'])).then(|| Fix::replace(span, mark))
        }
        "malformed_number" => {
            let number = hint.strip_prefix("write ")?.split_whitespace().next()?;
            Some(Fix::replace(span, number))
        }
        // A misspelt keyword: the one that is expected is close to it.
        "expected_keyword" => {
            let keyword = quoted(&problem.message).filter(|k| is_word(k) && is_word(text))?;
            nearest(text, [keyword]).map(|_| Fix::replace(span, keyword))
        }
        "unterminated_string" => Some(Fix::insert(span.end, "\"")),
        "unclosed_brace" => {
            let end = source.trim_end().len();
            Some(Fix {
                title: "Close the block".to_owned(),
                edits: vec![(Span::new(end, source.len()), "\n}\n".to_owned())],
            })
        }
        "expected_range" if hint.contains("with a space, for a unit") => {
            Some(Fix::insert(span.start, " "))
        }
        _ if hint.contains("write ^ for a power") => {
            before("*").map(|place| Fix::replace(place, "^"))
        }
        _ if hint == "write a single =" => Some(Fix::replace(span, "")),
        _ if hint.starts_with("a comment starts with #") && text == "/" => {
            let place = before("/").or_else(|| {
                let next = source[span.end as usize..].starts_with('/');
                next.then_some(Span {
                    start: span.start,
                    end: span.end + 1,
                })
            })?;
            Some(Fix::replace(place, "#"))
        }
        _ if hint == "remove it" || hint == "remove the colon" => Some(Fix::replace(span, "")),
        _ if hint.starts_with("write ") && hint.ends_with(" here") => {
            let mark = hint.strip_prefix("write ")?.strip_suffix(" here")?;
            let mark = mark.rsplit(' ').next()?;
            let end = source[..span.start as usize].trim_end().len() as u32;
            let at = if text.trim().is_empty() {
                end
            } else {
                span.start
            };
            (mark.chars().count() <= 2).then(|| Fix::insert(at, mark))
        }
        _ => None,
    }
}

/// The corrections of a problem. One that does not make the text better is not offered.
pub fn fixes(document: &Document, problem: &Problem) -> Vec<Fix> {
    let Some(fix) = suggested(document, problem) else {
        return vec![];
    };
    let inside = |(span, _): &(Span, String)| {
        document
            .text
            .get(span.start as usize..span.end as usize)
            .is_some()
    };
    if !fix.edits.iter().all(inside) {
        return vec![];
    }
    let errors = |text: &str| parse(text).errors.len();
    let (before, after) = (errors(&document.text), errors(&fix.applied(&document.text)));
    let syntactic = parse(&document.text)
        .errors
        .iter()
        .any(|e| Some(e.span) == problem.span());
    match after < before || (after == before && !syntactic) {
        true => vec![fix],
        false => vec![],
    }
}
