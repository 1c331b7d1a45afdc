//! Lists of declarations: `param m = 1 [kg], k[i in 1..n]`, `coord x [m]`, `let E = …`, `function V(r)`.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::nearest::nearest;
use crate::token::TokenKind;
use crate::tree::{Declaration, Expression, IndexBinder, Name};

/// The manifolds of `coord NAME on MANIFOLD`.
const MANIFOLDS: [&str; 3] = ["sphere", "circle", "rotations"];

impl Cursor<'_> {
    /// Declarations between commas; the names of those that cannot be read are remembered.
    pub(super) fn declarations(
        &mut self,
        item: fn(&mut Self) -> Option<Declaration>,
    ) -> Vec<Declaration> {
        let mut list = Vec::new();
        loop {
            let (from, errors) = (self.position(), self.errors.len());
            match item(self) {
                Some(entry) => list.push(entry),
                None => self.record_lost_names(from, self.position(), true),
            }
            if !self.another(errors, true) {
                return list;
            }
        }
    }

    fn declaration(&mut self, what: &str) -> Option<Declaration> {
        let name = self.name(what)?;
        let span = name.span;
        Some(Declaration {
            name,
            binder: None,
            range: None,
            member: None,
            parameters: None,
            value: None,
            unit: None,
            manifold: None,
            span,
        })
    }

    fn finished(&self, mut d: Declaration) -> Option<Declaration> {
        d.span = d.span.to(self.before());
        Some(d)
    }

    fn value(&mut self) -> Option<Expression> {
        self.expect("=", "a declaration has the form NAME = EXPR")
            .then(|| self.sum())
    }

    pub(super) fn constant(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a constant")?;
        d.value = self.value();
        self.finished(d)
    }

    pub(super) fn parameter(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a parameter")?;
        d.binder = self.family_binder()?;
        if self.take("=") {
            d.value = Some(self.sum());
        }
        d.unit = self.unit();
        self.finished(d)
    }

    /// `u [N] = EXPR`, with the unit on either side of the value, which may be absent.
    pub(super) fn signal(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of an input")?;
        d.binder = self.family_binder()?;
        d.unit = self.unit();
        if self.take("=") {
            d.value = Some(self.sum());
        }
        if d.unit.is_none() {
            d.unit = self.unit();
        }
        self.finished(d)
    }

    /// `[i in 1..n]` touching the name.
    #[allow(clippy::option_option)]
    fn family_binder(&mut self) -> Option<Option<IndexBinder>> {
        let touches = self.token().is_some_and(|t| t.touches);
        if !(self.sees("[") && touches) {
            return Some(None);
        }
        if self
            .peek(2)
            .is_none_or(|t| t.span.text(self.source()) != "in")
        {
            self.no_range("k in 1..n");
            return None;
        }
        self.advance();
        let binder = self.binder()?;
        self.expect("]", "the index range is not closed");
        Some(Some(binder))
    }

    pub(super) fn coordinate(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a coordinate")?;
        if self.sees("[") && self.token().is_some_and(|t| t.touches) {
            let mut ahead = 1;
            while !matches!(
                self.peek(ahead).map(|t| t.kind),
                None | Some(TokenKind::Newline | TokenKind::Mark("]" | ".."))
            ) {
                ahead += 1;
            }
            if self.text_at(ahead) == "]" {
                self.no_range("1..n");
                return None;
            }
            self.advance();
            d.range = Some(self.range()?);
            self.expect("]", "the index range is not closed");
        }
        if self.take_word("on") {
            d.manifold = Some(self.manifold()?);
        }
        d.unit = self.unit();
        self.finished(d)
    }

    /// `sphere` of `coord n on sphere`
    fn manifold(&mut self) -> Option<Name> {
        let name = self.name("sphere, circle or rotations")?;
        if !MANIFOLDS.contains(&name.text.as_str()) {
            let hint = match nearest(&name.text, MANIFOLDS) {
                Some(w) => format!("did you mean `{w}`?"),
                None => "manifolds are sphere, circle and rotations".into(),
            };
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("there is no manifold `{}`", name.text),
                hint,
                name.span,
            );
            return None;
        }
        Some(name)
    }

    /// A bracket that touches a name in a declaration holds no range.
    fn no_range(&mut self, form: &str) {
        let name = self.text_before().to_owned();
        let start = self.here();
        self.skip_to(&["]"]);
        let span = start.to(self.here());
        let inside = span.text(self.source()).to_owned();
        self.error(
            SyntaxCode::ExpectedRange,
            format!("a bracket that touches its name holds an index range, not `{inside}`"),
            format!(
                "write `{name} {inside}`, with a space, for a unit, or `{name}[{form}]` for a family"
            ),
            span,
        );
    }

    pub(super) fn abbreviation(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of an abbreviation")?;
        let ranged = self.peek(2).map(|t| t.span.text(self.source())) == Some("in");
        if self.sees("[") && self.token().is_some_and(|t| t.touches) && !ranged {
            self.advance();
            d.member = Some(self.sum());
            self.expect("]", "the index of the member is not closed");
            d.value = self.value();
            return self.finished(d);
        }
        d.binder = self.family_binder()?;
        if self.sees("(") {
            d.parameters = Some(self.parameters("a function lists its arguments")?);
        }
        d.value = self.value();
        self.finished(d)
    }

    pub(super) fn function(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a function")?;
        d.parameters =
            Some(self.parameters("an undetermined function lists its arguments, function V(r)")?);
        self.finished(d)
    }

    /// `(a, b)`
    pub(super) fn parameters(&mut self, message: &str) -> Option<Vec<Name>> {
        self.expect("(", message).then_some(())?;
        let mut list = vec![self.name("an argument")?];
        while self.take(",") {
            list.push(self.name("an argument")?);
        }
        self.expect(")", "the list of arguments is not closed")
            .then_some(list)
    }
}
