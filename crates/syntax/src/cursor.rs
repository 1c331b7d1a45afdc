//! The cursor: a position in the tokens, and the ways to advance it.

use crate::code::SyntaxCode;
use crate::error::SyntaxError;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::tree::Name;

pub(crate) struct Cursor<'s> {
    source: &'s str,
    tokens: &'s [Token],
    at: usize,
    pub(crate) errors: Vec<SyntaxError>,
    pub(crate) depth: usize,
    /// Names that may have been declared in parts that could not be read.
    pub(crate) lost: Vec<String>,
    /// The number of errors before the statement that is being read.
    pub(crate) errors_before: usize,
    /// The word of the statement that is being read, or that is probably meant.
    pub(crate) statement_word: &'s str,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(source: &'s str, tokens: &'s [Token]) -> Self {
        Self {
            source,
            tokens,
            at: 0,
            errors: Vec::new(),
            depth: 0,
            lost: Vec::new(),
            errors_before: 0,
            statement_word: "",
        }
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(crate) fn token(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub(crate) fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    pub(crate) fn kind(&self) -> Option<TokenKind> {
        self.token().map(|t| t.kind)
    }

    pub(crate) fn text(&self) -> &'s str {
        self.token().map_or("", |t| t.span.text(self.source))
    }

    pub(crate) fn text_at(&self, ahead: usize) -> &'s str {
        self.peek(ahead).map_or("", |t| t.span.text(self.source))
    }

    /// The text from the current token to the next comma or the end of the statement.
    pub(crate) fn rest_of_entry(&self) -> &'s str {
        let ends = |t: &Token| {
            t.kind == TokenKind::Newline || matches!(t.kind, TokenKind::Mark("," | ";" | "}"))
        };
        let rest = self.tokens[self.at.min(self.tokens.len())..].iter();
        let last = rest.take_while(|t| !ends(t)).last();
        last.map_or("", |t| self.here().to(t.span).text(self.source))
    }

    /// The span of the current token; at the end of the text, of that end.
    pub(crate) fn here(&self) -> Span {
        let end = self.tokens.last().map_or(0, |t| t.span.end as usize);
        self.token().map_or(Span::new(end, end), |t| t.span)
    }

    /// The span of the previous token.
    pub(crate) fn before(&self) -> Span {
        let k = self.at.saturating_sub(1);
        self.tokens.get(k).map_or(Span::new(0, 0), |t| t.span)
    }

    pub(crate) fn source(&self) -> &'s str {
        self.source
    }

    /// The text of the previous token.
    pub(crate) fn text_before(&self) -> &'s str {
        self.before().text(self.source)
    }

    /// Whether two factors meet here without an operator: `2 x`, `(a)(b)`.
    pub(crate) fn operator_missing(&self) -> bool {
        let Some(previous) = self.at.checked_sub(1).and_then(|k| self.tokens.get(k)) else {
            return false;
        };
        let ends = match previous.kind {
            TokenKind::Name | TokenKind::Number => true,
            TokenKind::Mark(m) => m == ")" || m == "'",
            _ => false,
        };
        let starts = match self.kind() {
            Some(TokenKind::Name | TokenKind::Number) => true,
            Some(TokenKind::Mark(m)) => m == "(",
            _ => false,
        };
        ends && starts
    }

    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    pub(crate) fn sees(&self, mark: &str) -> bool {
        matches!(self.kind(), Some(TokenKind::Mark(m)) if m == mark)
    }

    /// Advances over a mark if it comes next.
    pub(crate) fn take(&mut self, mark: &str) -> bool {
        let sees = self.sees(mark);
        if sees {
            self.advance();
        }
        sees
    }

    /// Advances over a word if it comes next.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let sees = self.sees_word(word);
        if sees {
            self.advance();
        }
        sees
    }

    pub(crate) fn sees_word(&self, word: &str) -> bool {
        self.kind() == Some(TokenKind::Name) && self.text() == word
    }

    /// Advances over a mark, or reports its absence.
    pub(crate) fn expect(&mut self, mark: &str, message: &str) -> bool {
        if self.take(mark) {
            return true;
        }
        let found = self.describe();
        let hint = if (mark == ")" || mark == "]") && self.operator_missing() {
            format!("write * for a product, or {mark} here")
        } else {
            format!("write {mark} here")
        };
        self.error(
            SyntaxCode::ExpectedToken,
            format!("{message}: expected {mark}, found {found}"),
            hint,
            self.here(),
        );
        false
    }

    /// Reads a name, or reports an error.
    pub(crate) fn name(&mut self, what: &str) -> Option<Name> {
        if self.kind() == Some(TokenKind::Name) {
            let name = Name {
                text: self.text().to_owned(),
                span: self.here(),
            };
            self.advance();
            return Some(name);
        }
        self.expected(
            SyntaxCode::ExpectedName,
            what,
            "names start with a letter or _",
        );
        None
    }

    /// The current token in words, for messages.
    pub(crate) fn describe(&self) -> String {
        match self.kind() {
            None => "the end of the file".into(),
            Some(TokenKind::Newline) => "the end of the line".into(),
            Some(_) => {
                let text = self.text();
                match text.char_indices().nth(40) {
                    Some((end, _)) => format!("`{}…`", &text[..end]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

    /// Reports that something else was expected here than the current token.
    pub(crate) fn expected(&mut self, code: SyntaxCode, what: &str, hint: impl Into<String>) {
        let message = format!("{what} expected, found {}", self.describe());
        self.error(code, message, hint, self.here());
    }

    /// Reads a text in quotes, without them, or reports an error.
    pub(crate) fn quoted(&mut self, what: &str, hint: &str) -> Option<Name> {
        if self.kind() != Some(TokenKind::Text) {
            self.expected(SyntaxCode::ExpectedTitle, what, hint);
            return None;
        }
        let (text, span) = (self.text().trim_matches('"').to_owned(), self.here());
        self.advance();
        Some(Name { text, span })
    }

    pub(crate) fn error(
        &mut self,
        code: SyntaxCode,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: Span,
    ) {
        self.errors
            .push(SyntaxError::new(code, message, hint, span));
    }

    pub(crate) fn skip_newlines(&mut self) {
        while self.kind() == Some(TokenKind::Newline) || self.sees(";") {
            self.advance();
        }
    }

    /// Whether a statement ends here.
    pub(crate) fn at_statement_end(&self) -> bool {
        match self.kind() {
            None | Some(TokenKind::Newline) => true,
            Some(TokenKind::Mark(m)) => m == ";" || m == "}",
            _ => false,
        }
    }

    /// Advances to the bracket that closes the innermost open one, or to the end of the statement.
    pub(crate) fn skip_group(&mut self) {
        let mut open = 0_usize;
        while !self.at_statement_end() {
            match self.kind() {
                Some(TokenKind::Mark("(" | "[")) => open += 1,
                Some(TokenKind::Mark(")" | "]")) if open == 0 => return,
                Some(TokenKind::Mark(")" | "]")) => open -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether the statement that is being read already has an error.
    pub(crate) fn has_error(&self) -> bool {
        self.errors.len() > self.errors_before
    }

    /// Advances to the comma or the end of the statement after an entry that could not be read.
    pub(crate) fn skip_entry(&mut self) {
        let mut open = 0_usize;
        while !self.at_statement_end() {
            match self.kind() {
                Some(TokenKind::Mark("(" | "[")) => open += 1,
                Some(TokenKind::Mark(")" | "]")) => open = open.saturating_sub(1),
                Some(TokenKind::Mark(",")) if open == 0 => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Records the names between two positions that may have been declared there: those that start an entry. Unless
    /// the statement is known to declare something, a name must be followed by a token that can follow a declared name.
    pub(crate) fn record_lost_names(&mut self, from: usize, to: usize, declares: bool) {
        let mut open = 0_usize;
        let mut starts = true;
        for k in from..to.min(self.tokens.len()) {
            let Token { kind, span, .. } = self.tokens[k];
            let follows = match self.tokens.get(k + 1).map(|t| t.kind) {
                None | Some(TokenKind::Newline) => true,
                Some(TokenKind::Mark(m)) => matches!(m, "=" | "," | "[" | "(" | ":" | ";" | "}"),
                Some(_) => declares,
            };
            match kind {
                TokenKind::Mark("(" | "[") => open += 1,
                TokenKind::Mark(")" | "]") => open = open.saturating_sub(1),
                TokenKind::Name if starts && open == 0 && follows => {
                    self.lost.push(span.text(self.source).to_owned());
                }
                _ => {}
            }
            starts =
                k == from || kind == TokenKind::Mark(",") || declares && kind == TokenKind::Name;
        }
    }

    /// The number of the current token.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Advances to one of these marks, or to the end of the statement.
    pub(crate) fn skip_to(&mut self, marks: &[&str]) {
        while !self.at_statement_end() && !marks.iter().any(|m| self.sees(m)) {
            self.advance();
        }
    }
}
