//! Expressions in the form a person wants to read, each brought into it once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use galilei_expr::{Assumptions, Expr, ExprId, Reading};

/// An expression and what its terms are collected by.
type Asked = (ExprId, Vec<ExprId>);

/// What was presented so far. Momenta, accelerations and Hamilton's equations occur in several sections;
/// the form depends on the expression alone, so it does not matter which of them came first.
pub(crate) struct Presented<'m> {
    assumptions: Assumptions<'m>,
    forms: Mutex<HashMap<Asked, Expr<'m>>>,
}

impl<'m> Presented<'m> {
    /// Nothing yet; forms will be equal where the assumptions hold.
    pub(crate) fn new(assumptions: &Assumptions<'m>) -> Self {
        Self {
            assumptions: assumptions.clone(),
            forms: Mutex::default(),
        }
    }

    /// [`Expr::present`], collected by powers of some symbols.
    pub(crate) fn form(&self, e: Expr<'m>, collected: &[Expr<'m>]) -> Expr<'m> {
        let asked = (e.id(), collected.iter().map(|s| s.id()).collect());
        let known = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&form) = known.get(&asked) {
            return form;
        }
        drop(known);
        let reading = Reading::new()
            .collecting(collected.iter().copied())
            .assuming(&self.assumptions);
        let form = e.present(&reading);
        let mut known = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(asked, form);
        form
    }
}
