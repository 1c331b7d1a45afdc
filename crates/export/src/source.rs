//! Equations of motion as source files of other languages: straight-line code from a tape, with a small linear
//! solver and functions around it. The files have no dependencies.

mod dialect;
mod lowered;
mod signals;
mod tables;

use std::sync::Arc;

use galilei_expr::Table;
use galilei_tape::code::{Code, Instr, Value};

pub use dialect::{Language, UnknownLanguage};
pub use lowered::export;
pub use signals::{Given, Signal, Signals};

/// The contents of a source file. All codes take (t, x, u, parameters) unless stated otherwise; with `signals` the
/// parameters are followed by increments of the inputs.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The title of the system.
    pub title: String,
    /// Names of the coordinates, with their units.
    pub coordinates: Vec<(String, Option<String>)>,
    /// Names, default values and units of the parameters.
    pub parameters: Vec<(String, f64, Option<String>)>,
    /// Names of the constraints.
    pub constraints: Vec<String>,
    /// The matrix of the linear system for accelerations and multipliers, then its right-hand side.
    pub system: Code,
    /// The mass matrix, where `hamilton` does not have it.
    pub mass: Option<Code>,
    /// The energy.
    pub energy: Code,
    /// Where L is quadratic: from (t, x, parameters) the mass matrix and the momenta of u = 0; from (t, x, u,
    /// parameters, multipliers) the rates of the momenta.
    pub hamilton: Option<(Code, Code)>,
    /// The inputs that can be given from outside.
    pub signals: Option<Signals>,
    /// The outputs, where they are wanted.
    pub outputs: Option<Code>,
    /// From (t, x, u, parameters, unknowns) the matrix once more, and the derivatives of the residual with respect to
    /// t, x, u; the file then has a function for the derivatives of the accelerations.
    pub slopes: Option<Code>,
}

/// The most instructions of a source file: a compiler takes minutes for longer ones.
const MAX_INSTRUCTIONS: usize = 200_000;

/// A name that is valid in all languages.
pub(crate) fn identifier(title: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = title.chars().map(letter).collect();
    let words: Vec<&str> = name.split('_').filter(|w| !w.is_empty()).collect();
    match words.join("_") {
        name if name.is_empty() => "system".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("system_{name}"),
        name => name,
    }
}

impl Equations {
    /// The number of instructions of all codes.
    pub fn length(&self) -> usize {
        let hamilton = self.hamilton.iter().flat_map(|(a, b)| [a, b]);
        let codes = [&self.system, &self.energy].into_iter();
        let all = codes.chain(&self.mass).chain(&self.slopes);
        let all = all.chain(&self.outputs).chain(hamilton);
        let all = all.chain(self.signals.iter().map(|s| &s.code));
        let tables = tables::of_codes(all.clone());
        let data: usize = tables.iter().map(|t| t.knots().len()).sum();
        all.map(|code| code.instrs().len()).sum::<usize>() + data
    }

    /// The source file; `None` if it would be too long to be useful.
    pub fn source(&self, language: Language) -> Option<String> {
        self.written(language, false)
    }

    /// The C source inside of a unit, whose functions take the increments of the inputs behind the parameters; `None` if it
    /// would be too long to be useful.
    pub(crate) fn unit_source(&self) -> Option<String> {
        self.written(Language::C, true)
    }

    fn written(&self, language: Language, in_unit: bool) -> Option<String> {
        if self.length() > MAX_INSTRUCTIONS {
            return None;
        }
        let quadratic = self.hamilton.is_some();
        let parts = [
            ("hamilton", quadratic),
            ("general", !quadratic),
            ("jacobian", self.slopes.is_some()),
            ("outputs", self.outputs.is_some()),
            ("inputs", self.signals.is_some()),
            ("no inputs", self.signals.is_none()),
            ("given", self.signals.is_some() && !in_unit),
        ];
        let mut text = language.template().to_owned();
        for (mark, kept) in parts {
            text = marked(&text, language.comment(), mark, kept);
        }
        let increments = self.signals.as_ref().map_or(0, |s| s.increments);
        let given = self.signals.as_ref().map_or(0, |s| s.list.len());
        let numbers = [
            ("K", increments),
            ("I", given),
            ("N", self.coordinates.len()),
            ("M", self.constraints.len()),
            ("S", self.coordinates.len() + self.constraints.len()),
            (
                "P",
                self.parameters.len() + if in_unit { increments } else { 0 },
            ),
            ("A", if in_unit { 0 } else { increments }),
        ];
        for (name, value) in numbers {
            text = text.replace(&format!("@{name}@"), &value.to_string());
        }
        let values = self.parameters.iter().map(|p| language.number(p.1));
        let mut values: Vec<String> = values.collect();
        if values.is_empty() && language == Language::C {
            // C has no empty lists.
            values.push(language.number(0.0));
        }
        let driven = self.signals.is_some() && !in_unit;
        // The derivatives are those with the formulas of inputs that change.
        let held = (self.signals.iter()).all(|s| s.list.iter().all(|s| s.value.is_some()));
        let (given, none) = (language.given_inputs(given), language.no_inputs());
        let given = given.as_str();
        for (name, value) in [
            ("INPUTS", given),
            ("PASSED", ", inputs"),
            ("JACOBIAN_INPUTS", if held { given } else { "" }),
            ("JACOBIAN_PASSED", if held { ", inputs" } else { none }),
            ("ROW", ", None if rows is None else rows[k]"),
        ] {
            text = text.replace(&format!("@{name}@"), if driven { value } else { "" });
        }
        text = text.replace("@DEFAULTS@", &values.join(", "));
        text = text.replace("@NAME@", &identifier(&self.title));
        text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        let mut codes = vec![("SYSTEM", &self.system), ("ENERGY", &self.energy)];
        codes.extend(self.mass.iter().map(|code| ("MASS", code)));
        codes.extend(self.slopes.iter().map(|code| ("SLOPES", code)));
        codes.extend(self.outputs.iter().map(|code| ("OUTPUTS", code)));
        codes.extend(self.signals.iter().map(|s| ("INCREMENTS", &s.code)));
        if let Some((momenta, rates)) = &self.hamilton {
            codes.extend([("MOMENTA", momenta), ("RATES", rates)]);
        }
        let tables = tables::of_codes(codes.iter().map(|c| c.1));
        for (name, code) in codes {
            text = text.replace(&format!("@{name}@"), &body(code, language, &tables));
        }
        text = text.replace("@TABLES@\n", &tables::source(&tables, language));
        // Last, so that nothing in a title or a name is taken for a placeholder.
        let text = text.replace("@ABOUT@", &self.about(language));
        Some(text)
    }

    /// The comment at the head of the file.
    fn about(&self, language: Language) -> String {
        let unit = |unit: &Option<String>| match unit {
            Some(unit) => format!(" [{unit}]"),
            None => String::new(),
        };
        let mut lines = vec![
            format!("{}: equations of motion.", self.title),
            String::new(),
            "Everything is in SI units. States are (t, x, u), x and u with one entry for each"
                .to_owned(),
            "coordinate, in this order:".to_owned(),
        ];
        let first = language.first();
        for (k, (name, own)) in self.coordinates.iter().enumerate() {
            lines.push(format!("  {}  {name}{}", k + first, unit(own)));
        }
        if !self.parameters.is_empty() {
            lines.push("Parameters, with their default values:".to_owned());
            for (k, (name, value, own)) in self.parameters.iter().enumerate() {
                lines.push(format!("  {}  {name} = {value:?}{}", k + first, unit(own)));
            }
        }
        let signals = self.signals.iter().flat_map(|s| &s.list);
        let signals: Vec<&Signal> = signals.collect();
        if !signals.is_empty() {
            lines.push("Inputs that can be given instead of their formulas:".to_owned());
            for (k, signal) in signals.iter().enumerate() {
                lines.push(match signal.value {
                    Some(value) => format!("  {}  {} = {value:?}", k + first, signal.name),
                    None => format!("  {}  {}", k + first, signal.name),
                });
            }
        }
        if self.slopes.is_some() && signals.iter().any(|s| s.value.is_none()) {
            lines.push(
                "The derivatives of the accelerations have all inputs at their formulas."
                    .to_owned(),
            );
        }
        if !self.constraints.is_empty() {
            lines.push("Constraints, one multiplier for each:".to_owned());
            for (k, name) in self.constraints.iter().enumerate() {
                lines.push(format!("  {}  {name}", k + first));
            }
        }
        let prefix = language.comment();
        let written = lines.iter().map(|line| {
            // A title may contain any characters except the end of a line.
            let line: String = line
                .chars()
                .filter(|c| !c.is_control() && *c != '\\')
                .collect();
            format!("{prefix} {line}").trim_end().to_owned()
        });
        written.collect::<Vec<_>>().join("\n")
    }
}

/// A text with or without the part between two marked lines, and without the marks themselves.
pub(crate) fn marked(text: &str, comment: &str, mark: &str, kept: bool) -> String {
    let (begin, end) = (
        format!("{comment} <{mark}>"),
        format!("{comment} </{mark}>"),
    );
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.trim() {
            l if l == begin => inside = true,
            l if l == end => inside = false,
            _ if inside && !kept => {}
            _ => lines.push(line),
        }
    }
    lines.join("\n") + "\n"
}

/// The most letters of an expression that is written in place instead of in a statement of its own.
const MAX_INLINE: usize = 48;

/// How often each value of a code is used.
fn uses(code: &Code) -> Vec<usize> {
    let mut uses = vec![0; code.instrs().len()];
    for instr in code.instrs() {
        let operands: Vec<Value> = match *instr {
            Instr::Add(a, b)
            | Instr::Sub(a, b)
            | Instr::Mul(a, b)
            | Instr::Div(a, b)
            | Instr::Least(a, b)
            | Instr::Greatest(a, b) => vec![a, b],
            Instr::Call(f, a, b) if f.binary() => vec![a, b],
            // Each operand of a choice is evaluated in its place: it stays in a statement of its own.
            Instr::Positive(a, b, c) | Instr::NotNegative(a, b, c) => vec![a, b, b, c, c],
            Instr::Fma(a, b, c) | Instr::Fms(a, b, c) | Instr::Fnma(a, b, c) => vec![a, b, c],
            Instr::Neg(a)
            | Instr::Abs(a)
            | Instr::Sqrt(a)
            | Instr::Call(_, a, _)
            | Instr::Lookup(_, _, a) => vec![a],
            _ => vec![],
        };
        let twice = matches!(instr, Instr::Least(..) | Instr::Greatest(..));
        for a in operands {
            uses[a as usize] += 1 + usize::from(twice);
        }
    }
    for &output in code.outputs() {
        uses[output as usize] += 1;
    }
    uses
}

/// The statements that compute a code's outputs. Short values that are used once are written where they are used; the
/// operations and their order are those of the code.
fn body(code: &Code, language: Language, tables: &[Arc<Table>]) -> String {
    let uses = uses(code);
    let mut names: Vec<String> = Vec::with_capacity(code.instrs().len());
    let mut lines = Vec::new();
    for (k, instr) in code.instrs().iter().enumerate() {
        let v = |a: Value| names[a as usize].as_str();
        let expression = match *instr {
            Instr::Const(c) => {
                names.push(language.number(c));
                continue;
            }
            Instr::Input(i) => {
                names.push(language.entry("z", i as usize));
                continue;
            }
            Instr::Add(a, b) => format!("{} + {}", v(a), v(b)),
            Instr::Sub(a, b) => format!("{} - {}", v(a), v(b)),
            Instr::Mul(a, b) => format!("{} * {}", v(a), v(b)),
            Instr::Div(a, b) => format!("{} / {}", v(a), v(b)),
            Instr::Neg(a) => format!("-{}", v(a)),
            Instr::Abs(a) => language.abs(v(a)),
            Instr::Sqrt(a) => language.sqrt(v(a)),
            Instr::Least(a, b) => language.choose(&format!("{} < {}", v(a), v(b)), v(a), v(b)),
            Instr::Greatest(a, b) => language.choose(&format!("{} > {}", v(a), v(b)), v(a), v(b)),
            Instr::Positive(a, b, c) => language.choose(&format!("{} > 0.0", v(a)), v(b), v(c)),
            Instr::NotNegative(a, b, c) => language.choose(&format!("{} >= 0.0", v(a)), v(b), v(c)),
            Instr::Fma(a, b, c) => format!("{} * {} + {}", v(a), v(b), v(c)),
            Instr::Fms(a, b, c) => format!("{} * {} - {}", v(a), v(b), v(c)),
            Instr::Fnma(a, b, c) => format!("{} - {} * {}", v(c), v(a), v(b)),
            Instr::Call(f, a, b) => language.call(f, v(a), v(b)),
            Instr::Lookup(t, field, a) => {
                let table = tables::number(tables, &code.lookup_tables()[t as usize]);
                format!("table_{table}({field}, {})", v(a))
            }
            // Instructions on four numbers at once occur only in code for machines.
            Instr::Table(_)
            | Instr::Row(_)
            | Instr::Pack(_)
            | Instr::Lane(..)
            | Instr::Permute(..) => language.number(f64::NAN),
        };
        if uses[k] == 1 && expression.len() <= MAX_INLINE {
            names.push(format!("({expression})"));
            continue;
        }
        let name = format!("v{}", lines.len());
        lines.push(language.definition(&name, &expression));
        names.push(name);
    }
    for (k, &output) in code.outputs().iter().enumerate() {
        let place = language.entry("out", k);
        let value = names[output as usize].as_str();
        // Parentheses around a whole expression are those of a value in place.
        let value = match value.strip_prefix('(').and_then(|v| v.strip_suffix(')')) {
            Some(inner) if uses[output as usize] == 1 && !value.starts_with("(-") => inner,
            _ => value,
        };
        lines.push(language.assignment(&place, value));
    }
    lines.join("\n")
}
