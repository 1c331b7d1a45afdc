//! Rigid bodies: found by name, then their energies.

use galilei_expr::Rational;
use galilei_syntax::{Kind, Label, Span};

use super::draft::Draft;
use super::placements::{Placement, with_indices};
use crate::body::Frame;
use crate::contents::{Constraint, Enforcement, FramePlace, Level, Part};
use crate::reader::{BodyStatement, FrameStatement, Reader};

pub(super) fn register_bodies<'p, 's>(r: &mut Reader<'p, 's>, list: &[Placement<'s>]) {
    let mut unnamed = [0; 2];
    for p in list {
        let (label, frame) = match &p.statement.kind {
            Kind::Body { label, .. } => (label, false),
            Kind::Frame { label, .. } => (label, true),
            _ => continue,
        };
        let name = match label {
            Some(l) => match with_indices(r, &p.indices, |r| r.label(l)) {
                Some(name) => name,
                None => continue,
            },
            None => {
                let count = &mut unnamed[usize::from(frame)];
                *count += 1;
                format!("{} {count}", if frame { "frame" } else { "body" })
            }
        };
        let (span, locals) = (p.statement.span, p.indices.clone());
        match &p.statement.kind {
            Kind::Body {
                mass,
                inertia,
                pose,
                ..
            } => {
                let statement = BodyStatement {
                    mass,
                    inertia,
                    pose,
                    span,
                    locals,
                };
                r.body_statements.entry(name).or_insert(statement);
            }
            Kind::Frame { pose, .. } => {
                let statement = FrameStatement { pose, span, locals };
                r.frame_statements.entry(name).or_insert(statement);
            }
            _ => {}
        }
    }
}

impl<'p> Draft<'p> {
    /// `body`: its kinetic energy, and the unit length of its quaternion.
    pub(super) fn body<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "body", label, span)?;
        let body = r.body(&name, span)?;
        let t = body.kinetic(r);
        self.contribute(name.clone(), "body", Part::Kinetic, t, span);
        let at = vec![body.frame.position.parts.clone()];
        self.place(&name, "body", at, Some(body.attitude()));
        self.placed_within(&body.frame);
        self.unit_length(r, &name, label, &body.frame, span)?;
        let own = body.frame.quaternion.is_some();
        let carriers = body.frame.carriers.iter();
        for carrier in carriers.take(body.frame.carriers.len() - usize::from(own)) {
            let inertia = body.mean_inertia(r);
            self.carried
                .entry(carrier.clone())
                .or_default()
                .push(inertia);
        }
        let d = r.unifier.unknown();
        let energy = r.energy.clone();
        let v = r.rate(&body.frame.position.dimensions[0]);
        r.unifier.equate(&d.times(&v, &Rational::from(2)), &energy);
        self.masses
            .push((body.mass, d, body.frame.position, span, name));
        Some(())
    }

    /// `frame`: the unit length of its quaternion.
    pub(super) fn frame<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "frame", label, span)?;
        let frame = r.frame(&name, span)?;
        self.frames.push(FramePlace {
            name: name.clone(),
            origin: frame.position.parts.clone(),
            within: frame.within.clone(),
        });
        self.unit_length(r, &name, label, &frame, span)?;
        if let Some(radial) = frame.radial(r) {
            self.quaternions.push((name, radial, span));
        }
        Some(())
    }

    /// The unit length of the quaternion of a frame is a constraint named after it.
    fn unit_length<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        name: &str,
        label: Option<&'s Label>,
        frame: &Frame<'p>,
        span: Span,
    ) -> Option<()> {
        let Some(q) = frame.quaternion else {
            return Some(());
        };
        let f = r.pool.sum(q.iter().map(|x| x.pow(2))) - 1;
        // Unit quaternions made of angles restrict nothing.
        if f.decide_zero().is_proved() {
            return Some(());
        }
        self.implied(r, name, label, span)?;
        r.multipliers
            .insert(name.to_owned(), vec![r.energy.clone()]);
        self.constraints.push(Constraint {
            name: name.to_owned(),
            function: f,
            form: vec![],
            level: Level::Position,
            enforcement: Enforcement::Ideal,
            enforced_at: None,
            span,
        });
        Some(())
    }

    /// Gives inertia to the norms of the quaternions of frames: 2κ(q·q')², which vanishes on the constraint, with κ
    /// from the bodies that the frame carries.
    pub(super) fn finish_frames(&mut self, r: &mut Reader<'p, '_>) {
        for (name, radial, span) in std::mem::take(&mut self.quaternions) {
            if let Some(list) = self.carried.get(&name) {
                let kappa = r.pool.sum(list.iter().copied());
                let t = 2 * kappa * radial.pow(2);
                self.contribute(name, "frame", Part::Kinetic, t, span);
            }
        }
    }
}
