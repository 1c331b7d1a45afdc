//! Undetermined objects: a law proved for them holds for all objects.
#![allow(dead_code)]

use galilei_expr::{Expr, Pool, Verdict};
use galilei_geometry::{Chart, Endomorphism, Form, SmoothMap, SymmetricTensor, VectorField};

/// An undetermined function of all coordinates.
pub(crate) fn function<'p>(chart: &Chart<'p>, name: &str) -> Expr<'p> {
    chart
        .pool()
        .function(name)
        .at(chart.coordinates().iter().copied())
}

pub(crate) fn vector<'p>(chart: &Chart<'p>, name: &str) -> VectorField<'p> {
    let components = (0..chart.dimension()).map(|k| function(chart, &format!("{name}{k}")));
    VectorField::new(chart, components.collect())
}

/// A form with an undetermined coefficient for every increasing index list.
pub(crate) fn form<'p>(chart: &Chart<'p>, degree: usize, name: &str) -> Form<'p> {
    form_of_first(chart, chart.dimension(), degree, name)
}

/// A form made of the first `top` differentials, with undetermined coefficients.
pub(crate) fn form_of_first<'p>(
    chart: &Chart<'p>,
    top: usize,
    degree: usize,
    name: &str,
) -> Form<'p> {
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
        let c = function(chart, &format!("{name}{label}"));
        (l, c)
    });
    Form::from_terms(chart, degree, terms)
}

pub(crate) fn endomorphism<'p>(chart: &Chart<'p>, name: &str) -> Endomorphism<'p> {
    let n = chart.dimension();
    let rows = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| function(chart, &format!("{name}{i}{j}")))
                .collect()
        })
        .collect();
    Endomorphism::new(chart, rows)
}

pub(crate) fn metric<'p>(chart: &Chart<'p>, name: &str) -> SymmetricTensor<'p> {
    SymmetricTensor::from_upper(chart, |i, j| function(chart, &format!("{name}{i}{j}")))
}

pub(crate) fn map<'p>(source: &Chart<'p>, target: &Chart<'p>, name: &str) -> SmoothMap<'p> {
    let components = (0..target.dimension()).map(|k| function(source, &format!("{name}{k}")));
    SmoothMap::new(source, target, components.collect())
}

pub(crate) fn chart<'p>(pool: &'p Pool, letter: &str, n: usize) -> Chart<'p> {
    Chart::new(pool, (1..=n).map(|k| format!("{letter}{k}")))
}

#[track_caller]
pub(crate) fn proved(verdict: Verdict) {
    assert!(verdict.is_proved(), "{verdict}");
}

#[track_caller]
pub(crate) fn refuted(verdict: Verdict) {
    assert!(verdict.is_refuted(), "{verdict}");
}
