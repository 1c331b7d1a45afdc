//! The points that a model places in space, and the links between them.

use galilei_expr::{Expr, ExprId, Rational};
use galilei_model::{Attitude, Model, Placed};

use super::hinge::{Hinge, Observer, Seen, coincide, rests};
use super::{Mark, Stroke};

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
}

/// Points and the strokes between them.
#[derive(Clone, Debug)]
pub(crate) struct Mechanism<'m> {
    pub(crate) points: Vec<Point<'m>>,
    pub(crate) strokes: Vec<(usize, usize, Stroke)>,
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
                dimension: 1,
            },
        };
        let (masses, joined): (Vec<_>, Vec<_>) = model
            .contents()
            .placed
            .iter()
            .partition(|p| matches!(p.statement, "particle" | "body"));
        masses.iter().for_each(|p| assembly.mass(p));
        joined.iter().for_each(|p| assembly.joined(p));
        if assembly.mechanism.points.len() <= MAX_LINKED_POINTS {
            assembly.link();
        }
        masses.iter().enumerate().for_each(|(k, p)| {
            if let Some(attitude) = &p.attitude {
                assembly.body(k, attitude);
            }
        });
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
        });
        m.points.len() - 1
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

    /// Joins every point with the centre it turns about.
    fn link(&mut self) {
        let mut k = 0;
        while k < self.mechanism.points.len()
            && self.mechanism.points.len() <= 2 * MAX_LINKED_POINTS
        {
            let point = self.mechanism.points[k].clone();
            if let Some(seen) = self.seen[k].clone()
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

    /// A body as the uniform rod, or box, that has its mass and its moments of inertia.
    fn body(&mut self, centre: usize, attitude: &Attitude<ExprId>) {
        let at = self.mechanism.points[centre].at.clone();
        let halves = half_sides(self.model, attitude);
        let axes: Vec<_> = (attitude.axes.iter())
            .map(|axis| self.model.exprs(axis))
            .collect();
        let corner = |signs: &[i64]| -> Vec<Expr<'m>> {
            let mut corner = at.clone();
            for ((axis, half), sign) in axes.iter().zip(&halves).zip(signs) {
                for (c, a) in corner.iter_mut().zip(axis) {
                    *c += *a * *half * *sign;
                }
            }
            corner
        };
        if axes.len() == 2 {
            let ends = [-1, 1].map(|s| self.push(corner(&[s]), Mark::Corner, ""));
            self.mechanism.strokes.push((ends[0], ends[1], Stroke::Bar));
            return;
        }
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -1 } else { 1 };
        let corners: Vec<usize> = (0..8)
            .map(|k| {
                let place = corner(&[sign(k, 0), sign(k, 1), sign(k, 2)]);
                self.push(place, Mark::Corner, "")
            })
            .collect();
        for k in 0..8 {
            for bit in (0..3).filter(|bit| k >> bit & 1 == 0) {
                let edge = (corners[k], corners[k | 1 << bit], Stroke::Edge);
                self.mechanism.strokes.push(edge);
            }
        }
    }
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
    use crate::figure::Scene;
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
        let scene = Scene::new(&m, &plane, &[&[0.0, 0.0]]).unwrap();
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
}
