//! Manners of the command: closed pipes, states on the command line, events in files, pages for `man`, short answers.

mod common;

use std::io::Read;
use std::process::{Command, Stdio};

use common::{galilei, model, scratch};

const OSCILLATOR: &str = "coord x\nparticle p: mass 1 at x\nspring: stiffness 4 from 0 to x\ninitial x = 1\n\
                          event middle: x\nevent turn: x' rising\nsimulate to 3 every 0.5\n";

/// Starts the command and closes the given ends of its pipes after the first byte, or at once.
fn with_closed_pipes(arguments: &[&str], after_first_byte: bool) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("a pipe");
    drop(child.stderr.take());
    if after_first_byte {
        let _ = out.read(&mut [0]);
    }
    drop(out);
    child.wait().expect("it ends").code()
}

#[test]
fn closed_pipes_are_no_panic() {
    let pendulum = model("double-pendulum");
    let missing = model("no-such-model");
    for words in [
        &["completions", "fish"][..],
        &["completions", "bash"],
        &["man"],
        &["help"],
        &["help", "units"],
        &["--help"],
        &["simulate", "--help"],
        &["check", &pendulum],
        &["check", &pendulum, "--all"],
        &["derive", &pendulum, "all"],
        &["derive", &pendulum, "--json"],
        &["eval", &pendulum],
        &["simulate", &pendulum, "--to", "1"],
        &["export", &pendulum, "--to", "c"],
        &["decide", "sin(x) = sin(x)"],
        // These write to standard error.
        &["check", &missing],
        &["help", "nothing of the kind"],
        &["simulate", &pendulum, "--to", "nowhere"],
    ] {
        for after_first_byte in [false, true] {
            let code = with_closed_pipes(words, after_first_byte);
            // A panic is 101.
            assert!(matches!(code, Some(0..=3)), "{words:?}: {code:?}");
        }
    }
}

/// A full disk is no closed pipe: what could not be written is said, and the status is not that of success.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = || std::fs::File::options().write(true).open("/dev/full");
    for words in [["derive", "double-pendulum"], ["check", "double-pendulum"]] {
        let run = Command::new(env!("CARGO_BIN_EXE_galilei"))
            .args([words[0], &model(words[1])])
            .stdout(full().expect("a device that is always full"))
            .output()
            .expect("the command runs");
        assert_eq!(run.status.code(), Some(3));
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(
            said.starts_with("cannot write to standard output"),
            "{said}"
        );
    }
}

/// Contact and friction at the start are said, values are in SI units where a coordinate is not declared in them, and time
/// that cancels is not in the equations.
#[test]
fn texts_say_what_sticks_at_the_start_and_which_units_numbers_have() {
    let block = "coord x, th [deg]\nkinetic: x'^2/2 + th'^2/2\npotential: x\n\
                 friction pad: limit 2 along x'\ninitial th = 30\nsimulate to 1\n";
    let run = galilei(&["simulate", "-"], block).out;
    assert!(
        run.contains("\n  from t = 0: closed none, sticking pad\n"),
        "{run}"
    );
    assert!(
        run.contains("in SI units, angles in rad; th is declared in deg"),
        "{run}"
    );
    assert!(run.contains("5.2359877"), "{run}");
    let values = galilei(&["eval", "-"], block).out;
    assert!(values.contains("th is declared in deg"), "{values}");
    let bead = |force: &str| {
        let text = format!(
            "param w = 2\ncoord r\nparticle bead: mass 1 at (r*cos(w*t), r*sin(w*t))\ninitial r = 1\n{force}"
        );
        galilei(&["derive", "-"], &text).out
    };
    assert!(!bead("").contains("depends on time"));
    assert!(bead("force f: r = sin(t)\n").contains("depends on time"));
}

/// A limit of friction that is negative, at once or later, ends the run; the element is named.
#[test]
fn a_negative_limit_of_friction_is_named() {
    for start in [0.0, 0.5, 1.0] {
        let text = format!(
            "param v = 0.2\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\n\
             friction belt: limit 0.5 - x along x' - v\ninitial x = {start}, x' = 3\nsimulate to 40\n"
        );
        let run = galilei(&["simulate", "-"], &text);
        assert_eq!(run.code, 3, "{}", run.out);
        assert!(
            run.err.contains("the limit of the friction `belt`"),
            "{}",
            run.err
        );
    }
}

#[test]
fn check_begins_with_a_summary_and_lists_all_on_request() {
    let path = model("kapitza-pendulum");
    let short = galilei(&["check", &path], "");
    let lines: Vec<&str> = short.out.lines().collect();
    assert_eq!(lines[0], "Kapitza pendulum");
    let count: Vec<&str> = lines[2].split_whitespace().take(3).collect();
    assert!(
        lines[2].contains(" required properties proved"),
        "{}",
        lines[2]
    );
    assert_eq!((count[0], count[1]), (count[2], "of"));
    assert!(short.out.contains("conserved: E") && !short.out.contains("T-47"));
    let all = galilei(&["check", &path, "--all"], "");
    assert!(all.out.contains("T-47") && all.out.contains("everything required holds"));
    let json = galilei(&["check", &path, "--all", "--json"], "");
    assert_eq!(json.out, galilei(&["check", &path, "--json"], "").out);
}

#[test]
fn check_says_what_is_not_decided_or_does_not_hold() {
    let long = "const n = 400\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^2)/2\n\
                potential: sum(k in 2..n: (q[k] - q[k-1])^2)/2\n";
    let large = galilei(&["check", "-"], long);
    assert!(
        large
            .out
            .contains("not everything required could be decided")
    );
    assert!(large.out.contains("  undecided "), "{}", large.out);
    assert_eq!(large.code, 0);
}

#[test]
fn at_replaces_entries_of_the_initial_state_in_every_run() {
    let at = "x=2, x'=0.5";
    let out = galilei(
        &["simulate", "-", "--json", "--at", at, "--to", "1"],
        OSCILLATOR,
    );
    let x = out.json().get("position").numbers()[0];
    let wanted = 2.0 * 2f64.cos() + 0.25 * 2f64.sin();
    assert!((x - wanted).abs() < 1e-12, "{x} {wanted}");
    let late = galilei(
        &["simulate", "-", "--json", "--at", "t=2", "--to", "3"],
        OSCILLATOR,
    );
    assert!((late.json().get("position").numbers()[0] - 2f64.cos()).abs() < 1e-12);

    let words = ["sensitivities", "-", "--json", "--at", at, "--to", "1"];
    let sensed = galilei(&words, OSCILLATOR).json();
    assert!((sensed.get("position").numbers()[0] - wanted).abs() < 1e-12);

    let words = [
        "stationary",
        "-",
        "--json",
        "--at",
        "x=2",
        "--end",
        "x=0",
        "--to",
        "0.5",
    ];
    let found = galilei(&words, OSCILLATOR).json();
    let start = found.get("solutions").list()[0].get("start");
    assert_eq!(start.get("position").numbers(), [2.0]);

    let folder = scratch("at");
    let file = folder.join("runs.csv");
    let file = file.to_str().expect("UTF-8");
    let grid = "x' in [0, 0.5]";
    let words = [
        "sweep", "-", "--at", "x=2", "--grid", grid, "--to", "1", "-o", file,
    ];
    assert_eq!(galilei(&words, OSCILLATOR).code, 0);
    let text = std::fs::read_to_string(file).expect("a file");
    let row = text.lines().last().expect("rows");
    let found = row.split(',').any(|word| {
        let number: Result<f64, _> = word.parse();
        number.is_ok_and(|x| (x - wanted).abs() < 1e-12)
    });
    assert!(found, "{row}");

    let page = folder.join("page.html");
    let page = page.to_str().expect("UTF-8");
    let words = ["report", "-", "--at", "x=2, x'=0.5", "-o", page];
    assert_eq!(galilei(&words, OSCILLATOR).code, 0);
    let text = std::fs::read_to_string(page).expect("a page");
    assert!(text.contains("--at"), "the command that reproduces it");
}

#[test]
fn wrong_states_are_refused() {
    for at in ["y=2", "x=", "x", "x=1, x=2", "x=1 [kg"] {
        let out = galilei(&["simulate", "-", "--at", at, "--json"], OSCILLATOR);
        assert_eq!(out.code, 1, "{at}");
        let errors = out.json();
        let found = errors.get("errors").list()[0].get("code").text().to_owned();
        assert_eq!(found, "invalid_state", "{at}");
    }
    let words = ["simulate", "-", "--at", "t=1", "--from", "2", "--json"];
    let out = galilei(&words, OSCILLATOR);
    let code = out.json().get("errors").list()[0]
        .get("code")
        .text()
        .to_owned();
    assert_eq!((out.code, code.as_str()), (1, "wrong_setting"));
}

#[test]
fn events_are_written_with_the_run() {
    let folder = scratch("events");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let out = galilei(
        &["simulate", "-", "--json", "-o", &path("run.csv")],
        OSCILLATOR,
    );
    let events = out.json();
    let events = events.get("events").list();
    let text = std::fs::read_to_string(path("run.events.csv")).expect("a file of events");
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    assert_eq!(lines.next(), Some("event,t,x,x'"));
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    assert!(rows.len() >= 3 && rows.len() == events.len());
    for (row, event) in rows.iter().zip(events) {
        assert_eq!(row[0], event.get("name").text());
        assert_eq!(
            row[1].parse::<f64>().expect("a time"),
            event.get("time").number()
        );
    }

    assert_eq!(
        galilei(&["simulate", "-", "-o", &path("run.npz")], OSCILLATOR).code,
        0
    );
    let bytes = std::fs::read(path("run.npz")).expect("an archive");
    for key in [
        "events.name.npy",
        "events.t.npy",
        "events.x_dot.npy",
        "x.npy",
    ] {
        let there = bytes.windows(key.len()).any(|w| w == key.as_bytes());
        assert!(there, "{key}");
    }
    assert!(!folder.join("run.events.npz").exists());

    assert_eq!(
        galilei(&["simulate", "-", "-o", &path("run.parquet")], OSCILLATOR).code,
        0
    );
    let bytes = std::fs::read(path("run.events.parquet")).expect("a file of events");
    assert!(bytes.starts_with(b"PAR1") && bytes.windows(6).any(|w| w == b"middle"));

    // Without events there is no second file.
    let quiet = OSCILLATOR
        .replace("event", "output")
        .replace("x' rising", "x'");
    assert_eq!(
        galilei(&["simulate", "-", "-o", &path("quiet.csv")], &quiet).code,
        0
    );
    assert!(!folder.join("quiet.events.csv").exists());
}

#[test]
fn pages_for_man_are_written_for_every_command() {
    let folder = scratch("man");
    let out = galilei(&["man", folder.to_str().expect("UTF-8")], "");
    assert_eq!(out.code, 0, "{}", out.err);
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a page");
    assert!(page("galilei.1").contains("galilei"));
    assert!(page("galilei-simulate.1").contains("tolerance"));
    assert!(galilei(&["man"], "").out.starts_with(".ie"));
}

#[test]
fn export_takes_lang_and_writes_derivatives_only_on_request() {
    let path = model("double-pendulum");
    let short = galilei(&["export", &path, "--lang", "c"], "").out;
    assert_eq!(short, galilei(&["export", &path, "--to", "c"], "").out);
    let long = galilei(&["export", &path, "--lang", "c", "--jacobian"], "").out;
    assert!(!short.contains("_jacobian(") && long.contains("_jacobian("));
    assert!(2 * short.lines().count() < 3 * long.lines().count());
}

/// Ctrl-C during a sweep leaves a journal and says how to continue; during a run, the states so far and a command.
#[cfg(unix)]
#[test]
fn interrupted_work_is_kept_and_can_be_continued() {
    let folder = scratch("interrupt");
    let file = folder.join("run.csv");
    let file = file.to_str().expect("UTF-8");
    let path = model("double-pendulum");
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args([
            "simulate", &path, "--to", "1e9", "--every", "1000", "-o", file,
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut said = String::new();
    // Long enough for the run to have begun; before that Ctrl-C ends the command at once.
    std::thread::sleep(std::time::Duration::from_secs(4));
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill").success());
    let mut pipe = child.stderr.take().expect("a pipe");
    pipe.read_to_string(&mut said).expect("UTF-8");
    let code = child.wait().expect("it ends").code();
    if said.is_empty() {
        eprintln!("the machine is too slow for this test: the run had not begun");
        return;
    }
    assert_eq!(code, Some(130), "{said}");
    assert!(
        said.contains("the states up to there are in")
            && said.contains("continue with: galilei simulate")
    );
    let command = said
        .lines()
        .find_map(|l| l.strip_prefix("continue with: galilei "));
    let command = command.expect("a command");
    // The state in the command is the last row, and the command is accepted.
    let at = command.split('\'').nth(1).expect("a state");
    let from = at.split([',', '=']).nth(1).expect("a time");
    let to: f64 = from.parse::<f64>().expect("a number") + 0.5;
    assert!(command.contains("--to 1000000000.0"));
    let state = command.split("--at ").nth(1).expect("a state");
    let state = state
        .strip_prefix('\'')
        .expect("quotes")
        .replace("'\\''", "\u{1}");
    let state = state
        .split('\'')
        .next()
        .expect("a state")
        .replace('\u{1}', "'");
    let to = format!("{to:?}");
    let words = ["simulate", &path, "--at", &state, "--to", &to];
    assert_eq!(galilei(&words, "").code, 0);
}
