//! The page: derivation, checks and run of a model put together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use galilei_analyse::{Equilibrium, EquilibriumSearch};
use galilei_integrate::Options;
use galilei_lower::Stopwatch;
use galilei_report::{Addition, Derivation, Draft, Page, Record, Section, Topic};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::model::Model;
use crate::motion::{Motion, Plan};
use crate::simulation::Simulation;

/// Recorded states per step in a run that is drawn: a step of high order shows about a third of an oscillation.
const STATES_PER_STEP: usize = 12;
/// Fewest recorded states of a run that is drawn: about one for each pixel of a plot.
const MIN_STATES: usize = 1500;
/// Most recorded states of a run that is drawn.
const MAX_STATES: usize = 20_000;

/// The number of states in which a run of `steps` steps is drawn.
fn states_of(steps: usize) -> usize {
    steps
        .saturating_mul(STATES_PER_STEP)
        .clamp(MIN_STATES, MAX_STATES)
}

/// Keeps every k-th row, with the largest k that leaves the wanted number of them, and the last.
fn thin(rows: &mut Vec<Vec<f64>>, wanted: usize) {
    let (stride, last) = ((rows.len() / wanted).max(1), rows.len().saturating_sub(1));
    let mut at = 0..;
    rows.retain(|_| at.next().is_some_and(|k| k % stride == 0 || k == last));
}

impl Compiled {
    /// A run with equally spaced states, dense enough for plots. The required spacing follows from the steps, which
    /// are short where the motion is fast. They are known at the end, so the finest spacing is recorded and thinned.
    /// Only a run that ended so early that this spacing is too wide is repeated.
    pub(crate) fn follow_for_plots(
        &self,
        plan: &Plan,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Motion {
        let Options { from, to, .. } = plan.options;
        let started = Stopwatch::start();
        let mut over = |length: f64| {
            let options = Options {
                record: match length > 0.0 {
                    true => galilei_integrate::Record::Every(length / MAX_STATES as f64),
                    false => galilei_integrate::Record::Steps,
                },
                ..plan.options.clone()
            };
            self.integrate_plan(plan, &options, &mut *progress)
        };
        let mut run = over((to - from).abs());
        let wanted = states_of(run.steps);
        if run.rows.len() < wanted {
            run = over((run.time - from).abs());
        }
        thin(&mut run.rows, wanted);
        run.row_charts.clear();
        self.motion(run, plan, started.seconds())
    }
}

impl Model {
    /// All sections that can be derived for a model, in reading order, computed in parallel.
    pub fn derive_all(&self) -> Vec<Section> {
        let reading = self.for_reading();
        let derivation = Derivation::new(&reading);
        let topics = &Topic::of_page();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                // From the end: the last sections take longest.
                let from_end = next.fetch_add(1, Ordering::Relaxed) + 1;
                let Some(k) = topics.len().checked_sub(from_end) else {
                    return done;
                };
                done.push((k, derivation.derive(topics[k])));
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let mut drafts: Vec<(usize, Draft<'_>)> = thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let mut all = work();
            for other in others {
                match other.join() {
                    Ok(more) => all.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        });
        drafts.sort_by_key(|d| d.0);
        let drafts: Vec<Draft<'_>> = drafts.into_iter().map(|d| d.1).collect();
        derivation.render(&drafts)
    }
}

impl<'a> Simulation<'a> {
    /// The page of the model: derivation, verdicts, and this run with plots and animation. A model without numbers or
    /// without an end of its run has a page without a run. `command` and `version` record how the page was made.
    ///
    /// ```
    /// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\n")?;
    /// let html = model.simulate().to(5.0).page("a test", "1.0").to_html();
    /// assert!(html.starts_with("<!DOCTYPE html>"));
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn page(self, command: impl Into<String>, version: &'a str) -> Page<'a, 'a> {
        let model = self.model;
        let record = match self.run_for_plots() {
            Ok(motion) => Ok(Record {
                run: motion.run,
                method: motion.method.to_owned(),
                tolerance: motion.tolerance,
                step: motion.step,
            }),
            Err(error) => {
                let diagnostics = error.diagnostics().iter();
                let said = diagnostics.map(|d| format!("{}; {}", d.message, d.hint));
                Err(said.collect::<Vec<_>>().join(". "))
            }
        };
        let (sections, check) = thread::scope(|scope| {
            // Where there are no threads, one comes after the other.
            let check = thread::Builder::new().spawn_scoped(scope, || model.check());
            let sections = model.derive_all();
            match check.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(check)) => (sections, check),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => (sections, model.check()),
            }
        });
        Page {
            model,
            source: model.source(),
            sections,
            check,
            record,
            additions: vec![],
            command: command.into(),
            version,
        }
    }
}

impl Model {
    /// Answers to further questions for a page: equilibria, and the modes about one of them (a stable one if there is
    /// one, else the one nearest to the initial state).
    pub fn additions(&self, equilibria: bool, modes: bool) -> Vec<Addition> {
        let missing = |error: &Error| {
            let list = error.diagnostics().iter();
            let said: Vec<String> = list.map(|d| format!("{}; {}", d.message, d.hint)).collect();
            Addition::Missing(said.join(". "))
        };
        let found = match self.equilibria(&EquilibriumSearch::default()) {
            Ok(found) => found,
            Err(error) => return vec![missing(&error)],
        };
        let mut list = Vec::new();
        if modes {
            let linear = |e: &&Equilibrium| !e.eigenvalues.is_empty();
            let regular = || found.list.iter().filter(linear);
            let stable = regular().find(|e| e.stable == Some(true));
            list.push(match stable.or_else(|| regular().next()) {
                None => Addition::Missing(
                    "There are no modes, because no equilibrium was found.".into(),
                ),
                Some(e) => match self.modes(&galilei_analyse::state_of(self, 0.0, e)) {
                    Ok(modes) => Addition::Modes(Box::new(modes)),
                    Err(error) => missing(&error),
                },
            });
        }
        if equilibria {
            list.insert(0, Addition::Equilibria(found));
        }
        list
    }
}
