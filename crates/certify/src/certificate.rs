//! Certified runs of models.

use galilei_expr::{Ball, Enclosures, Expr, Interval, Program};
use galilei_linear::math::scalar;
use galilei_model::{Code, Diagnostic, Direction, Model, refused};

use crate::charts::Charts;
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
    /// Where the run changes its chart, in the order of the run: a run in numbers tells. Nothing is changed without.
    pub charts: Vec<ChartChange>,
}

/// A change of chart along a certified run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartChange {
    /// The time.
    pub time: f64,
    /// The number of the chart that is entered: 0 is that of the model. The number of the chart that is left stands for the
    /// mirrored coordinates of a rotation.
    pub chart: usize,
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
///     charts: vec![],
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
    drop(problem);
    let charts = Charts::new(model, &kept)?;
    let order = order(settings.tolerance);
    let forward = settings_forward(&from, &to);
    let mut out = Journey {
        set: Set::new(from, &entries),
        chart: 0,
        events: vec![],
        ended: None,
        reason: None,
        outputs: vec![],
        steps: 0,
        rejected: 0,
    };
    let mut changes = settings.charts.iter();
    loop {
        let next = changes.next();
        // Changes beyond the end do not happen.
        let change = next.and_then(|c| Some((c.chart, Ball::exact(c.time)?)));
        let change = change.filter(|(_, at)| settings_forward(at, &to) == forward && *at != to);
        let end = change.as_ref().map_or(to, |c| c.1);
        let moved = charts.model_in(out.chart)?;
        let first = out.steps == 0 && out.chart == 0;
        let leg = Leg {
            model: moved.as_ref().unwrap_or(model),
            charts: &charts,
            settings,
            order,
            first,
        };
        leg.follow(end, &mut out, progress)?;
        let Some((chart, _)) = change.filter(|_| out.reason.is_none() && out.ended.is_none())
        else {
            break;
        };
        let carried = charts.between(out.chart, chart, &out.set);
        let name = charts.name(chart);
        let Some(list) = carried else {
            out.reason = Some(format!(
                "no smooth formula leads to the chart {name}, which the run in doubles enters: give its `inverse`"
            ));
            break;
        };
        match list
            .iter()
            .try_fold(out.set.clone(), |set, c| c.of_set(&set))
        {
            Some(set) => (out.set, out.chart) = (set, chart),
            None => {
                out.reason = Some(format!(
                    "the enclosure has no image in the chart {name}, which the run in doubles enters"
                ));
                break;
            }
        }
    }
    let time = out.set.time.to_interval();
    let shown = charts.to_first(out.chart).and_then(|list| match out.ended {
        // At a terminal event the box is that of the step in which it happens, and the set is that of its end.
        Some(_) => {
            let start = out.set.bounds.clone();
            list.iter().try_fold(start, |x, c| c.of_box(time, &x))
        }
        None => {
            let start = out.set.clone();
            let end = list.iter().try_fold(start, |x, c| c.of_set(&x));
            end.map(|set| set.bounds)
        }
    });
    let bounds = shown.unwrap_or_else(|| {
        let own = charts.name(out.chart);
        out.reason.get_or_insert(format!(
            "the motion is enclosed in the chart {own} alone: it may be outside of that of the model"
        ));
        vec![Interval::new(f64::NEG_INFINITY, f64::INFINITY); out.set.len()]
    });
    Ok(Certificate {
        certified: out.reason.is_none(),
        until: if forward { time.low() } else { time.high() },
        time: pair(time),
        position: bounds[..n].iter().map(|x| pair(*x)).collect(),
        velocity: bounds[n..2 * n].iter().map(|x| pair(*x)).collect(),
        outputs: out.outputs,
        events: out.events,
        ended_by: out.ended,
        reason: out.reason,
        steps: out.steps,
        rejected: out.rejected,
        order,
    })
}

/// A certified run so far.
struct Journey {
    set: Set<LIMBS>,
    /// The chart of the set.
    chart: usize,
    events: Vec<CertifiedEvent>,
    ended: Option<usize>,
    reason: Option<String>,
    outputs: Vec<Option<[f64; 2]>>,
    steps: usize,
    rejected: usize,
}

/// A part of a certified run in one chart.
struct Leg<'a, 'p> {
    /// The model in that chart.
    model: &'a Model,
    charts: &'a Charts<'p>,
    settings: &'a Settings<'p>,
    order: usize,
    /// Whether the run starts with it.
    first: bool,
}

impl Leg<'_, '_> {
    /// Carries the set on to a time, with the events on the way and the outputs at its end.
    fn follow(
        &self,
        to: Ball<LIMBS>,
        out: &mut Journey,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let (settings, contents) = (self.settings, self.model.contents());
        let n = contents.coordinates.len();
        let kept: Vec<Expr<'_>> = settings.parameters.iter().map(|p| p.0).collect();
        let problem = Problem::new(self.model, &kept, false)?;
        let exact =
            settings.parameters.is_empty() && settings.start.iter().all(|r| r.low == r.high);
        let start = std::iter::once(settings.from).chain(settings.start.iter().map(|r| r.low));
        let values: Vec<(Expr<'_>, Expr<'_>)> = problem.inputs.iter().copied().zip(start).collect();
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
                zero_at_start: self.first && exact && is_zero(function.substitute(&values)),
            })
            .collect();
        let course = Course {
            to,
            tolerance: settings.tolerance,
            order: self.order,
            groups: (0..2 * n).map(|k| usize::from(k >= n)).collect(),
        };
        let outcome = run(
            &problem.equations,
            &watch,
            course,
            out.set.clone(),
            progress,
        )
        .map_err(|_| not_a_number("a constant of the equations"))?;
        let names: Vec<&str> = contents.events.iter().map(|e| e.name.as_str()).collect();
        out.reason = outcome.obstacle.as_ref().map(|o| {
            let several = contents.atlas.is_some() || out.chart != 0;
            let chart = match o {
                Obstacle::NoEnclosure | Obstacle::Undefined if several => {
                    format!(
                        " (in the chart {}, which may end there)",
                        self.charts.name(out.chart)
                    )
                }
                _ => String::new(),
            };
            described(o, &names) + &chart
        });
        let mut inputs = vec![outcome.set.time.to_interval()];
        inputs.extend(&outcome.set.bounds);
        let outputs = problem.outputs.iter().map(|program| {
            let value = program.as_ref()?.run(&mut Enclosures::new(), &inputs);
            let value = value.into_iter().next()?.ok()?;
            value.is_finite().then(|| pair(value))
        });
        out.outputs = outputs.collect();
        let shown = self.charts.to_first(out.chart);
        for f in outcome.found {
            let first = shown.as_ref().and_then(|list| {
                let start = f.state.clone();
                list.iter().try_fold(start, |x, c| c.of_box(f.time, &x))
            });
            let state = first.map(|x| x[..2 * n].iter().map(|x| pair(*x)).collect());
            out.events.push(CertifiedEvent {
                event: f.event,
                time: pair(f.time),
                state: state.unwrap_or(vec![[f64::NEG_INFINITY, f64::INFINITY]; 2 * n]),
                certified: f.certain,
            });
        }
        out.ended = outcome.ended;
        out.steps += outcome.steps;
        out.rejected += outcome.rejected;
        out.set = outcome.set;
        Ok(())
    }
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
