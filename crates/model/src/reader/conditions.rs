//! `if`: one of two values.

use galilei_syntax::{Comparison, Expression, ExpressionKind as E, Name, Span};

use super::Reader;
use crate::code::Code;
use crate::value::Value;

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn condition(
        &mut self,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let [c, then, otherwise] = arguments else {
            let name = Name {
                text: "if".into(),
                span,
            };
            self.count(&name, 3, arguments.len());
            return None;
        };
        let E::Compare(comparison, left, right) = &c.kind else {
            self.error(
                Code::ExpectedComparison,
                format!(
                    "the condition of `if` is a comparison, not `{}`",
                    self.text(c.span)
                ),
                "write if(a < b, …, …) with <, <=, > or >=",
                c.span,
            );
            return None;
        };
        let (a, b) = (self.read(left), self.read(right));
        let (then_value, else_value) = (self.read(then), self.read(otherwise));
        let (a, b, v, w) = (a?, b?, then_value?, else_value?);
        let (x, dx) = self.scalar(&a, left)?;
        let (y, dy) = self.scalar(&b, right)?;
        let (l, r) = (
            format!("`{}`", self.text(left.span)),
            format!("`{}`", self.text(right.span)),
        );
        if !self.agree((&dx, &l), (&dy, &r), c.span) {
            return None;
        }
        if v.len() != w.len() {
            self.error(
                Code::ShapeMismatch,
                "the two values of `if` have different shapes",
                "both must have the same number of components",
                span,
            );
            return None;
        }
        let (l, r) = (
            format!("`{}`", self.text(then.span)),
            format!("`{}`", self.text(otherwise.span)),
        );
        for k in 0..v.len() {
            if !self.agree((&v.dimensions[k], &l), (&w.dimensions[k], &r), span) {
                return None;
            }
        }
        let mut uses = a.uses.with(b.uses).with(v.uses).with(w.uses);
        if a.uses.state.or(b.uses.state).is_some() {
            uses.kink = uses.kink.or(Some(span));
        }
        let parts = v
            .parts
            .iter()
            .zip(&w.parts)
            .map(|(&p, &q)| match comparison {
                Comparison::Less => x.if_less(y, p, q),
                Comparison::LessEqual => x.if_less_equal(y, p, q),
                Comparison::Greater => y.if_less(x, p, q),
                Comparison::GreaterEqual => y.if_less_equal(x, p, q),
            });
        Some(Value {
            parts: parts.collect(),
            dimensions: v.dimensions.clone(),
            tuple: v.tuple,
            uses,
        })
    }
}
