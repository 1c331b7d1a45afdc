//! Virtual displacements of one's own.

use galilei_syntax::{Assignment, Label, Span};

use super::draft::Draft;
use crate::contents::Named;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `variation NAME: x = EXPR, …`: δxⁱ(t, x); missing components are zero.
    pub(super) fn variation<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "variation", label, span);
        let parameter = r.unifier.unknown();
        let components = r.components(list, |r, k, e| {
            let wanted = r.coordinates[k].dimension.div(&parameter);
            r.function_of_position(e, "a variation", &wanted, "this component")
        });
        self.variations.push(Named {
            name: name?,
            components: components?,
            span,
        });
        Some(())
    }
}
