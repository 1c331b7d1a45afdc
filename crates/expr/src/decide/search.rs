//! The search for a point that refutes.

use std::cell::OnceCell;

use super::REDRAWS;
use super::guard::{Guard, PointResult, Series, draw_integers, draw_point, equal_integers};
use super::kinks::Found;
use super::prime::Random;
use super::setup::Setup;
use super::verdict::{Reason, Verdict};
use crate::evaluate::{Ball, Balls, Interval, Intervals, Outcome};
use crate::number::Rational;

/// Program steps spent with 256 bits on integer points that doubles do not decide.
const INTEGER_POINT_WORK: usize = 400_000;

/// Points at which a claim is evaluated over the reals.
const GUARD_POINTS: usize = 3;

pub(super) struct Search<'a, 'p> {
    setup: &'a Setup<'p>,
    series: Vec<Series>,
    random: Random,
    balls: Balls<4>,
    constants: Vec<Outcome<Ball<4>>>,
    values: Vec<Outcome<Ball<4>>>,
    /// The constants in doubles, computed when first needed.
    rough: OnceCell<Vec<Outcome<Interval>>>,
    /// Points at which nothing contradicted the claim, and how large its value may be there.
    seen: Vec<(Vec<Rational>, f64)>,
    inconclusive: Vec<Vec<Rational>>,
}

impl<'a, 'p> Search<'a, 'p> {
    pub(super) fn new(setup: &'a Setup<'p>) -> Self {
        let mut random = Random::new(setup.seed);
        let functions = setup.program.functions.iter();
        let series = functions.map(|_| Series::draw(&mut random)).collect();
        let mut balls = Balls::new();
        Self {
            setup,
            series,
            random,
            constants: setup.program.constants(&mut balls),
            balls,
            values: Vec::new(),
            rough: OnceCell::new(),
            seen: Vec::new(),
            inconclusive: Vec::new(),
        }
    }

    /// A seed for the fields.
    pub(super) fn seed(&mut self) -> u64 {
        self.random.next()
    }

    fn guard_parts(&self) -> Guard<'a> {
        Guard {
            program: &self.setup.program,
            positive: &self.setup.positive,
            nonzero: &self.setup.nonzero,
            series: self.series.clone(),
        }
    }

    fn evaluate_in_doubles(&self, guard: &Guard<'_>, point: &[Rational]) -> PointResult {
        let constants = self
            .rough
            .get_or_init(|| self.setup.program.constants(&mut Intervals));
        guard.doubles(constants, point)
    }

    fn evaluate_in_balls(&mut self, point: &[Rational]) -> PointResult {
        let guard = self.guard_parts();
        guard.balls(&mut self.balls, &self.constants, &mut self.values, point)
    }

    /// Step 2, the real guard. `None` if no point refutes the claim.
    pub(super) fn guard(&mut self) -> Option<Found<'p>> {
        let guard = self.guard_parts();
        // Doubles spare the look with 256 bits where a point lies outside, if any does.
        let everywhere = self.setup.is_defined_everywhere();
        for round in 0..REDRAWS {
            let point = draw_point(&mut self.random, &self.setup.positive_inputs, round);
            if !everywhere && self.evaluate_in_doubles(&guard, &point) == PointResult::Outside {
                continue;
            }
            match self.evaluate_in_balls(&point) {
                PointResult::NotZero => return Some(self.refuted(&point)),
                PointResult::AtMost(size) => self.seen.push((point, size)),
                PointResult::Inconclusive if self.inconclusive.len() < GUARD_POINTS => {
                    self.inconclusive.push(point)
                }
                _ => {}
            }
            let only_inconclusive =
                self.seen.is_empty() && round > 20 && self.inconclusive.len() == GUARD_POINTS;
            if self.seen.len() == GUARD_POINTS || only_inconclusive {
                break;
            }
        }
        if self.seen.is_empty() && self.inconclusive.is_empty() {
            let reason = Reason::DefinedNowhere;
            return Some(Found::Verdict(Verdict::Undecided(reason)));
        }
        if self.seen.is_empty() {
            if let Some(found) = self.with_more_bits() {
                return Some(found);
            }
            if self.seen.is_empty() {
                return Some(Found::Verdict(Verdict::Undecided(Reason::Unseen)));
            }
        }
        None
    }

    fn refuted(&self, point: &[Rational]) -> Found<'p> {
        Found::Refuted(self.setup.pairs(point))
    }

    pub(super) fn sampled(&self, reason: Reason) -> Found<'p> {
        Found::Verdict(match self.seen.iter().map(|s| s.1).reduce(f64::max) {
            Some(largest) => Verdict::Sampled(largest),
            None => Verdict::Undecided(reason),
        })
    }

    /// Evaluates the claim at many points in doubles; a refutation is confirmed in balls before it counts.
    fn scan(&mut self, points: usize, integers: bool) -> Option<Found<'p>> {
        let guard = self.guard_parts();
        // At integers coincidences are exact, and doubles may not see it: e⁰ − 1, atan2(0, −1).
        let mut remaining = if integers {
            (INTEGER_POINT_WORK / self.setup.program.len().max(1)).clamp(8, 200)
        } else {
            0
        };
        for round in 0..points {
            let positive = &self.setup.positive_inputs;
            let point = match round {
                0..3 if integers => equal_integers(1 - round as i64, positive),
                _ if integers => draw_integers(&mut self.random, positive),
                _ => draw_point(&mut self.random, positive, round),
            };
            let worth_it = match self.evaluate_in_doubles(&guard, &point) {
                PointResult::NotZero => true,
                PointResult::Outside => false,
                PointResult::AtMost(_) | PointResult::Inconclusive if remaining > 0 => {
                    remaining -= 1;
                    true
                }
                _ => false,
            };
            if worth_it && self.evaluate_in_balls(&point) == PointResult::NotZero {
                return Some(self.refuted(&point));
            }
        }
        None
    }

    /// The number of points that fit into about a tenth of a second.
    fn budget(&self) -> usize {
        (2_000_000 / self.setup.program.len().max(1)).clamp(8, 2000)
    }

    /// Searches enough points to meet every combination of signs, for claims that depend on signs.
    pub(super) fn search_all_signs(&mut self) -> Option<Found<'p>> {
        let signs = self.setup.signs();
        if signs == 0 {
            return None;
        }
        let points = self.budget().min(16 << signs.min(10));
        self.scan(points, false)
            .or_else(|| self.scan(points.min(64), true))
    }

    /// Step 4, the search for a refuting point after a field found a value other than zero.
    pub(super) fn search_for_refutation(&mut self) -> Option<Found<'p>> {
        let points = self.budget();
        self.scan(points, false)
            .or_else(|| self.scan(points.min(200), true))
            .or_else(|| self.with_more_bits())
    }

    /// Evaluates the points seen so far with more bits.
    fn with_more_bits(&mut self) -> Option<Found<'p>> {
        let guard = self.guard_parts();
        let seen = self.seen.iter().map(|s| s.0.clone());
        let points: Vec<Vec<Rational>> = seen.chain(self.inconclusive.iter().cloned()).collect();
        let length = self.setup.program.len();
        let mut found: Vec<(Vec<Rational>, f64)> = Vec::new();
        let mut values = Vec::new();
        let mut balls = Balls::<16>::new();
        let constants = self.setup.program.constants(&mut balls);
        for (k, point) in points.into_iter().enumerate() {
            let mut result = guard.balls(&mut balls, &constants, &mut values, &point);
            if result != PointResult::NotZero && k == 0 && length < 2000 {
                let mut balls = Balls::<32>::new();
                let constants = self.setup.program.constants(&mut balls);
                result = guard.balls(&mut balls, &constants, &mut Vec::new(), &point);
            }
            match result {
                PointResult::NotZero => return Some(self.refuted(&point)),
                PointResult::AtMost(size) => found.push((point, size)),
                _ => {}
            }
        }
        if !found.is_empty() {
            self.seen = found;
        }
        None
    }
}
