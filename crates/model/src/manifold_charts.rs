//! A model in the other charts of its ready-made manifolds. (T-125)

use galilei_expr::{Expr, ExprId};
use galilei_syntax::{ExpressionKind, Kind};

use crate::contents::Contents;
use crate::manifold::{Manifold, ManifoldKind};
use crate::model::Model;
use crate::reader::Reader;

/// The spheres whose south pole is the origin, as bits.
fn turned(list: &[Manifold]) -> usize {
    let spheres = list.iter().filter(|m| m.is_turned());
    spheres.fold(0, |bits, m| bits | 1 << m.bit)
}

impl Model {
    /// The ready-made manifolds of the model.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.contents().manifolds
    }

    /// The number of charts of the ready-made manifolds that runs go through; one where all have a single chart.
    pub fn manifold_chart_count(&self) -> usize {
        self.manifold_charts().len().max(1)
    }

    /// The spheres of the model, in the order of the bits of the number of a chart.
    pub fn spheres(&self) -> impl Iterator<Item = &Manifold> {
        let list = self.manifolds().iter();
        list.filter(|m| m.kind == ManifoldKind::Sphere)
    }

    /// The place of the contents among those of all charts: which spheres are turned compared to the first.
    fn own_chart(&self) -> usize {
        let Some(first) = self.manifold_charts().first() else {
            return 0;
        };
        turned(self.manifolds()) ^ turned(&first.manifolds)
    }

    /// The model in the chart of its ready-made manifolds in which another reading of the same text is.
    #[must_use]
    pub fn in_chart_of(&self, other: &Self) -> Self {
        self.in_manifold_chart(self.manifold_chart_from(other))
    }

    /// The number of the chart of this reading among those of another reading of the same text, which is in chart 0.
    pub fn manifold_chart_from(&self, other: &Self) -> usize {
        turned(self.manifolds()) ^ turned(other.manifolds())
    }

    /// The model in another chart of its ready-made manifolds: a bit of the number for each sphere tells whether it is
    /// seen from its other pole. Parameters and settings are those of this model.
    #[must_use]
    pub fn in_manifold_chart(&self, bits: usize) -> Self {
        let place = self.own_chart() ^ bits;
        let Some(other) = self.manifold_charts().get(place).filter(|_| bits != 0) else {
            return self.clone();
        };
        let own = self.contents();
        let contents = Contents {
            parameters: own.parameters.clone(),
            run: own.run.clone(),
            ..other.clone()
        };
        self.with_contents(contents).with_vertices()
    }

    /// The name of a chart of the ready-made manifolds by its number: the pole of each sphere at which its coordinates
    /// are zero.
    pub fn manifold_chart_name(&self, bits: usize) -> String {
        let pole = |m: &Manifold| match m.is_turned() == (bits >> m.bit & 1 == 1) {
            true => "north",
            false => "south",
        };
        let names = self.spheres().map(|m| format!("{}_{}", m.name, pole(m)));
        let names: Vec<String> = names.collect();
        match names.is_empty() {
            true => "rodrigues".into(),
            false => names.join("_"),
        }
    }

    /// The charts of the ready-made manifolds in words: those in which formulas are written, and those of runs.
    pub fn words_on_charts(&self) -> Option<String> {
        let names = |m: &Manifold| -> Vec<String> {
            let list = &self.contents().coordinates[m.first..m.first + m.kind.dimension()];
            list.iter().map(|c| c.name.clone()).collect()
        };
        let own = self.manifolds().iter().map(|m| m.words(&names(m)));
        let own: Vec<String> = own.collect();
        let runs = self.manifolds().iter().filter_map(|m| match m.kind {
            ManifoldKind::Circle => None,
            ManifoldKind::Sphere => Some(format!(
                "the stereographic coordinates of {} from either pole",
                m.name
            )),
            ManifoldKind::Rotations => Some(format!(
                "the axis of {} times the tangent of a quarter of its angle, which is kept below half a turn",
                m.name
            )),
        });
        let runs: Vec<String> = runs.collect();
        match (own.is_empty(), runs.is_empty()) {
            (true, _) => None,
            (false, true) => Some(format!("{}.", own.join("; "))),
            (false, false) => Some(format!(
                "{}. Runs use {}, which have no singular point.",
                own.join("; "),
                runs.join(", and ")
            )),
        }
    }

    /// The model in the chart that suits its start, after the entries of a state are put in. Without spheres, and where
    /// nothing can be said, it is the model itself.
    #[must_use]
    pub fn facing(&self, text: &str) -> Self {
        if self.manifold_charts().is_empty() {
            return self.clone();
        }
        let pool = self.pool();
        let line = format!("initial {text}");
        let file = galilei_syntax::parse(&line);
        let entries = match file.statements.first().map(|s| &s.kind) {
            Some(Kind::Initial(list)) if file.errors.is_empty() => &list[..],
            _ => &[],
        };
        let Ok(values) = self.parameter_values() else {
            return self.clone();
        };
        let number = |e: Expr<'_>| {
            let e = pool.expr(e.id()).substitute(&values);
            crate::numbers::doubles(pool, &[e], &[])[0]
        };
        let mut bits = 0;
        for m in self.spheres() {
            let mut reader = Reader::new(pool, &line);
            let named = entries.iter().find(|a| {
                !matches!(a.target.kind, ExpressionKind::Prime(..))
                    && matches!(
                        a.target.kind,
                        ExpressionKind::Name(_) | ExpressionKind::Index(..)
                    )
                    && reader.label_of(&a.target).as_deref() == Some(&m.name)
            });
            let far = match named {
                Some(a) => {
                    let mut reader = Reader::new(pool, &line);
                    let point = reader.constant_point(m.kind, &a.value);
                    let along = point.and_then(|p| reader.number_of(p[2]));
                    along.is_some_and(|z| if m.is_turned() { z > 0.0 } else { z < 0.0 })
                }
                // Where a parameter moves the start to where the chart ends.
                None => {
                    let list = &self.contents().coordinates[m.first..m.first + 2];
                    let square = |id: Option<ExprId>| match id {
                        None => Some(0.0),
                        Some(id) => number(self.expr(id)).map(|x| x * x),
                    };
                    let given = list.iter().any(|c| c.initial_position.is_some());
                    let total = list
                        .iter()
                        .map(|c| square(c.initial_position))
                        .sum::<Option<f64>>();
                    given && total.is_none_or(|s| s.is_nan() || s > 4.0)
                }
            };
            if far {
                bits |= 1 << m.bit;
            }
        }
        self.in_manifold_chart(bits)
    }
}
