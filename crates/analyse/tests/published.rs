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

/// With friction nothing repeats: the search must not call the rest to which the motion decays a periodic motion.
#[test]
fn t_205_what_comes_to_rest_repeats_nothing() {
    let hoop = "param w = 4\ncoord q\nkinetic: q'^2/2\npotential: -9.81*cos(q) - w^2*sin(q)^2/2\nforce: q = -0.1*q'\n\
                initial q = 1\n";
    let line = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = -0.1*x'\ninitial x = 1\n";
    for (text, period) in [(hoop, 2.0), (line, 6.3)] {
        let refused = periodic(&model(text, &[]), &PeriodicSearch::new(period)).unwrap_err();
        assert_eq!(refused[0].code, galilei_model::Code::NoPeriodicMotion);
    }
}

/// x = 9.81·sin x has seven roots (SciPy's brentq), of a pendulum upside down on a weak spring.
#[test]
fn t_202_all_zeros_of_one_equation_are_found() {
    let text = "coord q\nkinetic: q'^2/2\npotential: q^2/2 + 9.81*cos(q)\n";
    let found = equilibria(&model(text, &[]), &EquilibriumSearch::default()).unwrap();
    let mut list: Vec<(f64, Option<bool>)> =
        (found.list.iter().map(|e| (e.position[0], e.stable))).collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    let roots = [
        2.847_128_446_413_636,
        7.091_093_637_629_443,
        8.397_306_441_793_38,
    ];
    let all: Vec<f64> = (roots.iter().rev().map(|x| -x))
        .chain([0.0])
        .chain(roots)
        .collect();
    assert_eq!(list.len(), 7, "{list:?}");
    for (k, (own, root)) in list.iter().zip(all).enumerate() {
        assert!((own.0 - root).abs() < 1e-12, "{own:?} {root}");
        assert_eq!(own.1, Some(k % 2 == 0), "{own:?}");
    }
}

/// Chaplygin's sleigh glides with the blade behind the mass centre: a turning start leads to the straight motion with the
/// heading and the speed that it has, whose eigenvalue is −m·a·v/(I + m·a²).
#[test]
fn t_202_a_sleigh_that_turns_is_near_one_that_glides() {
    let text = "coord x, y, q\nbody b: mass 1.6 inertia 0.7 at (x + 0.4*cos(q), y + 0.4*sin(q)) angle q\n\
                constraint blade: y'*cos(q) - x'*sin(q) = 0\ninitial q = 0.1, q' = 0.8, x' = 0.9, y' = 0.9*tan(0.1)\n";
    let found = equilibria(&model(text, &[]), &EquilibriumSearch::default()).unwrap();
    let near = &found.list[0];
    assert!((near.position[2] - 0.1).abs() < 1e-12, "{near:?}");
    let wanted = [0.9, 0.9 * 0.1_f64.tan(), 0.0];
    for (own, wanted) in near.velocity.iter().zip(wanted) {
        assert!((own - wanted).abs() < 1e-12, "{near:?}");
    }
    assert_eq!(near.stable, Some(true));
    let slowest = near.eigenvalues.iter().map(|s| s[0]).fold(0.0, f64::min);
    let speed = 0.9 / 0.1_f64.cos();
    let rate = -1.6 * 0.4 * speed / (0.7 + 1.6 * 0.16);
    assert!((slowest - rate).abs() < 1e-9, "{slowest} {rate}");
}

/// Formulas of steady motions leave out ignorable angles, and what is proved to be zero is zero.
#[test]
fn t_202_formulas_leave_out_what_does_not_matter() {
    let text = "param m = 1, l = 1, g = 9.81\ncoord th, ph\n\
                particle a: mass m at (l*sin(th)*cos(ph), l*sin(th)*sin(ph), -l*cos(th))\ngravity: (0, 0, -g)\n\
                initial th = 1, ph' = 4\n";
    let found = equilibria(&model(text, &[]), &EquilibriumSearch::default()).unwrap();
    let formulas = found.list[0].formulas.as_ref().unwrap();
    assert_eq!(formulas[0].1, "acos(g/(l*ph'^2))", "{formulas:?}");
    let chain = "const n = 3\ncoord x[1..n], y[1..n]\nfor k in 1..n { particle p[k]: mass 1 at (x[k], y[k]) }\ngravity: (0, -1)\n\
                 constraint c1: x[1]^2 + y[1]^2 = 1\nfor k in 2..n { constraint c[k]: (x[k] - x[k-1])^2 + (y[k] - y[k-1])^2 = 1 }\n";
    let found = equilibria(&model(chain, &[]), &EquilibriumSearch::default()).unwrap();
    assert_eq!(found.list.len(), 8);
    for e in found.list {
        for (name, formula) in e.formulas.iter().flatten() {
            let place = (0..6).find(|&i| {
                let own = ["x[1]", "x[2]", "x[3]", "y[1]", "y[2]", "y[3]"];
                own[i] == name
            });
            if formula == "0" {
                assert_eq!(e.position[place.unwrap()], 0.0, "{e:?}");
            }
        }
    }
}

/// A mode about the equilibrium nearest to a start that is a singular point of the coordinates.
#[test]
fn t_205_a_mode_from_a_singular_start() {
    let text = "coord r, th\nparticle b: mass 1 at (r*sin(th), -r*cos(th))\ngravity: (0, -10)\n\
                spring s: stiffness 40 length 1 from (0, 0) to (r*sin(th), -r*cos(th))\n";
    let mut search = PeriodicSearch::new(1.0);
    search.mode = Some(2);
    search.amplitude = 1e-3;
    let found = motions(text, &search);
    // The spring's own mode, √(k/m).
    let period = std::f64::consts::TAU / 40.0_f64.sqrt();
    assert!((found.motions[0].period - period).abs() < 1e-9);
}

/// Three families of Hénon and Heiles between the energies 0.1 and 0.15: the straight orbits, the loops and the arcs of
/// R. Churchill, G. Pecelli and D. Rod. Periods and traces by SciPy's DOP853 with the variational equations.
#[test]
fn t_205_families_of_henon_and_heiles() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2 + x^2*y - y^3/3\n";
    let families = [
        (
            "y = 0.567068922852268",
            7.1,
            [
                (7.105_957_147_23, 0.664_014_31),
                (8.417_251_885_91, -2.366_485_27),
            ],
        ),
        (
            "y = 0.275506026, x' = 0.371534238427",
            6.1,
            [
                (6.110_499_678_61, 0.088_424_849),
                (6.043_054_728_15, -2.066_949_037),
            ],
        ),
        (
            "y = -0.146190139445, x' = 0.420173260941",
            6.8,
            [
                (6.794_384_826_85, 2.954_805_489),
                (6.990_402_272_95, 5.771_032_156),
            ],
        ),
    ];
    for (at, period, wanted) in families {
        let mut search = PeriodicSearch::new(period);
        search.at = at.into();
        search.vary = Some(("energy".into(), 0.1, 0.15));
        let list = motions(text, &search).motions;
        for (m, (period, trace)) in [list.first(), list.last()]
            .into_iter()
            .flatten()
            .zip(wanted)
        {
            assert!(
                (m.period - period).abs() < 1e-7,
                "{at}: {} {period}",
                m.period
            );
            assert_eq!(m.trivial, 2);
            // The two that are not trivial.
            let found: f64 = m.multipliers.iter().map(|s| s[0]).sum::<f64>() - 2.0;
            assert!((found - trace).abs() < 2e-5, "{at}: {found} {trace}");
            assert_eq!(m.stable == Some(false), trace.abs() > 2.0);
        }
        assert_eq!(list.last().unwrap().parameter, Some(0.15));
    }
}

/// A pendulum in an accelerating car hangs towards the back, in the energy of the car, whatever the Lagrangian has of time.
#[test]
fn t_202_energies_that_a_gauge_hides() {
    let text = "coord q\nparticle b: mass 1 at (3*t^2/2 + sin(q), -cos(q))\ngravity: (0, -9.81)\n";
    let found = equilibria(&model(text, &[]), &EquilibriumSearch::default()).unwrap();
    let tilt = (-3.0_f64).atan2(9.81);
    for (e, (angle, stable)) in found
        .list
        .iter()
        .zip([(tilt, true), (tilt + std::f64::consts::PI, false)])
    {
        assert!((e.position[0] - angle).abs() < 1e-12, "{e:?}");
        assert_eq!(e.stable, Some(stable), "{e:?}");
        assert_eq!(
            e.energy_hessian.map(|h| h.index),
            Some(usize::from(!stable))
        );
    }
    assert_eq!(found.list.len(), 2);
}

/// Energy, period and the largest multiplier of two of Hill's orbits.
const HILL: [(f64, f64, f64); 2] = [
    (-2.1, 3.051_320_077_429, 1_897.726_436_26),
    (-2.0, 3.082_300_983_906, 1_724.693_604_181),
];

/// The planar Lyapunov orbits about Hill's L1, from the mode of small amplitude to energies far from it: the start at the
/// first energy is found on the family. Period and unstable multiplier by SciPy's DOP853 and perpendicular crossings.
#[test]
fn t_205_a_mode_far_from_its_equilibrium() {
    let text =
        "coord x, y\nlagrangian: (x'^2 + y'^2)/2 - y*x' + x*y' + 3*x^2/2 + 1/sqrt(x^2 + y^2)\n";
    let mut search = PeriodicSearch::new(1.0);
    search.at = "x = 0.7".into();
    search.mode = Some(1);
    search.vary = Some(("energy".into(), -2.1, -2.0));
    let list = motions(text, &search).motions;
    for (m, (energy, period, multiplier)) in [(&list[0], HILL[0]), (list.last().unwrap(), HILL[1])]
    {
        assert_eq!(m.parameter, Some(energy));
        assert!((m.period - period).abs() < 1e-8, "{} {period}", m.period);
        assert!(
            (m.multipliers[0][0] / multiplier - 1.0).abs() < 1e-6,
            "{m:?}"
        );
        assert_eq!((m.stable, m.trivial), (Some(false), 2));
    }
}

/// The halo orbits branch off the planar Lyapunov orbits about L1 of Earth and Moon. Energy and period by the vanishing trace of
/// the vertical monodromy matrix in SciPy's DOP853; AUTO-07p has the same energy to 1.3e-12.
#[test]
fn t_205_halo_orbits_branch_off() {
    let text = "param mu = 0.0121505856\ncoord x, y, z\nlet a = sqrt((x+mu)^2 + y^2 + z^2)\n\
        let b = sqrt((x-1+mu)^2 + y^2 + z^2)\nkinetic: ((x'-y)^2 + (y'+x)^2 + z'^2)/2\n\
        potential: -(1-mu)/a - mu/b\n";
    let mut search = PeriodicSearch::new(1.0);
    search.at = "x = 0.8369".into();
    search.mode = Some(2);
    search.amplitude = 0.001;
    search.vary = Some(("energy".into(), -1.5935, -1.584));
    let list = motions(text, &search).motions;
    let halo = list
        .iter()
        .find(|m| m.bifurcation.is_some())
        .expect("a branch point");
    assert!(
        (halo.parameter.unwrap() + 1.587_175_976_998).abs() < 1e-8,
        "{halo:?}"
    );
    assert!((halo.period - 2.742_994_07).abs() < 1e-7, "{halo:?}");
}
