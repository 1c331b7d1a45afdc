//! The model: its picture, its coordinates, its parameters.

use std::fmt::Write;

use galilei_expr::{ExprId, Layout};

use super::Page;
use crate::figure::{Mechanism, Scene};
use crate::markup::{escaped, readable};
use crate::units::{self, Units, rate};

/// Number of parameters up to which the list is not folded.
const MAX_UNFOLDED_PARAMETERS: usize = 14;

impl Page<'_, '_> {
    pub(super) fn opening(&self, out: &mut String) {
        out.push_str("<div class=\"beside\">\n");
        self.figure(out);
        out.push_str("<div>\n");
        self.coordinates(out);
        self.parameters(out);
        out.push_str("</div>\n</div>\n");
    }

    /// The mechanism at the initial state, where positions are known.
    fn figure(&self, out: &mut String) {
        let contents = self.model.contents();
        let units = Units::of(contents);
        let scene = Mechanism::new(self.model).and_then(|m| {
            let start = self.start()?;
            Scene::new(&m, self.model, &[&start])
        });
        let Some(scene) = scene else {
            return;
        };
        let title = format!("{} at the start", self.model.title());
        let _ = writeln!(
            out,
            "<figure>{}<figcaption>At the start.{}</figcaption></figure>",
            scene.still("start", &title, units.length),
            drawn_as(&scene)
        );
    }

    /// (t, x) at the start.
    fn start(&self) -> Option<Vec<f64>> {
        if let Ok(record) = &self.record
            && let Some(row) = record.run.rows.first()
        {
            return Some(row.clone());
        }
        let state = self.model.initial_state().ok()?;
        let numbers = std::iter::once(&state.time).chain(&state.position);
        Some(numbers.map(|e| e.evaluate_f64(&[])).collect())
    }

    /// The value of an expression in a unit, 0 if there is none.
    fn number(&self, value: Option<ExprId>, unit: ExprId) -> String {
        let known = self.model.parameter_values().unwrap_or_default();
        let value = value.map_or(self.model.pool().zero(), |id| self.model.expr(id));
        let number = value.substitute(&known) / self.model.expr(unit);
        readable(number.evaluate_f64(&[]))
    }

    fn coordinates(&self, out: &mut String) {
        let contents = self.model.contents();
        let units = Units::of(contents);
        out.push_str(
            "<table class=\"facts-table\"><caption>Coordinates, with time <i>t</i></caption>\n\
             <thead><tr><th scope=\"col\">name</th><th scope=\"col\">starts at</th><th scope=\"col\">with velocity</th></tr></thead>\n<tbody>\n",
        );
        for c in &contents.coordinates {
            let unit = units::readable(c.unit.as_deref().unwrap_or_default());
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{} {}</td><td>{} {}</td></tr>",
                Layout::name(&c.name).to_mathml(false),
                self.number(c.initial_position, c.scale),
                escaped(&unit),
                self.number(c.initial_velocity, c.scale),
                escaped(&rate(&unit, units.time))
            );
        }
        out.push_str("</tbody></table>\n");
    }

    fn parameters(&self, out: &mut String) {
        let contents = self.model.contents();
        if contents.parameters.is_empty() {
            return;
        }
        let folded = contents.parameters.len() > MAX_UNFOLDED_PARAMETERS;
        if folded {
            let n = contents.parameters.len();
            let _ = writeln!(out, "<details><summary>{n} parameters</summary>");
        }
        out.push_str(
            "<table class=\"facts-table\"><caption>Parameters</caption>\n\
             <thead><tr><th scope=\"col\">name</th><th scope=\"col\">value</th></tr></thead>\n<tbody>\n",
        );
        for p in &contents.parameters {
            let value = match p.value {
                None => "not given".into(),
                value => self.number(value, p.scale),
            };
            let unit = units::readable(p.unit.as_deref().unwrap_or_default());
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{value} {}</td></tr>",
                Layout::name(&p.name).to_mathml(false),
                escaped(&unit)
            );
        }
        out.push_str("</tbody></table>\n");
        if folded {
            out.push_str("</details>\n");
        }
    }
}

/// The sentence on how bodies are drawn, if there are any.
fn drawn_as(scene: &Scene) -> &'static str {
    use crate::figure::Stroke;
    let has = |stroke: Stroke| scene.strokes.iter().any(|s| s.2 == stroke);
    match (has(Stroke::Bar), has(Stroke::Edge)) {
        (true, _) => " A body is drawn as the uniform rod with its mass and its moment of inertia.",
        (_, true) => {
            " A body is drawn as the uniform box with its mass and its moments of inertia."
        }
        _ => "",
    }
}
