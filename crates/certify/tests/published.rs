//! Enclosures meet those that CAPD publishes for its examples of mechanical systems: two rigorous programs without common code.
//!
//! The figures are the outputs that the sources of CAPD::DynSys 5 list at the end of `ITimeMapEncloseTrajectoryExample`,
//! `ITimeMapVariationalEquationsExample`, `ITimeMapSolutionCurveExample` and `IPoincareMapExample`.

// Digits are those of the publication.
#![allow(clippy::excessive_precision)]

mod common;

use common::{model, state};
use galilei_certify::{CERTIFIED_TOLERANCE, OrbitGuess, Range, Settings, certify, prove_periodic};

/// Both intervals contain the same number.
fn meet(ours: [f64; 2], theirs: [f64; 2]) -> bool {
    ours[0] <= theirs[1] && theirs[0] <= ours[1]
}

fn width(x: [f64; 2]) -> f64 {
    x[1] - x[0]
}

/// x″ = sin t − sin x from (1, 2) at t = 4.
#[test]
fn a_forced_pendulum_agrees_with_capd() {
    let text = "coord x\nkinetic: x'^2/2\npotential: -cos(x)\nforce: x = sin(t)\ninitial x = 1, x' = 2\n\
                simulate from 4 to 10\n";
    let model = model(text);
    let pool = model.pool();
    for (to, x, u) in [
        (
            5,
            [2.0719023157504193, 2.0719023157504308],
            [0.12013839737212174, 0.12013839737213276],
        ),
        (
            8,
            [-1.3297388770241241, -1.3297388770240786],
            [0.056757688397800897, 0.05675768839784965],
        ),
        (
            10,
            [1.2048370333482143, 1.2048370333483036],
            [1.1704148266177143, 1.170414826617781],
        ),
    ] {
        let settings = Settings {
            from: pool.number(4),
            to: pool.number(to),
            start: [1, 2].map(|n| Range::exactly(pool.number(n))).to_vec(),
            parameters: vec![],
            tolerance: CERTIFIED_TOLERANCE,
            charts: vec![],
        };
        let found = certify(&model, &settings, &mut |_| true).unwrap();
        assert!(found.certified);
        for (ours, theirs) in state(&found).into_iter().zip([x, u]) {
            println!("t = {to}: {:.1e} {:.1e}", width(ours), width(theirs));
            assert!(meet(ours, theirs), "{to} {ours:?} {theirs:?}");
            assert!(width(ours) < 2.0 * width(theirs), "{to} {ours:?}");
        }
    }
}

/// Lyapunov's orbit about L1 of the Sun and Jupiter with the Jacobi constant 3.03.
#[test]
fn a_lyapunov_orbit_agrees_with_capd() {
    let text = "param mu = 0.0009537\ncoord x, y\n\
                lagrangian: ((x' - y)^2 + (y' + x)^2)/2 + (1 - mu)/sqrt((x + mu)^2 + y^2) + mu/sqrt((x - 1 + mu)^2 + y^2)\n";
    let model = model(text);
    let (mu, x) = (0.0009537f64, 0.9208034913207435f64);
    let potential = (1.0 - mu) / (x + mu) + mu / (1.0 - mu - x);
    let speed = (x * x + 2.0 * potential + mu * (1.0 - mu) - 3.03).sqrt();
    let half = [1.5410595631933541, 1.5410595631986368];
    let guess = OrbitGuess {
        time: 0.0,
        state: vec![x, 0.0, 0.0, speed],
        period: 2.0 * half[0],
    };
    let found = prove_periodic(&model, &guess).unwrap();
    assert!(found.certified, "{found:?}");
    println!(
        "period: {:.1e} {:.1e}",
        width(found.period),
        2.0 * width(half)
    );
    // Their orbit has the energy of the constant, ours that of a held entry: starts differ by 1e-14.
    let theirs = [2.0 * half[0] - 1e-11, 2.0 * half[1] + 1e-11];
    assert!(meet(found.period, theirs), "{found:?}");
    let near = |[low, high]: [f64; 2], x: f64| (low - x).abs() < 1e-12 && (high - x).abs() < 1e-12;
    assert!(near(found.position[0], x) && near(found.velocity[1], speed));
    assert!(width(found.period) < 10.0 * width(half), "{found:?}");
}
