//! JSON, written by hand: a value and its text.

use std::fmt::Write;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// null
    Null,
    /// true, false
    Bool(bool),
    /// A number that reads back to the same double; not finite ones are null.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// A string.
    Text(String),
    /// [ … ]
    List(Vec<Json>),
    /// { … }, in this order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object.
    pub fn object<K: Into<String>>(entries: impl IntoIterator<Item = (K, Json)>) -> Self {
        Self::Object(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// A list of numbers.
    pub fn numbers(list: &[f64]) -> Self {
        Self::List(list.iter().map(|x| Self::Number(*x)).collect())
    }

    /// A list of strings.
    pub fn texts<S: Into<String>>(list: impl IntoIterator<Item = S>) -> Self {
        Self::List(list.into_iter().map(|s| Self::Text(s.into())).collect())
    }

    /// A string.
    pub fn text(s: impl Into<String>) -> Self {
        Self::Text(s.into())
    }

    /// Something or null.
    pub fn maybe<T>(value: Option<T>, f: impl FnOnce(T) -> Json) -> Self {
        value.map_or(Self::Null, f)
    }

    /// The text without spaces, safe inside an HTML script element.
    pub fn compact(&self) -> String {
        let join = |parts: Vec<String>| parts.join(",");
        match self {
            Self::List(list) => format!("[{}]", join(list.iter().map(Self::compact).collect())),
            Self::Object(entries) => {
                let entries = entries.iter().map(|(name, v)| {
                    let mut key = String::new();
                    write_text(&mut key, name);
                    format!("{}:{}", key.replace('<', "\\u003c"), v.compact())
                });
                format!("{{{}}}", join(entries.collect()))
            }
            other => other.to_string().replace('<', "\\u003c"),
        }
    }

    fn is_flat(&self) -> bool {
        match self {
            Self::List(list) => list
                .iter()
                .all(|v| !matches!(v, Self::List(_) | Self::Object(_))),
            Self::Object(entries) => entries.is_empty(),
            _ => true,
        }
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Self::Number(x) if x.is_finite() => {
                let _ = write!(out, "{x:?}");
            }
            Self::Number(_) => out.push_str("null"),
            Self::Integer(n) => {
                let _ = write!(out, "{n}");
            }
            Self::Text(s) => write_text(out, s),
            Self::List(list) => {
                out.push('[');
                let flat = self.is_flat();
                for (k, v) in list.iter().enumerate() {
                    if k > 0 {
                        out.push(',');
                    }
                    if flat {
                        if k > 0 {
                            out.push(' ');
                        }
                    } else {
                        line(out, depth + 1);
                    }
                    v.write(out, depth + 1);
                }
                if !flat {
                    line(out, depth);
                }
                out.push(']');
            }
            Self::Object(entries) => {
                out.push('{');
                for (k, (name, v)) in entries.iter().enumerate() {
                    if k > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    write_text(out, name);
                    out.push_str(": ");
                    v.write(out, depth + 1);
                }
                if !entries.is_empty() {
                    line(out, depth);
                }
                out.push('}');
            }
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn write_text(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        self.write(&mut out, 0);
        f.write_str(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_and_numbers_read_back() {
        let v = Json::object([
            ("a\"b", Json::text("x\n\u{1}")),
            ("n", Json::numbers(&[0.1, 1e300, f64::NAN])),
        ]);
        assert_eq!(
            v.to_string(),
            "{\n  \"a\\\"b\": \"x\\n\\u0001\",\n  \"n\": [0.1, 1e300, null]\n}"
        );
        let script = Json::object([("</script>", Json::text("</script>"))]);
        assert_eq!(
            script.compact(),
            "{\"\\u003c/script>\":\"\\u003c/script>\"}"
        );
    }
}
