//! The outermost structure of an expression, for code that traverses it.

use std::collections::HashSet;

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

impl<'p> View<'p> {
    /// The expressions one level down, in the order of the structure; exact numbers in sums and products are none.
    pub fn operands(self) -> Vec<Expr<'p>> {
        match self {
            Self::Number(_) | Self::Pi | Self::Undefined | Self::Symbol(_) => vec![],
            Self::Sum(terms) => terms.into_iter().map(|t| t.1).collect(),
            Self::Product(factors) => factors.into_iter().map(|f| f.0).collect(),
            Self::Call(_, arguments) | Self::Undetermined { arguments, .. } => arguments,
            Self::If {
                sides, branches, ..
            } => sides.into_iter().chain(branches).collect(),
            Self::Integral { integrand, .. } => vec![integrand],
        }
    }
}

/// All expressions that some expressions are made of, themselves included, each once. Their order follows the
/// structure and so is the same in every pool.
///
/// ```
/// use galilei_expr::{Pool, subexpressions};
/// let pool = Pool::new();
/// let x = pool.symbol("x");
/// let all = subexpressions([x.sin() + x.sin().exp()]);
/// assert_eq!(all.len(), 4); // the sum, sin(x), exp(sin(x)), x
/// ```
pub fn subexpressions<'p>(roots: impl IntoIterator<Item = Expr<'p>>) -> Vec<Expr<'p>> {
    let mut seen = HashSet::new();
    let mut all: Vec<Expr<'p>> = Vec::new();
    all.extend(roots.into_iter().filter(|e| seen.insert(e.id())));
    let mut next = 0;
    while let Some(e) = all.get(next).copied() {
        next += 1;
        let operands = e.view().operands();
        all.extend(operands.into_iter().filter(|e| seen.insert(e.id())));
    }
    all
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
