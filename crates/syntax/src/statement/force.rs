//! Statements of forces and reactions, and those that begin with two words: `action form`, `vector potential`.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::token::TokenKind;
use crate::tree::{Assignment, Expression, ForceBody, Kind, ReactionBody};

impl Cursor<'_> {
    pub(super) fn force(&mut self) -> ForceBody {
        if self.sees_word("torque") && self.is_torque() {
            self.advance();
            let torque = self.sum();
            if !self.take_word("on") {
                self.expected(
                    SyntaxCode::ExpectedKeyword,
                    "`on`",
                    "a torque has the form `torque (a, b, c) on BODY`",
                );
                return self.without_place(torque);
            }
            let Some(body) = self.reference("a body") else {
                return self.without_place(torque);
            };
            return ForceBody::Torque { torque, body };
        }
        if self.is_form() {
            self.advance();
            return ForceBody::Form(self.sum());
        }
        let first = self.sum();
        if self.take_word("at") {
            let point = self.sum();
            return ForceBody::At {
                force: first,
                point,
            };
        }
        if !self.take("=") {
            let found = self.describe();
            let hint = match self.text() {
                product @ ("cross" | "dot") => format!("write {product}(a, b)"),
                _ => "write `force NAME: x = EXPR` or `force NAME: (Fx, Fy) at (px, py)`".into(),
            };
            self.error(
                SyntaxCode::ExpectedToken,
                format!("a force gives components, `x = …`, or acts `at` a point; found {found}"),
                hint,
                self.here(),
            );
            return self.without_place(first);
        }
        let value = self.sum();
        let mut components = vec![Assignment {
            target: first,
            value,
        }];
        if self.take(",") {
            components.extend(self.assignments());
        }
        ForceBody::Components(components)
    }

    /// `ideal`, `connection`, or the components of a covector; a coordinate of that name stands before `=`.
    pub(super) fn reaction(&mut self) -> ReactionBody {
        let entry = matches!(
            self.peek(1).map(|t| t.kind),
            Some(TokenKind::Mark("=" | "[" | "'"))
        );
        if !entry && self.take_word("ideal") {
            return ReactionBody::Ideal;
        }
        if !entry && self.take_word("connection") {
            return ReactionBody::Connection;
        }
        ReactionBody::Along(self.assignments())
    }

    /// A force of which only the expression could be read.
    fn without_place(&self, force: Expression) -> ForceBody {
        let point = self.missing();
        ForceBody::At { force, point }
    }

    /// Whether the word `torque` here starts `torque M on BODY`; otherwise it names a value.
    fn is_torque(&self) -> bool {
        let next = self.peek(1);
        let marked = |m: &str| matches!(next.map(|t| t.kind), Some(TokenKind::Mark(k)) if k == m);
        if marked("=") || marked("'") || (marked("[") && next.is_some_and(|t| t.touches)) {
            return false;
        }
        let mut at = false;
        for k in 1.. {
            match self.peek(k).map(|t| t.kind) {
                None | Some(TokenKind::Newline | TokenKind::Mark(";" | "}")) => break,
                Some(TokenKind::Name) if self.text_at(k) == "on" => return true,
                Some(TokenKind::Name) => at |= self.text_at(k) == "at",
                Some(_) => {}
            }
        }
        !at
    }

    /// Whether the word `form` here starts `form FORM`; otherwise it names a value, in an equation, an entry or a
    /// force at a point.
    pub(super) fn is_form(&self) -> bool {
        if !self.sees_word("form") {
            return false;
        }
        for k in 1.. {
            match self.peek(k).map(|t| t.kind) {
                None | Some(TokenKind::Newline | TokenKind::Mark(";" | "}")) => return k > 1,
                Some(TokenKind::Mark("=")) => return false,
                Some(TokenKind::Name) if self.text_at(k) == "at" => return false,
                Some(_) => {}
            }
        }
        false
    }

    /// `action form: FORM`
    pub(super) fn action_form(&mut self) -> Option<Kind> {
        if !self.take_word("form") {
            self.expected(
                SyntaxCode::ExpectedKeyword,
                "`action form`",
                "write action form: FORM, with d( ), contact( ) and /\\",
            );
            return None;
        }
        let label = self.label()?;
        Some(Kind::ActionForm {
            label,
            form: self.sum(),
        })
    }

    pub(super) fn vector_potential(&mut self) -> Option<Kind> {
        if !self.take_word("potential") {
            self.expected(
                SyntaxCode::ExpectedKeyword,
                "`vector potential`",
                "write vector potential NAME: x = EXPR, …",
            );
            return None;
        }
        let label = self.label()?;
        Some(Kind::VectorPotential {
            label,
            components: self.assignments(),
        })
    }
}
