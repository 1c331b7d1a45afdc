//! Tokens.

use crate::span::Span;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Name,
    Number,
    Text,
    /// One of `( ) [ ] { } , : ; = < <= > >= + - * / /\ ^ . .. '`.
    Mark(&'static str),
    /// The end of a line that may end a statement.
    Newline,
}

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether the token follows the previous one without white space: `q[1]` is an index, `q [1]` a unit.
    pub(crate) touches: bool,
}
