//! The motion of the mechanism, played by a script; without scripts there is a picture of it.

use galilei_integrate::{ContactRecord, ModeEntry};
use serde::Serialize;

use crate::document::to_script;
use crate::figure::Scene;

/// The script of the page: no library, no network.
const SCRIPT: &str = include_str!("animation.js");
/// The approximate amount of numbers in the data of an animation.
const DATA_NUMBERS: usize = 30_000;
/// The shortest and the longest duration of an animation, in seconds.
const DURATION_SECONDS: [f64; 2] = [6.0, 24.0];
/// The fraction of the run that a trail shows.
const TRAIL_FRACTION: f64 = 0.12;

/// The number of states that an animation of this many points shows.
pub(crate) fn frames(points: usize) -> usize {
    (DATA_NUMBERS / (2 * points.max(1))).clamp(150, 1500)
}

/// The speed of the animation relative to real time, a round number.
fn speed(span: f64) -> f64 {
    let [short, long] = DURATION_SECONDS;
    if (short..=long).contains(&span) || span == 0.0 {
        return 1.0;
    }
    let wanted = span / if span < short { short } else { long };
    let power = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let near = |a: &&f64, b: &&f64| {
        (*a / wanted)
            .ln()
            .abs()
            .total_cmp(&(*b / wanted).ln().abs())
    };
    steps.iter().min_by(near).copied().unwrap_or(1.0)
}

/// The animation of one scene, and the picture of another that stands in its place without scripts; `unit` is that of
/// lengths, `second` that of time.
pub(crate) fn animation(
    whole: &Scene,
    played: &Scene,
    contacts: &ContactRecord,
    [unit, second]: [&str; 2],
) -> String {
    let title = "The motion of the mechanism";
    let picture = whole.stroboscope("motion", title, unit);
    format!(
        "<div>{picture}</div><div class=\"animation\" id=\"animation\"></div><script type=\"application/json\">{}</script>\n\
         <script id=\"animation-script\">{SCRIPT}</script>",
        data(played, contacts, unit, second)
    )
}

/// The animation of a scene with its picture, to be played by the script of the page.
pub(crate) fn player(scene: &Scene, id: &str, unit: &str, second: &str) -> String {
    let picture = scene.stroboscope(id, "The mechanism in one of its modes", unit);
    format!(
        "<div>{picture}</div><div class=\"animation\"></div><script type=\"application/json\">{}</script>",
        data(scene, &ContactRecord::default(), unit, second)
    )
}

/// The script that plays the animations before it that do not play yet.
pub(crate) fn script() -> String {
    format!("<script>{SCRIPT}</script>\n")
}

/// The data of `animation.js`.
#[derive(Serialize)]
struct Data {
    size: [f64; 2],
    times: [f64; 2],
    unit: String,
    decimals: usize,
    speed: f64,
    trail: f64,
    trails: Vec<usize>,
    marks: Vec<i64>,
    /// Names of points, empty for those without.
    names: Vec<String>,
    /// Units of the picture per unit of length.
    scale: f64,
    strokes: Vec<(usize, usize, i64)>,
    /// Kind, radius, and the points of rings.
    solids: Vec<(i64, i64, Vec<usize>)>,
    /// The length of the bar on the picture, and its text.
    ruler: (f64, String),
    frames: Vec<Vec<i64>>,
    /// The way of the window, if it moves, as differences like those of the frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    camera: Vec<Vec<i64>>,
    /// The height of the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<f64>,
    /// The lattice of the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    lattice: Option<[[f64; 2]; 3]>,
    /// What is closed and what sticks, each from a part of the run on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modes: Vec<(f64, String)>,
    /// Impacts: the part of the run and the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    impacts: Vec<(f64, String)>,
}

/// The largest number of modes and of impacts that an animation shows: more are too fast to be seen.
const MAX_CONTACT_ENTRIES: usize = 1000;

/// The modes of contact and friction in words, by the part of a run at which they begin.
fn modes(contacts: &ContactRecord, part: impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let words = |m: &ModeEntry| {
        let named = |what: &str, names: &[String]| match names {
            [] => None,
            names => Some(format!("{what}: {}", names.join(", "))),
        };
        let parts = [named("closed", &m.closed), named("sticking", &m.sticking)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    match contacts.modes.len() > MAX_CONTACT_ENTRIES {
        true => vec![],
        false => contacts
            .modes
            .iter()
            .map(|m| (part(m.time), words(m)))
            .collect(),
    }
}

fn data(scene: &Scene, contacts: &ContactRecord, length: &str, second: &str) -> String {
    let first = scene.times.first().copied().unwrap_or(0.0);
    let last = scene.times.last().copied().unwrap_or(0.0);
    let span = (last - first).abs();
    // In millionths, which nobody sees.
    let part = |time: f64| match last == first {
        true => 0.0,
        false => ((time - first) / (last - first) * 1e6).round() / 1e6,
    };
    let decimals = (2.0 - span.max(1e-12).log10().floor()).clamp(0.0, 12.0);
    let unit = match second {
        "" => String::new(),
        s => format!(" {s}"),
    };
    to_script(&Data {
        size: [scene.window.width, scene.window.height],
        times: [first, last],
        unit,
        decimals: decimals as usize,
        speed: speed(span),
        trail: TRAIL_FRACTION,
        trails: scene.trails(),
        marks: scene.marks.iter().map(|m| m.0.code()).collect(),
        names: scene.marks.iter().map(|m| m.1.clone()).collect(),
        scale: scene.window.scale,
        strokes: scene
            .strokes
            .iter()
            .map(|(a, b, s)| (*a, *b, s.code()))
            .collect(),
        solids: scene
            .solids
            .iter()
            .map(|(s, r)| (s.code(), r.round() as i64, s.rings().flatten().collect()))
            .collect(),
        ruler: {
            let (size, shown) = scene.window.ruler();
            let text = format!("{} {length}", crate::markup::readable(size));
            (shown.round(), text.trim_end().to_owned())
        },
        frames: differences(&scene.frames),
        camera: match &scene.camera {
            Some(c) => differences(&c.moved.iter().map(|&m| vec![m]).collect::<Vec<_>>()),
            None => vec![],
        },
        floor: scene.floor,
        lattice: scene.lattice,
        modes: modes(contacts, part),
        impacts: (contacts.collisions.iter())
            .take(MAX_CONTACT_ENTRIES)
            .map(|c| (part(c.time), c.name.clone()))
            .collect(),
    })
}

/// Positions in tenths of a unit, in every frame relative to the one before: small numbers are short.
fn differences(frames: &[Vec<[f64; 2]>]) -> Vec<Vec<i64>> {
    let tenths = |x: &f64| {
        if x.is_finite() {
            (10.0 * x).round() as i64
        } else {
            0
        }
    };
    let mut before = vec![0; frames.first().map_or(0, |f| 2 * f.len())];
    let mut list = Vec::with_capacity(frames.len());
    for frame in frames {
        let places: Vec<i64> = frame.iter().flatten().map(tenths).collect();
        list.push(places.iter().zip(&before).map(|(p, b)| p - b).collect());
        before = places;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn animations_last_a_watchable_time() {
        for span in [1e-9, 0.03, 1.5, 10.0, 3600.0, 1e9] {
            let lasts = span / speed(span);
            assert!((3.0..50.0).contains(&lasts), "{span}: {lasts}");
        }
        assert_eq!([speed(10.0), speed(0.03)], [1.0, 0.005]);
    }

    #[test]
    fn differences_add_up_without_drift() {
        let frames: Vec<Vec<[f64; 2]>> = (0..500)
            .map(|k| vec![[0.034 * f64::from(k), 1.0], [7.0, -0.016 * f64::from(k)]])
            .collect();
        let mut sum = [0; 4];
        for (difference, frame) in differences(&frames).iter().zip(&frames) {
            for (s, (d, x)) in sum
                .iter_mut()
                .zip(difference.iter().zip(frame.iter().flatten()))
            {
                *s += d;
                assert!((*s as f64 / 10.0 - x).abs() <= 0.05 + 1e-12);
            }
        }
    }

    #[test]
    fn the_script_does_not_end_early() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    }
}
