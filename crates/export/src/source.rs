//! Equations of motion as source files of other languages: straight-line code from a tape, with a small linear
//! solver and functions around it. The files have no dependencies.

mod dialect;
mod lowered;

use galilei_tape::code::{Code, Instr, Value};

pub use dialect::{Language, UnknownLanguage};
pub use lowered::export;

/// The contents of a source file. All codes take (t, x, u, parameters) unless stated otherwise.
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
    /// The mass matrix.
    pub mass: Code,
    /// The energy.
    pub energy: Code,
    /// Where L is quadratic: from (t, x, parameters) the mass matrix and the momenta of u = 0; from (t, x, u,
    /// parameters, multipliers) the rates of the momenta.
    pub hamilton: Option<(Code, Code)>,
    /// From (t, x, u, parameters, unknowns) the matrix once more, and the derivatives of the residual with respect to
    /// t, x, u.
    pub slopes: Code,
}

/// The most instructions of a source file: a compiler takes minutes for longer ones.
const MAX_INSTRUCTIONS: usize = 200_000;

/// A name that is valid in all languages.
fn identifier(title: &str) -> String {
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
        let codes = [&self.system, &self.mass, &self.energy, &self.slopes];
        let all = codes.into_iter().chain(hamilton);
        all.map(|code| code.instrs().len()).sum()
    }

    /// The source file; `None` if it would be too long to be useful.
    pub fn source(&self, language: Language) -> Option<String> {
        if self.length() > MAX_INSTRUCTIONS {
            return None;
        }
        let quadratic = self.hamilton.is_some();
        let mut text = marked(
            language.template(),
            language.comment(),
            "hamilton",
            quadratic,
        );
        let numbers = [
            ("N", self.coordinates.len()),
            ("M", self.constraints.len()),
            ("S", self.coordinates.len() + self.constraints.len()),
            ("P", self.parameters.len()),
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
        text = text.replace("@DEFAULTS@", &values.join(", "));
        text = text.replace("@NAME@", &identifier(&self.title));
        text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        let mut codes = vec![
            ("SYSTEM", &self.system),
            ("MASS", &self.mass),
            ("ENERGY", &self.energy),
            ("SLOPES", &self.slopes),
        ];
        if let Some((momenta, rates)) = &self.hamilton {
            codes.extend([("MOMENTA", momenta), ("RATES", rates)]);
        }
        for (name, code) in codes {
            text = text.replace(&format!("@{name}@"), &body(code, language));
        }
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
fn marked(text: &str, comment: &str, mark: &str, kept: bool) -> String {
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

/// The statements that compute a code's outputs.
fn body(code: &Code, language: Language) -> String {
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
            // Instructions on four numbers at once occur only in code for machines.
            Instr::Table(_)
            | Instr::Row(_)
            | Instr::Pack(_)
            | Instr::Lane(..)
            | Instr::Permute(..) => language.number(f64::NAN),
        };
        let name = format!("v{k}");
        lines.push(language.definition(&name, &expression));
        names.push(name);
    }
    for (k, &output) in code.outputs().iter().enumerate() {
        let place = language.entry("out", k);
        lines.push(language.assignment(&place, &names[output as usize]));
    }
    lines.join("\n")
}
