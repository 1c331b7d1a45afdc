//! Numbers of tests from the summaries of the test runners.

use std::ops::AddAssign;

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, timed out or did not start.
    pub(crate) failed: u64,
}

impl Tally {
    /// One thing that passed or failed.
    pub(crate) fn one(passed: bool) -> Tally {
        Tally {
            passed: u64::from(passed),
            failed: u64::from(!passed),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Reads nextest's line `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 timed out, 4 skipped`.
/// Tests that neither passed nor were skipped have failed.
pub(crate) fn nextest(text: &str) -> Option<Tally> {
    let line = text
        .lines()
        .rfind(|line| line.trim_start().starts_with("Summary ["))?;
    let (_, counts) = line.split_once(" run: ")?;
    let mut tally = Tally::default();
    for (number, what) in counted(&without_parentheses(counts), ',') {
        match what.as_str() {
            "passed" => tally.passed += number,
            "skipped" => {}
            _ => tally.failed += number,
        }
    }
    Some(tally)
}

/// Adds up the lines `test result: ok. 3 passed; 1 failed; 0 ignored; ...`; none of them: `None`.
pub(crate) fn libtest(text: &str) -> Option<Tally> {
    let mut sum = None;
    for line in text.lines() {
        let Some(result) = line.trim_start().strip_prefix("test result: ") else {
            continue;
        };
        let Some((_, counts)) = result.split_once(". ") else {
            continue;
        };
        let tally: &mut Tally = sum.get_or_insert_default();
        for (number, what) in counted(counts, ';') {
            match what.as_str() {
                "passed" => tally.passed += number,
                "failed" => tally.failed += number,
                _ => {}
            }
        }
    }
    sum
}

/// Reads pytest's last line `2 failed, 3 passed, 1 skipped, 1 error in 0.12s`.
pub(crate) fn pytest(text: &str) -> Option<Tally> {
    // Runs of more than a minute have hours, minutes and seconds behind: "3 passed in 89.01s (0:01:29)".
    let is_summary = |line: &&str| {
        let line = line.trim_end_matches(['=', ' ']);
        let line = line.rsplit_once(" (").map_or(line, |(start, _)| start);
        line.contains(" in ") && line.ends_with('s')
    };
    let summaries = text.lines().rev().filter(is_summary);
    let mut counts = summaries.filter_map(|line| {
        let line = line.trim_matches(['=', ' ']);
        let (counts, _) = line.rsplit_once(" in ")?;
        let mut tally = Tally::default();
        let mut seen = false;
        for (number, what) in counted(counts, ',') {
            seen = true;
            match what.as_str() {
                "passed" => tally.passed += number,
                "failed" | "error" | "errors" => tally.failed += number,
                _ => {}
            }
        }
        seen.then_some(tally)
    });
    counts.next()
}

/// The parts `3 passed` of a list, as number and words; other parts are left out.
fn counted(list: &str, separator: char) -> impl Iterator<Item = (u64, String)> {
    list.split(separator).filter_map(|part| {
        let (number, what) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, what.trim().to_string()))
    })
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|&c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nextest_summary_is_read() {
        let text = "    PASS [0.1s] a b\n     Summary [   0.006s] 3 tests run: 2 passed, 1 failed, 0 skipped\nerror: x";
        assert_eq!(
            nextest(text),
            Some(Tally {
                passed: 2,
                failed: 1
            })
        );
    }

    #[test]
    fn nextest_counts_everything_that_did_not_pass() {
        let text = "  Summary [  60.0s] 9 tests run: 5 passed (1 slow, 2 leaky), 2 failed (1 due to signal), 1 timed out, 1 exec failed, 7 skipped";
        assert_eq!(
            nextest(text),
            Some(Tally {
                passed: 5,
                failed: 4
            })
        );
    }

    #[test]
    fn pytest_summary_is_read() {
        let text = "...F [100%]\nFAILED tests/a.py::b - x in 3 s\n1 failed, 376 passed, 10 skipped, 2 errors in 15.67s\n";
        let wanted = Tally {
            passed: 376,
            failed: 3,
        };
        assert_eq!(pytest(text), Some(wanted));
        assert_eq!(
            pytest("===== 2 passed in 0.1s =====\n"),
            Some(Tally {
                passed: 2,
                failed: 0
            })
        );
        assert_eq!(
            pytest("12 failed, 684 passed, 11 skipped, 1 warning in 89.01s (0:01:29)\n"),
            Some(Tally {
                passed: 684,
                failed: 12
            })
        );
        assert_eq!(pytest("no tests ran in 0.01s\n"), None);
    }

    #[test]
    fn no_summary_is_no_result() {
        assert_eq!(nextest("error: could not compile"), None);
        assert_eq!(libtest("error: could not compile"), None);
    }

    #[test]
    fn libtest_results_are_added_up() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\
                    test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s";
        assert_eq!(
            libtest(text),
            Some(Tally {
                passed: 7,
                failed: 2
            })
        );
    }
}
