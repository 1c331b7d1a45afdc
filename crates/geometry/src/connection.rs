//! Ehresmann connections, given by a projector, and their curvature.

use std::fmt;

use galilei_expr::Verdict;

use crate::endomorphism::Endomorphism;
use crate::vector::VectorField;
use crate::vector_form::VectorForm;

/// A splitting of the tangent bundle, given by the projector onto the vertical part.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection<'p> {
    vertical: Endomorphism<'p>,
}

/// The error for a tensor that is not shown to be its own square, with the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct NotAProjector(pub Verdict);

impl fmt::Display for NotAProjector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tensor is not a projector, P² ≠ P: {}", self.0)
    }
}
impl std::error::Error for NotAProjector {}

impl<'p> Connection<'p> {
    /// The connection with this vertical projector; P² = P is decided.
    pub fn from_vertical_projector(p: Endomorphism<'p>) -> Result<Self, NotAProjector> {
        let verdict = p.compose(&p).decide_equal(&p);
        if verdict.is_proved() {
            Ok(Self { vertical: p })
        } else {
            Err(NotAProjector(verdict))
        }
    }

    /// P_V
    pub fn vertical(&self) -> &Endomorphism<'p> {
        &self.vertical
    }

    /// P_H = 1 − P_V
    pub fn horizontal(&self) -> Endomorphism<'p> {
        Endomorphism::identity(self.vertical.chart()).minus(&self.vertical)
    }

    /// R(X, Y) = P_V\[P_H X, P_H Y\]: zero exactly if horizontal fields close under brackets.
    pub fn curvature(&self) -> VectorForm<'p> {
        let chart = self.vertical.chart();
        let horizontal = self.horizontal();
        let lifts: Vec<VectorField<'p>> = (0..chart.dimension())
            .map(|i| horizontal.on_vector(&chart.partial(i)))
            .collect();
        VectorForm::two_form(chart, |i, j| {
            self.vertical.on_vector(&lifts[i].bracket(&lifts[j]))
        })
    }
}
