//! The projection of space onto the picture.

/// The direction from which space is seen: to the right of the x-axis, a little from above.
const AZIMUTH: f64 = -1.0;
const ELEVATION: f64 = 0.36;

/// A point of space as the observer sees it, upward positive.
pub(crate) fn seen(p: [f64; 3], dimension: usize) -> [f64; 2] {
    if dimension < 3 {
        return [p[0], p[1]];
    }
    let (sa, ca) = AZIMUTH.sin_cos();
    let (se, ce) = ELEVATION.sin_cos();
    let right = -sa * p[0] + ca * p[1];
    let depth = ca * p[0] + sa * p[1];
    [right, ce * p[2] - se * depth]
}

/// The window through which a motion is seen, with room around it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    /// The size of the picture.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Units of the picture per unit of length.
    pub(crate) scale: f64,
    left: f64,
    top: f64,
}

/// Room around the motion, for marks and names.
const MARGIN: f64 = 46.0;

/// A box of the plane of the picture, in units of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
}

impl Extent {
    /// The box of nothing, which is the neutral element of [`Extent::with`].
    pub(crate) const EMPTY: Self = Self {
        low: [f64::INFINITY; 2],
        high: [f64::NEG_INFINITY; 2],
    };

    /// The box around a point with some room on each side; nothing if it is not finite.
    pub(crate) fn around(p: [f64; 2], room: [f64; 2]) -> Self {
        match p.iter().chain(&room).all(|x| x.is_finite()) {
            true => Self {
                low: [p[0] - room[0], p[1] - room[1]],
                high: [p[0] + room[0], p[1] + room[1]],
            },
            false => Self::EMPTY,
        }
    }

    /// The smallest box around two.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            low: [0, 1].map(|k| self.low[k].min(other.low[k])),
            high: [0, 1].map(|k| self.high[k].max(other.high[k])),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.low[0] > self.high[0]
    }

    pub(crate) fn size(&self) -> [f64; 2] {
        match self.is_empty() {
            true => [0.0; 2],
            false => [0, 1].map(|k| self.high[k] - self.low[k]),
        }
    }

    /// The length of the diagonal.
    pub(crate) fn diagonal(&self) -> f64 {
        let [w, h] = self.size();
        w.hypot(h)
    }

    pub(crate) fn middle(&self) -> [f64; 2] {
        [0, 1].map(|k| 0.5 * (self.low[k] + self.high[k]))
    }

    /// The box with the same middle whose diagonal is at least `least`.
    pub(crate) fn at_least(self, least: f64) -> Self {
        if self.is_empty() || self.diagonal() >= least {
            return self;
        }
        let half = 0.5 * least / std::f64::consts::SQRT_2;
        let size = self.size();
        Self::around(self.middle(), size.map(|s| half.max(0.5 * s)))
    }
}

impl Window {
    /// The window of a given width around a box; as high as that needs, within limits.
    pub(crate) fn around(extent: Extent, width: f64) -> Self {
        let extent = match extent.is_empty() {
            true => Extent::around([0.0; 2], [1.0; 2]),
            false => extent,
        };
        let mut size = extent.size();
        let largest = size[0].max(size[1]);
        let least = if largest > 0.0 { largest } else { 1.0 };
        size = size.map(|s| s.max(1e-6 * least));
        let inner = width - 2.0 * MARGIN;
        let tallest = 1.05 * width - 2.0 * MARGIN;
        let scale = (inner / size[0]).min(tallest / size[1]);
        let height = (scale * size[1] + 2.0 * MARGIN).max(0.3 * width);
        let middle = extent.middle();
        Self {
            width,
            height,
            scale,
            left: middle[0] - 0.5 * width / scale,
            top: middle[1] + 0.5 * height / scale,
        }
    }

    /// The position of a point on the picture.
    pub(crate) fn place(&self, p: [f64; 2]) -> [f64; 2] {
        [
            self.scale * (p[0] - self.left),
            self.scale * (self.top - p[1]),
        ]
    }

    /// A round length that takes about a fifth of the picture, and its length on the picture.
    pub(crate) fn ruler(&self) -> (f64, f64) {
        let rough = 0.22 * self.width / self.scale;
        let power = 10f64.powf(rough.log10().floor());
        let fits = |m: &f64| m * power <= rough;
        let m = [5.0, 2.0, 1.0].into_iter().find(fits).unwrap_or(1.0);
        (m * power, m * power * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_the_window() {
        let points = [[-3.0, 1.0], [5.0, 1.5], [0.0, 1.2]];
        let boxes = points.iter().map(|&p| Extent::around(p, [0.0; 2]));
        let w = Window::around(boxes.fold(Extent::EMPTY, Extent::with), 400.0);
        for p in points {
            let [x, y] = w.place(p);
            assert!((MARGIN - 1e-9..=400.0 - MARGIN + 1e-9).contains(&x));
            assert!((0.0..=w.height).contains(&y));
        }
        let (length, shown) = w.ruler();
        assert!((length * w.scale - shown).abs() < 1e-9 && shown < 100.0);
    }

    #[test]
    fn a_window_around_one_point_is_finite() {
        let point = Extent::around([2.0, 2.0], [0.0; 2]);
        let w = Window::around(point, 300.0);
        assert!(w.place([2.0, 2.0]).iter().all(|x| x.is_finite()));
        // A point alone is seen in surroundings of the wanted size.
        let w = Window::around(point.at_least(4.0), 300.0);
        assert!((0.1..=2.0).contains(&w.ruler().0), "{:?}", w.ruler());
    }

    #[test]
    fn the_z_axis_points_upward() {
        assert!(seen([0.0, 0.0, 1.0], 3)[1] > 0.9);
        assert_eq!(seen([0.0, 0.0, 1.0], 3)[0], 0.0);
        assert_eq!(seen([1.0, 2.0, 0.0], 2), [1.0, 2.0]);
    }
}
