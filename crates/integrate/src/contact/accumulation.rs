//! Impacts that follow each other ever faster: the instant at which they accumulate.

/// The number of intervals between impacts that are compared.
const INTERVALS: usize = 6;
/// The part of the largest speed of an impact below which impacts may be summed up: what follows is a geometric series to
/// its square.
const SLOW: f64 = 1e-7;
/// The largest difference of two ratios of a geometric series.
const STEADY: f64 = 0.02;

/// The impacts of a run, as far as they tell that they accumulate.
#[derive(Clone, Debug, Default)]
pub(super) struct Accumulation {
    /// The times of the last impacts.
    times: Vec<f64>,
    /// The largest speed of an impact of the present series.
    fastest: f64,
    end: Option<f64>,
}

impl Accumulation {
    /// Notes an impact at a time with a speed, and whether it is so weak that rounding hides the flight after it. Returns the
    /// time at which impacts accumulate, if they do so soon.
    pub(super) fn note(&mut self, time: f64, speed: f64, hidden: bool) -> Option<f64> {
        self.times.push(time);
        let count = self.times.len();
        if count > INTERVALS + 1 {
            self.times.remove(0);
        }
        let intervals: Vec<f64> = self.times.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
        // A longer interval begins another series.
        if intervals.len() > 1
            && intervals[intervals.len() - 1] > 2.0 * intervals[intervals.len() - 2]
        {
            self.fastest = speed;
            self.times.drain(..self.times.len() - 1);
            return None;
        }
        self.fastest = self.fastest.max(speed);
        if intervals.len() < INTERVALS || !(speed < SLOW * self.fastest || hidden) {
            return None;
        }
        // Two contacts may take turns: every second interval is compared.
        let ratio = |k: usize| intervals[k] / intervals[k - 2];
        let last = intervals.len() - 1;
        let (a, b) = (ratio(last), ratio(last - 1));
        if !(a < 1.0 && b < 1.0 && (a - b).abs() <= STEADY.max(0.2 * (1.0 - a))) {
            return None;
        }
        let pair = intervals[last] + intervals[last - 1];
        let sign = if self.times[count.min(INTERVALS + 1) - 1] >= self.times[0] {
            1.0
        } else {
            -1.0
        };
        Some(time + sign * pair * a / (1.0 - a))
    }

    /// Begins anew after impacts have accumulated at a time.
    pub(super) fn end(&mut self, time: f64) {
        *self = Self {
            end: Some(time),
            ..Self::default()
        };
    }

    /// The time at which impacts have just accumulated.
    pub(super) fn take_end(&mut self) -> Option<f64> {
        self.end.take()
    }
}
