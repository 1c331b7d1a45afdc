//! Statements of contact: unilateral constraints, Coulomb friction, jumps of velocities.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::hint::form_with;
use crate::span::Span;
use crate::tree::{Comparison, Expression, ExpressionKind, Kind, Label};

impl Cursor<'_> {
    /// `GAP >= 0 restitution E friction MU along (T…)`: the clauses in any order, each at most once.
    pub(crate) fn contact(&mut self, label: Option<Label>) -> Kind {
        let claim = self.comparison();
        let (gap, bound) = match claim.kind {
            ExpressionKind::Compare(Comparison::GreaterEqual, a, b) => (*a, *b),
            ExpressionKind::Compare(Comparison::LessEqual, a, b) => (*b, *a),
            _ => {
                if !self.has_error() {
                    let span = claim.span;
                    self.statement_form("a contact is an inequality", span);
                }
                (claim, self.missing())
            }
        };
        let words = ["restitution", "friction", "along"];
        let [restitution, friction, along] = self.clauses(words);
        Kind::Contact {
            label,
            gap,
            bound,
            restitution,
            friction,
            along,
        }
    }

    /// `limit F static F0 along V`: the clauses in any order.
    pub(crate) fn friction(&mut self, label: Option<Label>) -> Kind {
        let start = self.here();
        let words = ["limit", "static", "along"];
        if !words.contains(&self.text()) && self.rest_of_entry().contains('=') {
            self.error(
                SyntaxCode::ExpectedKeyword,
                "`friction` is Coulomb's, given by its limit, and has no equation",
                "a force that depends on the velocity is `force NAME: x = -c*x'`; dry friction has the form `friction NAME: limit F along V`",
                start,
            );
            self.skip_to(&[]);
        }
        let [limit, sticking, along] = self.clauses(words);
        for (clause, word) in [(&limit, "limit"), (&along, "along")] {
            if clause.is_none() && !self.has_error() {
                let message = format!("the friction element has no `{word}`");
                self.statement_form(&message, start);
            }
        }
        Kind::Friction {
            label,
            limit: limit.unwrap_or_else(|| self.missing()),
            sticking,
            along: along.unwrap_or_else(|| self.missing()),
        }
    }

    /// `EVENT x' = EXPR, …`
    pub(crate) fn impact(&mut self, label: Option<Label>) -> Option<Kind> {
        let event = self.reference("an event")?;
        Some(Kind::Impact {
            label,
            event,
            equations: self.assignments(),
        })
    }

    /// Clauses that each begin with a word, in any order.
    fn clauses<const N: usize>(&mut self, words: [&str; N]) -> [Option<Expression>; N] {
        let mut found = [const { None }; N];
        while let Some(k) = words.iter().position(|w| self.sees_word(w)) {
            let span = self.here();
            self.advance();
            let value = self.sum();
            if found[k].replace(value).is_some() {
                let message = format!("`{}` is given twice", words[k]);
                self.statement_form(&message, span);
            }
        }
        if !self.at_statement_end() && !self.has_error() {
            let found = self.describe();
            let message = format!("{found} does not continue the statement");
            let span = self.here();
            self.statement_form(&message, span);
        }
        found
    }

    /// Reports that a statement has another form.
    fn statement_form(&mut self, message: &str, span: Span) {
        let hint = form_with(self.statement_word, "").unwrap_or_default();
        self.error(SyntaxCode::ExpectedKeyword, message, hint, span);
    }
}
