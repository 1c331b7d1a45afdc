//! Charts: other coordinates of the same system.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Expression, ExpressionKind as E, Label, Name, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Atlas, Chart, Inverse};
use crate::declarations::repeated;
use crate::diagnostic::nearest;
use crate::dimension::Dimension;
use crate::reader::Reader;
use crate::value::{Uses, Value};

/// Whether the target of an assignment is time.
pub(super) fn is_time(target: &Expression) -> bool {
    matches!(&target.kind, E::Name(n) if n == "t")
}

impl<'p> Draft<'p> {
    pub(super) fn chart<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        names: &'s [Name],
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        self.no_manifolds(r, "`chart`", span)?;
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
        let mut shift: Option<Expr<'p>> = None;
        for a in list {
            if is_time(&a.target) {
                if shift.is_some() {
                    r.duplicate(&a.target);
                    good = false;
                }
                match self.shift(r, a) {
                    Some(x) => shift = Some(x),
                    None => good = false,
                }
                continue;
            }
            let Some(k) = r.named_coordinate(&a.target) else {
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
            let wanted = r.coordinates[k].dimension.clone();
            let x = r.function_of_position(&a.value, "a chart", &wanted, "the coordinate");
            r.locals.truncate(r.locals.len() - names.len());
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
            shift: shift.unwrap_or(r.pool.zero()),
            inverse: None,
            span,
        });
        self.chart_dimensions.push(dimensions);
        Some(())
    }

    /// The constant c of `t = t + c`: the time of the model minus that of the chart.
    fn shift<'s>(&mut self, r: &mut Reader<'p, 's>, a: &'s Assignment) -> Option<Expr<'p>> {
        let v = r.read(&a.value)?;
        let (x, d) = r.scalar(&v, &a.value)?;
        let wanted = r.time_dimension.clone();
        r.fits(&d, &a.value, &wanted, "time")?;
        let shift = x - r.time;
        let changes = r
            .coordinates
            .iter()
            .any(|c| shift.contains_any(&[c.position, c.velocity]));
        if changes || shift.contains(r.time) {
            r.error(
                Code::WrongChart,
                "time is shifted by a constant, and not stretched",
                "write t = t + 3, or leave time out",
                a.value.span,
            );
            return None;
        }
        Some(shift)
    }

    /// Refuses a statement that names single coordinates in a model with ready-made manifolds.
    pub(super) fn no_manifolds(
        &self,
        r: &mut Reader<'p, '_>,
        what: &str,
        span: Span,
    ) -> Option<()> {
        let Some(m) = r.manifolds.first().cloned() else {
            return Some(());
        };
        r.error(
            Code::NotAvailable,
            format!("{what} is not available next to `{}`, a coordinate on a manifold that brings its own charts", m.name),
            format!("leave it out, or declare angles instead of `{}`", m.name),
            span,
        );
        None
    }

    /// The place of a chart by its name; reported where there is none.
    fn chart_place<'s>(&self, r: &mut Reader<'p, 's>, name: &str, span: Span) -> Option<usize> {
        let found = self.charts.iter().position(|c| c.name == name);
        if found.is_none() {
            let known: Vec<&str> = self.charts.iter().map(|c| c.name.as_str()).collect();
            let hint = match nearest(name, known.iter().copied()) {
                Some(w) => format!("did you mean `{w}`?"),
                None if known.is_empty() => "declare one: `chart NAME(r, φ): x = …, y = …`".into(),
                None => format!("the charts are {}", known.join(", ")),
            };
            let message = format!("there is no chart `{name}`");
            r.error(Code::UnknownChart, message, hint, span);
        }
        found
    }

    /// `inverse NAME: a = EXPR, …`
    pub(super) fn inverse<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let Some(label) = label else {
            r.error(
                Code::WrongChart,
                "an inverse belongs to a chart",
                "write `inverse NAME: a = …` with the name of the chart",
                span,
            );
            return None;
        };
        let name = label.name.text.clone();
        let place = self.chart_place(r, &name, label.name.span)?;
        if self.charts[place].inverse.is_some() {
            r.error(
                Code::DuplicateStatement,
                format!("the chart `{name}` has two inverses"),
                "keep one",
                span,
            );
            return None;
        }
        let names = self.charts[place].coordinates.clone();
        let mut new: Vec<Option<Expr<'p>>> = vec![None; names.len()];
        for a in list {
            if is_time(&a.target) {
                let back = self.shift(r, a)?;
                if !(back + self.charts[place].shift).is_zero() {
                    r.error(
                        Code::NotAnInverse,
                        "the inverse does not shift time back",
                        "t = t + c in the chart is undone by t = t - c",
                        a.value.span,
                    );
                    return None;
                }
                continue;
            }
            let target = match &a.target.kind {
                E::Name(n) => names.iter().position(|c| c == n),
                _ => None,
            };
            let Some(k) = target else {
                r.error(
                    Code::WrongChart,
                    format!(
                        "`{}` is no coordinate of the chart `{name}`",
                        r.text(a.target.span)
                    ),
                    format!("its coordinates are {}", names.join(", ")),
                    a.target.span,
                );
                return None;
            };
            if new[k].is_some() {
                r.duplicate(&a.target);
                return None;
            }
            let wanted = self.chart_dimensions[place][k].clone();
            let (what, of) = ("the inverse of a chart", "the coordinate of the chart");
            new[k] = Some(r.function_of_position(&a.value, what, &wanted, of)?);
        }
        let missing: Vec<String> = (0..new.len())
            .filter(|&k| new[k].is_none())
            .map(|k| names[k].clone())
            .collect();
        if !missing.is_empty() {
            r.error(
                Code::WrongChart,
                format!("the inverse does not say what {} is", missing.join(", ")),
                "an inverse gives every coordinate of the chart as a function of t and those of the model",
                span,
            );
            return None;
        }
        let new = new.into_iter().flatten().collect();
        self.charts[place].inverse = Some(Inverse { new, span });
        Some(())
    }

    /// `atlas: NAME, …`
    pub(super) fn atlas<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Expression],
        span: Span,
    ) -> Option<()> {
        self.no_manifolds(r, "`atlas`", span)?;
        if let Some(l) = label {
            r.error(
                Code::UnexpectedName,
                "the atlas has no name",
                "write `atlas: NAME, …` with the names of charts",
                l.name.span,
            );
            return None;
        }
        if self.atlas.is_some() {
            r.error(
                Code::DuplicateStatement,
                "the model has two atlases",
                "list all charts in one `atlas`",
                span,
            );
            return None;
        }
        let mut charts = Vec::new();
        for e in list {
            let name = r.label_of(e)?;
            let place = self.chart_place(r, &name, e.span)?;
            if charts.contains(&place) {
                r.duplicate(e);
                return None;
            }
            charts.push(place);
        }
        self.atlas = Some(Atlas { charts, span });
        Some(())
    }
}
