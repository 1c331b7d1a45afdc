//! Many contacts without friction and friction elements whose limits are known numbers: a convex problem, whose acceleration is
//! unique, solved by pivots. (T-204)

use galilei_tape::{Grip, Mode, Touch};

use super::choices::Choices;
use super::numbers::Limit;
use super::solve::{Part, Question, System};

/// Pivots until a search is given up. Problems of n parts take about n of them.
const MAX_PIVOTS: usize = 5000;
/// Pivots of all violated parts at once that may pass without progress, before single ones follow.
const MAX_IDLE_BLOCKS: usize = 10;

/// Whether the forces of a question minimise a convex function: contacts have no friction, the limits of elements do not depend on
/// multipliers and are the same in stick and slip, and reactions are ideal. The accelerations are unique then.
fn is_convex(q: &Question<'_>) -> bool {
    let f = q.frame;
    let known = |l: &Limit| {
        let all = [&l.constraints, &l.absolute, &l.contacts, &l.norms];
        all.into_iter().flatten().all(|x| *x == 0.0)
    };
    let elements = f.elements.iter().zip(&q.moving).all(|(e, moving)| {
        let absent = e.contact.is_some_and(|c| !q.touching[c]);
        let own = e.contact.is_none() && known(&e.slipping) && known(&e.sticking);
        let one = e.lines.len() == 1 || moving.is_some();
        absent || (own && one && !e.sticks_more)
    });
    elements && f.signed.iter().all(|s| !s) && f.lines.iter().all(|l| l.covector == l.row)
}

/// The choices of the mode that pivots find, with those that are as good at this instant; `None` where the problem is not convex,
/// or dependent constraints stop the search.
pub(super) fn narrowed(q: &Question<'_>, system: &System<'_>, all: &Choices) -> Option<Choices> {
    if !is_convex(q) {
        return None;
    }
    let (mut mode, multipliers) = search(q, system, all)?;
    // A state that was just left is at the limit of its inequality, where the next one begins.
    for (k, list) in all.touches.iter().enumerate() {
        if !list.contains(&mode.touches[k]) {
            mode.touches[k] = turned(mode.touches[k]);
        }
    }
    for (k, list) in all.grips.iter().enumerate() {
        if !list.contains(&mode.grips[k]) {
            let line = q.frame.elements[k].lines[0];
            mode.grips[k] = released(mode.grips[k], multipliers[line]);
        }
    }
    let fits = |mode: &Mode| {
        let (directions, _) = system.directions(mode);
        let found = system.multipliers(mode, &directions);
        found.is_some_and(|m| system.violated(mode, &directions, &m).next().is_none())
    };
    if !fits(&mode) {
        return None;
    }
    let mut few = Choices {
        touches: mode.touches.iter().map(|t| vec![*t]).collect(),
        grips: mode.grips.iter().map(|g| vec![*g]).collect(),
        signs: mode.signs.iter().map(|s| vec![*s]).collect(),
    };
    for (k, touches) in all.touches.iter().enumerate() {
        for &t in touches.iter().filter(|t| **t != mode.touches[k]) {
            let mut other = mode.clone();
            other.touches[k] = t;
            if fits(&other) {
                few.touches[k].push(t);
            }
        }
    }
    for (k, grips) in all.grips.iter().enumerate() {
        for &g in grips.iter().filter(|g| **g != mode.grips[k]) {
            let mut other = mode.clone();
            other.grips[k] = g;
            if fits(&other) {
                few.grips[k].push(g);
            }
        }
    }
    Some(few)
}

/// The mode that satisfies all inequalities, with its multipliers. Violated parts change all at once, and where that does not lead
/// on, the last one alone, which ends for every matrix with positive principal minors (Murty).
fn search(q: &Question<'_>, system: &System<'_>, all: &Choices) -> Option<(Mode, Vec<f64>)> {
    let start = |list: &Vec<Grip>| match list.as_slice() {
        [one] => *one,
        _ => Grip::Stick(1),
    };
    let touch = |touching: &bool| match touching {
        true => Touch::Closed,
        false => Touch::Open,
    };
    let mut mode = Mode {
        touches: q.touching.iter().map(touch).collect(),
        grips: all.grips.iter().map(start).collect(),
        signs: all.signs.iter().map(|s| s[0]).collect(),
        stopping: 0,
    };
    let (mut fewest, mut idle) = (usize::MAX, 0);
    for _ in 0..MAX_PIVOTS {
        let (directions, _) = system.directions(&mode);
        let multipliers = system.multipliers(&mode, &directions)?;
        let wrong: Vec<Part> = (system.violated(&mode, &directions, &multipliers)).collect();
        let Some(last) = wrong.last() else {
            return Some((mode, multipliers));
        };
        if wrong.len() < fewest {
            (fewest, idle) = (wrong.len(), 0);
        } else {
            idle += 1;
        }
        let changed = if idle <= MAX_IDLE_BLOCKS {
            &wrong[..]
        } else {
            std::slice::from_ref(last)
        };
        for part in changed {
            match *part {
                Part::Contact(k) => mode.touches[k] = turned(mode.touches[k]),
                Part::Element(k) => {
                    let line = q.frame.elements[k].lines[0];
                    mode.grips[k] = released(mode.grips[k], multipliers[line]);
                }
                Part::Sign(_) => return None,
            }
        }
    }
    None
}

/// The other state of a contact.
fn turned(touch: Touch) -> Touch {
    match touch {
        Touch::Closed => Touch::Open,
        _ => Touch::Closed,
    }
}

/// The other state of a friction element: one that sticks slips against its force.
fn released(grip: Grip, force: f64) -> Grip {
    match grip {
        Grip::Stick(_) => Grip::Slip(if force > 0.0 { -1 } else { 1 }),
        _ => Grip::Stick(1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{ContactNumbers, ElementNumbers, Frame, Line, dot};
    use super::super::solve::{self, Question, System};
    use super::*;

    /// Numbers in −1 … 1 that look random.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    fn limit(own: f64, contacts: usize) -> Limit {
        Limit {
            own,
            constraints: vec![],
            absolute: vec![],
            contacts: vec![0.0; contacts],
            norms: vec![],
        }
    }

    /// A state with unit masses, whose rows are random: `contacts` without friction, then `elements`.
    fn frame(n: usize, contacts: usize, elements: usize, seed: u64) -> Frame {
        let mut next = numbers(seed);
        let free: Vec<f64> = (0..n).map(|_| 3.0 * next()).collect();
        let lines = (0..contacts + elements).map(|_| {
            let row: Vec<f64> = (0..n).map(|_| next()).collect();
            Line {
                velocity: 0.0,
                covector: row.clone(),
                raised: row.clone(),
                row,
                drift: next(),
            }
        });
        let lines = lines.collect();
        let pull_square = dot(&free, &free);
        let element = |k: usize, own: f64| ElementNumbers {
            contact: None,
            slipping: limit(own, contacts),
            sticking: limit(own, contacts),
            sticks_more: false,
            lines: vec![contacts + k],
        };
        Frame {
            energy: 0.0,
            speed_square: 0.0,
            free,
            pull_square,
            constraints: 0,
            signed: vec![],
            lines,
            contacts: (0..contacts)
                .map(|line| ContactNumbers {
                    gap: 0.0,
                    restitution: 0.0,
                    line,
                })
                .collect(),
            elements: (0..elements).map(|k| element(k, next().abs())).collect(),
            norms: vec![],
        }
    }

    fn question(frame: &Frame) -> Question<'_> {
        Question {
            frame,
            jump: false,
            touching: vec![true; frame.contacts.len()],
            moving: vec![None; frame.elements.len()],
            elastic: true,
            forbidden: &[],
        }
    }

    /// Of few parts all modes are tried: the mode that pivots find is the one that satisfies all inequalities.
    #[test]
    fn pivots_find_the_mode_of_an_enumeration() {
        for seed in 1..300 {
            let f = frame(7, 2, 3, seed);
            let q = question(&f);
            let all = Choices::new(&q, false);
            let found = narrowed(&q, &System::new(&q), &all).expect("the problem is convex");
            let tried = solve::answers(&q).expect("there is one acceleration");
            assert_eq!(vec![tried[0].mode.touches[0]], found.touches[0]);
            let modes = found.grips.iter().zip(&tried[0].mode.grips);
            assert!(modes.into_iter().all(|(f, t)| f == &[*t]), "{seed}");
        }
    }

    /// Of many parts the mode satisfies the inequalities, which have one solution.
    #[test]
    fn pivots_end_with_many_parts() {
        for seed in 1..40 {
            let f = frame(45, 12, 28, seed);
            let q = question(&f);
            let answer = solve::answers(&q).expect("there is one acceleration");
            let (forces, rates) = (&answer[0].multipliers, &answer[0].results);
            for k in 0..12 {
                assert!(
                    forces[k] > -1e-9 && rates[k] > -1e-9 && (forces[k] * rates[k]).abs() < 1e-8
                );
            }
            for (k, e) in f.elements.iter().enumerate() {
                let (force, rate) = (forces[12 + k], rates[12 + k]);
                // Friction is at most its limit, and at it against the slip that begins.
                assert!(force.abs() <= e.slipping.own + 1e-9);
                assert!((force * rate + e.slipping.own * rate.abs()).abs() < 1e-8);
            }
        }
    }
}
