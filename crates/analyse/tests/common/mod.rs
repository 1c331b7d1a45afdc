//! Models of the tests.

use galilei_model::{Model, Settings, read};

/// The model of a text with parameters set, `m=2`.
pub(crate) fn model(text: &str, set: &[&str]) -> Model {
    let settings = Settings {
        set: set.iter().map(|s| (*s).to_owned()).collect(),
        ..Settings::default()
    };
    let outcome = read(text, &settings);
    outcome
        .model
        .unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}
