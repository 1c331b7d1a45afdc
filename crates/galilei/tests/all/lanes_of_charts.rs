//! Sweeps through several charts: motions whose charts agree share the code of their series, and each has the bits of a
//! run of its own. (T-125)

use galilei::{Block, Model, SweepBuilder};

use crate::common::model;

/// Rows and events of a sweep by the numbers of their runs, as bits: coordinates of the first chart may be no numbers.
fn swept(text: &str, settings: impl FnOnce(SweepBuilder<'_>) -> SweepBuilder<'_>) -> Vec<Vec<u64>> {
    let model = model(text);
    let sweep = settings(model.sweep()).build().unwrap();
    let (mut rows, mut events) = (Vec::new(), Vec::new());
    sweep.run(
        |_| false,
        |block: Block| {
            assert!(block.failures.is_empty(), "{:?}", block.failures);
            rows.extend(block.rows);
            events.extend(block.events);
            true
        },
    );
    assert_eq!(rows.len() as u64, sweep.total());
    rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    events.sort_by(|a, b| (a[0], a[2]).partial_cmp(&(b[0], b[2])).unwrap());
    let bits = |row: &Vec<f64>| row.iter().map(|x| x.to_bits()).collect();
    rows.iter().chain(&events).map(bits).collect()
}

/// A pendulum over both poles with an event and a force that jumps; a top; a ball joint on a pendulum; a pendulum under a
/// constraint; one in charts of a file.
const SWEPT: [(&str, &str); 5] = [
    (
        "param g = 9.81\ncoord n on sphere\nparticle: mass 1 at n\ngravity: (0, 0, -g)\n\
         force wind: (-2*sign(n.x), 0, 0) at n\nevent level: n.z\noutput z: n.z\n\
         initial n = (0.6, 0, 0.8), n' = (0, 2, 0)\nsimulate to 4\n",
        "n_1 in 0.1..0.9 by 0.05",
    ),
    (
        "coord R on rotations\nbody top: mass 1 inertia (1, 1.5, 2) at 0.3*R*(0, 0, 1) rotation R\n\
         gravity: (0, 0, -9.81)\nevent level: dot((0, 0, 1), R*(0, 0, 1))\n\
         initial R = x(1), omega(R) = (0, -3, 4)\nsimulate to 5\n",
        "R_1 in 0.1..1 by 0.1, R_3' in [0.2, 1.1]",
    ),
    (
        "coord n on sphere\ncoord R on rotations\nparticle: mass 1 at n\n\
         body b: mass 1 inertia (1, 2, 2.5) at n + R*(0.2, 0, 0.4) rotation R\ngravity: (0, 0, -9.81)\n\
         initial n = (0.6, 0, 0.8), n' = (0, 1, 0), omega(R) = (1, -2, 4)\nsimulate to 2\n",
        "n_1 in [0.2, 0.5, 0.8], R_2 in [0, 0.4, 0.9, 1.3]",
    ),
    (
        "coord n on sphere\nparticle: mass 1 at n\ngravity: (0, 0, -9.81)\nconstraint plane: n.x = 0.6*n.y\n\
         initial n = (0, 0, 1), n' = (1.2, 2, 0)\nsimulate to 4\n",
        "n_2' in 0.4..2 by 0.2",
    ),
    (
        "coord theta, phi\nlet bob = (sin(theta)*cos(phi), sin(theta)*sin(phi), -cos(theta))\n\
         particle bob: mass 1 at bob\ngravity: (0, 0, -9.81)\noutput x: bob.x\noutput y: bob.y\n\
         chart tilted(a, b): theta = acos(-sin(a)*sin(b)), phi = atan2(cos(a), sin(a)*cos(b))\n\
         inverse tilted: a = acos(sin(theta)*sin(phi)), b = atan2(-cos(theta), sin(theta)*cos(phi))\n\
         atlas: tilted\nevent plane: bob.x\ninitial theta = 1, phi' = 0.001\nsimulate to 5\n",
        "theta in 0.2..1.2 by 0.1",
    ),
];

#[test]
fn t_125_lanes_change_no_bit_across_changes_of_chart() {
    for (text, grid) in SWEPT {
        let alone = swept(text, |s| s.grid(grid).project(true).lanes(1).threads(1));
        for (lanes, threads) in [(4, 1), (8, 2)] {
            let together = swept(text, |s| {
                s.grid(grid).project(true).lanes(lanes).threads(threads)
            });
            assert_eq!(together, alone, "{lanes} lanes: {text}");
        }
    }
}

/// Parameters give other equations: motions that share them are in lanes.
#[test]
fn runs_with_the_same_parameters_share_lanes_wherever_they_stand() {
    let (text, _) = SWEPT[0];
    let grid = "n_1 in 0.1..0.9 by 0.1, g in [5, 9.81, 12]";
    let alone = swept(text, |s| s.grid(grid).project(true).lanes(1).threads(1));
    assert_eq!(
        swept(text, |s| s.grid(grid).project(true).lanes(4).threads(1)),
        alone
    );
}

#[test]
fn motions_in_lanes_of_charts_are_those_of_single_runs() {
    let starts = [0.1, 0.3, 0.5, 0.7, 0.9, 1.1];
    for (text, name) in [(SWEPT[0].0, "n_1"), (SWEPT[1].0, "R_1")] {
        let rows = swept(text, |s| {
            s.grid(format!("{name} in {starts:?}")).lanes(4).threads(1)
        });
        for (row, start) in rows.iter().zip(starts) {
            let single = Model::parse(text).unwrap();
            let single = single
                .starting_in_chart(&format!("{name}={start}"))
                .unwrap();
            let run = single.simulate().run().unwrap().run;
            assert!(run.pieces.len() > 1, "no change from {start}");
            let mut wanted: Vec<u64> = (run.state.iter().chain(&run.outputs))
                .map(|x| x.to_bits())
                .collect();
            wanted.extend([run.steps as f64, run.energy_balance].map(f64::to_bits));
            let first = row.len() - wanted.len();
            // Constraints would have a residual behind those.
            assert_eq!(row[first..], wanted, "{name} = {start}: {text}");
        }
    }
}
