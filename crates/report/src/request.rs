//! Which topics are asked for.

use galilei_model::{Code, Diagnostic, Model};

use crate::topic::Topic;

/// The topics that a list of words asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The topics, each once; those of `all` in reading order.
    pub topics: Vec<Topic>,
    /// The reference fields of `inertia A B`.
    pub between: Option<[String; 2]>,
    /// Errors for words that name no topic.
    pub diagnostics: Vec<Diagnostic>,
}

impl Request {
    /// Reads the words of `derive`; without any, [`Topic::DEFAULT`] is meant.
    ///
    /// ```
    /// use galilei_report::{Request, Topic};
    /// assert_eq!(Request::of(&["hamilton"]).topics, [Topic::Hamilton]);
    /// assert_eq!(Request::of::<&str>(&[]).topics, [Topic::Lagrange, Topic::Energy]);
    /// let between = Request::of(&["inertia", "lab", "disk", "energy"]);
    /// assert_eq!(between.topics, [Topic::Inertia, Topic::Energy]);
    /// assert_eq!(between.between.unwrap(), ["lab", "disk"]);
    /// assert_eq!(Request::of(&["hamiltom"]).diagnostics[0].hint, "did you mean `hamilton`?");
    /// ```
    pub fn of<S: AsRef<str>>(words: &[S]) -> Self {
        let mut request = Self::default();
        let mut all = false;
        let mut rest = words.iter().map(AsRef::as_ref).peekable();
        let is_field = |word: &&str| *word != "all" && word.parse::<Topic>().is_err();
        while let Some(word) = rest.next() {
            // `inertia A B`: two names that are no topics.
            if word == Topic::Inertia.name()
                && let Some(observer) = rest.next_if(is_field)
            {
                match rest.next_if(is_field) {
                    Some(free) => request.between = Some([observer.into(), free.into()]),
                    None => request.diagnostics.push(Diagnostic::error(
                        Code::UnknownRequest,
                        format!("`inertia {observer}` names one reference field"),
                        "write `inertia A B` for the inertia force between two of them, or `inertia` for all",
                        None,
                    )),
                }
            }
            match word.parse::<Topic>() {
                _ if word == "all" => all = true,
                Ok(topic) if request.topics.contains(&topic) => {}
                Ok(topic) => request.topics.push(topic),
                Err(e) => request.diagnostics.push(e.into()),
            }
        }
        if all {
            request.topics = Topic::ALL.to_vec();
        } else if words.is_empty() {
            request.topics = Topic::DEFAULT.to_vec();
        }
        request
    }

    /// The request with the story of a model in its own order: a system that is given by its action form begins with
    /// it where everything is asked for.
    #[must_use]
    pub fn in_order_of(mut self, model: &Model) -> Self {
        let given = model.contents().given.as_ref();
        let by_form = given.is_some_and(|g| g.statement == "action form");
        if by_form && self.topics == Topic::ALL {
            self.topics.retain(|t| *t != Topic::ActionForm);
            self.topics.insert(0, Topic::ActionForm);
        }
        self
    }
}
