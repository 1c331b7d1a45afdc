//! Robots from URDF move as Pinocchio says.

use galilei_import::{Floating, Options, urdf};
use galilei_model::{Evaluation, Settings, read};

const ROBOT: &str = include_str!("robot.urdf");

fn evaluate(text: &str, at: &str) -> Evaluation {
    let outcome = read(text, &Settings::default());
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.diagnostics);
    let model = outcome.model.unwrap();
    let state = model.state_at(at).unwrap();
    model.evaluate(&state).unwrap()
}

fn close(found: &[f64], expected: &[f64]) {
    for (x, y) in found.iter().zip(expected) {
        assert!(
            (x - y).abs() <= 1e-12 * (1.0 + y.abs()),
            "{found:?} {expected:?}"
        );
    }
}

const STATE: &str = "turn_table=0.3, turn_table'=0.5, _2nd=0.2, _2nd'=-0.4, elbow=-0.7, elbow'=1.1, \
    spin=0.9, spin'=-2, grip=0.05, grip'=0.25";

/// Accelerations and kinetic energy from `aba` and `computeKineticEnergy` of Pinocchio 4.1, with gravity 9.81.
#[test]
fn a_fixed_robot_moves_as_pinocchio_says() {
    let options = Options {
        no_friction: true,
        ..Options::default()
    };
    let model = urdf(ROBOT, &options).unwrap();
    assert!(model.warnings.is_empty());
    let e = evaluate(&model.text, STATE);
    assert_eq!(
        e.coordinates,
        ["turn_table", "_2nd", "elbow", "spin", "grip"]
    );
    let reference = [
        -6.294696984848881,
        -9.193382988230853,
        -3.1223296330887687,
        22.720946458787047,
        -2.1426844920819574,
    ];
    close(&e.acceleration, &reference);
    close(&[e.kinetic_energy.unwrap()], &[0.3844186338127481]);
    close(&[e.potential_energy.unwrap()], &[47.398088879944304]);
}

/// The free-flying robot: joints and the acceleration of its base, from `aba` with a free flyer; Pinocchio's base
/// velocity and acceleration turned into space axes.
#[test]
fn a_floating_robot_moves_as_pinocchio_says() {
    let base = "floating_base_x=0.1, floating_base_y=0.2, floating_base_z=0.3";
    let [w, x, y, z] = [
        0.8040302522073697_f64,
        0.10050378152592121,
        0.30151134457776363,
        -0.502518907629606,
    ];
    // v = R·(0.5, 0.6, −0.7), q' = ½q·(0, 0.4, −0.3, 0.2).
    let (a, b, c) = (0.4, -0.3, 0.2);
    let rates = [
        -(x * a + y * b + z * c) / 2.0,
        (w * a + y * c - z * b) / 2.0,
        (w * b + z * a - x * c) / 2.0,
        (w * c + x * b - y * a) / 2.0,
    ];
    let rotation = [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ];
    let v = rotation.map(|r| 0.5 * r[0] + 0.6 * r[1] - 0.7 * r[2]);
    let at = format!(
        "{STATE}, {base}, floating_base_x'={}, floating_base_y'={}, floating_base_z'={}, floating_base_qw={w}, \
         floating_base_qx={x}, floating_base_qy={y}, floating_base_qz={z}, floating_base_qw'={}, \
         floating_base_qx'={}, floating_base_qy'={}, floating_base_qz'={}",
        v[0], v[1], v[2], rates[0], rates[1], rates[2], rates[3]
    );
    let options = Options {
        no_friction: true,
        floating: true,
        attitude: Floating::Quaternion,
    };
    // Its root needs inertia of its own.
    let inertia = "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' iyz='0'/>";
    let root = format!("<inertial><origin xyz='0 0.1 0'/><mass value='5'/>{inertia}</inertial>");
    let robot = ROBOT.replace(
        "<link name=\"world\"/>",
        &format!("<link name=\"world\">{root}</link>"),
    );
    let model = urdf(&robot, &options).unwrap();
    let e = evaluate(&model.text, &at);
    let by_name = |name: &str| {
        let k = e.coordinates.iter().position(|c| c == name).unwrap();
        e.acceleration[k]
    };
    let names = ["turn_table", "_2nd", "elbow", "grip", "spin"];
    let reference = [
        0.14593250585774065,
        0.34532367547117687,
        0.13597031825867711,
        0.35906926786131954,
        -0.7904006499067204,
    ];
    let near = |x: f64, y: f64| assert!((x - y).abs() <= 1e-10 * (1.0 + y.abs()), "{x} {y}");
    for (name, y) in names.into_iter().zip(reference) {
        near(by_name(name), y);
    }
    let base = ["floating_base_x", "floating_base_y", "floating_base_z"];
    let reference = [0.06665947669435507, -0.05099759453636368, -9.75270100694975];
    for (name, y) in base.into_iter().zip(reference) {
        near(by_name(name), y);
    }
    near(e.kinetic_energy.unwrap(), 5.209447136608341);
    // The linear part of `computeCentroidalMomentum`, and the joints' part of the mass matrix of `crba` times the velocity.
    let momenta = [
        ("floating_base_x", 1.6226429159254634),
        ("floating_base_y", 3.0845129684367656),
        ("floating_base_z", -9.711890728515932),
        ("turn_table", 0.18351126826962397),
        ("_2nd", -1.8654138217183127),
        ("elbow", -0.1025952938179811),
        ("spin", -0.0008579322809907082),
        ("grip", 0.010401569107870663),
    ];
    for (name, y) in momenta {
        let k = e.coordinates.iter().position(|c| c == name).unwrap();
        near(e.momentum[k], y);
    }
}

/// Torques of a prescribed motion are the multipliers of its servo constraints, here compared with `rnea` of Pinocchio 4.1.
#[test]
fn inverse_dynamics_is_that_of_pinocchio() {
    let options = Options {
        no_friction: true,
        ..Options::default()
    };
    let text = urdf(ROBOT, &options).unwrap().text;
    let motions = [
        ("turn_table", "", [-0.4, 0.11, 0.82], 1.6892275880971868),
        ("_2nd", "*m", [-0.66, -0.55, -3.7], 9.641391034905466),
        ("elbow", "", [-0.12, -0.78, -2.87], 1.1876243730540812),
        ("spin", "", [0.21, 0.75, 4.8], -0.010231447579439445),
        ("grip", "*m", [0.57, 1.63, 0.5], 0.04679010402338585),
    ];
    let (mut model, mut at) = (text, Vec::new());
    for (q, unit, [a, b, c], _) in motions {
        model += &format!("constraint servo_{q}: {q} = ({a} + {b}*t/s + {c}*(t/s)^2/2){unit}\n");
        model += &format!("initial {q} = {a}, {q}' = {b}\n");
        at.push(format!("{q} = {a}, {q}' = {b}"));
    }
    let e = evaluate(&model, &at.join(", "));
    let expected: Vec<f64> = motions.iter().map(|m| m.3).collect();
    let found = e.constraints.unwrap().multipliers;
    let found: Vec<f64> = found.into_iter().map(Option::unwrap).collect();
    close(&found, &expected);
}

#[test]
fn friction_limits_and_shapes_are_written() {
    let text = urdf(ROBOT, &Options::default()).unwrap().text;
    for line in [
        "param g = 9.81 [m/s^2]",
        "gravity: (0, 0, -g)",
        "dissipation _2nd_damping: 0.7/2*kg/s*_2nd'^2",
        "friction _2nd_friction: limit 0.2*kg*m/s^2 along _2nd'",
        "event _2nd_upper: _2nd - 1.5*m rising",
        "event elbow_upper: elbow - pi rising",
        "shape sensor: sphere 0.03*m on sensor",
        "frame base_plate: in world at (0, 0, 0.5)*m rotation x(0.2) then z(-turn_table)",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    let e = evaluate(&text, STATE);
    // −c·u of the slider and of the elbow; dry friction is an element that sticks and slips.
    close(&e.force, &[0.0, 0.7 * 0.4, -0.3 * 1.1, 0.0, 0.0]);
}

#[test]
fn joints_follow_others_by_constraints() {
    let follower = ROBOT.replace(
        "<parent link=\"arm\"/><child link=\"finger_1\"/>",
        "<parent link=\"arm\"/><child link=\"finger_1\"/><mimic joint=\"elbow\" multiplier=\"-0.5\" offset=\"0.1\"/>",
    );
    let text = urdf(&follower, &Options::default()).unwrap().text;
    assert!(
        text.contains("constraint grip_mimic: grip = -0.5*elbow*m + 0.1*m"),
        "{text}"
    );
    let e = evaluate(&text, "");
    assert_eq!(e.constraints.unwrap().residual, [0.0]);
    let nobody = follower.replace("mimic joint=\"elbow\"", "mimic joint=\"shoulder\"");
    assert_eq!(
        urdf(&nobody, &Options::default()).unwrap().warnings.len(),
        1
    );
}

/// Planar and floating joints, by the energy of a moving body.
#[test]
fn planar_and_floating_joints() {
    let robot = |kind: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2'/>
             <inertia ixx='1' iyy='1.5' izz='2' ixy='0' ixz='0' iyz='0'/></inertial></link>
             <joint name='j' type='{kind}'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>
             <origin xyz='1 2 3' rpy='0.1 0.2 0.3'/></joint></robot>"
        )
    };
    let planar = urdf(&robot("planar"), &Options::default()).unwrap().text;
    let e = evaluate(&planar, "j_x'=1, j_y'=2, j_angle'=3");
    close(&[e.kinetic_energy.unwrap()], &[5.0 + 0.5 * 1.5 * 9.0]);
    let options = Options {
        attitude: Floating::Euler,
        ..Options::default()
    };
    let floating = urdf(&robot("floating"), &options).unwrap().text;
    let e = evaluate(&floating, "j_x'=1, j_y'=2, j_z'=3, j_yaw'=1, j_roll'=2");
    close(
        &[e.kinetic_energy.unwrap()],
        &[14.0 + 0.5 * 2.0 + 0.5 * 4.0],
    );
}

#[test]
fn what_is_no_robot_is_refused() {
    let refused = |text: &str| {
        let list = urdf(text, &Options::default()).unwrap_err();
        assert!(list.iter().all(|d| d.code.as_str() == "invalid_urdf"));
        list[0].message.clone()
    };
    assert!(refused("<robot").contains("no XML"));
    assert!(refused("<sdf/>").contains("<sdf>"));
    let robot =
        |inside: &str| format!("<robot name='r'><link name='a'/><link name='b'/>{inside}</robot>");
    assert!(refused(&robot("")).contains("2 roots"));
    let joint = |a: &str, b: &str, more: &str| {
        format!(
            "<joint name='{a}{b}' type='revolute'><parent link='{a}'/><child link='{b}'/>{more}</joint>"
        )
    };
    assert!(refused(&robot(&(joint("a", "b", "") + &joint("b", "a", "")))).contains("loop"));
    assert!(refused(&robot(&joint("a", "c", ""))).contains("no such link"));
    assert!(refused(&robot(&joint("a", "b", "<axis xyz='0 0 0'/>"))).contains("no direction"));
    assert!(refused(&robot(&joint("a", "b", "<axis xyz='0 0'/>"))).contains("3 numbers"));
    assert!(refused(&robot(&joint("a", "b", "").replace("revolute", "ball"))).contains("`ball`"));
}

/// A joint may hang on `world` without a link of this name, a planar joint may have any normal, and what braking of a joint with
/// several degrees of freedom means is not guessed.
#[test]
fn unusual_robots_are_read() {
    let text = r#"<robot name="plate"><link name="plate"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="planar"><parent link="world"/><child link="plate"/><axis xyz="0 1 1"/>
<dynamics damping="1"/></joint></robot>"#;
    let found = urdf(text, &Options::default()).unwrap();
    assert_eq!(found.warnings.len(), 1);
    let e = evaluate(
        &found.text,
        "slide_x=0.3, slide_y=-0.2, slide_angle=0.7, slide_angle'=2",
    );
    assert_eq!(e.coordinates, ["slide_x", "slide_y", "slide_angle"]);
    // The plane falls at 45 degrees: the part of gravity along it, which points along its second direction or against it.
    let along = 9.81 / 2_f64.sqrt();
    close(
        &[
            e.acceleration[0],
            e.acceleration[1].abs(),
            e.acceleration[2],
        ],
        &[0.0, along, 0.0],
    );
    // ½·Iω² about the normal.
    close(
        &[e.kinetic_energy.unwrap()],
        &[0.5 * (0.2 + 0.25) / 2.0 * 4.0],
    );
}

/// A joint that follows one that follows another: all begin where they follow each other.
#[test]
fn chains_of_followers_begin_on_their_constraints() {
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        )
    };
    let joint = |name: &str, ends: [&str; 2], mimic: &str| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{}'/><child link='{}'/>{mimic}</joint>",
            ends[0], ends[1]
        )
    };
    let parts = [
        link("a"),
        link("b"),
        link("c"),
        link("d"),
        joint("j", ["a", "b"], ""),
        joint(
            "k",
            ["b", "c"],
            "<mimic joint='j' multiplier='2' offset='0.1'/>",
        ),
        joint(
            "l",
            ["c", "d"],
            "<mimic joint='k' multiplier='-3' offset='0.5'/>",
        ),
    ];
    let robot = format!("<robot name='r'>{}</robot>", parts.concat());
    let e = evaluate(&urdf(&robot, &Options::default()).unwrap().text, "");
    close(&e.position, &[0.0, 0.1, 0.2]);
}

/// Two arms of a robot without masses behind a joint, like the hands of some humanoids, and a tensor of rounding errors.
#[test]
fn idle_joints_are_fixed_and_rounding_is_no_inertia() {
    let robot = r#"<robot name="r"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"/><link name="thumb"/>
<link name="tip"><inertial><origin xyz="0 0.1 0"/><mass value="0.5"/>
<inertia ixx="-5.4e-20" iyy="0" izz="1e-19" ixy="2.7e-20" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/></joint>
<joint name="grip" type="prismatic"><parent link="hand"/><child link="thumb"/><axis xyz="1 0 0"/></joint>
<joint name="crank" type="continuous"><parent link="base"/><child link="lever"/><axis xyz="0 0 1"/></joint>
<link name="lever"/>
<joint name="end" type="continuous"><parent link="arm"/><child link="tip"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
<mimic joint="crank" multiplier="2"/></joint></robot>"#;
    let found = urdf(robot, &Options::default()).unwrap();
    let said: Vec<&str> = found.warnings.iter().map(|w| w.message.as_str()).collect();
    let idle = |joint: &str| format!("`{joint}` carries no mass, so nothing determines its motion");
    assert_eq!(said, [idle("wrist"), idle("grip")]);
    // The crank has no mass, but the end that follows it has one; the tip is a point.
    let e = evaluate(&found.text, "crank'=1, end'=2, shoulder'=0");
    assert_eq!(e.coordinates, ["shoulder", "end", "crank"]);
    close(
        &[e.kinetic_energy.unwrap()],
        &[0.5 * 0.5 * (0.1 * 2.0_f64).powi(2)],
    );
    assert!(found.text.contains("inertia (0, 0, 0)"), "{}", found.text);
}

/// A robot without joints has no coordinates unless its root link floats.
#[test]
fn a_robot_in_which_nothing_moves_is_named() {
    let robot = "<robot name='r'><link name='a'><inertial><mass value='2'/>
        <inertia ixx='1' iyy='1.5' izz='2' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
    let fixed = urdf(robot, &Options::default()).unwrap();
    assert!(fixed.warnings[0].message.contains("no joint moves"));
    let options = Options {
        floating: true,
        ..Options::default()
    };
    assert!(urdf(robot, &options).unwrap().warnings.is_empty());
}
