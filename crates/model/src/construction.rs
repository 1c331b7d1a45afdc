//! The two constructions of constrained motion for a model: the ideal reaction on the state space,
//! and, where the constraints can be solved for velocities, the reduced system on J¹_σ.

use galilei_expr::{Expr, ExprId};
use galilei_geometry::Matrix;
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedSystem, Constraint, Inadmissible, NotSolved,
    ReducedSystem, SolvedForm, System,
};

use crate::code::Code;
use crate::constrained::covector_in_chart;
use crate::contents::{Chart, Level};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::doubles;
use crate::size::term_count;
use crate::state::State;

/// Up to this many choices of dependent velocities all are compared; beyond, one is found by
/// elimination.
const MAX_COMPARED_CHOICES: usize = 300;
/// Choices that are tried until the constraints have a solution in formulas.
const MAX_TRIED_CHOICES: usize = 8;

/// Minors below this, relative to the largest, do not determine velocities.
const SINGULAR_MINOR: f64 = 1e-10;

/// Minors above this, relative to the largest, are well-conditioned.
const WELL_CONDITIONED_MINOR: f64 = 1e-3;
/// Constraints up to which minors are written out.
const MAX_ROWS_FOR_MINORS: usize = 3;

/// The constructions of the constrained motion of a model.
#[derive(Clone, Debug)]
pub struct Constructions<'p> {
    /// The system and its constraints on the state space. (T-82)
    pub constrained: ConstrainedSystem<'p>,
    /// The reduced system on J¹_σ, or why the constraints were not solved for velocities. (T-71)
    pub reduced: Result<ReducedSystem<'p>, NotSolved>,
}

impl<'p> Constructions<'p> {
    /// The constructions with reactions along covectors: J¹_σ has the ideal reaction alone.
    fn reacting(mut self, along: Vec<Option<Vec<Expr<'p>>>>) -> Self {
        if along.iter().any(Option::is_some) {
            self.reduced = Err(NotSolved::NotIdeal);
        }
        self.constrained = self.constrained.with_reactions(along);
        self
    }
}

/// The sizes of velocities by their own inertia at a state, √mᵢᵢ, or 1 where that is no positive number. Minors divided by
/// them do not depend on units.
pub fn inertia_scales<'p>(mass: &Matrix<'p>, at: &dyn Fn(Expr<'p>) -> Option<f64>) -> Vec<f64> {
    let diagonal = mass.rows().iter().enumerate();
    diagonal
        .map(|(i, row)| match at(row[i]) {
            Some(m) if m > 0.0 => m.sqrt(),
            _ => 1.0,
        })
        .collect()
}

/// Moves a choice of dependent velocities whose minor is constant to the front, the first that is well-conditioned: its
/// solved form is regular everywhere, which is worth more than the largest minor at one state. The choices come in
/// descending order of their minors.
pub fn prefer_constant<T>(
    choices: &mut [T],
    minor: impl Fn(&T) -> f64,
    is_constant: impl Fn(&T) -> bool,
) {
    let largest = choices.iter().map(&minor).fold(0.0, f64::max);
    let fair = |c: &T| minor(c) >= WELL_CONDITIONED_MINOR * largest && is_constant(c);
    if let Some(k) = choices.iter().position(fair) {
        choices[..=k].rotate_right(1);
    }
}

impl Model {
    /// The constraints as mechanics has them; `None` if there are none.
    pub fn codistribution<'p>(
        &'p self,
        system: &System<'p>,
    ) -> Option<Result<AdmissibleCodistribution<'p>, Inadmissible>> {
        let list = self.constraint_list();
        (!list.is_empty())
            .then(|| AdmissibleCodistribution::new(system.state(), list, &self.assumptions()))
    }

    /// Both constructions for a system of this model, which may be written in another way than the
    /// model's own; `None` if there are no constraints.
    pub fn constructions<'p>(
        &'p self,
        system: &System<'p>,
    ) -> Option<Result<Constructions<'p>, Inadmissible>> {
        let state = self.initial_state().ok();
        self.constructions_at(system, state.as_ref())
    }

    /// Both constructions, with the dependent velocities and the sheet of a nonlinear constraint chosen at a given
    /// state.
    pub fn constructions_at<'p>(
        &'p self,
        system: &System<'p>,
        state: Option<&State<'p>>,
    ) -> Option<Result<Constructions<'p>, Inadmissible>> {
        let found = self.codistribution(system)?;
        Some(found.map(|d| {
            let found = self.construct(system, d, &self.contents().dependent, state);
            found.reacting(self.reaction_covectors(system))
        }))
    }

    /// A constrained system with the reactions of the model, in the model's own chart.
    pub fn reacting<'p>(&'p self, constrained: ConstrainedSystem<'p>) -> ConstrainedSystem<'p> {
        let along = self.reaction_covectors(constrained.system());
        constrained.with_reactions(along)
    }

    /// Both constructions in another declared chart. The dependent velocities are chosen anew.
    pub fn constructions_in_chart<'p>(
        &'p self,
        chart: &Chart<ExprId>,
        system: &System<'p>,
    ) -> Option<Result<Constructions<'p>, Inadmissible>> {
        let (change, _) = self.in_chart(&self.system(), chart);
        let map = change.prolonged();
        let list: Vec<Constraint<'p>> = self
            .contents()
            .constraints
            .iter()
            .map(|f| match f.level {
                Level::Position => Constraint::Position(map.pullback(&self.expr(f.function))),
                Level::Velocity => Constraint::Velocity(map.pullback(&self.expr(f.function))),
                Level::Acceleration => {
                    Constraint::Form(map.pullback(&self.own_form(f, change.old_state())))
                }
            })
            .collect();
        if list.is_empty() {
            return None;
        }
        let d = AdmissibleCodistribution::new(system.state(), list, &self.assumptions());
        Some(d.map(|d| {
            let along = self.reaction_covectors(&self.system()).into_iter();
            let along = along.map(|c| c.map(|c| covector_in_chart(&change, &c)));
            let found = self.construct(system, d, &[], None);
            found.reacting(along.collect())
        }))
    }

    /// The constraints of the model as mechanics has them.
    pub(crate) fn constraint_list(&self) -> Vec<Constraint<'_>> {
        let list = self.contents().constraints.iter();
        let state = self.state_space();
        list.map(|f| match f.level {
            Level::Position => Constraint::Position(self.expr(f.function)),
            Level::Velocity => Constraint::Velocity(self.expr(f.function)),
            Level::Acceleration => Constraint::Form(self.own_form(f, &state)),
        })
        .collect()
    }

    /// The velocities for which some constraints are solved: the declared ones as far as possible, at the initial
    /// state.
    pub(crate) fn dependent_of<'p>(
        &'p self,
        system: &System<'p>,
        codistribution: &AdmissibleCodistribution<'p>,
    ) -> Vec<usize> {
        let state = self.initial_state().ok();
        let values = state.and_then(|s| self.symbol_values(system, &s));
        let at = |e: Expr<'p>| doubles(self.pool(), &[e], values.as_deref()?)[0];
        let choices = self.choices(system, codistribution, &self.contents().dependent, &at);
        choices.into_iter().next().unwrap_or_default()
    }

    /// Both constructions for some constraints: the velocities in `declared` are taken as dependent where that is
    /// possible at the state.
    pub fn construct<'p>(
        &'p self,
        system: &System<'p>,
        codistribution: AdmissibleCodistribution<'p>,
        declared: &[usize],
        state: Option<&State<'p>>,
    ) -> Constructions<'p> {
        let values = state.and_then(|s| self.symbol_values(system, s));
        let pool = self.pool();
        let at = |e: Expr<'p>| doubles(pool, &[e], values.as_deref()?)[0];
        let off = |e: Expr<'p>, u: Expr<'p>| Some((at(e)? - at(u)?).abs());
        // The root that is the velocity at the state; the upper one if there are no numbers.
        let sheet = |u: Expr<'p>, roots: [Expr<'p>; 2]| match (off(roots[0], u), off(roots[1], u)) {
            (Some(upper), Some(lower)) if lower < upper => roots[1],
            _ => roots[0],
        };
        let mut reduced = Err(NotSolved::NoFormula);
        let choices = self.choices(system, &codistribution, declared, &at);
        for (k, choice) in choices.iter().take(MAX_TRIED_CHOICES).enumerate() {
            let solved = SolvedForm::of(&codistribution, choice, &sheet, &self.assumptions());
            match solved {
                Ok(form) => {
                    reduced = Ok(ReducedSystem::new(system.clone(), form));
                    break;
                }
                // The reason given is that of the best choice.
                Err(why) if k == 0 => reduced = Err(why),
                Err(_) => {}
            }
        }
        Constructions {
            constrained: ConstrainedSystem::new(system.clone(), codistribution),
            reduced,
        }
    }

    /// Values for parameters, time, positions and velocities.
    pub fn symbol_values<'p>(
        &'p self,
        system: &System<'p>,
        state: &State<'p>,
    ) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
        let space = system.state();
        let mut values = self.parameter_values().ok()?;
        values.push((space.time(), state.time));
        let x = space.base().positions().iter().copied();
        values.extend(x.zip(state.position.iter().copied()));
        let u = space.velocities().iter().copied();
        values.extend(u.zip(state.velocity.iter().copied()));
        Some(values)
    }

    /// Choices of dependent velocities, the best first: those with the declared ones, and among them
    /// by |det ∂f/∂u_dep| at the state, velocities measured by their own inertia so that units do not
    /// matter. If nothing is declared, a fair choice whose determinant is constant comes first.
    fn choices<'p>(
        &'p self,
        system: &System<'p>,
        codistribution: &AdmissibleCodistribution<'p>,
        declared: &[usize],
        at: &dyn Fn(Expr<'p>) -> Option<f64>,
    ) -> Vec<Vec<usize>> {
        let n = system.state().degrees_of_freedom();
        let c = codistribution.count();
        let generic = codistribution.admissible().minor.1.clone();
        let rows = codistribution.vertical();
        let scale = inertia_scales(&system.lagrangian().mass_matrix(), at);
        let numbers: Option<Vec<Vec<f64>>> = rows
            .rows()
            .iter()
            .map(|row| (0..n).map(|i| Some(at(row[i])? / scale[i])).collect())
            .collect();
        let anywhere = || {
            let mut list = self.by_formula(codistribution);
            list.push(generic.clone());
            if declared.len() == c {
                list.insert(0, declared.to_vec());
            }
            list
        };
        let Some(numbers) = numbers else {
            return anywhere();
        };
        let sets = subsets(n, c);
        let Some(sets) = sets else {
            return vec![pivots(&numbers, declared), generic.clone()];
        };
        let mut judged: Vec<(usize, f64, Vec<usize>)> = sets
            .into_iter()
            .map(|set| {
                let kept = declared.iter().filter(|d| set.contains(d)).count();
                let block: Vec<Vec<f64>> = numbers
                    .iter()
                    .map(|row| set.iter().map(|&k| row[k]).collect())
                    .collect();
                (kept, galilei_linear::determinant(block).abs(), set)
            })
            .collect();
        let largest = judged.iter().fold(0.0_f64, |m, j| m.max(j.1));
        // A choice that is singular here is none, whatever was declared.
        judged.retain(|j| j.1 > SINGULAR_MINOR * largest);
        if judged.is_empty() {
            return anywhere();
        }
        judged.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let symbols = codistribution.state().chart().coordinates();
        let everywhere = |set: &[usize]| {
            let block = rows.rows().iter();
            let block = block.map(|row| set.iter().map(|&k| row[k]).collect());
            let det = Matrix::new(self.pool(), block.collect()).determinant();
            !symbols.iter().any(|&s| det.contains(s))
        };
        if declared.is_empty() && c <= MAX_ROWS_FOR_MINORS {
            prefer_constant(&mut judged, |j| j.1, |j| everywhere(&j.2));
        }
        judged.into_iter().map(|j| j.2).collect()
    }

    /// Choices of dependent velocities without a state: the determinant ∂f/∂u_dep is a constant, or never zero, or
    /// short.
    fn by_formula<'p>(&'p self, codistribution: &AdmissibleCodistribution<'p>) -> Vec<Vec<usize>> {
        let state = codistribution.state();
        let (n, c) = (state.degrees_of_freedom(), codistribution.count());
        let Some(sets) = subsets(n, c).filter(|_| c <= MAX_ROWS_FOR_MINORS) else {
            return vec![];
        };
        let rows = codistribution.vertical();
        let symbols = state.chart().coordinates();
        let assumptions = self.assumptions();
        let constants = self.known_constants();
        let judged = sets.into_iter().filter_map(|set| {
            let block = rows.rows().iter();
            let block = block.map(|row| set.iter().map(|&k| row[k]).collect());
            let det = Matrix::new(self.pool(), block.collect()).determinant();
            if det.is_zero() || det.decide_zero().is_proved() {
                return None;
            }
            let safe = || {
                let fixed = det.substitute(&constants);
                fixed.decide_never_zero(&assumptions).is_proved()
            };
            let quality = match det.contains_any(symbols) {
                false => 0,
                true if safe() => 1,
                true => 2,
            };
            Some((quality, term_count(vec![det]), set))
        });
        let mut judged: Vec<(u8, usize, Vec<usize>)> = judged.collect();
        judged.sort();
        judged.into_iter().map(|j| j.2).collect()
    }

    /// Errors of the `dependent` statement.
    pub(crate) fn judge_dependent(&self, out: &mut Vec<Diagnostic>) {
        let c = self.contents();
        let (Some(span), false) = (c.dependent_span, c.dependent.is_empty()) else {
            return;
        };
        if c.constraints.len() < c.dependent.len() {
            let count = c.constraints.len();
            out.push(Diagnostic::error(
                Code::TooManyDependent,
                format!(
                    "{} velocities are called dependent, but there {} {count} constraint{}",
                    c.dependent.len(),
                    if count == 1 { "is" } else { "are" },
                    if count == 1 { "" } else { "s" }
                ),
                "each constraint determines one velocity from the others",
                span,
            ));
            return;
        }
        let system = self.system();
        let (Some(Ok(d)), Ok(state)) = (self.codistribution(&system), self.initial_state()) else {
            return;
        };
        let Some(values) = self.symbol_values(&system, &state) else {
            return;
        };
        let at = |e| doubles(self.pool(), &[e], &values)[0];
        let choices = self.choices(&system, &d, &c.dependent, &at);
        let Some(best) = choices.first() else {
            return;
        };
        if c.dependent.iter().any(|d| !best.contains(d)) {
            let name = |k: &usize| format!("{}'", c.coordinates[*k].name);
            let own: Vec<String> = best.iter().map(name).collect();
            let asked: Vec<String> = c.dependent.iter().map(name).collect();
            out.push(Diagnostic::warning(
                Code::DependentNotDetermined,
                format!(
                    "the constraints do not determine {} from the other velocities at the initial state",
                    asked.join(", ")
                ),
                format!("the solved form is written for {} instead", own.join(", ")),
                span,
            ));
        }
    }
}

/// The subsets of 0 … n−1 with c members, unless there are too many.
fn subsets(n: usize, c: usize) -> Option<Vec<Vec<usize>>> {
    let mut lists: Vec<Vec<usize>> = vec![vec![]];
    for left in (0..c).rev() {
        lists = lists
            .iter()
            .flat_map(|l| {
                let start = l.last().map_or(0, |k| k + 1);
                let end = n.saturating_sub(left);
                (start..end).map(move |k| [l.as_slice(), &[k]].concat())
            })
            .collect();
        if lists.len() > MAX_COMPARED_CHOICES {
            return None;
        }
    }
    Some(lists)
}

/// Columns by elimination with the largest pivots, the declared ones first.
fn pivots(rows: &[Vec<f64>], declared: &[usize]) -> Vec<usize> {
    let mut a = rows.to_vec();
    let (c, n) = (a.len(), a.first().map_or(0, Vec::len));
    let mut chosen: Vec<usize> = Vec::new();
    for k in 0..c {
        let free = |j: &usize| !chosen.contains(j);
        let wanted = declared.iter().copied().filter(free).collect::<Vec<_>>();
        let all = (0..n).filter(free).collect::<Vec<_>>();
        let best = |columns: &[usize]| {
            let places = columns.iter().flat_map(|&j| (k..c).map(move |i| (i, j)));
            places.max_by(|x, y| a[x.0][x.1].abs().total_cmp(&a[y.0][y.1].abs()))
        };
        let largest = a[k..].iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let usable = |(i, j): &(usize, usize)| a[*i][*j].abs() > SINGULAR_MINOR * largest;
        let Some((i, j)) = best(&wanted).filter(usable).or_else(|| best(&all)) else {
            break;
        };
        a.swap(i, k);
        chosen.push(j);
        for i in k + 1..c {
            let factor = a[i][j] / a[k][j];
            if !factor.is_finite() {
                continue;
            }
            for l in 0..n {
                let t = a[k][l];
                a[i][l] -= factor * t;
            }
        }
    }
    chosen.sort_unstable();
    chosen
}
