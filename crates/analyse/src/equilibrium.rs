//! Rest positions and steady motions, under constraints with multipliers. (T-202)
//!
//! A steady motion moves along a field v(x) = Σ ωₖvₖ(x) of symmetries: ignorable coordinates, constant combinations of
//! coordinates on which nothing depends, declared symmetries. With u = v(x) and the accelerations that belong to it,
//! Lagrange's equations with multipliers and the constraints are equations for positions and multipliers alone.

pub(crate) mod formulas;
mod guess;

use galilei_expr::{Expr, ExprId};
use galilei_model::{Code, ConstraintRow, Diagnostic, Enforcement, Model, State};
use nalgebra::{DMatrix, DVector};

use crate::eigen::Random;
use crate::linearisation::Derivatives;
use crate::modes::numbers;
use crate::newton::Equations;
use crate::setting::{Generator, Setting, null_space, refused};
use crate::stability::{EnergyHessian, judge};
use crate::statics::InMode;
use crate::steady::exact;
use guess::{follow_constraints, spread_over};

/// Starts for each unknown position.
const STARTS_PER_UNKNOWN: usize = 40;
/// The largest number of random starts.
const MAX_STARTS: usize = 240;
/// How many times more starts are taken on ready-made manifolds.
const STARTS_ON_MANIFOLDS: usize = 4;
/// The largest number of starts on the grid of quarter turns.
const MAX_GRID: usize = 256;
/// Equilibria closer than this, in units of their scale, are the same.
const SAME: f64 = 1e-6;
/// Times at which a system that depends on time must rest.
const OTHER_TIMES: [f64; 2] = [0.377_215, 1.234_177];
/// Equilibria that are listed at most.
const MAX_LISTED: usize = 64;

/// The way in which an equilibrium is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It has a formula that satisfies the equations for all values of the parameters.
    Proved,
    /// A box of the size of rounding errors around it holds exactly one equilibrium.
    Certified,
    /// The equations hold up to rounding.
    Sampled,
}

impl Certainty {
    /// The word of a document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Certified => "certified",
            Self::Sampled => "sampled",
        }
    }
}

/// A rest position or a steady motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Equilibrium {
    /// x
    pub position: Vec<f64>,
    /// u; zero but for coordinates that move uniformly.
    pub velocity: Vec<f64>,
    /// λ_a; `None` where the connection enforces the constraint.
    pub multipliers: Vec<Option<f64>>,
    /// The values of the free parameters.
    pub parameters: Vec<(String, f64)>,
    /// The largest residual of Lagrange's equations and the constraints.
    pub residual: f64,
    /// The way in which it is known.
    pub verdict: Certainty,
    /// Formulas of the positions, where they were found.
    pub formulas: Option<Vec<(String, String)>>,
    /// The formulas as expressions of the model, by the number of the coordinate.
    pub expressions: Option<Vec<(usize, ExprId)>>,
    /// Whether it is stable, modulo the symmetries; `None` where no argument decides.
    pub stable: Option<bool>,
    /// Whether the linearised motion is bounded, modulo the symmetries: `Some(true)` also where eigenvalues on the imaginary
    /// axis are distinct, which does not decide about stability; `None` where they may coincide.
    pub linearly_stable: Option<bool>,
    /// The argument that decided, or why none did.
    pub reason: String,
    /// Index and nullity of the second variation of the amended potential, modulo the symmetries; `None` without an
    /// energy.
    pub energy_hessian: Option<EnergyHessian>,
    /// The eigenvalues of the linearisation, as in [`Modes`](crate::Modes).
    pub eigenvalues: Vec<[f64; 2]>,
    /// Whether other equilibria are arbitrarily near, without a known symmetry that leads to them.
    pub family: bool,
}

impl Equilibrium {
    /// Its stability in words: `stable`, `unstable`, `linearly stable, stability open` or `stability open`.
    pub fn stability(&self) -> &'static str {
        crate::stability::in_words(self.stable, self.linearly_stable)
    }
}

/// The equilibria that were found, the nearest to the guess first.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Equilibria {
    /// The equilibria.
    pub list: Vec<Equilibrium>,
    /// The number of starts.
    pub starts: usize,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A search for equilibria.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EquilibriumSearch {
    /// The guess, `"theta=0.1, phi'=2"`; missing entries come from `initial`, then 0.
    pub at: String,
    /// Parameters that are free. Positions given in the guess are then held as far as possible.
    pub free: Vec<String>,
    /// The seed of the random starts.
    pub seed: u64,
    /// Whether only the equilibrium that the guess leads to is wanted.
    pub nearest_only: bool,
}

impl Default for EquilibriumSearch {
    fn default() -> Self {
        Self {
            at: String::new(),
            free: vec![],
            seed: 1,
            nearest_only: false,
        }
    }
}

/// A guess on its way to equilibria.
struct Problem<'a, 'p> {
    setting: &'a Setting<'p>,
    generators: Vec<Generator<'p>>,
    /// (t, x, u) of the guess.
    guess: Vec<f64>,
    /// The speeds along the generators.
    speeds: Vec<f64>,
    free: Vec<(String, Expr<'p>, f64)>,
    autonomous: bool,
    /// Whether starts led to where the chart of a sphere ends.
    ended: std::cell::Cell<bool>,
}

/// The unknowns that are solved for: positions, speeds, parameters; multipliers behind them.
struct Unknowns {
    positions: Vec<usize>,
    speeds: Vec<usize>,
}

/// A zero of the equations.
#[derive(Clone)]
struct Zero {
    x: Vec<f64>,
    speeds: Vec<f64>,
    parameters: Vec<f64>,
    multipliers: Vec<f64>,
}

/// Finds equilibria and steady motions of a model.
///
/// ```
/// use galilei_analyse::{EquilibriumSearch, equilibria};
/// use galilei_model::{Settings, read};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4 - x^2/2\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let found = equilibria(&model, &EquilibriumSearch::default()).unwrap();
/// let stable: Vec<Option<bool>> = found.list.iter().map(|e| e.stable).collect();
/// assert_eq!(stable, [Some(false), Some(true), Some(true)]);
/// ```
///
/// # Errors
/// Where the guess cannot be read, or the model has no numbers.
pub fn equilibria(
    model: &Model,
    search: &EquilibriumSearch,
) -> Result<Equilibria, Vec<Diagnostic>> {
    if model.has_contacts() {
        let guess = numbers(&model.state_and_entries(&search.at)?.0)?;
        let mode = InMode::new(model, &guess)?;
        let mut found = equilibria(&mode.model, search)?;
        mode.keep(&mut found, guess[0]);
        return Ok(found);
    }
    let free = free_parameters(model, &search.free)?;
    let symbols: Vec<Expr<'_>> = free.iter().map(|f| f.1).collect();
    let setting = Setting::new(model, &symbols)?;
    let (state, given) = model.state_and_entries(&search.at)?;
    let mut guess = numbers(&state)?;
    let n = setting.n();
    follow_constraints(&setting, &mut guess, &given[n..]);
    let mut found = Equilibria::default();
    let autonomous = setting.is_autonomous();
    if !autonomous {
        found.warnings.push(Diagnostic::warning(
            Code::DependsOnTime,
            "the system depends on time: positions are listed at which it rests at all times",
            "eigenvalues are those at the time of the guess and decide nothing; `galilei periodic` judges by a period",
            None,
        ));
    }
    let generators = setting.generators();
    let mut problem = Problem {
        setting: &setting,
        generators,
        guess,
        speeds: vec![],
        free,
        autonomous,
        ended: std::cell::Cell::new(false),
    };
    let mut left = problem.fit_speeds();
    if left > 1e-9 {
        // Symmetries that were not declared may explain the velocities.
        let declared = problem.generators.len();
        let more = setting.affine_generators(&problem.generators);
        problem.generators.extend(more);
        let now = problem.fit_speeds();
        if now > 1e-9 {
            problem.generators.truncate(declared);
            left = problem.fit_speeds();
        } else {
            left = now;
        }
    }
    if left > 1e-9 {
        found.warnings.push(Diagnostic::warning(
            Code::GuessChanged,
            "velocities of the guess that belong to no symmetry are taken as zero",
            "steady motions move along ignorable coordinates or along the field of a declared `symmetry`",
            None,
        ));
    }
    let held = |i: usize| !search.free.is_empty() && given[i];
    let all: Vec<usize> = (0..n).filter(|&i| !problem.is_ignorable(i)).collect();
    let some: Vec<usize> = all.iter().copied().filter(|&i| !held(i)).collect();
    let moving: Vec<usize> = (0..problem.speeds.len())
        .filter(|&k| problem.speeds[k] != 0.0)
        .collect();
    // Given velocities are held; those that only follow from others may change.
    let loose = |k: &usize| {
        !problem.generators[*k]
            .ignorable
            .is_some_and(|i| given[n + i])
    };
    let loose: Vec<usize> = moving.iter().copied().filter(loose).collect();
    let mut plans = vec![Unknowns {
        positions: some.clone(),
        speeds: vec![],
    }];
    if some.len() < all.len() {
        plans.push(Unknowns {
            positions: all.clone(),
            speeds: vec![],
        });
    }
    if !loose.is_empty() {
        plans.push(Unknowns {
            positions: all.clone(),
            speeds: loose.clone(),
        });
    }
    if moving.len() > loose.len() {
        plans.push(Unknowns {
            positions: all.clone(),
            speeds: moving.clone(),
        });
    }
    let mut zeros: Vec<(Zero, bool)> = Vec::new();
    let mut used = None;
    let mut ended = false;
    for (k, plan) in plans.iter().enumerate() {
        let equations = problem.equations(plan).ok_or_else(no_numbers)?;
        let (list, starts) = problem.search(plan, &equations, search);
        found.starts += starts;
        ended |= problem.ended.get();
        if !list.is_empty() {
            zeros = list;
            if !plan.speeds.is_empty() {
                found.warnings.push(Diagnostic::warning(
                    Code::GuessChanged,
                    "no steady motion has the velocities of the guess: they were changed, too",
                    "give velocities that the constraints allow",
                    None,
                ));
            }
            used = Some(k);
            break;
        }
    }
    if ended {
        found.warnings.push(Diagnostic::warning(
            Code::SingularCoordinates,
            "the chart of a sphere ends at the pole opposite to its origin, and some starts lead there: whether an equilibrium lies there is not said",
            "look from the other side: give the point near that pole with --at, such as \"n=(0, 0, 1)\"",
            None,
        ));
    }
    let Some(used) = used else {
        found.warnings.push(Diagnostic::warning(
            Code::NoEquilibriumFound,
            format!("none of {} starts led to an equilibrium", found.starts),
            "give a guess with --at; a system may have none",
            None,
        ));
        return Ok(found);
    };
    let plan = &plans[used];
    let equations = problem.equations(plan).ok_or_else(no_numbers)?;
    let mut derivatives = match problem.free.is_empty() {
        true => Some(Derivatives::new(&setting)?),
        false => None,
    };
    let mut hidden = 0;
    for (zero, family) in zeros {
        if found.list.len() == MAX_LISTED {
            break;
        }
        if let Some(d) = derivatives.as_mut()
            && problem.is_apparent(&zero, d)
        {
            hidden += 1;
            continue;
        }
        found
            .list
            .push(problem.describe(plan, &equations, derivatives.as_mut(), zero, family)?);
    }
    if hidden > 0 {
        found.warnings.push(Diagnostic::warning(
            Code::SingularCoordinates,
            format!(
                "{hidden} zeros of the equations lie at singular points of the coordinates and are left out: the motion does not rest near them"
            ),
            "choose other coordinates if there may be an equilibrium there",
            None,
        ));
    }
    if found.list.is_empty() {
        found.warnings.push(Diagnostic::warning(
            Code::NoEquilibriumFound,
            format!("none of {} starts led to an equilibrium", found.starts),
            "give a guess with --at; a system may have none",
            None,
        ));
    }
    Ok(found)
}

fn no_numbers() -> Vec<Diagnostic> {
    refused(
        Code::NotFinite,
        "the equations of equilibrium have no numbers",
        "give values to all parameters, and definitions to undetermined functions",
    )
}

/// The free parameters: name, symbol, value to start from.
fn free_parameters<'p>(
    model: &'p Model,
    names: &[String],
) -> Result<Vec<(String, Expr<'p>, f64)>, Vec<Diagnostic>> {
    let parameters = &model.contents().parameters;
    let mut list: Vec<(String, Expr<'p>, f64)> = Vec::new();
    for name in names {
        let Some(p) = parameters.iter().find(|p| p.name == *name) else {
            let known: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            return Err(refused(
                Code::UnknownParameter,
                format!("there is no parameter `{name}`"),
                format!("there are {}", known.join(", ")),
            ));
        };
        if list.iter().any(|f| f.0 == *name) {
            continue;
        }
        let value = match p.value {
            Some(v) => {
                let known = model.known_constants();
                model.expr(v).substitute(&known).evaluate_f64(&[])
            }
            None => 1.0,
        };
        list.push((name.clone(), model.expr(p.symbol), value));
    }
    Ok(list)
}

impl<'p> Problem<'_, 'p> {
    fn n(&self) -> usize {
        self.setting.n()
    }

    fn is_ignorable(&self, i: usize) -> bool {
        self.generators.iter().any(|g| g.ignorable == Some(i))
    }

    /// Explains the velocities of the guess by symmetries: ignorable coordinates first, then the others. What is left
    /// over, relative to the velocities.
    fn fit_speeds(&mut self) -> f64 {
        let n = self.n();
        let mut rest = self.guess[1 + n..].to_vec();
        let size = rest.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.speeds = vec![0.0; self.generators.len()];
        if size == 0.0 {
            return 0.0;
        }
        for (k, g) in self.generators.iter().enumerate() {
            if let Some(i) = g.ignorable {
                self.speeds[k] = rest[i];
                rest[i] = 0.0;
            }
        }
        let others: Vec<usize> = (0..self.generators.len())
            .filter(|&k| self.generators[k].ignorable.is_none())
            .collect();
        if others.is_empty() || rest.iter().all(|x| *x == 0.0) {
            return rest.iter().fold(0.0_f64, |m, x| m.max(x.abs())) / size;
        }
        let list: Vec<Expr<'p>> = others
            .iter()
            .flat_map(|&k| self.generators[k].components.clone())
            .collect();
        let Some(values) = self.setting.at(&list, &self.guess) else {
            return 1.0;
        };
        // Ignorable coordinates that a declared field moves, too, keep their own velocity.
        let seen: Vec<usize> = (0..n).filter(|&i| !self.is_ignorable(i)).collect();
        let matrix = DMatrix::from_fn(seen.len(), others.len(), |i, k| values[k * n + seen[i]]);
        let right = DVector::from_fn(seen.len(), |i, _| rest[seen[i]]);
        if seen.is_empty() {
            return 0.0;
        }
        if let Ok(found) = matrix.clone().svd(true, true).solve(&right, 1e-12) {
            let left = &right - &matrix * &found;
            for (c, &k) in others.iter().enumerate() {
                let w = if found[c].abs() <= 1e-14 * size {
                    0.0
                } else {
                    found[c]
                };
                self.speeds[k] = w;
                for (own, g) in self.generators.iter().enumerate() {
                    if let Some(i) = g.ignorable {
                        self.speeds[own] -= w * values[c * n + i];
                    }
                }
            }
            return left.amax() / size;
        }
        1.0
    }

    fn speed_symbol(&self, k: usize) -> Expr<'p> {
        self.setting.pool().symbol(&format!("speed({k})"))
    }

    fn multiplier_symbol(&self, a: usize, copy: usize) -> Expr<'p> {
        self.setting
            .pool()
            .symbol(&format!("reaction multiplier({a}, {copy})"))
    }

    /// The times at which the equations must hold: one, or several if they depend on time.
    fn times(&self) -> Vec<f64> {
        let first = self.guess[0];
        let others = OTHER_TIMES.iter().map(|d| first + d);
        match self.autonomous {
            true => vec![first],
            false => [first].into_iter().chain(others).collect(),
        }
    }

    /// The symbols of the unknowns: positions, speeds, parameters, multipliers.
    fn symbols(&self, plan: &Unknowns) -> Vec<Expr<'p>> {
        let mut list: Vec<Expr<'p>> = plan.positions.iter().map(|&i| self.setting.x[i]).collect();
        list.extend(plan.speeds.iter().map(|&k| self.speed_symbol(k)));
        list.extend(self.free.iter().map(|f| f.1));
        for copy in 0..self.times().len() {
            list.extend((0..self.setting.rows.len()).map(|a| self.multiplier_symbol(a, copy)));
        }
        list
    }

    /// Lagrange's equations with multipliers on the field of the symmetries, then the constraints, with symbols for all
    /// positions and speeds.
    fn general(&self) -> Vec<Expr<'p>> {
        self.general_along(|k| self.speeds[k] != 0.0)
    }

    /// Lagrange's equations with multipliers and the constraints on the field of chosen symmetries.
    fn general_along(&self, moving: impl Fn(usize) -> bool) -> Vec<Expr<'p>> {
        let s = self.setting;
        let pool = s.pool();
        let n = s.n();
        let terms = |i: usize| {
            let moving = self
                .generators
                .iter()
                .enumerate()
                .filter(|(k, _)| moving(*k));
            pool.sum(moving.map(|(k, g)| g.components[i] * self.speed_symbol(k)))
        };
        let field: Vec<Expr<'p>> = (0..n).map(terms).collect();
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            s.x.iter().copied().zip(field.iter().copied()).collect();
        let turning: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let mut motion: Vec<(Expr<'p>, Expr<'p>)> = s.u.iter().copied().zip(field).collect();
        motion.extend(s.a.iter().copied().zip(turning));
        let equations = s.equations();
        let mut all = Vec::new();
        for (copy, time) in self.times().into_iter().enumerate() {
            let mut fixed = motion.clone();
            fixed.push((s.time, exact(pool, time)));
            let mut own: Vec<Expr<'p>> = Vec::new();
            for i in 0..n {
                let reactions = s
                    .rows
                    .iter()
                    .enumerate()
                    .map(|(a, r)| r.covector[i] * self.multiplier_symbol(a, copy));
                own.push(equations[i] - pool.sum(reactions));
            }
            own.extend(s.rows.iter().map(|r| r.equation));
            all.extend(pool.substitute_all(&own, &fixed));
        }
        all
    }

    /// The equations for some unknowns, with the guess for the other positions and speeds.
    fn equations(&self, plan: &Unknowns) -> Option<Equations<'p>> {
        let pool = self.setting.pool();
        let n = self.n();
        let mut fixed: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for i in (0..n).filter(|i| !plan.positions.contains(i)) {
            fixed.push((self.setting.x[i], exact(pool, self.guess[1 + i])));
        }
        for k in (0..self.speeds.len()).filter(|k| !plan.speeds.contains(k)) {
            fixed.push((self.speed_symbol(k), exact(pool, self.speeds[k])));
        }
        let functions = pool.substitute_all(&self.general(), &fixed);
        // Equations that hold everywhere say nothing.
        let functions = functions.into_iter().filter(|e| !e.is_zero()).collect();
        Equations::new(functions, self.symbols(plan))
    }

    /// Which unknown positions are angles: a full turn changes nothing.
    fn angles(&self, plan: &Unknowns, equations: &Equations<'p>) -> Vec<bool> {
        let mut random = Random::new(5);
        let k = equations.unknowns.len();
        let points: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..k).map(|_| 0.3 + random.unit()).collect())
            .collect();
        (0..plan.positions.len())
            .map(|i| {
                points.iter().all(|p| {
                    let mut turned = p.clone();
                    turned[i] += std::f64::consts::TAU;
                    match (equations.at(p), equations.at(&turned)) {
                        (Some(a), Some(b)) => {
                            let size = a.f.amax().max(1e-300);
                            (a.f - b.f).amax() <= 1e-9 * size
                        }
                        _ => false,
                    }
                })
            })
            .collect()
    }

    /// Zeros from the guess and from seeded starts, each once, the nearest to the guess first; with whether each is one of
    /// a family.
    fn search(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        search: &EquilibriumSearch,
    ) -> (Vec<(Zero, bool)>, usize) {
        let count = plan.positions.len();
        let angles = self.angles(plan, equations);
        let centre: Vec<f64> = self.unknowns_of_guess(plan, equations);
        let scale: Vec<f64> = centre
            .iter()
            .enumerate()
            .map(|(i, x)| match i < count && angles[i] {
                true => 1.0,
                false if i < count => x.abs().max(1.0),
                false => x.abs().max(1e-3),
            })
            .collect();
        let mut starts = vec![centre.clone()];
        if !search.nearest_only {
            starts.extend(self.grid(&centre, &angles));
            let mut random = Random::new(search.seed);
            let more = (STARTS_PER_UNKNOWN * count).min(MAX_STARTS);
            // In the charts of ready-made manifolds equations fade away from their origin, and many starts lead there.
            let more = match self.curved(plan).next() {
                Some(_) => STARTS_ON_MANIFOLDS * more,
                None => more,
            };
            for _ in 0..more {
                let mut start = centre.clone();
                for i in 0..count {
                    start[i] = match angles[i] {
                        true => centre[i] + std::f64::consts::PI * (2.0 * random.unit() - 1.0),
                        false => {
                            let size = 10f64.powf(3.0 * random.unit() - 2.0);
                            centre[i] + scale[i] * size * (2.0 * random.unit() - 1.0)
                        }
                    };
                }
                for (kind, places) in self.curved(plan) {
                    spread_over(kind, &places, &mut start, &mut random);
                }
                for f in 0..self.free.len() {
                    let i = count + plan.speeds.len() + f;
                    start[i] *= 0.5 + random.unit();
                }
                starts.push(start);
            }
        }
        let total = starts.len();
        let mut found: Vec<(Vec<f64>, bool, f64)> = Vec::new();
        for mut start in starts {
            self.fill_multipliers(plan, equations, &mut start);
            let Some(mut y) = equations.solve(&start, &scale) else {
                continue;
            };
            for i in (0..count).filter(|&i| angles[i]) {
                let turn = std::f64::consts::TAU;
                y[i] -= turn * ((y[i] - centre[i]) / turn).round();
                // Just below and just above half a turn are one place.
                if (y[i] - centre[i] + 0.5 * turn).abs() < 1e-7 {
                    y[i] += turn;
                }
            }
            self.fold(plan, &mut y);
            // Turning back loses digits.
            y = equations.solve(&y, &scale).unwrap_or(y);
            if self.is_at_end(plan, &y) {
                self.ended.set(true);
                continue;
            }
            self.snap(plan, equations, &mut y, &scale);
            let Some(values) = equations.at(&y) else {
                continue;
            };
            let scaled = DMatrix::from_fn(values.j.nrows(), y.len(), |i, j| {
                values.j[(i, j)] * scale[j]
            });
            let family = null_space(&scaled, 1e-7).ncols() > 0;
            let level = self.level(plan, &y);
            let same = |other: &(Vec<f64>, bool, f64)| {
                let near = |i: usize| {
                    let mut d = (y[i] - other.0[i]).abs();
                    if angles[i] {
                        d = d.min((d - std::f64::consts::TAU).abs());
                    }
                    d <= SAME * scale[i].max(y[i].abs())
                };
                let one_family = family && other.1 && {
                    let d = (level - other.2).abs();
                    !level.is_finite() || d <= 1e-6 * (1.0 + level.abs())
                };
                (0..count).all(near) || one_family
            };
            if !found.iter().any(same) {
                found.push((y, family, level));
            }
        }
        let distance = |y: &[f64]| -> f64 {
            (0..count)
                .map(|i| ((y[i] - centre[i]) / scale[i]).powi(2))
                .sum()
        };
        found.sort_by(|a, b| distance(&a.0).total_cmp(&distance(&b.0)));
        let zeros = found
            .into_iter()
            .map(|(y, family, _)| (self.zero(plan, &y), family));
        (zeros.collect(), total)
    }

    /// Sets positions to zero that are zero up to rounding, if the equations hold there as well.
    fn snap(&self, plan: &Unknowns, equations: &Equations<'p>, y: &mut [f64], scale: &[f64]) {
        for i in 0..plan.positions.len() {
            if y[i] == 0.0 || y[i].abs() > 1e-12 * scale[i] {
                continue;
            }
            let size = |y: &[f64]| equations.at(y).map_or(f64::INFINITY, |v| v.f.amax());
            let (before, own) = (size(y), y[i]);
            y[i] = 0.0;
            if size(y) > before + 1e-15 {
                y[i] = own;
            }
        }
    }

    /// A number that all equilibria of one family share: the Lagrangian, which is minus the amended potential there. Not a
    /// number under nonholonomic constraints, where all families count as one.
    fn level(&self, plan: &Unknowns, y: &[f64]) -> f64 {
        let driven = |r: &ConstraintRow<'p>| r.enforcement != Enforcement::Ideal;
        if self
            .setting
            .rows
            .iter()
            .any(|r| r.rate.is_none() || driven(r))
        {
            return f64::NAN;
        }
        let zero = self.zero(plan, y);
        let state = self.state_of(&zero);
        let values = self.free_values(&zero);
        let l = self
            .setting
            .pool()
            .substitute_all(&[self.setting.lagrangian], &values);
        self.setting.at(&l, &state).map_or(f64::NAN, |l| l[0])
    }

    fn free_values(&self, zero: &Zero) -> Vec<(Expr<'p>, Expr<'p>)> {
        let pool = self.setting.pool();
        let pairs = self.free.iter().zip(&zero.parameters);
        pairs.map(|(f, v)| (f.1, exact(pool, *v))).collect()
    }

    /// The unknowns at the guess, multipliers zero.
    fn unknowns_of_guess(&self, plan: &Unknowns, equations: &Equations<'p>) -> Vec<f64> {
        let mut y: Vec<f64> = plan.positions.iter().map(|&i| self.guess[1 + i]).collect();
        y.extend(plan.speeds.iter().map(|&k| self.speeds[k]));
        y.extend(self.free.iter().map(|f| f.2));
        y.resize(equations.unknowns.len(), 0.0);
        y
    }

    /// Multipliers that fit a start best: the equations are linear in them.
    fn fill_multipliers(&self, plan: &Unknowns, equations: &Equations<'p>, y: &mut [f64]) {
        let first = plan.positions.len() + plan.speeds.len() + self.free.len();
        let count = y.len() - first;
        if count == 0 {
            return;
        }
        let Some(values) = equations.at(y) else {
            return;
        };
        let columns = values.j.columns(first, count).into_owned();
        if let Ok(found) = columns.svd(true, true).solve(&values.f, 1e-10) {
            for (a, l) in found.iter().enumerate() {
                y[first + a] -= l;
            }
        }
    }

    /// Starts at which every angle is a multiple of a quarter turn.
    fn grid(&self, centre: &[f64], angles: &[bool]) -> Vec<Vec<f64>> {
        let places: Vec<usize> = (0..angles.len()).filter(|&i| angles[i]).collect();
        let total = 4usize.saturating_pow(places.len() as u32);
        if places.is_empty() || total > MAX_GRID {
            return vec![];
        }
        (0..total)
            .map(|mut code| {
                let mut start = centre.to_vec();
                for &i in &places {
                    // A little off, so that no start is itself a saddle of the search.
                    start[i] =
                        std::f64::consts::FRAC_PI_2 * (code % 4) as f64 - 1.0e-2 * (1.0 + i as f64);
                    code /= 4;
                }
                start
            })
            .collect()
    }

    fn zero(&self, plan: &Unknowns, y: &[f64]) -> Zero {
        let n = self.n();
        let mut x = self.guess[1..=n].to_vec();
        let mut rest = y.iter().copied();
        for (&i, v) in plan.positions.iter().zip(rest.by_ref()) {
            x[i] = v + 0.0;
        }
        let mut speeds = self.speeds.clone();
        for &k in &plan.speeds {
            speeds[k] = rest.next().unwrap_or(0.0);
        }
        let parameters = rest.by_ref().take(self.free.len()).collect();
        let multipliers = rest.take(self.setting.rows.len()).collect();
        Zero {
            x,
            speeds,
            parameters,
            multipliers,
        }
    }

    /// (t, x, u) of a zero.
    fn state_of(&self, zero: &Zero) -> Vec<f64> {
        let n = self.n();
        let mut state = vec![self.guess[0]];
        state.extend(&zero.x);
        state.resize(1 + 2 * n, 0.0);
        let field = self.setting.field(&self.generators, &zero.speeds);
        if let Some(values) = self.setting.at(&field, &state) {
            state[1 + n..].copy_from_slice(&values);
        }
        state
    }

    fn describe(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        derivatives: Option<&mut Derivatives>,
        zero: Zero,
        family: bool,
    ) -> Result<Equilibrium, Vec<Diagnostic>> {
        let n = self.n();
        let setting = self.setting;
        let state = self.state_of(&zero);
        let mut y: Vec<f64> = plan.positions.iter().map(|&i| zero.x[i]).collect();
        y.extend(plan.speeds.iter().map(|&k| zero.speeds[k]));
        y.extend(&zero.parameters);
        y.resize(equations.unknowns.len(), 0.0);
        let first = y.len() - setting.rows.len() * self.times().len();
        for (slot, l) in y[first..].iter_mut().zip(&zero.multipliers) {
            *slot = *l;
        }
        if self.times().len() > 1 {
            self.fill_multipliers(plan, equations, &mut y);
        }
        let residual = equations.at(&y).map_or(f64::NAN, |v| {
            v.f.iter().fold(0.0_f64, |m, f| m.max(f.abs()))
        });
        let formulas = self.formulas(plan, &zero);
        let verdict = match &formulas {
            Some(_) => Certainty::Proved,
            None if self.certified(equations, &y, &state) => Certainty::Certified,
            None => Certainty::Sampled,
        };
        let (directions, other) = self.family(&zero, &state);
        let family = family && other;
        let own;
        let fixed = self.free_values(&zero);
        let (setting, mut compiled) = match derivatives {
            Some(d) => (setting, Ok(d)),
            None => {
                // Free parameters have their values now.
                own = setting.with_values(&fixed);
                (&own, Err(()))
            }
        };
        let mut fresh;
        let judged = match &mut compiled {
            Ok(d) => judge(
                setting,
                &self.generators,
                &zero.speeds,
                &state,
                self.autonomous,
                &directions,
                d,
            ),
            Err(()) => {
                fresh = self.compiled_with(&zero)?;
                judge(
                    setting,
                    &self.generators,
                    &zero.speeds,
                    &state,
                    self.autonomous,
                    &directions,
                    &mut fresh,
                )
            }
        };
        Ok(Equilibrium {
            position: zero.x.clone(),
            velocity: state[1 + n..].iter().map(|v| v + 0.0).collect(),
            multipliers: (self.setting.rows.iter().zip(&zero.multipliers))
                .map(|(r, l)| (r.enforcement != Enforcement::Connection).then_some(l + 0.0))
                .collect(),
            parameters: self
                .free
                .iter()
                .map(|f| f.0.clone())
                .zip(zero.parameters.iter().copied())
                .collect(),
            residual,
            verdict,
            expressions: (formulas.as_ref())
                .map(|list| list.iter().map(|(i, e)| (*i, e.id())).collect()),
            formulas: formulas.map(|list| {
                let written = |(i, e): (usize, Expr<'p>)| {
                    (self.setting.coordinate(i).to_owned(), e.to_string())
                };
                list.into_iter().map(written).collect()
            }),
            stable: judged.stable,
            linearly_stable: judged.linearly_stable,
            reason: judged.reason,
            energy_hessian: judged.hessian,
            eigenvalues: judged.eigenvalues,
            family,
        })
    }

    /// Directions (δx, δu) from a zero to other stationary states, in columns: along symmetries, and with other speeds or
    /// positions as far as such states are found at a small distance.
    fn family(&self, zero: &Zero, state: &[f64]) -> (DMatrix<f64>, bool) {
        let n = self.n();
        let none = (DMatrix::zeros(2 * n, 0), false);
        let mut unexplained = false;
        let (s, pool) = (self.setting, self.setting.pool());
        if !self.autonomous {
            return none;
        }
        let count = self.generators.len();
        let mut unknowns = s.x.clone();
        unknowns.extend((0..count).map(|k| self.speed_symbol(k)));
        unknowns.extend((0..s.rows.len()).map(|a| self.multiplier_symbol(a, 0)));
        let functions = pool.substitute_all(&self.general_along(|_| true), &self.free_values(zero));
        let functions: Vec<Expr<'p>> = functions.into_iter().filter(|e| !e.is_zero()).collect();
        let Some(equations) = Equations::new(functions, unknowns) else {
            return none;
        };
        let y: Vec<f64> = [&zero.x[..], &zero.speeds, &zero.multipliers].concat();
        let Some(values) = equations.at(&y) else {
            return none;
        };
        let scale: Vec<f64> = y.iter().map(|v| v.abs().max(1.0)).collect();
        let mut scaled = DMatrix::from_fn(values.j.nrows(), y.len(), |i, j| {
            values.j[(i, j)] * scale[j]
        });
        for mut row in scaled.row_iter_mut() {
            let size = row.amax();
            if size > 0.0 {
                row /= size;
            }
        }
        let kernel = null_space(&scaled, 1e-8);
        let step = 1e-3;
        let mut columns: Vec<DVector<f64>> = Vec::new();
        let fields: Vec<Expr<'p>> = self
            .generators
            .iter()
            .flat_map(|g| g.components.clone())
            .collect();
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            s.x.iter().copied().zip(s.u.iter().copied()).collect();
        let rates: Vec<Expr<'p>> = fields.iter().map(|v| v.derivative_along(&along)).collect();
        let (Some(fields), Some(rates)) = (s.at(&fields, state), s.at(&rates, state)) else {
            return none;
        };
        for k in 0..count {
            let position = fields[k * n..(k + 1) * n].iter();
            columns.push(DVector::from_iterator(
                2 * n,
                position.chain(&rates[k * n..(k + 1) * n]).copied(),
            ));
        }
        let steady = s.field(&self.generators, &zero.speeds);
        let slopes: Vec<Expr<'p>> = steady.iter().flat_map(|v| v.gradient(&s.x)).collect();
        let Some(slopes) = s.at(&slopes, state) else {
            return none;
        };
        for direction in kernel.column_iter() {
            let start: Vec<f64> = (0..y.len())
                .map(|i| y[i] + step * direction[i] * scale[i])
                .collect();
            let Some(found) = equations.solve(&start, &scale) else {
                continue;
            };
            let moved: f64 = (0..y.len())
                .map(|i| (found[i] - y[i]) / scale[i] * direction[i])
                .sum();
            if (moved - step).abs() > 0.3 * step {
                continue;
            }
            let x = |i: usize| direction[i] * scale[i];
            let faster = (n..n + count).any(|i| direction[i].abs() > 1e-6);
            if !faster && !spanned(&columns[..count], &DVector::from_fn(n, |i, _| x(i))) {
                unexplained = true;
            }
            let velocity = |i: usize| {
                let turned: f64 = (0..n).map(|j| slopes[i * n + j] * x(j)).sum();
                let faster: f64 = (0..count).map(|k| fields[k * n + i] * x(n + k)).sum();
                turned + faster
            };
            columns.push(DVector::from_fn(2 * n, |i, _| {
                if i < n { x(i) } else { velocity(i - n) }
            }));
        }
        columns.retain(|c| c.norm() > 1e-12);
        match columns.is_empty() {
            true => none,
            false => {
                let all = DMatrix::from_columns(&columns);
                // An orthonormal basis of their span.
                let svd = all.svd(true, false);
                let largest = svd.singular_values.max();
                let kept: Vec<usize> = (0..svd.singular_values.len())
                    .filter(|&k| svd.singular_values[k] > 1e-9 * largest)
                    .collect();
                svd.u
                    .map_or(none, |u| (u.select_columns(&kept), unexplained))
            }
        }
    }

    /// Whether a zero lies where the mass matrix is singular and accelerations nearby do not become those of the steady
    /// motion: the equations hold there only because the coordinates fail.
    fn is_apparent(&self, zero: &Zero, derivatives: &mut Derivatives) -> bool {
        let n = self.n();
        let state = self.state_of(zero);
        if !self.is_singular(&state) {
            return false;
        }
        let field = self.setting.field(&self.generators, &zero.speeds);
        let along: Vec<(Expr<'p>, Expr<'p>)> = (self.setting.x.iter().copied())
            .zip(field.iter().copied())
            .collect();
        let turning: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let mut random = Random::new(41);
        let mut left = |step: f64| -> Option<f64> {
            let mut worst = 0.0_f64;
            for _ in 0..4 {
                let mut near = state.clone();
                for x in &mut near[1..=n] {
                    *x += step * (2.0 * random.unit() - 1.0);
                }
                let values = self.setting.at(&[&field[..], &turning].concat(), &near)?;
                near[1 + n..].copy_from_slice(&values[..n]);
                let own = derivatives.at(&near).ok()?.acceleration;
                let off = (0..n).map(|i| (own[i] - values[n + i]).abs());
                worst = worst.max(off.fold(0.0, f64::max));
            }
            Some(worst)
        };
        match (left(1e-2), left(1e-4)) {
            // Accelerations that fall with the distance belong to an equilibrium.
            (Some(far), Some(close)) => close > 0.1 * far && close > 1e-6,
            _ => true,
        }
    }

    /// Whether the mass matrix is singular at (t, x, u).
    fn is_singular(&self, state: &[f64]) -> bool {
        self.setting.has_singular_mass(state)
    }

    /// Code for the model with the found values of its free parameters.
    fn compiled_with(&self, zero: &Zero) -> Result<Derivatives, Vec<Diagnostic>> {
        let symbols: Vec<Expr<'p>> = self.free.iter().map(|f| f.1).collect();
        Derivatives::with_parameters(self.setting, &symbols, &zero.parameters)
    }

    /// Whether a box around a zero holds exactly one solution: of as many equations as are independent, in as many
    /// unknowns; equations that follow from the others by Noether's identity are left out.
    fn certified(&self, equations: &Equations<'p>, y: &[f64], state: &[f64]) -> bool {
        let Some(values) = equations.at(y) else {
            return false;
        };
        let (m, k) = values.j.shape();
        let Some((rows, columns)) = independent(&values.j) else {
            return false;
        };
        let left_out: Vec<usize> = (0..m).filter(|i| !rows.contains(i)).collect();
        if !left_out.is_empty() && !self.follow(equations, &left_out, state) {
            return false;
        }
        if columns.len() == k && rows.len() == m {
            return equations.certify(y);
        }
        let part = equations.part(&rows, &columns, y);
        part.is_some_and(|(part, y)| part.certify(&y))
    }

    /// Whether some equations follow from the others: along each conserved symmetry the equations have no component, and
    /// these determine the ones left out.
    fn follow(&self, equations: &Equations<'p>, left_out: &[usize], state: &[f64]) -> bool {
        let n = self.n();
        if !self.autonomous {
            return false;
        }
        // Lagrange's equations that are not trivially zero, in their order.
        let general = self.general();
        let kept: Vec<usize> = (0..general.len())
            .filter(|&i| !general[i].is_zero())
            .collect();
        if kept.len() != equations.functions.len() {
            return false;
        }
        let coordinates: Vec<usize> = left_out.iter().map(|&i| kept[i]).collect();
        if coordinates.iter().any(|&i| i >= n) {
            return false;
        }
        let conserved: Vec<&Generator<'p>> =
            self.generators.iter().filter(|g| g.conserved).collect();
        let list: Vec<Expr<'p>> = conserved
            .iter()
            .flat_map(|g| coordinates.iter().map(|&i| g.components[i]))
            .collect();
        let Some(values) = self.setting.at(&list, state) else {
            return false;
        };
        let matrix: Vec<Vec<f64>> = values
            .chunks(coordinates.len().max(1))
            .map(<[f64]>::to_vec)
            .collect();
        let d = DMatrix::from_fn(matrix.len(), coordinates.len(), |i, j| matrix[i][j]);
        d.ncols() <= d.nrows() && null_space(&d, 1e-6).ncols() == 0
    }
}

/// Whether a displacement of positions is a combination of those of some vectors (δx, δu).
fn spanned(columns: &[DVector<f64>], x: &DVector<f64>) -> bool {
    let n = x.len();
    if columns.is_empty() || n == 0 {
        return x.norm() <= 1e-9;
    }
    let all = DMatrix::from_fn(n, columns.len(), |i, k| columns[k][i]);
    let fitted = all.clone().svd(true, true).solve(x, 1e-10);
    fitted.is_ok_and(|c| (x - all * c).norm() <= 1e-6 * x.norm())
}

/// Rows and columns of a largest regular block, by elimination with complete pivoting; `None` if nothing is regular.
fn independent(matrix: &DMatrix<f64>) -> Option<(Vec<usize>, Vec<usize>)> {
    let (m, k) = matrix.shape();
    let mut a = matrix.clone();
    for mut row in a.row_iter_mut() {
        let size = row.amax();
        if size > 0.0 {
            row /= size;
        }
    }
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
    let mut first = 0.0_f64;
    loop {
        let mut best = (0, 0, 0.0_f64);
        for i in (0..m).filter(|i| !rows.contains(i)) {
            for j in (0..k).filter(|j| !columns.contains(j)) {
                if a[(i, j)].abs() > best.2 {
                    best = (i, j, a[(i, j)].abs());
                }
            }
        }
        first = first.max(best.2);
        if best.2 <= 1e-8 * first || best.2 == 0.0 {
            break;
        }
        let (i, j, _) = best;
        for l in (0..m).filter(|l| *l != i && !rows.contains(l)) {
            let factor = a[(l, j)] / a[(i, j)];
            for c in 0..k {
                let t = a[(i, c)];
                a[(l, c)] -= factor * t;
            }
        }
        rows.push(i);
        columns.push(j);
    }
    rows.sort_unstable();
    columns.sort_unstable();
    (!rows.is_empty() || m == 0).then_some((rows, columns))
}

/// The state of an equilibrium as a state of its model.
pub fn state_of<'p>(model: &'p Model, time: f64, equilibrium: &Equilibrium) -> State<'p> {
    let pool = model.pool();
    State {
        time: exact(pool, time),
        position: equilibrium
            .position
            .iter()
            .map(|x| exact(pool, *x))
            .collect(),
        velocity: equilibrium
            .velocity
            .iter()
            .map(|x| exact(pool, *x))
            .collect(),
    }
}
