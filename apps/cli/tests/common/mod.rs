//! The command, its JSON, and the paths of the repository.

#![allow(dead_code, unreachable_pub)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the command left behind.
pub struct Answer {
    /// The exit status.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Answer {
    /// Standard output as JSON.
    pub fn json(&self) -> Json {
        Json::parse(&self.out)
    }
}

/// Runs the command; `input` goes to standard input.
pub fn galilei(arguments: &[&str], input: &str) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args(arguments)
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A command that refuses its words does not read.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    let done = child.wait_with_output().expect("the command ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Answer {
        code: done.status.code().expect("no signal"),
        out: text(done.stdout),
        err: text(done.stderr),
    }
}

/// A directory of its own for a test.
pub fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("galilei-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory");
    path
}

/// The directory of the model files.
pub fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// The path of a model file.
pub fn model(name: &str) -> String {
    let path = models().join(format!("{name}.gal"));
    path.to_str().expect("UTF-8").to_owned()
}

/// The names of all files in a directory with a given ending, without it, in order.
pub fn names(directory: PathBuf, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter_map(|n| n.strip_suffix(ending).map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// A JSON document.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// null
    Null,
    /// true, false
    Bool(bool),
    /// A number as text.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a document; anything that is not JSON fails the test.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str::<Value>(text).expect("JSON").into()
    }

    /// An entry of an object, null if there is none.
    pub fn get(&self, key: &str) -> &Self {
        match self {
            Self::Object(entries) => entries
                .iter()
                .find(|e| e.0 == key)
                .map_or(&Self::Null, |e| &e.1),
            _ => &Self::Null,
        }
    }

    /// The elements of a list.
    pub fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            other => panic!("not a list: {other:?}"),
        }
    }

    /// The entries of an object.
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            other => panic!("not an object: {other:?}"),
        }
    }

    /// A string.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("not a string: {other:?}"),
        }
    }

    /// A number, or a string that holds one.
    pub fn number(&self) -> f64 {
        match self {
            Self::Number(text) | Self::Text(text) => text.parse().expect("a number"),
            other => panic!("not a number: {other:?}"),
        }
    }

    /// A list of numbers.
    pub fn numbers(&self) -> Vec<f64> {
        self.list().iter().map(Self::number).collect()
    }

    /// A list of lists of numbers, row after row.
    pub fn flat(&self) -> Vec<f64> {
        self.list().iter().flat_map(Self::numbers).collect()
    }

    /// Whether nothing is there.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(b),
            Value::Number(n) => Self::Number(n.to_string()),
            Value::String(s) => Self::Text(s),
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            Value::Object(entries) => {
                Self::Object(entries.into_iter().map(|(k, v)| (k, v.into())).collect())
            }
        }
    }
}

/// What `decide` says of an equality.
pub fn verdict(left: &str, right: &str) -> String {
    let claim = format!("{left} = {right}");
    let answer = galilei(&["decide", "--json", &claim], "");
    assert_eq!(answer.code, 0, "{claim}: {}", answer.out);
    answer.json().get("verdict").text().to_owned()
}

/// Replaces whole words.
pub fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let part = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(at) = rest.find(word) {
        let (before, tail) = rest.split_at(at);
        let after = &tail[word.len()..];
        let inside =
            before.chars().next_back().is_some_and(part) || after.chars().next().is_some_and(part);
        out.push_str(before);
        out.push_str(if inside { word } else { by });
        rest = after;
    }
    out + rest
}
