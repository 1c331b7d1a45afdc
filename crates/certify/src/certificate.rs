//! Certified runs of models.

use galilei_expr::{Ball, Enclosures, Expr, Interval, Program};
use galilei_linear::math::scalar;
use galilei_model::{Code, Diagnostic, Direction, Model, refused};

use crate::flow::Obstacle;
use crate::problem::Problem;
use crate::run::{Course, Watch, run};
use crate::set::Set;
use crate::start::on_constraints;

/// The limbs of the centre of a set: 128 bits.
const LIMBS: usize = 2;

/// The tolerance of a step of a certified run, where none is given: the rest of a series relative to the state.
pub const CERTIFIED_TOLERANCE: f64 = 1e-17;

/// A number that lies between two others, as expressions without symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<'p> {
    /// The lower end.
    pub low: Expr<'p>,
    /// The upper end.
    pub high: Expr<'p>,
}

impl<'p> Range<'p> {
    /// The range of one number.
    pub fn exactly(x: Expr<'p>) -> Self {
        Self { low: x, high: x }
    }
}

/// The settings of a certified run: exact numbers, and ranges of numbers.
#[derive(Clone, Debug)]
pub struct Settings<'p> {
    /// The time at the start.
    pub from: Expr<'p>,
    /// The time at the end.
    pub to: Expr<'p>,
    /// The positions, then the velocities at the start.
    pub start: Vec<Range<'p>>,
    /// Parameters that are not known exactly, by their symbols.
    pub parameters: Vec<(Expr<'p>, Range<'p>)>,
    /// The rest of the series of a step relative to the state.
    pub tolerance: f64,
}

/// An event of a certified run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CertifiedEvent {
    /// Its place among the events of the model.
    pub event: usize,
    /// The times between which it happens.
    pub time: [f64; 2],
    /// The positions, then the velocities, at the event.
    pub state: Vec<[f64; 2]>,
    /// Whether it is proved to happen, once, between these times; otherwise it may happen there, or not, or more often.
    pub certified: bool,
}

/// The result of a certified run: the motion of the model, as its text gives it, is proved to lie in these intervals.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// Whether the motion is enclosed to the end of the run.
    pub certified: bool,
    /// The last time at which the motion is enclosed.
    pub until: f64,
    /// The time of the enclosed states: a point, or the interval in which a terminal event happens.
    pub time: [f64; 2],
    /// The positions.
    pub position: Vec<[f64; 2]>,
    /// The velocities.
    pub velocity: Vec<[f64; 2]>,
    /// The outputs; `None` where an output has no enclosure.
    pub outputs: Vec<Option<[f64; 2]>>,
    /// The events in time order.
    pub events: Vec<CertifiedEvent>,
    /// The terminal event that ended the run.
    pub ended_by: Option<usize>,
    /// Why the motion is not enclosed further.
    pub reason: Option<String>,
    /// The number of steps.
    pub steps: usize,
    /// The number of rejected steps.
    pub rejected: usize,
    /// The order of the series.
    pub order: usize,
}

impl Certificate {
    /// The largest width of the enclosed positions and velocities.
    pub fn width(&self) -> f64 {
        let all = self.position.iter().chain(&self.velocity);
        all.map(|[low, high]| high - low).fold(0.0, f64::max)
    }
}

/// The enclosure of an expression without symbols.
pub(crate) fn ball<const N: usize>(e: Expr<'_>) -> Option<Ball<N>> {
    let program = Program::new(&[e], &[]).ok()?;
    program.balls::<N>(&[]).into_iter().next().flatten()
}

fn not_a_number(what: &str) -> Vec<Diagnostic> {
    refused(
        Code::NotFinite,
        format!("{what} is not a number that can be enclosed"),
        "check the `initial` values and the parameters",
    )
}

fn ends<const N: usize>(
    range: Range<'_>,
    what: &str,
) -> Result<(Ball<N>, Ball<N>), Vec<Diagnostic>> {
    let end = |e| ball::<N>(e).ok_or_else(|| not_a_number(what));
    let low = end(range.low)?;
    if range.low == range.high {
        return Ok((low, low));
    }
    let high = end(range.high)?;
    if high.sub(&low).proven_sign() != Some(1) {
        return Err(refused(
            Code::WrongSetting,
            format!("the interval of {what} is empty"),
            "write the smaller number first: `x in 0.9..1.1`",
        ));
    }
    Ok((low, high))
}

/// The order of the series for a tolerance of a step.
fn order(tolerance: f64) -> usize {
    // As for runs in doubles, with some orders more: the rest is bounded over a box, which costs some of them.
    let digits = -scalar::log10(tolerance);
    ((1.15 * digits).ceil() as usize + 4).clamp(10, 60)
}

fn pair(x: Interval) -> [f64; 2] {
    [x.low(), x.high()]
}

/// Encloses the motion of a model. The function is called with the time that is reached, and returns whether to go on.
///
/// # Errors
/// Where the model has something that cannot be enclosed, or its settings are wrong.
///
/// ```
/// use galilei_certify::{CERTIFIED_TOLERANCE, Range, Settings, certify};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n";
/// let model = galilei_model::read(text, &Default::default()).model.unwrap();
/// let state = model.initial_state().unwrap();
/// let settings = Settings {
///     from: state.time,
///     to: model.pool().number(1),
///     start: state.position.iter().chain(&state.velocity).map(|x| Range::exactly(*x)).collect(),
///     parameters: vec![],
///     tolerance: CERTIFIED_TOLERANCE,
/// };
/// let found = certify(&model, &settings, &mut |_| true).unwrap();
/// let [low, high] = found.position[0];
/// assert!(found.certified && low <= 1f64.cos() && 1f64.cos() <= high && high - low < 1e-15);
/// ```
pub fn certify<'p>(
    model: &'p Model,
    settings: &Settings<'p>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Certificate, Vec<Diagnostic>> {
    let contents = model.contents();
    if model.has_contacts() {
        return Err(model.contacts_not_available("a certificate"));
    }
    let n = contents.coordinates.len();
    let kept: Vec<Expr<'p>> = settings.parameters.iter().map(|p| p.0).collect();
    let problem = Problem::new(model, &kept, false)?;
    let from = ball::<LIMBS>(settings.from).ok_or_else(|| not_a_number("the start time"))?;
    let to = ball::<LIMBS>(settings.to).ok_or_else(|| not_a_number("the end time"))?;
    let mut entries = vec![];
    for (k, range) in settings.start.iter().enumerate() {
        let name = &contents.coordinates[k % n].name;
        let prime = if k < n { "" } else { "'" };
        entries.push(ends::<LIMBS>(
            *range,
            &format!("`{name}{prime}` at the start"),
        )?);
    }
    for (symbol, range) in &settings.parameters {
        entries.push(ends::<LIMBS>(*range, &format!("`{symbol}`"))?);
    }
    on_constraints(&problem, settings)?;
    let exact = settings.parameters.is_empty() && settings.start.iter().all(|r| r.low == r.high);
    let values: Vec<(Expr<'p>, Expr<'p>)> = problem
        .inputs
        .iter()
        .copied()
        .zip(std::iter::once(settings.from).chain(settings.start.iter().map(|r| r.low)))
        .collect();
    let watch: Vec<Watch> = contents
        .events
        .iter()
        .zip(problem.events.iter().zip(&problem.event_expressions))
        .map(|(e, (&register, function))| Watch {
            register,
            direction: match e.direction {
                Direction::Rising => 1,
                Direction::Falling => -1,
                Direction::Both => 0,
            },
            terminal: e.terminal,
            zero_at_start: exact && is_zero(function.substitute(&values)),
        })
        .collect();
    let order = order(settings.tolerance);
    let course = Course {
        to,
        tolerance: settings.tolerance,
        order,
        groups: (0..2 * n).map(|k| usize::from(k >= n)).collect(),
    };
    let set = Set::new(from, &entries);
    let outcome = run(&problem.equations, &watch, course, set, progress)
        .map_err(|_| not_a_number("a constant of the equations"))?;
    let (set, time) = (&outcome.set, outcome.set.time.to_interval());
    let bounds = &set.bounds;
    let names: Vec<&str> = contents.events.iter().map(|e| e.name.as_str()).collect();
    let reason = outcome.obstacle.as_ref().map(|o| {
        let chart = match o {
            Obstacle::NoEnclosure | Obstacle::Undefined if contents.atlas.is_some() => {
                " (enclosures stay in the first chart, which may end there)"
            }
            _ => "",
        };
        described(o, &names) + chart
    });
    let mut inputs = vec![time];
    inputs.extend(bounds);
    let outputs = problem.outputs.iter().map(|program| {
        let value = program.as_ref()?.run(&mut Enclosures::new(), &inputs);
        let value = value.into_iter().next()?.ok()?;
        value.is_finite().then(|| pair(value))
    });
    let forward = settings_forward(&from, &to);
    Ok(Certificate {
        certified: outcome.obstacle.is_none(),
        until: if forward { time.low() } else { time.high() },
        time: pair(time),
        position: bounds[..n].iter().map(|x| pair(*x)).collect(),
        velocity: bounds[n..2 * n].iter().map(|x| pair(*x)).collect(),
        outputs: outputs.collect(),
        events: (outcome.found.into_iter())
            .map(|f| CertifiedEvent {
                event: f.event,
                time: pair(f.time),
                state: f.state[..2 * n].iter().map(|x| pair(*x)).collect(),
                certified: f.certain,
            })
            .collect(),
        ended_by: outcome.ended,
        reason,
        steps: outcome.steps,
        rejected: outcome.rejected,
        order,
    })
}

fn settings_forward<const N: usize>(from: &Ball<N>, to: &Ball<N>) -> bool {
    to.sub(from).to_f64() >= 0.0
}

/// Whether an expression without symbols is proved to be zero.
pub(crate) fn is_zero(e: Expr<'_>) -> bool {
    e.is_zero() || e.decide_equal(e.pool().zero()).is_proved()
}

fn described(obstacle: &Obstacle, events: &[&str]) -> String {
    match obstacle {
        Obstacle::NoEnclosure => {
            "the enclosure has become too wide: no step has a box that contains the motion".into()
        }
        Obstacle::Undefined => {
            "the equations of motion are not defined on all of the enclosure, or the mass matrix may be singular there"
                .into()
        }
        Obstacle::Grazing => {
            "a switching surface of a piecewise function may be touched, or be left on the same side, instead of being crossed"
                .into()
        }
        Obstacle::Event(k) => {
            format!("it is not decided whether the terminal event {} happens", events[*k])
        }
        Obstacle::TooManySteps => "the run takes too many steps".into(),
        Obstacle::Interrupted => "the run was interrupted".into(),
    }
}
