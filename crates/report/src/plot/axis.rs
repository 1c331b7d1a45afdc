//! Axes: a range of numbers, its ticks and their labels.

use crate::markup::superscript;

/// A place on an axis with its label; minor ones have none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// An axis from `low` to `high`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<Tick>,
    /// A power of ten that the labels are to be multiplied with.
    pub(crate) power: Option<i32>,
    logarithmic: bool,
}

/// The distance of ticks, 1, 2 or 5 times a power of ten, for about `wanted` of them.
fn step(span: f64, wanted: usize) -> f64 {
    let rough = span / wanted as f64;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let enough = |s: &&f64| **s >= 0.72 * rough;
    *steps.iter().find(enough).unwrap_or(&steps[3])
}

impl Axis {
    /// An axis for numbers between `low` and `high`, with `margin` of the range added on both sides.
    pub(crate) fn linear(range: [f64; 2], margin: f64, wanted: usize) -> Self {
        let [mut low, mut high] = range;
        let size = low.abs().max(high.abs());
        if high - low <= 1e-12 * size || high == low {
            // A constant: some room around it.
            let room = if size > 0.0 { 0.1 * size } else { 1.0 };
            (low, high) = (low - room, high + room);
        } else {
            let room = margin * (high - low);
            (low, high) = (low - room, high + room);
        }
        let (ticks, power) = linear_ticks(low, high, step(high - low, wanted));
        Self {
            low,
            high,
            ticks,
            power,
            logarithmic: false,
        }
    }

    /// An axis with powers of ten for positive numbers.
    pub(crate) fn logarithmic(range: [f64; 2], wanted: usize) -> Self {
        let first = range[0].log10().floor() as i32;
        let last = (range[1].log10().ceil() as i32).max(first + 1);
        let every = ((last - first) as usize).div_ceil(wanted).max(1);
        let ticks = (first..=last).step_by(every).map(|k| Tick {
            value: 10f64.powi(k),
            label: match k {
                0 => "1".into(),
                1 => "10".into(),
                k => format!("10{}", superscript(k)),
            },
        });
        Self {
            low: 10f64.powi(first),
            high: 10f64.powi(last),
            ticks: ticks.collect(),
            power: None,
            logarithmic: true,
        }
    }

    /// The axis over a wider range.
    pub(crate) fn widened(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (low, high);
        if !self.logarithmic {
            (self.ticks, self.power) = linear_ticks(low, high, step(high - low, 5));
        }
        self
    }

    /// The position of a number: 0 at the low end, 1 at the high end.
    pub(crate) fn place(&self, x: f64) -> f64 {
        if self.logarithmic {
            let x = x.max(self.low);
            return (x / self.low).log10() / (self.high / self.low).log10();
        }
        (x - self.low) / (self.high - self.low)
    }
}

/// Multiples of the step with as many decimals as they need; a common power of ten is taken out of
/// very large and very small ones.
fn linear_ticks(low: f64, high: f64, step: f64) -> (Vec<Tick>, Option<i32>) {
    let size = low.abs().max(high.abs()).log10().floor() as i32;
    let power = (!(-3..5).contains(&size)).then_some(size);
    let factor = 10f64.powi(power.unwrap_or(0));
    let decimals = (-(step / factor).log10().floor()).clamp(0.0, 12.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    let ticks = (first..=last).map(|k| {
        let value = k as f64 * step;
        let text = format!("{:.decimals$}", value / factor);
        let label = match value {
            0.0 => "0".into(),
            _ => text.replace('-', "−"),
        };
        Tick { value, label }
    });
    (ticks.collect(), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let axis = Axis::linear([0.0, 10.0], 0.0, 5);
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8", "10"]);
        let axis = Axis::linear([-0.13, 0.21], 0.0, 4);
        assert_eq!(labels(&axis), ["−0.1", "0", "0.1", "0.2"]);
        let axis = Axis::linear([2.9, 3.2], 0.04, 4);
        assert_eq!(labels(&axis), ["2.9", "3.0", "3.1", "3.2"]);
    }

    #[test]
    fn a_power_of_ten_is_taken_out() {
        let axis = Axis::linear([0.0, 4.3e-6], 0.0, 4);
        let wanted = vec!["0", "1", "2", "3", "4"];
        assert_eq!((labels(&axis), axis.power), (wanted, Some(-6)));
    }

    #[test]
    fn a_constant_has_an_axis() {
        for x in [0.0, 3.0, -1e-9, 1e300] {
            let axis = Axis::linear([x, x], 0.05, 4);
            assert!(
                axis.low < x && x < axis.high && axis.ticks.len() >= 2,
                "{x}"
            );
        }
    }

    #[test]
    fn decades_are_not_crowded() {
        let axis = Axis::logarithmic([3e-17, 2e-5], 6);
        assert!(axis.ticks.len() <= 7 && axis.ticks.len() >= 4);
        assert_eq!(axis.ticks[0].label, "10⁻¹⁷");
        assert_eq!(axis.place(0.0), 0.0);
    }
}
