//! A plot as one SVG element.

use std::fmt::Write;

use super::axis::Axis;
use super::curve::path;
use super::label::{LINE, spread, width};
use super::{Band, COLOURS, Plot, Scale};
use crate::markup::{escaped, length, superscript};

/// The size of a plot: text is legible on a telephone, and two plots fit next to each other on wider screens.
pub(crate) const WIDTH: f64 = 460.0;
pub(crate) const HEIGHT: f64 = 278.0;

const TOP: f64 = 42.0;
const BOTTOM: f64 = 42.0;

/// The area in which curves are drawn, and the axes around it.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn new(plot: &Plot) -> Option<Self> {
        let x = Axis::linear(plot.range(0)?, margin(plot), 5);
        let y = match plot.scale {
            Scale::Logarithmic => Axis::logarithmic(positive(plot)?, 6),
            _ => Axis::linear(plot.range(1)?, 0.06, 5),
        };
        let labels = y.ticks.iter().map(|t| width(&t.label));
        let left = (labels.fold(0.0, f64::max) + 16.0).max(38.0);
        let names = plot.curves.iter().map(|c| width(&c.name));
        let room = names.fold(0.0, f64::max);
        let edge = x.ticks.last().map_or(0.0, |t| 0.5 * width(&t.label)) + 6.0;
        let right = WIDTH - edge.max(if room > 0.0 { room + 16.0 } else { 14.0 });
        let frame = Self {
            left,
            right: right.max(left + 120.0),
            top: TOP,
            bottom: HEIGHT - BOTTOM,
            x,
            y,
        };
        Some(match plot.scale {
            Scale::Equal => frame.squared(),
            _ => frame,
        })
    }

    /// The frame with the same scale on both axes: the shorter range is widened.
    fn squared(mut self) -> Self {
        let (w, h) = (self.right - self.left, self.bottom - self.top);
        let (rx, ry) = (self.x.high - self.x.low, self.y.high - self.y.low);
        let unit = (rx / w).max(ry / h);
        let wide = |axis: &Axis, size: f64| {
            let middle = 0.5 * (axis.low + axis.high);
            (middle - 0.5 * unit * size, middle + 0.5 * unit * size)
        };
        let ((x0, x1), (y0, y1)) = (wide(&self.x, w), wide(&self.y, h));
        self.x = self.x.widened(x0, x1);
        self.y = self.y.widened(y0, y1);
        self
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.y.place(value) * (self.bottom - self.top)
    }

    fn point(&self, p: &[f64; 2]) -> [f64; 2] {
        [self.x(p[0]), self.y(p[1])]
    }
}

/// The places of numbers on a plot.
pub(crate) struct View(Frame);

impl View {
    /// The place of a point.
    pub(crate) fn place(&self, p: [f64; 2]) -> [f64; 2] {
        self.0.point(&p)
    }

    /// The left, upper, right and lower edge of the area of the curves.
    pub(crate) fn area(&self) -> [f64; 4] {
        let f = &self.0;
        [f.left, f.top, f.right, f.bottom].map(f64::round)
    }
}

/// The number of strips that a plot has room for, and their height.
const MAX_STRIPS: usize = 3;
const STRIP: f64 = 3.5;
/// The shortest length of a visible interval.
const MIN_INTERVAL: f64 = 0.6;

/// Draws the intervals of a band at a height.
fn draw_band(out: &mut String, band: &Band, place: impl Fn(f64) -> f64, y: f64, height: f64) {
    for (class, list) in [("band", &band.holds), ("band strong", &band.strongly)] {
        for [from, to] in list {
            let (a, b) = (place(*from), place(*to));
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                length(a),
                length(y),
                length((b - a).max(MIN_INTERVAL)),
                length(height)
            );
        }
    }
}

/// The horizontal margin: none for curves over time, which begin at the axis.
fn margin(plot: &Plot) -> f64 {
    if plot.ends { 0.06 } else { 0.0 }
}

/// The range of the positive values; a hundredth of the smallest represents zero.
fn positive(plot: &Plot) -> Option<[f64; 2]> {
    let points = plot.curves.iter().flat_map(|c| &c.points);
    let values = points.map(|p| p[1]).filter(|y| *y > 0.0 && y.is_finite());
    let range = values.fold(None, |r: Option<[f64; 2]>, y| {
        let [low, high] = r.unwrap_or([y, y]);
        Some([low.min(y), high.max(y)])
    });
    range.or(Some([1e-17, 1e-15]))
}

impl Plot {
    /// The places of numbers on the plot; `None` for plots without numbers, and where curves are too dense to be told apart.
    pub(crate) fn view(&self) -> Option<View> {
        match self.is_dense() || self.scale == Scale::Logarithmic {
            true => None,
            false => Frame::new(self).map(View),
        }
    }

    /// The plot as an `<svg>` element with text alternatives; `id` is unique on its page.
    pub fn to_svg(&self, id: &str) -> String {
        let mut out = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            escaped(&self.title),
            escaped(&self.description())
        );
        self.draw(&mut out);
        out.push_str("</svg>");
        out
    }

    /// Draws the contents of the picture.
    pub(crate) fn draw(&self, out: &mut String) {
        let _ = write!(
            out,
            "<text class=\"name\" x=\"4\" y=\"14\">{}</text>",
            escaped(&self.title)
        );
        if self.curves.is_empty() && !self.bands.is_empty() {
            self.rows(out);
            return;
        }
        let Some(frame) = Frame::new(self) else {
            let _ = write!(out, "<text x=\"4\" y=\"40\">no finite numbers</text>");
            return;
        };
        self.grid(out, &frame);
        self.strips(out, &frame);
        self.curves(out, &frame);
        self.labels(out, &frame);
    }

    fn grid(&self, out: &mut String, f: &Frame) {
        let (left, right, bottom) = (length(f.left), length(f.right), length(f.bottom));
        for t in &f.y.ticks {
            let y = length(f.y(t.value));
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{left} {y}H{right}\"/>\
                 <text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                length(f.left - 6.0),
                length(f.y(t.value) + 4.0),
                t.label
            );
        }
        for t in &f.x.ticks {
            let x = length(f.x(t.value));
            let _ = write!(
                out,
                "<path class=\"axis\" d=\"M{x} {bottom}v4\"/>\
                 <text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                length(f.bottom + 17.0),
                t.label
            );
        }
        let _ = write!(out, "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/>");
        let power = |a: &Axis| {
            let factor = a.power.map(|k| format!(" · 10{}", superscript(k)));
            factor.unwrap_or_default()
        };
        let _ = write!(
            out,
            "<text class=\"axis-name\" x=\"{right}\" y=\"{}\" text-anchor=\"end\">{}{}</text>",
            length(f.bottom + 33.0),
            escaped(&self.x.with_unit()),
            power(&f.x)
        );
        let _ = write!(
            out,
            "<text class=\"axis-name\" x=\"4\" y=\"{}\">{}{}</text>",
            length(f.top - 10.0),
            escaped(&self.y.with_unit()),
            power(&f.y)
        );
        for x in self.marks.iter().filter(|x| x.is_finite()) {
            let (x, top) = (length(f.x(*x)), length(f.top));
            let _ = write!(out, "<path class=\"mark\" d=\"M{x} {bottom}V{top}\"/>");
        }
    }

    /// Draws the bands as thin strips above the axis.
    fn strips(&self, out: &mut String, f: &Frame) {
        for (k, band) in self.bands.iter().take(MAX_STRIPS).enumerate() {
            let y = f.bottom - STRIP * (k as f64 + 1.0);
            draw_band(out, band, |x| f.x(x).clamp(f.left, f.right), y, STRIP - 0.5);
        }
    }

    /// Draws the bands as rows with their names, over the range of the marks.
    fn rows(&self, out: &mut String) {
        let Some(range) = self.range(0) else { return };
        let axis = Axis::linear(range, 0.0, 5);
        let names = self.bands.iter().map(|b| width(&b.name));
        let left = (names.fold(0.0, f64::max) + 16.0).clamp(38.0, 0.5 * WIDTH);
        let (right, bottom) = (WIDTH - 20.0, HEIGHT - BOTTOM);
        let place = |x: f64| left + axis.place(x).clamp(0.0, 1.0) * (right - left);
        let row = ((bottom - TOP) / self.bands.len() as f64).min(34.0);
        for (k, band) in self.bands.iter().enumerate() {
            let y = TOP + row * k as f64;
            let _ = write!(
                out,
                "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                length(left - 6.0),
                length(y + 0.5 * row + 4.0),
                escaped(&band.name)
            );
            draw_band(out, band, place, y + 0.2 * row, 0.6 * row);
        }
        for t in &axis.ticks {
            let x = length(place(t.value));
            let _ = write!(
                out,
                "<path class=\"axis\" d=\"M{x} {}v4\"/><text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                length(bottom),
                length(bottom + 17.0),
                t.label
            );
        }
        let power = axis.power.map(|k| format!(" · 10{}", superscript(k)));
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{} {}H{}\"/><text class=\"axis-name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}{}</text>",
            length(left),
            length(bottom),
            length(right),
            length(right),
            length(bottom + 33.0),
            escaped(&self.x.with_unit()),
            power.unwrap_or_default()
        );
    }

    /// Draws each point as a dot; points closer than the dots' precision are drawn once.
    fn scattered(&self, out: &mut String, f: &Frame) {
        let count: usize = self.curves.iter().map(|c| c.points.len()).sum();
        let class = match count {
            0..=400 => "",
            401..=4000 => " fine",
            _ => " finest",
        };
        for (k, c) in self.curves.iter().enumerate() {
            let finite = c.points.iter().filter(|p| p.iter().all(|x| x.is_finite()));
            let places = finite.map(|p| f.point(p).map(|x| (10.0 * x).round() as i64));
            let mut places: Vec<[i64; 2]> = places.collect();
            places.sort_unstable();
            places.dedup();
            let mut d = String::new();
            for [x, y] in places {
                let _ = write!(d, "M{x} {y}h0");
            }
            let _ = write!(
                out,
                "<path class=\"curve dot{class} c{}\" transform=\"scale(.1)\" d=\"{d}\"/>",
                k % COLOURS
            );
        }
    }

    fn curves(&self, out: &mut String, f: &Frame) {
        if self.dots {
            self.scattered(out, f);
            return;
        }
        let fine = if self.is_dense() { " fine" } else { "" };
        for (k, c) in self.curves.iter().enumerate() {
            let points: Vec<[f64; 2]> = c.points.iter().map(|p| f.point(p)).collect();
            let _ = write!(
                out,
                "<path class=\"curve{fine} c{}\" transform=\"scale(.1)\" d=\"{}\"/>",
                k % COLOURS,
                path(&points)
            );
        }
        if !self.ends {
            return;
        }
        for c in self.curves.iter().take(1) {
            for (class, p) in [("start c0", c.points.first()), ("end c0", c.points.last())] {
                let Some(p) = p.filter(|p| p.iter().all(|x| x.is_finite())) else {
                    continue;
                };
                let [x, y] = f.point(p).map(length);
                let _ = write!(
                    out,
                    "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"
                );
            }
        }
    }

    /// Draws the names of the curves next to their ends.
    fn labels(&self, out: &mut String, f: &Frame) {
        let named = self.curves.iter().enumerate();
        let named: Vec<_> = named.filter(|(_, c)| !c.name.is_empty()).collect();
        let end = |points: &[[f64; 2]]| {
            let finite = |p: &&[f64; 2]| p.iter().all(|x| x.is_finite());
            let last = points.iter().rev().find(finite);
            last.map_or([f.right, 0.5 * (f.top + f.bottom)], |p| f.point(p))
        };
        let wanted: Vec<f64> = named.iter().map(|(_, c)| end(&c.points)[1]).collect();
        let places = spread(&wanted, f.top + 0.3 * LINE, f.bottom - 0.2 * LINE);
        for ((k, c), (y, at)) in named.iter().zip(places.into_iter().zip(wanted)) {
            let class = k % COLOURS;
            if (y - at).abs() > 2.0 {
                let _ = write!(
                    out,
                    "<path class=\"leader c{class}\" d=\"M{} {}L{} {}\"/>",
                    length(f.right + 1.0),
                    length(at),
                    length(f.right + 8.0),
                    length(y)
                );
            }
            let _ = write!(
                out,
                "<text class=\"label c{class}\" x=\"{}\" y=\"{}\">{}</text>",
                length(f.right + 10.0),
                length(y + 4.0),
                escaped(&c.name)
            );
        }
    }
}
