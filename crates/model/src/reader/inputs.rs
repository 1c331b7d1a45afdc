//! Inputs: signals with a unit, perhaps replaced from outside, perhaps with an increment.

use galilei_expr::Expr;
use galilei_syntax::{Declaration, Span};

use super::Reader;
use crate::code::Code;
use crate::contents::Input;
use crate::declarations::scale;
use crate::value::{Uses, Value};

impl<'p> Reader<'p, '_> {
    /// The value of an input, from that of its formula; without a formula it is zero.
    pub(super) fn input_value(
        &mut self,
        d: usize,
        name: &str,
        formula: Option<Value<'p>>,
    ) -> Option<Value<'p>> {
        let declaration: &Declaration = self.definitions[d].declaration;
        let input = self.definitions[d].input.as_ref()?;
        let (dimension, factor) = (input.dimension.clone(), scale(self, input.unit.as_ref()));
        let signal = self.signals.iter().find(|s| s.0 == name).cloned();
        let mut v = match (signal, formula, &declaration.value) {
            (Some((_, table)), ..) => {
                let interpolation = table.interpolation();
                // No function that the model can name.
                let f = self.pool.table(&format!("{name}#"), table);
                let span = declaration.name.span;
                let mut uses = Uses {
                    symbols: true,
                    state: Some(span),
                    ..Uses::default()
                };
                uses.note_table(interpolation, span);
                Value::scalar(f.at([self.time]), dimension.clone(), uses)
            }
            (None, Some(v), Some(e)) => {
                let (x, own) = self.scalar(&v, e)?;
                // A number takes the unit.
                let number = !v.uses.symbols && v.uses.state.is_none();
                if !number {
                    self.fits(&own, e, &dimension, "the input")?;
                }
                let x = if number { x * factor } else { x };
                Value::scalar(x, dimension.clone(), v.uses)
            }
            (None, None, Some(_)) => return None,
            (None, _, None) => Value::scalar(self.pool.zero(), dimension.clone(), Uses::default()),
        };
        if self.increments {
            let symbol = self.increment(name);
            v.parts[0] += symbol;
            v.uses.symbols = true;
        }
        Some(v)
    }

    /// The symbol that is added to an input.
    fn increment(&self, name: &str) -> Expr<'p> {
        self.pool.symbol(&format!("increment({name})"))
    }

    /// All inputs with their values, and their increments as parameters with the value zero.
    pub(crate) fn finished_inputs(&mut self) -> Vec<Input<Expr<'p>>> {
        let mut list = Vec::new();
        for d in 0..self.definitions.len() {
            let Some(input) = &self.definitions[d].input else {
                continue;
            };
            let dimension = input.dimension.clone();
            let declaration = self.definitions[d].declaration;
            let span: Span = declaration.name.span;
            let base = &declaration.name.text;
            let members: Vec<(Option<i64>, String)> = match self.definitions[d].range {
                None => vec![(None, base.clone())],
                Some((low, high)) => (low..=high)
                    .map(|k| (Some(k), format!("{base}[{k}]")))
                    .collect(),
            };
            for (index, name) in members {
                let Some(v) = self.defined(d, index, &name, span) else {
                    continue;
                };
                let increment = self.increments.then(|| self.increment(&name));
                if let Some(symbol) = increment {
                    self.parameters.push(super::Parameter {
                        name: symbol.to_string(),
                        symbol,
                        dimension: dimension.clone(),
                        unit: None,
                        scale: self.pool.one(),
                        value: Some(self.pool.zero()),
                        span,
                    });
                }
                list.push(Input {
                    name,
                    value: v.parts[0],
                    increment,
                    span,
                });
            }
        }
        let unknown: Vec<String> = (self.signals.iter())
            .filter(|s| !list.iter().any(|i| i.name == s.0))
            .map(|s| s.0.clone())
            .collect();
        for name in unknown {
            let known: Vec<&str> = list.iter().map(|i| i.name.as_str()).collect();
            let hint = match known.is_empty() {
                true => format!("declare it: `input {name}`"),
                false => format!("the inputs are {}", known.join(", ")),
            };
            self.error(
                Code::UnknownName,
                format!("`{name}` is no input of this model"),
                hint,
                None,
            );
        }
        list
    }
}
