//! Code for what is done to all lanes alike: the length of the next step, and the step.

use galilei_tape::Function;
use galilei_tape::code::{Assembler, Code, Value};
use galilei_tape::math::scalar::log2;

use super::layout::{
    DEFECT, DIFFERENCE, END, LARGEST, LAST, LIMIT, LONGEST, LOST, Layout, OPEN, RESIDUAL, SCALE,
    SIGN, START, STEP, STEPS, TIME_LOST, WORK,
};
use crate::drive::{SHORTEST_STEP, defect_limits};
use crate::steps::SMALLEST_SIZE;
use crate::taylor::POWER;
use crate::work::{LARGE_DIFFERENCES, LENGTHENING, SHORTENING, SHORTEST_PART, TwoPoint, finest};

/// The rows that [`control`] computes: the radius of convergence, or the smaller one that the series of the work allows;
pub(super) const RADIUS: usize = 0;
/// the length that a step may have;
pub(super) const LENGTH: usize = 1;
/// something positive where the step can be taken as it is, and nobody has to look closer;
pub(super) const CALM: usize = 2;
/// the work done until now;
pub(super) const DONE: usize = 3;
/// how long the step may be as far as the work is concerned;
pub(super) const WORKABLE: usize = 4;
/// and, where there is nothing on the way, all rows that this step changes.
pub(super) const MOVED: usize = 5;

/// The parameters of the steps of an ensemble.
pub(super) struct Terms {
    /// The numbers of energies in the scale of the balance, and of residuals.
    pub(super) scales: usize,
    pub(super) residuals: usize,
    /// Whether forces do work, and the rule for it from the power at both ends of steps, where that is valid.
    pub(super) working: bool,
    pub(super) work: Option<TwoPoint>,
    /// The number of reactions that may do work.
    pub(super) reactions: usize,
    /// The step as a part of the radius of convergence.
    pub(super) shrink: f64,
    pub(super) tolerance: f64,
    /// More steps are not taken.
    pub(super) most: f64,
    /// Whether there is nothing on the way: no event, kink or constraint.
    pub(super) free: bool,
}

struct Writer<'a> {
    asm: Assembler,
    layout: &'a Layout,
}

impl Writer<'_> {
    fn row(&mut self, row: usize) -> Value {
        self.asm.input(row)
    }

    fn size(&mut self, row: usize) -> Value {
        let value = self.asm.input(row);
        self.asm.abs(value)
    }

    fn largest(&mut self, rows: impl Iterator<Item = usize>) -> Value {
        let zero = self.asm.number(0.0);
        rows.fold(zero, |most, row| {
            let size = self.size(row);
            self.asm.greatest(size, most)
        })
    }

    fn log(&mut self, a: Value) -> Value {
        self.asm.call(Function::RoughLog2, a, None)
    }

    /// Binary logarithm of the radius of convergence: [`Coefficients::radius`](crate::radius::Coefficients) in
    /// lanes. It is no number, or not finite, where somebody must look closer.
    fn radius(&mut self) -> Value {
        let (n, p) = (self.layout.n, self.layout.order);
        let time = self.row(SCALE);
        let square = self.asm.mul(time, time);
        let half = self.asm.scale(square, 0.5);
        let (over, over_below) = (1.0 / p as f64, 1.0 / (p - 1) as f64);
        let zero = self.asm.number(0.0);
        let one = self.asm.number(1.0);
        let [mut low, mut last, mut before] = [zero; 3];
        let [mut most_last, mut most_before] = [zero; 2];
        // Zero, unless something is not finite.
        let mut sum = zero;
        for i in 0..n {
            let x0 = self.size(self.layout.component(i));
            let [v0, a, b, top, below, beneath] =
                [0, 1, 2, p, p - 1, p - 2].map(|k| self.size(self.layout.velocity(k, i)));
            let both = self.asm.add(a, top);
            sum = self.asm.add(sum, both);
            let largest = self.asm.greatest(x0, v0);
            low = self.asm.greatest(largest, low);
            let [moved, fallen] = [(v0, time), (a, half)].map(|(c, t)| self.asm.mul(c, t));
            let later = self.asm.greatest(moved, fallen);
            let place = self.asm.greatest(x0, later);
            let [gained, more] = [(a, time), (b, square)].map(|(c, t)| self.asm.mul(c, t));
            let later = self.asm.greatest(gained, more);
            let speed = self.asm.greatest(v0, later);
            let lasts = [self.asm.scale(below, over), top];
            let befores = [self.asm.scale(beneath, over_below), below];
            for (c, size) in [place, speed].into_iter().enumerate() {
                last = self.asm.greatest(lasts[c], last);
                before = self.asm.greatest(befores[c], before);
                // Nothing over nothing is not larger.
                let over = self.asm.div(one, size);
                let part = self.asm.mul(lasts[c], over);
                most_last = self.asm.greatest(part, most_last);
                let part = self.asm.mul(befores[c], over);
                most_before = self.asm.greatest(part, most_before);
            }
        }
        let mut all = Vec::new();
        for (small, over) in [(last, over), (before, over_below)] {
            let ratio = self.asm.div(low, small);
            let log = self.log(ratio);
            all.push(self.asm.scale(log, over));
        }
        let all = self.asm.least(all[0], all[1]);
        let mut own = Vec::new();
        for (most, over) in [(most_last, over), (most_before, over_below)] {
            let log = self.log(most);
            own.push(self.asm.scale(log, -over));
        }
        let own = self.asm.least(own[0], own[1]);
        let down = self.asm.number(-1.0);
        let floor = self.asm.add(all, down);
        let own = self.asm.greatest(own, floor);
        let radius = self.asm.least(all, own);
        let trouble = self.asm.sub(sum, sum);
        self.asm.add(radius, trouble)
    }

    /// The binary logarithm of a radius that the series of the work allows, too.
    fn with_work(&mut self, terms: &Terms, radius: Value, energy: Value) -> Value {
        let p = self.layout.order;
        let applied = terms.working && terms.work.is_none();
        let floor = self.asm.number(log2(SHORTEST_PART));
        let floor = self.asm.add(radius, floor);
        [p - 2, p - 1].into_iter().fold(radius, |radius, k| {
            let mut power = match applied {
                true => self.row(self.layout.wanted(POWER, k)),
                false => self.asm.number(0.0),
            };
            for a in 0..terms.reactions {
                let more = self.power_of_reaction(a, k);
                power = self.asm.add(power, more);
            }
            let power = self.asm.abs(power);
            let scaled = self.asm.scale(energy, (k + 1) as f64);
            let ratio = self.asm.div(scaled, power);
            let log = self.log(ratio);
            let own = self.asm.scale(log, 1.0 / (k + 1) as f64);
            // NaN does not count.
            let own = self.asm.greatest(own, floor);
            self.asm.least(own, radius)
        })
    }

    /// A coefficient of the power of a reaction.
    fn power_of_reaction(&mut self, a: usize, k: usize) -> Value {
        let layout = self.layout;
        let zero = self.asm.number(0.0);
        (0..=k).fold(zero, |sum, j| {
            let lambda = self.row(layout.multiplier(a, j));
            let rate = self.row(layout.wanted(1 + a, k - j));
            let product = self.asm.mul(lambda, rate);
            self.asm.add(sum, product)
        })
    }

    /// The largest energy until now.
    fn largest_energy(&mut self, terms: &Terms) -> Value {
        let layout = self.layout;
        let new = self.largest((1..=terms.scales).map(|v| layout.value(v)));
        let old = self.row(LARGEST);
        self.asm.greatest(new, old)
    }

    /// The time that is left.
    fn left(&mut self) -> Value {
        let [end, time, lost] = [END, self.layout.inputs, TIME_LOST].map(|row| self.row(row));
        let left = self.asm.sub(end, time);
        self.asm.sub(left, lost)
    }

    /// Positive where a step of this length can be taken, the first excepted, and the end is ahead.
    fn calm(&mut self, terms: &Terms, [radius, length, ahead]: [Value; 3]) -> Value {
        let time = self.size(self.layout.inputs);
        let shortest = self.asm.scale(time, SHORTEST_STEP);
        let enough = self.asm.sub(length, shortest);
        let widest = self.asm.number(f64::MAX);
        let finite = self.asm.sub(widest, radius);
        let steps = self.row(STEPS);
        let most = self.asm.number(terms.most);
        let more = self.asm.sub(most, steps);
        let (zero, guard) = (self.asm.number(0.0), self.row(self.layout.guard()));
        let sound = self.is_sound(terms);
        let conditions = [ahead, enough, finite, steps, more, sound];
        // NaN is not positive.
        conditions.into_iter().fold(guard, |calm, condition| {
            self.asm.choose(condition, false, calm, zero)
        })
    }

    /// The time after a step, and what is lost of it to rounding: the end exactly, if the step goes there.
    fn later(&mut self, h: Value) -> [Value; 2] {
        let left = self.left();
        let [time, lost] = [self.layout.inputs, TIME_LOST].map(|row| self.row(row));
        let [high, low] = self.add_to([time, lost], h);
        let difference = self.asm.sub(left, h);
        let short = self.asm.abs(difference);
        let (end, zero) = (self.row(END), self.asm.number(0.0));
        [
            self.asm.choose(short, false, high, end),
            self.asm.choose(short, false, low, zero),
        ]
    }

    /// The worst until now of the energy balance, energies and residuals.
    fn worst(&mut self, terms: &Terms, work: Value) -> [Value; 3] {
        let layout = self.layout;
        let [energy, start] = [layout.value(0), START].map(|row| self.row(row));
        let gained = self.asm.sub(energy, start);
        let defect = self.asm.sub(gained, work);
        let defect = self.asm.abs(defect);
        let largest = self.largest_energy(terms);
        let residuals = (1 + terms.scales..).take(terms.residuals);
        let residual = self.largest(residuals.map(|v| layout.value(v)));
        [(defect, DEFECT), (largest, LARGEST), (residual, RESIDUAL)].map(|(new, row)| {
            let old = self.row(row);
            self.asm.greatest(new, old)
        })
    }

    /// Σ cₖhᵏ, k from 0.
    fn polynomial(&mut self, coefficients: &[Value], h: Value) -> Value {
        let square = self.asm.mul(h, h);
        self.nested(coefficients, h, |_| square)
    }

    /// Positive where the accelerations are those that the series at the start of the last step foresaw, by the first of
    /// the two comparisons of [`defect`](crate::drive::defect); who looks closer makes the second.
    fn is_sound(&mut self, terms: &Terms) -> Value {
        let n = self.layout.n;
        let last = self.row(LAST);
        let mut fastest = self.asm.number(SMALLEST_SIZE);
        let mut differing = self.asm.number(0.0);
        for i in 0..n {
            let (a, foreseen) = (self.layout.velocity(1, i), self.layout.foreseen(i));
            let (a, foreseen) = (self.row(a), self.row(foreseen));
            let there = self.asm.mul(last, a);
            let difference = self.asm.sub(there, foreseen);
            let difference = self.asm.abs(difference);
            differing = self.asm.add(differing, difference);
            let speed = self.size(self.layout.component(n + i));
            fastest = self.asm.greatest(speed, fastest);
        }
        let [_, all] = defect_limits(terms.tolerance);
        let most = self.asm.scale(fastest, all);
        self.asm.sub(most, differing)
    }

    /// Σ cₖhᵏ, k from 0, as [`polynomial`](Self::polynomial) has it, and Σ (k + 1)·cₖhᵏ: with both chains of Horner's rule
    /// go those of their derivatives.
    fn polynomial_with_rate(&mut self, coefficients: &[Value], h: Value) -> [Value; 2] {
        let square = self.asm.mul(h, h);
        let zero = self.asm.number(0.0);
        let [[even, even_slope], [odd, odd_slope]] = [0, 1].map(|first| {
            let places = (0..coefficients.len()).rev().filter(|k| k % 2 == first);
            places.fold([zero; 2], |[sum, slope], k| {
                let slope = self.asm.mul(slope, square);
                let slope = self.asm.add(slope, sum);
                let sum = self.asm.mul(sum, square);
                [self.asm.add(sum, coefficients[k]), slope]
            })
        });
        let others = self.asm.mul(odd, h);
        let sum = self.asm.add(even, others);
        // E + hO + h·(O + 2h·(E' + hO'))
        let slope = self.asm.mul(odd_slope, h);
        let slope = self.asm.add(even_slope, slope);
        let twice = self.asm.add(h, h);
        let slope = self.asm.mul(slope, twice);
        let slope = self.asm.add(odd, slope);
        let rest = self.asm.mul(slope, h);
        [sum, self.asm.add(sum, rest)]
    }

    /// c₀ + f₀·(c₂ + f₂·(c₄ + …)) and `odd` times the same of the others, by Horner's rule. Two chains are done
    /// sooner than one of twice the length.
    fn nested(&mut self, list: &[Value], odd: Value, factors: impl Fn(usize) -> Value) -> Value {
        let zero = self.asm.number(0.0);
        let [even, others] = [0, 1].map(|first| {
            let places = (0..list.len()).rev().filter(|k| k % 2 == first);
            places.fold(zero, |v, k| {
                let v = self.asm.mul(v, factors(k));
                self.asm.add(v, list[k])
            })
        });
        let others = self.asm.mul(others, odd);
        self.asm.add(even, others)
    }

    /// Σ cₖhᵏ/(k + 1), k from 0: the mean over a time h of what has these coefficients. The factors from one
    /// term to the next but one, h²·(k + 1)/(k + 3), are shared by all such sums.
    fn mean(&mut self, coefficients: &[Value], h: Value) -> Value {
        let square = self.asm.mul(h, h);
        let half = self.asm.scale(h, 0.5);
        let factors: Vec<Value> = (0..coefficients.len())
            .map(|k| self.asm.scale(square, (k + 1) as f64 / (k + 3) as f64))
            .collect();
        self.nested(coefficients, half, |k| factors[k])
    }

    /// The contribution of the power to the work of a step at one of its ends, or to a difference of two rules.
    fn share(&mut self, weights: &[f64], h: Value) -> Value {
        let terms: Vec<Value> = (0..weights.len())
            .map(|k| {
                let power = self.row(self.layout.wanted(POWER, k));
                self.asm.scale(power, weights[k])
            })
            .collect();
        let sum = self.polynomial(&terms, h);
        self.asm.mul(sum, h)
    }

    /// The work until now, and what was lost of it to rounding.
    fn done(&mut self, terms: &Terms) -> [Value; 2] {
        let before = [WORK, WORK + 1].map(|row| self.row(row));
        match &terms.work {
            None => before,
            Some(work) => {
                let back = self.back();
                let share = self.share(&work.weights, back);
                let rest = self.asm.neg(share);
                self.add_to(before, rest)
            }
        }
    }

    /// The last step back.
    fn back(&mut self) -> Value {
        let open = self.row(OPEN);
        self.asm.neg(open)
    }

    /// The next step size that the work allows: shorter where the last was too long, else longer.
    fn workable(&mut self, terms: &Terms) -> Value {
        let Some(work) = &terms.work else {
            return self.asm.number(f64::INFINITY);
        };
        let back = self.back();
        let there = self.share(&work.differences, back);
        let here = self.row(DIFFERENCE);
        let difference = self.asm.sub(here, there);
        let difference = self.asm.abs(difference);
        let energy = self.largest_energy(terms);
        let last = self.size(OPEN);
        let longest = self.row(LONGEST);
        let longer = self.asm.scale(longest, LENGTHENING);
        LARGE_DIFFERENCES
            .iter()
            .zip(SHORTENING)
            .fold(longer, |length, (large, part)| {
                let large = self.asm.scale(energy, large * finest(terms.tolerance));
                let over = self.asm.sub(difference, large);
                let shorter = self.asm.scale(last, part);
                self.asm.choose(over, false, shorter, length)
            })
    }

    /// A sum in two parts with something added.
    fn add_to(&mut self, [high, low]: [Value; 2], x: Value) -> [Value; 2] {
        let y = self.asm.add(x, low);
        let s = self.asm.add(high, y);
        let back = self.asm.sub(s, high);
        let kept = self.asm.sub(s, back);
        let first = self.asm.sub(high, kept);
        let second = self.asm.sub(y, back);
        [s, self.asm.add(first, second)]
    }

    /// A step: all rows that it changes, in their order.
    fn moved(&mut self, terms: &Terms, h: Value, scale: Value) -> Vec<Value> {
        let layout = self.layout;
        let (n, p) = (layout.n, layout.order);
        let (mut state, mut lost) = (Vec::new(), Vec::new());
        // The accelerations after the step by the series at its start, times the step.
        let mut foreseen = Vec::new();
        for i in 0..2 * n {
            // A position changes by the velocity's mean.
            let sum = match i < n {
                true => {
                    let rates: Vec<Value> =
                        (0..p).map(|k| self.row(layout.velocity(k, i))).collect();
                    self.mean(&rates, h)
                }
                false => {
                    let terms = 1..=p;
                    let terms: Vec<Value> =
                        terms.map(|k| self.row(layout.velocity(k, i - n))).collect();
                    let [sum, rate] = self.polynomial_with_rate(&terms, h);
                    foreseen.push(self.asm.mul(rate, h));
                    sum
                }
            };
            let change = self.asm.mul(sum, h);
            let old = [self.row(layout.component(i)), self.row(LOST + i)];
            let [high, low] = self.add_to(old, change);
            state.push(high);
            lost.push(low);
        }
        let done = self.done(terms);
        let mut work = done;
        let zero = self.asm.number(0.0);
        let mut open = [zero; 3];
        if let Some(rule) = &terms.work {
            let share = self.share(&rule.weights, h);
            work = self.add_to(work, share);
            let difference = self.share(&rule.differences, h);
            open = [h, difference, self.workable(terms)];
        } else if terms.working {
            let rates: Vec<Value> = (0..p).map(|k| self.row(layout.wanted(POWER, k))).collect();
            let sum = self.mean(&rates, h);
            let more = self.asm.mul(sum, h);
            work = self.add_to(work, more);
        }
        for a in 0..terms.reactions {
            let rates: Vec<Value> = (0..p).map(|k| self.power_of_reaction(a, k)).collect();
            let sum = self.mean(&rates, h);
            let done = self.asm.mul(sum, h);
            work = self.add_to(work, done);
        }
        let [time, time_lost] = self.later(h);
        let mut outputs = vec![scale];
        outputs.extend(self.worst(terms, done[0]));
        let (steps, one) = (self.row(STEPS), self.asm.number(1.0));
        outputs.push(self.asm.add(steps, one));
        outputs.extend(work);
        outputs.extend(open);
        outputs.push(h);
        outputs.push(self.asm.number(f64::INFINITY));
        outputs.push(time_lost);
        outputs.extend(lost);
        outputs.extend(foreseen);
        outputs.push(time);
        outputs.extend(state);
        outputs
    }
}

fn writer(layout: &Layout) -> Writer<'_> {
    Writer {
        asm: Assembler::new(layout.rows),
        layout,
    }
}

/// The quantities known before a step; see the constants of this file.
pub(super) fn control(layout: &Layout, terms: &Terms) -> Code {
    let mut w = writer(layout);
    let radius = w.radius();
    let radius = match terms.working && terms.work.is_none() || terms.reactions > 0 {
        true => {
            let largest = w.largest_energy(terms);
            w.with_work(terms, radius, largest)
        }
        false => radius,
    };
    let radius = w.asm.call(Function::RoughExp2, radius, None);
    let mut length = w.asm.scale(radius, terms.shrink);
    let workable = w.workable(terms);
    if terms.work.is_some() {
        let shortest = w.asm.scale(length, SHORTEST_PART);
        let work = w.asm.greatest(workable, shortest);
        length = w.asm.least(work, length);
    }
    let limit = w.row(LIMIT);
    let length = w.asm.least(length, limit);
    let left = w.left();
    let sign = w.row(SIGN);
    let ahead = w.asm.mul(left, sign);
    let step = w.asm.least(length, ahead);
    let next = w.asm.mul(step, sign);
    let calm = match terms.free {
        true => w.calm(terms, [radius, length, ahead]),
        false => w.asm.number(0.0),
    };
    let [done, _] = w.done(terms);
    let mut outputs = vec![radius, length, calm, done, workable];
    if terms.free {
        outputs.extend(w.moved(terms, next, radius));
    }
    w.asm.finish(outputs)
}

/// A step of a given length: all rows that it changes, in their order.
pub(super) fn advance(layout: &Layout, terms: &Terms) -> Code {
    let mut w = writer(layout);
    let [h, scale] = [STEP, SCALE].map(|row| w.row(row));
    let outputs = w.moved(terms, h, scale);
    w.asm.finish(outputs)
}
