//! Runs through charts side by side: motions whose charts agree are in lanes of one code. A motion that changes its chart
//! leaves its lane and waits for one of the other chart.

use std::collections::VecDeque;

use galilei_jit::Kernel;
use galilei_tape::Problem;

use super::course::{Charts, Course};
use crate::ensemble::Start;
use crate::lines::Lines;
use crate::problem::{Options, Run};
use crate::taylor::{Prepared, Session};

/// The number of charts whose lanes can be filled at the same time.
const FILLED_CHARTS: usize = 8;
/// The number of rounds after which it is asked whether to go on.
const ROUNDS: u64 = 256;

/// A motion that is under way.
struct Motion {
    number: u64,
    course: Course,
    /// The options of the whole run.
    options: Options,
}

/// The lanes of a chart.
struct Lanes<'r> {
    /// Code for all lanes; without it each lane computes its own series.
    kernel: Option<Kernel>,
    sessions: Vec<Session<'r>>,
    /// The motion in each lane, at the end of a step whose series are not computed yet.
    motions: Vec<Option<Motion>>,
    inputs: Lines,
    outputs: Lines,
}

/// A chart: motions that wait for a lane, and its lanes, once they are needed.
struct Deck<'r> {
    waiting: VecDeque<Motion>,
    place: Option<&'r mut Vec<Prepared>>,
    lanes: Option<Lanes<'r>>,
}

impl<'r> Lanes<'r> {
    fn new(
        place: &'r mut Vec<Prepared>,
        count: usize,
        problem: &Problem,
        options: &Options,
    ) -> Self {
        let first = Prepared::new(problem.clone(), options.tolerance);
        let kernel = first.in_lanes(count);
        *place = vec![first; count];
        Self {
            inputs: Lines::zeros(kernel.as_ref().map_or(0, Kernel::input_len), 0),
            outputs: Lines::zeros(kernel.as_ref().map_or(0, Kernel::output_len), 0),
            kernel,
            sessions: place.iter_mut().map(|p| p.session(options)).collect(),
            motions: (0..count).map(|_| None).collect(),
        }
    }

    /// Puts a motion into a lane; the part of its run that ends before a step is taken.
    fn begin(
        &mut self,
        l: usize,
        charts: &Charts<'_>,
        mut motion: Motion,
    ) -> Option<(Motion, Run)> {
        let part = motion.course.part(charts, &motion.options);
        let (_, state) = motion.course.place();
        match self.sessions[l].begin(state, &part) {
            Some(run) => Some((motion, run)),
            None => {
                self.motions[l] = Some(motion);
                None
            }
        }
    }

    /// Takes a step of all motions; the parts of runs that end with it.
    fn step(&mut self) -> Vec<(Motion, Run)> {
        let count = self.sessions.len();
        for (l, session) in self.sessions.iter_mut().enumerate() {
            if self.motions[l].is_none() {
                continue;
            }
            if self.kernel.is_none() {
                session.compute();
                continue;
            }
            let (inputs, _) = session.numbers();
            let column = self.inputs.iter_mut().skip(l).step_by(count);
            column.zip(inputs).for_each(|(to, x)| *to = *x);
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.call(&self.inputs, &mut self.outputs);
        }
        let mut ended = Vec::new();
        for (l, session) in self.sessions.iter_mut().enumerate() {
            if self.motions[l].is_none() {
                continue;
            }
            if self.kernel.is_some() {
                let (_, outputs) = session.numbers();
                let column = self.outputs.iter().skip(l).step_by(count);
                outputs.iter_mut().zip(column).for_each(|(to, x)| *to = *x);
            }
            if let Some(run) = session.take()
                && let Some(motion) = self.motions[l].take()
            {
                ended.push((motion, run));
            }
        }
        ended
    }
}

impl Deck<'_> {
    /// The number of motions that are in this chart.
    fn len(&self) -> usize {
        let lanes = self.lanes.iter().flat_map(|lanes| &lanes.motions);
        self.waiting.len() + lanes.flatten().count()
    }
}

/// Integrates motions from states of the first chart, with the number of their starts: see
/// [`Runner::run_in_lanes`](super::Runner::run_in_lanes).
pub(super) fn run_all(
    charts: &Charts<'_>,
    count: usize,
    starts: impl Iterator<Item = Start>,
    options: &Options,
    mut done: impl FnMut(u64, Run),
    mut go_on: impl FnMut() -> bool,
) {
    let problems = || charts.atlas.charts.iter().map(|c| &c.problem);
    let mut places: Vec<Vec<Prepared>> = problems().map(|_| vec![]).collect();
    let mut decks: Vec<Deck<'_>> = (places.iter_mut())
        .map(|place| Deck {
            waiting: VecDeque::new(),
            place: Some(place),
            lanes: None,
        })
        .collect();
    let most = count * decks.len().min(FILLED_CHARTS);
    let (mut starts, mut rounds) = (starts.fuse(), 0_u64);
    loop {
        if rounds.is_multiple_of(ROUNDS) && !go_on() {
            return;
        }
        rounds += 1;
        let mut under_way: usize = decks.iter().map(Deck::len).sum();
        while under_way < most
            && let Some(start) = starts.next()
        {
            let options = Options {
                from: start.from,
                to: start.to,
                ..options.clone()
            };
            match Course::new(charts, (0, &start.state), &options, None) {
                Ok(course) => {
                    under_way += 1;
                    let deck = &mut decks[course.place().0];
                    deck.waiting.push_back(Motion {
                        number: start.number,
                        course,
                        options,
                    });
                }
                Err(run) => done(start.number, *run),
            }
        }
        // The chart with most of its lanes filled goes on; the others wait until theirs are.
        let fullest = (0..decks.len()).max_by_key(|&k| decks[k].len());
        let Some(deck) = fullest
            .map(|k| (k, &mut decks[k]))
            .filter(|(_, d)| d.len() > 0)
        else {
            return;
        };
        let (k, deck) = deck;
        if let Some(place) = deck.place.take()
            && let Some(problem) = problems().nth(k)
        {
            deck.lanes = Some(Lanes::new(place, count, problem, options));
        }
        let Some(lanes) = &mut deck.lanes else {
            return;
        };
        let mut ended = Vec::new();
        for l in 0..count {
            while lanes.motions[l].is_none()
                && let Some(motion) = deck.waiting.pop_front()
            {
                ended.extend(lanes.begin(l, charts, motion));
            }
        }
        ended.extend(lanes.step());
        for (mut motion, run) in ended {
            match motion.course.took(charts, run, None) {
                Some(whole) => done(motion.number, whole),
                None => decks[motion.course.place().0].waiting.push_back(motion),
            }
        }
    }
}
