//! Undetermined mechanics: what is proved for it holds for every system.
#![allow(dead_code)]

use galilei_expr::{Expr, Pool, Verdict};
use galilei_geometry::Form;
use galilei_mechanics::{
    AdaptedChart, Force, GalileanMetric, ReferenceField, SecondOrderField, StateSpace,
};

pub(crate) fn base<'p>(pool: &'p Pool, letter: &str, n: usize) -> AdaptedChart<'p> {
    AdaptedChart::new(pool, "t", (1..=n).map(|k| format!("{letter}{k}")))
}

pub(crate) fn state<'p>(pool: &'p Pool, n: usize) -> StateSpace<'p> {
    StateSpace::new(base(pool, "x", n))
}

/// An undetermined function of (t, x).
pub(crate) fn of_base<'p>(base: &AdaptedChart<'p>, name: &str) -> Expr<'p> {
    base.pool()
        .function(name)
        .at(base.chart().coordinates().iter().copied())
}

/// An undetermined function of (t, x, u).
pub(crate) fn of_state<'p>(state: &StateSpace<'p>, name: &str) -> Expr<'p> {
    state
        .pool()
        .function(name)
        .at(state.chart().coordinates().iter().copied())
}

pub(crate) fn metric<'p>(base: &AdaptedChart<'p>) -> GalileanMetric<'p> {
    let n = base.degrees_of_freedom();
    let entry = |i: usize, j: usize| of_base(base, &format!("g{}{}", i.min(j), i.max(j)));
    let rows = (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect();
    GalileanMetric::new(base, rows).unwrap()
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
    let mut lists: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..degree {
        lists = lists
            .iter()
            .flat_map(|l| {
                let start = l.last().map_or(0, |k| k + 1);
                (start..top).map(move |k| [l.as_slice(), &[k]].concat())
            })
            .collect();
    }
    let terms = lists.into_iter().map(|l| {
        let label: String = l.iter().map(usize::to_string).collect();
        let c = of_state(state, &format!("{name}{label}"));
        (l, c)
    });
    Form::from_terms(state.chart(), degree, terms)
}

#[track_caller]
pub(crate) fn proved(verdict: Verdict) {
    assert!(verdict.is_proved(), "{verdict}");
}

#[track_caller]
pub(crate) fn refuted(verdict: Verdict) {
    assert!(verdict.is_refuted(), "{verdict}");
}
