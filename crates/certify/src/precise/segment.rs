//! Dense output in many digits: the polynomials of the steps of a run.

use galilei_expr::{Float, Rational};

use super::Decimal;
use super::roots::value;

/// The polynomials of a step in s = (t − start)/length.
#[derive(Clone, Debug)]
pub(crate) struct Segment<const N: usize> {
    pub(crate) start: Float<N>,
    pub(crate) length: Float<N>,
    pub(crate) state: Vec<Vec<Float<N>>>,
}

impl<const N: usize> Segment<N> {
    /// The state at a time.
    pub(crate) fn at(&self, time: Float<N>) -> Vec<Float<N>> {
        let s = time.sub(self.start).div(self.length);
        let s = s.unwrap_or(Float::ZERO);
        self.state.iter().map(|q| value(q, s)).collect()
    }
}

/// The states of a run at any time.
pub(crate) trait Dense: Send + Sync {
    /// The state at a time; `None` outside of the run.
    fn at(&self, time: &Rational) -> Option<Vec<Decimal>>;
}

/// All steps of a run.
pub(crate) struct Path<const N: usize> {
    pub(crate) segments: Vec<Segment<N>>,
    pub(crate) digits: usize,
}

impl<const N: usize> Dense for Path<N> {
    fn at(&self, time: &Rational) -> Option<Vec<Decimal>> {
        let time = Float::rational(time);
        let (first, last) = (self.segments.first()?, self.segments.last()?);
        let direction = first.length.sign();
        let after = |x: Float<N>, y: Float<N>| x.sub(y).sign() == direction;
        // The end of the run may be rounded.
        let end = last.start.add(last.length);
        let slack = end.abs().larger(last.length).shifted(8 - 64 * N as i64);
        let beyond = after(time, end) && time.sub(end).abs().order(slack).is_gt();
        if after(first.start, time) || beyond {
            return None;
        }
        let k = self.segments.partition_point(|s| !after(s.start, time));
        let state = self.segments[k.saturating_sub(1)].at(time);
        Some(
            state
                .iter()
                .map(|x| Decimal::new(*x, self.digits))
                .collect(),
        )
    }
}
