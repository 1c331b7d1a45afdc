//! Handles of two pools never mix: every operation that meets both panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use galilei_expr::{
    Assumptions, Expr, Function, Interval, Notation, Pool, Program, Query, Rational,
    SymmetricMatrix, decide_singular, generic_rank,
};

use crate::law::Law;

/// An operation on x, y of one pool and z of another.
type Mix = for<'p> fn(Expr<'p>, Expr<'p>, Expr<'p>);

/// The operation panics.
fn refuses(name: &str, mix: Mix) -> Law {
    let (here, there) = (Pool::new(), Pool::new());
    let [x, y] = here.symbols(["x", "y"]);
    let z = there.symbol("z");
    match catch_unwind(AssertUnwindSafe(|| mix(x, y, z))) {
        Err(_) => Ok(()),
        Ok(()) => Err(format!("{name} took handles of two pools")),
    }
}

fn all_refuse(list: &[(&str, Mix)]) {
    let wrong: Vec<String> = list
        .iter()
        .filter_map(|(name, mix)| refuses(name, *mix).err())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

macro_rules! mixes {
    ($($name:literal: |$x:pat_param, $y:pat_param, $z:pat_param| $e:expr;)*) => {
        [$(($name, (|$x, $y, $z| { let _ = $e; }) as Mix)),*]
    };
}

/// Every operation of arithmetic and of the functions.
#[test]
fn arithmetic_refuses() {
    let list = mixes! {
        "+": |x, _, z| x + z;
        "-": |x, _, z| x - z;
        "*": |x, _, z| x * z;
        "/": |x, _, z| x / z;
        "+=": |x, _, z| { let mut e = x; e += z };
        "-=": |x, _, z| { let mut e = x; e -= z };
        "*=": |x, _, z| { let mut e = x; e *= z };
        "/=": |x, _, z| { let mut e = x; e /= z };
        "==": |x, _, z| x == z;
        "pow": |x, _, z| x.pow(z);
        "atan2": |x, _, z| x.atan2(z);
        "min": |x, _, z| x.min(z);
        "max": |x, _, z| x.max(z);
        "apply": |x, _, z| x.apply(Function::Max, Some(z));
        "if_less other": |x, y, z| x.if_less(z, y, 1);
        "if_less then": |x, y, z| x.if_less(y, z, 1);
        "if_less otherwise": |x, y, z| x.if_less(y, 1, z);
        "if_less_equal": |x, y, z| x.if_less_equal(y, 1, z);
        "sum": |x, y, z| x.pool().sum([x, y, z]);
        "product": |x, y, z| x.pool().product([x, z, y]);
        "sum of strangers": |x, _, z| x.pool().sum([z]);
        "f(z)": |x, _, z| x.pool().function("f").at([z]);
        "f[1](z)": |x, _, z| x.pool().function("f").partial(&[1], [z]);
    };
    all_refuse(&list);
}

#[test]
fn calculus_refuses() {
    let list = mixes! {
        "diff": |x, _, z| x.diff(z);
        "gradient": |x, _, z| x.gradient(&[x, z]);
        "hessian": |x, _, z| x.hessian(&[z]);
        "derivative_along symbol": |x, y, z| x.derivative_along(&[(z, y)]);
        "derivative_along rate": |x, _, z| x.derivative_along(&[(x, z)]);
        "jacobian function": |x, _, z| x.pool().jacobian(&[z], &[x]);
        "jacobian symbol": |x, _, z| x.pool().jacobian(&[x], &[z]);
        "contains": |x, _, z| x.contains(z);
        "substitute from": |x, y, z| x.substitute(&[(z, y)]);
        "substitute to": |x, _, z| x.substitute(&[(x, z)]);
        "substitute_all": |x, y, z| x.pool().substitute_all(&[z], &[(x, y)]);
        "substitute_function parameter": |x, y, z| {
            let f = x.pool().function("f");
            f.at([x]).substitute_function(f, &[z], y)
        };
        "substitute_function body": |x, y, z| {
            let f = x.pool().function("f");
            f.at([x]).substitute_function(f, &[y], z)
        };
        "substitute_function function": |x, y, z| {
            let f = x.pool().function("f");
            f.at([x]).substitute_function(z.pool().function("f"), &[x], y)
        };
        "substitute_function without argument": |x, _, z| {
            let f = x.pool().function("f");
            f.at([]).substitute_function(f, &[], z)
        };
        "polynomial": |x, _, z| x.polynomial(&[z], 2).is_ok();
    };
    all_refuse(&list);
}

#[test]
fn evaluation_refuses() {
    let list = mixes! {
        "program output": |x, _, z| Program::new(&[x, z], &[x]).is_ok();
        "program input": |x, _, z| Program::new(&[x], &[x, z]).is_ok();
        "program of strangers": |x, _, z| Program::new(&[z], &[x]).is_ok();
        "evaluate_f64": |x, _, z| x.evaluate_f64(&[(z, 1.0)]);
        "evaluate_f64 of a list": |x, _, z| x.pool().evaluate_f64(&[z], &[(x, 1.0)]);
        "print": |x, _, z| x.pool().print(&[x, z], Notation::Model);
    };
    all_refuse(&list);
}

#[test]
fn decisions_refuse() {
    let list = mixes! {
        "decide_equal": |x, _, z| x.decide_equal(z);
        "query": |x, _, z| Query::equal(x, z).decide();
        "defined": |x, _, z| Query::zero(x).defined([z.sin()]).decide();
        "defined, claim 0": |x, _, z| Query::zero(x.pool().zero()).defined([z.sin()]).decide();
        "positive symbol": |x, _, z| Query::zero(x).assuming(&Assumptions::new().positive(z)).decide();
        "positive expression": |x, _, z| Query::zero(x).assuming(&Assumptions::new().positive(z.sin())).decide();
        "nonzero": |x, _, z| Query::zero(x).assuming(&Assumptions::new().nonzero(z)).decide();
        "mixed assumptions": |x, _, z| Assumptions::new().positive(x).is_positive(z);
        "rank": |x, y, z| generic_rank(&[vec![x, y], vec![y, z]], &Assumptions::new());
        "rank assumptions": |x, y, z| generic_rank(&[vec![x, y]], &Assumptions::new().positive(z));
        "singular": |x, y, z| decide_singular(&[vec![x, y], vec![z, y]], &Assumptions::new());
        "matrix": |x, y, z| SymmetricMatrix::new(vec![vec![x, z], vec![y, x]]);
        "matrix diagonal": |x, y, z| {
            let m = SymmetricMatrix::new(vec![vec![x, y], vec![y, z]]);
            m.map(|m| m.positive_definite_on(&[(x, Interval::new(0.0, 1.0))]))
        };
        "definite at": |x, _, z| {
            SymmetricMatrix::new(vec![vec![x]]).map(|m| m.positive_definite_at(&[(z, Rational::ONE)]))
        };
    };
    all_refuse(&list);
}

/// The id of one pool is no id of another.
#[test]
fn ids_of_another_pool_are_caught() {
    refuses("expr", |x, _, z| {
        let _ = x.pool().expr((z.sin() + 1).id());
    })
    .unwrap();
    let pool = Pool::new();
    let e = pool.symbol("x").sin();
    assert_eq!(pool.expr(e.id()), e);
    assert_ne!(e.id(), pool.symbol("x").id());
}

#[test]
fn an_operation_that_does_not_refuse_is_noticed() {
    let harmless: Mix = |x, y, z| {
        let _ = (x + y, z + 1);
    };
    assert!(refuses("harmless", harmless).is_err());
}
