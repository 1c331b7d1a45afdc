//! Trees: the components of a section for JSON.

use galilei_expr::Expr;

use crate::json::Json;

/// The components of a section for JSON.
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

    pub(crate) fn json(&self, next: &mut impl Iterator<Item = Expr<'m>>) -> Json {
        match self {
            Self::One(_) => next
                .next()
                .map_or(Json::Null, |e| Json::text(e.to_string())),
            Self::Many(list) => Json::Object(
                list.iter()
                    .map(|(k, t)| (k.clone(), t.json(next)))
                    .collect(),
            ),
            Self::Words(w) => Json::text(w),
            Self::Null => Json::Null,
        }
    }
}
