//! Contact and friction at one state.

use super::numbers::ContactNumbers;
use super::record::{Situation, Undetermined};
use super::{ContactRunner, Course, Modes, solve};
use crate::problem::{Error, Options};

impl<M: Modes> ContactRunner<'_, M> {
    /// The mode at a state, x then u, with its accelerations and multipliers.
    ///
    /// # Errors
    /// Where a contact is penetrated, or contact and friction do not determine the motion.
    pub fn situation(&self, time: f64, state: &[f64]) -> Result<Situation, Error> {
        let mut course = Course::new(self.quantities, time, state);
        self.touch_at_start(&mut course)?;
        let frame = self.frame(time, state)?;
        course.note_velocities(&frame);
        let hitting = (frame.contacts.iter().enumerate()).filter(|(k, c)| {
            course.pressed[*k] && frame.lines[c.line].velocity < -course.at_rest(&frame, c.line)
        });
        let hitting: Vec<String> = hitting
            .map(|(k, _)| self.quantities.contacts[k].clone())
            .collect();
        if !hitting.is_empty() {
            return Ok(Situation {
                mode: self.free(),
                closed: vec![],
                sticking: vec![],
                multipliers: vec![],
                constraints: vec![],
                acceleration: vec![],
                margins: vec![],
                hitting,
            });
        }
        // The span matters to the search for the mode that lasts.
        let options = Options {
            from: time,
            to: time + 1.0,
            ..Options::default()
        };
        let (mode, answer) = self.settle(&mut course, &options)?;
        course.record.enter(self.quantities, time, &mode);
        let entry = course.record.modes.pop();
        let (closed, sticking) = entry.map(|e| (e.closed, e.sticking)).unwrap_or_default();
        let of = |lines: &[usize]| lines.iter().map(|&l| answer.multipliers[l]).collect();
        let mut multipliers: Vec<(String, Vec<f64>)> = Vec::new();
        for (k, (c, name)) in (frame.contacts.iter().zip(&self.quantities.contacts)).enumerate() {
            let rubs = frame.elements.iter().filter(|e| e.contact == Some(k));
            let lines: Vec<usize> = std::iter::once(c.line)
                .chain(rubs.flat_map(|e| e.lines.iter().copied()))
                .collect();
            multipliers.push((name.clone(), of(&lines)));
        }
        for (e, named) in frame.elements.iter().zip(&self.quantities.elements) {
            if e.contact.is_none() {
                multipliers.push((named.name.clone(), of(&e.lines)));
            }
        }
        Ok(Situation {
            closed,
            sticking,
            multipliers,
            constraints: answer.multipliers[..frame.constraints].to_vec(),
            margins: (frame
                .elements
                .iter()
                .zip(&self.quantities.elements)
                .enumerate())
            .filter_map(|(k, (_, named))| {
                Some((
                    named.name.clone(),
                    solve::margin(&frame, &mode, k, &answer)?,
                ))
            })
            .collect(),
            acceleration: answer.change,
            mode,
            hitting,
        })
    }

    /// The contacts and the friction at an instant at which they do not determine the motion.
    pub(super) fn undetermined(&self, course: &Course) -> Option<Undetermined> {
        let frame = self.frame(course.time, &course.state).ok()?;
        let touching = self.question(course, &frame, &[]).touching;
        let acts = |contact: Option<usize>| contact.is_none_or(|c| touching[c]);
        let elements = (self.quantities.elements.iter()).filter(|e| acts(e.contact));
        let friction: Vec<String> = elements.map(|e| e.name.clone()).collect();
        let mut smooth = frame.clone();
        smooth.elements.clear();
        let mut question = self.question(course, &smooth, &[]);
        let approaches =
            |c: &ContactNumbers| smooth.lines[c.line].velocity < -course.at_rest(&smooth, c.line);
        question.jump = (smooth.contacts.iter().zip(&touching)).any(|(c, t)| *t && approaches(c));
        let names = self.quantities.contacts.iter().zip(&touching);
        Some(Undetermined {
            contacts: names.filter(|(_, t)| **t).map(|(n, _)| n.clone()).collect(),
            by_friction: !friction.is_empty() && solve::answers(&question).is_ok(),
            friction,
        })
    }
}
