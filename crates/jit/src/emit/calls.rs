//! Consecutive calls of functions, combined in one call of a routine.

use galilei_tape::Function;
use galilei_tape::code::{Code, Instr, Value};

use super::Emitter;
use super::allocate::{Home, NEVER};
use super::listing::Call;
use crate::encode::{Base, Place, STORE, Size};
use crate::routine::{Task, routine, width_for};

/// The runs of calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The first instruction and one past the last; leaves may be between them.
    pub(super) runs: Vec<(Value, Value)>,
    /// The largest number of doubles that the arguments of a run take.
    pub(super) arguments: u32,
    /// For each value: the last entry with it as argument.
    seen: Vec<u32>,
    /// The arguments of the current run.
    entries: Vec<Entry>,
}

/// One argument (or two) of a routine.
#[derive(Clone, Copy, Debug)]
struct Entry {
    a: Value,
    b: Value,
    /// The values of the results: that of the function, and that of the pair's second.
    results: [Value; 2],
}

/// The index of no value.
const NO_VALUE: u32 = u32::MAX;

impl Calls {
    pub(super) fn of(code: &Code, lanes: usize) -> Self {
        let mut this = Self::default();
        let instrs = code.instrs();
        let mut k = 0;
        while k < instrs.len() {
            let Instr::Call(f, ..) = instrs[k] else {
                k += 1;
                continue;
            };
            // A call belongs to the run if it waits for none of it.
            let belongs = |i: &Instr| match *i {
                Instr::Call(g, ..) => {
                    let known = |&v: &Value| (v as usize) < k || instrs[v as usize].is_leaf();
                    g.family() == f.family() && i.operands().iter().all(known)
                }
                _ => i.is_leaf(),
            };
            let len = instrs[k..].iter().take_while(|i| belongs(i)).count();
            let calls = instrs[k..k + len].iter().filter(|i| !i.is_leaf()).count();
            let width = if lanes == 1 { width_for(calls) } else { 1 };
            let numbers = calls.next_multiple_of(width) * lanes * if f.binary() { 2 } else { 1 };
            this.arguments = this.arguments.max(numbers.next_multiple_of(8) as u32);
            this.runs.push((k as Value, (k + len) as Value));
            k += len;
        }
        if !this.runs.is_empty() {
            this.seen = vec![NO_VALUE; instrs.len()];
        }
        this
    }
}

/// Whether a function is the second of its pair.
fn second(f: Function) -> usize {
    usize::from(f.family() != f)
}

impl Emitter<'_> {
    /// Emits the calls from `first` to before `end`.
    pub(super) fn run(&mut self, first: Value, end: Value) {
        let code = self.code;
        let mut entries = std::mem::take(&mut self.calls.entries);
        entries.clear();
        let mut kinds = [false; 2];
        let mut family = Function::Sin;
        for v in first..end {
            let i = &code.instrs()[v as usize];
            for &x in i.operands().iter() {
                self.advance(x);
            }
            let Instr::Call(f, a, b) = *i else { continue };
            family = f.family();
            let kind = second(f);
            kinds[kind] = true;
            // A sine and its cosine share an entry.
            let met = self.calls.seen[a as usize] as usize;
            match entries.get_mut(met) {
                Some(e) if e.a == a && !f.binary() && e.results[kind] == NO_VALUE => {
                    e.results[kind] = v;
                }
                _ => {
                    self.calls.seen[a as usize] = entries.len() as u32;
                    let mut results = [NO_VALUE; 2];
                    results[kind] = v;
                    entries.push(Entry { a, b, results });
                }
            }
        }
        let task = match kinds {
            [true, true] => Task::Pair(family),
            [false, _] => Task::One(match family {
                Function::Sinh => Function::Cosh,
                _ => Function::Cos,
            }),
            [true, false] => Task::One(family),
        };
        let unit = self.lanes as u32;
        let width = if self.lanes == 1 {
            width_for(entries.len())
        } else {
            self.lanes
        };
        let numbers = (entries.len() * self.lanes).next_multiple_of(width) as u32;
        let a = self.arguments(&entries, |e| e.a, 0, numbers);
        let b = if family.binary() {
            self.arguments(&entries, |e| e.b, numbers, numbers)
        } else {
            a
        };
        self.store_all();
        for e in &entries {
            self.release_memory(e.a);
            if family.binary() {
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
        let two = if task == Task::Pair(family) {
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
        self.calls.entries = entries;
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
