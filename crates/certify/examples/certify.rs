//! Encloses the motion of a model file: `cargo run --release -p galilei-certify --example certify FILE END [TOLERANCE]`.

use galilei_certify::{CERTIFIED_TOLERANCE, Range, Settings, certify};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, end, rest @ ..] = &words[..] else {
        eprintln!("give a model file and the end of the run");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let Some(model) = galilei_model::read(&text, &Default::default()).model else {
        eprintln!("{path} is no model");
        return;
    };
    let number = |text: &str| {
        text.parse()
            .map(|q: galilei_expr::Rational| model.pool().number(q))
    };
    let (Ok(to), Ok(state)) = (number(end), model.initial_state()) else {
        eprintln!("there are no numbers");
        return;
    };
    let settings = Settings {
        from: state.time,
        to,
        start: state
            .position
            .iter()
            .chain(&state.velocity)
            .map(|x| Range::exactly(*x))
            .collect(),
        parameters: vec![],
        tolerance: rest
            .first()
            .and_then(|t| t.parse().ok())
            .unwrap_or(CERTIFIED_TOLERANCE),
    };
    let started = std::time::Instant::now();
    match certify(&model, &settings, &mut |_| true) {
        Err(list) => println!("{path}: {}", list[0].message),
        Ok(c) => {
            println!(
                "{path}: {} until {} width {:.1e}, {} steps ({} rejected) of order {}, {:.2} s {}",
                c.certified,
                c.until,
                c.width(),
                c.steps,
                c.rejected,
                c.order,
                started.elapsed().as_secs_f64(),
                c.reason.as_deref().unwrap_or_default()
            );
            for [low, high] in c.position.iter().chain(&c.velocity) {
                println!("   [{low:.17e}, {high:.17e}]");
            }
            for e in c.events.iter().take(30) {
                println!("   event {} {:?} {}", e.event, e.time, e.certified);
            }
        }
    }
}
