//! From a model to equations with exact constants.

use galilei_expr::{Expr, Program};
use galilei_mechanics::{Force, Lagrangian};
use galilei_model::{Code, Diagnostic, Model};

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
}

/// A condition that states must satisfy.
pub(crate) struct Level<'p> {
    pub(crate) name: String,
    /// f(t, x) or f(t, x, u).
    pub(crate) function: Expr<'p>,
}

/// A refusal.
pub(crate) fn not_available(what: &str, hint: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(Code::NotAvailable, what, hint, None)]
}

fn unsupported(why: &Unsupported) -> Vec<Diagnostic> {
    let hint = match why {
        Unsupported::Symbol(s) => format!("give it with --set {s}=…"),
        Unsupported::Undetermined(f) => {
            format!("write `let {f}(…) = …` instead of `function {f}(…)`")
        }
        _ => "run without --certify and --precision".to_owned(),
    };
    not_available(&format!("the motion cannot be certified: {why}"), &hint)
}

impl<'p> Problem<'p> {
    /// The problem of a model in which some parameters stay symbols.
    pub(crate) fn new(model: &'p Model, kept: &[Expr<'p>]) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        if contents.hamiltonian.as_ref().is_some_and(|h| h.implicit) {
            return Err(not_available(
                "a motion in (x, p) cannot be certified yet",
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
        let rows = model.constraint_rows();
        let n = state.degrees_of_freedom();
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
        let outputs = with_values(&outputs);
        let outputs = outputs.iter().map(|e| Program::new(&[*e], &inputs).ok());
        let mut constraints = Vec::new();
        for c in &rows {
            for f in c.residual.into_iter().chain(c.rate) {
                constraints.push(Level {
                    name: c.name.clone(),
                    function: with_values(&[f])[0],
                });
            }
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
        })
    }
}
