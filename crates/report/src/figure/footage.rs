//! The mechanism over many states, before a window is chosen: what travels, and what is far away.

use galilei_expr::Program;
use galilei_model::Model;

use super::camera::{Extent, Window, seen};
use super::scene::{Camera, Scene};
use super::{Mark, Mechanism, Solid};

/// The width of pictures of the mechanism.
const WIDTH: f64 = 460.0;
/// A part that enlarges the picture by more than this factor is an outlier.
const OUTLIER_FACTOR: f64 = 6.0;
/// The fraction of the states, at each end of a quantity, that may be outliers.
const OUTLIER_FRACTION: f64 = 0.02;
/// A mechanism that travels farther than this multiple of its size is followed.
const FOLLOWED_TRAVEL: f64 = 5.0;
/// The size of the window that follows, relative to the mechanism.
const FOLLOWING_ROOM: f64 = 2.0;
/// The fraction of the run over which the camera averages the place of what it follows.
const CAMERA_SMOOTHING: f64 = 0.03;
/// The smallest size of a picture of one state, relative to the whole motion.
const MIN_STILL: f64 = 0.3;
/// Motions smaller than this multiple of the lengths of the model are not enlarged.
const MIN_MOTION: f64 = 1e-5;

/// The points of a mechanism at many states, as the observer sees them.
pub(crate) struct Footage<'a, 'm> {
    mechanism: &'a Mechanism<'m>,
    times: Vec<f64>,
    /// For each state the points, in units of length.
    frames: Vec<Vec<[f64; 2]>>,
    /// Radii of the balls, by solid.
    radii: Vec<f64>,
    /// For each point the number of its part: what belongs to one mass and what is joined to it.
    parts: Vec<usize>,
    /// A length of the order of those in the model.
    reference: f64,
}

impl<'a, 'm> Footage<'a, 'm> {
    /// The mechanism at states that begin with (t, x); `None` if it cannot be drawn.
    pub(crate) fn new(
        mechanism: &'a Mechanism<'m>,
        model: &'m Model,
        states: &[&[f64]],
    ) -> Option<Self> {
        let n = model.degrees_of_freedom();
        let mut inputs = vec![model.time()];
        inputs.extend(model.positions());
        let parts: Vec<_> = mechanism.points.iter().flat_map(|p| p.at.clone()).collect();
        let parameters = model.parameter_values().ok()?;
        let parts = model.pool().substitute_all(&parts, &parameters);
        let program = Program::new(&parts, &inputs).ok()?;
        let look = |state: &&[f64]| {
            let mut values = program.f64(&state[..=n]).into_iter();
            let place = |size: usize| {
                let mut p = [0.0; 3];
                p.iter_mut()
                    .zip(values.by_ref().take(size))
                    .for_each(|(p, v)| *p = v);
                p
            };
            let sizes = mechanism.points.iter().map(|p| p.at.len());
            sizes.map(place).collect::<Vec<[f64; 3]>>()
        };
        let places: Vec<Vec<[f64; 3]>> = states.iter().map(look).collect();
        if !places.iter().flatten().flatten().any(|x| x.is_finite()) {
            return None;
        }
        let distance = |p: [f64; 3], q: [f64; 3]| {
            let squares = p.iter().zip(q).map(|(p, q)| (p - q) * (p - q));
            squares.sum::<f64>().sqrt()
        };
        let radius = |solid: &Solid| match (solid, places.first()) {
            (Solid::Ball([c, a, _]), Some(first)) => distance(first[*c], first[*a]),
            _ => 0.0,
        };
        let far = places.iter().flatten().flatten().filter(|x| x.is_finite());
        let far = far.fold(0.0, |a: f64, x| a.max(x.abs()));
        let reference = [longest(model), far].into_iter().find(|l| *l > 0.0);
        let dimension = mechanism.dimension;
        let frames = places.iter().map(|frame| {
            let points = frame.iter().map(|&p| seen(p, dimension));
            points.collect::<Vec<[f64; 2]>>()
        });
        Some(Self {
            mechanism,
            times: states.iter().map(|s| s[0]).collect(),
            radii: mechanism.solids.iter().map(radius).collect(),
            frames: frames.collect(),
            parts: parts_of(mechanism),
            reference: reference.unwrap_or(1.0),
        })
    }

    /// The number of parts.
    fn groups(&self) -> usize {
        self.parts.iter().map(|p| p + 1).max().unwrap_or(0)
    }

    /// The box around each part in a frame.
    fn boxes(&self, frame: &[[f64; 2]]) -> Vec<Extent> {
        let mut boxes = vec![Extent::EMPTY; self.groups()];
        let mut add = |k: usize, room: [f64; 2]| {
            let group = self.parts[k];
            boxes[group] = boxes[group].with(Extent::around(frame[k], room));
        };
        for k in 0..frame.len() {
            add(k, [0.0; 2]);
        }
        for (solid, &radius) in self.mechanism.solids.iter().zip(&self.radii) {
            match solid {
                Solid::Ball([c, ..]) => add(*c, [radius; 2]),
                _ => solid.rings().for_each(|[c, a, b]| {
                    let half =
                        |i: usize| (frame[a][i] - frame[c][i]).hypot(frame[b][i] - frame[c][i]);
                    add(c, [half(0), half(1)]);
                }),
            }
        }
        boxes
    }

    /// The parts that are shown, and the box of their motion without outliers.
    fn shown(&self, boxes: &[Vec<Extent>]) -> (Vec<bool>, Extent) {
        let count = self.groups();
        let paths: Vec<Extent> = (0..count).map(|g| typical(boxes, g)).collect();
        let mut kept = vec![true; count];
        let union = |kept: &[bool], but: usize| {
            let all = (0..count).filter(|&g| kept[g] && g != but);
            all.map(|g| paths[g]).fold(Extent::EMPTY, Extent::with)
        };
        // At most half of the parts are outliers.
        for _ in 0..count / 2 {
            let whole = union(&kept, usize::MAX).diagonal();
            let rest = |g: &usize| union(&kept, *g).diagonal();
            let smallest = (0..count)
                .filter(|&g| kept[g])
                .map(|g| (g, rest(&g)))
                .filter(|(_, size)| *size > 0.0 && whole > OUTLIER_FACTOR * size)
                .min_by(|a, b| a.1.total_cmp(&b.1));
            match smallest {
                Some((g, _)) => kept[g] = false,
                None => break,
            }
        }
        let extent = union(&kept, usize::MAX);
        (kept, extent)
    }

    /// The box of the whole motion, never of an absurd size.
    fn whole(&self) -> (Vec<bool>, Extent) {
        let boxes: Vec<Vec<Extent>> = self.frames.iter().map(|f| self.boxes(f)).collect();
        let (kept, extent) = self.shown(&boxes);
        match extent.diagonal() < MIN_MOTION * self.reference {
            true => (kept, extent.at_least(self.reference)),
            false => (kept, extent),
        }
    }

    /// The whole motion in a fixed window.
    pub(crate) fn fixed(&self) -> Scene {
        let (_, extent) = self.whole();
        self.scene(Window::around(extent, WIDTH), self.frames.len(), None)
    }

    /// The first state.
    pub(crate) fn first(&self) -> Scene {
        let (kept, whole) = self.whole();
        let boxes = self.frames.first().map(|f| self.boxes(f));
        let boxes = boxes.unwrap_or_default();
        let here = boxes.iter().zip(&kept).filter(|(_, kept)| **kept);
        let here = here.fold(Extent::EMPTY, |all, (b, _)| all.with(*b));
        let extent = match here.is_empty() {
            true => whole,
            false => here.at_least(MIN_STILL * whole.diagonal()),
        };
        self.scene(Window::around(extent, WIDTH), 1, None)
    }

    /// The motion in a window that moves with the mechanism, if it travels far; otherwise in a fixed one.
    pub(crate) fn followed(&self) -> Scene {
        let boxes: Vec<Vec<Extent>> = self.frames.iter().map(|f| self.boxes(f)).collect();
        let (kept, _) = self.shown(&boxes);
        // What rests alone is not part of what travels.
        let mut travels = vec![false; kept.len()];
        for (k, point) in self.mechanism.points.iter().enumerate() {
            travels[self.parts[k]] |= point.mark != Mark::Ground;
        }
        let frame = |b: &Vec<Extent>| {
            let shown = b.iter().zip(kept.iter().zip(&travels));
            let shown = shown.filter(|(_, (kept, travels))| **kept && **travels);
            shown.fold(Extent::EMPTY, |all, (b, _)| all.with(*b))
        };
        let each: Vec<Extent> = boxes.iter().map(frame).filter(|e| !e.is_empty()).collect();
        if each.len() < self.frames.len() {
            return self.fixed();
        }
        let middles: Vec<[f64; 2]> = each.iter().map(Extent::middle).collect();
        let points = middles.iter().map(|&m| Extent::around(m, [0.0; 2]));
        let travel = points.fold(Extent::EMPTY, Extent::with).diagonal();
        let size = quantile(each.iter().map(Extent::diagonal), 0.5);
        if size <= MIN_MOTION * self.reference || travel <= FOLLOWED_TRAVEL * size {
            return self.fixed();
        }
        let largest = [0, 1].map(|k| quantile(each.iter().map(|e| e.size()[k]), 0.95));
        let place = smoothed(&middles);
        let side = 0.5 * FOLLOWING_ROOM * largest[0].max(largest[1]).max(size);
        let half = [side, (0.6 * side).max(0.6 * largest[1])];
        let window = Window::around(Extent::around(place[0], half), WIDTH);
        let origin = window.place(place[0]);
        let moved = place.iter().map(|&p| {
            let [x, y] = window.place(p);
            [x - origin[0], y - origin[1]]
        });
        let camera = Camera {
            moved: moved.collect(),
        };
        self.scene(window, self.frames.len(), Some(camera))
    }

    fn scene(&self, window: Window, frames: usize, camera: Option<Camera>) -> Scene {
        let m = self.mechanism;
        let place = |frame: &Vec<[f64; 2]>| frame.iter().map(|p| window.place(*p)).collect();
        let radii = self.radii.iter().map(|r| r * window.scale);
        let zero = window.place(seen([0.0; 3], m.dimension));
        let step = 0.5 * window.ruler().0;
        let direction = |e: [f64; 3]| {
            let [x, y] = window.place(seen(e, m.dimension));
            [x - zero[0], y - zero[1]]
        };
        let steps = [direction([step, 0.0, 0.0]), direction([0.0, step, 0.0])];
        let lattice = camera.is_some() || m.ground && m.dimension == 3;
        Scene {
            floor: (m.ground && m.dimension < 3).then_some(zero[1]),
            lattice: lattice.then_some([zero, steps[0], steps[1]]),
            marks: m.points.iter().map(|p| (p.mark, p.name.clone())).collect(),
            strokes: m.strokes.clone(),
            solids: m.solids.iter().copied().zip(radii).collect(),
            times: self.times[..frames].to_vec(),
            frames: self.frames[..frames].iter().map(place).collect(),
            window: window.clone(),
            dimension: m.dimension,
            camera,
        }
    }
}

/// For each point the smallest number of a group that is joined to its own.
fn parts_of(mechanism: &Mechanism<'_>) -> Vec<usize> {
    let mut parts: Vec<usize> = mechanism.points.iter().map(|p| p.group).collect();
    let strokes = mechanism.strokes.iter().map(|s| (s.0, s.1));
    for (a, b) in strokes.chain(mechanism.attached.iter().copied()) {
        let (low, high) = (parts[a].min(parts[b]), parts[a].max(parts[b]));
        let joined = parts.iter_mut().filter(|p| **p == high);
        joined.for_each(|p| *p = low);
    }
    parts
}

/// The box in which a part is seen at nearly all states.
fn typical(boxes: &[Vec<Extent>], group: usize) -> Extent {
    let there = || boxes.iter().map(|b| b[group]).filter(|e| !e.is_empty());
    let all = there().fold(Extent::EMPTY, Extent::with);
    if all.is_empty() {
        return all;
    }
    let low = |k: usize| quantile(there().map(|e| e.low[k]), OUTLIER_FRACTION);
    let high = |k: usize| quantile(there().map(|e| e.high[k]), 1.0 - OUTLIER_FRACTION);
    let most = Extent {
        low: [low(0), low(1)],
        high: [high(0), high(1)],
    };
    match all.diagonal() > OUTLIER_FACTOR * most.diagonal() && most.diagonal() > 0.0 {
        true => most,
        false => all,
    }
}

/// The value below which a fraction of the values lies.
fn quantile(values: impl Iterator<Item = f64>, fraction: f64) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted
        .get((last as f64 * fraction).round() as usize)
        .copied()
        .unwrap_or(0.0)
}

/// Means over neighbouring places, fewer at both ends.
fn smoothed(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let reach = (CAMERA_SMOOTHING * places.len() as f64) as usize;
    let mean = |k: usize| {
        let r = reach.min(k).min(places.len() - 1 - k);
        let some = &places[k - r..=k + r];
        [0, 1].map(|i| some.iter().map(|p| p[i]).sum::<f64>() / some.len() as f64)
    };
    (0..places.len()).map(mean).collect()
}

/// The longest length among the parameters, 0 if there is none.
fn longest(model: &Model) -> f64 {
    let known = model.parameter_values().unwrap_or_default();
    let lengths = model.contents().parameters.iter().filter(|p| {
        let unit = p.unit.as_deref().unwrap_or_default();
        matches!(unit, "m" | "cm" | "mm" | "km" | "um" | "nm")
    });
    let values = lengths.map(|p| model.expr(p.symbol).substitute(&known).evaluate_f64(&[]));
    let finite = values.filter(|v| v.is_finite());
    finite.fold(0.0, |a: f64, v| a.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use galilei_model::{Settings, read};

    fn model(text: &str) -> Model {
        read(text, &Settings::default()).model.expect("a model")
    }

    const PARTICLE: &str =
        "param m = 1 [kg], R = 0.5 [m]\ncoord x [m], y [m]\nparticle p: mass m at (x, y)\n";

    /// A particle alone at the start of its path is seen at the scale of the path, not of rounding.
    #[test]
    fn the_scale_of_a_lone_particle_is_that_of_its_path_or_of_the_model() {
        let model = model(PARTICLE);
        let m = Mechanism::new(&model).unwrap();
        let rows: Vec<Vec<f64>> = (0..100)
            .map(|k| vec![0.0, 0.03 * f64::from(k), 0.0])
            .collect();
        let states: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let still = Footage::new(&m, &model, &states).unwrap().first();
        assert!((0.1..1.0).contains(&still.window.ruler().0));
        let resting = Footage::new(&m, &model, &[&[0.0, 1.0, 1.0], &[1.0, 1.0 + 1e-12, 1.0]]);
        let ruler = resting.unwrap().fixed().window.ruler().0;
        assert!((0.02..0.6).contains(&ruler), "{ruler}");
    }

    /// Two particles near each other and one that escapes: the picture is of the two.
    #[test]
    fn outliers_do_not_set_the_scale() {
        let model = model(
            "coord a, b, c\nparticle p: mass 1 at (a, 0)\nparticle q: mass 1 at (b, 1)\nparticle r: mass 1 at (c, 2)\n",
        );
        let m = Mechanism::new(&model).unwrap();
        let row = |k: u32| {
            let t = f64::from(k) / 100.0;
            vec![t, t.sin(), t.cos(), 500.0 * t]
        };
        let rows: Vec<Vec<f64>> = (0..=100).map(row).collect();
        let states: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let scene = Footage::new(&m, &model, &states).unwrap().fixed();
        assert!(scene.window.ruler().0 <= 1.0, "{:?}", scene.window.ruler());
        let single = Footage::new(&m, &model, &states[..1]).unwrap().fixed();
        assert!(single.camera.is_none());
    }

    /// A pendulum on a pivot that hardly moves is one part: its bob is no outlier.
    #[test]
    fn what_hangs_together_is_seen_together() {
        let model = model(
            "coord a\nparticle pivot: mass 1 at (0, 0.01*sin(t))\n\
             particle bob: mass 1 at (sin(a), 0.01*sin(t) - cos(a))\n",
        );
        let m = Mechanism::new(&model).unwrap();
        let rows: Vec<Vec<f64>> = (0..50).map(|k| vec![0.1 * f64::from(k), 0.5]).collect();
        let states: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let scene = Footage::new(&m, &model, &states).unwrap().fixed();
        let size = [scene.window.width, scene.window.height];
        for p in scene.frames.iter().flatten() {
            assert!((0..2).all(|i| (0.0..=size[i]).contains(&p[i])), "{p:?}");
        }
    }

    /// A dumbbell that flies a hundred of its lengths is followed, one that swings is not.
    #[test]
    fn what_travels_is_followed() {
        let model = model(
            "coord x, phi\nlet e = (cos(phi), sin(phi))\n\
             particle a: mass 1 at (x, 0) + e\nparticle b: mass 1 at (x, 0) - e\n",
        );
        let m = Mechanism::new(&model).unwrap();
        let rows = |speed: f64| -> Vec<Vec<f64>> {
            let row = |k: u32| vec![f64::from(k), speed * f64::from(k), 0.1 * f64::from(k)];
            (0..200).map(row).collect()
        };
        for (speed, follows) in [(1.0, true), (0.01, false)] {
            let rows = rows(speed);
            let states: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let scene = Footage::new(&m, &model, &states).unwrap().followed();
            assert_eq!(scene.camera.is_some(), follows);
            if let Some(camera) = &scene.camera {
                for (frame, moved) in scene.frames.iter().zip(&camera.moved) {
                    for p in &frame[..2] {
                        let shown = [p[0] - moved[0], p[1] - moved[1]];
                        assert!((0.0..=scene.window.width).contains(&shown[0]), "{shown:?}");
                        assert!((0.0..=scene.window.height).contains(&shown[1]), "{shown:?}");
                    }
                }
            }
        }
    }
}
