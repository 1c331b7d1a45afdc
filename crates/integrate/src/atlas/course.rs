//! A run through charts, part by part.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::change::{Candidate, Changes};
use super::{Atlas, Followed, Piece};
use crate::handover::Handover;
use crate::problem::{Error, Options, Run, Status};
use crate::record::started;

/// The largest number of changes of chart in a run: a run that changes more often changes back and forth.
const MAX_CHANGES: usize = 1_000_000;
/// The part of the largest energy by which the Lagrangian, a scalar, may differ between two charts at a change.
const SCALAR_ACCURACY: f64 = 1e-7;

/// A run that fails where its chart is this many times worse conditioned than at the start has come to the end of the chart.
const DEGENERATE: f64 = 1e6;

/// The charts of an atlas and the changes between them.
pub(super) struct Charts<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) changes: Arc<Changes>,
}

/// A run through charts that is under way: the start of its next part, and what became of those before it.
pub(super) struct Course {
    chart: usize,
    time: f64,
    state: Vec<f64>,
    whole: Option<Run>,
    handover: Option<Handover>,
    steps: usize,
    /// How well conditioned the chart was at the start.
    conditioned: f64,
    /// The chart that the present part has to leave, if it has.
    left: Arc<AtomicUsize>,
}

impl<'a> Charts<'a> {
    pub(super) fn new(atlas: &'a Atlas) -> Self {
        Self {
            changes: Arc::new(Changes::new(atlas)),
            atlas,
        }
    }

    /// A run that fails where it starts.
    fn stuck(&self, chart: usize, state: &[f64], options: &Options) -> Run {
        let problem = &self.atlas.charts[chart].problem;
        let mut run = started(problem, state, options, 0);
        run.status = Status::Failed(Error::ChangeOfChart);
        run
    }

    /// The best other chart for a state that fits, and the state in it.
    fn best(&self, chart: usize, time: f64, (state, low): (&[f64], &[f64])) -> Option<Candidate> {
        let scalar = |chart: usize, state: &[f64]| {
            let problem = &self.atlas.charts[chart].problem;
            let inputs = [&[time], state].concat();
            let mut values = vec![0.0; problem.tape.len()];
            problem.tape.evaluate(&inputs, &[], &mut values);
            let value = |r: u32| values[r as usize];
            (value(problem.lagrangian), value(problem.energy))
        };
        let mut candidates = self.changes.candidates(chart, time, (state, low));
        candidates.retain(|c| !c.quality.is_nan());
        candidates.sort_by(|a, b| a.quality.total_cmp(&b.quality));
        // The change between charts of a ready-made manifold has a closed form.
        if !self.atlas.foldings.is_empty() {
            let finite = |c: &Candidate| c.state.iter().all(|x| x.is_finite());
            return candidates.into_iter().find(finite);
        }
        let here = scalar(chart, state);
        candidates.into_iter().find(|c| {
            let there = scalar(c.chart, &c.state);
            let size = (there.0.abs()).max(there.1.abs()).max(f64::MIN_POSITIVE);
            // Where the chart that is left has no values, nothing is compared.
            let fits = (here.0 - there.0).abs() <= SCALAR_ACCURACY * size || !here.0.is_finite();
            fits && there.0.is_finite()
        })
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

impl Course {
    /// A run from a state of a chart; a start where the chart is not regular is one of another chart. The run that fails
    /// at once where it cannot be carried there.
    pub(super) fn new(
        charts: &Charts<'_>,
        (chart, state): (usize, &[f64]),
        options: &Options,
        followed: Option<&mut Followed<'_>>,
    ) -> Result<Self, Box<Run>> {
        let mut course = Self {
            chart,
            time: options.from,
            state: state.to_vec(),
            whole: None,
            handover: None,
            steps: 0,
            conditioned: charts.changes.quality(chart, options.from, state),
            left: Arc::default(),
        };
        if !charts.changes.is_regular(chart, course.time, state)
            && let Some(found) = charts.best(chart, course.time, (state, &[]))
        {
            let there = (found.chart, &found.state[..]);
            if let Some(f) = followed
                && !f.carry(&charts.changes, course.time, (chart, state), there)
            {
                return Err(Box::new(charts.stuck(chart, state, options)));
            }
            (course.chart, course.state) = (found.chart, found.state);
        }
        Ok(course)
    }

    /// The chart of the next part, and the state in it.
    pub(super) fn place(&self) -> (usize, &[f64]) {
        (self.chart, &self.state)
    }

    /// The options of the next part.
    pub(super) fn part(&mut self, charts: &Charts<'_>, options: &Options) -> Options {
        self.left = Arc::new(AtomicUsize::new(usize::MAX));
        let several = charts.atlas.charts.len() > 1 || !charts.atlas.foldings.is_empty();
        Options {
            from: self.time,
            stop: several.then(|| Changes::stop(&charts.changes, self.chart, &self.left)),
            handover: self.handover.take(),
            max_steps: options.max_steps - self.steps.min(options.max_steps),
            ..options.clone()
        }
    }

    /// Takes a part that has ended; the whole run if it was the last.
    pub(super) fn took(
        &mut self,
        charts: &Charts<'_>,
        run: Run,
        followed: Option<&mut Followed<'_>>,
    ) -> Option<Run> {
        self.steps += run.steps;
        let (chart, state) = (self.chart, run.state.clone());
        let (status, advanced) = (run.status.clone(), run.steps > 0);
        let mut handover = run.handover.clone();
        let from = std::mem::replace(&mut self.time, run.time);
        let count = self.join(charts, run, from);
        let goes_on = match status {
            Status::Finished => self.left.load(Ordering::Relaxed) != usize::MAX,
            Status::Event(_) => false,
            // A chart that cannot be followed may not be the fault of the motion.
            Status::Failed(why) => advanced && recoverable(why),
        };
        if !goes_on {
            return self.ended(charts, &state);
        }
        let found = charts.best(chart, self.time, (&state, &handover.state_low));
        let carried = |c: &Candidate| {
            let there = (c.chart, &c.state[..]);
            followed.is_none_or(|f| f.carry(&charts.changes, self.time, (chart, &state), there))
        };
        let Some(found) = found.filter(|_| count < MAX_CHANGES).filter(carried) else {
            if let Some(w) = &mut self.whole
                && w.status == Status::Finished
            {
                w.status = Status::Failed(Error::ChangeOfChart);
            }
            return self.ended(charts, &state);
        };
        handover.state_low = found.low;
        self.handover = Some(handover);
        (self.chart, self.state) = (found.chart, found.state);
        None
    }

    /// The whole run. A failure at the end of a chart that no other chart continues is named after it.
    fn ended(&mut self, charts: &Charts<'_>, state: &[f64]) -> Option<Run> {
        if let Some(run) = &mut self.whole
            && let Status::Failed(why) = run.status
            && recoverable(why)
            && charts.atlas.charts.len() > 1
        {
            let here = charts.changes.quality(self.chart, self.time, state);
            let worse = self.conditioned > 0.0 && here > DEGENERATE * self.conditioned;
            if worse || here.is_infinite() {
                run.status = Status::Failed(Error::ChangeOfChart);
            }
        }
        self.whole.take()
    }

    /// Adds a part to the run; the number of parts.
    fn join(&mut self, charts: &Charts<'_>, mut run: Run, from: f64) -> usize {
        let chart = self.chart;
        run.row_charts = vec![chart; run.rows.len()];
        run.pieces = vec![Piece {
            chart,
            from,
            trail: std::mem::take(&mut run.trail),
        }];
        charts.show(&mut run, chart);
        match &mut self.whole {
            Some(all) => {
                all.join(run);
                all.pieces.len()
            }
            None => {
                self.whole = Some(run);
                1
            }
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
