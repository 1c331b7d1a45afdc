//! Positive definiteness of mass matrices whose kinetic energy is a sum of squares, without the matrix.

use std::collections::HashMap;

use galilei_expr::{Expr, ExprId, Program, Rational};
use galilei_mechanics::System;

use crate::model::Model;

impl Model {
    /// Whether the mass matrix is certainly positive definite at given values of all symbols, because the kinetic energy is a
    /// sum of squares ½m·v² with m > 0 and no velocities but zero make all v vanish.
    ///
    /// A square in which one velocity u is left, with a coefficient that is not zero, makes that u zero; then others are
    /// left with one. Enclosures decide about the numbers, so `true` is a proof; `false` says nothing.
    pub(crate) fn definite_by_squares<'p>(
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
