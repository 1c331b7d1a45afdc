//! Units as written: `[kg*m/s^2]`.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::span::Span;
use crate::token::TokenKind;

/// A product of powers of unit names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitExpression {
    /// The factors; empty for `[1]`.
    pub factors: Vec<UnitFactor>,
    /// With the brackets.
    pub span: Span,
}

/// A unit name and its exponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitFactor {
    /// The name of the unit.
    pub name: String,
    /// Its exponent.
    pub exponent: i32,
    /// The place of the name.
    pub span: Span,
}

impl Cursor<'_> {
    /// `[unit]`, if there is one.
    pub(crate) fn unit(&mut self) -> Option<UnitExpression> {
        if !self.sees("[") {
            return None;
        }
        let start = self.here();
        self.advance();
        let mut factors = Vec::new();
        self.unit_product(1, &mut factors, 0);
        let end = self.here();
        if !self.take("]") {
            let doubled = self.text_before() == "*" && self.kind() == Some(TokenKind::Number);
            self.error(
                SyntaxCode::MalformedUnit,
                format!(
                    "a unit such as [kg*m/s^2] expected, found {}",
                    self.describe()
                ),
                match doubled {
                    true => "write ^ for a power, as in [m/s^2]",
                    false => "units are products and quotients of names with whole exponents",
                },
                end,
            );
            self.skip_to(&["]"]);
            self.take("]");
        }
        Some(UnitExpression {
            factors,
            span: start.to(self.before()),
        })
    }

    fn unit_product(&mut self, sign: i32, factors: &mut Vec<UnitFactor>, depth: usize) {
        let mut side = sign;
        loop {
            self.unit_factor(side, factors, depth);
            if self.take("*") {
                side = sign;
            } else if self.take("/") {
                side = -sign;
            } else {
                return;
            }
        }
    }

    fn unit_factor(&mut self, sign: i32, factors: &mut Vec<UnitFactor>, depth: usize) {
        let from = factors.len();
        let span = self.here();
        match self.kind() {
            Some(TokenKind::Name) => {
                let name = self.text().to_owned();
                self.advance();
                factors.push(UnitFactor {
                    name,
                    exponent: sign,
                    span,
                });
            }
            Some(TokenKind::Number) if self.text() == "1" => self.advance(),
            Some(TokenKind::Mark("(")) if depth < crate::MAX_NESTING => {
                self.advance();
                self.unit_product(sign, factors, depth + 1);
                self.expect(")", "the parenthesis of a unit is not closed");
            }
            _ => return,
        }
        if self.take("^") {
            let negative = self.take("-");
            let span = self.here();
            let power = match self.kind() {
                Some(TokenKind::Number) => self.text().parse::<i32>().ok().filter(|n| *n <= 99),
                _ => None,
            };
            match power {
                Some(n) => {
                    self.advance();
                    let n = if negative { -n } else { n };
                    for f in &mut factors[from..] {
                        f.exponent = f.exponent.saturating_mul(n);
                    }
                }
                None => self.error(
                    SyntaxCode::MalformedUnit,
                    "the exponent of a unit is a whole number",
                    "write s^2 or s^-1",
                    span,
                ),
            }
        }
    }
}
