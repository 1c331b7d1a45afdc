//! Calls: which function a name is, and what its arguments must be.

use galilei_expr::{Function, Rational};
use galilei_syntax::{Expression, Name, Span};

use super::Reader;
use super::meaning::Callable;
use super::momenta::MOMENTUM;
use crate::code::Code;
use crate::diagnostic::nearest;
use crate::dimension::Dimension;
use crate::forms::is_operator;
use crate::value::{Uses, Value};

/// Functions of the language in addition to the elementary ones.
pub(crate) const BUILT_IN: [&str; 14] = [
    "sqrt",
    "if",
    "dot",
    "cross",
    "norm",
    "D",
    "sum",
    "product",
    "position",
    "direction",
    "velocity",
    "omega",
    "reaction",
    "multiplier",
];

/// Functions that make differential forms. They are not reserved: models without forms may declare functions of
/// these names.
const FORM_OPERATORS: [&str; 2] = ["d", "contact"];

/// The names of all functions of the language.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    let elementary = Function::ALL.into_iter().map(Function::name);
    (elementary.chain(BUILT_IN))
        .chain(FORM_OPERATORS)
        .chain([MOMENTUM])
}

/// Names that other languages give to functions, and how the model language writes them.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("ln", "log(x)"),
    ("log10", "log(x)/log(10)"),
    ("arcsin", "asin(x)"),
    ("arccos", "acos(x)"),
    ("arctan", "atan(x)"),
    ("arctan2", "atan2(y, x)"),
    ("sgn", "sign(x)"),
    ("fabs", "abs(x)"),
    ("pow", "x^y"),
    ("diff", "D(e)"),
    ("der", "D(e)"),
    ("ddt", "D(e)"),
    ("length", "norm(a)"),
    ("heaviside", "if(x >= 0, 1, 0)"),
];

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn call(
        &mut self,
        name: &'s Name,
        index: &'s [Expression],
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        if !index.is_empty() {
            self.error(
                Code::NotAFamily,
                format!("the function `{}` has no index", name.text),
                "give the index as an argument: let f(s, k) = …",
                name.span,
            );
            return None;
        }
        if let Some((callable, _)) = self.callables.get(&name.text).cloned() {
            return match callable {
                Callable::Own(d) => self.own(d, arguments, span),
                Callable::Undetermined(inputs, output) => {
                    self.undetermined(&name.text, &inputs, &output, arguments, span)
                }
                Callable::Table(input, output, interpolation) => {
                    let mut v =
                        self.undetermined(&name.text, &[input], &output, arguments, span)?;
                    v.uses.note_table(interpolation, span);
                    Some(v)
                }
            };
        }
        if let (MOMENTUM, Some(symbols)) = (name.text.as_str(), self.momenta.clone()) {
            return self.momentum(&symbols, name, arguments, span);
        }
        match name.text.as_str() {
            "if" => return self.condition(arguments, span),
            "before" if self.before.is_some() => {
                let [e] = self.arguments(arguments, name)?;
                let mut v = self.read(e)?;
                let symbols = self.before.clone().unwrap_or_default();
                let velocities = self.coordinates.iter().map(|c| c.velocity);
                let pairs: Vec<_> = velocities.zip(symbols).collect();
                v.parts.iter_mut().for_each(|x| *x = x.substitute(&pairs));
                return Some(v);
            }
            "D" => {
                let [e] = self.arguments(arguments, name)?;
                let v = self.read(e)?;
                return self.total_derivative(&v, e.span);
            }
            "dot" | "cross" => {
                let [a, b] = self.arguments(arguments, name)?;
                let (va, vb) = (self.read(a), self.read(b));
                return self.pairing(&name.text, &va?, &vb?, span);
            }
            "norm" => {
                let [a] = self.arguments(arguments, name)?;
                let v = self.read(a)?;
                return self.norm(&v, a.span);
            }
            "sqrt" => {
                let [a] = self.arguments(arguments, name)?;
                let v = self.read(a)?;
                let (x, d) = self.scalar(&v, a)?;
                return Some(Value::scalar(x.sqrt(), d.pow(&Rational::new(1, 2)), v.uses));
            }
            "position" | "direction" | "velocity" | "omega" => {
                return self.of_body(name, arguments, span);
            }
            "reaction" | "multiplier" => return self.of_constraint(name, arguments, span),
            _ => {}
        }
        let Some(f) = Function::from_name(&name.text) else {
            let named = self.names.contains_key(&name.text);
            if is_operator(&name.text) && arguments.len() == 1 && !named {
                let what = format!("`{}( )` is a differential form", name.text);
                self.no_scalar(span, &what);
                return None;
            }
            self.unknown_function(name);
            return None;
        };
        let mut values = Vec::new();
        if arguments.len() != f.arity() {
            self.count(name, f.arity(), arguments.len());
            return None;
        }
        for a in arguments {
            values.push(self.read(a));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut scalars = Vec::new();
        let mut uses = Uses::default();
        for (v, a) in values.iter().zip(arguments) {
            scalars.push(self.scalar(v, a)?);
            uses = uses.with(v.uses);
        }
        let none = Dimension::none();
        let dimension = match f {
            Function::Abs => scalars[0].1.clone(),
            Function::Sign => none,
            Function::Min | Function::Max | Function::Atan2 => {
                let (a, b) = (
                    format!("`{}`", self.text(arguments[0].span)),
                    format!("`{}`", self.text(arguments[1].span)),
                );
                if !self.agree((&scalars[0].1, &a), (&scalars[1].1, &b), span) {
                    return None;
                }
                if f == Function::Atan2 {
                    none
                } else {
                    scalars[0].1.clone()
                }
            }
            _ => {
                let what = format!(
                    "the argument of {}, `{}`,",
                    name.text,
                    self.text(arguments[0].span)
                );
                if !self.agree(
                    (&scalars[0].1, &what),
                    (&none, "it must be a pure number,"),
                    arguments[0].span,
                ) {
                    return None;
                }
                none
            }
        };
        let smooth = !matches!(
            f,
            Function::Abs | Function::Sign | Function::Min | Function::Max
        );
        if !smooth && uses.state.is_some() {
            uses.kink = uses.kink.or(Some(span));
        }
        let e = scalars[0].0.apply(f, scalars.get(1).map(|s| s.0));
        Some(Value::scalar(e, dimension, uses))
    }

    pub(crate) fn unknown_function(&mut self, name: &Name) {
        let mut own: Vec<&str> = self.callables.keys().map(String::as_str).collect();
        own.sort_unstable();
        let hint = if name.text == "sum" {
            "a sum has the form sum(k in 1..n: e)".to_owned()
        } else if name.text == "before" {
            "before(x') is the velocity before a jump, in `impact` statements".to_owned()
        } else if name.text == MOMENTUM && !self.names.contains_key(MOMENTUM) {
            "p(x) is the momentum of a coordinate in models given by `hamiltonian:`; ∂L/∂x' is a formula of the model otherwise".to_owned()
        } else if self.names.contains_key(&name.text) {
            format!(
                "`{0}` is not a function; write {0}*(…) for a product",
                name.text
            )
        } else {
            let other = OTHER_NAMES.iter().find(|(other, _)| *other == name.text);
            match (
                other,
                nearest(
                    &name.text,
                    function_names().map(|w| -> &str { w }).chain(own),
                ),
            ) {
                (Some((_, ours)), _) => format!("write {ours}"),
                (None, Some(w)) => format!("did you mean `{w}`?"),
                (None, None) => format!(
                    "declare it: `function {0}(x)` or `let {0}(x) = …`",
                    name.text
                ),
            }
        };
        self.error(
            Code::UnknownFunction,
            format!("there is no function `{}`", name.text),
            hint,
            name.span,
        );
    }

    pub(crate) fn count(&mut self, name: &Name, wanted: usize, given: usize) {
        let s = if wanted == 1 { "" } else { "s" };
        let own = match self.callables.get(&name.text) {
            Some((Callable::Own(d), _)) => self.definitions[*d].declaration.parameters.as_deref(),
            _ => None,
        };
        let list = match (own, name.text.as_str(), wanted) {
            (Some(list), ..) => {
                let list: Vec<&str> = list.iter().map(|n| n.text.as_str()).collect();
                list.join(", ")
            }
            (_, "atan2", _) => "y, x".into(),
            (_, "if", _) => "a < b, u, v".into(),
            (_, "omega", _) => "BODY".into(),
            (_, "position" | "velocity", _) => "BODY, (a, b)".into(),
            (_, "reaction" | "multiplier", _) => "NAME".into(),
            (_, "dot" | "cross", _) => "a, b".into(),
            (_, _, 1) => "x".into(),
            (_, _, 2) => "x, y".into(),
            _ => "…".into(),
        };
        self.error(
            Code::WrongArgumentCount,
            format!("`{}` takes {wanted} argument{s}, not {given}", name.text),
            format!("write {}({list})", name.text),
            name.span,
        );
    }

    pub(super) fn arguments<const N: usize>(
        &mut self,
        arguments: &'s [Expression],
        name: &Name,
    ) -> Option<[&'s Expression; N]> {
        let list: Vec<&'s Expression> = arguments.iter().collect();
        match list.try_into() {
            Ok(list) => Some(list),
            Err(_) => {
                self.count(name, N, arguments.len());
                None
            }
        }
    }
}
