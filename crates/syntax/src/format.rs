//! The layout of a model file: white space in one way, everything else as it was written.
//!
//! Lines stay lines. The formatter sets the white space between the tokens of a line and at its start; it neither
//! adds nor removes nor reorders tokens, and comments keep their text. A line with characters that have no meaning
//! stays as it is.

use crate::lexer;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// The indentation of a block, and of a line that continues a statement, in columns.
const INDENT_COLUMNS: usize = 2;
/// The columns between a statement and a comment behind it.
const COMMENT_GAP: usize = 2;
/// The column up to which a comment behind a statement stays where it was.
const MAX_COMMENT_COLUMN: usize = 100;
/// The columns of a tab at the start of a line.
const TAB_COLUMNS: usize = 2;
/// The column beyond which indentation is cut off, so that a strange file cannot become much longer.
const MAX_INDENT_COLUMNS: usize = 80;

/// A model with its white space in order: spaces around `+`, `-`, `=` and comparisons, none around `*`, `/`, `^`; blocks
/// indented; at most one blank line in a row; a newline at the end. Columns of `=` and of bodies behind a colon that were
/// aligned in neighbouring lines stay aligned, and comments behind statements stay in their column. The meaning stays as it is, and formatting twice changes nothing more.
///
/// ```
/// use galilei_syntax::format;
/// let text = "param m=1[kg],l = 2   [m]\n\n\nkinetic:m *x'^2/ 2+a   # energy\n";
/// assert_eq!(format(text), "param m = 1 [kg], l = 2 [m]\n\nkinetic: m*x'^2/2 + a  # energy\n");
/// ```
pub fn format(text: &str) -> String {
    let source = text.strip_prefix('\u{feff}').unwrap_or(text);
    if source.len() > crate::MAX_FILE_BYTES {
        return text.to_owned();
    }
    let formatted = layout(source);
    // The layout follows rules about spaces; this is the proof that they kept the tokens of this file.
    if same_tokens(source, &formatted) {
        formatted
    } else {
        text.to_owned()
    }
}

/// The tokens that matter to the parser: repeated ends of lines count once, and whether a token touches the one before
/// only where an index, a prime or a call depends on it.
fn essence(text: &str) -> Vec<(TokenKind, &str, bool)> {
    let tokens = lexer::tokens(text).0;
    let mut list: Vec<(TokenKind, &str, bool)> = Vec::with_capacity(tokens.len());
    for token in &tokens {
        if token.kind == TokenKind::Newline {
            if list.last().is_some_and(|t| t.0 != TokenKind::Newline) {
                list.push((TokenKind::Newline, "", false));
            }
            continue;
        }
        let after_name = list.last().is_some_and(|t| t.0 == TokenKind::Name);
        let touches = match token.kind {
            TokenKind::Mark("'") => token.touches,
            TokenKind::Mark("[" | "(") => after_name && token.touches,
            _ => false,
        };
        list.push((token.kind, token.span.text(text), touches));
    }
    if list.last().is_some_and(|t| t.0 == TokenKind::Newline) {
        list.pop();
    }
    list
}

fn same_tokens(before: &str, after: &str) -> bool {
    essence(before) == essence(after)
}

/// A line while it is laid out.
struct Line<'s> {
    /// The indentation in columns.
    indent: usize,
    /// The tokens of the line with the spaces between them; empty for a line that has only a comment.
    code: String,
    /// The comment at the end, with its `#`.
    comment: &'s str,
    /// The column at which the comment was.
    comment_column: usize,
    /// The place at which neighbouring lines may be aligned.
    anchor: Option<Anchor>,
}

/// The first `=` of a declaration, or the body behind the colon of a statement.
struct Anchor {
    /// The statement word and the mark: only lines that agree in both are aligned with each other.
    kind: (String, &'static str),
    /// The column in the source.
    column: usize,
    /// The byte in [`Line::code`] before which columns may be filled up.
    byte: usize,
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

fn layout(source: &str) -> String {
    let (tokens, _) = lexer::tokens(source);
    let mut lines: Vec<Option<Line<'_>>> = Vec::new();
    let (mut start, mut next, mut depth) = (0, 0, 0_usize);
    let mut previous: Option<Token> = None;
    for raw in source.split_inclusive('\n') {
        let end = start + raw.len();
        let first = next;
        while tokens
            .get(next)
            .is_some_and(|t| (t.span.start as usize) < end)
        {
            next += 1;
        }
        let all = &tokens[first..next];
        let own: Vec<Token> = (all.iter().copied())
            .filter(|t| t.kind != TokenKind::Newline)
            .collect();
        let begins = previous.is_none_or(|t| {
            matches!(
                t.kind,
                TokenKind::Newline | TokenKind::Mark("{" | "}" | ";")
            )
        });
        let base = INDENT_COLUMNS * depth.saturating_sub(closing(&own));
        let before = previous.filter(|_| !begins);
        lines.push(line(source, start, raw, &own, before, base));
        for token in &own {
            match token.kind {
                TokenKind::Mark("{") => depth += 1,
                TokenKind::Mark("}") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        previous = all.last().copied().or(previous);
        start = end;
    }
    align(&mut lines);
    join(lines)
}

/// The number of braces that close blocks at the start of a line.
fn closing(tokens: &[Token]) -> usize {
    let braces = tokens.iter().take_while(|t| t.kind == TokenKind::Mark("}"));
    braces.count()
}

/// A line laid out; `None` for a blank one. `before` is the token that the line continues, if it does.
fn line<'s>(
    source: &'s str,
    start: usize,
    raw: &'s str,
    tokens: &[Token],
    before: Option<Token>,
    base: usize,
) -> Option<Line<'s>> {
    let begins = before.is_none();
    let body = raw.trim_end();
    let text = body.trim_start();
    if text.is_empty() {
        return None;
    }
    let lead = &body[..body.len() - text.len()];
    let given: usize = lead
        .chars()
        .map(|c| if c == '\t' { TAB_COLUMNS } else { 1 })
        .sum();
    let indent = match begins {
        true => base,
        // A continuation stays where it was, if that is to the right of the statement.
        false => given.clamp(
            base + INDENT_COLUMNS,
            MAX_INDENT_COLUMNS.max(base + INDENT_COLUMNS),
        ),
    };
    let after = tokens
        .last()
        .map_or(start + lead.len(), |t| t.span.end as usize);
    let rest = source[after..start + body.len()].trim_start();
    let comment = if rest.starts_with('#') { rest } else { "" };
    let covered = tokens.windows(2).all(|pair| {
        let gap = &source[pair[0].span.end as usize..pair[1].span.start as usize];
        gap.trim().is_empty()
    });
    let leads = tokens
        .first()
        .is_none_or(|t| t.span.start as usize == start + lead.len());
    if !covered || !leads || (comment.is_empty() && !rest.is_empty()) {
        // Characters without a meaning: the line stays, apart from white space at its ends.
        return Some(Line {
            indent,
            code: text.to_owned(),
            comment: "",
            comment_column: 0,
            anchor: None,
        });
    }
    let (code, anchor) = spaced(source, start, tokens, before);
    let comment_column = columns(&source[start..start + body.len() - comment.len()]);
    Some(Line {
        indent,
        code,
        comment,
        comment_column,
        anchor,
    })
}

/// The tokens of a line with spaces between them, and the place at which it may be aligned.
fn spaced(
    source: &str,
    start: usize,
    tokens: &[Token],
    before: Option<Token>,
) -> (String, Option<Anchor>) {
    let mut code = String::new();
    let mut anchor = None;
    let mut spacing = Spacing {
        before,
        ..Spacing::default()
    };
    let word = tokens.first().map_or("", |t| t.span.text(source));
    for (k, token) in tokens.iter().enumerate() {
        if k > 0 && spacing.before(source, tokens, k) {
            code.push(' ');
        }
        let mark = match (token.kind, k.checked_sub(1).map(|p| tokens[p].kind)) {
            (TokenKind::Mark("="), _) => Some("="),
            (_, Some(TokenKind::Mark(":"))) => Some(":"),
            _ => None,
        };
        if let (Some(mark), true, true) = (
            mark,
            anchor.is_none(),
            before.is_none() && spacing.open.is_empty(),
        ) {
            anchor = Some(Anchor {
                kind: (word.to_owned(), mark),
                column: columns(&source[start..token.span.start as usize]),
                byte: code.len(),
            });
        }
        code.push_str(token.span.text(source));
        spacing.pass(source, tokens, k);
    }
    (code, anchor)
}

/// The brackets around a place in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    /// `[ ]` that touches a name: an index or a range.
    Index,
    /// `[ ]` after white space: a unit or a list.
    Square,
}

/// The state of the decision where spaces are.
#[derive(Default)]
struct Spacing {
    /// The token at the end of the line that this one continues.
    before: Option<Token>,
    open: Vec<Bracket>,
    /// Whether the place is inside of a range, `k in 1..n-1`.
    range: bool,
    /// Whether the token before is a sign: a minus or plus without a left operand.
    sign: bool,
}

/// Whether the token k of a line is a sign: a minus or plus without a left operand.
fn is_sign(source: &str, tokens: &[Token], k: usize, before: Option<Token>) -> bool {
    if !matches!(tokens[k].kind, TokenKind::Mark("+" | "-")) {
        return false;
    }
    let Some(left) = k.checked_sub(1).map_or(before, |p| Some(tokens[p])) else {
        return true;
    };
    match left.kind {
        // `from -1`; a value may have the name of a keyword, too.
        TokenKind::Name => {
            let follows = tokens.get(k + 1).is_some_and(|t| t.touches);
            is_clause(left.span.text(source)) && !tokens[k].touches && follows
        }
        TokenKind::Number | TokenKind::Text => false,
        TokenKind::Mark(m) => !matches!(m, ")" | "]" | "}" | "'"),
        TokenKind::Newline => true,
    }
}

/// Words before which and behind which an expression is complete, so that a minus behind them is a sign.
fn is_clause(word: &str) -> bool {
    crate::is_keyword(word) || matches!(word, "every" | "tolerance" | "torque" | "form")
}

impl Spacing {
    /// Whether a space precedes the token k.
    fn before(&self, source: &str, tokens: &[Token], k: usize) -> bool {
        use TokenKind::{Mark, Name, Number};
        let (left, right) = (tokens[k - 1], tokens[k]);
        let gap = !right.touches;
        let tight = self.open.last() == Some(&Bracket::Index) || self.range;
        match (left.kind, right.kind) {
            // A prime behind white space is none; an index touches its name, and a call its function.
            (_, Mark("'")) => gap,
            // A doubled operator is a mistake that the parser explains.
            (Mark(a), Mark(b)) if a == b && matches!(a, "=" | "*" | "/") => gap,
            // A point that touches a number belongs to it.
            (Number, Mark(".")) => gap,
            (_, Mark("," | ";" | ")" | "]" | ":" | "." | "..")) => false,
            (Mark("(" | "[" | "." | ".."), _) => false,
            (Mark("*" | "/" | "^"), _) | (_, Mark("*" | "/" | "^")) => false,
            (Name | Mark("]"), Mark("(")) | (Name, Mark("[")) => gap,
            (Mark(","), _) => self.open.last() != Some(&Bracket::Index),
            // Inside of an index and a range both are common: `q[k+1]`, `q[k + 1]`.
            (Mark("+" | "-"), _) => !self.sign && (!tight || !left.touches),
            (_, Mark("+" | "-")) if !is_sign(source, tokens, k, self.before) => !tight || gap,
            (Number | Mark(")" | "]" | "'"), Mark("[")) => true,
            _ => true,
        }
    }

    /// Takes note of the token k.
    fn pass(&mut self, source: &str, tokens: &[Token], k: usize) {
        let token = tokens[k];
        let left = k.checked_sub(1).map(|p| tokens[p]);
        self.sign = is_sign(source, tokens, k, self.before);
        match token.kind {
            TokenKind::Mark("(") => self.open.push(Bracket::Round),
            TokenKind::Mark("[") => {
                let index = token.touches && left.is_some_and(|t| t.kind == TokenKind::Name);
                self.open.push(if index {
                    Bracket::Index
                } else {
                    Bracket::Square
                });
            }
            TokenKind::Mark(")" | "]") => {
                self.open.pop();
                self.range = false;
            }
            TokenKind::Mark(":" | "{" | ",") => self.range = false,
            TokenKind::Name if token.span.text(source) == "in" => {
                let ahead = tokens[k + 1..]
                    .iter()
                    .take_while(|t| !matches!(t.kind, TokenKind::Mark(":" | "{" | "," | "]" | ")")))
                    .any(|t| t.kind == TokenKind::Mark(".."));
                self.range = ahead;
            }
            _ => {}
        }
    }
}

/// Fills up columns where neighbouring lines were aligned.
fn align(lines: &mut [Option<Line<'_>>]) {
    fn anchor<'l>(line: &'l Option<Line<'_>>) -> Option<&'l Anchor> {
        line.as_ref()?.anchor.as_ref()
    }
    let mut k = 0;
    while k < lines.len() {
        let Some(first) = anchor(&lines[k]) else {
            k += 1;
            continue;
        };
        let same = |a: &Anchor| a.kind == first.kind && a.column == first.column;
        let count = lines[k..]
            .iter()
            .take_while(|l| anchor(l).is_some_and(same))
            .count();
        let width = |l: &Option<Line<'_>>| {
            let line = l.as_ref()?;
            Some(line.indent + columns(&line.code[..line.anchor.as_ref()?.byte]))
        };
        let run = k..k + count;
        let widest = lines[run.clone()].iter().filter_map(width).max();
        for line in &mut lines[run] {
            let missing = widest.unwrap_or(0) - width(line).unwrap_or(0);
            if let Some(line) = line
                && let Some(anchor) = &line.anchor
            {
                line.code.insert_str(anchor.byte, &" ".repeat(missing));
            }
        }
        k += count;
    }
}

/// The text of the lines, with comments in columns where they were aligned.
fn join(lines: Vec<Option<Line<'_>>>) -> String {
    let mut text = String::new();
    let mut k = 0;
    while k < lines.len() {
        let Some(line) = &lines[k] else {
            let more = lines[k..].iter().any(Option::is_some);
            if more && !text.is_empty() && !text.ends_with("\n\n") {
                text.push('\n');
            }
            k += 1;
            continue;
        };
        let trails = |l: &Option<Line<'_>>| {
            let l = l.as_ref()?;
            (!l.comment.is_empty() && !l.code.is_empty() && l.comment_column == line.comment_column)
                .then(|| l.indent + columns(&l.code))
        };
        let widths: Vec<usize> = lines[k..].iter().map_while(trails).collect();
        let needed = widths.iter().max().copied().unwrap_or(0) + COMMENT_GAP;
        let column = needed.max(line.comment_column.min(MAX_COMMENT_COLUMN));
        for line in lines[k..k + widths.len().max(1)].iter().flatten() {
            text.push_str(&" ".repeat(line.indent));
            text.push_str(&line.code);
            if !line.comment.is_empty() {
                if !line.code.is_empty() {
                    let width = line.indent + columns(&line.code);
                    text.push_str(&" ".repeat(column.saturating_sub(width)));
                }
                text.push_str(line.comment);
            }
            text.push('\n');
        }
        k += widths.len().max(1);
    }
    text
}

/// The places at which two texts of equal tokens differ, as replacements of white space in the first: small edits for an
/// editor. Each is a span of the first text and the text to put there.
pub fn edits(before: &str, after: &str) -> Vec<(Span, String)> {
    if before == after {
        return vec![];
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = (old[head..].iter().rev())
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let start: usize = old[..head].iter().map(|l| l.len()).sum();
    let end: usize = before.len()
        - old[old.len() - tail..]
            .iter()
            .map(|l| l.len())
            .sum::<usize>();
    let text = new[head..new.len() - tail].concat();
    vec![(Span::new(start, end), text)]
}
