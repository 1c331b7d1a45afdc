//! The model: its picture, its coordinates, its parameters.

use std::fmt::Write;

use galilei_expr::{ExprId, Layout};

use super::Page;
use super::glance::spaced;
use crate::figure::{Footage, Mechanism, Scene, Solid};
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
        let Some(mechanism) = Mechanism::new(self.model) else {
            return;
        };
        // The motion sets the scale.
        let start = self.start();
        let states = match (&self.record, &start) {
            (Ok(record), _) if !record.run.rows.is_empty() => spaced(&record.run.rows, 200),
            (_, Some(start)) => vec![start.as_slice()],
            _ => return,
        };
        let Some(footage) = Footage::new(&mechanism, self.model, &states) else {
            return;
        };
        let scene = footage.first();
        let title = format!("{} at the start", self.model.title());
        let _ = writeln!(
            out,
            "<figure>{}<figcaption>At the start.{}</figcaption></figure>",
            scene.still("start", &title, units.length),
            drawn_as(&scene)
        );
    }

    /// (t, x) of the initial state.
    fn start(&self) -> Option<Vec<f64>> {
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
                named(&c.name),
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
                named(&p.name),
                escaped(&unit)
            );
        }
        out.push_str("</tbody></table>\n");
        if folded {
            out.push_str("</details>\n");
        }
    }
}

/// A name as it is drawn, and as it is written where that differs: `θ₁ th1`.
fn named(name: &str) -> String {
    let layout = Layout::name(name);
    let drawn = layout.to_mathml(false);
    match layout.to_text() == name {
        true => drawn,
        false => format!("{drawn} <code>{}</code>", escaped(name)),
    }
}

/// The sentence on how bodies are drawn, if there are any.
fn drawn_as(scene: &Scene) -> String {
    use crate::figure::Stroke;
    let stroke = |stroke: Stroke| scene.strokes.iter().any(|s| s.2 == stroke);
    let solid = |code: i64| scene.solids.iter().any(|s| s.0.code() == code);
    let kinds = [
        (stroke(Stroke::Bar), "rod"),
        (solid(Solid::Disk([0; 3]).code()), "disk"),
        (solid(Solid::Ball([0; 3]).code()), "ball"),
        (solid(Solid::Cylinder([0; 3], [0; 3]).code()), "cylinder"),
        (stroke(Stroke::Edge), "box"),
    ];
    let kinds: Vec<&str> = kinds.iter().filter(|k| k.0).map(|k| k.1).collect();
    if kinds.is_empty() {
        return String::new();
    }
    let kinds = kinds.join(" or ");
    format!(" A body is drawn as the uniform {kinds} with its mass and its moments of inertia.")
}
