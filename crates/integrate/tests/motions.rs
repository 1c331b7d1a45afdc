//! Runs of problems that are written by hand, one coordinate of mass one, against closed forms.

mod common;

use common::{Formula, nothing, problem, run, spring};
use galilei_expr::Rational;
use galilei_integrate::Method::{self, Dop853, Gauss4, Radau, Taylor};
use galilei_integrate::{Run, Status};

/// The methods with the error that a tolerance of 1e-11 leads to on the motions below.
const METHODS: [(Method, f64); 3] = [(Taylor, 1e-9), (Dop853, 1e-8), (Radau, 1e-7)];

fn assert_ends(run: &Run, wanted: [f64; 2], most: f64, what: &str) {
    assert_eq!(run.status, Status::Finished, "{what}");
    for (found, wanted) in run.state.iter().zip(wanted) {
        assert!(
            (found - wanted).abs() < most,
            "{what}: {found} for {wanted}"
        );
    }
}

/// x = cos t, and the zeros of x.
#[test]
fn an_oscillator_and_its_zeros() {
    let problem = problem(spring, nothing, Some(|x, _| x));
    for (method, most) in METHODS {
        let run = run(&problem, method, [1.0, 0.0], 20.0, 1e-11);
        assert_ends(&run, [20f64.cos(), -20f64.sin()], most, method.name());
        let zeros: Vec<f64> = run.crossings.iter().map(|c| c.time).collect();
        assert_eq!(zeros.len(), 6, "{method}: {zeros:?}");
        for (k, zero) in zeros.iter().enumerate() {
            let wanted = std::f64::consts::PI * (k as f64 + 0.5);
            assert!((zero - wanted).abs() < most, "{method}: {zero}");
        }
        assert!(run.energy_balance < most, "{method}");
    }
}

/// A ball on a wall that pushes back by Hertz' law, k·δ^(3/2). With δ₀ = (5v²/4k)^(2/5), the contact lasts
/// 2√π·Γ(7/5)/Γ(9/10)·δ₀/v, and the ball leaves with the velocity it came with.
#[test]
fn contact_by_hertz_law_has_its_duration() {
    const DURATION: f64 = 2.943_275_184_324_706;
    let (stiffness, to): (f64, f64) = (1000.0, 2.0);
    let force: Formula = |x, _| (-x).max(0).pow(Rational::new(3, 2)) * 1000;
    let problem = problem(nothing, force, None);
    for (place, speed) in [(1.0_f64, 1.5_f64), (0.7, 1.1), (0.3, 2.0), (0.1, 0.3)] {
        let depth: f64 = (1.25 * speed * speed / stiffness).powf(0.4);
        let left = place / speed + DURATION * depth / speed;
        for (method, most) in METHODS {
            let run = run(&problem, method, [place, -speed], to, 1e-11);
            let wanted = [speed * (to - left), speed];
            assert_ends(&run, wanted, most, &format!("{method} from {place}"));
        }
    }
}

/// In the potential (3/4)·(x²)^(2/3) the force is −x^(1/3), without a derivative at zero. From x = 1 at rest the motion
/// has the period 4·√(2/3)·√π·Γ(7/4)/Γ(5/4).
#[test]
fn a_force_like_a_cube_root_is_crossed() {
    let period = 7.188_841_408_413_552 * (2.0_f64 / 3.0).sqrt();
    let potential: Formula = |x, _| x.pow(2).pow(Rational::new(2, 3)) * Rational::new(3, 4);
    let problem = problem(potential, nothing, None);
    for (method, most) in METHODS {
        // Neither at rest nor at zero at the end.
        let quarter = run(&problem, method, [1.0, 0.0], 0.8 * period, 1e-11);
        let late = run(&problem, method, [1.0, 0.0], 2.8 * period, 1e-11);
        let wanted = [quarter.state[0], quarter.state[1]];
        assert_ends(&late, wanted, 10.0 * most, method.name());
        let whole = run(&problem, method, [1.0, 0.0], 3.0 * period, 1e-11);
        assert_ends(&whole, [1.0, 0.0], 10.0 * most, method.name());
    }
}

/// Constant steps report the error of their end: about that of x = cos t after a hundred periods, where the phase has
/// drifted.
#[test]
fn errors_of_constant_steps_add_up() {
    let problem = problem(spring, nothing, None);
    let to = 200.0 * std::f64::consts::PI + 1.0;
    let run = run(&problem, Gauss4, [1.0, 0.0], to, 1e-8);
    assert_eq!(run.status, Status::Finished);
    let error = (run.state[0] - 1f64.cos()).abs();
    let estimate = run.accumulated_error.expect("the run is repeated");
    assert!(error > 1e-6, "{error:e}");
    assert!(
        (0.5..2.0).contains(&(estimate / error)),
        "{estimate:e} for {error:e}"
    );
    assert!(run.has_drifted(1e-10) && !run.has_drifted(1e-4));
}
