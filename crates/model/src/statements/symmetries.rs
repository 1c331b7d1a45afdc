//! Symmetries: fields along which nothing should change.

use galilei_syntax::{Assignment, Label, Span};

use super::charts::is_time;
use super::draft::Draft;
use crate::code::Code;
use crate::contents::Symmetry;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    /// `symmetry NAME: x = EXPR, t = 1`: a field for Noether's theorem; missing components are zero.
    pub(super) fn symmetry<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "symmetry", label, span);
        let mut time = false;
        let mut seen_time = false;
        let step = r.unifier.unknown();
        let mut good = true;
        for a in list.iter().filter(|a| is_time(&a.target)) {
            let v = r.read(&a.value);
            let n = v
                .and_then(|v| v.only().and_then(|(x, _)| x.as_rational()))
                .and_then(|q| q.to_i64());
            if seen_time {
                r.duplicate(&a.target);
            }
            seen_time = true;
            match n {
                Some(0) => {}
                Some(1) => {
                    time = true;
                    let t = r.time_dimension.clone();
                    r.unifier.equate(&step, &t);
                }
                _ => {
                    r.error(
                        Code::SymmetryTime,
                        "the time component of a symmetry is 0 or 1: time is not stretched",
                        "write t = 0 or t = 1",
                        a.value.span,
                    );
                    good = false;
                }
            }
        }
        let others = list.iter().filter(|a| !is_time(&a.target));
        let components = r.components(others, |r, k, e| {
            let wanted = r.coordinates[k].dimension.div(&step);
            r.function_of_position(e, "a symmetry", &wanted, "this component")
        });
        if !good {
            return None;
        }
        self.symmetries.push(Symmetry {
            name: name?,
            components: components?,
            time,
            span,
        });
        Some(())
    }
}
