//! Which sections are asked for.

use galilei_model::{Code, Diagnostic};

use crate::derivation::WHAT;

/// What a list of words asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The sections, each once; those of `all` in reading order.
    pub sections: Vec<&'static str>,
    /// Words that ask for nothing, and what `all` leaves out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Request {
    /// Reads the words of `derive`; without any, the equations and the energy are meant.
    ///
    /// ```
    /// use galilei_report::Request;
    /// assert_eq!(Request::of(&["hamilton"]).sections, ["hamilton"]);
    /// assert_eq!(Request::of::<&str>(&[]).sections, ["lagrange", "energy"]);
    /// assert_eq!(Request::of(&["hamiltom"]).diagnostics[0].hint, "did you mean `hamilton`?");
    /// ```
    pub fn of<S: AsRef<str>>(words: &[S]) -> Self {
        let mut request = Self::default();
        let mut all = false;
        for word in words.iter().map(AsRef::as_ref) {
            match (word, WHAT.iter().find(|k| k.0 == word)) {
                ("all", _) => all = true,
                (_, Some((name, true))) if !request.sections.contains(name) => {
                    request.sections.push(name);
                }
                (_, Some((_, true))) => {}
                (_, Some((_, false))) => request.diagnostics.push(Diagnostic::error(
                    Code::NotAvailable,
                    format!("`{word}` is not available in this version"),
                    "`derive all` gives what is",
                    None,
                )),
                (_, None) => request.diagnostics.push(unknown(word)),
            }
        }
        if all {
            request.all();
        } else if words.is_empty() {
            request.sections = vec!["lagrange", "energy"];
        }
        request
    }

    /// Everything this version has.
    fn all(&mut self) {
        self.sections = WHAT.iter().filter(|w| w.1).map(|w| w.0).collect();
        let skipped: Vec<&str> = WHAT.iter().filter(|w| !w.1).map(|w| w.0).collect();
        if !skipped.is_empty() {
            self.diagnostics.push(Diagnostic::warning(
                Code::NotAvailable,
                format!(
                    "skipped, because this version does not have it: {}",
                    skipped.join(", ")
                ),
                "",
                None,
            ));
        }
    }
}

fn unknown(word: &str) -> Diagnostic {
    let known: Vec<&str> = WHAT.iter().map(|w| w.0).collect();
    let hint = match galilei_syntax::nearest(word, known.iter().copied()) {
        Some(n) => format!("did you mean `{n}`?"),
        None => format!("what can be derived: {}, all", known.join(", ")),
    };
    Diagnostic::error(
        Code::UnknownRequest,
        format!("`{word}` cannot be derived"),
        hint,
        None,
    )
}
