//! `cargo xtask fuzz-motion` and `cargo xtask fuzz-certify`: random models against independent integrators, for longer than
//! the test run does.
//!
//! Models, integrators and verdicts are those of the tests `differential` of `crates/galilei` and `motions` of
//! `crates/certify`; the commands only say how long, and from which seed on.

use crate::{USAGE, repository};

/// A test that runs for a given time.
pub(crate) struct LongTest {
    package: &'static str,
    file: &'static str,
    test: &'static str,
}

/// Motions by every adaptive method.
pub(crate) const MOTION: LongTest = LongTest {
    package: "galilei",
    file: "all",
    test: "differential::longer",
};

/// Enclosures of motions.
pub(crate) const CERTIFY: LongTest = LongTest {
    package: "galilei-certify",
    file: "motions",
    test: "longer",
};

/// The duration, and the first seed.
#[derive(Debug, PartialEq)]
struct Request {
    seconds: u64,
    seed: Option<u64>,
}

impl Request {
    fn read(arguments: &[String]) -> Result<Request, String> {
        let mut request = Request {
            seconds: 300,
            seed: None,
        };
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            if !["--seconds", "--seed"].contains(&option.as_str()) {
                return Err(format!("unexpected argument `{option}`\n\n{USAGE}"));
            }
            let value = arguments.next();
            let value = value.ok_or_else(|| format!("`{option}` needs a value"))?;
            let number = value.parse();
            let number = number.map_err(|_| format!("`{option}` takes a number, not `{value}`"))?;
            match option.as_str() {
                "--seconds" => request.seconds = number,
                _ => request.seed = Some(number),
            }
        }
        Ok(request)
    }
}

/// Runs a test for the requested time; true if it passes: no motion is silently wrong, or outside of its enclosure.
pub(crate) fn main(rest: &[String], long: &LongTest) -> Result<bool, String> {
    let request = Request::read(rest)?;
    let mut command = repository::cargo(&repository::root()?);
    command.args(["test", "--package", long.package, "--test", long.file]);
    command.args(["--", "--ignored", "--exact", long.test, "--nocapture"]);
    command.env("GALILEI_FUZZ_SECONDS", request.seconds.to_string());
    if let Some(seed) = request.seed {
        command.env("GALILEI_FUZZ_SEED", seed.to_string());
    }
    let status = command.status();
    let status = status.map_err(|error| format!("cargo test did not start: {error}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::Request;

    fn read(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Request::read(&words)
    }

    #[test]
    fn requests() {
        let request = |seconds, seed| Ok(Request { seconds, seed });
        assert_eq!(read(""), request(300, None));
        assert_eq!(read("--seconds 20 --seed 7"), request(20, Some(7)));
        for wrong in ["--seconds", "--seconds x", "--seed -1", "20", "--sed 3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
