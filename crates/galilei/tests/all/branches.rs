//! Runs end where nonlinear constraints lose their rank, whatever the method.

use galilei::{Method, Model};
use galilei_integrate::{Run, Start, Status};

use crate::common::model;

const METHODS: [&str; 4] = ["taylor", "dop853", "radau", "gauss4"];

fn run(model: &Model, method: &str, tolerance: f64) -> Run {
    model
        .simulate()
        .method(method.parse::<Method>().unwrap())
        .tolerance(tolerance)
        .run()
        .unwrap()
        .run
}

/// Every method ends at the same event, at about the same time and place.
fn ends(text: &str, name: &str, (time, place): (f64, &[f64])) {
    let model = model(text);
    let names: Vec<String> = model
        .contents()
        .events
        .iter()
        .map(|e| e.name.clone())
        .collect();
    for method in METHODS {
        let run = run(&model, method, 1e-10);
        let Status::Event(k) = run.status else {
            panic!("{method}: {:?} at {}", run.status, run.time);
        };
        assert_eq!(names[k], name, "{method}");
        let last = run.crossings.last().unwrap();
        assert!(last.event == k && last.time == run.time, "{method}");
        // Steps of one length cannot come as near.
        let near = if method == "gauss4" { 1e-2 } else { 1e-5 };
        assert!(
            (run.time - time).abs() < near * time,
            "{method}: {}",
            run.time
        );
        for (x, wanted) in run.state.iter().zip(place) {
            assert!((x - wanted).abs() < near, "{method}: {:?}", run.state);
        }
        assert!(
            run.energy_balance < 1e-6,
            "{method}: {}",
            run.energy_balance
        );
        assert!(run.steps < 1_000_000, "{method}: {} steps", run.steps);
    }
}

/// Thrown up a cone that is given by its upper sheet, a particle comes to its vertex: z'' = −a²g/(1 + a²).
fn risen(constraint: &str) -> String {
    format!(
        "param m = 1, g = 1.7, a = 0.6\ncoord x, y, z\nparticle p: mass m at (x, y, z)\ngravity: (0, 0, -g)\n\
         constraint rise: {constraint}\ninitial x' = 0.3, y' = 0.4, z' = 0.3\nsimulate to 3\n"
    )
}

#[test]
fn at_a_root_that_vanishes() {
    let there = (2.0 / 3.0, &[0.1, 2.0 / 15.0, 0.1][..]);
    ends(
        &risen("z' = a*sqrt(x'^2+y'^2)"),
        "branch point of rise",
        there,
    );
    ends(
        &risen("z' = a*norm((x',y'))"),
        "branch point of rise",
        there,
    );
    let text = "coord x, z\nparticle p: mass 1 at (x, z)\ngravity: (0, -1)\nconstraint rise: z' = sqrt(x'^2)\n\
                initial x' = 1, z' = 1\nsimulate to 4\n";
    ends(text, "branch point of rise", (2.0, &[1.0, 1.0]));
}

#[test]
fn at_the_vertex_of_a_cone() {
    let there = (2.0 / 3.0, &[0.1, 2.0 / 15.0, 0.1][..]);
    ends(&risen("z'^2 = a^2*(x'^2+y'^2)"), "vertex of rise", there);
}

/// The direction turns without end on the way to the vertex; steps do not become fewer and fewer without end.
#[test]
fn at_a_vertex_where_the_motion_is_not_smooth() {
    let text = "coord x, y, z\nparticle p: mass 1 at (x, y, z)\nforce f: x = 0.1, z = -2\n\
                constraint c: z'^2 = x'^2+y'^2\ninitial y' = 1, z' = 1\nsimulate to 3\n";
    ends(text, "vertex of c", (1.004977, &[0.025063, 0.5, 0.501253]));
    let text = "param a = 0.6, g = 1.7\ncoord x, y, z\nparticle p: mass 1 at (x, y, z)\ngravity: (0, 0, -g)\n\
                force f: x = 0.05*sin(t), y = -0.1*x'\nconstraint c: z'^2 = a^2*(x'^2+y'^2)\n\
                initial x' = 0.3, y' = 0.4, z' = 0.3\noutput l: multiplier(c)\nsimulate to 3\n";
    ends(
        text,
        "vertex of c",
        (0.66547, &[0.1009, 0.130726, 0.099093]),
    );
}

#[test]
fn where_a_speed_is_used_up() {
    let text = |constraint: &str| {
        format!(
            "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint c: {constraint}\nforce f: y = 0.3\n\
             initial x' = 0.6, y' = 0.8\noutput l: multiplier(c)\nsimulate to 3\n"
        )
    };
    let there = (1.0, &[0.26646, 0.421587][..]);
    ends(&text("x'^2+y'^2 = (1-t)^2"), "branch point of c", there);
    ends(&text("sqrt(x'^2+y'^2) = 1-t"), "branch point of c", there);
    let there = (1.0, &[0.354514, 0.563209][..]);
    ends(&text("x'^2+y'^2 = 1-t"), "branch point of c", there);
}

/// Where two sheets cross, a run does not change to the other one.
#[test]
fn where_sheets_cross() {
    let text = "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint c: x'^2 = y^2\n\
                initial x' = 1, y = 1, y' = -1\nsimulate to 3\n";
    ends(text, "branch point of c", (1.0, &[0.5, 0.0]));
}

/// Rows that become parallel restrict no more than one of them: x'^2 = 1 - t.
#[test]
fn where_two_constraints_become_one() {
    let text = "coord x, y, z\nparticle p: mass 1 at (x, y, z)\nconstraint a: y' = 1\n\
                constraint b: x'^2 + y'^2 = 2 - t\ninitial x' = 1, y' = 1\nsimulate to 3\n";
    ends(text, "branch point of b", (1.0, &[2.0 / 3.0, 1.0, 0.0]));
}

/// Backwards in time, too.
#[test]
fn backwards() {
    let model = model(
        "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint c: x'^2+y'^2 = (1+t)^2\nforce f: y = 0.3\n\
         initial x' = 0.6, y' = 0.8\nsimulate to -3\n",
    );
    for method in METHODS {
        let run = run(&model, method, 1e-10);
        assert!(
            matches!(run.status, Status::Event(_)),
            "{method}: {:?}",
            run.status
        );
        assert!((run.time + 1.0).abs() < 1e-2, "{method}: {}", run.time);
    }
}

/// Loose tolerances do not pass branch points either.
#[test]
fn with_loose_tolerances() {
    for constraint in ["z' = a*sqrt(x'^2+y'^2)", "z'^2 = a^2*(x'^2+y'^2)"] {
        let model = model(&risen(constraint));
        for tolerance in [1e-4, 1e-6, 1e-8] {
            for method in &METHODS[..3] {
                let run = run(&model, method, tolerance);
                assert!(
                    matches!(run.status, Status::Event(_)),
                    "{method} {tolerance}"
                );
                assert!(
                    (run.time - 2.0 / 3.0).abs() < 1e-5,
                    "{method}: {}",
                    run.time
                );
            }
        }
    }
}

/// A branch point that is only reached after an infinite time does not end a run.
#[test]
fn a_decay_takes_forever() {
    let model = model(
        "coord x, y, z\nparticle p: mass 1 at (x, y, z)\nforce drag: x = -x', y = -y', z = -z'\n\
         constraint c: z'^2 = x'^2+y'^2\ninitial x' = 1, z' = 1\nsimulate to 30\n",
    );
    for method in METHODS {
        let run = run(&model, method, 1e-10);
        assert_eq!(run.status, Status::Finished, "{method}");
        assert!(
            (run.state[0] - 1.0).abs() < 1e-8,
            "{method}: {:?}",
            run.state
        );
    }
}

/// In lanes, too.
#[test]
fn lanes_end_at_branch_points() {
    for (constraint, more) in [
        ("z' = a*sqrt(x'^2+y'^2)", ""),
        ("z'^2 = a^2*(x'^2+y'^2)", "force f: x = 0.1\n"),
    ] {
        let text = risen(constraint) + more;
        let compiled = model(&text).compile().unwrap();
        let starts = (0..6).map(|number| Start {
            number,
            from: 0.0,
            to: 3.0,
            state: vec![number as f64, 0.0, 0.0, 0.3, 0.4, 0.3],
            fixed: vec![],
            project: false,
        });
        let mut ended = 0;
        compiled.ensemble(1e-12, 4).worker().run(
            starts,
            |_, run| {
                assert_eq!(run.status, Status::Event(0), "{constraint}");
                assert!(
                    run.time > 0.6 && run.time < 0.8,
                    "{constraint}: {}",
                    run.time
                );
                ended += 1;
            },
            || true,
        );
        assert_eq!(ended, 6);
    }
}

/// √(y²) is |y|, whose kink ends a step: the series on one side would leave the constraint on the other.
#[test]
fn a_kink_of_a_constraint_is_crossed() {
    let model = model(
        "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint c: x' = sqrt(y^2)\n\
         initial x' = 1, y = 1, y' = -1\nsimulate to 3\n",
    );
    let run = run(&model, "taylor", 1e-12);
    assert_eq!(run.status, Status::Finished);
    let [_, y, u, _] = run.state[..] else {
        panic!("{:?}", run.state);
    };
    assert!(y < 0.0 && (u - y.abs()).abs() < 1e-10, "{:?}", run.state);
}
