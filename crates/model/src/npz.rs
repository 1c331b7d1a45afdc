//! Reads NumPy's archives of arrays.

use std::borrow::Cow;

use crate::compression::inflate;
use crate::data::{Column, MAX_DATA_BYTES};

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part: [u8; N] = bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
    Some(part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// The arrays of one dimension in an archive as columns, by name.
pub(crate) fn columns(bytes: &[u8]) -> Result<Vec<Column>, String> {
    let damaged = || "it is no zip archive, or a damaged one".to_owned();
    let start = bytes.len().saturating_sub(22 + 0xffff);
    let tail = &bytes[start..];
    let end = tail.windows(4).rposition(|w| w == b"PK\x05\x06");
    let end = start + end.ok_or_else(damaged)?;
    let count = number::<2>(bytes, end + 10).ok_or_else(damaged)?;
    let mut at = number::<4>(bytes, end + 16).ok_or_else(damaged)? as usize;
    let mut list = Vec::new();
    for _ in 0..count {
        let (name, data, next) = entry(bytes, at).ok_or_else(damaged)?;
        at = next;
        let Some(name) = name.strip_suffix(".npy") else {
            continue;
        };
        let data =
            data.ok_or("its arrays are compressed in an unknown way; write it with numpy.savez")?;
        if let Some(values) = array(&data).ok_or_else(damaged)? {
            list.push(Column {
                name: name.to_owned(),
                unit: None,
                values,
            });
        }
    }
    Ok(list)
}

/// The bytes of an entry; `None` if they cannot be decompressed.
type Data<'a> = Option<Cow<'a, [u8]>>;

/// An entry of the directory of an archive: its name, its bytes unless they cannot be decompressed, and the place of the
/// next entry.
fn entry(bytes: &[u8], at: usize) -> Option<(String, Data<'_>, usize)> {
    if bytes.get(at..at.checked_add(4)?)? != b"PK\x01\x02" {
        return None;
    }
    let method = number::<2>(bytes, at + 10)?;
    let size = number::<4>(bytes, at + 20)? as usize;
    let whole = number::<4>(bytes, at + 24)?;
    let lengths = [28, 30, 32].map(|k| number::<2>(bytes, at + k).unwrap_or(0) as usize);
    let offset = number::<4>(bytes, at + 42)? as usize;
    let name = bytes.get(at + 46..at + 46 + lengths[0])?;
    let name = std::str::from_utf8(name).ok()?.to_owned();
    let next = at + 46 + lengths.iter().sum::<usize>();
    if !matches!(method, 0 | 8) || whole > MAX_DATA_BYTES {
        return Some((name, None, next));
    }
    let own = [26, 28].map(|k| number::<2>(bytes, offset + k).unwrap_or(0) as usize);
    let start = offset.checked_add(30 + own[0] + own[1])?;
    let data = bytes.get(start..start.checked_add(size)?)?;
    let data = match method {
        0 => Cow::Borrowed(data),
        _ => Cow::Owned(inflate(data, whole as usize).filter(|d| d.len() as u64 == whole)?),
    };
    Some((name, Some(data), next))
}

/// The numbers of an array of one dimension; `None` inside for arrays of other shapes or types.
#[allow(clippy::option_option, clippy::type_complexity)]
fn array(data: &[u8]) -> Option<Option<Vec<Result<f64, String>>>> {
    if data.get(..6)? != b"\x93NUMPY" {
        return None;
    }
    let (start, length) = match data.get(6)? {
        1 => (10_usize, number::<2>(data, 8)? as usize),
        _ => (12, number::<4>(data, 8)? as usize),
    };
    let header = std::str::from_utf8(data.get(start..start.checked_add(length)?)?).ok()?;
    let body = &data[start + length..];
    let shape = header.split("'shape': (").nth(1)?.split(')').next()?;
    let sizes: Vec<&str> = shape
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .collect();
    let [count] = sizes[..] else {
        return Some(None);
    };
    let count: usize = count.parse().ok()?;
    let finite = |x: f64| match x.is_finite() {
        true => Ok(x),
        false => Err("nan".to_owned()),
    };
    let values: Vec<Result<f64, String>> = if header.contains("'<f8'") {
        let numbers = body.chunks_exact(8).filter_map(|c| number::<8>(c, 0));
        numbers.map(|n| finite(f64::from_bits(n))).collect()
    } else if header.contains("'<f4'") {
        let numbers = body.chunks_exact(4).filter_map(|c| number::<4>(c, 0));
        numbers
            .map(|n| finite(f64::from(f32::from_bits(n as u32))))
            .collect()
    } else if header.contains("'<i8'") {
        let numbers = body.chunks_exact(8).filter_map(|c| number::<8>(c, 0));
        numbers.map(|n| Ok(n as i64 as f64)).collect()
    } else if header.contains("'<i4'") {
        let numbers = body.chunks_exact(4).filter_map(|c| number::<4>(c, 0));
        numbers.map(|n| Ok(f64::from(n as u32 as i32))).collect()
    } else {
        return Some(None);
    };
    (values.len() == count).then_some(Some(values))
}
