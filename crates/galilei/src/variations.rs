//! How a motion changes with its start and with parameters: state-transition matrices, sensitivities,
//! adjoints.

use galilei_expr::Expr;
use galilei_model::{Diagnostic, Model};

/// The symbols of some parameters.
pub(crate) fn named<'p>(
    model: &'p Model,
    names: &[String],
) -> Result<Vec<Expr<'p>>, Vec<Diagnostic>> {
    let parameters = model.contents().parameters;
    let find = |name: &String| {
        let found = parameters.iter().find(|p| p.name == *name);
        found.map(|p| p.symbol).ok_or_else(|| {
            let known: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            Diagnostic::error(
                "unknown_parameter",
                format!("there is no parameter `{name}` to differentiate by"),
                match known.as_slice() {
                    [] => "the model has no parameters".to_owned(),
                    list => format!("there are {}", list.join(", ")),
                },
                None,
            )
        })
    };
    let (mut symbols, mut errors) = (Vec::new(), Vec::new());
    for name in names {
        match find(name) {
            Ok(symbol) => symbols.push(symbol),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(symbols)
    } else {
        Err(errors)
    }
}
