//! The variables of polynomials: symbols, functions, roots and denominators.

use std::collections::HashMap;

use super::poly::{Monomial, Poly, Steps, times};
use crate::decide::{Assumptions, Query};
use crate::expr::Expr;
use crate::function::Function;
use crate::number::Rational;
use crate::pool::Pool;
use crate::view::View;

/// The structure of an atom.
#[derive(Clone)]
pub(super) enum Kind<'p> {
    /// No structure that identities use.
    Plain,
    /// One of sin, cos, tan, sinh, cosh, tanh of an argument.
    Call(Function, Expr<'p>),
    /// The root of that degree of a polynomial of at least two terms; degree 1 for the polynomial
    /// itself, in a denominator.
    Root(u32, Poly),
}

/// The atoms met so far, and polynomials in them.
pub(super) struct Atoms<'p> {
    pub(super) pool: &'p Pool,
    pub(super) list: Vec<(Expr<'p>, Kind<'p>)>,
    index: HashMap<Expr<'p>, u32>,
    read: HashMap<Expr<'p>, Poly>,
    lengths: HashMap<Expr<'p>, usize>,
    /// A cache of grouped polynomials: variants and splits of a polynomial share most of their parts.
    pub(super) grouped: HashMap<Poly, Expr<'p>>,
    /// Arguments and their shorter forms, each proved equal.
    pub(super) presented: Vec<(Expr<'p>, Expr<'p>)>,
    assumptions: Assumptions<'p>,
    pub(super) steps: Steps,
}

impl<'p> Atoms<'p> {
    pub(super) fn new(pool: &'p Pool, assumptions: &Assumptions<'p>, steps: usize) -> Self {
        Self {
            pool,
            list: Vec::new(),
            index: HashMap::new(),
            read: HashMap::new(),
            lengths: HashMap::new(),
            grouped: HashMap::new(),
            presented: Vec::new(),
            assumptions: assumptions.clone(),
            steps: Steps(steps),
        }
    }

    pub(super) fn atom(&mut self, e: Expr<'p>, kind: Kind<'p>) -> u32 {
        if let Some(&k) = self.index.get(&e) {
            return k;
        }
        let k = self.list.len() as u32;
        self.list.push((e, kind));
        self.index.insert(e, k);
        k
    }

    /// The atom of f(argument), if it was met.
    pub(super) fn find(&self, f: Function, argument: Expr<'p>) -> Option<u32> {
        let e = argument.apply(f, None);
        self.index.get(&e).copied()
    }

    pub(super) fn expr(&self, atom: u32) -> Expr<'p> {
        self.list[atom as usize].0
    }

    /// The length of the printed text.
    pub(super) fn length(&mut self, e: Expr<'p>) -> usize {
        *self.lengths.entry(e).or_insert_with(|| e.width())
    }

    /// The expression as a polynomial, if the budget allows.
    pub(super) fn read(&mut self, e: Expr<'p>) -> Option<Poly> {
        if let Some(p) = self.read.get(&e) {
            return Some(p.clone());
        }
        self.steps.take(1)?;
        let one = |k: u32| Poly::monomial(vec![(k, 1)]);
        let p = match e.view() {
            View::Number(q) => Poly::constant(q),
            View::Pi | View::Symbol(_) => one(self.atom(e, Kind::Plain)),
            View::Undefined => return None,
            View::Sum(terms) => {
                let mut sum = Poly::default();
                for (c, t) in terms {
                    let p = self.read(t)?;
                    self.steps.take(p.len())?;
                    sum.add_scaled(&p, &c, &Monomial::new());
                }
                sum
            }
            View::Product(factors) => {
                let mut product = Poly::constant(Rational::ONE);
                for (b, q) in factors {
                    let p = self.power(b, &q)?;
                    product = product.times(&p, &mut self.steps)?;
                }
                product
            }
            View::Call(f, arguments) => {
                let arguments: Vec<Expr<'p>> =
                    arguments.into_iter().map(|a| self.shorter(a)).collect();
                let e = arguments[0].apply(f, arguments.get(1).copied());
                match e.view() {
                    View::Call(f, arguments) => one(self.call(f, &arguments, e)),
                    _ => self.read(e)?,
                }
            }
            View::If {
                comparison,
                sides,
                branches,
            } => {
                let [a, b] = sides;
                let [c, d] = branches.map(|b| self.shorter(b));
                let e = match comparison {
                    crate::node::Comparison::Less => a.if_less(b, c, d),
                    crate::node::Comparison::LessEqual => a.if_less_equal(b, c, d),
                };
                one(self.atom(e, Kind::Plain))
            }
            View::Undetermined { .. } | View::Integral { .. } => one(self.atom(e, Kind::Plain)),
        };
        self.read.insert(e, p.clone());
        Some(p)
    }

    fn call(&mut self, f: Function, arguments: &[Expr<'p>], e: Expr<'p>) -> u32 {
        let known = matches!(
            f,
            Function::Sin
                | Function::Cos
                | Function::Tan
                | Function::Sinh
                | Function::Cosh
                | Function::Tanh
        );
        let kind = match known {
            true => Kind::Call(f, arguments[0]),
            false => Kind::Plain,
        };
        self.atom(e, kind)
    }

    fn power(&mut self, base: Expr<'p>, q: &Rational) -> Option<Poly> {
        let (n, d) = q.small()?;
        let (n, d) = (i32::try_from(n).ok()?, u32::try_from(d).ok()?);
        let inner = self.read(base)?;
        if d == 1 && n >= 0 {
            return inner.power(n as u32, &mut self.steps);
        }
        if inner.len() == 1 {
            let (m, c) = inner.0.first_key_value()?;
            if d == 1 {
                let c = c.recip()?.powi(i64::from(-n), 4096)?;
                let m: Monomial = m.iter().map(|&(a, e)| (a, e * n)).collect();
                return Some(Poly::monomial(m).scaled(&c, &Monomial::new()));
            }
            let root = self.shorter(base).pow(Rational::new(1, i64::from(d)));
            let atom = self.atom(root, Kind::Plain);
            return Some(Poly::monomial(vec![(atom, n)]));
        }
        if d == 1 {
            // (2a + 2b)^−1 and (−a − b)^−1 are the same atom.
            let inner = self.circular(&inner)?;
            if inner.len() == 0 {
                return None;
            }
            let content = inner.content(true);
            let c = inner.number_content();
            let inverse: Monomial = content.iter().map(|&(a, e)| (a, -e)).collect();
            let c = c.recip()?;
            let primitive = inner.scaled(&c, &inverse);
            let outside: Monomial = content.iter().map(|&(a, e)| (a, e * n)).collect();
            let scale = c.powi(i64::from(-n), 4096)?;
            if primitive.len() == 1 {
                return Some(Poly::monomial(outside).scaled(&scale, &Monomial::new()));
            }
            let drawn = self.shortest(&primitive);
            let atom = self.atom(drawn, Kind::Root(1, primitive));
            let m = times(&outside, &[(atom, n)]);
            return Some(Poly::monomial(m).scaled(&scale, &Monomial::new()));
        }
        let shorter = self.shorter(base);
        let root = shorter.pow(Rational::new(1, i64::from(d)));
        let kind = match root.view() {
            View::Product(factors) if factors.len() == 1 => Kind::Root(d, inner),
            _ => Kind::Plain,
        };
        let atom = self.atom(root, kind);
        Some(Poly::monomial(vec![(atom, n)]))
    }

    /// A shorter form of the argument of a function or a root, proved equal by itself: equal
    /// arguments give equal values, whatever can be said about the function.
    fn shorter(&mut self, e: Expr<'p>) -> Expr<'p> {
        if e.is_symbol() || e.as_rational().is_some() {
            return e;
        }
        if let Some(&(_, s)) = self.presented.iter().find(|p| p.0 == e) {
            return s;
        }
        let mut best = e;
        if let Some(p) = self.read(e) {
            let other = self.shortest(&p);
            let query = Query::equal(e, other).assuming(&self.assumptions);
            if self.length(other) < self.length(e) && query.decide().is_proved() {
                best = other;
            }
        }
        self.presented.push((e, best));
        best
    }

    /// The shortest form found of a polynomial, without fractions.
    pub(super) fn shortest(&mut self, p: &Poly) -> Expr<'p> {
        let mut best: Option<(usize, Expr<'p>)> = None;
        for q in self.variants(p) {
            let e = self.group(&q, &[], false);
            let n = self.length(e);
            if best.is_none_or(|(least, _)| n < least) {
                best = Some((n, e));
            }
        }
        best.map_or(self.pool.zero(), |b| b.1)
    }
}
