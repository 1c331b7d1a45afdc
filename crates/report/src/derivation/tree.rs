//! Trees: components of a section as expressions.

use galilei_expr::Expr;

use crate::document::Component;

/// Components of a section as expressions.
pub(crate) enum Tree<'m> {
    One(Expr<'m>),
    Words(String),
    Null,
    Many(Vec<(String, Tree<'m>)>),
}

impl<'m> Tree<'m> {
    pub(crate) fn collect(&self, out: &mut Vec<Expr<'m>>) {
        match self {
            Self::One(e) => out.push(*e),
            Self::Many(list) => list.iter().for_each(|(_, t)| t.collect(out)),
            Self::Words(_) | Self::Null => {}
        }
    }

    /// The components with expressions taken in order from others, which have abbreviations.
    pub(crate) fn component(&self, next: &mut impl Iterator<Item = Expr<'m>>) -> Component {
        match self {
            Self::One(_) => match next.next() {
                Some(e) => Component::Text(e.to_string()),
                None => Component::Null,
            },
            Self::Many(list) => {
                let entries = list.iter().map(|(k, t)| (k.clone(), t.component(next)));
                Component::Many(entries.collect())
            }
            Self::Words(w) => Component::Text(w.clone()),
            Self::Null => Component::Null,
        }
    }
}
