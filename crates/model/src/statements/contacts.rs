//! Contacts, Coulomb elements and jumps of velocities. (T-203, T-204)

use galilei_expr::Expr;
use galilei_geometry::decide_all_zero;
use galilei_syntax::{Assignment, Expression, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Contact, Friction, Impact};
use crate::diagnostic::nearest;
use crate::dimension::Dimension;
use crate::reader::Reader;

/// The components of a tangential velocity: contacts are between surfaces.
const MAX_TANGENTS: usize = 2;

impl<'p> Draft<'p> {
    /// `contact`: a gap that is not negative, with restitution and friction.
    pub(super) fn contact<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        (gap, bound): (&'s Expression, &'s Expression),
        [restitution, friction, along]: [Option<&'s Expression>; 3],
        span: Span,
    ) -> Option<()> {
        let name = self.contact_label(r, "contact", label, span);
        let (a, b) = (r.read(gap), r.read(bound));
        let restitution = r.coefficient(restitution, "restitution");
        let mu = r.coefficient(friction, "friction");
        let along_value = along.map(|e| r.read(e));
        let (name, a, b) = (name?, a?, b?);
        let ((x, d), (y, e)) = (r.scalar(&a, gap)?, r.scalar(&b, bound)?);
        let texts = [gap, bound].map(|e| format!("`{}`", r.text(e.span)));
        if !r.agree((&d, &texts[0]), (&e, &texts[1]), span) {
            return None;
        }
        r.only_position(&a, "the gap of a contact")?;
        r.only_position(&b, "the gap of a contact")?;
        let function = x - y;
        if !r.coordinates.iter().any(|c| function.contains(c.position)) {
            r.error(
                Code::InadmissibleConstraint,
                format!("the gap of the contact `{name}` depends on no coordinate"),
                "a gap is a function of the positions, such as y - r >= 0",
                gap.span,
            );
            return None;
        }
        let (restitution, mu) = (restitution?, mu?);
        let rubs = !mu.is_zero();
        let mut friction = mu;
        let tangents = match (along, along_value) {
            (Some(e), Some(v)) => {
                let v = v?;
                let rate = r.rate(&d);
                r.tangents(&v.parts, &v.dimensions, &rate, e)?
            }
            _ if rubs => match self.known_tangents(r, function, span) {
                Some(known) => {
                    friction = mu * known.steepness;
                    known.along
                }
                None => {
                    r.error(
                        Code::MissingTangent,
                        format!("the contact `{name}` has friction, and the velocity of its contact point is not known"),
                        "give the tangential velocity of the bodies relative to each other there: `along x' + r*phi'`; two of them in space; or name the point that touches by position(BODY, (a, b))",
                        span,
                    );
                    return None;
                }
            },
            _ => vec![],
        };
        let multipliers = vec![r.energy.div(&d)];
        r.multipliers.insert(name.clone(), multipliers);
        self.contacts.push(Contact {
            name,
            gap: function,
            restitution,
            friction,
            along: if rubs { tangents } else { vec![] },
            span,
        });
        Some(())
    }

    /// The name of a contact or friction element: `multiplier(NAME)` has one meaning.
    fn contact_label<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        kind: &'static str,
        label: Option<&'s Label>,
        span: Span,
    ) -> Option<String> {
        let name = self.label(r, kind, label, span)?;
        if r.all_constraints.iter().filter(|c| **c == name).count() > 1 {
            r.error(
                Code::DuplicateStatement,
                format!(
                    "two of the constraints, contacts and friction elements are called `{name}`"
                ),
                "choose another name: multiplier(NAME) means one of them",
                label.map_or(span, |l| l.name.span),
            );
            return None;
        }
        Some(name)
    }

    /// `friction`: a force of limited size against a velocity.
    pub(super) fn friction<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        (limit, sticking): (&'s Expression, Option<&'s Expression>),
        along: &'s Expression,
        span: Span,
    ) -> Option<()> {
        let name = self.contact_label(r, "friction", label, span);
        let known = (r.all_constraints.iter())
            .filter(|c| !r.friction_names.contains(c))
            .cloned();
        r.constraint_names = Some(known.collect());
        let read = |r: &mut Reader<'p, 's>, e: &'s Expression| {
            let v = r.read(e)?;
            r.scalar(&v, e)
        };
        let limit_value = read(r, limit);
        let sticking_value = sticking.map(|e| read(r, e));
        r.constraint_names = None;
        let v = r.read(along);
        let (name, (limit_value, dimension), v) = (name?, limit_value?, v?);
        let sticking_value = match (sticking, sticking_value) {
            (Some(e), Some(value)) => {
                let (value, d) = value?;
                let texts = [e, limit].map(|e| format!("`{}`", r.text(e.span)));
                if !r.agree((&d, &texts[0]), (&dimension, &texts[1]), e.span) {
                    return None;
                }
                Some(value)
            }
            _ => None,
        };
        let rate = r.rate(&r.energy.clone()).div(&dimension);
        // A limit times a velocity is a power. Where it is none, the limit is more likely to be wrong.
        if let Some(d) = v.dimensions.first() {
            let power = r.rate(&r.energy.clone());
            let text = format!("`{}`", r.text(limit.span));
            let of = format!(
                "the limit of a friction along `{}`, a force,",
                r.text(along.span)
            );
            if !r.agree((&dimension, &text), (&power.div(d), &of), limit.span) {
                return None;
            }
        }
        let tangents = r.tangents(&v.parts, &v.dimensions, &rate, along)?;
        let count = tangents.len();
        r.multipliers.insert(name.clone(), vec![dimension; count]);
        self.frictions.push(Friction {
            name,
            limit: limit_value,
            sticking: sticking_value,
            along: tangents,
            span,
        });
        Some(())
    }

    /// `impact`: equations for the velocities after an event.
    pub(super) fn impact<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        event: &'s Label,
        equations: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "impact", label, span);
        let wanted = r.label(event)?;
        let place = self.events.iter().position(|e| e.name == wanted);
        let symbol = |name: &str| r.pool.symbol(&format!("before({name}')"));
        let before: Vec<Expr<'p>> = r.coordinates.iter().map(|c| symbol(&c.name)).collect();
        let mut list = Vec::new();
        let mut unknowns: Vec<usize> = Vec::new();
        let mut good = true;
        for a in equations {
            r.before = Some(before.clone());
            let (left, right) = (r.read(&a.target), r.read(&a.value));
            r.before = None;
            let (Some(left), Some(right)) = (left, right) else {
                good = false;
                continue;
            };
            let sides = (r.scalar(&left, &a.target), r.scalar(&right, &a.value));
            let (Some((x, d)), Some((y, e))) = sides else {
                good = false;
                continue;
            };
            let texts = [&a.target, &a.value].map(|e| format!("`{}`", r.text(e.span)));
            let place = a.target.span.to(a.value.span);
            good &= r.agree((&d, &texts[0]), (&e, &texts[1]), place);
            let named = |k: &usize| x.contains(r.coordinates[*k].velocity);
            let named: Vec<usize> = (0..r.coordinates.len()).filter(named).collect();
            if named.is_empty() {
                r.error(
                    Code::NotAVelocity,
                    format!("`{}` contains no velocity", r.text(a.target.span)),
                    "an impact is a list of equations for velocities: x' = -e*before(x')",
                    a.target.span,
                );
                good = false;
            }
            for k in named {
                if !unknowns.contains(&k) {
                    unknowns.push(k);
                }
            }
            list.push(x - y);
        }
        let name = name?;
        let Some(place) = place else {
            let known: Vec<&str> = self.events.iter().map(|e| e.name.as_str()).collect();
            let hint = match nearest(&wanted, known.iter().copied()) {
                Some(w) => format!("did you mean `{w}`?"),
                None if known.is_empty() => {
                    format!("declare it: `event {wanted}: x - 1`, a quantity that crosses zero")
                }
                None => format!("the events are {}", known.join(", ")),
            };
            r.error(
                Code::UnknownEvent,
                format!("there is no event `{wanted}`"),
                hint,
                event.name.span,
            );
            return None;
        };
        if !good {
            return None;
        }
        if unknowns.len() != list.len() {
            let names: Vec<String> = unknowns
                .iter()
                .map(|&k| format!("{}'", r.coordinates[k].name))
                .collect();
            r.error(
                Code::ImpactUndetermined,
                format!(
                    "the impact `{name}` has {} equations for {} velocities: {}",
                    list.len(),
                    names.len(),
                    names.join(", ")
                ),
                "write one equation for each velocity on a left side; before(x') is the velocity before",
                span,
            );
            return None;
        }
        unknowns.sort_unstable();
        self.impacts.push(Impact {
            name,
            event: place,
            equations: list,
            unknowns,
            before,
            span,
        });
        Some(())
    }
}

impl<'p, 's> Reader<'p, 's> {
    /// A coefficient of a contact, which is 0 where it is not given: a pure number.
    fn coefficient(&mut self, e: Option<&'s Expression>, what: &str) -> Option<Expr<'p>> {
        let Some(e) = e else {
            return Some(self.pool.zero());
        };
        let v = self.read(e)?;
        let (x, d) = self.scalar(&v, e)?;
        let text = format!("the coefficient of {what}, `{}`,", self.text(e.span));
        let none = Dimension::none();
        self.agree((&d, &text), (&none, "it must be a pure number,"), e.span)
            .then_some(())?;
        let number = x.as_rational().map(|q| q.to_f64());
        let above = what == "restitution";
        if let Some(q) = number
            && (q < 0.0 || above && q > 1.0)
        {
            let range = if above { "from 0 to 1" } else { "not negative" };
            self.error(
                Code::WrongCoefficient,
                format!("the coefficient of {what} is {q}"),
                format!("it is {range}"),
                e.span,
            );
            return None;
        }
        Some(x)
    }

    /// The components of a velocity along which friction acts: affine in the velocities.
    fn tangents(
        &mut self,
        parts: &[Expr<'p>],
        dimensions: &[Dimension],
        rate: &Dimension,
        e: &'s Expression,
    ) -> Option<Vec<Expr<'p>>> {
        let text = format!("`{}`", self.text(e.span));
        for d in dimensions {
            if !self.agree((d, &text), (rate, "the velocity of a friction"), e.span) {
                return None;
            }
        }
        if parts.len() > MAX_TANGENTS {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "friction acts along one or two velocities, not {}",
                    parts.len()
                ),
                "give the components in the tangent plane",
                e.span,
            );
            return None;
        }
        let u: Vec<Expr<'p>> = self.coordinates.iter().map(|c| c.velocity).collect();
        for part in parts {
            let slopes = part.gradient(&u);
            let bends = slopes.iter().flat_map(|s| s.gradient(&u));
            let bends: Vec<Expr<'p>> = bends.filter(|e| !e.is_zero()).collect();
            let moves = slopes.iter().any(|s| !s.is_zero());
            if !moves || !decide_all_zero(bends).is_proved() {
                self.error(
                    Code::NotAVelocity,
                    format!("friction acts along a velocity, and `{part}` is none"),
                    "write a velocity, linear in x', y', …: `along x' - v`",
                    e.span,
                );
                return None;
            }
        }
        Some(parts.to_vec())
    }
}
