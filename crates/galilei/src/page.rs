//! The page: derivation, checks and run of a model put together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use galilei_integrate::Options;
use galilei_model::{Diagnostic, Model};
use galilei_report::{Derivation, Draft, Page, Record, Section, WHAT};

use crate::motion::{Motion, Plan, RunSettings, compile};

/// Recorded states of a run that is looked at: per step of the method, and limits.
const PER_STEP: usize = 12;
const FEWEST: usize = 1500;
const MOST: usize = 20_000;

/// What a page tells beside the model.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// The text of the model.
    pub source: &'a str,
    /// The command that makes the page.
    pub command: String,
    /// The version that makes it.
    pub version: &'a str,
}

/// A run with states as close as a picture needs them: so many in every step the method takes, which are
/// short where the motion is fast.
pub fn observed(
    model: &Model,
    settings: &RunSettings,
    mut progress: impl FnMut(f64, f64, f64) -> bool,
) -> Result<Motion, Vec<Diagnostic>> {
    let mut plan = Plan::new(model, settings)?;
    let compiled = compile(model)?;
    let Options { from, to, .. } = plan.options;
    let started = Instant::now();
    let mut go = |plan: &Plan| {
        compiled.integrate_by(plan.method, &plan.start, &plan.options, |t| {
            progress(t, from, to)
        })
    };
    let mut run = go(&plan);
    let length = (run.time - from).abs();
    let states = (run.steps * PER_STEP).clamp(FEWEST, MOST);
    if length > 0.0 {
        plan.options.every = Some(length / states as f64);
        run = go(&plan);
    }
    Ok(compiled.motion(run, &plan, started.elapsed().as_secs_f64()))
}

/// Everything that can be derived for a model, in reading order, computed side by side.
pub fn derived(model: &Model) -> Vec<Section> {
    let derivation = Derivation::new(model);
    let known = WHAT.iter().filter(|w| w.1).map(|w| w.0);
    let words: Vec<&str> = ["spacetime", "field"].into_iter().chain(known).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            // From the end: the last sections take longest, and should not be waited for.
            let from_end = next.fetch_add(1, Ordering::Relaxed) + 1;
            let Some(k) = words.len().checked_sub(from_end) else {
                return done;
            };
            done.extend(derivation.derive(words[k]).map(|d| (k, d)));
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
    derivation.told(&drafts)
}

/// The page of a model. A model without numbers or without an end of its run has a page without a run.
pub fn page<'a, 'm>(
    model: &'m Model,
    told: Told<'a>,
    settings: &RunSettings,
    progress: impl FnMut(f64, f64, f64) -> bool,
) -> Page<'a, 'm> {
    let record = match observed(model, settings, progress) {
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
        let sections = derived(model);
        match check.join() {
            Ok(check) => (sections, check),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    Page {
        model,
        source: told.source,
        sections,
        check,
        record,
        command: told.command,
        version: told.version,
    }
}
