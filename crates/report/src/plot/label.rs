//! Labels next to the ends of curves, without overlaps.

/// The least distance of two lines of text.
pub(crate) const LINE: f64 = 13.5;

/// Heights close to the wanted ones, at least a line apart and within the limits as far as there is room.
pub(crate) fn spread(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Labels that are too close to each other become a block around their common middle.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &k in &order {
        blocks.push((wanted[k].clamp(low, high), 1));
        while let [.., (a, n), (b, m)] = blocks[..] {
            let reach = 0.5 * (n + m) as f64 * LINE;
            if b - a >= reach {
                break;
            }
            blocks.pop();
            blocks.pop();
            let middle = (a * n as f64 + b * m as f64) / (n + m) as f64;
            let half = 0.5 * ((n + m) as f64 - 1.0) * LINE;
            let inside = middle.min(high - half).max(low + half);
            blocks.push((inside, n + m));
        }
    }
    let mut places = vec![0.0; wanted.len()];
    let mut next = order.into_iter();
    for (middle, n) in blocks {
        for j in 0..n {
            if let Some(k) = next.next() {
                places[k] = middle + (j as f64 - 0.5 * (n as f64 - 1.0)) * LINE;
            }
        }
    }
    places
}

/// The approximate width of a text in units of the picture; combining marks take no room.
pub(crate) fn width(text: &str) -> f64 {
    7.7 * crate::text::width(text) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let wanted = [50.0, 52.0, 51.0, 120.0, 0.0, 199.0, 200.0];
        let places = spread(&wanted, 0.0, 200.0);
        let mut pairs: Vec<(f64, f64)> = wanted.into_iter().zip(places.clone()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        for w in pairs.windows(2) {
            assert!(w[1].1 - w[0].1 >= LINE - 1e-9, "{pairs:?}");
        }
        assert_eq!(places[3], 120.0);
        assert!(places.iter().all(|y| (0.0..=200.0).contains(y)));
    }
}
