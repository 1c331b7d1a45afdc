//! `galilei lsp`: sessions of the protocol over standard input and output, and `galilei fmt`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// The longest wait for a message: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that speaks the protocol.
struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Notifications that came while an answer was awaited.
    kept: Vec<Value>,
    next: i64,
}

const URI: &str = "file:///nowhere/pendulum.gal";

impl Client {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    let line = line.trim_end();
                    if line.is_empty() {
                        break;
                    }
                    if let Some(count) = line.strip_prefix("Content-Length: ") {
                        length = count.parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            child,
            input,
            messages,
            kept: vec![],
            next: 0,
        };
        let support = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let answer = client.ask("initialize", json!({ "capabilities": support }));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole answer to a request, with its error.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
            self.kept.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// A request about a place in the document.
    fn at(&mut self, method: &str, line: usize, character: usize) -> Value {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": line, "character": character },
        });
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn open(&mut self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "galilei", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, version: i32, changes: Value) {
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    /// The diagnostics of a version of the document.
    fn diagnostics(&mut self, version: i32) -> Vec<Value> {
        loop {
            let wanted = |m: &Value| {
                m["method"] == "textDocument/publishDiagnostics"
                    && m["params"]["version"] == json!(version)
            };
            if let Some(k) = self.kept.iter().position(wanted) {
                let message = self.kept.remove(k);
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
            let message = self.messages.recv_timeout(PATIENCE).expect("diagnostics");
            self.kept.push(message);
        }
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

const PENDULUM: &str = "# A pendulum 🚲 with friction
system \"Pendulum\"
param m = 1 [kg], l = 50 [cm], g = 9.81 [m/s^2], c = 0.1
coord θ [rad]

let bob = (l*sin(θ), -l*cos(θ))
let speed = l*θ'
let along(s) = (sin(s), -cos(s))
particle bob: mass m at bob
gravity: (0, -g)
force friction: θ = -c*θ'

initial θ = 1
simulate to 10 method taylor
output height: sum(k in 1..1: k*bob.y)
";

#[test]
fn a_session_with_a_right_model() {
    let mut client = Client::start();
    client.open(PENDULUM);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());

    // Hovers: declarations with unit and value, statements, functions, units.
    let text = |v: Value| v["contents"]["value"].as_str().unwrap_or("").to_owned();
    let hover = text(client.at("hover", 5, 11));
    assert!(hover.contains("parameter, in m"), "{hover}");
    assert!(hover.contains("= 1/2 [m]"), "{hover}");
    let hover = text(client.at("hover", 6, 5));
    assert!(hover.contains("abbreviation, in m/s"), "{hover}");
    let hover = text(client.at("hover", 10, 16));
    assert!(hover.contains("coordinate, dimensionless"), "{hover}");
    let hover = text(client.at("hover", 8, 2));
    assert!(hover.contains("A point mass"), "{hover}");
    let hover = text(client.at("hover", 5, 13));
    assert!(hover.contains("trigonometric"), "{hover}");
    assert!(text(client.at("hover", 2, 13)).contains("kg"));
    assert_eq!(client.at("hover", 4, 0), Value::Null);

    // Definitions: `bob` of `at bob` is the abbreviation, not the particle.
    let place = client.at("definition", 8, 25);
    assert_eq!(
        place["range"]["start"],
        json!({ "line": 5, "character": 4 })
    );
    let place = client.at("definition", 14, 31);
    assert_eq!(
        place["range"]["start"],
        json!({ "line": 14, "character": 19 })
    );

    // Columns behind a character of two UTF-16 units.
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    let theta = symbols
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["name"] == "θ");
    assert_eq!(theta.unwrap()["selectionRange"]["start"]["character"], 6);

    // Renaming the coordinate touches its uses, not the label of a statement.
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 3, "character": 6 }, "newName": "phi" });
    let edits = client.ask("textDocument/rename", params.clone());
    let edits = edits["changes"][URI].as_array().unwrap().len();
    assert_eq!(edits, PENDULUM.matches('θ').count());
    for (name, why) in [
        ("m", "used in this model"),
        ("2x", "is not a name"),
        ("let", "reserved"),
    ] {
        let mut params = params.clone();
        params["newName"] = json!(name);
        let answer = client.answer("textDocument/rename", params);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 5, "character": 4 }, "newName": "place" });
    let edits = client.ask("textDocument/rename", params);
    assert_eq!(edits["changes"][URI].as_array().unwrap().len(), 3);

    // Units beside names that have none.
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.ask(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": URI }, "range": range }),
    );
    let labels: Vec<&str> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h["label"].as_str().unwrap())
        .collect();
    assert!(labels.contains(&"[m/s]"), "{labels:?}");
    assert!(labels.contains(&"[kg*m^2/s]"), "{labels:?}");

    // Signatures: of functions of the language and of the file, and of statements.
    let help = client.at("signatureHelp", 5, 17);
    assert_eq!(help["signatures"][0]["label"], "sin(x)");
    let help = client.at("signatureHelp", 8, 20);
    assert!(
        help["signatures"][0]["label"]
            .as_str()
            .unwrap()
            .starts_with("particle NAME: mass M")
    );

    // Completions: names in scope, functions, units, methods, statements.
    let labels = |v: Value| -> Vec<String> {
        let list = v.as_array().unwrap().iter();
        list.map(|i| i["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let inside = labels(client.at("completion", 14, 31));
    for name in ["k", "bob", "θ", "along", "atan2", "pi"] {
        assert!(inside.iter().any(|l| l == name), "{name}");
    }
    let outside = labels(client.at("completion", 10, 20));
    assert!(outside.iter().all(|l| l != "k"));
    assert!(labels(client.at("completion", 2, 13)).contains(&"kg".to_owned()));
    assert!(labels(client.at("completion", 13, 28)).contains(&"dop853".to_owned()));
    let statements = client.at("completion", 4, 0);
    let spring = statements
        .as_array()
        .unwrap()
        .iter()
        .find(|i| i["label"] == "spring")
        .unwrap();
    assert!(
        spring["textEdit"]["newText"]
            .as_str()
            .unwrap()
            .starts_with("spring ${1:NAME}")
    );

    // Colours, folds, lenses, formatting.
    let document = json!({ "textDocument": { "uri": URI } });
    let tokens = client.ask("textDocument/semanticTokens/full", document.clone());
    assert_eq!(tokens["data"].as_array().unwrap().len() % 5, 0);
    let lenses = client.ask("textDocument/codeLens", document.clone());
    assert_eq!(lenses[1]["command"]["command"], "galilei.simulate");
    assert_eq!(lenses[0]["range"]["start"]["line"], 1);
    let edits = client.ask("textDocument/formatting", document.clone());
    assert_eq!(edits, json!([]));
    let params = json!({ "command": "galilei.derive", "arguments": [URI] });
    let derived = client.ask("workspace/executeCommand", params);
    assert_eq!(derived["ok"], true, "{derived}");
    assert!(derived["text"].as_str().unwrap().contains("Pendulum"));

    // What is not known is refused, and the server lives on.
    let answer = client.answer("textDocument/moniker", document);
    assert_eq!(answer["error"]["code"], -32601);
    let answer = client.answer("textDocument/hover", json!({ "position": 3 }));
    assert_eq!(answer["error"]["code"], -32602);
    client.end();
}

#[test]
fn problems_come_with_corrections() {
    let mut client = Client::start();
    client.open("coord x [m]\nparam m = 1 [kg]\nkinetc: m*x'^2/2\npotential: mm*x**2\n");
    let list = client.diagnostics(1);
    let codes: Vec<&str> = list.iter().map(|d| d["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"unknown_statement"), "{codes:?}");
    assert_eq!(
        list[0]["range"]["start"],
        json!({ "line": 2, "character": 0 })
    );

    // Every correction that is offered, one after the other, until nothing is wrong.
    let mut text =
        "coord x [m]\nparam m = 1 [kg]\nkinetc: m*x'^2/2\npotential: mm*x**2\n".to_owned();
    let mut list = list;
    for version in 2..6 {
        let Some(first) = list.first() else { break };
        let params = json!({
            "textDocument": { "uri": URI },
            "range": first["range"],
            "context": { "diagnostics": [] },
        });
        let actions = client.ask("textDocument/codeAction", params);
        let edit = &actions[0]["edit"]["changes"][URI][0];
        assert!(edit.is_object(), "{first} has no correction");
        client.change(
            version,
            json!([{ "range": edit["range"], "text": edit["newText"] }]),
        );
        let place = |p: &Value| {
            let line = p["line"].as_u64().unwrap() as usize;
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            start + p["character"].as_u64().unwrap() as usize
        };
        let (start, end) = (place(&edit["range"]["start"]), place(&edit["range"]["end"]));
        text.replace_range(start..end, edit["newText"].as_str().unwrap());
        list = client.diagnostics(version);
    }
    assert!(list.is_empty(), "{list:?}\n{text}");
    assert!(
        text.contains("kinetic: m*x'^2/2") && text.contains("x^2"),
        "{text}"
    );
    client.end();
}

#[test]
fn stale_and_endless_work_is_given_up() {
    let mut client = Client::start();
    // Sums of sums: reading this takes very long or is refused; typing goes on.
    let endless = "const n = 300\ncoord x\nkinetic: x'^2/2\n\
        output o: sum(a in 1..n: sum(b in 1..n: sum(c in 1..n: sum(d in 1..n: sin(a*b*c*d*x)))))\n";
    client.open(endless);
    for version in 2..20 {
        client.change(
            version,
            json!([{ "text": endless.replace("300", &format!("30{version}")) }]),
        );
    }
    client.change(20, json!([{ "text": "coord x\nkinetic: y'^2/2\n" }]));
    let list = client.diagnostics(20);
    assert_eq!(list[0]["code"], "unknown_name");
    // Versions in between were never published.
    let published = |m: &&Value| m["method"] == "textDocument/publishDiagnostics";
    assert!(client.kept.iter().filter(published).count() <= 1);
    client.end();
}

#[test]
fn anything_may_be_typed() {
    let mut client = Client::start();
    client.open(PENDULUM);
    let mut dice = 11_u64;
    let mut below = |n: usize| {
        dice = dice
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((dice >> 33) as usize) % n.max(1)
    };
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "'",
        "..",
        ".",
        "=",
        "in ",
        "for k in 1..n {",
        "let f(",
        "🚲",
        "θ",
        "\u{301}",
        "\r",
        "\n",
        "\"",
        "#",
        "sum(",
        "position(",
        "chart p(",
        " on ",
        "\u{0}",
        "1e999",
        "x''",
        "^",
        "-",
    ];
    let methods = [
        "hover",
        "completion",
        "signatureHelp",
        "definition",
        "references",
        "documentHighlight",
        "prepareRename",
    ];
    for version in 2..400 {
        let line = below(18);
        let from = json!({ "line": line, "character": below(40) });
        let to = json!({ "line": line + below(2), "character": below(50) });
        let change =
            json!([{ "range": { "start": from, "end": to }, "text": pieces[below(pieces.len())] }]);
        client.change(version, change);
        let method = methods[below(methods.len())];
        let _ = client.at(method, below(18), below(50));
        if version % 7 == 0 {
            let document = json!({ "textDocument": { "uri": URI } });
            for method in [
                "semanticTokens/full",
                "foldingRange",
                "formatting",
                "codeLens",
            ] {
                client.ask(&format!("textDocument/{method}"), document.clone());
            }
        }
    }
    client.diagnostics(399);
    client.end();
}

fn fmt(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .arg("fmt")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn files_are_formatted() {
    let (status, text, _) = fmt(&["-"], "coord x[m]\nkinetic:x'^2/ 2\n\n\n");
    assert_eq!(
        (status, text.as_str()),
        (0, "coord x[m]\nkinetic: x'^2/2\n")
    );
    let folder = std::env::temp_dir().join(format!("galilei-fmt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("m.gal");
    std::fs::write(&path, "let a=1 # one\n").unwrap();
    let name = path.to_str().unwrap();
    let (status, _, said) = fmt(&["--check", name], "");
    assert_eq!(status, 1);
    assert!(said.contains("is not formatted"), "{said}");
    assert_eq!(fmt(&[name], "").0, 0);
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "let a = 1  # one\n"
    );
    assert_eq!(fmt(&["--check", name], "").0, 0);
    assert_eq!(fmt(&[folder.join("none.gal").to_str().unwrap()], "").0, 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
