//! Places as editors count them: lines from 0, columns in UTF-16 units.

use galilei_syntax::Span;
use lsp_types::{Position, Range};

/// The lines of a text, to turn bytes into positions and back.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// The lines of a text.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(k, _)| k as u32 + 1));
        Self {
            starts: starts.collect(),
        }
    }

    /// The line of a byte, from 0.
    pub fn line(&self, byte: u32) -> u32 {
        self.starts.partition_point(|&s| s <= byte).max(1) as u32 - 1
    }

    /// The position of a byte; the end of the text for bytes beyond it.
    pub fn position(&self, text: &str, byte: u32) -> Position {
        let byte = byte.min(text.len() as u32);
        let line = self.line(byte);
        let start = self.starts[line as usize] as usize;
        let before = text.get(start..byte as usize).unwrap_or("");
        Position::new(line, before.encode_utf16().count() as u32)
    }

    /// The byte of a position; the end of the line for columns beyond it, the end of the text for lines beyond it.
    pub fn byte(&self, text: &str, position: Position) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return text.len() as u32;
        };
        let end = self
            .starts
            .get(position.line as usize + 1)
            .map_or(text.len(), |&s| s as usize - 1);
        let line = text.get(start as usize..end).unwrap_or("");
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut column = 0;
        for (at, c) in line.char_indices() {
            if column >= position.character {
                return start + at as u32;
            }
            column += c.len_utf16() as u32;
        }
        start + line.len() as u32
    }

    /// The range of a span.
    pub fn range(&self, text: &str, span: Span) -> Range {
        Range::new(
            self.position(text, span.start),
            self.position(text, span.end),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = "let θ = 1\r\n# 🚲 x\nlet y = 2";
        let index = LineIndex::new(text);
        let bicycle = text.find('🚲').unwrap() as u32;
        assert_eq!(index.position(text, bicycle), Position::new(1, 2));
        assert_eq!(index.position(text, bicycle + 4), Position::new(1, 4));
        assert_eq!(index.byte(text, Position::new(1, 4)), bicycle + 4);
        // Inside of a surrogate pair: the next character.
        assert_eq!(index.byte(text, Position::new(1, 3)), bicycle + 4);
        assert_eq!(index.byte(text, Position::new(0, 99)), 10);
        assert_eq!(index.byte(text, Position::new(9, 0)), text.len() as u32);
        for (byte, _) in text
            .char_indices()
            .filter(|(_, c)| *c != '\r' && *c != '\n')
        {
            let there = index.position(text, byte as u32);
            assert_eq!(index.byte(text, there), byte as u32);
        }
    }
}
