//! Names next to points, placed so that they hide nothing.

/// A name and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Whether it ends at x instead of beginning there.
    pub(crate) before: bool,
    pub(crate) text: String,
}

/// A box: left, top, right, bottom.
type Area = [f64; 4];

fn overlap(a: &Area, b: &Area) -> f64 {
    let w = a[2].min(b[2]) - a[0].max(b[0]);
    let h = a[3].min(b[3]) - a[1].max(b[1]);
    w.max(0.0) * h.max(0.0)
}

/// Places each name at the one of eight positions around its point where it hides the least of other points, strokes and
/// earlier names. `limits` is the size of the picture.
pub(crate) fn place(
    named: &[([f64; 2], String)],
    points: &[[f64; 2]],
    strokes: &[([f64; 2], [f64; 2])],
    limits: [f64; 2],
) -> Vec<Name> {
    let mut taken: Vec<Area> = points.iter().map(|p| around(*p, 7.0)).collect();
    for (a, b) in strokes {
        let steps = ((a[0] - b[0]).hypot(a[1] - b[1]) / 6.0).clamp(1.0, 60.0) as usize;
        for k in 0..=steps {
            let s = k as f64 / steps as f64;
            let p = [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
            taken.push(around(p, 2.5));
        }
    }
    let mut names = Vec::new();
    for (p, text) in named {
        let width = crate::plot::text_width(text);
        let candidates = [
            (11.0, 4.0),
            (11.0, -8.0),
            (11.0, 16.0),
            (-11.0, 4.0),
            (-11.0, -8.0),
            (-11.0, 16.0),
            (0.0, -13.0),
            (0.0, 23.0),
        ];
        let best = candidates.into_iter().min_by(|a, b| {
            let cost = |(dx, dy): (f64, f64)| {
                let area = area(*p, dx, dy, width);
                let hidden: f64 = taken.iter().map(|t| overlap(t, &area)).sum();
                let inside = [0.0, 0.0, limits[0], limits[1]];
                let whole = (area[2] - area[0]) * (area[3] - area[1]);
                hidden + 10.0 * (whole - overlap(&area, &inside))
            };
            cost(*a).total_cmp(&cost(*b))
        });
        let (dx, dy) = best.unwrap_or(candidates[0]);
        let area = area(*p, dx, dy, width);
        taken.push(area);
        names.push(Name {
            x: if dx < 0.0 { area[2] } else { area[0] },
            y: p[1] + dy,
            before: dx < 0.0,
            text: text.clone(),
        });
    }
    names
}

fn around(p: [f64; 2], r: f64) -> Area {
    [p[0] - r, p[1] - r, p[0] + r, p[1] + r]
}

fn area(p: [f64; 2], dx: f64, dy: f64, width: f64) -> Area {
    let left = match dx {
        0.0 => p[0] - 0.5 * width,
        d if d < 0.0 => p[0] + d - width,
        d => p[0] + d,
    };
    [left, p[1] + dy - 11.0, left + width, p[1] + dy + 3.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_avoid_each_other_and_the_edge() {
        let named: Vec<([f64; 2], String)> = [[90.0, 50.0], [90.0, 58.0]]
            .into_iter()
            .map(|p| (p, "bob".to_owned()))
            .collect();
        let points: Vec<[f64; 2]> = named.iter().map(|n| n.0).collect();
        let names = place(&named, &points, &[], [100.0, 100.0]);
        assert!(
            names.iter().all(|n| n.before || n.x + 20.0 <= 100.0),
            "{names:?}"
        );
        assert!((names[0].y - names[1].y).abs() > 9.0 || names[0].before != names[1].before);
    }
}
