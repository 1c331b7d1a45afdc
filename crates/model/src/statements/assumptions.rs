//! Assumptions: inequalities taken for granted.

use galilei_syntax::{Comparison, Expression, ExpressionKind as E};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::Assumed;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    pub(super) fn assume<'s>(&mut self, r: &mut Reader<'p, 's>, e: &'s Expression) -> Option<()> {
        let E::Compare(comparison, left, right) = &e.kind else {
            r.error(
                Code::ExpectedComparison,
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
                    Code::WeakAssumption,
                    "an assumption is strict: what is proved holds away from the edge",
                    "write > or < instead",
                    e.span,
                );
                return None;
            }
        };
        if positive.as_rational().is_some_and(|q| q.signum() <= 0) {
            r.error(
                Code::AssumptionViolated,
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
}
