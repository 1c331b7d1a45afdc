//! Frames and rigid bodies: where they are, how they turn, how they move in their own axes.

use galilei_expr::{Expr, Rational};
use galilei_syntax::{Expression, Orientation, Pose, Span};

use crate::code::Code;
use crate::contents::Attitude;
use crate::diagnostic::Diagnostic;
use crate::dimension::Dimension;
use crate::reader::Reader;
use crate::rotation::{Matrix, Turning, Vector, cross, half, identity, possible_inertia};
use crate::value::{Uses, Value};

/// The orientation of a frame.
#[derive(Clone, Debug)]
pub(crate) enum Turn<'p> {
    /// An angle in the plane, and its rate.
    Plane { angle: Expr<'p>, rate: Expr<'p> },
    /// A rotation matrix, own axes to space, with the angular velocity in own axes.
    Space {
        rotation: Box<Matrix<'p>>,
        own_rates: Vector<'p>,
    },
}

/// A frame: an origin and axes that move. A body is a frame at its mass centre.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'p> {
    /// The origin in space.
    pub(crate) position: Value<'p>,
    pub(crate) turn: Turn<'p>,
    /// The velocity of the origin in own axes.
    own_velocity: Vec<Expr<'p>>,
    /// The velocity of the origin in axes in which it is shorter: those before the frame turns, or further outside.
    velocity: Vec<Expr<'p>>,
    pub(crate) uses: Uses,
    /// The four coordinates of a quaternion, the norm of which remains one.
    pub(crate) quaternion: Option<[Expr<'p>; 4]>,
    /// Names of the frames with quaternions that carry this one, itself included.
    pub(crate) carriers: Vec<String>,
    /// The name of the frame or body that it is given in.
    pub(crate) within: Option<String>,
}

/// A rigid body.
#[derive(Clone, Debug)]
pub(crate) struct Body<'p> {
    pub(crate) mass: Expr<'p>,
    pub(crate) inertia: Vec<Expr<'p>>,
    pub(crate) frame: Frame<'p>,
}

/// The orientation of a pose, as read.
enum Oriented<'p> {
    Plane(Value<'p>),
    Space(Turning<'p>),
    Nothing,
}

fn three<'p>(v: &[Expr<'p>]) -> Vector<'p> {
    [v[0], v[1], v[2]]
}

impl<'p, 's> Reader<'p, 's> {
    pub(crate) fn read_body(
        &mut self,
        name: &str,
        mass: &'s Expression,
        inertia: &'s Expression,
        pose: &'s Pose,
        span: Span,
    ) -> Option<Body<'p>> {
        let (m, j) = (self.read(mass), self.read(inertia));
        let frame = self.read_pose(name, pose, span);
        let (m, j, mut frame) = (m?, j?, frame?);
        let (m_value, m_dim) = self.scalar(&m, mass)?;
        let planar = frame.is_planar();
        let possible = match planar {
            true => j.len() == 1,
            false => matches!(j.len(), 3 | 6),
        };
        if !possible {
            self.error(
                Code::ShapeMismatch,
                if planar {
                    format!("a planar body has one moment of inertia, not {}", j.len())
                } else {
                    format!("a spatial body has three moments of inertia, not {}", j.len())
                },
                "a planar body has `inertia J`, a spatial one `inertia (A, B, C)` about its mass centre, or `inertia (A, B, C, D, E, F)` with the products of inertia",
                inertia.span,
            );
            return None;
        }
        self.constant_in_state(&m, "a mass");
        self.constant_in_state(&j, "a moment of inertia");
        // m·v² and J·ω² are energies.
        let energy = self.energy.clone();
        let two = Rational::from(2);
        let v = self.rate(&frame.position.dimensions[0]);
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
        self.judge_inertia(&j, inertia.span);
        frame.uses = m.uses.with(j.uses).with(frame.uses);
        Some(Body {
            mass: m_value,
            inertia: j.parts,
            frame,
        })
    }

    /// Warns of a tensor of inertia that no distribution of mass has.
    fn judge_inertia(&mut self, j: &Value<'p>, span: Span) {
        if j.uses.state.is_some() {
            return;
        }
        let numbers: Option<Vec<f64>> = j.parts.iter().map(|&e| self.number_of(e)).collect();
        if let Some(Err(why)) = numbers.map(|n| possible_inertia(&n)) {
            self.say(Diagnostic::warning(
                Code::ImpossibleInertia,
                format!("no body has this inertia: {why}"),
                "runs use it as it is; is it about the mass centre, and are D, E, F the entries I_xy, I_xz, I_yz of the tensor, not their negatives? Six equal entries are a placeholder: write three",
                span,
            ));
        }
    }

    /// A place in space or in another frame.
    pub(crate) fn read_pose(
        &mut self,
        name: &str,
        pose: &'s Pose,
        span: Span,
    ) -> Option<Frame<'p>> {
        let parent = match &pose.frame {
            None => None,
            Some(label) => {
                let place = label.name.span;
                let outer = self.label(label).and_then(|n| {
                    let frame = self.outer_frame(&n, place)?;
                    Some((n, frame))
                });
                Some(outer)
            }
        };
        let at = pose.at.as_ref().map(|e| (self.position(e), e.span));
        let oriented = match &pose.orientation {
            None => Some(Oriented::Nothing),
            Some(Orientation::Angle(e)) => self.angle(e).map(Oriented::Plane),
            Some(Orientation::Rotation(list)) => self.rotation(list).map(Oriented::Space),
        };
        let (within, parent) = match parent {
            None => (None, None),
            Some(parent) => {
                let (name, frame) = parent?;
                (Some(name), Some(frame))
            }
        };
        let at = match at {
            None => None,
            Some((value, place)) => Some((value?, place)),
        };
        let frame = self.compose(name, parent, at, oriented?, span)?;
        Some(Frame { within, ..frame })
    }

    /// The frame at an origin and with an orientation relative to another one.
    fn compose(
        &mut self,
        name: &str,
        parent: Option<Frame<'p>>,
        at: Option<(Value<'p>, Span)>,
        oriented: Oriented<'p>,
        span: Span,
    ) -> Option<Frame<'p>> {
        let pool = self.pool;
        let planar = match (&oriented, &parent, &at) {
            (Oriented::Plane(_), ..) => true,
            (Oriented::Space(_), ..) => false,
            (_, Some(parent), _) => parent.is_planar(),
            (_, None, Some((value, _))) => value.len() == 2,
            (_, None, None) => false,
        };
        let wanted = if planar { 2 } else { 3 };
        let forms = "planar bodies are `at (x, y) angle φ`, spatial ones `at (x, y, z) rotation zxz(φ, θ, ψ)`";
        if let Some(parent) = &parent
            && parent.is_planar() != planar
        {
            self.error(
                Code::ShapeMismatch,
                match planar {
                    true => "`angle` turns in the plane, and the frame it is given in is spatial",
                    false => "`rotation` turns in space, and the frame it is given in is planar",
                },
                "all frames of a mechanism are planar (`angle`) or all are spatial (`rotation`); write `rotation z(φ)` for a turn about z",
                span,
            );
            return None;
        }
        if let Some((value, place)) = &at
            && value.len() != wanted
        {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a body with `{}` has a position of {wanted} components, not of {}",
                    if planar { "angle" } else { "rotation" },
                    value.len()
                ),
                forms,
                *place,
            );
            return None;
        }
        let rates = self.rates();
        let zero = pool.zero();
        // The origin in outer axes.
        let offset = match (&at, &parent) {
            (Some((value, place)), Some(parent)) => {
                let what = format!("`{}`", self.text(*place));
                let dimension = parent.position.dimensions[0].clone();
                if !self.agree(
                    (&value.dimensions[0], &what),
                    (&dimension, "the position of the frame it is given in"),
                    *place,
                ) {
                    return None;
                }
                value.clone()
            }
            (Some((value, _)), None) => value.clone(),
            (None, parent) => {
                let dimension = match parent {
                    Some(parent) => parent.position.dimensions[0].clone(),
                    None => self.unifier.unknown(),
                };
                Value {
                    parts: vec![zero; wanted],
                    dimensions: vec![dimension; wanted],
                    tuple: true,
                    uses: Uses::default(),
                }
            }
        };
        let still = offset.parts.iter().all(|x| x.is_zero());
        let drift: Vec<Expr<'p>> = offset
            .parts
            .iter()
            .map(|x| x.derivative_along(&rates))
            .collect();
        let (mut uses, mut quaternion) = (offset.uses, None);
        let mut carriers = parent
            .as_ref()
            .map_or_else(Vec::new, |p| p.carriers.clone());
        let (position, velocity, outer_velocity) = match &parent {
            None => (offset.clone(), drift.clone(), drift),
            Some(parent) => {
                uses = uses.with(parent.uses.seen_at(span));
                let position = parent.point(self, &offset, span);
                let arm = parent.spin(&offset.parts);
                let outer: Vec<Expr<'p>> = (0..wanted)
                    .map(|k| pool.sum([parent.own_velocity[k], arm[k], drift[k]]))
                    .collect();
                let short = if still {
                    parent.velocity.clone()
                } else {
                    outer.clone()
                };
                (position, short, outer)
            }
        };
        let (turn, own_velocity) = match oriented {
            Oriented::Plane(_) | Oriented::Nothing if planar => {
                let angle = match &oriented {
                    Oriented::Plane(v) => {
                        uses = uses.with(v.uses);
                        v.parts[0]
                    }
                    _ => zero,
                };
                let rate = angle.derivative_along(&rates);
                let (before, rate_before) = match parent.as_ref().map(|p| &p.turn) {
                    Some(Turn::Plane { angle, rate }) => (*angle, *rate),
                    _ => (zero, zero),
                };
                let (c, s) = (angle.cos(), angle.sin());
                let [x, y] = [outer_velocity[0], outer_velocity[1]];
                let own = match angle.is_zero() {
                    true => vec![x, y],
                    false => vec![c * x + s * y, c * y - s * x],
                };
                let turn = Turn::Plane {
                    angle: before + angle,
                    rate: rate_before + rate,
                };
                (turn, own)
            }
            other => {
                let turning = match other {
                    Oriented::Space(turning) => turning,
                    _ => Turning::default(),
                };
                uses = uses.with(turning.uses);
                quaternion = turning.quaternion;
                let (before, rates_before) = match parent.as_ref().map(|p| &p.turn) {
                    Some(Turn::Space {
                        rotation,
                        own_rates,
                    }) => ((**rotation), *own_rates),
                    _ => (identity(pool), [zero; 3]),
                };
                let own = turning.inward(pool, &three(&outer_velocity));
                let turn = Turn::Space {
                    rotation: Box::new(turning.matrix(pool, &before)),
                    own_rates: turning.rates(pool, &rates_before),
                };
                (turn, own.to_vec())
            }
        };
        if quaternion.is_some() {
            carriers.push(name.to_owned());
        }
        Some(Frame {
            position,
            turn,
            own_velocity,
            velocity,
            uses,
            quaternion,
            carriers,
            within: None,
        })
    }

    /// A point of a frame that moves in it: its place in space, and its velocity in the axes of the frame.
    pub(crate) fn read_point(&mut self, pose: &'s Pose, span: Span) -> Option<Frame<'p>> {
        self.read_pose("", pose, span)
    }
}

impl<'p> Frame<'p> {
    pub(crate) fn is_planar(&self) -> bool {
        matches!(self.turn, Turn::Plane { .. })
    }

    /// ½M‖v‖² of a mass at the origin.
    pub(crate) fn translation(&self, r: &Reader<'p, '_>, mass: Expr<'p>) -> Expr<'p> {
        half() * mass * r.pool.sum(self.velocity.iter().map(|v| v.pow(2)))
    }

    /// Σ q·q' of its quaternion.
    pub(crate) fn radial(&self, r: &Reader<'p, '_>) -> Option<Expr<'p>> {
        let rates = r.rates();
        let q = self.quaternion?;
        Some(
            r.pool
                .sum(q.iter().map(|&x| x * x.derivative_along(&rates))),
        )
    }

    /// ω × arm in own axes.
    fn spin(&self, arm: &[Expr<'p>]) -> Vec<Expr<'p>> {
        match &self.turn {
            Turn::Plane { rate, .. } => vec![-(*rate * arm[1]), *rate * arm[0]],
            Turn::Space { own_rates, .. } => cross(own_rates, &three(arm)).to_vec(),
        }
    }

    /// The axes as vectors of space: two in the plane, else three.
    pub(crate) fn axes(&self) -> Vec<Vec<Expr<'p>>> {
        match &self.turn {
            Turn::Plane { angle, .. } => {
                let (c, s) = (angle.cos(), angle.sin());
                vec![vec![c, s], vec![-s, c]]
            }
            Turn::Space { rotation, .. } => (0..3)
                .map(|k| rotation.iter().map(|row| row[k]).collect())
                .collect(),
        }
    }

    /// The angular velocity in space axes.
    pub(crate) fn space_rates(&self, r: &Reader<'p, '_>) -> Vec<Expr<'p>> {
        match &self.turn {
            Turn::Plane { rate, .. } => vec![*rate],
            Turn::Space {
                rotation,
                own_rates,
            } => (0..3)
                .map(|i| r.pool.sum((0..3).map(|k| rotation[i][k] * own_rates[k])))
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
            Turn::Plane { angle, .. } => {
                let (c, s) = (angle.cos(), angle.sin());
                let (a, b) = (arm.parts[0], arm.parts[1]);
                vec![c * a - s * b, s * a + c * b]
            }
            Turn::Space { rotation, .. } => (0..3)
                .map(|i| r.pool.sum((0..3).map(|k| rotation[i][k] * arm.parts[k])))
                .collect(),
        }
    }

    /// A vector given in own axes, in space axes.
    pub(crate) fn direction(&self, r: &Reader<'p, '_>, arm: &Value<'p>, span: Span) -> Value<'p> {
        Value {
            parts: self.turned(r, arm),
            dimensions: arm.dimensions.clone(),
            tuple: true,
            uses: self.uses.seen_at(span).with(arm.uses),
        }
    }

    /// A point given in own axes from the origin.
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
            w => cross(&three(w), &three(&turned)).to_vec(),
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

impl<'p> Body<'p> {
    /// The mean of the principal moments.
    pub(crate) fn mean_inertia(&self, r: &Reader<'p, '_>) -> Expr<'p> {
        r.pool.sum(self.inertia.iter().take(3).copied()) / 3
    }

    /// ½M‖v‖² + ½Ω·JΩ, and for a quaternion 2κ(q·q')².
    pub(crate) fn kinetic(&self, r: &Reader<'p, '_>) -> Expr<'p> {
        let mut terms = vec![self.frame.translation(r, self.mass)];
        match &self.frame.turn {
            Turn::Plane { rate, .. } => terms.push(half() * self.inertia[0] * rate.pow(2)),
            Turn::Space { own_rates: w, .. } => {
                for k in 0..3 {
                    terms.push(half() * self.inertia[k] * w[k].pow(2));
                }
                for (product, (i, j)) in self.inertia[3..].iter().zip([(0, 1), (0, 2), (1, 2)]) {
                    terms.push(*product * w[i] * w[j]);
                }
            }
        }
        if let Some(radial) = self.frame.radial(r) {
            terms.push(2 * self.mean_inertia(r) * radial.pow(2));
        }
        r.pool.sum(terms)
    }

    /// The attitude of the body in space.
    pub(crate) fn attitude(&self) -> Attitude<Expr<'p>> {
        Attitude {
            axes: self.frame.axes(),
            mass: self.mass,
            inertia: self.inertia.iter().take(3).copied().collect(),
        }
    }
}
