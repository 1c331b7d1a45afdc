//! Expressions, by precedence: comparisons, sums, wedge products, products, unary minus, powers, primes.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::lexer::WEDGE;
use crate::span::Span;
use crate::token::TokenKind;
use crate::tree::{Comparison, Expression, ExpressionKind as E, IndexBinder, Name, Range};

fn expression(kind: E, span: Span) -> Expression {
    Expression { kind, span }
}

/// A single item itself, several items as a list.
fn joined(
    mut items: Vec<(bool, Expression)>,
    kind: fn(Vec<(bool, Expression)>) -> E,
) -> Expression {
    if items.len() == 1 {
        return items.remove(0).1;
    }
    let span = items[0].1.span.to(items[items.len() - 1].1.span);
    expression(kind(items), span)
}

impl Cursor<'_> {
    /// Parses one nesting level deeper, unless that exceeds [`MAX_NESTING`](crate::MAX_NESTING).
    fn deeper(&mut self, f: impl FnOnce(&mut Self) -> Expression) -> Expression {
        if self.depth > crate::MAX_NESTING {
            let span = self.here();
            if !self
                .errors
                .iter()
                .any(|e| e.code == SyntaxCode::NestingTooDeep)
            {
                let limit = crate::MAX_NESTING;
                self.error(
                    SyntaxCode::NestingTooDeep,
                    format!("expressions are nested more than {limit} levels deep"),
                    "name parts of the expression with `let`",
                    span,
                );
            }
            self.skip_group();
            return expression(E::Missing, span);
        }
        self.depth += 1;
        let e = f(self);
        self.depth -= 1;
        e
    }

    /// `a < b`, `a = b` or a sum: for conditions and claims.
    pub(crate) fn comparison(&mut self) -> Expression {
        let left = self.sum();
        let operator = match self.kind() {
            Some(TokenKind::Mark("<")) => Some(Comparison::Less),
            Some(TokenKind::Mark("<=")) => Some(Comparison::LessEqual),
            Some(TokenKind::Mark(">")) => Some(Comparison::Greater),
            Some(TokenKind::Mark(">=")) => Some(Comparison::GreaterEqual),
            Some(TokenKind::Mark("=")) => None,
            _ => return left,
        };
        self.advance();
        let right = self.sum();
        let span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        match operator {
            Some(c) => expression(E::Compare(c, left, right), span),
            None => expression(E::Equals(left, right), span),
        }
    }

    /// a + b − c
    pub(crate) fn sum(&mut self) -> Expression {
        self.deeper(|cursor| {
            let mut terms = vec![(false, cursor.wedge())];
            loop {
                let subtracted = cursor.sees("-");
                if !subtracted && !cursor.sees("+") {
                    return joined(terms, E::Sum);
                }
                cursor.advance();
                terms.push((subtracted, cursor.wedge()));
            }
        })
    }

    /// a ∧ b, of products
    fn wedge(&mut self) -> Expression {
        let mut factors = vec![self.product()];
        while self.take(WEDGE) {
            factors.push(self.product());
        }
        if factors.len() == 1 {
            return factors.remove(0);
        }
        let span = factors[0].span.to(factors[factors.len() - 1].span);
        expression(E::Wedge(factors), span)
    }

    fn product(&mut self) -> Expression {
        let mut factors = vec![(false, self.unary())];
        loop {
            let divides = self.sees("/");
            if !divides && !self.sees("*") {
                return joined(factors, E::Product);
            }
            self.advance();
            factors.push((divides, self.unary()));
        }
    }

    fn unary(&mut self) -> Expression {
        let start = self.here();
        if self.take("-") {
            return self.deeper(|cursor| {
                let e = cursor.unary();
                let span = start.to(e.span);
                expression(E::Negate(Box::new(e)), span)
            });
        }
        if self.take("+") {
            self.error(
                SyntaxCode::UnexpectedToken,
                "a plus sign has nothing to its left",
                "remove it",
                start,
            );
        }
        self.power()
    }

    /// `^` binds to the right, and its exponent may have a sign: 2^-1.
    fn power(&mut self) -> Expression {
        let base = self.postfix();
        if !self.take("^") {
            return base;
        }
        self.deeper(|cursor| {
            let exponent = cursor.unary();
            let span = base.span.to(exponent.span);
            expression(E::Power(Box::new(base), Box::new(exponent)), span)
        })
    }

    /// Primes and components: `x'`, `r.x`.
    fn postfix(&mut self) -> Expression {
        let mut e = self.atom();
        let mut primes = 0;
        while self.sees("'") && self.token().is_some_and(|t| t.touches) {
            self.advance();
            primes += 1;
        }
        if primes > 0 {
            let span = e.span.to(self.before());
            e = expression(E::Prime(Box::new(e), primes), span);
        }
        if self.take(".") {
            let Some(name) = self.name("a component x, y or z") else {
                return e;
            };
            let span = e.span.to(name.span);
            e = expression(E::Component(Box::new(e), name), span);
        }
        e
    }

    fn atom(&mut self) -> Expression {
        let span = self.here();
        match self.kind() {
            Some(TokenKind::Number) => {
                let text = self.text().to_owned();
                self.advance();
                expression(E::Number(text), span)
            }
            Some(TokenKind::Name) => self.named(),
            Some(TokenKind::Mark("(")) => self.parenthesised(),
            _ => {
                let found = self.describe();
                let doubled = self.token().is_some_and(|t| t.touches);
                let hint = match (self.text_before(), self.text()) {
                    ("*", "*") if doubled => "write ^ for a power",
                    ("/", "/") if doubled => "a comment starts with #",
                    ("=", "=") if doubled => "write a single =",
                    _ => "write a number, a name, a call or something in parentheses",
                };
                self.error(
                    SyntaxCode::ExpectedExpression,
                    format!("an expression is missing here, before {found}"),
                    hint,
                    span,
                );
                expression(
                    E::Missing,
                    Span {
                        start: span.start,
                        end: span.start,
                    },
                )
            }
        }
    }

    fn parenthesised(&mut self) -> Expression {
        let start = self.here();
        self.advance();
        let mut items = vec![self.sum()];
        let mut tuple = false;
        while self.take(",") {
            tuple = true;
            if self.sees(")") {
                break;
            }
            items.push(self.sum());
        }
        if !self.expect(")", "the parenthesis is not closed") {
            self.skip_to(&[")"]);
            self.take(")");
        }
        let span = start.to(self.before());
        if tuple {
            return expression(E::Tuple(items), span);
        }
        let inner = items.remove(0);
        expression(inner.kind, span)
    }

    /// A name, an indexed name, a call, or a sum over a family.
    fn named(&mut self) -> Expression {
        let name = Name {
            text: self.text().to_owned(),
            span: self.here(),
        };
        self.advance();
        let mut index = Vec::new();
        // A bracket that touches its name is an index; one after white space is a unit.
        if self.sees("[") && self.token().is_some_and(|t| t.touches) {
            self.advance();
            index.push(self.sum());
            while self.take(",") {
                index.push(self.sum());
            }
            self.expect("]", "the index is not closed");
        }
        if !self.sees("(") {
            let span = name.span.to(self.before());
            let kind = if index.is_empty() {
                E::Name(name.text)
            } else {
                E::Index(name, index)
            };
            return expression(kind, span);
        }
        self.advance();
        let family = matches!(name.text.as_str(), "sum" | "product")
            && self.kind() == Some(TokenKind::Name)
            && self.text_at(1) == "in";
        if family {
            return self.fold(name);
        }
        if matches!(name.text.as_str(), "sum" | "product")
            && (self.text_at(1) == "=" || self.text_at(1) == "..")
        {
            let span = self.here().to(self.peek(1).map_or(self.here(), |t| t.span));
            self.error(
                SyntaxCode::ExpectedToken,
                format!("a {} over a family runs over an index", name.text),
                format!("write {}(k in 1..n: e)", name.text),
                span,
            );
            self.skip_to(&[]);
            return expression(E::Missing, name.span);
        }
        let mut arguments = Vec::new();
        if !self.sees(")") {
            arguments.push(self.comparison());
            while self.take(",") {
                arguments.push(self.comparison());
            }
        }
        if !self.expect(")", "the call is not closed") {
            self.skip_to(&[")"]);
            self.take(")");
        }
        let span = name.span.to(self.before());
        expression(E::Call(name, index, arguments), span)
    }

    fn fold(&mut self, name: Name) -> Expression {
        let Some(binder) = self.binder() else {
            self.skip_to(&[")"]);
            self.take(")");
            return expression(E::Missing, name.span);
        };
        self.expect(":", "a sum over a family has the form sum(k in 1..n: e)");
        let body = self.sum();
        if !self.expect(")", "the sum is not closed") {
            self.skip_to(&[")"]);
            self.take(")");
        }
        let span = name.span.to(self.before());
        expression(E::Fold(name, Box::new(binder), Box::new(body)), span)
    }

    /// `k in 1..n`
    pub(crate) fn binder(&mut self) -> Option<IndexBinder> {
        let variable = self.name("an index")?;
        if !self.take_word("in") {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedToken,
                format!("a range has the form k in 1..n; expected `in`, found {found}"),
                "write `in` and a range",
                self.here(),
            );
            return None;
        }
        let range = self.range()?;
        Some(IndexBinder { variable, range })
    }

    /// `lo..hi`
    pub(crate) fn range(&mut self) -> Option<Range> {
        let low = self.sum();
        if !self.expect("..", "a range has the form 1..n") {
            return None;
        }
        let high = self.sum();
        Some(Range { low, high })
    }
}
