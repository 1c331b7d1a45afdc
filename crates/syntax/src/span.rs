//! Places in a text.

/// A range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From `start` up to but not including `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest span that contains both.
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text of the span.
    pub fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// The lines of a text, to turn spans into line and column.
#[derive(Clone, Debug)]
pub struct Lines<'s> {
    text: &'s str,
    starts: Vec<u32>,
}

impl<'s> Lines<'s> {
    /// The lines of a text.
    pub fn new(text: &'s str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(k, _)| k as u32 + 1))
            .collect();
        Self { text, starts }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn place(&self, at: u32) -> (usize, usize) {
        let line = self.starts.partition_point(|&s| s <= at).max(1);
        let start = self.starts[line - 1] as usize;
        let before = self.text.get(start..at as usize).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    /// The text of a line, from 1.
    pub fn line(&self, number: usize) -> &'s str {
        let start = self.starts[number - 1] as usize;
        let end = self
            .starts
            .get(number)
            .map_or(self.text.len(), |&s| s as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let text = "θ = 1\r\nφφ = 2\n";
        let lines = Lines::new(text);
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(text.find('φ').unwrap() as u32), (2, 1));
        assert_eq!(lines.place(text.find('2').unwrap() as u32), (2, 6));
        assert_eq!(lines.line(1), "θ = 1");
        assert_eq!(lines.line(2), "φφ = 2");
        assert_eq!(lines.place(text.len() as u32), (3, 1));
    }
}
