//! From a model to equations with exact constants.

use galilei_expr::{Expr, Program};
use galilei_mechanics::{Force, Lagrangian};
use galilei_model::{Code, Diagnostic, Model, refused};

use crate::jets::{Equations, Rate};
use crate::tape::{Builder, Reg, Unsupported};

/// A model in exact numbers: its equations of motion, events and outputs.
pub(crate) struct Problem<'p> {
    pub(crate) equations: Equations,
    /// The registers of the events.
    pub(crate) events: Vec<Reg>,
    /// The events as expressions with values for constant parameters.
    pub(crate) event_expressions: Vec<Expr<'p>>,
    /// The outputs with values for constant parameters; `None` for those that use multipliers.
    pub(crate) outputs: Vec<Option<Program>>,
    /// The symbols (t, x, u) and of the parameters that are intervals.
    pub(crate) inputs: Vec<Expr<'p>>,
    /// The constraints at their levels, with values for constant parameters.
    pub(crate) constraints: Vec<Level<'p>>,
    /// The mass matrix, the right-hand sides and the rows of the constraints with values for constant parameters.
    pub(crate) formulas: Vec<Expr<'p>>,
    /// Cᵃᵢuⁱ of each constraint with values: times the multiplier, the power of its reaction.
    pub(crate) reaction_rates: Vec<Expr<'p>>,
    /// Energies, work and outputs, where they were asked for.
    pub(crate) followed: Option<Followed>,
}

/// The name of a constraint without its component: a constraint between tuples has one row per component.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// A condition that states must satisfy.
pub(crate) struct Level<'p> {
    pub(crate) name: String,
    /// f(t, x) or f(t, x, u).
    pub(crate) function: Expr<'p>,
    /// The place of its constraint among all.
    pub(crate) constraint: usize,
    /// Whether it restricts positions.
    pub(crate) of_positions: bool,
}

/// Registers that are followed along a run in many digits.
pub(crate) struct Followed {
    /// uⁱ∂L/∂uⁱ − L
    pub(crate) energy: Reg,
    /// −∂L/∂t + uⁱFᵢ
    pub(crate) power: Reg,
    /// The energy and L together: a scale of energies.
    pub(crate) scale: Reg,
    /// Cᵃᵢuⁱ of each constraint: times the multiplier, the power of its reaction.
    pub(crate) reaction_rates: Vec<Reg>,
    /// The functions of [`Problem::constraints`].
    pub(crate) residuals: Vec<Reg>,
    /// The names of constraints that outputs may mention, each with the places of its constraints.
    pub(crate) members: Vec<(String, Vec<usize>)>,
    /// The outputs as functions of (t, x, u), then of the multiplier and of the norm of the reaction of each name.
    pub(crate) outputs: Vec<Option<Program>>,
}

/// A refusal.
pub(crate) fn not_available(what: &str, hint: &str) -> Vec<Diagnostic> {
    refused(Code::NotAvailable, what, hint)
}

fn unsupported(why: &Unsupported) -> Vec<Diagnostic> {
    let hint = match why {
        Unsupported::Symbol(s) => format!("give it with --set {s}=…"),
        Unsupported::Undetermined(f) => {
            format!("write `let {f}(…) = …` instead of `function {f}(…)`")
        }
        _ => "run without --certify and --precision".to_owned(),
    };
    not_available(
        &format!("the motion cannot be enclosed or computed in more digits: {why}"),
        &hint,
    )
}

impl<'p> Problem<'p> {
    /// The problem of a model in which some parameters stay symbols; `follows` says whether energies and work are
    /// wanted.
    pub(crate) fn new(
        model: &'p Model,
        kept: &[Expr<'p>],
        follows: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        if contents.hamiltonian.as_ref().is_some_and(|h| h.implicit) {
            return Err(not_available(
                "a motion in (x, p) cannot be enclosed or computed in more digits yet",
                "give a Lagrangian, or a Hamiltonian whose velocities can be solved for the momenta",
            ));
        }
        let values = model.values_but(kept)?;
        let pool = model.pool();
        let with_values = |list: &[Expr<'p>]| pool.substitute_all(list, &values);
        let system = model.system();
        let state = system.state();
        let function = with_values(&[system.lagrangian().function()])[0];
        let lagrangian = Lagrangian::new(state, function);
        let force = Force::new(state, with_values(system.total_force().components()));
        let mass = lagrangian.mass_matrix();
        let right = lagrangian.right_hand_side(&force);
        let mut formulas: Vec<Expr<'p>> = mass.rows().concat();
        formulas.extend(&right);
        let rows = model.constraint_rows();
        let n = state.degrees_of_freedom();
        let mut reaction_rates = vec![];
        for c in &rows {
            let parts = c.row.iter().chain(&c.covector).chain([&c.drift]);
            formulas.extend(with_values(&parts.copied().collect::<Vec<_>>()));
            let u = state.velocities();
            let rate = pool.sum(c.covector.iter().zip(u).map(|(&j, &u)| j * u));
            reaction_rates.extend(with_values(&[rate]));
        }
        let mut inputs = vec![state.time()];
        inputs.extend(state.base().positions());
        inputs.extend(state.velocities());
        inputs.extend(kept);
        let mut builder = Builder::new(&inputs, 1 + 2 * n);
        let mut register = |e: Expr<'p>| builder.expr(e).map_err(|why| unsupported(&why));
        let mut matrix = Vec::new();
        for (i, row) in mass.rows().iter().enumerate() {
            for &g in row {
                matrix.push(register(g)?);
            }
            for c in &rows {
                matrix.push(register(-with_values(&[c.covector[i]])[0])?);
            }
        }
        for c in &rows {
            for e in with_values(&c.row) {
                matrix.push(register(e)?);
            }
            for _ in &rows {
                matrix.push(register(pool.zero())?);
            }
        }
        let mut sides = Vec::new();
        for e in right {
            sides.push(register(e)?);
        }
        for c in &rows {
            sides.push(register(-with_values(&[c.drift])[0])?);
        }
        let events: Vec<Expr<'p>> = contents
            .events
            .iter()
            .map(|e| model.expr(e.value))
            .collect();
        let event_expressions = with_values(&events);
        let events: Result<Vec<Reg>, _> = event_expressions.iter().map(|e| register(*e)).collect();
        let events = events?;
        let outputs: Vec<Expr<'p>> = contents
            .outputs
            .iter()
            .map(|o| model.expr(o.value))
            .collect();
        let values_of_outputs = with_values(&outputs);
        let outputs = values_of_outputs
            .iter()
            .map(|e| Program::new(&[*e], &inputs).ok());
        let mut constraints = Vec::new();
        for (k, c) in rows.iter().enumerate() {
            for (f, of_positions) in [(c.residual, c.rate.is_some()), (c.rate, false)] {
                constraints.extend(f.map(|f| Level {
                    name: c.name.clone(),
                    function: with_values(&[f])[0],
                    constraint: k,
                    of_positions,
                }));
            }
        }
        let mut followed = None;
        if follows {
            let (energy, power, function) = match &contents.phase {
                None => {
                    let lagrangian = system.lagrangian();
                    let power = system.energy_rate();
                    (lagrangian.energy(), power, lagrangian.function())
                }
                // Along Hamilton's equations H is the energy, and no reaction does work.
                Some(phase) => {
                    let [a, b, c] = [phase.energy, phase.power, phase.lagrangian];
                    (model.expr(a), model.expr(b), model.expr(c))
                }
            };
            let [energy, power, scale] = with_values(&[energy, power, energy + function])[..]
            else {
                return Err(vec![]);
            };
            let own = reaction_rates.iter().filter(|_| contents.phase.is_none());
            let rates: Result<Vec<Reg>, _> = own.map(|&rate| register(rate)).collect();
            let mut members: Vec<(String, Vec<usize>)> = vec![];
            for name in rows.iter().flat_map(|c| [stem(&c.name), &c.name]) {
                if members.iter().all(|m| m.0 != name) {
                    let of = |k: &usize| rows[*k].name == name || stem(&rows[*k].name) == name;
                    members.push((name.to_owned(), (0..rows.len()).filter(of).collect()));
                }
            }
            let mut all = inputs.clone();
            for word in ["multiplier", "reaction"] {
                let symbols = members
                    .iter()
                    .map(|m| pool.symbol(&format!("{word}({})", m.0)));
                all.extend(symbols);
            }
            let residuals: Result<Vec<Reg>, _> =
                constraints.iter().map(|c| register(c.function)).collect();
            followed = Some(Followed {
                energy: register(energy)?,
                power: register(power)?,
                scale: register(scale)?,
                reaction_rates: rates?,
                residuals: residuals?,
                members,
                outputs: (values_of_outputs.iter())
                    .map(|e| Program::new(&[*e], &all).ok())
                    .collect(),
            });
        }
        let rates = (0..n).map(|i| Rate::State(n + i));
        Ok(Self {
            equations: Equations {
                rates: rates.chain((0..n).map(Rate::Unknown)).collect(),
                tape: builder.finish(),
                matrix,
                right: sides,
                parameters: kept.len(),
            },
            events,
            event_expressions,
            outputs: outputs.collect(),
            inputs,
            constraints,
            formulas,
            reaction_rates,
            followed,
        })
    }
}
