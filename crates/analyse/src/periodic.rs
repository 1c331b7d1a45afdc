//! Periodic motions by shooting, with their multipliers, and families of them along a parameter. (T-205)

mod drive;
mod family;
mod multipliers;

use galilei_expr::Expr;
use galilei_model::{Code, Diagnostic, Model};
use nalgebra::{DMatrix, DVector};

use crate::flow::{Flow, Passage};
use crate::modes::numbers;
use crate::setting::refused;
use multipliers::Structure;

/// Newton steps of a search.
const MAX_STEPS: usize = 30;
/// Singular values below this part of the largest belong to symmetries.
const RANK: f64 = 1e-9;
/// Closures below this, relative to the state, are converged.
const CONVERGED: f64 = 1e-10;
/// Changes of the period alone before the state is changed, too.
const MAX_RETURNS: usize = 6;
/// Motions whose way in a period is below this part of that at the start are equilibria.
const MAX_REST: f64 = 1e-4;
/// How many times longer or shorter than its guess a period may become.
const MAX_CHANGE_OF_PERIOD: f64 = 20.0;
/// The default amplitude of a start in a mode.
const FIRST_AMPLITUDE: f64 = 1e-2;
/// Periods over which a motion with friction is followed before the search starts again, one after the other.
const TRANSIENTS: [usize; 4] = [1, 5, 40, 400];
/// The default tolerance of runs.
const TOLERANCE: f64 = 1e-14;

/// A bifurcation of a family of periodic motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bifurcation {
    /// The family turns back in its parameter.
    Fold,
    /// A multiplier passes through −1: the period doubles.
    Flip,
    /// A pair of multipliers leaves the unit circle.
    Torus,
    /// A multiplier passes through 1: another family branches off.
    Branch,
}

impl Bifurcation {
    /// The word of a document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Flip => "flip",
            Self::Torus => "torus",
            Self::Branch => "branch",
        }
    }
}

/// A periodic motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PeriodicMotion {
    /// The period.
    pub period: f64,
    /// t of the state.
    pub time: f64,
    /// x
    pub position: Vec<f64>,
    /// u
    pub velocity: Vec<f64>,
    /// The distance of the state after one period from the first one, full turns of angles left out.
    pub residual: f64,
    /// The value of the varied parameter.
    pub parameter: Option<f64>,
    /// The eigenvalues of the monodromy matrix on the constraints, largest modulus first.
    pub multipliers: Vec<[f64; 2]>,
    /// The number of multipliers that must be 1.
    pub trivial: usize,
    /// Whether nearby motions stay near the orbit; `None` where multipliers on the unit circle do not decide.
    pub stable: Option<bool>,
    /// Whether the linearised motion near the orbit is bounded, modulo symmetries: `Some(true)` also where multipliers on
    /// the unit circle are distinct, which does not decide about stability; `None` where they may coincide.
    pub linearly_stable: Option<bool>,
    /// A bifurcation that was located here.
    pub bifurcation: Option<Bifurcation>,
}

impl PeriodicMotion {
    /// Its stability in words: `stable`, `unstable`, `linearly stable, stability open` or `stability open`.
    pub fn stability(&self) -> &'static str {
        crate::stability::in_words(self.stable, self.linearly_stable)
    }
}

/// Periodic motions that were found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PeriodicMotions {
    /// The motions, in the order of the family.
    pub motions: Vec<PeriodicMotion>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A search for periodic motions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PeriodicSearch {
    /// The start, `"theta=0.1, phi'=2"`; missing entries come from `initial`, then 0.
    pub at: String,
    /// The period: a guess for autonomous systems, a multiple of the drive's period for driven ones.
    pub period: f64,
    /// A parameter with the ends of its range, in SI units; `energy` and `period`, unless they are parameters, are those of
    /// the motions.
    pub vary: Option<(String, f64, f64)>,
    /// The number of a mode, the slowest first: the search starts near the equilibrium that is nearest to the start, in this
    /// mode, and the period is that of the mode.
    pub mode: Option<usize>,
    /// The amplitude of the largest coordinate at a start in a mode.
    pub amplitude: f64,
    /// Whether the period is kept instead of the energy.
    pub fix_period: bool,
    /// The tolerance of runs.
    pub tolerance: f64,
}

impl PeriodicSearch {
    /// A search with a period or a guess of it.
    pub fn new(period: f64) -> Self {
        Self {
            at: String::new(),
            period,
            vary: None,
            mode: None,
            amplitude: FIRST_AMPLITUDE,
            fix_period: false,
            tolerance: TOLERANCE,
        }
    }
}

/// Finds a periodic motion near a start, or a family of them along a parameter.
///
/// ```
/// use galilei_analyse::{PeriodicSearch, periodic};
/// use galilei_model::{Settings, read};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let found = periodic(&model, &PeriodicSearch::new(6.0)).unwrap();
/// assert!((found.motions[0].period - std::f64::consts::TAU).abs() < 1e-11);
/// assert_eq!(found.motions[0].trivial, 2);
/// ```
///
/// # Errors
/// Where no motion is found, or the request does not fit the model.
pub fn periodic(
    model: &Model,
    search: &PeriodicSearch,
) -> Result<PeriodicMotions, Vec<Diagnostic>> {
    if !(search.period.is_finite() && search.period > 0.0) {
        return Err(refused(
            Code::WrongSetting,
            "the period must be positive",
            "give --period T",
        ));
    }
    let along = Along::of(model, search);
    let given = model;
    let model = match &search.vary {
        Some((name, first, _)) if along == Along::Parameter => {
            model.with_parameter(name, *first).ok_or_else(|| {
                let parameters = model.contents().parameters.iter();
                let names: Vec<&str> = parameters.map(|p| p.name.as_str()).collect();
                refused(
                    Code::UnknownParameter,
                    format!("there is no parameter `{name}`"),
                    match names.is_empty() {
                        true => "motions can be followed along `energy` or `period`".into(),
                        false => format!(
                            "there are {}; `energy` and `period` are those of the motions",
                            names.join(", ")
                        ),
                    },
                )
            })?
        }
        _ => model.clone(),
    };
    let (state, _) = model.state_and_entries(&search.at)?;
    let mut state = numbers(&state)?;
    let mut period = search.period;
    if let Some(mode) = search.mode {
        (state, period) = in_mode(&model, search, mode)?;
    }
    let shooting = Shooting::new(&model, given, search, along, state[0], period)?;
    let first = search.vary.as_ref().map(|v| v.1);
    let start = Orbit {
        state: state[1..].to_vec(),
        period: shooting.period,
        parameter: first,
    };
    let start = match shooting.conservative && shooting.keeps_period() {
        true => of_period(&model, search, &start)?,
        false => start,
    };
    let mut found = PeriodicMotions::default();
    match &search.vary {
        None => {
            let point = shooting.begin(&start)?;
            found.motions.push(shooting.motion(&point, None));
        }
        Some((_, _, last)) => {
            // A mode has an energy of its own, and a motion with another one may belong to another family.
            let near = along == Along::Energy && search.mode.is_some();
            let first = match near {
                true => of_energy(&model, search, &start)?,
                false => start.clone(),
            };
            let followed = family::follow(&shooting, first, *last, &mut found);
            if followed.is_err() && along == Along::Energy && !near && found.motions.is_empty() {
                let first = of_energy(&model, search, &start)?;
                family::follow(&shooting, first, *last, &mut found)?;
            } else {
                followed?;
            }
        }
    }
    Ok(found)
}

/// The orbit with the wanted energy on the family of the orbit that has the energy of the start.
fn of_energy(
    model: &Model,
    search: &PeriodicSearch,
    start: &Orbit,
) -> Result<Orbit, Vec<Diagnostic>> {
    let (state, _) = model.state_and_entries(&search.at)?;
    let time = numbers(&state)?[0];
    let own = PeriodicSearch {
        vary: None,
        ..search.clone()
    };
    let first = Orbit {
        parameter: None,
        ..start.clone()
    };
    let shooting = Shooting::new(model, model, &own, Along::Parameter, time, start.period)?;
    let near = shooting.correct(&first, None)?.orbit;
    let wanted = start.parameter.unwrap_or(0.0);
    let energy = shooting.energy.get().unwrap_or(wanted);
    let reached = |state: Vec<f64>, period: f64| Orbit {
        state,
        period,
        parameter: Some(wanted),
    };
    if (energy - wanted).abs() <= 1e-12 * wanted.abs() {
        return Ok(reached(near.state, near.period));
    }
    let along = PeriodicSearch {
        vary: Some(("energy".into(), energy, wanted)),
        ..search.clone()
    };
    let shooting = Shooting::new(model, model, &along, Along::Energy, time, near.period)?;
    let mut family = PeriodicMotions::default();
    let from = Orbit {
        parameter: Some(energy),
        ..near
    };
    family::follow(&shooting, from, wanted, &mut family)?;
    let last = family.motions.last();
    match last.filter(|m| m.parameter == Some(wanted)) {
        Some(m) => Ok(reached([&m.position[..], &m.velocity].concat(), m.period)),
        None => Err(refused(
            Code::NoPeriodicMotion,
            format!("the family of the motion near the start has no motion of energy {wanted}"),
            "choose another start or another energy",
        )),
    }
}

/// The orbit with the period of the start on the family of the orbit that has the energy of the start. From a start with
/// another period Newton's method would often come to rest.
fn of_period(
    model: &Model,
    search: &PeriodicSearch,
    start: &Orbit,
) -> Result<Orbit, Vec<Diagnostic>> {
    let wanted = match Along::of(model, search) {
        Along::Period => start.parameter.unwrap_or(start.period),
        _ => start.period,
    };
    let at_energy = PeriodicSearch {
        vary: None,
        fix_period: false,
        ..search.clone()
    };
    let (state, _) = model.state_and_entries(&search.at)?;
    let time = numbers(&state)?[0];
    let first = Orbit {
        parameter: None,
        period: wanted,
        ..start.clone()
    };
    let shooting = Shooting::new(model, model, &at_energy, Along::Parameter, time, wanted)?;
    let near = match shooting.correct(&first, None) {
        Ok(point) => point.orbit,
        Err(why) => {
            // The start may be near an orbit of the wanted period all the same.
            let kept = Orbit {
                period: wanted,
                ..start.clone()
            };
            return if search.vary.is_none() {
                Ok(kept)
            } else {
                Err(why)
            };
        }
    };
    let reached = |state: Vec<f64>| Orbit {
        state,
        period: wanted,
        parameter: start.parameter,
    };
    if (near.period - wanted).abs() <= 1e-12 * wanted {
        return Ok(reached(near.state));
    }
    let along = PeriodicSearch {
        vary: Some(("period".into(), near.period, wanted)),
        fix_period: false,
        ..search.clone()
    };
    let shooting = Shooting::new(model, model, &along, Along::Period, time, near.period)?;
    let mut family = PeriodicMotions::default();
    let from = Orbit {
        parameter: Some(near.period),
        ..near
    };
    family::follow(&shooting, from, wanted, &mut family)?;
    match family
        .motions
        .last()
        .filter(|m| m.parameter == Some(wanted))
    {
        Some(m) => Ok(reached([&m.position[..], &m.velocity].concat())),
        None => Err(refused(
            Code::NoPeriodicMotion,
            format!("the family of the motion near the start has no motion of period {wanted}"),
            "choose another start or another period",
        )),
    }
}

/// The quantity along which a family is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    Parameter,
    Energy,
    Period,
}

impl Along {
    fn of(model: &Model, search: &PeriodicSearch) -> Self {
        let name = search.vary.as_ref().map_or("", |v| v.0.as_str());
        let known = |n: &str| model.contents().parameters.iter().any(|p| p.name == n);
        match name {
            "energy" if !known("energy") => Self::Energy,
            "period" if !known("period") => Self::Period,
            _ => Self::Parameter,
        }
    }
}

/// The state (t, x, u) of small amplitude in a mode about the equilibrium nearest to the start, with its period.
fn in_mode(
    model: &Model,
    search: &PeriodicSearch,
    mode: usize,
) -> Result<(Vec<f64>, f64), Vec<Diagnostic>> {
    let wanted = crate::EquilibriumSearch {
        at: search.at.clone(),
        nearest_only: true,
        ..Default::default()
    };
    let mut found = crate::equilibria(model, &wanted)?;
    if found.list.is_empty() {
        // The start may be a singular point of the coordinates.
        let all = crate::EquilibriumSearch {
            nearest_only: false,
            ..wanted
        };
        found = crate::equilibria(model, &all)?;
    }
    let time = numbers(&model.state_and_entries(&search.at)?.0)?[0];
    let rests = |e: &&crate::Equilibrium| e.stable == Some(true);
    let Some(rest) = found.list.iter().find(rests).or(found.list.first()) else {
        return Err(refused(
            Code::NoEquilibriumFound,
            "no equilibrium was found near the start, and modes are those about one",
            "give a guess with --at",
        ));
    };
    let linear = crate::modes(model, &crate::state_of(model, time, rest))?;
    let mut list: Vec<usize> = (0..linear.eigen.values.len())
        .filter(|&k| linear.eigen.values[k][1] > 1e-9 && linear.frequencies_hz[k] > 0.0)
        .collect();
    list.sort_by(|&a, &b| linear.frequencies_hz[a].total_cmp(&linear.frequencies_hz[b]));
    let Some(&k) = mode.checked_sub(1).and_then(|m| list.get(m)) else {
        return Err(refused(
            Code::WrongSetting,
            format!("there is no mode {mode}: {} modes oscillate", list.len()),
            "count the modes from 1, the slowest first",
        ));
    };
    let n = rest.position.len();
    let vector = &linear.eigen.vectors[k];
    let place = |i: usize, rate: bool| {
        let name = &model.contents().coordinates[i].name;
        let own = if rate {
            format!("{name}'")
        } else {
            name.clone()
        };
        linear.independent.iter().position(|x| *x == own)
    };
    let largest = (0..n)
        .filter_map(|i| place(i, false))
        .map(|c| vector[c])
        .max_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])))
        .filter(|z| z[0].hypot(z[1]) > 0.0);
    let Some(largest) = largest else {
        return Err(refused(
            Code::WrongSetting,
            format!("no position takes part in mode {mode}"),
            "choose another mode",
        ));
    };
    // The phase at which the largest coordinate is at its turning point.
    let square = largest[0].powi(2) + largest[1].powi(2);
    let part = |z: [f64; 2]| search.amplitude * (z[0] * largest[0] + z[1] * largest[1]) / square;
    let mut state = vec![time];
    for rate in [false, true] {
        let from = if rate { &rest.velocity } else { &rest.position };
        state.extend((0..n).map(|i| from[i] + place(i, rate).map_or(0.0, |c| part(vector[c]))));
    }
    Ok((state, 1.0 / linear.frequencies_hz[k]))
}

/// A state with a period and a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Orbit {
    pub(crate) state: Vec<f64>,
    pub(crate) period: f64,
    pub(crate) parameter: Option<f64>,
}

/// A converged orbit with its derivatives.
#[derive(Clone)]
pub(crate) struct Point {
    pub(crate) orbit: Orbit,
    pub(crate) residual: f64,
    pub(crate) structure: Structure,
    /// The derivatives of all conditions by (state on the constraints, period, parameter).
    pub(crate) slopes: DMatrix<f64>,
    /// The tangent space of the constraints.
    pub(crate) basis: DMatrix<f64>,
}

/// A hyperplane that fixes the step along a family: a point in it and its normal, by (x, u, period, parameter).
pub(crate) struct Plane {
    pub(crate) point: Vec<f64>,
    pub(crate) normal: Vec<f64>,
}

/// A shooting problem.
pub(crate) struct Shooting<'m> {
    model: &'m Model,
    search: &'m PeriodicSearch,
    along: Along,
    time: f64,
    /// The period or the guess of it.
    period: f64,
    pub(crate) autonomous: bool,
    conservative: bool,
    linear: bool,
    angles: Vec<bool>,
    energy: std::cell::Cell<Option<f64>>,
    /// The rate of the drive, as a formula.
    drive: Option<Expr<'m>>,
    rate: f64,
}

impl<'m> Shooting<'m> {
    fn new(
        model: &'m Model,
        given: &Model,
        search: &'m PeriodicSearch,
        along: Along,
        time: f64,
        period: f64,
    ) -> Result<Self, Vec<Diagnostic>> {
        let flow = Flow::new(model, None, search.tolerance)?;
        let autonomous = flow.setting.is_autonomous();
        let mut own = Self {
            model,
            search,
            along,
            time,
            period,
            autonomous,
            conservative: autonomous && flow.conserves_energy(),
            linear: flow.setting.is_linear(),
            angles: flow.angles(),
            energy: std::cell::Cell::new(None),
            drive: None,
            rate: 0.0,
        };
        if !autonomous {
            own.find_drive(&flow, given)?;
        }
        let missing = match along {
            Along::Energy if !own.conservative => Some("energy is not conserved"),
            Along::Period if !own.autonomous => Some("the period is that of the drive"),
            _ => None,
        };
        if let Some(why) = missing {
            return Err(refused(
                Code::WrongSetting,
                format!("motions cannot be followed along this quantity: {why}"),
                "follow them along a parameter",
            ));
        }
        Ok(own)
    }

    fn period_is_free(&self) -> bool {
        self.autonomous && !self.keeps_period()
    }

    /// Whether the period is given, so that the energy follows.
    fn keeps_period(&self) -> bool {
        self.search.fix_period && self.along != Along::Energy || self.along == Along::Period
    }

    /// The name of the parameter along which motions are followed.
    fn name(&self) -> Option<&str> {
        let vary = self.search.vary.as_ref();
        vary.map(|v| v.0.as_str())
            .filter(|_| self.along == Along::Parameter)
    }

    /// The first orbit: near the guess, or, for systems that are not conservative, where the motion from the guess comes
    /// to.
    pub(crate) fn begin(&self, guess: &Orbit) -> Result<Point, Vec<Diagnostic>> {
        let first = self.correct(guess, None);
        if first.is_ok() || self.conservative {
            return first;
        }
        // What comes to rest from the guess repeats nothing, however small its way has become.
        let own = self.way(guess);
        let flow = Flow::new(self.model, None, self.search.tolerance)?;
        let mut later = guess.clone();
        for count in TRANSIENTS {
            let mut state = later.state.clone();
            if !flow.project(self.time, &mut state) {
                break;
            }
            let time = count as f64 * guess.period;
            let Ok(end) = flow.end(self.time, &state, time) else {
                break;
            };
            // Full turns of angles are left out.
            let change = self.gap(&vec![0.0; end.len()], &end);
            later.state = change.iter().copied().collect();
            if let Ok(found) = self.correct(&later, None) {
                let rests = matches!((own, self.way(&found.orbit)), (Some(a), Some(b)) if b <= MAX_REST * a);
                if !(self.autonomous && rests) {
                    return Ok(found);
                }
            }
        }
        first
    }

    /// The length of the way in a period at the rate of the start.
    fn way(&self, orbit: &Orbit) -> Option<f64> {
        let flow = Flow::new(self.model, None, self.search.tolerance).ok()?;
        let rate = flow.rate(self.time, &orbit.state)?;
        Some(rate.norm() * orbit.period)
    }

    /// The difference between the ends, full turns of angles left out.
    fn gap(&self, start: &[f64], end: &[f64]) -> DVector<f64> {
        let turn = std::f64::consts::TAU;
        DVector::from_fn(start.len(), |i, _| {
            let d = end[i] - start[i];
            match i < self.angles.len() && self.angles[i] {
                true => d - turn * (d / turn).round(),
                false => d,
            }
        })
    }

    /// The orbit near a guess, by Newton's method with the shortest steps: at the parameter of the guess, or in a plane.
    pub(crate) fn correct(
        &self,
        guess: &Orbit,
        plane: Option<&Plane>,
    ) -> Result<Point, Vec<Diagnostic>> {
        let failed = || {
            refused(
                Code::NoPeriodicMotion,
                format!(
                    "no periodic motion was found near the start with a period near {}",
                    guess.period
                ),
                "give another start with --at, or another --period; `--fix period` keeps the period instead of the energy",
            )
        };
        let mut orbit = guess.clone();
        // The length of the way in a period at the first rate: motions that hardly move are equilibria.
        let mut way = None;
        let mut last = f64::INFINITY;
        let mut settled = 0;
        let mut returns = 0;
        for _ in 0..MAX_STEPS + MAX_RETURNS {
            if let Some(period) = self.driven_period(orbit.parameter) {
                orbit.period = period;
            }
            match (self.along, orbit.parameter) {
                (Along::Energy, Some(energy)) => self.energy.set(Some(energy)),
                (Along::Period, Some(period)) => orbit.period = period,
                _ => {}
            }
            let changed;
            let model = match (self.name(), orbit.parameter) {
                (Some(name), Some(value)) => {
                    changed = self.model.with_parameter(name, value).ok_or_else(failed)?;
                    &changed
                }
                _ => self.model,
            };
            let flow = Flow::new(model, self.name(), self.search.tolerance)?;
            let n = flow.n();
            if !flow.project(self.time, &mut orbit.state) {
                return Err(failed());
            }
            if self.autonomous {
                let rate = flow.rate(self.time, &orbit.state).ok_or_else(failed)?;
                let now = rate.norm() * orbit.period;
                if now <= MAX_REST * *way.get_or_insert(now) {
                    return Err(failed());
                }
            }
            let passage = flow.pass(self.time, &orbit.state, orbit.period)?;
            let gap = self.gap(&orbit.state, &passage.end);
            // First the period at which the motion comes back nearest to its start.
            if plane.is_none() && self.period_is_free() && returns < MAX_RETURNS {
                returns += 1;
                let rate = flow
                    .rate(self.time + orbit.period, &passage.end)
                    .ok_or_else(failed)?;
                let change = gap.dot(&rate) / rate.dot(&rate).max(f64::MIN_POSITIVE);
                let longest = 0.1 * orbit.period;
                orbit.period -= change.clamp(-longest, longest);
                if change.abs() > 1e-6 * orbit.period {
                    continue;
                }
                returns = MAX_RETURNS;
                continue;
            }
            let (slopes, right, basis) = self
                .conditions(&flow, &orbit, &passage, &gap, plane)
                .ok_or_else(failed)?;
            let p = basis.ncols();
            let width = slopes.ncols();
            let size = orbit.state.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
            let residual = gap.amax() / size;
            let off = right.amax() / size;
            let scale = DVector::from_fn(width, |i, _| match i {
                i if i < p => size,
                i if i == p && self.period_is_free() => orbit.period.abs(),
                _ => orbit.parameter.unwrap_or(1.0).abs().max(1e-2),
            });
            let scaled = DMatrix::from_fn(slopes.nrows(), width, |i, j| {
                slopes[(i, j)] * scale[j] / size
            });
            let svd = scaled
                .try_svd(true, true, f64::EPSILON, 1000)
                .ok_or_else(failed)?;
            let largest = svd.singular_values.max();
            let step = svd
                .solve(&(&right / size), RANK * largest)
                .map_err(|_| failed())?;
            let length = step.amax();
            if off <= CONVERGED && (off >= 0.3 * last || length <= 1e-11 || settled > 2) {
                let structure =
                    Structure::new(&flow, self, &orbit, &passage, &basis).ok_or_else(failed)?;
                return Ok(Point {
                    orbit,
                    residual: gap.amax(),
                    structure,
                    slopes,
                    basis,
                });
            }
            settled += usize::from(residual <= CONVERGED);
            last = off;
            // Long steps leave the neighbourhood.
            let factor = (0.5 / length).min(1.0);
            let moved = &basis * DVector::from_fn(p, |i, _| step[i] * scale[i] * factor);
            for i in 0..2 * n {
                orbit.state[i] += moved[i];
            }
            let mut next = p;
            if self.period_is_free() {
                orbit.period += factor * step[next] * scale[next];
                next += 1;
            }
            if let (true, Some(value)) = (next < width, orbit.parameter.as_mut()) {
                *value += factor * step[next] * scale[next];
            }
            if !(orbit.period.is_finite()
                && orbit.period > guess.period / MAX_CHANGE_OF_PERIOD
                && orbit.period < guess.period * MAX_CHANGE_OF_PERIOD)
            {
                return Err(failed());
            }
        }
        Err(failed())
    }

    /// The linear conditions on (state on the constraints, period, parameter): closure, phase, energy, plane.
    fn conditions(
        &self,
        flow: &Flow<'_>,
        orbit: &Orbit,
        passage: &Passage,
        gap: &DVector<f64>,
        plane: Option<&Plane>,
    ) -> Option<(DMatrix<f64>, DVector<f64>, DMatrix<f64>)> {
        let n = flow.n();
        let basis = flow.tangent(self.time, &orbit.state).ok()?.basis.qr().q();
        let p = basis.ncols();
        let free = usize::from(self.period_is_free());
        let varied = usize::from(plane.is_some());
        let width = p + free + varied;
        let begin = flow.rate(self.time, &orbit.state)?;
        let end = flow.rate(self.time + orbit.period, &passage.end)?;
        let mut rows: Vec<(DVector<f64>, f64)> = Vec::new();
        let closed = (&passage.transition - DMatrix::identity(2 * n, 2 * n)) * &basis;
        let by_parameter = match (&passage.by_parameter, plane) {
            (_, Some(_)) if self.along == Along::Period => Some(end.clone()),
            (_, Some(_)) if self.along == Along::Energy => None,
            (Some(column), Some(_)) => {
                let mut column = column.clone();
                if let Some(value) = orbit.parameter.filter(|_| !self.autonomous) {
                    let h = 1e-6 * value.abs().max(1e-3);
                    let at = |v: f64| self.driven_period(Some(v));
                    let slope = (at(value + h)? - at(value - h)?) / (2.0 * h);
                    column += &end * slope;
                }
                Some(column)
            }
            _ => None,
        };
        for i in 0..2 * n {
            let mut row = DVector::zeros(width);
            for j in 0..p {
                row[j] = closed[(i, j)];
            }
            if free == 1 {
                row[p] = end[i];
            }
            if let Some(column) = &by_parameter {
                row[p + free] = column[i];
            }
            rows.push((row, -gap[i]));
        }
        if self.autonomous {
            let size = begin.norm().max(f64::MIN_POSITIVE);
            let phase = basis.transpose() * &begin / size;
            let mut row = DVector::zeros(width);
            row.rows_mut(0, p).copy_from(&phase);
            rows.push((row, 0.0));
        }
        if self.conservative && !self.keeps_period() {
            let (energy, slope, by_parameter) = flow.energy(self.time, &orbit.state)?;
            let wanted = self.energy.get().unwrap_or(energy);
            self.energy.set(Some(wanted));
            let size = slope.norm();
            if size > 1e-12 {
                let mut row = DVector::zeros(width);
                row.rows_mut(0, p)
                    .copy_from(&(basis.transpose() * &slope / size));
                if varied == 1 {
                    let own = match self.along {
                        Along::Energy => -1.0,
                        _ => by_parameter,
                    };
                    row[p + free] = own / size;
                }
                rows.push((row, (wanted - energy) / size));
            }
        }
        if let Some(plane) = plane {
            let mut row = DVector::zeros(width);
            let normal = DVector::from_column_slice(&plane.normal[..2 * n]);
            row.rows_mut(0, p).copy_from(&(basis.transpose() * normal));
            if free == 1 {
                row[p] = plane.normal[2 * n];
            }
            row[p + free] = plane.normal[2 * n + 1];
            let here = self.vector(orbit);
            let off: f64 = (0..here.len())
                .map(|i| plane.normal[i] * (here[i] - plane.point[i]))
                .sum();
            rows.push((row, -off));
        }
        let slopes = DMatrix::from_fn(rows.len(), width, |i, j| rows[i].0[j]);
        let right = DVector::from_fn(rows.len(), |i, _| rows[i].1);
        Some((slopes, right, basis))
    }

    /// (x, u, period, parameter)
    pub(crate) fn vector(&self, orbit: &Orbit) -> Vec<f64> {
        let mut all = orbit.state.clone();
        // The period of a driven system is no unknown: it follows the parameter.
        all.push(if self.autonomous { orbit.period } else { 0.0 });
        all.push(orbit.parameter.unwrap_or(0.0));
        all
    }

    pub(crate) fn motion(&self, point: &Point, bifurcation: Option<Bifurcation>) -> PeriodicMotion {
        let n = point.orbit.state.len() / 2;
        let (position, velocity) = point.orbit.state.split_at(n);
        PeriodicMotion {
            period: point.orbit.period,
            time: self.time,
            position: position.to_vec(),
            velocity: velocity.to_vec(),
            residual: point.residual,
            parameter: point.orbit.parameter,
            multipliers: point.structure.multipliers.clone(),
            trivial: point.structure.trivial,
            stable: point.structure.stable(self.linear),
            linearly_stable: point.structure.linearly_stable(),
            bifurcation,
        }
    }
}
