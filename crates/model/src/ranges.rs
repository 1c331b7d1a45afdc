//! Numbers that are known to lie between two others: `theta in 0.99..1.01`.

use galilei_expr::Expr;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, nearest, refused};
use crate::model::Model;
use crate::reader::Reader;

/// A name with the ends of its interval, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRange {
    /// The name, such as `theta'` or `k[2]`.
    pub name: String,
    /// The lower end.
    pub low: String,
    /// The upper end.
    pub high: String,
}

/// A list of entries such as `theta in 0.99..1.01, theta'=0`, some of them intervals.
///
/// ```
/// use galilei_model::Ranges;
/// let list = Ranges::of("theta in 0.99..1.01, x' = f(1, 2)");
/// assert_eq!(list.middle, "theta = ((0.99) + (1.01))/2, x' = f(1, 2)");
/// assert_eq!(list.low, "theta = 0.99, x' = f(1, 2)");
/// assert_eq!(list.ranges[0].high, "1.01");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// The entries with the middle of each interval.
    pub middle: String,
    /// The entries with the lower end of each interval.
    pub low: String,
    /// The entries with the upper end of each interval.
    pub high: String,
    /// The intervals.
    pub ranges: Vec<NamedRange>,
}

impl Ranges {
    /// Reads a list. Entries that are no intervals stay as they are.
    pub fn of(text: &str) -> Self {
        let mut out = Self::default();
        let (mut middle, mut low, mut high) = (vec![], vec![], vec![]);
        for entry in entries(text) {
            match range(entry) {
                Some(r) => {
                    middle.push(format!("{} = (({}) + ({}))/2", r.name, r.low, r.high));
                    low.push(format!("{} = {}", r.name, r.low));
                    high.push(format!("{} = {}", r.name, r.high));
                    out.ranges.push(r);
                }
                None => {
                    for list in [&mut middle, &mut low, &mut high] {
                        list.push(entry.trim().to_owned());
                    }
                }
            }
        }
        out.middle = middle.join(", ");
        out.low = low.join(", ");
        out.high = high.join(", ");
        out
    }
}

/// The parts of a text between commas outside of brackets.
fn entries(text: &str) -> Vec<&str> {
    let (mut list, mut depth, mut start) = (vec![], 0i32, 0);
    for (k, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                list.push(&text[start..k]);
                start = k + 1;
            }
            _ => {}
        }
    }
    list.push(&text[start..]);
    list
}

/// `name in low..high`
fn range(entry: &str) -> Option<NamedRange> {
    let (name, rest) = entry.split_once(" in ")?;
    let (low, high) = rest.split_once("..")?;
    let part = |s: &str| s.trim().to_owned();
    Some(NamedRange {
        name: part(name),
        low: part(low),
        high: part(high),
    })
}

impl Model {
    /// The symbol of a parameter, and its ends in SI units, for an interval given in its unit.
    ///
    /// # Errors
    /// Where there is no such parameter, or an end is not a number.
    pub fn parameter_range(
        &self,
        range: &NamedRange,
    ) -> Result<(Expr<'_>, [Expr<'_>; 2]), Vec<Diagnostic>> {
        let parameters = &self.contents().parameters;
        let wrong = |message: String, hint: String| refused(Code::InvalidSetting, message, hint);
        let Some(p) = parameters.iter().find(|p| p.name == range.name) else {
            let names = parameters.iter().map(|p| p.name.as_str());
            let hint = match nearest(&range.name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "only parameters can be intervals".into(),
            };
            return Err(wrong(format!("`{}` is not a parameter", range.name), hint));
        };
        let scale = self.expr(p.scale);
        let end = |text: &str| {
            let line = format!("initial x = {text}");
            let file = galilei_syntax::parse(&line);
            let value = match file.statements.first().map(|s| &s.kind) {
                Some(galilei_syntax::Kind::Initial(list)) if file.errors.is_empty() => {
                    let mut reader = Reader::new(self.pool(), &line);
                    let value = list.first().and_then(|a| reader.read(&a.value));
                    value.filter(|v| !v.uses.symbols)
                }
                _ => None,
            };
            let value = value.and_then(|v| v.only().map(|(x, _)| x));
            value.map(|x| x * scale).ok_or_else(|| {
                wrong(
                    format!("`{text}` is not a number"),
                    format!("write --set \"{} in 1..1.1\"", range.name),
                )
            })
        };
        Ok((self.expr(p.symbol), [end(&range.low)?, end(&range.high)?]))
    }
}
