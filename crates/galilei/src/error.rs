//! The error of all requests: one or more diagnostics and the text they point at.

use std::fmt;
use std::io;
use std::sync::Arc;

use galilei_export::source::UnknownLanguage;
use galilei_integrate::{Error as RunError, Method, UnknownMethod};
use galilei_mechanics::UnknownActionKind;
use galilei_model::{Code, Diagnostic};

/// The reasons why a model was not read, or a request about it was refused: one or more [`Diagnostic`]s, and the text
/// they point at.
///
/// Its `Display` shows every diagnostic with the line it is about:
///
/// ```
/// let error = galilei::Model::parse("coord x\nkinetic: y'^2/2\n").unwrap_err();
/// assert_eq!(error.diagnostics()[0].code.as_str(), "unknown_name");
/// assert!(error.to_string().contains("2 | kinetic: y'^2/2"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Error {
    diagnostics: Vec<Diagnostic>,
    name: String,
    text: String,
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error about a text that has a name, such as that of a file.
    pub fn about(name: &str, text: &str, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            diagnostics,
            name: name.to_owned(),
            text: text.to_owned(),
            cause: None,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(name: &str, cause: io::Error) -> Self {
        let message = format!("{name} cannot be read: {cause}");
        let diagnostic = Diagnostic::error(Code::CannotRead, message, "check the path", None);
        Self {
            cause: Some(Arc::new(cause)),
            ..Self::about(name, "", vec![diagnostic])
        }
    }

    /// The diagnostics in the order in which they were found; warnings may be among them.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The name of the text that diagnostics point at: that of a file, or empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that diagnostics point at; empty if there is none.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The diagnostics alone.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if k == 0 { "" } else { "\n" };
            let rendered = diagnostic.render(&self.name, &self.text);
            write!(f, "{separator}{}", rendered.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::about("", "", diagnostics)
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::from(vec![diagnostic])
    }
}

impl From<RunError> for Error {
    fn from(cause: RunError) -> Self {
        let hint = "`Motion::run` has the motion until then";
        let diagnostic = Diagnostic::error(Code::RunFailed, cause.to_string(), hint, None);
        Self {
            cause: Some(Arc::new(cause)),
            ..Self::from(diagnostic)
        }
    }
}

impl From<UnknownMethod> for Error {
    fn from(why: UnknownMethod) -> Self {
        Self::from(unknown_method(&why))
    }
}

/// The diagnostic of a method that does not exist.
pub(crate) fn unknown_method(why: &UnknownMethod) -> Diagnostic {
    let names = Method::ALL.map(|m| format!("`{m}`"));
    let hint = format!("there are {}; `taylor` is the default", names.join(", "));
    Diagnostic::error(Code::UnknownMethod, why.to_string(), hint, None)
}

impl From<UnknownLanguage> for Error {
    fn from(why: UnknownLanguage) -> Self {
        Self::from(Diagnostic::from(why))
    }
}

impl From<UnknownActionKind> for Error {
    fn from(why: UnknownActionKind) -> Self {
        let hint = "there are a, b, c, d, e and f";
        Self::from(Diagnostic::error(
            Code::UnknownFunctional,
            why.to_string(),
            hint,
            None,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use crate::Model;

    #[test]
    fn an_unreadable_file_has_a_source() {
        let error = Model::open("nowhere/model.gal").unwrap_err();
        assert_eq!(error.diagnostics()[0].code.as_str(), "cannot_read");
        let source = error.source().unwrap().downcast_ref::<std::io::Error>();
        assert_eq!(source.unwrap().kind(), std::io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with("error[cannot_read]: nowhere"));
    }

    #[test]
    fn a_failed_run_has_a_source() {
        let text =
            "coord x\nkinetic: x'^2/2\nforce: x = x^3\ninitial x = 1, x' = 1\nsimulate to 10\n";
        let motion = Model::parse(text).unwrap().simulate().run().unwrap();
        let error = motion.finished().unwrap_err();
        assert_eq!(error.diagnostics()[0].code.as_str(), "run_failed");
        let source = error.source().unwrap().downcast_ref::<crate::RunError>();
        assert_eq!(source, Some(&crate::RunError::NotFinite));
    }

    #[test]
    fn names_of_methods_and_functionals_are_parsed_with_a_question_mark() {
        fn parsed(method: &str, kind: &str) -> Result<String, crate::Error> {
            let method: crate::Method = method.parse()?;
            let kind: crate::ActionKind = kind.parse()?;
            Ok(format!("{method} {kind}"))
        }
        assert_eq!(parsed("gauss4", "b").unwrap(), "gauss4 b");
        let code = |error: crate::Error| error.diagnostics()[0].code.to_string();
        assert_eq!(code(parsed("gauss5", "b").unwrap_err()), "unknown_method");
        assert_eq!(
            code(parsed("gauss4", "z").unwrap_err()),
            "unknown_functional"
        );
    }
}
