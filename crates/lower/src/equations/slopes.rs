//! The derivatives of the equations of motion, for variations.

use galilei_expr::Expr;
use galilei_tape::code::WIDTH;
use galilei_tape::{Builder, Rates, Reg, Slopes, SquareSlopes, Unsupported, Wanted};

use super::{COMPARED, Equations, rows_of};

impl<'p> Equations<'p> {
    /// The equations with their derivatives by x, u and some parameters, in the way in which variations
    /// are shortest.
    pub(crate) fn with_slopes(
        &self,
        builder: &mut Builder,
        rates: Rates,
        parameters: &[Expr<'p>],
    ) -> Result<Rates, Unsupported> {
        let names = (0..rates.unknowns).map(|i| format!("unknown {i}"));
        let pool = self.force.state().pool();
        let unknowns: Vec<Expr<'p>> = names.map(|name| pool.symbol(&name)).collect();
        for (i, &unknown) in unknowns.iter().enumerate() {
            builder.unknown(unknown, i);
        }
        let mut choices = vec![None];
        if let Some((mass, f)) = &self.closed {
            let entries = self.entries(builder, (mass, f), &unknowns, parameters)?;
            choices.push(Some(Slopes {
                entries,
                squares: vec![],
            }));
        }
        if rates.squares.is_some() && parameters.is_empty() {
            choices.extend(self.square_slopes(builder, &unknowns)?.map(Some));
        }
        let tape = builder.clone().finish(vec![]);
        let wanted = Wanted {
            packed: true,
            directions: WIDTH,
            ..Wanted::default()
        };
        let with = |slopes| Rates {
            slopes,
            ..rates.clone()
        };
        let length = |rates: &Rates| {
            let series = tape.series(rates, &wanted, COMPARED);
            series.code.fused().operations()
        };
        let all = choices.into_iter().map(with);
        Ok(all.min_by_key(length).unwrap_or(rates))
    }

    /// ∂(A·a − r) by x, u and parameters, row by row, with the rows of the constraints.
    fn entries(
        &self,
        builder: &mut Builder,
        (matrix, right): (&[Vec<Expr<'p>>], &[Expr<'p>]),
        unknowns: &[Expr<'p>],
        parameters: &[Expr<'p>],
    ) -> Result<Vec<Reg>, Unsupported> {
        let state = self.force.state();
        let pool = state.pool();
        let (a, multipliers) = unknowns.split_at(right.len());
        let dot = |row: &[Expr<'p>]| pool.sum(row.iter().zip(a).map(|(&m, &a)| m * a));
        let mut defects = Vec::with_capacity(unknowns.len());
        for (i, (row, &f)) in matrix.iter().zip(right).enumerate() {
            let reactions = self.constraints.iter().zip(multipliers);
            let reaction = pool.sum(reactions.map(|((j, _), &l)| j[i] * l));
            defects.push(dot(row) - f - reaction);
        }
        for (row, right) in &self.constraints {
            defects.push(dot(row) - *right);
        }
        let mut variables = state.base().positions().to_vec();
        variables.extend(state.velocities());
        variables.extend(parameters);
        let mut list = Vec::with_capacity(defects.len() * variables.len());
        for e in defects {
            for slope in e.gradient(&variables) {
                list.push(builder.expr(slope)?);
            }
        }
        Ok(list)
    }

    /// Those of the squares and of what stands beside them; nothing unless all velocities are
    /// derivatives of functions of time and place.
    fn square_slopes(
        &self,
        builder: &mut Builder,
        unknowns: &[Expr<'p>],
    ) -> Result<Option<Slopes>, Unsupported> {
        let Some(known) = &self.squares else {
            return Ok(None);
        };
        let found = &known.0;
        let squares = &found.squares;
        if squares.iter().flat_map(|s| &s.twist).any(|t| !t.is_zero()) {
            return Ok(None);
        }
        let mass = found.rest.mass_matrix();
        let rows = rows_of(squares);
        let (groups, right) = self.pulled(known, &rows);
        let entries = self.entries(builder, (mass.rows(), &right), unknowns, &[])?;
        let positions = self.force.state().base().positions();
        let written_out = squares.len() <= super::FLAT;
        let mut list = Vec::new();
        for (group, _) in groups {
            // As the terms are written: the number before the sum, or in it.
            let (outside, inside) = if written_out {
                (1.0, group.factor)
            } else {
                (group.factor, 1.0)
            };
            let mut slopes = SquareSlopes::default();
            for (j, base, c) in group.products(&rows) {
                let base = builder.expr(base)?;
                slopes.gradient.push((j, base, c * inside));
            }
            for (j, bend) in group.base.gradient(positions).into_iter().enumerate() {
                if !bend.is_zero() {
                    let bend = builder.expr(bend)?;
                    slopes.bends.push((j, builder.scale(bend, outside)));
                }
            }
            list.push(slopes);
        }
        Ok(Some(Slopes {
            entries,
            squares: list,
        }))
    }
}
