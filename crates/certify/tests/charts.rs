//! Enclosures across changes of chart, against closed forms and against runs in many digits in one chart.

mod common;

use common::{model, state};
use galilei_certify::{
    CERTIFIED_TOLERANCE, Certificate, ChartChange, Decimal, PreciseSettings, Precision, Range,
    Settings, certify, follow,
};
use galilei_expr::Rational;
use galilei_model::Model;

/// The certified run of a model that enters charts at times.
fn enclosed(model: &Model, to: (i64, i64), tolerance: f64, charts: &[(f64, usize)]) -> Certificate {
    let start = model.initial_state().unwrap();
    let entries = start.position.iter().chain(&start.velocity);
    let settings = Settings {
        from: start.time,
        to: model.pool().number(Rational::new(to.0, to.1)),
        start: entries.map(|x| Range::exactly(*x)).collect(),
        parameters: vec![],
        tolerance,
        charts: charts
            .iter()
            .map(|&(time, chart)| ChartChange { time, chart })
            .collect(),
    };
    certify(model, &settings, &mut |_| true).unwrap()
}

fn contains(intervals: &[[f64; 2]], values: &[Rational]) {
    assert_eq!(intervals.len(), values.len());
    for (interval, x) in intervals.iter().zip(values) {
        let [low, high] = interval.map(|x| Rational::from_f64(x).unwrap());
        assert!(low <= *x && *x <= high, "{interval:?} {x}");
    }
}

const SPHERE: &str = "coord n on sphere\nkinetic: dot(n', n')/2\npotential: 2*n.z\nevent level: n.z\ninitial n = (0.6, 0, 0.8), n' = (0, 0.5, 0)\n";

/// The pendulum swings through the lower half of the sphere. In one chart a run in 106 bits follows it, too, since it does not
/// meet the pole; the enclosure changes there and back.
#[test]
fn changes_on_a_sphere() {
    let model = model(SPHERE);
    let start = model.initial_state().unwrap();
    let to = (3, 1);
    let settings = PreciseSettings {
        precision: Precision::Bits106,
        from: start.time,
        to: model.pool().number(3),
        every: None,
        rows: false,
        start: (start.position.iter().chain(&start.velocity))
            .copied()
            .collect(),
        tolerance: 1e-28,
        dense: false,
    };
    let digits = follow(&model, &settings, &mut |_| true).unwrap();
    let digits: Vec<Rational> = (digits.state.iter())
        .map(|x: &Decimal| x.as_str().parse().unwrap())
        .collect();
    let mut widths = vec![];
    // At the end in the second chart, and back in the first.
    let (out, back) = (&[(1.1, 1)][..], &[(1.1, 1), (2.4, 0)][..]);
    for (tolerance, charts) in [
        (1e-9, out),
        (CERTIFIED_TOLERANCE, out),
        (CERTIFIED_TOLERANCE, back),
    ] {
        let found = enclosed(&model, to, tolerance, charts);
        assert!(found.certified, "{:?}", found.reason);
        contains(&state(&found), &digits);
        widths.push(found.width());
    }
    assert!(widths[1] < 1e-3 * widths[0], "{widths:?}");
    assert!(widths[1].max(widths[2]) < 1e-12, "{widths:?}");
    // The event has its state in the first chart, also where it happens in the second.
    let event = |charts: &[(f64, usize)]| {
        let found = enclosed(&model, (2, 1), CERTIFIED_TOLERANCE, charts);
        let list = found.events.into_iter();
        list.map(|e| (e.time, e.state, e.certified))
            .collect::<Vec<_>>()
    };
    let (one, two) = (event(&[(1.2, 1)]), event(&[(0.9, 1)]));
    assert!(!one.is_empty() && one.len() == two.len());
    for (a, b) in one.iter().zip(&two) {
        assert!(a.2 && b.2);
        let meet = |a: &[f64; 2], b: &[f64; 2]| a[0] <= b[1] && b[0] <= a[1];
        assert!(meet(&a.0, &b.0), "{a:?} {b:?}");
        assert!(a.1.iter().zip(&b.1).all(|(a, b)| meet(a, b)), "{a:?} {b:?}");
    }
}

const PAST: &str = "param v = 1\ncoord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\nchart plane(X, Y): r = sqrt((X + v*t)^2 + Y^2), phi = atan2(Y, X + v*t)\ninverse plane: X = r*cos(phi) - v*t, Y = r*sin(phi)\natlas: plane\ninitial r = 1, r' = -1, phi' = 0.5\n";

/// A free particle, r² = (1 − t)² + (t/2)², in a chart of the plane that moves.
#[test]
fn changes_of_an_atlas() {
    let moved = model(PAST);
    let found = enclosed(&moved, (3, 1), CERTIFIED_TOLERANCE, &[(0.25, 1)]);
    assert!(found.certified, "{:?}", found.reason);
    // At t = 3: x = −2, y = 3/2.
    let digits = [
        "2.5",
        "2.498091544796508851659834154562180246",
        "1.1",
        "0.08",
    ];
    let digits = digits.map(|x| x.parse::<Rational>().unwrap());
    contains(&state(&found), &digits);
    assert!(found.width() < 1e-13, "{}", found.width());
    // Intervals of a parameter of the change are carried over, too: with v the same motion.
    let start = moved.initial_state().unwrap();
    let v = moved.pool().symbol("v");
    let number = |n: i64, d: i64| moved.pool().number(Rational::new(n, d));
    let settings = Settings {
        from: start.time,
        to: number(3, 1),
        start: (start.position.iter().chain(&start.velocity))
            .map(|x| Range::exactly(*x))
            .collect(),
        parameters: vec![(
            v,
            Range {
                low: number(9, 10),
                high: number(11, 10),
            },
        )],
        tolerance: CERTIFIED_TOLERANCE,
        charts: vec![ChartChange {
            time: 0.25,
            chart: 1,
        }],
    };
    let wide = certify(&moved, &settings, &mut |_| true).unwrap();
    assert!(wide.certified, "{:?}", wide.reason);
    contains(&state(&wide), &digits);
    // Without a formula for the inverse the enclosure ends where the chart is entered.
    let text: Vec<&str> = PAST.lines().filter(|l| !l.starts_with("inverse")).collect();
    let closed = model(&(text.join("\n") + "\n"));
    let found = enclosed(&closed, (3, 1), CERTIFIED_TOLERANCE, &[(0.25, 1)]);
    assert!(!found.certified && found.until == 0.25);
    assert!(found.reason.unwrap().contains("`inverse`"));
}
