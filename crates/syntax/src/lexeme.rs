//! Lexemes: the words, numbers, marks and comments of a text, for editors.

use crate::lexer;
use crate::span::Span;
use crate::token::TokenKind;

/// The kind of a lexeme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LexemeKind {
    /// A word: a name, a statement word, a keyword, a unit.
    Name,
    /// A number.
    Number,
    /// A text in quotation marks.
    Text,
    /// An operator, a bracket or a separator.
    Mark(&'static str),
    /// A comment, from `#` to the end of its line.
    Comment,
    /// The end of a line that ends a statement.
    End,
}

/// A piece of the text of a model: a word, a number, a mark or a comment, with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// The kind of the lexeme.
    pub kind: LexemeKind,
    /// The place of the lexeme.
    pub span: Span,
    /// Whether the lexeme follows the previous one without white space.
    pub touches: bool,
}

impl Lexeme {
    /// Whether the lexeme is this mark.
    pub fn is(&self, mark: &str) -> bool {
        matches!(self.kind, LexemeKind::Mark(m) if m == mark)
    }
}

/// All lexemes of a text in order. Characters without a meaning are left out.
///
/// ```
/// use galilei_syntax::{LexemeKind, lexemes};
/// let list = lexemes("let a = 2*x # twice");
/// assert_eq!(list.len(), 7);
/// assert_eq!(list[4].kind, LexemeKind::Mark("*"));
/// assert_eq!(list[6].kind, LexemeKind::Comment);
/// ```
pub fn lexemes(text: &str) -> Vec<Lexeme> {
    let tokens = lexer::tokens(text).0;
    let mut list = Vec::with_capacity(tokens.len());
    let mut at = 0;
    for token in &tokens {
        comments(text, at, token.span.start as usize, &mut list);
        at = token.span.end as usize;
        list.push(Lexeme {
            kind: match token.kind {
                TokenKind::Name => LexemeKind::Name,
                TokenKind::Number => LexemeKind::Number,
                TokenKind::Text => LexemeKind::Text,
                TokenKind::Mark(m) => LexemeKind::Mark(m),
                TokenKind::Newline => LexemeKind::End,
            },
            span: token.span,
            touches: token.touches,
        });
    }
    comments(text, at, text.len(), &mut list);
    list
}

/// Adds the comments between two tokens.
fn comments(text: &str, from: usize, to: usize, list: &mut Vec<Lexeme>) {
    let mut start = from;
    for line in text[from..to].split_inclusive('\n') {
        if let Some(mark) = line.find('#') {
            let end = start + line.trim_end().len();
            list.push(Lexeme {
                kind: LexemeKind::Comment,
                span: Span::new(start + mark, end),
                touches: false,
            });
        }
        start += line.len();
    }
}
