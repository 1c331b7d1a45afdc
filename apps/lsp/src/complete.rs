//! Completions: statements, names, functions, units, keywords.

use galilei::reference;
use galilei_syntax::{LexemeKind, statement_words};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat, Range,
    TextEdit,
};

use crate::document::Document;
use crate::explain::{form, markdown, reference_entry, topic_of};
use crate::words::{PLACED, Space};

/// Keywords of statements, beyond those that every statement may have.
const CLAUSES: [(&str, &[&str]); 13] = [
    ("coord", &["on", "sphere", "circle", "rotations"]),
    ("particle", &["mass", "in", "at"]),
    (
        "body",
        &["mass", "inertia", "in", "at", "angle", "rotation"],
    ),
    ("frame", &["in", "at", "angle", "rotation", "then"]),
    ("spring", &["stiffness", "length", "from", "to"]),
    ("damper", &["coefficient", "from", "to"]),
    ("force", &["torque", "on", "at", "form"]),
    (
        "shape",
        &["sphere", "cylinder", "disk", "box", "line", "ground", "on"],
    ),
    ("event", &["rising", "falling", "both", "terminal"]),
    ("simulate", &["from", "to", "every", "method", "tolerance"]),
    ("reaction", &["ideal", "connection"]),
    ("constraint", &["form"]),
    ("for", &["in"]),
];

/// Where a completion is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    Statement,
    Unit,
    Component,
    /// The name of a body or a frame.
    Placed,
    /// The name of a method.
    Method,
    /// The name that a declaration introduces: nothing to offer.
    NewName,
    Value,
    /// Inside of a comment or a text.
    Nothing,
}

/// The context at a byte, and the first byte of the word that is being written there.
fn context(document: &Document, byte: u32) -> (Context, u32) {
    let list = &document.words.lexemes;
    let inside = list.iter().any(|l| {
        matches!(l.kind, LexemeKind::Comment | LexemeKind::Text)
            && l.span.start < byte
            && (byte < l.span.end || l.kind == LexemeKind::Comment && byte == l.span.end)
    });
    if inside {
        return (Context::Nothing, byte);
    }
    let mut before = list.partition_point(|l| l.span.start < byte);
    let mut start = byte;
    if let Some(k) = before.checked_sub(1)
        && list[k].kind == LexemeKind::Name
        && byte <= list[k].span.end
    {
        start = list[k].span.start;
        before = k;
    }
    let previous = list[..before]
        .iter()
        .rev()
        .find(|l| l.kind != LexemeKind::Comment);
    let Some(previous) = previous else {
        return (Context::Statement, start);
    };
    let text = document.slice(previous.span);
    let found = match previous.kind {
        LexemeKind::End | LexemeKind::Mark(";" | "{" | "}") => Context::Statement,
        LexemeKind::Mark(".") => Context::Component,
        LexemeKind::Name if text == "method" => Context::Method,
        LexemeKind::Name if matches!(text, "on" | "in") => Context::Placed,
        LexemeKind::Name if matches!(text, "const" | "param" | "coord" | "function" | "let") => {
            Context::NewName
        }
        _ => {
            let mut open = 0_usize;
            let mut found = Context::Value;
            for k in (0..before).rev() {
                match list[k].kind {
                    LexemeKind::Mark(")" | "]") => open += 1,
                    LexemeKind::Mark("(" | "[") if open > 0 => open -= 1,
                    LexemeKind::Mark("[") if !list[k].touches => {
                        found = Context::Unit;
                        break;
                    }
                    LexemeKind::Mark("(") => {
                        let callee = k
                            .checked_sub(1)
                            .map_or("", |p| document.slice(list[p].span));
                        let first = k + 1 == before;
                        if first
                            && matches!(callee, "position" | "direction" | "velocity" | "omega")
                        {
                            found = Context::Placed;
                        }
                        break;
                    }
                    LexemeKind::End | LexemeKind::Mark(";" | "{" | "}") => break,
                    _ => {}
                }
            }
            found
        }
    };
    (found, start)
}

/// The form of a statement as a snippet: words in capitals and in quotation marks are to be replaced.
fn snippet(form: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut word = String::new();
    let mut flush = |word: &mut String, out: &mut String| {
        let capital = word.chars().all(|c| c.is_ascii_uppercase()) && !word.is_empty();
        if capital || word == "Title" {
            count += 1;
            out.push_str(&format!("${{{count}:{word}}}"));
        } else {
            out.push_str(word);
        }
        word.clear();
    };
    for c in form.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        flush(&mut word, &mut out);
        match c {
            '$' | '}' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    flush(&mut word, &mut out);
    out
}

struct Items {
    list: Vec<CompletionItem>,
    range: Range,
}

impl Items {
    fn push(&mut self, label: &str, kind: CompletionItemKind, detail: Option<String>) {
        self.insert(label, label.to_owned(), kind, detail, None, None);
    }

    fn insert(
        &mut self,
        label: &str,
        text: String,
        kind: CompletionItemKind,
        detail: Option<String>,
        about: Option<String>,
        format: Option<InsertTextFormat>,
    ) {
        if self
            .list
            .iter()
            .any(|i| i.label == label && i.kind == Some(kind))
        {
            return;
        }
        self.list.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            documentation: about.map(|a| Documentation::MarkupContent(markdown(a))),
            insert_text_format: format,
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(self.range, text))),
            ..CompletionItem::default()
        });
    }
}

/// The most symbols of a file that are offered.
const MAX_OFFERED: usize = 2000;

/// What can be written at a byte.
pub(crate) fn completions(document: &Document, byte: u32, snippets: bool) -> Vec<CompletionItem> {
    let (context, start) = context(document, byte);
    let range = document.range(galilei_syntax::Span { start, end: byte });
    let mut items = Items {
        list: vec![],
        range,
    };
    match context {
        Context::Nothing | Context::NewName => {}
        Context::Statement => {
            for word in statement_words() {
                let topic = topic_of(word);
                let Some(form) = form(topic) else {
                    items.push(topic, CompletionItemKind::KEYWORD, None);
                    continue;
                };
                let (text, format) = match snippets {
                    true => (snippet(&form), Some(InsertTextFormat::SNIPPET)),
                    false => (topic.to_owned(), None),
                };
                let about = reference_entry(topic);
                let kind = CompletionItemKind::KEYWORD;
                items.insert(topic, text, kind, Some(form), about, format);
            }
        }
        Context::Unit => {
            for unit in reference::unit_list() {
                let detail = reference::unit_dimension(unit);
                items.push(unit, CompletionItemKind::UNIT, detail);
            }
        }
        Context::Component => {
            for c in ["x", "y", "z"] {
                items.push(c, CompletionItemKind::FIELD, None);
            }
        }
        Context::Method => {
            for method in galilei::Method::ALL {
                let name = method.to_string();
                items.push(&name, CompletionItemKind::ENUM_MEMBER, None);
            }
        }
        Context::Placed => {
            let labels = document.words.visible(Space::Label, byte);
            for s in labels.filter(|s| PLACED.contains(&s.kind.as_str())) {
                let detail = Some(s.kind.clone());
                items.push(&s.name, CompletionItemKind::CLASS, detail);
            }
            values(document, byte, &mut items);
        }
        Context::Value => {
            values(document, byte, &mut items);
            functions(document, byte, snippets, &mut items);
            let word = document.words.piece(byte).map_or("", |p| p.word.as_str());
            let clauses = CLAUSES
                .iter()
                .find(|c| c.0 == word)
                .map_or(&[][..], |c| c.1);
            for clause in clauses {
                items.push(clause, CompletionItemKind::KEYWORD, None);
            }
        }
    }
    items.list
}

fn values(document: &Document, byte: u32, items: &mut Items) {
    for s in document.words.visible(Space::Value, byte).take(MAX_OFFERED) {
        let kind = match s.kind.as_str() {
            "const" => CompletionItemKind::CONSTANT,
            "coord" => CompletionItemKind::FIELD,
            _ => CompletionItemKind::VARIABLE,
        };
        let dimension = document.named(&s.name).and_then(|n| n.dimension.clone());
        let detail = match dimension {
            Some(d) => format!("{} [{d}]", s.kind),
            None => s.kind.clone(),
        };
        items.push(&s.name, kind, Some(detail));
    }
    items.push("t", CompletionItemKind::CONSTANT, Some("time".into()));
    items.push("pi", CompletionItemKind::CONSTANT, Some("π".into()));
}

fn functions(document: &Document, byte: u32, snippets: bool, items: &mut Items) {
    let call = |name: &str| match snippets {
        true => (format!("{name}($0)"), Some(InsertTextFormat::SNIPPET)),
        false => (name.to_owned(), None),
    };
    for s in document
        .words
        .visible(Space::Function, byte)
        .take(MAX_OFFERED)
    {
        let detail = format!("{}({})", s.name, s.arguments.join(", "));
        let (text, format) = call(&s.name);
        let kind = CompletionItemKind::FUNCTION;
        items.insert(&s.name, text, kind, Some(detail), None, format);
    }
    for name in reference::function_list() {
        let (text, format) = call(name);
        let about = reference_entry(name);
        let kind = CompletionItemKind::FUNCTION;
        items.insert(name, text, kind, form(name), about, format);
    }
}
