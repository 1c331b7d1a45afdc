//! The structure of a document: colours of words, folds, symbols, lenses.

use galilei_syntax::{LexemeKind, Span};
use lsp_types::{FoldingRange, FoldingRangeKind, SemanticToken, SymbolKind};
use serde_json::{Value, json};

use crate::document::Document;
use crate::words::{Role, Space};

/// The types of semantic tokens, in the order of their numbers.
pub(crate) const TOKEN_TYPES: [&str; 11] = [
    "keyword",
    "parameter",
    "property",
    "variable",
    "function",
    "class",
    "type",
    "number",
    "string",
    "comment",
    "operator",
];

/// The modifiers of semantic tokens, in the order of their bits.
pub(crate) const TOKEN_MODIFIERS: [&str; 2] = ["declaration", "readonly"];

fn number_of(kind: &str) -> u32 {
    TOKEN_TYPES.iter().position(|t| *t == kind).unwrap_or(0) as u32
}

/// The type and the modifiers of a word.
fn word_type(document: &Document, role: Role) -> Option<(&'static str, u32)> {
    let of = |k: usize| {
        let symbol = &document.words.symbols[k];
        match (symbol.space, symbol.kind.as_str()) {
            (Space::Function, _) => ("function", 0),
            (Space::Label, _) => ("class", 0),
            (_, "const") => ("variable", 2),
            (_, "param" | "argument") => ("parameter", 0),
            (_, "coord") => ("property", 0),
            _ => ("variable", 0),
        }
    };
    Some(match role {
        Role::Statement | Role::Keyword => ("keyword", 0),
        Role::Unit => ("type", 0),
        Role::Component => ("property", 2),
        Role::Declaration(k) => {
            let (kind, modifiers) = of(k);
            (kind, modifiers | 1)
        }
        Role::Use(_, Some(k)) => of(k),
        Role::Use(Space::Function, None) => ("function", 2),
        Role::Use(Space::Label, None) => return None,
        Role::Use(Space::Value, None) => ("variable", 0),
    })
}

/// The colours of all words, numbers, texts and comments.
pub(crate) fn semantic_tokens(document: &Document) -> Vec<SemanticToken> {
    let mut found: Vec<(Span, &str, u32)> = Vec::new();
    for word in &document.words.words {
        if let Some((kind, modifiers)) = word_type(document, word.role) {
            found.push((word.span, kind, modifiers));
        }
    }
    for lexeme in &document.words.lexemes {
        let kind = match lexeme.kind {
            LexemeKind::Number => "number",
            LexemeKind::Text => "string",
            LexemeKind::Comment => "comment",
            LexemeKind::Mark(
                "+" | "-" | "*" | "/" | "^" | "=" | "<" | ">" | "<=" | ">=" | "/\\" | "'",
            ) => "operator",
            _ => continue,
        };
        found.push((lexeme.span, kind, 0));
    }
    found.sort_by_key(|f| f.0.start);
    let (mut line, mut column) = (0, 0);
    let mut list = Vec::with_capacity(found.len());
    for (span, kind, modifiers) in found {
        let range = document.range(span);
        if range.start.line != range.end.line {
            continue;
        }
        let delta_line = range.start.line - line;
        let from = if delta_line == 0 { column } else { 0 };
        list.push(SemanticToken {
            delta_line,
            delta_start: range.start.character - from,
            length: range.end.character - range.start.character,
            token_type: number_of(kind),
            token_modifiers_bitset: modifiers,
        });
        (line, column) = (range.start.line, range.start.character);
    }
    list
}

/// Blocks, statements of several lines, and runs of comments.
pub(crate) fn folds(document: &Document) -> Vec<FoldingRange> {
    let mut list = Vec::new();
    let mut fold = |from: u32, to: u32, kind: Option<FoldingRangeKind>| {
        if from < to {
            list.push(FoldingRange {
                start_line: from,
                end_line: to,
                kind,
                ..FoldingRange::default()
            });
        }
    };
    let line = |byte: u32| document.index.line(byte);
    let mut open = Vec::new();
    let mut comment: Option<(u32, u32)> = None;
    let mut code_line = None;
    for lexeme in &document.words.lexemes {
        let here = line(lexeme.span.start);
        match lexeme.kind {
            LexemeKind::Mark("{") => open.push(here),
            LexemeKind::Mark("}") => {
                if let Some(start) = open.pop() {
                    fold(start, here.saturating_sub(1).max(start), None);
                }
            }
            LexemeKind::Comment if code_line != Some(here) => {
                comment = match comment {
                    Some((from, to)) if to + 1 == here => Some((from, here)),
                    Some((from, to)) => {
                        fold(from, to, Some(FoldingRangeKind::Comment));
                        Some((here, here))
                    }
                    None => Some((here, here)),
                };
                continue;
            }
            _ => {}
        }
        if lexeme.kind != LexemeKind::End {
            code_line = Some(here);
        }
    }
    if let Some((from, to)) = comment {
        fold(from, to, Some(FoldingRangeKind::Comment));
    }
    for piece in &document.words.pieces {
        fold(line(piece.span.start), line(piece.span.end), None);
    }
    list
}

/// The declared names and the statements with a name, as an outline.
pub(crate) fn symbols(document: &Document) -> Value {
    let global = document.words.symbols.iter().filter(|s| s.scope.is_none());
    let list: Vec<Value> = global
        .map(|s| {
            let kind = match (s.space, s.kind.as_str()) {
                (Space::Function, _) => SymbolKind::FUNCTION,
                (Space::Label, _) => SymbolKind::OBJECT,
                (_, "const") => SymbolKind::CONSTANT,
                (_, "coord") => SymbolKind::FIELD,
                _ => SymbolKind::VARIABLE,
            };
            json!({
                "name": s.name,
                "detail": s.kind,
                "kind": kind,
                "range": document.range(s.declaration),
                "selectionRange": document.range(s.span),
            })
        })
        .collect();
    json!(list)
}

/// Commands above the title, or above the first statement.
pub(crate) fn lenses(document: &Document, uri: &str) -> Value {
    let pieces = &document.words.pieces;
    let title = pieces.iter().find(|p| p.word == "system");
    let Some(piece) = title.or_else(|| pieces.first()) else {
        return json!([]);
    };
    let range = document.range(Span {
        start: piece.span.start,
        end: piece.span.start,
    });
    let lens = |(title, command): (&str, &str)| {
        json!({
            "range": range,
            "command": { "title": title, "command": format!("galilei.{command}"), "arguments": [uri] },
        })
    };
    let all = [
        ("derive", "derive"),
        ("simulate", "simulate"),
        ("check", "check"),
    ];
    json!(all.map(lens))
}
