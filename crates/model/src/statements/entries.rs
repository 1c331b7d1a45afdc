//! Entries `x = EXPR`: which coordinate each names, none of them twice.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Expression, ExpressionKind as E, Span};

use crate::code::Code;
use crate::diagnostic::nearest;
use crate::manifold::ManifoldKind;
use crate::reader::{Meaning, Reader};

impl<'p, 's> Reader<'p, 's> {
    /// The coordinate that a target names; true for its velocity.
    pub(crate) fn target(&mut self, e: &'s Expression) -> Option<(usize, bool)> {
        let (inner, velocity) = match &e.kind {
            E::Prime(inner, 1) => (&**inner, true),
            _ => (e, false),
        };
        // An unknown name here is most likely a misspelt coordinate.
        let name = match &inner.kind {
            E::Name(n) => Some(n),
            E::Index(n, _) => Some(&n.text),
            _ => None,
        };
        let is_coordinate = |r: &Self, n: &str| {
            matches!(
                r.names.get(n).map(|m| m.0),
                Some(Meaning::Coordinate(_) | Meaning::Coordinates(..))
            )
        };
        if let Some(Meaning::Broken) = name.and_then(|n| self.names.get(n)).map(|m| m.0) {
            return None;
        }
        if let Some(k) = self.manifold_named(inner) {
            self.no_component(k?, inner);
            return None;
        }
        if let Some(n) = name.filter(|n| !is_coordinate(self, n)) {
            let mut known: Vec<String> = self.coordinates.iter().map(|c| c.name.clone()).collect();
            known.sort();
            let hint = match nearest(n, known.iter().map(String::as_str)) {
                Some(w) => format!("did you mean `{w}`?"),
                None => format!("the coordinates are {}", known.join(", ")),
            };
            self.error(
                Code::NotACoordinate,
                format!("`{n}` is not a coordinate"),
                hint,
                inner.span,
            );
            return None;
        }
        let v = self.read(inner)?;
        let k = v
            .only()
            .and_then(|(x, _)| self.coordinates.iter().position(|c| c.position == x));
        match k {
            Some(k) => Some((k, velocity)),
            None => {
                self.error(
                    Code::NotACoordinate,
                    format!("`{}` is not a coordinate", self.text(e.span)),
                    "the left side of an entry is a coordinate",
                    e.span,
                );
                None
            }
        }
    }

    /// Reports a point of a manifold where a component along a coordinate is wanted.
    fn no_component(&mut self, k: usize, e: &Expression) {
        let m = &self.manifolds[k];
        let (name, word) = (m.name.clone(), m.kind.word());
        let hint = match m.kind {
            ManifoldKind::Rotations => {
                "write forces as `force NAME: torque (a, b, c) on BODY` or `force NAME: (a, b, c) at position(BODY, (…))`, energies as functions of omega(BODY) and directions".to_owned()
            }
            _ => format!(
                "write forces as `force NAME: (a, b, c) at l*{name}`, energies as functions of {name} and {name}'"
            ),
        };
        self.error(
            Code::NotACoordinate,
            format!(
                "`{name}` is a point of the {word}, along which there are no single components"
            ),
            hint,
            e.span,
        );
    }

    /// The coordinate that the target of a component names; its velocity is reported.
    pub(super) fn named_coordinate(&mut self, e: &'s Expression) -> Option<usize> {
        let (k, velocity) = self.target(e)?;
        if velocity {
            self.error(
                Code::NotACoordinate,
                "components are named by the coordinate, not by its velocity",
                format!("write {} = …", self.coordinates[k].name),
                e.span,
            );
        }
        (!velocity).then_some(k)
    }

    /// `x = EXPR, …` with each coordinate at most once; missing ones are zero.
    pub(super) fn components(
        &mut self,
        list: impl IntoIterator<Item = &'s Assignment>,
        mut read: impl FnMut(&mut Self, usize, &'s Expression) -> Option<Expr<'p>>,
    ) -> Option<Vec<Expr<'p>>> {
        let mut out: Vec<Option<Expr<'p>>> = vec![None; self.coordinates.len()];
        let mut given = vec![false; self.coordinates.len()];
        let mut good = true;
        for a in list {
            let Some(k) = self.named_coordinate(&a.target) else {
                good = false;
                let _ = self.read(&a.value);
                continue;
            };
            if std::mem::replace(&mut given[k], true) {
                self.duplicate(&a.target);
                let _ = self.read(&a.value);
                good = false;
                continue;
            }
            match read(self, k, &a.value) {
                Some(e) => out[k] = Some(e),
                None => good = false,
            }
        }
        let zero = self.pool.zero();
        good.then(|| out.into_iter().map(|e| e.unwrap_or(zero)).collect())
    }

    pub(super) fn duplicate(&mut self, e: &Expression) {
        self.duplicate_at(e.span);
    }

    pub(super) fn duplicate_at(&mut self, span: Span) {
        self.error(
            Code::DuplicateEntry,
            format!("`{}` is given twice", self.text(span)),
            "keep one of the entries",
            span,
        );
    }
}
