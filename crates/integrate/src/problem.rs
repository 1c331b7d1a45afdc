//! Options, methods and results of a run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use galilei_tape::{Reg, Surfaces, Wanted};

pub(crate) use galilei_tape::{Output, Problem};

use crate::atlas::Piece;
use crate::collocation::{integrate_gauss, integrate_radau};
use crate::contact::ContactRecord;
use crate::dop853::integrate_dop853;
use crate::expansion::classical;
use crate::handover::{Handover, Stop};
use crate::ledger::Ledger;
use crate::taylor::Prepared;
use crate::trail::Trail;
use crate::variational_integrator::{DiscreteAction, integrate_variational};
use crate::work::TwoPoint;

/// The request for the Taylor series of a motion, with the positions of the first event and of the first kink among the
/// requested series; surfaces follow the kinks. Quantities that are integrated or located are requested as series,
/// energies and residuals as values. Where the power at both ends of a step gives the work, the tolerance determines how
/// many coefficients of the power are requested.
pub(crate) fn wanted(
    problem: &Problem,
    tolerance: f64,
    surfaces: &Surfaces,
) -> (Wanted, [usize; 2]) {
    let mut series: Vec<Reg> = vec![problem.power];
    series.extend(&problem.reaction_rates);
    let events = series.len();
    series.extend(problem.events.iter().map(|e| e.register));
    let kinks = series.len();
    series.extend(problem.tape.kinks().iter().map(|k| k.register));
    series.extend(surfaces.registers());
    let mut values: Vec<Reg> = vec![problem.energy];
    values.extend(problem.scale.iter().chain(&problem.residuals));
    let wanted = Wanted {
        series,
        integrated: events,
        places: TwoPoint::serves(problem).then(|| classical(tolerance) as usize / 2 + 1),
        values,
        multipliers: !problem.reaction_rates.is_empty(),
        ..Wanted::default()
    };
    (wanted, [events, kinks])
}

/// An enum whose variants have words, each listed once: `Variant = "words"`.
macro_rules! worded {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $words:literal,)* }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$($words),*].len()] = [$(Self::$variant),*];

            fn words(self) -> &'static str {
                match self {
                    $(Self::$variant => $words,)*
                }
            }
        }
    };
}

worded! {
    /// A method of integration.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Method {
        /// Taylor series.
        #[default]
        Taylor = "taylor",
        /// Dormand and Prince's Runge–Kutta method of order 8.
        Dop853 = "dop853",
        /// Gauss' collocation with one stage, of order 2: the implicit midpoint rule. Symplectic, constant steps.
        Gauss2 = "gauss2",
        /// Gauss' collocation with two stages, of order 4. Symplectic, constant steps.
        Gauss4 = "gauss4",
        /// Gauss' collocation with three stages, of order 6. Symplectic, constant steps.
        Gauss6 = "gauss6",
        /// Radau's collocation IIA with three stages, of order 5, for stiff motions.
        Radau = "radau",
        /// The variational integrator of the midpoint rule, of order 2. Constant steps.
        Midpoint = "midpoint",
        /// The variational integrator of the trapezoidal rule, of order 2: Störmer and Verlet's. Constant steps.
        Trapezoid = "trapezoid",
        /// The variational integrator of polynomials of degree 1 and Gauss' point: the same as `midpoint`.
        Galerkin2 = "galerkin2",
        /// The variational integrator of polynomials of degree 2 and Gauss' points, of order 4. Constant steps.
        Galerkin4 = "galerkin4",
        /// The variational integrator of polynomials of degree 3 and Gauss' points, of order 6. Constant steps.
        Galerkin6 = "galerkin6",
        /// Moreau's and Jean's time-stepping scheme for many contacts, of order 1: complementarity between velocities and
        /// impulses in each step, without locating impacts. Constant steps. Without contacts it is `gauss2`.
        Moreau = "moreau",
    }
}

impl Method {
    /// Its name in files and commands.
    pub fn name(self) -> &'static str {
        self.words()
    }

    /// The number of stages of a Gauss method: those have constant steps, and are symplectic for motions without
    /// constraints. `None` for other methods.
    pub fn gauss_stages(self) -> Option<usize> {
        match self {
            Self::Gauss2 => Some(1),
            Self::Gauss4 => Some(2),
            Self::Gauss6 => Some(3),
            _ => None,
        }
    }

    /// Whether it is a variational integrator: those have constant steps, and are symplectic for motions without other
    /// forces than potential ones, also under constraints between positions.
    pub fn is_variational(self) -> bool {
        self.discrete_action().is_some()
    }

    /// Which discrete action it makes stationary, if it is a variational integrator.
    pub(crate) fn discrete_action(self) -> Option<DiscreteAction> {
        match self {
            Self::Trapezoid => Some(DiscreteAction::Trapezoid),
            Self::Midpoint | Self::Galerkin2 => Some(DiscreteAction::Galerkin(1)),
            Self::Galerkin4 => Some(DiscreteAction::Galerkin(2)),
            Self::Galerkin6 => Some(DiscreteAction::Galerkin(3)),
            _ => None,
        }
    }

    /// Whether its steps are all of one length.
    pub fn has_constant_steps(self) -> bool {
        self.gauss_stages().is_some() || self.is_variational() || self == Self::Moreau
    }

    /// Whether several of its runs go in lanes in one thread.
    pub fn has_lanes(self) -> bool {
        matches!(self, Self::Taylor | Self::Dop853)
    }

    /// Integrates from a state, x then u. `progress` is called from time to time with the time
    /// and returns whether to go on.
    pub fn integrate(
        self,
        problem: &Problem,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        let written;
        let problem = match self {
            Self::Taylor | Self::Dop853 => problem,
            _ => {
                written = problem.written_out();
                &written
            }
        };
        if let Some(stages) = self.gauss_stages() {
            return integrate_gauss(problem, stages, state, options, progress);
        }
        if let Some(action) = self.discrete_action() {
            return integrate_variational(problem, action, state, options, progress);
        }
        match self {
            Self::Moreau => integrate_gauss(problem, 1, state, options, progress),
            Self::Radau => integrate_radau(problem, state, options, progress),
            Self::Dop853 => integrate_dop853(problem, state, options, progress),
            _ => {
                let mut prepared = Prepared::new(problem.clone(), options.tolerance);
                prepared.integrate(state, options, progress)
            }
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let mut all = Self::ALL.into_iter();
        all.find(|m| m.name() == name)
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// The error of a name that no [`Method`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no method `{}`", self.0)
    }
}

impl std::error::Error for UnknownMethod {}

/// The states that a run records.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Record {
    /// The start of every step, and the end of the run.
    #[default]
    Steps,
    /// States at this distance in time, and the end of the run; the end alone if the distance is not a positive number.
    Every(f64),
    /// States at these times, which are in the order of the run and within it.
    At(Arc<[f64]>),
    /// No states; the end of the run is in [`Run::state`].
    Nothing,
}

impl Record {
    /// The distance in time of recorded states, if they have one.
    #[inline(always)]
    pub(crate) fn distance(&self) -> Option<f64> {
        match *self {
            Self::Every(distance) => Some(distance).filter(|d| d.is_finite() && *d > 0.0),
            Self::Steps | Self::At(_) | Self::Nothing => None,
        }
    }
}

/// Options of a run.
///
/// ```
/// use galilei_integrate::{Options, Record};
/// let options = Options { to: 10.0, record: Record::Every(0.1), ..Options::default() };
/// assert_eq!((options.from, options.step), (0.0, None));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The start.
    pub from: f64,
    /// The end; may lie before the start.
    pub to: f64,
    /// The states that are recorded.
    pub record: Record,
    /// Whether the states at the ends of steps are kept in [`Run::trail`], from which states at any time are computed.
    pub dense_output: bool,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// Steps before the run is given up.
    pub max_steps: usize,
    /// The length of all steps, for methods of constant steps; `None` chooses it by the tolerance.
    pub step: Option<f64>,
    /// A function that ends the run at the start of a step; the run is [`Status::Finished`] then, before its end.
    pub stop: Option<Stop>,
    /// The record of the run that this one continues.
    pub handover: Option<Handover>,
}

impl Default for Options {
    /// From 0 to 0, with all steps recorded, a tolerance of 1e-12 and at most 50 million steps.
    fn default() -> Self {
        Self {
            from: 0.0,
            to: 0.0,
            record: Record::Steps,
            dense_output: false,
            tolerance: 1e-12,
            max_steps: 50_000_000,
            step: None,
            stop: None,
            handover: None,
        }
    }
}

impl Options {
    /// 1 forward in time, −1 backward.
    pub(crate) fn sign(&self) -> f64 {
        if self.to >= self.from { 1.0 } else { -1.0 }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The end was reached.
    Finished,
    /// A terminal event.
    Event(usize),
    /// The computation failed.
    Failed(Error),
}

worded! {
    /// The reason why a run failed. Journals keep the numbers of the reasons (`error as usize`).
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum Error {
        /// The mass matrix, or the matrix of the constraints, became singular.
        SingularMassMatrix = "the mass matrix became singular",
        /// A value is infinite or not a number.
        NotFinite = "a value is not finite",
        /// A step would be too short to advance the time.
        StepUnderflow = "the step became too small",
        /// The number of steps exceeds [`Options::max_steps`].
        TooManySteps = "too many steps",
        /// Both sides of a kink push back to it.
        Sticking = "the motion sticks at a kink: both sides push back to it",
        /// A kink is touched, not crossed, and the accelerations jump there.
        Grazing = "the motion touches a kink without crossing it: neighbouring motions part there",
        /// The equations of a step of constant length cannot be solved, or its error is too large.
        StepTooLong = "the step is too long for the motion",
        /// The initial state is not on the constraints.
        OffConstraints = "the initial state is not on the constraints",
        /// A variational step is asked for where not all constraints are between positions.
        Nonholonomic = "a variational step needs constraints between positions, and one here restricts velocities",
        /// The caller of the run asked for its end.
        Interrupted = "interrupted",
        /// A step ended far from the constraints.
        LeftConstraints = "a step ended far from the constraints: they are not smooth there, or not independent",
        /// Energy is not balanced by the work done: the motion cannot be trusted.
        EnergyBalance = "energy is not balanced by the work done, so the motion cannot be trusted",
        /// The charts of an atlas do not fit together at a change, or none covers the state.
        ChangeOfChart =
            "the chart degenerates, and no other chart of the atlas has this state: the charts do not cover it, or their changes do not fit",
        /// The equations of contact and friction have no solution, or several.
        ContactNotUnique = "the equations of contact and friction have no solution, or several",
        /// Too many contacts and friction elements act at once.
        TooManyContacts = "too many contacts and friction elements act at once",
        /// A contact is penetrated at the start.
        Penetration = "a contact is penetrated at the start: its gap is negative",
        /// A motion went through a contact that was taken for open.
        ContactMissed = "a contact that was taken for open is penetrated: rounding hides whether it closes",
        /// The limit of a friction element is negative.
        NegativeFriction = "the limit of a friction element is negative",
        /// Modes of contact and friction change without end at one instant.
        EndlessTransitions = "modes of contact and friction change without end at one instant",
        /// The equations of an `impact` statement do not determine the velocities after it.
        SingularImpact = "the equations of an impact do not determine the velocities after it",
        /// The velocities after an `impact` statement violate a constraint.
        ImpactOffConstraints = "the velocities after an impact violate a constraint of the model",
        /// Sensitivities: a mode of contact or friction ends without speed, so nearby motions need not reach its end.
        GrazingContact =
            "no derivatives: the motion grazes a contact or the end of a mode of friction, which nearby motions need not reach",
        /// Sensitivities: several modes end together, and nearby motions reach their ends one after the other.
        ModesEndTogether =
            "no derivatives: contacts close or friction ends at the same instant, and nearby motions depend on which is first",
        /// Sensitivities: infinitely many impacts accumulate.
        AccumulatingImpacts = "no derivatives beyond the instant at which impacts accumulate",
        /// Sensitivities: a parameter moves a contact that is closed at the start.
        StartOffContact = "no derivatives: a parameter opens or closes a contact that is closed at the start",
        /// Sensitivities: a jump or a mode has no derivatives.
        NoDerivatives = "no derivatives: a jump of velocities or a mode of contact does not determine them",
        /// A time-stepping scheme for contacts is asked to go back in time.
        BackwardImpacts = "a time-stepping scheme for contacts goes forward in time only",
        /// An output or an event uses accelerations or reactions, which a time-stepping scheme does not have.
        NotRecorded =
            "an output or an event uses accelerations or reactions, which a time-stepping scheme does not have",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl std::error::Error for Error {}

/// An event that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Crossing {
    /// The number of the event.
    pub event: usize,
    /// The time of the event.
    pub time: f64,
    /// x, then u.
    pub state: Vec<f64>,
}

/// A finished run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// Why it ended.
    pub status: Status,
    /// The last time.
    pub time: f64,
    /// x, then u, at the last time.
    pub state: Vec<f64>,
    /// The discrete momenta at the last time, of variational methods; of others none.
    pub momenta: Vec<f64>,
    /// The outputs at the last time.
    pub outputs: Vec<f64>,
    /// Recorded rows: t, x, u, outputs.
    pub rows: Vec<Vec<f64>>,
    /// Events, in the order of the run.
    pub crossings: Vec<Crossing>,
    /// Events that became too small for a number, so that their zeros were not seen from then on.
    pub underflows: Vec<usize>,
    /// Functions given by tables whose arguments left the table, and the time from which on they were outside.
    pub extrapolated: Vec<(String, f64)>,
    /// Steps taken.
    pub steps: usize,
    /// The time from which on the motion had reached a steady state, so that its last step is one of the linearised
    /// equations.
    pub settled: Option<f64>,
    /// Steps refused.
    pub rejected: usize,
    /// Evaluations of the jets, or of the right-hand side.
    pub evaluations: usize,
    /// The largest defect of the energy balance, divided by the largest energy.
    pub energy_balance: f64,
    /// An estimate of the error of the positions at the end, relative to how large they became; for constant steps whose
    /// length was chosen by a tolerance.
    pub accumulated_error: Option<f64>,
    /// The largest residual of a constraint seen; `None` without constraints.
    pub constraint_residual: Option<f64>,
    /// Energy balance and constraint residual along the run.
    pub ledger: Ledger,
    /// The number of projections onto the constraints.
    pub projections: usize,
    /// The order of the series, or of the method.
    pub order: usize,
    /// The states between which steps lie, if they were to be kept.
    pub trail: Trail,
    /// The record with which another run continues this one.
    pub handover: Handover,
    /// The chart of each row, by its place in the atlas; empty for runs in one chart. States, rows and events are those
    /// of the first chart, and not numbers where it has no coordinates.
    pub row_charts: Vec<usize>,
    /// The parts between changes of chart; empty for runs in one chart.
    pub pieces: Vec<Piece>,
    /// The state at the end in the chart of the last part; empty for runs in one chart.
    pub chart_state: Vec<f64>,
    /// Impacts and modes; empty for systems without contacts and friction.
    pub contacts: ContactRecord,
}

/// The verdict of the energy balance of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Energy is balanced as well as the tolerance lets expect.
    Balanced,
    /// The balance is worse than that.
    Doubtful,
    /// The balance is so bad that the motion cannot be trusted.
    Lost,
}

impl Run {
    /// The verdict of the energy balance at a tolerance: doubtful from 10³ tolerances on and not below 10⁻⁶, lost
    /// from 10⁵ tolerances on and not below 10⁻².
    pub fn trust(&self, tolerance: f64) -> Trust {
        let b = self.energy_balance;
        if b > (1e5 * tolerance).max(1e-2) || b.is_nan() {
            Trust::Lost
        } else if b > (1e3 * tolerance).max(1e-6) {
            Trust::Doubtful
        } else {
            Trust::Balanced
        }
    }

    /// Whether errors of constant steps have added up to more than 10⁴ tolerances, and 10⁻⁶.
    pub fn has_drifted(&self, tolerance: f64) -> bool {
        let most = (1e4 * tolerance).max(1e-6);
        self.accumulated_error.is_some_and(|error| error > most)
    }

    /// Fails a run by adaptive steps whose energy balance is lost.
    pub fn distrust(&mut self, method: Method, tolerance: f64) {
        let ended = !matches!(self.status, Status::Failed(_));
        if ended && !method.has_constant_steps() && self.trust(tolerance) == Trust::Lost {
            self.status = Status::Failed(Error::EnergyBalance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    /// Journals keep these numbers.
    #[test]
    fn stops_stand_at_their_numbers() {
        let numbers = Error::ALL.map(|stop| stop as usize);
        assert!(numbers.into_iter().eq(0..Error::ALL.len()));
        assert_eq!(Error::EnergyBalance as usize, 11);
    }
}
