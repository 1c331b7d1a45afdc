//! Parquet files: one row group, with one page of uncompressed numbers for each column, and the notes as metadata.
//!
//! A file is the mark `PAR1`, the pages, a footer, its length and the mark again. Page headers and the footer are structures in
//! Thrift's compact protocol; the numbers of their fields and the values of their enumerations are those of
//! `parquet.thrift` in the format's specification.

use super::Table;

/// The codes of field types in Thrift's compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure in Thrift's compact protocol, built field by field in the order of their numbers.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    /// The number of the last field.
    last: u8,
}

/// Appends a number without sign: seven bits in each byte, the lowest first, with the high bit set in all bytes but the last.
fn varint(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

impl Thrift {
    /// The head of a field: the distance from the number of the last one, below 16, and the type.
    fn field(&mut self, id: u8, kind: u8) {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    /// A number with its sign in the lowest bit, so that small negative numbers are short.
    fn signed(&mut self, n: i64) {
        varint(&mut self.bytes, (n << 1 ^ n >> 63) as u64);
    }

    fn i32(mut self, id: u8, n: i32) -> Self {
        self.field(id, I32);
        self.signed(i64::from(n));
        self
    }

    fn i64(mut self, id: u8, n: i64) -> Self {
        self.field(id, I64);
        self.signed(n);
        self
    }

    fn text(mut self, id: u8, text: &str) -> Self {
        self.field(id, BINARY);
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.as_bytes());
        self
    }

    /// A structure as a field.
    fn part(mut self, id: u8, part: Self) -> Self {
        self.field(id, STRUCT);
        self.bytes.extend(part.done());
        self
    }

    /// A list of encoded items of one type.
    fn list(mut self, id: u8, kind: u8, items: &[Vec<u8>]) -> Self {
        self.field(id, LIST);
        if items.len() < 15 {
            self.bytes.push((items.len() as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, items.len() as u64);
        }
        self.bytes.extend(items.concat());
        self
    }

    /// The bytes of the structure, with the mark of its end.
    fn done(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// Physical types.
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
/// The converted type of texts.
const UTF8: i32 = 0;
/// The repetition of columns without missing values.
const REQUIRED: i32 = 0;
/// Encodings: of values, and of the levels that columns without missing values do not have.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
/// The codec, and the type of a page.
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

/// A number as an item of a list.
fn item(n: i32) -> Vec<u8> {
    let mut thrift = Thrift::default();
    thrift.signed(i64::from(n));
    thrift.bytes
}

/// The header of a page of numbers.
fn page_header(count: usize, size: usize) -> Vec<u8> {
    let data = Thrift::default()
        .i32(1, count as i32)
        .i32(2, PLAIN)
        .i32(3, RLE)
        .i32(4, RLE);
    Thrift::default()
        .i32(1, DATA_PAGE)
        .i32(2, size as i32)
        .i32(3, size as i32)
        .part(5, data)
        .done()
}

/// A Parquet file: columns of doubles, and the notes. `None` if a column is longer than a page may be.
pub(super) fn write(table: &Table) -> Option<Vec<u8>> {
    write_labelled(table, None)
}

/// A Parquet file with a column of texts, its name and one text for each row, before those of doubles.
pub(super) fn write_labelled(table: &Table, labels: Option<(&str, &[String])>) -> Option<Vec<u8>> {
    let rows = table.rows.len();
    if rows > i32::MAX as usize / 8 {
        return None;
    }
    // The name, the physical type and the values of each column.
    let mut columns: Vec<(&str, i32, Vec<u8>)> = Vec::new();
    if let Some((name, texts)) = labels {
        let mut data = Vec::new();
        for text in texts {
            data.extend((text.len() as u32).to_le_bytes());
            data.extend(text.as_bytes());
        }
        if data.len() > i32::MAX as usize {
            return None;
        }
        columns.push((name, BYTE_ARRAY, data));
    }
    for (k, name) in table.columns.iter().enumerate() {
        let data = table.rows.iter().flat_map(|r| r[k].to_le_bytes()).collect();
        columns.push((name, DOUBLE, data));
    }
    let mut out = b"PAR1".to_vec();
    let mut chunks = Vec::new();
    let mut total = 0;
    for (name, kind, data) in &columns {
        let start = out.len();
        out.extend(page_header(rows, data.len()));
        out.extend(data);
        let size = (out.len() - start) as i64;
        total += size;
        let mut path = Vec::new();
        varint(&mut path, name.len() as u64);
        path.extend(name.as_bytes());
        let column = Thrift::default()
            .i32(1, *kind)
            .list(2, I32, &[item(PLAIN), item(RLE)])
            .list(3, BINARY, &[path])
            .i32(4, UNCOMPRESSED)
            .i64(5, rows as i64)
            .i64(6, size)
            .i64(7, size)
            .i64(9, start as i64);
        let chunk = Thrift::default().i64(2, start as i64).part(3, column);
        chunks.push(chunk.done());
    }
    let root = Thrift::default()
        .text(4, "table")
        .i32(5, columns.len() as i32);
    let mut schema = vec![root.done()];
    schema.extend(columns.iter().map(|(name, kind, _)| {
        let leaf = Thrift::default().i32(1, *kind).i32(3, REQUIRED);
        let leaf = leaf.text(4, name);
        match *kind {
            BYTE_ARRAY => leaf.i32(6, UTF8).done(),
            _ => leaf.done(),
        }
    }));
    let group = Thrift::default()
        .list(1, STRUCT, &chunks)
        .i64(2, total)
        .i64(3, rows as i64);
    let notes: Vec<Vec<u8>> = table
        .notes
        .iter()
        .map(|(name, text)| Thrift::default().text(1, name).text(2, text).done())
        .collect();
    let footer = Thrift::default()
        .i32(1, 1)
        .list(2, STRUCT, &schema)
        .i64(3, rows as i64)
        .list(4, STRUCT, &[group.done()])
        .list(5, STRUCT, &notes)
        .text(6, "galilei")
        .done();
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(b"PAR1");
    Some(out)
}
