//! Reads columns of numbers from Parquet files.

use std::ops::Range;

use crate::compression::{gunzip, unsnap};
use crate::data::{Column, MAX_DATA_BYTES, named};

/// The largest number of rows of a file.
const MAX_ROWS: usize = 1 << 25;
/// How deep values may be nested in the description of a file.
const MAX_DEPTH: usize = 16;

/// A value of Thrift's compact protocol.
enum Thrift {
    Number(i64),
    Bytes(Range<usize>),
    List(Vec<Self>),
    Struct(Vec<(i64, Self)>),
    Other,
}

impl Thrift {
    fn field(&self, id: i64) -> Option<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().find(|f| f.0 == id).map(|f| &f.1),
            _ => None,
        }
    }

    fn number(&self, id: i64) -> Option<i64> {
        match self.field(id)? {
            Self::Number(n) => Some(*n),
            _ => None,
        }
    }

    fn size(&self, id: i64) -> Option<usize> {
        usize::try_from(self.number(id)?).ok()
    }

    fn list(&self, id: i64) -> Option<&[Self]> {
        match self.field(id)? {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    fn text(&self, id: i64, bytes: &[u8]) -> Option<String> {
        match self.field(id)? {
            Self::Bytes(range) => String::from_utf8(bytes.get(range.clone())?.to_vec()).ok(),
            _ => None,
        }
    }
}

/// A place in a file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let b = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(b)
    }

    fn part(&mut self, count: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(part)
    }

    /// A number in groups of seven bits.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for k in 0..10 {
            let b = self.byte()?;
            value |= u64::from(b & 127) << (7 * k);
            if b < 128 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let n = self.varint()?;
        Some((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// A value in a list or a map, where a truth value has a byte of its own.
    fn member(&mut self, kind: u8, depth: usize) -> Option<Thrift> {
        match kind {
            1 | 2 => Some(Thrift::Number(i64::from(self.byte()? == 1))),
            kind => self.value(kind, depth + 1),
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Thrift> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match kind {
            1 => Thrift::Number(1),
            2 => Thrift::Number(0),
            3 => Thrift::Number(i64::from(self.byte()? as i8)),
            4..=6 => Thrift::Number(self.zigzag()?),
            7 => {
                self.part(8)?;
                Thrift::Other
            }
            8 => {
                let count = usize::try_from(self.varint()?).ok()?;
                self.part(count)?;
                Thrift::Bytes(self.at - count..self.at)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => usize::try_from(self.varint()?).ok()?,
                    n => usize::from(n),
                };
                let mut list = Vec::new();
                for _ in 0..count {
                    list.push(self.member(head & 15, depth)?);
                }
                Thrift::List(list)
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    self.member(kinds >> 4, depth)?;
                    self.member(kinds & 15, depth)?;
                }
                Thrift::Other
            }
            12 => {
                let (mut fields, mut id) = (Vec::new(), 0);
                loop {
                    let head = self.byte()?;
                    if head == 0 {
                        break Thrift::Struct(fields);
                    }
                    id = match head >> 4 {
                        0 => self.zigzag()?,
                        step => id + i64::from(step),
                    };
                    fields.push((id, self.value(head & 15, depth + 1)?));
                }
            }
            _ => return None,
        })
    }
}

/// What a file says of a column of its own level.
struct Kind {
    name: String,
    physical: i64,
    optional: bool,
    /// Whether the numbers are what they seem: no dates and no decimal fractions.
    plain: bool,
    unsigned: bool,
}

/// The columns of a file, by name. Columns of other things than numbers have errors as entries; groups are left out.
pub(crate) fn columns(bytes: &[u8]) -> Result<Vec<Column>, String> {
    let damaged = || "it is no Parquet file, or a damaged one".to_owned();
    let framed = bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1") && bytes.len() >= 12;
    let end = bytes.len().saturating_sub(8);
    let Some(size) = bytes.get(end..end + 4).filter(|_| framed) else {
        return Err(damaged());
    };
    let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
    let mut reader = Reader {
        at: end.checked_sub(size).ok_or_else(damaged)?,
        bytes,
    };
    let file = reader.value(12, 0).ok_or_else(damaged)?;
    let kinds = kinds(&file, bytes).ok_or_else(damaged)?;
    let rows = file.size(3).filter(|n| *n <= MAX_ROWS);
    let rows = rows.ok_or("it has too many rows, or is damaged")?;
    let mut list = Vec::new();
    for (kind, place) in kinds {
        let mut values: Vec<Result<f64, String>> = Vec::new();
        let is_number = matches!(kind.physical, 1 | 2 | 4 | 5) && kind.plain;
        if is_number {
            for group in file.list(4).unwrap_or_default() {
                let chunk = group.list(1).and_then(|c| c.get(place));
                let about = chunk.and_then(|c| c.field(3)).ok_or_else(damaged)?;
                read_chunk(bytes, about, &kind, &mut values)?;
            }
            if values.len() != rows {
                return Err(damaged());
            }
        } else {
            values = vec![Err("something else".into()); rows];
        }
        let (name, unit) = named(&kind.name);
        list.push(Column { name, unit, values });
    }
    Ok(list)
}

/// The columns that are no groups, with their places among the columns of a row group.
fn kinds(file: &Thrift, bytes: &[u8]) -> Option<Vec<(Kind, usize)>> {
    let schema = file.list(2)?;
    let mut list = Vec::new();
    let (mut at, mut place) = (1, 0);
    let children = schema.first()?.size(5)?;
    for _ in 0..children {
        let element = schema.get(at)?;
        at += 1;
        let mut inner = element.size(5).unwrap_or(0);
        if inner > 0 {
            while inner > 0 {
                let own = schema.get(at)?.size(5).unwrap_or(0);
                at += 1;
                place += usize::from(own == 0);
                inner = inner - 1 + own;
            }
            continue;
        }
        let converted = element.number(6);
        // Integers of some width are numbers; times, dates and decimal fractions are not.
        let integer = matches!(converted, None | Some(11..=18));
        let logical = element.field(10).is_none_or(|l| l.field(10).is_some());
        if element.number(3) != Some(2) {
            list.push((
                Kind {
                    name: element.text(4, bytes)?,
                    physical: element.number(1)?,
                    optional: element.number(3) == Some(1),
                    plain: integer && logical,
                    unsigned: matches!(converted, Some(11..=14)),
                },
                place,
            ));
        }
        place += 1;
    }
    Some(list)
}

/// Appends the values of a column in a row group.
fn read_chunk(
    bytes: &[u8],
    about: &Thrift,
    kind: &Kind,
    values: &mut Vec<Result<f64, String>>,
) -> Result<(), String> {
    let damaged = || format!("its column `{}` is damaged", kind.name);
    let codec = about.number(4).ok_or_else(damaged)?;
    if !matches!(codec, 0..=2) {
        let name = match codec {
            4 => "Brotli",
            6 => "Zstandard",
            _ => "LZ4 or LZO",
        };
        return Err(format!(
            "it is compressed with {name}; write it with snappy, gzip or without compression"
        ));
    }
    let count = about.size(5).ok_or_else(damaged)?;
    let first = about.size(9).ok_or_else(damaged)?;
    let start = about.size(11).filter(|d| *d > 0 && *d < first);
    let mut reader = Reader {
        bytes,
        at: start.unwrap_or(first),
    };
    let (mut dictionary, mut done) = (Vec::new(), 0);
    while done < count {
        let head = reader.value(12, 0).ok_or_else(damaged)?;
        let (size, whole) = (head.size(3), head.size(2));
        let (Some(size), Some(whole)) = (size, whole.filter(|n| *n as u64 <= MAX_DATA_BYTES))
        else {
            return Err(damaged());
        };
        let body = reader.part(size).ok_or_else(damaged)?;
        match head.number(1) {
            Some(2) => {
                let body = decompressed(body, codec, whole).ok_or_else(damaged)?;
                dictionary = plain(&body, kind, body.len()).ok_or_else(damaged)?;
            }
            Some(0 | 3) => {
                let page = page(&head, body, codec, whole, kind, &dictionary);
                let page = page.ok_or_else(|| {
                    let encoding = head.field(5).and_then(|h| h.number(2));
                    let encoding = encoding.or_else(|| head.field(8).and_then(|h| h.number(4)));
                    match encoding {
                        Some(0 | 2 | 8) | None => damaged(),
                        Some(n) => format!(
                            "its column `{}` has the encoding {n}; write it with plain or dictionary encoding",
                            kind.name
                        ),
                    }
                })?;
                if page.is_empty() {
                    return Err(damaged());
                }
                done += page.len();
                values.extend(page);
                if values.len() > MAX_ROWS {
                    return Err(damaged());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn decompressed(body: &[u8], codec: i64, whole: usize) -> Option<Vec<u8>> {
    let out = match codec {
        0 => body.to_vec(),
        1 => unsnap(body, whole)?,
        _ => gunzip(body, whole)?,
    };
    (out.len() == whole).then_some(out)
}

/// The values of a page of data.
fn page(
    head: &Thrift,
    body: &[u8],
    codec: i64,
    whole: usize,
    kind: &Kind,
    dictionary: &[f64],
) -> Option<Vec<Result<f64, String>>> {
    let second = head.field(8);
    let about = second.or_else(|| head.field(5))?;
    let count = about.size(1).filter(|n| *n <= MAX_ROWS)?;
    let encoding = about.number(if second.is_some() { 4 } else { 2 })?;
    let (levels, data): (Option<Vec<u8>>, Vec<u8>) = match second {
        // The levels stand before the data and are never compressed.
        Some(about) => {
            let (definition, repetition) = (about.size(5)?, about.size(6)?);
            let start = definition.checked_add(repetition)?;
            let rest = body.get(start..)?;
            let plain = about.number(7) == Some(0);
            let data = decompressed(
                rest,
                if plain { 0 } else { codec },
                whole.checked_sub(start)?,
            )?;
            (Some(body.get(repetition..start)?.to_vec()), data)
        }
        None => {
            let all = decompressed(body, codec, whole)?;
            match kind.optional {
                true => {
                    let size = all.get(..4)?;
                    let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
                    let end = size.checked_add(4)?;
                    (Some(all.get(4..end)?.to_vec()), all[end..].to_vec())
                }
                false => (None, all),
            }
        }
    };
    let present: Vec<u32> = match levels.filter(|_| kind.optional) {
        Some(levels) => hybrid(&levels, 1, count)?,
        None => vec![1; count],
    };
    let needed = present.iter().filter(|p| **p == 1).count();
    let numbers = match encoding {
        0 => plain(&data, kind, needed)?,
        2 | 8 => {
            let (&width, rest) = data.split_first()?;
            if width > 32 {
                return None;
            }
            let places = hybrid(rest, u32::from(width), needed)?;
            let value = |k: u32| dictionary.get(k as usize).copied();
            places
                .into_iter()
                .map(value)
                .collect::<Option<Vec<f64>>>()?
        }
        _ => return None,
    };
    if numbers.len() < needed {
        return None;
    }
    let mut numbers = numbers.into_iter();
    let entry = |p: u32| match p {
        1 => match numbers.next() {
            Some(x) if x.is_finite() => Ok(x),
            _ => Err("nan".to_owned()),
        },
        _ => Err(String::new()),
    };
    Some(present.into_iter().map(entry).collect())
}

/// At most `count` numbers, one after the other.
fn plain(data: &[u8], kind: &Kind, count: usize) -> Option<Vec<f64>> {
    let width = if matches!(kind.physical, 1 | 4) { 4 } else { 8 };
    let number = |c: &[u8]| {
        let n = c.iter().rev().fold(0_u64, |n, b| n << 8 | u64::from(*b));
        match (kind.physical, kind.unsigned) {
            (1, false) => f64::from(n as u32 as i32),
            (2, false) => n as i64 as f64,
            (1 | 2, true) => n as f64,
            (4, _) => f64::from(f32::from_bits(n as u32)),
            _ => f64::from_bits(n),
        }
    };
    Some(data.chunks_exact(width).take(count).map(number).collect())
}

/// Numbers of some width, as runs of equal ones and groups of eight with all their bits.
fn hybrid(data: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
    let mut reader = Reader { bytes: data, at: 0 };
    let mut out: Vec<u32> = Vec::new();
    while out.len() < count {
        let head = reader.varint()?;
        let left = count - out.len();
        if head & 1 == 0 {
            let part = reader.part((width as usize).div_ceil(8))?;
            let value = part.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b));
            let times = usize::try_from(head >> 1).ok()?;
            if times == 0 {
                return None;
            }
            out.extend(std::iter::repeat_n(value, times.min(left)));
        } else {
            let groups = usize::try_from(head >> 1).ok()?;
            let size = groups.checked_mul(width as usize)?;
            // The last groups may be cut off behind what is needed.
            let size = size.min(data.len().saturating_sub(reader.at));
            let part = reader.part(size)?;
            let bit = |k: usize| u32::from(part.get(k / 8).map_or(0, |b| b >> (k % 8) & 1));
            let here = groups.checked_mul(8)?.min(left);
            if here == 0 || (here * width as usize).div_ceil(8) > size {
                return None;
            }
            let value = |j: usize| {
                let first = j * width as usize;
                (0..width).fold(0, |n, k| n | bit(first + k as usize) << k)
            };
            out.extend((0..here).map(value));
        }
    }
    Some(out)
}
