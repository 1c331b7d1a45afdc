//! Lyapunov exponents: mean rates at which nearby motions part, by QR factors along exact transition matrices. (T-206)

use galilei_expr::{Expr, Program};
use galilei_integrate::{
    Continuation, Directions, Error as RunError, Options, Record, SensitivityMethod, Status,
    Transition,
};
use galilei_model::{Code, Diagnostic, Enforcement, Model};
use nalgebra::DMatrix;

use crate::contact::Motions;
use crate::linearisation::Derivatives;
use crate::setting::{Setting, null_space, refused, vanishes};

/// Entries of transition matrices that are kept at once.
const MAX_KEPT_ENTRIES: usize = 1 << 22;
/// The smallest number of steps that are followed at once.
const MIN_KEPT_STEPS: usize = 1000;
/// The part of the time after which growth counts: until then the directions turn into their places.
const TRANSIENT_PART: f64 = 0.1;
/// The number of parts of the time in which growth is added up.
const BINS: usize = 1000;
/// Numbers of blocks of bins whose means are compared for the standard error.
const BLOCKS: [usize; 3] = [20, 10, 6];
/// Nodes and weights of Gauss' quadrature on [0, 1], with six nodes.
const GAUSS: [(f64, f64); 6] = [
    (0.033_765_242_898_423_99, 0.085_662_246_189_585_18),
    (0.169_395_306_766_867_74, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_56, 0.233_956_967_286_345_52),
    (0.619_309_593_041_598_4, 0.233_956_967_286_345_52),
    (0.830_604_693_233_132_3, 0.180_380_786_524_069_3),
    (0.966_234_757_101_576, 0.085_662_246_189_585_18),
];

/// A request for Lyapunov exponents.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LyapunovRequest {
    /// x, then u, at the start.
    pub start: Vec<f64>,
    /// The start time.
    pub from: f64,
    /// The end time.
    pub to: f64,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// The number of exponents, the largest ones; `None` for all of them.
    pub count: Option<usize>,
    /// The largest number of steps.
    pub max_steps: usize,
}

impl LyapunovRequest {
    /// All exponents of the motion from a state.
    pub fn new(start: Vec<f64>, from: f64, to: f64, tolerance: f64) -> Self {
        Self {
            start,
            from,
            to,
            tolerance,
            count: None,
            max_steps: 50_000_000,
        }
    }
}

/// Lyapunov exponents of a motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lyapunov {
    /// The exponents, the largest first.
    pub exponents: Vec<f64>,
    /// The standard error of each, from the means over parts of the time; not finite where there are too few parts.
    pub standard_error: Vec<f64>,
    /// The time that was followed.
    pub time: f64,
    /// The sum of the exponents.
    pub sum: f64,
    /// The time mean of the divergence of the motion, which the sum of all exponents must be: zero for Hamiltonian
    /// systems. `None` where it is not known, or if not all exponents were asked for.
    pub expected_sum: Option<f64>,
    /// The exponents as they were found until earlier times.
    pub convergence: Vec<(f64, Vec<f64>)>,
    /// The number of steps.
    pub steps: usize,
    /// The reason why the motion could not be followed to the end.
    pub failure: Option<RunError>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Lyapunov exponents of the motion from a state. Growth is measured by a norm whose volume is that of phase space, so
/// that the sum of all exponents of a Hamiltonian system is zero after any time. Under constraints the exponents are those
/// of the motion on them. `progress` is called with the time and returns whether to go on.
///
/// ```
/// use galilei_analyse::{LyapunovRequest, lyapunov};
/// use galilei_model::{Settings, read};
/// let text = "coord x\nkinetic: x'^2/2\npotential: -2*x^2\nforce: x = -3*x'\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let request = LyapunovRequest::new(vec![0.0, 0.0], 0.0, 30.0, 1e-12);
/// let found = lyapunov(&model, &request, |_| true).unwrap();
/// // ẍ = 4x − 3ẋ: the rates of the linear system are 1 and −4.
/// assert!((found.exponents[0] - 1.0).abs() < 1e-6 && (found.exponents[1] + 4.0).abs() < 1e-6);
/// assert_eq!(found.expected_sum, Some(-3.0));
/// ```
///
/// # Errors
/// Where the motion has no derivatives, or the request does not fit the model.
pub fn lyapunov(
    model: &Model,
    request: &LyapunovRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Lyapunov, Vec<Diagnostic>> {
    if !(request.to > request.from && (request.to - request.from).is_finite()) {
        return Err(refused(
            Code::WrongSetting,
            "Lyapunov exponents are limits for growing time, and the run does not go forward",
            "let the run end after its start",
        ));
    }
    let setting = Setting::new(model, &[])?;
    let motions = Motions::new(model, &[])?.without_events();
    let problem = &motions.lowered.problem;
    let n = setting.n();
    let geometry = Geometry::new(&setting).ok_or_else(undefined)?;
    let first: Vec<f64> = [request.from]
        .into_iter()
        .chain(request.start.iter().copied())
        .collect();
    let q = geometry.tangent(&first).ok_or_else(undefined)?;
    let dimension = q.ncols();
    let count = request.count.unwrap_or(dimension);
    if count == 0 || count > dimension {
        return Err(refused(
            Code::WrongSetting,
            format!("{count} exponents are asked for, and there are {dimension}"),
            "give --count between 1 and that number",
        ));
    }
    let kinked = !problem.tape.kinks().is_empty();
    let mut divergence = match count == dimension {
        // Impacts and friction change volumes as well.
        true if model.has_contacts() => match Divergence::new(&setting, kinked)? {
            Divergence::Constant(value) => Divergence::Constant(value),
            _ => Divergence::Unknown,
        },
        true => Divergence::new(&setting, kinked)?,
        false => Divergence::Unknown,
    };
    let mut growth = Growth::new((request.from, request.to), scrambled(&q, count));
    let directions = Directions {
        columns: vec![],
        transitions: true,
        method: Some(SensitivityMethod::Collocation),
    };
    let dense = !matches!(divergence, Divergence::Constant(_) | Divergence::Unknown);
    let mut here = first.clone();
    let mut steps = 0;
    let mut failure = None;
    let at_once = (MAX_KEPT_ENTRIES / (4 * n * n)).max(MIN_KEPT_STEPS);
    let mut before_window = geometry.density(&here, &q);
    while here[0] < request.to && failure.is_none() {
        let options = Options {
            from: here[0],
            to: request.to,
            record: Record::Steps,
            dense_output: dense,
            tolerance: request.tolerance,
            max_steps: at_once.min(request.max_steps.saturating_sub(steps)),
            ..Options::default()
        };
        let (run, found) = motions.follow((&here[1..], None), &options, &directions, &mut progress);
        let kept =
            |m: &galilei_integrate::ModeEntry| !m.closed.is_empty() || !m.sticking.is_empty();
        if let Some(m) = run.contacts.modes.iter().find(|m| kept(m)) {
            return Err(refused(
                Code::NotAvailable,
                format!(
                    "from t = {} the motion stays in contact or sticks: nearby motions become the same, and exponents are −∞",
                    m.time
                ),
                "`periodic` gives the multipliers of a periodic motion, some of which are zero",
            ));
        }
        let lossless = |c: &galilei_integrate::Collision| {
            let energy: f64 = c.before.iter().map(|v| v * v).sum();
            c.impulse.is_some() && c.loss.abs() <= 1e-9 * energy
        };
        if !run.contacts.collisions.iter().all(lossless) {
            divergence = Divergence::Unknown;
        }
        failure = match run.status {
            Status::Finished | Status::Event(_) => None,
            Status::Failed(RunError::TooManySteps) if steps + run.steps < request.max_steps => None,
            Status::Failed(why) => Some(why),
        };
        steps += run.steps;
        let mut dense_output = Continuation::new(&problem.tape, &problem.rates, request.tolerance);
        let mut states = run.rows.iter().peekable();
        for piece in &found.transitions {
            if !growth.counts && piece.from >= growth.begin {
                growth.counts = true;
                growth.reset();
                before_window = state_at(&mut states, piece.from).and_then(|state| {
                    let q = geometry.tangent(state)?;
                    geometry.density(state, &q)
                });
            }
            growth.step(piece, n);
            if geometry.constrained()
                && let Some(state) = state_at(&mut states, piece.to)
            {
                geometry.project(state, &mut growth.directions);
            }
            growth.factor(piece.from, piece.to);
            if dense {
                let mut states = |t: f64| {
                    let state = dense_output.state(&run.trail, t)?.ok()?;
                    Some([t].into_iter().chain(state.iter().copied()).collect())
                };
                growth.expect(divergence.over(piece, &geometry, &mut states));
            }
        }
        let end = found.transitions.last().map_or(here[0], |p| p.to);
        // The run and its transitions must have come to the same place.
        if (end - run.time).abs() > 1e-9 * (1.0 + run.time.abs()) {
            failure = failure.or(Some(RunError::NotFinite));
            break;
        }
        if run.time <= here[0] && failure.is_none() {
            failure = Some(RunError::StepUnderflow);
        }
        here[0] = run.time;
        here[1..].copy_from_slice(&run.state);
    }
    if growth.directions.iter().any(|x| !x.is_finite()) {
        failure = failure.or(Some(RunError::NotFinite));
    }
    let after = geometry
        .tangent(&here)
        .and_then(|q| geometry.density(&here, &q));
    let shift = match (before_window, after) {
        (Some(a), Some(b)) if geometry.canonical => (b / a).abs().ln(),
        _ => 0.0,
    };
    let mut found = growth.result(shift, dimension, here[0] - request.from);
    found.expected_sum = match divergence {
        Divergence::Constant(value) => Some(value),
        Divergence::Unknown => None,
        Divergence::Forces(_) | Divergence::Field(_) | Divergence::Trace(_) => found.expected_sum,
    }
    .filter(|e| e.is_finite());
    found.steps = steps;
    found.failure = failure;
    found.warnings = doubts(&found);
    Ok(found)
}

/// Warnings about exponents that have not converged.
fn doubts(found: &Lyapunov) -> Vec<Diagnostic> {
    let largest = found.exponents.first().copied().unwrap_or(0.0);
    let error = found.standard_error.first().copied().unwrap_or(f64::NAN);
    let mut list = vec![];
    if !(error.is_finite() && error <= 0.25 * largest.abs().max(3.0 / found.time)) {
        list.push(Diagnostic::warning(
            Code::NotConverged,
            format!("the largest exponent is {largest:.4} with a standard error of {error:.4}"),
            "follow the motion longer with --to; a regular motion has exponents that fall like log(T)/T",
            None,
        ));
    }
    list
}

fn undefined() -> Vec<Diagnostic> {
    refused(
        Code::NotDefinedAtState,
        "the constraints or the mass matrix have no derivatives at the start",
        "choose a start where they are defined",
    )
}

/// The recorded state at a time: t, x, u.
fn state_at<'a>(
    states: &mut std::iter::Peekable<std::slice::Iter<'a, Vec<f64>>>,
    time: f64,
) -> Option<&'a [f64]> {
    let rounding = 1e-12 * (1.0 + time.abs());
    while states.peek().is_some_and(|row| row[0] < time - rounding) {
        states.next();
    }
    let row = states.peek()?;
    (row[0] <= time + rounding).then(|| &row[..])
}

/// Directions in general position in the span of an orthonormal basis.
fn scrambled(basis: &DMatrix<f64>, count: usize) -> DMatrix<f64> {
    let mut random = crate::eigen::Random::new(17);
    let k = basis.ncols();
    let mixed = DMatrix::from_fn(k, k, |_, _| random.unit() - 0.5);
    let q = mixed.qr().q();
    (basis * q).columns(0, count).into_owned()
}

/// Growth on its way.
#[derive(Debug)]
struct Growth {
    directions: DMatrix<f64>,
    from: f64,
    length: f64,
    /// The time from which on growth counts, and whether it does.
    begin: f64,
    counts: bool,
    /// For each bin the time in it and the logarithms of growth.
    bins: Vec<(f64, Vec<f64>)>,
    expected: Option<f64>,
}

impl Growth {
    fn new((from, to): (f64, f64), directions: DMatrix<f64>) -> Self {
        let length = to - from;
        let mut own = Self {
            directions,
            from,
            length,
            begin: from + TRANSIENT_PART * length,
            counts: false,
            bins: vec![],
            expected: None,
        };
        own.reset();
        own
    }

    /// Forgets what was added up.
    fn reset(&mut self) {
        let k = self.directions.ncols();
        self.bins = vec![(0.0, vec![0.0; k]); BINS];
        self.expected = Some(0.0);
    }

    /// Carries the directions over a piece of the motion.
    fn step(&mut self, piece: &Transition, n: usize) {
        let size = piece.matrix.len() / (2 * n);
        let transition = DMatrix::from_fn(2 * n, 2 * n, |i, j| piece.matrix[i * size + j]);
        self.directions = transition * &self.directions;
    }

    /// Makes the directions orthonormal again and notes by how much they had grown.
    fn factor(&mut self, from: f64, to: f64) {
        let (q, r) = self.directions.clone().qr().unpack();
        self.directions = q;
        let part = (0.5 * (from + to) - self.from) / self.length;
        let bin = ((part * BINS as f64) as usize).min(BINS - 1);
        let (time, logs) = &mut self.bins[bin];
        *time += to - from;
        for (k, log) in logs.iter_mut().enumerate() {
            *log += r[(k, k)].abs().ln();
        }
    }

    fn expect(&mut self, more: Option<f64>) {
        self.expected = match (self.expected, more) {
            (Some(a), Some(b)) => Some(a + b),
            _ => None,
        };
    }

    /// The exponents; `shift` is the logarithm by which the density of the volume changed.
    fn result(&self, shift: f64, dimension: usize, time: f64) -> Lyapunov {
        let k = self.directions.ncols();
        let total: f64 = self.bins.iter().map(|b| b.0).sum();
        let mean = |bins: &[(f64, Vec<f64>)]| -> (f64, Vec<f64>) {
            let time: f64 = bins.iter().map(|b| b.0).sum();
            let sum = |i: usize| bins.iter().map(|b| b.1[i]).sum::<f64>() / time;
            (time, (0..k).map(sum).collect())
        };
        let extra = shift / (dimension as f64 * total);
        let (_, means) = mean(&self.bins);
        let used: Vec<usize> = (0..BINS).filter(|&i| self.bins[i].0 > 0.0).collect();
        let (low, high) = match (used.first(), used.last()) {
            (Some(a), Some(b)) => (*a, *b + 1),
            _ => (0, BINS),
        };
        // Correlations over long times show in the means over long blocks: the largest error counts.
        let error = |i: usize| {
            let of = |count: usize| {
                let at = |b: usize| low + b * (high - low) / count;
                let blocks = (0..count).map(|b| mean(&self.bins[at(b)..at(b + 1)]));
                let blocks: Vec<(f64, Vec<f64>)> = blocks.filter(|b| b.0 > 0.0).collect();
                let squares = blocks
                    .iter()
                    .map(|b| b.0 / total * (b.1[i] - means[i]).powi(2));
                match blocks.len() < 4 {
                    true => f64::NAN,
                    false => (squares.sum::<f64>() / (blocks.len() as f64 - 1.0)).sqrt(),
                }
            };
            BLOCKS.into_iter().map(of).fold(f64::NAN, f64::max)
        };
        let mut all: Vec<(f64, f64)> = (0..k).map(|i| (means[i] + extra + 0.0, error(i))).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut convergence = Vec::new();
        for part in [8, 4, 2] {
            let end = low + (high - low) / part;
            let (t, list) = mean(&self.bins[low..end]);
            if t > 0.0 && t.is_finite() {
                let mut list = list;
                list.sort_by(|a, b| b.total_cmp(a));
                convergence.push((end as f64 / BINS as f64 * self.length, list));
            }
        }
        let exponents: Vec<f64> = all.iter().map(|a| a.0).collect();
        Lyapunov {
            sum: exponents.iter().sum(),
            exponents,
            standard_error: all.iter().map(|a| a.1).collect(),
            time,
            expected_sum: self.expected.map(|e| e / total),
            convergence,
            steps: 0,
            failure: None,
            warnings: vec![],
        }
    }
}

/// The parts of the time of a motion that is followed with its nearby motions, at least.
const MIN_PARTS: f64 = 100.0;
/// The logarithm of growth that a part of the time should have: long enough to be worth a start, short enough for directions
/// to stay apart.
const GROWTH_OF_A_PART: f64 = 3.0;

/// Lyapunov exponents of a motion that is followed together with solutions of its linearised equations, part by part.
#[derive(Debug)]
pub struct Spreading {
    growth: Growth,
    to: f64,
    now: f64,
    part: f64,
}

impl Spreading {
    /// The largest `count` exponents of a motion with n degrees of freedom from one time to a later one.
    pub fn new(n: usize, count: usize, (from, to): (f64, f64)) -> Self {
        let all = DMatrix::identity(2 * n, 2 * n);
        Self {
            growth: Growth::new((from, to), scrambled(&all, count)),
            to,
            now: from,
            part: (to - from) / MIN_PARTS / 8.0,
        }
    }

    /// The time at which the next part ends.
    pub fn next(&self) -> f64 {
        let end = self.now + self.part;
        let begin = self.growth.begin;
        match () {
            () if self.now < begin && end > begin => begin,
            () if end + 1e-3 * self.part >= self.to => self.to,
            () => end,
        }
    }

    /// The directions of the nearby motions: δx, then δu, of each.
    pub fn directions(&self) -> impl Iterator<Item = Vec<f64>> {
        let columns = self.growth.directions.column_iter();
        columns.map(|c| c.iter().copied().collect())
    }

    /// Takes over what the directions have become at a time. Whether the motion is to be followed further.
    pub fn advance(&mut self, time: f64, directions: &[Vec<f64>]) -> bool {
        for (mut own, new) in self.growth.directions.column_iter_mut().zip(directions) {
            own.copy_from_slice(new);
        }
        let growth = &mut self.growth;
        if !growth.counts && self.now >= growth.begin {
            growth.counts = true;
            growth.reset();
        }
        let size = growth.directions.column_iter().map(|c| c.norm().ln().abs());
        let size = size.fold(0.0, f64::max);
        growth.factor(self.now, time);
        let longest = (self.to - growth.from) / MIN_PARTS;
        let factor = (GROWTH_OF_A_PART / size.max(1e-9)).clamp(0.3, 2.0);
        self.part = (self.part * factor).min(longest);
        self.now = time;
        time < self.to && growth.directions.iter().all(|x| x.is_finite())
    }

    /// The exponents, the largest first, and their standard errors.
    pub fn exponents(&self) -> (Vec<f64>, Vec<f64>) {
        let found = self.growth.result(0.0, 1, self.now);
        (found.exponents, found.standard_error)
    }
}

/// Constraints, mass matrix and momenta along a motion.
struct Geometry {
    n: usize,
    /// Gradients by (x, u) of the functions that constrain states.
    levels: Program,
    rows: usize,
    /// The mass matrix, then ∂p/∂x.
    legendre: Program,
    /// Whether the volume of phase space is known: without constraints on velocities.
    canonical: bool,
    /// Whether the positions of the model are the points of phase space.
    on_phase_space: bool,
}

impl Geometry {
    fn new<'p>(setting: &Setting<'p>) -> Option<Self> {
        let symbols = [&setting.x[..], &setting.u].concat();
        let mut functions: Vec<Expr<'_>> = Vec::new();
        for r in &setting.rows {
            functions.extend(r.residual);
            functions.extend(r.rate);
        }
        let slopes: Vec<Expr<'_>> = functions
            .iter()
            .flat_map(|f| f.gradient(&symbols))
            .collect();
        let momenta = setting.lagrangian.gradient(&setting.u);
        let of = |symbols: &[Expr<'p>]| -> Vec<Expr<'p>> {
            momenta.iter().flat_map(|p| p.gradient(symbols)).collect()
        };
        let legendre = [of(&setting.u), of(&setting.x)].concat();
        let ideal = |r: &galilei_model::ConstraintRow<'_>| {
            r.rate.is_some() && r.enforcement == Enforcement::Ideal
        };
        let on_phase_space = setting.model.contents().phase.is_some();
        Some(Self {
            n: setting.n(),
            levels: Program::new(&slopes, &setting.state_symbols()).ok()?,
            rows: functions.len(),
            legendre: Program::new(&legendre, &setting.state_symbols()).ok()?,
            canonical: on_phase_space || setting.rows.iter().all(ideal),
            on_phase_space,
        })
    }

    fn constrained(&self) -> bool {
        self.rows > 0
    }

    /// The gradients of the constraints at (t, x, u).
    fn normals(&self, state: &[f64]) -> Option<DMatrix<f64>> {
        let values = self.levels.f64(&state[..1 + 2 * self.n]);
        let finite = values.iter().all(|x| x.is_finite());
        finite.then(|| DMatrix::from_row_slice(self.rows, 2 * self.n, &values))
    }

    /// An orthonormal basis of the tangent space of the constraints.
    fn tangent(&self, state: &[f64]) -> Option<DMatrix<f64>> {
        match self.constrained() {
            false => Some(DMatrix::identity(2 * self.n, 2 * self.n)),
            true => Some(null_space(&self.normals(state)?, 1e-10)),
        }
    }

    /// Brings directions back into the tangent space of the constraints.
    fn project(&self, state: &[f64], directions: &mut DMatrix<f64>) {
        if let Some(normals) = self.normals(state) {
            let off = &normals * &*directions;
            if let Ok(back) = normals.svd(true, true).solve(&off, 1e-12) {
                *directions -= back;
            }
        }
    }

    /// The volume of phase space of a unit of volume in (x, u), on the constraints with an orthonormal basis.
    fn density(&self, state: &[f64], basis: &DMatrix<f64>) -> Option<f64> {
        let n = self.n;
        if self.on_phase_space {
            let volume = basis.rows(0, n).into_owned().determinant().abs();
            return (volume.is_finite() && volume > 0.0).then_some(volume);
        }
        let values = self.legendre.f64(&state[..1 + 2 * n]);
        if values.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let (mass, slopes) = values.split_at(n * n);
        let momenta = DMatrix::from_fn(n, 2 * n, |i, j| match j < n {
            true => slopes[i * n + j],
            false => mass[i * n + j - n],
        });
        let x = basis.rows(0, n);
        let p = momenta * basis;
        let form = x.transpose() * &p - p.transpose() * x;
        let volume = form.determinant().abs().sqrt();
        (volume.is_finite() && volume > 0.0).then_some(volume)
    }
}

/// The divergence of a motion in phase space.
enum Divergence {
    /// It is the same everywhere.
    Constant(f64),
    /// The trace of g⁻¹∂F/∂u on the constraints between positions: mass matrix, slopes of forces, gradients.
    Forces(Program),
    /// The divergence of Hamilton's equations with forces in (x, p).
    Field(Program),
    /// The trace of the linearised motion on the constraints.
    Trace(Box<Derivatives>),
    /// Unknown.
    Unknown,
}

impl Divergence {
    fn new(setting: &Setting<'_>, kinked: bool) -> Result<Self, Vec<Diagnostic>> {
        let n = setting.n();
        if setting.model.contents().phase.is_some() {
            // The constraints are v − γ = 0.
            let residuals = setting.rows.iter().filter_map(|r| r.residual);
            let slopes = residuals.zip(&setting.x).map(|(r, &x)| -r.diff(x));
            let whole = setting.pool().sum(slopes.collect::<Vec<_>>());
            if vanishes(whole) {
                return Ok(Self::Constant(0.0));
            }
            let program = Program::new(&[whole], &setting.state_symbols());
            return Ok(program.map_or(Self::Unknown, Self::Field));
        }
        let holonomic = |r: &galilei_model::ConstraintRow<'_>| {
            r.rate.is_some() && r.enforcement == Enforcement::Ideal
        };
        if !setting.rows.iter().all(holonomic) {
            return Ok(match kinked {
                true => Self::Unknown,
                false => Self::Trace(Box::new(Derivatives::new(setting)?)),
            });
        }
        let slopes: Vec<Expr<'_>> = (setting.force.iter())
            .flat_map(|f| f.gradient(&setting.u))
            .collect();
        if slopes.iter().all(|e| vanishes(*e)) {
            return Ok(Self::Constant(0.0));
        }
        if kinked {
            return Ok(Self::Unknown);
        }
        let mass = setting.lagrangian.hessian(&setting.u).concat();
        let mut list = [mass, slopes].concat();
        let steady = setting.rows.is_empty()
            && !list
                .iter()
                .any(|e| e.contains_any(&setting.state_symbols()));
        list.extend(setting.rows.iter().flat_map(|r| r.row.clone()));
        let Ok(program) = Program::new(&list, &setting.state_symbols()) else {
            return Ok(Self::Unknown);
        };
        if steady && let Some(value) = trace(&program, n, &vec![0.0; 1 + 2 * n]) {
            return Ok(Self::Constant(value));
        }
        Ok(Self::Forces(program))
    }

    /// The integral of the divergence over a piece of the motion; `None` where it is not known.
    fn over(
        &mut self,
        piece: &Transition,
        geometry: &Geometry,
        states: &mut dyn FnMut(f64) -> Option<Vec<f64>>,
    ) -> Option<f64> {
        let n = geometry.n;
        let mut at = |state: &[f64]| -> Option<f64> {
            match self {
                Self::Constant(value) => Some(*value),
                Self::Forces(program) => trace(program, n, state),
                Self::Field(program) => program.f64(&state[..1 + 2 * n]).first().copied(),
                Self::Trace(own) => {
                    let full = own.at(state).ok()?.full;
                    let q = geometry.tangent(state)?;
                    Some((q.transpose() * full * &q).trace())
                }
                Self::Unknown => None,
            }
        };
        let length = piece.to - piece.from;
        let mut sum = 0.0;
        for (node, weight) in GAUSS {
            sum += weight * length * at(&states(piece.from + node * length)?)?;
        }
        Some(sum)
    }
}

/// tr((NᵀgN)⁻¹Nᵀ(∂F/∂u)N) with the basis N of directions that the constraints allow.
fn trace(program: &Program, n: usize, state: &[f64]) -> Option<f64> {
    let values = program.f64(&state[..1 + 2 * n]);
    if values.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mass = DMatrix::from_row_slice(n, n, &values[..n * n]);
    let slopes = DMatrix::from_row_slice(n, n, &values[n * n..2 * n * n]);
    let rest = &values[2 * n * n..];
    let basis = match rest.is_empty() {
        true => DMatrix::identity(n, n),
        false => null_space(&DMatrix::from_row_slice(rest.len() / n, n, rest), 1e-10),
    };
    let mass = basis.transpose() * mass * &basis;
    let slopes = basis.transpose() * slopes * &basis;
    Some(mass.lu().solve(&slopes)?.trace())
}
