//! Work `process`: the whole command, from the model file to the last state.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::models::{Digits, pendulum};

const REPEATS: usize = 15;

/// The `galilei` command, which is built into the folder of this program.
fn command() -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.with_file_name("galilei")
}

/// The last line of numbers of the coordinate `a`: its position and velocity.
fn last_state(printed: &str) -> Option<(f64, f64)> {
    let line = printed
        .lines()
        .find(|line| line.split_whitespace().next() == Some("a"))?;
    let mut numbers = line.split_whitespace().skip(1).map(|w| w.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

pub(crate) fn run() {
    let folder = std::env::temp_dir().join(format!("galilei-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the model");
    let file = folder.join("pendulum.gal");
    std::fs::write(&file, pendulum(Digits::Short).text).expect("the model is written");
    let mut best = f64::INFINITY;
    let mut printed = String::new();
    for _ in 0..REPEATS {
        let clock = Instant::now();
        let output = Command::new(command())
            .arg("simulate")
            .arg(&file)
            .args(["--to", "1000"])
            .output()
            .expect("the command starts");
        best = best.min(clock.elapsed().as_secs_f64());
        assert!(output.status.success(), "{output:?}");
        printed = String::from_utf8_lossy(&output.stdout).into_owned();
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    let (a, rate) = last_state(&printed).expect("the last state is printed");
    // Three digits at t = 1000 and the tolerance 1e-12 would already show a wrong motion.
    let check = a + 0.37 * rate;
    println!(
        r#"{{"work":"process","peer":"galilei","n":2,"variant":"regular","total_s":{best:e},"check":{check:?}}}"#
    );
}
