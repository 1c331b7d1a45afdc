//! Rigid bodies: where they are, how they turn.

use galilei_expr::{Expr, Pool, Rational};
use galilei_syntax::{Expression, Orientation, Span};

use crate::code::Code;
use crate::contents::Attitude;
use crate::dimension::Dimension;
use crate::reader::Reader;
use crate::value::{Uses, Value};

type Matrix<'p> = [[Expr<'p>; 3]; 3];

/// The orientation of a body.
#[derive(Clone, Debug)]
pub(crate) enum Turn<'p> {
    /// An angle in the plane.
    Plane(Expr<'p>),
    /// A rotation matrix, body to space, with the angular velocity in body axes.
    Space {
        rotation: Box<Matrix<'p>>,
        body_rates: [Expr<'p>; 3],
    },
}

/// A rigid body.
#[derive(Clone, Debug)]
pub(crate) struct Body<'p> {
    pub(crate) mass: Expr<'p>,
    pub(crate) inertia: Vec<Expr<'p>>,
    pub(crate) position: Value<'p>,
    pub(crate) turn: Turn<'p>,
    pub(crate) uses: Uses,
    /// The four coordinates of a quaternion, the norm of which remains one.
    pub(crate) quaternion: Option<[Expr<'p>; 4]>,
}

fn multiply<'p>(pool: &'p Pool, a: &Matrix<'p>, b: &Matrix<'p>) -> Matrix<'p> {
    std::array::from_fn(|i| std::array::from_fn(|j| pool.sum((0..3).map(|k| a[i][k] * b[k][j]))))
}

fn about<'p>(pool: &'p Pool, axis: usize, angle: Expr<'p>) -> Matrix<'p> {
    let (c, s) = (angle.cos(), angle.sin());
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut m = [[pool.zero(); 3]; 3];
    m[axis][axis] = pool.one();
    m[j][j] = c;
    m[k][k] = c;
    m[j][k] = -s;
    m[k][j] = s;
    m
}

impl<'p, 's> Reader<'p, 's> {
    pub(crate) fn read_body(
        &mut self,
        mass: &'s Expression,
        inertia: &'s Expression,
        at: &'s Expression,
        orientation: &'s Orientation,
    ) -> Option<Body<'p>> {
        let (m, j, position) = (self.read(mass), self.read(inertia), self.position(at));
        let turn = self.orientation(orientation);
        let (m, j, position) = (m?, j?, position?);
        let (turn, turn_uses, quaternion) = turn?;
        let (m_value, m_dim) = self.scalar(&m, mass)?;
        let planar = matches!(turn, Turn::Plane(_));
        let wanted = if planar { 2 } else { 3 };
        if position.len() != wanted {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a body with `{}` has a position of {wanted} components, not of {}",
                    if planar { "angle" } else { "rotation" },
                    position.len()
                ),
                "planar bodies are `at (x, y) angle φ`, spatial ones `at (x, y, z) rotation zxz(φ, θ, ψ)`",
                at.span,
            );
            return None;
        }
        let moments = if planar { 1 } else { 3 };
        if j.len() != moments {
            self.error(
                Code::ShapeMismatch,
                if planar {
                    format!("a planar body has one moment of inertia, not {}", j.len())
                } else {
                    format!("a spatial body has three moments of inertia, not {}", j.len())
                },
                "a planar body has `inertia J`, a spatial one `inertia (A, B, C)` about its mass centre",
                inertia.span,
            );
            return None;
        }
        self.constant_in_state(&m, mass, "a mass");
        self.constant_in_state(&j, inertia, "a moment of inertia");
        // m·v² and J·ω² are energies.
        let energy = self.energy.clone();
        let two = Rational::from(2);
        let v = self.rate(&position.dimensions[0]);
        let kinetic = m_dim.times(&v, &two);
        let text = format!("the energy ½·{}·v²", self.text(mass.span));
        self.agree(
            (&kinetic, &text),
            (&energy, "the other energies"),
            mass.span,
        );
        for d in &j.dimensions {
            let spin = d.times(&self.rate(&Dimension::none()), &two);
            let text = format!("the energy ½·{}·ω²", self.text(inertia.span));
            self.agree(
                (&spin, &text),
                (&energy, "the other energies"),
                inertia.span,
            );
        }
        let uses = m.uses.with(j.uses).with(position.uses).with(turn_uses);
        Some(Body {
            mass: m_value,
            inertia: j.parts,
            position,
            turn,
            uses,
            quaternion,
        })
    }

    fn angle(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        let v = self.read(e)?;
        let (_, d) = self.scalar(&v, e)?;
        let what = format!("`{}`", self.text(e.span));
        if !self.agree(
            (&d, &what),
            (&Dimension::none(), "an angle is a pure number,"),
            e.span,
        ) {
            return None;
        }
        self.only_position(&v, "the orientation of a body")?;
        self.smooth(&v, "the orientation of a body")?;
        Some(v)
    }

    #[allow(clippy::type_complexity)]
    fn orientation(
        &mut self,
        o: &'s Orientation,
    ) -> Option<(Turn<'p>, Uses, Option<[Expr<'p>; 4]>)> {
        let (name, list) = match o {
            Orientation::Angle(e) => {
                let v = self.angle(e)?;
                return Some((Turn::Plane(v.parts[0]), v.uses, None));
            }
            Orientation::Rotation(name, list) => (name, list),
        };
        let axes = match name.text.as_str() {
            "zxz" => Some([2, 0, 2]),
            "zyx" => Some([2, 1, 0]),
            "xyz" => Some([0, 1, 2]),
            "quaternion" => None,
            _ => {
                self.error(
                    Code::UnknownRotation,
                    format!("there is no rotation `{}`", name.text),
                    "rotations are zxz, zyx, xyz (three angles) and quaternion (four numbers, scalar first)",
                    name.span,
                );
                return None;
            }
        };
        let wanted = if axes.is_some() { 3 } else { 4 };
        if list.len() != wanted {
            self.error(
                Code::WrongArgumentCount,
                format!(
                    "`{}` takes {wanted} arguments, not {}",
                    name.text,
                    list.len()
                ),
                if wanted == 3 {
                    format!("write {}(φ, θ, ψ)", name.text)
                } else {
                    "write quaternion(a, b, c, d), scalar first".into()
                },
                name.span,
            );
            return None;
        }
        let mut values = Vec::new();
        for e in list {
            values.push(self.angle(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut uses = Uses::default();
        values.iter().for_each(|v| uses = uses.with(v.uses));
        let q: Vec<Expr<'p>> = values.iter().map(|v| v.parts[0]).collect();
        let pool = self.pool;
        let rates: Vec<(Expr<'p>, Expr<'p>)> = self.rates();
        let dot = |e: Expr<'p>| e.derivative_along(&rates);
        if let Some(axes) = axes {
            let r: Vec<Matrix<'p>> = (0..3).map(|k| about(pool, axes[k], q[k])).collect();
            let rotation = multiply(pool, &multiply(pool, &r[0], &r[1]), &r[2]);
            // Ω in body axes: (R₂R₃)ᵀe₁·φ₁' + R₃ᵀe₂·φ₂' + e₃·φ₃'.
            let tail = multiply(pool, &r[1], &r[2]);
            let d: Vec<Expr<'p>> = q.iter().map(|&e| dot(e)).collect();
            let body_rates = std::array::from_fn(|i| {
                let last = if i == axes[2] { d[2] } else { pool.zero() };
                pool.sum([tail[axes[0]][i] * d[0], r[2][axes[1]][i] * d[1], last])
            });
            let turn = Turn::Space {
                rotation: Box::new(rotation),
                body_rates,
            };
            return Some((turn, uses, None));
        }
        let [a, b, c, d] = [q[0], q[1], q[2], q[3]];
        let square = |e: Expr<'p>| e.pow(2);
        let rotation = [
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
        let body_rates = [
            2 * (a * b1 - b * a1 - c * d1 + d * c1),
            2 * (a * c1 - c * a1 - d * b1 + b * d1),
            2 * (a * d1 - d * a1 - b * c1 + c * b1),
        ];
        let turn = Turn::Space {
            rotation: Box::new(rotation),
            body_rates,
        };
        Some((turn, uses, Some([a, b, c, d])))
    }

    /// t ↦ 1, x ↦ u
    pub(crate) fn rates(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let mut rates = vec![(self.time, self.pool.one())];
        rates.extend(self.coordinates.iter().map(|c| (c.position, c.velocity)));
        rates
    }
}

impl<'p> Body<'p> {
    /// ½M‖v‖² + ½Ω·JΩ, and for a quaternion 2κ(q·q')².
    pub(crate) fn kinetic(&self, r: &Reader<'p, '_>) -> Expr<'p> {
        let half = Rational::new(1, 2);
        let rates = r.rates();
        let v = self
            .position
            .parts
            .iter()
            .map(|x| x.derivative_along(&rates).pow(2));
        let mut terms = vec![half.clone() * self.mass * r.pool.sum(v)];
        match &self.turn {
            Turn::Plane(angle) => {
                terms.push(half * self.inertia[0] * angle.derivative_along(&rates).pow(2))
            }
            Turn::Space { body_rates, .. } => {
                for k in 0..3 {
                    terms.push(half.clone() * self.inertia[k] * body_rates[k].pow(2));
                }
            }
        }
        if let Some(q) = &self.quaternion {
            let radial = r
                .pool
                .sum(q.iter().map(|&x| x * x.derivative_along(&rates)));
            let kappa = r.pool.sum(self.inertia.iter().copied()) / 3;
            terms.push(2 * kappa * radial.pow(2));
        }
        r.pool.sum(terms)
    }

    /// The attitude of the body in space.
    pub(crate) fn attitude(&self) -> Attitude<Expr<'p>> {
        let axes = match &self.turn {
            Turn::Plane(angle) => {
                let (c, s) = (angle.cos(), angle.sin());
                vec![vec![c, s], vec![-s, c]]
            }
            Turn::Space { rotation, .. } => (0..3)
                .map(|k| rotation.iter().map(|row| row[k]).collect())
                .collect(),
        };
        Attitude {
            axes,
            mass: self.mass,
            inertia: self.inertia.clone(),
        }
    }

    /// The angular velocity in space axes.
    pub(crate) fn space_rates(&self, r: &Reader<'p, '_>) -> Vec<Expr<'p>> {
        match &self.turn {
            Turn::Plane(angle) => vec![angle.derivative_along(&r.rates())],
            Turn::Space {
                rotation,
                body_rates,
            } => (0..3)
                .map(|i| r.pool.sum((0..3).map(|k| rotation[i][k] * body_rates[k])))
                .collect(),
        }
    }

    pub(crate) fn omega(&self, r: &Reader<'p, '_>, span: Span) -> Value<'p> {
        let parts = self.space_rates(r);
        let rate = r.rate(&Dimension::none());
        Value {
            tuple: parts.len() > 1,
            dimensions: vec![rate; parts.len()],
            parts,
            uses: self.moving(span),
        }
    }

    fn moving(&self, span: Span) -> Uses {
        let mut uses = self.uses.seen_at(span);
        uses.symbols = true;
        uses.velocity = uses.state;
        uses
    }

    /// The arm in space axes.
    fn turned(&self, r: &Reader<'p, '_>, arm: &Value<'p>) -> Vec<Expr<'p>> {
        match &self.turn {
            Turn::Plane(angle) => {
                let (c, s) = (angle.cos(), angle.sin());
                let (a, b) = (arm.parts[0], arm.parts[1]);
                vec![c * a - s * b, s * a + c * b]
            }
            Turn::Space { rotation, .. } => (0..3)
                .map(|i| r.pool.sum((0..3).map(|k| rotation[i][k] * arm.parts[k])))
                .collect(),
        }
    }

    /// A point given in body axes from the mass centre.
    pub(crate) fn point(&self, r: &Reader<'p, '_>, arm: &Value<'p>, span: Span) -> Value<'p> {
        let turned = self.turned(r, arm);
        let parts = self
            .position
            .parts
            .iter()
            .zip(turned)
            .map(|(&x, d)| x + d)
            .collect();
        Value {
            parts,
            dimensions: self.position.dimensions.clone(),
            tuple: true,
            uses: self.uses.seen_at(span).with(arm.uses),
        }
    }

    /// The velocity of the material point that is there now: v + ω × r.
    pub(crate) fn point_velocity(
        &self,
        r: &mut Reader<'p, '_>,
        arm: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let turned = self.turned(r, arm);
        let omega = self.space_rates(r);
        let spin = match omega.as_slice() {
            [w] => vec![-*w * turned[1], *w * turned[0]],
            w => (0..3)
                .map(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    w[j] * turned[k] - w[k] * turned[j]
                })
                .collect(),
        };
        let rates = r.rates();
        let parts = self
            .position
            .parts
            .iter()
            .zip(spin)
            .map(|(&x, s)| x.derivative_along(&rates) + s)
            .collect();
        let dimensions = self.position.dimensions.iter().map(|d| r.rate(d)).collect();
        Some(Value {
            parts,
            dimensions,
            tuple: true,
            uses: self.moving(span).with(arm.uses),
        })
    }
}
