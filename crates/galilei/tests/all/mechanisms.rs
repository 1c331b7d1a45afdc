//! Mechanisms of frames: benchmark problems with known motions, two formulations of one mechanism, work that grows with the number of
//! bodies alone.

use std::fmt::Write;

use galilei::Model;
use galilei_integrate::Status;

use crate::common::{alike, by, compiled, finished, near};

/// Bricard's mechanism, problem A04 of the benchmarks of IFToMM: six revolute joints along edges of a cube. Of the five equations that
/// close the loop with a revolute joint one depends on the others.
fn bricard(axis: char) -> String {
    format!(
        "param m = 1, l = 1, h = 0.1, g = 9.81
coord a, b, c, d, e
frame one: at (0, 0, 0) rotation y(a)
frame two: in one at (l, 0, 0) rotation z(b)
frame three: in two at (0, -l, 0) rotation x(c)
frame four: in three at (0, 0, l) rotation y(d)
frame five: in four at (-l, 0, 0) rotation z(e)
let I = m*(l^2 + h^2)/12, J = m*h^2/6
body rod_one: mass m inertia (J, I, I) in one at (l/2, 0, 0)
body rod_two: mass m inertia (I, J, I) in two at (0, -l/2, 0)
body rod_three: mass m inertia (I, I, J) in three at (0, 0, l/2)
body rod_four: mass m inertia (J, I, I) in four at (-l/2, 0, 0)
body rod_five: mass m inertia (I, J, I) in five at (0, l/2, 0)
constraint closed: position(five, (0, l, 0)) = (0, 0, l)
constraint axis: direction(five, (1, 0, 0)).{axis} = 0
gravity: (0, -g, 0)
let P = position(three, (0, 0, l))
output x: P.x
output y: P.y
output z: P.z
simulate to 10\n"
    )
}

/// The place of the joint P3 from Newton's and Euler's equations with multipliers, integrated by SciPy's DOP853 at 1e-13.
#[test]
fn bricards_mechanism_moves_as_its_reference() {
    for axis in ['y', 'z'] {
        let run = finished("taylor", &bricard(axis), 1e-12);
        alike(&run.outputs, &[0.99999996, -1.00026901, 0.99973095], 1e-8);
    }
}

/// A five-rod linkage, problem A02 of the benchmarks of IFToMM with N = 2. While the windows remain parallelograms, the motion is that of
/// one angle, whose time is an elliptic integral, here by quadrature with 25 digits.
fn windows(closing: &str) -> String {
    format!(
        "const n = 2
param m = 1, l = 1, g = 9.81, v = 1
coord a[0..n], b[1..n]
for k in 0..n {{ frame upright[k]: at (k*l, 0) angle a[k] }}
for k in 1..n {{ frame bar[k]: in upright[k-1] at (0, l) angle b[k] }}
for k in 0..n {{ body U[k]: mass m inertia m*l^2/12 in upright[k] at (0, l/2) }}
for k in 1..n {{ body H[k]: mass m inertia m*l^2/12 in bar[k] at (l/2, 0) }}
{closing}
gravity: (0, -g)
for k in 0..n {{ initial a[k]' = -v/l }}
for k in 1..n {{ initial b[k]' = v/l }}
let B = position(upright[0], (0, l))
output x: B.x
output y: B.y
simulate to 10\n"
    )
}

#[test]
fn four_bar_windows_stop_where_their_motion_is_not_determined() {
    let loops = "for k in 1..n { constraint window[k]: position(bar[k], (l, 0)) = position(upright[k], (0, l)) }";
    let run = by("taylor", &windows(loops), 1e-12).run;
    // All rods lie in one line there: a branch point of the loops.
    assert_ne!(run.status, Status::Finished);
    near(run.time, 0.714_355_529_292_960_5, 1e-5);
}

#[test]
fn parallelogram_windows_have_the_motion_of_one_angle() {
    let parallel = "for k in 1..n { constraint level[k]: b[k] + a[k-1] = 0\nconstraint equal[k]: a[k] = a[k-1] }";
    let run = finished("taylor", &windows(parallel), 1e-12);
    alike(
        &run.outputs,
        &[0.328_458_111_540_815_4, 0.944_518_538_178_601],
        1e-9,
    );
}

/// The flyball governor with stiff couplers, problem A05 of the benchmarks of IFToMM. The reference is its symmetric reduction to three
/// coordinates, integrated by SciPy's Radau at 1e-11.
#[test]
fn a_flyball_governor_moves_as_its_reduction() {
    let text = "param g = 9.81, l = 1, h = 0.01, a = 0.1, rho = 3000, M = 5, k = 8e5, c = 4e4, rest = 0.5
let m = rho*l*h^2, S = rho*a^3
let A = m*(l^2 + h^2)/12, B = m*h^2/6
coord turn, right, left, s
frame shaft: rotation y(turn)
frame arm_right: in shaft at (0, l, 0) rotation z(-right)
frame arm_left: in shaft at (0, l, 0) rotation z(left)
body axle: mass m inertia (A, B, A) in shaft at (0, l/2, 0)
body rod_right: mass m inertia (B, A, A) in arm_right at (l/2, 0, 0)
body rod_left: mass m inertia (B, A, A) in arm_left at (-l/2, 0, 0)
particle ball_right: mass M in arm_right at (l, 0, 0)
particle ball_left: mass M in arm_left at (-l, 0, 0)
body slider: mass S inertia (S*a^2/6, S*a^2/6, S*a^2/6) in shaft at (0, s, 0)
gravity: (0, -g, 0)
let P = position(arm_right, (l/2, 0, 0)), Q = position(arm_left, (-l/2, 0, 0)), O = position(shaft, (0, s, 0))
let vP = velocity(arm_right, (l/2, 0, 0)), vQ = velocity(arm_left, (-l/2, 0, 0))
let vO = velocity(shaft, (0, s, 0)) + s'*direction(shaft, (0, 1, 0))
spring right: stiffness k length rest from P to O
spring left: stiffness k length rest from Q to O
dissipation right: c/2*(dot(vP - vO, P - O)/norm(P - O))^2
dissipation left: c/2*(dot(vQ - vO, Q - O)/norm(Q - O))^2
initial turn' = 2*pi, right = pi/6, left = pi/6, s = l/2
simulate to 10\n";
    let run = finished("taylor", text, 1e-11);
    let (angle, place) = (0.42512611, 0.5874553);
    alike(&run.state[..4], &[56.30636008, angle, angle, place], 1e-7);
}

/// A snakeboard whose rider moves in a prescribed way. The reference is its reduction to the speed along the board, integrated by SciPy's
/// DOP853 at 1e-13.
#[test]
fn a_snakeboard_moves_as_its_reduction() {
    let text = "param m = 6, J = 0.1, Jr = 0.7, Jw = 0.02, l = 0.3
coord x, y, theta
let psi = 1 - cos(3*t), phi = sin(3*t)/2
frame board: at (x, y) angle theta
body deck: mass m inertia J in board
body rotor: mass m/6 inertia Jr in board angle psi
body front: mass m/12 inertia Jw in board at (l, 0) angle phi
body back: mass m/12 inertia Jw in board at (-l, 0) angle -phi
constraint front: dot(velocity(front, (0, 0)), direction(front, (0, 1))) = 0
constraint back: dot(velocity(back, (0, 0)), direction(back, (0, 1))) = 0
simulate to 10\n";
    let run = finished("taylor", text, 1e-12);
    alike(
        &run.state[..3],
        &[-0.94278762, 0.07191548, -0.05741207],
        1e-8,
    );
}

/// The wheel of a satellite is accelerated about z: the hull turns the other way by −½τt²/(C + 2(m·d² + I)). The angular
/// momentum about all axes is kept when three motors work.
#[test]
fn a_satellite_turns_against_its_wheels() {
    let satellite = |motors: &str, initial: &str| {
        format!(
            "param A = 8, B = 9, C = 10, J = 0.2, I = 0.11, m = 4, d = 0.5, tau = 0.3
coord qw, qx, qy, qz, a, b, c
frame hull: at (0, 0, 0) rotation quaternion(qw, qx, qy, qz)
body core: mass 100 inertia (A, B, C) in hull
body wheel_x: mass m inertia (J, I, I) in hull at (d, 0, 0) rotation x(a)
body wheel_y: mass m inertia (I, J, I) in hull at (0, d, 0) rotation y(b)
body wheel_z: mass m inertia (I, I, J) in hull at (0, 0, d) rotation z(c)
force motors: {motors}
initial qw = 1, {initial}
let w = omega(hull), e = direction(hull, (1, 0, 0)), f = direction(hull, (0, 1, 0)), g = direction(hull, (0, 0, 1))
let P = 2*(m*d^2 + I)
let L = (A + P + J)*dot(w, e)*e + (B + P + J)*dot(w, f)*f + (C + P + J)*dot(w, g)*g + J*(a'*e + b'*f + c'*g)
output Lx: L.x
output Ly: L.y
output Lz: L.z
simulate to 4\n"
        )
    };
    let run = finished("taylor", &satellite("c = tau", "c' = 0"), 1e-12);
    let angle: f64 = -0.5 * 0.3 * 16.0 / (10.0 + 2.0 * (4.0 * 0.25 + 0.11));
    alike(
        &run.state[..4],
        &[(angle / 2.0).cos(), 0.0, 0.0, (angle / 2.0).sin()],
        1e-11,
    );
    let motors = "a = tau*cos(t), b = tau*sin(t), c = -tau*cos(2*t)";
    let text = satellite(motors, "omega(hull) = (0.1, -0.2, 0.3), c' = 30");
    let run = finished("taylor", &text, 1e-12);
    let kept = run.rows[0][15..].to_vec();
    for row in &run.rows {
        alike(&row[15..], &kept, 1e-11);
    }
    near(kept[2], 0.3 * (10.0 + 2.22 + 0.2) + 0.2 * 30.0, 1e-12);
}

/// The benchmark bicycle as a tree of frames moves as the one with a chart for each wheel.
#[test]
fn a_bicycle_of_frames_moves_as_that_of_charts() {
    let text =
        "param v = 5, push = 0.3, g = 9.81, w = 1.02, c = 0.08, tilt = pi/10, rR = 0.3, rF = 0.35
coord x, y, yaw, lean, pitch, steer, spinR, spinF
frame foot: at (x, y, 0) rotation z(yaw) then y(lean)
frame rear: in foot at (0, 0, rR) rotation x(pitch)
frame wheelR: in foot at (0, 0, rR) rotation x(spinR)
frame head: in rear at (0, w + c, -rR) rotation x(tilt)
frame fork: in head rotation z(steer) then x(-tilt)
frame wheelF: in fork at (0, -c, rF) rotation x(spinF)
body R: mass 2 inertia (0.12, 0.0603, 0.0603) in wheelR
body B: mass 85 inertia (11, 9.2, 2.8, 0, 0, -2.4) in rear at (0, 0.3, 0.9 - rR)
body H: mass 4 inertia (0.06, 0.05892, 0.00708, 0, 0, 0.00756) in fork at (0, 0.9 - w - c, 0.7)
body F: mass 3 inertia (0.28, 0.1405, 0.1405) in wheelF
gravity: (0, 0, -g)
let axle = direction(fork, (1, 0, 0)), hub = position(fork, (0, -c, rF)), steep = sqrt(1 - axle.z^2)
let slip = velocity(wheelF, (0, 0, 0)) + cross(omega(wheelF), -rF/steep*((0, 0, 1) - axle.z*axle))
constraint touch: hub.z = rF*steep
constraint front: (slip.x, slip.y) = (0, 0)
constraint back: (x', y') = rR*spinR'*(sin(yaw), -cos(yaw))
initial y' = v, spinR' = -v/rR, spinF' = -v/rF, lean' = push
simulate to 4\n";
    let run = finished("taylor", text, 1e-12);
    // x, y, yaw, lean, pitch of models/whipple-bicycle.gal, which has neither frames nor this contact condition; its steer.
    let reference = [
        2.481706002429,
        19.86745470218,
        -0.1549351028099,
        0.001832034333462,
        2.006329827871e-7,
        0.001716690454336,
    ];
    alike(&run.state[..6], &reference, 1e-10);
}

/// A tree of bodies: each second link carries a branch of one further link.
fn tree(n: usize) -> String {
    let mut text = String::from("param g = 9.81\n");
    for k in 1..=n {
        let parent = match k {
            1 => String::new(),
            _ if k % 4 == 0 => format!("in k{} ", k - 2),
            _ => format!("in k{} ", k - 1),
        };
        let axis = ["z(", "y(", "x(", "axis((1, 2, -1), "][k % 4];
        let (x, m) = (0.3 + 0.01 * k as f64, 1.0 + 0.1 * (k % 3) as f64);
        let _ = writeln!(
            text,
            "coord q{k}\nframe k{k}: {parent}at ({x}, 0.1, -0.05) rotation {axis}q{k})"
        );
        let _ = writeln!(
            text,
            "body b{k}: mass {m} inertia (0.02, 0.03, 0.04, 0.001, -0.002, 0.003) in k{k} at (0.1, 0.02, 0)"
        );
    }
    text.push_str("gravity: (0, 0, -g)\n");
    text
}

/// Code along the graph of the kinetic energy has the accelerations of the mass matrix.
#[test]
fn accelerations_along_the_tree_are_those_of_the_mass_matrix() {
    for n in [9, 24] {
        let text = tree(n);
        let state: Vec<f64> = (0..=2 * n)
            .map(|i| if i == 0 { 0.0 } else { (0.7 * i as f64).sin() })
            .collect();
        let mut found = vec![0.0; n];
        compiled(&text).accelerations(1).compute(&state, &mut found);
        let model = Model::parse(&text).unwrap();
        let entry = |k: usize| format!("q{k} = {}, q{k}' = {}", state[k], state[n + k]);
        let at: Vec<String> = (1..=n).map(entry).collect();
        let there = model.state_at(&at.join(", ")).unwrap();
        let evaluated = model.evaluate(&there).unwrap();
        alike(&found, &evaluated.acceleration, 1e-10);
    }
}

/// Twice as many bodies take about twice as many operations.
#[test]
fn the_work_for_a_tree_grows_with_its_bodies() {
    let operations = |n: usize| compiled(&tree(n)).accelerations(1).operations() as f64;
    let ratio = operations(48) / operations(24);
    assert!(ratio < 2.4, "{ratio}");
}

/// An arm of n links with joints about z and y by turns; no two links have the same length or mass.
fn arm(n: usize) -> String {
    let mut text = String::from("param g = 9.81\n");
    let mut before = 0.0;
    for k in 1..=n {
        let share = |x: f64| ((k as f64 * x).fract() * 500.0).round() / 1000.0;
        let (m, l) = (1.0 + share(0.618_033_988_749), 0.5 + share(0.414_213_562_3));
        let place = match k {
            1 => "at (0, 0, 0)".to_owned(),
            _ => format!("in k{} at ({before}, 0, 0)", k - 1),
        };
        let axis = if k % 2 == 1 { 'z' } else { 'y' };
        let _ = writeln!(
            text,
            "coord q{k}\nframe k{k}: {place} rotation {axis}(q{k})\n\
             body b{k}: mass {m} inertia {m}*{l}^2*(1/80, 1/8, 1/8) in k{k} at ({l}/2, 0, 0)"
        );
        before = l;
    }
    text.push_str("gravity: (0, 0, -g)\n");
    text
}

/// The order of elimination does not depend on the numbers of the model: links of any length take the same work each.
#[test]
fn the_work_for_an_arm_of_unequal_links_grows_with_its_links() {
    let operations = |n: usize| compiled(&arm(n)).accelerations(1).operations() as f64;
    let ratio = operations(32) / operations(16);
    assert!(ratio < 2.4, "{ratio}");
}

/// A humanoid of 14 bodies and 26 degrees of freedom, with its momentum, its angular momentum and its mass centre as outputs.
fn humanoid() -> String {
    let mut text = String::from(
        "param g = 9.81
coord x, y, z, qw, qx, qy, qz
frame torso: at (x, y, z) rotation quaternion(qw, qx, qy, qz)
",
    );
    let mut bodies: Vec<(String, f64, [f64; 3])> = Vec::new();
    let mut body = |text: &mut String, frame: &str, mass: f64, length: f64| {
        let across = mass * length * length / 12.0;
        let moments = [across, 1.1 * across, 0.15 * across];
        let _ = writeln!(
            text,
            "body {frame}_mass: mass {mass} inertia ({}, {}, {}) in {frame} at (0.01, 0, {})",
            moments[0],
            moments[1],
            moments[2],
            -length / 2.0
        );
        bodies.push((format!("{frame}_mass"), mass, moments));
    };
    body(&mut text, "torso", 32.0, 0.6);
    let mut limb =
        |text: &mut String, name: &str, place: &str, axes: &str, (mass, length): (f64, f64)| {
            let turns: Vec<String> = (axes.chars().enumerate())
                .map(|(k, axis)| format!("{axis}({name}_{k})"))
                .collect();
            let angles: Vec<String> = (0..axes.len()).map(|k| format!("{name}_{k}")).collect();
            let _ = writeln!(
                text,
                "coord {}\nframe {name}: in {place} rotation {}",
                angles.join(", "),
                turns.join(" then ")
            );
            body(text, name, mass, length);
        };
    limb(
        &mut text,
        "head",
        "torso at (0, 0, 0.1)",
        "zx",
        (5.0, -0.25),
    );
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let part = |name: &str| format!("{side}_{name}");
        let shoulder = format!("torso at (0, {}, 0)", 0.2 * sign);
        limb(&mut text, &part("upper_arm"), &shoulder, "yxz", (2.1, 0.3));
        let elbow = format!("{side}_upper_arm at (0, 0, -0.3)");
        limb(&mut text, &part("forearm"), &elbow, "y", (1.6, 0.35));
        let hip = format!("torso at (0, {}, -0.6)", 0.1 * sign);
        limb(&mut text, &part("thigh"), &hip, "zxy", (8.0, 0.42));
        let knee = format!("{side}_thigh at (0, 0, -0.42)");
        limb(&mut text, &part("shank"), &knee, "y", (4.0, 0.4));
        let ankle = format!("{side}_shank at (0, 0, -0.4)");
        limb(&mut text, &part("foot"), &ankle, "y", (1.2, 0.1));
    }
    let total: f64 = bodies.iter().map(|b| b.1).sum();
    let mut sums = [String::new(), String::new()];
    let mut spin = String::new();
    for (name, mass, [a, b, c]) in &bodies {
        let point = format!("({name}, (0, 0, 0))");
        let _ = writeln!(
            text,
            "let r_{name} = position{point}, v_{name} = velocity{point}, w_{name} = omega({name})"
        );
        let axis = |moment: &f64, e: &str| {
            format!(" + {moment}*dot(w_{name}, direction({name}, {e}))*direction({name}, {e})")
        };
        let _ = write!(sums[0], " + {}*r_{name}", mass / total);
        let _ = write!(sums[1], " + {}*v_{name}", mass / total);
        let _ = write!(spin, " + {mass}*cross(r_{name} - C, v_{name} - V)");
        spin += &(axis(a, "(1, 0, 0)") + &axis(b, "(0, 1, 0)") + &axis(c, "(0, 0, 1)"));
    }
    let _ = write!(
        text,
        "gravity: (0, 0, -g)
let C = (0, 0, 0){}
let V = (0, 0, 0){}
let L = (0, 0, 0){spin}
output Cx: C.x\noutput Cy: C.y\noutput Cz: C.z\noutput Lx: L.x\noutput Ly: L.y\noutput Lz: L.z
initial qw = 1, omega(torso) = (1, 2, -1.5), x' = 0.3, z' = 2
initial left_thigh_1' = 1, right_upper_arm_0' = -2, left_shank_0' = 1.5, head_0' = 0.5, right_foot_0' = 3
simulate to 10\n",
        sums[0], sums[1]
    );
    text
}

/// While a humanoid falls freely for a long time, its mass centre moves along a parabola, and its angular momentum about that and its energy are
/// kept.
#[test]
fn a_falling_humanoid_keeps_energy_and_angular_momentum() {
    let run = finished("taylor", &humanoid(), 1e-13);
    assert!(run.energy_balance < 1e-12, "{}", run.energy_balance);
    let outputs = |row: &[f64]| -> [f64; 6] { row[row.len() - 6..].try_into().unwrap() };
    let first = outputs(&run.rows[0]);
    // The velocity of the mass centre at the start, from the whole parabola.
    let last = run.rows.last().unwrap();
    let velocity: Vec<f64> = (0..3)
        .map(|k| {
            let (t, fall) = (last[0], if k == 2 { 9.81 } else { 0.0 });
            (outputs(last)[k] - first[k]) / t + fall * t / 2.0
        })
        .collect();
    for row in &run.rows {
        let (t, now) = (row[0], outputs(row));
        for k in 0..3 {
            let fall = if k == 2 { 9.81 * t * t / 2.0 } else { 0.0 };
            near(now[k], first[k] + velocity[k] * t - fall, 1e-10);
            near(now[3 + k], first[3 + k], 1e-10);
        }
    }
}

/// The mass matrix of a tree is known to be positive definite also where formulas of its entries would be long.
#[test]
fn long_chains_are_certified_to_be_regular() {
    use galilei_model::{Regularity, Settings, read};
    let judged = |text: &str| {
        let model = read(text, &Settings::default()).model.unwrap();
        let state = model.state_at("q1 = 0.3, q5 = -1, q70 = 0.2").unwrap();
        let definite = model.definite(&model.system(), Some(&state)).unwrap();
        (
            model.validation().lagrangian,
            definite == galilei::Verdict::Certified,
        )
    };
    assert_eq!(judged(&tree(72)), (Regularity::Regular, true));
    assert_eq!(judged(&arm(72)), (Regularity::Regular, true));
}

/// A free body that turns by three angles about axes in every order. The references are Euler's equations in the axes of the body, with
/// the derivatives of the angular velocity by differences with 40 digits.
#[test]
fn every_sequence_of_axes() {
    let references = [
        (
            "xyz",
            [0.009813181596906726, 0.4663686624909694, 0.3402437747124658],
        ),
        (
            "xzy",
            [
                -0.3278883818934517,
                -0.1791240349788826,
                -0.3232987782238741,
            ],
        ),
        (
            "yxz",
            [
                -0.4366472142447465,
                0.06192593423869015,
                -0.8079056510611772,
            ],
        ),
        (
            "yzx",
            [-0.6703429085581622, -0.3445265360495371, 0.7694484846285508],
        ),
        (
            "zxy",
            [-0.1570012136857157, 0.4452528927267205, 0.550793103248196],
        ),
        (
            "zyx",
            [-0.811627536635047, -0.3447631370122067, -1.085521781840951],
        ),
        (
            "xyx",
            [1.082616080209185, 0.2328006474650303, -1.278273798832589],
        ),
        (
            "xzx",
            [0.6553468275989811, 0.2243159404479268, -0.6952112402324093],
        ),
        (
            "yxy",
            [1.025182462732987, -0.08685620830345955, -1.298413397437029],
        ),
        (
            "yzy",
            [
                -0.07350990112182328,
                -0.10867402634744,
                -0.07368361340197649,
            ],
        ),
        (
            "zxz",
            [0.1229600770397244, -0.514293536467535, -0.5186615014403307],
        ),
        (
            "zyz",
            [
                -0.1822322462532784,
                -0.5203540414797518,
                -0.08022233025096934,
            ],
        ),
    ];
    for (sequence, acceleration) in references {
        let axes: Vec<&str> = sequence.split("").filter(|c| !c.is_empty()).collect();
        let product = format!("{}(a) then {}(b) then {}(c)", axes[0], axes[1], axes[2]);
        for rotation in [format!("{sequence}(a, b, c)"), product] {
            let text = format!(
                "coord a, b, c\nframe F: rotation {rotation}\nbody K: mass 1 inertia (1, 2, 2.5) in F\n"
            );
            let mut found = [0.0; 3];
            let state = [0.0, 0.3, 0.7, 1.1, 1.0, -0.5, 0.2];
            compiled(&text).accelerations(1).compute(&state, &mut found);
            alike(&found, &acceleration, 1e-13);
        }
    }
}
