//! Rest positions and steady motions, under constraints with multipliers. (T-202)
//!
//! A steady motion moves along a field v(x) = Σ ωₖvₖ(x) of symmetries: ignorable coordinates, constant combinations of
//! coordinates on which nothing depends, declared symmetries. With u = v(x) and the accelerations that belong to it,
//! Lagrange's equations with multipliers and the constraints are equations for positions and multipliers alone.

mod description;
pub(crate) mod formulas;
mod guess;
mod problem;
mod search;

use galilei_expr::{Expr, ExprId};
use galilei_model::{Code, Diagnostic, Model, State};

use crate::linearisation::Derivatives;
use crate::modes::numbers;
use crate::newton::Equations;
use crate::setting::{Setting, refused};
use crate::stability::EnergyHessian;
use crate::statics::InMode;
use crate::steady::exact;
use guess::follow_constraints;
use problem::{Problem, Unknowns, Zero, free_parameters};

/// Equilibria closer than this, in units of their scale, are the same.
const SAME: f64 = 1e-6;
/// Equilibria that are listed at most.
const MAX_LISTED: usize = 64;

/// The way in which an equilibrium is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    let setting = Setting::new(model, &symbols)?.without_gauge();
    let (state, given) = model.state_and_entries(&search.at)?;
    let mut guess = numbers(&state)?;
    let n = setting.n();
    follow_constraints(&setting, &mut guess, &given[n..]);
    let mut found = Equilibria::default();
    let mut problem = Problem::new(&setting, guess, free);
    if !problem.autonomous {
        found.warn(
            Code::DependsOnTime,
            "the system depends on time: positions are listed at which it rests at all times",
            "eigenvalues are those at the time of the guess and decide nothing; `galilei periodic` judges by a period",
        );
    }
    if !problem.explain_velocities() {
        found.warn(
            Code::GuessChanged,
            "velocities of the guess that belong to no symmetry are taken as zero",
            "steady motions move along ignorable coordinates or along the field of a declared `symmetry`",
        );
    }
    let attempts = problem.attempts(&given, !search.free.is_empty());
    let fewest = attempts.iter().map(|a| a.positions.len()).min();
    for unknowns in attempts {
        let equations = problem.equations(&unknowns).ok_or_else(no_numbers)?;
        let (mut zeros, starts) = problem.search(&unknowns, &equations, search);
        found.starts += starts;
        if zeros.is_empty() {
            continue;
        }
        if Some(unknowns.positions.len()) > fewest {
            let names = search.free.join(", ");
            found.warn(
                Code::GuessChanged,
                format!("no values of {names} make the positions of the guess an equilibrium: the positions were changed, too"),
                "free other parameters, or give fewer positions with --at",
            );
            // Of a whole family of equilibria the nearest counts.
            if zeros.iter().all(|z| z.1) {
                zeros.truncate(1);
            }
        }
        if let Some(k) = unknowns.stopped {
            let name = &problem.generators[k].name;
            found.warn(
                Code::GuessChanged,
                format!("no steady motion has the velocities of the guess: the motion along {name} is left out"),
                "give velocities that the constraints allow",
            );
        }
        if !unknowns.speeds.is_empty() {
            found.warn(
                Code::GuessChanged,
                "no steady motion has the velocities of the guess: they were changed, too",
                "give velocities that the constraints allow",
            );
        }
        found.warn_of_ends(&problem);
        found.describe_all(&problem, &unknowns, &equations, zeros)?;
        break;
    }
    if found.list.is_empty() {
        found.warn_of_ends(&problem);
        found.warn(
            Code::NoEquilibriumFound,
            format!("none of {} starts led to an equilibrium", found.starts),
            "give a guess with --at; a system may have none",
        );
    }
    Ok(found)
}

impl Equilibria {
    fn warn(&mut self, code: Code, message: impl Into<String>, hint: &str) {
        (self.warnings).push(Diagnostic::warning(code, message, hint, None));
    }

    /// Says that starts led to where the chart of a sphere ends, if they did; once.
    fn warn_of_ends(&mut self, problem: &Problem<'_, '_>) {
        if problem.ended.take() {
            // The pole where the chart ends.
            let sphere = problem.setting.model.spheres().next();
            let (name, z) = sphere.map_or(("n", -1), |m| {
                (&*m.name, if m.is_turned() { 1 } else { -1 })
            });
            let hint = format!(
                "look from the other side: give the point near that pole with --at, such as \"{name}=(0, 0, {z})\""
            );
            self.warn(
                Code::SingularCoordinates,
                "the chart of a sphere ends at the pole opposite to its origin, and some starts lead there: whether an equilibrium lies there is not said",
                &hint,
            );
        }
    }

    /// Lists zeros of the equations, but those that singular coordinates make.
    fn describe_all<'p>(
        &mut self,
        problem: &Problem<'_, 'p>,
        unknowns: &Unknowns,
        equations: &Equations<'p>,
        zeros: Vec<(Zero, bool)>,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut derivatives = match problem.free.is_empty() {
            true => Some(Derivatives::new(problem.setting)?),
            false => None,
        };
        let mut hidden = 0;
        for (zero, family) in zeros {
            if self.list.len() == MAX_LISTED {
                break;
            }
            if let Some(d) = derivatives.as_mut()
                && problem.is_apparent(&zero, d)
            {
                hidden += 1;
                continue;
            }
            let one = problem.describe(unknowns, equations, derivatives.as_mut(), zero, family)?;
            self.list.push(one);
        }
        if hidden > 0 {
            self.warn(
                Code::SingularCoordinates,
                format!(
                    "{hidden} zeros of the equations lie at singular points of the coordinates and are left out: the motion does not rest near them"
                ),
                "choose other coordinates if there may be an equilibrium there",
            );
        }
        Ok(())
    }
}

fn no_numbers() -> Vec<Diagnostic> {
    refused(
        Code::NotFinite,
        "the equations of equilibrium have no numbers",
        "give values to all parameters, and definitions to undetermined functions",
    )
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
