//! Lyapunov exponents of a motion.

use galilei_analyse::{Lyapunov, LyapunovRequest};
use galilei_integrate::Method;
use galilei_model::{Code, Diagnostic};

use crate::error::Error;
use crate::model::Model;
use crate::motion::{MAX_STEPS, Plan};
use crate::settings::{Observer, Progress, RunSettings, report, setters, shared_setters};

/// Settings of a run along which Lyapunov exponents are found, then [`run`](Self::run). Made by [`Model::lyapunov`].
///
/// ```
/// use galilei::Model;
/// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: -x^2/2\n")?;
/// let found = model.lyapunov().to(40.0).run()?;
/// assert!((found.exponents[0] - 1.0).abs() < 1e-3 && found.sum.abs() < 1e-12);
/// assert_eq!(found.expected_sum, Some(0.0));
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct LyapunovAnalysis<'a> {
    model: &'a Model,
    run: RunSettings,
    count: Option<usize>,
    observer: Option<Observer<'a>>,
}

impl<'a> LyapunovAnalysis<'a> {
    shared_setters!(run);

    pub(crate) fn new(model: &'a Model) -> Self {
        Self {
            model,
            run: RunSettings::new(),
            count: None,
            observer: None,
        }
    }

    setters! {
        /// The number of exponents, the largest ones. `None` finds all.
        count(count: impl Into<Option<usize>>) => count = count.into();

        /// A function that is called from time to time with the progress of the run; it returns whether to go on.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Follows the motion with nearby ones.
    ///
    /// # Errors
    /// Where a value is missing or the run is not possible.
    pub fn run(mut self) -> Result<Lyapunov, Error> {
        let model = self.model;
        let plan = Plan::new(model, &self.run).map_err(|e| model.error(e))?;
        if plan.method != Method::Taylor {
            return Err(model.error(Diagnostic::error(
                Code::NotAvailable,
                format!(
                    "Lyapunov exponents are not available by the method `{}`",
                    plan.method.name()
                ),
                "leave the method out: Taylor series compute them",
                None,
            )));
        }
        let options = &plan.options;
        let mut request = LyapunovRequest::new(
            plan.start.clone(),
            options.from,
            options.to,
            options.tolerance,
        );
        request.count = self.count;
        request.max_steps = MAX_STEPS;
        let observer = &mut self.observer;
        let shown = |t: f64| report(observer, t, [options.from, options.to]);
        if model.is_implicit() {
            return model.phase_space().lyapunov(request, shown);
        }
        galilei_analyse::lyapunov(model, &request, shown).map_err(|e| model.error(e))
    }
}
