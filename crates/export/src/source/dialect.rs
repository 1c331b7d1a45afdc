//! The syntax of instructions in other languages.

use std::fmt;
use std::str::FromStr;

use galilei_model::{Code, Diagnostic};
use galilei_tape::Function;

/// A language that equations can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C99.
    C,
    /// Rust.
    Rust,
    /// Python 3.
    Python,
    /// Julia.
    Julia,
    /// Python with JAX.
    Jax,
    /// Python with CasADi.
    Casadi,
    /// Python with PyTorch.
    Torch,
}

/// The error for a word that is the name of no [`Language`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage(String);

impl UnknownLanguage {
    /// The valid names, as a sentence.
    pub fn hint(&self) -> String {
        let names = Language::ALL.map(|l| l.to_string());
        let units = ["fmu", "fmu2"].map(String::from);
        let all = names.into_iter().chain(units).collect::<Vec<_>>();
        format!("there are {}", crate::phrase(&all, "and"))
    }
}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no export to `{}`", self.0)
    }
}

impl std::error::Error for UnknownLanguage {}

impl From<UnknownLanguage> for Diagnostic {
    fn from(e: UnknownLanguage) -> Self {
        Self::error(Code::UnknownLanguage, e.to_string(), e.hint(), None)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        let mut all = Self::ALL.into_iter();
        let name = if name == "torch" { "pytorch" } else { name };
        all.find(|l| l.name() == name)
            .ok_or_else(|| UnknownLanguage(name.to_owned()))
    }
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 7] = [
        Self::Rust,
        Self::C,
        Self::Python,
        Self::Julia,
        Self::Jax,
        Self::Casadi,
        Self::Torch,
    ];

    /// The name of the language in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Julia => "julia",
            Self::Jax => "jax",
            Self::Casadi => "casadi",
            Self::Torch => "pytorch",
        }
    }

    pub(super) fn template(self) -> &'static str {
        match self {
            Self::C => include_str!("template.c"),
            Self::Rust => include_str!("template.rs.txt"),
            Self::Python => include_str!("template.py"),
            Self::Julia => include_str!("template.jl"),
            Self::Jax => include_str!("template_jax.py"),
            Self::Casadi => include_str!("template_casadi.py"),
            Self::Torch => include_str!("template_torch.py"),
        }
    }

    /// The last argument of functions of models with inputs.
    pub(super) fn given_inputs(self, count: usize) -> String {
        match self {
            Self::C => ", const double *inputs".to_owned(),
            Self::Rust => format!(", inputs: Option<&[f64; {count}]>"),
            Self::Julia => ", inputs=nothing".to_owned(),
            Self::Python | Self::Jax | Self::Casadi | Self::Torch => ", inputs=None".to_owned(),
        }
    }

    /// The argument that keeps the formulas of all inputs.
    pub(super) fn no_inputs(self) -> &'static str {
        match self {
            Self::C => ", NULL",
            Self::Julia => ", nothing",
            Self::Rust | Self::Python | Self::Jax | Self::Casadi | Self::Torch => ", None",
        }
    }

    pub(super) fn comment(self) -> &'static str {
        match self {
            Self::C => "//",
            Self::Rust => "//!",
            Self::Python | Self::Jax | Self::Casadi | Self::Torch | Self::Julia => "#",
        }
    }

    /// The index of the first entry of a list.
    pub(super) fn first(self) -> usize {
        usize::from(self == Self::Julia)
    }

    pub(super) fn number(self, x: f64) -> String {
        let text = format!("{:?}", x.abs());
        let text = match (self, x) {
            (_, x) if x.is_finite() => text,
            (Self::C, x) if x.is_nan() => "NAN".to_owned(),
            (Self::C, _) => "INFINITY".to_owned(),
            (Self::Rust, x) if x.is_nan() => "f64::NAN".to_owned(),
            (Self::Rust, _) => "f64::INFINITY".to_owned(),
            (Self::Python, x) if x.is_nan() => "math.nan".to_owned(),
            (Self::Python, _) => "math.inf".to_owned(),
            (Self::Jax | Self::Casadi | Self::Torch, x) if x.is_nan() => {
                "float(\"nan\")".to_owned()
            }
            (Self::Jax | Self::Casadi | Self::Torch, _) => "float(\"inf\")".to_owned(),
            (Self::Julia, x) if x.is_nan() => "NaN".to_owned(),
            (Self::Julia, _) => "Inf".to_owned(),
        };
        match x.is_sign_negative() {
            true => format!("(-{text})"),
            false => text,
        }
    }

    pub(super) fn entry(self, list: &str, k: usize) -> String {
        format!("{list}[{}]", k + self.first())
    }

    pub(super) fn abs(self, a: &str) -> String {
        match self {
            Self::C => format!("fabs({a})"),
            Self::Rust => format!("({a} as f64).abs()"),
            Self::Jax => format!("jnp.abs({a})"),
            Self::Casadi => format!("casadi.fabs({a})"),
            Self::Torch => format!("_abs({a})"),
            Self::Python | Self::Julia => format!("abs({a})"),
        }
    }

    pub(super) fn sqrt(self, a: &str) -> String {
        match self {
            Self::C => format!("sqrt({a})"),
            Self::Rust => format!("({a} as f64).sqrt()"),
            _ => format!("root({a})"),
        }
    }

    pub(super) fn choose(self, condition: &str, a: &str, b: &str) -> String {
        match self {
            Self::C | Self::Julia => format!("({condition}) ? {a} : {b}"),
            Self::Rust => format!("if {condition} {{ {a} }} else {{ {b} }}"),
            Self::Python => format!("{a} if {condition} else {b}"),
            Self::Jax => format!("jnp.where({condition}, {a}, {b})"),
            Self::Casadi => format!("casadi.if_else({condition}, {a}, {b})"),
            Self::Torch => format!("_where({condition}, {a}, {b})"),
        }
    }

    pub(super) fn call(self, f: Function, a: &str, b: &str) -> String {
        let name = match (f, self) {
            (Function::Sin, _) => "sin",
            (Function::Cos, _) => "cos",
            (Function::Tan, _) => "tan",
            (Function::Exp, _) => "exp",
            (Function::Log, Self::Rust) => "ln",
            (Function::Log, _) => "log",
            (Function::RoughLog2, _) => "log2",
            (Function::RoughExp2, _) => "exp2",
            (Function::Pow, Self::Rust) => "powf",
            (Function::Pow, Self::Jax) => "power",
            (Function::Asin, Self::Jax) => "arcsin",
            (Function::Acos, Self::Jax) => "arccos",
            (Function::Atan, Self::Jax) => "arctan",
            (Function::Atan2, Self::Jax) => "arctan2",
            (Function::Pow, _) => "pow",
            (Function::Sinh, _) => "sinh",
            (Function::Cosh, _) => "cosh",
            (Function::Tanh, _) => "tanh",
            (Function::Asin, _) => "asin",
            (Function::Acos, _) => "acos",
            (Function::Atan, _) => "atan",
            (Function::Atan2, Self::Julia) => "atan",
            (Function::Atan2, _) => "atan2",
        };
        match (self, f.binary()) {
            (Self::Rust, true) => format!("({a} as f64).{name}({b})"),
            (Self::Rust, false) => format!("({a} as f64).{name}()"),
            (Self::Julia, true) if f == Function::Pow => format!("{a} ^ {b}"),
            (Self::C | Self::Julia, true) => format!("{name}({a}, {b})"),
            (Self::C | Self::Julia, false) => format!("{name}({a})"),
            (Self::Casadi, true) if f == Function::Pow => format!("({a}) ** ({b})"),
            (Self::Jax, true) => format!("jnp.{name}({a}, {b})"),
            (Self::Jax, false) => format!("jnp.{name}({a})"),
            (Self::Casadi, true) => format!("casadi.{name}({a}, {b})"),
            (Self::Casadi, false) => format!("casadi.{name}({a})"),
            (Self::Torch, true) => format!("_{name}({a}, {b})"),
            (Self::Torch, false) => format!("_{name}({a})"),
            (Self::Python, true) => format!("math.{name}({a}, {b})"),
            (Self::Python, false) => format!("math.{name}({a})"),
        }
    }

    pub(super) fn definition(self, name: &str, value: &str) -> String {
        match self {
            Self::C => format!("    const double {name} = {value};"),
            Self::Rust => format!("    let {name} = {value};"),
            _ => format!("    {name} = {value}"),
        }
    }

    pub(super) fn assignment(self, place: &str, value: &str) -> String {
        match self {
            Self::C | Self::Rust => format!("    {place} = {value};"),
            _ => format!("    {place} = {value}"),
        }
    }
}
