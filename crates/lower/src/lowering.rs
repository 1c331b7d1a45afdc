//! From a model to a problem: expressions with numbers for parameters, then registers.

use std::sync::Arc;

use galilei_expr::{Expr, ExprId};
use galilei_mechanics::{Force, Lagrangian, StateSpace, System};
use galilei_model::{
    Code, ConstraintRow, Contents, Diagnostic, Direction, Enforcement, Model, refused,
};
use galilei_tape::{
    Branch, Builder, ConstraintLevels, Event, MultiplierOutputs, Output, Problem, Reg, Tape,
    Unsupported,
};

use crate::canonical::{CanonicalField, not_available};
use crate::enforcement;
use crate::equations::{Border, Equations, Form};
use crate::factored::factored;
use crate::followed::Followed;
use crate::multipliers::Mentions;
use crate::reduced::{ReducedEquations, offset};
use crate::stopwatch::Stopwatch;

/// A model in numbers: its problem, and the names of what the problem speaks of.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The equations of motion and what is followed along a motion.
    pub problem: Problem,
    /// The components of the force as functions of (t, x, u); Hamilton's equations want them.
    pub force: Arc<Tape>,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// Hamilton's equations, if the run is one in (x, p): the state of the problem is (x, p, ẋ, ṗ) then.
    pub canonical: Option<CanonicalField>,
    /// Seconds from the model to its equations, energies, events and outputs as expressions.
    pub derive_seconds: f64,
    /// Seconds from those to the tape.
    pub compile_seconds: f64,
}

impl Lowered {
    /// The problem with numbers for the parameters that are inputs: see [`Parameters::Inputs`].
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        let mut closed = self.clone();
        if !values.is_empty() {
            closed.problem = self.problem.with_fixed(values);
            closed.force = Arc::new(self.force.with_fixed(values));
        }
        closed
    }
}

/// The role of the parameters of a model on the tape.
#[derive(Clone, Copy, Debug, Default)]
pub enum Parameters<'a, 'p> {
    /// All parameters are constants of the tape.
    #[default]
    Constant,
    /// The motion can be differentiated by its start and by these; the others are constants.
    Differentiated(&'a [Expr<'p>]),
    /// The given parameters are inputs of the tape behind the state; the others are constants.
    Inputs(&'a [Expr<'p>]),
}

impl<'a, 'p> Parameters<'a, 'p> {
    /// The parameters that are no constants.
    pub fn list(self) -> &'a [Expr<'p>] {
        match self {
            Self::Constant => &[],
            Self::Differentiated(list) | Self::Inputs(list) => list,
        }
    }
}

/// The diagnostic of an expression without a value in numbers.
pub fn no_numbers(why: &Unsupported) -> Vec<Diagnostic> {
    let (code, hint) = match why {
        Unsupported::Undetermined(f) => (
            Code::UndeterminedFunction,
            format!("write `let {f}(…) = …` instead of `function {f}(…)`"),
        ),
        Unsupported::Symbol(s) => (Code::MissingValue, format!("give it with --set {s}=…")),
        _ => (
            Code::NotFinite,
            "check the model for divisions by zero".into(),
        ),
    };
    refused(code, format!("there are no numbers: {why}"), hint)
}

/// Lowers the motion of a model, with the reactions of its constraints.
///
/// # Errors
/// Where a parameter has no value, or something in the model has no numbers.
pub fn lower<'p>(
    model: &'p Model,
    form: Form,
    parameters: Parameters<'_, 'p>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let implicit = |h: &galilei_model::Hamiltonian<ExprId>| h.implicit;
    if model.contents().hamiltonian.as_ref().is_some_and(implicit) {
        return Err(not_available("this command"));
    }
    if model.has_contacts() {
        return Err(model.contacts_not_available("one smooth motion"));
    }
    let started = Stopwatch::start();
    let lowering = Lowering::new(model, parameters)?;
    let followed = lowering.followed();
    let force = lowering.force();
    let equations = lowering.equations(form, &force);
    let derive_seconds = started.seconds();
    let started = Stopwatch::start();
    let contents = lowering.contents;
    let problem = lowering
        .problem(&followed, &equations)
        .map_err(|why| no_numbers(&why))?;
    let force = lowering.tape(&lowering.inputs(), force.components());
    let event_names = lowering.event_names(&problem);
    Ok(Lowered {
        problem,
        canonical: None,
        force: Arc::new(force.map_err(|why| no_numbers(&why))?),
        coordinates: (contents.coordinates.iter())
            .map(|c| c.name.clone())
            .collect(),
        output_names: contents.outputs.iter().map(|o| o.name.clone()).collect(),
        event_names,
        derive_seconds,
        compile_seconds: started.seconds(),
    })
}

/// A model on its way to a problem.
pub(crate) struct Lowering<'a, 'p> {
    pub(crate) model: &'p Model,
    pub(crate) contents: &'p Contents<ExprId>,
    pub(crate) system: System<'p>,
    pub(crate) constraints: Vec<ConstraintRow<'p>>,
    pub(crate) mentions: Mentions<'p>,
    parameters: Parameters<'a, 'p>,
    /// The values of the parameters that are constants.
    values: Vec<(Expr<'p>, Expr<'p>)>,
    /// The values of all parameters, if the motion is differentiated by some.
    numbers: Vec<(Expr<'p>, Expr<'p>)>,
}

impl<'a, 'p> Lowering<'a, 'p> {
    pub(crate) fn new(
        model: &'p Model,
        parameters: Parameters<'a, 'p>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let constraints = model.constraint_rows();
        Ok(Self {
            mentions: Mentions::new(model, &constraints),
            values: model.values_but(parameters.list())?,
            numbers: match parameters {
                Parameters::Differentiated(_) => model.parameter_values()?,
                _ => vec![],
            },
            system: model.system(),
            model,
            contents,
            constraints,
            parameters,
        })
    }

    pub(crate) fn state(&self) -> &StateSpace<'p> {
        self.system.state()
    }

    /// Expressions with numbers for the parameters that are constants.
    pub(crate) fn with_values(&self, list: &[Expr<'p>]) -> Vec<Expr<'p>> {
        self.model.pool().substitute_all(list, &self.values)
    }

    /// The constraints, if reactions do work. Ideal reactions of constraints homogeneous in the velocities do
    /// none. (T-93)
    fn working_constraints(&self) -> &[ConstraintRow<'p>] {
        let idle = |c: &ConstraintRow<'p>| {
            c.enforcement == Enforcement::Ideal
                && offset(self.state(), c).is_some_and(|offset| offset.is_zero())
        };
        match self.constraints.iter().all(idle) {
            true => &[],
            false => &self.constraints,
        }
    }

    /// The quantities that are followed along a motion.
    pub(crate) fn followed(&self) -> Followed<Expr<'p>> {
        let lagrangian = self.system.lagrangian();
        let energy = lagrangian.energy();
        let u = self.state().velocities();
        let rate = |c: &ConstraintRow<'p>| {
            let products = c.covector.iter().zip(u).map(|(&j, &u)| j * u);
            self.model.pool().sum(products)
        };
        let residuals = |c: &ConstraintRow<'p>| c.residual.into_iter().chain(c.rate);
        let outputs = self
            .contents
            .outputs
            .iter()
            .map(|o| self.model.expr(o.value));
        let followed = Followed {
            energy,
            power: self.system.energy_rate(),
            lagrangian: lagrangian.function(),
            action_rate: energy + lagrangian.function(),
            reaction_rates: self.working_constraints().iter().map(rate).collect(),
            residuals: self.constraints.iter().flat_map(residuals).collect(),
            // Events that use multipliers follow the equations of motion.
            events: (self.contents.events.iter())
                .map(|e| self.model.expr(e.value))
                .map(|e| match self.mentions.are_in(e) {
                    true => self.model.pool().zero(),
                    false => e,
                })
                .collect(),
            outputs: outputs.filter(|o| !self.mentions.are_in(*o)).collect(),
        };
        let followed = match &self.contents.phase {
            None => followed,
            // Along Hamilton's equations H is the energy, and no reaction does work.
            Some(phase) => {
                let [energy, power, lagrangian] =
                    [phase.energy, phase.power, phase.lagrangian].map(|e| self.model.expr(e));
                Followed {
                    energy,
                    power,
                    lagrangian,
                    action_rate: energy + lagrangian,
                    reaction_rates: vec![],
                    ..followed
                }
            }
        };
        let mut followed = followed.with(self.with_values(&followed.list()));
        followed.power = factored(followed.power);
        followed
    }

    /// The force of the equations of motion.
    pub(crate) fn force(&self) -> Force<'p> {
        let force = self.system.total_force();
        Force::new(self.state(), self.with_values(force.components()))
    }

    /// The equations of motion in a form.
    fn equations(&self, form: Form, force: &Force<'p>) -> Equations<'p> {
        let function = self.with_values(&[self.system.lagrangian().function()])[0];
        let lagrangian = Lagrangian::new(self.state(), function);
        let row = |c: &ConstraintRow<'p>| Border {
            row: self.with_values(&c.row),
            covector: self.with_values(&c.covector),
            right: self.with_values(&[-c.drift])[0],
        };
        let rows = self.constraints.iter().map(row).collect();
        let reducible = matches!(form, Form::Reduced | Form::Shortest | Form::ForRuns)
            && self.working_constraints().is_empty();
        let reduced = reducible.then(|| {
            ReducedEquations::new(
                self.model,
                &self.constraints,
                &self.values,
                &lagrangian,
                force,
            )
        });
        let framed = !self.contents.frames.is_empty();
        Equations::new(&lagrangian, force, rows, reduced.flatten(), (form, framed))
    }

    /// The inputs of a tape: (t, x, u).
    pub(crate) fn inputs(&self) -> Vec<Expr<'p>> {
        let state = self.state();
        let mut inputs = vec![state.time()];
        inputs.extend(state.base().positions());
        inputs.extend(state.velocities());
        inputs
    }

    /// A builder that knows inputs, and the parameters that are no constants.
    pub(crate) fn builder(&self, inputs: &[Expr<'p>]) -> Builder {
        let mut builder = Builder::new(inputs);
        if !self.contents.frames.is_empty() {
            builder.group_sums();
        }
        for &p in self.parameters.list() {
            match self.parameters {
                Parameters::Inputs(_) => builder.fixed(p),
                _ => builder.parameter(p, p.substitute(&self.numbers).evaluate_f64(&[])),
            }
        }
        builder
    }

    /// A tape whose outputs are expressions.
    pub(crate) fn tape(
        &self,
        inputs: &[Expr<'p>],
        outputs: &[Expr<'p>],
    ) -> Result<Tape, Unsupported> {
        let mut builder = self.builder(inputs);
        let registers: Result<Vec<Reg>, _> = outputs.iter().map(|&e| builder.expr(e)).collect();
        Ok(builder.finish(registers?))
    }

    /// The problem: all quantities and the equations of motion on one tape.
    fn problem(
        &self,
        followed: &Followed<Expr<'p>>,
        equations: &Equations<'p>,
    ) -> Result<Problem, Unsupported> {
        let mut builder = self.builder(&self.inputs());
        let list = followed.list().into_iter().map(|e| builder.expr(e));
        let mut registers = followed.with(list.collect::<Result<Vec<Reg>, _>>()?);
        let rates = equations.rates(&mut builder)?;
        self.events_of_multipliers(&mut registers.events, &mut builder)?;
        let mut events = self.events(&registers, &mut builder);
        let felt = enforcement::determinant(self.model, &mut builder, &rates)?;
        // A number never crosses zero.
        if let Some(register) = felt.filter(|r| !builder.is_number(*r)) {
            events.push(Event {
                register,
                direction: 0,
                terminal: true,
                branch: Some(Branch::Crossed),
            });
        }
        Ok(Problem {
            bounded: vec![],
            tape: Arc::new(builder.finish(vec![])),
            rates: Arc::new(rates),
            energy: registers.energy,
            power: registers.power,
            lagrangian: registers.lagrangian,
            scale: vec![
                registers.energy,
                registers.lagrangian,
                registers.action_rate,
            ],
            levels: self.levels(&registers),
            events,
            outputs: self.outputs(&registers),
            multiplier_outputs: self.multiplier_outputs()?,
            reaction_rates: registers.reaction_rates,
            residuals: registers.residuals,
        })
    }

    /// The registers of the residuals by constraints.
    fn levels(&self, registers: &Followed<Reg>) -> Vec<ConstraintLevels> {
        let mut rest = registers.residuals.as_slice();
        let mut next = || {
            let (first, others) = rest.split_first()?;
            rest = others;
            Some(*first)
        };
        let level = |c: &ConstraintRow<'p>| ConstraintLevels {
            position: c.rate.and_then(|_| next()),
            velocity: c.residual.and_then(|_| next()),
        };
        // Where every state is admitted, nothing is brought back.
        match registers.residuals.is_empty() {
            true => vec![],
            false => self.constraints.iter().map(level).collect(),
        }
    }

    /// The events of the model, with their registers.
    pub(crate) fn declared_events(&self, registers: &[Reg]) -> Vec<Event> {
        let pairs = self.contents.events.iter().zip(registers);
        let declared = pairs.map(|(e, &register)| Event {
            register,
            direction: match e.direction {
                Direction::Rising => 1,
                Direction::Falling => -1,
                Direction::Both => 0,
            },
            terminal: e.terminal,
            branch: e.branch.map(|b| match b {
                galilei_model::Branch::Crossed => Branch::Crossed,
                galilei_model::Branch::Touched => Branch::Touched,
            }),
        });
        declared.collect()
    }

    /// The events of the model, and the branch points of its constraints between positions, which are watched by the
    /// rank of their rows.
    fn events(&self, registers: &Followed<Reg>, builder: &mut Builder) -> Vec<Event> {
        let declared = self.declared_events(&registers.events);
        let branch_point = (!self.branching().is_empty()).then(|| Event {
            register: builder.number(1.0),
            direction: 0,
            terminal: true,
            branch: Some(Branch::Rank),
        });
        declared.into_iter().chain(branch_point).collect()
    }

    /// The registers of events that use multipliers, which are computed on the tape then.
    fn events_of_multipliers(
        &self,
        registers: &mut [Reg],
        builder: &mut Builder,
    ) -> Result<(), Unsupported> {
        let values = self
            .contents
            .events
            .iter()
            .map(|e| self.model.expr(e.value));
        let late: Vec<_> = values
            .enumerate()
            .filter(|(_, e)| self.mentions.are_in(*e))
            .collect();
        if late.is_empty() {
            return Ok(());
        }
        let lagrangian = self.system.lagrangian();
        let mass = lagrangian.mass_matrix();
        let right = lagrangian.right_hand_side(&self.system.total_force());
        let mut list: Vec<Expr<'p>> = mass.rows().iter().flatten().copied().collect();
        list.extend(right);
        for c in &self.constraints {
            list.extend(&c.row);
            list.extend(&c.covector);
            list.push(-c.drift);
        }
        let list = self.with_values(&list).into_iter();
        let list: Result<Vec<Reg>, _> = list.map(|e| builder.expr(e)).collect();
        let found = enforcement::multipliers(
            self.model,
            builder,
            &list?,
            (self.state().degrees_of_freedom(), self.constraints.len()),
        )?;
        for (c, r) in self.constraints.iter().zip(found) {
            let symbol = self.model.pool().symbol(&format!("multiplier({})", c.name));
            builder.define(symbol, r);
        }
        for (k, e) in late {
            let pool = self.model.pool();
            let e = pool.substitute_all(&self.with_values(&[e]), &self.mentions.synonyms())[0];
            registers[k] = builder.expr(e)?;
        }
        Ok(())
    }

    /// The names of constraints between positions whose rows may lose their rank.
    fn branching(&self) -> Vec<&str> {
        let inputs = self.inputs();
        let bent = |c: &&ConstraintRow<'p>| {
            c.rate.is_some() && c.row.iter().any(|e| e.contains_any(&inputs))
        };
        let constraints = self.constraints.iter().filter(bent);
        constraints.map(|c| c.name.as_str()).collect()
    }

    /// The names of [`Self::events`], and of the point where reactions that are not ideal are not felt.
    fn event_names(&self, problem: &Problem) -> Vec<String> {
        let declared = self.contents.events.iter().map(|e| e.name.clone());
        let branching = self.branching();
        let branch_point =
            (!branching.is_empty()).then(|| format!("branch point of {}", branching.join(", ")));
        let mut names: Vec<String> = declared.chain(branch_point).collect();
        if problem.events.len() > names.len() {
            let driven = |c: &&ConstraintRow<'p>| c.enforcement != Enforcement::Ideal;
            let driven = self.constraints.iter().filter(driven);
            let driven: Vec<&str> = driven.map(|c| c.name.as_str()).collect();
            names.push(format!("singular reaction of {}", driven.join(", ")));
        }
        names
    }

    /// The registers in which each output is computed.
    fn outputs(&self, registers: &Followed<Reg>) -> Vec<Output> {
        let mut by_register = registers.outputs.iter().map(|r| Output::Register(*r));
        let mut by_multipliers = (0..).map(Output::OfMultipliers);
        let place = |value| match self.mentions.are_in(value) {
            true => by_multipliers.next(),
            false => by_register.next(),
        };
        let values = self
            .contents
            .outputs
            .iter()
            .map(|o| self.model.expr(o.value));
        values.filter_map(place).collect()
    }

    /// The code of outputs that mention multipliers or reactions.
    fn multiplier_outputs(&self) -> Result<Option<MultiplierOutputs>, Unsupported> {
        let values = self
            .contents
            .outputs
            .iter()
            .map(|o| self.model.expr(o.value));
        let values: Vec<Expr<'p>> = values.filter(|e| self.mentions.are_in(*e)).collect();
        if values.is_empty() {
            return Ok(None);
        }
        let pool = self.model.pool();
        let values = pool.substitute_all(&self.with_values(&values), &self.mentions.synonyms());
        let mut inputs = self.inputs();
        inputs.extend(self.mentions.inputs());
        Ok(Some(MultiplierOutputs {
            tape: Arc::new(self.tape(&inputs, &values)?),
            reactions: self.mentions.reactions(),
        }))
    }
}
