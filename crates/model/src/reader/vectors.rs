//! Tuples as vectors: dot and cross product, norm, derivative along the motion.

use galilei_expr::{Expr, Rational};
use galilei_syntax::Span;

use super::Reader;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::Value;

impl<'p, 's> Reader<'p, 's> {
    /// ∂e/∂t + u·∂e/∂x
    pub(crate) fn total_derivative(&mut self, v: &Value<'p>, span: Span) -> Option<Value<'p>> {
        if let Some(place) = v.uses.velocity {
            self.error(
                Code::VelocityNotAllowed,
                "D of something with velocities would need accelerations",
                "D takes functions of t and positions",
                place,
            );
            return None;
        }
        let mut rates = vec![(self.time, self.pool.one())];
        rates.extend(self.coordinates.iter().map(|c| (c.position, c.velocity)));
        let parts = v.parts.iter().map(|x| x.derivative_along(&rates)).collect();
        let dimensions = v.dimensions.iter().map(|d| self.rate(d)).collect();
        let mut uses = v.uses;
        uses.symbols = true;
        uses.velocity = v.uses.state.map(|_| span);
        Some(Value {
            parts,
            dimensions,
            tuple: v.tuple,
            uses,
        })
    }

    pub(crate) fn same_size(&mut self, a: &Value<'p>, b: &Value<'p>, span: Span) -> Option<()> {
        if a.len() == b.len() {
            return Some(());
        }
        self.error(
            Code::ShapeMismatch,
            format!("{} and {} do not fit together", a.shape(), b.shape()),
            "both must have the same number of components",
            span,
        );
        None
    }

    pub(super) fn pairing(
        &mut self,
        which: &str,
        a: &Value<'p>,
        b: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        self.same_size(a, b, span)?;
        let uses = a.uses.with(b.uses);
        let product = |i: usize, j: usize| {
            (
                a.parts[i] * b.parts[j],
                a.dimensions[i].mul(&b.dimensions[j]),
            )
        };
        let n = a.len();
        if which == "dot" {
            let terms: Vec<(Expr<'p>, Dimension)> = (0..n).map(|i| product(i, i)).collect();
            self.alike(&terms, span)?;
            let e = self.pool.sum(terms.iter().map(|t| t.0));
            return Some(Value::scalar(e, terms[0].1.clone(), uses));
        }
        let pairs: &[(usize, usize)] = match n {
            2 => &[(0, 1)],
            3 => &[(1, 2), (2, 0), (0, 1)],
            _ => {
                self.error(
                    Code::ShapeMismatch,
                    format!("cross takes tuples of two or three, not of {n}"),
                    "in the plane cross(a, b) is the scalar a.x*b.y - a.y*b.x",
                    span,
                );
                return None;
            }
        };
        let mut parts = Vec::new();
        let mut dimensions = Vec::new();
        for &(i, j) in pairs {
            let terms = [product(i, j), product(j, i)];
            self.alike(&terms, span)?;
            parts.push(terms[0].0 - terms[1].0);
            dimensions.push(terms[0].1.clone());
        }
        Some(Value {
            tuple: n == 3,
            parts,
            dimensions,
            uses,
        })
    }

    fn alike(&mut self, terms: &[(Expr<'p>, Dimension)], span: Span) -> Option<()> {
        for t in &terms[1..] {
            if !self.agree((&terms[0].1, "one component"), (&t.1, "another"), span) {
                return None;
            }
        }
        Some(())
    }

    /// ‖v‖
    pub(crate) fn norm(&mut self, v: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let square = self.pairing("dot", v, v, span)?;
        let half = Rational::new(1, 2);
        let d = square.dimensions[0].pow(&half);
        let mut out = Value::scalar(square.parts[0].sqrt(), d, v.uses);
        if v.len() == 1 && v.uses.state.is_some() {
            // The norm of a scalar is its absolute value.
            out.uses.kink = out.uses.kink.or(Some(span));
        }
        Some(out)
    }
}
