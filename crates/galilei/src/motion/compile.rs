//! From a model to straight-line code.

use std::sync::Arc;
use std::time::Instant;

use galilei_expr::Expr;
use galilei_integrate::{Branch, Event, Late, Levels, Output, Problem};
use galilei_mechanics::{Force, Lagrangian};
use galilei_model::{ConstraintRow, Diagnostic, Direction, Model};
use galilei_tape::{Builder, Reg, Unsupported};

use super::Compiled;
use crate::equations::{Equations, Form};
use crate::factored::factored;
use crate::reduced::{ReducedEquations, offset};

fn no_numbers(why: &Unsupported) -> Vec<Diagnostic> {
    let (code, hint) = match why {
        Unsupported::Undetermined(f) => (
            "undetermined_function",
            format!("write `let {f}(…) = …` instead of `function {f}(…)`"),
        ),
        Unsupported::Symbol(s) => ("missing_value", format!("give it with --set {s}=…")),
        _ => ("not_finite", "check the model for divisions by zero".into()),
    };
    vec![Diagnostic::error(
        code,
        format!("there are no numbers: {why}"),
        hint,
        None,
    )]
}

/// `multiplier(NAME)` or `reaction(NAME)` in an output, and the constraints it means.
struct Special<'p> {
    symbol: Expr<'p>,
    norm: bool,
    members: Vec<usize>,
}

fn specials<'p>(model: &'p Model, constraints: &[ConstraintRow<'p>]) -> Vec<Special<'p>> {
    let pool = model.pool();
    let mut names: Vec<String> = Vec::new();
    for c in constraints {
        // A constraint between tuples has one row per component: `contact.x`.
        let stem = c.name.split('.').next().unwrap_or(&c.name).to_owned();
        for name in [stem, c.name.clone()] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let outputs = model.contents().outputs;
    let mut list = Vec::new();
    for name in names {
        let within =
            |c: &ConstraintRow<'p>| c.name == name || c.name.split('.').next() == Some(&name);
        let members: Vec<usize> = (0..constraints.len())
            .filter(|&k| within(&constraints[k]))
            .collect();
        for (word, norm) in [("reaction", true), ("multiplier", false)] {
            let symbol = pool.symbol(&format!("{word}({name})"));
            if !outputs.iter().any(|o| o.value.contains(symbol)) {
                continue;
            }
            list.push(Special {
                symbol,
                norm,
                members: members.clone(),
            });
        }
    }
    list
}

/// Compiles the motion of a model, with ideal reactions where it has constraints; parameters are folded in as constants.
pub fn compile(model: &Model) -> Result<Compiled, Vec<Diagnostic>> {
    compile_as(model, Form::Shorter)
}

/// The same with the equations of motion in a given form.
pub fn compile_as(model: &Model, form: Form) -> Result<Compiled, Vec<Diagnostic>> {
    compile_for(model, form, Kept::Nothing)
}

/// Compiles the motion of a model with its variations, also by some parameters.
///
/// # Errors
/// Where a parameter is unknown or has no value, or the model has no numbers.
pub fn compile_varied(model: &Model, parameters: &[String]) -> Result<Compiled, Vec<Diagnostic>> {
    let kept = crate::variations::named(model, parameters)?;
    compile_for(model, Form::Shorter, Kept::Varied(&kept))
}

/// Compiles the motion of a model with some parameters as inputs behind the state.
pub(crate) fn compile_open(
    model: &Model,
    parameters: &[Expr<'_>],
    form: Form,
) -> Result<Compiled, Vec<Diagnostic>> {
    compile_for(model, form, Kept::Open(parameters))
}

/// Parameters that are not folded in as constants.
#[derive(Clone, Copy)]
enum Kept<'a, 'p> {
    /// None.
    Nothing,
    /// Such by which the motion is differentiated.
    Varied(&'a [Expr<'p>]),
    /// Such that are inputs behind the state.
    Open(&'a [Expr<'p>]),
}

fn compile_for(
    model: &Model,
    form: Form,
    which: Kept<'_, '_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    let started = Instant::now();
    let kept = match which {
        Kept::Nothing => &[],
        Kept::Varied(list) | Kept::Open(list) => list,
    };
    let values = model.values_but(kept)?;
    let numbers = match which {
        Kept::Varied(_) => model.parameter_values()?,
        _ => vec![],
    };
    let value_of = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&[]);
    let contents = model.contents();
    let system = model.system();
    let state = system.state();
    let pool = model.pool();
    let lagrangian = system.lagrangian();
    let force = system.total_force();
    let constraints = model.constraint_rows();
    let mut list: Vec<Expr<'_>> = Vec::new();
    let energy = lagrangian.energy();
    list.extend([
        energy,
        system.energy_rate(),
        lagrangian.function(),
        energy + lagrangian.function(),
    ]);
    // Ideal reactions of constraints homogeneous in the velocities do no work. (T-93)
    let idle = |c: &ConstraintRow<'_>| offset(state, c).is_some_and(|s| s.is_zero());
    let working: &[ConstraintRow<'_>] = match constraints.iter().all(idle) {
        true => &[],
        false => &constraints,
    };
    let u = state.velocities();
    for c in working {
        list.push(pool.sum(c.row.iter().zip(u).map(|(&j, &u)| j * u)));
    }
    let residuals: Vec<Expr<'_>> = constraints
        .iter()
        .flat_map(|c| std::iter::once(c.residual).chain(c.rate))
        .collect();
    list.extend(&residuals);
    list.extend(contents.events.iter().map(|e| e.value));
    // Outputs with multipliers or reactions are computed behind the others.
    let special = specials(model, &constraints);
    let is_late = |e: &Expr<'_>| special.iter().any(|s| e.contains(s.symbol));
    let (late, early): (Vec<_>, Vec<_>) = contents.outputs.iter().partition(|o| is_late(&o.value));
    list.extend(early.iter().map(|o| o.value));
    let mut list = pool.substitute_all(&list, &values);
    list[1] = factored(list[1]);
    let numeric = pool.substitute_all(&[lagrangian.function()], &values)[0];
    let numeric = Lagrangian::new(state, numeric);
    let force = Force::new(state, pool.substitute_all(force.components(), &values));
    let rows: Vec<(Vec<Expr<'_>>, Expr<'_>)> = constraints
        .iter()
        .map(|c| {
            let right = pool.substitute_all(&[-c.drift], &values)[0];
            (pool.substitute_all(&c.row, &values), right)
        })
        .collect();
    let reduced = match (form, working) {
        (Form::Reduced | Form::Shorter, []) => {
            ReducedEquations::new(model, &constraints, &values, &numeric, &force)
        }
        _ => None,
    };
    let equations = Equations::new(&numeric, &force, rows, reduced, form);
    let derive_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut inputs = vec![state.time()];
    inputs.extend(state.base().positions());
    inputs.extend(state.velocities());
    let builder_of = |inputs: &[Expr<'_>]| {
        let mut builder = Builder::new(inputs);
        for &p in kept {
            match which {
                Kept::Open(_) => builder.fixed(p),
                _ => builder.parameter(p, value_of(p)),
            }
        }
        builder
    };
    let mut builder = builder_of(&inputs);
    let mut registers = Vec::with_capacity(list.len());
    for e in list {
        registers.push(builder.expr(e).map_err(|why| no_numbers(&why))?);
    }
    let mut rates = equations
        .rates(&mut builder)
        .map_err(|why| no_numbers(&why))?;
    if let Kept::Varied(_) = which {
        rates = equations
            .with_slopes(&mut builder, rates, kept)
            .map_err(|why| no_numbers(&why))?;
    }
    let mut rest = registers.into_iter();
    let four: Vec<Reg> = rest.by_ref().take(4).collect();
    let reaction_rates: Vec<Reg> = rest.by_ref().take(working.len()).collect();
    let residuals: Vec<Reg> = rest.by_ref().take(residuals.len()).collect();
    let mut each = residuals.iter().copied();
    let levels: Vec<Levels> = constraints
        .iter()
        .filter_map(|c| {
            let first = each.next()?;
            Some(match c.rate {
                None => Levels {
                    position: None,
                    velocity: first,
                },
                Some(_) => Levels {
                    position: Some(first),
                    velocity: each.next()?,
                },
            })
        })
        .collect();
    let events: Vec<Event> = contents
        .events
        .iter()
        .zip(rest.by_ref())
        .map(|(e, register)| Event {
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
        })
        .collect();
    // Branch points of constraints between positions are watched by the rank of their rows.
    let mut event_names: Vec<String> = contents.events.iter().map(|e| e.name.clone()).collect();
    let bent =
        |c: &&ConstraintRow<'_>| c.rate.is_some() && c.row.iter().any(|e| e.contains_any(&inputs));
    let bent: Vec<&str> = constraints
        .iter()
        .filter(bent)
        .map(|c| c.name.as_str())
        .collect();
    let mut events = events;
    if !bent.is_empty() {
        events.push(Event {
            register: builder.number(1.0),
            direction: 0,
            terminal: true,
            branch: Some(Branch::Rank),
        });
        event_names.push(format!("branch point of {}", bent.join(", ")));
    }
    let mut registers = rest;
    let mut lates = 0..;
    let outputs: Vec<Output> = contents
        .outputs
        .iter()
        .map(|o| match is_late(&o.value) {
            true => Output::Late(lates.next().unwrap_or(0)),
            false => Output::Register(registers.next().unwrap_or(0)),
        })
        .collect();
    let tape = builder.finish(vec![]);
    // Apart: only Hamilton's equations want them.
    let mut builder = builder_of(&inputs);
    let components = force.components().iter().map(|&f| builder.expr(f));
    let components: Vec<Reg> = components
        .collect::<Result<_, _>>()
        .map_err(|why| no_numbers(&why))?;
    let force = builder.finish(components);
    let late = if late.is_empty() {
        None
    } else {
        let groups: Vec<&Special<'_>> = special.iter().filter(|s| s.norm).collect();
        let lambdas: Vec<Expr<'_>> = constraints
            .iter()
            .map(|c| pool.symbol(&format!("multiplier({})", c.name)))
            .collect();
        inputs.extend(&lambdas);
        inputs.extend(groups.iter().map(|s| s.symbol));
        // A multiplier called by the name of its statement.
        let pairs: Vec<(Expr<'_>, Expr<'_>)> = special
            .iter()
            .filter(|s| !s.norm)
            .map(|s| (s.symbol, lambdas[s.members[0]]))
            .collect();
        let values_of: Vec<Expr<'_>> = late.iter().map(|o| o.value).collect();
        let exprs = pool.substitute_all(&pool.substitute_all(&values_of, &values), &pairs);
        let mut builder = builder_of(&inputs);
        let mut registers = Vec::new();
        for e in exprs {
            registers.push(builder.expr(e).map_err(|why| no_numbers(&why))?);
        }
        let reactions = groups.iter().map(|s| s.members.clone()).collect();
        Some(Late {
            tape: Arc::new(builder.finish(registers)),
            reactions,
        })
    };
    Ok(Compiled {
        problem: Problem {
            tape: Arc::new(tape),
            rates: Arc::new(rates),
            energy: four[0],
            power: four[1],
            lagrangian: four[2],
            reaction_rates,
            residuals,
            levels,
            scale: vec![four[0], four[2], four[3]],
            events,
            outputs,
            late,
            trail: false,
        },
        force,
        coordinates: contents
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect(),
        output_names: contents.outputs.iter().map(|o| o.name.clone()).collect(),
        event_names,
        derive_seconds,
        compile_seconds: started.elapsed().as_secs_f64(),
    })
}
