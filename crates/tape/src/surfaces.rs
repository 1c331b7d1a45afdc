//! Surfaces in state space that Taylor series do not reveal: there flat functions begin to matter, or functions have
//! no series.
//!
//! The series of exp(a) at a = −500 contains no information about a = 0, because its coefficients almost vanish. The
//! series of its argument does. A run therefore ends a step where the argument reaches a level of
//! [`Threshold::levels`]; from there on the coefficients show the function.

use crate::jets::Rates;
use crate::math::scalar::{exp, pow};
use crate::tape::{Op, Reg, Tape};

/// Levels of |a| at which a step ends when |a| falls to them, for a function that behaves like exp(±a). Coefficients
/// of order p at the level A limit the next step to about exp((A − 27 + log p!)/p) at a tolerance of 10⁻¹², which
/// leads from each level to the next lower one, and from the last into the region where the function matters.
/// Prefactors up to 10¹⁴ begin to matter below the highest level.
const EXPONENTIAL_LEVELS: [f64; 4] = [10.0, 20.0, 40.0, 60.0];

/// Levels of |2a| for tanh a: 1 − tanh² is rounded to zero from 37 on.
const SATURATION_LEVELS: [f64; 3] = [10.0, 20.0, 32.0];

/// The largest factor by which a denominator may fall within a step, and that of each of its factors.
const MAX_FALL: f64 = 1e3;
const MAX_FACTOR_FALL: f64 = 10.0;
/// The smallest exponent of a power that is flat where its base is small.
const MIN_FLAT_POWER: f64 = 16.0;
/// The smallest exponent of a sum of squares that is flat; forces with smaller ones, like (x² + y²)^(3/2), are
/// noticeable at a distance.
const MIN_FLAT_ROOT_POWER: f64 = 2.5;

/// A register whose magnitude shows when a flat function begins to matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The argument of the function, or a denominator.
    pub register: Reg,
    /// The levels at which a step ends.
    pub levels: Levels,
}

/// Sizes of a register at which a step ends when the size falls to them.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// Given sizes, ascending.
    Sizes(Vec<f64>),
    /// The size at the start of the step divided by a factor: the logarithm of a denominator reveals its pole.
    Fall(f64),
    /// Given sizes, ascending, to which the size rises: a high power is flat where its base is small.
    Rise(Vec<f64>),
}

/// The way in which a function loses its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// At a zero of the register where it touches zero, like x² + y² under a square root.
    Touched,
    /// At any zero of the register, like x in x^(7/3).
    Crossed,
}

/// A register at whose zeros a function has a value but no series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The argument of the function.
    pub register: Reg,
    /// The kind of the zero.
    pub kind: EdgeKind,
}

/// Thresholds and edges of the registers from which some quantities are computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Arguments of flat functions.
    pub thresholds: Vec<Threshold>,
    /// Arguments of functions without series at zero.
    pub edges: Vec<Edge>,
}

impl Surfaces {
    /// Whether there are no surfaces.
    pub fn is_empty(&self) -> bool {
        self.thresholds.is_empty() && self.edges.is_empty()
    }

    /// The registers of the thresholds, then those of the edges.
    pub fn registers(&self) -> impl Iterator<Item = Reg> {
        let thresholds = self.thresholds.iter().map(|t| t.register);
        thresholds.chain(self.edges.iter().map(|e| e.register))
    }

    fn threshold(&mut self, register: Reg, levels: Levels) {
        for known in self
            .thresholds
            .iter_mut()
            .filter(|t| t.register == register)
        {
            match (&mut known.levels, &levels) {
                (Levels::Sizes(list), Levels::Sizes(more))
                | (Levels::Rise(list), Levels::Rise(more)) => {
                    list.extend(more);
                    list.sort_by(f64::total_cmp);
                    list.dedup();
                    return;
                }
                (Levels::Fall(factor), Levels::Fall(other)) => {
                    *factor = factor.min(*other);
                    return;
                }
                _ => {}
            }
        }
        self.thresholds.push(Threshold { register, levels });
    }

    fn edge(&mut self, register: Reg, kind: EdgeKind) {
        match self.edges.iter_mut().find(|e| e.register == register) {
            None => self.edges.push(Edge { register, kind }),
            Some(known) if kind == EdgeKind::Crossed => known.kind = kind,
            Some(_) => {}
        }
    }
}

/// Properties of values that follow from the form of each operation.
struct Forms {
    /// Nowhere negative.
    nonnegative: Vec<bool>,
    /// Positive everywhere.
    positive: Vec<bool>,
    /// Changes along a motion.
    moving: Vec<bool>,
    /// Computed from a flat function, whose argument is watched.
    announced: Vec<bool>,
    /// A product of powers of sums with a number or a parameter in them, like 1 + x².
    shifted: Vec<bool>,
}

impl Forms {
    fn of(tape: &Tape) -> Self {
        let count = tape.ops.len();
        let mut f = Self {
            nonnegative: vec![false; count],
            positive: vec![false; count],
            moving: vec![false; count],
            announced: vec![false; count],
            shifted: vec![false; count],
        };
        for (at, op) in tape.ops.iter().enumerate() {
            let before = |r: &Reg| (*r as usize) < at;
            let any = |list: &[bool]| {
                let operands = op.operands();
                operands
                    .iter()
                    .filter(|r| before(r))
                    .any(|r| list[*r as usize])
            };
            f.moving[at] = matches!(op, Op::Input(_)) || any(&f.moving);
            let flat = matches!(op, Op::Exp(_) | Op::Sinh(_) | Op::Cosh(_) | Op::Tanh(..));
            f.announced[at] = flat || any(&f.announced);
            let (nn, pos) = (
                |r: Reg| f.nonnegative[r as usize],
                |r: Reg| f.positive[r as usize],
            );
            let positive = match *op {
                Op::Const(c) | Op::Parameter(c, _) => c > 0.0,
                Op::Exp(_) | Op::Cosh(_) => true,
                Op::Shift(a, c) => c > 0.0 && nn(a),
                Op::Add(a, b) => pos(a) && nn(b) || nn(a) && pos(b),
                Op::Scale(a, c) | Op::Recip(a, c) => c > 0.0 && pos(a),
                Op::Mul(a, b) | Op::Div(a, b) => pos(a) && pos(b),
                Op::Square(a) | Op::Sqrt(a) | Op::Power(a, _) | Op::OddPower(a, ..) => pos(a),
                _ => false,
            };
            let nonnegative = match *op {
                Op::Const(c) => c >= 0.0,
                Op::Square(_) | Op::Sqrt(_) | Op::Power(..) | Op::Abs(..) => true,
                Op::Shift(a, c) => c >= 0.0 && nn(a),
                Op::Scale(a, c) | Op::Recip(a, c) => c >= 0.0 && nn(a),
                Op::Add(a, b) | Op::Mul(a, b) | Op::Div(a, b) => nn(a) && nn(b),
                Op::OddPower(a, n, _) => n % 2 == 0 || nn(a),
                _ => false,
            };
            let still = |r: Reg| !f.moving[r as usize];
            f.shifted[at] = match *op {
                Op::Shift(..) => true,
                Op::Add(a, b) | Op::Sub(a, b) => still(a) != still(b),
                Op::Scale(a, _) | Op::Square(a) | Op::Sqrt(a) | Op::Power(a, _) => {
                    f.shifted[a as usize]
                }
                Op::Mul(a, b) => f.shifted[a as usize] || f.shifted[b as usize],
                _ => false,
            };
            (f.positive[at], f.nonnegative[at]) = (positive, positive || nonnegative);
        }
        f
    }
}

impl Tape {
    /// The surfaces that the motion of some equations, and the quantities along it, may meet.
    pub fn surfaces(&self, rates: &Rates, others: impl Iterator<Item = Reg>) -> Surfaces {
        let mut from: Vec<Reg> = others.collect();
        from.extend(rates.matrix_registers().iter().chain(&rates.right));
        if let Some(squares) = &rates.squares {
            from.extend(squares.rest.iter().chain(&squares.right));
            from.extend(squares.terms.iter().flat_map(|t| [t.1, t.2]));
        }
        let forms = Forms::of(self);
        let mut surfaces = Surfaces::default();
        let moving = |r: Reg| forms.moving[r as usize];
        let reached = self.reached(from.into_iter(), 0);
        let unbounded = self.roots_in_poles(&reached);
        for at in reached {
            match self.ops[at as usize] {
                Op::Exp(a) | Op::Sinh(a) | Op::Cosh(a) if moving(a) => {
                    let (register, levels) = self.descend(a, EXPONENTIAL_LEVELS.to_vec());
                    surfaces.threshold(register, Levels::Sizes(levels));
                }
                Op::Tanh(a, _) if moving(a) => {
                    let levels = SATURATION_LEVELS.map(|l| 0.5 * l).to_vec();
                    let (register, levels) = self.descend(a, levels);
                    surfaces.threshold(register, Levels::Sizes(levels));
                }
                Op::Recip(b, _) | Op::Div(_, b) if moving(b) => {
                    for (base, exponent) in self.factors(b, false) {
                        if forms.shifted[base as usize] && !forms.announced[base as usize] {
                            let levels = EXPONENTIAL_LEVELS.map(|l| exp(l / exponent)).to_vec();
                            let (register, levels) = self.descend(base, levels);
                            surfaces.threshold(register, Levels::Sizes(levels));
                        }
                    }
                    for c in self.absolute_factors(b) {
                        surfaces.edge(c, EdgeKind::Crossed);
                    }
                    for (base, exponent) in self.factors(b, true) {
                        let steep =
                            exponent >= MIN_FLAT_ROOT_POWER || !forms.nonnegative[base as usize];
                        if moving(base) && steep && !forms.positive[base as usize] {
                            let factor = pow(MAX_FALL, 1.0 / exponent).min(MAX_FACTOR_FALL);
                            surfaces.threshold(base, Levels::Fall(factor));
                        }
                    }
                }
                Op::Mul(..) | Op::Square(_) => {
                    for (base, exponent) in self.factors(at, false) {
                        if exponent >= MIN_FLAT_POWER && moving(base) {
                            let sizes = EXPONENTIAL_LEVELS.map(|l| exp(-l / exponent));
                            let sizes = sizes.into_iter().rev().collect();
                            surfaces.threshold(base, Levels::Rise(sizes));
                        }
                    }
                }
                Op::Sqrt(a)
                    if moving(a) && !forms.positive[a as usize] && !unbounded[at as usize] =>
                {
                    surfaces.edge(a, EdgeKind::Touched);
                }
                Op::Power(a, r) if moving(a) && r.fract() != 0.0 && !forms.positive[a as usize] => {
                    surfaces.edge(self.inside_absolute(a), EdgeKind::Crossed);
                }
                Op::OddPower(a, ..) if moving(a) && !forms.positive[a as usize] => {
                    surfaces.edge(self.inside_absolute(a), EdgeKind::Crossed);
                }
                _ => {}
            }
        }
        surfaces
    }
}

impl Tape {
    /// The largest value of c + Σaᵢyᵢ² with numbers that are not negative, where the squares of each of some groups of
    /// coordinates have at most a given sum; `None` for registers of another form.
    pub(crate) fn bound_of_squares(
        &self,
        register: Reg,
        groups: &[std::ops::Range<usize>],
        largest: f64,
    ) -> Option<f64> {
        let mut bound = 0.0;
        let mut squares: Vec<(usize, f64)> = Vec::new();
        let mut stack = vec![(register, 1.0)];
        while let Some((r, factor)) = stack.pop() {
            match self.ops[r as usize] {
                Op::Const(c) if c >= 0.0 => bound += factor * c,
                Op::Shift(a, c) if c >= 0.0 => {
                    bound += factor * c;
                    stack.push((a, factor));
                }
                Op::Add(a, b) => stack.extend([(a, factor), (b, factor)]),
                Op::Scale(a, c) if c >= 0.0 => stack.push((a, c * factor)),
                Op::Square(a) => {
                    // Inputs are t, then the coordinates.
                    let Op::Input(input) = self.ops[a as usize] else {
                        return None;
                    };
                    let place = (input as usize).checked_sub(1)?;
                    groups.iter().find(|g| g.contains(&place))?;
                    match squares.iter_mut().find(|(k, _)| *k == place) {
                        Some((_, sum)) => *sum += factor,
                        None => squares.push((place, factor)),
                    }
                }
                _ => return None,
            }
        }
        for group in groups {
            let inside = squares.iter().filter(|(k, _)| group.contains(k));
            bound += largest * inside.fold(0.0_f64, |m, s| m.max(s.1));
        }
        Some(bound)
    }

    /// Square roots that occur only in denominators together with their argument, like x² + y² in x/(x² + y²)^(3/2):
    /// no motion of finite energy passes their zeros, and series reveal them.
    fn roots_in_poles(&self, reached: &[Reg]) -> Vec<bool> {
        let mut poles = vec![false; self.ops.len()];
        let mut others = vec![false; self.ops.len()];
        // Whether a register is used only as a divisor; uses come behind their operands.
        for &at in reached.iter().rev() {
            match self.ops[at as usize] {
                Op::Recip(b, _) => poles[b as usize] = true,
                Op::Div(a, b) => {
                    poles[b as usize] = true;
                    others[a as usize] = true;
                }
                Op::Mul(a, b) => {
                    let product = self.ops[a as usize];
                    let (root, rest) = match product {
                        Op::Sqrt(_) => (a, b),
                        _ => (b, a),
                    };
                    let divisor = poles[at as usize] && !others[at as usize];
                    let own = match self.ops[root as usize] {
                        Op::Sqrt(radicand) => self.is_power_of(rest, radicand),
                        _ => false,
                    };
                    let place = if divisor && own {
                        &mut poles
                    } else {
                        &mut others
                    };
                    place[root as usize] = true;
                    others[rest as usize] = true;
                }
                op => {
                    for r in op.operands() {
                        others[r as usize] = true;
                    }
                }
            }
        }
        let directly = |at: usize| {
            // A quotient by the root alone is bounded.
            reached.iter().any(|&r| match self.ops[r as usize] {
                Op::Recip(b, _) | Op::Div(_, b) => b as usize == at,
                _ => false,
            })
        };
        (0..self.ops.len())
            .map(|at| {
                let root = matches!(self.ops[at], Op::Sqrt(_));
                root && poles[at] && !others[at] && !directly(at)
            })
            .collect()
    }

    /// The register under shifts, multiples and squares whose magnitude shows when a register falls to some levels:
    /// small zeros are lost in large squares.
    fn descend(&self, mut register: Reg, mut levels: Vec<f64>) -> (Reg, Vec<f64>) {
        loop {
            register = match self.ops[register as usize] {
                Op::Scale(a, factor) => {
                    levels.iter_mut().for_each(|l| *l /= factor.abs());
                    a
                }
                Op::Shift(a, number) if matches!(self.under_numbers(a), Op::Square(_)) => {
                    levels.iter_mut().for_each(|l| *l += number.abs());
                    a
                }
                Op::Square(a) => {
                    levels.iter_mut().for_each(|l| *l = l.sqrt());
                    a
                }
                _ => match self.factors(register, false)[..] {
                    [(base, exponent)] if base != register => {
                        levels.iter_mut().for_each(|l| *l = pow(*l, 1.0 / exponent));
                        base
                    }
                    _ => return (register, levels),
                },
            };
        }
    }

    /// The operation under numeric factors.
    fn under_numbers(&self, register: Reg) -> Op {
        match self.ops[register as usize] {
            Op::Scale(a, _) => self.under_numbers(a),
            op => op,
        }
    }

    /// The register inside an absolute value or a square, which changes its sign where the value vanishes.
    fn inside_absolute(&self, register: Reg) -> Reg {
        match self.ops[register as usize] {
            Op::Abs(c, _) | Op::Square(c) => c,
            _ => register,
        }
    }

    /// Registers in absolute values that divide, like c in x/|c|: the quotient may be bounded at c = 0.
    fn absolute_factors(&self, divisor: Reg) -> Vec<Reg> {
        match self.ops[divisor as usize] {
            Op::Abs(c, _) => vec![c],
            Op::Scale(a, _) => self.absolute_factors(a),
            Op::Mul(a, b) => {
                let mut list = self.absolute_factors(a);
                list.extend(self.absolute_factors(b));
                list
            }
            _ => vec![],
        }
    }

    /// The factors of a product, each with its exponent; without numeric factors, or with them.
    fn factors(&self, register: Reg, without_numbers: bool) -> Vec<(Reg, f64)> {
        let mut list: Vec<(Reg, f64)> = Vec::new();
        let mut stack = vec![(register, 1.0)];
        while let Some((r, exponent)) = stack.pop() {
            match self.ops[r as usize] {
                Op::Mul(a, b) => stack.extend([(a, exponent), (b, exponent)]),
                Op::Square(a) => stack.push((a, 2.0 * exponent)),
                Op::Sqrt(a) => stack.push((a, 0.5 * exponent)),
                Op::Power(a, e) => stack.push((a, e * exponent)),
                Op::Abs(a, _) => stack.push((a, exponent)),
                Op::Scale(a, _) if without_numbers => stack.push((a, exponent)),
                _ => match list.iter_mut().find(|f| f.0 == r) {
                    Some(known) => known.1 += exponent,
                    None => list.push((r, exponent)),
                },
            }
        }
        list
    }

    /// Whether a register is a power of another, with a whole exponent.
    fn is_power_of(&self, register: Reg, base: Reg) -> bool {
        match self.ops[register as usize] {
            _ if register == base => true,
            Op::Square(a) => self.is_power_of(a, base),
            Op::Mul(a, b) => self.is_power_of(a, base) && self.is_power_of(b, base),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use galilei_expr::{Pool, Rational};

    use super::*;
    use crate::Builder;

    /// The surfaces of one expression of t and x.
    fn of(text: &dyn Fn(&Pool) -> galilei_expr::ExprId) -> Surfaces {
        let pool = Pool::new();
        let inputs = ["t", "x", "u"].map(|n| pool.symbol(n));
        let expr = pool.expr(text(&pool));
        let mut b = Builder::new(&inputs);
        let r = b.expr(expr).unwrap();
        let one = b.number(1.0);
        let tape = b.finish(vec![r]);
        let rates = Rates {
            dimension: 1,
            unknowns: 1,
            matrix: vec![one],
            right: vec![r],
            ..Rates::default()
        };
        tape.surfaces(&rates, std::iter::empty())
    }

    #[test]
    fn flat_functions_have_thresholds() {
        let found = of(&|p| (p.symbol("x") * p.number(100)).exp().id());
        assert_eq!(found.thresholds.len(), 1);
        // |x| falls to a hundredth of the levels of 100·x.
        let levels = EXPONENTIAL_LEVELS.map(|l| l / 100.0).to_vec();
        assert_eq!(found.thresholds[0].levels, Levels::Sizes(levels));
        // 1/(1 + x²)¹⁰ is flat where x is large; 1/x has a pole.
        let lorentz = of(&|p| {
            let x = p.symbol("x");
            (p.one() + x * x).pow(-10).id()
        });
        assert_eq!(lorentz.thresholds.len(), 1);
        let pole = of(&|p| p.symbol("x").pow(-1).id());
        assert_eq!(pole.thresholds[0].levels, Levels::Fall(MAX_FACTOR_FALL));
    }

    #[test]
    fn roots_that_can_vanish_have_edges() {
        let norm = |shift: i64| {
            of(&move |p: &Pool| {
                let (t, x) = (p.symbol("t"), p.symbol("x"));
                (t * t + x * x + p.number(shift)).sqrt().id()
            })
        };
        assert_eq!(norm(0).edges.len(), 1);
        assert_eq!(norm(0).edges[0].kind, EdgeKind::Touched);
        assert!(norm(1).is_empty());
        // Newton's force has no edge, a unit vector has one.
        let force = |exponent: (i64, i64)| {
            of(&move |p: &Pool| {
                let (t, x) = (p.symbol("t"), p.symbol("x"));
                let q = p.number(Rational::from(exponent));
                (x * (t * t + x * x).pow(q)).id()
            })
        };
        assert!(force((-3, 2)).is_empty() && force((-5, 2)).edges.is_empty());
        assert_eq!(force((-1, 2)).edges.len(), 1);
        // √(x²) is |x|, a kink.
        let root = of(&|p| (p.symbol("x") * p.symbol("x")).sqrt().id());
        assert!(root.is_empty());
    }
}
