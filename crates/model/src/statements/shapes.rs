//! Shapes: what pictures draw. Nothing else depends on them.

use galilei_syntax::{Expression, Label, Name, Span, SyntaxCode};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Shape, Solid};
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `shape NAME: sphere R on BODY`
    pub(super) fn shape<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        (shape, sizes): (&'s Name, &'s [Expression]),
        on: Option<&'s Label>,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "shape", label, span);
        let frame = match on {
            None => None,
            Some(l) => {
                let name = r.label(l);
                Some(name.and_then(|n| r.frame(&n, l.name.span))?)
            }
        };
        let planar = frame.as_ref().is_some_and(crate::body::Frame::is_planar);
        let (solid, wanted) = match shape.text.as_str() {
            "sphere" => (Solid::Sphere, 1),
            "cylinder" => (Solid::Cylinder, 2),
            "disk" => (Solid::Disk, 1),
            "box" => (Solid::Box, if planar { 2 } else { 3 }),
            "line" => (Solid::Line, sizes.len().max(2)),
            "ground" => (Solid::Ground, 0),
            // Reported by the parser.
            _ => return None,
        };
        if sizes.len() != wanted {
            r.error(
                Code::WrongArgumentCount,
                format!(
                    "`{}` is drawn with {wanted} numbers, not {}",
                    shape.text,
                    sizes.len()
                ),
                "write sphere R, cylinder R, H, disk R, box A, B, C (in the plane box A, B), line P, Q, … or ground",
                span,
            );
            return None;
        }
        if frame.is_none() && !matches!(solid, Solid::Ground | Solid::Line) {
            r.error(
                SyntaxCode::ExpectedKeyword,
                format!("a {} is drawn on a body or a frame", shape.text),
                format!("write `shape: {} … on BODY`", shape.text),
                span,
            );
            return None;
        }
        let (mut points, mut numbers) = (Vec::new(), Vec::new());
        for e in sizes {
            if solid == Solid::Line {
                let p = r.position(e)?;
                let p = match &frame {
                    Some(frame) => {
                        r.same_size(&frame.position, &p, e.span)?;
                        frame.point(r, &p, e.span)
                    }
                    None => p,
                };
                points.push(p.parts);
                continue;
            }
            let v = r.read(e)?;
            let (x, d) = r.scalar(&v, e)?;
            r.only_position(&v, "the size of a shape")?;
            if let Some(frame) = &frame {
                let length = frame.position.dimensions[0].clone();
                r.fits(&d, e, &length, "the position of the body")?;
            }
            if r.number_of(x).is_some_and(|x| x <= 0.0) {
                r.error(
                    Code::WrongSetting,
                    format!("the size `{}` of a shape must be positive", r.text(e.span)),
                    "sizes are lengths",
                    e.span,
                );
                return None;
            }
            numbers.push(x);
        }
        let name = name?;
        let mut axes = Vec::new();
        if let Some(frame) = &frame {
            axes = frame.axes();
            if points.is_empty() {
                points.push(frame.position.parts.clone());
            }
        }
        self.shapes.push(Shape {
            name,
            solid,
            sizes: numbers,
            points,
            axes,
        });
        Some(())
    }
}
