//! Initial values of points of manifolds: `initial n = (0, 0, 1)`, `initial R = zxz(φ, θ, ψ)`.

use galilei_expr::Expr;
use galilei_syntax::{Assignment, Expression, ExpressionKind as E, Name};

use super::draft::Draft;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::manifold::{Charts, ManifoldKind};
use crate::reader::Reader;

/// The largest distance of the length of a vector from one.
const MAX_LENGTH_ERROR: f64 = 1e-6;

/// The product of two quaternions.
fn product<'p>(a: &[Expr<'p>; 4], b: &[Expr<'p>; 4]) -> [Expr<'p>; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]
}

impl<'p, 's> Reader<'p, 's> {
    /// A constant point of a manifold: a unit vector, or the unit quaternion of a rotation whose scalar is not
    /// negative.
    pub(crate) fn constant_point(
        &mut self,
        kind: ManifoldKind,
        e: &'s Expression,
    ) -> Option<Vec<Expr<'p>>> {
        if kind == ManifoldKind::Rotations {
            let q = self.constant_rotation(e)?;
            let negative = self.number_of(q[0]).is_some_and(|x| x < 0.0);
            return Some(q.map(|x| if negative { -x } else { x }).to_vec());
        }
        let v = self.read(e)?;
        let wanted = kind.components().len();
        if v.len() != wanted {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a point of the {} has {wanted} components, and this is {}",
                    kind.word(),
                    v.shape()
                ),
                match kind {
                    ManifoldKind::Circle => "write (cos(a), sin(a))",
                    _ => "write (a, b, c), a vector of length one",
                },
                e.span,
            );
            return None;
        }
        self.constant(&v, "an initial value")?;
        for d in &v.dimensions {
            self.fits(d, e, &Dimension::none(), "a unit vector is a pure number,")?;
        }
        let square = self.pool.sum(v.parts.iter().map(|x| x.pow(2)));
        self.unit(&v.parts, square, "vector", e)
    }

    /// Numbers divided by their length, which is one up to rounding.
    fn unit(
        &mut self,
        parts: &[Expr<'p>],
        square: Expr<'p>,
        what: &str,
        e: &Expression,
    ) -> Option<Vec<Expr<'p>>> {
        let length = self.number_of(square).map(f64::sqrt);
        if length.is_some_and(|n| n.is_nan() || (n - 1.0).abs() > MAX_LENGTH_ERROR) {
            self.error(
                Code::NotAUnitVector,
                format!(
                    "the {what} `{}` has the length {}, and it must be one",
                    self.text(e.span),
                    length.unwrap_or_default()
                ),
                format!("divide the {what} by its length"),
                e.span,
            );
            return None;
        }
        if square.is_one() || (square - 1).decide_zero().is_proved() {
            return Some(parts.to_vec());
        }
        let length = square.sqrt();
        Some(parts.iter().map(|x| *x / length).collect())
    }

    /// The unit quaternion of a constant rotation, written as after `rotation`.
    fn constant_rotation(&mut self, e: &'s Expression) -> Option<[Expr<'p>; 4]> {
        let E::Call(name, _, list) = &e.kind else {
            self.no_rotation(e);
            return None;
        };
        if name.text == "then" {
            let mut all: Option<[Expr<'p>; 4]> = None;
            for factor in list {
                let q = self.constant_rotation(factor)?;
                all = Some(all.map_or(q, |before| product(&before, &q)));
            }
            return all;
        }
        let axes: Option<Vec<usize>> = matches!(name.text.len(), 1 | 3)
            .then(|| name.text.chars().map(|c| "xyz".find(c)).collect())
            .flatten();
        match (axes, name.text.as_str()) {
            (Some(axes), _) => {
                let values = self.constants(name, list, axes.len())?;
                let (zero, one) = (self.pool.zero(), self.pool.one());
                let mut all = [one, zero, zero, zero];
                for (axis, angle) in axes.into_iter().zip(values) {
                    let half = angle / 2;
                    let mut q = [half.cos(), zero, zero, zero];
                    q[axis + 1] = half.sin();
                    all = product(&all, &q);
                }
                Some(all)
            }
            (None, "quaternion") => {
                let q = self.constants(name, list, 4)?;
                let square = self.pool.sum(q.iter().map(|x| x.pow(2)));
                let q = self.unit(&q, square, "quaternion", e)?;
                Some([q[0], q[1], q[2], q[3]])
            }
            (None, "axis") => {
                let [axis, angle] = &list[..] else {
                    self.count(name, 2, list.len());
                    return None;
                };
                let (v, angle) = (
                    self.read(axis)?,
                    self.constants(name, std::slice::from_ref(angle), 1)?,
                );
                self.constant(&v, "an initial value")?;
                let square = self.pool.sum(v.parts.iter().map(|x| x.pow(2)));
                if v.len() != 3 || square.is_zero() || self.number_of(square) == Some(0.0) {
                    self.error(
                        Code::NotARotation,
                        format!(
                            "`{}` is no axis: an axis is a vector of space other than zero",
                            self.text(axis.span)
                        ),
                        "write axis((a, b, c), φ)",
                        axis.span,
                    );
                    return None;
                }
                let half = angle[0] / 2;
                let scale = half.sin() / square.sqrt();
                Some([
                    half.cos(),
                    scale * v.parts[0],
                    scale * v.parts[1],
                    scale * v.parts[2],
                ])
            }
            _ => {
                self.no_rotation(e);
                None
            }
        }
    }

    /// Constant pure numbers.
    fn constants(
        &mut self,
        name: &Name,
        list: &'s [Expression],
        wanted: usize,
    ) -> Option<Vec<Expr<'p>>> {
        if list.len() != wanted {
            self.count(name, wanted, list.len());
            return None;
        }
        let mut out = Vec::new();
        for e in list {
            let v = self.angle(e)?;
            self.constant(&v, "an initial value")?;
            out.push(v.parts[0]);
        }
        Some(out)
    }

    fn no_rotation(&mut self, e: &Expression) {
        self.error(
            Code::UnknownRotation,
            format!("`{}` is no rotation", self.text(e.span)),
            "write zxz(φ, θ, ψ), z(α) then x(β), axis((a, b, c), α) or quaternion(a, b, c, d)",
            e.span,
        );
    }
}

impl<'p> Draft<'p> {
    /// Whether an entry gives a point of a manifold or the velocity of one.
    pub(super) fn initial_point<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        a: &'s Assignment,
    ) -> Option<Option<()>> {
        let (target, velocity) = match &a.target.kind {
            E::Prime(inner, 1) => (&**inner, true),
            _ => (&a.target, false),
        };
        let k = match r.manifold_named(target)? {
            Some(k) => k,
            None => return Some(None),
        };
        Some(match velocity {
            true => self.rate_entry(r, a),
            false => self.point_entry(r, k, a),
        })
    }

    fn point_entry<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        k: usize,
        a: &'s Assignment,
    ) -> Option<()> {
        let m = r.manifolds[k].clone();
        let point = r.constant_point(m.kind, &a.value)?;
        if self.points.contains(&k) {
            r.duplicate(&a.target);
            return None;
        }
        self.points.push(k);
        if m.kind == ManifoldKind::Sphere && r.number_of(point[2]).is_some_and(|z| z < 0.0) {
            r.turned |= 1 << m.bit;
        }
        if r.charts == Charts::Angles {
            return Some(());
        }
        // A point that the chart does not have is one of another chart.
        for (i, x) in m.coordinates_of(&point).into_iter().flatten().enumerate() {
            self.initial.insert((m.first + i, false), x);
        }
        Some(())
    }
}
