//! Symmetries: fields along which nothing should change.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, ExpressionKind as E, Label, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::Symmetry;
use crate::reader::Reader;

impl<'p> Draft<'p> {
    pub(super) fn symmetry<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        list: &'s [Assignment],
        span: Span,
    ) -> Option<()> {
        let name = self.label(r, "symmetry", label, span);
        let mut time = false;
        let mut components: Vec<Option<Expr<'p>>> = vec![None; r.coordinates.len()];
        let mut seen_time = false;
        let step = r.unifier.unknown();
        let mut good = true;
        for a in list {
            if matches!(&a.target.kind, E::Name(n) if n == "t") {
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
        }
        for a in list {
            if matches!(&a.target.kind, E::Name(n) if n == "t") {
                continue;
            }
            let Some((k, false)) = r.target(&a.target) else {
                good = false;
                continue;
            };
            if components[k].is_some() {
                r.duplicate(&a.target);
                good = false;
                continue;
            }
            let x = r.read(&a.value).and_then(|v| {
                let (x, d) = r.scalar(&v, &a.value)?;
                r.only_position(&v, "a symmetry")?;
                r.smooth(&v, "a symmetry")?;
                let wanted = r.coordinates[k].dimension.div(&step);
                let what = format!("`{}`", r.text(a.value.span));
                r.agree((&d, &what), (&wanted, "this component"), a.value.span)
                    .then_some(x)
            });
            match x {
                Some(x) => components[k] = Some(x),
                None => good = false,
            }
        }
        if !good {
            return None;
        }
        let zero = r.pool.zero();
        self.symmetries.push(Symmetry {
            name: name?,
            components: components.into_iter().map(|c| c.unwrap_or(zero)).collect(),
            time,
            span,
        });
        Some(())
    }
}
