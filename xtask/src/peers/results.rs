//! The results of one work in one variant: the table, and whether all sides agree.

use super::figure::{Figure, three_digits};
use super::work::{OURS, Work};

/// The largest relative difference between two sides' results: far above rounding in sums of a few thousand
/// terms, far below a wrong entry.
const AGREEMENT: f64 = 1e-9;

/// The figures for one size.
#[derive(Debug)]
pub(crate) struct Size {
    /// The size.
    pub(crate) n: usize,
    /// Our figure.
    pub(crate) ours: Figure,
    /// The peers' figures, in the order of the work's peers.
    pub(crate) peers: Vec<Figure>,
}

/// The figures of a work in one variant.
#[derive(Debug)]
pub(crate) struct Results<'r> {
    /// The work.
    pub(crate) work: &'r Work,
    /// The variant.
    pub(crate) variant: &'r str,
    /// The sizes that were run.
    pub(crate) rows: Vec<Size>,
}

impl Size {
    /// All sides with their names, ours first.
    fn sides<'s>(&'s self, work: &'s Work) -> impl Iterator<Item = (&'s str, &'s Figure)> {
        let names = work.peers.iter().map(|peer| peer.name);
        std::iter::once((OURS, &self.ours)).chain(names.zip(&self.peers))
    }
}

impl Results<'_> {
    /// Times, and behind a peer's time how many times ours it is.
    pub(crate) fn table(&self) -> String {
        let mut header = vec!["n".to_string(), OURS.to_string()];
        header.extend(self.work.peers.iter().map(|peer| peer.name.to_string()));
        let mut lines = vec![header];
        for row in &self.rows {
            let mut line = vec![row.n.to_string(), row.ours.shown()];
            line.extend(row.peers.iter().map(|peer| {
                let ratio = peer.seconds().zip(row.ours.seconds());
                match ratio {
                    Some((peer_s, our_s)) => {
                        format!("{} ({}×)", peer.shown(), three_digits(peer_s / our_s))
                    }
                    None => peer.shown(),
                }
            }));
            lines.push(line);
        }
        let mut text = format!(
            "{}, {} {}: time, and how many times ours\n",
            self.work.name, self.work.aspect, self.variant
        );
        let columns = lines[0].len();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        for line in &lines {
            for (cell, width) in line.iter().zip(&widths) {
                text += &format!("  {cell:>width$}");
            }
            text.push('\n');
        }
        for reason in self.missing() {
            text += &format!("  {reason}\n");
        }
        text
    }

    /// Why sides are missing, each reason once.
    fn missing(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        for row in &self.rows {
            for (name, figure) in row.sides(self.work) {
                if let Figure::Missing(reason) = figure {
                    let reason = format!("{name} is missing: {reason}");
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
        reasons
    }

    /// Failures, and results that disagree with the first side that has one (ours, if it is there).
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for row in &self.rows {
            let place = format!("{} {} n = {}", self.work.name, self.variant, row.n);
            let mut reference: Option<(&str, f64)> = None;
            for (name, figure) in row.sides(self.work) {
                if let Figure::Failed(reason) = figure {
                    problems.push(format!("{place}: {name} {reason}"));
                }
                let Some(check) = figure.check() else {
                    continue;
                };
                match reference {
                    None => reference = Some((name, check)),
                    Some((other, value)) if !agree(value, check) => problems.push(format!(
                        "{place}: {name} has the result {check:e}, {other} has {value:e}"
                    )),
                    Some(_) => {}
                }
            }
        }
        problems
    }
}

fn agree(a: f64, b: f64) -> bool {
    (a - b).abs() <= AGREEMENT * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::super::work::WORKS;
    use super::*;

    fn measured(seconds: f64, check: f64) -> Figure {
        Figure::Measured {
            seconds,
            check,
            line: String::new(),
        }
    }

    fn results(ours: Figure, first: Figure) -> Results<'static> {
        let work = &WORKS[0];
        let mut peers = vec![Figure::NotRun; work.peers.len()];
        peers[0] = first;
        Results {
            work,
            variant: "abs",
            rows: vec![Size { n: 2, ours, peers }],
        }
    }

    #[test]
    fn a_ratio_is_the_peers_time_over_ours() {
        let results = results(measured(2e-6, 1.0), measured(5e-6, 1.0));
        assert!(
            results.table().contains("5.00 µs (2.50×)"),
            "{}",
            results.table()
        );
        assert!(results.problems().is_empty());
    }

    #[test]
    fn a_different_result_is_a_problem() {
        let wrong = results(measured(1.0, 7.0), measured(1.0, 7.00001)).problems();
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].contains("n = 2") && wrong[0].contains("7.00001"));
        let nan = results(measured(1.0, 7.0), measured(1.0, f64::NAN));
        assert_eq!(nan.problems().len(), 1);
        let rounding = results(measured(1.0, 7.0), measured(1.0, 7.0 + 1e-12));
        assert!(rounding.problems().is_empty());
    }

    #[test]
    fn a_missing_side_is_shown_and_is_no_problem() {
        let missing = Figure::Missing("not built".to_string());
        let results = results(missing, measured(1.0, 7.0));
        assert!(results.table().contains("galilei is missing: not built"));
        assert!(results.problems().is_empty());
    }

    #[test]
    fn a_failed_side_is_a_problem() {
        let failed = Figure::Failed("stopped".to_string());
        assert_eq!(results(failed, measured(1.0, 7.0)).problems().len(), 1);
    }
}
