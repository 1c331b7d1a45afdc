//! The state space A¹M and its calculus: contact forms, μ, D_μ, ∂.

use galilei_expr::{Bound, Expr, Pool, Reason};
use galilei_geometry::{
    Chart, Endomorphism, Form, SmoothMap, VectorField, Verdict, decide_all_zero,
};

use crate::space_time::AdaptedChart;

/// A¹M = {ϑ = 1} with its natural chart (t, xⁱ, uⁱ), uⁱ named after xⁱ with a prime. (T-1, T-5)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSpace<'p> {
    base: AdaptedChart<'p>,
    chart: Chart<'p>,
}

impl<'p> StateSpace<'p> {
    /// The state space over an adapted chart.
    pub fn new(base: AdaptedChart<'p>) -> Self {
        let pool = base.pool();
        let velocities = base
            .positions()
            .iter()
            .map(|x| pool.symbol(&format!("{x}'")));
        let all: Vec<Expr<'p>> = base
            .chart()
            .coordinates()
            .iter()
            .copied()
            .chain(velocities)
            .collect();
        Self {
            chart: Chart::of(pool, all),
            base,
        }
    }

    /// The adapted chart below.
    pub fn base(&self) -> &AdaptedChart<'p> {
        &self.base
    }

    /// The natural chart (t, x, u).
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The pool.
    pub fn pool(&self) -> &'p Pool {
        self.chart.pool()
    }

    /// n
    pub fn degrees_of_freedom(&self) -> usize {
        self.base.degrees_of_freedom()
    }

    /// t
    pub fn time(&self) -> Expr<'p> {
        self.base.time()
    }

    /// xⁱ
    pub fn position(&self, i: usize) -> Expr<'p> {
        self.base.position(i)
    }

    /// uⁱ
    pub fn velocity(&self, i: usize) -> Expr<'p> {
        self.chart.coordinate(1 + self.degrees_of_freedom() + i)
    }

    /// u¹, …, uⁿ
    pub fn velocities(&self) -> &[Expr<'p>] {
        &self.chart.coordinates()[1 + self.degrees_of_freedom()..]
    }

    /// Index of xⁱ in the chart.
    pub(crate) fn x(&self, i: usize) -> usize {
        1 + i
    }

    /// Index of uⁱ in the chart.
    pub(crate) fn u(&self, i: usize) -> usize {
        1 + self.degrees_of_freedom() + i
    }

    /// dt
    pub fn dt(&self) -> Form<'p> {
        self.chart.differential(0)
    }

    /// dxⁱ
    pub fn dx(&self, i: usize) -> Form<'p> {
        self.chart.differential(self.x(i))
    }

    /// duⁱ
    pub fn du(&self, i: usize) -> Form<'p> {
        self.chart.differential(self.u(i))
    }

    /// The contact form θⁱ = dxⁱ − uⁱ dt. (T-3)
    pub fn contact(&self, i: usize) -> Form<'p> {
        self.dx(i).minus(&self.dt().scaled(self.velocity(i)))
    }

    /// The projection π: A¹M → M.
    pub fn projection(&self) -> SmoothMap<'p> {
        let target = self.base.chart();
        SmoothMap::new(&self.chart, target, target.coordinates().to_vec())
    }

    /// ∂ₜf + uⁱ∂ᵢf, the rate of a function f(t, x) along every curve; for a function that depends on the velocities, the
    /// part of the rate without accelerations. (T-3)
    pub fn drift(&self, f: Expr<'p>) -> Expr<'p> {
        let mut rates = vec![(self.time(), self.pool().one())];
        let x = self.base.positions().iter().copied();
        rates.extend(x.zip(self.velocities().iter().copied()));
        f.derivative_along(&rates)
    }

    /// A vector field without components along ∂_u, completed by `velocity` components.
    pub(crate) fn vector(&self, t: Expr<'p>, x: &[Expr<'p>], u: &[Expr<'p>]) -> VectorField<'p> {
        let components = std::iter::once(t)
            .chain(x.iter().copied())
            .chain(u.iter().copied());
        VectorField::new(&self.chart, components.collect())
    }

    /// d_th = ∂ₜh + uⁱ∂ᵢh, the rate of a function h(t, x). (T-3)
    pub fn total_derivative(&self, h: Expr<'p>) -> Expr<'p> {
        let mut rates = vec![(self.time(), self.pool().one())];
        let x = self.base.positions().iter().copied();
        rates.extend(x.zip(self.velocities().iter().copied()));
        h.derivative_along(&rates)
    }

    /// A function without derivatives along the velocities as a function of (t, x), evaluated at one velocity, and whether
    /// it has that value at all velocities: sign u has no derivative and is not constant.
    pub(crate) fn on_space_time(&self, e: Expr<'p>) -> (Expr<'p>, Verdict) {
        let (pool, u) = (self.pool(), self.velocities());
        if u.iter().all(|&u| !e.contains(u)) {
            return (e, Verdict::Proved(Bound::CERTAIN));
        }
        // At rest it may be undefined, or just on a kink.
        let rest = vec![pool.zero(); u.len()];
        let other = (1..=u.len() as i64).map(|k| pool.number(k)).collect();
        let at = |velocity: Vec<Expr<'p>>| {
            let pairs: Vec<_> = u.iter().copied().zip(velocity).collect();
            let value = e.substitute(&pairs);
            (!value.is_undefined()).then(|| (value, e.decide_equal(value)))
        };
        let mut found: Vec<(Expr<'p>, Verdict)> = Vec::new();
        for velocity in [rest, other] {
            match at(velocity) {
                Some(answer) if answer.1.is_proved() => return answer,
                answer => found.extend(answer),
            }
        }
        let why = "it is not defined at the velocities that were tried";
        let open = || (e, Verdict::Undecided(Reason::OutOfReach(why)));
        found.into_iter().next().unwrap_or_else(open)
    }

    /// The vertical homomorphism μ = ∂_{uⁱ}⊗θⁱ. (T-15)
    pub fn vertical_homomorphism(&self) -> Endomorphism<'p> {
        (0..self.degrees_of_freedom())
            .map(|i| Endomorphism::simple(&self.chart.partial(self.u(i)), &self.contact(i)))
            .fold(Endomorphism::zero(&self.chart), |sum, term| sum.plus(&term))
    }

    /// D_μω, the derivation of degree 0 induced by μ. (T-16)
    pub fn d_mu(&self, omega: &Form<'p>) -> Form<'p> {
        self.vertical_homomorphism().derivation(omega)
    }

    /// ∂ω = D_μdω − dD_μω, an anti-derivation of degree 1. (T-17)
    pub fn del(&self, omega: &Form<'p>) -> Form<'p> {
        self.vertical_homomorphism().differential(omega)
    }

    /// Whether a form is semi-basic: V ⌟ ω = 0 for vertical V, no du-components. (T-20)
    pub fn decide_semi_basic(&self, omega: &Form<'p>) -> Verdict {
        let first = self.u(0);
        let vertical = omega.terms().filter(|(i, _)| i.iter().any(|&k| k >= first));
        decide_all_zero(vertical.map(|(_, c)| c).collect::<Vec<_>>())
    }

    /// Whether a form is basic: semi-basic, with coefficients that do not depend on u. (T-20)
    pub fn decide_basic(&self, omega: &Form<'p>) -> Verdict {
        let constant = omega.terms().flat_map(|(_, c)| {
            self.velocities()
                .iter()
                .map(move |&u| c.diff(u))
                .collect::<Vec<_>>()
        });
        let constant = decide_all_zero(constant.collect::<Vec<_>>());
        self.decide_semi_basic(omega).and(constant)
    }
}
