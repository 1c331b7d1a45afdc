//! Positive definiteness of large mass matrices without formulas for their entries.

use std::collections::HashMap;

use galilei_expr::{Expr, ExprId, Interval, Program, Rational};
use galilei_mechanics::System;

use crate::model::Model;

impl Model {
    /// Whether the mass matrix is certainly positive definite at given values of all symbols; `false` says nothing.
    pub(crate) fn certainly_definite<'p>(
        &'p self,
        system: &System<'p>,
        values: &[(Expr<'p>, Rational)],
    ) -> bool {
        // Velocities of frames are products, of which the squares as they are written are not simple.
        match self.contents().frames.is_empty() {
            true => self.definite_by_squares(system, values) || definite_by_columns(system, values),
            false => definite_by_columns(system, values),
        }
    }

    /// Whether the mass matrix is certainly positive definite at given values of all symbols, because the kinetic energy is a
    /// sum of squares ½m·v² with m > 0 and no velocities but zero make all v vanish.
    ///
    /// A square in which one velocity u is left, with a coefficient that is not zero, makes that u zero; then others are
    /// left with one. Enclosures decide about the numbers, so `true` is a proof; `false` says nothing.
    fn definite_by_squares<'p>(
        &'p self,
        system: &System<'p>,
        values: &[(Expr<'p>, Rational)],
    ) -> bool {
        let lagrangian = system.lagrangian();
        let n = system.state().degrees_of_freedom();
        let found = lagrangian.sum_of_squares();
        let left_over = found.rest.function();
        let affine = left_over.degree_bound(system.state().velocities());
        if affine.is_none_or(|degree| degree > 1) {
            return false;
        }
        let mut list: Vec<Expr<'p>> = found.squares.iter().map(|s| s.mass).collect();
        let masses = list.len();
        let mut places: HashMap<ExprId, usize> = HashMap::new();
        for (_, b) in found.squares.iter().flat_map(|s| &s.row) {
            places.entry(b.id()).or_insert_with(|| {
                list.push(*b);
                list.len() - 1
            });
        }
        let (symbols, point): (Vec<Expr<'p>>, Vec<Rational>) = values.iter().cloned().unzip();
        let Ok(program) = Program::new(&list, &symbols) else {
            return false;
        };
        if program.is_implicit() {
            return false;
        }
        let numbers = program.balls::<4>(&point);
        let certain = |k: usize| numbers[k].as_ref().filter(|b| b.excludes_zero());
        if !(0..masses).all(|k| certain(k).is_some_and(|b| b.to_f64() > 0.0)) {
            return false;
        }
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (k, square) in found.squares.iter().enumerate() {
            for (i, _) in &square.row {
                users[*i].push(k);
            }
        }
        // The velocities that are left in each square.
        let mut left: Vec<usize> = found.squares.iter().map(|s| s.row.len()).collect();
        let mut zero = vec![false; n];
        let mut single: Vec<usize> = (0..left.len()).filter(|&k| left[k] == 1).collect();
        while let Some(k) = single.pop() {
            let row = &found.squares[k].row;
            let Some((i, b)) = row.iter().find(|e| !zero[e.0]) else {
                continue;
            };
            if certain(places[&b.id()]).is_none() {
                continue;
            }
            zero[*i] = true;
            for &user in &users[*i] {
                left[user] -= 1;
                if left[user] == 1 {
                    single.push(user);
                }
            }
        }
        zero.into_iter().all(|known| known)
    }
}

/// Degrees of freedom up to which the columns of a mass matrix are computed.
const MAX_DEGREES_FOR_COLUMNS: usize = 800;

/// Whether the mass matrix is certainly positive definite at given values of all symbols, from enclosures of its entries.
///
/// Where L is quadratic in the velocities the momenta are affine in them: column j of the mass matrix is p(eⱼ) − p(0). Formulas of the
/// momenta are about as long as L, those of the matrix n times longer.
fn definite_by_columns<'p>(system: &System<'p>, values: &[(Expr<'p>, Rational)]) -> bool {
    let (lagrangian, u) = (system.lagrangian(), system.state().velocities());
    let n = u.len();
    let degree = lagrangian.function().degree_bound(u);
    if degree.is_none_or(|d| d > 2) || n > MAX_DEGREES_FOR_COLUMNS {
        return false;
    }
    let (symbols, mut point): (Vec<Expr<'p>>, Vec<Interval>) =
        (values.iter().map(|(s, q)| (*s, Interval::around(q)))).unzip();
    let places = u.iter().map(|v| symbols.iter().position(|s| s == v));
    let Some(places) = places.collect::<Option<Vec<usize>>>() else {
        return false;
    };
    let program = match Program::new(&lagrangian.momenta(), &symbols) {
        Ok(program) if !program.is_implicit() => program,
        _ => return false,
    };
    for &at in &places {
        point[at] = Interval::point(0.0);
    }
    let resting = program.intervals(&point);
    let (mut middle, mut radius) = (vec![0.0; n * n], vec![0.0; n * n]);
    for (j, &at) in places.iter().enumerate() {
        point[at] = Interval::point(1.0);
        let moving = program.intervals(&point);
        point[at] = Interval::point(0.0);
        for (i, pair) in moving.iter().zip(&resting).enumerate().skip(j) {
            let (Some(p), Some(rest)) = pair else {
                return false;
            };
            let entry = p.middle() - rest.middle();
            middle[i * n + j] = entry;
            radius[i * n + j] = p.width() + rest.width() + 2.0 * f64::EPSILON * entry.abs();
        }
    }
    galilei_linear::is_positive_definite(middle, radius)
}
