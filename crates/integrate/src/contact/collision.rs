//! Jumps of velocities: impacts of contacts by complementarity, and those that a model gives. (T-203)

use galilei_tape::{Guard, Touch};

use super::numbers::{Frame, dot};
use super::record::Collision;
use super::saltation::End;
use super::solve::{self, Answer, Question};
use super::{ContactRunner, Course, Modes, TOUCHING, gap_scale, size, why};
use crate::problem::{Error, Options};

/// The largest number of jumps at one instant.
const MAX_JUMPS: usize = 32;
/// Steps of Newton's method for the velocities after a jump that a model gives.
const MAX_JUMP_STEPS: usize = 50;
/// The height of a flight, as a part of the scale of its gap, that rounding hides.
const HIDDEN_HEIGHT: f64 = 1e-11;
/// The part of the largest entry up to which two contacts do not feel each other.
const UNCOUPLED: f64 = 1e-9;

impl<M: Modes> ContactRunner<'_, M> {
    /// Lets contacts that touch and approach collide.
    pub(super) fn collide(&self, course: &mut Course, options: &Options) -> Result<(), Error> {
        for _ in 0..MAX_JUMPS {
            let frame = self.frame(course.time, &course.state)?;
            course.note_velocities(&frame);
            let touching: Vec<bool> = (frame.contacts.iter().enumerate())
                .map(|(k, c)| {
                    course.pressed[k] || c.gap <= TOUCHING * gap_scale(&frame, k, &course.state)
                })
                .collect();
            let approaches = |k: usize| {
                let line = frame.contacts[k].line;
                touching[k] && frame.lines[line].velocity < -course.at_rest(&frame, line)
            };
            let hitting: Vec<bool> = (0..touching.len()).map(approaches).collect();
            if !hitting.contains(&true) {
                return Ok(());
            }
            self.impact(course, options, &frame, touching, &hitting)?;
        }
        Err(Error::EndlessTransitions)
    }

    /// One impact of all contacts that touch.
    fn impact(
        &self,
        course: &mut Course,
        options: &Options,
        frame: &Frame,
        touching: Vec<bool>,
        hitting: &[bool],
    ) -> Result<(), Error> {
        let speeds = frame.contacts.iter().zip(hitting).filter(|(_, h)| **h);
        let speeds = speeds.map(|(c, _)| -frame.lines[c.line].velocity);
        let speed = speeds.fold(0.0, f64::max);
        let mut question = Question {
            frame,
            jump: true,
            touching,
            moving: vec![None; frame.elements.len()],
            elastic: true,
            forbidden: &[],
        };
        // The flight after it, by the accelerations of free motion.
        let hidden = (0..hitting.len()).filter(|&k| hitting[k]).all(|k| {
            let l = &frame.lines[frame.contacts[k].line];
            let pull = dot(&l.row, &frame.free) + l.drift;
            let height = l.velocity * l.velocity / (2.0 * pull.abs());
            pull < 0.0 && height < HIDDEN_HEIGHT * gap_scale(frame, k, &course.state)
        });
        let end = course.accumulation.note(course.time, speed, hidden);
        let end = end.filter(|t| (t - options.to) * (options.to - options.from) <= 0.0);
        question.elastic = end.is_none();
        let list = solve::answers(&question).map_err(why)?;
        let answer = &list[0];
        self.follow_impact(course, &question, answer, hitting)?;
        self.dispute(course, frame, &question, answer);
        self.apply(course, frame, answer, hitting);
        if let Some(end) = end {
            self.close(course, frame, &question.touching, end)?;
        }
        Ok(())
    }

    /// The sensitivities through an impact.
    fn follow_impact(
        &self,
        course: &mut Course,
        question: &Question<'_>,
        answer: &Answer,
        hitting: &[bool],
    ) -> Result<(), Error> {
        if course.track.is_none() {
            return Ok(());
        }
        if !question.elastic {
            return Err(Error::AccumulatingImpacts);
        }
        let frame = question.frame;
        if course.track.as_ref().is_some_and(|t| !t.is_pending()) {
            // The run begins with an impact: nearby motions have it a little later.
            let apart = Question {
                frame,
                jump: false,
                touching: vec![false; hitting.len()],
                moving: self.question(course, frame, &[]).moving,
                elastic: true,
                forbidden: &[],
            };
            let before = solve::answers(&apart).map_err(why)?.swap_remove(0).mode;
            let first = hitting.iter().position(|h| *h).unwrap_or(0);
            let alone = question.touching.iter().filter(|t| **t).count() == 1;
            if !alone {
                return Err(Error::ModesEndTogether);
            }
            self.end_of_mode(course, End::Guard(Guard::Gap(first)), &before)?;
        }
        // Contacts at which the impact does nothing, though they are closed.
        let largest = frame.contacts.iter().map(|c| answer.multipliers[c.line]);
        let largest = largest.fold(0.0, f64::max);
        let idle = (0..hitting.len()).filter(|&k| {
            let l = frame.contacts[k].line;
            let nothing = answer.multipliers[l] <= 1e-9 * largest;
            let stays = answer.results[l].abs() <= course.at_rest(frame, l);
            question.touching[k] && !hitting[k] && nothing && stays
        });
        let idle: Vec<usize> = idle.collect();
        let (time, state) = (course.time, course.state.clone());
        let Some(track) = &mut course.track else {
            return Ok(());
        };
        let s = track.slopes(self.quantities, time, &state)?;
        let found = (&answer.change[..], &answer.multipliers[..]);
        track.impact(&s, &answer.mode, found, &idle)
    }

    /// Notes jumps for which other impact laws give other velocities: several contacts that feel each other transmit
    /// impulses together, with restitution.
    fn dispute(
        &self,
        course: &mut Course,
        frame: &Frame,
        question: &Question<'_>,
        answer: &Answer,
    ) {
        let pressed: Vec<usize> = (0..frame.contacts.len())
            .filter(|&k| answer.multipliers[frame.contacts[k].line] > 0.0 && question.touching[k])
            .collect();
        let line = |k: usize| &frame.lines[frame.contacts[k].line];
        let own = |k: usize| dot(&line(k).row, &line(k).raised);
        let coupled = |a: usize, b: usize| {
            let both = dot(&line(a).row, &line(b).raised).abs();
            both > UNCOUPLED * (own(a) * own(b)).sqrt()
        };
        let elastic = |k: usize| frame.contacts[k].restitution > 0.0;
        let disputed = pressed.iter().any(|&a| {
            let mut others = pressed.iter().filter(|&&b| b != a);
            others.any(|&b| coupled(a, b) && (elastic(a) || elastic(b)))
        });
        if disputed && question.elastic {
            let names = pressed.iter().map(|&k| self.quantities.contacts[k].clone());
            course.record.disputed.push((course.time, names.collect()));
        }
    }

    /// Changes the velocities by the impulses of an answer.
    fn apply(&self, course: &mut Course, frame: &Frame, answer: &Answer, hitting: &[bool]) {
        let n = self.quantities.dimension;
        let before = course.state[n..].to_vec();
        for (u, d) in course.state[n..].iter_mut().zip(&answer.change) {
            *u += d;
        }
        let after = course.state[n..].to_vec();
        let mean: Vec<f64> = before
            .iter()
            .zip(&after)
            .map(|(a, b)| 0.5 * (a + b))
            .collect();
        let work = |line: usize| answer.multipliers[line] * dot(&frame.lines[line].covector, &mean);
        let mut gained: f64 = (0..frame.lines.len()).map(work).sum();
        let largest = frame.contacts.iter().map(|c| answer.multipliers[c.line]);
        let largest = largest.fold(0.0, f64::max);
        for (k, c) in frame.contacts.iter().enumerate() {
            let normal = answer.multipliers[c.line];
            if !hitting[k] && normal <= 1e-12 * largest {
                continue;
            }
            let mut impulse = vec![normal];
            let mut lost = -work(c.line);
            for e in frame.elements.iter().filter(|e| e.contact == Some(k)) {
                impulse.extend(e.lines.iter().map(|&l| answer.multipliers[l]));
                lost -= e.lines.iter().map(|&l| work(l)).sum::<f64>();
            }
            course.record.collisions.push(Collision {
                name: self.quantities.contacts[k].clone(),
                time: course.time,
                before: before.clone(),
                after: after.clone(),
                impulse: Some(impulse),
                loss: lost,
            });
        }
        if let Some(now) = Frame::new(self.quantities, course.time, &course.state) {
            gained -= now.energy - frame.energy;
            course.defect -= gained;
        }
        for (k, c) in frame.contacts.iter().enumerate() {
            let leaves = answer.results[c.line] > course.at_rest(frame, c.line);
            if leaves {
                course.pressed[k] = false;
            } else if answer.mode.touches[k] == Touch::Closed {
                course.pressed[k] = true;
            }
        }
    }

    /// Closes the contacts whose impacts accumulate: what is left of their velocities vanishes.
    fn close(
        &self,
        course: &mut Course,
        frame: &Frame,
        touching: &[bool],
        end: f64,
    ) -> Result<(), Error> {
        let n = self.quantities.dimension;
        let near: Vec<usize> = (0..frame.contacts.len())
            .filter(|&k| {
                let c = &frame.contacts[k];
                let close = c.gap <= 1e-9 * gap_scale(frame, k, &course.state);
                touching[k] || close && frame.lines[c.line].velocity.abs() <= course.slow(c.line)
            })
            .collect();
        let now = self.frame(course.time, &course.state)?;
        let lines: Vec<usize> = (0..now.constraints)
            .chain(near.iter().map(|&k| now.contacts[k].line))
            .collect();
        let project = |values: &[f64]| -> Option<Vec<f64>> {
            let a: Vec<Vec<f64>> = lines
                .iter()
                .map(|&i| {
                    let row = lines.iter();
                    row.map(|&j| dot(&now.lines[i].row, &now.lines[j].raised))
                        .collect()
                })
                .collect();
            let impulses = galilei_linear::solve(&a, values).ok()?;
            let mut change = vec![0.0; n];
            for (&l, p) in lines.iter().zip(&impulses) {
                for (c, r) in change.iter_mut().zip(&now.lines[l].raised) {
                    *c -= p * r;
                }
            }
            Some(change)
        };
        let velocities: Vec<f64> = lines.iter().map(|&l| now.lines[l].velocity).collect();
        if let Some(change) = project(&velocities) {
            for (u, d) in course.state[n..].iter_mut().zip(change) {
                *u += d;
            }
        }
        let gaps: Vec<f64> = (0..now.constraints)
            .map(|_| 0.0)
            .chain(near.iter().map(|&k| now.contacts[k].gap))
            .collect();
        if let Some(change) = project(&gaps) {
            for (x, d) in course.state[..n].iter_mut().zip(change) {
                *x += d;
            }
        }
        let names: Vec<String> = near
            .iter()
            .map(|&k| self.quantities.contacts[k].clone())
            .collect();
        for &k in &near {
            course.pressed[k] = true;
        }
        course.accumulation.end(end);
        course.record.accumulations.push((end, names));
        Ok(())
    }

    /// Applies the jumps that a model gives at an event.
    pub(super) fn jump(&self, course: &mut Course, event: usize) -> Result<(), Error> {
        let n = self.quantities.dimension;
        for (place, j) in self.jumps.iter().enumerate() {
            if j.event != event {
                continue;
            }
            let frame = self.frame(course.time, &course.state)?;
            let before = course.state[n..].to_vec();
            let mut after = before.clone();
            let m = j.unknowns.len();
            let mut good = false;
            for _ in 0..MAX_JUMP_STEPS {
                let inputs = [&[course.time], &course.state[..n], &after, &before].concat();
                let values = j.tape.run(&inputs, &[]);
                if values.iter().any(|v| !v.is_finite()) {
                    return Err(Error::NotFinite);
                }
                let a: Vec<Vec<f64>> = values[m..].chunks(m).map(<[f64]>::to_vec).collect();
                let step = galilei_linear::solve(&a, &values[..m]);
                let step = step.map_err(|_| Error::SingularImpact)?;
                let reach = j.unknowns.iter().map(|&k| after[k].abs());
                let reach = reach.fold(size(&before), f64::max);
                for (&k, s) in j.unknowns.iter().zip(&step) {
                    after[k] -= s;
                }
                if size(&step) <= 1e-14 * reach + f64::MIN_POSITIVE {
                    good = true;
                    break;
                }
            }
            if !good {
                return Err(Error::SingularImpact);
            }
            if let Some(track) = &mut course.track {
                let all = (&course.state[..n], &before[..], &after[..]);
                track.given_jump(place, j, course.time, all)?;
            }
            course.state[n..].copy_from_slice(&after);
            let now = self.frame(course.time, &course.state)?;
            for l in 0..now.constraints {
                let most = now.largest_rate(l).max(frame.largest_rate(l));
                if now.lines[l].velocity.abs() > 1e-9 * most {
                    return Err(Error::ImpactOffConstraints);
                }
            }
            course.record.collisions.push(Collision {
                name: j.name.clone(),
                time: course.time,
                before,
                after,
                impulse: None,
                loss: frame.energy - now.energy,
            });
        }
        Ok(())
    }
}

impl Course {
    /// The velocity along a line that is slow compared with the largest of the run.
    fn slow(&self, line: usize) -> f64 {
        1e-6 * self.fastest.get(line).copied().unwrap_or(0.0)
    }
}
