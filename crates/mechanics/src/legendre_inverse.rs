//! The Legendre transform of a Hamiltonian given as data: momenta from velocities, where a closed form exists.

use galilei_expr::{
    Assumptions, Bound, Expr, Function, Rational, Reading, Verdict, View, subexpressions,
};
use galilei_geometry::{Chart, Matrix, decide_all_zero, decide_equal_on};

use crate::canonical::Canonical;
use crate::constrained_hamilton::HamiltonianForm;
use crate::lagrangian::Lagrangian;
use crate::state_space::StateSpace;

/// Degrees of freedom up to which ∂²H/∂p∂p is inverted in formulas if it couples all of them.
const MAX_COUPLED_MOMENTA: usize = 4;

/// The Lagrangian side of a Hamiltonian whose Legendre map u = ∂H/∂p has an inverse in closed form. (T-51, T-114)
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedLegendre<'p> {
    /// p(t, x, u), the inverse of u = ∂H/∂p.
    pub momenta: Vec<Expr<'p>>,
    /// L = pᵢuⁱ − H at p(t, x, u).
    pub lagrangian: Lagrangian<'p>,
    /// The canonical chart with H as it was given.
    pub canonical: Canonical<'p>,
}

/// The canonical chart (t, x, p) over a state space, pᵢ named `p(x)`.
pub fn canonical_chart<'p>(state: &StateSpace<'p>) -> Chart<'p> {
    let base = state.base();
    let pool = base.pool();
    let momenta = (base.positions().iter()).map(|x| pool.symbol(&format!("p({x})")));
    let all = base.chart().coordinates().iter().copied().chain(momenta);
    Chart::of(pool, all.collect::<Vec<_>>())
}

impl<'p> HamiltonianForm<'p> {
    /// The form with ℋ(t, x, p) on the canonical chart over a state space. (T-95, T-114)
    pub fn over(state: &StateSpace<'p>, function: Expr<'p>) -> Self {
        Self::new(&canonical_chart(state), function)
    }

    /// uⁱ = ∂ℋ/∂pᵢ. (T-52)
    pub fn velocities(&self) -> Vec<Expr<'p>> {
        self.function().gradient(self.momenta())
    }

    /// Whether ℋ is quadratic in the momenta: ∂³ℋ/∂p³ = 0.
    pub fn decide_quadratic(&self) -> Verdict {
        decide_quadratic(self.function(), self.momenta())
    }

    /// The Lagrangian side, if the Legendre map u = ∂ℋ/∂p has an inverse in closed form on a domain.
    ///
    /// Momenta that ∂²ℋ/∂p∂p does not couple are inverted apart from each other: a quadratic block by a linear solve, a
    /// function of one quadratic form such as √(m²c⁴ + c²p²) by its scalar equation, whose solution is proved to be
    /// one on both sides, a single momentum by undoing one strictly monotonic operation after the other. A Legendre map
    /// that is not one to one has no closed inverse here. Nothing is taken for which p(t, x, ∂ℋ/∂p) = p or ∂ℋ/∂p at
    /// p(t, x, u) = u is refuted.
    pub fn legendre(
        &self,
        state: &StateSpace<'p>,
        domain: &Assumptions<'p>,
    ) -> Option<ClosedLegendre<'p>> {
        let (pool, p, u) = (state.pool(), self.momenta(), state.velocities());
        let mut found: Vec<Option<Expr<'p>>> = vec![None; p.len()];
        let mut forms: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        let mut short = None;
        for block in self.blocks() {
            let at =
                |list: &[Expr<'p>]| -> Vec<Expr<'p>> { block.iter().map(|&i| list[i]).collect() };
            let inverse = self.invert(&at(p), &at(u), domain)?;
            for (&i, e) in block.iter().zip(inverse.momenta) {
                found[i] = Some(e);
            }
            forms.extend(inverse.form);
            short = inverse.lagrangian.filter(|_| block.len() == p.len());
        }
        let momenta: Vec<Expr<'p>> = found.into_iter().collect::<Option<_>>()?;
        let velocities = self.velocities();
        let by_u: Vec<_> = p.iter().copied().zip(momenta.iter().copied()).collect();
        let by_p: Vec<_> = u.iter().copied().zip(velocities.iter().copied()).collect();
        let there = decide_equal_on(&pool.substitute_all(&velocities, &by_u), u, domain);
        let back = decide_equal_on(&pool.substitute_all(&momenta, &by_p), p, domain);
        if there.is_refuted() || back.is_refuted() {
            return None;
        }
        let paired = pool.sum(momenta.iter().zip(u).map(|(&p, &u)| p * u));
        let function =
            short.unwrap_or_else(|| paired - self.function().substitute(&forms).substitute(&by_u));
        Some(ClosedLegendre {
            lagrangian: Lagrangian::new(state, function),
            canonical: Canonical::of_hamiltonian(state, self),
            momenta,
        })
    }

    /// The momenta that ∂²ℋ/∂p∂p couples with each other.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let rows = self.inverse_mass();
        let n = rows.rows().len();
        let mut of: Vec<usize> = (0..n).collect();
        for i in 0..n {
            for j in 0..i {
                let e = rows.rows()[i][j];
                let (a, b) = (of[i], of[j]);
                if a != b && !(e.is_zero() || e.decide_zero().is_proved()) {
                    of.iter_mut().filter(|k| **k == a).for_each(|k| *k = b);
                }
            }
        }
        let members = |k: usize| (0..n).filter(|&i| of[i] == k).collect::<Vec<_>>();
        (0..n).map(members).filter(|b| !b.is_empty()).collect()
    }

    /// The momenta of one block as functions of its velocities.
    fn invert(
        &self,
        p: &[Expr<'p>],
        u: &[Expr<'p>],
        domain: &Assumptions<'p>,
    ) -> Option<Inverse<'p>> {
        let h = self.function();
        let plain = |momenta: Vec<Expr<'p>>| Inverse {
            momenta,
            form: None,
            lagrangian: None,
        };
        if decide_quadratic(h, p).is_proved() {
            return of_quadratic(h, p, u).map(plain);
        }
        if p.len() > MAX_COUPLED_MOMENTA {
            return None;
        }
        let radial = of_quadratic_form(h, p, u, domain);
        match p {
            [p] => radial.or_else(|| Some(plain(vec![undone(h.diff(*p), *p, u[0])?]))),
            _ => radial,
        }
    }
}

/// The momenta of a block as functions of its velocities.
struct Inverse<'p> {
    momenta: Vec<Expr<'p>>,
    /// A quadratic form of the momenta, and its value as a function of the velocities.
    form: Option<(Expr<'p>, Expr<'p>)>,
    /// pᵢuⁱ − H in a short form, if the block is all of H.
    lagrangian: Option<Expr<'p>>,
}

fn decide_quadratic<'p>(h: Expr<'p>, p: &[Expr<'p>]) -> Verdict {
    if h.degree_bound(p).is_some_and(|d| d <= 2) {
        return Verdict::Proved(Bound::CERTAIN);
    }
    let entries = h.hessian(p).into_iter().flatten();
    let slopes = entries.flat_map(|e| e.gradient(p));
    decide_all_zero(slopes.filter(|e| !e.is_zero()))
}

/// p = M⁻¹(u − b) for ∂H/∂p = Mp + b.
fn of_quadratic<'p>(h: Expr<'p>, p: &[Expr<'p>], u: &[Expr<'p>]) -> Option<Vec<Expr<'p>>> {
    let (m, b) = linear_parts(h, p);
    let right: Vec<Expr<'p>> = u.iter().zip(&b).map(|(&u, &b)| u - b).collect();
    m.solve(&right).ok()
}

/// M and b of ∂q/∂p = Mp + b, for q quadratic in p.
fn linear_parts<'p>(q: Expr<'p>, p: &[Expr<'p>]) -> (Matrix<'p>, Vec<Expr<'p>>) {
    let pool = q.pool();
    let rest: Vec<_> = p.iter().map(|&p| (p, pool.zero())).collect();
    let at_rest = |list: &[Expr<'p>]| pool.substitute_all(list, &rest);
    let rows = q.hessian(p).iter().map(|row| at_rest(row)).collect();
    (Matrix::new(pool, rows), at_rest(&q.gradient(p)))
}

/// The inverse for H = F(t, x, q) with q quadratic in p, where F enters by a Möbius map.
///
/// u = F′(s)(Mp + b) at s = q(p), so that s − c = w/(2F′(s)²) with w = uᵀM⁻¹u and c = q − ½(Mp + b)ᵀM⁻¹(Mp + b). If
/// y(s) = 2F′(s)²(s − c) is a Möbius map, y = w is solved by s, and p = M⁻¹(u/F′(s) − b).
fn of_quadratic_form<'p>(
    h: Expr<'p>,
    p: &[Expr<'p>],
    u: &[Expr<'p>],
    domain: &Assumptions<'p>,
) -> Option<Inverse<'p>> {
    let pool = h.pool();
    let [s, w, c] = pool.symbols(["s#legendre", "w#legendre", "c#legendre"]);
    let quadratic = |q: &Expr<'p>| {
        p.iter().all(|p| q.contains(*p)) && !q.is_symbol() && decide_quadratic(*q, p).is_proved()
    };
    for q in subexpressions([h]).into_iter().filter(quadratic) {
        let f = h.substitute(&[(q, s)]).diff(s);
        if f.is_zero() || f.contains_any(p) {
            continue;
        }
        let Some(root) = mobius_inverse(2 * f.pow(2) * (s - c), s, (w, c), domain) else {
            continue;
        };
        let (m, b) = linear_parts(q, p);
        let (Ok(lifted), Ok(raised)) = (m.solve(&b), m.solve(u)) else {
            continue;
        };
        let pair = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
        let rest: Vec<_> = p.iter().map(|&p| (p, pool.zero())).collect();
        let origin = q.substitute(&rest) - Rational::new(1, 2) * pair(&b, &lifted);
        let values = [(w, pair(u, &raised)), (c, origin)];
        let slope = f.substitute(&[(s, root)]);
        // pᵢuⁱ = w/F′ − uᵀM⁻¹b
        let whole = w / slope - h.substitute(&[(q, s)]).substitute(&[(s, root)]);
        let short = whole.present(&Reading::new().assuming(domain));
        let slope = slope.substitute(&values);
        let right: Vec<Expr<'p>> = u.iter().zip(&b).map(|(&u, &b)| u / slope - b).collect();
        return Some(Inverse {
            momenta: m.solve(&right).ok()?,
            form: Some((q, root.substitute(&values))),
            lagrangian: Some(short.substitute(&values) - pair(u, &lifted)),
        });
    }
    None
}

/// s with y(s) = w, if y is a Möbius map of s: its Schwarzian derivative vanishes. y vanishes at the origin c.
fn mobius_inverse<'p>(
    y: Expr<'p>,
    s: Expr<'p>,
    (w, c): (Expr<'p>, Expr<'p>),
    domain: &Assumptions<'p>,
) -> Option<Expr<'p>> {
    let pool = y.pool();
    let first = y.diff(s);
    let second = first.diff(s);
    let third = second.diff(s);
    let schwarzian = 2 * first * third - 3 * second.pow(2);
    let same = |a: Expr<'p>, b: Expr<'p>| decide_equal_on(&[a], &[b], domain).is_proved();
    if !same(schwarzian, pool.zero()) {
        return None;
    }
    [c, pool.zero(), pool.one()].into_iter().find_map(|origin| {
        let [y0, y1, y2] = [y, first, second].map(|e| e.substitute(&[(s, origin)]));
        if [y0, y1, y2].iter().any(|e| e.is_undefined()) || y1.is_zero() {
            return None;
        }
        let d = w - y0;
        let root = origin + d / (y1 + d * y2 / (2 * y1));
        // y at the root is w, and the root at y is s.
        let inverse = same(y.substitute(&[(s, root)]), w) && same(root.substitute(&[(w, y)]), s);
        inverse.then(|| root.present(&Reading::new()))
    })
}

/// p with e(p) = u, by undoing strictly monotonic operations around the only place where p occurs.
fn undone<'p>(e: Expr<'p>, p: Expr<'p>, u: Expr<'p>) -> Option<Expr<'p>> {
    let pool = e.pool();
    let (mut left, mut right) = (e, u);
    while left != p {
        match left.view() {
            View::Sum(terms) => {
                let (inside, outside): (Vec<_>, Vec<_>) =
                    terms.into_iter().partition(|t| t.1.contains(p));
                let [(factor, term)] = inside.as_slice() else {
                    return None;
                };
                let rest = pool.sum(outside.into_iter().map(|(c, t)| c * t));
                right = (right - rest) / pool.number(factor.clone());
                left = *term;
            }
            View::Product(factors) => {
                let (inside, outside): (Vec<_>, Vec<_>) =
                    factors.into_iter().partition(|f| f.0.contains(p));
                let [(base, exponent)] = inside.as_slice() else {
                    return None;
                };
                let rest = pool.product(outside.into_iter().map(|(b, q)| b.pow(q)));
                right /= rest;
                // Even powers are not one to one.
                if exponent.has_even_numerator() {
                    return None;
                }
                right = match exponent == &Rational::ONE {
                    true => right,
                    false => right.pow(exponent.recip()?),
                };
                left = *base;
            }
            View::Call(function, arguments) => {
                let [argument] = arguments.as_slice() else {
                    return None;
                };
                right = match function {
                    Function::Exp => right.log(),
                    Function::Log => right.exp(),
                    Function::Sinh => (right + (right.pow(2) + 1).sqrt()).log(),
                    Function::Tanh => Rational::new(1, 2) * ((1 + right) / (1 - right)).log(),
                    Function::Atan => right.tan(),
                    _ => return None,
                };
                left = *argument;
            }
            _ => return None,
        }
    }
    (!right.contains(p)).then_some(right)
}
