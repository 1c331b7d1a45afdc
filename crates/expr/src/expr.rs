//! [`Expr`], the handle with which formulas are written.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::build::Builder;
use crate::function::Function;
use crate::node::{Comparison, Ix, MINUS_ONE, ONE, PI, Tag, UNDEFINED, ZERO};
use crate::number::Rational;
use crate::pool::{ExprId, Pool};
use crate::table::Table;

/// An expression: a pool and a place in it. `Copy`, so formulas read as they are written.
///
/// * Guarantees: two handles of one pool are equal exactly if the canonical structures are; a
///   different structure may still be the same function, which [`Expr::decide_equal`] answers.
/// * Made by [`Pool::symbol`], [`Pool::number`], [`Pool::function`] and by the operators, which
///   also take integers and [`Rational`]s on either side.
/// * Handles of two pools never mix: every operation that meets both panics.
///
/// ```
/// use galilei_expr::{Pool, Rational};
/// let pool = Pool::new();
/// let [m, l, g, theta, omega] = pool.symbols(["m", "l", "g", "theta", "omega"]);
/// let lagrangian = Rational::new(1, 2) * m * (l * omega).pow(2) + m * g * l * theta.cos();
/// assert_eq!(lagrangian.diff(omega), m * l.pow(2) * omega);
/// assert_eq!(lagrangian.diff(theta).to_string(), "-g*l*m*sin(theta)");
/// ```
#[derive(Clone, Copy)]
pub struct Expr<'p> {
    pool: &'p Pool,
    ix: Ix,
}

impl<'p> Expr<'p> {
    pub(crate) fn new(pool: &'p Pool, ix: Ix) -> Self {
        Self { pool, ix }
    }

    /// The pool the expression lives in.
    pub fn pool(self) -> &'p Pool {
        self.pool
    }

    /// The four-byte name of the expression inside its pool.
    pub fn id(self) -> ExprId {
        self.pool.id(self.ix)
    }

    pub(crate) fn ix(self) -> Ix {
        self.ix
    }

    /// The index of another handle, which must live in the same pool.
    pub(crate) fn same_pool(self, other: Expr<'_>) -> Ix {
        assert!(
            std::ptr::eq(self.pool, other.pool),
            "expressions of two different pools were mixed"
        );
        other.ix
    }

    fn build(self, f: impl FnOnce(&mut Builder<'p>) -> Ix) -> Self {
        let ix = f(&mut self.pool.builder());
        Self::new(self.pool, ix)
    }

    fn call(self, f: Function) -> Self {
        self.build(|b| b.call(f, &[self.ix]))
    }

    /// Whether this is the number zero. (An expression may also vanish without being it.)
    pub fn is_zero(self) -> bool {
        self.ix == ZERO
    }

    /// Whether this is the number one.
    pub fn is_one(self) -> bool {
        self.ix == ONE
    }

    /// Whether this is a symbol.
    pub fn is_symbol(self) -> bool {
        self.pool.node(self.ix).tag == Tag::Symbol
    }

    /// Whether the expression is defined nowhere, such as 1/0 or √−1.
    pub fn is_undefined(self) -> bool {
        self.ix == UNDEFINED
    }

    /// The value, if the expression is a rational number.
    pub fn as_rational(self) -> Option<Rational> {
        self.pool.as_rational(self.ix)
    }

    /// `self` to a power: an integer, a [`Rational`] or another expression, x^y = exp(y·log x).
    ///
    /// Even roots are defined for nonnegative radicands; odd roots are the real ones, so
    /// (−8)^(1/3) is −2.
    pub fn pow(self, exponent: impl Into<Operand<'p>>) -> Self {
        let exponent = exponent.into();
        self.build(|b| {
            let e = exponent.index(b, self);
            b.power(self.ix, e)
        })
    }

    /// The square root.
    pub fn sqrt(self) -> Self {
        self.pow(Rational::new(1, 2))
    }

    /// 1/self
    pub fn recip(self) -> Self {
        self.build(|b| b.pow(self.ix, MINUS_ONE))
    }

    /// The angle of the point (`x`, `self`), in (−π, π].
    pub fn atan2(self, x: impl Into<Operand<'p>>) -> Self {
        self.pair(Function::Atan2, x)
    }

    /// The smaller of the two.
    pub fn min(self, other: impl Into<Operand<'p>>) -> Self {
        self.pair(Function::Min, other)
    }

    /// The larger of the two.
    pub fn max(self, other: impl Into<Operand<'p>>) -> Self {
        self.pair(Function::Max, other)
    }

    fn pair(self, f: Function, other: impl Into<Operand<'p>>) -> Self {
        let other = other.into();
        self.build(|b| {
            let o = other.index(b, self);
            b.call(f, &[self.ix, o])
        })
    }

    /// `then` where `self < other`, else `otherwise`.
    pub fn if_less(
        self,
        other: impl Into<Operand<'p>>,
        then: impl Into<Operand<'p>>,
        otherwise: impl Into<Operand<'p>>,
    ) -> Self {
        self.condition(
            Comparison::Less,
            other.into(),
            then.into(),
            otherwise.into(),
        )
    }

    /// `then` where `self <= other`, else `otherwise`.
    pub fn if_less_equal(
        self,
        other: impl Into<Operand<'p>>,
        then: impl Into<Operand<'p>>,
        otherwise: impl Into<Operand<'p>>,
    ) -> Self {
        self.condition(
            Comparison::LessEqual,
            other.into(),
            then.into(),
            otherwise.into(),
        )
    }

    fn condition(
        self,
        c: Comparison,
        other: Operand<'p>,
        then: Operand<'p>,
        otherwise: Operand<'p>,
    ) -> Self {
        self.build(|b| {
            let o = other.index(b, self);
            let t = then.index(b, self);
            let e = otherwise.index(b, self);
            b.conditional(c, self.ix, o, t, e)
        })
    }

    /// f(self) for a function of one argument, or f(self, second) for one of two.
    ///
    /// # Panics
    /// If the number of arguments is not that of the function.
    pub fn apply(self, f: Function, second: Option<Expr<'p>>) -> Self {
        assert_eq!(
            f.arity(),
            1 + usize::from(second.is_some()),
            "arguments of {f:?}"
        );
        match second {
            None => self.call(f),
            Some(s) => self.pair(f, s),
        }
    }
}

macro_rules! unary {
    ($($method:ident $function:ident $what:literal,)*) => {
        impl Expr<'_> {
            $(
                #[doc = $what]
                pub fn $method(self) -> Self {
                    self.call(Function::$function)
                }
            )*
        }
    };
}
unary! {
    sin Sin "The sine.",
    cos Cos "The cosine.",
    tan Tan "The tangent.",
    asin Asin "The inverse sine, in [−π/2, π/2].",
    acos Acos "The inverse cosine, in [0, π].",
    atan Atan "The inverse tangent, in (−π/2, π/2).",
    sinh Sinh "The hyperbolic sine.",
    cosh Cosh "The hyperbolic cosine.",
    tanh Tanh "The hyperbolic tangent.",
    exp Exp "The exponential.",
    log Log "The natural logarithm, of positive arguments.",
    abs Abs "The absolute value.",
    sign Sign "−1, 0 or 1.",
}

/// Compares canonical structure.
///
/// # Panics
/// If the handles belong to different pools.
impl PartialEq for Expr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.ix == self.same_pool(*other)
    }
}
impl Eq for Expr<'_> {}

impl std::hash::Hash for Expr<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.ix.hash(state);
    }
}

/// An operand in a formula: an expression, an integer or a fraction.
#[derive(Clone, Debug)]
pub enum Operand<'p> {
    /// An exact number.
    Number(Rational),
    /// An expression.
    Expr(Expr<'p>),
}

impl<'p> Operand<'p> {
    fn index(&self, b: &mut Builder<'p>, beside: Expr<'p>) -> Ix {
        match self {
            Operand::Number(q) => b.number(q),
            Operand::Expr(e) => beside.same_pool(*e),
        }
    }
}
impl<'p> From<Expr<'p>> for Operand<'p> {
    fn from(e: Expr<'p>) -> Self {
        Operand::Expr(e)
    }
}
macro_rules! operand_from {
    ($($t:ty),*) => {$(
        impl From<$t> for Operand<'_> {
            fn from(n: $t) -> Self {
                Operand::Number(n.into())
            }
        }
    )*};
}
operand_from!(i32, i64, (i64, i64), Rational);

macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident, $b:ident $l:ident $r:ident => $e:expr) => {
        impl<'p, O: Into<Operand<'p>>> $trait<O> for Expr<'p> {
            type Output = Expr<'p>;
            fn $method(self, other: O) -> Expr<'p> {
                let other = other.into();
                self.build(|$b| {
                    let ($l, $r) = (self.ix, other.index($b, self));
                    $e
                })
            }
        }
        operator!(@left $trait $method, i32, $b $l $r => $e);
        operator!(@left $trait $method, Rational, $b $l $r => $e);
        impl<'p, O: Into<Operand<'p>>> $assign<O> for Expr<'p> {
            fn $assign_method(&mut self, other: O) {
                *self = $trait::$method(*self, other);
            }
        }
    };
    (@left $trait:ident $method:ident, $t:ty, $b:ident $l:ident $r:ident => $e:expr) => {
        impl<'p> $trait<Expr<'p>> for $t {
            type Output = Expr<'p>;
            fn $method(self, other: Expr<'p>) -> Expr<'p> {
                let number = Rational::from(self);
                other.build(|$b| {
                    let ($l, $r) = ($b.number(&number), other.ix);
                    $e
                })
            }
        }
    };
}
operator!(Add add AddAssign add_assign, b x y => b.add(x, y));
operator!(Sub sub SubAssign sub_assign, b x y => b.sub(x, y));
operator!(Mul mul MulAssign mul_assign, b x y => b.mul(x, y));
operator!(Div div DivAssign div_assign, b x y => {
    let inverse = b.pow(y, MINUS_ONE);
    b.mul(x, inverse)
});

impl Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.build(|b| b.neg(self.ix))
    }
}

impl Pool {
    /// The symbol of that name: the same handle each time.
    pub fn symbol(&self, name: &str) -> Expr<'_> {
        let ix = self.builder().symbol(name);
        Expr::new(self, ix)
    }

    /// Several symbols at once.
    pub fn symbols<const N: usize>(&self, names: [&str; N]) -> [Expr<'_>; N] {
        names.map(|name| self.symbol(name))
    }

    /// A number: an integer, a fraction, anything exact.
    pub fn number(&self, value: impl Into<Rational>) -> Expr<'_> {
        let ix = self.builder().number(&value.into());
        Expr::new(self, ix)
    }

    /// The number zero.
    pub fn zero(&self) -> Expr<'_> {
        Expr::new(self, ZERO)
    }

    /// The number one.
    pub fn one(&self) -> Expr<'_> {
        Expr::new(self, ONE)
    }

    /// π
    pub fn pi(&self) -> Expr<'_> {
        Expr::new(self, PI)
    }

    /// The sum of any number of expressions, collected in one go.
    pub fn sum<'p>(&'p self, terms: impl IntoIterator<Item = Expr<'p>>) -> Expr<'p> {
        let terms: Vec<Ix> = self.indices(terms);
        let ix = self.builder().sum(terms.into_iter().map(|t| (ONE, t)));
        Expr::new(self, ix)
    }

    /// The product of any number of expressions, collected in one go.
    pub fn product<'p>(&'p self, factors: impl IntoIterator<Item = Expr<'p>>) -> Expr<'p> {
        let factors: Vec<Ix> = self.indices(factors);
        let ix = self.builder().product(factors);
        Expr::new(self, ix)
    }

    /// The indices of handles, all of this pool.
    pub(crate) fn indices<'a>(&self, exprs: impl IntoIterator<Item = Expr<'a>>) -> Vec<Ix> {
        let here = Expr::new(self, ZERO);
        exprs.into_iter().map(|e| here.same_pool(e)).collect()
    }

    /// ∫₀¹ of an expression over a symbol, left as it is: differentiated under the integral sign,
    /// evaluated by quadrature, opaque to `decide`.
    ///
    /// The variable is bound: use a symbol that occurs nowhere else, such as
    /// [`Pool::bound_variable`].
    ///
    /// # Panics
    /// If `variable` is not a symbol.
    pub fn integral<'p>(&'p self, variable: Expr<'p>, integrand: Expr<'p>) -> Expr<'p> {
        assert!(
            variable.is_symbol(),
            "{variable} is not a symbol: one integrates over symbols"
        );
        let (v, e) = (variable.same_pool(variable), variable.same_pool(integrand));
        let ix = self.builder().integral(v, e);
        Expr::new(self, ix)
    }

    /// The symbol that integrals are taken over; its name cannot occur in a model.
    pub fn bound_variable(&self) -> Expr<'_> {
        self.symbol("s#")
    }

    /// An undetermined function: a name that represents *every* smooth function of its arguments.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let f = pool.function("f");
    /// let e = f.at([x * y, y]);
    /// assert_eq!(e.diff(x), y * f.partial(&[1, 0], [x * y, y]));
    /// assert!(e.diff(x).diff(y).decide_equal(e.diff(y).diff(x)).is_proved());
    /// ```
    pub fn function(&self, name: &str) -> UndeterminedFunction<'_> {
        UndeterminedFunction {
            name: self.builder().function_name(name),
            pool: self,
        }
    }

    /// A function of one argument that is given by a table. A name has one table: the first one it is given.
    pub fn table(&self, name: &str, table: Table) -> UndeterminedFunction<'_> {
        let function = self.function(name);
        self.set_table(function.name, table);
        function
    }
}

/// A function of which nothing is known but that it is smooth and real, or one that is given by a [`Table`]: then it has
/// values, and identities that hold for every function hold for it away from its knots.
#[derive(Clone, Copy, Debug)]
pub struct UndeterminedFunction<'p> {
    pool: &'p Pool,
    name: Ix,
}

impl<'p> UndeterminedFunction<'p> {
    pub(crate) fn new(pool: &'p Pool, name: Ix) -> Self {
        Self { pool, name }
    }

    /// f(arguments)
    pub fn at(self, arguments: impl IntoIterator<Item = Expr<'p>>) -> Expr<'p> {
        let arguments = self.pool.indices(arguments);
        let orders = vec![0; arguments.len()];
        let ix = self
            .pool
            .builder()
            .undetermined(self.name, &orders, &arguments);
        Expr::new(self.pool, ix)
    }

    /// The partial derivative of order `orders[k]` in the k-th argument, at `arguments`.
    ///
    /// # Panics
    /// If there are not as many orders as arguments.
    pub fn partial(
        self,
        orders: &[u32],
        arguments: impl IntoIterator<Item = Expr<'p>>,
    ) -> Expr<'p> {
        let arguments = self.pool.indices(arguments);
        assert_eq!(orders.len(), arguments.len(), "one order for each argument");
        let ix = self
            .pool
            .builder()
            .undetermined(self.name, orders, &arguments);
        Expr::new(self.pool, ix)
    }

    /// The name.
    pub fn name(self) -> &'p str {
        self.pool.name(&self.pool.node(self.name))
    }

    pub(crate) fn pool(self) -> &'p Pool {
        self.pool
    }

    /// The table that gives the function, if there is one.
    pub fn table(self) -> Option<std::sync::Arc<Table>> {
        self.pool.table_of(self.name)
    }

    pub(crate) fn name_index(self) -> Ix {
        self.name
    }
}
