//! What a model places in space, and what joins it.

use galilei_expr::{Expr, Rational};
use galilei_model::{Attitude, Model, Placed};

use super::hinge::{Hinge, Observer, Seen, coincide, rests};
use super::{Mark, Stroke};

/// Points that are placed at most; larger models are drawn without links between them.
const LINKED: usize = 80;

/// A point of the mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Point<'m> {
    /// Its components as functions of (t, x), with numbers for the parameters still to come.
    pub(crate) at: Vec<Expr<'m>>,
    /// What it is.
    pub(crate) mark: Mark,
    /// The name of its statement; empty for what has none.
    pub(crate) name: String,
}

/// Points and what joins them.
#[derive(Clone, Debug)]
pub(crate) struct Mechanism<'m> {
    pub(crate) points: Vec<Point<'m>>,
    pub(crate) strokes: Vec<(usize, usize, Stroke)>,
    /// 1, 2 or 3.
    pub(crate) dimension: usize,
}

/// A mechanism in the making.
struct Assembly<'m> {
    observer: Observer<'m>,
    seen: Vec<Option<Seen>>,
    mechanism: Mechanism<'m>,
}

impl<'m> Mechanism<'m> {
    /// The mechanism of a model; `None` if it places nothing in space or has no numbers.
    pub(crate) fn new(model: &'m Model) -> Option<Self> {
        let contents = model.contents();
        let positions = contents.coordinates.iter().map(|c| c.position).collect();
        let parameters = model.parameter_values().ok()?;
        let observer = Observer::new(model.pool(), parameters, contents.time, positions);
        let mut assembly = Assembly {
            observer,
            seen: vec![],
            mechanism: Self {
                points: vec![],
                strokes: vec![],
                dimension: 1,
            },
        };
        let (masses, joined): (Vec<_>, Vec<_>) = contents
            .placed
            .iter()
            .partition(|p| matches!(p.statement, "particle" | "body"));
        masses.iter().for_each(|p| assembly.mass(p));
        joined.iter().for_each(|p| assembly.joined(p));
        if assembly.mechanism.points.len() <= LINKED {
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

    fn mass(&mut self, placed: &Placed<Expr<'m>>) {
        let mark = match placed.statement {
            "body" => Mark::Centre,
            _ => Mark::Particle,
        };
        for point in &placed.points {
            self.push(point.clone(), mark, &placed.name);
        }
    }

    /// The ends of springs and dampers, the points that constraints keep together.
    fn joined(&mut self, placed: &Placed<Expr<'m>>) {
        let stroke = match placed.statement {
            "spring" => Some(Stroke::Spring),
            "damper" => Some(Stroke::Damper),
            _ => None,
        };
        let ends: Vec<usize> = placed.points.iter().map(|p| self.known(p)).collect();
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

    /// Joins every point with what it turns about.
    fn link(&mut self) {
        let mut k = 0;
        while k < self.mechanism.points.len() && self.mechanism.points.len() <= 2 * LINKED {
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

    /// Of the centres a known point first, then one at rest, then any.
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
    fn body(&mut self, centre: usize, attitude: &Attitude<Expr<'m>>) {
        let at = self.mechanism.points[centre].at.clone();
        let halves = half_sides(attitude);
        let corner = |signs: &[i64]| -> Vec<Expr<'m>> {
            let mut corner = at.clone();
            for ((axis, half), sign) in attitude.axes.iter().zip(&halves).zip(signs) {
                for (c, a) in corner.iter_mut().zip(axis) {
                    *c += *a * *half * *sign;
                }
            }
            corner
        };
        if attitude.axes.len() == 2 {
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
fn half_sides<'m>(a: &Attitude<Expr<'m>>) -> Vec<Expr<'m>> {
    let root = |moment: Expr<'m>, factor: Rational| (factor * moment / a.mass).abs().sqrt();
    match a.inertia.as_slice() {
        [j] => vec![root(*j, Rational::from(3))],
        [x, y, z] => [*y + *z - *x, *z + *x - *y, *x + *y - *z]
            .map(|m| root(m, Rational::new(3, 2)))
            .to_vec(),
        _ => vec![],
    }
}
