//! One step of a certified motion.
//!
//! A step of length h with Taylor polynomials of degree p − 1 needs a box B̃ that contains the motion between its ends:
//! if Σ_{i<p} [0,h]ⁱxᵢ + [0,h]ᵖx_p(B̃) ⊂ B̃, the motion from x exists up to h and stays in B̃, and the rest of its series
//! is hᵖx_p(B̃). (Corliss and Rihm, Validating an a priori enclosure using high-order Taylor series, 1996; Nedialkov,
//! Jackson and Pryce, An effective high-order interval method for validating existence and uniqueness, 2001.) The
//! polynomial is evaluated at the centre of the set with many digits, and its Jacobian over the set: the mean value
//! theorem carries the set over.

use galilei_expr::{Arithmetic, Ball, Balls, Enclosures, Fail, Function, Interval};
use galilei_linear::math::scalar;

use crate::dual::{Dual, Duals};
use crate::field::Field;
use crate::jets::{Branch, Equations, Jets, horner};
use crate::set::{Set, identity};
use crate::tape::Reg;

/// The number of directions in which derivatives are computed together.
const BLOCK: usize = 4;
/// Halvings of a step before the motion is given up.
const MAX_HALVINGS: usize = 60;
/// Enlargements of a box before the step is halved.
const MAX_ENLARGEMENTS: usize = 3;

/// The reason why a motion is not certified further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// No step, however short, has a box that encloses the motion.
    NoEnclosure,
    /// An expression of the equations is not defined over the whole enclosure.
    Undefined,
    /// A switching function may touch zero without crossing it.
    Grazing,
    /// It is not decided whether a terminal event, by its place among all, happens.
    Event(usize),
    /// The run takes more steps than are admitted.
    TooManySteps,
    /// The run was interrupted.
    Interrupted,
}

/// A step as it was proved: what lies between its ends.
pub(crate) struct Step<const N: usize> {
    /// The largest length, with its sign.
    pub(crate) length: Ball<N>,
    /// The coefficients of each component of the state over the set up to p − 1, then coefficient p over the box.
    pub(crate) state: Vec<Vec<Interval>>,
    /// The coefficients of each watched register, in the same way.
    pub(crate) watched: Vec<Vec<Interval>>,
    /// The values of the switching functions over the box.
    pub(crate) switches: Vec<Interval>,
    /// The coefficients of the switching functions, as those of the state.
    pub(crate) switching: Vec<Vec<Interval>>,
    /// The values of the watched registers over the box.
    pub(crate) spans: Vec<Interval>,
    /// The coefficients up to p − 1 of the Jacobian over the set, by rows.
    slopes: Vec<Vec<Interval>>,
    /// The coefficients up to p − 1 at the centre.
    centre: Vec<Vec<Ball<N>>>,
}

/// The series over a set, from which steps start.
pub(crate) struct Series {
    state: Vec<Vec<Interval>>,
    watched: Vec<Vec<Interval>>,
    switching: Vec<Vec<Interval>>,
    slopes: Vec<Vec<Interval>>,
}

/// The flow of some equations.
pub(crate) struct Flow<'e, const N: usize> {
    pub(crate) equations: &'e Equations,
    /// p
    pub(crate) order: usize,
    /// Registers whose series are kept, for events.
    pub(crate) watched: Vec<Reg>,
    /// The group of each component of the state that shares a scale.
    groups: Vec<usize>,
    plain: Enclosures,
    boxes: Jets<Enclosures>,
    duals: Duals<BLOCK>,
    slopes: Jets<Duals<BLOCK>>,
    balls: Balls<N>,
    centres: Jets<Balls<N>>,
    /// Registers that tell how switching functions and watched registers change.
    rates: Vec<bool>,
}

/// A box between two times, and the box at the later one, for a short step across a switching surface.
pub(crate) struct Crossing<const N: usize> {
    pub(crate) set: Set<N>,
    /// The box that contains the motion during the step.
    pub(crate) tube: Vec<Interval>,
    /// The values of the watched registers over the box, and their rates.
    pub(crate) watched: Vec<(Interval, Interval)>,
    /// The values of the switching functions over the box, and their rates.
    pub(crate) switches: Vec<(Interval, Interval)>,
}

impl<'e, const N: usize> Flow<'e, N> {
    pub(crate) fn new(
        equations: &'e Equations,
        watched: Vec<Reg>,
        groups: Vec<usize>,
        order: usize,
    ) -> Result<Self, Fail> {
        let (mut plain, mut duals) = (Enclosures::new(), Duals::default());
        let mut balls = Balls::new();
        let followed: Vec<Reg> = watched
            .iter()
            .chain(&equations.tape.switches)
            .copied()
            .collect();
        Ok(Self {
            boxes: Jets::new(&mut plain, equations, order)?,
            slopes: Jets::new(&mut duals, equations, order)?,
            centres: Jets::new(&mut balls, equations, order - 1)?,
            rates: equations.tape.reached(&followed),
            equations,
            order,
            watched,
            groups,
            plain,
            duals,
            balls,
        })
    }

    /// The number of entries of a set: the state and the parameters that are intervals.
    fn entries(&self) -> usize {
        self.equations.dimension() + self.equations.parameters
    }

    /// The values of registers over a box, with their rates if these are wanted, on hulls of undecided branches.
    pub(crate) fn values(
        &mut self,
        time: Interval,
        bounds: &[Interval],
        branches: &[Branch],
        rates: bool,
    ) -> Result<(), Fail> {
        let mut inputs = vec![time];
        inputs.extend(bounds);
        let order = (usize::from(rates), Some(self.rates.as_slice()));
        self.boxes
            .compute(&mut self.plain, self.equations, &inputs, branches, order)
    }

    /// The value and the rate of a register, as [`Self::values`] left them.
    pub(crate) fn register(&self, r: Reg) -> (Interval, Interval) {
        let series = self.boxes.series(r);
        (series[0], series[1])
    }

    /// The branches on which all states of a box are.
    pub(crate) fn branches(
        &mut self,
        time: Interval,
        bounds: &[Interval],
    ) -> Result<Vec<Branch>, Fail> {
        let switches = &self.equations.tape.switches;
        let mut branches = vec![Branch::Either; switches.len()];
        if switches.is_empty() {
            return Ok(branches);
        }
        // Switching functions may contain others.
        for _ in 0..2 {
            self.values(time, bounds, &branches, false)?;
            for (k, &g) in self.equations.tape.switches.iter().enumerate() {
                branches[k] = match self.plain.sign(&self.register(g).0) {
                    Some(1) => Branch::Positive,
                    Some(-1) => Branch::Negative,
                    _ => Branch::Either,
                };
            }
        }
        Ok(branches)
    }

    /// The series over a set with the derivatives of its states.
    pub(crate) fn series(&mut self, set: &Set<N>, branches: &[Branch]) -> Result<Series, Fail> {
        let (d, n, p) = (self.equations.dimension(), self.entries(), self.order);
        let mut out = Series {
            state: vec![],
            watched: vec![],
            switching: vec![],
            slopes: vec![vec![]; n * n],
        };
        let time = Dual::constant(set.time.to_interval());
        for start in (0..n).step_by(BLOCK) {
            let mut inputs = vec![time];
            for (k, x) in set.bounds.iter().enumerate() {
                let mut dual = Dual::constant(*x);
                if (start..start + BLOCK).contains(&k) {
                    dual.slopes[k - start] = Interval::ONE;
                }
                inputs.push(dual);
            }
            self.slopes.compute(
                &mut self.duals,
                self.equations,
                &inputs,
                branches,
                (p, None),
            )?;
            let jets = &self.slopes;
            let values = |r: Reg| jets.series(r).iter().map(|x| x.value).collect();
            if start == 0 {
                out.state = (0..d).map(|i| values(i as Reg + 1)).collect();
                out.watched = self.watched.iter().map(|r| values(*r)).collect();
                let switches = self.equations.tape.switches.iter();
                out.switching = switches.map(|r| values(*r)).collect();
            }
            for i in 0..d {
                for j in start..n.min(start + BLOCK) {
                    let series = jets.state(i)[..p].iter();
                    out.slopes[i * n + j] = series.map(|x| x.slopes[j - start]).collect();
                }
            }
        }
        for i in d..n {
            for j in 0..n {
                out.slopes[i * n + j] = vec![Interval::point(if i == j { 1.0 } else { 0.0 })];
            }
        }
        Ok(out)
    }

    /// The scale of each component of the state.
    fn scales(&self, series: &Series) -> Vec<f64> {
        let mut scales = vec![0.0f64; self.groups.len()];
        for (x, &g) in series.state.iter().zip(&self.groups) {
            scales[g] = scales[g].max(x[0].magnitude());
        }
        self.groups
            .iter()
            .map(|g| match scales[*g] > 0.0 {
                true => scales[*g],
                false => 1.0,
            })
            .collect()
    }

    /// The step size for which the rest of the series is about the tolerance.
    pub(crate) fn estimate(&self, series: &Series, tolerance: f64) -> f64 {
        let (p, scales) = (self.order, self.scales(series));
        let mut h = f64::INFINITY;
        for (x, scale) in series.state.iter().zip(scales) {
            for k in [p - 1, p] {
                let size = x[k].magnitude();
                if size > 0.0 {
                    h = h.min(scalar::pow(tolerance * scale / size, 1.0 / k as f64));
                }
            }
        }
        h
    }

    /// A box in which the motion stays during a step, with coefficient p over it.
    fn tube(
        &mut self,
        set: &Set<N>,
        series: &Series,
        branches: &[Branch],
        length: &Ball<N>,
    ) -> Option<Vec<Interval>> {
        let (d, p) = (self.equations.dimension(), self.order);
        let span = Interval::ZERO.hull(length.to_interval());
        let last = power(span, p);
        let polynomial: Option<Vec<Interval>> = series
            .state
            .iter()
            .map(|x| horner(&mut self.plain, &x[..p], &span))
            .collect();
        let polynomial = polynomial?;
        let scales = self.scales(series);
        let mut rest: Vec<Interval> = series.state.iter().map(|x| last * x[p]).collect();
        let time = set
            .time
            .to_interval()
            .hull(set.time.add(length).to_interval());
        let mut inputs = vec![time];
        inputs.resize(1 + d, Interval::ZERO);
        inputs.extend(&set.bounds[d..]);
        for _ in 0..MAX_ENLARGEMENTS {
            for i in 0..d {
                // Some units in the last place beyond twice the rest, for the rounding of the test itself.
                let rounding = 2e-15 * polynomial[i].magnitude() + 1e-25 * scales[i];
                let slack = 2.0 * rest[i].magnitude() + rounding;
                inputs[1 + i] = polynomial[i].widened(slack);
            }
            if inputs.iter().any(|x| !x.is_finite()) {
                return None;
            }
            let order = (p, None);
            self.boxes
                .compute(&mut self.plain, self.equations, &inputs, branches, order)
                .ok()?;
            let mut inside = true;
            for i in 0..d {
                rest[i] = last * self.boxes.state(i)[p];
                let image = polynomial[i] + rest[i];
                inside &= image.low() > inputs[1 + i].low() && image.high() < inputs[1 + i].high();
            }
            if inside {
                return Some(inputs);
            }
        }
        None
    }

    /// Proves a step of at most a length and at most a rest of the series.
    pub(crate) fn step(
        &mut self,
        set: &Set<N>,
        series: Series,
        branches: &[Branch],
        mut length: Ball<N>,
        tolerance: f64,
        rejected: &mut usize,
    ) -> Result<Step<N>, Obstacle> {
        let (d, p, scales) = (self.equations.dimension(), self.order, self.scales(&series));
        for _ in 0..MAX_HALVINGS {
            let size = length.magnitude();
            let factor = match self.tube(set, &series, branches, &length) {
                None => 0.5,
                Some(_) => {
                    let h = power(length.to_interval(), p);
                    let worst =
                        (0..d).map(|i| (h * self.boxes.state(i)[p]).magnitude() / scales[i]);
                    let worst = worst.fold(0.0, f64::max);
                    if worst <= 2.0 * tolerance {
                        return self.proved(set, series, branches, length);
                    }
                    (0.95 * scalar::pow(tolerance / worst, 1.0 / p as f64)).max(0.2)
                }
            };
            *rejected += 1;
            let shorter = size * factor;
            let signed = if length.to_f64() < 0.0 {
                -shorter
            } else {
                shorter
            };
            length = Ball::exact(signed)
                .filter(|_| shorter > 0.0)
                .ok_or(Obstacle::NoEnclosure)?;
        }
        Err(Obstacle::NoEnclosure)
    }

    fn proved(
        &mut self,
        set: &Set<N>,
        series: Series,
        branches: &[Branch],
        length: Ball<N>,
    ) -> Result<Step<N>, Obstacle> {
        let (d, p) = (self.equations.dimension(), self.order);
        let mut inputs = vec![set.time];
        inputs.extend(&set.centre);
        let order = (p - 1, None);
        self.centres
            .compute(&mut self.balls, self.equations, &inputs, branches, order)
            .map_err(|_| Obstacle::Undefined)?;
        let boxes = &self.boxes;
        let closed = |list: Vec<Vec<Interval>>, registers: &mut dyn Iterator<Item = Reg>| {
            let pairs = list.into_iter().zip(registers);
            let closed = pairs.map(|(mut x, r)| {
                x[p] = boxes.series(r)[p];
                x
            });
            closed.collect::<Vec<_>>()
        };
        let switches = &self.equations.tape.switches;
        Ok(Step {
            length,
            state: closed(series.state, &mut (1..=d as Reg)),
            watched: closed(series.watched, &mut self.watched.iter().copied()),
            switching: closed(series.switching, &mut switches.iter().copied()),
            switches: switches.iter().map(|r| boxes.series(*r)[0]).collect(),
            spans: self.watched.iter().map(|r| boxes.series(*r)[0]).collect(),
            slopes: series.slopes,
            centre: (0..d).map(|i| self.centres.state(i).to_vec()).collect(),
        })
    }

    /// The set at a distance in time within a step.
    pub(crate) fn at(&mut self, set: &Set<N>, step: &Step<N>, after: &Ball<N>) -> Option<Set<N>> {
        let (d, p) = (self.equations.dimension(), self.order);
        let h = after.to_interval();
        let last = power(h, p);
        let (mut image, mut known) = (vec![], vec![]);
        for i in 0..d {
            let rest = last * step.state[i][p];
            let value = horner(&mut self.balls, &step.centre[i], after)?;
            image.push(value.add(&Ball::of_interval(rest)?));
            known.push(horner(&mut self.plain, &step.state[i][..p], &h)? + rest);
        }
        image.extend(&set.centre[d..]);
        known.extend(&set.bounds[d..]);
        let slopes: Option<Vec<Interval>> = step
            .slopes
            .iter()
            .map(|c| horner(&mut self.plain, c, &h))
            .collect();
        set.mapped(set.time.add(after), &image, &slopes?, &known)
    }

    /// The derivatives of the state at a distance in time within a step by the state at its start, over the set: those of
    /// the polynomial, and of its rest by the variational equation. It follows [`Self::step`] immediately, whose box of
    /// the motion it uses. With V̇ = J·V and a bound l of the row sums of J over the box, the entries of V − 1 are below
    /// e^{lh} − 1; the series of V itself narrows that.
    pub(crate) fn transition(&mut self, step: &Step<N>, branches: &[Branch]) -> Option<Transition> {
        let (n, p) = (self.entries(), self.order);
        let mut tube = vec![self.boxes.series(0)[0]];
        tube.extend((0..n).map(|i| self.boxes.state(i)[0]));
        let span = Interval::ZERO.hull(step.length.to_interval());
        let size = Interval::point(span.magnitude());
        let unit: Vec<Interval> = identity(n).into_iter().map(Interval::point).collect();
        let first = self.derivatives(&tube, &unit, branches, 1)?;
        let row = |i: usize| {
            let sizes = first[i * n..(i + 1) * n].iter();
            let sum = sizes.map(|x| Interval::point(x.magnitude()));
            sum.fold(Interval::ZERO, |s, x| s + x).high()
        };
        let bound = Interval::point((0..n).map(row).fold(0.0, f64::max)) * size;
        let growth = self.plain.call(0, Function::Exp, &bound, None).ok()?;
        let off = Interval::symmetric((growth - Interval::ONE).magnitude());
        let mut rough: Vec<Interval> = unit.iter().map(|d| *d + off).collect();
        let mut rest = self.derivatives(&tube, &rough, branches, p)?;
        let last = power(span, p);
        for (k, r) in rough.iter_mut().enumerate() {
            let polynomial = horner(&mut self.plain, &step.slopes[k], &span)?;
            *r = r.intersection(polynomial + last * rest[k])?;
        }
        rest = self.derivatives(&tube, &rough, branches, p)?;
        let slopes = step.slopes.clone();
        rest.iter()
            .all(|x| x.is_finite())
            .then_some(Transition { slopes, rest, p })
    }

    /// Coefficient k of the derivatives of the state over a box, in directions that are the columns of a matrix.
    fn derivatives(
        &mut self,
        tube: &[Interval],
        seeds: &[Interval],
        branches: &[Branch],
        k: usize,
    ) -> Option<Vec<Interval>> {
        let n = self.entries();
        let mut out = vec![Interval::ZERO; n * n];
        for start in (0..n).step_by(BLOCK) {
            let mut inputs: Vec<Dual<BLOCK>> = tube.iter().map(|x| Dual::constant(*x)).collect();
            let columns = start..n.min(start + BLOCK);
            for i in 0..n {
                for j in columns.clone() {
                    inputs[1 + i].slopes[j - start] = seeds[i * n + j];
                }
            }
            let order = (k, None);
            self.slopes
                .compute(&mut self.duals, self.equations, &inputs, branches, order)
                .ok()?;
            for i in 0..n {
                for j in columns.clone() {
                    out[i * n + j] = self.slopes.state(i)[k].slopes[j - start];
                }
            }
        }
        Some(out)
    }

    /// A short step by the hull of all branches, with the box that contains the motion meanwhile.
    pub(crate) fn crossing(
        &mut self,
        set: &Set<N>,
        branches: &[Branch],
        length: f64,
    ) -> Option<Crossing<N>> {
        let (d, n) = (self.equations.dimension(), self.entries());
        let after = Ball::exact(length)?;
        let (point, span) = (
            Interval::point(length),
            Interval::ZERO.hull(Interval::point(length)),
        );
        let end = set.time.add(&after);
        let time = set.time.to_interval().hull(end.to_interval());
        let mut tube = set.bounds.clone();
        for k in 0..2 * MAX_ENLARGEMENTS {
            self.values(time, &tube, branches, true).ok()?;
            let rates: Vec<Interval> = (0..d).map(|i| self.boxes.state(i)[1]).collect();
            let image = |i: usize| set.bounds[i] + span * rates[i];
            if k > 0 && (0..d).all(|i| image(i).is_within(tube[i])) {
                let moved: Vec<Interval> = rates.iter().map(|r| point * *r).collect();
                let mut centre = set.centre.clone();
                for i in 0..d {
                    centre[i] = centre[i].add(&Ball::of_interval(moved[i])?);
                }
                let mut known: Vec<Interval> = (0..d).map(|i| set.bounds[i] + moved[i]).collect();
                known.extend(&set.bounds[d..]);
                let unit: Vec<Interval> = identity(n).into_iter().map(Interval::point).collect();
                let watched = self.watched.iter().map(|r| self.register(*r)).collect();
                let switches = self.equations.tape.switches.iter();
                let switches = switches.map(|r| self.register(*r)).collect();
                return Some(Crossing {
                    set: set.mapped(end, &centre, &unit, &known)?,
                    tube,
                    watched,
                    switches,
                });
            }
            for i in 0..d {
                let x = image(i);
                tube[i] = x.widened(0.1 * x.width() + 1e-300);
            }
        }
        None
    }
}

/// The derivatives of the flow within a step.
pub(crate) struct Transition {
    slopes: Vec<Vec<Interval>>,
    /// Coefficient p over the box of the motion.
    rest: Vec<Interval>,
    p: usize,
}

impl Transition {
    /// The derivatives at a distance in time, or at all distances of an interval.
    pub(crate) fn at(&self, after: Interval) -> Option<Vec<Interval>> {
        let last = power(after, self.p);
        let entries = self.slopes.iter().zip(&self.rest);
        entries
            .map(|(c, r)| Some(horner(&mut Enclosures::new(), c, &after)? + last * *r))
            .collect()
    }
}

/// hᵖ
pub(crate) fn power(h: Interval, p: usize) -> Interval {
    let mut result = Interval::ONE;
    for _ in 0..p {
        result = result * h;
    }
    result
}
