//! Initial velocities from the motion of bodies: `initial omega(BODY) = (…)`, `initial velocity(BODY, …) = (…)`.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, ExpressionKind as E, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::Level;
use crate::initial_rates::{InitialRates, Unsolved, solve};
use crate::manifold::Charts;
use crate::reader::Reader;

/// An equation f(t, x, u) = 0 for the initial velocities.
pub(super) struct InitialRate<'p> {
    function: Expr<'p>,
    span: Span,
}

impl<'p> Draft<'p> {
    /// Whether an entry gives a motion of a body, which is kept until all positions are known.
    pub(super) fn initial_rate<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        a: &'s Assignment,
    ) -> Option<Option<()>> {
        let E::Call(name, _, _) = &a.target.kind else {
            return None;
        };
        if !matches!(name.text.as_str(), "omega" | "velocity") {
            return None;
        }
        Some(self.rate_entry(r, a))
    }

    pub(super) fn rate_entry<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        a: &'s Assignment,
    ) -> Option<()> {
        let (target, v) = (r.read(&a.target), r.read(&a.value));
        let (target, v) = (target?, v?);
        if r.charts == Charts::Angles {
            return Some(());
        }
        r.same_size(&target, &v, a.value.span)?;
        r.constant(&v, "an initial value")?;
        let (l, m) = (
            format!("`{}`", r.text(a.value.span)),
            format!("`{}`", r.text(a.target.span)),
        );
        for k in 0..v.len() {
            // Bare numbers take the unit of the left side.
            if v.uses.symbols && v.parts[k].as_rational().is_none() {
                let (have, wanted) = (&v.dimensions[k], &target.dimensions[k]);
                r.agree((have, &l), (wanted, &m), a.value.span)
                    .then_some(())?;
            }
            self.initial_rates.push(InitialRate {
                function: target.parts[k] - v.parts[k],
                span: a.target.span,
            });
        }
        Some(())
    }

    /// Solves for the initial velocities.
    pub(super) fn finish_rates(&mut self, r: &mut Reader<'p, '_>) {
        if self.initial_rates.is_empty() || r.diagnostics.iter().any(crate::Diagnostic::is_error) {
            return;
        }
        let pool = r.pool;
        let zero = pool.zero();
        let mut known = vec![(r.time, self.run.from.unwrap_or(zero))];
        let mut unknown: Vec<usize> = Vec::new();
        for (k, c) in r.coordinates.iter().enumerate() {
            let x = self.initial.get(&(k, false)).copied().unwrap_or(zero);
            known.push((c.position, x));
            match self.initial.get(&(k, true)) {
                Some(u) => known.push((c.velocity, *u)),
                None => unknown.push(k),
            }
        }
        let u: Vec<Expr<'p>> = unknown.iter().map(|&k| r.coordinates[k].velocity).collect();
        let rates = r.rates();
        let list = std::mem::take(&mut self.initial_rates);
        let mut equations: Vec<Expr<'p>> = list.iter().map(|e| e.function).collect();
        equations.extend(self.constraints.iter().filter_map(|c| match c.level {
            Level::Position => Some(c.function.derivative_along(&rates)),
            Level::Velocity => Some(c.function),
            // Every state is admitted.
            Level::Acceleration => None,
        }));
        let functions = pool.substitute_all(&equations, &known);
        // Without values of parameters, what is not zero is taken for a number of moderate size.
        let size = |e: Expr<'p>| r.number_of(e).map_or(1.0, f64::abs);
        let found = solve(&functions, list.len(), &u, &size);
        if r.is_alternative && found.is_err() {
            // The start is in another chart.
            self.initial_rate_equations = InitialRates {
                equations,
                written: list.len(),
                solved: unknown.clone(),
                unknown,
            };
            return;
        }
        match found {
            Ok(found) => {
                let mut solved = Vec::new();
                for (j, v) in found {
                    self.initial.insert((unknown[j], true), v);
                    solved.push(unknown[j]);
                }
                self.initial_rate_equations = InitialRates {
                    equations,
                    written: list.len(),
                    unknown,
                    solved,
                };
            }
            Err(Unsolved::Contradictory(i, rest)) => {
                let span = list[i].span;
                r.error(
                    Code::InitialRateContradictory,
                    format!(
                        "`{}` cannot have this value at the start: with the other initial values it differs by {rest:e}",
                        r.text(span)
                    ),
                    "the velocities that the mechanism and the other entries allow do not reach it",
                    span,
                );
            }
            Err(Unsolved::Undetermined(missing)) => {
                let name = |&j: &usize| format!("{}'", r.coordinates[unknown[j]].name);
                let missing: Vec<String> = missing.iter().map(name).collect();
                r.error(
                    Code::InitialRateUndetermined,
                    format!(
                        "the initial motion of the bodies does not determine {} at the initial positions",
                        missing.join(", ")
                    ),
                    "give these velocities, or the motion of further bodies; where a chart is singular, angular velocities do not determine the rates of its angles",
                    list[0].span.to(list[list.len() - 1].span),
                );
            }
        }
    }
}
