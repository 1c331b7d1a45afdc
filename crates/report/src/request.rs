//! Which topics are asked for.

use galilei_model::Diagnostic;

use crate::topic::Topic;

/// The topics that a list of words asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The topics, each once; those of `all` in reading order.
    pub topics: Vec<Topic>,
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
    /// assert_eq!(Request::of(&["hamiltom"]).diagnostics[0].hint, "did you mean `hamilton`?");
    /// ```
    pub fn of<S: AsRef<str>>(words: &[S]) -> Self {
        let mut request = Self::default();
        let mut all = false;
        for word in words.iter().map(AsRef::as_ref) {
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
}
