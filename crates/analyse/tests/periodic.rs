//! Periodic motions against published values and closed forms. (T-205)

mod common;

use galilei_analyse::{Bifurcation, PeriodicMotions, PeriodicSearch, periodic};

use common::model;

fn found(text: &str, set: &[&str], search: &PeriodicSearch) -> PeriodicMotions {
    periodic(&model(text, set), search).unwrap_or_else(|e| panic!("{e:?}"))
}

fn size(s: &[f64; 2]) -> f64 {
    s[0].hypot(s[1])
}

/// Three equal masses on a figure of eight: the period of Chenciner and Montgomery (2000), and multipliers on the unit circle.
#[test]
fn t_205_the_figure_eight() {
    let text = "coord x1, y1, x2, y2, x3, y3\nkinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2\n\
        potential: -1/sqrt((x1-x2)^2 + (y1-y2)^2) - 1/sqrt((x1-x3)^2 + (y1-y3)^2) - 1/sqrt((x2-x3)^2 + (y2-y3)^2)\n\
        symmetry turn: x1 = -y1, y1 = x1, x2 = -y2, y2 = x2, x3 = -y3, y3 = x3\n\
        initial x1 = 0.97000436, y1 = -0.24308753, x2 = -0.97000436, y2 = 0.24308753\n\
        initial x3' = -0.93240737, y3' = -0.86473146, x1' = 0.466203685, y1' = 0.43236573\n\
        initial x2' = 0.466203685, y2' = 0.43236573\n";
    let motion = &found(text, &[], &PeriodicSearch::new(6.3)).motions[0];
    assert!(
        (motion.period - 6.325_913_98).abs() < 2e-6,
        "{}",
        motion.period
    );
    assert!(motion.residual < 1e-9);
    assert_eq!((motion.multipliers.len(), motion.trivial), (12, 8));
    assert_eq!(motion.stable, None, "{:?}", motion.multipliers);
    let apart = |s: &&[f64; 2]| (s[0] - 1.0).hypot(s[1]) > 1e-2;
    let others: Vec<_> = motion.multipliers.iter().filter(apart).collect();
    assert!(
        others.len() <= 4 && others.iter().all(|s| (size(s) - 1.0).abs() < 1e-5),
        "{others:?}"
    );
}

/// A quartic oscillator: T = 4·K(1/2)/amplitude.
#[test]
fn t_205_energy_or_period_is_kept() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4\ninitial x = 1\n";
    let motion = &found(text, &[], &PeriodicSearch::new(7.0)).motions[0];
    assert!((motion.period - 7.416_298_709_205_487).abs() < 1e-10);
    assert_eq!((motion.trivial, motion.stable), (2, Some(true)));
    assert!(
        (motion.position[0].powi(4) / 4.0 + motion.velocity[0].powi(2) / 2.0 - 0.25).abs() < 1e-12
    );
    let mut search = PeriodicSearch::new(7.0);
    search.fix_period = true;
    let motion = &found(text, &[], &search).motions[0];
    assert_eq!(motion.period, 7.0);
    let energy = motion.position[0].powi(4) / 4.0 + motion.velocity[0].powi(2) / 2.0;
    assert!(
        (energy - 0.25 * (7.416_298_709_205_487_f64 / 7.0).powi(4)).abs() < 1e-9,
        "{energy}"
    );
}

/// Van der Pol's limit cycle: the period for μ = 1 (Urabe), one trivial multiplier, and the product of all by Liouville.
#[test]
fn t_205_a_limit_cycle() {
    let text = "param mu = 1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = mu*(1 - x^2)*x'\ninitial x = 2\n";
    let motion = &found(text, &[], &PeriodicSearch::new(6.5)).motions[0];
    assert!(
        (motion.period - 6.663_286_859_323_13).abs() < 1e-9,
        "{}",
        motion.period
    );
    assert_eq!((motion.trivial, motion.stable), (1, Some(true)));
    assert!((motion.multipliers[0][0] - 1.0).abs() < 1e-9);
    assert!(motion.multipliers[1][0] > 0.0 && motion.multipliers[1][0] < 1e-2);
}

/// Mathieu's equation x'' + (a − 2q cos 2t)x = 0 at q = 1: the characteristic values 1.8591080725 and −0.1102488169.
#[test]
fn t_205_boundaries_of_mathieu() {
    let text =
        "param a = 1, q = 1\ncoord x\nkinetic: x'^2/2\npotential: (a - 2*q*cos(2*t))*x^2/2\n";
    let stable = |a: f64| {
        let search = PeriodicSearch::new(std::f64::consts::PI);
        found(text, &[&format!("a={a:?}")], &search).motions[0].stable
    };
    for (boundary, above) in [(1.859_108_072_5, true), (-0.110_248_816_9, false)] {
        assert_eq!(stable(boundary + 1e-3), Some(above));
        assert_eq!(stable(boundary - 1e-3), Some(!above), "{boundary}");
    }
}

/// A damped Duffing oscillator through its resonance: both ends are reached, and two folds are located, at the same amplitude
/// as multipliers say.
#[test]
fn t_205_folds_of_duffing() {
    let text = "param w = 0.6, c = 0.1, F = 0.3\ncoord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\n\
                force: x = F*cos(w*t) - c*x'\n";
    let mut search = PeriodicSearch::new(std::f64::consts::TAU / 0.6);
    search.vary = Some(("w".into(), 0.6, 2.2));
    let list = found(text, &[], &search);
    assert!(list.warnings.is_empty(), "{:?}", list.warnings);
    let motions = &list.motions;
    assert_eq!(motions[0].parameter, Some(0.6));
    assert_eq!(motions.last().unwrap().parameter, Some(2.2));
    let folds: Vec<_> = motions
        .iter()
        .filter(|m| m.bifurcation == Some(Bifurcation::Fold))
        .collect();
    assert_eq!(
        folds.len(),
        2,
        "{:?}",
        motions
            .iter()
            .map(|m| (m.parameter, m.bifurcation))
            .collect::<Vec<_>>()
    );
    for fold in folds {
        let near = fold
            .multipliers
            .iter()
            .any(|s| (s[0] - 1.0).abs() < 1e-2 && s[1] == 0.0);
        assert!(near, "{:?}", fold.multipliers);
        assert!((fold.period - std::f64::consts::TAU / fold.parameter.unwrap()).abs() < 1e-9);
    }
    // Between the folds the motion is unstable; at the ends it is stable.
    assert_eq!(
        (motions[0].stable, motions.last().unwrap().stable),
        (Some(true), Some(true))
    );
    assert!(motions.iter().any(|m| m.stable == Some(false)));
    assert!(motions.iter().all(|m| m.residual < 1e-8));
}

#[test]
fn wrong_periods_are_refused() {
    let text = "param w = 2\ncoord x\nkinetic: x'^2/2\npotential: x^2\nforce: x = cos(w*t) - x'\n";
    let error = periodic(&model(text, &[]), &PeriodicSearch::new(3.0)).unwrap_err();
    assert_eq!(error[0].code.as_str(), "wrong_setting");
    let driven = found(text, &[], &PeriodicSearch::new(std::f64::consts::PI)).motions[0].clone();
    assert_eq!((driven.trivial, driven.stable), (0, Some(true)));
    let fall = periodic(
        &model(
            "coord x\nkinetic: x'^2/2\npotential: x\ninitial x' = 1\n",
            &[],
        ),
        &PeriodicSearch::new(1.0),
    );
    assert_eq!(fall.unwrap_err()[0].code.as_str(), "no_periodic_motion");
}

/// Hénon and Heiles' family from the mode along the axis of symmetry: two flips on the way to the energy 0.16, where
/// SciPy's DOP853 at 1e-12 has multipliers −1 for the located motions (energies 0.135286 and 0.152536).
#[test]
fn t_205_a_nonlinear_normal_mode_with_flips() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2 + x^2*y - y^3/3\n";
    let mut search = PeriodicSearch::new(1.0);
    search.mode = Some(1);
    search.vary = Some(("energy".into(), 1e-3, 0.16));
    let list = found(text, &[], &search);
    assert!(list.warnings.is_empty(), "{:?}", list.warnings);
    let motions = &list.motions;
    assert_eq!(motions[0].parameter, Some(1e-3));
    assert_eq!(motions.last().unwrap().parameter, Some(0.16));
    assert!((motions[0].period - std::f64::consts::TAU).abs() < 1e-2);
    let flips: Vec<f64> = motions
        .iter()
        .filter(|m| m.bifurcation == Some(Bifurcation::Flip))
        .filter_map(|m| m.parameter)
        .collect();
    assert_eq!(flips.len(), 2, "{flips:?}");
    assert!((flips[0] - 0.135_286).abs() < 1e-4 && (flips[1] - 0.152_536).abs() < 1e-4);
    for m in motions {
        let energy = (m.velocity[0].powi(2) + m.velocity[1].powi(2)) / 2.0
            + (m.position[0].powi(2) + m.position[1].powi(2)) / 2.0
            + m.position[0].powi(2) * m.position[1]
            - m.position[1].powi(3) / 3.0;
        assert!((energy - m.parameter.unwrap()).abs() < 1e-9);
    }
}

/// A wanted period is reached along the family, not at rest: x'' = −x − x³ with the period 4.768022029, which belongs to
/// the amplitude 1 (a complete elliptic integral: 4K(1/4)/√2 with the parameter m = 1/4).
#[test]
fn t_205_a_wanted_period_is_no_rest() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\ninitial x = 0.1\n";
    let mut search = PeriodicSearch::new(4.768_022_029_102_46);
    search.fix_period = true;
    let motion = &found(text, &[], &search).motions[0];
    let energy = motion.velocity[0].powi(2) / 2.0
        + motion.position[0].powi(2) / 2.0
        + motion.position[0].powi(4) / 4.0;
    assert!((energy - 0.75).abs() < 1e-8, "{energy}");
}

/// A driven oscillator is found from a start from which Newton's method alone does not come to it.
#[test]
fn t_205_driven_motions_after_a_transient() {
    let text = "param w = 1.2\ncoord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\nforce: x = 0.3*cos(w*t) - 0.1*x'\n\
                initial x = 0.1\n";
    let search = PeriodicSearch::new(std::f64::consts::TAU / 1.2);
    let motion = &found(text, &[], &search).motions[0];
    assert_eq!(motion.stable, Some(true));
    assert!(motion.residual < 1e-10);
    // Damping alone makes the product of the multipliers exp(−c·T).
    let product = size(&motion.multipliers[0]) * size(&motion.multipliers[1]);
    assert!((product - (-0.1 * motion.period).exp()).abs() < 1e-10);
}

/// Period doubling of a damped, driven pendulum: the flip is located with a multiplier −1.
#[test]
fn t_205_a_flip_and_a_branch_along_a_parameter() {
    let text = "param F = 0.1\ncoord x\nkinetic: x'^2/2\npotential: -x^2/2 + x^4/4\nforce: x = F*cos(t) - 0.3*x'\n\
                initial x = 1\n";
    let mut search = PeriodicSearch::new(std::f64::consts::TAU);
    search.vary = Some(("F".into(), 0.1, 0.3));
    let list = found(text, &[], &search);
    let flip = list
        .motions
        .iter()
        .find(|m| m.bifurcation == Some(Bifurcation::Flip));
    let flip = flip.expect("a flip");
    assert!(
        flip.multipliers
            .iter()
            .any(|s| (s[0] + 1.0).abs() < 1e-4 && s[1].abs() < 1e-4)
    );
    // The upper rest position of a pendulum on a vibrating support becomes stable through a multiplier 1 at theta = pi:
    // a²w² = 2gl to first order; Mathieu's boundary for a = 0.1, l = 1, g = 1 is near w = 14.2.
    let text = "param w = 12\ncoord q\nparticle bob: mass 1 at (sin(q), 0.1*cos(w*t) - cos(q))\ngravity: (0, -1)\n\
                initial q = pi\n";
    let mut search = PeriodicSearch::new(std::f64::consts::TAU / 12.0);
    search.vary = Some(("w".into(), 12.0, 18.0));
    let list = found(text, &[], &search);
    let branch = list
        .motions
        .iter()
        .find(|m| m.bifurcation == Some(Bifurcation::Branch));
    let w = branch.expect("a branch").parameter.unwrap();
    assert!((w - 14.16).abs() < 0.1, "{w}");
    assert_eq!(list.motions[0].stable, Some(false));
    assert_eq!(list.motions.last().unwrap().stable, None);
}

/// The figure-eight orbit has eight multipliers 1 without any symmetry being declared.
#[test]
fn t_205_symmetries_are_found() {
    let text = "coord x[1..3], y[1..3]\nkinetic: sum(k in 1..3: x[k]'^2 + y[k]'^2)/2\n\
                let r(i, j) = sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)\npotential: -1/r(1, 2) - 1/r(1, 3) - 1/r(2, 3)\n\
                initial x[1] = 0.97000436, y[1] = -0.24308753, x[2] = -0.97000436, y[2] = 0.24308753\n\
                initial x[3]' = -0.93240737, y[3]' = -0.86473146, x[1]' = 0.466203685, y[1]' = 0.43236573\n\
                initial x[2]' = 0.466203685, y[2]' = 0.43236573\n";
    let motion = &found(text, &[], &PeriodicSearch::new(6.3)).motions[0];
    assert!((motion.period - 6.325_913_98).abs() < 1e-6);
    assert_eq!(motion.trivial, 8);
    let ones = motion
        .multipliers
        .iter()
        .filter(|s| **s == [1.0, 0.0])
        .count();
    assert_eq!(ones, 8);
}

/// Small motions about an oval minimum: the multipliers of the other mode are on the unit circle, which is linear stability
/// and decides no more; for a linear system they decide.
#[test]
fn t_205_elliptic_motions_are_linearly_stable() {
    let search = PeriodicSearch::new(6.2);
    let henon = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2 + x^2*y - y^3/3\ninitial y = 0.3\n";
    let motion = &found(henon, &[], &search).motions[0];
    assert_eq!((motion.stable, motion.linearly_stable), (None, Some(true)));
    assert_eq!(motion.stability(), "linearly stable, stability open");
    let linear =
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + 3*y^2)/2\ninitial x = 1\n";
    let motion = &found(linear, &[], &search).motions[0];
    assert_eq!(
        (motion.stable, motion.linearly_stable),
        (Some(true), Some(true))
    );
    assert_eq!(motion.trivial, 2);
    // A conical motion: its flow is its symmetry, and the nutation has the multiplier exp(iωT), ω² = (g/cos θ)(1 + 3cos²θ).
    let conical = "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: z\nconstraint l: x^2 + y^2 + z^2 = 1\n\
        initial x = 0.6, z = -0.8, y' = 0.6*sqrt(1/0.8)\n";
    let period = std::f64::consts::TAU * 0.8_f64.sqrt();
    let motion = &found(conical, &[], &PeriodicSearch::new(period)).motions[0];
    assert_eq!(
        (motion.trivial, motion.stable, motion.linearly_stable),
        (2, None, Some(true))
    );
    let (sine, cosine) = (period * (2.92_f64 / 0.8).sqrt()).sin_cos();
    let near =
        |s: &[f64; 2]| (s[0] - cosine).abs() < 1e-9 && (s[1].abs() - sine.abs()).abs() < 1e-9;
    assert_eq!(motion.multipliers.iter().filter(|s| near(s)).count(), 2);
}
