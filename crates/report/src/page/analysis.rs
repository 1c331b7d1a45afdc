//! Equilibria with their stability, and modes in motion.

use std::fmt::Write;

use galilei_analyse::{Equilibria, Modes};

use super::{Addition, Page};
use crate::animation;
use crate::figure::{Footage, Mechanism};
use crate::markup::{escaped, readable};
use crate::units::Units;

/// The largest number of modes that are played.
const MAX_PLAYED_MODES: usize = 6;
/// The amplitude of a played mode, as a part of the largest coordinate or of one.
const AMPLITUDE: f64 = 0.25;
/// The number of periods of a played mode.
const PERIODS: f64 = 2.0;

fn complex(s: &[f64; 2]) -> String {
    let sign = if s[1] < 0.0 { '−' } else { '+' };
    match s[1] {
        0.0 => readable(s[0]),
        _ => format!("{} {sign} {} i", readable(s[0]), readable(s[1].abs())),
    }
}

impl Page<'_, '_> {
    pub(super) fn analysis(&self, out: &mut String) {
        for addition in &self.additions {
            match addition {
                Addition::Equilibria(found) => self.equilibria(out, found),
                Addition::Modes(modes) => self.modes(out, modes),
                Addition::Missing(why) => {
                    let _ = writeln!(out, "<p>{}</p>", escaped(why));
                }
            }
        }
    }

    fn equilibria(&self, out: &mut String, found: &Equilibria) {
        out.push_str("<h3>Equilibria and steady motions</h3>\n");
        if found.list.is_empty() {
            let _ = writeln!(out, "<p>None was found from {} starts.</p>", found.starts);
            return;
        }
        out.push_str("<table><thead><tr><th>position</th><th>known</th><th>stability</th><th>eigenvalues</th></tr></thead><tbody>\n");
        let names = &self.model.contents().coordinates;
        for e in &found.list {
            let place = names.iter().enumerate().map(|(i, c)| {
                let formula = e.formulas.iter().flatten().find(|f| f.0 == c.name);
                let value = formula.map_or_else(|| readable(e.position[i]), |f| f.1.clone());
                let rate = match e.velocity[i] {
                    0.0 => String::new(),
                    v => format!(", {}\u{2032} = {}", c.name, readable(v)),
                };
                format!("{} = {value}{rate}", c.name)
            });
            let place: Vec<String> = place.collect();
            let stable = e.stability();
            let values: Vec<String> = e.eigenvalues.iter().map(complex).collect();
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{stable}: {}</td><td>{}</td></tr>",
                escaped(&place.join("; ")),
                e.verdict.as_str(),
                escaped(&e.reason),
                escaped(&values.join(", "))
            );
        }
        out.push_str("</tbody></table>\n");
    }

    fn modes(&self, out: &mut String, modes: &Modes) {
        out.push_str("<h3>Modes</h3>\n");
        let names = self.model.contents().coordinates.iter();
        let place: Vec<String> = names
            .zip(&modes.position)
            .map(|(c, x)| format!("{} = {}", c.name, readable(*x)))
            .collect();
        let _ = writeln!(
            out,
            "<p>The motion linearised at {}.</p>\n<table><thead><tr><th>eigenvalue</th><th>frequency in Hz</th><th>damping ratio</th></tr></thead><tbody>",
            escaped(&place.join(", "))
        );
        for (k, s) in modes.eigen.values.iter().enumerate() {
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                complex(s),
                readable(modes.frequencies_hz[k]),
                modes.damping_ratios[k].map_or("–".into(), readable)
            );
        }
        out.push_str("</tbody></table>\n");
        let Some(mechanism) = Mechanism::new(self.model) else {
            return;
        };
        let oscillating = (0..modes.eigen.values.len()).filter(|&k| modes.eigen.values[k][1] > 0.0);
        for (number, k) in oscillating.take(MAX_PLAYED_MODES).enumerate() {
            self.mode(out, &mechanism, modes, number, k);
        }
        // The script of the first motion ran before these were on the page.
        out.push_str(&animation::script());
    }

    /// One mode in motion, without its growth or decay.
    fn mode(
        &self,
        out: &mut String,
        mechanism: &Mechanism<'_>,
        modes: &Modes,
        number: usize,
        k: usize,
    ) {
        let n = modes.position.len();
        let shape = &modes.shapes[k];
        let largest = shape.iter().fold(0.0_f64, |m, z| m.max(z[0].hypot(z[1])));
        if largest <= 0.0 {
            return;
        }
        let size = modes.position.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = if size > 0.0 { size.min(1.0) } else { 1.0 };
        let factor = AMPLITUDE * size / largest;
        let rate = modes.eigen.values[k][1];
        let period = std::f64::consts::TAU / rate;
        let count = animation::frames(mechanism.points.len()).min(200);
        let rows: Vec<Vec<f64>> = (0..=count)
            .map(|j| {
                let t = PERIODS * period * j as f64 / count as f64;
                let (sine, cosine) = (rate * t).sin_cos();
                let mut row = vec![t];
                row.extend((0..n).map(|i| {
                    let z = shape[i];
                    modes.position[i] + factor * (z[0] * cosine - z[1] * sine)
                }));
                row.resize(1 + 2 * n, 0.0);
                row
            })
            .collect();
        let states: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let Some(footage) = Footage::new(mechanism, self.model, &states) else {
            return;
        };
        let units = Units::of(self.model.contents());
        let scene = footage.fixed();
        let _ = writeln!(
            out,
            "<figure class=\"motion\">{}<figcaption>Mode {} with {} Hz, enlarged and without its growth or decay.</figcaption></figure>",
            animation::player(
                &scene,
                &format!("mode-{}", number + 1),
                units.length,
                units.time
            ),
            number + 1,
            readable(modes.frequencies_hz[k])
        );
    }
}
