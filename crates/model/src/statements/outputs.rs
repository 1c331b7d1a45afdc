//! Outputs and events of a run.

use galilei_syntax::{Direction, Expression, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Event, Output};
use crate::diagnostic::Diagnostic;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `output`: a column of the run.
    pub(super) fn output<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        value: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "output", label, span);
        r.constraint_names = Some(r.all_constraints.clone());
        let v = r.read(value);
        r.constraint_names = None;
        let (name, v) = (name?, v?);
        let (x, _) = r.scalar(&v, value)?;
        self.outputs.push(Output {
            name,
            value: x,
            span,
        });
        Some(())
    }

    /// Constraints have the components by which outputs name them.
    pub(super) fn finish_outputs(&self, r: &mut Reader<'p, '_>) {
        for (name, span) in std::mem::take(&mut r.named_components) {
            let whole = name.split('.').next().unwrap_or(&name);
            let mut own = self.constraints.iter().map(|c| c.name.as_str());
            if own.any(|c| c == name)
                || self.has_tangent(&name)
                || r.diagnostics.iter().any(Diagnostic::is_error)
            {
                continue;
            }
            let own = self.constraints.iter().map(|c| c.name.as_str());
            let parts: Vec<&str> = own.filter(|c| c.split('.').next() == Some(whole)).collect();
            r.error(
                Code::UnknownConstraint,
                format!("there is no component `{name}` of a constraint"),
                format!("the constraint is {}", parts.join(", ")),
                span,
            );
        }
    }

    /// Whether a contact or a Coulomb element has this tangential component: `floor.x`.
    fn has_tangent(&self, name: &str) -> bool {
        let contacts = self.contacts.iter().map(|c| (&c.name, c.along.len(), 0));
        let frictions = self.frictions.iter().map(|f| (&f.name, f.along.len(), 1));
        contacts.chain(frictions).any(|(own, count, least)| {
            let mut components = ["x", "y"].iter().take(count);
            count > least && components.any(|c| format!("{own}.{c}") == name)
        })
    }

    /// `event`: a function of the state that crosses zero.
    pub(super) fn event<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        value: &'s Expression,
        (direction, terminal): (Direction, bool),
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "event", label, span);
        let v = r.read(value);
        let (name, v) = (name?, v?);
        let (x, _) = r.scalar(&v, value)?;
        if v.uses.state.is_none() {
            r.error(
                Code::ConstantEvent,
                format!(
                    "`{}` never changes, so it crosses zero nowhere",
                    r.text(value.span)
                ),
                "an event is a function of the state or of time",
                value.span,
            );
            return None;
        }
        self.events.push(Event {
            name,
            value: x,
            direction,
            terminal,
            branch: None,
            span,
        });
        Some(())
    }
}
