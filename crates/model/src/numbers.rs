//! The values of parameters, and expressions in doubles.

use galilei_expr::{Expr, Pool, Program, Rational, View};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::model::Model;

/// Whether an undetermined function occurs in some expressions.
pub(crate) fn undetermined<'p>(exprs: &[Expr<'p>]) -> Option<String> {
    let mut stack = exprs.to_vec();
    let mut seen = std::collections::HashSet::new();
    while let Some(e) = stack.pop() {
        if !seen.insert(e.id()) {
            continue;
        }
        match e.view() {
            View::Undetermined {
                function,
                arguments,
                ..
            } => match (function.legendre_of(), function.table()) {
                (Some(h), _) => stack.push(h),
                (None, Some(_)) => stack.extend(arguments),
                (None, None) => return Some(function.name().to_owned()),
            },
            view => stack.extend(view.operands()),
        }
    }
    None
}

/// The nearest doubles of expressions at given values of symbols; `None` where undefined.
///
/// Enclosures of 256 bits decide; plain doubles only where those cannot.
pub(crate) fn doubles<'p>(
    pool: &'p Pool,
    exprs: &[Expr<'p>],
    values: &[(Expr<'p>, Expr<'p>)],
) -> Vec<Option<f64>> {
    let mut inputs = Vec::new();
    let mut point: Vec<Rational> = Vec::new();
    let mut irrational = Vec::new();
    let exponents = pool.exponents(exprs);
    for (s, v) in values {
        match v.as_rational() {
            // A power whose exponent is known may be defined where others are not.
            Some(_) if exponents.contains(s) => irrational.push((*s, *v)),
            Some(q) => {
                inputs.push(*s);
                point.push(q);
            }
            None => irrational.push((*s, *v)),
        }
    }
    let exprs = if irrational.is_empty() {
        exprs.to_vec()
    } else {
        pool.substitute_all(exprs, &irrational)
    };
    let Ok(program) = Program::new(&exprs, &inputs) else {
        return vec![None; exprs.len()];
    };
    let balls = program.balls::<4>(&point);
    let near: Vec<f64> = point.iter().map(Rational::to_f64).collect();
    let mut plain: Option<Vec<f64>> = None;
    balls
        .into_iter()
        .enumerate()
        .map(|(k, ball)| {
            let x = match ball {
                Some(b) if !b.excludes_zero() && b.radius_log2() < -150.0 => 0.0,
                Some(b) => b.to_f64(),
                None => plain.get_or_insert_with(|| program.f64(&near))[k],
            };
            x.is_finite().then_some(x)
        })
        .collect()
}

impl Model {
    /// The value of every parameter as an expression without symbols.
    pub fn parameter_values(&self) -> Result<Vec<(Expr<'_>, Expr<'_>)>, Vec<Diagnostic>> {
        self.values_but(&[])
    }

    /// Parameter values with some parameters kept as symbols, also in the values of later ones.
    pub fn values_but(
        &self,
        kept: &[Expr<'_>],
    ) -> Result<Vec<(Expr<'_>, Expr<'_>)>, Vec<Diagnostic>> {
        let c = self.contents();
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        let mut missing = Vec::new();
        for p in &c.parameters {
            match p.value {
                _ if kept.contains(&self.expr(p.symbol)) => {}
                Some(v) => known.push((self.expr(p.symbol), self.expr(v).substitute(&known))),
                None => missing.push(Diagnostic::error(
                    Code::MissingValue,
                    format!("the parameter `{}` has no value", p.name),
                    format!("give one in the file, or with --set {}=…", p.name),
                    p.span,
                )),
            }
        }
        if missing.is_empty() {
            Ok(known)
        } else {
            Err(missing)
        }
    }
}

/// The shortest decimal fraction that reads as a double, as a person would write it; `None` if it is not finite.
pub(crate) fn written(value: f64) -> Option<Rational> {
    format!("{value:e}").parse().ok()
}
