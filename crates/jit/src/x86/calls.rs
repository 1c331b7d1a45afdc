//! Calls of routines: arguments, results, values that live across them.

use galilei_tape::code::Value;

use super::Emitter;
use super::encode::{Base, Place, STORE, Size};
use super::listing::Call;
use crate::homes::{Home, NEVER};
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
        let function = routine(task, width, self.encoding);
        self.asm.calls.push(Call {
            before: self.asm.lines.len() as u32,
            upper: self.lanes > 1 || code.has_wide() || numbers > 2,
            arguments: [a, b],
            results: [one, two].map(|at| self.frame_at(at)),
            function: function as *const () as usize,
            count: numbers / width as u32,
        });
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
            let r = self.load(v);
            self.store_outputs(v, r);
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
    ) -> (Base, i32) {
        let unit = self.lanes as u32;
        let row = self.values[of(&entries[0]) as usize].home;
        let stands =
            |(k, e): (usize, &Entry)| self.values[of(e) as usize].home == row.plus(k as u32 * unit);
        if self.lanes > 1 && row.kind() == Home::INPUT && entries.iter().enumerate().all(stands) {
            let Place::Memory(base, at) = self.place(of(&entries[0])) else {
                unreachable!("inputs are not broadcast");
            };
            return (base, at);
        }
        let argument = |k: u32| of(&entries[(k as usize).min(entries.len() - 1)]);
        if self.lanes == 1 && numbers >= 2 {
            // Written with the width at which the routine reads them: a load that spans several stores waits until
            // all of them have reached the cache, here about 20 ns.
            let step = if numbers == 2 { 2 } else { 4 };
            for k in (0..numbers).step_by(step as usize) {
                self.registers.pinned = 0;
                for l in 0..step {
                    self.pin(argument(k + l));
                }
                let (r, size) = if step == 2 {
                    (self.pair(argument(k), argument(k + 1)), Size::Two)
                } else {
                    let four = [0, 1, 2, 3].map(|l| argument(k + l));
                    (self.four(four), Size::Four)
                };
                let to = Place::Memory(Base::Frame, self.frame_at(at + k));
                self.asm.vector(STORE.opcode(false), size, r, 0, to);
                self.registers.free(r);
            }
            return (Base::Frame, self.frame_at(at));
        }
        // First those in registers, which may be given up for the others.
        self.registers.pinned = 0;
        for held in [true, false] {
            for k in 0..numbers / unit {
                let v = argument(k);
                let to = Place::Memory(Base::Frame, self.frame_at(at + k * unit));
                match self.where_is(v) {
                    Place::Register(r) if held => self.store(v, r, to),
                    from @ (Place::Memory(..) | Place::Broadcast(..)) if !held => {
                        let r = self.take();
                        self.copy(v, r, from);
                        self.store(v, r, to);
                        self.registers.free(r);
                    }
                    _ => {}
                }
            }
        }
        (Base::Frame, self.frame_at(at))
    }
}
