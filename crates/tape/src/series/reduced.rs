//! Unrolled Taylor series of a motion by quasi-velocities.
//!
//! Constraints that are affine in the velocities leave fewer independent ones, the quasi-velocities v. The velocities
//! are functions u = U(t, x, v), and the equations of motion are N·v̇ = r, without multipliers. Order by order the series
//! are computed in this sequence: registers that do not depend on u or v (*still*), the coefficient of v from N·v̇ = r,
//! registers that follow from t, x and v alone with the velocities among them (*direct*), all others (*later*).

use super::job::MIN_LIKE_JOBS_REDUCED;
use super::plan::{Level, MAX_INSTRUCTIONS, Plan, levels};
use super::unroll::Unroll;
use super::{Series, Wanted, not_written};
use crate::code::Value;
use crate::jets::{Rates, moving};
use crate::tape::{Op, Reg, Tape};

/// A motion by quasi-velocities. Their registers give their values at a state; in series they are unknowns, from
/// which the velocities and all other quantities follow.
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

/// The plan of unrolling reduced series.
struct Stages<'a> {
    /// The plan without registers that follow from v alone: those that depend on the velocities are in
    /// [`Plan::moving`], for the highest order in [`Plan::last`].
    plan: Plan<'a>,
    /// Registers that follow from t, x and v alone, the velocities first, and those of them that are wanted to the
    /// highest order.
    direct: [Vec<Level>; 2],
}

impl Reduced {
    /// For each register of the tape whether it depends on velocities u other than through the quasi-velocities.
    fn depends_on_velocities(&self, tape: &Tape, n: usize) -> Vec<bool> {
        let mut list = vec![false; tape.ops.len()];
        for at in 0..tape.ops.len() {
            let operands = tape.ops[at].operands();
            list[at] = !self.quasi.contains(&(at as Reg))
                && (n < at && at <= 2 * n
                    || operands
                        .iter()
                        .any(|&r| (r as usize) < at && list[r as usize]));
        }
        list
    }

    /// The plan for the wanted quantities to order `p`, in `n` coordinates.
    fn stages(&self, tape: &Tape, wanted: &Wanted, n: usize, p: usize) -> Stages<'_> {
        let first = 2 * n + 1;
        let (moves, bound) = (moving(tape, n), self.depends_on_velocities(tape, n));
        let constant = |r: &Reg| matches!(tape.ops[*r as usize], Op::Const(_));
        let reached = |from: &[Reg]| -> Vec<Reg> {
            let list = tape.reached_before(from.iter().copied(), first, &self.quasi);
            list.into_iter().filter(|r| !constant(r)).collect()
        };
        let kinks = tape.kinks.iter().map(|k| k.register);
        let highest: Vec<Reg> = wanted.series.iter().copied().chain(kinks).collect();
        let equations = self.equations.right.iter().chain(&self.equations.matrix);
        let velocities = self.velocities.iter();
        let all: Vec<Reg> = equations.chain(&highest).copied().collect();
        let highest: Vec<Reg> = highest.iter().chain(velocities.clone()).copied().collect();
        let (last, roots) = (reached(&highest), all.iter().chain(velocities).copied());
        let roots: Vec<Reg> = roots.collect();
        let every = reached(&roots);
        let picked = |list: &[Reg], what: &dyn Fn(usize) -> bool| {
            let list: Vec<Reg> = (list.iter().copied())
                .filter(|&r| what(r as usize))
                .collect();
            levels(tape, &list)
        };
        let (direct, later) = (
            |r: usize| moves[r] && !bound[r],
            |r: usize| moves[r] && bound[r],
        );
        let values = wanted
            .values
            .iter()
            .chain(&self.measures)
            .chain(&self.quasi);
        let valued = (0..first as Reg).chain(roots).chain(values.copied());
        let valued = tape.reached(valued, 0);
        Stages {
            plan: Plan {
                still: picked(&every, &|r| !moves[r]),
                moving: picked(&every, &later),
                last: picked(&last, &later),
                too_long: every.len() * p * p / 2 + valued.len() > MAX_INSTRUCTIONS,
                valued,
                ..Plan::default()
            },
            direct: [picked(&every, &direct), picked(&last, &direct)],
        }
    }
}

impl Rates {
    /// The reduced equations, if they give all wanted quantities.
    pub fn reduced_for(&self, wanted: &Wanted) -> Option<&Reduced> {
        let enough = !wanted.multipliers && wanted.directions == 0;
        self.reduced.as_ref().filter(|_| enough)
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
        let Stages { plan, direct } = reduced.stages(self, wanted, n, p);
        if plan.too_long {
            return not_written(self, rates, wanted, p);
        }
        let mut w = Unroll::new(self, n, wanted.own_branches, 0);
        (w.packed, w.like) = (wanted.packed, MIN_LIKE_JOBS_REDUCED);
        for &v in &reduced.quasi {
            // The coefficient of v of each order is known as early as the other factors of its products.
            w.moving[v as usize] = false;
        }
        let values = w.start(&plan.valued);
        let value = |r: Reg| values[r as usize];
        // The velocities of the state satisfy the constraints up to rounding, U(t, x, v) does so exactly.
        for (i, &u) in reduced.velocities.iter().enumerate() {
            w.coefficients[1 + n + i][0] = value(u);
        }
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
                let c = w.asm.rescale(solution[a], 1.0 / k as f64);
                push(&mut w, v, c);
            }
            w.advance(&direct[usize::from(k == p)], k, push);
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
