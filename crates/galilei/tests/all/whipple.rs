//! The benchmark bicycle: the eigenvalues of its upright motion, against J. P. Meijaard, J. M.
//! Papadopoulos, A. Ruina and A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955–1982; and its motion far from
//! upright, against a formulation as a chain of bodies.
//!
//! Along the upright motion the linearised equations have constant coefficients: Φ(T) = exp(A·T), and each
//! eigenvalue λ of A gives one of Φ, e^{λT}.

use galilei::{Model, RunSettings, Sensitivities};

use crate::common::file;

/// Wheel base, trail, tilt of the steering axis.
const BASE: f64 = 1.02;
const TRAIL: f64 = 0.08;
const TILT: f64 = std::f64::consts::PI / 10.0;

/// How long nearby motions are followed: their series converge in one step, and the fastest mode is not
/// forgotten.
const TIME: f64 = 0.1;

/// Published with 15 digits; rounding of Φ, divided by the distances of e^{λT} and by T, is below this.
const TOLERANCE: f64 = 2e-12;

/// A complex number.
type Complex = [f64; 2];

const SLOW: [Complex; 4] = [
    [-3.134_231_250_665_78, 0.0],
    [3.526_961_709_900_69, 0.807_740_275_199_311],
    [3.526_961_709_900_69, -0.807_740_275_199_311],
    [-7.110_080_146_374_41, 0.0],
];
const FAST: [Complex; 4] = [
    [-0.775_341_882_195_845, 4.464_867_713_788_23],
    [-0.775_341_882_195_845, -4.464_867_713_788_23],
    [-0.322_866_429_004_087, 0.0],
    [-14.078_389_692_798_2, 0.0],
];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn over(a: Complex, b: Complex) -> Complex {
    let square = b[0] * b[0] + b[1] * b[1];
    times(a, [b[0] / square, -b[1] / square])
}

fn size(a: Complex) -> f64 {
    a[0].hypot(a[1])
}

fn model(text: &str, set: &[String]) -> Model {
    Model::reader()
        .set_all(set)
        .parse(text)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The sensitivities of the upright motion.
fn upright(speed: f64) -> Sensitivities {
    let model = model(
        &file("whipple-bicycle"),
        &[format!("v={speed:?}"), "push=0".to_owned()],
    );
    let analysis = model.sensitivities().to(TIME).every(TIME);
    analysis.tolerance(1e-15).run().expect("a run")
}

/// What δleanR, δsteer and their rates bring with them: the heading that rolls along, δyaw' =
/// −(v·δsteer + c·δsteer')·cos(tilt)/w, and the front wheel, turned about the steering axis.
fn directions(speed: f64) -> [Vec<(&'static str, f64)>; 4] {
    let (s, c) = TILT.sin_cos();
    let (heading, trailing) = (-speed * c / BASE, -TRAIL * c / BASE);
    [
        vec![("leanR", 1.0), ("leanF", 1.0)],
        vec![
            ("xF", -TRAIL * c),
            ("yawF", -c),
            ("leanF", s),
            ("yawR'", heading),
            ("yawF'", heading),
            ("xF'", speed * c),
        ],
        vec![("leanR'", 1.0), ("leanF'", 1.0)],
        vec![("yawR'", trailing), ("yawF'", trailing - c), ("leanF'", s)],
    ]
}

/// Φ on leanR, steer and their rates. What comes out is on the linearised constraints, as what goes in.
fn reduced(speed: f64) -> [[f64; 4]; 4] {
    let found = upright(speed);
    let names = &found.motion.coordinates;
    let place = |name: &str| {
        let plain = name.trim_end_matches('\'');
        let at = names.iter().position(|n| n == plain).expect("a coordinate");
        if plain == name { at } else { names.len() + at }
    };
    let (s, c) = TILT.sin_cos();
    let mut matrix = [[0.0; 4]; 4];
    for (k, direction) in directions(speed).iter().enumerate() {
        let after = |name: &str| -> f64 {
            let row = &found.transition[place(name)];
            direction.iter().map(|(n, d)| row[place(n)] * d).sum()
        };
        let steer = (after("yawR") - after("yawF")) / c;
        let rate = (after("yawR'") - after("yawF'")) / c;
        for (row, value) in [after("leanR"), steer, after("leanR'"), rate]
            .into_iter()
            .enumerate()
        {
            matrix[row][k] = value;
        }
        let joint = after("xR") - (BASE + TRAIL) * after("yawR") - after("xF");
        for defect in [
            after("leanF") - after("leanR") - s * steer,
            joint + TRAIL * after("yawF"),
            after("xR'") + speed * after("yawR"),
            after("xF'") + speed * after("yawF"),
        ] {
            assert!(defect.abs() < 1e-13, "direction {k}: {defect}");
        }
    }
    matrix
}

/// det(μ − m) by Leverrier and Faddeev, the highest power first.
fn characteristic(m: &[[f64; 4]; 4]) -> Vec<f64> {
    let mut list = vec![1.0];
    let mut adjoint = [[0.0; 4]; 4];
    for k in 1..=4 {
        let last = list[k - 1];
        for (i, row) in adjoint.iter_mut().enumerate() {
            row[i] += last;
        }
        let entry = |i: usize, j: usize| (0..4).map(|l| m[i][l] * adjoint[l][j]).sum::<f64>();
        let product: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        let trace: f64 = (0..4).map(|i| product[i][i]).sum();
        list.push(-trace / k as f64);
        adjoint = product;
    }
    list
}

/// Newton's step from λ to the eigenvalue beside it.
fn step(polynomial: &[f64], lambda: Complex) -> Complex {
    let (s, c) = (lambda[1] * TIME).sin_cos();
    let growth = (lambda[0] * TIME).exp();
    let mu = [growth * c, growth * s];
    let (mut value, mut slope) = ([0.0; 2], [0.0; 2]);
    for a in polynomial {
        slope = times(slope, mu);
        slope = [slope[0] + value[0], slope[1] + value[1]];
        value = times(value, mu);
        value[0] += a;
    }
    let [re, im] = over(value, times(slope, mu));
    [-re / TIME, -im / TIME]
}

#[test]
fn eigenvalues_are_those_published() {
    for (speed, own, others) in [(1.0, SLOW, FAST), (5.0, FAST, SLOW)] {
        let polynomial = characteristic(&reduced(speed));
        for lambda in own {
            let off = size(step(&polynomial, lambda));
            assert!(off < TOLERANCE, "{speed} m/s, {lambda:?}: {off}");
        }
        for lambda in others {
            let off = size(step(&polynomial, lambda));
            assert!(off > 0.5, "{speed} m/s, {lambda:?}: {off}");
        }
    }
}

/// From the weave speed on the bicycle does not weave, up to the capsize speed it does not fall.
#[test]
fn stability_begins_and_ends_at_the_published_speeds() {
    let polynomial = characteristic(&reduced(4.292_382_536_341_11));
    let mut weave = [0.0, 3.4];
    for _ in 0..8 {
        let change = step(&polynomial, weave);
        weave = [weave[0] + change[0], weave[1] + change[1]];
    }
    assert!(weave[0].abs() < TOLERANCE && weave[1] > 3.0, "{weave:?}");
    let polynomial = characteristic(&reduced(6.024_262_015_388_37));
    let capsize = size(step(&polynomial, [0.0, 0.0]));
    assert!(capsize < TOLERANCE, "{capsize}");
}

/// The same bicycle as a chain: the front wheel hangs on the fork, the fork on the frame by the angle
/// `steer`; the lowest point of the front wheel is on the ground and at rest. Tensors as published, in axes
/// (forward, right, down).
const CHAIN: &str = "
param w = 1.02, c = 0.08, tilt = pi/10, rR = 0.3, rF = 0.35, v = 5, push = 2
coord x, y, yaw, lean, pitch, steer, rear, front
let level = (-sin(yaw), cos(yaw), 0)
let right = (cos(yaw)*cos(lean), sin(yaw)*cos(lean), -sin(lean))
let up = (cos(yaw)*sin(lean), sin(yaw)*sin(lean), cos(lean))
let ahead(s) = cos(s)*level + sin(s)*up
let above(s) = cos(s)*up - sin(s)*level
let axis = above(pitch + tilt)
let reach = ahead(pitch + tilt)
let fork = cos(steer)*reach + sin(steer)*right
let axle = cos(steer)*right - sin(steer)*reach
let R = (x, y, 0) + rR*up
let B = R + 0.3*ahead(pitch) + (0.9 - rR)*above(pitch)
let head = R + ((w + c)*cos(tilt) - rR*sin(tilt))*reach
let H = head + ((0.9 - w - c)*cos(tilt) + 0.7*sin(tilt))*fork + ((0.7 - rR)*cos(tilt) - 0.9*sin(tilt))*axis
let F = head + (rF*sin(tilt) - c*cos(tilt))*fork + ((rF - rR)*cos(tilt) - w*sin(tilt))*axis
particle R: mass 2 at R
particle B: mass 85 at B
particle H: mass 4 at H
particle F: mass 3 at F
gravity: (0, 0, -9.81)
let turn = (0, 0, yaw') + lean'*level
let wR = turn + rear'*right
let wB = turn + pitch'*right
let wH = wB - steer'*axis
let wF = wH + front'*axle
let turning(o, a, b, d, xx, xz, yy, zz) =
    (xx*dot(o, a)^2 + 2*xz*dot(o, a)*dot(o, d) + yy*dot(o, b)^2 + zz*dot(o, d)^2)/2
let forward = cos(tilt)*fork - sin(tilt)*axis
let down = -sin(tilt)*fork - cos(tilt)*axis
kinetic R: turning(wR, level, right, up, 0.0603, 0, 0.12, 0.0603)
kinetic B: turning(wB, ahead(pitch), right, -above(pitch), 9.2, 2.4, 11, 2.8)
kinetic H: turning(wH, forward, axle, down, 0.05892, -0.00756, 0.06, 0.00708)
kinetic F: turning(wF, fork, axle, axis, 0.1405, 0, 0.28, 0.1405)
let lowest = rF/sqrt(1 - axle.z^2)*((0, 0, 1) - axle.z*axle)
let slipR = D(R) - cross(wR, rR*up)
let slipF = D(F) - cross(wF, lowest)
constraint ground: F.z = rF*sqrt(1 - axle.z^2)
constraint rear: (slipR.x, slipR.y) = (0, 0)
constraint front: (slipF.x, slipF.y) = (0, 0)
initial y' = v, rear' = -v/rR, front' = -v/rF, lean' = push
";

#[test]
fn a_chain_of_bodies_moves_alike() {
    let settings = RunSettings::new().to(1.5).every(1.5).tolerance(1e-15);
    let end = |model: &Model| {
        let motion = model
            .simulate()
            .settings(settings.clone())
            .run()
            .expect("a run");
        motion.run
    };
    let halves = end(&model(&file("whipple-bicycle"), &["push=2".to_owned()]));
    let chain = end(&model(CHAIN, &[]));
    // Rear contact, heading, lean, pitch, both wheels, steer. The front wheel turns with the fork.
    let at = &halves.state;
    let found = [
        at[0],
        at[1],
        at[2],
        at[3],
        at[4],
        halves.outputs[0],
        at[5],
        at[11] - at[10],
    ];
    for (a, b) in found.iter().zip(&chain.state) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
    // Far from upright.
    assert!(at[3] > 0.15 && halves.outputs[0] > 0.1, "{at:?}");
}
