//! Bytes as a model file: read, and everything asked of what comes out.
#![no_main]

use galilei_model::{Settings, Severity, read};
use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/check/tests/random/mutate.rs"]
mod mutate;

fuzz_target!(|data: &[u8]| {
    // Either the bytes themselves, or a seed for a mutated model.
    let text = match data {
        [0, seed @ ..] if seed.len() <= 8 => {
            let seed = seed.iter().fold(0, |n, b| n << 8 | u64::from(*b));
            mutate::draw(&mut mutate::Dice::new(seed))
        }
        _ => match std::str::from_utf8(data) {
            Ok(text) => text.to_owned(),
            Err(_) => return,
        },
    };
    let outcome = read(&text, &Settings::default());
    for d in &outcome.diagnostics {
        d.render("model", &text);
    }
    let errors = outcome.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(errors, outcome.model.is_none());
    let Some(model) = outcome.model else { return };
    if model.validate().iter().all(|d| d.severity == Severity::Warning) {
        galilei_check::check(&model);
        let _ = model.initial_state().and_then(|s| model.evaluate(&s));
    }
});
