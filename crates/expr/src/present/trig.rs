//! Circular and hyperbolic functions: sin² + cos² = 1, sums and multiples of angles.

use super::atoms::{Atoms, Kind};
use super::poly::{Monomial, Poly, exponent, over, times};
use crate::expr::Expr;
use crate::function::Function;
use crate::number::Rational;

/// M·u and M·v with equal coefficients, up to the sign, become M·w.
struct Rule {
    u: Monomial,
    v: Monomial,
    sign: i64,
    w: Poly,
}

impl<'p> Atoms<'p> {
    /// The polynomial and its variants by circular identities.
    pub(super) fn variants(&mut self, p: &Poly) -> Vec<Poly> {
        let mut list = vec![p.clone()];
        let push = |q: Option<Poly>, list: &mut Vec<Poly>| {
            if let Some(q) = q
                && !list.contains(&q)
            {
                list.push(q);
            }
        };
        let local = self.merged(p, true, false);
        push(local, &mut list);
        let reduced = self.reduced(p);
        push(reduced.clone(), &mut list);
        if let Some(r) = &reduced {
            let merged = self.merged(r, true, false);
            push(merged, &mut list);
        }
        for k in 0..list.len() {
            let q = list[k].clone();
            let sums = self.merged(&q, true, true);
            push(sums.clone(), &mut list);
            if let Some(s) = sums {
                let again = self.reduced(&s);
                push(again, &mut list);
            }
        }
        for k in 0..list.len() {
            let q = list[k].clone();
            let doubled = self.doubled(&q);
            push(doubled, &mut list);
        }
        list
    }

    /// For each angle the normal form in sine or in cosine that has fewer terms.
    pub(super) fn reduced(&mut self, p: &Poly) -> Option<Poly> {
        let mut best = p.clone();
        for (_, argument) in self.angles(p) {
            for (even, odd, squared) in [
                (Function::Sin, Function::Cos, [1, -1]),
                (Function::Cos, Function::Sin, [1, -1]),
                (Function::Cosh, Function::Sinh, [1, 1]),
                (Function::Sinh, Function::Cosh, [-1, 1]),
            ] {
                if let Some(q) = self.squares(&best, even, odd, squared, argument)
                    && q.len() < best.len()
                {
                    best = q;
                }
            }
        }
        Some(best)
    }

    /// A normal form: no even power of a sine.
    pub(super) fn circular(&mut self, p: &Poly) -> Option<Poly> {
        let mut out = p.clone();
        for (_, argument) in self.angles(p) {
            if let Some(q) = self.squares(&out, Function::Sin, Function::Cos, [1, -1], argument) {
                out = q;
            }
        }
        Some(out)
    }

    /// f² replaced by c₀ + c₁·g² wherever f has a positive exponent above one.
    fn squares(
        &mut self,
        p: &Poly,
        f: Function,
        g: Function,
        c: [i64; 2],
        argument: Expr<'p>,
    ) -> Option<Poly> {
        let f = self.find(f, argument)?;
        if !p.0.keys().any(|m| exponent(m, f) > 1) {
            return None;
        }
        let g = self.called(g, argument)?;
        let mut square = Poly::constant(c[0].into());
        square.add(vec![(g, 2)], c[1].into());
        let steps = &mut self.steps;
        p.replace(f, |e| {
            if e < 2 {
                return Some(Poly::monomial(vec![(f, e)]));
            }
            let whole = square.power(e as u32 / 2, steps)?;
            let odd = match e % 2 {
                0 => Monomial::new(),
                _ => vec![(f, 1)],
            };
            Some(whole.scaled(&Rational::ONE, &odd))
        })
    }

    /// The atom of f(argument), created if necessary.
    fn called(&mut self, f: Function, argument: Expr<'p>) -> Option<u32> {
        let e = argument.apply(f, None);
        let p = self.read(e)?;
        match p.0.first_key_value() {
            Some((m, c)) if p.len() == 1 && c.is_one() && m.len() == 1 => Some(m[0].0),
            _ => None,
        }
    }

    /// The arguments of circular and hyperbolic functions.
    fn angles(&self, p: &Poly) -> Vec<(bool, Expr<'p>)> {
        let mut list = Vec::new();
        for atom in p.atoms() {
            if let Kind::Call(f, argument) = &self.list[atom as usize].1 {
                let hyperbolic = matches!(f, Function::Sinh | Function::Cosh | Function::Tanh);
                if !list.contains(&(hyperbolic, *argument)) {
                    list.push((hyperbolic, *argument));
                }
            }
        }
        list
    }

    /// Pairs of terms replaced by one, as long as there are any.
    fn merged(&mut self, p: &Poly, squares: bool, sums: bool) -> Option<Poly> {
        let mut out = p.clone();
        for _ in 0..8 {
            let before = out.clone();
            let mut rules = Vec::new();
            let angles = self.angles(&out);
            for &(hyperbolic, a) in &angles {
                if squares {
                    self.square_rules(hyperbolic, a, &mut rules);
                }
            }
            if sums {
                for (k, &(h, a)) in angles.iter().enumerate() {
                    for &(i, b) in &angles[k + 1..] {
                        if !h && !i && angles.len() <= 8 {
                            self.sum_rules(a, b, &mut rules);
                        }
                    }
                }
            }
            for rule in &rules {
                out = self.apply(&out, rule)?;
            }
            if out == before {
                return Some(out);
            }
        }
        Some(out)
    }

    fn square_rules(&mut self, hyperbolic: bool, a: Expr<'p>, rules: &mut Vec<Rule>) {
        let (sine, cosine) = match hyperbolic {
            false => (Function::Sin, Function::Cos),
            true => (Function::Sinh, Function::Cosh),
        };
        let (Some(s), Some(c)) = (self.called(sine, a), self.called(cosine, a)) else {
            return;
        };
        let square = |k: u32| vec![(k, 2)];
        let one = || Poly::constant(Rational::ONE);
        let mut rule = |u: Monomial, v: Monomial, sign: i64, w: Poly| {
            rules.push(Rule { u, v, sign, w });
        };
        if hyperbolic {
            rule(square(c), square(s), -1, one());
            rule(Monomial::new(), square(s), 1, Poly::monomial(square(c)));
            let mut minus = Poly::default();
            minus.add(square(s), Rational::from(-1));
            rule(Monomial::new(), square(c), -1, minus);
        } else {
            rule(square(c), square(s), 1, one());
            rule(Monomial::new(), square(s), -1, Poly::monomial(square(c)));
            rule(Monomial::new(), square(c), -1, Poly::monomial(square(s)));
            if let Some(t) = self.find(Function::Tan, a) {
                rule(Monomial::new(), square(t), 1, Poly::monomial(vec![(c, -2)]));
            }
        }
    }

    fn sum_rules(&mut self, a: Expr<'p>, b: Expr<'p>, rules: &mut Vec<Rule>) {
        use Function::{Cos, Sin};
        let pair = |x: u32, y: u32| times(&[(x, 1)], &[(y, 1)]);
        let (Some(sa), Some(ca)) = (self.called(Sin, a), self.called(Cos, a)) else {
            return;
        };
        let (Some(sb), Some(cb)) = (self.called(Sin, b), self.called(Cos, b)) else {
            return;
        };
        for (u, v, sign, image) in [
            (pair(ca, cb), pair(sa, sb), 1, (a - b).cos()),
            (pair(ca, cb), pair(sa, sb), -1, (a + b).cos()),
            (pair(sa, cb), pair(ca, sb), 1, (a + b).sin()),
            (pair(sa, cb), pair(ca, sb), -1, (a - b).sin()),
        ] {
            if let Some(w) = self.read(image) {
                rules.push(Rule { u, v, sign, w });
            }
        }
    }

    /// cos² − sin² = cos 2a and sin·cos = ½ sin 2a.
    fn doubled(&mut self, p: &Poly) -> Option<Poly> {
        let mut out = p.clone();
        for (hyperbolic, a) in self.angles(p) {
            let (sine, cosine) = match hyperbolic {
                false => (Function::Sin, Function::Cos),
                true => (Function::Sinh, Function::Cosh),
            };
            let (Some(s), Some(c)) = (self.called(sine, a), self.called(cosine, a)) else {
                continue;
            };
            let twice = 2 * a;
            let w = self.read(twice.apply(cosine, None))?;
            let sign = if hyperbolic { 1 } else { -1 };
            let rule = Rule {
                u: vec![(c, 2)],
                v: vec![(s, 2)],
                sign,
                w,
            };
            out = self.apply(&out, &rule)?;
            let w = self.read(twice.apply(sine, None))?;
            let product = times(&[(s, 1)], &[(c, 1)]);
            let half = Rational::new(1, 2);
            let mut next = Poly::default();
            for (m, k) in &out.0 {
                match over(m, &product) {
                    Some(rest) => next.add_scaled(&w, &(k * &half), &rest),
                    None => next.add(m.clone(), k.clone()),
                }
            }
            out = next;
        }
        Some(out)
    }

    fn apply(&mut self, p: &Poly, rule: &Rule) -> Option<Poly> {
        self.steps.take(p.len())?;
        let mut out = p.clone();
        let sign = Rational::from(rule.sign);
        for m in p.0.keys() {
            let Some(rest) = over(m, &rule.v) else {
                continue;
            };
            let c = out.coefficient(m);
            let partner = times(&rest, &rule.u);
            let d = out.coefficient(&partner);
            if c.is_zero() || d != &c * &sign {
                continue;
            }
            out.0.remove(m);
            out.0.remove(&partner);
            // d·(u + sign·v)
            out.add_scaled(&rule.w, &d, &rest);
        }
        Some(out)
    }
}
