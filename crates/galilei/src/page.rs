//! The page: derivation, checks and run of a model put together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use galilei_integrate::Options;
use galilei_model::{Diagnostic, Model};
use galilei_report::{Derivation, Draft, Page, Record, Section, Topic};

use crate::motion::{Compiled, Motion, Plan, RunSettings, compile};

/// Recorded states per step in a run that is drawn: a step of high order shows about a third of an oscillation.
const STATES_PER_STEP: usize = 12;
/// Fewest recorded states of a run that is drawn: about one for each pixel of a plot.
const MIN_STATES: usize = 1500;
/// Most recorded states of a run that is drawn.
const MAX_STATES: usize = 20_000;

/// What a page says besides the model.
#[derive(Clone, Debug)]
pub struct PageInfo<'a> {
    /// The text of the model.
    pub source: &'a str,
    /// The command that makes the page.
    pub command: String,
    /// The version that makes it.
    pub version: &'a str,
}

/// A run with equally spaced states that are as close as plots need them; see [`Compiled::simulate_for_plots`].
///
/// # Errors
/// Where the model has no numbers, or the settings are not those of a run.
pub fn simulate_for_plots(
    model: &Model,
    settings: &RunSettings,
    progress: impl FnMut(f64, f64, f64) -> bool,
) -> Result<Motion, Vec<Diagnostic>> {
    compile(model)?.simulate_for_plots(model, settings, progress)
}

/// The number of states in which a run of so many steps is drawn.
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
    /// A run with equally spaced states that are as close as plots need them. The steps, which are short where the
    /// motion is fast, say how close that is; they are known at the end, so the finest spacing is recorded and thinned.
    /// Only a run that ended so early that this spacing is too wide is repeated.
    ///
    /// # Errors
    /// Where the settings are not those of a run.
    pub fn simulate_for_plots(
        &self,
        model: &Model,
        settings: &RunSettings,
        mut progress: impl FnMut(f64, f64, f64) -> bool,
    ) -> Result<Motion, Vec<Diagnostic>> {
        let plan = Plan::new(model, settings)?;
        let Options { from, to, .. } = plan.options;
        let started = Instant::now();
        let mut over = |length: f64| {
            let options = Options {
                every: (length > 0.0).then_some(length / MAX_STATES as f64),
                ..plan.options.clone()
            };
            self.integrate_by(plan.method, &plan.start, &options, |t| {
                progress(t, from, to)
            })
        };
        let mut run = over((to - from).abs());
        let wanted = states_of(run.steps);
        if run.rows.len() < wanted {
            run = over((run.time - from).abs());
        }
        thin(&mut run.rows, wanted);
        Ok(self.motion(run, &plan, started.elapsed().as_secs_f64()))
    }
}

/// Everything that can be derived for a model, in reading order, computed side by side.
pub fn derive_all(model: &Model) -> Vec<Section> {
    let derivation = Derivation::new(model);
    let topics = Topic::PAGE;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            // From the end: the last sections take longest, and should not be waited for.
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

/// The page of a model. A model without numbers or without an end of its run has a page without a run.
pub fn page<'a, 'm>(
    model: &'m Model,
    info: PageInfo<'a>,
    settings: &RunSettings,
    progress: impl FnMut(f64, f64, f64) -> bool,
) -> Page<'a, 'm> {
    let record = match simulate_for_plots(model, settings, progress) {
        Ok(motion) => Ok(Record {
            run: motion.run,
            method: motion.method.to_owned(),
            tolerance: motion.tolerance,
            step: motion.step,
        }),
        Err(errors) => {
            let said = errors.iter().map(|d| format!("{}; {}", d.message, d.hint));
            Err(said.collect::<Vec<_>>().join(". "))
        }
    };
    let (sections, check) = thread::scope(|scope| {
        let check = scope.spawn(|| galilei_check::check(model));
        let sections = derive_all(model);
        match check.join() {
            Ok(check) => (sections, check),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    Page {
        model,
        source: info.source,
        sections,
        check,
        record,
        command: info.command,
        version: info.version,
    }
}
