//! A document that is open in an editor.

use galilei_syntax::{MAX_FILE_BYTES, Span};
use lsp_types::{Position, Range};

use crate::analysis::{Analysis, Named};
use crate::position::LineIndex;
use crate::words::Words;

/// A text with its words and, as soon as it is known, its analysis.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text.
    pub text: String,
    /// The version that the editor gave it.
    pub version: i32,
    /// The lines.
    pub index: LineIndex,
    /// The words and what they refer to.
    pub words: Words,
    /// The latest analysis: of this text or of an earlier one.
    pub analysis: Analysis,
}

impl Document {
    /// A document.
    pub fn new(text: String, version: i32) -> Self {
        let index = LineIndex::new(&text);
        // A larger file is refused by the language, too.
        let words = match text.len() <= MAX_FILE_BYTES {
            true => Words::new(&text),
            false => Words::default(),
        };
        Self {
            text,
            version,
            index,
            words,
            analysis: Analysis::default(),
        }
    }

    /// The document with another text. The analysis stays until there is a new one.
    pub fn changed(self, text: String, version: i32) -> Self {
        Self {
            analysis: self.analysis,
            ..Self::new(text, version)
        }
    }

    /// The byte of a position.
    pub fn byte(&self, position: Position) -> u32 {
        self.index.byte(&self.text, position)
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        self.index.range(&self.text, span)
    }

    /// The range of the whole text.
    pub fn whole(&self) -> Range {
        self.range(Span::new(0, self.text.len()))
    }

    /// What the analysis knows of a name.
    pub fn named(&self, name: &str) -> Option<&Named> {
        self.analysis.names.iter().find(|n| n.name == name)
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        span.text(&self.text)
    }
}
