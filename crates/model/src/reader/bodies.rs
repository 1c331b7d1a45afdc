//! Bodies and frames by name: their positions, velocities and rates.

use galilei_syntax::{Expression, ExpressionKind as E, Name, Pose, Span};

use super::Reader;
use super::meaning::Coordinate;
use crate::body::{Body, Frame};
use crate::code::Code;
use crate::diagnostic::nearest;
use crate::value::Value;

/// A `body` statement, found by name.
pub(crate) struct BodyStatement<'s> {
    pub(crate) mass: &'s Expression,
    pub(crate) inertia: &'s Expression,
    pub(crate) pose: &'s Pose,
    pub(crate) span: Span,
    pub(crate) locals: Vec<(String, i64)>,
}

/// A `frame` statement, found by name.
pub(crate) struct FrameStatement<'s> {
    pub(crate) pose: &'s Pose,
    pub(crate) span: Span,
    pub(crate) locals: Vec<(String, i64)>,
}

impl<'p, 's> Reader<'p, 's> {
    fn placed_by_itself(&mut self, what: &str, name: &str, span: Span) {
        self.error(
            Code::SelfReference,
            format!("the {what} `{name}` is placed with the help of itself"),
            "its position must not use position, velocity or omega of the same body or frame, nor `in` a frame that is placed in it",
            span,
        );
    }

    /// Reads a statement where it is, with the indices of the repetitions around it.
    fn at_its_place<T>(
        &mut self,
        indices: Vec<(String, i64)>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::take(&mut self.locals);
        for (index, k) in indices {
            let value = Value::number(self.pool.number(k));
            self.locals.push((index, value));
        }
        let found = read(self);
        self.locals = outer;
        found
    }

    /// A body by name, read once.
    pub(crate) fn body(&mut self, name: &str, span: Span) -> Option<Body<'p>> {
        match self.bodies.get(name) {
            Some(Some(body)) => return body.clone(),
            Some(None) => {
                self.placed_by_itself("body", name, span);
                return None;
            }
            None => {}
        }
        let Some(statement) = self.body_statements.get(name) else {
            self.unknown_frame(name, Code::UnknownBody, span);
            return None;
        };
        let (mass, inertia, pose) = (statement.mass, statement.inertia, statement.pose);
        let (indices, place) = (statement.locals.clone(), statement.span);
        self.bodies.insert(name.to_owned(), None);
        let body = self.at_its_place(indices, |r| r.read_body(name, mass, inertia, pose, place));
        self.bodies.insert(name.to_owned(), Some(body.clone()));
        body
    }

    /// A frame by name, read once; a body is a frame at its mass centre.
    pub(crate) fn frame(&mut self, name: &str, span: Span) -> Option<Frame<'p>> {
        self.frame_or(name, Code::UnknownBody, span)
    }

    /// The frame after `in`.
    pub(crate) fn outer_frame(&mut self, name: &str, span: Span) -> Option<Frame<'p>> {
        self.frame_or(name, Code::UnknownFrame, span)
    }

    fn frame_or(&mut self, name: &str, code: Code, span: Span) -> Option<Frame<'p>> {
        match self.frames.get(name) {
            Some(Some(frame)) => return frame.clone(),
            Some(None) => {
                self.placed_by_itself("frame", name, span);
                return None;
            }
            None => {}
        }
        let Some(statement) = self.frame_statements.get(name) else {
            if self.body_statements.contains_key(name) {
                return self.body(name, span).map(|b| b.frame);
            }
            self.unknown_frame(name, code, span);
            return None;
        };
        let (pose, place, indices) = (statement.pose, statement.span, statement.locals.clone());
        self.frames.insert(name.to_owned(), None);
        let frame = self.at_its_place(indices, |r| r.read_pose(name, pose, place));
        self.frames.insert(name.to_owned(), Some(frame.clone()));
        frame
    }

    /// Reports a name that is no body or frame.
    fn unknown_frame(&mut self, name: &str, code: Code, span: Span) {
        let bodies = self.body_statements.keys().map(String::as_str);
        let mut known: Vec<&str> = bodies
            .chain(self.frame_statements.keys().map(String::as_str))
            .collect();
        known.sort_unstable();
        known.dedup();
        // A member that does not exist of a family that does.
        let family = |w: &str| name.split_once('[').map(|p| p.0) == w.split_once('[').map(|p| p.0);
        let members: Vec<&str> = match name.contains('[') {
            true => known.iter().copied().filter(|w| family(w)).collect(),
            false => vec![],
        };
        let what = match code {
            Code::UnknownFrame => "frame",
            _ if self.frame_statements.is_empty() => "body",
            _ => "body or frame",
        };
        let hint = match nearest(name, known.iter().copied()) {
            _ if !members.is_empty() => {
                let more = if members.len() > 6 { ", …" } else { "" };
                format!(
                    "there are {}{more}",
                    members[..members.len().min(6)].join(", ")
                )
            }
            Some(w) => format!("did you mean `{w}`?"),
            None if code == Code::UnknownFrame => {
                "declare it: `frame NAME: at (a, b, c) rotation z(φ)`".into()
            }
            None if known.is_empty() => {
                "there is none: declare `body NAME: mass M inertia J at (x, y) angle φ`".into()
            }
            None => format!("name a `{}` of this model", what.replace(" or ", "` or `")),
        };
        self.error(code, format!("there is no {what} `{name}`"), hint, span);
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
            let body = self.frame(&label, arguments[0].span)?;
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
        if name.text == "omega"
            && let Some(k) = self.manifold_named(&arguments[0])
        {
            return self.point_omega(k?, &arguments[0], span);
        }
        let label = self.label_of(&arguments[0])?;
        let body = self.frame(&label, arguments[0].span)?;
        if name.text == "omega" {
            return Some(body.omega(self, span));
        }
        let arm = self.read(&arguments[1])?;
        self.same_size(&body.position, &arm, arguments[1].span)?;
        if name.text == "direction" {
            return Some(body.direction(self, &arm, span));
        }
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
            } else if !self
                .named_points
                .iter()
                .any(|(n, a)| *n == label && a.parts == arm.parts)
            {
                self.named_points.push((label, arm));
            }
            Some(point)
        } else {
            body.point_velocity(self, &arm, span)
        }
    }
}
