//! The mechanism in numbers: the positions of its points on the picture, at many times.

use galilei_expr::Program;
use galilei_model::Model;

use super::camera::{Window, seen};
use super::{Mark, Mechanism, Stroke};

/// The width of pictures of the mechanism.
const WIDTH: f64 = 460.0;

/// Points on a picture at some times.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) marks: Vec<(Mark, String)>,
    pub(crate) strokes: Vec<(usize, usize, Stroke)>,
    /// The times.
    pub(crate) times: Vec<f64>,
    /// For each time the points, in units of the picture.
    pub(crate) frames: Vec<Vec<[f64; 2]>>,
    pub(crate) window: Window,
    pub(crate) dimension: usize,
}

impl Scene {
    /// The mechanism at states that begin with (t, x); `None` if it cannot be drawn.
    pub(crate) fn new<'m>(
        mechanism: &Mechanism<'m>,
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
                seen(p, mechanism.dimension)
            };
            let sizes = mechanism.points.iter().map(|p| p.at.len());
            sizes.map(place).collect::<Vec<[f64; 2]>>()
        };
        let mut frames: Vec<Vec<[f64; 2]>> = states.iter().map(look).collect();
        if !frames.iter().flatten().flatten().any(|x| x.is_finite()) {
            return None;
        }
        let window = Window::around(frames.iter().flatten(), WIDTH);
        frames
            .iter_mut()
            .flatten()
            .for_each(|p| *p = window.place(*p));
        let marks = mechanism.points.iter();
        Some(Self {
            marks: marks.map(|p| (p.mark, p.name.clone())).collect(),
            strokes: mechanism.strokes.clone(),
            times: states.iter().map(|s| s[0]).collect(),
            frames,
            window,
            dimension: mechanism.dimension,
        })
    }

    /// The points that have a trail: moving masses, but not all of many.
    pub(crate) fn trails(&self) -> Vec<usize> {
        let masses = (0..self.marks.len())
            .filter(|&k| matches!(self.marks[k].0, Mark::Particle | Mark::Centre));
        let moving: Vec<usize> = masses.filter(|&k| self.moves(k)).collect();
        let few = 3.min(moving.len());
        moving[moving.len() - few..].to_vec()
    }

    fn moves(&self, k: usize) -> bool {
        let first = self.frames.first().map(|f| f[k]);
        let far =
            |f: &Vec<[f64; 2]>| first.is_some_and(|p| (f[k][0] - p[0]).hypot(f[k][1] - p[1]) > 1.0);
        self.frames.iter().any(far)
    }
}
