//! Renaming: every occurrence of a name and nothing else.

use galilei_model::is_reserved_word;
use galilei_syntax::{LexemeKind, Span, parse};

use crate::document::Document;
use crate::words::{Space, Words};

/// The place of the name at a byte, if it can be renamed.
pub(crate) fn renamable(document: &Document, byte: u32) -> Option<Span> {
    let word = document.words.at(byte)?;
    document.words.symbol(word).map(|_| word.span)
}

/// Why a name cannot be used.
fn refused(document: &Document, space: Space, name: &str) -> Option<String> {
    let lexemes = galilei_syntax::lexemes(name);
    let single = matches!(lexemes.as_slice(), [only] if only.kind == LexemeKind::Name && only.span.text(name) == name);
    if !single || !parse(&format!("coord {name}")).errors.is_empty() {
        return Some(format!(
            "`{name}` is not a name: a letter or _, then letters, digits and _"
        ));
    }
    if is_reserved_word(name) && space != Space::Label {
        return Some(format!("`{name}` is reserved"));
    }
    if galilei_syntax::is_keyword(name) {
        return Some(format!("`{name}` has a meaning inside of statements"));
    }
    let known = galilei::reference::function_list().any(|f| f == name);
    if known && space == Space::Function {
        return Some(format!("`{name}` is a function of the language"));
    }
    let mut words = document.words.words.iter();
    if words.any(|w| document.slice(w.span) == name) {
        return Some(format!("`{name}` is used in this model already"));
    }
    None
}

/// The replacements that rename the name at a byte.
///
/// # Errors
/// Where there is no name, or the new one cannot be used.
pub(crate) fn rename(
    document: &Document,
    byte: u32,
    name: &str,
) -> Result<Vec<(Span, String)>, String> {
    let word = document.words.at(byte).ok_or("there is no name here")?;
    let symbol = document.words.symbol(word);
    let symbol = symbol.ok_or("this word is not declared in the model")?;
    let space = document.words.symbols[symbol].space;
    if document.slice(word.span) == name {
        return Ok(vec![]);
    }
    if let Some(why) = refused(document, space, name) {
        return Err(why);
    }
    let spans: Vec<Span> = document.words.occurrences(symbol).collect();
    // The words of the new text must be those of the old one, with the new name at these places.
    let mut text = document.text.clone();
    for span in spans.iter().rev() {
        text.replace_range(span.start as usize..span.end as usize, name);
    }
    let after = Words::new(&text);
    let renamed = after.words.iter().find(|w| w.span.text(&text) == name);
    let count = renamed
        .and_then(|w| after.symbol(w))
        .map_or(0, |k| after.occurrences(k).count());
    // A word of the old name that refers to nothing may be one that was meant.
    let old = document.slice(word.span);
    let left = |w: &&crate::words::Word| {
        let space = match w.role {
            crate::words::Role::Use(space, None) => space,
            _ => return false,
        };
        w.span.text(&text) == old && space == document.words.symbols[symbol].space
    };
    if after.words.iter().any(|w| left(&w)) {
        return Err(format!("there are words `{old}` that refer to nothing"));
    }
    if count != spans.len() || parse(&text).errors.len() != parse(&document.text).errors.len() {
        return Err(format!("renaming to `{name}` would change the model"));
    }
    Ok(spans
        .into_iter()
        .map(|span| (span, name.to_owned()))
        .collect())
}
