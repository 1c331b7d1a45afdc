//! The unrolled series against the jets, which share no code with it above single operations: all
//! models, all orders, with the kinetic energy as squares and without.

use galilei::{Compiled, Form, Method, Model};
use galilei_jit::{Kernel, RolledKernel};
use galilei_tape::code::Code;
use galilei_tape::{Jets, Wanted};

use crate::common::largest;

const ORDER: usize = 12;

/// Every model of the gallery in every form, at a state near its initial one: the order of its file, with velocities
/// everywhere.
fn each_model(mut visit: impl FnMut(&str, Form, &Compiled, &[f64])) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "gal"))
        .collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let model = Model::open(&path).unwrap();
        for form in [Form::Squares, Form::Closed, Form::Momenta] {
            let Ok(compiled) = model.compile_as(form) else {
                continue;
            };
            let Ok(state) = model.initial_state() else {
                continue;
            };
            let mut start: Vec<f64> = std::iter::once(state.time)
                .chain(state.position)
                .chain(state.velocity)
                .map(|e| e.evaluate_f64(&[]))
                .collect();
            if start.iter().any(|x| !x.is_finite()) {
                continue;
            }
            for (k, x) in start.iter_mut().enumerate() {
                *x += 0.01 * (k as f64 + 1.0).sin();
            }
            visit(&name, form, &compiled, &start);
        }
    }
}

#[test]
fn unrolled_series_are_the_jets() {
    let mut seen = (0, 0);
    each_model(|name, form, compiled, start| {
        let (tape, rates) = (compiled.tape(), compiled.rates());
        let n = rates.dimension;
        let mut jets = Jets::new(tape, rates, &[], ORDER);
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(start, &[], &mut values);
        let sides = tape.branches(&values);
        if jets.compute(tape, rates, start, &sides).is_err() {
            return;
        }
        for packed in [false, true] {
            let lanes = if packed { "packed" } else { "single" };
            let wanted = Wanted {
                multipliers: true,
                packed,
                ..Wanted::default()
            };
            let series = tape.series(rates, &wanted, ORDER);
            let mut inputs: Vec<[f64; 1]> = start.iter().map(|x| [*x]).collect();
            inputs.extend(sides.iter().map(|s| [*s]));
            for (how, code) in [
                ("as it is", series.code.clone()),
                ("fused", series.code.fused()),
                ("scheduled", series.code.fused().scheduled(400)),
            ] {
                let out = code.run(&inputs, &mut vec![]);
                // Machine code gives the same bits.
                let flat: Vec<f64> = inputs.iter().map(|x| x[0]).collect();
                let mut kernel = Kernel::new(code, 1);
                for (k, (a, b)) in kernel.evaluate(&flat).iter().zip(&out).enumerate() {
                    let same = a.to_bits() == b[0].to_bits() || a.is_nan() && b[0].is_nan();
                    assert!(
                        same,
                        "{name}, {form:?}, {lanes}, {how}: {k}: {a} but {}",
                        b[0]
                    );
                }
                let guard = out[series.guard_at()][0];
                // Momenta of indefinite metrics are left to jets with pivoting.
                if rates.squares.is_some() && form != Form::Momenta {
                    assert!(guard > 0.0, "{name}: guard {guard}");
                }
                if guard.is_nan() || guard <= 0.0 {
                    continue;
                }
                let velocities = &start[1 + n..];
                let fastest = velocities.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
                let factorial = |k: usize| (1..=k).map(|j| j as f64).product::<f64>();
                for k in 1..=ORDER {
                    let largest = (0..n)
                        .map(|i| jets.series((1 + n + i) as u32)[k].abs())
                        .fold(1e-300, f64::max);
                    // Terms of fast rotations, which have this size, may cancel.
                    let rounding = f64::EPSILON * fastest.powi(k as i32 + 1) / factorial(k);
                    for i in 0..n {
                        let (a, b) = (out[k * n + i][0], jets.series((1 + n + i) as u32)[k]);
                        assert!(
                            (a - b).abs() <= 1e-9 * largest + rounding,
                            "{name}, {form:?}, {lanes}, {how}: u{i}, order {k}: {a} but {b}"
                        );
                    }
                }
                for a in 0..series.multipliers {
                    let found = out[series.multiplier_at(a)][0];
                    let expected = jets.unknown(n + a)[0];
                    assert!(
                        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                        "{name}, {form:?}: multiplier {a}: {found} but {expected}"
                    );
                }
                seen.0 += usize::from(rates.squares.is_some());
                seen.1 += 1;
            }
        }
    });
    assert!(seen.0 >= 60 && seen.1 >= 90, "{seen:?}");
}

/// The series by a loop over the orders are the unrolled ones, with everything that can be wanted of them; machine code has
/// the bits of the interpreter.
#[test]
fn series_by_loops_are_the_unrolled_ones() {
    let mut seen = 0;
    each_model(|name, form, compiled, start| {
        let (tape, rates) = (compiled.tape(), compiled.rates());
        let problem = compiled.problem();
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(start, &[], &mut values);
        for own_branches in [false, true] {
            let wanted = Wanted {
                series: vec![1, problem.lagrangian, problem.energy],
                integrated: 1,
                places: Some(3),
                values: vec![problem.energy, problem.power],
                multipliers: true,
                own_branches,
                ..Wanted::default()
            };
            let Some(rolled) = tape.rolled_series(rates, &wanted, ORDER, 0) else {
                assert!(rates.reduced.is_some(), "{name}, {form:?}: no code");
                continue;
            };
            let series = tape.series(rates, &wanted, ORDER);
            let mut inputs = start.to_vec();
            if !own_branches {
                inputs.extend(tape.branches(&values));
            }
            let narrow: Vec<[f64; 1]> = inputs.iter().map(|x| [*x]).collect();
            let expected = series.code.fused().run(&narrow, &mut vec![]);
            for (how, arranged) in [
                ("as it is", (|c| c.clone()) as fn(&Code) -> Code),
                ("scheduled", |c| c.fused().scheduled(100)),
            ] {
                let rolled = rolled.clone().map(arranged);
                let found = rolled.run(&inputs);
                let mut kernel = RolledKernel::new(rolled, Code::clone);
                let mut native = vec![f64::NAN; found.len()];
                for _ in 0..2 {
                    kernel.call(&inputs, &mut native);
                    for (k, (a, b)) in native.iter().zip(&found).enumerate() {
                        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                        assert!(same, "{name}, {form:?}, {how}: {k}: {a} but {b}");
                    }
                }
                let guard = expected[series.guard_at()][0];
                assert_eq!(found.len(), expected.len());
                if guard.is_nan() || guard <= 0.0 {
                    continue;
                }
                // Coefficients of one quantity may be small where those of others are large.
                let n = rates.dimension;
                let order_of = |at: usize| match at {
                    _ if at < series.series_at(0) => at / n,
                    _ if at < series.multiplier_at(0) => (at - series.series_at(0)) % (ORDER + 1),
                    _ if at < series.values_at() => (at - series.multiplier_at(0)) % ORDER + 1,
                    _ => 0,
                };
                let mut largest = [1.0_f64; ORDER + 1];
                for (at, x) in expected
                    .iter()
                    .enumerate()
                    .filter(|(_, x)| x[0].is_finite())
                {
                    let k = order_of(at);
                    largest[k] = largest[k].max(x[0].abs());
                }
                // Terms of fast rotations may cancel.
                let velocities = &start[1 + n..];
                let fastest = velocities.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
                let factorial = |k: usize| (1..=k).map(|j| j as f64).product::<f64>();
                let rounding = |k: usize| f64::EPSILON * fastest.powi(k as i32 + 1) / factorial(k);
                for (at, (a, [b])) in found.iter().zip(&expected).enumerate() {
                    let k = order_of(at);
                    assert!(
                        (a - b).abs() <= 1e-9 * largest[k] + rounding(k)
                            || a.is_nan() && b.is_nan(),
                        "{name}, {form:?}, {how}: {at}: {a} but {b}"
                    );
                }
                seen += 1;
            }
        }
    });
    assert!(seen >= 300, "{seen}");
}

/// One step of the series of order p: its error falls with the power p + 1 of its length.
#[test]
fn the_order_of_a_step_is_that_of_its_series() {
    for (text, start) in [
        (
            "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*cos(a) - cos(b)\n",
            [0.0, 0.5, 1.0, 0.3, -0.2],
        ),
        (
            "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: -1/sqrt(x^2 + y^2)\n",
            [0.0, 1.0, 0.1, 0.2, 1.2],
        ),
    ] {
        let model = Model::parse(text).unwrap();
        for form in [Form::Squares, Form::Closed] {
            let compiled = model.compile_as(form).unwrap();
            let inputs: Vec<[f64; 1]> = start.iter().map(|x| [*x]).collect();
            let velocities = |p: usize, h: f64| -> Vec<f64> {
                let series = compiled.series(&Wanted::default(), p);
                let out = series.code.run(&inputs, &mut vec![]);
                let sum = |i: usize| (0..=p).rev().fold(0.0, |v, k| v * h + out[2 * k + i][0]);
                (0..2).map(sum).collect()
            };
            for (p, long) in [(3, 0.02), (6, 0.1), (9, 0.2), (12, 0.3)] {
                // Against many short Runge–Kutta steps.
                let error = |h: f64| {
                    let mut short = compiled.single_step(Method::Dop853).unwrap();
                    let mut exact = start.to_vec();
                    for _ in 0..64 {
                        exact = short.step(&exact, h / 64.0).unwrap();
                    }
                    let found = velocities(p, h);
                    let pairs = found.iter().zip(&exact[3..]);
                    largest(pairs.map(|(a, b)| a - b))
                };
                let slope = (error(long) / error(0.7 * long)).ln() / -(0.7f64.ln());
                let wanted = (p + 1) as f64;
                assert!((slope - wanted).abs() < 0.6, "order {p}: slope {slope}");
            }
        }
    }
}

/// The cart with a chain of n pendulums: accelerations by sparse elimination, with velocities as
/// unknowns, against a dense solve with pivoting, also where masses differ much (a million: too much, the
/// mass matrix is used) and where rods lie along the axes.
#[test]
fn sparse_elimination_is_as_good_as_pivoting() {
    let text = include_str!("../../../../models/cart-with-pendulums.gal");
    let mut random = {
        let mut seed = 7u64;
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        }
    };
    for (n, masses, tolerance) in [
        (16, "1", 1e-11),
        (16, "if(sin(3*k) < 0, 1, 1000000)", 2e-9),
        (20, "if(sin(3*k) < 0, 1, 90)", 1e-11),
        (24, "1/(k + 1)", 1e-11),
    ] {
        let text = text.replace("1/(k + 1) [kg]", &format!("({masses}) [kg]"));
        let reader = Model::reader().set(format!("n={n}"));
        let model = reader.parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let compiled = model.compile_as(Form::Squares).unwrap();
        let (tape, rates) = (compiled.tape(), compiled.rates());
        let mut fast = compiled.accelerations(1);
        for turn in 0..40 {
            let mut state: Vec<f64> = (0..=2 * rates.dimension)
                .map(|_| 6.0 * random() - 3.0)
                .collect();
            if turn % 2 == 0 {
                for angle in &mut state[2..=n + 1] {
                    *angle = std::f64::consts::FRAC_PI_2 * angle.round();
                }
            }
            let mut found = vec![0.0; rates.unknowns];
            fast.compute(&state, &mut found);
            let mut jets = Jets::new(tape, rates, &[], 1);
            jets.compute(tape, rates, &state, &[]).unwrap();
            let largest = (0..rates.dimension)
                .map(|i| jets.unknown(i)[0].abs())
                .fold(0.0, f64::max);
            for i in 0..rates.dimension {
                let (a, b) = (found[i], jets.unknown(i)[0]);
                assert!(
                    (a - b).abs() <= tolerance * largest,
                    "n = {n}, masses {masses}, turn {turn}: a{i} = {a} but {b}"
                );
            }
        }
    }
}

/// Where an elimination would fill hundreds of thousands of instructions, nothing is unrolled: the jets
/// compute, and the motion is the same.
#[test]
fn very_large_systems_are_not_unrolled() {
    // Springs between all pairs, masses that differ much: a dense matrix in relative coordinates.
    let n = 150;
    let text = format!(
        "const n = {n}\ncoord x[1..n]\nkinetic: sum(k in 1..n: (1 + k)^3*sum(j in 1..k: x[j]')^2)/2000\n\
         potential: sum(k in 1..n: x[k]^2)/2\nfor k in 1..n {{ initial x[k] = 1/k }}\nsimulate to 0.01\n"
    );
    let model = Model::parse(&text).unwrap();
    let compiled = model.compile_as(Form::Closed).unwrap();
    let rates = compiled.rates();
    let series = compiled.tape().series(rates, &Wanted::default(), 4);
    assert!(series.code.operations() == 0, "it was unrolled");
    let state: Vec<f64> = (0..=2 * n)
        .map(|k| if k == 0 || k > n { 0.0 } else { 1.0 / k as f64 })
        .collect();
    let mut found = vec![0.0; n];
    compiled.accelerations(1).compute(&state, &mut found);
    // By squares it is a chain, and short.
    let chain = model.compile_as(Form::Squares).unwrap();
    let mut expected = vec![0.0; n];
    let mut jets = Jets::new(chain.tape(), chain.rates(), &[], 1);
    jets.compute(chain.tape(), chain.rates(), &state, &[])
        .unwrap();
    for (k, e) in expected.iter_mut().enumerate() {
        *e = jets.unknown(k)[0];
    }
    let largest = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (f, e) in found.iter().zip(&expected) {
        assert!((f - e).abs() < 1e-6 * largest, "{f} but {e}");
    }
}

/// What is integrated lacks its highest coefficient, and nothing else.
#[test]
fn integrated_series_end_an_order_earlier() {
    let model =
        Model::parse("coord q\nkinetic: q'^2/2\npotential: -cos(q)\ninitial q = 1, q' = 0.5\n");
    let compiled = model.unwrap().compile().unwrap();
    let (tape, rates) = (compiled.tape(), compiled.rates());
    let of = |integrated: usize| {
        let wanted = Wanted {
            series: vec![1, 2],
            integrated,
            ..Wanted::default()
        };
        let series = tape.series(rates, &wanted, ORDER);
        let out = series.code.fused().run(&[[0.0], [1.0], [0.5]], &mut vec![]);
        [0, 1].map(|w| out[series.series_at(w)..series.series_at(w + 1)].to_vec())
    };
    let (whole, found) = (of(0), of(1));
    assert_eq!(whole[1], found[1]);
    assert_eq!(whole[0][..ORDER], found[0][..ORDER]);
    assert!(whole[0][ORDER][0] != 0.0 && found[0][ORDER] == [0.0]);
}
