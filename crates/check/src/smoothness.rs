//! Where the equations of motion are not smooth, and what a run watches because of it.
//!
//! The form of the equations shows it: kinks of piecewise functions, zeros at which roots and inverse functions have
//! no series, functions that are flat over long stretches. A run looks for the same on its tape, which knows operations
//! and not formulas; here they are named as the model writes them.

use galilei_expr::{Expr, Function, Rational, View, subexpressions};
use galilei_mechanics::System;

use crate::Checker;
use crate::finding::Finding;
use crate::forces::short;

/// Surfaces that are named one by one; the others are counted.
const MAX_NAMED: usize = 12;
/// The smallest exponent of a power that is flat where its base is small.
const MIN_FLAT_POWER: i64 = 16;

/// The behaviour of a function at a surface of the state space; flat functions are watched everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The function changes its formula.
    Kink,
    /// The function has a value, but no series.
    Edge,
    /// The function jumps on one side of the surface.
    Cut,
    /// The function is flat far away from where it is felt.
    Flat,
}

/// A function in the equations of motion that is not smooth where an expression vanishes, or flat in it.
struct Surface<'p> {
    kind: Kind,
    /// The function as it is written.
    function: Expr<'p>,
    /// The expression that vanishes on the surface; for flat functions their argument.
    zero: Expr<'p>,
}

impl<'p> Checker<'p> {
    /// A note for each surface on which the equations of motion are not smooth, and for each function that a run
    /// watches because it is flat.
    pub(crate) fn smoothness(self, system: &System<'p>, equations: &[Expr<'p>]) -> Vec<Finding> {
        let mut roots = equations.to_vec();
        for row in self.model.constraint_rows() {
            roots.extend(row.row);
            roots.extend(row.covector);
            roots.push(row.drift);
            roots.extend(row.residual);
        }
        let moving = system.state().chart().coordinates();
        let mut named: Vec<String> = Vec::new();
        let mut findings = Vec::new();
        for f in self.model.dry_frictions() {
            let what = match f.smoothed {
                false => "does not say what happens where the velocity stays zero",
                true => "creeps where dry friction sticks",
            };
            let detail = format!("{} {what}; {}", f.function, f.hint());
            findings.push(Finding::noted(format!("dry friction: {}", f.force), detail));
        }
        let dry = findings.len();
        for s in surfaces(roots, moving) {
            let name = match s.kind {
                Kind::Flat => Some(format!("watched: {}", short(s.function))),
                _ => self.place(system, s.zero),
            };
            let Some(name) = name.filter(|n| !named.contains(n)) else {
                continue;
            };
            findings.push(Finding::noted(&name, s.detail()));
            named.push(name);
        }
        let more = findings.len().saturating_sub(MAX_NAMED + dry);
        if more > 1 {
            findings.truncate(MAX_NAMED + dry);
            let name = format!("not smooth or watched: {more} more");
            findings.push(Finding::noted(
                name,
                "surfaces and functions of the same kinds",
            ));
        }
        findings
    }

    /// The name of the surface on which an expression vanishes; `None` if it vanishes nowhere.
    fn place(self, system: &System<'p>, zero: Expr<'p>) -> Option<String> {
        let (somewhere, text) = self.zeros(system, zero).scope();
        let text = text.unwrap_or_else(|| format!("{} = 0", short(zero)));
        somewhere.then(|| format!("not smooth: {text}"))
    }
}

impl Surface<'_> {
    fn detail(&self) -> String {
        let function = short(self.function);
        match self.kind {
            Kind::Kink => {
                format!("kink of {function}: a step ends there, the next restarts behind it")
            }
            Kind::Edge => format!("{function} has no series there: crossed by a short step"),
            Kind::Cut => format!("cut of {function}, on one side of zero: a step ends there"),
            Kind::Flat => "flat away from where it is felt: steps end on the way there".into(),
        }
    }
}

/// The functions in some expressions that are not smooth in the moving symbols, or flat.
fn surfaces<'p>(roots: Vec<Expr<'p>>, moving: &[Expr<'p>]) -> Vec<Surface<'p>> {
    let mut found: Vec<Surface<'p>> = Vec::new();
    let mut poles: Vec<Expr<'p>> = Vec::new();
    let mut add = |kind, function, zero: Expr<'p>| {
        let known =
            |s: &Surface<'p>| s.zero == zero && (s.kind == Kind::Flat) == (kind == Kind::Flat);
        if zero.contains_any(moving) && !found.iter().any(known) {
            found.push(Surface {
                kind,
                function,
                zero,
            });
        }
    };
    for e in subexpressions(roots) {
        match e.view() {
            View::Call(Function::Abs | Function::Sign, a) => add(Kind::Kink, e, a[0]),
            View::Call(Function::Min | Function::Max, a) => add(Kind::Kink, e, a[0] - a[1]),
            View::If { sides, .. } => add(Kind::Kink, e, sides[0] - sides[1]),
            View::Call(Function::Atan2, a) => add(Kind::Cut, e, a[0]),
            View::Call(Function::Asin | Function::Acos, a) => add(Kind::Edge, e, 1 - a[0].pow(2)),
            View::Call(Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh, a) => {
                add(Kind::Flat, e, a[0]);
            }
            View::Product(factors) => {
                for (base, q) in factors {
                    if q.is_integer() {
                        if q >= Rational::from(MIN_FLAT_POWER) {
                            add(Kind::Flat, base.pow(q), base);
                        }
                        continue;
                    }
                    if q <= Rational::from(-1) {
                        poles.push(base);
                    }
                    if is_piecewise(base) {
                        continue;
                    }
                    let kind = if is_square(base) {
                        Kind::Kink
                    } else {
                        Kind::Edge
                    };
                    add(kind, base.pow(q.abs()), base);
                }
            }
            _ => {}
        }
    }
    // No motion of finite energy passes the zero of what also stands in a pole, like x² + y² in x/(x² + y²)^(3/2).
    found.retain(|s| s.kind != Kind::Edge || !poles.contains(&s.zero));
    found
}

/// Whether an expression is the square of another by its form, so that its root is an absolute value.
fn is_square(e: Expr<'_>) -> bool {
    let even = |q: &Rational| (q / &Rational::from(2)).is_integer();
    matches!(e.view(), View::Product(factors) if factors.iter().all(|f| even(&f.1)))
}

/// Whether an expression is piecewise by its outermost function, whose kink is a surface of its own.
fn is_piecewise(e: Expr<'_>) -> bool {
    matches!(
        e.view(),
        View::Call(Function::Abs | Function::Min | Function::Max, _) | View::If { .. }
    )
}
