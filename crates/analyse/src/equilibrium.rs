//! Rest positions and steady motions, under constraints with multipliers. (T-202)
//!
//! A steady motion moves along a field v(x) = Σ ωₖvₖ(x) of symmetries: ignorable coordinates, constant combinations of
//! coordinates on which nothing depends, declared symmetries. With u = v(x) and the accelerations that belong to it,
//! Lagrange's equations with multipliers and the constraints are equations for positions and multipliers alone.

mod description;
pub(crate) mod formulas;
mod guess;
mod search;

use galilei_expr::{Expr, ExprId};
use galilei_model::{Code, Diagnostic, Model, State};
use nalgebra::{DMatrix, DVector};

use crate::linearisation::Derivatives;
use crate::modes::numbers;
use crate::newton::Equations;
use crate::setting::{Generator, Setting, refused};
use crate::stability::EnergyHessian;
use crate::steady::exact;
use guess::follow_constraints;

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
            if plan.positions.len() > some.len() {
                let names = search.free.join(", ");
                found.warnings.push(Diagnostic::warning(
                    Code::GuessChanged,
                    format!("no values of {names} make the positions of the guess an equilibrium: the positions were changed, too"),
                    "free other parameters, or give fewer positions with --at",
                    None,
                ));
                // Of a whole family of equilibria the nearest counts.
                if zeros.iter().all(|z| z.1) {
                    zeros.truncate(1);
                }
            }
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
