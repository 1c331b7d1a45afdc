//! Equilibria and linearisations of models with contacts and friction: those of the smooth motion in one mode. (T-204)

use galilei_integrate::{Error as RunError, Situation};
use galilei_lower::Parameters;
use galilei_model::{Code, Diagnostic, Model, refused};
use galilei_tape::Touch;

use crate::contact::ContactCode;
use crate::equilibrium::Equilibria;

/// The part of the largest force below which a contact does not press, or friction has nothing left to its limit.
const MARGIN: f64 = 1e-9;

/// A model in the mode that holds at a state.
pub(crate) struct InMode {
    /// Closed contacts and friction that sticks are constraints, friction that slips is a force.
    pub(crate) model: Model,
    closed: Vec<String>,
    sticking: Vec<String>,
    /// The impacts that jumps of velocities of one's own make.
    impacts: Vec<String>,
    code: ContactCode,
}

fn list(names: &[String], nothing: &str) -> String {
    match names {
        [] => nothing.to_owned(),
        names => names.join(", "),
    }
}

impl InMode {
    /// The model in the mode at (t, x, u).
    pub(crate) fn new(model: &Model, state: &[f64]) -> Result<Self, Vec<Diagnostic>> {
        let (code, _) = ContactCode::new(model, Parameters::Constant)?;
        let found = code.situation(state[0], &state[1..]).map_err(|why| {
            let hint = match why {
                RunError::Penetration => {
                    "give a state with --at at which gaps are positive or zero; a gap of zero is a closed contact"
                }
                _ => "where contact and friction do not determine the motion, it has no linearisation",
            };
            refused(
                Code::NotDifferentiable,
                format!("contact and friction at the state: {why}"),
                hint,
            )
        })?;
        if !found.hitting.is_empty() {
            return Err(refused(
                Code::NotDifferentiable,
                format!("{} collides at the state", found.hitting.join(", ")),
                "give a state with --at after the impact",
            ));
        }
        if let Some((name, what)) = at_its_end(&found) {
            return Err(refused(
                Code::NotDifferentiable,
                format!(
                    "{what} `{name}` is at the end of its mode: motions on both sides of the state have other equations"
                ),
                "give a state with --at at which contacts press or are apart, and friction holds or slips",
            ));
        }
        Ok(Self {
            model: code.in_mode(&found.mode)?,
            closed: found.closed,
            sticking: found.sticking,
            impacts: (model.contents().impacts.iter())
                .map(|i| i.name.clone())
                .collect(),
            code,
        })
    }

    /// Says in which mode the motion was linearised.
    pub(crate) fn note(&self) -> Diagnostic {
        let closed = list(&self.closed, "none");
        let sticking = list(&self.sticking, "none");
        Diagnostic::warning(
            Code::ContactMode,
            match self.impacts.as_slice() {
                [] => format!(
                    "in the mode at the state: closed contacts {closed}, sticking {sticking}"
                ),
                names => format!(
                    "in the mode at the state: closed contacts {closed}, sticking {sticking}; between the impacts {}",
                    names.join(", ")
                ),
            },
            "the answer holds as long as this mode does; give another with --at",
            None,
        )
    }

    /// Keeps equilibria at which the mode holds; those at which something sticks have neighbours at rest.
    pub(crate) fn keep(&self, found: &mut Equilibria, time: f64) {
        let before = found.list.len();
        found.list.retain(|e| {
            let state = [&e.position[..], &e.velocity].concat();
            let there = self.code.situation(time, &state);
            there.is_ok_and(|s| {
                s.closed == self.closed && s.sticking == self.sticking && s.hitting.is_empty()
            })
        });
        let lost = before - found.list.len();
        if lost > 0 {
            found.warnings.push(Diagnostic::warning(
                Code::ContactMode,
                format!("{lost} equilibria of the equations of this mode are none: a contact would pull or be penetrated, or friction would not hold"),
                "give a guess with --at in another mode",
                None,
            ));
        }
        for e in &mut found.list {
            if let [first, ..] = self.impacts.as_slice() {
                (e.stable, e.linearly_stable) = (None, None);
                e.reason = format!("the impact `{first}` may act on motions nearby");
            }
            if !self.sticking.is_empty() {
                e.family = true;
                if e.stable == Some(true) {
                    e.stable = None;
                    e.reason =
                        "friction holds it: other states of rest are arbitrarily near".into();
                }
            }
        }
        found.warnings.push(self.note());
    }
}

/// A contact that is about to open, or friction that is about to slip, with what it is.
fn at_its_end(found: &Situation) -> Option<(String, &'static str)> {
    let largest = found.multipliers.iter().flat_map(|m| &m.1);
    let largest = largest.fold(0.0_f64, |m, x| m.max(x.abs()));
    let touches = found.mode.touches.iter().zip(&found.multipliers);
    let mut pressing = touches.filter(|(t, _)| **t == Touch::Closed);
    let weak = |m: &(String, Vec<f64>)| m.1.first().is_none_or(|x| *x <= MARGIN * largest);
    if let Some((_, (name, _))) = pressing.find(|(_, m)| weak(m)) {
        return Some((name.clone(), "the contact"));
    }
    let spent = found.margins.iter().find(|m| m.1 <= MARGIN);
    spent.map(|m| (m.0.clone(), "the friction of"))
}
