//! The metric and its reference field; reference fields with a name.

use std::collections::HashMap;

use galilei_expr::{Expr, Rational};
use galilei_syntax::{Assignment, Label, MetricEntry, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Named, Part};
use crate::diagnostic::Diagnostic;
use crate::reader::Reader;

/// The entries of a metric.
pub(super) type Entries<'p> = HashMap<(usize, usize), Expr<'p>>;

impl<'p> Draft<'p> {
    pub(super) fn metric<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        entries: &'s [MetricEntry],
        span: Span,
    ) {
        if self.metric.is_some() {
            r.error(
                Code::DuplicateStatement,
                "there are two metrics",
                "join their entries",
                span,
            );
            return;
        }
        let mut map: HashMap<(usize, usize), Expr<'p>> = HashMap::new();
        let mut good = true;
        for entry in entries {
            let i = r.named_coordinate(&entry.coordinates[0]);
            let j = r.named_coordinate(&entry.coordinates[1]);
            let v = r.read(&entry.value);
            let (Some(i), Some(j), Some(v)) = (i, j, v) else {
                good = false;
                continue;
            };
            let place = entry.coordinates[0].span.to(entry.value.span);
            let checked = r.scalar(&v, &entry.value).and_then(|(x, d)| {
                r.only_position(&v, "a metric")?;
                r.smooth(&v, "a metric")?;
                let (a, b) = (&r.coordinates[i].dimension, &r.coordinates[j].dimension);
                let wanted = r.energy.div(&r.rate(a)).div(&r.rate(b));
                let what = format!("`{}`", r.text(entry.value.span));
                r.agree(
                    (&d, &what),
                    (&wanted, "this entry, energy per velocity squared,"),
                    place,
                )
                .then_some(x)
            });
            let Some(x) = checked else {
                good = false;
                continue;
            };
            if let Some(other) = map.get(&(i, j)) {
                let same = *other == x || x.decide_equal(*other).is_proved();
                if !same && i != j {
                    let (a, b) = (r.coordinates[i].name.clone(), r.coordinates[j].name.clone());
                    r.error(
                        Code::MetricNotSymmetric,
                        format!("the entries {a} {b} and {b} {a} of the metric differ: it must be symmetric"),
                        "one entry sets both",
                        place,
                    );
                    good = false;
                } else if !same {
                    let pair = entry.coordinates[0].span.to(entry.coordinates[1].span);
                    r.duplicate_at(pair);
                    good = false;
                }
                continue;
            }
            map.insert((i, j), x);
            map.insert((j, i), x);
        }
        if good {
            self.metric = Some((span, map));
        }
    }

    /// `reference`: a field of its own with a name, that of the metric without.
    pub(super) fn reference<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        components: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = label.map(|l| self.label(r, "reference", Some(l), span));
        let list = r.components(components, |r, k, e| {
            let wanted = r.rate(&r.coordinates[k].dimension);
            let target = format!("the velocity of {}", r.coordinates[k].name);
            r.function_of_position(e, "a reference field", &wanted, &target)
        })?;
        match name {
            Some(name) => self.references.push(Named {
                name: name?,
                components: list,
                span,
            }),
            None if self.metric_reference.is_some() => {
                r.error(
                    Code::DuplicateStatement,
                    "the metric has two reference fields",
                    "name one of them: `reference NAME: …`",
                    span,
                );
            }
            None => self.metric_reference = Some((span, list)),
        }
        Some(())
    }

    /// ½g(u − R, u − R)
    pub(super) fn finish_metric(&mut self, r: &mut Reader<'p, '_>) {
        let n = r.coordinates.len();
        let zero = r.pool.zero();
        match (&self.metric, &self.metric_reference) {
            (Some((span, map)), reference) => {
                let shift: Vec<Expr<'p>> = match reference {
                    Some((_, list)) => list.clone(),
                    None => vec![zero; n],
                };
                let w: Vec<Expr<'p>> = (0..n)
                    .map(|i| r.coordinates[i].velocity - shift[i])
                    .collect();
                let mut terms = Vec::new();
                for i in 0..n {
                    for j in 0..=i {
                        if let Some(&g) = map.get(&(i, j)) {
                            let factor = if i == j {
                                Rational::new(1, 2)
                            } else {
                                Rational::from(1)
                            };
                            terms.push(factor * g * w[i] * w[j]);
                        }
                    }
                }
                let t = r.pool.sum(terms);
                let span = *span;
                self.contribute("metric".into(), "metric", Part::Kinetic, t, span);
            }
            (None, Some(_)) if self.given.is_some() => {}
            (None, Some((span, _))) if !r.diagnostics.iter().any(Diagnostic::is_error) => {
                r.error(
                    Code::ReferenceWithoutMetric,
                    "an unnamed reference field belongs to a `metric`, and there is none",
                    "give it a name, `reference NAME: …`, to see the inertia forces with respect to it",
                    *span,
                );
            }
            _ => {}
        }
    }
}
