//! Axes of a sweep: the initial values and parameters that vary between runs, over ranges and lists.

use galilei_expr::{Expr, Rational};
use galilei_syntax::{ExpressionKind, Kind};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Model;
use crate::reader::{MOMENTUM, Reader};

/// The quantity that an axis varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The initial position of a coordinate.
    Position(usize),
    /// The initial velocity of a coordinate.
    Velocity(usize),
    /// The initial momentum of a coordinate, in a model given by its Hamiltonian.
    Momentum(usize),
    /// A parameter.
    Parameter(usize),
}

/// The values on an axis, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Anywhere between two numbers.
    Between(f64, f64),
    /// The values themselves.
    List(Vec<f64>),
}

/// An axis of a sweep: one quantity and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name as in the model: `theta`, `theta'`, `m`.
    pub name: String,
    /// The quantity that varies.
    pub target: Target,
    /// Its values.
    pub values: Values,
}

/// The largest number of values of one axis of a grid.
const MAX_AXIS_VALUES: usize = 10_000_000;

/// Splits a list at its commas outside all brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut list) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => {
                list.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    list.push(&text[from..]);
    list
}

/// The position of a word that occurs by itself, outside all brackets.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let open = before.matches(['(', '[']).count() == before.matches([')', ']']).count();
        open && !before.chars().next_back().is_some_and(is_part)
            && !after.chars().next().is_some_and(is_part)
    })
}

impl Model {
    /// Axes for ranges such as `"theta in -1..1, m in 0.9..1.1"`, each between two numbers. Bare numbers take the
    /// unit of their name.
    ///
    /// # Errors
    /// One for each part that cannot be read or names nothing of this model.
    pub fn ranges(&self, text: &str) -> Result<Vec<Axis>, Vec<Diagnostic>> {
        self.axes(text, false)
    }

    /// Axes for grids such as `"a in 0..1 by 0.1, b in [1, 2, 5]"`, each with finitely many values.
    ///
    /// # Errors
    /// As for [`Model::ranges`].
    pub fn grid(&self, text: &str) -> Result<Vec<Axis>, Vec<Diagnostic>> {
        self.axes(text, true)
    }

    fn axes(&self, text: &str, grid: bool) -> Result<Vec<Axis>, Vec<Diagnostic>> {
        let (mut axes, mut errors): (Vec<Axis>, Vec<Diagnostic>) = (vec![], vec![]);
        for part in parts(text) {
            match self.one_axis(part.trim(), grid) {
                Ok(axis) if axes.iter().any(|a| a.name == axis.name) => errors.push(wrong(
                    format!("`{}` is varied twice", axis.name),
                    "keep one".to_owned(),
                )),
                Ok(axis) => axes.push(axis),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(axes)
        } else {
            Err(errors)
        }
    }

    fn one_axis(&self, text: &str, grid: bool) -> Result<Axis, Diagnostic> {
        let form = match grid {
            true => "write --grid \"a in 0..1 by 0.1, b in [1, 2, 5]\"",
            false => "write --vary \"theta in -1..1, theta' in -0.5..0.5, m in 0.9..1.1\"",
        };
        let unreadable =
            |what: &str| wrong(format!("`{text}` cannot be read: {what}"), form.to_owned());
        let Some(at) = word(text, "in") else {
            return Err(unreadable("there is no `in`"));
        };
        let (name, range) = (text[..at].trim(), text[at + 2..].trim());
        let (name, target, scale) = self.target(name)?;
        let number = |text: &str| {
            let value = self.constant(text).map(|x| x * scale);
            value.ok_or_else(|| unreadable(&format!("`{}` is not a number", text.trim())))
        };
        let plain = |text: &str| {
            let x = number(text)?.evaluate_f64(&[]);
            match x.is_finite() {
                true => Ok(x),
                false => Err(unreadable(&format!("`{}` is not finite", text.trim()))),
            }
        };
        let values = if let Some(list) = range.strip_prefix('[') {
            let list = list.strip_suffix(']');
            let list = list.ok_or_else(|| unreadable("there is no `]`"))?;
            let values: Result<Vec<f64>, _> = parts(list).into_iter().map(plain).collect();
            Values::List(values?)
        } else {
            let (range, step) = match word(range, "by") {
                Some(at) => (&range[..at], Some(&range[at + 2..])),
                None => (range, None),
            };
            let Some((low, high)) = range.split_once("..") else {
                return Err(unreadable("there is no `..`"));
            };
            match step {
                None => Values::Between(plain(low)?, plain(high)?),
                Some(step) => {
                    let ends = [number(low)?, number(high)?, number(step)?];
                    plain(low).and(plain(high)).and(plain(step))?;
                    Values::List(spaced(ends).map_err(|why| unreadable(&why))?)
                }
            }
        };
        match (&values, grid) {
            (Values::Between(..), true) => {
                Err(unreadable("a grid wants `by` and a step, or a list"))
            }
            (Values::List(_), false) => Err(unreadable(
                "samples are drawn between two numbers; lists and steps are for --grid",
            )),
            (Values::Between(low, high), _) if low > high => {
                Err(unreadable("the first number is the larger one"))
            }
            _ => Ok(Axis {
                name,
                target,
                values,
            }),
        }
    }

    /// Resolves a name: its text, its target, and the factor of a bare number in its unit.
    fn target(&self, text: &str) -> Result<(String, Target, Expr<'_>), Diagnostic> {
        let line = format!("initial {text} = 0");
        let file = galilei_syntax::parse(&line);
        let entry = match file.statements.first().map(|s| &s.kind) {
            Some(Kind::Initial(list)) if file.errors.is_empty() => list.first(),
            _ => None,
        };
        let named = entry.and_then(|a| {
            let (target, level) = match &a.target.kind {
                ExpressionKind::Prime(inner, 1) => (&**inner, 1),
                ExpressionKind::Call(name, index, arguments)
                    if name.text == MOMENTUM && index.is_empty() && arguments.len() == 1 =>
                {
                    (&arguments[0], 2)
                }
                _ => (&a.target, 0),
            };
            let label = Reader::new(self.pool(), &line).label_of(target)?;
            Some((label, level))
        });
        let Some((label, level)) = named else {
            return Err(wrong(
                format!("`{text}` is not a name"),
                "vary coordinates, velocities (`theta'`) and parameters".to_owned(),
            ));
        };
        let contents = self.contents();
        let (coordinates, parameters) = (&contents.coordinates, &contents.parameters);
        if let Some(k) = coordinates.iter().position(|c| c.name == label) {
            let scale = self.expr(coordinates[k].scale);
            return match level {
                0 => Ok((label, Target::Position(k), scale)),
                1 => Ok((format!("{label}'"), Target::Velocity(k), scale)),
                _ if contents.hamiltonian.is_none() => Err(wrong(
                    format!(
                        "`{text}`: momenta are initial values in models given by `hamiltonian:`"
                    ),
                    format!("vary the velocity {label}'"),
                )),
                _ => Ok((
                    format!("p({label})"),
                    Target::Momentum(k),
                    self.pool().one(),
                )),
            };
        }
        let parameter = parameters.iter().position(|p| p.name == label);
        if let (Some(k), 0) = (parameter, level) {
            return Ok((label, Target::Parameter(k), self.expr(parameters[k].scale)));
        }
        let known = coordinates.iter().map(|c| c.name.as_str());
        let known = known.chain(parameters.iter().map(|p| p.name.as_str()));
        let hint = match nearest(&label, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "vary coordinates, velocities (`theta'`) and parameters; constants are given with --set".to_owned(),
        };
        Err(wrong(
            format!("`{text}` is neither an initial value nor a parameter"),
            hint,
        ))
    }

    /// A number written as an expression without names.
    fn constant(&self, text: &str) -> Option<Expr<'_>> {
        let line = format!("initial x = {text}");
        let file = galilei_syntax::parse(&line);
        let Some(Kind::Initial(list)) = file.statements.first().map(|s| &s.kind) else {
            return None;
        };
        if !file.errors.is_empty() || file.statements.len() != 1 || list.len() != 1 {
            return None;
        }
        let value = Reader::new(self.pool(), &line).read(&list[0].value)?;
        if value.uses.symbols {
            return None;
        }
        value.only().map(|(x, _)| x)
    }
}

fn wrong(message: String, hint: String) -> Diagnostic {
    Diagnostic::error(Code::InvalidAxis, message, hint, None)
}

/// Evenly spaced values from `low` to `high`. Fractions are added exactly, without intermediate rounding.
fn spaced([low, high, step]: [Expr<'_>; 3]) -> Result<Vec<f64>, String> {
    let plain = [low, high, step].map(|e| e.evaluate_f64(&[]));
    let count = (plain[1] - plain[0]) / plain[2];
    if plain[2] == 0.0 || count.is_nan() || count < 0.0 {
        return Err("the step does not lead from the first number to the second".to_owned());
    }
    if count > MAX_AXIS_VALUES as f64 {
        return Err("that is more than ten million values".to_owned());
    }
    let last = (count * (1.0 + 4.0 * f64::EPSILON)).floor() as i64;
    let value = |k: i64| match (low.as_rational(), step.as_rational()) {
        (Some(a), Some(h)) => (&a + &(&Rational::from(k) * &h)).to_f64(),
        _ => plain[0] + k as f64 * plain[2],
    };
    Ok((0..=last).map(value).collect())
}
