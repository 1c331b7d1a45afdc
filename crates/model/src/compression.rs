//! Decompression of what data files hold: DEFLATE (RFC 1951), gzip (RFC 1952) and Snappy.

/// The bits of a stream, the least significant one of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    /// The next bits as a number; at most 16.
    fn take(&mut self, count: u32) -> Option<u32> {
        while self.count < count {
            self.held |= u32::from(*self.bytes.get(self.at)?) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let value = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        Some(value)
    }

    /// Leaves out the bits up to the end of the byte, and gives bytes.
    fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        // Fewer than eight bits are held, all of the last byte that was read.
        (self.held, self.count) = (0, 0);
        let part = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(part)
    }
}

/// A prefix code by the lengths of its words.
struct Prefixes {
    /// The number of words of each length.
    counts: [u16; 16],
    /// The symbols in the order of their words.
    symbols: Vec<u16>,
}

impl Prefixes {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0_u16; 16];
        for &l in lengths {
            counts[usize::from(l & 15)] += 1;
        }
        counts[0] = 0;
        let mut places = [0_usize; 16];
        for l in 1..16 {
            places[l] = places[l - 1] + usize::from(counts[l - 1]);
        }
        let used = lengths.iter().filter(|l| **l > 0).count();
        let mut symbols = vec![0; used];
        for (symbol, &l) in lengths.iter().enumerate().filter(|(_, l)| **l > 0) {
            let place = &mut places[usize::from(l & 15)];
            symbols[*place] = symbol as u16;
            *place += 1;
        }
        Self { counts, symbols }
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Option<u16> {
        let (mut word, mut first, mut place) = (0_i32, 0_i32, 0_i32);
        for l in 1..16 {
            word |= bits.take(1)? as i32;
            let count = i32::from(self.counts[l]);
            if word - first < count {
                return self.symbols.get((place + word - first) as usize).copied();
            }
            place += count;
            first = (first + count) << 1;
            word <<= 1;
        }
        None
    }
}

/// The bytes of a stream in DEFLATE; `None` if it is damaged or has more than `limit` bytes.
pub(crate) fn inflate(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bits = Bits {
        bytes,
        at: 0,
        held: 0,
        count: 0,
    };
    let mut out: Vec<u8> = Vec::new();
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => {
                let sizes = bits.bytes(4)?;
                let size = usize::from(u16::from_le_bytes([sizes[0], sizes[1]]));
                out.extend_from_slice(bits.bytes(size)?);
            }
            1 => {
                let mut lengths = [8_u8; 288];
                lengths[144..256].fill(9);
                lengths[256..280].fill(7);
                let codes = (Prefixes::new(&lengths), Prefixes::new(&[5; 30]));
                block(&mut bits, &codes, &mut out, limit)?;
            }
            2 => {
                let codes = codes(&mut bits)?;
                block(&mut bits, &codes, &mut out, limit)?;
            }
            _ => return None,
        }
        if out.len() > limit {
            return None;
        }
        if last {
            return Some(out);
        }
    }
}

/// The codes of a block that has its own.
fn codes(bits: &mut Bits<'_>) -> Option<(Prefixes, Prefixes)> {
    const ORDER: [usize; 19] = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    let count = bits.take(4)? as usize + 4;
    let mut own = [0_u8; 19];
    for &k in &ORDER[..count] {
        own[k] = bits.take(3)? as u8;
    }
    let own = Prefixes::new(&own);
    let mut lengths: Vec<u8> = Vec::new();
    while lengths.len() < literals + distances {
        let (value, times) = match own.symbol(bits)? {
            16 => (*lengths.last()?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            length => (length as u8, 1),
        };
        lengths.extend(std::iter::repeat_n(value, times as usize));
    }
    let (left, right) = lengths.split_at_checked(literals)?;
    Some((Prefixes::new(left), Prefixes::new(right.get(..distances)?)))
}

/// The literals and copies of a block.
fn block(
    bits: &mut Bits<'_>,
    (literals, distances): &(Prefixes, Prefixes),
    out: &mut Vec<u8>,
    limit: usize,
) -> Option<()> {
    while out.len() <= limit {
        let symbol = usize::from(literals.symbol(bits)?);
        match symbol {
            0..256 => out.push(symbol as u8),
            256 => return Some(()),
            _ => {
                let (length, more) = match symbol - 257 {
                    k @ 0..8 => (k + 3, 0),
                    28 => (258, 0),
                    k @ 8..28 => (((4 + k % 4) << (k / 4 - 1)) + 3, k / 4 - 1),
                    _ => return None,
                };
                let length = length + bits.take(more as u32)? as usize;
                let (distance, more) = match usize::from(distances.symbol(bits)?) {
                    k @ 0..4 => (k + 1, 0),
                    k @ 4..30 => (((2 + k % 2) << (k / 2 - 1)) + 1, k / 2 - 1),
                    _ => return None,
                };
                let distance = distance + bits.take(more as u32)? as usize;
                copy(out, distance, length)?;
            }
        }
    }
    None
}

/// Appends bytes that begin a distance before the end, which may be new ones.
fn copy(out: &mut Vec<u8>, distance: usize, length: usize) -> Option<()> {
    let start = out.len().checked_sub(distance).filter(|_| distance > 0)?;
    for k in start..start + length {
        out.push(out[k]);
    }
    Some(())
}

/// The bytes of a gzip file of one member.
pub(crate) fn gunzip(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    if bytes.get(..3)? != [0x1f, 0x8b, 8] {
        return None;
    }
    let flags = *bytes.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += bytes.get(at..)?.iter().position(|b| *b == 0)? + 1;
        }
    }
    at += if flags & 2 != 0 { 2 } else { 0 };
    inflate(bytes.get(at..)?, limit)
}

/// The bytes of a block in Snappy's format.
pub(crate) fn unsnap(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    let (mut at, mut size) = (0, 0_usize);
    loop {
        let b = *bytes.get(at)?;
        size |= usize::from(b & 127).checked_shl(7 * at as u32)?;
        at += 1;
        if b < 128 {
            break;
        }
        if at > 4 {
            return None;
        }
    }
    if size > limit {
        return None;
    }
    let number = |at: usize, count: usize| -> Option<usize> {
        let part = bytes.get(at..at.checked_add(count)?)?;
        Some(part.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
    };
    let mut out: Vec<u8> = Vec::new();
    while at < bytes.len() {
        let tag = usize::from(bytes[at]);
        at += 1;
        let (distance, length) = match tag & 3 {
            0 => {
                let extra = (tag >> 2).saturating_sub(59);
                let length = match extra {
                    0 => tag >> 2,
                    extra => number(at, extra)?,
                } + 1;
                at += extra;
                out.extend_from_slice(bytes.get(at..at.checked_add(length)?)?);
                at += length;
                continue;
            }
            1 => ((tag >> 5) << 8 | number(at, 1)?, (tag >> 2 & 7) + 4),
            2 => (number(at, 2)?, (tag >> 2) + 1),
            _ => (number(at, 4)?, (tag >> 2) + 1),
        };
        at += [0, 1, 2, 4][tag & 3];
        copy(&mut out, distance, length)?;
        if out.len() > size {
            return None;
        }
    }
    (out.len() == size).then_some(out)
}
