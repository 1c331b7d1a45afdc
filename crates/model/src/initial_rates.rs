//! Velocities at the start that follow from the motion of bodies: `initial omega(BODY) = (…)`,
//! `initial velocity(BODY, …) = (…)`.

use galilei_expr::Expr;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, refused};
use crate::model::Model;
use crate::momenta::Start;

/// Coefficients below this, relative to the largest of their equation, do not determine a velocity.
const SMALLEST_PIVOT: f64 = 1e-9;
/// Remainders above this contradict, relative to the largest number of their equation.
const LARGEST_REMAINDER: f64 = 1e-9;

/// Equations for the velocities at the start.
#[derive(Clone, Debug)]
pub struct InitialRates<E> {
    /// Functions f(t, x, u) that vanish at the start: those that the file gives, then the rates of its constraints.
    pub equations: Vec<E>,
    /// The number of equations that the file gives.
    pub written: usize,
    /// The coordinates whose velocities the file does not give.
    pub unknown: Vec<usize>,
    /// The coordinates whose velocities follow from the equations.
    pub solved: Vec<usize>,
}

impl<E> Default for InitialRates<E> {
    fn default() -> Self {
        Self {
            equations: vec![],
            written: 0,
            unknown: vec![],
            solved: vec![],
        }
    }
}

/// The reason for which velocities do not follow.
pub(crate) enum Unsolved {
    /// The equation with this index contradicts the others, by the given number.
    Contradictory(usize, f64),
    /// The velocities with these indices are not determined.
    Undetermined(Vec<usize>),
}

/// Σ row·u + rest = 0, and whether it was written as an initial value.
struct Equation<'p> {
    row: Vec<Expr<'p>>,
    rest: Expr<'p>,
    written: bool,
}

/// The velocities that follow from some functions of them, the first ones written as initial values, which vanish;
/// each with its index. Functions that are not affine in the velocities determine nothing. The sizes of numbers decide
/// which velocity an equation is solved for.
pub(crate) fn solve<'p>(
    functions: &[Expr<'p>],
    written: usize,
    u: &[Expr<'p>],
    size: &dyn Fn(Expr<'p>) -> f64,
) -> Result<Vec<(usize, Expr<'p>)>, Unsolved> {
    let mut all: Vec<(usize, Equation<'p>)> = Vec::new();
    for (k, f) in functions.iter().enumerate() {
        let zero = f.pool().zero();
        let row = f.gradient(u);
        if row.iter().any(|b| b.contains_any(u)) {
            continue;
        }
        let nothing: Vec<_> = u.iter().map(|&u| (u, zero)).collect();
        let rest = f.substitute(&nothing);
        let written = k < written;
        all.push((k, Equation { row, rest, written }));
    }
    let asked: Vec<bool> = (0..u.len())
        .map(|j| all.iter().any(|(_, e)| e.written && !e.row[j].is_zero()))
        .collect();
    let places: Vec<usize> = all.iter().map(|e| e.0).collect();
    let mut all: Vec<Equation<'p>> = all.into_iter().map(|e| e.1).collect();
    let pivots =
        eliminate(&mut all, size).map_err(|(i, rest)| Unsolved::Contradictory(places[i], rest))?;
    let free: Vec<usize> = (0..u.len())
        .filter(|j| !pivots.iter().any(|p| p.1 == *j))
        .collect();
    let small = |e: Expr<'p>| e.is_zero() || size(e) <= SMALLEST_PIVOT;
    let open = |j: usize| match pivots.iter().find(|p| p.1 == j) {
        None => true,
        Some(&(i, _)) => free.iter().any(|&f| !small(all[i].row[f])),
    };
    let missing: Vec<usize> = (0..u.len()).filter(|&j| asked[j] && open(j)).collect();
    if !missing.is_empty() {
        return Err(Unsolved::Undetermined(missing));
    }
    Ok(pivots.into_iter().map(|(i, j)| (j, -all[i].rest)).collect())
}

/// Solves each equation for one velocity, the written ones first: equations and velocities. The error is an equation
/// that nothing satisfies, and what is left of it.
fn eliminate<'p>(
    all: &mut [Equation<'p>],
    size: &dyn Fn(Expr<'p>) -> f64,
) -> Result<Vec<(usize, usize)>, (usize, f64)> {
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    let size = |e: Expr<'p>| if e.is_zero() { 0.0 } else { size(e) };
    let scale = |e: &Equation<'p>| {
        let row = e.row.iter().map(|&b| size(b));
        row.fold(size(e.rest), f64::max).max(f64::MIN_POSITIVE)
    };
    let scales: Vec<f64> = all.iter().map(scale).collect();
    for written in [true, false] {
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for (i, e) in all.iter().enumerate() {
                if e.written != written || pivots.iter().any(|p| p.0 == i) {
                    continue;
                }
                for (j, &b) in e.row.iter().enumerate() {
                    let weight = size(b) / scales[i];
                    if weight > SMALLEST_PIVOT && best.is_none_or(|best| weight > best.0) {
                        best = Some((weight, i, j));
                    }
                }
            }
            let Some((_, i, j)) = best else { break };
            let pivot = all[i].row[j];
            let zero = pivot.pool().zero();
            for b in &mut all[i].row {
                *b /= pivot;
            }
            all[i].rest /= pivot;
            let (row, rest) = (all[i].row.clone(), all[i].rest);
            for (k, e) in all.iter_mut().enumerate() {
                let factor = e.row[j];
                if k == i || factor.is_zero() {
                    continue;
                }
                for (b, &p) in e.row.iter_mut().zip(&row) {
                    *b -= factor * p;
                }
                e.row[j] = zero;
                e.rest -= factor * rest;
            }
            pivots.push((i, j));
        }
        // An equation in which no velocity is left holds, or nothing satisfies it.
        for (i, e) in all.iter().enumerate().filter(|(_, e)| e.written) {
            let solved = pivots.iter().any(|p| p.0 == i);
            if !solved && size(e.rest) > LARGEST_REMAINDER * scales[i] {
                return Err((i, size(e.rest)));
            }
        }
    }
    Ok(pivots)
}

impl Model {
    /// The velocities that follow from the motion of bodies at a start, by coordinates. Velocities that the start gives are
    /// known, except for those that follow in the file. An equation of the file whose velocities are all `replaced` by
    /// others does not count. Positions may contain their own symbols; sizes are those at the positions of the file then.
    ///
    /// # Errors
    /// Where the motion of the bodies cannot be had there, or does not determine the velocities.
    pub(crate) fn rates_at<'p>(
        &'p self,
        start: &Start<'_, 'p>,
        replaced: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<(usize, Expr<'p>)>, Vec<Diagnostic>> {
        let (c, pool) = (self.contents(), self.pool());
        let rates = &c.initial_rates;
        let (x, u) = (self.positions(), self.velocities());
        let equations = self.exprs(&rates.equations);
        let followed = (rates.solved.iter()).filter(|&&k| !replaced(k));
        let followed: Vec<Expr<'p>> = followed.map(|&k| u[k]).collect();
        let (written, behind) = equations.split_at(rates.written);
        let own = written.iter().filter(|e| e.contains_any(&followed));
        let mut equations: Vec<Expr<'p>> = own.copied().collect();
        let written = equations.len();
        if written == 0 {
            return Ok(vec![]);
        }
        let absent: Vec<bool> = (u.iter())
            .map(|&u| !equations.iter().any(|e| e.contains(u)))
            .collect();
        equations.extend(behind);
        let mut known = vec![(self.time(), start.time)];
        known.extend(x.iter().copied().zip(start.position.iter().copied()));
        let mut unknown = Vec::new();
        for (k, &u) in u.iter().enumerate() {
            match start.velocity[k] {
                _ if rates.solved.contains(&k) && !(replaced(k) && absent[k]) => unknown.push(k),
                None if rates.unknown.contains(&k) => unknown.push(k),
                given => known.push((u, given.unwrap_or(pool.zero()))),
            }
        }
        let functions = pool.substitute_all(&equations, &known);
        let columns: Vec<Expr<'p>> = unknown.iter().map(|&k| u[k]).collect();
        let mut values = self.parameter_values()?;
        for (&x, c) in x.iter().zip(&c.coordinates) {
            let at = c.initial_position.map_or(pool.zero(), |e| self.expr(e));
            values.push((x, at.substitute(&values)));
        }
        values.extend(u.iter().map(|&u| (u, pool.zero())));
        let size = |e: Expr<'p>| {
            let number = e.substitute(&values).evaluate_f64(&[]).abs();
            if number.is_finite() { number } else { 1.0 }
        };
        let found = solve(&functions, written, &columns, &size);
        let found = found.map_err(|why| {
            let (code, message) = match why {
                Unsolved::Contradictory(_, rest) => (
                    Code::InitialRateContradictory,
                    format!("`initial` gives a motion of bodies that is not possible at these positions: it differs by {rest:e}"),
                ),
                Unsolved::Undetermined(list) => {
                    let name = |&j: &usize| format!("{}'", c.coordinates[unknown[j]].name);
                    let names: Vec<String> = list.iter().map(name).collect();
                    (
                        Code::InitialRateUndetermined,
                        format!("the motion of bodies that `initial` gives does not determine {} at these positions", names.join(", ")),
                    )
                }
            };
            let hint = "give velocities of the coordinates with the positions, or other positions";
            refused(code, message, hint)
        })?;
        Ok(found.into_iter().map(|(j, v)| (unknown[j], v)).collect())
    }
}
