//! Work `ensemble`: many damped driven double pendulums to t = 20 on one core, at several tolerances.

use std::time::Instant;

use galilei_integrate::{Ensemble, Run, Start};

use crate::clock::{Clock, MIN_REPEATS};
use crate::models::{Digits, driven};
use crate::motion::reference;

/// The size under which the work is listed: the degrees of freedom.
const FREEDOM: usize = 2;
const END: f64 = 20.0;
const COUNT: usize = 960;
/// The number of runs that are compared with references.
const COMPARED: usize = 16;
const TOLERANCES: [f64; 8] = [1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15, f64::EPSILON];

/// The initial state of run j; the states are evenly spread over (−1, 1) in every component.
fn start(j: usize) -> Start {
    let steps = [2.0_f64, 3.0, 5.0, 7.0].map(f64::sqrt);
    let component = |step: f64| 2.0 * ((j + 1) as f64 * step).fract() - 1.0;
    Start {
        number: j as u64,
        from: 0.0,
        to: END,
        state: steps.map(component).to_vec(),
        fixed: vec![],
        project: false,
    }
}

fn ends(ensemble: &Ensemble, starts: &[Start]) -> Vec<Run> {
    let mut runs: Vec<Option<Run>> = vec![None; starts.len()];
    ensemble.worker().run(
        starts.iter().cloned(),
        |number, run| runs[number as usize] = Some(run),
        || true,
    );
    runs.into_iter().flatten().collect()
}

pub(crate) fn run() {
    let source = driven(Digits::Exact);
    let starts: Vec<Start> = (0..COUNT).map(start).collect();
    let mut curve = Vec::new();
    let (mut check, mut total) = (0.0, 0.0);
    for tolerance in TOLERANCES {
        let clock = Clock::start();
        let compiled = source.read().compile().expect("the model compiles");
        let ensemble = compiled.ensemble(tolerance, Ensemble::widest());
        let compile_s = clock.seconds();
        let mut best = f64::INFINITY;
        let mut runs = Vec::new();
        for _ in 0..MIN_REPEATS {
            let clock = Clock::start();
            runs = ends(&ensemble, &starts);
            best = best.min(clock.seconds());
        }
        assert_eq!(runs.len(), COUNT);
        total = best / COUNT as f64;
        let squares: f64 = (0..COMPARED)
            .map(|j| {
                let pairs = reference("driven", FREEDOM, j)
                    .expect("there is a reference")
                    .into_iter()
                    .zip(&runs[j].state);
                pairs
                    .fold(0.0_f64, |m, (r, x)| m.max((x - r).abs()))
                    .powi(2)
            })
            .sum();
        let error = (squares / COMPARED as f64).sqrt();
        let steps = runs.iter().map(|r| r.steps).sum::<usize>() / COUNT;
        curve.push(format!(
            r#"{{"tolerance":{tolerance:e},"seconds":{total:e},"error":{error:e},"compile_s":{compile_s:e},"steps":{steps},"order":{}}}"#,
            ensemble.order()
        ));
        let first = runs[..4].iter().flat_map(|r| &r.state).enumerate();
        check = first.map(|(i, x)| (1.0 + 0.37 * i as f64) * x).sum();
    }
    println!(
        r#"{{"work":"ensemble","peer":"galilei","n":{FREEDOM},"variant":"driven","total_s":{total:e},"check":{check:?},"curve":[{}]}}"#,
        curve.join(",")
    );
}

/// The number of runs for each thread.
const RUNS_PER_THREAD: u64 = 16 * galilei::BLOCK;

/// Prints the runs per second of sweeps by one thread and by all cores, in turns, and, as the limit of the machine,
/// the speed-up of sums that use no memory.
pub(crate) fn threads() {
    let model = driven(Digits::Exact).read();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let sweep = |threads: usize| {
        let sweep = model.sweep().to(END).tolerance(1e-9);
        let sweep = sweep.sample(RUNS_PER_THREAD * threads as u64);
        let sweep = sweep.vary("a in -1..1, b in -1..1, a' in -1..1, b' in -1..1");
        let sweep = sweep.threads(threads).build();
        sweep.expect("the sweep compiles")
    };
    let sweeps = [sweep(1), sweep(cores)];
    let (mut seconds, mut idle) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    for _ in 0..2 * MIN_REPEATS {
        for (k, threads) in [1, cores].into_iter().enumerate() {
            let time = sweeps[k].run(|_| false, |_| true).integrate;
            seconds[k] = seconds[k].min(time);
            idle[k] = idle[k].min(sums(threads));
        }
    }
    let gain = |t: [f64; 2]| cores as f64 * t[0] / t[1];
    println!(
        r#"{{"work":"ensemble","peer":"galilei","n":{FREEDOM},"variant":"threads","threads":{cores},"runs_per_s":{:.0},"gain":{:.3},"gain_of_sums":{:.3}}}"#,
        RUNS_PER_THREAD as f64 / seconds[0],
        gain(seconds),
        gain(idle)
    );
}

/// Seconds by the wall clock in which each of some threads computes a long sum.
fn sums(threads: usize) -> f64 {
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut x = 1.0_f64;
                for _ in 0..100_000_000_u64 {
                    x = x * 0.999 + 0.5;
                }
                std::hint::black_box(x);
            });
        }
    });
    started.elapsed().as_secs_f64()
}

/// Repeats the runs of a tenth of the initial states without measuring; the number of their steps.
pub(crate) fn repeated(tolerance: f64, repeats: usize) -> usize {
    let source = driven(Digits::Exact);
    let starts: Vec<Start> = (0..COUNT / 10).map(start).collect();
    let compiled = source.read().compile().expect("the model compiles");
    let ensemble = compiled.ensemble(tolerance, Ensemble::widest());
    (0..repeats).fold(0, |_, _| {
        ends(&ensemble, &starts).iter().map(|r| r.steps).sum()
    })
}
