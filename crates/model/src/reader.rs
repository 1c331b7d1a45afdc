//! The reader: what names mean, and what expressions of the language stand for.

use std::collections::HashMap;

use galilei_expr::{Expr, Function, Pool, Rational};
use galilei_syntax::{
    Comparison, Declaration, Expression, ExpressionKind as E, IndexBinder, Label, Name, Range, Span,
};

use crate::body::Body;
use crate::diagnostic::{Diagnostic, nearest};
use crate::dimension::{Dimension, Unifier, Unit};
use crate::value::{Uses, Value};

/// Steps that reading a file may take before it is refused.
pub(crate) const MAX_STEPS: usize = 4_000_000;
/// Members of one family, values of one range.
pub(crate) const MAX_FAMILY: i64 = 10_000;
/// Definitions and expressions that may be open at once.
const MAX_DEPTH: usize = 12_000;
/// Factors of a product: its derivatives have as many terms, each with as many factors.
const MAX_FACTORS: usize = 64;
/// Nodes of the pool.
const MAX_NODES: usize = 20_000_000;

/// A parameter: its symbol, unit and default.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'p> {
    pub(crate) name: String,
    pub(crate) symbol: Expr<'p>,
    pub(crate) dimension: Dimension,
    pub(crate) unit: Option<String>,
    /// How many SI units the unit is.
    pub(crate) scale: Expr<'p>,
    pub(crate) value: Option<Expr<'p>>,
    pub(crate) span: Span,
}

/// A coordinate: its symbol, its velocity, its unit.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate<'p> {
    pub(crate) name: String,
    pub(crate) position: Expr<'p>,
    pub(crate) velocity: Expr<'p>,
    pub(crate) dimension: Dimension,
    pub(crate) unit: Option<Unit>,
    pub(crate) unit_text: Option<String>,
}

/// What a name of a value stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// An integer.
    Constant(i64),
    /// A parameter, by its place.
    Parameter(usize),
    /// A family of parameters: the first index, the place of the first, how many.
    Parameters(i64, usize, usize),
    /// A coordinate.
    Coordinate(usize),
    /// A family of coordinates.
    Coordinates(i64, usize, usize),
    /// An abbreviation, by its place among the definitions.
    Let(usize),
    /// Something whose declaration is wrong, which has been said.
    Broken,
}

/// An abbreviation or a function of one's own.
pub(crate) struct Definition<'s> {
    pub(crate) declaration: &'s Declaration,
    /// The first and last index of a family.
    pub(crate) range: Option<(i64, i64)>,
}

/// What a function name stands for.
#[derive(Clone)]
pub(crate) enum Callable {
    /// `let f(s) = …`
    Own(usize),
    /// `function V(r)`: dimensions of the arguments and of the value.
    Undetermined(Vec<Dimension>, Dimension),
}

#[derive(Clone)]
enum Progress<'p> {
    Open,
    Done(Option<Value<'p>>),
}

/// A body or a particle statement, found by name.
pub(crate) struct BodyStatement<'s> {
    pub(crate) mass: &'s Expression,
    pub(crate) inertia: &'s Expression,
    pub(crate) at: &'s Expression,
    pub(crate) orientation: &'s galilei_syntax::Orientation,
    pub(crate) locals: Vec<(String, i64)>,
}

pub(crate) struct Reader<'p, 's> {
    pub(crate) pool: &'p Pool,
    pub(crate) source: &'s str,
    pub(crate) unifier: Unifier,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) names: HashMap<String, (Meaning, Span)>,
    pub(crate) callables: HashMap<String, (Callable, Span)>,
    pub(crate) definitions: Vec<Definition<'s>>,
    pub(crate) parameters: Vec<Parameter<'p>>,
    pub(crate) coordinates: Vec<Coordinate<'p>>,
    pub(crate) time: Expr<'p>,
    pub(crate) time_dimension: Dimension,
    pub(crate) energy: Dimension,
    pub(crate) locals: Vec<(String, Value<'p>)>,
    pub(crate) body_statements: HashMap<String, BodyStatement<'s>>,
    bodies: HashMap<String, Option<Option<Body<'p>>>>,
    memo: HashMap<(usize, Option<i64>), Progress<'p>>,
    calls: Vec<usize>,
    /// Names of constraints, where `reaction` and `multiplier` may be used.
    pub(crate) constraint_names: Option<Vec<String>>,
    /// Names of all constraints of the file.
    pub(crate) all_constraints: Vec<String>,
    /// Names declared anywhere, while declarations are read.
    pub(crate) declared: HashMap<String, Span>,
    /// Whether an integer known while the file is read is being read.
    whole: bool,
    /// The first statement that gave energies their dimension.
    energy_from: Option<Span>,
    steps: usize,
    depth: usize,
    exhausted: bool,
}

impl<'p, 's> Reader<'p, 's> {
    pub(crate) fn new(pool: &'p Pool, source: &'s str) -> Self {
        let mut unifier = Unifier::default();
        let (time_dimension, energy) = (unifier.unknown(), unifier.unknown());
        Self {
            pool,
            source,
            unifier,
            diagnostics: Vec::new(),
            names: HashMap::new(),
            callables: HashMap::new(),
            definitions: Vec::new(),
            parameters: Vec::new(),
            coordinates: Vec::new(),
            time: pool.symbol("t"),
            time_dimension,
            energy,
            locals: Vec::new(),
            body_statements: HashMap::new(),
            bodies: HashMap::new(),
            memo: HashMap::new(),
            calls: Vec::new(),
            constraint_names: None,
            all_constraints: Vec::new(),
            declared: HashMap::new(),
            whole: false,
            energy_from: None,
            steps: 0,
            depth: 0,
            exhausted: false,
        }
    }

    pub(crate) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: impl Into<Option<Span>>,
    ) {
        self.say(Diagnostic::error(code, message, hint, span));
    }

    /// Keeps a diagnostic, once per place.
    pub(crate) fn say(&mut self, d: Diagnostic) {
        let again = |o: &Diagnostic| o.code == d.code && o.span == d.span && d.span.is_some();
        let count = self.diagnostics.len();
        if count > galilei_syntax::MAX_ERRORS || self.diagnostics.iter().any(again) {
            return;
        }
        if count == galilei_syntax::MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(
                "too_many_errors",
                format!("there are more than {count} errors; the rest is not listed"),
                "correct the first ones and try again",
                None,
            ));
            return;
        }
        self.diagnostics.push(d);
    }

    /// A place without the parentheses around it.
    pub(crate) fn bare(&self, span: Span) -> Span {
        let mut span = span;
        loop {
            let text = self.text(span);
            let Some(inner) = text.strip_prefix('(').and_then(|s| s.strip_suffix(')')) else {
                return span;
            };
            let mut open = 0_i64;
            for c in inner.chars() {
                open += i64::from(c == '(') - i64::from(c == ')');
                if open < 0 {
                    return span;
                }
            }
            let start = span.start as usize + 1 + (inner.len() - inner.trim_start().len());
            span = Span::new(start, start + inner.trim().len());
        }
    }

    /// The line of a place.
    pub(crate) fn line(&self, span: Span) -> usize {
        galilei_syntax::Lines::new(self.source).place(span.start).0
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    /// The velocity dimension of a coordinate.
    pub(crate) fn rate(&self, d: &Dimension) -> Dimension {
        d.div(&self.time_dimension)
    }

    /// Demands equal dimensions, with what is said if they differ.
    pub(crate) fn agree(
        &mut self,
        (left, what_left): (&Dimension, &str),
        (right, what_right): (&Dimension, &str),
        span: Span,
    ) -> bool {
        let of_energy = what_right.contains("energ") || what_right.contains("power");
        if self.unifier.equate(left, right) {
            if of_energy && self.energy_from.is_none() {
                self.energy_from = Some(span);
            }
            return true;
        }
        let (l, r) = (self.unifier.resolve(left), self.unifier.resolve(right));
        let origin = self.origins(span);
        let mut hint = if origin.is_empty() {
            "check the units".to_owned()
        } else {
            format!("the dimensions come from {origin}")
        };
        if let Some(first) = self.energy_from.filter(|first| of_energy && *first != span) {
            hint += &format!("; the first energy stands in line {}", self.line(first));
        }
        let number = |d: &Dimension, what: &str| {
            d.is_none()
                && what.starts_with('`')
                && what[1..].starts_with(|c: char| c.is_ascii_digit())
        };
        if number(&l, what_left) || number(&r, what_right) {
            hint +=
                "; a number has no dimension: give the quantity a name, `param NAME = 1 [unit]`";
        }
        self.error(
            "dimension_mismatch",
            format!("{what_left} has the dimension [{l}], {what_right} [{r}]"),
            hint,
            span,
        );
        false
    }

    /// Where the dimensions of a place come from: the units of names that stand there.
    fn origins(&self, span: Span) -> String {
        let text = self.text(span);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut seen: Vec<&str> = Vec::new();
        let mut list: Vec<String> = Vec::new();
        for word in text.split(|c: char| !is_name(c)) {
            if word.is_empty() || seen.contains(&word) || list.len() >= 5 {
                continue;
            }
            seen.push(word);
            let found = self.names.get(word);
            let (dimension, unit) = match found.map(|m| m.0) {
                Some(Meaning::Parameter(k) | Meaning::Parameters(_, k, _)) => {
                    let Some(p) = self.parameters.get(k) else {
                        continue;
                    };
                    (p.dimension.clone(), p.unit.clone())
                }
                Some(Meaning::Coordinate(k) | Meaning::Coordinates(_, k, _)) => {
                    let Some(c) = self.coordinates.get(k) else {
                        continue;
                    };
                    (c.dimension.clone(), c.unit_text.clone())
                }
                Some(Meaning::Let(k)) => match self.memo.get(&(k, None)) {
                    Some(Progress::Done(Some(v))) => (v.dimensions[0].clone(), None),
                    _ => continue,
                },
                _ if word == "t" => (self.time_dimension.clone(), Some("s".to_owned())),
                _ => continue,
            };
            let unit = unit.unwrap_or_else(|| self.unifier.resolve(&dimension).to_string());
            list.push(match found {
                Some((_, place)) => format!("{word} [{unit}] in line {}", self.line(*place)),
                None => format!("{word} [{unit}]"),
            });
        }
        list.join(", ")
    }

    // ---- integers ----

    /// The value of an index or a constant.
    pub(crate) fn integer(&mut self, e: &'s Expression, what: &str) -> Option<i64> {
        let outer = std::mem::replace(&mut self.whole, true);
        let v = self.read(e);
        self.whole = outer;
        let v = v?;
        let n = v
            .only()
            .and_then(|(x, _)| x.as_rational())
            .and_then(|q| q.to_i64());
        if n.is_none() || v.uses.symbols {
            self.error(
                "not_an_integer",
                format!(
                    "{what} must be an integer known while the file is read, not `{}`",
                    self.text(e.span)
                ),
                "ranges and indices are made of whole numbers, other indices and constants, `const n = 3`",
                e.span,
            );
            return None;
        }
        n
    }

    pub(crate) fn range(&mut self, r: &'s Range) -> Option<(i64, i64)> {
        let low = self.integer(&r.low, "the start of a range")?;
        let high = self.integer(&r.high, "the end of a range")?;
        let count = high.checked_sub(low).and_then(|c| c.checked_add(1));
        if count.is_none_or(|c| c > MAX_FAMILY) {
            self.error(
                "family_too_large",
                format!("the range {low}..{high} has more than {MAX_FAMILY} members"),
                "split the model or make the range smaller",
                r.low.span.to(r.high.span),
            );
            return None;
        }
        Some((low, high))
    }

    /// Runs for each value of an index.
    pub(crate) fn each(
        &mut self,
        binder: &'s IndexBinder,
        mut f: impl FnMut(&mut Self, i64) -> Option<()>,
    ) -> Option<()> {
        let (low, high) = self.range(&binder.range)?;
        self.check_local(&binder.variable);
        for k in low..=high {
            let value = Value::number(self.pool.number(k));
            self.locals.push((binder.variable.text.clone(), value));
            let done = f(self, k);
            self.locals.pop();
            done?;
        }
        Some(())
    }

    fn check_local(&mut self, name: &Name) {
        if is_reserved(&name.text) {
            self.reserved(name);
        }
    }

    pub(crate) fn reserved(&mut self, name: &Name) {
        let what = match name.text.as_str() {
            "t" => "`t` is time",
            "pi" | "π" => "this is the number π",
            _ => "this word starts a statement",
        };
        self.error(
            "reserved_name",
            format!("`{}` cannot be used as a name: {what}", name.text),
            "choose another name",
            name.span,
        );
    }

    // ---- expressions ----

    /// What an expression means; `None` if that is an error, which has been said.
    pub(crate) fn read(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        self.steps += 1;
        let large = self.steps > MAX_STEPS
            || (self.steps.is_multiple_of(1024) && self.pool.len() > MAX_NODES);
        if large || self.depth > MAX_DEPTH {
            if !self.exhausted {
                self.exhausted = true;
                if large {
                    self.error(
                        "model_too_large",
                        format!("reading this model takes more than {MAX_STEPS} steps"),
                        "make families smaller, or share parts with `let`",
                        e.span,
                    );
                } else {
                    self.error(
                        "nesting_too_deep",
                        format!("definitions refer to definitions more than {MAX_DEPTH} deep"),
                        "shorten the chain of `let`s",
                        e.span,
                    );
                }
            }
            return None;
        }
        if self.exhausted {
            return None;
        }
        self.depth += 1;
        let v = self.read_kind(e);
        self.depth -= 1;
        let v = v?;
        if v.parts.iter().any(|x| x.is_undefined()) {
            self.error(
                "undefined_value",
                format!("`{}` is defined nowhere", self.text(e.span)),
                "a division by zero, or a root or logarithm of a negative number",
                e.span,
            );
            return None;
        }
        Some(v)
    }

    fn read_kind(&mut self, e: &'s Expression) -> Option<Value<'p>> {
        match &e.kind {
            E::Missing => None,
            E::Number(text) => match text.parse::<Rational>() {
                Ok(q) => {
                    let zero = q.is_zero();
                    let mut v = Value::number(self.pool.number(q));
                    if zero {
                        v.dimensions[0] = self.unifier.unknown();
                    }
                    Some(v)
                }
                Err(_) => {
                    self.error(
                        "number_too_large",
                        "this number is out of range",
                        "exponents may reach ±10000",
                        e.span,
                    );
                    None
                }
            },
            E::Name(name) => {
                let span = self.bare(e.span);
                self.name(name, span)
            }
            E::Index(name, index) => {
                let span = self.bare(e.span);
                self.indexed(name, index, span)
            }
            E::Prime(inner, primes) => self.velocity_of(inner, *primes, e.span),
            E::Negate(inner) => {
                let mut v = self.read(inner)?;
                v.parts.iter_mut().for_each(|x| *x = -*x);
                Some(v)
            }
            E::Sum(terms) => self.sum(terms, e.span),
            E::Product(factors) => self.product(factors, e.span),
            E::Power(base, exponent) => self.power(base, exponent, e.span),
            E::Compare(..) | E::Equals(..) => {
                self.error(
                    "unexpected_comparison",
                    "a comparison has no value",
                    "comparisons stand in `if(c, a, b)` and in `assume`",
                    e.span,
                );
                None
            }
            E::Tuple(items) => {
                let mut parts = Vec::new();
                let mut dimensions = Vec::new();
                let mut uses = Uses::default();
                for item in items {
                    let v = self.read(item)?;
                    let (x, d) = self.scalar(&v, item)?;
                    parts.push(x);
                    dimensions.push(d);
                    uses = uses.with(v.uses);
                }
                Some(Value {
                    parts,
                    dimensions,
                    tuple: true,
                    uses,
                })
            }
            E::Component(inner, name) => {
                let v = self.read(inner)?;
                let k = match name.text.as_str() {
                    "x" => Some(0),
                    "y" => Some(1),
                    "z" => Some(2),
                    _ => None,
                };
                match k.filter(|k| *k < v.len()) {
                    Some(k) => Some(Value::scalar(v.parts[k], v.dimensions[k].clone(), v.uses)),
                    None => {
                        self.error(
                            "no_such_component",
                            format!(
                                "`{}` is {} and has no component `.{}`",
                                self.text(inner.span),
                                v.shape(),
                                name.text
                            ),
                            "tuples have .x, .y and .z, as many as components",
                            name.span,
                        );
                        None
                    }
                }
            }
            E::Fold(name, binder, body) => self.fold(name, binder, body, e.span),
            E::Call(name, index, arguments) => self.call(name, index, arguments, e.span),
        }
    }

    /// A scalar, or a one-component tuple.
    pub(crate) fn scalar(
        &mut self,
        v: &Value<'p>,
        e: &Expression,
    ) -> Option<(Expr<'p>, Dimension)> {
        match v.only() {
            Some((x, d)) => Some((x, d.clone())),
            None => {
                self.error(
                    "shape_mismatch",
                    format!(
                        "a scalar is needed here; `{}` is {}",
                        self.text(e.span),
                        v.shape()
                    ),
                    "take a component with .x, .y, .z, or use dot, norm or cross",
                    e.span,
                );
                None
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Value<'p>> {
        if let Some((_, v)) = self.locals.iter().rev().find(|(n, _)| n == name) {
            let mut v = v.clone();
            v.uses = v.uses.seen_at(span);
            return Some(v);
        }
        match name {
            "t" => {
                let uses = Uses {
                    symbols: true,
                    state: Some(span),
                    ..Uses::default()
                };
                return Some(Value::scalar(self.time, self.time_dimension.clone(), uses));
            }
            "pi" | "π" => return Some(Value::number(self.pool.pi())),
            _ => {}
        }
        match self.names.get(name).map(|m| m.0) {
            Some(Meaning::Constant(n)) => {
                let mut v = Value::number(self.pool.number(n));
                if n == 0 {
                    v.dimensions[0] = self.unifier.unknown();
                }
                Some(v)
            }
            Some(Meaning::Parameter(k)) => Some(self.parameter(k)),
            Some(Meaning::Coordinate(k)) => Some(self.coordinate(k, span)),
            Some(Meaning::Let(k)) if self.definitions[k].range.is_none() => {
                self.defined(k, None, name, span)
            }
            Some(Meaning::Broken) => None,
            Some(_) => {
                self.error(
                    "missing_index",
                    format!("`{name}` is a family"),
                    format!("write {name}[k]"),
                    span,
                );
                None
            }
            None => {
                self.unknown(name, span);
                None
            }
        }
    }

    fn parameter(&self, k: usize) -> Value<'p> {
        let p = &self.parameters[k];
        let uses = Uses {
            symbols: true,
            ..Uses::default()
        };
        Value::scalar(p.symbol, p.dimension.clone(), uses)
    }

    fn coordinate(&self, k: usize, span: Span) -> Value<'p> {
        let c = &self.coordinates[k];
        let uses = Uses {
            symbols: true,
            state: Some(span),
            ..Uses::default()
        };
        Value::scalar(c.position, c.dimension.clone(), uses)
    }

    fn unknown(&mut self, name: &str, span: Span) {
        if self.callables.contains_key(name)
            || BUILT_IN.contains(&name)
            || Function::from_name(name).is_some()
        {
            self.error(
                "missing_arguments",
                format!("`{name}` is a function and needs its arguments"),
                format!("write {name}(…)"),
                span,
            );
            return;
        }
        if self.declared.contains_key(name) && self.whole {
            self.error(
                "not_an_integer",
                format!("`{name}` is no constant: ranges are known while the file is read"),
                format!("declare it with `const {name} = 3` to use it in ranges and indices"),
                span,
            );
            return;
        }
        if self.declared.contains_key(name) {
            self.error(
                "declared_later",
                format!("`{name}` is not known yet"),
                "a parameter uses only parameters that stand before it, constants and numbers; exchange them, or use `let`",
                span,
            );
            return;
        }
        if self.diagnostics.len() > galilei_syntax::MAX_ERRORS {
            return;
        }
        let locals: Vec<String> = self.locals.iter().map(|l| l.0.clone()).collect();
        // The nearest of thousands, again and again, takes its time.
        let few = self.names.len() * self.diagnostics.len() < 100_000;
        let none = HashMap::new();
        let known = if few { &self.names } else { &none }
            .keys()
            .map(String::as_str)
            .chain(locals.iter().map(String::as_str))
            .chain(["t", "pi"]);
        // Names come out of a hash table: sort for the same answer every time.
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let hint = match nearest(name, known) {
            Some(w) => format!("did you mean `{w}`?"),
            None => format!("declare it: `param {name} = …`, `coord {name}` or `let {name} = …`"),
        };
        self.error(
            "unknown_name",
            format!("`{name}` is not known here"),
            hint,
            span,
        );
    }

    fn indexed(
        &mut self,
        name: &'s Name,
        index: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let Some((meaning, _)) = self.names.get(&name.text).copied() else {
            self.unknown(&name.text, name.span);
            return None;
        };
        let [index] = index else {
            self.error(
                "wrong_index",
                format!("a family has one index, not {}", index.len()),
                "write q[k]",
                span,
            );
            return None;
        };
        let k = self.integer(index, "an index")?;
        let (low, count) = match meaning {
            Meaning::Parameters(low, _, count) | Meaning::Coordinates(low, _, count) => {
                (low, count as i64)
            }
            Meaning::Broken => return None,
            Meaning::Let(d) if self.definitions[d].range.is_some() => {
                let (low, high) = self.definitions[d].range.unwrap_or((1, 0));
                (low, high - low + 1)
            }
            _ => {
                self.error(
                    "not_a_family",
                    format!("`{}` is not a family and has no index", name.text),
                    format!(
                        "write `{}` alone; a unit needs a space before its bracket",
                        name.text
                    ),
                    span,
                );
                return None;
            }
        };
        if k < low || k - low >= count {
            let range = if count <= 0 {
                "the family is empty".to_owned()
            } else {
                format!("its indices are {low}..{}", low + count - 1)
            };
            self.error(
                "index_out_of_range",
                format!("`{}` has no member {k}: {range}", name.text),
                "check the ends of the range",
                index.span,
            );
            return None;
        }
        match meaning {
            Meaning::Parameters(_, first, _) => Some(self.parameter(first + (k - low) as usize)),
            Meaning::Coordinates(_, first, _) => {
                Some(self.coordinate(first + (k - low) as usize, span))
            }
            Meaning::Let(d) => self.defined(d, Some(k), &name.text, span),
            _ => None,
        }
    }

    /// The value of an abbreviation, computed once.
    fn defined(
        &mut self,
        d: usize,
        index: Option<i64>,
        name: &str,
        span: Span,
    ) -> Option<Value<'p>> {
        match self.memo.get(&(d, index)) {
            Some(Progress::Done(v)) => {
                let mut v = v.clone()?;
                v.uses = v.uses.seen_at(span);
                // Zero fits anything, anew each time it is used.
                for k in 0..v.len() {
                    if v.parts[k].is_zero() && v.dimensions[k].is_unknown() {
                        v.dimensions[k] = self.unifier.unknown();
                    }
                }
                return Some(v);
            }
            Some(Progress::Open) => {
                self.error(
                    "self_reference",
                    format!("the definition of `{name}` refers to itself"),
                    "an abbreviation is made of other things; the chain of `let`s closes here",
                    span,
                );
                return None;
            }
            None => {}
        }
        self.memo.insert((d, index), Progress::Open);
        let declaration = self.definitions[d].declaration;
        let outer = std::mem::take(&mut self.locals);
        if let (Some(k), Some(binder)) = (index, &declaration.binder) {
            let value = Value::number(self.pool.number(k));
            self.locals.push((binder.variable.text.clone(), value));
        }
        let v = declaration.value.as_ref().and_then(|e| self.read(e));
        self.locals = outer;
        self.memo.insert((d, index), Progress::Done(v.clone()));
        let mut v = v?;
        v.uses = v.uses.seen_at(span);
        Some(v)
    }

    /// Reads every abbreviation, also those that nothing uses.
    pub(crate) fn read_definitions(&mut self) {
        for d in 0..self.definitions.len() {
            let declaration = self.definitions[d].declaration;
            if let Some(arguments) = &declaration.parameters {
                // A function that nothing calls: at least its names must be known.
                if let Some(body) = &declaration.value {
                    let mut bound: Vec<&str> = arguments.iter().map(|a| a.text.as_str()).collect();
                    self.known_names(body, &mut bound);
                }
                continue;
            }
            let indices = match self.definitions[d].range {
                Some((low, high)) => (low..=high).map(Some).collect(),
                None => vec![None],
            };
            for k in indices {
                self.defined(d, k, &declaration.name.text, declaration.name.span);
            }
        }
    }

    /// Reports names and functions of a formula that nothing declares.
    fn known_names(&mut self, e: &'s Expression, bound: &mut Vec<&'s str>) {
        match &e.kind {
            E::Number(_) | E::Missing => {}
            E::Name(name) => {
                let known = bound.contains(&name.as_str())
                    || matches!(name.as_str(), "t" | "pi" | "π")
                    || self.names.contains_key(name);
                if !known {
                    let span = self.bare(e.span);
                    self.unknown(name, span);
                }
            }
            E::Index(name, index) => {
                if !self.names.contains_key(&name.text) && !bound.contains(&name.text.as_str()) {
                    self.unknown(&name.text, name.span);
                }
                index.iter().for_each(|i| self.known_names(i, bound));
            }
            E::Prime(a, _) | E::Negate(a) | E::Component(a, _) => self.known_names(a, bound),
            E::Sum(list) | E::Product(list) => {
                list.iter().for_each(|(_, a)| self.known_names(a, bound));
            }
            E::Power(a, b) | E::Compare(_, a, b) | E::Equals(a, b) => {
                self.known_names(a, bound);
                self.known_names(b, bound);
            }
            E::Tuple(list) => list.iter().for_each(|a| self.known_names(a, bound)),
            E::Fold(_, binder, body) => {
                self.known_names(&binder.range.low, bound);
                self.known_names(&binder.range.high, bound);
                bound.push(&binder.variable.text);
                self.known_names(body, bound);
                bound.pop();
            }
            E::Call(name, _, arguments) => {
                let of_statement = matches!(
                    name.text.as_str(),
                    "position" | "velocity" | "omega" | "reaction" | "multiplier"
                );
                if !self.callables.contains_key(&name.text)
                    && !BUILT_IN.contains(&name.text.as_str())
                    && Function::from_name(&name.text).is_none()
                {
                    self.unknown_function(name);
                }
                let skip = usize::from(of_statement);
                arguments
                    .iter()
                    .skip(skip)
                    .for_each(|a| self.known_names(a, bound));
            }
        }
    }

    fn velocity_of(&mut self, inner: &'s Expression, primes: u32, span: Span) -> Option<Value<'p>> {
        if primes > 1 {
            self.error(
                "second_derivative",
                "accelerations cannot stand in a model: they are what is computed",
                "a force may depend on t, positions and velocities",
                span,
            );
            return None;
        }
        let v = self.read(inner)?;
        let found = v
            .only()
            .and_then(|(x, _)| self.coordinates.iter().position(|c| c.position == x));
        let direct = matches!(inner.kind, E::Name(_) | E::Index(..));
        let Some(k) = found.filter(|_| direct) else {
            self.error(
                "not_a_coordinate",
                format!(
                    "only a coordinate has a velocity; `{}` is none",
                    self.text(inner.span)
                ),
                format!(
                    "write D({}) for its total time derivative",
                    self.text(inner.span)
                ),
                span,
            );
            return None;
        };
        let c = &self.coordinates[k];
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        Some(Value::scalar(c.velocity, self.rate(&c.dimension), uses))
    }

    fn sum(&mut self, terms: &'s [(bool, Expression)], span: Span) -> Option<Value<'p>> {
        let mut values = Vec::with_capacity(terms.len());
        for (_, e) in terms {
            values.push(self.read(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let first = &values[0];
        let n = first.len();
        let mut uses = first.uses;
        for (v, (_, e)) in values.iter().zip(terms).skip(1) {
            if v.len() != n {
                let (a, b) = (first.shape(), v.shape());
                self.error(
                    "shape_mismatch",
                    format!("{a} and {b} cannot be added"),
                    "both must have the same number of components",
                    span,
                );
                return None;
            }
            for k in 0..n {
                let left = format!("`{}`", self.text(terms[0].1.span));
                let right = format!("`{}`", self.text(e.span));
                let place = terms[0].1.span.to(e.span);
                if !self.agree(
                    (&first.dimensions[k], &left),
                    (&v.dimensions[k], &right),
                    place,
                ) {
                    return None;
                }
            }
            uses = uses.with(v.uses);
        }
        let parts = (0..n)
            .map(|k| {
                self.pool
                    .sum(values.iter().zip(terms).map(|(v, (minus, _))| {
                        if *minus { -v.parts[k] } else { v.parts[k] }
                    }))
            })
            .collect();
        let tuple = values.iter().any(|v| v.tuple);
        Some(Value {
            parts,
            dimensions: first.dimensions.clone(),
            tuple,
            uses,
        })
    }

    fn product(&mut self, factors: &'s [(bool, Expression)], span: Span) -> Option<Value<'p>> {
        let mut values = Vec::with_capacity(factors.len());
        for (_, e) in factors {
            values.push(self.read(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut uses = Uses::default();
        let mut vector: Option<usize> = None;
        let mut scalars = Vec::with_capacity(values.len());
        let mut dimension = Dimension::none();
        for (k, (v, (divides, e))) in values.iter().zip(factors).enumerate() {
            uses = uses.with(v.uses);
            if v.len() == 1 {
                let x = v.parts[0];
                if *divides {
                    if x.is_zero() {
                        self.error(
                            "undefined_value",
                            format!("`{}` is zero and cannot divide", self.text(e.span)),
                            "check the values and ranges that make it zero",
                            e.span,
                        );
                        return None;
                    }
                    scalars.push(x.recip());
                    dimension = dimension.div(&v.dimensions[0]);
                } else {
                    scalars.push(x);
                    dimension = dimension.mul(&v.dimensions[0]);
                }
            } else if *divides || vector.is_some() {
                self.error(
                    "shape_mismatch",
                    if *divides {
                        "nothing can be divided by a tuple"
                    } else {
                        "two tuples cannot be multiplied with *"
                    },
                    "use dot(a, b), cross(a, b) or norm(a)",
                    e.span,
                );
                return None;
            } else {
                vector = Some(k);
            }
        }
        let tuple = values.iter().any(|v| v.tuple);
        let Some(k) = vector else {
            let mut v = Value::scalar(self.factors(scalars, span)?, dimension, uses);
            v.tuple = tuple;
            return Some(v);
        };
        let scale = self.factors(scalars, span)?;
        let v = &values[k];
        Some(Value {
            parts: v.parts.iter().map(|x| *x * scale).collect(),
            dimensions: v.dimensions.iter().map(|d| d.mul(&dimension)).collect(),
            tuple: true,
            uses,
        })
    }

    /// A product, unless it has too many factors.
    fn factors(&mut self, list: Vec<Expr<'p>>, span: Span) -> Option<Expr<'p>> {
        let e = self.pool.product(list);
        let count = match e.view() {
            galilei_expr::View::Product(factors) => factors.len(),
            _ => 1,
        };
        if count > MAX_FACTORS {
            self.error(
                "model_too_large",
                format!("this is a product of {count} factors; the limit is {MAX_FACTORS}"),
                "equal factors are one power; a sum of logarithms may say the same",
                span,
            );
            return None;
        }
        Some(e)
    }

    fn power(
        &mut self,
        base: &'s Expression,
        exponent: &'s Expression,
        span: Span,
    ) -> Option<Value<'p>> {
        let b = self.read(base);
        let n = self.read(exponent);
        let (b, n) = (b?, n?);
        let (x, dx) = self.scalar(&b, base)?;
        let (y, dy) = self.scalar(&n, exponent)?;
        let what = format!("the exponent `{}`", self.text(exponent.span));
        if !self.agree(
            (&dy, &what),
            (&Dimension::none(), "an exponent must have none,"),
            exponent.span,
        ) {
            return None;
        }
        let dimension = match y.as_rational().filter(|_| !n.uses.symbols) {
            Some(q) => dx.pow(&q),
            None => {
                let what = format!("`{}`", self.text(base.span));
                let none = Dimension::none();
                if !self.agree(
                    (&dx, &what),
                    (
                        &none,
                        "the base of a power with a symbolic exponent must have none,",
                    ),
                    span,
                ) {
                    return None;
                }
                none
            }
        };
        Some(Value::scalar(x.pow(y), dimension, b.uses.with(n.uses)))
    }

    fn fold(
        &mut self,
        name: &Name,
        binder: &'s IndexBinder,
        body: &'s Expression,
        span: Span,
    ) -> Option<Value<'p>> {
        let mut values: Vec<Value<'p>> = Vec::new();
        let (low, _) = self.range(&binder.range)?;
        self.each(binder, |r, _| {
            values.push(r.read(body)?);
            Some(())
        })?;
        let sum = name.text == "sum";
        if values.is_empty() {
            if !sum {
                return Some(Value::number(self.pool.one()));
            }
            return self.empty_sum(binder, body);
        }
        let mut uses = Uses::default();
        values.iter().for_each(|v| uses = uses.with(v.uses));
        let n = values[0].len();
        if values.iter().any(|v| v.len() != n) || (!sum && n != 1) {
            self.error(
                "shape_mismatch",
                if sum {
                    "the terms of this sum have different shapes"
                } else {
                    "a product over a family is one of scalars"
                },
                "every member must have the same number of components",
                body.span,
            );
            return None;
        }
        if !sum {
            let mut d = Dimension::none();
            values.iter().for_each(|v| d = d.mul(&v.dimensions[0]));
            let e = self.factors(values.iter().map(|v| v.parts[0]).collect(), span)?;
            return Some(Value::scalar(e, d, uses));
        }
        for (k, v) in values.iter().enumerate().skip(1) {
            for i in 0..n {
                let (a, b) = (
                    format!("the term for {} = {low}", binder.variable.text),
                    format!("that for {} = {}", binder.variable.text, low + k as i64),
                );
                if !self.agree((&values[0].dimensions[i], &a), (&v.dimensions[i], &b), span) {
                    return None;
                }
            }
        }
        let parts = (0..n)
            .map(|i| self.pool.sum(values.iter().map(|v| v.parts[i])))
            .collect();
        Some(Value {
            parts,
            dimensions: values[0].dimensions.clone(),
            tuple: values[0].tuple,
            uses,
        })
    }

    /// An empty sum is zero of its body's shape, which is read off a body for some index.
    fn empty_sum(&mut self, binder: &'s IndexBinder, body: &'s Expression) -> Option<Value<'p>> {
        let n = self.shape_of(body, &binder.variable.text, 0).unwrap_or(1);
        let dimensions = (0..n).map(|_| self.unifier.unknown()).collect();
        Some(Value {
            parts: vec![self.pool.zero(); n],
            dimensions,
            tuple: n > 1,
            uses: Uses::default(),
        })
    }

    /// How many components an expression has, without reading members that may not exist.
    fn shape_of(&mut self, e: &'s Expression, bound: &str, depth: usize) -> Option<usize> {
        if depth > 64 {
            return None;
        }
        match &e.kind {
            E::Tuple(items) => Some(items.len()),
            E::Negate(a) => self.shape_of(a, bound, depth + 1),
            E::Sum(terms) => terms
                .iter()
                .find_map(|(_, t)| self.shape_of(t, bound, depth + 1)),
            E::Product(factors) => factors
                .iter()
                .filter_map(|(_, f)| self.shape_of(f, bound, depth + 1))
                .max(),
            E::Fold(_, binder, body) => self.shape_of(body, &binder.variable.text, depth + 1),
            E::Name(name) if name != bound => match self.names.get(name).map(|m| m.0) {
                Some(Meaning::Let(d)) => {
                    let declaration = self.definitions[d].declaration;
                    let value = declaration.value.as_ref()?;
                    self.shape_of(value, "", depth + 1)
                }
                _ => self
                    .locals
                    .iter()
                    .rev()
                    .find(|l| &l.0 == name)
                    .map(|l| l.1.len())
                    .or(Some(1)),
            },
            E::Index(name, _) => match self.names.get(&name.text).map(|m| m.0) {
                Some(Meaning::Let(d)) => {
                    let declaration = self.definitions[d].declaration;
                    let value = declaration.value.as_ref()?;
                    self.shape_of(value, "", depth + 1)
                }
                _ => Some(1),
            },
            E::Call(name, _, arguments) => match name.text.as_str() {
                "D" => arguments
                    .first()
                    .and_then(|a| self.shape_of(a, bound, depth + 1)),
                "position" | "velocity" => arguments
                    .get(1)
                    .and_then(|a| self.shape_of(a, bound, depth + 1)),
                "if" => arguments
                    .get(1)
                    .and_then(|a| self.shape_of(a, bound, depth + 1)),
                "cross" => match arguments
                    .first()
                    .and_then(|a| self.shape_of(a, bound, depth + 1))
                {
                    Some(3) => Some(3),
                    _ => Some(1),
                },
                _ => match self.callables.get(&name.text) {
                    Some((Callable::Own(d), _)) => {
                        let value = self.definitions[*d].declaration.value.as_ref()?;
                        self.shape_of(value, "", depth + 1)
                    }
                    _ => Some(1),
                },
            },
            _ => Some(1),
        }
    }

    // ---- calls ----

    fn call(
        &mut self,
        name: &'s Name,
        index: &'s [Expression],
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        if !index.is_empty() {
            self.error(
                "not_a_family",
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
            };
        }
        match name.text.as_str() {
            "if" => return self.condition(arguments, span),
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
            "position" | "velocity" | "omega" => return self.of_body(name, arguments, span),
            "reaction" | "multiplier" => return self.of_constraint(name, arguments, span),
            _ => {}
        }
        let Some(f) = Function::from_name(&name.text) else {
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

    fn unknown_function(&mut self, name: &Name) {
        let known = [
            "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
            "log", "sqrt", "abs", "sign", "min", "max", "if", "dot", "cross", "norm", "D", "sum",
            "product", "position", "velocity", "omega",
        ];
        let mut own: Vec<&str> = self.callables.keys().map(String::as_str).collect();
        own.sort_unstable();
        let hint = if self.names.contains_key(&name.text) {
            format!(
                "`{0}` is not a function; write {0}*(…) for a product",
                name.text
            )
        } else {
            match nearest(&name.text, known.into_iter().chain(own)) {
                Some(w) => format!("did you mean `{w}`?"),
                None => format!(
                    "declare it: `function {0}(x)` or `let {0}(x) = …`",
                    name.text
                ),
            }
        };
        self.error(
            "unknown_function",
            format!("there is no function `{}`", name.text),
            hint,
            name.span,
        );
    }

    fn count(&mut self, name: &Name, wanted: usize, given: usize) {
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
            "wrong_argument_count",
            format!("`{}` takes {wanted} argument{s}, not {given}", name.text),
            format!("write {}({list})", name.text),
            name.span,
        );
    }

    fn arguments<const N: usize>(
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

    /// `let f(s) = …` at given arguments.
    fn own(&mut self, d: usize, arguments: &'s [Expression], span: Span) -> Option<Value<'p>> {
        let declaration = self.definitions[d].declaration;
        let parameters = declaration.parameters.as_deref().unwrap_or_default();
        if parameters.len() != arguments.len() {
            self.count(&declaration.name, parameters.len(), arguments.len());
            if let Some(last) = self.diagnostics.last_mut() {
                last.span = Some(span);
            }
            return None;
        }
        if self.calls.contains(&d) {
            self.error(
                "self_reference",
                format!("the function `{}` calls itself", declaration.name.text),
                "functions of one's own are formulas, not programs",
                span,
            );
            return None;
        }
        let mut values = Vec::new();
        for a in arguments {
            values.push(self.read(a));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let outer = std::mem::take(&mut self.locals);
        for (p, v) in parameters.iter().zip(values) {
            self.locals.push((p.text.clone(), v));
        }
        self.calls.push(d);
        let v = declaration.value.as_ref().and_then(|e| self.read(e));
        self.calls.pop();
        self.locals = outer;
        let mut v = v?;
        v.uses = v.uses.seen_at(span);
        Some(v)
    }

    fn undetermined(
        &mut self,
        name: &str,
        inputs: &[Dimension],
        output: &Dimension,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        if inputs.len() != arguments.len() {
            let name = Name {
                text: name.to_owned(),
                span,
            };
            self.count(&name, inputs.len(), arguments.len());
            return None;
        }
        let mut uses = Uses {
            symbols: true,
            ..Uses::default()
        };
        let mut list = Vec::new();
        for (a, d) in arguments.iter().zip(inputs) {
            let v = self.read(a)?;
            let (x, dx) = self.scalar(&v, a)?;
            let what = format!("`{}`", self.text(a.span));
            let other = format!("the argument of `{name}` elsewhere");
            if !self.agree((&dx, &what), (d, &other), a.span) {
                return None;
            }
            uses = uses.with(v.uses);
            list.push(x);
        }
        Some(Value::scalar(
            self.pool.function(name).at(list),
            output.clone(),
            uses,
        ))
    }

    fn condition(&mut self, arguments: &'s [Expression], span: Span) -> Option<Value<'p>> {
        let [c, then, otherwise] = arguments else {
            let name = Name {
                text: "if".into(),
                span,
            };
            self.count(&name, 3, arguments.len());
            return None;
        };
        let E::Compare(comparison, left, right) = &c.kind else {
            self.error(
                "expected_comparison",
                format!(
                    "the condition of `if` is a comparison, not `{}`",
                    self.text(c.span)
                ),
                "write if(a < b, …, …) with <, <=, > or >=",
                c.span,
            );
            return None;
        };
        let (a, b) = (self.read(left), self.read(right));
        let (then_value, else_value) = (self.read(then), self.read(otherwise));
        let (a, b, v, w) = (a?, b?, then_value?, else_value?);
        let (x, dx) = self.scalar(&a, left)?;
        let (y, dy) = self.scalar(&b, right)?;
        let (l, r) = (
            format!("`{}`", self.text(left.span)),
            format!("`{}`", self.text(right.span)),
        );
        if !self.agree((&dx, &l), (&dy, &r), c.span) {
            return None;
        }
        if v.len() != w.len() {
            self.error(
                "shape_mismatch",
                "the two values of `if` have different shapes",
                "both must have the same number of components",
                span,
            );
            return None;
        }
        let (l, r) = (
            format!("`{}`", self.text(then.span)),
            format!("`{}`", self.text(otherwise.span)),
        );
        for k in 0..v.len() {
            if !self.agree((&v.dimensions[k], &l), (&w.dimensions[k], &r), span) {
                return None;
            }
        }
        let mut uses = a.uses.with(b.uses).with(v.uses).with(w.uses);
        if a.uses.state.or(b.uses.state).is_some() {
            uses.kink = uses.kink.or(Some(span));
        }
        let parts = v
            .parts
            .iter()
            .zip(&w.parts)
            .map(|(&p, &q)| match comparison {
                Comparison::Less => x.if_less(y, p, q),
                Comparison::LessEqual => x.if_less_equal(y, p, q),
                Comparison::Greater => y.if_less(x, p, q),
                Comparison::GreaterEqual => y.if_less_equal(x, p, q),
            });
        Some(Value {
            parts: parts.collect(),
            dimensions: v.dimensions.clone(),
            tuple: v.tuple,
            uses,
        })
    }

    /// ∂e/∂t + u·∂e/∂x
    pub(crate) fn total_derivative(&mut self, v: &Value<'p>, span: Span) -> Option<Value<'p>> {
        if let Some(place) = v.uses.velocity {
            self.error(
                "velocity_not_allowed",
                "D of something with velocities would need accelerations",
                "D takes functions of t and positions",
                place,
            );
            return None;
        }
        let mut rates = vec![(self.time, self.pool.one())];
        rates.extend(self.coordinates.iter().map(|c| (c.position, c.velocity)));
        let parts = v.parts.iter().map(|x| x.derivative_along(&rates)).collect();
        let dimensions = v.dimensions.iter().map(|d| self.rate(d)).collect();
        let mut uses = v.uses;
        uses.symbols = true;
        uses.velocity = v.uses.state.map(|_| span);
        Some(Value {
            parts,
            dimensions,
            tuple: v.tuple,
            uses,
        })
    }

    fn same_size(&mut self, a: &Value<'p>, b: &Value<'p>, span: Span) -> Option<()> {
        if a.len() == b.len() {
            return Some(());
        }
        self.error(
            "shape_mismatch",
            format!("{} and {} do not fit together", a.shape(), b.shape()),
            "both must have the same number of components",
            span,
        );
        None
    }

    fn pairing(
        &mut self,
        which: &str,
        a: &Value<'p>,
        b: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        self.same_size(a, b, span)?;
        let uses = a.uses.with(b.uses);
        let product = |i: usize, j: usize| {
            (
                a.parts[i] * b.parts[j],
                a.dimensions[i].mul(&b.dimensions[j]),
            )
        };
        let n = a.len();
        if which == "dot" {
            let terms: Vec<(Expr<'p>, Dimension)> = (0..n).map(|i| product(i, i)).collect();
            self.alike(&terms, span)?;
            let e = self.pool.sum(terms.iter().map(|t| t.0));
            return Some(Value::scalar(e, terms[0].1.clone(), uses));
        }
        let pairs: &[(usize, usize)] = match n {
            2 => &[(0, 1)],
            3 => &[(1, 2), (2, 0), (0, 1)],
            _ => {
                self.error(
                    "shape_mismatch",
                    format!("cross takes tuples of two or three, not of {n}"),
                    "in the plane cross(a, b) is the scalar a.x*b.y - a.y*b.x",
                    span,
                );
                return None;
            }
        };
        let mut parts = Vec::new();
        let mut dimensions = Vec::new();
        for &(i, j) in pairs {
            let terms = [product(i, j), product(j, i)];
            self.alike(&terms, span)?;
            parts.push(terms[0].0 - terms[1].0);
            dimensions.push(terms[0].1.clone());
        }
        Some(Value {
            tuple: n == 3,
            parts,
            dimensions,
            uses,
        })
    }

    fn alike(&mut self, terms: &[(Expr<'p>, Dimension)], span: Span) -> Option<()> {
        for t in &terms[1..] {
            if !self.agree((&terms[0].1, "one component"), (&t.1, "another"), span) {
                return None;
            }
        }
        Some(())
    }

    /// ‖v‖
    pub(crate) fn norm(&mut self, v: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let square = self.pairing("dot", v, v, span)?;
        let half = Rational::new(1, 2);
        let d = square.dimensions[0].pow(&half);
        let mut out = Value::scalar(square.parts[0].sqrt(), d, v.uses);
        if v.len() == 1 && v.uses.state.is_some() {
            // The norm of a scalar is its absolute value.
            out.uses.kink = out.uses.kink.or(Some(span));
        }
        Some(out)
    }

    fn of_constraint(
        &mut self,
        name: &Name,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let Some(known) = self.constraint_names.clone() else {
            self.error(
                "only_in_outputs",
                format!("`{}` is known only after the motion is computed", name.text),
                "it may stand in `output` statements",
                span,
            );
            return None;
        };
        let [a] = self.arguments(arguments, name)?;
        let label = self.label_of(a)?;
        if !known.contains(&label) {
            let hint = match nearest(&label, known.iter().map(String::as_str)) {
                Some(w) => format!("did you mean `{w}`?"),
                None => "name a `constraint` of this model".into(),
            };
            self.error(
                "unknown_constraint",
                format!("there is no constraint `{label}`"),
                hint,
                a.span,
            );
            return None;
        }
        let symbol = self.pool.symbol(&format!("{}({label})", name.text));
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        Some(Value::scalar(symbol, self.unifier.unknown(), uses))
    }

    /// `rod` or `rod[k]` as the name of a statement.
    pub(crate) fn label_of(&mut self, e: &'s Expression) -> Option<String> {
        match &e.kind {
            E::Name(name) => Some(name.clone()),
            E::Index(name, index) if index.len() == 1 => {
                let k = self.integer(&index[0], "an index")?;
                Some(format!("{}[{k}]", name.text))
            }
            _ => {
                self.error(
                    "expected_name",
                    format!(
                        "the name of a statement is needed, not `{}`",
                        self.text(e.span)
                    ),
                    "write the name as it stands before the colon of the statement",
                    e.span,
                );
                None
            }
        }
    }

    pub(crate) fn label(&mut self, l: &'s Label) -> Option<String> {
        match &l.index {
            None => Some(l.name.text.clone()),
            Some(index) => {
                let k = self.integer(index, "an index")?;
                Some(format!("{}[{k}]", l.name.text))
            }
        }
    }

    // ---- bodies ----

    /// A body by name, read once.
    pub(crate) fn body(&mut self, name: &str, span: Span) -> Option<Body<'p>> {
        match self.bodies.get(name) {
            Some(Some(body)) => return body.clone(),
            Some(None) => {
                self.error(
                    "self_reference",
                    format!("the body `{name}` is placed with the help of itself"),
                    "its position must not use position, velocity or omega of the same body",
                    span,
                );
                return None;
            }
            None => {}
        }
        let Some(statement) = self.body_statements.get(name) else {
            let mut known: Vec<&str> = self.body_statements.keys().map(String::as_str).collect();
            known.sort_unstable();
            // A member that does not exist of a family that does.
            let family =
                |w: &str| name.split_once('[').map(|p| p.0) == w.split_once('[').map(|p| p.0);
            let members: Vec<&str> = match name.contains('[') {
                true => known.iter().copied().filter(|w| family(w)).collect(),
                false => vec![],
            };
            let hint = match nearest(name, known) {
                _ if !members.is_empty() => {
                    let more = if members.len() > 6 { ", …" } else { "" };
                    format!(
                        "there are {}{more}",
                        members[..members.len().min(6)].join(", ")
                    )
                }
                Some(w) => format!("did you mean `{w}`?"),
                None if self.body_statements.is_empty() => {
                    "there is none: declare `body NAME: mass M inertia J at (x, y) angle φ`".into()
                }
                None => "name a `body` of this model".into(),
            };
            self.error(
                "unknown_body",
                format!("there is no body `{name}`"),
                hint,
                span,
            );
            return None;
        };
        let (mass, inertia, at, orientation) = (
            statement.mass,
            statement.inertia,
            statement.at,
            statement.orientation,
        );
        let indices = statement.locals.clone();
        self.bodies.insert(name.to_owned(), None);
        let outer = std::mem::take(&mut self.locals);
        for (index, k) in indices {
            let value = Value::number(self.pool.number(k));
            self.locals.push((index, value));
        }
        let body = self.read_body(mass, inertia, at, orientation);
        self.locals = outer;
        self.bodies.insert(name.to_owned(), Some(body.clone()));
        body
    }

    /// The velocity of the material point at `position(BODY, ARM)`; an error for anything else.
    pub(crate) fn material_velocity(
        &mut self,
        point: &'s Expression,
        place: Span,
    ) -> Option<Value<'p>> {
        if let E::Call(name, _, arguments) = &point.kind
            && name.text == "position"
        {
            let label = self.label_of(&arguments[0])?;
            let body = self.body(&label, arguments[0].span)?;
            let arm = self.read(&arguments[1])?;
            return body.point_velocity(self, &arm, point.span);
        }
        self.error(
            "sliding_point",
            format!(
                "`{}` slides along its body, so its motion is not that of the material point the force acts on",
                self.text(place)
            ),
            "write the point as `at position(BODY, …)` in the force itself",
            point.span,
        );
        None
    }

    fn of_body(
        &mut self,
        name: &'s Name,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let wanted = if name.text == "omega" { 1 } else { 2 };
        if arguments.len() != wanted {
            self.count(name, wanted, arguments.len());
            return None;
        }
        let label = self.label_of(&arguments[0])?;
        let body = self.body(&label, arguments[0].span)?;
        if name.text == "omega" {
            return Some(body.omega(self, span));
        }
        let arm = self.read(&arguments[1])?;
        self.same_size(&body.position, &arm, arguments[1].span)?;
        for k in 0..arm.len() {
            let what = format!("`{}`", self.text(arguments[1].span));
            if !self.agree(
                (&arm.dimensions[k], &what),
                (&body.position.dimensions[k], "the position of the body"),
                span,
            ) {
                return None;
            }
        }
        if name.text == "position" {
            let mut point = body.point(self, &arm, span);
            let slides = |c: &Coordinate<'p>| arm.parts.iter().any(|a| a.contains(c.position));
            if self.coordinates.iter().any(slides) {
                point.uses.sliding = Some(span);
            }
            Some(point)
        } else {
            body.point_velocity(self, &arm, span)
        }
    }
}

/// Functions of the language beside the elementary ones.
pub(crate) const BUILT_IN: [&str; 13] = [
    "sqrt",
    "if",
    "dot",
    "cross",
    "norm",
    "D",
    "sum",
    "product",
    "position",
    "velocity",
    "omega",
    "reaction",
    "multiplier",
];

/// Whether a word cannot name a value.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "pi" | "π") || galilei_syntax::statement_words().any(|w| w == name)
}
