//! Sweeps whose runs fail say why.

mod common;

use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Answer, galilei, scratch};

/// On a rod, with a mass that may vanish.
const ROD: &str = "param m = 1\ncoord x, y\nparticle p: mass m at (x, y)\ngravity: (0, -9.81)\n\
                   constraint rod: x^2 + y^2 = 1\ninitial x = 1\nsimulate to 1\n";

/// With dry friction of force 1: each half turn of length π takes 2 from the distance, and where it is below 1 the motion
/// sticks. Until t = 7 that happens from all starts below 5.
const DRY: &str = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce friction: x = -sign(x')\n\
                   simulate to 7\n";
const STICKS: &str = "the motion sticks at a kink: both sides push back to it\n";

/// A sweep of the oscillator with friction over starts from 1 to 6.
fn dry<'a>(sample: &'a str, output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["sweep", "-", "--json", "--sample", sample, "-o", output];
    [&words[..], &["--vary", "x in 1..6"], more].concat()
}

fn ran(words: &[&str], text: &str) -> Answer {
    let answer = galilei(words, text);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer
}

/// How many starts in a file are below 5.
fn below_five(file: &str) -> usize {
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter(|l| !l.starts_with(['#', 'r']));
    let starts = rows.map(|l| l.split(',').nth(1).unwrap().parse::<f64>().unwrap());
    starts.filter(|x| *x < 5.0).count()
}

/// In lanes and one by one: of six runs four begin off the rod, and one of the others has no mass.
#[test]
fn the_most_frequent_reason_comes_first() {
    let said = "5 of 6 runs failed:\n  4  the initial state is not on the constraints\n  \
                1  the mass matrix became singular\n";
    let words = ["sweep", "-", "--grid", "m in [0, 1], x in [1, 1.5, 2]"];
    for method in ["taylor", "dop853", "radau"] {
        let words = [&words[..], &["--method", method]].concat();
        for (more, said) in [(None, said), (Some("--json"), said), (Some("--quiet"), "")] {
            let answer = ran(&words.iter().copied().chain(more).collect::<Vec<_>>(), ROD);
            assert_eq!(answer.err, said, "{method} {more:?}");
            let expected = if more == Some("--json") {
                "\"failed\": 5"
            } else {
                "6 runs; 5 failed"
            };
            assert!(answer.out.contains(expected), "{}", answer.out);
        }
    }
}

#[test]
fn nothing_is_said_where_nothing_failed() {
    let answer = ran(&["sweep", "-", "--grid", "m in [1, 2]"], ROD);
    assert_eq!(answer.err, "");
}

/// Parts say their own reasons. The files keep only which runs failed, so the whole says how many.
#[test]
fn parts_say_why_and_the_whole_how_many() {
    let folder = scratch("failing-parts");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let parts = ["1/2", "2/2"].map(|shard| {
        let part = path(&format!("part{}.csv", &shard[..1]));
        let answer = ran(&dry("2048", &part, &["--shard", shard]), DRY);
        let failed = below_five(&part);
        let said = format!("{failed} of 1024 runs failed:\n  {failed}  {STICKS}");
        assert_eq!(answer.err, said);
        part
    });
    let whole = path("whole.csv");
    let words = ["merge", &parts[0], &parts[1], "-o", &whole];
    assert_eq!(ran(&[&words[..], &["--quiet"]].concat(), "").err, "");
    let failed = below_five(&whole);
    let said = "runs failed; each sweep said at its end why, the files do not";
    assert_eq!(ran(&words, "").err, format!("{failed} of 2048 {said}\n"));
}

/// What failed before a sweep was killed is told by the one that goes on.
#[test]
fn reasons_survive_a_kill() {
    let folder = scratch("failing-kill");
    let (source, output) = (folder.join("dry.gal"), folder.join("runs.csv"));
    std::fs::write(&source, DRY).unwrap();
    let mut words = dry("20000", output.to_str().unwrap(), &["--method", "dop853"]);
    words[1] = source.to_str().unwrap();
    let journal = folder.join("runs.csv.journal");
    let killed_and_resumed = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
            .args(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        // The journal has a head of 24 bytes before its first rows.
        let written = || std::fs::metadata(&journal).is_ok_and(|m| m.len() > 24);
        while !written() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        ran(&words, "")
    };
    // On a busy machine it may be over before it is killed.
    let mut answers = (0..10).map(|_| killed_and_resumed());
    let answer = answers
        .find(|a| a.json().get("resumed").number() > 0.0)
        .expect("one that was killed");
    let failed = below_five(output.to_str().unwrap());
    let said = format!("{failed} of 20000 runs failed:\n  {failed}  {STICKS}");
    assert_eq!(answer.err, said);
}
