//! Claims: `EXPR = EXPR` outside of models, where every name is a real symbol.

mod forms;

use galilei_expr::{Assumptions, Expr, Function, Pool, Query, Rational, View};
use galilei_geometry::Chart;
use galilei_syntax::{Comparison, Expression, ExpressionKind as E, SyntaxCode};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, refused};

pub use forms::read_form;

/// Derivatives may not make a claim larger than this many operands.
const MAX_OPERANDS: usize = 1_000_000;

/// An upper bound for the operands of a derivative in the shared form: a product of k factors becomes k products.
/// Counting stops at the limit.
fn derivative_size(e: Expr<'_>) -> usize {
    let mut stack = vec![e];
    let mut seen = std::collections::HashSet::new();
    let mut size = 0usize;
    while let Some(e) = stack.pop() {
        if size > MAX_OPERANDS || !seen.insert(e.id()) {
            continue;
        }
        let view = e.view();
        size += match &view {
            View::Sum(terms) => terms.len(),
            View::Product(factors) => factors.len() * factors.len(),
            View::Call(_, arguments) | View::Undetermined { arguments, .. } => {
                4 + arguments.len() * arguments.len()
            }
            View::If { .. } => 4,
            _ => 0,
        };
        stack.extend(view.operands());
    }
    size
}

struct Claim<'p, 's> {
    pool: &'p Pool,
    source: &'s str,
    errors: Vec<Diagnostic>,
    /// Every part as it was written, before anything cancelled.
    parts: Vec<Expr<'p>>,
    /// The expressions that were differentiated.
    differentiated: Vec<Expr<'p>>,
    /// The chart of all symbols, if the claim is about forms.
    chart: Option<Chart<'p>>,
}

/// Reads the claim `EXPR = EXPR` about scalars, to be judged where all its written parts are defined and the
/// assumptions, such as `x > 0`, hold.
///
/// ```
/// use galilei_expr::Pool;
/// use galilei_model::read_claim;
/// let pool = Pool::new();
/// let claim = read_claim(&pool, "sqrt(x^2) = x", &["x > 0"]).unwrap();
/// assert!(claim.decide().is_proved());
/// let claim = read_claim(&pool, "diff(f(x*y), x) = y*diff(f(x*y), y)/x", &[]).unwrap();
/// assert!(claim.decide().is_proved());
/// ```
pub fn read_claim<'p>(
    pool: &'p Pool,
    text: &str,
    assume: &[&str],
) -> Result<Query<'p>, Vec<Diagnostic>> {
    let mut list = read_claims(pool, text, assume)?;
    match list.len() {
        1 => Ok(list.remove(0)),
        _ => Err(refused(
            Code::DegreeMismatch,
            "this claim is about differential forms, one of scalars (degree 0) is needed",
            "write an equation between scalars",
        )),
    }
}

/// Reads the claim `EXPR = EXPR` about scalars or differential forms: one claim for each component of the forms, all
/// of which must hold. Forms are on the space of all symbols of the claim.
///
/// ```
/// use galilei_expr::Pool;
/// use galilei_model::read_claims;
/// let pool = Pool::new();
/// let claims = read_claims(&pool, "d(x*d(t)) = d(x) /\\ d(t)", &[]).unwrap();
/// assert!(claims.iter().all(|c| c.clone().decide().is_proved()));
/// let claims = read_claims(&pool, "d(contact(x)) = d(t) /\\ d(x')", &[]).unwrap();
/// assert!(claims.iter().all(|c| c.clone().decide().is_proved()));
/// ```
pub fn read_claims<'p>(
    pool: &'p Pool,
    text: &str,
    assume: &[&str],
) -> Result<Vec<Query<'p>>, Vec<Diagnostic>> {
    let tree = parsed(text)?;
    let E::Equals(left, right) = &tree.kind else {
        return Err(vec![Diagnostic::error(
            Code::ExpectedEquation,
            "a claim is an equation",
            "write \"EXPR = EXPR\"",
            tree.span,
        )]);
    };
    let mut claim = Claim::new(pool, text);
    let pairs = if claim.is_about_forms(&tree) {
        claim.form_equation(left, right, &tree)
    } else {
        let (a, b) = (claim.read(left), claim.read(right));
        a.zip(b).map(|pair| vec![pair])
    };
    let Some(pairs) = pairs else {
        return Err(claim.errors);
    };
    let assumptions = read_assumptions(pool, assume)?;
    let query = |(a, b)| {
        Query::equal(a, b)
            .defined(claim.parts.clone())
            .with_derivatives_of(claim.differentiated.clone())
            .assuming(&assumptions)
    };
    Ok(pairs.into_iter().map(query).collect())
}

/// Reads assumptions, strict inequalities.
fn read_assumptions<'p>(
    pool: &'p Pool,
    assume: &[&str],
) -> Result<Assumptions<'p>, Vec<Diagnostic>> {
    let mut assumptions = Assumptions::new();
    for text in assume {
        let tree = parsed(text)?;
        let mut reader = Claim::new(pool, text);
        let E::Compare(comparison, left, right) = &tree.kind else {
            return Err(refused(
                Code::ExpectedComparison,
                format!("`{text}` is no inequality"),
                "write --assume \"x > 0\"",
            ));
        };
        let (l, r) = (reader.read(left), reader.read(right));
        let (Some(l), Some(r)) = (l, r) else {
            return Err(reader.errors);
        };
        assumptions = match comparison {
            Comparison::Greater => assumptions.positive(l - r),
            Comparison::Less => assumptions.positive(r - l),
            _ => {
                return Err(refused(
                    Code::WeakAssumption,
                    "an assumption is strict",
                    "write > or <",
                ));
            }
        };
    }
    Ok(assumptions)
}

/// Reads an expression outside of models, where every name is a real symbol.
///
/// ```
/// use galilei_expr::Pool;
/// use galilei_model::read_expression;
/// let pool = Pool::new();
/// let e = read_expression(&pool, "diff(a*sin(w*t), t)").unwrap();
/// assert_eq!(e.to_string(), "a*w*cos(t*w)");
/// ```
pub fn read_expression<'p>(pool: &'p Pool, text: &str) -> Result<Expr<'p>, Vec<Diagnostic>> {
    let tree = parsed(text)?;
    let mut claim = Claim::new(pool, text);
    claim.read(&tree).ok_or(claim.errors)
}

fn parsed(text: &str) -> Result<Expression, Vec<Diagnostic>> {
    if text.len() > galilei_syntax::MAX_FILE_BYTES {
        return Err(refused(
            SyntaxCode::FileTooLarge,
            "the claim is too long",
            "",
        ));
    }
    let (tree, errors) = galilei_syntax::parse_expression(text);
    if errors.is_empty() {
        Ok(tree)
    } else {
        Err(errors.into_iter().map(Diagnostic::from).collect())
    }
}

impl<'p, 's> Claim<'p, 's> {
    fn new(pool: &'p Pool, source: &'s str) -> Self {
        Self {
            pool,
            source,
            errors: vec![],
            parts: vec![],
            differentiated: vec![],
            chart: None,
        }
    }
}

impl<'p> Claim<'p, '_> {
    fn error(
        &mut self,
        code: impl Into<Code>,
        message: impl Into<String>,
        hint: impl Into<String>,
        e: &Expression,
    ) {
        self.errors
            .push(Diagnostic::error(code, message, hint, e.span));
    }

    fn keep(&mut self, e: Expr<'p>) -> Option<Expr<'p>> {
        self.parts.push(e);
        Some(e)
    }

    fn text(&self, e: &Expression) -> &str {
        e.span.text(self.source)
    }

    fn read(&mut self, e: &Expression) -> Option<Expr<'p>> {
        match &e.kind {
            E::Missing => None,
            E::Number(text) => match text.parse::<Rational>() {
                Ok(q) => Some(self.pool.number(q)),
                Err(_) => {
                    self.error(
                        Code::NumberTooLarge,
                        "this number is out of range",
                        "exponents may reach ±10000",
                        e,
                    );
                    None
                }
            },
            E::Name(name) if name == "pi" || name == "π" => Some(self.pool.pi()),
            E::Name(name) => Some(self.pool.symbol(name)),
            E::Index(name, index) => {
                let mut list = Vec::new();
                for i in index {
                    let text = self.text(i).trim().to_owned();
                    list.push(text);
                }
                Some(
                    self.pool
                        .symbol(&format!("{}[{}]", name.text, list.join(","))),
                )
            }
            E::Prime(inner, primes) => match &inner.kind {
                E::Name(_) | E::Index(..) | E::Call(..) => {
                    let name = format!("{}{}", self.text(inner), "'".repeat(*primes as usize));
                    Some(self.pool.symbol(&name))
                }
                _ => {
                    self.error(
                        Code::NotACoordinate,
                        "a prime belongs behind a name",
                        "write x'",
                        e,
                    );
                    None
                }
            },
            E::Negate(inner) => {
                let v = self.read(inner)?;
                Some(-v)
            }
            E::Sum(terms) => {
                let mut list = Vec::new();
                for (minus, t) in terms {
                    let v = self.read(t)?;
                    list.push(if *minus { -v } else { v });
                }
                let sum = self.pool.sum(list);
                self.keep(sum)
            }
            E::Product(factors) => {
                let mut list = Vec::new();
                for (divides, f) in factors {
                    let v = self.read(f)?;
                    list.push(if *divides { self.keep(v.recip())? } else { v });
                }
                let product = self.pool.product(list);
                self.keep(product)
            }
            E::Power(base, exponent) => {
                let b = self.read(base)?;
                let n = self.read(exponent)?;
                if mentions_name(exponent) {
                    // x^y is exp(y·log x), also where y turns out to be a number.
                    self.keep(b.log());
                }
                self.keep(b.pow(n))
            }
            E::Compare(..) | E::Equals(..) => {
                self.error(
                    Code::UnexpectedComparison,
                    "a comparison has no value",
                    "comparisons are allowed in if(c, a, b)",
                    e,
                );
                None
            }
            E::Call(name, index, arguments) => self.call(e, &name.text, index, arguments),
            E::Wedge(_) => {
                self.error(
                    Code::DegreeMismatch,
                    "a wedge product is a differential form; a function (degree 0) is needed here",
                    "forms are made by d( ), contact( ), /\\, sums and multiples",
                    e,
                );
                None
            }
            E::Tuple(_) | E::Component(..) | E::Fold(..) => {
                self.error(
                    Code::OnlyInModels,
                    format!("`{}` has a meaning only in a model", self.text(e)),
                    "claims are about scalars: numbers, names and functions",
                    e,
                );
                None
            }
        }
    }

    fn call(
        &mut self,
        e: &Expression,
        name: &str,
        index: &[Expression],
        arguments: &[Expression],
    ) -> Option<Expr<'p>> {
        if name == "if" {
            return self.condition(e, arguments);
        }
        // Names of the language outside of models.
        let symbol = matches!(name, "p" | "multiplier" | "delta" | "jacobi" | "reaction");
        if symbol && arguments.len() == 1 && names_something(&arguments[0]) {
            return Some(self.pool.symbol(self.text(e)));
        }
        let mut list = Vec::new();
        for a in arguments {
            list.push(self.read(a)?);
        }
        match (name, list.as_slice()) {
            ("sqrt", [x]) => return self.keep(x.sqrt()),
            ("diff", [of, by]) if by.is_symbol() => {
                if derivative_size(*of) > MAX_OPERANDS {
                    self.error(
                        Code::ModelTooLarge,
                        "the derivatives of this claim grow too large",
                        "",
                        e,
                    );
                    return None;
                }
                self.differentiated.push(*of);
                let d = of.diff(*by);
                return self.keep(d);
            }
            ("diff", _) => {
                self.error(
                    Code::WrongArgumentCount,
                    "diff takes an expression and a name",
                    "write diff(e, x)",
                    e,
                );
                return None;
            }
            _ => {}
        }
        if list.is_empty() {
            self.error(
                Code::WrongArgumentCount,
                format!("`{name}` has no arguments"),
                "write a name without parentheses",
                e,
            );
            return None;
        }
        if let Some(f) = Function::from_name(name) {
            if list.len() != f.arity() {
                self.error(
                    Code::WrongArgumentCount,
                    format!(
                        "`{name}` takes {} argument(s), not {}",
                        f.arity(),
                        list.len()
                    ),
                    "check the commas",
                    e,
                );
                return None;
            }
            return self.keep(list[0].apply(f, list.get(1).copied()));
        }
        let mut orders = vec![0; list.len()];
        for i in index {
            let k = self
                .text(i)
                .trim()
                .parse::<usize>()
                .ok()
                .filter(|k| (1..=list.len()).contains(k));
            let Some(k) = k else {
                self.error(
                    Code::IndexOutOfRange,
                    format!("`{}` is no argument of `{name}`", self.text(i)),
                    "f[1,2](x, y) is the derivative in the first and second argument",
                    i,
                );
                return None;
            };
            orders[k - 1] += 1;
        }
        let value = self.pool.function(name).partial(&orders, list);
        self.keep(value)
    }

    fn condition(&mut self, e: &Expression, arguments: &[Expression]) -> Option<Expr<'p>> {
        let [c, then, otherwise] = arguments else {
            self.error(
                Code::WrongArgumentCount,
                "if takes three arguments",
                "write if(a < b, x, y)",
                e,
            );
            return None;
        };
        let E::Compare(comparison, left, right) = &c.kind else {
            self.error(
                Code::ExpectedComparison,
                "the condition of `if` is a comparison",
                "write if(a < b, x, y)",
                c,
            );
            return None;
        };
        let (a, b) = (self.read(left)?, self.read(right)?);
        // A part of a branch must be defined where the branch is taken.
        let start = self.parts.len();
        let then = self.read(then)?;
        let middle = self.parts.len();
        let otherwise = self.read(otherwise)?;
        let choose = |then: Expr<'p>, otherwise: Expr<'p>| match comparison {
            Comparison::Less => a.if_less(b, then, otherwise),
            Comparison::LessEqual => a.if_less_equal(b, then, otherwise),
            Comparison::Greater => b.if_less(a, then, otherwise),
            Comparison::GreaterEqual => b.if_less_equal(a, then, otherwise),
        };
        let zero = self.pool.zero();
        for k in start..self.parts.len() {
            let part = self.parts[k];
            self.parts[k] = if k < middle {
                choose(part, zero)
            } else {
                choose(zero, part)
            };
        }
        let value = choose(then, otherwise);
        self.keep(value)
    }
}

fn names_something(e: &Expression) -> bool {
    match &e.kind {
        E::Name(_) | E::Index(..) => true,
        // `multiplier(contact.x)` belongs to one component of a constraint.
        E::Prime(inner, _) | E::Component(inner, _) => names_something(inner),
        // Variations of momenta and multipliers: jacobi(p(x)).
        E::Call(name, index, arguments) => {
            matches!(name.text.as_str(), "p" | "multiplier")
                && index.is_empty()
                && arguments.len() == 1
                && names_something(&arguments[0])
        }
        _ => false,
    }
}

/// Whether an exponent is written with a name.
fn mentions_name(e: &Expression) -> bool {
    match &e.kind {
        E::Number(_) | E::Missing => false,
        E::Name(_) | E::Index(..) | E::Prime(..) | E::Call(..) | E::Fold(..) => true,
        E::Negate(a) | E::Component(a, _) => mentions_name(a),
        E::Sum(list) | E::Product(list) => list.iter().any(|(_, a)| mentions_name(a)),
        E::Power(a, b) | E::Compare(_, a, b) | E::Equals(a, b) => {
            mentions_name(a) || mentions_name(b)
        }
        E::Tuple(list) | E::Wedge(list) => list.iter().any(mentions_name),
    }
}
