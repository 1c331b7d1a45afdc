//! Formulas as they are written, before a constructor has seen them: what random tests and fuzz
//! targets draw, rewrite and build.
#![allow(dead_code)]

use std::fmt;

use galilei_expr::{Comparison, Expr, Function, Pool, Rational};

/// The symbols a tree may use, by number.
pub(crate) const SYMBOLS: [&str; 4] = ["x", "y", "z", "t"];

/// The undetermined functions a tree may use, by number: f of one argument, g of two.
pub(crate) const FUNCTIONS: [&str; 2] = ["f", "g"];

/// A formula as a tree.
#[derive(Clone, PartialEq)]
pub(crate) enum Tree {
    /// Numerator and denominator.
    Number(i64, i64),
    Pi,
    Symbol(usize),
    Sum(Vec<Tree>),
    Product(Vec<Tree>),
    /// Base, and numerator and denominator of the exponent.
    Power(Box<Tree>, i64, i64),
    /// A function of its one or two arguments.
    Call(Function, Vec<Tree>),
    /// a ? b, then, otherwise.
    If(Comparison, Box<[Tree; 4]>),
    /// A derivative of an undetermined function: its number, the orders, the arguments.
    Undetermined(usize, Vec<u32>, Vec<Tree>),
}
use Tree::{Call, If, Number, Pi, Power, Product, Sum, Symbol, Undetermined};

/// Short names for the rules that rewrite trees.
impl Tree {
    pub(crate) fn int(n: i64) -> Self {
        Number(n, 1)
    }
    pub(crate) fn call(f: Function, a: Self) -> Self {
        Call(f, vec![a])
    }
    pub(crate) fn call2(f: Function, a: Self, b: Self) -> Self {
        Call(f, vec![a, b])
    }
    pub(crate) fn plus(self, other: Self) -> Self {
        Sum(vec![self, other])
    }
    pub(crate) fn minus(self, other: Self) -> Self {
        Sum(vec![self, other.negative()])
    }
    pub(crate) fn negative(self) -> Self {
        Product(vec![Number(-1, 1), self])
    }
    pub(crate) fn times(self, other: Self) -> Self {
        Product(vec![self, other])
    }
    pub(crate) fn over(self, other: Self) -> Self {
        Product(vec![self, other.pow(-1, 1)])
    }
    pub(crate) fn pow(self, n: i64, d: i64) -> Self {
        Power(Box::new(self), n, d)
    }
    pub(crate) fn root(self) -> Self {
        self.pow(1, 2)
    }
    pub(crate) fn scaled(self, n: i64, d: i64) -> Self {
        Product(vec![Number(n, d), self])
    }
    pub(crate) fn condition(c: Comparison, a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        If(c, Box::new([a, b, then, otherwise]))
    }
}

impl Tree {
    /// The expression, by the operators and from left to right.
    pub(crate) fn build<'p>(&self, pool: &'p Pool) -> Expr<'p> {
        self.build_in(pool, false)
    }

    /// The expression built with operands from right to left, which creates nodes in another order.
    pub(crate) fn build_backwards<'p>(&self, pool: &'p Pool) -> Expr<'p> {
        self.build_in(pool, true)
    }

    fn build_in<'p>(&self, pool: &'p Pool, backwards: bool) -> Expr<'p> {
        let all = |parts: &[Tree]| -> Vec<Expr<'p>> {
            let mut list: Vec<Expr<'p>> = if backwards {
                parts.iter().rev().map(|p| p.build_in(pool, true)).collect()
            } else {
                parts.iter().map(|p| p.build_in(pool, false)).collect()
            };
            if backwards {
                list.reverse();
            }
            list
        };
        match self {
            Number(n, d) => pool.number(Rational::new(*n, *d)),
            Pi => pool.pi(),
            Symbol(k) => pool.symbol(SYMBOLS[*k]),
            Sum(terms) => all(terms)
                .into_iter()
                .reduce(|a, b| a + b)
                .unwrap_or(pool.zero()),
            Product(factors) => all(factors)
                .into_iter()
                .reduce(|a, b| a * b)
                .unwrap_or(pool.one()),
            Power(base, n, d) => base.build_in(pool, backwards).pow(Rational::new(*n, *d)),
            Call(f, arguments) => {
                let a = all(arguments);
                a[0].apply(*f, a.get(1).copied())
            }
            If(comparison, parts) => {
                let p = all(parts.as_slice());
                match comparison {
                    Comparison::Less => p[0].if_less(p[1], p[2], p[3]),
                    Comparison::LessEqual => p[0].if_less_equal(p[1], p[2], p[3]),
                }
            }
            Undetermined(name, orders, arguments) => pool
                .function(FUNCTIONS[*name])
                .partial(orders, all(arguments)),
        }
    }

    /// Every part as it was written; those in the branches of conditions only if asked for, since
    /// a branch that is not taken need not be defined.
    pub(crate) fn parts<'p>(&self, pool: &'p Pool, branches: bool) -> Vec<Expr<'p>> {
        let mut list = Vec::new();
        let mut pending = vec![self];
        while let Some(tree) = pending.pop() {
            if !matches!(tree, Number(..) | Pi | Symbol(_)) {
                list.push(tree.build(pool));
            }
            match tree {
                If(_, parts) if !branches => pending.extend(&parts[..2]),
                _ => pending.extend(tree.children()),
            }
        }
        list
    }

    pub(crate) fn children(&self) -> &[Tree] {
        match self {
            Number(..) | Pi | Symbol(_) => &[],
            Sum(list) | Product(list) | Call(_, list) | Undetermined(_, _, list) => list,
            Power(base, ..) => std::slice::from_ref(base),
            If(_, parts) => parts.as_slice(),
        }
    }

    pub(crate) fn children_mut(&mut self) -> &mut [Tree] {
        match self {
            Number(..) | Pi | Symbol(_) => &mut [],
            Sum(list) | Product(list) | Call(_, list) | Undetermined(_, _, list) => list,
            Power(base, ..) => std::slice::from_mut(base),
            If(_, parts) => parts.as_mut_slice(),
        }
    }

    /// The number of nodes of the tree.
    pub(crate) fn size(&self) -> usize {
        1 + self.children().iter().map(Tree::size).sum::<usize>()
    }

    /// The number of leaves of the tree: at least as many as its sum has terms.
    pub(crate) fn leaves(&self) -> usize {
        let inner: usize = self.children().iter().map(Tree::leaves).sum();
        inner.max(1)
    }

    /// Node number `k` in the order of writing.
    pub(crate) fn node_mut(&mut self, mut k: usize) -> Option<&mut Tree> {
        if k == 0 {
            return Some(self);
        }
        k -= 1;
        for child in self.children_mut() {
            let size = child.size();
            if k < size {
                return child.node_mut(k);
            }
            k -= size;
        }
        None
    }

    pub(crate) fn any(&self, test: &dyn Fn(&Tree) -> bool) -> bool {
        test(self) || self.children().iter().any(|c| c.any(test))
    }
}

/// The model language, each operation in parentheses.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Tree], between: &str| {
            for (k, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if k == 0 { "" } else { between })?;
            }
            Ok(())
        };
        match self {
            Number(n, 1) if *n >= 0 => write!(f, "{n}"),
            Number(n, 1) => write!(f, "({n})"),
            Number(n, d) => write!(f, "({n}/{d})"),
            Pi => f.write_str("pi"),
            Symbol(k) => f.write_str(SYMBOLS[*k]),
            Sum(terms) => {
                f.write_str("(")?;
                list(f, terms, " + ")?;
                f.write_str(")")
            }
            Product(factors) => {
                f.write_str("(")?;
                list(f, factors, "*")?;
                f.write_str(")")
            }
            Power(base, n, d) => write!(f, "({base})^({n}/{d})"),
            Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
            If(comparison, p) => {
                let sign = match comparison {
                    Comparison::Less => "<",
                    Comparison::LessEqual => "<=",
                };
                write!(f, "if({} {sign} {}, {}, {})", p[0], p[1], p[2], p[3])
            }
            Undetermined(name, orders, arguments) => {
                f.write_str(FUNCTIONS[*name])?;
                let places: Vec<String> = (1..)
                    .zip(orders)
                    .flat_map(|(k, &n)| (0..n).map(move |_| k.to_string()))
                    .collect();
                if !places.is_empty() {
                    write!(f, "[{}]", places.join(","))?;
                }
                f.write_str("(")?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
