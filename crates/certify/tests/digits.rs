//! Runs in many digits against closed forms evaluated by mpmath with 80 digits.

use galilei_certify::{PreciseRun, PreciseSettings, Precision, follow};
use galilei_expr::Rational;
use galilei_model::{Model, read};

fn model(text: &str) -> Model {
    let found = read(text, &Default::default());
    found.model.unwrap_or_else(|| panic!("{text}"))
}

fn run_with(text: &str, to: i64, precision: Precision, tolerance: f64) -> PreciseRun {
    let model = model(text);
    let state = model.initial_state().unwrap();
    let settings = PreciseSettings {
        precision,
        from: state.time,
        to: model.pool().number(to),
        every: None,
        rows: true,
        start: (state.position.iter().chain(&state.velocity))
            .copied()
            .collect(),
        tolerance,
        dense: true,
    };
    let run = follow(&model, &settings, &mut |_| true).unwrap();
    assert_eq!(run.failure, None, "{text}");
    run
}

fn run(text: &str, to: i64, precision: Precision) -> PreciseRun {
    run_with(text, to, precision, precision.default_tolerance())
}

/// The exact fraction that decimal digits mean.
fn fraction(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The numbers agree but for an error relative to 1.
fn near(found: &str, expected: &str, error: f64) {
    let difference = &fraction(found) + &-&fraction(expected);
    let size = galilei_expr::Ball::<4>::rational(&difference).magnitude();
    assert!(size <= error, "{found} instead of {expected}: {size:e}");
}

const BOTH: [(Precision, f64); 2] = [(Precision::Bits106, 1e-26), (Precision::Bits212, 1e-56)];

const KEPLER: &str = "coord x, y\nkinetic: (x'^2+y'^2)/2\npotential: -1/sqrt(x^2+y^2)\n\
    initial x = 0.4, y' = 2\nevent cross: y\n";

#[test]
fn kepler_follows_the_eccentric_anomaly() {
    // E − e sin E = t
    let exact = [
        "-1.53502359190981369430580688531816853834165823774630904883772696628",
        "-0.28366840649978086185642853194599627039660549541613336526670553698",
        "0.227150732077498337689395655190844551743459805926051746426776330512",
        "-0.479187758203219565290706789039627206464479893177509139153986681157",
    ];
    let pi = "3.14159265358979323846264338327950288419716939937510582097494459231";
    for (precision, error) in BOTH {
        let run = run(KEPLER, 10, precision);
        for (found, exact) in run.state.iter().zip(exact) {
            near(found.as_str(), exact, error);
        }
        assert_eq!(run.events.len(), 3);
        near(run.events[0].time.as_str(), pi, error);
        assert!(run.energy_balance < 1e4 * error);
        // Dense output after a whole period is the start: 2π to 60 digits lies in the run.
        let period = fraction("6.28318530717958647692528676655900576839433879875021164194988918");
        let again = run.at(&period).unwrap();
        near(again[0].as_str(), "0.4", error);
        near(again[3].as_str(), "2", error);
        assert!(run.at(&Rational::from(11)).is_none());
    }
}

#[test]
fn a_pendulum_follows_elliptic_functions_also_on_a_constraint() {
    // x = 2 asin(k sn(K − t, k)), k = sin ½; turning points at multiples of 2K.
    let angle = "-0.998949814623850651730667870227408258818079126079063268433906955016";
    let rate = "-0.0420333775342122936799219791302077711822137497648061223269980447876";
    let period = "6.69997566437045271270121137916101542722807632897377631408039278698";
    let free = "coord x\nkinetic: x'^2/2\npotential: -cos(x)\ninitial x = 1\nevent turn: x'\n";
    let bound = "coord x, y\nkinetic: (x'^2+y'^2)/2\npotential: y\nconstraint rod: x^2+y^2 = 1\n\
        initial x = sin(1), y = -cos(1)\noutput angle: atan2(x, -y)\noutput pull: reaction(rod)\n\
        output twice: 2*multiplier(rod)\n";
    for (precision, error) in BOTH {
        let run_free = run(free, 10, precision);
        near(run_free.state[0].as_str(), angle, error);
        near(run_free.state[1].as_str(), rate, error);
        near(run_free.events[1].time.as_str(), period, error);
        let run_bound = run(bound, 10, precision);
        let output = |k: usize| run_bound.outputs[k].as_ref().unwrap().as_str();
        near(output(0), angle, error);
        assert!(run_bound.constraint_residual.unwrap() < 1e-6 * error);
        // The force of the rod is 2|λ|·r, and in g⁻¹ its norm is the same.
        near(output(1), output(2).trim_start_matches('-'), error);
    }
}

#[test]
fn switching_surfaces_restart_the_series_and_are_events_too() {
    // x″ = −sign x from 1: arcs of parabolas, zeros at √2, 3√2, …
    let text = "coord x\nkinetic: x'^2/2\nforce: x = -sign(x)\ninitial x = 1\nevent null: x\n";
    let root = "1.4142135623730950488016887242096980785696718753769480731766797380";
    let end = "0.137084989847603904135097936775846285573750030155845854134379039259";
    for (precision, error) in BOTH {
        let run = run(text, 10, precision);
        near(run.state[0].as_str(), end, error);
        assert_eq!(run.events.len(), 4);
        near(run.events[0].time.as_str(), root, error);
    }
    // A dry friction that holds the motion is said, not guessed.
    let stuck = "coord x\nkinetic: x'^2/2\nforce: x = -sign(x')\ninitial x' = 1\n";
    let model = model(stuck);
    let state = model.initial_state().unwrap();
    let settings = PreciseSettings {
        precision: Precision::Bits106,
        from: state.time,
        to: model.pool().number(3),
        every: None,
        rows: false,
        start: (state.position.iter().chain(&state.velocity))
            .copied()
            .collect(),
        tolerance: 1e-30,
        dense: false,
    };
    let run = follow(&model, &settings, &mut |_| true).unwrap();
    assert_eq!(
        run.failure,
        Some(galilei_certify::PreciseFailure::OnSurface)
    );
    near(run.time.as_str(), "1", 1e-29);
}

#[test]
fn driven_and_damped_motion_balances_its_work() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = -0.1*x' + cos(2*t)\ninitial x = 1\n";
    let end = "-0.805723395320246303531820716258074805060293786226423911007922032513";
    for (precision, error) in BOTH {
        let run = run(text, 10, precision);
        near(run.state[0].as_str(), end, error);
        assert!(run.energy_balance < 1e-2 * error);
    }
}

#[test]
fn a_skate_on_an_incline_follows_its_cycloid() {
    // v = sin(ωt)/ω, θ = ωt, ω = 3/2 at t = 4
    let text = "coord x, y, th\nkinetic: (x'^2+y'^2+th'^2)/2\npotential: -x\n\
        constraint edge: x'*sin(th) = y'*cos(th)\ninitial th' = 1.5\n";
    let x = "0.0173495601408342105940049674251531352035458719328261097124286541408";
    let y = "1.39295254644449277462948602536026686581285983647533784982207407119";
    for (precision, error) in BOTH {
        let run = run(text, 4, precision);
        near(run.state[0].as_str(), x, error);
        near(run.state[1].as_str(), y, error);
    }
}

#[test]
fn a_smaller_tolerance_gives_more_digits() {
    let errors: Vec<f64> = [1e-15, 1e-25, 1e-35, 1e-45]
        .into_iter()
        .map(|tolerance| {
            let run = run_with(KEPLER, 10, Precision::Bits212, tolerance);
            let exact = "-1.53502359190981369430580688531816853834165823774630904883772696628";
            let difference = &fraction(run.state[0].as_str()) + &-&fraction(exact);
            galilei_expr::Ball::<4>::rational(&difference).magnitude()
        })
        .collect();
    assert!(errors.windows(2).all(|e| e[1] < 1e-6 * e[0]), "{errors:?}");
}

#[test]
fn constraints_have_events_and_dense_output() {
    // A quarter of the period 4K(k = sin ½) until the lowest point, where the speed is 2 sin ½; the start again after a period.
    let period = "6.69997566437045271270121137916101542722807632897377631408039278698";
    let quarter = "1.67499391609261317817530284479025385680701908224344407852009819674";
    let speed = "0.95885107720840600054658704311427761636067358812013503772332262511";
    let text = "coord x, y\nkinetic: (x'^2+y'^2)/2\npotential: y\nconstraint rod: x^2+y^2 = 1\n\
        initial x = sin(1), y = -cos(1)\nevent lowest: x\nevent turn: x'\n";
    for (precision, error) in BOTH {
        let run = run(text, 10, precision);
        let lowest: Vec<_> = run.events.iter().filter(|e| e.event == 0).collect();
        assert_eq!((lowest.len(), run.events.len()), (3, 5));
        near(lowest[0].time.as_str(), quarter, error);
        let at = run.at(&fraction(quarter)).unwrap();
        near(at[2].as_str().trim_start_matches('-'), speed, error);
        near(at[1].as_str(), "-1", error);
        // Between the ends of steps the constraint holds as at them.
        let again = run.at(&fraction(period)).unwrap();
        let [x, y] = [0, 1].map(|k| fraction(again[k].as_str()));
        near(&format!("{}", &(&x * &x) + &(&y * &y)), "1", error);
        near(again[3].as_str(), "0", error);
    }
}
