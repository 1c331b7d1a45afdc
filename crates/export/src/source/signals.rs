//! Inputs of exported equations: values that replace the formulas of a model's inputs.

use galilei_expr::Expr;
use galilei_model::{Diagnostic, Model};
use galilei_tape::Builder;
use galilei_tape::code::Code;

/// Which inputs of a model can be given from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Those whose formula does not change with time and state.
    Constant,
    /// All inputs, except those in constraints and energies whose formula changes with time or state: the rates of a constraint
    /// contain the rate of its inputs, and the equations the derivatives of an energy, which a value alone does not give.
    All,
}

/// An input that can be given from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The name.
    pub name: String,
    /// The value of its formula, where that does not change with time and state.
    pub value: Option<f64>,
}

/// The inputs of equations, and what they add to the formulas.
#[derive(Clone, Debug)]
pub struct Signals {
    /// The inputs that can be given, in the order of the model.
    pub list: Vec<Signal>,
    /// The number of increments, one for each input of the model; they follow the parameters in all other codes.
    pub increments: usize,
    /// From (t, x, u, parameters, values of the inputs) the increments with which the inputs have these values.
    pub code: Code,
}

impl Signals {
    /// The inputs of a model that was read with increments; `None` without increments. `parameters` are the symbols that the
    /// codes have as inputs.
    ///
    /// # Errors
    /// Where a formula has no numbers.
    pub(super) fn new(
        model: &Model,
        parameters: &[Expr<'_>],
        given: Given,
    ) -> Result<Option<Self>, Vec<Diagnostic>> {
        let contents = model.contents();
        let all: Vec<(usize, Expr<'_>)> = (contents.inputs.iter().enumerate())
            .filter_map(|(k, i)| i.increment.map(|e| (k, model.expr(e))))
            .collect();
        if all.is_empty() {
            return Ok(None);
        }
        let symbols: Vec<Expr<'_>> = all.iter().map(|&(_, s)| s).collect();
        let values = model.values_but(&[parameters, &symbols].concat())?;
        let numbers = model.parameter_values()?;
        let varying = [&[model.time()][..], &model.positions(), &model.velocities()].concat();
        let rows = model.constraint_rows();
        let lagrangian = model.system().lagrangian().function();
        let differentiated = |symbol: Expr<'_>| {
            let parts = |e: &Expr<'_>| e.contains_any(&[symbol]);
            rows.iter().any(|r| {
                let functions = r.residual.iter().chain(&r.rate);
                (functions.chain(&r.row).chain([&r.drift])).any(parts)
            }) || lagrangian.contains_any(&[symbol])
        };
        let pool = model.pool();
        let (mut list, mut signals) = (Vec::new(), Vec::new());
        let mut open: Vec<(Expr<'_>, Option<Expr<'_>>, Expr<'_>)> = Vec::new();
        for &(k, symbol) in &all {
            let input = &contents.inputs[k];
            let formula = (model.expr(input.value) - symbol).substitute(&values);
            let constant = !formula.contains_any(&varying);
            let external = match given {
                Given::Constant => constant,
                Given::All => constant || !differentiated(symbol),
            };
            let signal = external.then(|| pool.symbol(&format!("value({})", input.name)));
            if let Some(signal) = signal {
                signals.push(signal);
                let value = constant.then(|| formula.substitute(&numbers).evaluate_f64(&[]));
                list.push(Signal {
                    name: input.name.clone(),
                    value,
                });
            }
            open.push((symbol, signal, formula));
        }
        // An input may use others, in any order but not in a circle.
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        while !open.is_empty() {
            let unknown: Vec<Expr<'_>> = open.iter().map(|o| o.0).collect();
            let (ready, left): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|o| !o.2.contains_any(&unknown));
            if ready.is_empty() {
                break;
            }
            for (symbol, signal, formula) in ready {
                let increment = match signal {
                    Some(signal) => signal - formula.substitute(&known),
                    None => pool.zero(),
                };
                known.push((symbol, increment));
            }
            open = left;
        }
        let increments: Vec<Expr<'_>> = (symbols.iter()).map(|s| s.substitute(&known)).collect();
        let inputs = [&varying, parameters, &signals].concat();
        let mut builder = Builder::new(&inputs);
        let registers: Result<Vec<_>, _> = increments.iter().map(|&e| builder.expr(e)).collect();
        let registers = registers.map_err(|why| galilei_lower::no_numbers(&why))?;
        let code = builder.finish(registers.clone()).code(&registers);
        Ok(Some(Self {
            list,
            increments: symbols.len(),
            code,
        }))
    }
}
