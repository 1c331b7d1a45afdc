//! Pictures of a scene as SVG: one state, or several with the paths between them.

use std::fmt::Write;

use super::{Mark, Scene, Solid, Stroke, names};
use crate::markup::{escaped, length, readable};
use crate::plot::path;

/// The number of points of a lattice up to which it is drawn.
const MAX_LATTICE_POINTS: f64 = 4000.0;
/// The number of states in a stroboscopic picture.
const FLASHES: usize = 9;

impl Scene {
    /// The mechanism at the first time, with names. `unit` is that of lengths.
    pub(crate) fn still(&self, id: &str, title: &str, unit: &str) -> String {
        let mut out = self.open(id, title, &self.words(unit));
        self.ground(&mut out);
        if let Some(frame) = self.frames.first() {
            self.state(&mut out, frame, 1.0);
            self.names(&mut out, frame);
        }
        self.ruler(&mut out, unit);
        self.triad(&mut out);
        out.push_str("</svg>");
        out
    }

    /// A stroboscopic picture of the motion, with the paths of the masses.
    pub(crate) fn stroboscope(&self, id: &str, title: &str, unit: &str) -> String {
        let words = format!(
            "{} states of the mechanism at equal distances of time, and the paths of its masses",
            FLASHES.min(self.frames.len())
        );
        let mut out = self.open(id, title, &words);
        self.ground(&mut out);
        for (c, k) in self.trails().into_iter().enumerate() {
            let points: Vec<[f64; 2]> = self.frames.iter().map(|f| f[k]).collect();
            let _ = write!(
                out,
                "<path class=\"curve trail c{c}\" transform=\"scale(.1)\" d=\"{}\"/>",
                path(&points)
            );
        }
        let last = self.frames.len().saturating_sub(1);
        for k in (0..FLASHES).rev() {
            let at = last * k / (FLASHES - 1);
            let light = if k == 0 { 1.0 } else { 0.22 };
            self.state(&mut out, &self.frames[at], light);
        }
        self.ruler(&mut out, unit);
        self.triad(&mut out);
        out.push_str("</svg>");
        out
    }

    /// The ground: a line in the plane, points of a lattice in space.
    fn ground(&self, out: &mut String) {
        let size = [self.window.width, self.window.height];
        if let Some(y) = self.floor.filter(|y| (0.0..=size[1]).contains(y)) {
            let _ = write!(
                out,
                "<path class=\"axis\" d=\"M0 {}h{}\"/>",
                length(y),
                length(size[0])
            );
        }
        let Some([o, a, b]) = self.lattice else {
            return;
        };
        let det = a[0] * b[1] - a[1] * b[0];
        let corners = [[0.0, 0.0], [size[0], 0.0], [0.0, size[1]], size];
        let along = corners.map(|c| {
            let (x, y) = (c[0] - o[0], c[1] - o[1]);
            [(x * b[1] - y * b[0]) / det, (y * a[0] - x * a[1]) / det]
        });
        let range = |k: usize| {
            let values = along.iter().map(|v| v[k]);
            let low = values.clone().fold(f64::INFINITY, f64::min).ceil();
            let high = values.fold(f64::NEG_INFINITY, f64::max).floor();
            (low, high)
        };
        let [(i0, i1), (j0, j1)] = [range(0), range(1)];
        let many = (i1 - i0 + 1.0) * (j1 - j0 + 1.0);
        if !many.is_finite() || many > MAX_LATTICE_POINTS {
            return;
        }
        let mut d = String::new();
        for i in i0 as i64..=i1 as i64 {
            for j in j0 as i64..=j1 as i64 {
                let [x, y] = [0, 1].map(|k| o[k] + i as f64 * a[k] + j as f64 * b[k]);
                if (0.0..=size[0]).contains(&x) && (0.0..=size[1]).contains(&y) {
                    let _ = write!(d, "M{} {}h.01", length(x), length(y));
                }
            }
        }
        let _ = write!(out, "<path class=\"lattice\" d=\"{d}\"/>");
    }

    fn open(&self, id: &str, title: &str, words: &str) -> String {
        format!(
            "<svg class=\"figure\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            length(self.window.width),
            length(self.window.height),
            escaped(title),
            escaped(words)
        )
    }

    /// The mechanism in words.
    fn words(&self, unit: &str) -> String {
        let named = self.marks.iter().filter(|m| !m.1.is_empty());
        let names: Vec<&str> = named.map(|m| m.1.as_str()).collect();
        let count = |s: Stroke| self.strokes.iter().filter(|x| x.2 == s).count();
        let mut words = format!("{} in space", names.join(", "));
        for (stroke, what) in [
            (Stroke::Link, "rigid links"),
            (Stroke::Spring, "springs"),
            (Stroke::Damper, "dampers"),
        ] {
            match count(stroke) {
                0 => {}
                k => words += &format!("; {what}: {k}"),
            }
        }
        let (ruler, _) = self.window.ruler();
        format!("{words}; the bar is {} {unit}", readable(ruler))
    }

    fn state(&self, out: &mut String, frame: &[[f64; 2]], light: f64) {
        let _ = match light < 1.0 {
            true => write!(out, "<g opacity=\"{light}\">"),
            false => write!(out, "<g>"),
        };
        for (solid, radius) in &self.solids {
            let points = solid.rings().flatten();
            if points.flat_map(|k| frame[k]).all(f64::is_finite) {
                draw_solid(out, solid, *radius, frame);
            }
        }
        for (a, b, stroke) in &self.strokes {
            let (p, q) = (frame[*a], frame[*b]);
            if !p.iter().chain(&q).all(|x| x.is_finite()) {
                continue;
            }
            let (class, d) = match stroke {
                Stroke::Link => ("link", straight(p, q)),
                Stroke::Bar => ("bar", straight(p, q)),
                Stroke::Edge => ("edge", straight(p, q)),
                Stroke::Spring => ("spring", coils(p, q)),
                Stroke::Damper => ("spring", piston(p, q)),
            };
            let _ = write!(out, "<path class=\"{class}\" d=\"{d}\"/>");
        }
        for ((mark, _), p) in self.marks.iter().zip(frame) {
            if !p.iter().all(|x| x.is_finite()) {
                continue;
            }
            let [x, y] = p.map(length);
            let _ = match mark {
                Mark::Particle | Mark::Centre => {
                    let r = if *mark == Mark::Particle { 6.5 } else { 4.0 };
                    write!(
                        out,
                        "<circle class=\"mass\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
                    )
                }
                Mark::Joint => write!(
                    out,
                    "<circle class=\"joint\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>"
                ),
                Mark::Ground => write!(
                    out,
                    "<path class=\"ground\" d=\"M{x} {y}l-8 11h16zm-10 11h20m-17 0l-4 5m9 -5l-4 5m9 -5l-4 5m9 -5l-4 5\"/>"
                ),
                Mark::Corner => Ok(()),
            };
        }
        out.push_str("</g>");
    }

    fn names(&self, out: &mut String, frame: &[[f64; 2]]) {
        let finite = |p: &[f64; 2]| p.iter().all(|x| x.is_finite());
        let named = self.marks.iter().zip(frame);
        let named: Vec<([f64; 2], String)> = named
            .filter(|((_, name), p)| !name.is_empty() && finite(p))
            .map(|((_, name), p)| (*p, name.clone()))
            .collect();
        let seen = self.marks.iter().zip(frame);
        let points: Vec<[f64; 2]> = seen
            .filter(|((mark, _), p)| *mark != Mark::Corner && finite(p))
            .map(|(_, p)| *p)
            .collect();
        let strokes: Vec<_> = self
            .strokes
            .iter()
            .map(|(a, b, _)| (frame[*a], frame[*b]))
            .collect();
        let limits = [self.window.width, self.window.height];
        for n in names::place(&named, &points, &strokes, limits) {
            let anchor = if n.before { " text-anchor=\"end\"" } else { "" };
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\"{anchor}>{}</text>",
                length(n.x),
                length(n.y),
                escaped(&n.text)
            );
        }
    }

    /// A bar with its length.
    fn ruler(&self, out: &mut String, unit: &str) {
        let (size, shown) = self.window.ruler();
        let y = self.window.height - 12.0;
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M10 {a}v6m0 -3h{w}m0 -3v6\"/><text class=\"tick\" x=\"{x}\" y=\"{t}\">{} {}</text>",
            readable(size),
            escaped(unit),
            a = length(y - 3.0),
            w = length(shown),
            x = length(16.0 + shown),
            t = length(y + 4.0)
        );
    }

    /// The directions of the axes of space.
    fn triad(&self, out: &mut String) {
        if self.dimension < 3 {
            return;
        }
        let origin = [self.window.width - 44.0, self.window.height - 30.0];
        for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
            let mut e = [0.0; 3];
            e[k] = 1.0;
            let [dx, dy] = super::camera::seen(e, 3);
            let tip = [origin[0] + 22.0 * dx, origin[1] - 22.0 * dy];
            let name_at = [origin[0] + 31.0 * dx - 3.0, origin[1] - 31.0 * dy + 4.0];
            let _ = write!(
                out,
                "<path class=\"axis\" d=\"{}\"/><text class=\"tick\" x=\"{}\" y=\"{}\">{name}</text>",
                straight(origin, tip),
                length(name_at[0]),
                length(name_at[1])
            );
        }
    }
}

/// A round solid: its outline, and a radius that shows how it turns.
fn draw_solid(out: &mut String, solid: &Solid, radius: f64, frame: &[[f64; 2]]) {
    let [x, y] = frame[match solid {
        Solid::Disk([c, ..]) | Solid::Ball([c, ..]) | Solid::Cylinder([c, ..], _) => *c,
    }]
    .map(length);
    let _ = match solid {
        Solid::Disk(ring) => write!(
            out,
            "<path class=\"solid\" d=\"{}\"/><path class=\"edge\" d=\"{}\"/>",
            ellipse(ring, frame),
            straight(frame[ring[0]], frame[ring[1]])
        ),
        Solid::Ball(ring) => write!(
            out,
            "<circle class=\"solid\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/><path class=\"edge\" fill=\"none\" d=\"{}\"/><path class=\"edge\" d=\"{}\"/>",
            length(radius),
            ellipse(ring, frame),
            straight(frame[ring[0]], frame[ring[1]])
        ),
        Solid::Cylinder(low, high) => {
            let [p, q] = silhouette(low, high, frame);
            write!(
                out,
                "<path class=\"solid\" d=\"{}\"/><path class=\"solid\" d=\"{}\"/><path class=\"edge\" d=\"{}{}{}\"/>",
                ellipse(low, frame),
                ellipse(high, frame),
                straight(p[0], p[1]),
                straight(q[0], q[1]),
                straight(frame[high[0]], frame[high[1]])
            )
        }
    };
}

/// The number of corners by which a circle in space is drawn.
const RING_CORNERS: usize = 36;

/// The point of a ring at an angle: centre and two conjugate radii.
fn on_ring(ring: &[usize; 3], frame: &[[f64; 2]], angle: f64) -> [f64; 2] {
    let [c, a, b] = ring.map(|k| frame[k]);
    let (s, k) = angle.sin_cos();
    [0, 1].map(|i| c[i] + k * (a[i] - c[i]) + s * (b[i] - c[i]))
}

/// A circle in space, which is an ellipse on the picture.
fn ellipse(ring: &[usize; 3], frame: &[[f64; 2]]) -> String {
    let mut out = String::new();
    for k in 0..RING_CORNERS {
        let angle = std::f64::consts::TAU * k as f64 / RING_CORNERS as f64;
        let [x, y] = on_ring(ring, frame, angle).map(length);
        let letter = if k == 0 { "M" } else { "L" };
        let _ = write!(out, "{letter}{x} {y}");
    }
    out + "z"
}

/// The two lines of a cylinder between which it is seen: at their ends the rings run along the axis.
fn silhouette(low: &[usize; 3], high: &[usize; 3], frame: &[[f64; 2]]) -> [[[f64; 2]; 2]; 2] {
    let [c, a, b] = low.map(|k| frame[k]);
    let end = frame[high[0]];
    let axis = [end[0] - c[0], end[1] - c[1]];
    let cross = |p: [f64; 2]| (p[0] - c[0]) * axis[1] - (p[1] - c[1]) * axis[0];
    let angle = cross(b).atan2(cross(a));
    [0.0, std::f64::consts::PI]
        .map(|turn| [low, high].map(|ring| on_ring(ring, frame, angle + turn)))
}

fn straight(p: [f64; 2], q: [f64; 2]) -> String {
    let [a, b] = p.map(length);
    let [c, d] = q.map(length);
    format!("M{a} {b}L{c} {d}")
}

/// A path from p to q through points given along and across the way.
fn along(p: [f64; 2], q: [f64; 2], points: &[(f64, f64)], lift: &[usize]) -> String {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let size = dx.hypot(dy).max(1e-9);
    let across = [-dy / size, dx / size];
    let mut out = String::new();
    for (k, (s, w)) in points.iter().enumerate() {
        let letter = if k == 0 || lift.contains(&k) {
            "M"
        } else {
            "L"
        };
        let x = p[0] + s * dx + w * across[0];
        let y = p[1] + s * dy + w * across[1];
        let _ = write!(out, "{letter}{} {}", length(x), length(y));
    }
    out
}

/// A zigzag.
fn coils(p: [f64; 2], q: [f64; 2]) -> String {
    let mut points = vec![(0.0, 0.0), (0.14, 0.0)];
    for k in 0..10 {
        let side = if k % 2 == 0 { 6.0 } else { -6.0 };
        points.push((0.14 + 0.72 * (f64::from(k) + 0.5) / 10.0, side));
    }
    points.extend([(0.86, 0.0), (1.0, 0.0)]);
    along(p, q, &points, &[])
}

/// A cylinder with its piston.
fn piston(p: [f64; 2], q: [f64; 2]) -> String {
    let points = [
        (0.0, 0.0),
        (0.4, 0.0),
        (0.6, 6.0),
        (0.4, 6.0),
        (0.4, -6.0),
        (0.6, -6.0),
        (0.52, 4.0),
        (0.52, -4.0),
        (0.52, 0.0),
        (1.0, 0.0),
    ];
    along(p, q, &points, &[2, 6, 8])
}
