#![allow(missing_docs)]
use galilei::integrate::Options;
use galilei::{Settings, compile, read};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let settings = Settings {
        set: args[5..].to_vec(),
        ..Settings::default()
    };
    let (to, reps): (f64, usize) = (args[3].parse().unwrap(), args[4].parse().unwrap());
    let model = read(&text, &settings).model.unwrap();
    let c = compile(&model).unwrap();
    let st = model.initial_state().unwrap();
    let start: Vec<f64> = st
        .position
        .iter()
        .chain(&st.velocity)
        .map(|e| e.evaluate_f64(&[]))
        .collect();
    for tol in args[2].split(',') {
        let tolerance: f64 = tol.parse().unwrap();
        let o = |to: f64| Options {
            from: 0.0,
            to,
            every: Some(1e9),
            tolerance,
            max_steps: 100_000_000,
        };
        let (mut best, mut setup) = (f64::INFINITY, f64::INFINITY);
        let mut r = None;
        for _ in 0..reps {
            let t = std::time::Instant::now();
            let _ = c.integrate(&start, &o(1e-9), |_| true);
            setup = setup.min(t.elapsed().as_secs_f64());
            let t = std::time::Instant::now();
            let run = c.integrate(&start, &o(to), |_| true);
            best = best.min(t.elapsed().as_secs_f64());
            r = Some(run);
        }
        let r = r.unwrap();
        println!(
            "tol {tol} order {} steps {} setup {:.2} ms, run {:.3} ms, {:.0} ns/step, balance {:.1e} end {:?}",
            r.order,
            r.steps,
            setup * 1e3,
            (best - setup) * 1e3,
            (best - setup) / r.steps as f64 * 1e9,
            r.energy_balance,
            &r.state[..r.state.len().min(2)]
        );
    }
}
