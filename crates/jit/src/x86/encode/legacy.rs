//! Instructions of SSE2 for processors without AVX.
//!
//! The lines are those for AVX. An instruction of SSE2 overwrites its first operand, so a line may take a copy before it. Four numbers are
//! in two registers, and take every instruction twice. Operands in memory need not be aligned here but would have to be there: pairs are
//! loaded first. Fused products are calls of routines, for which the last registers are kept free.

use super::super::fused::{ARGUMENTS, Kind, SCRATCH};
use super::{
    ADD, AND, Arithmetic, BLEND, COMPARE, DIV, EXTRACT, Encoder, FMADD, FMSUB, FNMADD, GREATER,
    HIGH, INSERT, LOAD, LOAD_HIGH, LOW, MAX, MIN, MOVE, MOVE_BACK, MUL, Opcode, Order, PERMUTE,
    Place, SPREAD, SQRT, STORE, SUB, Size, Vector, XOR, op,
};

/// first ← not first and third
const AND_NOT: Opcode = op(1, 1, 0x55);
const OR: Opcode = op(1, 1, 0x56);
/// One number of the first operand and one of the third, chosen by the immediate.
const SHUFFLE: Opcode = op(1, 1, 0xc6);
/// Relations of comparisons: less, less or equal.
const LESS: u8 = 1;
const LESS_EQUAL: u8 = 2;

impl Opcode {
    fn is(self, other: Self) -> bool {
        (self.map, self.byte) == (other.map, other.byte)
    }

    fn is_arithmetic(self, other: Arithmetic) -> bool {
        self.map == 1 && self.byte == other.0
    }

    /// The kind of a fused product and its order, if it is one.
    fn fused(self) -> Option<(Kind, Order)> {
        if self.map != 2 {
            return None;
        }
        let kinds = [
            (FMADD, Kind::Add),
            (FMSUB, Kind::Subtract),
            (FNMADD, Kind::Negated),
        ];
        let orders = [Order::F132, Order::F213, Order::F231];
        kinds.into_iter().find_map(|(fused, kind)| {
            let mut orders = orders.into_iter();
            let order = orders.find(|&o| fused.opcode(o, self.single).byte == self.byte)?;
            Some((kind, order))
        })
    }
}

impl Encoder {
    /// Writes the instructions for a line.
    pub(super) fn legacy(&mut self, line: &Vector) {
        let &Vector {
            op,
            size,
            first,
            second,
            third,
            immediate,
            ..
        } = line;
        debug_assert!(size != Size::Eight && !line.masked);
        let upper = self.pairs.upper;
        let halves = if size == Size::Four { 2 } else { 1 };
        let half = |r: u8, h: u8| r + h * upper;
        let part = |place: Place, h: u8| match place {
            Place::Register(r) => Place::Register(half(r, h)),
            Place::Memory(base, at) => Place::Memory(base, at + 16 * i32::from(h)),
            Place::Broadcast(..) => unreachable!("numbers are not broadcast"),
        };
        if op.is(PERMUTE) {
            return self.permute(first, third, immediate.unwrap_or(0));
        }
        if op.is(INSERT) {
            self.move_register(first, second);
            let Place::Register(low) = third else {
                unreachable!("halves are in registers");
            };
            return self.move_register(half(first, 1), low);
        }
        if op.is(EXTRACT) {
            let Place::Register(to) = third else {
                unreachable!("halves are in registers");
            };
            return self.move_register(to, half(first, 1));
        }
        if op.is(SPREAD) {
            match third {
                Place::Register(r) => self.move_register(first, r),
                _ => self.plain(LOAD.opcode(true), first, third, None),
            }
            self.plain(LOW, first, Place::Register(first), None);
            if size == Size::Four {
                self.move_register(half(first, 1), first);
            }
            return;
        }
        for h in 0..halves {
            let (first, second, third) = (half(first, h), half(second, h), part(third, h));
            if let Some((kind, order)) = op.fused() {
                self.fused(kind, order, op.single, first, second, third);
            } else if op.is(BLEND) {
                self.blend(first, second, third);
            } else if op.is_arithmetic(COMPARE) {
                self.compare(line, first, second, third);
            } else if op.is(MOVE) || op.is(MOVE_BACK) {
                let (to, from) = match (op.is(MOVE), third) {
                    (true, Place::Register(from)) => (first, from),
                    (false, Place::Register(to)) => (to, first),
                    _ => unreachable!("copies are between registers"),
                };
                self.move_register(to, from);
            } else if op.is_arithmetic(LOAD) || op.is_arithmetic(STORE) {
                self.plain(op, first, third, None);
            } else if op.is_arithmetic(SQRT) {
                let third = self.aligned(op, third);
                self.plain(op, first, third, None);
            } else {
                self.three(op, first, second, third);
            }
        }
    }

    /// first ← second ∘ third
    fn three(&mut self, op: Opcode, first: u8, second: u8, third: Place) {
        let commutes =
            [ADD, MUL].into_iter().any(|a| op.is_arithmetic(a)) || op.is(AND) || op.is(XOR);
        debug_assert!(
            commutes
                || [SUB, DIV, MIN, MAX]
                    .into_iter()
                    .any(|a| op.is_arithmetic(a))
                || op.is(LOW)
                || op.is(HIGH)
                || op.is(LOAD_HIGH)
        );
        let third = self.aligned(op, third);
        if first == second {
            self.plain(op, first, third, None);
        } else if third != Place::Register(first) {
            self.move_register(first, second);
            self.plain(op, first, third, None);
        } else if commutes {
            self.plain(op, first, Place::Register(second), None);
        } else {
            self.move_register(SCRATCH, second);
            self.plain(op, SCRATCH, third, None);
            self.move_register(first, SCRATCH);
        }
    }

    /// first ← ones where the second operand is greater than the third (or equal).
    fn compare(&mut self, line: &Vector, first: u8, second: u8, third: Place) {
        let relation = match line.immediate {
            Some(GREATER) => LESS,
            _ => LESS_EQUAL,
        };
        match third {
            Place::Register(r) => self.move_register(SCRATCH, r),
            _ => self.plain(LOAD.opcode(line.op.single), SCRATCH, third, None),
        }
        self.plain(line.op, SCRATCH, Place::Register(second), Some(relation));
        self.move_register(first, SCRATCH);
    }

    /// The third operand where the mask in the first has ones, else the second.
    fn blend(&mut self, first: u8, second: u8, third: Place) {
        self.move_register(SCRATCH, first);
        self.plain(AND, SCRATCH, third, None);
        self.plain(AND_NOT, first, Place::Register(second), None);
        self.plain(OR, first, Place::Register(SCRATCH), None);
    }

    /// A fused product by a routine.
    fn fused(
        &mut self,
        kind: Kind,
        order: Order,
        single: bool,
        first: u8,
        second: u8,
        third: Place,
    ) {
        let (one, two) = (Place::Register(first), Place::Register(second));
        let operands = match order {
            Order::F132 => [one, third, two],
            Order::F213 => [two, one, third],
            Order::F231 => [two, third, one],
        };
        for (argument, place) in ARGUMENTS.into_iter().zip(operands) {
            match place {
                Place::Register(r) => self.move_register(argument, r),
                _ => self.plain(LOAD.opcode(single), argument, place, None),
            }
        }
        let of_kind = Kind::ALL.into_iter().position(|k| k == kind).unwrap_or(0);
        let at = self.pairs.routines + 8 * (2 * of_kind + usize::from(!single)) as i32;
        // call [rdx + …]
        self.bytes.extend([0xff, 0x92]);
        self.bytes.extend(at.to_le_bytes());
        self.move_register(first, ARGUMENTS[0]);
    }

    /// Four numbers in another order.
    fn permute(&mut self, first: u8, third: Place, immediate: u8) {
        let upper = self.pairs.upper;
        let order = [0, 2, 4, 6].map(|shift| immediate >> shift & 3);
        if let Place::Memory(base, at) = third {
            let number = |l: u8| Place::Memory(base, at + 8 * i32::from(l));
            for h in 0..2 {
                let to = first + h as u8 * upper;
                self.plain(LOAD.opcode(true), to, number(order[2 * h]), None);
                self.plain(LOAD_HIGH, to, number(order[2 * h + 1]), None);
            }
            return;
        }
        let Place::Register(from) = third else {
            unreachable!("numbers are not broadcast");
        };
        // The result may be in the registers of the operand.
        let copies = [ARGUMENTS[0], ARGUMENTS[1]];
        self.move_register(copies[0], from);
        self.move_register(copies[1], from + upper);
        for h in 0..2 {
            let to = first + h as u8 * upper;
            let [low, high] = [order[2 * h], order[2 * h + 1]];
            self.move_register(to, copies[usize::from(low / 2)]);
            let high_from = Place::Register(copies[usize::from(high / 2)]);
            self.plain(SHUFFLE, to, high_from, Some((low % 2) | ((high % 2) << 1)));
        }
    }

    /// The operand, in a register if it is a pair in memory.
    fn aligned(&mut self, op: Opcode, place: Place) -> Place {
        match place {
            Place::Memory(..) if !op.single => {
                self.plain(LOAD.opcode(false), SCRATCH, place, None);
                Place::Register(SCRATCH)
            }
            _ => place,
        }
    }

    fn move_register(&mut self, to: u8, from: u8) {
        if to != from {
            self.plain(MOVE, to, Place::Register(from), None);
        }
    }

    /// One instruction with two operands.
    fn plain(&mut self, op: Opcode, first: u8, third: Place, immediate: Option<u8>) {
        debug_assert!(first < 16 && op.map == 1);
        self.bytes.push(if op.prefix == 3 { 0xf2 } else { 0x66 });
        let other = match third {
            Place::Register(r) => r,
            Place::Memory(base, _) | Place::Broadcast(base, _) => base as u8,
        };
        let high = first >> 3 << 2 | other >> 3;
        if high != 0 {
            self.bytes.push(0x40 | high);
        }
        self.bytes.extend([0x0f, op.byte]);
        let operands = (first & 7) << 3 | other & 7;
        match third {
            Place::Register(_) => self.bytes.push(0xc0 | operands),
            Place::Memory(_, at) | Place::Broadcast(_, at) => {
                // The encoding of r13 without displacement has another meaning.
                if at == 0 && other & 7 != 5 {
                    self.bytes.push(operands);
                } else if let Ok(short) = i8::try_from(at) {
                    self.bytes.extend([0x40 | operands, short as u8]);
                } else {
                    self.bytes.push(0x80 | operands);
                    self.bytes.extend(at.to_le_bytes());
                }
            }
        }
        self.bytes.extend(immediate);
    }
}
