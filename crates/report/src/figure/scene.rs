//! The mechanism in numbers: the positions of its points on the picture, at many times.

use super::camera::Window;
use super::{Mark, Solid, Stroke};

/// Points on a picture at some times.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) marks: Vec<(Mark, String)>,
    pub(crate) strokes: Vec<(usize, usize, Stroke)>,
    /// Solids, with the radii of balls in units of the picture.
    pub(crate) solids: Vec<(Solid, f64)>,
    /// The times.
    pub(crate) times: Vec<f64>,
    /// For each time the points, in units of the picture.
    pub(crate) frames: Vec<Vec<[f64; 2]>>,
    pub(crate) window: Window,
    pub(crate) dimension: usize,
    /// How the window moves, if it does.
    pub(crate) camera: Option<Camera>,
    /// The height of the ground on the picture, in the plane.
    pub(crate) floor: Option<f64>,
    /// A lattice on the ground, in space or where the window moves: a point and two steps.
    pub(crate) lattice: Option<[[f64; 2]; 3]>,
}

/// A window that moves with the mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Camera {
    /// For each time the way that the window has moved, in units of the picture.
    pub(crate) moved: Vec<[f64; 2]>,
}

impl Scene {
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
