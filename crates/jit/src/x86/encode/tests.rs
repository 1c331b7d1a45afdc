//! The encoder against an independent assembler.
//!
//! `vex.txt` and `evex.txt` hold what GNU as 2.40 makes of each line, with `-msyntax=intel -mnaked-reg`
//! and, for the second, `{evex}` before each line. It matters most for EVEX, which not every processor
//! that runs these tests can execute.

use std::fmt::Write;

use super::*;
use Kind::*;
use Size::*;

/// The kind of the third operand.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Register,
    Memory,
    Broadcast,
}

/// The form of an instruction.
struct Form {
    name: String,
    op: Opcode,
    sizes: &'static [Size],
    /// Whether the instruction has a second operand.
    three: bool,
    third: &'static [Kind],
    immediate: Option<u8>,
}

fn form(
    name: impl Into<String>,
    op: Opcode,
    sizes: &'static [Size],
    three: bool,
    third: &'static [Kind],
) -> Form {
    Form {
        name: name.into(),
        op,
        sizes,
        three,
        third,
        immediate: None,
    }
}

const ALL: &[Size] = &[Two, Four, Eight];
const FULL: &[Kind] = &[Register, Memory, Broadcast];
const PLAIN: &[Kind] = &[Register, Memory];
const NUMBERS: [u8; 7] = [0, 3, 5, 9, 15, 18, 31];
const DISPLACEMENTS: [i32; 9] = [0, 8, -8, 120, 128, -128, -1024, 4064, 65536];
const BASES: [(Base, &str); 13] = [
    (Base::Inputs, "rdi"),
    (Base::R13, "r13"),
    (Base::Outputs, "rsi"),
    (Base::R8, "r8"),
    (Base::Rax, "rax"),
    (Base::Constants, "rdx"),
    (Base::R15, "r15"),
    (Base::Rbx, "rbx"),
    (Base::Frame, "rcx"),
    (Base::R9, "r9"),
    (Base::R10, "r10"),
    (Base::R11, "r11"),
    (Base::R14, "r14"),
];

fn forms(encoding: Encoding) -> Vec<Form> {
    let mut list = vec![
        form("vsqrtpd", SQRT.opcode(false), ALL, false, FULL),
        form("vsqrtsd", SQRT.opcode(true), &[Two], true, PLAIN),
        form("vmovupd", LOAD.opcode(false), ALL, false, &[Memory]),
        form("vmovsd", LOAD.opcode(true), &[Two], false, &[Memory]),
        form("store vmovupd", STORE.opcode(false), ALL, false, &[Memory]),
        form("store vmovsd", STORE.opcode(true), &[Two], false, &[Memory]),
        form("vmovapd", MOVE, ALL, false, &[Register]),
        form("vxorpd", XOR, ALL, true, FULL),
        form("vandpd", AND, ALL, true, FULL),
        form("vunpcklpd", LOW, &[Two], true, &[Register]),
        form("vunpckhpd", HIGH, &[Two], true, &[Register]),
        form("vmovhpd", LOAD_HIGH, &[Two], true, &[Memory]),
        form("vbroadcastsd", SPREAD, &[Four, Eight], false, PLAIN),
    ];
    for (name, op) in [("vadd", ADD), ("vsub", SUB), ("vmul", MUL), ("vdiv", DIV)] {
        list.push(form(format!("{name}pd"), op.opcode(false), ALL, true, FULL));
        list.push(form(
            format!("{name}sd"),
            op.opcode(true),
            &[Two],
            true,
            PLAIN,
        ));
    }
    for (name, op) in [("vfmadd", FMADD), ("vfmsub", FMSUB), ("vfnmadd", FNMADD)] {
        for (order, n) in [(Order::F132, 132), (Order::F213, 213), (Order::F231, 231)] {
            let (packed, scalar) = (op.opcode(order, false), op.opcode(order, true));
            list.push(form(format!("{name}{n}pd"), packed, ALL, true, FULL));
            list.push(form(format!("{name}{n}sd"), scalar, &[Two], true, PLAIN));
        }
    }
    for relation in [GREATER, GREATER_EQUAL] {
        for mut f in [
            form("vcmppd", COMPARE.opcode(false), ALL, true, FULL),
            form("vcmpsd", COMPARE.opcode(true), &[Two], true, PLAIN),
        ] {
            f.immediate = Some(relation);
            list.push(f);
        }
    }
    let (insert, extract) = match encoding {
        Encoding::Evex => ("vinsertf64x2", "vextractf64x2"),
        _ => ("vinsertf128", "vextractf128"),
    };
    for (name, op, three) in [(insert, INSERT, true), (extract, EXTRACT, false)] {
        list.push(Form {
            immediate: Some(1),
            ..form(name, op, &[Four], three, &[Register])
        });
    }
    match encoding {
        Encoding::Evex => list.push(form("vblendmpd", BLEND_MASKED, ALL, true, &[Register])),
        _ => list.push(form("vblendvpd", BLEND, ALL, true, &[Register])),
    }
    list.push(form("vminpd", MIN.opcode(false), ALL, true, FULL));
    list.push(form("vminsd", MIN.opcode(true), &[Two], true, PLAIN));
    list.push(Form {
        immediate: Some(0x8d),
        ..form("vpermpd", PERMUTE, &[Four], false, PLAIN)
    });
    list.push(form("vmaxpd", MAX.opcode(false), ALL, true, FULL));
    list.push(form("vmaxsd", MAX.opcode(true), &[Two], true, PLAIN));
    list
}

/// Every form with various operands: as text, and as the encoder writes it.
fn cases(encoding: Encoding) -> Vec<(String, Vec<u8>)> {
    let evex = encoding == Encoding::Evex;
    let mut list = Vec::new();
    let mut turn = 0;
    for f in forms(encoding) {
        for &size in f.sizes {
            if size == Eight && !evex {
                continue;
            }
            for &kind in f.third {
                if kind == Broadcast && !evex {
                    continue;
                }
                for _ in 0..if evex { 6 } else { 4 } {
                    turn += 1;
                    list.push(case(&f, encoding, size, kind, turn));
                }
            }
        }
    }
    list
}

/// One form with one choice of operands.
fn case(f: &Form, encoding: Encoding, size: Size, kind: Kind, turn: usize) -> (String, Vec<u8>) {
    let evex = encoding == Encoding::Evex;
    let numbers = if evex { &NUMBERS[..] } else { &NUMBERS[..5] };
    let number = |k: usize| numbers[(turn * (2 * k + 1) + k + turn / 7) % numbers.len()];
    let (mut first, second) = (number(0), if f.three { number(1) } else { 0 });
    let letter = ["x", "y", "z"][size as usize];
    let register = |r: u8| format!("{letter}mm{r}");
    let at = DISPLACEMENTS[turn % DISPLACEMENTS.len()];
    let (base, base_name) = BASES[turn % BASES.len()];
    let (third, text) = match kind {
        Register => {
            let r = number(2);
            // Instructions on half a register.
            let half = f.name.starts_with("vinsert")
                || f.name.starts_with("vextract")
                || f.name.starts_with("vbroadcast");
            let text = if half { format!("xmm{r}") } else { register(r) };
            (Place::Register(r), text)
        }
        Memory | Broadcast => {
            let single = f.op.single || kind == Broadcast;
            let width = if single {
                "QWORD"
            } else {
                ["XMMWORD", "YMMWORD", "ZMMWORD"][size as usize]
            };
            let mut text = format!("{width} PTR [{base_name}{at:+}]");
            if kind == Broadcast {
                write!(text, "{{1to{}}}", 2 << size as usize).unwrap();
                (Place::Broadcast(base, at), text)
            } else {
                (Place::Memory(base, at), text)
            }
        }
    };
    let mut immediate = f.immediate;
    let compare = f.name.starts_with("vcmp");
    let masked = f.name == "vblendmpd";
    let mut target = register(first);
    if compare && evex {
        (first, target) = (1, "k1".to_owned());
    }
    if masked {
        target.push_str("{k1}");
    }
    let mut text = match f.name.strip_prefix("store ") {
        Some(name) => format!("{name} {text}, {target}"),
        None if f.name.starts_with("vextract") => format!("{} {text}, {target}", f.name),
        None if f.three => format!("{} {target}, {}, {text}", f.name, register(second)),
        None => format!("{} {target}, {text}", f.name),
    };
    if f.name == "vblendvpd" {
        let mask = number(3);
        write!(text, ", {}", register(mask)).unwrap();
        immediate = Some(mask << 4);
    } else if let Some(i) = immediate {
        write!(text, ", {i}").unwrap();
    }
    let line = Vector::new(f.op, size, first, second, third);
    let mut encoder = Encoder::new(encoding, Pairs::default(), 16);
    encoder.vector(&match immediate {
        Some(i) => line.with(i),
        None if f.name == "vmovapd" => Vector::copy(encoding, size, first, number(2)),
        None if masked => line.masked(),
        None => line,
    });
    (text, encoder.bytes)
}

fn compare(encoding: Encoding, table: &str) {
    let cases = cases(encoding);
    assert_eq!(table.lines().count(), cases.len());
    for (line, (text, bytes)) in table.lines().zip(cases) {
        let written: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(format!("{written} {text}"), line);
    }
}

#[test]
fn vex_is_what_an_assembler_writes() {
    compare(Encoding::Vex, include_str!("vex.txt"));
}

#[test]
fn evex_is_what_an_assembler_writes() {
    compare(Encoding::Evex, include_str!("evex.txt"));
}

#[test]
#[ignore = "prints what the tables are made from"]
fn lines_to_assemble() {
    for encoding in [Encoding::Vex, Encoding::Evex] {
        for (text, _) in cases(encoding) {
            println!("{encoding:?} {text}");
        }
    }
}
