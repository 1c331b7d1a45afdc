//! Statements that place something: particles, frames, bodies, shapes.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::hint::form_with;
use crate::nearest::nearest;
use crate::tree::{Kind, Label, Orientation, Pose, Rotation};

/// The shapes of `shape`.
const SHAPES: [&str; 6] = ["sphere", "cylinder", "disk", "box", "line", "ground"];

/// The ways to give a rotation.
const AXES: [&str; 8] = ["x", "y", "z", "axis", "zxz", "zyx", "xyz", "quaternion"];

impl Cursor<'_> {
    pub(crate) fn particle(&mut self, label: Option<Label>) -> Kind {
        let mass = self.after("mass", "particle");
        let frame = self.inside();
        let at = match frame.is_some() && !self.sees_nearly("at") {
            true => None,
            false => Some(self.after("at", "particle")),
        };
        let pose = Pose {
            frame,
            at,
            orientation: None,
        };
        Kind::Particle { label, mass, pose }
    }

    pub(crate) fn frame(&mut self, label: Option<Label>) -> Kind {
        let pose = self.pose("frame");
        Kind::Frame { label, pose }
    }

    pub(crate) fn body(&mut self, label: Option<Label>) -> Kind {
        let mass = self.after("mass", "body");
        let inertia = self.after("inertia", "body");
        let pose = match self.sees_word("in") {
            true => self.pose("body"),
            false => Pose {
                frame: None,
                at: Some(self.after("at", "body")),
                orientation: Some(self.orientation()),
            },
        };
        Kind::Body {
            label,
            mass,
            inertia,
            pose,
        }
    }

    /// `in FRAME at (a, b, c) rotation ROT`, each part optional.
    fn pose(&mut self, statement: &str) -> Pose {
        let frame = self.inside();
        let at = self.sees_nearly("at").then(|| self.after("at", statement));
        let oriented = self.sees_nearly("angle") || self.sees_nearly("rotation");
        let orientation = oriented.then(|| self.orientation());
        Pose {
            frame,
            at,
            orientation,
        }
    }

    /// `in FRAME`
    fn inside(&mut self) -> Option<Label> {
        self.take_word("in")
            .then(|| self.reference("a frame"))
            .flatten()
    }

    /// The name of another statement, perhaps with an index: `link[k-1]`.
    pub(crate) fn reference(&mut self, what: &str) -> Option<Label> {
        let name = self.name(what)?;
        let mut index = None;
        if self.sees("[") && self.token().is_some_and(|t| t.touches) {
            self.advance();
            index = Some(self.sum());
            self.expect("]", "the index of the name is not closed");
        }
        Some(Label { name, index })
    }

    fn orientation(&mut self) -> Orientation {
        if self.take_word("angle") {
            return Orientation::Angle(self.sum());
        }
        if self.take_word("rotation") {
            return self.rotation();
        }
        if !self.has_error() {
            self.expected(
                SyntaxCode::ExpectedKeyword,
                "`angle` or `rotation`",
                match self.sees_word("in") {
                    true => form_with(self.statement_word, "in").unwrap_or_default(),
                    false => {
                        "a planar body has `angle φ`, a spatial one `rotation zxz(φ, θ, ψ)`".into()
                    }
                },
            );
        }
        if self.sees_nearly("angle") {
            self.advance();
            return Orientation::Angle(self.sum());
        }
        if self.sees_nearly("rotation") {
            self.advance();
            return self.rotation();
        }
        Orientation::Angle(self.missing())
    }

    /// `zxz(φ, θ, ψ)`, `z(α) then x(β)`
    fn rotation(&mut self) -> Orientation {
        let mut factors = Vec::new();
        loop {
            let Some(kind) = self.name("x, y, z, axis, zxz, zyx, xyz or quaternion") else {
                return Orientation::Angle(self.missing());
            };
            // A coordinate on the rotations stands alone, and may have an index.
            let alone = self.at_statement_end() || self.sees_word("then");
            let indexed = self.sees("[") && self.token().is_some_and(|t| t.touches);
            let (mut index, mut arguments) = (None, None);
            if indexed {
                self.advance();
                index = Some(self.sum());
                self.expect("]", "the index of the coordinate is not closed");
            } else if !alone {
                if !self.sees("(") {
                    let angle = &kind.text;
                    self.error(
                        SyntaxCode::ExpectedToken,
                        format!(
                            "a rotation lists its angles: expected (, found {}",
                            self.describe()
                        ),
                        match AXES.contains(&angle.as_str()) {
                            true => "write ( here".into(),
                            false => format!(
                                "in the plane write `angle {angle}`, in space `rotation z({angle})`"
                            ),
                        },
                        self.here(),
                    );
                    return Orientation::Angle(self.missing());
                }
                self.advance();
                arguments = Some(self.list(Self::sum));
                self.expect(")", "the rotation is not closed");
            }
            factors.push(Rotation {
                kind,
                index,
                arguments,
            });
            if !self.take_word("then") {
                return Orientation::Rotation(factors);
            }
        }
    }

    /// `shape NAME: sphere R on BODY`
    pub(crate) fn shape(&mut self, label: Option<Label>) -> Option<Kind> {
        let shape = self.name("sphere, cylinder, disk, box, line or ground")?;
        if !SHAPES.contains(&shape.text.as_str()) {
            let hint = match nearest(&shape.text, SHAPES) {
                Some(w) => format!("did you mean `{w}`?"),
                None => format!("shapes are {}", SHAPES.join(", ")),
            };
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("there is no shape `{}`", shape.text),
                hint,
                shape.span,
            );
        }
        let bare = self.at_statement_end() || self.sees_word("on");
        let sizes = match bare {
            true => vec![],
            false => self.list(Self::sum),
        };
        let on = self
            .take_word("on")
            .then(|| self.reference("a body or a frame"))
            .flatten();
        Some(Kind::Shape {
            label,
            shape,
            sizes,
            on,
        })
    }
}
