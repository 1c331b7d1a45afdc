//! Data files of a run: `.csv` and `.npz`, written by hand.

/// A table with names for its columns, and what belongs with it.
#[derive(Clone, Debug)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
    /// Notes: the version, the parameters, the text of the model.
    pub notes: Vec<(String, String)>,
}

/// Comma-separated values; notes stand before them as comments.
pub fn csv(table: &Table) -> Vec<u8> {
    let mut out = String::new();
    for (name, text) in &table.notes {
        for (k, line) in text.lines().enumerate() {
            let head = if k == 0 {
                format!("{name}: ")
            } else {
                "  ".into()
            };
            out.push_str(&format!("# {head}{line}\n"));
        }
    }
    let quoted = table.columns.iter().map(|c| {
        if c.contains([',', '"']) {
            format!("\"{}\"", c.replace('"', "\"\""))
        } else {
            c.clone()
        }
    });
    out.push_str(&quoted.collect::<Vec<_>>().join(","));
    out.push('\n');
    for row in &table.rows {
        for (k, x) in row.iter().enumerate() {
            if k > 0 {
                out.push(',');
            }
            out.push_str(&format!("{x:?}"));
        }
        out.push('\n');
    }
    out.into_bytes()
}

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
fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
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
        // 1 January 1980: the same run gives the same bytes.
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
pub fn npz(table: &Table) -> Option<Vec<u8>> {
    if table.rows.len().checked_mul(table.columns.len() * 8)? > 0xf000_0000 {
        return None;
    }
    let mut files = Vec::new();
    for (k, name) in table.columns.iter().enumerate() {
        let data: Vec<u8> = table.rows.iter().flat_map(|r| r[k].to_le_bytes()).collect();
        let shape = format!("({},)", table.rows.len());
        files.push((
            format!("{}.npy", name.replace('\'', "_dot")),
            npy("<f8", &shape, &data),
        ));
    }
    for (name, text) in &table.notes {
        files.push((format!("{name}.npy"), text_array(text)));
    }
    Some(zip(&files))
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
