//! Motions with impacts, stick and slip: derivatives against differences of runs, and what is made of them. (T-207)

use std::sync::Arc;

use galilei_analyse::{
    ContactCode, FitSettings, LyapunovRequest, Measurements, PeriodicSearch, fit, lyapunov,
    periodic,
};
use galilei_integrate::{Directions, Error, Method, Options, Record, Status};
use galilei_lower::Parameters;
use galilei_model::{Model, Settings, read};

fn model(text: &str) -> Model {
    let found = read(text, &Settings::default());
    found.model.unwrap_or_else(|| panic!("{text}"))
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1.0),
        "{a} is not {b}"
    );
}

/// The state of `initial` and its derivatives by parameters of the same names as in `slopes`: none here.
fn start(model: &Model) -> Vec<f64> {
    let state = model.initial_state().unwrap();
    let values = model.parameter_values().unwrap();
    let all = state.position.iter().chain(&state.velocity);
    all.map(|e| e.substitute(&values).evaluate_f64(&[]))
        .collect()
}

/// Derivatives by the start and by parameters of a run to a time agree with differences of runs.
fn agrees(text: &str, to: f64, parameters: &[(&str, f64)], bound: f64) {
    let model = model(text);
    let symbol = |name: &str| {
        let all = &model.contents().parameters;
        model.expr(all.iter().find(|p| p.name == name).unwrap().symbol)
    };
    let symbols: Vec<_> = parameters.iter().map(|p| symbol(p.0)).collect();
    let (code, lowered) = ContactCode::new(&model, Parameters::Differentiated(&symbols)).unwrap();
    let n = lowered.coordinates.len();
    let options = Options {
        to,
        record: Record::Nothing,
        tolerance: 1e-13,
        ..Options::default()
    };
    let values: Vec<f64> = parameters.iter().map(|p| p.1).collect();
    let mut directions = Directions::all(&lowered.problem.tape, n);
    directions.transitions = true;
    let first = start(&model);
    let (run, found) = code.integrate_with((&first, &values), &options, &directions, |_| true);
    assert_eq!(run.status, Status::Finished, "{text}");
    let width = 2 * n + values.len();
    let end = |changed: usize, by: f64| -> Vec<f64> {
        let (mut z, mut p) = (first.clone(), values.clone());
        match changed < 2 * n {
            true => z[changed] += by,
            false => p[changed - 2 * n] += by,
        }
        let run = code.integrate(Method::Taylor, (&z, &p), &options, |_| true);
        assert_eq!(run.status, Status::Finished, "{text}");
        run.state
    };
    // The products of the pieces are the whole.
    let mut product: Vec<Vec<f64>> = directions.columns.clone();
    for piece in &found.transitions {
        for column in &mut product {
            let rows = piece.matrix.chunks(width);
            let new: Vec<f64> = rows
                .map(|r| r.iter().zip(&*column).map(|(a, b)| a * b).sum())
                .collect();
            column[..2 * n].copy_from_slice(&new);
        }
    }
    let starts = match run.contacts.modes[0].closed.is_empty()
        && run.contacts.modes[0].sticking.is_empty()
    {
        true => 0,
        // A start in a mode of contact has derivatives within it.
        false => 2 * n,
    };
    for c in starts..width {
        let size: f64 = match c < 2 * n {
            true => 1.0,
            false => values[c - 2 * n].abs(),
        };
        let h = 2e-4 * size;
        let slope = |h: f64| -> Vec<f64> {
            let pairs = end(c, h).into_iter().zip(end(c, -h));
            pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let (coarse, fine) = (slope(2.0 * h), slope(h));
        let largest = fine.iter().fold(1e-2_f64, |m, x| m.max(x.abs()));
        for i in 0..2 * n {
            let expected = (4.0 * fine[i] - coarse[i]) / 3.0;
            let own = found.last[i * width + c];
            assert!(
                (own - expected).abs() <= bound * largest,
                "∂z{i} by {c}: {own} and {expected}\n{text}"
            );
            near(product[c][i], own, 1e-10 * largest.max(1.0));
        }
    }
}

/// Impacts with friction that slides and that sticks, of a ball that turns, on a curved floor.
#[test]
fn impacts_with_friction() {
    let text = |mu: f64, w: f64| {
        format!(
            "param g = 9.81\nparam e = 0.7\nparam mu = {mu}\nparam k = 0.4\ncoord x, y, a\nkinetic: (x'^2 + y'^2)/2 + k*a'^2/2\npotential: g*y\ncontact floor: y - 0.1*x^2 - 0.2 >= 0 restitution e friction mu along x' + 0.3*a'\ninitial y = 1, x' = 1, a' = {w}\nsimulate to 1.1"
        )
    };
    let all = |mu: f64| [("g", 9.81), ("e", 0.7), ("k", 0.4), ("mu", mu)];
    agrees(&text(0.05, 3.0), 1.1, &all(0.05), 1e-7);
    agrees(&text(0.9, 0.1), 1.1, &all(0.9), 1e-7);
}

/// Friction in space: the direction of the slip turns in the impact and after it.
#[test]
fn impacts_with_friction_in_space() {
    let text = "param g = 9.81\nparam e = 0.5\nparam mu = 0.1\nparam k = 0.4\ncoord x, y, z, a\nkinetic: (x'^2 + 2*y'^2 + z'^2)/2 + k*a'^2/2\npotential: g*z\ncontact floor: z - 0.1*x*y >= 0 restitution e friction mu along (x' + a', y')\ninitial z = 1, x' = 1, y' = 0.6, a' = 1.3\nsimulate to 1";
    agrees(
        text,
        0.7,
        &[("mu", 0.1), ("e", 0.5), ("k", 0.4), ("g", 9.81)],
        1e-7,
    );
}

/// A block on a belt sticks and slips; static friction is larger.
#[test]
fn stick_and_slip() {
    let text = "param c = 3\nparam F = 1\nparam F0 = 1.4\nparam m = 1.1\ncoord x\nkinetic: m*x'^2/2\npotential: c*x^2/2\nfriction belt: limit F static F0 along x' - 1/2\ninitial x = 0.1, x' = 0.5\nsimulate to 9";
    agrees(
        text,
        9.0,
        &[("c", 3.0), ("F", 1.0), ("F0", 1.4), ("m", 1.1)],
        1e-7,
    );
}

/// A ball bounces on a moving table, and a mass is kicked at an event that depends on its state.
#[test]
fn moving_tables_and_kicks() {
    let table = "param A = 0.4\nparam w = 4\nparam g = 9.81\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact table: y - A*sin(w*t) >= 0 restitution 0.5\ninitial y = 0.9\nsimulate to 4";
    agrees(table, 1.2, &[("A", 0.4), ("w", 4.0), ("g", 9.81)], 1e-6);
    let kick = "param k = 1.3\nparam g = 2\nparam h = 0.5\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\nevent low: y - h - 0.1*x + 0.02*y' falling\nimpact kick: low y' = k*abs(before(y')) + 0.1*x, x' = before(x')*k + 0.05*y\ninitial y = 1, x' = 0.3\nsimulate to 2";
    agrees(kick, 2.0, &[("k", 1.3), ("g", 2.0), ("h", 0.5)], 1e-7);
}

/// An impact passes on through a closed contact whose friction depends on the load; contacts open again.
#[test]
fn impacts_on_closed_contacts_and_release() {
    let text = "param m = 0.5\nparam mu = 0.3\nparam e = 0.4\ncoord x, y, a, b\nkinetic: (x'^2 + y'^2)/2 + m*(a'^2 + b'^2)/2\npotential: 9.81*(y + m*b)\ncontact floor: y >= 0 friction mu along x'\ncontact top: b - y - 0.3 + 0.1*x >= 0 restitution e friction mu along a' - x'\ninitial x' = 2, b = 0.8, a' = 0.4\nsimulate to 0.45";
    agrees(text, 0.45, &[("m", 0.5), ("mu", 0.3), ("e", 0.4)], 1e-7);
    // A table that falls away faster than gravity.
    let release = "param A = 0.4\nparam w = 6\nparam g = 9.81\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact table: y - A*sin(w*t) >= 0\ninitial y' = 0.4*6\nsimulate to 0.3";
    let table = model(release);
    let symbols: Vec<_> = (table.contents().parameters.iter())
        .map(|p| table.expr(p.symbol))
        .collect();
    let (code, lowered) = ContactCode::new(&table, Parameters::Differentiated(&symbols)).unwrap();
    let options = Options {
        to: 0.3,
        ..Options::default()
    };
    let mut directions = Directions::all(&lowered.problem.tape, 1);
    // The start follows the table.
    directions.columns[2][1] = 6.0;
    directions.columns[3][1] = 0.4;
    let values = [0.4, 6.0, 9.81];
    let (run, found) = code.integrate_with((&[0.0, 2.4], &values), &options, &directions, |_| true);
    assert_eq!(run.status, Status::Finished);
    // It leaves where A·w²·sin wt = g and falls freely: y(T) = A sin wτ + A w cos wτ·(T − τ) − g(T − τ)²/2.
    let end = |a: f64, w: f64, g: f64| {
        let tau = (g / (a * w * w)).asin() / w;
        let s = 0.3 - tau;
        a * (w * tau).sin() + a * w * (w * tau).cos() * s - g * s * s / 2.0
    };
    near(run.state[0], end(0.4, 6.0, 9.81), 1e-12);
    let h = 1e-4;
    let slopes = [
        (end(0.4 + h, 6.0, 9.81) - end(0.4 - h, 6.0, 9.81)) / (2.0 * h),
        (end(0.4, 6.0 + h, 9.81) - end(0.4, 6.0 - h, 9.81)) / (2.0 * h),
        (end(0.4, 6.0, 9.81 + h) - end(0.4, 6.0, 9.81 - h)) / (2.0 * h),
    ];
    for (k, s) in slopes.iter().enumerate() {
        near(found.last[2 + k], *s, 1e-6);
    }
}

/// Where nearby motions part there are no derivatives, and the reason is said.
#[test]
fn motions_without_derivatives_are_refused() {
    let refusal = |text: &str, to: f64| {
        let model = model(text);
        let symbols: Vec<_> = (model.contents().parameters.iter())
            .map(|p| model.expr(p.symbol))
            .collect();
        let (code, lowered) =
            ContactCode::new(&model, Parameters::Differentiated(&symbols)).unwrap();
        let directions = Directions::all(&lowered.problem.tape, lowered.coordinates.len());
        let options = Options {
            to,
            ..Options::default()
        };
        let z = start(&model);
        let values = code.parameter_values();
        let (run, _) = code.integrate_with((&z, &values), &options, &directions, |_| true);
        match run.status {
            Status::Failed(why) => why,
            other => panic!("{other:?}\n{text}"),
        }
    };
    let ball = "param e = 0.5\ncoord y\nkinetic: y'^2/2\npotential: 9.81*y\ncontact floor: y >= 0 restitution e\ninitial y = 1\n";
    assert_eq!(refusal(ball, 5.0), Error::AccumulatingImpacts);
    // Two corners of a block that falls flat.
    let flat = "coord y, a\nkinetic: (y'^2 + a'^2)/2\npotential: 9.81*y\ncontact left: y - a >= 0 restitution 0.5\ncontact right: y + 2*a >= 0 restitution 0.5\ninitial y = 1\n";
    assert_eq!(refusal(flat, 0.6), Error::ModesEndTogether);
    // Stopping nearly at a ceiling.
    let graze = "coord y\nkinetic: y'^2/2\npotential: y\ncontact ceiling: 2 - y - 4e-12 >= 0 restitution 0.5\ninitial y' = 2\n";
    assert_eq!(refusal(graze, 3.0), Error::GrazingContact);
    let start = "param h = 0\ncoord y\nkinetic: y'^2/2\npotential: y\ncontact floor: y - h >= 0\n";
    assert_eq!(refusal(start, 3.0), Error::StartOffContact);
}

/// Sinai's billiard without corners: a point in a square with a disk, by elastic impacts. Dispersing, so the largest
/// exponent is positive; Hamiltonian, so exponents come in pairs ±λ and the flow has exponent zero.
#[test]
fn dispersing_billiard() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\ncontact left: x + 1 >= 0 restitution 1\ncontact right: 1 - x >= 0 restitution 1\ncontact low: y + 1 >= 0 restitution 1\ncontact high: 1 - y >= 0 restitution 1\ncontact disk: sqrt(x^2 + y^2) - 0.4 >= 0 restitution 1\ninitial x = 0.7, y = 0.31, x' = 0.6, y' = 0.8";
    let model = model(text);
    let request = LyapunovRequest::new(vec![0.7, 0.31, 0.6, 0.8], 0.0, 400.0, 1e-12);
    let found = lyapunov(&model, &request, |_| true).unwrap();
    assert_eq!(found.failure, None);
    let l = &found.exponents;
    assert!(l[0] > 0.3 && l[0] < 3.0, "{l:?}");
    assert_eq!(found.expected_sum, Some(0.0));
    assert!(found.sum.abs() < 1e-10, "{l:?}");
    assert!((l[0] + l[3]).abs() < 1e-6 * l[0].max(1.0) + 0.05, "{l:?}");
    assert!(l[1].abs() < 0.05 && l[2].abs() < 0.05, "{l:?}");
}

/// A ball that bounces on a vibrating table once in a period: multipliers in closed form. With W the speed relative to the
/// table, the map of phase φ and speed has trace (1 + e²) − A·ω²·(1 + e)²·sin φ/g and determinant e².
#[test]
fn bouncing_in_step_with_a_table() {
    let (g, e, w, a): (f64, f64, f64, f64) = (9.81, 0.8, 20.0, 0.012);
    let period = std::f64::consts::TAU / w;
    // v⁺ = gT/2 above the table: v⁺ − V = −e(v⁻ − V), v⁻ = −v⁺, so V = v⁺(1 − e)/(1 + e) = Aω cos φ.
    let v = g * period / 2.0;
    let table = v * (1.0 - e) / (1.0 + e);
    let phase = (table / (a * w)).acos();
    let text = format!(
        "coord y\nkinetic: y'^2/2\npotential: {g}*y\ncontact table: y - {a}*sin({w}*t + {phase} - {w}*{half}) >= 0 restitution {e}\ninitial y = 0.1",
        half = 0.5 * period
    );
    let model = model(&text);
    let top = a * phase.sin() + v * v / (2.0 * g);
    let mut search = PeriodicSearch::new(period);
    search.at = format!("y={}, y'=0.001", top + 1e-4);
    let found = periodic(&model, &search).unwrap();
    let m = &found.motions[0];
    near(m.position[0], top, 1e-10);
    near(m.velocity[0], 0.0, 1e-9);
    let trace = 1.0 + e * e - a * w * w * (1.0 + e).powi(2) * phase.sin() / g;
    let [p, q] = [m.multipliers[0], m.multipliers[1]];
    near(p[0] + q[0], trace, 1e-8);
    near(p[0] * q[0] - p[1] * q[1], e * e, 1e-8);
}

/// The limit cycle of a stick-slip oscillator: a multiplier 1 of the flow and one zero, since sticking forgets.
#[test]
fn stick_slip_limit_cycle() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nfriction belt: limit 1 static 3/2 along x' - 1/5\ninitial x = 1, x' = 0.2";
    let model = model(text);
    // Slip from x = 3/2 at v: x = 1 + ½ cos s + v sin s until the velocity is v again; then sticking over the way back.
    let v = 0.2_f64;
    let slip = 2.0 * (std::f64::consts::PI - (0.5 / v).atan());
    let back = 1.0;
    let period = slip + back / v;
    let found = periodic(&model, &PeriodicSearch::new(period + 0.05)).unwrap();
    let m = &found.motions[0];
    near(m.period, period, 1e-9);
    assert_eq!(m.trivial, 1);
    assert_eq!(m.multipliers[0], [1.0, 0.0]);
    assert!(
        m.multipliers[1][0].abs() < 1e-9 && m.stable == Some(true),
        "{m:?}"
    );
}

/// Restitution and gravity from measured heights of a bouncing ball.
#[test]
fn fit_of_a_bouncing_ball() {
    let truth = |g: f64, e: f64| {
        format!(
            "param g = {g}\nparam e = {e}\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact floor: y >= 0 restitution e\ninitial y = 1\noutput height: y\nsimulate to 1.6"
        )
    };
    let times: Vec<f64> = (1..40).map(|k| 0.04 * f64::from(k)).collect();
    let source = model(&truth(9.81, 0.8));
    let (code, _) = ContactCode::new(&source, Parameters::Constant).unwrap();
    let options = Options {
        to: 1.6,
        record: Record::At(Arc::from(times.clone())),
        ..Options::default()
    };
    let run = code.integrate(Method::Taylor, (&[1.0, 0.0], &[]), &options, |_| true);
    let heights = run.rows.iter().map(|r| Some(r[1])).collect();
    let data = Measurements {
        times,
        outputs: vec![("height".into(), heights)],
    };
    let settings = FitSettings {
        free: vec!["g".into(), "e".into()],
        ..FitSettings::default()
    };
    let found = fit(&model(&truth(9.6, 0.78)), &data, &settings).unwrap();
    near(found.parameters[0].value, 9.81, 1e-7);
    near(found.parameters[1].value, 0.8, 1e-7);
}

/// A run by time stepping.
fn stepped(text: &str, to: f64, h: f64) -> galilei_integrate::Run {
    let model = model(text);
    let (code, _) = ContactCode::new(&model, Parameters::Constant).unwrap();
    let options = Options {
        to,
        step: Some(h),
        ..Options::default()
    };
    let run = code.integrate(Method::Moreau, (&start(&model), &[]), &options, |_| true);
    assert_eq!(run.status, Status::Finished, "{text}");
    run
}

/// Time stepping converges to the run that locates impacts, with the first power of the step: flight, impacts with
/// restitution, sliding and sticking.
#[test]
fn time_stepping_is_of_first_order() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y + x^2\ncontact floor: y + 0.1*x >= 0 restitution 0.3 friction 0.4 along x'\ninitial y = 0.5, x = 0.2, x' = 1\noutput N: multiplier(floor)";
    let source = model(text);
    let (code, _) = ContactCode::new(&source, Parameters::Constant).unwrap();
    let options = Options {
        to: 2.0,
        ..Options::default()
    };
    let exact = code.integrate(Method::Taylor, (&start(&source), &[]), &options, |_| true);
    assert_eq!(exact.status, Status::Finished);
    let error = |h: f64| -> f64 {
        let run = stepped(text, 2.0, h);
        let pairs = run.state.iter().zip(&exact.state);
        pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    };
    let errors: Vec<f64> = [4e-3, 4e-4, 4e-5].into_iter().map(error).collect();
    assert!(errors[0] < 4e-2, "{errors:?}");
    assert!(
        errors[2] < errors[0] / 20.0 && errors[2] < 4e-4,
        "{errors:?}"
    );
    assert!(errors[2] > 1e-9, "it is of first order: {errors:?}");
}

/// A stack of blocks comes to rest, and each contact bears the weight above it; the loss of energy is that of impacts.
#[test]
fn stack_of_blocks_by_time_stepping() {
    let names: Vec<String> = (0..12).map(|k| format!("y{k}")).collect();
    let mut text = format!("coord {}\nkinetic: (", names.join(", "));
    text += &names
        .iter()
        .map(|y| format!("{y}'^2"))
        .collect::<Vec<_>>()
        .join(" + ");
    text += &format!(")/2\npotential: 10*({})\n", names.join(" + "));
    text += "contact c0: y0 >= 0\n";
    for k in 1..12 {
        text += &format!("contact c{k}: y{k} - y{} - 1 >= 0\n", k - 1);
    }
    for k in 0..12 {
        text += &format!(
            "initial y{k} = {}\noutput N{k}: multiplier(c{k})\n",
            1.1 * f64::from(k) + 0.1
        );
    }
    let run = stepped(&text, 1.0, 2e-3);
    for k in 0..12 {
        near(run.outputs[k], 10.0 * (12 - k) as f64, 1e-7);
        near(run.state[k], k as f64, 1e-2);
        near(run.state[12 + k], 0.0, 1e-9);
    }
    assert!(
        run.contacts.residual < 1e-9 && run.energy_balance < 1e-2,
        "{}",
        run.energy_balance
    );
    assert_eq!(run.contacts.modes.last().unwrap().closed.len(), 12);
}

/// Nine disks fall into a box of three diameters: a heap at rest that bears its weight, without deep overlaps.
#[test]
fn heap_of_disks_by_time_stepping() {
    let n = 9;
    let list = |f: &dyn Fn(usize) -> String, join: &str| -> String {
        (0..n).map(f).collect::<Vec<_>>().join(join)
    };
    let mut text = format!("coord {}\n", list(&|k| format!("x{k}, y{k}"), ", "));
    text += &format!(
        "kinetic: ({})/2\n",
        list(&|k| format!("x{k}'^2 + y{k}'^2"), " + ")
    );
    text += &format!("potential: 10*({})\n", list(&|k| format!("y{k}"), " + "));
    for k in 0..n {
        text += &format!("contact floor{k}: y{k} - 1 >= 0 friction 0.3 along x{k}'\n");
        text += &format!("contact left{k}: x{k} - 1 >= 0\ncontact right{k}: 7 - x{k} >= 0\n");
        for j in 0..k {
            text +=
                &format!("contact pair{j}_{k}: sqrt((x{k} - x{j})^2 + (y{k} - y{j})^2) - 2 >= 0\n");
        }
        let (column, row) = ((k % 3) as f64, (k / 3) as f64);
        text += &format!(
            "initial x{k} = {}, y{k} = {}\n",
            1.8 + 2.1 * column + 0.13 * row,
            1.5 + 2.3 * row
        );
    }
    text += &format!(
        "output weight: {}\n",
        list(&|k| format!("multiplier(floor{k})"), " + ")
    );
    let run = stepped(&text, 3.0, 5e-3);
    let at = |k: usize| (run.state[2 * k], run.state[2 * k + 1]);
    for k in 0..n {
        let (x, y) = at(k);
        assert!(x > 0.99 && x < 7.01 && y > 0.97, "{x} {y}");
        for j in 0..k {
            let (p, q) = at(j);
            assert!((x - p).hypot(y - q) > 1.97, "{j} {k}");
        }
    }
    assert!(
        run.state[2 * n..].iter().all(|v| v.abs() < 0.3),
        "{:?}",
        run.state
    );
    assert!(run.contacts.residual < 1e-9, "{}", run.contacts.residual);
    near(run.outputs[0], 90.0, 0.05);
}

/// The woodpecker toy of Glocker and Pfeiffer: a sleeve with friction on a pole and a bird on a spring, whose beak hits the
/// pole. The motion comes to a limit cycle, which jams, slides and pecks once in a period.
#[test]
fn woodpecker_pecks_periodically() {
    let text = "param M = 0.0003, J = 5e-9, m = 0.0045, I = 7e-7, c = 0.0056, g = 9.81\nparam l = 0.010, L = 0.015, s = 0.0201, h = 0.0058, H = 0.02, r = 0.0025, R = 0.0031\ncoord y, a, b\nkinetic: (m + M)*y'^2/2 + m*l*y'*a' + m*L*y'*b' + (J + m*l^2)*a'^2/2 + m*l*L*a'*b' + (I + m*L^2)*b'^2/2\npotential: (m + M)*g*y + m*g*l*a + m*g*L*b + c*(a - b)^2/2\ncontact beak: l + L - s - r - H*b >= 0 restitution 0.5 friction 0.3 along y' + l*a' + (L - s)*b'\ncontact lower: R - r + h*a >= 0 friction 0.3 along y' + R*a'\ncontact upper: R - r - h*a >= 0 friction 0.3 along y' + R*a'\ninitial a = -0.0006/0.0058, b = -0.2788, y' = -0.3411, b' = -7.4583";
    let model = model(text);
    let (code, _) = ContactCode::new(&model, Parameters::Constant).unwrap();
    let options = Options {
        to: 8.0,
        ..Options::default()
    };
    let run = code.integrate(Method::Taylor, (&start(&model), &[]), &options, |_| true);
    assert_eq!(run.status, Status::Finished, "t = {}", run.time);
    // One impact of the beak in a period.
    let pecks: Vec<(f64, f64)> = (run.contacts.collisions.iter())
        .filter(|c| c.name == "beak")
        .map(|c| (c.time, c.before[2]))
        .collect();
    assert!(pecks.len() > 10, "{pecks:?}");
    let last = &pecks[pecks.len() - 3..];
    let (first, second) = (last[1].0 - last[0].0, last[2].0 - last[1].0);
    near(first, second, 1e-6);
    near(last[1].1, last[2].1, 1e-6);
    assert!((first - 0.1452).abs() < 2e-3, "{first} {pecks:?}");
}
