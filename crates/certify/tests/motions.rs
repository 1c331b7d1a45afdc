//! Random short motions lie in their enclosures. The references share no code with them: forces written here by hand, in pairs
//! of doubles, by Gragg's method with extrapolation. A third family, with more functions, is compared with runs in 212 bits,
//! which share the equations.
//!
//! `cargo xtask fuzz-certify` runs [`longer`].

mod common;

use std::time::{Duration, Instant};

use common::{Pair, Random, enclosed, extrapolated, model, state};
use galilei_certify::{Decimal, PreciseSettings, Precision, Range, Settings, certify, follow};
use galilei_expr::Rational;

/// The motions of a short run.
const MOTIONS: u64 = 150;
/// How far a reference may lie outside an enclosure for its own error, which is below 1e-24.
const REFERENCE_ERROR: f64 = 1e-22;

/// The comparison of a motion with its enclosure.
enum Outcome {
    /// The distance of the reference from the enclosure, negative inside, and the width of the enclosure.
    Compared(f64, f64),
    /// The motion is not certified to its end, or its reference ends before.
    Open,
}

/// Accelerations at a time and a state.
type Accelerations = Box<dyn Fn(Pair, &[Pair]) -> Vec<Pair>>;

/// A model as text and as accelerations.
struct Case {
    text: String,
    start: Vec<Pair>,
    accelerations: Accelerations,
}

/// Two coupled oscillators with cubic and quartic potential, and a pole: polynomials and a quotient.
fn polynomial(random: &mut Random) -> Case {
    let c: Vec<i64> = (0..5).map(|_| random.next(-1500, 1500)).collect();
    let s: Vec<i64> = (0..4).map(|_| random.next(-900, 900)).collect();
    let pole = random.next(0, 1) * random.next(100, 900);
    // V = c0 x²/2 + c1 y²/2 + c2 x² y + c3 y³/3 + c4 x² y² − p/(4 + x² + y²)
    let text = format!(
        "coord x, y\nkinetic: x'^2/2 + y'^2/2\npotential: {}/1000*x^2/2 + {}/1000*y^2/2 + {}/1000*x^2*y + {}/1000*y^3/3 + {}/1000*x^2*y^2 - {pole}/1000/(4 + x^2 + y^2)\ninitial x = {}/1000, y = {}/1000, x' = {}/1000, y' = {}/1000\n",
        c[0], c[1], c[2], c[3], c[4], s[0], s[1], s[2], s[3]
    );
    let c: Vec<Pair> = c.iter().map(|c| Pair::thousandths(*c)).collect();
    let (p, two) = (Pair::thousandths(pole), Pair(2.0, 0.0));
    let force = move |_: Pair, q: &[Pair]| {
        let (x, y) = (q[0], q[1]);
        let (xx, yy) = (x.mul(x), y.mul(y));
        let r = Pair(4.0, 0.0).add(xx).add(yy);
        let k = two.mul(p).div(r.mul(r));
        let fx = c[0]
            .add(two.mul(c[2]).mul(y))
            .add(two.mul(c[4]).mul(yy))
            .add(k);
        let fy = c[1].add(c[3].mul(y)).add(two.mul(c[4]).mul(xx)).add(k);
        vec![fx.mul(x).neg(), fy.mul(y).add(c[2].mul(xx)).neg()]
    };
    Case {
        text,
        start: s.iter().map(|s| Pair::thousandths(*s)).collect(),
        accelerations: Box::new(force),
    }
}

/// A double pendulum in general: a coupled mass matrix, sin, cos, exp, damping and a drive.
fn trigonometric(random: &mut Random) -> Case {
    let (a, b) = (random.next(800, 3000), random.next(800, 3000));
    // c² < a·b
    let c = random.next(-700, 700);
    let k: Vec<i64> = (0..3).map(|_| random.next(-4000, 4000)).collect();
    let (d, e, w) = (
        random.next(0, 500),
        random.next(-2000, 2000),
        random.next(-3000, 3000),
    );
    let s: Vec<i64> = (0..4).map(|_| random.next(-1500, 1500)).collect();
    let text = format!(
        "coord x, y\nkinetic: {a}/1000*x'^2/2 + {b}/1000*y'^2/2 + {c}/1000*x'*y'*cos(x - y)\n\
         potential: {}/1000*cos(x) + {}/1000*sin(y) + {}/1000*exp(-(x^2 + y^2)/2)\n\
         force: x = -{d}/1000*x' + {e}/1000*cos({w}/1000*t), y = -{d}/1000*y'\n\
         initial x = {}/1000, y = {}/1000, x' = {}/1000, y' = {}/1000\n",
        k[0], k[1], k[2], s[0], s[1], s[2], s[3]
    );
    let [a, b, c, d, e, w] = [a, b, c, d, e, w].map(Pair::thousandths);
    let k: Vec<Pair> = k.iter().map(|k| Pair::thousandths(*k)).collect();
    let force = move |t: Pair, q: &[Pair]| {
        let (x, y, u, v) = (q[0], q[1], q[2], q[3]);
        let (sine, cosine) = (x.sub(y).sin(), x.sub(y).cos());
        let hill = x.mul(x).add(y.mul(y)).div(Pair(-2.0, 0.0)).exp();
        // a x″ + c cos(x − y) y″ = −c y′² sin(x − y) − ∂V/∂x − d x′ + e cos(w t), and the same for y.
        let bell = k[2].mul(hill);
        let drive = e.mul(w.mul(t).cos());
        let right = k[0].mul(x.sin()).add(bell.mul(x)).sub(d.mul(u));
        let f = right.add(drive).sub(c.mul(sine).mul(v).mul(v));
        let right = bell.mul(y).sub(k[1].mul(y.cos())).sub(d.mul(v));
        let g = right.add(c.mul(sine).mul(u).mul(u));
        let m = c.mul(cosine);
        let determinant = a.mul(b).sub(m.mul(m));
        vec![
            b.mul(f).sub(m.mul(g)).div(determinant),
            a.mul(g).sub(m.mul(f)).div(determinant),
        ]
    };
    Case {
        text,
        start: s.iter().map(|s| Pair::thousandths(*s)).collect(),
        accelerations: Box::new(force),
    }
}

/// Compares a motion with its reference.
fn compared(case: &Case, random: &mut Random) -> Outcome {
    let t = random.next(50, 900);
    let tolerance = [1e-17, 1e-17, 1e-12, 1e-9][random.next(0, 3) as usize];
    let text = &case.text;
    let found = enclosed(text, (t, 1000), tolerance);
    if !found.certified {
        return Outcome::Open;
    }
    // Shorter steps where the motion runs away, until the last correction is small.
    let mut steps = 2 + t as usize / 100;
    let reference = loop {
        let start = case.start.clone();
        let (y, error) = extrapolated(&case.accelerations, start, Pair::thousandths(t), steps);
        let size = y.iter().map(|x| x.0.abs()).fold(1.0, f64::max);
        if error < 1e-19 * size {
            break y;
        }
        steps *= 2;
        assert!(steps < 2000, "{text} {error:e}");
    };
    let pairs = reference.iter().zip(state(&found));
    let beyond = pairs.map(|(x, i)| x.beyond(i));
    Outcome::Compared(beyond.fold(f64::NEG_INFINITY, f64::max), found.width())
}

/// A model with many functions, for runs in 212 bits.
fn with_functions(random: &mut Random) -> String {
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

/// Compares a motion with its run in 212 bits.
fn compared_with_digits(text: &str, random: &mut Random) -> Outcome {
    let model = model(text);
    let to = model.pool().number(Rational::new(random.next(10, 90), 100));
    let state = model.initial_state().unwrap();
    let start: Vec<_> = (state.position.iter().chain(&state.velocity))
        .copied()
        .collect();
    let settings = Settings {
        from: state.time,
        to,
        start: start.iter().map(|x| Range::exactly(*x)).collect(),
        parameters: vec![],
        tolerance: [1e-17, 1e-14, 1e-10][random.next(0, 2) as usize],
        charts: vec![],
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
    if !enclosure.certified {
        return Outcome::Open;
    }
    let run = follow(&model, &settings, &mut |_| true).unwrap();
    if run.failure.is_some() {
        return Outcome::Open;
    }
    let intervals = enclosure.position.iter().chain(&enclosure.velocity);
    let beyond = |(x, [low, high]): (&Decimal, &[f64; 2])| {
        let x: Rational = x.as_str().parse().unwrap();
        let [low, high] = [low, high].map(|x| Rational::from_f64(*x).unwrap());
        (&low + &-&x).to_f64().max((&x + &-&high).to_f64())
    };
    let distances = run.state.iter().zip(intervals).map(beyond);
    Outcome::Compared(
        distances.fold(f64::NEG_INFINITY, f64::max),
        enclosure.width(),
    )
}

/// The results of many motions.
#[derive(Default)]
struct Tally {
    motions: u64,
    open: u64,
    misses: Vec<String>,
    widest: f64,
}

impl Tally {
    /// Makes the motion of a seed.
    fn add(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        let (text, outcome) = match seed % 3 {
            0 | 1 => {
                let case = match seed % 3 {
                    0 => polynomial(&mut random),
                    _ => trigonometric(&mut random),
                };
                let outcome = compared(&case, &mut random);
                (case.text, outcome)
            }
            _ => {
                let text = with_functions(&mut random);
                let outcome = compared_with_digits(&text, &mut random);
                (text, outcome)
            }
        };
        self.motions += 1;
        match outcome {
            Outcome::Open => self.open += 1,
            Outcome::Compared(beyond, width) => {
                self.widest = self.widest.max(width);
                if beyond.is_nan() || beyond > REFERENCE_ERROR {
                    self.misses
                        .push(format!("seed {seed}, outside by {beyond:e}:\n{text}"));
                }
            }
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} motions, {} outside of their enclosure, {} not compared to the end, widest {:.1e}",
            self.motions,
            self.misses.len(),
            self.open,
            self.widest
        )
    }

    fn judge(&self) {
        println!("{}", self.summary());
        assert!(self.misses.is_empty(), "{}", self.misses.join("\n"));
        assert!(self.open * 20 <= self.motions, "{}", self.summary());
    }
}

#[test]
fn random_motions_are_enclosed() {
    let mut tally = Tally::default();
    (0..MOTIONS).for_each(|seed| tally.add(seed));
    tally.judge();
}

/// The functions of pairs that references use, against values of mpmath.
#[test]
fn functions_of_pairs_have_thirty_digits() {
    use common::pair;
    let x = pair("1.7");
    for (found, digits) in [
        (x.sin(), "0.991664810452468615346133398647876"),
        (x.cos(), "-0.128844494295524684087642857334873"),
        (x.exp(), "5.4739473917271997607908626630091"),
    ] {
        let error = found.sub(pair(digits));
        assert!(error.0.abs() < 1e-29, "{error:?}");
    }
}

/// Motions for a time, or so many of them, from a seed on: `cargo xtask fuzz-certify`.
#[test]
#[ignore = "for as long as one likes"]
fn longer() {
    let variable = |name: &str| {
        let value = std::env::var(name).ok();
        value.map(|value| value.parse::<u64>().expect("a number"))
    };
    let motions = variable("GALILEI_FUZZ_MOTIONS");
    let seconds = variable("GALILEI_FUZZ_SECONDS").or(motions.is_none().then_some(300));
    let seconds = seconds.map(Duration::from_secs);
    let mut seed = variable("GALILEI_FUZZ_SEED").unwrap_or(MOTIONS);
    let start = Instant::now();
    let mut tally = Tally::default();
    while seconds.is_none_or(|most| start.elapsed() < most)
        && motions.is_none_or(|most| tally.motions < most)
    {
        tally.add(seed);
        seed = seed.wrapping_add(1);
        if tally.motions.is_multiple_of(5000) {
            println!("{}", tally.summary());
        }
    }
    tally.judge();
}
