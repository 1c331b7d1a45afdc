//! Entries of a state that are points of manifolds: `n=(0, 0, 1), n'=(1, 0, 0), R=zxz(0, 1, 0), omega(R)=(0, 0, 1)`.

use galilei_expr::Expr;
use galilei_syntax::{Expression, ExpressionKind as E, Kind};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, refused};
use crate::manifold::{Manifold, ManifoldKind};
use crate::model::Model;
use crate::numbers::doubles;
use crate::reader::Reader;
use crate::state::Entries;

/// The largest part of a velocity that may point out of its manifold.
const MAX_OUTWARD: f64 = 1e-6;

/// An entry of a state: the point of a manifold, or the velocity of it.
pub(crate) struct PointEntry<'p> {
    manifold: Manifold,
    velocity: bool,
    values: Vec<Expr<'p>>,
    text: String,
}

fn wrong(message: String, hint: &str) -> Vec<Diagnostic> {
    refused(Code::InvalidState, message, hint)
}

impl Model {
    /// The manifold that the target of an entry names, and whether the entry is a velocity.
    fn point_target<'s>(
        &self,
        reader: &mut Reader<'_, 's>,
        target: &'s Expression,
    ) -> Option<(&Manifold, bool)> {
        let (inner, velocity, rotation) = match &target.kind {
            E::Prime(inner, 1) => (&**inner, true, false),
            E::Call(name, _, list) if name.text == "omega" && list.len() == 1 => {
                (&list[0], true, true)
            }
            _ => (target, false, false),
        };
        if !matches!(inner.kind, E::Name(_) | E::Index(..)) {
            return None;
        }
        let label = reader.label_of(inner)?;
        let m = self.manifolds().iter().find(|m| m.name == label)?;
        let fits = !velocity || rotation == (m.kind == ManifoldKind::Rotations);
        fits.then_some((m, velocity))
    }

    /// The entries of a state that are points of manifolds, and the text of the others.
    pub(crate) fn point_entries<'p>(
        &'p self,
        text: &str,
    ) -> Result<(Vec<PointEntry<'p>>, String), Vec<Diagnostic>> {
        let line = format!("initial {text}");
        if self.manifolds().is_empty() || text.trim().is_empty() {
            return Ok((vec![], text.to_owned()));
        }
        let file = galilei_syntax::parse(&line);
        let Some(Kind::Initial(list)) = file.statements.first().map(|s| &s.kind) else {
            return Ok((vec![], text.to_owned()));
        };
        if !file.errors.is_empty() {
            return Ok((vec![], text.to_owned()));
        }
        let (mut points, mut rest): (Vec<PointEntry<'p>>, Vec<&str>) = (vec![], vec![]);
        for a in list {
            let mut reader = Reader::new(self.pool(), &line);
            let written = a.target.span.to(a.value.span).text(&line);
            let Some((m, velocity)) = self.point_target(&mut reader, &a.target) else {
                rest.push(written);
                continue;
            };
            let values = match velocity {
                false => reader.constant_point(m.kind, &a.value),
                true => (reader.read(&a.value))
                    .filter(|v| v.uses.state.is_none())
                    .map(|v| v.parts),
            };
            let wanted = match (velocity, m.kind) {
                (false, ManifoldKind::Rotations) => 4,
                (true, ManifoldKind::Rotations) => 3,
                (_, kind) => kind.components().len(),
            };
            let target = a.target.span.text(&line).to_owned();
            let Some(values) = values.filter(|v| v.len() == wanted) else {
                let first = reader.diagnostics.into_iter().next();
                let why =
                    first.map_or_else(|| format!("`{written}` cannot be read"), |d| d.message);
                return Err(wrong(
                    why,
                    "write --at \"n=(0, 0, 1), n'=(1, 0, 0)\" or --at \"R=zxz(0, 1, 0), omega(R)=(0, 0, 1)\"",
                ));
            };
            if points.iter().any(|p| p.text == target) {
                return Err(wrong(format!("`{target}` is given twice"), "keep one"));
            }
            points.push(PointEntry {
                manifold: m.clone(),
                velocity,
                values,
                text: target,
            });
        }
        Ok((points, rest.join(", ")))
    }

    /// Puts points of manifolds and velocities of them into a state.
    pub(crate) fn fill_points<'p>(
        &'p self,
        entries: &mut Entries<'p>,
        points: &[PointEntry<'p>],
        given: &mut [bool],
    ) -> Result<(), Vec<Diagnostic>> {
        let n = given.len() / 2;
        let pool = self.pool();
        for p in points.iter().filter(|p| !p.velocity) {
            let m = &p.manifold;
            let Some(found) = m.coordinates_of(&p.values) else {
                return Err(refused(
                    Code::ChartAtState,
                    format!(
                        "`{}` is the point that the chart of this model does not have",
                        p.text
                    ),
                    "give another point, or start the model there with `initial`",
                ));
            };
            for (k, x) in found.into_iter().enumerate() {
                entries.position[m.first + k] = x;
                given[m.first + k] = true;
            }
        }
        for p in points.iter().filter(|p| p.velocity) {
            let m = &p.manifold;
            let y = &entries.position[m.first..m.first + m.kind.dimension()];
            if m.kind != ManifoldKind::Rotations {
                let point = m.vector(pool, y);
                let pairs = point.iter().zip(&p.values);
                let outward = pool.sum(pairs.map(|(a, b)| *a * *b));
                let size = pool.sum(p.values.iter().map(|x| x.pow(2))).sqrt();
                let numbers = doubles(pool, &[outward, size], &[]);
                if let [Some(outward), Some(size)] = numbers[..]
                    && outward.abs() > MAX_OUTWARD * size
                {
                    return Err(refused(
                        Code::NotAUnitVector,
                        format!(
                            "`{}` points out of the {}: its component along {} is {outward}",
                            p.text,
                            m.kind.word(),
                            m.name
                        ),
                        "a velocity of a unit vector is perpendicular to it",
                    ));
                }
            }
            let found = m.velocities_of(pool, y, &p.values).unwrap_or_default();
            for (k, w) in found.into_iter().enumerate() {
                entries.velocity[m.first + k] = Some(w);
                given[n + m.first + k] = true;
            }
        }
        Ok(())
    }
}
