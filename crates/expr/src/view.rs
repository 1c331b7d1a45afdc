//! The outermost structure of an expression, for code that traverses it.

use crate::expr::{Expr, UndeterminedFunction};
use crate::function::Function;
use crate::node::{Comparison, Tag};
use crate::number::Rational;

/// The outermost operation of an expression with its operands.
#[derive(Clone, Debug)]
pub enum View<'p> {
    /// An exact number.
    Number(Rational),
    /// π
    Pi,
    /// The value that is defined nowhere.
    Undefined,
    /// A symbol, by name.
    Symbol(&'p str),
    /// Σ coefficient·term; a constant is the term 1.
    Sum(Vec<(Rational, Expr<'p>)>),
    /// Π base^exponent
    Product(Vec<(Expr<'p>, Rational)>),
    /// f(arguments)
    Call(Function, Vec<Expr<'p>>),
    /// if(a ? b, then, otherwise)
    If {
        /// The comparison that is made.
        comparison: Comparison,
        /// The sides of the comparison.
        sides: [Expr<'p>; 2],
        /// The values where it holds and where it does not.
        branches: [Expr<'p>; 2],
    },
    /// A derivative of an undetermined function at some arguments.
    Undetermined {
        /// The function.
        function: UndeterminedFunction<'p>,
        /// The order of the derivative in each argument.
        orders: Vec<u32>,
        /// The arguments.
        arguments: Vec<Expr<'p>>,
    },
    /// ∫₀¹ integrand d(variable)
    Integral {
        /// The bound variable.
        variable: Expr<'p>,
        /// The integrand.
        integrand: Expr<'p>,
    },
}

impl<'p> Expr<'p> {
    /// The outermost structure of the expression.
    ///
    /// ```
    /// use galilei_expr::{Pool, View};
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let View::Sum(terms) = (3 * x * y - 2).view() else { panic!() };
    /// assert_eq!(terms.len(), 2);
    /// ```
    pub fn view(self) -> View<'p> {
        let pool = self.pool();
        let node = pool.node(self.ix());
        let child = |k: usize| Expr::new(pool, pool.word(&node, k).child);
        match node.tag {
            Tag::Small | Tag::Big => View::Number(pool.rational(self.ix())),
            Tag::Pi => View::Pi,
            Tag::Undefined => View::Undefined,
            Tag::Symbol | Tag::FunctionName => View::Symbol(pool.name(&node)),
            Tag::Sum => View::Sum(
                pool.words(&node)
                    .map(|w| (pool.rational(w.attr), Expr::new(pool, w.child)))
                    .collect(),
            ),
            Tag::Product => View::Product(
                pool.words(&node)
                    .map(|w| (Expr::new(pool, w.child), pool.rational(w.attr)))
                    .collect(),
            ),
            Tag::If => View::If {
                comparison: Comparison::from_attr(pool.word(&node, 0).attr),
                sides: [child(0), child(1)],
                branches: [child(2), child(3)],
            },
            Tag::Undetermined => View::Undetermined {
                function: UndeterminedFunction::new(pool, pool.word(&node, 0).child),
                orders: pool.words(&node).skip(1).map(|w| w.attr).collect(),
                arguments: pool
                    .words(&node)
                    .skip(1)
                    .map(|w| Expr::new(pool, w.child))
                    .collect(),
            },
            Tag::Integral => View::Integral {
                variable: child(0),
                integrand: child(1),
            },
            Tag::Call(f) => View::Call(
                f,
                pool.words(&node)
                    .map(|w| Expr::new(pool, w.child))
                    .collect(),
            ),
        }
    }
}
