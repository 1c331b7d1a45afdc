//! Formulas of generated models: printed as model text for Galilei, evaluated here for the oracles.
//!
//! Values carry two directions of differentiation and their mixed second derivative (hyper-dual numbers), which is all
//! that Lagrange's equations need. Nothing of Galilei's own expressions is used.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The coordinates' names, in order.
pub(crate) const NAMES: [&str; 2] = ["x", "y"];

/// Functions of one argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Sign,
}

/// Functions of two arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binary {
    Atan2,
    Max,
    Min,
    /// The length of a tuple of two components.
    Norm,
}

/// A formula in time, positions and velocities.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Number(f64),
    Time,
    Position(usize),
    Velocity(usize),
    Sum(Box<[Formula; 2]>),
    Product(Box<[Formula; 2]>),
    Quotient(Box<[Formula; 2]>),
    /// A rational power; an odd root of a negative number is negative.
    Power(Box<Formula>, i32, i32),
    Call(Function, Box<Formula>),
    Pair(Binary, Box<[Formula; 2]>),
    /// The third where the first is greater than the second, else the fourth.
    If(Box<[Formula; 4]>),
}

impl Formula {
    pub(crate) fn pow(self, exponent: i32) -> Formula {
        self.root(exponent, 1)
    }

    pub(crate) fn root(self, numerator: i32, denominator: i32) -> Formula {
        Formula::Power(Box::new(self), numerator, denominator)
    }

    pub(crate) fn call(self, function: Function) -> Formula {
        Formula::Call(function, Box::new(self))
    }

    pub(crate) fn with(self, function: Binary, other: Formula) -> Formula {
        Formula::Pair(function, Box::new([self, other]))
    }

    /// `above` where this formula exceeds `limit`, else `below`.
    pub(crate) fn choose(self, limit: f64, above: Formula, below: Formula) -> Formula {
        Formula::If(Box::new([self, limit.into(), above, below]))
    }
}

impl From<f64> for Formula {
    fn from(number: f64) -> Formula {
        Formula::Number(number)
    }
}

impl<T: Into<Formula>> Add<T> for Formula {
    type Output = Formula;
    fn add(self, other: T) -> Formula {
        Formula::Sum(Box::new([self, other.into()]))
    }
}

impl<T: Into<Formula>> Sub<T> for Formula {
    type Output = Formula;
    fn sub(self, other: T) -> Formula {
        self + -other.into()
    }
}

impl<T: Into<Formula>> Mul<T> for Formula {
    type Output = Formula;
    fn mul(self, other: T) -> Formula {
        Formula::Product(Box::new([self, other.into()]))
    }
}

impl<T: Into<Formula>> Div<T> for Formula {
    type Output = Formula;
    fn div(self, other: T) -> Formula {
        Formula::Quotient(Box::new([self, other.into()]))
    }
}

impl Neg for Formula {
    type Output = Formula;
    fn neg(self) -> Formula {
        match self {
            Formula::Number(number) => Formula::Number(-number),
            other => Formula::Number(-1.0) * other,
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Number(number) if *number < 0.0 => write!(out, "({number})"),
            Formula::Number(number) => write!(out, "{number}"),
            Formula::Time => write!(out, "t"),
            Formula::Position(index) => write!(out, "{}", NAMES[*index]),
            Formula::Velocity(index) => write!(out, "{}'", NAMES[*index]),
            Formula::Sum(terms) => write!(out, "({} + {})", terms[0], terms[1]),
            Formula::Product(factors) => write!(out, "{}*{}", factors[0], factors[1]),
            Formula::Quotient(parts) => write!(out, "({}/({}))", parts[0], parts[1]),
            Formula::Power(base, numerator, 1) => write!(out, "({base})^{numerator}"),
            Formula::Power(base, numerator, denominator) => {
                write!(out, "({base})^({numerator}/{denominator})")
            }
            Formula::Call(function, argument) => {
                let name = format!("{function:?}").to_lowercase();
                write!(out, "{name}({argument})")
            }
            Formula::Pair(Binary::Norm, parts) => {
                write!(out, "norm(({}, {}))", parts[0], parts[1])
            }
            Formula::Pair(function, parts) => {
                let name = format!("{function:?}").to_lowercase();
                write!(out, "{name}({}, {})", parts[0], parts[1])
            }
            Formula::If(parts) => {
                let [left, right, above, below] = &**parts;
                write!(out, "if({left} > {right}, {above}, {below})")
            }
        }
    }
}

/// A value with its derivatives in two directions and the mixed second one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hyper {
    pub(crate) value: f64,
    pub(crate) first: f64,
    pub(crate) second: f64,
    pub(crate) mixed: f64,
}

impl Hyper {
    fn constant(value: f64) -> Hyper {
        Hyper {
            value,
            ..Hyper::default()
        }
    }

    /// The composition with a function of the given value and derivatives here. Derivatives that may be infinite are
    /// left out where nothing is differentiated.
    fn map(self, value: f64, slope: f64, curvature: f64) -> Hyper {
        if self.first == 0.0 && self.second == 0.0 && self.mixed == 0.0 {
            return Hyper::constant(value);
        }
        let both = self.first * self.second;
        let bent = if both == 0.0 { 0.0 } else { curvature * both };
        Hyper {
            value,
            first: slope * self.first,
            second: slope * self.second,
            mixed: slope * self.mixed + bent,
        }
    }

    fn call(self, function: Function) -> Hyper {
        let x = self.value;
        match function {
            Function::Sin => self.map(x.sin(), x.cos(), -x.sin()),
            Function::Cos => self.map(x.cos(), -x.sin(), -x.cos()),
            Function::Tan => {
                let tan = x.tan();
                let slope = 1.0 + tan * tan;
                self.map(tan, slope, 2.0 * tan * slope)
            }
            Function::Asin | Function::Acos => {
                // Rounding may leave [−1, 1].
                let x = x.clamp(-1.0, 1.0);
                let rest = 1.0 - x * x;
                let (slope, curvature) = (rest.powf(-0.5), x * rest.powf(-1.5));
                match function {
                    Function::Asin => self.map(x.asin(), slope, curvature),
                    _ => self.map(x.acos(), -slope, -curvature),
                }
            }
            Function::Atan => {
                let slope = 1.0 / (1.0 + x * x);
                self.map(x.atan(), slope, -2.0 * x * slope * slope)
            }
            Function::Cosh => self.map(x.cosh(), x.sinh(), x.cosh()),
            Function::Tanh => {
                let tanh = x.tanh();
                let slope = 1.0 - tanh * tanh;
                self.map(tanh, slope, -2.0 * tanh * slope)
            }
            Function::Exp => self.map(x.exp(), x.exp(), x.exp()),
            Function::Log => self.map(x.ln(), 1.0 / x, -1.0 / (x * x)),
            Function::Sqrt => {
                let root = x.sqrt();
                self.map(root, 0.5 / root, -0.25 / (x * root))
            }
            Function::Abs => self.map(x.abs(), sign(x), 0.0),
            Function::Sign => Hyper::constant(sign(x)),
        }
    }

    fn power(self, numerator: i32, denominator: i32) -> Hyper {
        if denominator == 1 {
            let n = f64::from(numerator);
            let [value, slope, curvature] = [0, 1, 2].map(|less| self.value.powi(numerator - less));
            return self.map(value, n * slope, n * (n - 1.0) * curvature);
        }
        let exponent = f64::from(numerator) / f64::from(denominator);
        // Of |x|^e or sign(x)·|x|^e, and of its derivatives in turn.
        let odd = numerator % 2 != 0 && denominator % 2 != 0;
        let [value, slope, curvature] = [0, 1, 2].map(|less| {
            let size = self.value.abs().powf(exponent - f64::from(less));
            let negative = self.value < 0.0 && (odd != (less == 1));
            if negative { -size } else { size }
        });
        self.map(
            value,
            exponent * slope,
            exponent * (exponent - 1.0) * curvature,
        )
    }

    fn pair(self, function: Binary, other: Hyper) -> Hyper {
        match function {
            Binary::Max if self.value >= other.value => self,
            Binary::Min if self.value <= other.value => self,
            Binary::Max | Binary::Min => other,
            Binary::Norm => (self * self + other * other).call(Function::Sqrt),
            Binary::Atan2 => {
                // Differentiated as the arctangent of whichever quotient is small, and moved to its branch.
                let angle = self.value.atan2(other.value);
                let local = if self.value.abs() < other.value.abs() {
                    (self / other).call(Function::Atan)
                } else {
                    Hyper::constant(0.0) - (other / self).call(Function::Atan)
                };
                Hyper {
                    value: angle,
                    ..local
                }
            }
        }
    }
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

impl Add for Hyper {
    type Output = Hyper;
    fn add(self, other: Hyper) -> Hyper {
        Hyper {
            value: self.value + other.value,
            first: self.first + other.first,
            second: self.second + other.second,
            mixed: self.mixed + other.mixed,
        }
    }
}

impl Sub for Hyper {
    type Output = Hyper;
    fn sub(self, other: Hyper) -> Hyper {
        self + Hyper::constant(-1.0) * other
    }
}

impl Mul for Hyper {
    type Output = Hyper;
    fn mul(self, other: Hyper) -> Hyper {
        Hyper {
            value: self.value * other.value,
            first: self.first * other.value + self.value * other.first,
            second: self.second * other.value + self.value * other.second,
            mixed: self.mixed * other.value
                + self.first * other.second
                + self.second * other.first
                + self.value * other.mixed,
        }
    }
}

impl Div for Hyper {
    type Output = Hyper;
    fn div(self, other: Hyper) -> Hyper {
        let x = other.value;
        self * other.map(1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x))
    }
}

/// Where a formula is evaluated: time, positions, velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) time: Hyper,
    pub(crate) positions: [Hyper; NAMES.len()],
    pub(crate) velocities: [Hyper; NAMES.len()],
}

impl Place {
    /// A place at which nothing is differentiated; `state` holds positions, then velocities.
    pub(crate) fn new(time: f64, state: &[f64]) -> Place {
        let n = state.len() / 2;
        let hyper = |first: usize| {
            std::array::from_fn(|k| Hyper::constant(if k < n { state[first + k] } else { 0.0 }))
        };
        Place {
            time: Hyper::constant(time),
            positions: hyper(0),
            velocities: hyper(n),
        }
    }
}

impl Formula {
    pub(crate) fn at(&self, place: &Place) -> Hyper {
        match self {
            Formula::Number(number) => Hyper::constant(*number),
            Formula::Time => place.time,
            Formula::Position(index) => place.positions[*index],
            Formula::Velocity(index) => place.velocities[*index],
            Formula::Sum(parts) => parts[0].at(place) + parts[1].at(place),
            Formula::Product(parts) => parts[0].at(place) * parts[1].at(place),
            Formula::Quotient(parts) => parts[0].at(place) / parts[1].at(place),
            Formula::Power(base, numerator, denominator) => {
                base.at(place).power(*numerator, *denominator)
            }
            Formula::Call(function, argument) => argument.at(place).call(*function),
            Formula::Pair(function, parts) => {
                let [left, right] = &**parts;
                left.at(place).pair(*function, right.at(place))
            }
            Formula::If(parts) => {
                let [left, right, above, below] = &**parts;
                if left.at(place).value > right.at(place).value {
                    above.at(place)
                } else {
                    below.at(place)
                }
            }
        }
    }

    /// Rounds every number to this many significant digits; zeros stay.
    pub(crate) fn rounded(&self, digits: i32) -> Formula {
        let both = |parts: &[Formula; 2]| Box::new(parts.each_ref().map(|p| p.rounded(digits)));
        match self {
            Formula::Number(number) => Formula::Number(significant(*number, digits)),
            Formula::Time | Formula::Position(_) | Formula::Velocity(_) => self.clone(),
            Formula::Sum(parts) => Formula::Sum(both(parts)),
            Formula::Product(parts) => Formula::Product(both(parts)),
            Formula::Quotient(parts) => Formula::Quotient(both(parts)),
            Formula::Power(base, n, d) => Formula::Power(Box::new(base.rounded(digits)), *n, *d),
            Formula::Call(function, of) => Formula::Call(*function, Box::new(of.rounded(digits))),
            Formula::Pair(function, parts) => Formula::Pair(*function, both(parts)),
            Formula::If(parts) => {
                Formula::If(Box::new(parts.each_ref().map(|part| part.rounded(digits))))
            }
        }
    }
}

/// A number with this many significant decimal digits.
pub(crate) fn significant(number: f64, digits: i32) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let precision = usize::try_from(digits - 1).unwrap_or(0);
    format!("{number:.precision$e}").parse().unwrap_or(number)
}
