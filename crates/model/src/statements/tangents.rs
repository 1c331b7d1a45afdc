//! Tangential velocities of contacts whose points are known. (T-204)

use galilei_expr::{Expr, View};
use galilei_geometry::decide_all_zero;
use galilei_syntax::Span;

use super::draft::Draft;
use crate::body::{Frame, Turn};
use crate::reader::Reader;
use crate::rotation::cross;

/// The largest number of coordinates among which columns of velocities are chosen.
const MAX_COORDINATES: usize = 14;

/// The kind of a point that may touch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A particle, or a body that does not turn.
    Particle,
    /// A point of a body that the file names.
    Named,
}

/// A material point that may touch.
struct Point<'p> {
    kind: Kind,
    /// The body that carries it.
    on: Option<String>,
    place: Vec<Expr<'p>>,
    velocity: Vec<Expr<'p>>,
}

/// Something that moves: the place of its centre, its velocity and its angular velocity, which has no components for a
/// particle.
struct Carrier<'p> {
    name: String,
    place: Vec<Expr<'p>>,
    velocity: Vec<Expr<'p>>,
    omega: Vec<Expr<'p>>,
    /// The angle of a body in the plane.
    angle: Option<Expr<'p>>,
}

impl<'p> Carrier<'p> {
    fn turns(&self) -> bool {
        self.omega.iter().any(|w| !w.is_zero())
    }

    /// The velocity of the material point at an arm from the centre.
    fn velocity_at(&self, arm: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let spin = match self.omega.as_slice() {
            [w] => vec![-*w * arm[1], *w * arm[0]],
            [a, b, c] => cross(&[*a, *b, *c], &[arm[0], arm[1], arm[2]]).to_vec(),
            _ => return self.velocity.clone(),
        };
        let pairs = self.velocity.iter().zip(spin);
        pairs.map(|(&v, s)| v + s).collect()
    }
}

/// The velocities of two points relative to each other.
fn difference<'p>(a: &[Expr<'p>], b: &[Expr<'p>]) -> Vec<Expr<'p>> {
    a.iter().zip(b).map(|(&a, &b)| a - b).collect()
}

fn product<'p>(r: &Reader<'p, '_>, a: &[Expr<'p>], b: &[Expr<'p>]) -> Expr<'p> {
    r.pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b))
}

fn vanish<'p>(list: impl IntoIterator<Item = Expr<'p>>) -> bool {
    let list: Vec<Expr<'p>> = list.into_iter().filter(|e| !e.is_zero()).collect();
    list.is_empty() || decide_all_zero(list).is_proved()
}

fn positions<'p>(r: &Reader<'p, '_>) -> Vec<Expr<'p>> {
    r.coordinates.iter().map(|c| c.position).collect()
}

fn velocities<'p>(r: &Reader<'p, '_>) -> Vec<Expr<'p>> {
    r.coordinates.iter().map(|c| c.velocity).collect()
}

/// The determinant of two or three columns.
fn determinant<'p>(columns: &[Vec<Expr<'p>>]) -> Option<Expr<'p>> {
    match columns {
        [a, b] => Some(a[0] * b[1] - a[1] * b[0]),
        [a, b, c] => {
            let normal = cross(&[a[0], a[1], a[2]], &[b[0], b[1], b[2]]);
            Some(normal[0] * c[0] + normal[1] * c[1] + normal[2] * c[2])
        }
        _ => None,
    }
}

/// Choices of `d` of the numbers below `n`, in order.
fn choices(n: usize, d: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..d {
        let longer = list.iter().flat_map(|c| {
            let first = c.last().map_or(0, |k| k + 1);
            (first..n).map(move |k| {
                let mut c = c.clone();
                c.push(k);
                c
            })
        });
        list = longer.collect();
    }
    list
}

/// The vector N whose product with a velocity is the rate of a gap, as far as some coordinates tell: N·∂w/∂uⁱ = ∂h/∂xⁱ.
fn normal_by<'p>(
    r: &Reader<'p, '_>,
    gap: Expr<'p>,
    w: &[Expr<'p>],
    left_out: Option<usize>,
) -> Option<Vec<Expr<'p>>> {
    let (x, u) = (positions(r), velocities(r));
    let d = w.len();
    if x.len() > MAX_COORDINATES || !(2..=3).contains(&d) {
        return None;
    }
    let column = |i: usize| -> Vec<Expr<'p>> { w.iter().map(|w| w.diff(u[i])).collect() };
    let columns: Vec<Vec<Expr<'p>>> = (0..x.len()).map(column).collect();
    let useful = |c: &Vec<usize>| {
        let good = |i: &usize| columns[*i].iter().any(|e| !e.is_zero());
        c.iter().all(|i| Some(*i) != left_out && good(i))
    };
    let mut list: Vec<(Vec<usize>, Expr<'p>)> = choices(x.len(), d)
        .into_iter()
        .filter(useful)
        .filter_map(|c| {
            let chosen: Vec<Vec<Expr<'p>>> = c.iter().map(|&i| columns[i].clone()).collect();
            let det = determinant(&chosen)?;
            (!det.is_zero()).then_some((c, det))
        })
        .collect();
    list.sort_by_key(|(_, det)| det.as_rational().is_none());
    let regular = |det: &Expr<'p>| det.as_rational().is_some() || !vanish([*det]);
    let (chosen, det) = list.into_iter().find(|(_, det)| regular(det))?;
    // Cramer's rule for the rows.
    let rows: Vec<Vec<Expr<'p>>> = (0..d)
        .map(|a| chosen.iter().map(|&i| columns[i][a]).collect())
        .collect();
    let right: Vec<Expr<'p>> = chosen.iter().map(|&i| gap.diff(x[i])).collect();
    let part = |a: usize| {
        let mut replaced = rows.clone();
        replaced[a].clone_from(&right);
        determinant(&replaced).map(|e| e / det)
    };
    (0..d).map(part).collect()
}

/// The normal N of a contact at a point with a velocity, if the gap is a function of the place of that point: its rate is
/// then N·w.
fn normal<'p>(r: &Reader<'p, '_>, gap: Expr<'p>, w: &[Expr<'p>]) -> Option<Vec<Expr<'p>>> {
    let found = normal_by(r, gap, w, None)?;
    let (x, u) = (positions(r), velocities(r));
    let none: Vec<_> = u.iter().map(|&u| (u, r.pool.zero())).collect();
    let rate = product(r, &found, w);
    let own = x.iter().zip(&u).map(|(&x, &u)| gap.diff(x) - rate.diff(u));
    let at_rest = gap.diff(r.time) - rate.substitute(&none);
    vanish(own.chain([at_rest])).then_some(found)
}

/// The directions in which a contact rubs.
pub(super) struct Tangents<'p> {
    /// The components of the velocity across the normal.
    pub(super) along: Vec<Expr<'p>>,
    /// The size of the normal: the rate of the gap is this times the speed at which the points part. It is 1 for a gap that is a
    /// distance; the normal force is the multiplier of the gap times it.
    pub(super) steepness: Expr<'p>,
}

/// The components of a velocity across a normal; `None` where there are none that are smooth everywhere, as on a sphere.
fn across<'p>(r: &Reader<'p, '_>, normal: &[Expr<'p>], w: &[Expr<'p>]) -> Option<Tangents<'p>> {
    let square = product(r, normal, normal);
    let distance = vanish([square - r.pool.one()]);
    Some(Tangents {
        along: components_across(r, normal, w)?,
        steepness: if distance {
            r.pool.one()
        } else {
            square.sqrt()
        },
    })
}

fn components_across<'p>(
    r: &Reader<'p, '_>,
    normal: &[Expr<'p>],
    w: &[Expr<'p>],
) -> Option<Vec<Expr<'p>>> {
    let x = positions(r);
    let one = r.pool.one();
    let root = |square: Expr<'p>| match vanish([square - one]) {
        true => one,
        false => square.sqrt(),
    };
    let pair = |i: usize, j: usize| {
        let (a, b) = (normal[i], normal[j]);
        (b * w[i] - a * w[j]) / root(a * a + b * b)
    };
    if normal.len() == 2 {
        return Some(vec![pair(0, 1)]);
    }
    let zero: Vec<usize> = (0..3).filter(|&k| vanish([normal[k]])).collect();
    let turns = normal.iter().any(|n| n.contains_any(&x));
    match zero.as_slice() {
        [i, j] => Some(vec![w[*i], w[*j]]),
        [i] => Some(vec![w[*i], pair((i + 1) % 3, (i + 2) % 3)]),
        _ if turns => None,
        _ => {
            let [a, b, c] = [normal[0], normal[1], normal[2]];
            let flat = a * a + b * b;
            let steep = (flat + c * c).sqrt();
            let other = (a * c * w[0] + b * c * w[1] - flat * w[2]) / steep;
            Some(vec![pair(0, 1), other / flat.sqrt()])
        }
    }
}

impl<'p> Draft<'p> {
    /// The tangential velocities of a contact, relative to each other, of what touches: a particle, a point of a body that is
    /// named in the file, a corner of a body in the plane, a ball or disk on a plane through the origin; at something at rest, or
    /// at another body. `None` where that is not known, or ambiguous.
    pub(super) fn known_tangents(
        &self,
        r: &mut Reader<'p, '_>,
        gap: Expr<'p>,
        span: Span,
    ) -> Option<Tangents<'p>> {
        let carriers = self.carriers(r, span);
        let points = self.points_that_may_touch(r, &carriers, span);
        let turning = |name: &Option<String>| {
            let mut all = carriers.iter();
            all.any(|c| Some(&c.name) == name.as_ref() && c.turns())
        };
        let x = positions(r);
        let mut found: Vec<Tangents<'p>> = Vec::new();
        for p in &points {
            let Some(n) = normal(r, gap, &p.velocity) else {
                continue;
            };
            let flat = !n.iter().any(|e| e.contains_any(&x));
            if p.kind == Kind::Named
                && flat
                && turning(&p.on)
                && !vanish([gap - product(r, &n, &p.place)])
            {
                // A corner on a surface elsewhere, or the centre of a round part: the file does not say which.
                continue;
            }
            found.extend(across(r, &n, &p.velocity));
        }
        for c in &carriers {
            found.extend(round(r, gap, c));
            found.extend(corner(r, gap, c));
        }
        if found.is_empty() {
            for p in &points {
                for c in carriers.iter().filter(|c| Some(&c.name) != p.on.as_ref()) {
                    if c.place.len() != p.place.len() {
                        continue;
                    }
                    let arm = difference(&p.place, &c.place);
                    let w = difference(&p.velocity, &c.velocity_at(&arm));
                    let Some(n) = normal(r, gap, &w) else {
                        continue;
                    };
                    if p.kind == Kind::Particle || !turning(&p.on) {
                        found.extend(across(r, &n, &w));
                    }
                }
            }
        }
        let mut found = found.into_iter();
        let first = found.next()?;
        // The same velocity, perhaps the other way round.
        let same = |other: Tangents<'p>| {
            let equal = |sign: i64| {
                let pairs = first.along.iter().zip(&other.along);
                vanish(pairs.map(|(&a, &b)| a - b * sign))
            };
            other.along.len() == first.along.len()
                && (equal(1) || equal(-1))
                && vanish([first.steepness - other.steepness])
        };
        found.all(same).then_some(first)
    }

    /// The particles and bodies that are placed.
    fn carriers(&self, r: &mut Reader<'p, '_>, span: Span) -> Vec<Carrier<'p>> {
        let rates = r.rates();
        let mut list = Vec::new();
        for p in &self.placed {
            let (place, mut omega, mut angle) = match (p.statement, p.points.as_slice()) {
                ("particle" | "body", [place]) => (place.clone(), vec![], None),
                _ => continue,
            };
            if p.statement == "body" {
                let Some(frame): Option<Frame<'p>> = r.frame(&p.name, span) else {
                    continue;
                };
                omega = frame.space_rates(r);
                if let Turn::Plane { angle: a, .. } = &frame.turn {
                    angle = Some(*a);
                }
            }
            list.push(Carrier {
                name: p.name.clone(),
                velocity: place.iter().map(|x| x.derivative_along(&rates)).collect(),
                place,
                omega,
                angle,
            });
        }
        list
    }

    fn points_that_may_touch(
        &self,
        r: &mut Reader<'p, '_>,
        carriers: &[Carrier<'p>],
        span: Span,
    ) -> Vec<Point<'p>> {
        // All points of what does not turn have the same velocity.
        let straight = carriers.iter().filter(|c| !c.turns());
        let mut list: Vec<Point<'p>> = straight
            .map(|c| Point {
                kind: Kind::Particle,
                on: Some(c.name.clone()),
                place: c.place.clone(),
                velocity: c.velocity.clone(),
            })
            .collect();
        for (name, arm) in r.named_points.clone() {
            let Some(frame) = r.frame(&name, span) else {
                continue;
            };
            let place = frame.point(r, &arm, span).parts;
            if let Some(velocity) = frame.point_velocity(r, &arm, span) {
                list.push(Point {
                    kind: Kind::Named,
                    on: Some(name),
                    place,
                    velocity: velocity.parts,
                });
            }
        }
        list
    }
}

/// The tangents of a ball or disk on a plane through the origin: its gap is that of its centre less a radius.
fn round<'p>(r: &Reader<'p, '_>, gap: Expr<'p>, c: &Carrier<'p>) -> Option<Tangents<'p>> {
    if !c.turns() {
        return None;
    }
    let n = normal(r, gap, &c.velocity)?;
    let mut moving = positions(r);
    moving.push(r.time);
    let radius = product(r, &n, &c.place) - gap;
    let single = !matches!(radius.view(), View::Sum(..)) && !radius.contains_any(&moving);
    let negative = radius.as_rational().is_some_and(|q| q.to_f64() < 0.0);
    if n.iter().any(|e| e.contains_any(&moving)) || !single || negative || radius.is_zero() {
        return None;
    }
    let square = product(r, &n, &n);
    let arm: Vec<Expr<'p>> = n.iter().map(|&n| -n * radius / square).collect();
    across(r, &n, &c.velocity_at(&arm))
}

/// The tangent of a corner of a body in the plane on a line through the origin: its gap is harmonic in the angle.
fn corner<'p>(r: &Reader<'p, '_>, gap: Expr<'p>, c: &Carrier<'p>) -> Option<Tangents<'p>> {
    let angle = c.angle?;
    let x = positions(r);
    let u = velocities(r);
    let slopes = angle.gradient(&x);
    let turns: Vec<usize> = (0..x.len()).filter(|&k| !slopes[k].is_zero()).collect();
    let [phi] = turns.as_slice() else { return None };
    let phi = *phi;
    if slopes[phi] != r.pool.one() || angle.contains(r.time) {
        return None;
    }
    let n = normal_by(r, gap, &c.velocity, Some(phi))?;
    if n.iter().any(|e| e.contains_any(&x) || e.contains(r.time)) {
        return None;
    }
    let carried = product(r, &n, &c.velocity);
    let moment = gap.diff(x[phi]) - carried.diff(u[phi]);
    let slope = moment.diff(x[phi]);
    let square = product(r, &n, &n);
    let arm = vec![
        (n[1] * moment - n[0] * slope) / square,
        (-n[1] * slope - n[0] * moment) / square,
    ];
    if moment.is_zero() || vanish([moment]) {
        return None;
    }
    let place: Vec<Expr<'p>> = c.place.iter().zip(&arm).map(|(&a, &b)| a + b).collect();
    let fixed = arm[0].diff(x[phi]) + arm[1];
    let turned = arm[1].diff(x[phi]) - arm[0];
    let others = (0..x.len()).filter(|&k| k != phi);
    let still = others.flat_map(|k| {
        let own = gap.diff(x[k]) - carried.diff(u[k]);
        [own, arm[0].diff(x[k]), arm[1].diff(x[k])]
    });
    let offset = gap - product(r, &n, &place);
    let good = vanish(still.chain([fixed, turned, offset, gap.diff(r.time)]));
    good.then(|| across(r, &n, &c.velocity_at(&arm)))?
}
