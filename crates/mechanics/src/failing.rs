//! The component of a form that should vanish and does not.

use std::fmt;

use galilei_expr::{Bound, Verdict};
use galilei_geometry::{Chart, Form};

/// A component of a form that should vanish and does not, or could not be decided.
#[derive(Clone, Debug, PartialEq)]
pub struct FailingPart {
    /// The basis form that it multiplies, `d(x) /\ d(t)`; empty for a function.
    pub basis: String,
    /// The component.
    pub value: String,
    /// The verdict on its vanishing.
    pub verdict: Verdict,
    /// A point of the chart, for components that are not zero anywhere.
    pub point: String,
}

impl fmt::Display for FailingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            basis,
            value,
            verdict,
            point,
        } = self;
        if basis.is_empty() {
            write!(f, "{value}")?;
        } else {
            write!(f, "its component along {basis} is {value}")?;
        }
        match verdict {
            Verdict::Refuted(w) if w.values.is_empty() => {
                write!(f, ", which is not zero at any point, such as {point}")
            }
            Verdict::Refuted(witness) => write!(f, ", which is not zero at {witness}"),
            other => write!(f, ", which could not be shown to vanish ({other})"),
        }
    }
}

/// The weakest verdict on the vanishing of some components, or the first that does not vanish.
pub(crate) fn all_vanish<'p>(
    form: &Form<'p>,
    select: impl Fn(&[usize]) -> bool,
) -> Result<Verdict, FailingPart> {
    let mut sure = Verdict::Proved(Bound::CERTAIN);
    for (indices, c) in form.terms().filter(|(i, _)| select(i)) {
        let verdict = c.decide_zero();
        if !verdict.is_proved() {
            let names = indices
                .iter()
                .map(|&k| format!("d({})", form.chart().coordinate(k)));
            return Err(FailingPart {
                basis: names.collect::<Vec<_>>().join(" /\\ "),
                value: c.to_string(),
                verdict,
                point: origin(form.chart()),
            });
        }
        sure = sure.and(verdict);
    }
    Ok(sure)
}

/// Coordinates that are named in a point.
const MAX_NAMED: usize = 6;

/// The origin of a chart in words.
pub(crate) fn origin(chart: &Chart<'_>) -> String {
    let names = chart.coordinates().iter().take(MAX_NAMED);
    let list: Vec<String> = names.map(|x| format!("{x} = 0")).collect();
    list.join(", ")
}
