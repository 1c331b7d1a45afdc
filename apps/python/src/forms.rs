//! Differential forms and vector fields on a chart, as texts of the model language.

use galilei::{Diagnostic, Error};
use galilei_expr::{Expr, Layout, Plain, Pool};
use galilei_geometry::{Chart, Form, SmoothMap, VectorField};
use galilei_model::{Code, read_expression, read_form};
use pyo3::prelude::*;

use crate::refusal::refused;

/// The name of a text that is no file.
const NAME: &str = "form";

/// A form: its text, its degree, its LaTeX, and its components by increasing indices.
type Written = (String, usize, String, Vec<(Vec<usize>, String)>);

/// Evaluates something on a chart; the diagnostics of a text become an exception.
fn on_chart<T>(
    py: Python<'_>,
    coordinates: &[String],
    text: &str,
    evaluate: impl for<'p> FnOnce(&Chart<'p>) -> Result<T, Vec<Diagnostic>>,
) -> PyResult<T> {
    let pool = Pool::new();
    let answer = chart(&pool, coordinates).and_then(|chart| evaluate(&chart));
    answer.map_err(|errors| refused(py, &Error::about(NAME, text, errors)))
}

/// The chart with these coordinates, each a name or a velocity.
fn chart<'p>(pool: &'p Pool, coordinates: &[String]) -> Result<Chart<'p>, Vec<Diagnostic>> {
    let wrong = |message: String| {
        let hint = "a chart has different names as coordinates";
        vec![Diagnostic::error(Code::NotACoordinate, message, hint, None)]
    };
    let mut symbols: Vec<Expr<'p>> = Vec::new();
    for name in coordinates {
        let symbol = read_expression(pool, name)?;
        if !symbol.is_symbol() {
            return Err(wrong(format!("`{name}` is no name")));
        }
        if symbols.contains(&symbol) {
            return Err(wrong(format!("`{name}` occurs twice")));
        }
        symbols.push(symbol);
    }
    Ok(Chart::of(pool, symbols))
}

fn written(form: &Form<'_>) -> Written {
    let terms = form.terms().map(|(k, c)| (k, c.to_string())).collect();
    (form.written(), form.degree(), latex_of(form), terms)
}

/// A form as LaTeX.
fn latex_of(form: &Form<'_>) -> String {
    let chart = form.chart();
    let terms = form.terms().map(|(indices, c)| {
        let names = indices.iter();
        let basis = names.map(|&k| chart.coordinate(k).layout(&Plain).differential());
        (c.layout(&Plain), Layout::wedge(basis))
    });
    match form.degree() {
        0 => form.component(&[]).layout(&Plain).to_latex(),
        _ => Layout::combination(terms).to_latex(),
    }
}

fn vector<'p>(
    chart: &Chart<'p>,
    components: &[String],
) -> Result<VectorField<'p>, Vec<Diagnostic>> {
    let read = components.iter().map(|c| read_expression(chart.pool(), c));
    let read: Vec<Expr<'p>> = read.collect::<Result<_, _>>()?;
    if read.len() != chart.dimension() {
        let message = format!(
            "a vector field on this chart has {} components, not {}",
            chart.dimension(),
            read.len()
        );
        let hint = "give one for each coordinate";
        return Err(vec![Diagnostic::error(
            Code::ShapeMismatch,
            message,
            hint,
            None,
        )]);
    }
    Ok(VectorField::new(chart, read))
}

fn texts(field: &VectorField<'_>) -> Vec<String> {
    field.components().iter().map(ToString::to_string).collect()
}

/// Reads a FORM on a chart.
#[pyfunction]
pub(crate) fn form(py: Python<'_>, coordinates: Vec<String>, text: &str) -> PyResult<Written> {
    on_chart(py, &coordinates, text, |chart| {
        read_form(chart, text).map(|f| written(&f))
    })
}

/// X ⌟ ω
#[pyfunction]
pub(crate) fn interior(
    py: Python<'_>,
    coordinates: Vec<String>,
    field: Vec<String>,
    text: &str,
) -> PyResult<Written> {
    on_chart(py, &coordinates, text, |chart| {
        let (x, omega) = (vector(chart, &field)?, read_form(chart, text)?);
        Ok(written(&x.interior(&omega)))
    })
}

/// The Lie derivative of a form along a vector field.
#[pyfunction]
pub(crate) fn lie(
    py: Python<'_>,
    coordinates: Vec<String>,
    field: Vec<String>,
    text: &str,
) -> PyResult<Written> {
    on_chart(py, &coordinates, text, |chart| {
        let (x, omega) = (vector(chart, &field)?, read_form(chart, text)?);
        let inner = x.interior(&omega.d());
        let lie = match omega.degree() {
            0 => inner,
            _ => x.interior(&omega).d().plus(&inner),
        };
        Ok(written(&lie))
    })
}

/// [X, Y]
#[pyfunction]
pub(crate) fn bracket(
    py: Python<'_>,
    coordinates: Vec<String>,
    first: Vec<String>,
    second: Vec<String>,
) -> PyResult<Vec<String>> {
    on_chart(py, &coordinates, "", |chart| {
        let (x, y) = (vector(chart, &first)?, vector(chart, &second)?);
        Ok(texts(&x.bracket(&y)))
    })
}

/// The components of a vector field as the language prints them, and its LaTeX.
#[pyfunction]
pub(crate) fn vector_field(
    py: Python<'_>,
    coordinates: Vec<String>,
    components: Vec<String>,
) -> PyResult<(Vec<String>, String)> {
    on_chart(py, &coordinates, "", |chart| {
        let field = vector(chart, &components)?;
        let names = chart.coordinates().iter();
        let directions = names.map(|x| x.layout(&Plain).coordinate_field());
        let pairs = field.components().iter().zip(directions);
        let terms = pairs.filter(|(c, _)| !c.is_zero());
        let list: Vec<_> = terms.map(|(c, d)| (c.layout(&Plain), d)).collect();
        let latex = match list.is_empty() {
            true => "0".to_owned(),
            false => Layout::combination(list).to_latex(),
        };
        Ok((texts(&field), latex))
    })
}

/// The pull-back of a form on one chart by a map from another, whose components are the coordinates of the form's chart.
#[pyfunction]
pub(crate) fn pullback(
    py: Python<'_>,
    source: Vec<String>,
    target: Vec<String>,
    components: Vec<String>,
    text: &str,
) -> PyResult<Written> {
    on_chart(py, &source, text, |from| {
        let onto = chart(from.pool(), &target)?;
        let read = vector(&onto, &components)?;
        let map = SmoothMap::new(from, &onto, read.components().to_vec());
        let omega = read_form(&onto, text)?;
        Ok(written(&map.pullback(&omega)))
    })
}
