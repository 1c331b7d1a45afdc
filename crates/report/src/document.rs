//! The JSON documents of the commands, as types. Scripts rely on their keys and on the order of these.
//!
//! ```
//! use galilei_model::{Settings, read};
//! use galilei_report::document::{self, Evaluation};
//! let model = read("coord x\nkinetic: x'^2\n", &Settings::default()).model.unwrap();
//! let values = model.evaluate(&model.state_at("x = 3").unwrap()).unwrap();
//! let text = document::to_text(&Evaluation::new("mass", &values));
//! assert!(text.starts_with("{\n  \"system\": \"mass\",\n  \"time\": 0.0,"));
//! ```

mod check;
mod decision;
mod derivation;
mod diagnostic;
mod evaluation;
mod pretty;

use serde::{Serialize, Serializer};

pub use check::{Check, Constraints, Finding, Force};
pub use decision::Decision;
pub use derivation::{Component, Derivation, Section};
pub use diagnostic::{Answer, Diagnostic, Refusal, warnings};
pub use evaluation::{Evaluation, Reactions};

/// The text of a document: lists of plain values on one line, objects with a line for each entry. Numbers that are
/// not finite are null.
///
/// # Panics
/// If a document is no JSON: it has an object with keys that are no texts.
pub fn to_text(document: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut bytes, pretty::Pretty::default());
    document
        .serialize(&mut serializer)
        .expect("a document is JSON");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// The text of a document without spaces, safe inside an HTML script element.
pub(crate) fn to_script(document: &impl Serialize) -> String {
    let text = serde_json::to_string(document).expect("a document is JSON");
    // Outside of strings JSON has no such sign.
    text.replace('<', "\\u003c")
}

/// An object whose keys are names of the model, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> FromIterator<(String, T)> for Entries<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries<T>(list: impl IntoIterator<Item = (&'static str, T)>) -> Entries<T> {
        list.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
    }

    #[test]
    fn plain_lists_are_on_one_line_and_everything_else_is_indented() {
        #[derive(Serialize)]
        struct All {
            plain: Vec<Option<f64>>,
            empty: Vec<f64>,
            rows: Vec<Vec<f64>>,
            objects: Vec<Entries<bool>>,
            nothing: Entries<bool>,
        }
        let all = All {
            plain: vec![Some(0.1), None, Some(-1e300), Some(f64::NAN), Some(1e16)],
            empty: vec![],
            rows: vec![vec![1.0, 2.0], vec![]],
            objects: vec![entries([("a", true), ("b", false)]), entries([])],
            nothing: entries([]),
        };
        let wanted = r#"{
  "plain": [0.1, null, -1e300, null, 1e16],
  "empty": [],
  "rows": [
    [1.0, 2.0],
    []
  ],
  "objects": [
    {
      "a": true,
      "b": false
    },
    {}
  ],
  "nothing": {}
}"#;
        assert_eq!(to_text(&all), wanted);
    }

    #[test]
    fn strings_are_escaped_and_scripts_cannot_be_closed() {
        let text = entries([("a\"b", "x\n\u{1}ü")]);
        assert_eq!(to_text(&text), "{\n  \"a\\\"b\": \"x\\n\\u0001ü\"\n}");
        let script = entries([("</script>", "</script>")]);
        assert_eq!(
            to_script(&script),
            "{\"\\u003c/script>\":\"\\u003c/script>\"}"
        );
    }
}
