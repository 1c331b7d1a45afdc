//! Branches of piecewise functions along a motion.
//!
//! A *kink* is a register at whose zero a function such as abs, max, sign or if changes its branch; its *side* is true where
//! the register is positive. Series are computed on fixed sides. At a kink the motion continues on the side to which it goes
//! there: that of the first derivative of the register that does not vanish. A function given by a table has a kink at each
//! end of the current piece; there the motion continues on the next piece.

use galilei_tape::{Jets, Op, Reg, Tape};

use crate::accelerations::reason;
use crate::problem::{Error, Problem};

/// The number of derivatives that determine the motion after a kink.
const DERIVATIVES: usize = 12;
/// The distance, relative to a step, of kinks that count as one.
const COINCIDENT_PART: f64 = 1e-11;
/// The number of consecutive steps of zero length after which the motion sticks.
const MAX_RESTARTS: usize = 50;

/// The branches that a motion is on, and the kinks at the start of the step.
pub(crate) struct Branches<'a> {
    problem: &'a Problem,
    registers: Vec<Reg>,
    /// The side of each kink, positive or negative, and the pieces of the tables: see [`Tape::branches`].
    pub(crate) list: Vec<f64>,
    /// Kinks that lie at the start of the step.
    pub(crate) fresh: Vec<bool>,
    /// The time at which the motion left each table, if it did.
    pub(crate) outside: Vec<Option<f64>>,
    jets: Option<Jets>,
    /// −1 for runs back in time.
    sign: f64,
    /// The number of kinks crossed since the last step that took any time.
    restarts: usize,
}

/// The branches that a state (t, x, u) is on; a kink itself counts as positive.
pub(crate) fn branches_at(tape: &Tape, state: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; tape.len()];
    tape.evaluate(state, &[], &mut values);
    tape.branches(&values)
}

/// The longest time between two kinks that counts as none, at a time of the run and within a step of some length: rounding.
pub(crate) fn no_way(time: f64, length: f64) -> f64 {
    (1e-12 * time.abs()).max(1e-15 * length.abs())
}

/// A side as a number.
fn side_number(positive: bool) -> f64 {
    if positive { 1.0 } else { -1.0 }
}

impl<'a> Branches<'a> {
    pub(crate) fn new(problem: &'a Problem, sign: f64) -> Self {
        let kinks = problem.tape.kinks();
        Self {
            problem,
            registers: kinks.iter().map(|k| k.register).collect(),
            list: vec![],
            fresh: vec![false; kinks.len()],
            outside: vec![None; problem.tape.lookups().len()],
            jets: None,
            sign,
            restarts: 0,
        }
    }

    /// Makes it ready for another motion.
    pub(crate) fn restart(&mut self, sign: f64) {
        self.list.clear();
        self.fresh.fill(false);
        self.outside.fill(None);
        self.sign = sign;
        self.restarts = 0;
    }

    /// The number of kinks.
    pub(crate) fn kinks(&self) -> usize {
        self.registers.len()
    }

    /// Whether the motion is on the positive side of a kink.
    pub(crate) fn is_positive(&self, k: usize) -> bool {
        self.list[k] > 0.0
    }

    /// Whether a kink is the cut of an angle.
    pub(crate) fn is_cut(&self, k: usize) -> bool {
        self.problem.tape.kinks()[k].cut
    }

    /// The knot of a table of time at which a kink is, in the direction of the run.
    pub(crate) fn knot_time(&self, kink: usize) -> Option<f64> {
        let tape = &self.problem.tape;
        let (l, upper) = tape.lookup_of(kink)?;
        let lookup = tape.lookups().get(l).filter(|l| l.argument == 0)?;
        let piece = lookup.table.piece(tape.piece_in(&self.list, l));
        Some(if upper { piece.high } else { piece.low }).filter(|t| t.is_finite())
    }

    /// Notes the tables that the motion is outside of in a step from a time on.
    #[inline]
    pub(crate) fn note_outside(&mut self, time: f64, length: f64) {
        if !self.outside.is_empty() && length.abs() > no_way(time, length) {
            self.note_tables_outside(time);
        }
    }

    fn note_tables_outside(&mut self, time: f64) {
        for (l, lookup) in self.problem.tape.lookups().iter().enumerate() {
            let piece = self.problem.tape.piece_in(&self.list, l);
            if self.outside[l].is_none() && lookup.table.is_outside(piece) {
                self.outside[l] = Some(time);
            }
        }
    }

    /// Determines the branch of each kink at the start, a state (t, x, u); returns the number of jets computed.
    pub(crate) fn choose(&mut self, state: &[f64]) -> Result<usize, Error> {
        if self.registers.is_empty() {
            return Ok(0);
        }
        let tape = &self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &[], &mut values);
        let value = |r: &Reg| values[*r as usize];
        self.list = tape.branches(&values);
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

    /// Exchanges the side of a kink, or goes over to the next piece of its table.
    pub(crate) fn exchange(&mut self, k: usize) {
        let tape = &self.problem.tape;
        self.list = tape.across(&self.list, k);
        self.fresh[k] = true;
        if let Some((l, upper)) = tape.lookup_of(k) {
            // The upper end of a piece is the lower end of the next.
            let kinks = tape.lookups()[l].kinks;
            self.fresh[kinks[usize::from(upper)] as usize] = false;
            self.fresh[kinks[usize::from(!upper)] as usize] = true;
        }
    }

    /// Goes over to the other side of a kink, reached after a part of a step of some length.
    pub(crate) fn cross(
        &mut self,
        k: usize,
        part: f64,
        length: f64,
        state: &[f64],
    ) -> Result<usize, Error> {
        let none = no_way(state[0], length);
        self.restarts = if part.abs() <= none {
            self.restarts + 1
        } else {
            0
        };
        if self.restarts > MAX_RESTARTS {
            return Err(Error::Sticking);
        }
        self.exchange(k);
        if self.only_tables_of_time() {
            // Time goes on in one direction: nothing else can happen here but knots of other tables.
            for j in (0..self.registers.len()).filter(|j| *j != k) {
                let Some((l, upper)) = self.problem.tape.lookup_of(j) else {
                    continue;
                };
                let piece = self.problem.tape.piece_in(&self.list, l);
                let piece = self.problem.tape.lookups()[l].table.piece(piece);
                let end = if upper { piece.high } else { piece.low };
                let ahead = upper == (self.sign > 0.0);
                if ahead && !self.fresh[j] && (end - state[0]).abs() <= none {
                    self.exchange(j);
                }
            }
            return Ok(0);
        }
        let mut taken = 1;
        let others = self.corrected_by(k, none.max(COINCIDENT_PART * length.abs()), state)?;
        for &(j, side) in &others {
            match self.problem.tape.lookup_of(j) {
                Some(_) => self.exchange(j),
                None => {
                    self.list[j] = side_number(side);
                    self.fresh[j] = true;
                }
            }
        }
        for j in std::iter::once(k).chain(others.iter().map(|o| o.0)) {
            taken += self.settle(j, state)?;
        }
        Ok(taken + self.follow_jumps(state)?)
    }

    /// Whether all kinks are the knots of tables of time.
    fn only_tables_of_time(&self) -> bool {
        let tape = &self.problem.tape;
        let of_time = tape.lookups().iter().filter(|l| l.argument == 0).count();
        2 * of_time == self.registers.len()
    }

    /// Kinks whose registers jump where another one is crossed, or begin to move there, like those of sign(max(0, t)): their
    /// sides by the values on the new sides.
    fn follow_jumps(&mut self, state: &[f64]) -> Result<usize, Error> {
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
                match tape.lookup_of(k) {
                    None => self.list[k] = side_number(value > 0.0),
                    Some((l, _)) if value < 0.0 => {
                        let lookup = &tape.lookups()[l];
                        let piece = lookup.table.piece_at(values[lookup.argument as usize]);
                        tape.set_piece(&mut self.list, l, piece);
                        lookup
                            .kinks
                            .iter()
                            .for_each(|k| self.fresh[*k as usize] = false);
                    }
                    Some(_) => {}
                }
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
    ) -> Result<Vec<(usize, bool)>, Error> {
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
        let own = tape.lookup_of(k).map(|l| tape.lookups()[l.0].kinks);
        let met = |j: &usize| {
            let c = jets.series(self.registers[*j]);
            let apart = *j != k && own.is_none_or(|own| !own.contains(&(*j as u32)));
            apart && c[1] != 0.0 && c[0].abs() <= c[1].abs() * time
        };
        let side = |j: usize| (j, jets.series(self.registers[j])[1] * self.sign > 0.0);
        let others = (0..self.registers.len()).filter(met).map(side);
        let list = &self.list;
        Ok(others
            .filter(|(j, side)| (list[*j] > 0.0) != *side)
            .collect())
    }

    /// Whether a kink is that of a sign.
    fn is_sign(&self, k: usize) -> bool {
        let ops = self.problem.tape.ops().iter();
        ops.into_iter()
            .any(|op| matches!(op, Op::Sign(_, kink) if *kink as usize == k))
    }

    /// Finds a side of a kink that the motion then stays on; how many jets it took.
    fn settle(&mut self, k: usize, state: &[f64]) -> Result<usize, Error> {
        if let Some((l, _)) = self.problem.tape.lookup_of(k) {
            return self.settle_piece(l, state);
        }
        let sign = self.is_sign(k);
        let (tape, rates) = (&self.problem.tape, &self.problem.rates);
        let jets = self
            .jets
            .get_or_insert_with(|| Jets::new(tape, rates, &self.registers, DERIVATIVES));
        for (tried, side) in [self.list[k], -self.list[k]].into_iter().enumerate() {
            self.list[k] = side;
            if jets.compute(tape, rates, state, &self.list).is_err() {
                return Err(reason(jets, rates, state));
            }
            let series = &jets.series(self.registers[k])[1..];
            match first_change(series, self.sign) {
                // It stays on the kink: zero belongs to one of the sides, and a sign is none of both.
                None if sign => return Err(Error::Sticking),
                None => {
                    self.list[k] = side_number(tape.kinks()[k].closed);
                    return Ok(tried + 1);
                }
                Some(c) if (c > 0.0) == (side > 0.0) => return Ok(tried + 1),
                Some(_) => {}
            }
        }
        Err(Error::Sticking)
    }

    /// Finds the piece of a table on which the motion continues from a knot, and returns the number of jets that it took.
    fn settle_piece(&mut self, l: usize, state: &[f64]) -> Result<usize, Error> {
        let kinks = self.problem.tape.lookups()[l].kinks.map(|k| k as usize);
        for tried in 1..=2 {
            let (tape, rates) = (&self.problem.tape, &self.problem.rates);
            let jets = self
                .jets
                .get_or_insert_with(|| Jets::new(tape, rates, &self.registers, DERIVATIVES));
            if jets.compute(tape, rates, state, &self.list).is_err() {
                return Err(reason(jets, rates, state));
            }
            // The argument but for a constant.
            let series = &jets.series(self.registers[kinks[0]])[1..];
            let at_lower_end = self.fresh[kinks[0]];
            match first_change(series, self.sign) {
                // The argument stands still on the knot, which belongs to the piece behind it.
                None if at_lower_end => return Ok(tried),
                None if tried == 2 => return Ok(tried),
                Some(c) if (c > 0.0) == at_lower_end => return Ok(tried),
                _ => self.exchange(kinks[usize::from(!at_lower_end)]),
            }
        }
        Err(Error::Sticking)
    }
}

/// The first derivative of a quantity that does not vanish, in the direction of the run, by its coefficients from the
/// first order on.
fn first_change(series: &[f64], sign: f64) -> Option<f64> {
    let first = series.iter().enumerate().find(|(_, c)| **c != 0.0);
    first.map(|(j, c)| if j % 2 == 0 { c * sign } else { *c })
}
