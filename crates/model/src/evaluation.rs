//! Every quantity of a model at one state, in doubles.

use galilei_expr::{Expr, Rational};
use galilei_linear::solve;

use crate::code::Code;
use crate::constrained::ConstraintRow;
use crate::contents::{Enforcement, Part};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::{doubles, undetermined};
use crate::state::State;

/// Every quantity at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// t
    pub time: f64,
    /// xⁱ
    pub position: Vec<f64>,
    /// uⁱ
    pub velocity: Vec<f64>,
    /// ∂²L/∂u∂u
    pub mass_matrix: Vec<Vec<f64>>,
    /// −g⁻¹∂T/∂u at u = 0; `None` where L has no split.
    pub reference_field: Option<Vec<f64>>,
    /// T; `None` where L has no split.
    pub kinetic_energy: Option<f64>,
    /// V; `None` where L has no split.
    pub potential_energy: Option<f64>,
    /// L
    pub lagrangian: f64,
    /// uⁱ∂L/∂uⁱ − L
    pub hamiltonian: f64,
    /// ∂L/∂uⁱ
    pub momentum: Vec<f64>,
    /// Σ Fᵢ
    pub force: Vec<f64>,
    /// u̇ⁱ
    pub acceleration: Vec<f64>,
    /// ṗᵢ
    pub momentum_rate: Vec<f64>,
    /// −∂L/∂t + uⁱFᵢ, and the power of the reactions
    pub energy_rate: f64,
    /// The constraints, if there are any.
    pub constraints: Option<EvaluatedConstraints>,
}

/// The constraints at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedConstraints {
    /// Their names.
    pub names: Vec<String>,
    /// fᵃ; of constraints that restrict accelerations sᵃ(ξ̃).
    pub residual: Vec<f64>,
    /// λ_a, which multiply ∂fᵃ/∂uⁱ, ∂fᵃ/∂xⁱ between positions, ṡᵃᵢ of constraints that restrict accelerations, or the
    /// covector of the reaction; `None` where the connection enforces the constraint.
    pub multipliers: Vec<Option<f64>>,
    /// The covector of all reactions, for ideal ones λ_a∂fᵃ/∂uⁱ.
    pub reaction: Vec<f64>,
}

impl Model {
    /// T and V: the sums of the declared contributions, with a quadratic `lagrangian` split at
    /// R = 0. `None` where no split exists.
    pub fn split(&self) -> Option<(Expr<'_>, Expr<'_>)> {
        let (mut t, mut v) = (self.part(Part::Kinetic), self.part(Part::Potential));
        let l = self.part(Part::Lagrangian);
        if !l.is_zero() {
            let state = self.state_space();
            let l = galilei_mechanics::Lagrangian::new(&state, l);
            let rest = galilei_mechanics::ReferenceField::resting(state.base());
            let parts = l.recover(&rest)?;
            let u = state.velocities();
            t += Rational::new(1, 2) * parts.metric.pair(u, u);
            v += parts.potentials.scalar;
        }
        Some((t, v))
    }

    /// Every quantity at a state.
    pub fn evaluate<'p>(&'p self, state: &State<'p>) -> Result<Evaluation, Vec<Diagnostic>> {
        let names = self.contents().coordinates.iter().map(|c| c.name.clone());
        let rows = self.constraint_rows();
        let hint = || match self.offer(state) {
            Some(near) => {
                let moved = self
                    .initial_state()
                    .is_ok_and(|start| start.time != state.time);
                let time = match moved {
                    true => format!("t = {}, ", state.time.evaluate_f64(&[])),
                    false => String::new(),
                };
                format!(
                    "the nearest state on the constraints: --at \"{time}{near}\"; runs start there with --project"
                )
            }
            None => "choose a state on which the constraints hold".into(),
        };
        self.evaluate_system(
            &self.system(),
            self.split(),
            &rows,
            names.collect(),
            state,
            hint,
        )
    }

    /// Every quantity in another chart, at a state given in that chart. Entries that the text does
    /// not give come from the initial state, carried over; from 0 if there is none.
    pub fn evaluate_in_chart(&self, name: &str, text: &str) -> Result<Evaluation, Vec<Diagnostic>> {
        let chart = self.chart(name).map_err(|d| vec![d])?;
        let system = self.system();
        let (change, moved) = self.in_chart(&system, chart);
        let state = self.state_in_chart(name, text)?;
        let map = change.prolonged();
        let split = self
            .split()
            .map(|(t, v)| (map.pullback(&t), map.pullback(&v)));
        let rows = self.constraint_rows_in_chart(chart);
        let hint = || "choose a state on which the constraints hold".into();
        self.evaluate_system(
            &moved,
            split,
            &rows,
            chart.coordinates.clone(),
            &state,
            hint,
        )
    }

    fn evaluate_system<'p>(
        &'p self,
        system: &galilei_mechanics::System<'p>,
        split: Option<(Expr<'p>, Expr<'p>)>,
        rows: &[ConstraintRow<'p>],
        names: Vec<String>,
        state: &State<'p>,
        hint: impl Fn() -> String,
    ) -> Result<Evaluation, Vec<Diagnostic>> {
        let pool = self.pool();
        let space = system.state();
        let n = space.degrees_of_freedom();
        let (x, u) = (space.base().positions(), space.velocities());
        let formulas = formulas(system, split, rows);
        if let Some(f) = undetermined(&formulas) {
            let d = Diagnostic::error(
                Code::UndeterminedFunction,
                format!("the function `{f}` is undetermined: there are no numbers"),
                format!("write `let {f}(…) = …` instead of `function {f}(…)`"),
                None,
            );
            return Err(vec![d]);
        }
        let mut values = self.parameter_values()?;
        values.push((space.time(), state.time));
        values.extend(x.iter().copied().zip(state.position.iter().copied()));
        values.extend(u.iter().copied().zip(state.velocity.iter().copied()));
        let problems = self.judge_state(rows, &values, "this state", hint);
        // In another chart symbols mean something else.
        let own = space == &self.state_space();
        let point = |d: Diagnostic| if own { self.at_culprit(d, &values) } else { d };
        if !problems.is_empty() {
            return Err(problems.into_iter().map(point).collect());
        }
        let numbers = doubles(pool, &formulas, &values);
        if let Some(k) = numbers.iter().position(Option::is_none) {
            let d = Diagnostic::error(
                Code::NotDefinedAtState,
                format!("{} is not defined at this state", name_of(k, n)),
                "the state lies on a singularity of the chart or of a force",
                None,
            );
            return Err(vec![point(d)]);
        }
        let numbers = Numbers::new(
            n,
            split.is_some(),
            rows.len(),
            numbers.into_iter().flatten(),
        );
        let (acceleration, multipliers) = self.accelerations(&numbers)?;
        let reaction: Vec<f64> = (0..n)
            .map(|i| {
                let pairs = numbers.rows.iter().zip(&multipliers);
                pairs.map(|(r, l)| l * r.covector[i]).sum::<f64>()
            })
            .collect();
        let residual = (rows.iter().zip(&numbers.rows))
            .map(|(r, found)| match r.residual {
                Some(_) => found.rest[1],
                None => {
                    let products = found.row.iter().zip(&acceleration);
                    products.fold(found.rest[0], |sum, (j, a)| j.mul_add(*a, sum))
                }
            })
            .collect();
        let reference_field = numbers.energies.as_ref().and_then(|(_, slope)| {
            let opposite: Vec<f64> = slope.iter().map(|s| 0.0 - s).collect();
            solve(&numbers.mass_matrix, &opposite).ok()
        });
        let here: Vec<Expr<'_>> = std::iter::once(space.time())
            .chain(x.iter().copied())
            .chain(u.iter().copied())
            .collect();
        let place = doubles(pool, &here, &values).into_iter();
        let place: Vec<f64> = place.map(|v| v.unwrap_or(f64::NAN)).collect();
        Ok(Evaluation {
            coordinates: names,
            time: place[0],
            position: place[1..=n].to_vec(),
            velocity: place[1 + n..].to_vec(),
            reference_field,
            kinetic_energy: numbers.energies.as_ref().map(|e| e.0[0]),
            potential_energy: numbers.energies.as_ref().map(|e| e.0[1]),
            lagrangian: numbers.lagrangian,
            hamiltonian: numbers.hamiltonian,
            momentum_rate: (0..n)
                .map(|i| numbers.slopes[i] + numbers.force[i] + reaction[i])
                .collect(),
            acceleration,
            energy_rate: numbers.energy_rate
                + (0..n).map(|i| reaction[i] * place[1 + n + i]).sum::<f64>(),
            constraints: (!rows.is_empty()).then(|| EvaluatedConstraints {
                names: rows.iter().map(|r| r.name.clone()).collect(),
                residual,
                multipliers: (rows.iter().zip(multipliers))
                    .map(|(r, l)| (r.enforcement != Enforcement::Connection).then_some(l))
                    .collect(),
                reaction,
            }),
            mass_matrix: numbers.mass_matrix,
            momentum: numbers.momentum,
            force: numbers.force,
        })
    }

    /// Accelerations and multipliers: [g −Cᵀ; J 0]·[a; λ] = [f; −d].
    fn accelerations(&self, numbers: &Numbers) -> Result<(Vec<f64>, Vec<f64>), Vec<Diagnostic>> {
        let (n, m) = (numbers.mass_matrix.len(), numbers.rows.len());
        let mut full: Vec<Vec<f64>> = numbers.mass_matrix.clone();
        let mut side = numbers.right.clone();
        for (i, line) in full.iter_mut().enumerate() {
            line.extend(numbers.rows.iter().map(|r| 0.0 - r.covector[i]));
        }
        for r in &numbers.rows {
            let none = std::iter::repeat_n(0.0, m);
            full.push(r.row.iter().copied().chain(none).collect());
            side.push(0.0 - r.rest[0]);
        }
        let Ok(solution) = solve(&full, &side) else {
            let free = m > 0 && solve(&numbers.mass_matrix, &numbers.right).is_ok();
            if free && let Some(d) = self.cannot_enforce(" at this state") {
                return Err(vec![d]);
            }
            let d = match free {
                true => Diagnostic::error(
                    Code::ConstrainedDynamicsNotUnique,
                    "the constraints do not determine the motion at this state",
                    "this happens for indefinite kinetic energies only",
                    None,
                ),
                false => Diagnostic::error(
                    Code::DegenerateLagrangianAtState,
                    "the mass matrix ∂²L/∂u∂u is singular at this state: the accelerations are not determined",
                    "choose another state or another chart",
                    None,
                ),
            };
            return Err(vec![d]);
        };
        Ok((solution[..n].to_vec(), solution[n..].to_vec()))
    }
}

/// The formulas that are evaluated at a state, in the order in which [`Numbers`] reads them.
fn formulas<'p>(
    system: &galilei_mechanics::System<'p>,
    split: Option<(Expr<'p>, Expr<'p>)>,
    rows: &[ConstraintRow<'p>],
) -> Vec<Expr<'p>> {
    let space = system.state();
    let (pool, u) = (space.pool(), space.velocities());
    let lagrangian = system.lagrangian();
    let l = lagrangian.function();
    let force = system.total_force();
    let mut list: Vec<Expr<'p>> = Vec::new();
    list.extend(lagrangian.mass_matrix().rows().iter().flatten());
    list.extend(lagrangian.momenta());
    list.extend(force.components());
    list.extend(lagrangian.right_hand_side(&force));
    list.extend(l.gradient(space.base().positions()));
    list.extend([l, lagrangian.energy(), system.energy_rate()]);
    if let Some((t, v)) = split {
        let at_rest: Vec<(Expr<'p>, Expr<'p>)> = u.iter().map(|&u| (u, pool.zero())).collect();
        list.extend([t, v]);
        list.extend(pool.substitute_all(&t.gradient(u), &at_rest));
    }
    for r in rows {
        list.extend(&r.row);
        list.extend(&r.covector);
        list.extend([r.drift, r.residual.unwrap_or(pool.zero())]);
    }
    list
}

/// The values of [`formulas`] at a state.
struct Numbers {
    mass_matrix: Vec<Vec<f64>>,
    momentum: Vec<f64>,
    force: Vec<f64>,
    /// The right-hand side f of g·a = f.
    right: Vec<f64>,
    /// ∂L/∂x.
    slopes: Vec<f64>,
    lagrangian: f64,
    hamiltonian: f64,
    energy_rate: f64,
    /// T and V, and ∂T/∂u at u = 0.
    energies: Option<(Vec<f64>, Vec<f64>)>,
    rows: Vec<Row>,
}

impl Numbers {
    fn new(n: usize, has_split: bool, rows: usize, mut rest: impl Iterator<Item = f64>) -> Self {
        let mut take = |k: usize| rest.by_ref().take(k).collect::<Vec<f64>>();
        let mass_matrix = (0..n).map(|_| take(n)).collect();
        let (momentum, force, right, slopes) = (take(n), take(n), take(n), take(n));
        let energies = take(3);
        Self {
            mass_matrix,
            momentum,
            force,
            right,
            slopes,
            lagrangian: energies[0],
            hamiltonian: energies[1],
            energy_rate: energies[2],
            energies: has_split.then(|| (take(2), take(n))),
            rows: (0..rows)
                .map(|_| Row {
                    row: take(n),
                    covector: take(n),
                    rest: take(2),
                })
                .collect(),
        }
    }
}

/// A constraint in numbers.
struct Row {
    row: Vec<f64>,
    covector: Vec<f64>,
    /// The part without accelerations, and the residual.
    rest: Vec<f64>,
}

/// The name of a quantity, by its index.
fn name_of(k: usize, n: usize) -> &'static str {
    match k {
        _ if k < n * n => "the mass matrix",
        _ if k < n * n + n => "the momentum",
        _ if k < n * n + 2 * n => "the force",
        _ if k < n * n + 4 * n => "the equation of motion",
        _ => "the energy",
    }
}
