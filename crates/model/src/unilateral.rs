//! Models with contacts, friction elements and impacts: the motion of such a model goes through several modes.

use galilei_syntax::Span;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::model::Model;

impl Model {
    /// Whether the model has `contact`, `friction` or `impact` statements.
    pub fn has_contacts(&self) -> bool {
        self.first_contact().is_some()
    }

    /// The diagnostic of a request that contacts, friction and impacts do not admit.
    pub fn contacts_not_available(&self, what: &str) -> Vec<Diagnostic> {
        let first = self.first_contact();
        let word = first.as_ref().map_or("contact", |f| f.1);
        vec![Diagnostic::error(
            Code::NotAvailable,
            format!("{what} is not available for models with `{word}` statements"),
            "use `simulate` or `sweep`; or leave the statement out, and describe one mode of the motion by `constraint` and `force`",
            first.map(|f| f.0),
        )]
    }

    /// Refuses a request that needs smooth motion, by its name, for a model with contacts, friction or impacts.
    ///
    /// # Errors
    /// If the model has such statements.
    pub fn smooth_motion_for(&self, what: &str) -> Result<(), Vec<Diagnostic>> {
        match self.has_contacts() {
            true => Err(self.contacts_not_available(what)),
            false => Ok(()),
        }
    }

    /// The warning that formulas and properties are those of free motion, if the model has contacts, friction or impacts.
    pub fn free_motion(&self) -> Option<Diagnostic> {
        let (span, word, name) = self.first_contact()?;
        let c = self.contents();
        let count = c.contacts.len() + c.frictions.len() + c.impacts.len();
        let others = match count {
            1 => String::new(),
            2 => " and one more".to_owned(),
            n => format!(" and {} more", n - 1),
        };
        Some(Diagnostic::warning(
            Code::FreeMotion,
            format!(
                "these are the equations of free motion: the {word} `{name}`{others} is not in them"
            ),
            "they hold while contacts are open, without friction, between impacts; `simulate` and `sweep` have all of it",
            span,
        ))
    }

    /// The first statement among contacts, friction elements and impacts: its place, its word and its name.
    fn first_contact(&self) -> Option<(Span, &'static str, &str)> {
        let c = self.contents();
        let contacts = c.contacts.iter().map(|x| (x.span, "contact", &x.name[..]));
        let frictions = (c.frictions.iter()).map(|x| (x.span, "friction", &x.name[..]));
        let impacts = c.impacts.iter().map(|x| (x.span, "impact", &x.name[..]));
        contacts.chain(frictions).chain(impacts).next()
    }
}
