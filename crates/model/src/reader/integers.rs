//! Integers known while the file is read: constants, indices, ranges.

use galilei_syntax::{Expression, IndexBinder, Range};

use super::Reader;
use crate::code::Code;
use crate::value::Value;

/// Members of one family, values of one range.
const MAX_FAMILY: i64 = 10_000;

impl<'p, 's> Reader<'p, 's> {
    /// The value of an index or a constant.
    pub(crate) fn integer(&mut self, e: &'s Expression, what: &str) -> Option<i64> {
        let outer = std::mem::replace(&mut self.whole, true);
        let v = self.read(e);
        self.whole = outer;
        let v = v?;
        let n = v
            .only()
            .and_then(|(x, _)| x.as_rational())
            .and_then(|q| q.to_i64());
        if n.is_none() || v.uses.symbols {
            self.error(
                Code::NotAnInteger,
                format!(
                    "{what} must be an integer known while the file is read, not `{}`",
                    self.text(e.span)
                ),
                "ranges and indices are made of whole numbers, other indices and constants, `const n = 3`",
                e.span,
            );
            return None;
        }
        n
    }

    pub(crate) fn range(&mut self, r: &'s Range) -> Option<(i64, i64)> {
        let low = self.integer(&r.low, "the start of a range")?;
        let high = self.integer(&r.high, "the end of a range")?;
        let count = high.checked_sub(low).and_then(|c| c.checked_add(1));
        if count.is_none_or(|c| c > MAX_FAMILY) {
            self.error(
                Code::FamilyTooLarge,
                format!("the range {low}..{high} has more than {MAX_FAMILY} members"),
                "split the model or make the range smaller",
                r.low.span.to(r.high.span),
            );
            return None;
        }
        Some((low, high))
    }

    /// Runs for each value of an index.
    pub(crate) fn each(
        &mut self,
        binder: &'s IndexBinder,
        mut f: impl FnMut(&mut Self, i64) -> Option<()>,
    ) -> Option<()> {
        let (low, high) = self.range(&binder.range)?;
        self.check_local(&binder.variable);
        for k in low..=high {
            let value = Value::number(self.pool.number(k));
            self.locals.push((binder.variable.text.clone(), value));
            let done = f(self, k);
            self.locals.pop();
            done?;
        }
        Some(())
    }
}
