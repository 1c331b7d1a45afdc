//! A validator of HTML: `html-validate` from npm, which works without a network once it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::test::succeeds;

/// The package with its version, the last one for the Node of Debian's packages.
const PACKAGE: &str = "html-validate@8.29.0";
/// The rules of the standard, without those on style and recommendations.
const RULES: &str = r#"{"root": true, "extends": ["html-validate:standard"]}"#;

/// An installed validator.
pub(crate) struct Validator {
    program: PathBuf,
    rules: PathBuf,
}

impl Validator {
    /// The validator in a folder, installed there if necessary; `None` if that is not possible.
    pub(crate) fn start(folder: &Path) -> Result<Option<Self>, String> {
        let problem = |error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(problem)?;
        let rules = folder.join("rules.json");
        fs::write(&rules, RULES).map_err(problem)?;
        let program = folder.join("node_modules/.bin/html-validate");
        let works = || succeeds(Command::new(&program).arg("--version"));
        if !works() {
            println!("html-validate is not installed; asking npm for it");
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
                .args([folder.as_os_str(), PACKAGE.as_ref()]);
            if !succeeds(&mut npm) || !works() {
                return Ok(None);
            }
        }
        Ok(Some(Self { program, rules }))
    }

    /// The problems of a page.
    pub(crate) fn problems(&self, page: &Path) -> Result<Vec<String>, String> {
        let output = Command::new(&self.program)
            .args(["--formatter", "json", "--config"])
            .args([&self.rules, page])
            .output()
            .map_err(|error| format!("html-validate: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let found: Value = serde_json::from_str(&said)
            .map_err(|error| format!("html-validate: {error}: {said}"))?;
        Ok(messages(&found))
    }
}

/// The messages of a report, with the places they are about.
fn messages(report: &Value) -> Vec<String> {
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let all = list(report).into_iter().flat_map(|f| list(&f["messages"]));
    let told = all.map(|m| {
        let text = m["message"].as_str().unwrap_or_default().to_owned();
        format!("invalid at {}:{}: {text}", m["line"], m["column"])
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_have_places() {
        let report = json!([{"messages": [{"message": "Stray end tag", "line": 2, "column": 68}]}]);
        assert_eq!(messages(&report), ["invalid at 2:68: Stray end tag"]);
        assert_eq!(messages(&json!([])), [""; 0]);
    }
}
