//! Accelerations of spatial mechanisms against numbers of another formulation.
//!
//! The references are Newton's and Euler's equations of the single bodies, projected by Jacobians. Places and attitudes are products of rotation
//! matrices in mpmath, their Jacobians and time derivatives central differences with 70 digits; loops and rolling are multipliers. A
//! quaternion is normalised there, so its multiplier is not compared.

use galilei::Model;

use crate::common::{alike, compiled, near};

/// A mechanism at a state.
struct Case {
    text: &'static str,
    coordinates: &'static str,
    /// t, positions, velocities.
    state: &'static [f64],
    acceleration: &'static [f64],
    multipliers: &'static [f64],
    kinetic: f64,
}

/// Both ways to accelerations: through the formulas, and through the code of a run.
fn agrees(case: &Case) {
    let model = Model::parse(case.text).unwrap();
    let names: Vec<&str> = case.coordinates.split(' ').collect();
    let n = names.len();
    let entries = names.iter().enumerate();
    let at: Vec<String> = entries
        .map(|(k, x)| {
            format!(
                "{x} = {}, {x}' = {}",
                case.state[1 + k],
                case.state[1 + n + k]
            )
        })
        .collect();
    let at = format!("t = {}, {}", case.state[0], at.join(", "));
    let there = model.state_at(&at).unwrap();
    let found = model.evaluate(&there).unwrap();
    assert_eq!(found.coordinates, names);
    alike(&found.acceleration, case.acceleration, 1e-11);
    near(found.kinetic_energy.unwrap(), case.kinetic, 1e-12);
    let multipliers = found.constraints.map_or(vec![], |c| c.multipliers);
    // Multipliers are behind the accelerations.
    let mut unknowns = vec![0.0; n + multipliers.len()];
    let code = compiled(case.text);
    code.accelerations(1).compute(case.state, &mut unknowns);
    alike(&unknowns[..n], case.acceleration, 1e-11);
    if !case.multipliers.is_empty() {
        let multipliers: Option<Vec<f64>> = multipliers.into_iter().collect();
        alike(&multipliers.unwrap(), case.multipliers, 1e-11);
    }
}

/// A rotary pendulum with a driven arm and friction in the joint of the rod.
#[test]
fn furuta() {
    agrees(&Case {
        text: "param g = 9.81, k = 0.1, tau = 0.7
coord arm, pend
frame A: rotation z(arm)
frame P: in A at (0.4, 0, 0) rotation x(pend)
body armb: mass 1.2 inertia (0.01, 0.05, 0.06) in A at (0.2, 0, 0)
body rod: mass 0.5 inertia (0.02, 0.001, 0.02) in P at (0, 0, -0.3)
gravity: (0, 0, -g)
force motor: arm = tau*cos(t)
force fric: pend = -k*pend'
",
        coordinates: "arm pend",
        state: &[0.4, 0.3, 0.7, 1.1, -2.0],
        acceleration: &[7.365412505145689, -16.46873684859743],
        multipliers: &[],
        kinetic: 0.16140903969953713,
    });
}

/// Two links on universal joints; the second has products of inertia.
#[test]
fn spatial_double_pendulum() {
    agrees(&Case {
        text: "param g = 9.81
coord a, b, c, d
frame A: rotation x(a) then y(b)
frame B: in A at (0,0,-1) rotation x(c) then y(d)
body one: mass 1 inertia (0.1, 0.1, 0.01) in A at (0,0,-0.5)
body two: mass 2 inertia (0.2, 0.25, 0.03, 0.01, -0.02, 0.005) in B at (0.05, 0.02, -0.4)
gravity: (0, 0, -g)
",
        coordinates: "a b c d",
        state: &[0.0, 0.3, -0.4, 1.2, 0.5, 1.0, -0.5, 0.3, 2.0],
        acceleration: &[-0.20498227399171123, 5.5215852042350715, -16.394779018581563, -4.471035723199677],
        multipliers: &[],
        kinetic: 1.49540947447684,
    });
}

/// A SCARA arm with motors: two turns, a quill that slides and turns.
#[test]
fn scara() {
    agrees(&Case {
        text: "param g = 9.81
coord q1, q2, d3, q4
frame L1: at (0, 0, 0.8) rotation z(q1)
frame L2: in L1 at (0.5, 0, 0.1) rotation z(q2)
frame Q: in L2 at (0.4, 0, -d3) rotation z(q4)
body l1: mass 10 inertia (0.1, 0.8, 0.9) in L1 at (0.25, 0, 0)
body l2: mass 6 inertia (0.05, 0.3, 0.33) in L2 at (0.2, 0, 0)
body quill: mass 1 inertia (0.01, 0.01, 0.002, 0.001, 0, 0) in Q at (0.01, 0, -0.1)
gravity: (0, 0, -g)
force m: q1 = 3, q2 = -1, d3 = -9.81, q4 = 0.01
",
        coordinates: "q1 q2 d3 q4",
        state: &[0.0, 0.3, 0.7, 0.1, 2.0, 1.0, -1.0, 0.5, 3.0],
        acceleration: &[1.913699682319103, -5.5510854789436275, 4.973799150320702e-16, 8.61784631253959],
        multipliers: &[],
        kinetic: 1.758388917869744,
    });
}

/// An arm of six turns by Denavit and Hartenberg.
#[test]
fn arm_of_six_turns() {
    agrees(&Case {
        text: "param g = 9.81
coord q[1..6]
frame J1: rotation z(q[1])
frame K1: in J1 at (0, 0, 0.089) rotation x(1.5707963267948966)
body B1: mass 3.7 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K1 at (0.05, -0.02, 0.0)
frame J2: in K1 rotation z(q[2])
frame K2: in J2 at (-0.425, 0, 0) rotation x(0)
body B2: mass 8.4 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K2 at (0.05, -0.02, 0.01)
frame J3: in K2 rotation z(q[3])
frame K3: in J3 at (-0.392, 0, 0) rotation x(0)
body B3: mass 2.3 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K3 at (0.05, -0.02, 0.02)
frame J4: in K3 rotation z(q[4])
frame K4: in J4 at (0, 0, 0.109) rotation x(1.5707963267948966)
body B4: mass 1.2 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K4 at (0.05, -0.02, 0.03)
frame J5: in K4 rotation z(q[5])
frame K5: in J5 at (0, 0, 0.095) rotation x(-1.5707963267948966)
body B5: mass 1.2 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K5 at (0.05, -0.02, 0.04)
frame J6: in K5 rotation z(q[6])
frame K6: in J6 at (0, 0, 0.082) rotation x(0)
body B6: mass 0.2 inertia (0.01,0.012,0.008,0.001,0,-0.001) in K6 at (0.05, -0.02, 0.05)
gravity: (0,0,-g)
",
        coordinates: "q[1] q[2] q[3] q[4] q[5] q[6]",
        state: &[
            0.0, -1.4625430235503951, 1.3897349477489307, 1.0550984759064561, -0.9797238970423132,
            -0.018259651632236196, -0.2020357408450475, 0.6063718908910518, 1.1548934045420527, -1.6245616529030604,
            -1.8866100939119748, 1.3430604156794788, -0.2689317283797865,
        ],
        acceleration: &[
            1.1174572167063388, 7.668904641559665, -31.624218104871893, 6.789450498900318, 4.180819918971786,
            13.244076905325244,
        ],
        multipliers: &[],
        kinetic: 1.887575208443109,
    });
}

/// A gyroscope in gimbals, off the point where their axes meet.
#[test]
fn gimbals() {
    agrees(&Case {
        text: "param g = 9.81
coord phi, theta, psi
frame outer: rotation z(phi)
frame inner: in outer rotation x(theta)
frame rotor: in inner at (0,0,0.1) rotation z(psi)
body ring1: mass 1 inertia (0.1,0.2,0.15) in outer
body ring2: mass 0.5 inertia (0.05,0.06,0.04) in inner
body wheel: mass 2 inertia (0.02,0.02,0.04) in rotor
gravity: (0,0,-g)
",
        coordinates: "phi theta psi",
        state: &[0.0, 0.2, 0.9, 0.4, 0.5, -0.3, 60.0],
        acceleration: &[-2.4608146449411685, 6.659219157925977, 1.4121678769177437],
        multipliers: &[],
        kinetic: 72.78026596454316,
    });
}

/// An arm and a cart on a base whose place and attitude are functions of the time.
#[test]
fn moving_base() {
    agrees(&Case {
        text: "param g = 9.81
coord a, s
frame base: at (sin(2*t), t^2, 0.3*t^3) rotation z(3*t) then x(sin(t))
frame arm: in base at (s, 0.2, 0) rotation y(a)
body link: mass 1.5 inertia (0.2,0.3,0.4,0.05,0.01,-0.02) in arm at (0.3,0.1,-0.2)
particle cart: mass 0.7 in base at (s, 0.2, 0)
gravity: (0,0,-g)
spring: stiffness 20 length 0.1 from position(base,(0,0.2,0)) to position(base,(s,0.2,0))
",
        coordinates: "a s",
        state: &[0.6, 0.4, 0.3, 1.5, -0.7],
        acceleration: &[4.138485851782115, 1.2581837389309363],
        multipliers: &[],
        kinetic: 4.761671574523087,
    });
}

/// A slide on a turn about an oblique axis, and a turn on the slide.
#[test]
fn oblique() {
    agrees(&Case {
        text: "param g = 9.81
coord a, s, b
frame A: at (0.1,0.2,0.3) rotation axis((1,2,-2), a)
frame B: in A at s*(0.6,0,0.8) rotation axis((0,1,1), 0.5)
frame C: in B at (0,0.3,0) rotation axis((1,0,1), b)
body A1: mass 1 inertia (0.1,0.1,0.1) in A at (0.1,0,0)
body B1: mass 2 inertia (0.3,0.4,0.5,0.02,0.03,0.04) in B at (0,0.05,0)
body C1: mass 1 inertia (0.1,0.2,0.3) in C at (0.1,0.1,0.1) rotation x(0.4)
gravity: (0,-g,0)
",
        coordinates: "a s b",
        state: &[0.0, 0.4, 0.3, -1.1, 1.5, -0.7, 0.9],
        acceleration: &[8.452070101483184, 2.4211847034723544, -3.386578155160372],
        multipliers: &[],
        kinetic: 1.6211397696011627,
    });
}

/// A free body in one of the rarer sequences of angles, with a force at a point and a torque.
#[test]
fn euler_yzx() {
    agrees(&Case {
        text: "coord a, b, c, x, y, z
body b1: mass 2 inertia (0.3,0.4,0.5,0.02,0.03,-0.04) at (x,y,z) rotation yzx(a,b,c)
gravity: (0,0,-9.81)
force push: (1, 2*t, -x') at position(b1,(0.1,0.2,0.3))
force tw: torque (0.1, y', 0.3) on b1
",
        coordinates: "a b c x y z",
        state: &[0.7, 0.4, 0.8, 0.3, 1.0, 2.0, 3.0, 1.0, 2.0, -0.5, 0.3, 0.2, 0.1],
        acceleration: &[5.85913835106255, 0.4002713633085014, -6.439252645136131, 0.5, 0.7, -9.96],
        multipliers: &[],
        kinetic: 1.1203685639285987,
    });
}

/// A motor between two links: a torque on one frame and its opposite on the other; a force at the tip.
#[test]
fn torque_on_frames() {
    agrees(&Case {
        text: "param g = 9.81
coord a, b, c
frame A: rotation z(a) then y(b)
frame B: in A at (0.5,0,0) rotation y(c)
body la: mass 1 inertia (0.01,0.1,0.1) in A at (0.25,0,0)
body lb: mass 1 inertia (0.01,0.1,0.1) in B at (0.25,0,0)
gravity: (0,0,-g)
let M = direction(A, (0, 2*sin(t) - c', 0))
force act: torque M on B
force react: torque -M on A
force tip: (3, 0, 1) at position(B, (0.5, 0, 0))
",
        coordinates: "a b c",
        state: &[0.8, 0.4, 0.3, -1.1, 1.5, -0.7, 0.9],
        acceleration: &[-2.1581347077459005, 10.534363845098802, 6.12811510092513],
        multipliers: &[],
        kinetic: 0.8026154402570947,
    });
}

/// A plane four-bar linkage.
#[test]
fn four_bar() {
    agrees(&Case {
        text: "param g = 9.81
coord a, b, c
frame A: angle a
frame B: in A at (1, 0) angle b
frame C: at (3, 0) angle c
body crank: mass 1 inertia 1/12 in A at (0.5, 0)
body coupler: mass 3 inertia 9/12*3 in B at (1.5, 0)
body rocker: mass 2 inertia 4/12*2 in C at (1, 0)
constraint loop: position(B, (3, 0)) = position(C, (2, 0))
gravity: (0, -g)
",
        coordinates: "a b c",
        state: &[0.0, 1.0, -0.6126996463894206, 1.4110687605588996, 2.0, -2.311908318991873, 0.673335073579341],
        acceleration: &[-7.134480602695502, 9.38357880254437, -0.5914484644013597],
        multipliers: &[2.357465840486281, 9.781760738190279],
        kinetic: 5.412418560242329,
    });
}

/// A leg of a Stewart platform with a driven piston, and the platform.
#[test]
fn stewart_leg() {
    agrees(&Case {
        text: "param g = 9.81
coord al, be, s, x, y, z, yaw, pitch, roll
frame cyl: at (0.5, 0, 0) rotation x(al) then y(be)
frame rod: in cyl at (0, 0, s)
frame plat: at (x, y, z) rotation zyx(yaw, pitch, roll)
body cb: mass 1 inertia (0.1, 0.1, 0.01) in cyl at (0,0,0.3)
body rb: mass 0.6 inertia (0.05,0.05,0.004) in rod at (0,0,-0.2)
body pb: mass 5 inertia (0.4, 0.5, 0.8) in plat
constraint ball: position(rod, (0,0,0)) = position(plat, (0.3, 0.1, -0.05))
force piston: s = 30
gravity: (0,0,-g)
",
        coordinates: "al be s x y z yaw pitch roll",
        state: &[
            0.0, 0.1, -0.2, 1.2, -0.00971122643017158, -0.2396169425760684, 1.2883480477415137, 0.1, 0.2, -0.1, 0.3,
            0.5, -0.4, 0.7418222189974624, -0.4151052476601269, -0.23044669568873763, 0.2, 0.5, 0.7,
        ],
        acceleration: &[
            0.16322192819439663, 0.19751854987762163, -0.7199143947799431, -1.2597509937646174, -0.6207775035376668,
            -5.023369447403901, 1.1899057899864185, -11.943142264593915, 5.1125877964320905,
        ],
        multipliers: &[6.298754968823086, 3.1038875176883343, -23.933152762980498],
        kinetic: 2.296924256246024,
    });
}

/// A free-flying base, its attitude a quaternion, with an arm.
#[test]
fn free_flyer_arm() {
    agrees(&Case {
        text: "coord x, y, z, qw, qx, qy, qz, a, b
frame base: at (x,y,z) rotation quaternion(qw,qx,qy,qz)
frame up: in base at (0.5,0,0.2) rotation z(a)
frame fore: in up at (0.6,0,0) rotation y(b)
body hull: mass 20 inertia (1,1.5,2,0.1,-0.1,0.05) in base at (0.01,0.02,-0.03)
body u: mass 2 inertia (0.01,0.1,0.1) in up at (0.3,0,0)
body f: mass 1 inertia (0.01,0.05,0.05) in fore at (0.2,0,0)
force j: a = 1, b = -2
",
        coordinates: "x y z qw qx qy qz a b",
        state: &[
            0.0, 1.0, 2.0, 3.0, 0.8040302522073697, 0.10050378152592121, 0.30151134457776363, -0.502518907629606, 0.4,
            -0.6, 0.1, 0.2, 0.3, 0.1, 0.2, -0.3, 0.019999999999999993, 1.0, -2.0,
        ],
        acceleration: &[
            0.1794254951415555, -0.23531965834645555, -0.131198603419151, -0.45584475627204724, -0.026571515784293776,
            1.0246510973984562, 0.15951721758647822, 3.087646417645697, -25.360238583331213,
        ],
        multipliers: &[],
        kinetic: 4.476307296954049,
    });
}

/// Bodies and frames in bodies that are turned within their frames.
#[test]
fn body_in_body() {
    agrees(&Case {
        text: "param g = 9.81
coord a, b, c
frame A: rotation z(a)
body one: mass 1 inertia (0.1,0.2,0.25) in A at (0.3,0.1,0) rotation x(0.7)
body two: mass 2 inertia (0.1,0.2,0.25,0.01,0.02,0.03) in one at (0.2,0,0.1) rotation y(b)
frame C: in two at (0.1,0,0) rotation z(c)
body three: mass 0.5 inertia (0,0,0.02) in C at (0,0,0)
gravity: (0,g,0)
",
        coordinates: "a b c",
        state: &[0.0, 0.4, 0.3, -1.1, 1.5, -0.7, 0.9],
        acceleration: &[12.118006531290904, -9.45005299242405, -9.091732643525058],
        multipliers: &[],
        kinetic: 1.3213249063410295,
    });
}

/// A disk that rolls without sliding.
#[test]
fn rolling_disk() {
    agrees(&Case {
        text: "param g = 9.81, r = 0.3
coord x, y, yaw, lean, spin
frame head: at (x, y, r*cos(lean)) rotation z(yaw) then x(lean)
body wheel: mass 2 inertia (0.02,0.04,0.02) in head rotation y(spin)
let v = velocity(wheel, (0,0,0)) + cross(omega(wheel), direction(head, (0,0,-r)))
constraint rollx: v.x = 0
constraint rolly: v.y = 0
gravity: (0,0,-g)
",
        coordinates: "x y yaw lean spin",
        state: &[0.0, 0.1, 0.2, 0.5, 0.3, 1.0, 0.8168056528614663, 0.5115389695513128, 0.7, -0.2, 3.0],
        acceleration: &[
            1.1862900525695608, -2.186706121991974, 1.2561019218457028, 11.042324377905157, -0.1280269386632118,
        ],
        multipliers: &[2.3725801051391215, -4.373412243983948],
        kinetic: 1.1397096129122517,
    });
}

/// A plane slide with a rod on a turning and accelerated table.
#[test]
fn planar_moving() {
    agrees(&Case {
        text: "coord s, phi
frame table: at (t^2, sin(t)) angle 2*t
frame slide: in table at (s, 0) angle phi
body rod: mass 1 inertia 0.2 in slide at (0.4, 0.1)
particle p: mass 0.3 in table at (s, 0)
force wind: (1, -2) at position(slide, (1, 0))
force tq: torque 0.5 on slide
",
        coordinates: "s phi",
        state: &[0.9, 0.5, 0.3, 1.0, 2.0],
        acceleration: &[6.094888659016596, 1.284319133707645],
        multipliers: &[],
        kinetic: 2.126131942349395,
    });
}

/// A spatial four-bar linkage with two spherical joints.
#[test]
fn rssr() {
    agrees(&Case {
        text: "param g = 9.81
coord a, c, x, y, z, yaw, pitch
frame A: rotation x(a)
frame C: at (1.2,0.3,0) rotation axis((0,1,1), c)
frame K: at (x,y,z) rotation z(yaw) then y(pitch)
body A1: mass 1 inertia (0.02,0.1,0.1) in A at (0,0,0.2)
body C1: mass 1 inertia (0.02,0.1,0.1) in C at (0.3,0,0)
body K1: mass 0.8 inertia (0.001,0.05,0.05) in K
constraint S1: position(K,(-0.6,0,0)) = position(A,(0,0,0.4))
constraint S2: position(K,(0.6,0,0)) = position(C,(0.5,0,0))
gravity: (0,0,-g)
",
        coordinates: "a c x y z yaw pitch",
        state: &[
            0.0, 0.3, 2.456316421311049, 0.4064389367898126, 0.20277561456848517, 0.07918764192436813,
            0.6684574159237812, 0.5292795370669151, 2.0, 0.5801334595887176, -0.09178971770909382,
            -0.46153649945702546, -0.03880617885775278, 0.5685764268031761, -0.381558176546065,
        ],
        acceleration: &[
            3.0346457920059153, -0.22401629863736594, 0.10058815648990926, -0.35039830567231, -0.9366361219535587,
            0.13558836304439834, -1.750361600287527,
        ],
        multipliers: &[
            -3.4628570795793383, -2.9243692411047206, 6.08901475523473, 3.5433276047712656, 2.6440505965668724,
            1.0096763472024242,
        ],
        kinetic: 0.2508540613329173,
    });
}

/// A ball joint, its quaternion relative to an arm that turns.
#[test]
fn ball_joint_on_arm() {
    agrees(&Case {
        text: "param g = 9.81
coord a, qw, qx, qy, qz
frame A: rotation z(a)
frame B: in A at (0.5,0,0) rotation quaternion(qw,qx,qy,qz)
body one: mass 1 inertia (0.1,0.1,0.1) in A at (0.25,0,0)
body two: mass 2 inertia (0.2,0.3,0.4,0.01,0.02,0.03) in B at (0.1,0,-0.3)
gravity: (0,0,-g)
",
        coordinates: "a qw qx qy qz",
        state: &[
            0.0, 0.3, 0.8040302522073697, 0.10050378152592121, 0.30151134457776363, -0.502518907629606, 1.2, 0.1, 0.2,
            -0.3, 0.019999999999999993,
        ],
        acceleration: &[
            1.2263845355140088, 0.4057115494402076, -0.31411733457462565, -3.1097210252263316, -1.000125130606853,
        ],
        multipliers: &[],
        kinetic: 0.7413305870010728,
    });
}

/// A rotor in a body whose attitude is a quaternion.
#[test]
fn quaternion_then() {
    agrees(&Case {
        text: "param g = 9.81
coord qw, qx, qy, qz, a
body one: mass 1 inertia (0.5,0.6,0.7) at (0,0,0) rotation quaternion(qw,qx,qy,qz)
frame B: in one rotation z(a)
body two: mass 2 inertia (0.2,0.3,0.4,0.01,0.02,0.03) in B at (0.1,0,-0.3)
gravity: (0,0,-g)
",
        coordinates: "qw qx qy qz a",
        state: &[
            0.0, 0.8040302522073697, 0.10050378152592121, 0.30151134457776363, -0.502518907629606, 0.4, 0.1, 0.2,
            -0.3, 0.019999999999999993, 1.2,
        ],
        acceleration: &[
            0.11120038308010595, -0.2289140273531327, -0.7946502987443175, -0.06525989944950865, -0.30442701571082903,
        ],
        multipliers: &[],
        kinetic: 0.7657953734755087,
    });
}

/// A servo keeps a joint on a given motion.
#[test]
fn servo() {
    agrees(&Case {
        text: "param g = 9.81
coord a, b, c
frame A: rotation z(a) then y(b)
frame B: in A at (0.5,0,0) rotation y(c)
body la: mass 1 inertia (0.01,0.1,0.1) in A at (0.25,0,0)
body lb: mass 1 inertia (0.01,0.1,0.1) in B at (0.25,0,0)
gravity: (0,0,-g)
constraint servo: b = 0.3 + 0.5*sin(t)
",
        coordinates: "a b c",
        state: &[0.0, 0.4, 0.3, -1.1, 1.5, 0.5, 0.9],
        acceleration: &[-0.750033995910519, 0.0, 12.92774173736927],
        multipliers: &[-5.7639617380422],
        kinetic: 0.9567430330067804,
    });
}

/// A turn about an axis that moves within its frame and with time.
#[test]
fn moving_axis() {
    agrees(&Case {
        text: "coord a, b, c
frame A: rotation z(a)
frame B: in A at (1,0,0) rotation axis((cos(b), sin(b), t), c)
body one: mass 1 inertia (1,2,2.5) in A
body two: mass 1 inertia (0.3,0.4,0.5,0.05,0,0.1) in B at (0.2,0,0)
gravity: (0,-9.81,0)
",
        coordinates: "a b c",
        state: &[0.4, 0.3, 0.5, -0.9, 1.0, -2.0, 0.7],
        acceleration: &[-2.8565529268816685, -3.1081538897921694, -1.8439588137587684],
        multipliers: &[],
        kinetic: 2.458499289548497,
    });
}

/// A gear ties the turns of two bodies about axes of their own.
#[test]
fn gear_between_turns() {
    agrees(&Case {
        text: "coord a, b, c
frame A: rotation x(a) then y(b)
body one: mass 1 inertia (0.4,0.5,0.6,0.02,0.03,0.04) in A at (0.1,0,0)
frame B: in A at (0.3,0.1,0) rotation z(c)
body two: mass 2 inertia (0.2,0.2,0.4) in B
constraint gear: dot(omega(B), direction(B,(0,0,1))) = 2*dot(omega(A), direction(A,(1,0,0)))
gravity: (1,2,-9.81)
",
        coordinates: "a b c",
        state: &[0.0, 0.3, 0.4, 0.5, 1.0, -0.5, 1.4527036456971196],
        acceleration: &[-0.9709718236844288, 7.750553835475413, -0.5605854688254575],
        multipliers: &[-0.559692081533799],
        kinetic: 1.1357323094422533,
    });
}

/// A free body with a force and a torque in its own axes, and friction at a point.
#[test]
fn thruster() {
    agrees(&Case {
        text: "coord a, b, c, x, y, z
body s: mass 2 inertia (0.3,0.4,0.5,0.02,0.03,-0.04) at (x,y,z) rotation zxz(a,b,c)
force jet: direction(s,(0,0,5)) at position(s,(0.1,-0.2,-0.3))
force rcs: torque direction(s,(0.1,t,-0.2)) on s
force drag: -0.7*velocity(s,(0,0,1)) at position(s,(0,0,1))
force gyro: torque -0.3*omega(s) on s
",
        coordinates: "a b c x y z",
        state: &[0.7, 0.4, 0.8, 0.3, 1.0, 2.0, 3.0, 1.0, 2.0, -0.5, 0.3, 0.2, 0.1],
        acceleration: &[
            -6.651295791816396, -9.47281043184348, 6.021710932103778, 0.17220673917898444, -1.3703982902940877,
            2.2089160369975795,
        ],
        multipliers: &[],
        kinetic: 0.8430945675315794,
    });
}

/// Two shafts joined by a universal joint.
#[test]
fn universal_joint() {
    agrees(&Case {
        text: "coord a, b
frame S: rotation x(a)
frame T: rotation z(pi/6) then x(b)
body s: mass 1 inertia (0.1,0.2,0.25) in S at (-1,0,0)
body e: mass 1 inertia (0.3,0.2,0.25,0.01,0,0) in T at (1,0,0.1)
constraint hooke: dot(direction(S,(0,1,0)), direction(T,(0,0,1))) = 0
gravity: (0,0,-9.81)
",
        coordinates: "a b",
        state: &[0.0, 0.4, 0.4541627678042381, 3.0, 3.2974206866826368],
        acceleration: &[2.6137074803927005, 0.6212225173401625],
        multipliers: &[0.2678953116487158],
        kinetic: 2.1353123936692016,
    });
}

/// A loop in a plane that is written in space: the equation across the plane holds by itself, and the hint says what to write.
#[test]
fn a_component_that_holds_by_itself() {
    let loop_of = |closure: &str| {
        format!(
            "coord a, b, c\nframe A: rotation y(a)\nframe B: in A at (1, 0, 0) rotation y(b)\n\
             frame C: at (2, 0, 0) rotation y(c)\nbody p: mass 1 inertia (0.1, 0.1, 0.1) in B at (1, 0, 0)\n\
             body q: mass 1 inertia (0.1, 0.1, 0.1) in C at (0.5, 0, 0)\n{closure}initial a = -1, b = 1, c = -1\n"
        )
    };
    let whole = loop_of("constraint pin: position(B, (2, 0, 0)) = position(C, (1, 0, 0))\n");
    let error = Model::parse(&whole).unwrap_err();
    let wrong = &error.diagnostics()[0];
    assert!(wrong.message.contains("`pin.y`"), "{}", wrong.message);
    assert!(wrong.hint.contains("one by one"), "{}", wrong.hint);
    let parts = ["x", "z"].map(|k| {
        format!("constraint pin_{k}: position(B, (2, 0, 0)).{k} = position(C, (1, 0, 0)).{k}\n")
    });
    Model::parse(&loop_of(&parts.concat())).unwrap();
}
