//! One run of a model.

use galilei_integrate::{Error as RunError, Options, Status};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::model::Model;
use crate::motion::{Motion, Plan};
use crate::settings::{Observer, Progress, RunSettings, report, setters, shared_setters};
use crate::trajectory::Trajectory;

/// Settings of one run of a model, then [`run`](Self::run). Made by [`Model::simulate`].
///
/// ```
/// use galilei::{Method, Model};
/// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n")?;
/// let motion = model.simulate().to(6.0).every(0.5).method(Method::Dop853).tolerance(1e-10).run()?;
/// assert_eq!(motion.run.rows.len(), 13);
/// assert!((motion.run.state[0] - 6f64.cos()).abs() < 1e-8);
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct Simulation<'a> {
    pub(crate) model: &'a Model,
    run: RunSettings,
    compiled: Option<&'a Compiled>,
    observer: Option<Observer<'a>>,
}

impl<'a> Simulation<'a> {
    shared_setters!(run);

    pub(crate) fn new(model: &'a Model) -> Self {
        Self {
            model,
            run: RunSettings::new(),
            compiled: None,
            observer: None,
        }
    }

    setters! {
        /// Equations of the same model that were compiled before, for several runs of it. A model from
        /// [`Model::starting_at`] has the same equations.
        compiled(compiled: &'a Compiled) => compiled = Some(compiled);

        /// A function that is called from time to time with the progress of the run; it returns whether to go on.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Makes the run. A run that fails is returned up to the failure: see [`Run::status`](crate::Run::status).
    ///
    /// # Errors
    /// Where the model has no numbers, or the settings are not those of a run.
    pub fn run(self) -> Result<Motion, Error> {
        let model = self.model;
        let motion = self.follow(|compiled, plan, progress| compiled.follow(plan, progress));
        motion.map(|m| with_hints(m, model))
    }

    /// Makes the run and returns it with dense output.
    ///
    /// ```
    /// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
    /// let (motion, mut trajectory) = galilei::Model::parse(text)?.simulate().run_dense()?;
    /// assert_eq!(motion.run.time, 20.0);
    /// let state = trajectory.at(12.3).unwrap().unwrap();
    /// assert!((state[0] - 12.3_f64.cos()).abs() < 1e-12);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the model has no numbers, or the settings are not those of a run.
    pub fn run_dense(self) -> Result<(Motion, Trajectory), Error> {
        let model = self.model;
        self.follow(|compiled, plan, progress| {
            let mut plan = plan.clone();
            plan.options.dense_output = true;
            let mut motion = compiled.follow(&plan, progress);
            let trajectory = Trajectory::of(compiled, &mut motion);
            (motion, trajectory)
        })
        .map(|(m, trajectory)| (with_hints(m, model), trajectory))
    }

    /// Makes the run with equally spaced states, dense enough for plots.
    ///
    /// # Errors
    /// Where the model has no numbers, or the settings are not those of a run.
    pub fn run_for_plots(self) -> Result<Motion, Error> {
        let model = self.model;
        let motion =
            self.follow(|compiled, plan, progress| compiled.follow_for_plots(plan, progress));
        motion.map(|m| with_hints(m, model))
    }

    fn follow<T>(
        mut self,
        make: impl FnOnce(&Compiled, &Plan, &mut dyn FnMut(f64) -> bool) -> T,
    ) -> Result<T, Error> {
        let plan = Plan::new(self.model, &self.run).map_err(|e| self.model.error(e))?;
        let own;
        let compiled = match self.compiled {
            Some(compiled) => compiled,
            None => {
                own = self.model.compile_for_runs()?;
                &own
            }
        };
        let Options { from, to, .. } = plan.options;
        let observer = &mut self.observer;
        let mut progress = |time: f64| report(observer, time, [from, to]);
        Ok(make(compiled, &plan, &mut progress))
    }
}

/// A motion with what to write instead of forces at whose kinks it sticks.
fn with_hints(mut motion: Motion, model: &Model) -> Motion {
    let stuck = [
        RunError::Sticking,
        RunError::Grazing,
        RunError::StepUnderflow,
    ];
    if let Status::Failed(why) = &motion.run.status
        && stuck.contains(why)
    {
        let sharp = model.dry_frictions().into_iter().filter(|f| !f.smoothed);
        motion.warnings.extend(sharp.map(|f| f.sticks()));
    }
    motion
}
