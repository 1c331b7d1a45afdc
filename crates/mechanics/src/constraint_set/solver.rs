//! Branches of the solutions of constraints: some of t, x, u as functions of the others.

use galilei_expr::{Assumptions, Expr, Query, Reading};

use super::{Branch, MAX_BRANCHES, MAX_DEGREE};
use crate::state_space::StateSpace;

/// Written size (symbols and numbers) up to which the formulas of a branch are followed.
const MAX_BRANCH_SIZE: u64 = 300;

/// Solves equations between t, x and u one after the other.
pub(super) struct Solver<'a, 'p> {
    pub(super) state: &'a StateSpace<'p>,
    pub(super) constants: &'a [(Expr<'p>, Expr<'p>)],
    pub(super) assumptions: &'a Assumptions<'p>,
}

/// The ways to solve an equation, the preferred one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    VelocityConstant,
    Velocity,
    PositionConstant,
    VelocitySquare,
    Position,
    PositionSquare,
    Time,
    Parameter,
}

impl<'p> Solver<'_, 'p> {
    /// The factors of a function that vanish somewhere and depend on the state, and whether no others are
    /// hidden in them.
    pub(super) fn vanishing_factors(&self, f: Expr<'p>) -> (Vec<Expr<'p>>, bool) {
        let reading = Reading::new().assuming(self.assumptions);
        let found = f.factors(&reading);
        let symbols = self.state.chart().coordinates();
        let vanishing = |(e, q): (Expr<'p>, galilei_expr::Rational)| {
            let fixed = e.substitute(self.constants);
            let can = !q.is_negative()
                && e.contains_any(symbols)
                && !fixed.decide_never_zero(self.assumptions).is_proved();
            can.then_some(e)
        };
        let affine = f.polynomial(self.state.velocities(), 1).is_ok()
            && f.contains_any(self.state.velocities());
        let list: Vec<Expr<'p>> = found.list.into_iter().filter_map(vanishing).collect();
        (list, found.complete || affine)
    }

    /// Adds the branches on which all equations hold; false if some were not found.
    pub(super) fn solve(
        &self,
        equations: &[Expr<'p>],
        branch: &Branch<'p>,
        out: &mut Vec<Branch<'p>>,
    ) -> bool {
        let zero = |e: Expr<'p>| {
            let query = Query::zero(e).assuming(self.assumptions);
            query.decide().verdict
        };
        let mut open: Vec<Expr<'p>> = Vec::new();
        for &e in equations {
            if e.is_undefined() {
                return false;
            }
            // With the values of parameters, too.
            if !zero(e).is_proved() && !zero(e.substitute(self.constants)).is_proved() {
                open.push(e);
            }
        }
        if open.is_empty() {
            if out.len() >= MAX_BRANCHES {
                return false;
            }
            out.push(branch.clone());
            return true;
        }
        let Some((k, _, _)) = self.best(&open) else {
            return false;
        };
        let chosen = open.remove(k);
        // A product vanishes with any of its factors.
        let (factors, complete) = self.vanishing_factors(chosen);
        let mut covered = complete;
        for f in factors {
            let Some((_, symbol, _)) = self.best(&[f]) else {
                covered = false;
                continue;
            };
            covered &= self.solve_for(f, symbol, &open, branch, out);
        }
        covered
    }

    fn solve_for(
        &self,
        f: Expr<'p>,
        symbol: Expr<'p>,
        rest: &[Expr<'p>],
        branch: &Branch<'p>,
        out: &mut Vec<Branch<'p>>,
    ) -> bool {
        let Ok(p) = f.polynomial(&[symbol], 2) else {
            return false;
        };
        let [c, b, a] = [0, 1, 2].map(|k| p.coefficient(&[k]));
        if a.is_zero() || a.decide_zero().is_proved() {
            if b.decide_zero().is_proved() {
                return false;
            }
            return self.go_on(symbol, -c / b, rest, branch, out);
        }
        let (middle, radicand) = if b.decide_zero().is_proved() {
            (self.state.pool().zero(), -c / a)
        } else {
            (-b / (2 * a), (b.pow(2) - 4 * a * c) / (4 * a.pow(2)))
        };
        let reading = Reading::new().assuming(self.assumptions);
        let radicand = radicand.present(&reading);
        let fixed = radicand.substitute(self.constants).present(&reading);
        if fixed.sign_everywhere(self.assumptions) == Some(-1) {
            // No real root anywhere.
            return true;
        }
        if (-fixed).is_nonnegative_everywhere(self.assumptions) {
            // Real only where the radicand vanishes.
            let mut more = rest.to_vec();
            more.push(radicand);
            return self.go_on(symbol, middle, &more, branch, out);
        }
        let width = radicand.sqrt();
        let upper = self.go_on(symbol, middle + width, rest, branch, out);
        let lower = self.go_on(symbol, middle - width, rest, branch, out);
        upper && lower
    }

    fn go_on(
        &self,
        symbol: Expr<'p>,
        value: Expr<'p>,
        rest: &[Expr<'p>],
        branch: &Branch<'p>,
        out: &mut Vec<Branch<'p>>,
    ) -> bool {
        if value.is_undefined() || value.contains(symbol) || value.written_size() > MAX_BRANCH_SIZE
        {
            return false;
        }
        let pair = [(symbol, value)];
        let pool = self.state.pool();
        let rest = pool.substitute_all(rest, &pair);
        let mut longer = branch.clone();
        for known in &mut longer.values {
            known.1 = known.1.substitute(&pair);
        }
        longer.values.push((symbol, value));
        self.solve(&rest, &longer, out)
    }

    /// The equation that is easiest to solve, the symbol it is solved for, and the way.
    fn best(&self, equations: &[Expr<'p>]) -> Option<(usize, Expr<'p>, Way)> {
        let state = self.state;
        let mut best: Option<(usize, Expr<'p>, Way)> = None;
        let mut offer = |k: usize, s: Expr<'p>, way: Way| {
            if best.as_ref().is_none_or(|b| way < b.2) {
                best = Some((k, s, way));
            }
        };
        let coordinates = state.chart().coordinates();
        let degree = |e: Expr<'p>, s: Expr<'p>| {
            let p = e.polynomial(&[s], MAX_DEGREE).ok()?;
            let lead = p.coefficient(&[p.degree()]);
            Some((p.degree(), !lead.contains_any(coordinates)))
        };
        for (k, &e) in equations.iter().enumerate() {
            for &u in state.velocities() {
                match e.contains(u).then(|| degree(e, u)).flatten() {
                    Some((1, true)) => offer(k, u, Way::VelocityConstant),
                    Some((1, false)) => offer(k, u, Way::Velocity),
                    Some((2, _)) => offer(k, u, Way::VelocitySquare),
                    _ => {}
                }
            }
            for &x in state.base().positions() {
                match e.contains(x).then(|| degree(e, x)).flatten() {
                    Some((1, true)) => offer(k, x, Way::PositionConstant),
                    Some((1, false)) => offer(k, x, Way::Position),
                    Some((2, _)) => offer(k, x, Way::PositionSquare),
                    _ => {}
                }
            }
            let t = state.time();
            if e.contains(t) && matches!(degree(e, t), Some((1, _))) {
                offer(k, t, Way::Time);
            }
            for &(s, _) in self.constants {
                if e.contains(s) && matches!(degree(e, s), Some((1, true))) {
                    offer(k, s, Way::Parameter);
                }
            }
        }
        best
    }
}
