//! A run as a function of time.

use std::collections::HashMap;
use std::sync::Arc;

use galilei_integrate::{Atlas, Continuation, Error, Piece, Run};

use galilei_tape::ModeProblem;

use crate::compiled::Compiled;
use crate::motion::Motion;

/// The motion at any time that a run reached, to the tolerance of the run. It is self-contained.
///
/// ```
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
/// let (_, mut trajectory) = galilei::Model::parse(text)?.simulate().run_dense()?;
/// let state = trajectory.at(12.3).unwrap().unwrap();
/// assert!((state[0] - 12.3_f64.cos()).abs() < 1e-12);
/// assert!(trajectory.at(20.1).is_none());
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct Trajectory {
    /// The parts in one chart each; one for a run without an atlas.
    pieces: Vec<Piece>,
    /// One for each part that was asked for last in its chart.
    continuations: HashMap<usize, (usize, Continuation)>,
    compiled: Compiled,
    atlas: Option<Atlas>,
    /// The equations of the modes of contact and friction to which parts refer; empty for other systems.
    modes: Vec<Arc<ModeProblem>>,
    tolerance: f64,
    shown: Vec<f64>,
}

impl Trajectory {
    /// Takes the dense output of a run of the same equations; see
    /// [`Options::dense_output`](galilei_integrate::Options::dense_output).
    pub fn of(compiled: &Compiled, motion: &mut Motion) -> Self {
        let Run { trail, pieces, .. } = &mut motion.run;
        let mut pieces = match pieces.is_empty() {
            // Where a run was made in one chart, that is the first.
            true => vec![Piece {
                chart: 0,
                from: trail.ends().map_or(0.0, |e| e.0),
                trail: std::mem::take(trail),
            }],
            false => pieces
                .iter_mut()
                .map(|p| Piece {
                    trail: std::mem::take(&mut p.trail),
                    ..*p
                })
                .collect(),
        };
        pieces.retain(|p| !p.trail.is_empty());
        Self {
            pieces,
            continuations: HashMap::new(),
            compiled: compiled.clone(),
            atlas: compiled.atlas(),
            modes: motion.run.contacts.problems.clone(),
            tolerance: motion.tolerance,
            shown: vec![],
        }
    }

    /// The interval of time on which the motion is known.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let first = self.pieces.first()?.trail.ends()?;
        let last = self.pieces.last()?.trail.ends()?;
        Some((first.0, last.1))
    }

    /// x, then u, at a time; `None` where the run did not reach it. Not numbers where the first chart of an atlas has no
    /// coordinates.
    pub fn at(&mut self, t: f64) -> Option<Result<&[f64], Error>> {
        let (first, last) = self.ends()?;
        let sign = if last >= first { 1.0 } else { -1.0 };
        let begun = |p: &Piece| (t - p.from) * sign >= 0.0;
        let k = self.pieces.partition_point(begun).checked_sub(1)?;
        let piece = &self.pieces[k];
        let (compiled, tolerance) = (&self.compiled, self.tolerance);
        let modes = &self.modes;
        let new = || {
            let chart = compiled.charts().get(piece.chart);
            let problem = match (modes.get(piece.chart), chart) {
                (Some(mode), _) => &mode.problem,
                (None, Some(chart)) => &chart.lowered.problem,
                (None, None) => &compiled.lowered().problem,
            };
            (
                k,
                Continuation::new(&problem.tape, &problem.rates, tolerance),
            )
        };
        let (of, continuation) = self.continuations.entry(piece.chart).or_insert_with(new);
        if *of != k {
            continuation.forget();
            *of = k;
        }
        let state = match continuation.state(&piece.trail, t)? {
            Ok(state) => state,
            Err(why) => return Some(Err(why)),
        };
        self.shown = match (&self.atlas, &compiled.lowered().canonical) {
            (Some(atlas), _) => atlas.shown(piece.chart, t, state),
            (None, Some(canonical)) => canonical.natural(state),
            (None, None) => state.to_vec(),
        };
        Some(Ok(&self.shown))
    }
}
