//! Runs on a manifold with several charts: each has its own equations, and a run changes to another before its own
//! degenerates. (T-125)

mod change;
mod quality;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use galilei_tape::{Problem, Tape};

use crate::handover::{Handover, Stop};
use crate::problem::{Error, Method, Options, Run, Status};
use crate::taylor::Prepared;
use crate::trail::Trail;
use change::Changes;
pub use change::Folding;

/// The largest number of changes of chart in a run: a run that changes more often changes back and forth.
const MAX_CHANGES: usize = 1_000_000;
/// The part of the largest energy by which the Lagrangian, a scalar, may differ between two charts at a change.
const SCALAR_ACCURACY: f64 = 1e-7;

/// A chart of an atlas, as code.
#[derive(Clone, Debug)]
pub struct AtlasChart {
    /// Its name.
    pub name: String,
    /// The equations of motion in it.
    pub problem: Problem,
    /// gᵢⱼ for i ≤ j, then ∂ₖgᵢⱼ for each k, as functions of (t, y, w).
    pub metric: Option<Arc<Tape>>,
    /// The state that is shown, such as that in the first chart, as a function of (t, y, w); `None` where it is (y, w).
    pub shown: Option<Arc<Tape>>,
    /// The state (y, w) as a function of (t, x, u) of the first chart, where it is known.
    pub inverse: Option<Arc<Tape>>,
    /// X(t, y), ∂X/∂t and the rows of ∂X/∂y, by which the inverse is computed where it is not known.
    pub jacobian: Option<Arc<Tape>>,
}

/// Charts that cover a manifold, as code.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    /// The charts; the first is that of the model.
    pub charts: Vec<AtlasChart>,
    /// Coordinates that are inverted at a sphere, for ready-made manifolds; empty for charts of one's own.
    pub foldings: Vec<Folding>,
}

/// A part of a run in one chart.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The place of the chart in the atlas.
    pub chart: usize,
    /// The time at which the part begins.
    pub from: f64,
    /// The states at the ends of its steps in that chart, if they were to be kept.
    pub trail: Trail,
}

impl Atlas {
    /// The numbers of a state of a chart that are shown.
    pub fn shown(&self, chart: usize, time: f64, state: &[f64]) -> Vec<f64> {
        match &self.charts[chart].shown {
            None => state.to_vec(),
            Some(tape) => {
                let inputs = [&[time], state].concat();
                let mut shown = tape.run(&inputs, &[]);
                // Where one is no number, the chart that is shown is not regular.
                if shown.iter().any(|x| !x.is_finite()) {
                    shown.fill(f64::NAN);
                }
                shown
            }
        }
    }

    /// Integrates from a state of a chart, y then w, and changes charts on the way. Nothing but the run of the first
    /// chart is computed where no change is needed. `progress` is called from time to time with the time and returns
    /// whether to go on.
    pub fn integrate(
        &self,
        method: Method,
        (chart, state): (usize, &[f64]),
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        Runner::new(self, method).run((chart, state), options, progress)
    }

    /// A runner for several runs by a method.
    pub fn runner(&self, method: Method) -> Runner<'_> {
        Runner::new(self, method)
    }
}

/// Runs in an atlas by one method: the code of each chart is made once.
pub struct Runner<'a> {
    atlas: &'a Atlas,
    method: Method,
    changes: Arc<Changes>,
    prepared: Vec<Option<(f64, Prepared)>>,
}

impl<'a> Runner<'a> {
    fn new(atlas: &'a Atlas, method: Method) -> Self {
        Self {
            changes: Arc::new(Changes::new(atlas)),
            prepared: atlas.charts.iter().map(|_| None).collect(),
            atlas,
            method,
        }
    }

    /// A part of a run in one chart.
    fn part(
        &mut self,
        chart: usize,
        state: &[f64],
        options: &Options,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        let problem = &self.atlas.charts[chart].problem;
        if self.method != Method::Taylor {
            return self.method.integrate(problem, state, options, progress);
        }
        let known = self.prepared[chart].take();
        let (_, prepared) = self.prepared[chart].insert(match known {
            Some((tolerance, p)) if tolerance == options.tolerance => (tolerance, p),
            _ => (
                options.tolerance,
                Prepared::new(problem.clone(), options.tolerance),
            ),
        });
        prepared.integrate(state, options, progress)
    }

    /// Integrates from a state of a chart: see [`Atlas::integrate`].
    pub fn run(
        &mut self,
        (chart, state): (usize, &[f64]),
        options: &Options,
        mut progress: impl FnMut(f64) -> bool,
    ) -> Run {
        let (mut chart, mut state) = (chart, state.to_vec());
        let mut time = options.from;
        // A start where the chart is not regular is one of another chart.
        if !self.changes.is_regular(chart, time, &state)
            && let Some((other, there)) = self.best(chart, time, &state, f64::INFINITY)
        {
            (chart, state) = (other, there);
        }
        let mut whole: Option<Run> = None;
        let mut handover: Option<Handover> = None;
        let mut steps = 0;
        loop {
            let next = Arc::new(AtomicUsize::new(usize::MAX));
            let part = Options {
                from: time,
                stop: (self.atlas.charts.len() > 1 || !self.atlas.foldings.is_empty())
                    .then(|| Changes::stop(&self.changes, chart, &next)),
                handover: handover.take(),
                max_steps: options.max_steps - steps.min(options.max_steps),
                ..options.clone()
            };
            let run = self.part(chart, &state, &part, &mut progress);
            steps += run.steps;
            let ended = (run.time, run.state.clone());
            let status = run.status.clone();
            handover = Some(run.handover.clone());
            let advanced = run.steps > 0;
            let count = self.joined(&mut whole, run, chart, time);
            time = ended.0;
            let limit = match (status, next.load(Ordering::Relaxed)) {
                (Status::Finished, usize::MAX) | (Status::Event(_), _) => break,
                (Status::Finished, _) => f64::INFINITY,
                // A chart that cannot be followed may not be the fault of the motion.
                (Status::Failed(why), _) if advanced && recoverable(why) => f64::INFINITY,
                (Status::Failed(_), _) => break,
            };
            let found = self.best(chart, time, &ended.1, limit);
            match found {
                Some((other, there)) if count < MAX_CHANGES => {
                    (chart, state) = (other, there);
                }
                _ => {
                    if let Some(w) = &mut whole
                        && w.status == Status::Finished
                    {
                        w.status = Status::Failed(Error::ChangeOfChart);
                    }
                    break;
                }
            }
        }
        whole.unwrap_or_else(|| unreachable!("a run has at least one part"))
    }

    /// The best other chart for a state that fits, and the state in it.
    fn best(
        &self,
        chart: usize,
        time: f64,
        state: &[f64],
        limit: f64,
    ) -> Option<(usize, Vec<f64>)> {
        let scalar = |chart: usize, state: &[f64]| {
            let problem = &self.atlas.charts[chart].problem;
            let inputs = [&[time], state].concat();
            let mut values = vec![0.0; problem.tape.len()];
            problem.tape.evaluate(&inputs, &[], &mut values);
            let value = |r: u32| values[r as usize];
            (value(problem.lagrangian), value(problem.energy))
        };
        let here = scalar(chart, state);
        let mut candidates = self.changes.candidates(chart, time, state);
        candidates.retain(|c| c.quality <= limit);
        candidates.sort_by(|a, b| a.quality.total_cmp(&b.quality));
        candidates.into_iter().find_map(|c| {
            let there = scalar(c.chart, &c.state);
            let size = (there.0.abs()).max(there.1.abs()).max(f64::MIN_POSITIVE);
            // Where the chart that is left has no values, nothing is compared.
            let fits = (here.0 - there.0).abs() <= SCALAR_ACCURACY * size || !here.0.is_finite();
            (fits && there.0.is_finite()).then_some((c.chart, c.state))
        })
    }

    /// Adds a part to the run; the number of parts.
    fn joined(&self, whole: &mut Option<Run>, mut run: Run, chart: usize, from: f64) -> usize {
        run.row_charts = vec![chart; run.rows.len()];
        run.pieces = vec![Piece {
            chart,
            from,
            trail: std::mem::take(&mut run.trail),
        }];
        self.show(&mut run, chart);
        let Some(all) = whole else {
            *whole = Some(run);
            return 1;
        };
        all.join(run);
        all.pieces.len()
    }

    /// Puts what is shown in place of the states of a chart.
    fn show(&self, run: &mut Run, chart: usize) {
        run.chart_state.clone_from(&run.state);
        if self.atlas.charts[chart].shown.is_none() {
            return;
        }
        run.momenta.clear();
        run.state = self.atlas.shown(chart, run.time, &run.state);
        let moving = 2 * self.atlas.charts[chart].problem.rates.dimension;
        for row in &mut run.rows {
            let shown = self.atlas.shown(chart, row[0], &row[1..=moving]);
            row.splice(1..=moving, shown);
        }
        for c in &mut run.crossings {
            c.state = self.atlas.shown(chart, c.time, &c.state);
        }
    }
}

/// Whether a run may have failed because its chart ends.
fn recoverable(why: Error) -> bool {
    matches!(
        why,
        Error::SingularMassMatrix
            | Error::NotFinite
            | Error::StepUnderflow
            | Error::StepTooLong
            | Error::LeftConstraints
    )
}
