//! The sides of kinks that a motion is on.

use galilei_tape::{Jets, Op, Reg, Tape};

use crate::accelerations::reason;
use crate::problem::{Problem, Stop};

/// The number of derivatives that determine the motion after a kink.
const DERIVATIVES: usize = 12;
/// The distance, relative to a step, of kinks that count as one.
const COINCIDENT_PART: f64 = 1e-11;
/// The number of consecutive steps of zero length after which the motion sticks.
const MAX_RESTARTS: usize = 50;

/// One side of each kink, and which kinks lie at the start of the step.
pub(crate) struct Sides<'a> {
    problem: &'a Problem,
    registers: Vec<Reg>,
    pub(crate) list: Vec<bool>,
    /// Kinks that lie at the start of the step.
    pub(crate) fresh: Vec<bool>,
    jets: Option<Jets>,
    /// −1 for runs back in time.
    sign: f64,
    restarts: usize,
}

/// The sides of the kinks that a state (t, x, u) is on; a kink itself counts as positive.
pub(crate) fn sides_at(tape: &Tape, state: &[f64]) -> Vec<bool> {
    let mut values = vec![0.0; tape.len()];
    tape.evaluate(state, &[], &mut values);
    let kinks = tape.kinks().iter();
    kinks.map(|k| values[k.register as usize] >= 0.0).collect()
}

/// The longest time after a kink that counts as none, at a time and within a step of a length.
pub(crate) fn no_way(time: f64, length: f64) -> f64 {
    (1e-12 * time.abs()).max(1e-15 * length.abs())
}

impl<'a> Sides<'a> {
    pub(crate) fn new(problem: &'a Problem, sign: f64) -> Self {
        let kinks = problem.tape.kinks();
        Self {
            problem,
            registers: kinks.iter().map(|k| k.register).collect(),
            list: vec![],
            fresh: vec![false; kinks.len()],
            jets: None,
            sign,
            restarts: 0,
        }
    }

    /// Makes it ready for another motion.
    pub(crate) fn restart(&mut self, sign: f64) {
        self.list.clear();
        self.fresh.fill(false);
        self.sign = sign;
        self.restarts = 0;
    }

    /// Whether a kink is the cut of an angle.
    pub(crate) fn is_cut(&self, k: usize) -> bool {
        self.problem.tape.kinks()[k].cut
    }

    /// Determines the branch of each kink at the start, a state (t, x, u); returns the number of jets computed.
    pub(crate) fn choose(&mut self, state: &[f64]) -> Result<usize, Stop> {
        if self.registers.is_empty() {
            return Ok(0);
        }
        let tape = &self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &[], &mut values);
        let value = |r: &Reg| values[*r as usize];
        self.list = self.registers.iter().map(|r| value(r) >= 0.0).collect();
        let mut taken = 0;
        for k in 0..self.registers.len() {
            self.fresh[k] = value(&self.registers[k]) == 0.0;
            if self.fresh[k] {
                taken += self.settle(k, state)?;
            }
        }
        Ok(taken)
    }

    /// The values of all events at a state (t, x, u and the fixed inputs), on these sides.
    pub(crate) fn events(&self, state: &[f64]) -> Vec<f64> {
        let (tape, events) = (&self.problem.tape, &self.problem.events);
        if events.is_empty() {
            return vec![];
        }
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &self.list, &mut values);
        events.iter().map(|e| values[e.register as usize]).collect()
    }

    /// Goes over to the other side of a kink, reached after a part of a step of some length.
    pub(crate) fn cross(
        &mut self,
        k: usize,
        part: f64,
        length: f64,
        state: &[f64],
    ) -> Result<usize, Stop> {
        let none = no_way(state[0], length);
        self.restarts = if part.abs() <= none {
            self.restarts + 1
        } else {
            0
        };
        if self.restarts > MAX_RESTARTS {
            return Err(Stop::Sticking);
        }
        self.list[k] = !self.list[k];
        self.fresh[k] = true;
        let mut taken = 1;
        let others = self.corrected_by(k, none.max(COINCIDENT_PART * length.abs()), state)?;
        for &(j, side) in &others {
            self.list[j] = side;
            self.fresh[j] = true;
        }
        for j in std::iter::once(k).chain(others.iter().map(|o| o.0)) {
            taken += self.settle(j, state)?;
        }
        Ok(taken + self.follow_jumps(state)?)
    }

    /// Kinks whose registers jump where another one is crossed, or begin to move there, like those of sign(max(0, t)): their
    /// sides by the values on the new sides.
    fn follow_jumps(&mut self, state: &[f64]) -> Result<usize, Stop> {
        if self.registers.len() == 1 {
            return Ok(0);
        }
        let tape = &self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        let mut taken = 0;
        // Each may depend on those before it.
        for k in 0..self.registers.len() {
            if self.fresh[k] {
                continue;
            }
            tape.evaluate(state, &self.list, &mut values);
            let value = values[self.registers[k] as usize];
            if value == 0.0 {
                self.fresh[k] = true;
                taken += self.settle(k, state)?;
            } else if !value.is_nan() && value.abs() > 1e-9 {
                self.list[k] = value > 0.0;
            }
        }
        Ok(taken)
    }

    /// Other kinks that are met within a time of one that is crossed, and the sides the motion then is on: what is
    /// written with several functions may have one kink several times.
    fn corrected_by(
        &mut self,
        k: usize,
        time: f64,
        state: &[f64],
    ) -> Result<Vec<(usize, bool)>, Stop> {
        if self.registers.len() == 1 {
            return Ok(vec![]);
        }
        let (tape, rates) = (&self.problem.tape, &self.problem.rates);
        let jets = self
            .jets
            .get_or_insert_with(|| Jets::new(tape, rates, &self.registers, DERIVATIVES));
        if jets.compute(tape, rates, state, &self.list).is_err() {
            return Err(reason(jets, rates, state));
        }
        let met = |j: &usize| {
            let c = jets.series(self.registers[*j]);
            *j != k && c[1] != 0.0 && c[0].abs() <= c[1].abs() * time
        };
        let side = |j: usize| (j, jets.series(self.registers[j])[1] * self.sign > 0.0);
        let others = (0..self.registers.len()).filter(met).map(side);
        Ok(others.filter(|(j, side)| self.list[*j] != *side).collect())
    }

    /// Whether a kink is that of a sign.
    fn is_sign(&self, k: usize) -> bool {
        let ops = self.problem.tape.ops().iter();
        ops.into_iter()
            .any(|op| matches!(op, Op::Sign(_, kink) if *kink as usize == k))
    }

    /// Finds a side of a kink that the motion then stays on; how many jets it took.
    fn settle(&mut self, k: usize, state: &[f64]) -> Result<usize, Stop> {
        let sign = self.is_sign(k);
        let (tape, rates) = (&self.problem.tape, &self.problem.rates);
        let jets = self
            .jets
            .get_or_insert_with(|| Jets::new(tape, rates, &self.registers, DERIVATIVES));
        for (tried, side) in [self.list[k], !self.list[k]].into_iter().enumerate() {
            self.list[k] = side;
            if jets.compute(tape, rates, state, &self.list).is_err() {
                return Err(reason(jets, rates, state));
            }
            let series = &jets.series(self.registers[k])[1..];
            let first = series.iter().enumerate().find(|(_, c)| **c != 0.0);
            let ahead = first.map(|(j, c)| if j % 2 == 0 { c * self.sign } else { *c });
            match ahead {
                // It stays on the kink: zero belongs to one of the sides, and a sign is none of both.
                None if sign => return Err(Stop::Sticking),
                None => {
                    self.list[k] = tape.kinks()[k].closed;
                    return Ok(tried + 1);
                }
                Some(c) if (c > 0.0) == side => return Ok(tried + 1),
                Some(_) => {}
            }
        }
        Err(Stop::Sticking)
    }
}
