//! A model file as it was read, and what is to be said before it is used.

use std::io::{self, Read};
use std::path::Path;

use galilei_model::{Code, Diagnostic, Model, Settings, State, read};

use crate::method::cautions;
use crate::motion::RunSettings;

/// A model with its text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The name of the file.
    pub name: String,
    /// The text, without a byte order mark.
    pub source: String,
    /// Everything that reading had to say.
    pub diagnostics: Vec<Diagnostic>,
    /// The model, unless something was an error.
    pub model: Option<Model>,
}

impl Loaded {
    /// Reads a file, with values for parameters and constants.
    pub fn open(path: &str, set: &[String]) -> Self {
        match std::fs::File::open(path) {
            Ok(file) => Self::from_reader(path, file, set),
            Err(e) => Self::unreadable(path, &e),
        }
    }

    /// The same from anything that gives bytes.
    pub fn from_reader(name: &str, reader: impl Read, set: &[String]) -> Self {
        let mut bytes = Vec::new();
        let limit = 1 + galilei_syntax::MAX_FILE_BYTES as u64;
        if let Err(e) = reader.take(limit).read_to_end(&mut bytes) {
            return Self::unreadable(name, &e);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::from_text(name, &text, set),
            Err(e) => {
                let at = e.utf8_error().valid_up_to();
                let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
                let message = format!("{name} is not UTF-8 text (line {line}, byte {at})");
                Self::refused(name, message, "save the file as UTF-8")
            }
        }
    }

    /// The same from a text. A model without a title is called by the stem of the name.
    pub fn from_text(name: &str, text: &str, set: &[String]) -> Self {
        let stem = Path::new(name).file_stem();
        let settings = Settings {
            set: set.to_vec(),
            title: stem.map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned()),
        };
        let source = text.strip_prefix('\u{feff}').unwrap_or(text);
        let outcome = read(source, &settings);
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            diagnostics: outcome.diagnostics,
            model: outcome.model,
        }
    }

    fn unreadable(name: &str, why: &io::Error) -> Self {
        Self::refused(
            name,
            format!("{name} cannot be read: {why}"),
            "check the path",
        )
    }

    fn refused(name: &str, message: String, hint: &str) -> Self {
        Self {
            name: name.to_owned(),
            source: String::new(),
            diagnostics: vec![Diagnostic::error(Code::CannotRead, message, hint, None)],
            model: None,
        }
    }

    /// What is to be said before formulas are derived: the initial state does not matter.
    pub fn before_formulas(&self, model: &Model) -> Vec<Diagnostic> {
        self.with(of_all_states(model.validate()))
    }

    /// What is to be said before values are computed at a state, which is judged instead of the initial one.
    pub fn before_values<'m>(&self, model: &'m Model, at: Option<&State<'m>>) -> Vec<Diagnostic> {
        self.with(of_all_states(model.validate_at(at)))
    }

    /// What is to be said before a run, which may start from the nearest state on the constraints.
    pub fn before_run(&self, model: &Model, settings: &RunSettings) -> Vec<Diagnostic> {
        let judged = match settings.from {
            Some(from) => model.validate_from(from),
            None => model.validate(),
        };
        let judged = judged.into_iter();
        let judged =
            judged.filter(|d| !settings.project || d.code != Code::StateViolatesConstraint);
        self.with(judged.chain(cautions(model, settings)))
    }

    fn with(&self, more: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
        self.diagnostics.iter().cloned().chain(more).collect()
    }
}

/// What speaks of the model at all states, not of the initial one.
fn of_all_states(list: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    (list.into_iter()).filter(|d| !d.code.concerns_one_state())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(list: &[Diagnostic]) -> Vec<Code> {
        list.iter().map(|d| d.code).collect()
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let missing = Loaded::open("nowhere/model.gal", &[]);
        assert_eq!(codes(&missing.diagnostics), [Code::CannotRead]);
        let bytes: &[u8] = b"coord x\n\xff";
        let broken = Loaded::from_reader("m.gal", bytes, &[]);
        assert!(broken.diagnostics[0].message.contains("line 2, byte 8"));
        let marked = Loaded::from_text("a/pendulum.gal", "\u{feff}coord x\nkinetic: x'^2", &[]);
        assert_eq!(marked.model.unwrap().title(), "pendulum");
        assert!(marked.source.starts_with("coord"));
    }

    #[test]
    fn a_start_off_the_constraint_matters_to_runs() {
        let text = "coord x, y\nkinetic: x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\ninitial x = 2\n";
        let loaded = Loaded::from_text("m.gal", text, &[]);
        let model = loaded.model.as_ref().unwrap();
        let mut settings = RunSettings::default();
        assert_eq!(
            codes(&loaded.before_run(model, &settings)),
            [Code::StateViolatesConstraint]
        );
        settings.project = true;
        assert!(loaded.before_run(model, &settings).is_empty());
        assert!(loaded.before_formulas(model).is_empty());
    }
}
