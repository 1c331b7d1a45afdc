//! Archives of NumPy arrays.

use super::{Events, OF_EVENTS, Table};

/// One array of NumPy: `descr` is `<f8` or a text type.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length take ten bytes; the whole is a multiple of 64.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    while header.len() + 1 < length {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

fn text_array(text: &str) -> Vec<u8> {
    let letters: Vec<u8> = text
        .chars()
        .flat_map(|c| (c as u32).to_le_bytes())
        .collect();
    let count = text.chars().count().max(1);
    let mut data = letters;
    data.resize(4 * count, 0);
    npy(&format!("<U{count}"), "()", &data)
}

/// A list of texts.
fn text_list(list: &[String]) -> Vec<u8> {
    let longest = list.iter().map(|text| text.chars().count()).max();
    let width = longest.unwrap_or(0).max(1);
    let mut data = Vec::with_capacity(4 * width * list.len());
    for (k, text) in list.iter().enumerate() {
        data.extend(text.chars().flat_map(|c| (c as u32).to_le_bytes()));
        data.resize(4 * width * (k + 1), 0);
    }
    npy(&format!("<U{width}"), &format!("({},)", list.len()), &data)
}

fn crc32(data: &[u8]) -> u32 {
    let mut table = [0u32; 256];
    for (k, entry) in table.iter_mut().enumerate() {
        let mut c = k as u32;
        for _ in 0..8 {
            c = if c & 1 == 1 {
                0xedb8_8320 ^ (c >> 1)
            } else {
                c >> 1
            };
        }
        *entry = c;
    }
    !data.iter().fold(!0u32, |c, b| {
        table[((c ^ u32::from(*b)) & 255) as usize] ^ (c >> 8)
    })
}

/// A zip archive without compression.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, data) in files {
        let offset = out.len() as u32;
        let crc = crc32(data);
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        // Names are UTF-8.
        common.extend(0x0800u16.to_le_bytes());
        common.extend([0; 2]);
        // The date 1 January 1980, so that equal runs give equal bytes.
        common.extend([0, 0, 0x21, 0]);
        common.extend(crc.to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size) = (out.len() as u32, directory.len() as u32);
    out.extend(&directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend((files.len() as u16).to_le_bytes());
    out.extend((files.len() as u16).to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// An archive of NumPy arrays: one per column, and the notes as texts. Columns are named as in the
/// model, with `_dot` for a prime. `None` above 4 GiB.
pub(super) fn write(table: &Table) -> Option<Vec<u8>> {
    write_with_events(table, None)
}

/// The columns of a table as arrays, their names after a prefix; `None` above 4 GiB.
fn arrays(table: &Table, prefix: &str) -> Option<Vec<(String, Vec<u8>)>> {
    if table.rows.len().checked_mul(table.columns.len() * 8)? > 0xf000_0000 {
        return None;
    }
    let columns = table.columns.iter().enumerate().map(|(k, name)| {
        let data: Vec<u8> = table.rows.iter().flat_map(|r| r[k].to_le_bytes()).collect();
        let shape = format!("({},)", table.rows.len());
        let name = format!("{prefix}{}.npy", name.replace('\'', "_dot"));
        (name, npy("<f8", &shape, &data))
    });
    Some(columns.collect())
}

/// An archive of NumPy arrays with those of events.
pub(super) fn write_with_events(table: &Table, events: Option<&Events>) -> Option<Vec<u8>> {
    let mut files = arrays(table, "")?;
    if let Some(events) = events {
        let names = text_list(&events.names);
        files.push((format!("{OF_EVENTS}name.npy"), names));
        files.extend(arrays(&events.table, OF_EVENTS)?);
    }
    for (name, text) in &table.notes {
        files.push((format!("{name}.npy"), text_array(text)));
    }
    Some(zip(&files))
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part: [u8; N] = bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
    Some(part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// The files of an archive that [`zip`] wrote.
fn unzip(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let (mut at, mut files) = (0, Vec::new());
    while bytes.get(at..at + 4)? == b"PK\x03\x04" {
        let crc = number::<4>(bytes, at + 14)?;
        let size = number::<4>(bytes, at + 18)? as usize;
        let name = number::<2>(bytes, at + 26)? as usize;
        let start = at + 30 + name + number::<2>(bytes, at + 28)? as usize;
        let data = bytes.get(start..start.checked_add(size)?)?;
        if u64::from(crc32(data)) != crc {
            return None;
        }
        let name = std::str::from_utf8(bytes.get(at + 30..at + 30 + name)?).ok()?;
        files.push((name.to_owned(), data));
        at = start + size;
    }
    Some(files)
}

/// Reads what [`write`] wrote; `None` if it is something else or damaged.
pub(super) fn read(bytes: &[u8]) -> Option<Table> {
    let mut table = Table::default();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (name, data) in unzip(bytes)? {
        let name = name.strip_suffix(".npy")?;
        if name.starts_with(OF_EVENTS) {
            continue;
        }
        let length = number::<2>(data, 8)? as usize;
        let header = std::str::from_utf8(data.get(10..10 + length)?).ok()?;
        let data = &data[10 + length..];
        if header.contains("'<f8'") {
            table.columns.push(name.replace("_dot", "'"));
            let numbers = data.chunks_exact(8).map(|c| number::<8>(c, 0));
            columns.push(
                numbers
                    .map(|n| n.map(f64::from_bits))
                    .collect::<Option<_>>()?,
            );
        } else {
            let letters = data.chunks_exact(4).map(|c| number::<4>(c, 0));
            let text: Option<String> = letters
                .map(|n| n.and_then(|n| char::from_u32(n as u32)))
                .collect();
            let text = text?.trim_end_matches('\0').to_owned();
            table.notes.push((name.to_owned(), text));
        }
    }
    let count = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|c| c.len() != count) {
        return None;
    }
    table.rows = (0..count)
        .map(|k| columns.iter().map(|c| c[k]).collect())
        .collect();
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn headers_of_arrays_are_aligned() {
        let array = npy("<f8", "(3,)", &[0; 24]);
        assert_eq!((array.len() - 24) % 64, 0);
        assert_eq!(array[array.len() - 25], b'\n');
    }
}
