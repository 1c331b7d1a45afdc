//! The equations of motion of a model as a source file of another language.

use galilei_expr::Expr;
use galilei_lower::Form;
use galilei_model::{Code, Diagnostic, Model};
use galilei_report::export::{Exported, Language};
use galilei_tape::Reg;

use crate::motion::compile_open;

/// The language of a name: rust, c, python, julia.
///
/// # Errors
/// Where there is no export to it.
pub fn language(name: &str) -> Result<Language, Vec<Diagnostic>> {
    Language::named(name).ok_or_else(|| {
        vec![Diagnostic::error(
            Code::UnknownLanguage,
            format!("there is no export to `{name}`"),
            "there are rust, c, python and julia",
            None,
        )]
    })
}

/// A source file with accelerations, mass matrix, energy, constraint reactions, Hamilton's right-hand side and
/// derivatives of the accelerations, as functions of state and parameters. Parameters that the model
/// computes from others stay computed from them.
///
/// ```
/// use galilei::{Settings, export, language, read};
/// let text = "param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let source = export(&model, language("python").unwrap()).unwrap();
/// assert!(source.contains("def accelerations(t, x, u, parameters=DEFAULTS):"));
/// ```
///
/// # Errors
/// Where a value is missing, the model has no numbers, or the file would be too long.
pub fn export(model: &Model, language: Language) -> Result<String, Vec<Diagnostic>> {
    let contents = model.contents();
    let numbers = model.parameter_values()?;
    let symbols: Vec<Expr<'_>> = contents.parameters.iter().map(|p| p.symbol).collect();
    let free: Vec<_> = contents
        .parameters
        .iter()
        .filter(|p| p.value.is_some_and(|v| !v.contains_any(&symbols)))
        .collect();
    let kept: Vec<Expr<'_>> = free.iter().map(|p| p.symbol).collect();
    let compiled = compile_open(model, &kept, Form::Closed)?;
    let (tape, rates) = (compiled.tape(), compiled.rates());
    let (n, size) = (rates.dimension, rates.unknowns);
    let block: Vec<Reg> = (0..n * n)
        .map(|k| rates.matrix[k / n * size + k % n])
        .collect();
    let system: Vec<Reg> = rates.matrix.iter().chain(&rates.right).copied().collect();
    let value = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&[]);
    let exported = Exported {
        title: model.title().to_owned(),
        coordinates: contents
            .coordinates
            .iter()
            .map(|c| (c.name.clone(), c.unit.clone()))
            .collect(),
        parameters: free
            .iter()
            .map(|p| (p.name.clone(), value(p.symbol), p.unit.clone()))
            .collect(),
        constraints: model
            .constraint_rows()
            .into_iter()
            .map(|c| c.name)
            .collect(),
        system: tape.code(&system),
        mass: tape.code(&block),
        energy: tape.code(&[compiled.energy()]),
        hamilton: compiled.hamilton_parts().map(|h| (h.momenta, h.rates)),
        slopes: tape.jacobian(rates).parts,
    };
    exported.source(language).ok_or_else(|| {
        vec![Diagnostic::error(
            Code::TooLarge,
            format!("the file would have {} statements", exported.length()),
            "export is for systems of moderate size; give smaller constants with --set",
            None,
        )]
    })
}
