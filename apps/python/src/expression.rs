//! Expressions of the model language: their syntax, their LaTeX, claims about them.

use galilei::{Diagnostic, Error, document};
use galilei_expr::{Expr, Plain, Pool};
use galilei_model::read_expression;
use galilei_syntax::{Comparison, Expression, ExpressionKind as E, SyntaxCode, parse_expression};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::convert;
use crate::refusal::refused;

/// The name of a text that is no file.
const NAME: &str = "expression";

/// The tree of an expression: tuples of a kind and its parts.
#[pyfunction]
pub(crate) fn tree<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let (tree, errors) = parse_expression(text);
    if !errors.is_empty() {
        let list: Vec<Diagnostic> = errors.into_iter().map(Diagnostic::from).collect();
        return Err(refused(py, &Error::about(NAME, text, list)));
    }
    node(py, &tree, text)
}

fn nodes<'py>(py: Python<'py>, list: &[Expression], text: &str) -> PyResult<Bound<'py, PyList>> {
    let list: PyResult<Vec<_>> = list.iter().map(|e| node(py, e, text)).collect();
    PyList::new(py, list?)
}

fn marked<'py>(
    py: Python<'py>,
    list: &[(bool, Expression)],
    text: &str,
) -> PyResult<Bound<'py, PyList>> {
    let list: PyResult<Vec<_>> = list
        .iter()
        .map(|(mark, e)| Ok((*mark, node(py, e, text)?)))
        .collect();
    PyList::new(py, list?)
}

fn node<'py>(py: Python<'py>, e: &Expression, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let one = |e: &Expression| node(py, e, text);
    match &e.kind {
        E::Number(digits) => ("number", digits).into_bound_py_any(py),
        E::Name(name) => ("name", name).into_bound_py_any(py),
        E::Index(..) => ("name", e.span.text(text)).into_bound_py_any(py),
        E::Prime(inner, primes) => ("prime", one(inner)?, *primes).into_bound_py_any(py),
        E::Negate(inner) => ("negate", one(inner)?).into_bound_py_any(py),
        E::Sum(terms) => ("sum", marked(py, terms, text)?).into_bound_py_any(py),
        E::Product(factors) => ("product", marked(py, factors, text)?).into_bound_py_any(py),
        E::Power(base, exponent) => ("power", one(base)?, one(exponent)?).into_bound_py_any(py),
        E::Compare(sign, a, b) => {
            let sign = match sign {
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
            };
            ("compare", sign, one(a)?, one(b)?).into_bound_py_any(py)
        }
        E::Equals(a, b) => ("equals", one(a)?, one(b)?).into_bound_py_any(py),
        E::Call(name, orders, arguments) => {
            let parts = (
                "call",
                &name.text,
                nodes(py, orders, text)?,
                nodes(py, arguments, text)?,
            );
            parts.into_bound_py_any(py)
        }
        E::Tuple(list) => {
            let parts: PyResult<Vec<_>> = list.iter().map(one).collect();
            ("tuple", PyTuple::new(py, parts?)?).into_bound_py_any(py)
        }
        E::Fold(..) | E::Component(..) | E::Wedge(_) | E::Missing => {
            ("other", e.span.text(text)).into_bound_py_any(py)
        }
    }
}

/// Reads an expression and evaluates a function of it.
fn evaluated<T>(
    py: Python<'_>,
    text: &str,
    evaluate: impl FnOnce(Expr<'_>) -> Result<T, Vec<Diagnostic>>,
) -> PyResult<T> {
    let pool = Pool::new();
    let read = read_expression(&pool, text);
    let answer = read.and_then(evaluate);
    answer.map_err(|errors| refused(py, &Error::about(NAME, text, errors)))
}

/// The LaTeX of an expression.
#[pyfunction]
pub(crate) fn latex(py: Python<'_>, text: &str) -> PyResult<String> {
    evaluated(py, text, |e| Ok(e.layout(&Plain).to_latex()))
}

/// The partial derivative of an expression with respect to a name.
#[pyfunction]
pub(crate) fn differentiate(py: Python<'_>, text: &str, by: &str) -> PyResult<String> {
    evaluated(py, text, |e| {
        let by = read_expression(e.pool(), by)?;
        match by.is_symbol() {
            true => Ok(e.diff(by).to_string()),
            false => Err(vec![Diagnostic::error(
                SyntaxCode::ExpectedName,
                format!("`{by}` is no name to differentiate by"),
                "give a coordinate, a velocity, a parameter or t",
                None,
            )]),
        }
    })
}

/// The names of the symbols of an expression, sorted.
#[pyfunction]
pub(crate) fn names(py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
    evaluated(py, text, |e| {
        let mut list: Vec<String> = e.symbols().iter().map(ToString::to_string).collect();
        list.sort();
        Ok(list)
    })
}

/// The value of an expression without symbols; not a number where it is not defined.
#[pyfunction]
pub(crate) fn number(py: Python<'_>, text: &str) -> PyResult<f64> {
    evaluated(py, text, |e| Ok(e.evaluate_f64(&[])))
}

/// An expression with names replaced by expressions, all at once.
#[pyfunction]
pub(crate) fn substitute(
    py: Python<'_>,
    text: &str,
    values: Vec<(String, String)>,
) -> PyResult<String> {
    evaluated(py, text, |e| {
        let mut pairs = Vec::new();
        for (name, value) in &values {
            let symbol = read_expression(e.pool(), name)?;
            if !symbol.is_symbol() {
                return Err(vec![Diagnostic::error(
                    SyntaxCode::ExpectedName,
                    format!("`{name}` is no name that could be replaced"),
                    "give a coordinate, a velocity, a parameter or t",
                    None,
                )]);
            }
            pairs.push((symbol, read_expression(e.pool(), value)?));
        }
        Ok(e.substitute(&pairs).to_string())
    })
}

/// The verdict on `EXPR = EXPR`.
#[pyfunction]
pub(crate) fn decide<'py>(
    py: Python<'py>,
    claim: &str,
    assume: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let decided = py.detach(|| {
        let list: Vec<&str> = assume.iter().map(String::as_str).collect();
        galilei::decide(claim, &list)
    });
    match decided {
        Ok(decision) => convert::object(py, &document::Decision::new(&decision)),
        Err(error) => Err(refused(py, &error)),
    }
}
