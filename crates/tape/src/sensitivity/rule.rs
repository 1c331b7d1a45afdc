//! The differential of each operation.

use crate::tape::{Op, Reg, Tape};

/// A term c·P⋆δa of a differential; P is one where there is no factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) number: f64,
    pub(crate) factor: Option<Reg>,
    pub(crate) argument: Reg,
}

/// The rule by which the differential δr of a register follows from those of its operands. Products are products of
/// series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    /// A coordinate, a velocity, the time or a parameter, the differential of which is given.
    Given,
    /// δr = 0
    Nothing,
    /// D⋆δr = Σ c·P⋆δa; without a divisor D is one.
    Linear {
        divisor: Option<Reg>,
        terms: Vec<Term>,
    },
    /// δa on the positive branch of a kink, else number·δb.
    Side {
        kink: u32,
        positive: Reg,
        other: Reg,
        number: f64,
    },
}

fn linear(divisor: Option<Reg>, terms: &[(f64, Option<Reg>, Reg)]) -> Rule {
    let term = |&(number, factor, argument): &(f64, Option<Reg>, Reg)| Term {
        number,
        factor,
        argument,
    };
    Rule::Linear {
        divisor,
        terms: terms.iter().map(term).collect(),
    }
}

impl Tape {
    /// The rule of a register.
    pub(crate) fn rule(&self, at: Reg) -> Rule {
        let along = |c: f64, factor: Reg, a: Reg| linear(None, &[(c, Some(factor), a)]);
        match self.ops[at as usize] {
            Op::Const(_) | Op::Fixed(_) | Op::Sign(..) | Op::Piece(..) => Rule::Nothing,
            Op::Input(_) | Op::Parameter(..) => Rule::Given,
            Op::Add(a, b) => linear(None, &[(1.0, None, a), (1.0, None, b)]),
            Op::Sub(a, b) => linear(None, &[(1.0, None, a), (-1.0, None, b)]),
            Op::Scale(a, c) => linear(None, &[(c, None, a)]),
            Op::Shift(a, _) => linear(None, &[(1.0, None, a)]),
            Op::Mul(a, b) => linear(None, &[(1.0, Some(b), a), (1.0, Some(a), b)]),
            Op::Square(a) => along(2.0, a, a),
            // b·δq = δa − q·δb
            Op::Div(a, b) => linear(Some(b), &[(1.0, None, a), (-1.0, Some(at), b)]),
            Op::Recip(b, _) => linear(Some(b), &[(-1.0, Some(at), b)]),
            Op::Sqrt(a) => linear(Some(at), &[(0.5, None, a)]),
            // a·δw = r·w·δa
            Op::Power(a, r) => linear(Some(a), &[(r, Some(at), a)]),
            Op::OddPower(a, n, d) => linear(Some(a), &[(f64::from(n) / f64::from(d), Some(at), a)]),
            Op::Exp(a) => along(1.0, at, a),
            Op::Log(a) => linear(Some(a), &[(1.0, None, a)]),
            Op::Sin(a) | Op::Sinh(a) => along(1.0, at + 1, a),
            Op::Cos(a) => along(-1.0, at - 1, a),
            Op::Cosh(a) => along(1.0, at - 1, a),
            Op::Tan(a, w) | Op::Tanh(a, w) | Op::Asin(a, w) | Op::Acos(a, w) | Op::Atan(a, w) => {
                along(1.0, w, a)
            }
            // r·δ = x·δy − y·δx
            Op::Atan2(y, x, r, _) => linear(Some(r), &[(1.0, Some(x), y), (-1.0, Some(y), x)]),
            Op::Abs(a, kink) => Rule::Side {
                kink,
                positive: a,
                other: a,
                number: -1.0,
            },
            Op::Choose(a, b, kink) => Rule::Side {
                kink,
                positive: a,
                other: b,
                number: 1.0,
            },
        }
    }
}

impl Tape {
    /// Estimates of the rounding errors of all registers at given values: the errors of the inputs and of every
    /// operation before, to first order, added by magnitude.
    pub fn rounding(&self, values: &[f64], branches: &[f64]) -> Vec<f64> {
        let value = |r: Reg| values[r as usize];
        let mut errors = vec![0.0; self.ops.len()];
        for at in 0..self.ops.len() {
            let own = f64::EPSILON * values[at].abs();
            let passed_on = match self.rule(at as Reg) {
                Rule::Given | Rule::Nothing => 0.0,
                Rule::Linear { divisor, terms } => {
                    let error = |t: &Term| {
                        let factor = t.factor.map_or(1.0, value);
                        (t.number * factor * errors[t.argument as usize]).abs()
                    };
                    let sum: f64 = terms.iter().map(error).sum();
                    match divisor {
                        _ if sum == 0.0 => 0.0,
                        Some(d) => sum / value(d).abs(),
                        None => sum,
                    }
                }
                Rule::Side {
                    kink,
                    positive,
                    other,
                    ..
                } => {
                    let k = self.kinks[kink as usize];
                    let side = branches.get(kink as usize).map(|s| *s > 0.0);
                    let side = side.unwrap_or(value(k.register) >= 0.0);
                    errors[if side { positive } else { other } as usize]
                }
            };
            errors[at] = own + passed_on;
        }
        errors
    }
}
