//! The order of instructions: those on the longest chains come first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Code, Instr, Value};

/// The distance from the first remaining instruction within which the scheduler chooses, for code of ordinary length,
/// where the longest chain decides. Long series need smaller windows: without a bound everything would be started at
/// once, and registers would run out.
pub const WINDOW: usize = 1200;

/// Cycles until a result can be used, roughly those of today's processors.
fn latency(i: &Instr) -> u32 {
    match i {
        Instr::Const(_) | Instr::Table(_) | Instr::Input(_) | Instr::Row(_) => 0,
        Instr::Neg(_)
        | Instr::Abs(_)
        | Instr::Least(..)
        | Instr::Greatest(..)
        | Instr::Lane(_, 0 | 1) => 1,
        Instr::Lane(..) | Instr::Permute(..) => 3,
        Instr::Add(..) | Instr::Sub(..) | Instr::Mul(..) => 3,
        Instr::Fma(..) | Instr::Fnma(..) | Instr::Fms(..) => 4,
        Instr::Positive(..) | Instr::NotNegative(..) => 4,
        Instr::Pack(_) => 5,
        Instr::Div(..) | Instr::Sqrt(_) => 14,
        Instr::Call(..) | Instr::Lookup(..) => 60,
    }
}

/// The number of instructions issued in a cycle.
const ISSUED_PER_CYCLE: usize = 2;

impl Code {
    /// The code as it is compiled: products fused with sums, unless each operation is to be rounded separately, and
    /// instructions scheduled with a window.
    #[must_use]
    pub fn optimised(&self, separate: bool, window: usize) -> Self {
        match separate {
            true => self.scheduled(window),
            false => self.fused().scheduled(window),
        }
    }

    /// Cycles of the longest chain of instructions that wait for each other, roughly.
    pub fn longest_chain(&self) -> usize {
        let mut done = vec![0u32; self.instrs.len()];
        for (k, i) in self.instrs.iter().enumerate() {
            let operands = i.operands();
            let ready = operands.iter().map(|&v| done[v as usize]).max();
            done[k] = ready.unwrap_or(0) + latency(i);
        }
        done.into_iter().max().unwrap_or(0) as usize
    }

    /// The code in an order that keeps the processor busy. Calls of functions come as early as possible, those of one
    /// depth together: see [`Code::gathered`].
    #[must_use]
    pub fn scheduled(&self, window: usize) -> Self {
        let n = self.instrs.len();
        // Users of each value, in one list.
        let mut start = vec![0u32; n + 1];
        for i in &self.instrs {
            for &v in i.operands().iter() {
                start[v as usize + 1] += 1;
            }
        }
        for k in 0..n {
            start[k + 1] += start[k];
        }
        let mut users = vec![0 as Value; start[n] as usize];
        let mut fill = start.clone();
        let mut pending = vec![0u32; n];
        for (k, i) in self.instrs.iter().enumerate() {
            let operands = i.operands();
            pending[k] = operands.len() as u32;
            for &v in operands.iter() {
                users[fill[v as usize] as usize] = k as Value;
                fill[v as usize] += 1;
            }
        }
        let users_of = |k: usize| &users[start[k] as usize..start[k + 1] as usize];
        let mut rank = vec![0u32; n];
        for k in (0..n).rev() {
            let longest = users_of(k).iter().map(|&u| rank[u as usize]).max();
            rank[k] = longest.unwrap_or(0) + latency(&self.instrs[k]);
        }
        let mut order = Vec::with_capacity(n);
        let mut done = vec![false; n];
        let mut when = vec![0u32; n];
        // Ready now; ready at a time; ready but beyond the window.
        let mut ready: BinaryHeap<(u32, Reverse<Value>)> = BinaryHeap::new();
        let mut soon: BinaryHeap<Reverse<(u32, Value)>> = BinaryHeap::new();
        let mut beyond: BinaryHeap<Reverse<(Value, u32)>> = BinaryHeap::new();
        for k in 0..n {
            if pending[k] == 0 {
                soon.push(Reverse((0, k as Value)));
            }
        }
        let (mut low, mut clock) = (0, 0);
        while order.len() < n {
            while low < n && done[low] {
                low += 1;
            }
            while let Some(&Reverse((k, t))) = beyond.peek() {
                if k as usize >= low + window {
                    break;
                }
                beyond.pop();
                soon.push(Reverse((t, k)));
            }
            let mut issued = 0;
            while issued < ISSUED_PER_CYCLE {
                while let Some(&Reverse((t, k))) = soon.peek() {
                    if t > clock {
                        break;
                    }
                    soon.pop();
                    if (k as usize) < low + window {
                        ready.push((rank[k as usize], Reverse(k)));
                    } else {
                        beyond.push(Reverse((k, t)));
                    }
                }
                let Some((_, Reverse(k))) = ready.pop() else {
                    break;
                };
                let at = k as usize;
                order.push(k);
                done[at] = true;
                if !self.instrs[at].is_leaf() {
                    issued += 1;
                }
                let t = clock + latency(&self.instrs[at]);
                for &u in users_of(at) {
                    let u = u as usize;
                    when[u] = when[u].max(t);
                    pending[u] -= 1;
                    if pending[u] == 0 {
                        soon.push(Reverse((when[u], u as Value)));
                    }
                }
            }
            // No result is available before the next one.
            clock = match soon.peek() {
                Some(&Reverse((t, _))) if ready.is_empty() => t.max(clock + 1),
                _ => clock + 1,
            };
        }
        self.rearranged(self.gather(&order).into_iter())
    }

    /// The code with calls of one depth (the number of calls behind one another) placed together, those of each
    /// function consecutively, before everything that they do not need: one vector call can serve them all.
    #[must_use]
    pub fn gathered(&self) -> Self {
        let order: Vec<Value> = (0..self.instrs.len() as Value).collect();
        self.rearranged(self.gather(&order).into_iter())
    }

    /// An order of instructions with calls gathered.
    fn gather(&self, before: &[Value]) -> Vec<Value> {
        let n = before.len();
        let instr = |k: Value| &self.instrs[k as usize];
        let is_call = |k: Value| matches!(instr(k), Instr::Call(..));
        let mut depth = vec![0u32; n];
        let mut deepest = 0;
        for &k in before {
            let operands = instr(k).operands();
            let below = operands.iter().map(|&v| depth[v as usize]).max();
            depth[k as usize] = below.unwrap_or(0) + u32::from(is_call(k));
            deepest = deepest.max(depth[k as usize]);
        }
        let mut order: Vec<Value> = Vec::with_capacity(n);
        let mut done = vec![false; n];
        for level in 1..=deepest {
            let mut calls: Vec<Value> = before
                .iter()
                .copied()
                .filter(|&k| is_call(k) && depth[k as usize] == level)
                .collect();
            // The instructions that the arguments need.
            let mut needed = vec![false; n];
            for &k in &calls {
                for &v in instr(k).operands().iter() {
                    needed[v as usize] = true;
                }
            }
            for &k in before.iter().rev() {
                if needed[k as usize] && !done[k as usize] {
                    for &v in instr(k).operands().iter() {
                        needed[v as usize] = true;
                    }
                }
            }
            for &k in before {
                if needed[k as usize] && !done[k as usize] {
                    done[k as usize] = true;
                    order.push(k);
                }
            }
            calls.sort_by_key(|&k| match *instr(k) {
                // Sine and cosine of one angle share their work.
                Instr::Call(f, a, b) => (f.family(), a, b, f),
                _ => unreachable!("only calls were taken"),
            });
            for k in calls {
                if !done[k as usize] {
                    done[k as usize] = true;
                    order.push(k);
                }
            }
        }
        order.extend(before.iter().copied().filter(|&k| !done[k as usize]));
        order
    }
}
