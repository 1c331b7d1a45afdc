//! Problems that are written by hand, one coordinate of mass one.

// Each file of tests uses a part of it.
#![allow(dead_code)]

use std::sync::Arc;

use galilei_expr::{Expr, Pool, Rational};
use galilei_integrate::{Method, Options, Record, Run};
use galilei_tape::{Builder, Event, Problem, Rates};

/// A function of (x, u).
pub(crate) type Formula = for<'p> fn(Expr<'p>, Expr<'p>) -> Expr<'p>;

pub(crate) fn half() -> Rational {
    Rational::new(1, 2)
}

/// The problem L = u²/2 − V with a force F, and an event.
pub(crate) fn problem(potential: Formula, force: Formula, event: Option<Formula>) -> Problem {
    let pool = Pool::new();
    let [t, x, u] = pool.symbols(["t", "x", "u"]);
    let mut builder = Builder::new(&[t, x, u]);
    let (v, f, kinetic) = (potential(x, u), force(x, u), u.pow(2) * half());
    let mut register = |e: Expr<'_>| builder.expr(e).expect("the expression has numbers");
    let [right, energy, lagrangian, power] =
        [f - v.diff(x), kinetic + v, kinetic - v, f * u].map(&mut register);
    let events = event.map(|e| Event {
        register: register(e(x, u)),
        direction: 0,
        terminal: false,
        branch: None,
    });
    let one = builder.number(1.0);
    Problem {
        bounded: vec![],
        rates: Arc::new(Rates {
            dimension: 1,
            unknowns: 1,
            matrix: vec![one],
            right: vec![right],
            ..Rates::default()
        }),
        energy,
        power,
        lagrangian,
        residuals: vec![],
        levels: vec![],
        reaction_rates: vec![],
        scale: vec![energy, lagrangian],
        events: events.into_iter().collect(),
        outputs: vec![],
        multiplier_outputs: None,
        tape: Arc::new(builder.finish(vec![])),
    }
}

pub(crate) fn nothing<'p>(x: Expr<'p>, _: Expr<'p>) -> Expr<'p> {
    x.pool().zero()
}

pub(crate) fn spring<'p>(x: Expr<'p>, _: Expr<'p>) -> Expr<'p> {
    x.pow(2) * half()
}

pub(crate) fn run(
    problem: &Problem,
    method: Method,
    state: [f64; 2],
    to: f64,
    tolerance: f64,
) -> Run {
    let options = Options {
        to,
        record: Record::Nothing,
        tolerance,
        ..Options::default()
    };
    method.integrate(problem, &state, &options, |_| true)
}
