//! Series of a motion whose velocities are known functions of fewer: u = U(t, x, v), and the quasi-
//! velocities v solve N·v̇ = r.

use super::plan::{Level, Plan, UNROLLED, levels};
use super::unroll::Unroll;
use super::{Series, Wanted, not_written};
use crate::code::Value;
use crate::jets::{Rates, moving};
use crate::tape::{Op, Reg, Tape};

/// A motion by quasi-velocities. Their registers say what they are at a state; in series they are
/// unknowns, from which the velocities and all else follow.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// The registers of v, functions of (t, x, u).
    pub quasi: Vec<Reg>,
    /// The registers of u, functions of (t, x, v).
    pub velocities: Vec<Reg>,
    /// N and r, functions of (t, x, u, v).
    pub equations: Box<Rates>,
    /// Registers that are positive where u and v determine each other well.
    pub measures: Vec<Reg>,
}

impl Reduced {
    /// How the series are unrolled, and between what does not depend on v and what depends on the
    /// velocities, the registers that the velocities need.
    fn plan(&self, tape: &Tape, wanted: &Wanted, n: usize, p: usize) -> (Plan<'_>, Vec<Level>) {
        let first = 2 * n + 1;
        let moves = moving(tape, n);
        let constant = |r: &Reg| matches!(tape.ops[*r as usize], Op::Const(_));
        let reached = |from: &[Reg]| -> Vec<Reg> {
            let list = tape.reached_before(from.iter().copied(), first, &self.quasi);
            list.into_iter().filter(|r| !constant(r)).collect()
        };
        let kinks = tape.kinks.iter().map(|k| k.register);
        let series: Vec<Reg> = wanted.series.iter().copied().chain(kinks).collect();
        let equations = self.equations.right.iter().chain(&self.equations.matrix);
        let roots: Vec<Reg> = equations.chain(&series).copied().collect();
        let (kinematic, last, all) = (reached(&self.velocities), reached(&series), reached(&roots));
        let after = |list: &[Reg]| -> Vec<Reg> {
            let behind = |r: &&Reg| moves[**r as usize] && kinematic.binary_search(r).is_err();
            list.iter().filter(behind).copied().collect()
        };
        let (bound, mut still): (Vec<Reg>, Vec<Reg>) =
            kinematic.iter().partition(|&&r| moves[r as usize]);
        still.extend(all.iter().filter(|r| !moves[**r as usize]));
        still.sort_unstable();
        still.dedup();
        let inputs = 0..first as Reg;
        let valued = inputs.chain(roots).chain(wanted.values.iter().copied());
        let valued = valued.chain(self.velocities.iter().chain(&self.measures).copied());
        let valued = tape.reached(valued.chain(self.quasi.iter().copied()), 0);
        let products = still.len() + bound.len() + all.len();
        let plan = Plan {
            squares: None,
            still: levels(tape, &still),
            moving: levels(tape, &after(&all)),
            last: levels(tape, &after(&last)),
            squared: vec![],
            accelerated: vec![],
            slopes: vec![],
            velocities: 0,
            augmented: None,
            too_long: products * p * p / 2 + valued.len() > UNROLLED,
            valued,
        };
        (plan, levels(tape, &bound))
    }
}

impl Tape {
    /// The series of a motion by quasi-velocities.
    pub(super) fn reduced_series(
        &self,
        rates: &Rates,
        reduced: &Reduced,
        wanted: &Wanted,
        p: usize,
    ) -> Series {
        let n = rates.dimension;
        let equations = &reduced.equations;
        let (plan, kinematic) = reduced.plan(self, wanted, n, p);
        if plan.too_long {
            return not_written(self, rates, wanted, p);
        }
        let mut w = Unroll::new(self, n, wanted.own_sides, 0);
        w.packed = wanted.packed;
        let values = w.start(&plan.valued);
        let value = |r: Reg| values[r as usize];
        let (system, guard) = plan.system(&mut w.asm, equations, &value, p);
        let guard = reduced
            .measures
            .iter()
            .fold(guard, |guard, &measure| w.asm.least(guard, value(measure)));
        let mut rates_of_quasi: Vec<Vec<Value>> = vec![Vec::new(); reduced.quasi.len()];
        for k in 1..=p {
            let over = w.asm.number(1.0 / k as f64);
            w.move_on(k, over);
            let push = |w: &mut Unroll<'_>, r: Reg, c: Value| w.coefficients[r as usize].push(c);
            w.advance(&plan.still, k, push);
            let right = plan.right(&mut w, equations, &rates_of_quasi, k);
            let solution = system.solve(&mut w.asm, right, 0, wanted.packed);
            for (a, &v) in reduced.quasi.iter().enumerate() {
                rates_of_quasi[a].push(solution[a]);
                let c = w.asm.mul(solution[a], over);
                push(&mut w, v, c);
            }
            w.advance(&kinematic, k, push);
            for (i, &u) in reduced.velocities.iter().enumerate() {
                let own = (1 + n + i) as Reg;
                // A velocity may be a quasi-velocity itself.
                if !reduced.quasi.contains(&own) {
                    let c = w.get(u, k, k);
                    push(&mut w, own, c);
                }
            }
            w.advance(if k < p { &plan.moving } else { &plan.last }, k, push);
        }
        w.finish(wanted, &[], guard, vec![], p)
    }
}
