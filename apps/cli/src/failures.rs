//! Failed runs of a sweep, counted by reason.

use galilei::RunError;

/// The number of reasons that are listed, the most frequent ones.
const MAX_REASONS: usize = 5;

/// Runs that failed, by reason.
#[derive(Default)]
pub(crate) struct Failures {
    failed: u64,
    /// Counts by the number of the reason. Reasons of runs that are only known from a file of rows are missing.
    reasons: [u64; RunError::ALL.len()],
}

impl Failures {
    /// Counts the runs among these rows that failed.
    pub(crate) fn count(&mut self, rows: &[Vec<f64>], status: usize) {
        self.failed += rows.iter().filter(|row| row[status] == 2.0).count() as u64;
    }

    /// Counts reasons, each behind the number of its run.
    pub(crate) fn explain(&mut self, failures: &[Vec<f64>]) {
        for row in failures {
            let reason = row.get(1).map(|number| *number as usize);
            if let Some(count) = reason.and_then(|k| self.reasons.get_mut(k)) {
                *count += 1;
            }
        }
    }

    /// The number of failed runs.
    pub(crate) fn failed(&self) -> u64 {
        self.failed
    }

    /// Reports failed runs and their reasons on standard error, if there are any.
    pub(crate) fn report(&self, runs: u64, quiet: bool) {
        if self.failed > 0 && !quiet {
            crate::say(&self.summary(runs));
        }
    }

    fn summary(&self, runs: u64) -> String {
        let mut known: Vec<(u64, RunError)> = self.reasons.into_iter().zip(RunError::ALL).collect();
        known.retain(|(count, _)| *count > 0);
        // Stable: of equally frequent ones, in their own order.
        known.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut text = format!("{} of {runs} runs failed", self.failed);
        if known.is_empty() {
            return text + "; each sweep said at its end why, the files do not";
        }
        text.push(':');
        let shown = &known[..known.len().min(MAX_REASONS)];
        let explained = shown.iter().map(|(count, _)| count).sum();
        let rest = self.failed.saturating_sub(explained);
        let width = self.failed.to_string().len();
        for (count, stop) in shown {
            text += &format!("\n  {count:>width$}  {stop}");
        }
        if rest > 0 {
            text += &format!("\n  {rest:>width$}  for other reasons");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(reasons: &[u64]) -> Failures {
        let mut all = Failures::default();
        all.reasons[..reasons.len()].copy_from_slice(reasons);
        all.failed = reasons.iter().sum();
        all
    }

    #[test]
    fn reasons_come_by_frequency_and_the_rare_ones_together() {
        let text = failures(&[2, 30, 0, 1, 5, 7, 1, 30]).summary(100);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "76 of 100 runs failed:");
        assert_eq!(lines[1], "  30  a value is not finite");
        assert_eq!(
            lines[2],
            "  30  the initial state is not on the constraints"
        );
        assert!(lines[3].starts_with("   7  the motion touches a kink"));
        assert!(lines[4].starts_with("   5  the motion sticks at a kink"));
        assert_eq!(lines[5], "   2  the mass matrix became singular");
        assert_eq!(lines[6..], ["   2  for other reasons"]);
    }

    /// Numbers that are no reasons, from a journal of a later version.
    #[test]
    fn unknown_reasons_are_other_ones() {
        let mut all = failures(&[1]);
        all.failed += 2;
        all.explain(&[vec![4.0, 1e9], vec![5.0]]);
        let text = all.summary(9);
        assert!(text.ends_with("  1  the mass matrix became singular\n  2  for other reasons"));
    }
}
