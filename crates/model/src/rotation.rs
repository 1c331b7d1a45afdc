//! Rotations: products of turns about axes, applied factor by factor.

use galilei_expr::{Expr, Pool, Rational};
use galilei_syntax::{Expression, ExpressionKind as E, Orientation, Rotation};

use crate::code::Code;
use crate::dimension::Dimension;
use crate::manifold::ManifoldKind;
use crate::reader::{Meaning, Reader};
use crate::value::{Uses, Value};

/// A vector of space.
pub(crate) type Vector<'p> = [Expr<'p>; 3];
/// A matrix by rows.
pub(crate) type Matrix<'p> = [Vector<'p>; 3];

/// The largest distance of the norm of a constant quaternion from one: more is no rotation.
const MAX_NORM_ERROR: f64 = 1e-6;

/// A factor of a rotation, with its own angular velocity.
#[derive(Clone, Debug)]
pub(crate) enum Factor<'p> {
    /// About a coordinate axis.
    About {
        axis: usize,
        cos: Expr<'p>,
        sin: Expr<'p>,
        rate: Expr<'p>,
    },
    /// About a unit vector n, which may move.
    Axis {
        n: Vector<'p>,
        cos: Expr<'p>,
        sin: Expr<'p>,
        rates: Vector<'p>,
    },
    /// By a matrix, inner to outer axes, with the angular velocity in inner axes.
    Matrix {
        rows: Box<Matrix<'p>>,
        rates: Vector<'p>,
    },
}

/// a × b
pub(crate) fn cross<'p>(a: &Vector<'p>, b: &Vector<'p>) -> Vector<'p> {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

impl<'p> Factor<'p> {
    pub(crate) fn about(axis: usize, angle: Expr<'p>, rate: Expr<'p>) -> Option<Self> {
        (!angle.is_zero()).then(|| Self::About {
            axis,
            cos: angle.cos(),
            sin: angle.sin(),
            rate,
        })
    }

    /// A vector given in outer axes, in inner axes: Rᵀv.
    pub(crate) fn inward(&self, pool: &'p Pool, v: &Vector<'p>) -> Vector<'p> {
        match self {
            Self::About { axis, cos, sin, .. } => {
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut w = *v;
                w[j] = pool.sum([*cos * v[j], *sin * v[k]]);
                w[k] = pool.sum([*cos * v[k], -(*sin * v[j])]);
                w
            }
            // cos·v − sin·n×v + (1 − cos)(n·v)n
            Self::Axis { n, cos, sin, .. } => {
                let along = pool.sum((0..3).map(|k| n[k] * v[k]));
                let turned = cross(n, v);
                std::array::from_fn(|k| {
                    pool.sum([*cos * v[k], -(*sin * turned[k]), (1 - *cos) * along * n[k]])
                })
            }
            Self::Matrix { rows, .. } => {
                std::array::from_fn(|k| pool.sum((0..3).map(|i| rows[i][k] * v[i])))
            }
        }
    }

    /// The angular velocity of the inner axes relative to the outer ones, in inner axes.
    fn rates(&self, pool: &'p Pool) -> Vector<'p> {
        match self {
            Self::About { axis, rate, .. } => {
                let mut w = [pool.zero(); 3];
                w[*axis] = *rate;
                w
            }
            Self::Axis { rates, .. } | Self::Matrix { rates, .. } => *rates,
        }
    }
}

/// A product of factors, with what follows from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turning<'p> {
    pub(crate) factors: Vec<Factor<'p>>,
    pub(crate) uses: Uses,
    /// The four coordinates of a quaternion, the norm of which remains one.
    pub(crate) quaternion: Option<[Expr<'p>; 4]>,
}

impl<'p> Turning<'p> {
    /// A vector given in outer axes, in inner axes.
    pub(crate) fn inward(&self, pool: &'p Pool, v: &Vector<'p>) -> Vector<'p> {
        self.factors.iter().fold(*v, |v, f| f.inward(pool, &v))
    }

    /// The angular velocity in inner axes, for the one of the outer axes, given in outer axes.
    pub(crate) fn rates(&self, pool: &'p Pool, outer: &Vector<'p>) -> Vector<'p> {
        self.factors.iter().fold(*outer, |w, f| {
            let (w, own) = (f.inward(pool, &w), f.rates(pool));
            std::array::from_fn(|k| w[k] + own[k])
        })
    }

    /// The matrix from inner axes to space, for the one of the outer axes.
    pub(crate) fn matrix(&self, pool: &'p Pool, outer: &Matrix<'p>) -> Matrix<'p> {
        std::array::from_fn(|i| self.inward(pool, &outer[i]))
    }
}

/// The unit matrix.
pub(crate) fn identity(pool: &Pool) -> Matrix<'_> {
    std::array::from_fn(|i| std::array::from_fn(|j| pool.number(i64::from(i == j))))
}

impl<'p, 's> Reader<'p, 's> {
    /// t ↦ 1, x ↦ u
    pub(crate) fn rates(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let mut rates = vec![(self.time, self.pool.one())];
        rates.extend(self.coordinates.iter().map(|c| (c.position, c.velocity)));
        rates
    }

    /// An angle, or another pure number that gives an orientation.
    pub(crate) fn angle(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        let v = self.read(e)?;
        let (_, d) = self.scalar(&v, e)?;
        self.fits(&d, e, &Dimension::none(), "an angle is a pure number,")?;
        self.only_position(&v, "the orientation of a body")?;
        self.smooth(&v, "the orientation of a body")?;
        Some(v)
    }

    /// A product of rotations.
    pub(crate) fn rotation(&mut self, list: &'s [Rotation]) -> Option<Turning<'p>> {
        let mut all = Turning::default();
        let mut good = true;
        for factor in list {
            let Some(found) = self.rotation_factor(factor) else {
                good = false;
                continue;
            };
            all.factors.extend(found.factors);
            all.uses = all.uses.with(found.uses);
            if found.quaternion.is_some() && all.quaternion.is_some() {
                self.error(
                    Code::NotARotation,
                    "a rotation may contain one quaternion of coordinates, not two",
                    "introduce a frame between them: `frame NAME: rotation quaternion(…)`",
                    factor.kind.span,
                );
                return None;
            }
            all.quaternion = all.quaternion.or(found.quaternion);
        }
        good.then_some(all)
    }

    fn rotation_factor(&mut self, factor: &'s Rotation) -> Option<Turning<'p>> {
        let name = &factor.kind;
        let Some(list) = &factor.arguments else {
            return self.rotation_by_name(factor);
        };
        let axes: Option<Vec<usize>> = matches!(name.text.len(), 1 | 3)
            .then(|| name.text.chars().map(|c| "xyz".find(c)).collect())
            .flatten();
        let wanted = match (&axes, name.text.as_str()) {
            (Some(axes), _) => axes.len(),
            (None, "axis") => 2,
            (None, "quaternion") => 4,
            _ => {
                self.error(
                    Code::UnknownRotation,
                    format!("there is no rotation `{}`", name.text),
                    "rotations are x, y, z (one angle), axis((a, b, c), α), sequences such as zxz, zyx, xyz (three angles) and quaternion (four numbers, scalar first)",
                    name.span,
                );
                return None;
            }
        };
        if list.len() != wanted {
            let hint = match wanted {
                1 => format!("write {}(φ)", name.text),
                2 => "write axis((a, b, c), φ)".into(),
                3 => format!("write {}(φ, θ, ψ)", name.text),
                _ => "write quaternion(a, b, c, d), scalar first".into(),
            };
            self.error(
                Code::WrongArgumentCount,
                format!(
                    "`{}` takes {wanted} argument{}, not {}",
                    name.text,
                    if wanted == 1 { "" } else { "s" },
                    list.len()
                ),
                hint,
                name.span,
            );
            return None;
        }
        if axes.is_none() && name.text == "axis" {
            return self.about_axis(&list[0], &list[1]);
        }
        let mut values = Vec::new();
        for e in list {
            values.push(self.angle(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut uses = Uses::default();
        values.iter().for_each(|v| uses = uses.with(v.uses));
        let q: Vec<Expr<'p>> = values.iter().map(|v| v.parts[0]).collect();
        let rates = self.rates();
        let Some(axes) = axes else {
            return self.by_quaternion([q[0], q[1], q[2], q[3]], uses, name.span);
        };
        let factors = axes.iter().zip(&q).filter_map(|(&axis, &angle)| {
            Factor::about(axis, angle, angle.derivative_along(&rates))
        });
        Some(Turning {
            factors: factors.collect(),
            uses,
            quaternion: None,
        })
    }

    /// `rotation R`: a coordinate on the rotations.
    fn rotation_by_name(&mut self, factor: &'s Rotation) -> Option<Turning<'p>> {
        let name = &factor.kind;
        let place = match (self.names.get(&name.text).map(|m| m.0), &factor.index) {
            (Some(Meaning::Manifold(k)), None) => Some(k),
            (Some(Meaning::Manifolds(low, first, count)), Some(index)) => {
                let k = self.integer(index, "an index")?;
                if k < low || k - low >= count as i64 {
                    self.out_of_range(&name.text, k, (low, count), index.span);
                    return None;
                }
                Some(first + (k - low) as usize)
            }
            (Some(Meaning::Broken), _) => return None,
            _ => None,
        };
        let found = place.map(|k| self.manifolds[k].clone());
        let Some(m) = found.filter(|m| m.kind == ManifoldKind::Rotations) else {
            let family = matches!(
                self.names.get(&name.text),
                Some((Meaning::Manifolds(..), _))
            );
            self.error(
                Code::UnknownRotation,
                format!("`{}` is no coordinate on the rotations", name.text),
                match family {
                    true => format!("name a member of the family: `rotation {}[k]`", name.text),
                    false => format!(
                        "declare it, `coord {} on rotations`, or write a rotation with its angles, such as z(φ) or zxz(φ, θ, ψ)",
                        name.text
                    ),
                },
                name.span,
            );
            return None;
        };
        Some(self.turning_of(&m, name.span))
    }

    /// `axis((a, b, c), α)`
    fn about_axis(&mut self, axis: &'s Expression, angle: &'s Expression) -> Option<Turning<'p>> {
        let (v, a) = (self.read(axis), self.angle(angle));
        let (v, a) = (v?, a?);
        if v.len() != 3 {
            self.error(
                Code::ShapeMismatch,
                format!("an axis has three components, not {}", v.len()),
                "write axis((a, b, c), φ)",
                axis.span,
            );
            return None;
        }
        for d in &v.dimensions[1..] {
            if !self.agree(
                (&v.dimensions[0], "the first component of the axis"),
                (d, "another component"),
                axis.span,
            ) {
                return None;
            }
        }
        self.only_position(&v, "an axis")?;
        self.smooth(&v, "an axis")?;
        let pool = self.pool;
        let square = pool.sum(v.parts.iter().map(|x| x.pow(2)));
        if square.is_zero() || square.decide_zero().is_proved() || self.is_number(square, 0.0) {
            self.error(
                Code::NotARotation,
                format!("`{}` is no axis: it has no direction", self.text(axis.span)),
                "an axis is a vector other than (0, 0, 0); its length does not matter",
                axis.span,
            );
            return None;
        }
        let rates = self.rates();
        let angle = a.parts[0];
        let rate = angle.derivative_along(&rates);
        let uses = v.uses.with(a.uses);
        let mut factors = Vec::new();
        let along: Vec<usize> = (0..3).filter(|&k| !v.parts[k].is_zero()).collect();
        let signed = match along[..] {
            [k] => v.parts[k].as_rational().map(|q| (k, q.signum())),
            _ => None,
        };
        if let Some((k, sign)) = signed {
            let signed = |e: Expr<'p>| if sign < 0 { -e } else { e };
            factors.extend(Factor::about(k, signed(angle), signed(rate)));
        } else if !angle.is_zero() {
            let length = square.sqrt();
            let n: Vector<'p> = std::array::from_fn(|k| v.parts[k] / length);
            let turning: Vector<'p> = std::array::from_fn(|k| n[k].derivative_along(&rates));
            let sideways = cross(&n, &turning);
            let (cos, sin) = (angle.cos(), angle.sin());
            let rates = std::array::from_fn(|k| {
                pool.sum([rate * n[k], sin * turning[k], -((1 - cos) * sideways[k])])
            });
            factors.push(Factor::Axis { n, cos, sin, rates });
        }
        Some(Turning {
            factors,
            uses,
            quaternion: None,
        })
    }

    /// Whether an expression of parameters alone has a given value, up to rounding.
    fn is_number(&self, e: Expr<'p>, value: f64) -> bool {
        self.number_of(e)
            .is_some_and(|x| (x - value).abs() <= 1e-14)
    }

    /// The value of an expression of parameters alone; `None` if there is none, or something else occurs.
    pub(crate) fn number_of(&self, e: Expr<'p>) -> Option<f64> {
        let mut known: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for p in &self.parameters {
            if let Some(v) = p.value {
                known.push((p.symbol, v.substitute(&known)));
            }
        }
        crate::numbers::doubles(self.pool, &[e], &known)[0]
    }

    fn by_quaternion(
        &mut self,
        q: [Expr<'p>; 4],
        uses: Uses,
        span: galilei_syntax::Span,
    ) -> Option<Turning<'p>> {
        let pool = self.pool;
        let rates = self.rates();
        let constant = uses.state.is_none();
        let mut q = q;
        if constant {
            let square = pool.sum(q.iter().map(|x| x.pow(2)));
            let norm = self.number_of(square).map(f64::sqrt);
            if norm.is_some_and(|n| (n - 1.0).abs() > MAX_NORM_ERROR) {
                self.error(
                    Code::NotARotation,
                    format!(
                        "the quaternion has the norm {}, and only unit quaternions are rotations",
                        norm.unwrap_or_default()
                    ),
                    "divide its four numbers by the norm",
                    span,
                );
                return None;
            }
            if !square.is_one() {
                let length = square.sqrt();
                q = q.map(|x| x / length);
            }
        }
        let dot = |e: Expr<'p>| e.derivative_along(&rates);
        let [a, b, c, d] = q;
        let square = |e: Expr<'p>| e.pow(2);
        let rows = [
            [
                square(a) + square(b) - square(c) - square(d),
                2 * (b * c - a * d),
                2 * (b * d + a * c),
            ],
            [
                2 * (b * c + a * d),
                square(a) - square(b) + square(c) - square(d),
                2 * (c * d - a * b),
            ],
            [
                2 * (b * d - a * c),
                2 * (c * d + a * b),
                square(a) - square(b) - square(c) + square(d),
            ],
        ];
        // Ω = 2·vec(q̄q').
        let [a1, b1, c1, d1] = [dot(a), dot(b), dot(c), dot(d)];
        let rates = [
            2 * (a * b1 - b * a1 - c * d1 + d * c1),
            2 * (a * c1 - c * a1 - d * b1 + b * d1),
            2 * (a * d1 - d * a1 - b * c1 + c * b1),
        ];
        let factor = Factor::Matrix {
            rows: Box::new(rows),
            rates,
        };
        Some(Turning {
            factors: vec![factor],
            uses,
            quaternion: (!constant).then_some(q),
        })
    }
}

/// Whether a rotation contains a quaternion whose unit length may be a constraint.
pub(crate) fn has_quaternion(orientation: Option<&Orientation>) -> bool {
    let numbers = |e: &Expression| {
        let inner = match &e.kind {
            E::Negate(inner) => &inner.kind,
            kind => kind,
        };
        matches!(inner, E::Number(_))
    };
    match orientation {
        Some(Orientation::Rotation(list)) => list
            .iter()
            .any(|f| f.kind.text == "quaternion" && !f.arguments.iter().flatten().all(numbers)),
        _ => false,
    }
}

/// Whether a tensor of inertia is possible: no negative principal moment, and none above the sum of the two others.
pub(crate) fn possible_inertia(entries: &[f64]) -> Result<(), String> {
    let trace = match entries {
        [a] => {
            return if *a >= 0.0 {
                Ok(())
            } else {
                Err(format!("the moment {a} is negative"))
            };
        }
        [a, b, c, ..] => a + b + c,
        _ => return Ok(()),
    };
    let tolerance = 1e-6 * trace.abs();
    let mut moments = match entries {
        [a, b, c] => [*a, *b, *c],
        [a, b, c, d, e, f] => eigenvalues([[*a, *d, *e], [*d, *b, *f], [*e, *f, *c]]),
        _ => return Ok(()),
    };
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments;
    if a < -tolerance || trace < 0.0 {
        return Err(format!("the principal moment {a:.6e} is negative"));
    }
    if c > a + b + tolerance {
        return Err(format!(
            "the principal moment {c:.6e} is larger than the sum of the two others, {:.6e}",
            a + b
        ));
    }
    Ok(())
}

/// The eigenvalues of a symmetric matrix by Jacobi's rotations.
fn eigenvalues(mut m: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..50 {
        let (p, q) = [(0, 1), (0, 2), (1, 2)]
            .into_iter()
            .max_by(|a, b| m[a.0][a.1].abs().total_cmp(&m[b.0][b.1].abs()))
            .unwrap_or((0, 1));
        if m[p][q].abs() <= 1e-18 * (m[0][0].abs() + m[1][1].abs() + m[2][2].abs()) {
            break;
        }
        let theta = 0.5 * (2.0 * m[p][q]).atan2(m[q][q] - m[p][p]);
        let (s, c) = theta.sin_cos();
        let mut r = [[0.0; 3]; 3];
        for (k, row) in r.iter_mut().enumerate() {
            row[k] = 1.0;
        }
        (r[p][p], r[q][q], r[p][q], r[q][p]) = (c, c, s, -s);
        let product = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum())
            })
        };
        let transposed: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]));
        m = product(&product(&transposed, &m), &r);
    }
    [m[0][0], m[1][1], m[2][2]]
}

/// One half.
pub(crate) fn half() -> Rational {
    Rational::new(1, 2)
}
