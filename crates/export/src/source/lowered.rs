//! Source files of the equations of motion of a model.

use galilei_expr::{Expr, ExprId};
use galilei_lower::{Form, Parameters, lower};
use galilei_model::{Code, Diagnostic, Model, refused};
use galilei_tape::{Output, Reg};

use super::{Equations, Given, Language, Signals};

/// A source file with accelerations, mass matrix, energy, constraint reactions and Hamilton's right-hand side as
/// functions of state and parameters, and on request with the derivatives of the accelerations, which take up most of
/// a file. Parameters that the model computes from others stay computed from them.
///
/// ```
/// use galilei_export::source::{Language, export};
/// use galilei_model::{Settings, read};
/// let text = "param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let source = export(&model, Language::Python, false).unwrap();
/// assert!(source.contains("def accelerations(t, x, u, parameters=DEFAULTS):"));
/// assert!(!source.contains("def jacobian("));
/// ```
///
/// # Errors
/// Where a value is missing, the model has no numbers, or the file would be too long.
pub fn export(
    model: &Model,
    language: Language,
    jacobian: bool,
) -> Result<String, Vec<Diagnostic>> {
    let equations = Equations::new(model, jacobian, false, Given::All)?;
    equations.source(language).ok_or_else(|| {
        let hint = match jacobian {
            true => "leave out the derivatives (--jacobian), or give smaller constants with --set",
            false => "export is for systems of moderate size; give smaller constants with --set",
        };
        refused(
            Code::TooLarge,
            format!("the file would have {} statements", equations.length()),
            hint,
        )
    })
}

impl Equations {
    /// The equations of a model, with its parameters as inputs; with the derivatives of the accelerations if `jacobian`,
    /// and if `outputs` the outputs that do not use multipliers. Where the model was read with increments of its inputs,
    /// inputs can be given.
    ///
    /// # Errors
    /// Where a value is missing, or the model has no numbers.
    pub fn new(
        model: &Model,
        jacobian: bool,
        outputs: bool,
        given: Given,
    ) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let numbers = model.parameter_values()?;
        let symbols: Vec<ExprId> = contents.parameters.iter().map(|p| p.symbol).collect();
        let symbols = model.exprs(&symbols);
        let increments = contents.inputs.iter().filter_map(|i| i.increment);
        let increments: Vec<ExprId> = increments.collect();
        let free: Vec<_> = contents
            .parameters
            .iter()
            .filter(|p| {
                p.value
                    .is_some_and(|v| !model.expr(v).contains_any(&symbols))
                    && !increments.contains(&p.symbol)
            })
            .collect();
        let own: Vec<Expr<'_>> = free.iter().map(|p| model.expr(p.symbol)).collect();
        let kept = [&own[..], &model.exprs(&increments)].concat();
        model.smooth_motion_for("`export`")?;
        let lowered = lower(model, Form::Closed, Parameters::Inputs(&kept))?;
        let problem = &lowered.problem;
        let (tape, rates) = (&problem.tape, &problem.rates);
        let (n, size) = (rates.dimension, rates.unknowns);
        let block: Vec<Reg> = (0..n * n)
            .map(|k| rates.matrix[k / n * size + k % n])
            .collect();
        let system: Vec<Reg> = rates.matrix.iter().chain(&rates.right).copied().collect();
        let hamilton = tape.hamilton(rates, problem.lagrangian, &lowered.force);
        let value = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&[]);
        let coordinates = contents.coordinates.iter();
        let parameters = free.iter();
        let constraints = model.constraint_rows().into_iter();
        Ok(Self {
            title: model.title().to_owned(),
            coordinates: coordinates
                .map(|c| (c.name.clone(), c.unit.clone()))
                .collect(),
            parameters: parameters
                .map(|p| (p.name.clone(), value(model.expr(p.symbol)), p.unit.clone()))
                .collect(),
            constraints: constraints.map(|c| c.name).collect(),
            system: tape.code(&system),
            mass: hamilton.is_none().then(|| tape.code(&block)),
            energy: tape.code(&[problem.energy]),
            hamilton: hamilton.map(|h| (h.momenta, h.rates)),
            signals: Signals::new(model, &own, given)?,
            slopes: jacobian.then(|| tape.jacobian(rates).parts),
            outputs: outputs.then(|| {
                let registers: Vec<Reg> = (problem.outputs.iter())
                    .filter_map(|o| match *o {
                        Output::Register(r) => Some(r),
                        Output::OfMultipliers(_) => None,
                    })
                    .collect();
                tape.code(&registers)
            }),
        })
    }
}
