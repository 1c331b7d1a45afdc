//! Random motions with functions, damping, drives and varying masses: enclosures contain runs in 212 bits. Both share their
//! equations; `enclosures` compares with integrators that share nothing.

use galilei_certify::{PreciseSettings, Precision, Range, Settings, certify, follow};
use galilei_expr::Rational;
use galilei_model::read;

/// Numbers that repeat: Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + ((self.0 >> 11) % (high - low + 1) as u64) as i64
    }

    fn number(&mut self, low: i64, high: i64) -> String {
        format!("({}/100)", self.next(low, high))
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.next(0, list.len() as i64 - 1) as usize]
    }
}

fn random_model(random: &mut Random) -> String {
    const MASSES: [&str; 5] = ["1", "1 + x^2/4", "2 + cos(y)", "exp(x/3)", "sqrt(2 + y^2)"];
    const POTENTIALS: [&str; 8] = [
        "cos(x - y)",
        "sin(x)*y",
        "exp(-x^2 - y^2)",
        "log(3 + x^2 + y^2)",
        "atan(x + 2*y)",
        "cosh((x - y)/2)",
        "(2 + x^2 + y^2)^(3/2)",
        "tanh(x)*y^2",
    ];
    const FORCES: [&str; 5] = ["-x'/10", "cos(2*t)", "-abs(x')*x'/5", "t*y", "sin(x*y')/3"];
    let (a, b) = (random.pick(&MASSES), random.pick(&MASSES));
    let [c, d, e] = [0; 3].map(|_| random.number(-150, 150));
    let (v, w) = (random.pick(&POTENTIALS), random.pick(&POTENTIALS));
    let (f, g) = (random.pick(&FORCES), random.pick(&FORCES));
    let start = [0; 4].map(|_| random.number(-90, 90));
    format!(
        "coord x, y\nkinetic: ({a})*x'^2/2 + ({b})*y'^2/2 + x'*y'/5\npotential: {c}*{v} + {d}*{w} + x^2/2 + y^2/2\n\
         force: x = {f}, y = {e}*({g})\ninitial x = {}, y = {}, x' = {}, y' = {}\n",
        start[0], start[1], start[2], start[3]
    )
}

/// Whether the motion lies in its enclosure; `None` where one of both ends early.
fn lies_inside(text: &str, to: Rational, tolerance: f64) -> Option<bool> {
    let found = read(text, &Default::default());
    let model = found.model.unwrap_or_else(|| panic!("{text}"));
    let state = model.initial_state().unwrap();
    let start: Vec<_> = state
        .position
        .iter()
        .chain(&state.velocity)
        .copied()
        .collect();
    let to = model.pool().number(to);
    let settings = Settings {
        from: state.time,
        to,
        start: start.iter().map(|x| Range::exactly(*x)).collect(),
        parameters: vec![],
        tolerance,
    };
    let enclosure = certify(&model, &settings, &mut |_| true).unwrap();
    let settings = PreciseSettings {
        precision: Precision::Bits212,
        from: state.time,
        to,
        every: None,
        rows: false,
        start,
        tolerance: 1e-30,
        dense: false,
    };
    let run = follow(&model, &settings, &mut |_| true).unwrap();
    if !enclosure.certified || run.failure.is_some() {
        return None;
    }
    let intervals = enclosure.position.iter().chain(&enclosure.velocity);
    let slack: Rational = "1e-26".parse().unwrap();
    let inside = |(x, [low, high]): (&galilei_certify::Decimal, &[f64; 2])| {
        let x: Rational = x.as_str().parse().unwrap();
        let [low, high] = [low, high].map(|x| Rational::from_f64(*x).unwrap());
        &low + &-&slack <= x && x <= &high + &slack
    };
    Some(run.state.iter().zip(intervals).all(inside))
}

/// Misses among random short motions. GALILEI_MOTIONS gives another number of them.
#[test]
fn random_motions_with_functions_are_enclosed() {
    let wanted = std::env::var("GALILEI_MOTIONS").ok();
    let count: usize = wanted.and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut open = 0;
    for _ in 0..count {
        let text = random_model(&mut random);
        let to = Rational::new(random.next(10, 90), 100);
        let tolerance = [1e-17, 1e-14, 1e-10][random.next(0, 2) as usize];
        match lies_inside(&text, to, tolerance) {
            None => open += 1,
            Some(inside) => assert!(inside, "{text}"),
        }
    }
    println!("{count} motions, {open} not compared to the end");
    assert!(open * 10 <= count);
}
