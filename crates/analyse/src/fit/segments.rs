//! Multiple shooting: runs are cut into segments whose starts are unknowns of their own, and the gaps between them are closed
//! step by step. So a chaotic motion is followed along its data, where one long run would lose it.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::comparison::{Comparison, Datum, Unknown};
use super::search::{Residuals, search};

/// The weights of gaps, one after the other, in units of the scatter of the data.
const GAP_WEIGHTS: [f64; 6] = [1e-1, 1e1, 1e3, 1e5, 1e7, 1e9];
/// Iterations at one weight.
const MAX_ITERATIONS: usize = 60;
/// The weight that holds the start of a segment near the end of the one before while it is first fitted.
const FIRST_HOLD: f64 = 1e-2;

/// A part of a run.
struct Segment {
    run: usize,
    from: f64,
    /// The times of its data, and the start of the next segment.
    times: Arc<[f64]>,
    /// Its data, with places among `times`.
    data: Vec<Datum>,
    /// The place of its start among the nodes; none for the start of the run.
    node: Option<usize>,
    /// The node at its end.
    next: Option<usize>,
}

/// A fit by segments.
pub(super) struct Segments<'a, 'p> {
    comparison: &'a Comparison<'p>,
    list: Vec<Segment>,
    nodes: usize,
    /// Sizes of x and u.
    scale: Vec<f64>,
}

impl<'a, 'p> Segments<'a, 'p> {
    /// Cuts every run into segments of equal length in time; none without data.
    pub(super) fn new(comparison: &'a Comparison<'p>, count: usize) -> Self {
        let mut list: Vec<Segment> = Vec::new();
        let mut nodes = 0;
        for (run, measured) in comparison.runs.iter().enumerate() {
            let last = measured.times.last().copied().unwrap_or(comparison.from);
            let length = (last - comparison.from) / count as f64;
            let cut = |k: usize| comparison.from + k as f64 * length;
            for k in 0..count {
                let (from, to) = (cut(k), if k + 1 == count { last } else { cut(k + 1) });
                // A time at a cut belongs to the segment behind it.
                let inside = |t: f64| t >= from && (t < to || k + 1 == count);
                let mut times: Vec<f64> = (measured.times.iter().copied())
                    .filter(|t| inside(*t))
                    .collect();
                let data = (measured.data.iter())
                    .filter(|d| inside(measured.times[d.at]))
                    .map(|d| Datum {
                        at: times.partition_point(|t| *t < measured.times[d.at]),
                        ..*d
                    })
                    .collect();
                let next = (k + 1 < count).then(|| {
                    times.push(to);
                    nodes + k
                });
                list.push(Segment {
                    run,
                    from,
                    times: times.into(),
                    data,
                    node: k.checked_sub(1).map(|k| nodes + k),
                    next,
                });
            }
            nodes += count - 1;
        }
        Self {
            comparison,
            list,
            nodes,
            scale: vec![],
        }
    }

    /// The number of components of x and u.
    fn width(&self) -> usize {
        2 * self.comparison.motions.lowered.coordinates.len()
    }

    /// A state from the components of its node, with its derivatives by them and by parameters, as directions.
    fn node_start(
        &self,
        kept: &[f64],
        time: f64,
        node: &[f64],
        parameters: &[usize],
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let width = self.width();
        let mut start = node.to_vec();
        start.resize(width, 0.0);
        let unit = |i: usize| -> Vec<f64> {
            (0..width + kept.len())
                .map(|j| f64::from(u8::from(i == j)))
                .collect()
        };
        let own = (0..node.len()).map(unit);
        let mut columns: Vec<Vec<f64>> = own
            .chain(parameters.iter().map(|k| unit(width + k)))
            .collect();
        self.comparison
            .complete(kept, time, &mut start, &mut columns);
        (start, columns)
    }

    /// The states of the nodes: each segment is fitted alone, from the end of the one before.
    fn first_nodes(&mut self, unknowns: &DVector<f64>) -> Result<Vec<f64>, String> {
        let (c, width, own) = (self.comparison, self.width(), self.comparison.state_width());
        let kept = c.kept_values(unknowns);
        let p = kept.len();
        let mut nodes = vec![0.0; self.nodes * own];
        let mut scale = vec![0.0_f64; width];
        let mut end: Vec<f64> = Vec::new();
        for s in &self.list {
            let start = match s.node {
                None => c.start_of(s.run, &kept, unknowns)?.0,
                Some(k) => {
                    let predicted = DVector::from_column_slice(&end[..own]);
                    let sizes: Vec<f64> = scale.iter().map(|s| s.max(1e-9)).collect();
                    let at = |y: &DVector<f64>| -> Residuals {
                        let (start, columns) = self.node_start(&kept, s.from, y.as_slice(), &[]);
                        let f = c.follow(&kept, s.from, &start, columns, &s.times)?;
                        let count = s.data.len();
                        let mut r = DVector::zeros(count + own);
                        let mut j = DMatrix::zeros(count + own, own);
                        for (row, d) in s.data.iter().enumerate() {
                            let outputs = c.outputs_at(&f.rows[d.at], &kept);
                            let slopes = &outputs[c.output_names.len() + d.output * (width + p)..];
                            r[row] = d.weight * (outputs[d.output] - d.value);
                            for column in 0..own {
                                let moved = (0..width)
                                    .map(|i| slopes[i] * f.slopes[d.at][i * own + column]);
                                j[(row, column)] = d.weight * moved.sum::<f64>();
                            }
                        }
                        for i in 0..own {
                            let hold = FIRST_HOLD / sizes[i];
                            r[count + i] = hold * (y[i] - predicted[i]);
                            j[(count + i, i)] = hold;
                        }
                        Ok((r, j))
                    };
                    let free = vec![(f64::NEG_INFINITY, f64::INFINITY); own];
                    let found = search(&at, predicted.clone(), &free, MAX_ITERATIONS);
                    let found = found.map_or(predicted.clone(), |f| f.unknowns);
                    nodes[k * own..(k + 1) * own].copy_from_slice(found.as_slice());
                    self.node_start(&kept, s.from, found.as_slice(), &[]).0
                }
            };
            let times: Arc<[f64]> = match s.times.is_empty() {
                true => vec![s.from].into(),
                false => Arc::clone(&s.times),
            };
            let followed = c.follow(&kept, s.from, &start, vec![], &times)?;
            for row in &followed.rows {
                for (size, x) in scale.iter_mut().zip(&row[1..=width]) {
                    *size = size.max(x.abs());
                }
            }
            end = followed
                .rows
                .last()
                .map_or(start, |r| r[1..=width].to_vec());
        }
        self.scale = scale.iter().map(|s| s.max(1e-9)).collect();
        Ok(nodes)
    }

    /// Residuals of the data and weighted gaps, with derivatives by the unknowns and the nodes.
    fn at(&self, y: &DVector<f64>, weight: f64) -> Residuals {
        let (c, width) = (self.comparison, self.width());
        let (q, p, own) = (c.unknowns.len(), c.parameters(), c.state_width());
        let unknowns = DVector::from_column_slice(&y.as_slice()[..q]);
        let kept = c.kept_values(&unknowns);
        let count = c.count();
        let mut r = DVector::zeros(count + self.nodes * own);
        let mut j = DMatrix::zeros(r.len(), y.len());
        let mut row = 0;
        for s in &self.list {
            // The columns of the derivatives of this segment.
            let (start, columns, places): (Vec<f64>, Vec<Vec<f64>>, Vec<usize>) = match s.node {
                None => {
                    let (start, columns) = c.start_of(s.run, &kept, &unknowns)?;
                    (start, columns, (0..q).collect())
                }
                Some(k) => {
                    let first = q + k * own;
                    let mut places: Vec<usize> = (first..first + own).collect();
                    let mut free = Vec::new();
                    for (place, u) in c.unknowns.iter().enumerate() {
                        if let Unknown::Parameter(k) = *u {
                            free.push(k);
                            places.push(place);
                        }
                    }
                    let node = &y.as_slice()[first..first + own];
                    let (start, columns) = self.node_start(&kept, s.from, node, &free);
                    (start, columns, places)
                }
            };
            let total = columns.len();
            if s.times.is_empty() {
                continue;
            }
            let f = c.follow(&kept, s.from, &start, columns, &s.times)?;
            for d in &s.data {
                let outputs = c.outputs_at(&f.rows[d.at], &kept);
                let slopes = &outputs[c.output_names.len() + d.output * (width + p)..];
                r[row] = d.weight * (outputs[d.output] - d.value);
                for (column, &place) in places.iter().enumerate() {
                    let moved = (0..width).map(|i| slopes[i] * f.slopes[d.at][i * total + column]);
                    j[(row, place)] += d.weight * moved.sum::<f64>();
                }
                for (place, u) in c.unknowns.iter().enumerate() {
                    if let Unknown::Parameter(k) = *u {
                        j[(row, place)] += d.weight * slopes[width + k];
                    }
                }
                row += 1;
            }
            if let Some(next) = s.next {
                let last = s.times.len() - 1;
                let (gaps, node) = (count + next * own, q + next * own);
                for i in 0..own {
                    let size = weight / self.scale[i];
                    r[gaps + i] = size * (f.rows[last][1 + i] - y[node + i]);
                    j[(gaps + i, node + i)] = -size;
                    for (column, &place) in places.iter().enumerate() {
                        j[(gaps + i, place)] += size * f.slopes[last][i * total + column];
                    }
                }
            }
        }
        match r.iter().chain(j.iter()).all(|x| x.is_finite()) {
            true => Ok((r, j)),
            false => Err("an output is not a number along the run".into()),
        }
    }

    /// Values of the unknowns with which the segments join.
    pub(super) fn solve(
        mut self,
        unknowns: &DVector<f64>,
        bounds: &[(f64, f64)],
    ) -> Result<DVector<f64>, String> {
        let q = unknowns.len();
        let nodes = self.first_nodes(unknowns)?;
        let mut y = DVector::from_iterator(
            q + nodes.len(),
            unknowns.iter().chain(nodes.iter()).copied(),
        );
        let mut bounds = bounds.to_vec();
        bounds.resize(y.len(), (f64::NEG_INFINITY, f64::INFINITY));
        let first = self.at(&y, 0.0)?.0;
        let scatter = (first.norm_squared() / self.comparison.count().max(1) as f64)
            .sqrt()
            .max(f64::MIN_POSITIVE.sqrt());
        for weight in GAP_WEIGHTS {
            let at = |y: &DVector<f64>| self.at(y, scatter * weight.sqrt());
            y = search(&at, y, &bounds, MAX_ITERATIONS)?.unknowns;
        }
        Ok(y.rows(0, q).into_owned())
    }
}
