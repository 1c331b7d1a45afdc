//! T-71, T-79, T-84, T-87, T-94: motion by quasi-velocities, for undetermined constraints and systems.

mod common;

use common::*;
use galilei_expr::{Expr, Pool, Rational, View};
use galilei_geometry::{Matrix, decide_all_zero};
use galilei_mechanics::{
    AffineRow, Choice, Lagrangian, Minor, QuasiVelocities, ReducedSystem, SolvedForm, StateSpace,
    System,
};

/// A constant minor if there is one, else the first.
fn anywhere<'p>(state: &StateSpace<'p>, rows: &[AffineRow<'p>]) -> Option<QuasiVelocities<'p>> {
    let constant = |m: &Minor<'p>| matches!(m.1.view(), View::Number(_));
    let choice = Choice {
        best: &|minors| minors.iter().position(constant).unwrap_or(0),
        scale: &vec![Rational::ONE; state.degrees_of_freedom()],
    };
    QuasiVelocities::of(state, rows, &choice)
}

/// ṡ undetermined in every entry, s = 0.
fn homogeneous<'p>(s: &StateSpace<'p>, c: usize) -> Vec<AffineRow<'p>> {
    let entry = |a: usize, i: usize| of_base(s.base(), &format!("S{a}{i}"));
    let n = s.degrees_of_freedom();
    (0..c)
        .map(|a| ((0..n).map(|i| entry(a, i)).collect(), s.pool().zero()))
        .collect()
}

fn system<'p>(s: &StateSpace<'p>) -> System<'p> {
    System::new(Lagrangian::new(s, of_state(s, "L"))).with_force("F", force(s, "F"))
}

/// T-71: ṡW = 0, ṡw + s = 0, and v(t, x, Wv + w) = v.
#[test]
fn t_71_quasi_velocities_solve_the_constraints() {
    for (n, c) in [(2, 1), (3, 1), (3, 2), (4, 2), (4, 3)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let rows = homogeneous(&s, c);
        let q = anywhere(&s, &rows).unwrap();
        assert_eq!(q.symbols().len(), n - c);
        let u = q.velocities();
        let on: Vec<_> = s
            .velocities()
            .iter()
            .copied()
            .zip(u.iter().copied())
            .collect();
        let along = Matrix::new(&pool, rows.iter().map(|row| row.0.clone()).collect());
        let mut claims = along.times_vector(&u);
        let again = pool.substitute_all(q.functions(), &on);
        claims.extend(again.iter().zip(q.symbols()).map(|(&f, &v)| f - v));
        assert!(decide_all_zero(claims.clone()).is_proved(), "{n}, {c}");
        claims[0] += u[0];
        assert!(decide_all_zero(claims).is_refuted(), "{n}, {c}");
        // One left: nothing but ṡ itself can degenerate.
        assert_eq!(q.measures().is_empty(), n - c == 1);
    }
}

/// T-79, T-94: with constraints solved for the last velocities the equations are those of construction A,
/// which come from the two-form on the constraint manifold.
#[test]
fn t_79_equations_are_those_on_the_constraint_manifold() {
    for (n, c) in [(2, 1), (3, 1), (3, 2)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let k = n - c;
        let slope = |a: usize, j: usize| of_base(s.base(), &format!("B{a}{j}"));
        let offset = |a: usize| of_base(s.base(), &format!("B{a}"));
        let rows: Vec<AffineRow<'_>> = (0..c)
            .map(|a| {
                let mut row: Vec<Expr<'_>> = (0..k).map(|j| -slope(a, j)).collect();
                row.extend((0..c).map(|b| pool.number(i64::from(a == b))));
                (row, -offset(a))
            })
            .collect();
        let q = anywhere(&s, &rows).unwrap();
        let system = system(&s);
        let found = q.equations(system.lagrangian(), &system.total_force());
        let solved = |a: usize| {
            let linear = (0..k).map(|j| slope(a, j) * s.velocity(j));
            pool.sum(linear) + offset(a)
        };
        let form = SolvedForm::new(&s, (k..n).collect(), (0..c).map(solved).collect());
        let reduced = ReducedSystem::new(system, form);
        let f: Vec<Expr<'_>> = (0..k).map(|j| pool.symbol(&format!("f{j}"))).collect();
        let names: Vec<_> = q
            .symbols()
            .iter()
            .copied()
            .zip(s.velocities().iter().copied())
            .collect();
        let matrix = found.matrix.times_vector(&f);
        let claims = reduced
            .equations(&f)
            .into_iter()
            .zip(matrix.iter().zip(&found.right));
        let claims = claims.map(|(e, (&m, &r))| e - (m - r).substitute(&names));
        let mut claims: Vec<Expr<'_>> = claims.collect();
        assert!(decide_all_zero(claims.clone()).is_proved(), "{n}, {c}");
        claims[0] += f[0] * f[0];
        assert!(decide_all_zero(claims).is_refuted(), "{n}, {c}");
    }
}

/// Constraints that share no velocity are solved separately; a solution that would have a pole is refused.
#[test]
fn groups_and_poles() {
    let pool = Pool::new();
    let s = state(&pool, 4);
    let (zero, one) = (pool.zero(), pool.one());
    let [f, g] = ["f", "g"].map(|name| of_base(s.base(), name));
    let rows = vec![
        (vec![f, zero, g, zero], zero),
        (vec![zero, one, zero, f], g),
    ];
    let q = anywhere(&s, &rows).unwrap();
    assert!(q.measures().is_empty() && q.symbols().len() == 2);
    assert_eq!(q.drift(), [zero, -g, zero, zero]);
    // w would be −g/f.
    assert!(anywhere(&s, &[(vec![f, g, zero, zero], g)]).is_none());
    // Not affine.
    let bent = (vec![s.velocity(0), zero, zero, one], zero);
    assert!(anywhere(&s, &[bent]).is_none());
}
