//! Contacts and Coulomb friction in numbers: modes of a motion, and the quantities that decide between them. (T-204)

use std::sync::Arc;

use crate::problem::Problem;
use crate::tape::Tape;

/// The state of a contact in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// The gap is positive, or grows from zero.
    Open,
    /// The gap is zero: a constraint with a multiplier.
    Closed,
    /// The gap is zero because others are closed that imply it, and nothing is transmitted.
    Resting,
}

/// The state of a friction element in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grip {
    /// The contact of the element is open.
    Free,
    /// The velocity is zero. The bits are the components that are constraints of their own; those that others imply
    /// transmit nothing.
    Stick(u8),
    /// The velocity has this sign, for an element with one component.
    Slip(i8),
    /// The velocity is not zero, for an element with two components.
    Glide,
    /// The force is at its limit against this direction, and constraints that others imply keep the velocity zero.
    Held(i8),
}

/// A mode of a motion: the equations of motion are smooth in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The contacts.
    pub touches: Vec<Touch>,
    /// The friction elements.
    pub grips: Vec<Grip>,
    /// The signs of the multipliers of constraints, where limits of friction contain their absolute values.
    pub signs: Vec<i8>,
    /// The binary exponent of the speed at which elements with two components count as stopping; 0 where none glides.
    pub stopping: i32,
}

/// A friction element: that of a contact, or one of its own.
#[derive(Clone, Debug)]
pub struct FrictionElement {
    /// The name of its statement.
    pub name: String,
    /// Its contact.
    pub contact: Option<usize>,
    /// The number of components of its velocity.
    pub tangents: usize,
    /// Whether its largest force while it sticks is another than while it slips.
    pub sticks_more: bool,
}

/// The quantities of contact and friction at a state (t, x, u), as code.
///
/// The outputs are, in this order: the upper triangle of the mass matrix; the right-hand side of g·a = f; the energy; for
/// each constraint of the model its row, covector, drift, residual of velocities and rate; for each contact its gap, rate, row, drift,
/// restitution and coefficient of friction; for each friction element two limits and, for each component, its velocity,
/// row and drift; for each norm the upper triangle of its matrix. A limit is a sum: a number, a factor of each multiplier of the
/// constraints, of their absolute values, of the multipliers of the contacts, and of the norms √(λᵀ·A·λ) of the multipliers of
/// constraints and contacts.
#[derive(Clone, Debug)]
pub struct ContactQuantities {
    /// The code.
    pub tape: Arc<Tape>,
    /// The number of degrees of freedom.
    pub dimension: usize,
    /// The number of constraints of the model.
    pub constraints: usize,
    /// The names of the contacts.
    pub contacts: Vec<String>,
    /// The friction elements.
    pub elements: Vec<FrictionElement>,
    /// Whether the sign of the multiplier of each constraint matters.
    pub signed: Vec<bool>,
    /// The number of norms of several multipliers that limits contain.
    pub norms: usize,
    /// The outputs, the values of events and the power at a state (t, x, u) with the multipliers of all lines, as code;
    /// `None` where one of them needs more.
    pub recorded: Option<Arc<Tape>>,
    /// The number of outputs.
    pub outputs: usize,
}

impl ContactQuantities {
    /// The quantities with numbers for the parameters that are inputs behind the state.
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        self.mapped(|tape| tape.with_fixed(values))
    }

    /// The quantities with other values of the parameters by which they can be differentiated.
    #[must_use]
    pub fn with_parameters(&self, values: &[f64]) -> Self {
        self.mapped(|tape| tape.with_parameters(values))
    }

    fn mapped(&self, change: impl Fn(&Tape) -> Tape) -> Self {
        let change = |tape: &Arc<Tape>| Arc::new(change(tape));
        Self {
            tape: change(&self.tape),
            recorded: self.recorded.as_ref().map(change),
            ..self.clone()
        }
    }
}

/// A jump of velocities at an event: code with inputs (t, x, velocities after, velocities before).
#[derive(Clone, Debug)]
pub struct VelocityJump {
    /// The name of the statement.
    pub name: String,
    /// The event.
    pub event: usize,
    /// The coordinates whose velocities are determined.
    pub unknowns: Vec<usize>,
    /// The equations, then their derivatives with respect to the unknown velocities, row by row.
    pub tape: Arc<Tape>,
    /// The value of the event with the same inputs; `None` where it depends on multipliers.
    pub trigger: Option<Arc<Tape>>,
}

impl VelocityJump {
    /// The jump with numbers for the parameters that are inputs behind the velocities.
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        self.mapped(|tape| tape.with_fixed(values))
    }

    /// The jump with other values of the parameters by which it can be differentiated.
    #[must_use]
    pub fn with_parameters(&self, values: &[f64]) -> Self {
        self.mapped(|tape| tape.with_parameters(values))
    }

    fn mapped(&self, change: impl Fn(&Tape) -> Tape) -> Self {
        let change = |tape: &Arc<Tape>| Arc::new(change(tape));
        Self {
            tape: change(&self.tape),
            trigger: self.trigger.as_ref().map(change),
            ..self.clone()
        }
    }
}

/// An end of a mode, watched as an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The gap of an open contact.
    Gap(usize),
    /// The multiplier of a closed contact.
    Pressure(usize),
    /// The limit of an element that sticks minus its force.
    Limit(usize),
    /// The velocity of an element that slips.
    Slip(usize),
    /// The multiplier of a constraint whose sign matters.
    Sign(usize),
    /// The limit of a friction element, which is not negative.
    Size(usize),
}

/// The equations of motion in a mode.
#[derive(Clone, Debug)]
pub struct ModeProblem {
    /// The equations; the guards follow the events of the model.
    pub problem: Problem,
    /// The number of events of the model.
    pub events: usize,
    /// The ends of the mode, in the order of their events.
    pub guards: Vec<Guard>,
}

impl ModeProblem {
    /// The equations with numbers for the parameters that are inputs behind the state.
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        Self {
            problem: self.problem.with_fixed(values),
            ..self.clone()
        }
    }

    /// The equations with other values of the parameters by which they can be differentiated.
    #[must_use]
    pub fn with_parameters(&self, values: &[f64]) -> Self {
        Self {
            problem: self.problem.with_parameters(values),
            ..self.clone()
        }
    }
}
