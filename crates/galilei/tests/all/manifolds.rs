//! Ready-made manifolds: unit vectors and rotations as coordinates. (T-125)

use galilei::{Method, Model, Run, Status};

use crate::common::{distance, model};

fn run(text: &str, to: f64) -> Run {
    let run = model(text).simulate().to(to).run().unwrap().run;
    assert_eq!(run.status, Status::Finished, "{text}");
    run
}

fn code(text: &str) -> String {
    let why = Model::parse(text).unwrap_err();
    why.diagnostics()[0].code.as_str().to_owned()
}

const PENDULUM: &str =
    "param l = 1, g = 9.81\ncoord n on sphere\nparticle: mass 1 at l*n\ngravity: (0, 0, -g)\n";
const CARTESIAN: &str = "param l = 1, g = 9.81\ncoord x, y, z\nparticle: mass 1 at (x, y, z)\n\
     gravity: (0, 0, -g)\nconstraint rod: x^2 + y^2 + z^2 = l^2\n";

/// From below the top, through the lowest point and up again: both charts are used. The Cartesian model does not share
/// the charts.
#[test]
fn t_125_a_pendulum_on_the_sphere_is_the_constrained_one() {
    for (start, velocity) in [
        ((1.0_f64.sin(), 0.0, -1.0_f64.cos()), (0.0, 1e-4, 0.0)),
        ((0.6, 0.0, 0.8), (0.0, 0.5, 0.0)),
        ((0.0, 0.0, -1.0), (3.0, 5.0, 0.0)),
        ((0.0, 0.0, 1.0), (0.001, 0.0, 0.0)),
    ] {
        let ours = format!("{PENDULUM}initial n = {start:?}, n' = {velocity:?}\n");
        let ours = run(&ours, 20.0);
        let ((x, y, z), (u, v, w)) = (start, velocity);
        let theirs = format!(
            "{CARTESIAN}initial x = {x:?}, y = {y:?}, z = {z:?}, x' = {u:?}, y' = {v:?}, z' = {w:?}\n"
        );
        let theirs = run(&theirs, 20.0);
        let off = distance(&ours.outputs, &theirs.state[..3]);
        // Near the top errors grow by exp(√(g/l)·t).
        let limit = if z == 1.0 { 1e-6 } else { 1e-10 };
        assert!(off < limit, "{start:?}: {off:e}");
        assert!(ours.energy_balance < 1e-12);
    }
}

/// A free particle moves on a great circle, through both poles.
#[test]
fn geodesics_go_through_both_poles() {
    let text = "coord n on sphere\nparticle: mass 1 at n\n\
                initial n = (0, 0, 1), n' = (0.6, 0.8, 0)\nevent equator: n.z\n";
    // The error of a change is rounding: a small tolerance shows it.
    let ours = model(text).simulate().to(50.0).tolerance(1e-15).run();
    let ours = ours.unwrap().run;
    assert_eq!(ours.status, Status::Finished);
    let (s, c) = 50.0_f64.sin_cos();
    let off = distance(&ours.outputs, &[0.6 * s, 0.8 * s, c]);
    assert!(off < 1e-12, "{off:e}");
    assert!(ours.pieces.len() > 10);
    let times: Vec<f64> = ours.crossings.iter().map(|c| c.time).collect();
    let wanted: Vec<f64> = (0..16)
        .map(|k| (f64::from(k) + 0.5) * std::f64::consts::PI)
        .collect();
    assert_eq!(times.len(), wanted.len());
    assert!(distance(&times, &wanted) < 1e-12);
    // Changes add nothing to the errors that these methods have within a chart.
    for (method, accuracy) in [(Method::Dop853, 1e-12), (Method::Gauss6, 5e-11)] {
        let found = model(text)
            .simulate()
            .to(10.0)
            .method(method)
            .run()
            .unwrap();
        let (s, c) = 10.0_f64.sin_cos();
        assert!(found.run.pieces.len() > 2);
        let off = distance(&found.run.outputs, &[0.6 * s, 0.8 * s, c]);
        assert!(off < accuracy, "{method}: {off:e}");
    }
}

/// Changes add nothing to the errors of a method: with steps half as long those of Gauss' method of order six are 64 times
/// smaller, across changes as within a chart.
#[test]
fn a_method_keeps_its_order_across_changes() {
    let text =
        "coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1), n' = (0.6, 0.8, 0)\n";
    let error = |step: f64| {
        let run = model(text)
            .simulate()
            .to(10.0)
            .method(Method::Gauss6)
            .step(step)
            .run();
        let run = run.unwrap().run;
        assert!(run.pieces.len() > 2);
        let (s, c) = 10.0_f64.sin_cos();
        distance(&run.outputs, &[0.6 * s, 0.8 * s, c])
    };
    let errors = [0.1, 0.05, 0.025].map(error);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((40.0..100.0).contains(&ratio), "{errors:?}");
    }
}

/// Dense output and rows across changes.
#[test]
fn the_motion_between_rows_goes_across_changes() {
    let text = "coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1), n' = (1, 0, 0)\n";
    let model = model(text);
    let simulation = model.simulate().to(20.0).every(0.25).tolerance(1e-14);
    let (motion, mut trajectory) = simulation.run_dense().unwrap();
    assert_eq!(motion.run.rows.len(), 81);
    for row in &motion.run.rows {
        // n.x, n.y, n.z after the coordinates and velocities.
        let off = distance(&row[5..], &[row[0].sin(), 0.0, row[0].cos()]);
        assert!(off < 1e-12, "{}: {off:e}", row[0]);
        let state = trajectory.at(row[0]).unwrap().unwrap();
        assert!((state[0] - (row[0] / 2.0).tan()).abs() < 1e-10 * (1.0 + state[0] * state[0]));
    }
    assert_eq!(motion.charts.len(), 2);
}

const TOP: &str = "param A = 1, C = 2, g = 9.81, l = 0.3\ncoord R on rotations\n\
     body top: mass 1 inertia (A, A, C) at l*R*(0, 0, 1) rotation R\ngravity: (0, 0, -g)\n";
const QUATERNION: &str = "param A = 1, C = 2, g = 9.81, l = 0.3\ncoord a, b, c, d\n\
     let axis = (2*(b*d + a*c), 2*(c*d - a*b), a^2 - b^2 - c^2 + d^2)\n\
     body top: mass 1 inertia (A, A, C) at l*axis rotation quaternion(a, b, c, d)\ngravity: (0, 0, -g)\n\
     output x: axis.x\noutput y: axis.y\noutput z: axis.z\n";

/// The quaternion under a constraint does not share the charts.
#[test]
fn t_125_a_top_on_the_rotations_is_the_one_by_quaternions() {
    let ours = format!(
        "{TOP}output x: dot((1, 0, 0), R*(0, 0, 1))\noutput y: dot((0, 1, 0), R*(0, 0, 1))\noutput z: dot((0, 0, 1), R*(0, 0, 1))\n\
         initial R = zxz(0, 1, 0.3), omega(R) = (0.1, 0.2, 5)\n"
    );
    let theirs = format!(
        "{QUATERNION}initial a = cos(0.15)*cos(1/2), b = cos(0.15)*sin(1/2), c = -sin(0.15)*sin(1/2), \
         d = sin(0.15)*cos(1/2), omega(top) = (0.1, 0.2, 5)\n"
    );
    let (ours, theirs) = (run(&ours, 10.0), run(&theirs, 10.0));
    let off = distance(&ours.outputs[..3], &theirs.outputs[..3]);
    assert!(off < 1e-9, "{off:e}");
    assert!(ours.pieces.len() > 3);
}

/// cn, sn and dn from SciPy 1.14: scipy.special.ellipj at t = 7 for Euler's equations with the moments 1, 2, 3 and
/// ω = (1, 0, 1) at the start: ω₂ = −√(2·…)·sn. The momentum in space is constant, too.
#[test]
fn t_125_a_free_body_turns_by_elliptic_functions() {
    let text = "coord R on rotations\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation R\n\
         let a = R^-1*omega(R)\noutput p: a.x\noutput q: a.y\noutput r: a.z\n\
         let L = R*(a.x, 2*a.y, 3*a.z)\noutput L1: L.x\noutput L2: L.y\noutput L3: L.z\n\
         initial omega(R) = (1, 0, 1)\n";
    let ours = run(text, 7.0);
    // Rates by a Runge–Kutta method in this test: p' = −q·r, q' = p·r, r' = −p·q/3.
    let rate = |[p, q, r]: [f64; 3]| [-q * r, p * r, -p * q / 3.0];
    let mut w = [1.0, 0.0, 1.0];
    let steps = 70_000;
    let h = 7.0 / f64::from(steps);
    for _ in 0..steps {
        let at = |k: &[f64; 3], by: f64| -> [f64; 3] { std::array::from_fn(|i| w[i] + by * k[i]) };
        let k1 = rate(w);
        let k2 = rate(at(&k1, h / 2.0));
        let k3 = rate(at(&k2, h / 2.0));
        let k4 = rate(at(&k3, h));
        w = std::array::from_fn(|i| w[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    assert!(
        distance(&ours.outputs[..3], &w) < 1e-11,
        "{:?} {w:?}",
        ours.outputs
    );
    assert!(distance(&ours.outputs[3..6], &[1.0, 0.0, 3.0]) < 1e-12);
}

/// 1005 swings through the pole of the angles, against Jacobi's functions by mpmath: sin θ and −cos θ with
/// θ = 2·asin(sin(1/2)·cd(√g·t)) at t = 2150. The Cartesian model under a constraint drifts a hundred times as far.
#[test]
fn t_125_a_thousand_swings() {
    let text = format!("{PENDULUM}initial n = (sin(1), 0, -cos(1))\n");
    let run = model(&text).simulate().to(2150.0).tolerance(1e-16).run();
    let run = run.unwrap().run;
    let wanted = [0.775_014_554_758_160_6, 0.0, -0.631_943_383_471_185_8];
    let off = distance(&run.outputs, &wanted);
    assert!(off < 1e-12, "{off:e}");
    assert!(run.energy_balance < 1e-13);
}

/// The errors of time and place that rounding leaves are carried over changes of chart: a great circle after 1270 turns.
/// They added up to 3·10⁻¹⁰ where they were dropped at each of 2546 changes.
#[test]
fn t_125_rounding_does_not_add_up_at_changes() {
    let text =
        "coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1), n' = (0.6, 0.8, 0)\n";
    let run = model(text).simulate().to(8000.0).tolerance(1e-16).run();
    let run = run.unwrap().run;
    assert!(run.pieces.len() > 2500);
    let (s, c) = 8000.0_f64.sin_cos();
    let off = distance(&run.outputs, &[0.6 * s, 0.8 * s, c]);
    assert!(off < 5e-12, "{off:e}");
}

/// The pendulum that changes its chart in each half of a swing: gravity along the equator of the charts, angles from there
/// as before. What is left is rounding within steps, which is larger away from the origin of a chart.
#[test]
fn t_125_a_thousand_swings_with_two_thousand_changes() {
    for (angle, sine, cosine) in [
        ("1", 0.775_014_554_758_160_6, 0.631_943_383_471_185_8),
        ("0.9", -0.268_798_338_882_183_7, 0.963_196_476_848_923_5),
    ] {
        let text = format!(
            "coord n on sphere\nparticle: mass 1 at n\ngravity: (9.81, 0, 0)\n\
             initial n = (cos({angle}), 0, sin({angle}))\n"
        );
        let run = model(&text).simulate().to(2150.0).tolerance(1e-16).run();
        let run = run.unwrap().run;
        assert!(run.pieces.len() > 2000);
        let off = distance(&run.outputs, &[cosine, 0.0, sine]);
        assert!(off < 2e-11, "{angle}: {off:e}");
        assert!(run.energy_balance < 1e-13);
    }
}

/// The largest change of some outputs of a run to a time, relative to the largest of them.
fn drift(text: &str, count: usize, to: f64) -> f64 {
    let simulation = model(text);
    let simulation = simulation.simulate().to(to).every(to / 200.0);
    let run = simulation.tolerance(1e-16).run().unwrap().run;
    assert_eq!(run.status, Status::Finished);
    let first = 1 + run.state.len();
    let kept = |row: &[f64]| row[first..first + count].to_vec();
    let start = kept(&run.rows[0]);
    let size = start.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    run.rows.iter().fold(0.0, |most, row| {
        let off = distance(&kept(row), &start);
        assert!(!off.is_nan());
        off.max(most)
    }) / size
}

/// Angular momentum of a free body, and those of a heavy top about the vertical and its axis, over 10⁴ turns: rounding
/// alone, and less than with the quaternion, which is brought back to its constraint again and again.
#[test]
fn momenta_of_rotations_do_not_drift_in_ten_thousand_turns() {
    let free = "coord R on rotations\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation R\n\
        let a = R^-1*omega(R)\nlet L = R*(a.x, 2*a.y, 3*a.z)\n\
        output L1: L.x\noutput L2: L.y\noutput L3: L.z\ninitial omega(R) = (1, 0, 1.1)\n";
    let free_quaternion = "coord a, b, c, d\nbody B: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation quaternion(a, b, c, d)\n\
        let w = omega(B)\nlet e = direction(B, (1, 0, 0))\nlet f = direction(B, (0, 1, 0))\nlet k = direction(B, (0, 0, 1))\n\
        let L = dot(w, e)*e + 2*dot(w, f)*f + 3*dot(w, k)*k\n\
        output L1: L.x\noutput L2: L.y\noutput L3: L.z\ninitial a = 1, omega(B) = (1, 0, 1.1)\n";
    let top = format!(
        "{TOP}let w = R^-1*omega(R)\nlet L = R*((A + l^2)*w.x, (A + l^2)*w.y, C*w.z)\n\
         output vertical: L.z\noutput own: C*w.z\n\
         initial R = x(1), omega(R) = (0, -5*sin(1), 5*cos(1))\n"
    );
    let top_quaternion =
        QUATERNION.replace("output x: axis.x\noutput y: axis.y\noutput z: axis.z\n", "");
    let top_quaternion = format!(
        "{top_quaternion}let w = omega(top)\nlet s = dot(w, axis)\nlet L = (A + l^2)*(w - s*axis) + C*s*axis\n\
         output vertical: L.z\noutput own: C*s\n\
         initial a = cos(1/2), b = sin(1/2), omega(top) = (0, -5*sin(1), 5*cos(1))\n"
    );
    for (ours, theirs, count, to) in [
        (free, free_quaternion, 3, 44_000.0),
        (&*top, &*top_quaternion, 2, 12_600.0),
    ] {
        let ours = drift(ours, count, to);
        assert!(ours < 3e-13, "{ours:e}");
        // A tenth of the time is enough to see it.
        let theirs = drift(theirs, count, to / 10.0);
        assert!(ours < theirs, "{ours:e} {theirs:e}");
    }
}

/// A free body for 160 turns against cn, sn and dn by mpmath; its momentum in space stays.
#[test]
fn t_125_a_free_body_tumbles_by_elliptic_functions() {
    let text = "coord R on rotations\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation R\n\
         let a = R^-1*omega(R)\noutput p: a.x\noutput q: a.y\noutput r: a.z\n\
         let L = R*(a.x, 2*a.y, 3*a.z)\noutput L1: L.x\noutput L2: L.y\noutput L3: L.z\n\
         initial omega(R) = (1, 0, 1.1)\n";
    let run = model(text).simulate().to(1000.0).tolerance(1e-16).run();
    let run = run.unwrap().run;
    let wanted = [
        0.182_602_405_126_482_83,
        -0.983_186_839_640_372_6,
        0.942_221_424_499_566_4,
        1.0,
        0.0,
        3.3,
    ];
    let off = distance(&run.outputs[..6], &wanted);
    assert!(off < 5e-12, "{off:e}");
    assert!(run.energy_balance < 1e-13);
}

/// Lagrange's top after 1000 s, or 800 turns, cos θ by Jacobi's sn (mpmath); the quaternion under its constraint is less exact.
#[test]
fn t_125_a_heavy_top_nods_by_elliptic_functions() {
    let text = format!(
        "{TOP}output z: dot((0, 0, 1), R*(0, 0, 1))\n\
         initial R = x(1), omega(R) = (0, -5*sin(1), 5*cos(1))\n"
    );
    let run = model(&text).simulate().to(1000.0).tolerance(1e-16).run();
    let run = run.unwrap().run;
    let found = run.outputs[0];
    assert!((found - 0.530_146_827_085_923_4).abs() < 1e-12, "{found:?}");
    assert!(run.energy_balance < 1e-13);
}

/// A ball on a turntable goes round in a circle with 2/7 of its angular velocity (Earnshaw 1844).
#[test]
fn a_ball_rolls_on_a_turntable() {
    let text = "param r = 0.5, W = 3\ncoord x, y\ncoord R on rotations\n\
         body ball: mass 1 inertia (2/5*r^2, 2/5*r^2, 2/5*r^2) at (x, y, r) rotation R\n\
         let contact = (x', y', 0) + cross(omega(R), (0, 0, -r))\n\
         constraint rolling: (contact.x + W*y, contact.y - W*x) = (0, 0)\n\
         initial x = 1, x' = 0, y' = 1, omega(R) = (2, -1, 3)\n";
    // ω.x = (W·x − y')/r, ω.y = (x' + W·y)/r follow from rolling.
    let text = text.replace("omega(R) = (2, -1, 3)", "omega(R) = (4, 0, 3)");
    let ours = run(&text, 30.0);
    let w = 3.0 * 2.0 / 7.0;
    // v = w·e_z × (x − c): the centre c = (x, y) + (−y', x')·(−1)/w.
    let c = 1.0 - 1.0 / w;
    let (s, cos) = (w * 30.0_f64).sin_cos();
    let wanted = [c + cos / w, s / w];
    assert!(
        distance(&ours.state[..2], &wanted) < 1e-10,
        "{:?} {wanted:?}",
        &ours.state[..2]
    );
}

/// A thin disk rolls and passes through its upright position. In yaw, lean and spin the same motion has a model that shares
/// no chart.
#[test]
fn a_disk_rolls_through_its_upright_position() {
    let angles = "param r = 0.3\ncoord x, y, a, b, c\nlet up = (-cos(a)*sin(b), -sin(a)*sin(b), cos(b))\n\
        let centre = (x, y, 0) + r*up\nbody disk: mass 1 inertia (r^2/2, r^2/4, r^2/4) at centre rotation zyx(a, -b, c)\n\
        gravity: (0, 0, -9.81)\nlet slip = D(centre) - r*cross(omega(disk), up)\nconstraint rolling: (slip.x, slip.y) = (0, 0)\n\
        initial b = 0.05, b' = -1.5, c' = 10, y' = -3\nevent upright: b\noutput lean: sin(b)\noutput h: (centre.x + centre.y)\n";
    let rotations = "param r = 0.3\ncoord x, y\ncoord R on rotations\nlet n = R*(1, 0, 0)\n\
        let up = ((0, 0, 1) - n.z*n)/sqrt(1 - n.z^2)\nlet centre = (x, y, 0) + r*up\n\
        body disk: mass 1 inertia (r^2/2, r^2/4, r^2/4) at centre rotation R\n\
        gravity: (0, 0, -9.81)\nlet slip = D(centre) - r*cross(omega(R), up)\nconstraint rolling: (slip.x, slip.y) = (0, 0)\n\
        output lean: n.z\noutput h: (centre.x + centre.y)\n";
    // ω of the first model at its start, in space.
    let (s, c) = 0.05_f64.sin_cos();
    let rotations = format!(
        "{rotations}initial R = y(-0.05), omega(R) = ({:?}, 1.5, {:?}), y' = -3\n",
        10.0 * c,
        10.0 * s
    );
    let theirs = run(angles, 3.0);
    let ours = run(&rotations, 3.0);
    assert!(theirs.status == Status::Finished && ours.status == Status::Finished);
    let distance = distance(&ours.outputs[..2], &theirs.outputs[..2]);
    assert!(distance < 1e-9, "{distance:e}");
    assert!(theirs.crossings.len() > 3 && ours.pieces.len() > 1);
}

/// A satellite of revolution for 10⁴ turns: R = exp([L]·t/A)·exp([e₃]·(1 − C/A)·ω₃·t).
#[test]
fn a_satellite_tumbles_for_ten_thousand_turns() {
    let text = "coord R on rotations\nbody b: mass 1 inertia (2, 2, 1) at (0, 0, 0) rotation R\ninitial omega(R) = (0.3, 0, 1)\n\
        let n = R*(0, 0, 1)\noutput x: n.x\noutput y: n.y\noutput z: n.z\n\
        let a = R^-1*omega(R)\nlet L = R*(2*a.x, 2*a.y, a.z)\noutput L1: L.x\noutput L2: L.y\noutput L3: L.z\n";
    let end = 60_500.0;
    let found = model(text).simulate().to(end).tolerance(1e-16).run();
    let found = found.unwrap().run;
    assert!(found.pieces.len() > 9_000);
    // e₃ turned about L = (0.6, 0, 1).
    let size = (0.36_f64 + 1.0).sqrt();
    let (s, c) = (size / 2.0 * end).sin_cos();
    let axis = [0.6 / size, 0.0, 1.0 / size];
    let along = axis[2] * (1.0 - c);
    let wanted = [
        along * axis[0],
        -axis[0] * s,
        c + along * axis[2],
        0.6,
        0.0,
        1.0,
    ];
    let distance = distance(&found.outputs[..6], &wanted);
    assert!(distance < 1e-9, "{distance:e}");
    assert!(found.energy_balance < 1e-11);
}

/// The state-transition matrix goes across changes: great circles from the north pole over the south pole.
#[test]
fn t_125_sensitivities_go_across_changes() {
    let text =
        "coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1), n' = (1, 0.3, 0)\n";
    let found = model(text).sensitivities().to(5.0).run().unwrap();
    assert!(found.motion.run.pieces.len() > 1);
    // n(t) by the great circle, and its stereographic coordinates, differentiated by differences.
    let end = |s: [f64; 4]| {
        let [a, b, u, v] = s;
        let d = 1.0 + a * a + b * b;
        let n = [2.0 * a / d, 2.0 * b / d, (2.0 - d) / d];
        let k = 2.0 * (a * u + b * v) / d;
        let w = [2.0 * (u - k * a) / d, 2.0 * (v - k * b) / d, -2.0 * k / d];
        let speed = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        let (sin, cos) = (5.0 * speed).sin_cos();
        let p: [f64; 3] = std::array::from_fn(|i| n[i] * cos + w[i] / speed * sin);
        let q: [f64; 3] = std::array::from_fn(|i| w[i] * cos - n[i] * speed * sin);
        let (x, y) = (p[0] / (1.0 + p[2]), p[1] / (1.0 + p[2]));
        let rate = |i: usize, x: f64| (q[i] - x * q[2]) / (1.0 + p[2]);
        [x, y, rate(0, x), rate(1, y)]
    };
    let start = [0.0, 0.0, 0.5, 0.15];
    let last = end(start);
    assert!(distance(&found.motion.run.state, &last) < 1e-11);
    for j in 0..4 {
        let h = 1e-4;
        let at = |k: f64| {
            let mut s = start;
            s[j] += k * h;
            end(s)
        };
        let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
        for i in 0..4 {
            let slope = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h);
            let ours = found.transition[i][j];
            assert!(
                (ours - slope).abs() < 1e-8 * (1.0 + slope.abs()),
                "{i} {j}: {ours} {slope}"
            );
        }
    }
    assert!(found.symplectic_defect().unwrap() < 1e-11);
}

#[test]
fn rotations_have_sensitivities() {
    let text = "param A = 1\ncoord R on rotations\nbody b: mass 1 inertia (A, 1.3, 2) at (0, 0, 0) rotation R\n\
                initial omega(R) = (1, 0.5, 2)\n";
    let found = model(text).sensitivities().by("A").to(4.0).run().unwrap();
    assert!(found.motion.run.pieces.len() > 1);
    assert!(found.symplectic_defect().unwrap() < 1e-11);
    let at = |a: f64| {
        let other = text.replace("param A = 1", &format!("param A = {a:?}"));
        run(&other, 4.0).state
    };
    let h = 1e-4;
    let (a, b, c, d) = (
        at(1.0 - 2.0 * h),
        at(1.0 - h),
        at(1.0 + h),
        at(1.0 + 2.0 * h),
    );
    for i in 0..6 {
        let slope = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h);
        assert!((found.by_parameters[0][i] - slope).abs() < 1e-7 * (1.0 + slope.abs()));
    }
}

#[test]
fn states_of_commands_are_points() {
    let model = model(&format!("{PENDULUM}initial n = (0, 0, 1)\n"));
    // The lowest point is not in the first chart of this model.
    let moved = model.starting_at("n=(0, 0, -1), n'=(1, 0, 0)").unwrap();
    let motion = moved.simulate().to(1.0).run().unwrap();
    let k = 9.81_f64.sqrt();
    assert!((motion.run.outputs[0] - (k).sin() / k).abs() < 0.02);
    assert!(model.starting_at("n=(1, 1, 0)").is_err());
    assert!(model.starting_at("n'=(0, 0, 1)").is_err());
    // Velocities of a command take the place of initial ones, which are not possible at its point.
    let moving = self::model(&format!(
        "{PENDULUM}initial n = (0, 0, 1), n' = (1, 0, 0)\n"
    ));
    let moved = moving.starting_at("n=(1, 0, 0), n'=(0, 1, 0)").unwrap();
    let state = moved.initial_state().unwrap();
    let found = state.position.iter().chain(&state.velocity);
    let found: Vec<f64> = found.map(|e| e.evaluate_f64(&[])).collect();
    assert!(distance(&found, &[1.0, 0.0, 0.0, 1.0]) < 1e-15, "{found:?}");
    assert!(moving.starting_at("n=(1, 0, 0)").is_err());
    let top = self::model(TOP);
    let moved = top
        .starting_at("R=zxz(0, 1, 0), omega(R)=(0, 0, 2)")
        .unwrap();
    let state = moved.initial_state().unwrap();
    let first = state.position[0].evaluate_f64(&[]);
    assert!((first - 0.25_f64.tan()).abs() < 1e-15);
}

/// Bit for bit, whatever is varied: parameters that the start depends on, the place and the velocity at the start.
#[test]
fn sweeps_on_manifolds_are_single_runs() {
    let text = "param l = 1, g = 9.81, a = 0.4\ncoord n on sphere\nparticle: mass 1 at l*n\n\
        gravity: (0, 0, -g)\ninitial n = (sin(a), 0, -cos(a)), n' = (0, 1, 0)\nsimulate to 5\n";
    let rows_of = |axes: &str| {
        let mut rows = Vec::new();
        let take = |block: galilei::Block| {
            rows.extend(block.rows);
            true
        };
        let model = model(text);
        let sweep = model.sweep().grid(axes).build().unwrap();
        let first = sweep.columns().iter().position(|c| c == "t").unwrap() + 1;
        sweep.run(|_| false, take);
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        rows.into_iter()
            .map(|r| r[first..].to_vec())
            .collect::<Vec<_>>()
    };
    let bits = |row: &[f64]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let same = |row: &[f64], single: galilei::Run| {
        let whole = [&single.state[..], &single.outputs].concat();
        assert_eq!(bits(&row[..whole.len()]), bits(&whole), "{row:?} {whole:?}");
    };
    let rows = rows_of("g in [5, 9.81, 20.1], l in [1, 0.7]");
    assert_eq!(rows.len(), 6);
    for (k, set) in ["g=5,l=1", "g=5,l=0.7", "g=9.81,l=1", "g=9.81,l=0.7"]
        .into_iter()
        .enumerate()
    {
        let other = Model::reader().set(set).parse(text).unwrap();
        same(&rows[k], other.simulate().run().unwrap().run);
    }
    for (k, row) in rows_of("a in [0.1, 0.9, 1.3]").iter().enumerate() {
        let a = ["0.1", "0.9", "1.3"][k];
        let other = Model::reader().set(format!("a={a}")).parse(text).unwrap();
        same(row, other.simulate().run().unwrap().run);
    }
    for (k, row) in rows_of("n_1 in [0.1, 0.3], g in [9, 10]")
        .iter()
        .enumerate()
    {
        let other = Model::reader().set(["g=9", "g=10"][k % 2]).parse(text);
        let start = ["n_1=0.1", "n_1=0.3"][k / 2];
        let other = other.unwrap().starting_in_chart(start).unwrap();
        same(row, other.simulate().run().unwrap().run);
    }
}

#[test]
fn wrong_points_are_diagnosed() {
    let with = |more: &str| format!("{PENDULUM}{more}\n");
    assert_eq!(code(&with("initial n = (1, 1, 0)")), "not_a_unit_vector");
    assert_eq!(code(&with("initial n = (1, 0)")), "shape_mismatch");
    assert_eq!(
        code(&with("initial n' = (0, 0, 1)")),
        "initial_rate_contradictory"
    );
    assert_eq!(code(&with("output o: n_1")), "not_a_coordinate");
    assert_eq!(code(&with("force: n = 1")), "not_a_coordinate");
    assert_eq!(code(&with("coord n_1")), "duplicate_name");
    assert_eq!(code(&with("chart c(a, b): n = 1")), "not_available");
    assert_eq!(code(&with("output o: omega(n)")), "shape_mismatch");
    assert_eq!(
        code("coord n on sphere [m]\nkinetic: dot(n', n')/2\n"),
        "dimension_mismatch"
    );
    assert_eq!(
        code("coord n on torus\nkinetic: n'^2/2\n"),
        "expected_keyword"
    );
    assert_eq!(
        code("coord n on sphere\nhamiltonian: n.x^2\n"),
        "not_available"
    );
    assert_eq!(
        code(&format!("{TOP}initial R = (1, 0, 0)\n")),
        "unknown_rotation"
    );
    assert_eq!(
        code(&format!("{TOP}initial R = quaternion(1, 1, 0, 0)\n")),
        "not_a_unit_vector"
    );
    assert_eq!(code(&format!("{TOP}output o: R\n")), "shape_mismatch");
    assert_eq!(code(&format!("{TOP}output o: R'\n")), "not_a_coordinate");
    assert_eq!(
        code("coord a\nbody b: mass 1 inertia (1, 1, 1) at (0, 0, 0) rotation a\n"),
        "unknown_rotation"
    );
}

/// Initial rotations by all forms that `rotation` knows are those of a body with the same angles.
#[test]
fn initial_rotations_are_those_of_frames() {
    for rotation in [
        "zxz(0.3, 1.1, -2)",
        "xyz(2, 1, 0.5)",
        "z(0.4) then x(3) then axis((1, 2, -1), 0.7)",
        "axis((0, 3, 4), 5)",
        "quaternion(-0.5, 0.5, 0.5, -0.5)",
    ] {
        let text = format!(
            "coord R on rotations\nbody b: mass 1 inertia (1, 2, 2.5) at (0, 0, 0) rotation R\n\
             frame f: rotation {rotation}\nlet d = R*(1, 2, 3) - direction(f, (1, 2, 3))\n\
             output d1: d.x\noutput d2: d.y\noutput d3: d.z\ninitial R = {rotation}\n"
        );
        let found = run(&text, 0.0);
        assert!(
            distance(&found.outputs[..3], &[0.0; 3]) < 1e-14,
            "{rotation}: {:?}",
            found.outputs
        );
    }
}

/// Several spheres and rotations at once: two pendula on one another, against angles.
#[test]
fn a_chain_on_two_spheres_is_the_one_by_angles() {
    let ours = "param l = 1, g = 9.81\ncoord n[1..2] on sphere\n\
        particle one: mass 1 at l*n[1]\nparticle two: mass 1 at l*n[1] + l*n[2]\ngravity: (0, 0, -g)\n\
        initial n[1] = (0.6, 0, -0.8), n[2] = (0, 0.8, 0.6), n[1]' = (0, 1, 0)\n";
    let theirs = "param l = 1, g = 9.81\ncoord x[1..2], y[1..2], z[1..2]\n\
        let p = (x[1], y[1], z[1])\nlet q = (x[2], y[2], z[2])\n\
        particle one: mass 1 at l*p\nparticle two: mass 1 at l*p + l*q\ngravity: (0, 0, -g)\n\
        constraint a: dot(p, p) = 1\nconstraint b: dot(q, q) = 1\n\
        initial x[1] = 0.6, z[1] = -0.8, y[2] = 0.8, z[2] = 0.6, y[1]' = 1\n";
    let (ours, theirs) = (run(ours, 3.0), run(theirs, 3.0));
    let [x, y, z] = [0, 2, 4].map(|k| [theirs.state[k], theirs.state[k + 1]]);
    let wanted = [x[0], y[0], z[0], x[1], y[1], z[1]];
    let off = distance(&ours.outputs, &wanted);
    assert!(off < 1e-9, "{off:e}");
}
