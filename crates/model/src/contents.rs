//! The contents of a model file, once it is understood.

mod handles;

pub(crate) use handles::WithHandles;

use galilei_syntax::{Direction, Span};

use crate::initial_rates::InitialRates;
use crate::manifold::Manifold;

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter<E> {
    /// Its name, `k[2]` for a member of a family.
    pub name: String,
    /// Its symbol.
    pub symbol: E,
    /// Its value in SI units, through earlier parameters; `None` without a default.
    pub value: Option<E>,
    /// The unit as written.
    pub unit: Option<String>,
    /// The unit in SI units.
    pub scale: E,
    /// Its place.
    pub span: Span,
}

/// A coordinate of the adapted chart.
#[derive(Clone, Debug)]
pub struct Coordinate<E> {
    /// Its name.
    pub name: String,
    /// x
    pub position: E,
    /// u
    pub velocity: E,
    /// The unit as written.
    pub unit: Option<String>,
    /// The factor from a bare number to SI units.
    pub scale: E,
    /// The position at the start, if the file gives one.
    pub initial_position: Option<E>,
    /// The velocity at the start, if the file gives one or momenta from which it follows.
    pub initial_velocity: Option<E>,
    /// The velocity at the start as the file gives it.
    pub given_velocity: Option<E>,
}

/// The part of the Lagrangian to which a term contributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// T
    Kinetic,
    /// V
    Potential,
    /// Aᵢuⁱ
    VectorPotential,
    /// L itself.
    Lagrangian,
}

/// A named contribution to the Lagrangian.
#[derive(Clone, Debug)]
pub struct Contribution<E> {
    /// The name of the statement.
    pub name: String,
    /// The word of the statement: `particle`, `spring`, `kinetic`, ….
    pub statement: &'static str,
    /// The part of the Lagrangian it belongs to.
    pub part: Part,
    /// T, V, Aᵢuⁱ or L.
    pub value: E,
    /// Its place.
    pub span: Span,
}

/// The Hamiltonian by which a system is given.
#[derive(Clone, Debug)]
pub struct Hamiltonian<E> {
    /// H(t, x, p)
    pub function: E,
    /// The symbols pᵢ, named `p(x)`.
    pub momenta: Vec<E>,
    /// uⁱ = ∂H/∂pᵢ
    pub velocities: Vec<E>,
    /// p(t, x, u).
    pub closed: Vec<E>,
    /// Whether the Legendre map has no inverse in closed form: p(t, x, u) are derivatives of a Legendre transform, whose
    /// values come from Newton's method.
    pub implicit: bool,
    /// The momenta at the start that the file gives.
    pub initial: Vec<Option<E>>,
    /// The place of the first `hamiltonian` statement.
    pub span: Span,
}

/// A force Fᵢ(t, x, u).
#[derive(Clone, Debug)]
pub struct NamedForce<E> {
    /// The name of the statement.
    pub name: String,
    /// The word of the statement: `force`, `dissipation`, `damper`.
    pub statement: &'static str,
    /// Fᵢ
    pub components: Vec<E>,
    /// Whether the force has kinks.
    pub kinked: bool,
    /// Its place.
    pub span: Span,
}

/// The level of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// f(t, x) = 0
    Position,
    /// f(t, x, u) = 0
    Velocity,
    /// s(ξ) = 0 for a one-form s on the state space: every state is admitted, accelerations are restricted. (T-82)
    Acceleration,
}

/// The reaction that enforces a constraint. (T-83)
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Enforcement<E> {
    /// The ideal reaction, which does no virtual work. (T-84)
    Ideal,
    /// The reaction that corrects dependent velocities and leaves the accelerations of the others as they are.
    /// (T-113)
    Connection,
    /// A force along this covector. (T-83)
    Along(Vec<E>),
}

/// A constraint f = 0.
#[derive(Clone, Debug)]
pub struct Constraint<E> {
    /// The name of the statement, with the component of a tuple: `contact.x`.
    pub name: String,
    /// The left side minus the right side; with symbols `x''` where it restricts accelerations.
    pub function: E,
    /// The components of the one-form along (dt, dx, dx') of a constraint that restricts accelerations; else empty.
    pub form: Vec<E>,
    /// Whether the constraint restricts positions, velocities or accelerations.
    pub level: Level,
    /// The reaction that enforces the constraint.
    pub enforcement: Enforcement<E>,
    /// The place of the `reaction` statement, if there is one.
    pub enforced_at: Option<Span>,
    /// Its place.
    pub span: Span,
}

/// A unilateral constraint: gap(t, x) ≥ 0 with Newton's impact law and Coulomb friction. (T-203, T-204)
#[derive(Clone, Debug)]
pub struct Contact<E> {
    /// The name of the statement.
    pub name: String,
    /// The gap, which is not negative.
    pub gap: E,
    /// The coefficient of restitution.
    pub restitution: E,
    /// The coefficient of friction.
    pub friction: E,
    /// The tangential velocities along which friction acts: none, one or two.
    pub along: Vec<E>,
    /// Its place.
    pub span: Span,
}

/// A Coulomb element: a force of limited size against a velocity, or a constraint while it sticks. (T-204)
#[derive(Clone, Debug)]
pub struct Friction<E> {
    /// The name of the statement.
    pub name: String,
    /// The size of the force while it slips; may contain multipliers of constraints and contacts.
    pub limit: E,
    /// The largest force while it sticks, if it is another.
    pub sticking: Option<E>,
    /// The velocity, with one or two components.
    pub along: Vec<E>,
    /// Its place.
    pub span: Span,
}

/// A jump of velocities at an event.
#[derive(Clone, Debug)]
pub struct Impact<E> {
    /// The name of the statement.
    pub name: String,
    /// The place of the event among all events.
    pub event: usize,
    /// Functions of (t, x), the velocities after and the symbols of the velocities before, which vanish.
    pub equations: Vec<E>,
    /// The coordinates whose velocities the equations determine; the others keep theirs.
    pub unknowns: Vec<usize>,
    /// The symbols of the velocities before, of all coordinates.
    pub before: Vec<E>,
    /// Its place.
    pub span: Span,
}

/// A vector field or covector given by components, with its name.
#[derive(Clone, Debug)]
pub struct Named<E> {
    /// The name.
    pub name: String,
    /// One component per coordinate.
    pub components: Vec<E>,
    /// Its place.
    pub span: Span,
}

/// An adapted chart that the file declares next to its coordinates.
#[derive(Clone, Debug)]
pub struct Chart<E> {
    /// Its name.
    pub name: String,
    /// The names of its coordinates.
    pub coordinates: Vec<String>,
    /// Their symbols.
    pub symbols: Vec<E>,
    /// Every old coordinate as a function of t and the new ones.
    pub old: Vec<E>,
    /// The time of the model minus that of the chart, a constant. (T-9)
    pub shift: E,
    /// Every new coordinate as a function of the model's time and coordinates, where `inverse` gives it.
    pub inverse: Option<Inverse<E>>,
    /// Its place.
    pub span: Span,
}

/// The inverse of a chart as a file gives it.
#[derive(Clone, Debug)]
pub struct Inverse<E> {
    /// Every coordinate of the chart as a function of t and the coordinates of the model.
    pub new: Vec<E>,
    /// Its place.
    pub span: Span,
}

/// The charts that runs may enter next to the first, the coordinates of the model. (T-125)
#[derive(Clone, Debug)]
pub struct Atlas {
    /// The places of the charts among all declared ones.
    pub charts: Vec<usize>,
    /// The place of the statement.
    pub span: Span,
}

/// A field to be checked by Noether's theorem.
#[derive(Clone, Debug)]
pub struct Symmetry<E> {
    /// The name.
    pub name: String,
    /// ξⁱ
    pub components: Vec<E>,
    /// Whether the field shifts time, too.
    pub time: bool,
    /// Its place.
    pub span: Span,
}

/// A recorded scalar.
#[derive(Clone, Debug)]
pub struct Output<E> {
    /// The name.
    pub name: String,
    /// The quantity that is recorded.
    pub value: E,
    /// Its place.
    pub span: Span,
}

/// A zero crossing to locate.
#[derive(Clone, Debug)]
pub struct Event<E> {
    /// The name.
    pub name: String,
    /// The quantity that crosses zero.
    pub value: E,
    /// The crossings that count.
    pub direction: Direction,
    /// Whether the run ends at the event.
    pub terminal: bool,
    /// The way the quantity vanishes, if a constraint implies the event because it has a branch point there.
    pub branch: Option<Branch>,
    /// Its place.
    pub span: Span,
}

/// Tolerances that can be requested: less is below rounding, more is no number of digits.
pub const TOLERANCES: std::ops::Range<f64> = 1e-18..1.0;

/// The way in which the marker of a branch point of a constraint vanishes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// It changes sign, like a signed distance.
    Crossed,
    /// It touches zero, like the square of a distance.
    Touched,
}

/// The defaults of a run.
#[derive(Clone, Debug)]
pub struct Run<E> {
    /// The start.
    pub from: Option<E>,
    /// The end.
    pub to: Option<E>,
    /// The distance of recorded states.
    pub every: Option<E>,
    /// The method.
    pub method: Option<String>,
    /// The tolerance.
    pub tolerance: Option<E>,
    /// The place of the statement, if there is one.
    pub span: Option<Span>,
}

/// Something at a place, for figures: a particle, a body, the ends of a spring or damper, or the two
/// points that a constraint keeps together.
#[derive(Clone, Debug)]
pub struct Placed<E> {
    /// The name of the statement.
    pub name: String,
    /// `particle`, `body`, `spring`, `damper` or `constraint`.
    pub statement: &'static str,
    /// The points: one, or the two ends.
    pub points: Vec<Vec<E>>,
    /// The attitude of the body in space.
    pub attitude: Option<Attitude<E>>,
    /// The name of the frame or body that it is given in.
    pub within: Option<String>,
}

/// A `frame` in space.
#[derive(Clone, Debug)]
pub struct FramePlace<E> {
    /// The name of the statement.
    pub name: String,
    /// Its origin in space.
    pub origin: Vec<E>,
    /// The name of the frame or body that it is given in.
    pub within: Option<String>,
}

/// The axes of a body and how its mass is spread along them.
#[derive(Clone, Debug)]
pub struct Attitude<E> {
    /// The body axes as vectors of space: two in the plane, else three.
    pub axes: Vec<Vec<E>>,
    /// M
    pub mass: E,
    /// The moments of inertia about the mass centre: one in the plane, else three.
    pub inertia: Vec<E>,
}

/// A body that pictures draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solid {
    /// A ball: its radius.
    Sphere,
    /// A cylinder along the z axis, centred: radius and height.
    Cylinder,
    /// A disk across the z axis; in the plane a circle: its radius.
    Disk,
    /// A box, centred: its edges along the axes.
    Box,
    /// A broken line through points.
    Line,
    /// The ground, z = 0; in the plane y = 0.
    Ground,
}

/// A `shape` of pictures.
#[derive(Clone, Debug)]
pub struct Shape<E> {
    /// The name of the statement.
    pub name: String,
    /// The kind of the shape.
    pub solid: Solid,
    /// Radius, height or edges.
    pub sizes: Vec<E>,
    /// The origin, or the points of a line, in space.
    pub points: Vec<Vec<E>>,
    /// The axes as vectors of space.
    pub axes: Vec<Vec<E>>,
}

/// An assumption `positive > 0`.
#[derive(Clone, Debug)]
pub struct Assumed<E> {
    /// The expression that is positive.
    pub positive: E,
    /// The assumption as written.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A system given by its action form or its accelerations instead of energies.
#[derive(Clone, Debug)]
pub struct Given<E> {
    /// `action form` or `acceleration`.
    pub statement: &'static str,
    /// The terms of Ω in the chart (t, x, u): increasing indices and coefficients. (T-23)
    pub terms: Vec<(Vec<usize>, E)>,
    /// Zⁱ, the field with Z ⌟ Ω = 0. (T-25)
    pub accelerations: Vec<E>,
    /// Whether g depends on (t, x) only. (T-24)
    pub strict: bool,
    /// Its place.
    pub span: Span,
}

/// A signal that drives the system: `input u [N] = EXPR`.
#[derive(Clone, Debug)]
pub struct Input<E> {
    /// The name.
    pub name: String,
    /// The signal as a function of time and state.
    pub value: E,
    /// The symbol that is added to the signal, a parameter with the value zero, where derivatives with respect to inputs
    /// are wanted.
    pub increment: Option<E>,
    /// Its place.
    pub span: Span,
}

/// The energies of a model on phase space, whose coordinates are (x, p): see [`Model::on_phase_space`](crate::Model::on_phase_space).
#[derive(Clone, Debug)]
pub struct PhaseEnergies<E> {
    /// H(t, x, p)
    pub energy: E,
    /// ∂H/∂t + Fᵢ∂H/∂pᵢ, the rate of H.
    pub power: E,
    /// pᵢ∂H/∂pᵢ − H
    pub lagrangian: E,
}

/// The contents of a model file. `E` is a handle of an expression.
#[derive(Clone, Debug)]
pub struct Contents<E> {
    /// The title.
    pub title: String,
    /// t
    pub time: E,
    /// The parameters, in order.
    pub parameters: Vec<Parameter<E>>,
    /// The coordinates, in order.
    pub coordinates: Vec<Coordinate<E>>,
    /// The ready-made manifolds to which some of the coordinates belong.
    pub manifolds: Vec<Manifold>,
    /// The inputs, in order.
    pub inputs: Vec<Input<E>>,
    /// The contributions to L.
    pub contributions: Vec<Contribution<E>>,
    /// The Hamiltonian, if the system is given by it.
    pub hamiltonian: Option<Hamiltonian<E>>,
    /// The forces that are not in L.
    pub forces: Vec<NamedForce<E>>,
    /// The constraints.
    pub constraints: Vec<Constraint<E>>,
    /// The unilateral constraints.
    pub contacts: Vec<Contact<E>>,
    /// The Coulomb elements.
    pub frictions: Vec<Friction<E>>,
    /// The jumps of velocities at events.
    pub impacts: Vec<Impact<E>>,
    /// The velocities that the solved form expresses through the others.
    pub dependent: Vec<usize>,
    /// The place of the `dependent` statement.
    pub dependent_span: Option<Span>,
    /// The named reference fields.
    pub references: Vec<Named<E>>,
    /// Other charts.
    pub charts: Vec<Chart<E>>,
    /// The charts that runs may enter, if the file has an `atlas`.
    pub atlas: Option<Atlas>,
    /// Fields for Noether's theorem.
    pub symmetries: Vec<Symmetry<E>>,
    /// Virtual displacements of one's own, δxⁱ(t, x).
    pub variations: Vec<Named<E>>,
    /// The outputs that are recorded.
    pub outputs: Vec<Output<E>>,
    /// The events that are located.
    pub events: Vec<Event<E>>,
    /// The assumptions.
    pub assumptions: Vec<Assumed<E>>,
    /// The names of undetermined functions.
    pub functions: Vec<String>,
    /// The defaults of a run.
    pub run: Run<E>,
    /// Particles and bodies that a figure can show.
    pub placed: Vec<Placed<E>>,
    /// The frames.
    pub frames: Vec<FramePlace<E>>,
    /// Equations from which velocities at the start follow.
    pub initial_rates: InitialRates<E>,
    /// Shapes that a figure draws.
    pub shapes: Vec<Shape<E>>,
    /// The place of `metric:`, if there is one.
    pub metric: Option<Span>,
    /// The action form, if the system is given by it or by its accelerations.
    pub given: Option<Given<E>>,
    /// The energies of a model on phase space.
    pub phase: Option<PhaseEnergies<E>>,
}
