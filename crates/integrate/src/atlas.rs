//! Runs on a manifold with several charts: each has its own equations, and a run changes to another before its own
//! degenerates. (T-125)

mod change;
mod course;
mod lanes;
mod quality;

use std::sync::Arc;

use galilei_tape::{Problem, Tape};

use crate::ensemble::Start;
use crate::handover::Stop;
use crate::problem::{Method, Options, Run};
use crate::sensitivity::{Directions, StateSensitivities};
use crate::taylor::{Prepared, Session, integrate_with};
use crate::trail::Trail;
pub(crate) use change::Changes;
pub use change::Folding;
use course::{Charts, Course};

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
    charts: Charts<'a>,
    method: Method,
    prepared: Vec<Option<(f64, Prepared)>>,
}

impl<'a> Runner<'a> {
    fn new(atlas: &'a Atlas, method: Method) -> Self {
        Self {
            charts: Charts::new(atlas),
            prepared: atlas.charts.iter().map(|_| None).collect(),
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
        let charts = &self.charts;
        let mut course = match Course::new(charts, (chart, state), options, followed.as_mut()) {
            Ok(course) => course,
            Err(run) => return *run,
        };
        // The code of each chart is made once, and what its runs need once for this run.
        let mut slots: Vec<Slot<'_>> = self.prepared.iter_mut().map(Slot::Waiting).collect();
        loop {
            let part = course.part(charts, options);
            let (chart, state) = course.place();
            let problem = &charts.atlas.charts[chart].problem;
            let run = match (&mut followed, self.method) {
                (Some(f), _) => f.part(
                    &charts.changes,
                    problem,
                    (chart, state),
                    &part,
                    &mut progress,
                ),
                (None, Method::Taylor) => {
                    let session = slots[chart].session(problem, &part);
                    session.integrate(state, &part, &mut progress)
                }
                (None, method) => method.integrate(problem, state, &part, &mut progress),
            };
            if let Some(whole) = course.took(charts, run, followed.as_mut()) {
                return whole;
            }
        }
    }

    /// Integrates from states of the first chart by Taylor series, several of them in lanes of each chart: motions whose
    /// charts agree share the code of their series. Each run is handed over with the number of its start, in whatever
    /// order that happens, and has the bits of [`run`](Self::run). `go_on` is asked now and then; runs that are under
    /// way when it says no are not handed over.
    pub fn run_in_lanes(
        &mut self,
        lanes: usize,
        starts: impl Iterator<Item = Start>,
        options: &Options,
        done: impl FnMut(u64, Run),
        go_on: impl FnMut() -> bool,
    ) {
        lanes::run_all(&self.charts, lanes, starts, options, done, go_on);
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
