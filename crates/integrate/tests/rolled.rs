//! Series by a loop over the orders against unrolled ones: every operation of a tape, every shape of equations.

use galilei_expr::{Expr, Pool, Rational};
use galilei_jit::RolledKernel;
use galilei_tape::code::Code;
use galilei_tape::{Builder, Rates, Reg, Squares, Tape, Velocity, Wanted};

const ORDER: usize = 11;

/// Compares the series at a state on given branches; returns how many operations the code of one order has.
#[track_caller]
fn check(tape: &Tape, rates: &Rates, wanted: &Wanted, inputs: &[f64]) -> usize {
    let rolled = tape
        .rolled_series(rates, wanted, ORDER, 0)
        .expect("it is rolled");
    let series = tape.series(rates, wanted, ORDER);
    let narrow: Vec<[f64; 1]> = inputs.iter().map(|x| [*x]).collect();
    let expected = series.code.run(&narrow, &mut vec![]);
    assert!(expected[series.guard_at()][0] > 0.0, "the guard");
    let operations = rolled.step.operations();
    for (how, arranged) in [
        ("as it is", (|c| c.clone()) as fn(&Code) -> Code),
        ("scheduled", |c| c.fused().scheduled(100)),
    ] {
        let rolled = rolled.clone().map(arranged);
        let found = rolled.run(inputs);
        assert_eq!(found.len(), expected.len(), "{how}");
        for (at, (a, [b])) in found.iter().zip(&expected).enumerate() {
            let most = 1e-10 * b.abs().max(1e-3);
            assert!((a - b).abs() <= most, "{how}: output {at}: {a} but {b}");
        }
        let mut kernel = RolledKernel::new(rolled, Code::clone);
        let mut native = vec![f64::NAN; found.len()];
        // What one call leaves behind does not matter to the next.
        for other in [0.9, 1.0] {
            let inputs: Vec<f64> = inputs.iter().map(|x| x * other).collect();
            kernel.call(&inputs, &mut native);
        }
        for (at, (a, b)) in native.iter().zip(&found).enumerate() {
            assert_eq!(a.to_bits(), b.to_bits(), "{how}: output {at}: {a} but {b}");
        }
    }
    operations
}

/// Two unknowns with a matrix that depends on the state, and a right-hand side.
fn closed(right: impl for<'p> Fn(&'p Pool, [Expr<'p>; 5]) -> Expr<'p>) -> (Tape, Rates) {
    let pool = Pool::new();
    let [t, x, y, u, v] = pool.symbols(["t", "x", "y", "u", "v"]);
    let mut builder = Builder::new(&[t, x, y, u, v]);
    let mut add = |e: Expr<'_>| builder.expr(e).unwrap();
    let coupling = add((x - y).cos() * pool.number(Rational::new(1, 3)));
    let (one, two) = (add(pool.number(1) + x.pow(2)), add(pool.number(2)));
    let first = add(right(&pool, [t, x, y, u, v]));
    let second = add(u * v - x.sin() + t);
    let rates = Rates {
        dimension: 2,
        unknowns: 2,
        matrix: vec![one, coupling, coupling, two],
        right: vec![first, second],
        ..Rates::default()
    };
    (builder.finish(vec![]), rates)
}

const STATE: [f64; 5] = [0.3, 0.7, 0.4, 0.6, -0.5];

/// Wants everything that can be wanted.
fn everything() -> Wanted {
    Wanted {
        series: vec![2, 1, 3],
        integrated: 1,
        places: Some(4),
        values: vec![3, 1],
        multipliers: true,
        ..Wanted::default()
    }
}

#[test]
fn every_operation_has_the_coefficients_of_unrolled_code() {
    let functions: [for<'p> fn(&'p Pool, [Expr<'p>; 5]) -> Expr<'p>; 17] = [
        |_, [_, x, y, u, v]| x * y * u + u * u * v - y,
        |p, [t, x, _, u, v]| (u - v) / (p.number(2) + x * t),
        |p, [_, x, _, u, _]| p.number(3) / (p.number(2) + x * u),
        |p, [t, x, _, u, _]| (p.number(2) + x * u + t).sqrt(),
        |p, [_, x, y, u, _]| (p.number(2) + x * u).pow(Rational::new(-3, 2)) * y,
        |_, [_, x, _, u, _]| (x + u).pow(Rational::new(1, 3)),
        |_, [t, x, y, u, v]| (x * t - u).exp() + (y * v).exp(),
        |p, [t, _, _, u, _]| (p.number(3) + u * t).log(),
        |_, [_, x, y, u, _]| (x * u).sin() * (y * u).cos(),
        |p, [_, x, y, _, _]| (p.number(3) * x + p.number(2) * y).sin(),
        |_, [_, x, y, u, v]| (x * u).sinh() + (y * v).cosh(),
        |_, [_, x, _, u, _]| (x * u).tan(),
        |_, [_, x, y, u, _]| (x * u + y).tanh(),
        |_, [_, x, _, u, _]| (x * u).asin() + (x * u).acos().pow(2),
        |_, [_, x, _, u, v]| (x * u * v).atan(),
        |_, [_, x, _, u, _]| (x - u).abs() * x,
        |_, [t, _, _, _, _]| t * t * t + t.sin(),
    ];
    for (k, f) in functions.into_iter().enumerate() {
        println!("function {k}");
        let (tape, rates) = closed(f);
        let mut inputs = STATE.to_vec();
        inputs.extend(tape.kinks().iter().map(|_| 1.0));
        check(&tape, &rates, &everything(), &inputs);
        let own = Wanted {
            own_branches: true,
            ..everything()
        };
        check(&tape, &rates, &own, &STATE);
    }
}

/// The double pendulum by squares: momenta with the newest velocity unknown.
#[test]
fn momenta_of_squares_are_known_before_the_accelerations() {
    let pool = Pool::new();
    let [t, x, y, u, v] = pool.symbols(["t", "x", "y", "u", "v"]);
    let mut builder = Builder::new(&[t, x, y, u, v]);
    let mut add = |e: Expr<'_>| builder.expr(e).unwrap();
    let b: Vec<Reg> = [x.cos(), x.sin(), y.cos(), y.sin()].map(&mut add).to_vec();
    let horizontal = add(x.cos() * u);
    let vertical = add(x.sin() * u);
    let sums = [
        add(x.cos() * u + y.cos() * v),
        add(x.sin() * u + y.sin() * v),
    ];
    let both = [
        add(pool.number(2) * x.cos() * u + y.cos() * v),
        add(pool.number(2) * x.sin() * u + y.sin() * v),
    ];
    let right = vec![add(pool.number(-2) * x.sin()), add(-y.sin())];
    let (zero, one) = (add(pool.number(0)), add(pool.number(1)));
    let cosine = add((x - y).cos());
    let two = add(pool.number(2));
    let velocity = |parent, i, b: Reg| Velocity {
        mass: one,
        parent,
        entries: vec![(i, b)],
    };
    let rates = Rates {
        dimension: 2,
        unknowns: 2,
        matrix: vec![two, cosine, cosine, one],
        squares: Some(Squares {
            terms: vec![
                (0, b[0], both[0]),
                (0, b[1], both[1]),
                (1, b[2], sums[0]),
                (1, b[3], sums[1]),
            ],
            rest: vec![zero; 4],
            right,
            velocities: vec![
                velocity(None, 0, b[0]),
                velocity(None, 0, b[1]),
                velocity(Some(0), 1, b[2]),
                velocity(Some(1), 1, b[3]),
            ],
            ..Squares::default()
        }),
        ..Rates::default()
    };
    let tape = builder.finish(vec![horizontal, vertical]);
    let operations = check(&tape, &rates, &everything(), &STATE);
    // Unrolled, an order has more, the higher it is.
    let unrolled = tape.series(&rates, &everything(), ORDER).code.operations();
    assert!(operations * 5 < unrolled, "{operations} and {unrolled}");
}

/// A pendulum in two coordinates: the series of the force along the rod, too.
#[test]
fn multipliers_have_series() {
    let pool = Pool::new();
    let [t, x, y, u, v] = pool.symbols(["t", "x", "y", "u", "v"]);
    let mut builder = Builder::new(&[t, x, y, u, v]);
    let mut add = |e: Expr<'_>| builder.expr(e).unwrap();
    let [zero, one, two] = [0, 1, 2].map(|k| add(pool.number(k)));
    let (a, b) = (add(x + t * y), add(y));
    let right = [-x * u, -pool.number(1) + t * v, -(u * u + v * v)].map(add);
    let rates = Rates {
        dimension: 2,
        unknowns: 3,
        matrix: vec![one, zero, a, zero, two, b, a, b, zero],
        right: right.to_vec(),
        ..Rates::default()
    };
    let tape = builder.finish(vec![]);
    check(&tape, &rates, &everything(), &STATE);
}

/// Short code is unrolled, and code with sensitivities.
#[test]
fn short_code_is_not_rolled() {
    let (tape, rates) = closed(|_, [_, x, _, u, _]| x * u);
    assert!(
        tape.rolled_series(&rates, &Wanted::default(), ORDER, 20_000)
            .is_none()
    );
    let sensitive = Wanted {
        directions: 4,
        ..Wanted::default()
    };
    assert!(tape.rolled_series(&rates, &sensitive, ORDER, 0).is_none());
}
