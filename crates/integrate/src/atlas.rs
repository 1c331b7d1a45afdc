//! Runs on a manifold with several charts: each has its own equations, and a run changes to another before its own
//! degenerates. (T-125)

mod change;
mod quality;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use galilei_tape::{Problem, Tape};

use crate::handover::{Handover, Stop};
use crate::problem::{Error, Method, Options, Run, Status};
use crate::record::started;
use crate::sensitivity::{Directions, StateSensitivities};
use crate::taylor::{Prepared, Session, integrate_with};
use crate::trail::Trail;
use change::Candidate;
pub(crate) use change::Changes;
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
    /// The derivatives of what is shown by (y, w) and by the parameters of the tape, row by row, as a function of
    /// (t, y, w), for sensitivities.
    pub tangent: Option<Arc<Tape>>,
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

    /// Integrates by Taylor series from a state of a chart with sensitivities along some directions, changing charts on
    /// the way: the tangents of the changes carry them over. Directions start in the given chart, sensitivities are
    /// those of what is shown.
    pub fn integrate_with(
        &self,
        (chart, state): (usize, &[f64]),
        options: &Options,
        directions: &Directions,
        mut progress: impl FnMut(f64) -> bool,
    ) -> (Run, StateSensitivities) {
        let mut runner = Runner::new(self, Method::Taylor);
        let mut found = StateSensitivities::default();
        let followed = Followed {
            directions: directions.clone(),
            found: &mut found,
        };
        let run = runner.follow((chart, state), options, Some(followed), &mut progress);
        (run, found)
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

    /// Integrates from a state of a chart: see [`Atlas::integrate`].
    pub fn run(
        &mut self,
        (chart, state): (usize, &[f64]),
        options: &Options,
        mut progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.follow((chart, state), options, None, &mut progress)
    }

    fn follow(
        &mut self,
        (chart, state): (usize, &[f64]),
        options: &Options,
        mut followed: Option<Followed<'_>>,
        mut progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        let (mut chart, mut state) = (chart, state.to_vec());
        let mut time = options.from;
        // A start where the chart is not regular is one of another chart.
        if !self.changes.is_regular(chart, time, &state)
            && let Some((other, there)) = self.best(chart, time, &state, f64::INFINITY)
        {
            if let Some(f) = &mut followed
                && !f.carry(&self.changes, time, (chart, &state), (other, &there))
            {
                return self.stuck(chart, &state, options);
            }
            (chart, state) = (other, there);
        }
        let mut whole: Option<Run> = None;
        let mut handover: Option<Handover> = None;
        let mut steps = 0;
        // The code of each chart is made once, and what its runs need once for this run.
        let mut prepared = std::mem::take(&mut self.prepared);
        let mut slots: Vec<Slot<'_>> = prepared.iter_mut().map(Slot::Waiting).collect();
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
            let problem = &self.atlas.charts[chart].problem;
            let run = match (&mut followed, self.method) {
                (Some(f), _) => f.part(
                    &self.changes,
                    problem,
                    (chart, &state),
                    &part,
                    &mut progress,
                ),
                (None, Method::Taylor) => {
                    let session = slots[chart].session(problem, &part);
                    session.integrate(&state, &part, &mut progress)
                }
                (None, method) => method.integrate(problem, &state, &part, &mut progress),
            };
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
            let carried = |(other, there): &(usize, Vec<f64>)| match &mut followed {
                None => true,
                Some(f) => f.carry(&self.changes, time, (chart, &ended.1), (*other, there)),
            };
            match found.filter(|_| count < MAX_CHANGES).filter(carried) {
                Some((other, there)) => {
                    (chart, state) = (other, there);
                }
                None => {
                    if let Some(w) = &mut whole
                        && w.status == Status::Finished
                    {
                        w.status = Status::Failed(Error::ChangeOfChart);
                    }
                    break;
                }
            }
        }
        drop(slots);
        self.prepared = prepared;
        whole.unwrap_or_else(|| unreachable!("a run has at least one part"))
    }

    /// A run that fails where it starts.
    fn stuck(&self, chart: usize, state: &[f64], options: &Options) -> Run {
        let problem = &self.atlas.charts[chart].problem;
        let mut run = started(problem, state, options, 0);
        run.status = Status::Failed(Error::ChangeOfChart);
        run
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
        let mut candidates = self.changes.candidates(chart, time, state);
        candidates.retain(|c| c.quality <= limit);
        candidates.sort_by(|a, b| a.quality.total_cmp(&b.quality));
        // The change between charts of a ready-made manifold has a closed form.
        if !self.atlas.foldings.is_empty() {
            let finite = |c: &Candidate| c.state.iter().all(|x| x.is_finite());
            let found = candidates.into_iter().find(finite);
            return found.map(|c| (c.chart, c.state));
        }
        let here = scalar(chart, state);
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

/// The code of a chart: waiting to be made for a tolerance, or in use by a run.
enum Slot<'r> {
    Waiting(&'r mut Option<(f64, Prepared)>),
    Open(Box<Session<'r>>),
    /// Between the two.
    Empty,
}

impl<'r> Slot<'r> {
    /// The session of the chart in this run, which is opened once.
    fn session(&mut self, problem: &Problem, options: &Options) -> &mut Session<'r> {
        if let Self::Waiting(_) = self
            && let Self::Waiting(place) = std::mem::replace(self, Self::Empty)
        {
            if place.as_ref().is_none_or(|p| p.0 != options.tolerance) {
                let made = Prepared::new(problem.clone(), options.tolerance);
                *place = Some((options.tolerance, made));
            }
            if let Some((_, prepared)) = place {
                *self = Self::Open(Box::new(prepared.session(options)));
            }
        }
        match self {
            Self::Open(session) => session,
            _ => unreachable!("a session was opened"),
        }
    }
}

/// Sensitivities along a run through charts.
struct Followed<'f> {
    /// The sensitivities at the start of the next part, in its chart.
    directions: Directions,
    found: &'f mut StateSensitivities,
}

impl Followed<'_> {
    /// A part of a run with sensitivities, of which those of what is shown are kept.
    fn part(
        &mut self,
        changes: &Changes,
        problem: &Problem,
        (chart, state): (usize, &[f64]),
        options: &Options,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        let directions = &mut self.directions;
        let (run, mut found) =
            integrate_with(problem.clone(), state, options, directions, progress);
        let (count, size) = (directions.columns.len(), state.len());
        let shown = |time: f64, state: &[f64], matrix: &mut Vec<f64>| {
            for (c, column) in directions.columns.iter().enumerate() {
                let own = (0..size).map(|i| matrix[i * count + c]);
                let sensitivity: Vec<f64> = own.chain(column[size..].iter().copied()).collect();
                let moved = changes.shown_sensitivity(chart, time, state, &sensitivity);
                for i in 0..size {
                    matrix[i * count + c] = moved.as_ref().map_or(f64::NAN, |m| m[i]);
                }
            }
        };
        for (row, matrix) in run.rows.iter().zip(&mut found.rows) {
            shown(row[0], &row[1..=size], matrix);
        }
        let last = found.last.clone();
        shown(run.time, &run.state, &mut found.last);
        self.found.rows.append(&mut found.rows);
        self.found.transitions.append(&mut found.transitions);
        self.found.last = found.last;
        if last.len() == size * count {
            for (c, column) in directions.columns.iter_mut().enumerate() {
                (0..size).for_each(|i| column[i] = last[i * count + c]);
            }
        }
        run
    }

    /// Carries the sensitivities over to another chart; whether that is possible.
    fn carry(
        &mut self,
        changes: &Changes,
        time: f64,
        from: (usize, &[f64]),
        to: (usize, &[f64]),
    ) -> bool {
        self.directions.columns.iter_mut().all(|column| {
            let moved = changes.carried(time, from, to, column);
            let moved = moved.filter(|m| m.iter().all(|x| x.is_finite()));
            moved
                .inspect(|m| column[..m.len()].copy_from_slice(m))
                .is_some()
        })
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
