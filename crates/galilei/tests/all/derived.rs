//! Hamilton's right-hand side and the derivatives of accelerations: against values of the model, against
//! differences, against formulas.

use galilei::{Compiled, Model};
use galilei_integrate::{Accelerations, Jacobian};
use galilei_mechanics::Force;

use crate::common::{all_near as near, gallery, model, open};

/// Names of the coordinates with values near a state, so that nothing is special about it.
fn shifted(m: &Model, which: usize) -> Option<String> {
    let state = m.initial_state().ok()?;
    let names = &m.contents().coordinates;
    let mut list = vec![format!("t={:?}", 0.1 * which as f64)];
    for (i, c) in names.iter().enumerate() {
        let x = state.position[i].evaluate_f64(&[]);
        let u = state.velocity[i].evaluate_f64(&[]);
        let shift = |k: usize| 0.07 * ((3 * i + k + 5 * which) as f64).sin();
        list.push(format!("{}={:?}", c.name, x + shift(1)));
        list.push(format!("{}'={:?}", c.name, u + shift(2)));
    }
    Some(list.join(", "))
}

fn is_smooth(c: &Compiled) -> bool {
    c.tape().kinks().is_empty()
}

#[test]
fn hamiltons_right_hand_side_is_that_of_the_model() {
    let (mut seen, mut constrained) = (0, 0);
    for (name, _) in gallery() {
        let m = open(&name);
        let Ok(c) = m.compile() else { continue };
        for which in 0..3 {
            let Some(text) = shifted(&m, which) else {
                continue;
            };
            let mut state = m.state_at(&text).unwrap();
            if !m.constraint_rows().is_empty() {
                let Some(projected) = m.projected(&state) else {
                    continue;
                };
                state = projected;
            }
            let Ok(e) = m.evaluate(&state) else { continue };
            let Some(mut h) = c.hamilton(1) else {
                assert!(name.starts_with("relativistic-"), "{name}");
                continue;
            };
            let n = e.position.len();
            let mut input = vec![e.time];
            input.extend(e.position.iter().chain(&e.momentum));
            let mut found = vec![0.0; 2 * n];
            h.compute(&input, &mut found);
            near(&name, &found[..n], &e.velocity, 1e-11);
            near(&name, &found[n..], &e.momentum_rate, 1e-11);
            // Several at once compute the same bits.
            let lanes = Accelerations::widest();
            let mut wide = c.hamilton(lanes).unwrap();
            let spread: Vec<f64> = input.iter().flat_map(|x| vec![*x; lanes]).collect();
            let mut all = vec![0.0; 2 * n * lanes];
            wide.compute(&spread, &mut all);
            for (i, v) in all.iter().enumerate() {
                assert_eq!(v.to_bits(), found[i / lanes].to_bits(), "{name}");
            }
            seen += 1;
            constrained += usize::from(e.constraints.is_some());
        }
    }
    assert!(seen > 100 && constrained > 10, "{seen} {constrained}");
}

/// p as the model has it, ṗ by Hamilton's right-hand side, which takes ∂L/∂x and the forces apart; derivatives by
/// differences. With kinks on their own sides.
#[test]
fn the_balance_of_momenta_is_hamiltons() {
    let mut seen = 0;
    for (name, _) in gallery() {
        let m = open(&name);
        let Ok(c) = m.compile() else { continue };
        let Some(balance) = c.momentum_balance() else {
            assert!(!m.constraint_rows().is_empty(), "{name}");
            continue;
        };
        let run = |code: &galilei_tape::code::Code, at: &[f64]| -> Vec<f64> {
            let inputs: Vec<[f64; 1]> = at.iter().map(|x| [*x]).collect();
            let values = code.run(&inputs, &mut vec![]);
            values.into_iter().map(|v| v[0]).collect()
        };
        for which in 0..3 {
            let Some(text) = shifted(&m, which) else {
                continue;
            };
            let Ok(e) = m.evaluate(&m.state_at(&text).unwrap()) else {
                continue;
            };
            let n = e.position.len();
            let mut at = vec![e.time];
            at.extend(e.position.iter().chain(&e.velocity));
            let mut values = vec![0.0; c.tape().len()];
            c.tape().evaluate(&at, &[], &mut values);
            at.extend(c.tape().branches(&values));
            let found = run(&balance.values, &at);
            near(&name, &found[..n], &e.momentum, 1e-13);
            if let Some(mut h) = c.hamilton(1) {
                let mut input = vec![e.time];
                input.extend(e.position.iter().chain(&e.momentum));
                let mut wanted = vec![0.0; 2 * n];
                h.compute(&input, &mut wanted);
                near(&name, &found[n..], &wanted[n..], 1e-11);
            }
            let slopes = run(&balance.slopes, &at);
            let momenta = run(&balance.momenta, &at);
            near(&name, &momenta[..n], &found[..n], 1e-13);
            near(&name, &momenta[n..], &slopes[n * n..2 * n * n], 1e-13);
            let step = 1e-5;
            for k in 0..2 * n {
                let moved = |sign: f64| {
                    let mut at = at.clone();
                    at[1 + k] += sign * step;
                    run(&balance.values, &at)
                };
                let (up, down) = (moved(1.0), moved(-1.0));
                let pairs = up.iter().zip(&down);
                let wanted: Vec<f64> = pairs.map(|(a, b)| (a - b) / (2.0 * step)).collect();
                // ∂p/∂x, ∂p/∂u, ∂ṗ/∂x, ∂ṗ/∂u.
                let entry = |i: usize| {
                    let block = 2 * (i / n) + k / n;
                    slopes[block * n * n + i % n * n + k % n]
                };
                let found: Vec<f64> = (0..2 * n).map(entry).collect();
                near(&format!("{name} {k}"), &found, &wanted, 1e-6);
            }
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}

#[test]
fn jacobians_are_those_of_differences() {
    let (mut seen, mut constrained) = (0, 0);
    for (name, _) in gallery() {
        let m = open(&name);
        let Ok(c) = m.compile() else { continue };
        if !is_smooth(&c) && name != "dry-friction" {
            continue;
        }
        let Some(text) = shifted(&m, 1) else { continue };
        let state = m.state_at(&text).unwrap();
        let at: Vec<f64> = std::iter::once(state.time)
            .chain(state.position)
            .chain(state.velocity)
            .map(|e| e.evaluate_f64(&[]))
            .collect();
        let (size, known) = (c.rates().unknowns, at.len());
        let mut j = c.jacobian(1);
        let mut found = vec![0.0; size * (known + 1)];
        j.compute(&at, &mut found);
        let mut a = c.accelerations(1);
        let mut values = |at: &[f64]| {
            let mut out = vec![0.0; size];
            a.compute(at, &mut out);
            out
        };
        near(&name, &found[..size], &values(&at), 1e-11);
        for k in 0..known {
            // Richardson's extrapolation of central differences.
            let mut slope = |h: f64| -> Vec<f64> {
                let (mut up, mut down) = (at.clone(), at.clone());
                up[k] += h;
                down[k] -= h;
                let pairs = values(&up).into_iter().zip(values(&down));
                pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
            };
            let (fine, coarse) = (slope(1e-4), slope(2e-4));
            let wanted: Vec<f64> = fine
                .iter()
                .zip(&coarse)
                .map(|(f, c)| (4.0 * f - c) / 3.0)
                .collect();
            let column: Vec<f64> = (0..size).map(|i| found[size + i * known + k]).collect();
            // Differences of large values lose digits.
            let large = found[..size].iter().fold(1.0_f64, |m, a| m.max(a.abs()));
            let tolerance = 2e-7 + 1e-10 * large;
            near(&format!("{name}, column {k}"), &column, &wanted, tolerance);
        }
        let mut on_branches = at.clone();
        let mut registers = vec![0.0; c.tape().len()];
        c.tape().evaluate(&at, &[], &mut registers);
        on_branches.extend(c.tape().branches(&registers));
        let mut same = vec![0.0; found.len()];
        Jacobian::on_branches(c.tape(), c.rates()).compute(&on_branches, &mut same);
        near(&name, &same, &found, 1e-15);
        let lanes = Accelerations::widest();
        let spread: Vec<f64> = at.iter().flat_map(|x| vec![*x; lanes]).collect();
        let mut all = vec![0.0; found.len() * lanes];
        c.jacobian(lanes).compute(&spread, &mut all);
        for (i, v) in all.iter().enumerate() {
            assert_eq!(v.to_bits(), found[i / lanes].to_bits(), "{name}");
        }
        seen += 1;
        constrained += usize::from(size > c.rates().dimension);
    }
    assert!(seen > 35 && constrained > 3, "{seen} {constrained}");
}

/// a = g⁻¹f written out by Cramer's rule and derived as a formula.
#[test]
fn jacobians_are_those_of_formulas() {
    for text in [
        "coord a\nkinetic: (1 + a^2)*a'^2/2\npotential: -cos(a)*exp(t)\nforce: a = -a'*a*t\n",
        "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*cos(a) - cos(b)\nforce: b = -a'*b'^2\n",
        "coord r, p\nkinetic: r'^2/2 + r^2*p'^2/2 + t*r*p'\npotential: -1/sqrt(1 + r^2) + sin(p - t)\n",
        "lagrangian: -sqrt(1 - x'^2 - y'^2) - x*y\ncoord x, y\n",
    ] {
        let m = model(text);
        let c = m.compile().unwrap();
        let system = m.system();
        let l = system.lagrangian();
        let f = l.right_hand_side(&Force::new(
            system.state(),
            system.total_force().components().to_vec(),
        ));
        let g = l.mass_matrix().rows().to_vec();
        let formulas = match f.len() {
            1 => vec![f[0] / g[0][0]],
            _ => {
                let det = g[0][0] * g[1][1] - g[0][1] * g[1][0];
                vec![
                    (f[0] * g[1][1] - f[1] * g[0][1]) / det,
                    (f[1] * g[0][0] - f[0] * g[1][0]) / det,
                ]
            }
        };
        let state = system.state();
        let mut symbols = vec![state.time()];
        symbols.extend(state.base().positions());
        symbols.extend(state.velocities());
        let at: Vec<f64> = (0..symbols.len())
            .map(|k| 0.4 + 0.1 * (k as f64).cos())
            .collect();
        let values: Vec<_> = symbols.iter().copied().zip(at.iter().copied()).collect();
        let mut found = vec![0.0; f.len() * (1 + at.len())];
        c.jacobian(1).compute(&at, &mut found);
        let mut wanted: Vec<f64> = formulas.iter().map(|a| a.evaluate_f64(&values)).collect();
        for a in &formulas {
            let slopes = a.gradient(&symbols);
            wanted.extend(slopes.iter().map(|s| s.evaluate_f64(&values)));
        }
        near(text, &found, &wanted, 1e-12);
    }
}

/// A mass matrix that no fixed order of elimination suits: g = [0 1; 1 0].
#[test]
fn pivots_are_chosen_where_they_must() {
    let m = model("coord x, y\nlagrangian: x'*y' - x^2*y\n");
    let c = m.compile().unwrap();
    // p = (y', x'), ṗ = (−2xy, −x²); x″ = −x², y″ = −2xy.
    let mut rates = [0.0; 4];
    c.hamilton(1)
        .unwrap()
        .compute(&[0.0, 2.0, 3.0, 5.0, 7.0], &mut rates);
    assert_eq!(rates, [7.0, 5.0, -12.0, -4.0]);
    let mut found = [0.0; 12];
    c.jacobian(1)
        .compute(&[0.0, 2.0, 3.0, 5.0, 7.0], &mut found);
    let wanted = [
        -4.0, -12.0, 0.0, -4.0, 0.0, 0.0, 0.0, 0.0, -6.0, -4.0, 0.0, 0.0,
    ];
    near("pivoted", &found, &wanted, 1e-15);
    // Singular: not a number, and said so.
    let m = model("coord x, y\nlagrangian: t*x'^2/2 + y'^2/2\n");
    let c = m.compile().unwrap();
    c.hamilton(1)
        .unwrap()
        .compute(&[0.0, 2.0, 3.0, 5.0, 7.0], &mut rates);
    assert!(rates[0].is_nan());
}
