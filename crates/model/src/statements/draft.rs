//! The draft of a model, collected while statements are read.

use std::collections::HashMap;

use galilei_expr::Expr;
use galilei_syntax::{Kind, Label, Span};

use super::metric::Entries;
use super::placements::Placement;
use super::rates::InitialRate;
use crate::body::Frame;
use crate::code::Code;
use crate::contents::{
    Assumed, Atlas, Attitude, Chart, Constraint, Contact, Contents, Contribution,
    Coordinate as FinishedCoordinate, Event, FramePlace, Friction, Given, Hamiltonian, Impact,
    Input, Named, NamedForce, Output, Parameter as FinishedParameter, Part, Placed, Run, Shape,
    Symmetry,
};
use crate::declarations::scale;
use crate::dimension::Dimension;
use crate::initial_rates::InitialRates;
use crate::reader::{Callable, Reader};
use crate::value::Value;

/// The draft of a model.
pub(super) struct Draft<'p> {
    pub(super) inputs: Vec<Input<Expr<'p>>>,
    pub(super) contributions: Vec<Contribution<Expr<'p>>>,
    pub(super) forces: Vec<NamedForce<Expr<'p>>>,
    pub(super) constraints: Vec<Constraint<Expr<'p>>>,
    pub(super) contacts: Vec<Contact<Expr<'p>>>,
    pub(super) frictions: Vec<Friction<Expr<'p>>>,
    pub(super) impacts: Vec<Impact<Expr<'p>>>,
    pub(super) dependent: Vec<usize>,
    pub(super) dependent_span: Option<Span>,
    pub(super) references: Vec<Named<Expr<'p>>>,
    pub(super) charts: Vec<Chart<Expr<'p>>>,
    /// The dimensions of the coordinates of each chart.
    pub(super) chart_dimensions: Vec<Vec<Dimension>>,
    pub(super) atlas: Option<Atlas>,
    pub(super) symmetries: Vec<Symmetry<Expr<'p>>>,
    pub(super) variations: Vec<Named<Expr<'p>>>,
    pub(super) outputs: Vec<Output<Expr<'p>>>,
    pub(super) events: Vec<Event<Expr<'p>>>,
    pub(super) assumptions: Vec<Assumed<Expr<'p>>>,
    pub(super) run: Run<Expr<'p>>,
    pub(super) placed: Vec<Placed<Expr<'p>>>,
    pub(super) initial: HashMap<(usize, bool), Expr<'p>>,
    /// Manifolds whose points at the start are given.
    pub(super) points: Vec<usize>,
    pub(super) initial_momenta: HashMap<usize, (Expr<'p>, Span)>,
    /// The velocities at the start that follow from momenta; empty where none are given.
    pub(super) implied_velocities: Vec<Expr<'p>>,
    /// The terms of H with their names and places.
    pub(super) hamiltonians: Vec<(String, Expr<'p>, Span)>,
    /// H as a whole, once all its terms are read.
    pub(super) hamiltonian: Option<Hamiltonian<Expr<'p>>>,
    /// The Legendre transform of H, as a function of (t, x, u).
    pub(super) legendre: Option<Expr<'p>>,
    /// Dissipation functions, by the index of their force.
    pub(super) dissipations: Vec<(usize, Expr<'p>)>,
    pub(super) metric: Option<(Span, Entries<'p>)>,
    pub(super) metric_reference: Option<(Span, Vec<Expr<'p>>)>,
    /// The action form or the accelerations, as read.
    pub(super) given: Option<super::given::Data<'p>>,
    /// The action form and its field, once recognised.
    pub(super) given_form: Option<Given<Expr<'p>>>,
    /// Fields of gravity: the name, the field, the places of the statement and of the field.
    pub(super) gravity: Vec<(String, Value<'p>, Span, Span)>,
    pub(super) masses: Vec<(Expr<'p>, Dimension, Value<'p>, Span, String)>,
    /// Moments of inertia that frames with quaternions carry.
    pub(super) carried: HashMap<String, Vec<Expr<'p>>>,
    /// Frames with quaternions: name, q·q', place.
    pub(super) quaternions: Vec<(String, Expr<'p>, Span)>,
    pub(super) frames: Vec<FramePlace<Expr<'p>>>,
    pub(super) shapes: Vec<Shape<Expr<'p>>>,
    /// Equations for the initial velocities.
    pub(super) initial_rates: Vec<InitialRate<'p>>,
    pub(super) initial_rate_equations: InitialRates<Expr<'p>>,
    taken: HashMap<(&'static str, String), Span>,
    counts: HashMap<&'static str, usize>,
}

/// Why a body and a constraint cannot have one name.
const UNIT_LENGTH: &str =
    "the unit length of a quaternion is a constraint named after its body: choose another name";

impl<'p> Draft<'p> {
    pub(super) fn new() -> Self {
        Self {
            inputs: vec![],
            contributions: vec![],
            forces: vec![],
            constraints: vec![],
            contacts: vec![],
            frictions: vec![],
            impacts: vec![],
            dependent: vec![],
            dependent_span: None,
            references: vec![],
            charts: vec![],
            chart_dimensions: vec![],
            atlas: None,
            symmetries: vec![],
            variations: vec![],
            outputs: vec![],
            events: vec![],
            assumptions: vec![],
            run: Run {
                from: None,
                to: None,
                every: None,
                method: None,
                tolerance: None,
                span: None,
            },
            placed: vec![],
            initial: HashMap::new(),
            points: vec![],
            initial_momenta: HashMap::new(),
            implied_velocities: vec![],
            hamiltonians: vec![],
            hamiltonian: None,
            legendre: None,
            dissipations: vec![],
            metric: None,
            metric_reference: None,
            given: None,
            given_form: None,
            gravity: vec![],
            masses: vec![],
            carried: HashMap::new(),
            quaternions: vec![],
            frames: vec![],
            shapes: vec![],
            initial_rates: vec![],
            initial_rate_equations: InitialRates::default(),
            taken: HashMap::new(),
            counts: HashMap::new(),
        }
    }

    /// The name of a statement; the same kind and name twice is an error.
    pub(super) fn label<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        kind: &'static str,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<String> {
        let Some(l) = label else {
            let n = self.counts.entry(kind).or_insert(0);
            *n += 1;
            return Some(format!("{kind} {n}"));
        };
        let name = r.label(l)?;
        if let Some(first) = self.taken.insert((kind, name.clone()), span) {
            let line = r.line(first);
            let hint = match r.locals.last() {
                _ if self.taken.get(&("body", name.clone())) == Some(&first) => UNIT_LENGTH.into(),
                Some((k, _)) if l.index.is_none() => {
                    format!("a statement that is repeated carries the index: {kind} {name}[{k}]:")
                }
                _ => "choose another name".into(),
            };
            r.error(
                Code::DuplicateStatement,
                format!("there is already a {kind} `{name}` in line {line}"),
                hint,
                l.name.span,
            );
            return None;
        }
        Some(name)
    }

    /// Takes the name of a body for the constraint that its quaternion implies; twice is an error.
    pub(super) fn implied(
        &mut self,
        r: &mut Reader<'p, '_>,
        name: &str,
        label: Option<&Label>,
        span: Span,
    ) -> Option<()> {
        let Some(first) = self.taken.insert(("constraint", name.to_owned()), span) else {
            return Some(());
        };
        let line = r.line(first);
        r.error(
            Code::DuplicateStatement,
            format!("there is already a constraint `{name}` in line {line}"),
            UNIT_LENGTH,
            label.map_or(span, |l| l.name.span),
        );
        None
    }

    pub(super) fn contribute(
        &mut self,
        name: String,
        statement: &'static str,
        part: Part,
        value: Expr<'p>,
        span: Span,
    ) {
        self.contributions.push(Contribution {
            name,
            statement,
            part,
            value,
            span,
        });
    }

    pub(super) fn place(
        &mut self,
        name: &str,
        statement: &'static str,
        points: Vec<Vec<Expr<'p>>>,
        attitude: Option<Attitude<Expr<'p>>>,
    ) {
        self.placed.push(Placed {
            name: name.to_owned(),
            statement,
            points,
            attitude,
            within: None,
        });
    }

    /// Says which frame carries what was placed last.
    pub(super) fn placed_within(&mut self, frame: &Frame<'p>) {
        if let Some(last) = self.placed.last_mut() {
            last.within.clone_from(&frame.within);
        }
    }

    /// Adds one statement to the draft.
    pub(super) fn statement<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        p: &Placement<'s>,
    ) -> Option<()> {
        let span = p.statement.span;
        match &p.statement.kind {
            Kind::Particle { label, mass, pose } => {
                self.particle(r, label.as_ref(), mass, pose, span)?
            }
            Kind::Frame { label, .. } => self.frame(r, label.as_ref(), span)?,
            Kind::Shape {
                label,
                shape,
                sizes,
                on,
            } => self.shape(r, label.as_ref(), (shape, sizes), on.as_ref(), span)?,
            Kind::Body { label, .. } => self.body(r, label.as_ref(), span)?,
            Kind::Gravity { label, field } => self.gravity_field(r, label.as_ref(), field, span)?,
            Kind::Spring {
                label,
                stiffness,
                length,
                from,
                to,
            } => {
                let spring = (stiffness, length.as_ref());
                self.spring(r, label.as_ref(), spring, (from, to), span)?
            }
            Kind::Damper {
                label,
                coefficient,
                from,
                to,
            } => self.damper(r, label.as_ref(), coefficient, (from, to), span)?,
            Kind::Kinetic { label, value } => {
                let name = self.label(r, "kinetic", label.as_ref(), span);
                let v = self.energy(r, value, "a kinetic energy", true);
                self.contribute(name?, "kinetic", Part::Kinetic, v?, span);
            }
            Kind::Potential { label, value } => {
                let name = self.label(r, "potential", label.as_ref(), span);
                let v = self.energy(r, value, "a potential", false);
                self.contribute(name?, "potential", Part::Potential, v?, span);
            }
            Kind::Lagrangian { label, value } => {
                let name = self.label(r, "lagrangian", label.as_ref(), span);
                let v = self.energy(r, value, "a Lagrangian", true);
                self.contribute(name?, "lagrangian", Part::Lagrangian, v?, span);
            }
            Kind::Hamiltonian { label, value } => {
                self.hamiltonian(r, label.as_ref(), value, span)?
            }
            Kind::Dissipation { label, value } => {
                self.dissipation(r, label.as_ref(), value, span)?
            }
            Kind::VectorPotential { label, components } => {
                self.vector_potential(r, label.as_ref(), components, span)?
            }
            Kind::Metric { label, entries } => {
                if let Some(l) = label {
                    r.error(
                        Code::UnexpectedName,
                        "the metric has no name",
                        "write `metric: x x = …`",
                        l.name.span,
                    );
                }
                self.metric(r, entries, span);
            }
            Kind::Reference { label, components } => {
                self.reference(r, label.as_ref(), components, span)?
            }
            Kind::Force { label, body } => self.force(r, label.as_ref(), body, span)?,
            Kind::Constraint { label, left, right } => {
                self.equation(r, label.as_ref(), left, right, span)?
            }
            Kind::ConstraintForm { label, form } => {
                self.constraint_form(r, label.as_ref(), form, span)?
            }
            Kind::ActionForm { label, form } => self.action_form(r, label.as_ref(), form, span)?,
            Kind::Acceleration { label, components } => {
                self.acceleration(r, label.as_ref(), components, span)?
            }
            Kind::Reaction { label, body } => self.reaction(r, label.as_ref(), body, span)?,
            Kind::Contact {
                label,
                gap,
                bound,
                restitution,
                friction,
                along,
            } => {
                let clauses = [restitution.as_ref(), friction.as_ref(), along.as_ref()];
                self.contact(r, label.as_ref(), (gap, bound), clauses, span)?
            }
            Kind::Friction {
                label,
                limit,
                sticking,
                along,
            } => {
                let limits = (limit, sticking.as_ref());
                self.friction(r, label.as_ref(), limits, along, span)?
            }
            Kind::Impact {
                label,
                event,
                equations,
            } => self.impact(r, label.as_ref(), event, equations, span)?,
            Kind::Variation { label, components } => {
                self.variation(r, label.as_ref(), components, span)?
            }
            Kind::Dependent(list) => self.dependents(r, list, span),
            Kind::Chart {
                label,
                coordinates,
                components,
            } => self.chart(r, label.as_ref(), coordinates, components, span)?,
            Kind::Inverse { label, components } => {
                self.inverse(r, label.as_ref(), components, span)?
            }
            Kind::Atlas { label, charts } => self.atlas(r, label.as_ref(), charts, span)?,
            Kind::Symmetry { label, components } => {
                self.symmetry(r, label.as_ref(), components, span)?
            }
            Kind::Initial(list) => {
                for a in list {
                    self.initial(r, a);
                }
            }
            Kind::Output { label, value } => self.output(r, label.as_ref(), value, span)?,
            Kind::Event {
                label,
                value,
                direction,
                terminal,
            } => self.event(r, label.as_ref(), value, (*direction, *terminal), span)?,
            Kind::Simulate(clauses) => self.simulate(r, clauses, span),
            Kind::Assume(list) => {
                for e in list {
                    self.assume(r, e);
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Adds the components of points of manifolds to the outputs.
    fn show_points(&mut self, r: &Reader<'p, '_>) {
        for m in &r.manifolds {
            let names = m.kind.components().iter();
            let names = names.map(|c| format!("{}.{c}", m.name));
            for (name, value) in names.zip(r.components_of(m)) {
                if self.outputs.iter().all(|o| o.name != name) {
                    let span = m.span;
                    self.outputs.push(Output { name, value, span });
                }
            }
        }
    }

    pub(super) fn finished(mut self, r: &Reader<'p, '_>, title: String) -> Contents<Expr<'p>> {
        self.show_points(r);
        let mut functions: Vec<String> = r
            .callables
            .iter()
            .filter(|(_, c)| matches!(c.0, Callable::Undetermined(..)))
            .map(|(n, _)| n.clone())
            .collect();
        functions.sort();
        Contents {
            title,
            time: r.time,
            parameters: r
                .parameters
                .iter()
                .map(|p| FinishedParameter {
                    name: p.name.clone(),
                    symbol: p.symbol,
                    value: p.value,
                    unit: p.unit.clone(),
                    scale: p.scale,
                    span: p.span,
                })
                .collect(),
            manifolds: r.manifolds.clone(),
            coordinates: r
                .coordinates
                .iter()
                .enumerate()
                .map(|(k, c)| FinishedCoordinate {
                    name: c.name.clone(),
                    position: c.position,
                    velocity: c.velocity,
                    unit: c.unit_text.clone(),
                    scale: scale(r, c.unit.as_ref()),
                    initial_position: self.initial.get(&(k, false)).copied(),
                    initial_velocity: (self.implied_velocities.get(k).copied())
                        .or_else(|| self.initial.get(&(k, true)).copied()),
                    given_velocity: self.initial.get(&(k, true)).copied(),
                })
                .collect(),
            inputs: self.inputs,
            initial_rates: self.initial_rate_equations,
            contributions: self.contributions,
            hamiltonian: self.hamiltonian,
            forces: self.forces,
            constraints: self.constraints,
            contacts: self.contacts,
            frictions: self.frictions,
            impacts: self.impacts,
            dependent: self.dependent,
            dependent_span: self.dependent_span,
            references: self.references,
            charts: self.charts,
            atlas: self.atlas,
            symmetries: self.symmetries,
            variations: self.variations,
            outputs: self.outputs,
            events: self.events,
            assumptions: self.assumptions,
            functions,
            run: self.run,
            placed: self.placed,
            frames: self.frames,
            shapes: self.shapes,
            metric: self.metric.map(|m| m.0),
            given: self.given_form,
            phase: None,
        }
    }
}
