//! From an expression to its layout: the order of terms and factors, fractions, roots, signs.

use std::cmp::Ordering;

use super::share::MAX_TEXT_LENGTH;
use super::{Differential, Layout, Sign};
use crate::expr::{Expr, UndeterminedFunction};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::print::decimal;
use crate::view::View;

/// The position of a symbol among others in printed formulas.
///
/// Factors are written by rising rank, terms by falling degree in the highest rank: with
/// parameters of rank 0, coordinates 1, velocities 2 and accelerations 3 an equation of motion
/// begins with its accelerations. Within a rank the position decides, then the alphabet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The class of the symbol; ranks above 7 count as 7.
    pub rank: u8,
    /// The place within the class, such as that of the declaration.
    pub position: u32,
}

/// How symbols are drawn and ordered, which the caller knows and an expression does not.
///
/// ```
/// use galilei_expr::{Layout, Place, Pool, Style};
///
/// /// Parameters in the order m, l, g; then the angle and its derivatives.
/// struct Pendulum;
/// impl Style for Pendulum {
///     fn place(&self, name: &str) -> Place {
///         let parameter = ["m", "l", "g"].iter().position(|p| *p == name);
///         match parameter {
///             Some(k) => Place { rank: 0, position: k as u32 },
///             None => Place { rank: 1 + name.matches('\'').count() as u8, position: 0 },
///         }
///     }
/// }
///
/// let pool = Pool::new();
/// let [m, l, g, x, a] = pool.symbols(["m", "l", "g", "theta", "theta''"]);
/// let equation = m * g * l * x.sin() + m * l.pow(2) * a;
/// assert_eq!(equation.layout(&Pendulum).to_text(), "m l² θ̈ + m l g sin θ");
/// ```
pub trait Style {
    /// How a symbol is drawn.
    fn name(&self, name: &str) -> Layout {
        Layout::name(name)
    }

    /// How the name of an undetermined function is drawn.
    fn function(&self, name: &str) -> Layout {
        Layout::name(name)
    }

    /// The position of a symbol; by default its rank is the number of its primes.
    fn place(&self, name: &str) -> Place {
        Place {
            rank: name.chars().rev().take_while(|&c| c == '\'').count() as u8,
            position: 0,
        }
    }
}

/// Names drawn by [`Layout::name`], primes as ranks, everything else by the alphabet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Style for Plain {}

impl<'p> Expr<'p> {
    /// The expression as it is drawn. A large expression has abbreviations, as
    /// [`Layout::Where`]; [`Pool::share`](crate::Pool::share) returns them separately.
    pub fn layout(self, style: &dyn Style) -> Layout {
        let own = self.pool().legendre_written(self);
        let shared = self.pool().share(&[own], MAX_TEXT_LENGTH as usize);
        let composer = Composer {
            style,
            alphabetical: true,
        };
        let body = composer.expr(shared.exprs[0]).layout;
        if shared.definitions.is_empty() {
            return body;
        }
        let draw = |e: Expr<'p>| composer.expr(e).layout;
        let definitions = shared
            .definitions
            .iter()
            .map(|&(name, part)| (draw(name), draw(part)))
            .collect();
        Layout::Where(Box::new(body), definitions)
    }

    /// The width of the text of the expression in columns. Similar parts are not sorted alphabetically, which
    /// does not change the width.
    pub(crate) fn width(self) -> usize {
        let shared = self.pool().share(&[self], MAX_TEXT_LENGTH as usize);
        let composer = Composer {
            style: &Plain,
            alphabetical: false,
        };
        let draw = |e: Expr<'p>| composer.expr(e).layout;
        let definitions = shared.definitions.iter();
        let named: Vec<_> = definitions
            .map(|&(name, part)| (draw(name), draw(part)))
            .collect();
        let body = draw(shared.exprs[0]);
        match named.is_empty() {
            true => body.text_width(),
            false => Layout::Where(Box::new(body), named).text_width(),
        }
    }
}

/// The number of ranks that are distinguished.
const RANKS: usize = 8;

/// A laid-out part with the properties that decide its position.
struct Piece {
    layout: Layout,
    /// The degree in the symbols of each rank, outside of functions.
    degrees: [f64; RANKS],
    /// The places of the first symbols, in reading order.
    places: Vec<Place>,
    /// The highest rank of a symbol, functions included.
    rank: u8,
    /// Whether there is no symbol outside of functions.
    constant: bool,
    /// How many functions there are among the factors.
    functions: usize,
}

impl Piece {
    fn new(layout: Layout) -> Self {
        Self {
            layout,
            degrees: [0.0; RANKS],
            places: Vec::new(),
            rank: 0,
            constant: true,
            functions: 0,
        }
    }

    fn see(&mut self, other: &Piece) {
        self.rank = self.rank.max(other.rank);
        let room = 6usize.saturating_sub(self.places.len());
        self.places.extend(other.places.iter().take(room));
    }
}

/// A factor of a product in reading order.
struct Factor {
    /// Numbers, then symbols and sums by rank, then functions.
    class: u8,
    kind: u8,
    piece: Piece,
    text: Natural,
}

impl Factor {
    fn compare(&self, other: &Self) -> Ordering {
        (self.class, self.kind)
            .cmp(&(other.class, other.kind))
            .then_with(|| self.piece.places.cmp(&other.piece.places))
            .then_with(|| self.text.cmp(&other.text))
    }
}

struct Composer<'a> {
    style: &'a dyn Style,
    /// Whether the alphabet decides the order of like parts.
    alphabetical: bool,
}

impl Composer<'_> {
    fn expr(&self, e: Expr<'_>) -> Piece {
        match e.view() {
            View::Number(q) => self.signed(q.is_negative(), Piece::new(number(&q.abs()))),
            View::Pi => Piece::new(Layout::Name("π".into())),
            View::Undefined => Piece::new(Layout::Word("undefined".into())),
            View::Symbol(name) => self.symbol(name),
            View::Sum(terms) => self.sum(&terms),
            View::Product(factors) => self.product(&Rational::ONE, &factors),
            View::Call(f, arguments) => self.call(f, &arguments, None),
            View::If {
                comparison,
                sides,
                branches,
            } => self.cases(comparison, sides, branches),
            View::Undetermined {
                function,
                orders,
                arguments,
            } => self.undetermined(function, &orders, &arguments),
            View::Integral {
                variable,
                integrand,
            } => {
                let (v, e) = (self.expr(variable), self.expr(integrand));
                let mut piece = Piece::new(Layout::Integral(Box::new([
                    Layout::Number("0".into()),
                    Layout::Number("1".into()),
                    e.layout.clone(),
                    v.layout,
                ])));
                piece.see(&e);
                piece
            }
        }
    }

    fn signed(&self, negative: bool, mut piece: Piece) -> Piece {
        if negative {
            piece.layout = piece.layout.negated();
        }
        piece
    }

    fn symbol(&self, name: &str) -> Piece {
        let place = self.style.place(name);
        let mut piece = Piece::new(self.style.name(name));
        let rank = usize::from(place.rank).min(RANKS - 1);
        piece.degrees[rank] = 1.0;
        piece.rank = place.rank;
        piece.places.push(place);
        piece.constant = false;
        piece
    }

    /// Terms by falling degree in the highest rank, a positive one first.
    fn sum(&self, terms: &[(Rational, Expr<'_>)]) -> Piece {
        let content = content(terms);
        if !content.is_one() {
            let inner = self.bare_sum(terms, &content);
            let degrees = (inner.degrees, inner.constant);
            let factor = self.factor(inner, 1);
            let mut piece = self.fraction(&content, vec![factor], vec![]);
            (piece.degrees, piece.constant) = degrees;
            return piece;
        }
        self.bare_sum(terms, &content)
    }

    fn bare_sum(&self, terms: &[(Rational, Expr<'_>)], content: &Rational) -> Piece {
        if let [(c, t)] = terms
            && c.is_negative()
            && let Some(factors) = negated_factors(*t)
        {
            return self.product(&c.abs(), &factors);
        }
        let scale = content.recip().unwrap_or(Rational::ONE);
        let mut list: Vec<(bool, Piece, Option<Natural>)> = terms
            .iter()
            .map(|(c, t)| {
                let c = c * &scale;
                let piece = self.term(&c.abs(), *t);
                let body = match t.is_one() {
                    true => None,
                    false if self.alphabetical => Some(natural(&body(&piece.layout))),
                    false => Some(Vec::new()),
                };
                (c.is_negative(), piece, body)
            })
            .collect();
        list.sort_by(|a, b| {
            let high = |p: &Piece| p.degrees.into_iter().rev();
            let number = |t: &(bool, Piece, Option<Natural>)| t.2.is_none();
            number(a)
                .cmp(&number(b))
                .then_with(|| {
                    let (x, y) = (high(&a.1), high(&b.1));
                    y.partial_cmp(x).unwrap_or(Ordering::Equal)
                })
                .then_with(|| a.1.functions.cmp(&b.1.functions))
                .then_with(|| a.1.places.cmp(&b.1.places))
                .then_with(|| a.2.cmp(&b.2))
        });
        // 1 − cos θ, but x² − 1.
        if list.iter().all(|t| t.1.constant) && list.last().is_some_and(|t| t.2.is_none() && !t.0) {
            list.rotate_right(1);
        }
        if let Some(k) = list.iter().position(|t| !t.0) {
            list[..=k].rotate_right(1);
        }
        let mut piece = Piece::new(Layout::Sum(Vec::new()));
        for (_, p, _) in &list {
            piece.see(p);
            piece.constant &= p.constant;
            for (d, e) in piece.degrees.iter_mut().zip(p.degrees) {
                *d = d.max(e);
            }
        }
        let mut drawn: Vec<(bool, Layout)> = list
            .into_iter()
            .map(|(negative, p, _)| (negative, p.layout))
            .collect();
        piece.layout = match drawn.as_slice() {
            [(false, _)] => drawn.remove(0).1,
            _ => Layout::Sum(drawn),
        };
        piece
    }

    /// c·t for a positive number c.
    fn term(&self, c: &Rational, t: Expr<'_>) -> Piece {
        match t.view() {
            _ if t.is_one() => Piece::new(number(c)),
            View::Product(factors) => self.product(c, &factors),
            _ if c.is_one() => self.expr(t),
            _ => self.product(c, &[(t, Rational::ONE)]),
        }
    }

    /// c·Π bᵢ^qᵢ as a fraction: negative exponents below the bar.
    fn product(&self, c: &Rational, factors: &[(Expr<'_>, Rational)]) -> Piece {
        let mut c = c.clone();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut negative = false;
        for (base, q) in factors {
            let view = base.view();
            let kind = match &view {
                View::Number(_) | View::Pi => 0,
                View::Symbol(_) => 1,
                View::Sum(_) => 2,
                View::Product(_) => 2,
                View::Undetermined { .. } => 3,
                View::Call(f, _) => 4 + *f as u8,
                _ => 3,
            };
            // (2a + 2b)·c is 2·c·(a + b).
            let piece = match (&view, q.to_i64()) {
                (View::Sum(terms), Some(n)) => {
                    let inner = content(terms);
                    match inner.powi(n, 256).map(|p| &c * &p) {
                        Some(scaled) if !inner.is_one() => {
                            c = scaled;
                            let sum = self.bare_sum(terms, &inner);
                            self.power(sum, &q.abs())
                        }
                        _ => {
                            let sum = self.sum(terms);
                            self.power(sum, &q.abs())
                        }
                    }
                }
                (View::Call(f, arguments), Some(n)) if n.unsigned_abs() > 1 => {
                    self.call(*f, arguments, Some(&q.abs()))
                }
                _ => {
                    let inner = self.expr(*base);
                    self.power(inner, &q.abs())
                }
            };
            if q.is_negative() {
                below.push(self.factor(piece, kind));
            } else {
                above.push(self.factor(piece, kind));
            }
        }
        if c.is_negative() {
            negative = !negative;
            c = c.abs();
        }
        let piece = self.fraction(&c, above, below);
        self.signed(negative, piece)
    }

    fn factor(&self, piece: Piece, kind: u8) -> Factor {
        let class = match kind {
            0 => 0,
            1 | 2 => 1 + piece.rank,
            _ => u8::MAX,
        };
        let text = match self.alphabetical {
            true => natural(&piece.layout.to_text()),
            false => Vec::new(),
        };
        Factor {
            class,
            kind,
            piece,
            text,
        }
    }

    /// c·above/below for a positive number c.
    fn fraction(&self, c: &Rational, mut above: Vec<Factor>, mut below: Vec<Factor>) -> Piece {
        above.sort_by(Factor::compare);
        below.sort_by(Factor::compare);
        let mut piece = Piece::new(Layout::Number(String::new()));
        for (list, sign) in [(&above, 1.0), (&below, -1.0)] {
            for f in list {
                piece.see(&f.piece);
                piece.constant &= f.piece.constant;
                piece.functions += usize::from(f.kind > 2);
                for (d, e) in piece.degrees.iter_mut().zip(f.piece.degrees) {
                    *d += sign * e;
                }
            }
        }
        let lone = below.is_empty();
        let mut top: Vec<Layout> = Vec::new();
        let mut bottom: Vec<Layout> = Vec::new();
        if decimal(c).is_some() || (lone && super::text::vulgar_rational(c) && !above.is_empty()) {
            top.push(number(c));
        } else {
            if !c.numerator().is_one() {
                top.push(Layout::Number(c.numerator().to_string()));
            }
            if !c.is_integer() {
                bottom.push(Layout::Number(c.denominator().to_string()));
            }
        }
        for (list, out) in [(above, &mut top), (below, &mut bottom)] {
            for f in list {
                match f.piece.layout {
                    Layout::Product(inner) => out.extend(inner),
                    other => out.push(other),
                }
            }
        }
        let one = || Layout::Number("1".into());
        let join = |mut list: Vec<Layout>| match list.len() {
            0 => one(),
            1 => list.remove(0),
            _ => Layout::Product(list),
        };
        piece.layout = match bottom.is_empty() {
            true => join(top),
            false => join(top).over(join(bottom)),
        };
        piece
    }

    /// b^q for q > 0.
    fn power(&self, mut base: Piece, q: &Rational) -> Piece {
        if q.is_one() {
            return base;
        }
        for d in &mut base.degrees {
            *d *= q.to_f64();
        }
        base.layout = match q.small() {
            Some((1, n @ 2..=9)) => Layout::Root(n as u32, Box::new(base.layout)),
            _ => base.layout.power(exponent(q)),
        };
        base
    }

    fn call(&self, f: Function, arguments: &[Expr<'_>], power: Option<&Rational>) -> Piece {
        if f == Function::Exp && power.is_none() {
            return self.exponential(arguments[0]);
        }
        let pieces: Vec<Piece> = arguments.iter().map(|&a| self.expr(a)).collect();
        let layouts: Vec<Layout> = pieces.iter().map(|p| p.layout.clone()).collect();
        let name = Layout::Word(function_name(f).into());
        let layout = match (f, power) {
            (Function::Abs, None) => Layout::Abs(Box::new(layouts[0].clone())),
            (Function::Abs, Some(q)) => {
                Layout::Abs(Box::new(layouts[0].clone())).power(exponent(q))
            }
            (_, None) => Layout::Apply(Box::new(name), layouts),
            (_, Some(q)) if f.arity() == 1 => {
                Layout::Apply(Box::new(name.power(exponent(q))), layouts)
            }
            (_, Some(q)) => Layout::Apply(Box::new(name), layouts).power(exponent(q)),
        };
        let mut piece = Piece::new(layout);
        for p in &pieces {
            piece.see(p);
        }
        piece
    }

    /// e^x, and b^y where it is written as exp(y·log b).
    fn exponential(&self, argument: Expr<'_>) -> Piece {
        let (c, factors) = match argument.view() {
            View::Sum(terms) if terms.len() == 1 => match terms[0].1.view() {
                View::Product(factors) => (terms[0].0.clone(), factors),
                _ => (terms[0].0.clone(), vec![(terms[0].1, Rational::ONE)]),
            },
            View::Product(factors) => (Rational::ONE, factors),
            _ => (Rational::ONE, vec![]),
        };
        let log = factors
            .iter()
            .position(|(b, q)| q.is_one() && matches!(b.view(), View::Call(Function::Log, _)));
        let mut piece;
        match log.map(|k| (k, factors[k].0.view())) {
            Some((k, View::Call(_, inner))) => {
                let mut rest = factors;
                rest.remove(k);
                let exponent = self.product(&c.abs(), &rest);
                let mut exponent = self.signed(c.is_negative(), exponent);
                exponent.layout = slashed(exponent.layout);
                let base = self.expr(inner[0]);
                piece = Piece::new(base.layout.clone().power(exponent.layout.clone()));
                piece.see(&base);
                piece.see(&exponent);
            }
            _ => {
                let inner = self.expr(argument);
                let exponent = slashed(inner.layout.clone());
                piece = Piece::new(Layout::Word("e".into()).power(exponent));
                piece.see(&inner);
            }
        }
        piece
    }

    fn cases(&self, c: Comparison, sides: [Expr<'_>; 2], branches: [Expr<'_>; 2]) -> Piece {
        let [a, b] = sides.map(|e| self.expr(e));
        let [then, otherwise] = branches.map(|e| self.expr(e));
        let sign = match c {
            Comparison::Less => Sign::Less,
            Comparison::LessEqual => Sign::LessEqual,
        };
        let condition = a.layout.clone().related(sign, b.layout.clone());
        let mut piece = Piece::new(Layout::Cases(vec![
            (then.layout.clone(), Some(condition)),
            (otherwise.layout.clone(), None),
        ]));
        for p in [a, b, then, otherwise] {
            piece.see(&p);
        }
        piece
    }

    fn undetermined(
        &self,
        function: UndeterminedFunction<'_>,
        orders: &[u32],
        arguments: &[Expr<'_>],
    ) -> Piece {
        let pieces: Vec<Piece> = arguments.iter().map(|&a| self.expr(a)).collect();
        let layouts: Vec<Layout> = pieces.iter().map(|p| p.layout.clone()).collect();
        let name = self.style.function(crate::legendre::shown(function.name()));
        let total: u32 = orders.iter().sum();
        let distinct = arguments
            .iter()
            .enumerate()
            .all(|(k, a)| a.is_symbol() && !arguments[..k].contains(a));
        let layout = if total == 0 {
            Layout::Apply(Box::new(name), layouts)
        } else if let [n] = orders {
            let head = match n {
                1..=3 => Layout::Primes(Box::new(name), *n as usize),
                n => name.power(Layout::Tuple(vec![Layout::Number(n.to_string())])),
            };
            Layout::Apply(Box::new(head), layouts)
        } else if distinct {
            let by = layouts.into_iter().zip(orders).filter(|(_, n)| **n > 0);
            Layout::Derivative(
                Differential::Partial,
                Box::new(name),
                by.map(|(x, n)| (x, *n as usize)).collect(),
            )
        } else {
            let places = orders
                .iter()
                .enumerate()
                .flat_map(|(k, &n)| (0..n).map(move |_| Layout::Number((k + 1).to_string())));
            let index = Layout::Row(places.collect());
            let d = Layout::Word("∂".into()).indexed(index);
            Layout::Apply(Box::new(Layout::Row(vec![d, name])), layouts)
        };
        let mut piece = Piece::new(layout);
        for p in &pieces {
            piece.see(p);
        }
        piece
    }
}

/// The factors of −t with the sign inside a sum that has both signs: b − a for −(a − b).
fn negated_factors(t: Expr<'_>) -> Option<Vec<(Expr<'_>, Rational)>> {
    let View::Product(mut factors) = t.view() else {
        return None;
    };
    let mixed = |(base, q): &(Expr<'_>, Rational)| {
        let View::Sum(terms) = base.view() else {
            return false;
        };
        let negative = terms.iter().filter(|(c, _)| c.is_negative()).count();
        q.is_integer() && !q.has_even_numerator() && negative > 0 && negative < terms.len()
    };
    let k = factors.iter().position(mixed)?;
    factors[k].0 = -factors[k].0;
    Some(factors)
}

/// The text of a term without its coefficient, for the alphabetical order.
fn body(term: &Layout) -> String {
    let number = |l: &Layout| match l {
        Layout::Number(_) => true,
        Layout::Fraction(a, b) => matches!((&**a, &**b), (Layout::Number(_), Layout::Number(_))),
        _ => false,
    };
    match term {
        Layout::Product(factors) if number(&factors[0]) => {
            let rest: Vec<String> = factors[1..].iter().map(Layout::to_text).collect();
            rest.join(" ")
        }
        Layout::Fraction(above, below) => format!("{}/{}", body(above), body(below)),
        other => other.to_text(),
    }
}

/// x/2 instead of ½ x, for exponents.
fn slashed(layout: Layout) -> Layout {
    match layout {
        Layout::Sum(terms) => Layout::Sum(
            terms
                .into_iter()
                .map(|(negative, t)| (negative, slashed(t)))
                .collect(),
        ),
        Layout::Product(mut factors) if matches!(factors[0], Layout::Fraction(..)) => {
            let Layout::Fraction(above, below) = factors.remove(0) else {
                return Layout::Product(factors);
            };
            if *above != Layout::Number("1".into()) {
                factors.insert(0, *above);
            }
            let top = match factors.len() {
                1 => factors.remove(0),
                _ => Layout::Product(factors),
            };
            Layout::Fraction(Box::new(top), below)
        }
        other => other,
    }
}

fn exponent(q: &Rational) -> Layout {
    match q.is_integer() {
        true => Layout::Number(q.to_string()),
        false => Layout::Number(q.numerator().to_string())
            .over(Layout::Number(q.denominator().to_string())),
    }
}

/// The common factor of the coefficients of a sum that is better written before it.
fn content(terms: &[(Rational, Expr<'_>)]) -> Rational {
    if terms.len() < 2 || terms.iter().any(|(c, _)| decimal(&c.abs()).is_some()) {
        return Rational::ONE;
    }
    let first = terms[0].0.abs();
    if terms.iter().all(|(c, _)| c.abs() == first) {
        return first;
    }
    let below = first.denominator();
    match terms.iter().all(|(c, _)| c.denominator() == below) {
        true => Rational::from_big_parts(1.into(), below.into()).unwrap_or(Rational::ONE),
        false => Rational::ONE,
    }
}

/// A number without sign: digits, a decimal where it is one, a fraction.
fn number(q: &Rational) -> Layout {
    if let Some(d) = decimal(q) {
        return Layout::Number(d);
    }
    let top = Layout::Number(q.numerator().to_string());
    match q.is_integer() {
        true => top,
        false => top.over(Layout::Number(q.denominator().to_string())),
    }
}

fn function_name(f: Function) -> &'static str {
    match f {
        Function::Asin => "arcsin",
        Function::Acos => "arccos",
        Function::Atan => "arctan",
        Function::Log => "ln",
        Function::Sign => "sgn",
        f => f.name(),
    }
}

/// A key of the natural order: letters as they are, digits together as a number.
type Natural = Vec<(bool, u64, char)>;

/// A key under which `x10` comes after `x2`.
fn natural(text: &str) -> Natural {
    let mut key = Vec::new();
    let mut digits: Option<u64> = None;
    for c in text.chars() {
        let subscript = ('₀'..='₉').contains(&c).then(|| c as u32 - '₀' as u32);
        if let Some(d) = c.to_digit(10).or(subscript) {
            let before = digits.unwrap_or(0).saturating_mul(10);
            digits = Some(before.saturating_add(d.into()));
            continue;
        }
        if let Some(n) = digits.take() {
            key.push((false, n, '0'));
        }
        key.push((true, 0, c));
    }
    if let Some(n) = digits {
        key.push((false, n, '0'));
    }
    key
}
