//! From characters to tokens.

use crate::code::SyntaxCode;
use crate::error::SyntaxError;
use crate::span::Span;
use crate::token::{Token, TokenKind};

const MARKS: [&str; 23] = [
    "/\\", "<=", ">=", "..", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "<", ">", "+", "-",
    "*", "/", "^", ".", "'",
];

/// The mark of the wedge product, also written `∧`.
pub(crate) const WEDGE: &str = "/\\";

/// The tokens of a text, without white space and comments. Lines that go on, inside `( )` and `[ ]`
/// or after an operator, a comma or a colon, have no newline token.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<SyntaxError>) {
    let mut lexer = Lexer {
        text,
        at: if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        },
        tokens: Vec::new(),
        errors: Vec::new(),
        open: Vec::new(),
        gap: true,
        ahead: (0, false),
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    (lexer.tokens, lexer.errors)
}

struct Lexer<'s> {
    text: &'s str,
    at: usize,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
    /// The open brackets.
    open: Vec<&'static str>,
    /// Whether white space precedes the next token.
    gap: bool,
    /// The position up to which blank lines and comments were skipped, and whether a statement starts there.
    ahead: (usize, bool),
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.tokens.push(Token {
            kind,
            span,
            touches: !self.gap,
        });
        self.at += length;
        self.gap = false;
    }

    fn step(&mut self) {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return };
        match c {
            '\n' => self.newline(),
            c if c.is_whitespace() => {
                self.at += c.len_utf8();
                self.gap = true;
            }
            '#' => {
                self.at += rest.find('\n').unwrap_or(rest.len());
                self.gap = true;
            }
            '"' => self.string(rest),
            c if c.is_alphabetic() || c == '_' => {
                let end = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
                self.push(TokenKind::Name, end);
            }
            c if c.is_ascii_digit() => self.number(rest),
            '∧' => self.push(TokenKind::Mark(WEDGE), c.len_utf8()),
            // A backslash that was written twice for a shell or a string.
            '/' if rest.starts_with("/\\\\") => self.push(TokenKind::Mark(WEDGE), 3),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                let length = 1 + number_length(&rest[1..]);
                let span = Span::new(self.at, self.at + length);
                let message = format!("a number starts with a digit, not with {:?}", ".");
                let hint = format!("write 0{}", &rest[..length]);
                self.errors.push(SyntaxError::new(
                    SyntaxCode::MalformedNumber,
                    message,
                    hint,
                    span,
                ));
                self.push(TokenKind::Number, length);
            }
            _ => match MARKS.into_iter().find(|m| rest.starts_with(m)) {
                Some(mark) => self.mark(mark),
                None => {
                    let span = Span::new(self.at, self.at + c.len_utf8());
                    let (message, hint) = match c {
                        '−' | '–' | '—' => {
                            ("a typographic dash is no minus sign".into(), "write -")
                        }
                        '×' | '·' | '⋅' | '∙' => (format!("`{c}` is no operator"), "write *"),
                        '÷' => (format!("`{c}` is no operator"), "write /"),
                        '≤' | '≥' => (format!("`{c}` is no comparison"), "write <= or >="),
                        '½' | '¼' | '¾' => {
                            (format!("`{c}` is no number"), "write 1/2, 1/4, 3/4")
                        }
                        '°' => ("`°` is no unit".into(), "write [deg] after the number"),
                        '‘' | '’' | '′' | '`' | '´' => {
                            (format!("`{c}` is no prime"), "write ' for a velocity")
                        }
                        '“' | '”' | '„' => (
                            format!("the quotation mark {c} does not start a title"),
                            "write \"",
                        ),
                        '\u{307}' | '\u{308}' => (
                            "a dot above a letter is no time derivative".into(),
                            "write ' behind the name for a velocity",
                        ),
                        '!' | '&' | '|' => (
                            format!("`{c}` has no meaning here"),
                            "comparisons are < <= > >=",
                        ),
                        c if is_superscript(c) => (
                            format!("the superscript {c} is no exponent"),
                            "write ^2 for a square",
                        ),
                        _ => (
                            format!("the character {c:?} has no meaning here"),
                            "remove it",
                        ),
                    };
                    self.errors.push(SyntaxError::new(
                        SyntaxCode::UnexpectedCharacter,
                        message,
                        hint,
                        span,
                    ));
                    // The character that was probably meant, so that the rest of the line is read.
                    let meant = match c {
                        '−' | '–' | '—' => Some("-"),
                        '×' | '·' | '⋅' | '∙' => Some("*"),
                        '÷' => Some("/"),
                        '≤' => Some("<="),
                        '≥' => Some(">="),
                        '‘' | '’' | '′' | '`' | '´' => Some("'"),
                        _ => None,
                    };
                    match meant {
                        Some(mark) => self.push(TokenKind::Mark(mark), c.len_utf8()),
                        None if c == '½' || c == '¼' || c == '¾' => {
                            self.push(TokenKind::Number, c.len_utf8());
                        }
                        None => {
                            self.at += c.len_utf8();
                            self.gap = true;
                        }
                    }
                }
            },
        }
    }

    fn number(&mut self, rest: &str) {
        let mut length = number_length(rest);
        let mut after = rest[length..].chars();
        let dot = after.next() == Some('.');
        if dot && !after.next().is_some_and(|c| c == '.' || c.is_alphabetic()) {
            let span = Span::new(self.at, self.at + length + 1);
            self.errors.push(SyntaxError::new(
                SyntaxCode::MalformedNumber,
                "a number ends with a digit, not with its point",
                format!("write {0} or {0}.0", &rest[..length]),
                span,
            ));
            length += 1;
        }
        self.push(TokenKind::Number, length);
    }

    fn newline(&mut self) {
        let inside = matches!(self.open.last(), Some(&("(" | "[")));
        let goes_on = matches!(
            self.tokens.last().map(|t| t.kind),
            Some(TokenKind::Mark(
                "+" | "-"
                    | "*"
                    | "/"
                    | "/\\"
                    | "^"
                    | ","
                    | ":"
                    | "="
                    | "<"
                    | "<="
                    | ">"
                    | ">="
                    | ".."
            ))
        );
        // An unclosed bracket must not extend over the rest of the file: a line that
        // starts with a statement word ends it.
        if inside && self.next_line_is_a_statement() {
            self.open.retain(|b| *b == "{");
            self.push(TokenKind::Newline, 1);
        } else if inside || (goes_on && !self.next_line_is_a_statement()) {
            self.at += 1;
        } else {
            self.push(TokenKind::Newline, 1);
        }
        self.gap = true;
    }

    /// Whether the next line that is not blank or a comment starts with a statement word, followed by
    /// what only a statement can contain.
    fn next_line_is_a_statement(&mut self) -> bool {
        if self.at < self.ahead.0 {
            return self.ahead.1;
        }
        let mut rest = &self.text[self.at + 1..];
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace());
            match rest.strip_prefix('#') {
                Some(comment) => rest = &comment[comment.find('\n').unwrap_or(comment.len())..],
                None => break,
            }
        }
        let word: &str = rest.split(|c: char| !in_name(c)).next().unwrap_or("");
        let after = rest[word.len()..].trim_start_matches([' ', '\t']);
        let next = after.chars().next().unwrap_or('\n');
        let starts = crate::statement::WORDS.contains(&word)
            && (next.is_alphabetic() || next == '_' || next == ':' || next == '"');
        self.ahead = (self.text.len() - rest.len(), starts);
        starts
    }

    fn string(&mut self, rest: &str) {
        let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |k| k + 1);
        match rest[end..].starts_with('"') {
            true => self.push(TokenKind::Text, end + 1),
            false => {
                let length = rest[..end].trim_end().len();
                let span = Span::new(self.at, self.at + length);
                self.errors.push(SyntaxError::new(
                    SyntaxCode::UnterminatedString,
                    "the text is not closed on its line",
                    "add \" at the end of the title",
                    span,
                ));
                self.push(TokenKind::Text, length);
            }
        }
    }

    fn mark(&mut self, mark: &'static str) {
        match mark {
            "(" | "[" | "{" => self.open.push(mark),
            ")" | "]" | "}" => {
                let partner = match mark {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                if self.open.last() == Some(&partner) {
                    self.open.pop();
                } else if let Some(k) = self.open.iter().rposition(|b| *b == partner) {
                    // Brackets opened in between are closed too; the parser reports them.
                    self.open.truncate(k);
                }
            }
            _ => {}
        }
        self.push(TokenKind::Mark(mark), mark.len());
    }
}

fn is_superscript(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '⁺' | '⁻')
}

/// Letters, digits (also subscripts: θ₁) and `_`; not superscripts and fractions.
fn in_name(c: char) -> bool {
    let fraction = matches!(c, '¼'..='¾' | '⅐'..='⅟' | '↉');
    c == '_' || (c.is_alphanumeric() && !fraction && !is_superscript(c))
}

/// The length of 12, 0.5, 1.2e-3 at the start of a text; `1..n` is a range, not `1.`.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = bytes
            .get(end + 1 + sign)
            .map_or(0, |_| digits(end + 1 + sign));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}
