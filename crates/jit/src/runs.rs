//! Runs of calls: consecutive calls of functions that one call of a routine computes.

use galilei_tape::Function;
use galilei_tape::code::{Code, Instr, Value};

use crate::routine::{Task, width_for};

/// The runs of calls.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The first instruction and one past the last; leaves may be between them.
    pub(crate) list: Vec<(Value, Value)>,
    /// The largest number of doubles that the arguments of a run take.
    pub(crate) arguments: u32,
    /// For each value: the last entry with it as argument.
    seen: Vec<u32>,
    /// The arguments of the current run.
    pub(crate) entries: Vec<Entry>,
}

/// One argument (or two) of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) a: Value,
    pub(crate) b: Value,
    /// The values of the results: that of the function, and that of the pair's second.
    pub(crate) results: [Value; 2],
}

/// The index of no value.
pub(crate) const NO_VALUE: u32 = u32::MAX;

impl Runs {
    pub(crate) fn of(code: &Code, lanes: usize) -> Self {
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
            this.list.push((k as Value, (k + len) as Value));
            k += len;
        }
        if !this.list.is_empty() {
            this.seen = vec![NO_VALUE; instrs.len()];
        }
        this
    }

    /// The calls from `first` to before `end`, by their arguments. Its entries are to be put back when they are done
    /// with, so that their memory is used again.
    pub(crate) fn group(&mut self, code: &Code, first: Value, end: Value) -> Group {
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        let mut kinds = [false; 2];
        let mut family = Function::Sin;
        for v in first..end {
            let Instr::Call(f, a, b) = code.instrs()[v as usize] else {
                continue;
            };
            family = f.family();
            let kind = usize::from(family != f);
            kinds[kind] = true;
            // A sine and its cosine share an entry.
            let met = self.seen[a as usize] as usize;
            match entries.get_mut(met) {
                Some(e) if e.a == a && !f.binary() && e.results[kind] == NO_VALUE => {
                    e.results[kind] = v;
                }
                _ => {
                    self.seen[a as usize] = entries.len() as u32;
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
        Group {
            entries,
            kinds,
            task,
        }
    }
}

/// The calls of a run.
#[derive(Debug)]
pub(crate) struct Group {
    /// The arguments, each with its results.
    pub(crate) entries: Vec<Entry>,
    /// Whether the function is called, and whether the second one of its pair is.
    pub(crate) kinds: [bool; 2],
    /// The task of the routine.
    pub(crate) task: Task,
}
