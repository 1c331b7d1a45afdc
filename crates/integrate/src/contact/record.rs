//! Impacts and modes of a run.

use std::sync::Arc;

use galilei_tape::{ContactQuantities, Grip, Mode, ModeProblem, Touch};

/// A jump of velocities at a contact, or by an `impact` statement.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collision {
    /// The name of the contact or statement.
    pub name: String,
    /// The time.
    pub time: f64,
    /// The velocities before.
    pub before: Vec<f64>,
    /// The velocities after.
    pub after: Vec<f64>,
    /// The normal impulse and those of friction; `None` for an `impact` statement.
    pub impulse: Option<Vec<f64>>,
    /// The energy that is lost.
    pub loss: f64,
}

/// A mode of a run, from a time on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModeEntry {
    /// The time at which it begins.
    pub time: f64,
    /// The names of the closed contacts.
    pub closed: Vec<String>,
    /// The names of the friction elements and contacts that stick.
    pub sticking: Vec<String>,
}

/// Contact and friction at a state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Situation {
    /// The mode.
    pub mode: Mode,
    /// The names of the closed contacts.
    pub closed: Vec<String>,
    /// The names of the friction elements and contacts that stick.
    pub sticking: Vec<String>,
    /// The multipliers of contacts, normal and then tangential, and of friction elements, by name.
    pub multipliers: Vec<(String, Vec<f64>)>,
    /// The multipliers of the constraints of the model.
    pub constraints: Vec<f64>,
    /// The accelerations.
    pub acceleration: Vec<f64>,
    /// For everything that sticks what its limit has left, as a part of the limit and of what limits it.
    pub margins: Vec<(String, f64)>,
    /// The contacts that touch and approach: an impact happens, and the rest is not defined before it.
    pub hitting: Vec<String>,
}

/// An instant at which the equations of contact and friction have no solution, or several.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Undetermined {
    /// The contacts that touch.
    pub contacts: Vec<String>,
    /// The friction elements, among them the contacts that rub.
    pub friction: Vec<String>,
    /// Whether the motion would be determined without friction, as in Painlevé's paradox.
    pub by_friction: bool,
}

/// Impacts and modes of a run; empty for systems without contacts and friction.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ContactRecord {
    /// The jumps of velocities, in the order of the run.
    pub collisions: Vec<Collision>,
    /// The modes, from the start on.
    pub modes: Vec<ModeEntry>,
    /// The times at which impacts accumulated, with the names of the contacts that are closed then.
    pub accumulations: Vec<(f64, Vec<String>)>,
    /// The times of jumps for which the impact law is disputed, with the names of the contacts.
    pub disputed: Vec<(f64, Vec<String>)>,
    /// The largest residual of the impulses of a step, relative to the velocities; zero in runs that locate impacts.
    pub residual: f64,
    /// Why the run ended where contact and friction do not determine the motion.
    pub undetermined: Option<Undetermined>,
    /// The contact that is penetrated, or the friction element whose limit is negative, where the run failed for that.
    pub at_fault: Option<String>,
    /// The equations of the modes to which the parts of a run with dense output refer.
    pub problems: Vec<Arc<ModeProblem>>,
}

impl ContactRecord {
    /// Notes the mode from a time on, unless it is the one before.
    pub(super) fn enter(&mut self, q: &ContactQuantities, time: f64, mode: &Mode) {
        let closed = q.contacts.iter().zip(&mode.touches);
        let closed = closed.filter(|(_, t)| **t != Touch::Open);
        let sticking = q.elements.iter().zip(&mode.grips);
        let sticking = sticking.filter(|(_, g)| matches!(g, Grip::Stick(_) | Grip::Held(_)));
        let entry = ModeEntry {
            time,
            closed: closed.map(|(n, _)| n.clone()).collect(),
            sticking: sticking.map(|(e, _)| e.name.clone()).collect(),
        };
        let same = |m: &ModeEntry| m.closed == entry.closed && m.sticking == entry.sticking;
        if self.modes.last().is_some_and(same) {
            return;
        }
        // A mode that lasted no time was no mode.
        if self.modes.len() > 1 && self.modes.last().is_some_and(|m| m.time == time) {
            self.modes.pop();
            if self.modes.last().is_some_and(same) {
                return;
            }
        }
        self.modes.push(entry);
    }

    /// The energy lost in impacts, by name, in order of first appearance.
    pub fn losses(&self) -> Vec<(String, f64)> {
        let mut list: Vec<(String, f64)> = Vec::new();
        for c in &self.collisions {
            match list.iter_mut().find(|l| l.0 == c.name) {
                Some(l) => l.1 += c.loss,
                None => list.push((c.name.clone(), c.loss)),
            }
        }
        list
    }
}
