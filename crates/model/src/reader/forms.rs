//! FORMs in a model: differential forms on the state space.

use std::cell::RefCell;
use std::collections::HashSet;

use galilei_geometry::Chart;
use galilei_mechanics::{AdaptedChart, StateSpace};
use galilei_syntax::{Expression, ExpressionKind as E, Span};

use super::Reader;
use super::meaning::Meaning;
use crate::code::Code;
use crate::forms::{FormScope, FormValue, contains_form};
use crate::value::Uses;

/// Abbreviations of forms that may refer to each other.
const MAX_CHAIN: usize = 100;

impl<'p, 's> Reader<'p, 's> {
    /// The form that a FORM denotes on the state space of the coordinates; `None` for an error, which has been
    /// reported.
    pub(crate) fn read_form(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        for name in ["d", "contact"] {
            if let Some((_, place)) = self.callables.get(name) {
                let place = *place;
                self.error(
                    Code::ReservedName,
                    format!(
                        "the model has a function `{name}`, which means something else in a form"
                    ),
                    "choose another name for the function",
                    place,
                );
                return None;
            }
        }
        let v = self.form(e)?;
        if v.form.terms().any(|(_, c)| c.is_undefined()) {
            self.error(
                Code::UndefinedValue,
                format!("`{}` is defined nowhere", self.text(e.span)),
                "a division by zero, or a root or logarithm of a negative number",
                e.span,
            );
            return None;
        }
        Some(v)
    }

    /// The state space of the declared coordinates.
    pub(crate) fn state_space(&self) -> StateSpace<'p> {
        let names = self.coordinates.iter().map(|c| c.name.as_str());
        StateSpace::new(AdaptedChart::new(self.pool, "t", names))
    }

    /// Whether an expression is a FORM of degree one or more, as it is written.
    pub(crate) fn is_form(&self, e: &Expression) -> bool {
        self.is_form_within(e, MAX_CHAIN, &RefCell::default())
    }

    /// Whether an expression is a FORM through at most `chain` abbreviations, each of which is looked at once.
    fn is_form_within(
        &self,
        e: &Expression,
        chain: usize,
        visited: &RefCell<HashSet<usize>>,
    ) -> bool {
        if self.callables.contains_key("d") || self.callables.contains_key("contact") {
            return false;
        }
        let named = |name: &str| {
            let shadowed = self.locals.iter().any(|l| l.0 == name);
            match self.names.get(name).map(|m| m.0) {
                Some(Meaning::Let(d)) if !shadowed && chain > 0 => {
                    if !visited.borrow_mut().insert(d) {
                        return false;
                    }
                    let declaration = self.definitions[d].declaration;
                    declaration.parameters.is_none()
                        && (declaration.value.as_ref())
                            .is_some_and(|e| self.is_form_within(e, chain - 1, visited))
                }
                _ => false,
            }
        };
        contains_form(e, &named)
    }

    /// The form that an abbreviation stands for.
    pub(super) fn defined_form(&mut self, d: usize, span: Span) -> Option<FormValue<'p>> {
        let declaration = self.definitions[d].declaration;
        let name = &declaration.name.text;
        if declaration.binder.is_some() {
            self.error(
                Code::NotAvailable,
                format!("the family `{name}` has forms as members"),
                "write the forms out, or as a sum over the family",
                span,
            );
            return None;
        }
        if self.open_forms.contains(&d) {
            self.error(
                Code::SelfReference,
                format!("the definition of `{name}` refers to itself"),
                "an abbreviation is made of other things; the chain of `let`s closes here",
                span,
            );
            return None;
        }
        self.open_forms.push(d);
        let outer = std::mem::take(&mut self.locals);
        let v = declaration.value.as_ref().and_then(|e| self.form(e));
        self.locals = outer;
        self.open_forms.pop();
        let mut v = v.filter(|_| !self.is_spoilt(declaration.span))?;
        v.uses = v.uses.seen_at(span);
        Some(v)
    }
}

impl<'p, 's> FormScope<'p, 's> for Reader<'p, 's> {
    fn chart(&self) -> Chart<'p> {
        self.state_space().chart().clone()
    }

    fn function(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        let v = self.read(e)?;
        let (x, d) = self.scalar(&v, e)?;
        // A momentum is a function on the state space.
        let x = x.substitute(&self.closed_momenta);
        if self.momenta.as_ref().is_some_and(|p| x.contains_any(p)) {
            self.error(
                Code::NotAvailable,
                format!(
                    "`{}` contains a momentum that has no formula in the velocities",
                    self.text(e.span)
                ),
                "write the form with velocities",
                e.span,
            );
            return None;
        }
        Some(FormValue::function(&self.chart(), x, d, v.uses))
    }

    fn contact(&mut self, argument: &'s Expression) -> Option<FormValue<'p>> {
        let (k, velocity) = self.target(argument)?;
        let c = &self.coordinates[k];
        if velocity {
            let hint = format!("write contact({})", c.name);
            self.error(
                Code::NotACoordinate,
                "a contact form belongs to a coordinate, not to its velocity",
                hint,
                argument.span,
            );
            return None;
        }
        Some(FormValue {
            form: self.state_space().contact(k),
            dimension: c.dimension.clone(),
            uses: Uses {
                symbols: true,
                state: Some(argument.span),
                velocity: Some(argument.span),
                ..Uses::default()
            },
        })
    }

    fn differentiable(&mut self, v: &FormValue<'p>, e: &'s Expression) -> Option<()> {
        let Some(place) = v.uses.not_smooth() else {
            return Some(());
        };
        self.error(
            Code::NotSmooth,
            format!(
                "`{}` has a kink and no differential there",
                self.text(e.span)
            ),
            "abs, sign, min, max and if may be factors of a form, not stand inside of d( )",
            place,
        );
        None
    }

    fn same_dimension(
        &mut self,
        first: (&FormValue<'p>, &'s Expression),
        other: (&FormValue<'p>, &'s Expression),
    ) -> Option<()> {
        let left = format!("`{}`", self.text(first.1.span));
        let right = format!("`{}`", self.text(other.1.span));
        let place = first.1.span.to(other.1.span);
        self.agree(
            (&first.0.dimension, &left),
            (&other.0.dimension, &right),
            place,
        )
        .then_some(())
    }

    fn mentions_form(&self, e: &Expression) -> bool {
        self.is_form(e)
    }

    fn named_form(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        match &e.kind {
            E::Name(name) => match self.names.get(name).map(|m| m.0) {
                Some(Meaning::Let(d)) => self.defined_form(d, e.span),
                _ => None,
            },
            E::Fold(name, binder, body) if name.text == "sum" => {
                let mut sum: Option<FormValue<'p>> = None;
                self.each(binder, |r, _| {
                    let v = r.form(body)?;
                    sum = Some(match sum.take() {
                        None => v,
                        Some(s) => {
                            if s.form.degree() != v.form.degree() {
                                let message = format!(
                                    "{} and {} cannot be added: their degrees differ",
                                    s.degree(),
                                    v.degree()
                                );
                                let hint = "all terms of a form have one degree";
                                r.refuse(Code::DegreeMismatch, message, hint, body.span);
                                return None;
                            }
                            r.same_dimension((&s, body), (&v, body))?;
                            FormValue {
                                form: s.form.plus(&v.form),
                                uses: s.uses.with(v.uses),
                                dimension: s.dimension,
                            }
                        }
                    });
                    Some(())
                })?;
                // An empty sum is the number 0, which fits every degree.
                let unknown = self.unifier.unknown();
                let zero = self.pool.zero();
                Some(sum.unwrap_or_else(|| {
                    FormValue::function(&self.chart(), zero, unknown, Uses::default())
                }))
            }
            _ => {
                self.error(
                    Code::DegreeMismatch,
                    format!(
                        "`{}` contains a form of degree 1 or more where functions (degree 0) belong",
                        self.text(e.span)
                    ),
                    "forms are made by d( ), contact( ), /\\, sums and multiples",
                    e.span,
                );
                None
            }
        }
    }

    fn refuse(&mut self, code: Code, message: String, hint: &str, span: Span) {
        self.error(code, message, hint, span);
    }
}
