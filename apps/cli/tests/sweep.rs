//! `galilei sweep` and `galilei merge`: what is drawn, what is kept, and that neither kills nor shards
//! change a byte of it.

mod common;

use std::process::{Command, Stdio};
use std::time::Instant;

use common::{Json, galilei, model, scratch};

const SPRING: &str = "param k = 4 [N/m], m = 1 [kg]\ncoord x [cm]\nkinetic: m*x'^2/2\n\
                      potential: k*x^2/2\ninitial x = 2\nsimulate to 3\noutput twice: 2*x\n\
                      event home: x\n";

/// A pendulum with friction, long enough to be killed on the way.
const PENDULUM: &str = "coord a, b\nlet one = (sin(a), -cos(a))\nparticle one: mass 1 at one\n\
                        particle two: mass 1 at one + (sin(b), -cos(b))\ngravity: (0, -9.81)\n\
                        dissipation: 0.05*(a'^2 + b'^2)\nevent low: a\nsimulate to 10\n";

#[test]
fn a_grid_in_the_units_of_the_file_against_closed_form() {
    let folder = scratch("grid");
    let file = folder.join("runs.csv");
    let words = [
        "sweep",
        "-",
        "--json",
        "--grid",
        "x in [1, 2], k in 1..4 by 1.5",
        "-o",
        file.to_str().unwrap(),
    ];
    let answer = galilei(&words, SPRING);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let json = answer.json();
    assert_eq!(json.get("trajectories").number(), 6.0);
    assert_eq!(json.get("failed").number(), 0.0);
    for key in [
        "trajectories_per_second",
        "lanes",
        "threads",
        "compile_seconds",
        "integrate_seconds",
    ] {
        assert!(json.get(key).number() > 0.0, "{key}");
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(
        lines[0],
        "run,x(0),k,status,t,x,x',twice,steps,energy_balance"
    );
    let mut number = 0.0;
    for x in [0.01, 0.02] {
        for k in [1.0, 2.5, 4.0] {
            let row: Vec<f64> = lines[1 + number as usize]
                .split(',')
                .map(|f| f.parse().unwrap())
                .collect();
            let w = f64::sqrt(k);
            assert_eq!(row[..5], [number, x, k, 0.0, 3.0]);
            assert!((row[5] - x * (3.0 * w).cos()).abs() < 1e-13, "{row:?}");
            assert!((row[7] - 2.0 * row[5]).abs() < 1e-16);
            number += 1.0;
        }
    }
    // x = x₀·cos(√k·t) is at home at odd multiples of π/(2√k).
    let events = std::fs::read_to_string(folder.join("runs.events.csv")).unwrap();
    let first: Vec<f64> = events
        .lines()
        .find(|l| l.starts_with("0.0,"))
        .unwrap()
        .split(',')
        .map(|f| f.parse().unwrap())
        .collect();
    assert!((first[2] - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    assert!(!folder.join("runs.csv.journal").exists());
}

#[test]
fn shards_merge_into_the_whole_byte_for_byte() {
    let folder = scratch("shards");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for (ending, method) in [("csv", "taylor"), ("npz", "dop853")] {
        let sweep = |output: &str, shard: Option<&str>| {
            let mut words = vec!["sweep", "-", "--sample", "1000", "--seed", "3", "--vary"];
            words.extend(["x in -1..1, k in 1..2", "--method", method, "-o", output]);
            if let Some(shard) = shard {
                words.extend(["--shard", shard]);
            }
            let answer = galilei(&words, SPRING);
            assert_eq!(answer.code, 0, "{}", answer.err);
        };
        let whole = path(&format!("whole.{ending}"));
        sweep(&whole, None);
        let parts: Vec<String> = (1..=3)
            .map(|i| {
                let part = path(&format!("part{i}.{ending}"));
                sweep(&part, Some(&format!("{i}/3")));
                part
            })
            .collect();
        let merged = path(&format!("merged.{ending}"));
        let words = ["merge", &parts[2], &parts[0], &parts[1], "-o", &merged];
        let answer = galilei(&words, "");
        assert_eq!(answer.code, 0, "{}", answer.err);
        for word in ["", ".events"] {
            let read =
                |name: &str| std::fs::read(folder.join(format!("{name}{word}.{ending}"))).unwrap();
            assert!(read("whole") == read("merged"), "{ending} {word}");
        }
        // A part that is missing, one that is there twice.
        for list in [[0, 1, 1], [0, 2, 2]] {
            let mut words = vec!["merge", "--json", "-o", &merged];
            words.extend(list.iter().map(|&k| parts[k].as_str()));
            let answer = galilei(&words, "");
            assert_eq!(answer.code, 1);
            assert!(answer.out.contains("parts_do_not_fit"), "{}", answer.out);
        }
    }
}

/// A sweep that is killed, again and again, at moments that have nothing to do with what it is doing, is that which
/// nobody disturbs.
///
/// Only kills amid the work show anything, behind the first rows that are written. How long these take depends on what
/// else the machine does, so the window from which moments are drawn follows earlier kills: a quarter to a third of them
/// shall be amid.
fn survives(kills: u32, method: &str, options: &[&str]) {
    let folder = scratch(&format!("kills-{method}"));
    let source = folder.join("pendulum.gal");
    std::fs::write(&source, PENDULUM).unwrap();
    let start = |name: &str| {
        Command::new(env!("CARGO_BIN_EXE_galilei"))
            .args(["sweep", source.to_str().unwrap(), "--method", method])
            .args(["--vary", "a in -1..1, b in -1..1", "--json"])
            .args(options)
            .args(["-o", folder.join(name).to_str().unwrap()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts")
    };
    let began = Instant::now();
    assert!(start("unbroken.csv").wait().unwrap().success());
    let mut window = began.elapsed() / 10;
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let (whole, events) = (read("unbroken.csv"), read("unbroken.events.csv"));
    let journal = folder.join("broken.csv.journal");
    // Behind its head, which says what the journal belongs to.
    let written = || std::fs::metadata(&journal).map_or(0, |m| m.len().saturating_sub(24));
    let (mut killed, mut amid, mut resumed, mut seed) = (0, 0, 0.0, 7_u64);
    while killed < kills || amid < kills / 5 {
        let _ = std::fs::remove_file(folder.join("broken.csv"));
        let done = loop {
            let before = written();
            let mut child = start("broken.csv");
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            std::thread::sleep(window.mul_f64((seed >> 33) as f64 / 2f64.powi(31)));
            let enough = killed >= kills && amid >= kills / 5;
            if enough || child.try_wait().unwrap().is_some() {
                break child.wait_with_output().unwrap();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
            amid += u32::from(written() > before);
            if 4 * amid < killed {
                window = window.mul_f64(1.1);
            } else if 3 * amid > killed {
                window = window.mul_f64(0.9);
            }
        };
        assert!(done.status.success());
        let answer = String::from_utf8(done.stdout).unwrap();
        resumed += Json::parse(&answer).get("resumed").number();
        assert!(read("broken.csv") == whole);
        assert!(read("broken.events.csv") == events);
        assert!(!journal.exists());
    }
    // What was written before the kills was not computed again.
    assert!(resumed > 0.0);
}

#[test]
fn a_hundred_kills_lose_nothing_and_double_nothing() {
    let options = ["--sample", "12000", "--tolerance", "1e-9", "--to", "2"];
    survives(100, "taylor", &options);
}

#[test]
fn kills_lose_nothing_of_runge_kutta_steps() {
    let options = ["--sample", "6000", "--tolerance", "1e-9", "--to", "1"];
    survives(30, "dop853", &options);
}

/// Runs that are computed one by one.
#[test]
fn kills_lose_nothing_of_implicit_steps() {
    let options = ["--sample", "1536", "--tolerance", "1e-4", "--to", "0.3"];
    survives(30, "radau", &options);
}

#[test]
fn another_request_does_not_continue_a_journal() {
    let folder = scratch("journal");
    let output = folder.join("runs.csv");
    std::fs::write(
        folder.join("runs.csv.journal"),
        "something else entirely, and long",
    )
    .unwrap();
    let words = ["sweep", "-", "--json", "--grid", "x in [1, 2]", "-o"];
    let words = [&words[..], &[output.to_str().unwrap()]].concat();
    let answer = galilei(&words, SPRING);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("other_journal"), "{}", answer.out);
}

#[test]
fn what_cannot_be_swept_is_refused_with_its_reason() {
    let cases: [(&[&str], &str); 15] = [
        (&[], "nothing_varied"),
        (&["--vary", "x in 0..1"], "missing_sample"),
        (&["--sample", "3"], "nothing_varied"),
        (&["--sample", "0", "--vary", "x in 0..1"], "wrong_setting"),
        (&["--sample", "3", "--vary", "y in 0..1"], "invalid_axis"),
        (&["--sample", "3", "--vary", "x in 1..0"], "invalid_axis"),
        (&["--sample", "3", "--vary", "x from 1..0"], "invalid_axis"),
        (&["--grid", "x in 0..1"], "invalid_axis"),
        (&["--grid", "x in 0..1 by 0"], "invalid_axis"),
        (&["--grid", "x in [1, 2], x in [3]"], "invalid_axis"),
        (
            &["--grid", "x in [1, 2]", "--shard", "3/2"],
            "wrong_setting",
        ),
        (&["--grid", "x in [1, 2]", "--lanes", "3"], "wrong_setting"),
        (&["--grid", "x in [1, 2]", "--threads", "0"], "--threads 1"),
        (&["--grid", "x in [1, 2]", "--every", "1"], "--every"),
        // `merge` could not read it.
        (
            &["--grid", "x in [1, 2]", "--shard", "1/2", "-o", "p.parquet"],
            "unknown_format",
        ),
    ];
    for (words, code) in cases {
        let all = [&["sweep", "-", "--json"][..], words].concat();
        let answer = galilei(&all, SPRING);
        assert_eq!(answer.code, 1, "{words:?}");
        assert!(answer.out.contains(code), "{words:?}: {}", answer.out);
    }
}

#[test]
fn numbers_of_runs_are_not_negative() {
    for word in ["--sample", "--threads", "--lanes", "--seed"] {
        let answer = galilei(&["sweep", "-", "--vary", "x in 0..1", word, "-5"], SPRING);
        assert_eq!(answer.code, 2);
        let said = "write a whole number that is not negative";
        assert!(answer.err.contains(said), "{}", answer.err);
    }
}

/// Few runs are spread over the shards as evenly as many.
#[test]
fn shards_are_even() {
    let folder = scratch("even");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let sweep = |output: &str, shard: Option<&str>| {
        let mut words = vec!["sweep", "-", "--json", "--sample", "300", "-o", output];
        words.extend(["--vary", "x in -1..1"]);
        words.extend(shard.iter().flat_map(|shard| ["--shard", shard]));
        galilei(&words, SPRING).json().get("trajectories").number()
    };
    let whole = path("whole.csv");
    assert_eq!(sweep(&whole, None), 300.0);
    let mut parts = vec![];
    for i in 1..=7 {
        parts.push(path(&format!("part{i}.csv")));
        let runs = sweep(&parts[i - 1], Some(&format!("{i}/7")));
        assert!((42.0..=43.0).contains(&runs), "{runs}");
    }
    let merged = path("merged.csv");
    let mut words: Vec<&str> = vec!["merge", "--json", "-o", &merged];
    words.extend(parts.iter().map(String::as_str));
    assert_eq!(galilei(&words, "").code, 0);
    for word in ["", ".events"] {
        let read = |name: &str| std::fs::read(folder.join(format!("{name}{word}.csv"))).unwrap();
        assert!(read("whole") == read("merged"), "{word}");
    }
    // A part is not written over, by whatever name.
    let round = path("../") + folder.file_name().unwrap().to_str().unwrap();
    let others = [parts[2].clone(), format!("{round}/part3.csv")];
    for other in &others {
        words[3] = other;
        let before = std::fs::read(&parts[2]).unwrap();
        let answer = galilei(&words, "");
        assert_eq!(answer.code, 1);
        assert!(answer.out.contains("cannot_write"), "{}", answer.out);
        assert!(before == std::fs::read(&parts[2]).unwrap());
    }
}

/// A sweep of which nothing is left has failed; its rows say how far the starts are from the constraint.
#[test]
fn a_sweep_fails_if_all_its_runs_do() {
    let text = "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\n\
                constraint rod: x^2 + y^2 = 1\ninitial x = 1\nsimulate to 1\n";
    let folder = scratch("all-fail");
    let file = folder.join("runs.csv");
    for method in ["taylor", "dop853", "radau"] {
        let words = ["sweep", "-", "--json", "--grid", "x in [0.5, 1.5]"];
        let more = ["--method", method, "-o", file.to_str().unwrap()];
        let answer = galilei(&[&words[..], &more].concat(), text);
        assert_eq!(answer.code, 3, "{}", answer.out);
        assert_eq!(answer.json().get("failed").number(), 2.0);
        let kept = std::fs::read_to_string(&file).unwrap();
        let rows = kept.lines().filter(|l| !l.starts_with(['#', 'r']));
        for (row, (x, residual)) in rows.zip([(0.5, 0.75), (1.5, 1.25)]) {
            let row: Vec<f64> = row.split(',').map(|f| f.parse().unwrap()).collect();
            assert_eq!((row[4], row[row.len() - 1]), (x, residual), "{method}");
        }
    }
}

#[test]
fn starts_off_the_constraints_fail_and_are_counted() {
    let text = "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\n\
                constraint rod: x^2 + y^2 = 1\ninitial x = 1\nsimulate to 1\n";
    let words = ["sweep", "-", "--json", "--grid", "x in [1, 1.5, 2]"];
    let failed = |words: &[&str]| {
        let answer = galilei(words, text);
        assert_eq!(answer.code, 0, "{}", answer.out);
        answer.json().get("failed").number()
    };
    assert_eq!(failed(&words), 2.0);
    assert_eq!(failed(&[&words[..], &["--project"]].concat()), 0.0);
}

#[test]
fn a_model_of_the_gallery_is_the_same_with_one_lane_and_with_four() {
    let folder = scratch("lanes");
    let source = model("kapitza-pendulum");
    let file = |method: &str, lanes: &str| {
        let output = folder.join(format!("{method}{lanes}.csv"));
        let words = [
            "sweep",
            &source,
            "--sample",
            "300",
            "--vary",
            "theta in 2..4",
        ];
        let more = [
            "--to",
            "1",
            "--method",
            method,
            "--lanes",
            lanes,
            "--json",
            "-o",
            output.to_str().unwrap(),
        ];
        let answer = galilei(&[&words[..], &more[..]].concat(), "");
        assert_eq!(answer.code, 0, "{}", answer.err);
        let told = answer.json().get("lanes").number();
        assert_eq!(told, lanes.parse::<f64>().unwrap(), "{method}");
        std::fs::read(output).unwrap()
    };
    for method in ["taylor", "dop853"] {
        assert!(file(method, "1") == file(method, "4"), "{method}");
    }
}
