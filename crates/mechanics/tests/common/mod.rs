//! Undetermined mechanics: what is proved for it holds for every system.
#![allow(dead_code, unused_imports)]

#[path = "../../../geometry/tests/common/mod.rs"]
mod geometry;

use galilei_expr::{Expr, Pool};
use galilei_geometry::Form;
use galilei_mechanics::{
    AdaptedChart, Force, GalileanMetric, Potentials, ReferenceField, SecondOrderField, StateSpace,
};

pub(crate) use geometry::{form as form_on, function as on, proved, refuted, vector};

pub(crate) fn base<'p>(pool: &'p Pool, letter: &str, n: usize) -> AdaptedChart<'p> {
    AdaptedChart::new(pool, "t", (1..=n).map(|k| format!("{letter}{k}")))
}

pub(crate) fn state<'p>(pool: &'p Pool, n: usize) -> StateSpace<'p> {
    StateSpace::new(base(pool, "x", n))
}

/// An undetermined function of (t, x).
pub(crate) fn of_base<'p>(base: &AdaptedChart<'p>, name: &str) -> Expr<'p> {
    geometry::function(base.chart(), name)
}

/// An undetermined function of (t, x, u).
pub(crate) fn of_state<'p>(state: &StateSpace<'p>, name: &str) -> Expr<'p> {
    geometry::function(state.chart(), name)
}

pub(crate) fn metric<'p>(base: &AdaptedChart<'p>) -> GalileanMetric<'p> {
    let n = base.degrees_of_freedom();
    let rows = square(n, |i, j| {
        of_base(base, &format!("g{}{}", i.min(j), i.max(j)))
    });
    GalileanMetric::new(base, rows).unwrap()
}

/// The rows of an n × n matrix.
pub(crate) fn square<'p>(n: usize, entry: impl Fn(usize, usize) -> Expr<'p>) -> Vec<Vec<Expr<'p>>> {
    let row = |i: usize| (0..n).map(|j| entry(i, j)).collect();
    (0..n).map(row).collect()
}

pub(crate) fn field<'p>(state: &StateSpace<'p>, name: &str) -> SecondOrderField<'p> {
    let n = state.degrees_of_freedom();
    SecondOrderField::new(
        state,
        (0..n)
            .map(|i| of_state(state, &format!("{name}{i}")))
            .collect(),
    )
}

pub(crate) fn force<'p>(state: &StateSpace<'p>, name: &str) -> Force<'p> {
    let n = state.degrees_of_freedom();
    Force::new(
        state,
        (0..n)
            .map(|i| of_state(state, &format!("{name}{i}")))
            .collect(),
    )
}

pub(crate) fn reference<'p>(base: &AdaptedChart<'p>, name: &str) -> ReferenceField<'p> {
    let n = base.degrees_of_freedom();
    ReferenceField::new(
        base,
        (0..n)
            .map(|i| of_base(base, &format!("{name}{i}")))
            .collect(),
    )
}

/// A form on the state space with undetermined coefficients; `semi_basic` ones have no du.
pub(crate) fn form<'p>(
    state: &StateSpace<'p>,
    degree: usize,
    name: &str,
    semi_basic: bool,
) -> Form<'p> {
    let top = if semi_basic {
        1 + state.degrees_of_freedom()
    } else {
        state.chart().dimension()
    };
    geometry::form_of_first(state.chart(), top, degree, name)
}

/// Undetermined V and A.
pub(crate) fn potentials<'p>(base: &AdaptedChart<'p>) -> Potentials<'p> {
    let n = base.degrees_of_freedom();
    let a = (0..n).map(|i| of_base(base, &format!("A{i}"))).collect();
    Potentials::new(base, of_base(base, "V"), a)
}

/// That two forces are equal.
#[track_caller]
pub(crate) fn same_force(a: &Force<'_>, b: &Force<'_>) {
    for (a, b) in a.components().iter().zip(b.components()) {
        proved(a.decide_equal(*b));
    }
}

/// gᵢⱼ(duⁱ − Zⁱdt)∧θʲ, what is left of an action form without its gyroscopic part.
pub(crate) fn without_gyroscopic_part<'p>(
    g: &GalileanMetric<'p>,
    z: &SecondOrderField<'p>,
) -> Form<'p> {
    let s = z.state();
    let n = s.degrees_of_freedom();
    let mut omega = Form::zero(s.chart(), 2);
    for i in 0..n {
        let eta = s.du(i).minus(&s.dt().scaled(z.accelerations()[i]));
        for j in 0..n {
            omega = omega.plus(&eta.wedge(&s.contact(j)).scaled(g.component(i, j)));
        }
    }
    omega
}
