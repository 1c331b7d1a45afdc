//! Shapes: the forms that a formula around expressions may have.

use galilei_expr::{Expr, Layout, Sign};

/// The form of a formula around expressions.
pub(crate) enum Shape<'m> {
    /// left = expr
    Equal(Layout, Expr<'m>),
    /// expr = 0
    Zero(Expr<'m>),
    /// left = Σ cₖ·basisₖ
    Combination(Layout, Vec<(Expr<'m>, Layout)>),
    /// left = matrix
    Matrix(Layout, Vec<Vec<Expr<'m>>>),
    /// Expressions inside a formula of any other form.
    Framed(Vec<Expr<'m>>, Frame),
}

/// Draws a formula around some expressions.
pub(crate) type Frame = Box<dyn Fn(Vec<Layout>) -> Layout + Send + Sync>;

impl<'m> Shape<'m> {
    /// Expressions inside a formula.
    pub(crate) fn framed(
        parts: Vec<Expr<'m>>,
        frame: impl Fn(Vec<Layout>) -> Layout + Send + Sync + 'static,
    ) -> Self {
        Self::Framed(parts, Box::new(frame))
    }

    pub(crate) fn collect(&self, out: &mut Vec<Expr<'m>>) {
        match self {
            Self::Equal(_, e) | Self::Zero(e) => out.push(*e),
            Self::Combination(_, terms) => out.extend(terms.iter().map(|t| t.0)),
            Self::Matrix(_, rows) => out.extend(rows.iter().flatten()),
            Self::Framed(parts, _) => out.extend(parts),
        }
    }

    pub(crate) fn layout(
        &self,
        next: &mut impl Iterator<Item = Expr<'m>>,
        draw: &impl Fn(Expr<'m>) -> Layout,
    ) -> Layout {
        let mut one = || next.next().map_or(Layout::Number("0".into()), draw);
        match self {
            Self::Equal(left, _) => left.clone().equals(one()),
            Self::Zero(_) => one().related(Sign::Equal, Layout::Number("0".into())),
            Self::Combination(left, terms) => {
                let list: Vec<(Layout, Layout)> = terms
                    .iter()
                    .map(|(_, basis)| (one(), basis.clone()))
                    .collect();
                left.clone().equals(Layout::combination(list))
            }
            Self::Matrix(left, rows) => {
                let rows = rows
                    .iter()
                    .map(|row| row.iter().map(|_| one()).collect())
                    .collect();
                left.clone().equals(Layout::Matrix(rows))
            }
            Self::Framed(parts, frame) => frame(parts.iter().map(|_| one()).collect()),
        }
    }
}
