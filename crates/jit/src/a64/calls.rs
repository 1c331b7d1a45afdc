//! Calls of routines: arguments, results, values that live across them.

use galilei_tape::code::Value;

use super::encode::{self, LOW, Size};
use super::entry::{Base, CALL};
use super::{Emitter, Parts};
use crate::homes::{Home, NEVER};
use crate::mode::Encoding;
use crate::routine::{Task, routine, width_for};
use crate::runs::{Entry, NO_VALUE};

impl Emitter<'_> {
    /// Emits the calls from `first` to before `end`.
    pub(super) fn run(&mut self, first: Value, end: Value) {
        let code = self.code;
        for i in &code.instrs()[first as usize..end as usize] {
            for &x in i.operands().iter() {
                self.advance(x);
            }
        }
        let group = self.runs.group(code, first, end);
        let (entries, kinds, task) = (group.entries, group.kinds, group.task);
        let unit = self.lanes as u32;
        let width = if self.lanes == 1 {
            width_for(entries.len())
        } else {
            self.lanes
        };
        let numbers = (entries.len() * self.lanes).next_multiple_of(width) as u32;
        let a = self.arguments(&entries, |e| e.a, 0, numbers);
        let b = if task.binary() {
            self.arguments(&entries, |e| e.b, numbers, numbers)
        } else {
            a
        };
        self.store_all();
        for e in &entries {
            self.release_memory(e.a);
            if task.binary() {
                self.release_memory(e.b);
            }
        }
        // The results remain where they are written.
        let align = if self.lanes == 1 { width as u32 } else { unit };
        let mut blocks = [NO_VALUE; 2];
        for kind in 0..2 {
            if kinds[kind] {
                blocks[kind] = self.frame.block(numbers, align);
            }
        }
        let one = if kinds[0] { blocks[0] } else { blocks[1] };
        let two = if matches!(task, Task::Pair(_)) {
            blocks[1]
        } else {
            one
        };
        // The bases are in registers that calls preserve, so arguments can be set in any order.
        for (register, (base, at)) in [
            (0, a),
            (1, b),
            (2, (Base::Frame, one * 8)),
            (3, (Base::Frame, two * 8)),
        ] {
            let from = self.pointers.register(base);
            self.address(register, from, at);
        }
        let function = routine(task, width, Encoding::Neon) as *const () as usize;
        self.words
            .extend(encode::number(4, u64::from(numbers / width as u32)));
        self.words.extend(encode::number(CALL, function as u64));
        self.push(encode::call(CALL));
        self.pointers.clear();
        for kind in 0..2 {
            if kinds[kind] {
                for k in 0..numbers / unit {
                    let slot = blocks[kind] + k * unit;
                    let v = entries
                        .get(k as usize)
                        .map_or(NO_VALUE, |e| e.results[kind]);
                    self.deliver(v, slot);
                }
            }
        }
        self.runs.entries = entries;
        for v in first..end {
            if code.instrs()[v as usize].is_leaf() {
                self.registers.pinned = 0;
                self.leaf(v);
            }
        }
    }

    /// Assigns a result in a slot to its value. The slot is free if the value has no use.
    fn deliver(&mut self, v: Value, slot: u32) {
        if v == NO_VALUE {
            self.frame.free(slot, false);
            return;
        }
        self.values[v as usize].home = Home::new(Home::SLOT, slot);
        if self.outputs.has(v) {
            self.registers.pinned = 0;
            self.bring(v);
            self.store_outputs(v);
        }
        if self.values[v as usize].next == NEVER {
            self.release_register(v);
            self.release_memory(v);
        }
    }

    /// Places arguments consecutively, from number `at` of the frame on, unless they are so already; the last one is
    /// repeated to fill `numbers`. Returns their address.
    fn arguments(
        &mut self,
        entries: &[Entry],
        of: impl Fn(&Entry) -> Value,
        at: u32,
        numbers: u32,
    ) -> (Base, u32) {
        let unit = self.lanes as u32;
        let row = self.values[of(&entries[0]) as usize].home;
        let stands =
            |(k, e): (usize, &Entry)| self.values[of(e) as usize].home == row.plus(k as u32 * unit);
        if self.lanes > 1 && row.kind() == Home::INPUT && entries.iter().enumerate().all(stands) {
            return self.place(of(&entries[0]));
        }
        let argument = |k: u32| of(&entries[(k as usize).min(entries.len() - 1)]);
        // Written with the width at which the routine reads them: a load that spans two stores waits for both.
        let step = if self.lanes == 1 && numbers >= 2 {
            2
        } else {
            unit
        };
        for k in (0..numbers).step_by(step as usize) {
            self.registers.pinned = 0;
            if self.lanes > 1 || step == 1 {
                let v = argument(k / unit);
                self.bring(v);
                self.store(v, Base::Frame, (at + k) * 8);
                continue;
            }
            let (low, high) = (argument(k), argument(k + 1));
            self.pin(high);
            let [x, y] = [low, high].map(|v| self.bring(v).at(0));
            let pair: Parts = self.take(1);
            self.push(LOW.word(pair.at(0), x, y));
            self.access(false, Size::Pair, pair.at(0), Base::Frame, (at + k) * 8);
            self.registers.forget(&pair);
        }
        (Base::Frame, at * 8)
    }
}
