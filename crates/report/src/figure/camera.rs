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

impl Window {
    /// The window of a given width around points; as high as they need, within limits.
    pub(crate) fn around<'a>(points: impl Iterator<Item = &'a [f64; 2]>, width: f64) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for p in points.filter(|p| p.iter().all(|x| x.is_finite())) {
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        if low[0] > high[0] {
            (low, high) = ([-1.0; 2], [1.0; 2]);
        }
        let mut size = [high[0] - low[0], high[1] - low[1]];
        let largest = size[0].max(size[1]);
        let least = if largest > 0.0 { largest } else { 1.0 };
        size = size.map(|s| s.max(1e-6 * least));
        let inner = width - 2.0 * MARGIN;
        let tallest = 1.05 * width - 2.0 * MARGIN;
        let scale = (inner / size[0]).min(tallest / size[1]);
        let height = (scale * size[1] + 2.0 * MARGIN).max(0.3 * width);
        let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
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
        let w = Window::around(points.iter(), 400.0);
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
        let w = Window::around([[2.0, 2.0]].iter(), 300.0);
        assert!(w.place([2.0, 2.0]).iter().all(|x| x.is_finite()));
    }

    #[test]
    fn the_z_axis_points_upward() {
        assert!(seen([0.0, 0.0, 1.0], 3)[1] > 0.9);
        assert_eq!(seen([0.0, 0.0, 1.0], 3)[0], 0.0);
        assert_eq!(seen([1.0, 2.0, 0.0], 2), [1.0, 2.0]);
    }
}
