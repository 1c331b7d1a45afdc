//! Contacts, friction and impacts. References are closed forms; each test names its source. (T-203, T-204)

use crate::common;

use common::{balanced, by, near};
use galilei::{Code, Model, Motion, RunError, Status};

fn warned(motion: &Motion, code: Code) -> bool {
    motion.warnings.iter().any(|w| w.code == code)
}

/// Flights of 2v/g, 2ev/g, … end at (1 + e)/(1 − e)·√(2h/g).
#[test]
fn impacts_of_a_bouncing_ball_accumulate_at_their_limit() {
    let (g, h, e) = (9.81_f64, 1.3_f64, 0.6_f64);
    let text = format!(
        "coord y\nkinetic: y'^2/2\npotential: {g}*y\ncontact floor: y >= 0 restitution {e}\ninitial y = {h}\nsimulate to 5\noutput N: multiplier(floor)"
    );
    let motion = balanced(&text);
    let fall = (2.0 * h / g).sqrt();
    let record = &motion.run.contacts;
    let mut time = fall;
    for (k, c) in record.collisions.iter().take(12).enumerate() {
        near(c.time, time, 1e-13);
        near(c.after[0], g * fall * e.powi(k as i32 + 1), 1e-12);
        near(
            c.impulse.as_ref().unwrap()[0],
            (1.0 + e) * g * fall * e.powi(k as i32),
            1e-12,
        );
        time += 2.0 * fall * e.powi(k as i32 + 1);
    }
    let (limit, closed) = &record.accumulations[0];
    near(*limit, fall * (1.0 + e) / (1.0 - e), 1e-12);
    assert_eq!(closed, &["floor"]);
    assert!(warned(&motion, Code::ImpactsAccumulate));
    assert_eq!(motion.run.state, [0.0, 0.0]);
    near(motion.run.outputs[0], g, 1e-12);
    // All of the energy is lost in impacts.
    near(record.losses()[0].1, g * h, 1e-9);
}

/// A block thrown up an incline stops at v²/(2g(sin α + μ cos α)); it stays if tan α < μ, and slides back otherwise.
#[test]
fn a_block_on_an_incline_stays_or_slides_back() {
    let (g, v) = (9.81_f64, 3.0_f64);
    let run = |mu: f64, a: f64| {
        let text = format!(
            "coord s, n\nkinetic: (s'^2 + n'^2)/2\npotential: {g}*(sin({a})*s + cos({a})*n)\ncontact plane: n >= 0 friction {mu} along s'\ninitial s' = {v}\nsimulate to 3\noutput N: multiplier(plane)"
        );
        balanced(&text).run
    };
    let (mu, a) = (0.3, 0.2_f64);
    let stays = run(mu, a);
    let height = v * v / (2.0 * g * (a.sin() + mu * a.cos()));
    near(stays.state[0], height, 1e-12);
    assert_eq!(stays.contacts.modes.last().unwrap().sticking, ["plane"]);
    near(stays.outputs[0], g * a.cos(), 1e-12);
    let a = 0.5_f64;
    let slides = run(mu, a);
    let turn = v / (g * (a.sin() + mu * a.cos()));
    let top = v * turn / 2.0;
    let rate = g * (a.sin() - mu * a.cos());
    near(
        slides.state[0],
        top - rate * (3.0 - turn).powi(2) / 2.0,
        1e-12,
    );
    near(slides.state[2], -rate * (3.0 - turn), 1e-12);
}

/// Den Hartog: amplitudes of an oscillator with Coulomb friction decrease by 2F/k each half period, until |x| ≤ F/k.
#[test]
fn a_coulomb_oscillator_stops_where_the_spring_is_weaker() {
    let motion = balanced(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\nfriction f: limit 0.3 along x'\ninitial x = 2\nsimulate to 30",
    );
    near(motion.run.state[0], -(2.0 - 3.0 * 0.6), 1e-12);
    let rest = motion.run.contacts.modes.last().unwrap();
    assert_eq!(rest.sticking, ["f"]);
    near(rest.time, 3.0 * std::f64::consts::PI, 1e-12);
}

/// Sticking ends at x = F₀/k. Slipping is a cosine about F/k, which comes back to the speed of the belt after
/// 2(π − arctan((F₀ − F)/(v√(km)))), by symmetry at x = 2F − F₀; so one cycle takes that and 2(F₀ − F)/v.
#[test]
fn a_stick_slip_oscillator_has_the_period_of_the_closed_form() {
    let (v, kinetic, fixed) = (0.2_f64, 0.5_f64, 1.0_f64);
    let motion = balanced(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\nfriction belt: limit 0.5 static 1 along x' - 0.2\ninitial x' = 0.2\nsimulate to 40",
    );
    let slip = 2.0 * (std::f64::consts::PI - ((fixed - kinetic) / v).atan());
    let stick = 2.0 * (fixed - kinetic) / v;
    let times: Vec<f64> = motion.run.contacts.modes.iter().map(|m| m.time).collect();
    near(times[1], fixed / v, 1e-12);
    near(times[2] - times[1], slip, 1e-11);
    near(times[3] - times[2], stick, 1e-11);
    near(times[5] - times[3], slip + stick, 1e-11);
}

/// Coriolis (1835): a ball that starts to slide rolls at 5/7 of its speed, after 2v/(7μg).
#[test]
fn a_bowling_ball_rolls_at_five_sevenths_of_its_speed() {
    let motion = balanced(
        "param g = 9.81, R = 0.1, mu = 0.2\ncoord x, y, phi\nkinetic: (x'^2 + y'^2)/2 + R^2/5*phi'^2\npotential: g*y\ncontact lane: y - R >= 0 friction mu along x' - R*phi'\ninitial y = R, x' = 7\nsimulate to 3",
    );
    near(motion.run.state[3], 5.0, 1e-12);
    near(motion.run.state[5], 50.0, 1e-12);
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, 2.0 * 7.0 / (7.0 * 0.2 * 9.81), 1e-12);
    assert_eq!(modes[1].sticking, ["lane"]);
}

/// In space the force is against the velocity of the contact point, whose direction stays. So the ball has the velocity
/// (5v + 2r ω × e₃)/7 when it rolls.
#[test]
fn friction_in_space_is_against_the_velocity() {
    let motion = balanced(
        "param r = 0.1\ncoord x, y, z, R on rotations\nbody ball: mass 1 inertia (2/5*r^2, 2/5*r^2, 2/5*r^2) at (x, y, z) rotation R\ngravity: (0, 0, -9.81)\ncontact lane: z - r >= 0 friction 0.2 along (x' - r*omega(ball).y, y' + r*omega(ball).x)\ninitial x' = 7, z = r, R = zxz(0, 0, 0), omega(R) = (35, 0, 0)\noutput vx: x'\noutput vy: y'\nsimulate to 4",
    );
    // At rest against the lane: v = 5/7 v₀ + 2/7 r (ω_y, −ω_x).
    near(motion.run.outputs[0], 5.0, 1e-9);
    near(motion.run.outputs[1], -2.0 / 7.0 * 0.1 * 35.0, 1e-9);
}

/// A ladder slides down between a smooth wall and a smooth floor, and leaves the wall at 2/3 of its height.
#[test]
fn a_ladder_leaves_the_wall_at_two_thirds_of_its_height() {
    let motion = balanced(
        "param g = 9.81, l = 2\ncoord x, y, theta\nkinetic: (x'^2 + y'^2)/2 + l^2/24*theta'^2\npotential: g*y\ncontact floor: y - l/2*sin(theta) >= 0\ncontact wall: x - l/2*cos(theta) >= 0\ninitial theta = 1.2, x = l/2*cos(1.2), y = l/2*sin(1.2)\nsimulate to 3.2 every 0.0001",
    );
    let modes = &motion.run.contacts.modes;
    assert_eq!(modes[0].closed, ["floor", "wall"]);
    assert_eq!(modes[1].closed, ["floor"]);
    let row = motion
        .run
        .rows
        .iter()
        .find(|r| r[0] >= modes[1].time)
        .unwrap();
    near(row[2], 2.0 / 3.0 * 1.2_f64.sin(), 1e-3);
}

/// Housner (1963): a slender block loses the part 1 − (3/2) sin²α of its angular velocity at each impact.
#[test]
fn a_rocking_block_loses_what_housner_computed() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/rocking-block.gal"
    );
    let motion = balanced(&std::fs::read_to_string(path).unwrap());
    let ratio = 1.0 - 1.5 * (0.01 / (0.01 + 0.16));
    let collisions = &motion.run.contacts.collisions;
    assert!(collisions.len() >= 6);
    for c in collisions {
        near(c.after[2] / c.before[2], ratio, 1e-10);
    }
}

/// Newton's cradle: T-203 with the warning that other laws give other velocities.
#[test]
fn newtons_cradle_is_disputed() {
    let motion = balanced(
        "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\ncontact a: y - x - 1 >= 0 restitution 1\ncontact b: z - y - 1 >= 0 restitution 1\ninitial y = 1.5, z = 2.5, x' = 1\nsimulate to 2",
    );
    assert!(warned(&motion, Code::ImpactLawUndetermined));
    // Momentum and energy are conserved.
    let u = &motion.run.state[3..];
    near(u.iter().sum(), 1.0, 1e-14);
    near(u.iter().map(|u| u * u).sum(), 1.0, 1e-14);
}

/// Génot and Brogliato (1999): a sliding rod has no or several accelerations where its coefficient of friction is large.
#[test]
fn painleves_rod_is_named() {
    let motion = by(
        "taylor",
        "param g = 9.81, l = 1, mu = 2\ncoord x, y, theta\nkinetic: (x'^2 + y'^2)/2 + l^2/6*theta'^2\npotential: g*y\ncontact tip: y - l*sin(theta) >= 0 friction mu along x' + l*sin(theta)*theta'\ninitial theta = 1.1, y = l*sin(1.1), x' = -5\nsimulate to 1",
        None,
    );
    assert_eq!(
        motion.run.status,
        Status::Failed(RunError::ContactNotUnique)
    );
    assert!(warned(&motion, Code::ContactNotUnique));
}

/// A kick at each passage of x = 0 adds to the amplitude; the period stays 2π.
#[test]
fn an_impact_statement_changes_velocities_at_its_event() {
    let motion = balanced(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\nevent up: x rising\nimpact kick: up x' = before(x') + 0.25\ninitial x = 1\nsimulate to 20",
    );
    let collisions = &motion.run.contacts.collisions;
    assert_eq!(collisions.len(), 3);
    for (k, c) in collisions.iter().enumerate() {
        near(c.time, std::f64::consts::PI * (1.5 + 2.0 * k as f64), 1e-12);
        near(c.after[0], 1.0 + 0.25 * (k as f64 + 1.0), 1e-12);
        assert_eq!(c.impulse, None);
    }
}

#[test]
fn a_penetrated_contact_is_named() {
    let motion = by(
        "taylor",
        "coord y\nkinetic: y'^2/2\ncontact floor: y >= 0\ninitial y = -1\nsimulate to 1",
        None,
    );
    assert_eq!(motion.run.status, Status::Failed(RunError::Penetration));
    assert!(warned(&motion, Code::ContactPenetrated));
}

/// Requests that do not know modes are refused, and formulas are said to be those of free motion.
#[test]
fn nothing_ignores_contacts_in_silence() {
    let text = "coord y\nkinetic: y'^2/2\npotential: 9.81*y\ncontact floor: y >= 0\ninitial y = 1\nsimulate to 1";
    let model = Model::parse(text).unwrap();
    let refused = |e: galilei::Error| assert_eq!(e.diagnostics()[0].code, Code::NotAvailable);
    refused(model.certify().to(1.0).run().unwrap_err());
    for method in ["gauss6", "dop853", "radau", "midpoint"] {
        let method: galilei::Method = method.parse().unwrap();
        refused(model.simulate().method(method).run().unwrap_err());
    }
    let warned = |d: &galilei::Diagnostic| d.code == Code::FreeMotion;
    assert!(model.diagnostics().iter().any(warned));
    let check = model.check();
    assert!(check.diagnostics.iter().any(warned) && !check.conservative);
    assert!(check.findings.iter().all(|f| f.name != "conserved: E"));
}

/// A sweep over starts has the states of single runs to the last bit, whatever modes the runs go through; over parameters,
/// which single runs have as constants, it differs from them by rounding.
#[test]
fn a_sweep_is_made_of_single_runs() {
    let text = "param g = 9.81, e = 0.6, mu = 0.1\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\ncontact floor: y >= 0 restitution e friction mu along x'\nevent top: y'\nevent kicked: x - 1\nimpact kick: kicked x' = before(x')*(1 + mu)\ninitial y = 1.3, x' = 2\nsimulate to 1.9\noutput N: multiplier(floor)\n";
    let model = Model::parse(text).unwrap();
    let rows = |grid: &str| {
        let sweep = model.sweep().grid(grid).threads(2).build().unwrap();
        assert_eq!(sweep.lanes(), 1);
        let mut list = Vec::new();
        sweep.run(
            |_| false,
            |block| {
                assert!(block.failures.is_empty());
                list.extend(block.rows);
                true
            },
        );
        list
    };
    let single = |text: &str| by("taylor", text, None).run;
    let starts = rows("y in 0..2 by 0.5, x' in -3..3 by 1.5");
    assert_eq!(starts.len(), 25);
    for row in starts {
        let own = format!("initial y = {:?}, x' = {:?}", row[1], row[2]);
        let run = single(&text.replace("initial y = 1.3, x' = 2", &own));
        assert_eq!(&row[5..9], run.state, "{own}");
        assert_eq!(row[9..10], run.outputs);
    }
    for row in rows("e in 0..0.9 by 0.3, mu in [0, 0.05, 0.4]") {
        let own = format!("e = {:?}, mu = {:?}", row[1], row[2]);
        let run = single(&text.replace("e = 0.6, mu = 0.1", &own));
        for (a, b) in row[5..10].iter().zip(run.state.iter().chain(&run.outputs)) {
            near(*a, *b, 1e-12);
        }
    }
}

/// Commands whose answer would need more than one mode say that they are not available.
#[test]
fn what_needs_smooth_motions_is_refused() {
    let text = "param g = 9.81\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact floor: y >= 0 restitution 0.6\ninitial y = 1\nsimulate to 2\n";
    let model = Model::parse(text).unwrap();
    let refused = |e: galilei::Error| assert_eq!(e.diagnostics()[0].code, Code::NotAvailable);
    refused(model.certify().to(1.0).run().unwrap_err());
    refused(model.compile().unwrap_err());
    let moreau: galilei::Method = "moreau".parse().unwrap();
    let without_step = model.simulate().method(moreau).run().unwrap_err();
    assert_eq!(without_step.diagnostics()[0].code, Code::WrongSetting);
    let stepped = model.simulate().method(moreau).step(1e-3).run().unwrap();
    assert_eq!(
        (&stepped.run.status, stepped.run.order),
        (&Status::Finished, 1)
    );
    let settings = galilei::RunSettings::new().method(moreau).step(1e-3);
    assert_eq!(
        model.diagnostics_before(&settings)[0].code,
        Code::FirstOrder
    );
}

/// A particle at rest at θ₀ on a smooth sphere leaves it at cos θ = (2/3) cos θ₀; a ball that rolls, with 2/5 of m·a² about its
/// centre, at cos θ = (10/17) cos θ₀. In polar coordinates all of the normal acceleration cancels at that instant.
#[test]
fn a_particle_and_a_ball_leave_a_sphere() {
    let particle = "coord r, theta\nkinetic: (r'^2 + r^2*theta'^2)/2\npotential: 9.81*r*cos(theta)\ncontact sphere: r - 1 >= 0\ninitial r = 1, theta = 0.1\n";
    let ball = "coord r, theta, phi\nkinetic: (r'^2 + r^2*theta'^2)/2 + 0.2^2/5*phi'^2\npotential: 9.81*r*cos(theta)\ncontact sphere: r - 1.2 >= 0\nconstraint rolling: 1.2*theta' = 0.2*phi'\ninitial r = 1.2, theta = 0.1\n";
    for (text, part) in [(particle, 2.0 / 3.0), (ball, 10.0 / 17.0)] {
        let whole = balanced(&format!("{text}simulate to 2"));
        let modes = &whole.run.contacts.modes;
        assert_eq!(modes.len(), 2, "{text}");
        assert_eq!(modes[0].closed, ["sphere"]);
        assert!(modes[1].closed.is_empty());
        let until = balanced(&format!("{text}simulate to {:?}", modes[1].time));
        near(until.run.state[1].cos(), part * 0.1_f64.cos(), 1e-10);
    }
}

/// A ladder with rough ends stays where tan θ ≥ (1 − μ²)/(2μ). Its four reactions are not determined, its rest is.
#[test]
fn a_ladder_with_two_rough_ends_stays() {
    let run = |theta: f64| {
        balanced(&format!(
            "param l = 2, mu = 0.2\ncoord x, y, theta\nkinetic: (x'^2 + y'^2)/2 + l^2/24*theta'^2\npotential: 9.81*y\ncontact floor: y - l/2*sin(theta) >= 0 friction mu along x' - l/2*sin(theta)*theta'\ncontact wall: x - l/2*cos(theta) >= 0 friction mu along y' + l/2*cos(theta)*theta'\ninitial theta = {theta}, x = l/2*cos({theta}), y = l/2*sin({theta})\nsimulate to 0.5"
        ))
    };
    let least = (0.96_f64 / 0.4).atan();
    let stays = run(least + 0.05);
    near(stays.run.state[2], least + 0.05, 1e-12);
    assert_eq!(stays.run.contacts.modes.len(), 1);
    assert_eq!(stays.run.contacts.modes[0].closed, ["floor", "wall"]);
    let slides = run(least - 0.05);
    assert!(slides.run.state[2] < least - 0.06);
}

/// A ball, 2/3 of m·R² about its centre, bounces with spin: its contact point slides through the impact if μ(1 + e)v is less than
/// 2/5 of its speed, and stops otherwise.
#[test]
fn a_ball_with_spin_bounces_with_friction() {
    let (m, r, e) = (0.6_f64, 0.12_f64, 0.8_f64);
    for mu in [0.2, 2.0] {
        let motion = balanced(&format!(
            "coord x, y, phi\nkinetic: {m}*(x'^2 + y'^2)/2 + {m}*{r}^2/3*phi'^2\npotential: {m}*9.81*y\ncontact floor: y - {r} >= 0 restitution {e} friction {mu} along x' + {r}*phi'\ninitial y = 1, x' = 1, phi' = 30\nsimulate to 1"
        ));
        let c = &motion.run.contacts.collisions[0];
        let normal = m * (1.0 + e) * (2.0 * 9.81 * (1.0 - r)).sqrt();
        let slip = 1.0 + r * 30.0;
        let tangential = -(mu * normal).min(m * slip * 0.4);
        let impulse = c.impulse.as_ref().unwrap();
        near(impulse[0], normal, 1e-12);
        near(impulse[1], tangential, 1e-12);
        near(c.after[0], 1.0 + tangential / m, 1e-12);
        near(c.after[2], 30.0 + 1.5 * tangential / (m * r), 1e-12);
    }
}

/// A block that falls onto a belt gets μ times its normal impulse at once, and the speed of the belt after (V − μv)/(μg).
#[test]
fn a_block_falls_onto_a_belt() {
    let motion = balanced(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ncontact belt: y >= 0 friction 0.4 along x' - 3\ninitial y = 0.5\nsimulate to 3",
    );
    let speed = 9.81_f64.sqrt();
    near(
        motion.run.contacts.collisions[0].after[0],
        0.4 * speed,
        1e-12,
    );
    let modes = &motion.run.contacts.modes;
    let rubs = (3.0 - 0.4 * speed) / (0.4 * 9.81);
    near(modes[2].time - modes[1].time, rubs, 1e-11);
    assert_eq!(modes[2].sticking, ["belt"]);
}

/// The lower of two blocks is pulled: both move together up to F = (μ₁ + μ₂)(m + M)g, if the upper one is held by μ₁.
#[test]
fn stacked_blocks_move_together_or_not() {
    let run = |pull: f64| {
        balanced(&format!(
            "coord x, y, X, Y\nkinetic: (x'^2 + y'^2)/2 + (X'^2 + Y'^2)\npotential: 9.81*(y + 2*Y)\ncontact top: y - Y - 0.1 >= 0 friction 0.3 along x' - X'\ncontact floor: Y >= 0 friction 0.1 along X'\nforce pull: X = {pull}\ninitial y = 0.1\noutput N: multiplier(floor)\nsimulate to 2"
        ))
    };
    let g = 9.81;
    let together = run(11.0);
    near(together.run.outputs[0], 3.0 * g, 1e-12);
    let a = (11.0 - 0.3 * g) / 3.0;
    near(together.run.state[0], 2.0 * a, 1e-12);
    near(together.run.state[2], 2.0 * a, 1e-12);
    assert_eq!(together.run.contacts.modes[0].sticking, ["top"]);
    let apart = run(15.0);
    near(apart.run.state[0], 2.0 * 0.3 * g, 1e-12);
    near(apart.run.state[2], 15.0 - 0.3 * g - 0.3 * g, 1e-12);
}

/// A table that oscillates throws a particle where A·ω² sin ωt = g.
#[test]
fn a_moving_table_throws_a_particle() {
    let motion = balanced(
        "coord y\nkinetic: y'^2/2\npotential: 9.81*y\ncontact table: y - 0.1*sin(12*t) >= 0\ninitial y' = 1.2\nsimulate to 0.2",
    );
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, (9.81_f64 / 14.4).asin() / 12.0, 1e-11);
    assert!(modes[1].closed.is_empty());
}
