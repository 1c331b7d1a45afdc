//! Bodies by name: their positions, velocities and rates.

use galilei_syntax::{Expression, ExpressionKind as E, Name, Orientation, Span};

use super::Reader;
use super::meaning::Coordinate;
use crate::body::Body;
use crate::code::Code;
use crate::diagnostic::nearest;
use crate::value::Value;

/// A body or a particle statement, found by name.
pub(crate) struct BodyStatement<'s> {
    pub(crate) mass: &'s Expression,
    pub(crate) inertia: &'s Expression,
    pub(crate) at: &'s Expression,
    pub(crate) orientation: &'s Orientation,
    pub(crate) locals: Vec<(String, i64)>,
}

impl<'p, 's> Reader<'p, 's> {
    /// A body by name, read once.
    pub(crate) fn body(&mut self, name: &str, span: Span) -> Option<Body<'p>> {
        match self.bodies.get(name) {
            Some(Some(body)) => return body.clone(),
            Some(None) => {
                self.error(
                    Code::SelfReference,
                    format!("the body `{name}` is placed with the help of itself"),
                    "its position must not use position, velocity or omega of the same body",
                    span,
                );
                return None;
            }
            None => {}
        }
        let Some(statement) = self.body_statements.get(name) else {
            let mut known: Vec<&str> = self.body_statements.keys().map(String::as_str).collect();
            known.sort_unstable();
            // A member that does not exist of a family that does.
            let family =
                |w: &str| name.split_once('[').map(|p| p.0) == w.split_once('[').map(|p| p.0);
            let members: Vec<&str> = match name.contains('[') {
                true => known.iter().copied().filter(|w| family(w)).collect(),
                false => vec![],
            };
            let hint = match nearest(name, known) {
                _ if !members.is_empty() => {
                    let more = if members.len() > 6 { ", …" } else { "" };
                    format!(
                        "there are {}{more}",
                        members[..members.len().min(6)].join(", ")
                    )
                }
                Some(w) => format!("did you mean `{w}`?"),
                None if self.body_statements.is_empty() => {
                    "there is none: declare `body NAME: mass M inertia J at (x, y) angle φ`".into()
                }
                None => "name a `body` of this model".into(),
            };
            self.error(
                Code::UnknownBody,
                format!("there is no body `{name}`"),
                hint,
                span,
            );
            return None;
        };
        let (mass, inertia, at, orientation) = (
            statement.mass,
            statement.inertia,
            statement.at,
            statement.orientation,
        );
        let indices = statement.locals.clone();
        self.bodies.insert(name.to_owned(), None);
        let outer = std::mem::take(&mut self.locals);
        for (index, k) in indices {
            let value = Value::number(self.pool.number(k));
            self.locals.push((index, value));
        }
        let body = self.read_body(mass, inertia, at, orientation);
        self.locals = outer;
        self.bodies.insert(name.to_owned(), Some(body.clone()));
        body
    }

    /// The velocity of the material point at `position(BODY, ARM)`; an error for anything else.
    pub(crate) fn material_velocity(
        &mut self,
        point: &'s Expression,
        place: Span,
    ) -> Option<Value<'p>> {
        if let E::Call(name, _, arguments) = &point.kind
            && name.text == "position"
        {
            let label = self.label_of(&arguments[0])?;
            let body = self.body(&label, arguments[0].span)?;
            let arm = self.read(&arguments[1])?;
            return body.point_velocity(self, &arm, point.span);
        }
        self.error(
            Code::SlidingPoint,
            format!(
                "`{}` slides along its body, so its motion is not that of the material point the force acts on",
                self.text(place)
            ),
            "write the point as `at position(BODY, …)` in the force itself",
            point.span,
        );
        None
    }

    pub(super) fn of_body(
        &mut self,
        name: &'s Name,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let wanted = if name.text == "omega" { 1 } else { 2 };
        if arguments.len() != wanted {
            self.count(name, wanted, arguments.len());
            return None;
        }
        let label = self.label_of(&arguments[0])?;
        let body = self.body(&label, arguments[0].span)?;
        if name.text == "omega" {
            return Some(body.omega(self, span));
        }
        let arm = self.read(&arguments[1])?;
        self.same_size(&body.position, &arm, arguments[1].span)?;
        for k in 0..arm.len() {
            let what = format!("`{}`", self.text(arguments[1].span));
            if !self.agree(
                (&arm.dimensions[k], &what),
                (&body.position.dimensions[k], "the position of the body"),
                span,
            ) {
                return None;
            }
        }
        if name.text == "position" {
            let mut point = body.point(self, &arm, span);
            let slides = |c: &Coordinate<'p>| arm.parts.iter().any(|a| a.contains(c.position));
            if self.coordinates.iter().any(slides) {
                point.uses.sliding = Some(span);
            }
            Some(point)
        } else {
            body.point_velocity(self, &arm, span)
        }
    }
}
