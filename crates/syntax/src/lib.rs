//! The model language as text and tree: lexer, parser, spans.
//!
//! Parsing never fails: it returns a tree and the list of all errors. This crate does
//! not know what a name means; `galilei-model` resolves names.
//!
//! ```
//! use galilei_syntax::{Kind, parse};
//! let file = parse("param m = 0.2 [kg]\nforce friction: theta = -c*theta'\n");
//! assert!(file.errors.is_empty());
//! assert!(matches!(file.statements[1].kind, Kind::Force { .. }));
//!
//! let file = parse("param m = \nlet a = (1 + 2\ncoord x");
//! assert_eq!(file.errors.len(), 2);
//! assert_eq!(file.statements.len(), 3);
//!
//! // The parts of a wrong statement that were understood are kept.
//! let file = parse("particle bob: mas m at (x, y)");
//! assert_eq!(file.errors.len(), 1);
//! assert!(matches!(file.statements[0].kind, Kind::Particle { .. }));
//! ```

mod code;
mod contact;
mod cursor;
mod error;
mod expression;
mod format;
mod frame;
mod hint;
mod lexeme;
mod lexer;
mod nearest;
mod span;
mod statement;
mod token;
mod tree;
mod unit;

pub use code::{SyntaxCode, UnknownCode};
pub use error::SyntaxError;
pub use format::{edits, format};
pub use hint::statement_forms;
pub use lexeme::{Lexeme, LexemeKind, lexemes};
pub use nearest::nearest;
pub use span::{Lines, Span};
pub use tree::{
    Assignment, Clause, Comparison, Declaration, Direction, Expression, ExpressionKind, File,
    ForceBody, IndexBinder, Kind, Label, MetricEntry, Name, Orientation, Pose, Range, ReactionBody,
    Rotation, Statement, TableSource,
};
pub use unit::{UnitExpression, UnitFactor};

/// The size of the largest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// The depth to which expressions may be nested.
pub const MAX_NESTING: usize = 200;
/// The depth to which repetitions may be nested.
pub const MAX_BLOCKS: usize = 16;

/// The number of errors that are listed; further ones are only counted.
pub const MAX_ERRORS: usize = 1000;

/// Whether a word that starts a statement may name a value, too.
pub fn may_name_value(word: &str) -> bool {
    statement::UNRESERVED.contains(&word)
}

/// The words that start a statement. They cannot name a value, except for those of [`may_name_value`].
pub fn statement_words() -> impl Iterator<Item = &'static str> {
    statement::WORDS.into_iter().chain(["for"])
}

/// Whether a word means something inside of statements: `mass`, `at`, `from`.
pub fn is_keyword(word: &str) -> bool {
    statement::KEYWORDS.contains(&word)
}

/// Reads a file. Everything wrong with its syntax is in [`File::errors`].
pub fn parse(text: &str) -> File {
    if text.len() > MAX_FILE_BYTES {
        let message = format!(
            "the file has {} bytes; the limit is {MAX_FILE_BYTES}",
            text.len()
        );
        let hint = "split the model, or generate families with index ranges instead of text";
        return File {
            statements: vec![],
            errors: vec![SyntaxError::new(
                SyntaxCode::FileTooLarge,
                message,
                hint,
                Span::new(0, 0),
            )],
            lost: vec![],
        };
    }
    let (tokens, mut errors) = lexer::tokens(text);
    let (statements, more, lost) = statement::statements(text, &tokens);
    errors.extend(more);
    errors.sort_by_key(|e| (e.span.start, e.span.end));
    errors.dedup_by(|a, b| a.span == b.span && a.code == b.code);
    if errors.len() > MAX_ERRORS {
        let message = format!(
            "there are {} errors of syntax; the first {MAX_ERRORS} are listed",
            errors.len()
        );
        errors.truncate(MAX_ERRORS);
        let last = errors[MAX_ERRORS - 1].span;
        errors.push(SyntaxError::new(
            SyntaxCode::TooManyErrors,
            message,
            "is this a model file?",
            last,
        ));
    }
    File {
        statements,
        errors,
        lost,
    }
}

/// Reads a single expression, as `decide` and `--at` need it.
pub fn parse_expression(text: &str) -> (Expression, Vec<SyntaxError>) {
    let (tokens, mut errors) = lexer::tokens(text);
    let mut cursor = cursor::Cursor::new(text, &tokens);
    let e = cursor.comparison();
    cursor.skip_newlines();
    if !cursor.at_end() {
        let span = cursor.here();
        cursor.error(
            SyntaxCode::UnexpectedToken,
            format!("{} does not continue the expression", cursor.describe()),
            "an expression ends here; an operator may be missing",
            span,
        );
    }
    errors.extend(cursor.errors);
    (e, errors)
}
