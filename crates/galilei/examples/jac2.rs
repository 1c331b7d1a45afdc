//! x
use galilei::integrate::{Directions, Options};
use galilei::{Settings, compile_varied, read};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let to: f64 = a[2].parse().unwrap();
    let tol: f64 = a[3].parse().unwrap();
    let reps: usize = a[5].parse().unwrap();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let model = read(&text, &Settings::default()).model.unwrap();
    let c = compile_varied(&model, &[]).unwrap();
    let n = c.coordinates.len();
    let s = model.initial_state().unwrap();
    let start: Vec<f64> = s
        .position
        .iter()
        .chain(&s.velocity)
        .map(|e| e.evaluate_f64(&[]))
        .collect();
    let o = Options {
        from: 0.0,
        to,
        every: Some(to),
        tolerance: tol,
        max_steps: 1 << 40,
    };
    let d = Directions::all(c.tape(), n);
    let mut best = f64::INFINITY;
    let mut steps = 0;
    for _ in 0..reps {
        let t = Instant::now();
        steps = if a[4] == "plain" {
            c.integrate(&start, &o, |_| true).steps
        } else {
            c.integrate_with(&start, &o, &d, |_| true).0.steps
        };
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!("{} {steps} steps {:.3} ms", a[4], best * 1e3);
}
