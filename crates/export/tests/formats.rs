//! Data files, read by readers that share no code with their writers: Python's standard library for archives, and a
//! decoder of Parquet's footer written after its specification.

use std::io::Write;
use std::process::{Command, Stdio};

use galilei_export::data::{Format, Table};

fn table() -> Table {
    Table {
        columns: vec!["t".into(), "θ'".into(), "x, y".into()],
        rows: vec![
            vec![0.0, 0.1, -1e300],
            vec![0.5, f64::INFINITY, 5e-324],
            vec![1.0, -0.0, 1.0 / 3.0],
        ],
        notes: vec![
            ("galilei_version".into(), "0".into()),
            ("model".into(), "coord θ\n\nkinetic: θ'^2".into()),
        ],
    }
}

fn written(format: Format) -> Vec<u8> {
    format.write(&table()).expect("room for three rows")
}

#[test]
fn what_can_be_read_is_read_back() {
    for format in Format::ALL.into_iter().filter(|f| f.is_readable()) {
        assert_eq!(format.read(&written(format)), Ok(table()), "{format}");
    }
    let text = String::from_utf8(written(Format::Csv)).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[3], "#   kinetic: θ'^2");
    assert_eq!(lines[4], "t,θ',\"x, y\"");
    assert_eq!(lines[6], "0.5,inf,5e-324");
}

/// Bytes that were cut or changed are refused or read as something; nothing panics.
#[test]
fn damaged_files_are_refused() {
    for format in Format::ALL {
        let whole = written(format);
        for cut in 0..whole.len() {
            let _ = format.read(&whole[..cut]);
            let mut changed = whole.clone();
            changed[cut] ^= 0x55;
            let _ = format.read(&changed);
        }
    }
    let mut changed = written(Format::Npz);
    let data = changed.len() / 3;
    changed[data] ^= 1;
    assert!(Format::Npz.read(&changed).is_err());
    assert!(Format::Csv.read(b"t,x\n0.0\n").is_err());
}

#[test]
fn endings_name_formats() {
    for format in Format::ALL {
        assert_eq!(format.ending().parse(), Ok(format));
        let path = format!("a.b/run.{}", format.ending().to_uppercase());
        assert_eq!(Format::of_path(&path), Ok(format));
    }
    let unknown = Format::of_path("csv").expect_err("no ending");
    assert_eq!(
        unknown.to_string(),
        "data files end in .csv, .npz or .parquet"
    );
}

/// Reads an archive with Python's `zipfile`, which checks its sums, and prints each array.
const READER: &str = r#"
import ast, io, struct, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
for name in archive.namelist():
    data = archive.read(name)
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size, = struct.unpack("<H", data[8:10])
    assert (10 + size) % 64 == 0
    header = ast.literal_eval(data[10:10 + size].decode())
    body = data[10 + size:]
    if header["descr"] == "<f8":
        count, = header["shape"]
        print(name, [x.hex() for x in struct.unpack(f"<{count}d", body)])
    else:
        assert header["shape"] == () and header["descr"] == f"<U{len(body) // 4}"
        print(name, ascii(body.decode("utf-32-le")))
"#;

#[test]
fn python_reads_archives() {
    let mut command = Command::new("python3");
    command.args(["-c", READER]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("python3 is not on this machine: nothing is tested with it");
        return;
    };
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&written(Format::Npz)).expect("it reads");
    drop(pipe);
    let out = child.wait_with_output().expect("it ends");
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let wanted = [
        "t.npy ['0x0.0p+0', '0x1.0000000000000p-1', '0x1.0000000000000p+0']",
        "θ_dot.npy ['0x1.999999999999ap-4', 'inf', '-0x0.0p+0']",
        "x, y.npy ['-0x1.7e43c8800759cp+996', '0x0.0000000000001p-1022', '0x1.5555555555555p-2']",
        "galilei_version.npy '0'",
        "model.npy \"coord \\u03b8\\n\\nkinetic: \\u03b8'^2\"",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), wanted);
}

/// A value of Thrift's compact protocol.
#[derive(Debug)]
enum Thrift {
    Integer(i64),
    Text(String),
    List(Vec<Thrift>),
    Struct(Vec<(u8, Thrift)>),
}

impl Thrift {
    fn field(&self, id: u8) -> &Self {
        let Self::Struct(fields) = self else {
            panic!("no structure: {self:?}")
        };
        &fields.iter().find(|f| f.0 == id).expect("a field").1
    }

    fn integer(&self) -> i64 {
        match self {
            Self::Integer(n) => *n,
            other => panic!("no integer: {other:?}"),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("no text: {other:?}"),
        }
    }

    fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            other => panic!("no list: {other:?}"),
        }
    }

    fn read(kind: u8, bytes: &mut &[u8]) -> Self {
        match kind {
            5 | 6 => {
                let n = varint(bytes);
                Self::Integer((n >> 1) as i64 ^ -((n & 1) as i64))
            }
            8 => {
                let length = varint(bytes) as usize;
                let (text, rest) = bytes.split_at(length);
                *bytes = rest;
                Self::Text(String::from_utf8(text.to_vec()).expect("UTF-8"))
            }
            9 => {
                let head = byte(bytes);
                let count = match head >> 4 {
                    15 => varint(bytes),
                    few => u64::from(few),
                };
                Self::List((0..count).map(|_| Self::read(head & 15, bytes)).collect())
            }
            12 => {
                let (mut fields, mut id) = (Vec::new(), 0);
                loop {
                    match byte(bytes) {
                        0 => return Self::Struct(fields),
                        head => {
                            id += head >> 4;
                            fields.push((id, Self::read(head & 15, bytes)));
                        }
                    }
                }
            }
            other => panic!("type {other} is not used"),
        }
    }
}

fn byte(bytes: &mut &[u8]) -> u8 {
    let (first, rest) = bytes.split_first().expect("a byte");
    *bytes = rest;
    *first
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut n, mut shift) = (0, 0);
    loop {
        let b = byte(bytes);
        n |= u64::from(b & 0x7f) << shift;
        shift += 7;
        if b < 0x80 {
            return n;
        }
    }
}

#[test]
fn parquet_is_what_its_specification_says() {
    let file = written(Format::Parquet);
    let (head, tail) = (&file[..4], &file[file.len() - 8..]);
    assert_eq!((head, &tail[4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    let length = u32::from_le_bytes(tail[..4].try_into().expect("four bytes")) as usize;
    let footer = &file[file.len() - 8 - length..file.len() - 8];
    let footer = Thrift::read(12, &mut &footer[..]);
    assert_eq!(footer.field(3).integer(), 3);
    let schema = footer.field(2).list();
    let names: Vec<&str> = schema[1..].iter().map(|s| s.field(4).text()).collect();
    assert_eq!(names, table().columns);
    assert_eq!(schema[0].field(5).integer() as usize, names.len());
    for (key, note) in footer.field(5).list().iter().zip(table().notes) {
        assert_eq!(key.field(1).text(), note.0);
        assert_eq!(key.field(2).text(), note.1);
    }
    let [group] = footer.field(4).list() else {
        panic!("one row group")
    };
    for (k, chunk) in group.field(1).list().iter().enumerate() {
        let column = chunk.field(3);
        // DOUBLE, uncompressed, three values.
        let numbers = [1, 4, 5].map(|id| column.field(id).integer());
        assert_eq!(numbers, [5, 0, 3]);
        let mut page = &file[column.field(9).integer() as usize..];
        let header = Thrift::read(12, &mut page);
        assert_eq!(header.field(2).integer(), 24);
        assert_eq!(header.field(5).field(1).integer(), 3);
        let values = page[..24].chunks_exact(8);
        let values = values.map(|v| f64::from_le_bytes(v.try_into().expect("eight bytes")));
        let wanted = table().rows.into_iter().map(|row| row[k].to_bits());
        assert!(values.map(f64::to_bits).eq(wanted), "{}", names[k]);
    }
}
