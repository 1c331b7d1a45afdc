//! The layout of JSON documents: lists of plain values on one line, everything else indented by two spaces.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Formats JSON for people and scripts. Numbers are written as Rust prints them: the shortest text that reads back
/// to the same double.
#[derive(Default)]
pub(super) struct Pretty {
    /// One entry for each open object or list: whether its entries are on lines of their own.
    open: Vec<bool>,
    /// Whether the next value is the first of a list, whose kind decides how the list is laid out.
    first: bool,
}

impl Pretty {
    fn line<W: Write + ?Sized>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (self.open.iter()).try_for_each(|_| writer.write_all(b"  "))
    }

    /// Starts an object or a list. A list that begins with one has a line for each entry.
    fn begin<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if std::mem::take(&mut self.first) {
            if let Some(lines) = self.open.last_mut() {
                *lines = true;
            }
            self.line(writer)?;
        }
        self.open.push(false);
        writer.write_all(bracket)
    }

    fn end<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.open.pop() == Some(true) {
            self.line(writer)?;
        }
        writer.write_all(bracket)
    }
}

impl Formatter for Pretty {
    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        write!(writer, "{value:?}")
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.first = first;
        match self.open.last() {
            _ if first => Ok(()),
            Some(true) => {
                writer.write_all(b",")?;
                self.line(writer)
            }
            _ => writer.write_all(b", "),
        }
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.first = false;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if let Some(lines) = self.open.last_mut() {
            *lines = true;
        }
        self.line(writer)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
