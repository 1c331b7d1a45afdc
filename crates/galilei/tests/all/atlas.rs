//! Runs that change charts. (T-125)

use galilei::{Method, Model, Status};

use crate::common::distance;

/// A pendulum in the angles from its lowest point, where they are singular, and in those of a tilted sphere.
fn pendulum(more: &str) -> Model {
    let text = format!(
        "param l = 1, g = 9.81\ncoord theta, phi\n\
         let bob = (l*sin(theta)*cos(phi), l*sin(theta)*sin(phi), -l*cos(theta))\n\
         particle bob: mass 1 at bob\ngravity: (0, 0, -g)\n\
         output x: bob.x\noutput y: bob.y\noutput z: bob.z\n{more}"
    );
    Model::parse(&text).unwrap()
}

const TILTED: &str = "chart tilted(a, b): theta = acos(-sin(a)*sin(b)), phi = atan2(cos(a), sin(a)*cos(b))\n\
     inverse tilted: a = acos(sin(theta)*sin(phi)), b = atan2(-cos(theta), sin(theta)*cos(phi))\n\
     atlas: tilted\n";

const CARTESIAN: &str = "param l = 1, g = 9.81\ncoord x, y, z\nparticle: mass 1 at (x, y, z)\n\
     gravity: (0, 0, -g)\nconstraint rod: x^2 + y^2 + z^2 = l^2\n";

/// The Cartesian model under a constraint does not share the charts.
#[test]
fn t_125_a_pendulum_swings_over_the_pole() {
    let start = "initial theta = 1, phi' = 0.0001\n";
    let motion = pendulum(&format!("{TILTED}{start}"));
    let motion = motion.simulate().to(20.0).run().unwrap();
    assert_eq!(motion.run.status, Status::Finished);
    assert!(motion.run.pieces.len() > 1, "{}", motion.run.pieces.len());
    assert!(motion.run.energy_balance < 1e-12);
    let start = "initial x = sin(1), z = -cos(1), y' = 0.0001*sin(1)\n";
    let free = Model::parse(&format!("{CARTESIAN}{start}")).unwrap();
    let free = free.simulate().to(20.0).run().unwrap();
    let off = distance(&motion.run.outputs, &free.run.state[..3]);
    assert!(off < 1e-11, "{off:e}");
}

#[test]
fn a_run_that_needs_no_change_is_the_run_without_an_atlas() {
    let start = "initial theta = 1, phi' = 3\n";
    for method in [Method::Taylor, Method::Dop853, Method::Gauss4] {
        let runs = [TILTED, ""].map(|atlas| {
            let model = pendulum(&format!("{atlas}{start}"));
            model
                .simulate()
                .to(8.0)
                .every(0.5)
                .method(method)
                .run()
                .unwrap()
        });
        let [with, without] = runs;
        assert_eq!(with.run.rows, without.run.rows, "{method}");
        assert_eq!(with.run.state, without.run.state, "{method}");
        assert_eq!(with.run.energy_balance, without.run.energy_balance);
        assert_eq!(with.run.pieces.len(), 1);
    }
}

/// At rest in the singular point itself, and through it by the other methods.
#[test]
fn runs_start_in_singular_points_and_go_through_them() {
    let rest = pendulum(&format!("{TILTED}initial theta = 0\n"));
    assert!(
        rest.diagnostics_before(&galilei::RunSettings::new())
            .is_empty()
    );
    let rest = rest.simulate().to(3.0).run().unwrap();
    assert_eq!(rest.run.status, Status::Finished);
    assert!(distance(&rest.run.outputs, &[0.0, 0.0, -1.0]) < 1e-12);
    // Exactly through the pole, in the plane: the plane pendulum.
    let plane = "coord s\nkinetic: s'^2/2\npotential: -9.81*cos(s)\ninitial s = 1\n";
    let plane = Model::parse(plane)
        .unwrap()
        .simulate()
        .to(7.0)
        .run()
        .unwrap();
    let s = plane.run.state[0];
    for (method, accuracy) in [
        (Method::Taylor, 1e-11),
        (Method::Dop853, 1e-9),
        (Method::Radau, 1e-7),
    ] {
        let model = pendulum(&format!("{TILTED}initial theta = 1\n"));
        let run = model.simulate().to(7.0).method(method).run().unwrap().run;
        assert_eq!(run.status, Status::Finished, "{method}");
        let off = distance(&run.outputs, &[s.sin(), 0.0, -s.cos()]);
        assert!(off < accuracy, "{method}: {off:e}");
    }
}

#[test]
fn dense_output_rows_and_events_go_across_changes() {
    let more =
        format!("{TILTED}initial theta = 1, phi' = 0.001\nevent crossing: sin(theta)*cos(phi)\n");
    let model = pendulum(&more);
    let (motion, mut trajectory) = model.simulate().to(10.0).every(0.25).run_dense().unwrap();
    let run = &motion.run;
    assert_eq!(run.rows.len(), 41);
    assert_eq!(run.row_charts.len(), 41);
    assert!(run.row_charts.contains(&0) && run.row_charts.contains(&1));
    assert_eq!(trajectory.ends(), Some((0.0, 10.0)));
    for row in &run.rows {
        let state = trajectory.at(row[0]).unwrap().unwrap();
        let (a, b) = (state[0].sin() * state[1].cos(), row[1].sin() * row[2].cos());
        assert!((a - b).abs() < 1e-12 && (row[5] - b).abs() < 1e-12);
    }
    let start = "initial x = sin(1), z = -cos(1), y' = 0.001*sin(1)\nevent crossing: x\n";
    let free = Model::parse(&format!("{CARTESIAN}{start}")).unwrap();
    let free = free.simulate().to(10.0).run().unwrap();
    let times = |r: &galilei::Run| r.crossings.iter().map(|c| c.time).collect::<Vec<_>>();
    let (ours, theirs) = (times(run), times(&free.run));
    assert_eq!(ours.len(), theirs.len());
    assert!(distance(&ours, &theirs) < 1e-11);
}

/// A line past the origin in polar coordinates, with the inverse given and computed; time is shifted.
#[test]
fn polar_coordinates_give_way_to_cartesian_ones() {
    let polar = |more: &str| {
        let text = format!(
            "coord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\noutput x: r*cos(phi)\noutput y: r*sin(phi)\n\
             chart plane(X, Y): r = sqrt((X + t)^2 + Y^2), phi = atan2(Y, X + t), t = t + 3\n{more}\
             atlas: plane\ninitial r = 1, r' = -1, phi' = 1e-9\n"
        );
        Model::parse(&text).unwrap()
    };
    let inverse = "inverse plane: X = r*cos(phi) - t + 3, Y = r*sin(phi), t = t - 3\n";
    for inverse in ["", inverse] {
        let model = polar(inverse);
        let run = model.simulate().to(3.0).run().unwrap().run;
        assert_eq!(run.status, Status::Finished);
        assert!(run.pieces.len() > 1, "{}", run.pieces.len());
        assert!(
            distance(&run.outputs, &[-2.0, 3e-9]) < 1e-13,
            "{:?}",
            run.outputs
        );
    }
}

/// The second chart degenerates at the same place, so that there is no reason to enter it.
#[test]
fn a_chart_that_is_not_better_is_not_entered() {
    let text = "coord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\noutput x: r*cos(phi)\n\
                chart double(a, b): r = 2*a, phi = 2*b\ninverse double: a = r/2, b = phi/2\natlas: double\n\
                initial r = 1, r' = -1, phi' = 0.001\n";
    let model = Model::parse(text).unwrap();
    let run = model.simulate().to(3.0).run().unwrap().run;
    assert_eq!((run.status, run.pieces.len()), (Status::Finished, 1));
    assert!((run.outputs[0] + 2.0).abs() < 1e-9);
}

#[test]
fn sweeps_across_changes_are_single_runs() {
    let model = pendulum(&format!("{TILTED}initial theta = 1, phi' = 0.001\n"));
    let single = model.starting_at("theta=0.9").unwrap();
    let single = single.simulate().to(5.0).run().unwrap().run;
    let compiled = model.compile().unwrap();
    // Ensembles are for a single chart.
    assert!(compiled.ensemble_by(Method::Taylor, 1e-12, 4).is_none());
    let again = compiled.integrate(
        &[0.9, 0.0, 0.0, 0.001],
        &galilei_integrate::Options {
            to: 5.0,
            ..Default::default()
        },
        |_| true,
    );
    assert_eq!(again.state, single.state);
}

/// A bundle over the circle in two charts with time shifted between them: s = tan(θ/2) and its negative inverse, and a fibre
/// whose height is measured from a moving place in the second one. θ turns uniformly, the height swings.
#[test]
fn t_125_a_circle_bundle_is_gone_round_in_two_charts() {
    let text = "coord s, z\nkinetic: 2*s'^2/(1 + s^2)^2 + z'^2/2\npotential: z^2\n\
        output c: (1 - s^2)/(1 + s^2)\noutput d: 2*s/(1 + s^2)\noutput height: z\nevent opposite: (1 - s^2)/(1 + s^2)\n\
        chart far(a, b): s = -1/a, z = b + sin(t), t = t + 3\n\
        INVERSE\natlas: far\ninitial s = 0, s' = 0.6, z = 1\n";
    for inverse in ["inverse far: a = -1/s, b = z - sin(t - 3), t = t - 3", ""] {
        let model = Model::parse(&text.replace("INVERSE", inverse)).unwrap();
        let run = model
            .simulate()
            .to(50.0)
            .tolerance(1e-15)
            .run()
            .unwrap()
            .run;
        assert_eq!(run.status, Status::Finished);
        assert!(run.pieces.len() > 15, "{}", run.pieces.len());
        let (s, c) = 60.0_f64.sin_cos();
        let wanted = [c, s, (50.0 * 2.0_f64.sqrt()).cos()];
        let off = distance(&run.outputs, &wanted);
        assert!(off < 1e-11, "{off:e}");
        let times: Vec<f64> = run.crossings.iter().map(|c| c.time).collect();
        let quarter = std::f64::consts::FRAC_PI_2 / 1.2;
        let wanted: Vec<f64> = (0..19).map(|k| f64::from(2 * k + 1) * quarter).collect();
        assert_eq!(times.len(), wanted.len());
        assert!(distance(&times, &wanted) < 1e-11);
    }
}

/// Möbius' band: the fibre is turned over between the charts on one side of the circle. In space the fibre has the
/// direction (cos θ/2, sin θ/2), which is the opposite one after a turn.
#[test]
fn t_125_a_moebius_band_is_gone_round_in_two_charts() {
    let text = "coord s, z\nkinetic: 2*s'^2/(1 + s^2)^2 + z'^2/2\npotential: z^2\n\
        output u: z/sqrt(1 + s^2)\noutput v: z*s/sqrt(1 + s^2)\n\
        chart far(a, b): s = -1/a, z = b*a/sqrt(a^2)\ninverse far: a = -1/s, b = -z*s/sqrt(s^2)\n\
        atlas: far\ninitial s = 0, s' = 0.6, z = 1\n";
    let run = Model::parse(text)
        .unwrap()
        .simulate()
        .to(20.0)
        .run()
        .unwrap()
        .run;
    assert_eq!(run.status, Status::Finished);
    assert!(run.pieces.len() > 6, "{}", run.pieces.len());
    let (height, (s, c)) = ((20.0 * 2.0_f64.sqrt()).cos(), 12.0_f64.sin_cos());
    let off = distance(&run.outputs, &[height * c, height * s]);
    assert!(off < 1e-11, "{off:e}");
}

/// A shift of the inverse that nothing feels but the motion itself: it is no full turn.
#[test]
fn an_inverse_that_is_off_by_a_constant_is_none() {
    let text = "coord r, phi, z\nkinetic: (r'^2 + r^2*phi'^2 + z'^2)/2\n\
        chart plane(X, Y, zeta): r = sqrt(X^2 + Y^2), phi = atan2(Y, X), z = zeta + 1\n\
        inverse plane: X = r*cos(phi), Y = r*sin(phi), zeta = z - 2\natlas: plane\n\
        initial r = 1, r' = -1, phi' = 1e-9, z' = 1\n";
    let said = |text: &str| -> Vec<String> {
        let model = Model::parse(text).unwrap();
        let found = model.diagnostics().into_iter();
        found.map(|d| d.code.as_str().to_owned()).collect()
    };
    assert_eq!(said(text), ["not_an_inverse"]);
    let right = text.replace("z - 2", "z - 1");
    assert!(said(&right).is_empty());
    let run = Model::parse(&right).unwrap();
    let run = run.simulate().to(3.0).run().unwrap().run;
    assert!(run.pieces.len() > 1);
    assert!((run.state[2] - 3.0).abs() < 1e-14);
    // Full turns are the same point.
    let turned = right.replace("atan2(Y, X)", "atan2(Y, X) + 2*pi");
    assert!(said(&turned).is_empty());
}

/// A free particle at e^a reaches the end of the chart at t = 1; the other chart of its atlas ends there, too.
#[test]
fn charts_that_do_not_cover_a_motion_are_named() {
    let text = "coord a\nlet x = exp(a)\nparticle p: mass 1 at x\nchart other(b): a = 2*b\n\
        inverse other: b = a/2\natlas: other\ninitial a' = -1\n";
    let model = Model::parse(text).unwrap();
    let motion = model.simulate().to(3.0).run().unwrap();
    assert_eq!(
        motion.run.status,
        Status::Failed(galilei::RunError::ChangeOfChart)
    );
    assert!((motion.run.time - 1.0).abs() < 1e-9);
    let beyond = text
        .replace("a = 2*b", "a = log(b)")
        .replace("b = a/2", "b = exp(a)");
    let motion = Model::parse(&beyond)
        .unwrap()
        .simulate()
        .to(3.0)
        .run()
        .unwrap();
    assert_eq!(motion.run.status, Status::Finished);
    assert!((motion.run.chart_state[0] + 2.0).abs() < 1e-12);
}
