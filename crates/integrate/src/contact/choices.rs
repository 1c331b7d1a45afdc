//! The modes among which contact and friction choose. (T-204)

use galilei_tape::{Grip, Touch};

use super::numbers::Limit;
use super::solve::{Forbidden, Question};

/// The states of contacts, friction elements and signs that a mode may combine.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The states of each contact.
    pub(super) touches: Vec<Vec<Touch>>,
    /// The states of each element.
    pub(super) grips: Vec<Vec<Grip>>,
    /// The signs of each constraint.
    pub(super) signs: Vec<Vec<i8>>,
}

impl Choices {
    /// The states that elements and contacts may have at an instant. With `partial`, elements may stick in some of their
    /// components.
    pub(super) fn new(q: &Question<'_>, partial: bool) -> Self {
        let f = q.frame;
        let touches = (0..f.contacts.len()).map(|k| match q.touching[k] {
            false => vec![Touch::Open],
            true if q.forbidden.contains(&Forbidden::Closed(k)) => vec![Touch::Open],
            true => vec![Touch::Closed, Touch::Open],
        });
        let grips = f.elements.iter().enumerate().map(|(k, e)| {
            if e.contact.is_some_and(|c| !q.touching[c]) {
                return vec![Grip::Free];
            }
            let impulsive = |l: &Limit| {
                let all = [&l.constraints, &l.absolute, &l.contacts, &l.norms];
                all.into_iter().flatten().any(|x| *x != 0.0)
            };
            if q.jump && !impulsive(&e.slipping) {
                return vec![Grip::Free];
            }
            let two = e.lines.len() == 2;
            if let Some(d) = q.moving[k].as_ref().filter(|_| !q.jump) {
                return match two {
                    true => vec![Grip::Glide],
                    false => vec![Grip::Slip(if d[0] < 0.0 { -1 } else { 1 })],
                };
            }
            let mut list = Vec::new();
            let sticks = !q.forbidden.contains(&Forbidden::Stick(k));
            if sticks {
                list.push(Grip::Stick(if two { 3 } else { 1 }));
            }
            match two {
                true => list.push(Grip::Glide),
                false => list.extend([Grip::Slip(1), Grip::Slip(-1)]),
            }
            if partial && sticks {
                if two {
                    list.extend([Grip::Stick(1), Grip::Stick(2)]);
                }
                list.push(Grip::Stick(0));
            }
            list
        });
        let signs = (0..f.constraints).map(|k| match f.signed[k] {
            false => vec![1],
            true => [1, -1]
                .into_iter()
                .filter(|&s| !q.forbidden.contains(&Forbidden::Sign(k, s)))
                .collect(),
        });
        Self {
            touches: touches.collect(),
            grips: grips.collect(),
            signs: signs.collect(),
        }
    }

    fn counts(&self) -> impl Iterator<Item = usize> + '_ {
        (self.touches.iter().map(Vec::len))
            .chain(self.grips.iter().map(Vec::len))
            .chain(self.signs.iter().map(Vec::len))
    }

    /// The number of modes.
    pub(super) fn combinations(&self) -> usize {
        self.counts().fold(1, usize::saturating_mul)
    }
}
