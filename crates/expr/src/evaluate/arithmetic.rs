//! The interface of the arithmetics over which expressions are evaluated.

use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// The reason why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fail {
    /// The expression is not defined at this point.
    Undefined,
    /// This arithmetic cannot decide: an enclosure crosses the boundary of a domain, a result is
    /// out of range, or an undetermined function has no value here.
    Unknown,
}

/// A value, or the reason why there is none.
pub(crate) type Outcome<V> = Result<V, Fail>;

/// The answer to a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It holds for all values enclosed.
    Yes,
    /// It holds for none.
    No,
    /// It may hold for some.
    Unknown,
}

/// Enclosures that meet more pieces of a table than this are too wide to say anything.
const MAX_PIECES: usize = 16;

/// The derivative of an order of a table over an enclosure between two numbers: the hull of its pieces there.
pub(crate) fn enclosed<A: Arithmetic>(
    arithmetic: &mut A,
    table: &Table,
    order: u32,
    argument: &A::Value,
    (low, high): (f64, f64),
) -> Result<A::Value, Fail> {
    if low.is_nan() || high.is_nan() {
        return Err(Fail::Unknown);
    }
    let (first, last) = (table.piece_at(low), table.piece_at(high));
    if last - first >= MAX_PIECES {
        return Err(Fail::Unknown);
    }
    let mut hull: Option<A::Value> = None;
    for k in first..=last {
        let piece = table.piece(k);
        let exact = |x: f64| Rational::from_f64(x).ok_or(Fail::Unknown);
        let minus = arithmetic.number(&-&exact(piece.origin)?)?;
        let d = arithmetic.add(argument, &minus);
        // Horner, with the factors of the derivative.
        let mut sum = arithmetic.number(&Rational::ZERO)?;
        for j in (order..=3).rev() {
            let factor: i64 = (0..order).map(|i| i64::from(j - i)).product();
            let c = exact(piece.coefficients[j as usize])?;
            let c = arithmetic.number(&(&c * &Rational::from(factor)))?;
            let product = arithmetic.mul(&sum, &d);
            sum = arithmetic.add(&product, &c);
        }
        hull = Some(match hull {
            None => sum,
            Some(h) => arithmetic.hull(&h, &sum)?,
        });
    }
    hull.ok_or(Fail::Unknown)
}

/// Numbers of some kind, with the operations of expressions.
///
/// `at` in some methods is the position of the step in its [`crate::Program`]: arithmetics that
/// prepare themselves for a program find their preparations by it.
pub trait Arithmetic {
    /// A number.
    type Value: Clone;

    /// An exact number.
    fn number(&mut self, q: &Rational) -> Result<Self::Value, Fail>;
    /// All exact numbers of a program at once, which is cheaper than one by one in some arithmetics.
    fn numbers(&mut self, all: &[Rational]) -> Vec<Result<Self::Value, Fail>> {
        all.iter().map(|q| self.number(q)).collect()
    }
    /// π
    fn pi(&mut self) -> Result<Self::Value, Fail>;
    /// a + b
    fn add(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// a·b
    fn mul(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// −a, if that is simpler than a multiplication.
    fn negated(&mut self, _a: &Self::Value) -> Option<Self::Value> {
        None
    }
    /// a^q; `operand` identifies this power within the program.
    fn pow(&mut self, operand: usize, a: &Self::Value, q: &Rational) -> Result<Self::Value, Fail>;
    /// f(a), or f(a, b)
    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Self::Value,
        b: Option<&Self::Value>,
    ) -> Result<Self::Value, Fail>;
    /// a ? b
    fn compare(
        &mut self,
        at: usize,
        comparison: Comparison,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Result<Truth, Fail>;
    /// A value that encloses both, for a comparison that could not be decided.
    fn hull(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Fail>;
    /// The derivative of order `orders` of undetermined function number `function`.
    fn undetermined(
        &mut self,
        function: usize,
        orders: &[u32],
        arguments: &[Self::Value],
    ) -> Result<Self::Value, Fail>;
    /// A function that is found by iteration in doubles; unknown in most arithmetics.
    fn implicit(
        &mut self,
        _arguments: &[Self::Value],
        _function: &dyn Fn(&[f64]) -> Option<f64>,
    ) -> Result<Self::Value, Fail> {
        Err(Fail::Unknown)
    }
    /// The derivative of an order of a function given by a table; `None` in arithmetics that treat it as undetermined.
    fn tabulated(
        &mut self,
        _table: &Table,
        _order: u32,
        _argument: &Self::Value,
    ) -> Option<Result<Self::Value, Fail>> {
        None
    }
    /// ∫₀¹ of a function; unknown in most arithmetics.
    #[allow(clippy::type_complexity)]
    fn quadrature(
        &mut self,
        _integrand: &mut dyn FnMut(&mut Self, Self::Value) -> Result<Self::Value, Fail>,
    ) -> Result<Self::Value, Fail> {
        Err(Fail::Unknown)
    }
    /// Called with every value in turn, for arithmetics that refer to earlier values.
    fn record(&mut self, _value: &Result<Self::Value, Fail>) {}
}
