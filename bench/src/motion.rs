//! Work `motion`: one trajectory, its time and its measured error at several tolerances.

use galilei::Model;
use galilei_integrate::{Options, Prepared, Record, Run, Status};

use crate::chain::GRAVITY;
use crate::clock::{Clock, MEASURED_SECONDS, MIN_REPEATS, undisturbed};
use crate::models::{Digits, Source, bodies, cart, disk, pendulum, sleigh};

/// End states with more than 20 digits, from `bench/peers/motion.py reference`.
const REFERENCES: &str = include_str!("../references.txt");
/// The difference of the first angle between consecutive initial states.
const START_SPACING: f64 = 1.0 / 1024.0;
const TOLERANCES: [f64; 8] = [1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15, f64::EPSILON];
const SOLAR_TOLERANCES: [f64; 3] = [1e-14, 1e-15, f64::EPSILON];

/// The outer solar system: mass in that of the sun (which has the inner planets'), place in astronomical
/// units, velocity in units by day.
const BODIES: [(f64, [f64; 3], [f64; 3]); 6] = [
    (
        1.00000597682,
        [
            -4.06428567034226e-3,
            -6.08813756435987e-3,
            -1.66162304225834e-6,
        ],
        [
            6.69048890636161e-6,
            -6.33922479583593e-6,
            -3.13202145590767e-9,
        ],
    ),
    (
        1.0 / 1047.355,
        [3.40546614227466, 3.62978190075864, 3.42386261766577e-2],
        [
            -5.59797969310664e-3,
            5.51815399480116e-3,
            -2.66711392865591e-6,
        ],
    ),
    (
        1.0 / 3501.6,
        [6.60801554403466, 6.38084674585064, -1.36145963724542e-1],
        [
            -4.17354020307064e-3,
            3.99723751748116e-3,
            1.67206320571441e-5,
        ],
    ),
    (
        1.0 / 22869.0,
        [11.1636331405597, 16.0373479057256, 0.361783279369958],
        [
            -3.25884806151064e-3,
            2.06438412905916e-3,
            -2.17699042180559e-5,
        ],
    ),
    (
        1.0 / 19314.0,
        [-30.1777243405203, 1.91155314998064, -0.153887595621042],
        [
            -2.17471785045538e-4,
            -3.11361111025884e-3,
            3.58344705491441e-5,
        ],
    ),
    (
        7.4074074e-09,
        [-21.3858977531573, 32.0719104739886, 2.49245689556096],
        [
            -1.76936577252484e-3,
            -2.06720938381724e-3,
            6.58091931493844e-4,
        ],
    ),
];
const DAYS: f64 = 365.0;
const GAUSS: f64 = 0.01720209895;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Regular,
    Chaotic,
    Chain,
    Solar,
    Sleigh,
    Disk,
}

impl Case {
    fn named(name: &str) -> Self {
        match name {
            "chaotic" => Self::Chaotic,
            "chain" => Self::Chain,
            "solar" => Self::Solar,
            "sleigh" => Self::Sleigh,
            "disk" => Self::Disk,
            _ => Self::Regular,
        }
    }

    fn end(self) -> f64 {
        match self {
            Self::Regular | Self::Chaotic | Self::Sleigh | Self::Disk => 1000.0,
            Self::Chain => 10.0,
            Self::Solar => 1e5,
        }
    }

    /// The time at which the error is measured: chaotic chains lose all digits at late times.
    fn error_time(self, n: usize) -> f64 {
        match (self, n) {
            (Self::Chain, 16) => 4.0,
            _ => self.end(),
        }
    }

    /// A short time after which all sides must agree.
    fn check_time(self) -> f64 {
        match self {
            Self::Regular | Self::Sleigh | Self::Disk => 5.0,
            Self::Chaotic => 2.0,
            Self::Chain => 0.5,
            Self::Solar => 100.0,
        }
    }

    fn starts(self) -> usize {
        if self == Self::Solar { 1 } else { 4 }
    }

    fn tolerances(self) -> &'static [f64] {
        match self {
            Self::Solar => &SOLAR_TOLERANCES,
            _ => &TOLERANCES,
        }
    }

    fn source(self, n: usize) -> Source {
        match self {
            Self::Regular | Self::Chaotic => pendulum(Digits::Exact),
            Self::Chain => cart(n, Digits::Exact),
            Self::Solar => {
                let masses: Vec<f64> = BODIES[..n].iter().map(|b| b.0).collect();
                bodies(&masses, GAUSS * GAUSS * (DAYS * DAYS), Digits::Exact)
            }
            Self::Sleigh => sleigh(Digits::Exact),
            Self::Disk => disk(Digits::Exact),
        }
    }

    /// The j-th start: positions, then velocities, in the order of the coordinates.
    fn start(self, n: usize, j: usize) -> Vec<f64> {
        let shift = j as f64 * START_SPACING;
        match self {
            Self::Regular => vec![0.5 + shift, 0.3, 0.0, 0.0],
            Self::Chaotic => vec![2.0 + shift, 2.5, 0.0, 0.0],
            Self::Chain => {
                let mut state = vec![0.0; 2 * (n + 1)];
                for k in 1..=n {
                    state[k] = 0.8 * (k as f64).cos();
                }
                state[1] += shift;
                state
            }
            Self::Solar => {
                let axis = |k: usize| BODIES[..n].iter().map(move |b| b.1[k]);
                let rate = |k: usize| BODIES[..n].iter().map(move |b| DAYS * b.2[k]);
                (0..3).flat_map(axis).chain((0..3).flat_map(rate)).collect()
            }
            Self::Sleigh => {
                let (heading, speed) = (0.1 + shift, 0.5);
                let (y, x) = heading.sin_cos();
                vec![0.0, 0.0, heading, speed * x, speed * y, 2.0]
            }
            Self::Disk => {
                let (heading, rolling) = (0.1 + shift, 1.7);
                let (y, x) = heading.sin_cos();
                let speed = 0.5 * rolling;
                vec![0.0, 0.0, heading, 0.0, speed * x, speed * y, 0.8, rolling]
            }
        }
    }

    /// A state in the order of the references: body after body, and under velocity constraints only as many
    /// velocities as there are degrees of freedom.
    fn ordered(self, n: usize, state: &[f64]) -> Vec<f64> {
        match (self, state) {
            (Self::Solar, _) => {}
            (Self::Sleigh, &[x, y, theta, u, v, w]) => {
                let along = u * theta.cos() + v * theta.sin();
                return vec![x, y, theta, along, w];
            }
            (Self::Disk, &[x, y, phi, psi, _, _, turning, rolling]) => {
                return vec![x, y, phi, psi, turning, rolling];
            }
            _ => return state.to_vec(),
        }
        let halves = [0, 3 * n].into_iter();
        halves
            .flat_map(|half| (0..n).flat_map(move |i| (0..3).map(move |k| half + k * n + i)))
            .map(|at| state[at])
            .collect()
    }

    /// The error of an end state, if there is a reference.
    fn error(self, name: &str, n: usize, j: usize, state: &[f64]) -> Option<f64> {
        if self == Self::Chaotic {
            let energy = pendulum_energy(&self.start(n, j));
            return Some(((pendulum_energy(state) - energy) / energy).abs());
        }
        let pairs = reference(name, n, j)?
            .into_iter()
            .zip(self.ordered(n, state));
        Some(pairs.fold(0.0, |m: f64, (r, x)| m.max((x - r).abs())))
    }
}

/// The end state of a case, to more digits than doubles have, if it is among the references.
pub(crate) fn reference(name: &str, n: usize, j: usize) -> Option<Vec<f64>> {
    let key = [name.to_owned(), n.to_string(), j.to_string()];
    let line = REFERENCES
        .lines()
        .find(|line| line.split_whitespace().take(3).eq(key.iter()));
    let values = line?.split_whitespace().skip(3);
    values.map(|w| w.parse().ok()).collect()
}

fn pendulum_energy(s: &[f64]) -> f64 {
    let kinetic = s[2] * s[2] + 0.5 * s[3] * s[3] + s[2] * s[3] * (s[0] - s[1]).cos();
    kinetic - GRAVITY * (2.0 * s[0].cos() + s[1].cos())
}

/// A run, and the seconds of its motion, counted from its first report, when the code of the series is compiled
/// and the first step is computed.
fn integrate(prepared: &mut Prepared, start: &[f64], to: f64, tolerance: f64) -> (Run, f64) {
    let options = Options {
        to,
        record: Record::Every(1e9),
        tolerance,
        max_steps: 100_000_000,
        ..Options::default()
    };
    let mut clock = None;
    let run = prepared.integrate(start, &options, |_| {
        clock.get_or_insert_with(Clock::start);
        true
    });
    let seconds = clock.map_or(0.0, |clock| clock.seconds());
    assert_eq!(run.status, Status::Finished);
    (run, seconds)
}

/// Seconds from the model text to the first step of the series, compilation included.
fn compile_seconds(source: &Source, start: &[f64], tolerance: f64) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let clock = Clock::start();
        let model = source.read();
        let compiled = model.compile().expect("the model compiles");
        let mut prepared = compiled.prepared(tolerance);
        std::hint::black_box(integrate(&mut prepared, start, 1e-12, tolerance).0.steps);
        best = best.min(clock.seconds());
    }
    best
}

pub(crate) fn run(sizes: &[usize], name: &str) {
    let case = Case::named(name);
    for &n in sizes {
        let source = case.source(n);
        let model: Model = source.read();
        let compiled = model.compile().expect("the model compiles");
        let start = case.start(n, 0);
        let mut curve = Vec::new();
        let (mut check, mut total) = (0.0, 0.0);
        for &tolerance in case.tolerances() {
            let mut prepared = compiled.prepared(tolerance);
            let (mut times, mut spent) = (Vec::new(), 0.0);
            let (mut steps, mut order) = (0, 0);
            while times.len() < MIN_REPEATS || spent < MEASURED_SECONDS {
                let whole = Clock::start();
                let (run, seconds) = integrate(&mut prepared, &start, case.end(), tolerance);
                (steps, order) = (run.steps, run.order);
                times.push(seconds);
                spent += whole.seconds();
            }
            let best = undisturbed(times);
            total = best;
            let mut squares = Some(0.0);
            for j in 0..case.starts() {
                let (run, _) = integrate(
                    &mut prepared,
                    &case.start(n, j),
                    case.error_time(n),
                    tolerance,
                );
                let error = case.error(name, n, j, &run.state);
                squares = squares
                    .zip(error)
                    .map(|(sum, error): (f64, f64)| sum + error.powi(2));
            }
            let mean = |sum: f64| format!("{:e}", (sum / case.starts() as f64).sqrt());
            let error = squares.map_or("null".to_owned(), mean);
            let compile_s = compile_seconds(&source, &start, tolerance);
            curve.push(format!(
                r#"{{"tolerance":{tolerance:e},"seconds":{total:e},"error":{error},"compile_s":{compile_s:e},"steps":{steps},"order":{order}}}"#
            ));
            let (early, _) = integrate(&mut prepared, &start, case.check_time(), tolerance);
            let early = case.ordered(n, &early.state);
            let weighted = early.iter().enumerate();
            check = weighted.map(|(i, x)| (1.0 + 0.37 * i as f64) * x).sum();
        }
        println!(
            r#"{{"work":"motion","peer":"galilei","n":{n},"variant":"{name}","total_s":{total:e},"check":{check:?},"curve":[{}]}}"#,
            curve.join(",")
        );
    }
}

/// Repeats a run without measuring; the number of its steps.
pub(crate) fn repeated(name: &str, n: usize, tolerance: f64, repeats: usize) -> usize {
    let case = Case::named(name);
    let model: Model = case.source(n).read();
    let compiled = model.compile().expect("the model compiles");
    let mut prepared = compiled.prepared(tolerance);
    let start = case.start(n, 0);
    (0..repeats).fold(0, |_, _| {
        integrate(&mut prepared, &start, case.end(), tolerance)
            .0
            .steps
    })
}
