//! The states between which the steps of a run lie.

/// States (t, x, u) in the order of a run, each with the branches of the kinks that the motion is on from there.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// The number of components of a state.
    width: usize,
    states: Vec<f64>,
    /// The branches at each state.
    branches: Vec<f64>,
}

impl Trail {
    pub(crate) fn push(&mut self, state: &[f64], branches: &[f64]) {
        self.width = state.len();
        self.states.extend(state);
        self.branches.extend(branches);
    }

    /// Adds where the run ended, unless that is there already.
    pub(crate) fn close(&mut self, state: &[f64], branches: &[f64]) {
        if self.is_empty() || self.state(self.len() - 1)[0] != state[0] {
            self.push(state, branches);
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are none: they were not to be kept.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The first and the last time.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let last = self.len().checked_sub(1)?;
        Some((self.state(0)[0], self.state(last)[0]))
    }

    /// State k: t, x, u.
    pub(crate) fn state(&self, k: usize) -> &[f64] {
        &self.states[k * self.width..(k + 1) * self.width]
    }

    /// The branches of the kinks at state k.
    pub(crate) fn branches(&self, k: usize) -> &[f64] {
        let kinks = self.branches.len() / self.len();
        &self.branches[k * kinks..(k + 1) * kinks]
    }

    /// The last state that does not lie behind a time; `None` if the run did not come to that time.
    pub(crate) fn before(&self, t: f64) -> Option<usize> {
        let (first, last) = self.ends()?;
        let sign = if last >= first { 1.0 } else { -1.0 };
        let inside = (t - first) * sign >= 0.0 && (last - t) * sign >= 0.0;
        let (mut low, mut high) = (0, self.len());
        while inside && high - low > 1 {
            let middle = low.midpoint(high);
            match (t - self.state(middle)[0]) * sign >= 0.0 {
                true => low = middle,
                false => high = middle,
            }
        }
        inside.then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(times: &[f64]) -> Trail {
        let mut trail = Trail::default();
        for &t in times {
            trail.push(&[t, 1.0, 2.0], &[if t > 1.0 { 1.0 } else { -1.0 }]);
        }
        trail
    }

    #[test]
    fn a_time_belongs_to_the_state_before_it() {
        let forth = trail(&[0.0, 1.0, 1.0, 3.0]);
        let found: Vec<_> = [-0.1, 0.0, 0.5, 1.0, 2.9, 3.0, 3.1, f64::NAN]
            .iter()
            .map(|t| forth.before(*t))
            .collect();
        let wanted = [
            None,
            Some(0),
            Some(0),
            Some(2),
            Some(2),
            Some(3),
            None,
            None,
        ];
        assert_eq!(found, wanted);
        let back = trail(&[3.0, 1.0, 0.0]);
        assert_eq!(back.before(2.0), Some(0));
        assert_eq!(back.before(0.5), Some(1));
        assert_eq!(back.before(3.5), None);
        assert_eq!(back.branches(0), [1.0]);
        assert_eq!(Trail::default().before(0.0), None);
    }

    #[test]
    fn the_end_stands_once() {
        let mut trail = trail(&[0.0, 1.0]);
        trail.close(&[1.0, 1.0, 2.0], &[-1.0]);
        assert_eq!(trail.len(), 2);
        trail.close(&[1.5, 1.0, 2.0], &[-1.0]);
        assert_eq!((trail.len(), trail.ends()), (3, Some((0.0, 1.5))));
    }
}
