//! The server: messages on standard input and output.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::PublishDiagnosticsParams;
use serde_json::{Value, json};

use crate::analysis::{Analysis, Problem};
use crate::child::{Outcome, Program};
use crate::service::{COMMANDS, Refusal, Service, capabilities};

/// The time without a key before a model is analysed.
const PAUSE_BEFORE_ANALYSIS: Duration = Duration::from_millis(120);
/// The time after which an analysis is given up.
const MAX_ANALYSIS_TIME: Duration = Duration::from_secs(10);
/// The time after which a command is given up.
const MAX_COMMAND_TIME: Duration = Duration::from_secs(120);

/// The parts of the server that its threads share.
struct Shared {
    service: Mutex<Service>,
    program: Program,
    /// The number of changes of each document: an analysis of an earlier text is given up.
    changes: Mutex<HashMap<String, Arc<AtomicU64>>>,
    /// Whether the client asks for units again when it is told to.
    refreshes: bool,
    /// Commands that are running, by the request that asked for them.
    running: Mutex<HashMap<String, Arc<AtomicBool>>>,
}

/// A lock that a panicking thread does not take with it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves the language server protocol on standard input and output until the client ends it. `program` is the `galilei` command,
/// whose subcommands do the work that takes time.
///
/// # Errors
/// Where the client breaks the protocol, or the connection breaks.
pub fn serve(program: PathBuf) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let served = serve_on(&connection, program);
    drop(connection);
    // The thread that reads ends after `exit`, or with the input, which the client closes.
    served.and_then(|()| threads.join().map_err(|e| e.to_string()))
}

fn serve_on(connection: &Connection, program: PathBuf) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
    let snippets =
        &params["capabilities"]["textDocument"]["completion"]["completionItem"]["snippetSupport"];
    let mut service = Service::default();
    service.snippets = *snippets == json!(true);
    let shared = Arc::new(Shared {
        service: Mutex::new(service),
        program: Program(program),
        changes: Mutex::default(),
        refreshes: params["capabilities"]["workspace"]["inlayHint"]["refreshSupport"]
            == json!(true),
        running: Mutex::default(),
    });
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": { "name": "galilei", "version": env!("CARGO_PKG_VERSION") },
    });
    connection
        .initialize_finish(id, answer)
        .map_err(|e| e.to_string())?;
    // Clients send this and that between `shutdown` and `exit`.
    let mut ending = false;
    for message in &connection.receiver {
        match message {
            Message::Request(request) if request.method == "shutdown" => {
                ending = true;
                let response = Response::new_ok(request.id, Value::Null);
                send(connection, Message::Response(response))?;
            }
            Message::Request(request) if ending => {
                let code = ErrorCode::InvalidRequest as i32;
                let why = "the server is shutting down".to_owned();
                let response = Response::new_err(request.id, code, why);
                send(connection, Message::Response(response))?;
            }
            Message::Request(request) => {
                let response =
                    catch_unwind(AssertUnwindSafe(|| shared.request(&request, connection)));
                let response = response.unwrap_or_else(|_| {
                    let why = format!("{} failed", request.method);
                    let code = ErrorCode::InternalError as i32;
                    Some(Response::new_err(request.id.clone(), code, why))
                });
                if let Some(response) = response {
                    send(connection, Message::Response(response))?;
                }
            }
            Message::Notification(notification) => {
                if notification.method == "exit" {
                    shared.give_up();
                    return match ending {
                        true => Ok(()),
                        false => Err("the client left without `shutdown`".to_owned()),
                    };
                }
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    shared.notification(&notification, connection);
                }));
            }
            Message::Response(_) => {}
        }
    }
    shared.give_up();
    Ok(())
}

fn send(connection: &Connection, message: Message) -> Result<(), String> {
    connection.sender.send(message).map_err(|e| e.to_string())
}

/// The folder of a document with a path.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(b) = rest.next() {
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.parent().map(PathBuf::from)
}

impl Shared {
    /// Stops all work: nobody will read its results.
    fn give_up(&self) {
        for count in locked(&self.changes).values() {
            count.fetch_add(1, Ordering::Relaxed);
        }
        for wanted in locked(&self.running).values() {
            wanted.store(false, Ordering::Relaxed);
        }
    }

    /// Answers a request; `None` if a thread will.
    fn request(self: &Arc<Self>, request: &Request, connection: &Connection) -> Option<Response> {
        let id = request.id.clone();
        if request.method == "workspace/executeCommand" {
            return self.execute(request, connection);
        }
        let answered = locked(&self.service).answer(&request.method, &request.params);
        Some(match answered {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal::UnknownMethod) => {
                let why = format!("{} is not known", request.method);
                Response::new_err(id, ErrorCode::MethodNotFound as i32, why)
            }
            Err(Refusal::Invalid(why)) => {
                Response::new_err(id, ErrorCode::InvalidParams as i32, why)
            }
        })
    }

    /// `galilei.derive` and others, with the address of a document.
    fn execute(self: &Arc<Self>, request: &Request, connection: &Connection) -> Option<Response> {
        let id = request.id.clone();
        let refuse = |why: &str| {
            let code = ErrorCode::InvalidParams as i32;
            Some(Response::new_err(id.clone(), code, why.to_owned()))
        };
        let name = request.params["command"].as_str().unwrap_or_default();
        let name = name.strip_prefix("galilei.").unwrap_or_default();
        let Some(command) = COMMANDS.into_iter().find(|c| *c == name) else {
            return refuse("there is no such command");
        };
        let uri = request.params["arguments"][0].as_str().unwrap_or_default();
        let text = locked(&self.service).document(uri).map(|d| d.text.clone());
        let Some(text) = text else {
            return refuse("the document is not open");
        };
        let wanted = Arc::new(AtomicBool::new(true));
        locked(&self.running).insert(id.to_string(), wanted.clone());
        let (shared, sender) = (self.clone(), connection.sender.clone());
        let folder = folder_of(uri);
        thread::spawn(move || {
            let still = || wanted.load(Ordering::Relaxed);
            let arguments = [command, "-"];
            let run = &shared.program;
            let outcome = run.run(
                &arguments,
                &text,
                folder.as_deref(),
                MAX_COMMAND_TIME,
                still,
            );
            locked(&shared.running).remove(&id.to_string());
            let (ok, text, errors) = match outcome {
                Outcome::Ended(ok, text, errors) => (ok, text, errors),
                Outcome::TimedOut => {
                    let seconds = MAX_COMMAND_TIME.as_secs();
                    (false, String::new(), format!("stopped after {seconds} s"))
                }
                Outcome::Cancelled => {
                    let code = ErrorCode::RequestCanceled as i32;
                    let response = Response::new_err(id, code, "cancelled".into());
                    let _ = sender.send(Message::Response(response));
                    return;
                }
                Outcome::Failed(why) => (false, String::new(), why),
            };
            let result = json!({ "ok": ok, "text": text, "errors": errors });
            let _ = sender.send(Message::Response(Response::new_ok(id, result)));
        });
        None
    }

    fn notification(self: &Arc<Self>, notification: &Notification, connection: &Connection) {
        let params = &notification.params;
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default();
        let version = document["version"].as_i64().unwrap_or_default() as i32;
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default();
                locked(&self.service).open(uri, text.to_owned(), version);
                self.analyse(uri, connection);
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let changes = changes.map_or(&[][..], Vec::as_slice);
                locked(&self.service).change(uri, version, changes);
                self.analyse(uri, connection);
            }
            "textDocument/didClose" => {
                locked(&self.service).close(uri);
                if let Some(count) = locked(&self.changes).remove(uri) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
                publish(connection, uri, None, json!([]));
            }
            "$/cancelRequest" => {
                let id: Option<RequestId> = serde_json::from_value(params["id"].clone()).ok();
                let id = id.map(|id| id.to_string()).unwrap_or_default();
                if let Some(wanted) = locked(&self.running).get(&id) {
                    wanted.store(false, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }

    /// Analyses a document on another thread, unless it changes before.
    fn analyse(self: &Arc<Self>, uri: &str, connection: &Connection) {
        let count = locked(&self.changes)
            .entry(uri.to_owned())
            .or_default()
            .clone();
        let mine = 1 + count.fetch_add(1, Ordering::Relaxed);
        let (shared, uri) = (self.clone(), uri.to_owned());
        let sender = connection.sender.clone();
        thread::spawn(move || {
            let current = || count.load(Ordering::Relaxed) == mine;
            thread::sleep(PAUSE_BEFORE_ANALYSIS);
            let found = locked(&shared.service)
                .document(&uri)
                .map(|d| (d.text.clone(), d.version));
            let Some((text, version)) = found.filter(|_| current()) else {
                return;
            };
            let folder = folder_of(&uri);
            let arguments = ["lsp", "--analyse"];
            let limit = MAX_ANALYSIS_TIME;
            let outcome = shared
                .program
                .run(&arguments, &text, folder.as_deref(), limit, current);
            let analysis = match outcome {
                Outcome::Cancelled => return,
                Outcome::Ended(true, output, _) => serde_json::from_str(&output).ok(),
                Outcome::TimedOut => Some(given_up(
                    &text,
                    &format!(
                        "the analysis of the model was stopped after {} s; only its syntax was checked",
                        limit.as_secs()
                    ),
                )),
                Outcome::Ended(..) | Outcome::Failed(_) => None,
            };
            let analysis = analysis.unwrap_or_else(|| {
                given_up(
                    &text,
                    "the analysis of the model failed; only its syntax was checked",
                )
            });
            let diagnostics = locked(&shared.service).analysed(&uri, version, analysis);
            let Some(diagnostics) = diagnostics.filter(|_| current()) else {
                return;
            };
            let message = notice(&uri, Some(version), json!(diagnostics));
            let _ = sender.send(message);
            // Units beside names come from the analysis.
            if !shared.refreshes {
                return;
            }
            let refresh = Request::new(
                RequestId::from(format!("refresh {mine} {uri}")),
                "workspace/inlayHint/refresh".to_owned(),
                Value::Null,
            );
            let _ = sender.send(Message::Request(refresh));
        });
    }
}

/// The errors of syntax alone, and a warning why there are no others.
fn given_up(text: &str, why: &str) -> Analysis {
    let mut analysis = Analysis::of_syntax(text);
    analysis.problems.push(Problem {
        error: false,
        code: "analysis_stopped".into(),
        message: why.to_owned(),
        hint: String::new(),
        place: None,
    });
    analysis
}

/// The notification with the diagnostics of a document.
fn notice(uri: &str, version: Option<i32>, diagnostics: Value) -> Message {
    let params = json!({ "uri": uri, "version": version, "diagnostics": diagnostics });
    debug_assert!(serde_json::from_value::<PublishDiagnosticsParams>(params.clone()).is_ok());
    let method = "textDocument/publishDiagnostics".to_owned();
    Message::Notification(Notification::new(method, params))
}

fn publish(connection: &Connection, uri: &str, version: Option<i32>, diagnostics: Value) {
    let _ = connection.sender.send(notice(uri, version, diagnostics));
}
