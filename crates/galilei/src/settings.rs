//! Settings that runs of all kinds share.

use galilei_integrate::Method;

/// Settings of a run that override those of the file; settings that are not given are those of the file.
///
/// The builders [`Simulation`](crate::Simulation), [`SensitivityAnalysis`](crate::SensitivityAnalysis),
/// [`SweepBuilder`](crate::SweepBuilder) and [`StationarySearch`](crate::StationarySearch) have the same setters; a value
/// of this type serves where several of them get the same settings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunSettings {
    pub(crate) from: Option<f64>,
    pub(crate) to: Option<f64>,
    pub(crate) every: Option<f64>,
    pub(crate) method: Option<Method>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) step: Option<f64>,
    pub(crate) project: bool,
    pub(crate) accept_balance: bool,
    pub(crate) unrecorded: bool,
    /// The chart in which runs start, and the state there.
    pub(crate) chart: Option<(String, String)>,
}

/// Setters of a builder, each with its doc comment: `name(argument: Type) => field = value;` sets a field.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),+) => $($field:ident).+ = $value:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $($argument: $type),+) -> Self {
            self.$($field).+ = $value;
            self
        }
    )*};
}
pub(crate) use setters;

/// The setters of a run for a builder; `$field` names its [`RunSettings`], or is empty for these themselves.
macro_rules! run_setters {
    ($($field:ident)?) => {
        $crate::settings::setters! {
            /// The time at which runs start. `None` keeps the value of the file, or 0.
            from(from: impl Into<Option<f64>>) => $($field.)?from = from.into();

            /// The time at which runs end; it may lie before the start. `None` keeps the value of the file.
            to(to: impl Into<Option<f64>>) => $($field.)?to = to.into();

            /// The distance in time of recorded states, to which the last state is added. `None` keeps the value of the
            /// file, or records every step.
            every(every: impl Into<Option<f64>>) => $($field.)?every = every.into();

            /// The method of integration. `None` keeps that of the file, or Taylor series.
            method(method: impl Into<Option<$crate::Method>>) => $($field.)?method = method.into();

            /// The relative tolerance of a step. `None` keeps the value of the file, or
            /// [`DEFAULT_TOLERANCE`](crate::DEFAULT_TOLERANCE).
            tolerance(tolerance: impl Into<Option<f64>>)
                => $($field.)?tolerance = tolerance.into();

            /// The size of all steps, for methods of constant steps. `None` lets the tolerance choose it.
            step(step: impl Into<Option<f64>>) => $($field.)?step = step.into();

            /// Whether runs start from the state on the constraints that is nearest to the initial one.
            project(project: bool) => $($field.)?project = project;

            /// Whether a run is accepted although its energy is not balanced by the work done. Otherwise it fails.
            accept_balance(accept: bool) => $($field.)?accept_balance = accept;

            /// The chart of the atlas in which runs start, and entries of the state there, such as `"a=1, b'=0.5"`; others
            /// are those of the file, carried over.
            in_chart(chart: impl Into<String>, at: impl Into<String>)
                => $($field.)?chart = Some((chart.into(), at.into()));

            /// Whether no states are recorded, only the last state and events.
            unrecorded(unrecorded: bool) => $($field.)?unrecorded = unrecorded;
        }
    };
}
pub(crate) use run_setters;

/// The setters of a builder for all settings of a run at once, and [`run_setters`].
macro_rules! shared_setters {
    ($field:ident) => {
        $crate::settings::run_setters!($field);

        /// All settings of the runs at once.
        #[must_use]
        pub fn settings(mut self, settings: $crate::RunSettings) -> Self {
            self.$field = settings;
            self
        }
    };
}
pub(crate) use shared_setters;

impl RunSettings {
    /// Settings that keep all values of the file.
    pub fn new() -> Self {
        Self::default()
    }
}

impl RunSettings {
    run_setters!();
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The time that the run has reached.
    pub time: f64,
    /// The time at which it started.
    pub from: f64,
    /// The time at which it ends.
    pub to: f64,
}

impl Progress {
    /// The part of the run that is done, from 0 to 1.
    ///
    /// ```
    /// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n")?;
    /// let mut last = 0.0;
    /// model.simulate().to(300.0).progress(|p| { last = p.fraction(); true }).run()?;
    /// assert!(last > 0.0 && last <= 1.0);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn fraction(&self) -> f64 {
        match self.to == self.from {
            true => 1.0,
            false => ((self.time - self.from) / (self.to - self.from)).clamp(0.0, 1.0),
        }
    }
}

/// A function that is called with the progress of a run; it returns whether to go on.
pub(crate) type Observer<'a> = Box<dyn FnMut(Progress) -> bool + 'a>;

/// Calls an observer, if there is one.
pub(crate) fn report(observer: &mut Option<Observer<'_>>, time: f64, [from, to]: [f64; 2]) -> bool {
    let progress = Progress { time, from, to };
    observer.as_mut().is_none_or(|observer| observer(progress))
}
