//! Expressions over a prime field.
//!
//! Every relation used here holds for the real functions, so an expression that is zero as a
//! real function is zero here wherever it is defined; see ARCHITECTURE, "How identities are
//! decided", for why the converse fails with small probability only.

use std::collections::HashMap;

use super::forms::{Form, Forms, Generator, Kind, is_circular};
use super::prime::{Field, Random, Residue};
use crate::evaluate::{Arithmetic, Fail, Truth};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;

/// Sine and cosine of an angle.
type Point = (Residue, Residue);

/// An even root that is taken somewhere in a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// The power with this operand.
    Operand(usize),
    /// Any even root of the value of this step.
    Base(u32),
    /// The roots behind sine and cosine of an inverse function, or a power b^q = exp(q·log b),
    /// by monomial.
    Monomial(u32),
    /// √2 and √6, which are squares in every field of the family.
    Constant,
}

/// The largest exponent that is evaluated.
const MAX_EXPONENT: u64 = 1 << 32;

/// One random point of the field, and the values chosen at it so far.
pub(crate) struct Residues<'a> {
    pub(crate) field: Field,
    random: Random,
    forms: &'a Forms,
    /// Signs of constant arguments, known from the reals; see [`super::constants`].
    signs: &'a HashMap<usize, i32>,
    /// The values so far, if inverse functions or logarithms will ask for them.
    values: Vec<Option<Residue>>,
    asked: bool,
    pi: Option<Residue>,
    circular: HashMap<u32, Point>,
    exponential: HashMap<u32, Residue>,
    /// Circle points and units of arguments met before, by the residue of the argument.
    points: HashMap<u64, Point>,
    units: HashMap<u64, Residue>,
    opaque: HashMap<(u32, Vec<u64>), Residue>,
    /// Even roots that were not defined.
    pub(crate) failed_roots: Vec<Root>,
}

impl<'a> Residues<'a> {
    pub(crate) fn new(
        field: Field,
        seed: u64,
        forms: &'a Forms,
        signs: &'a HashMap<usize, i32>,
    ) -> Self {
        Self {
            field,
            random: Random::new(seed),
            forms,
            signs,
            values: Vec::new(),
            asked: forms.kinds.iter().any(|k| *k != Kind::Free),
            pi: None,
            circular: HashMap::new(),
            exponential: HashMap::new(),
            points: HashMap::new(),
            units: HashMap::new(),
            opaque: HashMap::new(),
            failed_roots: Vec::new(),
        }
    }

    /// A random residue; a square if it represents a positive value.
    pub(crate) fn draw(&mut self, positive: bool) -> Residue {
        let a = self.field.random(&mut self.random);
        if positive { self.field.mul(a, a) } else { a }
    }

    fn rational(&self, q: &Rational) -> Result<Residue, Fail> {
        let (n, d) = q.residues(self.field.p());
        let n = self.field.residue(n);
        match d {
            0 => Err(Fail::Unknown),
            1 => Ok(n),
            d => Ok(self.field.mul(n, self.field.inverse(self.field.residue(d)))),
        }
    }

    fn invert(&self, a: Residue) -> Result<Residue, Fail> {
        if a.is_zero() {
            Err(Fail::Undefined)
        } else {
            Ok(self.field.inverse(a))
        }
    }

    fn sqrt(&mut self, which: Root, a: Residue) -> Result<Residue, Fail> {
        let root = self.field.sqrt(a);
        if root.is_none() {
            self.failed_roots.push(which);
        }
        root.ok_or(Fail::Undefined)
    }

    fn value(&self, step: u32) -> Result<Residue, Fail> {
        self.values
            .get(step as usize)
            .copied()
            .flatten()
            .ok_or(Fail::Undefined)
    }

    /// a^q
    fn power(&mut self, which: Root, a: Residue, q: &Rational) -> Result<Residue, Fail> {
        let (n, d) = q.small().ok_or(Fail::Unknown)?;
        if n.unsigned_abs() >= MAX_EXPONENT || d as u64 >= MAX_EXPONENT {
            return Err(Fail::Unknown);
        }
        let mut root = a;
        let twos = d.trailing_zeros();
        let odd = (d >> twos) as u64;
        if odd > 1 {
            root = self.field.odd_root(root, odd).ok_or(Fail::Unknown)?;
        }
        for _ in 0..twos {
            root = self.sqrt(which, root)?;
        }
        let power = self.field.pow(root, n.unsigned_abs());
        if n < 0 { self.invert(power) } else { Ok(power) }
    }

    /// (sin, cos) of the sum of two angles.
    fn rotate(&self, a: Point, b: Point) -> Point {
        let f = &self.field;
        let sin = f.add(f.mul(a.0, b.1), f.mul(a.1, b.0));
        let cos = f.sub(f.mul(a.1, b.1), f.mul(a.0, b.0));
        (sin, cos)
    }

    /// (sin, cos) of n times an angle.
    fn multiple(&self, point: Point, n: i64) -> Point {
        let mut result = (Residue::ZERO, self.field.one());
        let mut square = if n < 0 {
            (self.field.neg(point.0), point.1)
        } else {
            point
        };
        let mut k = n.unsigned_abs();
        while k > 0 {
            if k & 1 == 1 {
                result = self.rotate(result, square);
            }
            square = self.rotate(square, square);
            k >>= 1;
        }
        result
    }

    /// A random point of the circle: (2s, 1 − s²)/(1 + s²), and 1 + s² is never zero.
    fn random_point(&mut self) -> Point {
        let s = self.draw(false);
        let f = &self.field;
        let square = f.mul(s, s);
        let inverse = f.inverse(f.add(f.one(), square));
        let sin = f.mul(f.add(s, s), inverse);
        (sin, f.mul(f.sub(f.one(), square), inverse))
    }

    /// (sin, cos) of the angle π/12: (√6 ∓ √2)/4.
    fn twelfth(&mut self) -> Result<Point, Fail> {
        let (two, six) = (self.field.residue(2), self.field.residue(6));
        let (two, six) = (
            self.sqrt(Root::Constant, two)?,
            self.sqrt(Root::Constant, six)?,
        );
        let quarter = self.field.inverse(self.field.residue(4));
        let f = &self.field;
        Ok((
            f.mul(f.sub(six, two), quarter),
            f.mul(f.add(six, two), quarter),
        ))
    }

    /// The point of the atom of a monomial: the angle monomial/denominator.
    fn circular_atom(&mut self, k: u32) -> Result<Point, Fail> {
        if let Some(&point) = self.circular.get(&k) {
            return Ok(point);
        }
        let denominator = self.forms.circular[k as usize];
        let point = match self.forms.kinds[k as usize] {
            Kind::Angle(f, a, b) if denominator.count_ones() == 1 => {
                let mut point = self.inverse_function(Root::Monomial(k), f, a, b)?;
                for _ in 0..denominator.trailing_zeros() {
                    point = self.half(Root::Monomial(k), point)?;
                }
                point
            }
            _ => self.random_point(),
        };
        self.circular.insert(k, point);
        Ok(point)
    }

    /// (sin, cos) of half an angle in (−π, π): cos θ/2 = √((1 + cos θ)/2) ≥ 0.
    fn half(&mut self, which: Root, (sin, cos): Point) -> Result<Point, Fail> {
        let f = self.field.clone();
        let half = f.inverse(f.residue(2));
        let c = self.sqrt(which, f.mul(f.add(f.one(), cos), half))?;
        let s = f.mul(sin, self.invert(f.add(c, c))?);
        Ok((s, c))
    }

    /// (sin, cos) of asin a, acos a, atan a, atan2(a, b).
    fn inverse_function(
        &mut self,
        which: Root,
        f: Function,
        a: u32,
        b: Option<u32>,
    ) -> Result<Point, Fail> {
        let field = self.field.clone();
        let x = self.value(a)?;
        let square = field.mul(x, x);
        match f {
            Function::Asin | Function::Acos => {
                let other = self.sqrt(which, field.sub(field.one(), square))?;
                Ok(if f == Function::Asin {
                    (x, other)
                } else {
                    (other, x)
                })
            }
            _ => {
                let (y, x) = (x, b.map_or(Ok(field.one()), |b| self.value(b))?);
                let r = self.sqrt(which, field.add(field.mul(x, x), square))?;
                let inverse = self.invert(r)?;
                Ok((field.mul(y, inverse), field.mul(x, inverse)))
            }
        }
    }

    /// (sin, cos) of a form.
    fn point(&mut self, form: &Form) -> Result<Point, Fail> {
        let mut total = (Residue::ZERO, self.field.one());
        for (k, c) in &form.terms {
            let n = Forms::multiple(self.forms.circular[*k as usize], c).ok_or(Fail::Unknown)?;
            let atom = self.circular_atom(*k)?;
            total = self.rotate(total, self.multiple(atom, n));
        }
        if let Some(q) = &form.pi {
            let n = (q * &Rational::from(12))
                .to_i64()
                .ok_or(Fail::Unknown)?
                .rem_euclid(24);
            let twelfth = self.twelfth()?;
            total = self.rotate(total, self.multiple(twelfth, n));
        }
        Ok(total)
    }

    /// exp of a form.
    fn unit(&mut self, form: &Form) -> Result<Residue, Fail> {
        let mut total = self.field.one();
        for (k, c) in &form.terms {
            let factor = match (self.forms.kinds[*k as usize], self.log_integer(*k)) {
                (Kind::LogOf(b), _) => {
                    // exp(q·log b) = b^q, for positive b only.
                    let b = self.value(b)?;
                    if self.field.character(b) != 1 {
                        self.failed_roots.push(Root::Monomial(*k));
                        return Err(Fail::Undefined);
                    }
                    self.power(Root::Monomial(*k), b, c)?
                }
                (_, Some(base)) => {
                    let base = self.rational(&base)?;
                    self.power(Root::Constant, base, c)?
                }
                _ => {
                    let n = Forms::multiple(self.forms.exponential[*k as usize], c)
                        .ok_or(Fail::Unknown)?;
                    let atom = match self.exponential.get(k) {
                        Some(&atom) => atom,
                        None => {
                            let atom = self.draw(true);
                            self.exponential.insert(*k, atom);
                            atom
                        }
                    };
                    let power = self.field.pow(atom, n.unsigned_abs());
                    if n < 0 { self.invert(power)? } else { power }
                }
            };
            total = self.field.mul(total, factor);
        }
        Ok(total)
    }

    /// The integer whose logarithm a monomial is.
    fn log_integer(&self, k: u32) -> Option<Rational> {
        match self.forms.monomials[k as usize].as_slice() {
            [(Generator::LogInteger(n), q)] if q.is_one() => n.parse().ok(),
            _ => None,
        }
    }

    fn circular_call(
        &mut self,
        at: usize,
        f: Function,
        argument: Residue,
    ) -> Result<Residue, Fail> {
        let field = self.field.clone();
        let opposite = field.neg(argument);
        let (sin, cos) = if let Some(&point) = self.points.get(&argument.key()) {
            point
        } else if let Some(&(s, c)) = self.points.get(&opposite.key()) {
            (field.neg(s), c)
        } else {
            let forms = self.forms;
            let form = forms.at.get(&at).ok_or(Fail::Unknown)?;
            let point = self.point(form)?;
            self.points.insert(argument.key(), point);
            point
        };
        match f {
            Function::Sin => Ok(sin),
            Function::Cos => Ok(cos),
            _ => Ok(field.mul(sin, self.invert(cos)?)),
        }
    }

    fn exponential_call(
        &mut self,
        at: usize,
        f: Function,
        argument: Residue,
    ) -> Result<Residue, Fail> {
        let field = self.field.clone();
        let opposite = field.neg(argument);
        let unit = if let Some(&unit) = self.units.get(&argument.key()) {
            unit
        } else if let Some(&unit) = self.units.get(&opposite.key()) {
            self.invert(unit)?
        } else {
            let forms = self.forms;
            let form = forms.at.get(&at).ok_or(Fail::Unknown)?;
            let unit = self.unit(form)?;
            self.units.insert(argument.key(), unit);
            unit
        };
        if f == Function::Exp {
            return Ok(unit);
        }
        let inverse = self.invert(unit)?;
        let half = field.inverse(field.residue(2));
        let (sum, difference) = (field.add(unit, inverse), field.sub(unit, inverse));
        match f {
            Function::Sinh => Ok(field.mul(difference, half)),
            Function::Cosh => Ok(field.mul(sum, half)),
            _ => Ok(field.mul(difference, self.invert(sum)?)),
        }
    }

    /// A random value that depends only on the function and the residues of its arguments.
    fn opaque(&mut self, which: u32, arguments: &[Residue]) -> Residue {
        let key = (which, arguments.iter().map(|a| a.key()).collect::<Vec<_>>());
        if let Some(&value) = self.opaque.get(&key) {
            return value;
        }
        let value = self.draw(false);
        self.opaque.insert(key, value);
        value
    }

    /// χ(a), the sign of a; for a constant the sign known from the reals.
    fn sign(&self, at: usize, a: Residue) -> i32 {
        match self.signs.get(&at) {
            Some(&s) => s,
            None => self.field.character(a),
        }
    }

    fn signed(&self, sign: i32, a: Residue) -> Residue {
        match sign {
            1 => a,
            0 => Residue::ZERO,
            _ => self.field.neg(a),
        }
    }
}

impl Arithmetic for Residues<'_> {
    type Value = Residue;

    fn number(&mut self, q: &Rational) -> Result<Residue, Fail> {
        self.rational(q)
    }

    /// All denominators are inverted with one inversion: from the inverse of their product.
    fn numbers(&mut self, all: &[Rational]) -> Vec<Result<Residue, Fail>> {
        let f = &self.field;
        let mut found = Vec::with_capacity(all.len());
        let mut fractions: Vec<(usize, Residue, Residue)> = Vec::new();
        let mut product = f.one();
        for (k, q) in all.iter().enumerate() {
            let (n, d) = q.residues(f.p());
            found.push(match d {
                0 => Err(Fail::Unknown),
                _ => Ok(f.residue(n)),
            });
            if d > 1 {
                let d = f.residue(d);
                fractions.push((k, d, product));
                product = f.mul(product, d);
            }
        }
        let mut inverse = f.inverse(product);
        for (k, d, before) in fractions.into_iter().rev() {
            found[k] = found[k].map(|n| f.mul(n, f.mul(inverse, before)));
            inverse = f.mul(inverse, d);
        }
        found
    }

    fn negated(&mut self, a: &Residue) -> Option<Residue> {
        Some(self.field.neg(*a))
    }

    fn pi(&mut self) -> Result<Residue, Fail> {
        if let Some(pi) = self.pi {
            return Ok(pi);
        }
        let pi = self.draw(true);
        self.pi = Some(pi);
        Ok(pi)
    }

    fn add(&mut self, a: &Residue, b: &Residue) -> Residue {
        self.field.add(*a, *b)
    }

    fn mul(&mut self, a: &Residue, b: &Residue) -> Residue {
        self.field.mul(*a, *b)
    }

    fn pow(&mut self, operand: usize, a: &Residue, q: &Rational) -> Result<Residue, Fail> {
        self.power(Root::Operand(operand), *a, q)
    }

    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Residue,
        b: Option<&Residue>,
    ) -> Result<Residue, Fail> {
        let a = *a;
        match f {
            f if is_circular(f) => self.circular_call(at, f, a),
            Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh => {
                self.exponential_call(at, f, a)
            }
            Function::Abs => Ok(self.signed(self.sign(at, a), a)),
            Function::Sign => Ok(self.signed(self.sign(at, a), self.field.one())),
            Function::Min | Function::Max => {
                // ½(a + b ∓ |a − b|)
                let b = *b.ok_or(Fail::Unknown)?;
                let difference = self.field.sub(a, b);
                let greater = self.sign(at, difference) > 0;
                Ok(if greater == (f == Function::Max) {
                    a
                } else {
                    b
                })
            }
            Function::Log => {
                if self.sign(at, a) != 1 {
                    return Err(Fail::Undefined);
                }
                if a == self.field.one() {
                    return Ok(Residue::ZERO);
                }
                Ok(self.opaque(f as u32, &[a]))
            }
            Function::Asin | Function::Acos => {
                let square = self.field.mul(a, a);
                let rest = self.field.sub(self.field.one(), square);
                if self.field.character(rest) < 0 {
                    return Err(Fail::Undefined);
                }
                Ok(self.odd_opaque(f, a))
            }
            Function::Atan => Ok(self.odd_opaque(f, a)),
            Function::Atan2 => {
                let b = *b.ok_or(Fail::Unknown)?;
                Ok(self.opaque(f as u32, &[a, b]))
            }
            _ => Err(Fail::Unknown),
        }
    }

    fn compare(
        &mut self,
        at: usize,
        comparison: Comparison,
        a: &Residue,
        b: &Residue,
    ) -> Result<Truth, Fail> {
        let sign = self.sign(at, self.field.sub(*b, *a));
        let holds = match comparison {
            Comparison::Less => sign > 0,
            Comparison::LessEqual => sign >= 0,
        };
        Ok(if holds { Truth::Yes } else { Truth::No })
    }

    fn hull(&mut self, _: &Residue, _: &Residue) -> Result<Residue, Fail> {
        Err(Fail::Unknown)
    }

    fn undetermined(
        &mut self,
        function: usize,
        orders: &[u32],
        arguments: &[Residue],
    ) -> Result<Residue, Fail> {
        // Keyed by function, orders and the residues of the arguments: f(sin² + cos²) = f(1).
        let mut key = Vec::with_capacity(2 * orders.len());
        key.extend(orders.iter().map(|&k| u64::from(k)));
        key.extend(arguments.iter().map(|a| a.key()));
        let key = (1000 + function as u32, key);
        if let Some(&value) = self.opaque.get(&key) {
            return Ok(value);
        }
        let value = self.draw(false);
        self.opaque.insert(key, value);
        Ok(value)
    }

    fn record(&mut self, value: &Result<Residue, Fail>) {
        if self.asked {
            self.values.push(value.ok());
        }
    }
}

impl Residues<'_> {
    /// An opaque odd function, up to a constant for acos: f(−a) = −f(a).
    fn odd_opaque(&mut self, f: Function, a: Residue) -> Residue {
        if f == Function::Acos {
            return self.opaque(f as u32, &[a]);
        }
        let opposite = self.field.neg(a);
        if a.key() <= opposite.key() {
            self.opaque(f as u32, &[a])
        } else {
            let value = self.opaque(f as u32, &[opposite]);
            self.field.neg(value)
        }
    }
}
