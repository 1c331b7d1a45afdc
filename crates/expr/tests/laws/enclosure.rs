//! Enclosures of random expressions contain the value another library computes.

use galilei_expr::{Arithmetic, Ball, Balls, Expr, Fail, Function, Interval, Intervals, Pool};
use galilei_expr::{Program, Rational};
use proptest::prelude::*;

use crate::big::{self, Big, Value};
use crate::draw::{Dice, Menu};
use crate::law::{Law, Spoken, spoken, trees};
use crate::tree::Tree;

/// Checks that the value lies between the ends, up to its own error.
fn encloses([low, high]: &[Big; 2], v: &Value) -> Law {
    let (least, most) = (&v.value - &v.error, &v.value + &v.error);
    if *low <= most && least <= *high {
        Ok(())
    } else {
        let f = |x: &Big| x.to_f64().value();
        let off = if least > *high {
            least - high
        } else {
            low - most
        };
        Err(format!(
            "[{:e}, {:e}] misses {:e} by {:e}",
            f(low),
            f(high),
            f(&v.value),
            f(&off)
        ))
    }
}

/// The enclosure, moved by twice its width, which the law must detect.
fn shifted([low, high]: &[Big; 2], v: &Value) -> [Big; 2] {
    let width = ((high - low) << 1) + (v.error.clone() << 4);
    let width = if big::is_zero(&width) {
        Big::ONE
    } else {
        width
    };
    [low + &width, high + &width]
}

pub(crate) fn checked(ends: &[Big; 2], v: &Value) -> Law {
    encloses(ends, v)?;
    match encloses(&shifted(ends, v), v) {
        Err(_) => Ok(()),
        Ok(()) => Err("an enclosure moved by its width went unnoticed".into()),
    }
}

pub(crate) fn interval_ends(i: Interval) -> Option<[Big; 2]> {
    Some([big::double(i.low())?, big::double(i.high())?])
}

pub(crate) fn program(pool: &Pool, tree: &Tree, inputs: usize) -> Program {
    let symbols = pool.symbols(["x", "y", "z"]);
    match Program::new(&[tree.build(pool)], &symbols[..inputs]) {
        Ok(program) => program,
        Err(s) => panic!("{s} has no value"),
    }
}

/// The radius is at most 2⁻²⁰⁰ of 2^scale.
pub(crate) fn narrow(ball: &Ball<4>, scale: isize) -> Law {
    match ball.radius_log2() <= scale as f64 - 200.0 {
        true => Ok(()),
        false => Err(format!(
            "radius 2^{:.0} beside 2^{scale}",
            ball.radius_log2()
        )),
    }
}

/// Values at the ends and in the middle of an interval lie in its image.
#[test]
fn images_of_intervals() {
    let mut dice = Dice::new(17);
    let mut seen = 0;
    for f in Function::ALL.into_iter().filter(|f| f.arity() == 1) {
        let tree = Tree::call(f, Tree::Symbol(0));
        let pool = Pool::new();
        let program = program(&pool, &tree, 1);
        for k in 0..40 {
            let draw = |dice: &mut Dice| (dice.word() >> 11) as f64 / (1u64 << 53) as f64;
            let scale = [0.5, 1.0, 3.0, 10.0, 1000.0][k % 5];
            let low = (draw(&mut dice) * 2.0 - 1.0) * scale;
            let high = low + draw(&mut dice) * [0.01, 1.0, 4.0, 10.0][k % 4];
            let Some(image) = program.intervals(&[Interval::new(low, high)])[0] else {
                continue;
            };
            let Some(ends) = interval_ends(image) else {
                continue;
            };
            for j in 0..=4 {
                let x = (low + (high - low) * f64::from(j) / 4.0).clamp(low, high);
                let q = Rational::from_f64(x).unwrap();
                if let Some(v) = big::value(&tree, &[q]) {
                    encloses(&ends, &v)
                        .unwrap_or_else(|e| panic!("{tree} on [{low}, {high}] at {x}: {e}"));
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// Checks a tree at a point in all arithmetics, as the constructors have built it.
fn tree_law(tree: &Tree, point: &[Rational]) -> Spoken {
    let Some(v) = big::value(tree, point) else {
        return Ok(false);
    };
    if big::log2(&v.error) > big::log2(&v.value).max(0) - 300 {
        return Ok(false);
    }
    let pool = Pool::new();
    let e = tree.build(&pool);
    let program = program(&pool, tree, 3);
    let at = |what: &str| format!("{what} of {e} (written {tree}) at {point:?}");
    let undefined = |what: &str| {
        format!(
            "{} is undefined, not {}",
            at(what),
            v.value.to_f64().value()
        )
    };
    // Balls; wide ones show nothing.
    let mut balls = Balls::<4>::new();
    let inputs: Vec<Ball<4>> = point.iter().map(|q| balls.number(q).unwrap()).collect();
    let mut said = false;
    match &program.run(&mut balls, &inputs)[0] {
        Err(Fail::Undefined) => return Err(undefined("the ball")),
        Err(Fail::Unknown) => {}
        Ok(ball) => {
            let ends = big::ends(ball).ok_or_else(|| at("the ball"))?;
            encloses(&ends, &v).map_err(|m| format!("{}: {m}", at("the ball")))?;
            said = true;
        }
    }
    let around: Vec<Interval> = point.iter().map(Interval::around).collect();
    match program.run(&mut Intervals, &around)[0] {
        Err(Fail::Undefined) => return Err(undefined("the interval")),
        Err(Fail::Unknown) => {}
        Ok(i) if i.low().is_nan() || i.high().is_nan() => return Err(at("the interval")),
        Ok(i) => {
            let middle: Vec<f64> = point.iter().map(Rational::to_f64).collect();
            let double = program.f64(&middle)[0];
            if !i.contains(double) {
                return Err(format!("{}: {double} outside {i:?}", at("the double")));
            }
            if let Some(ends) = interval_ends(i) {
                encloses(&ends, &v).map_err(|m| format!("{}: {m}", at("the interval")))?;
            }
        }
    }
    let boxed: Vec<Interval> = around
        .iter()
        .map(|i| Interval::new(i.low() - 0.05, i.high() + 0.1))
        .collect();
    match program.run(&mut Intervals, &boxed)[0] {
        Err(Fail::Undefined) => Err(undefined("the box")),
        Err(Fail::Unknown) => Ok(said),
        Ok(i) => {
            if let Some(ends) = interval_ends(i) {
                encloses(&ends, &v).map_err(|m| format!("{}: {m}", at("the box")))?;
            }
            Ok(said)
        }
    }
}

#[test]
fn values_of_random_expressions_are_enclosed() {
    let points = [-3000i64..3000, -3000i64..3000, -3000i64..3000]
        .prop_map(|n| n.map(|n| Rational::new(n, 1000)));
    let part = spoken(3000, &(trees(Menu::ELEMENTARY, 4), points), |(t, p)| {
        tree_law(&t, &p)
    });
    assert!(part > 0.5, "spoke of {part}");
}

/// A condition that a box leaves open may lead to a branch that is defined.
#[test]
fn an_open_condition_is_not_undefined() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let nothing = pool.zero().recip();
    let wide = [Interval::new(-1.0, 1.0), Interval::new(-1.0, 1.0)];
    for e in [
        x.if_less(y, x, nothing),
        x.if_less(y, nothing, x),
        x.if_less(y, (x - 2).log(), x),
        x.if_less(y, (-x.exp()).sqrt(), x) + 1,
    ] {
        let program = Program::new(&[e], &[x, y]).ok().unwrap();
        assert_eq!(
            program.run(&mut Intervals, &wide)[0],
            Err(Fail::Unknown),
            "{e}"
        );
    }
    let nowhere = x.if_less(y, (x - 2).log(), (x - 3).log());
    let program = Program::new(&[nowhere], &[x, y]).ok().unwrap();
    assert_eq!(program.run(&mut Intervals, &wide)[0], Err(Fail::Undefined));
}

#[test]
fn broken_enclosures_are_noticed() {
    let v = big::value(
        &Tree::call(Function::Sin, Tree::Symbol(0)),
        &[Rational::new(1, 3)],
    )
    .unwrap();
    let width = v.value.clone() >> 200;
    let good = [&v.value - &width, &v.value + &width];
    assert!(encloses(&good, &v).is_ok());
    assert!(encloses(&shifted(&good, &v), &v).is_err());
    assert!(encloses(&[v.value.clone() + &width, v.value.clone() + &width], &v).is_err());
    // √2 − 1.4142135623730951 has lost fifty bits, and a hundred digits more are lost next.
    let (pool, third) = (Pool::new(), [Rational::new(1, 3)]);
    let x = pool.symbol("x");
    let ball = |e: Expr<'_>| Program::new(&[e], &[x]).ok().unwrap().balls::<4>(&third)[0].unwrap();
    let large = pool.number(10).pow(40);
    assert!(narrow(&ball(x.sin()), -1).is_ok());
    assert!(
        narrow(
            &ball((x.sin() + large * x.cos()) - large * x.cos() * x.exp()),
            -1
        )
        .is_err()
    );
}
