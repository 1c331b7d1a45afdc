//! Chromium without a window, controlled through a pair of named pipes.
//!
//! With `--remote-debugging-pipe` the browser reads commands from its third file and writes answers to its
//! fourth, JSON with a zero byte behind each. A shell connects them to the pipes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::debian;
use crate::test::succeeds;

/// The names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The colour scheme that a reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    Light,
    Dark,
}

/// A running browser.
pub(crate) struct Chromium {
    child: Child,
    commands: File,
    answers: BufReader<File>,
    folder: PathBuf,
    /// The number of commands sent so far.
    given: u64,
    /// Errors that pages reported since they were last read.
    page_errors: Vec<String>,
}

impl Chromium {
    /// Starts the browser that is installed, or that Debian's packages can install; `None` without one.
    pub(crate) fn start() -> Result<Option<Self>, String> {
        let Some(program) = program() else {
            return Ok(None);
        };
        let folder = std::env::temp_dir().join(format!("galilei-browser-{}", std::process::id()));
        let problem = |error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(problem)?;
        let [inward, outward] = ["in", "out"].map(|name| folder.join(name));
        if !succeeds(Command::new("mkfifo").args([&inward, &outward])) {
            return Err("mkfifo does not work".to_string());
        }
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$IN\" 4>\"$OUT\"", program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .envs([("IN", &inward), ("OUT", &outward)])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let commands = File::options().write(true).open(&inward).map_err(problem)?;
        let answers = BufReader::new(File::open(&outward).map_err(problem)?);
        Ok(Some(Self {
            child,
            commands,
            answers,
            folder,
            given: 0,
            page_errors: Vec::new(),
        }))
    }

    /// The value of an expression on a page, and the errors that the page reported.
    pub(crate) fn evaluate(
        &mut self,
        page: &Path,
        width: u32,
        paper: Paper,
        expression: &str,
    ) -> Result<(Value, Vec<String>), String> {
        self.page_errors.clear();
        let target = self.call("", "Target.createTarget", json!({"url": "about:blank"}))?;
        let target = target["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        let attached = self.call("", "Target.attachToTarget", attach)?;
        let session = attached["sessionId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let scheme = match paper {
            Paper::Light => "light",
            Paper::Dark => "dark",
        };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        let screen =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        let address = json!({"url": format!("file://{}", page.display())});
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        self.call(&session, "Runtime.enable", json!({}))?;
        self.call(&session, "Log.enable", json!({}))?;
        self.call(&session, "Emulation.setDeviceMetricsOverride", screen)?;
        self.call(&session, "Emulation.setEmulatedMedia", media)?;
        self.call(&session, "Page.navigate", address)?;
        let answer = self.call(&session, "Runtime.evaluate", asked)?;
        self.call("", "Target.closeTarget", json!({"targetId": target}))?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            return Err(format!("the page could not be measured: {thrown}"));
        }
        Ok((answer["result"]["value"].clone(), self.page_errors.clone()))
    }

    /// Sends a command and waits for its answer.
    fn call(&mut self, session: &str, method: &str, params: Value) -> Result<Value, String> {
        self.given += 1;
        let mut command = json!({"id": self.given, "method": method, "params": params});
        if !session.is_empty() {
            command["sessionId"] = json!(session);
        }
        let problem = |error| format!("{method}: {error}");
        let text = format!("{command}\0");
        self.commands.write_all(text.as_bytes()).map_err(problem)?;
        loop {
            let mut bytes = Vec::new();
            self.answers.read_until(0, &mut bytes).map_err(problem)?;
            if bytes.pop() != Some(0) {
                return Err(format!("{method}: the browser is gone"));
            }
            let answer: Value =
                serde_json::from_slice(&bytes).map_err(|error| format!("{method}: {error}"))?;
            if answer["id"] == json!(self.given) {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(answer["result"].clone()),
                };
            }
            self.page_errors.extend(page_error(&answer));
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.call("", "Browser.close", json!({}));
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The error that an event reports, if any.
fn page_error(event: &Value) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
        "Runtime.consoleAPICalled" if params["type"] == "error" => Some(params["args"].to_string()),
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            Some(params["entry"]["text"].to_string())
        }
        _ => None,
    }
}

/// The browser that is installed, or that Debian's packages can install; `None` without one.
pub(crate) fn program() -> Option<&'static str> {
    installed().or_else(install)
}

fn installed() -> Option<&'static str> {
    let there = |program: &&str| succeeds(Command::new(program).arg("--version"));
    NAMES.into_iter().find(there)
}

fn install() -> Option<&'static str> {
    debian::install(&["chromium"]).then(installed).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_are_page_errors() {
        let said = |level: &str| json!({"method": "Log.entryAdded", "params": {"entry": {"level": level, "text": "x"}}});
        assert!(page_error(&said("error")).is_some());
        assert!(page_error(&said("info")).is_none());
        let thrown = json!({"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": {"text": "no"}}});
        assert!(page_error(&thrown).is_some());
        assert!(page_error(&json!({"method": "Page.loadEventFired"})).is_none());
    }
}
