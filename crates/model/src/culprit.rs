//! Finds the expression of a file that is undefined at a state.

use galilei_expr::Expr;
use galilei_syntax::Span;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::{doubles, undetermined};

/// The largest number of expressions whose derivatives are examined.
const MAX_DIFFERENTIATED: usize = 200;

/// A quotient, a power or a call as it was written: what may be undefined at a state.
#[derive(Clone, Debug)]
pub(crate) struct Written<E> {
    /// Its values; several for a tuple.
    pub(crate) values: Vec<E>,
    /// Its place.
    pub(crate) span: Span,
}

impl<E> Written<E> {
    pub(crate) fn map<F>(&self, f: impl Fn(&E) -> F) -> Written<F> {
        Written {
            values: self.values.iter().map(f).collect(),
            span: self.span,
        }
    }
}

impl Model {
    /// The smallest expression of the file that is undefined, or has undefined derivatives, at given values of
    /// the symbols: inside of the given places, or else in an abbreviation.
    fn culprit<'p>(&'p self, places: &[Span], values: &[(Expr<'p>, Expr<'p>)]) -> Option<Span> {
        let c = self.contents();
        let mut statements: Vec<Span> = c.contributions.iter().map(|k| k.span).collect();
        statements.extend(c.forces.iter().map(|f| f.span));
        statements.extend(c.constraints.iter().map(|f| f.span));
        statements.extend(c.outputs.iter().map(|o| o.span));
        statements.extend(c.events.iter().map(|e| e.span));
        statements.extend(c.charts.iter().map(|k| k.span));
        statements.extend(c.references.iter().map(|k| k.span));
        statements.extend(c.symmetries.iter().map(|k| k.span));
        let within = |list: &[Span], s: Span| {
            (list.iter()).any(|outer| outer.start <= s.start && s.end <= outer.end)
        };
        let written = self.written();
        let here = written.iter().filter(|w| within(places, w.span)).collect();
        let elsewhere = (written.iter())
            .filter(|w| !within(&statements, w.span))
            .collect();
        let groups: [Vec<&Written<Expr<'p>>>; 2] = [here, elsewhere];
        let find = |differentiate: bool| {
            (groups.iter()).find_map(|g| self.undefined_in(g, differentiate, values))
        };
        find(false).or_else(|| find(true))
    }

    /// The smallest of some expressions that is undefined, or whose derivatives are.
    fn undefined_in<'p>(
        &'p self,
        list: &[&Written<Expr<'p>>],
        differentiate: bool,
        values: &[(Expr<'p>, Expr<'p>)],
    ) -> Option<Span> {
        let pool = self.pool();
        let state = self.state_space();
        let (x, u) = (state.base().positions(), state.velocities());
        let limit = if differentiate {
            MAX_DIFFERENTIATED
        } else {
            list.len()
        };
        let mut owner = Vec::new();
        let mut asked: Vec<Expr<'p>> = Vec::new();
        for (k, w) in list.iter().enumerate().take(limit) {
            for &e in &w.values {
                match differentiate {
                    false => asked.push(e),
                    true => {
                        let slopes = e.gradient(u);
                        asked.extend(slopes.iter().flat_map(|p| p.gradient(u)));
                        asked.extend(slopes);
                        asked.extend(e.gradient(x));
                    }
                }
            }
            owner.resize(asked.len(), k);
        }
        if undetermined(&asked).is_some() {
            return None;
        }
        let numbers = doubles(pool, &asked, values);
        let bad = (owner.iter().zip(&numbers)).filter(|(_, v)| v.is_none());
        let spans = bad.map(|(&k, _)| list[k].span);
        spans.min_by_key(|s| (s.end - s.start, s.start))
    }

    /// Moves a diagnostic about an undefined quantity to the expression that is undefined: one inside its place, else
    /// one inside an energy or a force.
    pub(crate) fn at_culprit<'p>(
        &'p self,
        mut d: Diagnostic,
        values: &[(Expr<'p>, Expr<'p>)],
    ) -> Diagnostic {
        if d.code != Code::NotDefinedAtState {
            return d;
        }
        let c = self.contents();
        let energies = c.contributions.iter().map(|k| k.span).collect::<Vec<_>>();
        let forces = c.forces.iter().map(|f| f.span).collect::<Vec<_>>();
        let places = match d.span {
            Some(span) => vec![vec![span]],
            None if d.message.starts_with("the force ") => vec![forces, energies],
            None => vec![energies, forces],
        };
        let found = places.iter().find_map(|p| self.culprit(p, values));
        d.span = found.or(d.span);
        d
    }
}
