//! Statements: what each adds to the model.

use std::collections::HashMap;

use galilei_expr::{Expr, Rational};
use galilei_syntax::{
    Assignment, Clause, Comparison, Expression, ExpressionKind as E, File, ForceBody, Kind, Label,
    MetricEntry, Name, Span, Statement,
};

use crate::contents::{
    Assumed, Attitude, Chart, Constraint, Contents, Contribution, Coordinate as FinishedCoordinate,
    Event, Level, Named, NamedForce, Output, Parameter as FinishedParameter, Part, Placed, Run,
    Symmetry,
};
use crate::declarations::{declare, repeated, scale};
use crate::diagnostic::{Diagnostic, nearest};
use crate::dimension::Dimension;
use crate::reader::{BodyStatement, Callable, Meaning, Reader};
use crate::value::{Uses, Value};

/// Statements after all repetitions are written out.
const MAX_STATEMENTS: usize = 100_000;
/// The methods of a run.
pub(crate) const METHODS: [&str; 11] = [
    "taylor",
    "dop853",
    "gauss2",
    "gauss4",
    "gauss6",
    "radau",
    "midpoint",
    "trapezoid",
    "galerkin2",
    "galerkin4",
    "galerkin6",
];

/// A statement with the indices of the repetitions around it.
#[derive(Clone)]
struct Placement<'s> {
    statement: &'s Statement,
    indices: Vec<(String, i64)>,
}

/// The entries of a metric.
type Entries<'p> = HashMap<(usize, usize), Expr<'p>>;

/// What is being collected.
struct Draft<'p> {
    contributions: Vec<Contribution<Expr<'p>>>,
    forces: Vec<NamedForce<Expr<'p>>>,
    constraints: Vec<Constraint<Expr<'p>>>,
    dependent: Vec<usize>,
    dependent_span: Option<Span>,
    references: Vec<Named<Expr<'p>>>,
    charts: Vec<Chart<Expr<'p>>>,
    symmetries: Vec<Symmetry<Expr<'p>>>,
    outputs: Vec<Output<Expr<'p>>>,
    events: Vec<Event<Expr<'p>>>,
    assumptions: Vec<Assumed<Expr<'p>>>,
    run: Run<Expr<'p>>,
    placed: Vec<Placed<Expr<'p>>>,
    initial: HashMap<(usize, bool), Expr<'p>>,
    metric: Option<(Span, Entries<'p>)>,
    metric_reference: Option<(Span, Vec<Expr<'p>>)>,
    gravity: Vec<(String, Value<'p>, Span)>,
    masses: Vec<(Expr<'p>, Dimension, Value<'p>, Span, String)>,
    taken: HashMap<(&'static str, String), Span>,
    counts: HashMap<&'static str, usize>,
}

/// Reads a whole file. Overrides are values for parameters and constants by name.
pub(crate) fn contents<'p, 's>(
    r: &mut Reader<'p, 's>,
    file: &'s File,
    fallback_title: &str,
    overrides: &[(String, Rational, Option<Expr<'p>>)],
) -> Option<Contents<Expr<'p>>> {
    let mut title = None;
    let mut used: Vec<bool> = vec![false; overrides.len()];
    declare(r, file, overrides, &mut used);
    for (k, (name, _, _)) in overrides.iter().enumerate() {
        if used[k] {
            continue;
        }
        let mut known: Vec<String> = r.parameters.iter().map(|p| p.name.clone()).collect();
        known.extend(
            r.names
                .iter()
                .filter(|(_, m)| matches!(m.0, Meaning::Constant(_)))
                .map(|(n, _)| n.clone()),
        );
        known.sort();
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(w) => format!("did you mean `{w}`?"),
            None => format!("the parameters and constants are {}", known.join(", ")),
        };
        r.error(
            "unknown_parameter",
            format!("`{name}` is no parameter or constant of this model"),
            hint,
            None,
        );
    }
    let mut list = Vec::new();
    flatten(r, &file.statements, &mut Vec::new(), &mut list);
    let mut draft = Draft::new();
    register_bodies(r, &list);
    register_constraints(r, &list);
    r.read_definitions();
    for placement in &list {
        with_indices(r, &placement.indices, |r| {
            let Kind::System { title: t } = &placement.statement.kind else {
                draft.statement(r, placement);
                return;
            };
            if title.is_some() {
                r.error(
                    "duplicate_statement",
                    "the system has two titles",
                    "keep one",
                    t.span,
                );
            }
            title = Some(t.text.clone());
        });
    }
    draft.finish_gravity(r);
    draft.finish_metric(r);
    if r.coordinates.is_empty() && !r.diagnostics.iter().any(Diagnostic::is_error) {
        r.error(
            "no_coordinates",
            "the model has no coordinates, so nothing can move",
            "declare them: `coord x [m]`",
            None,
        );
    }
    let title = title.unwrap_or_else(|| fallback_title.to_owned());
    Some(draft.finished(r, title))
}

fn flatten<'s>(
    r: &mut Reader<'_, 's>,
    statements: &'s [Statement],
    indices: &mut Vec<(String, i64)>,
    out: &mut Vec<Placement<'s>>,
) {
    for statement in statements {
        match &statement.kind {
            Kind::For { binder, body } => {
                let bound = r.each(binder, |r, k| {
                    indices.push((binder.variable.text.clone(), k));
                    flatten(r, body, indices, out);
                    indices.pop();
                    (out.len() <= MAX_STATEMENTS).then_some(())
                });
                if bound.is_none() && out.len() > MAX_STATEMENTS {
                    r.error(
                        "model_too_large",
                        format!("the repetitions write out more than {MAX_STATEMENTS} statements"),
                        "make the ranges smaller",
                        binder.variable.span,
                    );
                    return;
                }
            }
            Kind::Const(_) | Kind::Param(_) | Kind::Coord(_) | Kind::Let(_) | Kind::Function(_) => {
                if !indices.is_empty() {
                    r.error(
                        "declaration_in_repetition",
                        "declarations cannot be repeated with `for`",
                        "declare a family instead: `coord q[1..n]`, `param k[i in 1..n] = …`, `let r[k in 1..n] = …`",
                        statement.span,
                    );
                }
            }
            Kind::Broken => {}
            _ => out.push(Placement {
                statement,
                indices: indices.clone(),
            }),
        }
    }
}

fn with_indices<'p, 's, T>(
    r: &mut Reader<'p, 's>,
    indices: &[(String, i64)],
    f: impl FnOnce(&mut Reader<'p, 's>) -> T,
) -> T {
    let outer = std::mem::take(&mut r.locals);
    for (name, k) in indices {
        let value = Value::number(r.pool.number(*k));
        r.locals.push((name.clone(), value));
    }
    let out = f(r);
    r.locals = outer;
    out
}

fn register_bodies<'p, 's>(r: &mut Reader<'p, 's>, list: &[Placement<'s>]) {
    let mut unnamed = 0;
    for p in list {
        let Kind::Body {
            label,
            mass,
            inertia,
            at,
            orientation,
        } = &p.statement.kind
        else {
            continue;
        };
        let name = match label {
            Some(l) => match with_indices(r, &p.indices, |r| r.label(l)) {
                Some(name) => name,
                None => continue,
            },
            None => {
                unnamed += 1;
                format!("body {unnamed}")
            }
        };
        let statement = BodyStatement {
            mass,
            inertia,
            at,
            orientation,
            locals: p.indices.clone(),
        };
        r.body_statements.entry(name).or_insert(statement);
    }
}

fn register_constraints<'s>(r: &mut Reader<'_, 's>, list: &[Placement<'s>]) {
    let mut names = Vec::new();
    let mut unnamed = 0;
    for p in list {
        match &p.statement.kind {
            Kind::Constraint { label, .. } => match label {
                Some(l) => names.extend(with_indices(r, &p.indices, |r| r.label(l))),
                None => {
                    unnamed += 1;
                    names.push(format!("constraint {unnamed}"));
                }
            },
            Kind::Body {
                label: Some(l),
                orientation: galilei_syntax::Orientation::Rotation(kind, _),
                ..
            } if kind.text == "quaternion" => {
                names.extend(with_indices(r, &p.indices, |r| r.label(l)))
            }
            _ => {}
        }
    }
    r.all_constraints = names;
}

impl<'p, 's> Reader<'p, 's> {
    /// A position: a function of (t, x), smooth.
    pub(crate) fn position(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        let v = self.read(e)?;
        self.only_position(&v, "a position")?;
        self.smooth(&v, "a position")?;
        if v.len() > 3 {
            self.error(
                "shape_mismatch",
                format!(
                    "a position has one, two or three components, not {}",
                    v.len()
                ),
                "space has three dimensions",
                e.span,
            );
            return None;
        }
        for d in &v.dimensions[1..] {
            if !self.agree(
                (&v.dimensions[0], "the first component of the position"),
                (d, "another component"),
                e.span,
            ) {
                return None;
            }
        }
        Some(v)
    }

    pub(crate) fn only_position(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.velocity else {
            return Some(());
        };
        self.error(
            "velocity_not_allowed",
            format!("{what} is a function of time and position; `{}` brings in a velocity", self.text(place)),
            "velocities may stand in let, kinetic, lagrangian, force, dissipation, constraint, output and event",
            place,
        );
        None
    }

    pub(crate) fn smooth(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.kink else {
            return Some(());
        };
        self.error(
            "not_smooth",
            format!("{what} must be smooth; `{}` has a kink", self.text(place)),
            "abs, sign, min, max and if are allowed in forces, outputs and events",
            place,
        );
        None
    }

    /// A value made of numbers and parameters only.
    pub(crate) fn constant(&mut self, v: &Value<'p>, what: &str) -> Option<()> {
        let Some(place) = v.uses.state else {
            return Some(());
        };
        self.error(
            "not_constant",
            format!(
                "{what} is a number; `{}` depends on time or the state",
                self.text(place)
            ),
            "use numbers and parameters",
            place,
        );
        None
    }

    /// Mass and moments may depend on time and place, not on velocities.
    pub(crate) fn constant_in_state(&mut self, v: &Value<'p>, _e: &Expression, what: &str) {
        let _ = self
            .only_position(v, what)
            .and_then(|()| self.smooth(v, what));
    }

    /// Which coordinate a target names; true for its velocity.
    fn target(&mut self, e: &'s Expression) -> Option<(usize, bool)> {
        let (inner, velocity) = match &e.kind {
            E::Prime(inner, 1) => (&**inner, true),
            _ => (e, false),
        };
        // An unknown name here is most likely a misspelt coordinate.
        let name = match &inner.kind {
            E::Name(n) => Some(n),
            E::Index(n, _) => Some(&n.text),
            _ => None,
        };
        let is_coordinate = |r: &Self, n: &str| {
            matches!(
                r.names.get(n).map(|m| m.0),
                Some(Meaning::Coordinate(_) | Meaning::Coordinates(..))
            )
        };
        if let Some(Meaning::Broken) = name.and_then(|n| self.names.get(n)).map(|m| m.0) {
            return None;
        }
        if let Some(n) = name.filter(|n| !is_coordinate(self, n)) {
            let mut known: Vec<String> = self.coordinates.iter().map(|c| c.name.clone()).collect();
            known.sort();
            let hint = match nearest(n, known.iter().map(String::as_str)) {
                Some(w) => format!("did you mean `{w}`?"),
                None => format!("the coordinates are {}", known.join(", ")),
            };
            self.error(
                "not_a_coordinate",
                format!("`{n}` is not a coordinate"),
                hint,
                inner.span,
            );
            return None;
        }
        let v = self.read(inner)?;
        let k = v
            .only()
            .and_then(|(x, _)| self.coordinates.iter().position(|c| c.position == x));
        match k {
            Some(k) => Some((k, velocity)),
            None => {
                self.error(
                    "not_a_coordinate",
                    format!("`{}` is not a coordinate", self.text(e.span)),
                    "the left side of an entry is a coordinate",
                    e.span,
                );
                None
            }
        }
    }

    /// `x = EXPR, …` with each coordinate at most once; missing ones are zero.
    fn components(
        &mut self,
        list: &'s [Assignment],
        mut read: impl FnMut(&mut Self, usize, &'s Expression) -> Option<Expr<'p>>,
    ) -> Option<Vec<Expr<'p>>> {
        let mut out: Vec<Option<Expr<'p>>> = vec![None; self.coordinates.len()];
        let mut given = vec![false; self.coordinates.len()];
        let mut good = true;
        for a in list {
            let Some((k, velocity)) = self.target(&a.target) else {
                good = false;
                let _ = self.read(&a.value);
                continue;
            };
            if velocity {
                self.error(
                    "not_a_coordinate",
                    "components are named by the coordinate, not by its velocity",
                    format!("write {} = …", self.coordinates[k].name),
                    a.target.span,
                );
                good = false;
                continue;
            }
            if std::mem::replace(&mut given[k], true) {
                self.duplicate(&a.target);
                let _ = self.read(&a.value);
                good = false;
                continue;
            }
            match read(self, k, &a.value) {
                Some(e) => out[k] = Some(e),
                None => good = false,
            }
        }
        let zero = self.pool.zero();
        good.then(|| out.into_iter().map(|e| e.unwrap_or(zero)).collect())
    }

    fn duplicate(&mut self, e: &Expression) {
        self.duplicate_at(e.span);
    }

    fn duplicate_at(&mut self, span: Span) {
        self.error(
            "duplicate_entry",
            format!("`{}` is given twice", self.text(span)),
            "keep one of the entries",
            span,
        );
    }
}

impl<'p> Draft<'p> {
    fn new() -> Self {
        Self {
            contributions: vec![],
            forces: vec![],
            constraints: vec![],
            dependent: vec![],
            dependent_span: None,
            references: vec![],
            charts: vec![],
            symmetries: vec![],
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
            metric: None,
            metric_reference: None,
            gravity: vec![],
            masses: vec![],
            taken: HashMap::new(),
            counts: HashMap::new(),
        }
    }

    /// The name of a statement; the same kind and name twice is an error.
    fn label<'s>(
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
            let line = galilei_syntax::Lines::new(r.source).place(first.start).0;
            r.error(
                "duplicate_statement",
                format!("there is already a {kind} `{name}` in line {line}"),
                "choose another name",
                l.name.span,
            );
            return None;
        }
        Some(name)
    }

    fn contribute(
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

    fn statement<'s>(&mut self, r: &mut Reader<'p, 's>, p: &Placement<'s>) -> Option<()> {
        let span = p.statement.span;
        match &p.statement.kind {
            Kind::Particle { label, mass, at } => {
                let name = self.label(r, "particle", label.as_ref(), span);
                let (m, at_value) = (r.read(mass), r.position(at));
                let (name, m, x) = (name?, m?, at_value?);
                let (mass_value, d) = r.scalar(&m, mass)?;
                r.only_position(&m, "a mass")?;
                r.smooth(&m, "a mass")?;
                let v = r.rate(&x.dimensions[0]);
                let kinetic = d.times(&v, &Rational::from(2));
                let energy = r.energy.clone();
                let text = format!("the energy ½·{}·v²", r.text(mass.span));
                r.agree((&kinetic, &text), (&energy, "the other energies"), span);
                let rates = r.rates();
                let squares = x.parts.iter().map(|c| c.derivative_along(&rates).pow(2));
                let t = Rational::new(1, 2) * mass_value * r.pool.sum(squares);
                self.contribute(name.clone(), "particle", Part::Kinetic, t, span);
                self.place(&name, "particle", vec![x.parts.clone()], None);
                self.masses.push((mass_value, d, x, span, name));
            }
            Kind::Body { label, .. } => {
                let name = self.label(r, "body", label.as_ref(), span)?;
                let body = r.body(&name, span)?;
                let t = body.kinetic(r);
                self.contribute(name.clone(), "body", Part::Kinetic, t, span);
                let at = vec![body.position.parts.clone()];
                self.place(&name, "body", at, Some(body.attitude()));
                if let Some(q) = body.quaternion {
                    let f = r.pool.sum(q.iter().map(|x| x.pow(2))) - 1;
                    // Unit quaternions made of angles restrict nothing.
                    if !f.decide_zero().is_proved() {
                        self.constraints.push(Constraint {
                            name: name.clone(),
                            function: f,
                            level: Level::Position,
                            span,
                        });
                    }
                }
                let d = r.unifier.unknown();
                let energy = r.energy.clone();
                let v = r.rate(&body.position.dimensions[0]);
                r.unifier.equate(&d.times(&v, &Rational::from(2)), &energy);
                self.masses.push((body.mass, d, body.position, span, name));
            }
            Kind::Gravity { label, field } => {
                let name = self.label(r, "gravity", label.as_ref(), span);
                let v = r.read(field);
                let (name, v) = (name?, v?);
                r.only_position(&v, "a gravity field")?;
                r.smooth(&v, "a gravity field")?;
                if let Some(place) = v
                    .uses
                    .state
                    .filter(|place| r.text(*place) != "t" && !self.only_time(r, &v))
                {
                    r.error(
                        "not_constant",
                        "a gravity field is the same everywhere",
                        "write a `potential` for a field that depends on position",
                        place,
                    );
                    return None;
                }
                self.gravity.push((name, v, span));
            }
            Kind::Spring {
                label,
                stiffness,
                length,
                from,
                to,
            } => {
                let name = self.label(r, "spring", label.as_ref(), span);
                let k = r.read(stiffness);
                let l = length.as_ref().map(|l| (r.read(l), l));
                let (a, b) = (r.position(from), r.position(to));
                let (name, k, a, b) = (name?, k?, a?, b?);
                let (k_value, k_dim) = r.scalar(&k, stiffness)?;
                r.only_position(&k, "a stiffness")?;
                r.smooth(&k, "a stiffness")?;
                let d = difference(r, &a, &b, span)?;
                let two = Rational::from(2);
                let energy = r.energy.clone();
                let text = format!("the energy ½·{}·length²", r.text(stiffness.span));
                r.agree(
                    (&k_dim.times(&d.dimensions[0], &two), &text),
                    (&energy, "the other energies"),
                    stiffness.span,
                );
                let square = r.pool.sum(d.parts.iter().map(|c| c.pow(2)));
                let mut energy_value = square;
                if let Some((l, e)) = l {
                    let l = l?;
                    let (l_value, l_dim) = r.scalar(&l, e)?;
                    r.only_position(&l, "a natural length")?;
                    r.smooth(&l, "a natural length")?;
                    let what = format!("the length `{}`", r.text(e.span));
                    r.agree(
                        (&l_dim, &what),
                        (&d.dimensions[0], "the distance of the ends"),
                        e.span,
                    );
                    if !l_value.is_zero() {
                        energy_value = (square.sqrt() - l_value).pow(2);
                    }
                }
                let v = Rational::new(1, 2) * k_value * energy_value;
                self.contribute(name.clone(), "spring", Part::Potential, v, span);
                self.place(&name, "spring", vec![a.parts, b.parts], None);
            }
            Kind::Damper {
                label,
                coefficient,
                from,
                to,
            } => {
                let name = self.label(r, "damper", label.as_ref(), span);
                let c = r.read(coefficient);
                let (a, b) = (r.position(from), r.position(to));
                let (name, c, a, b) = (name?, c?, a?, b?);
                let (c_value, c_dim) = r.scalar(&c, coefficient)?;
                let d = difference(r, &a, &b, span)?;
                // c·v·length is an energy.
                let power = c_dim.mul(&d.dimensions[0]).mul(&r.rate(&d.dimensions[0]));
                let energy = r.energy.clone();
                let text = format!("the work of the damper with `{}`", r.text(coefficient.span));
                r.agree((&power, &text), (&energy, "the energies"), coefficient.span);
                let distance = r.pool.sum(d.parts.iter().map(|c| c.pow(2))).sqrt();
                let rate = distance.derivative_along(&r.rates());
                let positions: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.position).collect();
                let slopes = distance.gradient(&positions);
                let components = slopes.into_iter().map(|s| -c_value * rate * s).collect();
                self.forces.push(NamedForce {
                    name: name.clone(),
                    statement: "damper",
                    components,
                    kinked: c.uses.kink.is_some(),
                    span,
                });
                self.place(&name, "damper", vec![a.parts, b.parts], None);
            }
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
            Kind::Dissipation { label, value } => {
                let name = self.label(r, "dissipation", label.as_ref(), span);
                let v = r.read(value);
                let (name, v) = (name?, v?);
                let (d, dim) = r.scalar(&v, value)?;
                let power = r.rate(&r.energy.clone());
                let what = format!("the dissipation function `{}`", r.text(value.span));
                r.agree(
                    (&dim, &what),
                    (&power, "a power, energy per time, is needed:"),
                    value.span,
                );
                let velocities: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
                let components = d.gradient(&velocities).into_iter().map(|c| -c).collect();
                self.forces.push(NamedForce {
                    name,
                    statement: "dissipation",
                    components,
                    kinked: v.uses.kink.is_some(),
                    span,
                });
            }
            Kind::VectorPotential { label, components } => {
                let name = self.label(r, "vector potential", label.as_ref(), span);
                let list = r.components(components, |r, k, e| {
                    let v = r.read(e)?;
                    let (x, d) = r.scalar(&v, e)?;
                    r.only_position(&v, "a vector potential")?;
                    r.smooth(&v, "a vector potential")?;
                    let wanted = r.energy.div(&r.rate(&r.coordinates[k].dimension));
                    let what = format!("`{}`", r.text(e.span));
                    r.agree(
                        (&d, &what),
                        (&wanted, "this component, energy per velocity,"),
                        e.span,
                    )
                    .then_some(x)
                });
                let (name, list) = (name?, list?);
                let pairs = list
                    .iter()
                    .zip(&r.coordinates)
                    .map(|(&a, c)| a * c.velocity);
                let value = r.pool.sum(pairs);
                self.contribute(name, "vector potential", Part::VectorPotential, value, span);
            }
            Kind::Metric { label, entries } => {
                if let Some(l) = label {
                    r.error(
                        "unexpected_name",
                        "the metric has no name",
                        "write `metric: x x = …`",
                        l.name.span,
                    );
                }
                self.metric(r, entries, span);
            }
            Kind::Reference { label, components } => {
                let named = label.as_ref();
                let name = named.map(|l| self.label(r, "reference", Some(l), span));
                let list = r.components(components, |r, k, e| {
                    let v = r.read(e)?;
                    let (x, d) = r.scalar(&v, e)?;
                    r.only_position(&v, "a reference field")?;
                    r.smooth(&v, "a reference field")?;
                    let wanted = r.rate(&r.coordinates[k].dimension);
                    let what = format!("`{}`", r.text(e.span));
                    let target = format!("the velocity of {}", r.coordinates[k].name);
                    r.agree((&d, &what), (&wanted, &target), e.span)
                        .then_some(x)
                })?;
                match name {
                    Some(name) => self.references.push(Named {
                        name: name?,
                        components: list,
                        span,
                    }),
                    None if self.metric_reference.is_some() => {
                        r.error(
                            "duplicate_statement",
                            "the metric has two reference fields",
                            "name one of them: `reference NAME: …`",
                            span,
                        );
                    }
                    None => self.metric_reference = Some((span, list)),
                }
            }
            Kind::Force { label, body } => self.force(r, label.as_ref(), body, span)?,
            Kind::Constraint { label, left, right } => {
                let name = self.label(r, "constraint", label.as_ref(), span);
                let (a, b) = (r.read(left), r.read(right));
                let (name, a, b) = (name?, a?, b?);
                if a.tuple && b.tuple && a.uses.velocity.or(b.uses.velocity).is_none() {
                    let points = vec![a.parts.clone(), b.parts.clone()];
                    self.place(&name, "constraint", points, None);
                }
                self.constraint(r, name, (&a, left), (&b, right), span)?;
            }
            Kind::Dependent(list) => {
                self.dependent_span.get_or_insert(span);
                for e in list {
                    if let Some((k, velocity)) = r.target(e) {
                        if !velocity {
                            r.error(
                                "not_a_velocity",
                                format!(
                                    "`{}` is a position; dependent are velocities",
                                    r.text(e.span)
                                ),
                                format!("write {}'", r.text(e.span)),
                                e.span,
                            );
                        } else if self.dependent.contains(&k) {
                            r.duplicate(e);
                        } else {
                            self.dependent.push(k);
                        }
                    }
                }
            }
            Kind::Chart {
                label,
                coordinates,
                components,
            } => self.chart(r, label.as_ref(), coordinates, components, span)?,
            Kind::Symmetry { label, components } => {
                self.symmetry(r, label.as_ref(), components, span)?
            }
            Kind::Initial(list) => {
                for a in list {
                    self.initial(r, a);
                }
            }
            Kind::Output { label, value } => {
                let name = self.label(r, "output", label.as_ref(), span);
                r.constraint_names = Some(r.all_constraints.clone());
                let v = r.read(value);
                r.constraint_names = None;
                let (name, v) = (name?, v?);
                let (x, _) = r.scalar(&v, value)?;
                self.outputs.push(Output {
                    name,
                    value: x,
                    span,
                });
            }
            Kind::Event {
                label,
                value,
                direction,
                terminal,
            } => {
                let name = self.label(r, "event", label.as_ref(), span);
                let v = r.read(value);
                let (name, v) = (name?, v?);
                let (x, _) = r.scalar(&v, value)?;
                if v.uses.state.is_none() {
                    r.error(
                        "constant_event",
                        format!(
                            "`{}` never changes, so it crosses zero nowhere",
                            r.text(value.span)
                        ),
                        "an event is a function of the state or of time",
                        value.span,
                    );
                    return None;
                }
                self.events.push(Event {
                    name,
                    value: x,
                    direction: *direction,
                    terminal: *terminal,
                    span,
                });
            }
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

    fn only_time(&self, r: &Reader<'p, '_>, v: &Value<'p>) -> bool {
        let moving = |x: &Expr<'p>| r.coordinates.iter().any(|c| x.contains(c.position));
        !v.parts.iter().any(moving)
    }

    fn place(
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
        });
    }

    fn energy<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        e: &'s Expression,
        what: &str,
        velocities: bool,
    ) -> Option<Expr<'p>> {
        let v = r.read(e)?;
        let (x, d) = r.scalar(&v, e)?;
        if !velocities {
            r.only_position(&v, what)?;
        }
        r.smooth(&v, what)?;
        let energy = r.energy.clone();
        let text = format!("{what}, `{}`,", r.text(e.span));
        r.agree((&d, &text), (&energy, "the other energies"), e.span)
            .then_some(x)
    }

    fn metric<'s>(&mut self, r: &mut Reader<'p, 's>, entries: &'s [MetricEntry], span: Span) {
        if self.metric.is_some() {
            r.error(
                "duplicate_statement",
                "there are two metrics",
                "join their entries",
                span,
            );
            return;
        }
        let mut map: HashMap<(usize, usize), Expr<'p>> = HashMap::new();
        let mut good = true;
        for entry in entries {
            let i = r.target(&entry.coordinates[0]);
            let j = r.target(&entry.coordinates[1]);
            let v = r.read(&entry.value);
            let (Some((i, _)), Some((j, _)), Some(v)) = (i, j, v) else {
                good = false;
                continue;
            };
            let place = entry.coordinates[0].span.to(entry.value.span);
            let checked = r.scalar(&v, &entry.value).and_then(|(x, d)| {
                r.only_position(&v, "a metric")?;
                r.smooth(&v, "a metric")?;
                let (a, b) = (&r.coordinates[i].dimension, &r.coordinates[j].dimension);
                let wanted = r.energy.div(&r.rate(a)).div(&r.rate(b));
                let what = format!("`{}`", r.text(entry.value.span));
                r.agree(
                    (&d, &what),
                    (&wanted, "this entry, energy per velocity squared,"),
                    place,
                )
                .then_some(x)
            });
            let Some(x) = checked else {
                good = false;
                continue;
            };
            if let Some(other) = map.get(&(i, j)) {
                let same = *other == x || x.decide_equal(*other).is_proved();
                if !same && i != j {
                    let (a, b) = (r.coordinates[i].name.clone(), r.coordinates[j].name.clone());
                    r.error(
                        "metric_not_symmetric",
                        format!("the entries {a} {b} and {b} {a} of the metric differ: it must be symmetric"),
                        "one entry sets both",
                        place,
                    );
                    good = false;
                } else if !same {
                    let pair = entry.coordinates[0].span.to(entry.coordinates[1].span);
                    r.duplicate_at(pair);
                    good = false;
                }
                continue;
            }
            map.insert((i, j), x);
            map.insert((j, i), x);
        }
        if good {
            self.metric = Some((span, map));
        }
    }

    /// ½g(u − R, u − R)
    fn finish_metric(&mut self, r: &mut Reader<'p, '_>) {
        let n = r.coordinates.len();
        let zero = r.pool.zero();
        match (&self.metric, &self.metric_reference) {
            (Some((span, map)), reference) => {
                let shift: Vec<Expr<'p>> = match reference {
                    Some((_, list)) => list.clone(),
                    None => vec![zero; n],
                };
                let w: Vec<Expr<'p>> = (0..n)
                    .map(|i| r.coordinates[i].velocity - shift[i])
                    .collect();
                let mut terms = Vec::new();
                for i in 0..n {
                    for j in 0..=i {
                        if let Some(&g) = map.get(&(i, j)) {
                            let factor = if i == j {
                                Rational::new(1, 2)
                            } else {
                                Rational::from(1)
                            };
                            terms.push(factor * g * w[i] * w[j]);
                        }
                    }
                }
                let t = r.pool.sum(terms);
                let span = *span;
                self.contribute("metric".into(), "metric", Part::Kinetic, t, span);
            }
            (None, Some((span, _))) if !r.diagnostics.iter().any(Diagnostic::is_error) => {
                r.error(
                    "reference_without_metric",
                    "an unnamed reference field belongs to a `metric`, and there is none",
                    "give it a name, `reference NAME: …`, to see the inertia forces with respect to it",
                    *span,
                );
            }
            _ => {}
        }
    }

    fn finish_gravity(&mut self, r: &mut Reader<'p, '_>) {
        for (name, field, span) in std::mem::take(&mut self.gravity) {
            if self.masses.is_empty() {
                if !r.diagnostics.iter().any(Diagnostic::is_error) {
                    r.error(
                        "gravity_without_mass",
                        "gravity acts on particles and bodies, and there are none",
                        "add a `particle` or a `body`, or write a `potential`",
                        span,
                    );
                }
                continue;
            }
            let mut terms = Vec::new();
            let mut good = true;
            for (m, md, x, _, who) in &self.masses {
                if x.len() != field.len() {
                    r.error(
                        "shape_mismatch",
                        format!(
                            "gravity has {}, the position of `{who}` {}",
                            components(field.len()),
                            x.len()
                        ),
                        "write gravity with as many components as positions have",
                        span,
                    );
                    good = false;
                    break;
                }
                for k in 0..x.len() {
                    let d = md.mul(&field.dimensions[k]).mul(&x.dimensions[k]);
                    let energy = r.energy.clone();
                    let text = format!("the energy of `{who}` in the gravity field");
                    if !r.agree((&d, &text), (&energy, "the other energies"), span) {
                        good = false;
                        break;
                    }
                    terms.push(-*m * field.parts[k] * x.parts[k]);
                }
                if !good {
                    break;
                }
            }
            if good {
                let v = r.pool.sum(terms);
                self.contribute(name, "gravity", Part::Potential, v, span);
            }
        }
    }

    fn force<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        body: &'s ForceBody,
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "force", label, span);
        let positions: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.position).collect();
        let velocities: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
        let mut kinked = false;
        let components = match body {
            ForceBody::Components(list) => r.components(list, |r, k, e| {
                let v = r.read(e)?;
                let (x, d) = r.scalar(&v, e)?;
                kinked |= v.uses.kink.is_some();
                let wanted = r.energy.div(&r.coordinates[k].dimension);
                let what = format!("`{}`", r.text(e.span));
                let target = format!(
                    "the force on {}, energy per coordinate,",
                    r.coordinates[k].name
                );
                r.agree((&d, &what), (&wanted, &target), e.span)
                    .then_some(x)
            })?,
            ForceBody::At { force, point } => {
                let (f, x) = (r.read(force), r.position(point));
                let (f, x) = (f?, x?);
                if f.len() != x.len() {
                    r.error(
                        "shape_mismatch",
                        format!("the force has {}, its point {}", components(f.len()), x.len()),
                        "a force in space and the point it acts on have the same number of components",
                        force.span.to(point.span),
                    );
                    return None;
                }
                kinked = f.uses.kink.is_some();
                for k in 0..f.len() {
                    let work = f.dimensions[k].mul(&x.dimensions[k]);
                    let energy = r.energy.clone();
                    let text = format!("the work of `{}`", r.text(force.span));
                    if !r.agree((&work, &text), (&energy, "the energies"), force.span) {
                        return None;
                    }
                }
                let slopes: Vec<Vec<Expr<'p>>> = match x.uses.sliding {
                    None => x.parts.iter().map(|c| c.gradient(&positions)).collect(),
                    // The force acts on the material point that is there now.
                    Some(place) => {
                        let velocity = r.material_velocity(point, place)?;
                        let parts = velocity.parts.iter();
                        parts.map(|c| c.gradient(&velocities)).collect()
                    }
                };
                (0..positions.len())
                    .map(|i| {
                        r.pool
                            .sum(f.parts.iter().zip(&slopes).map(|(&c, s)| c * s[i]))
                    })
                    .collect()
            }
            ForceBody::Torque { torque, body } => {
                let m = r.read(torque);
                let label = r.label(body)?;
                let b = r.body(&label, body.name.span);
                let (m, b) = (m?, b?);
                let omega = b.space_rates(r);
                if m.len() != omega.len() {
                    r.error(
                        "shape_mismatch",
                        format!(
                            "the torque has {}; on this body it needs {}",
                            components(m.len()),
                            omega.len()
                        ),
                        "a torque on a planar body is a scalar, on a spatial one a tuple of three",
                        torque.span,
                    );
                    return None;
                }
                kinked = m.uses.kink.is_some();
                for d in &m.dimensions {
                    let energy = r.energy.clone();
                    let text = format!("the torque `{}`", r.text(torque.span));
                    if !r.agree((d, &text), (&energy, "the energies"), torque.span) {
                        return None;
                    }
                }
                let slopes: Vec<Vec<Expr<'p>>> =
                    omega.iter().map(|w| w.gradient(&velocities)).collect();
                (0..positions.len())
                    .map(|i| {
                        r.pool
                            .sum(m.parts.iter().zip(&slopes).map(|(&c, s)| c * s[i]))
                    })
                    .collect()
            }
        };
        self.forces.push(NamedForce {
            name: name?,
            statement: "force",
            components,
            kinked,
            span,
        });
        Some(())
    }

    fn constraint<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        name: String,
        (a, left): (&Value<'p>, &'s Expression),
        (b, right): (&Value<'p>, &'s Expression),
        span: Span,
    ) -> Option<()> {
        // A number on one side of a tuple equation would be a mistake; zero is not exempt.
        if a.len() != b.len() {
            r.error(
                "shape_mismatch",
                format!(
                    "the left side is {}, the right side {}",
                    a.shape(),
                    b.shape()
                ),
                "both sides of a constraint have the same number of components: (x, y) = (0, 0)",
                span,
            );
            return None;
        }
        let uses = a.uses.with(b.uses);
        for v in [a, b] {
            r.smooth(v, "a constraint")?;
        }
        let (l, m) = (
            format!("`{}`", r.text(left.span)),
            format!("`{}`", r.text(right.span)),
        );
        for k in 0..a.len() {
            if !r.agree((&a.dimensions[k], &l), (&b.dimensions[k], &m), span) {
                return None;
            }
        }
        for k in 0..a.len() {
            let f = a.parts[k] - b.parts[k];
            let suffix = if a.len() == 1 {
                ""
            } else {
                [".x", ".y", ".z"].get(k).copied().unwrap_or(".w")
            };
            let full = format!("{name}{suffix}");
            let moves = r
                .coordinates
                .iter()
                .any(|c| f.contains(c.position) || f.contains(c.velocity));
            if !moves {
                r.error(
                    "inadmissible_constraint",
                    format!("the constraint `{full}` restricts no coordinate and no velocity"),
                    "a constraint is an equation between coordinates or velocities",
                    span,
                );
                return None;
            }
            let velocity =
                uses.velocity.is_some() && r.coordinates.iter().any(|c| f.contains(c.velocity));
            self.constraints.push(Constraint {
                name: full,
                function: f,
                level: if velocity {
                    Level::Velocity
                } else {
                    Level::Position
                },
                span,
            });
        }
        Some(())
    }

    fn chart<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        names: &'s [Name],
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let chart_name = self.label(r, "chart", label, span)?;
        repeated(r, names);
        if let Some(n) = names.iter().find(|n| n.text == "t") {
            r.error(
                "reserved_name",
                "time is the same in every chart",
                "leave t out of the list",
                n.span,
            );
            return None;
        }
        if names.len() != r.coordinates.len() {
            r.error(
                "wrong_chart",
                format!(
                    "the chart has {} coordinate{}, the system {}",
                    names.len(),
                    if names.len() == 1 { "" } else { "s" },
                    r.coordinates.len()
                ),
                "a chart has as many coordinates as the system",
                names[0].span.to(names[names.len() - 1].span),
            );
            return None;
        }
        let taken = |r: &Reader<'p, '_>, n: &str| {
            r.parameters.iter().any(|p| p.name == n) || r.coordinates.iter().any(|c| c.name == n)
        };
        let symbols: Vec<Expr<'p>> = names
            .iter()
            .map(|n| {
                if taken(r, &n.text) {
                    r.pool.symbol(&format!("{chart_name}.{}", n.text))
                } else {
                    r.pool.symbol(&n.text)
                }
            })
            .collect();
        let mut old: Vec<Option<Expr<'p>>> = vec![None; r.coordinates.len()];
        let mut good = true;
        let dimensions: Vec<Dimension> = names.iter().map(|_| r.unifier.unknown()).collect();
        for a in list {
            let Some((k, false)) = r.target(&a.target) else {
                good = false;
                continue;
            };
            if old[k].is_some() {
                r.duplicate(&a.target);
                good = false;
                continue;
            }
            for ((n, s), d) in names.iter().zip(&symbols).zip(&dimensions) {
                let uses = Uses {
                    symbols: true,
                    state: Some(n.span),
                    ..Uses::default()
                };
                r.locals
                    .push((n.text.clone(), Value::scalar(*s, d.clone(), uses)));
            }
            let v = r.read(&a.value);
            r.locals.truncate(r.locals.len() - names.len());
            let Some(v) = v else {
                good = false;
                continue;
            };
            let x = r.scalar(&v, &a.value).and_then(|(x, d)| {
                r.only_position(&v, "a chart")?;
                r.smooth(&v, "a chart")?;
                let wanted = r.coordinates[k].dimension.clone();
                let what = format!("`{}`", r.text(a.value.span));
                r.agree((&d, &what), (&wanted, "the coordinate"), a.value.span)
                    .then_some(x)
            });
            let Some(x) = x else {
                good = false;
                continue;
            };
            if let Some(c) = r.coordinates.iter().find(|c| x.contains(c.position)) {
                let name = c.name.clone();
                r.error(
                    "wrong_chart",
                    format!("the old coordinate `{name}` stands on the right side"),
                    "a chart gives every old coordinate as a function of t and the new ones",
                    a.value.span,
                );
                good = false;
                continue;
            }
            old[k] = Some(x);
        }
        let missing: Vec<String> = (0..old.len())
            .filter(|&k| old[k].is_none())
            .map(|k| r.coordinates[k].name.clone())
            .collect();
        if !good {
            return None;
        }
        if !missing.is_empty() {
            r.error(
                "wrong_chart",
                format!("the chart does not say what {} is", missing.join(", ")),
                "a chart gives every old coordinate as a function of t and the new ones",
                span,
            );
            return None;
        }
        self.charts.push(Chart {
            name: chart_name,
            coordinates: names.iter().map(|n| n.text.clone()).collect(),
            symbols,
            old: old.into_iter().flatten().collect(),
            span,
        });
        Some(())
    }

    fn symmetry<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "symmetry", label, span);
        let mut time = false;
        let mut components: Vec<Option<Expr<'p>>> = vec![None; r.coordinates.len()];
        let mut seen_time = false;
        let step = r.unifier.unknown();
        let mut good = true;
        for a in list {
            if matches!(&a.target.kind, E::Name(n) if n == "t") {
                let v = r.read(&a.value);
                let n = v
                    .and_then(|v| v.only().and_then(|(x, _)| x.as_rational()))
                    .and_then(|q| q.to_i64());
                if seen_time {
                    r.duplicate(&a.target);
                }
                seen_time = true;
                match n {
                    Some(0) => {}
                    Some(1) => {
                        time = true;
                        let t = r.time_dimension.clone();
                        r.unifier.equate(&step, &t);
                    }
                    _ => {
                        r.error(
                            "symmetry_time",
                            "the time component of a symmetry is 0 or 1: time is not stretched",
                            "write t = 0 or t = 1",
                            a.value.span,
                        );
                        good = false;
                    }
                }
            }
        }
        for a in list {
            if matches!(&a.target.kind, E::Name(n) if n == "t") {
                continue;
            }
            let Some((k, false)) = r.target(&a.target) else {
                good = false;
                continue;
            };
            if components[k].is_some() {
                r.duplicate(&a.target);
                good = false;
                continue;
            }
            let x = r.read(&a.value).and_then(|v| {
                let (x, d) = r.scalar(&v, &a.value)?;
                r.only_position(&v, "a symmetry")?;
                r.smooth(&v, "a symmetry")?;
                let wanted = r.coordinates[k].dimension.div(&step);
                let what = format!("`{}`", r.text(a.value.span));
                r.agree((&d, &what), (&wanted, "this component"), a.value.span)
                    .then_some(x)
            });
            match x {
                Some(x) => components[k] = Some(x),
                None => good = false,
            }
        }
        if !good {
            return None;
        }
        let zero = r.pool.zero();
        self.symmetries.push(Symmetry {
            name: name?,
            components: components.into_iter().map(|c| c.unwrap_or(zero)).collect(),
            time,
            span,
        });
        Some(())
    }

    fn initial<'s>(&mut self, r: &mut Reader<'p, 's>, a: &'s Assignment) -> Option<()> {
        let (target, v) = (r.target(&a.target), r.read(&a.value));
        let ((k, velocity), v) = (target?, v?);
        let (x, d) = r.scalar(&v, &a.value)?;
        r.constant(&v, "an initial value")?;
        let c = &r.coordinates[k];
        let x = if v.uses.symbols {
            let wanted = if velocity {
                r.rate(&c.dimension)
            } else {
                c.dimension.clone()
            };
            let (l, m) = (
                format!("`{}`", r.text(a.value.span)),
                format!("`{}`", r.text(a.target.span)),
            );
            r.agree((&d, &l), (&wanted, &m), a.value.span)
                .then_some(x)?
        } else {
            x * scale(r, c.unit.as_ref())
        };
        if self.initial.insert((k, velocity), x).is_some() {
            r.duplicate(&a.target);
        }
        Some(())
    }

    fn simulate<'s>(&mut self, r: &mut Reader<'p, 's>, clauses: &'s [Clause], span: Span) {
        if self.run.span.is_some() {
            r.error(
                "duplicate_statement",
                "there are two `simulate` lines",
                "keep one",
                span,
            );
            return;
        }
        self.run.span = Some(span);
        let mut seen: Vec<&str> = Vec::new();
        for c in clauses {
            let word = c.keyword.text.as_str();
            if seen.contains(&word) {
                r.error(
                    "duplicate_entry",
                    format!("`{word}` is given twice"),
                    "keep one",
                    c.keyword.span,
                );
                continue;
            }
            seen.push(word);
            if word == "method" {
                self.method(r, &c.value);
                continue;
            }
            let Some(v) = r.read(&c.value) else { continue };
            let Some((x, d)) = r.scalar(&v, &c.value) else {
                continue;
            };
            if r.constant(&v, "a setting of a run").is_none() {
                continue;
            }
            if word != "tolerance" && v.uses.symbols {
                let time = r.time_dimension.clone();
                let what = format!("`{}`", r.text(c.value.span));
                r.agree((&d, &what), (&time, "a time"), c.value.span);
            }
            let negative = x.as_rational().is_some_and(|q| q.signum() <= 0);
            if negative && (word == "every" || word == "tolerance") {
                r.error(
                    "wrong_setting",
                    format!("`{word}` must be positive"),
                    if word == "every" {
                        "the direction of a run comes from its ends, `from` and `to`"
                    } else {
                        "write something like 1e-10"
                    },
                    c.value.span,
                );
                continue;
            }
            match word {
                "from" => self.run.from = Some(x),
                "to" => self.run.to = Some(x),
                "every" => self.run.every = Some(x),
                _ => self.run.tolerance = Some(x),
            }
        }
        if !seen.contains(&"to") {
            r.error(
                "missing_end_time",
                "a run needs its end",
                "write `simulate to 10`",
                span,
            );
        }
    }

    fn method(&mut self, r: &mut Reader<'p, '_>, e: &Expression) {
        let E::Name(name) = &e.kind else {
            r.error(
                "unknown_method",
                "a method is a name",
                format!("methods are {}", METHODS.join(", ")),
                e.span,
            );
            return;
        };
        if METHODS.contains(&name.as_str()) {
            self.run.method = Some(name.clone());
            return;
        }
        let hint = match nearest(name, METHODS) {
            Some(w) => format!("did you mean `{w}`?"),
            None => format!("methods are {}", METHODS.join(", ")),
        };
        r.error(
            "unknown_method",
            format!("there is no method `{name}`"),
            hint,
            e.span,
        );
    }

    fn assume<'s>(&mut self, r: &mut Reader<'p, 's>, e: &'s Expression) -> Option<()> {
        let E::Compare(comparison, left, right) = &e.kind else {
            r.error(
                "expected_comparison",
                "an assumption is an inequality",
                "write `assume m > 0`",
                e.span,
            );
            return None;
        };
        let (a, b) = (r.read(left), r.read(right));
        let (a, b) = (a?, b?);
        let (x, dx) = r.scalar(&a, left)?;
        let (y, dy) = r.scalar(&b, right)?;
        let (l, m) = (
            format!("`{}`", r.text(left.span)),
            format!("`{}`", r.text(right.span)),
        );
        if !r.agree((&dx, &l), (&dy, &m), e.span) {
            return None;
        }
        let positive = match comparison {
            Comparison::Greater => x - y,
            Comparison::Less => y - x,
            Comparison::GreaterEqual | Comparison::LessEqual => {
                r.error(
                    "weak_assumption",
                    "an assumption is strict: what is proved holds away from the edge",
                    "write > or < instead",
                    e.span,
                );
                return None;
            }
        };
        if positive.as_rational().is_some_and(|q| q.signum() <= 0) {
            r.error(
                "assumption_violated",
                "this assumption is false",
                "remove it",
                e.span,
            );
            return None;
        }
        self.assumptions.push(Assumed {
            positive,
            text: r.text(e.span).to_owned(),
            span: e.span,
        });
        Some(())
    }

    fn finished(self, r: &Reader<'p, '_>, title: String) -> Contents<Expr<'p>> {
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
                    initial_velocity: self.initial.get(&(k, true)).copied(),
                })
                .collect(),
            contributions: self.contributions,
            forces: self.forces,
            constraints: self.constraints,
            dependent: self.dependent,
            dependent_span: self.dependent_span,
            references: self.references,
            charts: self.charts,
            symmetries: self.symmetries,
            outputs: self.outputs,
            events: self.events,
            assumptions: self.assumptions,
            functions,
            run: self.run,
            placed: self.placed,
            metric: self.metric.map(|m| m.0),
        }
    }
}

fn components(n: usize) -> String {
    match n {
        1 => "one component".into(),
        n => format!("{n} components"),
    }
}

/// Q − P of two positions.
fn difference<'p>(
    r: &mut Reader<'p, '_>,
    a: &Value<'p>,
    b: &Value<'p>,
    span: Span,
) -> Option<Value<'p>> {
    if a.len() != b.len() {
        r.error(
            "shape_mismatch",
            format!("the ends have {} and {} components", a.len(), b.len()),
            "both ends are points of the same space",
            span,
        );
        return None;
    }
    if !r.agree(
        (&a.dimensions[0], "one end"),
        (&b.dimensions[0], "the other"),
        span,
    ) {
        return None;
    }
    let parts: Vec<Expr<'p>> = a.parts.iter().zip(&b.parts).map(|(&p, &q)| q - p).collect();
    if parts.iter().all(|c| c.is_zero()) {
        r.error(
            "shape_mismatch",
            "both ends are the same point",
            "a spring or damper connects two different points",
            span,
        );
        return None;
    }
    Some(Value {
        parts,
        dimensions: a.dimensions.clone(),
        tuple: a.tuple,
        uses: a.uses.with(b.uses),
    })
}
