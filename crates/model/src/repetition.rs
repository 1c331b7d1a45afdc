//! A constraint that adds nothing to others: it restricts nothing, repeats them or contradicts them.

use galilei_expr::{Expr, Rational, generic_rank};

use crate::code::Code;
use crate::constrained::ConstraintRow;
use crate::contents::Level;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::{doubles, solve};
use crate::validate::{RESIDUAL, magnitude};

/// Newton steps towards a state on the other constraints.
const STEPS: usize = 50;

impl Model {
    /// What is said of the first constraint whose row depends on those before it.
    pub(crate) fn repetition<'p>(
        &'p self,
        rows: &[Vec<Expr<'p>>],
        culprit: usize,
        rank: usize,
    ) -> Diagnostic {
        let wrong = &self.contents().constraints[culprit];
        let name = &wrong.name;
        let own = generic_rank(&rows[culprit..=culprit], &self.assumptions());
        let (message, hint) = if own.rank == 0 {
            let whatever = match wrong.level {
                Level::Position => "whatever the positions are",
                Level::Velocity => "whatever the velocities are",
            };
            (
                format!(
                    "the constraint `{name}` restricts nothing: left side − right side is the same {whatever}"
                ),
                "remove it, or write an equation that does not hold by itself",
            )
        } else {
            let beginning = format!(
                "the constraints have rank {rank} instead of {}: `{name}`",
                rows.len()
            );
            match self.left_over(&rows[..=culprit]) {
                Some(0.0) => (
                    format!("{beginning} depends on the others"),
                    "remove the constraint that repeats others",
                ),
                Some(rest) => (
                    format!(
                        "{beginning} contradicts the others: where they hold, its left side − right side is {rest}"
                    ),
                    "no motion satisfies all of them: correct or remove one",
                ),
                None => (
                    format!("{beginning} depends on the others"),
                    "remove the constraint that repeats others, or correct the one that contradicts them",
                ),
            }
        };
        Diagnostic::error(Code::InadmissibleConstraint, message, hint, wrong.span)
    }

    /// The value of the last of some constraints, or of its rate, at a state where those before it hold; zero up to
    /// rounding is zero. `None` if no such state is found.
    fn left_over(&self, rows: &[Vec<Expr<'_>>]) -> Option<f64> {
        let all = self.constraint_rows();
        let (last, before) = all.get(..rows.len())?.split_last()?;
        let mut at = Place::new(self)?;
        at.approach(before)?;
        let alone: Vec<Vec<Expr<'_>>> = all[..rows.len()]
            .iter()
            .filter(|r| r.rate.is_some())
            .map(|r| r.row.clone())
            .collect();
        // Between positions only if it depends on such; a velocity may also be restricted twice.
        let repeated =
            last.rate.is_some() && generic_rank(&alone, &self.assumptions()).rank < alone.len();
        let functions = match last.rate {
            None => vec![last.residual],
            Some(rate) if repeated => vec![last.residual, rate],
            Some(rate) => vec![rate],
        };
        let values = at.values()?;
        for f in functions {
            let v = doubles(self.pool(), &[f], &values)[0]?;
            if v.abs() > RESIDUAL * magnitude(self.pool(), f, &values) {
                return Some(v);
            }
        }
        Some(0.0)
    }
}

/// A state in general position that is moved onto constraints.
struct Place<'p> {
    model: &'p Model,
    /// Parameters and the time.
    fixed: Vec<(Expr<'p>, Expr<'p>)>,
    symbols: Vec<Expr<'p>>,
    /// Positions, then velocities.
    numbers: Vec<f64>,
}

impl<'p> Place<'p> {
    /// Near the initial state.
    fn new(model: &'p Model) -> Option<Self> {
        let state = model.initial_state().ok()?;
        let system = model.system();
        let space = system.state();
        let mut fixed = model.parameter_values().ok()?;
        fixed.push((space.time(), state.time));
        let symbols = space.base().positions().iter().chain(space.velocities());
        let start = state.position.iter().chain(&state.velocity).enumerate();
        let numbers = start.map(|(k, e)| e.evaluate_f64(&[]) + 0.1 + 0.37 * (k as f64).sin());
        Some(Self {
            model,
            fixed,
            symbols: symbols.copied().collect(),
            numbers: numbers.collect(),
        })
    }

    /// All symbols with their values.
    fn values(&self) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
        let pool = self.model.pool();
        let mut values = self.fixed.clone();
        for (s, x) in self.symbols.iter().zip(&self.numbers) {
            values.push((*s, pool.number(Rational::from_f64(*x)?)));
        }
        Some(values)
    }

    /// Moves the positions, then the velocities, onto constraints.
    fn approach(&mut self, rows: &[ConstraintRow<'p>]) -> Option<()> {
        let between_positions = rows.iter().filter(|r| r.rate.is_some());
        let positions: Vec<_> = between_positions.map(|r| (&r.row, r.residual)).collect();
        let velocities = rows.iter().map(|r| (&r.row, r.rate.unwrap_or(r.residual)));
        let velocities: Vec<_> = velocities.collect();
        self.newton(&positions, 0)?;
        self.newton(&velocities, self.symbols.len() / 2)
    }

    /// The shortest steps onto some functions, by the numbers behind an offset.
    fn newton(&mut self, list: &[(&Vec<Expr<'p>>, Expr<'p>)], offset: usize) -> Option<()> {
        let n = self.symbols.len() / 2;
        let asked = list
            .iter()
            .flat_map(|(row, f)| row.iter().copied().chain([*f]));
        let asked: Vec<Expr<'p>> = asked.collect();
        for _ in 0..STEPS {
            let found = doubles(self.model.pool(), &asked, &self.values()?);
            let found: Vec<f64> = found.into_iter().collect::<Option<_>>()?;
            let rows: Vec<&[f64]> = found.chunks(n + 1).collect();
            let product = |a: &[f64], b: &[f64]| (0..n).map(|i| a[i] * b[i]).sum::<f64>();
            let gram: Vec<Vec<f64>> = rows
                .iter()
                .map(|a| rows.iter().map(|b| product(a, b)).collect())
                .collect();
            let right: Vec<f64> = rows.iter().map(|row| 0.0 - row[n]).collect();
            let weights = solve(&gram, &right)?;
            let mut change = 0.0_f64;
            for i in 0..n {
                let step: f64 = rows.iter().zip(&weights).map(|(row, w)| row[i] * w).sum();
                let x = &mut self.numbers[offset + i];
                *x += step;
                change = change.max(step.abs() / x.abs().max(1.0));
            }
            if change <= 1e-14 {
                return Some(());
            }
        }
        None
    }
}
