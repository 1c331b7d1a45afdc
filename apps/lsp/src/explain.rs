//! Explanations: hovers, signatures, units beside names.

use galilei::reference;
use galilei_syntax::LexemeKind;
use lsp_types::{
    Documentation, Hover, HoverContents, InlayHint, InlayHintKind, InlayHintLabel, MarkupContent,
    MarkupKind, ParameterInformation, ParameterLabel, Range, SignatureHelp, SignatureInformation,
};

use crate::document::Document;
use crate::words::{Role, Space, Symbol, Word};

/// The lines of a declaration that a hover shows.
const MAX_LINES_SHOWN: usize = 12;

/// Text in Markdown.
pub(crate) fn markdown(value: String) -> MarkupContent {
    MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    }
}

/// The name under which the reference has a statement.
pub(crate) fn topic_of(word: &str) -> &str {
    match word {
        "vector" => "vector potential",
        "action" => "action form",
        _ => word,
    }
}

/// The form of a statement or a call: the first code span of its entry.
pub(crate) fn form(topic: &str) -> Option<String> {
    let entry = reference::entry(topic)?;
    let body = entry.split_once('\n')?.1;
    let spans = body.split('`').skip(1).step_by(2);
    let mut spans = spans.map(str::trim).filter(|s| !s.is_empty());
    let starts = |s: &&str| s.starts_with(topic) || s.starts_with(&format!("{topic}("));
    spans.find(starts).map(str::to_owned)
}

/// An entry of the reference with the theorems it names.
pub(crate) fn reference_entry(topic: &str) -> Option<String> {
    let entry = reference::entry(topic)?;
    let (title, body) = entry.split_once('\n').unwrap_or((&entry, ""));
    let mut text = format!("**{title}**\n\n{}", body.trim());
    let mut seen = Vec::new();
    for piece in body.split("T-").skip(1) {
        let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
        let number = format!("T-{digits}");
        if let Some(theorem) = galilei_report::theorem(&number)
            && !seen.contains(&number)
        {
            text.push_str(&format!("\n\n*{number}*: {}", theorem.says));
            seen.push(number);
        }
    }
    Some(text)
}

/// The kind of a symbol in words.
fn kind_of(symbol: &Symbol) -> String {
    match (symbol.space, symbol.kind.as_str()) {
        (Space::Function, "function") => "undetermined function".into(),
        (Space::Function, _) => "function".into(),
        (_, "param") => "parameter".into(),
        (_, "const") => "constant".into(),
        (_, "coord") => "coordinate".into(),
        (_, "let") => "abbreviation".into(),
        (_, other) => other.to_owned(),
    }
}

/// The declaration of a symbol with its unit and value.
fn symbol_text(document: &Document, symbol: &Symbol) -> String {
    let declaration = document.slice(symbol.declaration);
    let lines: Vec<&str> = declaration.lines().take(MAX_LINES_SHOWN).collect();
    let code = match (symbol.space, symbol.kind.as_str()) {
        (Space::Label, _) | (_, "index") => lines.join("\n"),
        (_, "argument") => symbol.name.clone(),
        (_, kind) => format!("{kind} {}", lines.join("\n")),
    };
    let mut text = format!("```gal\n{code}\n```\n\n{}", kind_of(symbol));
    let named = (symbol.space == Space::Value && symbol.scope.is_none())
        .then(|| document.named(&symbol.name))
        .flatten();
    if let Some(named) = named {
        match named.dimension.as_deref() {
            Some("1") => text.push_str(", dimensionless"),
            Some(dimension) => text.push_str(&format!(", in {dimension}")),
            None => {}
        }
        if let Some((low, high)) = named.range {
            text.push_str(&format!(", index {low}..{high}"));
        }
        if symbol.kind == "coord" {
            text.push_str(&format!("; its velocity is {}'", symbol.name));
        }
        if let Some(value) = &named.value {
            let unit = match named.dimension.as_deref() {
                Some(d) if d != "1" && !d.contains(',') => format!(" [{d}]"),
                _ => String::new(),
            };
            text.push_str(&format!("\n\n```gal\n= {value}{unit}\n```"));
        }
    }
    text
}

/// The explanation of a word.
fn word_text(document: &Document, word: &Word) -> Option<String> {
    let name = document.slice(word.span);
    if let Some(symbol) = document.words.symbol(word) {
        return Some(symbol_text(document, &document.words.symbols[symbol]));
    }
    match word.role {
        Role::Statement => {
            let piece = document.words.piece(word.span.start)?;
            reference_entry(topic_of(&piece.word))
        }
        Role::Keyword => {
            let piece = document.words.piece(word.span.start)?;
            let own = |topic: &str| topic == name;
            // A misspelt statement has no entry; a method has one among those of `simulate`.
            reference_entry(topic_of(&piece.word)).or_else(|| {
                let known = reference::topics().into_iter().any(own);
                known.then(|| reference_entry(name)).flatten()
            })
        }
        Role::Unit => reference_entry(name),
        Role::Component => Some("component of a tuple".into()),
        Role::Use(Space::Value, None) => match name {
            "t" => Some("time".into()),
            "pi" | "π" => Some("the number π".into()),
            _ => None,
        },
        Role::Use(_, _) => reference_entry(name),
        Role::Declaration(_) => None,
    }
}

/// The hover at a byte.
pub(crate) fn hover(document: &Document, byte: u32) -> Option<Hover> {
    let word = document.words.at(byte)?;
    let text = word_text(document, word)?;
    Some(Hover {
        contents: HoverContents::Markup(markdown(text)),
        range: Some(document.range(word.span)),
    })
}

/// The call around a byte: the place of its function's name in the lexemes, and the number of commas before the byte.
fn call_at(document: &Document, byte: u32) -> Option<(usize, usize)> {
    let list = &document.words.lexemes;
    let end = list.partition_point(|l| l.span.end <= byte);
    let (mut open, mut commas) = (0_usize, 0);
    for k in (0..end).rev() {
        match list[k].kind {
            LexemeKind::Mark(")" | "]") => open += 1,
            LexemeKind::Mark("(" | "[") if open > 0 => open -= 1,
            LexemeKind::Mark("(") => {
                let name = k.checked_sub(1)?;
                let called = list[name].kind == LexemeKind::Name && list[k].touches;
                if called {
                    return Some((name, commas));
                }
                commas = 0;
            }
            LexemeKind::Mark("[") => return None,
            LexemeKind::Mark(",") if open == 0 => commas += 1,
            LexemeKind::End | LexemeKind::Mark(";" | "{" | "}") => return None,
            _ => {}
        }
    }
    None
}

/// The parts of `f(a, b)`: what is between the parentheses, split at commas outside of brackets.
fn arguments_of(form: &str) -> Vec<String> {
    let Some((_, rest)) = form.split_once('(') else {
        return vec![];
    };
    let mut list = vec![String::new()];
    let mut depth = 0;
    for c in rest.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = list.last_mut() {
            last.push(c);
        }
    }
    list.into_iter().map(|a| a.trim().to_owned()).collect()
}

/// The signature of the function whose arguments are being written, or the form of the statement.
pub(crate) fn signature(document: &Document, byte: u32) -> Option<SignatureHelp> {
    let (label, active, about) = match call_at(document, byte) {
        Some((name, commas)) => {
            let span = document.words.lexemes[name].span;
            let text = document.slice(span);
            let own = document
                .words
                .visible(Space::Function, byte)
                .find(|s| s.name == text);
            match own {
                Some(symbol) => {
                    let label = format!("{text}({})", symbol.arguments.join(", "));
                    (label, Some(commas), symbol_text(document, symbol))
                }
                None => (form(text)?, Some(commas), reference_entry(text)?),
            }
        }
        None => {
            let piece = document.words.piece(byte)?;
            let topic = topic_of(&piece.word);
            (form(topic)?, None, reference_entry(topic)?)
        }
    };
    let parameters = active.map(|_| {
        let list = arguments_of(&label).into_iter();
        list.map(|a| ParameterInformation {
            label: ParameterLabel::Simple(a),
            documentation: None,
        })
        .collect()
    });
    let active = active.map(|k| k as u32);
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label,
            documentation: Some(Documentation::MarkupContent(markdown(about))),
            parameters,
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    })
}

/// Units beside names that have none in the text but whose unit is known, and SI values of parameters with other units.
pub(crate) fn inlays(document: &Document, range: Range) -> Vec<InlayHint> {
    let (from, to) = (document.byte(range.start), document.byte(range.end));
    let symbols = document.words.symbols.iter().filter(|s| {
        s.space == Space::Value
            && s.scope.is_none()
            && from <= s.span.start
            && s.span.end <= to
            && s.kind != "const"
    });
    let hints = symbols.filter_map(|symbol| {
        let named = document.named(&symbol.name)?;
        let dimension = named.dimension.as_deref().filter(|d| *d != "1")?;
        if named.unit.is_some() {
            return None;
        }
        Some(InlayHint {
            position: document.range(symbol.span).end,
            label: InlayHintLabel::String(format!("[{dimension}]")),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
    });
    hints.collect()
}
