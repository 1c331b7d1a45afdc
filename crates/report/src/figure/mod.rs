//! The mechanism as a picture: the points of the model, seen by a fixed observer.
//!
//! A [`Mechanism`] has points as expressions, the strokes between them and solids; [`Footage`] has the points as numbers at
//! many states and chooses the window; a [`Scene`] has them on a picture. This module draws pictures as SVG, and the script of the
//! animation draws them from the same list of marks and strokes.

mod camera;
mod drag;
mod draw;
mod footage;
mod hinge;
mod mechanism;
mod names;
mod scene;

pub(crate) use camera::seen;
pub use drag::{Dragged, drag};
pub(crate) use footage::Footage;
pub(crate) use mechanism::Mechanism;
pub(crate) use scene::Scene;

/// The kind of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A point mass.
    Particle,
    /// The mass centre of a body.
    Centre,
    /// A point about which something can turn.
    Joint,
    /// A point that does not depend on the coordinates.
    Ground,
    /// An end or a corner: not drawn.
    Corner,
}

impl Mark {
    /// Its number in the animation's data.
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Particle => 0,
            Self::Centre => 1,
            Self::Joint => 2,
            Self::Ground => 3,
            Self::Corner => 4,
        }
    }
}

/// The kind of a stroke between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// A distance that cannot change.
    Link,
    /// A spring.
    Spring,
    /// A damper.
    Damper,
    /// A planar body, edge on.
    Bar,
    /// An edge of a body in space.
    Edge,
}

impl Stroke {
    /// Its number in the animation's data.
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Link => 0,
            Self::Spring => 1,
            Self::Damper => 2,
            Self::Bar => 3,
            Self::Edge => 4,
        }
    }
}

/// A solid that is drawn round. A ring is a circle in space, given by three points: its centre and the ends of two radii
/// at right angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solid {
    /// A thin disk.
    Disk([usize; 3]),
    /// A ball with a great circle.
    Ball([usize; 3]),
    /// A cylinder between two rings.
    Cylinder([usize; 3], [usize; 3]),
}

impl Solid {
    /// The rings of the solid.
    pub(crate) fn rings(&self) -> impl Iterator<Item = [usize; 3]> {
        let (first, second) = match self {
            Self::Disk(ring) | Self::Ball(ring) => (*ring, None),
            Self::Cylinder(a, b) => (*a, Some(*b)),
        };
        std::iter::once(first).chain(second)
    }

    /// Its number in the animation's data.
    pub(crate) fn code(&self) -> i64 {
        match self {
            Self::Disk(_) => 0,
            Self::Ball(_) => 1,
            Self::Cylinder(..) => 2,
        }
    }
}
