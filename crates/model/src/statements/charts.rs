//! Charts: other coordinates of the same system.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Label, Name, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::Chart;
use crate::declarations::repeated;
use crate::dimension::Dimension;
use crate::reader::Reader;
use crate::value::{Uses, Value};

impl<'p> Draft<'p> {
    pub(super) fn chart<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        names: &'s [Name],
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let chart_name = self.label(r, "chart", label, span)?;
        repeated(r, names);
        if let Some(n) = names.iter().find(|n| n.text == "t") {
            r.error(
                Code::ReservedName,
                "time is the same in every chart",
                "leave t out of the list",
                n.span,
            );
            return None;
        }
        if names.len() != r.coordinates.len() {
            r.error(
                Code::WrongChart,
                format!(
                    "the chart has {} coordinate{}, the system {}",
                    names.len(),
                    if names.len() == 1 { "" } else { "s" },
                    r.coordinates.len()
                ),
                "a chart has as many coordinates as the system",
                names[0].span.to(names[names.len() - 1].span),
            );
            return None;
        }
        let taken = |r: &Reader<'p, '_>, n: &str| {
            r.parameters.iter().any(|p| p.name == n) || r.coordinates.iter().any(|c| c.name == n)
        };
        let symbols: Vec<Expr<'p>> = names
            .iter()
            .map(|n| {
                if taken(r, &n.text) {
                    r.pool.symbol(&format!("{chart_name}.{}", n.text))
                } else {
                    r.pool.symbol(&n.text)
                }
            })
            .collect();
        let mut old: Vec<Option<Expr<'p>>> = vec![None; r.coordinates.len()];
        let mut good = true;
        let dimensions: Vec<Dimension> = names.iter().map(|_| r.unifier.unknown()).collect();
        for a in list {
            let Some((k, false)) = r.target(&a.target) else {
                good = false;
                continue;
            };
            if old[k].is_some() {
                r.duplicate(&a.target);
                good = false;
                continue;
            }
            for ((n, s), d) in names.iter().zip(&symbols).zip(&dimensions) {
                let uses = Uses {
                    symbols: true,
                    state: Some(n.span),
                    ..Uses::default()
                };
                r.locals
                    .push((n.text.clone(), Value::scalar(*s, d.clone(), uses)));
            }
            let v = r.read(&a.value);
            r.locals.truncate(r.locals.len() - names.len());
            let Some(v) = v else {
                good = false;
                continue;
            };
            let x = r.scalar(&v, &a.value).and_then(|(x, d)| {
                r.only_position(&v, "a chart")?;
                r.smooth(&v, "a chart")?;
                let wanted = r.coordinates[k].dimension.clone();
                let what = format!("`{}`", r.text(a.value.span));
                r.agree((&d, &what), (&wanted, "the coordinate"), a.value.span)
                    .then_some(x)
            });
            let Some(x) = x else {
                good = false;
                continue;
            };
            if let Some(c) = r.coordinates.iter().find(|c| x.contains(c.position)) {
                let name = c.name.clone();
                r.error(
                    Code::WrongChart,
                    format!("the old coordinate `{name}` occurs on the right side"),
                    "a chart gives every old coordinate as a function of t and the new ones",
                    a.value.span,
                );
                good = false;
                continue;
            }
            old[k] = Some(x);
        }
        let missing: Vec<String> = (0..old.len())
            .filter(|&k| old[k].is_none())
            .map(|k| r.coordinates[k].name.clone())
            .collect();
        if !good {
            return None;
        }
        if !missing.is_empty() {
            r.error(
                Code::WrongChart,
                format!("the chart does not say what {} is", missing.join(", ")),
                "a chart gives every old coordinate as a function of t and the new ones",
                span,
            );
            return None;
        }
        self.charts.push(Chart {
            name: chart_name,
            coordinates: names.iter().map(|n| n.text.clone()).collect(),
            symbols,
            old: old.into_iter().flatten().collect(),
            span,
        });
        Some(())
    }
}
