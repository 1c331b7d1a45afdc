//! The points that a model places in space, and the links between them.

use galilei_expr::{Expr, ExprId, Rational};
use galilei_model::{Attitude, Model, Placed, Shape, Solid as Shaped};

use super::hinge::{Hinge, Observer, Seen, coincide, rests};
use super::{Mark, Solid, Stroke};

/// Number of points up to which links between them are searched for.
const MAX_LINKED_POINTS: usize = 80;

/// A point of the mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Point<'m> {
    /// Its components as functions of (t, x) and the parameters.
    pub(crate) at: Vec<Expr<'m>>,
    /// The kind of the point.
    pub(crate) mark: Mark,
    /// The name of its statement; empty if it has none.
    pub(crate) name: String,
    /// The number of the part it belongs to: that of a mass, or its own.
    pub(crate) group: usize,
}

/// Points and the strokes between them.
#[derive(Clone, Debug)]
pub(crate) struct Mechanism<'m> {
    pub(crate) points: Vec<Point<'m>>,
    pub(crate) strokes: Vec<(usize, usize, Stroke)>,
    pub(crate) solids: Vec<Solid>,
    /// Pairs of points that belong together without a stroke between them.
    pub(crate) attached: Vec<(usize, usize)>,
    /// Whether the ground is drawn: z = 0, in the plane y = 0.
    pub(crate) ground: bool,
    /// 1, 2 or 3.
    pub(crate) dimension: usize,
}

/// A mechanism under construction.
struct Assembly<'m> {
    model: &'m Model,
    observer: Observer<'m>,
    seen: Vec<Option<Seen>>,
    mechanism: Mechanism<'m>,
}

impl<'m> Mechanism<'m> {
    /// The mechanism of a model; `None` if it places nothing in space or has no numbers.
    pub(crate) fn new(model: &'m Model) -> Option<Self> {
        let parameters = model.parameter_values().ok()?;
        let observer = Observer::new(model.pool(), parameters, model.time(), model.positions());
        let mut assembly = Assembly {
            model,
            observer,
            seen: vec![],
            mechanism: Self {
                points: vec![],
                strokes: vec![],
                solids: vec![],
                attached: vec![],
                ground: false,
                dimension: 1,
            },
        };
        let (masses, joined): (Vec<_>, Vec<_>) = model
            .contents()
            .placed
            .iter()
            .partition(|p| matches!(p.statement, "particle" | "body"));
        masses.iter().for_each(|p| assembly.mass(p));
        let shapes = &model.contents().shapes;
        // Who gives shapes gives all of them.
        let shaped = shapes.iter().any(|s| s.solid != Shaped::Ground);
        let carried = assembly.skeleton(&masses, !shaped);
        joined.iter().for_each(|p| assembly.joined(p));
        if assembly.mechanism.points.len() <= MAX_LINKED_POINTS {
            assembly.link(&carried);
        }
        masses.iter().enumerate().for_each(|(k, p)| {
            if let Some(attitude) = p.attitude.as_ref().filter(|_| !shaped) {
                assembly.body(k, attitude);
            }
        });
        shapes.iter().for_each(|s| assembly.shape(s));
        Some(assembly.mechanism).filter(|m| !m.points.is_empty())
    }
}

impl<'m> Assembly<'m> {
    fn push(&mut self, at: Vec<Expr<'m>>, mark: Mark, name: &str) -> usize {
        self.seen.push(self.observer.see(&at));
        let m = &mut self.mechanism;
        m.dimension = m.dimension.max(at.len());
        m.points.push(Point {
            at,
            mark,
            name: name.to_owned(),
            group: m.points.len(),
        });
        m.points.len() - 1
    }

    /// A point of the part that another one belongs to, not drawn by itself.
    fn corner(&mut self, at: Vec<Expr<'m>>, of: usize) -> usize {
        let k = self.push(at, Mark::Corner, "");
        self.mechanism.points[k].group = self.mechanism.points[of].group;
        k
    }

    fn mass(&mut self, placed: &Placed<ExprId>) {
        let mark = match placed.statement {
            "body" => Mark::Centre,
            _ => Mark::Particle,
        };
        for point in &placed.points {
            self.push(self.model.exprs(point), mark, &placed.name);
        }
    }

    /// The ends of springs and dampers, the points that constraints keep together.
    fn joined(&mut self, placed: &Placed<ExprId>) {
        let stroke = match placed.statement {
            "spring" => Some(Stroke::Spring),
            "damper" => Some(Stroke::Damper),
            _ => None,
        };
        let model = self.model;
        let points = placed.points.iter().map(|p| model.exprs(p));
        let ends: Vec<usize> = points.map(|p| self.known(&p)).collect();
        if let (Some(stroke), [a, b]) = (stroke, ends.as_slice()) {
            self.mechanism.strokes.push((*a, *b, stroke));
        }
    }

    /// The point at a place, a new one if there is none.
    fn known(&mut self, at: &[Expr<'m>]) -> usize {
        let seen = self.observer.see(at);
        let there = seen.as_ref().and_then(|s| self.find(s, usize::MAX));
        there.unwrap_or_else(|| {
            let mark = match seen.is_some_and(|s| rests(&s)) {
                true => Mark::Ground,
                false => Mark::Joint,
            };
            self.push(at.to_vec(), mark, "")
        })
    }

    /// The point that was seen at the same places.
    fn find(&self, seen: &Seen, but: usize) -> Option<usize> {
        let same = |k: &usize| {
            let other = self.seen[*k].as_ref();
            *k != but && other.is_some_and(|o| coincide(o, seen))
        };
        (0..self.seen.len()).find(same)
    }

    /// Joins the origins of frames with those they are given in, and masses with the origins of their frames; frames that carry
    /// no mass are left out. Returns the points that are given in a frame.
    fn skeleton(&mut self, masses: &[&'m Placed<ExprId>], drawn: bool) -> Vec<usize> {
        let model = self.model;
        let frames = &model.contents().frames;
        let frame = |name: &str| frames.iter().find(|f| f.name == name);
        let (mut carried, mut passed): (Vec<usize>, Vec<&str>) = (vec![], vec![]);
        for (k, mass) in masses.iter().enumerate() {
            let (mut inner, mut name) = (k, mass.within.as_deref());
            while let Some(outer) = name {
                let known = passed.contains(&outer);
                let (at, next) = match (frame(outer), masses.iter().find(|m| m.name == outer)) {
                    (Some(f), _) => (&f.origin, f.within.as_deref()),
                    (None, Some(m)) => (&m.points[0], m.within.as_deref()),
                    (None, None) => break,
                };
                let at = model.exprs(at);
                let place = match drawn {
                    true => self.known(&at),
                    false => self.shape_point(&at),
                };
                if place != inner {
                    carried.push(inner);
                    match drawn {
                        true => self.mechanism.strokes.push((inner, place, Stroke::Link)),
                        false => self.mechanism.attached.push((inner, place)),
                    }
                }
                if known {
                    break;
                }
                passed.push(outer);
                (inner, name) = (place, next);
            }
        }
        carried
    }

    /// Joins every point with the centre it turns about, unless a frame carries it.
    fn link(&mut self, carried: &[usize]) {
        let mut k = 0;
        while k < self.mechanism.points.len()
            && self.mechanism.points.len() <= 2 * MAX_LINKED_POINTS
        {
            let point = self.mechanism.points[k].clone();
            if let Some(seen) = self.seen[k].clone()
                && !carried.contains(&k)
                && !rests(&seen)
                && let Some(hinge) = self.best(k, &point.at, &seen)
            {
                let centre = self.known(&hinge.centre);
                self.mechanism.strokes.push((k, centre, Stroke::Link));
            }
            k += 1;
        }
    }

    /// The preferred centre of a point: a known point, otherwise one at rest, otherwise any.
    fn best(&self, k: usize, at: &[Expr<'m>], seen: &Seen) -> Option<Hinge<'m>> {
        let hinges = self.observer.hinges(at, seen);
        let rank = |h: &Hinge<'m>| match (self.find(&h.seen, k), rests(&h.seen)) {
            (Some(_), _) => 0,
            (None, true) => 1,
            (None, false) => 2,
        };
        hinges.into_iter().min_by_key(rank)
    }

    /// A body as the uniform ball, disk, cylinder, box or rod that has its mass and its moments of inertia.
    fn body(&mut self, centre: usize, attitude: &Attitude<ExprId>) {
        let at = self.mechanism.points[centre].at.clone();
        let axes: Vec<_> = (attitude.axes.iter())
            .map(|axis| self.model.exprs(axis))
            .collect();
        if axes.len() == 3
            && let Some(round) = self.round(attitude)
        {
            self.solid(centre, &at, &axes, &round);
            return;
        }
        let halves = half_sides(self.model, attitude);
        if axes.len() == 2 {
            let half = halves.first().copied().unwrap_or(self.model.pool().zero());
            let along = self.rod(centre, &axes).unwrap_or(axes[0].clone());
            let ends = [-half, half].map(|by| self.corner(shifted(&at, &along, by), centre));
            self.mechanism.strokes.push((ends[0], ends[1], Stroke::Bar));
            return;
        }
        self.edges(centre, &at, &axes, &halves);
    }

    /// The direction of a rod in the plane that is linked to a point fixed in it, its joint: from the joint to its mass centre.
    fn rod(&self, centre: usize, axes: &[Vec<Expr<'m>>]) -> Option<Vec<Expr<'m>>> {
        let (pool, points) = (self.model.pool(), &self.mechanism.points);
        let at = &points[centre].at;
        let links = (self.mechanism.strokes.iter()).filter(|(_, _, s)| *s == Stroke::Link);
        let joints = links.filter_map(|&(a, b, _)| match (a == centre, b == centre) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        });
        let arms = joints.map(|joint| -> Vec<Expr<'m>> {
            let ends = at.iter().zip(&points[joint].at);
            ends.map(|(p, q)| *p - *q).collect()
        });
        let dot = |a: &[Expr<'m>], b: &[Expr<'m>]| pool.sum(a.iter().zip(b).map(|(a, b)| *a * *b));
        let mut fixed = arms.filter(|arm| {
            let own: Vec<Expr<'m>> = axes.iter().map(|axis| dot(arm, axis)).collect();
            self.observer.see(&own).is_some_and(|seen| rests(&seen))
        });
        let arm = fixed.next()?;
        let length = dot(&arm, &arm).sqrt();
        Some(arm.into_iter().map(|e| e / length).collect())
    }

    /// The edges of a box, in the plane of a rectangle, with half its sides along the axes.
    fn edges(&mut self, of: usize, at: &[Expr<'m>], axes: &[Vec<Expr<'m>>], halves: &[Expr<'m>]) {
        let n = axes.len().min(halves.len());
        let corner = |k: usize| -> Vec<Expr<'m>> {
            (0..n).fold(at.to_vec(), |place, bit| {
                let half = halves[bit];
                let by = if k >> bit & 1 == 0 { -half } else { half };
                shifted(&place, &axes[bit], by)
            })
        };
        let corners: Vec<usize> = (0..1 << n).map(|k| self.corner(corner(k), of)).collect();
        for k in 0..1 << n {
            for bit in (0..n).filter(|bit| k >> bit & 1 == 0) {
                let edge = (corners[k], corners[k | 1 << bit], Stroke::Edge);
                self.mechanism.strokes.push(edge);
            }
        }
    }

    /// A `shape` of the model.
    fn shape(&mut self, shape: &Shape<ExprId>) {
        let model = self.model;
        let sizes = model.exprs(&shape.sizes);
        let axes: Vec<Vec<Expr<'m>>> = shape.axes.iter().map(|a| model.exprs(a)).collect();
        let points: Vec<Vec<Expr<'m>>> = shape.points.iter().map(|p| model.exprs(p)).collect();
        let half = |e: Expr<'m>| e / Rational::from(2);
        if shape.solid == Shaped::Ground {
            self.mechanism.ground = true;
            return;
        }
        let places: Vec<usize> = points.iter().map(|p| self.shape_point(p)).collect();
        let (Some(&centre), Some(at)) = (places.first(), points.first()) else {
            return;
        };
        match (shape.solid, sizes.as_slice()) {
            (Shaped::Line, _) => {
                let pairs = places.windows(2).map(|p| (p[0], p[1], Stroke::Link));
                self.mechanism.strokes.extend(pairs);
            }
            (Shaped::Box, sides) => {
                let halves: Vec<Expr<'m>> = sides.iter().map(|s| half(*s)).collect();
                self.edges(centre, at, &axes, &halves);
            }
            (Shaped::Sphere, [radius, ..]) if axes.len() > 2 => {
                let ring = self.ring(centre, centre, at, [&axes[0], &axes[1]], *radius);
                self.mechanism.solids.push(Solid::Ball(ring));
            }
            (Shaped::Cylinder, [radius, height]) if axes.len() > 2 => {
                let [low, high] = [-half(*height), half(*height)].map(|by| {
                    let end = shifted(at, &axes[2], by);
                    let c = self.corner(end.clone(), centre);
                    self.ring(centre, c, &end, [&axes[0], &axes[1]], *radius)
                });
                self.mechanism.solids.push(Solid::Cylinder(low, high));
            }
            (Shaped::Cylinder, [radius, height]) if axes.len() == 2 => {
                self.edges(centre, at, &axes, &[half(*height), *radius]);
            }
            (_, [radius, ..]) if axes.len() > 1 => {
                let ring = self.ring(centre, centre, at, [&axes[0], &axes[1]], *radius);
                self.mechanism.solids.push(Solid::Disk(ring));
            }
            _ => {}
        }
    }

    /// The point of a shape: one that is there already, or a new one that is not drawn by itself.
    fn shape_point(&mut self, at: &[Expr<'m>]) -> usize {
        let seen = self.observer.see(at);
        let there = seen.as_ref().and_then(|s| self.find(s, usize::MAX));
        there.unwrap_or_else(|| self.push(at.to_vec(), Mark::Corner, ""))
    }

    /// A ring about a point: the point and the ends of two radii.
    fn ring(
        &mut self,
        of: usize,
        centre: usize,
        at: &[Expr<'m>],
        axes: [&Vec<Expr<'m>>; 2],
        radius: Expr<'m>,
    ) -> [usize; 3] {
        let [a, b] = axes.map(|axis| self.corner(shifted(at, axis, radius), of));
        [centre, a, b]
    }

    /// The round uniform body with the mass and the moments of a body in space, if there is one: with three equal moments a
    /// ball, with two a cylinder about the third axis.
    fn round(&self, a: &Attitude<ExprId>) -> Option<Round> {
        let known = self.model.parameter_values().ok()?;
        let number = |id: &ExprId| self.model.expr(*id).substitute(&known).evaluate_f64(&[]);
        let mass = number(&a.mass);
        let moments: Vec<f64> = a.inertia.iter().map(number).collect();
        let &[x, y, z] = moments.as_slice() else {
            return None;
        };
        let all = [mass, x, y, z];
        if !all.iter().all(|v| v.is_finite() && *v > 0.0) {
            return None;
        }
        let equal = |p: f64, q: f64| (p - q).abs() <= 1e-9 * p.max(q);
        if equal(x, y) && equal(y, z) {
            let radius = (2.5 * x / mass).sqrt();
            return Some(Round::Ball(radius));
        }
        let pairs = [(0, y, z), (1, z, x), (2, x, y)];
        let (axis, across, _) = pairs.into_iter().find(|(_, p, q)| equal(*p, *q))?;
        let along = moments[axis];
        let radius = (2.0 * along / mass).sqrt();
        let height = (12.0 * across / mass - 3.0 * radius * radius).max(0.0);
        // Rounding leaves a thin disk a little height.
        let height = match height <= 1e-9 * radius * radius {
            true => 0.0,
            false => height.sqrt(),
        };
        Some(Round::Cylinder {
            axis,
            radius,
            height,
        })
    }

    /// Adds the points of a round body.
    fn solid(&mut self, centre: usize, at: &[Expr<'m>], axes: &[Vec<Expr<'m>>], round: &Round) {
        let pool = self.model.pool();
        let number =
            |x: f64| pool.number(Rational::from_f64(x).unwrap_or_else(|| Rational::from(0)));
        match *round {
            Round::Ball(radius) => {
                let ring = self.ring(centre, centre, at, [&axes[0], &axes[1]], number(radius));
                self.mechanism.solids.push(Solid::Ball(ring));
            }
            Round::Cylinder {
                axis,
                radius,
                height,
            } => {
                let sides = [&axes[(axis + 1) % 3], &axes[(axis + 2) % 3]];
                if height == 0.0 {
                    let ring = self.ring(centre, centre, at, sides, number(radius));
                    self.mechanism.solids.push(Solid::Disk(ring));
                    return;
                }
                let [low, high] = [-0.5, 0.5].map(|s| {
                    let end = shifted(at, &axes[axis], number(s * height));
                    let c = self.corner(end.clone(), centre);
                    self.ring(centre, c, &end, sides, number(radius))
                });
                self.mechanism.solids.push(Solid::Cylinder(low, high));
            }
        }
    }
}

/// A point moved along an axis.
fn shifted<'m>(from: &[Expr<'m>], axis: &[Expr<'m>], by: Expr<'m>) -> Vec<Expr<'m>> {
    let parts = from.iter().zip(axis);
    parts.map(|(c, a)| *c + *a * by).collect()
}

/// A round uniform body.
enum Round {
    /// The radius.
    Ball(f64),
    /// A cylinder; a thin disk if its height is 0.
    Cylinder {
        axis: usize,
        radius: f64,
        height: f64,
    },
}

/// Half the length of a uniform rod with mass M and moment J, √(3J/M), or half the sides of a uniform box with
/// moments A, B, C: √(3(B + C − A)/2M) along the first axis, and so on.
fn half_sides<'m>(model: &'m Model, a: &Attitude<ExprId>) -> Vec<Expr<'m>> {
    let mass = model.expr(a.mass);
    let root = |moment: Expr<'m>, factor: Rational| (factor * moment / mass).abs().sqrt();
    match model.exprs(&a.inertia).as_slice() {
        [j] => vec![root(*j, Rational::from(3))],
        [x, y, z] => [*y + *z - *x, *z + *x - *y, *x + *y - *z]
            .map(|m| root(m, Rational::new(3, 2)))
            .to_vec(),
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Footage;
    use galilei_model::{Settings, read};

    fn model(text: &str) -> Model {
        read(text, &Settings::default()).model.expect("a model")
    }

    fn marks(m: &Mechanism<'_>) -> Vec<Mark> {
        m.points.iter().map(|p| p.mark).collect()
    }

    const CHAIN: &str = "param a = 1, b = 2\ncoord p, q\nlet one = a*(sin(p), -cos(p))\n\
        let two = one + b*(sin(q), -cos(q))\nparticle first: mass 1 at one\nparticle second: mass 1 at two\n";

    #[test]
    fn a_chain_hangs_together() {
        let model = model(CHAIN);
        let m = Mechanism::new(&model).unwrap();
        assert_eq!(marks(&m), [Mark::Particle, Mark::Particle, Mark::Ground]);
        assert_eq!(m.strokes, [(0, 2, Stroke::Link), (1, 0, Stroke::Link)]);
    }

    #[test]
    fn what_changes_its_distance_is_not_linked() {
        let model = model("coord r, phi\nparticle planet: mass 1 at r*(cos(phi), sin(phi))\n");
        let m = Mechanism::new(&model).unwrap();
        assert!(m.strokes.is_empty() && m.points.len() == 1);
    }

    #[test]
    fn springs_have_ends() {
        let model = model(
            "coord x\nparticle m: mass 1 at (x, 0)\nspring s: stiffness 1 from (1, 0) to (x, 0)\n",
        );
        let m = Mechanism::new(&model).unwrap();
        assert_eq!(marks(&m), [Mark::Particle, Mark::Ground]);
        assert_eq!(m.strokes, [(1, 0, Stroke::Spring)]);
    }

    /// A rod of length 2 and mass 3 about its middle has J = ml²/12 = 1; a box with sides 2, 4, 6 and
    /// mass 12 has A = m(4² + 6²)/12 = 52, B = 40, C = 20.
    #[test]
    fn bodies_have_the_size_of_their_inertia() {
        let plane = model("coord f\nbody rod: mass 3 inertia 1 at (0, 0) angle f\n");
        let m = Mechanism::new(&plane).unwrap();
        let scene = Footage::new(&m, &plane, &[&[0.0, 0.0]]).unwrap().fixed();
        let bar = m.strokes.iter().find(|s| s.2 == Stroke::Bar).unwrap();
        let ends = [bar.0, bar.1].map(|k| scene.frames[0][k]);
        let length = (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1]);
        assert!((length / scene.window.scale - 2.0).abs() < 1e-9);
        let half = half_sides(
            &plane,
            plane.contents().placed[0].attitude.as_ref().unwrap(),
        );
        assert_eq!(half.len(), 1);
        let space = model(
            "coord a, b, c\nbody box: mass 12 inertia (52, 40, 20) at (0, 0, 0) rotation zxz(a, b, c)\n",
        );
        let attitude = space.contents().placed[0].attitude.as_ref().unwrap();
        let sides: Vec<f64> = half_sides(&space, attitude)
            .iter()
            .map(|h| h.evaluate_f64(&[]))
            .collect();
        for (side, wanted) in sides.iter().zip([1.0, 2.0, 3.0]) {
            assert!((side - wanted).abs() < 1e-12, "{sides:?}");
        }
        let m = Mechanism::new(&space).unwrap();
        assert_eq!(m.strokes.iter().filter(|s| s.2 == Stroke::Edge).count(), 12);
    }

    /// Uniform bodies with equal moments are round: a ball of radius 3, a thin disk of radius 2, a cylinder of radius 2
    /// and height 6.
    /// A rod of length 2 that hangs on its end is drawn from there, whichever axis its angle is measured from.
    #[test]
    fn a_hanging_rod_begins_at_its_joint() {
        for place in ["(sin(f), -cos(f))", "(cos(f), sin(f))"] {
            let text = format!("coord f\nbody rod: mass 3 inertia 1 at {place} angle f\n");
            let plane = model(&text);
            let m = Mechanism::new(&plane).unwrap();
            let scene = Footage::new(&m, &plane, &[&[0.0, 0.4]]).unwrap().fixed();
            let bar = m.strokes.iter().find(|s| s.2 == Stroke::Bar).unwrap();
            let joint = marks(&m).iter().position(|k| *k == Mark::Ground).unwrap();
            let at = &scene.frames[0];
            let off = |k: usize| (at[k][0] - at[joint][0]).hypot(at[k][1] - at[joint][1]);
            assert!(off(bar.0) < 1e-9, "{place}");
            assert!(
                (off(bar.1) / scene.window.scale - 2.0).abs() < 1e-9,
                "{place}"
            );
        }
    }

    #[test]
    fn bodies_with_equal_moments_are_round() {
        let solids = |inertia: &str| {
            let text = format!(
                "coord a, b, c\nbody wheel: mass 20 inertia {inertia} at (0, 0, 0) rotation zxz(a, b, c)\n"
            );
            let space = model(&text);
            let m = Mechanism::new(&space).unwrap();
            let at = Footage::new(&m, &space, &[&[0.0; 4]]).unwrap().fixed();
            let radius = match m.solids[0] {
                Solid::Ball(_) => at.solids[0].1 / at.window.scale,
                _ => 0.0,
            };
            (m.solids[0].code(), radius)
        };
        let (kind, radius) = solids("(72, 72, 72)");
        assert!(kind == 1 && (radius - 3.0).abs() < 1e-9, "{radius}");
        assert_eq!(solids("(40, 20, 20)").0, 0);
        assert_eq!(solids("(80, 80, 40)").0, 2);
    }

    /// A wheel given by shapes is round, and bodies are then not drawn by their inertia.
    #[test]
    fn shapes_are_drawn() {
        let model = model(
            "param r = 2\ncoord x, phi\nbody wheel: mass 1 inertia 1 at (x, r) angle phi\n\
             shape rim: disk r on wheel\nshape spoke: line (0, 0), (r, 0) on wheel\nshape: ground\n",
        );
        let m = Mechanism::new(&model).unwrap();
        assert!(m.ground && m.strokes.iter().all(|s| s.2 != Stroke::Bar));
        let [Solid::Disk([c, a, b])] = m.solids[..] else {
            panic!("{:?}", m.solids);
        };
        let scene = Footage::new(&m, &model, &[&[0.0, 1.0, 0.7]])
            .unwrap()
            .fixed();
        let far = |p: usize| {
            let [p, q] = [p, c].map(|k| scene.frames[0][k]);
            (p[0] - q[0]).hypot(p[1] - q[1]) / scene.window.scale
        };
        assert!((far(a) - 2.0).abs() < 1e-9 && (far(b) - 2.0).abs() < 1e-9);
        assert!(m.strokes.iter().any(|s| s.2 == Stroke::Link));
    }

    /// A crank and a rod that a constraint pins to a slide: the pins are found, and so is the crank.
    #[test]
    fn constraints_are_joints() {
        let model = model(
            "coord p, q, s\nlet pin = (cos(p), sin(p)) + 3*(cos(q), sin(q))\nkinetic: p'^2 + q'^2\n\
             particle slide: mass 1 at (s, 0)\nconstraint slot: pin = (s, 0)\n",
        );
        let m = Mechanism::new(&model).unwrap();
        let links = m.strokes.iter().filter(|s| s.2 == Stroke::Link).count();
        assert_eq!(links, 2, "{:?}", m.strokes);
        assert!(marks(&m).contains(&Mark::Ground));
    }
    /// An arm of frames is a line through its joints, with masses between them; a frame that carries nothing is no part of it.
    const ARM: &str = "coord a, b\nframe base: at (0, 0, 1) rotation z(a)\nframe fore: in base at (2, 0, 0) rotation y(b)\n\
        frame tool: in fore at (3, 0, 0)\nbody lower: mass 1 inertia (1, 2, 2) in base at (1, 0, 0)\n\
        particle tip: mass 1 in fore at (0, 0, -1)\n";

    #[test]
    fn frames_are_the_skeleton_of_an_arm() {
        let model = model(ARM);
        let m = Mechanism::new(&model).unwrap();
        let scene = Footage::new(&m, &model, &[&[0.0; 3]]).unwrap().fixed();
        let length = |s: &(usize, usize, Stroke)| {
            let [p, q] = [s.0, s.1].map(|k| scene.frames[0][k]);
            (p[0] - q[0]).hypot(p[1] - q[1]) / scene.window.scale
        };
        let links: Vec<_> = (m.strokes.iter()).filter(|s| s.2 == Stroke::Link).collect();
        let names: Vec<_> = links
            .iter()
            .map(|s| [s.0, s.1].map(|k| m.points[k].name.as_str()))
            .collect();
        assert_eq!(names, [["lower", ""], ["tip", ""], ["", ""]]);
        // Both joints are one link with the mass of the lower arm in its middle: seen obliquely, but in one line.
        let halves = length(links[0]) / length(links[2]);
        assert!((halves - 0.5).abs() < 1e-9, "{halves}");
        assert_eq!((links[0].1, links[1].1), (links[2].1, links[2].0));
    }

    /// With shapes nothing but them is drawn, and the frames still say what hangs together.
    #[test]
    fn frames_join_what_has_shapes() {
        let model = model(&format!("{ARM}shape ball: sphere 0.1 on fore\n"));
        let m = Mechanism::new(&model).unwrap();
        assert!(
            m.strokes.iter().all(|s| s.2 != Stroke::Link),
            "{:?}",
            m.strokes
        );
        assert_eq!(m.attached.len(), 3);
    }
}
