//! A cache of short forms of expressions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use galilei_expr::{Assumptions, Expr, ExprId, Reading};

/// An expression and the symbols by which its terms are collected.
type Asked = (ExprId, Vec<ExprId>);

/// The short forms found so far. Momenta, accelerations and Hamilton's equations occur in several sections;
/// a form depends on the expression alone, not on the section that needs it first.
pub(crate) struct Presented<'m> {
    assumptions: Assumptions<'m>,
    forms: Mutex<HashMap<Asked, Expr<'m>>>,
}

impl<'m> Presented<'m> {
    /// An empty cache; its forms will be equal where the assumptions hold.
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
