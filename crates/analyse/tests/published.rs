//! Published values and closed forms of what is asked after the equations: boundaries, ratios, multipliers, families.

mod common;

use galilei_analyse::{
    Bifurcation, EquilibriumSearch, PeriodicMotions, PeriodicSearch, equilibria, periodic,
};

use common::model;

fn motions(text: &str, search: &PeriodicSearch) -> PeriodicMotions {
    periodic(&model(text, &[]), search).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The equilibrium that the guess leads to: whether it is stable, and whether linearised motion is bounded.
fn judged(text: &str, set: &str, at: &str) -> (Option<bool>, Option<bool>) {
    let mut search = EquilibriumSearch::default();
    search.at = at.to_owned();
    search.nearest_only = true;
    let found = equilibria(&model(text, &[set]), &search).unwrap();
    (found.list[0].stable, found.list[0].linearly_stable)
}

/// Routh's ratio (1 − √(23/27))/2 of masses, above which the triangular points are unstable.
#[test]
fn t_202_the_ratio_of_routh() {
    let text = "param mu = 0.01\ncoord x, y\nlet a = sqrt((x + mu)^2 + y^2)\nlet b = sqrt((x - 1 + mu)^2 + y^2)\n\
                lagrangian: (x' - y)^2/2 + (y' + x)^2/2 + (1 - mu)/a + mu/b\n";
    let ratio = (1.0 - (23.0_f64 / 27.0).sqrt()) / 2.0;
    for (part, bounded) in [(1.0 - 1e-6, true), (1.0 + 1e-6, false)] {
        let (stable, linearly) = judged(text, &format!("mu={:?}", ratio * part), "x=0.46, y=0.87");
        assert_eq!(linearly, Some(bounded), "{part}");
        assert_eq!(stable == Some(false), !bounded);
    }
}

/// A bead on a hoop: the lowest point loses its stability at ω² = g/r.
#[test]
fn t_202_the_pitchfork_of_the_hoop() {
    let text = "param g = 9.81, r = 0.5, w = 1\ncoord q\n\
        particle p: mass 2 at (r*sin(q)*cos(w*t), r*sin(q)*sin(w*t), -r*cos(q))\ngravity: (0, 0, -g)\n";
    let critical = (9.81_f64 / 0.5).sqrt();
    for (part, stable) in [(1.0 - 1e-7, true), (1.0 + 1e-7, false)] {
        let found = judged(text, &format!("w={:?}", critical * part), "q=0");
        assert_eq!(found.0, Some(stable), "{part}");
    }
    // The branch that is born there is on both sides of it: cos q = g/(r·ω²).
    let set = format!("w={:?}", critical * 1.001);
    let all = equilibria(&model(text, &[&set]), &EquilibriumSearch::default()).unwrap();
    let born = (1.0_f64 / 1.001 / 1.001).acos();
    for side in [born, -born] {
        let near = |e: &&galilei_analyse::Equilibrium| (e.position[0] - side).abs() < 1e-10;
        let found = all.list.iter().find(near).expect("the branch");
        assert_eq!(found.stable, Some(true));
    }
}

/// C. Simó, Dynamical properties of the figure eight solution (2002): the multipliers are exp(±2πiν) with ν = 0.00842272 and
/// 0.29809253; the last digits also by SciPy's DOP853 with the variational equations.
#[test]
fn t_205_the_multipliers_of_the_figure_eight() {
    let text = "coord x[1..3], y[1..3]\nkinetic: sum(k in 1..3: x[k]'^2 + y[k]'^2)/2\n\
                let r(i, j) = sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)\npotential: -1/r(1, 2) - 1/r(1, 3) - 1/r(2, 3)\n\
                initial x[1] = 0.97000436, y[1] = -0.24308753, x[2] = -0.97000436, y[2] = 0.24308753\n\
                initial x[3]' = -0.93240737, y[3]' = -0.86473146, x[1]' = 0.466203685, y[1]' = 0.43236573\n\
                initial x[2]' = 0.466203685, y[2]' = 0.43236573\n";
    let motion = &motions(text, &PeriodicSearch::new(6.3)).motions[0];
    let turns = |s: &[f64; 2]| s[1].atan2(s[0]) / std::f64::consts::TAU;
    let mut found: Vec<f64> = motion.multipliers.iter().map(turns).collect();
    found.retain(|nu| *nu > 1e-3);
    found.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((found[0] - 0.008_422_72).abs() < 1e-7, "{found:?}");
    assert!((found[1] - 0.298_092_53).abs() < 1e-7, "{found:?}");
    assert_eq!(motion.linearly_stable, Some(true));
}

/// Kapitza's pendulum upside down: y'' + (α − 2q·cos 2τ)·y = 0 with q = 2a/l = 1/5 and α = −4g/(lω²). It becomes stable
/// where α = a₀(q) = −0.0199132963584375 (mpmath), at ω = 14.17289002081848 √(g/l).
#[test]
fn t_205_the_boundary_of_kapitza() {
    let text = "param w = 13\ncoord q\nparticle bob: mass 1 at (sin(q), 0.1*cos(w*t) - cos(q))\ngravity: (0, -1)\n\
                initial q = pi\n";
    let mut search = PeriodicSearch::new(std::f64::consts::TAU / 13.0);
    search.vary = Some(("w".into(), 13.0, 16.0));
    let list = motions(text, &search).motions;
    let branch = list
        .iter()
        .find(|m| m.bifurcation == Some(Bifurcation::Branch));
    let at = branch.expect("a branch point").parameter.unwrap();
    assert!((at - 14.172_890_020_818_48).abs() < 1e-6, "{at:?}");
    for m in list {
        let w = m.parameter.unwrap();
        if (w - at).abs() > 1e-3 {
            assert_eq!(m.stable == Some(false), w < at, "{w}");
        }
    }
}

/// x'' + x + x³ = 0 along its backbone, from the mode at rest: T = 4K(m)/√(1 + A²) with the parameter m = A²/(2(1 + A²)).
#[test]
fn t_205_the_backbone_of_duffing() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\n";
    let mut search = PeriodicSearch::new(1.0);
    search.mode = Some(1);
    search.vary = Some(("energy".into(), 1e-3, 6.0));
    let list = motions(text, &search).motions;
    assert!(list.len() > 5);
    for m in list {
        let square = (1.0 + 4.0 * m.parameter.unwrap()).sqrt() - 1.0;
        // K by the arithmetic and geometric mean.
        let k = square / (2.0 * (1.0 + square));
        let (mut a, mut b) = (1.0_f64, (1.0 - k).sqrt());
        for _ in 0..12 {
            (a, b) = ((a + b) / 2.0, (a * b).sqrt());
        }
        let period = std::f64::consts::TAU / a / (1.0 + square).sqrt();
        assert!((m.period - period).abs() < 1e-8, "{} {period}", m.period);
    }
}
