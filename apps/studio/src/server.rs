//! `galilei studio`: the page served on this machine alone, with the native engine.
//!
//! The server listens on the loopback address. Its addresses contain a random token; the headers `Host` and `Origin` must be its
//! own, so that no other page and no other name for this machine reaches it. Requests contain no paths: the only file that is
//! read and written is the model that the command was started with. The engine runs in a process of its own for each request,
//! which is stopped when the page loses interest or a time limit is reached.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use galilei_lsp::{Outcome, Program};
use serde_json::{Value, json};

/// The page without an engine; the command serves it.
const PAGE: &str = include_str!("../page.html");
/// The place in the page for the settings of the server.
const SETTINGS_MARK: &str = "{\"settings\":null}";

/// The largest body of a request, in bytes: a model has at most one MiB.
const MAX_BODY_BYTES: usize = 8 << 20;
/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: u64 = 16 << 10;
/// The largest number of connections at a time.
const MAX_CONNECTIONS: usize = 32;
/// The time for a request to arrive.
const MAX_ARRIVAL_TIME: Duration = Duration::from_secs(10);
/// The time after which an answer is given up.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(120);

/// What may be loaded by the page: its own parts, and answers of this server.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
    img-src data: blob:; connect-src 'self'; worker-src blob:; frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A studio that listens but does not serve yet.
#[derive(Debug)]
pub struct Served {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The model file, if the command was given one.
    file: Option<PathBuf>,
    token: String,
    port: u16,
    program: Program,
    connections: AtomicUsize,
}

/// Prepares the studio for a model file, or for none. `program` is the `galilei` command, whose `studio --answer` is the engine.
///
/// # Errors
/// Where the loopback address cannot be used.
pub fn serve(file: Option<PathBuf>, port: u16, program: PathBuf) -> io::Result<Served> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let shared = Shared {
        file,
        token: token(),
        port,
        program: Program(program),
        connections: AtomicUsize::new(0),
    };
    Ok(Served {
        listener,
        shared: Arc::new(shared),
    })
}

/// 128 random bits as digits: the keys of the standard library's hashes are random.
fn token() -> String {
    let word = |k: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(k);
        hasher.finish()
    };
    format!("{:016x}{:016x}", word(1), word(2))
}

impl Served {
    /// The address of the page.
    pub fn address(&self) -> String {
        format!(
            "http://127.0.0.1:{}/{}/",
            self.shared.port, self.shared.token
        )
    }

    /// Serves until the process ends.
    pub fn run(self) {
        for stream in self.listener.incoming().flatten() {
            let shared = self.shared.clone();
            if shared.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::Relaxed);
                let _ = reply(&stream, 503, "text/plain", b"too many connections");
                continue;
            }
            thread::spawn(move || {
                let _ = shared.connection(&stream);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

/// A request as it came in.
struct Incoming {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

fn reply(mut stream: &TcpStream, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    let word = match status {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    let head = format!(
        "HTTP/1.1 {status} {word}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Content-Security-Policy: {POLICY}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Reads a request. `Err` has the status of the refusal.
fn incoming(stream: &TcpStream) -> Result<Incoming, u16> {
    let mut head = BufReader::new(stream.take(MAX_HEAD_BYTES));
    let line = |head: &mut BufReader<io::Take<&TcpStream>>| -> Result<String, u16> {
        let mut line = String::new();
        head.read_line(&mut line).map_err(|_| 400_u16)?;
        match line.ends_with('\n') {
            true => Ok(line.trim_end().to_owned()),
            false => Err(400),
        }
    };
    let first = line(&mut head)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(400);
    };
    let mut headers = HashMap::new();
    loop {
        let line = line(&mut head)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(400_u16)?;
        let known = headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        if known.is_some()
            && matches!(
                name.to_ascii_lowercase().as_str(),
                "host" | "content-length"
            )
        {
            return Err(400);
        }
    }
    let length: usize = match headers.get("content-length") {
        Some(length) => length.parse().map_err(|_| 400_u16)?,
        None => 0,
    };
    if headers.contains_key("transfer-encoding") {
        return Err(400);
    }
    if length > MAX_BODY_BYTES {
        return Err(413);
    }
    // What was read ahead belongs to the body.
    let mut body = head.buffer().to_vec();
    body.truncate(length);
    let missing = length - body.len();
    let mut rest = Vec::with_capacity(missing);
    let mut reader = stream;
    (&mut reader)
        .take(missing as u64)
        .read_to_end(&mut rest)
        .map_err(|_| 400_u16)?;
    body.extend(rest);
    if body.len() != length {
        return Err(400);
    }
    Ok(Incoming {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body,
    })
}

/// A number that changes with the contents of a file.
fn stamp(text: &str) -> String {
    // FNV-1a: the stamp tells versions of one file apart; nobody gains by a collision with a file of one's own.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}{:x}", text.len())
}

/// Writes a temporary file next to the model and renames it.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    let written = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

impl Shared {
    fn connection(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(MAX_ARRIVAL_TIME))?;
        stream.set_write_timeout(Some(MAX_ARRIVAL_TIME))?;
        let request = match incoming(stream) {
            Ok(request) => request,
            Err(status) => return reply(stream, status, "text/plain", b"refused"),
        };
        if !self.is_own(&request) {
            return reply(
                stream,
                403,
                "text/plain",
                b"refused: Host or Origin is not this studio",
            );
        }
        let prefix = format!("/{}", self.token);
        let path = request.path.strip_prefix(&prefix).unwrap_or("");
        match (request.method.as_str(), path) {
            ("GET", "/") => {
                let page = self.page();
                reply(stream, 200, "text/html; charset=utf-8", page.as_bytes())
            }
            ("GET", "/file") => self.json(stream, 200, &self.file()),
            ("POST", "/save") => {
                let (status, answer) = self.save(&request.body);
                self.json(stream, status, &answer)
            }
            ("POST", "/answer") => self.answer(stream, &request.body),
            (_, "/" | "/file" | "/save" | "/answer") => {
                reply(stream, 405, "text/plain", b"wrong method")
            }
            _ => reply(stream, 404, "text/plain", b"nothing is here"),
        }
    }

    fn json(&self, stream: &TcpStream, status: u16, answer: &Value) -> io::Result<()> {
        let text = answer.to_string();
        reply(stream, status, "application/json", text.as_bytes())
    }

    /// Whether a request came from the page of this server.
    fn is_own(&self, request: &Incoming) -> bool {
        let hosts = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        let host = request.headers.get("host");
        let origin = request.headers.get("origin");
        host.is_some_and(|h| hosts.contains(h))
            && origin.is_none_or(|o| hosts.iter().any(|h| *o == format!("http://{h}")))
    }

    /// The page with the settings of this server.
    fn page(&self) -> String {
        let settings = json!({ "settings": { "server": true, "file": self.file.is_some() } });
        PAGE.replacen(SETTINGS_MARK, &settings.to_string(), 1)
    }

    /// The model file: its name, its text, its stamp.
    fn file(&self) -> Value {
        let Some(path) = &self.file else {
            return Value::Null;
        };
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        match std::fs::read_to_string(path) {
            Ok(text) => json!({ "name": name, "text": text, "stamp": stamp(&text) }),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                json!({ "name": name, "text": "", "stamp": stamp("") })
            }
            Err(why) => json!({ "name": name, "problem": why.to_string() }),
        }
    }

    /// Saves the model, unless its file was changed by another program since the page read it.
    fn save(&self, body: &[u8]) -> (u16, Value) {
        let Some(path) = &self.file else {
            return (
                400,
                json!({ "problem": "the studio was started without a file" }),
            );
        };
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        let (Some(text), Some(known)) = (request["text"].as_str(), request["stamp"].as_str())
        else {
            return (400, json!({ "problem": "text and stamp are missing" }));
        };
        let now = self.file();
        if now["stamp"] != json!(known) {
            return (409, now);
        }
        match write_whole(path, text) {
            Ok(()) => (200, json!({ "stamp": stamp(text) })),
            Err(why) => (400, json!({ "problem": why.to_string() })),
        }
    }

    /// Passes a request to the engine.
    fn answer(&self, stream: &TcpStream, body: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(body);
        let folder = self.file.as_ref().and_then(|f| f.parent());
        let folder = folder.filter(|f| !f.as_os_str().is_empty());
        // The page closes the connection when it has no interest in the answer any more.
        stream.set_nonblocking(true)?;
        let wanted = || !matches!(stream.peek(&mut [0]), Ok(0));
        let arguments = ["studio", "--answer"];
        let outcome = (self.program).run(&arguments, &text, folder, MAX_ANSWER_TIME, wanted);
        stream.set_nonblocking(false)?;
        match outcome {
            Outcome::Ended(true, answer, _) => {
                reply(stream, 200, "application/json", answer.as_bytes())
            }
            Outcome::Ended(false, _, why) | Outcome::Failed(why) => {
                let why = format!("the engine ended: {why}");
                self.json(stream, 200, &json!({ "ok": false, "refused": why }))
            }
            Outcome::TimedOut => {
                let why = format!("stopped after {} s", MAX_ANSWER_TIME.as_secs());
                self.json(stream, 200, &json!({ "ok": false, "refused": why }))
            }
            Outcome::Cancelled => Ok(()),
        }
    }
}
