//! The contents of a model with other handles of expressions.

use galilei_expr::{Expr, ExprId};

use super::{
    Assumed, Attitude, Chart, Constraint, Contact, Contents, Contribution, Coordinate, Enforcement,
    Event, FramePlace, Friction, Given, Hamiltonian, Impact, Input, Inverse, Named, NamedForce,
    Output, Parameter, PhaseEnergies, Placed, Run, Shape, Symmetry,
};
use crate::initial_rates::InitialRates;

/// A type that holds handles of type `E`, and becomes `Out` where each is exchanged for one of type `F`.
pub(crate) trait WithHandles<E, F> {
    /// The type with the other handles.
    type Out;

    /// The value with all handles mapped by `f`.
    fn with_handles(&self, f: &impl Fn(&E) -> F) -> Self::Out;
}

impl<'p> WithHandles<Expr<'p>, ExprId> for Expr<'p> {
    type Out = ExprId;

    fn with_handles(&self, f: &impl Fn(&Self) -> ExprId) -> ExprId {
        f(self)
    }
}

impl WithHandles<ExprId, ExprId> for ExprId {
    type Out = ExprId;

    fn with_handles(&self, f: &impl Fn(&Self) -> ExprId) -> ExprId {
        f(self)
    }
}

impl<E, F, T: WithHandles<E, F>> WithHandles<E, F> for Vec<T> {
    type Out = Vec<T::Out>;

    fn with_handles(&self, f: &impl Fn(&E) -> F) -> Self::Out {
        self.iter().map(|t| t.with_handles(f)).collect()
    }
}

impl<E, F, T: WithHandles<E, F>> WithHandles<E, F> for Option<T> {
    type Out = Option<T::Out>;

    fn with_handles(&self, f: &impl Fn(&E) -> F) -> Self::Out {
        self.as_ref().map(|t| t.with_handles(f))
    }
}

/// Terms of a form: the indices of a product of differentials, and its coefficient.
impl<E, F, T: WithHandles<E, F>> WithHandles<E, F> for (Vec<usize>, T) {
    type Out = (Vec<usize>, T::Out);

    fn with_handles(&self, f: &impl Fn(&E) -> F) -> Self::Out {
        (self.0.clone(), self.1.with_handles(f))
    }
}

impl<E: WithHandles<E, F, Out = F>, F> WithHandles<E, F> for Enforcement<E> {
    type Out = Enforcement<F>;

    fn with_handles(&self, f: &impl Fn(&E) -> F) -> Enforcement<F> {
        match self {
            Self::Ideal => Enforcement::Ideal,
            Self::Connection => Enforcement::Connection,
            Self::Along(list) => Enforcement::Along(list.with_handles(f)),
        }
    }
}

/// Implements [`WithHandles`] for structs, by the fields that hold handles, and the others, which are copied.
macro_rules! with_handles {
    ($($name:ident { $($mapped:ident),* $(,)? } and { $($kept:ident),* })*) => {$(
        impl<E: WithHandles<E, F, Out = F>, F> WithHandles<E, F> for $name<E> {
            type Out = $name<F>;

            fn with_handles(&self, f: &impl Fn(&E) -> F) -> $name<F> {
                $name {
                    $($mapped: self.$mapped.with_handles(f),)*
                    $($kept: self.$kept.clone(),)*
                }
            }
        }
    )*};
}

with_handles! {
    Parameter { symbol, value, scale } and { name, unit, span }
    Coordinate {
        position, velocity, scale, initial_position, initial_velocity, given_velocity,
    } and { name, unit }
    Contribution { value } and { name, statement, part, span }
    Hamiltonian { function, momenta, velocities, closed, initial } and { implicit, span }
    NamedForce { components } and { name, statement, kinked, span }
    Constraint { function, form, enforcement } and { name, level, enforced_at, span }
    Contact { gap, restitution, friction, along } and { name, span }
    Friction { limit, sticking, along } and { name, span }
    Impact { equations, before } and { name, event, unknowns, span }
    Named { components } and { name, span }
    Chart { symbols, old, shift, inverse } and { name, coordinates, span }
    Inverse { new } and { span }
    Symmetry { components } and { name, time, span }
    Output { value } and { name, span }
    Event { value } and { name, direction, terminal, branch, span }
    Run { from, to, every, tolerance } and { method, span }
    Placed { points, attitude } and { name, statement, within }
    FramePlace { origin } and { name, within }
    Attitude { axes, mass, inertia } and {}
    Shape { sizes, points, axes } and { name, solid }
    Assumed { positive } and { text, span }
    Given { terms, accelerations } and { statement, strict, span }
    Input { value, increment } and { name, span }
    PhaseEnergies { energy, power, lagrangian } and {}
    Contents {
        time, parameters, coordinates, inputs, contributions, hamiltonian, forces, constraints,
        contacts, frictions, impacts, references, charts, symmetries, variations, outputs,
        events, assumptions, run, placed, frames, initial_rates, shapes, given, phase,
    } and { title, manifolds, dependent, dependent_span, atlas, functions, metric }
    InitialRates { equations } and { written, unknown, solved }
}
