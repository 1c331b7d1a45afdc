//! The results of one work in one variant: the table, and whether all sides agree.

use super::curve::{Curve, at_equal_error};
use super::figure::{Figure, duration, three_digits};
use super::work::{Aim, OURS, Peer, Work};

/// The tolerances at which motions are compared.
const NOMINAL: [f64; 2] = [1e-9, f64::EPSILON];

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
    /// The table of times, with the ratio of each peer's time to ours; for motions at each nominal tolerance.
    pub(crate) fn table(&self) -> String {
        if self.rows.iter().any(|row| row.ours.curve().is_some()) {
            return self.motions();
        }
        let mut header = vec!["n".to_string(), OURS.to_string()];
        let asked = |peer: &&Peer| self.rows.iter().any(|row| peer.takes(self.variant, row.n));
        let shown: Vec<bool> = self.work.peers.iter().map(|peer| asked(&peer)).collect();
        let peers = self.work.peers.iter().filter(asked);
        header.extend(peers.map(|peer| peer.name.to_string()));
        let mut lines = vec![header];
        for row in &self.rows {
            let mut line = vec![row.n.to_string(), row.ours.shown()];
            let peers = row.peers.iter().zip(&shown).filter(|(_, shown)| **shown);
            line.extend(peers.map(|(peer, _)| {
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
        text += &aligned(&lines);
        for reason in self.missing() {
            text += &format!("  {reason}\n");
        }
        text
    }

    /// The table of time, error and compile time of each side at the nominal tolerances, with the ratio of a peer's time
    /// to ours there and at equal error.
    fn motions(&self) -> String {
        let header = "n|tolerance|side|time|error|compile|ratio|at error|time|ours|ratio";
        let mut lines: Vec<Vec<String>> = vec![header.split('|').map(str::to_string).collect()];
        for row in &self.rows {
            for tolerance in NOMINAL {
                for (name, figure) in row.sides(self.work) {
                    let Some(point) = figure.curve().and_then(|c| c.nominal(tolerance)) else {
                        continue;
                    };
                    let mut line = vec![
                        row.n.to_string(),
                        format!("{tolerance:.1e}"),
                        name.to_string(),
                        duration(point.seconds),
                        format!("{:.1e}", point.error),
                        duration(point.compile),
                    ];
                    line.extend(self.ratios(row, figure, tolerance));
                    line.resize(11, String::new());
                    lines.push(line);
                }
            }
        }
        let mut text = format!(
            "{}, {} {}: at the tolerance, and interpolated to equal errors\n",
            self.work.name, self.work.aspect, self.variant
        );
        text += &aligned(&lines);
        for reason in self.missing() {
            text += &format!("  {reason}\n");
        }
        text
    }

    /// The ratio to ours at a tolerance, then the error, the times and the ratio at equal error.
    fn ratios(&self, row: &Size, peer: &Figure, tolerance: f64) -> Vec<String> {
        let (Some(ours), Some(theirs)) = (row.ours.curve(), peer.curve()) else {
            return vec![];
        };
        if std::ptr::eq(&row.ours, peer) {
            return vec![];
        }
        let nominal = ours.nominal(tolerance).zip(theirs.nominal(tolerance));
        let mut cells = vec![nominal.map_or(String::new(), |(a, b)| times(b.seconds / a.seconds))];
        if let Some(equal) = at_equal_error(ours, theirs, tolerance) {
            cells.push(format!("{:.1e}", equal.error));
            cells.push(duration(equal.theirs));
            cells.push(duration(equal.ours));
            cells.push(times(equal.theirs / equal.ours));
        }
        cells
    }

    /// Each goal, and whether it is met; for motions at equal error.
    pub(crate) fn goals(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            for aim in self.work.goals(self.variant, row.n) {
                for (what, met) in self.judged(row, aim) {
                    let verdict = if met { "met" } else { "MISSED" };
                    text += &format!("  goal n = {}: {what}: {verdict}\n", row.n);
                }
            }
        }
        text
    }

    /// The text of a goal with the measured figure, and whether it is met.
    fn judged(&self, row: &Size, aim: Aim) -> Vec<(String, bool)> {
        let mut list = Vec::new();
        match aim {
            Aim::Ratio(peer, least) => {
                let figure = row.sides(self.work).find(|side| side.0 == peer);
                let Some((_, figure)) = figure else {
                    return list;
                };
                let mut judge = |ratio: f64, place: &str| {
                    let said = format!("{peer} ≥ {least}×{place}, measured {}", times(ratio));
                    list.push((said, ratio >= least));
                };
                match (row.ours.curve(), figure.curve()) {
                    (Some(ours), Some(theirs)) => {
                        for tolerance in NOMINAL {
                            if let Some(equal) = at_equal_error(ours, theirs, tolerance) {
                                let place = format!(" at {tolerance:.1e}");
                                judge(equal.theirs / equal.ours, &place);
                            }
                        }
                    }
                    _ => {
                        if let Some((b, a)) = figure.seconds().zip(row.ours.seconds()) {
                            judge(b / a, "");
                        }
                    }
                }
            }
            Aim::Below(most) => {
                if let Some(seconds) = row.ours.seconds() {
                    let (limit, time) = (duration(most), duration(seconds));
                    list.push((format!("below {limit}, measured {time}"), seconds < most));
                }
            }
            Aim::Figure(key, what, most) => {
                if let Some(seconds) = row.ours.number(key) {
                    let (limit, time) = (duration(most), duration(seconds));
                    let said = format!("{what} below {limit}, measured {time}");
                    list.push((said, seconds < most));
                }
            }
            Aim::CompiledBelow(most) => {
                let nominal = |curve: &Curve| curve.nominal(f64::EPSILON).map(|p| p.compile);
                if let Some(seconds) = row.ours.curve().and_then(nominal) {
                    let (limit, time) = (duration(most), duration(seconds));
                    let said = format!("compiled in less than {limit}, measured {time}");
                    list.push((said, seconds < most));
                }
            }
        }
        list
    }

    /// The reasons why sides are missing, each once.
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

    /// Failures, and results that disagree with those of the first side that has one (ours, if available).
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
                    Some((other, value)) if !agree(value, check, self.work.agreement) => problems
                        .push(format!(
                            "{place}: {name} has the result {check:e}, {other} has {value:e}"
                        )),
                    Some(_) => {}
                }
            }
        }
        problems
    }
}

fn agree(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within * a.abs().max(b.abs())
}

fn times(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

/// Lines of cells in columns.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        for (cell, width) in line.iter().zip(&widths) {
            text += &format!("  {cell:>width$}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
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
            curve: Curve::default(),
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
