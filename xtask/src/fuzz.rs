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
    /// Whether it ends after a number of motions, too.
    counts: bool,
}

/// Motions by every adaptive method.
pub(crate) const MOTION: LongTest = LongTest {
    package: "galilei",
    file: "all",
    test: "differential::longer",
    counts: false,
};

/// Enclosures of motions.
pub(crate) const CERTIFY: LongTest = LongTest {
    package: "galilei-certify",
    file: "motions",
    test: "longer",
    counts: true,
};

/// The duration, the number of motions, and the first seed.
#[derive(Debug, Default, PartialEq)]
struct Request {
    seconds: Option<u64>,
    motions: Option<u64>,
    seed: Option<u64>,
}

/// Seconds of a run of which neither duration nor number is given.
const SECONDS: u64 = 300;

impl Request {
    fn read(arguments: &[String], counts: bool) -> Result<Request, String> {
        let mut request = Request::default();
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            let known = ["--seconds", "--seed"].contains(&option.as_str());
            if !(known || counts && option == "--motions") {
                return Err(format!("unexpected argument `{option}`\n\n{USAGE}"));
            }
            let value = arguments.next();
            let value = value.ok_or_else(|| format!("`{option}` needs a value"))?;
            let number = value.parse();
            let number = number.map_err(|_| format!("`{option}` takes a number, not `{value}`"))?;
            match option.as_str() {
                "--seconds" => request.seconds = Some(number),
                "--motions" => request.motions = Some(number),
                _ => request.seed = Some(number),
            }
        }
        if request.motions.is_none() {
            request.seconds.get_or_insert(SECONDS);
        }
        Ok(request)
    }
}

/// Runs a test for the requested time; true if it passes: no motion is silently wrong, or outside of its enclosure.
pub(crate) fn main(rest: &[String], long: &LongTest) -> Result<bool, String> {
    let request = Request::read(rest, long.counts)?;
    let mut command = repository::cargo(&repository::root()?);
    command.args(["test", "--package", long.package, "--test", long.file]);
    command.args(["--", "--ignored", "--exact", long.test, "--nocapture"]);
    let variables = [
        ("GALILEI_FUZZ_SECONDS", request.seconds),
        ("GALILEI_FUZZ_MOTIONS", request.motions),
        ("GALILEI_FUZZ_SEED", request.seed),
    ];
    for (name, value) in variables {
        command.envs(value.map(|value| (name, value.to_string())));
    }
    let status = command.status();
    let status = status.map_err(|error| format!("cargo test did not start: {error}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::Request;

    fn read(line: &str, counts: bool) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Request::read(&words, counts)
    }

    #[test]
    fn requests() {
        let request = |seconds, motions, seed| {
            Ok(Request {
                seconds,
                motions,
                seed,
            })
        };
        assert_eq!(read("", true), request(Some(300), None, None));
        let read_seed = read("--seconds 20 --seed 7", false);
        assert_eq!(read_seed, request(Some(20), None, Some(7)));
        let counted = read("--motions 100000", true);
        assert_eq!(counted, request(None, Some(100_000), None));
        for wrong in ["--seconds", "--seconds x", "--seed -1", "20", "--sed 3"] {
            assert!(read(wrong, true).is_err(), "{wrong}");
        }
        assert!(read("--motions 5", false).is_err());
    }
}
