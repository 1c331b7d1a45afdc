//! Random code.

use galilei_tape::Function;
use galilei_tape::code::{Assembler, Code, Instr, Value};

/// Where choices come from.
pub(crate) trait Source {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize;
}

/// Numbers by SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Source for Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }
}

/// Numbers from bytes, zero at their end.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Source for Bytes<'_> {
    fn below(&mut self, n: usize) -> usize {
        let mut value = 0;
        let mut range = 1;
        while range < n {
            let (&byte, rest) = self.0.split_first().unwrap_or((&0, &[]));
            self.0 = rest;
            value = value << 8 | usize::from(byte);
            range <<= 8;
        }
        value % n
    }
}

/// Numbers on which rules of arithmetic are easily wrong.
pub(crate) const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -5e-324,
    2.2e-308,
    -1.5e-310,
    f64::MAX,
    f64::MIN,
    0.5,
    -2.0,
    1e8,
];

/// A number, often a special one.
pub(crate) fn number(source: &mut impl Source) -> f64 {
    match source.below(4) {
        0 => SPECIAL[source.below(SPECIAL.len())],
        _ => (source.below(1 << 24) as f64 - f64::from(1 << 23)) / f64::from(1 << 21),
    }
}

/// Code of about so many instructions. Wide values only if `wide`.
pub(crate) fn code(source: &mut impl Source, size: usize, wide: bool) -> Code {
    let inputs = source.below(if size > 100 { 40 } else { 6 });
    let mut a = Assembler::new(inputs);
    let mut narrows: Vec<Value> = Vec::new();
    let mut wides: Vec<Value> = Vec::new();
    let reach = 1 + source.below(2 * size);
    let calls = source.below(4);
    // A recent value, or any.
    fn pick(source: &mut impl Source, list: &[Value], reach: usize) -> Value {
        let from = if source.below(8) == 0 {
            list.len()
        } else {
            reach.min(list.len())
        };
        list[list.len() - 1 - source.below(from)]
    }
    for k in 0..size {
        let leaf = narrows.is_empty() || source.below(10) == 0;
        if leaf {
            let v = if inputs > 0 && source.below(3) > 0 {
                a.input(source.below(inputs))
            } else {
                a.number(number(source))
            };
            narrows.push(v);
            continue;
        }
        if calls > 0 && source.below(12) < calls {
            // Several together, as they come from scheduling.
            for _ in 0..1 + source.below(6) {
                let mut f = Function::ALL[source.below(Function::ALL.len())];
                if k % 2 == 0 {
                    f = [Function::Sin, Function::Cos, Function::Sinh, Function::Cosh]
                        [source.below(4)];
                }
                let x = pick(source, &narrows, reach);
                let y = if f.binary() {
                    pick(source, &narrows, reach)
                } else {
                    x
                };
                narrows.push(a.push(Instr::Call(f, x, y)));
            }
            continue;
        }
        if wide && source.below(5) == 0 {
            match source.below(4) {
                0 => {
                    let row = [(); 4].map(|()| number(source));
                    wides.push(a.table(row));
                }
                1 => {
                    let v = pick(source, &narrows, reach);
                    wides.push(a.push(Instr::Pack([v; 4])));
                }
                2 if inputs >= 4 && source.below(2) == 0 => {
                    wides.push(a.row(source.below(inputs - 3)));
                }
                2 if inputs >= 4 => {
                    let first = source.below(inputs - 3);
                    let row = [0, 1, 2, 3].map(|l| a.input(first + l));
                    wides.push(a.push(Instr::Pack(row)));
                }
                _ => {
                    let list = [(); 4].map(|()| pick(source, &narrows, reach));
                    wides.push(a.push(Instr::Pack(list)));
                }
            }
            continue;
        }
        if !wides.is_empty() && source.below(8) == 0 {
            let v = pick(source, &wides, reach);
            if source.below(2) == 0 {
                let order = [(); 4].map(|()| source.below(4) as u8);
                wides.push(a.push(Instr::Permute(v, order)));
            } else {
                narrows.push(a.push(Instr::Lane(v, source.below(4) as u8)));
            }
            continue;
        }
        let list = if !wides.is_empty() && source.below(2) == 0 {
            &mut wides
        } else {
            &mut narrows
        };
        let [x, y, z] = [(); 3].map(|()| pick(source, list, reach));
        let i = match source.below(16) {
            0..=2 => Instr::Add(x, y),
            3..=4 => Instr::Sub(x, y),
            5..=7 => Instr::Mul(x, y),
            8 if source.below(3) == 0 => match source.below(2) {
                0 => Instr::Least(x, y),
                _ => Instr::Greatest(x, y),
            },
            8 => Instr::Div(x, y),
            9 => Instr::Neg(x),
            10 => Instr::Abs(x),
            11 => Instr::Sqrt(x),
            12 => Instr::Fma(x, y, z),
            13 => Instr::Fnma(x, y, z),
            14 => Instr::Fms(x, y, z),
            _ if source.below(2) == 0 => Instr::Positive(x, y, z),
            _ => Instr::NotNegative(x, y, z),
        };
        list.push(a.push(i));
    }
    let mut outputs = Vec::new();
    for list in [narrows, wides] {
        // The last values need most of the others.
        outputs.extend(list.iter().rev().take(1 + source.below(8)));
        if !list.is_empty() {
            for _ in 0..source.below(1 + size / 4) {
                outputs.push(list[source.below(list.len())]);
            }
        }
    }
    if source.below(40) == 0 {
        outputs.clear();
    }
    let code = a.finish(outputs);
    match source.below(4) {
        0 => code,
        1 => code.gathered(),
        2 => code.scheduled(galilei_tape::code::WINDOW),
        _ => code.fused().scheduled(galilei_tape::code::WINDOW),
    }
}
