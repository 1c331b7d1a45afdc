//! Dry friction that is written as a force with the sign of a velocity, and the `friction` statement that means it. (T-204)

use galilei_expr::{Expr, Function, Rational, View, subexpressions};
use galilei_geometry::decide_all_zero;
use galilei_syntax::Span;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::model::Model;

/// A force against a velocity that depends on it by its sign.
#[derive(Clone, Debug)]
pub struct DryFriction {
    /// The name of the force.
    pub force: String,
    /// The function of the velocity as it is written: `sign(x')`, `x'/abs(x')`, `tanh(x'/eps)`.
    pub function: String,
    /// Whether the function is a smooth one that stands for the sign, `tanh`.
    pub smoothed: bool,
    /// The statement that means this friction, with sticking.
    pub statement: String,
    /// Whether the force has other parts, which stay in it.
    pub has_rest: bool,
    /// The place of the force.
    pub span: Span,
}

impl DryFriction {
    /// The statement to write instead, for hints.
    pub fn hint(&self) -> String {
        let rest = match self.has_rest {
            true => format!("take this part out of the force `{}` and write", self.force),
            false => format!("instead of the force `{}` write", self.force),
        };
        format!("{rest} `{}`", self.statement)
    }

    /// The warning that a run sticks where the force is not a function of the state.
    pub fn sticks(&self) -> Diagnostic {
        Diagnostic::warning(
            Code::DryFriction,
            format!(
                "the force `{}` is dry friction: where it sticks, its size is not a function of the velocity",
                self.force
            ),
            self.hint(),
            self.span,
        )
    }
}

/// A function that is ±1 for a velocity: its argument, and whether it is a smooth one.
fn direction<'p>(e: Expr<'p>, u: &[Expr<'p>]) -> Option<(Expr<'p>, bool)> {
    let (v, smoothed) = match e.view() {
        View::Call(Function::Sign, a) => (a[0], false),
        View::Call(Function::Tanh, a) => (a[0], true),
        View::Call(Function::Abs, a) => (a[0], false),
        _ => return None,
    };
    let slopes = v.gradient(u);
    let bends = slopes.iter().flat_map(|s| s.gradient(u));
    let bends: Vec<Expr<'p>> = bends.filter(|b| !b.is_zero()).collect();
    let moves = slopes.iter().any(|s| !s.is_zero());
    (moves && (bends.is_empty() || decide_all_zero(bends).is_proved())).then_some((v, smoothed))
}

impl Model {
    /// Forces that are dry friction: −F·sign(v), −F·v/|v| or −F·tanh(v/ε) times the row of v, a velocity.
    pub fn dry_frictions(&self) -> Vec<DryFriction> {
        let u = self.velocities();
        let sigma = self.pool().symbol("sign(velocity)");
        let mut list = Vec::new();
        for force in &self.contents().forces {
            let components = self.exprs(&force.components);
            for e in subexpressions(components.iter().copied()) {
                if let View::Product(factors) = e.view()
                    && let Some((square, _)) =
                        factors.iter().find(|(_, q)| *q == Rational::new(-1, 2))
                    && let Some((limit, [a, b], has_rest)) =
                        self.resisting_in_the_plane(*square, &components, &u)
                {
                    list.push(DryFriction {
                        force: force.name.clone(),
                        function: format!("({}, {})/sqrt({square})", u[a], u[b]),
                        smoothed: false,
                        statement: format!(
                            "friction {}: limit {limit} along ({}, {})",
                            force.name.replace(' ', "_"),
                            u[a],
                            u[b]
                        ),
                        has_rest,
                        span: force.span,
                    });
                    break;
                }
                let Some((v, smoothed)) = direction(e, &u) else {
                    continue;
                };
                let quotient = matches!(e.view(), View::Call(Function::Abs, _));
                let replaced = match quotient {
                    false => components
                        .iter()
                        .map(|c| c.substitute(&[(e, sigma)]))
                        .collect(),
                    true => self.with_quotients(&components, (v, sigma), &u),
                };
                if let Some(found) = self.resisting(&replaced, (v, sigma, smoothed), &u) {
                    let (limit, along, has_rest) = found;
                    let function = match quotient {
                        true => format!("({v})/abs({v})"),
                        false => e.to_string(),
                    };
                    list.push(DryFriction {
                        force: force.name.clone(),
                        function,
                        smoothed,
                        statement: format!(
                            "friction {}: limit {limit} along {along}",
                            force.name.replace(' ', "_")
                        ),
                        has_rest,
                        span: force.span,
                    });
                    break;
                }
            }
        }
        list
    }

    /// The limit F and the velocity V of a force −F·σ·∂V/∂u + rest, and whether there is a rest.
    fn resisting<'p>(
        &'p self,
        components: &[Expr<'p>],
        (v, sigma, smoothed): (Expr<'p>, Expr<'p>, bool),
        u: &[Expr<'p>],
    ) -> Option<(Expr<'p>, Expr<'p>, bool)> {
        let slopes = v.gradient(u);
        let factors: Vec<Expr<'p>> = components.iter().map(|c| c.diff(sigma)).collect();
        if factors.iter().any(|f| f.contains(sigma)) {
            return None;
        }
        let first = slopes.iter().position(|s| !s.is_zero())?;
        // The scale of a velocity does not matter to its sign.
        let (along, slopes) = match smoothed {
            true => {
                let size = match self.in_numbers(slopes[first])? < 0.0 {
                    true => -slopes[first],
                    false => slopes[first],
                };
                (v / size, slopes.iter().map(|&s| s / size).collect())
            }
            false => (v, slopes),
        };
        let limit = -factors[first] / slopes[first];
        // Drag, such as v²·sign(v), vanishes at rest.
        let at_rest = limit.substitute(&[(u[first], u[first] - along / slopes[first])]);
        if decide_all_zero([at_rest]).is_proved() {
            return None;
        }
        let others = (factors.iter().zip(&slopes)).map(|(&f, &s)| f + limit * s);
        if limit.is_zero() || !decide_all_zero(others).is_proved() {
            return None;
        }
        // A negative one drives instead of resisting.
        if self.in_numbers(limit).is_some_and(|x| x < 0.0) {
            return None;
        }
        Some((limit, along, self.has_rest(components, sigma)))
    }

    /// Components in which v/|v| is the sign: v becomes one symbol, |v| becomes v/σ.
    fn with_quotients<'p>(
        &'p self,
        components: &[Expr<'p>],
        (v, sigma): (Expr<'p>, Expr<'p>),
        u: &[Expr<'p>],
    ) -> Vec<Expr<'p>> {
        let whole = self.pool().symbol("the velocity");
        let slopes = v.gradient(u);
        let Some(first) = slopes.iter().position(|s| !s.is_zero()) else {
            return components.to_vec();
        };
        let rest = v.substitute(&[(u[first], self.pool().zero())]);
        let own = (whole - rest) / slopes[first];
        let there = components.iter().map(|c| {
            let c = c.substitute(&[(u[first], own)]);
            c.substitute(&[(whole.abs(), whole / sigma)])
        });
        there.map(|c| c.substitute(&[(whole, v)])).collect()
    }

    /// The value of an expression of parameters; `None` if it has none.
    fn in_numbers(&self, e: Expr<'_>) -> Option<f64> {
        let values = self.parameter_values().ok()?;
        let value = e.substitute(&values).evaluate_f64(&[]);
        value.is_finite().then_some(value)
    }

    /// Whether a force has parts without the sign of a velocity.
    fn has_rest<'p>(&'p self, components: &[Expr<'p>], sigma: Expr<'p>) -> bool {
        let zero = self.pool().zero();
        let mut rest = components.iter().map(|c| c.substitute(&[(sigma, zero)]));
        rest.any(|r| !r.is_zero())
    }

    /// A force −F·(u₁, u₂)/√(u₁² + u₂²) + rest: the limit F, the places of the two velocities, and whether there is a rest.
    fn resisting_in_the_plane<'p>(
        &'p self,
        square: Expr<'p>,
        components: &[Expr<'p>],
        u: &[Expr<'p>],
    ) -> Option<(Expr<'p>, [usize; 2], bool)> {
        let own: Vec<usize> = (0..u.len()).filter(|&k| square.contains(u[k])).collect();
        let &[a, b] = own.as_slice() else { return None };
        if square != u[a].pow(2) + u[b].pow(2) {
            return None;
        }
        // A/√Q + B, and A by the derivative with respect to Q.
        let whole = self.pool().symbol("the square of the speed");
        let replaced = components.iter().map(|c| c.substitute(&[(square, whole)]));
        let replaced: Vec<Expr<'p>> = replaced.collect();
        let power = |n: i64| whole.pow(Rational::new(n, 2));
        let factors: Vec<Expr<'p>> = (replaced.iter())
            .map(|c| c.diff(whole) * power(3) * -2)
            .collect();
        if factors.iter().any(|f| f.contains(whole)) {
            return None;
        }
        let pairs = replaced.iter().zip(&factors);
        let has_rest = pairs
            .into_iter()
            .any(|(&c, &f)| !(c - f * power(-1)).is_zero());
        let limit = -factors[a] / u[a];
        let others = (0..u.len()).map(|k| match k == a || k == b {
            true => factors[k] + limit * u[k],
            false => factors[k],
        });
        let zero = self.pool().zero();
        let at_rest = limit.substitute(&[(u[a], zero), (u[b], zero)]);
        let good = decide_all_zero(others).is_proved() && !decide_all_zero([at_rest]).is_proved();
        good.then_some((limit, [a, b], has_rest))
    }
}
