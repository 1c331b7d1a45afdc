//! Expressions: the value of each kind.

use galilei_expr::{Expr, Rational};
use galilei_syntax::{Expression, ExpressionKind as E, Span, SyntaxCode};

use super::Reader;
use crate::code::Code;
use crate::culprit::Written;
use crate::dimension::Dimension;
use crate::value::{Uses, Value};

/// Steps that reading a file may take before it is refused.
const MAX_STEPS: usize = 4_000_000;
/// Definitions and expressions that may be open at once.
const MAX_DEPTH: usize = 12_000;
/// Expressions that are remembered with their places, so that a model with large families stays small.
const MAX_WRITTEN: usize = 10_000;
/// Nodes of the pool.
const MAX_NODES: usize = 20_000_000;

impl<'p, 's> Reader<'p, 's> {
    /// The value of an expression; `None` for an error, which has been reported.
    pub(crate) fn read(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        self.steps += 1;
        let large = self.steps > MAX_STEPS
            || (self.steps.is_multiple_of(1024) && self.pool.len() > MAX_NODES);
        if large || self.depth > MAX_DEPTH {
            if !self.exhausted {
                self.exhausted = true;
                if large {
                    self.error(
                        Code::ModelTooLarge,
                        format!("reading this model takes more than {MAX_STEPS} steps"),
                        "make families smaller, or share parts with `let`",
                        e.span,
                    );
                } else {
                    self.error(
                        SyntaxCode::NestingTooDeep,
                        format!("definitions refer to definitions more than {MAX_DEPTH} deep"),
                        "shorten the chain of `let`s",
                        e.span,
                    );
                }
            }
            return None;
        }
        if self.exhausted {
            return None;
        }
        self.depth += 1;
        let v = self.read_kind(e);
        self.depth -= 1;
        let v = v?;
        if v.parts.iter().any(|x| x.is_undefined()) {
            self.error(
                Code::UndefinedValue,
                format!("`{}` is defined nowhere", self.text(e.span)),
                "a division by zero, or a root or logarithm of a negative number",
                e.span,
            );
            return None;
        }
        self.keep_written(e, &v);
        Some(v)
    }

    /// Remembers an expression that may be undefined at some states.
    fn keep_written(&mut self, e: &Expression, v: &Value<'p>) {
        let partial = match &e.kind {
            E::Product(factors) => factors.iter().any(|f| f.0),
            E::Power(..) | E::Call(..) => true,
            _ => false,
        };
        if partial && v.uses.state.is_some() && self.written.len() < MAX_WRITTEN {
            self.written.push(Written {
                values: v.parts.clone(),
                span: self.bare(e.span),
            });
        }
    }

    fn read_kind(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        match &e.kind {
            E::Missing => None,
            E::Number(text) => match text.parse::<Rational>() {
                Ok(q) => {
                    let zero = q.is_zero();
                    let mut v = Value::number(self.pool.number(q));
                    if zero {
                        v.dimensions[0] = self.unifier.unknown();
                    }
                    Some(v)
                }
                Err(_) => {
                    self.error(
                        Code::NumberTooLarge,
                        "this number is out of range",
                        "exponents may reach ±10000",
                        e.span,
                    );
                    None
                }
            },
            E::Name(name) => {
                let span = self.bare(e.span);
                self.name(name, span)
            }
            E::Index(name, index) => {
                let span = self.bare(e.span);
                self.indexed(name, index, span)
            }
            E::Prime(inner, primes) => self.velocity_of(inner, *primes, e.span),
            E::Negate(inner) => {
                let mut v = self.read(inner)?;
                v.parts.iter_mut().for_each(|x| *x = -*x);
                Some(v)
            }
            E::Sum(terms) => self.sum(terms, e.span),
            E::Product(factors) => self.product(factors, e.span),
            E::Power(base, exponent) => self.power(base, exponent, e.span),
            E::Wedge(_) => {
                self.no_scalar(e.span, "a wedge product is a differential form");
                None
            }
            E::Compare(..) | E::Equals(..) => {
                self.error(
                    Code::UnexpectedComparison,
                    "a comparison has no value",
                    "comparisons are allowed in `if(c, a, b)` and in `assume`",
                    e.span,
                );
                None
            }
            E::Tuple(items) => {
                let mut parts = Vec::new();
                let mut dimensions = Vec::new();
                let mut uses = Uses::default();
                for item in items {
                    let v = self.read(item)?;
                    let (x, d) = self.scalar(&v, item)?;
                    parts.push(x);
                    dimensions.push(d);
                    uses = uses.with(v.uses);
                }
                Some(Value {
                    parts,
                    dimensions,
                    tuple: true,
                    uses,
                })
            }
            E::Component(inner, name) => {
                let v = self.read(inner)?;
                let k = match name.text.as_str() {
                    "x" => Some(0),
                    "y" => Some(1),
                    "z" => Some(2),
                    _ => None,
                };
                match k.filter(|k| *k < v.len()) {
                    Some(k) => Some(Value::scalar(v.parts[k], v.dimensions[k].clone(), v.uses)),
                    None => {
                        self.error(
                            Code::NoSuchComponent,
                            format!(
                                "`{}` is {} and has no component `.{}`",
                                self.text(inner.span),
                                v.shape(),
                                name.text
                            ),
                            "tuples have .x, .y and .z, as many as components",
                            name.span,
                        );
                        None
                    }
                }
            }
            E::Fold(name, binder, body) => self.fold(name, binder, body, e.span),
            E::Call(name, index, arguments) => self.call(name, index, arguments, e.span),
        }
    }

    /// Reports a differential form where a number or a tuple is needed.
    pub(super) fn no_scalar(&mut self, span: Span, what: &str) {
        self.error(
            Code::DegreeMismatch,
            format!("{what}; a function (degree 0) is needed here, not a form of degree 1 or more"),
            "forms stand in `action form: FORM`, `force NAME: form FORM` and `constraint NAME: form FORM`",
            span,
        );
    }

    /// A scalar, or a one-component tuple.
    pub(crate) fn scalar(
        &mut self,
        v: &Value<'p>,
        e: &Expression,
    ) -> Option<(Expr<'p>, Dimension)> {
        match v.only() {
            Some((x, d)) => Some((x, d.clone())),
            None => {
                self.error(
                    Code::ShapeMismatch,
                    format!(
                        "a scalar is needed here; `{}` is {}",
                        self.text(e.span),
                        v.shape()
                    ),
                    "take a component with .x, .y, .z, or use dot, norm or cross",
                    e.span,
                );
                None
            }
        }
    }

    fn velocity_of(&mut self, inner: &'s Expression, primes: u32, span: Span) -> Option<Value<'p>> {
        if primes > 2 || primes == 2 && !self.allows_accelerations {
            self.error(
                Code::SecondDerivative,
                match primes {
                    2 => "accelerations are computed; only a constraint can restrict them",
                    _ => "a model cannot contain derivatives of accelerations",
                },
                "a force may depend on t, positions and velocities, a constraint on x'' too",
                span,
            );
            return None;
        }
        if let Some(k) = self.manifold_named(inner) {
            return self.point_rate(k?, primes, span);
        }
        let v = self.read(inner)?;
        let found = v
            .only()
            .and_then(|(x, _)| self.coordinates.iter().position(|c| c.position == x));
        let direct = matches!(inner.kind, E::Name(_) | E::Index(..));
        let Some(k) = found.filter(|_| direct) else {
            self.error(
                Code::NotACoordinate,
                format!(
                    "only a coordinate has a velocity; `{}` is none",
                    self.text(inner.span)
                ),
                format!(
                    "write D({}) for its total time derivative",
                    self.text(inner.span)
                ),
                span,
            );
            return None;
        };
        let c = &self.coordinates[k];
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        if primes == 2 {
            let symbol = self.pool.symbol(&format!("{}''", c.position));
            let dimension = self.rate(&self.rate(&c.dimension));
            let uses = Uses {
                acceleration: Some(span),
                ..uses
            };
            return Some(Value::scalar(symbol, dimension, uses));
        }
        Some(Value::scalar(c.velocity, self.rate(&c.dimension), uses))
    }
}
