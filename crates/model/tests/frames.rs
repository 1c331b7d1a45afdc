//! Frames, bodies in frames, initial motions, families that refer to themselves.

use galilei_model::{Evaluation, Settings, Solid, read};

fn evaluate(text: &str) -> Evaluation {
    let outcome = read(text, &Settings::default());
    let model = outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    let state = model.initial_state().unwrap();
    model.evaluate(&state).unwrap()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{a:?} {b:?}");
    }
}

const ARM: &str = "param g = 9.81
coord q1, q2, q3
frame base: at (0, 0, 0.3) rotation z(q1)
frame upper: in base at (0.1, 0, 0.2) rotation x(pi/2) then z(q2)
frame lower: in upper at (0.5, 0, 0) rotation z(q3)
body b0: mass 3 inertia (0.1, 0.1, 0.2) in base at (0, 0.02, 0.1)
body b1: mass 2 inertia (0.01, 0.1, 0.1, 0.001, 0.002, 0.003) in upper at (0.25, 0, 0.01)
body b2: mass 1 inertia (0.01, 0.05, 0.05) in lower at (0.2, 0.01, 0) rotation x(0.3)
gravity: (0, 0, -g)
initial q1 = 0.3, q2 = 0.4, q3 = -0.2, q1' = 0.5, q2' = 0.1, q3' = 1
";

/// Accelerations and energies of a spatial arm, computed with SymPy 1.13 from positions and rotation matrices in space
/// with 30 digits.
#[test]
fn an_arm_moves_as_its_matrices_in_space_say() {
    let e = evaluate(ARM);
    let reference = [0.0929697641855747, -19.14393645476333, 18.92980821359167];
    close(&e.acceleration, &reference);
    let energies = [e.kinetic_energy.unwrap(), e.potential_energy.unwrap()];
    close(&energies, &[0.20840488349277534, 30.793127696354]);
}

/// The arm of the test above with its rotations written in other ways.
#[test]
fn rotations_have_several_forms() {
    let e = evaluate(ARM);
    let others = [
        ("rotation z(q1)", "rotation axis((0, 0, 2), q1)"),
        ("rotation x(pi/2) then z(q2)", "rotation xyz(pi/2, 0, q2)"),
        (
            "rotation x(pi/2) then z(q2)",
            "rotation axis((3, 0, 0), pi/2) then zxz(q2/2, 0, q2/2)",
        ),
        (
            "rotation x(pi/2) then z(q2)",
            "rotation quaternion(sqrt(2)/2, sqrt(2)/2, 0, 0) then axis((0, 0, -1), -q2)",
        ),
        (
            "rotation z(q1)",
            "rotation x(0.3) then y(-0.2) then y(0.2) then x(-0.3) then z(q1)",
        ),
        // The axis (1, 1, 1) turned by 120° takes x to y, y to z, z to x.
        (
            "rotation z(q1)",
            "rotation axis((1, 1, 1), 2*pi/3) then y(q1) then axis((1, 1, 1), -2*pi/3)",
        ),
        (
            "rotation z(q1)",
            "rotation quaternion(cos(q1/2), 0, 0, sin(q1/2))",
        ),
    ];
    for (one, other) in others {
        let text = ARM.replace(one, other);
        assert_ne!(text, ARM);
        let o = evaluate(&text);
        close(&o.acceleration, &e.acceleration);
        close(&o.mass_matrix.concat(), &e.mass_matrix.concat());
    }
    // About an oblique axis, against the turn that carries it to z.
    let oblique = ARM.replace("rotation z(q1)", "rotation axis((3, 0, 4), q1)");
    let carried = ARM.replace(
        "rotation z(q1)",
        "rotation y(atan2(3, 4)) then z(q1) then y(-atan2(3, 4))",
    );
    close(
        &evaluate(&oblique).acceleration,
        &evaluate(&carried).acceleration,
    );
}

/// Frames within frames against positions in space: an axis that moves, sliding joints, a driven base.
#[test]
fn frames_agree_with_positions_in_space() {
    let coordinates = "param w = 2\ncoord s, a, b\n";
    let start = "initial s = 0.3, a = 0.4, b = 0.7, s' = 1, a' = -2, b' = 0.5\n";
    let frames = "frame table: at (0.1*t, 0, 0) rotation z(w*t)
frame rail: in table at (s, s^2, 0) rotation y(a)
frame wheel: in rail at (0, 0.2, s) rotation axis((1, s, 0), b)
particle p: mass 2 in wheel at (0.1, 0.2, 0.3*s)
gravity: (0, 0, -9.81)
output x: position(wheel, (0.1, 0.2, 0.3)).x
";
    let points = "frame table: at (0.1*t, 0, 0) rotation z(w*t)
frame rail: in table at (s, s^2, 0) rotation y(a)
frame wheel: in rail at (0, 0.2, s) rotation axis((1, s, 0), b)
particle p: mass 2 at position(wheel, (0.1, 0.2, 0.3*s))
gravity: (0, 0, -9.81)
";
    let (one, two) = (
        evaluate(&format!("{coordinates}{frames}{start}")),
        evaluate(&format!("{coordinates}{points}{start}")),
    );
    close(&one.mass_matrix.concat(), &two.mass_matrix.concat());
    close(&one.momentum, &two.momentum);
    close(&one.momentum_rate, &two.momentum_rate);
}

/// A double pendulum in relative angles has the energy of the one in absolute angles.
#[test]
fn planar_frames_agree_with_positions() {
    let frames = "param l = 0.7\ncoord a, b
frame upper: at (0.2, 0) angle a
frame lower: in upper at (l, 0) angle b
body one: mass 1 inertia 0.3 in upper at (l/2, 0.1)
body two: mass 2 inertia 0.4 in lower at (l/3, 0) angle 0.3
particle tip: mass 0.5 in lower at (l, 0)
gravity: (0, -9.81)
initial a = 0.3, b = 1.1, a' = 2, b' = -3\n";
    let space = "param l = 0.7\ncoord a, b
let e(x) = (cos(x), sin(x))
let n(x) = (-sin(x), cos(x))
let elbow = (0.2, 0) + l*e(a)
body one: mass 1 inertia 0.3 at (0.2, 0) + l/2*e(a) + 0.1*n(a) angle a
body two: mass 2 inertia 0.4 at elbow + l/3*e(a + b) angle a + b
particle tip: mass 0.5 at elbow + l*e(a + b)
gravity: (0, -9.81)
initial a = 0.3, b = 1.1, a' = 2, b' = -3\n";
    let (one, two) = (evaluate(frames), evaluate(space));
    close(&one.mass_matrix.concat(), &two.mass_matrix.concat());
    close(&one.acceleration, &two.acceleration);
    close(&[one.lagrangian], &[two.lagrangian]);
}

/// A free body on a quaternion of its frame spins like one with Euler's angles.
#[test]
fn a_frame_may_have_a_quaternion() {
    let quaternion = "coord x, y, z, a, b, c, d
frame f: at (x, y, z) rotation quaternion(a, b, c, d)
body hull: mass 2 inertia (1, 2, 2.5) in f
particle p: mass 0.5 in f at (0.3, 0, 0.1)
initial a = 0.5, b = 0.5, c = 0.5, d = 0.5
initial omega(f) = (0.1, 0.2, 0.3), velocity(hull, (0, 0, 0)) = (1, 2, 3)\n";
    let angles = "coord x, y, z, a, b, c
frame f: at (x, y, z) rotation axis((1, 1, 1), 2*pi/3) then zyx(a, b, c)
body hull: mass 2 inertia (1, 2, 2.5) in f
particle p: mass 0.5 in f at (0.3, 0, 0.1)
initial omega(hull) = (0.1, 0.2, 0.3), velocity(f, (0, 0, 0)) = (1, 2, 3)\n";
    let (one, two) = (evaluate(quaternion), evaluate(angles));
    close(&one.velocity[..3], &[1.0, 2.0, 3.0]);
    // q' = ½ω·q in space axes, for q = (1 + i + j + k)/2: ωq/2.
    close(&one.velocity[3..], &[-0.15, 0.0, 0.1, 0.05]);
    close(
        &[one.kinetic_energy.unwrap()],
        &[two.kinetic_energy.unwrap()],
    );
    close(&one.acceleration[..3], &two.acceleration[..3]);
    assert_eq!(one.constraints.unwrap().names, ["f"]);
}

/// Velocities are solved for with the rates of constraints, and keep parameters as symbols.
#[test]
fn initial_motions_are_solved_for() {
    let text = "param r = 0.5, w = 3
coord x, phi
body disk: mass 1 inertia 0.1 at (x, r) angle phi
constraint roll: x' + r*phi' = 0
initial omega(disk) = w\n";
    let e = evaluate(text);
    close(&e.velocity, &[-1.5, 3.0]);
    let settings = Settings {
        set: vec!["w=4".into()],
        ..Settings::default()
    };
    let model = read(text, &settings).model.unwrap();
    let e = model.evaluate(&model.initial_state().unwrap()).unwrap();
    close(&e.velocity, &[-2.0, 4.0]);
    let velocity = model.contents().coordinates[1].initial_velocity.unwrap();
    assert_eq!(model.expr(velocity).to_string(), "w");
}

/// Velocities that follow from the motion of bodies follow again at other positions, and where a start is chosen symbolically.
#[test]
fn initial_motions_are_solved_for_at_the_positions_asked_for() {
    // In space axes the rates of zxz angles are ω = (ψ' sinθ sinφ + θ' cosφ, …): the solution depends on the place.
    let text = "coord phi, theta, psi
body top: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation zxz(phi, theta, psi)
initial theta = 1, omega(top) = (0.3, -0.2, 0.7)\n";
    let model = read(text, &Settings::default()).model.unwrap();
    let rates = |state: &galilei_model::State<'_>| -> Vec<f64> {
        state.velocity.iter().map(|v| v.evaluate_f64(&[])).collect()
    };
    // ω·e of the line of nodes is θ'; ω·z = φ' + ψ' cosθ; ω across both is ψ' sinθ.
    let expected = |phi: f64, theta: f64| {
        let nodes = 0.3 * phi.cos() - 0.2 * phi.sin();
        let psi = (0.3 * phi.sin() + 0.2 * phi.cos()) / theta.sin();
        [0.7 - psi * theta.cos(), nodes, psi]
    };
    close(&rates(&model.initial_state().unwrap()), &expected(0.0, 1.0));
    let there = model.state_at("phi = 0.5, theta = 2").unwrap();
    close(&rates(&there), &expected(0.5, 2.0));
    let moved = model.starting_at("phi = 0.5, theta = 2").unwrap();
    close(&rates(&moved.initial_state().unwrap()), &expected(0.5, 2.0));
    // A velocity that is given takes the place of its solution; the others remain.
    let given = model.state_at("phi = 0.5, theta = 2, psi' = 9").unwrap();
    let [a, b, _] = expected(0.5, 2.0);
    close(&rates(&given), &[a, b, 9.0]);
    // At θ = 0 the angles do not give this angular velocity.
    assert!(model.state_at("theta = 0").is_err());
    let free = model
        .start_velocities(&[galilei_model::Target::Position(0)], None)
        .unwrap();
    let phi = model.positions()[0];
    let at = |e: &galilei_expr::Expr<'_>| e.evaluate_f64(&[(phi, 0.5)]);
    close(
        &free.iter().map(at).collect::<Vec<_>>(),
        &expected(0.5, 1.0),
    );
}

/// A chain written member by member and as frames: r[k] = r[k-1] + …, f[k] in f[k-1].
#[test]
fn families_refer_to_earlier_members() {
    let chain = |statements: &str| {
        evaluate(&format!(
            "const n = 12\nparam l = 0.1\ncoord q[1..n]
let phi[0] = 0, r[0] = (0, 0)
let phi[k in 1..n] = phi[k-1] + q[k]
let r[k in 1..n] = r[k-1] + l*(cos(phi[k]), sin(phi[k]))
{statements}
gravity: (0, -9.81)
initial q[1] = 0.4, q[3] = 1, q[12] = -2, q[2]' = 1, q[7]' = -3\n"
        ))
    };
    let points = chain("for k in 1..n { particle p[k]: mass k at r[k] }");
    let frames = chain(
        "frame f[1]: at (0, 0) angle q[1]
for k in 2..n { frame f[k]: in f[k-1] at (l, 0) angle q[k] }
for k in 1..n { particle p[k]: mass k in f[k] at (l, 0) }",
    );
    close(&points.momentum, &frames.momentum);
    close(&points.momentum_rate, &frames.momentum_rate);
    close(&points.mass_matrix.concat(), &frames.mass_matrix.concat());
}

#[test]
fn shapes_are_kept_for_pictures() {
    let text = "coord x, phi
body wheel: mass 1 inertia 0.1 at (x, 1) angle phi
shape rim: disk 1 on wheel
shape: line (0, 0), (1, 0) on wheel
shape: ground\n";
    let outcome = read(text, &Settings::default());
    let model = outcome.model.unwrap();
    let shapes = &model.contents().shapes;
    assert_eq!(shapes.len(), 3);
    assert_eq!(
        (shapes[0].name.as_str(), shapes[0].solid),
        ("rim", Solid::Disk)
    );
    assert_eq!(
        model.expr(shapes[1].points[1][0]).to_string(),
        "x + cos(phi)"
    );
}

/// Names of the second edition's statements stay names of values.
#[test]
fn frame_and_shape_may_name_values() {
    let text = "param shape = 2\ncoord frame\nkinetic: shape*frame'^2\n";
    assert!(read(text, &Settings::default()).model.is_some());
}

/// Of 72 links on joints, the last carries no mass.
#[test]
fn an_idle_joint_of_a_long_chain_is_found() {
    let link = |k: usize| {
        let parent = if k == 0 {
            String::new()
        } else {
            format!("in k{} at (1, 0) ", k - 1)
        };
        format!("coord q{k}\nframe k{k}: {parent}angle q{k}\n")
    };
    let body = |k: usize| format!("body b{k}: mass 1 inertia 0.1 in k{k} at (1/2, 0)\n");
    let text: String = (0..71)
        .map(|k| link(k) + &body(k))
        .chain([link(71)])
        .collect();
    let model = galilei_model::read(&text, &galilei_model::Settings::default())
        .model
        .unwrap();
    let found = model.validate();
    assert_eq!(found[0].code.as_str(), "degenerate_lagrangian");
    assert!(
        found[0]
            .message
            .contains("has rank at most 71 instead of 72"),
        "{}",
        found[0].message
    );
    assert!(
        found[0].hint.contains("nothing gives inertia to q71"),
        "{}",
        found[0].hint
    );
}
