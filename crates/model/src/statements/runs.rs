//! Runs: where they start, how long and by which method.

use galilei_syntax::{Assignment, Clause, Expression, ExpressionKind as E, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::TOLERANCES;
use crate::declarations::scale;
use crate::diagnostic::nearest;
use crate::reader::{MOMENTUM, Reader};

/// The methods of a run.
const METHODS: [&str; 12] = [
    "taylor",
    "dop853",
    "gauss2",
    "gauss4",
    "gauss6",
    "radau",
    "midpoint",
    "trapezoid",
    "galerkin2",
    "galerkin4",
    "galerkin6",
    "moreau",
];

impl<'p> Draft<'p> {
    pub(super) fn initial<'s>(&mut self, r: &mut Reader<'p, 's>, a: &'s Assignment) -> Option<()> {
        if let E::Call(name, index, arguments) = &a.target.kind
            && name.text == MOMENTUM
            && index.is_empty()
        {
            return self.initial_momentum(r, (name, arguments), a);
        }
        if let Some(read) = self.initial_rate(r, a) {
            return read;
        }
        if let Some(read) = self.initial_point(r, a) {
            return read;
        }
        let (target, v) = (r.target(&a.target), r.read(&a.value));
        let ((k, velocity), v) = (target?, v?);
        let (x, d) = r.scalar(&v, &a.value)?;
        r.constant(&v, "an initial value")?;
        let c = &r.coordinates[k];
        let x = if v.uses.symbols {
            let wanted = if velocity {
                r.rate(&c.dimension)
            } else {
                c.dimension.clone()
            };
            let (l, m) = (
                format!("`{}`", r.text(a.value.span)),
                format!("`{}`", r.text(a.target.span)),
            );
            r.agree((&d, &l), (&wanted, &m), a.value.span)
                .then_some(x)?
        } else {
            x * scale(r, c.unit.as_ref())
        };
        if self.initial.insert((k, velocity), x).is_some() {
            r.duplicate(&a.target);
        }
        Some(())
    }

    pub(super) fn simulate<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        clauses: &'s [Clause],
        span: Span,
    ) {
        if self.run.span.is_some() {
            r.error(
                Code::DuplicateStatement,
                "there are two `simulate` lines",
                "keep one",
                span,
            );
            return;
        }
        self.run.span = Some(span);
        let mut seen: Vec<&str> = Vec::new();
        for c in clauses {
            let word = c.keyword.text.as_str();
            if seen.contains(&word) {
                r.error(
                    Code::DuplicateEntry,
                    format!("`{word}` is given twice"),
                    "keep one",
                    c.keyword.span,
                );
                continue;
            }
            seen.push(word);
            if word == "method" {
                self.method(r, &c.value);
                continue;
            }
            let Some(v) = r.read(&c.value) else { continue };
            let Some((x, d)) = r.scalar(&v, &c.value) else {
                continue;
            };
            if r.constant(&v, "a setting of a run").is_none() {
                continue;
            }
            if word != "tolerance" && v.uses.symbols {
                let time = r.time_dimension.clone();
                let _ = r.fits(&d, &c.value, &time, "a time");
            }
            let negative = x.as_rational().is_some_and(|q| q.signum() <= 0);
            if negative && (word == "every" || word == "tolerance") {
                r.error(
                    Code::WrongSetting,
                    format!("`{word}` must be positive"),
                    if word == "every" {
                        "the direction of a run comes from its ends, `from` and `to`"
                    } else {
                        "write something like 1e-10"
                    },
                    c.value.span,
                );
                continue;
            }
            let number = x.as_rational().map(|q| q.to_f64());
            if word == "tolerance" && number.is_some_and(|x| !TOLERANCES.contains(&x)) {
                r.error(
                    Code::WrongSetting,
                    "`tolerance` is a relative error: below 1, and not below 1e-18",
                    "write something like 1e-10",
                    c.value.span,
                );
                continue;
            }
            match word {
                "from" => self.run.from = Some(x),
                "to" => self.run.to = Some(x),
                "every" => self.run.every = Some(x),
                _ => self.run.tolerance = Some(x),
            }
        }
        if !seen.contains(&"to") {
            r.error(
                Code::MissingEndTime,
                "a run needs its end",
                "write `simulate to 10`",
                span,
            );
        }
    }

    fn method(&mut self, r: &mut Reader<'p, '_>, e: &Expression) {
        let E::Name(name) = &e.kind else {
            r.error(
                Code::UnknownMethod,
                "a method is a name",
                format!("methods are {}", METHODS.join(", ")),
                e.span,
            );
            return;
        };
        if METHODS.contains(&name.as_str()) {
            self.run.method = Some(name.clone());
            return;
        }
        let hint = match nearest(name, METHODS) {
            Some(w) => format!("did you mean `{w}`?"),
            None => format!("methods are {}", METHODS.join(", ")),
        };
        r.error(
            Code::UnknownMethod,
            format!("there is no method `{name}`"),
            hint,
            e.span,
        );
    }
}
