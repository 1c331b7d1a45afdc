//! Fits against SciPy: several runs, weights, profiles, multiple shooting.

use galilei_analyse::{Fit, FitSettings, Measurements, fit, fit_runs};
use galilei_model::{Model, Settings, read};

const PENDULUM: &str = "param c = 0.1, w2 = 9.81\ncoord q\nkinetic: q'^2/2\npotential: -w2*cos(q)\nforce: q = -c*q'\n\
                        initial q = 1\noutput angle: q\noutput rate: q'\n";

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

fn free(names: &[&str]) -> FitSettings {
    FitSettings {
        free: names.iter().map(|n| (*n).to_owned()).collect(),
        ..FitSettings::default()
    }
}

/// Values at the times 0, 0.1, …, 3.
fn sampled(f: &dyn Fn(f64, f64) -> f64) -> (Vec<f64>, Vec<Option<f64>>) {
    let places = (0..31).map(f64::from);
    let times: Vec<f64> = places.clone().map(|k| 0.1 * k).collect();
    let values = places.zip(&times).map(|(k, t)| Some(f(k, *t))).collect();
    (times, values)
}

fn angles(f: &dyn Fn(f64, f64) -> f64) -> Measurements {
    let (times, values) = sampled(f);
    Measurements {
        times,
        outputs: vec![("angle".into(), values)],
    }
}

/// A vibration with deterministic scatter.
fn first() -> Measurements {
    let f = |k: f64, t: f64| {
        1.2 * (-0.07 * t).exp() * (2.8 * t).cos() + 0.02 * (7.0 * k * k + 1.0).sin()
    };
    angles(&f)
}

fn second() -> Measurements {
    let f = |k: f64, t: f64| {
        0.7 * (-0.07 * t).exp() * (3.0 * t).cos() + 0.02 * (5.0 * k * k + 2.0).sin()
    };
    angles(&f)
}

#[track_caller]
fn agrees(fit: &Fit, values: &[f64], errors: &[f64]) {
    for (p, (value, error)) in fit.parameters.iter().zip(values.iter().zip(errors)) {
        let found = p.standard_error.expect("a standard error");
        assert!((p.value - value).abs() < 2e-5 * error, "{p:?}, {value}");
        assert!((found - error).abs() < 1e-5 * error, "{p:?} ± {error}");
    }
    assert_eq!(fit.parameters.len(), values.len());
}

/// SciPy 1.17: `least_squares` on DOP853 with tolerance 1e-12, covariance SSR/(N−p)·(JᵀJ)⁻¹.
#[test]
fn several_runs_share_parameters() {
    let fit = fit_runs(
        &model(PENDULUM),
        &[first(), second()],
        &free(&["c", "w2", "q"]),
    )
    .unwrap();
    let names: Vec<&str> = fit.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["c", "w2", "q@1", "q@2"]);
    agrees(
        &fit,
        &[
            0.112_144_313_4,
            9.356_318_236,
            1.195_925_517_8,
            0.683_018_493_1,
        ],
        &[
            0.011_767_694_3,
            0.029_717_406_3,
            0.012_065_266_6,
            0.009_878_886_9,
        ],
    );
    assert!((fit.residual_rms - 0.029_732_516_215).abs() < 1e-10);
    let covariance = fit.covariance[0][1].unwrap();
    assert!((covariance - 1.348_424_960_48e-4).abs() < 1e-8);
}

/// The weighted fit of two outputs, by SciPy's `least_squares`.
#[test]
fn deviations_weigh_outputs() {
    let mut data = first();
    let rate = |k: f64, t: f64| {
        -3.3 * (-0.07 * t).exp() * (2.8 * t).sin() + 0.1 * (3.0 * k * k + 0.5).sin()
    };
    data.outputs.push(("rate".into(), sampled(&rate).1));
    let settings = FitSettings {
        deviations: vec![("angle".into(), 0.02), ("rate".into(), 0.1)],
        ..free(&["c", "w2", "q"])
    };
    let fit = fit(&model(PENDULUM), &data, &settings).unwrap();
    agrees(
        &fit,
        &[0.111_752_540_5, 9.208_912_502_7, 1.170_255_700_2],
        &[0.009_664_273_9, 0.025_073_870_7, 0.009_680_547_3],
    );
    assert!((fit.residual_rms - 1.190_170_672_298).abs() < 1e-9);
}

/// Intervals where SSR(held) = SSR·(1 + F₀.₉₅(1, 28)/28), by SciPy's `least_squares` within `brentq`.
#[test]
fn profiles_end_where_the_likelihood_ratio_says() {
    let settings = FitSettings {
        profile: true,
        ..free(&["c", "w2", "q"])
    };
    let fit = fit(&model(PENDULUM), &first(), &settings).unwrap();
    agrees(
        &fit,
        &[0.103_748_483_3, 9.242_211_043_5, 1.172_570_339_8],
        &[0.011_655_863_8, 0.031_527_653_5, 0.011_629_600_1],
    );
    let expected = [
        [0.079_867_885_2, 0.127_583_957_0],
        [9.177_704_198_4, 9.307_236_675_8],
        [1.148_938_301_2, 1.196_191_612_5],
    ];
    assert_eq!(fit.profiles.len(), 3);
    for (profile, ends) in fit.profiles.iter().zip(expected) {
        let width = ends[1] - ends[0];
        for (found, end) in profile.interval.iter().zip(ends) {
            let found = found.expect("an end");
            assert!((found - end).abs() < 1e-4 * width, "{profile:?}");
        }
        assert!(profile.values.is_sorted());
    }
}

/// A driven Duffing oscillator in its chaotic regime: one long run from a wrong start finds nothing, segments find the
/// parameters of the run that made the data.
const CHAOTIC: &str = "param d = 0.25, a = -1, b = 1, F = 0.3\ncoord x\nkinetic: x'^2/2\npotential: a*x^2/2 + b*x^4/4\n\
                       force: x = -d*x' + F*cos(t)\ninitial x = 0.9\noutput place: x\n";

/// `place` of the oscillator with d = 0.2, a = −1.1, b = 1.05 from x = 1, by classical Runge–Kutta steps of 0.001.
fn duffing(end: usize) -> Measurements {
    let rate = |t: f64, [x, v]: [f64; 2]| [v, 1.1 * x - 1.05 * x.powi(3) - 0.2 * v + 0.3 * t.cos()];
    let (mut y, h) = ([1.0, 0.0], 1e-3);
    let (mut times, mut values) = (vec![], vec![]);
    for step in 0..=end * 200 {
        let t = step as f64 * h;
        if step % 200 == 0 {
            times.push(t);
            values.push(Some(y[0]));
        }
        let moved = |k: [f64; 2], part: f64| [y[0] + part * h * k[0], y[1] + part * h * k[1]];
        let k1 = rate(t, y);
        let k2 = rate(t + h / 2.0, moved(k1, 0.5));
        let k3 = rate(t + h / 2.0, moved(k2, 0.5));
        let k4 = rate(t + h, moved(k3, 1.0));
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    Measurements {
        times,
        outputs: vec![("place".into(), values)],
    }
}

#[test]
fn segments_follow_chaotic_motions() {
    let model = model(CHAOTIC);
    let data = duffing(250);
    let one = fit(&model, &data, &free(&["d", "a", "b", "x"])).unwrap();
    assert!(one.residual_rms > 0.1, "{one:?}");
    let settings = FitSettings {
        segments: 20,
        ..free(&["d", "a", "b", "x"])
    };
    let found = fit(&model, &data, &settings).unwrap();
    for (p, wanted) in found.parameters.iter().zip([0.2, -1.1, 1.05, 1.0]) {
        assert!((p.value - wanted).abs() < 1e-5, "{p:?}");
    }
    assert!(found.residual_rms < 1e-5, "{}", found.residual_rms);
}

/// On phase space a node is a point (x, p): the same oscillator by its Hamiltonian.
#[test]
fn segments_join_in_phase_space() {
    let text = "param k = 3\ncoord x\nhamiltonian: sqrt(1 + p(x)^2) + k*x^2/2\ninitial x = 0.5, p(x) = 0.2\n\
                output place: x\n";
    let made = model(&text.replace("k = 3", "k = 4").replace("0.5", "0.6"));
    let run = fit(&made, &quiet(), &free(&["k"])).unwrap();
    let computed = run.residuals.iter().map(|r| Some(r.3)).collect();
    assert!((run.parameters[0].value - 4.0).abs() < 10.0);
    let data = Measurements {
        times: run.residuals.iter().map(|r| r.0).collect(),
        outputs: vec![("place".into(), computed)],
    };
    let k = run.parameters[0].value;
    for segments in [1, 4] {
        let settings = FitSettings {
            segments,
            ..free(&["k", "x"])
        };
        let found = fit(&model(text), &data, &settings).unwrap();
        assert!((found.parameters[0].value - k).abs() < 1e-7, "{found:?}");
        assert!((found.parameters[1].value - 0.6).abs() < 1e-7, "{found:?}");
    }
}

/// Measurements near the relativistic oscillator's motion.
fn quiet() -> Measurements {
    let (times, values) = sampled(&|_, t| 0.6 * (1.9 * t).cos());
    Measurements {
        times,
        outputs: vec![("place".into(), values)],
    }
}

/// Requests that cannot be honoured are refused, with the code.
#[test]
fn wrong_requests_are_refused() {
    let code = |settings: &FitSettings, data: &Measurements| {
        let refusal = fit(&model(PENDULUM), data, settings).unwrap_err();
        refusal[0].code.to_string()
    };
    assert_eq!(code(&free(&["cc"]), &first()), "unknown_name");
    assert_eq!(code(&free(&["c", "c"]), &first()), "wrong_setting");
    let weights = FitSettings {
        deviations: vec![("rate".into(), 0.1)],
        ..free(&["c"])
    };
    assert_eq!(code(&weights, &first()), "unknown_name");
    for deviation in [0.0, -1.0, f64::NAN] {
        let weights = FitSettings {
            deviations: vec![("angle".into(), deviation)],
            ..free(&["c"])
        };
        assert_eq!(code(&weights, &first()), "wrong_setting");
    }
    let mut short = first();
    short.outputs[0].1.pop();
    assert_eq!(code(&free(&["c"]), &short), "wrong_setting");
    let mut timeless = first();
    timeless.times[3] = f64::NAN;
    assert_eq!(code(&free(&["c"]), &timeless), "wrong_setting");
    let mut unknown = first();
    unknown.outputs[0].0 = "anlge".into();
    assert_eq!(code(&free(&["c"]), &unknown), "data_column_unknown");
}
