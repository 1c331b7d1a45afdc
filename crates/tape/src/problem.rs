//! A mechanical problem in numbers: a tape, and the meaning of its registers.

use std::sync::Arc;

use crate::jets::Rates;
use crate::surfaces::{Levels, Surfaces, Threshold};
use crate::tape::{Op, Reg, Tape};

/// The equations of a motion and all quantities that are followed along it: a tape with inputs (t, x, u), and the
/// registers of its quantities. Every numerical computation starts from this value.
///
/// Clones are cheap: they share the tape and the equations.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The code of all quantities.
    pub tape: Arc<Tape>,
    /// The equations of motion: g and f of g·a = f.
    pub rates: Arc<Rates>,
    /// The energy uⁱ∂L/∂uⁱ − L.
    pub energy: Reg,
    /// The rate of the energy without reactions: −∂L/∂t + uⁱFᵢ.
    pub power: Reg,
    /// The Lagrangian L.
    pub lagrangian: Reg,
    /// Residuals of the constraints, at position and velocity level.
    pub residuals: Vec<Reg>,
    /// The residuals of each constraint that runs keep at the tolerance by projection; if empty,
    /// nothing is projected.
    pub levels: Vec<ConstraintLevels>,
    /// Jᵃᵢuⁱ of each constraint, or that of the covector of its reaction: times the multiplier, the power of its reaction. Empty where no
    /// reaction does work.
    pub reaction_rates: Vec<Reg>,
    /// Energies whose magnitude is the scale of the energy balance.
    pub scale: Vec<Reg>,
    /// Zero crossings that are located along a run.
    pub events: Vec<Event>,
    /// Quantities that are recorded with the state.
    pub outputs: Vec<Output>,
    /// The code of outputs that use multipliers or reactions, if there are any.
    pub multiplier_outputs: Option<MultiplierOutputs>,
    /// Coordinates of charts that a run leaves before the sum of their squares exceeds 9.
    pub bounded: Vec<std::ops::Range<usize>>,
}

/// The bound of the squares of coordinates in [`Problem::bounded`].
const LARGEST_SQUARE: f64 = 9.0;

impl Problem {
    /// The registers whose integral is the work done: the power, and the rates of reactions that do work. Empty where
    /// no work is done.
    pub fn working(&self) -> Vec<Reg> {
        let idle = self.tape.ops()[self.power as usize] == Op::Const(0.0);
        if idle && self.reaction_rates.is_empty() {
            return vec![];
        }
        let mut list = vec![self.power];
        list.extend(&self.reaction_rates);
        list
    }

    /// Whether a run follows the state alone: no events, no kinks, no work of reactions, and none of the given
    /// surfaces.
    pub fn is_plain(&self, surfaces: &Surfaces) -> bool {
        let watched = self.events.len() + self.tape.kinks().len();
        watched == 0 && surfaces.is_empty() && self.reaction_rates.is_empty()
    }

    /// Surfaces that the Taylor series of a motion do not reveal.
    pub fn surfaces(&self) -> Surfaces {
        let events = self.events.iter().map(|e| e.register);
        let kinks = self.tape.kinks().iter().map(|k| k.register);
        let others = events.chain(kinks).chain([self.power]);
        let mut found = self.tape.surfaces(&self.rates, others);
        if !self.bounded.is_empty() {
            let reached = |t: &Threshold| match &t.levels {
                Levels::Sizes(list) => {
                    let bound =
                        self.tape
                            .bound_of_squares(t.register, &self.bounded, LARGEST_SQUARE);
                    list.first()
                        .is_none_or(|least| bound.is_none_or(|b| b >= *least))
                }
                _ => true,
            };
            found.thresholds.retain(reached);
        }
        found
    }

    /// The problem with numbers for the inputs behind the state: see [`crate::Builder::fixed`].
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        let mut closed = self.clone();
        closed.tape = Arc::new(self.tape.with_fixed(values));
        if let Some(outputs) = &mut closed.multiplier_outputs {
            outputs.tape = Arc::new(outputs.tape.with_fixed(values));
        }
        closed
    }

    /// The problem with other values of the parameters by which it can be differentiated.
    #[must_use]
    pub fn with_parameters(&self, values: &[f64]) -> Self {
        let mut other = self.clone();
        other.tape = Arc::new(self.tape.with_parameters(values));
        if let Some(outputs) = &mut other.multiplier_outputs {
            outputs.tape = Arc::new(outputs.tape.with_parameters(values));
        }
        other
    }

    /// The largest residual of the constraints at a time, a state (x, u) and values of the inputs behind the state.
    pub fn residual(&self, time: f64, state: &[f64], fixed: &[f64]) -> f64 {
        let inputs: Vec<f64> = [&[time], state, fixed].concat();
        let mut values = vec![0.0; self.tape.len()];
        self.tape.evaluate(&inputs, &[], &mut values);
        let residuals = self.residuals.iter().map(|r| values[*r as usize].abs());
        residuals.fold(0.0, f64::max)
    }
}

/// A zero crossing that is located along a run.
#[derive(Clone, Debug)]
pub struct Event {
    /// The quantity that crosses zero.
    pub register: Reg,
    /// 1 rising, −1 falling, 0 both.
    pub direction: i8,
    /// Whether the run ends at the event.
    pub terminal: bool,
    /// The way the quantity vanishes, if the event is a branch point of a constraint.
    pub branch: Option<Branch>,
}

/// The way in which the marker of a branch point of constraints vanishes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// It changes sign, like a signed distance.
    Crossed,
    /// It touches zero, like the square of a distance.
    Touched,
    /// The rows of constraints between positions become dependent: watched along the run, not by a register.
    Rank,
}

/// The registers of the residuals of one constraint.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintLevels {
    /// h(t, x), for a constraint between positions.
    pub position: Option<Reg>,
    /// f(t, x, u); of a constraint between positions, its rate; `None` where every state is admitted.
    pub velocity: Option<Reg>,
}

/// The place where a recorded quantity is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// A register of the tape.
    Register(Reg),
    /// An output of [`MultiplierOutputs`].
    OfMultipliers(usize),
}

/// Outputs that need multipliers: a tape with inputs (t, x, u), the multipliers, and the norms of some reactions
/// in g⁻¹.
#[derive(Clone, Debug)]
pub struct MultiplierOutputs {
    /// The code.
    pub tape: Arc<Tape>,
    /// The constraints of which each norm is made.
    pub reactions: Vec<Vec<usize>>,
}
