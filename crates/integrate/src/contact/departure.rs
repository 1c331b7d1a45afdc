//! The beginning of slip of friction with two components, whose direction is not defined at rest.

use galilei_tape::math::scalar::exp2;
use galilei_tape::{Grip, Mode, Touch};

use super::numbers::Frame;
use super::solve::{self, Answer, Forbidden};
use super::{ContactRunner, Course, Modes, size};
use crate::problem::{Error, Options};

/// The part of the largest acceleration along a line below which the slip that begins has no acceleration: where the limit is
/// reached while sticking, slip begins with a rate of its acceleration alone.
const SLOW: f64 = 1e-6;
/// The times, as parts of the run, after which its acceleration is looked for.
const AHEAD: [f64; 5] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/// A slip that begins without acceleration, a little later.
pub(super) struct Departure {
    /// The time that has passed.
    after: f64,
    /// The accelerations then.
    change: Vec<f64>,
    /// The smallest speed of the slip then.
    pub(super) speed: f64,
}

impl<M: Modes> ContactRunner<'_, M> {
    /// The beginning of a slip without acceleration, whose direction shows a little later; `None` where none does.
    pub(super) fn departure(
        &self,
        course: &Course,
        options: &Options,
        mode: &Mode,
        answer: &Answer,
    ) -> Option<Departure> {
        let frame = self.frame(course.time, &course.state).ok()?;
        let now = self.question(course, &frame, &[]);
        let slow = |frame: &Frame, answer: &Answer, k: usize| {
            let lines = &frame.elements[k].lines;
            let rates: Vec<f64> = lines.iter().map(|&l| answer.results[l]).collect();
            let most = lines.iter().map(|&l| frame.largest_pull(l));
            size(&rates) <= SLOW * most.fold(0.0, f64::max)
        };
        let begins = |k: &usize| mode.grips[*k] == Grip::Glide && now.moving[*k].is_none();
        let begun: Vec<usize> = (0..mode.grips.len()).filter(begins).collect();
        if !begun.iter().any(|&k| slow(&frame, answer, k)) {
            return None;
        }
        let forbidden: Vec<Forbidden> = begun.iter().map(|&k| Forbidden::Stick(k)).collect();
        let span = (options.to - options.from).abs();
        AHEAD.into_iter().find_map(|ahead| {
            let after = ahead * span;
            let mut later = Course::new(self.quantities, course.time, &course.state);
            later.advance(after, &answer.change);
            let frame = self.frame(later.time, &later.state).ok()?;
            let mut question = self.question(course, &frame, &forbidden);
            for &k in &begun {
                question.moving[k] = None;
            }
            for (touching, touch) in question.touching.iter_mut().zip(&mode.touches) {
                *touching = *touch == Touch::Closed;
            }
            let list = solve::answers(&question).ok()?;
            let there = list.into_iter().find(|a| a.mode.grips == mode.grips)?;
            if begun.iter().any(|&k| slow(&frame, &there, k)) {
                return None;
            }
            let speed = |&k: &usize| {
                let lines = &frame.elements[k].lines;
                let rates: Vec<f64> = lines.iter().map(|&l| there.results[l]).collect();
                0.5 * after * size(&rates)
            };
            Some(Departure {
                after,
                speed: begun.iter().map(speed).fold(f64::INFINITY, f64::min),
                change: there.change,
            })
        })
    }

    /// Lets elements with two components that begin to slip move a little: their direction is not defined at rest.
    pub(super) fn begin_gliding(
        &self,
        course: &mut Course,
        options: &Options,
        mode: &Mode,
        answer: &Answer,
    ) -> Result<(), Error> {
        if !mode.grips.contains(&Grip::Glide) {
            course.arrested.fill(false);
            return Ok(());
        }
        if let Some(d) = self.departure(course, options, mode, answer) {
            // Accelerations change evenly.
            let (h, n) = (d.after, answer.change.len());
            for i in 0..n {
                let (a, b) = (answer.change[i], d.change[i]);
                course.state[i] += h * (course.state[n + i] + h * (2.0 * a + b) / 6.0);
                course.state[n + i] += 0.5 * h * (a + b);
            }
            course.time += h;
            course.arrested.fill(false);
            return Ok(());
        }
        let frame = self.frame(course.time, &course.state)?;
        let least = exp2(mode.stopping);
        let mut wait = 0.0_f64;
        for (k, e) in frame.elements.iter().enumerate() {
            let rests = size(&e.velocity(&frame)) < 2.0 * least;
            if mode.grips[k] == Grip::Glide && rests {
                let rates: Vec<f64> = e.lines.iter().map(|&l| answer.results[l]).collect();
                wait = wait.max(4.0 * least / size(&rates));
            }
        }
        if wait > 0.0 && wait.is_finite() {
            course.advance(wait, &answer.change);
        }
        course.arrested.fill(false);
        Ok(())
    }
}
