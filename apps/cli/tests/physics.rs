//! Bodies, springs, dampers, units and families against numbers found with matrices and
//! differentiation elsewhere, to all digits of a double.

mod common;

use common::{Json, galilei, model};

fn eval(text: &str, at: &str) -> Json {
    let answer = galilei(&["eval", "-", "--json", "--at", at], text);
    assert_eq!(answer.code, 0, "{text}{}", answer.out);
    answer.json()
}

fn close(what: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let scale = wanted.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in found.iter().zip(wanted) {
        assert!(
            (a - b).abs() <= 1e-13 * scale,
            "{what}: {found:?} instead of {wanted:?}"
        );
    }
}

const AT: &str = "t=0.3, x=0.3, y=-0.4, z=0.7, q1=0.5, q2=-0.8, q3=0.2, \
    x'=-0.6, y'=0.2, z'=0.9, q1'=0.4, q2'=-0.3, q3'=0.8";
const PLACE: &str = "(x + 0.1*cos(q2)*t, 2*y, z + q1*x)";
const ARM: &str = "(0.3, -0.7, 0.5)";

/// A rotation, T, forces, accelerations, and a point's position, velocity, and ω.
struct Expected {
    rotation: &'static str,
    kinetic: f64,
    force: [f64; 6],
    acceleration: [f64; 6],
    position: [f64; 3],
    velocity: [f64; 3],
    omega: [f64; 3],
}

const BODIES: [Expected; 3] = [
    Expected {
        rotation: "zxz",
        kinetic: 1.8301513744175983,
        force: [
            1.1,
            0.4,
            2.0,
            1.1695329338524907,
            -0.19535502620523226,
            -0.17560203321774603,
        ],
        acceleration: [
            0.4239069457151598,
            -0.023076923076923078,
            -8.19117597527014,
            0.6256134695803247,
            -0.09578670198456468,
            -0.5125721217101215,
        ],
        position: [0.7382575005881612, -0.6606167399094154, 1.647738068688378],
        velocity: [-0.38319713494444796, 1.2290724870107004, 0.4947883435171811],
        omega: [-0.5384098327675193, 0.3598036952501521, 0.9573653674777324],
    },
    Expected {
        rotation: "zyx",
        kinetic: 2.059693128477381,
        force: [
            1.1,
            0.4,
            2.0,
            1.2387756728482793,
            0.09383554392492842,
            -0.6353255776237674,
        ],
        acceleration: [
            0.42972196418414615,
            -0.023076923076923078,
            -8.408007314311073,
            1.3386929022684602,
            -0.36599274250644276,
            -1.4107421992122413,
        ],
        position: [0.6599122660787863, -1.5097345988860504, 1.30972632846981],
        velocity: [0.15622577178610267, 0.4391685485195488, 0.2694292718250253],
        omega: [0.6329617886813382, 0.003940422935229541, 0.9738848727196182],
    },
    Expected {
        rotation: "xyz",
        kinetic: 1.1073869830153173,
        force: [
            1.1,
            0.4,
            2.0,
            -1.097033582907172,
            0.3671480887001815,
            1.5350890792664234,
        ],
        acceleration: [
            0.4162255938462923,
            -0.023076923076923078,
            -7.912786376776987,
            -0.2895496056154007,
            0.2611421169713281,
            0.8359377138483344,
        ],
        position: [0.2639588229418277, -1.6657147013492597, 1.1280209010432616],
        velocity: [-0.3853359469057018, 0.42868105758896835, 0.8403273306445215],
        omega: [
            -0.17388487271961822,
            -0.5304899600694531,
            0.3453064655188165,
        ],
    },
];

#[test]
fn spatial_bodies() {
    for e in &BODIES {
        let text = format!(
            "coord x, y, z, q1, q2, q3\n\
             body b: mass 1.3 inertia (2.1, 3.4, 1.7) at {PLACE} rotation {}(q1, q2, q3)\n\
             gravity: (0.3, -0.2, -9.81)\n\
             force twist: torque (0.3*x, -0.2*y', 0.5) on b\n\
             force pull: (0.1, y', 2) at position(b, {ARM})\n",
            e.rotation
        );
        let json = eval(&text, AT);
        let what = e.rotation;
        close(what, &[json.get("kinetic_energy").number()], &[e.kinetic]);
        close(what, &json.get("force").numbers(), &e.force);
        close(what, &json.get("acceleration").numbers(), &e.acceleration);
    }
}

/// Expressions of a body, read off a Lagrangian that contains nothing else but ½‖u‖².
#[test]
fn points_of_bodies() {
    for e in &BODIES {
        for (call, wanted) in [
            (format!("position(b, {ARM})"), &e.position),
            (format!("velocity(b, {ARM})"), &e.velocity),
            ("omega(b)".to_owned(), &e.omega),
        ] {
            for (component, wanted) in ["x", "y", "z"].iter().zip(wanted) {
                let text = format!(
                    "coord x, y, z, q1, q2, q3\n\
                     body b: mass 0 inertia (0, 0, 0) at {PLACE} rotation {}(q1, q2, q3)\n\
                     kinetic: (x'^2 + y'^2 + z'^2 + q1'^2 + q2'^2 + q3'^2)/2\n\
                     lagrangian: {call}.{component}\n",
                    e.rotation
                );
                let json = eval(&text, AT);
                let free = (0.36 + 0.04 + 0.81 + 0.16 + 0.09 + 0.64) / 2.0;
                let found = json.get("lagrangian").number() - free;
                assert!(
                    (found - wanted).abs() < 1e-14,
                    "{call}.{component}: {found}"
                );
            }
        }
    }
}

/// The unit quaternion of Euler's angles turns a body like Euler's angles, and restricts nothing.
#[test]
fn quaternions_and_angles() {
    let half = "let c = cos(q2/2), s = sin(q2/2), p = (q1 + q3)/2, m = (q1 - q3)/2\n";
    let text = |rotation: &str| {
        format!(
            "coord x, y, z, q1, q2, q3\n{half}\
             body b: mass 1.3 inertia (2.1, 3.4, 1.7) at {PLACE} rotation {rotation}\n\
             force twist: torque (0.3*x, -0.2*y', 0.5) on b\n\
             force pull: (0.1, y', 2) at position(b, {ARM})\n\
             force push: velocity(b, {ARM}) + omega(b) at (x, y, z)\n"
        )
    };
    let euler = eval(&text("zxz(q1, q2, q3)"), AT);
    let unit = eval(
        &text("quaternion(c*cos(p), s*cos(m), s*sin(m), c*sin(p))"),
        AT,
    );
    for key in ["momentum", "force", "acceleration"] {
        close(key, &unit.get(key).numbers(), &euler.get(key).numbers());
    }
}

/// A body in the plane on a spring and a damper, its anchor shaken with 60 rpm.
#[test]
fn plane_spring_damper_units() {
    let text = "param m = 1500 [g], J = 0.2 [kg*m^2], k = 12 [N/m], l = 25 [cm], c = 0.3 [N*s/m]\n\
        param g = 9.81 [m/s^2], w = 60 [rpm], a = 20 [cm]\n\
        coord x [cm], y [m], th [deg]\n\
        let anchor = (a*sin(w*t), 5*a)\n\
        body b: mass m inertia J at (x, y) angle th\n\
        let hook = position(b, (1.5*a, -a/2))\n\
        spring: stiffness k length l from anchor to hook\n\
        damper: coefficient c from hook to anchor\n\
        gravity: (0, -g)\n";
    // Bare numbers take the unit of their coordinate: −0.8 rad/s are −144/π deg/s.
    let at = "t=0.15, x=50, y=-0.2, th=30, x'=70, y'=0.3, th'=-144/pi";
    let json = eval(text, at);
    close(
        "V",
        &[json.get("potential_energy").number()],
        &[3.777604476867386],
    );
    close(
        "F",
        &json.get("force").numbers(),
        &[
            0.005842682745788315,
            -0.01024809379840783,
            -0.0035453488043141516,
        ],
    );
    close(
        "a",
        &json.get("acceleration").numbers(),
        &[-4.1895701498371, -2.461473691346699, 19.066781692051897],
    );
}

/// A family of four pendulums on a cart; the constant is set from outside.
#[test]
fn families() {
    let at = "t=0.25, s=0.1, theta[1]=0.2, theta[2]=0.4, theta[3]=0.6, theta[4]=0.8, \
        s'=0.3, theta[1]'=-0.25, theta[2]'=0.5, theta[3]'=-0.75, theta[4]'=1";
    let file = model("cart-with-pendulums");
    let answer = galilei(&["eval", &file, "--json", "--set", "n=4", "--at", at], "");
    assert_eq!(answer.code, 0, "{}", answer.out);
    close(
        "a",
        &answer.json().get("acceleration").numbers(),
        &[
            1.7339127186795051,
            -3.598582637331631,
            -7.295314839694299,
            -8.545990592265072,
            -9.663594387282721,
        ],
    );
}

/// A force at the contact of a wheel acts on the material point there, which turns the wheel.
#[test]
fn sliding_points() {
    let wheel = "coord x, phi\nbody w: mass 1 inertia 0.5 at (x, 1) angle phi\n";
    let force = |text: &str| {
        eval(&format!("{wheel}{text}"), "phi=0.7")
            .get("force")
            .numbers()
    };
    let contact = "position(w, (-sin(phi), -cos(phi)))";
    let pushed = force(&format!("force: (2, 0) at {contact}\n"));
    close("contact", &pushed, &[2.0, 2.0]);
    // The same with the arm in a name, and with a point that is fixed in the body.
    let named = force("let arm = (-sin(phi), -cos(phi))\nforce: (2, 0) at position(w, arm)\n");
    close("named arm", &named, &[2.0, 2.0]);
    let fixed = force("let rim = position(w, (0, -1))\nforce: (2, 0) at rim\n");
    close("rim", &fixed, &[2.0, 2.0 * 0.7_f64.cos()]);
    let hidden = format!("{wheel}let contact = {contact}\nforce: (2, 0) at contact\n");
    let answer = galilei(&["eval", "-", "--json"], &hidden);
    let json = answer.json();
    let code = json.get("errors").list()[0].get("code").text();
    assert_eq!((answer.code, code), (1, "sliding_point"));
}

fn conserved(text: &str) -> Vec<String> {
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(answer.code, 0, "{text}{}", answer.out);
    answer
        .json()
        .get("findings")
        .list()
        .iter()
        .filter(|f| f.get("status").text() == "proved")
        .filter_map(|f| f.get("name").text().strip_prefix("conserved: "))
        .map(str::to_owned)
        .collect()
}

/// A reaction changes the momentum along it, and does work if the constraint moves.
#[test]
fn conserved_under_constraints() {
    let free = "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\n";
    let with = |constraint: &str| conserved(&format!("{free}constraint: {constraint}\n"));
    assert_eq!(conserved(free), ["p(x)", "p(y)", "p(z)", "E"]);
    assert_eq!(with("z' = x*y'"), ["p(x)", "E"]);
    // Uniform motion in the plane needs no reaction.
    assert_eq!(with("z = x"), ["p(x)", "p(y)", "p(z)", "E"]);
    let weight = format!("{free}potential: z\nconstraint: z = x\n");
    assert_eq!(conserved(&weight), ["p(y)", "E"]);
    assert_eq!(with("z' = x*y' + t"), ["p(x)"]);
    assert_eq!(with("z = t*x"), ["p(y)"]);
    assert_eq!(
        with("z'^2 = x'^2 + y'^2\npotential: x*y\ninitial x' = 3, y' = 4, z' = 5"),
        ["E"]
    );
}

/// `check` says which results hold only away from kinks.
#[test]
fn kinks_are_named() {
    let answer = galilei(&["check", &model("dry-friction"), "--json"], "");
    let json = answer.json();
    let closed = json
        .get("findings")
        .list()
        .iter()
        .find(|f| f.get("name").text().starts_with("closed"));
    let detail = closed.expect("a finding").get("detail").text().to_owned();
    assert!(
        detail.contains("away from the kinks of friction"),
        "{detail}"
    );
}

#[test]
fn claims_may_begin_with_a_minus() {
    let verdict = |arguments: &[&str]| {
        let mut all = vec!["decide", "--json"];
        all.extend(arguments);
        let answer = galilei(&all, "");
        assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.err);
        answer.json().get("verdict").text().to_owned()
    };
    assert_eq!(verdict(&["-x + y = y - x"]), "proved");
    assert_eq!(verdict(&["abs(x) = -x", "--assume", "-x > 0"]), "proved");
    // A comma inside parentheses does not end an assumption.
    assert_eq!(
        verdict(&["abs(x) = x", "--assume", "max(x, y) > 0, x > 0"]),
        "proved"
    );
}
