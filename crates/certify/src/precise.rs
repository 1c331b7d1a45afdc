//! Runs in more digits than doubles have.
//!
//! The equations of motion with exact constants, as certified runs have them, in floating-point numbers of 128 or 256 bits:
//! Taylor series of an order that suits the tolerance, positions and velocities projected onto the constraints, events and
//! switching surfaces located to all digits, the balance of energy and work. The numbers have no proved bounds.

mod driver;
mod roots;
mod segment;

use galilei_expr::{Expr, Float, Rational};
use galilei_linear::math::scalar;
use galilei_model::{Code, Diagnostic, Direction, Model, refused};

use crate::problem::{Problem, not_available};
use driver::{Course, Driver, Outcome, Watch, number};
use segment::{Dense, Path};

/// The precision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precision {
    /// At least 106 bits, as pairs of doubles have: computed in 128.
    Bits106,
    /// At least 212 bits, as quadruples of doubles have: computed in 256.
    Bits212,
}

impl Precision {
    /// The precision of a number of bits, 106 or 212.
    pub fn of_bits(bits: usize) -> Option<Self> {
        match bits {
            106 => Some(Self::Bits106),
            212 => Some(Self::Bits212),
            _ => None,
        }
    }

    /// The number of bits.
    pub fn bits(self) -> usize {
        match self {
            Self::Bits106 => 106,
            Self::Bits212 => 212,
        }
    }

    /// The number of significant decimal digits with which numbers are written: enough to tell two numbers of this
    /// precision apart.
    pub fn digits(self) -> usize {
        match self {
            Self::Bits106 => 33,
            Self::Bits212 => 65,
        }
    }

    /// The relative tolerance of a step, where none is given.
    pub fn default_tolerance(self) -> f64 {
        match self {
            Self::Bits106 => 1e-30,
            Self::Bits212 => 1e-60,
        }
    }

    /// The tolerances that a run of this precision can keep.
    pub fn tolerances(self) -> std::ops::Range<f64> {
        match self {
            Self::Bits106 => 1e-32..1.0,
            Self::Bits212 => 1e-64..1.0,
        }
    }
}

/// A number as decimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal(String);

impl Decimal {
    fn new<const N: usize>(x: Float<N>, digits: usize) -> Self {
        Self(x.to_decimal(digits))
    }

    /// The digits, in the notation of JSON: `-0.125`, `1.5e-20`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double; infinite beyond the range of doubles.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The settings of a run in many digits.
#[derive(Clone, Debug)]
pub struct PreciseSettings<'p> {
    /// The precision.
    pub precision: Precision,
    /// The time at the start.
    pub from: Expr<'p>,
    /// The time at the end.
    pub to: Expr<'p>,
    /// The distance in time of recorded states; without it, the ends of all steps are recorded.
    pub every: Option<Expr<'p>>,
    /// Whether states are recorded at all.
    pub rows: bool,
    /// The positions, then the velocities at the start. They are moved onto the constraints.
    pub start: Vec<Expr<'p>>,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// Whether the states at all times are kept.
    pub dense: bool,
}

/// The reason why a run in many digits has ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PreciseFailure {
    /// An expression of the equations is not defined, or the mass matrix is singular.
    Undefined,
    /// The motion stays on a switching surface of a piecewise function.
    OnSurface,
    /// The steps become too short: a singularity is near, or the tolerance cannot be kept.
    StepTooSmall,
    /// No state on the constraints was found.
    Projection,
    /// The run takes too many steps.
    TooManySteps,
    /// Energy and work are not balanced.
    Balance,
    /// The run was interrupted.
    Interrupted,
}

impl std::fmt::Display for PreciseFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Undefined => {
                "the equations of motion are not defined there, or the mass matrix is singular"
            }
            Self::OnSurface => {
                "the motion stays on a switching surface of a piecewise function, or slides along it"
            }
            Self::StepTooSmall => {
                "the steps become too short: a singularity is near, or the tolerance cannot be kept"
            }
            Self::Projection => "no state on the constraints was found",
            Self::TooManySteps => "the run takes too many steps",
            Self::Balance => {
                "the energy is not balanced by the work done: the result cannot be trusted"
            }
            Self::Interrupted => "the run was interrupted",
        })
    }
}

impl std::error::Error for PreciseFailure {}

/// An event of a run in many digits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PreciseEvent {
    /// Its place among the events of the model.
    pub event: usize,
    /// Its time.
    pub time: Decimal,
    /// The positions, then the velocities then.
    pub state: Vec<Decimal>,
}

/// A run in many digits.
#[non_exhaustive]
pub struct PreciseRun {
    /// The precision.
    pub precision: Precision,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// The order of the series.
    pub order: usize,
    /// The time at the end.
    pub time: Decimal,
    /// The positions, then the velocities at the end.
    pub state: Vec<Decimal>,
    /// The outputs at the end; `None` where one has no value.
    pub outputs: Vec<Option<Decimal>>,
    /// Recorded states: the time, positions, velocities, outputs.
    pub rows: Vec<Vec<Option<Decimal>>>,
    /// The events in time order.
    pub events: Vec<PreciseEvent>,
    /// Events that may be touched without a change of sign, with the time.
    pub touched: Vec<(usize, Decimal)>,
    /// The terminal event that ended the run.
    pub ended_by: Option<usize>,
    /// Why the run ended too early.
    pub failure: Option<PreciseFailure>,
    /// The number of steps.
    pub steps: usize,
    /// The number of rejected steps.
    pub rejected: usize,
    /// The largest difference between energy and work, relative to the largest energy.
    pub energy_balance: f64,
    /// The largest residual of the constraints at the ends of steps.
    pub constraint_residual: Option<f64>,
    dense: Option<Box<dyn Dense>>,
}

impl std::fmt::Debug for PreciseRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("PreciseRun");
        f.field("time", &self.time).field("state", &self.state);
        f.finish_non_exhaustive()
    }
}

impl PreciseRun {
    /// Positions, then velocities at a time, where dense output was asked for; `None` outside of the run.
    pub fn at(&self, time: &Rational) -> Option<Vec<Decimal>> {
        self.dense.as_ref()?.at(time)
    }
}

fn not_a_number(what: &str) -> Vec<Diagnostic> {
    refused(
        Code::NotFinite,
        format!("{what} is not a number"),
        "check the `initial` values and the parameters",
    )
}

/// The order of the series for a tolerance: about that of least work, −ln(ε)/2. (Jorba and Zou, 2005)
fn order(tolerance: f64) -> usize {
    ((-scalar::log(tolerance) / 2.0).ceil() as usize + 2).clamp(12, 80)
}

/// Follows the motion of a model in many digits. The function is called with the time that is reached, and returns
/// whether to go on.
///
/// # Errors
/// Where the model has something that these runs do not have, or its settings are wrong. A run that fails on its way is
/// returned with [`PreciseRun::failure`].
///
/// ```
/// use galilei_certify::{Precision, PreciseSettings, follow};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n";
/// let model = galilei_model::read(text, &Default::default()).model.unwrap();
/// let state = model.initial_state().unwrap();
/// let settings = PreciseSettings {
///     precision: Precision::Bits106,
///     from: state.time,
///     to: model.pool().number(1),
///     every: None,
///     rows: false,
///     start: state.position.iter().chain(&state.velocity).copied().collect(),
///     tolerance: 1e-30,
///     dense: false,
/// };
/// let run = follow(&model, &settings, &mut |_| true).unwrap();
/// assert!(run.state[0].as_str().starts_with("0.54030230586813971740093660744"));
/// ```
pub fn follow<'p>(
    model: &'p Model,
    settings: &PreciseSettings<'p>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<PreciseRun, Vec<Diagnostic>> {
    match settings.precision {
        Precision::Bits106 => followed::<2>(model, settings, progress),
        Precision::Bits212 => followed::<4>(model, settings, progress),
    }
}

fn followed<'p, const N: usize>(
    model: &'p Model,
    settings: &PreciseSettings<'p>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<PreciseRun, Vec<Diagnostic>> {
    let contents = model.contents();
    if model.has_contacts() {
        return Err(model.contacts_not_available("a run in more digits"));
    }
    if contents.atlas.is_some() {
        return Err(not_available(
            "a motion through several charts has only the digits of doubles",
            "leave out `atlas:`, and run while the first chart is regular",
        ));
    }
    let problem = Problem::new(model, &[], true)?;
    let Some(followed) = &problem.followed else {
        return Err(not_a_number("an energy"));
    };
    let from = number::<N>(settings.from).ok_or_else(|| not_a_number("the start time"))?;
    let to = number::<N>(settings.to).ok_or_else(|| not_a_number("the end time"))?;
    let every = match settings.every {
        None => None,
        Some(e) => Some(
            number::<N>(e)
                .filter(|x| x.sign() > 0)
                .ok_or_else(|| not_a_number("`every`"))?,
        ),
    };
    let n = contents.coordinates.len();
    let mut start = vec![];
    for (k, e) in settings.start.iter().enumerate() {
        let name = &contents.coordinates[k % n].name;
        let prime = if k < n { "" } else { "'" };
        let x = number::<N>(*e);
        start.push(x.ok_or_else(|| not_a_number(&format!("`{name}{prime}` at the start")))?);
    }
    let watch: Vec<Watch> = (contents.events.iter().zip(&problem.events))
        .map(|(e, &register)| Watch {
            register,
            direction: match e.direction {
                Direction::Rising => 1,
                Direction::Falling => -1,
                Direction::Both => 0,
            },
            terminal: e.terminal,
        })
        .collect();
    let order = order(settings.tolerance);
    let course = Course {
        from,
        to,
        every,
        rows: settings.rows,
        tolerance: settings.tolerance,
        order,
        dense: settings.dense,
    };
    let driver = Driver::new(&problem, followed, &watch, course, start)
        .map_err(|_| not_a_number("a constant of the equations"))?;
    Ok(written(driver.run(progress), settings, order))
}

/// The run with its numbers in decimal digits.
fn written<const N: usize>(
    found: Outcome<N>,
    settings: &PreciseSettings<'_>,
    order: usize,
) -> PreciseRun {
    let digits = settings.precision.digits();
    let decimal = |x: Float<N>| Decimal::new(x, digits);
    let list = |l: &[Float<N>]| l.iter().map(|x| decimal(*x)).collect::<Vec<_>>();
    let row = |l: Vec<Option<Float<N>>>| l.into_iter().map(|x| x.map(decimal)).collect();
    let path = Path {
        segments: found.segments,
        digits,
    };
    PreciseRun {
        precision: settings.precision,
        tolerance: settings.tolerance,
        order,
        time: decimal(found.time),
        state: list(&found.state),
        outputs: row(found.outputs),
        rows: found.rows.into_iter().map(row).collect(),
        events: (found.found.iter())
            .map(|f| PreciseEvent {
                event: f.event,
                time: decimal(f.time),
                state: list(&f.state),
            })
            .collect(),
        touched: (found.touched.iter())
            .map(|(k, t)| (*k, decimal(*t)))
            .collect(),
        ended_by: found.ended,
        failure: found.failure,
        steps: found.steps,
        rejected: found.rejected,
        energy_balance: found.energy_balance,
        constraint_residual: found.residual,
        dense: settings.dense.then(|| Box::new(path) as Box<dyn Dense>),
    }
}
