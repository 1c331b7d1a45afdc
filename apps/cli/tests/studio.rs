//! `galilei studio`: the page on this machine alone, and the engine behind it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

struct Studio {
    child: Child,
    port: u16,
    token: String,
    folder: PathBuf,
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const MODEL: &str = "param k = 4 [N/m], m = 100 [g]\ncoord x [m]\nparticle p: mass m at x\nspring: stiffness k from 0 to x\ninitial x = 0.1\nsimulate to 3\n";

impl Studio {
    fn start(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("galilei-studio-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("model.gal");
        std::fs::write(&file, MODEL).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
            .arg("studio")
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        Self {
            child,
            port: port.parse().unwrap(),
            token: token.trim_end_matches('/').to_owned(),
            folder,
        }
    }

    /// Sends a request as it is and returns the status and the body.
    fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A refused request may be answered before it was read completely.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, b)| b);
        (status.unwrap_or(0), body.to_owned())
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        self.raw(&format!(
            "{method} /{}{path} HTTP/1.1\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        ))
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, &self.host(), "")
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.request("POST", path, &self.host(), &body.to_string());
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}

#[test]
fn only_the_own_page_is_served() {
    let studio = Studio::start("own");
    let (status, page) = studio.get("/");
    assert_eq!(status, 200);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("\"server\":true"));
    // Another name for this machine, another page, no token, another path.
    let port = studio.port;
    assert_eq!(
        studio.request("GET", "/", "Host: evil.example\r\n", "").0,
        403
    );
    assert_eq!(studio.request("GET", "/", "", "").0, 403);
    let origin = format!("{}Origin: https://evil.example\r\n", studio.host());
    assert_eq!(studio.request("POST", "/answer", &origin, "{}").0, 403);
    let own = format!("{}Origin: http://127.0.0.1:{port}\r\n", studio.host());
    assert_eq!(studio.request("POST", "/answer", &own, "{}").0, 200);
    let none = format!("GET / HTTP/1.1\r\n{}\r\n", studio.host());
    assert_eq!(studio.raw(&none).0, 404);
    for path in [
        "/../model.gal",
        "/model.gal",
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/file/../../x",
    ] {
        assert_eq!(studio.get(path).0, 404, "{path}");
    }
    assert_eq!(studio.request("DELETE", "/file", &studio.host(), "").0, 405);
    // Requests that are none, and too large ones.
    assert_eq!(studio.raw("\r\n\r\n").0, 400);
    assert_eq!(
        studio
            .raw(&format!(
                "GET / HTTP/1.1\r\nA: {}\r\n\r\n",
                "x".repeat(40_000)
            ))
            .0,
        400
    );
    let large = format!("{}Content-Length: 99999999999\r\n", studio.host());
    let large = format!("POST /{}/answer HTTP/1.1\r\n{large}\r\n", studio.token);
    assert_eq!(studio.raw(&large).0, 413);
    // It listens on the loopback address alone.
    let listens = Path::new("/proc/net/tcp");
    if let Ok(table) = std::fs::read_to_string(listens) {
        let wanted = format!(":{port:04X}");
        let rows = table.lines().filter(|l| {
            l.split_whitespace()
                .nth(1)
                .is_some_and(|a| a.ends_with(&wanted))
        });
        assert!(rows.clone().count() > 0);
        assert!(rows.into_iter().all(|l| l.contains(" 0100007F:")));
    }
}

#[test]
fn the_file_is_saved_and_changes_from_outside_are_seen() {
    let studio = Studio::start("save");
    let (_, file) = studio.get("/file");
    let file: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        (&file["name"], &file["text"]),
        (&json!("model.gal"), &json!(MODEL))
    );
    let changed = MODEL.replace("0.1", "0.2");
    let (status, saved) = studio.post("/save", &json!({ "text": changed, "stamp": file["stamp"] }));
    assert_eq!(status, 200);
    let path = studio.folder.join("model.gal");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
    // Another program writes: the next save is refused and nothing is lost.
    std::fs::write(&path, "coord y\n").unwrap();
    let (status, now) = studio.post("/save", &json!({ "text": MODEL, "stamp": saved["stamp"] }));
    assert_eq!((status, &now["text"]), (409, &json!("coord y\n")));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "coord y\n");
    assert_eq!(std::fs::read_dir(&studio.folder).unwrap().count(), 1);
}

#[test]
fn the_engine_gives_the_states_of_the_command_line() {
    let studio = Studio::start("engine");
    let ask = |request: Value| studio.post("/answer", &request).1;
    let run = ask(json!({ "command": "simulate", "text": MODEL, "set": ["k=2"], "to": 1.5 }));
    let path = studio.folder.join("model.gal");
    let output = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .arg("simulate")
        .arg(&path)
        .args(["--set", "k=2", "--to", "1.5", "--json"])
        .output()
        .unwrap();
    let own: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["status", "time", "position", "velocity", "steps"] {
        assert_eq!(run[key], own[key], "{key}");
    }
    // x = cos(√(k/m)·t)/10 with k = 2, m = 1/10
    let x = run["position"][0].as_f64().unwrap();
    assert!((x - 0.1 * (20f64.sqrt() * 1.5).cos()).abs() < 1e-12, "{x}");

    let read = ask(json!({ "command": "read", "text": MODEL }));
    assert_eq!(read["ok"], true);
    assert_eq!(
        read["parameters"][1],
        json!({ "name": "m", "value": 100.0, "unit": "g" })
    );
    assert_eq!(
        read["start"][0],
        json!({ "name": "x", "value": 0.1, "unit": "m" })
    );
    assert_eq!(read["to"], 3.0);
    let wrong = ask(json!({ "command": "read", "text": "coord x\nkinetic: y'^2" }));
    assert_eq!(wrong["diagnostics"][0]["code"], "unknown_name");
    for (command, part) in [
        ("derive", "<math"),
        ("motion", "<svg"),
        ("page", "All findings"),
        ("latex", "\\documentclass"),
        ("csv", "t,x,x'"),
    ] {
        let answer = ask(json!({ "command": command, "text": MODEL }));
        assert!(
            answer["text"].as_str().is_some_and(|t| t.contains(part)),
            "{command}: {answer}"
        );
    }
    let python = ask(json!({ "command": "export", "text": MODEL, "language": "python" }));
    assert!(
        python["text"]
            .as_str()
            .unwrap()
            .contains("def accelerations")
    );
    let hover = ask(json!({
        "command": "lsp", "text": MODEL, "lsp": "textDocument/hover",
        "params": { "position": { "line": 1, "character": 2 } },
    }));
    assert!(
        hover["result"]["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("chart of space-time")
    );
    // Nonsense is refused in words.
    for request in [json!({ "command": "fly" }), json!({ "speed": 3 }), json!(7)] {
        assert!(ask(request)["refused"].is_string());
    }
    let refused = ask(json!({ "command": "simulate", "text": "coord x" }));
    assert_eq!(refused["ok"], false);
    assert!(refused["errors"][0]["code"].is_string());
}
